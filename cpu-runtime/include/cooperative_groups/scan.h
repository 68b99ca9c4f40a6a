/* scan.h: cg::inclusive_scan and exclusive_scan over tiles and coalesced groups. */
#ifndef CUCPU_CG_SCAN_H
#define CUCPU_CG_SCAN_H
#include "reduce.h"

namespace cooperative_groups {
#define CUCPU_G_ __device__ CUCPU_INLINE_
namespace details {
/* What the scan of a group of at most a warp adds up in front of it: nothing, or for the later warps
** of a tile all that the earlier ones have; false = nothing.  own: the inclusive scan of the warp. */
template <class Group, class T_, class Op>
CUCPU_G_ bool scan_before(const Group &, const T_ &, Op, T_ *) { return false; }
template <unsigned N_, class P_, class T_, class Op>
CUCPU_G_ bool scan_before(const thread_block_tile<N_, P_> &g_, const T_ &own, Op op, T_ *before) {
    if constexpr (N_ > __CUCPU_WARP_SIZE__) {
        unsigned warp = g_.thread_rank() / __CUCPU_WARP_SIZE__;
        *before = g_.cucpu_meet(own, lane() == __CUCPU_WARP_SIZE__ - 1, [=](const T_ *p_, unsigned) {
            T_ r_ = warp ? p_[0] : T_();
            for (unsigned i_ = 1; i_ < warp; i_++) r_ = op(r_, p_[i_]);
            return r_;
        });
        return warp != 0;
    }
    return false;
}
template <class Group> CUCPU_G_ const Group &part_in_warp(const Group &g_) { return g_; }
template <unsigned N_, class P_>
CUCPU_G_ thread_block_tile<(N_ < __CUCPU_WARP_SIZE__ ? N_ : __CUCPU_WARP_SIZE__)>
part_in_warp(const thread_block_tile<N_, P_> &) {
    return {};
}
template <class Group, class T_, class Op> CUCPU_G_ T_ scan_in_warp(const Group &g_, T_ v_, Op op) {
    for (unsigned d_ = 1; d_ < g_.size(); d_ *= 2) {
        T_ below = g_.shfl_up(v_, d_);
        if (g_.thread_rank() >= d_) v_ = op(below, v_);
    }
    return v_;
}
} // namespace details
template <class Group, class T_, class Op> CUCPU_G_ T_ inclusive_scan(const Group &g_, T_ v_, Op op) {
    T_ own = details::scan_in_warp(details::part_in_warp(g_), v_, op), before;
    return details::scan_before(g_, own, op, &before) ? op(before, own) : own;
}
template <class Group, class T_> CUCPU_G_ T_ inclusive_scan(const Group &g_, T_ v_) {
    return inclusive_scan(g_, v_, plus<T_>());
}
/* Lane 0 gets T(), as with the additive identity. */
template <class Group, class T_, class Op> CUCPU_G_ T_ exclusive_scan(const Group &g_, T_ v_, Op op) {
    const auto &warp = details::part_in_warp(g_);
    T_ own = details::scan_in_warp(warp, v_, op), before = T_();
    T_ below = warp.shfl_up(own, 1);
    bool later = details::scan_before(g_, own, op, &before), first = warp.thread_rank() == 0;
    return first ? before : later ? op(before, below) : below;
}
template <class Group, class T_> CUCPU_G_ T_ exclusive_scan(const Group &g_, T_ v_) {
    return exclusive_scan(g_, v_, plus<T_>());
}
/* The scan, behind what an atomic object holds; the sum of the group is added to that. */
template <class Group, class Atomic, class T_, class Op>
CUCPU_G_ T_ inclusive_scan_update(const Group &g_, Atomic &&target, T_ v_, Op op) {
    T_ own = inclusive_scan(g_, v_, op), old = T_();
    if (g_.thread_rank() == g_.size() - 1) old = details::update(target, own, op);
    return op(g_.shfl(old, g_.size() - 1), own);
}
template <class Group, class Atomic, class T_>
CUCPU_G_ T_ inclusive_scan_update(const Group &g_, Atomic &&target, T_ v_) {
    return inclusive_scan_update(g_, target, v_, plus<T_>());
}
template <class Group, class Atomic, class T_, class Op>
CUCPU_G_ T_ exclusive_scan_update(const Group &g_, Atomic &&target, T_ v_, Op op) {
    T_ below = exclusive_scan(g_, v_, op), old = T_();
    bool first = g_.thread_rank() == 0;
    if (g_.thread_rank() == g_.size() - 1) old = details::update(target, first ? v_ : op(below, v_), op);
    old = g_.shfl(old, g_.size() - 1);
    return first ? old : op(old, below);
}
template <class Group, class Atomic, class T_>
CUCPU_G_ T_ exclusive_scan_update(const Group &g_, Atomic &&target, T_ v_) {
    return exclusive_scan_update(g_, target, v_, plus<T_>());
}
#undef CUCPU_G_
} // namespace cooperative_groups
#endif
