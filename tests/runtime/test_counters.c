/* test_counters.c: workers that count each for itself: sums are exact, whoever else counts there at the time, and nothing is left over behind
** a fault.  The counting code adds without atomics, as the compiler's does, so that thread checkers see what two workers share. */
#include "check.h"
#include <stdatomic.h>
#include <stdlib.h>

enum { BINS = 300, THREADS = 64, BLOCKS = 6000 }; /* enough for 300 workers */
static _Atomic int counted, plain; /* launches' chunks of either code */
static _Atomic bool faulty;

/* args: counters, an array of one number to which some launches point into the same memory. */
static void count(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    uint32_t *h = *(uint32_t *const *)l->args[0];
    counted++;
    for (uint64_t b = first; b < end; b++) {
        w->block = b;
        if (faulty && b == BLOCKS / 2) cucpu_trap();
        for (uint32_t t = 0; t < l->threads; t++) h[(b + t) % BINS]++;
    }
}

static void add(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    _Atomic uint32_t *h = *(_Atomic uint32_t *const *)l->args[0];
    plain++;
    for (uint64_t b = first; b < end; b++) {
        w->block = b;
        for (uint32_t t = 0; t < l->threads; t++) atomic_fetch_add_explicit(&h[(b + t) % BINS], 1, memory_order_relaxed);
    }
}

static void count_wide(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    uint64_t *h = *(uint64_t *const *)l->args[1];
    for (uint64_t b = first; b < end; b++)
        for (uint32_t t = 0; t < l->threads; t++) h[t % 3] += UINT64_C(1) << 31;
    count(l, w, first, end);
}

static const CucpuVariant plain_code = {add, 1, CUCPU_LAYOUT_ROWS_FULL, {0}, 0, 0, 0, 0, 0, 0, 0};
static const CucpuVariant counting = {count, 1, CUCPU_LAYOUT_ROWS_FULL, {0}, 0, 0, 0, 0, 0, 0, 0};
static const CucpuVariant wide = {count_wide, 1, CUCPU_LAYOUT_ROWS_FULL, {0}, 128, 0, 0, 0, 0, 0, 0};
static const CucpuParam params[2] = {{8, 8}, {8, 8}};
enum { COUNTS, RARELY, BOTH, STUBS };
#define KERNEL .params = params, .variants = &plain_code, .nparams = 2, .nvariants = 1
static const CucpuKernel kernels[STUBS] = {{.name = "counts", KERNEL, .counting = &counting, .counters = 1},
                                           {.name = "rarely", KERNEL, .counting = &counting, .counters = 1, .rare_counters = 1},
                                           {.name = "both", KERNEL, .counting = &wide, .counters = 3, .wide_counters = 2}};
static const CucpuModule module = {CUCPU_ABI_VERSION, 32, 46, "test_counters", kernels, NULL, STUBS, 0, NULL, 0, 0, 0, NULL, NULL};
static char stubs[STUBS];
static uint32_t *h, want[BINS];

static int setup(void **state) {
    (void)state;
    const void *list[STUBS];
    for (int i = 0; i < STUBS; i++) list[i] = &stubs[i];
    fake_register(&module, list, NULL, true);
    return 0;
}

static void clear(void) {
    OK(cudaMallocManaged((void **)&h, sizeof want, cudaMemAttachGlobal));
    memset(h, 0, sizeof want);
    memset(want, 0, sizeof want);
}

static void expect(unsigned blocks, unsigned times) {
    for (unsigned b = 0; b < blocks; b++)
        for (unsigned t = 0; t < THREADS; t++) want[(b + t) % BINS] += times;
}

static void launch(int stub, unsigned blocks, void *other, cudaStream_t s) {
    void *args[2] = {&h, &other};
    OK(fake_launch(&stubs[stub], fake_dim(blocks, 1, 1), fake_dim(THREADS, 1, 1), 0, s, args));
}

static bool is_off(void) {
    const char *text = getenv("CUCPU_COUNTERS");
    return text && *text == '0';
}

