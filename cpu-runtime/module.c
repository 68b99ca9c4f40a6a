/* module.c: modules that a program loads while it runs: cuModuleLoad and its family, cuLibrary*.
**
** PTX is compiled by the cucpu command as a child process, CUCPU_COMPILER or bin/cucpu beside this library, to a
** shared object that is opened; its constructor registers it (registry.c).  What was compiled once in this process is
** kept in a directory that goes at exit, and copied for each further load: every load has variables of its own.
** PTX that was compiled into the program is found by the hash of its text; all its loads share one instance.
** Nothing is ever closed: handles of an unloaded module fail, its code stays mapped. */
#define _GNU_SOURCE
#include "driver.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAGIC = 0x6d6f6475, LOG_BYTES = 16384, NAME_BYTES = 4096 };

struct CUmod_st {
    uint32_t magic;
    RtModule *module;
};

typedef struct Compiled {
    struct Compiled *next;
    uint64_t hash;
    unsigned number; /* NUMBER.so in the directory */
} Compiled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Compiled *compiled;
static char directory[256];
static unsigned files;
static pid_t owner;
extern char **environ;

/* ---- the directory ---- */

static void file_name(char *out, unsigned number, const char *suffix) {
    snprintf(out, NAME_BYTES, "%s/%u%s", directory, number, suffix);
}

static void remove_files(void) {
    static const char *const suffixes[] = {".ptx", ".so", ".log"};
    char name[NAME_BYTES];
    if (owner != getpid()) return; /* a child made by fork */
    for (unsigned i = 0; i < files; i++)
        for (size_t k = 0; k < RT_COUNT(suffixes); k++) {
            file_name(name, i, suffixes[k]);
            unlink(name);
        }
    rmdir(directory);
}

static bool make_directory(void) {
    if (*directory) return true;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/cucpu-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(directory)) {
        *directory = 0;
        return false;
    }
    owner = getpid();
    atexit(remove_files);
    return true;
}

