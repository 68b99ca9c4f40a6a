/* matrices.c: level 3, and sums and scaled copies of matrices.  Column-major; L and l are the letter of the elements
** T, R their real numbers. */
#include "blas.h"
#include <complex.h>
#include <string.h>

#define GEMM(L, l, T)                                                                                                  \
    static void run_##l##gemm(const Call *c) {                                                                         \
        cblas_##l##gemm(CblasColMajor, (enum CBLAS_TRANSPOSE)c->op[0], (enum CBLAS_TRANSPOSE)c->op[1], c->n[0],        \
                        c->n[1], c->n[2], VALUE_##L(scalar(c, 0)), c->p[0], c->n[3], c->p[1], c->n[4],                 \
                        VALUE_##L(scalar(c, 1)), (void *)c->p[2], c->n[5]);                                            \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemm(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, \
                                   int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta,     \
                                   T *c, int ldc) {                                                                    \
        bool right = blas_op(transa) >= 0 && blas_op(transb) >= 0 && m >= 0 && n >= 0 && k >= 0 && alpha && beta &&    \
                     fits(ldc, m);                                                                                     \
        TRY(blas_check(h, right &&fits(lda, STORED(transa, m, k)) && fits(ldb, STORED(transb, k, n))));                \
        Call call = {.run = run_##l##gemm,                                                                             \
                     .op = {blas_op(transa), blas_op(transb)},                                                         \
                     .n = {m, n, k, lda, ldb, ldc},                                                                    \
                     .p = {a, b, c},                                                                                   \
                     .scalar = {alpha, beta}};                                                                         \
        return m && n ? blas_submit(h, &call, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                      \
    }

/* symm and hemm. */
#define SYMM(L, l, T, which)                                                                                           \
    static void run_##l##which(const Call *c) {                                                                        \
        cblas_##l##which(CblasColMajor, (enum CBLAS_SIDE)c->op[0], (enum CBLAS_UPLO)c->op[1], c->n[0], c->n[1],        \
                         VALUE_##L(scalar(c, 0)), c->p[0], c->n[2], c->p[1], c->n[3], VALUE_##L(scalar(c, 1)),         \
                         (void *)c->p[2], c->n[4]);                                                                    \
    }                                                                                                                  \
    cublasStatus_t cublas##L##which(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,      \
                                    const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c,     \
                                    int ldc) {                                                                         \
        bool right = blas_side(side) >= 0 && blas_fill(uplo) >= 0 && m >= 0 && n >= 0 && alpha && beta;                \
        TRY(blas_check(h, right &&fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) && fits(ldb, m) && fits(ldc, m)));       \
        Call call = {.run = run_##l##which,                                                                            \
                     .op = {blas_side(side), blas_fill(uplo)},                                                         \
                     .n = {m, n, lda, ldb, ldc},                                                                       \
                     .p = {a, b, c},                                                                                   \
                     .scalar = {alpha, beta}};                                                                         \
        return m && n ? blas_submit(h, &call, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                      \
    }

/* syrk and herk.  Q: the letter of R, which the scalars have; real matrices take C for T. */
#define SYRK(L, l, T, Q, R, which, right_op)                                                                           \
    static void run_##l##which(const Call *c) {                                                                        \
        cblas_##l##which(CblasColMajor, (enum CBLAS_UPLO)c->op[0], (enum CBLAS_TRANSPOSE)c->op[1], c->n[0], c->n[1],   \
                         VALUE_##Q(scalar(c, 0)), c->p[0], c->n[2], VALUE_##Q(scalar(c, 1)), (void *)c->p[1],          \
                         c->n[3]);                                                                                     \
    }                                                                                                                  \
    cublasStatus_t cublas##L##which(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,    \
                                    const R *alpha, const T *a, int lda, const R *beta, T *c, int ldc) {               \
        bool right = blas_fill(uplo) >= 0 && (right_op) && n >= 0 && k >= 0 && alpha && beta && fits(ldc, n);          \
        TRY(blas_check(h, right &&fits(lda, STORED(trans, n, k))));                                                    \
        Call call = {.run = run_##l##which,                                                                            \
                     .op = {blas_fill(uplo), blas_op(trans)},                                                          \
                     .n = {n, k, lda, ldc},                                                                            \
                     .p = {a, c},                                                                                      \
                     .scalar = {alpha, beta}};                                                                         \
        return n ? blas_submit(h, &call, sizeof(R)) : CUBLAS_STATUS_SUCCESS;                                           \
    }

