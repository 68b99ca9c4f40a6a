/* test_online_autotune.c: kernels with two codes: each block runs once, and soon the faster code runs nearly all of them.
** The clock of this program, which stands in front of the runtime's, is the time that kernels say they take: no other process
** can disturb a sample. */
#include "check.h"
#include <stdatomic.h>
#include <stdio.h>

enum { MAX_BLOCKS = 100000, BEHIND = 64, SIMD = 0, SCALAR = 1 };
static _Atomic unsigned visits[MAX_BLOCKS + BEHIND];
static _Atomic uint64_t ran[2];
static _Atomic unsigned cost[2]; /* ticks per block */
static _Atomic uint64_t border;  /* blocks in front of it take SIMD code three times as long */
static _Atomic uint64_t cheap;   /* blocks in front of it cost a thousandth */
static _Atomic uint64_t brief;   /* a call of more blocks than this takes ten times as long with one lane */
static _Atomic int misplaced;

enum { READING = 20 };
static _Thread_local uint64_t ticks;
uint64_t cucpu_clock64(void) { return ticks += READING; }

/* As code that the compiler makes: of one block at least, the end is looked at behind it. */
static void run(int code, const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    memset(w->frame, code, code == SCALAR ? 64 * (size_t)l->threads : 8);
    uint64_t b = first;
    do {
        w->block = b;
        visits[b]++;
        bool slow = code == SCALAR && brief && end - first > brief;
        ticks += cost[code] * (code == SIMD && b < border ? 3 : slow ? 10 : 1) / (b < cheap ? 1000 : 1);
    } while (++b < end);
    ran[code] += end - first;
}

static void simd(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) { run(SIMD, l, w, first, end); }
static void scalar(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) { run(SCALAR, l, w, first, end); }
static void other_block(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)w, (void)first, (void)end;
    if (l->block[0] != 7) misplaced++;
}

static const CucpuVariant variants[] = {{other_block, 16, CUCPU_LAYOUT_GENERAL, {7, 1, 1}, 0, 0, 0, 0, 0, 0, 0},
                                        {simd, 16, CUCPU_LAYOUT_GENERAL, {0}, 128, 0, 0, 0, 0, 0, 0}};
static const CucpuVariant one_lane = {scalar, 1, CUCPU_LAYOUT_ROWS_FULL, {0}, 0, 64, 0, 0, 0, 0, 0};
static const CucpuVariant rows = {simd, 16, CUCPU_LAYOUT_ROWS, {0}, 128, 0, 0, 0, 0, 0, 0};
enum { BOTH, SMALL, FIRST, TURNS, WIDE, IDLE, CLEAR, SUMS, UNTRIED, WRONG, RIGHT, BORDER, LIKELY, LATE, TINY, TINY_RIGHT, ONCE, LIARS, BAD, MIXED, PHASES, STRIDES, STUBS };
static const CucpuKernel kernels[STUBS] = {
    {.name = "both", .variants = variants, .nvariants = 2, .scalar = &one_lane},
    {.name = "small", .variants = variants, .nvariants = 2, .scalar = &one_lane},
    {.name = "first", .variants = variants, .nvariants = 2, .scalar = &one_lane, .flags = CUCPU_KERNEL_SCALAR_FIRST},
    {.name = "turns", .variants = variants, .nvariants = 2, .scalar = &one_lane},
    {.name = "wide", .variants = variants + 1, .nvariants = 1, .scalar = &one_lane},
    {.name = "idle", .variants = &rows, .nvariants = 1, .scalar = &one_lane, .scalar_time = 150},
    {.name = "clear", .variants = variants, .nvariants = 2, .scalar = &one_lane},
    {.name = "sums", .variants = &rows, .nvariants = 1, .scalar = &one_lane, .scalar_time = 150, .flags = CUCPU_KERNEL_SUMS},
    {.name = "untried", .variants = &rows, .nvariants = 1, .scalar = &one_lane, .scalar_time = 150, .flags = CUCPU_KERNEL_UNTRIED},
    {.name = "wrong", .variants = variants, .nvariants = 2, .scalar = &one_lane, .scalar_time = 800},
    {.name = "right", .variants = variants, .nvariants = 2, .scalar = &one_lane, .scalar_time = 800},
    {.name = "border", .variants = variants, .nvariants = 2, .scalar = &one_lane},
    {.name = "likely", .variants = variants, .nvariants = 2, .scalar = &one_lane, .scalar_time = 85},
    {.name = "late", .variants = variants, .nvariants = 2, .scalar = &one_lane, .scalar_time = 50, .flags = CUCPU_KERNEL_SCALAR_FIRST},
    {.name = "tiny", .variants = variants, .nvariants = 2, .scalar = &one_lane, .scalar_time = 800},
    {.name = "tiny right", .variants = variants, .nvariants = 2, .scalar = &one_lane, .scalar_time = 800},
    {.name = "once", .variants = variants, .nvariants = 2, .scalar = &one_lane},
    {.name = "liars", .variants = variants, .nvariants = 2, .scalar = &one_lane},
    {.name = "bad", .variants = variants, .nvariants = 2, .scalar = &one_lane, .scalar_time = 150},
    {.name = "mixed", .variants = variants, .nvariants = 2, .scalar = &one_lane},
    {.name = "phases", .variants = variants, .nvariants = 2, .scalar = &one_lane},
    {.name = "strides", .variants = variants, .nvariants = 2, .scalar = &one_lane, .flags = CUCPU_KERNEL_GRID_STRIDE},
};
static const CucpuModule module = {CUCPU_ABI_VERSION, 32, 43, "test_trial", kernels, NULL, STUBS, 0, NULL, 0, 0, 0, NULL, NULL};
static char stubs[STUBS];

