/* vectors.c: level 1.  L and l are the letter of the elements T; VALUE_L gives cblas a number as it takes it. */
#include "blas.h"
#include <complex.h>
#include <string.h>

#define AXPY(L, l, T)                                                                                                  \
    static void run_##l##axpy(const Call *c) {                                                                         \
        cblas_##l##axpy(c->n[0], VALUE_##L(scalar(c, 0)), c->p[0], c->n[1], (void *)c->p[1], c->n[2]);                 \
    }                                                                                                                  \
    cublasStatus_t cublas##L##axpy(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y, int incy) {    \
        TRY(blas_check(h, alpha != NULL));                                                                             \
        Call c = {.run = run_##l##axpy, .n = {n, incx, incy}, .p = {x, y}, .scalar = {alpha}};                         \
        return blas_submit(h, &c, sizeof(T));                                                                          \
    }

#define SCAL(name, letters, VALUE, T, R)                                                                               \
    static void run_##letters##scal(const Call *c) {                                                                   \
        cblas_##letters##scal(c->n[0], VALUE(scalar(c, 0)), (void *)c->p[0], c->n[1]);                                 \
    }                                                                                                                  \
    cublasStatus_t cublas##name##scal(cublasHandle_t h, int n, const R *alpha, T *x, int incx) {                       \
        TRY(blas_check(h, alpha != NULL));                                                                             \
        Call c = {.run = run_##letters##scal, .n = {n, incx}, .p = {x}, .scalar = {alpha}};                            \
        return blas_submit(h, &c, sizeof(R));                                                                          \
    }

#define COPY(L, l, T)                                                                                                  \
    static void run_##l##copy(const Call *c) { cblas_##l##copy(c->n[0], c->p[0], c->n[1], (void *)c->p[1], c->n[2]); } \
    cublasStatus_t cublas##L##copy(cublasHandle_t h, int n, const T *x, int incx, T *y, int incy) {                    \
        TRY(blas_check(h, true));                                                                                      \
        Call c = {.run = run_##l##copy, .n = {n, incx, incy}, .p = {x, y}};                                            \
        return blas_submit(h, &c, 0);                                                                                  \
    }                                                                                                                  \
    static void run_##l##swap(const Call *c) {                                                                         \
        cblas_##l##swap(c->n[0], (void *)c->p[0], c->n[1], (void *)c->p[1], c->n[2]);                                  \
    }                                                                                                                  \
    cublasStatus_t cublas##L##swap(cublasHandle_t h, int n, T *x, int incx, T *y, int incy) {                          \
        TRY(blas_check(h, true));                                                                                      \
        Call c = {.run = run_##l##swap, .n = {n, incx, incy}, .p = {x, y}};                                            \
        return blas_submit(h, &c, 0);                                                                                  \
    }

/* Places are counted from 1; 0 where there is no element. */
#define INDEX(l, T, which)                                                                                             \
    static void run_##l##which(const Call *c) {                                                                        \
        int *result = (int *)c->p[1];                                                                                  \
        *result = c->n[0] < 1 || c->n[1] < 1 ? 0 : (int)cblas_i##l##which(c->n[0], c->p[0], c->n[1]) + 1;              \
    }                                                                                                                  \
    cublasStatus_t cublasI##l##which(cublasHandle_t h, int n, const T *x, int incx, int *result) {                     \
        TRY(blas_check(h, result != NULL));                                                                            \
        Call c = {.run = run_##l##which, .n = {n, incx}, .p = {x, result}};                                            \
        return blas_submit_result(h, &c);                                                                              \
    }

/* Many threads of a GPU add a few products each: a float's sum is as exact here, in pieces of single precision that
** are added in double. */
enum { PIECE = 4096 };
static float dot_of_s(int n, const float *x, int incx, const float *y, int incy) {
    if (n <= PIECE) return cblas_sdot(n, x, incx, y, incy);
    if (incx < 0 || incy < 0) return (float)cblas_dsdot(n, x, incx, y, incy);
    double sum = 0;
    for (int i = 0; i < n; i += PIECE)
        sum += cblas_sdot(n - i < PIECE ? n - i : PIECE, x + (ptrdiff_t)i * incx, incx, y + (ptrdiff_t)i * incy, incy);
    return (float)sum;
}
static double dot_of_d(int n, const double *x, int incx, const double *y, int incy) {
    return cblas_ddot(n, x, incx, y, incy);
}

