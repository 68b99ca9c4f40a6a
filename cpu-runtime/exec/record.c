/* record.c: grids, and what each worker does of them, are recorded (profile/record.h). */
#include "exec/job.h"

static uint32_t number_of(const RtLaunch *l) {
    static _Atomic uint32_t last;
    RtKernel *k = l->kernel;
    uint32_t number = atomic_load(&k->recorded), none = 0;
    if (number) return number;
    number = ++last;
    if (!atomic_compare_exchange_strong(&k->recorded, &none, number)) return none;
    const CucpuKernel *a = k->abi;
    CucpuRecord r = {.kind = CUCPU_REC_KERNEL_INFO, .name = rt_record_text(a->name), .correlation = number};
    r.info.title = a->title ? rt_record_text(a->title) : r.name;
    r.info.file = a->file ? rt_record_text(a->file) : 0;
    r.info.line = a->line;
    r.info.shared = a->static_shared;
    r.info.local = a->local_bytes;
    r.info.registers = RT_REGISTERS_PER_THREAD;
    r.info.flops = r.info.bytes = -1;
    rt_record(&r);
    return number;
}

/* Of the lanes of its groups those that have a thread, percent. */
static uint8_t lanes_in_use(const CucpuKernel *k, const CucpuVariant *v, const uint32_t block[3]) {
    bool rows = v->layout != CUCPU_LAYOUT_GENERAL;
    if (v->layout == CUCPU_LAYOUT_ROWS_FULL || (rows && k->flags & CUCPU_KERNEL_JOINED)) return 100;
    uint32_t row = rows ? block[0] : block[0] * block[1] * block[2];
    return (uint8_t)(100.0 * row / ((row + v->width - 1) / v->width * v->width) + 0.5);
}

void rt_record_kernel(const RtJob *job, uint64_t start, int threads) {
    const RtLaunch *l = job->launch;
    const CucpuVariant *v = atomic_load_explicit(&job->variant, memory_order_relaxed);
    CucpuRecord r = {.kind = CUCPU_REC_KERNEL, .start = start, .end = rt_profile_now(), .name = number_of(l)};
    r.correlation = job->launched;
    r.stream = rt_doing().stream;
    if (job->fault) r.flags = CUCPU_KERNEL_FAULT;
    for (int i = 0; i < 3; i++) r.kernel.grid[i] = l->abi.grid[i], r.kernel.block[i] = (uint16_t)l->block[i];
    r.kernel.width = (uint16_t)v->width;
    r.kernel.layout = (uint8_t)v->layout;
    r.kernel.lanes = lanes_in_use(l->kernel->abi, v, l->abi.block);
    r.kernel.dynamic = l->abi.dyn_shared;
    r.kernel.frame = l->frame_bytes < UINT32_MAX ? (uint32_t)l->frame_bytes : UINT32_MAX;
    r.kernel.workers = (uint16_t)threads;
    rt_record(&r);
}

void rt_record_share(const RtJob *job, int index, uint64_t start, uint64_t end, uint64_t blocks) {
    CucpuRecord r = {.kind = CUCPU_REC_SHARE, .start = start, .end = end, .name = number_of(job->launch)};
    r.correlation = job->launched;
    r.share.worker = (uint32_t)index;
    r.share.blocks = blocks;
    rt_record_more(&r);
}
