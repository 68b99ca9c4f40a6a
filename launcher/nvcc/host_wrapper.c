/* host_wrapper.c: see host_wrapper.h.
**
** nvcc -ccbin mpicxx finds mpi.h and links MPI, because mpicxx calls the host compiler with more options.  Here that is
** always clang, which gets these options itself: all wrappers of MPI print them for -show.  Of what they print only
** directories, macros and libraries count: the rest is how MPI itself was compiled. */
#define _GNU_SOURCE
#include "launcher/nvcc/host_wrapper.h"
#include "launcher/options.h"
#include <stdlib.h>
#include <string.h>

bool is_host_wrapper(const char *ccbin) { return text_starts(path_base(ccbin), "mpi"); }

/* The first line that the command prints; NULL: it failed, or printed nothing. */
static const char *first_line(const char *command) {
    FILE *f = popen(command, "r");
    char *line = NULL;
    size_t cap = 0;
    ssize_t n = f ? getline(&line, &cap, f) : -1;
    char rest[512];
    while (n > 0 && fread(rest, 1, sizeof rest, f)) {}
    bool good = f && pclose(f) == 0 && n > 0;
    const char *copy = good ? text_copy(line, (size_t)n) : NULL;
    free(line);
    return copy;
}

/* Where an option goes; NULL: nowhere.  *words: with its argument. */
static StrVec *place_of(WrapperFlags *flags, const char *s, size_t *words) {
    static const struct {
        const char *name;
        enum { COMPILE, LINK, LIBRARIES } place;
        bool apart; /* its argument may be, or is, the next word */
    } known[] = {{"-isystem", COMPILE, true}, {"-I", COMPILE, true},     {"-D", COMPILE, true},
                 {"-U", COMPILE, true},       {"-L", LINK, true},        {"-Wl,", LINK, false},
                 {"-Xlinker", LINK, true},    {"-pthread", LINK, false}, {"-l", LIBRARIES, true}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!text_starts(s, known[i].name)) continue;
        *words = known[i].apart && !s[strlen(known[i].name)] ? 2 : 1;
        return known[i].place == COMPILE ? &flags->compile : known[i].place == LINK ? &flags->link : &flags->libraries;
    }
    *words = 1;
    return text_ends(s, ".so") || text_ends(s, ".a") ? &flags->libraries : NULL;
}

bool host_wrapper_flags(const char *ccbin, WrapperFlags *flags) {
    const char *line = first_line(text_format("%s -show 2>/dev/null", text_quote(ccbin)));
    if (!line) {
        launcher_error("'%s -show' does not print the options of this wrapper of a host compiler", ccbin);
        return false;
    }
    StrVec words = {0};
    vec_split(&words, line, " \t\r\n");
    for (size_t i = 1, n; i < words.n; i += n) { /* behind the compiler's name */
        StrVec *place = place_of(flags, words.v[i], &n);
        for (size_t k = i; place && k < i + n && k < words.n; k++) vec_add(place, words.v[k]);
    }
    return true;
}
