// Structures that programs exchange with the libraries lie as in NVIDIA's headers of CUDA 12: programs that nvcc has built share them.
// REQUIRES: run
// RUN: %clangxx -fsyntax-only -I%resources/include %s
#include <cstddef>
#include <cuda_runtime_api.h>
#define AT(type, member, offset) static_assert(offsetof(type, member) == offset, #type "." #member);
#define BYTES(type, size) static_assert(sizeof(type) == size, #type);
BYTES(cudaDeviceProp, 1032)
AT(cudaDeviceProp, totalGlobalMem, 288)
AT(cudaDeviceProp, warpSize, 308)
AT(cudaDeviceProp, major, 360)
AT(cudaDeviceProp, multiProcessorCount, 388)
AT(cudaDeviceProp, unifiedAddressing, 604)
AT(cudaDeviceProp, cooperativeLaunch, 688)
BYTES(cudaPointerAttributes, 24)
AT(cudaPointerAttributes, device, 4)
AT(cudaPointerAttributes, devicePointer, 8)
AT(cudaPointerAttributes, hostPointer, 16)
AT(cudaFuncAttributes, maxThreadsPerBlock, 24)
AT(cudaFuncAttributes, numRegs, 28)
AT(cudaFuncAttributes, maxDynamicSharedSizeBytes, 44)
BYTES(cudaMemcpy3DParms, 160)
BYTES(cudaPitchedPtr, 32)
BYTES(cudaTextureDesc, 72)
AT(cudaResourceDesc, res, 8)
BYTES(cudaLaunchAttribute, 72)
BYTES(cudaLaunchConfig_t, 56)
