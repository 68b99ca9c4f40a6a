/* record.c: the buffers of recorded activities.
**
** A chunk belongs to the thread that took it until it is full; the thread publishes each record by the count in the
** head of the chunk.  Memory comes in huge pages: what a record costs is mostly its share of the page's first use. */
#define _GNU_SOURCE
#include "profile/record.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TLS _Thread_local __attribute__((tls_model("initial-exec")))
enum { MAX_CHUNKS = 1 << 16, SLAB = 2 << 20, TABLE = 1 << 16, CACHE = 512, MAX_TEXT = 8000 };

_Atomic bool rt_profiled;
static _Atomic bool opened, dying, ended;
static CucpuProfileHeader *header;
static _Atomic(CucpuProfileChunk *) chunks[MAX_CHUNKS];
static TLS CucpuProfileChunk *own;
static TLS RtDoing doing;
/* The address of a constant leads to its number: a table, since there is little room for thread-local variables in a
** library that programs open while they run. */
typedef struct Known {
    const char *text;
    uint32_t id;
} Known;
static TLS Known *known;
static pthread_key_t own_key; /* gives the chunk of a thread that ends to the next one */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CucpuProfileChunk *spare[256];
static int spares;

/* ---- chunks ---- */

static char *slab, *slab_end; /* what is left of a huge page */

static CucpuProfileChunk *take_memory(void) { /* lock held */
    if (slab == slab_end) {
        char *p = mmap(NULL, 2 * SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) return NULL;
        slab = p + (SLAB - (uintptr_t)p % SLAB) % SLAB;
        slab_end = slab + SLAB;
        if (slab > p) munmap(p, (size_t)(slab - p));
        if (p + 2 * SLAB > slab_end) munmap(slab_end, (size_t)(p + 2 * SLAB - slab_end));
        madvise(slab, SLAB, MADV_HUGEPAGE);
    }
    slab += sizeof(CucpuProfileChunk);
    return (CucpuProfileChunk *)slab - 1;
}

static void keep_chunk(void *chunk) {
    const CucpuProfileChunk *c = chunk;
    pthread_mutex_lock(&lock);
    bool room_left = c->used < CUCPU_PROFILE_SLOTS / 2;
    if (room_left && spares < (int)(sizeof spare / sizeof *spare)) spare[spares++] = chunk;
    pthread_mutex_unlock(&lock);
    own = NULL;
    free(known);
    known = NULL;
}

/* Of a thread that has ended, with room: programs may start thousands. */
static CucpuProfileChunk *take_spare(uint32_t thread) { /* lock held */
    if (!spares) return NULL;
    CucpuProfileChunk *c = spare[--spares];
    c->records[c->used] = (CucpuRecord){.kind = CUCPU_REC_OWNER, .correlation = thread};
    __atomic_store_n(&c->used, c->used + 1, __ATOMIC_RELEASE);
    return c;
}

static CucpuProfileChunk *add_chunk(uint32_t thread) { /* lock held */
    uint32_t n = header->chunks;
    if (n == MAX_CHUNKS) return NULL;
    CucpuProfileChunk *c = take_memory();
    if (!c) return NULL;
    c->thread = thread;
    atomic_store(&chunks[n], c);
    __atomic_store_n(&header->chunks, n + 1, __ATOMIC_RELEASE);
    return c;
}

static CucpuProfileChunk *new_chunk(bool full) {
    if (dying) return NULL;
    uint32_t thread = (uint32_t)syscall(SYS_gettid);
    pthread_mutex_lock(&lock);
    CucpuProfileChunk *c = full ? NULL : take_spare(thread);
    if (!c) c = add_chunk(thread);
    pthread_mutex_unlock(&lock);
    pthread_setspecific(own_key, c);
    return own = c;
}

