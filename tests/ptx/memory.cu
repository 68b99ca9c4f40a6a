// Inputs/memory.ptx: state spaces, start values, parameters, calls, atomics, functions of the warp.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s %S/Inputs/memory.ptx -o %t.1 && %run %t.1 %S/Inputs/memory.ptx
// RUN: %also { %cucpu --simd=8 %s %S/Inputs/memory.ptx -o %t.8 && %run %t.8 %S/Inputs/memory.ptx; }
// RUN: %also { %cucpu --simd=16 %s %S/Inputs/memory.ptx -o %t.16 && %run %t.16 %S/Inputs/memory.ptx; }
// RUN: %also { %cucpu --simd=32 %s %S/Inputs/memory.ptx -o %t.32 && %run %t.32 %S/Inputs/memory.ptx; }
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include "Inputs/pinned.h"

typedef uint32_t u32;
typedef uint64_t u64;
static CUmodule module_;
static int bad;

#define CHECK(got, want) ((u64)(got) != (u64)(want) ? (void)(bad++, printf("line %d: %llx instead of %llx\n", __LINE__, (long long)(got), (long long)(want))) : (void)0)

static void launch(const char *name, unsigned threads, unsigned shared, void **args) {
    CUfunction f;
    int r = cuModuleGetFunction(&f, module_, name);
    if (!r) r = cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, shared, 0, args, 0);
    if (!r) r = cuCtxSynchronize();
    if (r) bad++, printf("%s: error %d\n", name, r);
}

static void variables() {
    u32 *out = pinned(12);
    void *p = out, *args[] = {&p};
    launch("variables", 1, 0, args);
    static const u32 want[12] = {7, 0x33, 0x40800000, 500, 40, 7, 2, 7, 2, 1, 20, 4};
    for (int i = 0; i < 12; i++) CHECK(out[i], want[i]);
    CUdeviceptr at;
    size_t bytes;
    CHECK(cuModuleGetGlobal(&at, &bytes, module_, "counter"), 0);
    CHECK(bytes, 4);
    u32 eleven = 11;
    CHECK(cuMemcpyHtoD(at, &eleven, 4), 0);
    launch("variables", 1, 0, args);
    CHECK(out[0], 11);
    CHECK(out[7], 11);
    CHECK(cuModuleGetGlobal(&at, &bytes, module_, "weights"), 0);
    CHECK(bytes, 16);
    CHECK(cuModuleGetGlobal(&at, &bytes, module_, "nothing"), CUDA_ERROR_NOT_FOUND);
}

static void calls() {
    u64 *out = pinned<u64>(200), pair[2] = {1000, 2000};
    void *p = out, *args[] = {&p, pair};
    launch("calls", 100, 0, args);
    for (u64 i = 0; i < 100; i++) {
        CHECK(out[2 * i], i > 50 ? 0 : 2000 + 4 * i);
        CHECK(out[2 * i + 1], i > 50 ? 0 : 1000);
    }
}

static void shared() {
    u32 *out = pinned(256);
    void *p = out, *args[] = {&p};
    launch("shared", 64, 64 * 4, args);
    for (u32 i = 0; i < 64; i++) {
        u32 a = (i + 1) % 64, b = 1000 + a;
        CHECK(out[4 * i], i & 1 ? a : b);
        CHECK(out[4 * i + 1], b);
        CHECK(out[4 * i + 2], 1);
        CHECK(out[4 * i + 3], 5);
    }
}

static void atomics() {
    u32 *data = pinned(16), *old = pinned(96);
    data[3] = 50, data[7] = 1, data[8] = 5;
    void *p = data, *q = old, *args[] = {&p, &q};
    launch("atomics", 96, 0, args);
    u32 seen = 0, x = 0, dec = 0;
    for (u32 i = 0; i < 96; i++) seen += old[i], x ^= i, dec = dec == 0 || dec > 9 ? 9 : dec - 1;
    float sum;
    memcpy(&sum, &data[9], 4);
    static const u32 want[9] = {96, 95 * 48, 95, 0, 96 % 10, 0, 0, 77, 6};
    for (int i = 0; i < 9; i++)
        if (i != 5 && i != 6) CHECK(data[i], want[i]);
    CHECK(data[5], dec);
    CHECK(data[6], x);
    CHECK(seen, 95 * 48);
    CHECK((u32)sum, 95 * 48);
    CHECK(data[10], 288);
    CHECK(data[12], 0x5a005600); /* 192 and 96 as half */
    float two[2];
    memcpy(two, &data[14], 8);
    CHECK((u32)two[0], 95 * 48);
    CHECK((u32)two[1], 48);
}

static void warps() {
    u32 *out = pinned(64 * 16);
    void *p = out, *args[] = {&p};
    launch("warps", 64, 0, args);
    for (u32 t = 0; t < 64; t++) {
        u32 *o = out + 16 * t, lane = t % 32, first = t - lane;
        CHECK(o[0], lane + 4 < 32 ? 3 * (t + 4) + 100000 : 3 * t);
        CHECK(o[1], lane % 8 >= 2 ? 3 * (t - 2) + 100000 : 3 * t);
        CHECK(o[2], 3 * (t ^ 1));
        CHECK(o[3], 3 * (first + lane / 8 * 8 + 1));
        CHECK(o[4], 0xffe00000u);
        CHECK(o[5], 1);
        CHECK(o[6], 0xffu << (lane / 8 * 8));
        CHECK(o[7], 0);
        CHECK(o[8], 496);
        CHECK(o[9], 31);
        CHECK(o[10], 0xffffffffu);
        CHECK(o[11], 0);
        CHECK(o[12], lane == 0);
        CHECK(o[13], (1u << lane) - 1);
    }
}

static void vectors() {
    u32 *out = pinned(64);
    void *p = out;
    unsigned char small = 200;
    short middle = -3;
    double real = 17.9;
    void *args[] = {&p, &small, &middle, &real};
    launch("vectors", 64, 0, args);
    for (u32 t = 0; t < 64; t++) CHECK(out[t], t + 200000 - 3 + 17);
    CUfunction f;
    cuModuleGetFunction(&f, module_, "vectors");
    CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0) != 0, 1); /* .reqntid */
    struct {
        void *p;
        unsigned char small;
        short middle;
        double real;
    } packed = {out, 1, 2, 3};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, 0, extra), 0);
    CHECK(cuCtxSynchronize(), 0);
    CHECK(out[10], 10 + 1000 + 2 + 3);
    int value = 0;
    CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f), 0);
    CHECK(cuModuleGetFunction(&f, module_, "twice"), CUDA_ERROR_NOT_FOUND);
}

int main(int, char **argv) {
    CUcontext context;
    CHECK(cuInit(0), 0);
    CHECK(cuCtxCreate(&context, 0, 0), 0);
    CHECK(cuModuleLoad(&module_, argv[1]), 0);
    if (bad) return 1;
    variables(), calls(), shared(), atomics(), warps(), vectors();
    CHECK(cuModuleUnload(module_), 0);
    printf("%d wrong\n", bad);
    return bad != 0;
}
