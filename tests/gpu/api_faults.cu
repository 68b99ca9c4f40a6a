// What each call answers behind a kernel's fault, of what kind it may be: one process each. And the names and texts of errors.
//
// REQUIRES: run
// RUN: %cucpu -w -std=c++17 %s -o %t -lcuda && %run %t > %t.out && %python %S/Inputs/compare.py %S/Inputs/api_faults.txt %S/Inputs/api_faults.known %t.out
#include <cassert>
#include <cuda_runtime.h>
#define PROBE_RUNTIME
#include "Inputs/api.h"

__device__ int var[4] = {1, 2, 3, 4};
__global__ void empty() {}
__global__ void store(int *p) { *p = 1; }
__global__ void load(int *p, int *q) { *q = *p; }
__global__ void asserts(int v) { assert(v == 7); }
__global__ void traps() { __trap(); }
__global__ void misaligned(char *p) { *(volatile long long *)(p + 1) = 1; }
__global__ void shared_out(int i, int *p) {
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    __syncthreads();
    ((volatile int *)s)[i] = 2;
    __syncthreads();
    p[0] = s[0];
}
__device__ __noinline__ int deep(int n, int *p) {
    volatile int a[64];
    for (int i = 0; i < 64; i++) a[i] = n + i;
    return n == -1 ? a[3] : deep(n + 1, p) + a[(n + p[0]) & 63];
}
__global__ void recurses(int *p) { p[0] = deep(0, p); }

static int *d, *pinned, *managed;
static cudaStream_t s, t;
static cudaEvent_t before, e;
static void prepare() {
    cudaMalloc(&d, 256);
    cudaMallocHost(&pinned, 256);
    cudaMallocManaged(&managed, 256);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&before);
    cudaEventCreate(&e);
    empty<<<1, 1>>>();
    cudaEventRecord(before);
    RAW(cudaDeviceSynchronize());
}
/* A fault, the code that tells of it, and the end of the process's context. */
static void short_story() {
    usleep(200000); // until the GPU has noticed
    RAW(cudaDeviceSynchronize());
    RAW(cudaPeekAtLastError());
    RAW(cudaGetLastError());
    RAW(cudaGetLastError()); // sticky ones come again
    RAW(cudaMalloc(&d, 16));
    empty<<<1, 1>>>();
    RAW(cudaGetLastError());
    RAW(cudaDeviceSynchronize());
}
#define FAULT(name, ...) static void name() { prepare(); __VA_ARGS__; short_story(); }
FAULT(fault_assert, asserts<<<1, 1>>>(3))
FAULT(fault_trap, traps<<<1, 1>>>())
FAULT(fault_read, load<<<1, 1>>>(nullptr, d))
FAULT(fault_far, store<<<1, 1>>>(d + (1LL << 40)))
FAULT(fault_non_canonical, store<<<1, 1>>>((int *)0xdead000000000000))
FAULT(fault_misaligned, misaligned<<<1, 1>>>((char *)d))
FAULT(fault_shared, shared_out<<<1, 32>>>(1 << 28, d))
FAULT(fault_recursion, cudaMemset(d, 0, 256); recurses<<<1, 1>>>(d))
FAULT(fault_good, asserts<<<1, 1>>>(7)) // none

