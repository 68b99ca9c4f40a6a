/* precompiled.c: the headers that every CUDA source begins with, read by clang once for many sources.
**
** A small source takes clang half a second for each half, nearly all of it for cuda_runtime.h and what that includes.
** These are kept as clang left them (a precompiled header) in $CUCPU_CACHE, else $XDG_CACHE_HOME/cucpu, else
** ~/.cache/cucpu; CUCPU_CACHE=0 switches it off.
**
** An entry belongs to one command line, less what says where the source and its own headers lie:
**   HASH.headers   the command, then HASH.pch and each file and directory that was looked into, with size and time, and
**                  for what headers they asked, by __has_include
**   HASH.pch       what clang wrote; absent: this command was seen once, an entry does not pay yet
**   HASH.cu        the empty source that it was made from; clang wants to see it again
** It is used only where reading the headers again would give the same: none of them has changed, no directory of theirs
** has a file more or less, and no directory of the user's has one that would be found in its place.  And only where
** clang then succeeds: else the command runs as it stands, so that errors are always those of the whole source. */
#define _GNU_SOURCE
#include "launcher/precompiled.h"
#include "cpu-runtime/abi.h"
#include "launcher/dependencies.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ENTRIES = 60, PARTS_OF_NAME = 4, LEFT_SECONDS = 600 };

typedef struct Entry {
    const char *include, *directory; /* ours; of the cache */
    StrVec command, user_dirs;
    const char *text; /* the command in one line */
    const char *headers, *pch, *empty;
    StrVec files, asked; /* what it was made from; names that headers asked for */
} Entry;

/* ---- the command ---- */

/* -Idir, -I dir and the like: how many words it has, 0 if it is something else. */
static size_t directory_words(const StrVec *argv, size_t i, const char **dir) {
    static const char *const options[] = {"-I", "-isystem", "-iquote"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (!text_starts(argv->v[i], options[k])) continue;
        const char *rest = argv->v[i] + strlen(options[k]);
        *dir = *rest ? rest : i + 1 < argv->n ? argv->v[i + 1] : "";
        return *rest ? 1 : 2;
    }
    return 0;
}

/* Words that differ from source to source, and change nothing in what the headers mean. */
static size_t words_of_source(const StrVec *argv, size_t i) {
    const char *s = argv->v[i];
    if (!strcmp(s, "-c") || !strcmp(s, "-o") || !strcmp(s, "-ivfsoverlay") || !strcmp(s, "-MF") || !strcmp(s, "-MT"))
        return 2;
    if (text_starts(s, "-cuid=") || text_starts(s, "-fplugin-arg-cucpu-refused=") || !strcmp(s, "-fsyntax-only") ||
        !strcmp(s, "-MD") || !strcmp(s, "-MMD"))
        return 1;
    if (strcmp(s, "-Xclang") || i + 1 >= argv->n) return 0;
    if (!strcmp(argv->v[i + 1], "-fcuda-include-gpubinary")) return 4;
    return !strcmp(argv->v[i + 1], "-disable-llvm-passes") ? 2 : 0;
}

/* Debug information would leave out what is declared, and not used, in headers. */
static bool wants_types(const char *s) {
    return (text_starts(s, "-g") && strcmp(s, "-g0")) || !strcmp(s, "-debug-info-kind=limited");
}

/* False: not a command whose headers can be kept. */
static bool split_command(Entry *e, const StrVec *argv) {
    int included = 0;
    for (size_t i = 0, n; i < argv->n; i += n) {
        const char *dir = NULL, *s = argv->v[i];
        if ((n = words_of_source(argv, i)) != 0) continue;
        n = directory_words(argv, i, &dir);
        if (n && strcmp(dir, e->include)) {
            vec_add(&e->user_dirs, dir);
            continue;
        }
        if (wants_types(s) || text_starts(s, "-M") || text_starts(s, "-Wp,") || text_starts(s, "-imacros") ||
            (text_starts(s, "-include") && included++))
            return false;
        if (!n) n = 1;
        for (size_t k = i; k < i + n && k < argv->n; k++) vec_add(&e->command, argv->v[k]);
    }
    return included == 1;
}

