/* distribute_memory: whether memory allows that other threads make the iterations of a loop. Part of
** distribute_iterations, the head of which has the rules. */
#include "passes/analysis/accesses.h"
#include "passes/ir/math.h"
#include "passes/ir/shim.h"
#include "passes/scalar/distribute_iterations.h"

const Root *root_of(const Distribution *d, LLVMValueRef v) {
    for (int k = 0; k < d->nroots; k++)
        if (d->root[k].v == v) return &d->root[k];
    return NULL;
}

static bool is_commutative(LLVMValueRef i) {
    if (!LLVMIsAAtomicRMWInst(i) || LLVMGetFirstUse(i) || LLVMGetVolatile(i)) return false;
    switch (LLVMGetAtomicRMWBinOp(i)) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpOr:
    case LLVMAtomicRMWBinOpXor:
    case LLVMAtomicRMWBinOpMax:
    case LLVMAtomicRMWBinOpMin:
    case LLVMAtomicRMWBinOpUMax:
    case LLVMAtomicRMWBinOpUMin: return true;
    default: return false;
    }
}

/* What an address of no parameter begins with is shared memory, or only loaded. */
static bool is_known_object(const Distribution *d, const Access *x) {
    int64_t offset;
    bool exact;
    if (x->parameter >= 0) return true;
    if (x->parameter == ROOT_UNKNOWN || shim_is_local(x->address)) return false;
    if (!x->writes) return true;
    LLVMValueRef object = shim_object_of(d->m->dl, x->address, &offset, &exact);
    return object && name_of_call(object) == NAME_SHARED;
}

static bool find_accesses(Distribution *d) {
    for_each_cfg_instruction(i, b, d->c) {
        bool inside = cfg_loop_contains(d->c, d->loop, b);
        LLVMValueRef p = accessed_anyhow(i);
        if (inside && may_synchronise(i)) return false;
        if (!p) {
            if (LLVMIsACallInst(i) && !is_pure_intrinsic(i) && !is_lifetime(i) && !is_assume(i) &&
                name_of_call(i) == NAME_NONE && !math_row_of_call(i))
                return false;
            continue;
        }
        if (d->naccesses == MAX_ACCESSES) return false;
        Access *x = &d->access[d->naccesses++];
        *x = (Access){i, p, root_parameter(d->c->fn, p), inside, !LLVMIsALoadInst(i), is_commutative(i)};
        if (inside && LLVMIsAAtomicRMWInst(i) && !x->commutes) return false;
        if (!is_known_object(d, x) && (inside || !shim_is_local(p))) return false;
    }
    return true;
}

/* No path leads from one block to another without a barrier of the block. */
static bool has_barrier(const Distribution *d, int b) {
    for_each_in_block(i, d->c->b[b].bb)
        if (name_of_call(i) == NAME_BARRIER) return true;
    return false;
}

static bool reaches(const Distribution *d, int from, int to, bool from_start) {
    bool *seen = arena_array(d->a, bool, d->c->n);
    int *stack = arena_array(d->a, int, d->c->n + 1), n = 0;
    stack[n++] = from;
    for (bool first = true; n; first = false) {
        int b = stack[--n];
        if ((!first || from_start) && has_barrier(d, b)) continue;
        for (int k = 0; k < d->c->b[b].nsucc; k++) {
            int s = d->c->b[b].succ[k];
            if (s == to) return true;
            if (!seen[s]) seen[s] = true, stack[n++] = s;
        }
    }
    return false;
}

/* A barrier follows (or comes before) the access in its block. */
static bool meets_in_block(LLVMValueRef i, bool after) {
    while ((i = after ? LLVMGetNextInstruction(i) : LLVMGetPreviousInstruction(i)))
        if (name_of_call(i) == NAME_BARRIER) return true;
    return false;
}

static bool is_separated(const Distribution *d, LLVMValueRef i) {
    int b = cfg_block_of(d->c, i), header = d->c->l[d->loop].header;
    return (meets_in_block(i, true) || !reaches(d, b, header, false)) &&
           (meets_in_block(i, false) || !reaches(d, header, b, true));
}

/* The address as pointer + factor * index + constant, in bytes; indices may wrap around, as the two of one thread are
** near each other. */
typedef struct Place {
    LLVMValueRef pointer, index;
    int64_t factor, constant;
} Place;

static LLVMValueRef without_extension(LLVMValueRef v) {
    return is_op(v, OP_EXT) && int_bits(LLVMGetOperand(v, 0)) >= 32 ? LLVMGetOperand(v, 0) : v;
}

