/* module.c: modules that a program loads while it runs: cuModuleLoad and its family, cuLibrary*.
**
** PTX is compiled by the cucpu command (command.c) to a shared object that is opened; its constructor registers it
** (program/registry.c).  What was compiled once in this process is kept in memory, and opened anew for each further
** load: every load has variables of its own.  The file is removed as soon as it is open: debuggers have read it by
** then. What NVRTC gives as PTX (nvrtc.c) has such an object in it. PTX that was compiled into the program is found
** by the hash of its text; all its loads share one instance. Nothing is ever closed: handles of an unloaded module
** fail, its code stays mapped. */
#define _GNU_SOURCE
#include "base/env.h"
#include "check/check.h"
#include "module/module.h"
#include "queue/stream.h"
#include "module/cache.h"
#include "module/command.h"
#include "module/fatbin.h"
#include "module/image.h"
#include "module/lazy.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct CUmod_st {
    CUmodule next; /* in the list of all that were ever loaded */
    RtModule *module;
    void *context; /* in which it was loaded: rt_context */
    bool library;  /* needs no context, and outlives it */
    bool unloaded;
};

typedef struct Object {
    char *bytes;
    size_t size;
} Object;

typedef struct Compiled {
    struct Compiled *next;
    uint64_t hash;
    Object object;
} Compiled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Compiled *compiled;
static CUmodule loaded;

/* ---- the compiler ---- */

