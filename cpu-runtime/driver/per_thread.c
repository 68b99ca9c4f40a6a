/* per_thread.c: the entry points of the driver API for --default-stream=per-thread (queue/per_thread.h). */
#include "driver/driver.h"
#include "queue/per_thread.h"

#define PER_THREAD(name, suffix, params, args) RT_PER_THREAD(CUresult, name, suffix, params, args)
#include "driver/per_thread.def"
