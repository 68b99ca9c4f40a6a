// assert and __trap in a kernel give the error codes of CUDA, and end no program.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s -o %t && %run %t assert 2>&1 | FileCheck --check-prefix=ASSERT %s
// RUN: %run %t trap 2>&1 | FileCheck --check-prefix=TRAP %s
// RUN: %cucpu %s -o %t && %run %t assert 2>&1 | FileCheck --check-prefix=ASSERT %s
// RUN: %run %t trap 2>&1 | FileCheck --check-prefix=TRAP %s
// RUN: %run %t none 2>&1 | FileCheck --check-prefix=NONE %s
// ASSERT: faults.cu:[[#]]: {{.*}}block: [1,0,0], thread: [5,0,0] Assertion `value != 37` failed
// ASSERT: error 710 710
// TRAP: error 719 719
// NONE: error 0 0
#include <cassert>
#include <cstdio>
#include <cstring>

__global__ void asserts(int mode) {
    int value = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (mode == 1) assert(value != 37);
    if (mode == 2 && value == 37) __trap();
}

int main(int, char **argv) {
    asserts<<<3, 32>>>(!strcmp(argv[1], "assert") ? 1 : !strcmp(argv[1], "trap") ? 2 : 0);
    cudaError_t status = cudaDeviceSynchronize();
    printf("error %d %d\n", status, cudaFree(0)); // the error stays
}
