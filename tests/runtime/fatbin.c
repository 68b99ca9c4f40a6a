// Containers of GPU code, as nvcc embeds them and fatbinary writes them: their PTX is compiled, whatever its packing is, and what the host
// object has registered belongs to it.
// REQUIRES: run
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && for sm in 50 75 90; do sed s/SM/$sm/ %S/Inputs/fatbin/k.ptx.in > $sm.ptx; done
// RUN: %python %S/Inputs/fatbin/make.py plain.fatbin elf:80:plain:- ptx:50:plain:50.ptx ptx:75:plain:75.ptx ptx:90:plain:90.ptx
// RUN: %python %S/Inputs/fatbin/make.py lz4.fatbin ptx:75:lz4:75.ptx ptx:50:lz4:50.ptx
// RUN: %python %S/Inputs/fatbin/make.py zstd.fatbin ptx:90:zstd:90.ptx elf:90:plain:-
// RUN: %python %S/Inputs/fatbin/make.py machine.fatbin elf:75:plain:- elf:90:plain:-
// RUN: %python %S/Inputs/fatbin/make.py damaged.fatbin --damage=40 ptx:75:zstd:75.ptx
// RUN: %python %S/Inputs/fatbin/make.py short.fatbin --cut=40 ptx:75:lz4:75.ptx
// RUN: %clang -I%resources/include %s -o %t.d/run -L%resources -Wl,-rpath,%resources -l:libcudart.so.12 -ldl
// RUN: %run ./run embedded plain.fatbin | FileCheck %s --check-prefix=EMBEDDED
// EMBEDDED: pointer 5, value 80, count 1, pointer 7, value 82, count 4, managed
// RUN: env CUCPU_COMPUTE_CAPABILITY=9.0 %run ./run embedded plain.fatbin | FileCheck %s --check-prefix=NEWER
// NEWER: pointer 5, value 95,
// RUN: env CUCPU_COMPUTE_CAPABILITY=3.5 %run ./run embedded plain.fatbin | FileCheck %s --check-prefix=OLDER
// OLDER: pointer 5, value 55,
// RUN: %run ./run embedded lz4.fatbin | FileCheck %s --check-prefix=LZ4
// LZ4: pointer 5, value 80,
// RUN: %run ./run embedded zstd.fatbin | FileCheck %s --check-prefix=ZSTD
// ZSTD: pointer 5, value 95,
// RUN: %run ./run modules plain.fatbin lz4.fatbin zstd.fatbin | FileCheck %s --check-prefix=MODULES
// MODULES: plain.fatbin: data 80, wrapper 80, file 80, library 80, linked 80
// MODULES: lz4.fatbin: data 80, wrapper 80, file 80, library 80, linked 80
// MODULES: zstd.fatbin: data 95, wrapper 95, file 95, library 95, linked 95
// RUN: %run ./run embedded machine.fatbin 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: error: this GPU binary has no PTX: it has code for sm_75, sm_90; what runs here is PTX (nvcc -gencode arch=compute_80,code=compute_80)
// MACHINE: launch: cudaErrorNoKernelImageForDevice
// RUN: %run ./run refused machine.fatbin 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: sm_75, sm_90
// REFUSED: CUDA_ERROR_NO_BINARY_FOR_GPU, log: error: this GPU binary has no PTX: it has code for sm_75, sm_90;
// RUN: %run ./run refused damaged.fatbin 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: CUDA_ERROR_INVALID_IMAGE, log: error: a compressed part of this GPU binary is damaged
// RUN: %run ./run refused short.fatbin 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: CUDA_ERROR_INVALID_IMAGE, log: error: this GPU binary is damaged
// RUN: %run ./run cuda13 plain.fatbin | FileCheck %s --check-prefix=CUDA13
// CUDA13: 8.0, 1008 bytes, 128
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);

typedef struct Wrapper {
    unsigned magic, version;
    const void *data;
    void *unused;
} Wrapper;

static size_t bytes;

static char *read_file(const char *name) {
    FILE *f = fopen(name, "rb");
    fseek(f, 0, SEEK_END);
    bytes = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(bytes);
    if (fread(data, 1, bytes, f) != bytes) exit(1);
    fclose(f);
    return data;
}

/* ---- what nvcc makes of a kernel, a variable, a constant and a managed variable ---- */

static char stub, count, step;
static int *shared_value;

static int launch(void) {
    int *out, result = -1;
    cudaKernel_t k;
    cudaMalloc((void **)&out, sizeof *out);
    void *args[] = {&out};
    cudaError_t e = __cudaGetKernel(&k, &stub);
    if (!e) e = __cudaLaunchKernel(k, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL);
    if (e) printf("launch: %s\n", cudaGetErrorName(e));
    else cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    return result;
}

