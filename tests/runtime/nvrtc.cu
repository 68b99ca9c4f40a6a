// CUDA C++ compiled while the program runs: headers, names, logs, options; what it gives is a module, in this process and in another.
// REQUIRES: run
// RUN: %cucpu -std=c++17 -w %s -o %t -lnvrtc -lcuda && %run %t %t.ptx | FileCheck %s
// RUN: %run %t %t.ptx again | FileCheck --check-prefix=AGAIN %s
// CHECK: log: bad.cu:2:11: error: use of undeclared identifier 'y'
// CHECK: log: nvrtc: error: invalid option: --nonsense
// CHECK: {{^}}0 bad
// AGAIN: {{^}}12 0 bad
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>
#include <string>
#include <vector>
static int bad;
#define IS(call, want)                                                                             \
    do {                                                                                           \
        int got_ = (call);                                                                         \
        if (got_ != (want)) bad++, printf("line %d: %s is %d, not %d\n", __LINE__, #call, got_, (int)(want)); \
    } while (0)
#define OK(call) IS(call, 0)

static const char source[] = R"(
#include "vals.h"
#include <../up.h>
extern "C" __global__ void sum(float a, float *x, size_t n) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = a * x[i] + ADD + UP;
}
template <typename T> __global__ void scale(T *p, int n, T f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= f;
}
namespace ns {
struct A { enum { v = 42 }; };
template <class T> __global__ void id(int *p) { *p = T::v; }
}
__constant__ float C[2];
__device__ int V = 9;
static __global__ void hidden(int *p) { *p = V + (int)C[1]; }
#ifndef __CUDACC_RTC__
#error __CUDACC_RTC__
#endif
)";
static const char *const names[] = {"scale<float>", "ns::id<ns::A>", "&V", "C", "hidden"};

static std::string log_of(nvrtcProgram p) {
    size_t n;
    OK(nvrtcGetProgramLogSize(p, &n));
    std::vector<char> text(n);
    OK(nvrtcGetProgramLog(p, text.data()));
    return text.data();
}

