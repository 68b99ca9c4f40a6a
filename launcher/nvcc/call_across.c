/* call_across.c: words for the sides of a function, in front of its name.
**
** A function that only one half has, as it is in #ifdef __CUDA_ARCH__, with its twin for the other half beside it: nvcc
** checks calls from host code in the host half and calls from kernels in the device half; clang checks both in both.
** So the device half makes what host code calls there a __host__ function as well, the host half what kernels call
** there a __device__ function: the other half, which does not see that change, still refuses what is wrong.
**
** Members that have their specifiers in the class only, or only outside of it: plugin/specifiers.cpp tells which are
** missing. */
#include "launcher/nvcc/refused.h"
#include <ctype.h>
#include <string.h>

static size_t blank_before(const Text *t, size_t i) {
    while (i > 0 && isspace((unsigned char)t->s[i - 1])) i--;
    return i;
}

/* The < whose > is in front of i; 0: there is none. */
static size_t group_before(const Text *t, size_t i) {
    int depth = 0;
    while (i-- > 0) {
        depth += (t->s[i] == '>') - (t->s[i] == '<');
        if (depth == 0) return i;
    }
    return 0;
}

/* Where the qualified name begins whose last part is at i: attributes may stand in front of it. */
static size_t qualified_name(const Text *t, size_t i) {
    for (;;) {
        size_t p = blank_before(t, i);
        if (p < 2 || t->s[p - 1] != ':' || t->s[p - 2] != ':') return i;
        p = blank_before(t, p - 2);
        if (p > 0 && t->s[p - 1] == '>') p = blank_before(t, group_before(t, p));
        while (p > 0 && is_name(t->s[p - 1])) p--;
        i = p;
    }
}

/* False: they stand there already, and it did not help. */
static bool add_words(Text *t, Refusal *r, const char *words) {
    size_t n = strlen(words);
    r->start = qualified_name(t, r->at);
    if (r->start >= n && text_at(t, r->start - n, words)) return false;
    text_insert(t, r->start, words);
    return true;
}

/* Both words: a function that is defaulted, or that kernels call, may have none. */
bool add_sides(Text *t, Refusal *r) { return add_words(t, r, "__host__ __device__ "); }

bool add_device(Text *t, Refusal *r) { return add_words(t, r, "__device__ "); }

bool add_global(Text *t, Refusal *r) { return add_words(t, r, "__global__ "); }

bool add_sides_of_definition(Text *t, Refusal *r) {
    r->warning = "declared without and defined with __device__: it is for both sides";
    return add_sides(t, r);
}
