/* batched.c: many small problems: products, triangles, factors.  Arrays of pointers lie on the device and are read
** when the call runs. Factors come from LAPACK, which OpenBLAS has; without pivots (pivots == NULL) they are
** computed here. */
#include "blas.h"
#include <complex.h>
#include <stdlib.h>
#include <string.h>

/* ---- products ---- */

#define GEMM(L, l, T)                                                                                                  \
    static void run_##l##one(const Call *c, const T *a, const T *b, T *to) {                                           \
        cblas_##l##gemm(CblasColMajor, (enum CBLAS_TRANSPOSE)c->op[0], (enum CBLAS_TRANSPOSE)c->op[1], c->n[0],        \
                        c->n[1], c->n[2], VALUE_##L(scalar(c, 0)), (const void *)a, c->n[3], (const void *)b, c->n[4], \
                        VALUE_##L(scalar(c, 1)), (void *)to, c->n[5]);                                                 \
    }                                                                                                                  \
    static void run_##l##pointers(const Call *c) {                                                                     \
        for (int i = 0; i < c->n[6]; i++)                                                                              \
            run_##l##one(c, ((const T *const *)c->p[0])[i], ((const T *const *)c->p[1])[i], ((T *const *)c->p[2])[i]); \
    }                                                                                                                  \
    static void run_##l##strided(const Call *c) {                                                                      \
        for (int i = 0; i < c->n[6]; i++)                                                                              \
            run_##l##one(c, (const T *)c->p[0] + i * c->stride[0], (const T *)c->p[1] + i * c->stride[1],              \
                         (T *)c->p[2] + i * c->stride[2]);                                                             \
    }                                                                                                                  \
    static cublasStatus_t l##products(cublasHandle_t h, Call *c, cublasOperation_t transa, cublasOperation_t transb) { \
        int m = c->n[0], n = c->n[1], k = c->n[2];                                                                     \
        bool right = blas_op(transa) >= 0 && blas_op(transb) >= 0 && m >= 0 && n >= 0 && k >= 0 && c->n[6] >= 0 &&     \
                     fits(c->n[5], m);                                                                                 \
        right = right && c->scalar[0] && c->scalar[1] && fits(c->n[3], STORED(transa, m, k)) &&                        \
                fits(c->n[4], STORED(transb, k, n));                                                                   \
        TRY(blas_check(h, right));                                                                                     \
        c->op[0] = blas_op(transa);                                                                                    \
        c->op[1] = blas_op(transb);                                                                                    \
        return m && n && c->n[6] ? blas_submit(h, c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                               \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemmBatched(                                                                             \
        cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha,     \
        const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int batch) {   \
        Call call = {                                                                                                  \
            .run = run_##l##pointers, .n = {m, n, k, lda, ldb, ldc, batch}, .p = {a, b, c}, .scalar = {alpha, beta}};  \
        return l##products(h, &call, transa, transb);                                                                  \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, \
                                                 int m, int n, int k, const T *alpha, const T *a, int lda,             \
                                                 long long stridea, const T *b, int ldb, long long strideb,            \
                                                 const T *beta, T *c, int ldc, long long stridec, int batch) {         \
        Call call = {.run = run_##l##strided,                                                                          \
                     .n = {m, n, k, lda, ldb, ldc, batch},                                                             \
                     .p = {a, b, c},                                                                                   \
                     .scalar = {alpha, beta},                                                                          \
                     .stride = {stridea, strideb, stridec}};                                                           \
        return l##products(h, &call, transa, transb);                                                                  \
    }

#define TRSM(L, l, T)                                                                                                  \
    static void run_##l##trsm(const Call *c) {                                                                         \
        for (int i = 0; i < c->n[4]; i++)                                                                              \
            cblas_##l##trsm(CblasColMajor, (enum CBLAS_SIDE)c->op[0], (enum CBLAS_UPLO)c->op[1],                       \
                            (enum CBLAS_TRANSPOSE)c->op[2], (enum CBLAS_DIAG)c->op[3], c->n[0], c->n[1],               \
                            VALUE_##L(scalar(c, 0)), ((const void *const *)c->p[0])[i], c->n[2],                       \
                            ((void *const *)c->p[1])[i], c->n[3]);                                                     \
    }                                                                                                                  \
    cublasStatus_t cublas##L##trsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,              \
                                          cublasOperation_t trans, cublasDiagType_t diag, int m, int n,                \
                                          const T *alpha, const T *const a[], int lda, T *const b[], int ldb,          \
                                          int batch) {                                                                 \
        bool right =                                                                                                   \
            blas_side(side) >= 0 && blas_fill(uplo) >= 0 && blas_op(trans) >= 0 && blas_diag(diag) >= 0 && batch >= 0; \
        TRY(blas_check(h, right &&m >= 0 && n >= 0 && alpha && fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&          \
                              fits(ldb, m)));                                                                          \
        Call c = {.run = run_##l##trsm,                                                                                \
                  .op = {blas_side(side), blas_fill(uplo), blas_op(trans), blas_diag(diag)},                           \
                  .n = {m, n, lda, ldb, batch},                                                                        \
                  .p = {a, b},                                                                                         \
                  .scalar = {alpha}};                                                                                  \
        return m && n && batch ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                \
    }

