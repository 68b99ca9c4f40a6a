// options: --cpu=x86-64-v3 --disable=swap_block
__global__ void sum_columns(float *x, const float *y) {
    __shared__ float tile[16][33];
    int i = threadIdx.x;
    for (int k = 0; k < 32; k++) tile[i][k] = y[k * 16 + i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 32; k++) sum += tile[i][k] * tile[i][(k + 1) % 32];
    x[i] = sum;
}
void launch(float *x, float *y) { sum_columns<<<1, 16>>>(x, y); }
