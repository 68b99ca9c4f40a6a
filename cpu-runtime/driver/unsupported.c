/* unsupported.c: functions of the driver API that exist so that programs link: they name themselves on stderr
** and answer CUDA_ERROR_NOT_SUPPORTED.  docs/make_limits.py lists them: what is implemented elsewhere has no row. */
#include "driver/driver.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static CUresult refuse(const char *name, _Atomic int *reported) {
    if (!atomic_exchange(reported, 1)) rt_message("%s is not supported", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* The headers do not declare all of them: loaders look for them by name, and some give up where one is missing. */
#define DRV_UNSUPPORTED(name, parameters)                                                                              \
    __attribute__((visibility("default"))) CUresult name parameters;                                                   \
    CUresult name parameters {                                                                                         \
        static _Atomic int reported;                                                                                   \
        DRV_ENTER(false);                                                                                              \
        return refuse(#name, &reported);                                                                               \
    }
DRV_UNSUPPORTED(cuTensorMapEncodeIm2colWide,
                (CUtensorMap * map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dim,
                 const cuuint64_t *strides, int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                 const cuuint32_t *element_strides, CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill))
DRV_UNSUPPORTED(cuExternalMemoryGetMappedMipmappedArray, (CUmipmappedArray * array, CUexternalMemory memory,
                                                          const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc))
DRV_UNSUPPORTED(cuImportExternalSemaphore,
                (CUexternalSemaphore * semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc))
DRV_UNSUPPORTED(cuSignalExternalSemaphoresAsync,
                (const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
                 unsigned int count, CUstream stream))
DRV_UNSUPPORTED(cuWaitExternalSemaphoresAsync,
                (const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
                 unsigned int count, CUstream stream))
DRV_UNSUPPORTED(cuDestroyExternalSemaphore, (CUexternalSemaphore semaphore))
DRV_UNSUPPORTED(cuMemGetHandleForAddressRange,
                (void *handle, CUdeviceptr ptr, size_t size, CUmemRangeHandleType type, unsigned long long flags))
DRV_UNSUPPORTED(cuGraphicsUnregisterResource, (CUgraphicsResource resource))
DRV_UNSUPPORTED(cuGraphicsResourceSetMapFlags, (CUgraphicsResource resource, unsigned int flags))
DRV_UNSUPPORTED(cuGraphicsMapResources, (unsigned int count, CUgraphicsResource *resources, CUstream stream))
DRV_UNSUPPORTED(cuGraphicsUnmapResources, (unsigned int count, CUgraphicsResource *resources, CUstream stream))
DRV_UNSUPPORTED(cuGraphicsResourceGetMappedPointer, (CUdeviceptr * ptr, size_t *size, CUgraphicsResource resource))
DRV_UNSUPPORTED(cuGraphicsSubResourceGetMappedArray,
                (CUarray * array, CUgraphicsResource resource, unsigned int index, unsigned int level))
DRV_UNSUPPORTED(cuGraphicsResourceGetMappedMipmappedArray, (CUmipmappedArray * array, CUgraphicsResource resource))
DRV_UNSUPPORTED(cuMulticastCreate, (CUmemGenericAllocationHandle * handle, const CUmulticastObjectProp *prop))
DRV_UNSUPPORTED(cuMulticastAddDevice, (CUmemGenericAllocationHandle handle, CUdevice device))
DRV_UNSUPPORTED(cuMulticastBindMem,
                (CUmemGenericAllocationHandle handle, size_t offset, CUmemGenericAllocationHandle memory,
                 size_t memory_offset, size_t size, unsigned long long flags))
DRV_UNSUPPORTED(cuMulticastBindAddr, (CUmemGenericAllocationHandle handle, size_t offset, CUdeviceptr ptr, size_t size,
                                      unsigned long long flags))
DRV_UNSUPPORTED(cuMulticastUnbind, (CUmemGenericAllocationHandle handle, CUdevice device, size_t offset, size_t size))
DRV_UNSUPPORTED(cuMulticastGetGranularity,
                (size_t * granularity, const CUmulticastObjectProp *prop, CUmulticastGranularity_flags option))
DRV_UNSUPPORTED(cuArrayGetSparseProperties, (CUDA_ARRAY_SPARSE_PROPERTIES * properties, CUarray array))
DRV_UNSUPPORTED(cuMipmappedArrayGetSparseProperties,
                (CUDA_ARRAY_SPARSE_PROPERTIES * properties, CUmipmappedArray array))
DRV_UNSUPPORTED(cuArrayGetMemoryRequirements,
                (CUDA_ARRAY_MEMORY_REQUIREMENTS * requirements, CUarray array, CUdevice device))
DRV_UNSUPPORTED(cuMipmappedArrayGetMemoryRequirements,
                (CUDA_ARRAY_MEMORY_REQUIREMENTS * requirements, CUmipmappedArray array, CUdevice device))
DRV_UNSUPPORTED(cuArrayGetPlane, (CUarray * plane, CUarray array, unsigned int index))
DRV_UNSUPPORTED(cuMemMapArrayAsync, (CUarrayMapInfo * list, unsigned int count, CUstream stream))
DRV_UNSUPPORTED(cuFlushGPUDirectRDMAWrites,
                (CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope))
DRV_UNSUPPORTED(cuLaunchCooperativeKernelMultiDevice,
                (CUDA_LAUNCH_PARAMS * list, unsigned int devices, unsigned int flags))
DRV_UNSUPPORTED(cuGraphAddExternalSemaphoresSignalNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *deps,
                                                         size_t count, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphExternalSemaphoresSignalNodeGetParams,
                (CUgraphNode node, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphExternalSemaphoresSignalNodeSetParams,
                (CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphExecExternalSemaphoresSignalNodeSetParams,
                (CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphAddExternalSemaphoresWaitNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *deps,
                                                       size_t count, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphExternalSemaphoresWaitNodeGetParams, (CUgraphNode node, CUDA_EXT_SEM_WAIT_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphExternalSemaphoresWaitNodeSetParams,
                (CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphExecExternalSemaphoresWaitNodeSetParams,
                (CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphAddBatchMemOpNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *deps, size_t count,
                                           const CUDA_BATCH_MEM_OP_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphBatchMemOpNodeGetParams, (CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphBatchMemOpNodeSetParams, (CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuGraphExecBatchMemOpNodeSetParams,
                (CUgraphExec exec, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params))
DRV_UNSUPPORTED(cuCoredumpGetAttribute, (CUcoredumpSettings attribute, void *value, size_t *size))
DRV_UNSUPPORTED(cuCoredumpGetAttributeGlobal, (CUcoredumpSettings attribute, void *value, size_t *size))
DRV_UNSUPPORTED(cuCoredumpSetAttribute, (CUcoredumpSettings attribute, void *value, size_t *size))
DRV_UNSUPPORTED(cuCoredumpSetAttributeGlobal, (CUcoredumpSettings attribute, void *value, size_t *size))
DRV_UNSUPPORTED(cuGLGetDevices, (unsigned int *count, CUdevice *devices, unsigned int size, int list))
DRV_UNSUPPORTED(cuGLGetDevices_v2, (unsigned int *count, CUdevice *devices, unsigned int size, int list))
DRV_UNSUPPORTED(cuGLCtxCreate, (CUcontext * context, unsigned int flags, CUdevice device))
DRV_UNSUPPORTED(cuGLCtxCreate_v2, (CUcontext * context, unsigned int flags, CUdevice device))
DRV_UNSUPPORTED(cuGLInit, (void))
DRV_UNSUPPORTED(cuGraphicsGLRegisterBuffer, (CUgraphicsResource * resource, unsigned int buffer, unsigned int flags))
DRV_UNSUPPORTED(cuGraphicsGLRegisterImage,
                (CUgraphicsResource * resource, unsigned int image, unsigned int target, unsigned int flags))
DRV_UNSUPPORTED(cuGraphicsEGLRegisterImage, (CUgraphicsResource * resource, void *image, unsigned int flags))
DRV_UNSUPPORTED(cuGraphicsResourceGetMappedEglFrame,
                (void *frame, CUgraphicsResource resource, unsigned int index, unsigned int level))
DRV_UNSUPPORTED(cuEGLStreamConsumerConnect, (void *connection, void *stream))
DRV_UNSUPPORTED(cuEGLStreamConsumerDisconnect, (void *connection))
DRV_UNSUPPORTED(cuEGLStreamConsumerAcquireFrame,
                (void *connection, CUgraphicsResource *resource, CUstream *stream, unsigned int timeout))
DRV_UNSUPPORTED(cuEGLStreamConsumerReleaseFrame, (void *connection, CUgraphicsResource resource, CUstream *stream))
DRV_UNSUPPORTED(cuEGLStreamProducerConnect, (void *connection, void *stream, int width, int height))
DRV_UNSUPPORTED(cuEGLStreamProducerDisconnect, (void *connection))
DRV_UNSUPPORTED(cuEGLStreamProducerPresentFrame, (void *connection, void *frame, CUstream *stream))
DRV_UNSUPPORTED(cuEGLStreamProducerReturnFrame, (void *connection, void *frame, CUstream *stream))
DRV_UNSUPPORTED(cuVDPAUGetDevice, (CUdevice * device, unsigned int vdpau, void *get))
DRV_UNSUPPORTED(cuGraphicsVDPAURegisterVideoSurface,
                (CUgraphicsResource * resource, unsigned int surface, unsigned int flags))
DRV_UNSUPPORTED(cuGraphicsVDPAURegisterOutputSurface,
                (CUgraphicsResource * resource, unsigned int surface, unsigned int flags))
DRV_UNSUPPORTED(cuProfilerInitialize, (const char *config, const char *output, int mode))
DRV_UNSUPPORTED(cuDeviceGetLuid, (char *luid, unsigned int *mask, CUdevice device))
DRV_UNSUPPORTED(cuDeviceGetNvSciSyncAttributes, (void *list, CUdevice device, int flags))
DRV_UNSUPPORTED(cuDeviceRegisterAsyncNotification, (CUdevice device, void *callback, void *data, void *handle))
DRV_UNSUPPORTED(cuDeviceUnregisterAsyncNotification, (CUdevice device, void *handle))
DRV_UNSUPPORTED(cuMemBatchDecompressAsync,
                (void *list, size_t count, unsigned int flags, size_t *error, CUstream stream))
DRV_UNSUPPORTED(cuMemBatchDecompressAsync_ptsz,
                (void *list, size_t count, unsigned int flags, size_t *error, CUstream stream))
DRV_UNSUPPORTED(cuCheckpointProcessCheckpoint, (int process, void *args))
DRV_UNSUPPORTED(cuCheckpointProcessGetRestoreThreadId, (int process, int *thread))
DRV_UNSUPPORTED(cuCheckpointProcessGetState, (int process, void *state))
DRV_UNSUPPORTED(cuCheckpointProcessLock, (int process, void *args))
DRV_UNSUPPORTED(cuCheckpointProcessRestore, (int process, void *args))
DRV_UNSUPPORTED(cuCheckpointProcessUnlock, (int process, void *args))

/* Tables of functions that NVIDIA's libraries have between them. */
__attribute__((visibility("default"))) CUresult cuGetExportTable(const void **table, const CUuuid *id);
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
    static _Atomic int reported;
    if (!atomic_exchange(&reported, 1))
        rt_message("cuGetExportTable is not supported: programs with NVIDIA's runtime library in them run by cucpu run "
                   "PROGRAM, or linked with nvcc -cudart shared");
    if (table && id) *table = NULL;
    return CUDA_ERROR_NOT_SUPPORTED;
}
