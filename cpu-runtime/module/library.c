/* library.c: cudaLibrary*: the runtime API's names for libraries of the driver API (module.c); the
 * errors have the same numbers. */
#include "driver/driver.h"

static cudaError_t end(CUresult r) { return rt_end((cudaError_t)r); }

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *options, void **values,
                                unsigned n, enum cudaLibraryOption *more, void **more_values, unsigned nmore) {
    RT_ENTER();
    return end(cuLibraryLoadData((CUlibrary *)library, code, (CUjit_option *)options, values, n,
                                 (CUlibraryOption *)more, more_values, nmore));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *file, enum cudaJitOption *options,
                                    void **values, unsigned n, enum cudaLibraryOption *more, void **more_values,
                                    unsigned nmore) {
    RT_ENTER();
    return end(cuLibraryLoadFromFile((CUlibrary *)library, file, (CUjit_option *)options, values, n,
                                     (CUlibraryOption *)more, more_values, nmore));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    RT_ENTER();
    return end(cuLibraryUnload((CUlibrary)library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    RT_ENTER();
    CUresult r = cuLibraryGetKernel((CUkernel *)kernel, (CUlibrary)library, name);
    return r == CUDA_ERROR_NOT_FOUND ? rt_end(cudaErrorSymbolNotFound) : end(r);
}

cudaError_t cudaLibraryGetGlobal(void **p, size_t *bytes, cudaLibrary_t library, const char *name) {
    RT_ENTER();
    CUdeviceptr at = 0;
    CUresult r = cuLibraryGetGlobal(&at, bytes, (CUlibrary)library, name);
    if (r == CUDA_SUCCESS && p) *p = (void *)(uintptr_t)at;
    return r == CUDA_ERROR_NOT_FOUND ? rt_end(cudaErrorSymbolNotFound) : end(r);
}

/* Of PTX there are none. */
cudaError_t cudaLibraryGetManaged(void **p, size_t *bytes, cudaLibrary_t library, const char *name) {
    RT_ENTER();
    unsigned n;
    if ((!p && !bytes) || !name) return rt_end(cudaErrorInvalidValue);
    CUresult r = cuLibraryGetKernelCount(&n, (CUlibrary)library);
    return r ? end(r) : rt_end(cudaErrorSymbolNotFound);
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
    RT_ENTER();
    return end(cuLibraryGetKernelCount(count, (CUlibrary)library));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned n, cudaLibrary_t library) {
    RT_ENTER();
    return end(cuLibraryEnumerateKernels((CUkernel *)kernels, n, (CUlibrary)library));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device) {
    RT_ENTER();
    return device ? rt_end(cudaErrorInvalidDevice) : cudaFuncSetAttribute(kernel, attribute, value);
}
