// malloc in kernels: cudaLimitMallocHeapSize bytes and no more, then NULL; a wrong free ends the kernel, and cudaDeviceReset empties the heap.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t 2> %t.txt | FileCheck %s
// RUN: FileCheck --check-prefix=TOLD %s < %t.txt
// RUN: %cucpu --simd=1 %s -o %t && %run %t 2> /dev/null | FileCheck %s
// RUN: %cucpu -G %s -o %t && %run %t 2> /dev/null | FileCheck %s
// CHECK: blocks of 1 MiB: 8, then 8
// CHECK: after a reset 8, of a larger heap 32, too late for another limit: cudaErrorInvalidValue
// CHECK: too much: 1, none: 0, by 64 threads: 32
// CHECK: freed twice: cudaErrorLaunchFailure
// CHECK: not from malloc: cudaErrorLaunchFailure
// CHECK: none: cudaSuccess
// TOLD: kernel {{.*}}wrong_free{{.*}}: free(0x{{.*}}which malloc has not given
#include <cstdio>

__global__ void count(int *n, bool keep) {
    void *first = nullptr, *p;
    for (*n = 0; (p = malloc(1 << 20)); ++*n) {
        *(void **)p = first;
        first = p;
    }
    for (; !keep && first; first = p) {
        p = *(void **)first;
        free(first);
    }
}
__global__ void unused(int *n) { // what malloc gives is only compared
    *n = malloc(size_t(1) << 40) == nullptr;
    n[1] = malloc(1 << 10) == nullptr;
}
__global__ void each(int *n) { atomicAdd(n, malloc(1 << 20) != nullptr); }
__global__ void wrong_free(int how, int *other) {
    int *p = new int(5);
    if (how == 0) delete p;
    delete p;
    if (how == 1) free(other);
    if (how == 2) free(nullptr);
}

static int *n;
static int counted(bool keep) {
    count<<<1, 1>>>(n, keep);
    cudaDeviceSynchronize();
    return *n;
}
static void reset(size_t heap) {
    cudaDeviceReset();
    if (heap) cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap);
    cudaMallocManaged(&n, 64);
    *n = 0;
}

int main() {
    reset(0);
    int first = counted(false);
    std::printf("blocks of 1 MiB: %d, then %d\n", first, counted(true));
    reset(0);
    int again = counted(true);
    reset(32 << 20);
    int more = counted(true);
    std::printf("after a reset %d, of a larger heap %d, too late for another limit: %s\n", again, more,
                cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20)));
    reset(32 << 20);
    unused<<<1, 1>>>(n);
    cudaDeviceSynchronize();
    int too_much = n[0], none = n[1];
    reset(32 << 20);
    each<<<2, 32>>>(n);
    cudaDeviceSynchronize();
    std::printf("too much: %d, none: %d, by 64 threads: %d\n", too_much, none, *n);
    const char *names[] = {"freed twice", "not from malloc", "none"};
    for (int how = 0; how < 3; how++) {
        reset(0);
        wrong_free<<<1, 1>>>(how, n + 8);
        std::printf("%s: %s\n", names[how], cudaGetErrorName(cudaDeviceSynchronize()));
    }
}
