// Divergent branches: nested ifs, loops with several exits, switch, goto, short circuits.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define BOTH __host__ __device__

BOTH int collatz(unsigned x) {
    int steps = 0;
    while (x != 1 && steps < 60) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        steps++;
    }
    return steps;
}

BOTH int nested_ifs(int x, int y) {
    int r = 0;
    if (x > 0) {
        if (y > 0) r = x * y;
        else if (y < -5) r = x - y;
        else {
            r = 7;
            if (x % 3 == 0) r += y;
        }
    } else if (x == y || (x < -10 && y / (x ? x : 1) > 2)) {
        r = -x;
    }
    return r * 2 + (x < y ? 1 : 0);
}

BOTH int exits(int x, const int *table) {
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        if (table[i] == x) return 1000 + i;
        if (sum > 90) break;
        if ((x ^ i) % 5 == 0) continue;
        for (int j = i; j < 20; j += 3) {
            if (table[j] > x + 40) goto out;
            if (table[j] == i) break;
            sum += j & x;
        }
    }
    return sum;
out:
    return -sum - 1;
}

BOTH int cases(int x) {
    int r = 0;
    switch (x & 15) {
    case 0: return 5;
    case 1:
    case 2: r = 2; // falls through
    case 3: r += x; break;
    case 9: r = -x; break;
    case 14:
        for (int i = 0; i < (x & 255); i++) r += i;
        break;
    default: r = x > 100 ? 1 : 3;
    }
    return r + 1;
}

BOTH unsigned backwards(unsigned x) {
    unsigned r = 1;
again:
    r = r * 31 + x;
    if (r % 7 < 3 && (x >>= 1)) goto again;
    if (x > 5) {
        x -= 3;
        r ^= 0x55;
        if (r & 8) goto again;
    }
    return r;
}

BOTH int all(int x, int y, const int *table) {
    int r = collatz(unsigned(x & 1023) + 1);
    r = r * 31 + nested_ifs(x, y);
    r = r * 31 + exits(x, table);
    r = r * 31 + cases(x);
    return r * 31 + int(backwards(unsigned(y)) & 0xffff);
}

__global__ void branch(const int *x, const int *y, const int *table, int *out, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    out[i] = all(x[i], y[i], table);
}

int main() {
    each_shape([](dim3 block, unsigned threads) {
        const unsigned blocks = 3, n = blocks * threads - threads / 3;
        Random random(threads);
        std::vector<int> x(n), y(n), table(20), want(blocks * threads);
        for (int &v : x) v = int(random.below(200)) - 60;
        for (int &v : y) v = int(random.below(300)) - 100;
        for (int &v : table) v = int(random.below(120)) - 20;
        for (unsigned i = 0; i < n; i++) want[i] = all(x[i], y[i], table.data());
        Buffer<int> dx(x), dy(y), dtable(table), out(want.size());
        branch<<<blocks, block>>>(dx, dy, dtable, out, n);
        SAME(out.get(), want);
    });
    return finish();
}
