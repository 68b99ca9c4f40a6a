// cublasLt: layouts by rows and by columns, batches, bias and activations, what they keep for the way back, types, 8-bit floats, errors.
// REQUIRES: run
// RUN: %cucpu -I%root/tests/kernels %s -lcublasLt -o %t && env CUCPU_NUM_THREADS=4 %run %t | FileCheck %s
// CHECK: 0 failures
#include "check.h"
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#define LT(e) CHECK((e) == CUBLAS_STATUS_SUCCESS)
static cublasLtHandle_t h;
static unsigned seed = 5;
static float next() { return float(int((seed = seed * 1664525u + 1013904223u) >> 24) % 9 - 4) / 4; }

static double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

struct Problem {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, d;
    Problem(cudaDataType type, int m, int n, int k) {
        LT(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        LT(cublasLtMatrixLayoutCreate(&a, type, m, k, m));
        LT(cublasLtMatrixLayoutCreate(&b, type, k, n, k));
        LT(cublasLtMatrixLayoutCreate(&d, type, m, n, m));
    }
    ~Problem() {
        LT(cublasLtMatrixLayoutDestroy(d));
        LT(cublasLtMatrixLayoutDestroy(b));
        LT(cublasLtMatrixLayoutDestroy(a));
        LT(cublasLtMatmulDescDestroy(desc));
    }
    template <class T> void say(cublasLtMatmulDescAttributes_t what, T value) { LT(cublasLtMatmulDescSetAttribute(desc, what, &value, sizeof value)); }
};

template <class T> T *numbers(int n) {
    T *p;
    CUDA(cudaMallocManaged(&p, n * sizeof(T)));
    for (int i = 0; i < n; i++) p[i] = T(next());
    return p;
}

enum { M = 9, N = 6, K = 5 };

template <class T> void epilogues(cudaDataType type, float tolerance) {
    T *a = numbers<T>(M * K), *b = numbers<T>(K * N), *c = numbers<T>(M * N), *d = numbers<T>(M * N), *aux = numbers<T>(M * N), *bias = numbers<T>(M);
    const unsigned all[] = {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU,
                            CUBLASLT_EPILOGUE_GELU_AUX_BIAS};
    for (unsigned epilogue : all) {
        Problem p(type, M, N, K);
        p.say(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
        p.say(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (const void *)bias);
        p.say(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, (void *)aux);
        p.say(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)M);
        float alpha = 2, beta = 3;
        LT(cublasLtMatmul(h, p.desc, &alpha, a, p.a, b, p.b, &beta, c, p.d, d, p.d, nullptr, nullptr, 0, 0));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float sum = beta * float(c[i + j * M]);
                for (int k = 0; k < K; k++) sum += alpha * float(a[i + k * M]) * float(b[k + j * K]);
                if (epilogue & CUBLASLT_EPILOGUE_BIAS) sum += float(bias[i]);
                if (epilogue & 128) CHECK(std::abs(float(aux[i + j * M]) - sum) <= tolerance * std::abs(sum));
                float want = epilogue & CUBLASLT_EPILOGUE_RELU ? std::fmax(sum, 0.f) : epilogue & CUBLASLT_EPILOGUE_GELU ? float(gelu(sum)) : sum;
                CHECK(std::abs(float(d[i + j * M]) - want) <= tolerance * (std::abs(want) + 1e-3f));
            }
    }
}

