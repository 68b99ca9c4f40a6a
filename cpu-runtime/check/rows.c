/* rows.c: plain accesses of a group to words that follow each other, compared by vectors: the same as
** race_access_quickly (cells.h) for each word.
**
** Vectors are whole: words after the row keep what they have.  There is a version for each instruction set. */
#include "check/cells.h"

enum { N = 8, THREAD_SHIFT = 26, RECORD_SHIFT = 36 };
typedef Stamp Vector __attribute__((vector_size(N * sizeof(Stamp)), aligned(sizeof(Stamp)), may_alias));
#define THREAD_FIELD ((Stamp)1023 << THREAD_SHIFT)
#define WARP_FIELD ((Stamp)(1023 & ~31) << THREAD_SHIFT)
#define RECORD_FIELD (~(Stamp)0 << RECORD_SHIFT)
#define INLINE static inline __attribute__((always_inline))

typedef struct Row {
    Stamp low, first, earlier; /* of Quick, as the lowest stamps with these records; earlier: from `first` on */
    Stamp s;                   /* of the first word */
    uint32_t words, shift;     /* not more than N; 1 << shift words are of one thread */
} Row;

/* What is loaded of the words of a row; conditions are all ones or 0 in each word. */
typedef struct Words {
    Vector s, here; /* their stamps now; which are of the row */
    Vector write, read[2], more;
} Words;

INLINE void load(Words *v, const Row *r, const Cell *c) {
    const Vector lane = {0, 1, 2, 3, 4, 5, 6, 7};
    v->s = r->s + ((lane >> r->shift) << THREAD_SHIFT);
    v->here = (Vector)(lane < r->words);
    v->write = *(const Vector *)&c->write.s, v->more = *(const Vector *)&c->more.s;
    for (int k = 0; k < 2; k++) v->read[k] = *(const Vector *)&c->read[k].s;
}

#define IS_OWN(slot) ((Vector)(((slot ^ v.s) & THREAD_FIELD) == 0) & (Vector)(slot >= r->first))
#define IS_BEFORE(slot) ((Vector)(slot < r->low) | (Vector)(slot - r->first < r->earlier))
#define OF_WARP(a, b) ((Vector)(((a ^ b) & WARP_FIELD) == 0))
#define BLEND(on, a, b) (((a) & (on)) | ((b) & ~(on)))

INLINE Stamp any(Vector v) {
    Stamp all = 0;
    for (int i = 0; i < N; i++) all |= v[i];
    return all;
}

/* Not 0: there are words that are not quick to see. */
INLINE Stamp write_words(const Row *r, Cell *c) {
    Words v;
    load(&v, r, c);
    Vector ok = (IS_BEFORE(v.write) | IS_OWN(v.write)) & (Vector)(v.more == 0);
    for (int k = 0; k < 2; k++) ok &= IS_BEFORE(v.read[k]) | IS_OWN(v.read[k]);
    Vector now = ok & v.here;
    *(Vector *)&c->write.s = BLEND(now, v.s, v.write);
    for (int k = 0; k < 2; k++)
        if (any(v.read[k])) *(Vector *)&c->read[k].s = v.read[k] & ~now;
    return any(v.here & ~ok);
}

/* What race_keep_read does. */
INLINE void keep_reads(const Row *r, const Words *of, Vector ok, Cell *c) {
    const Words v = *of;
    Vector a = v.read[0], b = v.read[1], own_a = IS_OWN(a), own_b = IS_OWN(b);
    Vector both_now = (Vector)((((a ^ v.s) | (b ^ v.s)) & RECORD_FIELD) == 0);
    Vector known = both_now & ~own_a & ~own_b & ((OF_WARP(a, v.s) & OF_WARP(b, v.s)) | ~OF_WARP(a, b));
    Vector to_a = own_a | (IS_BEFORE(a) & ~own_b), to_b = ~to_a & (own_b | IS_BEFORE(b));
    Vector alike = (Vector)(a >= r->first) & ((Vector)(b < r->first) | (OF_WARP(a, v.s) & ~OF_WARP(b, v.s)));
    to_a |= ~to_b & alike, to_b = ~to_a;
    ok &= ~known;
    *(Vector *)&c->read[0].s = BLEND(to_a & ok, v.s, a);
    *(Vector *)&c->read[1].s = BLEND(to_b & ok, v.s, b);
}

INLINE Stamp read_words(const Row *r, Cell *c) {
    Words v;
    load(&v, r, c);
    Vector calm = IS_BEFORE(v.write) & (Vector)(v.more == 0), ok = calm | (IS_OWN(v.write) & (Vector)(v.more == 0));
    /* Reads of two warps at this position are known, one of which may be this one. */
    Vector same = (Vector)((((v.read[0] ^ v.s) | (v.read[1] ^ v.s)) & RECORD_FIELD) == 0);
    if (any(v.here & ~(calm & same & ~OF_WARP(v.read[0], v.read[1])))) keep_reads(r, &v, ok & v.here, c);
    return any(v.here & ~ok);
}

typedef Stamp Version(const Row *r, Cell *c);
#define VERSION(name, attribute)                                                                                       \
    attribute static Stamp write_##name(const Row *r, Cell *c) { return write_words(r, c); }                           \
    attribute static Stamp read_##name(const Row *r, Cell *c) { return read_words(r, c); }
VERSION(any, )
#ifdef __x86_64__
VERSION(v3, __attribute__((target("avx2"))))
VERSION(v4, __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))))
#endif

static Version *write_row = write_any, *read_row = read_any;

__attribute__((constructor)) static void choose(void) {
#ifdef __x86_64__
    __builtin_cpu_init();
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    if (wide) write_row = write_v4, read_row = read_v4;
    else if (__builtin_cpu_supports("avx2")) write_row = write_v3, read_row = read_v3;
#endif
}

/* Word by word: where words are accessed by atomics, too. */
static bool access_words(const Quick *of, const Row *r, Cell *first, bool writes) {
    Quick q = *of;
    for (uint32_t i = 0; i < r->words; i++) {
        q.thread = of->thread + (i >> r->shift);
        Stamp s = r->s + ((Stamp)(i >> r->shift) << THREAD_SHIFT);
        if (!race_access_quickly(&q, s, writes, race_cell_of(first, i))) return false;
    }
    return true;
}

bool race_access_row(const Quick *of, Cell *c, uint32_t words, unsigned shift, Stamp s, bool writes) {
    Quick q = *of;
    Row r = {.low = (Stamp)q.low << RECORD_SHIFT, .first = (Stamp)q.first << RECORD_SHIFT, .s = s, .shift = shift};
    r.earlier = q.earlier > q.first ? (Stamp)(q.earlier - q.first) << RECORD_SHIFT : 0;
    if (q.warps) return false;
    for (uint32_t i = 0; i < words; i += N, c = race_cell_of(c, N)) {
        r.words = words - i < N ? words - i : N;
        if ((writes ? write_row : read_row)(&r, c) && !access_words(&q, &r, c, writes)) return false;
        r.s += (Stamp)(N >> shift) << THREAD_SHIFT, q.thread += N >> shift;
    }
    return true;
}
