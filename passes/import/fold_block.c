/* fold_block: a block is compiled as another one of as many threads, which suits its kernel better.
**
** **Rows.**  A block of one row whose kernel takes threadIdx.x apart becomes a block of several rows.
** `row = threadIdx.x / 32, column = threadIdx.x % 32` in a block of 1024: the variant for this block is that of 32 x 32 threads, in which
** threadIdx.x is 32 * tid.y + tid.x, so that row and column are ids again.  All that knows rows works on it as on a block launched
** with rows: rows that run together share what depends on the column alone (lockstep), shared memory comes into registers.
**
** The shortest row that fills groups and by which the kernel both divides and takes the remainder; powers of two, so that LLVM finds the
** ids again.  Only kernels whose loops load more than they compute: those that keep a tile of results in registers have nothing to
** share, and lose what the second loop over groups takes.  Nor those of whole warps, nor where a part of the block meets at a barrier: which
** threads a group has is a matter of the launch there, for the runtime, too.
**
** **Swapped.**  `row = blockIdx.x * blockDim.x + threadIdx.x, column = ... threadIdx.y`: neighbours along x are in different rows of the
** matrix, and all that they access is gathered.  In the block with x and y swapped lanes go along y.  Where that is estimated faster,
** and no result tells of the order of threads. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/barriers.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/passes.h"

enum { MAX_X = 1024, LOADS = 3, SUMS = 2 }; /* at least LOADS loads for SUMS float operations */

/* m, if i is v % m or v / m as unsigned numbers, else 0; *quotient: which. */
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
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef id = LLVMGetFirstInstruction(b); id; id = LLVMGetNextInstruction(id)) {
            if (name_of_call(id) != NAME_TID_X) continue;
            for (LLVMUseRef u = LLVMGetFirstUse(id); u; u = LLVMGetNextUse(u)) {
                bool quotient = false;
                uint64_t d = divisor(LLVMGetUser(u), id, &quotient);
                if (!d || d > MAX_X || (d & (d - 1))) continue;
                *(quotient ? quotients : remainders) |= (unsigned)d;
            }
        }
}

static bool is_float(LLVMValueRef i) {
    LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(i));
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

/* What groups load in loops is most of what they do there. */
static bool loads_much(LLVMValueRef kernel) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, kernel);
    int loads = 0, sums = 0;
    for (int b = 0; b < c->n; b++)
        for (LLVMValueRef i = c->b[b].loop >= 0 ? LLVMGetFirstInstruction(c->b[b].bb) : NULL; i; i = LLVMGetNextInstruction(i)) {
            loads += LLVMIsALoadInst(i) != NULL;
            sums += is_float(i) && (LLVMIsABinaryOperator(i) || is_fma(i));
        }
    arena_free(&a);
    return loads && loads * SUMS >= sums * LOADS;
}

bool folded_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], unsigned as[3]) {
    unsigned quotients = 0, remainders = 0, flags = (unsigned)fn_attr_int(kernel, ATTR_FLAGS, 0);
    bool suits = !(flags & (CUCPU_KERNEL_JOINED | CUCPU_KERNEL_WARP | CUCPU_KERNEL_POLLS | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER));
    if (launch[1] * launch[2] != 1 || !suits || has_named_barriers(kernel) || width < 2 || pass_disabled(m, "fold_block")) return false;
    find_divisors(kernel, &quotients, &remainders);
    if (!(quotients & remainders) || !loads_much(kernel)) return false;
    for (unsigned row = (unsigned)width; row < launch[0]; row *= 2)
        if (quotients & remainders & row && launch[0] % row == 0) {
            as[0] = row, as[1] = launch[0] / row, as[2] = 1;
            return true;
        }
    return false;
}

bool swapped_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], unsigned as[3]) {
    unsigned flags = (unsigned)fn_attr_int(kernel, ATTR_FLAGS, 0);
    bool suits = !(flags & (CUCPU_KERNEL_WARP | CUCPU_KERNEL_POLLS | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER)) && launch[2] == 1 && launch[0] > 1;
    if (!suits || width < 2 || launch[1] % (unsigned)width || has_named_barriers(kernel) || pass_disabled(m, "swap_block")) return false;
    as[0] = launch[1], as[1] = launch[0], as[2] = 1;
    return lanes_lie_apart(kernel, width) && hides_order(kernel);
}

/* tid.y * row + tid.x, in front of the id. */
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
    return name_call(b, m->mod, n == NAME_TID_X ? NAME_TID_Y : NAME_TID_X, NULL, 0, "");
}

/* ctaid.x * step + tid.y, instead of the place in a row of blocks: these are not joined here. */
static LLVMValueRef other_place(Module *m, LLVMBuilderRef b, LLVMValueRef place) {
    LLVMValueRef y = other_id(m, b, place, NAME_TID_X), block = name_call(b, m->mod, NAME_CTAID_X, NULL, 0, "");
    LLVMValueRef start = LLVMBuildNUWMul(b, block, LLVMGetOperand(place, 0), ""), v = LLVMBuildNUWAdd(b, start, y, "");
    LLVMSetNSW(start, 1), LLVMSetNSW(v, 1); /* SHAPES_MAX_ROW */
    return v;
}

void fold_block(Module *m, LLVMValueRef variant, const unsigned launch[3], const unsigned as[3]) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(m->ctx);
    bool swapped = launch[1] > 1;
    Vec(LLVMValueRef) ids = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(variant); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            Name n = name_of_call(i);
            if ((n >= NAME_TID_X && n <= NAME_TID_Z) || (n >= NAME_NTID_X && n <= NAME_NTID_Z) || n == NAME_GLOBAL_X) vec_push(&m->arena, &ids, i);
        }
    for (int k = 0; k < ids.n; k++) {
        Name n = name_of_call(ids.v[k]);
        bool size = n >= NAME_NTID_X && n <= NAME_NTID_Z;
        LLVMValueRef v = NULL;
        if (n == NAME_GLOBAL_X) v = other_place(m, builder, ids.v[k]);
        else if (n == NAME_TID_X && !swapped) v = linear_id(m, builder, ids.v[k], as[0]);
        else if (n == NAME_TID_X || (n == NAME_TID_Y && swapped)) v = other_id(m, builder, ids.v[k], n);
        else v = LLVMConstInt(LLVMTypeOf(ids.v[k]), size ? launch[n - NAME_NTID_X] : 0, 0);
        LLVMReplaceAllUsesWith(ids.v[k], v);
        LLVMInstructionEraseFromParent(ids.v[k]);
    }
    LLVMDisposeBuilder(builder);
    LLVMRemoveStringAttributeAtIndex(variant, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, ATTR_JOINED, sizeof ATTR_JOINED - 1);
    fn_set_attr(variant, ATTR_LAUNCH, arena_printf(&m->arena, "%u,%u,%u", launch[0], launch[1], launch[2]));
}
