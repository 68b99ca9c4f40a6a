/* blas.h: how the functions of libcublas are put on a stream.
**
** A function checks its arguments, puts them into a Call and submits it; the call runs when the stream comes to it,
** on the host, where "device" pointers are addresses like others.  Scalars of the host are copied before, those of
** the device read then.  A result for the host is waited for.  A call that is captured belongs to the graph, which
** may run it many times. */
#ifndef CUCPU_LIBRARIES_BLAS_H
#define CUCPU_LIBRARIES_BLAS_H
#include "cuda_runtime_api.h"
#include <stdbool.h>
#include <stdint.h>
typedef uint16_t __half; /* its bits */
#define CUCPU_HALF_IN_C
#pragma GCC visibility push(default)
#include "cublas_v2.h"
#pragma GCC visibility pop
#include <cblas.h>

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    int sm_count;
};

typedef union Scalar {
    float s;
    double d;
    cuComplex c;
    cuDoubleComplex z;
    int32_t i;
    uint16_t h;
} Scalar;

enum { MAX_INTS = 10, MAX_POINTERS = 4, MAX_SCALARS = 2 };
typedef struct Call Call;
struct Call {
    void (*run)(const Call *c);
    int n[MAX_INTS];
    const void *p[MAX_POINTERS];
    int op[4]; /* as cblas numbers them */
    long long stride[3];
    int type[4]; /* cudaDataType of the operands, then that of the scalars */
    const void *scalar[MAX_SCALARS];
    Scalar host[MAX_SCALARS];
    bool copied; /* the scalars lie in host[] */
};

/* Puts a copy of the arguments, for run, on the stream. */
cublasStatus_t blas_put(cudaStream_t stream, void (*run)(const void *), const void *arguments, size_t bytes);
/* Puts a copy of the call on the stream of the handle.  bytes: of a scalar, 0 = there is none. */
cublasStatus_t blas_submit(cublasHandle_t h, const Call *c, size_t bytes);
/* The same for a call that writes a result: waits where that is for the host. */
cublasStatus_t blas_submit_result(cublasHandle_t h, const Call *c);
/* Scalar k, when the call runs. */
static inline const void *scalar(const Call *c, int k) { return c->copied ? (const void *)&c->host[k] : c->scalar[k]; }

int blas_op(cublasOperation_t op); /* -1: there is no such */
int blas_fill(cublasFillMode_t fill);
int blas_diag(cublasDiagType_t diag);
int blas_side(cublasSideMode_t side);
cublasStatus_t blas_check(cublasHandle_t h, bool right); /* of arguments */

/* Numbers of cblas by value, complex ones by address. */
#define VALUE_S(p) (*(const float *)(p))
#define VALUE_D(p) (*(const double *)(p))
#define VALUE_C(p) (p)
#define VALUE_Z(p) (p)
/* Rows of a matrix as it is stored, of which op makes one of rows x columns. */
#define STORED(op, rows, columns) ((op) == CUBLAS_OP_N || (op) == CUBLAS_OP_CONJG ? (rows) : (columns))
static inline bool fits(int ld, int rows) { return ld >= (rows > 1 ? rows : 1); }

#define TRY(e)                                                                                                         \
    do {                                                                                                               \
        cublasStatus_t status_ = (e);                                                                                  \
        if (status_ != CUBLAS_STATUS_SUCCESS) return status_;                                                          \
    } while (0)

/* A symmetric or Hermitian matrix times a vector, by run_lSY: n, lda, incx, incy; a, x, y; alpha, beta. */
#define BLAS_SYMV(L, l, T, SY)                                                                                         \
    cublasStatus_t cublas##L##SY(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a, int lda,  \
                                 const T *x, int incx, const T *beta, T *y, int incy) {                                \
        TRY(blas_check(h, blas_fill(uplo) >= 0 && n >= 0 && fits(lda, n) && incx && incy && alpha && beta));           \
        Call c = {.run = run_##l##SY,                                                                                  \
                  .op = {blas_fill(uplo)},                                                                             \
                  .n = {n, lda, incx, incy},                                                                           \
                  .p = {a, x, y},                                                                                      \
                  .scalar = {alpha, beta}};                                                                            \
        return n ? blas_submit(h, &c, sizeof(T)) : CUBLAS_STATUS_SUCCESS;                                              \
    }
#endif
