/* batched_vectors.c: many products of a matrix and a vector, many factors by Householder's reflections, many least
** squares. */
#include "blas.h"
#include <stdlib.h>

#define GEMV(L, l, T)                                                                                                  \
    static void run_##l##one(const Call *c, const void *a, const void *x, void *y) {                                   \
        cblas_##l##gemv(CblasColMajor, (enum CBLAS_TRANSPOSE)c->op[0], c->n[0], c->n[1], VALUE_##L(scalar(c, 0)), a,   \
                        c->n[2], x, c->n[3], VALUE_##L(scalar(c, 1)), y, c->n[4]);                                     \
    }                                                                                                                  \
    static void run_##l##pointers(const Call *c) {                                                                     \
        for (int i = 0; i < c->n[5]; i++)                                                                              \
            run_##l##one(c, ((const void *const *)c->p[0])[i], ((const void *const *)c->p[1])[i],                      \
                         ((void *const *)c->p[2])[i]);                                                                 \
    }                                                                                                                  \
    static void run_##l##strided(const Call *c) {                                                                      \
        for (int i = 0; i < c->n[5]; i++)                                                                              \
            run_##l##one(c, (const T *)c->p[0] + i * c->stride[0], (const T *)c->p[1] + i * c->stride[1],              \
                         (T *)c->p[2] + i * c->stride[2]);                                                             \
    }                                                                                                                  \
    static cublasStatus_t l##products(cublasHandle_t h, Call *c, cublasOperation_t trans) {                            \
        bool right = blas_op(trans) >= 0 && c->n[0] >= 0 && c->n[1] >= 0 && c->n[5] >= 0 && c->n[3] && c->n[4];        \
        TRY(blas_check(h, right &&fits(c->n[2], c->n[0]) && c->scalar[0] && c->scalar[1]));                            \
        c->op[0] = blas_op(trans);                                                                                     \
        return c->n[0] && c->n[1] && c->n[5] ? blas_submit(h, c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                   \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemvBatched(cublasHandle_t h, cublasOperation_t trans, int m, int n, const T *alpha,     \
                                          const T *const a[], int lda, const T *const x[], int incx, const T *beta,    \
                                          T *const y[], int incy, int batch) {                                         \
        Call c = {                                                                                                     \
            .run = run_##l##pointers, .n = {m, n, lda, incx, incy, batch}, .p = {a, x, y}, .scalar = {alpha, beta}};   \
        return l##products(h, &c, trans);                                                                              \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemvStridedBatched(cublasHandle_t h, cublasOperation_t trans, int m, int n,              \
                                                 const T *alpha, const T *a, int lda, long long stridea, const T *x,   \
                                                 int incx, long long stridex, const T *beta, T *y, int incy,           \
                                                 long long stridey, int batch) {                                       \
        Call c = {.run = run_##l##strided,                                                                             \
                  .n = {m, n, lda, incx, incy, batch},                                                                 \
                  .p = {a, x, y},                                                                                      \
                  .scalar = {alpha, beta},                                                                             \
                  .stride = {stridea, stridex, stridey}};                                                              \
        return l##products(h, &c, trans);                                                                              \
    }

/* LAPACK's, with room for blocks of 32 columns. */
#define REFLECTIONS(L, l, T)                                                                                           \
    void l##geqrf_(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *size,        \
                   int *info);                                                                                         \
    void l##gels_(const char *trans, const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b,    \
                  const int *ldb, void *work, const int *size, int *info, size_t);                                     \
    static void run_##l##geqrf(const Call *c) {                                                                        \
        int m = c->n[0], n = c->n[1], lda = c->n[2], info, size = 32 * (n > 1 ? n : 1);                                \
        T *work = malloc((size_t)size * sizeof *work);                                                                 \
        for (int i = 0; i < c->n[3] && work; i++)                                                                      \
            l##geqrf_(&m, &n, ((void *const *)c->p[0])[i], &lda, ((void *const *)c->p[1])[i], work, &size, &info);     \
        free(work);                                                                                                    \
    }                                                                                                                  \
    cublasStatus_t cublas##L##geqrfBatched(cublasHandle_t h, int m, int n, T *const a[], int lda, T *const tau[],      \
                                           int *info, int batch) {                                                     \
        int bad = m < 0 ? 1 : n < 0 ? 2 : !a ? 3 : !fits(lda, m) ? 4 : !tau ? 5 : batch < 0 ? 7 : 0;                   \
        if (info) *info = -bad;                                                                                        \
        TRY(blas_check(h, !bad && info));                                                                              \
        Call c = {.run = run_##l##geqrf, .n = {m, n, lda, batch}, .p = {a, tau}};                                      \
        return m && n && batch ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                        \
    }                                                                                                                  \
    static void run_##l##gels(const Call *c) {                                                                         \
        int m = c->n[0], n = c->n[1], nrhs = c->n[2], lda = c->n[3], ldc = c->n[4], info, size = 32 * (m + nrhs);      \
        T *work = malloc((size_t)size * sizeof *work);                                                                 \
        for (int i = 0; i < c->n[5] && work; i++) {                                                                    \
            l##gels_("N", &m, &n, &nrhs, ((void *const *)c->p[0])[i], &lda, ((void *const *)c->p[1])[i], &ldc, work,   \
                     &size, &info, 1);                                                                                 \
            if (c->p[2]) ((int *)c->p[2])[i] = info;                                                                   \
        }                                                                                                              \
        free(work);                                                                                                    \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gelsBatched(cublasHandle_t h, cublasOperation_t trans, int m, int n, int nrhs,           \
                                          T *const a[], int lda, T *const b[], int ldc, int *info, int *ranks,         \
                                          int batch) {                                                                 \
        int bad = m < 0           ? 2                                                                                  \
                  : n < 0         ? 3                                                                                  \
                  : nrhs < 0      ? 4                                                                                  \
                  : !a            ? 5                                                                                  \
                  : !fits(lda, m) ? 6                                                                                  \
                  : !b            ? 7                                                                                  \
                  : !fits(ldc, m) ? 8                                                                                  \
                  : batch < 0     ? 11                                                                                 \
                                  : 0;                                                                                     \
        if (info) *info = -bad;                                                                                        \
        TRY(blas_check(h, !bad && info));                                                                              \
        if (trans != CUBLAS_OP_N || m < n) return CUBLAS_STATUS_NOT_SUPPORTED;                                         \
        Call c = {.run = run_##l##gels, .n = {m, n, nrhs, lda, ldc, batch}, .p = {a, b, ranks}};                       \
        return m && n && nrhs && batch ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                \
    }

#define ALL(L, l, T) GEMV(L, l, T) REFLECTIONS(L, l, T)
ALL(S, s, float)
ALL(D, d, double)
ALL(C, c, cuComplex)
ALL(Z, z, cuDoubleComplex)
