// ldmatrix and stmatrix of bytes: b of a product as mma wants it, its sums stored as columns; elements of 6 and 4 bits.
// Rows lie anywhere in shared memory.
// REQUIRES: run
// RUN: %cucpu -arch=sm_120a --simd=32 %s -o %t && %run %t
// RUN: %also { %cucpu -arch=sm_120a --simd=1 %s -o %t.1 && %run %t.1; }
// RUN: %also { %cucpu -arch=sm_120a --simd=16 -G %s -o %t.16 && %run %t.16; }
#include <cstdint>
#include <cstdio>

typedef uint32_t u32;
enum { M = 16, N = 16, K = 32, NOWHERE = 0x7fffffff };
static int bad;
static __host__ __device__ int a_at(int m, int k) { return (m * 5 + k * 3) % 7 - 3; }
static __host__ __device__ int b_at(int k, int n) { return (k * 11 + n * 2 + k * n) % 9 - 4; }
static __device__ u32 row_at(const void *box, int row) { return (u32)__cvta_generic_to_shared(box) + row * 13 % 32 * 16; }
static __device__ signed char *byte_of(void *box, int row, int i) { return (signed char *)box + row * 13 % 32 * 16 + i; }

__device__ void multiply(int *d, const u32 *a, u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
static __device__ u32 packed(const int *d) {
    return (d[0] & 255) | (d[1] & 255) << 8 | (d[2] & 255) << 16 | (u32)d[3] << 24;
}

/* b: a row of 16 bytes for each k; out: a row of 16 bytes for each n, twice; last, a row for each n of the first 8. */
__global__ void product(signed char *out, bool apart) {
    __shared__ __align__(16) signed char box[K * N], to[32 * 16];
    int l = threadIdx.x, d[8] = {};
    u32 a[4], b[4];
    for (int n = 0; n < N; n++) *byte_of(box, l, n) = (signed char)b_at(l, n), *byte_of(to, l, n) = 99;
    for (int i = 0; i < 4; i++) {
        a[i] = 0;
        for (int j = 0; j < 4; j++) a[i] |= (u32)(a_at(l / 4 + i % 2 * 8, l % 4 * 4 + i / 2 * 16 + j) & 255) << 8 * j;
    }
    __syncthreads();
    u32 at = row_at(box, l), low = row_at(box, l % 16), high = row_at(box, l % 16 + 16);
    if (apart) {
        asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0,%1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(l < 16 ? low : NOWHERE));
        asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared::cta.b8 {%0,%1}, [%2];" : "=r"(b[2]), "=r"(b[3]) : "r"(l < 16 ? high : NOWHERE));
    } else
        asm volatile("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%0,%1,%2,%3}, [%4];" : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(at));
    multiply(d, a, b[0], b[2]);
    multiply(d + 4, a, b[1], b[3]);
    u32 left = packed(d), right = packed(d + 4), into = row_at(to, l);
    if (apart) {
        asm volatile("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%0], {%1,%2};" ::"r"(l < 16 ? into : NOWHERE), "r"(left), "r"(right) : "memory");
        asm volatile("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%0], {%1};" ::"r"(l < 8 ? row_at(to, l + 16) : NOWHERE), "r"(left) : "memory");
    } else
        asm volatile("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%0], {%1,%2,%1,%2};" ::"r"(into), "r"(left), "r"(right) : "memory");
    __syncthreads();
    for (int m = 0; m < M; m++) out[l * M + m] = *byte_of(to, l, m);
}

static __host__ __device__ int small(int row, int i, int bits) { return (row * 7 + i * 5 + row * i) & ((1 << bits) - 1); }

/* Rows of 16 packed elements; what is after them is not zero. out: a byte for each element, as lanes get them. */
template <int bits, bool turned> __global__ void unpack(u32 *out) {
    __shared__ __align__(16) unsigned char box[32 * 16];
    int l = threadIdx.x;
    u32 at = row_at(box, l), r[4];
    unsigned char *row = (unsigned char *)byte_of(box, l, 0);
    for (int i = 0; i < 16; i++) row[i] = i < 2 * bits ? 0 : 255;
    for (int i = 0; i < 16 * bits; i++) row[i / 8] |= (small(l, i / bits, bits) >> i % bits & 1) << i % 8;
    __syncthreads();
    if (turned && bits == 6)
        asm volatile("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b6x16_p32 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
    else if (turned)
        asm volatile("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b4x16_p64 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
    else if (bits == 6)
        asm volatile("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
    else
        asm volatile("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
    for (int i = 0; i < 4; i++) out[4 * l + i] = r[i];
}

static void check_product(bool apart) {
    signed char *out;
    cudaMallocManaged(&out, 32 * M);
    product<<<1, 32>>>(out, apart);
    if (cudaDeviceSynchronize()) bad++;
    int wrong = 0;
    for (int row = 0; row < 32; row++)
        for (int m = 0; m < M; m++) {
            int sum = 0;
            for (int k = 0; k < K; k++) sum += a_at(m, k) * b_at(k, row % N);
            wrong += out[row * M + m] != (apart && row >= 24 ? 99 : (signed char)sum);
        }
    if (wrong) bad += wrong, printf("product %d: %d are wrong\n", apart, wrong);
}

template <int bits, bool turned> static void check_unpacked() {
    u32 *out;
    cudaMallocManaged(&out, 512);
    unpack<bits, turned><<<1, 32>>>(out);
    if (cudaDeviceSynchronize()) bad++;
    int wrong = 0;
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                int row = turned ? i / 2 * 16 + l % 4 * 4 + j : 8 * i + l / 4, column = turned ? l / 4 + i % 2 * 8 : l % 4 * 4 + j;
                wrong += (int)(out[4 * l + i] >> 8 * j & 255) != small(row, column, bits);
            }
    if (wrong) bad += wrong, printf("%d bits, turned %d: %d are wrong\n", bits, turned, wrong);
}

int main() {
    check_product(false), check_product(true);
    check_unpacked<6, false>(), check_unpacked<6, true>();
    check_unpacked<4, false>(), check_unpacked<4, true>();
    printf("%d wrong\n", bad);
    return bad != 0;
}
