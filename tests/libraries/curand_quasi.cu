// Sobol's sequences: direction vectors, states in kernels, generators of the host; MTGP32 in kernels against its sequential form.
// REQUIRES: run
// RUN: %cucpu -O2 %s -o %t -lcurand && %run %t && env CUCPU_NUM_THREADS=3 CUCPU_LAUNCH=async %run %t
// RUN: %also { for o in --simd=1 --simd=32 -G --cpu=x86-64-v3; do %cucpu $o %s -o %t.also -lcurand && %run %t.also || exit 1; done; }
#include "../kernels/check.h"
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <set>

#define RAND(call) rand_ok(call, #call, __LINE__)
static void rand_ok(curandStatus_t r, const char *what, int line) {
    if (r == CURAND_STATUS_SUCCESS) return;
    std::printf("line %d: %s: %d\n", line, what, (int)r);
    std::exit(2);
}
typedef unsigned long long u64;
static curandDirectionVectors32_t *plain32, *mixed32;
static curandDirectionVectors64_t *plain64, *mixed64;
static unsigned *constants32;
static u64 *constants64;

/* ---- vectors ---- */

/* Element n of a dimension: the vectors of the bits of n's Gray code. */
template <class T> static T element(const T *v, u64 n, T c = 0) {
    for (u64 gray = n ^ n >> 1; gray; gray &= gray - 1) c ^= v[__builtin_ctzll(gray)];
    return c;
}