/* The way back through GELU: the product times the slope at what went in, by differences; the sum of op(b). */
static void backwards() {
    float *a = numbers<float>(M * K), *b = numbers<float>(K * N), *d = numbers<float>(M * N), *aux = numbers<float>(M * N), *bias = numbers<float>(N);
    float one = 1, zero = 0;
    Problem p(CUDA_R_32F, M, N, K);
    p.say(CUBLASLT_MATMUL_DESC_EPILOGUE, (unsigned)CUBLASLT_EPILOGUE_DGELU);
    p.say(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, (void *)aux);
    p.say(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)M);
    LT(cublasLtMatmul(h, p.desc, &one, a, p.a, b, p.b, &zero, d, p.d, d, p.d, nullptr, nullptr, 0, 0));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < M * N; i++) {
        float sum = 0, slope = float((gelu(aux[i] + 1e-2) - gelu(aux[i] - 1e-2)) / 2e-2);
        for (int k = 0; k < K; k++) sum += a[i % M + k * M] * b[k + i / M * K];
        CHECK(std::abs(d[i] - sum * slope) < 1e-2f);
    }
    p.say(CUBLASLT_MATMUL_DESC_EPILOGUE, (unsigned)CUBLASLT_EPILOGUE_BGRADB);
    p.say(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (void *)bias);
    LT(cublasLtMatmul(h, p.desc, &one, a, p.a, b, p.b, &zero, d, p.d, d, p.d, nullptr, nullptr, 0, 0));
    CUDA(cudaDeviceSynchronize());
    for (int j = 0; j < N; j++) {
        float sum = 0;
        for (int k = 0; k < K; k++) sum += b[k + j * K];
        CHECK(bias[j] == sum);
    }
}

