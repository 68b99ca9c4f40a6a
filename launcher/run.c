/* run.c: `cucpu run PROGRAM ...` starts a program that was built for NVIDIA's libraries on cucpu's, `cucpu info` says
** what these are.
**
** Only the environment of the program is changed: LD_LIBRARY_PATH begins with lib/cucpu, whose files have the names of
** the toolkit's libraries, and PATH with lib/cucpu/bin, which has nvcc and nvidia-smi.  Where NVIDIA's runtime library
** is part of the program LD_AUDIT names the library that replaces it (cpu-runtime/audit).  With --verbose the dynamic
** linker is first run for its list of what the program is linked with, and of what is missing. */
#define _GNU_SOURCE
#include "launcher/run.h"
#include "launcher/options.h"
#include "launcher/precompiled.h"
#include "launcher/toolchain.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 }; /* as shells have it */

static void put_first(const char *variable, const char *directory) {
    const char *old = getenv(variable);
    setenv(variable, old && *old ? text_format("%s:%s", directory, old) : directory, 1);
}

static void put_last(const char *variable, const char *file) {
    const char *old = getenv(variable);
    setenv(variable, old && *old ? text_format("%s:%s", old, file) : file, 1);
}

static bool is_program(const char *path) {
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* The file of a program as execvp finds it; NULL: there is none. */
static const char *find_program(const char *name) {
    if (strchr(name, '/')) return file_exists(name) ? name : NULL;
    StrVec dirs = {0};
    const char *path = getenv("PATH");
    vec_split(&dirs, path ? path : "/usr/bin:/bin", ":");
    for (size_t i = 0; i < dirs.n; i++) {
        const char *file = text_format("%s/%s", dirs.v[i], name);
        if (is_program(file)) return file;
    }
    return NULL;
}

/* ---- --verbose ---- */

/* The dynamic linker that an ELF program names; NULL: it is none, or needs none. */
static const char *dynamic_linker(const char *program) {
    size_t n;
    const char *image = file_read(program, &n);
    Elf64_Ehdr e;
    if (!image || n < sizeof e || memcmp(image, ELFMAG, SELFMAG)) return NULL;
    memcpy(&e, image, sizeof e);
    for (unsigned i = 0; i < e.e_phnum && e.e_phoff + (i + 1) * sizeof(Elf64_Phdr) <= n; i++) {
        Elf64_Phdr p;
        memcpy(&p, image + e.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type == PT_INTERP && p.p_offset + p.p_filesz <= n && p.p_filesz)
            return text_copy(image + p.p_offset, p.p_filesz - 1);
    }
    return NULL;
}

/* Of the linker's list: libraries that are ours, and what is not found. */
static void tell_line(const char *line, const char *resources) {
    line += strspn(line, " \t");
    const char *name = text_copy(line, strcspn(line, " \t\n")), *to = strstr(line, " => ");
    if (to && strstr(to, "not found")) fprintf(stderr, "cucpu run: missing: %s\n", name);
    else if (to && text_starts(to + 4, resources)) fprintf(stderr, "cucpu run: found: %s\n", name);
    else if (text_starts(line, "undefined symbol: ")) {
        const char *symbol = line + strlen("undefined symbol: ");
        fprintf(stderr, "cucpu run: missing: function %s\n", text_copy(symbol, strcspn(symbol, ",\t (\n")));
    }
}

static void tell_libraries(const char *program, const char *resources) {
    const char *linker = dynamic_linker(program);
    fprintf(stderr, "cucpu run: %s, with the libraries in %s\n", program, resources);
    if (!linker) {
        fprintf(stderr, "cucpu run: it is no dynamically linked program: what it opens is not known\n");
        return;
    }
    FILE *f = popen(text_format("LD_TRACE_LOADED_OBJECTS=1 LD_WARN=yes LD_BIND_NOW=yes LD_VERBOSE= %s %s 2>&1",
                                text_quote(linker), text_quote(path_absolute(program))),
                    "r");
    char *line = NULL;
    size_t capacity = 0;
    while (f && getline(&line, &capacity, f) > 0) tell_line(line, resources);
    free(line);
    if (f) pclose(f);
}

/* ---- NVIDIA's runtime library as a part of the program ---- */

typedef enum { NO_STATIC_RUNTIME, STATIC_RUNTIME, STRIPPED_STATIC_RUNTIME } StaticRuntime;

/* GPU code, and NVIDIA's runtime library that registers it. */
static StaticRuntime static_runtime(const char *program) {
    static const char section[] = ".nv_fatbin", mark[] = "libcudart_static_", function[] = "__cudaRegisterFatBinary";
    size_t n;
    const char *image = file_read(program, &n);
    if (!image || n <= SELFMAG || memcmp(image, ELFMAG, SELFMAG) || !memmem(image, n, section, sizeof section) ||
        !memmem(image, n, mark, sizeof mark - 1))
        return NO_STATIC_RUNTIME;
    return memmem(image, n, function, sizeof function) ? STATIC_RUNTIME : STRIPPED_STATIC_RUNTIME;
}

static void replace_static_runtime(const char *program, const char *resources, bool everywhere) {
    StaticRuntime has = static_runtime(program);
    if (has == STATIC_RUNTIME || everywhere) {
        put_first("LD_AUDIT", text_format("%s/libcucpu-audit.so", resources));
        put_last("LD_PRELOAD",
                 text_format("%s/libcudart.so.12", resources)); /* sanitizers' libraries have to be first */
    }
    if (has == STRIPPED_STATIC_RUNTIME)
        fprintf(
            stderr,
            "cucpu run: warning: '%s' has NVIDIA's runtime library in it, which is replaced only in programs with a "
            "symbol table (not after strip); linked with nvcc -cudart shared it runs, too\n",
            program);
}

int run_program(char **argv) {
    Toolchain t;
    bool verbose = false, everywhere = false;
    for (; *argv && **argv == '-'; argv++) {
        if (!strcmp(*argv, "--verbose") || !strcmp(*argv, "-v")) verbose = true;
        else if (!strcmp(*argv, "--static-runtime")) everywhere = true;
        else if (!strcmp(*argv, "--")) {
            argv++;
            break;
        } else
            return launcher_error("cucpu run: unknown option '%s'; --verbose and --static-runtime are known", *argv), 1;
    }
    if (!*argv)
        return launcher_error(
                   "cucpu run: no program is named: cucpu run [--verbose] [--static-runtime] PROGRAM [ARGUMENTS]"),
               1;
    if (!toolchain_find(&t)) return 1;
    put_first("LD_LIBRARY_PATH", t.resources);
    put_first("PATH", text_format("%s/bin", t.resources));
    setenv("CUDA_HOME", t.resources, 1); /* Numba looks for libnvvm and libdevice there */
    setenv("CUDA_PATH", t.resources, 1);
    const char *program = find_program(*argv);
    if (!program) return launcher_error("cucpu run: there is no program '%s'", *argv), NOT_FOUND;
    if (verbose) tell_libraries(program, t.resources);
    fflush(NULL);
    replace_static_runtime(program, t.resources, everywhere); /* last: nothing that is started here is to have it */
    execv(program, argv);
    if (errno == ENOEXEC) execvp(*argv, argv); /* a script without #! */
    launcher_error("cucpu run: '%s' cannot be started: %s", program, strerror(errno));
    return NOT_EXECUTABLE;
}

/* ---- info ---- */

static int compare(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The names that programs open: libcudart.so.13 and its like. */
static void print_libraries(const char *resources) {
    StrVec names = {0};
    DIR *d = opendir(resources);
    for (struct dirent *e; d && (e = readdir(d));)
        if (text_starts(e->d_name, "lib") && strstr(e->d_name, ".so.")) vec_add(&names, text_format("%s", e->d_name));
    if (d) closedir(d);
    if (names.n) qsort(names.v, names.n, sizeof *names.v, compare);
    for (size_t i = 0; i < names.n; i++) printf("%s%s", i % 6 ? "  " : i ? "\n               " : "", names.v[i]);
    putchar('\n');
}

static void print_cache(void) {
    const char *directory = precompiled_directory();
    unsigned long long bytes = 0, files = 0;
    const char *code = directory ? text_format("%s/code", directory) : "";
    DIR *d = directory ? opendir(code) : NULL;
    struct stat st;
    for (struct dirent *e; d && (e = readdir(d));)
        if (!stat(text_format("%s/%s", code, e->d_name), &st) && S_ISREG(st.st_mode))
            bytes += (unsigned long long)st.st_size, files++;
    if (d) closedir(d);
    if (!directory) puts("none");
    else printf("%s (%llu kernels and modules, %llu KiB)\n", directory, files, bytes >> 10);
}

/* The runtime answers, in a process of its own. */
static int print_devices(const Toolchain *t) {
    static const char fields[] = "--query-gpu=index,name,memory.total,compute_cap";
    fflush(stdout);
    return system(text_format("LD_LIBRARY_PATH=%s %s/bin/nvidia-smi %s --format=csv,noheader", text_quote(t->resources),
                              text_quote(t->resources), fields))
               ? 3
               : 0;
}

int print_info(char **argv) {
    Toolchain t;
    if (*argv) return launcher_error("cucpu info: there is no option '%s'", *argv), 1;
    if (!toolchain_find(&t)) return 1;
    printf("version:       cucpu %s, CUDA 12.8\n", CUCPU_VERSION);
    printf("installation:  %s\n", t.resources);
    printf("clang:         %s\n", t.clang);
    printf("cache:         ");
    print_cache();
    printf("libraries:     ");
    print_libraries(t.resources);
    printf("devices:       ");
    return print_devices(&t);
}
