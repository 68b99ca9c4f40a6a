/* spmv.c: by hand: a vector of rows, like the lanes of the kernel. */
#include "hand.h"

void spmv_omp(const int *start, const int *col, const float *val, const float *x, float *y, int n) {
#pragma omp parallel for
    for (int row = 0; row < n; row++) {
        float sum = 0;
        for (int i = start[row]; i < start[row + 1]; i++) sum += val[i] * x[col[i]];
        y[row] = sum;
    }
}

/* Lanes whose row has ended read what follows it: the arrays have a margin. */
void spmv_simd(const int *start, const int *col, const float *val, const float *x, float *y, int n) {
    int last = start[n];
#pragma omp parallel for
    for (int row = 0; row < n; row += VW) {
        VI i = loadi(start + row), end = loadi(start + row + 1), live;
        VF total = {0};
        while (any(live = i < end)) {
            VI at = mini(i, seti(last));
            total = pickf(live, total + gatherf(val, at) * gatherf(x, gatheri(col, at)), total);
            i -= live;
        }
        storef(y + row, total);
    }
}