/* Room for n records; NULL: there is none. */
static CucpuRecord *room(uint32_t n) {
    CucpuProfileChunk *c = own;
    if (!c || c->used + n > CUCPU_PROFILE_SLOTS - 1) c = new_chunk(c != NULL);
    if (c && c->used + n <= CUCPU_PROFILE_SLOTS - 1) return &c->records[c->used];
    __atomic_fetch_add(&header->lost, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void publish(uint32_t n) { __atomic_store_n(&own->used, own->used + n, __ATOMIC_RELEASE); }

void rt_record(const CucpuRecord *r) {
    if (ended) return;
    CucpuRecord *to = room(1);
    if (!to) return;
    *to = *r;
    publish(1);
}

void rt_record_more(const CucpuRecord *r) {
    static TLS CucpuRecord *last;
    bool same = last && own && own->used && last == &own->records[own->used - 1] && last->name == r->name &&
                last->correlation == r->correlation && last->share.worker == r->share.worker;
    if (!same || !r->correlation || ended) {
        rt_record(r);
        last = own && own->used ? &own->records[own->used - 1] : NULL;
        return;
    }
    last->share.blocks += r->share.blocks;
    last->end = r->end;
}

const CucpuProfileHeader *rt_profile_header(void) { return header; }

const CucpuProfileChunk *rt_profile_chunk(uint32_t i) { return i < MAX_CHUNKS ? atomic_load(&chunks[i]) : NULL; }

RtDoing rt_doing(void) { return doing; }

RtDoing rt_set_doing(RtDoing d) {
    RtDoing before = doing;
    doing = d;
    return before;
}

/* ---- strings ---- */

typedef struct Text {
    struct Text *next;
    uint32_t id, bytes;
    char text[];
} Text;
static Text *table[TABLE];
static uint32_t texts;

static uint32_t hash(const char *s, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return (h ^ h >> 16) % TABLE;
}

static void record_text(const Text *t) {
    uint32_t n = cucpu_string_slots(t->bytes);
    CucpuRecord *r = room(n);
    if (!r) return;
    *r = (CucpuRecord){.kind = CUCPU_REC_STRING};
    r->string.id = t->id;
    r->string.bytes = t->bytes;
    memcpy((char *)r + offsetof(CucpuRecord, string.text), t->text, t->bytes);
    publish(n);
}

uint32_t rt_record_text(const char *text) {
    size_t n = strnlen(text, MAX_TEXT);
    Text **at = &table[hash(text, n)];
    pthread_mutex_lock(&lock);
    Text *t = *at;
    while (t && (t->bytes != n || memcmp(t->text, text, n))) t = t->next;
    bool found = t != NULL;
    if (!found && (t = malloc(sizeof *t + n))) {
        *t = (Text){.next = *at, .id = ++texts, .bytes = (uint32_t)n};
        memcpy(t->text, text, n);
        *at = t;
    }
    pthread_mutex_unlock(&lock);
    if (!found && t && !ended) record_text(t);
    return t ? t->id : 0;
}

uint32_t rt_record_constant(const char *text) {
    if (!known && !(known = calloc(CACHE, sizeof *known))) return rt_record_text(text);
    Known *k = &known[((uintptr_t)text >> 3 ^ (uintptr_t)text >> 12) % CACHE];
    if (k->text != text) *k = (Known){text, rt_record_text(text)};
    return k->id;
}

/* ---- beginning and end ---- */

/* The parent records what it does, and the child does not know of it. */
static void in_child(void) {
    rt_profiled = false;
    opened = false;
    ended = true;
}

static bool read_command(CucpuProfileHeader *h) {
    int f = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = f < 0 ? -1 : read(f, h->command, sizeof h->command - 1);
    if (f >= 0) close(f);
    for (ssize_t i = 0; i + 1 < n; i++)
        if (!h->command[i]) h->command[i] = ' ';
    return n >= 0;
}

static int64_t realtime_offset(uint64_t now) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec - (int64_t)now;
}

bool rt_profile_open(const CucpuProfileHeader *about) {
    static union {
        CucpuProfileHeader header;
        char page[CUCPU_PROFILE_PAGE];
    } memory;
    header = &memory.header;
    *header = *about;
    header->magic = CUCPU_PROFILE_MAGIC;
    header->start = rt_profile_now();
    header->start_ns = rt_profile_ns();
    header->to_realtime = realtime_offset(header->start_ns);
    header->pid = (uint32_t)getpid();
    read_command(header);
    pthread_key_create(&own_key, keep_chunk);
    pthread_atfork(NULL, NULL, in_child);
    opened = true;
    return true;
}

bool rt_profile_is_open(void) { return opened; }

void rt_profile_pause(bool pause) { rt_profiled = opened && !ended && !pause; }

void rt_profile_dying(void) { dying = true; }

void rt_profile_end(void) {
    if (!opened || ended) return;
    rt_profiled = false;
    ended = true;
    header->end = rt_profile_now();
    header->end_ns = rt_profile_ns();
}

static bool write_all(int f, const void *data, size_t bytes) {
    for (const char *p = data; bytes;) {
        ssize_t n = write(f, p, bytes);
        if (n <= 0) return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool rt_profile_save(const char *file) {
    int f = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = f >= 0 && write_all(f, header, CUCPU_PROFILE_PAGE);
    for (uint32_t i = 0; i < header->chunks && ok; i++) {
        const CucpuProfileChunk *c = rt_profile_chunk(i);
        ok = write_all(f, c, sizeof *c);
    }
    return f >= 0 && !close(f) && ok;
}
