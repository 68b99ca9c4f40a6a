// Kernels of PTX launch kernels: the functions of CUDA's device runtime under the names of CUDA 12, of before, and with the
// dimensions at the launch.  A launch that cannot be gives its error.
// REQUIRES: run
// RUN: %cucpu -w %s -o %t -lcuda && %run %t | FileCheck %s
// CHECK: new: 0, 5 5
// CHECK: old: 0, 10 10
// CHECK: first: 0, 17 17
// CHECK: too many threads: 9, 17 17
#include <cstdio>
#include <cuda.h>
#include <string>

static const char head[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry child(.param .u64 p, .param .u32 v) {\n"
                           "  .reg .u64 %a, %o;\n  .reg .u32 %i, %n, %t, %x, %v;\n"
                           "  ld.param.u64 %a, [p];\n  ld.param.u32 %v, [v];\n"
                           "  mov.u32 %i, %ctaid.x;\n  mov.u32 %n, %ntid.x;\n  mov.u32 %t, %tid.x;\n"
                           "  mad.lo.u32 %i, %i, %n, %t;\n  mul.wide.u32 %o, %i, 4;\n  add.u64 %a, %a, %o;\n"
                           "  ld.global.u32 %x, [%a];\n  add.u32 %x, %x, %v;\n  st.global.u32 [%a], %x;\n  ret;\n}\n";

/* .entry NAME(p, result): one thread launches child<<<2, threads>>>(p, v). */
static std::string body(const char *name, const char *buffer, const char *launch, const char *threads, int v) {
    return std::string(".visible .entry ") + name +
           "(.param .u64 p, .param .u64 result) {\n"
           "  .reg .pred %q;\n  .reg .u64 %a, %b, %k, %r;\n  .reg .u32 %t, %e;\n"
           "  mov.u32 %t, %tid.x;\n  setp.ne.u32 %q, %t, 0;\n  @%q ret;\n"
           "  ld.param.u64 %a, [p];\n  ld.param.u64 %r, [result];\n  mov.u64 %k, child;\n"
           "  .param .b64 f, n, m, s, at;\n  .param .b32 shared, e;\n  .param .align 4 .b8 g[12], b[12];\n"
           "  st.param.b64 [f], %k;\n  st.param.b64 [n], 8;\n  st.param.b64 [m], 12;\n  st.param.b64 [s], 0;\n"
           "  st.param.b32 [g], 2;\n  st.param.b32 [g+4], 1;\n  st.param.b32 [g+8], 1;\n"
           "  st.param.b32 [b], " + threads + ";\n  st.param.b32 [b+4], 1;\n  st.param.b32 [b+8], 1;\n"
           "  st.param.b32 [shared], 0;\n"
           "  call.uni (at), " + buffer + ";\n  ld.param.b64 %b, [at];\n"
           "  st.u64 [%b], %a;\n  st.u32 [%b+8], " + std::to_string(v) + ";\n  st.param.b64 [at], %b;\n"
           "  call.uni (e), " + launch + ";\n  ld.param.b32 %e, [e];\n  st.global.u32 [%r], %e;\n  ret;\n}\n";
}

static const char by_kernel[] = "(.param .b64 a, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n";

int main() {
    std::string text = head;
    for (const char *prefix : {"__cudaCDP2", "cuda"})
        text += std::string(".extern .func (.param .b64 r) ") + prefix + "GetParameterBufferV2" + by_kernel +
                ".extern .func (.param .b32 r) " + prefix + "LaunchDeviceV2(.param .b64 b, .param .b64 s);\n";
    text += ".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 align, .param .b64 n);\n"
            ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 f, .param .b64 b, .param .align 4 .b8 g[12],"
            " .param .align 4 .b8 t[12], .param .b32 shared, .param .b64 s);\n";
    text += body("new", "__cudaCDP2GetParameterBufferV2, (f, g, b, shared)", "__cudaCDP2LaunchDeviceV2, (at, s)", "32", 5);
    text += body("old", "cudaGetParameterBufferV2, (f, g, b, shared)", "cudaLaunchDeviceV2, (at, s)", "32", 5);
    text += body("first", "cudaGetParameterBuffer, (n, m)", "cudaLaunchDevice, (f, at, g, b, shared, s)", "32", 7);
    text += body("many", "cudaGetParameterBufferV2, (f, g, b, shared)", "cudaLaunchDeviceV2, (at, s)", "2000", 5);
    int *p, *result;
    cudaMallocManaged(&p, 64 * sizeof *p);
    cudaMallocManaged(&result, sizeof *result);
    for (int i = 0; i < 64; i++) p[i] = 0;
    CUmodule m;
    CUfunction f;
    if (CUresult r = cuModuleLoadData(&m, text.c_str())) return printf("load: %d\n", r);
    for (const char *name : {"new", "old", "first", "many"}) {
        void *args[] = {&p, &result};
        cuModuleGetFunction(&f, m, name);
        cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, nullptr);
        cuCtxSynchronize();
        printf("%s: %d, %d %d\n", name[0] == 'm' ? "too many threads" : name, *result, p[0], p[63]);
    }
}