static bool write_file(const char *name, const char *bytes, size_t n) {
    FILE *f = fopen(name, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    return f && !fclose(f) && ok;
}

static char *read_file(const char *name, size_t *size) {
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

/* ---- the compiler ---- */

/* <prefix>/bin/cucpu for <prefix>/lib/cucpu/libcudart.so.12. */
static bool find_compiler(char *out) {
    const char *asked = rt_env()->compiler;
    Dl_info info;
    if (asked) {
        snprintf(out, NAME_BYTES, "%s", asked);
        return access(out, X_OK) == 0;
    }
    if (!dladdr((void *)(uintptr_t)&cuModuleLoad, &info) || !info.dli_fname) return false;
    char *real = realpath(info.dli_fname, NULL);
    if (!real) return false;
    for (int up = 0; up < 3 && strrchr(real, '/'); up++) *strrchr(real, '/') = 0;
    snprintf(out, NAME_BYTES, "%s/bin/cucpu", real);
    free(real);
    return access(out, X_OK) == 0;
}

static int run(char *const argv[], const char *log) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int error = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Compiles NUMBER.ptx to NUMBER.so; `log` gets what the compiler says, without our directory. */
static CUresult compile(unsigned number, char *log) {
    char program[NAME_BYTES], in[NAME_BYTES], out[NAME_BYTES], messages[NAME_BYTES];
    if (!find_compiler(program)) {
        snprintf(log, LOG_BYTES,
                 "there is no compiler '%s': set CUCPU_COMPILER to the cucpu command\n", program);
        return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
    }
    file_name(in, number, ".ptx");
    file_name(out, number, ".so");
    file_name(messages, number, ".log");
    char *argv[] = {program, "-O3", "-shared", in, "-o", out, NULL};
    int status = run(argv, messages);
    size_t n = 0, k = 0, prefix = strlen(directory) + 1;
    char *text = read_file(messages, &n);
    for (size_t i = 0; text && i < n && k + 1 < LOG_BYTES;) {
        if (!strncmp(text + i, directory, prefix - 1))
            i += prefix;
        else
            log[k++] = text[i++];
    }
    log[k] = 0;
    free(text);
    unlink(messages);
    unlink(in);
    if (status == 0) return CUDA_SUCCESS;
    return status == 1   ? CUDA_ERROR_INVALID_PTX
           : status == 2 ? CUDA_ERROR_NOT_SUPPORTED
                         : CUDA_ERROR_UNKNOWN;
}

/* ---- images ---- */

static uint64_t hash_text(const char *s, size_t n) { /* text_hash of launcher/text.c */
    uint64_t h = CUCPU_PTX_SEED ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

/* Behind blanks and comments comes .version?  Reads no further than it must: an image has no
 * length. */
static bool is_ptx(const char *s) {
    for (;;) {
        if (*s == ' ' || (*s >= '\t' && *s <= '\r')) {
            s++;
        } else if (s[0] == '/' && s[1] == '/') {
            while (*s && *s != '\n') s++;
        } else if (s[0] == '/' && s[1] == '*') {
            const char *end = strstr(s, "*/");
            if (!end) return false;
            s = end + 2;
        } else {
            return !strncmp(s, ".version", 8);
        }
    }
}

/* Why dlopen failed; a function or variable that the text declares and nobody defines is the text's
 * fault. */
static CUresult why_not(const char *error, char *log) {
    static const char undefined[] = "undefined symbol: ";
    const char *name = error ? strstr(error, undefined) : NULL;
    if (!name) {
        rt_message("%s", error ? error : "a compiled module did not register itself");
        return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    }
    snprintf(log, LOG_BYTES, "error: undefined reference to '%s'\n", name + sizeof undefined - 1);
    return CUDA_ERROR_INVALID_PTX;
}

/* lock held: a copy of what was compiled, opened; its constructor has told registry.c. */
static CUresult open_copy(unsigned number, char *log, RtModule **out) {
    char name[NAME_BYTES], copy[NAME_BYTES];
    size_t n = 0;
    file_name(name, number, ".so");
    file_name(copy, files++, ".so");
    char *bytes = read_file(name, &n);
    bool ok = bytes && write_file(copy, bytes, n);
    free(bytes);
    if (!ok) return CUDA_ERROR_OPERATING_SYSTEM;
    *out = NULL;
    rt_expect_module(out);
    void *handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    rt_expect_module(NULL);
    unlink(copy);
    return handle && *out ? CUDA_SUCCESS : why_not(handle ? NULL : dlerror(), log);
}

/* Is the text of a version that the compiler does not know yet? */
static bool is_newer(const char *text) {
    const char *version = strstr(text, ".version");
    return version && strtol(version + 8, NULL, 10) > CUCPU_PTX_NEWEST;
}

/* lock held */
static CUresult load_text(const char *text, size_t n, char *log, RtModule **out) {
    uint64_t hash = hash_text(text, n);
    if ((*out = rt_linked_module(hash))) return CUDA_SUCCESS;
    Compiled *c = compiled;
    while (c && c->hash != hash) c = c->next;
    if (c) return open_copy(c->number, log, out);
    char name[NAME_BYTES];
    if (!make_directory()) return CUDA_ERROR_OPERATING_SYSTEM;
    unsigned number = files++;
    file_name(name, number, ".ptx");
    if (!write_file(name, text, n)) return CUDA_ERROR_OPERATING_SYSTEM;
    CUresult r = compile(number, log);
    if (r == CUDA_ERROR_INVALID_PTX && is_newer(text)) r = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    if (r != CUDA_SUCCESS || !(c = calloc(1, sizeof *c))) return r;
    *c = (Compiled){compiled, hash, number};
    compiled = c;
    return open_copy(number, log, out);
}

/* ---- what cuModuleLoadDataEx and cuLink* tell besides their result ---- */

void drv_jit_outputs(JitOutputs *o, unsigned n, const CUjit_option *options, void **values) {
    for (unsigned i = 0; i < n; i++) {
        size_t size = (size_t)(uintptr_t)values[i];
        switch (options[i]) {
        case CU_JIT_ERROR_LOG_BUFFER:
            o->error = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            o->error_size = size, o->error_used = &values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER:
            o->info = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            o->info_size = size, o->info_used = &values[i];
            break;
        case CU_JIT_WALL_TIME:
            o->wall_time = &values[i];
            break;
        default:
            break;
        }
    }
}

static void write_log(char *buffer, size_t size, void **used, const char *text) {
    if (!buffer || !size) return;
    snprintf(buffer, size, "%s", text);
    if (used) *used = (void *)(strlen(buffer) + 1);
}

static void tell(const JitOutputs *o, const char *log, bool failed, float milliseconds) {
    if (!o->error && failed && *log) fputs(log, stderr);
    write_log(o->error, o->error_size, o->error_used, log);
    write_log(o->info, o->info_size, o->info_used, "");
    if (o->wall_time)
        *o->wall_time = NULL, memcpy(o->wall_time, &milliseconds, sizeof milliseconds);
}

CUresult drv_load_text(CUmodule *module, const char *text, const JitOutputs *outputs) {
    if (rt_sticky()) return drv_result(rt_sticky());
    if (!is_ptx(text)) return CUDA_ERROR_INVALID_IMAGE;
    CUmodule m = calloc(1, sizeof *m);
    char *log = calloc(1, LOG_BYTES);
    CUresult r = CUDA_ERROR_OUT_OF_MEMORY;
    if (m && log) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        pthread_mutex_lock(&lock);
        r = load_text(text, strlen(text), log, &m->module);
        pthread_mutex_unlock(&lock);
        if (r == CUDA_SUCCESS) r = drv_result(rt_use_module(m->module));
        clock_gettime(CLOCK_MONOTONIC, &end);
        double ms = 1e3 * (double)(end.tv_sec - start.tv_sec) +
                    1e-6 * (double)(end.tv_nsec - start.tv_nsec);
        tell(outputs, log, r != CUDA_SUCCESS, (float)ms);
    }
    free(log);
    if (r != CUDA_SUCCESS) {
        free(m);
        return r;
    }
    m->magic = MAGIC;
    *module = m;
    return CUDA_SUCCESS;
}

/* ---- the API ---- */

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
    DRV_ENTER(true);
    static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba},
                               wrapper[4] = {0xb1, 0x43, 0x62, 0x46};
    if (!module || !image || (count && (!options || !values))) return CUDA_ERROR_INVALID_VALUE;
    if (!strncmp(image, "\177ELF", 4) || !strncmp(image, (const char *)fatbin, 4) ||
        !strncmp(image, (const char *)wrapper, 4))
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    JitOutputs outputs = {0};
    drv_jit_outputs(&outputs, count, options, values);
    return drv_load_text(module, image, &outputs);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
    return cuModuleLoadData(module, image);
}

