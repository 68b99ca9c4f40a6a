/* test_faults.c: faulty kernels end with a sticky error and a message, never with the process. */
#define _GNU_SOURCE
#include "check.h"
#include "capture.h"
#include <signal.h>
#include <sys/mman.h>

enum { ASSERT, TRAP, BARRIER, READ, DIVIDE, ILLEGAL, OVERFLOW, FINE, KINDS };
enum { BAD_BLOCK = 37, BLOCKS = 100 };
static _Atomic int ran;
static volatile char *no_access;

static __attribute__((noinline)) int recurse(volatile int n) {
    volatile char page[4096];
    page[0] = (char)n;
    return n < 0 ? 0 : recurse(n + 1) + page[0];
}

static void divide(void) {
#if defined(__x86_64__)
    __asm__ volatile("xor %%edx, %%edx; div %%edx" ::: "eax", "edx");
#else
    raise(SIGFPE);
#endif
}

static void fault(int kind, uint64_t b) {
    const uint32_t block[] = {(uint32_t)b, 0, 0}, thread[] = {1, 2, 3};
    switch (kind) {
    case ASSERT:
        cucpu_assertfail("x > 0", "a.cu", 12, "void f(int)", block, thread);
        break;
    case TRAP:
        cucpu_trap();
        break;
    case BARRIER:
        cucpu_barrier_fault("a.cu", 34, 3, 5);
        break;
    case READ:
        no_access[100] = 1;
        break;
    case DIVIDE:
        divide();
        break;
    case ILLEGAL:
        __builtin_trap();
        break;
    case OVERFLOW:
        recurse(0);
        break;
    }
}

static void faulty(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    int kind;
    memcpy(&kind, l->args[0], sizeof kind);
    for (uint64_t b = first; b < end; b++) {
        w->block = b;
        ran++;
        if (b == BAD_BLOCK) fault(kind, b);
    }
}

static const CucpuVariant variant = {faulty, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0};
static const CucpuParam param = {4, 4};
static const CucpuKernel kernel = {.name = "faulty",
                                   .variants = &variant,
                                   .nvariants = 1,
                                   .params = &param,
                                   .nparams = 1,
                                   .file = "a.cu",
                                   .line = 7};
static const CucpuModule module = {CUCPU_ABI_VERSION, 32, 9, "a.cu", &kernel, NULL, 1, 0, NULL, 0, 0, 0, NULL, NULL};
static char stub;

static int setup(void **state) {
    (void)state;
    const void *list[] = {&stub};
    fake_register(&module, list, NULL, false);
    no_access = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return 0;
}

static cudaError_t launch(int kind, cudaStream_t s) {
    void *args[] = {&kind};
    return fake_launch(&stub, fake_dim(BLOCKS, 1, 1), fake_dim(32, 1, 1), 0, s, args);
}

