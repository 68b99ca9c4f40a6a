// CUCPU_PERF=DIR: the code of kernels that are compiled while the program runs stays there, with the symbols and lines that perf
// reads; without it nothing stays.
// REQUIRES: run
// RUN: rm -rf %t.d %t.tmp && mkdir %t.d %t.tmp && %cucpu %s -o %t
// RUN: env CUCPU_CACHE=0 CUCPU_PERF=%t.d TMPDIR=%t.tmp %run %t && llvm-nm %t.d/*/*.so | FileCheck %s && llvm-objdump -dl --no-show-raw-insn %t.d/*/*.so | FileCheck %s --check-prefix=LINES
// CHECK: t iterate.w{{[0-9]+}}
// LINES: <iterate.w{{.*}}>:
// LINES: kernels.cu:4
// RUN: env CUCPU_CACHE=0 TMPDIR=%t.tmp %run %t && ls %t.tmp | count 0
#include <cuda.h>
#include <nvrtc.h>
#include <string>
static const char text[] = "extern \"C\" __global__ void iterate(float *p, int n) {\n"
                           "    float v = p[threadIdx.x];\n"
                           "    for (int k = 0; k < n; k++)\n"
                           "        v = v * 0.999f + 1;\n"
                           "    p[threadIdx.x] = v;\n"
                           "}\n";
int main() {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, text, "kernels.cu", 0, nullptr, nullptr);
    const char *option = "-lineinfo";
    if (nvrtcCompileProgram(program, 1, &option)) return 1;
    size_t n;
    nvrtcGetPTXSize(program, &n);
    std::string ptx(n, 0);
    nvrtcGetPTX(program, &ptx[0]);
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction f;
    CUdeviceptr p;
    cuInit(0), cuDeviceGet(&device, 0), cuCtxCreate(&context, 0, device);
    if (cuModuleLoadData(&module, ptx.data()) || cuModuleGetFunction(&f, module, "iterate")) return 2;
    cuMemAlloc(&p, 1024);
    int k = 3;
    void *args[] = {&p, &k};
    return cuLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, nullptr, args, nullptr) || cuCtxSynchronize();
}
