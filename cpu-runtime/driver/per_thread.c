/* per_thread.c: the entry points of programs that are compiled with --default-stream=per-thread: the plain functions,
** called while stream 0 of this thread means its own stream (api/per_thread.c). */
#include "driver/driver.h"
#include "queue/stream.h"

#define PER_THREAD(name, suffix, params, args)                                                                         \
    __attribute__((visibility("default"))) CUresult name##suffix params;                                               \
    CUresult name##suffix params {                                                                                     \
        bool before = rt_null_is_own;                                                                                  \
        rt_null_is_own = true;                                                                                         \
        CUresult result = name args;                                                                                   \
        rt_null_is_own = before;                                                                                       \
        return result;                                                                                                 \
    }
#include "driver/per_thread.def"
