/* registry.c: modules of kernel objects, "fat binaries" of host objects, and how they meet.
**
** Both sides register from constructors whose order is not defined, and again when a library is
** opened later.  So each side only notes what it has; they are joined by the module id when the
** second one has arrived (managed variables must be right before the host's first look at them) and
** kernels and variables are looked up by their mangled name at the first use.  Nothing is ever
** removed from the tables, entries of an unloaded library are only marked dead: look-ups run
** without a lock while other threads register.
** A fat binary that is not ours (made by nvcc) has PTX, which module/embedded.c compiles at the first use of a kernel
** or a variable of that object. */
#include "base/limits.h"
#include "host/cpu_features.h"
#include "space/alloc.h"
#include "program/program.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FATBIN_WRAPPER_MAGIC = 0x466243b1, BUCKETS = 4096 };

typedef struct Wrapper {
    uint32_t magic, version;
    const CucpuFatbin *blob;
    void *unused;
} Wrapper;

typedef struct Fatbin {
    struct Fatbin *next;
    uint64_t id;
    bool wrong_version, dead;
    const void *foreign; /* what another compiler has registered */
    _Atomic bool tried;  /* to load that, or to replace the module; error: how it ended */
    cudaError_t error;
    RtModule *module;
} Fatbin;

/* A host address: the stub of a kernel or the shadow of a variable. */
typedef struct Entry {
    struct Entry *next;
    const void *host;
    const char *name;
    Fatbin *fatbin;
    bool variable;
    bool managed; /* host is the address of the program's pointer to it */
    _Atomic bool dead;
    _Atomic(RtKernel *) kernel;
    void *address;
    size_t size;
} Entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static RtModule *modules;
static Fatbin *fatbins;
static _Atomic(Entry *) table[BUCKETS];

static size_t bucket_of(const void *host) { return (size_t)(((uintptr_t)host * 0x9e3779b97f4a7c15u) >> 52) % BUCKETS; }

static Entry *living(Entry *e, const void *host) {
    while (e && (e->host != host || atomic_load_explicit(&e->dead, memory_order_relaxed))) e = e->next;
    return e;
}

static Entry *find_entry(const void *host) {
    return living(atomic_load_explicit(&table[bucket_of(host)], memory_order_acquire), host);
}

/* Where a program has several device links each registers the kernels and variables of all of them. */
static Entry *next_entry(const Entry *e) { return living(e->next, e->host); }

/* ---- joining (lock held) ---- */

static void note_variable(const CucpuVar *v, void *address, bool managed) {
    RtAlloc a = {.base = (uintptr_t)address, .size = v->size, .kind = cudaMemoryTypeDevice};
    a.flags = v->flags;
    a.how = RT_BY_SYMBOL;
    if (managed) a.kind = cudaMemoryTypeManaged;
    if (v->size) rt_note_alloc(&a);
}

static const CucpuVar *find_row_of(const RtModule *m, const char *name) {
    for (uint32_t i = 0; m && i < m->abi->nvars; i++)
        if (!strcmp(m->abi->vars[i].name, name)) return &m->abi->vars[i];
    return NULL;
}

static const CucpuVar *find_var(const RtModule *m, const char *name) {
    const CucpuVar *v = find_row_of(m, name);
    for (const RtModule *part = m ? m->parts : NULL; part && !v; part = part->next_part) v = find_row_of(part, name);
    return v;
}

/* Nothing is written through a row that cannot be right. */
static void refuse(RtModule *m, const char *name, const char *why) {
    rt_message("%s: variable %s: %s; the module is not used", m->abi->source ? m->abi->source : "a module", name, why);
    m->refused = true;
}

static bool apart(uintptr_t a, size_t n, uintptr_t b, size_t m) { return a + n <= b || b + m <= a; }