/* A null pointer, and then everything. */
static void everything() {
    int n = 99, host = 0;
    void *p;
    float ms;
    size_t a, b;
    cudaStream_t u;
    cudaEvent_t f;
    cudaDeviceProp prop;
    cudaPointerAttributes pa;
    cudaFuncAttributes fa;
    prepare();
    store<<<1, 1>>>(nullptr);
    usleep(200000);
    RAW(cudaStreamQuery(0));
    RAW(cudaStreamQuery(s));
    RAW(cudaStreamSynchronize(0));
    RAW(cudaStreamSynchronize(s));
    RAW(cudaGetLastError());
    RAW(cudaGetDevice(&n));
    RAW(cudaGetLastError());
    RAW(cudaGetDeviceCount(&n));
    RAW(cudaGetDeviceProperties(&prop, 0));
    RAW(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    RAW(cudaSetDevice(0));
    RAW(cudaRuntimeGetVersion(&n));
    RAW(cudaGetLastError());
    RAW(cudaMalloc(&p, 16));
    RAW(cudaMallocHost(&p, 16));
    RAW(cudaMallocManaged(&p, 16));
    RAW(cudaMallocAsync(&p, 16, s));
    RAW(cudaMemGetInfo(&a, &b));
    RAW(cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost));
    RAW(cudaMemcpy(d, &host, 4, cudaMemcpyHostToDevice));
    RAW(cudaMemcpy(d, &host, 0, cudaMemcpyHostToDevice));
    RAW(cudaMemcpy(nullptr, &host, 4, (cudaMemcpyKind)9)); // bad as well
    RAW(cudaMemcpyAsync(d, pinned, 4, cudaMemcpyHostToDevice, s));
    RAW(cudaMemset(d, 0, 4));
    RAW(cudaMemcpyToSymbol(var, &host, 4));
    RAW(cudaGetSymbolAddress(&p, var));
    empty<<<1, 1>>>();
    RAW(cudaGetLastError());
    empty<<<1, 2000>>>(); // bad as well
    RAW(cudaGetLastError());
    RAW(cudaPointerGetAttributes(&pa, d));
    RAW(cudaFuncGetAttributes(&fa, empty));
    RAW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, empty, 32, 0));
    RAW(cudaStreamCreate(&u));
    RAW(cudaEventCreate(&f));
    RAW(cudaEventRecord(e, s));
    RAW(cudaEventQuery(before)); // done long ago
    RAW(cudaEventQuery(e));
    RAW(cudaEventSynchronize(before));
    RAW(cudaEventElapsedTime(&ms, before, before));
    RAW(cudaStreamWaitEvent(s, before, 0));
    RAW(cudaLaunchHostFunc(s, [](void *) { printf("  the host function runs\n"); }, nullptr));
    RAW(cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t x, void *) { printf("  the callback gets %s\n", cudaGetErrorName(x)); }, nullptr, 0));
    RAW(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
    RAW(cudaDeviceGetLimit(&a, cudaLimitStackSize));
    RAW(cudaStreamDestroy(s));
    RAW(cudaEventDestroy(e));
    RAW(cudaFree(nullptr));
    RAW(cudaFree(d));
    RAW(cudaFree((void *)0x10));
    RAW(cudaFreeHost(pinned));
    RAW(cudaFreeAsync(d, 0));
    if (!sigsetjmp(risk, 1)) at_risk = 1, managed[0] = 5, printf("  managed memory is there for the host\n");
    else printf("  managed memory is not there for the host\n");
    at_risk = 0;
    RAW(cudaGetLastError());
    RAW(cudaPeekAtLastError());
    RAW(cudaDeviceReset());
    RAW(cudaPeekAtLastError());
    RAW(cudaGetLastError());
    RAW(cudaGetLastError());
    RAW(cudaMalloc(&p, 16));
    RAW(cudaFree(p));
    empty<<<1, 1>>>();
    RAW(cudaGetLastError());
    RAW(cudaDeviceSynchronize());
    RAW(cudaDeviceReset());
    RAW(cudaMalloc(&p, 16));
}

/* The first call behind a fault: does it tell? In a stream, so that the fault comes later everywhere. */
#define FIRST(name, ...) \
    static void name() { \
        prepare(); \
        store<<<1, 1, 0, s>>>(nullptr); \
        usleep(300000); \
        __VA_ARGS__; \
        RAW(cudaGetLastError()); \
        RAW(cudaStreamQuery(t)); \
        RAW(cudaGetLastError()); \
    }
FIRST(first_last_error, RAW(cudaGetLastError()); RAW(cudaPeekAtLastError()))
FIRST(first_malloc, RAW(cudaMalloc(&d, 16)))
FIRST(first_free, RAW(cudaFree(d)))
FIRST(first_launch, empty<<<1, 1, 0, t>>>())
FIRST(first_copy, RAW(cudaMemcpyAsync(d, pinned, 4, cudaMemcpyHostToDevice, t)))
FIRST(first_other_stream, RAW(cudaStreamSynchronize(t)))
FIRST(first_event, RAW(cudaEventRecord(e, t)))
FIRST(first_old_event, RAW(cudaEventQuery(before)))
FIRST(first_reset, RAW(cudaDeviceReset()); RAW(cudaGetLastError()); RAW(cudaMalloc(&d, 16)); prepare())

static void texts() {
    static const int codes[] = {
        0, 1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 17, 20, 21, 26, 28, 30, 34, 35, 36, 46, 47, 49, 52, 65, 98, 100, 101, 103, 127, 128,
        200, 201, 209, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 300, 301, 302, 303, 304, 400, 401, 402,
        500, 600, 700, 701, 702, 703, 704, 705, 708, 709, 710, 711, 712, 713, 714, 715, 716, 717, 718, 719, 720, 721, 800, 801,
        802, 803, 804, 805, 806, 807, 808, 809, 810, 900, 901, 902, 903, 904, 905, 906, 907, 908, 909, 910, 911, 912, 913, 914,
        915, 999, 10000, 5000, -1, 6, 8, 10, 99};
    for (int c : codes) printf("%d: %s, %s\n", c, cudaGetErrorName((cudaError_t)c), cudaGetErrorString((cudaError_t)c));
}

static const Topic topics[] = {{"texts", texts}, {"assert", fault_assert}, {"trap", fault_trap}, {"read", fault_read}, {"far", fault_far},
                               {"non_canonical", fault_non_canonical}, {"misaligned", fault_misaligned}, {"shared", fault_shared},
                               {"good", fault_good}, {"everything", everything}, {"first_last_error", first_last_error},
                               {"first_malloc", first_malloc}, {"first_free", first_free}, {"first_launch", first_launch}, {"first_copy", first_copy},
                               {"first_other_stream", first_other_stream}, {"first_event", first_event}, {"first_old_event", first_old_event},
                               {"first_reset", first_reset}, {"recursion", fault_recursion}};
int main(int argc, char **argv) { return run_topics(topics, sizeof topics / sizeof *topics, argc, argv); }
