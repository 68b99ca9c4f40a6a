// libcufft: every type against a DFT by its definition: sizes, ranks, batches, layouts, in place and not; errors, streams, threads, graphs.
// REQUIRES: run
// RUN: %cucpu -O2 %s -o %t -lcufft && %run %t && env CUCPU_NUM_THREADS=3 CUCPU_LAUNCH=async %run %t
// RUN: %cucpu %s -o %t.static -lcufft_static
#include "../kernels/check.h"
#include <complex>
#include <cufft.h>
#include <cufftXt.h>
#include <thread>

#define FFT(call) fft_ok(call, #call, __LINE__)
static void fft_ok(cufftResult r, const char *what, int line) {
    if (r == CUFFT_SUCCESS) return;
    std::printf("line %d: %s: %d\n", line, what, (int)r);
    std::exit(2);
}

typedef std::complex<double> Complex;
struct Case {
    int rank, n[3], batch;
    bool advanced; /* else the rest counts for nothing */
    int inembed[3], istride, idist, onembed[3], ostride, odist;
};
enum Kind { C2C, R2C, C2R };

static double random_value() {
    static unsigned long long s = 88172645463325252ull;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (double)(s >> 11) * 0x1p-53 - 0.5;
}

static int volume(const Case &c) { return c.n[0] * (c.rank > 1 ? c.n[1] : 1) * (c.rank > 2 ? c.n[2] : 1); }

/* The definition, dimension by dimension. */
static void dft(std::vector<Complex> &x, const Case &c, int sign) {
    int before = 1, after = volume(c);
    for (int d = 0; d < c.rank; d++) {
        int n = c.n[d];
        after /= n;
        std::vector<Complex> roots(n), in(n), line(n);
        for (int i = 0; i < n; i++) roots[i] = std::polar(1.0, sign * 2 * M_PI * i / n);
        for (int b = 0; b < before; b++)
            for (int a = 0; a < after; a++) {
                Complex *first = &x[(size_t)b * n * after + a];
                for (int j = 0; j < n; j++) in[j] = first[(size_t)j * after];
                for (int k = 0; k < n; k++) {
                    double re = 0, im = 0;
                    for (int j = 0, r = 0; j < n; j++) {
                        re += in[j].real() * roots[r].real() - in[j].imag() * roots[r].imag();
                        im += in[j].real() * roots[r].imag() + in[j].imag() * roots[r].real();
                        r = r + k < n ? r + k : r + k - n;
                    }
                    line[k] = Complex(re, im);
                }
                for (int k = 0; k < n; k++) first[(size_t)k * after] = line[k];
            }
        before *= n;
    }
}

/* One side of a case: where element (i, j, k) of a transform lies. */
struct Side {
    bool real;
    int rank, extent[3];
    long long stride[3], dist, size; /* size: elements of the whole */
    long long at(int b, int linear) const {
        long long p = b * dist;
        for (int d = rank - 1; d >= 0; d--) p += linear % extent[d] * stride[d], linear /= extent[d];
        return p;
    }
    int count() const { return extent[0] * (rank > 1 ? extent[1] : 1) * (rank > 2 ? extent[2] : 1); }
};

static Side side(const Case &c, Kind kind, bool output, bool in_place) {
    Side s = {kind == (output ? C2R : R2C), c.rank};
    bool half = kind == (output ? R2C : C2R);
    long long stride = c.advanced ? (output ? c.ostride : c.istride) : 1, last = 0;
    for (int d = c.rank - 1; d >= 0; d--) {
        s.extent[d] = half && d == c.rank - 1 ? c.n[d] / 2 + 1 : c.n[d];
        s.stride[d] = stride;
        int stored = s.extent[d];
        if (s.real && in_place && d == c.rank - 1) stored = 2 * (c.n[d] / 2 + 1);
        if (c.advanced) stored = (output ? c.onembed : c.inembed)[d];
        stride *= stored;
        last += (s.extent[d] - 1) * s.stride[d];
    }
    s.dist = c.advanced ? (output ? c.odist : c.idist) : stride;
    s.size = (c.batch - 1) * s.dist + last + 1;
    return s;
}

/* Index in all of the transform of element `linear` of a side with half of it. */
static int in_full(const Side &s, const Case &c, int linear) {
    int half = s.extent[c.rank - 1];
    return linear / half * c.n[c.rank - 1] + linear % half;
}

