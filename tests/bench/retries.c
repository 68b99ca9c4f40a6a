/* retries.c: by hand: atomic sums as OpenMP has them; bins for each thread, added up at the end; and the shape of the
** kernel: the sum of a block by plain additions, all others atomic. */
#include "hand.h"

void retries_omp(const float *in, double *sums, int n) {
    double all = 0;
#pragma omp parallel for reduction(+ : all)
    for (int i = 0; i < n; i++) {
        all += in[i];
#pragma omp atomic
        sums[1 + i % 61] += in[i];
    }
    sums[0] += all;
}

void retries_simd(const float *in, double *sums, int n) {
    double all[62] = {0};
#pragma omp parallel for reduction(+ : all)
    for (int i = 0; i < n; i++) {
        all[0] += in[i];
        all[1 + i % 61] += in[i];
    }
    for (int k = 0; k < 62; k++) sums[k] += all[k];
}

void retries_shape(const float *in, double *sums, int n) {
#pragma omp parallel for
    for (int block = 0; block < n; block += 256) {
        double all = 0;
        for (int i = block; i < n && i < block + 256; i++) {
            all += in[i];
#pragma omp atomic
            sums[1 + i % 61] += in[i];
        }
#pragma omp atomic
        sums[0] += all;
    }
}
