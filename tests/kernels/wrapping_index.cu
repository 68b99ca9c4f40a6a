// Indices of 32 bits that wrap among the lanes of a group: unsigned to 0, signed to the lowest number.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu --disable=row_test %s -o %t && %run %t
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

/* the sum is unsigned; more is added behind its extension */
__global__ void add_signed(unsigned char *p, unsigned start, long long more, unsigned n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = (int)(start + t);
    if (t < n) p[i + more] += (unsigned char)(t + 5);
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
    unsigned char *middle = p + (span >> 1) - 2;
    for (unsigned start : {100u, 0x7fffffffu - 30, 0x7fffffffu - 299, 0u - 100}) {
        std::vector<unsigned char> before(n);
        for (unsigned t = 0; t < n; t++) before[t] = middle[(int)(start + t) + 2LL] = (unsigned char)(t * 7);
        add_signed<<<4, 96>>>(middle, start, 2, n);
        CUDA(cudaDeviceSynchronize());
        for (unsigned t = 0; t < n; t++) CHECK(middle[(int)(start + t) + 2LL] == (unsigned char)(before[t] + t + 5));
    }
    munmap(p, span);
    return finish();
}
