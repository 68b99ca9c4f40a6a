// new in kernels: types of large alignment lie in the device heap, and a heap that is too small gives a null pointer.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -std=c++17
// RUN: %cucpu -O0 -std=c++17 %s -o %t.0 && %run %t.0
#include "check.h"

enum { THREADS = 40, BYTES = 256 * 3907 };
struct alignas(256) Large {
    char bytes[BYTES];
    __device__ Large(char x) { bytes[0] = bytes[BYTES - 1] = x; }
};
struct alignas(64) Small {
    int v[3];
    __device__ Small(int x = 1) : v{x, x, x} {}
    __device__ ~Small() { v[0] = 0; }
};

__global__ void take(Large **large, Small **small, Small **array, int *out, size_t n) {
    unsigned i = threadIdx.x;
    large[i] = new Large(char(i)), small[i] = new Small(i), array[i] = new Small[3];
    double *rest = new double[n];
    if (rest) rest[5] = 1, delete[] rest;
    void *odd = __nv_aligned_device_malloc(1, 3), *even = __nv_aligned_device_malloc(100, 1024);
    bool aligned = (size_t(large[i]) % 256 | size_t(small[i]) % 64 | size_t(array[i]) % 64 | size_t(even) % 1024) == 0;
    out[i] = aligned + 2 * (rest == nullptr) + 4 * (odd == nullptr) + 8 * (even != nullptr) + 16 * (large[i] != nullptr);
    free(even);
}

// By other threads than have taken it.
__global__ void give(Large **large, Small **small, Small **array, int *good) {
    unsigned i = THREADS - 1 - threadIdx.x;
    bool ok = small[i]->v[2] == int(i) && array[i][2].v[1] == 1 && (!large[i] || large[i]->bytes[BYTES - 1] == char(i));
    good[i] = ok;
    delete large[i];
    delete small[i];
    delete[] array[i];
}

int main() {
    Buffer<Large *> large(THREADS);
    Buffer<Small *> small(THREADS), array(THREADS);
    Buffer<int> out(THREADS), good(THREADS);
    size_t limit;
    CUDA(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    for (int round = 0; round < 3; round++) { // what was given back can be taken again
        take<<<1, THREADS>>>(large, small, array, out, size_t(1) << 36);
        auto got = out.get();
        give<<<1, THREADS>>>(large, small, array, good);
        size_t had = 0;
        for (int x : got) {
            CHECK((x & 15) == 15);
            had += x >> 4;
        }
        CHECK(had > 0 && had * BYTES <= limit && (had == THREADS || (had + 1) * BYTES + 100000 > limit));
        for (int x : good.get()) CHECK(x);
    }
    return finish();
}
