/* test_races.c: racecheck against a definition of what happens before what: all short histories of four threads that
** access one word, and synchronise.
**
** The definition is by sets of events: a barrier joins those of a block, a function of the warp those of its lanes, an
** acquire takes what all releases of the flag have had; a release is an atomic after a fence, and includes itself.
** Racecheck has to report a race in just those histories that have two accesses, one of them a write, not both atomic,
** of which neither is before the other.  RACES_LONGER=1: histories of one more event, some of which are missed: those
** of three updates with no order among them. */
#include "check/cells.h"
#include "check/race.h"
#include "check.h"
#include "exec/children.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the files under test call ---- */

static unsigned reported;
unsigned race_npending;
uint64_t race_found;
RtCheckOptions rt_check;
void race_note_page(uintptr_t p, uint32_t op) { (void)p, (void)op; }
void race_open_pages(void) {}
void race_close_pages(void) {}
void rt_memory_given(const void *p, uint32_t op) { (void)p, (void)op; }
void race_settle_pending(void) {}
void race_report(void) {}
void race_hazard(const Hazard *z) { (void)z, reported++; }
void rt_on_wait(void (*f)(bool begins)) { (void)f; }
uint32_t cucpu_is_local(const void *p) { return !p; }
uint64_t rt_now_ns(void) { return 0; }

static CucpuKernel kernel;
static RtKernel of_kernel = {.abi = &kernel};
static RtLaunch launch = {.kernel = &of_kernel, .abi = {.grid = {2, 1, 1}, .block = {64, 1, 1}}, .blocks = 2};
static CucpuWorker worker;
const CucpuWorker *rt_running_worker(const RtLaunch **l) {
    *l = &launch;
    return &worker;
}

/* ---- histories ---- */

enum { A, B, C, D, THREADS }; /* of a warp; of another one; of another block */
static const uint32_t number[THREADS] = {0, 1, 32, 0};
typedef enum Kind { READ, WRITE, UPDATE, UPDATE_BLOCK, LOAD, RELEASE, ACQUIRE, BARRIER, WARP } Kind;
typedef struct Event {
    Kind kind;
    int thread; /* -1: of BARRIER and WARP, in the first block */
} Event;

static const uint32_t flags_of[] = {[READ] = CUCPU_SITE_READ,
                                    [WRITE] = CUCPU_SITE_WRITE,
                                    [UPDATE] = CUCPU_SITE_READ | CUCPU_SITE_WRITE | CUCPU_SITE_ATOMIC,
                                    [UPDATE_BLOCK] =
                                        CUCPU_SITE_READ | CUCPU_SITE_WRITE | CUCPU_SITE_ATOMIC | CUCPU_SITE_BLOCK,
                                    [LOAD] = CUCPU_SITE_READ | CUCPU_SITE_ATOMIC};

/* ---- the definition ---- */

typedef unsigned Events; /* a bit for each */

static bool is_access(Kind k) { return k <= LOAD; }
static bool writes(Kind k) { return flags_of[k] & CUCPU_SITE_WRITE; }
static bool is_atomic(Kind k) { return flags_of[k] & CUCPU_SITE_ATOMIC; }

static bool may_meet(const Event *a, const Event *b) {
    bool narrow = a->kind == UPDATE_BLOCK || b->kind == UPDATE_BLOCK;
    return is_atomic(a->kind) && is_atomic(b->kind) && !(narrow && (a->thread == D) != (b->thread == D));
}

/* Those of the set of threads. */
static void meet(Events of[THREADS], unsigned threads) {
    Events all = 0;
    for (int t = A; t < THREADS; t++) all |= threads >> t & 1 ? of[t] : 0;
    for (int t = A; t < THREADS; t++) of[t] = threads >> t & 1 ? all : of[t];
}

/* What is before the next event of each thread, and before its last fence; what releases of the flag and of the word
** cover; threads with a fence, and with one since the barrier. */
typedef struct Known {
    Events at[THREADS], fenced[THREADS], flag, word;
    unsigned fences, since;
} Known;

static void fence(Known *k, int thread) {
    k->fenced[thread] = k->at[thread];
    k->fences |= 1u << thread, k->since |= 1u << thread;
}

/* A fence before a barrier is for the writes of others that have one there, too. */
static void synchronise(Known *k, const Event *e) {
    if (e->kind == BARRIER) meet(k->at, 1 << A | 1 << B | 1 << C), meet(k->fenced, k->since), k->since = 0;
    else if (e->kind == WARP) meet(k->at, 1 << A | 1 << B);
    else if (e->kind == RELEASE) fence(k, e->thread), k->flag |= k->at[e->thread];
    else if (e->kind == ACQUIRE) k->at[e->thread] |= k->flag, fence(k, e->thread);
    else if (e->kind == UPDATE || e->kind == LOAD) k->at[e->thread] |= k->word;
}

