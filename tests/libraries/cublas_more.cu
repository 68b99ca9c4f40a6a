// cuBLAS: batches of matrix and vector, reflections, least squares, complex symmetric matrices, one triangle of a product, packed
// triangles; against plain loops over small whole numbers.
// REQUIRES: run
// RUN: %cucpu -I%root/tests/kernels %s -lcublas -o %t && env CUCPU_NUM_THREADS=4 %run %t | FileCheck %s
// CHECK: 0 failures
#include "check.h"
#include <complex>
#include <cublas_v2.h>

typedef std::complex<float> cf;
typedef std::complex<double> cd;
static cublasHandle_t h;
#define BLAS(e) CHECK((e) == CUBLAS_STATUS_SUCCESS)
#define SAYS(status, e) CHECK((e) == CUBLAS_STATUS_##status)

static unsigned seed = 7;
static int next() { return int((seed = seed * 1664525u + 1013904223u) >> 24) % 7 - 3; }
template <class T> struct Number { static T make() { return T(next()); } };
template <class R> struct Number<std::complex<R>> { static std::complex<R> make() { return {R(next()), R(next())}; } };
template <class T> static T *numbers(int n) {
    T *p;
    CUDA(cudaMallocManaged(&p, sizeof(T) * n));
    for (int i = 0; i < n; i++) p[i] = Number<T>::make();
    return p;
}
template <class T> static T **pointers(T *p, int n, int apart) {
    T **q;
    CUDA(cudaMallocManaged(&q, sizeof(T *) * n));
    for (int i = 0; i < n; i++) q[i] = p + i * apart;
    return q;
}

