/* cublas_api.h: cuBLAS, the interface with handles; the functions are in libcublas (cpu-runtime/libraries/blas), over OpenBLAS.
**
** Matrices are column-major, leading dimensions count elements.  Work is done in the order of the handle's stream.  Scalars and
** results are pointers of the host or of the device, by cublasSetPointerMode; a result for the host is waited for.
** Names of the linker end in _v2 where NVIDIA's do: -lcublas of programs compiled elsewhere finds them. */
#ifndef CUCPU_CUBLAS_API_H
#define CUCPU_CUBLAS_API_H
#if defined(CUCPU_CUBLAS_H)
#error "cublas.h and cublas_v2.h cannot be included both"
#endif
#include "cucpu/cublas_common.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define CUCPU_V2(name) __asm__(name "_v2")

/* ---- handles ---- */
CUCPU_BLAS cublasCreate(cublasHandle_t *handle) CUCPU_V2("cublasCreate");
CUCPU_BLAS cublasDestroy(cublasHandle_t handle) CUCPU_V2("cublasDestroy");
extern size_t cublasGetCudartVersion(void);
CUCPU_BLAS cublasGetVersion(cublasHandle_t handle, int *version) CUCPU_V2("cublasGetVersion");
CUCPU_BLAS cublasSetStream(cublasHandle_t handle, cudaStream_t stream) CUCPU_V2("cublasSetStream");
CUCPU_BLAS cublasGetStream(cublasHandle_t handle, cudaStream_t *stream) CUCPU_V2("cublasGetStream");
CUCPU_BLAS cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t bytes) CUCPU_V2("cublasSetWorkspace");
CUCPU_BLAS cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) CUCPU_V2("cublasSetPointerMode");
CUCPU_BLAS cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t *mode) CUCPU_V2("cublasGetPointerMode");
CUCPU_BLAS cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
CUCPU_BLAS cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
CUCPU_BLAS cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
CUCPU_BLAS cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
CUCPU_BLAS cublasSetSmCountTarget(cublasHandle_t handle, int count);
CUCPU_BLAS cublasGetSmCountTarget(cublasHandle_t handle, int *count);

/* In what follows L is the letter of the elements T, R their real numbers. */
#define CUCPU_H cublasHandle_t handle

/* ---- vectors ---- */
#define CUCPU_BLAS_1(L, l, T, N, R)                                                                                             \
    CUCPU_BLAS cublas##L##axpy(CUCPU_H, int n, const T *alpha, const T *x, int incx, T *y, int incy) CUCPU_V2("cublas" #L "axpy"); \
    CUCPU_BLAS cublas##L##copy(CUCPU_H, int n, const T *x, int incx, T *y, int incy) CUCPU_V2("cublas" #L "copy");              \
    CUCPU_BLAS cublas##L##swap(CUCPU_H, int n, T *x, int incx, T *y, int incy) CUCPU_V2("cublas" #L "swap");                    \
    CUCPU_BLAS cublas##L##scal(CUCPU_H, int n, const T *alpha, T *x, int incx) CUCPU_V2("cublas" #L "scal");                    \
    CUCPU_BLAS cublas##L##rotg(CUCPU_H, T *a, T *b, R *c, T *s) CUCPU_V2("cublas" #L "rotg");                                   \
    CUCPU_BLAS cublas##L##rot(CUCPU_H, int n, T *x, int incx, T *y, int incy, const R *c, const T *s) CUCPU_V2("cublas" #L "rot"); \
    CUCPU_BLAS cublasI##l##amax(CUCPU_H, int n, const T *x, int incx, int *result) CUCPU_V2("cublasI" #l "amax");               \
    CUCPU_BLAS cublasI##l##amin(CUCPU_H, int n, const T *x, int incx, int *result) CUCPU_V2("cublasI" #l "amin");               \
    CUCPU_BLAS cublas##N##asum(CUCPU_H, int n, const T *x, int incx, R *result) CUCPU_V2("cublas" #N "asum");                   \
    CUCPU_BLAS cublas##N##nrm2(CUCPU_H, int n, const T *x, int incx, R *result) CUCPU_V2("cublas" #N "nrm2");
