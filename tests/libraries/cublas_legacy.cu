// cuBLAS without handles: every kind of argument (letters, scalars and results by value), errors that stay until they are asked for.
// REQUIRES: run
// RUN: %cucpu -I%root/tests/kernels %s -lcublas -o %t && %run %t | FileCheck %s
// CHECK: 0 failures
// All its functions are exported; a source cannot have both interfaces; C.
// RUN: printf '#define CALL(name, ...) cublas##name\n#define RESULT(T, name, ...) cublas##name\n#include "cucpu/cublas_v1.def"\n' > %t.names.c
// RUN: %cucpu -E %t.names.c | grep -o 'cublas[A-Z][A-Za-z0-9]*' | sort -u > %t.wanted && test $(wc -l < %t.wanted) -eq 150
// RUN: llvm-nm -D %resources/libcublas.so.12 | sed -n 's/.* T //p' | sort -u | comm -13 - %t.wanted | count 0
// RUN: printf '#include <cublas.h>\n#include <cublas_v2.h>\nint main(void) { return cublasInit(); }\n' > %t.both.c
// RUN: not %cucpu %t.both.c -lcublas -o %t.both 2>&1 | FileCheck --check-prefix=BOTH %s
// BOTH: error: {{.*}}cublas.h and cublas_v2.h cannot be included both
// RUN: printf '#include <cublas.h>\nint main(void) { cublasStatus s = cublasInit(); return s || cublasShutdown(); }\n' > %t.c
// RUN: %cucpu -Werror %t.c -lcublas -o %t.plain && %run %t.plain
#include "check.h"
#include <cublas.h>

template <class T> static T *filled(int n, int first) {
    T *p;
    CHECK(cublasAlloc(n, sizeof(T), (void **)&p) == CUBLAS_STATUS_SUCCESS);
    T host[64];
    memset(host, 0, sizeof host);
    for (int i = 0; i < n; i++) host[i].x = first + i;
    CHECK(cublasSetVector(n, sizeof(T), host, 1, p, 1) == CUBLAS_STATUS_SUCCESS);
    return p;
}
struct Real { float x; };
struct Wide { double x; };
template <class T> static T at(const T *p, int i) {
    T v;
    CHECK(cublasGetVector(1, sizeof(T), p + i, 1, &v, 1) == CUBLAS_STATUS_SUCCESS);
    return v;
}

static void vectors() {
    float *x = (float *)filled<Real>(4, 1), *y = (float *)filled<Real>(4, 10); // 1 2 3 4, 10 11 12 13
    CHECK(cublasSdot(4, x, 1, y, 1) == 10 + 22 + 36 + 52);
    CHECK(cublasIsamax(4, x, 1) == 4 && cublasIsamin(4, x, 1) == 1);
    CHECK(cublasSasum(4, x, 1) == 10);
    cublasSaxpy(4, 2, x, 1, y, 1);
    CHECK(at(y, 3) == 21);
    cublasSrot(1, x, 1, y, 1, 0, 1); // swaps, with a sign
    CHECK(at(x, 0) == 12 && at(y, 0) == -1);
    float a = 3, b = 4, c, s;
    cublasSrotg(&a, &b, &c, &s);
    CHECK(a == 5 && c == 0.6f && s == 0.8f);
    cuComplex *z = filled<cuComplex>(3, 1);
    cublasCscal(3, make_cuComplex(0, 2), z, 1); // 2i 4i 6i
    cublasCsscal(3, 0.5f, z, 1);
    cuComplex d = cublasCdotu(3, z, 1, z, 1), e = cublasCdotc(3, z, 1, z, 1);
    CHECK(d.x == -14 && d.y == 0 && e.x == 14);
    cuDoubleComplex *w = filled<cuDoubleComplex>(2, 3);
    CHECK(cublasDznrm2(2, w, 1) == 5);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasFree(x) == CUBLAS_STATUS_SUCCESS && cublasFree(y) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasFree(z) == CUBLAS_STATUS_SUCCESS && cublasFree(w) == CUBLAS_STATUS_SUCCESS);
}

static void matrices() {
    double *a = (double *)filled<Wide>(6, 1), *b = (double *)filled<Wide>(6, 1), *c = (double *)filled<Wide>(9, 0);
    cublasDgemv('n', 2, 3, 1, a, 2, b, 1, 0, c, 1); // (1 3 5; 2 4 6) (1 2 3)
    CHECK(at(c, 0) == 22 && at(c, 1) == 28);
    cublasDgemv('T', 2, 3, 1, a, 2, b, 1, 1, c, 1);
    CHECK(at(c, 0) == 22 + 5 && at(c, 2) == 2 + 5 + 12);
    cublasDgemm('N', 'c', 2, 2, 3, 2, a, 2, b, 2, 0, c, 3);
    CHECK(at(c, 0) == 2 * (1 + 9 + 25) && at(c, 1) == 2 * (2 + 12 + 30) && at(c, 4) == 2 * (4 + 16 + 36));
    cublasDsyrk('L', 'n', 2, 3, 1, a, 2, 0, c, 3);
    CHECK(at(c, 0) == 35 && at(c, 1) == 44 && at(c, 4) == 56);
    cublasDtrmm('l', 'U', 'N', 'n', 2, 1, 1, a, 2, b, 2); // in place: (1 3; 0 4) (1 2)
    CHECK(at(b, 0) == 7 && at(b, 1) == 8);
    cublasDtrsm('L', 'u', 'n', 'N', 2, 1, 1, a, 2, b, 2);
    CHECK(at(b, 0) == 1 && at(b, 1) == 2);
    cuComplex *h = filled<cuComplex>(4, 1);
    cublasCherk('U', 'N', 2, 1, 2.0f, h, 2, 0.0f, h + 0, 2);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    cublasFree(a), cublasFree(b), cublasFree(c), cublasFree(h);
}

static void errors() {
    float *x = (float *)filled<Real>(4, 1);
    cublasSgemv('x', 2, 2, 1, x, 2, x, 1, 0, x, 1);
    cublasSscal(4, 1, x, 1); // does not hide it
    CHECK(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    cublasStrsm('L', 'U', 'N', '?', 1, 1, 1, x, 1, x, 1);
    CHECK(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
    void *p;
    CHECK(cublasAlloc(0, 4, &p) == CUBLAS_STATUS_INVALID_VALUE && cublasAlloc(1, 0, &p) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasFree(x) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasShutdown() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasShutdown() == CUBLAS_STATUS_NOT_INITIALIZED);
    cublasSscal(1, 1, x, 1);
    CHECK(cublasGetError() == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasAlloc(1, 1, &p) == CUBLAS_STATUS_NOT_INITIALIZED);
}

static void on_a_stream() {
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    CHECK(cublasSetKernelStream(s) == CUBLAS_STATUS_SUCCESS);
    float *x = (float *)filled<Real>(4, 1);
    cublasSscal(4, 3, x, 1);
    CUDA(cudaStreamSynchronize(s));
    CHECK(at(x, 3) == 12);
    CHECK(cublasSetKernelStream(0) == CUBLAS_STATUS_SUCCESS);
    cublasFree(x);
    CUDA(cudaStreamDestroy(s));
}

int main() {
    int version = 0;
    CHECK(cublasInit() == CUBLAS_STATUS_SUCCESS && cublasInit() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasGetVersion(&version) == CUBLAS_STATUS_SUCCESS && version == CUBLAS_VERSION);
    vectors();
    matrices();
    on_a_stream();
    errors();
    printf("%d failures\n", failures);
    return failures != 0;
}
