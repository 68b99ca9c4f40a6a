// Functions of floats under -ftz=true: right up to both ends of the exponents, no denormals but from fmaf_ieee.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -ftz=true
// RUN: %also { %cucpu -O3 -ftz=true --cpu=x86-64-v2 %s -o %t.v2 && %t.v2; }
// RUN: %also { %cucpu -O3 -ftz=true --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
// RUN: %cucpu -O3 -DKEPT %s -o %t.kept && %t.kept
#include "check.h"
#include <algorithm>
#include <cfenv>
#include <climits>

enum { N = 4096 };
struct Results {
    float atan2, hypot, fmod, remainder, next, mantissa, exponent, root, sum[3], product[3], quotient[3], reciprocal[3], ieee[4];
};

__global__ void functions(const float *a, const float *b, const float *c, Results *out) {
    unsigned i = global_rank();
    float x = a[i], y = b[i], z = c[i];
    Results r;
    int e;
    r.atan2 = atan2f(x, y), r.hypot = hypotf(x, y), r.fmod = fmodf(x, y), r.remainder = remainderf(x, y), r.next = nextafterf(x, y);
    r.mantissa = frexpf(x, &e), r.exponent = float(e), r.root = __frsqrt_rn(x);
    r.sum[0] = __fadd_ru(x, y), r.sum[1] = __fadd_rd(x, y), r.sum[2] = __fadd_rz(x, y);
    r.product[0] = __fmul_ru(x, y), r.product[1] = __fmul_rd(x, y), r.product[2] = __fmul_rz(x, y);
    r.quotient[0] = __fdiv_ru(x, y), r.quotient[1] = __fdiv_rd(x, y), r.quotient[2] = __fdiv_rz(x, y);
    r.reciprocal[0] = __frcp_ru(x), r.reciprocal[1] = __frcp_rd(x), r.reciprocal[2] = __frcp_rz(x);
    r.ieee[0] = __fmaf_ieee_ru(x, y, z), r.ieee[1] = __fmaf_ieee_rd(x, y, z), r.ieee[2] = __fmaf_ieee_rz(x, y, z);
    r.ieee[3] = __fmaf_ieee_rn(x, y, z);
    out[i] = r;
}

static float flush(float x) {
#ifdef KEPT
    return x;
#else
    return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
#endif
}

static bool near(float got, long double want, int ulps) {
    if (want != want) return got != got;
    float rounded = flush(float(want));
    int exponent;
    std::frexp(rounded, &exponent);
    if (std::fabs(want) < 0x1p-126L && got == 0) return true;
    return got == rounded || std::fabs(got - want) <= ulps * std::ldexp(1.0L, std::max(exponent - 24, -149));
}
static bool same(float got, float want) { return got == want ? std::signbit(got) == std::signbit(want) : got != got && want != want; }

// What the operation gives in a rounding mode; volatile: not at compile time.
template <class F> static float rounded(int mode, F operation) {
    std::fesetround(mode);
    volatile float r = operation();
    std::fesetround(FE_TONEAREST);
    return r;
}

static void check(float a, float b, float c, const Results &r) {
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    volatile float x = flush(a), y = flush(b), whole_a = a, whole_b = b, whole_c = c;
    CHECK(near(r.atan2, atan2l(x, y), 3));
    CHECK(near(r.hypot, hypotl(x, y), 3));
    CHECK(same(r.fmod, flush(fmodf(x, y))));
    float rest = flush(remainderf(x, y));
    CHECK(r.remainder == rest || (rest != rest && r.remainder != r.remainder));
#ifndef KEPT
    float next = x == 0 && y != 0 && y == y ? std::copysign(0x1p-126f, y) : nextafterf(x, y);
    CHECK(same(r.next, flush(next)));
#endif
    int e;
    float m = frexpf(x, &e);
    CHECK(same(r.mantissa, m) && (r.exponent == e || !std::isfinite(x)));
    CHECK(same(r.root, flush(float(1 / std::sqrt(double(x))))));
    for (int k = 0; k < 3; k++) {
        CHECK(same(r.sum[k], flush(rounded(modes[k], [&] { return x + y; }))));
        CHECK(same(r.product[k], flush(rounded(modes[k], [&] { return x * y; }))));
        CHECK(same(r.quotient[k], flush(rounded(modes[k], [&] { return x / y; }))));
        CHECK(same(r.reciprocal[k], flush(rounded(modes[k], [&] { return 1 / x; }))));
    }
    for (int k = 0; k < 4; k++) CHECK(same(r.ieee[k], rounded(modes[k], [&] { return fmaf(whole_a, whole_b, whole_c); })));
}

static float some(unsigned long long &seed) {
    static const float ends[] = {0,         0x1p-149f,       0x1p-126f, 0x1.fffffcp-127f, 0x1.2p-130f, 1, 1.5f, 0x1p-63f, 0x1.8p-70f, 3e-39f, 0x1.fffffep-126f,
                                 INFINITY, 0x1.fffffep127f, 0x1p127f,  0x1.8p126f,       0x1p100f,    7, NAN,  0x1p-90f, 0x1p63f,    1e-20f, 0x1p-100f};
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    unsigned bits = unsigned(seed >> 32), kind = unsigned(seed >> 28) & 3;
    float x = kind == 0 ? ends[bits % 22] : kind == 1 ? ldexpf(1 + (bits & 0x7fffff) * 0x1p-23f, int(bits >> 24) % 50 - 130)
                                          : ldexpf(1 + (bits & 0x7fffff) * 0x1p-23f, int(bits >> 24) - 127);
    return seed & (1 << 27) ? -x : x;
}

int main() {
    unsigned long long seed = 1;
    std::vector<float> a(N), b(N), c(N);
    for (int i = 0; i < N; i++) a[i] = some(seed), b[i] = some(seed), c[i] = some(seed);
    Buffer<float> da(a), db(b), dc(c);
    Buffer<Results> out(N);
    functions<<<N / 128, 128>>>(da, db, dc, out);
    auto got = out.get();
    for (int i = 0; i < N; i++) {
        int before = failures;
        check(a[i], b[i], c[i], got[i]);
        if (failures > before && failures < 20) std::printf("... with %a, %a, %a\n", a[i], b[i], c[i]);
    }
    return finish();
}
