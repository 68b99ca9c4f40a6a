// Conversions of floats to integers saturate, at the limits of each integer type and beyond.
// REQUIRES: run
// RUN: for w in 1 8 16; do for c in x86-64-v2 native; do %cucpu --simd=$w --cpu=$c %s -o %t && %run %t || exit 1; done; done
#include <cmath>
#include <cstdio>

// Both spellings: the functions, and casts of the language.
struct Results {
    int fi, di;
    unsigned fu, du;
    long long fl, dl;
    unsigned long long ful, dul;
};

__global__ void cast(const double *x, Results *r) {
    int i = threadIdx.x;
    double d = x[i];
    float f = (float)d;
    r[i] = {(int)f, (int)d, (unsigned)f, (unsigned)d, (long long)f, (long long)d, (unsigned long long)f, (unsigned long long)d};
}

__global__ void convert(const double *x, Results *r) {
    int i = threadIdx.x;
    double d = x[i];
    float f = (float)d;
    r[i] = {__float2int_rz(f),  __double2int_rz(d), __float2uint_rz(f), __double2uint_rz(d),
            __float2ll_rz(f),   __double2ll_rz(d),  __float2ull_rz(f),  __double2ull_rz(d)};
}

// The nearest integer towards zero in [low, high]; NaN: 0 from float to 32 bits, else the sign bit alone.
template <typename T, typename F> static T expected(F v, T low, T high) {
    if (std::isnan(v)) return sizeof(T) < 8 && sizeof(F) < 8 ? 0 : (T)(1ull << (8 * sizeof(T) - 1));
    __int128 wide = v > 1e30 ? (__int128)1 << 100 : v < -1e30 ? -((__int128)1 << 100) : (__int128)v;
    return wide < (__int128)low ? low : wide > (__int128)high ? high : (T)wide;
}

int main() {
    const double x[] = {0, -0.0, 0.99, -0.99, 1.5, -1.5, 2147483520, 2147483646.5, 2147483647, 2147483647.5,
                        2147483648, -2147483648.0, -2147483648.5, -2147483649.0, -2147483904.0, 4294967040.0,
                        4294967295.0, 4294967295.5, 4294967296.0, 1e10, -1e10, 9223371487098961920.0,
                        9223372036854774784.0, 9223372036854775808.0, -9223372036854775808.0,
                        -9223373136366403584.0, 18446742974197923840.0, 18446744073709549568.0,
                        18446744073709551616.0, 1e30, -1e30, INFINITY, -INFINITY, 1e-40, NAN};
    const int n = sizeof x / sizeof *x;
    double *dx;
    Results *dr, r[n];
    cudaMalloc(&dx, sizeof x), cudaMalloc(&dr, sizeof r);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    int bad = 0;
    for (int k = 0; k < 2 * n; k++) {
        int i = k % n;
        if (k == 0) convert<<<1, n>>>(dx, dr);
        if (k == n) cast<<<1, n>>>(dx, dr);
        if (i == 0) cudaMemcpy(r, dr, sizeof r, cudaMemcpyDeviceToHost);
        float f = (float)x[i];
        double d = x[i];
        const long long most = 9223372036854775807ll;
        bool ok = r[i].fi == expected(f, -2147483647 - 1, 2147483647) && r[i].di == expected(d, -2147483647 - 1, 2147483647) &&
                  r[i].fu == expected(f, 0u, ~0u) && r[i].du == expected(d, 0u, ~0u) &&
                  r[i].fl == expected(f, -most - 1, most) && r[i].dl == expected(d, -most - 1, most) &&
                  r[i].ful == expected(f, 0ull, ~0ull) && r[i].dul == expected(d, 0ull, ~0ull);
        if (!ok) printf("%a: %d %d %u %u %lld %lld %llu %llu\n", d, r[i].fi, r[i].di, r[i].fu, r[i].du, r[i].fl, r[i].dl, r[i].ful, r[i].dul);
        bad += !ok;
    }
    return bad || cudaGetLastError() != cudaSuccess;
}
