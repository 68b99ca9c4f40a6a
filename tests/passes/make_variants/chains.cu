// 32-bit arithmetic where registers have 256 bits or less: a group that waits for its own results from one pass of a loop to the next takes
// two registers for each value.  Not where it has enough to do, and where it does not have to wait.  With registers of 512 bits these lanes are
// beside the usual ones, for rows that fill them (wide_rows): up to four registers, fewer where masks cost more than the wait.  Gathers that
// depend on each other wait longest.
// RUN: %cucpu --cpu=x86-64-v3 --stop-after=make_variants -Rcucpu %s -o %t.ll 2>&1 | FileCheck %s
// RUN: grep -o 'define.*rows_full' %t.ll | grep -o '[a-z]*P[fK].*' | grep -v '[.]w1[.]' | sort | FileCheck --check-prefix=MADE %s
// RUN: %cucpu --cpu=x86-64-v2 --stop-after=make_variants -Rcucpu %s -o %t.ll 2>&1 | FileCheck --check-prefix=SSE %s
// RUN: %cucpu --cpu=x86-64-v4 --stop-after=make_variants -Rcucpu %s -o %t.ll 2>&1 | FileCheck --check-prefix=WIDE %s
// RUN: grep -o 'define.*rows_full' %t.ll | grep -o '[a-z]*P[fK].*' | grep -v '[.]w1[.]' | sort | FileCheck --check-prefix=LANES %s
// WIDE-NOT: lanes instead of
// SSE: chains.cu:[[#@LINE+2]]:1: remark: {{.*}}: 8 lanes instead of 4:
// CHECK: chains.cu:[[#@LINE+1]]:1: remark: {{.*}}: 16 lanes instead of 8: estimated cycles per thread
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

__global__ void escape(float *p, int most) {
    float cx = p[threadIdx.x], x = 0, y = 0;
    int k = 0;
    for (; k < most; k++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4) break;
        y = 2 * x * y + 0.3f;
        x = xx - yy + cx;
    }
    p[threadIdx.x] = k;
}

__global__ void follow(const float *next, float *p, int n) {
    float x = p[threadIdx.x];
    for (int i = 0; i < n; i++) x = next[(int)x];
    p[threadIdx.x] = x;
}

// No loop, but each operation waits for the one before.
__global__ void horner(float *p) {
    float x = p[threadIdx.x], s = 1;
#pragma unroll
    for (int k = 0; k < 80; k++) s = s * x + 0.5f;
    p[threadIdx.x] = s;
}

// LANES: apartPK{{.*}}.w16.rows_full
// LANES-NEXT: busyPf{{.*}}.w16.rows_full
// LANES-NEXT: callsPf{{.*}}.w16.rows_full
// LANES-NEXT: callsPf{{.*}}.w32.rows_full
// LANES-NEXT: callsPf{{.*}}.w64.rows_full
// LANES-NEXT: escapePf{{.*}}.w16.rows_full
// LANES-NEXT: escapePf{{.*}}.w32.rows_full
// LANES-NEXT: followPK{{.*}}.w16.rows_full
// LANES-NEXT: followPK{{.*}}.w32.rows_full
// LANES-NEXT: followPK{{.*}}.w64.rows_full
// LANES-NEXT: hornerPf{{.*}}.w16.rows_full
// LANES-NEXT: hornerPf{{.*}}.w32.rows_full
// LANES-NEXT: hornerPf{{.*}}.w64.rows_full
// LANES-NEXT: orbitPf{{.*}}.w16.rows_full
// LANES-NEXT: orbitPf{{.*}}.w32.rows_full
// LANES-NEXT: orbitPf{{.*}}.w64.rows_full

// MADE: apartPK{{.*}}.w8.rows_full
// MADE-NEXT: busyPf{{.*}}.w8.rows_full
// MADE-NEXT: callsPf{{.*}}.w16.rows_full
// MADE-NEXT: escapePf{{.*}}.w16.rows_full
// MADE-NEXT: followPK{{.*}}.w16.rows_full
// MADE-NEXT: followPK{{.*}}.w32.rows_full
// MADE: orbitPf{{.*}}.w16.rows_full

// A function that is called for whole groups: its operations wait as well, and there are more of them than the processor looks ahead.
#define STEP(k) s = s * y + sqrtf(fabsf(s) + k) / (y + k + .5f); s = s > 3 ? s * .25f : s + k;
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7)
__device__ __noinline__ float called(float s, float y) {
    STEPS(0) STEPS(8) STEPS(16) STEPS(24) STEPS(32) STEPS(40) STEPS(48) STEPS(56)
    return s;
}
__global__ void calls(float *p) {
    float x = p[threadIdx.x], s = x;
#pragma unroll
    for (int k = 0; k < 40; k++) s += called(s, x + k);
    p[threadIdx.x] = s;
}
