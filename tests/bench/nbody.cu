// nbody.cu: gravity between all pairs; bodies pass through a tile of shared memory.
#include "bench.h"

extern "C" void nbody_omp(const float *body, float *force, int n);
extern "C" void nbody_simd(const float *body, float *force, int n);
extern "C" void nbody_shape(const float *body, float *force, int n);

__global__ void nbody(const float4 *body, float *force, int n) {
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 me = body[i];
    float fx = 0, fy = 0, fz = 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float scale = tile[j].w * inverse * inverse * inverse;
            fx += dx * scale;
            fy += dy * scale;
            fz += dz * scale;
        }
        __syncthreads();
    }
    force[3 * i] = fx;
    force[3 * i + 1] = fy;
    force[3 * i + 2] = fz;
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "nbody");
    int n = bench.small ? 256 : 2048;
    float *body = bench.floats(4 * n, 0.1f, 1), *force = bench.output<float>(3 * n, 1e-3);
    return bench.run([&] { nbody<<<n / 256, 256>>>((const float4 *)body, force, n); },
                     [&] { nbody_omp(body, force, n); }, [&] { nbody_simd(body, force, n); },
                     [&] { nbody_shape(body, force, n); });
}