static int setup(void **state) {
    (void)state;
    const void *list[STUBS];
    for (int i = 0; i < STUBS; i++) list[i] = &stubs[i];
    fake_register(&module, list, NULL, true);
    return 0;
}

static bool trials_are_off(void) { return getenv("CUCPU_TRIAL") || getenv("CUCPU_SCHED"); }

static void launch(int stub, unsigned blocks, unsigned threads) {
    memset(visits, 0, (blocks + BEHIND) * sizeof visits[0]);
    OK(fake_launch(&stubs[stub], fake_dim(blocks, 1, 1), fake_dim(threads, 1, 1), 0, NULL, NULL));
    OK(cudaDeviceSynchronize());
    for (unsigned b = 0; b < blocks; b++) assert_int_equal(visits[b], 1);
    for (unsigned b = blocks; b < blocks + BEHIND; b++) assert_int_equal(visits[b], 0);
}

/* The share of blocks that the code of one lane runs in the last launch, percent, or after `launches`. */
static uint64_t scalar_share(int stub, unsigned blocks, int launches) {
    for (int i = 0; i < launches; i++) launch(stub, blocks, 32);
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 20; i++) launch(stub, blocks, 32);
    return ran[SCALAR] * 100 / (ran[SCALAR] + ran[SIMD]);
}

static void set_costs(unsigned with_simd, unsigned with_scalar) {
    cost[SIMD] = with_simd;
    cost[SCALAR] = with_scalar;
}

/* With many workers each sample is a launch, and some 256 launches pass behind a change that was sure (SURE_PAUSE in online_autotune.c, times
** four for code that took three times as long) before there is another trial. */
enum { SETTLED = 600 };

static void prefers(int stub, unsigned blocks, int code) {
    bool off = trials_are_off(), scalar_first = kernels[stub].flags & CUCPU_KERNEL_SCALAR_FIRST;
    uint64_t share = scalar_share(stub, blocks, SETTLED);
    if (off ? scalar_first : code == SCALAR) assert_in_range(share, 80, 100);
    else assert_in_range(share, 0, 20);
}

/* In one large launch most blocks already run the faster code. */
static void large_grids_try_blocks(void **state) {
    (void)state;
    set_costs(6000, 2000);
    prefers(BOTH, 6000, SCALAR);
    set_costs(2000, 6000);
    prefers(FIRST, 6000, SIMD);
}

/* Nearly all of them with one worker: there may be no second launch. */
static void one_worker_settles_early(void **state) {
    (void)state;
    struct cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, 0));
    set_costs(6000, 2000);
    ran[SIMD] = ran[SCALAR] = 0;
    launch(ONCE, 60000, 32);
    if (trials_are_off()) assert_int_equal(ran[SCALAR], 0);
    else if (prop.multiProcessorCount == 1) assert_true(ran[SCALAR] > 54000);
    set_costs(0, 0);
}

