// The host half: launches, typed overloads, symbols, managed and texture variables.
// RUN: %host %s | FileCheck %s
// CHECK-DAG: @coefficients = internal global [4 x float]
// CHECK-DAG: @total = internal global i32
__constant__ float coefficients[4];
__managed__ int total;
texture<float, 2> image;
__global__ void kernel(float *p, int n) { p[n] = coefficients[n] + tex2D(image, 0.5f, 1.5f); }

// CHECK-LABEL: define {{.*}} @main(
int main() {
    float *p, h[4] = {};
    int grid, block;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>(); // public members keep their names
    if (desc.x != 32 || desc.f != cudaChannelFormatKindFloat) return 1;
    // CHECK: call i32 @cudaMalloc(
    cudaMalloc(&p, 16);
    // CHECK: call i32 @cudaMemcpyToSymbol(ptr {{.*}}@coefficients,
    cudaMemcpyToSymbol(coefficients, h, sizeof h);
    cudaBindTextureToArray(image, (cudaArray *)0);
    // CHECK: call i32 @cudaMemPrefetchAsync(
    cudaMemPrefetchAsync(p, 16, 0);
    // CHECK: call i32 @cudaMemPrefetchAsync_v2(
    cudaMemPrefetchAsync(p, 16, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0u);
    // CHECK: store i32 3, ptr @total
    total = 3;
    // CHECK: call i32 @__cudaPushCallConfiguration(
    kernel<<<dim3(1), 32>>>(p, 1);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
    cudaLaunchConfig_t config = {};
    // CHECK: call i32 @cudaLaunchKernelExC(
    cudaLaunchKernelEx(&config, kernel, p, 2);
    // CHECK: call i32 @cudaThreadSynchronize(
    return cudaThreadSynchronize() != cudaSuccess;
}
// CHECK-DAG: call void @__cudaRegisterVar({{.*}}@coefficients
// CHECK-DAG: call void @__cudaRegisterVar({{.*}}@total
// CHECK-DAG: call void @__cudaRegisterTexture({{.*}}@image
