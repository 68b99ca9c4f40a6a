/* host_memory.c: memcheck: host code that accesses managed or pinned memory out of bounds, or freed: such memory is
** guarded (space.c), so that this faults.  The fault is reported, then it ends the process as it would have. */
#define _GNU_SOURCE
#include "check/check.h"
#include "exec/fault.h"
#include "space/alloc.h"
#include <signal.h>
#include <stdio.h>
#include <sys/ucontext.h>

static struct sigaction before;

static bool is_write(const void *context) {
#ifdef __x86_64__
    enum { WRITES = 2 };
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & WRITES;
#else
    (void)context;
    return false;
#endif
}

static void on_fault(int sig, siginfo_t *info, void *context) {
    static RT_TLS bool reporting;
    char line[200], where[256] = "the host";
    if (!reporting && info->si_code > 0) {
        reporting = true;
        if (rt_source_line(rt_program_counter(context), line, sizeof line))
            snprintf(where, sizeof where, "the host in %s", line);
        rt_memory_host_fault((uintptr_t)info->si_addr, is_write(context), where);
    }
    if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(sig, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(sig);
    else signal(sig, SIG_DFL); /* the instruction runs again */
}

void rt_host_memory_begin(void) {
    static bool done;
    if (done || !rt_checks(CUCPU_CHECK_MEMORY) || rt_check.no_host) return;
    done = true;
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&a.sa_mask);
    sigaction(SIGSEGV, &a, &before);
    rt_guard_host_memory();
}
