// Inputs/functions.ptx: recursion, calls by pointer, branches by index, structs by value, ellipses, addresses of all spaces, exit in a function.
// REQUIRES: run
// RUN: for w in 1 8 16 32; do %cucpu --simd=$w %s %S/Inputs/functions.ptx -o %t && %run %t %S/Inputs/functions.ptx || exit 1; done
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include "Inputs/pinned.h"
#include <cuda_runtime.h>

static int bad;
#define CHECK(got, want) ((got) != (uint32_t)(want) ? (void)(bad++, printf("thread %u, line %d: %u instead of %u\n", t, __LINE__, got, (uint32_t)(want))) : (void)0)

int main(int, char **argv) {
    cudaFree(0);
    uint32_t *out = pinned(16 * 40);
    static const uint32_t factorial[8] = {1, 1, 2, 6, 24, 120, 720, 5040};
    CUmodule m;
    CUfunction f;
    void *p = out, *args[] = {&p};
    int r = cuModuleLoad(&m, argv[1]);
    if (!r) r = cuModuleGetFunction(&f, m, "k");
    if (!r) r = cuLaunchKernel(f, 1, 1, 1, 40, 1, 1, 0, 0, args, 0);
    if (!r) r = cuCtxSynchronize();
    if (r) return printf("error %d\n", r), 1;
    for (uint32_t t = 0; t < 40; t++) {
        const uint32_t *o = out + 16 * t;
        bool both = t > 10 && t < 20, other = t >= 20;
        CHECK(o[0], factorial[t & 7]);
        CHECK(o[1], t % 3 == 0 ? t + 1 : t % 3 == 1 ? 2 * t : 0 - t);
        CHECK(o[2], 100 * (t % 3 + 1));
        CHECK(o[3], 21000 + t);
        CHECK(o[4], (t & 15) * 3 + t + 1000);
        CHECK(o[5], ((t ^ 1) + 2) | ((t ^ 1) + 3) << 8);
        CHECK(o[6], t ^ 1);
        CHECK(o[7], 1 + 2 * (t % 3));
        CHECK(o[8], both + 2 * other + 4 * !both);
        CHECK(o[9], t);
        CHECK(o[10], t == 5 ? 10 : 7);
        CHECK(o[11], t != 13);
        if (t == 13) continue;
        CHECK(o[13], t + 790 + (t & 3) * 10001);
        CHECK(o[14], 1000 + 2 * t);
        CHECK(o[15], o[1]);
    }
    printf("%d wrong\n", bad);
    return bad != 0;
}
