/* test_printf.c: device printf: packing, conversions, results, no mixing of threads' lines. */
#include "check.h"
#include "capture.h"
#include <pthread.h>

typedef struct Pack {
    _Alignas(16) char data[256];
    size_t size;
} Pack;

static void put(Pack *p, const void *v, size_t n) {
    p->size = (p->size + n - 1) & ~(n - 1);
    memcpy(p->data + p->size, v, n);
    p->size += n;
}
#define PUT(type, value)                                                                           \
    do {                                                                                           \
        type v_ = (value);                                                                         \
        put(&p, &v_, sizeof v_);                                                                   \
    } while (0)

static const char *print(const char *format, const Pack *p, int want) {
    static Capture c;
    capture_begin(&c, stdout);
    int n = cucpu_vprintf(format, p->data);
    cudaDeviceSynchronize();
    capture_end(&c);
    assert_int_equal(n, want);
    return c.text;
}

static void unpacks_arguments(void **state) {
    (void)state;
    Pack p = {.size = 0};
    PUT(int, -5);
    PUT(double, 1.5);
    PUT(int, 'c');
    PUT(const char *, "text");
    PUT(int, 7);
    PUT(long long, 1ll << 40);
    PUT(unsigned, 0xbeef);
    assert_string_equal(print("%d %f %c %s %d %lld %#x\n", &p, 7),
                        "-5 1.500000 c text 7 1099511627776 0xbeef\n");
}

static void keeps_flags_and_stars(void **state) {
    (void)state;
    Pack p = {.size = 0};
    PUT(int, 42);
    PUT(int, 8);
    PUT(double, 3.14159);
    PUT(int, -6);
    PUT(int, 5);
    PUT(unsigned long, 123ul);
    PUT(int, 65535 + 2);
    PUT(int, 257);
    assert_string_equal(print("[%05d][%*.3f][%*d][%lu][%hd][%hhu]100%%", &p, 8),
                        "[00042][   3.142][5     ][123][1][1]100%");
}

static void prints_null_and_pointers(void **state) {
    (void)state;
    Pack p = {.size = 0};
    PUT(const char *, NULL);
    PUT(void *, (void *)(uintptr_t)0x1234);
    assert_string_equal(print("%s %p", &p, 2), "(null) 0x1234");
}

static void prints_what_is_no_conversion(void **state) {
    (void)state;
    Pack p = {.size = 0};
    PUT(int, 1);
    assert_string_equal(print("a%", &p, 0), "a%");
    assert_string_equal(print("b%y %d", &p, 1), "b%y 1");
    assert_string_equal(print("c%n%", &p, 0), "c%n%");
    assert_string_equal(print("%'d %1$d %C %lhd %llld %*k", &p, 0), "%'d %1$d %C %lhd %llld %*k");
    assert_string_equal(print("", &p, 0), "");
    assert_int_equal(cucpu_vprintf(NULL, NULL), -1);
}

/* Those of C that a GPU has not. */
static void prints_sizes_and_precisions(void **state) {
    (void)state;
    Pack p = {.size = 0};
    PUT(uint64_t, 1ull << 40);
    PUT(int64_t, -5);
    PUT(int64_t, -(1ll << 33));
    PUT(double, 0.5);
    PUT(int, 7);
    PUT(int, 2);
    PUT(double, 3.14159);
    PUT(int, -1);
    PUT(double, 2.5);
    PUT(int, 2);
    PUT(const char *, "abc");
    assert_string_equal(print("%zu %jd %td %Lg|%*.*f|%.*f|%.*s", &p, 11), "1099511627776 -5 -8589934592 0.5|   3.14|2.500000|ab");
}

static void prints_long_lines(void **state) {
    (void)state;
    static char text[5000];
    Pack p = {.size = 0};
    memset(text, 'x', sizeof text - 1);
    PUT(const char *, text);
    const char *out = print("<%s>", &p, 1);
    assert_int_equal(strlen(out), sizeof text + 1);
    assert_int_equal(out[5000], '>');
}

static void *print_lines(void *unused) {
    (void)unused;
    Pack p = {.size = 0};
    PUT(int, 1234567);
    for (int i = 0; i < 200; i++) cucpu_vprintf("%d %d\n" + 3, p.data);
    return NULL;
}

static void keeps_lines_whole(void **state) {
    (void)state;
    static Capture c;
    pthread_t t[4];
    capture_begin(&c, stdout);
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, print_lines, NULL);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    cudaDeviceSynchronize();
    const char *out = capture_end(&c);
    assert_int_equal(strlen(out), 4 * 200 * 8);
    for (int i = 0; i < 800; i++) assert_memory_equal(out + i * 8, "1234567\n", 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacks_arguments),        cmocka_unit_test(keeps_flags_and_stars),
        cmocka_unit_test(prints_null_and_pointers), cmocka_unit_test(prints_what_is_no_conversion), cmocka_unit_test(prints_sizes_and_precisions),
        cmocka_unit_test(prints_long_lines),        cmocka_unit_test(keeps_lines_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
