/* api.h: the C++ side of the runtime API: typed overloads of functions that take void pointers,
** kernels and symbols, and the variadic launches. */
#ifndef CUCPU_API_H
#define CUCPU_API_H
#include "../cuda_runtime_api.h"

#define CUCPU_T_ template <typename T_> static inline __host__ cudaError_t
#define CUCPU_HD_T_ template <typename T_> static inline __host__ __device__ cudaError_t
CUCPU_HD_T_ cudaMalloc(T_ **p_, size_t size) { return ::cudaMalloc((void **)(void *)p_, size); }
CUCPU_T_ cudaMallocHost(T_ **p_, size_t size, unsigned int flags = 0) {
    return ::cudaHostAlloc((void **)(void *)p_, size, flags);
}
static inline __host__ cudaError_t cudaMallocHost(void **p_, size_t size, unsigned int flags) {
    return ::cudaHostAlloc(p_, size, flags);
}
CUCPU_T_ cudaHostAlloc(T_ **p_, size_t size, unsigned int flags) {
    return ::cudaHostAlloc((void **)(void *)p_, size, flags);
}
CUCPU_T_ cudaHostGetDevicePointer(T_ **p_, void *host, unsigned int flags) {
    return ::cudaHostGetDevicePointer((void **)(void *)p_, host, flags);
}
CUCPU_T_ cudaMallocManaged(T_ **p_, size_t size, unsigned int flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged((void **)(void *)p_, size, flags);
}
CUCPU_T_ cudaMallocPitch(T_ **p_, size_t *pitch, size_t width, size_t height) {
    return ::cudaMallocPitch((void **)(void *)p_, pitch, width, height);
}
CUCPU_T_ cudaMallocAsync(T_ **p_, size_t size, cudaStream_t stream) {
    return ::cudaMallocAsync((void **)(void *)p_, size, stream);
}
CUCPU_T_ cudaMallocAsync(T_ **p_, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)(void *)p_, size, pool, stream);
}
static inline __host__ cudaError_t cudaMallocAsync(void **p_, size_t size, cudaMemPool_t pool,
                                                   cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync(p_, size, pool, stream);
}
CUCPU_T_ cudaMallocFromPoolAsync(T_ **p_, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)(void *)p_, size, pool, stream);
}
CUCPU_T_ cudaStreamAttachMemAsync(cudaStream_t stream, T_ *p_, size_t length = 0,
                                  unsigned int flags = cudaMemAttachSingle) {
    return ::cudaStreamAttachMemAsync(stream, (void *)p_, length, flags);
}
static inline __host__ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}

/* ---- symbols: by reference ---- */
CUCPU_T_ cudaGetSymbolAddress(void **p_, const T_ &symbol) {
    return ::cudaGetSymbolAddress(p_, (const void *)&symbol);
}
template <typename P_, typename T_>
static inline __host__ cudaError_t cudaGetSymbolAddress(P_ **p_, const T_ &symbol) {
    return ::cudaGetSymbolAddress((void **)(void *)p_, (const void *)&symbol);
}
CUCPU_T_ cudaGetSymbolSize(size_t *size, const T_ &symbol) {
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}
CUCPU_T_ cudaMemcpyToSymbol(const T_ &symbol, const void *src, size_t count, size_t offset = 0,
                            cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
CUCPU_T_ cudaMemcpyToSymbolAsync(const T_ &symbol, const void *src, size_t count, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                 cudaStream_t stream = 0) {
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
CUCPU_T_ cudaMemcpyFromSymbol(void *dst, const T_ &symbol, size_t count, size_t offset = 0,
                              cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
CUCPU_T_ cudaMemcpyFromSymbolAsync(void *dst, const T_ &symbol, size_t count, size_t offset = 0,
                                   cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                   cudaStream_t stream = 0) {
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

/* ---- kernels: any function pointer ---- */
CUCPU_T_ cudaLaunchKernel(T_ *func, dim3 grid, dim3 block, void **args, size_t sharedMem = 0,
                          cudaStream_t stream = 0) {
    return ::cudaLaunchKernel((const void *)func, grid, block, args, sharedMem, stream);
}
CUCPU_T_ cudaLaunchCooperativeKernel(T_ *func, dim3 grid, dim3 block, void **args,
                                     size_t sharedMem = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchCooperativeKernel((const void *)func, grid, block, args, sharedMem, stream);
}
CUCPU_HD_T_ cudaFuncGetAttributes(cudaFuncAttributes *attr, T_ *func) {
    return ::cudaFuncGetAttributes(attr, (const void *)func);
}
CUCPU_T_ cudaFuncSetAttribute(T_ *func, cudaFuncAttribute attr, int value) {
    return ::cudaFuncSetAttribute((const void *)func, attr, value);
}
CUCPU_T_ cudaFuncSetCacheConfig(T_ *func, cudaFuncCache config) {
    return ::cudaFuncSetCacheConfig((const void *)func, config);
}
CUCPU_T_ cudaFuncSetSharedMemConfig(T_ *func, cudaSharedMemConfig config) {
    return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}
CUCPU_T_ cudaGetKernel(cudaKernel_t *kernel, T_ *func) {
    return ::cudaGetKernel(kernel, (const void *)func);
}
CUCPU_HD_T_ cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T_ func, int blockSize,
                                                       size_t dynamicSmem) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)func, blockSize,
                                                           dynamicSmem);
}
CUCPU_HD_T_ cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T_ func, int blockSize,
                                                                size_t dynamicSmem,
                                                                unsigned int flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, (const void *)func, blockSize, dynamicSmem, flags);
}
CUCPU_T_ cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T_ *func, int blocks,
                                                   int blockSize) {
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)func, blocks,
                                                       blockSize);
}
CUCPU_T_ cudaOccupancyMaxActiveClusters(int *clusters, T_ *func, const cudaLaunchConfig_t *config) {
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)func, config);
}
CUCPU_T_ cudaOccupancyMaxPotentialClusterSize(int *size, T_ *func,
                                              const cudaLaunchConfig_t *config) {
    return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)func, config);
}

