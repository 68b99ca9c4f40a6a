/* text.c: the arena and the string helpers declared in text.h.
** The arena is a list of blocks with a static head, so that leak checkers see it as reachable. */
#define _GNU_SOURCE
#include "launcher/text.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Block {
    struct Block *next;
    size_t used, size;
    max_align_t bytes[];
} Block;

static Block *blocks;

void *text_alloc(size_t size) {
    size = (size + 15) & ~(size_t)15;
    if (!blocks || blocks->size - blocks->used < size) {
        size_t room = size > 65536 ? size : 65536;
        Block *b = calloc(1, sizeof *b + room);
        if (!b) {
            fputs("cucpu: error: out of memory\n", stderr);
            exit(1);
        }
        b->next = blocks;
        b->size = room;
        blocks = b;
    }
    void *p = (char *)blocks->bytes + blocks->used;
    blocks->used += size;
    return p;
}

void text_free(void) {
    while (blocks) {
        Block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

char *text_copy(const char *s, size_t n) {
    char *p = text_alloc(n + 1);
    memcpy(p, s, n);
    return p;
}

char *text_format(const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    char *p = text_alloc((size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    return p;
}

char *text_quote(const char *s) {
    static const char plain[] = "-_./=+:,@%";
    bool safe = *s != 0;
    for (const char *c = s; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr(plain, *c)) safe = false;
    if (safe) return text_copy(s, strlen(s));
    char *out = text_alloc(strlen(s) * 4 + 3), *p = out;
    *p++ = '\'';
    for (; *s; s++) {
        if (*s == '\'') {
            memcpy(p, "'\\''", 4);
            p += 4;
        } else {
            *p++ = *s;
        }
    }
    *p++ = '\'';
    *p = 0;
    return out;
}

bool text_starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

bool text_ends(const char *s, const char *suffix) {
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && strcmp(s + n - m, suffix) == 0;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

size_t text_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b), width = m + 1;
    size_t *d = text_alloc((n + 1) * width * sizeof *d);
    for (size_t j = 0; j <= m; j++) d[j] = j;
    for (size_t i = 1; i <= n; i++) {
        d[i * width] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t *cell = &d[i * width + j];
            *cell = cell[-(ptrdiff_t)width - 1] + (a[i - 1] != b[j - 1]);
            *cell = smaller(*cell, smaller(cell[-(ptrdiff_t)width], cell[-1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                *cell = smaller(*cell, d[(i - 2) * width + j - 2] + 1);
        }
    }
    return d[n * width + m];
}

/* FNV-1a with a final mix (the last bytes of FNV alone do not reach all bits). */
uint64_t text_hash(uint64_t seed, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    uint64_t h = seed ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

void vec_add(StrVec *v, const char *s) {
    if (v->n + 1 >= v->cap) {
        size_t cap = v->cap ? 2 * v->cap : 16;
        const char **bigger = text_alloc(cap * sizeof *bigger);
        if (v->n) memcpy(bigger, v->v, v->n * sizeof *bigger);
        v->v = bigger;
        v->cap = cap;
    }
    v->v[v->n++] = s;
    v->v[v->n] = NULL;
}

void vec_add_all(StrVec *v, const StrVec *from) {
    for (size_t i = 0; i < from->n; i++) vec_add(v, from->v[i]);
}

void vec_split(StrVec *v, const char *s, const char *separators) {
    while (*s) {
        while (*s && strchr(separators, *s)) s++;
        if (!*s) break;
        char *word = text_alloc(strlen(s) + 1), *p = word, quote = 0;
        for (; *s && (quote || !strchr(separators, *s)); s++) {
            if (*s == '\\' && quote != '\'' && s[1]) *p++ = *++s;
            else if (quote ? *s == quote : *s == '"' || *s == '\'') quote = quote ? 0 : *s;
            else *p++ = *s;
        }
        vec_add(v, word);
    }
}

bool vec_has(const StrVec *v, const char *s) {
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->v[i], s) == 0) return true;
    return false;
}

const char *const *vec_argv(StrVec *v) {
    if (!v->v) v->v = text_alloc(sizeof *v->v);
    return v->v;
}

const char *path_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_directory(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    return slash == path ? "/" : text_copy(path, (size_t)(slash - path));
}

const char *path_extension(const char *path) {
    const char *dot = strrchr(path_base(path), '.');
    return dot && dot != path_base(path) ? dot : "";
}

const char *path_stem(const char *path) {
    const char *base = path_base(path);
    return text_copy(base, strlen(base) - strlen(path_extension(base)));
}

const char *path_absolute(const char *path) {
    if (*path == '/') return path;
    char *cwd = getcwd(NULL, 0);
    const char *whole = text_format("%s/%s", cwd ? cwd : ".", path);
    free(cwd);
    return whole;
}

bool file_exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

char *file_read(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t n = 0, cap = 65536;
    char *bytes = text_alloc(cap + 1);
    for (size_t got; (got = fread(bytes + n, 1, cap - n, f)) > 0;) {
        n += got;
        if (n < cap) continue;
        char *bigger = text_alloc(2 * cap + 1);
        memcpy(bigger, bytes, n);
        bytes = bigger;
        cap *= 2;
    }
    bool failed = ferror(f) != 0;
    fclose(f);
    bytes[n] = 0;
    *size = n;
    return failed ? NULL : bytes;
}

bool file_write(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool good = fwrite(bytes, 1, size, f) == size;
    return fclose(f) == 0 && good;
}
