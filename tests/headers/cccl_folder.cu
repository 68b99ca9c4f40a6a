// CUDA 13 has libcu++ in include/cccl, which build systems name by -I: there it is the same as without.
// RUN: %cucpu -I%resources/include/cccl %s -o %t && %t
#include <cccl/cuda/std/type_traits>
#include <cuda/atomic>
#include <nv/target>

__global__ void count(int *sum) {
    cuda::atomic_ref<int, cuda::thread_scope_device> all(*sum);
    NV_IF_TARGET(NV_IS_DEVICE, (all += cuda::std::is_same<int, int>::value;))
}

int main() {
    int *sum;
    cudaMallocManaged(&sum, sizeof *sum);
    count<<<2, 100>>>(sum);
    return cudaDeviceSynchronize() != cudaSuccess || *sum != 200;
}
