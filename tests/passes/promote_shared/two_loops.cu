// Two loops around barriers, one up and one down: the second one's counter starts at a constant, although it is kept
// across barriers, as no value of it comes from the block before.  Both are unrolled, and the tile stays in registers.
// RUN: %cucpu -O2 --cpu=x86-64-v3 --simd=16 --dump-after=promote_shared -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %cucpu -O2 --cpu=x86-64-v3 --simd=8 --dump-after=promote_shared -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: define {{.*}}16x1x1.entry(
// CHECK-NOT: getelementptr {{.*}}%shared
// CHECK: {{^}}}
#define T 16

__global__ void wavefront(const int *in, int *out) {
    __shared__ int s[T + 1][T + 1];
    int t = threadIdx.x;
    s[0][t + 1] = in[t], s[t + 1][0] = in[T + t];
    if (t == 0) s[0][0] = in[2 * T];
    __syncthreads();
    for (int m = 0; m < T; m++) {
        if (t <= m) s[m - t + 1][t + 1] = s[m - t][t + 1] + s[m - t + 1][t] * 3;
        __syncthreads();
    }
    for (int m = T - 2; m >= 0; m--) {
        if (t <= m) s[T - t][t + T - m] = s[T - t - 1][t + T - m] + s[T - t][t + T - m - 1] * 3;
        __syncthreads();
    }
    for (int y = 0; y < T; y++) out[y * T + t] = s[y + 1][t + 1];
}

void launch(const int *in, int *out) { wavefront<<<4, T>>>(in, out); }
