/* match.c: which row of ops.def an instruction is: its modifiers as a set, its types in order, its operands by
** number.  Where no row fits, the error names the part that is missing in the row that matches longest. */
#include "ptx-frontend/lower.h"
#include <stdio.h>

#define OP(op, mods, types, operands, build, how) Build op_##build;
#include "ptx-frontend/ops.def"
#undef OP
Build op_not_implemented;

const Row ptx_rows[] = {
#define OP(op, mods, types, operands, build, how) {#op, mods, types, operands, op_##build, how},
#include "ptx-frontend/ops.def"
#undef OP
#define UNSUPPORTED(op) {#op, "*", "", "", op_not_implemented, ""},
#include "ptx-frontend/unsupported.def"
#undef UNSUPPORTED
};
enum { ROWS = sizeof ptx_rows / sizeof *ptx_rows };
const int ptx_row_count = ROWS;

void index_rows(Ptx *p) {
    map_init(&p->rows, &p->arena);
    for (int i = ROWS; i-- > 0;)
        map_put(&p->rows, ptx_intern(p, ptx_rows[i].op, strlen(ptx_rows[i].op)), (uintptr_t)i + 1);
}

bool has_mod(const Lower *l, const char *name) {
    for (int i = 0; i < l->inst->nmods; i++)
        if (!strcmp(l->inst->mods[i], name)) return true;
    return false;
}

/* Is `word` one of the words of `list`, which are separated by any of `between`? */
static bool in_list(const char *list, size_t len, const char *word, const char *between) {
    size_t n = strlen(word);
    for (const char *s = list, *end = list + len; s < end;) {
        size_t k = 0;
        while (s + k < end && !strchr(between, s[k])) k++;
        if (k == n && !memcmp(s, word, n)) return true;
        s += k + 1;
    }
    return false;
}

const char *which_mod(const Lower *l, const char *names) {
    for (int i = 0; i < l->inst->nmods; i++)
        if (in_list(names, strlen(names), l->inst->mods[i], " ")) return l->inst->mods[i];
    return NULL;
}

static bool types_fit(const Lower *l, const Row *r) {
    const char *s = r->types;
    int n = 0;
    for (; *s; n++) {
        size_t len = strcspn(s, "/");
        if (n >= l->nt || !in_list(s, len, l->t[n]->name, " ")) return false;
        s += len + (s[len] == '/');
    }
    return n == l->nt;
}

/* May "~group" be missing?  In asm() it is not known for which version the text was written. */
static bool is_old(const Lower *l, const char *group) {
    const Tree *t = l->tree;
    if (!t) return true;
    int version = t->version_major * 100 + t->version_minor;
    if (!strncmp(group, "~aligned", 8)) return version < 603;
    if (strncmp(group, "~sync", 5)) return version < 200;
    return version < 604 || t->sm < 70;
}

/* Modifiers that are no types; *bad: one that the row does not take. */
static bool mods_fit(const Lower *l, const Row *r, const char **bad, const char **missing) {
    int used = 0;
    *missing = NULL;
    for (const char *s = r->mods; *s;) {
        bool two = *s == '&', prefix = *s == '?' || *s == '~' || two, may = *s == '?' || (*s == '~' && is_old(l, s));
        size_t len = strcspn(s, " ");
        int found = 0;
        for (int i = 0; i < l->inst->nmods; i++)
            if (!ptx_type(l->inst->mods[i])) found += in_list(s + prefix, len - prefix, l->inst->mods[i], "|");
        if (found > 1 + two) {
            *bad = NULL;
            return false;
        }
        if (found < 1 + two && !may) *missing = s;
        used += found;
        s += len + (s[len] == ' ');
    }
    *bad = NULL;
    for (int i = 0; i < l->inst->nmods && !*bad; i++)
        if (!ptx_type(l->inst->mods[i]) && !in_list(r->mods, strlen(r->mods), l->inst->mods[i], "?~&| "))
            *bad = l->inst->mods[i];
    return !*bad && !*missing && used + l->nt == l->inst->nmods;
}

/* "*": whatever it has; "*a|b": if it has one of these */
static bool takes_all(const Lower *l, const Row *r) {
    if (*r->mods != '*') return false;
    bool found = !r->mods[1];
    for (int i = 0; i < l->inst->nmods; i++) found |= in_list(r->mods + 1, strlen(r->mods + 1), l->inst->mods[i], "|");
    return found;
}

static bool operands_fit(const Lower *l, const Row *r) {
    int most = 0, optional = 0;
    for (const char *s = r->operands; *s; s++) {
        most += *s != '?';
        optional += *s == '?';
    }
    return l->inst->nops <= most && l->inst->nops >= most - optional;
}

