/* fake.h: kernel modules made by hand, so that the runtime is tested without the compiler.
**
** A kernel entry is a C function that walks the threads of each block itself.  FAKE_MODULE makes the
** tables of one module; fake_register does what the constructors of a host and a kernel object do.
*/
#ifndef CUCPU_TESTS_FAKE_H
#define CUCPU_TESTS_FAKE_H
#include "abi.h"
#include "cuda_runtime_api.h"
#include "base/entry.h"
#include <stdbool.h>

typedef struct FakeWrapper {
    uint32_t magic, version;
    const void *blob;
    void *unused;
} FakeWrapper;

typedef struct FakeHost {
    CucpuFatbin blob;
    FakeWrapper wrapper;
} FakeHost;

/* Both halves; host_first says which registers first.  Returns the fat binary's handle. */
static inline void **fake_register(const CucpuModule *m, const void *const *stubs,
                                   char *const *shadows, bool host_first) {
    static FakeHost hosts[1000]; /* for ever, as the sections of an object */
    static _Atomic int used;
    FakeHost *h = &hosts[used++];
    h->blob = (CucpuFatbin){CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, m->id};
    h->wrapper = (FakeWrapper){0x466243b1u, 1, &h->blob, NULL};
    if (!host_first) cucpu_register_module(m);
    void **handle = __cudaRegisterFatBinary(&h->wrapper);
    for (uint32_t i = 0; i < m->nkernels; i++)
        __cudaRegisterFunction(handle, stubs[i], (char *)(uintptr_t)m->kernels[i].name,
                               m->kernels[i].name, -1, 0, 0, 0, 0, 0);
    for (uint32_t i = 0; i < m->nvars; i++)
        __cudaRegisterVar(handle, shadows[i], (char *)(uintptr_t)m->vars[i].name, m->vars[i].name,
                          0, m->vars[i].size, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    if (host_first) cucpu_register_module(m);
    return handle;
}

static inline dim3 fake_dim(unsigned x, unsigned y, unsigned z) { return (dim3){x, y, z}; }

/* A launch as clang's stub makes it. */
static inline cudaError_t fake_launch(const void *stub, dim3 grid, dim3 block, size_t shared,
                                      cudaStream_t stream, void **args) {
    dim3 g, b;
    size_t s;
    cudaStream_t q;
    if (__cudaPushCallConfiguration(grid, block, shared, stream)) return cudaErrorUnknown;
    __cudaPopCallConfiguration(&g, &b, &s, &q);
    return cudaLaunchKernel(stub, g, b, args, s, q);
}
#endif
