// __isShared and __isGlobal look at the pointer: memory right behind the block's shared memory is not shared.
// REQUIRES: run
// RUN: for w in 1 8 auto; do %cucpu --simd=$w %s -o %t && %run %t || exit 1; done
#include "check.h"
__device__ int variable;

__global__ void ask(const int *global, long span, unsigned *out) {
    __shared__ int fixed[33];
    extern __shared__ int dynamic[];
    int t = threadIdx.x;
    fixed[t % 33] = t;
    dynamic[t] = t;
    const int *mixed = t & 1 ? dynamic + t : global + t;
    unsigned r = __isShared(fixed) | __isShared(&dynamic[t]) << 1 | __isGlobal(fixed + t % 33) << 2;
    r |= __isGlobal(global) << 3 | __isGlobal(&variable) << 4 | __isShared(mixed) << 5 | __isGlobal(mixed) << 6;
    for (long i = 0; i < span; i += 64) r |= __isShared(global + i) << 7; // some of it lies close
    out[t] = __isCtaShared(mixed) == __isShared(mixed) ? r : 0;
}

__global__ void none(const int *global, unsigned *out) { *out = __isShared(global); }

struct Values {
    int v[40];
};
__global__ void parameter(const __grid_constant__ Values values, unsigned *out) {
    size_t at = __cvta_generic_to_grid_constant(values.v + threadIdx.x);
    out[threadIdx.x] = *(const int *)__cvta_grid_constant_to_generic(at);
}

int main() {
    const int n = 77;
    const long span = 1 << 20;
    Buffer<int> global(span);
    Buffer<unsigned> out(n);
    ask<<<1, n, n * sizeof(int)>>>(global, span, out);
    auto r = out.get();
    for (int t = 0; t < n; t++) CHECK(r[t] == (3u | 3u << 3 | (t & 1 ? 1u << 5 : 1u << 6)));
    none<<<1, 1>>>(global, out);
    CHECK(out.get()[0] == 0);
    Values values;
    for (int i = 0; i < 40; i++) values.v[i] = 100 + i;
    parameter<<<1, 40>>>(values, out);
    r = out.get();
    for (int i = 0; i < 40; i++) CHECK(r[i] == 100u + i);
    return finish();
}
