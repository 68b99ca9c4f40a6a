// options: --cpu=x86-64-v3
__global__ void walk(float *x, int items, int rare) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < items; k++) {
        int steps = (i + k) % 32 < rare ? 50 : 0;
        for (int s = 0; s < steps; s++) v = sinf(v) + sqrtf(v);
        v += 1;
    }
    x[i] = v;
}
