/* test_races.c: racecheck against a definition of what happens before what: all short histories of four threads that
** access one word, and synchronise.
**
** The definition is by vector clocks: a barrier joins those of a block, a function of the warp those of its lanes, an
** acquire takes what all releases of the flag have had; a release is an atomic after a fence.  Racecheck has to report a race in just those histories that
** have two accesses, one of them a write, not both atomic, of which neither is before the other. */
#include "check/race.h"
#include "check.h"
#include "exec/children.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the files under test call ---- */

static unsigned reported;
unsigned race_npending;
RtCheckOptions rt_check;
void rt_memory_given(const void *p, uint32_t op) { (void)p, (void)op; }
void race_settle_pending(void) {}
void race_report(void) {}
void race_hazard(const Hazard *z) { (void)z, reported++; }
void rt_on_wait(void (*f)(bool begins)) { (void)f; }
uint32_t cucpu_is_local(const void *p) { return !p; }

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
                                    [UPDATE_BLOCK] = CUCPU_SITE_READ | CUCPU_SITE_WRITE | CUCPU_SITE_ATOMIC |
                                                     CUCPU_SITE_BLOCK,
                                    [LOAD] = CUCPU_SITE_READ | CUCPU_SITE_ATOMIC};

/* ---- the definition ---- */

typedef struct Clocks {
    unsigned of[THREADS];
} Clocks;

static void join(Clocks *c, const Clocks *with) {
    for (int t = 0; t < THREADS; t++)
        if (with->of[t] > c->of[t]) c->of[t] = with->of[t];
}

static bool is_access(Kind k) { return k <= LOAD; }
static bool writes(Kind k) { return flags_of[k] & CUCPU_SITE_WRITE; }
static bool is_atomic(Kind k) { return flags_of[k] & CUCPU_SITE_ATOMIC; }

static bool may_meet(const Event *a, const Event *b) {
    bool narrow = a->kind == UPDATE_BLOCK || b->kind == UPDATE_BLOCK;
    return is_atomic(a->kind) && is_atomic(b->kind) && !(narrow && (a->thread == D) != (b->thread == D));
}

static void meet(Clocks at[THREADS], int last) {
    Clocks all = {{0}};
    for (int t = A; t <= last; t++) join(&all, &at[t]);
    for (int t = A; t <= last; t++) at[t] = all;
}

/* A fence before a barrier is for the writes of others that have one there, too. */
static void meet_fences(Clocks fenced[THREADS], unsigned *since) {
    Clocks all = {{0}};
    for (int t = A; t <= C; t++)
        if (*since >> t & 1) join(&all, &fenced[t]);
    for (int t = A; t <= C; t++)
        if (*since >> t & 1) fenced[t] = all;
    *since = 0;
}

static bool has_race(const Event *v, unsigned n) {
    Clocks at[THREADS] = {{{0}}}, fenced[THREADS] = {{{0}}}, flag = {{0}}, own = {{0}}; /* own: of the word */
    unsigned when[8] = {0}, since = 0; /* fences since the barrier */
    for (unsigned i = 0; i < n; i++) {
        const Event *e = &v[i];
        if (e->kind == BARRIER) meet(at, C), meet_fences(fenced, &since);
        else if (e->kind == WARP) meet(at, B);
        else if (e->kind == RELEASE) fenced[e->thread] = at[e->thread], since |= 1u << e->thread, join(&flag, &at[e->thread]);
        else if (e->kind == ACQUIRE) join(&at[e->thread], &flag), fenced[e->thread] = at[e->thread], since |= 1u << e->thread;
        else when[i] = ++at[e->thread].of[e->thread];
        if (e->kind == UPDATE || e->kind == LOAD) join(&at[e->thread], &own);
        if (e->kind == UPDATE) join(&own, &fenced[e->thread]);
        for (unsigned k = 0; k < i && is_access(e->kind); k++)
            if (is_access(v[k].kind) && (writes(e->kind) || writes(v[k].kind)) && !may_meet(e, &v[k]) &&
                when[k] > at[e->thread].of[v[k].thread])
                return true;
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
    for (unsigned i = 0; i < n; i++) fprintf(stderr, " %s %c;", names[v[i].kind], v[i].thread < 0 ? '-' : "ABCD"[v[i].thread]);
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

static void flags(void **state) {
    (void)state;
    static const Kind kinds[] = {READ, WRITE, UPDATE, RELEASE, ACQUIRE, BARRIER, WARP};
    set_space(false), check_all(4 + more(), kinds, RT_COUNT(kinds));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(atomics_and_barriers), cmocka_unit_test(long_ones),
                                       cmocka_unit_test(flags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