/* The fault is told by the next synchronisation and all that follows, until the reset. */
static const char *expect(int kind, cudaError_t code, cudaStream_t s) {
    static Capture c;
    capture_begin(&c, stderr);
    OK(launch(kind, s));
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    STICKS(code, cudaDeviceSynchronize());
    fflush(stderr);
    capture_end(&c);
    void *p;
    STICKS(code, cudaMalloc(&p, 4));
    STICKS(code, launch(FINE, NULL));
    int n;
    OK(cudaGetDevice(&n));
    OK(cudaSetDevice(0));
    assert_int_equal(cudaDeviceSynchronize(), code);
    assert_int_equal(cudaPeekAtLastError(), code);
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    ran = 0;
    OK(launch(FINE, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(ran, BLOCKS);
    return c.text;
}

static int chained;
static sigjmp_buf back;
static void my_handler(int sig) {
    chained = sig;
    siglongjmp(back, 1);
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction ours[4];

/* The first launch installs the runtime's handlers. */
static int install_early(void **state) {
    signal(SIGBUS, my_handler);
    setup(state);
    if (launch(FINE, NULL)) return 1;
    for (int i = 0; i < 4; i++) sigaction(signals[i], NULL, &ours[i]);
    return 0;
}

/* cmocka puts its own handlers in place for every test. */
static int put_back(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) sigaction(signals[i], &ours[i], NULL);
    return 0;
}

static void reports_assertions(void **state) {
    put_back(state);
    const char *text = expect(ASSERT, cudaErrorAssert, NULL);
    assert_string_equal(text, "a.cu:12: void f(int): block: [37,0,0], thread: [1,2,3] "
                              "Assertion `x > 0` failed.\n");
}

static void reports_traps(void **state) {
    put_back(state);
    assert_non_null(strstr(expect(TRAP, cudaErrorLaunchFailure, NULL),
                           "kernel faulty (a.cu:7), block [37,0,0]: trap"));
    assert_non_null(
        strstr(expect(BARRIER, cudaErrorLaunchFailure, NULL), "a.cu:34: barrier cannot be met: 3"));
}

static void reports_signals(void **state) {
    put_back(state);
    const char *text = strstr(expect(READ, cudaErrorIllegalAddress, NULL), "block [37,0,0]: ");
    assert_true(text && strstr(text, "illegal memory access")); /* and the line, where this file has a table of lines */
    assert_non_null(strstr(expect(DIVIDE, cudaErrorLaunchFailure, NULL), "arithmetic exception"));
    assert_non_null(
        strstr(expect(ILLEGAL, cudaErrorIllegalInstruction, NULL), "illegal instruction"));
}

#if !defined(__SANITIZE_ADDRESS__) &&                                                              \
    !defined(__SANITIZE_THREAD__) /* they keep a stack of their own */
static void reports_stack_overflow(void **state) {
    put_back(state);
    assert_non_null(
        strstr(expect(OVERFLOW, cudaErrorIllegalAddress, NULL), "stack overflow"));
}
#endif

/* Block 0 is faulty as soon as another worker waits for it. */
static _Atomic int waiting;
static void stuck(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)l, (void)end;
    w->block = first;
    for (int ms = 0; !first && !waiting && ms < 5000; ms++) usleep(1000);
    if (!first) cucpu_trap();
    waiting = 1;
    for (;;) {
    }
}

static void stops_who_waits_for_the_faulty_block(void **state) {
    put_back(state);
    static const CucpuVariant v = {stuck, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0};
    static const CucpuKernel k = {.name = "stuck", .variants = &v, .nvariants = 1};
    static const CucpuModule m = {CUCPU_ABI_VERSION, 32, 10, "b.cu", &k, NULL, 1, 0, NULL, 0, 0, 0, NULL, NULL};
    static char stuck_stub;
    const void *list[] = {&stuck_stub};
    int workers;
    OK(cudaDeviceGetAttribute(&workers, cudaDevAttrMultiProcessorCount, 0));
    if (workers < 2) skip();
    fake_register(&m, list, NULL, true);
    for (int i = 0; i < 2; i++) {
        waiting = 0;
        usleep(800000); /* by then no late worker is held against the team (sched.c) */
        OK(fake_launch(&stuck_stub, fake_dim(100, 1, 1), fake_dim(32, 1, 1), 0, NULL, NULL));
        STICKS(cudaErrorLaunchFailure, cudaDeviceSynchronize());
        assert_int_equal(waiting, 1);
        OK(cudaDeviceReset());
    }
}

static void reports_from_streams(void **state) {
    put_back(state);
    for (int kind = ASSERT; kind <= ILLEGAL; kind++) {
        cudaStream_t s;
        OK(cudaStreamCreate(&s));
        expect(kind,
               kind == ASSERT    ? cudaErrorAssert
               : kind == READ    ? cudaErrorIllegalAddress
               : kind == ILLEGAL ? cudaErrorIllegalInstruction
                                 : cudaErrorLaunchFailure,
               s);
    }
}

/* A fault outside kernels goes to the program's own handler, installed before or after ours. */
static void leaves_host_faults_alone(void **state) {
    (void)state;
    signal(SIGSEGV, my_handler);
    if (!sigsetjmp(back, 1)) no_access[5] = 1;
    assert_int_equal(chained, SIGSEGV);
}

static void chains_to_the_previous_handler(void **state) {
    put_back(state);
    chained = 0;
    if (!sigsetjmp(back, 1)) raise(SIGBUS);
    assert_int_equal(chained, SIGBUS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_assertions),
        cmocka_unit_test(reports_traps),
        cmocka_unit_test(reports_signals),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(reports_stack_overflow),
#endif
        cmocka_unit_test(stops_who_waits_for_the_faulty_block),
        cmocka_unit_test(reports_from_streams),
        cmocka_unit_test(chains_to_the_previous_handler),
        cmocka_unit_test(leaves_host_faults_alone),
    };
    return cmocka_run_group_tests(tests, install_early, NULL);
}
