// cudaDeviceReset: variables start anew, whoever has written them; what the context had is gone.
// REQUIRES: run
// RUN: %cucpu -g %s -o %t && %run %t | FileCheck %s
// RUN: %cucpu -rdc=true --simd=1 %s -o %t.1 && %run %t.1 | FileCheck %s
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(c)                                                                                   \
    do {                                                                                           \
        if (!(c)) printf("line %d: %s\n", __LINE__, #c), failed = 1;                               \
    } while (0)
static int failed;

__device__ int numbers[300] = {5, 6, 7};
__device__ double zeros[4];
__constant__ float table[3] = {1.5f, 2.5f, 3.5f};
__managed__ int shared_number = 11;
__managed__ long empty;
static __device__ int hidden = 42; // the host does not know it
__device__ int *pointer = &numbers[2];
static __device__ int unread = 9;

__device__ int counted() {
    static int calls = 100;
    return atomicAdd(&calls, 1);
}

__global__ void look(int *out) {
    out[0] = numbers[0] + numbers[299], out[1] = (int)zeros[3], out[2] = (int)(table[1] * 2), out[3] = shared_number;
    out[4] = (int)empty, out[5] = hidden, out[6] = *pointer, out[7] = counted(), out[8] = unread;
}

__global__ void change() {
    numbers[0] = 77, numbers[299] = 1000, zeros[3] = 8, shared_number = 12, empty = 13, hidden = 43, pointer = &numbers[0];
    for (int i = 0; i < 5; i++) counted();
}

__global__ void speak() { printf("from the kernel\n"); }

static bool fresh() {
    static const int want[9] = {5, 0, 5, 11, 0, 42, 7, 100, 9};
    int got[9], *d;
    if (cudaMalloc(&d, sizeof got)) return false;
    look<<<1, 1>>>(d);
    bool same = !cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 9; i++)
        if (got[i] != want[i]) printf("value %d is %d\n", i, got[i]), same = false;
    return !cudaFree(d) && same;
}

static void handles_are_gone() {
    cudaStream_t s;
    cudaEvent_t e;
    cudaArray_t a;
    cudaMemPool_t pool, now;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    void *p, *pinned;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    auto format = cudaCreateChannelDesc<float>();
    CHECK(!cudaStreamCreate(&s) && !cudaEventCreate(&e) && !cudaMalloc(&p, 1000) && !cudaMallocHost(&pinned, 1000));
    CHECK(!cudaMallocArray(&a, &format, 16, 16) && !cudaMemPoolCreate(&pool, &props) && !cudaDeviceSetMemPool(0, pool));
    CHECK(!cudaGraphCreate(&g, 0) && !cudaGraphInstantiate(&exec, g, 0));
    CHECK(!cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    CHECK(!cudaFuncSetAttribute(look, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    speak<<<1, 1, 0, s>>>();
    CHECK(!cudaDeviceReset());
    size_t limit;
    cudaExtent extent;
    cudaFuncAttributes attributes;
    CHECK(cudaStreamSynchronize(s) == cudaErrorInvalidResourceHandle && cudaEventSynchronize(e) == cudaErrorInvalidResourceHandle);
    CHECK(cudaFree(p) == cudaErrorInvalidValue && cudaFreeHost(pinned) == cudaErrorInvalidValue);
    CHECK(cudaArrayGetInfo(&format, &extent, nullptr, a) == cudaErrorInvalidResourceHandle);
    CHECK(cudaMemPoolTrimTo(pool, 0) == cudaErrorInvalidValue && !cudaDeviceGetMemPool(&now, 0) && now != pool);
    CHECK(cudaGraphLaunch(exec, 0) == cudaErrorInvalidValue);
    CHECK(!cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) && limit == 8 << 20);
    CHECK(!cudaFuncGetAttributes(&attributes, look) && attributes.maxDynamicSharedSizeBytes == 48 << 10);
    cudaGetLastError();
}

/* Modules go with their context; libraries stay, and their variables start anew. */
static void loaded_code() {
    static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                              ".visible .global .u32 number = 5;\n.visible .entry nothing() { ret; }\n";
    CUmodule module;
    CUlibrary library;
    CUfunction f;
    CUdeviceptr at;
    int v = 0;
    CHECK(!cuInit(0) && !cudaFree(0) && !cuModuleLoadData(&module, ptx) && !cuModuleGetFunction(&f, module, "nothing"));
    CHECK(!cuLibraryLoadData(&library, ptx, 0, 0, 0, 0, 0, 0) && !cuLibraryGetGlobal(&at, 0, library, "number"));
    CHECK(!cuMemsetD32(at, 8, 1) && !cudaDeviceReset());
    CHECK(cuModuleGetFunction(&f, module, "nothing") == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemAlloc(&at, 4) == CUDA_ERROR_CONTEXT_IS_DESTROYED && !cudaFree(0)); /* until the runtime API makes it anew */
    CHECK(!cuLibraryGetGlobal(&at, 0, library, "number") && !cuMemcpyDtoH(&v, at, 4) && v == 5);
}

int main() {
    float other[3] = {9, 9, 9};
    int host = 1;
    CHECK(fresh());
    CHECK(!cudaDeviceReset());
    for (int round = 0; round < 2; round++) {
        change<<<1, 1>>>();
        CHECK(!cudaMemcpyToSymbol(table, other, sizeof other) && !cudaMemcpyToSymbol(numbers, &host, 4, 8));
        CHECK(!cudaDeviceSynchronize() && shared_number == 12 && empty == 13);
        CHECK(!cudaDeviceReset());
        CHECK(shared_number == 11 && empty == 0);
        CHECK(fresh());
        CHECK(!cudaDeviceReset());
    }
    handles_are_gone();
    loaded_code();
    CHECK(!cudaDeviceReset() && fresh());
    puts(failed ? "failed" : "all is new");
}
// CHECK: from the kernel
// CHECK-NEXT: all is new
