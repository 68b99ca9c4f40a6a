// Lanes that are off read and write nothing where it could be seen: arrays end and begin at pages that must not be
// touched, and neighbours of stored elements keep their values.  At all levels of instruction sets: without masked
// instructions for a type, whole vectors are loaded within a page and stretches are stored in halves.
// RUN: for o in "x86-64-v2 --simd=32" "x86-64-v3 --simd=16" native; do %cucpu -O3 --cpu=$o %s -o %t && %run %t || exit 1; done
// RUN: %also { for o in "x86-64-v2 --simd=8" "x86-64-v3 --simd=8 --disable=lower_masked"; do %cucpu -O3 --cpu=$o %s -o %t && %run %t || exit 1; done; }
// REQUIRES: run, x86-64-v3
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

template <class T> __global__ void tail(const T *in, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 3 + in[n - 1 - i];
}
template <class T> __global__ void middle(const T *in, T *out, int from, int to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < from || i >= to) return;
    out[i] = in[i - 1] + in[i] + in[i + 1];
}
template <class T> __global__ void holes(const T *in, T *out, int n, unsigned bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && bits >> i % 32 & 1) out[i] = in[i] + 1;
}
template <class T> __global__ void strided(const T *in, T *out, const int *place, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T far = in[i * step % n], chosen = in[place[i]];
    if (i % 3) out[place[i]] = far + chosen;
}
/* Each thread a row of its own. */
template <class T> __global__ void rows(const T *in, T *out, int rows, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    T s = 0;
    for (int j = 0; j < k; j++) s += in[i * k + j] * (T)(1 + j % 4);
    out[i] = s;
}

static int failures;

// `n` elements that end (or begin) at a page that nobody may touch.
template <class T> struct Edge {
    char *pages;
    T *data;
    Edge(int n, bool end) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (n * sizeof(T) + page - 1) / page * page;
        pages = (char *)mmap(nullptr, bytes + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(pages, page, PROT_NONE);
        mprotect(pages + page + bytes, page, PROT_NONE);
        data = (T *)(end ? pages + page + bytes - n * sizeof(T) : pages + page);
    }
};

template <class T, class F> void expect(const char *what, const T *got, int n, F want) {
    for (int i = 0; i < n; i++)
        if (got[i] != (T)want(i) && ++failures < 10)
            printf("%s of %zu bytes, n = %d: [%d] is %g, not %g\n", what, sizeof(T), n, i, (double)got[i], (double)(T)want(i));
}

template <class T> void run(int n, bool end) {
    Edge<T> in(n, end), out(n, end);
    Edge<int> place(n, end);
    for (int i = 0; i < n; i++) in.data[i] = (T)(i * 7 + 1), place.data[i] = n - 1 - i;
    const T *a = in.data;
    auto reset = [&] { for (int i = 0; i < n; i++) out.data[i] = (T)(i + 5); };
    int blocks = (n + 63) / 64;
    reset();
    tail<<<blocks, 64>>>(a, out.data, n);
    cudaDeviceSynchronize();
    expect("tail", out.data, n, [&](int i) { return a[i] * 3 + a[n - 1 - i]; });
    for (int from = 1; from < n - 1 && from < 20; from += 3)
        for (int to = from; to <= n - 1; to += 1 + n / 9) {
            reset();
            middle<<<blocks, 64>>>(a, out.data, from, to);
            cudaDeviceSynchronize();
            expect("middle", out.data, n, [&](int i) { return i < from || i >= to ? (T)(i + 5) : (T)(a[i - 1] + a[i] + a[i + 1]); });
        }
    for (unsigned bits : {0u, 1u, 0x80000000u, 0x5u, 0xff00u, 0x00fffff0u, 0xa5a5a5a5u, 0xffffffffu, 0x7fffu}) {
        reset();
        holes<<<blocks, 64>>>(a, out.data, n, bits);
        cudaDeviceSynchronize();
        expect("holes", out.data, n, [&](int i) { return bits >> i % 32 & 1 ? a[i] + 1 : (T)(i + 5); });
    }
    reset();
    strided<<<blocks, 64>>>(a, out.data, place.data, n, 5);
    cudaDeviceSynchronize();
    expect("strided", out.data, n, [&](int j) {
        int i = n - 1 - j;
        return i % 3 ? (T)(a[i * 5 % n] + a[j]) : (T)(j + 5);
    });
    for (int k : {4, 15, 16, 19, 39}) {
        reset();
        rows<<<blocks, 64>>>(a + n % k, out.data, n / k, k);
        cudaDeviceSynchronize();
        expect("rows", out.data, n, [&](int i) {
            T s = 0;
            for (int j = 0; i < n / k && j < k; j++) s += a[n % k + i * k + j] * (T)(1 + j % 4);
            return i < n / k ? s : (T)(i + 5);
        });
    }
    if (cudaGetLastError() != cudaSuccess) printf("a kernel failed at n = %d\n", n), failures++;
}

__device__ unsigned long long chosen;
template <class T> __global__ void some(const T *in, T *out) {
    int i = threadIdx.x;
    if (chosen >> i & 1) out[i] = in[i] + 1;
}

// Rows that cross from one page into another, at each element; lanes on both sides are on, or all of a page that must not be touched are off.
template <class T> void cross() {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = (char *)mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < 2 * page; i++) pages[i] = (char)(i * 7 % 251);
    T *out, want[64];
    cudaMallocManaged(&out, sizeof want);
    unsigned long long random = 88172645463325252ull;
    for (int k = 0; k <= 64; k++)
        for (int r = 0; r < 24; r++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            unsigned long long bits = r % 4 ? random : ~0ull, below = k < 64 ? (1ull << k) - 1 : ~0ull;
            if (r < 8) bits &= r % 2 ? below : ~below;
            if (r >= 20) bits &= random << 9;
            const T *in = (const T *)(pages + page) - k;
            for (int i = 0; i < 64; i++) out[i] = (T)(i + 5), want[i] = bits >> i & 1 ? (T)(in[i] + 1) : out[i];
            if (!(bits & below)) mprotect(pages, page, PROT_NONE);
            if (!(bits & ~below)) mprotect(pages + page, page, PROT_NONE);
            cudaMemcpyToSymbol(chosen, &bits, sizeof bits);
            some<<<1, 64>>>(in, out);
            cudaDeviceSynchronize();
            mprotect(pages, 2 * page, PROT_READ | PROT_WRITE);
            expect("some", out, 64, [&](int i) { return want[i]; });
        }
    if (cudaGetLastError() != cudaSuccess) printf("a kernel failed\n"), failures++;
}

int main() {
    cross<unsigned char>();
    cross<short>();
    cross<float>();
    cross<double>();
    for (int n : {1, 2, 5, 15, 16, 17, 31, 33, 64, 100, 5000})
        for (bool end : {false, true}) {
            run<unsigned char>(n, end);
            run<short>(n, end);
            run<float>(n, end);
            run<double>(n, end);
        }
    printf(failures ? "FAILED\n" : "ok\n");
    return failures != 0;
}
