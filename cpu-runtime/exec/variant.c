/* variant.c: which variant of a kernel a launch takes: the first whose layout and block fit it (abi.h), or the
** scalar one; and how much memory a block needs for whichever runs. */
#include "exec/launch.h"

static bool variant_fits(const CucpuKernel *k, const CucpuVariant *v, const uint32_t g[3], const uint32_t b[3]) {
    if (v->block[0])
        return v->block[0] == b[0] && v->block[1] == b[1] &&
               v->block[2] == b[2]; /* its layout may be that of another block (reshape_block) */
    if (v->below && b[0] >= v->below) return false;
    if (v->layout == CUCPU_LAYOUT_GENERAL) return true;
    if (v->along) return (v->along == 1 ? b[1] : b[2]) % v->width == 0;
    if (v->layout == CUCPU_LAYOUT_ROWS_FULL) return b[0] % v->width == 0;
    if (b[1] * b[2] == 1) return true;
    if (k->flags & CUCPU_KERNEL_JOINED) return (uint64_t)g[0] * b[0] >= CUCPU_SHORT_ROW(v->width);
    return !(k->flags & CUCPU_KERNEL_WARP) && b[0] >= CUCPU_SHORT_ROW(v->width);
}

/* Variants of several lanes assume blockIdx.x * blockDim.x + threadIdx.x does not wrap, nor blockIdx.x * step
** (SHAPES_MAX_ROW in docs/shapes.md). */
static bool row_fits(const CucpuKernel *k, const CucpuVariant *v, const uint32_t g[3], const uint32_t b[3]) {
    uint64_t step = k->step > b[0] ? k->step : b[0];
    return v->width == 1 || k->flags & CUCPU_KERNEL_ANY_ROW || g[0] * step <= 0x7fffffffu - 4096u;
}

bool rt_variant_fits(const RtLaunch *l, const CucpuVariant *v) {
    const CucpuKernel *k = l->kernel->abi;
    return variant_fits(k, v, l->abi.grid, l->abi.block) && row_fits(k, v, l->abi.grid, l->abi.block);
}

static cudaError_t first_that_fits(const CucpuKernel *k, const uint32_t g[3], const uint32_t b[3],
                                   const CucpuVariant **out) {
    bool too_long = false;
    for (uint32_t i = 0; i < k->nvariants; i++) {
        const CucpuVariant *v = &k->variants[i];
        if (!variant_fits(k, v, g, b)) continue;
        *out = v;
        if (row_fits(k, v, g, b)) return cudaSuccess;
        too_long = true;
    }
    if (k->scalar) {
        *out = k->scalar;
        return cudaSuccess;
    }
    if (!too_long) return cudaErrorNoKernelImageForDevice;
    rt_message("%s: gridDim.x * %s = %llu is too much for SIMD code: compile with --simd=1", k->name,
               k->step > b[0] ? "the constant it is multiplied with" : "blockDim.x",
               (unsigned long long)g[0] * (k->step > b[0] ? k->step : b[0]));
    return cudaErrorInvalidConfiguration;
}

static uint32_t count_groups(const CucpuVariant *v, const uint32_t b[3]) {
    if (v->layout == CUCPU_LAYOUT_GENERAL || v->along) return (b[0] * b[1] * b[2] + v->width - 1) / v->width;
    return b[1] * b[2] * ((b[0] + v->width - 1) / v->width);
}

static uint64_t frame_bytes(const CucpuVariant *v, const uint32_t b[3]) {
    return v->frame_per_group ? v->frame_fixed + (uint64_t)count_groups(v, b) * v->frame_per_group : v->frame_fixed;
}

static void reserve(RtLaunch *l, const CucpuVariant *v) {
    uint64_t bytes = frame_bytes(v, l->abi.block);
    if (bytes > l->frame_bytes) l->frame_bytes = bytes;
}

/* What is checked shows where threads run one by one: in all kernels, in those with functions of the warp. */
static bool all_apart, warps_apart;

void rt_run_threads_apart(bool all, bool warps) { all_apart = all, warps_apart = warps; }

static bool needs_threads(const CucpuKernel *k) { return all_apart || (warps_apart && k->flags & CUCPU_KERNEL_WARP); }

cudaError_t rt_choose_variant(RtLaunch *l) {
    const CucpuKernel *k = l->kernel->abi;
    RT_TRY(first_that_fits(k, l->abi.grid, l->abi.block, &l->variant));
    bool checked = l->kernel->module->abi->check != NULL;
    l->trial = checked ? NULL : rt_trial_of(l);
    if (checked && k->scalar && needs_threads(k)) l->variant = k->scalar;
    else if (!checked && !l->trial && k->scalar && rt_scalar_first(l)) l->variant = k->scalar;
    l->frame_bytes = 0;
    reserve(l, l->variant);
    if (l->trial) reserve(l, k->scalar);
    if (k->counting) reserve(l, k->counting);
    return cudaSuccess;
}
