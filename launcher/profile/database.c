/* database.c: what was recorded as an SQLite file with the tables of Nsight Systems (database.def). */
#include "launcher/profile/database.h"
#include "launcher/profile/sqlite.h"
#include "launcher/text.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum {
#define TABLE(id, name, columns) id,
#include "launcher/profile/database.def"
#undef TABLE
    TABLES
};
static const struct {
    const char *name, *columns;
} tables[] = {
#define TABLE(id, name, columns) {name, columns},
#include "launcher/profile/database.def"
#undef TABLE
};

/* The numbers that Nsight Systems gives them. */
enum { NVTX_MARK = 34, NVTX_PUSH_POP = 59, NVTX_START_END = 60, NVTX_DOMAIN = 75 };
enum { PAGEABLE, PINNED, ON_DEVICE, IN_ARRAY, MANAGED };
enum { COPY_HTOD = 1, COPY_DTOH = 2, COPY_DTOD = 8, COPY_HTOH = 9 };

typedef struct Writer {
    const Sqlite *q;
    sqlite3 *db;
    sqlite3_stmt *insert[TABLES];
    const Process *p;
    int64_t pid, origin; /* globalPid; of the times of this process, ns */
    int64_t strings;     /* last number of StringIds */
    int64_t *numbers;    /* of StringIds, by the process's; 0 = not written yet */
    int64_t *titles;
    int at;
} Writer;

const char *database_missing(void) { return sqlite_load() ? NULL : "SQLite is not installed (Debian: libsqlite3-0)"; }

/* ---- rows ---- */

static Writer *row(Writer *w, int table) {
    w->at = 0;
    for (int i = 1; i <= 32; i++) w->q->bind_null(w->insert[table], i);
    return w;
}

static void integer(Writer *w, int table, int64_t value) { w->q->bind_int64(w->insert[table], ++w->at, value); }
static void real(Writer *w, int table, double value) { w->q->bind_double(w->insert[table], ++w->at, value); }
static void null(Writer *w) { w->at++; }

static void string(Writer *w, int table, const char *value) {
    if (value) w->q->bind_text(w->insert[table], ++w->at, value, -1, NULL);
    else null(w);
}

static void integers(Writer *w, int table, const int64_t *values, size_t n) {
    for (size_t i = 0; i < n; i++) integer(w, table, values[i]);
}

static void end(Writer *w, int table) {
    w->q->step(w->insert[table]);
    w->q->reset(w->insert[table]);
}

#define INTEGERS(w, table, ...)                                                                                        \
    integers(w, table, (const int64_t[]){__VA_ARGS__}, sizeof(const int64_t[]){__VA_ARGS__} / sizeof(int64_t))

static int64_t add_string(Writer *w, const char *text) {
    row(w, STRINGS);
    integer(w, STRINGS, ++w->strings);
    string(w, STRINGS, text);
    end(w, STRINGS);
    return w->strings;
}

static int64_t number_of(Writer *w, uint32_t string_number) {
    if (string_number >= w->p->nstrings) string_number = 0;
    int64_t *n = &w->numbers[string_number];
    if (!*n) *n = add_string(w, records_string(w->p, string_number));
    return *n;
}

/* "void f<int>(int*)" is f: what precedes its parameters, without namespaces. */
static int64_t short_name(Writer *w, const KernelInfo *info) {
    int64_t *n = &w->titles[info - w->p->infos];
    if (*n) return *n;
    const char *t = info->title, *stop = t + strcspn(t, "(<"), *from = stop;
    while (from > t && from[-1] != ' ' && from[-1] != ':') from--;
    return *n = add_string(w, from < stop ? text_copy(from, (size_t)(stop - from)) : t);
}

/* ---- activities ---- */

static int64_t thread_of(const Writer *w, const Activity *a) { return w->pid | (a->thread & 0xffffff); }
static int64_t start_of(const Writer *w, const Activity *a) { return w->origin + (int64_t)a->start; }
static int64_t end_of(const Writer *w, const Activity *a) { return w->origin + (int64_t)a->end; }

/* start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid */
static void begin_activity(Writer *w, int table, const Activity *a) {
    row(w, table);
    INTEGERS(w, table, start_of(w, a), end_of(w, a), 0, 1);
    null(w);
    INTEGERS(w, table, a->record->stream, a->record->correlation, w->pid);
}

