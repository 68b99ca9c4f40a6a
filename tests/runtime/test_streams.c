/* test_streams.c: order within and between streams, events, host functions, the default stream. */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { WAIT_FLAG, ADD, STUBS };
static _Atomic int flag; /* kernels of WAIT_FLAG last until it is set */
static _Atomic int steps;
static _Atomic int trail[1000]; /* streams run side by side */

static void wait_flag(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)l, (void)w, (void)first, (void)end;
    while (!flag) cucpu_nanosleep(10000);
}

static void add(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)w, (void)first, (void)end;
    int number;
    memcpy(&number, l->args[0], sizeof number);
    trail[steps++] = number;
}

static const CucpuVariant variants[] = {{wait_flag, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0},
                                        {add, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0}};
static const CucpuParam param = {4, 4};
static const CucpuKernel kernels[] = {
    {.name = "wait_flag", .variants = &variants[0], .nvariants = 1},
    {.name = "add", .variants = &variants[1], .nvariants = 1, .params = &param, .nparams = 1}};
static const CucpuModule module = {CUCPU_ABI_VERSION, 32, 77, "s", kernels, NULL, STUBS, 0, NULL, 0, 0, 0, NULL, NULL};
static char stubs[STUBS];
static const dim3 one = {1, 1, 1};

static int setup(void **state) {
    (void)state;
    const void *list[] = {&stubs[0], &stubs[1]};
    fake_register(&module, list, NULL, true);
    return 0;
}

static int clear(void **state) {
    (void)state;
    flag = steps = 0;
    return 0;
}

static cudaError_t hold(cudaStream_t s) {
    return fake_launch(&stubs[WAIT_FLAG], one, one, 0, s, NULL);
}
static cudaError_t step(int number, cudaStream_t s) {
    void *args[] = {&number};
    return fake_launch(&stubs[ADD], one, one, 0, s, args);
}

static void expect_trail(int n, const int *want) {
    assert_int_equal(steps, n);
    for (int i = 0; i < n; i++) assert_int_equal(trail[i], want[i]);
}

/* The record waits in the default stream for the other one; it takes no time, and is done when the host has waited for that. */
static void records_behind_what_the_host_waited_for(void **state) {
    (void)state;
    cudaStream_t s;
    cudaEvent_t before, behind;
    float ms;
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&behind));
    for (int i = 0; i < 300; i++) {
        OK(cudaEventRecord(before, NULL));
        OK(step(i, s));
        OK(step(i, s));
        OK(cudaEventRecord(behind, NULL));
        OK(cudaStreamSynchronize(s));
        OK(cudaEventElapsedTime(&ms, before, behind));
        OK(cudaEventQuery(behind));
    }
    OK(cudaEventDestroy(before));
    OK(cudaEventDestroy(behind));
    OK(cudaStreamDestroy(s));
}

static void keeps_the_order_of_a_stream(void **state) {
    (void)state;
    cudaStream_t s;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(hold(s));
    for (int i = 0; i < 500; i++) OK(step(i, s));
    assert_int_equal(cudaStreamQuery(s), cudaErrorNotReady);
    OK(cudaGetLastError());
    assert_int_equal(steps, 0);
    flag = 1;
    OK(cudaStreamSynchronize(s));
    OK(cudaStreamQuery(s));
    assert_int_equal(steps, 500);
    for (int i = 0; i < 500; i++) assert_int_equal(trail[i], i);
    OK(cudaStreamDestroy(s));
}

static void runs_streams_side_by_side(void **state) {
    (void)state;
    cudaStream_t s[6];
    for (int i = 0; i < 6; i++) OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    for (int i = 0; i < 5; i++) OK(hold(s[i]));
    OK(step(1, s[5]));
    OK(cudaStreamSynchronize(s[5])); /* the others are still held */
    OK(step(2, NULL));               /* the default stream does not wait for non-blocking ones */
    OK(cudaStreamSynchronize(NULL));
    assert_int_equal(steps, 2);
    flag = 1;
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 6; i++) OK(cudaStreamDestroy(s[i]));
}

