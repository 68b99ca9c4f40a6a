// What the probes share: values with their bits in memory, one line for each expression.
#ifndef PROBE_H
#define PROBE_H
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

typedef unsigned long long u64;
typedef unsigned int u32;
enum { INTEGER, FLOAT, DOUBLE, HALF, BF16 };

struct Rec {
    u64 bits;
    int kind, size;
};

template <class T> struct Kind {
    enum { value = INTEGER };
};
template <> struct Kind<float> {
    enum { value = FLOAT };
};
template <> struct Kind<double> {
    enum { value = DOUBLE };
};
template <> struct Kind<__half> {
    enum { value = HALF };
};
template <> struct Kind<__nv_bfloat16> {
    enum { value = BF16 };
};

template <class T> __host__ __device__ inline Rec rec(T v) {
    Rec r = {0, Kind<T>::value, (int)sizeof(T)};
    memcpy(&r.bits, &v, sizeof(T) < 8 ? sizeof(T) : 8);
    return r;
}

static void check(cudaError_t e, int line) {
    static int errors = 0;
    if (e == cudaSuccess) return;
    printf("line %d: %s\n", line, cudaGetErrorName(e));
    if (++errors > 20) exit(1);
}
#define CUDA(call) check(call, __LINE__)

static void print(Rec r) {
    if (r.kind == FLOAT) {
        float f;
        memcpy(&f, &r.bits, 4);
        if (f != f)
            printf(" %08x(nan)", (u32)r.bits);
        else
            printf(" %08x(%g)", (u32)r.bits, f);
    } else if (r.kind == DOUBLE) {
        double f;
        memcpy(&f, &r.bits, 8);
        if (f != f)
            printf(" %016llx(nan)", r.bits);
        else
            printf(" %016llx(%g)", r.bits, f);
    } else
        printf(" %0*llx", r.size < 8 ? r.size * 2 : 16, r.bits);
}

/* An array on the device, made of a list. */
template <class T> struct Dev {
    T *d;
    size_t n;
    explicit Dev(size_t n) : n(n) {
        CUDA(cudaMalloc(&d, n * sizeof(T)));
        CUDA(cudaMemset(d, 0, n * sizeof(T)));
    }
    explicit Dev(const std::vector<T> &v) : n(v.size()) {
        CUDA(cudaMalloc(&d, n * sizeof(T)));
        CUDA(cudaMemcpy(d, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    Dev(const Dev &) = delete;
    ~Dev() { CUDA(cudaFree(d)); }
    std::vector<T> get() const {
        std::vector<T> v(n);
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

/* Rows of n results, each with its expression. */
static void rows(const char *const *names, size_t count, const Dev<Rec> &out, int n) {
    std::vector<Rec> v = out.get();
    for (size_t k = 0; k < count; k++) {
        printf("%s:", names[k]);
        for (int i = 0; i < n; i++) print(v[k * n + i]);
        printf("\n");
    }
}
template <class T> static void row(const char *name, const std::vector<T> &v) {
    printf("%s:", name);
    for (T t : v) print(rec(t));
    printf("\n");
}
#define NAME(...) #__VA_ARGS__,
#define EVAL(...) o[k++ * n + i] = rec(__VA_ARGS__);
/* A kernel `name` that computes each expression of OPS of operands a[i], b[i], c[i]: here x, y, z.
 */
#define TABLE(name, T, OPS)                                                                                                                                    \
    static const char *const name##_names[] = {OPS(NAME)};                                                                                                     \
    __global__ void name(const T *a, const T *b, const T *c, Rec *o, int n) {                                                                                  \
        int i = threadIdx.x, k = 0;                                                                                                                            \
        if (i >= n) return;                                                                                                                                    \
        T x = a[i], y = b[i], z = c[i];                                                                                                                        \
        OPS(EVAL)                                                                                                                                              \
    }                                                                                                                                                          \
    static void name##_run(const std::vector<T> &a, const std::vector<T> &b, const std::vector<T> &c) {                                                        \
        int n = (int)a.size();                                                                                                                                 \
        const size_t count = sizeof(name##_names) / sizeof(char *);                                                                                            \
        Dev<T> da(a), db(b), dc(c);                                                                                                                            \
        Dev<Rec> o(count *n);                                                                                                                                  \
        printf("-- " #name "\n");                                                                                                                              \
        row("x", a);                                                                                                                                           \
        if (memcmp(a.data(), b.data(), n * sizeof(T))) row("y", b);                                                                                            \
        if (memcmp(a.data(), c.data(), n * sizeof(T))) row("z", c);                                                                                            \
        name<<<1, n>>>(da.d, db.d, dc.d, o.d, n);                                                                                                              \
        rows(name##_names, count, o, n);                                                                                                                       \
    }
#endif
