// cuBLAS over OpenBLAS: products of all types and operations against plain loops, vectors, triangles, batches, types by argument,
// scalars and results on host and device, order on a stream, capture, errors.
// REQUIRES: run
// RUN: %cucpu -I%root/tests/kernels %s -lcublas -o %t && env CUCPU_NUM_THREADS=4 %run %t | FileCheck %s
// CHECK: 0 failures
#include "check.h"
#include <complex>
#include <cstring>
#include <cublas_v2.h>
#include <vector>

typedef std::complex<float> cf;
typedef std::complex<double> cd;
static cublasHandle_t h;
#define BLAS(e) CHECK((e) == CUBLAS_STATUS_SUCCESS)

static unsigned seed = 1;
static int next() { return int((seed = seed * 1664525u + 1013904223u) >> 24) % 9 - 4; }
template <class T> T number() { return T(next()); }
template <> cf number<cf>() { return cf(next(), next()); }
template <> cd number<cd>() { return cd(next(), next()); }
static float conj_(float x) { return x; }
static double conj_(double x) { return x; }
template <class R> std::complex<R> conj_(std::complex<R> x) { return std::conj(x); }

/* Small whole numbers: sums are exact in any order. */
template <class T> struct Matrix {
    int rows, columns, ld;
    T *p;
    Matrix(int r, int c, int pad = 3) : rows(r), columns(c), ld(r + pad) {
        CUDA(cudaMallocManaged(&p, sizeof(T) * (ld * c + 1)));
        for (int i = 0; i < ld * c; i++) p[i] = number<T>();
    }
    ~Matrix() { cudaFree(p); }
    T at(int i, int j, cublasOperation_t op = CUBLAS_OP_N) const {
        T v = op == CUBLAS_OP_T || op == CUBLAS_OP_C ? p[j + i * ld] : p[i + j * ld];
        return op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG ? conj_(v) : v;
    }
};

static const cuComplex *raw(const cf *p) { return (const cuComplex *)p; }
static const cuDoubleComplex *raw(const cd *p) { return (const cuDoubleComplex *)p; }
static const float *raw(const float *p) { return p; }
static const double *raw(const double *p) { return p; }
static cuComplex *raw(cf *p) { return (cuComplex *)p; }
static cuDoubleComplex *raw(cd *p) { return (cuDoubleComplex *)p; }
static float *raw(float *p) { return p; }
static double *raw(double *p) { return p; }
#define BY_TYPE(T, name)                                                                                                     \
    [](auto... a) {                                                                                                          \
        if constexpr (sizeof(T) == sizeof(cd)) return cublasZ##name(h, a...);                                                \
        else if constexpr (std::is_same<T, cf>::value) return cublasC##name(h, a...);                                        \
        else if constexpr (std::is_same<T, double>::value) return cublasD##name(h, a...);                                    \
        else return cublasS##name(h, a...);                                                                                  \
    }

template <class T> void products() {
    const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    T alpha = number<T>(), beta = T(2);
    for (cublasOperation_t ta : ops)
        for (cublasOperation_t tb : ops) {
            const int m = 7, n = 5, k = 6;
            Matrix<T> a(ta ? k : m, ta ? m : k), b(tb ? n : k, tb ? k : n), c(m, n), was(m, n);
            memcpy(was.p, c.p, sizeof(T) * c.ld * n);
            BLAS(BY_TYPE(T, gemm)(ta, tb, m, n, k, raw(&alpha), raw(a.p), a.ld, raw(b.p), b.ld, raw(&beta), raw(c.p), c.ld));
            CUDA(cudaDeviceSynchronize());
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    T sum = 0;
                    for (int x = 0; x < k; x++) sum += a.at(i, x, ta) * b.at(x, j, tb);
                    CHECK(c.at(i, j) == alpha * sum + beta * was.at(i, j));
                }
            for (int j = 0; j < n; j++) CHECK(c.p[m + j * c.ld] == was.p[m + j * c.ld]); // behind the rows
        }
}