/* The code that the launch took. */
static void takes(bool private, int stub, unsigned blocks, void *other) {
    counted = plain = 0;
    launch(stub, blocks, other, NULL);
    OK(cudaDeviceSynchronize());
    expect(blocks, 1);
    assert_memory_equal(h, want, sizeof want);
    assert_int_equal(counted > 0, private && !is_off());
    assert_int_equal(plain > 0, !private || is_off());
}

static void which_launches(void **state) {
    (void)state;
    uint64_t *other;
    clear();
    OK(cudaMallocManaged((void **)&other, 8 * 8, cudaMemAttachGlobal));
    takes(true, COUNTS, BLOCKS, other);
    takes(true, COUNTS, BLOCKS, NULL);
    takes(false, COUNTS, 10, other);        /* small */
    takes(false, COUNTS, BLOCKS, h + 17);   /* two arguments in one allocation */
    takes(false, RARELY, 100, other); /* of threads that may seldom count */
    OK(cudaFree(other));
    OK(cudaFree(h));
}

static void outside(void **state) {
    (void)state;
    static uint32_t own[BINS]; /* no allocation of ours, as from another library */
    memset(own, 0, sizeof own);
    memset(want, 0, sizeof want);
    h = own;
    takes(false, COUNTS, BLOCKS, NULL);
}

static void two_sizes(void **state) {
    (void)state;
    uint64_t *numbers;
    if (is_off()) skip(); /* the other code of `both` counts in one of them */
    clear();
    OK(cudaMalloc((void **)&numbers, 64));
    OK(cudaMemset(numbers, 0, 64));
    for (int i = 0; i < 3; i++) launch(BOTH, BLOCKS, numbers + 1, NULL);
    OK(cudaDeviceSynchronize());
    expect(BLOCKS, 3);
    assert_memory_equal(h, want, sizeof want);
    assert_true(numbers[1] == UINT64_C(3) * BLOCKS * ((THREADS + 2) / 3) << 31);
    assert_true(numbers[3] == UINT64_C(3) * BLOCKS * (THREADS / 3) << 31);
    assert_true(numbers[0] == 0 && numbers[4] == 0);
    OK(cudaFree(numbers));
    OK(cudaFree(h));
}

static void streams_at_once(void **state) {
    (void)state;
    enum { STREAMS = 4, ROUNDS = 6 };
    cudaStream_t s[STREAMS];
    clear();
    for (int i = 0; i < STREAMS; i++) OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < STREAMS; i++) launch(COUNTS, i == 2 ? 10 : BLOCKS, NULL, s[i]);
    OK(cudaDeviceSynchronize());
    expect(BLOCKS, ROUNDS * (STREAMS - 1));
    expect(10, ROUNDS);
    assert_memory_equal(h, want, sizeof want);
    for (int i = 0; i < STREAMS; i++) OK(cudaStreamDestroy(s[i]));
    OK(cudaFree(h));
}

/* Counts of a kernel that goes beyond its counters, in a launch of fewer before one of more. */
static void nothing_left_of_overflows(void **state) {
    (void)state;
    enum { FEW = 16 };
    if (is_off()) skip(); /* the other code writes beyond the allocation */
    OK(cudaMalloc((void **)&h, FEW * sizeof *h));
    launch(COUNTS, BLOCKS, NULL, NULL);
    OK(cudaFree(h));
    clear();
    takes(true, COUNTS, BLOCKS, NULL);
    takes(true, COUNTS, BLOCKS, NULL);
    OK(cudaFree(h));
}

static void nothing_left_of_a_fault(void **state) {
    (void)state;
    if (is_off()) skip(); /* the other code has no fault */
    clear();
    faulty = true;
    launch(COUNTS, BLOCKS, NULL, NULL);
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    faulty = false;
    OK(cudaDeviceReset());
    clear();
    takes(true, COUNTS, BLOCKS, NULL);
    OK(cudaFree(h));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(which_launches), cmocka_unit_test(outside), cmocka_unit_test(two_sizes),
                                       cmocka_unit_test(streams_at_once), cmocka_unit_test(nothing_left_of_overflows),
                                       cmocka_unit_test(nothing_left_of_a_fault)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
