/* reduce.h: cg::reduce over tiles and coalesced groups, and the update functions. */
#ifndef CUCPU_CG_REDUCE_H
#define CUCPU_CG_REDUCE_H
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define CUCPU_G_ __device__ CUCPU_INLINE_
/* Butterfly: every lane gets the same combination tree. */
template <unsigned N, class P, class T, class Op>
CUCPU_G_ auto reduce(const thread_block_tile<N, P> &g, T v, Op op) -> decltype(op(v, v)) {
#pragma unroll
    for (int d = (int)N / 2; d > 0; d /= 2) v = op(v, g.shfl_xor(v, d));
    return v;
}
template <class T, class Op>
CUCPU_G_ auto reduce(const coalesced_group &g, T v, Op op) -> decltype(op(v, v)) {
    T r = g.shfl(v, 0);
    for (unsigned i = 1; i < g.size(); i++) r = op(r, g.shfl(v, i));
    return r;
}
template <class Group, class T, class Op>
CUCPU_G_ void reduce_store_async(const Group &g, T *target, T v, Op op) {
    T r = reduce(g, v, op);
    if (g.thread_rank() == 0) *target = r;
}
#undef CUCPU_G_
} // namespace cooperative_groups
#endif
