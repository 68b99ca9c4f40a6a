// Floats of all signs and exponents to integers: out of range the nearest one, NaN gives 0, less than 32 bits are cut off.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v2 --simd=16 %s -o %t.v2 && %t.v2; }
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

enum { N = (1 << 16) - 3 };

__global__ void convert(const float *x, int *s, unsigned *u, unsigned char *c, short *h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    s[i] = (int)x[i];
    u[i] = (unsigned)x[i];
    c[i] = (unsigned char)x[i];
    h[i] = (short)x[i];
}

static int as_int(double d) {
    if (std::isnan(d)) return 0;
    return d >= 2147483648.0 ? INT32_MAX : d <= -2147483648.0 ? INT32_MIN : (int)d;
}

static unsigned as_unsigned(double d) {
    if (std::isnan(d) || d <= 0) return 0;
    return d >= 4294967296.0 ? UINT32_MAX : (unsigned)(int64_t)d;
}

int main() {
    float *x;
    int *s, bad = 0;
    unsigned *u;
    unsigned char *c;
    short *h;
    cudaMallocManaged(&x, N * sizeof *x), cudaMallocManaged(&s, N * sizeof *s), cudaMallocManaged(&u, N * sizeof *u);
    cudaMallocManaged(&c, N), cudaMallocManaged(&h, N * sizeof *h);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t bits = i << 16 | i * 2654435761u >> 16;
        std::memcpy(&x[i], &bits, sizeof bits);
    }
    convert<<<(N + 127) / 128, 128>>>(x, s, u, c, h);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        int si = as_int(x[i]);
        unsigned ui = as_unsigned(x[i]);
        if (s[i] == si && u[i] == ui && c[i] == (unsigned char)ui && h[i] == (short)si) continue;
        if (bad++ < 10) printf("%a: %d, not %d; %u, not %u; %d; %d\n", x[i], s[i], si, u[i], ui, c[i], h[i]);
    }
    return bad != 0;
}