/* Samples of one lane look fast, what runs behind them does not: that is noticed once, and whole launches tell from then on. */
static void samples_that_lie_are_found_out(void **state) {
    (void)state;
    struct cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, 0));
    if (prop.multiProcessorCount > 2) return; /* chunks are as small as samples */
    set_costs(3000, 1500);
    brief = 64;
    uint64_t share = scalar_share(LIARS, 20000, 100);
    assert_in_range(share, 0, 6);
    brief = 0;
    set_costs(0, 0);
}

static void small_grids_try_launches(void **state) {
    (void)state;
    set_costs(30000, 10000);
    prefers(SMALL, 3, SCALAR);
}

/* No second trial where the samples leave no doubt. */
static void clear_samples_change_at_once(void **state) {
    (void)state;
    set_costs(60000, 10000);
    int soon = 0;
    for (unsigned threads = 33; threads < 38; threads++) {
        for (int i = 0; i < 9; i++) launch(CLEAR, 3, threads);
        ran[SIMD] = ran[SCALAR] = 0;
        for (int i = 0; i < 5; i++) launch(CLEAR, 3, threads);
        soon += ran[SCALAR] == 15;
    }
    assert_int_equal(soon, trials_are_off() ? 0 : 5);
}

/* Nor where one trial says what the estimate did. */
static void estimates_need_one_trial(void **state) {
    (void)state;
    set_costs(33000, 30000);
    for (int i = 0; i < 5; i++) launch(LIKELY, 3, 32);
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 5; i++) launch(LIKELY, 3, 32);
    assert_int_equal(ran[SCALAR], trials_are_off() ? 0 : 15);
}

/* An estimate of eight times keeps whole launches from being samples for 112 of them, but a few blocks tell soon that it is wrong;
** where it is right, no others run. */
static void a_glance_corrects_estimates(void **state) {
    (void)state;
    struct cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, 0));
    unsigned blocks = 32 * (unsigned)prop.multiProcessorCount;
    set_costs(4000, 1500);
    for (int i = 0; i < 40; i++) launch(WRONG, blocks, 32);
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 10; i++) launch(WRONG, blocks, 32);
    assert_int_equal(ran[SCALAR] > ran[SIMD], !trials_are_off());
    set_costs(1500, 12000);
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 80; i++) launch(RIGHT, blocks, 32);
    assert_true(ran[SCALAR] <= 4);
    set_costs(0, 0);
}

/* One lane takes twenty times as long, not 1.5 times: no launch of it is a sample soon. */
static void a_glance_puts_off_bad_code(void **state) {
    (void)state;
    struct cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, 0));
    set_costs(4000, 80000);
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 200; i++) launch(BAD, 32 * (unsigned)prop.multiProcessorCount, 32);
    assert_in_range(ran[SCALAR], trials_are_off() ? 0 : 1, trials_are_off() ? 0 : 4);
    set_costs(0, 0);
}

/* Samples within a large launch cost little, and say how much whole launches would: those wait for as long as that is worth. */
static void small_launches_know_of_large_ones(void **state) {
    (void)state;
    set_costs(12000, 240000);
    launch(MIXED, 20000, 32);
    assert_int_equal(ran[SCALAR] > 0, !trials_are_off());
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 200; i++) launch(MIXED, 20, 32);
    assert_int_equal(ran[SCALAR], 0);
    set_costs(0, 0);
}

/* Where little time can be lost, not even a few launches wait. */
static void tiny_launches_try_at_once(void **state) {
    (void)state;
    set_costs(2000, 1000);
    for (int i = 0; i < 6; i++) launch(TINY, 3, 32);
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 20; i++) launch(TINY, 3, 32);
    if (trials_are_off()) assert_int_equal(ran[SCALAR], 0);
    else assert_true(ran[SIMD] <= 6); /* the change was not sure: there is another trial */
    set_costs(1000, 8000);
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 100; i++) launch(TINY_RIGHT, 3, 32);
    assert_true(ran[SCALAR] <= 3);
    set_costs(0, 0);
}