static std::string compiled(nvrtcProgram p) {
    const char *options[] = {"--gpu-architecture=compute_80", "--fmad=false", "-DX=1", "--std=c++17", "-I", "/tmp"}, *lowered;
    for (auto name : names) OK(nvrtcAddNameExpression(p, name));
    IS(nvrtcGetLoweredName(p, "C", &lowered), NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    OK(nvrtcCompileProgram(p, 6, options));
    IS(nvrtcAddNameExpression(p, "x"), NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    IS(nvrtcGetLoweredName(p, "x", &lowered), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    size_t n;
    OK(nvrtcGetPTXSize(p, &n));
    std::string text(n, ' ');
    OK(nvrtcGetPTX(p, &text[0]));
    return text;
}

static CUdeviceptr memory;
static float run(CUmodule m, const char *kernel, void **args) {
    CUfunction f;
    float first;
    OK(cuModuleGetFunction(&f, m, kernel));
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0));
    OK(cuMemcpyDtoH(&first, memory, sizeof first));
    return first;
}

static float sum(const char *image, CUmodule *m) {
    float a = 3, x = 3;
    size_t n = 1;
    void *args[] = {&a, &memory, &n};
    OK(cuModuleLoadData(m, image));
    OK(cuMemcpyHtoD(memory, &x, sizeof x));
    return run(*m, "sum", args);
}

static void with_names(nvrtcProgram p, CUmodule m) {
    const char *lowered;
    float half = .5f, c[2] = {1, 5};
    int one = 1;
    void *args[] = {&memory, &one, &half};
    OK(nvrtcGetLoweredName(p, "scale<float>", &lowered));
    IS(strcmp(lowered, "_Z5scaleIfEvPT_iS0_"), 0);
    IS(run(m, lowered, args), 6);
    OK(nvrtcGetLoweredName(p, "ns::id<ns::A>", &lowered));
    run(m, lowered, args);
    int got;
    OK(cuMemcpyDtoH(&got, memory, 4));
    IS(got, 42);
    CUdeviceptr constant;
    size_t bytes;
    OK(nvrtcGetLoweredName(p, "C", &lowered));
    OK(cuModuleGetGlobal(&constant, &bytes, m, lowered));
    IS(bytes, 8);
    OK(cuMemcpyHtoD(constant, c, sizeof c));
    OK(nvrtcGetLoweredName(p, "hidden", &lowered));
    run(m, lowered, args);
    OK(cuMemcpyDtoH(&got, memory, 4));
    IS(got, 14);
}

static void wrong_programs() {
    nvrtcProgram p;
    size_t n;
    const char *nonsense[] = {"--nonsense"}, *arch[] = {"-arch=sm_abc"}, *features[] = {"-arch=sm_90b"};
    OK(nvrtcCreateProgram(&p, "__global__ void k() {\n  int x = y;\n}\n", "dir/bad.cu", 0, 0, 0));
    IS(nvrtcCompileProgram(p, 0, 0), NVRTC_ERROR_COMPILATION);
    printf("log: %s\n", log_of(p).c_str());
    IS(nvrtcGetPTXSize(p, &n), NVRTC_ERROR_INVALID_PROGRAM);
    IS(nvrtcCompileProgram(p, 1, nonsense), NVRTC_ERROR_INVALID_OPTION);
    printf("log: %s\n", log_of(p).c_str());
    IS(nvrtcCompileProgram(p, 1, arch), NVRTC_ERROR_INVALID_OPTION);
    IS(nvrtcCompileProgram(p, 1, features), NVRTC_ERROR_INVALID_OPTION);
    OK(nvrtcDestroyProgram(&p));
    IS(nvrtcDestroyProgram(&p), NVRTC_ERROR_INVALID_PROGRAM);
    IS(nvrtcCreateProgram(&p, 0, 0, 0, 0, 0), NVRTC_ERROR_INVALID_INPUT);
    IS(nvrtcCompileProgram(0, 0, 0), NVRTC_ERROR_INVALID_PROGRAM);
}

/* Functions without attributes are for the device; a CUBIN is what PTX is, and can be linked. */
static void default_device() {
    nvrtcProgram p;
    const char *options[] = {"-default-device", "--use_fast_math", "-lineinfo", "-arch=sm_90a"};
    OK(nvrtcCreateProgram(&p,
                          "#if !__CUDA_ARCH_HAS_FEATURE__(SM90_ALL) || __CUDA_ARCH_SPECIFIC__ != 900\n#error\n#endif\n"
                          "typedef unsigned int uint32_t; uint32_t helper(int x) { return x + threadIdx.x; }\n"
                          "extern \"C\" __global__ void k(float *p) { if (threadIdx.x == 4) *p = helper(3); }",
                          0, 0, 0, 0));
    OK(nvrtcCompileProgram(p, 4, options));
    size_t n;
    OK(nvrtcGetCUBINSize(p, &n));
    std::vector<char> cubin(n);
    OK(nvrtcGetCUBIN(p, cubin.data()));
    OK(nvrtcDestroyProgram(&p));
    CUlinkState link;
    CUmodule m;
    void *whole, *args[] = {&memory};
    OK(cuLinkCreate(0, 0, 0, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, cubin.data(), n, "k", 0, 0, 0));
    OK(cuLinkComplete(link, &whole, &n));
    OK(cuModuleLoadData(&m, whole));
    OK(cuLinkDestroy(link));
    IS(run(m, "k", args), 7);
}

/* LTO-IR is for nvJitLink, and what has been compiled cannot be linked with other code. */
static void link_time() {
    nvrtcProgram p;
    const char *options[] = {"-dlto", "-arch=sm_86"}, *link_options[] = {"-arch=sm_86", "-lto"};
    size_t n, size;
    OK(nvrtcCreateProgram(&p, "extern \"C\" __global__ void k(float *p) { *p = 9; }", 0, 0, 0, 0));
    OK(nvrtcCompileProgram(p, 2, options));
    OK(nvrtcGetLTOIRSize(p, &n));
    std::vector<char> ir(n);
    OK(nvrtcGetLTOIR(p, ir.data()));
    OK(nvrtcDestroyProgram(&p));
    nvJitLinkHandle link;
    OK(nvJitLinkCreate(&link, 1, link_options));
    IS(nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, ir.data(), n, "k"), NVJITLINK_ERROR_LTO_NOT_ENABLED);
    OK(nvJitLinkDestroy(&link));
    OK(nvJitLinkCreate(&link, 2, link_options));
    OK(nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, ir.data(), n, "k"));
    IS(nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, ir.data(), n, "k"), NVJITLINK_ERROR_INTERNAL);
    OK(nvJitLinkComplete(link));
    OK(nvJitLinkGetLinkedCubinSize(link, &size));
    std::vector<char> cubin(size);
    OK(nvJitLinkGetLinkedCubin(link, cubin.data()));
    OK(nvJitLinkDestroy(&link));
    CUmodule m;
    void *args[] = {&memory};
    OK(cuModuleLoadData(&m, cubin.data()));
    IS(run(m, "k", args), 9);
}