/* a by rows and transposed, d by rows, in a batch. */
static void orders() {
    enum { BATCH = 3 };
    float *a = numbers<float>(M * K * BATCH), *b = numbers<float>(K * N), *d = numbers<float>(M * N * BATCH), one = 1, zero = 0;
    Problem p(CUDA_R_32F, M, N, K);
    cublasLtMatrixLayout_t stored;
    LT(cublasLtMatrixLayoutCreate(&stored, CUDA_R_32F, K, M, M));
    int order = CUBLASLT_ORDER_ROW, batch = BATCH;
    int64_t ld = N, stride = M * K, none = 0, step = M * N;
    LT(cublasLtMatrixLayoutSetAttribute(stored, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    LT(cublasLtMatrixLayoutSetAttribute(p.d, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    LT(cublasLtMatrixLayoutSetAttribute(p.d, CUBLASLT_MATRIX_LAYOUT_LD, &ld, sizeof ld));
    for (cublasLtMatrixLayout_t x : {stored, p.b, p.d}) LT(cublasLtMatrixLayoutSetAttribute(x, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
    LT(cublasLtMatrixLayoutSetAttribute(stored, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
    LT(cublasLtMatrixLayoutSetAttribute(p.b, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &none, sizeof none));
    LT(cublasLtMatrixLayoutSetAttribute(p.d, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step));
    p.say(CUBLASLT_MATMUL_DESC_TRANSA, (int)CUBLAS_OP_T);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    size_t bytes = 1 << 20;
    LT(cublasLtMatmulPreferenceCreate(&preference));
    LT(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes));
    LT(cublasLtMatmulAlgoGetHeuristic(h, p.desc, stored, p.b, p.d, p.d, preference, 1, &result, &found));
    CHECK(found == 1 && result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize == 0);
    LT(cublasLtMatmul(h, p.desc, &one, a, stored, b, p.b, &zero, d, p.d, d, p.d, &result.algo, nullptr, 0, 0));
    CUDA(cudaDeviceSynchronize());
    for (int x = 0; x < BATCH; x++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float sum = 0;
                for (int k = 0; k < K; k++) sum += a[x * M * K + k * M + i] * b[k + j * K];
                CHECK(d[x * M * N + i * N + j] == sum);
            }
    LT(cublasLtMatmulPreferenceDestroy(preference));
    LT(cublasLtMatrixLayoutDestroy(stored));
}

/* 8-bit floats, a transposed as tensor cores have it: scales, the addend of 16 bits, the largest value, results too large. */
template <class D> static void eight_bits(cudaDataType type, float scale) {
    __nv_fp8_e4m3 *a = numbers<__nv_fp8_e4m3>(K * M);
    __nv_fp8_e5m2 *b = numbers<__nv_fp8_e5m2>(K * N);
    __nv_bfloat16 *c = numbers<__nv_bfloat16>(M * N);
    D *d = numbers<D>(M * N);
    float *scales = numbers<float>(5), one = 1, half = .5f, largest = 0;
    scales[0] = 2, scales[1] = .25f, scales[2] = 100, scales[3] = scale;
    Problem p(CUDA_R_16BF, M, N, K);
    cublasLtMatrixLayout_t left, right, to;
    LT(cublasLtMatrixLayoutCreate(&left, CUDA_R_8F_E4M3, K, M, K));
    LT(cublasLtMatrixLayoutCreate(&right, CUDA_R_8F_E5M2, K, N, K));
    LT(cublasLtMatrixLayoutCreate(&to, type, M, N, M));
    p.say(CUBLASLT_MATMUL_DESC_TRANSA, (int)CUBLAS_OP_T);
    p.say(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scales);
    p.say(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scales + 1);
    p.say(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, scales + 2);
    p.say(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scales + 3);
    p.say(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, scales + 4);
    LT(cublasLtMatmul(h, p.desc, &one, a, left, b, right, &half, c, p.d, d, to, nullptr, nullptr, 0, 0));
    CUDA(cudaDeviceSynchronize());
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += float(a[k + i * K]) * float(b[k + j * K]);
            sum = sum * 2 * .25f + half * float(c[i + j * M]);
            largest = std::fmax(largest, std::fabs(sum));
            CHECK(float(d[i + j * M]) == float(D(sum * scale)));
        }
    CHECK(largest > 0 && scales[4] == largest);
    CHECK(cublasLtMatmul(h, p.desc, &one, b, right, b, right, &half, c, p.d, d, to, nullptr, nullptr, 0, 0) != CUBLAS_STATUS_SUCCESS);
    CHECK(cublasLtMatmul(h, p.desc, &one, a, left, b, right, &half, d, to, d, to, nullptr, nullptr, 0, 0) == CUBLAS_STATUS_NOT_SUPPORTED);
    for (cublasLtMatrixLayout_t x : {left, right, to}) LT(cublasLtMatrixLayoutDestroy(x));
}

static void errors() {
    float *a = numbers<float>(100), one = 1;
    Problem p(CUDA_R_32F, M, N, K);
    CHECK(cublasLtMatmul(nullptr, p.desc, &one, a, p.a, a, p.b, &one, a, p.d, a, p.d, nullptr, nullptr, 0, 0) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasLtMatmul(h, p.desc, &one, a, p.b, a, p.a, &one, a, p.d, a, p.d, nullptr, nullptr, 0, 0) == CUBLAS_STATUS_INVALID_VALUE);
    int order = CUBLASLT_ORDER_COL32, wrong = 0;
    LT(cublasLtMatrixLayoutSetAttribute(p.a, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    CHECK(cublasLtMatmul(h, p.desc, &one, a, p.a, a, p.b, &one, a, p.d, a, p.d, nullptr, nullptr, 0, 0) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(cublasLtMatrixLayoutSetAttribute(p.a, CUBLASLT_MATRIX_LAYOUT_ROWS, &wrong, sizeof wrong) == CUBLAS_STATUS_INVALID_VALUE);
    size_t written = 0;
    LT(cublasLtMatmulDescGetAttribute(p.desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &wrong, sizeof wrong, &written));
    CHECK(wrong == CUBLASLT_EPILOGUE_DEFAULT && written == 4);
}

int main() {
    LT(cublasLtCreate(&h));
    epilogues<float>(CUDA_R_32F, 1e-5f);
    epilogues<__half>(CUDA_R_16F, 1e-3f);
    epilogues<__nv_bfloat16>(CUDA_R_16BF, 1e-2f);
    for (float scale : {1.f, .001f, .07f, 100.f, 1e5f, 1e-6f}) {
        eight_bits<__nv_fp8_e4m3>(CUDA_R_8F_E4M3, scale);
        eight_bits<__nv_fp8_e5m2>(CUDA_R_8F_E5M2, scale);
    }
    backwards();
    orders();
    errors();
    LT(cublasLtDestroy(h));
    std::printf("%d failures\n", failures);
    return failures != 0;
}
