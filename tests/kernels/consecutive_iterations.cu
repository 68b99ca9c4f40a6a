// Threads that make consecutive iterations each, in several spellings: with arrays that overlap, an iteration that reads
// what the one before it has stored, counters near the end of their type, shared memory, atomics.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <cstdio>
#include <cstring>

enum { N = 5000 };

__global__ void tested(const int *x, int *y, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int q = 0; q < 4; q++) {
        int i = first + q;
        if (i < n) {
            int s = 0;
            for (int k = 0; k < x[i] % 5; k++) s += x[(i + 7 * k) % n];
            y[i] = s;
        }
    }
}
__global__ void left(const int *x, int *y, unsigned n) {
    unsigned first = ((threadIdx.y * blockDim.x + threadIdx.x) + blockIdx.x * (blockDim.x * blockDim.y)) * 8u;
    for (int q = 0; q < 8; q++) {
        unsigned i = first + q;
        if (i >= n) break;
        y[i] = x[i] > 3 ? x[n - 1 - i] * 3 : 7;
    }
}
__global__ void bounded(const int *x, int *y, long long n) {
    long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * 5;
    long long last = first + 5 < n ? first + 5 : n;
    for (long long i = first; i < last; i++) y[i] = x[i] * x[i] + (int)i;
}
__global__ void whole(const int *__restrict__ x, int *__restrict__ y) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 3;
    for (int i = first; i < first + 3; i++) y[i] = x[i] + x[0] + 1;
}
__global__ void solid(const int *x, int *y, size_t n) {
    size_t plane = blockDim.x * blockDim.y, t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    for (size_t q = 0; q < 2; q++) {
        size_t i = (blockIdx.x * (plane * blockDim.z) + t) * 2 + q;
        if (i < n) y[i] = x[i] - 9;
    }
}
struct Pair { int a, b; };
__global__ void pairs(const int *x, Pair *y, int n) {
    for (int q = 0; q < 4; q++) {
        int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x) + q;
        if (2 * i + 1 < n) {
            y[i].a = x[i];
            y[i].b = y[i].a * 2 + x[2 * i];
        }
    }
}
// What an iteration stores the next one loads.
__global__ void chained(int *y, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int q = 0; q < 4; q++) {
        int i = first + q;
        if (i < n && i % 4) y[i] += y[i - 1];
    }
}
// The same where the arrays overlap: there is one thread.
__global__ void passed_on(const int *x, int *y, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int q = 0; q < 4; q++)
        if (first + q < n) y[first + q] = x[first + q] + 1;
}
struct Arrays { int n; const int *x; int *y; };
__global__ void passed_on_by_value(Arrays a) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int q = 0; q < 4; q++)
        if (first + q < a.n) a.y[first + q] = a.x[first + q] + 1;
}
// i + 1 is the next index, too.
__global__ void between(const int *x, int *y, unsigned n) {
    unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * 4, last = first + 4 < n ? first + 4 : n;
    for (unsigned i = first; i < last; i++) y[i] = x[i] + x[i + 1 < n ? i + 1 : 0];
}
// What a thread stores in one loop it loads after it.
__global__ void twice(const int *x, int *t, int *y, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int q = 0; q < 4; q++)
        if (first + q < n) t[first + q] = x[first + q] * 5;
    int s = 0;
    for (int q = 0; q < 4; q++)
        if (first + q < n) s += t[first + q];
    if (first < n) y[first] = s;
}
__global__ void counted(const int *x, int *y, int n) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int q = 0; q < 4; q++)
        if (first + q < n) atomicAdd(&bins[x[first + q] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&y[threadIdx.x], bins[threadIdx.x]);
}
// The last intervals end where the counter wraps around.
__global__ void at_end(unsigned start, unsigned n, int *y) {
    unsigned first = start + threadIdx.x * 4, last = first + 4 < n ? first + 4 : n;
    for (unsigned i = first; i < last; i++) y[i - start] = (int)(i - start) + 2;
}
__global__ void at_end_tested(unsigned start, unsigned n, int *y) {
    for (int q = 0; q < 4; q++) {
        unsigned i = start + threadIdx.x * 4 + q;
        if (i >= n) break;
        y[i - start] = (int)(i - start) + 2;
    }
}

static int wrong;
static int *x, *y, *z, input[N];

static void clear() { memset(y, 0, 2 * N * sizeof *y); }

