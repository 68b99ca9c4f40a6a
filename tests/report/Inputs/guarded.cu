__global__ void plain(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    x[i] = v / (v + 1) + sqrtf(v);
}
__global__ void guarded(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        x[i] = v / (v + 1) + sqrtf(v);
    }
}