#define NORM(name, letters, T, R, which)                                                                               \
    static void run_##letters##which(const Call *c) {                                                                  \
        R *result = (R *)c->p[1];                                                                                      \
        *result = c->n[0] < 1 || c->n[1] < 1 ? 0 : cblas_##letters##which(c->n[0], c->p[0], c->n[1]);                  \
    }                                                                                                                  \
    cublasStatus_t cublas##name##which(cublasHandle_t h, int n, const T *x, int incx, R *result) {                     \
        TRY(blas_check(h, result != NULL));                                                                            \
        Call c = {.run = run_##letters##which, .n = {n, incx}, .p = {x, result}};                                      \
        return blas_submit_result(h, &c);                                                                              \
    }

#define DOT(L, l, T)                                                                                                   \
    static void run_##l##dot(const Call *c) {                                                                          \
        *(T *)c->p[2] = dot_of_##l(c->n[0], c->p[0], c->n[1], c->p[1], c->n[2]);                                       \
    }                                                                                                                  \
    cublasStatus_t cublas##L##dot(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result) {    \
        TRY(blas_check(h, result != NULL));                                                                            \
        Call c = {.run = run_##l##dot, .n = {n, incx, incy}, .p = {x, y, result}};                                     \
        return blas_submit_result(h, &c);                                                                              \
    }

#define DOT_COMPLEX(L, l, T, which)                                                                                    \
    static void run_##l##which(const Call *c) {                                                                        \
        cblas_##l##which##_sub(c->n[0], c->p[0], c->n[1], c->p[1], c->n[2], (void *)c->p[2]);                          \
    }                                                                                                                  \
    cublasStatus_t cublas##L##which(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result) {  \
        TRY(blas_check(h, result != NULL));                                                                            \
        Call c = {.run = run_##l##which, .n = {n, incx, incy}, .p = {x, y, result}};                                   \
        return blas_submit_result(h, &c);                                                                              \
    }

/* ---- rotations ---- */

/* Two scalars of different size. */
static cublasStatus_t blas_submit_pair(cublasHandle_t h, const Call *c, size_t first, size_t second) {
    Call own = *c;
    if (h->pointers == CUBLAS_POINTER_MODE_DEVICE || first == second) return blas_submit(h, &own, first);
    Scalar wide[2] = {0};
    memcpy(&wide[0], c->scalar[0], first);
    memcpy(&wide[1], c->scalar[1], second);
    own.scalar[0] = &wide[0];
    own.scalar[1] = &wide[1];
    return blas_submit(h, &own, sizeof(Scalar));
}

/* K: the type that x and y are computed in; s may be complex. */
#define ROT(name, id, T, R, S, K, conj)                                                                                \
    static void run_##id##rot(const Call *call) {                                                                      \
        const R c = *(const R *)scalar(call, 0);                                                                       \
        K s;                                                                                                           \
        int n = call->n[0], incx = call->n[1], incy = call->n[2];                                                      \
        if (sizeof(S) < sizeof(K)) s = *(const R *)scalar(call, 1);                                                    \
        else memcpy(&s, scalar(call, 1), sizeof s);                                                                    \
        K *x = (K *)call->p[0] + (incx < 0 ? (ptrdiff_t)(1 - n) * incx : 0),                                           \
          *y = (K *)call->p[1] + (incy < 0 ? (ptrdiff_t)(1 - n) * incy : 0);                                           \
        for (int i = 0; i < n; i++, x += incx, y += incy) {                                                            \
            K a = *x, b = *y;                                                                                          \
            *x = c * a + s * b;                                                                                        \
            *y = c * b - conj(s) * a;                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    cublasStatus_t cublas##name##rot(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const R *c,              \
                                     const S *s) {                                                                     \
        TRY(blas_check(h, c &&s));                                                                                     \
        Call call = {.run = run_##id##rot, .n = {n, incx, incy}, .p = {x, y}, .scalar = {c, s}};                       \
        return blas_submit_pair(h, &call, sizeof(R), sizeof(S));                                                       \
    }

#define ROTG(L, l, T, R)                                                                                               \
    static void run_##l##rotg(const Call *c) {                                                                         \
        cblas_##l##rotg((void *)c->p[0], (void *)c->p[1], (void *)c->p[2], (void *)c->p[3]);                           \
    }                                                                                                                  \
    cublasStatus_t cublas##L##rotg(cublasHandle_t h, T *a, T *b, R *c, T *s) {                                         \
        TRY(blas_check(h, a &&b &&c &&s));                                                                             \
        Call call = {.run = run_##l##rotg, .p = {a, b, c, s}};                                                         \
        return blas_submit_result(h, &call);                                                                           \
    }

