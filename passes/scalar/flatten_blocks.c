/* flatten_blocks: a kernel that reads threadIdx only as the index of the thread in its block runs blocks of one row.
**
**   i = blockIdx.x * (blockDim.x * blockDim.y) +        i = blockIdx.x * blockDim.x + threadIdx.x
**       threadIdx.y * blockDim.x + threadIdx.x
**
** in:  scalar code of kernels, inlined
** out: the code on the right, and the attribute cucpu.flat: dimensions of the block that become one, 2 (x and y) or 3.
**      The runtime launches blocks of (x * y, 1, z) or (x * y * z, 1, 1) threads (CUCPU_KERNEL_FLAT).
**
** Why: rows of 10 threads leave lanes idle, or lanes of several rows have no common stride; a block of 100 in one row
** has neither, and neighbouring blocks can run as one row (coalesce_blocks).
** Threads keep their order, so that warps, barriers and lanes are the same. Every sum that threadIdx or blockDim is
** part of has the index of the thread as a whole, and the number of threads as a whole. Refuses kernels with another
** use of them, those compiled for one blockDim (.reqntid), and calls of functions that are not inlined: they read ids
** themselves. */
#include "passes/analysis/affine.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/passes.h"
#include <string.h>

/* Of a value: a sum or product that ids are part of; it has the index, or the size, as a whole. */
enum { DERIVED = 1, COMPLETE = 2 };

typedef struct Form {
    LLVMValueRef v;
    Affine form;         /* with the new ids */
    bool changes, reads; /* it has ids; it has the index of the thread */
} Form;

typedef struct Flat {
    Module *m;
    Arena *a;
    LLVMValueRef fn;
    int dimensions;
    LLVMValueRef size; /* blockDim.x */
    PtrMap state, made;
    Vec(LLVMValueRef) values;
    Vec(Form) forms;
} Flat;

/* The dimension of threadIdx (`name` NAME_TID_X) or blockDim that v is, extended or not; else -1. */
static int dimension_of(const Flat *f, LLVMValueRef v, Name name) {
    int d = (int)name_of_call(affine_narrow_id(v)) - (int)name;
    return d >= 0 && d < f->dimensions ? d : -1;
}

static bool is_leaf(const Flat *f, LLVMValueRef v) {
    return dimension_of(f, v, NAME_TID_X) >= 0 || dimension_of(f, v, NAME_NTID_X) >= 0;
}

static int dimensions_read(LLVMValueRef fn) {
    int most = 1;
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        for (int d = 1; d < 3; d++)
            if ((n == (Name)(NAME_TID_X + d) || n == (Name)(NAME_NTID_X + d)) && d >= most) most = d + 1;
    }
    return most;
}

bool calls_function(LLVMValueRef fn) {
    for_each_instruction(i, fn) {
        if (!LLVMIsACallInst(i) || name_of_call(i) != NAME_NONE) continue;
        LLVMValueRef called = LLVMGetCalledValue(i);
        if (!LLVMIsAFunction(called) || !LLVMIsDeclaration(called)) return true;
        const char *name = value_name(called);
        if (strncmp(name, "llvm.", 5) && strncmp(name, "cucpu", 5) && !math_row_of_call(i)) return true;
    }
    return false;
}

/* ---- sums that ids are part of ---- */

static bool is_sum(LLVMValueRef i) {
    return is_op(i, OP_ADD | OP_MUL) || (is_op(i, OP_SHL) && LLVMIsAConstantInt(LLVMGetOperand(i, 1)));
}

/* What ids are added to and multiplied with, and so on. */
static void find_sums(Flat *f) {
    for (bool changed = true; changed;) {
        changed = false;
        for_each_instruction(i, f->fn) {
            bool derived = is_leaf(f, i);
            for (int k = 0; k < LLVMGetNumOperands(i) && !derived && is_sum(i); k++)
                derived = map_get(&f->state, LLVMGetOperand(i, (unsigned)k), 0);
            if (!derived || map_get(&f->state, i, 0)) continue;
            map_put(&f->state, i, DERIVED);
            vec_push(f->a, &f->values, i);
            changed = true;
        }
    }
}

/* The dimensions whose sizes v is the product of, as a set; 0: it is no such product. */
static unsigned sizes_of(const Flat *f, LLVMValueRef v) {
    int d = dimension_of(f, v, NAME_NTID_X);
    if (d >= 0) return 1u << d;
    if (opcode(v) != LLVMMul) return 0;
    unsigned a = sizes_of(f, LLVMGetOperand(v, 0)), b = sizes_of(f, LLVMGetOperand(v, 1));
    return a && b && !(a & b) ? a | b : 0;
}

static bool is_size(const void *context, LLVMValueRef v) { return sizes_of(context, v) != 0; }

/* The sizes that the term is multiplied by; all bits: one of them twice. */
static unsigned scales_of(const Flat *f, const AffineTerm *t) {
    unsigned found = 0;
    for (int n = 0; n < AFFINE_SCALES && t->scale[n]; n++) {
        unsigned sizes = sizes_of(f, t->scale[n]);
        if (found & sizes) return UINT32_MAX;
        found |= sizes;
    }
    return found;
}

/* blockDim.x * blockDim.y ... becomes blockDim.x. */
static bool flatten_sizes(Flat *f, AffineTerm *t) {
    unsigned all = (1u << f->dimensions) - 1, scales = scales_of(f, t), own = sizes_of(f, t->v);
    if (own) {
        t->v = f->size, t->by = AFFINE_UNSIGNED, t->scale[0] = NULL;
        return (own & scales) == 0 && (own | scales) == all;
    }
    if (scales && scales != all) return false;
    t->scale[0] = scales ? f->size : NULL;
    return true;
}

