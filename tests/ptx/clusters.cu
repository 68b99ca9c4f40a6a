// Inputs/clusters.ptx: clusters of several blocks: places, the window shared::cluster, mbarriers and bulk copies of other blocks, and the
// directives about clusters; launches by cuLaunchKernelEx, which are refused as CUDA refuses them.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s %S/Inputs/clusters.ptx -o %t.1 && %run %t.1 %S/Inputs/clusters.ptx
// RUN: %cucpu --simd=8 %s %S/Inputs/clusters.ptx -o %t.8 && %run %t.8 %S/Inputs/clusters.ptx
// RUN: %also { %cucpu --simd=32 %s %S/Inputs/clusters.ptx -o %t.32 && %run %t.32 %S/Inputs/clusters.ptx; }
// RUN: env CUCPU_NUM_THREADS=3 %run %t.8 %S/Inputs/clusters.ptx
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include "Inputs/pinned.h"

typedef uint32_t u32;
typedef uint64_t u64;
static CUmodule module_;
static int bad;

#define CHECK(got, want) ((u64)(got) != (u64)(want) ? (void)(bad++, printf("line %d: %llx instead of %llx\n", __LINE__, (long long)(got), (long long)(want))) : (void)0)

struct Dim {
    unsigned x, y, z;
};

static int start(const char *name, Dim grid, unsigned threads, Dim cluster, void **args) {
    CUfunction f;
    CUlaunchAttribute a = {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    a.value.clusterDim = {cluster.x, cluster.y, cluster.z};
    CUlaunchConfig c = {grid.x, grid.y, grid.z, threads, 1, 1, 0, 0, &a, cluster.x ? 1u : 0u};
    int r = cuModuleGetFunction(&f, module_, name);
    if (!r) r = cuLaunchKernelEx(&c, f, args, nullptr);
    return r ? r : cuCtxSynchronize();
}

static void places() {
    u32 *out = pinned(6 * 4 * 8);
    void *p = out, *args[] = {&p};
    CHECK(start("places", {6, 4, 1}, 1, {3, 2, 1}, args), 0);
    for (u32 b = 0; b < 24; b++) {
        const u32 *o = out + 8 * b, x = b % 6, y = b / 6;
        const u32 want[] = {y % 2 * 3 + x % 3, 6, x % 3, y % 2, x / 3, y / 2, 2, 21};
        for (int i = 0; i < 8; i++) CHECK(o[i], want[i]);
    }
    CHECK(start("places", {5, 1, 1}, 1, {0, 0, 0}, args), 0);
    for (u32 b = 0; b < 5; b++) {
        const u32 want[] = {0, 1, 0, 0, b, 0, 5, 10};
        for (int i = 0; i < 8; i++) CHECK(out[8 * b + i], want[i]);
    }
    CHECK(start("fixed", {4, 3, 1}, 1, {0, 0, 0}, args), 0);
    for (u32 b = 0; b < 12; b++) CHECK(out[b], 600 + b / 4 * 2 + b % 2);
    CHECK(start("fixed", {4, 3, 1}, 1, {2, 3, 1}, args), 0);
}

static void refused() {
    u32 *out = pinned(1);
    void *p = out, *args[] = {&p};
    CHECK(start("fixed", {6, 3, 1}, 1, {3, 3, 1}, args), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CHECK(start("fixed", {3, 3, 1}, 1, {0, 0, 0}, args), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CHECK(start("named", {4, 1, 1}, 1, {0, 0, 0}, args), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CHECK(start("named", {4, 1, 1}, 1, {2, 1, 1}, args), 0);
    CHECK(start("small", {4, 1, 1}, 1, {4, 1, 1}, args), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CHECK(start("small", {4, 1, 1}, 1, {2, 1, 1}, args), 0);
    CUfunction f;
    int n = 0;
    CHECK(cuModuleGetFunction(&f, module_, "named"), 0);
    CHECK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, f), 0);
    CHECK(n, 1);
    CHECK(cuModuleGetFunction(&f, module_, "fixed"), 0);
    CHECK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, f), 0);
    CHECK(n, 1);
    CHECK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, f), 0);
    CHECK(n, 3);
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 3), 0);
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 2), CUDA_ERROR_NOT_PERMITTED);
}

static void window(u32 cluster) {
    u32 *out = pinned(8 * 64);
    void *p = out, *args[] = {&p};
    CHECK(start("window", {8, 1, 1}, 50, {cluster, 1, 1}, args), 0);
    u32 size = cluster ? cluster : 1;
    for (u32 b = 0; b < 8; b++)
        for (u32 t = 0; t < 50; t++) CHECK(out[b * 50 + t], 3 * ((b / size * size + (b + 1) % size) * 1000 + t));
}

static void remote() {
    u32 *out = pinned(3 * 9);
    void *p = out, *args[] = {&p};
    CHECK(start("remote", {12, 1, 1}, 40, {0, 0, 0}, args), 0);
    for (u32 i = 0; i < 27; i++) CHECK(out[i], 71 + i % 9 / 3 + (i % 3 == 2 ? 5 : 0));
}

static void multicast() {
    u32 *out = pinned(8 * 32), *in = pinned(32);
    for (u32 i = 0; i < 32; i++) in[i] = 3 * i + 1;
    void *p = out, *q = in, *args[] = {&p, &q};
    CHECK(start("multicast", {8, 1, 1}, 32, {0, 0, 0}, args), 0);
    for (u32 i = 0; i < 8 * 32; i++) CHECK(out[i], i / 32 % 4 == 2 ? 9 : 3 * (i % 32) + 1);
}

int main(int, char **argv) {
    CUdevice d;
    CUcontext c;
    if (cuInit(0) || cuDeviceGet(&d, 0) || cuCtxCreate(&c, 0, d) || cuModuleLoad(&module_, argv[1])) return 1;
    places();
    refused();
    window(0);
    window(4);
    window(8);
    remote();
    multicast();
    printf("%d wrong\n", bad);
    return bad != 0;
}
