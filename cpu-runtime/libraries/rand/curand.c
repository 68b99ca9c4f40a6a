/* curand.c: the API of libcurand: generators, their options, errors.
**
** The states of the lanes change in the order of the stream: a new seed, offset or ordering is noted here and
** becomes a kernel before the next numbers.  Which lane is next is known here, as all counts are. A graph must not
** begin anew each time that it is launched: what is captured goes on from states that were set at once, in memory
** that no kernel has used. */
#include "rand.h"
#include "cuda_runtime_api.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_MEAN = 400000, TABLES = 64 };

struct curandGenerator_st {
    RandState state;
    bool host, seeded, ran, captured;
    uint32_t lane, skip; /* of the next visit */
    uint64_t given;      /* numbers, since the offset */
    cudaStream_t stream;
    RandPoisson *tables;
    uint32_t ntables;
};

/* ---- generators ---- */

static void *new_states(const RandType *t) { return aligned_alloc(64, (t->state_bytes + 63) / 64 * 64); }

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool host) {
    const RandType *t = rand_type(type);
    if (!out) return CURAND_STATUS_NOT_INITIALIZED;
    if (!t) return CURAND_STATUS_TYPE_ERROR;
    curandGenerator_t g = calloc(1, sizeof *g);
    void *states = new_states(t);
    if (!g || !states) {
        free(g);
        free(states);
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    g->state = (RandState){t, t->lanes, 0, 0, states, 1, NULL, NULL};
    if (t->quasi) {
        g->state.directions = rand_directions(t->scrambled, t->quasi == 64);
        if (t->scrambled) g->state.constants = rand_constants();
        if (!g->state.directions || (t->scrambled && !g->state.constants)) {
            free(g);
            free(states);
            return CURAND_STATUS_ALLOCATION_FAILED;
        }
    }
    g->host = host;
    *out = g;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *out, curandRngType_t type) { return create(out, type, false); }
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *out, curandRngType_t type) {
    return create(out, type, true);
}

/* What kernels of the generator may still use is not to be freed: those that wait, and those of graphs. */
static bool in_use(curandGenerator_t g) {
    return g->captured || (g->ran && cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
}

static void free_tables(curandGenerator_t g) {
    for (RandPoisson *t = g->tables, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    g->tables = NULL;
    g->ntables = 0;
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (!in_use(g)) {
        free_tables(g);
        free(g->state.lane_states);
    }
    free(g);
    return CURAND_STATUS_SUCCESS;
}

/* ---- options ---- */

curandStatus_t curandGetVersion(int *version) {
    if (!version) return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
    static const int numbers[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
    if (!value || (unsigned)type >= sizeof numbers / sizeof *numbers) return CURAND_STATUS_OUT_OF_RANGE;
    *value = numbers[type];
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

static void move_to(curandGenerator_t g, uint64_t offset) {
    uint32_t visit = g->state.type->visit ? g->state.type->visit : 1;
    g->state.offset = offset;
    g->lane = (uint32_t)(offset / visit % g->state.lanes);
    g->skip = (uint32_t)(offset % visit);
    g->given = 0;
    g->seeded = false;
}

/* The position stays, but for the one sequence that has none to be set. */
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (g->state.type->quasi) return CURAND_STATUS_TYPE_ERROR;
    g->state.seed = seed;
    move_to(g, g->state.type->offset ? g->state.offset + g->given : 0);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (!g->state.type->offset) return CURAND_STATUS_TYPE_ERROR;
    move_to(g, offset);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    const RandType *t = g->state.type;
    uint32_t lanes;
    if (t->quasi) return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
    switch (order) {
    case CURAND_ORDERING_PSEUDO_BEST:
    case CURAND_ORDERING_PSEUDO_DEFAULT: lanes = t->lanes; break;
    case CURAND_ORDERING_PSEUDO_LEGACY: lanes = t->legacy_lanes; break;
    case CURAND_ORDERING_PSEUDO_SEEDED:
        if (t->type != CURAND_RNG_PSEUDO_XORWOW) return CURAND_STATUS_OUT_OF_RANGE;
        lanes = t->lanes;
        break;
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
        if (g->host) return CURAND_STATUS_OUT_OF_RANGE;
        lanes = t->lanes;
        break;
    default: return CURAND_STATUS_OUT_OF_RANGE;
    }
    if (lanes == g->state.lanes) return CURAND_STATUS_SUCCESS;
    g->state.lanes = lanes;
    move_to(g, g->state.offset + g->given);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (!g->state.type->quasi) return CURAND_STATUS_TYPE_ERROR;
    if (!dimensions || dimensions > RAND_DIMENSIONS) return CURAND_STATUS_OUT_OF_RANGE;
    g->state.dimensions = dimensions;
    move_to(g, g->state.offset + g->given);
    return CURAND_STATUS_SUCCESS;
}

/* ---- numbers ---- */

static bool capturing(curandGenerator_t g) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return !g->host && !cudaStreamIsCapturing(g->stream, &status) && status == cudaStreamCaptureStatusActive;
}

static curandStatus_t status_of(cudaError_t before, cudaError_t error) {
    if (!error) return CURAND_STATUS_SUCCESS;
    return before == error ? CURAND_STATUS_PREEXISTING_FAILURE : CURAND_STATUS_LAUNCH_FAILURE;
}

/* States that kernels may still use stay: they are small, and captures begin anew rarely. */
static curandStatus_t seed_now(curandGenerator_t g) {
    void *states = new_states(g->state.type);
    if (!states) return CURAND_STATUS_ALLOCATION_FAILED;
    if (!g->ran) free(g->state.lane_states);
    g->state.lane_states = states;
    g->seeded = true;
    rand_seed(&g->state, true, NULL);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (g->seeded) return CURAND_STATUS_SUCCESS;
    if (capturing(g)) return seed_now(g);
    cudaError_t before = g->host ? cudaSuccess : cudaPeekAtLastError();
    g->ran = !g->host;
    curandStatus_t status = status_of(before, rand_seed(&g->state, g->host, g->stream));
    g->seeded = !status;
    return status;
}

static void advance(curandGenerator_t g, RandKind kind, uint64_t n) {
    const RandType *t = g->state.type;
    if (t->quasi) {
        g->given += n / g->state.dimensions;
        return;
    }
    RandShape s = rand_shape(t, kind);
    uint64_t numbers = s.parts * s.numbers, all = g->skip + n;
    bool rest = t->visit && all % numbers; /* of a visit that goes on with the next call */
    uint64_t visits = rest ? all / numbers : (all + numbers - 1) / numbers;
    g->lane = (uint32_t)((g->lane + visits % g->state.lanes) % g->state.lanes);
    g->skip = rest ? (uint32_t)(all % numbers) : 0;
    g->given += t->visit ? n : visits;
}

static curandStatus_t numbers(curandGenerator_t g, RandRequest r) {
    if (r.n % g->state.dimensions) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    curandStatus_t status = curandGenerateSeeds(g);
    if (status || !r.n) return status;
    r.state = g->state;
    r.lane = g->lane;
    r.skip = g->skip;
    cudaError_t before = g->host ? cudaSuccess : cudaPeekAtLastError();
    if (capturing(g)) g->captured = true;
    g->ran = !g->host;
    status = status_of(before, rand_generate(&r, g->host, g->stream));
    if (!status) advance(g, r.kind, r.n);
    return status;
}

static curandStatus_t normal(curandGenerator_t g, RandRequest r) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (r.n % 2 && !g->state.type->odd) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return numbers(g, r);
}

#define UNIFORM_(name, kind_, T)                                                                                       \
    curandStatus_t curandGenerate##name(curandGenerator_t g, T *to, size_t count) {                                    \
        if (!g) return CURAND_STATUS_NOT_INITIALIZED;                                                                  \
        return numbers(g, (RandRequest){.kind = kind_, .n = count, .out = to});                                        \
    }
