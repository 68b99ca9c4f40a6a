/* legacy.c: the interface without handles (cublas.h), over the one with them.
**
** One handle is made by cublasInit for all threads; each thread has an error of its own, which cublasGetError
** returns and clears. In this file a function's name is that of the other interface; the linker's names distinguish
** them. */
#include "blas.h"
#include <string.h>

static cublasHandle_t shared;
static _Thread_local cublasStatus_t last;

#define EXPORTED(T, name, parameters)                                                                                  \
    extern T v1_##name parameters __asm__("cublas" #name) __attribute__((visibility("default")));                      \
    T v1_##name parameters
#define INSIDE(...) __VA_ARGS__

static cublasOperation_t OP(char c) {
    return c == 'n' || c == 'N'   ? CUBLAS_OP_N
           : c == 't' || c == 'T' ? CUBLAS_OP_T
           : c == 'c' || c == 'C' ? CUBLAS_OP_C
                                  : (cublasOperation_t)-1;
}
static cublasFillMode_t FILL(char c) {
    return c == 'l' || c == 'L'   ? CUBLAS_FILL_MODE_LOWER
           : c == 'u' || c == 'U' ? CUBLAS_FILL_MODE_UPPER
                                  : (cublasFillMode_t)-1;
}
static cublasDiagType_t DIAG(char c) {
    return c == 'u' || c == 'U' ? CUBLAS_DIAG_UNIT : c == 'n' || c == 'N' ? CUBLAS_DIAG_NON_UNIT : (cublasDiagType_t)-1;
}
static cublasSideMode_t SIDE(char c) {
    return c == 'l' || c == 'L' ? CUBLAS_SIDE_LEFT : c == 'r' || c == 'R' ? CUBLAS_SIDE_RIGHT : (cublasSideMode_t)-1;
}

/* Errors stay until they are queried. */
static cublasStatus_t note(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) last = status;
    return status;
}

#define CALL(name, parameters, arguments)                                                                              \
    EXPORTED(void, name, parameters) { note(cublas##name(shared, INSIDE arguments)); }
#define RESULT(T, name, parameters, arguments)                                                                         \
    EXPORTED(T, name, parameters) {                                                                                    \
        T result;                                                                                                      \
        memset(&result, 0, sizeof result);                                                                             \
        note(cublas##name(shared, INSIDE arguments));                                                                  \
        return result;                                                                                                 \
    }
#include "cucpu/cublas_v1.def"

EXPORTED(cublasStatus_t, Init, (void)) { return shared ? CUBLAS_STATUS_SUCCESS : cublasCreate(&shared); }
EXPORTED(cublasStatus_t, Shutdown, (void)) {
    cublasHandle_t h = shared;
    shared = NULL;
    return cublasDestroy(h);
}
EXPORTED(cublasStatus_t, GetError, (void)) {
    cublasStatus_t status = last;
    last = CUBLAS_STATUS_SUCCESS;
    return status;
}
EXPORTED(cublasStatus_t, GetVersion, (int *version)) { return cublasGetVersion(shared, version); }
EXPORTED(cublasStatus_t, SetKernelStream, (cudaStream_t stream)) { return note(cublasSetStream(shared, stream)); }
EXPORTED(cublasStatus_t, Alloc, (int n, int bytes, void **pointer)) {
    TRY(blas_check(shared, n > 0 && bytes > 0 && pointer));
    return cudaMalloc(pointer, (size_t)n * (size_t)bytes) ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
EXPORTED(cublasStatus_t, Free, (void *pointer)) {
    TRY(blas_check(shared, true));
    return cudaFree(pointer) ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS;
}

__attribute__((visibility("default"))) void cublasXerbla(const char *name, int parameter) {
    fprintf(stderr, " ** On entry to %s parameter number %d had an illegal value\n", name, parameter);
}
