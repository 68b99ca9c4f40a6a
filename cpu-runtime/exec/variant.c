/* variant.c: which variant of a kernel a launch takes: the first whose layout and block fit it (abi.h). */
#include "exec/launch.h"

static bool variant_fits(const CucpuKernel *k, const CucpuVariant *v, const dim3 g, const dim3 b) {
    if (v->block[0])
        return v->block[0] == b.x && v->block[1] == b.y &&
               v->block[2] == b.z; /* its layout may be that of another block (fold_block) */
    if (v->below && b.x >= v->below) return false;
    if (v->layout == CUCPU_LAYOUT_GENERAL) return true;
    if (v->along) return (v->along == 1 ? b.y : b.z) % v->width == 0;
    if (v->layout == CUCPU_LAYOUT_ROWS_FULL) return b.x % v->width == 0;
    if (b.y * b.z == 1) return true;
    if (k->flags & CUCPU_KERNEL_JOINED) return (uint64_t)g.x * b.x >= CUCPU_SHORT_ROW(v->width);
    return !(k->flags & CUCPU_KERNEL_WARP) && b.x >= CUCPU_SHORT_ROW(v->width);
}

/* Code for more than one lane takes blockIdx.x * blockDim.x + threadIdx.x not to wrap, nor blockIdx.x * step (SHAPES_MAX_ROW
** in docs/shapes.md). */
static bool row_fits(const CucpuKernel *k, const CucpuVariant *v, const dim3 g, const dim3 b) {
    uint64_t step = k->step > b.x ? k->step : b.x;
    return v->width == 1 || k->flags & CUCPU_KERNEL_ANY_ROW || g.x * step <= 0x7fffffffu - 4096u;
}

bool rt_variant_fits(const RtLaunch *l, const CucpuVariant *v) {
    const uint32_t *g = l->abi.grid, *b = l->abi.block;
    dim3 grid = {g[0], g[1], g[2]}, block = {b[0], b[1], b[2]};
    return variant_fits(l->kernel->abi, v, grid, block) && row_fits(l->kernel->abi, v, grid, block);
}

cudaError_t rt_choose_variant(const CucpuKernel *k, const dim3 g, const dim3 b, const CucpuVariant **out) {
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
               k->step > b.x ? "the constant it is multiplied with" : "blockDim.x",
               (unsigned long long)g.x * (k->step > b.x ? k->step : b.x));
    return cudaErrorInvalidConfiguration;
}

static uint32_t count_groups(const CucpuVariant *v, const dim3 b) {
    if (v->layout == CUCPU_LAYOUT_GENERAL || v->along) return (b.x * b.y * b.z + v->width - 1) / v->width;
    return b.y * b.z * ((b.x + v->width - 1) / v->width);
}

uint64_t rt_frame_bytes(const CucpuVariant *v, const dim3 b) {
    return v->frame_per_group ? v->frame_fixed + (uint64_t)count_groups(v, b) * v->frame_per_group : v->frame_fixed;
}
