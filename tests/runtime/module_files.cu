// No file of a loaded module is left, even where the process ends without a clean-up.
// REQUIRES: run
// RUN: rm -rf %t.d && mkdir %t.d && %cucpu %s -o %t -lnvrtc -lcuda
// RUN: env TMPDIR=%t.d %run %t exit 2>&1 | FileCheck %s && ls -A %t.d | count 0
// RUN: env TMPDIR=%t.d sh -c '%run %t kill; test $? -gt 128' 2>&1 | FileCheck %s && ls -A %t.d | count 0
// CHECK: 0 failures
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <dirent.h>
#include <nvrtc.h>
#include <string>
#include <unistd.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 count;\n.visible .entry add(.param .u64 p) {\n"
                          " .reg .u64 %a; .reg .u32 %v;\n ld.param.u64 %a, [p];\n ld.global.u32 %v, [count];\n add.u32 %v, %v, 1;\n"
                          " st.global.u32 [count], %v;\n st.global.u32 [%a], %v;\n ret;\n}\n";
static const char source[] = "template <int N> __global__ void add(int *p) { *p = N; }\n";
static int failures;

static void check(bool good, const char *what) {
    if (good) return;
    failures++;
    std::printf("%s\n", what);
}

static int files() {
    int n = 0;
    DIR *d = opendir(std::getenv("TMPDIR"));
    while (dirent *e = d ? readdir(d) : nullptr) n += *e->d_name != '.';
    if (d) closedir(d);
    return n;
}

static int run(CUmodule m, const char *name) {
    CUfunction f;
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    void *args[] = {&p};
    check(cuModuleGetFunction(&f, m, name) == CUDA_SUCCESS, name);
    check(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr) == CUDA_SUCCESS, "launch");
    cudaDeviceSynchronize();
    int result = *p;
    cudaFree(p);
    return result;
}

int main(int, char **argv) {
    CUmodule first, second, made;
    cudaFree(nullptr);
    check(cuModuleLoadData(&first, ptx) == CUDA_SUCCESS && cuModuleLoadData(&second, ptx) == CUDA_SUCCESS, "PTX");
    check(run(first, "add") == 1 && run(first, "add") == 2 && run(second, "add") == 1, "each load has variables of its own");
    check(cuModuleLoadData(&made, ".version 7.0\n.target sm_70\nnonsense\n") == CUDA_ERROR_INVALID_PTX, "wrong PTX");
    nvrtcProgram p;
    const char *name = nullptr;
    size_t size = 0;
    check(!nvrtcCreateProgram(&p, source, "a.cu", 0, nullptr, nullptr) && !nvrtcAddNameExpression(p, "add<7>"), "program");
    check(!nvrtcCompileProgram(p, 0, nullptr) && !nvrtcGetLoweredName(p, "add<7>", &name) && !nvrtcGetPTXSize(p, &size), "compilation");
    std::string image(size, 0);
    nvrtcGetPTX(p, &image[0]);
    check(cuModuleLoadData(&made, image.data()) == CUDA_SUCCESS && run(made, name) == 7, "CUDA C++");
    check(cuModuleLoadData(&made, image.data()) == CUDA_SUCCESS && run(made, name) == 7, "once more");
    check(files() == 0, "files are left");
    std::printf("%d failures\n", failures);
    std::fflush(stdout);
    if (!std::strcmp(argv[1], "kill")) raise(SIGKILL);
    _exit(0);
}
