/* bench.h: the frame of a benchmark program, for the host half of the .cu files.
**
** A program NAME.cu holds a kernel and a main; NAME.c beside it holds the same algorithm by
** hand: NAME_omp, the loop one would write with OpenMP, NAME_simd, with vectors (hand.h), and
** for kernels with barriers NAME_shape, the kernel itself with vectors: its blocks, its shared
** memory (a local array), its steps, between two barriers one loop over the vectors of the
** block.  They are linked into one program that runs one version per process:
**     program [--version cuda|omp|simd|shape] [--small] [--no-check] [--time seconds]
** and prints "name version cpu-seconds wall-seconds" for one repetition, data in memory that the
** host and kernels share.  Output is compared with what NAME_omp computes: it is the reference. */
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sys/resource.h>
#include <time.h>
#include <vector>

struct Bench {
    struct Output {
        char *data;
        size_t bytes;
        std::function<bool(const char *, const char *)> same;
        std::vector<char> start;
    };
    const char *name, *version = "cuda";
    bool small = false, check = true;
    double time = 0.02;
    std::vector<Output> outputs;
    unsigned state = 12345;

    Bench(int argc, char **argv, const char *name_) : name(name_) {
        for (int i = 1; i < argc; i++) {
            if (!strcmp(argv[i], "--small"))
                small = true;
            else if (!strcmp(argv[i], "--no-check"))
                check = false;
            else if (!strcmp(argv[i], "--version") && i + 1 < argc)
                version = argv[++i];
            else if (!strcmp(argv[i], "--time") && i + 1 < argc)
                time = atof(argv[++i]);
            else
                fail("unknown argument");
        }
    }

    [[noreturn]] void fail(const char *what) {
        fprintf(stderr, "%s %s: %s\n", name, version, what);
        exit(1);
    }

    unsigned random() {
        state = state * 1664525u + 1013904223u;
        return state >> 8;
    }

    template <class T> T *array(size_t n) {
        T *p = nullptr;
        if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) fail("out of memory");
        memset(p, 0, n * sizeof(T));
        return p;
    }

    float *floats(size_t n, float low, float high) {
        float *p = array<float>(n);
        for (size_t i = 0; i < n; i++) p[i] = low + (high - low) * (float)random() / 16777216.0f;
        return p;
    }

    int *ints(size_t n, int low, int high) {
        int *p = array<int>(n);
        for (size_t i = 0; i < n; i++) p[i] = low + (int)(random() % (unsigned)(high - low));
        return p;
    }

    /* An array that the versions write; tolerance: of |reference|, or absolute below 1. */
    template <class T> T *output(T *p, size_t n, double tolerance) {
        auto same = [=, this](const char *a, const char *b) {
            const T *got = (const T *)a, *want = (const T *)b;
            for (size_t i = 0; i < n; i++) {
                double size = std::fmax(1.0, std::fabs((double)want[i]));
                if (std::fabs((double)got[i] - (double)want[i]) <= tolerance * size) continue;
                fprintf(stderr, "%s %s: output %zu of %zu is %.9g, not %.9g\n", name, version, i, n,
                        (double)got[i], (double)want[i]);
                return false;
            }
            return true;
        };
        size_t bytes = n * sizeof(T);
        outputs.push_back(
            {(char *)p, bytes, same, std::vector<char>((char *)p, (char *)p + bytes)});
        return p;
    }
    template <class T> T *output(size_t n, double tolerance) {
        return output(array<T>(n), n, tolerance);
    }

    static double seconds(timespec t) { return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
    static double wall() {
        timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return seconds(t);
    }
    static double cpu() {
        timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return seconds(t);
    }

    std::vector<std::vector<char>> once(const std::function<void()> &body) {
        std::vector<std::vector<char>> results;
        for (Output &o : outputs) memcpy(o.data, o.start.data(), o.bytes);
        body();
        for (Output &o : outputs) results.emplace_back(o.data, o.data + o.bytes);
        return results;
    }

    int run(const std::function<void()> &launch, const std::function<void()> &omp,
            const std::function<void()> &simd, const std::function<void()> &shape = {}) {
        std::function<void()> body = !strcmp(version, "omp")     ? omp
                                     : !strcmp(version, "simd")  ? simd
                                     : !strcmp(version, "shape") ? shape
                                                                 : nullptr;
        if (!strcmp(version, "cuda"))
            body = [&] {
                launch();
                if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess)
                    fail("the kernel failed");
            };
        if (!body) fail("no such version");
        if (check) {
            auto want = once(omp), got = once(body);
            for (size_t i = 0; i < outputs.size(); i++)
                if (!outputs[i].same(got[i].data(), want[i].data())) return 1;
        }
        body();
        long repetitions = 1;
        for (;;) {
            double cpu_start = cpu(), start = wall();
            for (long i = 0; i < repetitions; i++) body();
            double each_cpu = (cpu() - cpu_start), each = wall() - start;
            if (each_cpu >= time || small) {
                printf("%s %s %.4e %.4e\n", name, version, each_cpu / (double)repetitions,
                       each / (double)repetitions);
                return 0;
            }
            double factor = each_cpu > 0 ? 1.2 * time / each_cpu : 10;
            repetitions = (long)((double)repetitions * (factor > 10 ? 10 : factor)) + 1;
        }
    }
};
