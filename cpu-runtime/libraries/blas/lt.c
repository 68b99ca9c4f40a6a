/* lt.c: cublasLtMatmul and what describes it.
**
** A product is computed in one piece of memory in the type of sums, then bias and activation are applied, then it is
** rounded into d: as the toolkit does it, which has the sums in registers.  Matrices whose order or type differs are
** copied before. */
#include "mixed.h"
#pragma GCC visibility push(default)
#include "cublasLt.h"
#pragma GCC visibility pop
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cublasLtContext {
    int unused;
};

typedef struct Layout {
    uint32_t type, order;
    uint64_t rows, columns;
    int64_t ld, stride;
    int32_t batch;
} Layout;

typedef struct Desc {
    int32_t compute, scale, pointers, transa, transb, transc, fill;
    uint32_t epilogue;
    void *bias, *aux;
    int64_t bias_stride, aux_ld, aux_stride;
    int32_t aux_type, bias_type; /* -1: that of d, of the sums */
    const float *scales[4];      /* of a, b, c, d: for 8-bit floats */
    float *largest;              /* the largest absolute value of d before its scale */
    int32_t ignored;             /* what is a hint */
    int8_t ignored_byte;
} Desc;
_Static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "layout");
_Static_assert(sizeof(Desc) <= sizeof(cublasLtMatmulDescOpaque_t), "description");

/* ---- attributes ---- */

typedef struct Attribute {
    int what;
    size_t offset, bytes;
} Attribute;
#define FIELD(what, T, field)                                                                                          \
    { what, offsetof(T, field), sizeof(((T *)0)->field) }

static const Attribute layout_attributes[] = {
    FIELD(CUBLASLT_MATRIX_LAYOUT_TYPE, Layout, type),
    FIELD(CUBLASLT_MATRIX_LAYOUT_ORDER, Layout, order),
    FIELD(CUBLASLT_MATRIX_LAYOUT_ROWS, Layout, rows),
    FIELD(CUBLASLT_MATRIX_LAYOUT_COLS, Layout, columns),
    FIELD(CUBLASLT_MATRIX_LAYOUT_LD, Layout, ld),
    FIELD(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, Layout, batch),
    FIELD(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, Layout, stride),
};
static const Attribute desc_attributes[] = {
    FIELD(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, Desc, compute),
    FIELD(CUBLASLT_MATMUL_DESC_SCALE_TYPE, Desc, scale),
    FIELD(CUBLASLT_MATMUL_DESC_POINTER_MODE, Desc, pointers),
    FIELD(CUBLASLT_MATMUL_DESC_TRANSA, Desc, transa),
    FIELD(CUBLASLT_MATMUL_DESC_TRANSB, Desc, transb),
    FIELD(CUBLASLT_MATMUL_DESC_TRANSC, Desc, transc),
    FIELD(CUBLASLT_MATMUL_DESC_FILL_MODE, Desc, fill),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE, Desc, epilogue),
    FIELD(CUBLASLT_MATMUL_DESC_BIAS_POINTER, Desc, bias),
    FIELD(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, Desc, bias_stride),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, Desc, aux),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, Desc, aux_ld),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, Desc, aux_stride),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, Desc, aux_type),
    FIELD(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, Desc, bias_type),
    FIELD(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, Desc, ignored),
    FIELD(CUBLASLT_MATMUL_DESC_FAST_ACCUM, Desc, ignored_byte),
    FIELD(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, Desc, scales[0]),
    FIELD(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, Desc, scales[1]),
    FIELD(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, Desc, scales[2]),
    FIELD(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, Desc, scales[3]),
    FIELD(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, Desc, largest),
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static const Attribute *find(const Attribute *a, size_t n, int what) {
    for (size_t i = 0; i < n; i++)
        if (a[i].what == what) return &a[i];
    return NULL;
}

