// Kernels of a module are compiled when they are first used, one that cannot be does not stop the others; code is kept on disk.
// REQUIRES: run
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && %clang -I%resources/include %s -o run -L%resources -Wl,-rpath,%resources -l:libcudart.so.12
// RUN: printf '#!/bin/sh\necho compiled >>%t.d/log\nexec %cucpu "$@"\n' >compiler && chmod +x compiler
// RUN: mkdir -m 700 cache empty && grep -v -e r77 %S/Inputs/lazy.ptx >good.ptx && grep -v tcgen05 %S/Inputs/lazy.ptx >wrong.ptx

// Only what is used is compiled: the kernels that share a variable together.
// RUN: printf '#!/bin/sh\nexport CUCPU_COMPILER=%t.d/compiler CUCPU_CACHE=%t.d/cache CUDA_MODULE_LOADING=LAZY\nexec env "$@"\n' >lazy && chmod +x lazy
// RUN: ./lazy %run ./run good.ptx add_one add_two six 2>&1 | FileCheck %s --check-prefix=LAZY && grep -c compiled log | FileCheck %s --check-prefix=TWO
// LAZY: 7 kernels
// LAZY-NEXT: add_one: 1
// LAZY-NEXT: add_two: 3
// LAZY-NEXT: six: 6
// TWO: {{^2$}}
// Another process compiles nothing.
// RUN: rm log && ./lazy %run ./run good.ptx add_one add_two six 2>&1 | FileCheck %s --check-prefix=LAZY && not test -e log
// Variables: of a kernel, of none, of another's initial value; constants that compilers have named.
// RUN: ./lazy %run ./run good.ptx =sum add_one =sum =alone third =table hello =nothing 2>&1 | FileCheck %s --check-prefix=VARIABLES
// VARIABLES: sum: 0
// VARIABLES-NEXT: add_one: 1
// VARIABLES-NEXT: sum: 1
// VARIABLES-NEXT: alone: 42
// VARIABLES-NEXT: third: 3
// VARIABLES-NEXT: table: 1
// VARIABLES-NEXT: hi
// VARIABLES-NEXT: hello: 7
// VARIABLES-NEXT: nothing: CUDA_ERROR_NOT_FOUND
// What is refused, or wrong, names its line of the text at the first use, and fails at each.
// RUN: ./lazy %run ./run %S/Inputs/lazy.ptx refused refused unknown six nosuch 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: 7 kernels
// REFUSED: ptx:68:{{.*}}tcgen05
// REFUSED: refused: CUDA_ERROR_NOT_SUPPORTED
// REFUSED-NEXT: refused: CUDA_ERROR_NOT_SUPPORTED
// REFUSED-NEXT: {{.*}}ptx:74:
// REFUSED: unknown: CUDA_ERROR_INVALID_PTX
// REFUSED-NEXT: six: 6
// REFUSED-NEXT: nosuch: CUDA_ERROR_NOT_FOUND
// A short text is compiled as a whole, so that its errors come when it is loaded; what is only not supported stops no other kernel.
// RUN: env CUCPU_CACHE=0 %run ./run wrong.ptx six 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: load: CUDA_ERROR_INVALID_PTX
// RUN: env CUCPU_CACHE=0 %run ./run good.ptx six refused 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: six: 6
// MIXED: refused: CUDA_ERROR_NOT_SUPPORTED

// A damaged entry is made again.  CUDA's variables are honoured; the limit holds.
// RUN: rm -rf cache/code/* log && ./lazy %run ./run good.ptx six | FileCheck %s --check-prefix=SIX && ls cache/code | count 1
// RUN: f=$(ls cache/code/*) && printf x | dd of=$f bs=1 seek=900 conv=notrunc 2>/dev/null && ./lazy %run ./run good.ptx six | FileCheck %s --check-prefix=SIX
// RUN: f=$(ls cache/code/*) && truncate -s 900 $f && ./lazy %run ./run good.ptx six | FileCheck %s --check-prefix=SIX && grep -c compiled log | FileCheck %s --check-prefix=THREE
// RUN: ./lazy %run ./run good.ptx six | FileCheck %s --check-prefix=SIX && grep -c compiled log | FileCheck %s --check-prefix=THREE
// RUN: ./lazy CUDA_CACHE_DISABLE=1 %run ./run good.ptx six | FileCheck %s --check-prefix=SIX && grep -c compiled log | FileCheck %s --check-prefix=FOUR
// RUN: ./lazy CUCPU_CACHE= CUDA_CACHE_PATH=%t.d/empty %run ./run good.ptx six | FileCheck %s --check-prefix=SIX && ls empty/code | count 1
// RUN: ./lazy CUDA_CACHE_MAXSIZE=$(( $(stat -c %%s cache/code/*) * 3 / 2 )) %run ./run good.ptx third | FileCheck %s --check-prefix=THIRD && ls cache/code | count 1
// RUN: chmod 777 empty && rm -rf empty/code log && ./lazy CUCPU_CACHE=%t.d/empty %run ./run good.ptx six | FileCheck %s --check-prefix=SIX && ls empty | count 0
// Processes share it.
// RUN: rm -rf cache/code/* && for i in 1 2 3 4; do ./lazy %run ./run good.ptx six third >out$i 2>&1 & done; wait
// RUN: cat out1 out2 out3 out4 | FileCheck %s --check-prefix=SHARED && ls cache/code | count 2
// SHARED-COUNT-4: third: 3
// SHARED-NOT: CUDA_ERROR
// SIX: six: 6
// THIRD: third: 3
// THREE: {{^3$}}
// FOUR: {{^4$}}
#include <cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(CUresult r) {
    const char *name;
    cuGetErrorName(r, &name);
    return name;
}

static CUresult launch(CUmodule m, const char *name, int *result) {
    CUfunction f;
    CUfunctionLoadingState state;
    CUdeviceptr p;
    CUresult r = cuModuleGetFunction(&f, m, name);
    if (r) return r;
    cuMemAlloc(&p, 4);
    void *args[] = {&p};
    cuFuncIsLoaded(&state, f);
    r = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
    if (!r) r = cuMemcpyDtoH(result, p, 4);
    CUmodule again;
    if (!r && (cuFuncGetModule(&again, f) || again != m)) printf("another module\n");
    if (!r && (cuFuncIsLoaded(&state, f) || state != CU_FUNCTION_LOADING_STATE_LOADED)) printf("not loaded\n");
    return r;
}

static CUresult read_variable(CUmodule m, const char *name, int *result) {
    CUdeviceptr p;
    size_t n;
    CUresult r = cuModuleGetGlobal(&p, &n, m, name);
    return r ? r : cuMemcpyDtoH(result, p, 4);
}

int main(int argc, char **argv) {
    CUcontext c;
    CUmodule m;
    unsigned kernels;
    setvbuf(stdout, NULL, _IOLBF, 0);
    cuInit(0);
    cuDevicePrimaryCtxRetain(&c, 0);
    cuCtxSetCurrent(c);
    CUresult r = cuModuleLoad(&m, argv[1]);
    if (r) return printf("load: %s\n", name_of(r)) < 0;
    cuModuleGetFunctionCount(&kernels, m);
    printf("%u kernels\n", kernels);
    for (int i = 2; i < argc; i++) {
        bool variable = *argv[i] == '=';
        const char *name = argv[i] + variable;
        int result = -1;
        r = variable ? read_variable(m, name, &result) : launch(m, name, &result);
        if (r) printf("%s: %s\n", name, name_of(r));
        else printf("%s: %d\n", name, result);
    }
    return 0;
}
