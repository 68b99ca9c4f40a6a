/* test_registry.c: modules and host objects meet in any order; symbols; what does not fit. */
#include "check.h"
#include <pthread.h>

static int runs;

static void run(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)l, (void)w, (void)first, (void)end;
    runs++;
}

static const CucpuVariant variant = {run, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0};
static const CucpuKernel kernel = {.name = "k", .variants = &variant, .nvariants = 1};
static const dim3 one = {1, 1, 1};

static cudaError_t try_launch(const void *stub) {
    return fake_launch(stub, one, one, 0, NULL, NULL);
}

static void joins_in_both_orders(void **state) {
    (void)state;
    static char stubs[2];
    for (int host_first = 0; host_first < 2; host_first++) {
        static CucpuModule m[2];
        m[host_first] = (CucpuModule){
            CUCPU_ABI_VERSION, 32, 100u + (unsigned)host_first, "m", &kernel, NULL, 1, 0, NULL, 0, 0, 0, NULL, NULL};
        const void *list[] = {&stubs[host_first]};
        fake_register(&m[host_first], list, NULL, host_first);
        runs = 0;
        OK(try_launch(&stubs[host_first]));
        OK(cudaDeviceSynchronize());
        assert_int_equal(runs, 1);
    }
}

/* The host object of a library is opened, used, and the kernel object comes only then. */
static void joins_late(void **state) {
    (void)state;
    static char stub;
    static const CucpuFatbin blob = {CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, 200};
    static const FakeWrapper wrapper = {0x466243b1u, 1, &blob, NULL};
    static const CucpuModule m = {CUCPU_ABI_VERSION, 32, 200, "late", &kernel, NULL, 1, 0, NULL, 0, 0, 0, NULL, NULL};
    void **h = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);
    __cudaRegisterFunction(h, &stub, NULL, "k", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
    FAILS(cudaErrorNoKernelImageForDevice, try_launch(&stub));
    cucpu_register_module(&m);
    OK(try_launch(&stub));
    __cudaUnregisterFatBinary(h);
    FAILS(cudaErrorInvalidDeviceFunction, try_launch(&stub));
}

static void refuses_foreign_code(void **state) {
    (void)state;
    static char stub[2];
    static const char blobs[2][64] = {"another compiler's image", "\x50\xed\x55\xba a damaged one"};
    static const FakeWrapper wrappers[2] = {{0x466243b1u, 1, blobs[0], NULL}, {0x466243b1u, 1, blobs[1], NULL}};
    static const cudaError_t errors[2] = {cudaErrorNoKernelImageForDevice, cudaErrorInvalidKernelImage};
    for (int i = 0; i < 2; i++) {
        void **h = __cudaRegisterFatBinary((void *)(uintptr_t)&wrappers[i]);
        assert_non_null(h);
        __cudaRegisterFunction(h, &stub[i], NULL, "k", -1, 0, 0, 0, 0, 0);
        __cudaRegisterFatBinaryEnd(h);
        FAILS(errors[i], try_launch(&stub[i]));
    }
}

static void refuses_other_versions(void **state) {
    (void)state;
    static char stub;
    static const CucpuModule m = {CUCPU_ABI_VERSION + 1, 32, 300, "old.cu", &kernel, NULL, 1, 0, NULL, 0, 0, 0, NULL, NULL};
    const void *list[] = {&stub};
    fake_register(&m, list, NULL, false);
    FAILS(cudaErrorInvalidKernelImage, try_launch(&stub));
}

/* No CPU has all of them: some are of one maker, who has given them up. */
static void refuses_other_cpus(void **state) {
    (void)state;
    static char stub, shadow;
    static int value;
    static const CucpuVar var = {"value", &value, NULL, 4, 0, 0};
    enum {
        ROWS = 0
#define CPU_FEATURE(name, leaf, subleaf, word, bit, state) +1
#include "host/cpu_features.def"
    };
    static const CucpuModule m = {CUCPU_ABI_VERSION, 32, 350, "other.cu", &kernel, &var, 1, 1, NULL, 0, 0, ((uint64_t)1 << ROWS) - 1, NULL, NULL};
    const void *list[] = {&stub};
    char *const shadows[] = {&shadow};
    int n = 1;
    fake_register(&m, list, shadows, false);
    FAILS(cudaErrorNoKernelImageForDevice, try_launch(&stub));
    FAILS(cudaErrorNoKernelImageForDevice, cudaMemcpyToSymbol(&shadow, &n, 4, 0, cudaMemcpyHostToDevice));
    OK(cudaDeviceSynchronize());
}

static void refuses_unknown_kernels(void **state) {
    (void)state;
    static char stub;
    static const CucpuModule m = {CUCPU_ABI_VERSION, 32, 400, "m", NULL, NULL, 0, 0, NULL, 0, 0, 0, NULL, NULL};
    void **h = fake_register(&m, NULL, NULL, true);
    __cudaRegisterFunction(h, &stub, NULL, "not_there", -1, 0, 0, 0, 0, 0);
    FAILS(cudaErrorInvalidDeviceFunction, try_launch(&stub));
}

