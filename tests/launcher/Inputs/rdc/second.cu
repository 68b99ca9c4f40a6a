// A library with a device link of its own: see rdc.test.
extern __device__ int add_offset(int x);
__device__ int calls;
__global__ void second_kernel(int *p) { *p = add_offset(10) + ++calls; }

int second() {
    int *p, more = 100;
    if (cudaMemcpyToSymbol(calls, &more, sizeof more) || cudaMallocManaged(&p, sizeof *p)) return -1;
    second_kernel<<<1, 1>>>(p);
    return cudaDeviceSynchronize() ? -2 : *p;
}
