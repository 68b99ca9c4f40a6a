// 16 bytes that are put together in several ways and stored at once: shifted, masked, words and halves of others, arithmetic; some lanes inactive.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <cstdio>
// inactive lanes
typedef unsigned long long u64;
typedef unsigned __int128 W;
__device__ W make(int f, W o, unsigned a, u64 b) {
    switch (f) {
    case 0:
        return o << 32 | a;
    case 1:
        return o >> 64 | (W)b << 64;
    case 2:
        return (o & ~(W)0xffffffffu) | a;
    case 3:
        return (W)a << 96 | (W)a << 64 | b;
    case 4:
        return (W)a << 16 | b;
    case 5:
        return (o & ((W)~0ull << 64)) | a;
    case 6:
        return (W)5 << 64 | a;
    case 7:
        return o + ((W)b << 64);
    default:
        return o ^ b;
    }
}
__host__ W makeh(int f, W o, unsigned a, u64 b) {
    switch (f) {
    case 0:
        return o << 32 | a;
    case 1:
        return o >> 64 | (W)b << 64;
    case 2:
        return (o & ~(W)0xffffffffu) | a;
    case 3:
        return (W)a << 96 | (W)a << 64 | b;
    case 4:
        return (W)a << 16 | b;
    case 5:
        return (o & ((W)~0ull << 64)) | a;
    case 6:
        return (W)5 << 64 | a;
    case 7:
        return o + ((W)b << 64);
    default:
        return o ^ b;
    }
}
template <int F> __global__ void k(volatile W *p, volatile W *q, const int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 3)
        q[x[i]] = make(F, p[i], i * 77u, (u64)i * 0x9e3779b97f4a7c15ull);
}
static int bad;
static W *p, *q;
static int *x;
const int n = 300;
template <int F> void run() {
    for (int b : {1, 33, 64}) {
        for (int i = 0; i < n; i++)
            q[i] = 0;
        k<F><<<(n + b - 1) / b, b>>>(p, q, x, n);
        if (cudaDeviceSynchronize())
            bad++;
        for (int i = 0; i < n; i++)
            if (q[x[i]] != (x[i] % 3 ? makeh(F, p[i], i * 77u, (u64)i * 0x9e3779b97f4a7c15ull) : 0)) {
                bad++;
                printf("form %d block %d i %d\n", F, b, i);
                break;
            }
    }
}
int main() {
    cudaMallocManaged(&p, n * 16);
    cudaMallocManaged(&q, n * 16);
    cudaMallocManaged(&x, n * 4);
    for (int i = 0; i < n; i++)
        p[i] = ((W)(i * 0x123456789abcdefull) << 64) | (i * 0xfedcba987654321ull), x[i] = i * 7 % n;
    run<0>();
    run<1>();
    run<2>();
    run<3>();
    run<4>();
    run<5>();
    run<6>();
    run<7>();
    run<8>();
    if (bad)
        printf("%d wrong\n", bad);
    return bad != 0;
}
