// A barrier in a branch that only some threads of the block take.
#include <cstdio>

__global__ void tree(float *data, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = t < n ? data[t] : 0;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2)
        if (t < half) {
            s[t] += s[t + half];
            __syncthreads(); // right: after the branch
        }
    if (t == 0) data[0] = s[0];
}

int main() {
    float *data;
    cudaMalloc(&data, 128 * sizeof(float));
    cudaMemset(data, 0, 128 * sizeof(float));
    tree<<<1, 128>>>(data, 128);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(data);
}
