// options: -O3
__global__ void sums(float *out, const float *in, int n, int squares) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        float v = in[k * 256 + i];
        if (squares) v = sqrtf(v);
        sum += v;
    }
    out[i] = sum;
}

void launch(float *out, const float *in, int n, int squares) { sums<<<1, 256>>>(out, in, n, squares); }
