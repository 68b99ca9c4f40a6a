/* make_variants: clones kernels, one copy for each variant of their plans (variants.c). */
#include "passes/plan/variants.h"
#include "passes/ir/edit.h"
#include <string.h>

static void make(Module *m, LLVMValueRef kernel, VariantBudget budget) {
    const VariantPlan plan = plan_variants(m, kernel, budget);
    if (in_list(m->opt->report, "variants")) print_plan(&plan, stderr);
    fn_set_attr(kernel, ATTR_FLAGS, arena_printf(&m->arena, "%u", plan.flags));
    LLVMValueRef first = NULL; /* for any block; the other layouts are copies of it */
    for (int i = 0; i < plan.list.n; i++) {
        const VariantSpec *s = &plan.list.v[i];
        bool plain = s->kind == VARIANT_PLAIN && s->v.width > 1;
        LLVMValueRef variant = build_variant(m, kernel, &s->v, plain ? first : NULL);
        if (plain) first = variant;
    }
    LLVMValueRef before = LLVMGetNamedFunction(m->mod, arena_printf(&m->arena, "%s" OVERLAPPING, value_name(kernel)));
    if (before) LLVMDeleteFunction(before);
}

static VariantBudget find_kernels(Module *m, LLVMValueRef **kernels, int *n) {
    Vec(LLVMValueRef) all = {0};
    find_launch_sites(m);
    for_each_function(f, m->mod)
        if (is_kernel(f) && !LLVMIsDeclaration(f) && !is_variant(f) && !fn_has_attr(f, ATTR_VECTOR))
            vec_push(&m->arena, &all, f);
    *kernels = all.v;
    *n = all.n;
    return variant_budget(all.v, all.n);
}

bool make_variants(Module *m) {
    LLVMValueRef *kernels;
    int n;
    VariantBudget budget = find_kernels(m, &kernels, &n);
    for (int i = 0; i < n; i++) {
        describe_kernel(m, kernels[i]);
        make(m, kernels[i], budget);
    }
    add_vector_functions(m);
    return true;
}

void print_variants(const Module *m) {
    Module copy = *m;
    LLVMValueRef *kernels;
    int n;
    copy.arena = (Arena){0};
    copy.mod = LLVMCloneModule(m->mod);
    VariantBudget budget = find_kernels(&copy, &kernels, &n);
    for (int i = 0; i < n; i++) {
        describe_kernel(&copy, kernels[i]);
        const VariantPlan plan = plan_variants(&copy, kernels[i], budget);
        print_plan(&plan, stdout);
    }
    LLVMDisposeModule(copy.mod);
    arena_free(&copy.arena);
}
