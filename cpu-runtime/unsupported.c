/* unsupported.c: the functions of unsupported.def: a clear error instead of a missing symbol. */
#include "rt.h"
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static cudaError_t refuse(const char *name, _Atomic int *told) {
    if (!atomic_exchange(told, 1)) rt_message("%s is not supported", name);
    return rt_end(cudaErrorNotSupported);
}

static cudaError_t event_error(const void *handle, cudaEvent_t event) {
    if (!handle || !event) return cudaErrorInvalidValue;
    return rt_is_interprocess(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t memory_error(const void *handle, const void *p) {
    RtAlloc a;
    return handle && rt_find_alloc(p, &a) && a.kind == cudaMemoryTypeDevice ? cudaSuccess : cudaErrorInvalidValue;
}

/* Nobody has made a handle of zeros. */
static cudaError_t open_error(const cudaIpcMemHandle_t *handle, unsigned flags) {
    static const cudaIpcMemHandle_t none;
    return flags & ~(unsigned)cudaIpcMemLazyEnablePeerAccess || !memcmp(handle, &none, sizeof none) ? cudaErrorInvalidValue : cudaSuccess;
}

#define RT_UNSUPPORTED_UNLESS(name, error, parameters)                                             \
    cudaError_t name parameters {                                                                  \
        static _Atomic int told;                                                                   \
        RT_ENTER();                                                                                \
        cudaError_t wrong = (error);                                                               \
        return wrong ? rt_end(wrong) : refuse(#name, &told);                                       \
    }
#define RT_UNSUPPORTED(name, parameters) RT_UNSUPPORTED_UNLESS(name, cudaSuccess, parameters)
#include "unsupported.def"
