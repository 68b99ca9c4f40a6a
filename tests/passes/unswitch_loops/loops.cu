// Conditions that no iteration changes: nested ones, one in a loop that is too large to copy, one that lanes differ in, none.
// RUN: %cucpu -Rcucpu -O3 --cpu=x86-64-v4 --disable=interchange_plane_loop -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not=unswitched %s
// RUN: %cucpu -Rcucpu -O3 --cpu=x86-64-v4 --disable=unswitch_loops,interchange_plane_loop -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OFF %s
// OFF-NOT: [unswitched]
// REQUIRES: run
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x

// CHECK-DAG: nested: loops are copied for the values of conditions that no iteration changes [unswitched]
__global__ void nested(float *o, const float *a, int p, int q, int n) {
    INDEX;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        float v = a[k * 64 + i];
        if (p) {
            v *= 3;
            if (q) v = sqrtf(v);
        }
        sum += v;
    }
    o[i] = sum;
}
__global__ void large(float *o, const float *a, int p, int n) {
    INDEX;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        float v = a[k * 64 + i];
#pragma unroll
        for (int j = 0; j < 80; j++) v = v * a[j * 1000 + i] + 1;
        if (p) v = sqrtf(v);
        sum += v;
    }
    o[i] = sum;
}
__global__ void varying(float *o, const float *a, const int *p, int n) {
    INDEX;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        float v = a[k * 64 + i];
        if (p[k * 64 + i]) v = sqrtf(v);
        sum += v;
    }
    o[i] = sum;
}
__global__ void none(float *o, const float *a, int n) {
    INDEX;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[k * 64 + i];
    o[i] = sum;
}
