// ex2.approx: within the 2 ulp of the ISA, exact for whole numbers, denormals with and without .ftz, infinities, NaN.
// REQUIRES: run, cucpu
// RUN: for w in 1 8 16; do %cucpu --simd=$w %s -o %t.$w && %run %t.$w || exit 1; done
// RUN: %also { %cucpu --cpu=x86-64-v2 %s -o %t.v2 && %run %t.v2; }
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

enum { N = 1 << 20 };
static __managed__ float x[N], y[N], flushed[N];

__global__ void run() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y[i]) : "f"(x[i]));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(flushed[i]) : "f"(x[i]));
}

/* Is `got` within 2 ulp of 2^a, and the same if it is a float? */
static bool is_close(float a, float got, bool ftz) {
    double want = exp2((double)a);
    if (a != a) return got != got;
    if (a >= 128) return std::isinf(got) && got > 0;
    if (ftz && a < -126) return got == 0;
    if (a == rintf(a)) return got == (float)want;
    double ulp = want < 0x1p-126 ? 0x1p-149 : ldexp(1, ilogb(want) - 23);
    return fabs(got - want) <= 2 * ulp;
}

int main() {
    int bad = 0;
    for (int part = 0; part < 2; part++) {
        for (uint32_t i = 0; i < N; i++) {
            uint32_t bits = i * 4096 + i % 4096;
            memcpy(&x[i], &bits, 4);
            if (part) x[i] = ((int)i - N / 2) / 2048.0f;
        }
        run<<<N / 256, 256>>>();
        bad += cudaDeviceSynchronize() != cudaSuccess;
        for (int i = 0; i < N; i++) {
            if (is_close(x[i], y[i], false) && is_close(x[i], flushed[i], true)) continue;
            if (bad++ < 5) printf("2^%a: %a, flushed %a\n", x[i], y[i], flushed[i]);
        }
    }
    printf("%d wrong\n", bad);
    return bad != 0;
}
