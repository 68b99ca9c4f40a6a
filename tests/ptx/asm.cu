// asm() with registers, blocks, predicates and branches of its own, vectors, tied operands, the carry flag across
// statements, addresses in shared memory as 32-bit numbers; and what is refused, with the reason.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %also { %cucpu --simd=1 %s -o %t && %run %t; }
// RUN: not %cucpu -DBAD -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: asm.cu:[[#]]:{{.*}}inline PTX is not implemented ('add.u32 $0, $1, q;'): 'q' is not declared
// CHECK: asm.cu:[[#]]:{{.*}}('mov.u32 $0, $1;'): operand %1 is of another type than its constraint 'r' says
// CHECK: asm.cu:[[#]]:{{.*}}('mov.u32 $0, 1;'): operand %0 is of another type than its constraint 'r' says
// CHECK: asm.cu:[[#]]:{{.*}}('mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 $0;'): the instruction 'mma.sp.sync
#include <cstdio>
#include <cstdint>

__device__ unsigned clamp_odd(unsigned a) {
    unsigned r;
    asm volatile("{ .reg .pred p, q; .reg .u32 t<3>;\n\t"
                 "  and.b32 t0, %1, 1; setp.eq.u32 p, t0, 1; mov.u32 t2, %2;\n\t"
                 "  setp.gt.and.u32 q, %1, 40, p;\n\t"
                 "  @!p bra EVEN; add.u32 t2, t2, %1; @q mov.u32 t2, 40;\n\t"
                 "EVEN: mov.u32 %0, t2; }"
                 : "=r"(r) : "r"(a), "n"(7));
    return r;
}

__device__ void add128(uint64_t &lo, uint64_t &hi, uint64_t a, uint64_t b) {
    asm volatile("add.cc.u64 %0, %0, %1;" : "+l"(lo) : "l"(a));
    asm volatile("addc.u64 %0, %0, %1;" : "+l"(hi) : "l"(b));
}

__global__ void kernel(unsigned *out, uint64_t *wide, float *f, uint4 *v) {
    __shared__ unsigned s[64];
    unsigned i = threadIdx.x, back;
    out[i] = clamp_odd(i);
    uint64_t lo = ~0ull - i, hi = i;
    add128(lo, hi, 5, 1);
    wide[2 * i] = lo, wide[2 * i + 1] = hi;
    unsigned short h;
    asm("{cvt.rn.f16.f32 %0, %1;}\n" : "=h"(h) : "f"((float)i));
    asm("{cvt.f32.f16 %0, %1;}\n" : "=f"(f[i]) : "h"(h));
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(v + i), "r"(i), "r"(i + 1), "r"(i + 2), "r"(i + 3) : "memory");
    unsigned at = (unsigned)__cvta_generic_to_shared(s + i);
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(100 + i) : "memory");
    __syncthreads();
    asm volatile("ld.shared.u32 %0, [%1+0];" : "=r"(back) : "r"((unsigned)__cvta_generic_to_shared(s + (i + 1) % 64)) : "memory");
    out[64 + i] = back;
#ifdef BAD
    asm volatile("add.u32 %0, %1, q;" : "=r"(out[0]) : "r"(i));
    double d;
    asm volatile("mov.u32 %0, %1;" : "=r"(out[0]) : "r"(wide[0]));
    asm volatile("mov.u32 %0, 1;" : "=r"(d));
    f[0] = d;
    asm volatile("mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 %0;" : "=r"(out[0]));
#endif
}

int main() {
    unsigned *out;
    uint64_t *wide;
    float *f;
    uint4 *v;
    cudaMallocManaged(&out, 128 * 4), cudaMallocManaged(&wide, 128 * 8), cudaMallocManaged(&f, 64 * 4), cudaMallocManaged(&v, 64 * 16);
    kernel<<<1, 64>>>(out, wide, f, v);
    if (cudaDeviceSynchronize()) return 2;
    int bad = 0;
    for (unsigned i = 0; i < 64; i++) {
        unsigned want = i & 1 ? (i > 40 ? 40 : 7 + i) : 7;
        uint64_t lo = ~0ull - i + 5, hi = i + 1 + (i < 5);
        if (out[i] != want || out[64 + i] != 100 + (i + 1) % 64) bad++, printf("%u: %u %u\n", i, out[i], out[64 + i]);
        if (wide[2 * i] != lo || wide[2 * i + 1] != hi) bad++, printf("%u: carry\n", i);
        if (f[i] != i || v[i].x != i || v[i].w != i + 3) bad++, printf("%u: %g %u\n", i, f[i], v[i].w);
    }
    return bad != 0;
}
