/* cuda.h: the types and the common functions of the CUDA driver API, for C and C++.
**
** Many programs include it and use only the runtime API, so it must be cheap and harmless.
** Declarations only; numbers are CUDA's.  Functions carry their plain names (no _v2 symbols). */
#ifndef CUCPU_CUDA_H
#define CUCPU_CUDA_H
#define __cuda_cuda_h__ /* programs ask for it */
#include <stddef.h>
#include <stdint.h>

#define CUDA_VERSION 12080
#define CUDAAPI
#define CUDA_CB
#define CU_UUID_HAS_BEEN_DEFINED
#define CU_IPC_HANDLE_SIZE 64
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define CU_PARAM_TR_DEFAULT -1
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEMHOSTREGISTER_IOMEMORY 0x04
#define CU_MEMHOSTREGISTER_READ_ONLY 0x08
#define CU_TRSA_OVERRIDE_FORMAT 0x01
#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 0x20
#define CU_TRSF_SEAMLESS_CUBEMAP 0x40
#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08
#define CUDA_ARRAY3D_2DARRAY 0x01
#define CUDA_ARRAY3D_DEPTH_TEXTURE 0x10
#define CUDA_ARRAY3D_COLOR_ATTACHMENT 0x20
#define CUDA_ARRAY3D_SPARSE 0x40
#define CUDA_ARRAY3D_DEFERRED_MAPPING 0x80

