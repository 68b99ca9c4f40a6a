/* arena.h: bump allocation for everything whose life ends with a kernel or a module, and the two containers the passes
** need: growable arrays and a map from pointers. Nothing is freed singly; arena_free ends all of it. Running out of
** memory aborts: a compiler cannot go on. */
#ifndef CUCPU_ARENA_H
#define CUCPU_ARENA_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ArenaChunk ArenaChunk;
typedef struct Arena {
    ArenaChunk *chunks;
    char *at, *end;
} Arena;

void *arena_alloc(Arena *a, size_t bytes); /* zeroed, 16-byte aligned */
char *arena_printf(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(Arena *a);
#define arena_array(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* Vec(T): array that grows in an arena. */
#define Vec(T)                                                                                                         \
    struct {                                                                                                           \
        T *v;                                                                                                          \
        int n, cap;                                                                                                    \
    }
#define vec_push(a, vec, x)                                                                                            \
    ((vec)->n == (vec)->cap ? (void)((vec)->v = vec_grow((a), (vec)->v, (vec)->n, &(vec)->cap, sizeof *(vec)->v))      \
                            : (void)0,                                                                                 \
     (vec)->v[(vec)->n++] = (x))
void *vec_grow(Arena *a, void *old, int n, int *cap, size_t size);

/* Map from non-null pointers to pointers or integers; iteration order is never used. */
typedef struct PtrMap {
    const void **keys;
    uintptr_t *values;
    size_t n, cap;
    Arena *arena;
} PtrMap;
void map_init(PtrMap *m, Arena *a);
static inline PtrMap map_new(Arena *a) {
    PtrMap m;
    map_init(&m, a);
    return m;
}
void map_put(PtrMap *m, const void *key, uintptr_t value);
/* The value, or `absent`. */
uintptr_t map_get(const PtrMap *m, const void *key, uintptr_t absent);
static inline void *map_ptr(const PtrMap *m, const void *key) { return (void *)map_get(m, key, 0); }

/* Bit sets of a fixed number of members. */
typedef uint64_t *Bits;
static inline Bits bits_new(Arena *a, int n) { return arena_array(a, uint64_t, (n + 63) / 64 + 1); }
static inline int bits_has(const uint64_t *b, int i) { return (int)(b[i >> 6] >> (i & 63)) & 1; }
static inline void bits_add(Bits b, int i) { b[i >> 6] |= UINT64_C(1) << (i & 63); }
static inline void bits_del(Bits b, int i) { b[i >> 6] &= ~(UINT64_C(1) << (i & 63)); }
#endif
