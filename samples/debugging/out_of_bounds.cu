// The last block has more threads than there are elements left: the test of the index is missing.
#include <cstdio>

__global__ void twice(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i]; // right: if (i < n)
}

int main() {
    const int n = 1000;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    twice<<<(n + 255) / 256, 256>>>(in, out, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
}