/* Compiles NUMBER.ptx to NUMBER.so; *log (malloc'ed, or NULL) gets the messages of the compiler. */
static CUresult compile(unsigned number, char **log) {
    char in[RT_NAME_BYTES], out[RT_NAME_BYTES], prefix[RT_NAME_BYTES];
    rt_file_name(in, number, ".ptx");
    rt_file_name(out, number, ".so");
    snprintf(prefix, sizeof prefix, "%.*s", (int)(strrchr(in, '/') + 1 - in), in);
    const char *argv[] = {NULL, "-O3", "-shared", in, "-o", out, rt_check_option(), NULL};
    int status = rt_run_cucpu(argv, prefix, log);
    return status == 0                ? CUDA_SUCCESS
           : status == 1              ? CUDA_ERROR_INVALID_PTX
           : status == 2              ? CUDA_ERROR_NOT_SUPPORTED
           : status == RT_NO_COMPILER ? CUDA_ERROR_JIT_COMPILER_NOT_FOUND
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

/* Why dlopen failed.  A function or variable that the text declares and nothing defines is the text's fault: that
** goes to *log. */
static void explain(const char *error, char **log) {
    static const char undefined[] = "undefined symbol: ";
    const char *name = error && log ? strstr(error, undefined) : NULL;
    if (!name) {
        rt_message("%s", error ? error : "a compiled module did not register itself");
        return;
    }
    free(*log);
    if (asprintf(log, "error: undefined reference to '%s'\n", name + sizeof undefined - 1) < 0) *log = NULL;
}

RtModule *rt_open_module(unsigned number, char **log) {
    char name[RT_NAME_BYTES];
    RtModule *m = NULL;
    rt_file_name(name, number, ".so");
    rt_expect_module(&m);
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    rt_expect_module(NULL);
    if (!handle || !m) explain(handle ? NULL : dlerror(), log);
    return handle ? m : NULL;
}

CUresult rt_open_object(const char *bytes, size_t n, char **log, RtModule **out) {
    char name[RT_NAME_BYTES], *why = NULL;
    unsigned number;
    if (!rt_new_file(&number)) return CUDA_ERROR_OPERATING_SYSTEM;
    rt_file_name(name, number, ".so");
    bool ok = rt_write_file(name, bytes, n);
    *out = ok ? rt_open_module(number, &why) : NULL;
    rt_end_file(number);
    if (!ok) return CUDA_ERROR_OPERATING_SYSTEM;
    if (*out) return CUDA_SUCCESS;
    if (!why) return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    free(*log);
    *log = why;
    return CUDA_ERROR_INVALID_PTX;
}

/* lock held: the object of PTX, from the cache on disk if it is there. */
static CUresult compile_text(const char *text, size_t n, char **log, Object *out) {
    char name[RT_NAME_BYTES], compiler[RT_NAME_BYTES];
    unsigned number;
    rt_find_compiler(compiler);
    RtCacheKey key = rt_cache_key(text, n, compiler, rt_check_option());
    if ((out->bytes = rt_cache_read(key, &out->size))) return CUDA_SUCCESS;
    if (!rt_new_file(&number)) return CUDA_ERROR_OPERATING_SYSTEM;
    rt_file_name(name, number, ".ptx");
    CUresult r = rt_write_file(name, text, n) ? compile(number, log) : CUDA_ERROR_OPERATING_SYSTEM;
    rt_file_name(name, number, ".so");
    if (r == CUDA_SUCCESS && !(out->bytes = rt_read_file(name, &out->size))) r = CUDA_ERROR_OPERATING_SYSTEM;
    rt_end_file(number);
    if (r == CUDA_SUCCESS) rt_cache_write(key, out->bytes, out->size);
    return r;
}

/* lock held */
static CUresult open_object(const Object *o, char **log, RtModule **out) {
    return rt_open_object(o->bytes, o->size, log, out);
}

/* lock held: what NVRTC, or cucpu -ptx, has made has the object in it. */
static CUresult load_image(const char *text, char **log, RtModule **out) {
    Object o = {0};
    o.bytes = rt_read_image(text, &o.size);
    CUresult r = o.bytes ? open_object(&o, log, out) : CUDA_ERROR_INVALID_IMAGE;
    RtModule *checked = r == CUDA_SUCCESS ? rt_checked_module(*out) : NULL;
    if (checked) *out = checked;
    free(o.bytes);
    return r;
}

/* Is the text of a version that the compiler does not accept yet? */
static bool is_newer(const char *text) {
    const char *version = strstr(text, ".version");
    return version && strtol(version + 8, NULL, 10) > CUCPU_PTX_NEWEST;
}

/* Of .target sm_70: 70; 0 = it has none. */
static int target_of(const char *text) {
    const char *target = strstr(text, ".target");
    if (target) target += 7 + strspn(target + 7, " \t");
    return target && !strncmp(target, "sm_", 3) ? (int)strtol(target + 3, NULL, 10) : 0;
}

/* Of PTX that was compiled into the program; NULL too if it has to be compiled again. */
static RtModule *linked_module(uint64_t hash) {
    RtModule *m = rt_linked_module(hash);
    return m && rt_is_to_check(m->abi) ? NULL : m;
}

/* lock held */
static CUresult load_text(const char *text, size_t n, char **log, RtModule **out) {
    uint64_t hash = hash_text(text, n);
    if ((*out = linked_module(hash))) return CUDA_SUCCESS;
    if (rt_is_image(text)) return load_image(text, log, out);
    Compiled *c = compiled;
    while (c && c->hash != hash) c = c->next;
    if (c) return open_object(&c->object, log, out);
    if (!(c = calloc(1, sizeof *c))) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult r = compile_text(text, n, log, &c->object);
    if (r == CUDA_ERROR_INVALID_PTX && is_newer(text)) r = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    if (r != CUDA_SUCCESS) {
        free(c);
        return r;
    }
    c->hash = hash;
    c->next = compiled;
    compiled = c;
    return open_object(&c->object, log, out);
}

/* ---- what cuModuleLoadDataEx and cuLink* return besides their result ---- */

void drv_jit_outputs(JitOutputs *o, unsigned n, const CUjit_option *options, void **values) {
    for (unsigned i = 0; i < n; i++) {
        size_t size = (size_t)(uintptr_t)values[i];
        switch (options[i]) {
        case CU_JIT_ERROR_LOG_BUFFER: o->error = values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: o->error_size = size, o->error_used = &values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER: o->info = values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: o->info_size = size, o->info_used = &values[i]; break;
        case CU_JIT_WALL_TIME: o->wall_time = &values[i]; break;
        default: break;
        }
    }
}

static void write_log(char *buffer, size_t size, void **used, const char *text) {
    if (!buffer || !size) return;
    snprintf(buffer, size, "%s", text);
    if (used) *used = (void *)(strlen(buffer) + 1);
}

static void report(const JitOutputs *o, const char *log, bool failed, float milliseconds) {
    if (!o->error && failed && log) fputs(log, stderr);
    write_log(o->error, o->error_size, o->error_used, log ? log : "");
    write_log(o->info, o->info_size, o->info_used, "");
    if (o->wall_time) *o->wall_time = NULL, memcpy(o->wall_time, &milliseconds, sizeof milliseconds);
}

CUresult drv_compile_text(const char *text, size_t n, char **log, RtModule **out) {
    if (!is_ptx(text)) return CUDA_ERROR_INVALID_IMAGE;
    pthread_mutex_lock(&lock);
    CUresult r = load_text(text, n, log, out);
    pthread_mutex_unlock(&lock);
    if (r == CUDA_SUCCESS) (*out)->target = target_of(text);
    return r;
}

/* Is it part of the program, or was it compiled before? */
static bool is_ready(const char *text, size_t n) {
    uint64_t hash = hash_text(text, n);
    if (rt_is_image(text) || linked_module(hash)) return true;
    pthread_mutex_lock(&lock);
    Compiled *c = compiled;
    while (c && c->hash != hash) c = c->next;
    pthread_mutex_unlock(&lock);
    return c != NULL;
}

static CUresult open_lazily(const char *text, size_t n, RtModule **out) {
    *out = rt_make_lazy_module(text, n);
    if (*out) (*out)->target = target_of(text);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/* A text with something that is not supported is loaded all the same if it has several kernels. */
CUresult drv_open_text(const char *text, char **log, RtModule **out) {
    if (!is_ptx(text)) return CUDA_ERROR_INVALID_IMAGE;
    size_t n = strlen(text);
    if (rt_is_loaded_lazily(n) && !is_ready(text, n) && open_lazily(text, n, out) == CUDA_SUCCESS) return CUDA_SUCCESS;
    CUresult r = drv_compile_text(text, n, log, out);
    return r == CUDA_ERROR_NOT_SUPPORTED ? open_lazily(text, n, out) : r;
}

static const char unknown_code[] =
    "error: this is neither PTX nor a GPU binary; if another version of cucpu has compiled it, remove what the program "
    "keeps of it, so that it is compiled again\n";

CUresult drv_load_text(CUmodule *module, const char *text, bool now, const JitOutputs *outputs) {
    if (rt_sticky()) return drv_result(rt_sticky());
    CUmodule m = calloc(1, sizeof *m);
    char *log = NULL;
    CUresult r = CUDA_ERROR_OUT_OF_MEMORY;
    if (m) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        r = now ? drv_compile_text(text, strlen(text), &log, &m->module) : drv_open_text(text, &log, &m->module);
        if (r == CUDA_SUCCESS) r = drv_result(rt_use_module(m->module));
        if (r == CUDA_ERROR_INVALID_IMAGE && !log) log = strdup(unknown_code); /* hashcat, say, keeps it */
        clock_gettime(CLOCK_MONOTONIC, &end);
        double ms = 1e3 * (double)(end.tv_sec - start.tv_sec) + 1e-6 * (double)(end.tv_nsec - start.tv_nsec);
        report(outputs, log, r != CUDA_SUCCESS, (float)ms);
    }
    free(log);
    if (r != CUDA_SUCCESS) {
        free(m);
        return r;
    }
    m->context = rt_context;
    pthread_mutex_lock(&lock);
    m->next = loaded;
    loaded = m;
    pthread_mutex_unlock(&lock);
    *module = m;
    return CUDA_SUCCESS;
}

void rt_reset_modules(void) {
    pthread_mutex_lock(&lock);
    for (CUmodule m = loaded; m; m = m->next)
        if (!m->library) m->unloaded = true;
    pthread_mutex_unlock(&lock);
}

/* ---- the API ---- */

CUresult drv_read_image(const void *image, size_t bytes, const JitOutputs *outputs, char **text) {
    char *log = NULL;
    CUresult r = rt_fatbin_text(image, bytes, rt_env()->capability, text, &log);
    if (r != CUDA_SUCCESS) report(outputs, log, true, 0);
    free(log);
    return r;
}

/* bytes: SIZE_MAX where only the image says it. */
static CUresult load_data(CUmodule *module, const void *image, size_t bytes, unsigned count, CUjit_option *options,
                          void **values) {
    if (!module || !image || (count && (!options || !values))) return CUDA_ERROR_INVALID_VALUE;
    JitOutputs outputs = {0};
    drv_jit_outputs(&outputs, count, options, values);
    if (!rt_is_gpu_image(image)) return drv_load_text(module, image, false, &outputs);
    char *text;
    CUresult r = drv_read_image(image, bytes, &outputs, &text);
    if (r == CUDA_SUCCESS) r = drv_load_text(module, text, false, &outputs);
    free(text);
    return r;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values) {
    DRV_ENTER(true);
    return load_data(module, image, SIZE_MAX, count, options, values);
}
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    RT_CALL();
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
    RT_CALL();
    return cuModuleLoadData(module, image);
}

