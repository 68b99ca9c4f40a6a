/* cublas.h: cuBLAS, the interface without handles (cucpu/cublas_v1.def): letters for operations, scalars and results by value, an
** error that cublasGetError() tells.  The functions have the names of those with handles, so a source has one or the other. */
#ifndef CUCPU_CUBLAS_H
#define CUCPU_CUBLAS_H
#if defined(CUCPU_CUBLAS_API_H)
#error "cublas.h and cublas_v2.h cannot be included both"
#endif
#define CUBLAS_H_ /* programs ask for it */
#include "cucpu/cublas_common.h"

#if defined(__cplusplus)
extern "C" {
#endif
#define cublasStatus cublasStatus_t
CUCPU_BLAS cublasInit(void);
CUCPU_BLAS cublasShutdown(void);
CUCPU_BLAS cublasGetError(void);
CUCPU_BLAS cublasGetVersion(int *version);
CUCPU_BLAS cublasAlloc(int n, int bytes, void **pointer);
CUCPU_BLAS cublasFree(void *pointer);
CUCPU_BLAS cublasSetKernelStream(cudaStream_t stream);
#define CALL(name, parameters, arguments) extern void cublas##name parameters;
#define RESULT(T, name, parameters, arguments) extern T cublas##name parameters;
#include "cucpu/cublas_v1.def"
#undef CALL
#undef RESULT
#if defined(__cplusplus)
}
#endif
#endif
