/* test_launch.c: validation of launches, choice of variants, and what a kernel entry is given. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MAX_BLOCKS = 100000, STUBS = 12 };
static _Atomic unsigned visits[MAX_BLOCKS];
static _Atomic int out_of_order, misaligned, failures;
static _Atomic uint32_t last_width, last_dyn_shared, launches;

/* Counts every block, and checks the order in which one worker sees them. */
static void count(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    static _Thread_local uint64_t last;
    static _Thread_local uint32_t of;
    if (of == launches && first <= last) out_of_order++;
    if (((uintptr_t)w->shared | (uintptr_t)w->frame) % 128) misaligned++;
    for (uint64_t b = first; b < end; b++) {
        w->block = b;
        visits[b]++;
    }
    last = end - 1;
    of = launches;
    last_dyn_shared = l->dyn_shared;
}

/* Each block waits for the one before it. */
static void chain(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)l;
    for (uint64_t b = first; b < end; b++) {
        w->block = b;
        while (b && !visits[b - 1]) sched_yield();
        visits[b]++;
    }
}

/* Writes all memory that the launch promises: sanitizers see it if there is less. */
static void fill_memory(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)first, (void)end;
    memset(w->shared, 1, 1024 + l->dyn_shared);
    memset(w->frame, 2, 64 + (size_t)((l->threads + 7) / 8) * 32);
    for (uint32_t i = 0; i < l->threads; i++) {
        uint32_t t = l->tids[i], x = t & 1023, y = t >> 10 & 1023, z = t >> 20;
        if ((z * l->block[1] + y) * l->block[0] + x != i || x >= l->block[0] || y >= l->block[1])
            failures++;
    }
    for (int i = 0; i < 63; i++)
        if (l->tids[l->threads + (unsigned)i]) failures++;
}

static void width8(const CucpuLaunch *l, CucpuWorker *w, uint64_t f, uint64_t e) {
    (void)l, (void)w, (void)f, (void)e;
    last_width = 8;
}
static void width16(const CucpuLaunch *l, CucpuWorker *w, uint64_t f, uint64_t e) {
    (void)l, (void)w, (void)f, (void)e;
    last_width = 16;
}
static void width32(const CucpuLaunch *l, CucpuWorker *w, uint64_t f, uint64_t e) {
    (void)l, (void)w, (void)f, (void)e;
    last_width = 32;
}
static void special(const CucpuLaunch *l, CucpuWorker *w, uint64_t f, uint64_t e) {
    (void)l, (void)w, (void)f, (void)e;
    last_width = 1;
}

typedef struct Big {
    char bytes[100];
} Big;

static void read_args(const CucpuLaunch *l, CucpuWorker *w, uint64_t f, uint64_t e) {
    (void)w, (void)f, (void)e;
    int a;
    double b;
    Big c;
    int *out;
    memcpy(&a, l->args[0], sizeof a);
    memcpy(&b, l->args[1], sizeof b);
    memcpy(&c, l->args[2], sizeof c);
    memcpy(&out, l->args[3], sizeof out);
    *out = a == 7 && b == 2.5 && c.bytes[0] == 1 && c.bytes[99] == 9 ? 1 : -1;
}

static const CucpuVariant v_count = {count, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0};
static const CucpuVariant v_chain = {chain, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0};
static const CucpuVariant v_memory = {fill_memory, 8, CUCPU_LAYOUT_GENERAL, {0}, 64, 32, 0, 0, 0, 0, 0};
static const CucpuVariant v_choice[] = {{special, 8, CUCPU_LAYOUT_GENERAL, {24, 2, 1}, 0, 0, 0, 0, 0, 0, 0},
                                        {width32, 32, CUCPU_LAYOUT_ROWS_FULL, {0}, 0, 0, 0, 0, 0, 0, 0},
                                        {width16, 16, CUCPU_LAYOUT_ROWS, {0}, 0, 0, 0, 0, 0, 0, 0},
                                        {width8, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0}};
static const CucpuVariant v_long[] = {{width16, 16, CUCPU_LAYOUT_ROWS, {0}, 0, 0, 0, 0, 0, 0, 0},
                                      {width8, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0},
                                      {special, 1, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0}};