static void check_vectors() {
    RAND(curandGetDirectionVectors32(&plain32, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    RAND(curandGetDirectionVectors32(&mixed32, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
    RAND(curandGetDirectionVectors64(&plain64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    RAND(curandGetDirectionVectors64(&mixed64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
    RAND(curandGetScrambleConstants32(&constants32));
    RAND(curandGetScrambleConstants64(&constants64));
    CHECK(curandGetDirectionVectors32(&plain32, CURAND_DIRECTION_VECTORS_64_JOEKUO6) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandGetDirectionVectors64(&plain64, (curandDirectionVectorSet_t)7) == CURAND_STATUS_OUT_OF_RANGE);
    /* the published points of the first dimensions, in eighths, and some vectors of late dimensions */
    static const int points[3][8] = {{0, 4, 6, 2, 3, 7, 5, 1}, {0, 4, 2, 6, 3, 7, 1, 5}, {0, 4, 2, 6, 5, 1, 7, 3}};
    for (int d = 0; d < 3; d++)
        for (int n = 0; n < 8; n++) CHECK(element(plain32[d], n) >> 29 == (unsigned)points[d][n]);
    static const unsigned tenth[] = {0x80000000, 0x40000000, 0xe0000000, 0xb0000000, 0x98000000, 0x94000000, 0x8a000000, 0x5b000000};
    CHECK(!memcmp(plain32[9], tenth, sizeof tenth));
    static const unsigned last[] = {0x80000000, 0xc0000000, 0x20000000, 0xf0000000, 0xd8000000, 0x94000000, 0x7e000000, 0xfd000000};
    CHECK(!memcmp(plain32[19999], last, sizeof last));
    for (int d : {0, 1, 77, 19999})
        for (int j = 0; j < 32; j++) CHECK(plain32[d][j] == plain64[d][j] >> 32);
}

/* 1024 elements lie in 1024 intervals, and, of two dimensions, in 32 * 32 squares: so it is after scrambling. */
static void check_spread() {
    for (int d : {0, 1, 5, 300, 19999}) {
        std::set<unsigned> plain, mixed;
        std::set<u64> wide;
        for (int n = 0; n < 1024; n++) {
            plain.insert(element(plain32[d], n) >> 22);
            mixed.insert(element(mixed32[d], n, constants32[d]) >> 22);
            wide.insert(element(mixed64[d], n + 4096, constants64[d]) >> 54);
        }
        CHECK(plain.size() == 1024 && mixed.size() == 1024 && wide.size() == 1024);
    }
    std::set<unsigned> squares;
    for (int n = 0; n < 1024; n++)
        squares.insert((element(mixed32[0], n, constants32[0]) >> 27) * 32 + (element(mixed32[1], n, constants32[1]) >> 27));
    CHECK(squares.size() == 1024 && memcmp(mixed32[1], plain32[1], sizeof *mixed32) && constants32[0] != constants32[1]);
}

/* ---- kernels ---- */

enum { DRAWN = 6, OFFSET = 1000003 };
struct Row {
    u64 bits[DRAWN];
    float uniform, normal, log_normal;
    double uniform_double, normal_double;
    unsigned few, many;
};
template <class State> __device__ void draw(State &s, Row *r) {
    for (int i = 0; i < DRAWN; i++) r->bits[i] = curand(&s);
    State t = s;
    r->uniform = curand_uniform(&t), t = s;
    r->uniform_double = curand_uniform_double(&t), t = s;
    r->normal = curand_normal(&t), t = s;
    r->log_normal = curand_log_normal(&t, 1.0f, 0.5f), t = s;
    r->normal_double = curand_normal_double(&t), t = s;
    r->few = curand_poisson(&t, 3.5), t = s;
    r->many = curand_poisson(&t, 900.25);
    skipahead(5, &s);
    r->bits[DRAWN - 1] = curand(&s);
}
__global__ void states(curandDirectionVectors32_t *v, curandDirectionVectors64_t *w, unsigned c, u64 d, Row *out) {
    int i = threadIdx.x;
    curandStateSobol32_t a;
    curand_init(v[0], OFFSET + i, &a), draw(a, out + 4 * i);
    curandStateScrambledSobol32_t b;
    curand_init(v[0], c, OFFSET + i, &b), draw(b, out + 4 * i + 1);
    curandStateSobol64_t e;
    curand_init(w[0], OFFSET + i, &e), draw(e, out + 4 * i + 2);
    curandStateScrambledSobol64_t f;
    curand_init(w[0], d, OFFSET + i, &f), draw(f, out + 4 * i + 3);
}

static bool near(double a, double b, double bound) { return std::fabs(a - b) <= bound * (1 + std::fabs(b)); }
/* P(count <= n) */
static double poisson_sum(double mean, unsigned n) {
    double sum = 0;
    for (unsigned k = 0; k <= n; k++) sum += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
    return sum;
}
static bool is_quantile(double mean, unsigned n, double u) {
    return poisson_sum(mean, n) >= u - 1e-11 && (!n || poisson_sum(mean, n - 1) <= u + 1e-11);
}

static void check_states() {
    enum { THREADS = 50, D = 1234 };
    std::vector<unsigned> v(plain32[D], plain32[D] + 32);
    std::vector<u64> w(plain64[D], plain64[D] + 64);
    Buffer<unsigned> dv(v);
    Buffer<u64> dw(w);
    Buffer<Row> out(4 * THREADS);
    unsigned c = 0x12345678;
    u64 d = 0x123456789abcdef0;
    states<<<1, THREADS>>>((curandDirectionVectors32_t *)(unsigned *)dv, (curandDirectionVectors64_t *)(u64 *)dw, c, d, out);
    auto rows = out.get();
    for (int i = 0; i < 4 * THREADS; i++) {
        const Row &r = rows[i];
        bool wide = i & 2, mixed = i & 1;
        u64 at = OFFSET + i / 4, x[DRAWN];
        for (int k = 0; k < DRAWN; k++) {
            u64 n = at + (k < DRAWN - 1 ? k : DRAWN + 5);
            x[k] = wide ? element(w.data(), n, mixed ? d : 0) : element(v.data(), n, mixed ? c : 0u);
            CHECK(r.bits[k] == x[k]);
        }
        u64 next = wide ? element(w.data(), at + DRAWN, mixed ? d : 0) : (u64)element(v.data(), at + DRAWN, mixed ? c : 0u) << 32;
        double u = wide ? next * 0x1p-64 : (next >> 32) * 0x1p-32 + 0x1p-32;
        CHECK(near(r.uniform, (next >> 32) * 0x1p-32, 1e-7) && near(r.uniform_double, u, 1e-15));
        CHECK(near(r.normal, normcdfinv(u), 3e-6) && near(r.normal_double, normcdfinv(u), wide ? 1e-13 : 1e-7));
        CHECK(near(r.log_normal, std::exp(1 + 0.5 * r.normal), 1e-5));
        CHECK(is_quantile(3.5, r.few, u) && is_quantile(900.25, r.many, u));
    }
}

/* ---- generators ---- */

template <class T> static T *make_buffer(size_t n) {
    T *p;
    CUDA(cudaMallocManaged(&p, n * sizeof(T)));
    return p;
}
static curandGenerator_t make(curandRngType_t type, unsigned dimensions, bool host = false) {
    curandGenerator_t g;
    RAND((host ? curandCreateGeneratorHost : curandCreateGenerator)(&g, type));
    RAND(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
    return g;
}

static void check_order(bool host) {
    enum { EACH = 10001, DIMENSIONS = 3 };
    unsigned *p = make_buffer<unsigned>(EACH * DIMENSIONS);
    u64 *q = make_buffer<u64>(EACH * DIMENSIONS);
    auto a = make(CURAND_RNG_QUASI_SOBOL32, DIMENSIONS, host), b = make(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, DIMENSIONS, host);
    auto c = make(CURAND_RNG_QUASI_SOBOL64, DIMENSIONS, host), d = make(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, DIMENSIONS, host);
    for (u64 at = 0; at < 3 * EACH; at += EACH) { // the second call goes on, the third begins at an offset
        u64 first = at < 2 * EACH ? at : 77;
        for (auto g : {a, b, c, d})
            if (at == 2 * EACH) RAND(curandSetGeneratorOffset(g, 77));
        RAND(curandGenerate(a, p, EACH * DIMENSIONS));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < EACH * DIMENSIONS; i += 7) CHECK(p[i] == element(plain32[i / EACH], first + i % EACH));
        RAND(curandGenerate(b, p, EACH * DIMENSIONS));
        RAND(curandGenerateLongLong(c, q, EACH * DIMENSIONS));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < EACH * DIMENSIONS; i += 7) {
            CHECK(p[i] == element(mixed32[i / EACH], first + i % EACH, constants32[i / EACH]));
            CHECK(q[i] == element(plain64[i / EACH], first + i % EACH));
        }
        RAND(curandGenerateLongLong(d, q, EACH * DIMENSIONS));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < EACH * DIMENSIONS; i += 7) CHECK(q[i] == element(mixed64[i / EACH], first + i % EACH, constants64[i / EACH]));
    }
    for (auto g : {a, b, c, d}) RAND(curandDestroyGenerator(g));
    CUDA(cudaFree(p));
    CUDA(cudaFree(q));
}

static void check_numbers() {
    enum { N = 4096 };
    float *f = make_buffer<float>(N);
    double *x = make_buffer<double>(N);
    unsigned *p = make_buffer<unsigned>(N);
    for (auto type : {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SOBOL64}) {
        auto g = make(type, 1);
        auto again = [&] { RAND(curandSetGeneratorOffset(g, 1)); };
        auto u = [&](int i) { return element(plain64[0], i + 1) * 0x1p-64 + (type == CURAND_RNG_QUASI_SOBOL32 ? 0x1p-32 : 0); };
        again(), RAND(curandGenerateUniform(g, f, N)), again(), RAND(curandGenerateUniformDouble(g, x, N));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < N; i++) CHECK(near(f[i], u(i), 1e-7) && near(x[i], u(i), 1e-15));
        again(), RAND(curandGenerateNormal(g, f, N, 10, 2)), again(), RAND(curandGenerateNormalDouble(g, x, N, 10, 2));
        again(), RAND(curandGeneratePoisson(g, p, N, 20));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < N; i++) {
            double z = 10 + 2 * normcdfinv(u(i));
            CHECK(near(f[i], z, 3e-6) && near(x[i], z, 1e-6) && is_quantile(20, p[i], u(i)));
        }
        again(), RAND(curandGenerateLogNormalDouble(g, x, 100, 0, 1)), again(), RAND(curandGenerateLogNormal(g, f, 99, 0, 1));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 99; i++) CHECK(near(x[i], std::exp(normcdfinv(u(i))), 1e-6) && near(f[i], x[i], 1e-5));
        RAND(curandDestroyGenerator(g));
    }
    CUDA(cudaFree(f));
    CUDA(cudaFree(x));
    CUDA(cudaFree(p));
}

/* A graph goes on each time that it is launched. */
static void check_graph() {
    unsigned *p = make_buffer<unsigned>(200);
    auto g = make(CURAND_RNG_QUASI_DEFAULT, 2);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CUDA(cudaStreamCreate(&stream));
    RAND(curandSetStream(g, stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    RAND(curandGenerate(g, p, 200));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&run, graph, 0));
    for (int n = 0; n < 3; n++) {
        CUDA(cudaGraphLaunch(run, stream));
        CUDA(cudaStreamSynchronize(stream));
        CHECK(p[5] == element(plain32[0], n * 100 + 5) && p[199] == element(plain32[1], n * 100 + 99));
    }
    RAND(curandDestroyGenerator(g));
    CUDA(cudaGraphExecDestroy(run));
    CUDA(cudaFree(p));
}

static void check_errors() {
    unsigned x[4];
    u64 y[4];
    auto g = make(CURAND_RNG_QUASI_SOBOL32, 3, true), h = make(CURAND_RNG_QUASI_SOBOL64, 20000, true);
    CHECK(curandGenerate(g, x, 4) == CURAND_STATUS_LENGTH_NOT_MULTIPLE && curandGenerate(g, x, 3) == CURAND_STATUS_SUCCESS);
    CHECK(curandGenerateLongLong(g, y, 3) == CURAND_STATUS_TYPE_ERROR && curandGenerate(h, x, 3) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 0) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 20001) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_BEST) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT) == CURAND_STATUS_SUCCESS);
    RAND(curandDestroyGenerator(g));
    RAND(curandDestroyGenerator(h));
    RAND(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT));
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 2) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandGenerateLongLong(g, y, 2) == CURAND_STATUS_TYPE_ERROR);
    RAND(curandDestroyGenerator(g));
}

