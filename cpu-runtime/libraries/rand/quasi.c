/* quasi.c: numbers of Sobol's sequences: for each dimension the same count, one dimension after the other.
**
** The state is the position in the sequences, which the kernel of a request leaves alone and a second one moves on,
** so that graphs that are launched again go on.  A block of the first has RAND_RUN numbers of a dimension.  Each
** number takes one element: normal ones are its quantile, as are Poisson numbers. */
#include "rand.h"
#include "../kernel.h"
#include <math.h>

enum { RAND_RUN = 4096 };
extern float __nv_erfcinvf(float);
extern double __nv_erfcinv(double);

typedef struct Sequence {
    const RandRequest *r;
    const uint32_t *v32;
    const uint64_t *v64;
    uint64_t x, i; /* the element, the upper 32 bits of it if these are all; its number */
} Sequence;

/* In Gray code's order: from an element to the next is one vector. */
static void begin_at(Sequence *s, uint64_t i, uint64_t constant) {
    uint64_t gray = i ^ i >> 1;
    s->i = i;
    s->x = constant;
    for (int j = 0; j < (s->v64 ? 64 : 32); j++)
        if (gray >> j & 1) s->x ^= s->v64 ? s->v64[j] : (uint64_t)s->v32[j] << 32;
}

static void next(Sequence *s) {
    uint64_t zeros = ~s->i++;
    int j = zeros ? __builtin_ctzll(zeros) : 63;
    s->x ^= s->v64 ? s->v64[j] : (uint64_t)s->v32[j < 32 ? j : 31] << 32;
}

/* ---- an element as a number ---- */

static float uniform(const Sequence *s) { return (float)(uint32_t)(s->x >> 32) * 0x1p-32f + 0x1p-33f; }
static double uniform_double(const Sequence *s) {
    return s->v64 ? (double)(s->x >> 11) * 0x1p-53 + 0x1p-54 : (double)(s->x >> 32) * 0x1p-32 + 0x1p-32;
}
static float normal(const Sequence *s) {
    uint32_t x = (uint32_t)(s->x >> 32), upper = x > 0x80000000u;
    float p = (float)(upper ? ~x : x) * 0x1p-32f + 0x1p-33f, z = 1.4142135f * __nv_erfcinvf(2 * p);
    return upper ? z : -z;
}
static double normal_double(const Sequence *s) {
    uint64_t x = s->v64 ? s->x >> 11 : s->x >> 32, half = s->v64 ? 1ull << 52 : 1ull << 31;
    double unit = s->v64 ? 0x1p-53 : 0x1p-32;
    bool upper = x >= half;
    if (upper) x = 2 * half - 1 - x;
    double z = M_SQRT2 * __nv_erfcinv(2 * ((double)x * unit + unit / 2));
    return upper ? z : -z;
}

static void store(const Sequence *s, uint64_t at) {
    const RandRequest *r = s->r;
    float mean = (float)r->mean, deviation = (float)r->deviation;
    switch (r->kind) {
    case RAND_BITS:
        if (s->v64) ((uint64_t *)r->out)[at] = s->x;
        else ((uint32_t *)r->out)[at] = (uint32_t)(s->x >> 32);
        break;
    case RAND_UNIFORM: ((float *)r->out)[at] = uniform(s); break;
    case RAND_UNIFORM_DOUBLE: ((double *)r->out)[at] = uniform_double(s); break;
    case RAND_NORMAL: ((float *)r->out)[at] = mean + deviation * normal(s); break;
    case RAND_NORMAL_DOUBLE: ((double *)r->out)[at] = r->mean + r->deviation * normal_double(s); break;
    case RAND_LOG_NORMAL: ((float *)r->out)[at] = expf(mean + deviation * normal(s)); break;
    case RAND_LOG_NORMAL_DOUBLE: ((double *)r->out)[at] = exp(r->mean + r->deviation * normal_double(s)); break;
    case RAND_POISSON: ((uint32_t *)r->out)[at] = rand_quantile(r->poisson, uniform_double(s)); break;
    }
}

/* ---- kernels ---- */

static uint64_t *position(const RandState *s) { return s->lane_states; }
static uint64_t runs(const RandRequest *r) { return (r->n / r->state.dimensions + RAND_RUN - 1) / RAND_RUN; }

void rand_quasi_seed(const RandState *s, uint32_t lane, uint32_t count) {
    *position(s) = s->offset;
    (void)lane;
    (void)count;
}

static void run(const RandRequest *r, uint64_t block) {
    uint64_t each = r->n / r->state.dimensions, dimension = block / runs(r), first = block % runs(r) * RAND_RUN;
    uint64_t end = each - first < RAND_RUN ? each : first + RAND_RUN, base = dimension * each;
    const RandType *t = r->state.type;
    Sequence s = {.r = r};
    if (t->quasi == 64) s.v64 = (const uint64_t *)r->state.directions + dimension * 64;
    else s.v32 = (const uint32_t *)r->state.directions + dimension * 32;
    uint64_t c = r->state.constants ? r->state.constants[dimension] : 0;
    begin_at(&s, *position(&r->state) + first, t->quasi == 64 ? c : c >> 32 << 32);
    for (uint64_t i = first; i < end; i++, next(&s)) store(&s, base + i);
}

static void quasi_entry(const CucpuLaunch *launch, CucpuWorker *worker, uint64_t first, uint64_t end) {
    for (uint64_t b = first; b < end; b++) {
        worker->block = b;
        run(launch->args[0], b);
    }
}
LIBRARY_KERNEL(quasi, 0x646e617275633, "curand_generate", quasi_entry, RandRequest)

static void move_entry(const CucpuLaunch *launch, CucpuWorker *worker, uint64_t first, uint64_t end) {
    const RandRequest *r = launch->args[0];
    *position(&r->state) += r->n / r->state.dimensions;
    (void)worker;
    (void)first;
    (void)end;
}
LIBRARY_KERNEL(move, 0x646e617275634, "curand_move", move_entry, RandRequest)

cudaError_t rand_quasi(const RandRequest *request, bool host, cudaStream_t stream) {
    RandRequest r = *request;
    cudaError_t error = rand_run(&quasi, runs(&r) * r.state.dimensions, &r, host, stream);
    return error ? error : rand_run(&move, 1, &r, host, stream);
}
