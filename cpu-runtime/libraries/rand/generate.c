/* generate.c: requests as kernels: a block has RAND_CHUNK lanes, and goes through all their visits.
**
** Visit v of a request is to lane (lane + v) % lanes.  A generator of the host runs the same blocks in the calling
** thread. */
#include "rand.h"
#include "../kernel.h"
#include <string.h>

/* Visits v, v + lanes, v + 2 * lanes ... of `count` lanes that follow each other. */
static void run_lanes(const RandRequest *r, uint64_t v, uint32_t lane, uint32_t count) {
    const RandType *type = r->state.type;
    RandShape s = rand_shape(type, r->kind);
    uint32_t numbers = s.parts * s.numbers, words = s.parts * s.words;
    uint64_t visits = (r->n + r->skip + numbers - 1) / numbers;
    RandWords drawn;
    _Alignas(64) char made[RAND_CHUNK * RAND_VISIT * sizeof(double)];
    uint64_t stride = r->state.lanes > 1 ? r->state.lanes : RAND_CHUNK;
    for (; v < visits; v += stride) {
        uint32_t c = visits - v < count ? (uint32_t)(visits - v) : count;
        type->fill(&r->state, lane, c, (int)words, drawn);
        rand_distribute(r, (const uint32_t(*)[RAND_CHUNK])drawn, c, made);
        uint64_t begin = v * numbers, end = begin + (uint64_t)c * numbers, all = r->n + r->skip;
        if (end > all) {
            if (type->back) type->back(&r->state, lane + c - 1, (int)words);
            end = all;
        }
        uint64_t from = begin < r->skip ? r->skip : begin;
        memcpy((char *)r->out + (from - r->skip) * s.bytes, made + (from - begin) * s.bytes, (end - from) * s.bytes);
    }
}

static void run_block(const RandRequest *r, uint64_t block) {
    uint32_t lanes = r->state.lanes;
    if (lanes == 1) {
        run_lanes(r, 0, 0, RAND_CHUNK);
        return;
    }
    uint32_t v = (uint32_t)block * RAND_CHUNK, lane = (r->lane + v) % lanes;
    uint32_t count = lanes - v < RAND_CHUNK ? lanes - v : RAND_CHUNK;
    uint32_t before = lanes - lane < count ? lanes - lane : count; /* then from lane 0 on */
    run_lanes(r, v, lane, before);
    if (before < count) run_lanes(r, v + before, 0, count - before);
}

static void generate_entry(const CucpuLaunch *launch, CucpuWorker *worker, uint64_t first, uint64_t end) {
    for (uint64_t b = first; b < end; b++) {
        worker->block = b;
        run_block(launch->args[0], b);
    }
}
LIBRARY_KERNEL(generate, 0x646e617275631, "curand_generate", generate_entry, RandRequest)

static void seed_entry(const CucpuLaunch *launch, CucpuWorker *worker, uint64_t first, uint64_t end) {
    const RandState *s = launch->args[0];
    for (uint64_t b = first; b < end; b++) {
        worker->block = b;
        uint32_t lane = (uint32_t)b * RAND_CHUNK, left = s->lanes - lane;
        s->type->seed(s, lane, left < RAND_CHUNK ? left : RAND_CHUNK);
    }
}
LIBRARY_KERNEL(seed, 0x646e617275632, "curand_seed", seed_entry, RandState)

cudaError_t rand_run(const LibraryKernel *k, uint64_t blocks, void *args, bool host, cudaStream_t stream) {
    if (!host) return library_launch(k, blocks, args, stream);
    CucpuLaunch launch = {.args = &args};
    CucpuWorker worker = {0};
    k->variant.entry(&launch, &worker, 0, blocks);
    return cudaSuccess;
}

static uint64_t chunks(uint64_t lanes) { return (lanes + RAND_CHUNK - 1) / RAND_CHUNK; }

cudaError_t rand_seed(const RandState *s, bool host, cudaStream_t stream) {
    RandState args = *s;
    return rand_run(&seed, chunks(s->lanes), &args, host, stream);
}

/* Blocks that no visit reaches are left out. */
cudaError_t rand_generate(const RandRequest *r, bool host, cudaStream_t stream) {
    if (r->state.type->quasi) return rand_quasi(r, host, stream);
    RandRequest args = *r;
    RandShape s = rand_shape(r->state.type, r->kind);
    uint64_t numbers = s.parts * s.numbers, visits = (r->n + r->skip + numbers - 1) / numbers;
    return rand_run(&generate, chunks(visits < r->state.lanes ? visits : r->state.lanes), &args, host, stream);
}
