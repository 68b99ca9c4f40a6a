/* engine.c: from a layout to kernels that run FFTW.
**
** An engine serves one direction of a plan, in place or not, aligned addresses or any.  Its passes are launched one
** after another; the blocks of a pass are tiles: some transforms of the batch each or, where the batch alone would
** leave workers idle, some rows or columns of one transform of several dimensions, a pass for each dimension.  A
** transform of one dimension is one block.
**
** What FFTW overwrites or cannot do in place goes through a copy of the input, a "bounce": complex to real of several
** dimensions out of place (cuFFT's own may overwrite its input, a copy never surprises), and layouts in place whose
** two sides do not cover the same bytes, there the whole batch at once. */
#include "fft.h"
#include "../kernel.h"
#include <stdlib.h>
#include <string.h>

enum {
    TILE_POINTS = 8192,   /* of a tile at least, so that a launch pays */
    SPLIT_POINTS = 65536, /* of a transform that is split by dimension */
    SPLIT_BATCH = 16,     /* a larger batch has enough blocks by itself */
    VECTOR = 16           /* bytes: tiles that are a multiple of them apart are aligned alike */
};

typedef struct Pass {
    FftwPlan *full, *rest; /* of a tile, of the last one if that is shorter */
    uint64_t tiles;
    int64_t in_step, out_step;  /* bytes from tile to tile */
    size_t bounce, rest_bounce; /* bytes of their input to copy, 0 = none */
    bool again;                 /* works on the output of the pass before */
} Pass;

struct FftEngine {
    int npasses;
    int64_t repeats, in_repeat, out_repeat; /* of all passes, bytes apart */
    Pass passes[FFT_RANK];
};

/* ---- execution ---- */

typedef struct Args {
    const Pass *pass;
    const char *in;
    char *out;
} Args;

/* FFTW's buffers and this one are lost if an address turns out to be none: the error is sticky anyhow. */
static void run_bounced(const FftwPlan *plan, const char *in, char *out, size_t bytes) {
    void *copy = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!copy) cucpu_trap();
    memcpy(copy, in, bytes);
    fft_run_plan(plan, copy, out);
    free(copy);
}

static void run_tiles(const CucpuLaunch *launch, CucpuWorker *worker, uint64_t first, uint64_t end) {
    const Args *a = launch->args[0];
    const Pass *p = a->pass;
    for (uint64_t b = first; b < end; b++) {
        worker->block = b;
        const FftwPlan *plan = p->rest && b + 1 == p->tiles ? p->rest : p->full;
        const char *in = a->in + (int64_t)b * p->in_step;
        char *out = a->out + (int64_t)b * p->out_step;
        if (p->bounce) run_bounced(plan, in, out, plan == p->rest ? p->rest_bounce : p->bounce);
        else fft_run_plan(plan, in, out);
    }
}
LIBRARY_KERNEL(kernel, 0x7466667563, "cufft", run_tiles, Args)

cudaError_t fft_launch(const FftEngine *e, const void *in, void *out, cudaStream_t stream) {
    for (int64_t r = 0; r < e->repeats; r++) {
        const char *from = (const char *)in + r * e->in_repeat;
        char *to = (char *)out + r * e->out_repeat;
        for (int i = 0; i < e->npasses; i++) {
            const Pass *p = &e->passes[i];
            Args args = {p, p->again ? to : from, to};
            cudaError_t error = library_launch(&kernel, p->tiles, &args, stream);
            if (error) return error;
        }
    }
    return cudaSuccess;
}

/* ---- shapes ---- */

static int64_t complex_count(const FftShape *s, int d) {
    return s->kind != FFT_C2C && d == s->rank - 1 ? s->dims[d].n / 2 + 1 : s->dims[d].n;
}

static size_t element(const FftShape *s, bool output) {
    FftLayout l = {.kind = s->kind, .wide = s->wide};
    return fft_bytes(&l, output);
}

/* From the first byte of the input to after the last. */
static size_t input_span(const FftShape *s) {
    int64_t last = 0;
    for (int i = 0; i < s->nloops; i++) last += (s->loops[i].n - 1) * s->loops[i].is;
    for (int d = 0; d < s->rank; d++)
        last += ((s->kind == FFT_C2R ? complex_count(s, d) : s->dims[d].n) - 1) * s->dims[d].is;
    return (size_t)(last + 1) * element(s, false);
}

static int64_t points(const FftShape *s) {
    int64_t n = 1;
    for (int d = 0; d < s->rank; d++) n *= s->dims[d].n;
    for (int i = 1; i < s->nloops; i++) n *= s->loops[i].n;
    return n;
}

/* In place: each transform overwrites just what it reads. */
static bool same_bytes(const FftShape *s) {
    int64_t in = (int64_t)element(s, false), out = (int64_t)element(s, true);
    for (int i = 0; i < s->nloops; i++)
        if (s->loops[i].n > 1 && s->loops[i].is * in != s->loops[i].os * out) return false;
    for (int d = 0; d < s->rank; d++) {
        const FftDim *m = &s->dims[d];
        bool halved = s->kind != FFT_C2C && d == s->rank - 1;
        if (halved ? m->is != 1 || m->os != 1 : m->n > 1 && m->is * in != m->os * out) return false;
    }
    return true;
}

