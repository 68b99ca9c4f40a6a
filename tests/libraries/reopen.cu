// A library that is closed and opened again, as plugins do: its kernels are registered anew.
// REQUIRES: run
// RUN: %cucpu %s -o %t -ldl && env LD_LIBRARY_PATH=%resources %run %t
#include "../kernels/check.h"
#include <cufft.h>
#include <dlfcn.h>

int main() {
    cufftComplex *x;
    CUDA(cudaMallocManaged(&x, 8 * sizeof *x));
    for (int round = 0; round < 3; round++) {
        void *library = dlopen("libcufft.so.11", RTLD_NOW);
        if (!library) return std::puts(dlerror()), 1;
        auto plan = (decltype(&cufftPlan1d))dlsym(library, "cufftPlan1d");
        auto run = (decltype(&cufftExecC2C))dlsym(library, "cufftExecC2C");
        auto destroy = (decltype(&cufftDestroy))dlsym(library, "cufftDestroy");
        cufftHandle p;
        for (int i = 0; i < 8; i++) x[i] = make_cuComplex(i, 0);
        CHECK(plan(&p, 8, CUFFT_C2C, 1) == CUFFT_SUCCESS && run(p, x, x, CUFFT_FORWARD) == CUFFT_SUCCESS);
        CHECK(destroy(p) == CUFFT_SUCCESS && x[0].x == 28);
        dlclose(library);
        CHECK(!dlopen("libcufft.so.11", RTLD_NOW | RTLD_NOLOAD));
    }
    return finish();
}
