/* words.c: the generators: how lanes begin and go on.  State words lie in arrays over the lanes, so that loops over
** lanes are vectors. */
#include "rand.h"
#include <stdlib.h>
#include <string.h>
#define CUCPU_RANDOM_ static inline __attribute__((unused))
#define CUCPU_RANDOM_CALL_ static
#define CUCPU_RANDOM_TABLE_ static const
#include "cucpu/random.h"

static uint32_t *row(const RandState *s, int i) { return (uint32_t *)s->lane_states + (size_t)i * s->lanes; }

/* Numbers that the lane has given when the offset is reached, each by one word. */
static uint64_t position(const RandState *s, uint32_t lane) {
    return s->offset / s->lanes + (lane < s->offset % s->lanes);
}

/* ---- XORWOW: lane k has the numbers from k * 2^67 on ---- */

static void xorwow_seed(const RandState *s, uint32_t lane, uint32_t count) {
    uint32_t v[5], d, base = (uint32_t)(s->offset / s->lanes);
    cucpu_xorwow_seed(v, &d, s->seed);
    cucpu_xorwow_skip(v, s->offset / s->lanes, 0);
    cucpu_xorwow_skip(v, lane, 67);
    for (uint32_t i = lane; i < lane + count; i++, cucpu_xorwow_skip(v, 1, 67)) {
        uint32_t w[5], e = d + 362437u * base;
        memcpy(w, v, sizeof w);
        if (position(s, i) > s->offset / s->lanes) cucpu_xorwow_next(w, &e);
        for (int k = 0; k < 5; k++) row(s, k)[i] = w[k];
        row(s, 5)[i] = e;
    }
}

/* One word of each lane; the state's words by age. */
static void xorwow_step(size_t count, uint32_t *restrict a, uint32_t *restrict b, uint32_t *restrict c,
                        uint32_t *restrict d, uint32_t *restrict e, uint32_t *restrict counter,
                        uint32_t *restrict out) {
    for (size_t i = 0; i < count; i++) {
        uint32_t next = cucpu_xorwow_word(a[i], e[i]), k = counter[i] + 362437u;
        a[i] = b[i];
        b[i] = c[i];
        c[i] = d[i];
        d[i] = e[i];
        e[i] = next;
        counter[i] = k;
        out[i] = next + k;
    }
}

static void xorwow_fill(const RandState *s, uint32_t lane, uint32_t count, int words, RandWords out) {
    uint32_t *at[RAND_STATE];
    for (int k = 0; k < RAND_STATE; k++) at[k] = row(s, k) + lane;
    for (int w = 0; w < words; w++) xorwow_step(count, at[0], at[1], at[2], at[3], at[4], at[5], out[w]);
}

/* ---- MRG32k3a: lane k has the numbers from k * 2^76 on; a word is what cucpu_mrg_next gives ---- */

static void mrg_leap(uint32_t *v, const unsigned (*matrix)[3], uint32_t rest) {
    uint32_t w[3];
    for (int i = 0; i < 3; i++) w[i] = cucpu_mrg_row(matrix[i], v, 1, rest);
    memcpy(v, w, sizeof w);
}

static void mrg_seed(const RandState *s, uint32_t lane, uint32_t count) {
    uint32_t a[3], b[3];
    cucpu_mrg_seed(a, b, s->seed);
    cucpu_mrg_skip(a, b, s->offset / s->lanes, 0);
    cucpu_mrg_skip(a, b, lane, 1);
    for (uint32_t i = lane; i < lane + count; i++) {
        uint32_t x[3], y[3];
        memcpy(x, a, sizeof x);
        memcpy(y, b, sizeof y);
        if (position(s, i) > s->offset / s->lanes) cucpu_mrg_next(x, y);
        for (int k = 0; k < 3; k++) row(s, k)[i] = x[k], row(s, 3 + k)[i] = y[k];
        mrg_leap(a, cucpu_mrg_leap[1][0], CUCPU_MRG_REST1_);
        mrg_leap(b, cucpu_mrg_leap[1][1], CUCPU_MRG_REST2_);
    }
}

static void mrg_fill(const RandState *s, uint32_t lane, uint32_t count, int words, RandWords out) {
    for (size_t i = 0; i < count; i++) {
        uint32_t a[3], b[3];
        for (int k = 0; k < 3; k++) a[k] = row(s, k)[lane + i], b[k] = row(s, 3 + k)[lane + i];
        for (int w = 0; w < words; w++) out[w][i] = (uint32_t)cucpu_mrg_next(a, b);
        for (int k = 0; k < 3; k++) row(s, k)[lane + i] = a[k], row(s, 3 + k)[lane + i] = b[k];
    }
}

/* ---- Philox: lane k has subsequence k; the state is the number of its next block of four words ---- */

