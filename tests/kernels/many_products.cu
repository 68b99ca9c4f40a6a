// Products of matrices, of which a kernel has many, are vector functions, as the exchanges of the warp in them are of whole warps.  The
// results are those of a loop.
// REQUIRES: run
// RUN: %cucpu -O2 %s -o %t && %run %t
// RUN: %cucpu -O2 --dump-after=vectorise_calls --stop-after=vectorise_calls -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %also { %cucpu -O2 --cpu=x86-64-v3 %s -o %t && %run %t && %cucpu -G %s -o %t && %run %t; }
// CHECK-COUNT-2: define internal {{.*}}@{{"?}}cucpu.called.
#include "check.h"
#include <mma.h>
using namespace nvcuda;

#define TWICE(f) f f
#define FOUR(f) TWICE(f) TWICE(f)
#define SIXTEEN(f) FOUR(f) FOUR(f) FOUR(f) FOUR(f)
#define SIXTY_FOUR(f) SIXTEEN(f) SIXTEEN(f) SIXTEEN(f) SIXTEEN(f)

/* ---- matrices ---- */

struct Sum {
    float x[4];
};

__device__ void multiply(Sum &s, unsigned a, unsigned b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, {%5, %4}, {%0, %1, %2, %3};"
        : "+f"(s.x[0]), "+f"(s.x[1]), "+f"(s.x[2]), "+f"(s.x[3]) : "r"(a), "r"(b));
}

__global__ void products(const unsigned *in, Sum *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    Sum s = {};
    SIXTY_FOUR(multiply(s, in[i], in[k++]);) SIXTEEN(multiply(s, in[i], in[k++]);) SIXTEEN(multiply(s, in[i], in[k++]);)
    out[i] = s;
}

__global__ void products_in_loop(const unsigned *in, Sum *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Sum s = {};
#pragma unroll 1
    for (int k = 0; k < 96; k++) multiply(s, in[i], in[k]);
    out[i] = s;
}

static void matrices() {
    enum { N = 128 };
    unsigned *in;
    Sum *out[2];
    CUDA(cudaMallocManaged(&in, N * sizeof *in));
    for (unsigned i = 0; i < N; i++) in[i] = 0x30003400u + (i * 0x00230011u & 0x83ff83ff); /* halves from -0.5 to 0.5 */
    for (int k = 0; k < 2; k++) CUDA(cudaMallocManaged(&out[k], N * sizeof **out));
    products<<<2, 64>>>(in, out[0]);
    products_in_loop<<<2, 64>>>(in, out[1]);
    CUDA(cudaDeviceSynchronize());
    CHECK(!memcmp(out[0], out[1], N * sizeof **out));
    CHECK(out[0][5].x[1] != 0);
}

/* ---- fragments ---- */

typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Total;

__device__ void add(Total &c, const __half *p) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
    wmma::load_matrix_sync(a, p, 16);
    wmma::load_matrix_sync(b, p + 7, 16);
    wmma::mma_sync(c, a, b, c);
}

__global__ void fragments(const __half *in, float *out) {
    Total c;
    wmma::fill_fragment(c, 0.5f);
    int k = 0;
    SIXTEEN(add(c, in + k++);)
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

__global__ void fragments_in_loop(const __half *in, float *out) {
    Total c;
    wmma::fill_fragment(c, 0.5f);
#pragma unroll 1
    for (int k = 0; k < 16; k++) add(c, in + k);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

static void fragments_alike() {
    enum { N = 16 * 16 + 64 };
    __half *in;
    float *out[2];
    CUDA(cudaMallocManaged(&in, N * sizeof *in));
    for (int i = 0; i < N; i++) in[i] = __float2half((i * 37 % 64 - 31) / 32.0f);
    for (int k = 0; k < 2; k++) CUDA(cudaMallocManaged(&out[k], 256 * sizeof **out));
    fragments<<<1, 32>>>(in, out[0]);
    fragments_in_loop<<<1, 32>>>(in, out[1]);
    CUDA(cudaDeviceSynchronize());
    CHECK(!memcmp(out[0], out[1], 256 * sizeof **out));
}

int main() {
    matrices();
    fragments_alike();
    return finish();
}