#if defined(__cplusplus)
extern "C" {
#endif

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUlib_st *CUlibrary;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef struct CUevent_st *CUevent;
typedef struct CUstream_st *CUstream;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef size_t (*CUoccupancyB2DSize)(int blockSize);
typedef void (*CUstreamCallback)(CUstream stream, int status, void *userData);
typedef void (*CUhostFn)(void *userData);
#ifndef CUCPU_DRIVER_TYPES_H /* has it too */
struct CUuuid_st {
    char bytes[16];
};
typedef struct CUuuid_st CUuuid;
#endif
typedef struct CUipcEventHandle_st {
    char reserved[CU_IPC_HANDLE_SIZE];
} CUipcEventHandle;
typedef struct CUipcMemHandle_st {
    char reserved[CU_IPC_HANDLE_SIZE];
} CUipcMemHandle;

typedef enum cudaError_enum {
#define CUCPU_RESULT(name, number) name = number,
#include "cucpu/driver_errors.def"
} CUresult;

typedef enum CUdevice_attribute_enum {
#define CUCPU_ATTRIBUTE(name, number) CU_DEVICE_ATTRIBUTE_##name = number,
#include "cucpu/driver_attributes.def"
    CU_DEVICE_ATTRIBUTE_MAX
} CUdevice_attribute;

#include "cucpu/driver_enums.h"

typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
    CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
    CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
    CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
    CU_FUNC_ATTRIBUTE_MAX
} CUfunction_attribute;
typedef enum CUpointer_attribute_enum {
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
    CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
    CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
    CU_POINTER_ATTRIBUTE_MAPPED = 13,
    CU_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
    CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
    CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
    CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
    CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
    CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
    CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
    CU_POINTER_ATTRIBUTE_MAPPING_SIZE = 18,
    CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR = 19,
    CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID = 20,
    CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE = 21
} CUpointer_attribute;
typedef enum CUjit_option_enum {
    CU_JIT_MAX_REGISTERS = 0,
    CU_JIT_THREADS_PER_BLOCK = 1,
    CU_JIT_WALL_TIME = 2,
    CU_JIT_INFO_LOG_BUFFER = 3,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    CU_JIT_OPTIMIZATION_LEVEL = 7,
    CU_JIT_TARGET_FROM_CUCONTEXT = 8,
    CU_JIT_TARGET = 9,
    CU_JIT_FALLBACK_STRATEGY = 10,
    CU_JIT_GENERATE_DEBUG_INFO = 11,
    CU_JIT_LOG_VERBOSE = 12,
    CU_JIT_GENERATE_LINE_INFO = 13,
    CU_JIT_CACHE_MODE = 14,
    CU_JIT_NEW_SM3X_OPT = 15,
    CU_JIT_FAST_COMPILE = 16,
    CU_JIT_GLOBAL_SYMBOL_NAMES = 17,
    CU_JIT_GLOBAL_SYMBOL_ADDRESSES = 18,
    CU_JIT_GLOBAL_SYMBOL_COUNT = 19,
    CU_JIT_LTO = 20,
    CU_JIT_FTZ = 21,
    CU_JIT_PREC_DIV = 22,
    CU_JIT_PREC_SQRT = 23,
    CU_JIT_FMA = 24,
    CU_JIT_REFERENCED_KERNEL_NAMES = 25,
    CU_JIT_REFERENCED_KERNEL_COUNT = 26,
    CU_JIT_REFERENCED_VARIABLE_NAMES = 27,
    CU_JIT_REFERENCED_VARIABLE_COUNT = 28,
    CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES = 29,
    CU_JIT_POSITION_INDEPENDENT_CODE = 30,
    CU_JIT_MIN_CTA_PER_SM = 31,
    CU_JIT_MAX_THREADS_PER_BLOCK = 32,
    CU_JIT_OVERRIDE_DIRECTIVE_VALUES = 33,
    CU_JIT_SPLIT_COMPILE = 34,
    CU_JIT_NUM_OPTIONS
} CUjit_option;
typedef enum CUlibraryOption_enum {
    CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
    CU_LIBRARY_BINARY_IS_PRESERVED = 1,
    CU_LIBRARY_NUM_OPTIONS
} CUlibraryOption;
typedef enum CUjitInputType_enum {
    CU_JIT_INPUT_CUBIN = 0,
    CU_JIT_INPUT_PTX = 1,
    CU_JIT_INPUT_FATBINARY = 2,
    CU_JIT_INPUT_OBJECT = 3,
    CU_JIT_INPUT_LIBRARY = 4,
    CU_JIT_INPUT_NVVM = 5,
    CU_JIT_NUM_INPUT_TYPES
} CUjitInputType;
typedef enum CUctx_flags_enum {
    CU_CTX_SCHED_AUTO = 0x00,
    CU_CTX_SCHED_SPIN = 0x01,
    CU_CTX_SCHED_YIELD = 0x02,
    CU_CTX_SCHED_BLOCKING_SYNC = 0x04,
    CU_CTX_BLOCKING_SYNC = 0x04,
    CU_CTX_MAP_HOST = 0x08,
    CU_CTX_LMEM_RESIZE_TO_MAX = 0x10,
    CU_CTX_SCHED_MASK = 0x7,
    CU_CTX_COREDUMP_ENABLE = 0x20,
    CU_CTX_USER_COREDUMP_ENABLE = 0x40,
    CU_CTX_SYNC_MEMOPS = 0x80,
    CU_CTX_FLAGS_MASK = 0xff
} CUctx_flags;
typedef enum CUstream_flags_enum {
    CU_STREAM_DEFAULT = 0x0,
    CU_STREAM_NON_BLOCKING = 0x1
} CUstream_flags;
typedef enum CUevent_flags_enum {
    CU_EVENT_DEFAULT = 0x0,
    CU_EVENT_BLOCKING_SYNC = 0x1,
    CU_EVENT_DISABLE_TIMING = 0x2,
    CU_EVENT_INTERPROCESS = 0x4
} CUevent_flags;
typedef enum CUlimit_enum {
    CU_LIMIT_STACK_SIZE = 0,
    CU_LIMIT_PRINTF_FIFO_SIZE = 1,
    CU_LIMIT_MALLOC_HEAP_SIZE = 2,
    CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
    CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
    CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
    CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
    CU_LIMIT_SHMEM_SIZE = 7,
    CU_LIMIT_CIG_ENABLED = 8,
    CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED = 9,
    CU_LIMIT_MAX
} CUlimit;
typedef enum CUfunc_cache_enum {
    CU_FUNC_CACHE_PREFER_NONE = 0,
    CU_FUNC_CACHE_PREFER_SHARED = 1,
    CU_FUNC_CACHE_PREFER_L1 = 2,
    CU_FUNC_CACHE_PREFER_EQUAL = 3
} CUfunc_cache;
typedef enum CUcomputemode_enum {
    CU_COMPUTEMODE_DEFAULT = 0,
    CU_COMPUTEMODE_PROHIBITED = 2,
    CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} CUcomputemode;
