/* test_memory.c: allocation, its errors, copies, fills, and what the registry answers. */
#include "check.h"
#include <pthread.h>

static void allocates_and_frees(void **state) {
    (void)state;
    void *p, *q;
    OK(cudaMalloc(&p, 1));
    assert_int_equal((uintptr_t)p % 256, 0);
    OK(cudaMalloc(&q, 3 << 20));
    assert_int_equal((uintptr_t)q % 256, 0);
    memset(q, 1, 3 << 20);
    OK(cudaFree(p));
    OK(cudaFree(q));
    OK(cudaFree(NULL));
    OK(cudaFreeHost(NULL));
    OK(cudaMalloc(&p, 0));
    assert_null(p);
}

static void refuses_wrong_frees(void **state) {
    (void)state;
    int local;
    char *p;
    void *host;
    OK(cudaMalloc((void **)&p, 1000));
    OK(cudaMallocHost(&host, 1000));
    FAILS(cudaErrorInvalidValue, cudaFree(p + 4));
    FAILS(cudaErrorInvalidValue, cudaFree(&local));
    FAILS(cudaErrorInvalidValue, cudaFree(host));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(p));
    OK(cudaFree(p));
    FAILS(cudaErrorInvalidValue, cudaFree(p));
    OK(cudaFreeHost(host));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(host));
    FAILS(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
}

#if defined __SANITIZE_ADDRESS__
enum { GAP = 0 }; /* which would tell of such writes */
#else
enum { GAP = 512 };
#endif

/* What is written behind device memory, or to memory that is free, is no memory of the host's heap. */
static void lies_apart_from_the_heap(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 64, 512, 4608, 100000, 300000, (1 << 20) - 512};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *p[4], *host[100];
        for (int k = 0; k < 4; k++) OK(cudaMalloc((void **)&p[k], sizes[i]));
        for (int k = 0; k < 4; k++) memset(p[k], 0x5a, sizes[i] + GAP);
        OK(cudaFree(p[1]));
        OK(cudaFree(p[3]));
        if (GAP) memset(p[1], -1, sizes[i]), memset(p[3], -1, sizes[i]);
        for (int k = 0; k < 100; k++) assert_non_null(host[k] = malloc(sizes[i]));
        for (int k = 0; k < 100; k++) free(host[k]);
        for (size_t k = 0; k < sizes[i]; k++) assert_true(p[0][k] == 0x5a && p[2][k] == 0x5a);
        OK(cudaFree(p[0]));
        OK(cudaFree(p[2]));
        FAILS(cudaErrorInvalidValue, cudaFree(p[0]));
    }
}

/* Big blocks begin at different positions of a page, so that they do not compete for sets of the cache. */
static void staggers_big_blocks(void **state) {
    (void)state;
    enum { N = 4 };
    for (size_t size = (size_t)1 << 20; size <= (size_t)1 << 23; size <<= 1) {
        char *p[N];
        for (int k = 0; k < N; k++) {
            assert_int_equal(cudaMalloc((void **)&p[k], size), cudaSuccess);
            assert_int_equal((uintptr_t)p[k] % 512, 0);
            assert_int_equal(cudaMemset(p[k], k, size), cudaSuccess);
        }
        for (int k = 0; k < N; k++)
            for (int j = 0; j < k; j++) assert_int_not_equal((uintptr_t)p[k] % 4096, (uintptr_t)p[j] % 4096);
        for (int k = 0; k < N; k++) {
            assert_int_equal(p[k][0], k);
            assert_int_equal(p[k][size - 1], k);
            assert_int_equal(cudaFree(p[k]), cudaSuccess);
        }
    }
}

/* Pinned and managed memory begins at a page, as programs expect that give it to madvise() or read with O_DIRECT. */
static void aligns_host_memory(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        void *p, *q;
        assert_int_equal(cudaMallocHost(&p, (size_t)1 << 21), cudaSuccess);
        assert_int_equal(cudaMallocManaged(&q, (size_t)1 << 21, cudaMemAttachGlobal), cudaSuccess);
        assert_int_equal((uintptr_t)p % 4096 + (uintptr_t)q % 4096, 0);
        assert_int_equal(cudaFreeHost(p), cudaSuccess);
        assert_int_equal(cudaFree(q), cudaSuccess);
    }
}

static void *uses_memory(void *thread) {
    enum { LIVE = 40 };
    unsigned seed = (unsigned)(uintptr_t)thread;
    unsigned char *p[LIVE] = {0};
    size_t n[LIVE];
    for (int k = 0; k < 4000; k++) {
        int i = rand_r(&seed) % LIVE;
        if (p[i] && (p[i][0] != i || p[i][n[i] / 2] != i || p[i][n[i] - 1] != i || cudaFree(p[i]))) return thread;
        if (p[i]) {
            p[i] = NULL;
            continue;
        }
        n[i] = 1 + (size_t)rand_r(&seed) % (k % 16 ? 20000 : 3 << 20);
        if (cudaMalloc((void **)&p[i], n[i]) || (uintptr_t)p[i] % 256) return thread;
        p[i][0] = p[i][n[i] / 2] = p[i][n[i] - 1] = (unsigned char)i;
    }
    for (int i = 0; i < LIVE; i++)
        if (cudaFree(p[i])) return thread;
    return NULL;
}

