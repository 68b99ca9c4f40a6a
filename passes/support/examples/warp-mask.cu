// options: --warp-size=64
__global__ void ballot(unsigned *x) {
    x[threadIdx.x] = __ballot_sync(~0u, x[threadIdx.x]);
}
