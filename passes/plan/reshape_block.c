/* reshape_block: a block is compiled as another one of as many threads, which suits its kernel better.
**
** **Rows.** A block of one row whose kernel splits threadIdx.x becomes a block of several rows. `row = threadIdx.x /
** 32, column = threadIdx.x % 32` in a block of 1024: the variant for this block is that of 32 x 32 threads, in which
** threadIdx.x is 32 * tid.y + tid.x, so that row and column are ids again. All passes that exploit rows work on it as
** on a block launched with rows: rows that run together share what depends on the column alone (unroll_and_jam), shared
** memory is promoted to registers.
**
** The shortest row that fills groups and by which the kernel both divides and takes the remainder; powers of two, so
** that LLVM finds the ids again. Only kernels whose loops load more than they compute: those that keep a tile of
** results in registers have nothing to share, and pay for the second loop over groups. Nor those of whole warps, nor
** where only a part of the block reaches a barrier: which threads a group has is a matter of the launch there, also for
** the runtime.
**
** **Swapped.** `row = blockIdx.x * blockDim.x + threadIdx.x, column = ... threadIdx.y`: neighbours along x are in
** different rows of the matrix, and all their accesses are gathers. In the block with x and y swapped lanes are along
** y. Where that is estimated faster, and no result depends on the order of threads. For blocks of unknown size as well:
** those whose columns are whole groups. Along z in the same way (`a[(x * n + y) * n + z]`). Where blocks are ordered
** along that dimension, too (block_order), the grid is swapped as well: the kernel is one of rows then, and consecutive
** blocks may be joined; not where there are loops, as blocks of several rows are not joined then. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/barriers.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <string.h>

enum { MAX_X = 1024, LOADS = 3, SUMS = 2, MIN_LANES = 4 }; /* at least LOADS loads for SUMS float operations; along y */

/* m, if i is v % m or v / m as unsigned integers, else 0; *quotient: which. */
static uint64_t divisor(LLVMValueRef i, LLVMValueRef v, bool *quotient) {
    if (!LLVMIsABinaryOperator(i) || LLVMGetOperand(i, 0) != v || !LLVMIsAConstantInt(LLVMGetOperand(i, 1))) return 0;
    uint64_t c = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1));
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    *quotient = op == LLVMLShr || op == LLVMUDiv;
    if (op == LLVMAnd) return c + 1;
    if (op == LLVMLShr) return c < 32 ? UINT64_C(1) << c : 0;
    return op == LLVMUDiv || op == LLVMURem ? c : 0;
}

/* Of bit k: some id is divided by 2^k, or its remainder is taken. */
static void find_divisors(LLVMValueRef kernel, unsigned *quotients, unsigned *remainders) {
    for_each_instruction(id, kernel) {
        if (name_of_call(id) != NAME_TID_X) continue;
        for_each_user(user, id) {
            bool quotient = false;
            uint64_t d = divisor(user, id, &quotient);
            if (!d || d > MAX_X || (d & (d - 1))) continue;
            *(quotient ? quotients : remainders) |= (unsigned)d;
        }
    }
}

/* Most of what groups do in loops is loading. */
static bool loads_much(LLVMValueRef kernel) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, kernel);
    int loads = 0, sums = 0;
    for (int b = 0; b < c->n; b++)
        for (LLVMValueRef i = c->b[b].loop >= 0 ? LLVMGetFirstInstruction(c->b[b].bb) : NULL; i;
             i = LLVMGetNextInstruction(i)) {
            loads += LLVMIsALoadInst(i) != NULL;
            sums += is_float_or_double(LLVMTypeOf(i)) && (LLVMIsABinaryOperator(i) || is_fma(i));
        }
    arena_free(&a);
    return loads && loads * SUMS >= sums * LOADS;
}

