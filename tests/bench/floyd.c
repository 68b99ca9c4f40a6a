/* floyd.c: by hand. */
#include "hand.h"

void floyd_omp(int *d, int n) {
    for (int k = 0; k < n; k++)
#pragma omp parallel for
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int over = d[y * n + k] + d[k * n + x];
                if (over < d[y * n + x]) d[y * n + x] = over;
            }
}

void floyd_simd(int *d, int n) {
    for (int k = 0; k < n; k++)
#pragma omp parallel for
        for (int y = 0; y < n; y++) {
            VI first = seti(d[y * n + k]);
            for (int x = 0; x < n; x += VW)
                storei(d + y * n + x, mini(loadi(d + y * n + x), first + loadi(d + k * n + x)));
        }
}
