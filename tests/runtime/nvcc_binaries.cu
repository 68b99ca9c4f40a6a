// Programs that NVIDIA's compiler has built, with the shared runtime library and the static one: one file, linked device code, machine code only.
// REQUIRES: run, nvcc
// RUN: %nvcc -cudart shared %s -o %t && env LD_LIBRARY_PATH=%resources %run %t 2>&1 | FileCheck %s
// RUN: %nvcc -cudart shared -rdc=true -DPART %s -c -o %t.part.o && %nvcc -cudart shared -rdc=true -DLINKED -c %s -o %t.main.o
// RUN: %nvcc -cudart shared -rdc=true %t.part.o %t.main.o -o %t.linked && env LD_LIBRARY_PATH=%resources %run %t.linked 2>&1 | FileCheck %s
// CHECK-NOT: version
// CHECK: 9 11 13 15, 4 counted, managed 9, cucpu
// CHECK-NEXT: graph with 2 nodes, 1 edge
// RUN: %nvcc -cudart shared -gencode arch=compute_80,code=sm_80 %s -o %t.sm && env LD_LIBRARY_PATH=%resources %run %t.sm 2>&1 | FileCheck %s --check-prefix=SM
// SM: error: this GPU binary has no PTX: it has code for sm_80;
// SM: no kernel image is available for execution on the device
// RUN: %nvcc %s -o %t.static && %cucpu run %t.static 2>&1 | FileCheck %s
// RUN: %nvcc -rdc=true %t.part.o %t.main.o -o %t.static && %cucpu run %t.static 2>&1 | FileCheck %s
#include <cstdio>

#ifdef PART
__device__ int counter;
__device__ float scaled(float x, float by) { return x * by; }
#else
#ifdef LINKED
extern __device__ int counter;
extern __device__ float scaled(float x, float by);
#else
__device__ int counter;
__device__ float scaled(float x, float by) { return x * by; }
#endif
__constant__ float scale;
__managed__ int m = 5;

__global__ void add(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] = scaled(x[i], scale) + m;
    atomicAdd(&counter, 1);
}

int main() {
    float *d, h[4] = {1, 2, 3, 4}, s = 2;
    int counted = 0;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    if (cudaError_t e = cudaMemcpyToSymbol(scale, &s, sizeof s)) {
        std::printf("%s\n", cudaGetErrorString(e));
        return 0;
    }
    m = 7;
    add<<<1, 4>>>(d, 4);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    m = 9;
    std::printf("%g %g %g %g, %d counted, managed %d, %.5s\n", h[0], h[1], h[2], h[3], counted, m, p.name);

    cudaGraph_t graph;
    cudaGraphNode_t a, b;
    size_t nodes = 0, edges = 0;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddEmptyNode(&a, graph, nullptr, 0);
    cudaGraphAddEmptyNode(&b, graph, nullptr, 0);
#if CUDART_VERSION >= 13000
    cudaGraphAddDependencies(graph, &a, &b, nullptr, 1);
    cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
#else
    cudaGraphAddDependencies(graph, &a, &b, 1);
    cudaGraphGetEdges(graph, nullptr, nullptr, &edges);
#endif
    cudaGraphGetNodes(graph, nullptr, &nodes);
    std::printf("graph with %zu nodes, %zu edge\n", nodes, edges);
}
#endif
