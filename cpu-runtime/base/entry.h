/* entry.h: entry points that clang's host code calls and that no CUDA header documents.
**
** Signatures as clang 22 emits the calls (clang/lib/CodeGen, CUDA host side), in C types. */
#ifndef CUCPU_RT_ENTRY_H
#define CUCPU_RT_ENTRY_H
#include "cuda_runtime_api.h"

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *shadow, char *address, const char *name, int ext, size_t size, int constant,
                       int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
void __cudaRegisterTexture(void **handle, const struct textureReference *reference, const void **address,
                           const char *name, int type, int normalized, int ext);
void __cudaRegisterSurface(void **handle, const struct surfaceReference *reference, const void **address,
                           const char *name, int type, int ext);
/* Called by kernels: the headers declare it for device code only. */
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
#endif
