/* order: see order_observability.h. */
#include "passes/analysis/order_observability.h"
#include "passes/analysis/barriers.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/ir/cfg.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"
#include <string.h>

enum { SLICE = 8 };

static bool is_rounding(LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv) return true;
    return !strncmp(called_name(i), "llvm.fma", 8) || !strncmp(called_name(i), "llvm.fmuladd", 12);
}

/* Functions that may run, each once. */
typedef struct Reached {
    Arena a;
    PtrMap cfg; /* of functions */
    Vec(LLVMValueRef) all;
    bool pointers;         /* all that pointers point to are in it */
    bool shared, anywhere; /* they have the base of shared memory; sums of floats through pointers from anywhere */
    bool in_order;
    /* of floats, by atomics in shared memory, in the kernel itself; where threads run in order */
    Vec(LLVMValueRef) sums;
} Reached;

/* The value comes from a rounding in this loop (-1: anywhere), operations back from a compare-and-swap. */
static bool is_rounded(const Cfg *c, int loop, LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || depth > SLICE) return false;
    int b = cfg_block_of(c, v);
    if (loop >= 0 && (b < 0 || !cfg_loop_contains(c, loop, b))) return false;
    if (is_rounding(v)) return true;
    bool phi = LLVMIsAPHINode(v) != NULL;
    for (unsigned k = 0, n = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v); k < n; k++)
        if (is_rounded(c, loop, phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k), depth + 1)) return true;
    return false;
}

/* The innermost loop around a compare-and-swap in which its expected value is reloaded; -1: none. */
static int retry_loop(const Cfg *c, LLVMValueRef i) {
    LLVMValueRef expected = LLVMGetOperand(i, 1);
    int b = cfg_block_of(c, i), home = -1;
    if (LLVMIsAInstruction(expected)) home = cfg_block_of(c, expected);
    if (b < 0 || home < 0) return -1;
    int loop = c->b[b].loop;
    while (loop >= 0 && !cfg_loop_contains(c, loop, home)) loop = c->l[loop].parent;
    return loop;
}

/* A loop that retries a compare-and-swap adds to the old value; values from before it do not depend on that. */
static bool adds_floats(const Reached *r, LLVMValueRef i) {
    if (LLVMIsAAtomicCmpXchgInst(i)) {
        const Cfg *c = map_ptr(&r->cfg, LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
        return is_rounded(c, retry_loop(c, i), LLVMGetOperand(i, 2), 0);
    }
    if (!LLVMIsAAtomicRMWInst(i)) return false;
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    return op == LLVMAtomicRMWBinOpFAdd || op == LLVMAtomicRMWBinOpFSub;
}

static bool is_pointed_to(LLVMValueRef f) {
    for_each_user(user, f) {
        if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != f) return true;
    }
    return false;
}

static void reach_function(Reached *r, LLVMValueRef f) {
    if (LLVMIsDeclaration(f) || map_ptr(&r->cfg, f)) return;
    map_put(&r->cfg, f, (uintptr_t)cfg_build(&r->a, f));
    vec_push(&r->a, &r->all, f);
}

static void reach_pointers(Reached *r, LLVMModuleRef m) {
    if (r->pointers) return;
    r->pointers = true;
    for_each_function(f, m)
        if (is_pointed_to(f)) reach_function(r, f);
}

static Order order_of_sum(Reached *r, LLVMValueRef i) {
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
    unsigned spaces = spaces_of(memory_spaces(&r->a, f), LLVMGetOperand(i, 0)) & ~(unsigned)SPACE_CONSTANT;
    if (spaces & SPACE_GLOBAL && spaces & SPACE_SHARED) r->anywhere = true;
    if (spaces & SPACE_GLOBAL) return ORDER_OF_SUMS;
    if (!r->in_order || f != r->all.v[0] || !LLVMIsAAtomicRMWInst(i)) return ORDER_SHOWN;
    vec_push(&r->a, &r->sums, i);
    return ORDER_HIDDEN;
}

static Order shown_order(Reached *r, LLVMModuleRef m, LLVMValueRef i) {
    if (adds_floats(r, i)) return order_of_sum(r, i);
    if (!LLVMIsACallInst(i)) return ORDER_HIDDEN;
    if (name_of_call(i) == NAME_SHARED) r->shared = true;
    LLVMValueRef f = LLVMGetCalledValue(i);
    if (LLVMIsAInlineAsm(f)) return ORDER_HIDDEN;
    if (LLVMIsAFunction(f)) reach_function(r, f);
    else reach_pointers(r, m);
    return strcmp(called_name(i), "cucpu_vprintf") ? ORDER_HIDDEN : ORDER_SHOWN;
}

/* ---- sums between two barriers ---- */

static bool ends_phase(LLVMValueRef i) {
    Name n = name_of_call(i);
    return n == NAME_BARRIER || (n >= NAME_BAR_POPC && n <= NAME_BAR_OR);
}

