/* variants.h: which launches a variant fits, and how much of its lanes they use.
**
** The compiler plans variants by it (passes/plan), the runtime chooses among them by it (cpu-runtime/exec/variant.c):
** there is no second copy of any of it, so that a launch runs what was made for it.  Plain C11, like abi.h. */
#ifndef CUCPU_VARIANTS_H
#define CUCPU_VARIANTS_H
#include "abi.h"

/* GENERAL groups whose lanes lie anywhere in the block take longer: their speed to that of rows, the median of random
** kernels (cucpu-fuzz --speed).  For estimates. */
#define CUCPU_ANYWHERE 0.55
/* Variants of several lanes assume that blockIdx.x * blockDim.x + threadIdx.x does not exceed this (docs/shapes.md). */
#define CUCPU_MAX_ROW (INT32_MAX - 4096)

/* ---- blocks ---- */

/* Groups of consecutive threads are whole rows or planes: what lanes differ by is known. */
static inline int cucpu_fills_groups(const uint32_t block[3], uint32_t width) {
    for (int d = 0; d < 3 && width > 1; d++) {
        if (block[d] % width == 0) return 1;
        if (width % block[d]) return 0;
        width /= block[d];
    }
    return width == 1;
}

/* The dimension in which the threads of a column, 1 x n or 1 x 1 x n, follow each other; 0 = it is none. */
static inline int cucpu_column(const uint32_t block[3]) {
    if (block[0] > 1 || (block[1] > 1 && block[2] > 1)) return 0;
    return block[1] > 1 ? 1 : block[2] > 1 ? 2 : 0;
}

/* What the lanes of GENERAL groups differ by is known; own: the code is for this block alone. */
static inline int cucpu_in_order(const uint32_t block[3], uint32_t width, int own) {
    return cucpu_fills_groups(block, width) || (own && cucpu_column(block));
}

/* A row of at least a quarter of the lanes, and of two: its idle lanes take less time than gathers. */
static inline int cucpu_is_long_row(uint64_t threads, uint32_t width) {
    return threads >= (width < 8 ? 2u : width / 4u);
}

/* Of a launch with these blocks the threads that run, as a block. */
static inline void cucpu_block_that_runs(uint32_t flags, uint32_t block[3]) {
    if (flags & CUCPU_KERNEL_REPEATS_Y) block[1] = 1;
    if (flags & CUCPU_KERNEL_REPEATS_Z) block[2] = 1;
    if (flags & (CUCPU_KERNEL_FLAT_Y | CUCPU_KERNEL_FLAT_Z)) block[0] *= block[1], block[1] = 1;
    if (flags & CUCPU_KERNEL_FLAT_Z) block[0] *= block[2], block[2] = 1;
}

/* ---- what fits ---- */

/* The layout, with lanes along x, is for such a block.  flags: of the kernel; blocks: of a row of the grid. */
static inline int cucpu_layout_fits(uint32_t layout, uint32_t width, uint32_t flags, uint32_t blocks,
                                    const uint32_t block[3]) {
    if (layout == CUCPU_LAYOUT_GENERAL) return 1;
    if (layout == CUCPU_LAYOUT_ROWS_FULL) return block[0] % width == 0;
    if (block[1] * block[2] == 1) return 1;
    if (flags & CUCPU_KERNEL_JOINED) return cucpu_is_long_row((uint64_t)blocks * block[0], width);
    return !(flags & CUCPU_KERNEL_WARP) && cucpu_is_long_row(block[0], width);
}

/* The variant is for launches of this shape. */
static inline int cucpu_variant_fits(uint32_t flags, const CucpuVariant *v, const uint32_t grid[3],
                                     const uint32_t block[3]) {
    if (v->block[0]) /* its layout may be that of another block (reshape_block) */
        return v->block[0] == block[0] && v->block[1] == block[1] && v->block[2] == block[2];
    if (v->below && block[0] >= v->below) return 0;
    if (v->along) return block[v->along] % v->width == 0;
    return cucpu_layout_fits(v->layout, v->width, flags, grid[0], block);
}

/* Neither the index in a row of blocks wraps, nor blockIdx.x * step. */
static inline int cucpu_row_fits(const CucpuKernel *k, const CucpuVariant *v, const uint32_t grid[3],
                                 const uint32_t block[3]) {
    uint64_t step = k->step > block[0] ? k->step : block[0];
    return v->width == 1 || k->flags & CUCPU_KERNEL_ANY_ROW || grid[0] * step <= CUCPU_MAX_ROW;
}

/* ---- groups ---- */

static inline uint32_t cucpu_groups(const CucpuVariant *v, const uint32_t block[3]) { /* of a block */
    uint32_t w = v->width;
    if (v->layout == CUCPU_LAYOUT_GENERAL || v->along) return (block[0] * block[1] * block[2] + w - 1) / w;
    return block[1] * block[2] * ((block[0] + w - 1) / w);
}

/* The share of the variant's lanes that have a thread; less where they are anywhere in the block.  For estimates. */
static inline double cucpu_lanes_in_use(uint32_t flags, const CucpuVariant *v, const uint32_t block[3]) {
    uint32_t row = v->layout == CUCPU_LAYOUT_GENERAL ? block[0] * block[1] * block[2] : block[0];
    if (v->below && flags & CUCPU_KERNEL_UNTRIED) return (double)v->width / v->below; /* narrower groups gain less */
    if (v->layout == CUCPU_LAYOUT_ROWS_FULL || (v->layout == CUCPU_LAYOUT_ROWS && flags & CUCPU_KERNEL_JOINED))
        return 1;
    double share = (double)row / ((row + v->width - 1) / v->width * v->width);
    int in_order = v->layout != CUCPU_LAYOUT_GENERAL || cucpu_in_order(block, v->width, v->block[0] != 0);
    return in_order ? share : share * CUCPU_ANYWHERE;
}

/* The time that the scalar variant is estimated to take for this block, as a part of this variant's. */
static inline double cucpu_scalar_ratio(const CucpuKernel *k, const CucpuVariant *v, const uint32_t block[3]) {
    double ratio = (k->scalar_time ? k->scalar_time : 100) / (double)(v->along ? v->along_time : 100);
    return ratio * cucpu_lanes_in_use(k->flags, v, block);
}

/* Of a kernel that has a scalar variant, too: does it run before times are known? */
static inline int cucpu_scalar_first(const CucpuKernel *k, const CucpuVariant *v, const uint32_t block[3]) {
    int idle = cucpu_lanes_in_use(k->flags, v, block) < 1;
    if (k->flags & CUCPU_KERNEL_SCALAR_FIRST && !v->along) return 1;
    return (idle || v->along || k->flags & (CUCPU_KERNEL_SUMS | CUCPU_KERNEL_UNTRIED)) &&
           cucpu_scalar_ratio(k, v, block) < 1;
}
#endif
