// Math functions stay within the error bounds that CUDA documents.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <algorithm>
#include <type_traits>

#define FUNCTIONS(F)                                                                                                   \
    F(expf, expl, 2, -80, 80) F(exp2f, exp2l, 2, -120, 120) F(logf, logl, 1, 1e-6, 1e6) F(log2f, log2l, 1, 1e-6, 1e6)  \
    F(log10f, log10l, 2, 1e-6, 1e6) F(sinf, sinl, 2, -30, 30) F(cosf, cosl, 2, -30, 30) F(tanf, tanl, 4, -1.5, 1.5)     \
    F(asinf, asinl, 2, -1, 1) F(acosf, acosl, 2, -1, 1) F(atanf, atanl, 2, -50, 50) F(sinhf, sinhl, 3, -20, 20)         \
    F(coshf, coshl, 2, -20, 20) F(tanhf, tanhl, 2, -5, 5) F(cbrtf, cbrtl, 1, -1e5, 1e5) F(erff, erfl, 2, -3, 3)         \
    F(erfcf, erfcl, 4, -3, 6) F(log1pf, log1pl, 1, -0.9, 100) F(expm1f, expm1l, 1, -5, 20) F(sqrtf, sqrtl, 0.5, 0, 1e9) \
    F(rsqrtf, reciprocal_root, 2, 1e-6, 1e6) F(floorf, floorl, 0, -1e3, 1e3) F(rintf, rintl, 0, -1e3, 1e3)              \
    F(lgammaf, lgammal, 12, 0.5, 30) F(tgammaf, tgammal, 11, 0.5, 20)                                                   \
    F(exp, expl, 1, -600, 600) F(log, logl, 1, 1e-9, 1e9) F(sin, sinl, 2, -100, 100) F(cos, cosl, 2, -100, 100)         \
    F(tan, tanl, 2, -1.5, 1.5) F(atan, atanl, 2, -50, 50) F(tanh, tanhl, 2, -5, 5) F(cbrt, cbrtl, 1, -1e9, 1e9)         \
    F(erf, erfl, 2, -3, 3) F(sqrt, sqrtl, 0.5, 0, 1e9) F(round, roundl, 0, -1e3, 1e3)                                   \
    F(j0f, j0l, 9, -2, 2) F(j1f, j1l, 9, -3, 3) F(y0f, y0l, 9, 1, 3) F(y1f, y1l, 9, 0.5, 2) F(j0, j0l, 7, -7, 7) F(y1, y1l, 7, 0.1, 7)

static long double reciprocal_root(long double x) { return 1 / sqrtl(x); }

#define KERNEL(name, reference, bound, lo, hi)                                     \
    template <class T> __global__ void run_##name(const T *in, T *out, unsigned n) { \
        unsigned i = global_rank();                                                \
        if (i < n) out[i] = name(in[i]);                                           \
    }
FUNCTIONS(KERNEL)

__global__ void run_two(const float *a, const float *b, float *p, float *h, float *m, float *t, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    p[i] = powf(fabsf(a[i]), b[i]);
    h[i] = hypotf(a[i], b[i]);
    m[i] = fmodf(a[i], b[i]);
    t[i] = atan2f(a[i], b[i]);
}

// Large numbers are even: sin and cos of their pi-fold are 0 and 1.  2x is infinite for the largest.
__global__ void run_pi(const float *a, const double *b, int *good, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    float s, c;
    double t, d;
    sincospif(a[i], &s, &c), sincospi(b[i], &t, &d);
    bool floats = sinpif(a[i]) == 0 && cospif(a[i]) == 1 && s == 0 && c == 1;
    floats = floats && fdivide(b[i], 4.0) == b[i] / 4 && fdivide(a[i], 4.0f) == a[i] / 4;
    floats = floats && isnan(jnf(-1, a[i])) && isnan(ynf(-2, a[i])) && isnan(jn(-3, b[i])) && isnan(yn(-1, b[i])); // no orders below 0
    floats = floats && !signbit(normcdfinvf(0 * a[i] + 0.5f)) && !signbit(normcdfinv(0 * b[i] + 0.5));
    good[i] = floats && sinpi(b[i]) == 0 && cospi(b[i]) == 1 && t == 0 && d == 1;
}

static void test_pi() {
    const unsigned n = 128;
    std::vector<float> a(n);
    std::vector<double> b(n);
    for (unsigned i = 0; i < n; i++) a[i] = ldexp(int(i % 3) - 1.5, 25 + i % 103), b[i] = ldexp(int(i % 3) - 1.5, 1023 - i);
    Buffer<float> da(a);
    Buffer<double> db(b);
    Buffer<int> good(n);
    run_pi<<<2, 64>>>(da, db, good, n);
    for (int ok : good.get()) CHECK(ok);
}

