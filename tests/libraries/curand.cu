// libcurand: known integers, the order of the lanes against curand_kernel.h, moments, calls that go on, offsets, errors, streams, graphs.
// REQUIRES: run
// RUN: %cucpu -O2 %s -o %t -lcurand && %run %t && env CUCPU_NUM_THREADS=3 CUCPU_LAUNCH=async %run %t
// RUN: %cucpu -O2 %s -o %t.static -lcurand_static
#include "../kernels/check.h"
#include <curand.h>
#include <curand_kernel.h>

#define RAND(call) rand_ok(call, #call, __LINE__)
static void rand_ok(curandStatus_t r, const char *what, int line) {
    if (r == CURAND_STATUS_SUCCESS) return;
    std::printf("line %d: %s: %d\n", line, what, (int)r);
    std::exit(2);
}

static const curandRngType_t types[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                                        CURAND_RNG_PSEUDO_MT19937};
enum { N = 400000 };
static unsigned *words, *more;
static float *singles;
static double *doubles;

static curandGenerator_t make(curandRngType_t type, unsigned long long seed, bool host = false) {
    curandGenerator_t g;
    RAND((host ? curandCreateGeneratorHost : curandCreateGenerator)(&g, type));
    RAND(curandSetPseudoRandomGeneratorSeed(g, seed));
    return g;
}
static void drop(curandGenerator_t g) { RAND(curandDestroyGenerator(g)); }

/* ---- integers ---- */

static void check_known() {
    static const struct {
        curandRngType_t type;
        unsigned long long seed;
        int at;
        unsigned value;
    } rows[] = {
        /* Random123's known answers: key and counter 0 */
        {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0, 0, 0x6627e8d5}, {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0, 1, 0xe169c58d},
        {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0, 2, 0xbc57ac4c}, {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0, 3, 0x9b00dbd8},
        /* as in kernels/random_numbers.cu */
        {CURAND_RNG_PSEUDO_XORWOW, 1234, 0, 0x253d5e15}, {CURAND_RNG_PSEUDO_XORWOW, 1234, 4096, 0x6f558604},
        {CURAND_RNG_PSEUDO_MRG32K3A, 1234, 0, 0xc96891f0}, {CURAND_RNG_PSEUDO_MRG32K3A, 1234, 81920, 0x9650c684},
        /* the C++ standard's: mt19937's number 10000 */
        {CURAND_RNG_PSEUDO_MT19937, 5489, 0, 3499211612u}, {CURAND_RNG_PSEUDO_MT19937, 5489, 9999, 4123659995u},
    };
    for (const auto &r : rows) {
        curandGenerator_t g = make(r.type, r.seed);
        RAND(curandGenerate(g, words, N));
        CUDA(cudaDeviceSynchronize());
        CHECK(words[r.at] == r.value);
        drop(g);
    }
    curandGenerator_t a; /* the default generator, its default seed */
    RAND(curandCreateGenerator(&a, CURAND_RNG_PSEUDO_DEFAULT));
    RAND(curandGenerate(a, words, 1));
    CUDA(cudaDeviceSynchronize());
    CHECK(words[0] == 0xbd7f03b6);
    drop(a);
}

/* Number n is from lane n / group % lanes, from where this lane stands then. */
template <class State> __global__ void by_lanes(unsigned *out, int n, unsigned long long seed, int lanes, int group) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        State s;
        int visit = i / group;
        curand_init(seed, visit % lanes, (unsigned long long)(visit / lanes) * group + i % group, &s);
        out[i] = curand(&s);
    }
}
template <class State> static void check_lanes(curandRngType_t type, curandOrdering_t order, int lanes, int group, int n) {
    curandGenerator_t g = make(type, 0x123456789abull);
    RAND(curandSetGeneratorOrdering(g, order));
    RAND(curandGenerate(g, words, n));
    by_lanes<State><<<64, 64>>>(more, n, 0x123456789abull, lanes, group);
    CUDA(cudaDeviceSynchronize());
    CHECK(!memcmp(words, more, n * sizeof *words));
    drop(g);
}

/* ---- any cut of a sequence is the sequence; so is one that begins later, of one word for a number; host and device are the same ---- */

template <class T, class Draw> static void check_cuts(curandRngType_t type, T *all, bool one_word, Draw draw) {
    static const int cuts[] = {2, 6, 4, 88, 3900, 200, 70000, 30002, 81920, 65536, 4096};
    curandGenerator_t g = make(type, 99);
    draw(g, all, N / 2);
    CUDA(cudaDeviceSynchronize());
    std::vector<T> whole(all, all + N / 2);
    drop(g);
    g = make(type, 99);
    memset(all, 0, N / 2 * sizeof(T));
    int done = 0;
    for (int i = 0; done < N / 2; i = (i + 1) % 11) {
        int n = std::min(cuts[i], N / 2 - done);
        draw(g, all + done, n);
        done += n;
    }
    CUDA(cudaDeviceSynchronize());
    CHECK(!memcmp(all, whole.data(), N / 2 * sizeof(T)));
    drop(g);
    g = make(type, 99, true);
    std::vector<T> host(N / 2);
    draw(g, host.data(), N / 2);
    CHECK(!memcmp(host.data(), whole.data(), N / 2 * sizeof(T)));
    drop(g);
    for (int offset = 1; offset < 100000 && one_word; offset = offset * 5 + 2) {
        g = make(type, 99);
        if (type == CURAND_RNG_PSEUDO_MT19937)
            CHECK(curandSetGeneratorOffset(g, offset) == CURAND_STATUS_TYPE_ERROR);
        else {
            RAND(curandGenerate(g, words, 10)); /* the offset is not from here */
            RAND(curandSetGeneratorOffset(g, offset));
            draw(g, all, 100000);
            CUDA(cudaDeviceSynchronize());
            CHECK(!memcmp(all, whole.data() + offset, 100000 * sizeof(T)));
        }
        drop(g);
    }
}