/* The block size with the most resident threads; ties go to the larger block. */
template <typename F_, typename T_>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *minGridSize, int *blockSize, T_ func, F_ smemOfBlockSize, int blockSizeLimit = 0,
    unsigned int flags = 0) {
    int device = 0, sms = 0, resident = 0, warp = 1, best = 0;
    cudaFuncAttributes attr;
    cudaError_t error = ::cudaGetDevice(&device);
    if (!minGridSize || !blockSize) return cudaErrorInvalidValue;
    if (!error) error = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (!error) error = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (!error)
        error =
            ::cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (!error) error = ::cudaFuncGetAttributes(&attr, (const void *)func);
    if (error) return error;
    int limit = attr.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
    for (int size = (limit + warp - 1) / warp * warp; size > 0 && best < resident; size -= warp) {
        int block = size < limit ? size : limit, blocks = 0;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, (const void *)func, block, smemOfBlockSize(block), flags);
        if (error) return error;
        if (blocks * block > best) {
            best = blocks * block;
            *blockSize = block;
            *minGridSize = blocks * sms;
        }
    }
    return cudaSuccess;
}
template <typename F_, typename T_>
static inline __host__ cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, T_ func,
                                               F_ smemOfBlockSize, int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func,
                                                                   smemOfBlockSize, blockSizeLimit);
}
struct CucpuConstantSmem {
    size_t bytes;
    __host__ size_t operator()(int) const { return bytes; }
};
CUCPU_T_ cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, T_ func,
                                                     size_t dynamicSmem = 0, int blockSizeLimit = 0,
                                                     unsigned int flags = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, CucpuConstantSmem{dynamicSmem}, blockSizeLimit, flags);
}
CUCPU_T_ cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, T_ func,
                                            size_t dynamicSmem = 0, int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSmem,
                                                       blockSizeLimit);
}

#if __cplusplus >= 201103L
/* The arguments are converted to the kernel's parameter types, then passed by address. */
template <typename T_> struct CucpuIdentity {
    typedef T_ type;
};
template <typename... P_>
static inline __host__ cudaError_t CucpuLaunchEx(const cudaLaunchConfig_t *config,
                                                 const void *func, P_... values) {
    void *args[sizeof...(P_) + 1] = {(void *)&values...};
    return ::cudaLaunchKernelExC(config, func, args);
}
template <typename... P_>
static inline __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                                      void (*kernel)(P_...),
                                                      typename CucpuIdentity<P_>::type... args) {
    return CucpuLaunchEx<P_...>(config, (const void *)kernel, args...);
}
#endif

/* ---- channel descriptors, extents ---- */
#include "../channel_descriptor.h"
#include "../driver_functions.h"

