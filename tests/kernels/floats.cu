// Float arithmetic: NaN, infinities, denormals, min and max, rounding modes, contraction.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

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

/* x * y + z may be contracted or not, nothing else */
__global__ void contract(const float *x, const float *y, float *out) {
    unsigned i = global_rank();
    out[i] = x[i] * y[i] + out[i];
}

static bool same_float(float a, float b) { return (std::isnan(a) && std::isnan(b)) || !std::memcmp(&a, &b, 4); }

/* CUDA: a zero of either sign is a right minimum of both zeros */
static bool same_number(float a, float b) { return same_float(a, b) || a == b; }

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
