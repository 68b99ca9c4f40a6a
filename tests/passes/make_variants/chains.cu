// 32-bit arithmetic where registers have 256 bits or less: a group that waits for its own results from one pass of a loop to the next takes
// two registers for each value.  Not where it has enough to do, where it does not have to wait, and not with registers of 512 bits.
// RUN: %cucpu --cpu=x86-64-v3 --stop-after=make_variants -Rcucpu %s -o %t.ll 2>&1 | FileCheck %s
// RUN: grep -o 'define.*rows_full' %t.ll | grep -o '[a-z]*P[fK].*' | sort | FileCheck --check-prefix=MADE %s
// RUN: %cucpu --cpu=x86-64-v2 --stop-after=make_variants -Rcucpu %s -o %t.ll 2>&1 | FileCheck --check-prefix=SSE %s
// RUN: %cucpu --cpu=x86-64-v4 --stop-after=make_variants -Rcucpu %s -o %t.ll 2>&1 | FileCheck --check-prefix=WIDE %s
// WIDE-NOT: lanes instead of
// SSE: chains.cu:[[#@LINE+3]]:1: remark: {{.*}}: 8 lanes instead of 4:
// CHECK: chains.cu:[[#@LINE+2]]:1: remark: {{.*}}: 16 lanes instead of 8: estimated cycles per thread
// CHECK-NOT: lanes instead of
__global__ void orbit(float *p, int n) {
    float x = p[threadIdx.x], y = 0;
    for (int i = 0; i < n; i++) {
        float t = x * x - y * y + 0.25f;
        y = 2 * x * y + 0.5f;
        x = t;
    }
    p[threadIdx.x] = x + y;
}

__global__ void busy(float *p, int n) {
    float s[12];
#pragma unroll
    for (int k = 0; k < 12; k++) s[k] = p[threadIdx.x] * k;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 12; k++) s[k] = s[k] * 0.5f + k;
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 12; k++) sum += s[k];
    p[threadIdx.x] = sum;
}

__global__ void apart(const float *a, float *p, int n) {
    for (int i = 0; i < n; i++) p[i * 256 + threadIdx.x] = (a[i * 256 + threadIdx.x] * 0.5f + 1) * 0.25f + 3;
}

// MADE: apartPK{{.*}}.w8.rows_full
// MADE: busyPf{{.*}}.w8.rows_full
// MADE: orbitPf{{.*}}.w16.rows_full
