// options: --simd=32
__global__ void half_warps(int *x) {
    int i = threadIdx.x;
    x[i] = i;
    if (i % 32 < 16) asm volatile("bar.sync 1, 64;" ::: "memory");
    x[i + 1] += i;
}
