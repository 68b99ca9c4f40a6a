// Barriers in loops: trip counts from memory, nested loops, break and continue, loop state live across.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define MOST 1024

/* trip count is the same for the block, known only at run time, differs between blocks */
__global__ void tree_sum(const int *in, int *out, const int *lengths) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = lengths[block_rank()];
    s[t] = t < n ? in[global_rank()] : 0;
    __syncthreads();
    unsigned half = 1;
    while (half < n) half *= 2;
    for (half /= 2; half > 0; half /= 2) {
        if (t < half && t + half < n) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[block_rank()] = s[0];
}

__global__ void nested(int *out, const int *trips) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    int sum = 0;
    s[t] = t;
    __syncthreads();
    for (int i = 0; i < trips[0]; i++) {
        for (int j = 0; j <= i; j++) {
            int v = s[(t + i + j) % n];
            __syncthreads();
            s[t] = v + j;
            __syncthreads();
            sum += v * (i + 1);
        }
        sum ^= i;
    }
    out[global_rank()] = sum;
}

/* `stop` and `skip` are uniform; the accumulator is not */
__global__ void leave(int *out, const int *trips) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    int sum = 0, i = 0;
    do {
        s[t] = int(t) * i;
        __syncthreads();
        if (i == trips[1]) break;
        sum += s[(t + 1) % n];
        __syncthreads();
        if (i % 3 == 1) continue;
        sum += i;
        if (t % 2) sum ^= 1;
        __syncthreads();
    } while (++i < trips[0] || i < 0);
    out[global_rank()] = sum * 16 + i;
}

/* different barriers end in one tail */
__global__ void shared_tail(int *out, int mode) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    int v = t;
    for (int i = 0; i < 4; i++) {
        s[t] = v;
        if (((mode >> i) & 1) != 0) {
            __syncthreads();
            v += s[(t + 1) % n];
        } else {
            v += 2;
            __syncthreads();
            v -= s[(t + n - 1) % n];
        }
        __syncthreads();
    }
    out[global_rank()] = v;
}

static std::vector<int> nested_reference(unsigned n, int trips) {
    std::vector<int> s(n), sum(n), next(n);
    for (unsigned t = 0; t < n; t++) s[t] = int(t);
    for (int i = 0; i < trips; i++) {
        for (int j = 0; j <= i; j++) {
            for (unsigned t = 0; t < n; t++) {
                int v = s[(t + unsigned(i + j)) % n];
                next[t] = v + j;
                sum[t] += v * (i + 1);
            }
            s = next;
        }
        for (int &x : sum) x ^= i;
    }
    return sum;
}

static std::vector<int> leave_reference(unsigned n, int most, int stop) {
    std::vector<int> out(n);
    for (unsigned t = 0; t < n; t++) {
        int sum = 0, i = 0;
        do {
            if (i == stop) break;
            sum += int((t + 1) % n) * i;
            if (i % 3 == 1) continue;
            sum += i;
            if (t % 2) sum ^= 1;
        } while (++i < most);
        out[t] = sum * 16 + i;
    }
    return out;
}

static std::vector<int> tail_reference(unsigned n, int mode) {
    std::vector<int> v(n), s;
    for (unsigned t = 0; t < n; t++) v[t] = int(t);
    for (int i = 0; i < 4; i++) {
        s = v;
        for (unsigned t = 0; t < n; t++)
            if (((mode >> i) & 1) != 0) v[t] += s[(t + 1) % n];
            else v[t] += 2 - s[(t + n - 1) % n];
    }
    return v;
}

/* start and end both have the thread's id: all threads go round equally often, and go on to memory behind the loop */
__global__ void tokens(const int *in, int *out, int *state, int first, int count, int step) {
    __shared__ int s[MOST];
    int t = int(thread_rank()), n = int(blockDim.x * blockDim.y * blockDim.z), sum = 0;
    for (int i = first * step + t; i < (first + count) * step + t; i += step) {
        __syncthreads();
        s[t] = in[i];
        __syncthreads();
        sum += s[n - 1 - t] + i;
        out[i] = sum;
    }
    state[t] = sum;
}

/* two accumulators that change places; what they start with is needed after the loop */
__global__ void exchanged(int *out, const int *trips) {
    __shared__ int s[MOST];
    int t = int(thread_rank()), n = int(blockDim.x * blockDim.y * blockDim.z), start = trips[t % 2] + t, a = start, b = 3;
    for (int i = 0; i < trips[0]; i++) {
        s[t] = a + i;
        __syncthreads();
        int next = b + s[(t + 1) % n];
        b = a, a = next;
        __syncthreads();
    }
    __syncthreads();
    out[global_rank()] = a * 5 + b + start * 7;
}

static std::vector<int> exchanged_reference(unsigned n, int trips) {
    std::vector<int> a(n), b(n, 3), start, next(n);
    for (unsigned t = 0; t < n; t++) a[t] = int(t) + (t % 2 ? 4 : trips);
    start = a;
    for (int i = 0; i < trips; i++) {
        for (unsigned t = 0; t < n; t++) next[t] = b[t] + a[(t + 1) % n] + i;
        b = a, a = next;
    }
    for (unsigned t = 0; t < n; t++) a[t] = a[t] * 5 + b[t] + start[t] * 7;
    return a;
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        const unsigned blocks = 4;
        Random random(n);
        std::vector<int> in(blocks * n), lengths(blocks), sums(blocks);
        for (int &x : in) x = int(random.below(1000));
        for (unsigned b = 0; b < blocks; b++) {
            lengths[b] = 1 + int(random.below(n));
            for (int t = 0; t < lengths[b]; t++) sums[b] += in[b * n + unsigned(t)];
        }
        Buffer<int> din(in), dlengths(lengths), dsums(blocks), dout(n);
        tree_sum<<<blocks, block>>>(din, dsums, dlengths);
        SAME(dsums.get(), sums);
        for (int trips : {0, 1, 5}) {
            Buffer<int> dtrips(std::vector<int>{trips, 4});
            nested<<<1, block>>>(dout, dtrips);
            SAME(dout.get(), nested_reference(n, trips));
            leave<<<1, block>>>(dout, dtrips);
            SAME(dout.get(), leave_reference(n, trips, 4));
            exchanged<<<1, block>>>(dout, dtrips);
            SAME(dout.get(), exchanged_reference(n, trips));
        }
        for (int count : {0, 1, 4}) {
            const int step = int(n) + 3, first = 2, all = (first + 4) * step + int(n);
            std::vector<int> data(static_cast<size_t>(all)), got(data.size()), state(n);
            for (int &x : data) x = int(random.below(1000));
            for (int t = 0; t < int(n); t++)
                for (int i = first * step + t; i < (first + count) * step + t; i += step)
                    got[size_t(i)] = state[size_t(t)] += data[size_t(i + int(n) - 1 - 2 * t)] + i;
            Buffer<int> ddata(data), dgot(data.size()), dstate(n);
            tokens<<<1, block>>>(ddata, dgot, dstate, first, count, step);
            SAME(dgot.get(), got);
            SAME(dstate.get(), state);
        }
        for (int mode : {0, 5, 15}) {
            shared_tail<<<1, block>>>(dout, mode);
            SAME(dout.get(), tail_reference(n, mode));
        }
    });
    return finish();
}
