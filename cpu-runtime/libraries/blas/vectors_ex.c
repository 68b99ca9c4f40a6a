/* vectors_ex.c: functions of vectors whose types are arguments.
**
** Where all is of one type they are the functions of that type.  Vectors of halves or of bfloat16 are taken apart
** here: the scalar is a float, sums are made in double precision and rounded once.  cuBLAS's tables have no other
** combinations. */
#include "mixed.h"
#include <math.h>
#include <string.h>

#define EACH_TYPE(t, S, D, C, Z)                                                                                       \
    switch (t) {                                                                                                       \
    case CUDA_R_32F: return S;                                                                                         \
    case CUDA_R_64F: return D;                                                                                         \
    case CUDA_C_32F: return C;                                                                                         \
    case CUDA_C_64F: return Z;                                                                                         \
    default: return CUBLAS_STATUS_NOT_SUPPORTED;                                                                       \
    }

static bool is_small(cudaDataType t) { return t == CUDA_R_16F || t == CUDA_R_16BF; }

/* The type of results that are not complex. */
static cudaDataType real_of(cudaDataType t) { return t == CUDA_C_32F ? CUDA_R_32F : t == CUDA_C_64F ? CUDA_R_64F : t; }

/* What scalars and sums of such a vector are of. */
static cudaDataType wide(cudaDataType t) { return is_small(t) ? CUDA_R_32F : t; }

/* Element i, counted from the end where inc is negative. */
static size_t index_of(int n, int inc, int i) {
    return (size_t)((inc < 0 ? (long long)(1 - n) * inc : 0) + (long long)i * inc);
}
static double element(const Call *c, int k, int i) {
    return blas_load(c->p[k], (cudaDataType)c->type[0], index_of(c->n[0], c->n[1 + k], i));
}
static void set_element(const Call *c, int k, int i, double v) {
    blas_store((void *)c->p[k], (cudaDataType)c->type[0], index_of(c->n[0], c->n[1 + k], i), v);
}

/* ---- of small elements ---- */

static void run_axpy(const Call *c) {
    double alpha = VALUE_S(scalar(c, 0));
    for (int i = 0; i < c->n[0]; i++) set_element(c, 1, i, alpha * element(c, 0, i) + element(c, 1, i));
}

static void run_scal(const Call *c) {
    double alpha = VALUE_S(scalar(c, 0));
    for (int i = 0; i < c->n[0] && c->n[1] > 0; i++) set_element(c, 0, i, alpha * element(c, 0, i));
}

static void run_copy(const Call *c) {
    for (int i = 0; i < c->n[0]; i++) set_element(c, 1, i, element(c, 0, i));
}

static void run_swap(const Call *c) {
    for (int i = 0; i < c->n[0]; i++) {
        double x = element(c, 0, i);
        set_element(c, 0, i, element(c, 1, i));
        set_element(c, 1, i, x);
    }
}

static void run_dot(const Call *c) {
    double sum = 0;
    for (int i = 0; i < c->n[0]; i++) sum += element(c, 0, i) * element(c, 1, i);
    blas_store((void *)c->p[2], (cudaDataType)c->type[0], 0, sum);
}

static void run_nrm2(const Call *c) {
    double sum = 0;
    for (int i = 0; i < c->n[0] && c->n[1] > 0; i++) sum += element(c, 0, i) * element(c, 0, i);
    blas_store((void *)c->p[2], (cudaDataType)c->type[0], 0, sqrt(sum));
}

static void run_asum(const Call *c) {
    double sum = 0;
    for (int i = 0; i < c->n[0] && c->n[1] > 0; i++) sum += fabs(element(c, 0, i));
    blas_store((void *)c->p[2], (cudaDataType)c->type[0], 0, sum);
}

/* Places are counted from 1. */
static void find(const Call *c, bool least) {
    int at = 0;
    for (int i = 0; i < c->n[0] && c->n[1] > 0; i++) {
        double v = fabs(element(c, 0, i)), best = at ? fabs(element(c, 0, at - 1)) : 0;
        if (!at || (least ? v < best : v > best)) at = i + 1;
    }
    *(int *)c->p[2] = at;
}
static void run_amax(const Call *c) { find(c, false); }
static void run_amin(const Call *c) { find(c, true); }

/* ---- the functions ---- */

cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void *alpha, cudaDataType alphatype, const void *x,
                            cudaDataType xtype, int incx, void *y, cudaDataType ytype, int incy,
                            cudaDataType execution) {
    TRY(blas_check(h, alpha != NULL));
    if (ytype != xtype || alphatype != wide(xtype) || execution != alphatype) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_small(xtype)) {
        Call c = {.run = run_axpy, .n = {n, incx, incy}, .p = {x, y}, .type = {(int)xtype}, .scalar = {alpha}};
        return blas_submit(h, &c, sizeof(float));
    }
    EACH_TYPE(xtype, cublasSaxpy(h, n, alpha, x, incx, y, incy), cublasDaxpy(h, n, alpha, x, incx, y, incy),
              cublasCaxpy(h, n, alpha, x, incx, y, incy), cublasZaxpy(h, n, alpha, x, incx, y, incy))
}

cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void *alpha, cudaDataType alphatype, void *x,
                            cudaDataType xtype, int incx, cudaDataType execution) {
    TRY(blas_check(h, alpha != NULL));
    if (alphatype != wide(xtype) || execution != alphatype) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_small(xtype)) {
        Call c = {.run = run_scal, .n = {n, incx}, .p = {x}, .type = {(int)xtype}, .scalar = {alpha}};
        return blas_submit(h, &c, sizeof(float));
    }
    EACH_TYPE(xtype, cublasSscal(h, n, alpha, x, incx), cublasDscal(h, n, alpha, x, incx),
              cublasCscal(h, n, alpha, x, incx), cublasZscal(h, n, alpha, x, incx))
}

cublasStatus_t cublasCopyEx(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, void *y,
                            cudaDataType ytype, int incy) {
    TRY(blas_check(h, true));
    if (ytype != xtype) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_small(xtype)) {
        Call c = {.run = run_copy, .n = {n, incx, incy}, .p = {x, y}, .type = {(int)xtype}};
        return blas_submit(h, &c, 0);
    }
    EACH_TYPE(xtype, cublasScopy(h, n, x, incx, y, incy), cublasDcopy(h, n, x, incx, y, incy),
              cublasCcopy(h, n, x, incx, y, incy), cublasZcopy(h, n, x, incx, y, incy))
}

cublasStatus_t cublasSwapEx(cublasHandle_t h, int n, void *x, cudaDataType xtype, int incx, void *y, cudaDataType ytype,
                            int incy) {
    TRY(blas_check(h, true));
    if (ytype != xtype) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_small(xtype)) {
        Call c = {.run = run_swap, .n = {n, incx, incy}, .p = {x, y}, .type = {(int)xtype}};
        return blas_submit(h, &c, 0);
    }
    EACH_TYPE(xtype, cublasSswap(h, n, x, incx, y, incy), cublasDswap(h, n, x, incx, y, incy),
              cublasCswap(h, n, x, incx, y, incy), cublasZswap(h, n, x, incx, y, incy))
}

/* conjugate: of the first vector, where it is complex. */
static cublasStatus_t dot(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, const void *y,
                          cudaDataType ytype, int incy, void *result, cudaDataType resulttype, cudaDataType execution,
                          bool conjugate) {
    TRY(blas_check(h, result != NULL));
    if (ytype != xtype || resulttype != xtype || execution != wide(xtype)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_small(xtype)) {
        Call c = {.run = run_dot, .n = {n, incx, incy}, .p = {x, y, result}, .type = {(int)xtype}};
        return blas_submit_result(h, &c);
    }
    EACH_TYPE(xtype, cublasSdot(h, n, x, incx, y, incy, result), cublasDdot(h, n, x, incx, y, incy, result),
              (conjugate ? cublasCdotc : cublasCdotu)(h, n, x, incx, y, incy, result),
              (conjugate ? cublasZdotc : cublasZdotu)(h, n, x, incx, y, incy, result))
}

cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, const void *y,
                           cudaDataType ytype, int incy, void *result, cudaDataType resulttype,
                           cudaDataType execution) {
    return dot(h, n, x, xtype, incx, y, ytype, incy, result, resulttype, execution, false);
}

cublasStatus_t cublasDotcEx(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, const void *y,
                            cudaDataType ytype, int incy, void *result, cudaDataType resulttype,
                            cudaDataType execution) {
    return dot(h, n, x, xtype, incx, y, ytype, incy, result, resulttype, execution, true);
}

cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, void *result,
                            cudaDataType resulttype, cudaDataType execution) {
    TRY(blas_check(h, result != NULL));
    if (resulttype != real_of(xtype) || execution != wide(resulttype)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_small(xtype)) {
        Call c = {.run = run_nrm2, .n = {n, incx}, .p = {x, NULL, result}, .type = {(int)xtype}};
        return blas_submit_result(h, &c);
    }
    EACH_TYPE(xtype, cublasSnrm2(h, n, x, incx, result), cublasDnrm2(h, n, x, incx, result),
              cublasScnrm2(h, n, x, incx, result), cublasDznrm2(h, n, x, incx, result))
}

cublasStatus_t cublasAsumEx(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, void *result,
                            cudaDataType resulttype, cudaDataType execution) {
    TRY(blas_check(h, result != NULL));
    if (resulttype != real_of(xtype) || execution != wide(resulttype)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_small(xtype)) {
        Call c = {.run = run_asum, .n = {n, incx}, .p = {x, NULL, result}, .type = {(int)xtype}};
        return blas_submit_result(h, &c);
    }
    EACH_TYPE(xtype, cublasSasum(h, n, x, incx, result), cublasDasum(h, n, x, incx, result),
              cublasScasum(h, n, x, incx, result), cublasDzasum(h, n, x, incx, result))
}

#define PLACE_OF(Name, which)                                                                                          \
    cublasStatus_t cublas##Name##Ex(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx,              \
                                    int *result) {                                                                     \
        TRY(blas_check(h, result != NULL));                                                                            \
        if (is_small(xtype)) {                                                                                         \
            Call c = {.run = run_##which, .n = {n, incx}, .p = {x, NULL, result}, .type = {(int)xtype}};               \
            return blas_submit_result(h, &c);                                                                          \
        }                                                                                                              \
        EACH_TYPE(xtype, cublasIs##which(h, n, x, incx, result), cublasId##which(h, n, x, incx, result),               \
                  cublasIc##which(h, n, x, incx, result), cublasIz##which(h, n, x, incx, result))                      \
    }
PLACE_OF(Iamax, amax)
PLACE_OF(Iamin, amin)
