/* command.c: runs the cucpu command, CUCPU_COMPILER or bin/cucpu of this installation, and keeps the
** directory for its files as long as there are any. */
#define _GNU_SOURCE
#include "module/command.h"
#include "base/base.h"
#include "base/env.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char directory[256];
static unsigned files, in_use;
static pid_t owner; /* of the directory: not a child made by fork */
extern char **environ;

/* ---- files ---- */

void rt_file_name(char *out, unsigned number, const char *suffix) {
    snprintf(out, RT_NAME_BYTES, "%s/%u%s", directory, number, suffix);
}

static void remove_file(unsigned number) {
    static const char *const suffixes[] = {".ptx", ".so", ".log", ".ll", ".bc"};
    char name[RT_NAME_BYTES];
    for (size_t k = 0; k < RT_COUNT(suffixes); k++) {
        if (rt_env()->perf && !strcmp(suffixes[k], ".so")) continue;
        rt_file_name(name, number, suffixes[k]);
        unlink(name);
    }
}

/* The process ends while another thread compiles. */
static void remove_files(void) {
    if (owner != getpid() || !*directory) return;
    for (unsigned i = 0; i < files; i++) remove_file(i);
    rmdir(directory);
}

static bool make_directory(void) { /* lock held */
    if (*directory && owner == getpid()) return true;
    static bool registered;
    const char *base = rt_env()->perf ? rt_env()->perf : getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/cucpu-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(directory)) {
        *directory = 0;
        return false;
    }
    owner = getpid();
    in_use = 0; /* the next number is not 0: dlopen recognises names of files that are gone */
    if (!registered) atexit(remove_files);
    return registered = true;
}

bool rt_new_file(unsigned *number) {
    pthread_mutex_lock(&lock);
    bool ok = make_directory();
    *number = files;
    files += ok;
    in_use += ok;
    pthread_mutex_unlock(&lock);
    return ok;
}

void rt_end_file(unsigned number) {
    pthread_mutex_lock(&lock);
    remove_file(number);
    if (!--in_use) {
        rmdir(directory);
        *directory = 0;
    }
    pthread_mutex_unlock(&lock);
}

bool rt_write_file(const char *name, const char *bytes, size_t n) {
    FILE *f = fopen(name, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    return f && !fclose(f) && ok;
}

char *rt_read_file(const char *name, size_t *size) {
    FILE *f = fopen(name, "rb");
    if (!f) return NULL;
    char *bytes = NULL;
    size_t n = 0, cap = 0, got = 0;
    do {
        n += got;
        if (n + 1 >= cap) {
            char *more = realloc(bytes, cap = cap ? 2 * cap : 65536);
            if (!more) break;
            bytes = more;
        }
        got = fread(bytes + n, 1, cap - n - 1, f);
    } while (got);
    fclose(f);
    if (bytes) bytes[n] = 0;
    *size = n;
    return bytes;
}

/* ---- the command ---- */

/* <prefix>/bin/cucpu for <prefix>/lib/cucpu/libcudart.so.12. */
bool rt_find_compiler(char *out) {
    const char *chosen = rt_env()->compiler;
    Dl_info info;
    if (chosen) {
        snprintf(out, RT_NAME_BYTES, "%s", chosen);
        return access(out, X_OK) == 0;
    }
    *out = 0;
    if (!dladdr((void *)(uintptr_t)&rt_run_cucpu, &info) || !info.dli_fname) return false;
    char *real = realpath(info.dli_fname, NULL);
    if (!real) return false;
    for (int up = 0; up < 3 && strrchr(real, '/'); up++) *strrchr(real, '/') = 0;
    snprintf(out, RT_NAME_BYTES, "%s/bin/cucpu", real);
    free(real);
    return access(out, X_OK) == 0;
}

static int run(const char **argv, const char *log) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int error = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void strip(char *text, const char *prefix) {
    size_t n = strlen(prefix);
    char *to = text;
    for (const char *s = text; *s;) {
        if (n && !strncmp(s, prefix, n)) s += n;
        else *to++ = *s++;
    }
    *to = 0;
}

int rt_run_cucpu(const char **argv, const char *prefix, char **log) {
    char program[RT_NAME_BYTES], messages[RT_NAME_BYTES];
    unsigned number;
    size_t n = 0;
    *log = NULL;
    if (!rt_find_compiler(program)) {
        if (asprintf(log, "there is no compiler '%s': set CUCPU_COMPILER to the cucpu command\n", program) < 0)
            *log = NULL;
        return RT_NO_COMPILER;
    }
    if (!rt_new_file(&number)) return -1;
    rt_file_name(messages, number, ".log");
    argv[0] = program;
    int status = run(argv, messages);
    *log = rt_read_file(messages, &n);
    rt_end_file(number);
    if (*log) strip(*log, prefix);
    return status;
}