template <class Real> struct Types;
template <> struct Types<float> {
    static constexpr cufftType type[3] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R};
    static constexpr double bound = 2e-6;
    static cufftResult run(cufftHandle p, Kind k, void *in, void *out, int sign) {
        if (k == C2C) return cufftExecC2C(p, (cufftComplex *)in, (cufftComplex *)out, sign);
        return k == R2C ? cufftExecR2C(p, (float *)in, (cufftComplex *)out) : cufftExecC2R(p, (cufftComplex *)in, (float *)out);
    }
};
template <> struct Types<double> {
    static constexpr cufftType type[3] = {CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D};
    static constexpr double bound = 4e-15;
    static cufftResult run(cufftHandle p, Kind k, void *in, void *out, int sign) {
        if (k == C2C) return cufftExecZ2Z(p, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, sign);
        return k == R2C ? cufftExecD2Z(p, (double *)in, (cufftDoubleComplex *)out)
                        : cufftExecZ2D(p, (cufftDoubleComplex *)in, (double *)out);
    }
};
constexpr cufftType Types<float>::type[3], Types<double>::type[3];

template <class Real> static void store(Real *base, const Side &s, long long at, Complex v) {
    if (s.real)
        base[at] = (Real)v.real();
    else
        base[2 * at] = (Real)v.real(), base[2 * at + 1] = (Real)v.imag();
}
template <class Real> static Complex load(const Real *base, const Side &s, long long at) {
    return s.real ? Complex(base[at], 0) : Complex(base[2 * at], base[2 * at + 1]);
}

/* Input and expected output of one transform of the batch. */
static void example(const Case &c, Kind kind, int sign, std::vector<Complex> &in, std::vector<Complex> &out) {
    int n = volume(c);
    in.resize(n);
    for (Complex &v : in) v = Complex(random_value(), kind == C2C ? random_value() : 0);
    out = in;
    dft(out, c, kind == C2R ? -1 : sign);
    if (kind != C2R) return;
    in.swap(out); /* a spectrum that is one of reals */
    for (Complex &v : out) v *= n;
}

template <class Real> static cufftHandle plan_of(const Case &c, Kind kind) {
    cufftHandle plan;
    cufftType type = Types<Real>::type[kind];
    Case m = c;
    if (c.advanced)
        FFT(cufftPlanMany(&plan, c.rank, m.n, m.inembed, c.istride, c.idist, m.onembed, c.ostride, c.odist, type, c.batch));
    else if (c.rank == 1)
        FFT(cufftPlan1d(&plan, c.n[0], type, c.batch));
    else if (c.batch > 1)
        FFT(cufftPlanMany(&plan, c.rank, m.n, NULL, 7, 7, NULL, 7, 7, type, c.batch));
    else if (c.rank == 2)
        FFT(cufftPlan2d(&plan, c.n[0], c.n[1], type));
    else
        FFT(cufftPlan3d(&plan, c.n[0], c.n[1], c.n[2], type));
    return plan;
}

/* shift: elements by which the arrays lie off what an allocation gives. */
template <class Real> static void check_case(const Case &c, Kind kind, int sign, bool in_place, int shift) {
    Side in = side(c, kind, false, in_place), out = side(c, kind, true, in_place);
    size_t a = (size_t)in.size * (in.real ? 1 : 2) + 2, b = (size_t)out.size * (out.real ? 1 : 2) + 2;
    if (in_place) a = b = std::max(a, b);
    Real *x, *y;
    CUDA(cudaMallocManaged(&x, (a + shift) * sizeof(Real)));
    CUDA(cudaMallocManaged(&y, (b + shift) * sizeof(Real)));
    Real *from = x + shift, *to = in_place ? from : y + shift;
    for (size_t i = 0; i < a; i++) from[i] = 1234;
    for (size_t i = 0; i < b; i++) to[i] = 1234;
    std::vector<std::vector<Complex>> expected(c.batch);
    std::vector<Complex> example_in;
    for (int t = 0; t < c.batch; t++) {
        example(c, kind, sign, example_in, expected[t]);
        for (int i = 0; i < in.count(); i++) store(from, in, in.at(t, i), example_in[in_full(in, c, i)]);
    }
    std::vector<Real> kept(from, from + a);
    cufftHandle plan = plan_of<Real>(c, kind);
    FFT(Types<Real>::run(plan, kind, from, to, sign));
    CUDA(cudaDeviceSynchronize());
    if (!in_place) CHECK(!memcmp(kept.data(), from, a * sizeof(Real)));
    double error = 0, norm = 0;
    std::vector<char> written(b);
    for (int t = 0; t < c.batch; t++)
        for (int i = 0; i < out.count(); i++) {
            Complex want = expected[t][in_full(out, c, i)], got = load(to, out, out.at(t, i));
            error += std::norm(want - got), norm += std::norm(want);
            for (int h = 0; h < (out.real ? 1 : 2); h++) written[out.at(t, i) * (out.real ? 1 : 2) + h] = 1;
        }
    CHECK(std::sqrt(error / norm) < Types<Real>::bound);
    for (size_t i = 0; i < b && !in_place; i++) CHECK(written[i] || to[i] == 1234);
    FFT(cufftDestroy(plan));
    CUDA(cudaFree(x));
    CUDA(cudaFree(y));
}

