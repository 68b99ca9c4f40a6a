/* entry.h: entry points that host code of clang and nvcc calls and that no CUDA header documents.
**
** Signatures as clang 22 emits the calls (clang/lib/CodeGen, CUDA host side) and nvcc's host_runtime.h declares them,
** in C types. */
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
/* Called by nvcc's host code, of CUDA 12 and 13. */
void __cudaRegisterManagedVar(void **handle, void **pointer, char *address, const char *name, int ext, size_t size,
                              int constant, int global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
/* Called by kernels: the headers declare it for device code only. */
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
#endif
