/* cucpu-ptx.c: prints the LLVM IR that the PTX front end makes of a file, for tests and study. */
#include "passes/compiler.h"
#include <stdio.h>
#include <string.h>

static const char usage[] = "Usage: cucpu-ptx [in.ptx] [-o out.ll]\n"
                            "  The input defaults to standard input, the output to standard output.\n";

int main(int argc, char **argv) {
    const char *input = "-", *output = "-";
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) return fputs(usage, stdout) < 0;
        if (!strcmp(argv[i], "-o") && i + 1 < argc) {
            output = argv[++i];
        } else if (argv[i][0] != '-' || !argv[i][1]) {
            input = argv[i];
        } else {
            fprintf(stderr, "cucpu-ptx: error: bad option '%s'\n%s", argv[i], usage);
            return CUCPU_ERROR;
        }
    }
    return cucpu_ptx(input, output);
}