/* ---- texture and surface references: in device code clang makes a 64-bit handle of each ---- */
#if defined(__CUDA__)
#define CUCPU_TEXTURE_TYPE_ __attribute__((device_builtin_texture_type))
#define CUCPU_SURFACE_TYPE_ __attribute__((device_builtin_surface_type))
#else
#define CUCPU_TEXTURE_TYPE_
#define CUCPU_SURFACE_TYPE_
#endif
template <class T_, int dim = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct CUCPU_TEXTURE_TYPE_ texture : public textureReference {
    __host__ texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                     cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(norm, filter, address, cudaCreateChannelDesc<T_>()) {}
    __host__ texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address,
                     cudaChannelFormatDesc desc)
        : textureReference{} {
        normalized = norm;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = desc;
        readMode = mode;
    }
};
template <typename T_, int dim = cudaSurfaceType1D>
struct CUCPU_SURFACE_TYPE_ surface : public surfaceReference {
    __host__ surface() : surfaceReference{} {}
};
#define CUCPU_TEX_ template <class T_, int dim, cudaTextureReadMode mode> static inline __host__ cudaError_t
CUCPU_TEX_ cudaBindTexture(size_t *offset, const texture<T_, dim, mode> &tex, const void *devPtr,
                           const cudaChannelFormatDesc &desc, size_t size = UINT_MAX) {
    return ::cudaBindTexture(offset, &tex, devPtr, &desc, size);
}
CUCPU_TEX_ cudaBindTexture(size_t *offset, const texture<T_, dim, mode> &tex, const void *devPtr,
                           size_t size = UINT_MAX) {
    return ::cudaBindTexture(offset, &tex, devPtr, &tex.channelDesc, size);
}
CUCPU_TEX_ cudaBindTexture2D(size_t *offset, const texture<T_, dim, mode> &tex, const void *devPtr,
                             const cudaChannelFormatDesc &desc, size_t width, size_t height,
                             size_t pitch) {
    return ::cudaBindTexture2D(offset, &tex, devPtr, &desc, width, height, pitch);
}
CUCPU_TEX_ cudaBindTexture2D(size_t *offset, const texture<T_, dim, mode> &tex, const void *devPtr,
                             size_t width, size_t height, size_t pitch) {
    return ::cudaBindTexture2D(offset, &tex, devPtr, &tex.channelDesc, width, height, pitch);
}
CUCPU_TEX_ cudaBindTextureToArray(const texture<T_, dim, mode> &tex, cudaArray_const_t array,
                                  const cudaChannelFormatDesc &desc) {
    return ::cudaBindTextureToArray(&tex, array, &desc);
}
CUCPU_TEX_ cudaBindTextureToArray(const texture<T_, dim, mode> &tex, cudaArray_const_t array) {
    cudaChannelFormatDesc desc;
    cudaError_t error = ::cudaGetChannelDesc(&desc, array);
    return error ? error : ::cudaBindTextureToArray(&tex, array, &desc);
}
CUCPU_TEX_ cudaBindTextureToMipmappedArray(const texture<T_, dim, mode> &tex,
                                           cudaMipmappedArray_const_t array,
                                           const cudaChannelFormatDesc &desc) {
    return ::cudaBindTextureToMipmappedArray(&tex, array, &desc);
}
CUCPU_TEX_ cudaUnbindTexture(const texture<T_, dim, mode> &tex) { return ::cudaUnbindTexture(&tex); }
CUCPU_TEX_ cudaGetTextureAlignmentOffset(size_t *offset, const texture<T_, dim, mode> &tex) {
    return ::cudaGetTextureAlignmentOffset(offset, &tex);
}
template <class T_, int dim>
static inline __host__ cudaError_t cudaBindSurfaceToArray(const surface<T_, dim> &surf,
                                                          cudaArray_const_t array,
                                                          const cudaChannelFormatDesc &desc) {
    return ::cudaBindSurfaceToArray(&surf, array, &desc);
}
template <class T_, int dim>
static inline __host__ cudaError_t cudaBindSurfaceToArray(const surface<T_, dim> &surf,
                                                          cudaArray_const_t array) {
    cudaChannelFormatDesc desc;
    cudaError_t error = ::cudaGetChannelDesc(&desc, array);
    return error ? error : ::cudaBindSurfaceToArray(&surf, array, &desc);
}
#undef CUCPU_TEX_
#undef CUCPU_TEXTURE_TYPE_
#undef CUCPU_SURFACE_TYPE_
#undef CUCPU_T_
#undef CUCPU_HD_T_
#endif
