// cuLink*: names without .visible belong to their text, weak functions and variables give way to others, .common ones are one.
// REQUIRES: run, cucpu
// RUN: %cucpu %s -o %t && %run %t
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define GIVES(linkage, name, n) linkage ".func (.param .b32 r) " name "() { st.param.b32 [r], " n "; ret; }\n"
#define ASK(name, at) "{ .param .b32 y; call (y), " name "; ld.param.b32 x, [y]; st.global.b32 [p+" at "], x; }\n"
#define READ(name, at) "ld.global.b32 x, [" name "]; st.global.b32 [p+" at "], x;\n"
#define KERNEL(name, body) ".visible .entry " name "(.param .u64 P) { .reg .b64 p, q; .reg .b32 x; ld.param.u64 p, [P];\n" body "ret; }\n"

static const char first[] = HEAD "// .version in a comment\n"
    GIVES("", "own", "1") GIVES(".weak ", "weaker", "2") GIVES(".weak ", "alike", "3") ".extern .func (.param .b32 r) elsewhere();\n"
    ".global .b32 $str = 10; .weak .global .b32 yields = 11; .common .global .b32 shared_by_all; .extern .global .b64 table[2];\n"
    ".shared .b32 word;\n"
    KERNEL("k", ASK("own", "0") ASK("weaker", "4") ASK("alike", "8") ASK("elsewhere", "12") READ("$str", "16") READ("yields", "20")
        "st.global.b32 [shared_by_all], 12; st.shared.b32 [word], 13; ld.shared.b32 x, [word]; st.global.b32 [p+24], x;\n"
        "ld.global.b64 q, [table+8]; P1: .callprototype (.param .b32 _) _ ();\n"
        "{ .param .b32 y; call (y), q, P1; ld.param.b32 x, [y]; st.global.b32 [p+28], x; }\n");
static const char second[] = HEAD
    GIVES("", "own", "101") GIVES(".visible ", "weaker", "102") GIVES(".weak ", "alike", "3") GIVES(".visible ", "elsewhere", "104")
    ".global .b32 $str = 110; .visible .global .b32 yields = 111; .common .global .b32 shared_by_all;\n"
    ".visible .global .b64 table[2] = {elsewhere, own}; .shared .b64 word;\n"
    KERNEL("j", ASK("own", "0") READ("$str", "4") READ("shared_by_all", "8")
        "st.shared.b64 [word], p; ld.shared.b64 q, [word]; st.global.b32 [q+12], 113;\n");

static int bad;
static void launch(CUmodule m, const char *name, const unsigned *want, int n) {
    CUfunction f;
    unsigned *p;
    cudaMallocManaged(&p, 64);
    memset(p, 0, 64);
    void *args[] = {&p};
    int r = cuModuleGetFunction(&f, m, name);
    if (!r) r = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0);
    if (!r) r = cuCtxSynchronize();
    if (r) bad++, printf("%s: error %d\n", name, r);
    for (int i = 0; i < n; i++)
        if (p[i] != want[i]) bad++, printf("%s %d: %u instead of %u\n", name, i, p[i], want[i]);
}

static int link(const char *a, const char *b, CUmodule *m) {
    char log[1000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log}, *image;
    CUlinkState s;
    size_t size;
    if (cuLinkCreate(2, options, values, &s)) return -1;
    int r = cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)a, strlen(a) + 1, "a", 0, 0, 0);
    if (!r) r = cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)b, strlen(b) + 1, "b", 0, 0, 0);
    if (!r) r = cuLinkComplete(s, &image, &size);
    if (!r) r = cuModuleLoadData(m, image);
    if (r && !*log) bad++, printf("no message\n");
    cuLinkDestroy(s);
    return r;
}

int main() {
    CUmodule m;
    cudaFree(0);
    const unsigned k[] = {1, 102, 3, 104, 10, 111, 13, 101}, j[] = {101, 110, 12, 113};
    if (int r = link(first, second, &m)) return printf("link: %d\n", r), 1;
    launch(m, "k", k, 8);
    launch(m, "j", j, 4);
    if (link(second, first, &m)) return printf("the other way round\n"), 1;
    launch(m, "k", k, 8);
    static const char strong[] = HEAD GIVES(".visible ", "f", "1") KERNEL("k", ASK("f", "0")), again[] = HEAD GIVES(".visible ", "f", "2");
    if (link(strong, again, &m) != CUDA_ERROR_UNKNOWN) bad++, printf("two functions of one name\n");
    return bad != 0;
}
