/* inline_both_sides.c: a __host__ __device__ function that calls a function of the host: nvcc warns, clang refuses it where the function
** must be in the device code for others to call.  As an inline function it is only there if device code calls it; then the call itself
** becomes __CUCPU_HOST_CALL(f(x)), a macro of cuda_runtime.h, which ends the kernel (nvcc leaves undefined what happens).  Calls of
** members, operators and constructors stay errors then. */
#include "launcher/refused.h"
#include <ctype.h>
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
    for (;;) {
        i = skip_blank(t, i);
        size_t next = i < t->n ? skip_token(t, i) : i;
        if (is_word(t, i, next, "template")) {
            int depth = 0;
            for (i = skip_blank(t, next); i < t->n; i++) {
                if (t->s[i] == '(') i = skip_group(t, i, NULL) - 1;
                depth += (t->s[i] == '<') - (t->s[i] == '>');
                if (depth == 0) break;
            }
            i++;
        } else if (is_word(t, i, next, "extern")) {
            size_t name = skip_blank(t, next);
            if (!text_at(t, name, "\"C")) return i;
            i = skip_token(t, name);
        } else if (text_at(t, i, "[[")) {
            i = skip_group(t, i, NULL);
        } else {
            return i;
        }
    }
}

/* template <...>, but not template <>: code is made where it is used. */
static bool is_generic(const Text *t, size_t i, size_t end) {
    for (size_t next; (i = skip_blank(t, i)) < end; i = next) {
        next = skip_token(t, i);
        if (is_word(t, i, next, "template")) {
            size_t open = skip_blank(t, next), first = open < end ? skip_blank(t, open + 1) : end;
            return first < end && t->s[first] != '>';
        }
        if (next == i) next++;
    }
    return false;
}

/* Where the statement begins whose braces hold `at`, of all the outermost that is a function; t->n: there is none. */
static size_t function_around(const Text *t, size_t at, size_t *brace) {
    for (size_t i = 0, next; i < at; i = next) {
        next = skip_token(t, i);
        if (next != i || t->s[i] != '{') {
            next += next == i;
            continue;
        }
        bool function = false;
        size_t start = text_statement(t, i), end = skip_group(t, i, NULL);
        bool scope = holds_declarations(t, is_generic(t, start, i) ? skip_introducers(t, start) : start, i, &function);
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

static size_t skip_blank_back(const Text *t, size_t i) {
    while (i > 0 && isspace((unsigned char)t->s[i - 1])) i--;
    return i;
}

/* In front of the template arguments that end at i, i: none end there. */
static size_t skip_arguments_back(const Text *t, size_t i) {
    int depth = 0;
    for (size_t k = i; k > 0 && !strchr(";{}", t->s[k - 1]); k--) {
        depth += (t->s[k - 1] == '>') - (t->s[k - 1] == '<');
        if (depth == 0) return skip_blank_back(t, k - 1);
    }
    return i;
}

/* In front of the word `template` that ends at i, i: there is none. */
static size_t skip_template_back(const Text *t, size_t i) {
    size_t n = strlen("template");
    return i > n && text_at(t, i - n, "template") && !is_name(t->s[i - n - 1]) ? skip_blank_back(t, i - n) : i;
}

/* Where the name begins that ends at i, with what qualifies it: a::b, a<c>::template b<d>. */
static size_t name_start(const Text *t, size_t i) {
    for (size_t word = i;; i = word) {
        size_t colons = skip_template_back(t, skip_blank_back(t, i));
        if (colons < 2 || !text_at(t, colons - 2, "::")) return i;
        i = word = skip_blank_back(t, colons - 2);
        if (word > 0 && word == colons - 2 && t->s[word - 1] == '>') i = word = skip_arguments_back(t, word); /* not a > ::b */
        while (word > 0 && is_name(t->s[word - 1])) word--;
        if (word == i) return colons - 2; /* ::b */
    }
}

/* The parenthesis behind the name at i and its template arguments; t->n: there is none. */
static size_t arguments_of(const Text *t, size_t i) {
    i = skip_blank(t, skip_token(t, i));
    int depth = 0;
    for (; i < t->n && (depth || t->s[i] == '<'); i++) {
        if (strchr(";{}", t->s[i])) return t->n;
        depth += (t->s[i] == '<') - (t->s[i] == '>');
        if (depth == 0) break;
    }
    if (i < t->n && t->s[i] == '>') i = skip_blank(t, i + 1);
    return i < t->n && t->s[i] == '(' ? i : t->n;
}

/* f(x) becomes __CUCPU_HOST_CALL(f(x)). */
static bool wrap_call(Text *t, Refusal *r) {
    if (!is_name(t->s[r->at])) return false;
    size_t start = name_start(t, r->at), open = arguments_of(t, r->at), before = skip_blank_back(t, start);
    if (open == t->n || (before && (t->s[before - 1] == '.' || (before > 1 && text_at(t, before - 2, "->"))))) return false;
    text_insert(t, skip_group(t, open, NULL), ")");
    text_insert(t, start, "__CUCPU_HOST_CALL(");
    r->start = start;
    r->warning = "a __host__ function is called in a __host__ __device__ function: a kernel that comes here ends with an error";
    return true;
}

/* Inserts the word; wrap: where the function is inline already, the call is changed. */
static bool make_inline(Text *t, Refusal *r, bool wrap) {
    static const char *const others[] = {"inline", "__inline__", "__forceinline__", "constexpr", "friend"};
    size_t brace = 0, start = function_around(t, r->at, &brace);
    if (start == t->n || has_word(t, start, brace, "__global__")) return false;
    bool by_use = is_generic(t, start, brace);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) by_use |= has_word(t, start, brace, others[k]);
    if (by_use) return wrap && wrap_call(t, r);
    r->start = skip_introducers(t, start);
    if (r->start >= brace) return false;
    text_insert(t, r->start, "inline ");
    r->warning = "this __host__ __device__ function calls a __host__ function, which device code cannot";
    return true;
}

bool inline_both_sides(Text *t, Refusal *r) { return make_inline(t, r, true); }

/* The call is to a function for both sides that calls one of the host: std::pair's assignment, of strings. */
bool inline_callers(Text *t, Refusal *r) { return make_inline(t, r, false); }
