// Loops with nested conditions, each iteration a thread, after the kernels of SPEC CPU2006 in the evaluation of "IF-select"
// (SW26010, 2019), written afresh: only the shape of their conditions is theirs.
//     if_select KERNEL
// prints the CPU microseconds of a launch.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <ctime>
#include <vector>

enum { N = 1 << 16, BLOCK = 256, STEPS = 16 };
#define BOTH __host__ __device__ inline
#define OUT float *__restrict__
#define IN const float *__restrict__

// two stores in both arms, in another order (calculix)
BOTH void reorder(OUT d, OUT e, IN a, IN b, int, int i) {
    float v = a[i], w = b[i];
    if (v > w) d[i] = v * 2, e[i] = w * 3;
    else e[i] = v + 7, d[i] = w - v;
}
// ... with a third one, and one that depends on its arm (calculix)
BOTH void rotated(OUT d, OUT e, IN a, IN b, int, int i) {
    float v = a[i], w = b[i];
    if (v > w) d[i] = v * 2, e[i] = w * 3, d[N + i] = v * w;
    else d[N + i] = v - w, d[i] = w - v, e[i] = v + 7;
}
// the best of several sums (hmmer)
BOTH void viterbi(OUT d, OUT e, IN a, IN b, int, int i) {
    float best = a[i] + b[i], other;
    if ((other = a[i + 1] + b[i + 1]) > best) best = other;
    if ((other = a[i + 2] + b[i + 2]) > best) best = other;
    d[i] = best;
    if (best > 1) e[i] = best - 1;
    else e[i] = 0;
}
// nested, a store in each of three arms (h264ref)
BOTH void clip(OUT d, OUT, IN a, IN b, int, int i) {
    float v = a[i] * 3 - b[i];
    if (v < 0) d[i] = 0;
    else {
        if (v > 1) d[i] = 1;
        else d[i] = v;
    }
}
// a store under two conditions, that no other arm has (libquantum)
BOTH void toffoli(OUT d, OUT, IN a, IN b, int, int i) {
    if (a[i] > 0.25f) {
        if (b[i] > 0.5f) d[i] = -a[i];
    }
}
// four nested conditions that no iteration changes (calculix, sphinx3)
BOTH void invariant(OUT d, OUT, IN a, IN b, int flags, int i) {
    float sum = 0;
    for (int k = 0; k < STEPS; k++) {
        float v = a[k * 64 + i];
        if (flags & 1) {
            v *= 3;
            if (flags & 2) {
                v += b[i + k];
                if (flags & 4) {
                    v = v * v;
                    if (flags & 8) v = sqrtf(v);
                }
            }
        }
        sum += v;
    }
    d[i] = sum;
}
#define KERNEL(f)                                                                                                                         \
    __global__ void f##_kernel(OUT d, OUT e, IN a, IN b, int flags) { f(d, e, a, b, flags, blockIdx.x * blockDim.x + threadIdx.x); }
KERNEL(reorder) KERNEL(rotated) KERNEL(viterbi) KERNEL(clip) KERNEL(toffoli) KERNEL(invariant)

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static float *array(unsigned seed) {
    float *p = nullptr;
    if (cudaMallocManaged(&p, 2 * N * sizeof *p) != cudaSuccess) exit(1);
    for (int i = 0; i < 2 * N; i++) seed = seed * 1664525u + 1013904223u, p[i] = (float)(seed >> 8) / 16777216;
    return p;
}
int main(int arguments, char **argument) {
    static const struct {
        const char *name;
        void (*kernel)(float *, float *, const float *, const float *, int);
        void (*host)(float *, float *, const float *, const float *, int, int);
    } KERNELS[] = {{"reorder", reorder_kernel, reorder}, {"rotated", rotated_kernel, rotated}, {"viterbi", viterbi_kernel, viterbi},
                   {"clip", clip_kernel, clip},          {"toffoli", toffoli_kernel, toffoli}, {"invariant", invariant_kernel, invariant}};
    int flags = 3;
    float *d = array(1), *e = array(2), *a = array(3), *b = array(4);
    std::vector<float> want[2] = {{d, d + 2 * N}, {e, e + 2 * N}};
    for (auto &k : KERNELS) {
        if (arguments != 2 || strcmp(k.name, argument[1])) continue;
        for (int i = 0; i < N; i++) k.host(want[0].data(), want[1].data(), a, b, flags, i);
        k.kernel<<<N / BLOCK, BLOCK>>>(d, e, a, b, flags), cudaDeviceSynchronize();
        for (int i = 0; i < 2 * N; i++)
            if (!(fabsf(d[i] - want[0][i]) <= 1e-4f * fabsf(want[0][i]) && e[i] == want[1][i]))
                return fprintf(stderr, "%s: element %d is %g, %g, not %g, %g\n", k.name, i, d[i], e[i], want[0][i], want[1][i]), 1;
        std::vector<double> times;
        for (double start = seconds(); times.size() < 5 || seconds() - start < 0.03;) {
            double from = seconds();
            for (int r = 0; r < 8; r++) k.kernel<<<N / BLOCK, BLOCK>>>(d, e, a, b, flags);
            cudaDeviceSynchronize();
            times.push_back((seconds() - from) / 8);
        }
        std::sort(times.begin(), times.end());
        return printf("%.3f\n", 1e6 * times[times.size() / 2]), 0;
    }
    return fprintf(stderr, "if_select KERNEL\n"), 1;
}