/* ---- MTGP32 ---- */

enum { BLOCKS = 5, ROUNDS = 4, MOST = 256 };
__global__ void twisters(curandStateMtgp32_t *states, int threads, unsigned *words, float *singles) {
    curandStateMtgp32_t *s = states + blockIdx.x;
    unsigned *w = words + blockIdx.x * (ROUNDS + 1) * MOST;
    for (int r = 0; r < ROUNDS; r++) w[r * threads + threadIdx.x] = curand(s);
    singles[blockIdx.x * MOST + threadIdx.x] = curand_mtgp32_single(s);
    w[ROUNDS * threads + threadIdx.x] = curand_mtgp32_specific(s, threadIdx.x, threads);
}

/* The sequence word by word, as it is published. */
struct Twister {
    const mtgp32_params_fast_t &set;
    std::vector<unsigned> s;
    Twister(const mtgp32_params_fast_t &p, unsigned seed) : set(p), s(MTGP32_N) { mtgp32_init_state(s.data(), &p, seed); }
    unsigned next(unsigned *single = nullptr) {
        size_t i = s.size() - MTGP32_N;
        unsigned x = (s[i] & set.mask) ^ s[i + 1];
        x ^= x << set.sh1;
        unsigned y = x ^ (s[i + set.pos] >> set.sh2);
        y ^= set.tbl[y & 15];
        unsigned t = s[i + set.pos - 1];
        t ^= t >> 16;
        t ^= t >> 8;
        s.push_back(y);
        if (single) *single = set.flt_tmp_tbl[t & 15] ^ y >> 9;
        return y ^ set.tmp_tbl[t & 15];
    }
};

