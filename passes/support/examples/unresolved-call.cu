// options: --cpu=x86-64-v3
template <int N> __device__ float power(float x) { return power<N - 1>(x) * x; }
template <> __device__ float power<0>(float) { return 1; }
#define FOUR(n) power<n>, power<n + 1>, power<n + 2>, power<n + 3>
__device__ float (*powers[])(float) = {FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16)};
__global__ void raise(float *x, const int *exponent) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float (*power_of)(float) = powers[exponent[i]];
    x[i] = power_of(x[i]);
}