#define CUCPU_BLAS_1_REAL(L, T)                                                                                                 \
    CUCPU_BLAS cublas##L##dot(CUCPU_H, int n, const T *x, int incx, const T *y, int incy, T *result) CUCPU_V2("cublas" #L "dot"); \
    CUCPU_BLAS cublas##L##rotm(CUCPU_H, int n, T *x, int incx, T *y, int incy, const T *param) CUCPU_V2("cublas" #L "rotm");    \
    CUCPU_BLAS cublas##L##rotmg(CUCPU_H, T *d1, T *d2, T *x1, const T *y1, T *param) CUCPU_V2("cublas" #L "rotmg");
#define CUCPU_BLAS_1_COMPLEX(L, r, T, R)                                                                                        \
    CUCPU_BLAS cublas##L##dotu(CUCPU_H, int n, const T *x, int incx, const T *y, int incy, T *result) CUCPU_V2("cublas" #L "dotu"); \
    CUCPU_BLAS cublas##L##dotc(CUCPU_H, int n, const T *x, int incx, const T *y, int incy, T *result) CUCPU_V2("cublas" #L "dotc"); \
    CUCPU_BLAS cublas##L##r##scal(CUCPU_H, int n, const R *alpha, T *x, int incx) CUCPU_V2("cublas" #L #r "scal");              \
    CUCPU_BLAS cublas##L##r##rot(CUCPU_H, int n, T *x, int incx, T *y, int incy, const R *c, const R *s) CUCPU_V2("cublas" #L #r "rot");
CUCPU_BLAS_1(S, s, float, S, float)
CUCPU_BLAS_1(D, d, double, D, double)
CUCPU_BLAS_1(C, c, cuComplex, Sc, float)
CUCPU_BLAS_1(Z, z, cuDoubleComplex, Dz, double)
CUCPU_BLAS_1_REAL(S, float)
CUCPU_BLAS_1_REAL(D, double)
CUCPU_BLAS_1_COMPLEX(C, s, cuComplex, float)
CUCPU_BLAS_1_COMPLEX(Z, d, cuDoubleComplex, double)

