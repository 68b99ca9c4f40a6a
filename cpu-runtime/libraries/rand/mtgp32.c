/* mtgp32.c: MTGP32 (Saito and Matsumoto 2012) as a generator: 64 sequences, each of a parameter set of its own, in the
** order of cuRAND as far as it is known: 256 words of the first, 256 of the second, ... of the last, then
** the next 256 of the first.
**
** The words follow each other in one sequence, from which each number takes as many as it needs. */
#include "rand.h"
#include "curand_mtgp32_host.h"

enum { SETS = 64, ROW = 256 };

typedef struct Mtgp {
    uint32_t s[SETS][MTGP32_STATE_SIZE],
        begin[SETS];              /* a ring of the last words, and where the recurrence reads first */
    uint32_t row[ROW], set, next; /* words of the set that is next; ROW: none are left */
} Mtgp;

void rand_mtgp_seed(const RandState *s, uint32_t lane, uint32_t count) {
    Mtgp *g = s->lane_states;
    uint32_t seed = (uint32_t)s->seed ^ (uint32_t)(s->seed >> 32);
    for (uint32_t i = 0; i < SETS; i++) {
        mtgp32_init_state(g->s[i], &mtgp32dc_params_fast_11213[i], seed + i + 1);
        g->begin[i] = 0;
    }
    g->set = SETS - 1; /* the one before the first */
    g->next = ROW;
    (void)lane, (void)count;
}

/* No word depends on another one of its row. */
static void next_row(Mtgp *g) {
    uint32_t set = g->set = (g->set + 1) % SETS, begin = g->begin[set], *s = g->s[set];
    const mtgp32_params_fast_t *p = &mtgp32dc_params_fast_11213[set];
    for (uint32_t i = begin; i < begin + ROW; i++) {
        uint32_t x = (s[i & MTGP32_STATE_MASK] & p->mask) ^ s[(i + 1) & MTGP32_STATE_MASK];
        x ^= x << p->sh1;
        uint32_t y = x ^ s[(i + (uint32_t)p->pos) & MTGP32_STATE_MASK] >> p->sh2;
        y ^= p->tbl[y & 15];
        uint32_t t = s[(i + (uint32_t)p->pos - 1) & MTGP32_STATE_MASK];
        t ^= t >> 16;
        t ^= t >> 8;
        s[(i + MTGP32_N) & MTGP32_STATE_MASK] = y;
        g->row[i - begin] = y ^ p->tmp_tbl[t & 15];
    }
    g->begin[set] = (begin + ROW) & MTGP32_STATE_MASK;
    g->next = 0;
}

void rand_mtgp_fill(const RandState *s, uint32_t lane, uint32_t count, int words, RandWords out) {
    Mtgp *g = s->lane_states;
    for (size_t i = 0; i < count; i++)
        for (int w = 0; w < words; w++) {
            if (g->next == ROW) next_row(g);
            out[w][i] = g->row[g->next++];
        }
    (void)lane;
}

_Static_assert(sizeof(Mtgp) <= RAND_MTGP_BYTES, "the state has a place");
