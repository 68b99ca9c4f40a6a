/* packages.c: see packages.h.  Debian's names. */
#include "launcher/packages.h"
#include "launcher/text.h"
#include <ctype.h>
#include <string.h>

/* A library "-lx" or file as linkers name it, or a header as clang quotes it; one that ends in . or / is the beginning
** of a name. */
static const struct {
    const char *missing, *package;
} known[] = {
    {"libclang_rt.", "libclang-rt-22-dev"},
    {"'sanitizer/", "libclang-rt-22-dev"},
    {"'fuzzer/", "libclang-rt-22-dev"},
    {"-lomp", "libomp-22-dev"},
    {"'omp.h'", "libomp-22-dev"},
    {"-lc++", "libc++-22-dev"},
    {"-lc++abi", "libc++abi-22-dev"},
    {"-lstdc++", "g++"},
    {"crt1.o", "libc6-dev"},
    {"-lsleef", "libsleef-dev"},
    {"libopenblas.so", "libopenblas-dev"},
    {"libfftw3.", "libfftw3-dev"},
    {"libfftw3f.", "libfftw3-dev"},
    {"'mpi.h'", "libopenmpi-dev or libmpich-dev"},
    {"-lmpi", "libopenmpi-dev or libmpich-dev"},
    {"'cub/", "libcub-dev"},
    {"'thrust/", "libthrust-dev"},
    {"-lGL", "libgl-dev"},
    {"'GL/gl.h'", "libgl-dev"},
    {"-lGLU", "libglu1-mesa-dev"},
    {"-lglut", "freeglut3-dev"},
    {"'GL/glut.h'", "freeglut3-dev"},
    {"'GL/freeglut.h'", "freeglut3-dev"},
    {"-lGLEW", "libglew-dev"},
    {"'GL/glew.h'", "libglew-dev"},
    {"-ltbb", "libtbb-dev"},
    {"-lnuma", "libnuma-dev"},
    {"'numa.h'", "libnuma-dev"},
};

static bool is_about_missing(const char *line) {
    static const char *const words[] = {"cannot open", "cannot find", "unable to find library", "file not found",
                                        "not found (try"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i])) return true;
    return false;
}

/* Not -lcx for -lc. */
static bool names(const char *line, const char *missing) {
    size_t n = strlen(missing);
    const char *s = strstr(line, missing);
    bool folder = strchr("/.", missing[n - 1]) != NULL;
    return s && (folder || !(isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '+'));
}

static const char *package_of(const char *line) {
    for (size_t i = 0; is_about_missing(line) && i < sizeof known / sizeof *known; i++)
        if (names(line, known[i].missing)) return known[i].package;
    return NULL;
}

void packages_note(const char *messages) {
    size_t size = 0;
    const char *text = file_read(messages, &size), *package;
    StrVec packages = {0};
    for (const char *line = text; line && *line; line += strcspn(line, "\n"), line += *line != 0)
        if ((package = package_of(text_copy(line, strcspn(line, "\n")))) != NULL && !vec_has(&packages, package))
            vec_add(&packages, package);
    FILE *f = packages.n ? fopen(messages, "a") : NULL;
    for (size_t i = 0; f && i < packages.n; i++)
        fprintf(f, "cucpu: note: Debian has this in the package %s\n", packages.v[i]);
    if (f) fclose(f);
}
