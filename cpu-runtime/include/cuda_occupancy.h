/* cuda_occupancy.h: occupancy from numbers alone, without a device or a kernel.
**
** CUDA's interface.  The arithmetic is that of the runtime (func.c): threads, shared memory and the
** number of blocks limit, registers only where the caller names a register file. */
#ifndef CUCPU_CUDA_OCCUPANCY_H
#define CUCPU_CUDA_OCCUPANCY_H
#include <limits.h>
#include <stddef.h>

typedef enum cudaOccError_enum {
    CUDA_OCC_SUCCESS = 0,
    CUDA_OCC_ERROR_INVALID_INPUT = 1,
    CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;
typedef enum cudaOccCacheConfig_enum {
    CACHE_PREFER_NONE = 0,
    CACHE_PREFER_SHARED = 1,
    CACHE_PREFER_L1 = 2,
    CACHE_PREFER_EQUAL = 3
} cudaOccCacheConfig;
typedef enum cudaOccCarveoutConfig_enum {
    SHAREDMEM_CARVEOUT_DEFAULT = -1,
    SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    SHAREDMEM_CARVEOUT_HALF = 50,
    SHAREDMEM_CARVEOUT_MAX_SHARED = 100
} cudaOccCarveoutConfig;
typedef enum cudaOccPartitionedGCConfig_enum {
    PARTITIONED_GC_OFF = 0,
    PARTITIONED_GC_ON = 1,
    PARTITIONED_GC_ON_STRICT = 2
} cudaOccPartitionedGCConfig;
typedef enum cudaOccFuncShmemConfig_enum {
    FUNC_SHMEM_LIMIT_DEFAULT = 0,
    FUNC_SHMEM_LIMIT_OPTIN = 1
} cudaOccFuncShmemConfig;
typedef enum cudaOccLimitingFactors_enum {
    OCC_LIMIT_WARPS = 1,
    OCC_LIMIT_REGISTERS = 2,
    OCC_LIMIT_SHARED_MEMORY = 4,
    OCC_LIMIT_BLOCKS = 8,
    OCC_LIMIT_BARRIERS = 16
} cudaOccLimitingFactors;

typedef struct cudaOccDeviceProp {
    int computeMajor, computeMinor;
    int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
    int regsPerBlock, regsPerMultiprocessor;
    int warpSize;
    size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
    int numSms;
    size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#ifdef __cplusplus
    cudaOccDeviceProp() = default;
    template <class P_>
    cudaOccDeviceProp(const P_ &p_)
        : computeMajor(p_.major), computeMinor(p_.minor), maxThreadsPerBlock(p_.maxThreadsPerBlock),
          maxThreadsPerMultiprocessor(p_.maxThreadsPerMultiProcessor),
          regsPerBlock(p_.regsPerBlock), regsPerMultiprocessor(p_.regsPerMultiprocessor),
          warpSize(p_.warpSize), sharedMemPerBlock(p_.sharedMemPerBlock),
          sharedMemPerMultiprocessor(p_.sharedMemPerMultiprocessor), numSms(p_.multiProcessorCount),
          sharedMemPerBlockOptin(p_.sharedMemPerBlockOptin),
          reservedSharedMemPerBlock(p_.reservedSharedMemPerBlock) {}
#endif
} cudaOccDeviceProp;

typedef struct cudaOccFuncAttributes {
    int maxThreadsPerBlock, numRegs;
    size_t sharedSizeBytes;
    cudaOccPartitionedGCConfig partitionedGCConfig;
    cudaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes;
    unsigned int numBlockBarriers;
#ifdef __cplusplus
    cudaOccFuncAttributes() = default;
    template <class A_>
    cudaOccFuncAttributes(const A_ &a_)
        : maxThreadsPerBlock(a_.maxThreadsPerBlock), numRegs(a_.numRegs),
          sharedSizeBytes(a_.sharedSizeBytes), partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
          maxDynamicSharedSizeBytes(a_.maxDynamicSharedSizeBytes), numBlockBarriers(1) {}
#endif
} cudaOccFuncAttributes;

typedef struct cudaOccDeviceState {
    cudaOccCacheConfig cacheConfig;
    int carveoutConfig;
#ifdef __cplusplus
    cudaOccDeviceState()
        : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
} cudaOccDeviceState;

typedef struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors;
    int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks, blockLimitBarriers;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
    cudaOccPartitionedGCConfig partitionedGCConfig;
} cudaOccResult;

#define CUCPU_OCC_BLOCKS_ 32

static inline int cucpu_occ_fit_(size_t whole_, size_t part_) {
    size_t n_ = part_ ? whole_ / part_ : INT_MAX;
    return n_ < INT_MAX ? (int)n_ : INT_MAX;
}

/* How many blocks of blockSize threads with dynamicSmemSize bytes fit on one multiprocessor. */
static inline cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(
    cudaOccResult *result, const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
    const cudaOccDeviceState *state, int blockSize, size_t dynamicSmemSize) {
    if (!result || !p || !a || !state || blockSize <= 0 || p->warpSize <= 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    int warps_ = (blockSize + p->warpSize - 1) / p->warpSize, n_ = CUCPU_OCC_BLOCKS_;
    int limit_ = a->maxThreadsPerBlock < p->maxThreadsPerBlock ? a->maxThreadsPerBlock
                                                               : p->maxThreadsPerBlock;
    size_t most_ = a->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN ? p->sharedMemPerBlockOptin
                                                                 : p->sharedMemPerBlock;
    cudaOccResult r_;
    r_.allocatedRegistersPerBlock = a->numRegs * warps_ * p->warpSize;
    r_.allocatedSharedMemPerBlock =
        a->sharedSizeBytes + dynamicSmemSize + p->reservedSharedMemPerBlock;
    r_.blockLimitRegs =
        cucpu_occ_fit_((size_t)p->regsPerMultiprocessor, (size_t)r_.allocatedRegistersPerBlock);
    r_.blockLimitSharedMem =
        cucpu_occ_fit_(p->sharedMemPerMultiprocessor, r_.allocatedSharedMemPerBlock);
    if (a->sharedSizeBytes + dynamicSmemSize > most_) r_.blockLimitSharedMem = 0;
    r_.blockLimitWarps =
        blockSize > limit_ ? 0 : p->maxThreadsPerMultiprocessor / p->warpSize / warps_;
    r_.blockLimitBlocks = CUCPU_OCC_BLOCKS_;
    r_.blockLimitBarriers = INT_MAX;
    if (r_.blockLimitRegs < n_) n_ = r_.blockLimitRegs;
    if (r_.blockLimitSharedMem < n_) n_ = r_.blockLimitSharedMem;
    if (r_.blockLimitWarps < n_) n_ = r_.blockLimitWarps;
    r_.activeBlocksPerMultiprocessor = n_;
    r_.limitingFactors = (n_ == r_.blockLimitWarps ? (unsigned)OCC_LIMIT_WARPS : 0u) |
                         (n_ == r_.blockLimitRegs ? (unsigned)OCC_LIMIT_REGISTERS : 0u) |
                         (n_ == r_.blockLimitSharedMem ? (unsigned)OCC_LIMIT_SHARED_MEMORY : 0u) |
                         (n_ == r_.blockLimitBlocks ? (unsigned)OCC_LIMIT_BLOCKS : 0u);
    r_.partitionedGCConfig = a->partitionedGCConfig;
    *result = r_;
    return CUDA_OCC_SUCCESS;
}
#endif
