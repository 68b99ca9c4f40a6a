#include <cuda_runtime.h>
int plain(void) { return sizeof(cudaError_t) == 4 ? 3 : 0; }