/* ---- a matrix and vectors ---- */
#define CUCPU_BLAS_2(L, T)                                                                                                      \
    CUCPU_BLAS cublas##L##gemv(CUCPU_H, cublasOperation_t trans, int m, int n, const T *alpha, const T *a, int lda, const T *x, \
                               int incx, const T *beta, T *y, int incy) CUCPU_V2("cublas" #L "gemv");                           \
    CUCPU_BLAS cublas##L##gbmv(CUCPU_H, cublasOperation_t trans, int m, int n, int kl, int ku, const T *alpha, const T *a, int lda, \
                               const T *x, int incx, const T *beta, T *y, int incy) CUCPU_V2("cublas" #L "gbmv");               \
    CUCPU_BLAS cublas##L##trmv(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *a, \
                               int lda, T *x, int incx) CUCPU_V2("cublas" #L "trmv");                                           \
    CUCPU_BLAS cublas##L##trsv(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *a, \
                               int lda, T *x, int incx) CUCPU_V2("cublas" #L "trsv");                                           \
    CUCPU_BLAS cublas##L##tpmv(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *ap, \
                               T *x, int incx) CUCPU_V2("cublas" #L "tpmv");                                                    \
    CUCPU_BLAS cublas##L##tpsv(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *ap, \
                               T *x, int incx) CUCPU_V2("cublas" #L "tpsv");                                                    \
    CUCPU_BLAS cublas##L##tbmv(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, int k,    \
                               const T *a, int lda, T *x, int incx) CUCPU_V2("cublas" #L "tbmv");                               \
    CUCPU_BLAS cublas##L##tbsv(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, int k,    \
                               const T *a, int lda, T *x, int incx) CUCPU_V2("cublas" #L "tbsv");
/* P: sy and sp of real numbers, he and hp of complex ones. */
#define CUCPU_BLAS_2_SYM(L, T, R, SY, SB, SP, SYR, SPR)                                                                         \
    CUCPU_BLAS cublas##L##SY(CUCPU_H, cublasFillMode_t uplo, int n, const T *alpha, const T *a, int lda, const T *x, int incx,  \
                             const T *beta, T *y, int incy) CUCPU_V2("cublas" #L #SY);                                          \
    CUCPU_BLAS cublas##L##SB(CUCPU_H, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *a, int lda, const T *x,     \
                             int incx, const T *beta, T *y, int incy) CUCPU_V2("cublas" #L #SB);                                \
    CUCPU_BLAS cublas##L##SP(CUCPU_H, cublasFillMode_t uplo, int n, const T *alpha, const T *ap, const T *x, int incx,          \
                             const T *beta, T *y, int incy) CUCPU_V2("cublas" #L #SP);                                          \
    CUCPU_BLAS cublas##L##SYR(CUCPU_H, cublasFillMode_t uplo, int n, const R *alpha, const T *x, int incx, T *a, int lda)       \
        CUCPU_V2("cublas" #L #SYR);                                                                                             \
    CUCPU_BLAS cublas##L##SPR(CUCPU_H, cublasFillMode_t uplo, int n, const R *alpha, const T *x, int incx, T *ap)               \
        CUCPU_V2("cublas" #L #SPR);                                                                                             \
    CUCPU_BLAS cublas##L##SYR##2(CUCPU_H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y,       \
                                 int incy, T *a, int lda) CUCPU_V2("cublas" #L #SYR "2");                                       \
    CUCPU_BLAS cublas##L##SPR##2(CUCPU_H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y,       \
                                 int incy, T *ap) CUCPU_V2("cublas" #L #SPR "2");
#define CUCPU_BLAS_GER(L, T, GER)                                                                                               \
    CUCPU_BLAS cublas##L##GER(CUCPU_H, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) \
        CUCPU_V2("cublas" #L #GER);
CUCPU_BLAS_2(S, float)
CUCPU_BLAS_2(D, double)
CUCPU_BLAS_2(C, cuComplex)
CUCPU_BLAS_2(Z, cuDoubleComplex)
CUCPU_BLAS_2_SYM(S, float, float, symv, sbmv, spmv, syr, spr)
CUCPU_BLAS_2_SYM(D, double, double, symv, sbmv, spmv, syr, spr)
CUCPU_BLAS_2_SYM(C, cuComplex, float, hemv, hbmv, hpmv, her, hpr)
CUCPU_BLAS_2_SYM(Z, cuDoubleComplex, double, hemv, hbmv, hpmv, her, hpr)
CUCPU_BLAS_GER(S, float, ger)
CUCPU_BLAS_GER(D, double, ger)
CUCPU_BLAS_GER(C, cuComplex, geru)
CUCPU_BLAS_GER(C, cuComplex, gerc)
CUCPU_BLAS_GER(Z, cuDoubleComplex, geru)
CUCPU_BLAS_GER(Z, cuDoubleComplex, gerc)

/* ---- matrices ---- */
#define CUCPU_BLAS_3(L, T)                                                                                                      \
    CUCPU_BLAS cublas##L##gemm(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha, \
                               const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) CUCPU_V2("cublas" #L "gemm"); \
    CUCPU_BLAS cublas##L##gemmBatched(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,         \
                                      const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta,  \
                                      T *const c[], int ldc, int batch);                                                        \
    CUCPU_BLAS cublas##L##gemmStridedBatched(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,  \
                                             const T *alpha, const T *a, int lda, long long stridea, const T *b, int ldb,       \
                                             long long strideb, const T *beta, T *c, int ldc, long long stridec, int batch);    \
    CUCPU_BLAS cublas##L##symm(CUCPU_H, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, const T *a, \
                               int lda, const T *b, int ldb, const T *beta, T *c, int ldc) CUCPU_V2("cublas" #L "symm");        \
    CUCPU_BLAS cublas##L##syrk(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha,           \
                               const T *a, int lda, const T *beta, T *c, int ldc) CUCPU_V2("cublas" #L "syrk");                 \
    CUCPU_BLAS cublas##L##syr2k(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha,          \
                                const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) CUCPU_V2("cublas" #L "syr2k"); \
    CUCPU_BLAS cublas##L##trmm(CUCPU_H, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,                  \
                               cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb,   \
                               T *c, int ldc) CUCPU_V2("cublas" #L "trmm");                                                     \
    CUCPU_BLAS cublas##L##trsm(CUCPU_H, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,                  \
                               cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, T *b, int ldb)         \
        CUCPU_V2("cublas" #L "trsm");                                                                                           \
    CUCPU_BLAS cublas##L##trsmBatched(CUCPU_H, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,           \
                                      cublasDiagType_t diag, int m, int n, const T *alpha, const T *const a[], int lda,         \
                                      T *const b[], int ldb, int batch);                                                        \
    CUCPU_BLAS cublas##L##geam(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, const T *alpha,       \
                               const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc);                         \
    CUCPU_BLAS cublas##L##dgmm(CUCPU_H, cublasSideMode_t mode, int m, int n, const T *a, int lda, const T *x, int incx, T *c,   \
                               int ldc);                                                                                        \
    CUCPU_BLAS cublas##L##getrfBatched(CUCPU_H, int n, T *const a[], int lda, int *pivots, int *info, int batch);               \
    CUCPU_BLAS cublas##L##getrsBatched(CUCPU_H, cublasOperation_t trans, int n, int nrhs, const T *const a[], int lda,          \
                                       const int *pivots, T *const b[], int ldb, int *info, int batch);                         \
    CUCPU_BLAS cublas##L##getriBatched(CUCPU_H, int n, const T *const a[], int lda, const int *pivots, T *const c[], int ldc,   \
                                       int *info, int batch);                                                                   \
    CUCPU_BLAS cublas##L##matinvBatched(CUCPU_H, int n, const T *const a[], int lda, T *const inverse[], int ld, int *info, int batch);
