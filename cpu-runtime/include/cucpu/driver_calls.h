/* driver_calls.h: the functions of the driver API; part of cuda.h, which has the types. */
#ifndef CUCPU_DRIVER_CALLS_H
#define CUCPU_DRIVER_CALLS_H
#define CUCPU_DRV extern CUresult
#define cuGetProcAddress cuGetProcAddress_v2
CUCPU_DRV cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags,
                           CUdriverProcAddressQueryResult *status);
CUCPU_DRV cuDeviceGetByPCIBusId(CUdevice *device, const char *id);
CUCPU_DRV cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUCPU_DRV cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUCPU_DRV cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);
CUCPU_DRV cuCtxGetId(CUcontext context, unsigned long long *id);
CUCPU_DRV cuCtxGetCacheConfig(CUfunc_cache *config);
CUCPU_DRV cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUCPU_DRV cuMemHostGetFlags(unsigned int *flags, void *host);
CUCPU_DRV cuMemAllocFromPoolAsync(CUdeviceptr *ptr, size_t size, CUmemoryPool pool, CUstream s_);
CUCPU_DRV cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t n_, CUstream stream);
CUCPU_DRV cuMemsetD2D16(CUdeviceptr dst, size_t pitch, unsigned short value, size_t w, size_t h_);
CUCPU_DRV cuMemPrefetchAsync(CUdeviceptr ptr, size_t size, CUdevice device, CUstream stream);
CUCPU_DRV cuMemAdvise(CUdeviceptr ptr, size_t size, int advice, CUdevice device);
CUCPU_DRV cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src,
                            CUcontext srcContext, size_t size, CUstream stream);
CUCPU_DRV cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data,
                                 CUdeviceptr ptr);
CUCPU_DRV cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array);
CUCPU_DRV cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUCPU_DRV cuStreamGetPriority(CUstream stream, int *priority);
CUCPU_DRV cuStreamGetCtx(CUstream stream, CUcontext *context);
CUCPU_DRV cuStreamAttachMemAsync(CUstream stream, CUdeviceptr ptr, size_t size, unsigned int flags);
CUCPU_DRV cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags);
CUCPU_DRV cuFuncGetName(const char **name, CUfunction function);
CUCPU_DRV cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUCPU_DRV cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config);
CUCPU_DRV cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config);
CUCPU_DRV cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                               int blockSize, size_t dynamicShared,
                                                               unsigned int flags);
CUCPU_DRV cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
                                                    CUfunction function, CUoccupancyB2DSize size,
                                                    size_t dynamicShared, int limit,
                                                    unsigned int flags);
CUCPU_DRV cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks,
                                                  int blockSize);
CUCPU_DRV cuInit(unsigned int flags);
CUCPU_DRV cuDriverGetVersion(int *version);
CUCPU_DRV cuGetErrorName(CUresult error, const char **name);
CUCPU_DRV cuGetErrorString(CUresult error, const char **text);
CUCPU_DRV cuDeviceGet(CUdevice *device, int ordinal);
CUCPU_DRV cuDeviceGetCount(int *count);
CUCPU_DRV cuDeviceGetName(char *name, int len, CUdevice device);
CUCPU_DRV cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUCPU_DRV cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CUCPU_DRV cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUCPU_DRV cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUCPU_DRV cuDeviceGetProperties(CUdevprop *prop, CUdevice device);
CUCPU_DRV cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUCPU_DRV cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUCPU_DRV cuDeviceGetPCIBusId(char *id, int len, CUdevice device);
CUCPU_DRV cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUCPU_DRV cuDevicePrimaryCtxRelease(CUdevice device);
CUCPU_DRV cuDevicePrimaryCtxReset(CUdevice device);
CUCPU_DRV cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
CUCPU_DRV cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
CUCPU_DRV cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUCPU_DRV cuCtxDestroy(CUcontext context);
CUCPU_DRV cuCtxPushCurrent(CUcontext context);
CUCPU_DRV cuCtxPopCurrent(CUcontext *context);
CUCPU_DRV cuCtxSetCurrent(CUcontext context);
CUCPU_DRV cuCtxGetCurrent(CUcontext *context);
CUCPU_DRV cuCtxGetDevice(CUdevice *device);
CUCPU_DRV cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx);
CUCPU_DRV cuCtxGetFlags(unsigned int *flags);
CUCPU_DRV cuCtxGetApiVersion(CUcontext context, unsigned int *version);
CUCPU_DRV cuCtxSynchronize(void);
CUCPU_DRV cuCtxSetLimit(CUlimit limit, size_t value);
CUCPU_DRV cuCtxGetLimit(size_t *value, CUlimit limit);
CUCPU_DRV cuCtxSetCacheConfig(CUfunc_cache config);
CUCPU_DRV cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUCPU_DRV cuCtxDisablePeerAccess(CUcontext peer);
CUCPU_DRV cuCtxAttach(CUcontext *context, unsigned int flags);
CUCPU_DRV cuCtxDetach(CUcontext context);
CUCPU_DRV cuModuleLoad(CUmodule *module, const char *file);
CUCPU_DRV cuModuleLoadData(CUmodule *module, const void *image);
CUCPU_DRV cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                             CUjit_option *options, void **values);
CUCPU_DRV cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUCPU_DRV cuModuleUnload(CUmodule module);
CUCPU_DRV cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                            void **jitValues, unsigned int jitCount, CUlibraryOption *options,
                            void **values, unsigned int count);
