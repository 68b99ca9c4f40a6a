// Tests in front of a kernel decide exactly which threads run, also where base + threadIdx.x wraps around.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --simd=1 --disable=bound_from_guard %s -o %t.plain && %t.plain; }
#include <climits>
#include <cstdio>
#include <cuda_runtime.h>

struct Case {
    unsigned base, n;
    int m;
    unsigned long long high; // to be added where sums or limits have 64 bits
};

__device__ static void note(int *out) {
    out[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] += 1;
}

#define SIGNED_SUM (int)(c.base + threadIdx.x)
#define UNSIGNED_SUM (c.base + threadIdx.x)
#define KERNELS(K)                                                                                            \
    K(below, SIGNED_SUM < (int)c.n) K(not_above, !(SIGNED_SUM >= (int)c.n)) K(swapped, (int)c.n > SIGNED_SUM) \
    K(below_u, UNSIGNED_SUM < c.n) K(not_above_u, !(UNSIGNED_SUM >= c.n)) K(swapped_u, c.n > UNSIGNED_SUM)     \
    K(with_row, (int)threadIdx.y < c.m && SIGNED_SUM < (int)c.n)                                              \
    K(row_behind, SIGNED_SUM < (int)c.n && (int)threadIdx.y < c.m)                                            \
    K(row_u, UNSIGNED_SUM < c.n && (int)threadIdx.y < c.m && (int)threadIdx.z != c.m)                         \
    K(own, (int)threadIdx.x < (int)c.n) K(own_u, threadIdx.x < c.n) K(other_side, SIGNED_SUM > (int)c.n)      \
    K(equal, SIGNED_SUM <= (int)c.n) K(different, SIGNED_SUM != (int)c.n)                                     \
    K(either, SIGNED_SUM < (int)c.n || (int)threadIdx.y < c.m)                                                \
    K(extended, (unsigned long long)UNSIGNED_SUM < c.n + c.high) K(extended_s, (long long)SIGNED_SUM < (long long)(c.n + c.high)) \
    K(extended_row, (int)threadIdx.y < c.m && (unsigned long long)UNSIGNED_SUM < c.n + c.high)                \
    K(long_u, c.base + c.high + threadIdx.x < c.n + c.high) K(long_s, (long long)(c.base + c.high + threadIdx.x) < (long long)(c.n + c.high)) \
    K(long_other, (long long)(c.base + c.high + threadIdx.x) < (int)c.n) K(own_long, (unsigned long long)threadIdx.x < c.n + c.high)

#define KERNEL(name, test)                                       \
    __global__ void in_##name(Case c, int *out) {                \
        if (test) note(out);                                     \
    }                                                            \
    __global__ void out_##name(unsigned base, unsigned n, int m, unsigned long long high, int *out) { \
        Case c = {base, n, m, high};                                   \
        if (!(test)) return;                                     \
        for (int k = 0; k < 2; k++) note(out);                   \
        if (c.m == 12345) out[0] = (int)(c.base + threadIdx.x); \
    }                                                            \
    static bool is_##name(Case c, dim3 threadIdx) { return test; }
KERNELS(KERNEL)

static int failures;

template <class Launch>
static void check(const char *name, Launch launch, bool (*is)(Case, dim3), int times, Case c, dim3 block, int *out) {
    int threads = block.x * block.y * block.z;
    for (int i = 0; i < threads; i++) out[i] = 0;
    launch();
    if (cudaDeviceSynchronize() != cudaSuccess) failures++;
    for (int i = 0; i < threads; i++) {
        dim3 t(i % block.x, i / block.x % block.y, i / block.x / block.y);
        if (out[i] == (is(c, t) ? times : 0)) continue;
        if (failures++ < 10)
            printf("%s base %u n %u m %d: thread %u,%u,%u of %u,%u,%u: %d\n", name, c.base, c.n, c.m, t.x, t.y, t.z, block.x,
                   block.y, block.z, out[i]);
    }
}

int main() {
    const unsigned values[] = {0,       1,           7,           100,         INT_MAX,     INT_MAX - 1u, INT_MAX - 5u,
                               INT_MAX - 40u, 1u << 31, (1u << 31) + 1, (1u << 31) + 30, -1u, -2u, -33u};
    const dim3 blocks[] = {1, 7, 33, 64, dim3(16, 3, 2), dim3(5, 4)};
    int *out;
    cudaMallocManaged(&out, 1024 * sizeof(int));
    for (unsigned base : values)
        for (unsigned n : values)
            for (dim3 block : blocks) {
                const unsigned long long high[] = {0, 1ull << 32, 1ull << 63, 0ull - (1ull << 32)};
                Case c = {base, n, 1 + (int)((base ^ n) % 4), high[(base / 3 + n + block.x) % 4]};
#define CHECK(name, test)                                           \
    check(#name, [&] { in_##name<<<1, block>>>(c, out); }, is_##name, 1, c, block, out); \
    check(#name ", return", [&] { out_##name<<<1, block>>>(c.base, c.n, c.m, c.high, out); }, is_##name, 2, c, block, out);
                KERNELS(CHECK)
            }
    printf("%d failures\n", failures);
    return failures != 0;
}
