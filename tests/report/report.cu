// --report=json,html: what lanes do in each line, and what that costs.
// REQUIRES: run
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s lines.cu
// RUN: %cucpu --simd=8 --report=html,json lines.cu -o program 2> errors && test ! -s errors
// RUN: %python %S/Inputs/facts.py program.json program.html > facts && FileCheck %s < facts
// Names: of the output, of the source, of --report-file.
// RUN: %cucpu --report=json -c lines.cu && test -f lines.json && %cucpu --report=html -c lines.cu -o x.o && test -f x.html
// RUN: %cucpu --report=html --report-file=page.htm -c lines.cu && test -f page.htm
// RUN: not %cucpu --report=json --report-file=none/x -c lines.cu 2>&1 | FileCheck --check-prefix=NONE %s
// NONE: cucpu: error: cannot write 'none/x'
// Scalar code, and relocatable device code.
// RUN: %cucpu --simd=1 --report=json -c lines.cu && %python %S/Inputs/facts.py lines.json > facts1 && FileCheck --check-prefix=ONE %s < facts1
// RUN: %cucpu -rdc=true --simd=8 --report=json lines.cu -o linked && %python %S/Inputs/facts.py linked.json > facts2 && FileCheck --check-prefix=RDC %s < facts2
// RDC: kernel work<float>: 8 lanes
// Code that runs where the test of a version fails counts little: a guard does not double a kernel's time.
// RUN: cp %S/Inputs/guarded.cu . && %cucpu --simd=8 --report=json -c guarded.cu && %python -c "import json; c = {k['title']: k['cycles'] for k in json.load(open('guarded.json'))['kernels']}; assert c['plain'] < c['guarded'] < 1.3 * c['plain'], c"
// Nothing but what was asked for:
// RUN: rm -f *.json *.html && %cucpu --report=frames -c lines.cu && not ls *.json *.html

// Kernels by cost, the most expensive one first; names as in the source.
// CHECK: kernels: work<float>, kinds, steps
// ONE: kernel work<float>: 1 lanes
#include <cstdio>
template <typename T> __global__ void work(T *x, int n) {
    T v = x[threadIdx.x];
    for (int i = 0; i < 100000; i++) v = v * v + T(1); // CHECK: line [[#@LINE]]: most of the time
    x[threadIdx.x] = v;
}
template __global__ void work<float>(float *, int);

__global__ void kinds(float *x, const int *index, int n, int m) {
    int t = threadIdx.x;
    int twice = n * 2;          // CHECK: line [[#@LINE]]: uniform
    int next = t * 4 + twice;   // CHECK: line [[#@LINE]]: affine
    if (m > 7)                  // CHECK: line [[#@LINE]]: uniform, uniform branch
        x[1000 + blockIdx.x] = twice; // CHECK: line [[#@LINE]]: {{.*}}store uniform
    float far = x[index[t]];    // CHECK: line [[#@LINE]]: varying, load contiguous, load gather_scatter
    if (far > 0)                // CHECK: line [[#@LINE]]: {{.*}}divergent branch
        x[next] = far / 3;      // CHECK: line [[#@LINE]]: {{.*}}store {{strided|gather_scatter}} masked
    atomicAdd(&x[2], far);      // CHECK: line [[#@LINE]]: {{.*}}atomic lane_by_lane
}
// CHECK: advice in kinds: gather, lanes-sum

__global__ void steps(float *x, int n) {
    __shared__ float tile[256];
    int t = threadIdx.x;
    float v = x[t] * 3;
    tile[t] = v;
    __syncthreads(); // CHECK: line [[#@LINE]]: barrier keeps 4 bytes per thread, 0 per block
    x[t] = v + tile[255 - t];
}
// CHECK: html: self-contained, 1 viewport, same data
int main() {}
