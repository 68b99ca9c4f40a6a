/* mixed.c: products whose types are arguments.
**
** Operands are widened to float, double or their complex numbers, multiplied there, and the result is rounded once:
** sums of halves are as exact as tensor cores' or better.  Products of bytes are summed as doubles, which is exact,
** and kept modulo 2^32. */
#include "mixed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of two bytes ---- */

static float from_half(uint16_t bits) {
    _Float16 v;
    memcpy(&v, &bits, sizeof v);
    return (float)v;
}
static uint16_t to_half(double x) {
    _Float16 v = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static float from_bf16(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &wide, sizeof v);
    return v;
}
static uint16_t to_bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x) return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* ---- numbers of one byte ---- */

/* A format: bits of fraction, exponent of the smallest normal number, the largest number and its code. */
typedef struct Fp8 {
    int fraction, least;
    double largest;
    uint8_t code;
} Fp8;
static const Fp8 e4m3 = {3, -6, 448, 0x7e}, e5m2 = {2, -14, 57344, 0x7b};

static double from_fp8(const Fp8 *f, uint8_t bits) {
    int magnitude = bits & 0x7f, exponent = magnitude >> f->fraction;
    int places = (magnitude & ((1 << f->fraction) - 1)) + (exponent ? 1 << f->fraction : 0);
    double v = ldexp(places, (exponent ? exponent - 1 : 0) + f->least - f->fraction);
    if (magnitude > f->code) v = f == &e5m2 && magnitude == 0x7c ? INFINITY : NAN;
    return bits & 0x80 ? -v : v;
}
/* To nearest even; what is too large, infinity too, becomes the largest number. */
static uint8_t to_fp8(const Fp8 *f, double x) {
    uint8_t sign = signbit(x) ? 0x80 : 0;
    if (x != x) return 0x7f;
    if (fabs(x) >= f->largest) return sign | f->code;
    int e;
    frexp(x, &e);
    e = x == 0 || e - 1 < f->least ? 0 : e - 1 - f->least;
    int code = (int)rint(ldexp(fabs(x), f->fraction - f->least - e)) + (e << f->fraction);
    return sign | (uint8_t)(code < f->code ? code : f->code);
}

/* ---- elements ---- */

bool blas_is_fp8(cudaDataType t) { return t == CUDA_R_8F_E4M3 || t == CUDA_R_8F_E5M2; }

size_t blas_size_of(cudaDataType t) {
    switch (t) {
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
    case CUDA_R_8I: return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_32F:
    case CUDA_R_32I: return 4;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 0;
    }
}

double blas_load(const void *p, cudaDataType t, size_t i) {
    switch (t) {
    case CUDA_R_8I: return ((const int8_t *)p)[i];
    case CUDA_R_8F_E4M3: return from_fp8(&e4m3, ((const uint8_t *)p)[i]);
    case CUDA_R_8F_E5M2: return from_fp8(&e5m2, ((const uint8_t *)p)[i]);
    case CUDA_R_16F: return from_half(((const uint16_t *)p)[i]);
    case CUDA_R_16BF: return from_bf16(((const uint16_t *)p)[i]);
    case CUDA_R_32I: return ((const int32_t *)p)[i];
    case CUDA_R_32F: return ((const float *)p)[i];
    default: return ((const double *)p)[i];
    }
}

static int32_t to_int(double x) { /* exact below 2^53 */
    return (int32_t)(uint32_t)(int64_t)x;
}

void blas_store(void *p, cudaDataType t, size_t i, double x) {
    switch (t) {
    case CUDA_R_8F_E4M3: ((uint8_t *)p)[i] = to_fp8(&e4m3, x); return;
    case CUDA_R_8F_E5M2: ((uint8_t *)p)[i] = to_fp8(&e5m2, x); return;
    case CUDA_R_16F: ((uint16_t *)p)[i] = to_half(x); return;
    case CUDA_R_16BF: ((uint16_t *)p)[i] = to_bf16((float)x); return;
    case CUDA_R_32I: ((int32_t *)p)[i] = to_int(x); return;
    case CUDA_R_32F: ((float *)p)[i] = (float)x; return;
    default: ((double *)p)[i] = x;
    }
}

int blas_type_of_sum(cublasComputeType_t compute, cudaDataType a, cudaDataType b, cudaDataType c) {
    bool pair = a == b, small = a == CUDA_R_16F || a == CUDA_R_16BF;
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: return pair && a == CUDA_R_16F && c == CUDA_R_16F ? CUDA_R_32F : -1;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC: return pair && a == CUDA_R_8I && c == CUDA_R_32I ? CUDA_R_64F : -1;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC: return pair && b == c && (a == CUDA_R_64F || a == CUDA_C_64F) ? (int)a : -1;
    default:
        if (!pair) return -1;
        if (a == CUDA_C_32F) return c == CUDA_C_32F ? CUDA_C_32F : -1;
        if (small) return c == a || c == CUDA_R_32F ? CUDA_R_32F : -1;
        if (a == CUDA_R_8I) return c == CUDA_R_32F ? CUDA_R_32F : -1;
        return a == CUDA_R_32F && c == CUDA_R_32F ? CUDA_R_32F : -1;
    }
}