/* ---- passes ---- */

static int64_t tile_size(const FftShape *s) {
    int64_t all = s->loops[0].n, one = points(s), tile = 1;
    if (one < TILE_POINTS) tile = (TILE_POINTS / one + 3) / 4 * 4;
    return tile < all ? tile : all;
}

/* The shape's first loop is cut into tiles. */
static bool make_pass(Pass *p, FftShape s, bool in_place, bool aligned) {
    bool lies = !in_place || same_bytes(&s);
    int64_t all = s.loops[0].n, tile = lies ? tile_size(&s) : all;
    p->tiles = (uint64_t)((all + tile - 1) / tile);
    p->in_step = tile * s.loops[0].is * (int64_t)element(&s, false);
    p->out_step = tile * s.loops[0].os * (int64_t)element(&s, true);
    if (p->tiles > 1 && (p->in_step % VECTOR || p->out_step % VECTOR)) aligned = false;
    bool copied = !lies || (!in_place && s.kind == FFT_C2R && s.rank > 1);
    for (int last = 0; last <= (all % tile != 0); last++) {
        s.loops[0].n = last ? all % tile : tile;
        FftwPlan *plan = fft_make_plan(&s, in_place && !copied, aligned);
        if (!plan) return false;
        *(last ? &p->rest : &p->full) = plan;
        if (copied) *(last ? &p->rest_bounce : &p->bounce) = input_span(&s);
    }
    return true;
}

static FftShape whole(const FftLayout *l, int sign) {
    FftShape s = {.kind = l->kind, .wide = l->wide, .sign = sign, .rank = l->rank, .nloops = 1};
    for (int d = 0; d < l->rank; d++) s.dims[d] = (FftDim){l->n[d], l->is[d], l->os[d]};
    s.loops[0] = (FftDim){l->batch, l->idist, l->odist};
    return s;
}

/* Dimension d for all indices of the others; the first pass goes from input to output, the rest stay where that
** one's result is. */
static FftShape one_dimension(const FftLayout *l, int sign, int d, bool first) {
    int last = l->rank - 1;
    bool halves = d == last;
    FftShape s = {.kind = halves ? l->kind : FFT_C2C, .wide = l->wide, .sign = sign, .rank = 1};
    for (int o = 0; o < l->rank; o++) {
        FftDim m = {o == last && !halves && l->kind != FFT_C2C ? l->n[o] / 2 + 1 : l->n[o], l->is[o], l->os[o]};
        if (!first) m.is = l->os[o];
        if (l->kind == FFT_C2R) m.is = l->is[o]; /* in place: complex until the last pass */
        if (l->kind == FFT_C2R && !halves) m.os = l->is[o];
        if (o == d) s.dims[0] = m;
        else s.loops[s.nloops++] = m;
    }
    return s;
}

/* ---- engines ---- */

/* A basic layout in place: rows of reals have room for the complex numbers. */
static FftLayout padded(FftLayout l, bool in_place) {
    if (!in_place || !l.basic || l.kind == FFT_C2C) return l;
    int64_t *stride = l.kind == FFT_R2C ? l.is : l.os, *dist = l.kind == FFT_R2C ? &l.idist : &l.odist;
    int64_t next = 2 * (l.n[l.rank - 1] / 2 + 1);
    for (int d = l.rank - 2; d >= 0; d--) {
        stride[d] = next;
        next *= l.n[d];
    }
    *dist = next;
    return l;
}

static bool split(const FftLayout *l, const FftShape *all, bool in_place) {
    return l->rank > 1 && l->batch < SPLIT_BATCH && points(all) >= SPLIT_POINTS && (!in_place || same_bytes(all)) &&
           (l->kind != FFT_C2R || in_place);
}

static bool make_passes(FftEngine *e, const FftLayout *l, int sign, bool in_place, bool aligned) {
    FftShape all = whole(l, sign);
    e->npasses = 1;
    e->repeats = 1;
    if (!split(l, &all, in_place)) return make_pass(&e->passes[0], all, in_place, aligned);
    e->npasses = l->rank;
    e->repeats = l->batch;
    e->in_repeat = l->idist * (int64_t)fft_bytes(l, false);
    e->out_repeat = l->odist * (int64_t)fft_bytes(l, true);
    if (e->repeats > 1 && (e->in_repeat % VECTOR || e->out_repeat % VECTOR)) aligned = false;
    for (int i = 0; i < l->rank; i++) {
        int d = l->kind == FFT_C2R ? i : l->rank - 1 - i; /* reals are at one end */
        Pass *p = &e->passes[i];
        p->again = i > 0;
        if (!make_pass(p, one_dimension(l, sign, d, i == 0), in_place || i > 0, aligned)) return false;
    }
    return true;
}

FftEngine *fft_make_engine(const FftLayout *layout, int sign, bool in_place, bool aligned) {
    FftEngine *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    FftLayout l = padded(*layout, in_place);
    if (make_passes(e, &l, sign, in_place, aligned)) return e;
    fft_free_engine(e);
    return NULL;
}

void fft_free_engine(FftEngine *e) {
    if (!e) return;
    for (int i = 0; i < e->npasses; i++) {
        fft_free_plan(e->passes[i].full);
        fft_free_plan(e->passes[i].rest);
    }
    free(e);
}