#define CUCPU_BLAS_3_COMPLEX(L, T, R)                                                                                           \
    CUCPU_BLAS cublas##L##hemm(CUCPU_H, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, const T *a, \
                               int lda, const T *b, int ldb, const T *beta, T *c, int ldc) CUCPU_V2("cublas" #L "hemm");        \
    CUCPU_BLAS cublas##L##herk(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const R *alpha,           \
                               const T *a, int lda, const R *beta, T *c, int ldc) CUCPU_V2("cublas" #L "herk");                 \
    CUCPU_BLAS cublas##L##her2k(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha,          \
                                const T *a, int lda, const T *b, int ldb, const R *beta, T *c, int ldc) CUCPU_V2("cublas" #L "her2k");
CUCPU_BLAS_3(S, float)
CUCPU_BLAS_3(D, double)
CUCPU_BLAS_3(C, cuComplex)
CUCPU_BLAS_3(Z, cuDoubleComplex)
CUCPU_BLAS_3_COMPLEX(C, cuComplex, float)
CUCPU_BLAS_3_COMPLEX(Z, cuDoubleComplex, double)

/* ---- many small problems with vectors; factors by reflections ---- */
#define CUCPU_BLAS_MANY(L, T)                                                                                                   \
    CUCPU_BLAS cublas##L##gemvBatched(CUCPU_H, cublasOperation_t trans, int m, int n, const T *alpha, const T *const a[],       \
                                      int lda, const T *const x[], int incx, const T *beta, T *const y[], int incy, int batch); \
    CUCPU_BLAS cublas##L##gemvStridedBatched(CUCPU_H, cublasOperation_t trans, int m, int n, const T *alpha, const T *a,        \
                                             int lda, long long stridea, const T *x, int incx, long long stridex,               \
                                             const T *beta, T *y, int incy, long long stridey, int batch);                      \
    CUCPU_BLAS cublas##L##geqrfBatched(CUCPU_H, int m, int n, T *const a[], int lda, T *const tau[], int *info, int batch);     \
    CUCPU_BLAS cublas##L##gelsBatched(CUCPU_H, cublasOperation_t trans, int m, int n, int nrhs, T *const a[], int lda,          \
                                      T *const c[], int ldc, int *info, int *ranks, int batch);                                 \
    CUCPU_BLAS cublas##L##tpttr(CUCPU_H, cublasFillMode_t uplo, int n, const T *ap, T *a, int lda);                             \
    CUCPU_BLAS cublas##L##trttp(CUCPU_H, cublasFillMode_t uplo, int n, const T *a, int lda, T *ap);                             \
    CUCPU_BLAS cublas##L##syrkx(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha,          \
                                const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc);
