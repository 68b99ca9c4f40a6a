/* inline_both_sides.c: a __host__ __device__ function that calls a function of the host: nvcc warns, clang refuses it where the function
** must be in the device code for others to call.  As an inline function it is only there if device code calls it, and then still an error. */
#include "launcher/refused.h"
#include <string.h>

/* A brace behind such a word holds declarations. */
static bool holds_declarations(const Text *t, size_t i, size_t brace, bool *function) {
    static const char *const scopes[] = {"namespace", "struct", "class", "union", "enum"};
    bool calls = false, string = false;
    for (size_t next; (i = skip_blank(t, i)) < brace; i = next) {
        next = skip_token(t, i);
        bool group = next == i && t->s[i] == '(';
        for (size_t k = 0; k < sizeof scopes / sizeof *scopes; k++)
            if (!calls && is_word(t, i, next, scopes[k])) return true;
        string |= t->s[i] == '"';
        if (group) next = skip_group(t, i, &calls);
        else if (next == i) next++;
    }
    *function = calls;
    return string && !calls; /* extern "C" { */
}

/* Behind template<...>, extern "C" and attributes in [[ ]]. */
static size_t skip_introducers(const Text *t, size_t i) {
    bool calls = false;
    for (;;) {
        i = skip_blank(t, i);
        size_t next = i < t->n ? skip_token(t, i) : i;
        if (is_word(t, i, next, "template")) {
            int depth = 0;
            for (i = skip_blank(t, next); i < t->n; i++) {
                if (t->s[i] == '(') i = skip_group(t, i, &calls) - 1;
                depth += (t->s[i] == '<') - (t->s[i] == '>');
                if (depth == 0) break;
            }
            i++;
        } else if (is_word(t, i, next, "extern")) {
            size_t name = skip_blank(t, next);
            if (!text_at(t, name, "\"C")) return i;
            i = skip_token(t, name);
        } else if (text_at(t, i, "[[")) {
            i = skip_group(t, i, &calls);
        } else {
            return i;
        }
    }
}

/* Where the statement begins whose braces hold `at`, of all the outermost that is a function; t->n: there is none. */
static size_t function_around(const Text *t, size_t at, size_t *brace) {
    bool calls = false;
    for (size_t i = 0, next; i < at; i = next) {
        next = skip_token(t, i);
        if (next != i || t->s[i] != '{') {
            next += next == i;
            continue;
        }
        bool function = false;
        size_t start = text_statement(t, i), end = skip_group(t, i, &calls);
        bool scope = holds_declarations(t, start, i, &function);
        next = i + 1;
        if (scope) continue;
        if (end <= at) next = end;
        else if (function) return *brace = i, start;
    }
    return t->n;
}

static bool has_word(const Text *t, size_t i, size_t end, const char *word) {
    for (size_t next; (i = skip_blank(t, i)) < end; i = next) {
        next = skip_token(t, i);
        if (is_word(t, i, next, word)) return true;
        if (next == i) next++;
    }
    return false;
}

bool inline_both_sides(Text *t, Refusal *r) {
    static const char *const others[] = {"inline", "__inline__", "__forceinline__", "constexpr", "__global__", "friend"};
    size_t brace = 0, start = function_around(t, r->at, &brace);
    if (start == t->n) return false;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (has_word(t, start, brace, others[k])) return false;
    r->start = skip_introducers(t, start);
    if (r->start >= brace) return false;
    text_insert(t, r->start, "inline ");
    r->warning = "this __host__ __device__ function calls a __host__ function: device code cannot call it";
    return true;
}
