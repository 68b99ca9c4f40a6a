/* math_test.cpp: the device library, compiled for the host, against __float128 references.
**
** For each function: random arguments over the stated ranges (log-uniform and uniform) and special
** values.  A result further from the reference than the bound (CUDA's documented one, in ulps of
** the exact result) fails.  Rounded operations are checked exactly.  Deterministic: fixed seed. */
#include <math.h>
#include <quadmath.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cpu-runtime/device/math.cu"
#include "cpu-runtime/device/rounding.cu"

typedef __float128 Quad;
static int failures;
static uint64_t state = 88172645463325252ull;
static uint64_t bits64() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 2685821657736338717ull;
}
static double uniform(double a, double b) { return a + (b - a) * (double)(bits64() >> 11) * 0x1p-53; }
static double log_uniform(double a, double b) { return exp(uniform(log(a), log(b))); }

/* ---- distance in units of the last place of T at the exact value ---- */
template <typename T> struct Format;
template <> struct Format<double> { enum { DIGITS = 53, MIN = -1074 }; };
template <> struct Format<float> { enum { DIGITS = 24, MIN = -149 }; };
template <typename T> static double ulps(T got, Quad exact) {
    if (isnanq(exact)) return got != got ? 0 : INFINITY;
    T rounded = (T)exact;
    if (isinf(rounded) || isinf(got)) return got == rounded ? 0 : INFINITY;
    if (got != got) return INFINITY;
    int e;
    (void)frexpq(exact, &e);
    int place = e - Format<T>::DIGITS;
    if (place < Format<T>::MIN || exact == 0) place = Format<T>::MIN;
    return (double)fabsq(ldexpq((Quad)got - exact, -place));
}