static CUresult load_file(CUmodule *module, const char *file) {
    size_t n = 0;
    if (!module || !file) return CUDA_ERROR_INVALID_VALUE;
    char *text = rt_read_file(file, &n);
    if (!text) return CUDA_ERROR_FILE_NOT_FOUND;
    CUresult r = load_data(module, text, n, 0, NULL, NULL);
    free(text);
    return r;
}

CUresult cuModuleLoad(CUmodule *module, const char *file) {
    DRV_ENTER(true);
    return load_file(module, file);
}

/* What a program passes may be no handle at all: it is looked up before it is followed. */
static bool is_module(CUmodule module) {
    pthread_mutex_lock(&lock);
    CUmodule m = loaded;
    while (m && m != module) m = m->next;
    bool found = m && !m->unloaded;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Its functions and variables are none any more; the handle stays allocated: it may be used again. */
static void retire(CUmodule m) {
    m->unloaded = true;
    if (m->module->loaded) rt_retire_module(m->module);
}

static void end_modules_of(const void *context) {
    for (CUmodule m = loaded; m; m = m->next)
        if (!m->unloaded && !m->library && m->context == context) retire(m);
}

__attribute__((constructor)) static void begin(void) { drv_on_context_end(end_modules_of); }

static CUresult unload(CUmodule module) {
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    cudaError_t e = rt_sync_all();
    retire(module);
    return drv_result(e);
}

CUresult cuModuleUnload(CUmodule module) {
    DRV_ENTER_FREE();
    return unload(module);
}

static RtKernel *find_kernel(CUmodule module, const char *name) {
    const CucpuModule *abi = module->module->abi;
    for (uint32_t i = 0; i < abi->nkernels; i++)
        if (!strcmp(abi->kernels[i].name, name)) return &module->module->kernels[i];
    return NULL;
}

/* A module has a context: none need be current. */
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    DRV_ENTER(false);
    if (rt_sticky()) return drv_result(rt_sticky());
    if (!function || !name || !*name) return CUDA_ERROR_INVALID_VALUE;
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    RtKernel *k = find_kernel(module, name);
    if (k) *function = (CUfunction)k;
    return k ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
    DRV_ENTER(false);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    *count = module->module->abi->nkernels;
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module) {
    DRV_ENTER(false);
    if (!functions || !count) return CUDA_ERROR_INVALID_VALUE;
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    for (uint32_t i = 0; i < module->module->abi->nkernels && i < count; i++)
        functions[i] = (CUfunction)&module->module->kernels[i];
    return CUDA_SUCCESS;
}

