__device__ int offset = 2;
__device__ int add_offset(int x) { return x + offset; }