CUCPU_DRV cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *jitOptions,
                                void **jitValues, unsigned int jitCount, CUlibraryOption *options,
                                void **values, unsigned int count);
CUCPU_DRV cuLibraryUnload(CUlibrary library);
CUCPU_DRV cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUCPU_DRV cuLibraryGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name);
CUCPU_DRV cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUCPU_DRV cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUCPU_DRV cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUCPU_DRV cuModuleGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUmodule module, const char *name);
CUCPU_DRV cuModuleGetTexRef(CUtexref *texref, CUmodule module, const char *name);
CUCPU_DRV cuModuleGetSurfRef(CUsurfref *surfref, CUmodule module, const char *name);
CUCPU_DRV cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *s_);
CUCPU_DRV cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                        const char *name, unsigned int count, CUjit_option *options, void **values);
CUCPU_DRV cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                        unsigned int count, CUjit_option *options, void **values);
CUCPU_DRV cuLinkComplete(CUlinkState state, void **cubin, size_t *size);
CUCPU_DRV cuLinkDestroy(CUlinkState state);
CUCPU_DRV cuMemGetInfo(size_t *free, size_t *total);
CUCPU_DRV cuMemAlloc(CUdeviceptr *ptr, size_t size);
CUCPU_DRV cuMemAllocPitch(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height,
                          unsigned int element);
CUCPU_DRV cuMemFree(CUdeviceptr ptr);
CUCPU_DRV cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr ptr);
CUCPU_DRV cuMemAllocHost(void **ptr, size_t size);
CUCPU_DRV cuMemFreeHost(void *ptr);
CUCPU_DRV cuMemHostAlloc(void **ptr, size_t size, unsigned int flags);
CUCPU_DRV cuMemHostGetDevicePointer(CUdeviceptr *ptr, void *host, unsigned int flags);
CUCPU_DRV cuMemHostRegister(void *ptr, size_t size, unsigned int flags);
CUCPU_DRV cuMemHostUnregister(void *ptr);
CUCPU_DRV cuMemAllocManaged(CUdeviceptr *ptr, size_t size, unsigned int flags);
CUCPU_DRV cuMemAllocAsync(CUdeviceptr *ptr, size_t size, CUstream stream);
CUCPU_DRV cuMemFreeAsync(CUdeviceptr ptr, CUstream stream);
CUCPU_DRV cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size);
CUCPU_DRV cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream);
CUCPU_DRV cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t size);
CUCPU_DRV cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t size);
CUCPU_DRV cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t size);
CUCPU_DRV cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t size, CUstream stream);
CUCPU_DRV cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t size, CUstream stream);
CUCPU_DRV cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream);
CUCPU_DRV cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t size);
CUCPU_DRV cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t size);
CUCPU_DRV cuMemcpyHtoA(CUarray dst, size_t offset, const void *src, size_t size);
CUCPU_DRV cuMemcpyAtoH(void *dst, CUarray src, size_t offset, size_t size);
CUCPU_DRV cuMemcpy2D(const CUDA_MEMCPY2D *copy);
CUCPU_DRV cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy);
CUCPU_DRV cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream);
CUCPU_DRV cuMemcpy3D(const CUDA_MEMCPY3D *copy);
CUCPU_DRV cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream);
CUCPU_DRV cuMemcpyPeer(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src,
                       CUcontext srcContext, size_t size);
