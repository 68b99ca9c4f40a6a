// Bytes and shorts of structures at indices from memory are accessed as parts of a word; results are those of the host.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t --disable=join_fields
// RUN: %cucpu --simd=16 -Rcucpu %s -o %t.remarks 2>&1 | FileCheck %s
// CHECK: quads{{.*}} 2 gather or scatter, 0 local; 0 lane by lane
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#define BOTH __host__ __device__ inline
const int N = 1000;
struct mixed {
    signed char a;
    unsigned char b;
    short c;
};
BOTH void quads(int i, int to, const uchar4 *in, uchar4 *out) {
    uchar4 v = in[i];
    out[to] = make_uchar4(v.w, v.x + v.y, v.z * 3, v.y ^ 5);
}
BOTH void three(int i, int to, const uchar4 *in, uchar3 *out) {
    uchar4 v = in[to];
    out[to] = make_uchar3(v.x + i, v.y, v.z);
}
BOTH void pairs(int i, int to, const short2 *in, short2 *out) {
    short2 v = in[to];
    out[to] = make_short2(v.y - v.x, v.x * 7 + i);
}
BOTH void fields(int i, int to, const mixed *in, mixed *out) {
    mixed v = in[to];
    out[to].c = v.a * v.b;
    out[to].b = v.c >> 3;
    if (v.b & 1) out[to].a = v.a + 1, out[to].b += i;
}
/* a byte array, unaligned; one byte is stored twice, one after it was read again */
BOTH void bytes(int i, int to, const unsigned char *in, unsigned char *out) {
    const unsigned char *p = in + 1 + 4 * to;
    unsigned char *q = out + 3 + 4 * to;
    q[0] = p[3], q[1] = p[2], q[2] = p[1], q[3] = p[0];
    q[1] = q[2] + 1, q[2] = i, q[2] = q[0] + q[3];
}
#define KERNEL(name, In, Out)                                                                             \
    __global__ void name(const int *to, const In *in, Out *out, int n) {                                  \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                    \
        if (i < n) name(i, to[i], in, out);                                                               \
    }                                                                                                     \
    int run_##name(const int *to, const void *in, void *out, void *want) {                                \
        memset(out, 77, 8 * N), memset(want, 77, 8 * N);                                                  \
        name<<<8, 128>>>(to, (const In *)in, (Out *)out, N);                                              \
        cudaDeviceSynchronize();                                                                          \
        for (int i = 0; i < N; i++) name(i, to[i], (const In *)in, (Out *)want);                          \
        int bad = memcmp(out, want, 8 * N) != 0;                                                          \
        if (bad) puts(#name " differs");                                                                  \
        return bad;                                                                                       \
    }
KERNEL(quads, uchar4, uchar4)
KERNEL(three, uchar4, uchar3)
KERNEL(pairs, short2, short2)
KERNEL(fields, mixed, mixed)
KERNEL(bytes, unsigned char, unsigned char)
int main() {
    int *to;
    unsigned char *in, *out, *want = new unsigned char[8 * N];
    cudaMallocManaged(&to, N * sizeof *to), cudaMallocManaged(&in, 8 * N), cudaMallocManaged(&out, 8 * N);
    for (int i = 0; i < N; i++) to[i] = i * 377 % N;
    for (int i = 0; i < 8 * N; i++) in[i] = i * 31 + i / 77;
    int bad = run_quads(to, in, out, want) + run_three(to, in, out, want) + run_pairs(to, in, out, want) +
              run_fields(to, in, out, want) + run_bytes(to, in, out, want);
    puts(bad ? "failed" : "passed");
    return bad != 0;
}
