// options: --cpu=x86-64-v3
__global__ void report(const int *x) {
    if (x[threadIdx.x] < 0) printf("thread %d: %d\n", threadIdx.x, x[threadIdx.x]);
}