static const CucpuVar *named(const RtModule *m, const char *name) {
    for (uint32_t i = 0; i < m->abi->nvars; i++)
        if (!strcmp(m->abi->vars[i].name, name)) return &m->abi->vars[i];
    return NULL;
}

/* A static variable of C++ is mangled in our code and not in NVRTC's. */
static const CucpuVar *find_variable(RtModule *m, const char *name, cudaError_t *error) {
    if (m->lazy) return rt_lazy_variable(m, name, error);
    const CucpuVar *found = named(m, name);
    char *mangled = NULL;
    if (!found && asprintf(&mangled, "_ZL%zu%s", strlen(name), name) >= 0) found = named(m, mangled);
    free(mangled);
    return found;
}

CUresult cuModuleGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUmodule module, const char *name) {
    DRV_ENTER(false);
    if (rt_sticky()) return drv_result(rt_sticky());
    if (!name || (!ptr && !bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    cudaError_t error = cudaSuccess;
    const CucpuVar *v = find_variable(module->module, name, &error);
    if (error) return drv_result(error);
    if (v && ptr) *ptr = (uintptr_t)v->address;
    if (v && bytes) *bytes = v->size;
    if (v) return CUDA_SUCCESS;
    return find_kernel(module, name) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_FOUND;
}

/* ---- functions have their modules ---- */

static CUmodule module_of(const RtModule *m) {
    pthread_mutex_lock(&lock);
    CUmodule found = loaded;
    while (found && (found->module != m || found->unloaded)) found = found->next;
    CUmodule made = found ? NULL : calloc(1, sizeof *made);
    if (made) {
        *made = (struct CUmod_st){.next = loaded, .module = (RtModule *)(uintptr_t)m, .library = true};
        loaded = made;
    }
    pthread_mutex_unlock(&lock);
    return found ? found : made;
}

/* Of a kernel of the program: a handle to the part of it that was compiled with it. */
static CUresult module_with(CUmodule *module, CUfunction function) {
    RtKernel *k;
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    if (rt_find_kernel(function, &k)) return CUDA_ERROR_INVALID_HANDLE;
    const RtModule *m = k->module->whole ? k->module->whole : k->module;
    CUresult r = drv_result(rt_use_module((RtModule *)(uintptr_t)m));
    *module = r ? NULL : module_of(m);
    return r ? r : *module ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
    DRV_ENTER(true);
    return module_with(module, function);
}
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
    DRV_ENTER(false);
    return module_with((CUmodule *)library, (CUfunction)kernel);
}

CUresult cuFuncLoad(CUfunction function) {
    RtKernel *k;
    DRV_ENTER(true);
    cudaError_t error = rt_find_kernel(function, &k);
    return error == cudaErrorInvalidDeviceFunction ? CUDA_ERROR_INVALID_HANDLE : drv_result(error);
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
    DRV_ENTER(true);
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    bool is_compiled;
    if (!rt_kernel_state(function, &is_compiled)) return CUDA_ERROR_INVALID_HANDLE;
    *state = is_compiled ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
    return CUDA_SUCCESS;
}

/* ---- libraries: modules that need no context; what belongs to one does ---- */

static CUresult as_library(CUlibrary *library, CUresult r) {
    if (r == CUDA_SUCCESS) ((CUmodule)*library)->library = true;
    return r;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit, void **values, unsigned count,
                           CUlibraryOption *options, void **option_values, unsigned option_count) {
    (void)options, (void)option_values, (void)option_count;
    DRV_ENTER(false);
    return as_library(library, load_data((CUmodule *)library, code, SIZE_MAX, count, jit, values));
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *jit, void **values, unsigned count,
                               CUlibraryOption *options, void **option_values, unsigned option_count) {
    (void)jit, (void)values, (void)count, (void)options, (void)option_values, (void)option_count;
    DRV_ENTER(false);
    return as_library(library, load_file((CUmodule *)library, file));
}

CUresult cuLibraryUnload(CUlibrary library) {
    DRV_ENTER(false);
    return unload((CUmodule)library);
}
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    RT_CALL();
    return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
    RT_CALL();
    return cuModuleGetFunctionCount(count, (CUmodule)library);
}
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library) {
    RT_CALL();
    return cuModuleEnumerateFunctions((CUfunction *)kernels, count, (CUmodule)library);
}
CUresult cuLibraryGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name) {
    DRV_ENTER(true); /* the variable of the current context */
    return cuModuleGetGlobal(ptr, bytes, (CUmodule)library, name);
}
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
    DRV_ENTER(true);
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    if (!is_module((CUmodule)library)) return CUDA_ERROR_INVALID_HANDLE;
    *module = (CUmodule)library;
    return CUDA_SUCCESS;
}

/* Of PTX there are none. */
CUresult cuLibraryGetManaged(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name) {
    RT_CALL();
    if ((!ptr && !bytes) || !name) return CUDA_ERROR_INVALID_VALUE;
    return is_module((CUmodule)library) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name) {
    RT_CALL();
    if (!function || !name) return CUDA_ERROR_INVALID_VALUE;
    return is_module((CUmodule)library) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE;
}
