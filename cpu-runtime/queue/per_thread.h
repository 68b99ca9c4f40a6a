/* per_thread.h: entry points of programs that are compiled with --default-stream=per-thread.
**
** Each is the plain function, called while stream 0 of this thread means its own stream; what was
** the meaning before comes back afterwards, for a host function may run within a call. */
#ifndef CUCPU_QUEUE_PER_THREAD_H
#define CUCPU_QUEUE_PER_THREAD_H
#include "queue/stream.h"

#define RT_PER_THREAD(type, name, suffix, params, args)                                                                \
    __attribute__((visibility("default"))) type name##suffix params;                                                   \
    type name##suffix params {                                                                                         \
        bool before = rt_null_is_own;                                                                                  \
        rt_null_is_own = true;                                                                                         \
        type result = name args;                                                                                       \
        rt_null_is_own = before;                                                                                       \
        return result;                                                                                                 \
    }
#endif