CUCPU_DRV cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t n_);
CUCPU_DRV cuMemsetD16(CUdeviceptr dst, unsigned short value, size_t n_);
CUCPU_DRV cuMemsetD32(CUdeviceptr dst, unsigned int value, size_t n_);
CUCPU_DRV cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t n_, CUstream stream);
CUCPU_DRV cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t n_, CUstream stream);
CUCPU_DRV cuMemsetD2D8(CUdeviceptr dst, size_t pitch, unsigned char value, size_t w, size_t h_);
CUCPU_DRV cuMemsetD2D32(CUdeviceptr dst, size_t pitch, unsigned int value, size_t w, size_t h_);
CUCPU_DRV cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                              unsigned long long flags);
CUCPU_DRV cuMemAddressFree(CUdeviceptr ptr, size_t size);
CUCPU_DRV cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                      const CUmemAllocationProp *prop, unsigned long long flags);
CUCPU_DRV cuMemRelease(CUmemGenericAllocationHandle handle);
CUCPU_DRV cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *p);
CUCPU_DRV cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
                   CUmemGenericAllocationHandle handle, unsigned long long flags);
CUCPU_DRV cuMemUnmap(CUdeviceptr ptr, size_t size);
CUCPU_DRV cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count);
CUCPU_DRV cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                        CUmemAllocationGranularity_flags option);
CUCPU_DRV cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr p_);
CUCPU_DRV cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                       CUmemAllocationHandleType type, unsigned long long flags);
CUCPU_DRV cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                         CUmemAllocationHandleType type);
CUCPU_DRV cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                 CUmemGenericAllocationHandle handle);
CUCPU_DRV cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr);
CUCPU_DRV cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc);
CUCPU_DRV cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc);
CUCPU_DRV cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array);
CUCPU_DRV cuArrayDestroy(CUarray array);
CUCPU_DRV cuMemcpyAtoA(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset, size_t size);
CUCPU_DRV cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t size, CUstream stream);
CUCPU_DRV cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t size, CUstream stream);
CUCPU_DRV cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc,
                                 unsigned int levels);
CUCPU_DRV cuMipmappedArrayGetLevel(CUarray *level_, CUmipmappedArray array, unsigned int level);
CUCPU_DRV cuMipmappedArrayDestroy(CUmipmappedArray array);
CUCPU_DRV cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format,
                                             unsigned int channels, CUdevice device);
CUCPU_DRV cuStreamCreate(CUstream *stream, unsigned int flags);
CUCPU_DRV cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUCPU_DRV cuStreamDestroy(CUstream stream);
CUCPU_DRV cuStreamQuery(CUstream stream);
CUCPU_DRV cuStreamSynchronize(CUstream stream);
CUCPU_DRV cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUCPU_DRV cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *userData,
                              unsigned int flags);
CUCPU_DRV cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *userData);
CUCPU_DRV cuEventCreate(CUevent *event, unsigned int flags);
CUCPU_DRV cuEventDestroy(CUevent event);
CUCPU_DRV cuEventRecord(CUevent event, CUstream stream);
CUCPU_DRV cuEventQuery(CUevent event);
CUCPU_DRV cuEventSynchronize(CUevent event);
CUCPU_DRV cuEventElapsedTime(float *ms, CUevent start, CUevent end);
CUCPU_DRV cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUCPU_DRV cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUCPU_DRV cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUCPU_DRV cuFuncGetModule(CUmodule *module, CUfunction function);
typedef enum CUfunctionLoadingState_enum {
    CU_FUNCTION_LOADING_STATE_UNLOADED = 0,
    CU_FUNCTION_LOADING_STATE_LOADED = 1
} CUfunctionLoadingState;
CUCPU_DRV cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function);
CUCPU_DRV cuFuncLoad(CUfunction function);
CUCPU_DRV cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUCPU_DRV cuLibraryGetManaged(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name);
CUCPU_DRV cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name);
CUCPU_DRV cuCtxSetFlags(unsigned int flags);
CUCPU_DRV cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr);
CUCPU_DRV cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
                         unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                         unsigned int blockZ, unsigned int sharedBytes, CUstream stream,
                         void **params, void **extra);
CUCPU_DRV cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                           void **extra);
CUCPU_DRV cuLaunchCooperativeKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
                                    unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                                    unsigned int blockZ, unsigned int sharedBytes, CUstream stream,
                                    void **params);