static void check_variables(RtModule *m) {
    for (uint32_t i = 0; i < m->abi->nvars && !m->refused; i++) {
        const CucpuVar *v = &m->abi->vars[i];
        uintptr_t pointer = (uintptr_t)v->address, start = (uintptr_t)v->initial;
        if (!v->name || !v->address) refuse(m, v->name ? v->name : "?", "its row in the table has no address");
        else if (v->flags & CUCPU_VAR_MANAGED &&
                 (!start || pointer % sizeof(void *) || !apart(pointer, sizeof(void *), start, v->size)))
            refuse(m, v->name, "it is managed, but its row in the table has no pointer and start value");
    }
}

static Entry *make_entry(Fatbin *f, const void *host, const char *name, bool variable, size_t size) {
    Entry *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->host = host;
    e->name = name;
    e->fatbin = f;
    e->variable = variable;
    e->size = size;
    return e;
}

static void insert(Entry *e) {
    _Atomic(Entry *) *head = &table[bucket_of(e->host)];
    e->next = *head;
    atomic_store_explicit(head, e, memory_order_release);
}

/* nvcc's host code reaches a managed variable through a pointer, and passes its address as the symbol. */
static void tell_pointer(const Entry *e) {
    *(void **)(uintptr_t)e->host = e->address;
    Entry *symbol = make_entry(e->fatbin, e->address, e->name, true, e->size);
    if (!symbol) return;
    symbol->address = e->address;
    insert(symbol);
}

/* Gives the variable its storage: the module's own, or the host's for a managed one. */
static void join_variable(Entry *e) {
    RtModule *m = e->fatbin->module;
    const CucpuVar *v = find_var(m, e->name);
    if (!v || e->address || m->refused) return;
    if (v->flags & CUCPU_VAR_MANAGED) {
        if (e->size != v->size) return refuse(m, v->name, "it is managed, and host and device disagree on its size");
        void *shadow = (void *)(uintptr_t)e->host;
        *(void **)v->address = shadow;
        memcpy(shadow, v->initial, v->size);
        e->address = shadow;
    } else {
        e->address = v->address;
    }
    e->size = v->size;
    note_variable(v, e->address, e->managed || v->flags & CUCPU_VAR_MANAGED);
    if (e->managed) tell_pointer(e);
}

static void join(Fatbin *f) {
    if (!f->module)
        for (RtModule *m = modules; m && !f->module; m = m->next)
            if (!m->dead && m->abi->id == f->id && !f->foreign) f->module = m;
    if (!f->module || f->module->abi->version != CUCPU_ABI_VERSION || f->module->refused) return;
    for (size_t i = 0; i < BUCKETS; i++)
        for (Entry *e = table[i]; e; e = e->next)
            if (e->fatbin == f && e->variable) join_variable(e);
}

/* ---- what the objects call ---- */

static RtKernel *make_kernels(const RtModule *m) {
    uint32_t n = m->abi->nkernels + m->abi->ncolumns;
    RtKernel *ks = calloc(n + 1, sizeof *ks);
    for (uint32_t i = 0; ks && i < n; i++) {
        ks[i].abi = &m->abi->kernels[i];
        ks[i].module = m;
        if (ks[i].abi->column) ks[i].column = &ks[ks[i].abi->column];
        for (uint32_t p = 0; p < ks[i].abi->nparams; p++)
            ks[i].params_bytes += RT_ROUND(ks[i].abi->params[p].size, RT_ARG_ALIGN);
    }
    return ks;
}

static RT_TLS RtModule **expected;

void rt_expect_module(RtModule **out) { expected = out; }

static void (*_Atomic on_module)(const CucpuModule *m);

void rt_on_module(void (*f)(const CucpuModule *m)) { atomic_store(&on_module, f); }

void cucpu_register_module(const CucpuModule *abi) {
    RtModule *m = calloc(1, sizeof *m);
    if (!m) return;
    m->abi = abi;
    m->loaded = expected != NULL;
    if (expected) *expected = m;
    if (abi->version == CUCPU_ABI_VERSION) {
        check_variables(m);
        m->kernels = make_kernels(m);
        void (*f)(const CucpuModule *) = atomic_load(&on_module);
        if (f) f(abi);
    }
    pthread_mutex_lock(&lock);
    m->next = modules;
    modules = m;
    for (Fatbin *f = fatbins; f; f = f->next)
        if (!f->dead && !f->module && f->id == abi->id) join(f);
    pthread_mutex_unlock(&lock);
}

