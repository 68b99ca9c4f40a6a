// half from bfloat16 and back, by explicit conversion as with CUDA's headers: through float, all 65,536 values, on both sides.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %also { %cucpu --simd=1 %s -o %t && %run %t; }
#include <cuda_bf16.h>
#include <cstdio>
#include <type_traits>

static_assert(std::is_constructible<__half, __nv_bfloat16>::value && !std::is_convertible<__nv_bfloat16, __half>::value, "explicit");
static_assert(std::is_constructible<__nv_bfloat16, __half>::value && !std::is_convertible<__half, __nv_bfloat16>::value, "explicit");

template <class To, class From> __host__ __device__ To converted(From v) { return static_cast<To>(v); }
__host__ __device__ unsigned both(unsigned short i) {
    return __half_as_ushort(converted<__half>(__ushort_as_bfloat16(i))) | (unsigned)__bfloat16_as_ushort(converted<__nv_bfloat16>(__ushort_as_half(i))) << 16;
}
__host__ __device__ unsigned through_float(unsigned short i) {
    return __half_as_ushort(__float2half_rn(__bfloat162float(__ushort_as_bfloat16(i)))) |
           (unsigned)__bfloat16_as_ushort(__float2bfloat16_rn(__half2float(__ushort_as_half(i)))) << 16;
}
__global__ void convert(unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = both((unsigned short)i);
}

int main() {
    enum { N = 65536 };
    unsigned *out;
    int wrong = 0;
    cudaMallocManaged(&out, N * sizeof *out);
    convert<<<N / 256, 256>>>(out);
    if (cudaDeviceSynchronize()) return 1;
    for (int i = 0; i < N; i++) wrong += out[i] != through_float((unsigned short)i) || both((unsigned short)i) != out[i];
    wrong += (out[0x3f80] & 0xffff) != 0x3c00 || out[0x3c00] >> 16 != 0x3f80; /* 1 */
    wrong += (out[0x7f00] & 0xffff) != 0x7c00 || (out[0x7fc0] & 0xffff) != 0x7fff; /* too large, NaN */
    if (wrong) printf("%d wrong\n", wrong);
    return wrong != 0;
}
