// `%=` in asm() is a number that no other copy of the statement has: for labels, also of loops that are unrolled or
// functions that are inlined.
// REQUIRES: run
// RUN: %cucpu -O3 %s -o %t && %run %t
// RUN: %cucpu --simd=1 %s -o %t && %run %t
// RUN: %cucpu -G --simd=32 %s -o %t && %run %t
__device__ __forceinline__ int sum_below(int n) {
    int r = 0;
    asm volatile("{\n .reg .pred q;\n .reg .s32 i%=;\n mov.s32 i%=, 0;\n"
                 "LOOP_%=:\n setp.ge.s32 q, i%=, %1;\n @q bra DONE_%=;\n"
                 " add.s32 %0, %0, i%=;\n add.s32 i%=, i%=, 1;\n bra.uni LOOP_%=;\nDONE_%=:\n}" : "+r"(r) : "r"(n));
    return r;
}
__device__ __forceinline__ void numbers(int *p) {
    asm("mov.s32 %0, %=;" : "=r"(p[0]));
    asm("mov.s32 %0, %=;" : "=r"(p[1]));
}
// Integers of "n" are literals, whatever their type: as wide as the instruction, and signed.
__global__ void literals(int *p) {
    unsigned long long wide;
    asm("add.s32 %0, %1, %2;" : "=r"(p[0]) : "r"(p[8]), "n"(sizeof(int4)));
    asm("ld.global.s32 %0, [%1+%2];" : "=r"(p[1]) : "l"(p + 10), "n"(-4));
    asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; selp.b32 %0, 3, 4, q; }" : "=r"(p[2]) : "n"(true));
    asm("add.s64 %0, %1, %2;" : "=l"(wide) : "l"(1ull << 40), "n"(-1));
    p[3] = wide == (1ull << 40) - 1;
}
__global__ void k(int *p) {
    int sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) sum += sum_below(threadIdx.x + i);
    p[threadIdx.x] = sum + sum_below(4);
    if (threadIdx.x == 0) numbers(p + 64);
}
int main() {
    int *p, bad = 0;
    cudaMallocManaged(&p, 66 * sizeof *p);
    k<<<1, 64>>>(p);
    if (cudaDeviceSynchronize()) return 2;
    for (int t = 0; t < 64; t++) {
        int want = 6;
        for (int i = t; i < t + 4; i++) want += i * (i - 1) / 2;
        bad += p[t] != want;
    }
    for (int i = 0; i < 16; i++) p[i] = i;
    literals<<<1, 1>>>(p);
    if (cudaDeviceSynchronize()) return 3;
    bad += p[0] != 24 || p[1] != 9 || p[2] != 3 || p[3] != 1;
    return bad || p[64] == p[65];
}
