/* driver_green.h: part of cuda.h: resources of the device and green contexts, which have some of its multiprocessors. */
#ifndef CUCPU_DRIVER_GREEN_H
#define CUCPU_DRIVER_GREEN_H
#define RESOURCE_ABI_VERSION 1
#define RESOURCE_ABI_EXTERNAL_BYTES 48

typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef enum CUgreenCtxCreate_flags { CU_GREEN_CTX_DEFAULT_STREAM = 1 } CUgreenCtxCreate_flags;
typedef enum CUdevResourceType {
    CU_DEV_RESOURCE_TYPE_INVALID = 0,
    CU_DEV_RESOURCE_TYPE_SM = 1
} CUdevResourceType;
typedef enum CUdevSmResourceSplit_flags {
    CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING = 1,
    CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE = 2
} CUdevSmResourceSplit_flags;
typedef struct CUdevSmResource_st {
    unsigned int smCount;
} CUdevSmResource;
typedef struct CUdevResource_st {
    CUdevResourceType type;
    unsigned char _internal_padding[92];
    union {
        CUdevSmResource sm;
        unsigned char _oversize[RESOURCE_ABI_EXTERNAL_BYTES];
    };
} CUdevResource_v1;
typedef CUdevResource_v1 CUdevResource;

CUCPU_DRV cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type);
CUCPU_DRV cuCtxGetDevResource(CUcontext context, CUdevResource *resource, CUdevResourceType type);
CUCPU_DRV cuGreenCtxGetDevResource(CUgreenCtx context, CUdevResource *resource, CUdevResourceType type);
CUCPU_DRV cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *groups, const CUdevResource *input,
                                      CUdevResource *remaining, unsigned int flags, unsigned int count);
CUCPU_DRV cuDevResourceGenerateDesc(CUdevResourceDesc *desc, CUdevResource *resources, unsigned int count);
CUCPU_DRV cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc desc, CUdevice device, unsigned int flags);
CUCPU_DRV cuGreenCtxDestroy(CUgreenCtx context);
CUCPU_DRV cuGreenCtxGetId(CUgreenCtx context, unsigned long long *id);
CUCPU_DRV cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx green);
CUCPU_DRV cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned int flags, int priority);
CUCPU_DRV cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *context);
CUCPU_DRV cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green);
CUCPU_DRV cuGreenCtxRecordEvent(CUgreenCtx context, CUevent event);
CUCPU_DRV cuGreenCtxWaitEvent(CUgreenCtx context, CUevent event);
CUCPU_DRV cuCtxRecordEvent(CUcontext context, CUevent event);
CUCPU_DRV cuCtxWaitEvent(CUcontext context, CUevent event);
#endif
