/* program.h: modules, kernels and variables of the program.
**
** The registry's lock is taken before those of queues and memory.  Look-ups of what was found once take none. */
#ifndef CUCPU_PROGRAM_H
#define CUCPU_PROGRAM_H
#include "base/base.h"

typedef struct RtModule RtModule;
typedef struct RtKernel {
    const CucpuKernel *abi;
    const RtModule *module;
    _Atomic int max_dyn_shared; /* cudaFuncAttributeMaxDynamicSharedMemorySize + 1; 0 = not set */
    _Atomic int carveout;
    _Atomic int nonportable_cluster, cluster_policy, req_cluster[3]; /* cudaFuncAttribute*Cluster* */
    _Atomic uint64_t thread_cost;     /* measured, 1/1024 tick per thread; 0 = not yet run */
    _Atomic bool cost_is_cold;        /* of the first launch, which finds neither code nor data in a cache */
    _Atomic uint32_t recorded;        /* its number in what is recorded (profile/); 0 = not yet launched */
    uint64_t params_bytes;            /* size of the copied parameters */
    struct RtKernel *column;          /* runs blocks of (1, n, 1) threads as rows; NULL: this one does */
    _Atomic(struct RtTrial *) trials; /* exec/online_autotune.c; NULL until a launch needs them */
} RtKernel;
struct RtModule {
    const CucpuModule *abi;
    RtKernel *kernels;
    RtModule *next;
    int target;                  /* of PTX that was loaded: 70 = sm_70 */
    bool reported;               /* the reason why its kernels cannot run was printed */
    bool joined;                 /* its kernels can be launched by their RtKernel */
    bool loaded;                 /* by module/module.c, not part of the program */
    bool dead;                   /* of a library that is closed: abi points nowhere */
    struct RtLazy *lazy;         /* its kernels are names: module/lazy.c compiles parts when they are needed */
    RtModule *parts, *next_part; /* what was compiled of it */
    RtModule *whole;             /* this is a part of it */
    bool refused;                /* its tables contradict themselves or the host's: nothing of it is used */
};
void rt_expect_module(RtModule **out);   /* the next module that this thread registers; NULL ends it */
RtModule *rt_linked_module(uint64_t id); /* part of the program; NULL: there is none */
cudaError_t rt_use_module(RtModule *m);  /* &m->kernels[i] become functions, its variables known memory */
cudaError_t rt_find_kernel(const void *function, RtKernel **out);
bool rt_kernel_state(const void *function, bool *compiled); /* false: it is none; of others nothing is compiled */
cudaError_t rt_find_symbol(const void *symbol, void **address, size_t *size);
void rt_restore_variables(void); /* all have the values again that they start with; kernels their attributes */
/* load gives the module of the GPU code in host objects that another compiler has made; it is called at the first use
** of what such an object has registered, without a lock. */
void rt_on_foreign(cudaError_t (*load)(const void *wrapper, RtModule **out));
/* replace gives a module that is used instead of one of the program, or NULL; it is called at the first use of that,
** without a lock. */
void rt_on_first_use(RtModule *(*replace)(RtModule *m));
/* How kernels and variables of a lazy module are compiled; called without a lock. */
void rt_on_lazy(cudaError_t (*kernel)(const RtKernel *named, RtKernel **out),
                cudaError_t (*variable)(RtModule *m, const char *name));
void rt_add_part(RtModule *whole, RtModule *part); /* variables are looked up in it, too */
int rt_warp_size(void);
/* f is told of each module that is registered; without a lock. */
void rt_on_module(void (*f)(const CucpuModule *m));

/* ---- func.c ---- */
enum { RT_REGISTERS_PER_THREAD = 32 };
int rt_resident_blocks(const RtKernel *k, int block, size_t dynamic); /* of one multiprocessor */
/* As the kernel was compiled, or as cudaFuncSetAttribute has set it; false: neither, n is 0. */
bool rt_required_cluster(const RtKernel *k, uint32_t n[3]);
#endif
