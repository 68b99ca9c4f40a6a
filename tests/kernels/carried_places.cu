// carried_places.cu: threads that walk through planes by a place that the loop carries, up and down, some leaving it early, two places
// in one subscript: every kernel beside the same loop of the host.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { for way in --disable=version_all_active "--simd=8 --cpu=x86-64-v2"; do %cucpu -O3 $way %s -o %t.way && %run %t.way || exit 1; done; }
#include <cstdio>
#include <cstring>

enum { N = 77, PITCH = 96, ROWS = 40, SIZE = PITCH * ROWS };

template <int K, class T> __host__ __device__ void walk(int x, const T *in, T *out, int m, const int *steps) {
    if (x < 2 || x >= N - 2) return;
    if (K == 0)
        for (int y = 0, at = 20 * m + x; y < 12; y++, at -= m) out[at] = in[at - m] + in[at + m] + in[at - 1] * in[at + 1];
    if (K == 1)
        for (int y = 0, at = 3 * m + x; y < steps[x]; y++, at += m) out[at] = in[at - m] + in[at + m] - in[at - 2 * m];
    if (K == 2)
        for (int y = 0, at = 3 * m + x, b = 5 * m + x; y < 9; y++, at += m, b++) out[at] = in[b - m] + in[b] + in[at - m] + in[at + b - 7 * m];
    if (K == 3)
        for (int y = 0, at = 3 * m + x; y < 9; y++, at += m) {
            if (in[at] > T(3)) continue;
            T s = 0;
            for (int j = -2, q = at - 2; j <= 2; j++, q++) s += in[q] + in[q - m];
            out[at] = s;
            if (s < T(-90)) break;
        }
    if (K == 4)
        for (int y = 0, at = m + (x >> 1); y < 9; y++, at += m) out[(y + 1) * m + x] = in[at * 2 - m] + in[at * 2 + 1] + in[at + m];
    if (K == 5)
        for (int y = 0, at = 3 * m + x; y < 9; y++) {
            out[at] = in[at - m] + in[at + m];
            at += y & 1 ? m : m + 1;
            if (at % 5 == y) at--;
        }
}

template <int K, class T> __global__ void walks(const T *in, T *out, int m, const int *steps) {
    walk<K, T>(blockIdx.x * blockDim.x + threadIdx.x, in, out, m, steps);
}

template <int K, class T> int check(const int *steps) {
    T *in, *out, want[SIZE];
    int wrong = 0;
    cudaMallocManaged(&in, sizeof want);
    cudaMallocManaged(&out, sizeof want);
    for (int i = 0; i < SIZE; i++) in[i] = (T)((int)((i * 2654435761u >> 20) % 200) / 8 - 12);
    for (int block : {7, 32, 96}) {
        memset(out, 0, sizeof want), memset(want, 0, sizeof want);
        walks<K, T><<<(N + block - 1) / block, block>>>(in, out, PITCH, steps);
        if (cudaDeviceSynchronize()) wrong++;
        for (int x = 0; x < (N + block - 1) / block * block; x++) walk<K, T>(x, in, want, PITCH, steps);
        wrong += memcmp(out, want, sizeof want) != 0;
    }
    if (wrong) printf("walk %d of %zu bytes: %d wrong\n", K, sizeof(T), wrong);
    return wrong;
}

template <int K> int both(const int *steps) { return check<K, float>(steps) + check<K, short>(steps); }

int main() {
    int *steps;
    cudaMallocManaged(&steps, N * sizeof(int));
    for (int i = 0; i < N; i++) steps[i] = i * 7 % 13;
    return both<0>(steps) + both<1>(steps) + both<2>(steps) + both<3>(steps) + both<4>(steps) + both<5>(steps) != 0;
}
