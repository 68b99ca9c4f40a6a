// Recording with many threads: each has its track, the buffers of those that have ended are used again; several record at once.
// REQUIRES: run
// RUN: %cucpu %s -o %t && rm -rf %t.d && mkdir %t.d
// RUN: env CUCPU_TRACE=%t.json CUCPU_RECORD=%t.d %run %t && %python %S/Inputs/recorded_threads.py %t.json %t.d
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <string>
#include <thread>
#include <vector>
__global__ void add(int *p) { atomicAdd(p, 1); }

int main() {
    int *p, h = 0;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    for (int i = 0; i < 300; i++)
        std::thread([] {
            int d;
            cudaGetDevice(&d);
        }).join();
    std::vector<std::thread> all;
    for (int i = 0; i < 8; i++)
        all.emplace_back([p, i] {
            cudaStream_t s;
            cudaStreamCreate(&s);
            for (int k = 0; k < 400; k++) {
                nvtxRangePushA(("range " + std::to_string(k % 50) + " of " + std::to_string(i)).c_str());
                add<<<2, 32, 0, s>>>(p);
                nvtxRangePop();
            }
            cudaStreamSynchronize(s);
        });
    for (auto &t : all) t.join();
    cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
    return h != 8 * 400 * 64;
}
