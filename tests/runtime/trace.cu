// CUCPU_TRACE: a line for each launch, also for those that are refused; messages of faults name the kernel as the source does.
// REQUIRES: run
// RUN: %cucpu %s -o %t && env CUCPU_TRACE=1 %run %t 2>&1 | FileCheck %s
// RUN: %cucpu -rdc=true %s -o %t.rdc && env CUCPU_TRACE=1 %run %t.rdc 2>&1 | FileCheck %s
// CHECK: {{^}}cucpu: _Z4fillIfEvPT_i<<<(1,1,1),(32,1,1),0>>> W={{.*}} us
// CHECK: {{^}}cucpu: _Z4fillIfEvPT_i<<<(1,1,1),(2000,1,1),0>>> refused: cudaErrorInvalidConfiguration
// CHECK: {{^}}cucpu: _Z4fillIfEvPT_i<<<(0,1,1),(32,1,1),0>>> refused: cudaErrorInvalidConfiguration
// CHECK: {{^}}cucpu: _Z4fillIfEvPT_i<<<(1,1,1),(32,1,1),900000>>> refused: cudaError{{[A-Za-z]+}}
// CHECK: {{^}}cucpu: _Z5smallv<<<(1,1,1),(65,1,1),0>>> refused: cudaErrorLaunchOutOfResources
// CHECK: {{^}}cucpu: unknown kernel<<<(1,1,1),(1,1,1),0>>> refused: cudaErrorInvalidDeviceFunction
// CHECK: {{^}}cucpu: kernel inner::fails(space::Pair<int, 3>*) ({{.*}}trace.cu:[[@LINE+15]]), block [0,0,0]: {{.*}}illegal memory access at address 0x10
// CHECK: {{^}}cucpu: {{.*}}fails{{.*}}<<<(1,1,1),(1,1,1),0>>> W=
// CHECK: {{^}}cucpu: {{.*}}fill{{.*}}<<<(1,1,1),(32,1,1),0>>> refused: cudaErrorIllegalAddress
// CHECK: end
#include <cstdio>
template <class T> __global__ void fill(T *p, int n) {
    if (threadIdx.x < n) p[threadIdx.x] = n;
}
__global__ void __launch_bounds__(64) small() {}
namespace space {
template <class T, int N> struct Pair {
    T a[N];
};
}
namespace inner {
static __global__ void fails(space::Pair<int, 3> *p) { p[1].a[1] = 5; }
}

int main() {
    float *p;
    cudaMalloc(&p, 128);
    fill<<<1, 32>>>(p, 32);
    fill<<<1, 2000>>>(p, 32);
    fill<<<0, 32>>>(p, 32);
    fill<<<1, 32, 900000>>>(p, 32);
    small<<<1, 65>>>();
    (void)cudaLaunchKernel("nothing", 1, 1, nullptr, 0, 0);
    inner::fails<<<1, 1>>>(nullptr);
    cudaDeviceSynchronize();
    fill<<<1, 32>>>(p, 32);
    puts("end");
}