static cudaError_t (*_Atomic on_foreign)(const void *, RtModule **);

void rt_on_foreign(cudaError_t (*load)(const void *wrapper, RtModule **out)) { atomic_store(&on_foreign, load); }

static cudaError_t (*_Atomic on_kernel)(const RtKernel *, RtKernel **);
static cudaError_t (*_Atomic on_variable)(RtModule *, const char *);

void rt_on_lazy(cudaError_t (*kernel)(const RtKernel *named, RtKernel **out),
                cudaError_t (*variable)(RtModule *m, const char *name)) {
    atomic_store(&on_kernel, kernel);
    atomic_store(&on_variable, variable);
}

void rt_add_part(RtModule *whole, RtModule *part) {
    pthread_mutex_lock(&lock);
    part->whole = whole;
    part->next_part = whole->parts;
    whole->parts = part;
    pthread_mutex_unlock(&lock);
}

/* Of a lazy module: the part that has the variable, without the registry's lock. */
static cudaError_t compile_variable(const Entry *e) {
    RtModule *m = e->fatbin->module;
    return e->variable && m && m->lazy ? atomic_load(&on_variable)(m, e->name) : cudaSuccess;
}

/* The program reads managed variables through pointers that have to be there. */
static void compile_managed(const Fatbin *f) {
    for (size_t i = 0; f->module && f->module->lazy && i < BUCKETS; i++)
        for (Entry *e = atomic_load(&table[i]); e; e = e->next)
            if (e->fatbin == f && e->managed) compile_variable(e);
}

static void load_foreign(Fatbin *f) {
    cudaError_t (*load)(const void *, RtModule **) = atomic_load(&on_foreign);
    RtModule *m = NULL;
    f->error = load ? load(f->foreign, &m) : cudaErrorNoKernelImageForDevice;
    f->module = m;
    compile_managed(f);
    pthread_mutex_lock(&lock);
    join(f);
    pthread_mutex_unlock(&lock);
    atomic_store(&f->tried, true);
}

static RtModule *(*_Atomic on_first_use)(RtModule *);

void rt_on_first_use(RtModule *(*replace)(RtModule *m)) { atomic_store(&on_first_use, replace); }

/* lock held: managed variables are the host's own and keep their values, of the others nobody has the address yet. */
static void exchange_module(Fatbin *f, RtModule *m) {
    for (size_t i = 0; i < BUCKETS; i++)
        for (Entry *e = table[i]; e; e = e->next) {
            if (e->fatbin != f || !e->variable || !e->address) continue;
            const CucpuVar *v = find_var(m, e->name);
            if (v && v->flags & CUCPU_VAR_MANAGED) *(void **)v->address = e->address;
            else rt_forget_alloc(e->address), e->address = NULL;
        }
    f->module = m;
    join(f);
}

static void replace_module(Fatbin *f) {
    RtModule *(*replace)(RtModule *) = atomic_load(&on_first_use);
    pthread_mutex_lock(&lock);
    if (!f->module) join(f);
    RtModule *m = f->module && f->module->abi->version == CUCPU_ABI_VERSION && !f->module->refused ? f->module : NULL;
    pthread_mutex_unlock(&lock);
    RtModule *other = m && replace ? replace(m) : NULL;
    if (other) {
        pthread_mutex_lock(&lock);
        exchange_module(f, other);
        pthread_mutex_unlock(&lock);
    }
    atomic_store(&f->tried, m != NULL);
}

/* Without the registry's lock: the module that is loaded registers itself. */
static void load_module(Fatbin *f) {
    static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
    if (RT_LIKELY(atomic_load(&f->tried))) return;
    pthread_mutex_lock(&loading);
    if (!atomic_load(&f->tried)) f->foreign ? load_foreign(f) : replace_module(f);
    pthread_mutex_unlock(&loading);
}

