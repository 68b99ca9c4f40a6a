// Grid-stride loops of which blocks of a row make the iterations together, before each block goes on with barriers,
// shared memory, warp functions and ids of its own.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --dump-after=coalesce_blocks %s -o %t 2>&1 | FileCheck %s
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 %s -o %t && %run %t; }
// RUN: %also { %cucpu -O3 --shuffle %s -o %t && env CUCPU_SCHED=shuffle:1 %run %t; }
// RUN: %also { %cucpu -G %s -o %t && %run %t; }
// CHECK-COUNT-5: call void @cucpu.barrier(i32 17)
#include <cstdio>
#include <vector>

__global__ void tree(int n, const int *x, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x, v = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x) v += x[i];
    s[t] = v;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (!t) out[blockIdx.x] = s[0];
}
__global__ void warps(size_t n, const int *x, int *out) {
    int v = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i];
    for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
    if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.x, v);
}
// Two loops; the sums live across several barriers after them.
__global__ void twice(int n, const int *x, int *out) {
    __shared__ int s[32];
    int first = blockIdx.x * blockDim.x + threadIdx.x, linear = threadIdx.y * blockDim.x + threadIdx.x, v = 0, w = 0;
    for (int i = first; i < n; i += blockDim.x * gridDim.x) v += x[i];
    for (int i = first; i < n; i += blockDim.x * gridDim.x) w += 2 * x[i] + (v & 1);
    if (linear < 32) s[linear] = 0;
    __syncthreads();
    atomicAdd(&s[linear % 32], v);
    __syncthreads();
    atomicAdd(&s[linear % 32], w);
    __syncthreads();
    if (linear < 32) atomicAdd(out + blockIdx.x, s[linear]);
    if (linear == 0) atomicAdd(out + blockIdx.x, first);
    __syncthreads();
    if (linear == 33) atomicAdd(out + blockIdx.x, v ^ w);
}
// Stores in the loop, a maximum, an array of the thread that lives on.
__global__ void maxima(int n, const int *x, int *y, int *out) {
    __shared__ int s;
    int first = blockIdx.x * blockDim.x + threadIdx.x, v = 0, last[3] = {0, 0, 0};
    for (int i = first; i < n; i += blockDim.x * gridDim.x) {
        v = max(v, x[i]);
        y[i] = x[i] + 1;
        last[x[i] % 3] = i;
    }
    if (!threadIdx.x) s = 0;
    __syncthreads();
    atomicMax(&s, v);
    __syncthreads();
    if (threadIdx.x == 1) out[blockIdx.x] = s + last[s % 3] - last[(s + 1) % 3];
}
// A value that a block shares, but not the row.
__global__ void shared_value(int n, const int *x, int *out) {
    __shared__ int s;
    int first = blockIdx.x * 64 + threadIdx.x, block = first / 64, v = 0;
    for (int i = first; i < n; i += 64 * gridDim.x) v += x[i] & block;
    if (!threadIdx.x) s = x[block];
    __syncthreads();
    atomicAdd(&s, v + block);
    __syncthreads();
    if (!threadIdx.x) out[blockIdx.x] = s;
}

static int wrong;

// The sum over the elements of each thread: f(element), then g(thread, sum).
template <class F> static std::vector<int> sums(int n, int grid, int row, F f) {
    std::vector<int> s(grid * row);
    for (int t = 0; t < grid * row; t++)
        for (int i = t; i < n; i += grid * row) f(s[t], i);
    return s;
}

template <class F> static void check(const char *name, int grid, int block, int *out, F expected) {
    cudaDeviceSynchronize();
    for (int b = 0; b < grid; b++) {
        if (out[b] != expected(b) && !wrong++)
            printf("%s, %d blocks of %d: out[%d] = %d, not %d\n", name, grid, block, b, out[b], expected(b));
        out[b] = 0;
    }
}

int main() {
    const int n = 200003;
    int *x, *y, *o;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    cudaMallocManaged(&o, 1000 * sizeof *o);
    for (int i = 0; i < n; i++) x[i] = i * 7919 % 1009;
    auto plus = [&](int &s, int i) { s += x[i]; };
    for (int g : {1, 3, 64, 300, 1000}) {
        for (int b : {256, 96, 100}) {
            std::vector<int> s = sums(n, g, b, plus), w = sums(n, g, b, [&](int &v, int i) { v += 2 * x[i]; });
            auto total = [&](int k) {
                int v = 0;
                for (int t = 0; t < b; t++) v += s[k * b + t];
                return v;
            };
            if (b == 256) {
                tree<<<g, b>>>(n, x, o);
                check("tree", g, b, o, total);
            }
            if (b % 32 == 0) {
                warps<<<g, b>>>(n, x, o);
                check("warps", g, b, o, total);
            }
            for (int rows : {1, 2}) {
                if (b * rows > 256 * 1 && b == 256 && rows == 2) continue;
                twice<<<g, dim3(b, rows)>>>(n, x, o);
                check("twice", g, b, o, [&](int k) {
                    int v = k * b, at = k * b + 33;
                    for (int t = 0; t < b; t++) {
                        int me = k * b + t, times = me < n ? (n - me + g * b - 1) / (g * b) : 0;
                        int second = w[me] + times * (s[me] & 1);
                        v += rows * (s[me] + second);
                        if (me == at) v += s[me] ^ second;
                    }
                    return v;
                });
            }
            maxima<<<g, b>>>(n, x, y, o);
            check("maxima", g, b, o, [&](int k) {
                int top = 0, last[3] = {0, 0, 0};
                for (int t = 0; t < b; t++)
                    for (int i = k * b + t; i < n; i += g * b) top = x[i] > top ? x[i] : top;
                for (int i = k * b + 1; i < n; i += g * b) last[x[i] % 3] = i;
                return top + last[top % 3] - last[(top + 1) % 3];
            });
            for (int i = 0; i < n; i++)
                if (y[i] != x[i] + 1 && !wrong++) printf("maxima: y[%d] = %d\n", i, y[i]);
        }
        shared_value<<<g, 64>>>(n, x, o);
        check("shared_value", g, 64, o, [&](int k) {
            int v = x[k] + 64 * k;
            for (int t = 0; t < 64; t++)
                for (int i = k * 64 + t; i < n; i += g * 64) v += x[i] & k;
            return v;
        });
    }
    return wrong != 0;
}
