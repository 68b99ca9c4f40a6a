/* record.h: what the program does, and when, is recorded.
**
** Nothing is recorded unless CUCPU_TRACE or nvprof asks for it: `rt_profiled` is false, and that test is all that it
** costs.  Each thread has a buffer of its own (format.h); no lock is taken but for a string that is new.
**
** This folder is below all others: it knows neither streams nor kernels. */
#ifndef CUCPU_PROFILE_RECORD_H
#define CUCPU_PROFILE_RECORD_H
#include "profile/format.h"
#include <stdbool.h>
#include <time.h>

extern _Atomic bool rt_profiled; /* activities are recorded now */

static inline uint64_t rt_profile_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t rt_profile_now(void) { /* ticks, of cucpu_clock64 */
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return rt_profile_ns();
#endif
}

/* ---- record.c ---- */
/* `about` is copied, but for what record.c knows; false: no memory. */
bool rt_profile_open(const CucpuProfileHeader *about);
/* Everything goes into the file; may be called by a signal handler. */
bool rt_profile_save(const char *file);
bool rt_profile_is_open(void);
void rt_profile_pause(bool pause); /* cudaProfilerStop, cudaProfilerStart */
void rt_profile_dying(void);       /* a signal ends the process: no lock is taken any more */
void rt_profile_end(void);         /* the process ends: nothing more is recorded */
const CucpuProfileHeader *rt_profile_header(void);
const CucpuProfileChunk *rt_profile_chunk(uint32_t i); /* NULL: none */
void rt_record(const CucpuRecord *r);
/* A share: joined to the last record of this thread if that is of the same grid. */
void rt_record_more(const CucpuRecord *r);
uint32_t rt_record_text(const char *text);     /* the number of the string, which is recorded once */
uint32_t rt_record_constant(const char *text); /* the same of a constant: found by its address */

/* What this thread does at the moment: the call of the API, the stream. */
typedef struct RtDoing {
    uint32_t correlation, stream;
} RtDoing;
RtDoing rt_doing(void);
RtDoing rt_set_doing(RtDoing d); /* returns the one before */

/* ---- calls.c: functions of the API ---- */
typedef struct RtCall {
    uint64_t start; /* 0: it is not recorded */
    const char *name;
    uint32_t correlation;
} RtCall;
void rt_call_begin(RtCall *c, const char *name);
void rt_call_end(RtCall *c);
void rt_call_result(uint32_t error);  /* that the function of the runtime API which this thread is in returns */
void rt_call_returns(uint32_t error); /* likewise of the driver API */
static inline void rt_call_left(RtCall *c) {
    if (__builtin_expect(c->start != 0, 0)) rt_call_end(c);
}

/* ---- chrome.c: the Chrome trace event format ---- */
/* used (of n bytes): the name that is free, where another process is writing the file; false: errno says why. */
bool rt_chrome_open(const char *file, char *used, size_t n);
void rt_chrome_write(void); /* what was recorded; may be called by a signal handler */
#endif
