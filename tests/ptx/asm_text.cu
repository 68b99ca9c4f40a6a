// asm(): arrays of characters in the place of operands ("C"), and operands without a comma between them.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %cucpu -std=c++14 -G %s -o %t && %run %t
// RUN: not %cucpu -DBAD -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: asm_text.cu:[[#]]:{{.*}}error: non-type template argument is not a constant expression
#include <cstdio>

constexpr char sub[] = "sub", empty[] = "";
template <int N> struct Name { static constexpr char text[] = "mul.lo"; };
template <int N> constexpr char Name<N>::text[];
template <> struct Name<1> { static constexpr char text[] = {'m', 'a', 'x', 0}; };
constexpr char Name<1>::text[];

template <int N, int Unused = 0> __device__ int apply(int a, int b) {
    int r;
    asm("%3.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b), "C"(Name<N>::text));
    return r;
}

__global__ void kernel(int *out) {
    int i = threadIdx.x, sum, difference;
    asm("{ add.s32 %0, %2, %3; %4%5.s32 %1, %2, %3; }" : "=r"(sum) "=r"(difference) : "r"(i) /* , */ "r"(7), "C"(empty), "C" (sub));
    out[4 * i] = sum, out[4 * i + 1] = difference;
    out[4 * i + 2] = apply<0>(i, 3);
    out[4 * i + 3] = apply<1, 2>(i, 3);
#ifdef BAD
    const char *local = sub;
    asm("%1.s32 %0, %0, %0;" : "+r"(out[0]) : "C"(local));
#endif
}

int main() {
    int *out, bad = 0;
    cudaMallocManaged(&out, 32 * 4 * sizeof(int));
    kernel<<<1, 32>>>(out);
    if (cudaDeviceSynchronize()) return 2;
    for (int i = 0; i < 32; i++) bad += out[4 * i] != i + 7 || out[4 * i + 1] != i - 7 || out[4 * i + 2] != 3 * i || out[4 * i + 3] != (i > 3 ? i : 3);
    printf("%d wrong\n", bad);
    return bad != 0;
}
