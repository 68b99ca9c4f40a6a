// Whole numbers of every type become half and bfloat16 with one rounding, in all four modes.
// REQUIRES: run
// RUN: %cucpu -O3 %s -o %t && %run %t
// RUN: %also { %cucpu -O1 --simd=1 %s -o %t.1 && %run %t.1; }
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>
#include <vector>

enum { NEAREST, ZERO, DOWN, UP, MODES };
struct Results { float half[MODES], bfloat[MODES]; };

#define CONVERT(T, name)                                                                                                        \
    __host__ __device__ Results convert(T v) {                                                                                  \
        return {{__half2float(__##name##2half_rn(v)), __half2float(__##name##2half_rz(v)), __half2float(__##name##2half_rd(v)), \
                 __half2float(__##name##2half_ru(v))},                                                                          \
                {__bfloat162float(__##name##2bfloat16_rn(v)), __bfloat162float(__##name##2bfloat16_rz(v)),                      \
                 __bfloat162float(__##name##2bfloat16_rd(v)), __bfloat162float(__##name##2bfloat16_ru(v))}};                    \
    }
CONVERT(int, int) CONVERT(unsigned, uint) CONVERT(short, short) CONVERT(unsigned short, ushort) CONVERT(long long, ll)
CONVERT(unsigned long long, ull)

template <class T> __global__ void run(const T *in, Results *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = convert(in[i]);
}

/* The multiple of a power of two with so many bits that the mode asks for; above `most`, infinity or `most`. */
static float reference(__int128 v, int bits, double most, int mode) {
    bool negative = v < 0;
    unsigned __int128 m = negative ? -v : v, whole;
    int drop = 0;
    while (m >> drop >> bits) drop++;
    unsigned __int128 rest = m & (((unsigned __int128)1 << drop) - 1), half = drop ? (unsigned __int128)1 << (drop - 1) : 0;
    whole = m >> drop;
    bool away = mode == NEAREST ? rest > half || (rest && rest == half && whole & 1) : rest && mode == (negative ? DOWN : UP);
    double r = (double)(whole + away) * (double)((unsigned __int128)1 << drop);
    if (r > most) r = mode == NEAREST || mode == (negative ? DOWN : UP) ? __builtin_inf() : most;
    return (float)(negative ? -r : r);
}

static int wrong;
template <class T> void check(const char *type) {
    std::vector<T> values;
    unsigned long long random = 1;
    for (int bit = 0; bit < 8 * (int)sizeof(T); bit++)
        for (int k = -6; k <= 6; k++)
            for (int low = 0; low <= bit; low += bit < 12 ? 1 : 5) {
                T v = (T)((1ull << bit) + (1ull << low) * (k / 2) + k % 2);
                values.push_back(v), values.push_back((T)-v);
            }
    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        values.push_back((T)(random >> (random & 31)));
    }
    int n = (int)values.size();
    T *in;
    Results *out;
    cudaMallocManaged(&in, n * sizeof(T)), cudaMallocManaged(&out, n * sizeof(Results));
    for (int i = 0; i < n; i++) in[i] = values[i];
    run<<<(n + 127) / 128, 128>>>(in, out, n);
    if (cudaDeviceSynchronize() != cudaSuccess) wrong++;
    for (int i = 0; i < n; i++) {
        Results host = convert(in[i]);
        for (int m = 0; m < MODES; m++) {
            float half = reference(in[i], 11, 65504, m), bfloat = reference(in[i], 8, 3.3895e38, m);
            bool same = out[i].half[m] == half && host.half[m] == half && out[i].bfloat[m] == bfloat && host.bfloat[m] == bfloat;
            if (!same && wrong++ < 10)
                printf("%s %lld, mode %d: half %g %g, not %g; bfloat %.9g %.9g, not %.9g\n", type, (long long)in[i], m, out[i].half[m], host.half[m],
                       half, out[i].bfloat[m], host.bfloat[m], bfloat);
        }
        __half h = in[i];
        __nv_bfloat16 b = in[i];
        if ((float)h != reference(in[i], 11, 65504, NEAREST) || (float)b != reference(in[i], 8, 3.3895e38, NEAREST)) wrong++;
    }
}

int main() {
    check<int>("int"), check<unsigned>("unsigned"), check<short>("short"), check<unsigned short>("unsigned short");
    check<long long>("long long"), check<unsigned long long>("unsigned long long");
    printf(wrong ? "failed: %d\n" : "passed\n", wrong);
    return wrong != 0;
}