static void orders_the_default_stream(void **state) {
    (void)state;
    cudaStream_t a, b;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(hold(a));
    OK(step(1, a));
    OK(step(2, NULL)); /* waits for a */
    OK(step(3, b));    /* waits for the default stream */
    assert_int_equal(cudaStreamQuery(NULL), cudaErrorNotReady);
    assert_int_equal(cudaStreamQuery(b), cudaErrorNotReady);
    usleep(2000);
    assert_int_equal(steps, 0);
    flag = 1;
    OK(cudaStreamSynchronize(b));
    expect_trail(3, (const int[]){1, 2, 3});
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
}

static void waits_for_events(void **state) {
    (void)state;
    cudaStream_t a, b;
    cudaEvent_t e, never;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&never));
    OK(cudaStreamWaitEvent(b, never, 0)); /* never recorded: no wait */
    OK(hold(a));
    OK(step(1, a));
    OK(cudaEventRecord(e, a));
    OK(step(2, b));
    OK(cudaStreamSynchronize(b));
    OK(cudaStreamWaitEvent(b, e, 0));
    OK(step(3, b));
    assert_int_equal(cudaEventQuery(e), cudaErrorNotReady);
    flag = 1;
    OK(cudaStreamSynchronize(b));
    OK(cudaEventQuery(e));
    OK(cudaEventSynchronize(e));
    expect_trail(3, (const int[]){2, 1, 3});
    OK(cudaEventDestroy(e));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy(e));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(e, a));
    OK(cudaEventDestroy(never));
    OK(cudaStreamDestroy(a));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(a));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(a));
    OK(cudaStreamDestroy(b));
}

static void measures_time(void **state) {
    (void)state;
    cudaEvent_t a, b, untimed;
    cudaStream_t s;
    float ms = -1;
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));
    OK(cudaEventRecord(a, s));
    OK(hold(s));
    OK(cudaEventRecord(b, s));
    usleep(20000);
    assert_int_equal(cudaEventElapsedTime(&ms, a, b), cudaErrorNotReady);
    flag = 1;
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    assert_true(ms >= 5 && ms < 5000);
    OK(cudaEventRecord(untimed, NULL));
    OK(cudaEventSynchronize(untimed));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, untimed));
    OK(cudaEventDestroy(a));
    OK(cudaEventDestroy(b));
    OK(cudaEventDestroy(untimed));
    OK(cudaStreamDestroy(s));
}

static void host_function(void *data) { trail[steps++] = *(int *)data; }
static void callback(cudaStream_t s, cudaError_t status, void *data) {
    trail[steps++] = s && status == cudaSuccess ? *(int *)data : -1;
}

/* Host functions must not use the API: an error, not a thread that waits for itself. */
static cudaError_t asked[4];
static void asks(void *data) {
    void *p;
    asked[0] = cudaMalloc(&p, 4);
    asked[1] = cudaDeviceSynchronize();
    asked[2] = cudaStreamSynchronize(data);
    asked[3] = cudaGetLastError();
}

static void may_not_be_called_by_host_functions(void **state) {
    (void)state;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaLaunchHostFunc(s, asks, s));
    OK(cudaStreamSynchronize(s));
    for (int i = 0; i < 4; i++) assert_int_equal(asked[i], cudaErrorNotPermitted);
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(s));
}

static void calls_the_host(void **state) {
    (void)state;
    cudaStream_t s;
    int two = 2, four = 4;
    OK(cudaStreamCreate(&s));
    OK(hold(s));
    OK(step(1, s));
    OK(cudaLaunchHostFunc(s, host_function, &two));
    OK(step(3, s));
    OK(cudaStreamAddCallback(s, callback, &four, 0));
    flag = 1;
    OK(cudaStreamSynchronize(s));
    expect_trail(4, (const int[]){1, 2, 3, 4});
    FAILS(cudaErrorInvalidValue, cudaLaunchHostFunc(s, NULL, NULL));
    OK(cudaStreamDestroy(s));
}