/* These lead clang to other headers, or add options. */
static bool environment_changes_clang(void) {
    static const char *const names[] = {"CPATH",         "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS",
                                        "COMPILER_PATH", "GCC_EXEC_PREFIX"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return true;
    return false;
}

static const char *describe(const char *path) {
    struct stat st;
    if (stat(path, &st)) return text_format("- %s", path);
    long long size = S_ISDIR(st.st_mode) ? -1 : (long long)st.st_size;
    return text_format("%lld.%09ld %lld %s", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, size, path);
}

static void name_entry(Entry *e) {
    char *clang = realpath(e->command.v[0], NULL);
    StrVec words = {0};
    vec_add(&words, text_format("2 %d %s", CUCPU_ABI_VERSION, describe(clang ? clang : e->command.v[0])));
    vec_add_all(&words, &e->command);
    for (size_t i = 0; i < e->command.n; i++)
        if (text_starts(e->command.v[i], "-fplugin=")) vec_add(&words, describe(e->command.v[i] + strlen("-fplugin=")));
    free(clang);
    size_t size = 1;
    for (size_t i = 0; i < words.n; i++) size += strlen(text_quote(words.v[i])) + 1;
    char *text = text_alloc(size), *p = text;
    for (size_t i = 0; i < words.n; i++) p += sprintf(p, "%s ", text_quote(words.v[i]));
    e->text = text;
    const char *stem = text_format("%s/%016llx", e->directory, (unsigned long long)text_hash(0, text, strlen(text)));
    e->headers = text_format("%s.headers", stem), e->pch = text_format("%s.pch", stem),
    e->empty = text_format("%s.cu", stem);
}

/* ---- the directory ---- */

static bool is_own_directory(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static bool is_closed_directory(const char *path) {
    struct stat st;
    return is_own_directory(path) && stat(path, &st) == 0 && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
           access(path, W_OK) == 0;
}

/* NULL: there is none, or others could write into it.  Nothing is made in the home of another user (sudo). */
const char *precompiled_directory(void) {
    const char *own = getenv("CUCPU_CACHE"), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *dir;
    if (own && *own) {
        if (!strcmp(own, "0")) return NULL;
        dir = own;
    } else {
        if (!base || *base != '/') {
            if (!home || *home != '/') return NULL;
            base = text_format("%s/.cache", home);
            if (is_own_directory(home)) mkdir(base, 0700);
        }
        if (!is_own_directory(base)) return NULL;
        dir = text_format("%s/cucpu", base);
    }
    dir = path_absolute(dir);
    mkdir(dir, 0700);
    return is_closed_directory(dir) ? dir : NULL;
}

bool precompiled_is_entry(const char *path) {
    const char *dir = text_ends(path, ".cu") ? precompiled_directory() : NULL;
    return dir && !strcmp(path_directory(path), dir);
}

static void remove_entry(const char *directory, const char *headers) {
    const char *stem = text_format("%s/%s", directory, path_stem(headers));
    unlink(text_format("%s/%s", directory, path_base(headers)));
    unlink(text_format("%s.pch", stem));
    unlink(text_format("%s.cu", stem));
}

/* The entry that was not used for longest goes, and what processes that were killed have left. */
static void make_room(const char *directory) {
    DIR *d = opendir(directory);
    const char *oldest = NULL;
    time_t when = 0;
    int count = 0;
    for (struct dirent *f; d && (f = readdir(d)) != NULL;) {
        struct stat st;
        const char *path = text_format("%s/%s", directory, f->d_name);
        if (*f->d_name == '.' || text_ends(f->d_name, ".cu") || text_ends(f->d_name, ".pch") || stat(path, &st) ||
            !S_ISREG(st.st_mode))
            continue;
        if (!text_ends(f->d_name, ".headers")) {
            if (st.st_mtim.tv_sec < time(NULL) - LEFT_SECONDS) unlink(path);
            continue;
        }
        count++;
        if (!oldest || st.st_mtim.tv_sec < when)
            oldest = text_copy(f->d_name, strlen(f->d_name)), when = st.st_mtim.tv_sec;
    }
    if (d) closedir(d);
    if (count >= MAX_ENTRIES) remove_entry(directory, oldest);
}

/* ---- the list of headers ---- */

/* Files that are younger than this might change once more within the same tick of the clock. */
static bool is_settled(const char *path, time_t now) {
    struct stat st;
    return stat(path, &st) == 0 && (st.st_mtim.tv_sec < now - 1 || st.st_mtim.tv_sec > now);
}

/* Where a header asks whether there is another one: "? name". */
static void write_questions(FILE *f, const char *header) {
    size_t size;
    const char *s = file_read(header, &size);
    while (s && (s = strstr(s, "__has_include")) != NULL) {
        s += strlen("__has_include");
        const char *name = s + strspn(s, "_next ( ");
        size_t n = strcspn(name, ">\"\n");
        if (*name == '<' && name[n] == '>') fprintf(f, "? %.*s\n", (int)n - 1, name + 1);
    }
}

/* False: something changes just now. */
static bool write_headers(const Entry *e, const StrVec *files, time_t started) {
    StrVec dirs = {0};
    const char *temporary = text_format("%s.%ld", e->headers, (long)getpid());
    FILE *f = fopen(temporary, "wb");
    if (!f) return false;
    fprintf(f, "%s\n%s\n", e->text, describe(e->pch));
    bool good = true;
    for (size_t i = 0; i < files->n; i++) {
        if (!strcmp(files->v[i], e->empty)) continue;
        const char *dir = path_directory(files->v[i]);
        good = good && is_settled(files->v[i], started);
        fprintf(f, "%s\n", describe(files->v[i]));
        write_questions(f, files->v[i]);
        if (!vec_has(&dirs, dir)) vec_add(&dirs, dir);
    }
    vec_add(&dirs, "/usr/local/include");
    for (size_t i = 0; i < dirs.n; i++) fprintf(f, "%s\n", describe(dirs.v[i]));
    good = fclose(f) == 0 && good && rename(temporary, e->headers) == 0;
    if (!good) unlink(temporary);
    return good;
}

typedef enum State { UNKNOWN, SEEN, READY } State;

/* Fills in what a READY entry is made of. */
static State look_up(Entry *e) {
    size_t size;
    e->files.n = e->asked.n = 0;
    char *text = file_read(e->headers, &size);
    size_t n = strlen(e->text);
    if (!text || size <= n || memcmp(text, e->text, n) || text[n] != '\n') return UNKNOWN;
    if (!file_exists(e->pch) || !file_exists(e->empty)) return SEEN;
    int lines = 0;
    for (char *line = text + n + 1, *end; (end = strchr(line, '\n')) != NULL; line = end + 1, lines++) {
        *end = 0;
        const char *path = strchr(line, '/');
        if (*line == '?') vec_add(&e->asked, line + 2);
        else if (!path || strcmp(describe(path), line)) return SEEN;
        else vec_add(&e->files, path);
    }
    return lines ? READY : SEEN;
}

/* #include "a/b.h" or <b.h> could mean a file in a directory of the user's: names of up to four parts. */
static bool is_shadowed(const char *file, const char *dir, const struct stat *st) {
    const char *p = file + strlen(file);
    for (int parts = 0; parts < PARTS_OF_NAME && p > file; parts++) {
        while (p > file && p[-1] != '/') p--;
        struct stat other;
        if (*p && stat(text_format("%s/%s", dir, p), &other) == 0 &&
            (other.st_ino != st->st_ino || other.st_dev != st->st_dev))
            return true;
        if (p > file) p--;
    }
    return false;
}

static bool any_shadowed(const Entry *e) {
    if (file_exists("cuda_runtime.h")) return true; /* -include looks here first */
    for (size_t k = 0; k < e->user_dirs.n; k++) {
        struct stat st;
        for (size_t i = 0; i < e->asked.n; i++)
            if (file_exists(text_format("%s/%s", e->user_dirs.v[k], e->asked.v[i]))) return true;
        for (size_t i = 0; i < e->files.n; i++)
            if (stat(e->files.v[i], &st) == 0 && !S_ISDIR(st.st_mode) &&
                is_shadowed(e->files.v[i], e->user_dirs.v[k], &st))
                return true;
    }
    return false;
}

/* ---- making and using ---- */

static int run_silently(StrVec *argv) {
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0),
        null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, STDOUT_FILENO), dup2(null, STDERR_FILENO);
    int status = job_command(argv);
    dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
    close(out), close(err), close(null);
    return status;
}

