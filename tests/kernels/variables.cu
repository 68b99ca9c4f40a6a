// Variables in __constant__, __device__ and managed memory; copies by symbol.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

struct Config {
    float scale;
    int offsets[5];
};

__constant__ Config config;
__constant__ int table[64] = {1, 2, 3};
__device__ int counter = 5;
__device__ float grid_data[256];
__managed__ int shared_value = 17;
static __device__ double hidden[3] = {0.5, 1.5, 2.5};
__device__ int *pointer;

__global__ void use(float *out) {
    unsigned i = global_rank();
    float v = grid_data[i % 256] * config.scale + config.offsets[i % 5] + table[i % 64] + float(hidden[i % 3]);
    out[i] = v + shared_value;
    if (pointer) pointer[i % 4] = 9;
    atomicAdd(&counter, 1);
}

__global__ void set_managed() { shared_value = 99; }

int main() {
    Config c = {2.0f, {1, -2, 3, -4, 5}};
    CUDA(cudaMemcpyToSymbol(config, &c, sizeof c));
    int more[2] = {70, 80};
    CUDA(cudaMemcpyToSymbol(table, more, sizeof more, 10 * sizeof(int)));
    std::vector<float> data(256);
    for (int i = 0; i < 256; i++) data[i] = float(i) * 0.25f;
    void *address;
    size_t size;
    CUDA(cudaGetSymbolAddress(&address, grid_data));
    CUDA(cudaGetSymbolSize(&size, grid_data));
    CHECK(size == sizeof(float) * 256);
    CUDA(cudaMemcpy(address, data.data(), size, cudaMemcpyHostToDevice));
    Buffer<int> nine(4);
    CUDA(cudaMemcpyToSymbol(pointer, &nine.device, sizeof nine.device));
    int expected_count = 5;
    each_shape([&](dim3 block, unsigned n) {
        Buffer<float> out(3 * n);
        use<<<3, block>>>(out);
        std::vector<float> want(3 * n);
        for (unsigned i = 0; i < 3 * n; i++) {
            int entry = i % 64 < 3 ? int(i % 64) + 1 : i % 64 == 10 ? 70 : i % 64 == 11 ? 80 : 0;
            want[i] = data[i % 256] * 2.0f + c.offsets[i % 5] + entry + float(i % 3 + 0.5) + shared_value;
        }
        SAME(out.get(), want);
        expected_count += int(3 * n);
    });
    int count;
    CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK(count == expected_count);
    CHECK(nine.get() == std::vector<int>(4, 9));
    shared_value = 3;
    set_managed<<<1, 1>>>();
    CUDA(cudaDeviceSynchronize());
    CHECK(shared_value == 99);
    return finish();
}