static void add_cpu_kernel(Writer *w, const Activity *a) {
    const CucpuRecord *r = a->record;
    row(w, CPU_KERNEL);
    INTEGERS(w, CPU_KERNEL, w->pid, r->correlation, start_of(w, a), r->kernel.width, r->kernel.lanes, r->kernel.workers,
             r->kernel.frame, (r->flags & CUCPU_KERNEL_FAULT) != 0);
    string(w, CPU_KERNEL, a->info ? a->info->file : NULL);
    integer(w, CPU_KERNEL, a->info ? a->info->record->info.line : 0);
    end(w, CPU_KERNEL);
}

static void add_kernel(Writer *w, const Activity *a) {
    const CucpuRecord *r = a->record, *i = a->info ? a->info->record : NULL;
    if (!i) return;
    int64_t mangled = number_of(w, i->name), title = number_of(w, i->info.title), brief = short_name(w, a->info);
    begin_activity(w, KERNEL, a);
    INTEGERS(w, KERNEL, title, brief, mangled, 0, 0, i->info.registers, r->kernel.grid[0], r->kernel.grid[1],
             r->kernel.grid[2], r->kernel.block[0], r->kernel.block[1], r->kernel.block[2], i->info.shared,
             r->kernel.dynamic, i->info.local, 0, r->correlation, i->info.shared + r->kernel.dynamic);
    end(w, KERNEL);
    add_cpu_kernel(w, a);
}

static int64_t memory_kind(unsigned type) {
    static const int64_t kinds[] = {PAGEABLE, PINNED, ON_DEVICE, MANAGED};
    return type < sizeof kinds / sizeof *kinds ? kinds[type] : PAGEABLE;
}

static void add_copy(Writer *w, const Activity *a) {
    static const int64_t kinds[] = {COPY_HTOH, COPY_HTOD, COPY_DTOH, COPY_DTOD};
    const CucpuRecord *r = a->record;
    begin_activity(w, COPY, a);
    INTEGERS(w, COPY, (int64_t)r->copy.bytes, kinds[r->sort & 3]);
    null(w);
    INTEGERS(w, COPY, memory_kind(r->copy.from), memory_kind(r->copy.to), 0, 1, 0, 1);
    end(w, COPY);
}

static void add_fill(Writer *w, const Activity *a) {
    const CucpuRecord *r = a->record;
    begin_activity(w, FILL, a);
    INTEGERS(w, FILL, (int64_t)r->copy.value, (int64_t)r->copy.bytes);
    null(w);
    integer(w, FILL, memory_kind(r->copy.to));
    end(w, FILL);
}

static void add_call(Writer *w, const Activity *a) {
    const CucpuRecord *r = a->record;
    int64_t name = number_of(w, r->name);
    row(w, API);
    INTEGERS(w, API, start_of(w, a), end_of(w, a), r->sort == CUCPU_API_DRIVER, thread_of(w, a), r->correlation, name);
    if (r->flags & CUCPU_NO_RESULT) null(w);
    else integer(w, API, r->api.result);
    end(w, API);
}

enum { PAYLOAD_U64 = 1, PAYLOAD_I64, PAYLOAD_DOUBLE, PAYLOAD_U32, PAYLOAD_I32, PAYLOAD_FLOAT };

static void add_payload(Writer *w, const CucpuRecord *r) {
    uint64_t bits = r->range.number;
    uint32_t low = (uint32_t)bits;
    double d;
    float f;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    for (uint32_t kind = PAYLOAD_U64; kind <= PAYLOAD_FLOAT; kind++) {
        if (kind != r->range.payload) null(w);
        else if (kind == PAYLOAD_DOUBLE) real(w, NVTX, d);
        else if (kind == PAYLOAD_FLOAT) real(w, NVTX, f);
        else integer(w, NVTX, kind == PAYLOAD_U32 ? low : kind == PAYLOAD_I32 ? (int32_t)low : (int64_t)bits);
    }
}

static void add_range(Writer *w, const Activity *a, int64_t type) {
    const CucpuRecord *r = a->record;
    static int64_t range;
    row(w, NVTX);
    integer(w, NVTX, start_of(w, a));
    if (type == NVTX_MARK) null(w);
    else integer(w, NVTX, end_of(w, a));
    INTEGERS(w, NVTX, type, ++range);
    null(w);
    if (r->range.color) integer(w, NVTX, r->range.color);
    else null(w);
    string(w, NVTX, a->name);
    INTEGERS(w, NVTX, thread_of(w, a), thread_of(w, a));
    null(w);
    integer(w, NVTX, r->range.domain);
    add_payload(w, r);
    end(w, NVTX);
}

