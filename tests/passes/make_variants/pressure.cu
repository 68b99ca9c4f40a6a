// 64-bit arithmetic: as many lanes as fill a register with doubles, or twice as many, by an estimate of cycles in which
// registers that do not suffice count.  Times measured on AVX2: few 1.6 times, mixed 1.4 times faster with 8 lanes than with 4;
// many 1.6 times slower, because 26 registers would be live and there are 16.
// RUN: %cucpu --cpu=x86-64-v3 --stop-after=make_variants -Rcucpu %s -o %t.ll 2>&1 | FileCheck %s
// RUN: grep -o 'define.*rows_full' %t.ll | grep -o '[a-z]*PKf.*' | sort | FileCheck --check-prefix=MADE %s
// RUN: %cucpu --cpu=x86-64-v3 --disable=register_pressure --stop-after=make_variants %s -o %t.ll
// RUN: grep -o 'define.*rows_full' %t.ll | grep -o '[a-z]*PKf.*' | sort | FileCheck --check-prefix=OFF %s
template <int N> __device__ void sums(const float *a, double start, double *out, int n) {
    double s[N];
#pragma unroll
    for (int k = 0; k < N; k++) s[k] = k;
    for (int i = 0; i < n; i++) {
        double g = a[i] + start, h = g * 0.25 + start;
#pragma unroll
        for (int k = 0; k < N; k++) s[k] = s[k] * 0.5 + (k % 2 ? g : h);
    }
    double sum = 0;
#pragma unroll
    for (int k = 0; k < N; k++) sum += s[k] * (k + 1);
    *out = sum;
}

// CHECK: pressure.cu:[[#@LINE+2]]:1: remark: {{.*}}: 8 lanes instead of 4: estimated cycles per thread {{[0-9]+}} with {{[0-9]+}} vector registers live, not {{[0-9]+}} with {{[0-9]+}}; there are 16
// CHECK-NOT: lanes instead of
__global__ void few(const float *a, const float *b, double *out, int n) {
    sums<4>(a, b[threadIdx.x], out + threadIdx.x, n);
}

__global__ void many(const float *a, const float *b, double *out, int n) {
    sums<12>(a, b[threadIdx.x], out + threadIdx.x, n);
}

// MADE: fewPKf{{.*}}.w8.rows_full
// MADE: manyPKf{{.*}}.w4.rows_full
// OFF: fewPKf{{.*}}.w4.rows_full
// OFF: manyPKf{{.*}}.w4.rows_full
