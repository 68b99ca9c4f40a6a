/* arena.c: see arena.h. */
#include "passes/support/arena.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct ArenaChunk {
    ArenaChunk *next;
    size_t pad;
};

enum { CHUNK = 64 * 1024 };

void *arena_alloc(Arena *a, size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if ((size_t)(a->end - a->at) < bytes) {
        size_t size = bytes > CHUNK ? bytes : CHUNK;
        ArenaChunk *c = calloc(1, sizeof *c + size);
        if (!c) abort();
        c->next = a->chunks;
        a->chunks = c;
        a->at = (char *)(c + 1);
        a->end = a->at + size;
    }
    void *p = a->at;
    a->at += bytes;
    return p;
}

char *arena_printf(Arena *a, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    char *s = arena_alloc(a, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    return s;
}

void arena_free(Arena *a) {
    for (ArenaChunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    memset(a, 0, sizeof *a);
}

void *vec_grow(Arena *a, void *old, int n, int *cap, size_t size) {
    *cap = *cap ? *cap * 2 : 8;
    void *p = arena_alloc(a, (size_t)*cap * size);
    if (n) memcpy(p, old, (size_t)n * size);
    return p;
}

void map_init(PtrMap *m, Arena *a) {
    memset(m, 0, sizeof *m);
    m->arena = a;
}

static size_t hash_slot(const PtrMap *m, const void *key) {
    size_t h = (uintptr_t)key;
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 29;
    size_t i = h & (m->cap - 1);
    while (m->keys[i] && m->keys[i] != key) i = (i + 1) & (m->cap - 1);
    return i;
}

static void map_rehash(PtrMap *m) {
    PtrMap big = *m;
    big.cap = m->cap ? m->cap * 2 : 64;
    big.keys = arena_array(m->arena, const void *, big.cap);
    big.values = arena_array(m->arena, uintptr_t, big.cap);
    for (size_t i = 0; i < m->cap; i++)
        if (m->keys[i]) {
            size_t s = hash_slot(&big, m->keys[i]);
            big.keys[s] = m->keys[i];
            big.values[s] = m->values[i];
        }
    *m = big;
}

void map_put(PtrMap *m, const void *key, uintptr_t value) {
    if (m->n * 2 >= m->cap) map_rehash(m);
    size_t s = hash_slot(m, key);
    if (!m->keys[s]) m->n++;
    m->keys[s] = key;
    m->values[s] = value;
}

uintptr_t map_get(const PtrMap *m, const void *key, uintptr_t absent) {
    if (!m->cap || !key) return absent;
    size_t s = hash_slot(m, key);
    return m->keys[s] ? m->values[s] : absent;
}
