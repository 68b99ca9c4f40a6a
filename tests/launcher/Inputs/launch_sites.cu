__global__ void k(float *a, int n) { a[(threadIdx.y * blockDim.x + threadIdx.x) * n] = n; }
namespace inner {
template <int B> __global__ void t(float *a) { a[threadIdx.y * B + threadIdx.x] = B; }
}
extern "C" __global__ void nobody_knows(float *a) { a[threadIdx.x] = 1; }
int main(int argc, char **argv) {
    float *a;
    cudaMalloc(&a, 4096);
    const int B = 8;
    dim3 block(B, B), grid(1, 1), other;
    inner::t<B><<<grid, block>>>(a);
    other.x = 16;
    other.y = 4;
    k<<<1, other>>>(a, argc > 1 ? 2 : 3);
    int threads = 256;
    if (argc > 5) threads = 128;
    nobody_knows<<<4, threads>>>(a);
    k<<<1, dim3(2, 2, 2), 100>>>(a, 2);
    void *arguments[] = {&a, &argc};
    cudaLaunchKernel(k, dim3(1), dim3(32, 2, 1), arguments, 0, 0);
    k<<<1, threads>>>(a, 2);
}