static void serves_several_threads(void **state) {
    (void)state;
    pthread_t t[4];
    for (uintptr_t i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, uses_memory, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(t[i], &failed);
        assert_null(failed);
    }
}

static void runs_out_of_memory(void **state) {
    (void)state;
    void *p = &p;
    size_t free_bytes, total;
    OK(cudaMemGetInfo(&free_bytes, &total));
    assert_true(free_bytes <= total && total > 0);
    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&p, total + 1));
    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&p, SIZE_MAX));
    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&p, SIZE_MAX - 100));
    FAILS(cudaErrorMemoryAllocation, cudaMallocHost(&p, (size_t)1 << 62));
    size_t pitch;
    FAILS(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, SIZE_MAX / 2, 100));
    struct cudaPitchedPtr v;
    FAILS(cudaErrorMemoryAllocation, cudaMalloc3D(&v, (struct cudaExtent){1, SIZE_MAX / 2, 100}));
    void *q;
    OK(cudaMalloc(&q, 64 << 20));
    size_t less;
    OK(cudaMemGetInfo(&less, NULL));
    assert_true(less <= total - (64 << 20));
    OK(cudaFree(q));
}

static void checks_copies(void **state) {
    (void)state;
    char host[2000] = {0}, back[2000], *p, *q;
    OK(cudaMalloc((void **)&p, 1000));
    OK(cudaMalloc((void **)&q, 1000));
    memset(host, 7, sizeof host);
    OK(cudaMemcpy(p, host, 1000, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(q, p, 1000, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(back, q, 1000, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, host, 1000);
    OK(cudaMemcpy(back, host, 2000, cudaMemcpyHostToHost));
    OK(cudaMemcpy(back, p, 1000, cudaMemcpyDefault));
    OK(cudaMemcpy(NULL, host, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(p, host, 1001, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(p + 1, host, 1000, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(back, p + 500, 501, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(back, p + 500, 501, cudaMemcpyDefault));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(back, host, 10, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(back, host, 10, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(NULL, host, 10, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(p, NULL, 10, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(p, host, 10, (enum cudaMemcpyKind)9));
    OK(cudaFree(p));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(p, host, 10, cudaMemcpyHostToDevice));
    OK(cudaFree(q));
}

static void copies_big_blocks(void **state) {
    (void)state;
    enum { N = 9000001 };
    char *host = malloc(N), *back = malloc(N), *p;
    OK(cudaMalloc((void **)&p, N));
    for (int i = 0; i < N; i++) host[i] = (char)(i * 7 + i / 4096);
    OK(cudaMemset(p, 0x55, N));
    OK(cudaMemcpy(back, p, N, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (back[i] != 0x55) fail();
    OK(cudaMemcpy(p, host, N, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(back, p, N, cudaMemcpyDeviceToHost));
    assert_int_equal(memcmp(host, back, N), 0);
    OK(cudaMemcpy(p + 1, p, N - 1, cudaMemcpyDeviceToDevice)); /* overlapping */
    OK(cudaMemcpy(back, p, N, cudaMemcpyDeviceToHost));
    assert_int_equal(memcmp(host, back + 1, N - 1), 0);
    OK(cudaFree(p));
    free(host);
    free(back);
}

static void copies_rows(void **state) {
    (void)state;
    char host[8][16], back[8][16], *p;
    size_t pitch;
    for (int i = 0; i < 128; i++) host[i / 16][i % 16] = (char)i;
    OK(cudaMallocPitch((void **)&p, &pitch, 10, 8));
    assert_true(pitch >= 10 && pitch % 256 == 0);
    OK(cudaMemset2D(p, pitch, 0xee, 10, 8));
    OK(cudaMemcpy2D(p, pitch, host, 16, 10, 8, cudaMemcpyHostToDevice));
    memset(back, 0, sizeof back);
    OK(cudaMemcpy2D(back, 16, p, pitch, 10, 8, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++) assert_int_equal(back[y][x], x < 10 ? host[y][x] : 0);
    OK(cudaMemcpy2D(p, (size_t)1 << 31, host, 16, 10, 1, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue,
          cudaMemcpy2D(p, (size_t)1 << 31, host, 16, 10, 2, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, 8, host, 16, 10, 8, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2D(p, 8, host, 16, 10, 1, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(p, 8, host, 16, 10, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidPitchValue,
          cudaMemcpy2D(p, pitch, host, 9, 10, 8, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2D(p, pitch, host, 16, 10, 9, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemset2D(p, pitch, 0, pitch, 9));
    OK(cudaFree(p));
}

static void fills(void **state) {
    (void)state;
    unsigned char *p;
    OK(cudaMalloc((void **)&p, 100));
    OK(cudaMemset(p, 0x1ff, 100));
    OK(cudaMemset(p + 10, 3, 5));
    OK(cudaMemset(p, 3, 0));
    for (int i = 0; i < 100; i++) assert_int_equal(p[i], i >= 10 && i < 15 ? 3 : 255);
    FAILS(cudaErrorInvalidValue, cudaMemset(p, 0, 101));
    FAILS(cudaErrorInvalidValue, cudaMemset(NULL, 0, 1));
    int local;
    FAILS(cudaErrorInvalidValue, cudaMemset(&local, 0, 4));
    OK(cudaFree(p));
    struct cudaPitchedPtr v;
    OK(cudaMalloc3D(&v, (struct cudaExtent){10, 3, 2}));
    OK(cudaMemset3D(v, 9, (struct cudaExtent){10, 3, 2}));
    assert_int_equal(((char *)v.ptr)[v.pitch * 5 + 9], 9);
    FAILS(cudaErrorInvalidValue, cudaMemset3D(v, 9, (struct cudaExtent){10, 3, 3}));
    OK(cudaFree(v.ptr));
}

static void knows_pointers(void **state) {
    (void)state;
    struct cudaPointerAttributes a;
    char *device, *pinned, *managed, local[16];
    OK(cudaMalloc((void **)&device, 100));
    OK(cudaHostAlloc((void **)&pinned, 100, cudaHostAllocMapped));
    OK(cudaMallocManaged((void **)&managed, 100, cudaMemAttachGlobal));
    OK(cudaPointerGetAttributes(&a, device + 99));
    assert_int_equal(a.type, cudaMemoryTypeDevice);
    assert_null(a.hostPointer);
    assert_ptr_equal(a.devicePointer, device + 99);
    OK(cudaPointerGetAttributes(&a, device + 100));
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    OK(cudaPointerGetAttributes(&a, pinned));
    assert_int_equal(a.type, cudaMemoryTypeHost);
    OK(cudaPointerGetAttributes(&a, managed));
    assert_int_equal(a.type, cudaMemoryTypeManaged);
    OK(cudaPointerGetAttributes(&a, local));
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    void *mapped = device;
    OK(cudaMallocManaged(&mapped, 0, cudaMemAttachGlobal));
    assert_null(mapped);
    unsigned flags;
    OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
    assert_ptr_equal(mapped, pinned);
    OK(cudaHostGetFlags(&flags, pinned));
    assert_true(flags & cudaHostAllocMapped);
    FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer(&mapped, local, 0));
    OK(cudaFree(device));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
}

static void registers_host_memory(void **state) {
    (void)state;
    char *p = malloc(4096);
    OK(cudaHostRegister(p, 4096, cudaHostRegisterDefault));
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(p + 100, 10, 0));
    OK(cudaMemset(p, 1, 4096));
    OK(cudaHostUnregister(p));
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(p));
    FAILS(cudaErrorInvalidValue, cudaHostRegister(NULL, 10, 0));
    free(p);
}

static void keeps_many_allocations(void **state) {
    (void)state;
    enum { N = 3000 };
    static char *p[N];
    for (int i = 0; i < N; i++) OK(cudaMalloc((void **)&p[i], (size_t)i % 700 + 1));
    for (int i = 0; i < N; i += 2) OK(cudaFree(p[i]));
    for (int i = 1; i < N; i += 2) {
        OK(cudaMemset(p[i], 1, (size_t)i % 700 + 1));
        FAILS(cudaErrorInvalidValue, cudaMemset(p[i], 1, (size_t)i % 700 + 2));
    }
    for (int i = 1; i < N; i += 2) OK(cudaFree(p[i]));
}

static void resets(void **state) {
    (void)state;
    void *p;
    OK(cudaMalloc(&p, 100));
    OK(cudaMalloc(&p, 2 << 20));
    OK(cudaDeviceReset());
    FAILS(cudaErrorInvalidValue, cudaFree(p));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocates_and_frees),
        cmocka_unit_test(refuses_wrong_frees),
        cmocka_unit_test(lies_apart_from_the_heap),
        cmocka_unit_test(staggers_big_blocks),
        cmocka_unit_test(aligns_host_memory),
        cmocka_unit_test(serves_several_threads),
        cmocka_unit_test(runs_out_of_memory),
        cmocka_unit_test(checks_copies),
        cmocka_unit_test(copies_rows),
        cmocka_unit_test(copies_big_blocks),
        cmocka_unit_test(fills),
        cmocka_unit_test(knows_pointers),
        cmocka_unit_test(registers_host_memory),
        cmocka_unit_test(keeps_many_allocations),
        cmocka_unit_test(resets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
