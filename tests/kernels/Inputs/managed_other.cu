__managed__ int shared_count = 3;
__managed__ float shared_list[8] = {0, 1.5f};

__global__ void other_kernel() {
    atomicAdd(&shared_count, 1);
    if (threadIdx.x < 8) shared_list[threadIdx.x] = threadIdx.x + erff(0.0f);
}

void other_file(int n) {
    other_kernel<<<1, n>>>();
    cudaDeviceSynchronize();
}