/* All that has registered this host address; a program may have several device links. */
static void load_modules_of(Entry *e) {
    for (; e; e = next_entry(e)) load_module(e->fatbin);
}

void **__cudaRegisterFatBinary(void *wrapper) {
    const Wrapper *w = wrapper;
    Fatbin *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    const CucpuFatbin *blob = w && w->magic == FATBIN_WRAPPER_MAGIC ? w->blob : NULL;
    f->foreign = blob && blob->magic == CUCPU_FATBIN_MAGIC ? NULL : wrapper;
    f->wrong_version = !f->foreign && blob->version != CUCPU_ABI_VERSION;
    if (!f->foreign) f->id = blob->module_id;
    pthread_mutex_lock(&lock);
    f->next = fatbins;
    fatbins = f;
    pthread_mutex_unlock(&lock);
    return (void **)f;
}

static Entry *add_entry(void **handle, const void *host, const char *name, bool variable, size_t size) {
    Entry *e = handle ? make_entry((Fatbin *)handle, host, name, variable, size) : NULL;
    if (!e) return NULL;
    pthread_mutex_lock(&lock);
    insert(e);
    pthread_mutex_unlock(&lock);
    return e;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_function, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size) {
    (void)device_function, (void)thread_limit, (void)tid, (void)bid;
    (void)block, (void)grid, (void)warp_size;
    add_entry(handle, stub, name, false, 0);
}

void __cudaRegisterVar(void **handle, char *shadow, char *address, const char *name, int ext, size_t size, int constant,
                       int global) {
    (void)address, (void)ext, (void)constant, (void)global;
    add_entry(handle, shadow, name, true, size);
}

/* As nvcc registers it: `pointer` gets its address when the module is loaded. */
void __cudaRegisterManagedVar(void **handle, void **pointer, char *address, const char *name, int ext, size_t size,
                              int constant, int global) {
    (void)address, (void)ext, (void)constant, (void)global;
    Entry *e = add_entry(handle, pointer, name, true, size);
    if (e) e->managed = true;
}

/* nvcc's host code calls it before its first look at a managed variable. */
char __cudaInitModule(void **handle) {
    Fatbin *f = (Fatbin *)handle;
    if (f) load_module(f);
    return f && !f->error;
}

/* Texture and surface references: in the device code each is a variable that holds a handle. */
void __cudaRegisterTexture(void **handle, const struct textureReference *reference, const void **address,
                           const char *name, int type, int normalized, int ext) {
    (void)address, (void)type, (void)normalized, (void)ext;
    add_entry(handle, reference, name, true, sizeof(cudaTextureObject_t));
}

void __cudaRegisterSurface(void **handle, const struct surfaceReference *reference, const void **address,
                           const char *name, int type, int ext) {
    (void)address, (void)type, (void)ext;
    add_entry(handle, reference, name, true, sizeof(cudaSurfaceObject_t));
}

void __cudaRegisterFatBinaryEnd(void **handle) {
    pthread_mutex_lock(&lock);
    if (handle) join((Fatbin *)handle);
    pthread_mutex_unlock(&lock);
}

void __cudaUnregisterFatBinary(void **handle) {
    Fatbin *f = (Fatbin *)handle;
    if (!f) return;
    fflush(stdout); /* what its kernels have printed */
    pthread_mutex_lock(&lock);
    f->dead = true;
    if (f->module) f->module->dead = true;
    for (size_t i = 0; i < BUCKETS; i++)
        for (Entry *e = table[i]; e; e = e->next) {
            if (e->fatbin != f) continue;
            atomic_store(&e->dead, true);
            if (e->address) rt_forget_alloc(e->address);
        }
    pthread_mutex_unlock(&lock);
}

/* ---- look-ups ---- */

