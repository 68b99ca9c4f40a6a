/* execute.c: runs compiled kernels in this process and compares memory with the reference's.
**
** Every buffer ends at a page that cannot be touched and has another one in front: an access that
** a lane would only have made speculatively ends the process, which the parent reports.  Launches
** are made by hand from abi.h, with every variant that fits the block, not only the first, and the
** grid in two calls.  Floats are compared with all NaNs alike, everything else bit for bit. */
#define _GNU_SOURCE
#include "tests/fuzz/execute.h"
#include "cpu-runtime/variants.h"
#include "passes/compiler.h"
#include "tests/fuzz/load_object.h"
#include "tests/fuzz/random.h"
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, CANARY = 0xc3 };

typedef struct Guarded {
    unsigned char *map, *data;
    size_t mapped, size;
} Guarded;

/* `size` bytes in front of a guard page, aligned to `align`. */
static Guarded guarded(size_t size, size_t align) {
    Guarded g = {.size = (size + align - 1) / align * align};
    size_t pages = (g.size + PAGE - 1) / PAGE * PAGE;
    g.mapped = pages + 2 * PAGE;
    g.map = mmap(NULL, g.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED || mprotect(g.map + PAGE, pages, PROT_READ | PROT_WRITE)) abort();
    memset(g.map + PAGE, CANARY, pages);
    g.data = g.map + PAGE + pages - g.size;
    return g;
}

/* As cudaMalloc has it: aligned to 256, among other memory.  Masked accesses that touch a guard page are right, but take hundreds of cycles. */
static Guarded allocated(size_t size) {
    Guarded g = guarded(size + 2 * PAGE, 256);
    g.data += PAGE;
    g.size = size;
    return g;
}

static bool canary_lives(const Guarded *g) {
    for (const unsigned char *p = g->map + PAGE; p < g->data; p++)
        if (*p != CANARY) return false;
    return true;
}

static void release(Guarded *g) {
    if (g->map) munmap(g->map, g->mapped);
    g->map = NULL;
}

/* ---- inputs ---- */

/* Sums of atomics are exact: in whatever order they come, the result is the same. */
static void fill_element(Random *r, const Array *x, unsigned char *at) {
    Type t = x->type;
    uint64_t bits = random_next(r);
    double d = (double)(int64_t)(bits >> 40) - (1 << 23);
    d = x->space == SPACE_ATOMIC || random_chance(r, 50) ? (double)(bits % 64) - 20 : d / 1024;
    float f = (float)d;
    if (random_chance(r, 50)) bits = (uint64_t)random_below(r, 40) - 8;
    uint64_t h = random_chance(r, t == T_F16 ? 15 : 0) ? bits : half_bits(d);
    if (t == T_F16) memcpy(at, &h, 2);
    else if (t == T_F32) memcpy(at, &f, 4);
    else if (t == T_F64) memcpy(at, &d, 8);
    else memcpy(at, &bits, type_bytes(t));
}

static void fill(const Program *p, uint64_t seed, unsigned blocks, void *const *memory) {
    Random r = {seed ^ 0x1234567};
    for (int i = 0; i < p->narrays; i++) {
        const Array *x = &p->arrays[i];
        if (!array_is_global(x) || x->alias >= 0) continue;
        size_t n = array_bytes(x, blocks) / x->stride;
        unsigned char *home = memory[array_home(p, i)];
        for (size_t k = 0; k < n; k++) fill_element(&r, x, home + array_at(x, k));
    }
}

