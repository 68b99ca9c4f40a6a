// Arithmetic on bytes and shorts: all pairs of bytes, and shorts at the ends of what 8 and 16 bits hold, against the host.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --cpu=x86-64-v2 %s -o %t.v2 && %t.v2; }
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned char u8;
typedef signed char s8;
#define BOTH __host__ __device__ static inline

BOTH int least(int a, int b) { return a < b ? a : b; }
BOTH int most(int a, int b) { return a > b ? a : b; }
BOTH int size(int a) { return a < 0 ? -a : a; }

// What fits 8 bits, what needs 16, what needs more; results that are extended, or serve as numbers with and without a sign.
BOTH int bytes(u8 a, u8 b, int what) {
    switch (what) {
    case 0: return least(a, b) - most(a, b);
    case 1: return size(a - b);
    case 2: return a > b ? a - b : b - a;
    case 3: return a < b ? a - b : b - a;
    case 4: return least(a + b, 255);
    case 5: return most(a - b, 0);
    case 6: return most(b - a, -1);
    case 7: return least(most(5 * a - 3 * b, 0), 255);
    case 8: return (a * b + 127) / 255;
    case 9: return (a * 77 + b * (255 - 77) + 127) / 255;
    case 10: return (a * b + (255 - a) * (b ^ 255) + 127) / 255;
    case 11: return (77 * a + 150 * b + 29 * (a ^ b)) >> 8;
    case 12: return (a - b) >> 1;
    case 13: return (a - b) / 3 * 7 + (a + b) % 5;
    case 14: return (a - 128) * (b - 128);
    case 15: return (a << 4 | b >> 4) & 0xfff;
    case 16: return a * a + b * b > 65025 ? a : -b;
    case 17: return (s8)a - (s8)b;
    case 18: return size((s8)a - (s8)b);
    case 19: return (s8)a > (s8)b ? (s8)a - (s8)b : (s8)b - (s8)a;
    case 20: return size((s8)a);
    case 21: return least((s8)a + b, 127);
    case 22: return a - 300 < b - 400 ? 1 : -1;
    case 23: return least(a, 300) + most(b, -5);
    case 24: return ((unsigned)a - b) >> 3;
    case 25: return least(a + 7, 255) - most(b - 9, 0);
    default: return a + b;
    }
}

BOTH int shorts(short a, short b, int what) {
    switch (what) {
    case 0: return least(most(a + b, -32768), 32767);
    case 1: return least(most(a - b, -32768), 32767);
    case 2: return size(a - b);
    case 3: return size(a);
    case 4: return least((unsigned short)a + (unsigned short)b, 65535);
    case 5: return most((unsigned short)a - (unsigned short)b, 0);
    case 6: return (a * 20000 + b * 12000) >> 15;
    case 7: return (unsigned short)a / 7 + (b >> 3);
    case 8: return a / 7 - b % 9;
    default: return least(a, b) ^ most(a, b);
    }
}
enum { BYTES = 27, SHORTS = 10, PAIRS = 65536 };

__global__ void all_bytes(const u8 *a, const u8 *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#pragma unroll
    for (int k = 0; k < BYTES; k++) out[k * n + i] = bytes(a[i], b[i], k);
}

__global__ void all_shorts(const short *a, const short *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#pragma unroll
    for (int k = 0; k < SHORTS; k++) out[k * n + i] = shorts(a[i], b[i], k);
}

// Sums in loops: of 16 passes they fit 16 bits, of 300 they do not, of n nobody knows.
__global__ void sums(const u8 *a, const u8 *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, known = 0, many = 0, any = 0;
    if (i >= n) return;
#pragma unroll 1
    for (int k = 0; k < 16; k++) known += size(a[i] - b[k]) * 16;
#pragma unroll 1
    for (int k = 0; k < 300; k++) many += a[(i + k) % PAIRS] + 1;
    for (int k = 0; k < n >> 8; k++) any += b[k] - a[i];
    out[i] = known;
    out[n + i] = many;
    out[2 * n + i] = any;
}

static int failures, *out;

static void check(const char *what, int k, int i, int wanted) {
    if (out[k * PAIRS + i] == wanted || ++failures > 10) return;
    printf("%s %d at %d: %d, not %d\n", what, k, i, out[k * PAIRS + i], wanted);
}

int main() {
    static const int ends[] = {-32768, -32767, -256, -255, -129, -128, -127, -1, 0, 1, 127, 128, 255, 256, 32766, 32767};
    u8 *a, *b;
    short *s, *t;
    cudaMallocManaged(&a, PAIRS), cudaMallocManaged(&b, PAIRS);
    cudaMallocManaged(&s, 2 * PAIRS), cudaMallocManaged(&t, 2 * PAIRS), cudaMallocManaged(&out, BYTES * PAIRS * sizeof(int));
    for (int i = 0; i < PAIRS; i++) {
        a[i] = i & 255, b[i] = i >> 8;
        s[i] = i < 256 ? ends[i & 15] : i * 40503, t[i] = i < 256 ? ends[i >> 4] : i * 30103 >> 3;
    }
    all_bytes<<<PAIRS / 256, 256>>>(a, b, out, PAIRS);
    cudaDeviceSynchronize();
    for (int k = 0; k < BYTES; k++)
        for (int i = 0; i < PAIRS; i++) check("bytes", k, i, bytes(a[i], b[i], k));
    all_shorts<<<PAIRS / 96 + 1, 96>>>(s, t, out, PAIRS);
    cudaDeviceSynchronize();
    for (int k = 0; k < SHORTS; k++)
        for (int i = 0; i < PAIRS; i++) check("shorts", k, i, shorts(s[i], t[i], k));
    sums<<<PAIRS / 64, 64>>>(a, b, out, PAIRS);
    cudaDeviceSynchronize();
    for (int i = 0; i < PAIRS; i += 97) {
        int known = 0, many = 0, any = 0;
        for (int k = 0; k < 16; k++) known += size(a[i] - b[k]) * 16;
        for (int k = 0; k < 300; k++) many += a[(i + k) % PAIRS] + 1;
        for (int k = 0; k < PAIRS >> 8; k++) any += b[k] - a[i];
        check("sum", 0, i, known), check("sum", 1, i, many), check("sum", 2, i, any);
    }
    if (failures) printf("%d failures\n", failures);
    return failures != 0;
}
