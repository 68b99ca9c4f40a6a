/* test_pools.c: stream-ordered allocation, memory pools, hints on managed memory, refusals. */
#include "check.h"
#include "capture.h"
#include <stdlib.h>
#include <time.h>

static uint64_t used(cudaMemPool_t pool) {
    uint64_t v = 99;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &v));
    return v;
}

static void allocates_in_streams(void **state) {
    (void)state;
    cudaStream_t s;
    cudaMemPool_t pool;
    char *p, *q, local;
    OK(cudaStreamCreate(&s));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMallocAsync((void **)&p, 1000, s));
    OK(cudaMallocAsync((void **)&q, 500, NULL));
    assert_int_equal(used(pool), 1500);
    OK(cudaMemsetAsync(p, 1, 1000, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamSynchronize(s));
    assert_int_equal(used(pool), 500);
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(p, s));
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(&local, s));
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(q + 1, s));
    OK(cudaFree(q));
    assert_int_equal(used(pool), 0);
    OK(cudaStreamDestroy(s));
}

static uint64_t get(cudaMemPool_t pool, enum cudaMemPoolAttr attr) {
    uint64_t v = 99;
    OK(cudaMemPoolGetAttribute(pool, attr, &v));
    return v;
}

static void wait_for(void *flag) {
    while (!*(volatile _Atomic int *)flag) continue;
}

/* A free that its stream has not reached: the next allocation in that stream has the memory. */
static void reuses_in_order(void **state) {
    (void)state;
    cudaStream_t s, other;
    cudaMemPool_t pool;
    void *p, *q, *r, *again;
    _Atomic int flag = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&other));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaLaunchHostFunc(s, wait_for, (void *)&flag));
    OK(cudaMallocAsync(&p, 1000, s));
    OK(cudaFreeAsync(p, s));
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(p, s));
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(p, other));
    OK(cudaMallocAsync(&q, 1000, other));
    OK(cudaMallocAsync(&r, 999, s));
    assert_ptr_not_equal(p, q);
    assert_ptr_not_equal(p, r);
    OK(cudaMallocAsync(&again, 1000, s));
    assert_ptr_equal(again, p);
    OK(cudaFreeAsync(r, s));
    assert_int_equal(used(pool), 2999);
    flag = 1;
    OK(cudaStreamSynchronize(s));
    assert_int_equal(used(pool), 2000);
    OK(cudaMemset(again, 1, 1000));
    OK(cudaFreeAsync(again, s));
    OK(cudaFreeAsync(q, other));
    OK(cudaDeviceSynchronize());
    assert_int_equal(used(pool), 0);
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(other));
}

/* What is freed stays reserved until the next synchronisation, or for ever up to the threshold. */
static void keeps_memory(void **state) {
    (void)state;
    enum { BIG = 3 << 20 };
    cudaMemPool_t pool;
    void *p, *q, *again;
    uint64_t v = 0;
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned};
    props.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync(&p, BIG, pool, NULL));
    OK(cudaMallocFromPoolAsync(&q, 1000, pool, NULL));
    OK(cudaFreeAsync(p, NULL));
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(p, NULL));
    FAILS(cudaErrorInvalidValue, cudaMemsetAsync(p, 0, BIG, NULL));
    assert_int_equal(used(pool), 1000);
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemCurrent), BIG + 1000);
    OK(cudaMallocFromPoolAsync(&again, BIG, pool, NULL));
    assert_ptr_equal(again, p);
    OK(cudaMemset(again, 7, BIG));
    OK(cudaFreeAsync(again, NULL));
    OK(cudaDeviceSynchronize()); /* the threshold is 0 */
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemCurrent), 1000);
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemHigh), BIG + 1000);
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &v));
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemHigh), 1000);
    assert_int_equal(get(pool, cudaMemPoolAttrUsedMemHigh), BIG + 1000);
    v = UINT64_MAX;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v));
    OK(cudaFreeAsync(q, NULL));
    OK(cudaMallocFromPoolAsync(&p, BIG, pool, NULL));
    OK(cudaFreeAsync(p, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemCurrent), BIG + 1000);
    OK(cudaMemPoolTrimTo(pool, BIG));
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemCurrent), BIG);
    v = 100;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v));
    OK(cudaStreamSynchronize(NULL));
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemCurrent), 0);
    OK(cudaMemPoolDestroy(pool));
}

/* Memory that pools keep is no reason to fail. */
static void gives_up_what_it_keeps(void **state) {
    (void)state;
    cudaMemPool_t pool;
    void *p, *q;
    enum { MOST = 40 << 20 }; /* of 64 MiB */
    uint64_t v = UINT64_MAX;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v));
    OK(cudaMallocAsync(&p, MOST, NULL));
    OK(cudaFreeAsync(p, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemCurrent), MOST);
    OK(cudaMalloc(&q, MOST + 1));
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemCurrent), 0);
    OK(cudaFree(q));
    v = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v));
}

