/* records.h: what the runtime has recorded of a process (cpu-runtime/profile/format.h), in order, with times in ns. */
#ifndef CUCPU_LAUNCHER_RECORDS_H
#define CUCPU_LAUNCHER_RECORDS_H
#include "cpu-runtime/profile/format.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct KernelInfo {
    const char *name, *title, *file; /* mangled; as the source has it; NULL = unknown */
    const CucpuRecord *record;
} KernelInfo;

typedef struct Activity {
    CucpuRecordKind kind;
    uint32_t thread;
    uint64_t start, end;    /* ns since the start of the process */
    const char *name;       /* of a kernel: its title */
    const KernelInfo *info; /* of a kernel or a share, else NULL */
    const CucpuRecord *record;
} Activity;

typedef struct Process {
    const CucpuProfileHeader *header;
    Activity *activities; /* by their start */
    size_t n;
    const char **strings;
    KernelInfo *infos;
    uint32_t nstrings, ninfos;
} Process;

/* false: there is no such file, or it is none of ours. */
bool records_read(Process *p, const char *file);
const char *records_string(const Process *p, uint32_t number); /* "" if there is none */
static inline bool is_gpu_activity(const Activity *a) {
    return a->kind == CUCPU_REC_KERNEL || a->kind == CUCPU_REC_COPY || a->kind == CUCPU_REC_FILL;
}
#endif
