/* spell.h: what the programs of spell.py share: inputs that are small whole numbers, so that sums are exact in any order,
** and the measurement: all spellings of a computation alternately, the CPU time of each launch, the minimum. */
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <vector>

static double cpu_us() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

template <class T> static T *filled(size_t count, int seed, int low, int high) {
    T *p;
    if (cudaMallocManaged(&p, count * sizeof *p)) exit(2);
    unsigned s = (unsigned)seed * 2654435761u + 12345u;
    for (size_t i = 0; i < count; i++) {
        s = s * 1664525u + 1013904223u;
        p[i] = (T)(low + (int)((s >> 8) % (unsigned)(high - low + 1)));
    }
    return p;
}

/* Spellings of case k: each writes `out`, which starts as `start`, in any order if it is unordered.  0 rounds: results are
** compared, nothing is timed. */
template <class T>
static void measure(int k, T *out, size_t count, int rounds, bool unordered, std::vector<std::function<void()>> runs) {
    std::vector<T> start(out, out + count), first;
    std::vector<double> least(runs.size(), 1e30);
    for (size_t j = 0; j < runs.size(); j++) {
        memcpy(out, start.data(), count * sizeof(T));
        runs[j]();
        cudaError_t status = cudaDeviceSynchronize();
        if (status) printf("%d %zu wrong %s\n", k, j, cudaGetErrorString(status)), exit(1);
        if (unordered) std::sort(out, out + count);
        if (!j) first.assign(out, out + count);
        for (size_t i = 0; i < count; i++)
            if (memcmp(&first[i], &out[i], sizeof(T)) && first[i] != out[i]) {
                printf("%d %zu wrong [%zu] is %.17g, not %.17g\n", k, j, i, (double)out[i], (double)first[i]);
                break;
            }
    }
    for (int r = -3; r < rounds; r++)
        for (size_t j = 0; j < runs.size() && rounds; j++) {
            double t = cpu_us();
            runs[j]();
            cudaDeviceSynchronize();
            t = cpu_us() - t;
            if (r >= 0 && t < least[j]) least[j] = t;
        }
    for (size_t j = 0; j < runs.size() && rounds; j++) printf("%d %zu time %.3f\n", k, j, least[j]);
}
