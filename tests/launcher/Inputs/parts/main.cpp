#include <cstdio>
#include <cuda_runtime.h>
int one();
int two();
extern "C" int plain(void);

int main() {
    std::printf("one %d two %d plain %d\n", one(), two(), plain());
    return cudaDeviceSynchronize() != cudaSuccess;
}
