/* contracts.c: see contracts.h. */
#include "passes/contracts.h"
#include "passes/verify.h"
#include <string.h>

/* The sets of passes.def. */
enum {
#define FORM(name, checked, what) name = FORM_##name,
#include "passes/ir/forms.def"
#undef FORM
};

static const Contract contracts[] = {
#define MODULE_PASS(name, what, requires, gives, loses, order) {#name, requires, gives, loses, order},
#define KERNEL_PASS MODULE_PASS
#include "passes/passes.def"
};
enum { CONTRACTS = sizeof contracts / sizeof *contracts };

const Contract *pass_contracts(int *n) {
    *n = CONTRACTS;
    return contracts;
}

static int index_of(const Contract *passes, int n, const char *name, size_t len) {
    for (int p = 0; p < n; p++)
        if (strlen(passes[p].name) == len && !memcmp(passes[p].name, name, len)) return p;
    return -1;
}

/* Why the form does not hold before pass p. */
static const char *why_missing(Arena *a, const Contract *passes, int n, int p, unsigned form) {
    for (int q = p - 1; q >= 0; q--)
        if (passes[q].loses & form) return arena_printf(a, "%s has lost it", passes[q].name);
    for (int q = p + 1; q < n; q++)
        if (passes[q].gives & form) return arena_printf(a, "%s gives it, but later", passes[q].name);
    return "no pass gives it";
}

static const char *broken_form(Arena *a, const Contract *passes, int n, int p, unsigned held) {
    unsigned missing = passes[p].requires & ~held;
    if (!missing) return NULL;
    FormNumber f = (FormNumber)__builtin_ctz(missing);
    return arena_printf(a, "%s requires %s (%s): %s", passes[p].name, form_name(f), form_text(f),
                        why_missing(a, passes, n, p, 1u << f));
}

/* One clause of an order, "after P Q: reason". */
static const char *broken_clause(Arena *a, const Contract *passes, int n, int p, const char *clause, size_t len) {
    const char *end = clause + len, *colon = memchr(clause, ':', len), *names = colon ? colon : end;
    bool after = !strncmp(clause, "after ", 6);
    if (!after && strncmp(clause, "before ", 7))
        return arena_printf(a, "%s: '%.*s' says neither after nor before", passes[p].name, (int)len, clause);
    for (const char *s = strchr(clause, ' ') + 1; s < names;) {
        size_t word = strcspn(s, " :;");
        if (word > (size_t)(names - s)) word = (size_t)(names - s);
        int other = index_of(passes, n, s, word);
        if (other < 0) return arena_printf(a, "%s: there is no pass %.*s", passes[p].name, (int)word, s);
        if (after != (other < p))
            return arena_printf(a, "%s stands %s %.*s: %.*s", passes[p].name, after ? "before" : "after", (int)word, s,
                                (int)len, clause);
        s += word + 1;
    }
    return NULL;
}

static const char *broken_order(Arena *a, const Contract *passes, int n, int p) {
    const char *bad = NULL;
    for (const char *s = passes[p].order; *s && !bad;) {
        size_t len = strcspn(s, ";");
        bad = broken_clause(a, passes, n, p, s, len);
        s += len;
        s += strspn(s, "; ");
    }
    return bad;
}

const char *broken_contract(Arena *a, const Contract *passes, int n) {
    unsigned held = FORM_NVVM;
    const char *bad = NULL;
    for (int p = 0; p < n && !bad; p++) {
        bad = broken_form(a, passes, n, p, held);
        if (!bad) bad = broken_order(a, passes, n, p);
        held = (held & ~passes[p].loses) | passes[p].gives;
    }
    return bad;
}
