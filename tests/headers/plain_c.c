// The API headers are C, for any host compiler, without warnings.
// RUN: %cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I%include -fsyntax-only %s
// RUN: %clangxx -x c++ -std=c++11 -Wall -Wextra -Werror -I%include -fsyntax-only %s
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <cuComplex.h>
#include <cuda_occupancy.h>
#include <cuda_profiler_api.h>
#include <cufftXt.h>
#include <curand.h>
#include <library_types.h>
#include <math_constants.h>
#include <vector_functions.h>
#include <vector_types.h>

int main(void) {
    struct cudaDeviceProp prop;
    dim3 grid = {1, 2, 3};
    float4 v = make_float4(1, 2, 3, 4);
    cuDoubleComplex z = cuCmul(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, 4));
    void *p = 0;
    CUdeviceptr d = 0;
    PFN_cuInit_v2000 init = &cuInit;
    PFN_cuStreamGetCtx_v9020 context = &cuStreamGetCtx;
    if (!init || !context) return 4;
    CUtensorMap map;
    if ((uintptr_t)&map % 64 || sizeof map != 128) return 3;
    if (cuTensorMapReplaceAddress(&map, p) == CUDA_SUCCESS) return CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
    if (cudaMalloc(&p, 16) != cudaSuccess || cuMemAlloc(&d, 16) != CUDA_SUCCESS) return 1;
    if (cudaGetDeviceProperties(&prop, 0) == cudaErrorInvalidDevice) return 2;
    return (int)(v.x + grid.x + cuCreal(z)) + prop.clockRate + CU_DEVICE_ATTRIBUTE_WARP_SIZE;
}
