// Memory that is looked at as another type than it was written as: addresses alone say what is the same, as with nvcc.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

/* Each thread writes a word as an integer, then as a float, and reads the integer. */
__global__ void through_memory(int *words, float *floats, int *out) {
    unsigned i = global_rank();
    words[i] = 7;
    floats[i] = float(i) + 1;
    out[i] = words[i];
}

struct Sum {
    double a, b;
    int n;
};

/* A structure goes through the shuffle word by word. */
template <class T> __device__ T from_lane(const T &value, int lane) {
    T result;
    for (unsigned k = 0; k < sizeof(T) / sizeof(int); k++)
        reinterpret_cast<int *>(&result)[k] = __shfl_sync(~0u, reinterpret_cast<const int *>(&value)[k], lane);
    return result;
}

__global__ void through_words(const double *in, double *out) {
    unsigned i = global_rank();
    Sum own = {in[i], in[i] * 2, int(i)}, all = {0, 0, 0};
    for (int lane = 0; lane < 32; lane++) {
        Sum other = from_lane(own, lane);
        all.a += other.a;
        all.b += other.b;
        all.n += other.n;
    }
    out[3 * i] = all.a, out[3 * i + 1] = all.b, out[3 * i + 2] = all.n;
}

/* The halves of a number are exchanged in shared memory. */
__global__ void through_shared(double *data) {
    __shared__ double number[256];
    unsigned *half = reinterpret_cast<unsigned *>(number);
    unsigned t = threadIdx.x, i = global_rank();
    number[t] = data[i];
    unsigned low = half[2 * t];
    half[2 * t] = half[2 * t + 1];
    half[2 * t + 1] = low;
    data[i] = number[t];
}

static double exchanged(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    bits = bits << 32 | bits >> 32;
    memcpy(&x, &bits, 8);
    return x;
}

static void memory_and_words(unsigned threads) {
    const unsigned n = 2 * threads;
    std::vector<int> want(n);
    for (unsigned i = 0; i < n; i++) {
        float f = float(i) + 1;
        memcpy(&want[i], &f, 4);
    }
    Buffer<int> words(n), out(n);
    through_memory<<<2, threads>>>(words, reinterpret_cast<float *>((int *)words), out);
    SAME(out.get(), want);

    std::vector<double> in(n), sums(3 * n);
    for (unsigned i = 0; i < n; i++) in[i] = i % 13;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i & ~31u; k < (i & ~31u) + 32; k++) {
            sums[3 * i] += in[k];
            sums[3 * i + 1] += in[k] * 2;
            sums[3 * i + 2] += k;
        }
    Buffer<double> din(in), dsums(3 * n);
    through_words<<<2, threads>>>(din, dsums);
    SAME(dsums.get(), sums);
}

static void shared_halves(unsigned threads) {
    Random random(threads);
    std::vector<double> in(3 * threads), want(in);
    for (size_t i = 0; i < in.size(); i++) in[i] = 1 + random.below(1u << 30) / 1024.0;
    for (size_t i = 0; i < in.size(); i++) want[i] = exchanged(in[i]);
    Buffer<double> data(in);
    through_shared<<<3, threads>>>(data);
    CHECK(!memcmp(data.get().data(), want.data(), want.size() * sizeof(double)));
}

int main() {
    for (unsigned threads : {32u, 64u, 256u}) memory_and_words(threads);
    for (unsigned threads : {1u, 31u, 100u, 256u}) shared_halves(threads);
    return finish();
}
