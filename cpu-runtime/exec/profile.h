/* profile.h: what CUCPU_PROFILE and kernels compiled with --profile=lanes report when the program ends. */
#ifndef CUCPU_EXEC_PROFILE_H
#define CUCPU_EXEC_PROFILE_H
#include "exec/launch.h"
#include <stdio.h>

/* ---- profile.c: times of kernels ---- */
/* A grid has ended: with this variant, after so many nanoseconds. */
void rt_profile_kernel(const RtLaunch *l, const CucpuVariant *v, uint64_t ns);

/* ---- lanes.c: counters of instrumented kernels, summed over workers ---- */
enum { RT_ACCESS_KINDS = CUCPU_ACCESS_OTHER + 1 };
typedef struct RtLanes { /* of a kernel, of all variants of one width */
    const char *kernel, *title;
    uint32_t width;
    uint64_t operations, active;    /* executed vector operations; active lanes of all of them */
    uint64_t branches[2], loops[2]; /* tests of lanes that may differ; those by which lanes parted */
    uint64_t accesses[RT_ACCESS_KINDS], lines[RT_ACCESS_KINDS];
    uint64_t flops[3], loaded, stored; /* of all active lanes: half, single, double; bytes */
} RtLanes;
/* Sums them; *out is malloc'ed.  To be called when no kernel runs. */
size_t rt_lanes(RtLanes **out);
double rt_efficiency(const RtLanes *l); /* active lanes per lane */
extern const char *const rt_access_names[RT_ACCESS_KINDS];
void rt_write_places(FILE *f);                /* rows of JSON */
void rt_write_string(FILE *f, const char *s); /* of JSON, with quotes */
#endif