static const CucpuVariant v_narrow[] = {{width8, 8, CUCPU_LAYOUT_ROWS_FULL, {0}, 0, 0, 16, 0, 0, 0, 0},
                                        {width32, 32, CUCPU_LAYOUT_ROWS_FULL, {0}, 0, 0, 0, 0, 0, 0, 0},
                                        {width16, 16, CUCPU_LAYOUT_ROWS, {0}, 0, 0, 0, 0, 0, 0, 0}};
static const CucpuVariant v_columns[] = {{width16, 16, CUCPU_LAYOUT_ROWS_FULL, {0}, 0, 0, 0, 1, 50, 0, 0},
                                         {width32, 32, CUCPU_LAYOUT_ROWS_FULL, {0}, 0, 0, 0, 0, 0, 0, 0},
                                         {width8, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0}};
static const CucpuVariant v_args = {read_args, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0};
static const CucpuVariant v_huge = {count, 1, CUCPU_LAYOUT_GENERAL, {0}, 0, 0xffffffffu, 0, 0, 0, 0, 0};
static const CucpuParam params[] = {{4, 4}, {8, 8}, {100, 1}, {8, 8}};
static const CucpuKernel kernels[STUBS] = {
    {.name = "count", .variants = &v_count, .nvariants = 1, .max_threads = 256},
    {.name = "memory", .variants = &v_memory, .nvariants = 1, .static_shared = 1024},
    {.name = "choice", .variants = v_choice, .nvariants = 4},
    {.name = "warp", .variants = v_choice + 2, .nvariants = 2, .flags = CUCPU_KERNEL_WARP},
    {.name = "args", .variants = &v_args, .nvariants = 1, .params = params, .nparams = 4},
    {.name = "huge", .variants = &v_huge, .nvariants = 1},
    {.name = "long", .variants = v_long, .nvariants = 3},
    {.name = "narrow", .variants = v_narrow, .nvariants = 3, .step = 32},
    {.name = "columns", .variants = v_columns, .nvariants = 3},
    {.name = "ordered", .variants = &v_count, .nvariants = 1, .flags = CUCPU_KERNEL_POLLS},
    {.name = "chain", .variants = &v_chain, .nvariants = 1},
    {.name = "ordered_chain", .variants = &v_chain, .nvariants = 1, .flags = CUCPU_KERNEL_POLLS},
};
static const CucpuModule module = {CUCPU_ABI_VERSION, 32,   42,    "test_launch",
                                   kernels,           NULL, STUBS, 0, NULL, 0, 0, 0, NULL, NULL};
static char stubs[STUBS];
enum { COUNT, MEMORY, CHOICE, WARP, ARGS, HUGE_FRAME, LONG, NARROW, COLUMNS, ORDERED, CHAIN, ORDERED_CHAIN };

static int setup(void **state) {
    (void)state;
    const void *list[STUBS];
    for (int i = 0; i < STUBS; i++) list[i] = &stubs[i];
    fake_register(&module, list, NULL, true);
    return 0;
}

static cudaError_t launch(int stub, dim3 grid, dim3 block, size_t shared) {
    return fake_launch(&stubs[stub], grid, block, shared, NULL, NULL);
}

static dim3 d(unsigned x, unsigned y, unsigned z) { return fake_dim(x, y, z); }

static void cover(int stub) {
    static const unsigned grids[] = {1, 2, 3, 7, 64, 65, 1000, 4096, MAX_BLOCKS};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        for (int repeat = 0; repeat < 5; repeat++) {
            memset(visits, 0, sizeof visits);
            launches++;
            OK(launch(stub, d(grids[i], 1, 1), d(32, 1, 1), 0));
            OK(cudaDeviceSynchronize());
            for (unsigned b = 0; b < MAX_BLOCKS; b++)
                assert_int_equal(visits[b], b < grids[i] ? 1 : 0);
        }
    assert_int_equal(misaligned, 0);
}

static void covers_each_block_once(void **state) {
    (void)state;
    cover(COUNT);
    out_of_order = 0;
    cover(ORDERED);
    assert_int_equal(out_of_order, 0);
}

