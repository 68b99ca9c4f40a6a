// Steps through a tile by 16 threads, in groups of fewer lanes: each group asks on its own whether the loop around the
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
__global__ void steps(const float *in, float *out) {
    __shared__ float tile[16][16];
    const int lane = threadIdx.x, base = 256 * blockIdx.x + lane;
    for (int row = 0; row < 16; row++) tile[row][lane] = in[base + 16 * row];
    __syncthreads();
    for (int step = 0; step < 12; step++) {
        if (lane >= step) tile[lane][step] *= tile[step][step + 1];
        __syncthreads();
        if (lane >= step)
            for (int row = step; row < 16; row++) tile[row][lane] += tile[row][step] * 0.5f;
        __syncthreads();
    }
    for (int row = 0; row < 16; row++) out[base + 16 * row] = tile[row][lane];
}
void run(const float *in, float *out) { steps<<<8, 16>>>(in, out); }
