// CUCPU_TRACE=FILE: a trace in the Chrome format, valid JSON however the program ends; what is recorded, and nested as it happened.
// REQUIRES: run
// RUN: %cucpu %s -o %t
// RUN: env CUCPU_TRACE=%t.json %run %t && %python %S/Inputs/trace_file.py %t.json whole
// RUN: env CUCPU_TRACE=%t.json not %run %t exit && %python %S/Inputs/trace_file.py %t.json
// RUN: env CUCPU_TRACE=%t.json not --crash %t abort && %python %S/Inputs/trace_file.py %t.json
// RUN: env CUCPU_TRACE=%t.json not --crash %t crash && %python %S/Inputs/trace_file.py %t.json
// RUN: env CUCPU_TRACE=%t.json not --crash %t kill && %python -c "import json; json.load(open('%t.json'))"
// RUN: env CUCPU_TRACE=%t.json CUCPU_RECORD_START=0 %run %t && %python %S/Inputs/trace_file.py %t.json part
// RUN: rm -f %t.*.json && env CUCPU_TRACE=%t.json %run %t parent 2>&1 | FileCheck %s --check-prefix=CHILD
// CHILD: cucpu: CUCPU_TRACE: another process writes [[FILE:.*]].json; this one: [[FILE]].{{[0-9]+}}.json
// RUN: %python %S/Inputs/trace_file.py %t.json whole && %python %S/Inputs/trace_file.py %t.*.json whole
// RUN: env CUCPU_TRACE=/nowhere/x.json %run %t 2>&1 | FileCheck %s
// CHECK: cucpu: CUCPU_TRACE: /nowhere/x.json cannot be written: No such file or directory
// RUN: %python %S/Inputs/recorded_calls.py %root/cpu-runtime | FileCheck %s --check-prefix=CALLS
// CALLS: True
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <thread>
#include <unistd.h>
__global__ void add(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += 1;
}

static const char *program;

static void end(const char *how) {
    if (!strcmp(how, "exit")) exit(3);
    if (!strcmp(how, "parent")) system(("'" + std::string(program) + "'").c_str());
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "crash")) *(volatile int *)8 = 0;
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
}

int main(int argc, char **argv) {
    program = argv[0];
    enum { N = 4096 };
    static float h[N];
    float *p;
    cudaStream_t s;
    nvtxRangePushA("all of \"it\"\n\xff");
    cudaMalloc(&p, sizeof h);
    cudaMemset(p, 0, sizeof h);
    cudaProfilerStart();
    cudaStreamCreate(&s);
    nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
    nvtxEventAttributes_t a = {NVTX_VERSION, NVTX_EVENT_ATTRIB_STRUCT_SIZE};
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(domain, "inner");
    nvtxDomainRangePushEx(domain, &a);
    add<<<N / 256, 256>>>(p, N);
    nvtxDomainRangePop(domain);
    add<<<N / 256, 256, 0, s>>>(p, N);
    cudaStreamSynchronize(s);
    add<<<1, 2000>>>(p, N);
    nvtxMarkW(L"m\u00e4rk");
    nvtxRangeId_t id = nvtxRangeStartA("span");
    std::thread([&] { nvtxRangeEnd(id), cudaMemcpyAsync(h, p, sizeof h, cudaMemcpyDeviceToHost, s); }).join();
    cudaLaunchHostFunc(s, [](void *) {}, nullptr);
    cudaStreamSynchronize(s);
    cudaProfilerStop();
    cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
    if (argc > 1) end(argv[1]);
    nvtxRangePop();
    return h[5] != 2;
}
