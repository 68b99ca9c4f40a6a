/* lazy.c: modules whose kernels are compiled when they are first used.
**
** Such a module has names only.  The part of a kernel or variable (split.c) is compiled, with its errors, when a
** look-up first finds it: at a launch, a query, for the address of the variable.  A part that cannot be compiled fails
** each time with the error of the first, and says why once; the others of its module run. */
#include "module/lazy.h"
#include "module/split.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_TEXT = 64 << 10 };

typedef struct Part {
    RtModule *module;
    cudaError_t error;
    bool tried;
} Part;

struct RtLazy {
    char *text;
    RtSplit *split;
    Part *parts;
    CucpuModule abi;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool rt_is_loaded_lazily(size_t n) {
    const char *mode = getenv("CUDA_MODULE_LOADING");
    if (mode && !strcmp(mode, "EAGER")) return false;
    return n >= LONG_TEXT || (mode && !strcmp(mode, "LAZY"));
}

static CucpuKernel *name_kernels(const RtSplit *s) {
    uint32_t n = rt_split_kernels(s);
    CucpuKernel *rows = calloc(n, sizeof *rows);
    for (uint32_t i = 0; rows && i < n; i++) rows[i].name = rt_split_kernel(s, i);
    return rows;
}

RtModule *rt_make_lazy_module(const char *text, size_t n) {
    RtModule *m = calloc(1, sizeof *m);
    struct RtLazy *z = calloc(1, sizeof *z);
    if (z && (z->text = malloc(n + 1))) {
        memcpy(z->text, text, n + 1);
        z->split = rt_split_text(z->text, n);
    }
    uint32_t kernels = z && z->split ? rt_split_kernels(z->split) : 0;
    if (m && kernels > 1) {
        z->parts = calloc(rt_split_parts(z->split), sizeof *z->parts);
        z->abi = (CucpuModule){.version = CUCPU_ABI_VERSION, .nkernels = kernels, .kernels = name_kernels(z->split)};
        m->kernels = calloc(kernels, sizeof *m->kernels);
    }
    if (!m || !m->kernels || !z->parts || !z->abi.kernels) {
        if (z && z->split) rt_free_split(z->split);
        if (z) free(z->text), free(z->parts);
        if (m) free(m->kernels);
        free(z);
        free(m);
        return NULL;
    }
    for (uint32_t i = 0; i < kernels; i++) m->kernels[i] = (RtKernel){.abi = &z->abi.kernels[i], .module = m};
    m->abi = &z->abi;
    m->lazy = z;
    m->loaded = true;
    return m;
}

/* ---- parts ---- */

static void compile(RtModule *m, int index, Part *p) {
    size_t n = 0;
    char *log = NULL, *text = rt_part_text(m->lazy->split, index, &n);
    CUresult r = text ? drv_compile_text(text, n, &log, &p->module) : CUDA_ERROR_OUT_OF_MEMORY;
    p->error = (cudaError_t)r; /* the numbers are the same */
    if (!p->error) p->error = rt_use_module(p->module);
    if (p->error && log) fputs(log, stderr);
    if (!p->error) {
        p->module->target = m->target;
        rt_add_part(m, p->module);
    }
    free(log);
    free(text);
    p->tried = true;
}

static cudaError_t need_part(RtModule *m, int index, Part **out) {
    *out = &m->lazy->parts[index];
    if (!(*out)->tried) compile(m, index, *out);
    return (*out)->error;
}

static cudaError_t find_kernel(const RtKernel *named, RtKernel **out) {
    RtModule *m = (RtModule *)(uintptr_t)named->module;
    Part *p;
    pthread_mutex_lock(&lock);
    int part = rt_part_of_kernel(m->lazy->split, (uint32_t)(named - m->kernels));
    cudaError_t error = part < 0 ? cudaErrorMemoryAllocation : need_part(m, part, &p);
    pthread_mutex_unlock(&lock);
    if (error) return error;
    for (uint32_t i = 0; i < p->module->abi->nkernels; i++)
        if (!strcmp(p->module->abi->kernels[i].name, named->abi->name)) {
            *out = &p->module->kernels[i];
            return cudaSuccess;
        }
    return cudaErrorInvalidDeviceFunction;
}

const CucpuVar *rt_lazy_variable(RtModule *m, const char *name, cudaError_t *error) {
    Part *p = NULL;
    pthread_mutex_lock(&lock);
    int part = rt_part_of_variable(m->lazy->split, name);
    *error = part < 0 ? cudaSuccess : need_part(m, part, &p);
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; p && !*error && i < p->module->abi->nvars; i++)
        if (!strcmp(p->module->abi->vars[i].name, name)) return &p->module->abi->vars[i];
    return NULL;
}

static cudaError_t find_variable(RtModule *m, const char *name) {
    cudaError_t error;
    rt_lazy_variable(m, name, &error);
    return error;
}

__attribute__((constructor)) static void begin(void) { rt_on_lazy(find_kernel, find_variable); }
