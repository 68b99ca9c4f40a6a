// cuModuleLoadData and its family: PTX is compiled while the program runs; errors have CUDA's codes, garbage never crashes.
// REQUIRES: run, cucpu
// RUN: %cucpu %s -o %t && %run %t 2>&1 | FileCheck %s
// RUN: env CUCPU_COMPILER=/nonexistent/cucpu %run %t none
// CHECK: load.cu: all right
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <string>

static int bad;
#define CHECK(call, want) check(__LINE__, #call, (long)(call), (long)(want))
static void check(int line, const char *what, long got, long want) {
    if (got != want) bad++, printf("%d: %s is %ld, not %ld\n", line, what, got, want);
}

static const char good[] = "// a comment\n.version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .global .u32 start = 5;\n"
                           ".visible .entry count(.param .u64 p, .param .u32 by) {\n"
                           "  .reg .u64 %rd<4>; .reg .u32 %r<6>;\n"
                           "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [by];\n"
                           "  mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\n"
                           "  ld.global.u32 %r3, [start]; mad.lo.u32 %r4, %r2, %r1, %r3; st.global.u32 [%rd3], %r4;\n"
                           "  add.u32 %r5, %r3, 1; st.global.u32 [start], %r5; ret; }\n";

static void run(CUmodule m, unsigned start) {
    CUfunction f;
    CUdeviceptr p;
    unsigned by = 3, out[40];
    void *args[] = {&p, &by};
    CHECK(cuModuleGetFunction(&f, m, "count"), CUDA_SUCCESS);
    CHECK(cuMemAlloc(&p, sizeof out), CUDA_SUCCESS);
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0), CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(out, p, sizeof out), CUDA_SUCCESS);
    CHECK(out[0], start);
    CHECK(cuMemFree(p), CUDA_SUCCESS);
}

static void modules() {
    CUmodule a, b;
    CUlibrary library;
    CUkernel kernel;
    CUfunction f;
    CUdeviceptr p;
    size_t bytes;
    CHECK(cuModuleLoadData(&a, good), CUDA_SUCCESS);
    run(a, 5), run(a, 6);
    CHECK(cuModuleLoadData(&b, good), CUDA_SUCCESS); /* with variables of its own */
    run(b, 5), run(a, 7);
    CHECK(cuModuleGetFunction(&f, a, "missing"), CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetGlobal(&p, &bytes, a, "start"), CUDA_SUCCESS);
    CHECK(bytes, 4);
    CHECK(cuModuleUnload(a), CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&f, a, "count"), CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuModuleUnload(a), CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuLibraryLoadData(&library, good, 0, 0, 0, 0, 0, 0), CUDA_SUCCESS);
    CHECK(cuLibraryGetKernel(&kernel, library, "count"), CUDA_SUCCESS);
    CHECK(cuKernelGetFunction(&f, kernel), CUDA_SUCCESS);
}

static CUresult load_with_log(const char *text, char *log, size_t size) {
    CUmodule m = 0;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)size};
    return cuModuleLoadDataEx(&m, text, 2, options, values);
}

