// The small headers beside the runtime: barrier, pipeline, NVTX, cuda::std, alternative signatures.
// RUN: %device %s | FileCheck %s
// RUN: %host %s > /dev/null
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/std/type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <nvToolsExtCuda.h>
#include <nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExt.h>
// CHECK: define {{.*}}ptx_kernel
__global__ void k(int *p) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    // CHECK: call {{.*}}@__cucpu_ptx_mbarrier_arrive(
    // CHECK: call {{.*}}@__cucpu_ptx_mbarrier_passed(
    b.arrive_and_wait();
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    // CHECK: @llvm.memcpy
    cuda::memcpy_async(p, p + 4, cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __pipeline_memcpy_async(p + 8, p, 4);
    static_assert(cuda::std::is_same<int, int>::value, "");
}
__global__ void halves(volatile __half *h, volatile __nv_bfloat16 *b) {
    __half x = *h;
    h[1] = __half_raw(x);
    b[1] = __nv_bfloat16_raw(*b);
    auto lambda = [] __device__ {};
    lambda();
    static_assert(!__nv_is_extended_device_lambda_closure_type(decltype(lambda)) || __nv_is_extended_host_device_lambda_closure_type(int), "");
}
int main() {
    nvtxRangePushA("x");
    nvtxEventAttributes_v2 event = {};
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE, event.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    nvtxEventAttributes_v2::payload_t payload = {1};
    event.payload = payload, event.message.registered = nvtxDomainRegisterStringW(nvtxDomainCreateW(L"d"), L"s");
    nvtxDomainRangeEnd(0, nvtxDomainRangeStartEx(0, &event)), nvtxMark("m"), nvtxDomainNameCategory(0, 1, "c");
    cudaStreamCaptureStatus status;
    const cudaGraphEdgeData *edges;
    cudaStreamGetCaptureInfo(0, &status);
    cudaStreamGetCaptureInfo(0, &status, 0, 0, 0, &edges, 0);
    return nvtxRangePop();
}
void names(cudaStream_t s, CUevent e) {
    nvtxNameCudaStreamA(s, "s");
    nvtxNameCudaDeviceW(0, L"d");
    nvtxNameCuEventA(e, "e");
}
static_assert(make_double4_32a(1, 2, 3, 4).w == 4 && alignof(double4_32a) == 32, "four of eight bytes");
static_assert(make_ulonglong4_16a(1, 2, 3, 4).y == 2 && alignof(ulonglong4_16a) == 16, "four of eight bytes");
