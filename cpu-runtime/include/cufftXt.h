/* cufftXt.h: of cuFFT's extensions those for plans of one device. */
#ifndef CUCPU_CUFFTXT_H
#define CUCPU_CUFFTXT_H
#define _CUFFTXT_H_ /* programs ask for it */
#include "cufft.h"
#include "library_types.h"

#if defined(__cplusplus)
extern "C" {
#endif

extern cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                       long long int istride, long long int idist, cudaDataType inputtype,
                                       long long int *onembed, long long int ostride, long long int odist,
                                       cudaDataType outputtype, long long int batch, size_t *workSize,
                                       cudaDataType executiontype);
extern cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                      long long int istride, long long int idist, cudaDataType inputtype,
                                      long long int *onembed, long long int ostride, long long int odist,
                                      cudaDataType outputtype, long long int batch, size_t *workSize,
                                      cudaDataType executiontype);
extern cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction);

#if defined(__cplusplus)
}
#endif
#endif