static void blocks_may_wait_for_lower_ones(void **state) {
    (void)state;
    cover(CHAIN);
    cover(ORDERED_CHAIN);
}

static void covers_grids_of_three_dimensions(void **state) {
    (void)state;
    memset(visits, 0, sizeof visits);
    OK(launch(COUNT, d(7, 11, 13), d(1, 1, 1), 0));
    for (unsigned b = 0; b < 7 * 11 * 13; b++) assert_int_equal(visits[b], 1);
    assert_int_equal(visits[7 * 11 * 13], 0);
}

static void refuses_wrong_shapes(void **state) {
    (void)state;
    const dim3 one = d(1, 1, 1);
    const dim3 grids[] = {d(0, 1, 1),           d(1, 0, 1),     d(1, 1, 0),
                          d(0x80000000u, 1, 1), d(1, 65536, 1), d(1, 1, 65536)};
    const dim3 blocks[] = {d(0, 1, 1),  d(1, 0, 1),   d(1, 1, 0),    d(1025, 1, 1), d(1, 1025, 1),
                           d(1, 1, 65), d(33, 32, 1), d(1024, 2, 1), d(16, 16, 5)};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        FAILS(cudaErrorInvalidConfiguration, launch(MEMORY, grids[i], one, 0));
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        FAILS(cudaErrorInvalidConfiguration, launch(MEMORY, one, blocks[i], 0));
    OK(launch(MEMORY, d(1, 2, 3), d(1024, 1, 1), 0));
    OK(launch(MEMORY, d(1, 2, 3), d(4, 4, 64), 0));
}

static void refuses_what_the_kernel_cannot(void **state) {
    (void)state;
    const dim3 one = d(1, 1, 1);
    FAILS(cudaErrorLaunchOutOfResources, launch(COUNT, one, d(257, 1, 1), 0));
    OK(launch(COUNT, one, d(256, 1, 1), 0));
    FAILS(cudaErrorLaunchOutOfResources, launch(HUGE_FRAME, one, d(1024, 1, 1), 0));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(NULL, one, one, NULL, 0, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&module, one, one, NULL, 0, NULL));
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel(&stubs[ARGS], one, one, NULL, 0, NULL));
    FAILS(cudaErrorInvalidResourceHandle,
          cudaLaunchKernel(&stubs[COUNT], one, one, NULL, 0, (cudaStream_t)(uintptr_t)0x1234));
    OK(launch(COUNT, one, one, 0));
}

static void limits_shared_memory(void **state) {
    (void)state;
    const dim3 one = d(1, 1, 1);
    OK(launch(MEMORY, one, one, 47 * 1024)); /* 1 KiB is static */
    FAILS(cudaErrorInvalidValue, launch(MEMORY, one, one, 47 * 1024 + 1));
    FAILS(cudaErrorInvalidValue, launch(MEMORY, one, one, SIZE_MAX));
    FAILS(cudaErrorInvalidValue,
          cudaFuncSetAttribute(&stubs[MEMORY], cudaFuncAttributeMaxDynamicSharedMemorySize,
                               227 * 1024));
    OK(cudaFuncSetAttribute(&stubs[MEMORY], cudaFuncAttributeMaxDynamicSharedMemorySize,
                            226 * 1024));
    OK(launch(MEMORY, one, one, 226 * 1024));
    FAILS(cudaErrorInvalidValue, launch(MEMORY, one, one, 226 * 1024 + 1));
    OK(launch(COUNT, one, one, 100));
    assert_int_equal(last_dyn_shared, 100);
}

