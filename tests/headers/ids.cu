// Built-in variables are constants of device code, which import_builtins makes reads of special registers.
// RUN: %device %s | FileCheck %s
// CHECK-LABEL: define {{.*}} @_Z3idsPj(
__global__ void ids(unsigned *p) {
    // CHECK-DAG: @cucpu.threadIdx
    uint3 t = threadIdx;
    // CHECK-DAG: @cucpu.blockDim
    dim3 d = blockDim;
    // CHECK-DAG: @cucpu.blockIdx
    // CHECK-DAG: @cucpu.gridDim
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    // CHECK-DAG: shl{{.*}} i32 {{.*}}, 5
    p[i] = t.x + t.z + d.y + gridDim.x;
    p[i + 1] = p[i] * warpSize;
    // CHECK: ret void
}