static void sleep_a_while(void *unused) {
    (void)unused;
    nanosleep(&(struct timespec){0, 20000000}, NULL);
}

/* Memory that the stream is going to free counts: the call waits for it. */
static void waits_for_memory(void **state) {
    (void)state;
    cudaStream_t s;
    cudaMemPool_t pool;
    void *p, *q;
    enum { MOST = 40 << 20 }; /* of 64 MiB */
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned, .maxSize = 1000};
    props.location.type = cudaMemLocationTypeDevice;
    OK(cudaStreamCreate(&s));
    OK(cudaMallocAsync(&p, MOST, s));
    FAILS(cudaErrorMemoryAllocation, cudaMallocAsync(&q, MOST + 1, s));
    OK(cudaLaunchHostFunc(s, sleep_a_while, NULL));
    OK(cudaFreeAsync(p, s));
    OK(cudaMallocAsync(&q, MOST + 1, s));
    OK(cudaFreeAsync(q, s));
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync(&p, 600, pool, s));
    OK(cudaLaunchHostFunc(s, sleep_a_while, NULL));
    OK(cudaFreeAsync(p, s));
    OK(cudaMallocFromPoolAsync(&q, 700, pool, s));
    OK(cudaFreeAsync(q, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaStreamDestroy(s));
}

static void keeps_pools_apart(void **state) {
    (void)state;
    cudaMemPool_t pool, now;
    void *p, *q;
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned, .maxSize = 1000};
    props.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync(&p, 800, pool, NULL));
    FAILS(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&q, 300, pool, NULL));
    OK(cudaDeviceSetMemPool(0, pool));
    OK(cudaDeviceGetMemPool(&now, 0));
    assert_ptr_equal(now, pool);
    OK(cudaMallocAsync(&q, 200, NULL));
    assert_int_equal(used(pool), 1000);
    OK(cudaFreeAsync(q, NULL));
    uint64_t high;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    assert_int_equal(high, 1000);
    OK(cudaMemPoolDestroy(pool)); /* what is in use lives on */
    FAILS(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&q, 1, pool, NULL));
    OK(cudaMemset(p, 0, 800));
    OK(cudaFree(p));
    FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
}

static int attribute(const void *p, enum cudaMemRangeAttribute a) {
    int v = 99;
    OK(cudaMemRangeGetAttribute(&v, sizeof v, a, p, 100));
    return v;
}

static void remembers_hints(void **state) {
    (void)state;
    char *p, *device;
    OK(cudaMallocManaged((void **)&p, 100, cudaMemAttachGlobal));
    OK(cudaMalloc((void **)&device, 100));
    assert_int_equal(attribute(p, cudaMemRangeAttributeReadMostly), 0);
    assert_int_equal(attribute(p, cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
    OK(cudaMemAdvise(p, 100, cudaMemAdviseSetReadMostly, 0));
    OK(cudaMemAdvise(p, 100, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    OK(cudaMemPrefetchAsync(p, 100, 0, NULL));
    assert_int_equal(attribute(p, cudaMemRangeAttributeReadMostly), 1);
    assert_int_equal(attribute(p, cudaMemRangeAttributePreferredLocation), cudaCpuDeviceId);
    assert_int_equal(attribute(p, cudaMemRangeAttributeLastPrefetchLocation), 0);
    struct cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    OK(cudaMemPrefetchAsync_v2(p, 100, host, 0, NULL));
    assert_int_equal(attribute(p, cudaMemRangeAttributeLastPrefetchLocation), cudaCpuDeviceId);
    FAILS(cudaErrorInvalidDevice, cudaMemPrefetchAsync(p, 100, 1, NULL));
    FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, 101, 0, NULL));
    FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(device, 100, 0, NULL));
    FAILS(cudaErrorInvalidValue, cudaMemAdvise(device, 100, cudaMemAdviseSetReadMostly, 0));
    OK(cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachGlobal));
    OK(cudaFree(p));
    OK(cudaFree(device));
}

static void refuses_by_name(void **state) {
    (void)state;
    static Capture c;
    cudaArray_t plane;
    capture_begin(&c, stderr);
    FAILS(cudaErrorNotSupported, cudaArrayGetPlane(&plane, NULL, 0));
    FAILS(cudaErrorNotSupported, cudaArrayGetPlane(&plane, NULL, 0));
    fflush(stderr);
    assert_string_equal(capture_end(&c), "cucpu: cudaArrayGetPlane is not supported\n");
}

int main(void) {
    setenv("CUCPU_MEMORY_MB", "64", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocates_in_streams),
        cmocka_unit_test(reuses_in_order), cmocka_unit_test(keeps_memory),
        cmocka_unit_test(gives_up_what_it_keeps),
        cmocka_unit_test(waits_for_memory),
        cmocka_unit_test(keeps_pools_apart),
        cmocka_unit_test(remembers_hints),
        cmocka_unit_test(refuses_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
