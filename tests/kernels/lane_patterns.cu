// Addresses whose lanes lie in a pattern: butterflies, bit tricks, small strides, columns, in shared
// and in global memory, with all lanes on and with some of them off.
// REQUIRES: run
// RUN: %cucpu -DFEW %s -o %t && %run %t
// RUN: %rarely { %cucpu %s -o %t && %run %t; }
// RUN: %also { %cucpu --simd=8 -DFEW --cpu=x86-64-v3 --disable=unroll_loops,fold_addresses %s -o %t && timeout 60 %t; }
#include "check.h"

// Reads and writes x[p(t)] for some patterns p; `on` selects the threads that do.
template <class T> __device__ void mix(T *x, unsigned t, unsigned n, unsigned on) {
#define STEP(p, q)                                                                                             \
    {                                                                                                          \
        unsigned i = (p), j = (q);                                                                             \
        bool go = i < n && j < n && (on >> (t % 7) & 1);                                                       \
        T v = go ? x[i] : T(0);                                                                                \
        __syncthreads();                                                                                       \
        if (go) x[j] = T(v + T(t));                                                                            \
        __syncthreads();                                                                                       \
    }
    STEP(t, t ^ 1)
    STEP(t ^ 2, t)
    STEP(t ^ 5, t ^ 3)
    STEP(2 * t - (t & 3), 2 * t - (t & 3) + 4)
    STEP(2 * t - (t & 7) + 8, 2 * t - (t & 7))
    STEP(2 * t + 1, 2 * t)
    STEP(3 * t, 3 * t + 2)
    STEP((t & ~15) + 15 - (t & 15), t)
    STEP((t & 7) * 16 + (t >> 3), (t >> 3) * 17 + (t & 7))
    STEP(t & ~3, t)
    STEP(16 * t, 17 * t)
#undef STEP
}

template <class T> __global__ void shared_patterns(T *out, const T *in, unsigned on) {
    __shared__ T x[512];
    unsigned t = threadIdx.x, size = 512, base = blockIdx.x * size;
    for (unsigned i = t; i < size; i += blockDim.x) x[i] = in[base + i];
    __syncthreads();
    mix(x, t, size, on);
    for (unsigned i = t; i < size; i += blockDim.x) out[base + i] = x[i];
}

template <class T> __global__ void global_patterns(T *out, unsigned on) { mix(out + blockIdx.x * 512, threadIdx.x, 512, on); }

// The whole transform: strides that are halved to 1.
__global__ void walsh(float *x) {
    __shared__ float s[512];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 512 + t];
    s[t + 256] = x[blockIdx.x * 512 + t + 256];
    for (int stride = 256; stride > 0; stride /= 2) {
        __syncthreads();
        int low = t & (stride - 1), at = 2 * t - low;
        float a = s[at], b = s[at + stride];
        s[at] = a + b;
        s[at + stride] = a - b;
    }
    __syncthreads();
    x[blockIdx.x * 512 + t] = s[t];
    x[blockIdx.x * 512 + t + 256] = s[t + 256];
}

__global__ void sort(int *x) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    for (int size = 2; size <= 256; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int other = t ^ stride;
            if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
                int v = s[t];
                s[t] = s[other];
                s[other] = v;
            }
        }
    __syncthreads();
    x[blockIdx.x * 256 + t] = s[t];
}

// Atomics on shared memory, results used and not, all lanes and some.
__global__ void bins(const unsigned char *in, int n, int *count, int *order) {
    __shared__ int s[256], seen;
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    if (threadIdx.x == 0) seen = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int old = atomicAdd(&s[in[i]], 1 + (in[i] & 1));
        if (old == 0) atomicAdd(&seen, 1);
        atomicMax(&order[in[i]], old);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&count[i], s[i]);
    if (threadIdx.x == 0) atomicAdd(&count[256], seen);
}

// Much of the work is the same for all groups: they run in lockstep, but not through what one group
// reads and writes back.
__global__ void together(const float *a, int *count, float *other) {
    __shared__ int s[64];
    __shared__ float tile[64], x[256];
    int t = threadIdx.x;
    if (t < 64) s[t] = 0, tile[t] = a[t];
    x[t] = 0;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 64; i++) sum += tile[i] * a[i];
    atomicAdd(&s[(t * 5) & 7], (int)sum);
    x[(t & ~15) + (15 - (t & 15)) / 2 * 2 + (t & 1)] += sum;
    for (int i = 0; i < 64; i++) sum += tile[i] * 2;
    atomicAdd(&s[t & 3], 1);
    __syncthreads();
    if (t < 64) count[t] = s[t];
    other[t] = x[t];
}

static void in_lockstep() {
    float *a, *x;
    int *c;
    CUDA(cudaMallocManaged(&a, 64 * 4));
    CUDA(cudaMallocManaged(&c, 64 * 4));
    CUDA(cudaMallocManaged(&x, 256 * 4));
    int sum = 0;
    for (int i = 0; i < 64; i++) a[i] = float(i % 3), sum += i % 3 * (i % 3);
    together<<<1, 256>>>(a, c, x);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++) CHECK(c[i] == 32 * sum + (i < 4 ? 64 : 0));
    for (int i = 0; i < 256; i++) CHECK(x[i] == float(sum));
    CUDA(cudaFree(a));
    CUDA(cudaFree(c));
    CUDA(cudaFree(x));
}

