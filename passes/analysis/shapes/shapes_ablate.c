/* shapes_ablate.c: the effect of --disable=uniform_values and --disable=uniform_control_flow (for measurements after
** Karrenberg and Hack, "Improving Performance of OpenCL on CPUs", 2012).
**
** uniform_values: a value that all lanes share is a vector nevertheless, unless an address, a barrier, an exchange
** between lanes, or a branch that is kept is computed from it. A test of a mask (any, all) computes its branch from a
** vector: what the mask is computed from need not be scalar, such as the counter of a loop that lanes leave one by one.
** What a call returns (ids, math) keeps its shape; so do arguments and constants: they are broadcast.
** affine_values, unknown_strides: shapes_limit_degree.
** uniform_control_flow: a branch that all lanes take alike counts as divergent, unless it decides, directly or through
** other branches, whether a barrier is reached.
**
** make_variants marks the kernel; once linearise has run all remaining branches are kept. Both only lose knowledge, so
** they are as correct as the analysis. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/value.h"
#include "passes/ir/edit.h"

/* Degree 0 (--disable=affine_values): what differs between lanes varies, the simple analysis of Sampaio et al. (2013).
** Degree 1 (--disable=unknown_strides): strides are constants, and there are no patterns. */
void shapes_limit_degree(const Shapes *s, Fact *f) {
    int64_t stride;
    if (s->degree > 1 || f->s.bottom || fact_group_uniform(&s->g, f)) return;
    if (s->degree == 1 && !f->pat && fact_lane_stride(&s->g, f, &stride)) return;
    *f = fact_varying(f->bits);
    fact_normalise(&s->g, f);
}

/* The branches that decide whether a barrier is reached. */
static bool *branches_to_keep(Shapes *s) {
    const Cfg *c = s->cfg;
    bool *kept = arena_array(s->a, bool, c->n), *seen = arena_array(s->a, bool, c->n);
    Vec(int) work = {0};
    for (int k = 0; k < s->n; k++) {
        if (s->block[k] < 0 || !LLVMIsACallInst(s->value[k])) continue;
        if (name_is_cut(shapes_name(s, s->value[k]))) vec_push(s->a, &work, s->block[k]);
    }
    while (work.n) {
        int n, b = work.v[--work.n];
        if (seen[b]) continue;
        seen[b] = true;
        const int *by = divergence_deciders(s->div, b, &n);
        for (int i = 0; i < n; i++) {
            kept[by[i]] = true;
            vec_push(s->a, &work, by[i]);
        }
    }
    return kept;
}

typedef struct Slice {
    Shapes *s;
    bool *in; /* by value: it is needed as a scalar */
    Vec(int) work;
} Slice;

static void need(Slice *x, LLVMValueRef v) {
    uintptr_t k = map_get(&x->s->index, v, 0);
    if (!k || x->in[k - 1] || x->s->block[k - 1] < 0) return;
    x->in[k - 1] = true;
    vec_push(x->s->a, &x->work, (int)k - 1);
}

static bool takes_mask(const Slice *x, LLVMValueRef i) {
    Name n = LLVMIsACallInst(i) ? shapes_name(x->s, i) : NAME_NONE;
    return n == NAME_MASK || name_queries_mask(n);
}

static void need_operands(Slice *x, LLVMValueRef i) {
    if (takes_mask(x, i)) return;
    int n = (int)value_operands(i);
    for (int o = 0; o < n; o++) need(x, LLVMGetOperand(i, (unsigned)o));
}

static void seed(Slice *x, LLVMValueRef i, bool branch_stays) {
    if (LLVMIsALoadInst(i)) need(x, LLVMGetOperand(i, 0));
    else if (LLVMIsAStoreInst(i)) need(x, LLVMGetOperand(i, 1));
    else if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) need(x, LLVMGetOperand(i, 0));
    else if (LLVMIsATerminatorInst(i)) {
        if (branch_stays) need_operands(x, i);
    } else if (LLVMIsACallInst(i)) {
        Name n = shapes_name(x->s, i);
        bool math = n == NAME_NONE && !is_void(i);
        if (!math) need_operands(x, i);
    }
}

void shapes_ablate(Shapes *s) {
    if (s->g.width == 1) return;
    bool linear = fn_has_attr(s->cfg->fn, ATTR_DIVERGENT);
    bool flow = !linear && fn_has_attr(s->cfg->fn, ATTR_LINEAR_FLOW),
         values = fn_has_attr(s->cfg->fn, ATTR_VECTOR_VALUES);
    if (!flow && !values) return;
    bool *kept = linear ? NULL : branches_to_keep(s);
    s->lose_branch = arena_array(s->a, bool, s->cfg->n);
    for (int b = 0; b < s->cfg->n; b++) s->lose_branch[b] = flow && !kept[b];
    if (!values) return;
    Slice x = {.s = s, .in = arena_array(s->a, bool, s->n)};
    for (int k = 0; k < s->n; k++)
        if (s->block[k] >= 0) seed(&x, s->value[k], linear || kept[s->block[k]]);
    while (x.work.n) need_operands(&x, s->value[x.work.v[--x.work.n]]);
    s->lose_value = arena_array(s->a, bool, s->n);
    for (int k = 0; k < s->n; k++)
        s->lose_value[k] = s->block[k] >= 0 && !x.in[k] && !LLVMIsACallInst(s->value[k]) &&
                           !LLVMIsATerminatorInst(s->value[k]) && !LLVMIsAAllocaInst(s->value[k]);
}
