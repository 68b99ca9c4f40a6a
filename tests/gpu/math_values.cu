// What the math functions give for special and for ordinary arguments: kinds of results, signs of zeros and infinities, four digits of the rest.
// REQUIRES: run
// RUN: %cucpu -w -std=c++17 %s -o %t && %run %t > %t.out
// RUN: cat %S/Inputs/math_values.known %if x86-64-v4 %{ %} %else %{ %S/Inputs/math_values.v3.known %} > %t.known
// RUN: %python %S/Inputs/compare.py %S/Inputs/math_values.txt %t.known %t.out
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#define UNARY(F)                                                                                                               \
    F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(exp) F(exp2) F(exp10)    \
    F(expm1) F(log) F(log2) F(log10) F(log1p) F(sqrt) F(rsqrt) F(cbrt) F(rcbrt) F(erf) F(erfc) F(erfcx) F(erfinv) F(erfcinv)   \
    F(normcdf) F(normcdfinv) F(tgamma) F(lgamma) F(sinpi) F(cospi) F(j0) F(j1) F(y0) F(y1) F(cyl_bessel_i0) F(cyl_bessel_i1)   \
    F(floor) F(ceil) F(trunc) F(rint) F(nearbyint) F(round) F(fabs) F(logb)
#define BINARY(F) F(pow) F(atan2) F(hypot) F(rhypot) F(fmod) F(remainder) F(fdim) F(fmin) F(fmax) F(copysign) F(nextafter)
#define FAST(F) F(__sinf) F(__cosf) F(__tanf) F(__expf) F(__exp10f) F(__logf) F(__log2f) F(__log10f) F(__frcp_rn) F(__fsqrt_rn) F(__frsqrt_rn) \
    F(__saturatef) F(__frcp_rz) F(__frcp_ru) F(__fsqrt_rd)
#define TOINT(F) F(lrint) F(llrint) F(lround) F(llround) F(ilogb) F(isnan) F(isinf) F(isfinite) F(signbit)
#define WITHINT(F) F(ldexp) F(scalbn) F(jn) F(yn)

static const double args[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1.5, 2.5, -2.5, 1e-3, -1e-3, 10.5, -10.5, 100, -100, 170.5, 1e5, -1e5, 1e10,
                              1e30, -1e30, INFINITY, -INFINITY, NAN, 1e-40, -1e-40, 1e-320, 1.17549435e-38, 3.4028234e38, -3.4028234e38, 1e300, -1e300, DBL_MAX,
                              0.25, 0.75, 0.9999, 1.0001, 33, 88.9, -88.9, -104, 128, -150, 710, -746, 34.5, -171.5, 0.49999997, 8388609, 4.5e15, -7.25};
enum { N = sizeof args / sizeof *args };
static const double pairs[] = {0.0, -0.0, 1, -1, 0.5, -2, 3, -3, 2, 1e-40, 1e30, -1e30, INFINITY, -INFINITY, NAN, 5.5, 1e5, -7};
enum { M = sizeof pairs / sizeof *pairs };

template <class T> __global__ void unary(const double *a, T *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= N) return;
    T x = T(a[t]);
    int k = 0;
#define F(g) out[k++ * N + t] = std::is_same<T, float>::value ? T(g##f(float(x))) : T(g(double(x)));
    UNARY(F)
#undef F
}
__global__ void fast(const double *a, float *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= N) return;
    float x = float(a[t]);
    int k = 0;
#define F(f) out[k++ * N + t] = f(x);
    FAST(F)
#undef F
}
template <class T> __global__ void to_int(const double *a, long long *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= N) return;
    T x = T(a[t]);
    int k = 0;
#define F(f) out[k++ * N + t] = f(x);
    TOINT(F)
#undef F
}
template <class T> __global__ void binary(const double *a, T *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= M * M) return;
    T x = T(a[t / M]), y = T(a[t % M]);
    int k = 0;
#define F(g) out[k++ * M * M + t] = std::is_same<T, float>::value ? T(g##f(float(x), float(y))) : T(g(double(x), double(y)));
    BINARY(F)
#undef F
    if (std::is_same<T, float>::value) {
        out[k++ * M * M + t] = T(__powf(float(x), float(y)));
        out[k++ * M * M + t] = T(__fdividef(float(x), float(y)));
    } else {
        out[k++ * M * M + t] = T(x / y);
        out[k++ * M * M + t] = T(fdim(double(x), double(y)));
    }
    int q = 77;
    out[k++ * M * M + t] = std::is_same<T, float>::value ? T(remquof(float(x), float(y), &q)) : T(remquo(double(x), double(y), &q));
    out[k++ * M * M + t] = T(isfinite(x) && isfinite(y) && y != T(0) ? q & 7 : 0);
}
static const int exponents[] = {0, 1, -1, 2, 5, 127, -126, -149, 1023, -1074, 3000, -3000, INT_MAX, INT_MIN};
enum { E = sizeof exponents / sizeof *exponents };
template <class T> __global__ void with_int(const double *a, const int *e, T *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= N * E) return;
    T x = T(a[t / E]);
    int n = e[t % E], k = 0;
    out[k++ * N * E + t] = ldexp(x, n);
    out[k++ * N * E + t] = scalbn(x, n);
    out[k++ * N * E + t] = scalbln(x, (long)n);
}
template <class T> __global__ void bessel(const double *a, T *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= N * 6) return;
    T x = T(a[t / 6]);
    int n = t % 6 - 1;
    out[t] = std::is_same<T, float>::value ? T(jnf(n, float(x))) : T(jn(n, double(x)));
    out[t + N * 6] = std::is_same<T, float>::value ? T(ynf(n, float(x))) : T(yn(n, double(x)));
}
template <class T> __global__ void parts(const double *a, T *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= N) return;
    T x = T(a[t]), i, s, c;
    int e = -99;
    out[t] = frexp(x, &e);
    out[N + t] = isfinite(x) ? e : 0;
    out[2 * N + t] = modf(x, &i);
    out[3 * N + t] = i;
    sincos(x, &s, &c);
    out[4 * N + t] = s, out[5 * N + t] = c;
    sincospi(x, &s, &c);
    out[6 * N + t] = s, out[7 * N + t] = c;
}
template <class T> __global__ void three(const double *a, T *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= M * M) return;
    T x = T(a[t / M]), y = T(a[t % M]), z = T(a[(t / M + t) % M]), four[4] = {x, y, z, T(1)};
    bool f = std::is_same<T, float>::value;
    out[t] = f ? T(norm3df(x, y, z)) : T(norm3d(x, y, z));
    out[M * M + t] = f ? T(rnorm3df(x, y, z)) : T(rnorm3d(x, y, z));
    out[2 * M * M + t] = f ? T(norm4df(x, y, z, 1)) : T(norm4d(x, y, z, 1));
    out[3 * M * M + t] = f ? T(normf(4, (float *)four)) : T(norm(4, (double *)four));
    out[4 * M * M + t] = f ? T(fmaf(x, y, z)) : T(fma(double(x), double(y), double(z)));
}

