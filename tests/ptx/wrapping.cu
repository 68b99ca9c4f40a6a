// Kernels of PTX whose indices wrap among threads, in threads that do not run, or in all of them; loops whose test PTX has
// twice; sums rounded as in nvcc's expf.
// REQUIRES: run
// RUN: for w in 4 32; do %cucpu --simd=$w %s %S/Inputs/wrapping.ptx -o %t && %run %t || exit 1; done
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include "Inputs/pinned.h"
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <vector>

static int bad;
#define CHECK(c, ...) ((c) ? (void)0 : (bad++, (void)(bad < 20 && printf("line %d: " #c ": ", __LINE__) && printf(__VA_ARGS__) && puts(""))))

static CUmodule module_;
static void launch(const char *name, unsigned grid, unsigned block, void **args) {
    CUfunction f;
    CHECK(!cuModuleGetFunction(&f, module_, name), "%s", name);
    CHECK(!cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, nullptr, args, nullptr), "%s", name);
    CHECK(!cuCtxSynchronize(), "%s", name);
}

static void bytes() {
    const size_t span = size_t(1) << 32;
    unsigned char *p = (unsigned char *)mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return;
    unsigned n = 300;
    for (int i = 0; i < 1000; i++) p[i] = (unsigned char)(i * 5), p[span - 1 - i] = (unsigned char)(i * 3);
    unsigned char *middle = p + (span >> 1), *out = (unsigned char *)malloc(n);
    for (unsigned start : {0x80000000u, 0x80000000u - 1, 0x80000000u - 20, 0x80000000u - 64, 0x80000000u - 150, 0x80000000u - 300}) {
        void *args[] = {&middle, &out, &start, &n};
        launch("bytes", 4, 96, args);
        for (unsigned t = 0; t < n; t++) CHECK(out[t] == middle[(int)(start + t)], "start %x, thread %u", start, t);
    }
    free(out);
    munmap(p, span);
}

static void words() {
    static const unsigned cases[][3] = {/* start, first, n */
                                        {5, 0, 200}, {0u - 40, 0, 200}, {0x80000000u, 0, 200}, {0x80000000u - 7, 7, 200}, {0x80000000u - 7, 0, 7},
                                        {0x80000000u - 100, 100, 200}, {0x80000000u - 100, 0, 100}, {0x80000000u - 20, 20, 22}};
    unsigned *in = pinned(300), *out = pinned(300);
    for (unsigned i = 0; i < 300; i++) in[i] = i * i + 1;
    for (auto &k : cases) {
        unsigned start = k[0], first = k[1], n = k[2];
        char *p = (char *)in - 4 * (long)(int)(start + first); /* in[t - first] is its (int)(start + t)th */
        unsigned *q = out;
        void *args[] = {&p, &q, &start, &first, &n};
        std::fill(out, out + 300, 0);
        launch("words", 3, 80, args);
        for (unsigned t = 0; t < 240; t++) {
            unsigned want = t >= first && t < n ? in[t - first + 1] : 0;
            CHECK(out[t] == want, "start %x first %u thread %u: %u, not %u", start, first, t, out[t], want);
        }
    }
}

static void stride() {
    for (int start : {0, -70, 100, 5000})
        for (int by : {1, 64, 1000})
            for (int n : {-100, 0, 1, 63, 1000, 4097}) {
                int *out = pinned<int>(192), *p = out;
                void *args[] = {&p, &start, &by, &n};
                launch("stride", 3, 64, args);
                for (int t = 0; t < 192; t++) {
                    int sum = 7;
                    for (int i = start + t; i < n; i += by) sum += i;
                    CHECK(out[t] == sum, "start %d by %d n %d thread %d: %d, not %d", start, by, n, t, out[t], sum);
                }
            }
}

static void rounded() {
    const int n = 256;
    float *in = pinned<float>(n), *out = pinned<float>(6 * n);
    for (int i = 0; i < n; i++) in[i] = i < 200 ? (float)i / 200 + 1e-7f * (i % 7) : std::ldexp(1.0f, -(i - 200) * 3);
    in[3] = NAN, in[4] = -1, in[5] = 2, in[6] = INFINITY, in[7] = -0.0f, in[8] = 1e-45f;
    float *a = in, *b = out;
    void *args[] = {&a, &b};
    launch("rounded", 1, n, args);
    for (int i = 0; i < n; i++) {
        double s = in[i] > 0 ? in[i] < 1 ? in[i] : 1 : 0;
        for (int k = 0; k < 6; k++) {
            double c = k < 3 ? 12582913.0 : -512.0;
            long double exact = (long double)s * 252 + c;
            float f = (float)exact, want = f;
            bool small = s * 252 < 1e-10 && s > 0; /* vanishes in long double */
            bool up = k % 3 == 1 || (k % 3 == 2 && c < 0);
            if (up && (f < exact || (small && f == c))) want = std::nextafterf(f, INFINITY);
            if (!up && (f > exact)) want = std::nextafterf(f, -INFINITY);
            CHECK(out[6 * i + k] == want, "%a, way %d: %a, not %a", in[i], k, out[6 * i + k], want);
        }
    }
}

int main() {
    CUdevice d;
    CUcontext c;
    std::string file = __FILE__;
    file.replace(file.rfind("wrapping.cu"), std::string::npos, "Inputs/wrapping.ptx");
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    CHECK(!cuInit(0) && !cuDeviceGet(&d, 0) && !cuCtxCreate(&c, 0, d), "no device");
    CHECK(!cuModuleLoadData(&module_, text.str().c_str()), "no module");
    bytes(), words(), stride(), rounded();
    if (!bad) puts("all right");
    return bad != 0;
}
