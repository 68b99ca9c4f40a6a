/* vector_functions: part of make_variants and of loop_groups: the variants of the kernels that vectorise_calls made.
**
** A variant for W lanes is a block of W threads, which is one group: what loop_groups makes of other kernels, loops
** over groups and blocks, has one iteration each, and so the code of the group is the function itself. */
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/ir/vector_call.h"
#include "passes/ir/variant.h"
#include "cpu-runtime/abi.h"
#include <string.h>

/* ---- variants ---- */

static bool is_named(LLVMValueRef called, const char *name, size_t n) {
    unsigned len;
    const char *of = fn_attr(called, ATTR_VECTOR, &len);
    return of && len == n && !memcmp(of, name, len);
}

/* The function whose calls the kernel `lanes` is made for. */
static LLVMValueRef called_by(Module *m, LLVMValueRef lanes) {
    size_t len;
    const char *name = LLVMGetValueName2(lanes, &len);
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f))
        if (is_named(f, name, len)) return f;
    return NULL;
}

/* A function with vector functions: which of its parameters are uniform, as far as is known; for which widths there is
** one (bit i: 2^i). */
typedef struct Callee {
    LLVMValueRef called, lanes;
    bool uniform[VECTOR_PARAMS];
    unsigned widths;
} Callee;
typedef Vec(Callee) Callees;

/* What is assumed of its strides becomes constants. */
static void fix_strides(Module *m, LLVMValueRef lanes, const Callee *c) {
    for (unsigned p = 0; p < LLVMCountParams(c->called); p++) {
        uint64_t size = LLVMABISizeOfType(m->dl, LLVMTypeOf(LLVMGetParam(c->called, p)));
        LLVMReplaceAllUsesWith(LLVMGetParam(lanes, VECTOR_FIRST + p), const_i64(m->ctx, c->uniform[p] ? 0 : size));
    }
}

static void fix_slots(Module *m, LLVMValueRef lanes, unsigned width) {
    LLVMReplaceAllUsesWith(LLVMGetParam(lanes, 2), const_i64(m->ctx, VECTOR_SLOT(width)));
    run_llvm_passes_on(m, lanes, "instsimplify");
    restore_normal_form(m, lanes);
}

static Callee *callee_of(Callees *all, LLVMValueRef called) {
    for (int k = 0; k < all->n; k++)
        if (all->v[k].called == called) return &all->v[k];
    return NULL;
}

/* Calls in fn, of which own is the function with lanes (NULL: a kernel), whose operands are not uniform; true if
** that is new. In a kernel all lanes of a group must have the same value for any layout: that of the whole grid. */
static bool find_varying(Callees *all, LLVMValueRef fn, const Callee *own) {
    Arena a = {0};
    Shapes *s = NULL;
    bool changed = false;
    const unsigned block[3] = {own ? 32 : 0, own ? 1 : 0, own ? 1 : 0};
    for_each_instruction(i, fn) {
        Callee *c = called_function(i) ? callee_of(all, called_function(i)) : NULL;
        for (unsigned p = 0; c && p < LLVMGetNumArgOperands(i); p++) {
            LLVMValueRef v = LLVMGetOperand(i, p);
            if (!c->uniform[p] || LLVMIsConstant(v)) continue;
            if (!s) s = shapes_compute(&a, cfg_build(&a, fn), 32, own ? LAYOUT_ROWS_FULL : LAYOUT_GENERAL, block);
            c->uniform[p] = shapes_scope(s, v) <= (own ? SCOPE_GROUP : SCOPE_GRID);
            changed |= !c->uniform[p];
        }
    }
    arena_free(&a);
    return changed;
}

/* The same of the calls in a vector function, under the assumptions so far. */
static bool find_varying_in(Module *m, Callees *all, const Callee *own) {
    LLVMValueRef copy = shim_clone_function(own->lanes, "cucpu.estimated");
    fix_strides(m, copy, own);
    fix_slots(m, copy, 32);
    bool changed = find_varying(all, copy, own);
    LLVMDeleteFunction(copy);
    return changed;
}