/* What forms are made of: ids, values that are complete, and those that have nothing to do with ids. */
static bool is_term(const void *context, LLVMValueRef v) {
    const Flat *f = context;
    return map_get(&f->state, v, 0) != DERIVED || is_leaf(f, v);
}

/* The form of the value, of the new ids; false: it has only a part of the index, or of the size. */
static bool flatten_form(Flat *f, Form *to) {
    AffineRules rules = {.flags = AFFINE_TRUST_FLAGS, .is_term = is_term, .is_scale = is_size, .context = f};
    Affine *a = &to->form;
    int64_t factor[3] = {0, 0, 0};
    if (!affine_of(&rules, to->v, AFFINE_SAME, a)) return false;
    for (int k = 0; k < a->n; k++) {
        AffineTerm *t = &a->term[k];
        int d = dimension_of(f, t->v, NAME_TID_X);
        if (d < 0) {
            to->changes |= t->scale[0] || sizes_of(f, t->v);
            if (!flatten_sizes(f, t)) return false;
            continue;
        }
        if (scales_of(f, t) != (1u << d) - 1 || factor[d]) return false;
        factor[d] = t->factor;
        t->scale[0] = NULL;
        to->reads = to->changes = true;
        if (d > 0) a->term[k--] = a->term[--a->n];
    }
    for (int d = 1; d < f->dimensions; d++)
        if (factor[d] != factor[0]) return false;
    return true;
}

/* Values of new ids alone: the least sums whose forms are complete, and what is computed from them. */
static bool find_forms(Flat *f) {
    bool reads = false;
    for (int k = 0; k < f->values.n; k++) {
        LLVMValueRef v = f->values.v[k];
        Form form = {.v = v};
        if (!is_integer(v) || !flatten_form(f, &form)) continue;
        map_put(&f->state, v, COMPLETE);
        if (!form.changes) continue;
        vec_push(f->a, &f->forms, form);
        reads |= form.reads;
    }
    return reads;
}

/* Nothing else uses an id, or a part of a sum. */
static bool is_all_flat(const Flat *f) {
    for (int k = 0; k < f->values.n; k++) {
        if (map_get(&f->state, f->values.v[k], 0) == COMPLETE) continue;
        for_each_user(user, f->values.v[k])
            if (!map_get(&f->state, user, 0)) return false;
    }
    return true;
}

/* ---- the new sums ---- */

static LLVMValueRef extended(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef t, AffineExtension by) {
    if (LLVMTypeOf(v) == t) return v;
    return by == AFFINE_SIGNED ? LLVMBuildSExt(b, v, t, "") : LLVMBuildZExt(b, v, t, "");
}

static LLVMValueRef build_form(Flat *f, LLVMBuilderRef b, const Affine *a, LLVMTypeRef t) {
    LLVMValueRef sum = LLVMConstInt(t, (uint64_t)a->constant, 1);
    for (int k = 0; k < a->n; k++) {
        const AffineTerm *x = &a->term[k];
        LLVMValueRef instead = map_ptr(&f->made, x->v), v = extended(b, instead ? instead : x->v, t, x->by);
        if (x->scale[0]) v = LLVMBuildMul(b, v, extended(b, x->scale[0], t, AFFINE_UNSIGNED), "start");
        if (x->factor != 1) v = LLVMBuildMul(b, v, LLVMConstInt(t, (uint64_t)x->factor, 1), "");
        sum = k || a->constant ? LLVMBuildAdd(b, sum, v, "thread") : v;
    }
    return sum;
}

static void replace_sums(Flat *f) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(f->m->ctx);
    for (int k = 0; k < f->forms.n; k++) {
        LLVMValueRef old = f->forms.v[k].v;
        set_insert_point(b, old);
        LLVMValueRef v = build_form(f, b, &f->forms.v[k].form, LLVMTypeOf(old));
        map_put(&f->made, old, (uintptr_t)v);
        LLVMReplaceAllUsesWith(old, v);
    }
    LLVMDisposeBuilder(b);
}

/* Ids, sums and products that nothing uses any more. */
static void erase_unused(Flat *f) {
    for (int k = f->values.n - 1; k >= 0; k--)
        if (!LLVMGetFirstUse(f->values.v[k])) LLVMInstructionEraseFromParent(f->values.v[k]);
}

static void flatten(Module *m, LLVMValueRef fn) {
    Arena a = {0};
    Flat f = {.m = m, .a = &a, .fn = fn, .dimensions = dimensions_read(fn)};
    map_init(&f.state, &a);
    map_init(&f.made, &a);
    if (f.dimensions > 1 && !calls_function(fn)) {
        LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
        f.size = name_call(b, m->mod, NAME_NTID_X, NULL, 0, "");
        LLVMDisposeBuilder(b);
        find_sums(&f);
        if (find_forms(&f) && is_all_flat(&f)) {
            replace_sums(&f);
            fn_set_attr(fn, ATTR_FLAT, f.dimensions == 2 ? "2" : "3");
        }
        erase_unused(&f);
    }
    arena_free(&a);
}

bool flatten_blocks(Module *m) {
    if (pass_disabled(m, "flatten_blocks") || m->opt->opt_level == 0 || m->opt->check) return true;
    for_each_function(f, m->mod)
        if (is_kernel(f) && !LLVMIsDeclaration(f) && !fn_has_attr(f, ATTR_REQNTID) && !fn_has_attr(f, ATTR_VECTOR))
            flatten(m, f);
    return true;
}
