// alloca(): as many bytes as the thread asks for, in loops and branches, in functions that call themselves or stay calls, across
// barriers; each pass of a loop has memory of its own, and it is back when the function returns.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O0 %s -o %t.O0 && %t.O0
// RUN: %cucpu -O2 -rdc=true %s -o %t.rdc && %t.rdc
#include <alloca.h>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 192 };
static int *out, failures;

struct Link {
    Link *next;
    int value;
};

__global__ void own_size(int *p) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    unsigned char *mine = (unsigned char *)alloca(t + 1);
    memset(mine, t, t + 1);
    __syncthreads();
    for (int i = 0; i <= t; i++) sum += mine[i];
    p[t] = sum;
}

__global__ void list(int *p, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    Link *head = nullptr;
    for (int i = 0; i < n + t % 5; i++) {
        if ((i + t) % 3 == 0) continue;
        Link *link = (Link *)alloca(sizeof(Link)); // of a constant size, but each pass has another
        *link = {head, i * t};
        head = link;
    }
    for (Link *l = head; l; l = l->next) sum = sum * 3 + l->value;
    p[t] = sum;
}

__device__ int depth(int n) {
    if (n < 1) return 0;
    int *mine = (int *)alloca(n * sizeof(int));
    for (int i = 0; i < n; i++) mine[i] = i;
    int below = depth(n - 2);
    return below + mine[n - 1] + mine[n / 2];
}

__device__ __noinline__ int aligned(int n) {
    char *p = (char *)__builtin_alloca_with_align(n, 512);
    p[n - 1] = (char)n;
    return (int)((size_t)p % 64) + p[n - 1];
}

__global__ void calls(int *p) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (t % 4) sum = depth(t % 16);
    for (int i = 0; i < 1000; i++) sum += aligned(i % 100 + 1); // 64 MB if it did not come back
    p[t] = sum;
}

static int depth_of(int n) { return n < 1 ? 0 : depth_of(n - 2) + n - 1 + n / 2; }

static int list_of(int t, int n) {
    int sum = 0;
    for (int i = n + t % 5 - 1; i >= 0; i--)
        if ((i + t) % 3) sum = sum * 3 + i * t;
    return sum;
}

template <class F> static void expect(const char *what, F want) {
    if (cudaDeviceSynchronize() != cudaSuccess) failures++, printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    for (int t = 0; t < N; t++)
        if (out[t] != want(t) && failures++ < 10) printf("%s: thread %d has %d, not %d\n", what, t, out[t], want(t));
}

int main() {
    cudaMallocManaged(&out, N * sizeof *out);
    own_size<<<2, N / 2>>>(out);
    expect("own_size", [](int t) { return t * (t + 1); });
    list<<<2, N / 2>>>(out, 7);
    expect("list", [](int t) { return list_of(t, 7); });
    calls<<<2, N / 2>>>(out);
    expect("calls", [](int t) { return (t % 4 ? depth_of(t % 16) : 0) + 10 * 5050; });
    return failures != 0;
}