/* Parameters are taken for uniform until a call refutes it, as functions may call each other. */
static void settle_strides(Module *m, Callees *all) {
    for_each_function(f, m->mod)
        if (is_kernel(f) && !LLVMIsDeclaration(f) && !is_variant(f) && !fn_has_attr(f, ATTR_VECTOR))
            find_varying(all, f, NULL);
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < all->n; k++) changed |= find_varying_in(m, all, &all->v[k]);
    }
    for (int k = 0; k < all->n; k++) {
        const Callee *c = &all->v[k];
        char text[VECTOR_PARAMS + 1] = "";
        for (unsigned p = 0; p < LLVMCountParams(c->called); p++) text[p] = c->uniform[p] ? '1' : '0';
        fn_set_attr(c->called, ATTR_UNIFORM, text);
        fix_strides(m, c->lanes, c);
    }
}

/* A variant that calls it, of more than one lane: how many; bit i: 2^i. */
static unsigned widths_of_calls(LLVMValueRef called) {
    unsigned widths = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(called); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(LLVMGetUser(u)));
        int width = is_variant(fn) ? variant_width(fn) : 1;
        for (unsigned i = 1; i <= 6; i++)
            if (width == 1 << i) widths |= 1u << i;
    }
    return widths;
}

static Callees find_callees(Module *m) {
    Callees all = {0};
    for_each_function(f, m->mod) {
        LLVMValueRef called = is_kernel(f) && fn_has_attr(f, ATTR_VECTOR) ? called_by(m, f) : NULL;
        if (!called) continue;
        Callee c = {.called = called, .lanes = f};
        for (unsigned p = 0; p < LLVMCountParams(called); p++) c.uniform[p] = true;
        bool warp = name_of_function(called) == NAME_CALLED;
        fn_set_attr(f, ATTR_FLAGS, arena_printf(&m->arena, "%d", warp ? CUCPU_KERNEL_WARP : 0));
        vec_push(&m->arena, &all, c);
    }
    return all;
}

/* For the widths of its callers, which may be vector functions themselves; false: there are all. */
static bool add_widths(Module *m, Callee *c) {
    unsigned widths = widths_of_calls(c->called) & ~c->widths;
    for (unsigned i = 1; i <= 6; i++) {
        const unsigned block[3] = {1u << i, 1, 1};
        if (widths >> i & 1) fix_slots(m, add_variant(m, c->lanes, 1 << i, LAYOUT_ROWS_FULL, block), 1u << i);
    }
    c->widths |= widths;
    return widths != 0;
}

void add_vector_functions(Module *m) {
    Callees all = find_callees(m);
    settle_strides(m, &all);
    for (bool added = true; added;) {
        added = false;
        for (int k = 0; k < all.n; k++) added |= add_widths(m, &all.v[k]);
    }
}

/* ---- from the code of a group to the function ---- */

static LLVMValueRef lanes_upwards(LLVMTypeRef t, unsigned modulo) {
    LLVMValueRef e[64];
    unsigned n = LLVMGetVectorSize(t);
    for (unsigned i = 0; i < n; i++) e[i] = LLVMConstInt(LLVMGetElementType(t), i % modulo, 0);
    return LLVMConstVector(e, n);
}

static LLVMValueRef value_of(const Kernel *k, LLVMValueRef call, Name n) {
    LLVMTypeRef t = LLVMTypeOf(call);
    bool wide = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    switch (n) {
    case NAME_TID_X:
    case NAME_LINEAR:
    case NAME_LANE:
        if (!wide) return LLVMConstNull(t);
        return lanes_upwards(t, n == NAME_LANE ? (unsigned)k->m->opt->warp_size : 64);
    case NAME_ROW_END:
    case NAME_NTID_X: return LLVMConstInt(t, (unsigned)k->width, 0);
    case NAME_ACTIVE: return LLVMConstAllOnes(t);
    default: bug("'%s' in a vector function", name_text(n));
    }
}

void become_vector_function(Module *m, LLVMValueRef fn) {
    static const char *const of_kernel[] = {ATTR_KERNEL, ATTR_FLAGS, ATTR_FRAME};
    for (size_t a = 0; a < sizeof of_kernel / sizeof *of_kernel; a++) fn_remove_attr(fn, of_kernel[a]);
    const Variant v = {.width = variant_width(fn)};
    set_variant(fn, &v);
    fn_set_attr(fn, ATTR_ENTRY, "");
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(m->ctx, kind, 0));
}

void finish_vector_function(Kernel *k) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(k->fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Name n = name_of_call(i);
            if (n == NAME_NONE) continue;
            LLVMReplaceAllUsesWith(i, value_of(k, i, n));
            LLVMInstructionEraseFromParent(i);
        }
    become_vector_function(k->m, k->fn);
    run_llvm_passes_on(k->m, k->fn, "mem2reg,simplifycfg");
}