bool reshaped_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], unsigned as[3]) {
    unsigned quotients = 0, remainders = 0, flags = (unsigned)fn_attr_int(kernel, ATTR_FLAGS, 0);
    bool suits = !(flags & (CUCPU_KERNEL_JOINED | CUCPU_KERNEL_WARP | CUCPU_KERNEL_POLLS | CUCPU_KERNEL_GRID_SYNC |
                            CUCPU_KERNEL_CLUSTER));
    if (launch[1] * launch[2] != 1 || !suits || has_named_barriers(kernel) || width < 2 ||
        pass_disabled(m, "reshape_block"))
        return false;
    find_divisors(kernel, &quotients, &remainders);
    if (!(quotients & remainders) || !loads_much(kernel)) return false;
    for (unsigned row = (unsigned)width; row < launch[0]; row *= 2)
        if (quotients & remainders & row && launch[0] % row == 0) {
            as[0] = row, as[1] = launch[0] / row, as[2] = 1;
            return true;
        }
    return false;
}

static bool may_be_swapped(Module *m, LLVMValueRef kernel, int width) {
    unsigned flags = (unsigned)fn_attr_int(kernel, ATTR_FLAGS, 0);
    bool suits = !(flags & (CUCPU_KERNEL_WARP | CUCPU_KERNEL_POLLS | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER));
    if (!suits || width < 2 || has_named_barriers(kernel) || pass_disabled(m, "swap_block")) return false;
    return lanes_lie_apart(m, kernel, width) && hides_order(kernel);
}

int swapped_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], int dimension, unsigned as[3]) {
    int lanes = width;
    while (lanes > MIN_LANES && launch[dimension] % (unsigned)lanes) lanes /= 2;
    if (launch[0] < 2 || launch[dimension] % (unsigned)lanes) return 0;
    memcpy(as, launch, 3 * sizeof as[0]);
    as[0] = launch[dimension], as[dimension] = launch[0];
    return may_swap_dimension(m, kernel, width, dimension) ? lanes : 0;
}

bool may_swap_dimension(Module *m, LLVMValueRef kernel, int width, int dimension) {
    return reads_thread_id(kernel, dimension) && may_be_swapped(m, kernel, width);
}

/* tid.y * row + tid.x, before the id. */
static LLVMValueRef linear_id(Module *m, LLVMBuilderRef b, LLVMValueRef id, unsigned row) {
    LLVMPositionBuilderBefore(b, id);
    LLVMValueRef y = name_call(b, m->mod, NAME_TID_Y, NULL, 0, ""), x = name_call(b, m->mod, NAME_TID_X, NULL, 0, "");
    LLVMValueRef start = LLVMBuildMul(b, y, LLVMConstInt(LLVMTypeOf(id), row, 0), "");
    LLVMSetNUW(start, 1), LLVMSetNSW(start, 1);
    LLVMValueRef v = LLVMBuildNUWAdd(b, start, x, "");
    LLVMSetNSW(v, 1);
    return v;
}

static LLVMValueRef other_id(Module *m, LLVMBuilderRef b, LLVMValueRef id, Name n) {
    LLVMPositionBuilderBefore(b, id);
    return name_call(b, m->mod, n, NULL, 0, "");
}

int swapped_dimension(int d, int along) { return d == 0 ? along : d == along ? 0 : d; }

/* ctaid * step + tid along the dimension that x has become, instead of the index in a row of blocks. grid: x of the
** grid has become it as well. */
static LLVMValueRef other_index(Module *m, LLVMBuilderRef b, LLVMValueRef index, int dimension, bool grid) {
    LLVMValueRef x = other_id(m, b, index, NAME_TID_X + dimension),
                 block = name_call(b, m->mod, grid ? NAME_CTAID_X + dimension : NAME_CTAID_X, NULL, 0, "");
    LLVMValueRef start = LLVMBuildNUWMul(b, block, LLVMGetOperand(index, 0), ""), v = LLVMBuildNUWAdd(b, start, x, "");
    LLVMSetNSW(start, 1), LLVMSetNSW(v, 1); /* SHAPES_MAX_ROW */
    return v;
}

