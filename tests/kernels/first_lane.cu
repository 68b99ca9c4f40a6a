// All lanes of a warp store to one place, each its own value: which one stays is open in CUDA; as on an H200 it is that of the first lane that
// stores. Programs rely on it unknowingly: behind a reduction by __shfl_down_sync only the first lane has the sum.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %also { %cucpu --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3; }
#include "check.h"

__global__ void sums(const float *in, float *out, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 32) sum += in[row * columns + i];
    for (int by = 16; by; by /= 2) sum += __shfl_down_sync(~0u, sum, by);
    out[row] = sum;
}

__global__ void some(int *out, unsigned mask) {
    int lane = threadIdx.x % 32;
    __shared__ int s[32];
    if (mask >> lane & 1) out[threadIdx.x / 32] = s[threadIdx.x / 32] = lane + 1;
    __syncwarp();
    out[8 + threadIdx.x / 32] = s[threadIdx.x / 32];
}

int main() {
    const int rows = 24, columns = 100;
    std::vector<float> in(rows * columns), want(rows);
    for (int i = 0; i < rows * columns; i++) in[i] = float(i % 17), want[i / columns] += in[i];
    Buffer<float> d(in), sum(rows);
    sums<<<rows / 4, dim3(32, 4)>>>(d, sum, columns);
    SAME(sum.get(), want);
    for (unsigned mask : {0xffffffffu, 0xfffffff0u, 0x80000000u, 0x00010100u}) {
        Buffer<int> out(16);
        some<<<1, 64>>>(out, mask);
        std::vector<int> got = out.get();
        int first = __builtin_ctz(mask) + 1;
        CHECK(got[0] == first && got[1] == first && got[8] == first && got[9] == first);
    }
    return finish();
}
