// Events that attributes of a launch name: who waits for them sees what the kernel has done.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cuda.h>
#include "expect.h"

enum { BLOCKS = 16, THREADS = 64, ROUNDS = 2000 };
__global__ void work(int *p) {
    for (int i = 0; i < ROUNDS; i++) atomicAdd(p, 1);
    cudaTriggerProgrammaticLaunchCompletion();
}

static cudaLaunchAttribute attribute(cudaLaunchAttributeID id, cudaEvent_t e) {
    cudaLaunchAttribute a = {};
    a.id = id;
    if (id == cudaLaunchAttributeProgrammaticEvent) a.val.programmaticEvent.event = e;
    else a.val.launchCompletionEvent.event = e;
    return a;
}

/* The other stream copies what it sees behind the event. */
static void by_runtime(cudaLaunchAttributeID id, int *p, cudaStream_t s, cudaStream_t other) {
    cudaEvent_t e, timed;
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    OK(cudaEventCreate(&timed));
    cudaLaunchAttribute a = attribute(id, e);
    cudaLaunchConfig_t c = {};
    c.gridDim = BLOCKS;
    c.blockDim = THREADS;
    c.stream = s;
    c.attrs = &a;
    c.numAttrs = 1;
    p[0] = p[1] = 0;
    OK(cudaLaunchKernelEx(&c, work, p));
    OK(cudaStreamWaitEvent(other, e, 0));
    OK(cudaMemcpyAsync(p + 1, p, sizeof(int), cudaMemcpyDefault, other));
    OK(cudaStreamSynchronize(other));
    IS(p[1], BLOCKS * THREADS * ROUNDS);
    OK(cudaEventSynchronize(e));
    OK(cudaStreamSynchronize(s));
    a = attribute(id, timed);
    IS(cudaLaunchKernelEx(&c, work, p), cudaErrorInvalidValue);
    a = attribute(id, nullptr);
    IS(cudaLaunchKernelEx(&c, work, p), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(e));
    OK(cudaEventDestroy(timed));
}

static void by_driver(int *p, cudaStream_t s, cudaStream_t other) {
    CUevent e;
    cudaFunction_t f;
    CUlaunchAttribute a = {};
    void *args[] = {&p};
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    OK(cudaGetFuncBySymbol(&f, (const void *)work));
    a.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
    a.value.programmaticEvent.event = e;
    CUlaunchConfig c = {BLOCKS, 1, 1, THREADS, 1, 1, 0, (CUstream)s, &a, 1};
    p[0] = p[1] = 0;
    OK(cuLaunchKernelEx(&c, (CUfunction)f, args, nullptr));
    OK(cuStreamWaitEvent((CUstream)other, e, 0));
    OK(cudaMemcpyAsync(p + 1, p, sizeof(int), cudaMemcpyDefault, other));
    OK(cudaStreamSynchronize(other));
    IS(p[1], BLOCKS * THREADS * ROUNDS);
    OK(cuEventDestroy(e));
}

int main() {
    cudaStream_t s, other;
    int *p;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaMallocManaged(&p, 64));
    for (int i = 0; i < 5; i++) {
        by_runtime(cudaLaunchAttributeProgrammaticEvent, p, s, other);
        by_runtime(cudaLaunchAttributeLaunchCompletionEvent, p, s, other);
        by_driver(p, s, other);
    }
    return report();
}