// The overloads of C++: of long and of pointers to float, in namespace std and outside of it, on both sides.
__host__ __device__ long long sum_of_absolutes(long long x, long y) { return abs(x) + std::abs(x) + abs(y) + std::abs(y); }
__global__ void run_overloads(float *f, long long *l, double *d) {
    float whole;
    int e, q;
    unsigned i = global_rank();
    f[4 * i] = modf(f[4 * i], &whole) + std::modf(f[4 * i], &whole), f[4 * i + 1] = whole;
    f[4 * i + 2] = frexp(f[4 * i + 2], &e) + std::frexp(f[4 * i + 2], &e) + float(e);
    f[4 * i + 3] = remquo(f[4 * i + 3], 2.0f, &q) + std::remquo(f[4 * i + 3], 2.0f, &q);
    static_assert(std::is_same<decltype(frexp(whole, &e)), float>::value && std::is_same<decltype(abs(l[0])), long long>::value, "");
    l[i] = sum_of_absolutes(l[i], long(i) - (5L << 40)) + llabs(l[i]);
    d[i] = norm3d(1, 2, 2) + rhypot(3, 4);
}
static void test_overloads() {
    Buffer<float> f(std::vector<float>(4 * 64, 5.25f));
    Buffer<long long> l(std::vector<long long>(64, -5000000000ll));
    Buffer<double> d(64);
    run_overloads<<<2, 32>>>(f, l, d);
    auto gf = f.get();
    auto gl = l.get();
    auto gd = d.get();
    for (int i = 0; i < 64; i++) {
        CHECK(gf[4 * i] == 0.5f && gf[4 * i + 1] == 5 && gf[4 * i + 2] == 2 * 0.65625f + 3 && gf[4 * i + 3] == -1.5f);
        CHECK(gl[i] == 15000000000ll + 2 * ((5ll << 40) - i) && gd[i] == 3.2);
    }
    CHECK(sum_of_absolutes(-5000000000ll, -1) == 10000000002ll);
}

/* Quotients of numbers whose multiples are beyond the largest one. */
__global__ void run_quotients(const double *x, const double *y, int *q) {
    unsigned i = global_rank();
    double r = remquo(x[i], y[i], &q[2 * i]);
    float f = remquof(float(ldexp(x[i], -896)), float(ldexp(y[i], -896)), &q[2 * i + 1]);
    if (r != remainder(x[i], y[i]) || f != remainderf(float(ldexp(x[i], -896)), float(ldexp(y[i], -896)))) q[2 * i] = 99;
}
static void test_quotients() {
    std::vector<double> x(64), y(64);
    for (int i = 0; i < 64; i++) x[i] = std::ldexp(i % 2 ? -1.99 : 1.99, 1023), y[i] = std::ldexp((i % 3 ? 1 : -1) * (1 + i / 64.0), 1023 - i % 7);
    Buffer<double> dx(x), dy(y);
    Buffer<int> q(128);
    run_quotients<<<2, 32>>>(dx, dy, q);
    auto got = q.get();
    for (int i = 0; i < 64; i++) {
        int want, wantf;
        std::remquo(x[i], y[i], &want);
        std::remquo(float(std::ldexp(x[i], -896)), float(std::ldexp(y[i], -896)), &wantf);
        CHECK((got[2 * i] & 7) == (want & 7) && (got[2 * i + 1] & 7) == (wantf & 7));
    }
}

template <class T> static std::vector<T> inputs(double lo, double hi, unsigned n) {
    Random random(7);
    std::vector<T> v(n);
    for (T &x : v) x = T(lo + (hi - lo) * (random.next() / 4294967296.0));
    return v;
}

template <class T, class Kernel, class Reference>
static void test(const char *name, Kernel kernel, Reference reference, double bound, double lo, double hi) {
    const unsigned n = 700;
    auto in = inputs<T>(lo, hi, n);
    Buffer<T> din(in), out(n);
    kernel<<<(n + 99) / 100, 100>>>(din, out, n);
    auto got = out.get();
    double worst = 0;
    for (unsigned i = 0; i < n; i++) worst = std::fmax(worst, ulps(got[i], reference((long double)in[i])));
    if (worst <= bound + 0.5) return;
    failures++;
    std::printf("%s: %.3g ulp, not %g\n", name, worst, bound);
}

/* names of float functions end in f; erf is no float function */
#define LAST(name) (#name[sizeof(#name) - 2] == 'f' && (#name[0] != 'e' || sizeof(#name) > sizeof "erf"))
#define TEST(name, reference, bound, lo, hi)                                                       \
    {                                                                                              \
        typedef std::conditional<LAST(name), float, double>::type T;                               \
        test<T>(#name, run_##name<T>, [](long double x) { return reference(x); }, bound, lo, hi);  \
    }

int main() {
    FUNCTIONS(TEST)
    test_pi();
    test_overloads();
    test_quotients();
    const unsigned n = 700;
    auto a = inputs<float>(-20, 20, n), b = inputs<float>(-6, 6, n);
    std::rotate(b.begin(), b.begin() + 13, b.end());
    Buffer<float> da(a), db(b), p(n), h(n), m(n), t(n);
    run_two<<<7, 100>>>(da, db, p, h, m, t, n);
    auto gp = p.get(), gh = h.get(), gm = m.get(), gt = t.get();
    for (unsigned i = 0; i < n; i++) {
        CHECK(ulps(gp[i], powl(fabsl((long double)a[i]), b[i])) <= 4.5);
        CHECK(ulps(gh[i], hypotl(a[i], b[i])) <= 3.5);
        CHECK(gm[i] == std::fmod(a[i], b[i]));
        CHECK(ulps(gt[i], atan2l(a[i], b[i])) <= 3.5);
    }
    return finish();
}
