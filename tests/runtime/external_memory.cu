// Memory by its file descriptor: what cuMemCreate exports and what others have made; the rest of interoperation is refused.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && %run %t 2>%t.err | FileCheck %s
// CHECK: {{^}}0 bad
// RUN: FileCheck --check-prefix=TOLD %s < %t.err
// TOLD: cudaImportExternalSemaphore is not supported
#include <cstdio>
#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>
#include "expect.h"

__global__ void add(int *p) { p[threadIdx.x] += threadIdx.x; }

static cudaExternalMemory_t import(int fd, size_t size) {
    cudaExternalMemoryHandleDesc d = {};
    cudaExternalMemory_t m = nullptr;
    d.type = cudaExternalMemoryHandleTypeOpaqueFd;
    d.handle.fd = fd;
    d.size = size;
    OK(cudaImportExternalMemory(&m, &d));
    return m;
}

static void of_a_file() {
    int fd = memfd_create("test", 0), other = dup(fd);
    size_t size = 3 * 4096;
    OK(ftruncate(fd, size));
    int *file = (int *)mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);
    for (int i = 0; i < 3 * 1024; i++) file[i] = 1000 + i;
    cudaExternalMemory_t m = import(fd, size);
    cudaExternalMemoryBufferDesc b = {};
    void *p, *q;
    b.offset = 4096 + 64, b.size = 128;
    OK(cudaExternalMemoryGetMappedBuffer(&p, m, &b));
    add<<<1, 32>>>((int *)p);
    OK(cudaDeviceSynchronize());
    IS(file[1024 + 16 + 31], 1000 + 1024 + 16 + 31 + 31);
    IS(cudaMemset(p, 0, 129), cudaErrorInvalidValue); // its end is known
    b.offset = size, b.size = 4;
    IS(cudaExternalMemoryGetMappedBuffer(&q, m, &b), cudaErrorInvalidValue);
    b.offset = 0, b.size = 0;
    IS(cudaExternalMemoryGetMappedBuffer(&q, m, &b), cudaErrorInvalidValue);
    OK(cudaDestroyExternalMemory(m));
    IS(cudaDestroyExternalMemory(m), cudaErrorInvalidResourceHandle);
    IS(close(fd), -1); // it was the handle's
    add<<<1, 1>>>((int *)p); // buffers stay
    OK(cudaDeviceSynchronize());
    OK(cudaFree(p));
    IS(cudaFree(p), cudaErrorInvalidValue);
    cudaExternalMemoryHandleDesc d = {};
    d.handle.fd = other, d.size = size + 1, d.type = cudaExternalMemoryHandleTypeOpaqueFd;
    IS(cudaImportExternalMemory(&m, &d), cudaErrorInvalidValue); // too large
    d.handle.fd = -1, d.size = 8;
    IS(cudaImportExternalMemory(&m, &d), cudaErrorInvalidValue);
    d.type = cudaExternalMemoryHandleTypeD3D12Heap;
    IS(cudaImportExternalMemory(&m, &d), cudaErrorNotSupported);
}

/* Of the driver API, both ways. */
static void of_an_allocation() {
    CUmemAllocationProp prop = {};
    CUmemGenericAllocationHandle h;
    CUdeviceptr va, p;
    size_t size;
    int fd, x = 0;
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    OK(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemCreate(&h, size, &prop, 0));
    OK(cuMemAddressReserve(&va, size, 0, 0, 0));
    OK(cuMemMap(va, size, 0, h, 0));
    CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuMemSetAccess(va, size, &access, 1));
    OK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = {};
    d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, d.handle.fd = fd, d.size = size;
    CUexternalMemory m;
    OK(cuImportExternalMemory(&m, &d));
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC b = {};
    b.size = size;
    OK(cuExternalMemoryGetMappedBuffer(&p, m, &b));
    OK(cuMemsetD32(va, 77, 4));
    OK(cuMemcpyDtoH(&x, p + 12, 4));
    IS(x, 77);
    OK(cuMemFree(p));
    OK(cuDestroyExternalMemory(m));
}

int main() {
    cudaExternalSemaphore_t s;
    cudaExternalSemaphoreHandleDesc d = {};
    CUgraphicsResource resource = nullptr;
    of_a_file();
    of_an_allocation();
    d.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
    IS(cudaImportExternalSemaphore(&s, &d), cudaErrorNotSupported);
    IS(cuGraphicsMapResources(1, &resource, 0), CUDA_ERROR_NOT_SUPPORTED);
    return report();
}
