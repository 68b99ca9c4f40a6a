// libnvvm: NVVM IR becomes PTX that runs; functions of libdevice, intrinsics that only NVVM has, pointers with types, errors.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %t | FileCheck %s
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <nvvm.h>
#include <string>

// The sum of a warp of sines, each thread with its value and the number of threads that voted.
#define KERNEL(pointer)                                                                                                \
    "target triple = \"nvptx64-nvidia-cuda\"\n"                                                                            \
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"                                                                       \
    "declare {i32, i1} @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)\n"                                                \
    "declare {i32, i1} @llvm.nvvm.vote.sync(i32, i32, i1)\n"                                                               \
    "declare double @__nv_sin(double)\n"                                                                                   \
    "define void @sines(" pointer " %p) {\n"                                                                               \
    " %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"                                                                    \
    " %x = sitofp i32 %t to double\n"                                                                                      \
    " %s = call double @__nv_sin(double %x)\n"                                                                             \
    " %b = shl i32 %t, 1\n"                                                                                                \
    " %r = call {i32, i1} @llvm.nvvm.shfl.sync.i32(i32 -1, i32 3, i32 %b, i32 1, i32 31)\n"                                \
    " %w = extractvalue {i32, i1} %r, 0\n"                                                                                 \
    " %odd = trunc i32 %t to i1\n"                                                                                         \
    " %v = call {i32, i1} @llvm.nvvm.vote.sync(i32 -1, i32 3, i1 %odd)\n"                                                  \
    " %m = extractvalue {i32, i1} %v, 0\n"                                                                                 \
    " %low = and i32 %m, 255\n"                                                                                            \
    " %sum = add i32 %w, %low\n"                                                                                           \
    " %d = sitofp i32 %sum to double\n"                                                                                    \
    " %q = fadd double %s, %d\n"                                                                                           \
    " %a = getelementptr double, " pointer " %p, i32 %t\n"                                                                 \
    " store double %q, " pointer " %a\n"                                                                                   \
    " ret void\n}\n"                                                                                                       \
    "!nvvm.annotations = !{!0}\n!0 = !{void (" pointer ")* @sines, !\"kernel\", i32 1}\n"

static void run(const char *what, std::string ir) {
    nvvmProgram p;
    size_t n = 0;
    const char *options[] = {"-arch=compute_80", "-opt=3", "-fma=1"};
    nvvmCreateProgram(&p);
    nvvmAddModuleToProgram(p, ir.c_str(), ir.size(), what);
    nvvmResult r = nvvmCompileProgram(p, 3, options);
    nvvmGetProgramLogSize(p, &n);
    std::string log(n, 0);
    nvvmGetProgramLog(p, &log[0]);
    if (r) {
        bool no_llvm = strstr(log.c_str(), "pointers with types are read where");
        printf("%s: %s\n", what, no_llvm ? "no older LLVM" : nvvmGetErrorString(r));
        nvvmDestroyProgram(&p);
        return;
    }
    nvvmGetCompiledResultSize(p, &n);
    std::string ptx(n, 0);
    nvvmGetCompiledResult(p, &ptx[0]);
    CUmodule m;
    CUfunction f;
    double *d;
    cudaMallocManaged(&d, 32 * sizeof *d);
    void *args[] = {&d};
    if (cuModuleLoadData(&m, ptx.c_str()) || cuModuleGetFunction(&f, m, "sines") ||
        cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0) || cuCtxSynchronize())
        printf("%s: does not run\n", what);
    printf("%s: %.6f %.6f, %s\n", what, d[0], d[5], n == strlen(ptx.c_str()) + 1 ? "ends" : "does not end");
    cudaFree(d);
    nvvmDestroyProgram(&p);
}

int main() {
    std::string typed = KERNEL("double*"), opaque = KERNEL("ptr");
    opaque.replace(opaque.find("void (ptr)*"), strlen("void (ptr)*"), "ptr");
    cudaFree(0);
    run("opaque", opaque); // CHECK: opaque: 172.000000 177.041076, ends
    run("typed", typed);   // CHECK: typed: {{172.000000 177.041076, ends|no older LLVM}}
    run("wrong", "define void @f() {\n  ret i32 0\n}\n"); // CHECK: wrong: NVVM_ERROR_INVALID_IR
    nvvmProgram p;
    int major, minor;
    const char *bad = "-fast";
    nvvmCreateProgram(&p);
    printf("%s\n", nvvmGetErrorString(nvvmCompileProgram(p, 0, nullptr))); // CHECK: NVVM_ERROR_NO_MODULE_IN_PROGRAM
    nvvmLazyAddModuleToProgram(p, opaque.c_str(), opaque.size(), nullptr);
    printf("%s\n", nvvmGetErrorString(nvvmVerifyProgram(p, 0, nullptr)));    // CHECK-NEXT: NVVM_SUCCESS
    printf("%s\n", nvvmGetErrorString(nvvmCompileProgram(p, 1, &bad)));      // CHECK-NEXT: NVVM_ERROR_INVALID_OPTION
    printf("%s\n", nvvmGetErrorString(nvvmGetCompiledResultSize(p, nullptr))); // CHECK-NEXT: NVVM_ERROR_INVALID_INPUT
    printf("%d\n", nvvmDestroyProgram(&p) + nvvmVersion(&major, &minor));    // CHECK-NEXT: 0
    printf("%s\n", nvvmGetErrorString(nvvmDestroyProgram(&p)));              // CHECK-NEXT: NVVM_ERROR_INVALID_PROGRAM
}
