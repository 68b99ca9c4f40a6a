/* symmetric.c: what BLAS itself does not have of symmetric matrices: complex ones that are not Hermitian, products
** of two matrices of which one triangle is wanted (syrkx, herkx), and triangles as packed ones.  K is the type that
** is computed in. */
#include "blas.h"
#include <complex.h>
#include <stdlib.h>
#include <string.h>

/* ---- complex symv, syr, syr2 ---- */

static inline int first_of(int n, int inc) { return inc < 0 ? (1 - n) * inc : 0; }

#define SYMMETRIC(L, l, T, K)                                                                                          \
    static void run_##l##symv(const Call *c) {                                                                         \
        int n = c->n[0], lda = c->n[1], incx = c->n[2], incy = c->n[3];                                                \
        K alpha = *(const K *)scalar(c, 0), beta = *(const K *)scalar(c, 1);                                           \
        const K *a = c->p[0], *x = (const K *)c->p[1] + first_of(n, incx);                                             \
        K *y = (K *)c->p[2] + first_of(n, incy);                                                                       \
        for (int i = 0; i < n; i++) {                                                                                  \
            K sum = 0;                                                                                                 \
            for (int j = 0; j < n; j++) {                                                                              \
                bool here = (c->op[0] == CblasUpper) == (i < j) || i == j; /* else the other half has it */            \
                sum += (here ? a[i + (size_t)j * lda] : a[j + (size_t)i * lda]) * x[(ptrdiff_t)j * incx];              \
            }                                                                                                          \
            K *to = &y[(ptrdiff_t)i * incy];                                                                           \
            *to = alpha * sum + (beta == 0 ? 0 : beta * *to);                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    BLAS_SYMV(L, l, T, symv)                                                                                           \
    static void run_##l##syr2(const Call *c) { /* syr: y is NULL */                                                    \
        int n = c->n[0], incx = c->n[1], incy = c->n[2], lda = c->n[3];                                                \
        K alpha = *(const K *)scalar(c, 0), *a = (K *)c->p[2];                                                         \
        const K *x = (const K *)c->p[0] + first_of(n, incx),                                                           \
                *y = c->p[1] ? (const K *)c->p[1] + first_of(n, incy) : NULL;                                          \
        for (int j = 0; j < n; j++)                                                                                    \
            for (int i = c->op[0] == CblasUpper ? 0 : j; i < (c->op[0] == CblasUpper ? j + 1 : n); i++) {              \
                K xi = x[(ptrdiff_t)i * incx], xj = x[(ptrdiff_t)j * incx];                                            \
                a[i + (size_t)j * lda] +=                                                                              \
                    alpha * (y ? xi * y[(ptrdiff_t)j * incy] + y[(ptrdiff_t)i * incy] * xj : xi * xj);                 \
            }                                                                                                          \
    }                                                                                                                  \
    cublasStatus_t cublas##L##syr(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x,          \
                                  int incx, T *a, int lda) {                                                           \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && fits(lda, n) && incx && alpha));                           \
        Call c = {.run = run_##l##syr2,                                                                                \
                  .op = {blas_fill(uplo)},                                                                             \
                  .n = {n, incx, 1, lda},                                                                              \
                  .p = {x, NULL, a},                                                                                   \
                  .scalar = {alpha}};                                                                                  \
        return n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                              \
    }                                                                                                                  \
    cublasStatus_t cublas##L##syr2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x,         \
                                   int incx, const T *y, int incy, T *a, int lda) {                                    \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && fits(lda, n) && incx && incy && alpha));                   \
        Call c = {.run = run_##l##syr2,                                                                                \
                  .op = {blas_fill(uplo)},                                                                             \
                  .n = {n, incx, incy, lda},                                                                           \
                  .p = {x, y, a},                                                                                      \
                  .scalar = {alpha}};                                                                                  \
        return n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                              \
    }
SYMMETRIC(C, c, cuComplex, float complex)
SYMMETRIC(Z, z, cuDoubleComplex, double complex)

/* ---- one triangle of alpha op(a) op(b)' + beta c, column by column; op: 0 = as it is, 1 = transposed ---- */