static void check_twisters(int threads) {
    curandStateMtgp32_t *states;
    mtgp32_kernel_params_t *params;
    CUDA(cudaMalloc(&states, BLOCKS * sizeof *states));
    CUDA(cudaMalloc(&params, sizeof *params));
    const u64 seed = 0x700000005ull;
    RAND(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, params));
    RAND(curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, params, BLOCKS, seed));
    Buffer<unsigned> words(BLOCKS * (ROUNDS + 1) * MOST);
    Buffer<float> singles(BLOCKS * MOST);
    twisters<<<BLOCKS, threads>>>(states, threads, words, singles);
    auto w = words.get();
    auto f = singles.get();
    for (int b = 0; b < BLOCKS; b++) {
        Twister t(mtgp32dc_params_fast_11213[b], (unsigned)(seed ^ seed >> 32) + b + 1);
        const unsigned *row = &w[b * (ROUNDS + 1) * MOST];
        for (int i = 0; i < ROUNDS * threads; i++) CHECK(row[i] == t.next());
        for (int i = 0; i < threads; i++) {
            unsigned bits;
            float want;
            t.next(&bits);
            memcpy(&want, &bits, 4);
            CHECK(f[b * MOST + i] == want - 1);
        }
        for (int i = 0; i < threads; i++) CHECK(row[ROUNDS * threads + i] == t.next());
    }
    CUDA(cudaFree(states));
    CUDA(cudaFree(params));
    CHECK(sizeof mtgp32dc_params_fast_11213 / sizeof *mtgp32dc_params_fast_11213 == 200);
    CHECK(curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, params, 201, seed) == CURAND_STATUS_OUT_OF_RANGE);
}