static cublasStatus_t set(void *object, const Attribute *a, const void *value, size_t bytes) {
    if (!object || !value) return CUBLAS_STATUS_INVALID_VALUE;
    if (!a || bytes != a->bytes) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy((char *)object + a->offset, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get(const void *object, const Attribute *a, void *value, size_t bytes, size_t *written) {
    if (!object || !a || (bytes && !value) || (!bytes && !written) || (bytes && bytes < a->bytes))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (written) *written = a->bytes;
    if (bytes) memcpy(value, (const char *)object + a->offset, a->bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- objects ---- */

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
    cublasHandle_t h; /* sees to the number of threads */
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    TRY(cublasCreate(&h));
    cublasDestroy(h);
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}
const char *cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char *cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }
size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
size_t cublasGetCudartVersion(void) { return cublasLtGetCudartVersion(); }
size_t cublasLtGetCudartVersion(void) {
    int version = 0;
    cudaRuntimeGetVersion(&version);
    return (size_t)version;
}
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value) { return cublasGetProperty(type, value); }

cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type, uint64_t rows,
                                        uint64_t columns, int64_t ld) {
    if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
    *(Layout *)(void *)layout = (Layout){.type = type, .rows = rows, .columns = columns, .ld = ld, .batch = 1};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute, cudaDataType scale) {
    if (!desc) return CUBLAS_STATUS_INVALID_VALUE;
    *(Desc *)(void *)desc = (Desc){.compute = (int)compute,
                                   .scale = (int)scale,
                                   .fill = CUBLAS_FILL_MODE_FULL,
                                   .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                   .aux_type = -1,
                                   .bias_type = -1};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
    if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
    memset(preference, 0, sizeof *preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
    if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
    *layout = calloc(1, sizeof **layout);
    return *layout ? cublasLtMatrixLayoutInit(*layout, type, rows, columns, ld) : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType scale) {
    if (!desc) return CUBLAS_STATUS_INVALID_VALUE;
    *desc = calloc(1, sizeof **desc);
    return *desc ? cublasLtMatmulDescInit(*desc, compute, scale) : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
    if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
    *preference = calloc(1, sizeof **preference);
    return *preference ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
static cublasStatus_t destroy(void *p) {
    free(p);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroy(layout); }
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) { return destroy(desc); }
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { return destroy(preference); }
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t what,
                                                const void *value, size_t bytes) {
    return set(layout, find(layout_attributes, COUNT(layout_attributes), (int)what), value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t what,
                                                void *value, size_t bytes, size_t *written) {
    return get(layout, find(layout_attributes, COUNT(layout_attributes), (int)what), value, bytes, written);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t what,
                                              const void *value, size_t bytes) {
    return set(desc, find(desc_attributes, COUNT(desc_attributes), (int)what), value, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t what,
                                              void *value, size_t bytes, size_t *written) {
    return get(desc, find(desc_attributes, COUNT(desc_attributes), (int)what), value, bytes, written);
}
/* The one algorithm there is fits every preference. */
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t what, const void *value,
                                                    size_t bytes) {
    (void)what;
    return preference && value && bytes ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/* ---- what can be computed ---- */

typedef struct Product {
    Desc desc;
    Layout a, b, c, d;
    const void *pa, *pb, *pc, *alpha, *beta;
    void *pd;
    Scalar host[2];
    int sum;
} Product;

static bool is_plain(cublasOperation_t op) { return op == CUBLAS_OP_N; }
static uint64_t rows_of(const Layout *x, int op) { return is_plain((cublasOperation_t)op) ? x->rows : x->columns; }
static uint64_t columns_of(const Layout *x, int op) { return is_plain((cublasOperation_t)op) ? x->columns : x->rows; }
static bool is_layout(const Layout *x) {
    uint64_t min = x->order == CUBLASLT_ORDER_ROW ? x->columns : x->rows;
    return x->rows < INT32_MAX && x->columns < INT32_MAX && x->ld >= (int64_t)min && x->ld < INT32_MAX && x->batch >= 1;
}

static bool is_fp8(const Layout *x) { return blas_is_fp8((cudaDataType)x->type); }

/* Products of 8-bit floats are computed in single precision; the addend has at least 16 bits. */
static int type_of_sum(const Product *p) {
    cublasComputeType_t compute = (cublasComputeType_t)p->desc.compute;
    if (!is_fp8(&p->a) && !is_fp8(&p->b))
        return blas_type_of_sum(compute, (cudaDataType)p->a.type, (cudaDataType)p->b.type, (cudaDataType)p->d.type);
    if (!is_fp8(&p->a) || !is_fp8(&p->b) || compute != CUBLAS_COMPUTE_32F) return -1;
    if (p->a.type == CUDA_R_8F_E5M2 && p->b.type == CUDA_R_8F_E5M2) return -1;
    bool small = p->c.type == CUDA_R_16F || p->c.type == CUDA_R_16BF;
    return is_fp8(&p->d) ? (small ? CUDA_R_32F : -1) : small || p->d.type == CUDA_R_32F ? CUDA_R_32F : -1;
}

static cudaDataType type_of_bias(const Product *p) {
    if (p->desc.bias_type >= 0) return (cudaDataType)p->desc.bias_type;
    return (cudaDataType)(is_fp8(&p->d) ? p->c.type : p->d.type);
}
static cudaDataType type_of_aux(const Product *p) {
    return (cudaDataType)(p->desc.aux_type < 0 ? (int32_t)p->d.type : p->desc.aux_type);
}

static cublasStatus_t check(const Product *p) {
    const Desc *t = &p->desc;
    bool is_complex = p->sum == CUDA_C_32F || p->sum == CUDA_C_64F;
    if (!is_layout(&p->a) || !is_layout(&p->b) || !is_layout(&p->c) || !is_layout(&p->d))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows_of(&p->a, t->transa) != p->d.rows || columns_of(&p->b, t->transb) != p->d.columns ||
        columns_of(&p->a, t->transa) != rows_of(&p->b, t->transb) || p->c.rows != p->d.rows ||
        p->c.columns != p->d.columns)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p->sum < 0 || (p->c.type != p->d.type && !is_fp8(&p->d)) || t->transc ||
        (uint32_t)t->pointers > CUBLASLT_POINTER_MODE_DEVICE || t->fill != CUBLAS_FILL_MODE_FULL)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (t->scale != (int32_t)blas_type_of_scalars((cublasComputeType_t)t->compute, p->sum))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const Layout *scaled[] = {&p->a, &p->b, &p->a, &p->d}; /* the addend's scale is for one of 8-bit floats: not used */
    for (size_t i = 0; i < COUNT(scaled); i++)
        if (t->scales[i] && !is_fp8(scaled[i])) return CUBLAS_STATUS_NOT_SUPPORTED;
    if ((t->largest && !is_fp8(&p->d)) || (t->epilogue & 128 && blas_is_fp8(type_of_aux(p))))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const Layout *all[] = {&p->a, &p->b, &p->c, &p->d};
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i]->order > CUBLASLT_ORDER_ROW || (is_complex && all[i]->order) || all[i]->batch != p->d.batch)
            return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_complex && t->epilogue != CUBLASLT_EPILOGUE_DEFAULT) return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t describe(Product *p, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                               cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d) {
    if (!desc || !a || !b || !c || !d) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(&p->desc, desc, sizeof p->desc);
    memcpy(&p->a, a, sizeof p->a);
    memcpy(&p->b, b, sizeof p->b);
    memcpy(&p->c, c, sizeof p->c);
    memcpy(&p->d, d, sizeof p->d);
    p->sum = type_of_sum(p);
    return check(p);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int *found) {
    Product p = {0};
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!preference || wanted < 1 || !results || !found) return CUBLAS_STATUS_INVALID_VALUE;
    *found = 0;
    TRY(describe(&p, desc, a, b, c, d));
    results[0] = (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- a product ---- */

static size_t index_of(const Layout *x, int i, int j) {
    return x->order == CUBLASLT_ORDER_ROW ? (size_t)i * (size_t)x->ld + (size_t)j
                                          : (size_t)i + (size_t)j * (size_t)x->ld;
}
static const void *of_batch(const void *p, const Layout *x, int k) {
    return (const char *)p + k * x->stride * (int64_t)blas_size_of((cudaDataType)x->type);
}

/* By columns, in the type of sums, without gaps; *own is to be freed. */
static void *packed(const void *p, const Layout *x, int sum, int *ld, void **own) {
    int rows = (int)x->rows, columns = (int)x->columns;
    *ld = (int)x->ld;
    *own = NULL;
    if (x->order == CUBLASLT_ORDER_COL && (int)x->type == sum) return (void *)p;
    void *to = *own = malloc((size_t)rows * (size_t)columns * blas_size_of((cudaDataType)sum) + 1);
    for (int j = 0; j < columns && to; j++)
        for (int i = 0; i < rows; i++)
            blas_store(to, (cudaDataType)sum, (size_t)i + (size_t)j * (size_t)rows,
                       blas_load(p, (cudaDataType)x->type, index_of(x, i, j)));
    *ld = rows > 1 ? rows : 1;
    return to;
}

static double gelu(double x) { return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
static double gelu_slope(double x) {
    double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

typedef struct Aux {
    char *p;
    int64_t ld;
    cudaDataType type;
} Aux;

static Aux aux_of(const Product *p, int k) {
    const Desc *t = &p->desc;
    Aux a = {t->aux, t->aux_ld, type_of_aux(p)};
    bool bits = t->epilogue & (CUBLASLT_EPILOGUE_RELU | 8);
    if (a.p) a.p += bits ? k * t->aux_stride / 8 : k * t->aux_stride * (int64_t)blas_size_of(a.type);
    return a;
}

static bool read_bit(const Aux *a, int i, int j) {
    size_t at = (size_t)i + (size_t)j * (size_t)a->ld;
    return a->p[at / 8] >> at % 8 & 1;
}
static void write_bit(const Aux *a, int i, int j, bool set_it) {
    size_t at = (size_t)i + (size_t)j * (size_t)a->ld;
    a->p[at / 8] = (char)((a->p[at / 8] & ~(1 << at % 8)) | set_it << at % 8);
}

/* What becomes of a sum; aux keeps the input of the activation, or has it. */
static double activated(double x, unsigned epilogue, const Aux *a, int i, int j) {
    size_t at = (size_t)i + (size_t)j * (size_t)a->ld;
    bool aux = epilogue & 128 && a->p;
    if (epilogue & CUBLASLT_EPILOGUE_RELU) {
        if (aux) write_bit(a, i, j, x > 0);
        return x > 0 || x != x ? x : 0;
    }
    if (epilogue & CUBLASLT_EPILOGUE_GELU) {
        if (aux) blas_store(a->p, a->type, at, x);
        return gelu(x);
    }
    if (epilogue & 8 && aux) return read_bit(a, i, j) ? x : 0;
    if (epilogue & 64 && aux) return x * gelu_slope(blas_load(a->p, a->type, at));
    return x;
}

/* Of a, b, c, d; read when the product is computed. */
static float scale_of(const Product *p, int matrix) { return p->desc.scales[matrix] ? *p->desc.scales[matrix] : 1; }

static void finish(const Product *p, int k, void *sums, int ld) {
    const Desc *t = &p->desc;
    cudaDataType sum = (cudaDataType)p->sum, bias_type = type_of_bias(p);
    float scale = scale_of(p, 3);
    void *d = (void *)of_batch(p->pd, &p->d, k);
    char *bias = t->bias ? (char *)t->bias + k * t->bias_stride * (int64_t)blas_size_of(bias_type) : NULL;
    Aux aux = aux_of(p, k);
    for (int i = 0; i < (int)p->d.rows; i++) {
        double add = t->epilogue & CUBLASLT_EPILOGUE_BIAS && bias ? blas_load(bias, bias_type, (size_t)i) : 0,
               slope = 0;
        for (int j = 0; j < (int)p->d.columns; j++) {
            double x =
                activated(blas_load(sums, sum, (size_t)i + (size_t)j * (size_t)ld) + add, t->epilogue, &aux, i, j);
            slope += x;
            if (t->largest && fabs(x) > *t->largest) *t->largest = (float)fabs(x);
            blas_store(d, (cudaDataType)p->d.type, index_of(&p->d, i, j), scale == 1 ? x : (double)((float)x * scale));
        }
        if (t->epilogue & 16 && bias) blas_store(bias, bias_type, (size_t)i, slope);
    }
}

/* BGRADA, BGRADB: sums of op(a) or op(b) over their terms. */
static void sum_terms(const Product *p, int k) {
    const Desc *t = &p->desc;
    bool of_a = t->epilogue == CUBLASLT_EPILOGUE_BGRADA;
    if (!t->bias || !(of_a || t->epilogue == CUBLASLT_EPILOGUE_BGRADB)) return;
    const Layout *x = of_a ? &p->a : &p->b;
    bool along_rows = of_a ? is_plain((cublasOperation_t)t->transa) : !is_plain((cublasOperation_t)t->transb);
    const void *from = of_batch(of_a ? p->pa : p->pb, x, k);
    cudaDataType type = type_of_bias(p);
    int n = (int)(along_rows ? x->rows : x->columns), terms = (int)(along_rows ? x->columns : x->rows);
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < terms; j++)
            s += blas_load(from, (cudaDataType)x->type, along_rows ? index_of(x, i, j) : index_of(x, j, i));
        blas_store(t->bias, type, (size_t)i + (size_t)(k * t->bias_stride), s);
    }
}

/* Where the sums can be computed in place. */
static bool goes_to_d(const Product *p) {
    return p->d.order == CUBLASLT_ORDER_COL && (int)p->d.type == p->sum &&
           (p->desc.epilogue == CUBLASLT_EPILOGUE_DEFAULT || p->desc.epilogue >= CUBLASLT_EPILOGUE_BGRADA);
}

/* c, or nothing where beta is 0, in the memory of the sums. */
static void begin(const Product *p, int k, const Scalar *beta, void *sums, int ld) {
    const void *c = of_batch(p->pc, &p->c, k);
    size_t size = blas_size_of((cudaDataType)p->sum);
    if (blas_is_zero(beta, (cudaDataType)p->sum) || (c == sums && p->c.ld == ld)) return;
    for (int j = 0; j < (int)p->d.columns; j++)
        for (int i = 0; i < (int)p->d.rows; i++) {
            size_t to = (size_t)i + (size_t)j * (size_t)ld, from = index_of(&p->c, i, j);
            if ((int)p->c.type == p->sum) memcpy((char *)sums + to * size, (const char *)c + from * size, size);
            else blas_store(sums, (cudaDataType)p->sum, to, blas_load(c, (cudaDataType)p->c.type, from));
        }
}

static void run_one(const Product *p, int k, const Scalar s[2]) {
    cudaDataType sum = (cudaDataType)p->sum;
    int lda, ldb, ld = goes_to_d(p) ? (int)p->d.ld : (int)p->d.rows;
    int op[2] = {blas_op((cublasOperation_t)p->desc.transa), blas_op((cublasOperation_t)p->desc.transb)};
    int n[3] = {(int)p->d.rows, (int)p->d.columns, (int)columns_of(&p->a, p->desc.transa)};
    void *own[2], *a = packed(of_batch(p->pa, &p->a, k), &p->a, p->sum, &lda, &own[0]),
                  *b = packed(of_batch(p->pb, &p->b, k), &p->b, p->sum, &ldb, &own[1]);
    void *d = (void *)of_batch(p->pd, &p->d, k),
         *sums = goes_to_d(p) ? d : malloc((size_t)n[0] * (size_t)n[1] * blas_size_of(sum));
    if (a && b && sums) {
        begin(p, k, &s[1], sums, ld);
        blas_multiply(sum, op, n, &s[0], a, lda, b, ldb, &s[1], sums, ld);
        if (!goes_to_d(p)) finish(p, k, sums, ld);
        sum_terms(p, k);
    }
    if (sums != d) free(sums);
    free(own[0]);
    free(own[1]);
}

static void run(const void *arguments) {
    const Product *p = arguments;
    bool host = p->desc.pointers == CUBLASLT_POINTER_MODE_HOST;
    Scalar s[2];
    blas_read_scalar(&s[0], (cudaDataType)p->sum, host ? &p->host[0] : p->alpha, (cudaDataType)p->desc.scale);
    blas_read_scalar(&s[1], (cudaDataType)p->sum, host ? &p->host[1] : p->beta, (cudaDataType)p->desc.scale);
    if (is_fp8(&p->a)) s[0].s *= scale_of(p, 0) * scale_of(p, 1);
    if (p->desc.largest) *p->desc.largest = 0;
    for (int k = 0; k < p->d.batch; k++) run_one(p, k, s);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t alayout, const void *b, cublasLtMatrixLayout_t blayout,
                              const void *beta, const void *c, cublasLtMatrixLayout_t clayout, void *d,
                              cublasLtMatrixLayout_t dlayout, const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t bytes, cudaStream_t stream) {
    Product p = {.pa = a, .pb = b, .pc = c ? c : d, .pd = d, .alpha = alpha, .beta = beta};
    (void)algo, (void)workspace, (void)bytes;
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
    TRY(describe(&p, desc, alayout, blayout, clayout, dlayout));
    if (p.c.type != p.d.type) p.pc = c;
    if (p.desc.pointers == CUBLASLT_POINTER_MODE_HOST) {
        memcpy(&p.host[0], alpha, blas_size_of((cudaDataType)p.desc.scale));
        memcpy(&p.host[1], beta, blas_size_of((cudaDataType)p.desc.scale));
    }
    return p.d.rows && p.d.columns ? blas_put(stream, run, &p, sizeof p) : CUBLAS_STATUS_SUCCESS;
}