/* Its kernels were compiled for another kind of CPU (--cpu): reported once. */
static cudaError_t cpu_error(RtModule *m) {
    uint64_t missing = m->abi->cpu_features & ~rt_cpu_features();
    if (RT_LIKELY(!missing)) return cudaSuccess;
    char names[1024];
    rt_name_cpu_features(missing, names, sizeof names);
    if (!m->reported)
        rt_message("%s was compiled for a CPU that has %s, which this one lacks: compile it with another --cpu",
                   m->abi->source, names);
    m->reported = true;
    return cudaErrorNoKernelImageForDevice;
}

/* lock held: is there a usable module for this host object? */
static cudaError_t module_error(Fatbin *f) {
    if (f->error) return f->error;
    if (!f->module) join(f);
    bool old = f->wrong_version || (f->module && f->module->abi->version != CUCPU_ABI_VERSION);
    if (old) {
        rt_message("%s was compiled for another version of this library (it needs ABI %u): compile "
                   "it again",
                   f->module && f->module->abi->source ? f->module->abi->source : "a module", CUCPU_ABI_VERSION);
        return f->error = cudaErrorInvalidKernelImage; /* reported once */
    }
    if (f->module && f->module->refused) return cudaErrorInvalidKernelImage; /* reported when it registered */
    if (!f->module || !f->module->kernels) return cudaErrorNoKernelImageForDevice;
    return cpu_error(f->module);
}

static cudaError_t resolve_kernel(Entry *e, RtKernel **out) {
    cudaError_t error = module_error(e->fatbin);
    if (error) return error;
    const RtModule *m = e->fatbin->module;
    for (uint32_t i = 0; i < m->abi->nkernels; i++)
        if (!strcmp(m->abi->kernels[i].name, e->name)) {
            *out = &m->kernels[i];
            if (!m->lazy) atomic_store_explicit(&e->kernel, *out, memory_order_release);
            return cudaSuccess;
        }
    return cudaErrorInvalidDeviceFunction;
}

/* In device code the address of a kernel is that of its row. */
static RtKernel *find_row(const void *row) {
    RtKernel *k = NULL;
    pthread_mutex_lock(&lock);
    for (RtModule *m = modules; m && !k; m = m->next) {
        if (m->dead) continue;
        uintptr_t at = (uintptr_t)row - (uintptr_t)m->abi->kernels;
        if (m->kernels && at < m->abi->nkernels * sizeof *m->abi->kernels)
            k = &m->kernels[at / sizeof *m->abi->kernels];
    }
    pthread_mutex_unlock(&lock);
    return k;
}

cudaError_t rt_find_kernel(const void *function, RtKernel **out) {
    Entry *e = function ? find_entry(function) : NULL;
    if (RT_UNLIKELY(!e && function && rt_in_kernel() && (*out = find_row(function)))) return cudaSuccess;
    if (RT_UNLIKELY(!e || e->variable)) return cudaErrorInvalidDeviceFunction;
    *out = atomic_load_explicit(&e->kernel, memory_order_acquire);
    if (RT_LIKELY(*out != NULL)) return cudaSuccess;
    load_modules_of(e);
    pthread_mutex_lock(&lock);
    cudaError_t error = resolve_kernel(e, out);
    for (Entry *other = next_entry(e); error && other; other = next_entry(other)) {
        if (resolve_kernel(other, out)) continue;
        if (!(*out)->module->lazy) atomic_store_explicit(&e->kernel, *out, memory_order_release);
        error = cudaSuccess;
    }
    pthread_mutex_unlock(&lock);
    if (error || !(*out)->module->lazy) return error;
    error = atomic_load(&on_kernel)(*out, out);
    if (!error) atomic_store_explicit(&e->kernel, *out, memory_order_release);
    return error;
}

bool rt_kernel_state(const void *function, bool *compiled) {
    const Entry *e = function ? find_entry(function) : NULL;
    const RtModule *m = e ? e->fatbin->module : NULL;
    *compiled = e && !(m && m->lazy && !atomic_load(&e->kernel));
    return e && !e->variable;
}

