/* check.h: what the kernel tests share: block shapes, device buffers, comparison, random numbers.
**
** A test is one .cu file: kernels, a C reference, and a main that ends with `return finish();`.
** Shapes are chosen around the widths of SIMD groups: full groups, tails, one thread, 2-D and 3-D
** blocks whose rows are shorter than a group.  The random numbers are the same in every run. */
#ifndef TESTS_KERNELS_CHECK_H
#define TESTS_KERNELS_CHECK_H
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int failures;

#define CUDA(call) cuda_ok(call, #call, __LINE__)
static inline void cuda_ok(cudaError_t status, const char *what, int line) {
    if (status == cudaSuccess) return;
    std::printf("line %d: %s: %s\n", line, what, cudaGetErrorString(status));
    std::exit(2);
}

#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition) && failures++ < 20) std::printf("line %d: not %s\n", __LINE__, #condition); \
    } while (0)

static inline int finish() {
    CUDA(cudaDeviceSynchronize());
    if (failures) std::printf("%d failures\n", failures);
    return failures != 0;
}

/* ---- shapes ---- */
static const dim3 block_shapes[] = {dim3(1),    dim3(31),   dim3(32),     dim3(33),       dim3(100),
                                    dim3(256),  dim3(1000), dim3(1024),   dim3(16, 16),   dim3(8, 8, 4),
                                    dim3(33, 2), dim3(5, 7, 3), dim3(4, 4), dim3(64, 3)};

static inline unsigned volume(dim3 d) { return d.x * d.y * d.z; }

/* Calls test(block, threads) for every shape of up to `most` threads. */
template <class Test> void each_shape(Test test, unsigned most = 1024) {
    for (dim3 block : block_shapes) {
        if (volume(block) > most) continue;
        int before = failures;
        test(block, volume(block));
        if (failures > before) std::printf("... with blocks of %ux%ux%u\n", block.x, block.y, block.z);
    }
}

/* The thread's number in its block, the block's in the grid, the thread's in the grid. */
static __device__ inline unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
static __device__ inline unsigned block_rank() {
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
static __device__ inline unsigned global_rank() {
    return block_rank() * (blockDim.x * blockDim.y * blockDim.z) + thread_rank();
}

/* ---- buffers ---- */
template <class T> struct Buffer {
    T *device = nullptr;
    size_t count;
    explicit Buffer(size_t n) : count(n) {
        CUDA(cudaMalloc(&device, n * sizeof(T)));
        CUDA(cudaMemset(device, 0, n * sizeof(T)));
    }
    explicit Buffer(const std::vector<T> &v) : count(v.size()) {
        CUDA(cudaMalloc(&device, count * sizeof(T)));
        CUDA(cudaMemcpy(device, v.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    Buffer(const Buffer &) = delete;
    ~Buffer() { CUDA(cudaFree(device)); }
    operator T *() const { return device; }
    std::vector<T> get() const {
        CUDA(cudaGetLastError());
        std::vector<T> v(count);
        CUDA(cudaMemcpy(v.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

/* ---- comparison ---- */
#define SAME(got, want, ...) same(got, want, #got, __LINE__)
template <class T> void same(const std::vector<T> &got, const std::vector<T> &want, const char *what, int line) {
    if (got.size() != want.size()) {
        failures++;
        std::printf("line %d: %s has %zu elements, not %zu\n", line, what, got.size(), want.size());
        return;
    }
    for (size_t i = 0; i < got.size(); i++) {
        if (!std::memcmp(&got[i], &want[i], sizeof(T))) continue;
        if (failures++ < 20)
            std::printf("line %d: %s[%zu] is %.9g, not %.9g\n", line, what, i, double(got[i]), double(want[i]));
    }
}

/* Distance of a float or double to a reference of higher precision, in units of the last place. */
template <class T> double ulps(T got, long double want) {
    if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : 1e30;
    if (std::isinf(T(want)) || std::isinf(got)) return got == T(want) ? 0 : 1e30;
    T w = std::fabs(T(want)), next = std::nextafter(w, T(INFINITY));
    T least = sizeof(T) == 4 ? T(1.17549435e-38L) : T(2.2250738585072014e-308L);
    long double unit = w < least ? (long double)(std::nextafter(least, T(INFINITY))) - least : (long double)next - w;
    if (std::isinf(next)) unit = (long double)w - std::nextafter(w, T(0));
    return double(fabsl((long double)got - want) / unit);
}

/* ---- random numbers ---- */
struct Random {
    uint64_t state;
    explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15u + 1) {}
    uint32_t next() {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return uint32_t(state >> 16);
    }
    uint32_t below(uint32_t n) { return next() % n; }
    float uniform(float lo, float hi) { return lo + (hi - lo) * float(next() >> 8) / 16777216.0f; }
};
#endif
