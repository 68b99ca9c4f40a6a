/* test_contracts.c: the order of passes.def keeps all contracts; an order with two dependent passes swapped does not, and the
** message names the pass and what is broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "passes/contracts.h"
#include "passes/verify.h"
#include <stdio.h>
#include <string.h>

enum { MAX = 100 };

static int place(const Contract *rows, int n, const char *name) {
    for (int p = 0; p < n; p++)
        if (!strcmp(rows[p].name, name)) return p;
    fail_msg("there is no pass %s", name);
    return -1;
}

static void order_is_kept(void **state) {
    (void)state;
    Arena a = {0};
    int n;
    const Contract *rows = pass_contracts(&n);
    const char *bad = broken_contract(&a, rows, n);
    if (bad) fail_msg("%s", bad);
    arena_free(&a);
}

static const struct Swap {
    const char *one, *other, *message;
} swaps[] = {
    {"import_nvvm", "link_device_library", "link_device_library requires NEUTRAL "},
    {"inline_device", "lower_shared", "lower_shared requires INLINED "},
    {"contract_fma", "normalise_cfg", "interchange_grid_stride requires SOURCE_LOOPS "},
    {"normalise_cfg", "raise_cas_loops", "raise_cas_loops requires NORMAL "},
    {"raise_cas_loops", "outline_cas_loops", "outline_cas_loops has lost it"},
    {"coalesce_blocks", "make_variants", "coalesce_blocks requires ONE_VERSION "},
    {"sink_stores", "join_fields", "join_fields stands before sink_stores"},
    {"version_all_active", "version_uniform_quotient", "version_uniform_quotient stands before version_all_active"},
    {"guard_coherent", "linearise", "guard_coherent requires NORMAL "},
    {"linearise", "widen", "widen requires LINEAR "},
    {"mark_parallel", "relax_atomics", "mark_parallel stands after relax_atomics"},
    {"split_barriers", "loop_groups", "loop_groups requires CUT "},
    {"promote_shared", "split_iteration_space", "promote_shared stands after split_iteration_space"},
    {"kernel_table", "optimise", "optimise requires ROOTED "},
    {"lower_masked", "define_indices", "define_indices requires LEGAL_MASKS "},
};

static void swapped_rows_are_found(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof swaps / sizeof *swaps; k++) {
        Arena a = {0};
        int n;
        const Contract *rows = pass_contracts(&n);
        Contract changed[MAX];
        assert_true(n <= MAX);
        memcpy(changed, rows, (size_t)n * sizeof *rows);
        int p = place(rows, n, swaps[k].one), q = place(rows, n, swaps[k].other);
        changed[p] = rows[q];
        changed[q] = rows[p];
        const char *bad = broken_contract(&a, changed, n);
        if (!bad) fail_msg("%s and %s may be swapped", swaps[k].one, swaps[k].other);
        if (!strstr(bad, swaps[k].message)) fail_msg("%s and %s: %s", swaps[k].one, swaps[k].other, bad);
        arena_free(&a);
    }
}

static void missing_pass_is_found(void **state) {
    (void)state;
    static const struct {
        const char *without, *message;
    } cases[] = {{"linearise", "pin_loads requires LINEAR "}, {"lower_masked", "narrow_masked: there is no pass lower_masked"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Arena a = {0};
        int n, left = 0;
        const Contract *rows = pass_contracts(&n);
        Contract changed[MAX];
        for (int p = 0; p < n; p++)
            if (strcmp(rows[p].name, cases[k].without)) changed[left++] = rows[p];
        const char *bad = broken_contract(&a, changed, left);
        if (!bad || (!strstr(bad, cases[k].message) && !strstr(bad, cases[k].without))) fail_msg("without %s: %s", cases[k].without, bad ? bad : "nothing");
        arena_free(&a);
    }
}

static void malformed_orders_are_found(void **state) {
    (void)state;
    const Contract rows[] = {{"a", FORM_NVVM, FORM_NEUTRAL, FORM_NVVM, "because: it is so"}};
    const Contract typo[] = {{"a", 0, 0, 0, "after nothing: reason"}};
    Arena a = {0};
    assert_non_null(strstr(broken_contract(&a, rows, 1), "neither after nor before"));
    assert_non_null(strstr(broken_contract(&a, typo, 1), "there is no pass nothing"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(swapped_rows_are_found),
        cmocka_unit_test(missing_pass_is_found),
        cmocka_unit_test(malformed_orders_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
