/* sample.h: what the samples share: options, error checks, device arrays, random numbers, timing and comparison.
**
** A sample describes its CUDA version and its OpenMP version as a pair of functions each: `reset` puts the data into its
** initial state, `run` computes; only `run` is timed, from the first launch until the device has finished.  Both
** versions always run and their results are always compared; `--bench` repeats them alternately and prints medians. */
#ifndef SAMPLE_H
#define SAMPLE_H
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CUDA(call) sample_check(call, #call, __FILE__, __LINE__)
static inline void sample_check(cudaError_t status, const char *what, const char *file, int line) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(status));
    std::exit(2);
}

__host__ __device__ constexpr int divide_up(int a, int b) { return (a + b - 1) / b; }

/* An array on the device, freed at the end of its scope. */
template <class T> struct DeviceArray {
    T *data = nullptr;
    size_t count;
    explicit DeviceArray(size_t n) : count(n) { CUDA(cudaMalloc(&data, std::max<size_t>(n, 1) * sizeof(T))); }
    explicit DeviceArray(const std::vector<T> &v) : DeviceArray(v.size()) { set(v); }
    DeviceArray(const DeviceArray &) = delete;
    ~DeviceArray() { cudaFree(data); }
    operator T *() const { return data; }
    void set(const std::vector<T> &v) {
        CUDA(cudaMemcpy(data, v.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    void zero() { CUDA(cudaMemset(data, 0, count * sizeof(T))); }
    std::vector<T> get() const {
        std::vector<T> v(count);
        CUDA(cudaMemcpy(v.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

/* Deterministic random numbers. */
struct Random {
    uint32_t state;
    explicit Random(uint32_t seed = 12345) : state(seed) {}
    float next() { return float((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0f; } /* [0, 1) */
    float next(float low, float high) { return low + (high - low) * next(); }
    int below(int n) { return int(next() * float(n)); }
    float normal() { return std::sqrt(-2 * std::log(1 - next())) * std::cos(6.2831853f * next()); }
};

static inline void sample_fail(const char *name, const std::string &what) {
    std::fprintf(stderr, "%s: %s\n", name, what.c_str());
    std::exit(2);
}

struct Version {
    std::function<void()> reset, run;
};

enum { PICTURE = 1, INPUT = 2 };

struct Sample {
    const char *name, *picture = nullptr, *input = nullptr;
    int size = 1;
    bool bench = false, failed = false;

    /* takes: PICTURE and INPUT, if the sample has these options; format: what --input reads */
    Sample(int argc, char **argv, const char *name_, const char *what, int takes = 0, const char *format = "")
        : name(name_) {
        for (int i = 1; i < argc; i++) {
            std::string option = argv[i];
            auto value = [&] {
                if (++i == argc) sample_fail(name, option + " needs a value");
                return argv[i];
            };
            if (option == "--help") help(what, takes, format);
            else if (option == "--size") set_size(value());
            else if (option == "--check") continue; /* always */
            else if (option == "--bench") bench = true;
            else if (option == "--picture" && (takes & PICTURE)) picture = value();
            else if (option == "--input" && (takes & INPUT)) input = value();
            else sample_fail(name, "unknown option '" + option + "'; --help lists all");
        }
#ifndef _OPENMP
        if (bench) sample_fail(name, "--bench compares with OpenMP: compile with -fopenmp");
#endif
    }

    template <class T> T pick(T small, T normal, T large) const {
        return size == 0 ? small : size == 1 ? normal : large;
    }

    void run(const Version &cuda, const Version &openmp) {
        double c = time(cuda, true), o = time(openmp, false);
        if (!bench) return;
        std::vector<double> cs, os; /* the first runs, which touch memory and compile, do not count */
        for (double sum = 0; cs.size() < 3 || (cs.size() < 21 && sum < 1500); sum += c + o) {
            cs.push_back(c = time(cuda, true));
            os.push_back(o = time(openmp, false));
        }
        std::sort(cs.begin(), cs.end());
        std::sort(os.begin(), os.end());
        c = cs[cs.size() / 2], o = os[os.size() / 2];
        std::printf("%s: CUDA %.3f ms, OpenMP %.3f ms, ratio %.2f\n", name, c, o, o / c);
    }

    /* Integers must be equal, of other numbers |got - want| <= tolerance * (1 + |want|). */
    template <class T>
    void compare(const char *what, const std::vector<T> &got, const std::vector<T> &want, double tolerance = 0) {
        size_t wrong = got.size() != want.size(), first = 0;
        for (size_t i = 0; i < want.size() && i < got.size(); i++) {
            double g = double(got[i]), w = double(want[i]);
            if (std::fabs(g - w) <= tolerance * (1 + std::fabs(w))) continue;
            if (!wrong++) first = i;
        }
        if (wrong)
            std::printf("%s: %zu of %zu %s are wrong: [%zu] is %.9g, not %.9g\n", name, wrong, want.size(), what, first,
                        first < got.size() ? double(got[first]) : 0., first < want.size() ? double(want[first]) : 0.);
        else if (tolerance > 0) std::printf("%s: %zu %s agree within %g\n", name, want.size(), what, tolerance);
        else std::printf("%s: %zu %s agree\n", name, want.size(), what);
        failed |= wrong != 0;
    }

    int done() const { /* the status of main */
        std::printf("%s: %s\n", name, failed ? "FAILED" : "ok");
        return failed;
    }

  private:
    void set_size(const std::string &s) {
        size = s == "small" ? 0 : s == "default" ? 1 : s == "large" ? 2 : -1;
        if (size < 0) sample_fail(name, "--size is small, default or large, not '" + s + "'");
    }

    [[noreturn]] void help(const char *what, int takes, const char *format) const {
        std::printf("%s: %s\n\n"
                    "  --size small|default|large\n"
                    "  --check          compare the result with that of the OpenMP version (always done)\n"
                    "  --bench          measure both versions: medians, computation only\n",
                    name, what);
        if (takes & PICTURE) std::printf("  --picture FILE   write a picture: .png or .ppm\n");
        if (takes & INPUT) std::printf("  --input FILE     read %s\n", format);
        std::exit(0);
    }

    static double time(const Version &v, bool device) { /* in milliseconds */
        v.reset();
        if (device) CUDA(cudaDeviceSynchronize());
        auto start = std::chrono::steady_clock::now();
        v.run();
        if (device) {
            CUDA(cudaGetLastError());
            CUDA(cudaDeviceSynchronize());
        }
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
};

/* The numbers and words of a text file; what does not fit ends the program. */
struct Reader {
    const Sample &sample;
    std::FILE *file;
    explicit Reader(const Sample &s) : sample(s), file(std::fopen(s.input, "rb")) {
        if (!file) fail("cannot be opened");
    }
    Reader(const Reader &) = delete;
    ~Reader() { std::fclose(file); }
    [[noreturn]] void fail(const char *what) const {
        sample_fail(sample.name, std::string(sample.input) + ": " + what);
        std::abort();
    }
    float number() {
        float v;
        if (std::fscanf(file, "%f", &v) != 1) fail("a number is missing");
        return v;
    }
    int integer(int low, int high) {
        long v;
        if (std::fscanf(file, "%ld", &v) != 1) fail("an integer is missing");
        if (v < low || v > high) fail("an integer is out of range");
        return int(v);
    }
    bool line(std::string &text) {
        text.clear();
        int c;
        while ((c = std::fgetc(file)) != EOF && c != '\n')
            if (c != '\r') text.push_back(char(c));
        return c != EOF || !text.empty();
    }
};
#endif
