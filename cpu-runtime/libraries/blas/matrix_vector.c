/* matrix_vector.c: level 2.  Column-major; L and l are the letter of the elements T, R their real numbers. */
#include "blas.h"

#define GEMV(L, l, T)                                                                                                  \
    static void run_##l##gemv(const Call *c) {                                                                         \
        cblas_##l##gemv(CblasColMajor, (enum CBLAS_TRANSPOSE)c->op[0], c->n[0], c->n[1], VALUE_##L(scalar(c, 0)),      \
                        c->p[0], c->n[2], c->p[1], c->n[3], VALUE_##L(scalar(c, 1)), (void *)c->p[2], c->n[4]);        \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemv(cublasHandle_t h, cublasOperation_t trans, int m, int n, const T *alpha,            \
                                   const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy) {         \
        TRY(blas_check(h, blas_op(trans) >= 0 && m >= 0 && n >= 0 && fits(lda, m) && incx && incy && alpha && beta));  \
        Call c = {.run = run_##l##gemv,                                                                                \
                  .op = {blas_op(trans)},                                                                              \
                  .n = {m, n, lda, incx, incy},                                                                        \
                  .p = {a, x, y},                                                                                      \
                  .scalar = {alpha, beta}};                                                                            \
        return m && n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                         \
    }                                                                                                                  \
    static void run_##l##gbmv(const Call *c) {                                                                         \
        cblas_##l##gbmv(CblasColMajor, (enum CBLAS_TRANSPOSE)c->op[0], c->n[0], c->n[1], c->n[5], c->n[6],             \
                        VALUE_##L(scalar(c, 0)), c->p[0], c->n[2], c->p[1], c->n[3], VALUE_##L(scalar(c, 1)),          \
                        (void *)c->p[2], c->n[4]);                                                                     \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gbmv(cublasHandle_t h, cublasOperation_t trans, int m, int n, int kl, int ku,            \
                                   const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y,     \
                                   int incy) {                                                                         \
        TRY(blas_check(h, blas_op(trans) >= 0 && m >= 0 && n >= 0 && kl >= 0 && ku >= 0 && lda > kl + ku && incx &&    \
                              incy && alpha && beta));                                                                 \
        Call c = {.run = run_##l##gbmv,                                                                                \
                  .op = {blas_op(trans)},                                                                              \
                  .n = {m, n, lda, incx, incy, kl, ku},                                                                \
                  .p = {a, x, y},                                                                                      \
                  .scalar = {alpha, beta}};                                                                            \
        return m && n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                         \
    }

/* Triangles: op[0] .. op[2] are fill, operation and diagonal. */
#define TRIANGLE(c)                                                                                                    \
    CblasColMajor, (enum CBLAS_UPLO)(c)->op[0], (enum CBLAS_TRANSPOSE)(c)->op[1], (enum CBLAS_DIAG)(c)->op[2], (c)->n[0]
#define TRIANGLE_ARGS cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n
#define TRIANGLE_RIGHT (blas_fill(uplo) >= 0 && blas_op(trans) >= 0 && blas_diag(diag) >= 0 && n >= 0 && incx)
#define TRIANGLE_OPS .op = {blas_fill(uplo), blas_op(trans), blas_diag(diag)}

#define TRIANGULAR(L, l, T, which)                                                                                     \
    static void run_##l##tr##which(const Call *c) {                                                                    \
        cblas_##l##tr##which(TRIANGLE(c), c->p[0], c->n[1], (void *)c->p[1], c->n[2]);                                 \
    }                                                                                                                  \
    cublasStatus_t cublas##L##tr##which(TRIANGLE_ARGS, const T *a, int lda, T *x, int incx) {                          \
        TRY(blas_check(h, TRIANGLE_RIGHT &&fits(lda, n)));                                                             \
        Call c = {.run = run_##l##tr##which, TRIANGLE_OPS, .n = {n, lda, incx}, .p = {a, x}};                          \
        return n ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                                      \
    }                                                                                                                  \
    static void run_##l##tp##which(const Call *c) {                                                                    \
        cblas_##l##tp##which(TRIANGLE(c), c->p[0], (void *)c->p[1], c->n[2]);                                          \
    }                                                                                                                  \
    cublasStatus_t cublas##L##tp##which(TRIANGLE_ARGS, const T *ap, T *x, int incx) {                                  \
        TRY(blas_check(h, TRIANGLE_RIGHT));                                                                            \
        Call c = {.run = run_##l##tp##which, TRIANGLE_OPS, .n = {n, 0, incx}, .p = {ap, x}};                           \
        return n ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                                      \
    }                                                                                                                  \
    static void run_##l##tb##which(const Call *c) {                                                                    \
        cblas_##l##tb##which(TRIANGLE(c), c->n[3], c->p[0], c->n[1], (void *)c->p[1], c->n[2]);                        \
    }                                                                                                                  \
    cublasStatus_t cublas##L##tb##which(TRIANGLE_ARGS, int k, const T *a, int lda, T *x, int incx) {                   \
        TRY(blas_check(h, TRIANGLE_RIGHT &&k >= 0 && lda > k));                                                        \
        Call c = {.run = run_##l##tb##which, TRIANGLE_OPS, .n = {n, lda, incx, k}, .p = {a, x}};                       \
        return n ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                                      \
    }

