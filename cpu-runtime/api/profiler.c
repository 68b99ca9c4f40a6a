/* profiler.c: whether activities are recorded (profile/): CUCPU_TRACE, CUCPU_RECORD, cudaProfilerStart.
**
** Where CUCPU_TRACE names a file, what was recorded becomes a trace when the process ends: by exit(), or by a signal
** that ends it and that the program does not handle. */
#define _GNU_SOURCE
#include "base/base.h"
#include "base/env.h"
#include "host/topo.h"
#include "profile/record.h"
#include "profile/nvtx.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int fatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};

static char records[4096]; /* the file that nvprof reads; "": none */
static _Atomic bool saved;

static void end(void) {
    if (!rt_profile_is_open()) return;
    rt_close_nvtx();
    rt_profile_end();
    rt_chrome_write();
    if (*records && !atomic_exchange(&saved, true) && !rt_profile_save(records))
        rt_message("%s cannot be written: %s", records, strerror(errno));
}

static void on_fatal(int sig) {
    rt_profile_dying();
    end();
    signal(sig, SIG_DFL);
    raise(sig);
}

static void catch_fatal(void) {
    struct sigaction a = {.sa_handler = on_fatal, .sa_flags = SA_ONSTACK}, old;
    sigemptyset(&a.sa_mask);
    for (size_t i = 0; i < RT_COUNT(fatal); i++)
        if (!sigaction(fatal[i], NULL, &old) && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
            sigaction(fatal[i], &a, NULL);
}

static bool open_recording(void) {
    CucpuProfileHeader about = {.memory = rt_topo()->memory, .cores = (uint32_t)rt_topo()->threads};
    struct cudaDeviceProp prop;
    about.capability = (uint32_t)rt_env()->capability;
    if (!cudaGetDeviceProperties(&prop, 0)) memcpy(about.device, prop.name, sizeof about.device - 1);
    return rt_profile_open(&about);
}

/* Runs before the program's constructors, as libraries are initialised before what needs them. */
__attribute__((constructor)) static void begin(void) {
    if (!getenv("CUCPU_TRACE") && !getenv("CUCPU_RECORD")) return; /* the program may still set others, in main */
    const RtEnv *e = rt_env();
    if (!e->trace_file && !e->record) return;
    char file[4096];
    bool trace = e->trace_file && rt_chrome_open(e->trace_file, file, sizeof file);
    if (e->trace_file && !trace) rt_message("CUCPU_TRACE: %s cannot be written: %s", e->trace_file, strerror(errno));
    if (trace && strcmp(file, e->trace_file))
        rt_message("CUCPU_TRACE: another process writes %s; this one: %s", e->trace_file, file);
    if ((!trace && !e->record) || !open_recording()) return;
    if (e->record) snprintf(records, sizeof records, "%s/%d", e->record, (int)getpid());
    rt_profile_pause(!e->record_start);
    rt_inject_nvtx();
    catch_fatal();
}

__attribute__((destructor)) static void finish(void) { end(); }

cudaError_t cudaProfilerStart(void) {
    RT_ENTER();
    rt_profile_pause(false);
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void) {
    RT_ENTER();
    rt_profile_pause(true);
    return cudaSuccess;
}

cudaError_t cudaProfilerInitialize(const char *config, const char *output, cudaOutputMode_t mode) {
    RT_ENTER();
    (void)config, (void)output, (void)mode;
    return rt_end(cudaErrorNotSupported);
}
