// Functions that CUDA 13 has added to both APIs, as programs built with its headers call them: batches, pools by location, atomics, the log.
// REQUIRES: run
// RUN: %clang -I%resources/include %s -o %t -L%resources -Wl,-rpath,%resources -l:libcudart.so.12 -ldl
// RUN: rm -f %t.log && env CUDA_LOG_FILE=%t.log %run %t %t.dump 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG < %t.log && FileCheck %s --check-prefix=DUMP < %t.dump
// LOG: {{^\[..:..:..\....\]\[[0-9]+\]}}[CUDA][E] Returning 1 (cudaErrorInvalidValue) from cudaMemsetAsync
// DUMP-NOT: cudaMemset
// DUMP: [CUDA][E] Returning 101 (cudaErrorInvalidDevice) from cudaSetDevice
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(name, parameters, arguments) (((int(*) parameters)dlsym(RTLD_DEFAULT, #name))arguments)
static int calls;
static void callback(void *data, int level, char *message, size_t length) {
    calls++;
    printf("callback: %d %d %s\n", *(int *)data, level, strlen(message) == length ? strstr(message, "Returning") : "length");
}

static void copies(CUcontext c) {
    CUstream s;
    CUdeviceptr p, q, managed;
    int from = 5, to = 0, device = 9, batch, discarded;
    cuStreamCreate(&s, 0);
    cuMemAlloc(&p, 8), cuMemAlloc(&q, 8), cuMemAllocManaged(&managed, 8, CU_MEM_ATTACH_GLOBAL);
    cuMemcpyHtoD(p, &from, 4);
    CUmemcpyAttributes a = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t size = 4, at = 0;
    batch = CALL(cuMemcpyBatchAsync_v2, (CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, CUstream),
                 (&q, &p, &size, 1, &a, &at, 1, s));
    cuStreamSynchronize(s);
    cuMemcpyDtoH(&to, q, 4);
    printf("batch: %d, %d\n", batch, to);
    // CHECK: batch: 0, 5
    void *f = NULL;
    cuGetProcAddress("cuMemcpyBatchAsync", &f, 13000, 0, NULL);
    printf("by version: %d", f == dlsym(RTLD_DEFAULT, "cuMemcpyBatchAsync_v2"));
    cuGetProcAddress("cuMemcpyBatchAsync", &f, 12080, 0, NULL);
    printf(" %d\n", f == dlsym(RTLD_DEFAULT, "cuMemcpyBatchAsync"));
    // CHECK: by version: 1 1
    struct cudaMemLocation l = {.type = cudaMemLocationTypeDevice};
    printf("prefetch: %d, discard: %d %d, both: %d\n",
           CALL(cuMemPrefetchBatchAsync, (CUdeviceptr *, size_t *, size_t, void *, size_t *, size_t, unsigned long long, CUstream),
                (&managed, &size, 1, &l, &at, 1, 0, s)),
           CALL(cuMemDiscardBatchAsync, (CUdeviceptr *, size_t *, size_t, unsigned long long, CUstream), (&managed, &size, 1, 0, s)),
           CALL(cuMemDiscardBatchAsync, (CUdeviceptr *, size_t *, size_t, unsigned long long, CUstream), (&p, &size, 1, 0, s)),
           CALL(cuMemDiscardAndPrefetchBatchAsync_ptsz,
                (CUdeviceptr *, size_t *, size_t, void *, size_t *, size_t, unsigned long long, CUstream),
                (&managed, &size, 1, &l, &at, 1, 0, s)));
    // CHECK: prefetch: 0, discard: 0 1, both: 0
    int ofContext = CALL(cuCtxGetDevice_v2, (int *, CUcontext), (&device, c)), ofCurrent = CALL(cuCtxGetDevice_v2, (int *, CUcontext), (&device, NULL));
    printf("device: %d %d %d %d\n", ofContext, ofCurrent, device, CALL(cuCtxGetDevice_v2, (int *, CUcontext), (NULL, NULL)));
    // CHECK: device: 0 0 0 1
}

static void pools(void) {
    CUmemoryPool fallback, pool = NULL;
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0}, none = {0};
    int got = CALL(cuMemGetDefaultMemPool, (CUmemoryPool *, CUmemLocation *, int), (&fallback, &device, 1));
    int set = CALL(cuMemSetMemPool, (CUmemLocation *, int, CUmemoryPool), (&device, 1, fallback));
    int current = CALL(cuMemGetMemPool, (CUmemoryPool *, CUmemLocation *, int), (&pool, &device, 1));
    printf("pools: %d %d %d %d; host %d, managed %d, no type %d\n", got, set, current, pool == fallback,
           CALL(cuMemGetMemPool, (CUmemoryPool *, CUmemLocation *, int), (&pool, &host, 1)),
           CALL(cuMemGetMemPool, (CUmemoryPool *, CUmemLocation *, int), (&pool, &none, 2)),
           CALL(cuMemGetMemPool, (CUmemoryPool *, CUmemLocation *, int), (&pool, &device, 0)));
    // CHECK: pools: 0 0 0 1; host 801, managed 801, no type 1
}

static void graphs(void) {
    CUgraph g;
    CUgraphExec exec;
    CUgraphNode node = (CUgraphNode)1;
    char log[10] = "x";
    cuGraphCreate(&g, 0);
    int old = CALL(cuGraphInstantiate_v2, (CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t), (&exec, g, &node, log, sizeof log));
    printf("instantiate: %d %d '%s', new: %d\n", old, node == NULL, log, cuGraphInstantiate(&exec, g, 0));
    // CHECK: instantiate: 0 1 '', new: 0
}

static void atomics(void) {
    unsigned capabilities[2] = {0};
    int operations[2] = {0, 9}, wrong = 13;
    int ok = CALL(cuDeviceGetHostAtomicCapabilities, (unsigned *, const int *, unsigned, int), (capabilities, operations, 2, 0));
    printf("atomics: %d %#x %#x, errors: %d %d %d, peer: %d\n", ok, capabilities[0], capabilities[1],
           CALL(cuDeviceGetHostAtomicCapabilities, (unsigned *, const int *, unsigned, int), (capabilities, &wrong, 1, 0)),
           CALL(cuDeviceGetHostAtomicCapabilities, (unsigned *, const int *, unsigned, int), (capabilities, operations, 0, 0)),
           CALL(cudaDeviceGetHostAtomicCapabilities, (unsigned *, const int *, unsigned, int), (capabilities, operations, 1, 7)),
           CALL(cuDeviceGetP2PAtomicCapabilities, (unsigned *, const int *, unsigned, int, int), (capabilities, operations, 1, 0, 0)));
    // CHECK: atomics: 0 0x1f 0x3b, errors: 1 1 101, peer: 101
}

static void logs(const char *file) {
    void *handle;
    int number = 7;
    unsigned iterator;
    char text[200];
    printf("register: %d, without function: %d\n", CALL(cuLogsRegisterCallback, (void *, void *, void **), (callback, &number, &handle)),
           CALL(cuLogsRegisterCallback, (void *, void *, void **), (NULL, &number, &handle)));
    // CHECK: register: 0, without function: 1
    cudaMemsetAsync(&number, 0, 4, 0);
    // CHECK: callback: 7 0 Returning 1 (cudaErrorInvalidValue) from cudaMemsetAsync
    cuMemFree(4096);
    // CHECK: callback: 7 0 Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemFree
    int first = CALL(cuLogsUnregisterCallback, (void *), (handle)), again = CALL(cuLogsUnregisterCallback, (void *), (handle));
    printf("unregister: %d, again: %d\n", first, again);
    // CHECK-NEXT: unregister: 0, again: 1
    CALL(cuLogsCurrent, (unsigned *, unsigned), (&iterator, 0));
    cudaSetDevice(5);
    unsigned kept = iterator;
    size_t size = sizeof text, small = 10;
    int dumped = CALL(cuLogsDumpToMemory, (unsigned *, char *, size_t *, unsigned), (&iterator, text, &size, 0));
    printf("calls %d, dump %d %d: %s", calls, dumped, size == strlen(text), strstr(text, "Returning"));
    // CHECK-NEXT: calls 2, dump 0 1: Returning 101 (cudaErrorInvalidDevice) from cudaSetDevice
    size = sizeof text;
    dumped = CALL(cudaLogsDumpToMemory, (unsigned *, char *, size_t *, unsigned), (&iterator, text, &size, 0));
    printf("empty: %d %zu, too small: %d %zu\n", dumped, size,
           CALL(cuLogsDumpToMemory, (unsigned *, char *, size_t *, unsigned), (NULL, text, &small, 0)), small);
    // CHECK-NEXT: empty: 0 0, too small: 1 {{0|10}}
    printf("file: %d, no such: %d\n", CALL(cudaLogsDumpToFile, (unsigned *, const char *, unsigned), (&kept, file, 0)),
           CALL(cuLogsDumpToFile, (unsigned *, const char *, unsigned), (&kept, "/nonexistent/x", 0)));
    // CHECK-NEXT: file: 0, no such: 1
    for (int i = 0; i < 1000; i++) cudaSetDevice(5);
    char *all = malloc(30000);
    size = 30000;
    dumped = CALL(cuLogsDumpToMemory, (unsigned *, char *, size_t *, unsigned), (NULL, all, &size, 0));
    printf("full: %d %d %.20s\n", dumped, size > 20000 && size < 26000, all);
    // CHECK-NEXT: full: 0 1 [CUDA][W] older mess
    size = 300;
    dumped = CALL(cuLogsDumpToMemory, (unsigned *, char *, size_t *, unsigned), (NULL, all, &size, 0));
    printf("some: %d %d %.20s\n", dumped, size <= 300 && size > 150 && all[size - 1] == '\n', all);
    // CHECK-NEXT: some: 0 1 [CUDA][W] older mess
}

int main(int argc, char **argv) {
    CUcontext c;
    setvbuf(stdout, NULL, _IOLBF, 0);
    cuInit(0);
    cuDevicePrimaryCtxRetain(&c, 0);
    cuCtxSetCurrent(c);
    copies(c);
    pools();
    graphs();
    atomics();
    logs(argv[1]);
    return argc < 2;
}