/* The generator: rows of 256 words of each of 64 sets in turn; requests go on anywhere, and the host's is the same. */
static void check_generator(bool host) {
    enum { N = 2 * 64 * 256 + 300, FIRST = 77 };
    const u64 seed = 0x300000011ull;
    curandGenerator_t g;
    if (host) RAND(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MTGP32));
    else RAND(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32));
    CHECK(curandSetGeneratorOffset(g, 1) == CURAND_STATUS_TYPE_ERROR);
    RAND(curandSetPseudoRandomGeneratorSeed(g, seed));
    unsigned *words;
    float *singles;
    CUDA(cudaMallocManaged(&words, N * sizeof *words));
    CUDA(cudaMallocManaged(&singles, 4 * sizeof *singles));
    RAND(curandGenerate(g, words, FIRST));
    RAND(curandGenerate(g, words + FIRST, N - FIRST));
    RAND(curandGenerateUniform(g, singles, 4));
    CUDA(cudaDeviceSynchronize());
    std::vector<Twister> sets;
    for (unsigned i = 0; i < 64; i++) sets.emplace_back(mtgp32dc_params_fast_11213[i], (unsigned)(seed ^ seed >> 32) + i + 1);
    for (int i = 0; i < N; i++) CHECK(words[i] == sets[i / 256 % 64].next());
    for (int i = 0; i < 4; i++) CHECK(singles[i] == (float)(sets[(N + i) / 256 % 64].next() * 0x1p-32 + 0x1p-33));
    CHECK(curandGenerateNormal(g, singles, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    RAND(curandDestroyGenerator(g));
    CUDA(cudaFree(words));
    CUDA(cudaFree(singles));
}

int main() {
    check_vectors();
    check_spread();
    check_states();
    check_order(false);
    check_order(true);
    check_numbers();
    check_graph();
    check_errors();
    check_twisters(256);
    check_generator(false);
    check_generator(true);
    check_twisters(96);
    return failures != 0;
}
