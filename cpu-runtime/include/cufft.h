/* cufft.h: Fourier transforms on the device: the functions of cuFFT for plans of one device (docs/libraries.md). */
#ifndef CUCPU_CUFFT_H
#define CUCPU_CUFFT_H
#define _CUFFT_H_ /* programs ask for it */
#include "cuComplex.h"
#include "driver_types.h"
#include "library_types.h"

#define CUFFT_VER_MAJOR 11
#define CUFFT_VER_MINOR 3
#define CUFFT_VER_PATCH 3
#define CUFFT_VER_BUILD 0
#define CUFFT_VERSION (CUFFT_VER_MAJOR * 1000 + CUFFT_VER_MINOR * 100 + CUFFT_VER_PATCH)
#define CUFFTAPI
#define MAX_CUFFT_ERROR 0x15

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum cufftResult_t {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_INTERNAL_ERROR = 5,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8,
    CUFFT_UNALIGNED_DATA = 9,
    CUFFT_INCOMPLETE_PARAMETER_LIST = 10,
    CUFFT_INVALID_DEVICE = 11,
    CUFFT_PARSE_ERROR = 12,
    CUFFT_NO_WORKSPACE = 13,
    CUFFT_NOT_IMPLEMENTED = 14,
    CUFFT_LICENSE_ERROR = 15,
    CUFFT_NOT_SUPPORTED = 16,
    CUFFT_MISSING_DEPENDENCY = 17,
    CUFFT_NVRTC_FAILURE = 18,
    CUFFT_NVJITLINK_FAILURE = 19,
    CUFFT_NVSHMEM_FAILURE = 20
} cufftResult;

typedef enum cufftType_t {
    CUFFT_C2C = 0x29,
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_Z2Z = 0x69,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c
} cufftType;

typedef enum cufftCompatibility_t { CUFFT_COMPATIBILITY_FFTW_PADDING = 1 } cufftCompatibility;
#define CUFFT_COMPATIBILITY_DEFAULT CUFFT_COMPATIBILITY_FFTW_PADDING

#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#define CUFFT_PLAN_NULL -1

typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

extern cufftResult cufftCreate(cufftHandle *plan);
extern cufftResult cufftDestroy(cufftHandle plan);

extern cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch);
extern cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type);
extern cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type);
extern cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                                 int ostride, int odist, cufftType type, int batch);

extern cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize);
extern cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize);
extern cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *workSize);
extern cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                                     int ostride, int odist, cufftType type, int batch, size_t *workSize);
extern cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                       long long int istride, long long int idist, long long int *onembed,
                                       long long int ostride, long long int odist, cufftType type, long long int batch,
                                       size_t *workSize);

extern cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize);
extern cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize);
extern cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *workSize);
extern cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
                                     int odist, cufftType type, int batch, size_t *workSize);
extern cufftResult cufftGetSize(cufftHandle plan, size_t *workSize);
extern cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize);
extern cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize);
extern cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *workSize);
extern cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                                    int ostride, int odist, cufftType type, int batch, size_t *workSize);
extern cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                      long long int istride, long long int idist, long long int *onembed,
                                      long long int ostride, long long int odist, cufftType type, long long int batch,
                                      size_t *workSize);

extern cufftResult cufftSetWorkArea(cufftHandle plan, void *workArea);
extern cufftResult cufftSetAutoAllocation(cufftHandle plan, int autoAllocate);
extern cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);

extern cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *idata, cufftComplex *odata, int direction);
extern cufftResult cufftExecR2C(cufftHandle plan, cufftReal *idata, cufftComplex *odata);
extern cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *idata, cufftReal *odata);
extern cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleComplex *odata, int direction);
extern cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata, cufftDoubleComplex *odata);
extern cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleReal *odata);

extern cufftResult cufftGetVersion(int *version);
extern cufftResult cufftGetProperty(libraryPropertyType type, int *value);

#if defined(__cplusplus)
}
#endif
#endif
