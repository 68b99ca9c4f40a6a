/* saxpy.c: by hand. */
#include "hand.h"

void saxpy_omp(float a, const float *x, const float *z, float *y, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) y[i] = a * x[i] + z[i];
}

void saxpy_simd(float a, const float *x, const float *z, float *y, int n) {
    int full = n / VW * VW;
#pragma omp parallel for
    for (int i = 0; i < full; i += VW) storef(y + i, a * loadf(x + i) + loadf(z + i));
    for (int i = full; i < n; i++) y[i] = a * x[i] + z[i];
}
