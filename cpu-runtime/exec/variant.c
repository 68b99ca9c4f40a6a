/* variant.c: which variant of a kernel a launch takes: the first that fits it (variants.h), or the scalar one; and how
** much memory a block needs for whichever runs. */
#include "exec/launch.h"
#include "variants.h"

bool rt_variant_fits(const RtLaunch *l, const CucpuVariant *v) {
    const CucpuKernel *k = l->kernel->abi;
    return cucpu_variant_fits(k->flags, v, l->abi.grid, l->abi.block) &&
           cucpu_row_fits(k, v, l->abi.grid, l->abi.block);
}

static cudaError_t first_that_fits(const CucpuKernel *k, const uint32_t g[3], const uint32_t b[3], bool overlapping,
                                   const CucpuVariant **out) {
    bool too_long = false;
    for (uint32_t i = 0; i < k->nvariants; i++) {
        const CucpuVariant *v = &k->variants[i];
        if (!v->overlapping == overlapping || !cucpu_variant_fits(k->flags, v, g, b)) continue;
        *out = v;
        if (cucpu_row_fits(k, v, g, b)) return cudaSuccess;
        too_long = true;
    }
    if (k->scalar && !overlapping) {
        *out = k->scalar;
        return cudaSuccess;
    }
    if (!too_long) return cudaErrorNoKernelImageForDevice;
    rt_message("%s: gridDim.x * %s = %llu is too much for SIMD code: compile with --simd=1", k->name,
               k->step > b[0] ? "the constant it is multiplied with" : "blockDim.x",
               (unsigned long long)g[0] * (k->step > b[0] ? k->step : b[0]));
    return cudaErrorInvalidConfiguration;
}

static uint64_t frame_bytes(const CucpuVariant *v, const uint32_t b[3]) {
    return v->frame_per_group ? v->frame_fixed + (uint64_t)cucpu_groups(v, b) * v->frame_per_group : v->frame_fixed;
}

static void reserve(RtLaunch *l, const CucpuVariant *v) {
    uint64_t bytes = frame_bytes(v, l->abi.block);
    if (bytes > l->frame_bytes) l->frame_bytes = bytes;
}

/* What is checked shows where threads run one by one: in all kernels that are not plain, in those with functions of the
** warp. */
static bool all_apart, warps_apart;

void rt_run_threads_apart(bool all, bool warps) { all_apart = all, warps_apart = warps; }

static bool needs_threads(const CucpuKernel *k) {
    return (all_apart && !(k->flags & CUCPU_KERNEL_PLAIN)) || (warps_apart && k->flags & CUCPU_KERNEL_WARP);
}

static bool has_overlapping(const CucpuKernel *k) {
    for (uint32_t i = 0; i < k->nvariants; i++)
        if (k->variants[i].overlapping) return true;
    return false;
}

cudaError_t rt_choose_variant(RtLaunch *l) {
    const CucpuKernel *k = l->kernel->abi;
    l->overlapping = NULL;
    RT_TRY(first_that_fits(k, l->abi.grid, l->abi.block, false, &l->variant));
    if (k->apart && has_overlapping(k)) RT_TRY(first_that_fits(k, l->abi.grid, l->abi.block, true, &l->overlapping));
    bool checked = l->kernel->module->abi->check != NULL;
    l->trial = checked ? NULL : rt_trial_of(l);
    if (checked && k->scalar && needs_threads(k)) l->variant = k->scalar;
    else if (!checked && !l->trial && k->scalar && rt_scalar_first(l)) l->variant = k->scalar;
    l->frame_bytes = 0;
    reserve(l, l->variant);
    if (l->trial) reserve(l, k->scalar);
    if (l->overlapping) reserve(l, l->overlapping);
    if (k->counting) reserve(l, k->counting);
    return cudaSuccess;
}
