/* nvtx.c: ranges and marks of NVTX.
**
** They come in three ways: by our header, which calls cucpu_nvtx_event and cucpu_nvtx_name if they are there; by the
** functions that libnvToolsExt.so has, in programs that were built for NVIDIA's; and by NVIDIA's own header, which
** loads the library that NVTX_INJECTION64_PATH names and calls InitializeInjectionNvtx2.  A domain and a registered
** string are the numbers of their texts (record.h). */
#define _GNU_SOURCE
#define CUCPU_NVTX_TYPES_ONLY
#include "profile/nvtx.h"
#include "nvtx3/nvToolsExt.h"
#include "profile/record.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define TLS _Thread_local __attribute__((tls_model("initial-exec")))
enum { MARK, PUSH, POP, START, END };      /* as in nvToolsExt.h */
enum { DOMAIN, STRING, CATEGORY, THREAD }; /* as in nvToolsExt.h */
enum { DEPTH = 128, MAX_WIDE = 1024 };

typedef struct Span {
    struct Span *next;
    CucpuRecord record;
    uint64_t id;
} Span;
typedef struct Category {
    struct Category *next;
    uint32_t domain, id, name;
} Category;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Span *spans;
static Category *categories;
static uint64_t last_id;
static TLS CucpuRecord *pushed; /* of this thread: DEPTH records */
static TLS int depth;           /* may be more than DEPTH */

/* ---- texts ---- */

static char *put_utf8(char *to, uint32_t c) {
    if (c < 0x80) return *to++ = (char)c, to;
    if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
    } else {
        *to++ = (char)(0xf0 | (c >> 18 & 7));
        *to++ = (char)(0x80 | (c >> 12 & 63));
        *to++ = (char)(0x80 | (c >> 6 & 63));
    }
    *to++ = (char)(0x80 | (c & 63));
    return to;
}

static uint32_t text_number(const char *ascii, const wchar_t *wide) {
    if (ascii) return rt_record_text(ascii);
    if (!wide) return 0;
    char text[4 * MAX_WIDE + 1], *to = text;
    for (int i = 0; i < MAX_WIDE && wide[i]; i++) to = put_utf8(to, (uint32_t)wide[i]);
    *to = 0;
    return rt_record_text(text);
}

