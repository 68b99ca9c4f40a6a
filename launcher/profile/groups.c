/* groups.c: activities of one name, added up. */
#include "launcher/profile/groups.h"
#include "launcher/text.h"
#include <stdlib.h>
#include <string.h>

const char *activity_name(const Activity *a, bool mangled) { return mangled && a->info ? a->info->name : a->name; }

static int by_sum(const void *a, const void *b) {
    const Group *x = a, *y = b;
    if (x->sum != y->sum) return x->sum > y->sum ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void add(Group *g, const Activity *a) {
    uint64_t ns = a->end - a->start;
    g->sum += ns;
    if (!g->count++ || ns < g->min) g->min = ns;
    if (ns > g->max) g->max = ns;
    g->last = a;
}

/* The place of a name in a table of open addressing, whose size is a power of two. */
static size_t slot_of(const Group *table, size_t size, const char *name) {
    size_t i = (size_t)text_hash(0, name, strlen(name)) & (size - 1);
    while (table[i].name && strcmp(table[i].name, name)) i = (i + 1) & (size - 1);
    return i;
}

static size_t table_size(const Process *p) {
    size_t names = p->nstrings + p->ninfos + 2, size = 64;
    while (size < 2 * names) size *= 2;
    return size;
}

Groups make_groups(const Process *p, bool (*wanted)(const Activity *a), bool mangled) {
    size_t size = table_size(p);
    Groups g = {.v = text_alloc(size * sizeof *g.v)};
    for (size_t i = 0; i < p->n; i++) {
        const Activity *a = &p->activities[i];
        if (!wanted(a)) continue;
        const char *name = activity_name(a, mangled);
        Group *to = &g.v[slot_of(g.v, size, name)];
        to->name = name;
        add(to, a);
        g.sum += a->end - a->start;
    }
    for (size_t i = 0; i < size; i++)
        if (g.v[i].name) g.v[g.n++] = g.v[i];
    if (g.n) qsort(g.v, g.n, sizeof *g.v, by_sum);
    return g;
}