static int counted(void) {
    int n = -1;
    cudaMemcpyFromSymbol(&n, &count, sizeof n, 0, cudaMemcpyDeviceToHost);
    return n;
}

static int embedded(const char *name) {
    static Wrapper w = {0x466243b1, 1, NULL, NULL};
    w.data = read_file(name);
    void **handle = __cudaRegisterFatBinary(&w);
    __cudaRegisterFunction(handle, &stub, "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &count, "count", "count", 0, 4, 0, 0);
    __cudaRegisterVar(handle, &step, "step", "step", 0, 4, 1, 0);
    __cudaRegisterManagedVar(handle, (void **)&shared_value, "shared_value", "shared_value", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    if (!__cudaInitModule(handle)) return launch() != -1;
    int value = launch(), n = 3;
    printf("pointer %d, value %d, count %d, ", *shared_value, value, counted());
    *shared_value = 7;
    cudaMemcpyToSymbol(&step, &n, sizeof n, 0, cudaMemcpyHostToDevice);
    value = launch();
    struct cudaPointerAttributes a;
    cudaPointerGetAttributes(&a, shared_value);
    printf("pointer %d, value %d, count %d, %s\n", *shared_value, value, counted(),
           a.type == cudaMemoryTypeManaged ? "managed" : "not managed");
    cudaMemcpyFromSymbol(&n, shared_value, sizeof n, 0, cudaMemcpyDeviceToHost); /* as nvcc names it */
    __cudaUnregisterFatBinary(handle);
    return n != 7;
}

/* ---- the driver API ---- */

static int run(CUresult r, CUmodule m) {
    CUfunction f;
    int *out, result = -1;
    if (r || (r = cuModuleGetFunction(&f, m, "add"))) return -(int)r;
    cudaMalloc((void **)&out, sizeof *out);
    void *args[] = {&out};
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    return result;
}

static int linked(const void *image, size_t size) {
    CUlinkState s;
    void *cubin;
    CUmodule m = NULL;
    cuLinkCreate(0, NULL, NULL, &s);
    CUresult r = cuLinkAddData(s, CU_JIT_INPUT_FATBINARY, (void *)image, size, "a", 0, NULL, NULL);
    if (!r) r = cuLinkComplete(s, &cubin, NULL);
    if (!r) r = cuModuleLoadData(&m, cubin);
    return run(r, m);
}

static void modules(const char *name) {
    const void *image = read_file(name);
    Wrapper w = {0x466243b1, 1, image, NULL};
    CUmodule m = NULL;
    CUlibrary l = NULL;
    printf("%s: data %d", name, run(cuModuleLoadData(&m, image), m));
    printf(", wrapper %d", run(cuModuleLoadFatBinary(&m, &w), m));
    printf(", file %d", run(cuModuleLoad(&m, name), m));
    printf(", library %d", run(cuLibraryLoadData(&l, image, NULL, NULL, 0, NULL, NULL, 0), (CUmodule)l));
    printf(", linked %d\n", linked(image, bytes));
}

static void refused(const char *name) {
    CUmodule m;
    char log[400] = "";
    const char *text;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUresult file = cuModuleLoad(&m, name), data = file;
    read_file(name);
    if (!strstr(name, "short")) data = cuModuleLoadDataEx(&m, read_file(name), 2, options, values);
    else snprintf(log, sizeof log, "error: this GPU binary is damaged\n"); /* its memory may end anywhere */
    cuGetErrorName(data, &text);
    printf("%s, log: %s", data == file ? text : "different results", log);
}

static void cuda13(void) {
    cudaError_t (*get)(void *, int);
    *(void **)&get = dlvsym(RTLD_DEFAULT, "cudaGetDeviceProperties", "libcudart.so.13");
    unsigned char p[1024];
    memset(p, 128, sizeof p);
    get(p, 0);
    size_t n = 1008;
    while (n < sizeof p && p[n] == 128) n++;
    printf("%d.%d, %d bytes, %d\n", *(int *)(p + 360), *(int *)(p + 364), n == sizeof p ? 1008 : (int)n, p[1008]);
}

int main(int argc, char **argv) {
    cuInit(0);
    if (!strcmp(argv[1], "embedded")) return embedded(argv[2]);
    cudaFree(NULL);
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[1], "modules")) modules(argv[i]);
        else if (!strcmp(argv[1], "refused")) refused(argv[i]);
        else cuda13();
    }
    return 0;
}
