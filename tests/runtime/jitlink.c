// libnvJitLink: device code is linked without a context; results and logs are those of NVIDIA's library, version 13.0, which was asked the
// same, except where the line says so.
// REQUIRES: run
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %clang -I%resources/include %s -o run -L%resources -Wl,-rpath,%resources -lnvJitLink -l:libcudart.so.12
// RUN: %run ./run write && %python %S/Inputs/fatbin/make.py f.fatbin ptx:75:plain:f.ptx
// RUN: %python %S/Inputs/fatbin/make.py machine.fatbin elf:75:plain:-
// RUN: echo '.section .nv_fatbin,"a"; .balign 8; .incbin "f.fatbin"' | %cc -c -x assembler - -o f.o && echo 'int x;' | %cc -c -x c - -o x.o
// RUN: rm -f libf.a && llvm-ar rc libf.a x.o f.o && %resources/bin/ptxas -arch=sm_75 f.ptx -o f.cubin
// RUN: %run ./run test 2>&1 | FileCheck %s
// RUN: nm -D %resources/libnvJitLink.so.13 | FileCheck %s --check-prefix=NAMES
// NAMES-DAG: {{A libnvJitLink.so.12(@@.*)?$}}
// NAMES-DAG: T __nvJitLinkCreate_12_0
// NAMES-DAG: T __nvJitLinkGetLinkedCubin_13_0
#include <cuda.h>
#include <nvJitLink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
static const char good[] = HEAD ".visible .entry k(.param .u64 p) {\n .reg .b64 %r<2>;\n ld.param.u64 %r1, [p];\n"
                                " st.global.u32 [%r1], 42;\n ret;\n}\n";
static const char uses[] = HEAD
    ".extern .func (.param .b32 r) f(.param .b32 a);\n.visible .entry k(.param .u64 p) {\n .reg .b64 %rd<2>;\n"
    " .reg .b32 %r<3>;\n ld.param.u64 %rd1, [p];\n { .param .b32 a; .param .b32 r; st.param.b32 [a], 7;\n"
    " call (r), f, (a); ld.param.b32 %r1, [r]; }\n st.global.u32 [%rd1], %r1;\n ret;\n}\n";
static const char defs[] = HEAD ".visible .func (.param .b32 r) f(.param .b32 a) {\n .reg .b32 %r<3>;\n"
                                " ld.param.b32 %r1, [a];\n add.s32 %r1, %r1, 1;\n st.param.b32 [r], %r1;\n ret;\n}\n";
static const char bad[] = HEAD ".visible .entry k() {\n foo.bar;\n ret;\n}\n";

static nvJitLinkHandle h;

static void print_log(void) {
    size_t n = 0;
    char log[4096] = "";
    if (nvJitLinkGetErrorLogSize(h, &n) || n >= sizeof log || nvJitLinkGetErrorLog(h, log)) return;
    if (n != (*log ? strlen(log) + 1 : 0)) printf("a size that is wrong\n");
    printf("%s%s", log, *log ? "" : "\n");
}

static int create(const char *options) {
    char copy[256], *rest = copy;
    const char *list[16];
    int n = 0;
    strcpy(copy, options);
    while (n < 16 && (list[n] = strtok(rest, " "))) n++, rest = NULL;
    return nvJitLinkCreate(&h, n, list);
}

static void option_errors(void) {
    static const char *const options[] = {"-lto", "-arch=sm_20", "-arch=sm_999", "-arch=foo", "-arch=sm_80 -foo", "-arch=sm_80 -ptx",
                                          "-arch=compute_80", "-arch=sm_80 -O1", "-arch sm_80", "-arch=sm_80 -O3 -ftz=1 -g -Xptxas=-v"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        printf("%s: %d ", options[i], create(options[i]));
        print_log();
        nvJitLinkDestroy(&h);
    }
    printf("no options: %d, no handle: %d %d %d, type: %d\n", nvJitLinkCreate(&h, 0, NULL), nvJitLinkComplete(NULL), nvJitLinkDestroy(&h),
           nvJitLinkAddData(NULL, NVJITLINK_INPUT_PTX, good, sizeof good, ""), nvJitLinkVersion(NULL, NULL));
    // CHECK: -lto: 2 ERROR NVJITLINK_ERROR_MISSING_ARCH
    // CHECK: sm_20: 17 ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_20)
    // CHECK: sm_999: 16 ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized architecture (compute_999)
    // CHECK: foo: 1 ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-arch=foo)
    // CHECK: -foo: 1 unrecognized option: -foo
    // CHECK: -ptx: 11 ERROR: -ptx requires -lto
    // CHECK: compute_80: 11 ERROR: virtual arch requires -ptx
    // CHECK: -O1: 1 unsupported value of -O: 1. Only 0 and 3 are supported.
    // CHECK: -arch sm_80: 1 unrecognized option: -arch
    // CHECK: -Xptxas=-v: 0
    // CHECK: no options: 10, no handle: 10 10 10, type: 10
}

// Links, loads and runs k; -1: an error before.
static int run(void) {
    size_t n = 0;
    CUmodule m;
    CUfunction k;
    CUdeviceptr p;
    int value = 0;
    if (nvJitLinkComplete(h) || nvJitLinkGetLinkedCubinSize(h, &n)) return -1;
    char *cubin = malloc(n);
    void *params[] = {&p};
    if (nvJitLinkGetLinkedCubin(h, cubin) || cuModuleLoadData(&m, cubin) || cuModuleGetFunction(&k, m, "k")) return -2;
    cuMemAlloc(&p, 4);
    if (cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL) || cuMemcpyDtoH(&value, p, 4)) return -3;
    printf("%.4s ", cubin + 1);
    free(cubin);
    cuModuleUnload(m);
    return value;
}