CUCPU_DRV cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                      int blockSize, size_t dynamicShared);
CUCPU_DRV cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction function,
                                           CUoccupancyB2DSize size, size_t dynamicShared,
                                           int limit);
CUCPU_DRV cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *,
                            const CUDA_TEXTURE_DESC *, const CUDA_RESOURCE_VIEW_DESC *);
CUCPU_DRV cuTexObjectDestroy(CUtexObject object);
CUCPU_DRV cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *desc, CUtexObject object);
CUCPU_DRV cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *desc, CUtexObject object);
CUCPU_DRV cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *desc, CUtexObject object);
CUCPU_DRV cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *desc, CUsurfObject object);
CUCPU_DRV cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *desc);
CUCPU_DRV cuSurfObjectDestroy(CUsurfObject object);
CUCPU_DRV cuTexRefSetArray(CUtexref texref, CUarray array, unsigned int flags);
CUCPU_DRV cuTexRefSetAddress(size_t *offset, CUtexref texref, CUdeviceptr ptr, size_t bytes);
CUCPU_DRV cuTexRefSetFormat(CUtexref texref, CUarray_format format, int components);
CUCPU_DRV cuTexRefSetAddressMode(CUtexref texref, int dim, CUaddress_mode mode);
CUCPU_DRV cuTexRefSetFilterMode(CUtexref texref, CUfilter_mode mode);
CUCPU_DRV cuTexRefSetFlags(CUtexref texref, unsigned int flags);
CUCPU_DRV cuTexRefCreate(CUtexref *texref);
CUCPU_DRV cuTexRefDestroy(CUtexref texref);
CUCPU_DRV cuTexRefSetMipmappedArray(CUtexref texref, CUmipmappedArray array, unsigned int flags);
CUCPU_DRV cuTexRefSetAddress2D(CUtexref texref, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr ptr, size_t pitch);
CUCPU_DRV cuTexRefSetMipmapFilterMode(CUtexref texref, CUfilter_mode mode);
CUCPU_DRV cuTexRefSetMipmapLevelBias(CUtexref texref, float bias);
CUCPU_DRV cuTexRefSetMipmapLevelClamp(CUtexref texref, float low, float high);
CUCPU_DRV cuTexRefSetMaxAnisotropy(CUtexref texref, unsigned int most);
CUCPU_DRV cuTexRefSetBorderColor(CUtexref texref, float *color);
CUCPU_DRV cuTexRefGetArray(CUarray *array, CUtexref texref);
CUCPU_DRV cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref texref);
CUCPU_DRV cuTexRefGetAddress(CUdeviceptr *ptr, CUtexref texref);
CUCPU_DRV cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref texref, int dim);
CUCPU_DRV cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref texref);
CUCPU_DRV cuTexRefGetFormat(CUarray_format *format, int *components, CUtexref texref);
CUCPU_DRV cuTexRefGetFlags(unsigned int *flags, CUtexref texref);
CUCPU_DRV cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref texref);
CUCPU_DRV cuTexRefGetMipmapLevelBias(float *bias, CUtexref texref);
CUCPU_DRV cuTexRefGetMipmapLevelClamp(float *low, float *high, CUtexref texref);
CUCPU_DRV cuTexRefGetMaxAnisotropy(int *most, CUtexref texref);
CUCPU_DRV cuTexRefGetBorderColor(float *color, CUtexref texref);
CUCPU_DRV cuSurfRefSetArray(CUsurfref surfref, CUarray array, unsigned int flags);
CUCPU_DRV cuSurfRefGetArray(CUarray *array, CUsurfref surfref);
/* the launch functions of CUDA before 4.0 */
CUCPU_DRV cuFuncSetBlockShape(CUfunction function, int x, int y, int z);
CUCPU_DRV cuFuncSetSharedSize(CUfunction function, unsigned int bytes);
CUCPU_DRV cuParamSetSize(CUfunction function, unsigned int bytes);
CUCPU_DRV cuParamSeti(CUfunction function, int offset, unsigned int value);
CUCPU_DRV cuParamSetf(CUfunction function, int offset, float value);
CUCPU_DRV cuParamSetv(CUfunction function, int offset, void *ptr, unsigned int bytes);
CUCPU_DRV cuParamSetTexRef(CUfunction function, int unit, CUtexref texref);
CUCPU_DRV cuLaunch(CUfunction function);
CUCPU_DRV cuLaunchGrid(CUfunction function, int width, int height);
CUCPU_DRV cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream);
CUCPU_DRV cuCtxCreate_v3(CUcontext *context, void *affinity, int count, unsigned int flags,
                         CUdevice device);
