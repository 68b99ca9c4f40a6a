/* test_env.c: the environment: shuffled group order, wrong values, sizes of the device. */
#include "check.h"
#include "capture.h"

static Capture warnings;

static int setup(void **state) {
    (void)state;
    setenv("CUCPU_SCHED", "shuffle:5", 1);
    setenv("CUCPU_NUM_THREADS", "3", 1);
    setenv("CUCPU_MEMORY_MB", "100", 1);
    setenv("CUCPU_COMPUTE_CAPABILITY", "9.0", 1);
    setenv("CUCPU_LAUNCH", "sideways", 1);
    setenv("CUCPU_WAIT_MS", "12x", 1);
    int n;
    capture_begin(&warnings, stderr);
    cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0);
    fflush(stderr);
    capture_end(&warnings);
    return 0;
}

static void names_wrong_values(void **state) {
    (void)state;
    assert_non_null(strstr(warnings.text, "CUCPU_LAUNCH=sideways"));
    assert_non_null(strstr(warnings.text, "CUCPU_WAIT_MS=12x"));
    assert_null(strstr(warnings.text, "CUCPU_SCHED"));
}

static void sizes_the_device(void **state) {
    (void)state;
    struct cudaDeviceProp p;
    void *q, *r;
    OK(cudaGetDeviceProperties(&p, 0));
    assert_int_equal(p.multiProcessorCount, 3);
    assert_int_equal(p.totalGlobalMem, 100 << 20);
    assert_int_equal(p.major * 10 + p.minor, 90);
    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&q, 101 << 20));
    OK(cudaMalloc(&q, 60 << 20));
    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&r, 60 << 20));
    OK(cudaFree(q));
}

static void shuffles_groups(void **state) {
    (void)state;
    int moved = 0;
    cucpu_thread(); /* makes this thread a worker, as a kernel would */
    for (int repeat = 0; repeat < 20; repeat++)
        for (uint32_t n = 1; n <= 32; n++) {
            const uint32_t *order = cucpu_group_order(n);
            uint64_t seen = 0;
            assert_non_null(order);
            for (uint32_t i = 0; i < n; i++) {
                assert_true(order[i] < n);
                seen |= 1ull << order[i];
                moved += order[i] != i;
            }
            assert_true(seen == (1ull << n) - 1);
        }
    assert_true(moved > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_wrong_values),
        cmocka_unit_test(sizes_the_device),
        cmocka_unit_test(shuffles_groups),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