/* Symmetric and Hermitian matrices: their product with a vector, whole, banded, packed. */
#define SYMMETRIC(L, l, T, SY, SB, SP)                                                                                 \
    static void run_##l##SY(const Call *c) {                                                                           \
        cblas_##l##SY(CblasColMajor, (enum CBLAS_UPLO)c->op[0], c->n[0], VALUE_##L(scalar(c, 0)), c->p[0], c->n[1],    \
                      c->p[1], c->n[2], VALUE_##L(scalar(c, 1)), (void *)c->p[2], c->n[3]);                            \
    }                                                                                                                  \
    BLAS_SYMV(L, l, T, SY)                                                                                             \
    static void run_##l##SB(const Call *c) {                                                                           \
        cblas_##l##SB(CblasColMajor, (enum CBLAS_UPLO)c->op[0], c->n[0], c->n[4], VALUE_##L(scalar(c, 0)), c->p[0],    \
                      c->n[1], c->p[1], c->n[2], VALUE_##L(scalar(c, 1)), (void *)c->p[2], c->n[3]);                   \
    }                                                                                                                  \
    cublasStatus_t cublas##L##SB(cublasHandle_t h, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *a,    \
                                 int lda, const T *x, int incx, const T *beta, T *y, int incy) {                       \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && k >= 0 && lda > k && incx && incy && alpha && beta));      \
        Call c = {.run = run_##l##SB,                                                                                  \
                  .op = {blas_fill(uplo)},                                                                             \
                  .n = {n, lda, incx, incy, k},                                                                        \
                  .p = {a, x, y},                                                                                      \
                  .scalar = {alpha, beta}};                                                                            \
        return n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                              \
    }                                                                                                                  \
    static void run_##l##SP(const Call *c) {                                                                           \
        cblas_##l##SP(CblasColMajor, (enum CBLAS_UPLO)c->op[0], c->n[0], VALUE_##L(scalar(c, 0)), c->p[0], c->p[1],    \
                      c->n[1], VALUE_##L(scalar(c, 1)), (void *)c->p[2], c->n[2]);                                     \
    }                                                                                                                  \
    cublasStatus_t cublas##L##SP(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *ap,          \
                                 const T *x, int incx, const T *beta, T *y, int incy) {                                \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && incx && incy && alpha && beta));                           \
        Call c = {.run = run_##l##SP,                                                                                  \
                  .op = {blas_fill(uplo)},                                                                             \
                  .n = {n, incx, incy},                                                                                \
                  .p = {ap, x, y},                                                                                     \
                  .scalar = {alpha, beta}};                                                                            \
        return n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                              \
    }

