// The overloads that C++ adds to the C functions: of floats, and of whole numbers, which libstdc++ hands to builtins.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %t
// RUN: %also { %cucpu --simd=1 -ftz=true %s -o %t.ftz && %t.ftz; }
#include "check.h"
#include <climits>

static const float values[] = {1, 2, 3, 0.5f, 1e38f, 0, -0.0f, -7, 0.75f, INFINITY, -INFINITY, NAN, 1e-30f, 2.5e-38f};
enum { N = sizeof values / sizeof *values, F = 6, I = 4 };

template <class T> struct Answers {
    T f[F];
    int i[I];
};

template <class T> __global__ void overloads(const float *v, Answers<T> *out) {
    int k = threadIdx.x, n = k * 37 - 100;
    if (k >= N) return;
    T x = v[k], y = v[(k + 5) % N];
    T f[F] = {fdim(x, y), std::nextafter(x, y), logb(x), scalbn(x, k - 5), std::scalbln(x, 3L - k), (T)std::logb(n)};
    int i[I] = {ilogb(x), std::ilogb(y), std::ilogb(n), (int)std::fdim(n, 3)};
    for (int j = 0; j < F; j++) out[k].f[j] = f[j];
    for (int j = 0; j < I; j++) out[k].i[j] = i[j];
}

static int whole(double r) { return r == r ? r < INT_MIN ? INT_MIN : r > INT_MAX ? INT_MAX : (int)r : INT_MIN; }

template <class T> static void test() {
    std::vector<float> v(values, values + N);
    Buffer<float> d(v);
    Buffer<Answers<T>> out(N);
    overloads<T><<<1, 32>>>(d, out);
    auto got = out.get();
    for (int k = 0; k < N; k++) {
        T x = values[k], y = values[(k + 5) % N];
        int n = k * 37 - 100;
        T f[F] = {std::fdim(x, y), std::nextafter(x, y), std::logb(x), std::scalbn(x, k - 5), std::scalbln(x, 3L - k), (T)std::logb(n)};
        int i[I] = {whole(std::logb(x)), whole(std::logb(y)), whole(std::logb(n)), (int)std::fdim(n, 3)};
        for (int j = 0; j < F; j++) {
            bool flushed = std::fpclassify(f[j]) == FP_SUBNORMAL || (x == 0 && j == 1);
            CHECK(flushed || got[k].f[j] == f[j] || (got[k].f[j] != got[k].f[j] && f[j] != f[j]));
        }
        for (int j = 0; j < I; j++) CHECK(got[k].i[j] == (values[(k + 5 * (j == 1)) % N] == 0 && j < 2 ? INT_MIN : i[j]));
    }
}

int main() {
    test<float>();
    test<double>();
    return finish();
}
