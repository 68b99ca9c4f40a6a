// Float arithmetic: NaN, infinities, denormals, min and max, rounding modes, contraction.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void compare(const float *a, const float *b, unsigned *out, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    float x = a[i], y = b[i];
    unsigned r = 0;
    r |= (x < y) << 0 | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5;
    r |= (!(x < y)) << 6 | (isnan(x) && __isnanf(x) && __isnan(x) ? 1u : 0u) << 7;
    r |= (isinf(x) && __isinff(x) && !__finitef(x) ? 1u : 0u) << 8 | (signbit(x) && __signbitf(x) ? 1u : 0u) << 9;
    r |= (isfinite(y) ? 1u : 0u) << 10;
    out[i] = r;
}

__global__ void arithmetic(const float *a, const float *b, float *out, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    float x = a[i], y = b[i], *o = out + 10 * i;
    o[0] = __fadd_rn(x, y);
    o[1] = __fmul_rn(x, y);
    o[2] = x / y;
    o[3] = fminf(x, y);
    o[4] = fmaxf(x, y);
    o[5] = sqrtf(x);
    o[6] = fmaf(x, y, 1.0f);
    o[7] = x - y;
    o[8] = copysignf(x, y);
    o[9] = fabsf(x);
}

/* Minima and maxima of halves know the sign of zero, and give the canonical NaN. */
template <typename H> __global__ void extremes(const float *a, const float *b, unsigned *out, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    H x = a[i], y = b[i];
    out[2 * i] = __builtin_bit_cast(unsigned short, __hmax(x, y)) | __builtin_bit_cast(unsigned short, __hmin(x, y)) << 16;
    out[2 * i + 1] = __builtin_bit_cast(unsigned short, __hmax_nan(x, y)) | __builtin_bit_cast(unsigned short, __hfma_relu(x, y, x)) << 16;
}

/* Sums of pairs, each number rounded for itself. */
__global__ void packed(const float *a, const float *b, float2 *out, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    float2 x = {a[i], b[i]}, y = {b[i], 0.1f};
    float2 sum = __fadd2_rz(x, y), product = __fmul2_rn(x, y), both = __ffma2_rd(x, y, x);
    bool same = __float_as_int(sum.x) == __float_as_int(__fadd_rz(x.x, y.x)) && __float_as_int(product.y) == __float_as_int(__fmul_rn(x.y, y.y)) &&
                __float_as_int(both.y) == __float_as_int(__fmaf_rd(x.y, y.y, x.y));
    out[i] = {same ? 1.0f : 0.0f, 1.0f};
}

/* x * y + z may be contracted or not, nothing else */
__global__ void contract(const float *x, const float *y, float *out) {
    unsigned i = global_rank();
    out[i] = x[i] * y[i] + out[i];
}

static bool same_float(float a, float b) { return (std::isnan(a) && std::isnan(b)) || !std::memcmp(&a, &b, 4); }

/* CUDA: a zero of either sign is a right minimum of both zeros */
static bool same_number(float a, float b) { return same_float(a, b) || a == b; }

template <typename H> static unsigned extreme_bits(float a, float b, unsigned part) {
    H x = a, y = b;
    unsigned u = __builtin_bit_cast(unsigned short, x), v = __builtin_bit_cast(unsigned short, y), nan = 0x7fff;
    float p = x, q = y, r = __hfma(x, y, x);
    bool zeros = p == 0 && q == 0, none = p != p && q != q, any = p != p || q != q;
    unsigned most = none ? nan : zeros ? u & v : p != p || q > p ? v : u, least = none ? nan : zeros ? u | v : p != p || q < p ? v : u;
    unsigned relu = r != r ? nan : r > 0 ? __builtin_bit_cast(unsigned short, __hfma(x, y, x)) : 0;
    return part ? (any ? nan : most) | relu << 16 : most | least << 16;
}

template <typename H> static void check_extremes(const std::vector<float> &a, const std::vector<float> &b) {
    const unsigned n = unsigned(a.size());
    Buffer<float> da(a), db(b);
    Buffer<unsigned> out(2 * n);
    extremes<H><<<(n + 63) / 64, 64>>>(da, db, out, n);
    auto got = out.get();
    for (unsigned i = 0; i < 2 * n; i++) CHECK(got[i] == extreme_bits<H>(a[i / 2], b[i / 2], i % 2));
    Buffer<float2> pairs(n);
    packed<<<(n + 63) / 64, 64>>>(da, db, pairs, n);
    auto same = pairs.get();
    for (unsigned i = 0; i < n; i++) CHECK(same[i].x == 1 || std::isnan(a[i]) || std::isnan(b[i]) || std::isinf(a[i]) || std::isinf(b[i]));
}

int main() {
    const float special[] = {0.0f, -0.0f, 1, -1, 1e-40f, -1e-45f, 1.17549435e-38f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN, 0.1f, 16777217.0f};
    std::vector<float> a, b;
    for (float x : special)
        for (float y : special) a.push_back(x), b.push_back(y);
    const unsigned n = unsigned(a.size());
    Buffer<float> da(a), db(b);
    for (unsigned threads : {1u, 33u, 256u}) {
        unsigned blocks = (n + threads - 1) / threads;
        Buffer<unsigned> flags(n);
        Buffer<float> results(10 * n);
        compare<<<blocks, threads>>>(da, db, flags, n);
        arithmetic<<<blocks, threads>>>(da, db, results, n);
        auto f = flags.get();
        auto r = results.get();
        for (unsigned i = 0; i < n; i++) {
            volatile float x = a[i], y = b[i];
            unsigned want = (x < y) << 0 | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5;
            want |= unsigned(!(x < y)) << 6 | unsigned(std::isnan(x)) << 7 | unsigned(std::isinf(x)) << 8;
            want |= unsigned(std::signbit(x)) << 9 | unsigned(std::isfinite(y)) << 10;
            CHECK(f[i] == want);
            const float *o = &r[10 * i];
            CHECK(same_float(o[0], x + y));
            CHECK(same_float(o[1], x * y));
            CHECK(same_float(o[2], x / y));
            CHECK(same_number(o[3], std::fmin(x, y)));
            CHECK(same_number(o[4], std::fmax(x, y)));
            CHECK(same_float(o[5], std::sqrt(x)));
            CHECK(same_float(o[6], std::fma(x, y, 1.0f)));
            CHECK(same_float(o[7], x - y));
            CHECK(std::isnan(x) || same_float(o[8], std::copysign(x, y)));
            CHECK(same_float(o[9], std::fabs(x)));
        }
    }
    check_extremes<__half>(a, b);
    check_extremes<__nv_bfloat16>(a, b);
    Random random(3);
    std::vector<float> x(256), y(256), z(256);
    for (int i = 0; i < 256; i++) x[i] = random.uniform(-2, 2), y[i] = random.uniform(-2, 2), z[i] = random.uniform(-2, 2);
    Buffer<float> dx(x), dy(y), dz(z);
    contract<<<1, 256>>>(dx, dy, dz);
    auto got = dz.get();
    for (int i = 0; i < 256; i++) {
        volatile float product = x[i] * y[i];
        CHECK(got[i] == std::fma(x[i], y[i], z[i]) || got[i] == product + z[i]);
    }
    return finish();
}
