/* test_atomics.c: sums of floats by lanes: order, runs of equal addresses, holes in the set, several threads. */
#include "check.h"
#include <pthread.h>

enum { LANES = 64, PLACES = 5, TURNS = 2000 };

static void adds_in_order(void **state) {
    (void)state;
    unsigned r = 1;
    for (int turn = 0; turn < TURNS; turn++) {
        float place[PLACES], want[PLACES], v[LANES], *at[LANES];
        uint64_t lanes = 0;
        for (int k = 0; k < PLACES; k++) place[k] = want[k] = 0.1f * (float)k;
        for (int l = 0; l < LANES; l++) {
            r = r * 1664525u + 1013904223u;
            bool repeat = l && (r >> 24) % 4;
            at[l] = repeat ? at[l - 1] : &place[(r >> 16) % PLACES];
            v[l] = (float)(r >> 8) / 7e6f;
            lanes |= (uint64_t)((r >> 28) != 0) << l;
        }
        for (int l = 0; l < LANES; l++)
            if (lanes >> l & 1) want[at[l] - place] += v[l];
        cucpu_atomic_fadd32(at, v, lanes);
        for (int k = 0; k < PLACES; k++) assert_true(place[k] == want[k]);
    }
}

static void takes_no_lanes(void **state) {
    (void)state;
    double v[2] = {1, 2}, place = 5, *at[2] = {NULL, &place};
    cucpu_atomic_fadd64(at, v, 0);
    cucpu_atomic_fadd64(at, v, 2); /* the address of lane 0 is nobody's */
    assert_true(place == 7);
}

static double shared[2];

static void *add_many(void *unused) {
    (void)unused;
    double v[LANES], *at[LANES];
    for (int l = 0; l < LANES; l++) v[l] = 1, at[l] = &shared[l % 8 > 5];
    for (int turn = 0; turn < TURNS; turn++) cucpu_atomic_fadd64(at, v, UINT64_MAX);
    return NULL;
}

static void is_atomic(void **state) {
    (void)state;
    pthread_t threads[3];
    for (int t = 0; t < 3; t++) assert_int_equal(pthread_create(&threads[t], NULL, add_many, NULL), 0);
    for (int t = 0; t < 3; t++) pthread_join(threads[t], NULL);
    assert_true(shared[0] == 3.0 * TURNS * 48);
    assert_true(shared[1] == 3.0 * TURNS * 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(adds_in_order), cmocka_unit_test(takes_no_lanes), cmocka_unit_test(is_atomic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
