// How groups of a block are looped over: several in lockstep where they share work, rows that are left
// early where a comparison with threadIdx.x stays false.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --disable=unroll_and_jam %s -o %t.alone && %t.alone; }
#include "check.h"

#define MOST 1024
#define DEPTH 8

/* Tile product: rows share columns, columns share rows; the sum lives across barriers. */
__global__ void tile(const int *a, const int *b, int *out, int turns) {
    __shared__ int rows[MOST], columns[DEPTH][MOST];
    unsigned t = thread_rank(), x = threadIdx.x, row = threadIdx.z * blockDim.y + threadIdx.y;
    int sum = 0;
    for (int k = 0; k < turns; k++) {
        rows[t] = a[t] + k;
        for (unsigned i = row; i < DEPTH; i += blockDim.y * blockDim.z) columns[i][x] = b[(i * 31 + x) % MOST] ^ k;
        __syncthreads();
        for (int i = 0; i < DEPTH; i++) sum += rows[row * blockDim.x + unsigned(i) % blockDim.x] * columns[i][x];
        __syncthreads();
    }
    out[t] = sum;
}

/* Groups in lockstep have a local array each, and a count for each. */
__global__ void locals(const int *a, int *out, int n) {
    int mine[8];
    unsigned t = thread_rank();
    for (int i = 0; i < 8; i++) mine[i] = int(t) + i;
    for (int i = 0; i < n; i++) mine[a[i] & 7] += a[i] * (a[n + i] + 1);
    int count = __syncthreads_count(mine[a[0] & 7] & 1);
    int sum = count;
    for (int i = 0; i < 8; i++) sum = sum * 3 + mine[(a[1] + i) & 7];
    out[t] = sum;
}

/* Conditions that become false, or true, for the rest of a row; and some that only look so. */
__global__ void early(const int *limits, int *out) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), x = threadIdx.x;
    int low = limits[0], sx = int(x);
    s[t] = 0;
    __syncthreads();
    if (sx < low) s[t] += 1;
    __syncthreads();
    if (sx >= low) s[t] += 2;
    __syncthreads();
    if (x == 0) s[t] += 4;
    __syncthreads();
    if (2 * sx + 1 < low + int(threadIdx.y)) s[t] += 8;
    __syncthreads();
    if (x - unsigned(low) < 5u) s[t] += 16;
    __syncthreads();
    if (x + unsigned(limits[1]) < 7u) s[t] += 32; /* wraps */
    __syncthreads();
    if (x != 0) s[t] += 64;
    __syncthreads();
    if (sx * limits[2] < low) s[t] += 128; /* falls where the factor is negative */
    __syncthreads();
    if (low - sx > 3) s[t] += 256;
    __syncthreads();
    for (int w = limits[3]; w > 0; w /= 2) {
        if (sx < w) s[t] += w << 10;
        __syncthreads();
    }
    out[t] = s[t];
}

static std::vector<int> tile_reference(const std::vector<int> &a, const std::vector<int> &b, dim3 d, int turns) {
    std::vector<int> out(volume(d));
    for (unsigned t = 0; t < out.size(); t++)
        for (int k = 0; k < turns; k++)
            for (unsigned i = 0; i < DEPTH; i++)
                out[t] += (a[t / d.x * d.x + i % d.x] + k) * (b[(i * 31 + t % d.x) % MOST] ^ k);
    return out;
}

static std::vector<int> locals_reference(const std::vector<int> &a, unsigned threads, int n) {
    std::vector<int> out(threads);
    std::vector<std::vector<int>> mine(threads, std::vector<int>(8));
    int count = 0;
    for (unsigned t = 0; t < threads; t++) {
        for (int i = 0; i < 8; i++) mine[t][unsigned(i)] = int(t) + i;
        for (unsigned i = 0; i < unsigned(n); i++) mine[t][a[i] & 7] += a[i] * (a[unsigned(n) + i] + 1);
        count += mine[t][a[0] & 7] & 1;
    }
    for (unsigned t = 0; t < threads; t++) {
        out[t] = count;
        for (int i = 0; i < 8; i++) out[t] = int(unsigned(out[t]) * 3u + unsigned(mine[t][(a[1] + i) & 7]));
    }
    return out;
}

static std::vector<int> early_reference(const std::vector<int> &limits, dim3 d) {
    std::vector<int> out(volume(d));
    for (unsigned t = 0; t < out.size(); t++) {
        unsigned x = t % d.x, y = t / d.x % d.y;
        int sx = int(x), low = limits[0], v = 0;
        v += sx < low ? 1 : 2;
        v += x == 0 ? 4 : 64;
        v += 2 * sx + 1 < low + int(y) ? 8 : 0;
        v += x - unsigned(low) < 5u ? 16 : 0;
        v += x + unsigned(limits[1]) < 7u ? 32 : 0;
        v += sx * limits[2] < low ? 128 : 0;
        v += low - sx > 3 ? 256 : 0;
        for (int w = limits[3]; w > 0; w /= 2) v += sx < w ? w << 10 : 0;
        out[t] = v;
    }
    return out;
}

int main() {
    Random random(7);
    std::vector<int> a(MOST), b(MOST);
    for (int &x : a) x = int(random.below(100));
    for (int &x : b) x = int(random.below(100));
    Buffer<int> da(a), db(b), dout(MOST);
    const dim3 more[] = {dim3(16, 13), dim3(32, 5), dim3(96), dim3(16, 1, 7), dim3(64, 15), dim3(128, 2, 3)};
    auto test = [&](dim3 block, unsigned n) {
        auto result = [&] {
            std::vector<int> v = dout.get();
            v.resize(n);
            return v;
        };
        tile<<<1, block>>>(da, db, dout, 3);
        SAME(result(), tile_reference(a, b, block, 3));
        locals<<<1, block>>>(da, dout, 20);
        SAME(result(), locals_reference(a, n, 20));
        for (int low : {0, 1, 5, 16, 40, 1000}) {
            std::vector<int> limits = {low, low % 2 ? -3 : 2, low % 3 - 1, low * 3};
            Buffer<int> dlimits(limits);
            early<<<1, block>>>(dlimits, dout);
            SAME(result(), early_reference(limits, block));
        }
    };
    each_shape(test);
    for (dim3 block : more) test(block, volume(block));
    return finish();
}
