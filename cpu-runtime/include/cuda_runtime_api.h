/* cuda_runtime_api.h: the functions of the CUDA runtime API, for C and C++ (any host compiler).
**
** Declarations only.  Functions that CUDA removed or whose signature changed between CUDA 5 and 13
** are all here; where C++ lets both signatures live, they are overloads (cuda_runtime.h and the end
** of this file).  Functions that the runtime does not implement are still declared: the
** linker then names them. */
#ifndef CUCPU_CUDA_RUNTIME_API_H
#define CUCPU_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__ /* programs ask for it */
#include "driver_types.h"

#define CUDART_VERSION 12080
#ifndef __CUDART_API_VERSION
#define __CUDART_API_VERSION CUDART_VERSION
#endif
#define CUCPU_API extern __host__ cudaError_t
/* also callable in device code, as in CUDA's device runtime */
#define CUCPU_HD_API extern __host__ __device__ cudaError_t

#if defined(__cplusplus)
extern "C" {
#endif

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#include "cucpu/per_thread.h"
#endif

/* ---- device ---- */
CUCPU_HD_API cudaGetDeviceCount(int *count);
CUCPU_HD_API cudaGetDevice(int *device);
CUCPU_API cudaSetDevice(int device);
CUCPU_API cudaSetValidDevices(int *devices, int count);
CUCPU_API cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
#define cudaGetDeviceProperties_v2 cudaGetDeviceProperties /* its name in CUDA 12 */
CUCPU_HD_API cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
CUCPU_API cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
CUCPU_API cudaSetDeviceFlags(unsigned int flags);
CUCPU_API cudaGetDeviceFlags(unsigned int *flags);
CUCPU_API cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
CUCPU_HD_API cudaDeviceSynchronize(void);
/* libraries call it so where CUDA's headers would warn */
#define __cudaDeviceSynchronizeDeprecationAvoidance cudaDeviceSynchronize
CUCPU_API cudaDeviceReset(void);
CUCPU_API cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
CUCPU_HD_API cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
CUCPU_HD_API cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
CUCPU_API cudaDeviceSetCacheConfig(enum cudaFuncCache config);
CUCPU_HD_API cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
CUCPU_API cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
CUCPU_API cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
CUCPU_API cudaDeviceGetByPCIBusId(int *device, const char *pciBusId);
CUCPU_API cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
CUCPU_API cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int src, int dst);
CUCPU_API cudaDeviceCanAccessPeer(int *can, int device, int peer);
CUCPU_API cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
CUCPU_API cudaDeviceDisablePeerAccess(int peer);
CUCPU_API cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
CUCPU_API cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
CUCPU_API cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
CUCPU_API cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *,
                                               int device);
CUCPU_API cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType, void *value);
CUCPU_API cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType, void *value);
CUCPU_API cudaDeviceGraphMemTrim(int device);
CUCPU_API cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope);
CUCPU_API cudaDriverGetVersion(int *version);
CUCPU_HD_API cudaRuntimeGetVersion(int *version);
CUCPU_API cudaCtxResetPersistingL2Cache(void);
CUCPU_API cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
/* the cudaThread functions of CUDA before 4.0 */
CUCPU_API cudaThreadSynchronize(void);
CUCPU_API cudaThreadExit(void);
CUCPU_API cudaThreadSetLimit(enum cudaLimit limit, size_t value);
CUCPU_API cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
CUCPU_API cudaThreadGetCacheConfig(enum cudaFuncCache *config);
CUCPU_API cudaThreadSetCacheConfig(enum cudaFuncCache config);

/* ---- errors ---- */
CUCPU_HD_API cudaGetLastError(void);
CUCPU_HD_API cudaPeekAtLastError(void);
extern __host__ __device__ const char *cudaGetErrorName(cudaError_t error);
extern __host__ __device__ const char *cudaGetErrorString(cudaError_t error);

/* ---- streams ---- */
CUCPU_API cudaStreamCreate(cudaStream_t *stream);
CUCPU_HD_API cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
CUCPU_API cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
CUCPU_API cudaStreamGetPriority(cudaStream_t stream, int *priority);
CUCPU_API cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
CUCPU_API cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
CUCPU_API cudaStreamGetDevice(cudaStream_t stream, int *device);
CUCPU_HD_API cudaStreamDestroy(cudaStream_t stream);
CUCPU_HD_API cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                 unsigned int flags __dv(0));
CUCPU_API cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                unsigned int flags);
CUCPU_API cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData);
CUCPU_API cudaStreamSynchronize(cudaStream_t stream);
CUCPU_API cudaStreamQuery(cudaStream_t stream);
CUCPU_API cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length __dv(0),
                                   unsigned int flags __dv(cudaMemAttachSingle));