#define SAME(x) (x)
#define PRODUCT(L, l, T, K, R, BETA, name, conj, other)                                                                \
    static void run_##l##name(const Call *c) {                                                                         \
        int n = c->n[0], k = c->n[1], lda = c->n[2], ldb = c->n[3], ldc = c->n[4];                                     \
        bool plain = c->op[1] == CUBLAS_OP_N;                                                                          \
        K *row = malloc((size_t)(k ? k : 1) * sizeof *row), beta = *(const BETA *)scalar(c, 1), *to = (K *)c->p[2];    \
        for (int j = 0; j < n && row; j++) {                                                                           \
            int low = c->op[0] == CblasUpper ? 0 : j, high = c->op[0] == CblasUpper ? j + 1 : n;                       \
            for (int i = 0; i < k; i++)                                                                                \
                row[i] = conj(((const K *)c->p[1])[plain ? j + (size_t)i * ldb : i + (size_t)j * ldb]);                \
            if (!plain)                                                                                                \
                for (int i = 0; i < k; i++) row[i] = conj(row[i]);                                                     \
            const K *a = (const K *)c->p[0] + (plain ? (size_t)low : (size_t)low * lda);                               \
            cblas_##l##gemv(CblasColMajor, plain ? CblasNoTrans : other, plain ? high - low : k,                       \
                            plain ? k : high - low, VALUE_##L(scalar(c, 0)), (const void *)a, lda, (const void *)row,  \
                            1, VALUE_##L(&beta), (void *)&to[low + (size_t)j * ldc], 1);                               \
            for (int i = low; i < high && !k; i++)                                                                     \
                to[i + (size_t)j * ldc] = beta == 0 ? 0 : beta * to[i + (size_t)j * ldc];                              \
            to[j + (size_t)j * ldc] =                                                                                  \
                (to[j + (size_t)j * ldc] + conj(to[j + (size_t)j * ldc])) / 2; /* real, if it is to be */              \
        }                                                                                                              \
        free(row);                                                                                                     \
    }                                                                                                                  \
    cublasStatus_t cublas##L##name(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,     \
                                   const T *alpha, const T *a, int lda, const T *b, int ldb, const R *beta, T *to,     \
                                   int ldc) {                                                                          \
        bool right = blas_fill(uplo) >= 0 && (trans == CUBLAS_OP_N || blas_op(trans) == other) && n >= 0 && k >= 0 &&  \
                     alpha && beta;                                                                                    \
        TRY(blas_check(h, right &&fits(lda, STORED(trans, n, k)) && fits(ldb, STORED(trans, n, k)) && fits(ldc, n)));  \
        Call c = {.run = run_##l##name,                                                                                \
                  .op = {blas_fill(uplo), (int)trans},                                                                 \
                  .n = {n, k, lda, ldb, ldc},                                                                          \
                  .p = {a, b, to},                                                                                     \
                  .scalar = {alpha, beta}};                                                                            \
        if (sizeof(T) == sizeof(R) || h->pointers == CUBLAS_POINTER_MODE_DEVICE) return blas_submit(h, &c, sizeof(T)); \
        Scalar wide[2] = {0};                                                                                          \
        memcpy(&wide[0], alpha, sizeof(T));                                                                            \
        memcpy(&wide[1], beta, sizeof(R));                                                                             \
        c.scalar[0] = &wide[0], c.scalar[1] = &wide[1];                                                                \
        return blas_submit(h, &c, sizeof(Scalar));                                                                     \
    }
PRODUCT(S, s, float, float, float, float, syrkx, SAME, CblasTrans)
PRODUCT(D, d, double, double, double, double, syrkx, SAME, CblasTrans)
PRODUCT(C, c, cuComplex, float complex, cuComplex, float complex, syrkx, SAME, CblasTrans)
PRODUCT(Z, z, cuDoubleComplex, double complex, cuDoubleComplex, double complex, syrkx, SAME, CblasTrans)
PRODUCT(C, c, cuComplex, float complex, float, float, herkx, conjf, CblasConjTrans)
PRODUCT(Z, z, cuDoubleComplex, double complex, double, double, herkx, conj, CblasConjTrans)

/* ---- packed triangles; gemm3m: the same product by three multiplications ---- */

#define PACKED(L, l, T)                                                                                                \
    static void run_##l##pack(const Call *c) {                                                                         \
        int n = c->n[0], ld = c->n[1];                                                                                 \
        T *full = (T *)c->p[0], *packed = (T *)c->p[1];                                                                \
        for (int j = 0; j < n; j++)                                                                                    \
            for (int i = c->op[0] == CblasUpper ? 0 : j; i < (c->op[0] == CblasUpper ? j + 1 : n); i++, packed++)      \
                if (c->op[1]) *packed = full[i + (size_t)j * ld];                                                      \
                else full[i + (size_t)j * ld] = *packed;                                                               \
    }                                                                                                                  \
    static cublasStatus_t l##pack(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *full, int ld,               \
                                  const T *packed, bool to_packed) {                                                   \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && fits(ld, n)));                                             \
        Call c = {.run = run_##l##pack, .op = {blas_fill(uplo), to_packed}, .n = {n, ld}, .p = {full, packed}};        \
        return n ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                                      \
    }                                                                                                                  \
    cublasStatus_t cublas##L##tpttr(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *ap, T *a, int lda) {      \
        return l##pack(h, uplo, n, a, lda, ap, false);                                                                 \
    }                                                                                                                  \
    cublasStatus_t cublas##L##trttp(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *a, int lda, T *ap) {      \
        return l##pack(h, uplo, n, a, lda, ap, true);                                                                  \
    }
PACKED(S, s, float)
PACKED(D, d, double)
PACKED(C, c, cuComplex)
PACKED(Z, z, cuDoubleComplex)

#define GEMM3M(L, T)                                                                                                   \
    cublasStatus_t cublas##L##gemm3m(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m,      \
                                     int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb,           \
                                     const T *beta, T *c, int ldc) {                                                   \
        return cublas##L##gemm(h, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                       \
    }
GEMM3M(C, cuComplex)
GEMM3M(Z, cuDoubleComplex)
