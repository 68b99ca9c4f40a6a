/* scan.h: cg::inclusive_scan and exclusive_scan over tiles and coalesced groups. */
#ifndef CUCPU_CG_SCAN_H
#define CUCPU_CG_SCAN_H
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define CUCPU_G_ __device__ CUCPU_INLINE_
template <class Group, class T, class Op> CUCPU_G_ T inclusive_scan(const Group &g, T v, Op op) {
    for (unsigned d = 1; d < g.size(); d *= 2) {
        T below = g.shfl_up(v, d);
        if (g.thread_rank() >= d) v = op(below, v);
    }
    return v;
}
template <class Group, class T> CUCPU_G_ T inclusive_scan(const Group &g, T v) {
    return inclusive_scan(g, v, plus<T>());
}
/* Lane 0 gets T(), as with the additive identity. */
template <class Group, class T, class Op> CUCPU_G_ T exclusive_scan(const Group &g, T v, Op op) {
    T below = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() == 0 ? T() : below;
}
template <class Group, class T> CUCPU_G_ T exclusive_scan(const Group &g, T v) {
    return exclusive_scan(g, v, plus<T>());
}
#undef CUCPU_G_
} // namespace cooperative_groups
#endif
