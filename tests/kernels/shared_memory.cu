// Static and dynamic shared memory of several types and alignments.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

struct Pair {
    double weight;
    char tag;
};
template <class T> struct Dynamic {
    __device__ static T *get() {
        extern __shared__ __align__(16) unsigned char raw[];
        return reinterpret_cast<T *>(raw);
    }
};

template <class T> __global__ void dynamic(T *out) {
    T *s = Dynamic<T>::get();
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    s[t] = T(t * 3 + 1);
    __syncthreads();
    out[global_rank()] = s[n - 1 - t];
}

__global__ void mixed(double *out, int *misaligned) {
    __shared__ char bytes[1024];
    __shared__ double numbers[1024];
    __shared__ Pair pairs[64];
    __shared__ float4 vectors[64];
    extern __shared__ short tail[];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    bytes[t] = char(t);
    numbers[t] = t * 0.5;
    tail[t] = short(t * 2);
    if (t < 64) {
        pairs[t].weight = t;
        pairs[t].tag = char(t + 1);
        vectors[t] = make_float4(t, t + 1, t + 2, t + 3);
    }
    size_t where = size_t(numbers) % 8 + size_t(pairs) % 8 + size_t(vectors) % 16 + size_t(tail) % 2;
    if (where) *misaligned = 1;
    __syncthreads();
    unsigned o = n - 1 - t;
    double v = bytes[o] + numbers[o] + tail[o];
    if (o < 64 && n > 64) v += pairs[o].weight + pairs[o].tag + vectors[o].x + vectors[o].w;
    out[global_rank()] = v;
}

__global__ void sizes(unsigned *out) {
    extern __shared__ int s[];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    int *a = s, *b = s + n;
    a[t] = int(t), b[t] = int(2 * t);
    __syncthreads();
    out[global_rank()] = unsigned(a[(t + 1) % n] + b[(t + 2) % n]);
}

template <class T> static void run(dim3 block, unsigned n) {
    Buffer<T> out(2 * n);
    std::vector<T> want(2 * n);
    for (unsigned i = 0; i < 2 * n; i++) want[i] = T((n - 1 - i % n) * 3 + 1);
    dynamic<T><<<2, block, n * sizeof(T)>>>(out);
    SAME(out.get(), want);
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        run<unsigned char>(block, n);
        run<short>(block, n);
        run<float>(block, n);
        run<double>(block, n);
        Buffer<double> out(2 * n);
        Buffer<int> misaligned(1);
        std::vector<double> want(2 * n);
        for (unsigned i = 0; i < 2 * n; i++) {
            unsigned o = n - 1 - i % n;
            want[i] = double((signed char)o) + o * 0.5 + short(o * 2);
            if (o < 64 && n > 64) want[i] += o + double(o + 1) + o + (o + 3);
        }
        mixed<<<2, block, n * sizeof(short)>>>(out, misaligned);
        SAME(out.get(), want);
        CHECK(misaligned.get()[0] == 0);
        Buffer<unsigned> sums(2 * n);
        std::vector<unsigned> want_sums(2 * n);
        for (unsigned i = 0; i < 2 * n; i++) want_sums[i] = (i % n + 1) % n + 2 * ((i % n + 2) % n);
        sizes<<<2, block, 2 * n * sizeof(int)>>>(sums);
        SAME(sums.get(), want_sums);
    });
    return finish();
}
