/* histogram.c: by hand; SIMD does not help: the second version has four tables against stalls. */
#include "hand.h"

void histogram_omp(const unsigned char *in, int *bins, int n) {
#pragma omp parallel for reduction(+ : bins[:256])
    for (int i = 0; i < n; i++) bins[in[i]]++;
}

void histogram_simd(const unsigned char *in, int *bins, int n) {
    int tables[4][256] = {{0}};
#pragma omp parallel for reduction(+ : tables[:4][:256])
    for (int i = 0; i < n / 4; i++)
        for (int k = 0; k < 4; k++) tables[k][in[4 * i + k]]++;
    for (int i = n / 4 * 4; i < n; i++) tables[0][in[i]]++;
    for (int b = 0; b < 256; b++)
        bins[b] += tables[0][b] + tables[1][b] + tables[2][b] + tables[3][b];
}

/* Shape of the kernel: every block counts its chunks of 256 in one table and adds it to the
** bins. */
void histogram_shape(const unsigned char *in, int *bins, int n) {
    enum { BLOCKS = 16, CHUNK = 256 };
#pragma omp parallel for
    for (int b = 0; b < BLOCKS; b++) {
        int s[256] = {0};
        for (int first = b * CHUNK; first < n; first += BLOCKS * CHUNK) {
            int i = first, end = n - first < CHUNK ? n : first + CHUNK;
            for (; i + 8 <= end; i += 8) {
                uint64_t eight;
                memcpy(&eight, in + i, sizeof eight);
                UNROLL for (int k = 0; k < 8; k++) s[eight >> 8 * k & 255]++;
            }
            for (; i < end; i++) s[in[i]]++;
        }
        for (int i = 0; i < 256; i++) __atomic_fetch_add(&bins[i], s[i], __ATOMIC_RELAXED);
    }
}
