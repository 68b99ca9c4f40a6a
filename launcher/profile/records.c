/* records.c: reads what the runtime has recorded of a process. */
#include "launcher/profile/records.h"
#include "launcher/text.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef void Visit(Process *p, const CucpuRecord *r, uint32_t thread);

/* A chunk as far as it is complete. */
static void visit(Process *p, const char *data, size_t bytes, Visit *f) {
    for (size_t at = CUCPU_PROFILE_PAGE; at + CUCPU_PROFILE_CHUNK <= bytes; at += CUCPU_PROFILE_CHUNK) {
        const CucpuProfileChunk *c = (const CucpuProfileChunk *)(data + at);
        for (uint32_t i = 0, thread = c->thread; i < c->used && i < CUCPU_PROFILE_SLOTS - 1; i++) {
            const CucpuRecord *r = &c->records[i];
            if (r->kind == CUCPU_REC_OWNER) thread = r->correlation;
            uint32_t slots = r->kind == CUCPU_REC_STRING ? cucpu_string_slots(r->string.bytes) : 1;
            if (i + slots > c->used) break;
            if (r->kind != CUCPU_REC_OWNER) f(p, r, thread);
            i += slots - 1;
        }
    }
}

static void count(Process *p, const CucpuRecord *r, uint32_t thread) {
    (void)thread;
    if (r->kind == CUCPU_REC_STRING) {
        if (r->string.id >= p->nstrings) p->nstrings = r->string.id + 1;
    } else if (r->kind == CUCPU_REC_KERNEL_INFO) {
        if (r->correlation >= p->ninfos) p->ninfos = r->correlation + 1;
    } else {
        p->n++;
    }
}

static void take_string(Process *p, const CucpuRecord *r, uint32_t thread) {
    (void)thread;
    if (r->kind != CUCPU_REC_STRING) return;
    p->strings[r->string.id] = text_copy((const char *)r + offsetof(CucpuRecord, string.text), r->string.bytes);
}

const char *records_string(const Process *p, uint32_t number) {
    return number < p->nstrings && p->strings[number] ? p->strings[number] : "";
}

static void take_info(Process *p, const CucpuRecord *r, uint32_t thread) {
    (void)thread;
    if (r->kind != CUCPU_REC_KERNEL_INFO) return;
    p->infos[r->correlation] = (KernelInfo){records_string(p, r->name), records_string(p, r->info.title),
                                            r->info.file ? records_string(p, r->info.file) : NULL, r};
}

static void take_activity(Process *p, const CucpuRecord *r, uint32_t thread) {
    if (r->kind == CUCPU_REC_STRING || r->kind == CUCPU_REC_KERNEL_INFO) return;
    bool kernel = r->kind == CUCPU_REC_KERNEL || r->kind == CUCPU_REC_SHARE;
    const KernelInfo *info = kernel && r->name < p->ninfos && p->infos[r->name].record ? &p->infos[r->name] : NULL;
    p->activities[p->n++] = (Activity){.kind = (CucpuRecordKind)r->kind,
                                       .thread = thread,
                                       .start = cucpu_profile_ns(p->header, r->start),
                                       .end = cucpu_profile_ns(p->header, r->end),
                                       .name = info     ? info->title
                                               : kernel ? "unknown kernel"
                                                        : records_string(p, r->name),
                                       .info = info,
                                       .record = r};
}

static int by_start(const void *a, const void *b) {
    const Activity *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->end != y->end ? (x->end > y->end ? -1 : 1) : 0;
}

/* The file, mapped until the process ends; NULL: there is none. */
static const char *map_file(const char *file, size_t *bytes) {
    struct stat st;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    void *p = MAP_FAILED;
    if (!fstat(fd, &st) && st.st_size >= CUCPU_PROFILE_PAGE)
        p = mmap(NULL, *bytes = (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return p == MAP_FAILED ? NULL : p;
}

bool records_read(Process *p, const char *file) {
    size_t bytes = 0;
    const char *data = map_file(file, &bytes);
    *p = (Process){.header = (const CucpuProfileHeader *)data};
    if (!data || p->header->magic != CUCPU_PROFILE_MAGIC) return false;
    visit(p, data, bytes, count);
    p->strings = text_alloc((p->nstrings + 1) * sizeof *p->strings);
    p->infos = text_alloc((p->ninfos + 1) * sizeof *p->infos);
    p->activities = text_alloc((p->n + 1) * sizeof *p->activities);
    visit(p, data, bytes, take_string);
    visit(p, data, bytes, take_info);
    p->n = 0;
    visit(p, data, bytes, take_activity);
    if (p->n) qsort(p->activities, p->n, sizeof *p->activities, by_start);
    return true;
}
