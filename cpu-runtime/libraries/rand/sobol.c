/* sobol.c: direction vectors of Sobol's sequences in 20000 dimensions, from Joe and Kuo's direction numbers
** (sobol.inc, by sobol.py).
**
** A sequence of scrambled vectors is one of Owen's kind: a random matrix that leaves each digit and adds some of the
** digits before it (Matousek 1998), and a random constant; both come from Philox, so they are the same in each run.
** cuRAND's are others.
**
** Joe and Kuo's numbers, new-joe-kuo-6.21201, are under this licence:
**
** Copyright (c) 2008, Frances Y. Kuo and Stephen Joe.  All rights reserved.
** Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
** following conditions are met: Redistributions of source code must retain the above copyright notice, this list of
** conditions and the following disclaimer.  Redistributions in binary form must reproduce the above copyright
** notice, this list of conditions and the following disclaimer in the documentation and/or other materials provided
** with the distribution.  Neither the names of the copyright holders nor the names of the University of New South
** Wales and the University of Waikato and its contributors may be used to endorse or promote products derived from
** this software without specific prior written permission. THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS "AS
** IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF
** MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED.  IN NO EVENT SHALL THE COPYRIGHT HOLDERS BE
** LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT
** LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
** HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
** NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF
** SUCH DAMAGE. */
#include "rand.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define CUCPU_RANDOM_ static inline __attribute__((unused))
#define CUCPU_RANDOM_CALL_ static __attribute__((unused))
#define CUCPU_RANDOM_TABLE_ static __attribute__((unused)) const
#include "cucpu/random.h"

enum { WORD = 64, DEGREES = 18 };

/* Dimensions of each degree from 1 on; all primitive polynomials but for the last degree. */
static const uint16_t of_degree[DEGREES] = {1,  1,   2,   2,   6,   6,    18,   16,   48,
                                            60, 176, 144, 630, 756, 1800, 2048, 7710, 6575};
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const char packed[] =
#include "sobol.inc"
    ;

/* ---- the numbers, bit by bit ---- */

typedef struct Bits {
    const char *next;
    uint32_t held, count;
} Bits;

static uint32_t six(char c) {
    return (uint32_t)(c >= 'a' ? c - 'a' + 26 : c >= 'A' ? c - 'A' : c >= '0' ? c - '0' + 52 : c == '+' ? 62 : 63);
}

static uint32_t take(Bits *b, uint32_t count) {
    while (b->count < count) {
        b->held |= six(*b->next++) << b->count;
        b->count += 6;
    }
    uint32_t value = b->held & ((1u << count) - 1);
    b->held >>= count;
    b->count -= count;
    return value;
}

/* ---- direction vectors, the first digit in the highest of 64 bits ---- */

/* Bratley and Fox 1988: v[j] from the `degree` before it, by the polynomial's inner coefficients. */
static void extend(uint64_t *v, uint32_t degree, uint32_t inner) {
    for (uint32_t j = degree; j < WORD; j++) {
        v[j] = v[j - degree] ^ v[j - degree] >> degree;
        for (uint32_t k = 1; k < degree; k++)
            if (inner >> (degree - 1 - k) & 1) v[j] ^= v[j - k];
    }
}

static void scramble(uint64_t *v, uint32_t dimension) {
    uint64_t rows[WORD], from[WORD];
    memcpy(from, v, sizeof from);
    memset(v, 0, sizeof from);
    for (uint32_t i = 0; i < WORD; i++) {
        uint4 r = cucpu_philox((uint4){i, dimension, 0, 0}, (uint2){0x6f77656e, 0});
        uint64_t digit = 1ull << (WORD - 1 - i), before = i ? ~0ull << (WORD - i) : 0;
        rows[i] = digit | (((uint64_t)r.x << 32 | r.y) & before);
        for (int j = 0; j < WORD; j++)
            if (__builtin_parityll(from[j] & rows[i])) v[j] |= digit;
    }
}

static uint64_t constant(uint32_t dimension) {
    uint4 r = cucpu_philox((uint4){0, dimension, 1, 0}, (uint2){0x6f77656e, 0});
    return (uint64_t)r.x << 32 | r.y;
}

/* ---- tables: made at the first use ---- */

