/* chrome.c: what was recorded, in the Chrome trace event format, which Perfetto and chrome://tracing read.
**
** Three groups of tracks: the threads of the program (calls of the API, NVTX ranges), the streams (kernels, copies,
** fills), the workers (their shares of kernels).  The file is valid JSON from the beginning of the program on, and is
** written once more where it ends, also by exit() and by a signal: no function here allocates memory by malloc or takes
** a lock.  The file is locked (flock) as long as the process lives: another process takes another name. */
#define _GNU_SOURCE
#include "profile/record.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HOST = 1, STREAMS = 2, WORKERS = 3 }; /* the "processes" of the trace */
enum { SPAN = 1024 };                        /* of threads, streams and workers that may have names */

typedef struct Out {
    int fd;
    bool first; /* no event was written yet */
    size_t n;
    char buffer[1 << 15];
} Out;

static int file = -1;
static Out out;
static const CucpuRecord **strings, **infos;
static uint32_t numbers; /* of strings */
static struct { uint64_t key; } named[SPAN];

/* ---- text ---- */

static void flush(void) {
    for (size_t done = 0; done < out.n;) {
        ssize_t n = write(out.fd, out.buffer + done, out.n - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
    out.n = 0;
}

static void put(const char *s, size_t n) {
    if (out.n + n > sizeof out.buffer) flush();
    if (n > sizeof out.buffer) return;
    memcpy(out.buffer + out.n, s, n);
    out.n += n;
}

static void text(const char *s) { put(s, strlen(s)); }

static void number(uint64_t v) {
    char digits[24], *s = digits + sizeof digits;
    do *--s = (char)('0' + v % 10);
    while (v /= 10);
    put(s, (size_t)(digits + sizeof digits - s));
}

/* Microseconds with three digits after the point. */
static void time_of(uint64_t ns) {
    char rest[4] = {'.', (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10), (char)('0' + ns % 10)};
    number(ns / 1000);
    put(rest, sizeof rest);
}

/* Bytes of the UTF-8 character at s; 0: it is none. */
static size_t character(const unsigned char *s, size_t left) {
    size_t n = *s < 0x80                 ? 1
               : *s >= 0xc2 && *s < 0xe0 ? 2
               : *s >= 0xe0 && *s < 0xf0 ? 3
               : *s >= 0xf0 && *s < 0xf5 ? 4
                                         : 0;
    if (n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool surrogate = n == 3 && s[0] == 0xed && s[1] >= 0xa0, beyond = n == 4 && s[0] == 0xf4 && s[1] >= 0x90;
    bool overlong = (n == 3 && s[0] == 0xe0 && s[1] < 0xa0) || (n == 4 && s[0] == 0xf0 && s[1] < 0x90);
    return surrogate || beyond || overlong ? 0 : n;
}

static void escaped(const char *s, size_t n) {
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i];
        size_t bytes = character((const unsigned char *)s + i, n - i);
        if (c == '"' || c == '\\') put("\\", 1);
        if (!bytes || c < ' ') put("?", 1);
        else put(s + i, bytes);
        i += bytes ? bytes : 1;
    }
}

static void name_of(uint32_t id) {
    const CucpuRecord *r = id < numbers ? strings[id] : NULL;
    text("\"");
    if (r) escaped((const char *)r + offsetof(CucpuRecord, string.text), r->string.bytes);
    text("\"");
}

/* ---- events ---- */

static void begin_event(const char *kind, int process, uint64_t track) {
    text(out.first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
    out.first = false;
    text(kind);
    text("\",\"pid\":");
    number((uint64_t)process);
    text(",\"tid\":");
    number(track);
}

static void field(const char *name, uint64_t value) {
    text(",\"");
    text(name);
    text("\":");
    number(value);
}

static void at(const char *name, uint64_t ns) {
    text(",\"");
    text(name);
    text("\":");
    time_of(ns);
}

static uint64_t since_start(uint64_t ticks) { return cucpu_profile_ns(rt_profile_header(), ticks); }

static void timed(const CucpuRecord *r, int process, uint64_t track, const char *category) {
    begin_event("X", process, track);
    at("ts", since_start(r->start));
    at("dur", since_start(r->end) - since_start(r->start));
    text(",\"cat\":\"");
    text(category);
    text("\",\"name\":");
}

static void name_track(const char *kind, int process, uint64_t track, const char *name, uint64_t value, bool numbered) {
    uint64_t key = (uint64_t)process << 32 | track;
    for (size_t i = 0; i < SPAN && numbered; i++) {
        if (named[i].key == key) return;
        if (named[i].key) continue;
        named[i].key = key;
        break;
    }
    begin_event("M", process, track);
    text(",\"name\":\"");
    text(kind);
    text("\",\"args\":{\"name\":\"");
    text(name);
    if (numbered) number(value);
    text("\"}}");
}

static void stream_track(uint32_t stream) {
    if (stream == CUCPU_DEFAULT_STREAM) name_track("thread_name", STREAMS, stream, "default stream ", stream, true);
    else name_track("thread_name", STREAMS, stream, "stream ", stream, true);
}

static void triple(const char *name, uint64_t x, uint64_t y, uint64_t z) {
    text(",\"");
    text(name);
    text("\":[");
    number(x);
    text(",");
    number(y);
    text(",");
    number(z);
    text("]");
}

/* An arrow from the call to what it has caused. */
static void arrow(const char *kind, int process, uint64_t track, uint64_t ticks, uint32_t correlation) {
    begin_event(kind, process, track);
    at("ts", since_start(ticks));
    field("id", correlation);
    text(",\"cat\":\"launch\",\"name\":\"launch\",\"bp\":\"e\"}");
}

static void print_title(uint32_t kernel) {
    const CucpuRecord *i = kernel < numbers ? infos[kernel] : NULL;
    name_of(i ? i->info.title : 0);
}

static void print_kernel(const CucpuRecord *r) {
    stream_track(r->stream);
    timed(r, STREAMS, r->stream, "kernel");
    print_title(r->name);
    text(",\"args\":{\"correlation\":");
    number(r->correlation);
    triple("grid", r->kernel.grid[0], r->kernel.grid[1], r->kernel.grid[2]);
    triple("block", r->kernel.block[0], r->kernel.block[1], r->kernel.block[2]);
    field("dynamic shared memory", r->kernel.dynamic);
    field("width", r->kernel.width);
    field("workers", r->kernel.workers);
    field("frame bytes", r->kernel.frame);
    if (r->flags & CUCPU_KERNEL_FAULT) text(",\"fault\":true");
    text("}}");
    if (r->correlation) arrow("f", STREAMS, r->stream, r->start, r->correlation);
}

static void print_share(const CucpuRecord *r) {
    name_track("thread_name", WORKERS, r->share.worker, "worker ", r->share.worker, true);
    timed(r, WORKERS, r->share.worker, "blocks");
    print_title(r->name);
    text(",\"args\":{\"blocks\":");
    number(r->share.blocks);
    field("correlation", r->correlation);
    text("}}");
}

static void print_copy(const CucpuRecord *r) {
    stream_track(r->stream);
    timed(r, STREAMS, r->stream, r->kind == CUCPU_REC_COPY ? "memcpy" : r->kind == CUCPU_REC_FILL ? "memset" : "host");
    name_of(r->name);
    text(",\"args\":{\"bytes\":");
    number(r->copy.bytes);
    field("correlation", r->correlation);
    if (r->kind == CUCPU_REC_FILL) field("value", r->copy.value);
    text("}}");
    if (r->correlation) arrow("f", STREAMS, r->stream, r->start, r->correlation);
}

static bool causes(const CucpuRecord *r) {
    const CucpuRecord *s = r->name < numbers ? strings[r->name] : NULL;
    const char *t = s ? (const char *)s + offsetof(CucpuRecord, string.text) : "";
    size_t n = s ? s->string.bytes : 0;
    return memmem(t, n, "Launch", 6) || memmem(t, n, "Memcpy", 6) || memmem(t, n, "Memset", 6);
}

static void print_call(const CucpuRecord *r, uint32_t thread) {
    timed(r, HOST, thread, r->sort == CUCPU_API_DRIVER ? "driver API" : "runtime API");
    name_of(r->name);
    text(",\"args\":{\"correlation\":");
    number(r->correlation);
    if (!(r->flags & CUCPU_NO_RESULT)) field("result", r->api.result);
    text("}}");
    if (causes(r)) arrow("s", HOST, thread, r->start, r->correlation);
}

static void print_refused(const CucpuRecord *r, uint32_t thread) {
    begin_event("i", HOST, thread);
    at("ts", since_start(r->start));
    text(",\"s\":\"t\",\"cat\":\"refused launch\",\"name\":");
    name_of(r->name);
    text(",\"args\":{\"result\":");
    number(r->refused.result);
    field("correlation", r->correlation);
    triple("grid", r->refused.grid[0], r->refused.grid[1], r->refused.grid[2]);
    triple("block", r->refused.block[0], r->refused.block[1], r->refused.block[2]);
    text("}}");
}

static void print_range_args(const CucpuRecord *r) {
    text(",\"args\":{\"domain\":");
    name_of(r->range.domain);
    if (r->range.category) text(",\"category\":"), name_of(r->range.category);
    text("}}");
}

static void print_range(const CucpuRecord *r, uint32_t thread) {
    timed(r, HOST, thread, "NVTX");
    name_of(r->name);
    print_range_args(r);
}

static void print_span(const CucpuRecord *r, uint32_t thread) {
    static uint64_t id;
    for (int end = 0; end < 2; end++) {
        begin_event(end ? "e" : "b", HOST, thread);
        at("ts", since_start(end ? r->end : r->start));
        field("id", id);
        text(",\"cat\":\"NVTX\",\"name\":");
        name_of(r->name);
        print_range_args(r);
    }
    id++;
}

static void print_mark(const CucpuRecord *r, uint32_t thread) {
    begin_event("i", HOST, thread);
    at("ts", since_start(r->start));
    text(",\"s\":\"t\",\"cat\":\"NVTX\",\"name\":");
    name_of(r->name);
    print_range_args(r);
}

static void print_thread(const CucpuRecord *r) {
    begin_event("M", HOST, r->correlation);
    text(",\"name\":\"thread_name\",\"args\":{\"name\":");
    name_of(r->name);
    text("}}");
}

static void print_record(const CucpuRecord *r, uint32_t thread) {
    switch ((CucpuRecordKind)r->kind) {
    case CUCPU_REC_API: print_call(r, thread); break;
    case CUCPU_REC_KERNEL: print_kernel(r); break;
    case CUCPU_REC_SHARE: print_share(r); break;
    case CUCPU_REC_REFUSED: print_refused(r, thread); break;
    case CUCPU_REC_COPY:
    case CUCPU_REC_FILL:
    case CUCPU_REC_HOST: print_copy(r); break;
    case CUCPU_REC_RANGE: print_range(r, thread); break;
    case CUCPU_REC_SPAN: print_span(r, thread); break;
    case CUCPU_REC_MARK: print_mark(r, thread); break;
    case CUCPU_REC_THREAD: print_thread(r); break;
    case CUCPU_REC_NONE:
    case CUCPU_REC_OWNER:
    case CUCPU_REC_STRING:
    case CUCPU_REC_KERNEL_INFO: break;
    }
}

/* ---- the file ---- */

static void each_record(void (*f)(const CucpuRecord *r, uint32_t thread)) {
    uint32_t chunks = __atomic_load_n(&rt_profile_header()->chunks, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < chunks; i++) {
        const CucpuProfileChunk *c = rt_profile_chunk(i);
        uint32_t used = c ? __atomic_load_n(&c->used, __ATOMIC_ACQUIRE) : 0;
        for (uint32_t k = 0, thread = c ? c->thread : 0; k < used; k++) {
            const CucpuRecord *r = &c->records[k];
            if (r->kind == CUCPU_REC_OWNER) thread = r->correlation;
            f(r, thread);
            if (r->kind == CUCPU_REC_STRING) k += cucpu_string_slots(r->string.bytes) - 1;
        }
    }
}

static void count_number(const CucpuRecord *r, uint32_t thread) {
    (void)thread;
    uint32_t n = r->kind == CUCPU_REC_STRING ? r->string.id : r->kind == CUCPU_REC_KERNEL_INFO ? r->correlation : 0;
    if (n >= numbers) numbers = n + 1;
}

static void note_name(const CucpuRecord *r, uint32_t thread) {
    (void)thread;
    if (r->kind == CUCPU_REC_STRING && r->string.id < numbers) strings[r->string.id] = r;
    else if (r->kind == CUCPU_REC_KERNEL_INFO && r->correlation < numbers) infos[r->correlation] = r;
}

static bool find_names(void) {
    each_record(count_number);
    void *p =
        mmap(NULL, 2 * (numbers + 1) * sizeof *strings, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    strings = p;
    infos = strings + numbers;
    each_record(note_name);
    return true;
}

static void begin_file(void) {
    out.fd = file;
    out.first = true;
    out.n = 0;
    text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    name_track("process_name", HOST, 0, "threads", 0, false);
    name_track("process_name", STREAMS, 0, "streams", 0, false);
    name_track("process_name", WORKERS, 0, "workers", 0, false);
}

static void end_file(void) {
    text("\n]}\n");
    flush();
}

/* NAME.json of another process is NAME.PID.json. */
static void with_pid(char *to, size_t n, const char *name) {
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    size_t stem = dot && (!slash || dot > slash + 1) && dot != name ? (size_t)(dot - name) : strlen(name);
    snprintf(to, n, "%.*s.%d%s", (int)stem, name, (int)getpid(), name + stem);
}

static int open_own(const char *name) {
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) return fd;
    close(fd);
    return -1;
}

bool rt_chrome_open(const char *name, char *used, size_t n) {
    snprintf(used, n, "%s", name);
    file = open_own(name);
    if (file < 0 && errno == EWOULDBLOCK) with_pid(used, n, name), file = open_own(used);
    if (file < 0) return false;
    if (ftruncate(file, 0)) {} /* a pipe, or a device */
    begin_file();
    end_file();
    return true;
}

void rt_chrome_write(void) {
    static atomic_flag once = ATOMIC_FLAG_INIT;
    if (file < 0 || atomic_flag_test_and_set(&once) || !find_names()) return;
    if (lseek(file, 0, SEEK_SET) < 0 || ftruncate(file, 0)) return;
    begin_file();
    each_record(print_record);
    end_file();
}
