// Factors of a tile by 16 threads, in groups of fewer lanes: each group asks on its own whether the loop around the
// barriers goes on.  The answer is known from the first group, so the tile stays in registers at every width.
// RUN: %cucpu -O2 --cpu=x86-64-v3 --simd=16 --dump-after=promote_shared -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %cucpu -O2 --cpu=x86-64-v3 --simd=8 --dump-after=promote_shared -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %cucpu -O2 --cpu=x86-64-v2 --simd=4 --dump-after=promote_shared -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %cucpu -O2 --cpu=x86-64-v2 --simd=4 --disable=promote_shared --dump-after=promote_shared -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=OFF %s
// CHECK: define {{.*}}16x1x1.entry(
// CHECK-NOT: getelementptr {{.*}}%shared
// CHECK: {{^}}}
// OFF: define {{.*}}16x1x1.entry(
// OFF: getelementptr {{.*}}%shared
// OFF: {{^}}}
__global__ void factors(const float *in, float *out) {
    __shared__ float s[16][16];
    int t = threadIdx.x;
    for (int y = 0; y < 16; y++) s[y][t] = in[blockIdx.x * 256 + y * 16 + t];
    __syncthreads();
    for (int k = 0; k < 15; k++) {
        if (t > k) s[t][k] /= s[k][k];
        __syncthreads();
        if (t > k)
            for (int y = k + 1; y < 16; y++) s[y][t] -= s[y][k] * s[k][t];
        __syncthreads();
    }
    for (int y = 0; y < 16; y++) out[blockIdx.x * 256 + y * 16 + t] = s[y][t];
}
void run(const float *in, float *out) { factors<<<8, 16>>>(in, out); }