static uint64_t (*plain)[WORD], (*scrambled)[WORD];
static uint32_t (*short_tables[2])[32];
static uint64_t *constants;
static uint32_t *short_constants;

static void make_plain(void) {
    uint64_t(*t)[WORD] = malloc(RAND_DIMENSIONS * sizeof *t);
    if (!t) return;
    for (int j = 0; j < WORD; j++) t[0][j] = 1ull << (WORD - 1 - j);
    Bits b = {packed, 0, 0};
    for (uint32_t degree = 1, d = 1; degree <= DEGREES; degree++)
        for (uint32_t i = 0; i < of_degree[degree - 1]; i++, d++) {
            uint32_t inner = take(&b, degree - 1);
            for (uint32_t j = 0; j < degree; j++) t[d][j] = (2ull * take(&b, j) + 1) << (WORD - 1 - j);
            extend(t[d], degree, inner);
        }
    plain = t;
}

static void make_scrambled(void) {
    uint64_t(*t)[WORD] = plain ? malloc(RAND_DIMENSIONS * sizeof *t) : NULL;
    uint64_t *c = t ? malloc(RAND_DIMENSIONS * sizeof *c) : NULL;
    uint32_t *s = c ? malloc(RAND_DIMENSIONS * sizeof *s) : NULL;
    if (!s) return;
    memcpy(t, plain, RAND_DIMENSIONS * sizeof *t);
    for (uint32_t d = 0; d < RAND_DIMENSIONS; d++) {
        scramble(t[d], d);
        c[d] = constant(d);
        s[d] = (uint32_t)(c[d] >> 32);
    }
    scrambled = t;
    constants = c;
    short_constants = s;
}

/* Sequences of 32 bits have the upper halves of the first 32 vectors. */
static void make_short(int which) {
    uint64_t(*from)[WORD] = which ? scrambled : plain;
    uint32_t(*t)[32] = from ? malloc(RAND_DIMENSIONS * sizeof *t) : NULL;
    if (!t) return;
    for (uint32_t d = 0; d < RAND_DIMENSIONS; d++)
        for (int j = 0; j < 32; j++) t[d][j] = (uint32_t)(from[d][j] >> 32);
    short_tables[which] = t;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* NULL: no memory. */
const void *rand_directions(bool mixed, bool wide) {
    pthread_mutex_lock(&lock);
    if (!plain) make_plain();
    if (mixed && !scrambled) make_scrambled();
    if (!wide && !short_tables[mixed]) make_short(mixed);
    const void *t = !wide ? (const void *)short_tables[mixed] : mixed ? scrambled : plain;
    pthread_mutex_unlock(&lock);
    return t;
}
const uint64_t *rand_constants(void) { return rand_directions(true, true) ? constants : NULL; }

/* ---- the API of the tables ---- */

static curandStatus_t directions(const void *to, bool known, bool mixed, bool wide, const void **table) {
    if (!to || !known) return CURAND_STATUS_OUT_OF_RANGE;
    *table = rand_directions(mixed, wide);
    return *table ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set) {
    bool mixed = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6;
    const void *table;
    curandStatus_t r = directions(vectors, mixed || set == CURAND_DIRECTION_VECTORS_32_JOEKUO6, mixed, false, &table);
    if (!r) *vectors = (curandDirectionVectors32_t *)(uintptr_t)table;
    return r;
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set) {
    bool mixed = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6;
    const void *table;
    curandStatus_t r = directions(vectors, mixed || set == CURAND_DIRECTION_VECTORS_64_JOEKUO6, mixed, true, &table);
    if (!r) *vectors = (curandDirectionVectors64_t *)(uintptr_t)table;
    return r;
}

curandStatus_t curandGetScrambleConstants32(unsigned int **to) {
    if (!to) return CURAND_STATUS_OUT_OF_RANGE;
    if (!rand_constants()) return CURAND_STATUS_ALLOCATION_FAILED;
    *to = short_constants;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetScrambleConstants64(unsigned long long **to) {
    if (!to) return CURAND_STATUS_OUT_OF_RANGE;
    if (!rand_constants()) return CURAND_STATUS_ALLOCATION_FAILED;
    *to = (unsigned long long *)constants;
    return CURAND_STATUS_SUCCESS;
}