/* lock held */
static cudaError_t resolve_variable(Entry *e) {
    cudaError_t error = module_error(e->fatbin);
    if (!error) join_variable(e);
    return error || e->address ? error : cudaErrorInvalidSymbol;
}

cudaError_t rt_find_symbol(const void *symbol, void **address, size_t *size) {
    Entry *e = symbol ? find_entry(symbol) : NULL;
    if (!e || !e->variable) return cudaErrorInvalidSymbol;
    load_modules_of(e);
    cudaError_t error = compile_variable(e);
    for (Entry *other = next_entry(e); other; other = next_entry(other)) compile_variable(other);
    if (error) return error;
    pthread_mutex_lock(&lock);
    error = resolve_variable(e);
    for (Entry *other = next_entry(e); error && other; other = next_entry(other))
        if (!resolve_variable(other)) e = other, error = cudaSuccess;
    *address = e->address;
    *size = e->size;
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---- cudaDeviceReset ---- */

static void restore(void *to, const void *initial, size_t n) {
    if (initial) memcpy(to, initial, n);
    else memset(to, 0, n);
}

static void restore_managed(const CucpuVar *v) {
    void *shadow = v->flags & CUCPU_VAR_MANAGED ? *(void **)v->address : NULL;
    if (shadow) restore(shadow, v->initial, v->size);
}

static void reset_attributes(RtKernel *k) {
    atomic_store(&k->max_dyn_shared, 0);
    atomic_store(&k->carveout, 0);
}

void rt_restore_variables(void) {
    pthread_mutex_lock(&lock);
    for (RtModule *m = modules; m; m = m->next) {
        if (m->dead || m->refused || m->abi->version != CUCPU_ABI_VERSION) continue;
        for (uint32_t i = 0; i < m->abi->nstarts; i++)
            restore(m->abi->starts[i].address, m->abi->starts[i].initial, m->abi->starts[i].size);
        for (uint32_t i = 0; i < m->abi->nvars; i++) restore_managed(&m->abi->vars[i]);
        for (uint32_t i = 0; m->kernels && i < m->abi->nkernels; i++) reset_attributes(&m->kernels[i]);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- modules of the driver API ---- */

RtModule *rt_linked_module(uint64_t id) {
    pthread_mutex_lock(&lock);
    RtModule *m = modules;
    while (m && (m->dead || m->abi->id != id || m->loaded)) m = m->next;
    pthread_mutex_unlock(&lock);
    return m;
}

cudaError_t rt_use_module(RtModule *m) {
    if (m->abi->version != CUCPU_ABI_VERSION || m->refused) return cudaErrorInvalidKernelImage;
    pthread_mutex_lock(&lock);
    cudaError_t error = cpu_error(m);
    bool done = m->joined;
    m->joined = !error;
    pthread_mutex_unlock(&lock);
    if (error) return error;
    Fatbin *f = done ? NULL : calloc(1, sizeof *f);
    if (done) return cudaSuccess;
    if (!f || !m->kernels) return cudaErrorMemoryAllocation;
    f->id = m->abi->id;
    f->module = m;
    f->tried = true;
    for (uint32_t i = 0; i < m->abi->nkernels; i++) {
        add_entry((void **)f, &m->kernels[i], m->abi->kernels[i].name, false, 0);
        Entry *e = find_entry(&m->kernels[i]);
        if (e && !m->lazy) atomic_store_explicit(&e->kernel, &m->kernels[i], memory_order_release);
    }
    for (uint32_t i = 0; i < m->abi->nvars; i++)
        note_variable(&m->abi->vars[i], m->abi->vars[i].address, m->abi->vars[i].flags & CUCPU_VAR_MANAGED);
    return cudaSuccess;
}

int rt_warp_size(void) {
    pthread_mutex_lock(&lock);
    RtModule *m = modules;
    while (m && m->dead) m = m->next;
    int width = m && m->abi->warp_size ? (int)m->abi->warp_size : 32;
    pthread_mutex_unlock(&lock);
    return width;
}
