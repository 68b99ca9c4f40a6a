// Inputs/wgmma.py: wgmma of all types, a in registers and in shared memory, all layouts of matrices, against a host reference.
// REQUIRES: run
// RUN: %python %S/Inputs/wgmma.py > %t.ptx
// RUN: %cucpu --simd=16 %s %t.ptx -o %t && %run %t %t.ptx
// RUN: %also { %cucpu --simd=1 %s %t.ptx -o %t.1 && %run %t.1 %t.ptx; }
// RUN: %also { %cucpu --simd=32 %s %t.ptx -o %t.32 && %run %t.32 %t.ptx; }
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <vector>
#include "Inputs/pinned.h"

typedef uint32_t u32;
typedef uint64_t u64;
enum { BYTES = 16384 };
static CUmodule module_;
static int bad;
static u32 state = 7;
static u32 next_random() { return state = state * 1664525 + 1013904223, state >> 8; }

enum Type { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1 };
static const int bits_of[] = {16, 16, 32, 8, 8, 8, 8, 1};

static float power(int n) { return std::ldexp(1.0f, n); }
static double value(Type t, u32 x) {
    switch (t) {
    case F16: return (x & 0x8000 ? -1 : 1) * (1 + (x & 1023) / 1024.0) * power((int)(x >> 10 & 31) - 15);
    case BF16: return (x & 0x8000 ? -1 : 1) * (1 + (x & 127) / 128.0) * power((int)(x >> 7 & 255) - 127);
    case TF32: {
        float f;
        x &= 0xffffe000, memcpy(&f, &x, 4);
        return f;
    }
    case E4M3: return (x & 128 ? -1 : 1) * (1 + (x & 7) / 8.0) * power((int)(x >> 3 & 15) - 7);
    case E5M2: return (x & 128 ? -1 : 1) * (1 + (x & 3) / 4.0) * power((int)(x >> 2 & 31) - 15);
    case S8: return (int8_t)x;
    case U8: return (uint8_t)x;
    default: return x & 1;
    }
}
/* Bits of a value near one: sums are exact in float. */
static u32 random_bits(Type t) {
    u32 r = next_random();
    switch (t) {
    case F16: return (r & 0x8000) | (14 + r % 3) << 10 | (r >> 3 & 7) << 7;
    case BF16: return (r & 0x8000) | (126 + r % 3) << 7 | (r >> 3 & 7) << 4;
    case TF32: return (r & 1) << 31 | (126 + r % 3) << 23 | (r >> 3 & 7) << 20 | (r >> 5 & 0x1fff);
    case E4M3: return (r & 128) | (6 + r % 3) << 3 | (r >> 8 & 7);
    case E5M2: return (r & 128) | (14 + r % 3) << 2 | (r >> 8 & 3);
    case B1: return r >> 3 & 1;
    default: return r & 255;
    }
}

/* ---- layouts: swizzle: units of 16 bytes in a row of the pattern: 1 (none), 2, 4, 8 ---- */

struct Layout {
    bool columns; /* memory holds lines along m or n */
    u32 units, leading, stride;
};

/* The byte of element (line, k); bits: of the element. */
static u32 place(const Layout &l, u32 start, u32 line, u32 k, int bits) {
    u32 across = l.columns ? line : k, along = l.columns ? k : line, per = 128 / (u32)bits, at;
    u32 unit = across / per, inner = across % per * (u32)bits / 8;
    if (l.units == 1) at = along % 8 * 16 + (l.columns ? along / 8 * l.leading + unit * l.stride : along / 8 * l.stride + unit * l.leading);
    else at = along % 8 * 16 * l.units + along / 8 * l.stride + unit % l.units * 16 + unit / l.units * l.leading;
    at += start;
    return (at ^ (at / 128 % l.units) * 16) + inner;
}
static u64 descriptor(const Layout &l, u32 start) {
    u64 mode = l.units == 8 ? 1 : l.units == 4 ? 2 : l.units == 2 ? 3 : 0;
    return start / 16 | (u64)(l.leading / 16) << 16 | (u64)(l.stride / 16) << 32 | mode << 62;
}

/* The layout of a matrix of so many lines in which nothing overlaps. */
static Layout layout(bool columns, u32 units, u32 lines, u32 k, int bits) {
    u32 per = 128 / (u32)bits;
    Layout l = {columns, units, 0, 0};
    if (units == 1) {
        l.leading = columns ? lines / per * 128 + 128 : 128;
        l.stride = columns ? 128 : k / per * 128;
    } else {
        l.stride = 8 * 16 * units;
        l.leading = columns ? k / 8 * l.stride : 16;
    }
    return l;
}

struct Form {
    const char *name;
    u32 n, k;
    Type a, b;
    bool half, integer, registers, columns_a, columns_b, saturate;
    int sign;
    u32 units_a, units_b;
};

static void put_bits(unsigned char *to, u32 v, int bits, u32 k) {
    if (bits == 1) to[0] = (unsigned char)((to[0] & ~(1u << k % 8)) | v << k % 8);
    else memcpy(to, &v, (size_t)bits / 8);
}

static float half_value(uint16_t h) {
    _Float16 f;
    memcpy(&f, &h, 2);
    return (float)f;
}

