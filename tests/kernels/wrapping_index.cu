// Unsigned indices of 32 bits that wrap to 0 among the lanes of a group.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --disable=row_test %s -o %t && %run %t; }
#include "check.h"
#include <sys/mman.h>

__global__ void read_unsigned(const unsigned char *p, unsigned start, unsigned char *out, unsigned n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) out[t] = p[start + t];
}

__global__ void write_unsigned(unsigned char *p, unsigned start, unsigned n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) p[start + t] = (unsigned char)(t * 3 + 1);
}

/* Rows of four, eight and sixteen threads, `pitch` elements apart: runs of lanes, any of which may wrap. */
template <unsigned ROW> __global__ void read_tile(const unsigned char *p, unsigned start, unsigned pitch, unsigned char *out) {
    unsigned r = threadIdx.x / ROW, c = threadIdx.x % ROW;
    out[threadIdx.x] = p[start + r * pitch + c];
}

template <unsigned ROW> __global__ void write_tile(unsigned char *p, unsigned start, unsigned pitch) {
    unsigned r = threadIdx.x / ROW, c = threadIdx.x % ROW;
    if (c != 2) p[start + r * pitch + c] = (unsigned char)(threadIdx.x * 5 + 2);
}

template <unsigned ROW> static void tiles(unsigned char *p, size_t span, unsigned start, unsigned pitch) {
    const unsigned n = 96;
    Buffer<unsigned char> out(n);
    std::vector<unsigned char> want(n);
    write_tile<ROW><<<1, n>>>(p, start, pitch);
    CUDA(cudaDeviceSynchronize());
    for (unsigned t = 0; t < n; t++) {
        unsigned at = start + t / ROW * pitch + t % ROW;
        CHECK(p[at] == (t % ROW == 2 ? 0 : (unsigned char)(t * 5 + 2)));
        if (t % ROW == 2) p[at] = (unsigned char)t;
    }
    read_tile<ROW><<<1, n>>>(p, start, pitch, out);
    for (unsigned t = 0; t < n; t++) want[t] = (unsigned char)(t % ROW == 2 ? t : t * 5 + 2);
    SAME(out.get(), want);
    std::memset(p, 0, 4096), std::memset(p + span - 4096, 0, 4096);
}

int main() {
    const size_t span = size_t(1) << 32;
    const unsigned n = 300;
    unsigned char *p = (unsigned char *)mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return 0;
    for (unsigned start : {100u, 0u - 1, 0u - 20, 0u - 64, 0u - 150, 0u - 300}) {
        Buffer<unsigned char> out(n);
        std::vector<unsigned char> want(n);
        write_unsigned<<<4, 96>>>(p, start, n);
        CUDA(cudaDeviceSynchronize());
        for (unsigned t = 0; t < n; t++) CHECK(p[start + t] == (unsigned char)(t * 3 + 1));
        read_unsigned<<<4, 96>>>(p, start, out, n);
        for (unsigned t = 0; t < n; t++) want[t] = (unsigned char)(t * 3 + 1);
        SAME(out.get(), want);
        std::memset(p, 0, 400), std::memset(p + span - 400, 0, 400);
    }
    for (unsigned start : {100u, 0u - 1, 0u - 6, 0u - 39, 0u - 500})
        for (unsigned pitch : {16u, 37u}) tiles<4>(p, span, start, pitch), tiles<8>(p, span, start, pitch), tiles<16>(p, span, start, pitch);
    munmap(p, span);
    return finish();
}
