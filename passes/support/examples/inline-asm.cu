// options:
__global__ void unknown(int *x) {
    asm("frobnicate.u32 %0, 3;" : "=r"(*x));
}