typedef enum CUmemorytype_enum {
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,
    CU_MEMORYTYPE_ARRAY = 3,
    CU_MEMORYTYPE_UNIFIED = 4
} CUmemorytype;
typedef enum CUmemAttach_flags_enum {
    CU_MEM_ATTACH_GLOBAL = 1,
    CU_MEM_ATTACH_HOST = 2,
    CU_MEM_ATTACH_SINGLE = 4
} CUmemAttach_flags;
typedef enum CUarray_format_enum {
    CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
    CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
    CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
    CU_AD_FORMAT_SIGNED_INT8 = 0x08,
    CU_AD_FORMAT_SIGNED_INT16 = 0x09,
    CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
    CU_AD_FORMAT_HALF = 0x10,
    CU_AD_FORMAT_FLOAT = 0x20,
    /* those in between are refused: compressed blocks and frames of films */
    CU_AD_FORMAT_BC1_UNORM = 0x91,
    CU_AD_FORMAT_BC1_UNORM_SRGB = 0x92,
    CU_AD_FORMAT_BC2_UNORM = 0x93,
    CU_AD_FORMAT_BC2_UNORM_SRGB = 0x94,
    CU_AD_FORMAT_BC3_UNORM = 0x95,
    CU_AD_FORMAT_BC3_UNORM_SRGB = 0x96,
    CU_AD_FORMAT_BC4_UNORM = 0x97,
    CU_AD_FORMAT_BC4_SNORM = 0x98,
    CU_AD_FORMAT_BC5_UNORM = 0x99,
    CU_AD_FORMAT_BC5_SNORM = 0x9a,
    CU_AD_FORMAT_BC6H_UF16 = 0x9b,
    CU_AD_FORMAT_BC6H_SF16 = 0x9c,
    CU_AD_FORMAT_BC7_UNORM = 0x9d,
    CU_AD_FORMAT_BC7_UNORM_SRGB = 0x9e,
    CU_AD_FORMAT_P010 = 0x9f,
    CU_AD_FORMAT_P016 = 0xa1,
    CU_AD_FORMAT_NV16 = 0xa2,
    CU_AD_FORMAT_P210 = 0xa3,
    CU_AD_FORMAT_P216 = 0xa4,
    CU_AD_FORMAT_YUY2 = 0xa5,
    CU_AD_FORMAT_Y210 = 0xa6,
    CU_AD_FORMAT_Y216 = 0xa7,
    CU_AD_FORMAT_AYUV = 0xa8,
    CU_AD_FORMAT_Y410 = 0xa9,
    CU_AD_FORMAT_NV12 = 0xb0,
    CU_AD_FORMAT_Y416 = 0xb1,
    CU_AD_FORMAT_Y444_PLANAR8 = 0xb2,
    CU_AD_FORMAT_Y444_PLANAR10 = 0xb3, /* from here on the number of channels is part of the format */
    CU_AD_FORMAT_UNORM_INT8X1 = 0xc0,
    CU_AD_FORMAT_UNORM_INT8X2 = 0xc1,
    CU_AD_FORMAT_UNORM_INT8X4 = 0xc2,
    CU_AD_FORMAT_UNORM_INT16X1 = 0xc3,
    CU_AD_FORMAT_UNORM_INT16X2 = 0xc4,
    CU_AD_FORMAT_UNORM_INT16X4 = 0xc5,
    CU_AD_FORMAT_SNORM_INT8X1 = 0xc6,
    CU_AD_FORMAT_SNORM_INT8X2 = 0xc7,
    CU_AD_FORMAT_SNORM_INT8X4 = 0xc8,
    CU_AD_FORMAT_SNORM_INT16X1 = 0xc9,
    CU_AD_FORMAT_SNORM_INT16X2 = 0xca,
    CU_AD_FORMAT_SNORM_INT16X4 = 0xcb,
    CU_AD_FORMAT_MAX = 0x7fffffff
} CUarray_format;
typedef enum CUaddress_mode_enum {
    CU_TR_ADDRESS_MODE_WRAP = 0,
    CU_TR_ADDRESS_MODE_CLAMP = 1,
    CU_TR_ADDRESS_MODE_MIRROR = 2,
    CU_TR_ADDRESS_MODE_BORDER = 3
} CUaddress_mode;
typedef enum CUfilter_mode_enum {
    CU_TR_FILTER_MODE_POINT = 0,
    CU_TR_FILTER_MODE_LINEAR = 1
} CUfilter_mode;
typedef enum CUresourcetype_enum {
    CU_RESOURCE_TYPE_ARRAY = 0,
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
    CU_RESOURCE_TYPE_LINEAR = 2,
    CU_RESOURCE_TYPE_PITCH2D = 3
} CUresourcetype;