CUCPU_API cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);
CUCPU_API cudaStreamGetAttribute(cudaStream_t, cudaLaunchAttributeID, cudaLaunchAttributeValue *);
CUCPU_API cudaStreamSetAttribute(cudaStream_t, cudaLaunchAttributeID,
                                 const cudaLaunchAttributeValue *);
CUCPU_API cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
CUCPU_API cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                        const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges,
                                        size_t ndeps, enum cudaStreamCaptureMode mode);
CUCPU_API cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
CUCPU_API cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
CUCPU_API cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                   unsigned long long *id __dv(0), cudaGraph_t *graph __dv(0),
                                   const cudaGraphNode_t **deps __dv(0), size_t *ndeps __dv(0));
CUCPU_API cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                              size_t ndeps, unsigned int flags __dv(0));

/* ---- events ---- */
CUCPU_API cudaEventCreate(cudaEvent_t *event);
CUCPU_HD_API cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
CUCPU_HD_API cudaEventRecord(cudaEvent_t event, cudaStream_t stream __dv(0));
CUCPU_API cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream __dv(0),
                                   unsigned int flags __dv(0));
CUCPU_API cudaEventQuery(cudaEvent_t event);
CUCPU_API cudaEventSynchronize(cudaEvent_t event);
CUCPU_HD_API cudaEventDestroy(cudaEvent_t event);
CUCPU_API cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

/* ---- launches and functions ---- */
CUCPU_API cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                           size_t sharedMem, cudaStream_t stream);
CUCPU_API cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args);
CUCPU_API cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                      size_t sharedMem, cudaStream_t stream);
CUCPU_API cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list,
                                                 unsigned int numDevices,
                                                 unsigned int flags __dv(0));
CUCPU_API cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config);
CUCPU_API cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config);
CUCPU_HD_API cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func);
CUCPU_API cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value);
CUCPU_API cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset,
                               size_t *size __dv(0));
CUCPU_API cudaFuncGetName(const char **name, const void *func);
CUCPU_API cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol);
CUCPU_API cudaGetKernel(cudaKernel_t *kernel, const void *symbol);
CUCPU_API cudaSetDoubleForDevice(double *d_);
CUCPU_API cudaSetDoubleForHost(double *d_);
CUCPU_HD_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                           int blockSize, size_t dynamicSmem);
CUCPU_HD_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func,
                                                                    int blockSize,
                                                                    size_t dynamicSmem,
                                                                    unsigned int flags);
CUCPU_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int numBlocks,
                                                    int blockSize);
CUCPU_API cudaOccupancyMaxPotentialClusterSize(int *size, const void *func,
                                               const cudaLaunchConfig_t *config);
CUCPU_API cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
                                         const cudaLaunchConfig_t *config);

/* ---- memory ---- */
CUCPU_HD_API cudaMalloc(void **devPtr, size_t size);
CUCPU_HD_API cudaFree(void *devPtr);
CUCPU_API cudaMallocHost(void **ptr, size_t size);
CUCPU_API cudaFreeHost(void *ptr);
CUCPU_API cudaHostAlloc(void **ptr, size_t size, unsigned int flags);
CUCPU_API cudaHostRegister(void *ptr, size_t size, unsigned int flags);
CUCPU_API cudaHostUnregister(void *ptr);
CUCPU_API cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
CUCPU_API cudaHostGetFlags(unsigned int *flags, void *host);
CUCPU_API cudaMallocManaged(void **devPtr, size_t size,
                            unsigned int flags __dv(cudaMemAttachGlobal));
CUCPU_API cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
CUCPU_API cudaMalloc3D(struct cudaPitchedPtr *ptr, struct cudaExtent extent);
CUCPU_API cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                          size_t width, size_t height __dv(0), unsigned int flags __dv(0));
CUCPU_API cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            struct cudaExtent extent, unsigned int flags __dv(0));
CUCPU_API cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                   const struct cudaChannelFormatDesc *desc,
                                   struct cudaExtent extent, unsigned int numLevels,
                                   unsigned int flags __dv(0));
