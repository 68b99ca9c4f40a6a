// Integer arithmetic as a GPU does it: division that does not trap, wrap, shifts, conversions, mulhi.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <algorithm>

#include <climits>
enum { RESULTS = 22 };

__global__ void arithmetic(const int *a, const int *b, long long *out, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    int x = a[i], y = b[i];
    unsigned ux = unsigned(x), uy = unsigned(y);
    long long lx = (long long)x * 0x100000001LL;
    long long *o = out + i * RESULTS;
    o[0] = y ? x / y : -7;
    o[1] = y ? x % y : -7;
    o[2] = uy ? ux / uy : 7;
    o[3] = int(ux + uy);
    o[4] = int(ux * uy);
    o[5] = __mulhi(x, y);
    o[6] = __umulhi(ux, uy);
    o[7] = __mul64hi(lx, y);
    o[8] = (long long)__umul64hi((unsigned long long)lx, uy);
    o[9] = int(ux << (uy & 63));
    o[10] = x >> (uy & 63);
    o[11] = ux >> (uy & 63);
    o[12] = (long long)((unsigned long long)lx << (uy & 127));
    o[13] = __popc(ux) + 100 * __clz(x) + 10000 * __ffs(x);
    o[14] = __brev(ux);
    o[15] = __byte_perm(ux, uy, 0x5416);
    o[16] = min(x, y) + (long long)max(ux, uy);
    o[17] = abs(x / 2 - y / 2);
    o[18] = (signed char)x + (short)y * 3ll;
    o[19] = __clzll(lx) * 100 + __popcll((unsigned long long)lx);
    o[20] = __sad(x / 4, y / 4, 9u);
    o[21] = __funnelshift_l(ux, uy, 7) ^ __funnelshift_r(ux, uy, 13);
}

static unsigned reverse(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i);
    return r;
}

static void reference(int x, int y, long long *o) {
    unsigned ux = unsigned(x), uy = unsigned(y);
    long long lx = (long long)x * 0x100000001LL;
    unsigned long long bits = (unsigned long long)lx, s;
    bool wraps = x == INT_MIN && y == -1;
    o[0] = !y ? -7 : wraps ? INT_MIN : x / y;
    o[1] = !y ? -7 : wraps ? 0 : x % y;
    o[2] = uy ? ux / uy : 7;
    o[3] = int(ux + uy);
    o[4] = int(ux * uy);
    o[5] = (int)((long long)x * y >> 32);
    o[6] = (unsigned)((unsigned long long)ux * uy >> 32);
    o[7] = (long long)((__int128)lx * y >> 64);
    o[8] = (long long)((unsigned __int128)bits * uy >> 64);
    s = uy & 63;
    o[9] = s < 32 ? int(ux << s) : 0;
    o[10] = x >> (s < 32 ? s : 31);
    o[11] = s < 32 ? ux >> s : 0;
    s = uy & 127;
    o[12] = s < 64 ? (long long)(bits << s) : 0;
    o[13] = __builtin_popcount(ux) + 100 * (ux ? __builtin_clz(ux) : 32) + 10000 * __builtin_ffs(x);
    o[14] = reverse(ux);
    o[15] = unsigned(((uy >> 16) & 255) | (((ux >> 8) & 255) << 8) | ((uy & 255) << 16) | (((uy >> 8) & 255) << 24));
    o[16] = std::min(x, y) + (long long)std::max(ux, uy);
    o[17] = std::abs(x / 2 - y / 2);
    o[18] = (signed char)x + (short)y * 3ll;
    o[19] = (bits ? __builtin_clzll(bits) : 64) * 100 + __builtin_popcountll(bits);
    o[20] = (unsigned)(std::abs((long long)(x / 4) - y / 4)) + 9u;
    o[21] = (uy << 7 | ux >> 25) ^ (uy << 19 | ux >> 13);
}

/* A division by zero gives some value, and must not end the program. */
__global__ void divide_by_zero(const int *in, int *out, int zero) {
    unsigned i = global_rank();
    out[i] = (in[i] / zero + in[i] % zero + int(unsigned(in[i]) / unsigned(zero)) + (in[i] & 1 ? in[i] / zero : 0)) | 1;
}

__global__ void convert(const double *in, long long *out, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    out[4 * i] = int(in[i]);
    out[4 * i + 1] = unsigned(in[i]);
    out[4 * i + 2] = (long long)(float)in[i];
    out[4 * i + 3] = __float2int_rn(float(in[i])) + 3ll * __double2uint_rn(in[i]);
}

static long long clamp(long double v, long double lo, long double hi, long long nan) {
    return v != v ? nan : v <= lo ? (long long)lo : v >= hi ? (long long)hi : (long long)v;
}

int main() {
    std::vector<int> a, b;
    const int special[] = {0, 1, -1, 2, -2, 31, 32, 33, 63, 64, 100, INT_MAX, INT_MIN, INT_MIN + 1, 0x12345678, -77777};
    for (int x : special)
        for (int y : special) a.push_back(x), b.push_back(y);
    Random random(1);
    for (int i = 0; i < 300; i++) a.push_back(int(random.next())), b.push_back(int(random.next() >> random.below(32)));
    const unsigned n = unsigned(a.size());
    std::vector<long long> want(n * RESULTS);
    for (unsigned i = 0; i < n; i++) reference(a[i], b[i], &want[i * RESULTS]);
    Buffer<int> da(a), db(b), out(1024);
    for (unsigned threads : {33u, 100u, 256u}) {
        Buffer<long long> results(want.size());
        arithmetic<<<(n + threads - 1) / threads, threads>>>(da, db, results, n);
        auto got = results.get();
        for (size_t i = 0; i < want.size(); i++)
            if (got[i] != want[i] && failures++ < 20)
                std::printf("result %zu of %d, %d is %lld, not %lld\n", i % RESULTS, a[i / RESULTS], b[i / RESULTS], got[i], want[i]);
    }
    divide_by_zero<<<1, 100>>>(da, out, 0);
    CUDA(cudaDeviceSynchronize());
    CHECK(out.get()[0] & 1);
    std::vector<double> values = {0, -0.0, 1.5, -1.5, 2.5, 1e9, -1e9, 3e9, -3e9, 5e9, 1e19, -1e19, 1e300, -1e300, NAN, INFINITY, -INFINITY, 0.49999, -0.9};
    std::vector<long long> limits(values.size() * 4);
    for (size_t i = 0; i < values.size(); i++) {
        double v = values[i];
        float f = float(v);
        limits[4 * i] = clamp(v, INT_MIN, INT_MAX, INT_MIN);
        limits[4 * i + 1] = clamp(v, 0, UINT_MAX, 1ll << 31);
        limits[4 * i + 2] = clamp(f, -9223372036854775808.0L, 9223372036854775807.0L, LLONG_MIN);
        limits[4 * i + 3] = clamp(std::nearbyint(f), INT_MIN, INT_MAX, 0) + 3 * clamp(std::nearbyint(v), 0, UINT_MAX, 1ll << 31);
    }
    Buffer<double> dvalues(values);
    Buffer<long long> dlimits(limits.size());
    convert<<<1, 100>>>(dvalues, dlimits, unsigned(values.size()));
    auto got = dlimits.get();
    for (size_t i = 0; i < limits.size(); i++)
        if (got[i] != limits[i] && failures++ < 40) std::printf("conversion %zu of %g is %lld, not %lld\n", i % 4, values[i / 4], got[i], limits[i]);
    return finish();
}