static void copies_in_order(void **state) {
    (void)state;
    cudaStream_t s;
    char *device, *pinned, pageable[8];
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc((void **)&device, 8));
    OK(cudaMallocHost((void **)&pinned, 8));
    memset(pinned, 5, 8);
    OK(hold(s));
    OK(cudaMemcpyAsync(device, pinned, 8, cudaMemcpyHostToDevice, s));
    OK(cudaMemsetAsync(device, 6, 4, s));
    memset(pinned, 7, 8); /* seen by the copy, which has not begun */
    flag = 1;
    OK(cudaMemcpyAsync(pageable, device, 8, cudaMemcpyDeviceToHost, s)); /* done on return */
    for (int i = 0; i < 8; i++) assert_int_equal(pageable[i], i < 4 ? 6 : 7);
    OK(hold(s));
    OK(cudaFree(device)); /* waits */
    OK(cudaFreeHost(pinned));
    OK(cudaStreamDestroy(s));
}

static void checks_handles_and_flags(void **state) {
    (void)state;
    cudaStream_t s, wrong = (cudaStream_t)(uintptr_t)0x7777;
    unsigned flags;
    int priority, least, greatest;
    FAILS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&s, 8));
    FAILS(cudaErrorInvalidValue, cudaStreamCreate(NULL));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(wrong));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamQuery(wrong));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(NULL));
    FAILS(cudaErrorInvalidResourceHandle, cudaMemsetAsync(NULL, 0, 0, wrong)
                                              ? cudaErrorInvalidResourceHandle
                                              : cudaStreamQuery(wrong));
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest < least);
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest - 10));
    OK(cudaStreamGetPriority(s, &priority));
    assert_int_equal(priority, greatest);
    OK(cudaStreamGetFlags(s, &flags));
    assert_int_equal(flags, cudaStreamNonBlocking);
    OK(cudaStreamDestroy(s));
    OK(step(1, cudaStreamLegacy));
    OK(step(2, cudaStreamPerThread));
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaStreamSynchronize(NULL));
    expect_trail(2, (const int[]){1, 2});
}

static void finishes_destroyed_streams(void **state) {
    (void)state;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(hold(s));
    OK(step(1, s));
    OK(cudaStreamDestroy(s));
    flag = 1;
    OK(cudaDeviceSynchronize());
    assert_int_equal(steps, 1);
}

static _Atomic int balance, overlap;
static void enter_leave(void *unused) {
    (void)unused;
    if (balance++) overlap++;
    usleep(10);
    balance--;
}

/* Blocking streams and the default stream of four threads: the default stream excludes the others.
 */
static void *hammer(void *failed) {
    cudaStream_t s;
    cudaEvent_t e;
    _Atomic int *bad = failed;
    if (cudaStreamCreate(&s) || cudaEventCreate(&e)) (*bad)++;
    for (int i = 0; i < 100; i++) {
        if (cudaLaunchHostFunc(NULL, enter_leave, NULL)) (*bad)++;
        if (step(0, s) || cudaEventRecord(e, s) || cudaStreamWaitEvent(NULL, e, 0)) (*bad)++;
        steps = 0;
        if (i % 10 == 0 && cudaStreamSynchronize(s)) (*bad)++;
        if (cudaEventQuery(e) > cudaSuccess && cudaEventQuery(e) != cudaErrorNotReady &&
            cudaEventQuery(e))
            (*bad)++;
    }
    if (cudaStreamSynchronize(NULL) || cudaStreamDestroy(s) || cudaEventDestroy(e)) (*bad)++;
    return NULL;
}

static void survives_many_threads(void **state) {
    (void)state;
    pthread_t t[4];
    _Atomic int bad = 0;
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, hammer, &bad), 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    OK(cudaDeviceSynchronize());
    assert_int_equal(bad, 0);
    assert_int_equal(overlap, 0);
    assert_int_equal(balance, 0);
}

#define TEST(f) cmocka_unit_test_setup(f, clear)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(keeps_the_order_of_a_stream), TEST(records_behind_what_the_host_waited_for),
        TEST(runs_streams_side_by_side),
        TEST(orders_the_default_stream),
        TEST(waits_for_events),
        TEST(measures_time),
        TEST(calls_the_host),
        TEST(may_not_be_called_by_host_functions),
        TEST(copies_in_order),
        TEST(checks_handles_and_flags),
        TEST(finishes_destroyed_streams),
        TEST(survives_many_threads),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