/* Whole numbers are of the generator's size. */
static curandStatus_t bits(curandGenerator_t g, void *to, size_t count, bool wide) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (wide != (g->state.type->quasi == 64)) return CURAND_STATUS_TYPE_ERROR;
    return numbers(g, (RandRequest){.kind = RAND_BITS, .n = count, .out = to});
}
curandStatus_t curandGenerate(curandGenerator_t g, unsigned *to, size_t count) { return bits(g, to, count, false); }
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *to, size_t count) {
    return bits(g, to, count, true);
}
UNIFORM_(Uniform, RAND_UNIFORM, float)
UNIFORM_(UniformDouble, RAND_UNIFORM_DOUBLE, double)
#define NORMAL_(name, kind_, T)                                                                                        \
    curandStatus_t curandGenerate##name(curandGenerator_t g, T *to, size_t count, T mean_, T deviation_) {             \
        return normal(g, (RandRequest){.kind = kind_, .n = count, .out = to, .mean = mean_, .deviation = deviation_}); \
    }
NORMAL_(Normal, RAND_NORMAL, float)
NORMAL_(NormalDouble, RAND_NORMAL_DOUBLE, double)
NORMAL_(LogNormal, RAND_LOG_NORMAL, float)
NORMAL_(LogNormalDouble, RAND_LOG_NORMAL_DOUBLE, double)

static const RandPoisson *table(curandGenerator_t g, double mean) {
    for (const RandPoisson *t = g->tables; t; t = t->next)
        if (t->mean == mean) return t;
    if (g->ntables >= TABLES && !in_use(g)) free_tables(g);
    RandPoisson *t = rand_poisson(mean);
    if (!t) return NULL;
    t->next = g->tables;
    g->tables = t;
    g->ntables++;
    return t;
}

curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *to, size_t count, double lambda) {
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (!(lambda > 0 && lambda <= MAX_MEAN)) return CURAND_STATUS_OUT_OF_RANGE;
    const RandPoisson *t = table(g, lambda);
    if (!t) return CURAND_STATUS_ALLOCATION_FAILED;
    return numbers(g, (RandRequest){.kind = RAND_POISSON, .n = count, .out = to, .poisson = t});
}
