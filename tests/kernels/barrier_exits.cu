// Threads that have returned do not count at a barrier; whole groups may be gone.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define MOST 1024

/* threads from `alive` on return first; the others go on over barriers */
__global__ void early(int *out, unsigned alive) {
    __shared__ int s[MOST];
    unsigned t = thread_rank();
    int keep[8];
    for (int i = 0; i < 8; i++) keep[i] = int(t) * i;
    out[global_rank()] = -1;
    if (t >= alive) return;
    s[t] = int(t) + 100;
    __syncthreads();
    int v = s[(t + 1) % alive];
    __syncthreads();
    s[t] = v * 2;
    __syncthreads();
    out[global_rank()] = s[(t + 1) % alive] + keep[v & 7];
}

/* one thread less with every round: a loop whose barrier is met by fewer and fewer */
__global__ void shrinking(int *out) {
    __shared__ int count;
    unsigned t = thread_rank();
    if (t == 0) count = 0;
    __syncthreads();
    for (unsigned i = 0; i < 5; i++) {
        atomicAdd(&count, 1);
        __syncthreads();
        int now = count;
        __syncthreads();
        if (t == 5 - i) {
            out[global_rank()] = now;
            return;
        }
    }
    out[global_rank()] = count;
}

/* rounds of those that are left, with loops inside, and memory behind them */
__global__ void rounds(int *out, unsigned alive, unsigned n, unsigned times) {
    __shared__ int s[2 * MOST];
    unsigned t = thread_rank();
    if (t >= alive) return;
    for (unsigned i = t; i < 2 * alive; i += alive) s[i] = int(i);
    __syncthreads();
    for (unsigned k = 1; k <= times; k *= 2) {
        for (unsigned j = k; j; j >>= 1) {
            int sum = 0;
            for (unsigned i = t; i < 2 * alive; i += alive)
                if (i & j) sum += s[i ^ (i + j < 2 * alive ? 0 : j)];
            __syncthreads();
            s[t] += sum + int(j);
            __syncthreads();
        }
    }
    for (unsigned i = t; i < n; i += alive) out[blockIdx.x * n + i] = s[i % alive] + int(i);
}

static std::vector<int> rounds_by_hand(unsigned alive, unsigned n, unsigned times) {
    std::vector<int> s(2 * alive), sum(alive), out(2 * n);
    for (unsigned i = 0; i < 2 * alive; i++) s[i] = int(i);
    for (unsigned k = 1; k <= times; k *= 2)
        for (unsigned j = k; j; j >>= 1) {
            for (unsigned t = 0; t < alive; t++) {
                sum[t] = 0;
                for (unsigned i = t; i < 2 * alive; i += alive)
                    if (i & j) sum[t] += s[i ^ (i + j < 2 * alive ? 0 : j)];
            }
            for (unsigned t = 0; t < alive; t++) s[t] += sum[t] + int(j);
        }
    for (unsigned i = 0; i < 2 * n; i++) out[i] = s[i % n % alive] + int(i % n);
    return out;
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        for (unsigned alive : {1u, n / 2 + 1, n}) {
            Buffer<int> out(2 * n);
            std::vector<int> want(2 * n, -1);
            for (unsigned t = 0; t < alive; t++) {
                int v = int((t + 1) % alive) + 100;
                want[t] = want[n + t] = (int((t + 2) % alive) + 100) * 2 + int(t) * (v & 7);
            }
            early<<<2, block>>>(out, alive);
            SAME(out.get(), want);
            rounds<<<2, block>>>(out, alive, n, 4);
            SAME(out.get(), rounds_by_hand(alive, n, 4));
        }
        Buffer<int> out(n);
        std::vector<int> want(n);
        shrinking<<<1, block>>>(out);
        int total = 0;
        for (unsigned i = 0; i < 5; i++) {
            unsigned gone = 0;
            for (unsigned j = 0; j < i; j++) gone += 5 - j < n;
            total += int(n - gone);
            if (5 - i < n) want[5 - i] = total;
        }
        for (unsigned t = 0; t < n; t++)
            if (t == 0 || t > 5) want[t] = total;
        SAME(out.get(), want);
    });
    return finish();
}
