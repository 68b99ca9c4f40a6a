/* call.c: calls on a stream (blas.h), and what the arguments of cuBLAS are called in cblas. */
#include "blas.h"
#include <stdlib.h>
#include <string.h>

static void run_once(void *p) {
    Call *c = p;
    c->run(c);
    free(c);
}

static void run_again(void *p) {
    const Call *c = p;
    c->run(c);
}

/* The graph that is captured keeps the call for as long as it lives. */
static cudaError_t keep(cudaGraph_t graph, Call *c) {
    cudaUserObject_t object;
    cudaError_t e = cudaUserObjectCreate(&object, c, free, 1, cudaUserObjectNoDestructorSync);
    if (e) return e;
    return cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
}

static cudaError_t put(cudaStream_t stream, Call *c) {
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = NULL;
    cudaError_t e = cudaStreamGetCaptureInfo(stream, &capture, NULL, &graph, NULL, NULL);
    if (!e && capture == cudaStreamCaptureStatusActive) {
        e = keep(graph, c);
        if (e) free(c);
        return e ? e : cudaLaunchHostFunc(stream, run_again, c);
    }
    if (!e) e = cudaLaunchHostFunc(stream, run_once, c);
    if (e) free(c);
    return e;
}

cublasStatus_t blas_submit(cublasHandle_t h, const Call *c, size_t bytes) {
    Call *copy = malloc(sizeof *copy);
    if (!copy) return CUBLAS_STATUS_ALLOC_FAILED;
    *copy = *c;
    copy->copied = h->pointers == CUBLAS_POINTER_MODE_HOST;
    for (int k = 0; k < MAX_SCALARS && copy->copied && bytes; k++)
        if (c->scalar[k]) memcpy(&copy->host[k], c->scalar[k], bytes);
    return put(h->stream, copy) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_submit_result(cublasHandle_t h, const Call *c) {
    TRY(blas_submit(h, c, 0));
    if (h->pointers == CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_SUCCESS;
    return cudaStreamSynchronize(h->stream) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_check(cublasHandle_t h, bool right) {
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    return right ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

int blas_op(cublasOperation_t op) {
    static const int ops[] = {CblasNoTrans, CblasTrans, CblasConjTrans, CblasConjNoTrans};
    return (unsigned)op < 4 ? ops[op] : -1;
}
int blas_fill(cublasFillMode_t fill) {
    return fill == CUBLAS_FILL_MODE_LOWER ? CblasLower : fill == CUBLAS_FILL_MODE_UPPER ? CblasUpper : -1;
}
int blas_diag(cublasDiagType_t diag) {
    return diag == CUBLAS_DIAG_UNIT ? CblasUnit : diag == CUBLAS_DIAG_NON_UNIT ? CblasNonUnit : -1;
}
int blas_side(cublasSideMode_t side) {
    return side == CUBLAS_SIDE_LEFT ? CblasLeft : side == CUBLAS_SIDE_RIGHT ? CblasRight : -1;
}
