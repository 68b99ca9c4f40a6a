/* typed_vectors.c: level 1 with types as arguments.  Numbers of two bytes are computed in single precision and rounded once. */
#include "mixed.h"
#include <math.h>

/* The type in which vectors of type t are computed, as `execution` asks; -1: there is none. */
static int computed_in(cudaDataType t, cudaDataType execution) {
    bool small = t == CUDA_R_16F || t == CUDA_R_16BF;
    bool known = small || t == CUDA_R_32F || t == CUDA_R_64F || t == CUDA_C_32F || t == CUDA_C_64F;
    cudaDataType own = small ? CUDA_R_32F : t;
    return known && execution == own ? (int)own : -1;
}
static cudaDataType own_type(cudaDataType t) { return t == CUDA_R_16F || t == CUDA_R_16BF ? CUDA_R_32F : t; }
/* May a scalar or a result have this type? */
static bool goes_with(cudaDataType scalar, cudaDataType t) { return scalar == t || scalar == own_type(t); }
static ptrdiff_t place(int n, int inc, int i) { return (ptrdiff_t)(inc < 0 ? i - n + 1 : i) * inc; }

/* The call with handles of one type; n, x, incx, y, incy are in scope. */
#define OF_TYPE(t, ...)                     \
    switch ((int)(t)) {                     \
    case CUDA_R_32F: { typedef float T; return cublasS##__VA_ARGS__; }            \
    case CUDA_R_64F: { typedef double T; return cublasD##__VA_ARGS__; }           \
    case CUDA_C_32F: { typedef cuComplex T; return cublasC##__VA_ARGS__; }        \
    case CUDA_C_64F: { typedef cuDoubleComplex T; return cublasZ##__VA_ARGS__; }  \
    }

static void run_axpy(const Call *c) {
    cudaDataType t = (cudaDataType)c->type[0];
    double alpha = blas_load(scalar(c, 0), (cudaDataType)c->type[3], 0);
    for (int i = 0; i < c->n[0]; i++) {
        ptrdiff_t x = place(c->n[0], c->n[1], i), y = place(c->n[0], c->n[2], i);
        float sum = (float)alpha * (float)blas_load(c->p[0], t, (size_t)x) + (float)blas_load(c->p[1], t, (size_t)y);
        blas_store((void *)c->p[1], t, (size_t)y, sum);
    }
}
cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void *alpha, cudaDataType atype, const void *x, cudaDataType xtype, int incx,
                            void *y, cudaDataType ytype, int incy, cudaDataType execution) {
    TRY(blas_check(h, alpha != NULL));
    if (xtype != ytype || computed_in(xtype, execution) < 0 || !goes_with(atype, xtype)) return CUBLAS_STATUS_NOT_SUPPORTED;
    OF_TYPE(xtype, axpy(h, n, (const T *)alpha, (const T *)x, incx, (T *)y, incy))
    Call c = {.run = run_axpy, .n = {n, incx, incy}, .p = {x, y}, .type = {(int)xtype, 0, 0, (int)atype}, .scalar = {alpha}};
    return blas_submit(h, &c, blas_size_of(atype));
}

static void run_scal(const Call *c) {
    cudaDataType t = (cudaDataType)c->type[0];
    float alpha = (float)blas_load(scalar(c, 0), (cudaDataType)c->type[3], 0);
    for (int i = 0; i < c->n[0]; i++) {
        size_t x = (size_t)i * (size_t)c->n[1];
        blas_store((void *)c->p[0], t, x, alpha * (float)blas_load(c->p[0], t, x));
    }
}
cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void *alpha, cudaDataType atype, void *x, cudaDataType xtype, int incx,
                            cudaDataType execution) {
    TRY(blas_check(h, alpha != NULL));
    if (computed_in(xtype, execution) < 0 || !goes_with(atype, xtype)) return CUBLAS_STATUS_NOT_SUPPORTED;
    OF_TYPE(xtype, scal(h, n, (const T *)alpha, (T *)x, incx))
    Call c = {.run = run_scal, .n = {incx > 0 ? n : 0, incx}, .p = {x}, .type = {(int)xtype, 0, 0, (int)atype}, .scalar = {alpha}};
    return blas_submit(h, &c, blas_size_of(atype));
}

static void run_dot(const Call *c) { /* or, without y, the norm, or the sum of sizes */
    cudaDataType t = (cudaDataType)c->type[0];
    double sum = 0;
    for (int i = 0; i < c->n[0]; i++) {
        double x = blas_load(c->p[0], t, (size_t)place(c->n[0], c->n[1], i));
        sum += c->op[0] ? fabs(x) : x * (c->p[1] ? blas_load(c->p[1], t, (size_t)place(c->n[0], c->n[2], i)) : x);
    }
    blas_store((void *)c->p[2], (cudaDataType)c->type[2], 0, c->p[1] || c->op[0] ? sum : sqrt(sum));
}
cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, const void *y, cudaDataType ytype,
                           int incy, void *result, cudaDataType rtype, cudaDataType execution) {
    TRY(blas_check(h, result && y));
    if (xtype != ytype || computed_in(xtype, execution) < 0 || !goes_with(rtype, xtype)) return CUBLAS_STATUS_NOT_SUPPORTED;
    switch ((int)xtype) {
    case CUDA_R_32F: return cublasSdot(h, n, x, incx, y, incy, result);
    case CUDA_R_64F: return cublasDdot(h, n, x, incx, y, incy, result);
    case CUDA_C_32F: return cublasCdotu(h, n, x, incx, y, incy, result);
    case CUDA_C_64F: return cublasZdotu(h, n, x, incx, y, incy, result);
    }
    Call c = {.run = run_dot, .n = {n, incx, incy}, .p = {x, y, result}, .type = {(int)xtype, 0, (int)rtype}};
    return blas_submit_result(h, &c);
}
cublasStatus_t cublasDotcEx(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, const void *y, cudaDataType ytype,
                            int incy, void *result, cudaDataType rtype, cudaDataType execution) {
    bool same = xtype == ytype && xtype == rtype && xtype == execution;
    if (same && xtype == CUDA_C_32F) return cublasCdotc(h, n, x, incx, y, incy, result);
    if (same && xtype == CUDA_C_64F) return cublasZdotc(h, n, x, incx, y, incy, result);
    return cublasDotEx(h, n, x, xtype, incx, y, ytype, incy, result, rtype, execution);
}

static cudaDataType real_of(cudaDataType t) { return t == CUDA_C_32F ? CUDA_R_32F : t == CUDA_C_64F ? CUDA_R_64F : t; }
/* Of complex vectors CUDA's execution type is that of the result. */
static bool norm_goes(cudaDataType xtype, cudaDataType rtype, cudaDataType execution) {
    return (computed_in(xtype, execution) >= 0 || (computed_in(xtype, xtype) >= 0 && execution == real_of(xtype))) && goes_with(rtype, real_of(xtype));
}
cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, void *result, cudaDataType rtype,
                            cudaDataType execution) {
    TRY(blas_check(h, result != NULL));
    if (!norm_goes(xtype, rtype, execution)) return CUBLAS_STATUS_NOT_SUPPORTED;
    switch ((int)xtype) {
    case CUDA_R_32F: return cublasSnrm2(h, n, x, incx, result);
    case CUDA_R_64F: return cublasDnrm2(h, n, x, incx, result);
    case CUDA_C_32F: return cublasScnrm2(h, n, x, incx, result);
    case CUDA_C_64F: return cublasDznrm2(h, n, x, incx, result);
    }
    Call c = {.run = run_dot, .n = {incx > 0 ? n : 0, incx}, .p = {x, NULL, result}, .type = {(int)xtype, 0, (int)rtype}};
    return blas_submit_result(h, &c);
}
cublasStatus_t cublasAsumEx(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, void *result, cudaDataType rtype,
                            cudaDataType execution) {
    TRY(blas_check(h, result != NULL));
    if (!norm_goes(xtype, rtype, execution)) return CUBLAS_STATUS_NOT_SUPPORTED;
    switch ((int)xtype) {
    case CUDA_R_32F: return cublasSasum(h, n, x, incx, result);
    case CUDA_R_64F: return cublasDasum(h, n, x, incx, result);
    case CUDA_C_32F: return cublasScasum(h, n, x, incx, result);
    case CUDA_C_64F: return cublasDzasum(h, n, x, incx, result);
    }
    Call c = {.run = run_dot, .op = {1}, .n = {incx > 0 ? n : 0, incx}, .p = {x, NULL, result}, .type = {(int)xtype, 0, (int)rtype}};
    return blas_submit_result(h, &c);
}