static void add_domains(Writer *w) {
    char *seen = text_alloc(w->p->nstrings + 1);
    for (size_t i = 0; i < w->p->n; i++) {
        const Activity *a = &w->p->activities[i];
        bool range = a->kind == CUCPU_REC_RANGE || a->kind == CUCPU_REC_SPAN || a->kind == CUCPU_REC_MARK;
        uint32_t domain = range ? a->record->range.domain : 0;
        if (!domain || domain >= w->p->nstrings || seen[domain]) continue;
        seen[domain] = 1;
        row(w, NVTX);
        integer(w, NVTX, start_of(w, a));
        null(w);
        integer(w, NVTX, NVTX_DOMAIN);
        null(w), null(w), null(w);
        string(w, NVTX, records_string(w->p, domain));
        integer(w, NVTX, thread_of(w, a));
        null(w), null(w);
        integer(w, NVTX, domain);
        end(w, NVTX);
    }
}

static void add_share(Writer *w, const Activity *a) {
    if (!a->info) return;
    int64_t name = number_of(w, a->info->record->info.title);
    row(w, SHARE);
    INTEGERS(w, SHARE, start_of(w, a), end_of(w, a), thread_of(w, a), a->record->share.worker, a->record->correlation,
             name, (int64_t)a->record->share.blocks);
    end(w, SHARE);
}

static void add_refused(Writer *w, const Activity *a) {
    const CucpuRecord *r = a->record;
    int64_t name = number_of(w, r->name);
    row(w, REFUSED);
    INTEGERS(w, REFUSED, start_of(w, a), thread_of(w, a), r->correlation, name, r->refused.result, r->refused.grid[0],
             r->refused.grid[1], r->refused.grid[2], r->refused.block[0], r->refused.block[1], r->refused.block[2]);
    end(w, REFUSED);
}

static void add_thread(Writer *w, const Activity *a) {
    int64_t name = number_of(w, a->record->name);
    row(w, THREAD);
    INTEGERS(w, THREAD, name, 0, w->pid | (a->record->correlation & 0xffffff));
    end(w, THREAD);
}

static void add_activity(Writer *w, const Activity *a) {
    switch (a->kind) {
    case CUCPU_REC_KERNEL: add_kernel(w, a); break;
    case CUCPU_REC_COPY: add_copy(w, a); break;
    case CUCPU_REC_FILL: add_fill(w, a); break;
    case CUCPU_REC_API: add_call(w, a); break;
    case CUCPU_REC_RANGE: add_range(w, a, NVTX_PUSH_POP); break;
    case CUCPU_REC_SPAN: add_range(w, a, NVTX_START_END); break;
    case CUCPU_REC_MARK: add_range(w, a, NVTX_MARK); break;
    case CUCPU_REC_SHARE: add_share(w, a); break;
    case CUCPU_REC_REFUSED: add_refused(w, a); break;
    case CUCPU_REC_THREAD: add_thread(w, a); break;
    default: break;
    }
}

/* ---- what does not depend on the program ---- */

static void add_label(Writer *w, int table, int64_t id, const char *name, const char *label) {
    row(w, table);
    integer(w, table, id);
    string(w, table, name);
    string(w, table, label);
    end(w, table);
}

