// Names of features that the device does not have: programs that ask first, and go without, compile and run.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && %run %t 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// CHECK: {{^}}0 bad
// ERR-DAG: cuMemMapArrayAsync
// ERR-DAG: cudaArrayGetSparseProperties
#include <cstdio>
#include <cuda.h>
static_assert(CU_MEM_ALLOCATION_COMP_GENERIC == 1 && CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT == 4 && CU_MEM_HANDLE_TYPE_MAX == 0x7fffffff);
static_assert(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL == 8 && CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT == 9 && CU_GRAPH_NODE_TYPE_MEM_ALLOC == 10);
static_assert(CU_AD_FORMAT_BC1_UNORM == 0x91 && CU_AD_FORMAT_BC7_UNORM_SRGB == 0x9e && CU_AD_FORMAT_P010 == 0x9f && CU_AD_FORMAT_NV12 == 0xb0);
static_assert(CU_JIT_NUM_OPTIONS == 35 && CU_LIMIT_MAX == 10 && CU_LIBRARY_NUM_OPTIONS == 2 && CU_COREDUMP_GENERATION_FLAGS == 7);
static_assert(sizeof(CUmemAllocationProp_v1) == 32 && sizeof(CUarrayMapInfo) == 96 && sizeof(CUDA_ARRAY_SPARSE_PROPERTIES) == 48);
static_assert(sizeof(CUDA_ARRAY_MEMORY_REQUIREMENTS) == 32 && sizeof(cudaArrayMemoryRequirements) == 32 && sizeof(CUDA_LAUNCH_PARAMS) == 56);
static_assert(sizeof(CUmemFabricHandle) == 64 && sizeof(CUDA_POINTER_ATTRIBUTE_P2P_TOKENS) == 16 && sizeof(cudaArraySparseProperties) == 48);
struct CUDA_MEMCPY3D_st; // tags that programs declare
struct CUmemAllocationProp_st;

static int bad;
#define IS(call, want) ((call) == (want) ? (void)0 : (void)(bad++, printf("line %d: %s\n", __LINE__, #call)))

int main() {
    IS(cuInit(0), CUDA_SUCCESS);
    IS(cudaFree(0), cudaSuccess);
    int can = -1;
    IS(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, 0), CUDA_SUCCESS);
    IS(can, 0);
    CUmemAllocationProp p = {}, granted = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    size_t g;
    CUmemGenericAllocationHandle h;
    IS(cuMemGetAllocationGranularity(&g, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
    IS(cuMemCreate(&h, g, &p, 0), CUDA_SUCCESS);
    granted.allocFlags.compressionType = 7;
    IS(cuMemGetAllocationPropertiesFromHandle(&granted, h), CUDA_SUCCESS);
    IS(granted.allocFlags.compressionType, CU_MEM_ALLOCATION_COMP_NONE);
    IS(cuMemRelease(h), CUDA_SUCCESS);
    CUarray a;
    CUDA_ARRAY_DESCRIPTOR d = {64, 64, CU_AD_FORMAT_BC1_UNORM, 4};
    IS(cuArrayCreate(&a, &d), CUDA_ERROR_INVALID_VALUE);
    CUarrayMapInfo map = {};
    IS(cuMemMapArrayAsync(&map, 1, 0), CUDA_ERROR_NOT_SUPPORTED);
    cudaArraySparseProperties sparse;
    IS(cudaArrayGetSparseProperties(&sparse, nullptr), cudaErrorNotSupported);
    printf("%d bad\n", bad);
}