/* The functions by their type. */
#define TYPED(L, T, C)                                                                                              \
    static cublasStatus_t gemvBatched(cublasOperation_t o, int m, int n, const T *al, T **a, int ld, T **x, int ix, const T *be, T **y, int iy, int k) { \
        return cublas##L##gemvBatched(h, o, m, n, (const C *)al, (const C *const *)a, ld, (const C *const *)x, ix, (const C *)be, (C *const *)y, iy, k); \
    }                                                                                                               \
    static cublasStatus_t gemvStrided(cublasOperation_t o, int m, int n, const T *al, T *a, int ld, int sa, T *x, int ix, int sx, const T *be, T *y, int iy, int sy, int k) { \
        return cublas##L##gemvStridedBatched(h, o, m, n, (const C *)al, (const C *)a, ld, sa, (const C *)x, ix, sx, (const C *)be, (C *)y, iy, sy, k); \
    }                                                                                                               \
    static cublasStatus_t geqrf(int m, int n, T **a, int ld, T **tau, int *info, int k) { return cublas##L##geqrfBatched(h, m, n, (C *const *)a, ld, (C *const *)tau, info, k); } \
    static cublasStatus_t gels(int m, int n, int r, T **a, int ld, T **c, int lc, int *info, int *dev, int k) {      \
        return cublas##L##gelsBatched(h, CUBLAS_OP_N, m, n, r, (C *const *)a, ld, (C *const *)c, lc, info, dev, k);  \
    }                                                                                                               \
    static cublasStatus_t syrkx(cublasFillMode_t u, cublasOperation_t o, int n, int k, const T *al, T *a, int la, T *b, int lb, const T *be, T *c, int lc) { \
        return cublas##L##syrkx(h, u, o, n, k, (const C *)al, (const C *)a, la, (const C *)b, lb, (const C *)be, (C *)c, lc); \
    }                                                                                                               \
    static cublasStatus_t tpttr(cublasFillMode_t u, int n, T *ap, T *a, int ld) { return cublas##L##tpttr(h, u, n, (const C *)ap, (C *)a, ld); } \
    static cublasStatus_t trttp(cublasFillMode_t u, int n, T *a, int ld, T *ap) { return cublas##L##trttp(h, u, n, (const C *)a, ld, (C *)ap); }
TYPED(S, float, float)
TYPED(D, double, double)
TYPED(C, cf, cuComplex)
TYPED(Z, cd, cuDoubleComplex)

template <class T> static double size(T x) { return std::abs(x); }

template <class T> static void many() {
    const int m = 4, n = 3, lda = 5, count = 3;
    T *a = numbers<T>(count * lda * n), *x = numbers<T>(count * 8), *y = numbers<T>(count * 8), *before = numbers<T>(count * 8);
    T alpha = T(2), beta = T(-1);
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T})
        for (int strided = 0; strided < 2; strided++) {
            memcpy(before, y, sizeof(T) * count * 8);
            if (strided) BLAS(gemvStrided(op, m, n, &alpha, a, lda, lda * n, x, 2, 8, &beta, y, 1, 8, count));
            else BLAS(gemvBatched(op, m, n, &alpha, pointers(a, count, lda * n), lda, pointers(x, count, 8), 2, &beta, pointers(y, count, 8), 1, count));
            CUDA(cudaDeviceSynchronize());
            for (int b = 0; b < count; b++)
                for (int i = 0; i < (op ? n : m); i++) {
                    T sum = beta * before[b * 8 + i];
                    for (int j = 0; j < (op ? m : n); j++) sum += alpha * a[b * lda * n + (op ? j + i * lda : i + j * lda)] * x[b * 8 + 2 * j];
                    CHECK(sum == y[b * 8 + i]);
                }
        }
    /* least squares: x of a x = c is found again; the factors' columns keep their norms */
    T *c = numbers<T>(count * 8), *tau = numbers<T>(count * n), *copy = numbers<T>(count * lda * n);
    int info = 5, *ranks;
    CUDA(cudaMallocManaged(&ranks, sizeof(int) * count));
    for (int i = 0; i < count * lda * n; i++) copy[i] = a[i] = a[i] + T(i % lda == i / lda % n ? 10 : 0);
    for (int b = 0; b < count; b++)
        for (int i = 0; i < m; i++) {
            c[b * 8 + i] = 0;
            for (int j = 0; j < n; j++) c[b * 8 + i] += a[b * lda * n + i + j * lda] * T(j + 1);
        }
    BLAS(gels(m, n, 1, pointers(a, count, lda * n), lda, pointers(c, count, 8), m, &info, ranks, count));
    CUDA(cudaDeviceSynchronize());
    CHECK(info == 0 && ranks[0] == 0);
    for (int b = 0; b < count; b++)
        for (int j = 0; j < n; j++) CHECK(size(c[b * 8 + j] - T(j + 1)) < 1e-4);
    BLAS(geqrf(m, n, pointers(copy, count, lda * n), lda, pointers(tau, count, n), &info, count));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) CHECK(size(copy[i + i * lda] - a[i + i * lda]) < 1e-4); // gels has the same factors
    SAYS(INVALID_VALUE, geqrf(m, n, pointers(copy, 1, 0), m - 1, pointers(tau, 1, 0), &info, 1));
    CHECK(info == -4);
    SAYS(NOT_SUPPORTED, gels(n, m, 1, pointers(a, 1, 0), lda, pointers(c, 1, 0), m, &info, ranks, 1));
}

template <class T> static void triangles() {
    const int n = 4, k = 3, ld = 6;
    for (cublasFillMode_t u : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
        for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T})
            for (int terms = 0; terms <= k; terms += k) {
                T *a = numbers<T>(ld * ld), *b = numbers<T>(ld * ld), *c = numbers<T>(ld * n), alpha = T(3), beta = T(2), old[ld * n];
                memcpy(old, c, sizeof old);
                BLAS(syrkx(u, op, n, terms, &alpha, a, ld, b, ld, &beta, c, ld));
                CUDA(cudaDeviceSynchronize());
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++) {
                        T sum = beta * old[i + j * ld];
                        for (int p = 0; p < terms; p++) sum += alpha * (op ? a[p + i * ld] * b[p + j * ld] : a[i + p * ld] * b[j + p * ld]);
                        bool inside = u == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
                        CHECK(c[i + j * ld] == (inside ? sum : old[i + j * ld]));
                    }
                T *packed = numbers<T>(n * (n + 1) / 2), *back = numbers<T>(ld * n);
                BLAS(trttp(u, n, c, ld, packed));
                BLAS(tpttr(u, n, packed, back, ld));
                CUDA(cudaDeviceSynchronize());
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        if (u == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j) CHECK(back[i + j * ld] == c[i + j * ld]);
                CHECK(packed[1] == (u == CUBLAS_FILL_MODE_UPPER ? c[ld] : c[1]));
            }
}

