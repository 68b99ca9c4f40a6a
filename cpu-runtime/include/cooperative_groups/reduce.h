/* reduce.h: cg::reduce over tiles and coalesced groups, and the update functions. */
#ifndef CUCPU_CG_REDUCE_H
#define CUCPU_CG_REDUCE_H
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define CUCPU_G_ __device__ CUCPU_INLINE_
namespace details {
/* Combines v_ into an atomic object; what it was. */
template <class Atomic, class T_, class Op> CUCPU_G_ T_ update(Atomic &target, T_ v_, Op op) {
    T_ old = target.load(), next;
    do next = op(old, v_);
    while (!target.compare_exchange_weak(old, next));
    return old;
}
} // namespace details
/* Butterfly: every lane gets the same combination tree; then that of the tile's warps, in order. */
template <unsigned N_, class P_, class T_, class Op>
CUCPU_G_ auto reduce(const thread_block_tile<N_, P_> &g_, T_ v_, Op op) -> decltype(op(v_, v_)) {
    constexpr unsigned W_ = N_ < __CUCPU_WARP_SIZE__ ? N_ : __CUCPU_WARP_SIZE__;
    thread_block_tile<W_> warp;
#pragma unroll
    for (int d_ = (int)W_ / 2; d_ > 0; d_ /= 2) v_ = op(v_, warp.shfl_xor(v_, d_));
    if constexpr (N_ > W_)
        v_ = g_.cucpu_meet(v_, warp.thread_rank() == 0, [=](const T_ *p_, unsigned n_) {
            T_ r_ = p_[0];
            for (unsigned i_ = 1; i_ < n_; i_++) r_ = op(r_, p_[i_]);
            return r_;
        });
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
/* target: a cuda::atomic or atomic_ref, also a temporary one. */
template <class Group, class Atomic, class T_, class Op>
CUCPU_G_ auto reduce_store_async(const Group &g_, Atomic &&target, T_ v_, Op op) -> decltype(target.store(v_)) {
    T_ r_ = reduce(g_, v_, op);
    if (g_.thread_rank() == 0) target.store(r_);
}
template <class Group, class Atomic, class T_, class Op>
CUCPU_G_ void reduce_update_async(const Group &g_, Atomic &&target, T_ v_, Op op) {
    T_ r_ = reduce(g_, v_, op);
    if (g_.thread_rank() == 0) details::update(target, r_, op);
}
#undef CUCPU_G_
} // namespace cooperative_groups
#endif