/* ---- factors: K is the type that is computed in.  info: 0, or the index of a pivot that is 0, counted from 1 ---- */

#define FACTORS(L, l, T, K)                                                                                            \
    void l##getrf_(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);                       \
    void l##getrs_(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda, const int *pivots, \
                   void *b, const int *ldb, int *info, size_t);                                                        \
    void l##getri_(const int *n, void *a, const int *lda, const int *pivots, void *work, const int *size, int *info);  \
    static int l##factor_plain(int n, K *a, int ld) {                                                                  \
        int info = 0;                                                                                                  \
        for (int k = 0; k < n; k++) {                                                                                  \
            if (a[k + (size_t)k * ld] == 0) {                                                                          \
                if (!info) info = k + 1;                                                                               \
                continue;                                                                                              \
            }                                                                                                          \
            for (int i = k + 1; i < n; i++) a[i + (size_t)k * ld] /= a[k + (size_t)k * ld];                            \
            for (int j = k + 1; j < n; j++)                                                                            \
                for (int i = k + 1; i < n; i++)                                                                        \
                    a[i + (size_t)j * ld] -= a[i + (size_t)k * ld] * a[k + (size_t)j * ld];                            \
        }                                                                                                              \
        return info;                                                                                                   \
    }                                                                                                                  \
    static void run_##l##getrf(const Call *c) {                                                                        \
        int n = c->n[0], lda = c->n[1], *pivots = (int *)c->p[1], *info = (int *)c->p[2];                              \
        for (int i = 0; i < c->n[2]; i++) {                                                                            \
            K *a = ((K *const *)c->p[0])[i];                                                                           \
            if (pivots) l##getrf_(&n, &n, a, &lda, pivots + (size_t)i * n, &info[i]);                                  \
            else info[i] = l##factor_plain(n, a, lda);                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n, T *const a[], int lda, int *pivots, int *info,     \
                                           int batch) {                                                                \
        TRY(blas_check(h, n >= 0 && batch >= 0 && fits(lda, n)));                                                      \
        Call c = {.run = run_##l##getrf, .n = {n, lda, batch}, .p = {a, pivots, info}};                                \
        return n && batch ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                             \
    }                                                                                                                  \
    /* pivots of one matrix, as LAPACK wants them where there are none */                                              \
    static const int *l##pivots_of(const int *pivots, int i, int n, int *own) {                                        \
        for (int k = 0; k < n && !pivots; k++) own[k] = k + 1;                                                         \
        return pivots ? pivots + (size_t)i * n : own;                                                                  \
    }                                                                                                                  \
    static void run_##l##getrs(const Call *c) {                                                                        \
        int n = c->n[0], nrhs = c->n[1], lda = c->n[2], ldb = c->n[3], info, *own = malloc((size_t)n * sizeof *own);   \
        char trans = "NTC"[c->op[0] - CblasNoTrans];                                                                   \
        for (int i = 0; i < c->n[4] && own; i++)                                                                       \
            l##getrs_(&trans, &n, &nrhs, ((const void *const *)c->p[0])[i], &lda, l##pivots_of(c->p[1], i, n, own),    \
                      ((void *const *)c->p[2])[i], &ldb, &info, 1);                                                    \
        free(own);                                                                                                     \
    }                                                                                                                  \
    cublasStatus_t cublas##L##getrsBatched(cublasHandle_t h, cublasOperation_t trans, int n, int nrhs,                 \
                                           const T *const a[], int lda, const int *pivots, T *const b[], int ldb,      \
                                           int *info, int batch) {                                                     \
        int bad = (unsigned)trans > CUBLAS_OP_C ? 1                                                                    \
                  : n < 0                       ? 2                                                                    \
                  : nrhs < 0                    ? 3                                                                    \
                  : !a                          ? 4                                                                    \
                  : !fits(lda, n)               ? 5                                                                    \
                  : !b                          ? 7                                                                    \
                  : !fits(ldb, n)               ? 8                                                                    \
                  : batch < 0                   ? 10                                                                   \
                                                : 0;                                                                                     \
        if (info) *info = -bad;                                                                                        \
        TRY(blas_check(h, !bad));                                                                                      \
        Call c = {                                                                                                     \
            .run = run_##l##getrs, .op = {blas_op(trans)}, .n = {n, nrhs, lda, ldb, batch}, .p = {a, pivots, b}};      \
        return n && nrhs && batch ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                     \
    }                                                                                                                  \
    static void l##copy_matrix(int n, const K *a, int lda, K *to, int ld) {                                            \
        for (int j = 0; j < n; j++) memcpy(to + (size_t)j * ld, a + (size_t)j * lda, (size_t)n * sizeof(K));           \
    }                                                                                                                  \
    static void run_##l##getri(const Call *c) {                                                                        \
        int n = c->n[0], ldc = c->n[2], *info = (int *)c->p[3], *own = malloc((size_t)n * sizeof *own);                \
        K *work = malloc((size_t)n * sizeof *work);                                                                    \
        for (int i = 0; i < c->n[3] && own && work; i++) {                                                             \
            K *to = ((K *const *)c->p[2])[i];                                                                          \
            l##copy_matrix(n, ((const K *const *)c->p[0])[i], c->n[1], to, ldc);                                       \
            l##getri_(&n, to, &ldc, l##pivots_of(c->p[1], i, n, own), work, &n, &info[i]);                             \
        }                                                                                                              \
        free(work);                                                                                                    \
        free(own);                                                                                                     \
    }                                                                                                                  \
    cublasStatus_t cublas##L##getriBatched(cublasHandle_t h, int n, const T *const a[], int lda, const int *pivots,    \
                                           T *const to[], int ldc, int *info, int batch) {                             \
        TRY(blas_check(h, n >= 0 && batch >= 0 && fits(lda, n) && fits(ldc, n)));                                      \
        Call c = {.run = run_##l##getri, .n = {n, lda, ldc, batch}, .p = {a, pivots, to, info}};                       \
        return n && batch ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                             \
    }                                                                                                                  \
    static void run_##l##matinv(const Call *c) {                                                                       \
        int n = c->n[0], ld = c->n[2], *info = (int *)c->p[2], *pivots = malloc((size_t)n * sizeof *pivots);           \
        K *work = malloc((size_t)n * sizeof *work);                                                                    \
        for (int i = 0; i < c->n[3] && pivots && work; i++) {                                                          \
            K *to = ((K *const *)c->p[1])[i];                                                                          \
            l##copy_matrix(n, ((const K *const *)c->p[0])[i], c->n[1], to, ld);                                        \
            l##getrf_(&n, &n, to, &ld, pivots, &info[i]);                                                              \
            if (!info[i]) l##getri_(&n, to, &ld, pivots, work, &n, &info[i]);                                          \
        }                                                                                                              \
        free(work);                                                                                                    \
        free(pivots);                                                                                                  \
    }                                                                                                                  \
    cublasStatus_t cublas##L##matinvBatched(cublasHandle_t h, int n, const T *const a[], int lda, T *const inverse[],  \
                                            int ld, int *info, int batch) {                                            \
        TRY(blas_check(h, n >= 0 && batch >= 0 && fits(lda, n) && fits(ld, n)));                                       \
        if (n > 32) return CUBLAS_STATUS_INVALID_VALUE;                                                                \
        Call c = {.run = run_##l##matinv, .n = {n, lda, ld, batch}, .p = {a, inverse, info}};                          \
        return n && batch ? blas_submit(h, &c, 0) : CUBLAS_STATUS_SUCCESS;                                             \
    }

#define ALL(L, l, T, K) GEMM(L, l, T) TRSM(L, l, T) FACTORS(L, l, T, K)
ALL(S, s, float, float)
ALL(D, d, double, double)
ALL(C, c, cuComplex, float complex)
ALL(Z, z, cuDoubleComplex, double complex)