static void add_labels(Writer *w) {
    add_label(w, COPY_KIND, COPY_HTOD, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device");
    add_label(w, COPY_KIND, COPY_DTOH, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host");
    add_label(w, COPY_KIND, COPY_DTOD, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device");
    add_label(w, COPY_KIND, COPY_HTOH, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host");
    add_label(w, MEM_KIND, PAGEABLE, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable");
    add_label(w, MEM_KIND, PINNED, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned");
    add_label(w, MEM_KIND, ON_DEVICE, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device");
    add_label(w, MEM_KIND, IN_ARRAY, "CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array");
    add_label(w, MEM_KIND, MANAGED, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed");
    add_label(w, EVENT_TYPE, NVTX_MARK, "NvtxMark", "NVTX mark");
    add_label(w, EVENT_TYPE, NVTX_PUSH_POP, "NvtxPushPopRange", "NVTX push/pop range");
    add_label(w, EVENT_TYPE, NVTX_START_END, "NvtxStartEndRange", "NVTX start/end range");
    add_label(w, EVENT_TYPE, NVTX_DOMAIN, "NvtxDomainCreate", "NVTX domain create");
}

static void add_pair(Writer *w, int table, const char *name, const char *value) {
    row(w, table);
    string(w, table, name);
    string(w, table, value);
    end(w, table);
}

static void add_target(Writer *w, const Process *p) {
    const CucpuProfileHeader *h = p->header;
    row(w, SESSION);
    integer(w, SESSION, (int64_t)h->start_ns + h->to_realtime);
    end(w, SESSION);
    row(w, GPU);
    INTEGERS(w, GPU, 0, 0);
    string(w, GPU, h->device);
    null(w);
    INTEGERS(w, GPU, 0, 0, (int64_t)h->memory, 0, 0, h->cores, 0);
    null(w), null(w);
    string(w, GPU, "cucpu");
    INTEGERS(w, GPU, 0, h->capability / 10, h->capability % 10);
    end(w, GPU);
    add_pair(w, META_EXPORT, "EXPORT_TOOL", text_format("cucpu %s", CUCPU_VERSION));
    add_pair(w, META_EXPORT, "EXPORT_SCHEMA_VERSION", "3.11.0");
    add_pair(w, META_CAPTURE, "COMMAND_LINE", h->command);
}

static void add_process(Writer *w, const Process *p) {
    const char *command = p->header->command;
    row(w, PROCESS);
    INTEGERS(w, PROCESS, w->pid, p->header->pid);
    string(w, PROCESS, text_copy(command, strcspn(command, " ")));
    end(w, PROCESS);
    row(w, DEVICE);
    INTEGERS(w, DEVICE, 0, 0, p->header->pid);
    string(w, DEVICE, "");
    integer(w, DEVICE, p->header->cores);
    end(w, DEVICE);
    char *seen = text_alloc(1 << 16);
    for (size_t i = 0; i < p->n; i++) {
        uint32_t stream = p->activities[i].record->stream;
        if (!is_gpu_activity(&p->activities[i]) || stream >> 16 || seen[stream]) continue;
        seen[stream] = 1;
        row(w, STREAM);
        INTEGERS(w, STREAM, stream, 0, 0, p->header->pid, 1, 0, 0);
        end(w, STREAM);
    }
}

/* ---- the file ---- */

static bool create(Writer *w) {
    if (w->q->exec(w->db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN", NULL, NULL, NULL))
        return false;
    for (int t = 0; t < TABLES; t++) {
        const char *places = "?";
        for (const char *c = tables[t].columns; (c = strchr(c, ',')); c++) places = text_format("%s, ?", places);
        const char *sql = text_format("CREATE TABLE %s (%s)", tables[t].name, tables[t].columns);
        if (w->q->exec(w->db, sql, NULL, NULL, NULL)) return false;
        sql = text_format("INSERT INTO %s VALUES (%s)", tables[t].name, places);
        if (w->q->prepare_v2(w->db, sql, -1, &w->insert[t], NULL)) return false;
    }
    return true;
}

static void add_all(Writer *w, const Process *processes, size_t n) {
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < n; i++)
        if (processes[i].header->start_ns < first) first = processes[i].header->start_ns;
    add_labels(w);
    if (n) add_target(w, &processes[0]);
    for (size_t i = 0; i < n; i++) {
        w->p = &processes[i];
        w->pid = (int64_t)w->p->header->pid << 24;
        w->origin = (int64_t)(w->p->header->start_ns - first);
        w->numbers = text_alloc((w->p->nstrings + 1) * sizeof *w->numbers);
        w->titles = text_alloc((w->p->ninfos + 1) * sizeof *w->titles);
        add_process(w, w->p);
        add_domains(w);
        for (size_t k = 0; k < w->p->n; k++) add_activity(w, &w->p->activities[k]);
    }
}

const char *database_write(const char *file, const Process *processes, size_t n) {
    Writer w = {.q = sqlite_load()};
    if (!w.q) return database_missing();
    unlink(file);
    bool ok = !w.q->open_v2(file, &w.db, SQLITE_OPEN_READWRITE_ | SQLITE_OPEN_CREATE_, NULL) && create(&w);
    if (ok) add_all(&w, processes, n);
    ok = ok && !w.q->exec(w.db, "COMMIT", NULL, NULL, NULL);
    const char *error = ok ? NULL : text_format("%s", w.q->errmsg(w.db));
    for (int t = 0; t < TABLES; t++)
        if (w.insert[t]) w.q->finalize(w.insert[t]);
    w.q->close(w.db);
    return error;
}
