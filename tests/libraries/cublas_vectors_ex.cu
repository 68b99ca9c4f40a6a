// cuBLAS's functions of vectors whose types are arguments: halves, bfloat16, float, double and complex, against plain loops on whole numbers.
// REQUIRES: run
// RUN: %cucpu -I%root/tests/kernels %s -lcublas -o %t && env CUCPU_NUM_THREADS=4 %run %t | FileCheck %s
// CHECK: 0 failures
#include "check.h"
#include <complex>
#include <cublas_v2.h>

static cublasHandle_t h;
#define BLAS(e) CHECK((e) == CUBLAS_STATUS_SUCCESS)
enum { N = 19 };
typedef std::complex<float> cf;

template <class T> T make(int v) { return T(float(v)); }
template <class T> float value(T v) { return float(v); }

/* T: elements; S: scalars and what is computed in. */
template <class T, class S> void real_vectors(cudaDataType t, cudaDataType s) {
    T *x, *y, *out;
    int *at;
    CUDA(cudaMallocManaged(&x, 2 * N * sizeof *x));
    CUDA(cudaMallocManaged(&y, N * sizeof *y));
    CUDA(cudaMallocManaged(&out, sizeof *out));
    CUDA(cudaMallocManaged(&at, sizeof *at));
    float sum = 0, product = 0;
    for (int i = 0; i < 2 * N; i++) x[i] = make<T>(i % 7 - 3 + (i == 8 ? 6 : 0)); // every second one counts; the largest is the fifth
    for (int i = 0; i < N; i++) y[i] = make<T>(i % 5 - 2);
    for (int i = 0; i < N; i++) sum += std::fabs(value(x[2 * i])), product += value(x[2 * i]) * value(y[N - 1 - i]);
    T result;
    BLAS(cublasDotEx(h, N, x, t, 2, y, t, -1, &result, t, s));
    CHECK(value(result) == product);
    BLAS(cublasDotcEx(h, N, x, t, 2, y, t, -1, &result, t, s));
    CHECK(value(result) == product);
    BLAS(cublasAsumEx(h, N, x, t, 2, &result, t, s));
    CHECK(value(result) == sum);
    BLAS(cublasIamaxEx(h, N, x, t, 2, at));
    CHECK(*at == 5);
    for (int i = 0; i < N; i++) y[i] = make<T>(i == 6 ? 1 : 3);
    BLAS(cublasIaminEx(h, N, y, t, 1, at));
    CHECK(*at == 7);
    y[6] = make<T>(3);
    BLAS(cublasNrm2Ex(h, 16, y, t, 1, &result, t, s));
    CHECK(value(result) == 12);
    S two = 2;
    BLAS(cublasAxpyEx(h, N, &two, s, x, t, 2, y, t, 1, s));
    BLAS(cublasScalEx(h, N, &two, s, x, t, 2, s));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) CHECK(value(y[i]) == 3 + value(x[2 * i]));
    CHECK(value(x[1]) == -2);
    BLAS(cublasSwapEx(h, N, x, t, 2, y, t, 1));
    BLAS(cublasCopyEx(h, N - 1, x, t, 2, x + 1, t, 2));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) CHECK(value(x[2 * i]) == 3 + value(y[i]));
    for (int i = 0; i < N - 1; i++) CHECK(value(x[2 * i + 1]) == value(x[2 * i]));
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(cublasNrm2Ex(h, 0, y, t, 1, out, t, s));
    CUDA(cudaDeviceSynchronize());
    CHECK(value(*out) == 0);
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
}

static void complex_vectors() {
    cf *x, product, conjugate, expect = 0, expect_conjugate = 0, twice(0, 2);
    CUDA(cudaMallocManaged(&x, 2 * N * sizeof *x));
    for (int i = 0; i < 2 * N; i++) x[i] = cf(float(i % 7 - 3), float(i % 3));
    for (int i = 0; i < N; i++) expect += x[i] * x[N + i], expect_conjugate += std::conj(x[i]) * x[N + i];
    BLAS(cublasDotEx(h, N, x, CUDA_C_32F, 1, x + N, CUDA_C_32F, 1, &product, CUDA_C_32F, CUDA_C_32F));
    BLAS(cublasDotcEx(h, N, x, CUDA_C_32F, 1, x + N, CUDA_C_32F, 1, &conjugate, CUDA_C_32F, CUDA_C_32F));
    CHECK(product == expect && conjugate == expect_conjugate);
    cf was = x[3];
    BLAS(cublasScalEx(h, N, &twice, CUDA_C_32F, x, CUDA_C_32F, 1, CUDA_C_32F));
    CUDA(cudaDeviceSynchronize());
    CHECK(x[3] == was * twice);
    float norm, length[2] = {3, 4};
    BLAS(cublasNrm2Ex(h, 1, length, CUDA_C_32F, 1, &norm, CUDA_R_32F, CUDA_R_32F));
    CHECK(norm == 5);
}

/* A million products: the sum is that of a GPU, whose threads add a few each. */
static void long_sum() {
    enum { MANY = 1 << 20 };
    float *x, got;
    CUDA(cudaMallocManaged(&x, MANY * sizeof *x));
    for (int i = 0; i < MANY; i++) x[i] = 0.24993896f;
    double want = double(x[0]) * x[0] * MANY;
    BLAS(cublasSdot(h, MANY, x, 1, x, 1, &got));
    CHECK(std::fabs(got - want) <= 1e-6 * want);
    BLAS(cublasSdot(h, MANY / 2, x, 2, x, -2, &got));
    CHECK(std::fabs(2 * got - want) <= 1e-6 * want);
    CUDA(cudaFree(x));
}

int main() {
    BLAS(cublasCreate(&h));
    real_vectors<__half, float>(CUDA_R_16F, CUDA_R_32F);
    real_vectors<__nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_32F);
    real_vectors<float, float>(CUDA_R_32F, CUDA_R_32F);
    real_vectors<double, double>(CUDA_R_64F, CUDA_R_64F);
    complex_vectors();
    long_sum();
    float f = 1;
    CHECK(cublasDotEx(h, 1, &f, CUDA_R_32F, 1, &f, CUDA_R_32F, 1, &f, CUDA_R_32F, CUDA_R_64F) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(cublasScalEx(h, 1, &f, CUDA_R_32F, &f, CUDA_R_8I, 1, CUDA_R_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(cublasAxpyEx(h, 1, nullptr, CUDA_R_32F, &f, CUDA_R_32F, 1, &f, CUDA_R_32F, 1, CUDA_R_32F) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasNrm2Ex(nullptr, 1, &f, CUDA_R_32F, 1, &f, CUDA_R_32F, CUDA_R_32F) == CUBLAS_STATUS_NOT_INITIALIZED);
    BLAS(cublasDestroy(h));
    std::printf("%d failures\n", failures);
    return failures != 0;
}
