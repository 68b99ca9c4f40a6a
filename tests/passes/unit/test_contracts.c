/* test_contracts.c: the order of passes.def keeps all contracts; an order with two dependent passes swapped does not, and the
** message names the pass and what is broken.  The rows of workarounds.def are valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "passes/contracts.h"
#include "passes/emit/llvm22/workarounds.h"
#include "passes/verify.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    {"contract_fma", "normalise_cfg", "split_parameters requires SOURCE_LOOPS "},
    {"normalise_cfg", "raise_cas_loops", "raise_cas_loops requires NORMAL "},
    {"raise_cas_loops", "outline_cas_loops", "outline_cas_loops has lost it"},
    {"coalesce_blocks", "make_variants", "promote_accumulators requires ONE_VERSION "},
    {"sink_stores", "join_fields", "join_fields stands before sink_stores"},
    {"version_all_active", "version_uniform_quotient", "version_uniform_quotient stands before version_all_active"},
    {"guard_coherent", "linearise", "count_branches requires NORMAL "},
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

/* Reproducers exist, upstream issues have the form of one, and the versions are an interval from LLVM 22 on. */
static void workarounds_are_valid(void **state) {
    (void)state;
    for (int w = 0; w < WORKAROUNDS; w++) {
        const WorkaroundRow *row = workaround_row((Workaround)w);
        char path[4096];
        unsigned issue;
        int end = 0;
        snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, row->reproducer);
        if (access(path, R_OK)) fail_msg("%s: there is no %s", row->name, row->reproducer);
        bool known = sscanf(row->upstream, "llvm/llvm-project#%u%n", &issue, &end) == 1 && !row->upstream[end];
        if (!known && strcmp(row->upstream, "none found")) fail_msg("%s: %s", row->name, row->upstream);
        if (row->first < 22 || (row->last && row->last < row->first)) fail_msg("%s: %u to %u", row->name, row->first, row->last);
        if (!*row->what) fail_msg("%s: does what?", row->name);
    }
}

static void workarounds_keep_to_their_versions(void **state) {
    (void)state;
    for (int w = 0; w < WORKAROUNDS; w++) {
        const WorkaroundRow *row = workaround_row((Workaround)w);
        for (unsigned llvm = 20; llvm < 30; llvm++) {
            workarounds_assume_llvm(llvm);
            assert_int_equal(workaround_is_on((Workaround)w), llvm >= row->first && (!row->last || llvm <= row->last));
        }
    }
    workarounds_assume_llvm(0);
    assert_true(workaround_is_on(WORKAROUND_define_indices)); /* the one that is linked is 22 or later */
}

/* A row of the pipeline that comes from emit/llvm22 has a row here. */
static void passes_of_workarounds_have_rows(void **state) {
    (void)state;
    static const char *const passes[] = {
#define MODULE_PASS(name, what, requires, gives, loses, order) #name,
#define KERNEL_PASS MODULE_PASS
#include "passes/emit/llvm22/passes_before_widen.def"
#include "passes/emit/llvm22/passes_after_lower_masked.def"
#include "passes/emit/llvm22/passes_last.def"
    };
    int n;
    const Contract *rows = pass_contracts(&n);
    for (size_t p = 0; p < sizeof passes / sizeof *passes; p++) {
        bool found = false;
        for (int w = 0; w < WORKAROUNDS; w++) found |= !strcmp(workaround_row((Workaround)w)->name, passes[p]);
        if (!found) fail_msg("%s is no workaround", passes[p]);
        place(rows, n, passes[p]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(swapped_rows_are_found),
        cmocka_unit_test(missing_pass_is_found),
        cmocka_unit_test(malformed_orders_are_found),
        cmocka_unit_test(workarounds_are_valid),
        cmocka_unit_test(workarounds_keep_to_their_versions),
        cmocka_unit_test(passes_of_workarounds_have_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
