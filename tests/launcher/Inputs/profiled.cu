// What nvprof.test and nsys.test run.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>
template <class T> __global__ void scale(T *p, int n) {
    __shared__ T tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? p[i] : 0;
    __syncthreads();
    if (i < n) p[i] = 2 * tile[threadIdx.x];
}
__global__ void narrow(float *p) { p[threadIdx.x] += 1; }

int main(int argc, char **argv) {
    enum { N = 4096 };
    static float h[N];
    const char *how = argc > 1 ? argv[1] : "";
    float *p;
    cudaMalloc(&p, sizeof h);
    cudaMemset(p, 0, sizeof h);
    nvtxRangePushA("loop");
    for (int i = 0; i < 3; i++) scale<<<N / 256, 256, 1024>>>(p, N);
    nvtxRangePop();
    if (!strcmp(how, "range")) cudaProfilerStart();
    narrow<<<1, 24>>>(p);
    if (!strcmp(how, "range")) cudaProfilerStop();
    scale<<<1, 4096>>>(p, N);
    CUdevice d;
    int devices;
    cuInit(0), cuDeviceGet(&d, 0), cuDeviceGetCount(&devices);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    if (!strcmp(how, "3")) return 3;
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "_exit")) _exit(0);
    if (!strcmp(how, "child")) return system(argv[2]) != 0;
    if (!strcmp(how, "sleep")) sleep(30);
    puts("done");
    return h[0] != 1;
}
