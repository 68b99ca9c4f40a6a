// A register with one % in an asm() with operands, where the text comes out of macros; other strings keep what they have.
// REQUIRES: run
// RUN: rm -rf %t && mkdir -p %t/sys && sed -n 's/^\/\/H //p' %s > %t/sys/part.cuh
// RUN: %cucpu -w -isystem %t/sys %s -o %t/a && %run %t/a | FileCheck %s
// RUN: not %cucpu -DWRONG -isystem %t/sys -c %s -o %t/b.o 2>&1 | FileCheck --check-prefix=WRONG %s
//H #define IN_HEADER(o) asm("add.u32 %0, %laneid, %" "tid.y;" : "=r"(o))
#include <cstdio>
#include <part.cuh>
#define LANE "%laneid"
#define MOVE "mov.u32 %0, " LANE ";"
#define STR(x) #x
#define REGISTER(x) "%" STR(x)
#define READ(o, r) asm volatile("mov.u32 %0, " r ";" : "=r"(o))
#define READ_NAMED(o, r) asm volatile("mov.u32 %0, %" #r ";" : "=r"(o))
#define BOTH(o, p) asm("add.u32 %0, %%laneid, %ntid.x; add.u32 %1, %0, 0;" : "=r"(o), "=r"(p))
#define FORMAT "%llu %tid %%laneid\n"
__global__ void k(unsigned *o) {
    unsigned a, b, c, d, e, f, g, h;
    asm(MOVE : "=r"(a));
    READ(b, LANE);
    READ(c, REGISTER(tid.x));
    READ_NAMED(d, laneid);
    READ(e, "%%tid.x");
    BOTH(f, g);
    IN_HEADER(h);
    o[threadIdx.x] = a + b + c + d + e + h - (f - g);
#ifdef WRONG
    asm("mov.u32 %0, %9;" : "=r"(a));
#endif
}
// WRONG: asm_percent.cu:[[#@LINE-3]]:{{[0-9]+}}: error: invalid operand number in inline asm string
int main() {
    unsigned *o, bad = 0;
    cudaMallocManaged(&o, 128);
    k<<<1, 32>>>(o);
    if (cudaDeviceSynchronize()) return 2;
    for (unsigned i = 0; i < 32; i++) bad += o[i] != 6 * i;
    printf(FORMAT, 3ull, 'd');
    return bad;
}
// CHECK: {{^}}3 100d %laneid