/* Lanes that have drawn two words for a double go on behind them. */
static void check_mixed() {
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_XORWOW, 5);
    RAND(curandGenerateUniformDouble(g, doubles, 6));
    RAND(curandGenerate(g, words, 4096));
    RAND(curandGenerate(g, words + 4096, 4096));
    by_lanes<curandStateXORWOW><<<64, 64>>>(more, 5 * 4096, 5, 4096, 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(words[0] == more[6] && words[4095 - 6] == more[4095]);
    CHECK(words[4096 - 6] == more[2 * 4096] && words[4096] == more[4096 + 6]); /* lanes 0 and 6 */
    drop(g);
}

/* ---- distributions ---- */

template <class T> static void moments(const T *x, int n, double &mean, double &variance) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    mean = sum / n;
    for (int i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    variance = squares / n;
}
template <class T> static void check_moments(const T *x, double mean, double variance) {
    double m, v;
    CUDA(cudaDeviceSynchronize());
    moments(x, N, m, v);
    CHECK(std::fabs(m - mean) < 5 * std::sqrt(variance / N));
    CHECK(std::fabs(v - variance) < 0.02 * variance);
}
template <class T> static void check_range(const T *x) {
    int tenths[10] = {};
    for (int i = 0; i < N; i++) {
        CHECK(x[i] > 0 && x[i] <= 1);
        tenths[std::min(9, (int)(x[i] * 10))]++;
    }
    for (int c : tenths) CHECK(std::abs(c - N / 10) < N / 200);
}

/* Counts against the probabilities, where those are not small. */
static void check_poisson(curandGenerator_t g, double mean) {
    RAND(curandGeneratePoisson(g, words, N, mean));
    check_moments(words, mean, mean);
    std::vector<int> counts(2000);
    for (int i = 0; i < N; i++)
        if (words[i] < counts.size()) counts[words[i]]++;
    for (size_t k = 0; k < counts.size() && mean < 1000; k++) {
        double expected = N * std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
        if (expected > 20) CHECK(std::fabs(counts[k] - expected) < 6 * std::sqrt(expected));
    }
}

static void check_distributions(curandRngType_t type) {
    curandGenerator_t g = make(type, 31337);
    RAND(curandGenerateUniform(g, singles, N));
    check_moments(singles, 0.5, 1 / 12.0);
    check_range(singles);
    RAND(curandGenerateUniformDouble(g, doubles, N));
    check_moments(doubles, 0.5, 1 / 12.0);
    check_range(doubles);
    RAND(curandGenerateNormal(g, singles, N, 3, 2));
    check_moments(singles, 3, 4);
    RAND(curandGenerateNormalDouble(g, doubles, N, -1, 0.5));
    check_moments(doubles, -1, 0.25);
    int within = 0;
    for (int i = 0; i < N; i++) within += std::fabs(doubles[i] + 1) < 0.5;
    CHECK(std::fabs(within - 0.6826895 * N) < 5 * std::sqrt(N * 0.22));
    double s = std::exp(0.25);
    RAND(curandGenerateLogNormal(g, singles, N, 1, 0.5f));
    check_moments(singles, std::exp(1.125), (s - 1) * std::exp(2.25));
    RAND(curandGenerateLogNormalDouble(g, doubles, N, 1, 0.5));
    check_moments(doubles, std::exp(1.125), (s - 1) * std::exp(2.25));
    for (double mean : {0.3, 10.0, 700.0, 400000.0}) check_poisson(g, mean);
    drop(g);
}

/* ---- the rest ---- */