static const char needs[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                            ".extern .func (.param .u32 r) square(.param .u32 x);\n.extern .global .u32 step;\n"
                            ".visible .entry count(.param .u64 p, .param .u32 by) {\n"
                            "  .reg .u64 a; .reg .u32 v, s; .param .u32 x; .param .u32 y;\n"
                            "  ld.param.u64 a, [p]; ld.param.u32 v, [by]; st.param.u32 [x], v; call (y), square, (x);\n"
                            "  ld.param.u32 v, [y]; ld.global.u32 s, [step]; add.u32 v, v, s; st.global.u32 [a], v; ret; }\n";
static const char gives[] = "// the other half\n.version 7.0\n.target sm_70, debug // one\n.address_size 64\n"
                            ".visible .global .u32 step = 5;\n"
                            ".visible .func (.param .u32 r) square(.param .u32 x) {\n"
                            "  .reg .u32 v; ld.param.u32 v, [x]; mul.lo.u32 v, v, v; st.param.u32 [r], v; ret; }\n";

static void errors() {
    CUmodule m;
    char log[400] = "";
    std::string wrong = std::string(good) + ".visible .entry k() {\n  frob.u32 %r1; }";
    CHECK(load_with_log(wrong.c_str(), log, sizeof log), CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(log, ".ptx:13:3: error: unknown instruction 'frob'") != 0, 1);
    log[0] = 1;
    CHECK(load_with_log(good, log, sizeof log), CUDA_SUCCESS);
    CHECK(log[0], 0);
    char tiny[8] = "";
    CHECK(load_with_log(wrong.c_str(), tiny, sizeof tiny), CUDA_ERROR_INVALID_PTX);
    CHECK(strlen(tiny) < sizeof tiny, 1);
    std::string other = std::string(good) + ".visible .entry k() { .reg .u32 a; tcgen05.ld.sync.aligned.32x32b.x1.b32 {a}, [a]; }";
    // the other kernel runs, the log says what is the matter with this one
    CHECK(load_with_log(other.c_str(), log, sizeof log), CUDA_SUCCESS);
    CHECK(strstr(log, ".ptx:12:") && strstr(log, "unsupported: the instruction 'tcgen05"), 1);
    // what follows from it does not make it a wrong text
    other = std::string(good) + ".global .samplerref s;\n.visible .entry k() { .reg .b64 t; .reg .f32 a, b, c, d; tex.1d.v4.f32.f32 {a, b, c, d}, [t, s, {a}]; }";
    CHECK(load_with_log(other.c_str(), log, sizeof log), CUDA_SUCCESS);
    CHECK(strstr(log, "unsupported: variables of type .samplerref") != 0, 1);
    other = std::string(good) + ".global .samplerref s = { addr_mode_0 = wrap, filter_mode = nearest };\n";
    CHECK(load_with_log(other.c_str(), log, sizeof log), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(strstr(log, "unsupported: variables of type .samplerref") != 0, 1);
    other = ".version 7.0\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 p) { .reg .u32 a; ld.param.u32 a, [p]; st.global.u32 [a], a; }";
    CHECK(load_with_log(other.c_str(), log, sizeof log), CUDA_ERROR_NOT_SUPPORTED);
    other = std::string(good) + ".visible .entry k() { frob; .reg .u32 a; tcgen05.ld.sync.aligned.32x32b.x1.b32 {a}, [a]; }";
    CHECK(load_with_log(other.c_str(), log, sizeof log), CUDA_ERROR_INVALID_PTX);
    CHECK(load_with_log(std::string(good, 400).c_str(), log, sizeof log), CUDA_ERROR_INVALID_PTX);
    CHECK(load_with_log(".version 10.0\n.target sm_200\n", log, sizeof log), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    CHECK(load_with_log(needs, log, sizeof log), CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(log, "undefined device function 's") != 0, 1);
    CHECK(cuModuleLoadData(&m, ""), CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoadData(&m, "\x01\x02\xff garbage"), CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoadData(&m, "int main() {}"), CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoadData(&m, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\1\0\276"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    CHECK(cuModuleLoadData(&m, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\1\0\76"), CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoadData(&m, "/* no end"), CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoadData(0, good), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuModuleLoadData(&m, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuModuleLoad(&m, "/nonexistent.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
    CHECK(cuModuleUnload(0), CUDA_ERROR_INVALID_HANDLE);
}

static void link() {
    CUlinkState s;
    CUmodule m;
    void *cubin = 0;
    size_t size = 0;
    char log[400] = "";
    char info[40] = "left over";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                              CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME};
    void *values[] = {log, (void *)sizeof log, info, (void *)sizeof info, 0};
    CHECK(cuLinkCreate(0, 0, 0, &s), CUDA_SUCCESS);
    CHECK(cuLinkComplete(s, &cubin, &size), CUDA_SUCCESS);
    CHECK(cuModuleLoadData(&m, cubin), CUDA_SUCCESS);
    CHECK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)gives, sizeof gives, "gives", 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuLinkComplete(s, &cubin, &size), CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuLinkDestroy(s), CUDA_SUCCESS);
    CHECK(cuLinkCreate(5, options, values, &s), CUDA_SUCCESS);
    CHECK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)needs, sizeof needs, "needs", 0, 0, 0), CUDA_SUCCESS);
    CHECK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)".version 8.0\n.target x", 22, "bad", 2, options, values), CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(log, "unknown target") != 0, 1);
    CHECK(cuLinkAddData(s, CU_JIT_INPUT_CUBIN, (void *)gives, sizeof gives, "gives", 0, 0, 0), CUDA_ERROR_NO_BINARY_FOR_GPU);
    CHECK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)gives, sizeof gives, "gives", 0, 0, 0), CUDA_SUCCESS);
    CHECK(cuLinkComplete(s, &cubin, &size), CUDA_SUCCESS);
    CHECK(size, strlen((char *)cubin) + 1);
    CHECK(info[0], 0);
    CHECK((size_t)values[3], 1);
    float milliseconds;
    memcpy(&milliseconds, &values[4], sizeof milliseconds);
    CHECK(milliseconds > 0 && milliseconds < 1e6, 1);
    CHECK(cuModuleLoadData(&m, cubin), CUDA_SUCCESS);
    CHECK(cuLinkDestroy(s), CUDA_SUCCESS);
    CHECK(cuLinkDestroy(0), CUDA_ERROR_INVALID_HANDLE);
    run(m, 3 * 3 + 5);
}

/* What no text defines, and what two define; both logs are those of cuLinkCreate. */
static void link_errors() {
    CUlinkState s;
    void *cubin = 0;
    char log[400];
    for (int twice = 0; twice < 2; twice++) {
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void *values[] = {log, (void *)sizeof log};
        *log = 0;
        CHECK(cuLinkCreate(2, options, values, &s), CUDA_SUCCESS);
        const char *text = twice ? gives : needs;
        for (int i = 0; i <= twice; i++)
            CHECK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)text, strlen(text) + 1, "one", 0, 0, 0), CUDA_SUCCESS);
        CHECK(cuLinkComplete(s, &cubin, 0), CUDA_ERROR_UNKNOWN);
        CHECK(strstr(log, twice ? "'square' is defined twice" : "undefined device function 's") != 0, 1);
        CHECK((size_t)values[1], strlen(log) + 1);
        CHECK(cuLinkDestroy(s), CUDA_SUCCESS);
    }
}

int main(int argc, char **) {
    CUmodule m;
    CUcontext context;
    CHECK(cuInit(0), CUDA_SUCCESS);
    CHECK(cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
    if (argc > 1) {
        char log[200];
        CHECK(load_with_log(good, log, sizeof log), CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
        CHECK(strstr(log, "CUCPU_COMPILER") != 0, 1);
        (void)m;
        return bad != 0;
    }
    modules();
    errors();
    link();
    link_errors();
    if (!bad) printf("load.cu: all right\n");
    return bad != 0;
}