static void finds_symbols(void **state) {
    (void)state;
    static int device_value = 5, device_table[10];
    static int shadow_value, shadow_table[10];
    static const CucpuVar vars[] = {{"value", &device_value, NULL, 4, 0, 0},
                                    {"table", device_table, NULL, 40, CUCPU_VAR_CONSTANT, 0}};
    static const CucpuModule m = {CUCPU_ABI_VERSION, 32, 500, "m", NULL, vars, 0, 2, NULL, 0, 0, 0, NULL, NULL};
    char *const shadows[] = {(char *)&shadow_value, (char *)shadow_table};
    fake_register(&m, NULL, shadows, true);
    int n = 0, t[3] = {1, 2, 3};
    void *p;
    size_t size;
    OK(cudaMemcpyFromSymbol(&n, &shadow_value, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(n, 5);
    OK(cudaMemcpyToSymbol(shadow_table, t, sizeof t, 8, cudaMemcpyHostToDevice));
    assert_int_equal(device_table[2] * 100 + device_table[3] * 10 + device_table[4], 123);
    assert_int_equal(shadow_table[2], 0);
    OK(cudaGetSymbolAddress(&p, shadow_table));
    assert_ptr_equal(p, device_table);
    OK(cudaGetSymbolSize(&size, shadow_table));
    assert_int_equal(size, 40);
    OK(cudaMemset(p, 0, 40));
    FAILS(cudaErrorInvalidValue, cudaMemset(p, 0, 41));
    FAILS(cudaErrorInvalidValue,
          cudaMemcpyToSymbol(shadow_table, t, 12, 32, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(t, t, 4, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpyToSymbol(shadow_table, t, 4, 0, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&p, "value"));
    FAILS(cudaErrorInvalidValue, cudaFree(p));
}

static void shares_managed_variables(void **state) {
    (void)state;
    static const int initial = 77;
    static void *pointers[2];
    static int shadows[2];
    static CucpuVar vars[2];
    static CucpuModule m[2];
    for (int host_first = 0; host_first < 2; host_first++) {
        vars[host_first] =
            (CucpuVar){"managed", &pointers[host_first], &initial, 4, CUCPU_VAR_MANAGED, 0};
        m[host_first] = (CucpuModule){
            CUCPU_ABI_VERSION, 32, 600u + (unsigned)host_first, "m", NULL, &vars[host_first], 0, 1, NULL, 0, 0, 0, NULL, NULL};
        char *const list[] = {(char *)&shadows[host_first]};
        fake_register(&m[host_first], NULL, list, host_first);
        assert_ptr_equal(pointers[host_first], &shadows[host_first]);
        assert_int_equal(shadows[host_first], 77); /* before any call */
    }
}

/* Nothing is written through a row of a managed variable that cannot be right. */
static void refuses_wrong_rows(void **state) {
    (void)state;
    static struct {
        void *pointer;
        int initial, own[2];
        char shadow[8], stub;
    } t[5];
    static CucpuVar vars[5];
    static CucpuModule m[5];
    for (unsigned i = 0; i < 5; i++) {
        vars[i] = (CucpuVar){"managed", &t[i].pointer, &t[i].initial, 4, CUCPU_VAR_MANAGED, 0};
        m[i] = (CucpuModule){CUCPU_ABI_VERSION, 32, 700u + i, "m", &kernel, &vars[i], 1, 1, NULL, 0, 0, 0, NULL, NULL};
        t[i].initial = 77;
    }
    vars[0].address = t[0].own, vars[0].initial = NULL;     /* no start value */
    vars[1].address = t[1].own, vars[1].initial = t[1].own; /* its own start value */
    vars[2].address = NULL;                                 /* no pointer */
    vars[3].name = NULL;
    for (unsigned i = 0; i < 5; i++) {
        const void *stubs[] = {&t[i].stub};
        cucpu_register_module(&m[i]);
        static const CucpuFatbin blobs[] = {{CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, 700}, {CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, 701}, {CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, 702}, {CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, 703}, {CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, 704}};
        static FakeWrapper wrappers[5];
        wrappers[i] = (FakeWrapper){0x466243b1u, 1, &blobs[i], NULL};
        void **h = __cudaRegisterFatBinary(&wrappers[i]);
        __cudaRegisterFunction(h, stubs[0], NULL, "k", -1, 0, 0, 0, 0, 0);
        __cudaRegisterVar(h, t[i].shadow, NULL, "managed", 0, i == 4 ? 8 : 4, 0, 0); /* the last: of another size on the host */
        __cudaRegisterFatBinaryEnd(h);
        assert_true(!t[i].pointer && !t[i].own[0] && !t[i].own[1] && !t[i].shadow[0]);
        void *p;
        FAILS(cudaErrorInvalidKernelImage, try_launch(stubs[0]));
        FAILS(cudaErrorInvalidKernelImage, cudaGetSymbolAddress(&p, t[i].shadow));
    }
    OK(cudaDeviceReset());
}

static void *register_some(void *id) {
    static char stubs[4][50];
    for (uint64_t i = 0; i < 50; i++) {
        CucpuModule *m = malloc(sizeof *m);
        uint64_t number = 1000 + (uintptr_t)id * 100 + i;
        *m = (CucpuModule){CUCPU_ABI_VERSION, 32, number, "m", &kernel, NULL, 1, 0, NULL, 0, 0, 0, NULL, NULL};
        const void *list[] = {&stubs[(uintptr_t)id][i]};
        fake_register(m, list, NULL, i & 1);
        if (try_launch(list[0])) return id;
    }
    return NULL;
}

static void registers_from_several_threads(void **state) {
    (void)state;
    pthread_t t[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, register_some, (void *)i), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(t[i], &failed);
        assert_null(failed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_in_both_orders),
        cmocka_unit_test(joins_late),
        cmocka_unit_test(refuses_foreign_code),
        cmocka_unit_test(refuses_other_versions),
        cmocka_unit_test(refuses_other_cpus),
        cmocka_unit_test(refuses_unknown_kernels),
        cmocka_unit_test(finds_symbols),
        cmocka_unit_test(shares_managed_variables),
        cmocka_unit_test(refuses_wrong_rows),
        cmocka_unit_test(registers_from_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
