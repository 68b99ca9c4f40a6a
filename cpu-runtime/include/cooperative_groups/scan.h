/* scan.h: cg::inclusive_scan and exclusive_scan over tiles and coalesced groups. */
#ifndef CUCPU_CG_SCAN_H
#define CUCPU_CG_SCAN_H
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define CUCPU_G_ __device__ CUCPU_INLINE_
template <class Group, class T_, class Op> CUCPU_G_ T_ inclusive_scan(const Group &g_, T_ v_, Op op) {
    for (unsigned d_ = 1; d_ < g_.size(); d_ *= 2) {
        T_ below = g_.shfl_up(v_, d_);
        if (g_.thread_rank() >= d_) v_ = op(below, v_);
    }
    return v_;
}
template <class Group, class T_> CUCPU_G_ T_ inclusive_scan(const Group &g_, T_ v_) {
    return inclusive_scan(g_, v_, plus<T_>());
}
/* Lane 0 gets T(), as with the additive identity. */
template <class Group, class T_, class Op> CUCPU_G_ T_ exclusive_scan(const Group &g_, T_ v_, Op op) {
    T_ below = g_.shfl_up(inclusive_scan(g_, v_, op), 1);
    return g_.thread_rank() == 0 ? T_() : below;
}
template <class Group, class T_> CUCPU_G_ T_ exclusive_scan(const Group &g_, T_ v_) {
    return exclusive_scan(g_, v_, plus<T_>());
}
#undef CUCPU_G_
} // namespace cooperative_groups
#endif
