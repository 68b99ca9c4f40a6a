// Inline PTX: the idioms that are translated, and the error for one that is not.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %also { %cucpu --simd=1 %s -o %t && %run %t; }
// RUN: not %cucpu -DUNKNOWN -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: inline_asm.cu:{{[0-9]+}}{{.*}}error: {{.*}}inline PTX{{.*}}
#include <cmath>
#include <cstdio>

__global__ void kernel(unsigned *out, float *f, unsigned *memory, unsigned long long *wide) {
    unsigned i = threadIdx.x, lane, lt, tid, r[8];
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    asm("mov.u32 %0, %%tid.x;" : "=r"(tid));
    asm("popc.b32 %0, %1;" : "=r"(r[0]) : "r"(lt));
    asm("brev.b32 %0, %1;" : "=r"(r[1]) : "r"(i));
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(r[2]) : "r"(i * 0x10000001u), "r"(0xfffffff0u));
    asm("mul.hi.s32 %0, %1, %2;" : "=r"(r[3]) : "r"(-(int)i - 1), "r"(0x40000000));
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r[4]) : "r"(i), "r"(3), "r"(7));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r[5]) : "r"(0x80000001u), "r"(i), "r"(i));
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f[i]) : "f"(1.5f), "f"((float)i), "f"(0.25f));
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r[6]) : "l"(memory + i) : "memory");
    asm volatile("st.global.u32 [%0], %1;" ::"l"(memory + i), "r"(r[6] + 5) : "memory");
    asm volatile("membar.gl;" ::: "memory");
    asm volatile("" ::: "memory");
    asm volatile("bar.sync 0;\n\t");
    asm("add.u64 %0, %1, %2;" : "=l"(wide[i]) : "l"(1ull << 40), "l"((unsigned long long)i));
    r[7] = memory[(i + 1) % blockDim.x];
    for (int k = 0; k < 8; k++) out[i * 11 + k] = r[k];
    out[i * 11 + 8] = lane, out[i * 11 + 9] = lt, out[i * 11 + 10] = tid;
    if (i >= 60) asm volatile("exit;");
    f[i] += 1;
#ifdef UNKNOWN
    asm("vadd5.u32.u32.u32 %0, %1, %2, %3;" : "=r"(out[0]) : "r"(1), "r"(2), "r"(3));
#endif
}

int main() {
    enum { N = 64 };
    unsigned *out, *memory;
    float *f;
    unsigned long long *wide;
    cudaMallocManaged(&out, N * 44);
    cudaMallocManaged(&memory, N * 4);
    cudaMallocManaged(&f, N * 4);
    cudaMallocManaged(&wide, N * 8);
    for (unsigned i = 0; i < N; i++) memory[i] = 100 * i;
    kernel<<<1, N>>>(out, f, memory, wide);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    int errors = 0;
    for (unsigned i = 0; i < N; i++) {
        unsigned lane = i % 32, reversed = 0;
        for (int k = 0; k < 32; k++) reversed |= (i >> k & 1) << (31 - k);
        unsigned long long two = (unsigned long long)i << 32 | 0x80000001u;
        unsigned want[11] = {lane, reversed, (unsigned)((unsigned long long)(i * 0x10000001u) * 0xfffffff0u >> 32),
                             (unsigned)((-(long long)i - 1) * 0x40000000ll >> 32), i * 3 + 7,
                             (unsigned)(two << i % 32 >> 32), 100 * i, 100 * ((i + 1) % N) + 5, lane, (1u << lane) - 1, i};
        for (int k = 0; k < 11; k++)
            if (out[i * 11 + k] != want[k]) errors++, std::printf("%u %d: %x %x\n", i, k, out[i * 11 + k], want[k]);
        if (f[i] != std::fma(1.5f, (float)i, 0.25f) + (i < 60) || wide[i] != (1ull << 40) + i) errors++, std::printf("%u\n", i);
    }
    return errors != 0;
}