static bool has_race(const Event *v, unsigned n) {
    Known known = {.flag = 0};
    for (unsigned i = 0; i < n; i++) {
        const Event *e = &v[i];
        synchronise(&known, e);
        if (!is_access(e->kind)) continue;
        for (unsigned k = 0; k < i; k++)
            if (is_access(v[k].kind) && (writes(e->kind) || writes(v[k].kind)) && !may_meet(e, &v[k]) &&
                !(known.at[e->thread] >> k & 1))
                return true;
        known.at[e->thread] |= 1u << i;
        if (e->kind == UPDATE && known.fences >> e->thread & 1) known.word |= known.fenced[e->thread] | 1u << i;
    }
    return false;
}

/* ---- the same for racecheck ---- */

static uint32_t word[2], flag_word;
static bool shared;
static RtHere here = {.launch = &launch, .number = 1};

static void go_to(int thread) {
    worker.block = here.block = thread == D;
    here.thread = here.linear = number[thread];
}

static void access_word(uint32_t flags, uint32_t *at) {
    CucpuSite site = {.number = 1, .flags = flags, .size = 4};
    RtAccess a = {.site = &site, .address = (uintptr_t)at, .bytes = 4, .space = shared ? RT_SHARED : RT_GLOBAL};
    if (at == &flag_word) a.space = RT_GLOBAL;
    if (!rt_race_quickly(&site, a.address, here.thread, 4)) rt_race_access(&here, &a);
}

static void run(const Event *e) {
    const uint32_t update = flags_of[UPDATE];
    if (e->kind == BARRIER)
        for (int t = A; t <= C; t++) go_to(t), rt_race_barrier(&here, 0);
    if (e->kind == WARP)
        for (int t = A; t <= B; t++) go_to(t), rt_race_warp(&here, 3);
    if (e->thread >= 0) go_to(e->thread);
    if (is_access(e->kind)) access_word(flags_of[e->kind], word);
    if (e->kind == RELEASE) rt_race_fence(&here, false), access_word(update & ~CUCPU_SITE_READ, &flag_word);
    if (e->kind == ACQUIRE) access_word(flags_of[LOAD], &flag_word), rt_race_fence(&here, false);
}

static bool finds_race(const Event *v, unsigned n) {
    reported = 0;
    rt_race_grid(&launch, false);
    for (unsigned i = 0; i < n; i++) run(&v[i]);
    rt_race_grid(&launch, true);
    return reported != 0;
}

/* ---- all of them ---- */

static const char *const names[] = {"read",    "write",   "update",  "update_block", "load",
                                    "release", "acquire", "barrier", "syncwarp"};

static unsigned wrong, tried, racy;

static void try(const Event *v, unsigned n) {
    bool expected = has_race(v, n), found = finds_race(v, n);
    tried++, racy += expected;
    if (found == expected || wrong++ >= 10) return;
    fprintf(stderr, "%s, in %s memory:", found ? "false alarm" : "missed", shared ? "shared" : "global");
    for (unsigned i = 0; i < n; i++)
        fprintf(stderr, " %s %c;", names[v[i].kind], v[i].thread < 0 ? '-' : "ABCD"[v[i].thread]);
    fprintf(stderr, "\n");
}

/* Blocks run one after the other: the events of D are last. */
static void extend(Event *v, unsigned n, unsigned length, const Kind *kinds, unsigned nkinds) {
    if (n) try(v, n);
    if (n == length) return;
    bool second = n && v[n - 1].thread == D;
    for (unsigned k = 0; k < nkinds; k++)
        for (int t = second ? D : A; t < THREADS; t++) {
            bool together = kinds[k] == BARRIER || kinds[k] == WARP;
            if (together && t != A) break;
            if (shared && t == D) break;
            v[n] = (Event){kinds[k], together ? -1 : t};
            extend(v, n + 1, length, kinds, nkinds);
        }
}

static void check_all(unsigned length, const Kind *kinds, unsigned nkinds) {
    Event v[8];
    wrong = tried = racy = 0;
    extend(v, 0, length, kinds, nkinds);
    assert_int_equal(wrong, 0);
    assert_true(racy > 0 && racy < tried);
}

static void set_space(bool to_shared) {
    shared = to_shared;
    here.shared = to_shared ? (uintptr_t)word : 0;
    here.shared_bytes = to_shared ? sizeof word : 0;
}

static unsigned more(void) { return getenv("RACES_LONGER") ? 1 : 0; }

static void atomics_and_barriers(void **state) {
    (void)state;
    static const Kind kinds[] = {READ, WRITE, UPDATE, LOAD, UPDATE_BLOCK, BARRIER, WARP};
    for (int s = 0; s < 2; s++) set_space(s), check_all(4, kinds, RT_COUNT(kinds));
}

static void long_ones(void **state) {
    (void)state;
    static const Kind plain[] = {READ, WRITE, BARRIER, WARP}, kinds[] = {READ, WRITE, UPDATE, LOAD, BARRIER, WARP};
    for (int s = 0; s < 2; s++) {
        set_space(s);
        check_all(5 + more(), plain, RT_COUNT(plain));
        check_all(4 + more(), kinds, RT_COUNT(kinds));
    }
}

