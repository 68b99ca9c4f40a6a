#include <asm_registers.cuh>
#include <cstdio>

__global__ void registers(unsigned *out) {
    unsigned lane, after, text, sum, host = 7;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    asm volatile /* %laneid */ ("{ .reg .u32 %own_; mov.u32 %own_, %%laneid; add.u32 %0, %own_, %1; }"
                                : "=r"(after) : "r"(1));
    __asm__ __volatile__(R"(
        mov.u32 %0, )" "%tid.x;" :: "r"(host));
    asm(COPY_ "%lanemask_eq;" : "=r"(text));
    asm("{.reg .u32 %rd1; mov.u32 %rd1, %1; add.u32 %0, %rd1, %1;}" : "=r"(sum) : "r"(threadIdx.x));
    out[threadIdx.x] = lane + after * 100 + from_header() * 10000 + (text == 1u << threadIdx.x) * 1000000 + sum * 10000000;
}

int main() {
    unsigned *out;
    cudaMallocManaged(&out, 32 * sizeof *out);
    registers<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("%u %u %u %s\n", out[0], out[1], out[9], "%laneid");
#if defined(WRONG)
    asm("%laneid" : : "r"(undeclared));
#endif
}
