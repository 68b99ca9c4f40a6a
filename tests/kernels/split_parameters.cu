// Structures passed by value: read, read at a variable index, written, copied, packed, nested, with a bool; arrays of the
// launch's type to which fields could be aliased; kernels launched through a pointer and by device code.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -rdc=true
#include <cstdio>

struct Inner { short s; bool b; float f[3]; };
#pragma pack(push, 1)
struct Packed { char c; double d; int n; };
#pragma pack(pop)
struct Grid { int *out; const int *in; int n, step; Inner inner; unsigned char bits; };

__global__ void read(Grid g, Packed p) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < g.n; i += gridDim.x * blockDim.x)
        g.out[i] = g.in[i] * g.step + (g.inner.b ? g.inner.s : -1) + (int)(p.d * p.n) + p.c + g.bits;
}
__global__ void indexed(Grid g, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n) g.out[i] = (int)g.inner.f[i % 3] + (int)g.inner.f[1] + k;
}
__global__ void written(Grid g) {
    g.n -= threadIdx.x % 2;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n) g.out[i] = g.n;
}
__global__ void copied(Grid g) {
    Grid h = g;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i & 1) h.step = i;
    if (i < h.n) h.out[i] = h.step + h.inner.s;
}
/* out is of the type of the field, which a store does not change */
__global__ void stored(Grid g) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < g.n ? g.in[i] : 0;
    __syncthreads();
    if (i < g.n) g.out[i] = s[t ^ 1] + g.step, g.out[i] += g.step;
}
__global__ void parent(Grid g, Packed p) {
    if (threadIdx.x == 0) read<<<2, 64>>>(g, p);
}

static int wrong;
template <class F> static void check(const char *name, const Grid &g, F f) {
    if (cudaDeviceSynchronize()) printf("%s: %s\n", name, cudaGetErrorString(cudaGetLastError())), wrong++;
    for (int i = 0; i < g.n; i++)
        if (g.out[i] != f(i)) { printf("%s[%d] is %d, not %d\n", name, i, g.out[i], f(i)), wrong++; break; }
    for (int i = 0; i < g.n; i++) g.out[i] = -7;
}

int main() {
    Grid g = {nullptr, nullptr, 299, 3, {-5, true, {1, 2, 4}}, 200};
    Packed p = {7, 2.5, 4};
    int *in;
    cudaMallocManaged(&g.out, 320 * sizeof(int)), cudaMallocManaged(&in, 320 * sizeof(int));
    for (int i = 0; i < 320; i++) in[i] = i * 7 % 31;
    g.in = in;
    auto value = [&](int i) { return in[i] * 3 - 5 + 10 + 7 + 200; };
    read<<<2, 64>>>(g, p), check("read", g, value);
    void *args[] = {&g, &p};
    cudaLaunchKernel((const void *)read, dim3(3), dim3(33), args, 0, 0), check("read by pointer", g, value);
    parent<<<1, 32>>>(g, p), check("read by device code", g, value);
    indexed<<<5, 64>>>(g, 1), check("indexed", g, [&](int i) { return (1 << i % 3) + 2 + 1; });
    written<<<5, 64>>>(g), check("written", g, [&](int i) { return i < 299 - i % 2 ? 299 - i % 2 : -7; });
    copied<<<5, 64>>>(g), check("copied", g, [&](int i) { return (i & 1 ? i : 3) - 5; });
    stored<<<5, 64>>>(g), check("stored", g, [&](int i) { return ((i ^ 1) < 299 ? in[i ^ 1] : 0) + 6; });
    printf("%d wrong\n", wrong);
    return wrong;
}