static uint32_t message_number(const nvtxEventAttributes_t *a) {
    switch (a->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: return text_number(a->message.ascii, NULL);
    case NVTX_MESSAGE_TYPE_UNICODE: return text_number(NULL, a->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: return (uint32_t)(uintptr_t)a->message.registered;
    }
    return 0;
}

static uint32_t category_name(uint32_t domain, uint32_t id) {
    pthread_mutex_lock(&lock);
    const Category *c = categories;
    while (c && (c->domain != domain || c->id != id)) c = c->next;
    pthread_mutex_unlock(&lock);
    return c ? c->name : 0;
}

static void name_category(uint32_t domain, uint32_t id, uint32_t name) {
    Category *c = malloc(sizeof *c);
    if (!c) return;
    pthread_mutex_lock(&lock);
    *c = (Category){categories, domain, id, name};
    categories = c;
    pthread_mutex_unlock(&lock);
}

/* ---- events ---- */

static CucpuRecord make_record(uint32_t domain, const nvtxEventAttributes_t *a) {
    CucpuRecord r = {.name = a ? message_number(a) : 0, .flags = rt_profiled};
    r.range.domain = domain;
    if (!a) return r;
    if (a->category) r.range.category = category_name(domain, a->category);
    if (a->colorType == NVTX_COLOR_ARGB) r.range.color = a->color;
    r.range.payload = (uint32_t)a->payloadType;
    r.range.number = a->payload.ullValue;
    r.start = rt_profile_now();
    return r;
}

static void finish_record(CucpuRecord *r, uint16_t kind) {
    r->kind = kind;
    r->end = kind == CUCPU_REC_MARK ? r->start : rt_profile_now();
    if (r->flags || rt_profiled) rt_record(r); /* recorded at its beginning, or now */
}

static uint64_t push(const CucpuRecord *r) {
    if (!pushed) pushed = malloc(DEPTH * sizeof *pushed);
    if (depth < DEPTH && pushed) pushed[depth] = *r;
    return (uint64_t)depth++;
}

/* The last one of the domain: those of others may have been begun later. */
static uint64_t pop(uint32_t domain) {
    if (depth > DEPTH || !pushed) return depth ? (uint64_t)--depth : (uint64_t)-1;
    int i = depth - 1;
    while (i >= 0 && pushed[i].range.domain != domain) i--;
    if (i < 0) return (uint64_t)-1;
    finish_record(&pushed[i], CUCPU_REC_RANGE);
    memmove(pushed + i, pushed + i + 1, (size_t)(--depth - i) * sizeof *pushed);
    return (uint64_t)depth;
}

static uint64_t start_span(const CucpuRecord *r) {
    Span *s = malloc(sizeof *s);
    if (!s) return 0;
    pthread_mutex_lock(&lock);
    *s = (Span){spans, *r, ++last_id};
    spans = s;
    pthread_mutex_unlock(&lock);
    return s->id;
}

static void end_span(uint64_t id) {
    pthread_mutex_lock(&lock);
    Span **at = &spans, *s;
    while ((s = *at) && s->id != id) at = &s->next;
    if (s) *at = s->next;
    pthread_mutex_unlock(&lock);
    if (s) finish_record(&s->record, CUCPU_REC_SPAN);
    free(s);
}

static uint64_t event(int what, uint32_t domain, const nvtxEventAttributes_t *a, uint64_t id) {
    CucpuRecord r;
    if (!rt_profile_is_open()) return 0;
    switch (what) {
    case POP: return pop(domain);
    case END: return end_span(id), 0;
    }
    r = make_record(domain, a);
    if (what == PUSH) return push(&r);
    if (what == START) return start_span(&r);
    finish_record(&r, CUCPU_REC_MARK);
    return 0;
}

static void *name(int what, uint32_t domain, uint32_t id, const char *ascii, const wchar_t *wide) {
    if (!rt_profile_is_open()) return NULL;
    uint32_t text = text_number(ascii, wide);
    if (what == CATEGORY) name_category(domain, id, text);
    if (what == THREAD) rt_record(&(CucpuRecord){.kind = CUCPU_REC_THREAD, .name = text, .correlation = id});
    return what == DOMAIN || what == STRING ? (void *)(uintptr_t)text : NULL;
}

void rt_close_nvtx(void) {
    while (depth > DEPTH) depth--;
    while (depth && pushed) pop(pushed[depth - 1].range.domain);
}

/* ---- the functions ---- */

typedef nvtxDomainHandle_t Domain;
typedef const nvtxEventAttributes_t Attributes;
static uint32_t number(const void *handle) { return (uint32_t)(uintptr_t)handle; }

EXPORT uint64_t cucpu_nvtx_event(int what, Domain domain, Attributes *a, uint64_t id);
EXPORT void *cucpu_nvtx_name(int what, Domain domain, uint32_t id, const char *ascii, const wchar_t *wide);
uint64_t cucpu_nvtx_event(int what, Domain domain, Attributes *a, uint64_t id) {
    return event(what, number(domain), a, id);
}
void *cucpu_nvtx_name(int what, Domain domain, uint32_t id, const char *ascii, const wchar_t *wide) {
    return name(what, number(domain), id, ascii, wide);
}

static uint64_t text_event(int what, const char *ascii, const wchar_t *wide) {
    nvtxEventAttributes_t a = {.messageType = wide ? NVTX_MESSAGE_TYPE_UNICODE : NVTX_MESSAGE_TYPE_ASCII};
    if (wide) a.message.unicode = wide;
    else a.message.ascii = ascii;
    return event(what, 0, &a, 0);
}

/* NVTX_F(module, number in its table of callbacks, result, name, parameters, value) */
#define NVTX_FUNCTIONS                                                                                                 \
    NVTX_F(1, 1, void, nvtxMarkEx, (Attributes * a), event(MARK, 0, a, 0))                                             \
    NVTX_F(1, 2, void, nvtxMarkA, (const char *s), text_event(MARK, s, NULL))                                          \
    NVTX_F(1, 3, void, nvtxMarkW, (const wchar_t *s), text_event(MARK, NULL, s))                                       \
    NVTX_F(1, 4, uint64_t, nvtxRangeStartEx, (Attributes * a), event(START, 0, a, 0))                                  \
    NVTX_F(1, 5, uint64_t, nvtxRangeStartA, (const char *s), text_event(START, s, NULL))                               \
    NVTX_F(1, 6, uint64_t, nvtxRangeStartW, (const wchar_t *s), text_event(START, NULL, s))                            \
    NVTX_F(1, 7, void, nvtxRangeEnd, (uint64_t id), event(END, 0, NULL, id))                                           \
    NVTX_F(1, 8, int, nvtxRangePushEx, (Attributes * a), event(PUSH, 0, a, 0))                                         \
    NVTX_F(1, 9, int, nvtxRangePushA, (const char *s), text_event(PUSH, s, NULL))                                      \
    NVTX_F(1, 10, int, nvtxRangePushW, (const wchar_t *s), text_event(PUSH, NULL, s))                                  \
    NVTX_F(1, 11, int, nvtxRangePop, (void), event(POP, 0, NULL, 0))                                                   \
    NVTX_F(1, 12, void, nvtxNameCategoryA, (uint32_t id, const char *s), name(CATEGORY, 0, id, s, NULL))               \
    NVTX_F(1, 13, void, nvtxNameCategoryW, (uint32_t id, const wchar_t *s), name(CATEGORY, 0, id, NULL, s))            \
    NVTX_F(1, 14, void, nvtxNameOsThreadA, (uint32_t id, const char *s), name(THREAD, 0, id, s, NULL))                 \
    NVTX_F(1, 15, void, nvtxNameOsThreadW, (uint32_t id, const wchar_t *s), name(THREAD, 0, id, NULL, s))              \
    NVTX_F(5, 1, void, nvtxDomainMarkEx, (Domain d, Attributes * a), event(MARK, number(d), a, 0))                     \
    NVTX_F(5, 2, uint64_t, nvtxDomainRangeStartEx, (Domain d, Attributes * a), event(START, number(d), a, 0))          \
    NVTX_F(5, 3, void, nvtxDomainRangeEnd, (Domain d, uint64_t id), event(END, number(d), NULL, id))                   \
    NVTX_F(5, 4, int, nvtxDomainRangePushEx, (Domain d, Attributes * a), event(PUSH, number(d), a, 0))                 \
    NVTX_F(5, 5, int, nvtxDomainRangePop, (Domain d), event(POP, number(d), NULL, 0))                                  \
    NVTX_F(5, 8, void, nvtxDomainNameCategoryA, (Domain d, uint32_t id, const char *s),                                \
           name(CATEGORY, number(d), id, s, NULL))                                                                     \
    NVTX_F(5, 9, void, nvtxDomainNameCategoryW, (Domain d, uint32_t id, const wchar_t *s),                             \
           name(CATEGORY, number(d), id, NULL, s))                                                                     \
    NVTX_F(5, 10, void *, nvtxDomainRegisterStringA, (Domain d, const char *s), name(STRING, number(d), 0, s, NULL))   \
    NVTX_F(5, 11, void *, nvtxDomainRegisterStringW, (Domain d, const wchar_t *s),                                     \
           name(STRING, number(d), 0, NULL, s))                                                                        \
    NVTX_F(5, 12, void *, nvtxDomainCreateA, (const char *s), name(DOMAIN, 0, 0, s, NULL))                             \
    NVTX_F(5, 13, void *, nvtxDomainCreateW, (const wchar_t *s), name(DOMAIN, 0, 0, NULL, s))
/* Without a callback: NVIDIA's library has them, too. */
#define NVTX_NOTHING                                                                                                   \
    NVTX_F(0, 0, void, nvtxDomainDestroy, (Domain d), (void)d)                                                         \
    NVTX_F(0, 0, void, nvtxInitialize, (const void *reserved), (void)reserved)                                         \
    NVTX_F(0, 0, void *, nvtxDomainResourceCreate, (Domain d, void *a), ((void)d, (void)a, NULL))                      \
    NVTX_F(0, 0, void, nvtxDomainResourceDestroy, (void *r), (void)r)

#define NVTX_F(module, number, result, function, parameters, value)                                                    \
    EXPORT result function parameters;                                                                                 \
    result function parameters { return (result)(value); }
NVTX_FUNCTIONS
NVTX_NOTHING
#undef NVTX_F

/* ---- NVIDIA's header ---- */

typedef void Function(void);
typedef struct Callbacks { /* NvtxExportTableCallbacks */
    size_t bytes;
    int (*table_of)(int module, Function ****table, unsigned *size);
} Callbacks;

static void set_callback(const Callbacks *c, int module, unsigned at, Function *f) {
    Function ***table = NULL;
    unsigned size = 0;
    if (c->table_of(module, &table, &size) && table && at < size && table[at]) *table[at] = f;
}

EXPORT int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));
int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id)) {
    enum { CALLBACKS = 1 };
    const Callbacks *c = export_table(CALLBACKS);
    if (!c || c->bytes < sizeof *c) return 0;
#define NVTX_F(module, number, result, function, parameters, value)                                                    \
    set_callback(c, module, number, (Function *)function);
    NVTX_FUNCTIONS
#undef NVTX_F
    return 1;
}

void rt_inject_nvtx(void) {
    Dl_info here;
    if (dladdr((void *)(uintptr_t)InitializeInjectionNvtx2, &here) && here.dli_fname)
        setenv("NVTX_INJECTION64_PATH", here.dli_fname, 0);
}
