/* reduce.h: cg::reduce over tiles and coalesced groups, and the update functions. */
#ifndef CUCPU_CG_REDUCE_H
#define CUCPU_CG_REDUCE_H
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define CUCPU_G_ __device__ CUCPU_INLINE_
/* Butterfly: every lane gets the same combination tree. */
template <unsigned N_, class P_, class T_, class Op>
CUCPU_G_ auto reduce(const thread_block_tile<N_, P_> &g_, T_ v_, Op op) -> decltype(op(v_, v_)) {
#pragma unroll
    for (int d_ = (int)N_ / 2; d_ > 0; d_ /= 2) v_ = op(v_, g_.shfl_xor(v_, d_));
    return v_;
}
template <class T_, class Op>
CUCPU_G_ auto reduce(const coalesced_group &g_, T_ v_, Op op) -> decltype(op(v_, v_)) {
    T_ r_ = g_.shfl(v_, 0);
    for (unsigned i_ = 1; i_ < g_.size(); i_++) r_ = op(r_, g_.shfl(v_, i_));
    return r_;
}
template <class Group, class T_, class Op>
CUCPU_G_ void reduce_store_async(const Group &g_, T_ *target, T_ v_, Op op) {
    T_ r_ = reduce(g_, v_, op);
    if (g_.thread_rank() == 0) *target = r_;
}
#undef CUCPU_G_
} // namespace cooperative_groups
#endif
