/* text.c: what all parts of the front end share: types by name, interned names, messages. */
#include "ptx-frontend/ptx.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const PtxType types[] = {
#define TYPE(name, kind, bits, lanes)                                                                                  \
    { kind, bits, lanes, name }
    TYPE("b8", 'b', 8, 1),          TYPE("b16", 'b', 16, 1),     TYPE("b32", 'b', 32, 1),    TYPE("b64", 'b', 64, 1),
    TYPE("b128", 'b', 128, 1),      TYPE("u8", 'u', 8, 1),       TYPE("u16", 'u', 16, 1),    TYPE("u32", 'u', 32, 1),
    TYPE("u64", 'u', 64, 1),        TYPE("s8", 's', 8, 1),       TYPE("s16", 's', 16, 1),    TYPE("s32", 's', 32, 1),
    TYPE("s64", 's', 64, 1),        TYPE("f16", 'f', 16, 1),     TYPE("f32", 'f', 32, 1),    TYPE("f64", 'f', 64, 1),
    TYPE("f16x2", 'f', 32, 2),      TYPE("bf16", 'y', 16, 1),    TYPE("bf16x2", 'y', 32, 2), TYPE("u16x2", 'u', 32, 2),
    TYPE("s16x2", 's', 32, 2),      TYPE("pred", 'p', 1, 1),     TYPE("tf32", 'o', 32, 1),   TYPE("texref", 'o', 64, 1),
    TYPE("samplerref", 'o', 64, 1), TYPE("surfref", 'o', 64, 1), TYPE("e4m3x2", 'o', 16, 2), TYPE("e5m2x2", 'o', 16, 2),
    TYPE("ue8m0x2", 'o', 16, 2),    TYPE("e4m3", 'm', 8, 1),     TYPE("e5m2", 'm', 8, 1),    TYPE("s4", 'm', 4, 1),
    TYPE("u4", 'm', 4, 1),          TYPE("b1", 'm', 1, 1),       TYPE("f32x2", 'f', 64, 2),  TYPE("e2m3x2", 'o', 16, 2),
    TYPE("e3m2x2", 'o', 16, 2),     TYPE("e2m1x2", 'o', 8, 2),   TYPE("s2", 'm', 2, 1),      TYPE("u2", 'm', 2, 1),
    TYPE("e4m3x4", 'o', 32, 4),     TYPE("e5m2x4", 'o', 32, 4),  TYPE("e2m3", 'm', 8, 1),    TYPE("e3m2", 'm', 8, 1),
    TYPE("e2m1", 'm', 8, 1),                                  /* each in a byte */
    TYPE("ue8m0", 'm', 8, 1),       TYPE("ue4m3", 'm', 8, 1), /* of scales */
    TYPE("e2m3x4", 'o', 32, 4),     TYPE("e3m2x4", 'o', 32, 4),  TYPE("e2m1x4", 'o', 16, 4),
#undef TYPE
};

const PtxType *ptx_type(const char *name) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name)) return &types[i];
    return NULL;
}

/* ---- names ---- */

typedef struct Interned {
    struct Interned *next;
    uint32_t hash, n;
    char text[];
} Interned;

typedef struct NameTable {
    Interned **buckets;
    size_t size, used;
} NameTable;

static void grow_names(NameTable *t) {
    size_t size = t->size * 4;
    Interned **b = calloc(size, sizeof *b);
    if (!b) return;
    for (size_t i = 0; i < t->size; i++)
        for (Interned *x = t->buckets[i], *next; x; x = next) {
            next = x->next;
            x->next = b[x->hash & (size - 1)];
            b[x->hash & (size - 1)] = x;
        }
    free(t->buckets);
    t->buckets = b;
    t->size = size;
}

const char *ptx_intern(Ptx *p, const char *s, size_t n) {
    NameTable *t = p->names;
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    for (Interned *x = t->buckets[h & (t->size - 1)]; x; x = x->next)
        if (x->hash == h && x->n == n && !memcmp(x->text, s, n)) return x->text;
    if (t->used++ > t->size) grow_names(t);
    Interned *x = arena_alloc(&p->arena, sizeof *x + n + 1);
    x->hash = h;
    x->n = (uint32_t)n;
    memcpy(x->text, s, n);
    x->next = t->buckets[h & (t->size - 1)];
    t->buckets[h & (t->size - 1)] = x;
    return x->text;
}

void ptx_open(Ptx *p, const char *file, const char *text, size_t length) {
    memset(p, 0, sizeof *p);
    p->file = file;
    p->names = arena_alloc(&p->arena, sizeof *p->names);
    p->names->size = 1024;
    p->names->buckets = calloc(p->names->size, sizeof *p->names->buckets);
    p->lex = (Lexer){.at = text, .end = text + length, .line_start = text, .line = 1, .loc = {1, 1}};
}

void ptx_close(Ptx *p) {
    free(p->names->buckets);
    arena_free(&p->arena);
}

/* ---- messages ---- */

static void say(Ptx *p, PtxLoc at, const char *kind, const char *format, va_list ap) {
    char text[512];
    vsnprintf(text, sizeof text, format, ap);
    if (p->fragment) {
        if (!p->report) p->report = arena_printf(&p->arena, "%s", text);
        return;
    }
    fprintf(stderr, "%s:%u:%u: error: %s%s\n", p->file, at.line, at.col, kind, text);
}

void ptx_error(Ptx *p, PtxLoc at, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    say(p, at, "", format, ap);
    va_end(ap);
    p->errors++;
    longjmp(*p->resume, 1);
}

void ptx_unsupported(Ptx *p, PtxLoc at, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    say(p, at, "unsupported: ", format, ap);
    va_end(ap);
    if (!p->errors) p->lacks = true;
    p->unsupported++;
    longjmp(*p->resume, 1);
}