static Launch choose_launch(const Program *p, uint64_t seed, int shape) {
    static const unsigned blocks[SHAPES][3] = {{1, 1, 1}, {5, 1, 1}, {31, 1, 1}, {32, 1, 1}, {33, 1, 1}, {64, 1, 1},
        {100, 1, 1}, {256, 1, 1}, {8, 8, 1}, {16, 4, 1}, {5, 7, 3}, {3, 5, 2}, {32, 4, 1}, {2, 3, 4}, {64, 2, 1},
        {4, 4, 4}, {40, 2, 1}, {17, 3, 1}, {1, 33, 1}, {1, 64, 1}, {1, 1, 40}, {1, 128, 1},
        {4, 16, 1}, {2, 32, 1}, {8, 32, 1}, {3, 16, 1}, {2, 3, 16}, {4, 1, 32}, {1, 5, 8}, {2, 4, 32}};
    static const unsigned grids[GRIDS][3] = {{1, 1, 1}, {3, 1, 1}, {2, 2, 1}, {2, 1, 1}, {2, 3, 1}, {1, 4, 1}, {2, 2, 2}, {1, 2, 3}, {4, 1, 2}};
    Random r = {seed + (uint64_t)shape};
    Launch l;
    memcpy(l.block, blocks[shape], sizeof l.block);
    memcpy(l.grid, grids[random_below(&r, GRIDS)], sizeof l.grid);
    l.param0 = (uint32_t)random_below(&r, 4);
    l.param1 = (uint32_t)random_next(&r);
    l.param2 = random_next(&r);
    l.param3 = 1.5f;
    for (int d = 1; p->line && d < 3; d++) {
        l.block[0] *= l.block[d], l.grid[0] *= l.grid[d];
        l.block[d] = l.grid[d] = 1;
    }
    return l;
}

typedef struct Compiled {
    LoadedObject object;
    const Config *config;
    void *bytes; /* of the object, where launches are timed */
    size_t size;
} Compiled;

/* ---- one launch ---- */

typedef struct Run {
    const Program *p;
    const Launch *l;
    void *expected[MAX_ARRAYS], *initial[MAX_ARRAYS];
    Guarded memory[MAX_ARRAYS];
    Report *report;
    Unwritten unwritten; /* if any: each block finds the same */
    bool timed;
} Run;

/* With the block as the runtime launches it, see flatten_blocks; threads that repeat others all run. */
static Launch launched(const CucpuKernel *k, const Launch *l) {
    Launch made = *l;
    cucpu_block_that_runs(k->flags & (CUCPU_KERNEL_FLAT_Y | CUCPU_KERNEL_FLAT_Z), made.block);
    return made;
}

static bool fits(const CucpuKernel *k, const CucpuVariant *v, const Launch *l) {
    Launch made = launched(k, l);
    return cucpu_variant_fits(k->flags, v, made.grid, made.block);
}

/* The arrays that the kernel takes to be in allocations of their own are: see CucpuKernel.apart. */
static bool arrays_are_apart(const Run *r, const CucpuKernel *k) {
    int home[32], n = 0;
    for (int i = 0; i < r->p->narrays && n < 32; i++)
        if (array_is_parameter(&r->p->arrays[i])) home[n++] = array_memory(r->p, i);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j && k->apart >> i & 1 && k->accessed >> j & 1 && home[i] == home[j]) return false;
    return true;
}

/* The variants for arrays that overlap run with any; where there are none, the others read whether they do. */
static bool runs_with(const CucpuKernel *k, const CucpuVariant *v, bool apart) {
    bool any = false;
    for (uint32_t i = 0; i < k->nvariants; i++) any |= k->variants[i].overlapping;
    return apart || v->overlapping || !any;
}

static bool same(Type t, const unsigned char *a, const unsigned char *b) {
    if (!memcmp(a, b, type_bytes(t))) return true;
    float f[2];
    double d[2];
    uint16_t h[2];
    if (t == T_F16) return memcpy(&h[0], a, 2), memcpy(&h[1], b, 2), (h[0] & 0x7fff) > 0x7c00 && (h[1] & 0x7fff) > 0x7c00;
    if (t == T_F32) return memcpy(&f[0], a, 4), memcpy(&f[1], b, 4), isnan(f[0]) && isnan(f[1]);
    if (t == T_F64) return memcpy(&d[0], a, 8), memcpy(&d[1], b, 8), isnan(d[0]) && isnan(d[1]);
    return false;
}