static void add_words(StrVec *v, const char *const *words) {
    for (; *words; words++) vec_add(v, *words);
}

static bool make_entry(const Entry *e) {
    time_t started = time(NULL);
    const char *rule = text_format("%s.%ld.d", e->headers, (long)getpid()),
               *pch = text_format("%s.%ld", e->pch, (long)getpid());
    StrVec argv = {0};
    if (!file_exists(e->empty) && !file_write(e->empty, "", 0)) return false;
    vec_add_all(&argv, &e->command);
    add_words(&argv, (const char *const[]){"-Xclang", "-emit-pch", "-MD", "-MF", rule, "-MT", "x", "-c", e->empty, "-o",
                                           pch, NULL});
    size_t size;
    bool good = run_silently(&argv) == 0;
    const char *text = good ? file_read(rule, &size) : NULL;
    unlink(rule);
    StrVec files = {0};
    if (text) files = rule_files(text);
    good = text && rename(pch, e->pch) == 0 && write_headers(e, &files, started);
    if (!good) unlink(pch);
    return good;
}

/* The same command, but -include cuda_runtime.h. */
static StrVec command_with(const Entry *e, const StrVec *argv) {
    StrVec with = {0};
    for (size_t i = 0; i < argv->n; i++) {
        if (strcmp(argv->v[i], "-include")) {
            vec_add(&with, argv->v[i]);
            continue;
        }
        i++;
        add_words(&with, (const char *const[]){"-Xclang", "-include-pch", "-Xclang", e->pch, NULL});
    }
    return with;
}

/* What clang has against the entry itself: another time it would be the same. */
static bool is_about_entry(const Job *j, const Entry *e) {
    size_t size;
    const char *text = file_read(j->messages, &size);
    return text && (strstr(text, path_base(e->pch)) || strstr(text, path_base(e->empty)));
}

bool precompiled_run(const Job *j) {
    Entry e = {.include = j->quick_context, .directory = precompiled_directory()};
    if (!e.directory || environment_changes_clang() || !split_command(&e, &j->argv)) return false;
    name_entry(&e);
    State state = look_up(&e);
    if (state == UNKNOWN) {
        make_room(e.directory);
        const char *line = text_format("%s\n", e.text);
        file_write(e.headers, line, strlen(line));
        return false;
    }
    if (state == SEEN && (!make_entry(&e) || look_up(&e) != READY)) return false;
    if (any_shadowed(&e)) return false;
    utimensat(AT_FDCWD, e.headers, NULL, 0);
    StrVec with = command_with(&e, &j->argv);
    if (job_command(&with) == 0) return true;
    if (is_about_entry(j, &e)) remove_entry(e.directory, e.headers);
    return false;
}
