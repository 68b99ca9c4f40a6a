// Loops through the grid that are written with pointers, in several spellings.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <cstdio>

struct Three { float x, y, z; };

__global__ void ends_at(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = blockDim.x * gridDim.x;
    float *q = y + i;
    for (const float *p = x + i, *e = x + n; p < e; p += s, q += s) *q = 2 * *p;
}
__global__ void end_given(const float *x, const float *end, float *y) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x, s = blockDim.x * gridDim.x;
    y += i;
    x += i;
    while (x < end) {
        *y = 2 * *x;
        x += s;
        y += s;
    }
}
__global__ void last_given(const float *x, const float *last, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (x += i, y += i; x <= last; x += blockDim.x * gridDim.x, y += blockDim.x * gridDim.x) *y = 2 * *x;
}
__global__ void sums(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (const float *p = x + i, *e = x + n; e > p; p += blockDim.x * gridDim.x) sum += *p;
    y[i] = sum;
}
__global__ void structures(int n, const Three *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = blockDim.x * gridDim.x;
    float *q = y + i;
    for (const Three *p = x + i, *e = x + n; p < e; p += s, q += s) *q = p->x + p->y + p->z;
}

static int wrong;

template <class F> static void check(int n, float *y, const char *name, F expected) {
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        if (y[i] != expected(i) && !wrong++) printf("%s: y[%d] = %g, not %g\n", name, i, y[i], expected(i));
    for (int i = 0; i < n; i++) y[i] = -1;
}

int main() {
    const int n = 10007, threads = 7 * 64;
    float *x, *y;
    cudaMallocManaged(&x, 3 * n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < 3 * n; i++) x[i] = i % 101;
    for (int i = 0; i < n; i++) y[i] = -1;
    auto twice = [=](int i) { return 2 * x[i]; };
    ends_at<<<7, 64>>>(n, x, y);
    check(n, y, "ends_at", twice);
    end_given<<<7, 64>>>(x, x + n, y);
    check(n, y, "end_given", twice);
    end_given<<<7, 64>>>(x, x, y);
    check(n, y, "nothing", [](int) { return -1.0f; });
    last_given<<<7, 64>>>(x, x + n - 1, y);
    check(n, y, "last_given", twice);
    sums<<<7, 64>>>(n, x, y);
    check(threads, y, "sums", [=](int i) {
        float sum = 0;
        for (; i < n; i += threads) sum += x[i];
        return sum;
    });
    structures<<<7, 64>>>(n, (const Three *)x, y);
    check(n, y, "structures", [=](int i) { return x[3 * i] + x[3 * i + 1] + x[3 * i + 2]; });
    return wrong != 0;
}