CUCPU_API cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array,
                                     unsigned int number);
CUCPU_API cudaFreeArray(cudaArray_t array);
CUCPU_API cudaFreeMipmappedArray(cudaMipmappedArray_t array);
CUCPU_API cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                           unsigned int *flags, cudaArray_t array);
CUCPU_API cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned int index);
CUCPU_API cudaMemGetInfo(size_t *free, size_t *total);
CUCPU_API cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr);

CUCPU_API cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind);
CUCPU_HD_API cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                             cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count);
CUCPU_API cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                              size_t count, cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                       size_t height, enum cudaMemcpyKind kind);
CUCPU_HD_API cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                               size_t width, size_t height, enum cudaMemcpyKind kind,
                               cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpy3D(const struct cudaMemcpy3DParms *p_);
CUCPU_HD_API cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p_, cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p_);
CUCPU_API cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p_,
                                cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                            size_t count, enum cudaMemcpyKind kind);
CUCPU_API cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                              size_t count, enum cudaMemcpyKind kind);
CUCPU_API cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                 cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                 size_t count,
                                 enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToDevice));
CUCPU_API cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                 size_t count, enum cudaMemcpyKind kind,
                                 cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                   size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                   cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind);
CUCPU_API cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                   const void *src, size_t spitch, size_t width, size_t height,
                                   enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                size_t hOffset, size_t width, size_t height,
                                enum cudaMemcpyKind kind);
CUCPU_API cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                     size_t wOffset, size_t hOffset, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t width, size_t height,
                                   enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToDevice));
CUCPU_API cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                             size_t offset __dv(0),
                             enum cudaMemcpyKind kind __dv(cudaMemcpyHostToDevice));
CUCPU_API cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset __dv(0),
                               enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToHost));
CUCPU_API cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                  enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
CUCPU_API cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
CUCPU_API cudaGetSymbolAddress(void **devPtr, const void *symbol);
CUCPU_API cudaGetSymbolSize(size_t *size, const void *symbol);
CUCPU_API cudaMemset(void *devPtr, int value, size_t count);
CUCPU_HD_API cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream __dv(0));
CUCPU_API cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height);
CUCPU_HD_API cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                               cudaStream_t stream __dv(0));
CUCPU_API cudaMemset3D(struct cudaPitchedPtr ptr, int value, struct cudaExtent extent);
CUCPU_HD_API cudaMemset3DAsync(struct cudaPitchedPtr ptr, int value, struct cudaExtent extent,
                               cudaStream_t stream __dv(0));
/* int device up to CUDA 12, cudaMemLocation from CUDA 13: in C++ both are overloads, below */
CUCPU_API cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice,
                               cudaStream_t stream __dv(0));
CUCPU_API cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, struct cudaMemLocation location,
                                  unsigned int flags, cudaStream_t stream __dv(0));
CUCPU_API cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, int device);
CUCPU_API cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                           struct cudaMemLocation location);
CUCPU_API cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attr,
                                   const void *devPtr, size_t count);
CUCPU_API cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                    enum cudaMemRangeAttribute *attributes, size_t numAttributes,
                                    const void *devPtr, size_t count);

/* CUDA 13 without failIdx: in C++ overloads, below */
CUCPU_API cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                               struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                               size_t numAttrs, size_t *failIdx, cudaStream_t stream);
CUCPU_API cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList, size_t *failIdx,
                                 unsigned long long flags, cudaStream_t stream);
CUCPU_API cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                    struct cudaMemLocation *locations, size_t *locationIdxs,
                                    size_t numLocations, unsigned long long flags,
                                    cudaStream_t stream);
CUCPU_API cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                   unsigned long long flags, cudaStream_t stream);
CUCPU_API cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                              struct cudaMemLocation *locations,
                                              size_t *locationIdxs, size_t numLocations,
                                              unsigned long long flags, cudaStream_t stream);

/* ---- stream-ordered allocation ---- */
CUCPU_API cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                   enum cudaMemAllocationType type);
CUCPU_API cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                            enum cudaMemAllocationType type);
CUCPU_API cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                            cudaMemPool_t pool);
CUCPU_API cudaMallocAsync(void **devPtr, size_t size, cudaStream_t stream);
CUCPU_API cudaFreeAsync(void *devPtr, cudaStream_t stream);
CUCPU_API cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t pool, cudaStream_t stream);
CUCPU_API cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props);
CUCPU_API cudaMemPoolDestroy(cudaMemPool_t pool);
CUCPU_API cudaMemPoolTrimTo(cudaMemPool_t pool, size_t minBytesToKeep);
CUCPU_API cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value);
CUCPU_API cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value);
CUCPU_API cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *, size_t count);
CUCPU_API cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                               struct cudaMemLocation *location);
CUCPU_API cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool,
                                             enum cudaMemAllocationHandleType type,
                                             unsigned int flags);
