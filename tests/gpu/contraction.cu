// Which products and sums become one rounding: a checksum of the bits of 4,096 results of each expression.
// REQUIRES: run, x86-64-v3
// RUN: %cucpu -w -std=c++17 %s -o %t && %run %t > %t.out && %python %S/Inputs/compare.py %S/Inputs/contraction.txt %S/Inputs/contraction.known %t.out
#include <cstdio>
#include <cstring>
#include <vector>
#define EXPRESSIONS(X)                                                                                                              \
    X(a * b + c) X(c + a * b) X(a * b - c) X(c - a * b) X(-(a * b) + c) X(-(a * b) - c) X(a * b + c * d) X(a * b - c * d) X(c * d - a * b)   \
    X(a * b + c * d + e) X(e + a * b + c * d) X(a * a + b * b) X(a * a + b * b + c * c) X((a + b) * c + d) X((a + b) * (a - b))     \
    X(a + b + c + d) X((a - b) * (a - b) + (c - d) * (c - d)) X(a * b * c + d) X(d + a * (b + c * e)) X(a * (b - c) + b)            \
    X(a / b) X(a / b + c) X(1 / a) X(c / (a * b + d)) X(a * 2 + b) X(2 * a - b) X(a * T(0.1) + b * T(0.9)) X(a - T(0.5) * b * c)    \
    X(((a * b + c) * d + e) * a + b) X(a += b * c, a * d) X(a > b ? a * b + c : c - a * b) X(fabs(a * b) - c) X(sqrt(a * a + b * b)) \
    X(a * (1 - b) + c * b) X((a + b) / 2) X(a * b + a * c) X(a * b + c + d * e) X(a + b * c - d * e) X(a - b * c * d)
template <class T> __global__ void all(const T *in, T *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (t >= n) return;
#define X(...) { T a = in[t], b = in[n + t], c = in[2 * n + t], d = in[3 * n + t], e = in[4 * n + t]; (void)d, (void)e, (void)c; out[k++ * n + t] = \
    (__VA_ARGS__); }
    EXPRESSIONS(X)
#undef X
    T s = 0;
    for (int i = 0; i < 32; i++) s += in[(t + i) % n] * in[n + (t * 7 + i) % n];
    out[k++ * n + t] = s;
    T p = 0, q = 1;
#pragma unroll 4
    for (int i = 0; i < 8; i++) p = p * in[t] + in[(t + i) % n], q = q - in[(t + i) % n] * p;
    out[k++ * n + t] = p;
    out[k++ * n + t] = q;
}
static const char *names[] = {
#define X(...) #__VA_ARGS__,
    EXPRESSIONS(X)
#undef X
    "dot", "horner", "steps"};
template <class T, class U> static void run(const char *type) {
    enum { N = 4096, K = sizeof names / sizeof *names };
    std::vector<T> in(5 * N), out(K * N);
    unsigned long long s = 88172645463325252ull;
    for (T &x : in) s ^= s << 13, s ^= s >> 7, s ^= s << 17, x = T(int(s >> 40) % 2000001 - 1000000) / T(997003);
    T *d, *o;
    cudaMalloc(&d, in.size() * sizeof(T)), cudaMalloc(&o, out.size() * sizeof(T));
    cudaMemcpy(d, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice);
    all<T><<<N / 128, 128>>>(d, o, N);
    cudaMemcpy(out.data(), o, out.size() * sizeof(T), cudaMemcpyDeviceToHost);
    for (int k = 0; k < K; k++) {
        unsigned long long h = 0;
        for (int i = 0; i < N; i++) {
            U u;
            memcpy(&u, &out[k * N + i], sizeof u);
            h = h * 0x9e3779b97f4a7c15ull + u;
        }
        printf("%s %s: %016llx\n", type, names[k], h);
    }
    cudaFree(d), cudaFree(o);
}
int main() {
    run<float, unsigned>("float");
    run<double, unsigned long long>("double");
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
