/* driver_rare.h: part of cuda.h: structures and numbers of features that the device does not have, or answers CUDA_ERROR_NOT_SUPPORTED
** for.  Programs ask for the feature and go without it. */
#ifndef CUCPU_DRIVER_RARE_H
#define CUCPU_DRIVER_RARE_H

/* ---- compressible and sparse memory ---- */
#define CU_MEM_CREATE_USAGE_TILE_POOL 0x1
#define CU_MEM_CREATE_USAGE_HW_DECOMPRESS 0x2
#define CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS 0x2
#define CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL 0x1
typedef enum CUmemAllocationCompType_enum {
    CU_MEM_ALLOCATION_COMP_NONE = 0,
    CU_MEM_ALLOCATION_COMP_GENERIC = 1
} CUmemAllocationCompType;
typedef enum CUmemOperationType_enum {
    CU_MEM_OPERATION_TYPE_MAP = 1,
    CU_MEM_OPERATION_TYPE_UNMAP = 2
} CUmemOperationType;
typedef enum CUmemHandleType_enum { CU_MEM_HANDLE_TYPE_GENERIC = 0 } CUmemHandleType;
typedef enum CUarraySparseSubresourceType_enum {
    CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL = 0,
    CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL = 1
} CUarraySparseSubresourceType;
typedef struct CUDA_ARRAY_SPARSE_PROPERTIES_st {
    struct {
        unsigned int width, height, depth;
    } tileExtent;
    unsigned int miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned int flags, reserved[4];
} CUDA_ARRAY_SPARSE_PROPERTIES;
typedef struct CUDA_ARRAY_MEMORY_REQUIREMENTS_st {
    size_t size, alignment;
    unsigned int reserved[4];
} CUDA_ARRAY_MEMORY_REQUIREMENTS;
typedef struct CUarrayMapInfo_st {
    CUresourcetype resourceType;
    union {
        CUmipmappedArray mipmap;
        CUarray array;
    } resource;
    CUarraySparseSubresourceType subresourceType;
    union {
        struct {
            unsigned int level, layer, offsetX, offsetY, offsetZ, extentWidth, extentHeight, extentDepth;
        } sparseLevel;
        struct {
            unsigned int layer;
            unsigned long long offset, size;
        } miptail;
    } subresource;
    CUmemOperationType memOperationType;
    CUmemHandleType memHandleType;
    union {
        CUmemGenericAllocationHandle memHandle;
    } memHandle;
    unsigned long long offset;
    unsigned int deviceBitMask, flags, reserved[2];
} CUarrayMapInfo;

/* ---- memory of other devices ---- */
typedef struct CUmemFabricHandle_st {
    unsigned char data[64];
} CUmemFabricHandle;
typedef enum CUflushGPUDirectRDMAWritesOptions_enum {
    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST = 1,
    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS = 2
} CUflushGPUDirectRDMAWritesOptions;
typedef enum CUGPUDirectRDMAWritesOrdering_enum {
    CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE = 0,
    CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER = 100,
    CU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES = 200
} CUGPUDirectRDMAWritesOrdering;
typedef enum CUflushGPUDirectRDMAWritesScope_enum {
    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER = 100,
    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES = 200
} CUflushGPUDirectRDMAWritesScope;
typedef enum CUflushGPUDirectRDMAWritesTarget_enum { CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX = 0 } CUflushGPUDirectRDMAWritesTarget;
typedef enum CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS_enum {
    CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE = 0,
    CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ = 1,
    CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE = 3
} CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS;
typedef struct CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st {
    unsigned long long p2pToken;
    unsigned int vaSpaceToken;
} CUDA_POINTER_ATTRIBUTE_P2P_TOKENS;
typedef enum CUdeviceNumaConfig_enum {
    CU_DEVICE_NUMA_CONFIG_NONE = 0,
    CU_DEVICE_NUMA_CONFIG_NUMA_NODE = 1
} CUdeviceNumaConfig;

