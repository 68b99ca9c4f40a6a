// Green contexts: the multiprocessors as a resource, contexts and streams that tell what they have, events of a whole context.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && env CUCPU_NUM_THREADS=6 %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cuda.h>
#include "expect.h"

__global__ void until(volatile int *flag, int *out) {
    while (!*flag) {}
    *out = 1;
}

static CUdevResource split() {
    CUdevResource all, parts[4], left, wrong = {};
    unsigned n = 0;
    IS(cuDeviceGetDevResource(1, &all, CU_DEV_RESOURCE_TYPE_SM), CUDA_ERROR_INVALID_DEVICE);
    IS(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_INVALID), CUDA_ERROR_INVALID_RESOURCE_TYPE);
    OK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    IS(all.type * 100 + all.sm.smCount, 106);
    OK(cuDevSmResourceSplitByCount(nullptr, &n, &all, nullptr, 0, 2));
    IS(n, 3);
    n = 2;
    OK(cuDevSmResourceSplitByCount(parts, &n, &all, &left, 0, 2));
    IS(n * 1000 + parts[0].sm.smCount * 100 + parts[1].sm.smCount * 10 + left.sm.smCount, 2222);
    n = 4;
    OK(cuDevSmResourceSplitByCount(parts, &n, &all, &left, 0, 3));
    IS(n * 10 + left.type, 20 + CU_DEV_RESOURCE_TYPE_INVALID);
    IS(cuDevSmResourceSplitByCount(parts, &n, &all, &left, 0, 7), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    IS(cuDevSmResourceSplitByCount(parts, &n, &wrong, &left, 0, 1), CUDA_ERROR_INVALID_RESOURCE_TYPE);
    IS(cuDevSmResourceSplitByCount(parts, nullptr, &all, &left, 0, 1), CUDA_ERROR_INVALID_VALUE);
    return parts[0];
}

int main() {
    CUcontext primary, context, current;
    CUgreenCtx green, told;
    CUdevResourceDesc desc;
    CUdevResource r;
    CUstream s, plain;
    CUevent e;
    OK(cuInit(0));
    CUdevResource part = split(), twice[] = {part, part, part};
    IS(cuDevResourceGenerateDesc(&desc, twice, 3), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    OK(cuDevResourceGenerateDesc(&desc, &part, 1));
    IS(cuGreenCtxCreate(&green, desc, 0, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuGreenCtxCreate(&green, nullptr, 0, CU_GREEN_CTX_DEFAULT_STREAM), CUDA_ERROR_INVALID_VALUE);
    OK(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    OK(cuGreenCtxGetDevResource(green, &r, CU_DEV_RESOURCE_TYPE_SM));
    IS(r.sm.smCount, 3);
    OK(cuCtxFromGreenCtx(&context, green));
    OK(cuCtxGetDevResource(context, &r, CU_DEV_RESOURCE_TYPE_SM));
    IS(r.sm.smCount, 3);
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuCtxGetDevResource(primary, &r, CU_DEV_RESOURCE_TYPE_SM));
    IS(r.sm.smCount, 6);
    OK(cuCtxSetCurrent(primary));
    OK(cuStreamCreate(&plain, 0));
    IS(cuGreenCtxStreamCreate(&s, green, 0, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGreenCtxStreamCreate(&s, green, CU_STREAM_NON_BLOCKING, 0));
    OK(cuCtxGetCurrent(&current));
    IS(current == primary, 1);
    OK(cuStreamGetGreenCtx(s, &told));
    IS(told == green, 1);
    OK(cuStreamGetCtx(s, &current));
    IS(current == context, 1);
    OK(cuStreamGetCtx_v2(plain, &current, &told));
    IS(current == primary && !told, 1);
    OK(cuStreamDestroy(s)); // its structure may be used again
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamGetGreenCtx(s, &told));
    IS(told == nullptr, 1);
    OK(cuCtxPushCurrent(context));
    CUstream inner;
    OK(cuStreamCreate(&inner, CU_STREAM_NON_BLOCKING));
    OK(cuStreamGetGreenCtx(inner, &told));
    IS(told == green, 1);
    int *flag, *out;
    OK(cuMemHostAlloc((void **)&flag, 4, 0));
    OK(cuMemHostAlloc((void **)&out, 4, 0));
    *flag = *out = 0;
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    until<<<1, 1, 0, inner>>>(flag, out);
    OK(cuGreenCtxRecordEvent(green, e));
    IS(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    *flag = 1;
    OK(cuGreenCtxWaitEvent(green, e));
    IS(*out, 1);
    OK(cuEventQuery(e));
    OK(cuCtxRecordEvent(primary, e));
    OK(cuCtxWaitEvent(primary, e));
    IS(cuCtxRecordEvent((CUcontext)out, e), CUDA_ERROR_INVALID_CONTEXT);
    unsigned long long a, b;
    OK(cuGreenCtxGetId(green, &a));
    OK(cuCtxGetId(context, &b));
    IS(a == b, 1);
    OK(cuCtxPopCurrent(&current));
    OK(cuGreenCtxDestroy(green));
    IS(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_HANDLE);
    IS(cuCtxPushCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuGreenCtxGetDevResource(green, &r, CU_DEV_RESOURCE_TYPE_SM), CUDA_ERROR_INVALID_HANDLE);
    return report();
}
