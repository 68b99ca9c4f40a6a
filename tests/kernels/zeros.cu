// fmin and fmax: any NaN gives the other operand, signalling ones too; where the CPU has AVX-512, -0 is less than +0.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O0 --simd=2 -DNO_CONSTANTS %s -o %t.0 && %run %t.0; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v2 -DEITHER %s -o %t.v2 && %run %t.v2; }
// RUN: %also { %cucpu -O3 --disable=order_signed_zeros -DEITHER %s -o %t.off && %run %t.off; }
#include "check.h"
#include <limits>

enum { KINDS = 16, N = KINDS * KINDS, RESULTS = 8 };

__device__ float smaller(float x, float y) { return fminf(x, y); }
__device__ double smaller(double x, double y) { return fmin(x, y); }
__device__ float larger(float x, float y) { return fmaxf(x, y); }
__device__ double larger(double x, double y) { return fmax(x, y); }

template <class T> __global__ void extremes(const T *a, const T *b, T *out) {
    unsigned i = global_rank();
    T x = a[i], y = b[i], most = x, least = x;
    out[i] = larger(x, y), out[N + i] = smaller(x, y);
    out[2 * N + i] = max(x * y, x + y), out[3 * N + i] = larger(x, T(0)), out[4 * N + i] = smaller(T(-0.0), y), out[5 * N + i] = smaller(T(0), y);
    for (unsigned k = 0; k < 7; k++) most = max(most, b[(i + 3 * k) % N]), least = min(least, b[(i + 3 * k) % N]);
    out[6 * N + i] = most, out[7 * N + i] = least;
}

template <class T> static T greater(T x, T y) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? y : x;
    return x == y ? (std::signbit(x) ? y : x) : x > y ? x : y;
}
template <class T> static T lesser(T x, T y) { return -greater(-x, -y); }

template <class T> static bool same(T got, T want, bool constant) {
    if (std::isnan(want)) return std::isnan(got);
    bool either = want == 0 && !constant;
#ifdef NO_CONSTANTS /* nothing is inlined */
    either = want == 0;
#endif
#ifndef EITHER
    either = either && !__builtin_cpu_supports("avx512dq");
#endif
    return got == want && (either || std::signbit(got) == std::signbit(want));
}

template <class T> static void test(T signalling) {
    const T inf = std::numeric_limits<T>::infinity(), least = std::numeric_limits<T>::denorm_min();
    const T kinds[KINDS] = {0, T(-0.0), inf, -inf, T(NAN), T(-NAN), signalling, 1, -1, least, -least, 2, -3, std::numeric_limits<T>::max(), T(0), T(-0.0)};
    std::vector<T> a(N), b(N);
    for (int i = 0; i < N; i++) std::memcpy(&a[i], &kinds[i / KINDS], sizeof(T)), std::memcpy(&b[i], &kinds[i % KINDS], sizeof(T));
    Buffer<T> da(a), db(b), out(RESULTS * N);
    extremes<<<2, N / 2>>>(da.device, db.device, out.device);
    auto got = out.get();
    for (int i = 0; i < N; i++) {
        T x = a[i], y = b[i], most = x, smallest = x;
        for (int k = 0; k < 7; k++) most = greater(most, b[(i + 3 * k) % N]), smallest = lesser(smallest, b[(i + 3 * k) % N]);
        T want[RESULTS] = {greater(x, y), lesser(x, y), greater(x * y, x + y), greater(x, T(0)), lesser(T(-0.0), y), lesser(T(0), y), most, smallest};
        for (int k = 0; k < RESULTS; k++) {
            bool ok = same(got[k * N + i], want[k], k == 3 || k == 4);
            CHECK(ok);
            if (!ok && failures < 20) std::printf("... result %d of %g, %g: %g, not %g\n", k, double(x), double(y), double(got[k * N + i]), double(want[k]));
        }
    }
}

int main() {
    const unsigned f = 0xff800001;
    const unsigned long long d = 0x7ff0000000000001;
    float signalling_f;
    double signalling_d;
    std::memcpy(&signalling_f, &f, 4), std::memcpy(&signalling_d, &d, 8);
    test<float>(signalling_f);
    test<double>(signalling_d);
    return finish();
}
