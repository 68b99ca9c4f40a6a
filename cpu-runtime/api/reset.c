/* reset.c: cudaDeviceReset: each part forgets what the context had. */
#include "base/limits.h"
#include "space/alloc.h"
#include "exec/heap.h"
#include "exec/printf.h"
#include "queue/event.h"
#include "queue/stream.h"
#include "memory/memory.h"
#include "graph/graph.h"
#include "module/module.h"
#include "api/device.h"

/* The context is gone: handles of what it had are invalid, and what is used next begins anew. */
cudaError_t cudaDeviceReset(void) {
    RT_CALL();
    if (rt_in_host_function) return rt_end(cudaErrorNotPermitted);
    rt_sync_all();
    rt_flush_printf();
    rt_reset_streams();
    rt_reset_events();
    rt_reset_execs();
    rt_reset_textures();
    rt_reset_arrays();
    rt_reset_modules();
    rt_reset_pools();
    rt_reset_ipc();
    rt_free_all();
    rt_restore_variables();
    rt_reset_heap();
    rt_reset_limits();
    rt_reset_device_flags();
    rt_clear_sticky();
    rt_end_primary();
    return cudaSuccess;
}

cudaError_t cudaThreadExit(void) {
    RT_CALL();
    return cudaDeviceReset();
}
