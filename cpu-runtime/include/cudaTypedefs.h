/* cudaTypedefs.h: PFN_cuInit and the like, types of pointers to the functions of the driver API, for what
** cuGetProcAddress and cudaGetDriverEntryPoint return; PFN_cuInit_v2000 says since which version of CUDA the
** function has these parameters.  Only for functions that cuda.h declares. */
#ifndef CUCPU_CUDA_TYPEDEFS_H
#define CUCPU_CUDA_TYPEDEFS_H
#define CUDATYPEDEFS_H /* programs ask for it */
#include "cuda.h"

#define CUCPU_PFN_(P) \
    P(cuGetProcAddress, 12000) P(cuDeviceGetByPCIBusId, 4010) P(cuDeviceGetDefaultMemPool, 11020) \
    P(cuDeviceGetMemPool, 11020) P(cuDeviceSetMemPool, 11020) P(cuCtxGetId, 12000) \
    P(cuCtxGetCacheConfig, 3020) P(cuCtxGetStreamPriorityRange, 5050) P(cuMemHostGetFlags, 2030) \
    P(cuMemAllocFromPoolAsync, 11020) P(cuMemsetD16Async, 3020) P(cuMemsetD2D16, 3020) \
    P(cuMemcpyPeerAsync, 4000) \
    P(cuPointerGetAttributes, 7000) P(cuArray3DGetDescriptor, 3020) P(cuStreamGetFlags, 5050) \
    P(cuStreamGetPriority, 5050) P(cuStreamAttachMemAsync, 6000) \
    P(cuEventRecordWithFlags, 11010) P(cuFuncGetName, 12030) P(cuKernelGetFunction, 12000) \
    P(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000) \
    P(cuOccupancyMaxPotentialBlockSizeWithFlags, 7000) P(cuOccupancyAvailableDynamicSMemPerBlock, 10020) \
    P(cuInit, 2000) P(cuDriverGetVersion, 2020) P(cuGetErrorName, 6000) P(cuGetErrorString, 6000) \
    P(cuDeviceGet, 2000) P(cuDeviceGetCount, 2000) P(cuDeviceGetName, 2000) \
    P(cuDeviceTotalMem, 3020) P(cuDeviceGetAttribute, 2000) P(cuDeviceGetProperties, 2000) \
    P(cuDeviceComputeCapability, 2000) P(cuDeviceCanAccessPeer, 4000) P(cuDeviceGetPCIBusId, 4010) \
    P(cuDevicePrimaryCtxRetain, 7000) P(cuDevicePrimaryCtxRelease, 11000) P(cuDevicePrimaryCtxReset, 11000) \
    P(cuDevicePrimaryCtxSetFlags, 11000) P(cuDevicePrimaryCtxGetState, 7000) P(cuCtxDestroy, 4000) \
    P(cuCtxPushCurrent, 4000) P(cuCtxPopCurrent, 4000) P(cuCtxSetCurrent, 4000) P(cuCtxGetCurrent, 4000) \
    P(cuCtxGetDevice, 2000) P(cuCtxGetFlags, 7000) P(cuCtxGetApiVersion, 3020) P(cuCtxSynchronize, 2000) \
    P(cuCtxSetLimit, 3010) P(cuCtxGetLimit, 3010) P(cuCtxSetCacheConfig, 3020) \
    P(cuCtxEnablePeerAccess, 4000) P(cuCtxDisablePeerAccess, 4000) P(cuCtxAttach, 2000) \
    P(cuCtxDetach, 2000) P(cuModuleLoad, 2000) P(cuModuleLoadData, 2000) P(cuModuleLoadDataEx, 2010) \
    P(cuModuleLoadFatBinary, 2000) P(cuModuleUnload, 2000) P(cuLibraryLoadData, 12000) \
    P(cuLibraryLoadFromFile, 12000) P(cuLibraryUnload, 12000) P(cuLibraryGetKernel, 12000) \
    P(cuLibraryGetGlobal, 12000) P(cuLibraryGetModule, 12000) P(cuModuleGetFunction, 2000) \
    P(cuModuleGetGlobal, 3020) P(cuModuleGetTexRef, 2000) P(cuModuleGetSurfRef, 3000) P(cuLinkCreate, 6050) \
    P(cuLinkAddData, 6050) P(cuLinkAddFile, 6050) P(cuLinkComplete, 5050) P(cuLinkDestroy, 5050) \
    P(cuMemGetInfo, 3020) P(cuMemAlloc, 3020) P(cuMemAllocPitch, 3020) P(cuMemFree, 3020) \
    P(cuMemGetAddressRange, 3020) P(cuMemAllocHost, 3020) P(cuMemFreeHost, 2000) P(cuMemHostAlloc, 2020) \
    P(cuMemHostGetDevicePointer, 3020) P(cuMemHostRegister, 6050) P(cuMemHostUnregister, 4000) \
    P(cuMemAllocManaged, 6000) P(cuMemAllocAsync, 11020) P(cuMemFreeAsync, 11020) P(cuMemcpy, 4000) \
    P(cuMemcpyAsync, 4000) P(cuMemcpyHtoD, 3020) P(cuMemcpyDtoH, 3020) P(cuMemcpyDtoD, 3020) \
    P(cuMemcpyHtoDAsync, 3020) P(cuMemcpyDtoHAsync, 3020) P(cuMemcpyDtoDAsync, 3020) P(cuMemcpyDtoA, 3020) \
    P(cuMemcpyAtoD, 3020) P(cuMemcpyHtoA, 3020) P(cuMemcpyAtoH, 3020) P(cuMemcpy2D, 3020) \
    P(cuMemcpy2DUnaligned, 3020) P(cuMemcpy2DAsync, 3020) P(cuMemcpy3D, 3020) P(cuMemcpy3DAsync, 3020) \
    P(cuMemcpyPeer, 4000) P(cuMemsetD8, 3020) P(cuMemsetD16, 3020) P(cuMemsetD32, 3020) \
    P(cuMemsetD8Async, 3020) P(cuMemsetD32Async, 3020) P(cuMemsetD2D8, 3020) P(cuMemsetD2D32, 3020) \
    P(cuMemAddressReserve, 10020) P(cuMemAddressFree, 10020) P(cuMemCreate, 10020) P(cuMemRelease, 10020) \
    P(cuMemMap, 10020) P(cuMemUnmap, 10020) P(cuMemSetAccess, 10020) \
    P(cuMemGetAllocationGranularity, 10020) P(cuMemGetAccess, 10020) P(cuMemExportToShareableHandle, 10020) \
    P(cuMemImportFromShareableHandle, 10020) P(cuMemGetAllocationPropertiesFromHandle, 10020) \
    P(cuPointerGetAttribute, 4000) P(cuArrayCreate, 3020) P(cuArray3DCreate, 3020) \
    P(cuArrayGetDescriptor, 3020) P(cuArrayDestroy, 2000) P(cuStreamCreate, 2000) \
    P(cuStreamCreateWithPriority, 5050) P(cuStreamDestroy, 4000) P(cuStreamQuery, 2000) \
    P(cuStreamSynchronize, 2000) P(cuStreamWaitEvent, 3020) P(cuStreamAddCallback, 5000) \
    P(cuLaunchHostFunc, 10000) P(cuEventCreate, 2000) P(cuEventDestroy, 4000) P(cuEventRecord, 2000) \
    P(cuEventQuery, 2000) P(cuEventSynchronize, 2000) P(cuEventElapsedTime, 12080) \
    P(cuFuncGetAttribute, 2020) P(cuFuncSetAttribute, 9000) P(cuFuncSetCacheConfig, 3000) \
    P(cuFuncGetModule, 11000) P(cuLaunchKernel, 4000) P(cuLaunchKernelEx, 11060) \
    P(cuLaunchCooperativeKernel, 9000) P(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050) \
    P(cuOccupancyMaxPotentialBlockSize, 6050) P(cuTexObjectCreate, 5000) P(cuTexObjectDestroy, 5000) \
    P(cuSurfObjectCreate, 5000) P(cuSurfObjectDestroy, 5000) P(cuTexRefSetArray, 2000) \
    P(cuTexRefSetAddress, 3020) P(cuTexRefSetFormat, 2000) P(cuTexRefSetAddressMode, 2000) \
    P(cuTexRefSetFilterMode, 2000) P(cuTexRefSetFlags, 2000) P(cuFuncSetBlockShape, 2000) \
    P(cuFuncSetSharedSize, 2000) P(cuParamSetSize, 2000) P(cuParamSeti, 2000) P(cuParamSetf, 2000) \
    P(cuParamSetv, 2000) P(cuParamSetTexRef, 2000) P(cuLaunch, 2000) P(cuLaunchGrid, 2000) \
    P(cuLaunchGridAsync, 2000) P(cuTensorMapEncodeTiled, 12000) P(cuTensorMapEncodeIm2col, 12000) \
    P(cuTensorMapEncodeIm2colWide, 12080) P(cuTensorMapReplaceAddress, 12000)
#define CUCPU_PFN_TYPE_(name, version)                         \
    typedef __typeof__(&name) PFN_##name##_v##version;         \
    typedef PFN_##name##_v##version PFN_##name;
CUCPU_PFN_(CUCPU_PFN_TYPE_)
#undef CUCPU_PFN_TYPE_
#undef CUCPU_PFN_
/* These take something else since the later version. */
#define CUCPU_PFN_TWO_(name, version, later)                   \
    typedef __typeof__(&name) PFN_##name##_v##version;         \
    typedef __typeof__(&name##_v2) PFN_##name##_v##later;      \
    typedef PFN_##name##_v##later PFN_##name;
CUCPU_PFN_TWO_(cuDeviceGetUuid, 9020, 11040)
CUCPU_PFN_TWO_(cuMemAdvise, 8000, 12020)
CUCPU_PFN_TWO_(cuMemPrefetchAsync, 8000, 12020)
CUCPU_PFN_TWO_(cuStreamGetCtx, 9020, 12050)
#undef CUCPU_PFN_TWO_
typedef CUresult (*PFN_cuCtxCreate_v3020)(CUcontext *context, unsigned int flags, CUdevice device);
typedef PFN_cuCtxCreate_v3020 PFN_cuCtxCreate;
#endif