static void check_errors() {
    curandGenerator_t g, none = NULL;
    int value;
    for (int type : {1, 143, 205}) CHECK(curandCreateGenerator(&g, (curandRngType_t)type) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandGenerate(none, words, 4) == CURAND_STATUS_NOT_INITIALIZED && curandDestroyGenerator(none) == CURAND_STATUS_NOT_INITIALIZED);
    CHECK(curandSetPseudoRandomGeneratorSeed(none, 1) == CURAND_STATUS_NOT_INITIALIZED && curandSetStream(none, 0) == CURAND_STATUS_NOT_INITIALIZED);
    g = make(CURAND_RNG_PSEUDO_XORWOW, 1);
    CHECK(curandGenerateNormal(g, singles, 7, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK(curandGenerateLogNormalDouble(g, doubles, 7, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK(curandGenerateLongLong(g, (unsigned long long *)words, 8) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 2) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT) == CURAND_STATUS_OUT_OF_RANGE);
    for (double mean : {0.0, -1.0, 400001.0, (double)NAN}) CHECK(curandGeneratePoisson(g, words, 8, mean) == CURAND_STATUS_OUT_OF_RANGE);
    words[0] = 77;
    RAND(curandGenerate(g, words, 0));
    RAND(curandGenerateSeeds(g));
    CUDA(cudaDeviceSynchronize());
    CHECK(words[0] == 77);
    drop(g);
    g = make(CURAND_RNG_PSEUDO_PHILOX4_32_10, 1);
    RAND(curandGenerateNormal(g, singles, 7, 0, 1)); /* as cuRAND has it */
    drop(g);
    CHECK(curandGetVersion(&value) == CURAND_STATUS_SUCCESS && value == CURAND_VERSION);
    CHECK(curandGetProperty(MAJOR_VERSION, &value) == CURAND_STATUS_SUCCESS && value == CURAND_VER_MAJOR);
    CHECK(curandGetProperty((libraryPropertyType)9, &value) == CURAND_STATUS_OUT_OF_RANGE);
}

__global__ void add_one(unsigned *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i]++;
}

static void check_stream() {
    cudaStream_t s;
    CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_MRG32K3A, 8), h = make(CURAND_RNG_PSEUDO_MRG32K3A, 8, true);
    RAND(curandSetStream(g, s));
    for (int i = 0; i < 5; i++) {
        RAND(curandGenerate(g, words, N));
        add_one<<<(N + 255) / 256, 256, 0, s>>>(words, N);
        RAND(curandGenerate(h, more, N));
    }
    CUDA(cudaStreamSynchronize(s));
    for (int i = 0; i < N; i++) CHECK(words[i] == more[i] + 1);
    drop(g);
    drop(h);
    CUDA(cudaStreamDestroy(s));
}

/* A graph goes on with the sequence each time; nothing is drawn while it is captured, and the generator may be gone. */
static void check_graph() {
    enum { ROUNDS = 3, ALL = 2 * 4096 };
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamCreate(&s));
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_XORWOW, 21), h = make(CURAND_RNG_PSEUDO_XORWOW, 21, true);
    RAND(curandGenerate(h, more, ROUNDS * ALL));
    RAND(curandSetStream(g, s));
    words[0] = 77;
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    RAND(curandGenerate(g, words, ALL));
    RAND(curandGeneratePoisson(g, words + ALL, 4096, 5)); /* its table stays */
    CUDA(cudaStreamEndCapture(s, &graph));
    CHECK(words[0] == 77);
    CUDA(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    drop(g);
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK(!memcmp(words, more, ALL * sizeof *words) && words[ALL + 7] < 40);
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    by_lanes<curandStateXORWOW><<<64, 64>>>(more, 6 * 4096, 21, 4096, 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(!memcmp(words, more + 4 * 4096, ALL * sizeof *words)); /* two words each for Poisson in between */
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    drop(h);
}

/* An address that is none is an error of the device, told apart from one of the call. */
static void check_fault() {
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_PHILOX4_32_10, 1);
    RAND(curandGenerateSeeds(g));
    curandGenerate(g, (unsigned *)16, 4);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(curandGenerate(g, words, 4) == CURAND_STATUS_PREEXISTING_FAILURE);
    CUDA(cudaDeviceReset());
}

int main() {
    CUDA(cudaMallocManaged(&words, N * sizeof *words));
    CUDA(cudaMallocManaged(&more, N * sizeof *more));
    CUDA(cudaMallocManaged(&singles, N * sizeof *singles));
    CUDA(cudaMallocManaged(&doubles, N * sizeof *doubles));
    check_known();
    check_lanes<curandStateXORWOW>(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 4096, 1, 9000);
    check_lanes<curandStateMRG32k3a>(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_BEST, 81920, 1, 90000);
    check_lanes<curandStateMRG32k3a>(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 4096, 1, 9000);
    check_lanes<curandStatePhilox4_32_10>(CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_LEGACY, 65536, 4, 300000);
    for (curandRngType_t type : types) {
        check_cuts(type, words, true, [](curandGenerator_t g, unsigned *p, int n) { RAND(curandGenerate(g, p, n)); });
        check_cuts(type, singles, true, [](curandGenerator_t g, float *p, int n) { RAND(curandGenerateUniform(g, p, n)); });
        check_cuts(type, doubles, false, [](curandGenerator_t g, double *p, int n) { RAND(curandGenerateUniformDouble(g, p, n)); });
        check_cuts(type, singles, false, [](curandGenerator_t g, float *p, int n) { RAND(curandGenerateNormal(g, p, n, 0, 1)); });
        check_cuts(type, doubles, false, [](curandGenerator_t g, double *p, int n) { RAND(curandGenerateLogNormalDouble(g, p, n, 0, 1)); });
        check_distributions(type);
    }
    check_mixed();
    check_errors();
    check_stream();
    check_graph();
    check_fault();
    return finish();
}