static void try_form(const Form &f, bool added) {
    int ba = bits_of[f.a], bb = bits_of[f.b];
    u32 regs = f.half ? f.n / 4 : f.n / 2;
    std::vector<u32> a(64 * f.k), b(f.n * f.k), in(2 * BYTES / 4), sums(128 * regs), words(512);
    for (auto &x : a) x = random_bits(f.a);
    for (auto &x : b) x = random_bits(f.b);
    Layout la = layout(f.columns_a, f.units_a, 64, f.k, ba), lb = layout(f.columns_b, f.units_b, f.n, f.k, bb);
    unsigned char *bytes = (unsigned char *)in.data();
    for (u32 k = 0; k < f.k; k++) {
        for (u32 m = 0; m < 64; m++) put_bits(bytes + place(la, 0, m, k, ba), a[m * f.k + k], ba, k);
        for (u32 n = 0; n < f.n; n++) put_bits(bytes + place(lb, BYTES, n, k, bb), b[n * f.k + k], bb, k);
    }
    for (u32 t = 0; t < 128; t++)
        for (u32 w = 0; w < 4; w++) { /* word w: row + 8 * (w & 1), elements from 4 words further on for w & 2 */
            u32 per = 32 / (u32)ba, row = t / 32 * 16 + t % 32 / 4 + 8 * (w & 1), k = ((w & 2) * 2 + t % 4) * per;
            for (u32 i = 0; i < per && f.registers; i++) words[4 * t + w] |= (a[row * f.k + k + i] & (ba == 32 ? ~0u : (1u << ba) - 1)) << i * (u32)ba;
        }
    for (auto &x : sums) {
        int v = (int)(next_random() % 64) - 32;
        float real = (float)v;
        if (f.half) x = 0x3c00 | 0x4100u << 16;
        else if (f.integer) x = f.saturate && next_random() % 2 ? 0x7fffff00 : (u32)v;
        else memcpy(&x, &real, 4);
    }
    u32 *d_in = pinned(2 * BYTES / 4), *d_sums = pinned(128 * regs), *d_words = pinned(512);
    memcpy(d_in, in.data(), 2 * BYTES), memcpy(d_sums, sums.data(), 4 * sums.size()), memcpy(d_words, words.data(), 2048);
    u64 da = descriptor(la, 0), db = descriptor(lb, BYTES);
    u32 flag = added;
    void *args[] = {&d_in, &d_sums, &d_words, &da, &db, &flag};
    CUfunction kernel;
    int r = cuModuleGetFunction(&kernel, module_, f.name);
    if (!r) r = cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, 0, args, 0);
    if (!r) r = cuCtxSynchronize();
    if (r) bad++, printf("%s: error %d\n", f.name, r);
    int wrong = 0;
    for (u32 t = 0; t < 128; t++)
        for (u32 i = 0; i < f.n / 2; i++) {
            u32 row = t / 32 * 16 + t % 32 / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + t % 4 * 2 + i % 2;
            u32 word = t * regs + (f.half ? i / 2 : i);
            double sum = 0, got, old;
            for (u32 k = 0; k < f.k; k++)
                sum += value(f.a, a[row * f.k + k]) * value(f.b, b[column * f.k + k]);
            float real;
            memcpy(&real, &sums[word], 4);
            old = f.half ? half_value((uint16_t)(sums[word] >> i % 2 * 16)) : f.integer ? (double)(int)sums[word] : real;
            sum = f.sign * sum + (added ? old : 0);
            if (f.saturate && sum > 2147483647.0) sum = 2147483647.0;
            memcpy(&real, &d_sums[word], 4);
            got = f.half ? half_value((uint16_t)(d_sums[word] >> i % 2 * 16)) : f.integer ? (double)(int)d_sums[word] : real;
            if (f.half) sum = (float)(_Float16)sum;
            if (got != sum && !wrong++) printf("%s: row %u, column %u: %.12g instead of %.12g\n", f.name, row, column, got, sum);
        }
    bad += wrong != 0;
}

int main(int, char **argv) {
    CUdevice device;
    CUcontext context;
    cuInit(0), cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
    if (cuModuleLoad(&module_, argv[1])) return 1;
    static const Form forms[] = {
        {"f16_ss", 32, 16, F16, F16, 0, 0, 0, 0, 0, 0, 1, 8, 8},     {"f16_ss", 32, 16, F16, F16, 0, 0, 0, 0, 0, 0, 1, 4, 2},
        {"f16_ss", 32, 16, F16, F16, 0, 0, 0, 0, 0, 0, 1, 2, 1},     {"f16_tt", 32, 16, F16, F16, 0, 0, 0, 1, 1, 0, -1, 8, 4},
        {"f16_tt", 32, 16, F16, F16, 0, 0, 0, 1, 1, 0, -1, 1, 1},    {"f16_tt", 32, 16, F16, F16, 0, 0, 0, 1, 1, 0, -1, 4, 2},
        {"f16_half", 16, 16, F16, F16, 1, 0, 0, 0, 1, 0, 1, 8, 2},   {"f16_rs", 128, 16, F16, F16, 0, 0, 1, 0, 1, 0, -1, 8, 8},
        {"bf16_ss", 24, 16, BF16, BF16, 0, 0, 0, 0, 0, 0, 1, 8, 4},  {"tf32_ss", 16, 8, TF32, TF32, 0, 0, 0, 0, 0, 0, 1, 8, 1},
        {"tf32_rs", 8, 8, TF32, TF32, 0, 0, 1, 0, 0, 0, 1, 8, 4},    {"fp8_ss", 40, 32, E4M3, E5M2, 0, 0, 0, 0, 0, 0, 1, 8, 2},
        {"fp8_rs", 8, 32, E5M2, E4M3, 1, 0, 1, 0, 0, 0, 1, 8, 4},    {"int_ss", 48, 32, S8, U8, 0, 1, 0, 0, 0, 0, 1, 8, 2},
        {"int_rs", 8, 32, U8, S8, 0, 1, 1, 0, 0, 1, 1, 8, 8},        {"bit_ss", 8, 256, B1, B1, 0, 1, 0, 0, 0, 0, 1, 8, 2}};
    for (auto &f : forms) try_form(f, true), try_form(f, false);
    if (bad) printf("%d wrong\n", bad);
    return bad != 0;
}