cudaDataType blas_type_of_scalars(cublasComputeType_t compute, int sum) {
    if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) return CUDA_R_16F;
    if (compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC) return CUDA_R_32I;
    return (cudaDataType)sum;
}

/* ---- a product ---- */

/* The matrix in the type of sums, which the caller frees where *own is set; NULL: no memory. */
static void *widened(const void *p, cudaDataType t, cudaDataType sum, int rows, int columns, int *ld, void **own) {
    *own = NULL;
    if (t == sum) return (void *)p;
    size_t n = (size_t)rows * (size_t)columns;
    void *to = *own = malloc((n ? n : 1) * blas_size_of(sum));
    for (int j = 0; j < columns && to; j++)
        for (int i = 0; i < rows; i++)
            blas_store(to, sum, i + (size_t)j * (size_t)rows, blas_load(p, t, i + (size_t)j * (size_t)*ld));
    *ld = rows > 1 ? rows : 1;
    return to;
}

void blas_multiply(cudaDataType sum, const int op[2], const int n[3], const Scalar *alpha, const void *a, int lda,
                   const void *b, int ldb, const Scalar *beta, void *to, int ldc) {
    enum CBLAS_TRANSPOSE ta = (enum CBLAS_TRANSPOSE)op[0], tb = (enum CBLAS_TRANSPOSE)op[1];
    int m = n[0], columns = n[1], k = n[2];
    switch (sum) {
    case CUDA_R_32F:
        cblas_sgemm(CblasColMajor, ta, tb, m, columns, k, alpha->s, a, lda, b, ldb, beta->s, to, ldc);
        return;
    case CUDA_R_64F:
        cblas_dgemm(CblasColMajor, ta, tb, m, columns, k, alpha->d, a, lda, b, ldb, beta->d, to, ldc);
        return;
    case CUDA_C_32F: cblas_cgemm(CblasColMajor, ta, tb, m, columns, k, alpha, a, lda, b, ldb, beta, to, ldc); return;
    default: cblas_zgemm(CblasColMajor, ta, tb, m, columns, k, alpha, a, lda, b, ldb, beta, to, ldc);
    }
}

void blas_read_scalar(Scalar *to, cudaDataType sum, const void *p, cudaDataType t) {
    if (t == sum) memcpy(to, p, blas_size_of(sum));
    else blas_store(to, sum, 0, blas_load(p, t, 0));
}

bool blas_is_zero(const Scalar *s, cudaDataType t) {
    if (t == CUDA_R_32F) return s->s == 0;
    return t == CUDA_R_64F && s->d == 0;
}

static void product(const Call *c, const void *a, const void *b, void *to) {
    cudaDataType sum = (cudaDataType)c->op[2], scalars = (cudaDataType)c->type[3], ctype = (cudaDataType)c->type[2];
    bool plain_a = c->op[0] == CblasNoTrans || c->op[0] == CblasConjNoTrans,
         plain_b = c->op[1] == CblasNoTrans || c->op[1] == CblasConjNoTrans;
    int m = c->n[0], n = c->n[1], k = c->n[2], lda = c->n[3], ldb = c->n[4], ldc = c->n[5];
    Scalar s[2];
    for (int i = 0; i < 2; i++) blas_read_scalar(&s[i], sum, scalar(c, i), scalars);
    void *own[3];
    void *wide_a = widened(a, (cudaDataType)c->type[0], sum, plain_a ? m : k, plain_a ? k : m, &lda, &own[0]);
    void *wide_b = widened(b, (cudaDataType)c->type[1], sum, plain_b ? k : n, plain_b ? n : k, &ldb, &own[1]);
    void *wide_c = widened(to, ctype, sum, m, blas_is_zero(&s[1], sum) && ctype != sum ? 0 : n, &ldc, &own[2]);
    if (own[2] && blas_is_zero(&s[1], sum)) { /* c may hold anything then */
        free(own[2]);
        wide_c = own[2] = malloc((size_t)m * (size_t)n * blas_size_of(sum));
    }
    if (wide_a && wide_b && wide_c)
        blas_multiply(sum, c->op, c->n, &s[0], wide_a, lda, wide_b, ldb, &s[1], wide_c, ldc);
    for (int j = 0; j < n && own[2]; j++)
        for (int i = 0; i < m; i++)
            blas_store(to, ctype, i + (size_t)j * (size_t)c->n[5], blas_load(wide_c, sum, i + (size_t)j * (size_t)m));
    for (int i = 0; i < 3; i++) free(own[i]);
}

static const void *moved(const void *p, int type, long long elements) {
    return (const char *)p + elements * (long long)blas_size_of((cudaDataType)type);
}

