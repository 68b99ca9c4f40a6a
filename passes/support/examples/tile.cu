// options:
__global__ void transpose(int n, const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

int main() {
    transpose<<<dim3(4, 4), dim3(16, 16)>>>(64, nullptr, nullptr);
}