CUCPU_API cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                               enum cudaMemAllocationHandleType type,
                                               unsigned int flags);
CUCPU_API cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *ptr);
CUCPU_API cudaMemPoolImportPointer(void **ptr, cudaMemPool_t pool,
                                   struct cudaMemPoolPtrExportData *data);

/* ---- textures and surfaces ---- */
extern __host__ struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                   enum cudaChannelFormatKind f_);
CUCPU_API cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
CUCPU_API cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *,
                                  const struct cudaTextureDesc *,
                                  const struct cudaResourceViewDesc *);
CUCPU_API cudaDestroyTextureObject(cudaTextureObject_t object);
CUCPU_API cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *, cudaTextureObject_t object);
CUCPU_API cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *, cudaTextureObject_t object);
CUCPU_API cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *,
                                               cudaTextureObject_t object);
CUCPU_API cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *);
CUCPU_API cudaDestroySurfaceObject(cudaSurfaceObject_t object);
CUCPU_API cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *, cudaSurfaceObject_t object);
CUCPU_API cudaBindTexture(size_t *offset, const struct textureReference *texref, const void *devPtr,
                          const struct cudaChannelFormatDesc *desc, size_t size __dv(UINT_MAX));
CUCPU_API cudaBindTexture2D(size_t *offset, const struct textureReference *texref,
                            const void *devPtr, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, size_t pitch);
CUCPU_API cudaBindTextureToArray(const struct textureReference *texref, cudaArray_const_t array,
                                 const struct cudaChannelFormatDesc *desc);
CUCPU_API cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                          cudaMipmappedArray_const_t array,
                                          const struct cudaChannelFormatDesc *desc);
CUCPU_API cudaUnbindTexture(const struct textureReference *texref);
CUCPU_API cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texref);
CUCPU_API cudaGetTextureReference(const struct textureReference **texref, const void *symbol);
CUCPU_API cudaBindSurfaceToArray(const struct surfaceReference *surfref, cudaArray_const_t array,
                                 const struct cudaChannelFormatDesc *desc);
CUCPU_API cudaGetSurfaceReference(const struct surfaceReference **surfref, const void *symbol);

/* ---- graphs ---- */
CUCPU_API cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
CUCPU_API cudaGraphDestroy(cudaGraph_t graph);
CUCPU_API cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original);
CUCPU_API cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                        unsigned long long flags __dv(0));
CUCPU_API cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                               unsigned long long flags __dv(0));
CUCPU_API cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
CUCPU_HD_API cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
CUCPU_API cudaGraphExecDestroy(cudaGraphExec_t exec);
CUCPU_API cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                              cudaGraphExecUpdateResultInfo *result);
CUCPU_API cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                           size_t ndeps, struct cudaGraphNodeParams *params);
CUCPU_API cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *deps, size_t ndeps,
                                 const struct cudaKernelNodeParams *params);
CUCPU_API cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params);
CUCPU_API cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *);
CUCPU_API cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID,
                                          const cudaLaunchAttributeValue *);
CUCPU_API cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaKernelNodeParams *params);
CUCPU_API cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *deps, size_t ndeps,
                                 const struct cudaMemcpy3DParms *params);
CUCPU_API cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t ndeps, void *dst,
                                   const void *src, size_t count, enum cudaMemcpyKind kind);
CUCPU_API cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *);
CUCPU_API cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaMemcpy3DParms *params);
CUCPU_API cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                             const void *src, size_t count,
                                             enum cudaMemcpyKind kind);
CUCPU_API cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *deps, size_t ndeps,
                                 const struct cudaMemsetParams *params);
CUCPU_API cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaMemsetParams *params);
CUCPU_API cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *deps, size_t ndeps,
                               const struct cudaHostNodeParams *params);
