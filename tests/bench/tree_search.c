/* tree_search.c: by hand: a vector of searches with gathers; those that ended stay where they are. */
#include "hand.h"

void tree_search_omp(const int *tree, int nodes, const int *keys, int *found, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int at = 0, result = -1;
        while (at < nodes) {
            int here = tree[at];
            if (here == keys[i]) {
                result = at;
                break;
            }
            at = keys[i] < here ? 2 * at + 1 : 2 * at + 2;
        }
        found[i] = result;
    }
}

void tree_search_simd(const int *tree, int nodes, const int *keys, int *found, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i += VW) {
        VI key = loadi(keys + i), at = {0}, result = seti(-1), live = seti(-1);
        while (any(live)) {
            VI here = gatheri(tree, live & at), hit = live & (here == key);
            result = picki(hit, at, result);
            at = 2 * at + 2 + (key < here);
            live &= ~hit & (at < nodes);
        }
        storei(found + i, result);
    }
}