template <class T> void triangles() {
    T one = 1;
    Matrix<T> a(6, 6), b(6, 4), x(6, 4), y(6, 4);
    for (int i = 0; i < 6; i++) a.p[i + i * a.ld] = T(1);
    BLAS(BY_TYPE(T, trmm)(CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 6, 4, raw(&one), raw(a.p), a.ld, raw(b.p), b.ld, raw(x.p), x.ld));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++) {
            T sum = 0;
            for (int k = 0; k <= i; k++) sum += a.at(i, k) * b.at(k, j);
            CHECK(x.at(i, j) == sum);
        }
    BLAS(BY_TYPE(T, trsm)(CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 6, 4, raw(&one), raw(a.p), a.ld, raw(x.p), x.ld));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++) CHECK(std::abs(x.at(i, j) - b.at(i, j)) < 1e-2);
    T two = 2, three = 3;
    BLAS(BY_TYPE(T, geam)(CUBLAS_OP_N, CUBLAS_OP_T, 4, 6, raw(&two), raw(a.p), a.ld, raw(&three), raw(b.p), b.ld, raw(y.p), 5));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) CHECK(y.p[i + j * 5] == two * a.at(i, j) + three * b.at(j, i));
    BLAS(BY_TYPE(T, dgmm)(CUBLAS_SIDE_RIGHT, 6, 4, raw(b.p), b.ld, raw(a.p), 2, raw(x.p), x.ld));
    CUDA(cudaDeviceSynchronize());
    for (int j = 0; j < 4; j++) CHECK(x.at(5, j) == b.at(5, j) * a.p[2 * j]);
}

template <class T> void matrix_and_vector() {
    T alpha = 2, beta = 3;
    Matrix<T> a(5, 4), x(12, 1, 0), y(10, 1, 0), was(10, 1, 0);
    memcpy(was.p, y.p, 10 * sizeof(T));
    BLAS(BY_TYPE(T, gemv)(CUBLAS_OP_C, 5, 4, raw(&alpha), raw(a.p), a.ld, raw(x.p), 2, raw(&beta), raw(y.p), -2));
    CUDA(cudaDeviceSynchronize());
    for (int j = 0; j < 4; j++) {
        T sum = 0;
        for (int i = 0; i < 5; i++) sum += conj_(a.at(i, j)) * x.p[2 * i];
        CHECK(y.p[(3 - j) * 2] == alpha * sum + beta * was.p[(3 - j) * 2]);
    }
}

static void vectors() {
    Matrix<float> x(100, 1, 0), y(100, 1, 0);
    float sum = 0, dot = 0, norm = 0, size = 0, alpha = 2;
    int most = 0, least = 0;
    for (int i = 0; i < 100; i++) x.p[i] = float((i * 37) % 101 + 1), sum += x.p[i], dot += x.p[i] * y.p[i], size += x.p[i] * x.p[i];
    float got = 0;
    BLAS(cublasSasum(h, 100, x.p, 1, &got));
    CHECK(got == sum);
    BLAS(cublasSdot(h, 100, x.p, 1, y.p, 1, &got));
    CHECK(got == dot);
    BLAS(cublasSnrm2(h, 100, x.p, 1, &norm));
    CHECK(std::abs(norm - std::sqrt(size)) < 0.1f);
    BLAS(cublasIsamax(h, 100, x.p, 1, &most));
    BLAS(cublasIsamin(h, 100, x.p, 1, &least));
    CHECK(x.p[most - 1] == 101 || x.p[most - 1] == 100);
    CHECK(x.p[least - 1] == 1);
    BLAS(cublasIsamax(h, 0, x.p, 1, &most));
    CHECK(most == 0);
    float was = y.p[7];
    BLAS(cublasSaxpy(h, 100, &alpha, x.p, 1, y.p, 1));
    CUDA(cudaDeviceSynchronize());
    CHECK(y.p[7] == was + 2 * x.p[7]);
    cf z[3] = {cf(1, 2), cf(0, 1), cf(3, 0)}, w[3] = {cf(2, 0), cf(1, 1), cf(0, 5)}, u, c;
    BLAS(cublasCdotu(h, 3, raw(z), 1, raw(w), 1, raw(&u)));
    BLAS(cublasCdotc(h, 3, raw(z), 1, raw(w), 1, raw(&c)));
    CHECK(u == z[0] * w[0] + z[1] * w[1] + z[2] * w[2]);
    CHECK(c == conj(z[0]) * w[0] + conj(z[1]) * w[1] + conj(z[2]) * w[2]);
    float cosine = 0, sine = 1;
    cf rotated[2] = {cf(1, 1), cf(2, 2)}, other[2] = {cf(3, 3), cf(4, 4)};
    BLAS(cublasCsrot(h, 2, raw(rotated), 1, raw(other), 1, &cosine, &sine));
    CUDA(cudaDeviceSynchronize());
    CHECK(rotated[1] == cf(4, 4) && other[1] == cf(-2, -2));
}

