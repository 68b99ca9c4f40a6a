// Blocks follow each other along y where what they access lies along y; results, ids and messages are what they were.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t && env CUCPU_NUM_THREADS=3 %run %t
// RUN: %cucpu -O3 -Rcucpu %s -o %t.on > %t.r 2>&1 && FileCheck --check-prefix=SAYS %s < %t.r && env CUCPU_NUM_THREADS=1 %run %t.on order | FileCheck --check-prefix=ON %s
// RUN: %cucpu -O3 --disable=order_blocks %s -o %t.off && env CUCPU_NUM_THREADS=1 %run %t.off order | FileCheck --check-prefix=OFF %s
// SAYS: block_order.cu:[[# @LINE + 28]]:1: remark: along_x{{.*}}: blocks run along y first
// SAYS-NOT: along_y{{.*}}: blocks follow
// RUN: not env CUCPU_NUM_THREADS=1 %run %t.on fault 2>&1 | FileCheck --check-prefix=FAULT %s
// RUN: %also { %cucpu -O3 --simd=1 %s -o %t.1 && env CUCPU_NUM_THREADS=1 %run %t.1 order | FileCheck --check-prefix=ON %s; }
// ON: rows along x
// ON-NEXT: (0,0) (0,1) (0,2) (1,0) (1,1) (1,2) (2,0) (2,1)
// ON: rows along y
// ON-NEXT: (0,0) (1,0) (2,0) (3,0) (0,1) (1,1) (2,1) (3,1)
// ON: loads along y, stores along x
// ON-NEXT: (0,0) (0,1) (0,2) (1,0)
// ON: stores along y, loads along x, by tiles
// ON-NEXT: (0,0) (0,1) (0,2) (1,0)
// ON: blocks swapped
// ON-NEXT: (0,0) (1,0) (2,0) (3,0)
// ON: rows along x, x the slowest
// ON-NEXT: (0,0,0) (0,0,1) (0,1,0) (0,1,1) (0,2,0)
// OFF-NOT: (0,0) (0,1)
// FAULT: block [3,1,1]
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { NX = 4, NY = 3, NZ = 2, T = 16 };
__device__ int arrived;
__device__ void arrive(int *turn) {
    if (threadIdx.x == 0 && threadIdx.y == 0) atomicExch(&turn[atomicAdd(&arrived, 1)], (int)((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x));
}
#define PLACE int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, w = gridDim.x * T, h = gridDim.y * T, z = blockIdx.z * w * h
__global__ void along_x(const int *a, int *b, int *turn) {
    PLACE;
    b[z + x * h + y] = a[z + x * h + y] + 1;
    arrive(turn);
}
__global__ void along_y(const int *a, int *b, int *turn) {
    PLACE;
    b[z + y * w + x] = a[z + y * w + x] + 1;
    arrive(turn);
}
__global__ void transposed(const int *a, int *b, int *turn) {
    PLACE;
    b[z + y * w + x] = a[z + x * h + y] + 1;
    arrive(turn);
}
__global__ void by_tiles(const int *a, int *b, int *turn) {
    __shared__ int tile[T][T + 1];
    PLACE;
    tile[threadIdx.y][threadIdx.x] = a[z + y * w + x] + 1;
    __syncthreads();
    b[z + (blockIdx.x * T + threadIdx.y) * h + blockIdx.y * T + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
    arrive(turn);
}
/* Threads lie along x, blocks along y: consecutive blocks along x are consecutive columns. */
__global__ void swapped(const int *a, int *b, int *turn) {
    int x = blockIdx.y * blockDim.y + threadIdx.x, y = blockIdx.x * blockDim.x + threadIdx.y, w = gridDim.x * T, z = blockIdx.z * w * gridDim.y * T;
    b[z + x * w + y] = a[z + x * w + y] + 1;
    arrive(turn);
}
__global__ void faulty(const int *a, int *b, int *turn) {
    PLACE;
    int v = a[z + x * h + y];
    if (blockIdx.x == 3 && blockIdx.y == 1 && blockIdx.z == 1 && threadIdx.x == 5) v = *(volatile int *)(8 + turn[0] * 0);
    b[z + x * h + y] = v;
}

__global__ void slowest(const int *a, int *b, int *turn) {
    PLACE;
    int depth = gridDim.z, i = (x * h + y) * depth + (int)blockIdx.z;
    (void)w, (void)z;
    b[i] = a[i] + 1;
    arrive(turn);
}

static int wrong;
int main(int argc, char **argv) {
    const int n = NX * NY * NZ * T * T;
    int *a, *b, *turn, zero = 0;
    cudaMallocManaged(&a, n * 4), cudaMallocManaged(&b, n * 4), cudaMallocManaged(&turn, NX * NY * NZ * 4);
    struct Case { void (*k)(const int *, int *, int *); const char *what; } cases[] = {
        {along_x, "rows along x"}, {along_y, "rows along y"}, {transposed, "loads along y, stores along x"},
        {by_tiles, "stores along y, loads along x, by tiles"}, {swapped, "blocks swapped"}, {slowest, "rows along x, x the slowest"}};
    if (argc > 1 && !strcmp(argv[1], "fault")) {
        faulty<<<dim3(NX, NY, NZ), dim3(T, T)>>>(a, b, turn);
        cudaError_t e = cudaDeviceSynchronize();
        printf("%s\n", cudaGetErrorString(e));
        return e != cudaSuccess;
    }
    for (Case &c : cases) {
        for (int i = 0; i < n; i++) a[i] = i * 7 % 1009, b[i] = -1;
        cudaMemcpyToSymbol(arrived, &zero, 4);
        c.k<<<dim3(NX, NY, NZ), dim3(T, T)>>>(a, b, turn);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        const int w = NX * T, h = NY * T;
        for (int i = 0; i < n; i++) {
            int z = i / (w * h), r = i % (w * h), from = c.k == transposed ? r % w * h + r / w : c.k == by_tiles ? r % h * w + r / h : r;
            if (b[i] != a[z * w * h + from] + 1 && wrong++ < 5) printf("%s: %d is %d\n", c.what, i, b[i]);
        }
        bool seen[NX * NY * NZ] = {};
        for (int i = 0; i < NX * NY * NZ; i++) {
            if (seen[turn[i]]) wrong++, printf("%s: block %d twice\n", c.what, turn[i]);
            seen[turn[i]] = true;
        }
        if (argc < 2) continue;
        printf("%s\n", c.what);
        for (int i = 0; i < 8; i++) {
            printf("(%d,%d", turn[i] % NX, turn[i] / NX % NY);
            if (c.k == slowest) printf(",%d", turn[i] / NX / NY);
            printf(i < 7 ? ") " : ")\n");
        }
    }
    puts(wrong ? "failed" : "passed");
    return wrong != 0;
}
