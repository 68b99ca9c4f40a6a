/* driver_external.h: part of cuda.h: what is shared with other devices, processes and libraries.  Most of it answers
** CUDA_ERROR_NOT_SUPPORTED; memory by a file descriptor can be imported. */
#ifndef CUCPU_DRIVER_EXTERNAL_H
#define CUCPU_DRIVER_EXTERNAL_H
#include "external_fields.h"

/* ---- memory and semaphores of others ---- */
#define CUDA_EXTERNAL_MEMORY_DEDICATED 1
#define CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC 1
#define CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC 2
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUextSemaphore_st *CUexternalSemaphore;
typedef enum CUexternalMemoryHandleType_enum {
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32 = 2,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 4,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 5,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE = 6,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT = 7,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF = 8,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD = 9
} CUexternalMemoryHandleType;
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st {
    CUexternalMemoryHandleType type;
    CUCPU_EXTERNAL_HANDLE_FIELDS(nvSciBufObject)
    unsigned long long size;
    CUCPU_EXTERNAL_RESERVED
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {
    unsigned long long offset, size;
    CUCPU_EXTERNAL_RESERVED
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st {
    unsigned long long offset;
    CUDA_ARRAY3D_DESCRIPTOR arrayDesc;
    unsigned int numLevels;
    unsigned int reserved[16];
} CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;
typedef enum CUexternalSemaphoreHandleType_enum {
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 = 2,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE = 4,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE = 5,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC = 6,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX = 7,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT = 8,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 = 10
} CUexternalSemaphoreHandleType;
typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {
    CUexternalSemaphoreHandleType type;
    CUCPU_EXTERNAL_HANDLE_FIELDS(nvSciSyncObj)
    CUCPU_EXTERNAL_RESERVED
} CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st {
    CUCPU_EXTERNAL_SEMAPHORE_FIELDS(, 12)
    CUCPU_EXTERNAL_RESERVED
} CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
typedef struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st {
    CUCPU_EXTERNAL_SEMAPHORE_FIELDS(unsigned int timeoutMs;, 10)
    CUCPU_EXTERNAL_RESERVED
} CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
CUCPU_DRV cuImportExternalMemory(CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc);
CUCPU_DRV cuExternalMemoryGetMappedBuffer(CUdeviceptr *ptr, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc);
CUCPU_DRV cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *array, CUexternalMemory memory,
                                                  const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc);
CUCPU_DRV cuDestroyExternalMemory(CUexternalMemory memory);
CUCPU_DRV cuImportExternalSemaphore(CUexternalSemaphore *semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc);
CUCPU_DRV cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
                                          unsigned int count, CUstream stream);
CUCPU_DRV cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
                                        unsigned int count, CUstream stream);
CUCPU_DRV cuDestroyExternalSemaphore(CUexternalSemaphore semaphore);

/* ---- other processes ---- */
CUCPU_DRV cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event);
CUCPU_DRV cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle);
CUCPU_DRV cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr ptr);
CUCPU_DRV cuIpcOpenMemHandle(CUdeviceptr *ptr, CUipcMemHandle handle, unsigned int flags);
CUCPU_DRV cuIpcCloseMemHandle(CUdeviceptr ptr);
typedef struct CUmemPoolPtrExportData_st {
    unsigned char reserved[64];
} CUmemPoolPtrExportData;
CUCPU_DRV cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags);
CUCPU_DRV cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, CUmemAllocationHandleType type, unsigned long long flags);
CUCPU_DRV cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr ptr);
CUCPU_DRV cuMemPoolImportPointer(CUdeviceptr *ptr, CUmemoryPool pool, CUmemPoolPtrExportData *data);
typedef enum CUmemRangeHandleType_enum { CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD = 1, CU_MEM_RANGE_HANDLE_TYPE_MAX = 0x7fffffff } CUmemRangeHandleType;
CUCPU_DRV cuMemGetHandleForAddressRange(void *handle, CUdeviceptr ptr, size_t size, CUmemRangeHandleType type, unsigned long long flags);

/* ---- graphics ---- */
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef enum CUgraphicsRegisterFlags_enum {
    CU_GRAPHICS_REGISTER_FLAGS_NONE = 0,
    CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY = 1,
    CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 2,
    CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST = 4,
    CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER = 8
} CUgraphicsRegisterFlags;
typedef enum CUgraphicsMapResourceFlags_enum {
    CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE = 0,
    CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY = 1,
    CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 2
} CUgraphicsMapResourceFlags;
CUCPU_DRV cuGraphicsUnregisterResource(CUgraphicsResource resource);
CUCPU_DRV cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags);
CUCPU_DRV cuGraphicsMapResources(unsigned int count, CUgraphicsResource *resources, CUstream stream);
CUCPU_DRV cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *resources, CUstream stream);
CUCPU_DRV cuGraphicsResourceGetMappedPointer(CUdeviceptr *ptr, size_t *size, CUgraphicsResource resource);
CUCPU_DRV cuGraphicsSubResourceGetMappedArray(CUarray *array, CUgraphicsResource resource, unsigned int index, unsigned int level);
CUCPU_DRV cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *array, CUgraphicsResource resource);

/* ---- other devices ---- */
typedef struct CUmulticastObjectProp_st {
    unsigned int numDevices;
    size_t size;
    unsigned long long handleTypes, flags;
} CUmulticastObjectProp;
typedef enum CUmulticastGranularity_flags_enum { CU_MULTICAST_GRANULARITY_MINIMUM = 0, CU_MULTICAST_GRANULARITY_RECOMMENDED = 1 } CUmulticastGranularity_flags;
CUCPU_DRV cuMulticastCreate(CUmemGenericAllocationHandle *handle, const CUmulticastObjectProp *prop);
CUCPU_DRV cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device);
CUCPU_DRV cuMulticastBindMem(CUmemGenericAllocationHandle handle, size_t offset, CUmemGenericAllocationHandle memory,
                             size_t memory_offset, size_t size, unsigned long long flags);
CUCPU_DRV cuMulticastBindAddr(CUmemGenericAllocationHandle handle, size_t offset, CUdeviceptr ptr, size_t size, unsigned long long flags);
CUCPU_DRV cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t offset, size_t size);
CUCPU_DRV cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop, CUmulticastGranularity_flags option);
#endif