// What mix does, between barriers thread by thread: no two threads write one element.
template <class T> static void expect_mix(T *x, unsigned threads, unsigned n, unsigned on) {
    auto step = [&](auto p, auto q) {
        std::vector<T> v(threads);
        auto go = [&](unsigned t) { return p(t) < n && q(t) < n && (on >> (t % 7) & 1); };
        for (unsigned t = 0; t < threads; t++)
            if (go(t)) v[t] = x[p(t)];
        for (unsigned t = 0; t < threads; t++)
            if (go(t)) x[q(t)] = T(v[t] + T(t));
    };
#define STEP(p, q) step([](unsigned t) { return p; }, [](unsigned t) { return q; });
    STEP(t, t ^ 1)
    STEP(t ^ 2, t)
    STEP(t ^ 5, t ^ 3)
    STEP(2 * t - (t & 3), 2 * t - (t & 3) + 4)
    STEP(2 * t - (t & 7) + 8, 2 * t - (t & 7))
    STEP(2 * t + 1, 2 * t)
    STEP(3 * t, 3 * t + 2)
    STEP((t & ~15) + 15 - (t & 15), t)
    STEP((t & 7) * 16 + (t >> 3), (t >> 3) * 17 + (t & 7))
    STEP(t & ~3, t)
    STEP(16 * t, 17 * t)
#undef STEP
}

template <class T> static void patterns() {
    const int blocks = 2, n = 512 * blocks;
    std::vector<T> in(n), got(n), want(n);
    T *a, *b;
    CUDA(cudaMalloc(&a, n * sizeof(T)));
    CUDA(cudaMalloc(&b, n * sizeof(T)));
    for (int i = 0; i < n; i++) in[i] = T(i * 7 % 100);
    for (unsigned threads : {1, 8, 31, 32, 33, 64, 100, 256})
        for (unsigned on : {127u, 0u, 0x55u, 1u}) {
            CUDA(cudaMemcpy(a, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
            shared_patterns<<<blocks, threads>>>(b, a, on);
            global_patterns<<<blocks, threads>>>(a, on);
            want = in;
            for (int k = 0; k < blocks; k++) expect_mix(&want[512 * k], threads, 512, on);
            CUDA(cudaMemcpy(got.data(), b, n * sizeof(T), cudaMemcpyDeviceToHost));
            CHECK(got == want);
            CUDA(cudaMemcpy(got.data(), a, n * sizeof(T), cudaMemcpyDeviceToHost));
            CHECK(got == want);
        }
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
}

static void transforms() {
    std::vector<float> f(1024);
    std::vector<int> x(1024);
    for (int i = 0; i < 1024; i++) f[i] = float(i % 17), x[i] = i * 7919 % 1009;
    float *df;
    int *dx;
    CUDA(cudaMalloc(&df, 4096));
    CUDA(cudaMalloc(&dx, 4096));
    CUDA(cudaMemcpy(df, f.data(), 4096, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dx, x.data(), 4096, cudaMemcpyHostToDevice));
    walsh<<<2, 256>>>(df);
    sort<<<4, 256>>>(dx);
    std::vector<float> gf(1024);
    std::vector<int> gx(1024);
    CUDA(cudaMemcpy(gf.data(), df, 4096, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(gx.data(), dx, 4096, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 1024; b += 512)
        for (int stride = 256; stride; stride /= 2)
            for (int t = 0; t < 256; t++) {
                int at = b + 2 * t - (t & (stride - 1));
                float p = f[at], q = f[at + stride];
                f[at] = p + q, f[at + stride] = p - q;
            }
    CHECK(gf == f);
    for (int b = 0; b < 1024; b += 256)
        for (int i = 1; i < 256; i++) CHECK(gx[b + i - 1] <= gx[b + i]);
    CUDA(cudaFree(df));
    CUDA(cudaFree(dx));
}

static void histograms() {
    const int n = 5000;
    std::vector<unsigned char> in(n);
    for (int i = 0; i < n; i++) in[i] = (unsigned char)(i * i % 251 & i % 13 * 20);
    unsigned char *d;
    int *c, *o, count[257], order[256];
    CUDA(cudaMalloc(&d, n));
    CUDA(cudaMalloc(&c, 257 * 4));
    CUDA(cudaMalloc(&o, 256 * 4));
    CUDA(cudaMemcpy(d, in.data(), n, cudaMemcpyHostToDevice));
    for (int threads : {32, 33, 100, 256}) {
        CUDA(cudaMemset(c, 0, 257 * 4));
        CUDA(cudaMemset(o, 0, 256 * 4));
        bins<<<1, threads>>>(d, n, c, o);
        CUDA(cudaMemcpy(count, c, 257 * 4, cudaMemcpyDeviceToHost));
        CUDA(cudaMemcpy(order, o, 256 * 4, cudaMemcpyDeviceToHost));
        int want[256] = {0}, different = 0;
        for (int v : in) want[v] += 1 + (v & 1);
        for (int v = 0; v < 256; v++) {
            different += want[v] > 0;
            CHECK(count[v] == want[v]);
            CHECK(want[v] == 0 || order[v] == want[v] - (1 + (v & 1)));
        }
        CHECK(count[256] == different);
    }
    CUDA(cudaFree(d));
    CUDA(cudaFree(c));
    CUDA(cudaFree(o));
}

int main() {
    patterns<float>();
    patterns<unsigned char>();
#ifndef FEW
    patterns<double>();
    patterns<short>();
#endif
    transforms();
    histograms();
    in_lockstep();
    return finish();
}