/* Their updates of rank 1 and 2, whole and packed.  Q: the letter of R. */
#define UPDATES(L, l, T, Q, R, SYR, SPR)                                                                               \
    static void run_##l##SYR(const Call *c) {                                                                          \
        cblas_##l##SYR(CblasColMajor, (enum CBLAS_UPLO)c->op[0], c->n[0], VALUE_##Q(scalar(c, 0)), c->p[0], c->n[1],   \
                       (void *)c->p[1], c->n[2]);                                                                      \
    }                                                                                                                  \
    cublasStatus_t cublas##L##SYR(cublasHandle_t h, cublasFillMode_t uplo, int n, const R *alpha, const T *x,          \
                                  int incx, T *a, int lda) {                                                           \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && incx && fits(lda, n) && alpha));                           \
        Call c = {.run = run_##l##SYR, .op = {blas_fill(uplo)}, .n = {n, incx, lda}, .p = {x, a}, .scalar = {alpha}};  \
        return n ? blas_submit(h, &c, sizeof(R)) : CUBLAS_STATUS_SUCCESS;                                              \
    }                                                                                                                  \
    static void run_##l##SPR(const Call *c) {                                                                          \
        cblas_##l##SPR(CblasColMajor, (enum CBLAS_UPLO)c->op[0], c->n[0], VALUE_##Q(scalar(c, 0)), c->p[0], c->n[1],   \
                       (void *)c->p[1]);                                                                               \
    }                                                                                                                  \
    cublasStatus_t cublas##L##SPR(cublasHandle_t h, cublasFillMode_t uplo, int n, const R *alpha, const T *x,          \
                                  int incx, T *ap) {                                                                   \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && incx && alpha));                                           \
        Call c = {.run = run_##l##SPR, .op = {blas_fill(uplo)}, .n = {n, incx}, .p = {x, ap}, .scalar = {alpha}};      \
        return n ? blas_submit(h, &c, sizeof(R)) : CUBLAS_STATUS_SUCCESS;                                              \
    }                                                                                                                  \
    static void run_##l##SYR##2(const Call *c) {                                                                       \
        cblas_##l##SYR##2(CblasColMajor, (enum CBLAS_UPLO)c->op[0], c->n[0], VALUE_##L(scalar(c, 0)), c->p[0],         \
                          c->n[1], c->p[1], c->n[2], (void *)c->p[2], c->n[3]);                                        \
    }                                                                                                                  \
    cublasStatus_t cublas##L##SYR##2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x,       \
                                     int incx, const T *y, int incy, T *a, int lda) {                                  \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && incx && incy && fits(lda, n) && alpha));                   \
        Call c = {.run = run_##l##SYR##2,                                                                              \
                  .op = {blas_fill(uplo)},                                                                             \
                  .n = {n, incx, incy, lda},                                                                           \
                  .p = {x, y, a},                                                                                      \
                  .scalar = {alpha}};                                                                                  \
        return n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                              \
    }                                                                                                                  \
    static void run_##l##SPR##2(const Call *c) {                                                                       \
        cblas_##l##SPR##2(CblasColMajor, (enum CBLAS_UPLO)c->op[0], c->n[0], VALUE_##L(scalar(c, 0)), c->p[0],         \
                          c->n[1], c->p[1], c->n[2], (void *)c->p[2]);                                                 \
    }                                                                                                                  \
    cublasStatus_t cublas##L##SPR##2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x,       \
                                     int incx, const T *y, int incy, T *ap) {                                          \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && incx && incy && alpha));                                   \
        Call c = {.run = run_##l##SPR##2,                                                                              \
                  .op = {blas_fill(uplo)},                                                                             \
                  .n = {n, incx, incy},                                                                                \
                  .p = {x, y, ap},                                                                                     \
                  .scalar = {alpha}};                                                                                  \
        return n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                              \
    }

#define GER(L, l, T, which)                                                                                            \
    static void run_##l##which(const Call *c) {                                                                        \
        cblas_##l##which(CblasColMajor, c->n[0], c->n[1], VALUE_##L(scalar(c, 0)), c->p[0], c->n[2], c->p[1], c->n[3], \
                         (void *)c->p[2], c->n[4]);                                                                    \
    }                                                                                                                  \
    cublasStatus_t cublas##L##which(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y,  \
                                    int incy, T *a, int lda) {                                                         \
        TRY(blas_check(h, m >= 0 && n >= 0 && incx && incy && fits(lda, m) && alpha));                                 \
        Call c = {.run = run_##l##which, .n = {m, n, incx, incy, lda}, .p = {x, y, a}, .scalar = {alpha}};             \
        return m && n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                         \
    }

#define ALL(L, l, T) GEMV(L, l, T) TRIANGULAR(L, l, T, mv) TRIANGULAR(L, l, T, sv)
ALL(S, s, float)
ALL(D, d, double)
ALL(C, c, cuComplex)
ALL(Z, z, cuDoubleComplex)
SYMMETRIC(S, s, float, symv, sbmv, spmv)
SYMMETRIC(D, d, double, symv, sbmv, spmv)
SYMMETRIC(C, c, cuComplex, hemv, hbmv, hpmv)
SYMMETRIC(Z, z, cuDoubleComplex, hemv, hbmv, hpmv)
UPDATES(S, s, float, S, float, syr, spr)
UPDATES(D, d, double, D, double, syr, spr)
UPDATES(C, c, cuComplex, S, float, her, hpr)
UPDATES(Z, z, cuDoubleComplex, D, double, her, hpr)
GER(S, s, float, ger)
GER(D, d, double, ger)
GER(C, c, cuComplex, geru)
GER(C, c, cuComplex, gerc)
GER(Z, z, cuDoubleComplex, geru)
GER(Z, z, cuDoubleComplex, gerc)