typedef struct CUDA_ARRAY_DESCRIPTOR_st {
    size_t Width, Height;
    CUarray_format Format;
    unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
    size_t Width, Height, Depth;
    CUarray_format Format;
    unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_MEMCPY2D_st {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_RESOURCE_DESC_st {
    CUresourcetype resType;
    union {
        struct {
            CUarray hArray;
        } array;
        struct {
            CUmipmappedArray hMipmappedArray;
        } mipmap;
        struct {
            CUdeviceptr devPtr;
            CUarray_format format;
            unsigned int numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            CUarray_format format;
            unsigned int numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned int flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st {
    CUaddress_mode addressMode[3];
    CUfilter_mode filterMode;
    unsigned int flags, maxAnisotropy;
    CUfilter_mode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st {
    CUresourceViewFormat format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;
typedef struct CUdevprop_st {
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock;
    int totalConstantMemory, SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;
typedef struct CUaccessPolicyWindow_st {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    CUaccessProperty hitProp, missProp;
} CUaccessPolicyWindow;
typedef enum CUclusterSchedulingPolicy_enum {
    CU_CLUSTER_SCHEDULING_POLICY_DEFAULT = 0, CU_CLUSTER_SCHEDULING_POLICY_SPREAD = 1,
    CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING = 2
} CUclusterSchedulingPolicy;
typedef enum CUlaunchMemSyncDomain_enum {
    CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT = 0, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE = 1
} CUlaunchMemSyncDomain;
typedef struct CUlaunchMemSyncDomainMap_st {
    unsigned char default_, remote;
} CUlaunchMemSyncDomainMap;
/* like cudaLaunchAttribute, row by row: the runtime reads the one as the other */
typedef enum CUlaunchAttributeID_enum {
    CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
    CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
    CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
    CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
    CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
    CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14
} CUlaunchAttributeID;
typedef union CUlaunchAttributeValue_union {
    char pad[64];
    CUaccessPolicyWindow accessPolicyWindow;
    int cooperative;
    CUsynchronizationPolicy syncPolicy;
    struct {
        unsigned int x, y, z;
    } clusterDim, preferredClusterDim;
    CUclusterSchedulingPolicy clusterSchedulingPolicyPreference;
    int programmaticStreamSerializationAllowed;
    struct {
        CUevent event;
        int flags, triggerAtBlockStart;
    } programmaticEvent;
    struct {
        CUevent event;
        int flags;
    } launchCompletionEvent;
    int priority;
    CUlaunchMemSyncDomainMap memSyncDomainMap;
    CUlaunchMemSyncDomain memSyncDomain;
    unsigned int sharedMemCarveout;
} CUlaunchAttributeValue;
typedef struct CUlaunchAttribute_st {
    CUlaunchAttributeID id;
    CUlaunchAttributeValue value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig_st {
    unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    CUlaunchAttribute *attrs;
    unsigned int numAttrs;
} CUlaunchConfig;

/* ---- the virtual memory API ---- */
typedef enum CUmemLocationType_enum {
    CU_MEM_LOCATION_TYPE_INVALID = 0,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEM_LOCATION_TYPE_HOST = 2,
    CU_MEM_LOCATION_TYPE_HOST_NUMA = 3,
    CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4,
    CU_MEM_LOCATION_TYPE_MAX = 0x7fffffff
} CUmemLocationType;
typedef struct CUmemLocation_st {
    CUmemLocationType type;
    int id;
} CUmemLocation;
typedef enum CUmemAllocationType_enum {
    CU_MEM_ALLOCATION_TYPE_INVALID = 0,
    CU_MEM_ALLOCATION_TYPE_PINNED = 1,
    CU_MEM_ALLOCATION_TYPE_MAX = 0x7fffffff
} CUmemAllocationType;
typedef enum CUmemAllocationHandleType_enum {
    CU_MEM_HANDLE_TYPE_NONE = 0,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    CU_MEM_HANDLE_TYPE_WIN32 = 2,
    CU_MEM_HANDLE_TYPE_WIN32_KMT = 4,
    CU_MEM_HANDLE_TYPE_FABRIC = 8,
    CU_MEM_HANDLE_TYPE_MAX = 0x7fffffff
} CUmemAllocationHandleType;
typedef enum CUmemAllocationGranularity_flags_enum {
    CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} CUmemAllocationGranularity_flags;
typedef enum CUmemAccess_flags_enum {
    CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
    CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    CU_MEM_ACCESS_FLAGS_PROT_MAX = 0x7fffffff
} CUmemAccess_flags;
typedef struct CUmemAllocationProp_st {
    CUmemAllocationType type;
    CUmemAllocationHandleType requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;
typedef struct CUmemAccessDesc_st {
    CUmemLocation location;
    CUmemAccess_flags flags;
} CUmemAccessDesc;

/* ---- stream-ordered memory ---- */
typedef struct CUmemPoolProps_st {
    CUmemAllocationType allocType;
    CUmemAllocationHandleType handleTypes;
    CUmemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
} CUmemPoolProps;
typedef enum CUmemPool_attribute_enum {
    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
    CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
    CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_USED_MEM_HIGH
} CUmemPool_attribute;

/* ---- launches, capture and graphs ---- */
typedef enum CUstreamCaptureStatus_enum {
    CU_STREAM_CAPTURE_STATUS_NONE = 0,
    CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
    CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2
} CUstreamCaptureStatus;
typedef enum CUstreamCaptureMode_enum {
    CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
    CU_STREAM_CAPTURE_MODE_RELAXED = 2
} CUstreamCaptureMode;
typedef enum CUgraphNodeType_enum {
    CU_GRAPH_NODE_TYPE_KERNEL = 0,
    CU_GRAPH_NODE_TYPE_MEMCPY = 1,
    CU_GRAPH_NODE_TYPE_MEMSET = 2,
    CU_GRAPH_NODE_TYPE_HOST = 3,
    CU_GRAPH_NODE_TYPE_GRAPH = 4,
    CU_GRAPH_NODE_TYPE_EMPTY = 5,
    CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
    CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
    CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL = 8,
    CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT = 9,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
    CU_GRAPH_NODE_TYPE_MEM_FREE = 11,
    CU_GRAPH_NODE_TYPE_BATCH_MEM_OP = 12,
    CU_GRAPH_NODE_TYPE_CONDITIONAL = 13
} CUgraphNodeType;
typedef enum CUgraphInstantiate_flags_enum {
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH = 1,
    CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD = 2,
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH = 4,
    CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 8
} CUgraphInstantiate_flags;
typedef enum CUgraphExecUpdateResult_enum {
    CU_GRAPH_EXEC_UPDATE_SUCCESS = 0,
    CU_GRAPH_EXEC_UPDATE_ERROR = 1,
    CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 2,
    CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 3,
    CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED = 4,
    CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED = 5,
    CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED = 6,
    CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE = 7,
    CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED = 8
} CUgraphExecUpdateResult;
typedef struct CUgraphExecUpdateResultInfo_st {
    CUgraphExecUpdateResult result;
    CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;
typedef struct CUDA_KERNEL_NODE_PARAMS_st {
    CUfunction func;
    unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
    CUkernel kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_st {
    CUdeviceptr dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct CUDA_HOST_NODE_PARAMS_st {
    CUhostFn fn;
    void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef enum CUdriverProcAddressQueryResult_enum {
    CU_GET_PROC_ADDRESS_SUCCESS = 0,
    CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
    CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} CUdriverProcAddressQueryResult;

typedef struct CUctxCreateParams_st {
    void *execAffinityParams;
    int numExecAffinityParams;
    void *cigParams;
} CUctxCreateParams;

/* ---- functions ---- */
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
CUCPU_DRV cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
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
#include "cucpu/driver_tensor.h"
#include "cucpu/driver_green.h"
#include "cucpu/driver_batch.h"
#include "cucpu/driver_external.h"
#include "cucpu/driver_rare.h"
#include "cucpu/driver_v2_names.h"

#if defined(__cplusplus)
}
/* CUDA 13: a context with parameters, none of which means anything on a CPU */
static inline CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *, unsigned int flags,
                                   CUdevice device) {
    return cuCtxCreate(context, flags, device);
}
#endif
#endif
