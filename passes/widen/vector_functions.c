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

/* Strides of `in`: 0 where all lanes of a group have the same value in each call, for any layout: that of the whole
** grid. */
static void settle_strides(Module *m, LLVMValueRef lanes, LLVMValueRef called, PtrMap *shapes) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(m->ctx);
    char text[VECTOR_PARAMS + 1] = "";
    for (unsigned p = 0; p < LLVMCountParams(called); p++) {
        LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(called, p));
        bool uniform = LLVMGetFirstUse(called) != NULL;
        for (LLVMUseRef u = LLVMGetFirstUse(called); u && uniform; u = LLVMGetNextUse(u)) {
            LLVMValueRef call = LLVMGetUser(u), v = LLVMGetOperand(call, p);
            LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
            if (is_variant(fn) || !is_kernel(fn)) continue; /* of a kernel that is looked at; for one lane */
            Shapes *s = map_ptr(shapes, fn);
            if (!s) {
                static const unsigned any[3];
                s = shapes_compute(&m->arena, cfg_build(&m->arena, fn), 32, LAYOUT_GENERAL, any);
                map_put(shapes, fn, (uintptr_t)s);
            }
            uniform = LLVMIsConstant(v) || shapes_scope(s, v) == SCOPE_GRID;
        }
        uint64_t size = LLVMABISizeOfType(m->dl, t);
        text[p] = uniform ? '1' : '0';
        LLVMReplaceAllUsesWith(LLVMGetParam(lanes, 2 + p), LLVMConstInt(i64, uniform ? 0 : size, 0));
    }
    fn_set_attr(called, ATTR_UNIFORM, text);
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

void add_vector_functions(Module *m) {
    Vec(LLVMValueRef) all = {0};
    PtrMap shapes;
    map_init(&shapes, &m->arena);
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f))
        if (is_kernel(f) && fn_has_attr(f, ATTR_VECTOR)) vec_push(&m->arena, &all, f);
    for (int k = 0; k < all.n; k++) {
        LLVMValueRef called = called_by(m, all.v[k]);
        if (!called) continue;
        settle_strides(m, all.v[k], called, &shapes);
        bool warp = name_of_function(called) == NAME_CALLED;
        fn_set_attr(all.v[k], ATTR_FLAGS, arena_printf(&m->arena, "%d", warp ? CUCPU_KERNEL_WARP : 0));
        unsigned widths = widths_of_calls(called);
        for (unsigned i = 1; i <= 6; i++) {
            const unsigned block[3] = {1u << i, 1, 1};
            if (widths >> i & 1) add_variant(m, all.v[k], 1 << i, LAYOUT_ROWS_FULL, block);
        }
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