/* Scalars and results on the device are read and written when the stream comes to them. */
__global__ void put(float *p, float v) { *p = v; }
static void on_the_device() {
    float *s;
    CUDA(cudaMallocManaged(&s, 4 * sizeof *s));
    Matrix<float> x(50, 1, 0), y(50, 1, 0);
    float was = y.p[3];
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    BLAS(cublasSetStream(h, stream));
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    put<<<1, 1, 0, stream>>>(s, 5);
    BLAS(cublasSaxpy(h, 50, s, x.p, 1, y.p, 1));
    put<<<1, 1, 0, stream>>>(s, 7);
    BLAS(cublasSasum(h, 50, x.p, 1, s + 1));
    CUDA(cudaStreamSynchronize(stream));
    float sum = 0;
    for (int i = 0; i < 50; i++) sum += std::abs(x.p[i]);
    CHECK(y.p[3] == was + 5 * x.p[3] && s[1] == sum);
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float two = 2;
    y.p[3] = 0;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    BLAS(cublasSaxpy(h, 50, &two, x.p, 1, y.p, 1));
    CUDA(cudaStreamEndCapture(stream, &graph));
    two = 100;
    CHECK(y.p[3] == 0);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(y.p[3] == 6 * x.p[3]);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    BLAS(cublasSetStream(h, 0));
    CUDA(cudaStreamDestroy(stream));
    cudaFree(s);
}

static void batches() {
    enum { N = 5, BATCH = 7 };
    double one = 1, zero = 0, **p, *all;
    int *pivots, *info;
    CUDA(cudaMallocManaged(&all, sizeof(double) * 3 * BATCH * N * N));
    CUDA(cudaMallocManaged(&p, sizeof *p * 3 * BATCH));
    CUDA(cudaMallocManaged(&pivots, sizeof(int) * N * BATCH));
    CUDA(cudaMallocManaged(&info, sizeof(int) * BATCH));
    for (int i = 0; i < 3 * BATCH; i++) p[i] = all + i * N * N;
    for (int i = 0; i < BATCH * N * N; i++) all[i] = next() + (i % (N * N) % (N + 1) == 0 ? 20 : 0);
    BLAS(cublasDmatinvBatched(h, N, p, N, p + BATCH, N, info, BATCH));
    BLAS(cublasDgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, p, N, p + BATCH, N, &zero, p + 2 * BATCH, N, BATCH));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BATCH * N * N; i++) CHECK(std::abs(p[2 * BATCH][i] - (i % (N * N) % (N + 1) == 0)) < 1e-12);
    std::vector<double> a(all, all + BATCH * N * N);
    for (int plain = 0; plain < 2; plain++) {
        memcpy(all, a.data(), sizeof(double) * a.size());
        for (int i = 0; i < BATCH * N; i++) p[BATCH][i / N * N * N + i % N] = 1;
        BLAS(cublasDgetrfBatched(h, N, p, N, plain ? nullptr : pivots, info, BATCH));
        int status = 1;
        BLAS(cublasDgetrsBatched(h, CUBLAS_OP_N, N, 1, p, N, plain ? nullptr : pivots, p + BATCH, N, &status, BATCH));
        CUDA(cudaDeviceSynchronize());
        CHECK(status == 0 && info[BATCH - 1] == 0);
        for (int k = 0; k < BATCH; k++)
            for (int i = 0; i < N; i++) {
                double sum = 0;
                for (int j = 0; j < N; j++) sum += a[k * N * N + i + j * N] * p[BATCH + k][j];
                CHECK(std::abs(sum - 1) < 1e-12);
            }
    }
    float two = 2, three = 3;
    Matrix<float> x(4, 4 * BATCH, 0), y(4, 4, 0), z(4, 4 * BATCH, 0), was(4, 4 * BATCH, 0);
    memcpy(was.p, z.p, sizeof(float) * 16 * BATCH);
    BLAS(cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &two, x.p, 4, 16, y.p, 4, 0, &three, z.p, 4, 16, BATCH));
    CUDA(cudaDeviceSynchronize());
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += x.p[16 * 6 + 1 + 4 * k] * y.p[k + 4 * 2];
    CHECK(z.p[16 * 6 + 1 + 4 * 2] == 2 * sum + 3 * was.p[16 * 6 + 1 + 4 * 2]);
}