CUCPU_API cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                const cudaGraphNode_t *deps, size_t ndeps);
CUCPU_API cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *deps, size_t ndeps, cudaGraph_t child);
CUCPU_API cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *deps, size_t ndeps, cudaEvent_t event);
CUCPU_API cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *deps, size_t ndeps, cudaEvent_t event);
CUCPU_API cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t ndeps,
                                   struct cudaMemAllocNodeParams *params);
CUCPU_API cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *deps, size_t ndeps, void *dptr);
CUCPU_API cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                   const cudaGraphNode_t *to, size_t count);
CUCPU_API cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID,
                                          cudaLaunchAttributeValue *);
CUCPU_API cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst, cudaGraphNode_t src);
CUCPU_API cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params);
CUCPU_API cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                         size_t count, enum cudaMemcpyKind kind);
CUCPU_API cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                         const cudaGraphNode_t *deps, size_t ndeps,
                                         const void *symbol, const void *src, size_t count,
                                         size_t offset, enum cudaMemcpyKind kind);
CUCPU_API cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *deps, size_t ndeps, void *dst,
                                           const void *symbol, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind);
CUCPU_API cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                               const void *src, size_t count, size_t offset,
                                               enum cudaMemcpyKind kind);
CUCPU_API cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                 const void *symbol, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind);
CUCPU_API cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                   const void *symbol, const void *src,
                                                   size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind);
CUCPU_API cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     void *dst, const void *symbol, size_t count,
                                                     size_t offset, enum cudaMemcpyKind kind);
CUCPU_API cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params);
CUCPU_API cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *);
CUCPU_API cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params);
CUCPU_API cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *);
CUCPU_API cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                         const struct cudaHostNodeParams *params);
CUCPU_API cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph);
CUCPU_API cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event);
CUCPU_API cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
CUCPU_API cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event);
CUCPU_API cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
CUCPU_API cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event);
CUCPU_API cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             cudaEvent_t event);
CUCPU_API cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *);
CUCPU_API cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out);
CUCPU_API cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params);
CUCPU_API cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                     struct cudaGraphNodeParams *params);
CUCPU_API cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaGraph_t child);
CUCPU_API cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int on);
CUCPU_API cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *on);
CUCPU_API cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags);
CUCPU_API cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                         cudaGraphInstantiateParams *params);
CUCPU_API cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                   cudaGraph_t clone);
CUCPU_API cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps, size_t *count);
CUCPU_API cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         size_t *count);
CUCPU_API cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                      const cudaGraphNode_t *to, size_t count);
CUCPU_API cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                    unsigned int count __dv(1), unsigned int flags __dv(0));
CUCPU_API cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                     unsigned int count __dv(1));
CUCPU_API cudaUserObjectRetain(cudaUserObject_t object, unsigned int count __dv(1));
CUCPU_API cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
CUCPU_API cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
CUCPU_API cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                            size_t *count);
CUCPU_API cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);
CUCPU_API cudaGraphDestroyNode(cudaGraphNode_t node);
CUCPU_API cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags);
CUCPU_API cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                           unsigned int defaultValue __dv(0),
                                           unsigned int flags __dv(0));
#if defined(__CUDA__)
extern __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int v_);
/* what clang calls for <<<...>>> in device code */
extern __device__ void *cucpu_launch_buffer(size_t alignment, size_t size);
extern __device__ cudaError_t cucpu_launch(const void *func, void *parameters, unsigned int gx,
                                           unsigned int gy, unsigned int gz, unsigned int bx,
                                           unsigned int by, unsigned int bz, unsigned int sharedMem,
                                           cudaStream_t stream);
static inline __device__ void *cudaGetParameterBuffer(size_t alignment_, size_t size_) {
    return cucpu_launch_buffer(alignment_, size_);
}
static inline __device__ cudaError_t cudaLaunchDevice(void *func_, void *parameters_, dim3 grid_,
                                                      dim3 block_, unsigned int sharedMem_,
                                                      cudaStream_t stream_) {
    return cucpu_launch(func_, parameters_, grid_.x, grid_.y, grid_.z, block_.x, block_.y, block_.z,
                        sharedMem_, stream_);
}
#endif

/* ---- libraries: PTX, loaded while the program runs ---- */
CUCPU_API cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                              enum cudaJitOption *jitOptions, void **jitOptionsValues,
                              unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
                              void **libraryOptionValues, unsigned int numLibraryOptions);
CUCPU_API cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                  enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                  unsigned int numJitOptions,
                                  enum cudaLibraryOption *libraryOptions,
                                  void **libraryOptionValues, unsigned int numLibraryOptions);
