// Recursion, function pointers, virtual functions, templates and lambdas in device code.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

__device__ unsigned long long factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }

__device__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__global__ void recursion(unsigned long long *out) {
    out[global_rank()] = factorial(threadIdx.x % 15) + unsigned(ackermann(2, int(thread_rank() % 4)));
}

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int minus(int a, int b) { return a - b - int(threadIdx.x); }
__device__ Operation operations[3] = {add, multiply, minus};

__global__ void pointers(int *out) {
    unsigned i = global_rank();
    int r = operations[blockIdx.x % 3](int(i), 3);
    if (i % 2) r += operations[i % 3](r, int(i));
    out[i] = r;
}

struct Shape {
    float size;
    __device__ explicit Shape(float s) : size(s) {}
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    __device__ explicit Square(float s) : Shape(s) {}
    __device__ float area() const override { return size * size; }
};
struct Triangle : Shape {
    float height;
    __device__ Triangle(float s, float h) : Shape(s), height(h) {}
    __device__ float area() const override { return size * height / 2; }
};

__global__ void virtuals(float *out) {
    unsigned i = global_rank();
    Square square{float(i % 10)};
    Triangle triangle{float(i % 10), 4};
    const Shape *s = &square;
    if (i % 3 == 0) s = &triangle;
    out[i] = s->area();
}

template <int N, class F> __global__ void apply(int *out, F f) {
    unsigned i = global_rank();
    int v[N];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = f(int(i), k);
    int sum = 0;
    for (int k = 0; k < N; k++) sum = sum * 3 + v[k];
    out[i] = sum;
}

struct Affine {
    int factor;
    __device__ int operator()(int i, int k) const { return i * factor + k; }
};

int main() {
    each_shape([](dim3 block, unsigned threads) {
        const unsigned n = 4 * threads;
        static const int ackermann2[] = {3, 5, 7, 9};
        Buffer<unsigned long long> big(n);
        Buffer<int> out(n);
        Buffer<float> areas(n);
        std::vector<unsigned long long> want_big(n);
        std::vector<int> want(n), folded(n);
        std::vector<float> want_areas(n);
        auto operation = [](unsigned which, int a, int b, int x) { return which == 0 ? a + b : which == 1 ? a * b : a - b - x; };
        for (unsigned i = 0; i < n; i++) {
            unsigned t = i % threads, x = t % block.x;
            unsigned long long f = 1;
            for (unsigned k = 2; k <= x % 15; k++) f *= k;
            want_big[i] = f + unsigned(ackermann2[t % 4]);
            want[i] = operation(i / threads % 3, int(i), 3, int(x));
            if (i % 2) want[i] += operation(i % 3, want[i], int(i), int(x));
            float s = float(i % 10);
            want_areas[i] = i % 3 ? s * s : s * 2;
            for (int k = 0; k < 4; k++) folded[i] = folded[i] * 3 + int(i) * 5 + k;
        }
        recursion<<<4, block>>>(big);
        SAME(big.get(), want_big);
        pointers<<<4, block>>>(out);
        SAME(out.get(), want);
        virtuals<<<4, block>>>(areas);
        SAME(areas.get(), want_areas);
        apply<4><<<4, block>>>(out, Affine{5});
        SAME(out.get(), folded);
        int factor = 5;
        apply<4><<<4, block>>>(out, [=] __device__(int i, int k) { return i * factor + k; });
        SAME(out.get(), folded);
    });
    return finish();
}