static void mixed_types() {
    __half *a, *b, *c;
    signed char *bytes;
    int *counts;
    float *f;
    CUDA(cudaMallocManaged(&a, 64 * sizeof *a));
    CUDA(cudaMallocManaged(&b, 64 * sizeof *b));
    CUDA(cudaMallocManaged(&c, 64 * sizeof *c));
    CUDA(cudaMallocManaged(&bytes, 128));
    CUDA(cudaMallocManaged(&counts, 64 * sizeof *counts));
    CUDA(cudaMallocManaged(&f, 64 * sizeof *f));
    for (int i = 0; i < 64; i++) a[i] = __float2half(next()), b[i] = __float2half(next()), c[i] = __float2half(NAN), f[i] = NAN;
    for (int i = 0; i < 128; i++) bytes[i] = (signed char)(i * 7);
    __half one = __float2half(1), zero = __float2half(0);
    BLAS(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 8, 8, 8, &one, a, 8, b, 8, &zero, c, 8)); // NaN is not read
    float fone = 1, fzero = 0;
    BLAS(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_T, 8, 8, 8, &fone, a, CUDA_R_16F, 8, b, CUDA_R_16F, 8, &fzero, f, CUDA_R_32F, 8, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
    int ione = 1, izero = 0;
    BLAS(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, 8, 8, 8, &ione, bytes, CUDA_R_8I, 8, bytes + 64, CUDA_R_8I, 8, &izero, counts, CUDA_R_32I, 8, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            float sum = 0;
            int count = 0;
            for (int k = 0; k < 8; k++) sum += __half2float(a[i + 8 * k]) * __half2float(b[j + 8 * k]), count += bytes[k + 8 * i] * bytes[64 + k + 8 * j];
            CHECK(__half2float(c[i + 8 * j]) == sum && f[i + 8 * j] == sum && counts[i + 8 * j] == count);
        }
    CHECK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &fone, a, CUDA_R_16F, 8, f, CUDA_R_32F, 8, &fzero, f, CUDA_R_32F, 8, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
}

static void errors() {
    float one = 1;
    Matrix<float> a(4, 4, 0);
    CHECK(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a.p, 4, a.p, 4, &one, a.p, 4) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 4, 4, &one, a.p, 4, a.p, 4, &one, a.p, 4) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a.p, 3, a.p, 4, &one, a.p, 4) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(h, (cublasOperation_t)9, CUBLAS_OP_N, 4, 4, 4, &one, a.p, 4, a.p, 4, &one, a.p, 4) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, nullptr, a.p, 4, a.p, 4, &one, a.p, 4) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(!strcmp(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE"));
    float there[6], back[6] = {0};
    for (int i = 0; i < 6; i++) there[i] = float(i);
    BLAS(cublasSetMatrix(2, 3, sizeof(float), there, 2, a.p, 4));
    CHECK(a.p[0] == 0 && a.p[1] == 1 && a.p[4] == 2 && a.p[9] == 5);
    BLAS(cublasGetMatrix(2, 3, sizeof(float), a.p, 4, back, 2));
    CHECK(!memcmp(there, back, sizeof there));
    CHECK(cublasSetVector(3, 0, there, 1, a.p, 1) == CUBLAS_STATUS_INVALID_VALUE);
}

int main() {
    BLAS(cublasCreate(&h));
    products<float>();
    products<double>();
    products<cf>();
    products<cd>();
    triangles<float>();
    triangles<double>();
    triangles<cf>();
    triangles<cd>();
    matrix_and_vector<float>();
    matrix_and_vector<double>();
    matrix_and_vector<cf>();
    matrix_and_vector<cd>();
    vectors();
    on_the_device();
    batches();
    mixed_types();
    errors();
    BLAS(cublasDestroy(h));
    std::printf("%d failures\n", failures);
    return failures != 0;
}
