// multimem: with the memory of one device a reduction of what it holds is the value, stores and reductions are the plain ones.
// REQUIRES: run
// RUN: for w in 1 8; do %cucpu -arch=sm_90 --simd=$w %s -o %t.$w && %run %t.$w || exit 1; done
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { THREADS = 64, BLOCKS = 3, N = THREADS * BLOCKS };
static int bad;
#define CHECK(x)                                             \
    do {                                                     \
        if (!(x) && !bad++) printf("line %d\n", __LINE__);   \
    } while (0)

__global__ void loads(const float4 *in, const uint4 *halves, float4 *out, uint4 *words, double *wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v;
    uint4 h;
    double d;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(in + i) : "memory");
    asm volatile("multimem.ld_reduce.weak.global.max.v4.bf16x2 {%0,%1,%2,%3}, [%4];"
                 : "=r"(h.x), "=r"(h.y), "=r"(h.z), "=r"(h.w) : "l"(halves + i) : "memory");
    asm volatile("multimem.ld_reduce.acquire.gpu.global.add.acc::f32.v2.f16x2 {%0,%1}, [%2];" : "=r"(h.x), "=r"(h.y) : "l"(halves + i) : "memory");
    asm volatile("multimem.ld_reduce.add.f64 %0, [%1+8];" : "=d"(d) : "l"(in + i) : "memory");
    asm volatile("multimem.st.release.sys.global.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(out + i), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
    asm volatile("multimem.st.weak.global.v4.f16x2 [%0], {%1,%2,%3,%4};" ::"l"(words + i), "r"(h.x), "r"(h.y), "r"(h.z), "r"(h.w) : "memory");
    asm volatile("multimem.st.f64 [%0], %1;" ::"l"(wide + i), "d"(d) : "memory");
}

struct Sums {
    uint32_t count, bits;
    int64_t least;
    alignas(16) float f[4];
    alignas(16) __half2 h[2];
    __nv_bfloat16 low, high;
};
__global__ void sums(Sums *s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t one = 0x3c003c00, b = i == 77 ? 0x40e04000 : 0x3f803f80; /* halves 1, 1; bfloats 7, 2 or 1, 1 */
    asm volatile("multimem.red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(&s->count), "r"(i) : "memory");
    asm volatile("multimem.red.or.b32 [%0], %1;" ::"l"(&s->bits), "r"(1u << i % 32) : "memory");
    asm volatile("multimem.red.release.sys.global.min.s64 [%0], %1;" ::"l"(&s->least), "l"((int64_t)(50 - i)) : "memory");
    asm volatile("multimem.red.global.add.v4.f32 [%0], {%1,%2,%1,%2};" ::"l"(s->f), "f"(1.0f), "f"(2.0f) : "memory");
    asm volatile("multimem.red.global.add.v2.f16x2 [%0], {%1,%1};" ::"l"(s->h), "r"(one) : "memory");
    asm volatile("multimem.red.global.add.bf16x2 [%0], %1;" ::"l"(&s->low), "r"(b) : "memory");
    uint32_t all;
    do asm volatile("multimem.ld_reduce.add.u32 %0, [%1];" : "=r"(all) : "l"(&s->count) : "memory");
    while (all < 32); /* the warp has counted itself */
}

int main() {
    float *in, *out;
    uint32_t *halves, *words;
    double *wide;
    Sums *s;
    cudaMallocManaged(&in, 16 * N), cudaMallocManaged(&out, 16 * N), cudaMallocManaged(&wide, 8 * N);
    cudaMallocManaged(&halves, 16 * N), cudaMallocManaged(&words, 16 * N), cudaMallocManaged(&s, sizeof *s);
    for (int i = 0; i < 4 * N; i++) in[i] = (float)i / 4, halves[i] = 0x3c003c00u + (uint32_t)i * 0x10003u;
    loads<<<BLOCKS, THREADS>>>((const float4 *)in, (const uint4 *)halves, (float4 *)out, (uint4 *)words, wide);
    CHECK(!cudaDeviceSynchronize());
    for (int i = 0; i < 4 * N; i++) CHECK(out[i] == in[i] && words[i] == halves[i]);
    for (int i = 0; i < N; i++) CHECK(wide[i] == ((double *)in)[2 * i + 1]);
    memset(s, 0, sizeof *s);
    sums<<<BLOCKS, THREADS>>>(s);
    CHECK(!cudaDeviceSynchronize());
    CHECK(s->count == N * (N - 1) / 2 && s->bits == ~0u && s->least == 50 - (N - 1));
    CHECK(s->f[0] == N && s->f[1] == 2 * N && s->f[2] == N && s->f[3] == 2 * N);
    for (int i = 0; i < 2; i++) CHECK((float)s->h[i].x == N && (float)s->h[i].y == N);
    CHECK((float)s->low == N + 1 && (float)s->high == N + 6);
    printf("%d wrong\n", bad);
    return bad != 0;
}