/* Code for one lane that runs first loses 3 percent at most to trials of the other. */
static void one_lane_first_loses_little(void **state) {
    (void)state;
    set_costs(60000, 30000);
    for (int n = 50; n < 1000; n *= 2) {
        ran[SIMD] = ran[SCALAR] = 0;
        for (int i = 0; i < n; i++) launch(LATE, 3, (unsigned)n);
        assert_true(ran[SIMD] * 100 <= 3 * (ran[SIMD] + ran[SCALAR]));
    }
}

static void follows_what_changes(void **state) {
    (void)state;
    set_costs(2000, 6000);
    prefers(TURNS, 4000, SIMD);
    set_costs(6000, 2000);
    prefers(TURNS, 4000, SCALAR);
    set_costs(2000, 6000);
    prefers(TURNS, 4000, SIMD);
}

/* Blocks suddenly take long: the other code is tried at once, though all trials before, each after a longer pause, changed nothing. */
static void a_phase_brings_a_trial(void **state) {
    (void)state;
    struct cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, 0));
    if (prop.multiProcessorCount > 2) return; /* launches are the samples */
    set_costs(2000, 6000);
    for (int i = 0; i < 100; i++) launch(PHASES, 6000, 32);
    set_costs(60000, 20000);
    launch(PHASES, 6000, 32);
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 3; i++) launch(PHASES, 6000, 32);
    if (trials_are_off()) assert_int_equal(ran[SCALAR], 0);
    else assert_true(ran[SCALAR] > 2 * ran[SIMD]);
    set_costs(0, 0);
}

/* Blocks of a grid-stride loop that run as one take another time than some of them: launches are the samples. */
static void grid_strides_are_tried_whole(void **state) {
    (void)state;
    set_costs(6000, 2000);
    for (int i = 0; i < 40; i++) {
        ran[SIMD] = ran[SCALAR] = 0;
        launch(STRIDES, 6000, 32);
        assert_true(!ran[SIMD] || !ran[SCALAR]);
    }
    if (!trials_are_off()) assert_int_equal(ran[SCALAR], 6000);
    set_costs(0, 0);
}

static void trials_take_little(void **state) {
    (void)state;
    set_costs(1000, 20000);
    for (int i = 0; i < 50; i++) launch(WIDE, 20000, 32);
    ran[SIMD] = ran[SCALAR] = 0;
    for (int i = 0; i < 20; i++) launch(WIDE, 20000, 32);
    assert_true(ran[SCALAR] * 20 <= (ran[SIMD] + ran[SCALAR]) / 20); /* 5 % of the time */
}

/* Half of the lanes have no thread: several of them are estimated slower than one then, and are not what runs first. */
static void counts_idle_lanes(void **state) {
    (void)state;
    set_costs(0, 0);
    ran[SIMD] = ran[SCALAR] = 0;
    launch(IDLE, 8, 8);
    if (!trials_are_off()) assert_int_equal(ran[SCALAR], 8);
    ran[SIMD] = ran[SCALAR] = 0;
    launch(IDLE, 8, 16);
    assert_int_equal(ran[SIMD], 8);
}

/* The first blocks of a grid are its border: what is inside counts. */
static void tries_blocks_inside(void **state) {
    (void)state;
    set_costs(2000, 3000);
    border = 40;
    prefers(BORDER, 60000, SIMD); /* many, so that chunks have an inside with any number of workers */
    border = 0;
}

/* The first launch of a kernel, for grids of all sizes: samples end where their chunk does, though a block may take longer than
** those before it. */
static void stays_in_its_chunk(void **state) {
    (void)state;
    enum { SIZES = 250 };
    static CucpuKernel sizes[SIZES];
    static char stub[SIZES], name[SIZES][8];
    static const CucpuModule m = {CUCPU_ABI_VERSION, 32, 45, "sizes", sizes, NULL, SIZES, 0, NULL, 0, 0, 0, NULL, NULL};
    const void *list[SIZES];
    for (int i = 0; i < SIZES; i++) {
        snprintf(name[i], sizeof name[i], "of %d", i + 1);
        sizes[i] = (CucpuKernel){.name = name[i], .variants = variants + 1, .nvariants = 1, .scalar = &one_lane};
        list[i] = &stub[i];
    }
    fake_register(&m, list, NULL, true);
    set_costs(60000, 20000);
    for (unsigned i = 0; i < SIZES; i++) {
        cheap = i % 4;
        memset(visits, 0, sizeof visits);
        OK(fake_launch(&stub[i], fake_dim(i + 1, 1, 1), fake_dim(32, 1, 1), 0, NULL, NULL));
        OK(cudaDeviceSynchronize());
        for (unsigned b = 0; b < i + 1 + BEHIND; b++) assert_int_equal(visits[b], b <= i);
    }
    cheap = 0;
}

