/* handle.c: handles, names of statuses, copies between host and device. */
#include "blas.h"
#include <stdlib.h>

cublasStatus_t cublasCreate(cublasHandle_t *handle) {
    int threads = 0;
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = NULL;
    if (cudaDeviceGetAttribute(&threads, cudaDevAttrMultiProcessorCount, 0)) return CUBLAS_STATUS_NOT_INITIALIZED;
    openblas_set_num_threads(threads); /* as many as run kernels: CUCPU_NUM_THREADS */
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy(cublasHandle_t h) {
    TRY(blas_check(h, true));
    cudaError_t e = cudaStreamSynchronize(h->stream); /* which may be gone */
    free(h);
    return e == cudaSuccess || e == cudaErrorInvalidResourceHandle ? CUBLAS_STATUS_SUCCESS
                                                                   : CUBLAS_STATUS_INTERNAL_ERROR;
}

cublasStatus_t cublasGetVersion(cublasHandle_t h, int *version) {
    TRY(blas_check(h, version != NULL));
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
    static const int parts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
    if (!value || (unsigned)type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
    *value = parts[type];
    return CUBLAS_STATUS_SUCCESS;
}

/* What a handle keeps: a function that sets it and one that gets it. */
#define KEEPS(Name, T, field, right)                                                                                   \
    cublasStatus_t cublasSet##Name(cublasHandle_t h, T value) {                                                        \
        TRY(blas_check(h, right));                                                                                     \
        h->field = value;                                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }                                                                                                                  \
    cublasStatus_t cublasGet##Name(cublasHandle_t h, T *value) {                                                       \
        TRY(blas_check(h, value != NULL));                                                                             \
        *value = h->field;                                                                                             \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }
KEEPS(Stream, cudaStream_t, stream, true)
KEEPS(PointerMode, cublasPointerMode_t, pointers, (unsigned)value <= CUBLAS_POINTER_MODE_DEVICE)
KEEPS(AtomicsMode, cublasAtomicsMode_t, atomics, (unsigned)value <= CUBLAS_ATOMICS_ALLOWED)
KEEPS(MathMode, cublasMath_t, math,
      ((unsigned)value & ~(unsigned)CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) <= CUBLAS_TF32_TENSOR_OP_MATH)
KEEPS(SmCountTarget, int, sm_count, value >= 0)

/* OpenBLAS has memory of its own. */
cublasStatus_t cublasSetWorkspace(cublasHandle_t h, void *workspace, size_t bytes) {
    return blas_check(h, workspace || !bytes);
}

static cublasLogCallback logger;
cublasStatus_t cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file) {
    (void)on, (void)to_stdout, (void)to_stderr, (void)file; /* nothing is logged */
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback) {
    logger = callback;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback) {
    if (!callback) return CUBLAS_STATUS_INVALID_VALUE;
    *callback = logger;
    return CUBLAS_STATUS_SUCCESS;
}

static const struct Status {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as an argument"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "an absent device architectural feature is required"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "an error was detected when checking the license"},
};

static const struct Status *find_status(cublasStatus_t status) {
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status) return &statuses[i];
    return NULL;
}
const char *cublasGetStatusName(cublasStatus_t status) {
    const struct Status *s = find_status(status);
    return s ? s->name : "unknown status";
}
const char *cublasGetStatusString(cublasStatus_t status) {
    const struct Status *s = find_status(status);
    return s ? s->text : "unknown status";
}

/* ---- copies ---- */

static cublasStatus_t copied(cudaError_t e) { return e ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS; }

/* Columns of `width` bytes. */
static cublasStatus_t copy(int columns, size_t width, const void *x, size_t from, void *y, size_t to,
                           cudaStream_t stream, bool async) {
    if (!columns || !width) return CUBLAS_STATUS_SUCCESS;
    cudaError_t e = async ? cudaMemcpy2DAsync(y, to, x, from, width, (size_t)columns, cudaMemcpyDefault, stream)
                          : cudaMemcpy2D(y, to, x, from, width, (size_t)columns, cudaMemcpyDefault);
    return copied(e);
}

static cublasStatus_t copy_vector(int n, int bytes, const void *x, int incx, void *y, int incy, cudaStream_t stream,
                                  bool async) {
    if (n < 0 || bytes <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    size_t size = (size_t)bytes;
    return copy(n, size, x, size * (size_t)incx, y, size * (size_t)incy, stream, async);
}

static cublasStatus_t copy_matrix(int rows, int columns, int bytes, const void *a, int lda, void *b, int ldb,
                                  cudaStream_t stream, bool async) {
    if (rows < 0 || columns < 0 || bytes <= 0 || lda <= 0 || ldb <= 0 || lda < rows || ldb < rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    size_t size = (size_t)bytes;
    return copy(columns, size * (size_t)rows, a, size * (size_t)lda, b, size * (size_t)ldb, stream, async);
}

/* Both directions are the same: cudaMemcpyDefault finds out. */
#define COPIES(Way)                                                                                                    \
    cublasStatus_t cublas##Way##Vector(int n, int bytes, const void *x, int incx, void *y, int incy) {                 \
        return copy_vector(n, bytes, x, incx, y, incy, NULL, false);                                                   \
    }                                                                                                                  \
    cublasStatus_t cublas##Way##VectorAsync(int n, int bytes, const void *x, int incx, void *y, int incy,              \
                                            cudaStream_t s) {                                                          \
        return copy_vector(n, bytes, x, incx, y, incy, s, true);                                                       \
    }                                                                                                                  \
    cublasStatus_t cublas##Way##Matrix(int rows, int columns, int bytes, const void *a, int lda, void *b, int ldb) {   \
        return copy_matrix(rows, columns, bytes, a, lda, b, ldb, NULL, false);                                         \
    }                                                                                                                  \
    cublasStatus_t cublas##Way##MatrixAsync(int rows, int columns, int bytes, const void *a, int lda, void *b,         \
                                            int ldb, cudaStream_t s) {                                                 \
        return copy_matrix(rows, columns, bytes, a, lda, b, ldb, s, true);                                             \
    }
COPIES(Set)
COPIES(Get)