static void run_strided(const Call *c) {
    for (int i = 0; i < c->n[6]; i++)
        product(c, moved(c->p[0], c->type[0], i * c->stride[0]), moved(c->p[1], c->type[1], i * c->stride[1]),
                (void *)moved(c->p[2], c->type[2], i * c->stride[2]));
}

static void run_pointers(const Call *c) {
    for (int i = 0; i < c->n[6]; i++)
        product(c, ((const void *const *)c->p[0])[i], ((const void *const *)c->p[1])[i], ((void *const *)c->p[2])[i]);
}

/* n, p, stride, type[0 .. 2] and scalar are set. */
static cublasStatus_t submit(cublasHandle_t h, Call *c, cublasOperation_t transa, cublasOperation_t transb,
                             cublasComputeType_t compute) {
    int m = c->n[0], n = c->n[1], k = c->n[2];
    bool right = blas_op(transa) >= 0 && blas_op(transb) >= 0 && m >= 0 && n >= 0 && k >= 0 && c->n[6] >= 0 &&
                 c->scalar[0] && c->scalar[1];
    TRY(blas_check(h, right && fits(c->n[3], STORED(transa, m, k)) && fits(c->n[4], STORED(transb, k, n)) &&
                          fits(c->n[5], m)));
    int sum = blas_type_of_sum(compute, (cudaDataType)c->type[0], (cudaDataType)c->type[1], (cudaDataType)c->type[2]);
    if (sum < 0) return CUBLAS_STATUS_NOT_SUPPORTED;
    c->op[0] = blas_op(transa);
    c->op[1] = blas_op(transb);
    c->op[2] = sum;
    c->type[3] = (int)blas_type_of_scalars(compute, sum);
    return m && n && c->n[6] ? blas_submit(h, c, blas_size_of((cudaDataType)c->type[3])) : CUBLAS_STATUS_SUCCESS;
}

/* ---- the functions ---- */

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m,
                                          int n, int k, const void *alpha, const void *a, cudaDataType atype, int lda,
                                          long long stridea, const void *b, cudaDataType btype, int ldb,
                                          long long strideb, const void *beta, void *c, cudaDataType ctype, int ldc,
                                          long long stridec, int batch, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algo) {
    (void)algo;
    Call call = {.run = run_strided,
                 .n = {m, n, k, lda, ldb, ldc, batch},
                 .p = {a, b, c},
                 .stride = {stridea, strideb, stridec},
                 .type = {(int)atype, (int)btype, (int)ctype},
                 .scalar = {alpha, beta}};
    return submit(h, &call, transa, transb, compute);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                                   int k, const void *alpha, const void *const a[], cudaDataType atype, int lda,
                                   const void *const b[], cudaDataType btype, int ldb, const void *beta,
                                   void *const c[], cudaDataType ctype, int ldc, int batch, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algo) {
    (void)algo;
    Call call = {.run = run_pointers,
                 .n = {m, n, k, lda, ldb, ldc, batch},
                 .p = {a, b, c},
                 .type = {(int)atype, (int)btype, (int)ctype},
                 .scalar = {alpha, beta}};
    return submit(h, &call, transa, transb, compute);
}

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType atype, int lda, const void *b,
                            cudaDataType btype, int ldb, const void *beta, void *c, cudaDataType ctype, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algo) {
    return cublasGemmStridedBatchedEx(h, transa, transb, m, n, k, alpha, a, atype, lda, 0, b, btype, ldb, 0, beta, c,
                                      ctype, ldc, 0, 1, compute, algo);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                             const float *alpha, const void *a, cudaDataType atype, int lda, const void *b,
                             cudaDataType btype, int ldb, const float *beta, void *c, cudaDataType ctype, int ldc) {
    return cublasGemmEx(h, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                           const __half *alpha, const __half *a, int lda, const __half *b, int ldb, const __half *beta,
                           __half *c, int ldc) {
    return cublasHgemmStridedBatched(h, transa, transb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}

cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m,
                                         int n, int k, const __half *alpha, const __half *a, int lda, long long stridea,
                                         const __half *b, int ldb, long long strideb, const __half *beta, __half *c,
                                         int ldc, long long stridec, int batch) {
    return cublasGemmStridedBatchedEx(h, transa, transb, m, n, k, alpha, a, CUDA_R_16F, lda, stridea, b, CUDA_R_16F,
                                      ldb, strideb, beta, c, CUDA_R_16F, ldc, stridec, batch, CUBLAS_COMPUTE_16F,
                                      CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasHgemmBatched(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                                  int k, const __half *alpha, const __half *const a[], int lda, const __half *const b[],
                                  int ldb, const __half *beta, __half *const c[], int ldc, int batch) {
    return cublasGemmBatchedEx(h, transa, transb, m, n, k, alpha, (const void *const *)a, CUDA_R_16F, lda,
                               (const void *const *)b, CUDA_R_16F, ldb, beta, (void *const *)c, CUDA_R_16F, ldc, batch,
                               CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