static void find_types(Lower *l) {
    l->nt = 0;
    for (int i = 0; i < l->inst->nmods; i++) {
        const PtxType *t = ptx_type(l->inst->mods[i]);
        if (!t) continue;
        if (l->nt == 5) fail(l, "'%s' has too many types", l->inst->op);
        l->t[l->nt++] = t;
    }
}

static _Noreturn void no_row(Lower *l, const Row *first) {
    const char *bad = NULL, *missing = NULL, *nearest = NULL; /* nearest: of a row that only lacks this */
    bool types = false, mods = false;
    for (const Row *r = first; r < ptx_rows + ROWS; r++) {
        const char *b, *m;
        if (strcmp(r->op, first->op) || *r->mods == '*') continue;
        bool t = types_fit(l, r), fits = mods_fit(l, r, &b, &m);
        types |= t;
        mods |= t && fits;
        if (t && !fits && b) bad = b;
        if (t && !fits && m) missing = m;
        if (t && !fits && m && !b) nearest = m;
    }
    for (int i = 0; i < l->inst->nmods && !l->nt; i++) { /* perhaps meant as a type */
        bool known = false;
        for (const Row *r = first; r < ptx_rows + ROWS; r++)
            known |= !strcmp(r->op, first->op) && in_list(r->mods, strlen(r->mods), l->inst->mods[i], "?~&| ");
        if (!known) fail(l, "'%s' does not take '.%s'", first->op, l->inst->mods[i]);
    }
    if (mods) fail(l, "'%s' does not take %d operands", first->op, l->inst->nops);
    if (!types && l->nt)
        fail(l, "'%s' has no form for .%s%s%s", first->op, l->t[0]->name, l->nt > 1 ? "." : "",
             l->nt > 1 ? l->t[1]->name : "");
    if (!types) fail(l, "'%s' needs a type", first->op);
    if (bad && !nearest) fail(l, "'%s' does not take '.%s' with these types", first->op, bad);
    if (nearest) missing = nearest;
    missing += missing && strchr("~&", *missing);
    if (missing) fail(l, "'%s' needs one of %.*s", first->op, (int)strcspn(missing, " "), missing);
    fail(l, "these modifiers of '%s' do not go together", first->op);
}

/* What rows do not express: denormals of which type are flushed; an order of memory and its scope go together. */
static void check_modifiers(Lower *l) {
    bool flushes = !has_mod(l, "ftz") || which_mod(l, "tensormap");
    for (int i = 0; i < l->nt; i++) {
        const char *t = l->t[i]->name;
        flushes |= !strcmp(t, "f32") || !strcmp(t, "f16") || !strcmp(t, "f16x2") || !strcmp(t, "f32x2");
    }
    if (!flushes && strcmp(l->inst->op, "rcp") && strcmp(l->inst->op, "rsqrt") && strcmp(l->inst->op, "ex2"))
        fail(l, "'%s' does not take '.ftz' with these types", l->inst->op);
    const char *op = l->inst->op, *order = which_mod(l, "relaxed acquire release"),
               *scope = which_mod(l, "cta cluster gpu sys");
    if (strcmp(op, "ld") && strcmp(op, "st") && strcmp(op, "mbarrier")) return;
    if (order && !scope) fail(l, "'.%s' of '%s' needs a scope", order, op);
    if (scope && !order) fail(l, "'.%s' of '%s' needs .relaxed, .acquire or .release", scope, op);
    const char *vector = which_mod(l, "v2 v4 v8");
    if (vector && l->t[0]->bits * (vector[1] - '0') > 256) fail(l, "a vector has no more than 256 bits");
    bool wide = vector && l->tree && l->t[0]->bits * (vector[1] - '0') > 128;
    if (wide && l->tree->version_major * 100 + l->tree->version_minor < 808)
        fail(l, "a vector has no more than 128 bits before version 8.8");
    if (has_mod(l, "nc") && (!has_mod(l, "global") || which_mod(l, "volatile relaxed acquire")))
        fail(l, "'.nc' is for weak loads with .global");
    if (has_mod(l, "mmio") && !has_mod(l, "async") && (!has_mod(l, "relaxed") || !has_mod(l, "sys")))
        fail(l, "'.mmio' needs .relaxed and .sys");
}

void match_row(Lower *l) {
    int first = (int)map_get(&l->p->rows, l->inst->op, 0) - 1;
    if (first < 0) fail(l, "unknown instruction '%s'", l->inst->op);
    find_types(l);
    for (int i = first; i < ROWS; i++) {
        const Row *r = &ptx_rows[i];
        const char *bad, *missing;
        if (strcmp(r->op, l->inst->op)) continue;
        if (!takes_all(l, r) && !(types_fit(l, r) && mods_fit(l, r, &bad, &missing) && operands_fit(l, r))) continue;
        l->row = r;
        check_modifiers(l);
        return;
    }
    no_row(l, &ptx_rows[first]);
}
