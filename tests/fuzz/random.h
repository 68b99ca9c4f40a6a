/* random.h: the generator of random numbers (splitmix64): the same seed, the same program. */
#ifndef FUZZ_RANDOM_H
#define FUZZ_RANDOM_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_next(Random *r) {
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
/* 0 ... n-1 */
static inline int random_below(Random *r, int n) { return (int)(random_next(r) % (uint64_t)n); }
static inline bool random_chance(Random *r, int percent) { return random_below(r, 100) < percent; }
#endif
