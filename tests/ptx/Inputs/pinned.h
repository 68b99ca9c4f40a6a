/* pinned.h: zeroed memory that the host and kernels use, on a GPU as well as here; never freed. */
#include <cstring>
#include <cuda.h>

template <class T = unsigned> static T *pinned(size_t n) {
    void *p = nullptr;
    if (cuMemAllocHost(&p, n * sizeof(T))) return nullptr;
    memset(p, 0, n * sizeof(T));
    return static_cast<T *>(p);
}
