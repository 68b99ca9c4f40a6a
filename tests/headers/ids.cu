// Built-in variables become special-register reads and convert to uint3 and dim3.
// RUN: %device %s | FileCheck %s
// CHECK-LABEL: define {{.*}} @_Z3idsPj(
__global__ void ids(unsigned *p) {
    // CHECK-DAG: @llvm.nvvm.read.ptx.sreg.tid.x
    // CHECK-DAG: @llvm.nvvm.read.ptx.sreg.tid.z
    uint3 t = threadIdx;
    // CHECK-DAG: @llvm.nvvm.read.ptx.sreg.ntid.y
    dim3 d = blockDim;
    // CHECK-DAG: @llvm.nvvm.read.ptx.sreg.ctaid.x
    // CHECK-DAG: @llvm.nvvm.read.ptx.sreg.nctaid.x
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    // CHECK-DAG: shl{{.*}} i32 {{.*}}, 5
    p[i] = t.x + t.z + d.y + gridDim.x;
    p[i + 1] = p[i] * warpSize;
    // CHECK: ret void
}
