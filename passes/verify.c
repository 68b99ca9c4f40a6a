/* verify.c: see verify.h. Each check finds the first violation and reports where it is; none changes the IR. */
#include "passes/verify.h"
#include "passes/analysis/liveness.h"
#include "passes/ir/value.h"
#include <string.h>

static const struct Form {
    const char *name, *what;
} forms[] = {
#define FORM(name, checked, what) {#name, what},
#include "passes/ir/forms.def"
#include "passes/ir/variant.h"
#undef FORM
};

const char *form_name(FormNumber form) { return forms[form].name; }
const char *form_text(FormNumber form) { return forms[form].what; }

/* The value, or the name of a block, as text without its lines of metadata. */
static const char *shown(Arena *a, LLVMValueRef v) {
    if (LLVMValueIsBasicBlock(v)) return arena_printf(a, "block %%%s", LLVMGetBasicBlockName(LLVMValueAsBasicBlock(v)));
    char *s = LLVMPrintValueToString(v);
    const char *text = arena_printf(a, "%.120s", s + strspn(s, " "));
    LLVMDisposeMessage(s);
    return text;
}

static const char *at_block(Arena *a, const Cfg *c, int b, const char *what) {
    return arena_printf(a, "%s: %s", what, shown(a, LLVMBasicBlockAsValue(c->b[b].bb)));
}

typedef const char *CheckInstruction(Arena *a, LLVMValueRef i);

static const char *each_instruction(Arena *a, LLVMValueRef fn, CheckInstruction *check) {
    for_each_instruction(i, fn) {
        const char *bad = check(a, i);
        if (bad) return bad;
    }
    return NULL;
}

/* ---- kernels ---- */

static bool has_convergent_call(LLVMValueRef fn, PtrMap *seen) {
    if (map_get(seen, fn, 0) || fn_has_attr(fn, ATTR_OUTLINED) || fn_has_attr(fn, ATTR_VECTOR)) return false;
    map_put(seen, fn, 1);
    for_each_instruction(i, fn) {
        if (!LLVMIsACallInst(i)) continue;
        Name n = name_of_call(i);
        LLVMValueRef f = LLVMGetCalledValue(i);
        if (n != NAME_NONE && name_is_convergent(n)) return true;
        if (LLVMIsAFunction(f) && !LLVMIsDeclaration(f) && has_convergent_call(f, seen)) return true;
    }
    return false;
}

static const char *not_inlined(Kernel *k) {
    PtrMap seen = map_new(k->arena);
    for_each_instruction(i, k->fn) {
        LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (!f || !LLVMIsAFunction(f) || LLVMIsDeclaration(f) || !has_convergent_call(f, &seen)) continue;
        return arena_printf(k->arena, "a callee has convergent operations: %s", shown(k->arena, i));
    }
    return NULL;
}

static const char *not_a_normal_instruction(Arena *a, LLVMValueRef i) {
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (LLVMIsASwitchInst(i)) return arena_printf(a, "a switch: %s", shown(a, i));
    if (f && LLVMIsAFunction(f) && !strcmp(value_name(f), "cucpu.exit")) return "a call of cucpu.exit";
    return NULL;
}

static const char *not_a_normal_loop(Arena *a, const Cfg *c, int loop) {
    const Loop *l = &c->l[loop];
    int outside = 0, preheader = -1;
    for (int k = 0; k < c->b[l->header].npred; k++)
        if (!cfg_loop_contains(c, loop, c->b[l->header].pred[k])) outside++, preheader = c->b[l->header].pred[k];
    if (outside != 1 || c->b[preheader].nsucc != 1) return at_block(a, c, l->header, "a loop without preheader");
    if (l->nlatches != 1) return at_block(a, c, l->header, "a loop with several latches");
    for (int b = l->first; b <= l->last; b++)
        for (int e = 0; e < c->b[b].nsucc; e++) {
            int exit = c->b[b].succ[e];
            if (!cfg_loop_contains(c, loop, b) || cfg_loop_contains(c, loop, exit)) continue;
            for (int k = 0; k < c->b[exit].npred; k++)
                if (!cfg_loop_contains(c, loop, c->b[exit].pred[k]))
                    return at_block(a, c, exit, "a loop's exit has predecessors outside");
        }
    return NULL;
}