#define CUCPU_BLAS_MANY_COMPLEX(L, T, R)                                                                                        \
    CUCPU_BLAS cublas##L##herkx(CUCPU_H, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha,          \
                                const T *a, int lda, const T *b, int ldb, const R *beta, T *c, int ldc);                        \
    CUCPU_BLAS cublas##L##symv(CUCPU_H, cublasFillMode_t uplo, int n, const T *alpha, const T *a, int lda, const T *x, int incx, \
                               const T *beta, T *y, int incy) CUCPU_V2("cublas" #L "symv");                                     \
    CUCPU_BLAS cublas##L##syr(CUCPU_H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, T *a, int lda)       \
        CUCPU_V2("cublas" #L "syr");                                                                                            \
    CUCPU_BLAS cublas##L##syr2(CUCPU_H, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y,         \
                               int incy, T *a, int lda) CUCPU_V2("cublas" #L "syr2");                                           \
    CUCPU_BLAS cublas##L##gemm3m(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,              \
                                 const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc);
CUCPU_BLAS_MANY(S, float)
CUCPU_BLAS_MANY(D, double)
CUCPU_BLAS_MANY(C, cuComplex)
CUCPU_BLAS_MANY(Z, cuDoubleComplex)
CUCPU_BLAS_MANY_COMPLEX(C, cuComplex, float)
CUCPU_BLAS_MANY_COMPLEX(Z, cuDoubleComplex, double)

/* ---- types that arguments name; half: sums are of single precision, results are rounded once ---- */
#if defined(__cplusplus) || defined(CUCPU_HALF_IN_C)
CUCPU_BLAS cublasHgemm(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const __half *alpha,
                       const __half *a, int lda, const __half *b, int ldb, const __half *beta, __half *c, int ldc);
CUCPU_BLAS cublasHgemmBatched(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                              const __half *alpha, const __half *const a[], int lda, const __half *const b[], int ldb,
                              const __half *beta, __half *const c[], int ldc, int batch);
CUCPU_BLAS cublasHgemmStridedBatched(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                                     const __half *alpha, const __half *a, int lda, long long stridea, const __half *b, int ldb,
                                     long long strideb, const __half *beta, __half *c, int ldc, long long stridec, int batch);
#endif
CUCPU_BLAS cublasSgemmEx(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const float *alpha,
                         const void *a, cudaDataType atype, int lda, const void *b, cudaDataType btype, int ldb,
                         const float *beta, void *c, cudaDataType ctype, int ldc);
CUCPU_BLAS cublasGemmEx(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void *alpha,
                        const void *a, cudaDataType atype, int lda, const void *b, cudaDataType btype, int ldb,
                        const void *beta, void *c, cudaDataType ctype, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo);
CUCPU_BLAS cublasGemmBatchedEx(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                               const void *alpha, const void *const a[], cudaDataType atype, int lda, const void *const b[],
                               cudaDataType btype, int ldb, const void *beta, void *const c[], cudaDataType ctype, int ldc,
                               int batch, cublasComputeType_t compute, cublasGemmAlgo_t algo);
CUCPU_BLAS cublasGemmStridedBatchedEx(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                                      const void *alpha, const void *a, cudaDataType atype, int lda, long long stridea,
                                      const void *b, cudaDataType btype, int ldb, long long strideb, const void *beta,
                                      void *c, cudaDataType ctype, int ldc, long long stridec, int batch,
                                      cublasComputeType_t compute, cublasGemmAlgo_t algo);
CUCPU_BLAS cublasAxpyEx(CUCPU_H, int n, const void *alpha, cudaDataType alphatype, const void *x, cudaDataType xtype, int incx,
                        void *y, cudaDataType ytype, int incy, cudaDataType execution);
CUCPU_BLAS cublasScalEx(CUCPU_H, int n, const void *alpha, cudaDataType alphatype, void *x, cudaDataType xtype, int incx,
                        cudaDataType execution);
CUCPU_BLAS cublasCopyEx(CUCPU_H, int n, const void *x, cudaDataType xtype, int incx, void *y, cudaDataType ytype, int incy);
CUCPU_BLAS cublasSwapEx(CUCPU_H, int n, void *x, cudaDataType xtype, int incx, void *y, cudaDataType ytype, int incy);
CUCPU_BLAS cublasDotEx(CUCPU_H, int n, const void *x, cudaDataType xtype, int incx, const void *y, cudaDataType ytype, int incy,
                       void *result, cudaDataType resulttype, cudaDataType execution);
CUCPU_BLAS cublasDotcEx(CUCPU_H, int n, const void *x, cudaDataType xtype, int incx, const void *y, cudaDataType ytype, int incy,
                        void *result, cudaDataType resulttype, cudaDataType execution);
CUCPU_BLAS cublasNrm2Ex(CUCPU_H, int n, const void *x, cudaDataType xtype, int incx, void *result, cudaDataType resulttype,
                        cudaDataType execution);
CUCPU_BLAS cublasAsumEx(CUCPU_H, int n, const void *x, cudaDataType xtype, int incx, void *result, cudaDataType resulttype,
                        cudaDataType execution);
CUCPU_BLAS cublasIamaxEx(CUCPU_H, int n, const void *x, cudaDataType xtype, int incx, int *result);
CUCPU_BLAS cublasIaminEx(CUCPU_H, int n, const void *x, cudaDataType xtype, int incx, int *result);

#if defined(__cplusplus)
}