/* syr2k and her2k, whose beta is real.  Alpha comes as an element, beta as R: read here, where they are of the host. */
#define SYR2K(L, l, T, Q, R, which, right_op)                                                                          \
    static void run_##l##which(const Call *c) {                                                                        \
        cblas_##l##which(CblasColMajor, (enum CBLAS_UPLO)c->op[0], (enum CBLAS_TRANSPOSE)c->op[1], c->n[0], c->n[1],   \
                         VALUE_##L(scalar(c, 0)), c->p[0], c->n[2], c->p[1], c->n[3], VALUE_##Q(scalar(c, 1)),         \
                         (void *)c->p[2], c->n[4]);                                                                    \
    }                                                                                                                  \
    cublasStatus_t cublas##L##which(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,    \
                                    const T *alpha, const T *a, int lda, const T *b, int ldb, const R *beta, T *c,     \
                                    int ldc) {                                                                         \
        bool right = blas_fill(uplo) >= 0 && (right_op) && n >= 0 && k >= 0 && alpha && beta && fits(ldc, n);          \
        TRY(blas_check(h, right &&fits(lda, STORED(trans, n, k)) && fits(ldb, STORED(trans, n, k))));                  \
        Call call = {.run = run_##l##which,                                                                            \
                     .op = {blas_fill(uplo), blas_op(trans)},                                                          \
                     .n = {n, k, lda, ldb, ldc},                                                                       \
                     .p = {a, b, c},                                                                                   \
                     .scalar = {alpha, beta}};                                                                         \
        T wide = {0};                                                                                                  \
        if (n && sizeof(R) < sizeof(T) && h->pointers == CUBLAS_POINTER_MODE_HOST) {                                   \
            memcpy(&wide, beta, sizeof(R));                                                                            \
            call.scalar[1] = &wide;                                                                                    \
        }                                                                                                              \
        return n ? blas_submit(h, &call, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                           \
    }

/* ---- triangles; trmm puts its result into another matrix ---- */

#define TRIANGLE_RIGHT                                                                                                 \
    (blas_side(side) >= 0 && blas_fill(uplo) >= 0 && blas_op(trans) >= 0 && blas_diag(diag) >= 0 && m >= 0 &&          \
     n >= 0 && alpha && fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) && fits(ldb, m))
#define TRIANGLE_OPS .op = {blas_side(side), blas_fill(uplo), blas_op(trans), blas_diag(diag)}
#define TRIANGLE(c)                                                                                                    \
    CblasColMajor, (enum CBLAS_SIDE)(c)->op[0], (enum CBLAS_UPLO)(c)->op[1], (enum CBLAS_TRANSPOSE)(c)->op[2],         \
        (enum CBLAS_DIAG)(c)->op[3], (c)->n[0], (c)->n[1]

