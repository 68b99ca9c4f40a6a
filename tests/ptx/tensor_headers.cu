// Bulk copies of tensors by cuda::device::experimental, cuda::ptx and barrier_native_handle, as the programming guide has them.
// REQUIRES: run
// RUN: %cucpu -arch=sm_90a -std=c++17 %s -o %t && %run %t
// RUN: %also { %cucpu -arch=sm_90a -std=c++17 --simd=1 %s -o %t.1 && %run %t.1; }
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cstdio>
#include <utility>
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;
enum { W = 64, H = 32 };

__global__ void old_way(const __grid_constant__ CUtensorMap tensor_map, int x, int y) {
    __shared__ alignas(128) int smem_buffer[H][W];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&smem_buffer, &tensor_map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(smem_buffer));
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < W * H; i += blockDim.x) smem_buffer[i / W][i % W] += 1000;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&tensor_map, x, y, &smem_buffer);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
    if (threadIdx.x == 0) (&bar)->~barrier();
}

__global__ void new_way(const __grid_constant__ CUtensorMap tensor_map, int x, int y) {
    __shared__ alignas(128) int smem_buffer[H][W];
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        int coords[2] = {x, y};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &smem_buffer, &tensor_map, coords,
                                  cuda::device::barrier_native_handle(bar));
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(smem_buffer));
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < W * H; i += blockDim.x) smem_buffer[i / W][i % W] += 1000;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        int coords[2] = {x, y};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &tensor_map, coords, &smem_buffer);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

__global__ void raw(const __grid_constant__ CUtensorMap tensor_map, int x, int y, int *sums) {
    __shared__ alignas(128) int smem_buffer[H][W];
    __shared__ uint64_t bar, full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_init(&full, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int coords[2] = {x, y};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof smem_buffer);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &smem_buffer, &tensor_map, coords, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    int s = 0;
    for (int i = threadIdx.x; i < W * H; i += blockDim.x) s += smem_buffer[i / W][i % W];
    uint64_t state = ptx::mbarrier_arrive(&full);
    while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &full, state)) {}
    if (threadIdx.x == 0) {
        for (int i = 0; i < W; i++) smem_buffer[0][i] = 5;
    }
    atomicAdd(sums, s);
    __syncthreads();
    if (threadIdx.x == 0) {
        int coords[2] = {x, y};
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &tensor_map, coords, &smem_buffer);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

int main() {
    int *data, *sums, bad = 0;
    cudaMallocManaged(&data, 4 * 256 * 100);
    cudaMallocManaged(&sums, 4);
    for (int i = 0; i < 25600; i++) data[i] = i;
    CUtensorMap map;
    cuuint64_t dim[2] = {250, 100}, stride[1] = {1024};
    cuuint32_t box[2] = {W, H}, step[2] = {1, 1};
    void *f = nullptr;
    cudaDriverEntryPointQueryResult q;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &q);
    auto encode = (decltype(&cuTensorMapEncodeTiled))f;
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return 1;
    old_way<<<1, 128>>>(map, 0, 0);
    new_way<<<1, 128>>>(map, 200, 80);
    cudaDeviceSynchronize();
    for (int i = 0; i < 25600; i++) {
        int x = i % 256, y = i / 256, in = (x < W && y < H) || (x >= 200 && x < 250 && y >= 80);
        if (data[i] != i + 1000 * in) bad++;
    }
    *sums = 0;
    for (int i = 0; i < 25600; i++) data[i] = 1;
    raw<<<1, 64>>>(map, 0, 0, sums);
    cudaDeviceSynchronize();
    if (*sums != W * H) bad++;
    for (int i = 0; i < 25600; i++) {
        int x = i % 256, y = i / 256, want = x >= W || y >= H ? 1 : y == 0 ? 6 : 2;
        if (data[i] != want) bad++;
    }
    cudaError_t error = cudaGetLastError();
    if (bad || error) printf("%d wrong, %s\n", bad, cudaGetErrorString(error));
    return bad || error;
}