/* Of a value that is used outside its loop: only by phis of exits. */
static const char *not_lcssa(Arena *a, const Cfg *c, int b, LLVMValueRef i) {
    int loop = c->b[b].loop;
    for (LLVMUseRef u = LLVMGetFirstUse(i); u && loop >= 0; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user)) continue;
        int at = cfg_block_of(c, user);
        if (at < 0 || cfg_loop_contains(c, loop, at)) continue;
        bool by_phi = false;
        for (unsigned k = 0; LLVMIsAPHINode(user) && k < LLVMCountIncoming(user); k++)
            by_phi |= LLVMGetIncomingValue(user, k) == i &&
                      cfg_loop_contains(c, loop, cfg_number(c, LLVMGetIncomingBlock(user, k)));
        if (!by_phi) return arena_printf(a, "not LCSSA: %s is used by %s", shown(a, i), shown(a, user));
    }
    return NULL;
}

static const char *not_a_normal_block(Arena *a, const Cfg *c, int b, int *returns) {
    for (int e = 0; e < c->b[b].nsucc && c->b[b].nsucc > 1; e++)
        if (c->b[c->b[b].succ[e]].npred > 1) return at_block(a, c, b, "a critical edge");
    LLVMValueRef t = LLVMGetBasicBlockTerminator(c->b[b].bb);
    if (LLVMIsAReturnInst(t) && ++*returns > 1) return at_block(a, c, b, "a second return");
    for_each_in_block(i, c->b[b].bb) {
        const char *bad = not_lcssa(a, c, b, i);
        if (bad) return bad;
    }
    return NULL;
}

static const char *not_normal(Kernel *k) {
    const char *bad = each_instruction(k->arena, k->fn, not_a_normal_instruction);
    const Cfg *c = cfg_build(k->arena, k->fn);
    if (bad) return bad;
    if (!c->reducible) return "an irreducible loop";
    for (int l = 0; l < c->nloops && !bad; l++) bad = not_a_normal_loop(k->arena, c, l);
    int returns = 0;
    for (int b = 0; b < c->n && !bad; b++) bad = not_a_normal_block(k->arena, c, b, &returns);
    return bad;
}

static const char *not_a_variant(Kernel *k) {
    const Variant v = variant_of(k->fn);
    return v.base && !v.width ? "a variant without width" : NULL; /* no base: handwritten, there is one version */
}

static const char *not_linear(Kernel *k) {
    if (k->width == 1) return not_normal(k);
    const Cfg *c = cfg_build(k->arena, k->fn);
    const Shapes *s = shapes_compute(k->arena, c, k->width, k->layout, k->block);
    for (int b = 0; b < c->n; b++)
        if (shapes_branch_divergent(s, b)) return at_block(k->arena, c, b, "a divergent branch");
    return NULL;
}

static const char *not_wide_instruction(Arena *a, LLVMValueRef i) {
    Name n = name_of_call(i);
    if (n == NAME_MASK || name_is_warp_op(n)) return arena_printf(a, "%s", shown(a, i));
    return NULL;
}

static const char *not_wide(Kernel *k) { return each_instruction(k->arena, k->fn, not_wide_instruction); }

static bool crosses(const void *context, LLVMValueRef v) {
    (void)context;
    return !LLVMIsAAllocaInst(v);
}

/* In the block of the barrier, or after that; the barrier's own operands do not cross it. */
static bool is_used_after(const Liveness *l, int block, int v, LLVMValueRef barrier) {
    if (live_out(l, block, v)) return true;
    for_each_user(user, l->value[v]) {
        if (user != barrier && LLVMGetInstructionParent(user) == LLVMGetInstructionParent(barrier)) return true;
    }
    return false;
}

