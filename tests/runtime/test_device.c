/* test_device.c: the device, its limits, the error texts, and the documentation of the environment.
 */
#include "check.h"
#include <stdio.h>

static int attribute(enum cudaDeviceAttr a) {
    int v = -1;
    OK(cudaDeviceGetAttribute(&v, a, 0));
    return v;
}

static void describes_itself(void **state) {
    (void)state;
    struct cudaDeviceProp p;
    int n = -1;
    OK(cudaGetDeviceCount(&n));
    assert_int_equal(n, 1);
    OK(cudaGetDeviceProperties(&p, 0));
    assert_memory_equal(p.name, "cucpu (", 7);
    assert_int_equal(p.major, attribute(cudaDevAttrComputeCapabilityMajor));
    assert_int_equal(p.multiProcessorCount, attribute(cudaDevAttrMultiProcessorCount));
    assert_true(p.multiProcessorCount > 0);
    assert_int_equal(p.maxThreadsPerBlock, 1024);
    assert_int_equal(p.maxGridSize[0], 0x7fffffff);
    assert_int_equal(p.maxGridSize[1], attribute(cudaDevAttrMaxGridDimY));
    assert_int_equal(p.sharedMemPerBlock, 48 * 1024);
    assert_int_equal(p.sharedMemPerBlockOptin, attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    assert_int_equal(p.warpSize, 32);
    assert_true(p.totalGlobalMem > 0);
    FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 1));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 1));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&n, (enum cudaDeviceAttr)100000, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
}

static void answers_every_attribute(void **state) {
    (void)state;
#define CUCPU_ATTRIBUTE(name, number) assert_true(attribute(cudaDevAttr##name) >= 0);
#include "cucpu/device_attributes.def"
}

static void selects_the_device(void **state) {
    (void)state;
    int d = -1, can = -1;
    char id[32];
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&d));
    assert_int_equal(d, 0);
    FAILS(cudaErrorInvalidDevice, cudaSetDevice(1));
    FAILS(cudaErrorInvalidDevice, cudaSetDevice(-1));
    OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    OK(cudaDeviceGetByPCIBusId(&d, id));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&d, "0000:01:00.0"));
    OK(cudaDeviceGetByPCIBusId(&d, "0:0:0"));
    OK(cudaDeviceGetByPCIBusId(&d, "00:00.0"));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&d, "0000:00:00.1"));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&d, "0000:00:00.0x"));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&d, "GPU-0"));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&d, "00:00"));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(id, 4, 0));
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    FAILS(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
}

static void remembers_limits(void **state) {
    (void)state;
    size_t v;
    unsigned flags;
    void *p;
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 123 << 20));
    OK(cudaDeviceGetLimit(&v, cudaLimitMallocHeapSize));
    assert_int_equal(v, 123 << 20);
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 1000));
    OK(cudaDeviceGetLimit(&v, cudaLimitStackSize));
    assert_int_equal(v, 1008);
    FAILS(cudaErrorInvalidValue, cudaDeviceGetLimit(&v, (enum cudaLimit)99));
    OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    OK(cudaGetDeviceFlags(&flags));
    assert_true(flags & cudaDeviceScheduleYield);
    FAILS(cudaErrorInvalidValue, cudaSetDeviceFlags(3));
    assert_int_equal(cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
    OK(cudaDeviceReset());
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation); /* of the thread, not of the context */
    OK(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags, cudaDeviceMapHost);
    OK(cudaDeviceGetLimit(&v, cudaLimitStackSize));
    assert_int_equal(v, 1024);
}

static void names_errors(void **state) {
    (void)state;
    assert_string_equal(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorString(cudaErrorInvalidConfiguration),
                        "invalid configuration argument");
    assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
    assert_string_equal(cudaGetErrorString(cudaErrorInvalidNormSetting),
                        "read as normalized float not supported for data type");
    assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
}

static void tells_versions(void **state) {
    (void)state;
    int driver = 0, runtime = 0;
    OK(cudaDriverGetVersion(&driver));
    OK(cudaRuntimeGetVersion(&runtime));
    assert_int_equal(runtime, CUDART_VERSION);
    assert_true(driver >= runtime);
}

/* Every row of env.def stands in docs/runtime.md with the same words. */
static void documents_the_environment(void **state) {
    (void)state;
    FILE *f = fopen(DOCS_FILE, "r");
    assert_non_null(f);
    static char text[65536];
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    int rows = 0;
#define CUCPU_ENV(field, name, kind, def, words)                                                   \
    if (!strstr(text, "| `CUCPU_" #name "` | " #def " | " words " |\n"))                           \
        fail_msg("docs/runtime.md lacks | `CUCPU_" #name "` | " #def " | " words " |");            \
    rows++;
#include "base/env.def"
    const char *at = text;
    while ((at = strstr(at, "\n| `CUCPU_"))) {
        rows--;
        at++;
    }
    assert_int_equal(rows, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_itself),
        cmocka_unit_test(answers_every_attribute),
        cmocka_unit_test(selects_the_device),
        cmocka_unit_test(remembers_limits),
        cmocka_unit_test(names_errors),
        cmocka_unit_test(tells_versions),
        cmocka_unit_test(documents_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
