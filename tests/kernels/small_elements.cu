// Elements of 1, 2, 4 and 8 bytes at places that lanes compute, where some lanes are off: gathers and scatters for which
// the CPU has an instruction or has not. Lanes that are off touch nothing, lanes that meet write in their order.
// RUN: %cucpu --simd=32 %s -o %t && %t
// RUN: %also { %cucpu --simd=8 --cpu=x86-64-v2 %s -o %t && %t; }
// RUN: %also { %cucpu --simd=16 --cpu=x86-64-v2 --disable=lower_masked %s -o %t && %t; }
// RUN: %also { %cucpu --simd=1 %s -o %t && %t; }
#include <cstdio>
#include <vector>
template <class T> __global__ void work(const int *where, const T *in, T *out, T *counts, int n) {
    __shared__ T s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = T(7);
    __syncthreads();
    int w = i < n ? where[i] : -1;
    T v = T(3);
    if (w >= 0 && w % 3) v = in[w];        /* nobody may read in[-1] */
    if (w >= 0 && w % 5) s[w * 7 & 127] = v; /* some lanes write the same place: the last one counts */
    __syncthreads();
    T mine = s[(t * 5 + 3) & 127];
    if (w >= 0) out[w] = T(mine + v);
    __syncthreads();
    s[t] = 0;
    __syncthreads();
    if (t % 3 == 0) s[t ^ 5] = T(s[t ^ 5] + v);
    __syncthreads();
    if (t % 2) counts[blockIdx.x * 128 + (t ^ 64)] = s[t];
}
template <class T> static int check(int n) {
    const int blocks = (n + 127) / 128;
    std::vector<int> where(n);
    std::vector<T> in(n), out(n, T(1)), counts(128 * blocks, T(2)), want(n, T(1)), want_counts(128 * blocks, T(2));
    for (int i = 0; i < n; i++) where[i] = i % 11 == 4 ? -1 : (i * 37) % n, in[i] = T(i * 13 + 1);
    int *dw;
    T *di, *d_out, *dc;
    cudaMalloc(&dw, n * 4), cudaMalloc(&di, n * sizeof(T)), cudaMalloc(&d_out, n * sizeof(T)), cudaMalloc(&dc, 128 * blocks * sizeof(T));
    cudaMemcpy(dw, where.data(), n * 4, cudaMemcpyDefault), cudaMemcpy(di, in.data(), n * sizeof(T), cudaMemcpyDefault);
    cudaMemcpy(d_out, out.data(), n * sizeof(T), cudaMemcpyDefault), cudaMemcpy(dc, counts.data(), 128 * blocks * sizeof(T), cudaMemcpyDefault);
    work<T><<<blocks, 128>>>(dw, di, d_out, dc, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(T), cudaMemcpyDefault), cudaMemcpy(counts.data(), dc, 128 * blocks * sizeof(T), cudaMemcpyDefault);
    for (int b = 0; b < blocks; b++) {
        T s[128], v[128];
        for (int t = 0; t < 128; t++) s[t] = T(7);
        for (int t = 0; t < 128; t++) {
            int i = b * 128 + t, w = i < n ? where[i] : -1;
            v[t] = w >= 0 && w % 3 ? in[w] : T(3);
            if (w >= 0 && w % 5) s[w * 7 & 127] = v[t];
        }
        for (int t = 0; t < 128; t++) {
            int i = b * 128 + t, w = i < n ? where[i] : -1;
            if (w >= 0) want[w] = T(s[(t * 5 + 3) & 127] + v[t]);
        }
        for (int t = 0; t < 128; t++) s[t] = 0;
        for (int t = 0; t < 128; t += 3) s[t ^ 5] = T(s[t ^ 5] + v[t]);
        for (int t = 1; t < 128; t += 2) want_counts[b * 128 + (t ^ 64)] = s[t];
    }
    bool ok = out == want && counts == want_counts;
    if (!ok) printf("%zu bytes, %d elements: wrong\n", sizeof(T), n);
    cudaFree(dw), cudaFree(di), cudaFree(d_out), cudaFree(dc);
    return !ok;
}
int main() {
    int bad = 0;
    for (int n : {1, 100, 128, 1000, 1001})
        bad += check<unsigned char>(n) + check<short>(n) + check<unsigned>(n) + check<float>(n) + check<double>(n);
    return bad || cudaGetLastError();
}
