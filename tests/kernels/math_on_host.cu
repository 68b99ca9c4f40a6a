// CUDA's own math functions called by host code, with the same results as in kernels.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
#include <cmath>
#include <cstdio>

// Every function once; s is the host's or the device's list.
__host__ __device__ void all(double x, float f, double *r, float *s) {
    const double v[4] = {x, 2, 3, 4};
    const float w[4] = {f, 2, 3, 4};
    int i = 0, k = 0;
    r[i++] = erfinv(x), r[i++] = erfcinv(x), r[i++] = erfcx(x), r[i++] = normcdf(x), r[i++] = normcdfinv(x);
    r[i++] = rcbrt(x), r[i++] = sinpi(x), r[i++] = cospi(x), r[i++] = rsqrt(x), r[i++] = cyl_bessel_i0(x);
    r[i++] = cyl_bessel_i1(x), r[i++] = rhypot(x, 2.0), r[i++] = norm3d(x, 1.0, 2.0), r[i++] = rnorm3d(x, 1.0, 2.0);
    r[i++] = norm4d(x, 1.0, 2.0, 3.0), r[i++] = rnorm4d(x, 1.0, 2.0, 3.0), r[i++] = norm(4, v), r[i++] = rnorm(4, v);
    sincospi(x, &r[i], &r[i + 1]);
    s[k++] = erfinvf(f), s[k++] = erfcinvf(f), s[k++] = erfcxf(f), s[k++] = normcdff(f), s[k++] = normcdfinvf(f);
    s[k++] = rcbrtf(f), s[k++] = sinpif(f), s[k++] = cospif(f), s[k++] = rsqrtf(f), s[k++] = cyl_bessel_i0f(f);
    s[k++] = cyl_bessel_i1f(f), s[k++] = rhypotf(f, 2), s[k++] = norm3df(f, 1, 2), s[k++] = rnorm3df(f, 1, 2);
    s[k++] = norm4df(f, 1, 2, 3), s[k++] = rnorm4df(f, 1, 2, 3), s[k++] = normf(4, w), s[k++] = rnormf(4, w);
    sincospif(f, &s[k], &s[k + 1]);
}

__global__ void kernel(double x, float f, double *r, float *s) { all(x, f, r, s); }

int main() {
    enum { N = 20 };
    double r[N], *dr;
    float s[N], *ds;
    cudaMallocManaged(&dr, sizeof r);
    cudaMallocManaged(&ds, sizeof s);
    int errors = 0;
    for (int step = 1; step < 10; step++) {
        volatile double x = step / 10.0;
        all(x, (float)x, r, s);
        kernel<<<1, 1>>>(x, (float)x, dr, ds);
        if (cudaDeviceSynchronize() != cudaSuccess) return 2;
        for (int i = 0; i < N; i++) {
            bool same = std::fabs(r[i] - dr[i]) <= 1e-14 * std::fabs(dr[i]) &&
                        std::fabs(s[i] - ds[i]) <= 5e-7f * std::fabs(ds[i]);
            if (!same) std::printf("%d at %g: %g %g %g %g\n", i, x, r[i], dr[i], s[i], ds[i]);
            errors += !same;
        }
    }
    volatile double half = 0.5;
    if (std::fabs(erfinv(half) - 0.47693627620446987) > 1e-15) errors++;
    if (std::fabs(normcdf(half) - 0.69146246127401312) > 1e-15 || rsqrt(0.25 * half * 2) != 2) errors++;
    return errors != 0;
}