#define TRMM(L, l, T)                                                                                                  \
    static void run_##l##trsm(const Call *c) {                                                                         \
        cblas_##l##trsm(TRIANGLE(c), VALUE_##L(scalar(c, 0)), c->p[0], c->n[2], (void *)c->p[1], c->n[3]);             \
    }                                                                                                                  \
    cublasStatus_t cublas##L##trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,                     \
                                   cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha,       \
                                   const T *a, int lda, T *b, int ldb) {                                               \
        TRY(blas_check(h, TRIANGLE_RIGHT));                                                                            \
        Call c = {.run = run_##l##trsm, TRIANGLE_OPS, .n = {m, n, lda, ldb}, .p = {a, b}, .scalar = {alpha}};          \
        return m && n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                         \
    }                                                                                                                  \
    static void run_##l##trmm(const Call *c) {                                                                         \
        const T *b = c->p[1];                                                                                          \
        T *to = (T *)c->p[2];                                                                                          \
        for (int j = 0; j < c->n[1] && b != to; j++)                                                                   \
            memcpy(to + (size_t)j * c->n[4], b + (size_t)j * c->n[3], (size_t)c->n[0] * sizeof(T));                    \
        cblas_##l##trmm(TRIANGLE(c), VALUE_##L(scalar(c, 0)), c->p[0], c->n[2], to, c->n[4]);                          \
    }                                                                                                                  \
    cublasStatus_t cublas##L##trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,                     \
                                   cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha,       \
                                   const T *a, int lda, const T *b, int ldb, T *c, int ldc) {                          \
        TRY(blas_check(h, TRIANGLE_RIGHT &&fits(ldc, m) && (b != c || ldb == ldc)));                                   \
        Call call = {                                                                                                  \
            .run = run_##l##trmm, TRIANGLE_OPS, .n = {m, n, lda, ldb, ldc}, .p = {a, b, c}, .scalar = {alpha}};        \
        return m && n ? blas_submit(h, &call, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                      \
    }

/* ---- geam: c = alpha op(a) + beta op(b), which may be c where they are not transposed; dgmm: a times a diagonal.
** K: the type that is computed in.  A scalar of 0 means that its matrix is not read. ---- */

#define GEAM(L, l, T, K, conj)                                                                                         \
    static K l##_element(const K *a, int op, int ld, int i, int j) {                                                   \
        K v = op == CblasNoTrans || op == CblasConjNoTrans ? a[i + (size_t)j * ld] : a[j + (size_t)i * ld];            \
        return op == CblasConjTrans || op == CblasConjNoTrans ? conj(v) : v;                                           \
    }                                                                                                                  \
    static void run_##l##geam(const Call *c) {                                                                         \
        const K alpha = *(const K *)scalar(c, 0), beta = *(const K *)scalar(c, 1);                                     \
        K *to = (K *)c->p[2];                                                                                          \
        for (int j = 0; j < c->n[1]; j++)                                                                              \
            for (int i = 0; i < c->n[0]; i++) {                                                                        \
                K sum = 0;                                                                                             \
                if (alpha != 0) sum = alpha * l##_element(c->p[0], c->op[0], c->n[2], i, j);                           \
                if (beta != 0) sum += beta * l##_element(c->p[1], c->op[1], c->n[3], i, j);                            \
                to[i + (size_t)j * c->n[4]] = sum;                                                                     \
            }                                                                                                          \
    }                                                                                                                  \
    cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, \
                                   const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c,      \
                                   int ldc) {                                                                          \
        bool right =                                                                                                   \
            blas_op(transa) >= 0 && blas_op(transb) >= 0 && m >= 0 && n >= 0 && alpha && beta && fits(ldc, m);         \
        right = right && fits(lda, STORED(transa, m, n)) && fits(ldb, STORED(transb, m, n));                           \
        right = right && (a != c || (transa == CUBLAS_OP_N && lda == ldc)) &&                                          \
                (b != c || (transb == CUBLAS_OP_N && ldb == ldc));                                                     \
        TRY(blas_check(h, right));                                                                                     \
        Call call = {.run = run_##l##geam,                                                                             \
                     .op = {blas_op(transa), blas_op(transb)},                                                         \
                     .n = {m, n, lda, ldb, ldc},                                                                       \
                     .p = {a, b, c},                                                                                   \
                     .scalar = {alpha, beta}};                                                                         \
        return m && n ? blas_submit(h, &call, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                      \
    }                                                                                                                  \
    static void run_##l##dgmm(const Call *c) {                                                                         \
        const K *a = c->p[0], *x = c->p[1];                                                                            \
        K *to = (K *)c->p[2];                                                                                          \
        int inc = c->n[3], count = c->op[0] == CblasLeft ? c->n[0] : c->n[1];                                          \
        if (inc < 0) x += (ptrdiff_t)(1 - count) * inc;                                                                \
        for (int j = 0; j < c->n[1]; j++)                                                                              \
            for (int i = 0; i < c->n[0]; i++)                                                                          \
                to[i + (size_t)j * c->n[4]] =                                                                          \
                    a[i + (size_t)j * c->n[2]] * x[(ptrdiff_t)(c->op[0] == CblasLeft ? i : j) * inc];                  \
    }                                                                                                                  \
    cublasStatus_t cublas##L##dgmm(cublasHandle_t h, cublasSideMode_t mode, int m, int n, const T *a, int lda,         \
                                   const T *x, int incx, T *c, int ldc) {                                              \
        TRY(blas_check(h, blas_side(mode) >= 0 && m >= 0 && n >= 0 && fits(lda, m) && fits(ldc, m)));                  \
        Call call = {.run = run_##l##dgmm, .op = {blas_side(mode)}, .n = {m, n, lda, incx, ldc}, .p = {a, x, c}};      \
        return m && n ? blas_submit(h, &call, 0) : CUBLAS_STATUS_SUCCESS;                                              \
    }

#define SAME(x) (x)
#define OP_OF_REAL ((unsigned)trans <= CUBLAS_OP_C)
#define ALL(L, l, T) GEMM(L, l, T) SYMM(L, l, T, symm) TRMM(L, l, T)
ALL(S, s, float)
ALL(D, d, double)
ALL(C, c, cuComplex)
ALL(Z, z, cuDoubleComplex)
GEAM(S, s, float, float, SAME)
GEAM(D, d, double, double, SAME)
GEAM(C, c, cuComplex, float complex, conjf)
GEAM(Z, z, cuDoubleComplex, double complex, conj)
SYMM(C, c, cuComplex, hemm)
SYMM(Z, z, cuDoubleComplex, hemm)
SYRK(S, s, float, S, float, syrk, OP_OF_REAL)
SYRK(D, d, double, D, double, syrk, OP_OF_REAL)
SYRK(C, c, cuComplex, C, cuComplex, syrk, trans <= CUBLAS_OP_T)
SYRK(Z, z, cuDoubleComplex, Z, cuDoubleComplex, syrk, trans <= CUBLAS_OP_T)
SYRK(C, c, cuComplex, S, float, herk, trans == CUBLAS_OP_N || trans == CUBLAS_OP_C)
SYRK(Z, z, cuDoubleComplex, D, double, herk, trans == CUBLAS_OP_N || trans == CUBLAS_OP_C)
SYR2K(S, s, float, S, float, syr2k, OP_OF_REAL)
SYR2K(D, d, double, D, double, syr2k, OP_OF_REAL)
SYR2K(C, c, cuComplex, C, cuComplex, syr2k, trans <= CUBLAS_OP_T)
SYR2K(Z, z, cuDoubleComplex, Z, cuDoubleComplex, syr2k, trans <= CUBLAS_OP_T)
SYR2K(C, c, cuComplex, S, float, her2k, trans == CUBLAS_OP_N || trans == CUBLAS_OP_C)
SYR2K(Z, z, cuDoubleComplex, D, double, her2k, trans == CUBLAS_OP_N || trans == CUBLAS_OP_C)
