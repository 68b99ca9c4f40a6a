/* call.c: calls on a stream (blas.h), and what the arguments of cuBLAS are called in cblas. */
#include "blas.h"
#include <stdlib.h>
#include <string.h>

typedef struct Job {
    void (*run)(const void *arguments);
    void *arguments; /* after it */
} Job;

static void run_once(void *p) {
    Job *job = p;
    job->run(job->arguments);
    free(job);
}

static void run_again(void *p) {
    const Job *job = p;
    job->run(job->arguments);
}

/* The graph that is captured keeps the job for as long as it lives. */
static cudaError_t keep(cudaGraph_t graph, Job *job) {
    cudaUserObject_t object;
    cudaError_t e = cudaUserObjectCreate(&object, job, free, 1, cudaUserObjectNoDestructorSync);
    if (e) {
        free(job);
        return e;
    }
    return cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
}

/* Takes the job over. */
static cudaError_t put(cudaStream_t stream, Job *job) {
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = NULL;
    cudaError_t e = cudaStreamGetCaptureInfo(stream, &capture, NULL, &graph, NULL, NULL);
    if (!e && capture == cudaStreamCaptureStatusActive) {
        e = keep(graph, job);
        return e ? e : cudaLaunchHostFunc(stream, run_again, job);
    }
    if (!e) e = cudaLaunchHostFunc(stream, run_once, job);
    if (e) free(job);
    return e;
}

cublasStatus_t blas_put(cudaStream_t stream, void (*run)(const void *), const void *arguments, size_t bytes) {
    Job *job = malloc(sizeof *job + bytes);
    if (!job) return CUBLAS_STATUS_ALLOC_FAILED;
    *job = (Job){run, job + 1};
    memcpy(job->arguments, arguments, bytes);
    return put(stream, job) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

static void run_call(const void *p) {
    const Call *c = p;
    c->run(c);
}

cublasStatus_t blas_submit(cublasHandle_t h, const Call *c, size_t bytes) {
    Call copy = *c;
    copy.copied = h->pointers == CUBLAS_POINTER_MODE_HOST;
    for (int k = 0; k < MAX_SCALARS && copy.copied && bytes; k++)
        if (c->scalar[k]) memcpy(&copy.host[k], c->scalar[k], bytes);
    return blas_put(h->stream, run_call, &copy, sizeof copy);
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