static void run_copy(const Call *c) {
    cudaDataType t = (cudaDataType)c->type[0];
    for (int i = 0; i < c->n[0]; i++) {
        size_t x = (size_t)place(c->n[0], c->n[1], i), y = (size_t)place(c->n[0], c->n[2], i);
        double a = blas_load(c->p[0], t, x), b = blas_load(c->p[1], t, y);
        blas_store((void *)c->p[1], t, y, a);
        if (c->op[0]) blas_store((void *)c->p[0], t, x, b);
    }
}
cublasStatus_t cublasCopyEx(cublasHandle_t h, int n, const void *x, cudaDataType xtype, int incx, void *y, cudaDataType ytype, int incy) {
    TRY(blas_check(h, true));
    if (xtype != ytype || computed_in(xtype, own_type(xtype)) < 0) return CUBLAS_STATUS_NOT_SUPPORTED;
    OF_TYPE(xtype, copy(h, n, (const T *)x, incx, (T *)y, incy))
    Call c = {.run = run_copy, .n = {n, incx, incy}, .p = {x, y}, .type = {(int)xtype}};
    return blas_submit(h, &c, 0);
}
cublasStatus_t cublasSwapEx(cublasHandle_t h, int n, void *x, cudaDataType xtype, int incx, void *y, cudaDataType ytype, int incy) {
    TRY(blas_check(h, true));
    if (xtype != ytype || computed_in(xtype, own_type(xtype)) < 0) return CUBLAS_STATUS_NOT_SUPPORTED;
    OF_TYPE(xtype, swap(h, n, (T *)x, incx, (T *)y, incy))
    Call c = {.run = run_copy, .op = {1}, .n = {n, incx, incy}, .p = {x, y}, .type = {(int)xtype}};
    return blas_submit(h, &c, 0);
}