static uint64_t *blocks(const RandState *s) { return s->lane_states; }

static void philox_seed(const RandState *s, uint32_t lane, uint32_t count) {
    uint64_t visits = s->offset / 4;
    for (uint32_t i = lane; i < lane + count; i++) blocks(s)[i] = visits / s->lanes + (i < visits % s->lanes);
}

static void philox_fill(const RandState *s, uint32_t lane, uint32_t count, int words, RandWords out) {
    uint64_t *restrict next = blocks(s) + lane;
    uint2 key = {(uint32_t)s->seed, (uint32_t)(s->seed >> 32)};
    for (int w = 0; w < words; w += 4)
        for (size_t i = 0; i < count; i++) {
            uint64_t n = next[i]++;
            uint4 r = cucpu_philox((uint4){(uint32_t)n, (uint32_t)(n >> 32), lane + (uint32_t)i, 0}, key);
            out[w][i] = r.x, out[w + 1][i] = r.y, out[w + 2][i] = r.z, out[w + 3][i] = r.w;
        }
}

static void philox_back(const RandState *s, uint32_t lane, int words) { blocks(s)[lane] -= (uint64_t)words / 4; }

/* ---- MT19937 (Matsumoto and Nishimura 1998): one sequence ---- */

enum { MT_N = 624, MT_M = 397 };
typedef struct Twister {
    uint32_t v[MT_N], next;
} Twister;

static void mt_seed(const RandState *s, uint32_t lane, uint32_t count) {
    Twister *t = s->lane_states;
    t->v[0] = (uint32_t)s->seed ^ (uint32_t)(s->seed >> 32);
    for (uint32_t i = 1; i < MT_N; i++) t->v[i] = 1812433253u * (t->v[i - 1] ^ t->v[i - 1] >> 30) + i;
    t->next = MT_N;
    (void)lane;
    (void)count;
}

static void mt_twist(uint32_t *v) {
    for (int i = 0; i < MT_N; i++) {
        uint32_t y = (v[i] & 0x80000000u) | (v[(i + 1) % MT_N] & 0x7fffffffu);
        v[i] = v[(i + MT_M) % MT_N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
}

static uint32_t mt_next(Twister *t) {
    if (t->next == MT_N) {
        mt_twist(t->v);
        t->next = 0;
    }
    uint32_t y = t->v[t->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

static void mt_fill(const RandState *s, uint32_t lane, uint32_t count, int words, RandWords out) {
    for (size_t i = 0; i < count; i++)
        for (int w = 0; w < words; w++) out[w][i] = mt_next(s->lane_states);
    (void)lane;
}

/* ---- the table ---- */

enum { XORWOW_LANES = 4096, MRG_LANES = 81920, PHILOX_LANES = 65536 };

#define QUASI_(name, bits, scrambled)                                                                                  \
    {                                                                                                                  \
        CURAND_RNG_QUASI_##name, 1, 1, 0, false, true, true, sizeof(uint64_t), rand_quasi_seed, NULL, NULL, bits,      \
            scrambled                                                                                                  \
    }
#define SIX_(lanes) ((lanes)*RAND_STATE * sizeof(uint32_t))
static const RandType types[] = {
    /* lanes, legacy, visit, mrg, odd, offset */
    {CURAND_RNG_PSEUDO_XORWOW, XORWOW_LANES, XORWOW_LANES, 0, false, false, true, SIX_(XORWOW_LANES), xorwow_seed,
     xorwow_fill, NULL, 0, false},
    {CURAND_RNG_PSEUDO_MRG32K3A, MRG_LANES, 4096, 0, true, false, true, SIX_(MRG_LANES), mrg_seed, mrg_fill, NULL, 0,
     false},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, PHILOX_LANES, PHILOX_LANES, 4, false, true, true, PHILOX_LANES * sizeof(uint64_t),
     philox_seed, philox_fill, philox_back, 0, false},
    {CURAND_RNG_PSEUDO_MT19937, 1, 1, 0, false, true, false, sizeof(Twister), mt_seed, mt_fill, NULL, 0, false},
    {CURAND_RNG_PSEUDO_MTGP32, 1, 1, 0, false, false, false, RAND_MTGP_BYTES, rand_mtgp_seed, rand_mtgp_fill, NULL, 0,
     false},
    QUASI_(SOBOL32, 32, false),
    QUASI_(SCRAMBLED_SOBOL32, 32, true),
    QUASI_(SOBOL64, 64, false),
    QUASI_(SCRAMBLED_SOBOL64, 64, true),
};

const RandType *rand_type(curandRngType_t type) {
    if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT) type = CURAND_RNG_QUASI_SOBOL32;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) return &types[i];
    return NULL;
}
