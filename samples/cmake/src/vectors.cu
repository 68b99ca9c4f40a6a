#include "vectors.h"
#include "polynomial.h"
#include <stdexcept>

namespace {
void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T> class Device {
  public:
    explicit Device(size_t count) { check(cudaMalloc(&data_, (count ? count : 1) * sizeof(T))); }
    explicit Device(const std::vector<T> &v) : Device(v.size()) {
        check(cudaMemcpy(data_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Device() { cudaFree(data_); }
    Device(const Device &) = delete;
    T *get() const { return data_; }
    std::vector<T> copy(size_t count) const {
        std::vector<T> v(count);
        check(cudaMemcpy(v.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }

  private:
    T *data_ = nullptr;
};

constexpr int THREADS = 256;

__global__ void evaluate_all(const float *coefficients, int count, const float *x, float *y, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) y[i] = polynomial(coefficients, count, x[i]);
}

__global__ void dot_parts(const float *a, const float *b, double *sum, int n) {
    __shared__ double s[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
    s[t] = i < n ? double(a[i]) * b[i] : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sum, s[0]);
}

int blocks_of(size_t n) { return int((n + THREADS - 1) / THREADS); }
} // namespace

std::vector<float> vectors::evaluate(const std::vector<float> &coefficients, const std::vector<float> &x) {
    if (x.empty()) return {};
    Device<float> c(coefficients), in(x), out(x.size());
    evaluate_all<<<blocks_of(x.size()), THREADS>>>(c.get(), int(coefficients.size()), in.get(), out.get(),
                                                   int(x.size()));
    check(cudaGetLastError());
    return out.copy(x.size());
}

double vectors::dot(const std::vector<float> &a, const std::vector<float> &b) {
    if (a.size() != b.size()) throw std::invalid_argument("dot: vectors of different lengths");
    if (a.empty()) return 0;
    Device<float> da(a), db(b);
    Device<double> sum(std::vector<double>{0});
    dot_parts<<<blocks_of(a.size()), THREADS>>>(da.get(), db.get(), sum.get(), int(a.size()));
    check(cudaGetLastError());
    return sum.copy(1)[0];
}