CUCPU_API cudaLibraryUnload(cudaLibrary_t library);
CUCPU_API cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name);
CUCPU_API cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name);
CUCPU_API cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                const char *name);
CUCPU_API cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library);
CUCPU_API cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                                      cudaLibrary_t library);
CUCPU_API cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                          int value, int device);

/* ---- interoperation, profiler, entry points ---- */
CUCPU_API cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
CUCPU_API cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);
CUCPU_API cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr);
CUCPU_API cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags);
CUCPU_API cudaIpcCloseMemHandle(void *devPtr);
CUCPU_API cudaImportExternalMemory(cudaExternalMemory_t *memory, const struct cudaExternalMemoryHandleDesc *desc);
CUCPU_API cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t memory,
                                            const struct cudaExternalMemoryBufferDesc *desc);
CUCPU_API cudaArrayGetSparseProperties(struct cudaArraySparseProperties *properties, cudaArray_t array);
CUCPU_API cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *properties, cudaMipmappedArray_t array);
CUCPU_API cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements, cudaArray_t array, int device);
CUCPU_API cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements, cudaMipmappedArray_t array, int device);
CUCPU_API cudaGraphAddExternalSemaphoresSignalNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count, const struct cudaExternalSemaphoreSignalNodeParams *params);
CUCPU_API cudaGraphExternalSemaphoresSignalNodeGetParams(cudaGraphNode_t node, struct cudaExternalSemaphoreSignalNodeParams *params);
CUCPU_API cudaGraphExternalSemaphoresSignalNodeSetParams(cudaGraphNode_t node, const struct cudaExternalSemaphoreSignalNodeParams *params);
CUCPU_API cudaGraphExecExternalSemaphoresSignalNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaExternalSemaphoreSignalNodeParams *params);
CUCPU_API cudaGraphAddExternalSemaphoresWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count, const struct cudaExternalSemaphoreWaitNodeParams *params);
CUCPU_API cudaGraphExternalSemaphoresWaitNodeGetParams(cudaGraphNode_t node, struct cudaExternalSemaphoreWaitNodeParams *params);
CUCPU_API cudaGraphExternalSemaphoresWaitNodeSetParams(cudaGraphNode_t node, const struct cudaExternalSemaphoreWaitNodeParams *params);
CUCPU_API cudaGraphExecExternalSemaphoresWaitNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaExternalSemaphoreWaitNodeParams *params);
CUCPU_API cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap, cudaExternalMemory_t memory,
                                                    const struct cudaExternalMemoryMipmappedArrayDesc *desc);
CUCPU_API cudaDestroyExternalMemory(cudaExternalMemory_t memory);
CUCPU_API cudaImportExternalSemaphore(cudaExternalSemaphore_t *semaphore, const struct cudaExternalSemaphoreHandleDesc *desc);
CUCPU_API cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                            const struct cudaExternalSemaphoreSignalParams *params, unsigned int count,
                                            cudaStream_t stream __dv(0));
CUCPU_API cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                          const struct cudaExternalSemaphoreWaitParams *params, unsigned int count,
                                          cudaStream_t stream __dv(0));
CUCPU_API cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore);
CUCPU_API cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap, cudaGraphicsResource_t resource);
CUCPU_API cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
CUCPU_API cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags);
CUCPU_API cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources,
                                   cudaStream_t stream __dv(0));
CUCPU_API cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources,
                                     cudaStream_t stream __dv(0));
CUCPU_API cudaGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
                                               cudaGraphicsResource_t resource);
CUCPU_API cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array, cudaGraphicsResource_t resource,
                                                unsigned int index, unsigned int level);
CUCPU_API cudaProfilerInitialize(const char *config, const char *output, cudaOutputMode_t mode);
CUCPU_API cudaProfilerStart(void);
CUCPU_API cudaProfilerStop(void);
CUCPU_API cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                  enum cudaDriverEntryPointQueryResult *status __dv(0));
CUCPU_API
cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                 unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *status __dv(0));
CUCPU_API cudaUserObjectCreate(cudaUserObject_t *object, void *ptr, cudaHostFn_t destroy,
                               unsigned int initialRefcount, unsigned int flags);
CUCPU_API cudaUserObjectRelease(cudaUserObject_t object, unsigned int count __dv(1));

