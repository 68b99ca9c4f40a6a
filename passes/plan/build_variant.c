/* build_variant: a variant as the plan has it: a copy of the kernel in which blockDim is a constant, the block is
** reshaped, x and another dimension are swapped, counters are private or the plane loop is interchanged. Part of
** make_variants. */
#include "cpu-runtime/variants.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/plan/variants.h"
#include <string.h>

/* In a column the linear index of the thread is all of its id: consecutive lanes instead of a pattern. */
static LLVMValueRef replace_id_by_linear(Module *m, LLVMValueRef id) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMPositionBuilderBefore(b, id);
    LLVMValueRef linear = name_call(b, m->mod, NAME_LINEAR, NULL, 0, "");
    LLVMDisposeBuilder(b);
    replace_instruction(id, linear);
    return linear;
}

/* blockDim is a constant, and ids are below it. */
static void fix_block(Module *m, LLVMValueRef fn, const unsigned block[3]) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->ctx);
    unsigned range = LLVMGetEnumAttributeKindForName("range", 5);
    for_each_block(b, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Name n = name_of_call(i);
            bool size = n >= NAME_NTID_X && n <= NAME_NTID_Z, id = n >= NAME_TID_X && n <= NAME_TID_Z;
            if (size || (id && block[n - NAME_TID_X] == 1)) {
                replace_instruction(i, LLVMConstInt(i32, size ? block[n - NAME_NTID_X] : 0, 0));
            } else if (id) {
                uint64_t lo = 0, hi = block[n - NAME_TID_X];
                if (n > NAME_TID_X && (int)(n - NAME_TID_X) == cucpu_column(block)) i = replace_id_by_linear(m, i);
                LLVMAddCallSiteAttribute(i, LLVMAttributeReturnIndex,
                                         LLVMCreateConstantRangeAttribute(m->ctx, range, 32, &lo, &hi));
            }
        }
}

static const char *name_of(Module *m, const char *prefix, const Variant *v) {
    static const char *const layouts[] = {"rows_full", "rows", "general"}, *const along[] = {"", "along_y", "along_z"};
    const unsigned *block = variant_launch(v);
    const char *name =
        arena_printf(&m->arena, "%s.w%d.%s", prefix, v->width, v->along ? along[v->along] : layouts[v->layout]);
    return block[0] ? arena_printf(&m->arena, "%s.%ux%ux%u", name, block[0], block[1], block[2]) : name;
}

/* from: the kernel, or a copy of it. */
static LLVMValueRef clone_variant(Module *m, LLVMValueRef from, const char *prefix, const Variant *v) {
    LLVMValueRef copy = shim_clone_function(from, name_of(m, prefix, v));
    set_variant(copy, v);
    if (v->width == 1) widen_global_ids(m, copy);
    if (v->along) swap_dimension(m, copy, v->along);
    else if (v->launch[0]) reshape_block(m, copy, v->launch, v->block);
    if (v->block[0]) fix_block(m, copy, v->block);
    return copy;
}

/* Functions of the warp that vectorise_calls made calls, which no single lane can make. */
static void inline_exchanges(Module *m, LLVMValueRef fn) {
    Vec(LLVMValueRef) calls = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (name_of_call(i) == NAME_CALLED) vec_push(&m->arena, &calls, i);
    for (int k = 0; k < calls.n; k++) shim_inline_call(calls.v[k]);
    if (calls.n) restore_normal_form(m, fn);
}

static LLVMValueRef simplify_variant(Module *m, LLVMValueRef copy, int width) {
    /* short vectors (float4) are scalarised: a lane holds one value, a group a vector of them; consecutive range tests
    ** become one, which version_all_active tests for all lanes */
    if (width == 1) {
        inline_cas_loops(m, copy);
        inline_exchanges(m, copy);
        return copy;
    }
    unguard_divisions(copy);
    run_llvm_passes_on(m, copy,
                       "simplifycfg<bonus-inst-threshold=6>,scalarizer<load-store>,instcombine<no-verify-fixpoint>");
    /* instcombine knows from the branches around a division that some guards are always true: for a thread that runs
    ** it, but not for an inactive lane */
    restore_normal_form(m, copy);
    return copy;
}

/* The copy of the kernel that the variant is made of; NULL: the kernel itself. */
static LLVMValueRef prepared(Module *m, LLVMValueRef kernel, Variant *v) {
    bool remarks = be_quiet(m);
    LLVMValueRef copy = v->counters[0]    ? privatised_variant(m, kernel, v->counters)
                        : v->interchanged ? plane_loop_variant(m, kernel, v)
                                          : NULL;
    m->diag.remarks = remarks;
    return copy;
}

LLVMValueRef sketch_variant(Module *m, LLVMValueRef kernel, const Variant *v) {
    return clone_variant(m, kernel, value_name(kernel), v);
}

/* Of the kernel as it was, with what is known of it now. */
static LLVMValueRef build_overlapping(Module *m, LLVMValueRef kernel, const Variant *v) {
    const char *name = arena_printf(&m->arena, "%s" OVERLAPPING, v->base);
    LLVMValueRef before = LLVMGetNamedFunction(m->mod, name);
    LLVMAttributeIndex of_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned n = LLVMGetAttributeCountAtIndex(kernel, of_function);
    LLVMAttributeRef *all = arena_array(&m->arena, LLVMAttributeRef, n + 1);
    LLVMGetAttributesAtIndex(kernel, of_function, all);
    for (unsigned i = 0; i < n; i++) LLVMAddAttributeAtIndex(before, of_function, all[i]);
    LLVMValueRef variant = clone_variant(m, before, name, v);
    fn_remove_attr(before, ATTR_KERNEL);
    return simplify_variant(m, variant, v->width);
}

LLVMValueRef build_variant(Module *m, LLVMValueRef kernel, const Variant *spec, LLVMValueRef alike) {
    Variant v = *spec;
    v.base = value_name(kernel);
    if (alike) return clone_variant(m, alike, v.base, &v);
    if (v.overlapping) return build_overlapping(m, kernel, &v);
    LLVMValueRef copy = prepared(m, kernel, &v), from = copy ? copy : kernel;
    LLVMValueRef variant = clone_variant(m, from, value_name(from), &v);
    if (copy) LLVMDeleteFunction(copy);
    return simplify_variant(m, variant, v.width);
}

LLVMValueRef add_variant(Module *m, LLVMValueRef kernel, int width, Layout layout, const unsigned block[3]) {
    Variant v = {.width = width, .layout = (int)layout};
    if (block) memcpy(v.block, block, sizeof v.block);
    return build_variant(m, kernel, &v, NULL);
}
