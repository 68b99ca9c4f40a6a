// A variant that cannot be built, one that fails, one with other output: the others are reported; so is what was measured
// before Ctrl-C (here SIGTERM).
// REQUIRES: run
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s f.cu
// RUN: sh -c '%sweep --no-counts --simd 1 --warp-size 32,4,8,16 --rounds 1 f.cu -- 0; test $? = 1' > table 2> errors
// RUN: FileCheck --check-prefix=ERRORS %s < errors && FileCheck --check-prefix=TABLE %s < table
// ERRORS: --warp-size=4 --simd=1 --cpu=native threads=1: build failed: {{.*}}error: {{.*}}no warps of 4
// ERRORS: --warp-size=8 --simd=1 --cpu=native threads=1: run failed: exit status 3: warps of 8
// ERRORS: --warp-size=16 --simd=1 --cpu=native threads=1: output differs: line 1 of its output is 'warps of 16', not 'warps of 32'
// TABLE: one(int*)
// TABLE: 32 1 1 {{[0-9.]+}} 1.00 {{.*}} ok
// TABLE: 16 1 1 {{.*}} output differs
// RUN: sh -c '%sweep --no-counts --simd 1,8 --rounds 50 --json j.json f.cu -- 5; test $? = 130' > table 2> errors
// RUN: FileCheck --check-prefix=STOPPED %s < errors && FileCheck --check-prefix=TABLE2 %s < table
// STOPPED: cucpu-sweep: interrupted; this is what was measured
// TABLE2: one(int*)
// TABLE2-NEXT: simd
// TABLE2-NEXT: 1 1 {{[0-9.]+}} 1.00
// TABLE2-NEXT: 8 8 {{[0-9.]+}}
// RUN: %python -c "import json; print([len(r['kernels'][0]['times_ns']) for r in json.load(open('j.json'))['runs']])" | FileCheck --check-prefix=KEPT %s
// KEPT: [2, 2]
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#if __CUCPU_WARP_SIZE__ == 4
#error no warps of 4
#endif
__global__ void one(int *x) { x[threadIdx.x] = 1; }
int main(int argc, char **argv) {
    int *x, runs = 0, last = atoi(argv[1]);
    cudaMalloc(&x, 128);
    one<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    if (__CUCPU_WARP_SIZE__ == 8) return fprintf(stderr, "warps of 8\n"), 3;
    if (last) { // its run of this number interrupts the sweep
        FILE *f = fopen("runs", "r");
        if (f && fscanf(f, "%d", &runs) == 1) fclose(f);
        f = fopen("runs", "w");
        fprintf(f, "%d", ++runs);
        fclose(f);
        if (runs == last) return kill(getppid(), SIGTERM), sleep(5);
        return 0;
    }
    printf("warps of %d\n", __CUCPU_WARP_SIZE__);
}
