// -use_fast_math and -prec-div=false are about floats: doubles, halves and what names its rounding stay correctly rounded, by whatever divisor,
// and quotients of floats are within 2 ulp.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -use_fast_math -DFAST
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t.div -prec-div=false
// RUN: %also { %cucpu -prec-div=false -ftz=true --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; %cucpu -use_fast_math -DFAST -G --simd=32 %s -o %t.G && %t.G; }
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { N = 256, KINDS = 6, FLOATS = 4 };

__global__ void doubles(const double *a, double *o) {
    int i = threadIdx.x;
    double *r = o + i * KINDS;
    r[0] = a[i] / 3.0;
    r[1] = a[i] / a[0];
    r[2] = 1.0 / a[i];
    r[3] = a[i] / a[N - 1 - i];
    r[4] = sqrt(a[i]);
    r[5] = a[0];
    for (int k = 0; k < 5; k++) r[5] += a[i + k & (N - 1)] / a[1];
}
static void want_doubles(const double *a, int i, double *r) {
    r[0] = a[i] / 3.0;
    r[1] = a[i] / a[0];
    r[2] = 1.0 / a[i];
    r[3] = a[i] / a[N - 1 - i];
    r[4] = sqrt(a[i]);
    r[5] = a[0];
    for (int k = 0; k < 5; k++) {
        volatile double q = a[(i + k) & (N - 1)] / a[1];
        r[5] += q;
    }
}

/* float, but rounded as the name says; halves */
__global__ void named(const float *a, float *o) {
    int i = threadIdx.x;
    float *r = o + i * KINDS;
    r[0] = __fdiv_rn(a[i], 3.0f) + 0 * __frcp_rn(a[0]);
    r[1] = __fdiv_rn(a[i], a[0]);
    r[2] = __frcp_rn(a[i]);
    r[3] = __half2float(__float2half(a[i]) / __float2half(a[0]));
    r[4] = __half2float(hrcp(__float2half(a[i])));
    r[5] = __bfloat162float(__float2bfloat16(a[i]) / __float2bfloat16(a[0]));
}
static void want_named(const float *a, int i, float *r) {
    r[0] = a[i] / 3.0f;
    r[1] = a[i] / a[0];
    r[2] = 1.0f / a[i];
    r[3] = __half2float(__float2half(__half2float(__float2half(a[i])) / __half2float(__float2half(a[0]))));
    r[4] = __half2float(__float2half(1.0f / __half2float(__float2half(a[i]))));
    r[5] = __bfloat162float(__float2bfloat16(__bfloat162float(__float2bfloat16(a[i])) / __bfloat162float(__float2bfloat16(a[0]))));
}

__global__ void floats(const float *a, float *o, float divisor) {
    int i = threadIdx.x;
    float *r = o + i * FLOATS;
    r[0] = a[i] / 3.0f;
    r[1] = a[i] / divisor;
    r[2] = 1.0f / a[i];
    r[3] = a[i] / a[N - 1 - i];
}
static bool within(float v, double want) { return fabs(v - want) <= 2 * fabs(nextafterf(float(want), INFINITY) - float(want)); }

int main() {
    double *d, *dout, want[KINDS];
    float *f, *fout, wantf[KINDS];
    CUDA(cudaMallocManaged(&d, N * sizeof *d));
    CUDA(cudaMallocManaged(&dout, N * KINDS * sizeof *dout));
    CUDA(cudaMallocManaged(&f, N * sizeof *f));
    CUDA(cudaMallocManaged(&fout, N * KINDS * sizeof *fout));
    for (int i = 0; i < N; i++) d[i] = (i + 3) * (i % 3 == 1 ? 1.0 / 7 : 1), f[i] = float(d[i]);
    doubles<<<1, N>>>(d, dout);
    named<<<1, N>>>(f, fout);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) {
        want_doubles(d, i, want), want_named(f, i, wantf);
        for (int k = 0; k < KINDS; k++) {
            if (dout[i * KINDS + k] != want[k] && failures++ < 8) std::printf("double %d, thread %d: %.17g, want %.17g\n", k, i, dout[i * KINDS + k], want[k]);
            if (fout[i * KINDS + k] != wantf[k] && failures++ < 8) std::printf("float %d, thread %d: %.9g, want %.9g\n", k, i, double(fout[i * KINDS + k]), double(wantf[k]));
        }
    }
#ifdef FAST /* __fdividef: up to 2^126 */
    for (float divisor : {7.0f, 3e-30f, 5e37f}) {
#else
    for (float divisor : {7.0f, 3e-30f, 5e37f, 1.2e38f, 3e38f}) {
#endif
        for (int i = 0; i < N; i++) f[i] = divisor > 1e30f ? float((i + 3) * 1e36) : float((i + 3) / 7.0);
        floats<<<1, N>>>(f, fout, divisor);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < N; i++) {
            double q[] = {double(f[i]) / 3, double(f[i]) / double(divisor), 1 / double(f[i]), double(f[i]) / double(f[N - 1 - i])};
            for (int k = 0; k < FLOATS; k++)
                if (!(f[i] > 5e37f && k == 2) && !(f[N - 1 - i] > 8e37f && k == 3 && divisor == 5e37f) && !within(fout[i * FLOATS + k], q[k]) && failures++ < 8)
                    std::printf("quotient %d by %g, thread %d: %.9g, want %.9g\n", k, double(divisor), i, double(fout[i * FLOATS + k]), q[k]);
        }
    }
    return finish();
}
