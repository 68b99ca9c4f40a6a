/* shapes_print.c: the shapes of a function as text, for goldens and for reading; the notation is
** explained in docs/shapes.md. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/value.h"
#include <inttypes.h>

static const char *const scope_name[] = {"grid", "block", "group", "none"};

static void print_term(FILE *f, Coef c, const char *dim, bool *first) {
    if (c.kind == COEF_KNOWN && c.v == 0) return;
    fputs(*first ? " " : " + ", f);
    *first = false;
    if (c.kind == COEF_UNIFORM && c.v > 1) fprintf(f, "U(%" PRId64 ")*", c.v);
    else if (c.kind == COEF_UNIFORM) fputs("U*", f);
    else if (c.v != 1) fprintf(f, "%" PRId64 "*", c.v);
    fputs(dim, f);
}

static void print_pattern(const Shapes *s, FILE *f, const Pattern *p) {
    fputs(p->run == s->g.width ? "pattern" : "runs", f);
    for (int i = 0; i < s->g.width; i++) fprintf(f, "%s%" PRId64, i % p->run ? "," : i ? "; " : " ", p->off[i]);
    fputs(" + group", f);
    if (p->loose) fputs(" (active lanes)", f);
    if (p->k) fprintf(f, " = %" PRId64 " mod 2^%d", p->low, p->k);
}

static void print_fact(const Shapes *s, FILE *f, const Fact *x) {
    if (x->s.bottom) {
        fputs("nothing", f);
        return;
    }
    if (fact_varies(x)) {
        if (x->pat) print_pattern(s, f, x->pat);
        else fputs("varying", f);
    } else if (fact_zero_coefs(x)) {
        if (x->s.base_known) fprintf(f, "constant %" PRId64, x->s.base_value);
        else fprintf(f, "uniform(%s)", scope_name[x->s.base]);
    } else {
        bool first = true, known = x->s.x.kind == COEF_KNOWN && x->s.y.kind == COEF_KNOWN &&
                                   x->s.z.kind == COEF_KNOWN && x->s.lane.kind == COEF_KNOWN;
        fputs(fact_group_uniform(&s->g, x) ? "uniform(group)" : "affine", f);
        print_term(f, x->s.x, "x", &first);
        print_term(f, x->s.y, "y", &first);
        print_term(f, x->s.z, "z", &first);
        print_term(f, x->s.lane, "l", &first);
        if (!x->s.base_known) fprintf(f, " + %s", scope_name[x->s.base]);
        else if (x->s.base_value) fprintf(f, " + %" PRId64, x->s.base_value);
        if (x->s.base_known && !known) fprintf(f, " (%s)", scope_name[x->s.base]);
    }
    if (x->s.align > 1 && !x->s.base_known) fprintf(f, " align %u", x->s.align);
}

static void print_name(FILE *f, LLVMValueRef v) {
    size_t len;
    const char *name = LLVMGetValueName2(v, &len);
    if (len) {
        fprintf(f, "%%%s", name);
        return;
    }
    char *text = LLVMPrintValueToString(v), *p = text, *end;
    while (*p == ' ') p++;
    for (end = p; *end && *end != ' '; end++) {}
    fprintf(f, "%.*s", (int)(end - p), p);
    LLVMDisposeMessage(text);
}

static void print_block(const Shapes *s, FILE *f, int b) {
    size_t len;
    const Block *k = &s->cfg->b[b];
    const char *name = LLVMGetValueName2(LLVMBasicBlockAsValue(k->bb), &len);
    if (len) fprintf(f, "%s:", name);
    else fprintf(f, "#%d:", b);
    if (s->activity[b])
        fprintf(f, " block %s", s->activity[b] == SCOPE_NONE ? "divergent" : scope_name[s->activity[b]]);
    if (k->nsucc > 1) fprintf(f, " branch %s", s->branch[b] == SCOPE_NONE ? "divergent" : scope_name[s->branch[b]]);
    if (k->loop >= 0 && s->cfg->l[k->loop].header == b) {
        Scope e = s->loop_exit[k->loop];
        fprintf(f, " loop %s", e == SCOPE_NONE ? "divergent" : scope_name[e]);
    }
    fputc('\n', f);
}

void shapes_print(const Shapes *s, FILE *f) {
    fprintf(f, "shapes of %s, width %d, %s\n", value_name(s->cfg->fn), s->g.width,
            !s->g.rows  ? "general"
            : s->g.full ? "rows full"
                        : "rows");
    for (int k = 0; k < s->n; k++) {
        if (s->block[k] >= 0 && (k == 0 || s->block[k - 1] != s->block[k])) print_block(s, f, s->block[k]);
        if (!s->value[k]) continue; /* replaced by shapes_settle */
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(s->value[k]));
        if (kind == LLVMVoidTypeKind) continue;
        fputs("  ", f);
        print_name(f, s->value[k]);
        fputs(": ", f);
        print_fact(s, f, &s->fact[k]);
        if (LLVMIsAAllocaInst(s->value[k]))
            fputs(shapes_alloca_uniform(s, s->value[k]) ? " (one object)" : " (per lane)", f);
        fputc('\n', f);
    }
}
