// --default-stream=per-thread: stream 0 of every entry point is the calling thread's own stream.
// Both files of the header list and the runtime's table must agree, else this does not link.
// REQUIRES: run
// RUN: %cucpu --default-stream=per-thread %s -o %t && %run %t
// RUN: %cucpu %s -o %t && not %run %t
// RUN: grep -o "^PER_THREAD([A-Za-z0-9_]*" %root/cpu-runtime/api/per_thread.def | sed "s/.*(//" | sort > %t.def
// RUN: grep -o "^#define cuda[A-Za-z0-9_]*" %resources/include/cucpu/per_thread.h | sed "s/.* //" | sort > %t.h
// RUN: diff %t.def %t.h
#include <atomic>
#include <cstdio>
#include <thread>

__device__ int symbol;
__global__ void add(int *p, int v) { *p += v; }

static std::atomic<int> gate;
static void wait_gate(void *) {
    while (!gate) std::this_thread::yield();
}

#define CHECK(x) \
    if (!(x)) return std::printf("%d: %s\n", __LINE__, #x), 1

int main() {
    unsigned long long mine, own, legacy, other = 0;
    CHECK(cudaStreamGetId(0, &mine) == cudaSuccess && cudaStreamGetId(cudaStreamPerThread, &own) == cudaSuccess);
    CHECK(cudaStreamGetId(cudaStreamLegacy, &legacy) == cudaSuccess);
    CHECK(mine == own && mine != legacy);
    std::thread([&] { cudaStreamGetId(0, &other); }).join();
    CHECK(other != mine && other != legacy);

    int *d, h = 1, s = 0;
    CHECK(cudaMalloc(&d, 4) == cudaSuccess && cudaMemset(d, 0, 4) == cudaSuccess);
    add<<<1, 1>>>(d, 5);
    CHECK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost) == cudaSuccess && h == 5);
    CHECK(cudaMemcpyToSymbol(symbol, &h, 4) == cudaSuccess && cudaMemcpyFromSymbol(&s, symbol, 4) == cudaSuccess && s == 5);

    // This thread's stream is held up; another thread's stream 0 does not wait for it.
    int result = 0;
    CHECK(cudaLaunchHostFunc(0, wait_gate, nullptr) == cudaSuccess);
    add<<<1, 1>>>(d, 1);
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    std::thread([&] {
        int *e;
        cudaMalloc(&e, 4);
        cudaMemsetAsync(e, 0, 4);
        add<<<1, 1>>>(e, 7);
        cudaMemcpy(&result, e, 4, cudaMemcpyDeviceToHost);
    }).join();
    CHECK(result == 7);
    gate = 1;
    CHECK(cudaStreamSynchronize(0) == cudaSuccess);
    CHECK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost) == cudaSuccess && h == 6);

    cudaGraph_t graph; // the own stream can be captured, the legacy one cannot
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaSuccess);
    add<<<1, 1>>>(d, 100);
    CHECK(cudaStreamEndCapture(0, &graph) == cudaSuccess);
    CHECK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost) == cudaSuccess && h == 6);
}