/* A symmetric matrix is not its conjugate. */
static void symmetric() {
    const int n = 4, ld = 5;
    cd alpha(1, 2), beta(0, 1), *full = numbers<cd>(ld * n), *a = numbers<cd>(ld * n), *x = numbers<cd>(2 * n), *y = numbers<cd>(n), old[n];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) full[i + j * ld] = full[j + i * ld];
    for (cublasFillMode_t u : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        memcpy(a, full, sizeof(cd) * ld * n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                if (u == CUBLAS_FILL_MODE_UPPER ? i > j : i < j) a[i + j * ld] = 99; // not looked at
        memcpy(old, y, sizeof old);
        BLAS(cublasZsymv(h, u, n, (cuDoubleComplex *)&alpha, (cuDoubleComplex *)a, ld, (cuDoubleComplex *)x, -2, (cuDoubleComplex *)&beta, (cuDoubleComplex *)y, 1));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++) {
            cd sum = beta * old[i];
            for (int j = 0; j < n; j++) sum += alpha * full[i + j * ld] * x[2 * (n - 1 - j)];
            CHECK(sum == y[i]);
        }
        cd *c = numbers<cd>(ld * n), was[ld * n];
        memcpy(was, c, sizeof was);
        BLAS(cublasZsyr2(h, u, n, (cuDoubleComplex *)&alpha, (cuDoubleComplex *)x, 1, (cuDoubleComplex *)y, 1, (cuDoubleComplex *)c, ld));
        BLAS(cublasZsyr(h, u, n, (cuDoubleComplex *)&beta, (cuDoubleComplex *)x, 1, (cuDoubleComplex *)c, ld));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                bool inside = u == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
                CHECK(c[i + j * ld] == was[i + j * ld] + (inside ? alpha * (x[i] * y[j] + y[i] * x[j]) + beta * x[i] * x[j] : cd(0)));
            }
    }
    /* herkx of a matrix and itself is herk */
    cd *b = numbers<cd>(ld * n), *one = numbers<cd>(ld * n), *two = numbers<cd>(ld * n), unit(1, 0);
    double zero = 0, r = 1;
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_C}) {
        BLAS(cublasZherkx(h, CUBLAS_FILL_MODE_LOWER, op, n, 3, (cuDoubleComplex *)&unit, (cuDoubleComplex *)b, ld, (cuDoubleComplex *)b, ld, &zero, (cuDoubleComplex *)one, ld));
        BLAS(cublasZherk(h, CUBLAS_FILL_MODE_LOWER, op, n, 3, &r, (cuDoubleComplex *)b, ld, &zero, (cuDoubleComplex *)two, ld));
        CUDA(cudaDeviceSynchronize());
        for (int j = 0; j < n; j++)
            for (int i = j; i < n; i++) CHECK(one[i + j * ld] == two[i + j * ld]);
    }
    SAYS(INVALID_VALUE, cublasZherkx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, 3, (cuDoubleComplex *)&unit, (cuDoubleComplex *)b, ld, (cuDoubleComplex *)b, ld, &zero, (cuDoubleComplex *)one, ld));
}

int main() {
    BLAS(cublasCreate(&h));
    many<float>(), many<double>(), many<cf>(), many<cd>();
    triangles<float>(), triangles<double>(), triangles<cf>(), triangles<cd>();
    symmetric();
    BLAS(cublasDestroy(h));
    printf("%d failures\n", failures);
    return failures != 0;
}
