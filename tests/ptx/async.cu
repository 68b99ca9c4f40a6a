// Inputs/async.ptx: bar.arrive, bar.red of some threads, mbarriers, copies, bulk copies, clusters, alloca, redux of floats, aliases, several results, atomics of bfloat16, the grid's barrier.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s %S/Inputs/async.ptx -o %t.1 && %run %t.1 %S/Inputs/async.ptx
// RUN: %also { %cucpu --simd=8 %s %S/Inputs/async.ptx -o %t.8 && %run %t.8 %S/Inputs/async.ptx; }
// RUN: %also { %cucpu --simd=16 %s %S/Inputs/async.ptx -o %t.16 && %run %t.16 %S/Inputs/async.ptx; }
// RUN: %also { %cucpu --simd=32 %s %S/Inputs/async.ptx -o %t.32 && %run %t.32 %S/Inputs/async.ptx; }
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include "Inputs/pinned.h"

typedef uint32_t u32;
typedef uint64_t u64;
static CUmodule module_;
static int bad;

#define CHECK(got, want) ((u64)(got) != (u64)(want) ? (void)(bad++, printf("line %d: %llx instead of %llx\n", __LINE__, (long long)(got), (long long)(want))) : (void)0)

static void launch(const char *name, unsigned blocks, unsigned threads, void **args) {
    CUfunction f;
    int r = cuModuleGetFunction(&f, module_, name);
    if (!r && blocks == 1) r = cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, 0, args, 0);
    if (!r && blocks > 1) r = cuLaunchCooperativeKernel(f, blocks, 1, 1, threads, 1, 1, 0, 0, args);
    if (!r) r = cuCtxSynchronize();
    if (r) bad++, printf("%s: error %d\n", name, r);
}

static void arrive() {
    u32 *out = pinned(128);
    void *p = out, *args[] = {&p};
    launch("arrive", 1, 128, args);
    for (u32 t = 0; t < 128; t++) CHECK(out[t], t < 64 ? 0 : 40 * (t - 64) + 6);
}

static void cancel() {
    u32 *out = pinned(64);
    void *p = out, *args[] = {&p};
    launch("cancel", 1, 64, args);
    for (u32 t = 0; t < 64; t++) CHECK(out[t], 2);
}

static void mbarriers() {
    u32 *out = pinned(128);
    void *p = out, *args[] = {&p};
    launch("mbarriers", 1, 64, args);
    u32 seen = 0;
    for (u32 t = 0; t < 64; t++) {
        CHECK(out[2 * t] % 1000000, 28 * (t ^ 33) + 6);
        CHECK(out[2 * t + 1], 2);
        seen += out[2 * t] / 1000000; /* how many were missing when each arrived */
    }
    CHECK(seen, 64 * 65 / 2);
}

static void calls() {
    u32 *out = pinned(4 * 40);
    u64 in = 0x700000000ull - 20;
    void *p = out, *args[] = {&p, &in};
    launch("calls", 1, 40, args);
    for (u32 t = 0; t < 40; t++) {
        CHECK(out[4 * t], 2 * (u32)(in + t));
        CHECK(out[4 * t + 1], (in + t) >> 32);
        CHECK(out[4 * t + 2], (in + t) & 1);
    }
}

static void copies() {
    u32 *out = pinned(64), *in = pinned(64);
    for (u32 t = 0; t < 64; t++) in[t] = 100 + t;
    void *p = out, *q = in, *args[] = {&p, &q};
    launch("copies", 1, 64, args);
    for (u32 t = 0; t < 64; t++) CHECK(out[t], ((t ^ 3) & 1 ? 0 : 100 + (t ^ 3)) + 1);
}

static void small() {
    alignas(8) uint16_t data[6] = {0};
    void *p = data, *args[] = {&p};
    launch("small", 1, 96, args);
    for (int i = 0; i < 6; i++) CHECK(data[i], 0x42c0); /* 96 */
}

static void grid() {
    u32 *out = pinned(48);
    void *p = out, *args[] = {&p};
    launch("grid", 24, 64, args);
    for (u32 i = 0; i < 24; i++) {
        CHECK(out[i], i + 5);
        CHECK(out[24 + i], 23 * 12 + 24 * 5);
    }
}

static void bulk() {
    u32 *out = pinned(256), *in = pinned(64);
    for (u32 t = 0; t < 64; t++) in[t] = 0x1234567 * (t + 1);
    for (u32 t = 0; t < 256; t++) out[t] = t;
    void *p = out, *q = in, *args[] = {&p, &q};
    launch("bulk", 1, 64, args);
    for (u32 t = 0; t < 64; t++) {
        u32 x = 2 * in[t], left[4] = {256, 512, 7, 0};
        CHECK(out[t], x);
        CHECK(out[64 + t], 64 + t + x);
        CHECK(out[128 + t], (x & 0xff00ff00) | ((128 + t) & 0x00ff00ff));
        CHECK(out[192 + t], t < 4 ? left[t] : 0);
    }
}

static void some() {
    u32(*out)[3] = (u32(*)[3])pinned(96 * 3);
    void *p = out, *args[] = {&p};
    launch("some", 1, 96, args);
    for (u32 t = 0; t < 96; t++) {
        CHECK(out[t][0], t < 64 ? 22 : 31);
        CHECK(out[t][1], t >= 64);
        CHECK(out[t][2], 1);
    }
}

static void own() {
    u32 *out = pinned(70);
    void *p = out, *args[] = {&p};
    launch("own", 1, 70, args);
    for (u32 t = 0; t < 70; t++) CHECK(out[t], 3000 + 3 * t);
}

static void extremes() {
    alignas(16) float out[32][4], in[32];
    for (int t = 0; t < 32; t++) in[t] = t == 3 ? __builtin_nanf("") : t == 9 ? -70.5f : t == 20 ? 64.25f : 3.0f - t;
    void *p = out, *q = in, *args[] = {&p, &q};
    launch("extremes", 1, 32, args);
    for (int t = 0; t < 32; t++) CHECK(out[t][0] == -70.5f && out[t][1] == 64.25f && out[t][2] != out[t][2] && out[t][3] == 70.5f, 1);
}

int main(int, char **argv) {
    CUcontext context;
    CHECK(cuInit(0), 0);
    CHECK(cuCtxCreate(&context, 0, 0), 0);
    CHECK(cuModuleLoad(&module_, argv[1]), 0);
    if (bad) return 1;
    cancel();
    arrive(), mbarriers(), calls(), copies(), small(), grid(), bulk(), some(), own(), extremes();
    printf("%d wrong\n", bad);
    return bad != 0;
}
