/* test_pools.c: stream-ordered allocation, memory pools, hints on managed memory, refusals. */
#include "check.h"
#include "capture.h"

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
    cudaIpcMemHandle_t handle;
    capture_begin(&c, stderr);
    FAILS(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, NULL));
    FAILS(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, NULL));
    fflush(stderr);
    assert_string_equal(capture_end(&c), "cucpu: cudaIpcGetMemHandle is not supported\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocates_in_streams),
        cmocka_unit_test(keeps_pools_apart),
        cmocka_unit_test(remembers_hints),
        cmocka_unit_test(refuses_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
