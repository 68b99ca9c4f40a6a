// Products of shorts and bytes in 64 bits, kept and shifted: what is taken out by the shift has the sign of the product.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: for way in "--simd=1 --cpu=x86-64-v3" "--simd=8 --cpu=x86-64-v2"; do %cucpu -O3 $way %s -o %t && %run %t || exit 1; done
#include "check.h"

static const int N = 1024;

// The product of a[i] and b[i] (or g), summed up, and a part of it.
#define KERNEL(name, A, B, R, factor, part)                                                                                        \
    __global__ void name(const A *a, const B *b, B g, long long *sum, R *out, int n) {                                             \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                             \
        if (i >= n) return;                                                                                                        \
        long long p = (long long)a[i] * factor;                                                                                    \
        sum[i] += p;                                                                                                               \
        out[i] = part;                                                                                                             \
    }                                                                                                                              \
    static R name##_of(A a, B b, B g) {                                                                                            \
        volatile long long p = (long long)a * (sizeof #factor == 2 ? g : b);                                                       \
        return part;                                                                                                               \
    }                                                                                                                              \
    static long long name##_product(A a, B b, B g) { return (long long)a * (sizeof #factor == 2 ? g : b); }

KERNEL(scaled, short, short, short, b[i], short(p >> 18))
KERNEL(by_gain, short, short, short, g, short(p >> 20))
KERNEL(of_bytes, unsigned char, short, short, b[i], short(p >> 17))
KERNEL(far, short, short, short, b[i], short(p >> 40))
KERNEL(upper_word, short, short, unsigned long long, b[i], (unsigned long long)p >> 16)
KERNEL(words, short, short, int, b[i], int(p >> 16))
KERNEL(mixed, short, short, unsigned long long, b[i], (unsigned long long)p ^ (unsigned long long)p >> 16)
KERNEL(without_sign, unsigned short, unsigned short, unsigned short, b[i], (unsigned short)(p >> 18))

__global__ void in_128_bits(const short *a, const short *b, short, long long *sum, short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __int128 p = (__int128)a[i] * b[i];
    sum[i] += (long long)p;
    out[i] = short(p >> 40);
}
static short in_128_bits_of(short a, short b, short) {
    volatile long long p = (long long)a * b;
    return short(p >> 40);
}
static long long in_128_bits_product(short a, short b, short) { return (long long)a * b; }

template <class A, class B, class R>
static void run(const char *name, void (*k)(const A *, const B *, B, long long *, R *, int), R (*of)(A, B, B), long long (*product)(A, B, B)) {
    A *a;
    B *b;
    R *out;
    long long *sum;
    CUDA(cudaMallocManaged(&a, N * sizeof *a));
    CUDA(cudaMallocManaged(&b, N * sizeof *b));
    CUDA(cudaMallocManaged(&out, N * sizeof *out));
    CUDA(cudaMallocManaged(&sum, N * sizeof *sum));
    unsigned s = 1;
    for (int i = 0; i < N; i++) {
        s = s * 1664525u + 1013904223u, a[i] = A(s >> 16);
        s = s * 1664525u + 1013904223u, b[i] = B(s >> 16);
        sum[i] = i;
    }
    B g = B(-12345);
    k<<<N / 128, 128>>>(a, b, g, sum, out, N);
    CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += sum[i] != i + product(a[i], b[i], g) || out[i] != of(a[i], b[i], g);
    if (wrong) std::printf("%s: %d\n", name, wrong);
    CHECK(wrong == 0);
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
    CUDA(cudaFree(out));
    CUDA(cudaFree(sum));
}

int main() {
#define RUN_ONE(name) run(#name, name, name##_of, name##_product);
    RUN_ONE(scaled) RUN_ONE(by_gain) RUN_ONE(of_bytes) RUN_ONE(far) RUN_ONE(upper_word) RUN_ONE(words) RUN_ONE(mixed) RUN_ONE(without_sign) RUN_ONE(in_128_bits)
    return finish();
}
