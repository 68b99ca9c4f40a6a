/* spaced_launch.c: nvcc accepts `kernel << < grid, block >> > (...)`, which code formatters that do not know CUDA leave
** behind, and lists in braces as `kernel<<<{4, 4}, {64}>>>(...)`; clang does not.
**
** `<< <` is turned into `<<< `, of the same length.  `<<` before `<` is no C++ but for operator names (`operator<<
** <int>`), and `>> >` is only joined where it ends a launch: `vector<vector<set<int>> >` stays.  Not looked into:
** comments between the two parts of a token.  A list in braces gets its type in front. */
#include "launcher/nvcc/source_text.h"
#include <ctype.h>
#include <string.h>

/* `two` and, behind at least one space, `one`, at i: joined in front of the space. */
static bool join(const Text *t, size_t i, const char *two) {
    if (!text_at(t, i, two)) return false;
    size_t end = i + 2;
    while (end < t->n && isspace((unsigned char)t->s[end])) end++;
    if (end == i + 2 || end == t->n || t->s[end] != two[0]) return false;
    memmove(t->s + i + 3, t->s + i + 2, end - i - 2);
    t->s[i + 2] = two[0];
    return true;
}

/* The end of the launch whose configuration begins at i. */
static bool join_end(const Text *t, size_t i) {
    for (int depth = 0; i < t->n && depth >= 0; i++) {
        size_t next = skip_token(t, i);
        if (next != i) i = next - 1;
        else if (bracket(t->s[i])) depth += bracket(t->s[i]);
        else if (depth == 0 && (text_at(t, i, ">>>") || t->s[i] == ';')) return false;
        else if (depth == 0 && join(t, i, ">>")) return true;
    }
    return false;
}

/* The launch whose configuration begins at i: {1, 2} becomes dim3{1, 2}. */
static bool type_braces(Text *t, size_t i) {
    static const char *const types[] = {"dim3", "dim3", "size_t", "cudaStream_t"};
    bool first = true, changed = false;
    size_t argument = 0;
    for (int depth = 0; (i = skip_blank(t, i)) < t->n && depth >= 0; i++) {
        size_t next = skip_token(t, i);
        char c = t->s[i];
        if (next != i) {
            i = next - 1;
            first = false;
            continue;
        }
        if (depth == 0 && (c == ';' || text_at(t, i, ">>>"))) break;
        if (c == '{' && first && argument < sizeof types / sizeof *types) {
            text_insert(t, i, types[argument]);
            i += strlen(types[argument]);
            changed = true;
        }
        depth += bracket(c);
        first = depth == 0 && c == ',';
        argument += first;
    }
    return changed;
}

bool spaced_launch(Text *t) {
    bool changed = false, operator_name = false;
    for (size_t i = 0; i < t->n;) {
        size_t next = skip_token(t, i);
        if (next != i) {
            if (is_name(t->s[i])) operator_name = next - i == 8 && text_at(t, i, "operator");
            i = next;
            continue;
        }
        bool joined = !operator_name && join(t, i, "<<");
        bool launch = joined || text_at(t, i, "<<<");
        if (!isspace((unsigned char)t->s[i])) operator_name = false;
        i += launch ? 3 : text_at(t, i, "<<") ? 2 : 1;
        changed |= joined;
        if (!launch) continue;
        changed |= join_end(t, i);
        changed |= type_braces(t, i);
    }
    return changed;
}