static bool compare(Run *r, const char *where) {
    for (int i = 0; i < r->p->narrays; i++) {
        const Array *x = &r->p->arrays[i];
        if (!array_is_global(x)) continue;
        size_t bytes = type_bytes(x->type), n = array_bytes(x, launch_blocks(r->l)) / x->stride, wrong = 0, first = 0;
        int home = array_memory(r->p, i);
        const unsigned char *expected = r->expected[home], *memory = r->memory[home].data;
        for (size_t k = 0; k < n; k++)
            if (!same(x->type, expected + array_at(x, k), memory + array_at(x, k)) && !wrong++) first = k;
        if (!wrong && canary_lives(&r->memory[home])) continue;
        uint64_t want = 0, got = 0;
        memcpy(&want, expected + array_at(x, first), bytes);
        memcpy(&got, memory + array_at(x, first), bytes);
        snprintf(r->report->what, sizeof r->report->what, "array %d (%s, %d slots, map %d): %zu of %zu elements differ, the first is [%zu]: expected 0x%llx, got 0x%llx%s",
                 i, type_name(x->type), x->slots, (int)x->map, wrong, n, first, (unsigned long long)want,
                 (unsigned long long)got, wrong ? "" : " (written in front of it)");
        snprintf(r->report->where, sizeof r->report->where, "%s", where);
        return false;
    }
    return true;
}

static void fill_tids(uint32_t *tids, const Launch *l) {
    uint32_t n = 0;
    for (uint32_t z = 0; z < l->block[2]; z++)
        for (uint32_t y = 0; y < l->block[1]; y++)
            for (uint32_t x = 0; x < l->block[0]; x++) tids[n++] = x | y << 10 | z << 20;
}

/* Returns the cycles that it took. */
static uint64_t run_variant(Run *r, const CucpuKernel *k, const CucpuVariant *v) {
    Launch made = launched(k, r->l);
    const Launch *l = &made;
    static uint32_t tids[MAX_THREADS + 63];
    memset(tids, 0, sizeof tids);
    fill_tids(tids, l);
    uint32_t p0 = l->param0, p1 = l->param1;
    uint64_t p2 = l->param2;
    float p3 = l->param3;
    void *pointers[MAX_ARRAYS], *args[MAX_ARRAYS + 4];
    int n = 0;
    for (int i = 0; i < r->p->narrays; i++) {
        if (!array_is_parameter(&r->p->arrays[i])) continue;
        pointers[i] = r->memory[array_memory(r->p, i)].data;
        args[n++] = &pointers[i];
    }
    args[n] = &p0, args[n + 1] = &p1, args[n + 2] = &p2, args[n + 3] = &p3;
    CucpuLaunch launch = {.dyn_shared = r->p->dynamic_bytes, .threads = launch_threads(l), .args = args, .tids = tids,
                          .apart = arrays_are_apart(r, k)};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    size_t bytes = (k->static_shared + r->p->dynamic_bytes + 127) / 128 * 128;
    Guarded shared = guarded(bytes + 2 * CUCPU_SHARED_SLACK, 128);
    unsigned char *arena = shared.data + CUCPU_SHARED_SLACK;
    size_t frame_bytes = v->frame_fixed + (size_t)cucpu_groups(v, l->block) * v->frame_per_group;
    Guarded frame = r->timed ? allocated(frame_bytes) : guarded(frame_bytes, 128);
    memset(shared.data, CANARY, shared.size);
    memset(arena, SHARED_PATTERN, bytes);
    CucpuWorker worker = {.shared = arena, .frame = frame.data};
    unsigned blocks = launch_blocks(l), half = blocks / 2;
    uint64_t ticks = 0;
    for (unsigned b = 0, end; b < blocks; b = end) {
        end = r->unwritten ? b + 1 : b < half ? half : blocks;
        if (r->unwritten) memset(arena, SHARED_PATTERN, bytes);
        uint64_t start = __builtin_ia32_rdtsc();
        v->entry(&launch, &worker, b, end);
        ticks += __builtin_ia32_rdtsc() - start;
    }
    for (size_t i = 0; i < CUCPU_SHARED_SLACK; i++)
        if (shared.data[i] != CANARY || arena[bytes + i] != CANARY) abort(); /* read and written back is all that is allowed */
    release(&shared);
    release(&frame);
    return ticks;
}

