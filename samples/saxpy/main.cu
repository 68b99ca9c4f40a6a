// saxpy: y = a*x + y over a million elements, checked against the host.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

static void check(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

int main() {
    const int n = 1000003;
    std::vector<float> x(n), y(n), result(n);
    for (int i = 0; i < n; i++) x[i] = float(i % 1000), y[i] = float(i % 7);
    float *dx, *dy;
    const size_t bytes = n * sizeof(float);
    check(cudaMalloc(&dx, bytes), "cudaMalloc");
    check(cudaMalloc(&dy, bytes), "cudaMalloc");
    check(cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    saxpy<<<(n + 255) / 256, 256>>>(n, 3.0f, dx, dy);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(result.data(), dy, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaFree(dx), "cudaFree");
    check(cudaFree(dy), "cudaFree");
    for (int i = 0; i < n; i++) {
        if (result[i] == 3.0f * x[i] + y[i]) continue; // small integers: exact
        std::printf("wrong at %d: %g\n", i, result[i]);
        return 1;
    }
    std::printf("saxpy: %d elements correct\n", n);
}
