// The host half has declarations only of most device functions: they must serve kernels, templates and
// functions of both sides there, without a warning, and nothing but the device half may need the bodies.
// RUN: %cucpu -Wall -Wextra -Werror all-warnings %s -o %t && %t | FileCheck %s
// RUN: %cucpu -O0 -std=c++11 -rdc=true %s -o %t && %t | FileCheck %s
// CHECK: 3 right
#include <cstdio>
template <class T> __host__ __device__ T get(const T *p) {
#ifdef __CUDA_ARCH__
    return __ldg(p);
#else
    return *p;
#endif
}
inline __host__ __device__ unsigned only_in_kernels(const int *p) { return __ldg(p) + __vadd2(*p, 1); }
static __device__ float (*down)(float, float) = __fadd_rd;
__global__ void kernel(int *v, float *f) {
    int x = get(v + threadIdx.x) + (int)only_in_kernels(v);
    x = __shfl_xor_sync(~0u, x, 1) + (int)__vabs4(0xff);
    v[threadIdx.x] = x + atomicAdd(v + 32, 1) * 0;
    auto up = __fadd_ru;
    if (threadIdx.x == 0) f[0] = down(1, 1e-10f), f[1] = up(1, 1e-10f), f[2] = __expf(0);
}
__global__ void fetch(cudaTextureObject_t t, float *out) { *out = tex2D<float>(t, 1.f, 2.f); }
int main() {
    int *v, three = 3;
    float *f;
    cudaMallocManaged(&v, 33 * sizeof *v), cudaMallocManaged(&f, 3 * sizeof *f);
    for (int i = 0; i < 33; i++) v[i] = i;
    kernel<<<1, 32>>>(v, f);
    cudaDeviceSynchronize();
    bool right = v[32] == 64 && f[0] == 1 && f[1] > 1 && f[2] == 1;
    for (int i = 0; i < 32; i++) right &= v[i] == (i ^ 1) + 1 + 1;
    printf("%d %s\n", get(&three), right ? "right" : "wrong");
}
