/* asm_statements.c: what nvcc accepts in asm() statements.
**
** `asm("mov.u32 %0, %laneid;" : "=r"(x))`: to clang `%` begins an operand, and the name of a register needs `%%`.  In
** the text of an asm() with operands `%` before two letters is doubled: there it is never an operand (`%0`, `%[name]`,
** `%w0`), and an error without this.  An asm() without operands has no operands to tell from, `%` stands for itself in
** both compilers.
**
** `: "r"(a) "r"(b)`: operands need no comma between them.
**
** `"C"(name)`: the characters of a constant array are part of the text.  The operand becomes the address of the array,
** and ptx-frontend/inline_asm.c puts its characters into the text. */
#include "launcher/nvcc/refused.h"
#include <ctype.h>
#include <string.h>

static bool names_register(const Text *t, size_t i) {
    return t->s[i] == '%' && i + 2 < t->n && isalpha((unsigned char)t->s[i + 1]) &&
           (isalpha((unsigned char)t->s[i + 2]) || t->s[i + 2] == '_');
}

/* In the literal from i up to *end, which grows. */
static bool double_escapes(Text *t, size_t i, size_t *end) {
    bool changed = false;
    for (; i < *end; i++) {
        bool escaped = text_at(t, i, "%%");
        if (!escaped && names_register(t, i)) {
            text_insert(t, i, "%");
            ++*end;
            changed = escaped = true;
        }
        i += escaped;
    }
    return changed;
}

static bool is_literal(const Text *t, size_t i) { return t->s[i] == '"' || text_at(t, i, "R\""); }

/* The text behind the parenthesis at i ends with a colon: there are operands. */
static bool has_operands(const Text *t, size_t i) {
    int depth = 0;
    for (; i < t->n; i++) {
        size_t next = skip_token(t, i);
        if (next != i) {
            i = next - 1;
            continue;
        }
        if (t->s[i] == ':') return depth == 1;
        depth += bracket(t->s[i]);
        if (depth == 0 || t->s[i] == ';') return false;
    }
    return false;
}

/* The asm() with its parenthesis at *i, up to the colon, which *i becomes. */
static bool change_text(Text *t, size_t *i) {
    bool changed = false;
    for (; *i < t->n && t->s[*i] != ':'; ++*i) {
        size_t next = skip_token(t, *i);
        if (is_literal(t, *i)) changed |= double_escapes(t, *i, &next);
        if (next != *i) *i = next - 1;
    }
    return changed;
}

/* "C"(x) at i: "i"(__CUCPU_ASM_TEXT(x)), a macro of cuda_runtime.h. */
static bool name_array(Text *t, size_t i) {
    if (!text_at(t, i, "\"C\"")) return false;
    size_t open = skip_blank(t, i + 3);
    if (open == t->n || t->s[open] != '(') return false;
    text_insert(t, skip_group(t, open, NULL) - 1, ")");
    text_insert(t, open + 1, "__CUCPU_ASM_TEXT(");
    t->s[i + 1] = 'i';
    return true;
}

/* From the first colon to the end of the statement. */
static bool change_operands(Text *t, size_t i) {
    bool changed = false;
    while ((i = skip_blank(t, i)) < t->n && t->s[i] != ')' && t->s[i] != ';') {
        changed |= name_array(t, i);
        size_t next = skip_token(t, i);
        if (next == i && bracket(t->s[i]) > 0) {
            bool value = t->s[i] == '(';
            next = skip_group(t, i, NULL);
            size_t follows = skip_blank(t, next);
            if (value && follows < t->n && strchr("\"[", t->s[follows])) {
                text_insert(t, next, ",");
                changed = true;
            }
        }
        i = next == i ? i + 1 : next;
    }
    return changed;
}

static bool change_statement(Text *t, size_t i) {
    if (!has_operands(t, i)) return false;
    bool changed = change_text(t, &i);
    return change_operands(t, i) || changed;
}

static bool is_asm(const Text *t, size_t i, size_t end) {
    return is_word(t, i, end, "asm") || is_word(t, i, end, "__asm__") || is_word(t, i, end, "__asm");
}

/* Behind `volatile` and its like. */
static size_t skip_qualifiers(const Text *t, size_t i) {
    for (;;) {
        i = skip_blank(t, i);
        size_t end = i < t->n && is_name(t->s[i]) ? skip_token(t, i) : i;
        if (end == i) return i;
        i = end;
    }
}

bool asm_statements(Text *t) {
    bool changed = false;
    for (size_t i = 0, next; i < t->n; i = next) {
        next = skip_token(t, i);
        if (is_asm(t, i, next)) {
            size_t open = skip_qualifiers(t, next);
            if (open < t->n && t->s[open] == '(') changed |= change_statement(t, open);
        }
        if (next == i) next++;
    }
    return changed;
}

/* clang has refused the character behind a `%`, or behind that and a letter: also of the literal in front of this
** one. */
bool escape_percent(Text *t, Refusal *r) {
    size_t i = r->at;
    if (i > 1 && isalpha((unsigned char)t->s[i - 1]) && strchr("%\"", t->s[i - 2])) i--;
    if (i > 0 && t->s[i - 1] == '"') i--; /* the literal begins here */
    while (i > 0 && isspace((unsigned char)t->s[i - 1])) i--;
    if (i > 0 && t->s[i - 1] == '"') i--;
    if (i == 0 || t->s[i - 1] != '%' || (i > 1 && t->s[i - 2] == '%')) return false;
    r->start = i - 1;
    text_insert(t, r->start, "%");
    return true;
}