static int clear_cells(void **state) {
    (void)state;
    race_clear_cells((uintptr_t)word, sizeof word);
    race_clear_cells((uintptr_t)&flag_word, sizeof flag_word);
    return 0;
}

static void flags(void **state) {
    (void)state;
    static const Kind kinds[] = {READ, WRITE, UPDATE, RELEASE, ACQUIRE, BARRIER, WARP};
    set_space(false), check_all(4 + more(), kinds, RT_COUNT(kinds));
}

/* ---- rows of a group ---- */

/* Two arrays are accessed alike: one by rows, the other lane by lane.  What is kept of their words is the same. */
enum { WORDS = 96, LANES = 16, STEPS = 200 };
static uint32_t by_rows[WORDS] __attribute__((aligned(64))), by_lanes[WORDS] __attribute__((aligned(64)));

typedef struct Step {
    CucpuSite site;
    unsigned group, at, lane_words;
    int stride;
    uint64_t mask;
} Step;

static unsigned rows_done, rows_tried;

static unsigned below(unsigned n) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static Step some_step(void) {
    static const uint64_t masks[] = {0xffff, 0xffff, 0x7fff, 0xfffe, 0x00f0, 0x0f0f, 1};
    static const int strides[] = {1, 1, 1, -1, 2};
    Step s = {.group = below(4), .lane_words = 1u << below(3), .mask = masks[below(RT_COUNT(masks))]};
    int distance = s.lane_words == 1 ? strides[below(RT_COUNT(strides))] : (int)s.lane_words;
    unsigned extent = (LANES - 1) * (unsigned)abs(distance) + s.lane_words;
    s.stride = 4 * distance, s.at = below(WORDS - extent + 1) + (distance < 0 ? extent - 1 : 0);
    s.site = (CucpuSite){.number = 1, .size = 4 * s.lane_words, .flags = below(5) ? CUCPU_SITE_READ : CUCPU_SITE_WRITE};
    return s;
}

static void access_lane(const Step *s, const uint32_t *array, unsigned lane) {
    uintptr_t at = (uintptr_t)(array + s->at) + (uintptr_t)(s->stride * (int)lane);
    RtAccess a = {.site = &s->site, .address = at, .bytes = 4 * s->lane_words, .space = RT_GLOBAL};
    here.thread = here.linear = s->group * LANES + lane;
    if (!rt_race_quickly(&s->site, at, here.thread, a.bytes)) rt_race_access(&here, &a);
}

/* False: there is a race. */
static bool take_step(const Step *s) {
    uint64_t at = (uintptr_t)(by_rows + s->at);
    reported = 0;
    bool done = rt_race_row(&s->site, at, s->stride, s->mask, s->group * LANES, 4 * s->lane_words);
    for (unsigned lane = 0; lane < LANES && !done; lane++)
        if (s->mask >> lane & 1) access_lane(s, by_rows, lane);
    unsigned of_rows = reported;
    for (unsigned lane = 0; lane < LANES; lane++)
        if (s->mask >> lane & 1) access_lane(s, by_lanes, lane);
    assert_int_equal(reported, 2 * of_rows);
    rows_done += done, rows_tried++;
    return !reported;
}

static void expect_same_cells(void) {
    for (unsigned i = 0; i < WORDS; i++) {
        const Cell *a = race_global_cell((uintptr_t)&by_rows[i]), *b = race_global_cell((uintptr_t)&by_lanes[i]);
        assert_int_equal(a->write.s, b->write.s);
        for (int k = 0; k < 2; k++) assert_int_equal(a->read[k].s, b->read[k].s);
    }
}

/* All threads leave a barrier; the first access in an epoch is not quick. */
static void begin_epoch(bool barrier) {
    static uint32_t other;
    CucpuSite site = {.number = 2, .flags = CUCPU_SITE_READ, .size = 4};
    RtAccess a = {.site = &site, .address = (uintptr_t)&other, .bytes = 4, .space = RT_GLOBAL};
    for (unsigned t = 0; t < 4 * LANES && barrier; t++) here.linear = t, rt_race_barrier(&here, 0);
    here.thread = here.linear = 0;
    rt_race_access(&here, &a);
}

/* Until there is a race, as long as the launch has no more than some steps. */
static void rows(void **state) {
    (void)state;
    set_space(false);
    worker.block = here.block = 0;
    for (int launches = 0; launches < 3000; launches++) {
        rt_race_grid(&launch, false);
        begin_epoch(false);
        for (int i = 0; i < STEPS; i++) {
            Step s = some_step();
            if (!take_step(&s)) break;
            expect_same_cells();
            if (!below(4)) begin_epoch(true);
        }
        rt_race_grid(&launch, true);
    }
    assert_true(rows_done > rows_tried / 2 && rows_done < rows_tried);
    race_clear_cells((uintptr_t)by_rows, sizeof by_rows), race_clear_cells((uintptr_t)by_lanes, sizeof by_lanes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(atomics_and_barriers), cmocka_unit_test(long_ones),
                                       cmocka_unit_test(flags), cmocka_unit_test(rows)};
    return cmocka_run_group_tests(tests, NULL, clear_cells);
}