static void gives_thread_ids_and_frames(void **state) {
    (void)state;
    const dim3 shapes[] = {d(1, 1, 1),    d(31, 1, 1),  d(32, 1, 1), d(33, 1, 1),
                           d(1024, 1, 1), d(16, 16, 4), d(3, 5, 7),  d(1, 1, 64),
                           d(1, 1024, 1), d(8, 8, 8),   d(5, 3, 1),  d(2, 2, 2)};
    failures = 0;
    for (int repeat = 0; repeat < 3; repeat++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            OK(launch(MEMORY, d(50, 1, 1), shapes[i], i * 100));
    OK(cudaDeviceSynchronize());
    assert_int_equal(failures, 0);
}

static void chooses_the_first_variant_that_fits(void **state) {
    (void)state;
    const struct {
        int stub;
        dim3 block;
        uint32_t width;
    } cases[] = {{CHOICE, d(64, 1, 1), 32}, {CHOICE, d(32, 8, 1), 32}, {CHOICE, d(48, 1, 1), 16},
                 {CHOICE, d(3, 1, 1), 16},  {CHOICE, d(4, 4, 1), 16},  {CHOICE, d(3, 4, 1), 8},
                 {CHOICE, d(24, 2, 1), 1},  {CHOICE, d(24, 3, 1), 16}, {WARP, d(8, 4, 1), 8},
                 {WARP, d(100, 1, 1), 16},  {WARP, d(16, 1, 2), 8},  {NARROW, d(16, 1, 1), 16},
                 {NARROW, d(8, 4, 1), 8},   {NARROW, d(24, 1, 1), 16}, {NARROW, d(32, 1, 1), 32},
                 {COLUMNS, d(3, 16, 1), 16}, {COLUMNS, d(32, 32, 1), 16}, {COLUMNS, d(32, 8, 1), 32}, {COLUMNS, d(16, 4, 1), 8}, {COLUMNS, d(8, 16, 2), 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OK(launch(cases[i].stub, d(1, 1, 1), cases[i].block, 0));
        assert_int_equal(last_width, cases[i].width);
    }
}

/* Wide code may not run where blockIdx.x * blockDim.x + threadIdx.x wraps. */
static void long_rows_need_scalar_code(void **state) {
    (void)state;
    const unsigned most = 0x7fffffffu - 4096u;
    OK(launch(LONG, d(most, 1, 1), d(1, 1, 1), 0));
    assert_int_equal(last_width, 16);
    OK(launch(LONG, d(most + 1, 1, 1), d(1, 1, 1), 0));
    assert_int_equal(last_width, 1);
    OK(launch(LONG, d(most / 1024 + 1, 1, 1), d(1024, 1, 1), 0));
    assert_int_equal(last_width, 1);
    OK(launch(LONG, d(most / 1024, 1, 1), d(1024, 1, 1), 0));
    assert_int_equal(last_width, 16);
    FAILS(cudaErrorInvalidConfiguration, launch(CHOICE, d(most / 64 + 1, 1, 1), d(64, 1, 1), 0));
    OK(launch(NARROW, d(most / 32, 1, 1), d(16, 1, 1), 0));
    FAILS(cudaErrorInvalidConfiguration, launch(NARROW, d(most / 32 + 1, 1, 1), d(16, 1, 1), 0));
    OK(launch(CHOICE, d(most / 64, 1, 1), d(64, 1, 1), 0));
}

static void passes_arguments(void **state) {
    (void)state;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    for (int i = 0; i < 2; i++) {
        int a = 7, result = 0, *out = &result;
        double b = 2.5;
        Big c = {{0}};
        c.bytes[0] = 1;
        c.bytes[99] = 9;
        void *args[] = {&a, &b, &c, &out};
        OK(fake_launch(&stubs[ARGS], d(1, 1, 1), d(1, 1, 1), 0, i ? s : NULL, args));
        a = 0; /* the launch has its own copy */
        memset(&c, 0, sizeof c);
        OK(cudaStreamSynchronize(i ? s : NULL));
        assert_int_equal(result, 1);
    }
    OK(cudaStreamDestroy(s));
}

static void nests_configurations(void **state) {
    (void)state;
    dim3 g, b;
    size_t n;
    cudaStream_t s;
    assert_int_equal(__cudaPushCallConfiguration(d(1, 1, 1), d(2, 1, 1), 3, NULL), 0);
    assert_int_equal(__cudaPushCallConfiguration(d(4, 1, 1), d(5, 1, 1), 6, NULL), 0);
    OK(__cudaPopCallConfiguration(&g, &b, &n, &s));
    assert_int_equal(g.x * 100 + b.x * 10 + n, 456);
    OK(__cudaPopCallConfiguration(&g, &b, &n, &s));
    assert_int_equal(g.x * 100 + b.x * 10 + n, 123);
    FAILS(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&g, &b, &n, &s));
}

static void *launch_many(void *unused) {
    (void)unused;
    for (int i = 0; i < 200; i++)
        if (launch(COUNT, d(100, 1, 1), d(32, 1, 1), 0)) failures++;
    if (cudaDeviceSynchronize()) failures++;
    return NULL;
}

static void serves_several_host_threads(void **state) {
    (void)state;
    pthread_t t[4];
    failures = 0;
    memset(visits, 0, sizeof visits);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, launch_many, NULL), 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    assert_int_equal(failures, 0);
    for (int b = 0; b < 100; b++) assert_int_equal(visits[b], 800);
}

