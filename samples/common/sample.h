/* sample.h: what the samples share: error checks, device arrays, a clock, the verdict at the end.
** A sample takes its size as its first argument and prints "name: ok" with the time of its kernels. */
#ifndef SAMPLE_H
#define SAMPLE_H
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA(call) sample_check(call, #call, __FILE__, __LINE__)
static inline void sample_check(cudaError_t status, const char *what, const char *file, int line) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(status));
    std::exit(2);
}

static inline int sample_size(int argc, char **argv, int normal) {
    int n = argc > 1 ? std::atoi(argv[1]) : normal;
    if (n > 0) return n;
    std::fprintf(stderr, "usage: %s [size]\n", argv[0]);
    std::exit(2);
}

template <class T> struct DeviceArray {
    T *data = nullptr;
    size_t count;
    explicit DeviceArray(size_t n) : count(n) { CUDA(cudaMalloc(&data, n * sizeof(T))); }
    explicit DeviceArray(const std::vector<T> &v) : DeviceArray(v.size()) {
        CUDA(cudaMemcpy(data, v.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray &) = delete;
    ~DeviceArray() { cudaFree(data); }
    operator T *() const { return data; }
    std::vector<T> get() const {
        std::vector<T> v(count);
        CUDA(cudaMemcpy(v.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

struct Stopwatch {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    double stop() const { /* milliseconds, when the device has finished */
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
};

/* Deterministic numbers in [0, 1). */
struct Numbers {
    unsigned state = 12345;
    float next() { return float((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0f; }
    int below(int n) { return int(next() * float(n)); }
};

static inline size_t count_wrong(const std::vector<float> &got, const std::vector<float> &want, float tolerance) {
    size_t wrong = 0;
    for (size_t i = 0; i < want.size(); i++)
        if (!(std::fabs(got[i] - want[i]) <= tolerance * (1 + std::fabs(want[i])))) wrong++;
    return wrong;
}

static inline int verdict(const char *name, size_t wrong, double milliseconds) {
    if (wrong) std::printf("%s: %zu values are wrong\n", name, wrong);
    else std::printf("%s: ok, %.2f ms\n", name, milliseconds);
    return wrong != 0;
}
#endif
