// options: --simd=8
__global__ void count_digits(int *x, const int *digit, int n) {
    int counts[10] = {0}, most = 0;
    for (int k = 0; k < n; k++) counts[digit[k * blockDim.x + threadIdx.x]]++;
    for (int k = 0; k < 10; k++) most = max(most, counts[k]);
    x[threadIdx.x] = most;
}