/* Headers are not kept compiled, and a program may change its mind. */
static void compiled_headers() {
    nvrtcProgram p;
    size_t n = 0;
    OK(nvrtcCreateProgram(&p, "__global__ void f() {}", nullptr, 0, nullptr, nullptr));
    const char *options[] = {"-pch", "--create-pch=a.pch", "--pch-dir", "/tmp", "--pch-verbose=true"};
    OK(nvrtcCompileProgram(p, 5, options));
    IS(nvrtcGetPCHCreateStatus(p), NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
    IS(nvrtcGetPCHHeapSizeRequired(p, &n), NVRTC_ERROR_INVALID_INPUT);
    OK(nvrtcSetPCHHeapSize(1 << 20));
    OK(nvrtcGetPCHHeapSize(&n));
    IS(n, 1 << 20);
    IS(nvrtcGetPCHHeapSize(nullptr), NVRTC_ERROR_INVALID_INPUT);
    int wish = 1;
    IS(nvrtcSetFlowCallback(p, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
    OK(nvrtcSetFlowCallback(p, [](void *payload, void *) { return *(int *)payload; }, &wish));
    IS(nvrtcCompileProgram(p, 0, nullptr), NVRTC_ERROR_CANCELLED);
    IS(nvrtcGetPTXSize(p, &n), NVRTC_ERROR_INVALID_PROGRAM);
    wish = 0;
    OK(nvrtcCompileProgram(p, 0, nullptr));
    OK(nvrtcDestroyProgram(&p));
    IS(nvrtcGetPCHCreateStatus(nullptr), NVRTC_ERROR_INVALID_PROGRAM);
}

/* A header beside the source, which the program did not give: by the directory of the source's name, unless that is not wanted. */
static void beside(std::string path) {
    FILE *f = fopen((path + ".h").c_str(), "w");
    fputs("#define BESIDE 1\n", f);
    fclose(f);
    std::string header = path.substr(path.rfind('/') + 1) + ".h";
    std::string text = "#include \"" + header + "\"\n__global__ void f(int *p) { *p = BESIDE; }";
    const char *without[] = {"--no-source-include"};
    for (std::string name : {path + ".cu", std::string("elsewhere.cu")}) {
        nvrtcProgram p;
        OK(nvrtcCreateProgram(&p, text.c_str(), name.c_str(), 0, nullptr, nullptr));
        IS(nvrtcCompileProgram(p, 1, without), NVRTC_ERROR_COMPILATION);
        IS(nvrtcCompileProgram(p, 0, nullptr), name[0] == 'e' ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS);
        OK(nvrtcDestroyProgram(&p));
    }
}

/* Static variables of the device, which nothing in the program sets, are the module's: by their plain names. */
static void statics() {
    nvrtcProgram p;
    CUmodule m;
    CUfunction f;
    CUdeviceptr at;
    size_t bytes = 0;
    OK(nvrtcCreateProgram(&p, "static __constant__ float scale[4];\nstatic __device__ int unused;\n"
                              "extern \"C\" __global__ void f(float *p) { *p = scale[3]; }", nullptr, 0, nullptr, nullptr));
    OK(nvrtcCompileProgram(p, 0, nullptr));
    OK(nvrtcGetPTXSize(p, &bytes));
    std::string text(bytes, ' ');
    OK(nvrtcGetPTX(p, &text[0]));
    OK(cuModuleLoadData(&m, text.c_str()));
    OK(nvrtcDestroyProgram(&p));
    float values[] = {1, 2, 3, 4}, got = 0;
    OK(cuModuleGetGlobal(&at, &bytes, m, "scale"));
    IS(bytes, sizeof values);
    OK(cuMemcpyHtoD(at, values, sizeof values));
    OK(cuModuleGetGlobal(&at, &bytes, m, "unused"));
    IS(cuModuleGetGlobal(&at, &bytes, m, "scal"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunction(&f, m, "f"));
    void *arguments[] = {&memory};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0));
    OK(cuMemcpyDtoH(&got, memory, sizeof got));
    IS(got, 4);
    OK(cuModuleUnload(m));
}

int main(int argc, char **argv) {
    CUcontext context;
    CUmodule m;
    OK(cuInit(0));
    OK(cuCtxCreate(&context, 0, 0));
    OK(cuMemAlloc(&memory, 64));
    if (argc > 2) {
        OK(cuModuleLoad(&m, argv[1]));
        std::string text(1 << 20, 0);
        FILE *f = fopen(argv[1], "rb");
        fread(&text[0], 1, text.size() - 1, f);
        printf("%g ", sum(text.c_str(), &m));
    } else {
        nvrtcProgram p;
        const char *texts[] = {"#define ADD 1.0f\n", "#define UP 2.0f\n"}, *includes[] = {"vals.h", "../up.h"};
        OK(nvrtcCreateProgram(&p, source, "sum.cu", 2, texts, includes));
        std::string text = compiled(p), type;
        IS(log_of(p).size(), 0);
        IS(sum(text.c_str(), &m), 12);
        with_names(p, m);
        FILE *f = fopen(argv[1], "wb");
        fwrite(text.c_str(), 1, text.size() - 1, f);
        fclose(f);
        OK(nvrtcDestroyProgram(&p));
        wrong_programs();
        link_time();
        compiled_headers();
        beside(argv[1]);
        statics();
        default_device();
        OK(nvrtcGetTypeName<const int *>(&type));
        IS(type == "int const*", 1);
    }
    printf("%d bad\n", bad);
}