/* ---- launches on several devices, nodes of graphs ---- */
#define CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC 0x01
#define CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC 0x02
typedef struct CUDA_LAUNCH_PARAMS_st {
    CUfunction function;
    unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    void **kernelParams;
} CUDA_LAUNCH_PARAMS;
typedef struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st {
    CUexternalSemaphore *extSemArray;
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray;
    unsigned int numExtSems;
} CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
typedef struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_st {
    CUexternalSemaphore *extSemArray;
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray;
    unsigned int numExtSems;
} CUDA_EXT_SEM_WAIT_NODE_PARAMS;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_st {
    CUcontext ctx;
    unsigned int count;
    CUstreamBatchMemOpParams *paramArray;
    unsigned int flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;

/* ---- the rest ---- */
#define CU_LAUNCH_PARAM_END_AS_INT 0x00
#define CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT 0x01
#define CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT 0x02
#define CU_COMPUTE_ACCELERATED_TARGET_BASE 0x10000
#define CU_COMPUTE_FAMILY_TARGET_BASE 0x20000
typedef enum CUevent_sched_flags_enum {
    CU_EVENT_SCHED_AUTO = 0,
    CU_EVENT_SCHED_SPIN = 1,
    CU_EVENT_SCHED_YIELD = 2,
    CU_EVENT_SCHED_BLOCKING_SYNC = 4
} CUevent_sched_flags;
typedef enum CUcoredumpSettings_enum {
    CU_COREDUMP_ENABLE_ON_EXCEPTION = 1,
    CU_COREDUMP_TRIGGER_HOST = 2,
    CU_COREDUMP_LIGHTWEIGHT = 3,
    CU_COREDUMP_ENABLE_USER_TRIGGER = 4,
    CU_COREDUMP_FILE = 5,
    CU_COREDUMP_PIPE = 6,
    CU_COREDUMP_GENERATION_FLAGS = 7,
    CU_COREDUMP_MAX
} CUcoredumpSettings;
typedef enum CUCoredumpGenerationFlags {
    CU_COREDUMP_DEFAULT_FLAGS = 0,
    CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES = 1,
    CU_COREDUMP_SKIP_GLOBAL_MEMORY = 2,
    CU_COREDUMP_SKIP_SHARED_MEMORY = 4,
    CU_COREDUMP_SKIP_LOCAL_MEMORY = 8,
    CU_COREDUMP_SKIP_ABORT = 16,
    CU_COREDUMP_SKIP_CONSTBANK_MEMORY = 32,
    CU_COREDUMP_LIGHTWEIGHT_FLAGS = 47
} CUCoredumpGenerationFlags;

/* ---- what answers CUDA_ERROR_NOT_SUPPORTED ---- */
CUCPU_DRV cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array);
CUCPU_DRV cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUmipmappedArray array);
CUCPU_DRV cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array, CUdevice device);
CUCPU_DRV cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUmipmappedArray array, CUdevice device);
CUCPU_DRV cuArrayGetPlane(CUarray *plane, CUarray array, unsigned int index);
CUCPU_DRV cuMemMapArrayAsync(CUarrayMapInfo *list, unsigned int count, CUstream stream);
CUCPU_DRV cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope);
CUCPU_DRV cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *list, unsigned int devices, unsigned int flags);
CUCPU_DRV cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUCPU_DRV cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode node, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUCPU_DRV cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUCPU_DRV cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUCPU_DRV cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUCPU_DRV cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode node, CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUCPU_DRV cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUCPU_DRV cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUCPU_DRV cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUCPU_DRV cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUCPU_DRV cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUCPU_DRV cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUCPU_DRV cuCoredumpGetAttribute(CUcoredumpSettings attribute, void *value, size_t *size);
CUCPU_DRV cuCoredumpGetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *size);
CUCPU_DRV cuCoredumpSetAttribute(CUcoredumpSettings attribute, void *value, size_t *size);
CUCPU_DRV cuCoredumpSetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *size);

/* ---- versions of structures ---- */
typedef CUdevice CUdevice_v1;
typedef CUdeviceptr CUdeviceptr_v2;
typedef CUdevprop CUdevprop_v1;
typedef CUtexObject CUtexObject_v1;
typedef CUsurfObject CUsurfObject_v1;
typedef CUipcEventHandle CUipcEventHandle_v1;
typedef CUipcMemHandle CUipcMemHandle_v1;
typedef CUDA_MEMCPY2D CUDA_MEMCPY2D_v2;
typedef CUDA_MEMCPY3D CUDA_MEMCPY3D_v2;
typedef CUDA_MEMCPY3D_PEER CUDA_MEMCPY3D_PEER_v1;
typedef CUDA_ARRAY_DESCRIPTOR CUDA_ARRAY_DESCRIPTOR_v2;
typedef CUDA_ARRAY3D_DESCRIPTOR CUDA_ARRAY3D_DESCRIPTOR_v2;
typedef CUDA_RESOURCE_DESC CUDA_RESOURCE_DESC_v1;
typedef CUDA_TEXTURE_DESC CUDA_TEXTURE_DESC_v1;
typedef CUDA_RESOURCE_VIEW_DESC CUDA_RESOURCE_VIEW_DESC_v1;
typedef CUDA_KERNEL_NODE_PARAMS CUDA_KERNEL_NODE_PARAMS_v2;
typedef CUDA_MEMSET_NODE_PARAMS CUDA_MEMSET_NODE_PARAMS_v1;
typedef CUDA_HOST_NODE_PARAMS CUDA_HOST_NODE_PARAMS_v1;
typedef CUDA_LAUNCH_PARAMS CUDA_LAUNCH_PARAMS_v1;
typedef CUDA_EXT_SEM_SIGNAL_NODE_PARAMS CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1;
typedef CUDA_EXT_SEM_WAIT_NODE_PARAMS CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1;
typedef CUDA_EXTERNAL_MEMORY_HANDLE_DESC CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1;
typedef CUDA_EXTERNAL_MEMORY_BUFFER_DESC CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;
typedef CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1;
typedef CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1;
typedef CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1;
typedef CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1;
typedef CUDA_ARRAY_SPARSE_PROPERTIES CUDA_ARRAY_SPARSE_PROPERTIES_v1;
typedef CUDA_ARRAY_MEMORY_REQUIREMENTS CUDA_ARRAY_MEMORY_REQUIREMENTS_v1;
typedef CUDA_POINTER_ATTRIBUTE_P2P_TOKENS CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_v1;
typedef CUarrayMapInfo CUarrayMapInfo_v1;
typedef CUmemFabricHandle CUmemFabricHandle_v1;
typedef CUmemLocation CUmemLocation_v1;
typedef CUmemAllocationProp CUmemAllocationProp_v1;
typedef CUmemAccessDesc CUmemAccessDesc_v1;
typedef CUmemGenericAllocationHandle CUmemGenericAllocationHandle_v1;
typedef CUmemPoolProps CUmemPoolProps_v1;
typedef CUmemPoolPtrExportData CUmemPoolPtrExportData_v1;
typedef CUstreamAttrValue CUstreamAttrValue_v1;
typedef CUkernelNodeAttrValue CUkernelNodeAttrValue_v1;
typedef CUstreamBatchMemOpParams CUstreamBatchMemOpParams_v1;
#endif