template <class Real> static void check_all(const Case &c) {
    for (int kind = C2C; kind <= C2R; kind++)
        for (int in_place = 0; in_place < 2; in_place++)
            for (int shift = 0; shift < 3; shift += kind == C2C ? 2 : 1) {
                if (shift && volume(c) > 2000) continue;
                if (in_place && c.advanced && kind != C2C) continue; /* its two sides overlap */
                int before = failures, large = volume(c) > 2000 ? (sizeof(Real) == 4 ? -1 : 1) : 0;
                if (large <= 0 || kind != C2C) check_case<Real>(c, (Kind)kind, -1, in_place, shift);
                if (large >= 0 && kind == C2C) check_case<Real>(c, C2C, 1, in_place, shift);
                if (failures > before)
                    std::printf("... rank %d, %d x %d x %d, batch %d, kind %d, %zu bytes, %s, %s\n", c.rank, c.n[0], c.n[1], c.n[2],
                                c.batch, kind, sizeof(Real), in_place ? "in place" : "out of place",
                                c.advanced ? "advanced" : "basic");
            }
}

static const Case cases[] = {
    {1, {1}, 1}, {1, {2}, 3}, {1, {7}, 1}, {1, {8}, 1000}, {1, {31}, 70}, {1, {97}, 5}, {1, {1009}, 2}, {1, {1024}, 9},
    {1, {1331}, 1}, {1, {4096}, 2}, {1, {2 * 2 * 3 * 5 * 7 * 11}, 1},
    {2, {4, 6}, 1}, {2, {5, 7}, 40}, {2, {1, 16}, 2}, {2, {16, 1}, 2}, {2, {64, 48}, 5}, {2, {256, 257}, 1},
    {3, {3, 4, 5}, 1}, {3, {8, 6, 7}, 33}, {3, {41, 40, 42}, 1}, {3, {2, 300, 120}, 2},
    /* every second element; transforms interleaved; planes within larger ones; other sides */
    {1, {16}, 4, true, {16}, 2, 32, {16}, 2, 32},
    {1, {12}, 50, true, {12}, 50, 1, {12}, 50, 1},
    {1, {9}, 30, true, {9}, 1, 10, {9}, 3, 31},
    {2, {6, 10}, 7, true, {8, 12}, 1, 96, {6, 10}, 2, 125},
    {3, {4, 3, 6}, 3, true, {4, 5, 7}, 3, 450, {4, 4, 8}, 1, 130},
    {2, {260, 256}, 1, true, {260, 257}, 1, 77057, {260, 258}, 1, 77313},
};

/* In place with two sides that do not cover the same bytes: as if the input had been copied. */
static void check_overlap() {
    Case c = {1, {8}, 6, true, {8}, 1, 8, {5}, 1, 5};
    check_case<float>(c, R2C, -1, true, 0);
    Case r = {1, {9}, 5, true, {5}, 1, 5, {9}, 1, 9};
    check_case<double>(r, C2R, 1, true, 0);
    Case t = {1, {6}, 6, true, {6}, 1, 6, {6}, 6, 1}; /* transposed */
    check_case<float>(t, C2C, -1, true, 0);
    Case p = {2, {4, 6}, 3, true, {4, 8}, 1, 32, {4, 4}, 1, 16}; /* padded, said in full */
    check_case<float>(p, R2C, -1, true, 0);
}

