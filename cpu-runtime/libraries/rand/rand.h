/* rand.h: what the files of libcurand share.
**
** curand.c has the API; generate.c cuts a request into blocks of a kernel; words.c has the generators, which fill rows
** of words, mtgp32.c one of them; distribute.c makes numbers of words.  sobol.c has the vectors of quasirandom
** sequences, quasi.c their numbers.
**
** A generator has lanes, each with a part of the sequence of its own, and takes them cyclically: a visit draws some
** words from a lane and makes one number of them, a pair (normal numbers) or four (Philox).  Lanes keep their states
** between calls. */
#ifndef CUCPU_RAND_H
#define CUCPU_RAND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "driver_types.h"
#pragma GCC visibility push(default)
#include "curand.h"
#pragma GCC visibility pop

enum {
    RAND_CHUNK = 256, /* lanes of a block */
    RAND_WORDS = 8,   /* of a visit at most */
    RAND_VISIT = 4,   /* numbers of a visit at most */
    RAND_STATE = 6    /* words of a lane's state at most */
};

typedef uint32_t RandWords[RAND_WORDS][RAND_CHUNK]; /* [word of the visit][lane] */

/* name, bytes of a number; of a part of a visit: numbers, words, words of MRG32k3a */
#define RAND_KINDS(X)                                                                                                  \
    X(BITS, 4, 1, 1, 1)                                                                                                \
    X(UNIFORM, 4, 1, 1, 1)                                                                                             \
    X(UNIFORM_DOUBLE, 8, 1, 2, 1)                                                                                      \
    X(NORMAL, 4, 2, 2, 2)                                                                                              \
    X(NORMAL_DOUBLE, 8, 2, 4, 2)                                                                                       \
    X(LOG_NORMAL, 4, 2, 2, 2)                                                                                          \
    X(LOG_NORMAL_DOUBLE, 8, 2, 4, 2)                                                                                   \
    X(POISSON, 4, 1, 2, 1)

typedef enum RandKind {
#define X(name, ...) RAND_##name,
    RAND_KINDS(X)
#undef X
} RandKind;

/* Poisson numbers from uniform ones: cdf[i] is the probability of at most first + i; the last is 1. */
typedef struct RandPoisson {
    struct RandPoisson *next;
    double mean;
    uint32_t first, count;
    double cdf[];
} RandPoisson;

/* What a type of generator is. */
struct RandState;
typedef struct RandType {
    curandRngType_t type;
    uint32_t lanes, legacy_lanes; /* 1: a single sequence, words of a visit follow each other */
    uint32_t visit;               /* Philox: numbers of every visit; 0 = as the kind has it */
    bool mrg, odd, offset;        /* odd: any count of normal numbers; offset: can be set */
    size_t state_bytes;           /* in all, at the most lanes */
    /* States of `count` lanes from `lane` on. */
    void (*seed)(const struct RandState *s, uint32_t lane, uint32_t count);
    void (*fill)(const struct RandState *s, uint32_t lane, uint32_t count, int words, RandWords out);
    void (*back)(const struct RandState *s, uint32_t lane, int words); /* the last visit was not to its end */
    uint32_t quasi; /* bits of a quasirandom sequence's elements; 0 = a pseudorandom generator */
    bool scrambled;
} RandType;
const RandType *rand_type(curandRngType_t type);

typedef struct RandState {
    const RandType *type;
    uint32_t lanes;
    uint64_t seed, offset;
    void *lane_states;      /* arrays of `lanes` at the most; the order is that of words.c; quasirandom: the position */
    uint32_t dimensions;    /* of a quasirandom sequence */
    const void *directions; /* its vectors: rand_directions */
    const uint64_t *constants; /* what scrambled sequences begin with, or NULL */
} RandState;

typedef struct RandRequest {
    RandState state;
    RandKind kind;
    uint32_t lane, skip; /* the first visit's, and the numbers of it that are gone already */
    uint64_t n;
    void *out;
    double mean, deviation;
    const RandPoisson *poisson;
} RandRequest;

cudaError_t rand_seed(const RandState *state, bool host, cudaStream_t stream);
cudaError_t rand_generate(const RandRequest *request, bool host, cudaStream_t stream);

/* ---- distribute.c ---- */
typedef struct RandShape {
    uint32_t bytes, numbers, words; /* of a part of a visit: see RAND_KINDS */
    uint32_t parts;                 /* of a visit */
} RandShape;
RandShape rand_shape(const RandType *type, RandKind kind);
void rand_distribute(const RandRequest *request, const RandWords words, uint32_t count, void *out);
RandPoisson *rand_poisson(double mean);
uint32_t rand_quantile(const RandPoisson *table, double u);

/* ---- sobol.c, quasi.c ---- */
enum { RAND_DIMENSIONS = 20000 };
const void *rand_directions(bool scrambled, bool wide); /* 64 words of 64 bits for each dimension, or 32 of 32 */
const uint64_t *rand_constants(void);
void rand_quasi_seed(const RandState *s, uint32_t lane, uint32_t count);
cudaError_t rand_quasi(const RandRequest *request, bool host, cudaStream_t stream);

/* ---- mtgp32.c ---- */
enum { RAND_MTGP_BYTES = 65 << 12 };
void rand_mtgp_seed(const RandState *s, uint32_t lane, uint32_t count);
void rand_mtgp_fill(const RandState *s, uint32_t lane, uint32_t count, int words, RandWords out);

/* ---- generate.c ---- */
struct LibraryKernel;
cudaError_t rand_run(const struct LibraryKernel *k, uint64_t blocks, void *args, bool host, cudaStream_t stream);
#endif