template <class F> static void expect(const char *name, int n, F f) {
    cudaDeviceSynchronize();
    int bad = 0;
    for (int i = 0; i < n; i++) bad += y[i] != f(i);
    for (int i = n; i < 2 * N; i++) bad += y[i] != 0;
    if (bad) printf("%s: %d wrong\n", name, bad);
    wrong += bad;
    clear();
}

int main() {
    cudaMallocManaged(&x, N * sizeof *x);
    cudaMallocManaged(&y, 2 * N * sizeof *y);
    cudaMallocManaged(&z, N * sizeof *z);
    for (int i = 0; i < N; i++) x[i] = input[i] = i * 2654435761u >> 25;
    clear();
    for (int n : {(int)N, 4097, 130, 3}) {
        tested<<<(N + 1023) / 1024, 256>>>(x, y, n);
        expect("tested", n, [&](int i) {
            int s = 0;
            for (int k = 0; k < x[i] % 5; k++) s += x[(i + 7 * k) % n];
            return s;
        });
        for (dim3 block : {dim3(16, 8), dim3(10, 10), dim3(100), dim3(32, 4)}) {
            left<<<(N + 799) / 800, block>>>(x, y, n);
            expect("left", n, [&](int i) { return x[i] > 3 ? x[n - 1 - i] * 3 : 7; });
        }
        bounded<<<(N + 319) / 320, 64>>>(x, y, n);
        expect("bounded", n, [](int i) { return x[i] * x[i] + i; });
        for (dim3 block : {dim3(8, 4, 4), dim3(5, 5, 3)}) {
            solid<<<(N + 149) / 150, block>>>(x, y, n);
            expect("solid", n, [](int i) { return x[i] - 9; });
        }
        pairs<<<(N + 511) / 512, 64>>>(x, (Pair *)y, n);
        expect("pairs", n / 2 * 2, [](int i) { return i % 2 ? x[i / 2] * 2 + x[i - 1] : x[i / 2]; });
        for (int i = 0; i < n; i++) y[i] = x[i];
        chained<<<(N + 255) / 256, 64>>>(y, n);
        expect("chained", n, [](int i) { int s = 0; for (int k = i / 4 * 4; k <= i; k++) s += x[k]; return s; });
        twice<<<(N + 255) / 256, 64>>>(x, z, y, n);
        expect("twice", n, [&](int i) {
            int s = 0;
            for (int k = i; k < i + 4 && k < n; k++) s += 5 * x[k];
            return i % 4 ? 0 : s;
        });
        counted<<<(N + 255) / 256, 64>>>(x, y, n);
        expect("counted", 16, [&](int i) { int s = 0; for (int k = 0; k < n; k++) s += (x[k] & 15) == i; return s; });
    }
    whole<<<20, 64>>>(x, y);
    expect("whole", 20 * 64 * 3, [](int i) { return x[i] + x[0] + 1; });
    y[0] = 100;
    passed_on<<<1, 64>>>(y, y + 1, 4);
    expect("passed_on", 5, [](int i) { return 100 + i; });
    y[0] = 100;
    passed_on_by_value<<<1, 64>>>({4, y, y + 1});
    expect("passed_on_by_value", 5, [](int i) { return 100 + i; });
    passed_on_by_value<<<20, 64>>>({N, x, y});
    expect("passed_on_by_value, apart", N, [](int i) { return x[i] + 1; });
    between<<<20, 64>>>(x, y, N);
    expect("between", N, [](int i) { return x[i] + x[(i + 1) % N]; });
    at_end<<<1, 64>>>(0u - 256u, 0u - 10u, y);
    expect("at_end", 246, [](int i) { return i + 2; });
    at_end<<<1, 64>>>(0u - 256u, ~0u, y);
    expect("at_end, last", 252, [](int i) { return i + 2; });
    at_end_tested<<<1, 64>>>(0u - 256u, ~0u, y);
    expect("at_end_tested", 255, [](int i) { return i + 2; });
    at_end_tested<<<1, 64>>>(0u - 64u, 20u, y);
    cudaDeviceSynchronize();
    y[0] += 1; // threads after the wrap count from 0: their places are those after the first 64
    int sum = 0;
    for (int i = 0; i < 2 * N; i++) sum += y[i];
    int expected = 1;
    for (int i = 64; i < 84; i++) expected += i + 2;
    if (sum != expected) wrong++, printf("wrapped: %d instead of %d\n", sum, expected);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
