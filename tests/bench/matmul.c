/* matmul.c: by hand: rows as sums of rows; registers hold 8 rows of 2 vectors. */
#include "hand.h"

void matmul_omp(const float *a, const float *b, float *c, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) c[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

void matmul_simd(const float *a, const float *b, float *c, int n) {
    enum { ROWS = 8 };
#pragma omp parallel for
    for (int i = 0; i < n; i += ROWS)
        for (int j = 0; j < n; j += 2 * VW) {
            VF low[ROWS] = {0}, high[ROWS] = {0};
            for (int k = 0; k < n; k++) {
                VF b0 = loadf(&b[k * n + j]), b1 = loadf(&b[k * n + j + VW]);
                for (int r = 0; r < ROWS; r++) {
                    VF x = setf(a[(i + r) * n + k]);
                    low[r] += x * b0;
                    high[r] += x * b1;
                }
            }
            for (int r = 0; r < ROWS; r++) {
                storef(&c[(i + r) * n + j], low[r]);
                storef(&c[(i + r) * n + j + VW], high[r]);
            }
        }
}
