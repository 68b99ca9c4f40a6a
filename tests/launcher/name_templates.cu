// The word `template` is missing where nvcc does not ask for it; also with -Werror, and with the arguments on further lines.
// REQUIRES: run
// RUN: %cucpu -O1 %s -o %t && %run %t | FileCheck %s
// RUN: %cucpu -O1 -Werror all-warnings -c %s -o %t.o
// However clang prints what it refuses.
// RUN: %cucpu -O1 -Xcompiler -fno-show-column -Xcompiler -fdiagnostics-format=msvc -c %s -o %t.o
// RUN: not %cucpu -O1 -DLESS -c %s -o %t.no 2>&1 | FileCheck --check-prefix=LESS %s
#include <cstdio>

template <typename D, typename S> struct Cast {
    template <unsigned N> static __host__ __device__ void apply(D *d, const S *s) {
        for (unsigned i = 0; i < N; i++) d[i] = D(s[i]);
    }
    template <int A> struct Sum {
        template <int B> static __host__ __device__ D of(S s) { return D(s) + A + B; }
    };
    static const int less = 3;
};
template <typename D, typename S, unsigned N> __host__ __device__ void one_line(D *d, const S *s) { Cast<D, S>::apply<N>(d, s); }
template <typename D, typename S, unsigned N> __host__ __device__ void lines(D *d, const S *s) {
    Cast<D, S>::apply<N>(
        (D *)d + 0,
        (const S *)(s));
}
template <typename D, typename S> __host__ __device__ bool smaller(int n) { return Cast<D, S>::less < n; }

#ifdef LESS
// LESS: name_templates.cu:[[# @LINE + 1]]:{{[0-9]+}}: error: missing 'template' keyword
template <typename D, typename S> __host__ __device__ bool compared(int n) { return Cast<D, S>::apply < n; }
bool asked() { return compared<float, int>(4); }
#endif

__global__ void k(float *d, const int *s) {
    one_line<float, int, 4>(d, s);
    lines<float, int, 4>(d + 4, s);
    d[8] = smaller<float, int>(4) ? 1 : 0;
}

int main() {
    float *d, h[9];
    int *s;
    cudaMallocManaged(&d, 9 * sizeof *d);
    cudaMallocManaged(&s, 4 * sizeof *s);
    for (int i = 0; i < 4; i++) s[i] = i + 1;
    k<<<1, 1>>>(d, s);
    cudaDeviceSynchronize();
    one_line<float, int, 4>(h, s);
    for (int i = 0; i < 9; i++) printf("%g ", d[i]);
    printf("%g\n", h[3]); // CHECK: 1 2 3 4 1 2 3 4 1 4
}
