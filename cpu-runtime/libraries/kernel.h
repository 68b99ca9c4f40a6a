/* kernel.h: kernels of a library: C functions in the tables of abi.h, as if the compiler had made them.
**
** So the runtime does for a library what it does for any kernel: streams, graphs, events, the team of workers (and
** no other threads), and a sticky error with the kernel's name for an address that is none.  A block has one thread;
** the entry runs the blocks first ... end-1 and keeps nothing that needs cleaning up after a fault. */
#ifndef CUCPU_LIBRARIES_KERNEL_H
#define CUCPU_LIBRARIES_KERNEL_H
#include "../abi.h"
#include "../base/entry.h"
#include "cuda_runtime_api.h"

typedef struct LibraryKernel {
    CucpuParam params[1]; /* one structure */
    CucpuVariant variant;
    CucpuKernel kernel;
    CucpuModule module;
    CucpuFatbin blob;
    struct {
        uint32_t magic, version;
        const void *blob;
        void *unused;
    } wrapper; /* clang's __CudaFatbinaryWrapper */
} LibraryKernel;

enum { LIBRARY_WRAPPER_MAGIC = 0x466243b1 };

/* Its address is the kernel's, as that of a stub is.  id: unlike that of any other library's kernel. */
#define LIBRARY_KERNEL(k, id_, name_, entry_, Args)                                                                    \
    static LibraryKernel k = {                                                                                         \
        .params = {{sizeof(Args), _Alignof(Args)}},                                                                    \
        .variant = {.entry = (entry_), .width = 1, .layout = CUCPU_LAYOUT_GENERAL},                                    \
        .kernel = {.name = (name_), .params = k.params, .variants = &k.variant, .nparams = 1, .nvariants = 1},         \
        .module = {CUCPU_ABI_VERSION, 32, (id_), (name_), &k.kernel, NULL, 1, 0},                                      \
        .blob = {CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, (id_)},                                                        \
        .wrapper = {LIBRARY_WRAPPER_MAGIC, 1, &k.blob, NULL},                                                          \
    };                                                                                                                 \
    static void **k##_handle;                                                                                          \
    __attribute__((constructor)) static void k##_register(void) {                                                      \
        k##_handle = __cudaRegisterFatBinary(&k.wrapper);                                                              \
        __cudaRegisterFunction(k##_handle, (const char *)&k, (char *)(uintptr_t)(name_), (name_), -1, 0, 0, 0, 0, 0);  \
        __cudaRegisterFatBinaryEnd(k##_handle);                                                                        \
        cucpu_register_module(&k.module);                                                                              \
    }                                                                                                                  \
    __attribute__((destructor)) static void k##_unregister(void) { __cudaUnregisterFatBinary(k##_handle); }

static inline cudaError_t library_launch(const LibraryKernel *k, uint64_t blocks, void *args, cudaStream_t stream) {
    if (!blocks) return cudaSuccess;
    dim3 grid = {(unsigned)blocks, 1, 1}, block = {1, 1, 1};
    return cudaLaunchKernel(k, grid, block, &args, 0, stream);
}
#endif