/* ---- with data of edges, which are all plain ones here ---- */
CUCPU_API cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                      unsigned long long *id __dv(0), cudaGraph_t *graph __dv(0),
                                      const cudaGraphNode_t **deps __dv(0), size_t *ndeps __dv(0));
CUCPU_API cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                      unsigned long long *id __dv(0), cudaGraph_t *graph __dv(0),
                                      const cudaGraphNode_t **deps __dv(0),
                                      const cudaGraphEdgeData **edges __dv(0), size_t *ndeps __dv(0));
CUCPU_API cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *deps,
                                                 const cudaGraphEdgeData *edges, size_t ndeps,
                                                 unsigned int flags __dv(0));
CUCPU_API cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                              const cudaGraphEdgeData *edges, size_t ndeps,
                              struct cudaGraphNodeParams *params);
CUCPU_API cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                      const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count);
CUCPU_API cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                         const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                         size_t count);
CUCPU_API cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                               cudaGraphEdgeData *edges, size_t *count);
CUCPU_API cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                          cudaGraphEdgeData *edges, size_t *count);
CUCPU_API cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                            cudaGraphEdgeData *edges, size_t *count);

/* ---- what clang emits for <<<...>>> ---- */
extern __host__ unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim,
                                                         size_t sharedMem __dv(0),
                                                         cudaStream_t stream __dv(0));
CUCPU_API __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                     void *stream);

#if defined(__cplusplus)
}

static inline __host__ cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                                        cudaMemLocation location,
                                                        unsigned int flags,
                                                        cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}
static inline __host__ cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
                                                 cudaMemoryAdvise advice,
                                                 cudaMemLocation location) {
    return cudaMemAdvise_v2(devPtr, count, advice, location);
}
static inline __host__ cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs,
                                                        const size_t *sizes, size_t count,
                                                        cudaMemcpyAttributes *attrs,
                                                        size_t *attrsIdxs, size_t numAttrs,
                                                        cudaStream_t stream) {
    return cudaMemcpyBatchAsync((void **)dsts, (void **)srcs, (size_t *)sizes, count, attrs,
                                attrsIdxs, numAttrs, 0, stream);
}
static inline __host__ cudaError_t cudaMemcpy3DBatchAsync(size_t numOps,
                                                          cudaMemcpy3DBatchOp *opList,
                                                          unsigned long long flags,
                                                          cudaStream_t stream) {
    return cudaMemcpy3DBatchAsync(numOps, opList, 0, flags, stream);
}
static inline __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                        cudaGraphNode_t *errorNode, char *log,
                                                        size_t logSize) {
    if (errorNode) *errorNode = 0;
    if (log && logSize) log[0] = 0;
    return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
/* CUDA 13: the names without _v2 */
static inline __host__ cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                         unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **deps,
                         const cudaGraphEdgeData **edges, size_t *ndeps) {
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, deps, edges, ndeps);
}
static inline __host__ cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                    const cudaGraphEdgeData *, size_t ndeps,
                                    unsigned int flags = 0) {
    return cudaStreamUpdateCaptureDependencies(stream, deps, ndeps, flags);
}
static inline __host__ cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                    const cudaGraphNode_t *deps,
                                                    const cudaGraphEdgeData *, size_t ndeps,
                                                    cudaGraphNodeParams *params) {
    return cudaGraphAddNode(node, graph, deps, ndeps, params);
}
static inline __host__ cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                                            const cudaGraphNode_t *from,
                                                            const cudaGraphNode_t *to,
                                                            const cudaGraphEdgeData *, size_t count) {
    return cudaGraphAddDependencies(graph, from, to, count);
}
static inline __host__ cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                                               const cudaGraphNode_t *from,
                                                               const cudaGraphNode_t *to,
                                                               const cudaGraphEdgeData *, size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, count);
}
static inline __host__ cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                                     cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                                                     size_t *count) {
    return cudaGraphGetEdges_v2(graph, from, to, edges, count);
}
static inline __host__ cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                                                cudaGraphEdgeData *edges, size_t *count) {
    return cudaGraphNodeGetDependencies_v2(node, deps, edges, count);
}
static inline __host__ cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                                  cudaGraphNode_t *nodes,
                                                                  cudaGraphEdgeData *edges, size_t *count) {
    return cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, count);
}
static inline __host__ cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                       cudaGraphNode_t *errorNode,
                                                       cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    if (errorNode) *errorNode = info.errorNode;
    if (result) *result = info.result;
    return error;
}
#endif
#endif
