// In the device half a managed variable is annotated, a texture reference a 64-bit handle.
// RUN: %device %s | FileCheck %s
// CHECK-DAG: @total = {{.*}}addrspace(1) {{.*}}global i32
// CHECK-DAG: @image = {{.*}}addrspace(1) {{.*}}global i64
// CHECK-DAG: c"cucpu_managed\00"
// CHECK-DAG: @llvm.global.annotations = {{.*}}@total
__managed__ int total;
texture<float, 2> image;
__global__ void kernel(float *p) {
    atomicAdd(&total, 1);
    // CHECK: load i64, ptr addrspacecast (ptr addrspace(1) @image to ptr)
    p[0] = tex2D(image, p[1], p[2]);
}