/* Until CUDA 11 the type of sums was one of data. */
static inline cublasComputeType_t cucpu_compute_type(cudaDataType t) {
    return t == CUDA_R_16F ? CUBLAS_COMPUTE_16F
           : t == CUDA_R_32I ? CUBLAS_COMPUTE_32I
           : t == CUDA_R_64F || t == CUDA_C_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
}
static inline cublasStatus_t cublasGemmEx(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType atype, int lda, const void *b,
                                          cudaDataType btype, int ldb, const void *beta, void *c, cudaDataType ctype, int ldc,
                                          cudaDataType compute, cublasGemmAlgo_t algo) {
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc,
                        cucpu_compute_type(compute), algo);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(CUCPU_H, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                                                        int k, const void *alpha, const void *a, cudaDataType atype, int lda,
                                                        long long stridea, const void *b, cudaDataType btype, int ldb,
                                                        long long strideb, const void *beta, void *c, cudaDataType ctype, int ldc,
                                                        long long stridec, int batch, cudaDataType compute, cublasGemmAlgo_t algo) {
    return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, atype, lda, stridea, b, btype, ldb, strideb, beta,
                                      c, ctype, ldc, stridec, batch, cucpu_compute_type(compute), algo);
}
#endif
#undef CUCPU_H
#include "cucpu/cublas_v2_names.h"
#endif