/* Sums of floats: one worker, or a grid of one block, takes what is estimated faster, whatever the times say. */
static void keeps_order_of_sums(void **state) {
    (void)state;
    struct cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, 0));
    set_costs(30000, 10000);
    prefers(SUMS, 3, prop.multiProcessorCount > 1 ? SCALAR : SIMD);
    assert_int_equal(scalar_share(SUMS, 1, SETTLED), 0);
    ran[SIMD] = ran[SCALAR] = 0;
    launch(SUMS, 1, 8); /* half of the lanes idle */
    assert_int_equal(ran[SCALAR], 1);
    set_costs(0, 0);
}

/* Where the order shows at all times, blockDim decides. */
static void leaves_untried_to_block(void **state) {
    (void)state;
    set_costs(30000, 10000);
    assert_int_equal(scalar_share(UNTRIED, 64, SETTLED), 0);
    ran[SIMD] = ran[SCALAR] = 0;
    launch(UNTRIED, 64, 8); /* half of the lanes idle */
    assert_int_equal(ran[SIMD], 0);
    assert_int_equal(ran[SCALAR], 64);
    set_costs(0, 0);
}

/* Variants for one blockDim, and launches that code of several lanes cannot take. */
static void keeps_to_what_fits(void **state) {
    (void)state;
    set_costs(0, 0);
    for (int i = 0; i < 20; i++)
        OK(fake_launch(&stubs[BOTH], fake_dim(MAX_BLOCKS, 1, 1), fake_dim(7, 1, 1), 0, NULL, NULL));
    ran[SIMD] = ran[SCALAR] = 0;
    memset(visits, 0, sizeof visits);
    assert_int_equal(misplaced, 0);
    static const CucpuKernel strides = {.name = "strides", .variants = variants + 1, .nvariants = 1, .scalar = &one_lane, .step = 1 << 20};
    static const CucpuModule m = {CUCPU_ABI_VERSION, 32, 44, "strides", &strides, NULL, 1, 0, NULL, 0, 0, 0, NULL, NULL};
    static char stub;
    const void *list[] = {&stub};
    fake_register(&m, list, NULL, true);
    OK(fake_launch(&stub, fake_dim(4096, 1, 1), fake_dim(32, 1, 1), 0, NULL, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(ran[SCALAR], 4096);
    assert_int_equal(ran[SIMD], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_grids_try_blocks),  cmocka_unit_test(small_grids_try_launches), cmocka_unit_test(one_worker_settles_early), cmocka_unit_test(samples_that_lie_are_found_out),
                                       cmocka_unit_test(follows_what_changes),    cmocka_unit_test(trials_take_little), cmocka_unit_test(a_phase_brings_a_trial), cmocka_unit_test(grid_strides_are_tried_whole),
                                       cmocka_unit_test(keeps_to_what_fits), cmocka_unit_test(counts_idle_lanes), cmocka_unit_test(keeps_order_of_sums), cmocka_unit_test(leaves_untried_to_block), cmocka_unit_test(estimates_need_one_trial), cmocka_unit_test(a_glance_corrects_estimates), cmocka_unit_test(a_glance_puts_off_bad_code), cmocka_unit_test(small_launches_know_of_large_ones), cmocka_unit_test(one_lane_first_loses_little), cmocka_unit_test(tiny_launches_try_at_once),
                                       cmocka_unit_test(tries_blocks_inside), cmocka_unit_test(stays_in_its_chunk),
                                       cmocka_unit_test(clear_samples_change_at_once)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
