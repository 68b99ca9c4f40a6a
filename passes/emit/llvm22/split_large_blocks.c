/* split_large_blocks: blocks on which instruction selection would take long are split.
**
** LLVM selects instructions block by block, in time that can be quadratic in the size of a block (unrolled loops of
** half2: 6.4 s for 15,500 instructions). A block of more than LARGEST instructions is cut near every LARGEST-th one,
** where the fewest values are live: these get virtual registers, and nothing is selected across the cut. The address of
** each new block is taken by an unused expression: LLVM would merge the blocks again.
**
** Rows in lockstep that share loads (ATTR_SHARED_ROWS) keep an element in a register until the last row has used it.
** The scheduler computes the first row with all of its loads before the second one instead, and spills them: smaller
** blocks keep the order (a stencil of 25 points: 55 to 35 us). */
#include "passes/emit/llvm22/workarounds.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include "passes/ir/edit.h"

enum {
    LARGEST = 1000,
    LARGEST_OF_ROWS = 128,
    WINDOW = 4 /* the last quarter of a block has the instructions among which the split point is chosen */,
    MASK_WEIGHT = 4 /* not held in a register on all targets */
};

typedef struct Long {
    LLVMValueRef *inst;
    int n, first; /* candidate split points */
    int *alive;   /* weight of the values that are live before each instruction */
} Long;

static int weight(LLVMValueRef v) { return is_void(v) ? 0 : is_vector_of_bits(v) ? MASK_WEIGHT : 1; }

static int last_use(const PtrMap *order, const Long *l, LLVMBasicBlockRef home, int i) {
    int last = i;
    for_each_user(user, l->inst[i]) {
        bool here = LLVMGetInstructionParent(user) == home && !LLVMIsAPHINode(user);
        int at = here ? (int)map_get(order, user, 0) : l->n - 1;
        if (at > last) last = at;
    }
    return last;
}

static Long read_block(Arena *a, LLVMBasicBlockRef bb, int n) {
    Long l = {.inst = arena_array(a, LLVMValueRef, n), .alive = arena_array(a, int, n + 1)};
    PtrMap order = map_new(a);
    for_each_in_block(i, bb) {
        if (LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i)) l.first = l.n + 1;
        map_put(&order, i, (uintptr_t)l.n);
        l.inst[l.n++] = i;
    }
    for (int i = 0; i < n; i++) {
        int last = last_use(&order, &l, bb, i), w = weight(l.inst[i]);
        l.alive[i + 1] += w, l.alive[last + 1 < n ? last + 1 : n] -= w;
    }
    for (int i = 1; i < n; i++) l.alive[i] += l.alive[i - 1];
    return l;
}

static int best_split(const Long *l, int from, int to) {
    int best = to;
    for (int i = to; i > from; i--)
        if (l->alive[i] < l->alive[best]) best = i;
    return best;
}

static void cut_block(Arena *a, LLVMValueRef fn, LLVMBasicBlockRef bb, int n, int largest) {
    Long l = read_block(a, bb, n);
    Vec(int) cuts = {0};
    for (int at = l.first; n - at > largest;) {
        at = best_split(&l, at + largest - largest / WINDOW, at + largest - 1); /* and a branch */
        vec_push(a, &cuts, at);
    }
    for (int k = cuts.n - 1; k >= 0; k--) LLVMBlockAddress(fn, shim_split_block(l.inst[cuts.v[k]], "cut"));
}

static int size_of(LLVMBasicBlockRef bb) {
    int n = 0;
    for_each_in_block(i, bb) n++;
    return n;
}

bool split_large_blocks(Module *m) {
    if (pass_disabled(m, "split_large_blocks") || !workaround_is_on(WORKAROUND_split_large_blocks)) return true;
    for_each_function(f, m->mod) {
        int largest = fn_has_attr(f, ATTR_SHARED_ROWS) ? LARGEST_OF_ROWS : LARGEST;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f), next; b; b = next) {
            next = LLVMGetNextBasicBlock(b);
            int n = size_of(b);
            if (n <= largest) continue;
            Arena a = {0};
            cut_block(&a, f, b, n, largest);
            arena_free(&a);
        }
    }
    return true;
}
