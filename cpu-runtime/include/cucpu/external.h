/* external.h: part of driver_types.h: memory and semaphores that others have made. */
#ifndef CUCPU_EXTERNAL_H
#define CUCPU_EXTERNAL_H
#include "external_fields.h"
#define cudaExternalMemoryDedicated 1
#define cudaExternalSemaphoreSignalSkipNvSciBufMemSync 1
#define cudaExternalSemaphoreWaitSkipNvSciBufMemSync 2
#define cudaNvSciSyncAttrSignal 1
#define cudaNvSciSyncAttrWait 2

typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;

enum cudaExternalMemoryHandleType {
    cudaExternalMemoryHandleTypeOpaqueFd = 1,
    cudaExternalMemoryHandleTypeOpaqueWin32 = 2,
    cudaExternalMemoryHandleTypeOpaqueWin32Kmt = 3,
    cudaExternalMemoryHandleTypeD3D12Heap = 4,
    cudaExternalMemoryHandleTypeD3D12Resource = 5,
    cudaExternalMemoryHandleTypeD3D11Resource = 6,
    cudaExternalMemoryHandleTypeD3D11ResourceKmt = 7,
    cudaExternalMemoryHandleTypeNvSciBuf = 8
};
struct cudaExternalMemoryHandleDesc {
    enum cudaExternalMemoryHandleType type;
    CUCPU_EXTERNAL_HANDLE_FIELDS(nvSciBufObject)
    unsigned long long size;
    CUCPU_EXTERNAL_RESERVED
};
struct cudaExternalMemoryBufferDesc {
    unsigned long long offset, size;
    CUCPU_EXTERNAL_RESERVED
};
struct cudaExternalMemoryMipmappedArrayDesc {
    unsigned long long offset;
    struct cudaChannelFormatDesc formatDesc;
    struct cudaExtent extent;
    unsigned int flags, numLevels;
    unsigned int reserved[16];
};

enum cudaExternalSemaphoreHandleType {
    cudaExternalSemaphoreHandleTypeOpaqueFd = 1,
    cudaExternalSemaphoreHandleTypeOpaqueWin32 = 2,
    cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt = 3,
    cudaExternalSemaphoreHandleTypeD3D12Fence = 4,
    cudaExternalSemaphoreHandleTypeD3D11Fence = 5,
    cudaExternalSemaphoreHandleTypeNvSciSync = 6,
    cudaExternalSemaphoreHandleTypeKeyedMutex = 7,
    cudaExternalSemaphoreHandleTypeKeyedMutexKmt = 8,
    cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd = 9,
    cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32 = 10
};
struct cudaExternalSemaphoreHandleDesc {
    enum cudaExternalSemaphoreHandleType type;
    CUCPU_EXTERNAL_HANDLE_FIELDS(nvSciSyncObj)
    CUCPU_EXTERNAL_RESERVED
};
struct cudaExternalSemaphoreSignalParams {
    CUCPU_EXTERNAL_SEMAPHORE_FIELDS(, 12)
    CUCPU_EXTERNAL_RESERVED
};
struct cudaExternalSemaphoreWaitParams {
    CUCPU_EXTERNAL_SEMAPHORE_FIELDS(unsigned int timeoutMs;, 10)
    CUCPU_EXTERNAL_RESERVED
};
enum cudaDeviceNumaConfig { cudaDeviceNumaConfigNone = 0, cudaDeviceNumaConfigNumaNode = 1 };

struct cudaExternalSemaphoreSignalNodeParams {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreSignalParams *paramsArray;
    unsigned int numExtSems;
};
struct cudaExternalSemaphoreWaitNodeParams {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreWaitParams *paramsArray;
    unsigned int numExtSems;
};

/* ---- sparse arrays ---- */
struct cudaArraySparseProperties {
    struct {
        unsigned int width, height, depth;
    } tileExtent;
    unsigned int miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned int flags, reserved[4];
};
struct cudaArrayMemoryRequirements {
    size_t size, alignment;
    unsigned int reserved[4];
};
typedef struct cudaMemFabricHandle_st {
    unsigned char reserved[64];
} cudaMemFabricHandle_t;
#endif
