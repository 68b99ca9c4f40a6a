// Names of the headers survive a user's macros on the command line, all headers included.
// RUN: %device -DT=16 -DN=4 -Dn=5 -DA=1 -DM=3 -DBLOCK_SIZE=16 -Dx1=3 %s > /dev/null
// RUN: %host -DT=16 -DN=4 -Dn=5 -DA=1 -DM=3 -DBLOCK_SIZE=16 -Dx1=3 %s > /dev/null
// RUN: %device -DB=7 -DC=1 -DD=2 -DE=3 -DF=3 -DG=1 -DH=2 -DI=1 -DK=2 -DL=3 -DO=2 -DP=3 -DQ=1 -DR=1 -DS=2 -DU=9 %s > /dev/null
// RUN: %device -DV=3 -DW=32 -DX=1 -DY=1 -DZ=2 -Dc=2 -Dd=2 -De=1 -Dg=1 -Di=3 -Dj=2 -Dl=1 -Dr=1 -Dv=2 %s > /dev/null
// RUN: %device -Werror %s > /dev/null
// RUN: %host -Werror %s > /dev/null
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <nvtx3/nvToolsExt.h>

__inline_hint__ __device__ float hinted(float x) { return x + 1; }
__global__ void __maxnreg__(32) few_registers(float *out) { *out = hinted(*out); }
__global__ void __cluster_dims__(1, 1, 1) bounded() {}

texture<float, 2> image;
__global__ void kernel(float *out, cudaSurfaceObject_t surface_object) {
    float from;
    surf2Dread(&from, surface_object, 0, 0);
    out[threadIdx.x] = from + tex2D(image, 1.0f, 2.0f) + __half2float(__float2half(out[1]));
}
#ifndef __CUDA_ARCH__
int main() {
    float *out = nullptr;
    cudaMalloc(&out, 4);
    kernel<<<1, 1>>>(out, 0);
}
#endif