/* (z * size of y + y) * size of x + x: the linear index of the thread in the original block. */
static LLVMValueRef other_number(Module *m, LLVMBuilderRef b, LLVMValueRef number, int dimension) {
    LLVMValueRef v = NULL;
    for (int d = 2; d >= 0; d--) {
        int other = swapped_dimension(d, dimension);
        LLVMValueRef id = other_id(m, b, number, NAME_TID_X + other);
        v = v ? LLVMBuildNUWAdd(b, LLVMBuildNUWMul(b, v, other_id(m, b, number, NAME_NTID_X + other), ""), id, "") : id;
    }
    return v;
}

/* With x and this dimension swapped; NULL: the same as before. */
static LLVMValueRef swapped_id(Module *m, LLVMBuilderRef b, LLVMValueRef id, int dimension, bool grid) {
    Name n = name_of_call(id);
    if (n == NAME_GLOBAL_X) return other_index(m, b, id, dimension, grid);
    if (n == NAME_LINEAR) return other_number(m, b, id, dimension);
    if (n >= NAME_CTAID_X && !grid) return NULL;
    int d = (int)(n - NAME_TID_X) % 3,
        other = swapped_dimension(d, dimension); /* threadIdx, blockDim, blockIdx, gridDim: x, y, z each */
    return d == other ? NULL : other_id(m, b, id, (Name)((int)n + other - d));
}

/* In the block of one row made of several, of row[0] threads each; NULL: the same as before. */
static LLVMValueRef folded_id(Module *m, LLVMBuilderRef b, LLVMValueRef id, const unsigned launch[3],
                              const unsigned row[3]) {
    Name n = name_of_call(id);
    bool size = n >= NAME_NTID_X && n <= NAME_NTID_Z;
    if (n == NAME_LINEAR || (n >= NAME_CTAID_X && n <= NAME_NCTAID_Z)) return NULL;
    if (n == NAME_TID_X) return linear_id(m, b, id, row[0]);
    return LLVMConstInt(LLVMTypeOf(id), size ? launch[n - NAME_NTID_X] : 0, 0);
}

static bool is_thread_index(Name n) {
    return (n >= NAME_TID_X && n <= NAME_NCTAID_Z) || n == NAME_GLOBAL_X || n == NAME_LINEAR;
}

/* as: of a reshaped block; NULL = x and this dimension are swapped. */
static void replace_reshaped_ids(Module *m, LLVMValueRef variant, const unsigned launch[3], const unsigned as[3],
                                 int dimension, bool grid) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    Vec(LLVMValueRef) ids = {0};
    for_each_instruction(i, variant)
        if (is_thread_index(name_of_call(i))) vec_push(&m->arena, &ids, i);
    for (int k = 0; k < ids.n; k++) {
        LLVMValueRef v = as ? folded_id(m, b, ids.v[k], launch, as) : swapped_id(m, b, ids.v[k], dimension, grid);
        if (!v) continue;
        replace_instruction(ids.v[k], v);
    }
    LLVMDisposeBuilder(b);
    fn_remove_attr(variant, ATTR_JOINED);
    fn_remove_attr(variant, ATTR_JOINED_PREFIX);
}

void reshape_block(Module *m, LLVMValueRef variant, const unsigned launch[3], const unsigned as[3]) {
    replace_reshaped_ids(m, variant, launch, as, 0, false);
}

static bool has_loops(LLVMValueRef fn) {
    Arena a = {0};
    bool any = cfg_build(&a, fn)->nloops > 0;
    arena_free(&a);
    return any;
}

void swap_dimension(Module *m, LLVMValueRef variant, int dimension) {
    bool grid = variant_of(variant).swapped_grid;
    replace_reshaped_ids(m, variant, NULL, NULL, dimension, grid);
    if (!grid) return;
    fn_remove_attr(variant, ATTR_ORDER);
    if (!pass_disabled(m, "coalesce_blocks") && !m->opt->shuffle && !has_loops(variant)) coalesce_kernel(m, variant);
}