enum { MAX_SUMS = 16 };

/* What begins a phase before a sum: the kernel's entry or a barrier; whether the traversal backwards reaches the sum
** again. */
typedef struct Phases {
    Arena *a;
    LLVMValueRef sum;
    Vec(LLVMValueRef) from; /* barriers and the kernel */
    PtrMap seen;            /* blocks whose end was seen */
    Vec(LLVMBasicBlockRef) todo;
    bool reached_again;
} Phases;

static void add_predecessors(Phases *p, const Cfg *c, LLVMBasicBlockRef bb) {
    int b = cfg_number(c, bb);
    if (b == 0) vec_push(p->a, &p->from, c->fn);
    for (int k = 0; b >= 0 && k < c->b[b].npred; k++) {
        LLVMBasicBlockRef up = c->b[c->b[b].pred[k]].bb;
        if (map_get(&p->seen, up, 0)) continue;
        map_put(&p->seen, up, 1);
        vec_push(p->a, &p->todo, up);
    }
}

static void traverse_back(Phases *p, const Cfg *c, LLVMBasicBlockRef bb, LLVMValueRef i) {
    for (; i; i = LLVMGetPreviousInstruction(i)) {
        if (i == p->sum) p->reached_again = true;
        if (!ends_phase(i)) continue;
        vec_push(p->a, &p->from, i);
        return;
    }
    add_predecessors(p, c, bb);
}

static Phases *phases_of(Arena *a, const Cfg *c, LLVMValueRef sum) {
    Phases *p = arena_alloc(a, sizeof *p);
    *p = (Phases){.a = a, .sum = sum};
    map_init(&p->seen, a);
    traverse_back(p, c, LLVMGetInstructionParent(sum), LLVMGetPreviousInstruction(sum));
    while (p->todo.n) {
        LLVMBasicBlockRef bb = p->todo.v[--p->todo.n];
        traverse_back(p, c, bb, LLVMGetLastInstruction(bb));
    }
    return p;
}

static bool share_a_phase(const Phases *p, const Phases *q) {
    for (int k = 0; k < p->from.n; k++)
        for (int l = 0; l < q->from.n; l++)
            if (p->from.v[k] == q->from.v[l]) return true;
    return false;
}

/* The base of an address with a constant offset. */
static LLVMValueRef base_and_offset(LLVMValueRef p, int64_t *bytes) {
    *bytes = 0;
    while (LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 && LLVMIsAConstantInt(LLVMGetOperand(p, 1)) &&
           LLVMGetGEPSourceElementType(p) == LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(p)))) {
        *bytes += LLVMConstIntGetSExtValue(LLVMGetOperand(p, 1));
        p = LLVMGetOperand(p, 0);
    }
    return p;
}

enum { LARGEST = 16 }; /* bytes that an atomic changes */

static bool are_disjoint_atomics(LLVMValueRef a, LLVMValueRef b) {
    int64_t x, y;
    if (base_and_offset(LLVMGetOperand(a, 0), &x) != base_and_offset(LLVMGetOperand(b, 0), &y)) return false;
    return x >= y + LARGEST || y >= x + LARGEST ||
           (x != y && LLVMTypeOf(LLVMGetOperand(a, 1)) == LLVMTypeOf(LLVMGetOperand(b, 1)));
}

/* Two threads may execute these sums in another order than that of the threads. */
static bool sums_mix(Reached *r) {
    if (!r->sums.n) return false;
    LLVMValueRef kernel = r->all.v[0];
    if (has_named_barriers(kernel) || r->sums.n > MAX_SUMS) return true;
    Phases *p[MAX_SUMS];
    for (int k = 0; k < r->sums.n; k++) {
        p[k] = phases_of(&r->a, map_ptr(&r->cfg, kernel), r->sums.v[k]);
        if (p[k]->reached_again) return true;
        for (int l = 0; l < k; l++)
            if (share_a_phase(p[k], p[l]) && !are_disjoint_atomics(r->sums.v[k], r->sums.v[l])) return true;
    }
    return false;
}

Order observable_order(LLVMValueRef kernel, bool in_order) {
    Reached r = {.in_order = in_order};
    Order maximum = ORDER_HIDDEN;
    map_init(&r.cfg, &r.a);
    reach_function(&r, kernel);
    for (int k = 0; k < r.all.n && maximum != ORDER_SHOWN; k++)
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(r.all.v[k]); b && maximum != ORDER_SHOWN;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && maximum != ORDER_SHOWN;
                 i = LLVMGetNextInstruction(i)) {
                Order o = shown_order(&r, LLVMGetGlobalParent(kernel), i);
                if (o > maximum) maximum = o;
            }
    if ((r.shared && r.anywhere) || sums_mix(&r)) maximum = ORDER_SHOWN;
    arena_free(&r.a);
    return maximum;
}
