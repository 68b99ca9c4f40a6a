// options:
__global__ void __block_size__((32, 1, 1), (2, 1, 1)) pairs() {}
