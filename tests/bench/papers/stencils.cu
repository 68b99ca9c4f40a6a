// Kernels of the evaluation of TensorRV (Moll 2021, chapter 13.4), each thread an element of T: stencils of 5, 9 and 25 points, 5 of
// them where a flag says so, and the transposition; with the plain product of matrices.
//     stencils KERNEL N
// prints the CPU microseconds of a launch over N x N elements.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <ctime>
#include <vector>

enum { BORDER = 2, ROW = 32, ROWS = 8, TILE = 16 };
#define IN const T *__restrict__
#define BOTH __host__ __device__ inline
#define INDEX int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

BOTH T points(IN a, int pitch, int x, int y, int reach) {
    T sum = 0;
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++) sum += a[(y + i) * pitch + x + j];
    return sum;
}
BOTH T cross(IN a, int pitch, int x, int y) {
    return a[y * pitch + x] + a[y * pitch + x - 1] + a[y * pitch + x + 1] + a[(y - 1) * pitch + x] + a[(y + 1) * pitch + x];
}
BOTH void jacobi5(T *__restrict__ o, IN a, IN, int n, int x, int y) {
    o[y * n + x] = cross(a, n + 2 * BORDER, x + BORDER, y + BORDER) / 5;
}
BOTH void sparse5(T *__restrict__ o, IN a, IN b, int n, int x, int y) {
    if (b[y * n + x] > 0) o[y * n + x] = cross(a, n + 2 * BORDER, x + BORDER, y + BORDER) / 5;
}
BOTH void jacobi9(T *__restrict__ o, IN a, IN, int n, int x, int y) {
    o[y * n + x] = points(a, n + 2 * BORDER, x + BORDER, y + BORDER, 1) / 9;
}
BOTH void points25(T *__restrict__ o, IN a, IN b, int n, int x, int y) {
    T sum = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) sum += b[i * 5 + j] * a[(y + i) * (n + 2 * BORDER) + x + j];
    o[y * n + x] = sum;
}
BOTH void transpose(T *__restrict__ o, IN a, IN, int n, int x, int y) { o[x * n + y] = a[y * n + x]; }
BOTH void product(T *__restrict__ o, IN a, IN b, int n, int x, int y) {
    T sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    o[y * n + x] = sum;
}
#define KERNEL(f)                                                                                                                         \
    __global__ void f##_kernel(T *__restrict__ o, IN a, IN b, int n) {                                                                    \
        INDEX;                                                                                                                            \
        f(o, a, b, n, x, y);                                                                                                              \
    }
KERNEL(jacobi5) KERNEL(sparse5) KERNEL(jacobi9) KERNEL(points25) KERNEL(transpose) KERNEL(product)

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static T *array(size_t n) {
    T *p = nullptr;
    if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) exit(1);
    for (size_t i = 0; i < n; i++) p[i] = (T)(i * 37 % 101) / 64 - (T)0.5;
    return p;
}
int main(int arguments, char **argument) {
    static const struct {
        const char *name;
        void (*kernel)(T *, const T *, const T *, int), (*host)(T *, const T *, const T *, int, int, int);
        dim3 block;
    } KERNELS[] = {{"jacobi5", jacobi5_kernel, jacobi5, dim3(ROW, ROWS)},       {"sparse5", sparse5_kernel, sparse5, dim3(ROW, ROWS)},
                   {"jacobi9", jacobi9_kernel, jacobi9, dim3(ROW, ROWS)},       {"points25", points25_kernel, points25, dim3(ROW, ROWS)},
                   {"transpose", transpose_kernel, transpose, dim3(TILE, TILE)}, {"product", product_kernel, product, dim3(TILE, TILE)}};
    int n = arguments == 3 ? atoi(argument[2]) : 0;
    if (n <= 0 || n % ROW) return fprintf(stderr, "stencils KERNEL N, a multiple of %d\n", ROW), 1;
    size_t all = (size_t)(n + 2 * BORDER) * (n + 2 * BORDER);
    T *o = array(all), *a = array(all), *b = array(all);
    for (auto &k : KERNELS) {
        if (strcmp(k.name, argument[1])) continue;
        auto launch = [&] { k.kernel<<<dim3(n / k.block.x, n / k.block.y), k.block>>>(o, a, b, n), cudaDeviceSynchronize(); };
        std::vector<T> expected(o, o + all);
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) k.host(expected.data(), a, b, n, x, y);
        launch();
        for (size_t i = 0; i < all; i++)
            if (!(std::fabs(o[i] - expected[i]) <= 1e-4 * n)) return fprintf(stderr, "%s: element %zu is wrong\n", k.name, i), 1;
        std::vector<double> times;
        for (double start = seconds(); times.size() < 5 || seconds() - start < 0.05;) {
            double from = seconds();
            launch();
            times.push_back(seconds() - from);
        }
        std::sort(times.begin(), times.end());
        return printf("%.3f\n", 1e6 * times[times.size() / 2]), 0;
    }
    return fprintf(stderr, "no kernel %s\n", argument[1]), 1;
}