static bool is_root(const void *context, LLVMValueRef v) {
    const Distribution *d = context;
    return root_of(d, v) || !cfg_in_loop(d->c, d->loop, v);
}

static bool find_place(const Distribution *d, LLVMValueRef p, Place *to) {
    AffineRules rules = {.flags = AFFINE_TRUST_FLAGS, .is_term = is_root, .context = d};
    Affine a;
    *to = (Place){0};
    while (LLVMIsAGetElementPtrInst(p)) {
        int64_t offset;
        if (shim_gep_offset(d->m->dl, p, &offset)) {
            to->constant += offset;
        } else {
            int64_t size = (int64_t)LLVMABISizeOfType(d->m->dl, LLVMGetGEPSourceElementType(p));
            if (LLVMGetNumOperands(p) != 2 || to->index ||
                !affine_of(&rules, without_extension(LLVMGetOperand(p, 1)), AFFINE_SAME, &a) || a.n != 1 ||
                !root_of(d, a.term[0].v) || a.constant > INT32_MAX || a.constant < INT32_MIN)
                return false;
            to->index = a.term[0].v;
            to->factor = size * a.term[0].factor * root_of(d, a.term[0].v)->factor;
            to->constant += size * a.constant;
        }
        p = LLVMGetOperand(p, 0);
    }
    to->pointer = p;
    return to->index != NULL;
}

/* All accesses of what the access stores to are of this element: within `factor` bytes. */
static bool is_own_element(const Distribution *d, const Access *x) {
    Place at, other;
    if (!find_place(d, x->address, &at)) return false;
    int64_t low = at.constant, high = low;
    for (int k = 0; k < d->naccesses; k++) {
        const Access *y = &d->access[k];
        if (!y->inside || y->parameter != x->parameter) continue;
        if (!find_place(d, y->address, &other) || other.pointer != at.pointer || other.index != at.index ||
            other.factor != at.factor)
            return false;
        int64_t end = other.constant + (int64_t)LLVMABISizeOfType(d->m->dl, accessed_type(y->i));
        if (other.constant < low) low = other.constant;
        if (end > high) high = end;
    }
    return high - low <= (at.factor < 0 ? -at.factor : at.factor);
}

/* Accesses of the same array do not conflict. */
static bool keeps_order(const Distribution *d, const Access *x) {
    for (int k = 0; k < d->naccesses; k++) {
        const Access *y = &d->access[k];
        if (y == x || y->parameter != x->parameter || !(x->writes || y->writes)) continue;
        if (!y->inside && !is_separated(d, y->i)) return false;
        if (y->inside && x->commutes != y->commutes) return false;
    }
    return !x->inside || !x->writes || x->commutes || is_own_element(d, x);
}

static bool is_restrict(LLVMValueRef fn, int i) {
    return LLVMGetEnumAttributeAtIndex(fn, (unsigned)i + 1, LLVMGetEnumAttributeKindForName("noalias", 7)) != NULL;
}

/* Arrays that the kernel stores to are apart from others, as those may be of the loop. */
static bool find_apart(Distribution *d) {
    unsigned stored = 0;
    bool own = false;
    for (int k = 0; k < d->naccesses; k++) {
        const Access *x = &d->access[k];
        if (x->inside && !keeps_order(d, x)) return false;
        own |= x->parameter < 0;
        if (x->parameter < 0) continue;
        unsigned bit = 1u << x->parameter;
        d->accessed |= bit;
        if (x->writes) stored |= bit;
    }
    bool several = own || d->accessed & (d->accessed - 1);
    for (unsigned k = 0; k < ROOT_MAX && several; k++)
        if (stored >> k & 1 && !is_restrict(d->c->fn, (int)k)) d->assumed |= 1u << k;
    return true;
}

/* An access depends on the index, so that neighbours are close together. */
static bool depends_on_index(const Distribution *d, LLVMValueRef v, int depth) {
    if (root_of(d, v)) return true;
    if (!is_op(v, OP_GEP | OP_ADD | OP_INT_CAST | OP_BITWISE | OP_PHI | OP_MUL | OP_SHL) || depth == DEPTH ||
        !cfg_in_loop(d->c, d->loop, v))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (depends_on_index(d, LLVMGetOperand(v, (unsigned)k), depth + 1)) return true;
    return false;
}

static bool gains(const Distribution *d) {
    for (int k = 0; k < d->naccesses; k++)
        if (d->access[k].inside && depends_on_index(d, d->access[k].address, 0)) return true;
    return false;
}

bool may_distribute(Distribution *d) { return find_accesses(d) && find_apart(d) && gains(d); }