/* ---- speed ---- */

static uint64_t time_variant(Run *r, const CucpuKernel *k, const CucpuVariant *v) {
    for (int a = 0; a < r->p->narrays; a++)
        if (r->initial[a]) memcpy(r->memory[a].data, r->initial[a], r->memory[a].size);
    return run_variant(r, k, v);
}

static int compare_ticks(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static const CucpuVariant *first_that_fits(const CucpuKernel *k, const Launch *l) {
    const CucpuVariant *v = NULL;
    for (uint32_t i = 0; i < k->nvariants && !v; i++)
        if (fits(k, &k->variants[i], l) && !k->variants[i].overlapping) v = &k->variants[i];
    bool scalar = !v || (k->flags & CUCPU_KERNEL_UNTRIED && cucpu_scalar_first(k, v, l->block));
    return scalar ? k->scalar : v;
}

enum { ROUNDS = 21, CODES = 3 };

typedef struct Times {
    uint64_t ticks[CODES][ROUNDS];
} Times;

static double quantile(Times *t, int code, int of) {
    qsort(t->ticks[code], ROUNDS, sizeof *t->ticks[code], compare_ticks);
    return (double)t->ticks[code][ROUNDS / of];
}

/* What the runtime takes of a kernel at first: the code of one lane, if that is estimated faster. */
static const CucpuVariant *taken_at_first(const CucpuKernel *k, const Launch *l) {
    const CucpuVariant *v = first_that_fits(k, l);
    return v && k->scalar && !(k->flags & CUCPU_KERNEL_UNTRIED) && cucpu_scalar_first(k, v, l->block) ? k->scalar : v;
}

/* First launches: each of code that never ran before, at an address of its own, so that neither instructions are in a cache nor
** branches learned.  Speed of the second program, W=1 / auto, by medians. */
static double time_first_launches(Run *r, const Compiled v[2]) {
    static LoadedObject loaded[2][ROUNDS];
    static Times t;
    for (int i = 0; i < ROUNDS; i++)
        for (int j = 0, k = i & 1; j < 2; j++, k = !k) {
            if (load_object(v[k].bytes, v[k].size, &loaded[k][i])) abort();
            const CucpuKernel *kernel = &loaded[k][i].module->kernels[0];
            t.ticks[k][i] = time_variant(r, kernel, taken_at_first(kernel, r->l));
        }
    for (int i = 0; i < 2 * ROUNDS; i++) unload_object(&loaded[i & 1][i / 2]);
    return quantile(&t, 0, 2) / quantile(&t, 1, 2);
}

/* The codes that the runtime would take of two kernels, in turn; the second one's code of one lane as well, if it has one. */
static void time_kernels(Run *r, const Compiled compiled[2]) {
    const CucpuKernel *const k[2] = {&compiled[0].object.module->kernels[0], &compiled[1].object.module->kernels[0]};
    const CucpuVariant *v[CODES] = {first_that_fits(k[0], r->l), first_that_fits(k[1], r->l), k[1]->flags & CUCPU_KERNEL_UNTRIED ? NULL : k[1]->scalar};
    static Times t;
    if (!v[0] || !v[1]) return;
    double first = time_first_launches(r, compiled);
    for (int i = 0; i < ROUNDS; i++)
        for (int j = 0; j < CODES; j++) t.ticks[j][i] = v[j] ? time_variant(r, k[j > 0], v[j]) : 0;
    double one = quantile(&t, 0, 4), auto_ = quantile(&t, 1, 4), scalar = quantile(&t, 2, 4);
    printf("seed %llu: block %ux%ux%u W=1 / several lanes %.2f, at first %.2f, with trials %.2f: %.0f %.0f %.0f cycles, width %u, layout %u, %s at first\n",
           (unsigned long long)r->report->seed, r->l->block[0], r->l->block[1], r->l->block[2], one / auto_, first,
           one / (v[2] && scalar < auto_ ? scalar : auto_), one, auto_, scalar, v[1]->width, v[1]->layout,
           taken_at_first(k[1], r->l) == v[1] ? "several lanes" : "one lane");
}

/* All variants that fit, and the code of one lane beside them. */
static bool run_kernel(Run *r, const CucpuKernel *k, const Config *c) {
    static const char *const layouts[] = {"rows_full", "rows", "general"};
    bool apart = arrays_are_apart(r, k);
    for (uint32_t i = 0; i < k->nvariants + (k->scalar != NULL); i++) {
        const CucpuVariant *v = i < k->nvariants ? &k->variants[i] : k->scalar;
        if (!fits(k, v, r->l) || !runs_with(k, v, apart) || (v->block[0] && r->unwritten == UNWRITTEN_DYNAMIC)) continue;
        char where[256];
        snprintf(where, sizeof where, "--width=%d --opt=%d --disable=%s --cpu=%s%s, block %ux%ux%u, grid %ux%ux%u, variant %s width %u", c->width,
                 c->opt_level, c->disable, c->cpu, c->shuffle ? " --shuffle" : "", r->l->block[0], r->l->block[1], r->l->block[2], r->l->grid[0], r->l->grid[1],
                 r->l->grid[2], layouts[v->layout], v->width);
        snprintf(r->report->where, sizeof r->report->where, "%s", where);
        for (int a = 0; a < r->p->narrays; a++)
            if (r->initial[a]) memcpy(r->memory[a].data, r->initial[a], r->memory[a].size);
        run_variant(r, k, v);
        r->report->launches++;
        if (!compare(r, where)) return false;
    }
    return true;
}

/* ---- a program ---- */

static int compile(const char *text, const char *blocks, const Config *c, const Program *p, Compiled *out, Report *r) {
    CucpuOptions o;
    cucpu_options_init(&o);
    o.simd = c->width;
    o.opt_level = c->opt_level;
    o.disable = c->disable;
    o.cpu = c->cpu;
    o.layouts = c->layouts;
    o.blocks = blocks;
    o.shuffle = c->shuffle;
    o.remarks = c->speed;
    o.no_contract = true;
    o.verify_each = c->verify;
    o.source = "fuzz";
    void *bytes = NULL;
    size_t size = 0;
    snprintf(r->where, sizeof r->where, "compiling with --width=%d --opt=%d --disable=%s --cpu=%s", c->width, c->opt_level, c->disable, c->cpu);
    r->configs++;
    int status = cucpu_compile_memory(&o, text, strlen(text), &bytes, &size);
    if (status == CUCPU_UNSUPPORTED) return snprintf(r->what, sizeof r->what, "the compiler refuses it"), VERDICT_REFUSED;
    const char *wrong = status == CUCPU_OK ? load_object(bytes, size, &out->object) : "the compiler fails";
    if (c->speed) out->bytes = bytes, out->size = size;
    else free(bytes);
    out->config = c;
    if (wrong) return snprintf(r->what, sizeof r->what, "%s", wrong), VERDICT_FAIL;
    const CucpuKernel *k = &out->object.module->kernels[0];
    if (c->width > 1 && (!k->nvariants || k->variants[0].width == 1)) {
        r->narrow++;
        if (!p->warp) unload_object(&out->object); /* width 1 has its own configuration */
    }
    return VERDICT_PASS;
}

static int check_shape(const Program *p, const Code *code, const Launch *l, const Compiled *v, int n, Report *report) {
    Run r = {.p = p, .l = l, .report = report};
    int verdict = VERDICT_PASS;
    for (int i = 0; i < p->narrays; i++)
        if (array_has_memory(&p->arrays[i])) {
            size_t bytes = array_bytes(&p->arrays[i], launch_blocks(l));
            r.memory[i] = guarded(bytes, 1);
            r.expected[i] = malloc(bytes);
            r.initial[i] = malloc(bytes);
        }
    fill(p, v[0].config->seed, launch_blocks(l), r.expected);
    for (int i = 0; i < p->narrays; i++)
        if (r.initial[i]) memcpy(r.initial[i], r.expected[i], r.memory[i].size);
    const char *invalid = interpret(p, code, l, r.expected, &r.unwritten);
    if (invalid) {
        snprintf(report->what, sizeof report->what, "%s", invalid);
        verdict = VERDICT_INVALID;
    }
    for (int i = 0; i < n && verdict == VERDICT_PASS; i++)
        if (v[i].object.memory && !run_kernel(&r, &v[i].object.module->kernels[0], v[i].config)) verdict = VERDICT_FAIL;
    if (v[0].config->speed && verdict == VERDICT_PASS && n == 2 && v[1].object.memory) {
        r.timed = true;
        for (int i = 0; i < p->narrays; i++) {
            if (!r.memory[i].map) continue;
            size_t bytes = r.memory[i].size;
            release(&r.memory[i]);
            r.memory[i] = allocated(bytes);
        }
        time_kernels(&r, v);
    }
    for (int i = 0; i < p->narrays; i++) {
        release(&r.memory[i]);
        free(r.expected[i]);
        free(r.initial[i]);
    }
    return verdict;
}

static bool any_fits(const Compiled *v, int n, const Launch *l) {
    for (int i = 0; i < n; i++) {
        if (!v[i].object.memory) continue;
        const CucpuKernel *k = &v[i].object.module->kernels[0];
        for (uint32_t j = 0; j < k->nvariants; j++)
            if (fits(k, &k->variants[j], l)) return true;
    }
    return false;
}

/* The blockDims of the first two shapes to be tried: the compiler makes variants for them alone. */
static const char *known_blocks(Arena *a, const Program *p, const Config *c, int first) {
    const char *text = NULL;
    for (int i = 0, n = 0; i < SHAPES && n < 2; i++) {
        Launch l = choose_launch(p, c->seed, (first + 7 * i) % SHAPES);
        if (p->warp && launch_threads(&l) % 32) continue;
        text = arena_printf(a, "%s%s%u,%u,%u", text ? text : "", text ? ";" : "", l.block[0], l.block[1], l.block[2]);
        n++;
    }
    return text;
}

int check_program(const Program *p, const Config *configs, int n, Report *r) {
    Arena a = {0};
    Code *code = lower(&a, p);
    const char *text = print_ir(&a, p, code);
    Compiled *v = arena_array(&a, Compiled, n);
    int verdict = VERDICT_PASS;
    Random choose = {configs[0].seed};
    int first = random_below(&choose, SHAPES), left = configs[0].shapes;
    const char *blocks = known_blocks(&a, p, &configs[0], first);
    for (int i = 0; i < n && verdict == VERDICT_PASS; i++) verdict = compile(text, blocks, &configs[i], p, &v[i], r);
    for (int i = 0; i < SHAPES && left && verdict == VERDICT_PASS; i++) {
        int s = (first + 7 * i) % SHAPES; /* 7 and 30 have no factor in common: all of them */
        if (configs[0].only_shape && configs[0].only_shape != s + 1) continue;
        Launch l = choose_launch(p, configs[0].seed, s);
        if ((p->warp && launch_threads(&l) % 32) || !any_fits(v, n, &l)) continue;
        r->shape = s + 1;
        left--;
        verdict = check_shape(p, code, &l, v, n, r);
    }
    for (int i = 0; i < n; i++) unload_object(&v[i].object), free(v[i].bytes);
    arena_free(&a);
    return verdict;
}
