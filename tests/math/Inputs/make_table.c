/* make_table.c: prints the table of docs/math.md from math.def. */
#include "passes/ir/math.h"
#include <stdio.h>
#include <string.h>

static void bound(int ulp) {
    if (ulp < 0) printf(" - |");
    else if (ulp) printf(" %d |", ulp);
    else printf(" exact |");
}

static void row(const char *name, const char *kind, const char *sleef, const char *acc32, const char *acc64,
                const char *fast, int ulp32, int ulp64) {
    printf("| `%s` | ", name);
    if (!strcmp(kind, "EXPAND") && sleef) {
        printf("instructions, else SLEEF %s, double %s%s", acc32, acc64, fast ? ", fast without SLEEF" : "");
    } else if (!strcmp(kind, "SLEEF")) {
        if (!*acc32 && *acc64) printf("instructions");
        else printf("SLEEF%s%s", *acc32 ? " " : "", acc32);
        if (strcmp(acc32, acc64)) printf(", %s%s", *acc32 ? "double " : "double SLEEF ", acc64);
        if (fast) printf(", fast %s", fast);
    } else {
        printf("%s", !strcmp(kind, "EXPAND") ? "instructions" : "instruction");
    }
    printf(" |");
    bound(ulp32), bound(ulp64);
    printf("\n");
}

int main(void) {
    printf("| function | computed by | float, ulp | double, ulp |\n|---|---|---|---|\n");
#define MATH(name, kind, sig, llvm, f32, f64, sleef, acc32, acc64, fast, ulp32, ulp64)             \
    row(#name, #kind, sleef, acc32, acc64, fast, ulp32, ulp64);
#include "passes/ir/math.def"
#undef MATH
    return 0;
}