CUCPU_DRV cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags,
                         CUdevice device);
CUCPU_DRV cuMemAdvise_v2(CUdeviceptr ptr, size_t size, int advice, CUmemLocation location);
CUCPU_DRV cuMemPrefetchAsync_v2(CUdeviceptr ptr, size_t size, CUmemLocation location,
                                unsigned int flags, CUstream stream);
CUCPU_DRV cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props);
CUCPU_DRV cuMemPoolDestroy(CUmemoryPool pool);
CUCPU_DRV cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep);
CUCPU_DRV cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value);
CUCPU_DRV cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value);
CUCPU_DRV cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count);
CUCPU_DRV cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location);
CUCPU_DRV cuModuleGetFunctionCount(unsigned int *count, CUmodule module);
CUCPU_DRV cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module);
CUCPU_DRV cuLibraryGetKernelCount(unsigned int *count, CUlibrary library);
CUCPU_DRV cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary library);
CUCPU_DRV cuKernelGetName(const char **name, CUkernel kernel);
CUCPU_DRV cuKernelGetAttribute(int *value, CUfunction_attribute attr, CUkernel kernel, CUdevice d_);
CUCPU_DRV cuKernelSetAttribute(CUfunction_attribute attr, int value, CUkernel kernel, CUdevice d_);
CUCPU_DRV cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device);
CUCPU_DRV cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size);
CUCPU_DRV cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size);
CUCPU_DRV cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUCPU_DRV cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUCPU_DRV cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
CUCPU_DRV cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CUCPU_DRV cuGraphCreate(CUgraph *graph, unsigned int flags);
CUCPU_DRV cuGraphDestroy(CUgraph graph);
CUCPU_DRV cuGraphClone(CUgraph *clone, CUgraph original);
#define cuGraphInstantiate cuGraphInstantiateWithFlags
CUCPU_DRV cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
CUCPU_DRV cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUCPU_DRV cuGraphUpload(CUgraphExec exec, CUstream stream);
CUCPU_DRV cuGraphExecDestroy(CUgraphExec exec);
CUCPU_DRV cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info);
CUCPU_DRV cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUCPU_DRV cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUCPU_DRV cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type);
CUCPU_DRV cuGraphDestroyNode(CUgraphNode node);
CUCPU_DRV cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                 size_t count);
CUCPU_DRV cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags);
CUCPU_DRV cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps,
                              size_t count);
CUCPU_DRV cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps,
                                   size_t count, CUgraph child);
CUCPU_DRV cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps,
                             size_t count, const CUDA_HOST_NODE_PARAMS *params);
CUCPU_DRV cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps,
                               size_t count, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext c_);
CUCPU_DRV cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps,
                               size_t count, const CUDA_KERNEL_NODE_PARAMS *params);
CUCPU_DRV cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params);
CUCPU_DRV cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                         const CUDA_KERNEL_NODE_PARAMS *params);
CUCPU_DRV cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attribute,
                                 CUdeviceptr ptr, size_t count);
CUCPU_DRV cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes,
                                  size_t n_, CUdeviceptr ptr, size_t count);
CUCPU_DRV cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice src,
                                  CUdevice dst);
CUCPU_DRV cuCtxGetSharedMemConfig(CUsharedconfig *config);
CUCPU_DRV cuCtxSetSharedMemConfig(CUsharedconfig config);
CUCPU_DRV cuCtxResetPersistingL2Cache(void);
CUCPU_DRV cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config);
CUCPU_DRV cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);
CUCPU_DRV cuStreamGetId(CUstream stream, unsigned long long *id);
CUCPU_DRV cuStreamCopyAttributes(CUstream dst, CUstream src);
#include "cucpu/driver_streams.h"
#include "cucpu/driver_nodes.h"
CUCPU_DRV cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t w, size_t h_,
                            CUstream stream);
CUCPU_DRV cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value, size_t w,
                             size_t h_, CUstream stream);
CUCPU_DRV cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned int value, size_t w, size_t h_,
                             CUstream stream);

CUCPU_DRV cuProfilerStart(void);
CUCPU_DRV cuProfilerStop(void);
#endif
