/* memcpy_async.h: cg::memcpy_async copies at once, by the threads of the group; wait is a group
** barrier.  count is in bytes, or in elements in the two-layout form. */
#ifndef CUCPU_CG_MEMCPY_ASYNC_H
#define CUCPU_CG_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
#include "../cuda/aligned_size.h"

namespace cooperative_groups {
#define CUCPU_G_ __device__ CUCPU_INLINE_
template <class Group, class T, class U>
CUCPU_G_ void memcpy_async(const Group &g, T *dst, const U *src, size_t bytes) {
    char *d = (char *)dst;
    const char *s = (const char *)src;
    size_t words = (((size_t)d | (size_t)s) & 3) ? 0 : bytes / 4;
    for (size_t i = g.thread_rank(); i < words; i += g.size()) ((int *)d)[i] = ((const int *)s)[i];
    for (size_t i = words * 4 + g.thread_rank(); i < bytes; i += g.size()) d[i] = s[i];
}
template <class Group, class T, class U, size_t A>
CUCPU_G_ void memcpy_async(const Group &g, T *dst, const U *src, cuda::aligned_size_t<A> bytes) {
    memcpy_async(g, dst, src, (size_t)bytes);
}
template <class Group, class T>
CUCPU_G_ void memcpy_async(const Group &g, T *dst, size_t dst_count, const T *src,
                           size_t src_count) {
    memcpy_async(g, dst, src, (dst_count < src_count ? dst_count : src_count) * sizeof(T));
}
template <class Group> CUCPU_G_ void wait(const Group &g) { g.sync(); }
/* Everything is copied already, so waiting for all but the last n copies is waiting for all. */
template <unsigned n, class Group> CUCPU_G_ void wait_prior(const Group &g) { g.sync(); }
#undef CUCPU_G_
} // namespace cooperative_groups
#endif