#define ROTM(L, l, T)                                                                                                  \
    static void run_##l##rotm(const Call *c) {                                                                         \
        T param[5];                                                                                                    \
        for (int i = 0; i < 5; i++) param[i] = ((const T *)c->p[2])[i];                                                \
        cblas_##l##rotm(c->n[0], (void *)c->p[0], c->n[1], (void *)c->p[1], c->n[2], param);                           \
    }                                                                                                                  \
    cublasStatus_t cublas##L##rotm(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const T *param) {          \
        TRY(blas_check(h, param != NULL));                                                                             \
        Call call = {.run = run_##l##rotm, .n = {n, incx, incy}, .p = {x, y, param}};                                  \
        return blas_submit_result(h, &call); /* param is the caller's */                                               \
    }                                                                                                                  \
    static void run_##l##rotmg(const Call *c) {                                                                        \
        T y1 = *(const T *)scalar(c, 0);                                                                               \
        cblas_##l##rotmg((void *)c->p[0], (void *)c->p[1], (void *)c->p[2], y1, (void *)c->p[3]);                      \
    }                                                                                                                  \
    cublasStatus_t cublas##L##rotmg(cublasHandle_t h, T *d1, T *d2, T *x1, const T *y1, T *param) {                    \
        TRY(blas_check(h, d1 &&d2 &&x1 &&y1 &&param));                                                                 \
        Call call = {.run = run_##l##rotmg, .p = {d1, d2, x1, param}, .scalar = {y1}};                                 \
        TRY(blas_submit(h, &call, sizeof(T)));                                                                         \
        if (h->pointers == CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_SUCCESS;                                   \
        return cudaStreamSynchronize(h->stream) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;              \
    }

#define ALL(L, l, T, N, n, R)                                                                                          \
    AXPY(L, l, T)                                                                                                      \
    COPY(L, l, T)                                                                                                      \
    SCAL(L, l, VALUE_##L, T, T)                                                                                        \
    ROTG(L, l, T, R) INDEX(l, T, amax) INDEX(l, T, amin) NORM(N, n, T, R, asum) NORM(N, n, T, R, nrm2)
#define SAME(x) (x)
ALL(S, s, float, S, s, float)
ALL(D, d, double, D, d, double)
ALL(C, c, cuComplex, Sc, sc, float)
ALL(Z, z, cuDoubleComplex, Dz, dz, double)
SCAL(Cs, cs, VALUE_S, cuComplex, float)
SCAL(Zd, zd, VALUE_D, cuDoubleComplex, double)
DOT(S, s, float)
DOT(D, d, double)
DOT_COMPLEX(C, c, cuComplex, dotu)
DOT_COMPLEX(C, c, cuComplex, dotc)
DOT_COMPLEX(Z, z, cuDoubleComplex, dotu)
DOT_COMPLEX(Z, z, cuDoubleComplex, dotc)
ROT(S, s, float, float, float, float, SAME)
ROT(D, d, double, double, double, double, SAME)
ROT(C, c, cuComplex, float, cuComplex, float complex, conjf)
ROT(Cs, cs, cuComplex, float, float, float complex, conjf)
ROT(Z, z, cuDoubleComplex, double, cuDoubleComplex, double complex, conj)
ROT(Zd, zd, cuDoubleComplex, double, double, double complex, conj)
ROTM(S, s, float)
ROTM(D, d, double)
