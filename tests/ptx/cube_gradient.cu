// The derivatives of tex.grad.cube are those of a direction: the level is that on the face, as texCubemapGrad takes it.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t | FileCheck %s
// CHECK: 10 10 20 10: the same as of CUDA's functions
#include <cstdio>
#include <vector>

__device__ float by_ptx(cudaTextureObject_t t, float3 at, float4 dx, float4 dy) {
    float r, g, b, a;
    asm("tex.grad.cube.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};"
        : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
        : "l"(t), "f"(at.x), "f"(at.y), "f"(at.z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z));
    return r;
}

// At the middle of faces 16 texels wide: 4 of 16 are level 2, 2 of 16 are level 1; a face twice as far needs twice as much.
__global__ void levels(cudaTextureObject_t t, float *ptx, float *cuda) {
    float d = 2 / 16.0f;
    const float3 at[4] = {{0, 0, -1}, {2, 0, 0}, {1, 0, 0}, {0, -1, 0}};
    const float4 dx[4] = {{0, 2 * d, 0, 0}, {0, 0, 4 * d, 0}, {0, 4 * d, 0, 0}, {2 * d, 0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        ptx[i] = by_ptx(t, at[i], dx[i], make_float4(0, 0, 0, 0));
        cuda[i] = texCubemapGrad<float>(t, at[i].x, at[i].y, at[i].z, dx[i], make_float4(0, 0, 0, 0));
    }
}

int main() {
    cudaMipmappedArray_t m;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(16, 16, 6), 3, cudaArrayCubemap);
    for (int level = 0; level < 3; level++) {
        int w = 16 >> level;
        std::vector<float> data(w * w * 6, 10.0f * level);
        cudaMemcpy3DParms p = {};
        cudaGetMipmappedArrayLevel(&p.dstArray, m, level);
        p.srcPtr = make_cudaPitchedPtr(data.data(), w * sizeof(float), w, w);
        p.extent = make_cudaExtent(w, w, 6);
        p.kind = cudaMemcpyHostToDevice;
        cudaMemcpy3D(&p);
    }
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    cudaTextureObject_t object;
    float *out;
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    t.normalizedCoords = 1;
    t.filterMode = t.mipmapFilterMode = cudaFilterModeLinear;
    t.maxMipmapLevelClamp = 2;
    cudaCreateTextureObject(&object, &r, &t, NULL);
    cudaMallocManaged(&out, 8 * sizeof(float));
    levels<<<1, 1>>>(object, out, out + 4);
    cudaDeviceSynchronize();
    bool same = true;
    for (int i = 0; i < 4; i++) same = same && out[i] == out[4 + i];
    std::printf("%g %g %g %g: %s\n", out[0], out[1], out[2], out[3], same ? "the same as of CUDA's functions" : "other than CUDA's");
}