static void answers_function_attributes(void **state) {
    (void)state;
    struct cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, &stubs[COUNT]));
    assert_int_equal(a.maxThreadsPerBlock, 256);
    assert_int_equal(a.maxDynamicSharedSizeBytes, 48 * 1024);
    OK(cudaFuncGetAttributes(&a, &stubs[CHOICE]));
    assert_int_equal(a.maxThreadsPerBlock, 1024);
    FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, &module));
    FAILS(cudaErrorInvalidValue, cudaFuncGetAttributes(NULL, &stubs[COUNT]));
    int blocks;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stubs[CHOICE], 256, 0));
    assert_int_equal(blocks, 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stubs[CHOICE], 32, 40 * 1024));
    assert_int_equal(blocks, 5);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stubs[COUNT], 512, 0));
    assert_int_equal(blocks, 4); /* whatever its launch bounds */
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stubs[COUNT], 1025, 0));
    assert_int_equal(blocks, 0);
    FAILS(cudaErrorInvalidValue,
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stubs[COUNT], 0, 0));
}

/* Lanes along y, or in rows that a block of one row has been folded to: the groups are those of the rows as they are now, and of a wait
** behind the last of them nothing is known. */
static void finds_groups_of_rows_as_they_are(void **state) {
    static const char *const files[2] = {NULL, NULL};
    static const uint32_t lines[2] = {0, 7};
    const CucpuLaunch launch = {.block = {3, 16, 1}, .threads = 48};
    (void)state;
    for (uint32_t row = 0; row <= 16; row += 16) {
        const CucpuBarriers table = {.files = files, .lines = lines, .regions = 2, .width = 16, .warp_size = 32, .row = row, .along = row ? 0 : 1};
        CucpuWait waits[4];
        uint64_t pending = 0;
        uint32_t arrivals[16] = {0};
        for (int g = 0; g < 3; g++) waits[g] = (CucpuWait){1 | CUCPU_WAIT_STOPPED, 0, CUCPU_WAIT_ALL};
        waits[3] = (CucpuWait){1 | CUCPU_WAIT_STOPPED, 5, 4096};
        assert_int_equal(cucpu_barrier_release(&table, &launch, waits, &pending, arrivals), CUCPU_RELEASED_SOME);
        assert_int_equal(pending, 2);
        for (int g = 0; g < 3; g++) assert_int_equal(waits[g].region, 1);
        assert_int_equal(waits[3].region, 1 | CUCPU_WAIT_STOPPED);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_each_block_once),
        cmocka_unit_test(blocks_may_wait_for_lower_ones),
        cmocka_unit_test(covers_grids_of_three_dimensions),
        cmocka_unit_test(refuses_wrong_shapes),
        cmocka_unit_test(refuses_what_the_kernel_cannot),
        cmocka_unit_test(limits_shared_memory),
        cmocka_unit_test(gives_thread_ids_and_frames),
        cmocka_unit_test(chooses_the_first_variant_that_fits),
        cmocka_unit_test(long_rows_need_scalar_code),
        cmocka_unit_test(passes_arguments),
        cmocka_unit_test(nests_configurations),
        cmocka_unit_test(serves_several_host_threads),
        cmocka_unit_test(answers_function_attributes),
        cmocka_unit_test(finds_groups_of_rows_as_they_are),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
