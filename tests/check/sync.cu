// Barriers that not all threads of a block come to: sync N.
// REQUIRES: run
// RUN: %cucpu --check=sync %s -o %t
// RUN: for c in 0 1; do %run %t $c 0 > %t.ok 2>&1; FileCheck --check-prefix=OK %s < %t.ok || exit 1; done
// OK-NOT: =========
// OK: no error
// RUN: %run %t 0 1 2>&1 | FileCheck --check-prefix=MISSING %s
// MISSING:      ========= Barrier error detected. Divergent thread(s) in block
// MISSING-NEXT: =========     at missing(int)+0x{{[0-9a-f]+}} in sync.cu:[[#]]
// MISSING-NEXT: =========     by thread (48,0,0) in block (1,0,0)
// MISSING:      ========= ERROR SUMMARY: 1 error
// RUN: %run %t 2 0 2>&1 | FileCheck --check-prefix=PLACES %s
// PLACES: ========= Barrier error detected. Divergent thread(s) in block
// PLACES-NEXT: =========     at places()+0x{{[0-9a-f]+}} in sync.cu:[[#]]
// RUN: %run %t 1 1 2>&1 | FileCheck --check-prefix=MASK %s
// MASK: ========= Barrier error detected. Invalid arguments
// MASK-NEXT: =========     at mask(int)+0x{{[0-9a-f]+}} in sync.cu:[[#]]
// MASK-NEXT: =========     by thread (16,0,0) in block (0,0,0)
// RUN: compute-sanitizer --tool synccheck --error-exitcode 5 %t 3 0 > %t.out 2>&1; test $? = 5
// RUN: FileCheck --check-prefix=STUCK %s < %t.out
// STUCK: ========= Barrier error detected. Divergent thread(s) in warp
// STUCK-NEXT: =========     at {{.*}}sync.cu:[[#]]
// STUCK: unspecified launch failure
#include <cstdio>
#include <cstdlib>
__global__ void missing(int bad) {
    if (bad && blockIdx.x == 1 && threadIdx.x >= 48) return;
    __syncthreads();
    __syncthreads();
}
__global__ void mask(int bad) { __syncwarp(bad ? 0xffff : 0xffffffff); }
__global__ void places() {
    if (threadIdx.x < 32) __syncthreads();
    else __syncthreads();
}
__global__ void never() {
    if (threadIdx.x == 1) __syncthreads();
    else __syncwarp();
}
int main(int argc, char **argv) {
    int c = atoi(argv[1]), bad = atoi(argv[2]);
    if (c == 0) missing<<<3, 64>>>(bad);
    if (c == 1) mask<<<1, 32>>>(bad);
    if (c == 2) places<<<1, 64>>>();
    if (c == 3) never<<<1, 32>>>();
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
