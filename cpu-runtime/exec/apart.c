/* apart.c: whether the arguments of a launch point to allocations of their own, as most variants of some kernels take
** them to (CucpuKernel.apart). */
#include "exec/launch.h"
#include "space/alloc.h"
#include <string.h>

uintptr_t rt_argument(const RtLaunch *l, uint32_t i) {
    const CucpuKernel *k = l->kernel->abi;
    const CucpuField *field = i < k->nparams ? NULL : &k->fields[i - k->nparams];
    uintptr_t p;
    memcpy(&p, field ? (const char *)l->abi.args[field->parameter] + field->offset : l->abi.args[i], sizeof p);
    return p;
}

bool rt_is_own_alloc(const RtAlloc *a) {
    return a->how == RT_BY_MALLOC || a->how == RT_BY_MANAGED || a->how == RT_BY_HOST_ALLOC || a->how == RT_BY_POOL;
}

static bool is_apart(const RtLaunch *l, uint32_t param) {
    RtAlloc a;
    if (!rt_find_alloc((void *)rt_argument(l, param), &a) || !rt_is_own_alloc(&a)) return false;
    for (uint32_t i = 0; i < 32; i++)
        if (i != param && l->kernel->abi->accessed >> i & 1 && rt_argument(l, i) - a.base < a.size) return false;
    return true;
}

bool rt_arguments_are_apart(const RtLaunch *l) {
    for (uint32_t i = 0; i < 32; i++)
        if (l->kernel->abi->apart >> i & 1 && !is_apart(l, i)) return false;
    return true;
}
