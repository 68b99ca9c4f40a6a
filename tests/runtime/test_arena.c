/* test_arena.c: places that an arena gives do not overlap, come back, and become one range again. */
#include "space/arena.h"
#include "check.h"

enum { UNITS = 5120, LIVE = 300 }; /* as many units as a class begins with */
static RtArena arena;
static uint32_t seed = 1;

static uint32_t next_random(void) { return (seed = seed * 1664525u + 1013904223u) >> 8; }

static void mark(uint32_t place, uint32_t units, char from, char to) {
    char *at = rt_arena_address(&arena, place);
    for (uint32_t i = 0; i < units; i++) {
        assert_int_equal(at[16 * i], from);
        at[16 * i] = to;
    }
}

static void gives_and_takes(void **state) {
    (void)state;
    static char memory[UNITS * 16];
    uint32_t places[LIVE] = {0}, units[LIVE] = {0}, in_use = 0, failed = 0;
    arena.shift = 4;
    assert_true(rt_arena_add(&arena, memory, UNITS));
    for (int k = 0; k < 200000; k++) {
        uint32_t i = next_random() % LIVE;
        if (units[i]) {
            mark(places[i], units[i], 1, 0);
            in_use -= units[i];
            rt_arena_give(&arena, places[i]);
            units[i] = 0;
            continue;
        }
        uint32_t n = 1 + (next_random() % 8 ? next_random() % 30 : next_random() % 900);
        places[i] = rt_arena_take(&arena, n);
        if (places[i] == RT_NO_UNIT) {
            failed++;
            continue;
        }
        mark(places[i], units[i] = n, 0, 1);
        in_use += n;
        assert_true(in_use <= UNITS);
    }
    assert_true(failed && failed < 60000);
    for (uint32_t i = 0; i < LIVE; i++)
        if (units[i]) rt_arena_give(&arena, places[i]);
    uint32_t whole = rt_arena_take(&arena, UNITS); /* all are one block again */
    assert_int_equal(whole, 0);
    assert_int_equal(rt_arena_take(&arena, 1), RT_NO_UNIT);
    assert_int_equal(rt_arena_give(&arena, whole), RT_NO_UNIT);
    assert_int_equal(arena.idle, 1);
}

static void refuses_sizes(void **state) {
    (void)state;
    assert_int_equal(rt_arena_take(&arena, 0), RT_NO_UNIT);
    assert_int_equal(rt_arena_take(&arena, UNITS + 1), RT_NO_UNIT);
    assert_int_equal(rt_arena_take(&arena, UINT32_MAX), RT_NO_UNIT);
}

/* Of two ranges without a block one is to go; its number is used again. */
static void adds_ranges(void **state) {
    (void)state;
    static char more[2][256 * 16];
    uint32_t first = rt_arena_take(&arena, UNITS);
    assert_true(rt_arena_add(&arena, more[0], 256));
    uint32_t second = rt_arena_take(&arena, 200);
    assert_ptr_equal(rt_arena_address(&arena, second), more[0]);
    assert_int_equal(arena.idle, 0);
    assert_int_equal(rt_arena_give(&arena, first), RT_NO_UNIT);
    assert_int_equal(rt_arena_give(&arena, second), 1);
    rt_arena_remove(&arena, 1);
    assert_int_equal(arena.idle, 1);
    assert_true(rt_arena_add(&arena, more[1], 256));
    first = rt_arena_take(&arena, UNITS);
    second = rt_arena_take(&arena, 256);
    assert_ptr_equal(rt_arena_address(&arena, second), more[1]);
    assert_int_equal(arena.nranges, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_and_takes),
        cmocka_unit_test(refuses_sizes),
        cmocka_unit_test(adds_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