struct Worst {
    double ulps = 0, at = 0;
};
static void report(const char *name, Worst w, double bound) {
    bool ok = w.ulps <= bound;
    printf("%-4s %-16s %6.3f ulp of %g allowed, at %a\n", ok ? "ok" : "FAIL", name, w.ulps, bound, w.at);
    failures += !ok;
}
template <typename T, typename F, typename R>
static void check(const char *name, F f, R reference, double low, double high, bool logarithmic,
                  double bound, int n = 20000) {
    Worst w;
    for (int i = 0; i < n; i++) {
        T x = (T)(logarithmic ? log_uniform(low, high) : uniform(low, high));
        if (logarithmic && low > 0 && (i & 1) && bound < 0) x = -x;
        double d = ulps<T>(f(x), reference((Quad)x));
        if (!(d <= w.ulps)) w = Worst{d, (double)x};
    }
    report(name, w, bound);
}
#define SAME(a, b)                                                                                 \
    do {                                                                                           \
        auto va = (a);                                                                             \
        decltype(va) vb = (b);                                                                     \
        if (!(va != va && vb != vb) && memcmp(&va, &vb, sizeof va)) {                              \
            printf("FAIL %s: %a, not %a\n", #a, (double)va, (double)vb);                           \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* ---- references ---- */
static Quad q_erfcx(Quad x) {
    if (x < 80) return expq(x * x) * erfcq(x);
    Quad s = 1, t = 1;
    for (int k = 1; k < 12; k++) t *= -(2 * k - 1) / (2 * x * x), s += t;
    return s / (x * sqrtq(M_PIq));
}
static Quad q_erfcinv(Quad y) {
    if (y > 1) return -q_erfcinv(2 - y);
    Quad x = (Quad)__nv_erfcinv((double)y);
    if (y == 1) return 0;
    for (int i = 0; i < 4; i++) x += (erfcq(x) - y) * sqrtq(M_PIq) / 2 * expq(x * x);
    return x;
}
static Quad q_erfinv(Quad y) {
    Quad x = (Quad)__nv_erfinv((double)y);
    Quad a = y < 0 ? -y : y, s = y < 0 ? -x : x;
    for (int i = 0; i < 4; i++)
        s += (a > 0.5Q ? erfcq(s) - (1 - a) : a - erfq(s)) * sqrtq(M_PIq) / 2 * expq(s * s);
    return y < 0 ? -s : s;
}
static Quad q_bessel(Quad x, int order) {
    Quad t = order ? x / 2 : 1, s = t;
    for (int k = 1; k < 2000 && fabsq(t) > fabsq(s) * 1e-36Q; k++)
        t *= x * x / 4 / ((Quad)k * (k + order)), s += t;
    return s;
}
/* x = n/2 + r exactly, then the quadrant; zeros are exact. */
static Quad q_quadrant(Quad x, int shift) {
    Quad n = rintq(2 * x), r = M_PIq * (x - n / 2);
    int q = (int)(n - 4 * floorq(n / 4)) + shift;
    Quad v = q & 1 ? cosq(r) : sinq(r);
    return q & 2 ? -v : v;
}
static Quad q_sinpi(Quad x) { return q_quadrant(x, 0); }
static Quad q_cospi(Quad x) { return q_quadrant(x, 1); }

static void test_unary() {
#define BOTH(name, ref, low, high, log, bd, bf)                                                    \
    check<double>(#name, __nv_##name, ref, low, high, log, bd);                                    \
    check<float>(#name "f", __nv_##name##f, ref, low, high, log, bf)
    auto rsqrt_q = [](Quad x) { return 1 / sqrtq(x); };
    auto rcbrt_q = [](Quad x) { return 1 / cbrtq(x); };
    check<double>("rsqrt", __nv_rsqrt, rsqrt_q, 1e-308, 1e308, true, 1);
    check<double>("rsqrt sub", __nv_rsqrt, rsqrt_q, 1e-320, 1e-300, true, 1);
    check<float>("rsqrtf", __nv_rsqrtf, rsqrt_q, 1e-38, 1e38, true, 2);
    check<double>("rcbrt", __nv_rcbrt, rcbrt_q, 1e-308, 1e308, true, 1);
    check<float>("rcbrtf", __nv_rcbrtf, rcbrt_q, 1e-38, 1e38, true, 1);
    BOTH(sinpi, q_sinpi, -10, 10, false, 2, 1);
    BOTH(sinpi, q_sinpi, 1e-30, 1e6, true, 2, 1);
    BOTH(cospi, q_cospi, -10, 10, false, 2, 1);
    BOTH(cospi, q_cospi, 1e-30, 1e6, true, 2, 1);
    BOTH(erfcx, q_erfcx, 0, 30, false, 4, 4);
    BOTH(erfcx, q_erfcx, -9, 0, false, 4, 4);
    BOTH(erfcx, q_erfcx, 1, 1e30, true, 4, 4);
    auto normcdf_q = [](Quad x) { return erfcq(-x * sqrtq(0.5Q)) / 2; };
    BOTH(normcdf, normcdf_q, -37, 8, false, 5, 5);
    check<float>("normcdff", __nv_normcdff, normcdf_q, -14, 6, false, 5);
    BOTH(erfinv, q_erfinv, -1, 1, false, 5, 2);
    BOTH(erfinv, q_erfinv, 1e-30, 0.5, true, 5, 2);
    check<double>("erfinv near 1", [](double t) { return __nv_erfinv(1 - t); },
                  [](Quad t) { return q_erfinv((Quad)(1 - (double)t)); }, 1e-16, 0.5, true, 5);
    BOTH(erfcinv, q_erfcinv, 0, 2, false, 6, 4);
    check<double>("erfcinv small", __nv_erfcinv, q_erfcinv, 1e-307, 1, true, 6);
    check<float>("erfcinvf small", __nv_erfcinvf, q_erfcinv, 1e-37, 1, true, 4);
    auto ncinv_q = [](Quad p) { return -sqrtq((Quad)2) * q_erfcinv(2 * p); };
    BOTH(normcdfinv, ncinv_q, 0, 1, false, 8, 5);
    check<double>("normcdfinv small", __nv_normcdfinv, ncinv_q, 1e-300, 0.5, true, 8);
    auto i0 = [](Quad x) { return q_bessel(x, 0); };
    auto i1 = [](Quad x) { return q_bessel(x, 1); };
    BOTH(cyl_bessel_i0, i0, -20, 20, false, 6, 6);
    BOTH(cyl_bessel_i1, i1, -20, 20, false, 6, 6);
    check<double>("j0", __nv_j0, [](Quad x) { return j0q(x); }, -8, 8, false, 7);
    check<double>("j1", __nv_j1, [](Quad x) { return j1q(x); }, -8, 8, false, 7);
    check<double>("y0", __nv_y0, [](Quad x) { return y0q(x); }, 0, 8, false, 7);
    check<double>("y1", __nv_y1, [](Quad x) { return y1q(x); }, 0, 8, false, 7);
    const double zeros[] = {2.404825557695773, 3.831705970207512, 0.8935769662791675, 2.197141326031017}; /* j0, j1, y0, y1 */
    check<double>("j0 at 0", __nv_j0, [](Quad x) { return j0q(x); }, zeros[0] - 1e-12, zeros[0] + 1e-12, false, 7);
    check<double>("j1 at 0", __nv_j1, [](Quad x) { return j1q(x); }, zeros[1] - 1e-12, zeros[1] + 1e-12, false, 7);
    check<double>("y0 at 0", __nv_y0, [](Quad x) { return y0q(x); }, zeros[2] - 1e-12, zeros[2] + 1e-12, false, 7);
    check<double>("y1 at 0", __nv_y1, [](Quad x) { return y1q(x); }, zeros[3] - 1e-12, zeros[3] + 1e-12, false, 7);
    check<double>("cyl_bessel_i0", __nv_cyl_bessel_i0, i0, 1e-9, 700, true, 6, 3000);
    check<double>("cyl_bessel_i1", __nv_cyl_bessel_i1, i1, 1e-9, 700, true, 6, 3000);
}

static void test_norms() {
    Worst n3, n4, h, r3, r4, f3, fh, n, rn;
#define WORSE(w, T, got, exact)                                                                    \
    do {                                                                                           \
        double d_ = ulps<T>(got, exact);                                                           \
        if (!(d_ <= w.ulps)) w = Worst{d_, a};                                                     \
    } while (0)
    for (int i = 0; i < 40000; i++) {
        double scale = i & 1 ? 1 : log_uniform(1e-300, 1e300);
        double a = uniform(-1, 1) * scale, b = uniform(-1, 1) * scale, c = uniform(-1, 1) * scale,
               d = uniform(-1, 1) * scale;
        Quad s2 = (Quad)a * a + (Quad)b * b, s3 = s2 + (Quad)c * c, s4 = s3 + (Quad)d * d;
        double v[] = {a, b, c, d};
        WORSE(n3, double, __nv_norm3d(a, b, c), sqrtq(s3));
        WORSE(n4, double, __nv_norm4d(a, b, c, d), sqrtq(s4));
        WORSE(h, double, __nv_rhypot(a, b), 1 / sqrtq(s2));
        WORSE(r3, double, __nv_rnorm3d(a, b, c), 1 / sqrtq(s3));
        WORSE(r4, double, __nv_rnorm4d(a, b, c, d), 1 / sqrtq(s4));
        WORSE(n, double, __nv_norm(4, v), sqrtq(s4));
        WORSE(rn, double, __nv_rnorm(4, v), 1 / sqrtq(s4));
        if (scale != 1) continue;
        float x = (float)a, y = (float)b, z = (float)c;
        Quad t = (Quad)x * x + (Quad)y * y;
        WORSE(f3, float, __nv_norm3df(x, y, z), sqrtq(t + (Quad)z * z));
        WORSE(fh, float, __nv_rhypotf(x, y), 1 / sqrtq(t));
    }
    report("norm3d", n3, 1), report("norm4d", n4, 1), report("rhypot", h, 1);
    report("rnorm3d", r3, 1), report("rnorm4d", r4, 1), report("norm", n, 1);
    report("rnorm", rn, 1), report("norm3df", f3, 3), report("rhypotf", fh, 2);
}

static void test_special() {
    double inf = INFINITY, nan = NAN;
    SAME(__nv_rsqrt(0.0), inf);
    SAME(__nv_rsqrt(-0.0), -inf);
    SAME(__nv_rsqrt(inf), 0.0);
    SAME(__nv_rsqrt(-1.0), nan);
    SAME(__nv_rcbrt(0.0), inf);
    SAME(__nv_rcbrt(-inf), -0.0);
    SAME(__nv_sinpi(-0.0), -0.0);
    SAME(__nv_sinpi(3.0), 0.0);
    SAME(__nv_sinpi(-4.0), -0.0);
    SAME(__nv_sinpi(0.5), 1.0);
    SAME(__nv_sinpi(1e300), 0.0);
    SAME(__nv_sinpi(inf), nan);
    SAME(__nv_cospi(0.5), 0.0);
    SAME(__nv_cospi(-1.5), 0.0);
    SAME(__nv_cospi(1.0), -1.0);
    SAME(__nv_cospi(0x1p60), 1.0);
    SAME(__nv_cospif(2.5f), 0.0f);
    SAME(__nv_sinpif(-0.0f), -0.0f);
    SAME(__nv_sinpif(1e30f), 0.0f);
    SAME(__nv_erfcx(inf), 0.0);
    SAME(__nv_erfcx(-inf), inf);
    SAME(__nv_erfcx(-26.75), inf);
    SAME(__nv_erfcxf(-27.0f), (float)inf);
    SAME(__nv_erfcx(0.0), 1.0);
    SAME(__nv_erfcx(nan), nan);
    SAME(__nv_normcdf(inf), 1.0);
    SAME(__nv_normcdf(-inf), 0.0);
    SAME(__nv_normcdf(0.0), 0.5);
    SAME(__nv_erfinv(1.0), inf);
    SAME(__nv_erfinv(-1.0), -inf);
    SAME(__nv_erfinv(-0.0), -0.0);
    SAME(__nv_erfinv(1.5), nan);
    SAME(__nv_erfcinv(0.0), inf);
    SAME(__nv_erfcinv(2.0), -inf);
    SAME(__nv_erfcinv(-1.0), nan);
    SAME(__nv_normcdfinv(0.0), -inf);
    SAME(__nv_normcdfinv(1.0), inf);
    SAME(__nv_norm3d(inf, nan, 1), inf);
    SAME(__nv_norm3d(1, nan, 1), nan);
    SAME(__nv_rhypot(0, 0), inf);
    SAME(__nv_rhypot(inf, nan), 0.0);
    SAME(__nv_cyl_bessel_i0(0.0), 1.0);
    SAME(__nv_cyl_bessel_i1(-0.0), -0.0);
    SAME(__nv_j1(-0.0), -0.0);
    SAME(__nv_j0(-inf), 0.0);
    SAME(__nv_j0(nan), nan);
    SAME(__nv_y0(0.0), -inf);
    SAME(__nv_y1(-1.0), nan);
    SAME(__nv_y1(inf), 0.0);
    SAME(__nv_cyl_bessel_i0(-inf), inf);
}

/* ---- directed rounding: the result brackets the exact value within one step ---- */
template <typename T> static T q_round(Quad exact, Mode mode) {
    T r = (T)exact;
    if (r != r) return r;
    bool below = exact < (Quad)r, above = exact > (Quad)r;
    return step(r, below, above, mode);
}
/* a + b; a term below the precision of __float128 counts by its sign. */
static Quad q_sum(Quad a, Quad b) {
    if (fabsq(a) < fabsq(b)) return q_sum(b, a);
    return b != 0 && fabsq(b) < fabsq(a) * 0x1p-100Q ? a + copysignq(a * 0x1p-105Q, b) : a + b;
}
template <typename T> static T random_value() {
    if (sizeof(T) == 4) {
        uint32_t b = (uint32_t)bits64();
        float f;
        memcpy(&f, &b, 4);
        return (T)((bits64() & 3) ? f : (float)(int)(b % 65536 - 32768));
    }
    uint64_t b = bits64();
    double d;
    memcpy(&d, &b, 8);
    switch (bits64() & 7) {
    case 0: return (T)(double)(int)(b % 4096 - 2048);
    case 1: return (T)uniform(-4, 4);
    case 2: return (T)(uniform(-4, 4) * 0x1p-1040);
    case 3: return (T)(uniform(-1, 1) * 0x1p1022);
    case 4: return (T)uniform(-4, 4);
    default: return (T)d;
    }
}
#define ROUNDED(T, call, exact, M)                                                                 \
    do {                                                                                           \
        T got_ = call, want_ = q_round<T>(exact, M);                                               \
        if (!(got_ == want_ || (got_ != got_ && want_ != want_)) && failures++ < 20)               \
            printf("FAIL %s(%a, %a, %a): %a, not %a\n", #call, (double)a, (double)b, (double)c,    \
                   (double)got_, (double)want_);                                                   \
    } while (0)
static void test_rounding() {
    for (int i = 0; i < 300000; i++) {
        {
            float a = random_value<float>(), b = random_value<float>(), c = random_value<float>();
#define CHECK_F(m, M)                                                                              \
    ROUNDED(float, __nv_fadd_##m(a, b), q_sum(a, b), M);                                           \
    ROUNDED(float, __nv_fsub_##m(a, b), q_sum(a, -b), M);                                           \
    ROUNDED(float, __nv_fmul_##m(a, b), (Quad)a * b, M);                                           \
    ROUNDED(float, __nv_fdiv_##m(a, b), (Quad)a / b, M);                                           \
    ROUNDED(float, __nv_fsqrt_##m(a), sqrtq(a), M);                                                \
    if (fabsf(c) < 1e15f && fabsf(a) < 1e9f && fabsf(b) < 1e9f && fabsf(c) > 1e-15f)               \
        ROUNDED(float, __nv_fmaf_##m(a, b, c), q_sum((Quad)a * b, c), M);
            MODES(CHECK_F)
        }
        {
            double a = random_value<double>(), b = random_value<double>(), c = random_value<double>();
            int64_t l = (int64_t)bits64() >> (bits64() & 63);
#define CHECK_D(m, M)                                                                              \
    ROUNDED(double, __nv_dadd_##m(a, b), q_sum(a, b), M);                                        \
    ROUNDED(double, __nv_dmul_##m(a, b), (Quad)a * b, M);                                          \
    ROUNDED(double, __nv_ddiv_##m(a, b), (Quad)a / b, M);                                          \
    ROUNDED(double, __nv_dsqrt_##m(a), sqrtq(a), M);                                               \
    ROUNDED(float, __nv_double2float_##m(a), (Quad)a, M);                                          \
    ROUNDED(double, __nv_ll2double_##m(l), (Quad)l, M);                                            \
    ROUNDED(float, __nv_ll2float_##m(l), (Quad)l, M);                                              \
    ROUNDED(float, __nv_ull2float_##m((uint64_t)l), (Quad)(uint64_t)l, M);                         \
    ROUNDED(double, __nv_ull2double_##m((uint64_t)l), (Quad)(uint64_t)l, M);
            MODES(CHECK_D)
        }
    }
    SAME(__nv_dadd_rd(1.0, -1.0), -0.0);
    SAME(__nv_dadd_ru(1.0, -1.0), 0.0);
    SAME(__nv_fadd_rd(0.0f, 0.0f), 0.0f);
    SAME(__nv_fadd_rd(0.0f, -0.0f), -0.0f);
    SAME(__nv_dadd_rd(1.7976931348623157e308, 1e308), 1.7976931348623157e308);
    SAME(__nv_dmul_ru(1e-320, 1e-320), 0x1p-1074);
    SAME(__nv_dmul_rd(-1e-320, 1e-320), -0x1p-1074);
    SAME(__nv_fma_rd(1.0, 1.0, -0x1p-1074), 0x1.fffffffffffffp-1);
    SAME(__nv_fma_ru(0x1p-600, 0x1p-600, 1.0), 0x1.0000000000001p0);
    SAME(__nv_fma_rz(-0x1p-600, 0x1p-600, 1.0), 0x1.fffffffffffffp-1);
    SAME(__nv_fma_rd(0x1p1000, 0x1p1000, 1.0), 1.7976931348623157e308);
    SAME(__nv_fma_rd(3.0, 5.0, -15.0), -0.0);
    SAME(__nv_fma_ru(0.0, 5.0, 2.0), 2.0);
    SAME(__nv_double2float_rd(1e300), 3.40282346638528859812e+38f);
    SAME(__nv_double2float_ru(1e-300), 0x1p-149f);
}
/* fma in double against exact sums: random cases with few bits, where __float128 is exact. */
static void test_fma() {
    for (int i = 0; i < 200000; i++) {
        double a = (double)((int64_t)bits64() >> 24), b = (double)((int64_t)bits64() >> 24);
        double c = ldexp((double)((int64_t)bits64() >> 24), (int)(bits64() % 60) - 10);
        Quad exact = (Quad)a * b + c; /* at most 80 + 40 bits */
#define CHECK_FMA(m, M) ROUNDED(double, __nv_fma_##m(a, b, c), exact, M);
        MODES(CHECK_FMA)
    }
}

int main() {
    test_unary();
    test_norms();
    test_special();
    test_rounding();
    test_fma();
    printf("%d failures\n", failures);
    return failures != 0;
}
