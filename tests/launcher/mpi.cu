// A program with MPI, one process of it, by each wrapper that there is.
// REQUIRES: run, mpi
// RUN: for m in mpicxx mpicxx.openmpi mpicxx.mpich; do if command -v $m; then %cucpu -ccbin $m %s -o %t && %run %t || exit 1; fi; done | FileCheck %s
// CHECK: rank 0 sum 42
#include <cstdio>
#include <mpi.h>

__global__ void kernel(int *p) { *p = 42; }

int main(int argc, char **argv) {
    int *p, rank = -1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaMallocManaged(&p, sizeof *p);
    kernel<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    MPI_Allreduce(p, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    std::printf("rank %d sum %d\n", rank, sum);
    MPI_Finalize();
}
