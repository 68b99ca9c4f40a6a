/* memcpy_async.h: cg::memcpy_async copies at once, by the threads of the group; wait is a group
** barrier.  count is in bytes, or in elements in the two-layout form. */
#ifndef CUCPU_CG_MEMCPY_ASYNC_H
#define CUCPU_CG_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
#if __has_include(<cuda/__barrier/aligned_size.h>) /* libcu++ goes first on the path, and has its own */
#include <cuda/__barrier/aligned_size.h>
#else
#include "../cuda/aligned_size.h"
#endif

namespace cooperative_groups {
#define CUCPU_G_ __device__ CUCPU_INLINE_
template <class Group, class T_, class U_>
CUCPU_G_ void memcpy_async(const Group &g_, T_ *dst, const U_ *src, size_t bytes) {
    char *d_ = (char *)dst;
    const char *s_ = (const char *)src;
    size_t words = (((size_t)d_ | (size_t)s_) & 3) ? 0 : bytes / 4;
    for (size_t i_ = g_.thread_rank(); i_ < words; i_ += g_.size()) ((int *)d_)[i_] = ((const int *)s_)[i_];
    for (size_t i_ = words * 4 + g_.thread_rank(); i_ < bytes; i_ += g_.size()) d_[i_] = s_[i_];
}
template <class Group, class T_, class U_, size_t A_>
CUCPU_G_ void memcpy_async(const Group &g_, T_ *dst, const U_ *src, cuda::aligned_size_t<A_> bytes) {
    memcpy_async(g_, dst, src, (size_t)bytes);
}
template <class Group, class T_>
CUCPU_G_ void memcpy_async(const Group &g_, T_ *dst, size_t dst_count, const T_ *src,
                           size_t src_count) {
    memcpy_async(g_, dst, src, (dst_count < src_count ? dst_count : src_count) * sizeof(T_));
}
template <class Group> CUCPU_G_ void wait(const Group &g_) { g_.sync(); }
/* Everything is copied already, so waiting for all but the last n copies is waiting for all. */
template <unsigned n_, class Group> CUCPU_G_ void wait_prior(const Group &g_) { g_.sync(); }
#undef CUCPU_G_
} // namespace cooperative_groups
#endif
