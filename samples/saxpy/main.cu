// saxpy: y = a x + y, one thread per element.
#include "../common/sample.h"

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

static void saxpy_openmp(int n, float a, const float *x, float *y) {
#pragma omp parallel for simd
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "saxpy", "y = a x + y");
    const int n = sample.pick(100003, 1000003, 50000003);
    std::vector<float> x(n), y(n), want;
    for (int i = 0; i < n; i++) x[i] = float(i % 1000), y[i] = float(i % 7); // small integers: exact
    DeviceArray<float> dx(x), dy(n);
    Version cuda = {[&] { dy.set(y); }, [&] { saxpy<<<divide_up(n, 256), 256>>>(n, 3, dx, dy); }};
    Version openmp = {[&] { want = y; }, [&] { saxpy_openmp(n, 3, x.data(), want.data()); }};
    sample.run(cuda, openmp);
    sample.compare("elements", dy.get(), want);
    return sample.done();
}
