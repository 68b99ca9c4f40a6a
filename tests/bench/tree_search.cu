// tree_search.cu: each thread walks down a binary tree; pointer chasing, divergent exits.
#include "bench.h"

extern "C" void tree_search_omp(const int *tree, int nodes, const int *keys, int *found, int n);
extern "C" void tree_search_simd(const int *tree, int nodes, const int *keys, int *found, int n);

__global__ void tree_search(const int *tree, int nodes, const int *keys, int *found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i], at = 0, result = -1;
    while (at < nodes) {
        int here = tree[at];
        if (here == key) {
            result = at;
            break;
        }
        at = key < here ? 2 * at + 1 : 2 * at + 2;
    }
    found[i] = result;
}

static int fill(int *tree, int nodes, int at, int next) {
    if (at >= nodes) return next;
    next = fill(tree, nodes, 2 * at + 1, next);
    tree[at] = 3 * next++;
    return fill(tree, nodes, 2 * at + 2, next);
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "tree_search");
    int n = bench.small ? 1000 : 32768, nodes = (1 << 14) - 1;
    int *tree = bench.array<int>(nodes), *keys = bench.ints(n, 0, 3 * nodes);
    fill(tree, nodes, 0, 0);
    int *found = bench.output<int>(n, 0);
    return bench.run([&] { tree_search<<<(n + 127) / 128, 128>>>(tree, nodes, keys, found, n); },
                     [&] { tree_search_omp(tree, nodes, keys, found, n); },
                     [&] { tree_search_simd(tree, nodes, keys, found, n & ~15); tree_search_omp(tree, nodes, keys + (n & ~15), found + (n & ~15), n & 15); });
}
