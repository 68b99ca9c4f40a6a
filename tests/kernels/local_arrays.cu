// Local arrays with dynamic indices, addresses that escape, arrays of structures.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define BOTH __host__ __device__

struct Item {
    int key;
    float value;
};

BOTH void sort(Item *v, int n) {
    for (int i = 1; i < n; i++) {
        Item x = v[i];
        int j = i - 1;
        for (; j >= 0 && v[j].key > x.key; j--) v[j + 1] = v[j];
        v[j + 1] = x;
    }
}

BOTH float work(int seed) {
    Item items[12];
    unsigned char used[16] = {0};
    int stack[32], top = 0, grid[4][5];
    unsigned s = unsigned(seed) * 2654435761u + 1;
    for (int i = 0; i < 12; i++) {
        s = s * 1664525u + 1013904223u;
        items[i].key = int(s >> 24);
        items[i].value = float(i);
        used[s >> 28]++;
    }
    sort(items, 4 + (seed & 7));
    stack[top++] = seed & 15;
    int visited = 0;
    while (top > 0 && visited < 50) {
        int x = stack[--top];
        visited++;
        if (x > 0) stack[top++] = x / 2;
        if (x > 3) stack[top++] = x - 3;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++) grid[i][j] = used[(i * j) & 15] + i;
    float r = float(visited);
    for (int i = 0; i < 12; i++) r = r * 0.5f + items[i].value + float(items[i].key) + float(grid[i & 3][items[i].key % 5]);
    return r;
}

__global__ void run(float *out) { out[global_rank()] = work(int(global_rank())); }

int main() {
    each_shape([](dim3 block, unsigned threads) {
        std::vector<float> want(2 * threads);
        for (unsigned i = 0; i < want.size(); i++) want[i] = work(int(i));
        Buffer<float> out(want.size());
        run<<<2, block>>>(out);
        auto got = out.get();
        for (size_t i = 0; i < want.size(); i++) CHECK(std::fabs(got[i] - want[i]) <= 2e-6f * std::fabs(want[i]));
    });
    return finish();
}
