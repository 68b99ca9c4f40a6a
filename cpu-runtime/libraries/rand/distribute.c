/* distribute.c: from words to numbers.  Uniform numbers are in (0, 1]; normal ones come in pairs by Box and Muller's
** method; each Poisson number is the quantile of a uniform one, from a table of the distribution. */
#define _GNU_SOURCE /* sincos */
#include "rand.h"
#include <math.h>
#include <stdlib.h>
#define CUCPU_RANDOM_ static inline __attribute__((unused))
#define CUCPU_RANDOM_CALL_ static __attribute__((unused))
#define CUCPU_RANDOM_TABLE_ static __attribute__((unused)) const
#include "cucpu/random.h"

/* One part of the visits: the words w[0][i], w[1][i], ... make the numbers from out[i * stride] on. */
typedef struct Part {
    const uint32_t (*w)[RAND_CHUNK];
    uint32_t count, stride;
    bool mrg;
    const RandRequest *r;
} Part;

static const struct {
    uint32_t bytes, numbers, words, mrg_words;
} kinds[] = {
#define X(name, ...) {__VA_ARGS__},
    RAND_KINDS(X)
#undef X
};

RandShape rand_shape(const RandType *type, RandKind kind) {
    RandShape s = {kinds[kind].bytes, kinds[kind].numbers, type->mrg ? kinds[kind].mrg_words : kinds[kind].words, 1};
    if (type->visit) s.parts = type->visit / s.numbers;
    return s;
}

static float single(const Part *p, int word, size_t i) {
    uint32_t x = p->w[word][i];
    return p->mrg ? (float)(x * CUCPU_MRG_NORM_) : cucpu_uniform_float(x);
}

/* The n-th uniform number of the part. */
static double wide(const Part *p, int n, size_t i) {
    return p->mrg ? p->w[n][i] * CUCPU_MRG_NORM_ : cucpu_uniform_double(p->w[2 * n][i], p->w[2 * n + 1][i]);
}

static void bits(const Part *p, uint32_t *out) {
    for (size_t i = 0; i < p->count; i++) out[i * p->stride] = p->mrg ? cucpu_mrg_bits(p->w[0][i]) : p->w[0][i];
}

static void uniform(const Part *p, float *out) {
    for (size_t i = 0; i < p->count; i++) out[i * p->stride] = single(p, 0, i);
}

static void uniform_double(const Part *p, double *out) {
    for (size_t i = 0; i < p->count; i++) out[i * p->stride] = wide(p, 0, i);
}

static void normal(const Part *p, float *out) {
    float mean = (float)p->r->mean, deviation = (float)p->r->deviation;
    for (size_t i = 0; i < p->count; i++) {
        float angle =
            p->mrg ? single(p, 1, i) * 6.2831855f : p->w[1][i] * (0x1p-32f * 6.2831855f) + 0x1p-33f * 6.2831855f;
        float radius = sqrtf(-2.0f * logf(single(p, 0, i))), s, c;
        sincosf(angle, &s, &c);
        out[i * p->stride] = mean + deviation * (radius * s);
        out[i * p->stride + 1] = mean + deviation * (radius * c);
    }
}

static void normal_double(const Part *p, double *out) {
    double mean = p->r->mean, deviation = p->r->deviation;
    for (size_t i = 0; i < p->count; i++) {
        double radius = sqrt(-2.0 * log(wide(p, 0, i))), s, c;
        sincos(2 * M_PI * wide(p, 1, i), &s, &c);
        out[i * p->stride] = mean + deviation * (radius * s);
        out[i * p->stride + 1] = mean + deviation * (radius * c);
    }
}

static void log_normal(const Part *p, float *out) {
    normal(p, out);
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 2; k++) out[i * p->stride + k] = expf(out[i * p->stride + k]);
}

static void log_normal_double(const Part *p, double *out) {
    normal_double(p, out);
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 2; k++) out[i * p->stride + k] = exp(out[i * p->stride + k]);
}

uint32_t rand_quantile(const RandPoisson *t, double u) {
    uint32_t low = 0, high = t->count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (t->cdf[middle] >= u) high = middle;
        else low = middle + 1;
    }
    return t->first + low;
}

static void poisson(const Part *p, uint32_t *out) {
    for (size_t i = 0; i < p->count; i++) out[i * p->stride] = rand_quantile(p->r->poisson, wide(p, 0, i));
}

void rand_distribute(const RandRequest *r, const RandWords words, uint32_t count, void *out) {
    RandShape s = rand_shape(r->state.type, r->kind);
    for (uint32_t part = 0; part < s.parts; part++) {
        Part p = {words + part * s.words, count, s.parts * s.numbers, r->state.type->mrg, r};
        void *to = (char *)out + part * s.numbers * s.bytes;
        switch (r->kind) {
        case RAND_BITS: bits(&p, to); break;
        case RAND_UNIFORM: uniform(&p, to); break;
        case RAND_UNIFORM_DOUBLE: uniform_double(&p, to); break;
        case RAND_NORMAL: normal(&p, to); break;
        case RAND_NORMAL_DOUBLE: normal_double(&p, to); break;
        case RAND_LOG_NORMAL: log_normal(&p, to); break;
        case RAND_LOG_NORMAL_DOUBLE: log_normal_double(&p, to); break;
        case RAND_POISSON: poisson(&p, to); break;
        }
    }
}

/* ---- the table of a Poisson distribution ---- */

/* What lies farther from the mean is rarer than a double in (0, 1] can say. */
static double reach(double mean) { return 40 + 12 * sqrt(mean); }

/* Probabilities from the one at the mean outwards, by their ratios; then their sums, the last of which becomes 1. */
RandPoisson *rand_poisson(double mean) {
    double low = floor(mean - reach(mean)), peak = floor(mean), sum = 0;
    uint32_t first = low > 0 ? (uint32_t)low : 0, top = (uint32_t)peak - first;
    uint32_t count = top + 1 + (uint32_t)reach(mean);
    RandPoisson *t = malloc(sizeof *t + count * sizeof *t->cdf);
    if (!t) return NULL;
    *t = (RandPoisson){NULL, mean, first, count};
    t->cdf[top] = exp(peak * log(mean) - mean - lgamma(peak + 1));
    for (uint32_t i = top; i > 0; i--) t->cdf[i - 1] = t->cdf[i] * (first + i) / mean;
    for (uint32_t i = top + 1; i < count; i++) t->cdf[i] = t->cdf[i - 1] * mean / (first + i);
    for (uint32_t i = 0; i < count; i++) t->cdf[i] = sum += t->cdf[i];
    for (uint32_t i = 0; i < count; i++) t->cdf[i] /= sum;
    t->cdf[count - 1] = 1;
    return t;
}
