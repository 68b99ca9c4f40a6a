/* histogram.c: by hand; SIMD does not help: the second version has four tables against stalls. */
#include "hand.h"

void histogram_omp(const unsigned char *in, int *bins, int n) {
#pragma omp parallel for reduction(+ : bins[ : 256])
    for (int i = 0; i < n; i++) bins[in[i]]++;
}

void histogram_simd(const unsigned char *in, int *bins, int n) {
    int tables[4][256] = {{0}};
#pragma omp parallel for reduction(+ : tables[ : 4][ : 256])
    for (int i = 0; i < n / 4; i++)
        for (int k = 0; k < 4; k++) tables[k][in[4 * i + k]]++;
    for (int i = n / 4 * 4; i < n; i++) tables[0][in[i]]++;
    for (int b = 0; b < 256; b++) bins[b] += tables[0][b] + tables[1][b] + tables[2][b] + tables[3][b];
}