static void check_errors() {
    cufftHandle h, made;
    size_t size = 99;
    int n[3] = {8, 8, 8}, bad[3] = {8, 0, 8}, value;
    long long wide[3] = {8, 8, 8}, huge[3] = {1ll << 40, 1ll << 40, 1};
    CHECK(cufftCreate(NULL) == CUFFT_INVALID_VALUE);
    FFT(cufftCreate(&h));
    CHECK(cufftExecC2C(h, (cufftComplex *)n, (cufftComplex *)n, -1) == CUFFT_INVALID_PLAN); /* not made */
    CHECK(cufftMakePlan1d(h, 8, CUFFT_C2C, 1, NULL) == CUFFT_INVALID_VALUE);
    CHECK(cufftMakePlan1d(h, 0, CUFFT_C2C, 1, &size) == CUFFT_INVALID_SIZE);
    CHECK(cufftMakePlan1d(h, 8, CUFFT_C2C, 0, &size) == CUFFT_INVALID_SIZE);
    CHECK(cufftMakePlan1d(h, 8, (cufftType)1, 1, &size) == CUFFT_INVALID_TYPE);
    CHECK(cufftMakePlan2d(h, 8, -8, CUFFT_C2C, &size) == CUFFT_INVALID_SIZE);
    CHECK(cufftMakePlanMany(h, 4, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1, &size) == CUFFT_INVALID_VALUE);
    CHECK(cufftMakePlanMany(h, 0, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1, &size) == CUFFT_INVALID_VALUE);
    CHECK(cufftMakePlanMany(h, 1, NULL, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1, &size) == CUFFT_INVALID_VALUE);
    CHECK(cufftMakePlanMany(h, 3, bad, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1, &size) == CUFFT_INVALID_SIZE);
    CHECK(cufftMakePlanMany(h, 1, n, n, 0, 8, n, 1, 8, CUFFT_C2C, 1, &size) == CUFFT_INVALID_VALUE);
    CHECK(cufftMakePlanMany(h, 1, n, n, 1, -8, n, 1, 8, CUFFT_C2C, 1, &size) == CUFFT_INVALID_VALUE);
    CHECK(cufftMakePlanMany(h, 2, n, n, 1, 64, bad, 1, 64, CUFFT_C2C, 1, &size) == CUFFT_INVALID_VALUE);
    CHECK(cufftMakePlanMany64(h, 2, huge, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1, &size) == CUFFT_INVALID_SIZE);
    CHECK(cufftXtMakePlanMany(h, 1, wide, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0, CUDA_C_16F, 1, &size, CUDA_C_16F) == CUFFT_NOT_SUPPORTED);
    FFT(cufftSetAutoAllocation(h, 0));
    FFT(cufftMakePlan1d(h, 8, CUFFT_C2C, 1, &size));
    CHECK(size == 0 && cufftGetSize(h, &size) == CUFFT_SUCCESS && size == 0 && cufftGetSize(h, NULL) == CUFFT_INVALID_VALUE);
    FFT(cufftSetWorkArea(h, n));
    CHECK(cufftMakePlan1d(h, 8, CUFFT_C2C, 1, &size) == CUFFT_INVALID_PLAN); /* once */
    CHECK(cufftExecC2C(h, NULL, (cufftComplex *)n, -1) == CUFFT_INVALID_VALUE);
    CHECK(cufftExecC2C(h, (cufftComplex *)n, NULL, -1) == CUFFT_INVALID_VALUE);
    CHECK(cufftExecC2C(h, (cufftComplex *)n, (cufftComplex *)n, 0) == CUFFT_INVALID_VALUE);
    CHECK(cufftExecR2C(h, (cufftReal *)n, (cufftComplex *)n) == CUFFT_INVALID_VALUE); /* another type */
    FFT(cufftDestroy(h));
    CHECK(cufftDestroy(h) == CUFFT_INVALID_PLAN && cufftSetStream(h, 0) == CUFFT_INVALID_PLAN);
    CHECK(cufftExecC2C(h, (cufftComplex *)n, (cufftComplex *)n, -1) == CUFFT_INVALID_PLAN);
    made = 77;
    CHECK(cufftPlan1d(&made, -1, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE && made == 77);
    CHECK(cufftPlan1d(NULL, 8, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
    CHECK(cufftEstimate1d(8, CUFFT_C2C, 1, &size) == CUFFT_SUCCESS && cufftEstimate3d(8, 8, 0, CUFFT_C2C, &size) == CUFFT_INVALID_SIZE);
    CHECK(cufftGetVersion(&value) == CUFFT_SUCCESS && value == CUFFT_VERSION);
    CHECK(cufftGetProperty(MINOR_VERSION, &value) == CUFFT_SUCCESS && value == CUFFT_VER_MINOR);
    CHECK(cufftGetProperty((libraryPropertyType)9, &value) == CUFFT_INVALID_TYPE && cufftGetVersion(NULL) == CUFFT_INVALID_VALUE);
}

__global__ void fill(cufftComplex *x, int n, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = make_cuComplex(v, 0);
}
__global__ void scale(cufftComplex *x, int n, float f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i].x *= f, x[i].y *= f;
}

/* A constant v becomes v * n at frequency 0 of each transform, and itself after the way back. */
enum { N = 512, BATCH = 40 };
static void round_trip(cufftHandle plan, cufftComplex *x, float v, cudaStream_t s) {
    fill<<<(N * BATCH + 255) / 256, 256, 0, s>>>(x, N * BATCH, v);
    FFT(cufftExecC2C(plan, x, x, CUFFT_FORWARD));
    FFT(cufftXtExec(plan, x, x, CUFFT_INVERSE));
    scale<<<(N * BATCH + 255) / 256, 256, 0, s>>>(x, N * BATCH, 1.0f / N);
}
static void check_constant(const cufftComplex *x, float v) {
    for (int i = 0; i < N * BATCH; i++) CHECK(std::fabs(x[i].x - v) < 1e-4f && std::fabs(x[i].y) < 1e-4f);
}

static void check_streams() {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([t] {
            cudaStream_t s;
            cufftHandle plan;
            cufftComplex *x;
            CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
            CUDA(cudaMallocManaged(&x, N * BATCH * sizeof *x));
            FFT(cufftPlan1d(&plan, N, CUFFT_C2C, BATCH));
            FFT(cufftSetStream(plan, s));
            for (int i = 0; i < 20; i++) round_trip(plan, x, t + 1 + i % 3, s);
            FFT(cufftDestroy(plan)); /* waits */
            CUDA(cudaStreamSynchronize(s));
            check_constant(x, t + 1 + 19 % 3);
            CUDA(cudaFree(x));
            CUDA(cudaStreamDestroy(s));
        });
    for (std::thread &t : threads) t.join();
}

/* Captured, launched twice, also when the plan is gone. */
static void check_graph() {
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cufftHandle plan;
    cufftComplex *x;
    size_t nodes = 0;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaMallocManaged(&x, N * BATCH * sizeof *x));
    FFT(cufftPlan1d(&plan, N, CUFFT_C2C, BATCH));
    FFT(cufftSetStream(plan, s));
    for (int i = 0; i < N * BATCH; i++) x[i] = make_cuComplex(9, 9);
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    round_trip(plan, x, 3, s);
    CUDA(cudaStreamEndCapture(s, &graph));
    CHECK(x[5].x == 9);
    CUDA(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK(nodes == 4);
    CUDA(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    FFT(cufftDestroy(plan));
    for (int i = 0; i < 2; i++) {
        CUDA(cudaMemset(x, 0, N * BATCH * sizeof *x));
        CUDA(cudaGraphLaunch(exec, s));
        CUDA(cudaStreamSynchronize(s));
        check_constant(x, 3);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(x));
}

/* One plan, many threads, each with arrays of its own. */
static void check_shared_plan() {
    cufftHandle plan;
    FFT(cufftPlan1d(&plan, N, CUFFT_C2C, BATCH));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([plan, t] {
            cufftComplex *x;
            CUDA(cudaMallocManaged(&x, N * BATCH * sizeof *x));
            for (int i = 0; i < 10; i++) round_trip(plan, x, t + i, 0);
            CUDA(cudaDeviceSynchronize());
            check_constant(x, t + 9);
            CUDA(cudaFree(x));
        });
    for (std::thread &t : threads) t.join();
    FFT(cufftDestroy(plan));
}

int main() {
    for (const Case &c : cases) check_all<float>(c), check_all<double>(c);
    check_overlap();
    check_errors();
    check_streams();
    check_graph();
    check_shared_plan();
    return finish();
}