CUresult cuModuleLoad(CUmodule *module, const char *file) {
    size_t n = 0;
    DRV_ENTER(true);
    if (!module || !file) return CUDA_ERROR_INVALID_VALUE;
    char *text = read_file(file, &n);
    if (!text) return CUDA_ERROR_FILE_NOT_FOUND;
    CUresult r = cuModuleLoadData(module, text);
    free(text);
    return r;
}

static bool is_module(CUmodule m) { return m && m->magic == MAGIC; }

CUresult cuModuleUnload(CUmodule module) {
    DRV_ENTER(true);
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    cudaError_t e = rt_sync_all();
    module->magic = 0; /* the handle stays allocated: it may be asked for again */
    return drv_result(e);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    DRV_ENTER(true);
    if (!function || !name) return CUDA_ERROR_INVALID_VALUE;
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    const CucpuModule *abi = module->module->abi;
    for (uint32_t i = 0; i < abi->nkernels; i++)
        if (!strcmp(abi->kernels[i].name, name)) {
            *function = (CUfunction)&module->module->kernels[i];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUmodule module, const char *name) {
    DRV_ENTER(true);
    if (!name || (!ptr && !bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    const CucpuModule *abi = module->module->abi;
    for (uint32_t i = 0; i < abi->nvars; i++)
        if (!strcmp(abi->vars[i].name, name)) {
            if (ptr) *ptr = (uintptr_t)abi->vars[i].address;
            if (bytes) *bytes = abi->vars[i].size;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- libraries: modules that need no context ---- */

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit, void **values,
                           unsigned count, CUlibraryOption *options, void **option_values,
                           unsigned option_count) {
    (void)options, (void)option_values, (void)option_count;
    return cuModuleLoadDataEx((CUmodule *)library, code, count, jit, values);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *jit,
                               void **values, unsigned count, CUlibraryOption *options,
                               void **option_values, unsigned option_count) {
    (void)jit, (void)values, (void)count, (void)options, (void)option_values, (void)option_count;
    return cuModuleLoad((CUmodule *)library, file);
}

CUresult cuLibraryUnload(CUlibrary library) { return cuModuleUnload((CUmodule)library); }
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}
CUresult cuLibraryGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name) {
    return cuModuleGetGlobal(ptr, bytes, (CUmodule)library, name);
}
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    if (!is_module((CUmodule)library)) return CUDA_ERROR_INVALID_HANDLE;
    *module = (CUmodule)library;
    return CUDA_SUCCESS;
}