static const char *not_cut(Kernel *k) {
    const Cfg *c = cfg_build(k->arena, k->fn);
    Liveness *l = liveness(k->arena, c, crosses, NULL);
    for_each_cfg_instruction(i, b, c) {
        Name n = name_of_call(i);
        if (n == NAME_NONE || !name_is_cut(n)) continue;
        if (i != LLVMGetFirstInstruction(c->b[b].bb))
            return at_block(k->arena, c, b, "a barrier is not the first instruction of");
        if (c->b[b].npred != 1) return at_block(k->arena, c, b, "a barrier's block has not one predecessor");
        int before = c->b[b].pred[0];
        for (int v = 0; v < l->n; v++)
            if (live_out(l, before, v) && is_used_after(l, b, v, i))
                return arena_printf(k->arena, "a value is live across a barrier: %s", shown(k->arena, l->value[v]));
    }
    return NULL;
}

/* ---- modules ---- */

static const char *not_neutral_instruction(Arena *a, LLVMValueRef i) {
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (f && LLVMIsAInlineAsm(f)) return arena_printf(a, "inline asm: %s", shown(a, i));
    if (f && LLVMIsAFunction(f) && !strncmp(value_name(f), "llvm.nvvm.", 10)) return arena_printf(a, "%s", shown(a, i));
    return NULL;
}

/* By an instruction, perhaps through constants. */
static bool is_used(LLVMValueRef v) {
    for_each_user(user, v)
        if (LLVMIsAInstruction(user) || is_used(user)) return true;
    return false;
}

static const char *has_shared_variable(Module *m) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->mod); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3 && is_used(g)) return shown(&m->arena, g);
    return NULL;
}

static const char *in_entry(Arena *a, LLVMValueRef i) {
    Name n = name_of_call(i);
    return n == NAME_NONE ? NULL : arena_printf(a, "%s", shown(a, i));
}

static const char *not_entries(Module *m) {
    const char *bad = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f && !bad; f = LLVMGetNextFunction(f)) {
        if (!is_entry(f)) continue;
        bad = each_instruction(&m->arena, f, in_entry);
    }
    return bad;
}

static const char *not_lowered(Module *m) {
    for_each_function(f, m->mod)
        if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) && name_of_function(f) == NAME_NONE) {
            const char *name = value_name(f);
            if (!strncmp(name, "cucpu.", 6)) return arena_printf(&m->arena, "%s", name);
        }
    return NULL;
}

static const char *not_neutral(Module *m) {
    const char *bad = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f && !bad; f = LLVMGetNextFunction(f))
        bad = each_instruction(&m->arena, f, not_neutral_instruction);
    return bad;
}

/* ---- all ---- */

static const struct {
    unsigned form;
    const char *(*of_kernel)(Kernel *);
    const char *(*of_module)(Module *);
} checks[] = {
    {FORM_NEUTRAL, NULL, not_neutral},
    {FORM_INLINED, not_inlined, NULL},
    {FORM_OFFSETS, NULL, has_shared_variable},
    {FORM_NORMAL, not_normal, NULL},
    {FORM_VARIANTS, not_a_variant, NULL},
    {FORM_LINEAR, not_linear, NULL},
    {FORM_WIDE, not_wide, NULL},
    {FORM_CUT, not_cut, NULL},
    {FORM_ENTRIES, NULL, not_entries},
    {FORM_LOWERED, NULL, not_lowered},
};
enum { CHECKS = sizeof checks / sizeof *checks };

static const char *named(Arena *a, unsigned form, const char *bad) {
    return bad ? arena_printf(a, "%s: %s", form_name((FormNumber)__builtin_ctz(form)), bad) : NULL;
}

const char *kernel_violates(Kernel *k, unsigned set) {
    const char *bad = NULL;
    for (int c = 0; c < CHECKS && !bad; c++)
        if (set & checks[c].form && checks[c].of_kernel)
            bad = named(&k->m->arena, checks[c].form, checks[c].of_kernel(k));
    return bad;
}

const char *module_violates(Module *m, unsigned set) {
    const char *bad = NULL;
    for (int c = 0; c < CHECKS && !bad; c++)
        if (set & checks[c].form && checks[c].of_module) bad = named(&m->arena, checks[c].form, checks[c].of_module(m));
    return bad;
}