static const char *text(double v) {
    static char b[64];
    if (v != v) return "nan";
    snprintf(b, sizeof b, "%.4g", v);
    return b;
}
template <class T> static void show(const char *type, const char *name, const T *v, int n) {
    printf("%s %s:", type, name);
    for (int i = 0; i < n; i++) printf(" %s", text(double(v[i])));
    printf("\n");
}
template <class T> struct Out {
    T *d;
    std::vector<T> h;
    Out(size_t n) : h(n) { cudaMalloc(&d, n * sizeof(T)), cudaMemset(d, 0, n * sizeof(T)); }
    const T *get() { cudaMemcpy(h.data(), d, h.size() * sizeof(T), cudaMemcpyDeviceToHost); return h.data(); }
};
template <class T> static void all(const char *type, const double *a, const double *p, const int *e) {
    int k = 0;
    Out<T> u(64 * N);
    unary<T><<<1, 64>>>(a, u.d), u.get();
#define F(f) show(type, #f, &u.h[k++ * N], N);
    UNARY(F)
#undef F
    Out<long long> i(16 * N);
    to_int<T><<<1, 64>>>(a, i.d), i.get(), k = 0;
#define F(f) { printf("%s " #f ":", type); for (int j = 0; j < N; j++) printf(" %lld", std::strncmp(#f, "is", 2) && std::strncmp(#f, "sig", 3) ? \
    i.h[k * N + j] : (long long)!!i.h[k * N + j]); printf("\n"); k++; }
    TOINT(F)
#undef F
    Out<T> b(16 * M * M);
    binary<T><<<6, 64>>>(p, b.d), b.get(), k = 0;
    std::vector<const char *> names = {"pow", "atan2", "hypot", "rhypot", "fmod", "remainder", "fdim", "fmin", "fmax", "copysign", "nextafter",
        "__powf|quotient", "__fdividef|fdim", "remquo", "remquo-bits"};
    for (; k < (int)names.size(); k++)
        for (int j = 0; j < M; j++) show((std::string(type) + " " + names[k]).c_str(), text(pairs[j]), &b.h[k * M * M + j * M], M);
    Out<T> w(3 * N * E);
    with_int<T><<<(N * E + 63) / 64, 64>>>(a, e, w.d), w.get();
    const char *scaled[] = {"ldexp", "scalbn", "scalbln"};
    for (k = 0; k < 3; k++)
        for (int j = 0; j < N; j++) show((std::string(type) + " " + scaled[k]).c_str(), text(double(T(args[j]))), &w.h[(k * N + j) * E], E);
    Out<T> n(12 * N);
    bessel<T><<<6, 64>>>(a, n.d), n.get();
    for (k = 0; k < 2; k++)
        for (int j = 0; j < N; j++) show((std::string(type) + (k ? " yn" : " jn")).c_str(), text(double(T(args[j]))), &n.h[(k * N + j) * 6], 6);
    Out<T> q(8 * N);
    parts<T><<<1, 64>>>(a, q.d), q.get();
    const char *part[] = {"frexp", "frexp-exponent", "modf", "modf-whole", "sincos-sin", "sincos-cos", "sincospi-sin", "sincospi-cos"};
    for (k = 0; k < 8; k++) show(type, part[k], &q.h[k * N], N);
    Out<T> t(5 * M * M);
    three<T><<<6, 64>>>(p, t.d), t.get();
    const char *norms[] = {"norm3d", "rnorm3d", "norm4d", "norm", "fma"};
    for (k = 0; k < 5; k++)
        for (int j = 0; j < M; j++) show((std::string(type) + " " + norms[k]).c_str(), text(pairs[j]), &t.h[k * M * M + j * M], M);
}

int main() {
    double *a, *p;
    int *e;
    cudaMalloc(&a, sizeof args), cudaMemcpy(a, args, sizeof args, cudaMemcpyHostToDevice);
    cudaMalloc(&p, sizeof pairs), cudaMemcpy(p, pairs, sizeof pairs, cudaMemcpyHostToDevice);
    cudaMalloc(&e, sizeof exponents), cudaMemcpy(e, exponents, sizeof exponents, cudaMemcpyHostToDevice);
    Out<float> f(16 * N);
    fast<<<1, 64>>>(a, f.d), f.get();
    int k = 0;
#define F(name) show("fast", #name, &f.h[k++ * N], N);
    FAST(F)
#undef F
    all<float>("float", a, p, e);
    all<double>("double", a, p, e);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