static void linked(const char *what, nvJitLinkInputType type, const char *file) {
    create("-arch=sm_80");
    int first = nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, uses, sizeof uses - 1, "uses.ptx"), second = nvJitLinkAddFile(h, type, file);
    printf("%s: %d %d ", what, first, second);
    printf("%d ", second ? 0 : run());
    print_log();
    nvJitLinkDestroy(&h);
}

static void inputs(void) {
    linked("ptx", NVJITLINK_INPUT_PTX, "f.ptx");
    linked("any", NVJITLINK_INPUT_ANY, "f.ptx");
    linked("cubin", NVJITLINK_INPUT_CUBIN, "f.cubin");
    linked("fatbin", NVJITLINK_INPUT_FATBIN, "f.fatbin");
    linked("object", NVJITLINK_INPUT_OBJECT, "f.o");
    linked("library", NVJITLINK_INPUT_LIBRARY, "libf.a");
    linked("any library", NVJITLINK_INPUT_ANY, "libf.a");
    linked("wrong", NVJITLINK_INPUT_CUBIN, "f.ptx");
    linked("machine", NVJITLINK_INPUT_FATBIN, "machine.fatbin");
    linked("empty", NVJITLINK_INPUT_OBJECT, "x.o");
    linked("nothing", NVJITLINK_INPUT_PTX, "nothing");
    linked("other", NVJITLINK_INPUT_ANY, "run.c");
    // CHECK: ptx: 0 0 ELF{{.*}} 8
    // CHECK: any: 0 0 ELF{{.*}} 8
    // CHECK: cubin: 0 0 ELF{{.*}} 8
    // CHECK: fatbin: 0 0 ELF{{.*}} 8
    // CHECK: object: 0 0 ELF{{.*}} 8
    // CHECK: library: 0 0 ELF{{.*}} 8
    // CHECK: any library: 0 0 ELF{{.*}} 8
    // CHECK: wrong: 0 12
    // CHECK: machine: 0 3 0 'machine.fatbin': error: this GPU binary has no PTX: it has code for sm_75
    // CHECK: empty: 0 15 0 error   : 'x.o': there is no PTX in it
    // CHECK: nothing: 0 3 0 error   : 'nothing': the file cannot be read
    // CHECK: other: 0 8 0
}

static void errors(void) {
    size_t n;
    create("-arch=sm_80");
    printf("syntax: %d ", nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, bad, sizeof bad, "bad.ptx"));
    print_log();
    // CHECK: syntax: 4 {{.*}}unknown instruction 'foo'
    // CHECK: ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (bad.ptx)
    nvJitLinkDestroy(&h);
    create("-arch=sm_80");
    nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, uses, sizeof uses, "uses.ptx");
    printf("before: %d, undefined: %d ", nvJitLinkGetLinkedCubinSize(h, &n), nvJitLinkComplete(h));
    print_log();
    // CHECK: before: 6, undefined: 6 {{.*}}undefined device function 'f'
    nvJitLinkDestroy(&h);
    create("-arch=sm_80");
    nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, defs, sizeof defs, "a.ptx");
    nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, defs, sizeof defs, "b.ptx");
    printf("twice: %d ", nvJitLinkComplete(h)); // NVIDIA's prints this on stdout and links
    print_log();
    // CHECK: twice: 6 {{.*}}'f' is defined twice
    nvJitLinkDestroy(&h);
    create("-arch=sm_80");
    nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, good, sizeof good, "good.ptx");
    int value = run();
    printf("%d, ptx: %d, again: %d, late: %d\n", value, nvJitLinkGetLinkedPtxSize(h, &n), nvJitLinkComplete(h),
           nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, good, sizeof good, "good.ptx"));
    // CHECK: ELF{{.*}} 42, ptx: 3, again: 6, late: 6
    nvJitLinkDestroy(&h);
    create("-arch=compute_80 -lto -ptx -verbose");
    nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, good, sizeof good, "good.ptx");
    int completed = nvJitLinkComplete(h), size = nvJitLinkGetLinkedPtxSize(h, &n);
    char *text = calloc(1, n + 1), info[200] = "";
    nvJitLinkGetLinkedPtx(h, text);
    nvJitLinkGetInfoLog(h, info);
    printf("%d %d %d, %s%s", completed, size, n == strlen(text) + 1, info, strstr(text, ".visible"));
    // CHECK: 0 0 1, info    : 1 inputs
    // CHECK-NEXT: .visible .entry k
    nvJitLinkDestroy(&h);
}

static int write_file(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    fputs(text, f);
    return fclose(f);
}

int main(int argc, char **argv) {
    if (!strcmp(argv[1], "write")) return write_file("f.ptx", defs) || write_file("run.c", "int main;\n");
    CUcontext c;
    setvbuf(stdout, NULL, _IOLBF, 0);
    option_errors();
    cuInit(0);
    cuDevicePrimaryCtxRetain(&c, 0);
    cuCtxSetCurrent(c);
    inputs();
    errors();
    return argc < 2;
}
