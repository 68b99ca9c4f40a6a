/* unsupported.c: the functions of unsupported.def: a clear error instead of a missing symbol. */
#include "base/base.h"
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static cudaError_t refuse(const char *name, _Atomic int *reported) {
    if (!atomic_exchange(reported, 1)) rt_message("%s is not supported", name);
    return rt_end(cudaErrorNotSupported);
}

#define RT_UNSUPPORTED_UNLESS(name, error, parameters)                                                                 \
    cudaError_t name parameters {                                                                                      \
        static _Atomic int reported;                                                                                   \
        RT_ENTER();                                                                                                    \
        cudaError_t wrong = (error);                                                                                   \
        return wrong ? rt_end(wrong) : refuse(#name, &reported);                                                       \
    }
#define RT_UNSUPPORTED(name, parameters) RT_UNSUPPORTED_UNLESS(name, cudaSuccess, parameters)
#define RT_UNSUPPORTED_UNDECLARED(name)                                                                                \
    __attribute__((visibility("default"))) cudaError_t name(void);                                                     \
    RT_UNSUPPORTED(name, (void))
#include "api/unsupported.def"
