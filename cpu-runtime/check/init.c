/* init.c: reads of memory that nobody has written.
**
** What cudaMalloc gives, and the shared memory of a block when it begins, is filled with words that follow from their
** addresses.  A word that still has its own was never written, by whomever: kernels, copies, the host, libraries.  So
** there is no shadow memory, and nothing has to be told of writes.  A word that is written and has the value by chance:
** one of 2^32.  What is smaller than a word counts as written with the word around it. */
#include "check/check.h"
#include "space/alloc.h"
#include <pthread.h>
#include <string.h>

static uint32_t word_at(uintptr_t address) { return CUCPU_FRESH_WORD(address); }

static void fill(uintptr_t base, size_t bytes) {
    for (uintptr_t at = (base + 3) & ~(uintptr_t)3; at + 4 <= base + bytes; at += 4) *(uint32_t *)at = word_at(at);
}

static void on_alloc(const RtAlloc *a) {
    if (rt_checks(CUCPU_CHECK_INIT) && a->how == RT_BY_MALLOC && a->kind == cudaMemoryTypeDevice)
        fill(a->base, a->size);
}

void rt_init_begin(void) {
    if (rt_checks(CUCPU_CHECK_INIT)) rt_on_alloc(on_alloc);
}

void rt_init_block(RtHere *h) {
    if (!(h->launch->kernel->abi->flags & (CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER)))
        fill(h->shared, h->shared_bytes);
}

/* None of the words of the active lanes, all of which are in memory that is looked at, is fresh; or all are written.
** False: it is to be found out lane by lane. */
bool rt_init_is_right(RtHere *h, const RtAccess *all, const CucpuLanes *lanes, uint64_t bytes) {
    if (all->space == RT_LOCAL || bytes % 4 || bytes > 16 || all->address % 4) return false;
    if (all->space == RT_SHARED && all->address + all->bytes > h->shared + h->shared_bytes) return false;
    if (all->space == RT_GLOBAL && (all->object || !rt_memory_is_known(h, all))) return all->object != 0;
    if (!(all->site->flags & CUCPU_SITE_READ)) return true;
    uint64_t fresh = 0;
    for (uint64_t left = lanes->mask; left; left &= left - 1) {
        uintptr_t at = lanes->address[__builtin_ctzll(left)], end = at + bytes;
        if (at % 4) return false;
        for (; at < end; at += 4) fresh |= *(const uint32_t *)at == word_at(at);
    }
    return !fresh;
}

static bool is_fresh(uintptr_t at) { return *(const uint32_t *)at == word_at(at); }

/* Of a copy, which may have padding, no word at all was written. */
static bool is_uninitialised(const RtAccess *a) {
    uintptr_t first = a->address & ~(uintptr_t)3, end = a->address + a->bytes;
    bool copy = a->site->size != a->bytes || a->bytes > 16, any = false, all = true;
    for (uintptr_t at = first; at < end; at += 4) {
        bool fresh = is_fresh(at);
        any |= fresh, all &= fresh;
    }
    return copy ? all : any;
}

/* ---- reports: one for each word and site, so that a value that is the word's own by chance is not told again and
** again ---- */

enum { TOLD = 1 << 16 };
static struct {
    uintptr_t word;
    uint32_t site;
} told[TOLD]; /* open addressing; full at half: what comes then is told each time */
static uint32_t ntold;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_told(uintptr_t word, uint32_t site) {
    pthread_mutex_lock(&lock);
    size_t i = ((word >> 2) * 0x9e3779b1u + site * 0x85ebca6bu) % TOLD;
    while (told[i].word && (told[i].word != word || told[i].site != site)) i = (i + 1) % TOLD;
    bool found = told[i].word != 0;
    if (!found && ntold < TOLD / 2) told[i].word = word, told[i].site = site, ntold++;
    pthread_mutex_unlock(&lock);
    return found;
}

/* The first word of the access that nobody has written. */
static uintptr_t first_fresh(uintptr_t at, uintptr_t end) {
    for (at &= ~(uintptr_t)3; at < end && !is_fresh(at);) at += 4;
    return at;
}

/* Shared memory is another one in each block. */
static bool is_told_of(const RtHere *h, const RtAccess *a) {
    uintptr_t word = first_fresh(a->address, a->address + a->bytes);
    return is_told(a->space == RT_SHARED ? word - h->shared + (h->number << 44) + (h->block << 20) + 1 : word,
                   a->site->number);
}

/* Before a write of a part of a word: the part may have the value already. */
static void spoil(uintptr_t word, const RtAccess *a) {
    if (a->bytes < 4 && is_fresh(word)) *(uint32_t *)word = ~word_at(word);
}

void rt_init_check(RtHere *h, const RtAccess *a) {
    char n[32];
    if (a->space == RT_LOCAL || a->bytes > 4096) return;
    if (a->space == RT_GLOBAL && (a->object || !rt_memory_is_known(h, a))) return;
    uintptr_t low = a->address & ~(uintptr_t)3;
    RtAccess words = *a;
    words.address = low, words.bytes = (a->address + a->bytes - low + 3) & ~(uint64_t)3;
    if (a->space == RT_GLOBAL && !rt_memory_is_known(h, &words)) return;
    if (a->space == RT_SHARED && words.address + words.bytes > h->shared + h->shared_bytes) return;
    if (!(a->site->flags & CUCPU_SITE_READ)) {
        spoil(low, a);
        return;
    }
    if (!is_uninitialised(a) || is_told_of(h, a)) return;
    if (!rt_report_begin(RT_ERROR)) return;
    rt_report("Uninitialized __%s__ memory read of size %s bytes", a->space == RT_SHARED ? "shared" : "global",
              rt_commas(a->bytes, n));
    rt_report_site(a->site);
    rt_report_thread(h);
    rt_report("    Address 0x%llx", (unsigned long long)(a->space == RT_SHARED ? a->address - h->shared : a->address));
    rt_report_callers(a->site);
    rt_report_end();
}

static bool is_filled(const void *p) {
    RtAlloc a;
    return rt_find_alloc(p, &a) && a.how == RT_BY_MALLOC && a.kind == cudaMemoryTypeDevice;
}

/* A row was copied within the device: words that nobody has written are still that.  They have come with the value
** that they had where they were, also where the two overlap.  In another part of a word they count as written. */
void rt_init_moved(const void *dst, const void *src, size_t bytes) {
    uintptr_t first = ((uintptr_t)dst + 3) & ~(uintptr_t)3, end = (uintptr_t)dst + bytes,
              back = (uintptr_t)src - (uintptr_t)dst;
    if (back % 4 || !is_filled(src) || !is_filled(dst)) return;
    for (uintptr_t at = first; at + 4 <= end; at += 4)
        if (*(const uint32_t *)at == word_at(at + back)) *(uint32_t *)at = word_at(at);
}

/* A copy to the host, from device memory. */
void rt_init_copy(const void *src, size_t width, size_t pitch, size_t height) {
    RtAlloc a;
    if (!rt_find_alloc(src, &a) || a.how != RT_BY_MALLOC || a.kind != cudaMemoryTypeDevice) return;
    uint64_t fresh = 0;
    uintptr_t first = 0;
    for (size_t y = 0; y < height; y++) {
        uintptr_t at = ((uintptr_t)src + y * pitch + 3) & ~(uintptr_t)3, end = (uintptr_t)src + y * pitch + width;
        for (; at + 4 <= end; at += 4) {
            if (!is_fresh(at)) continue;
            if (!first) first = at;
            fresh += 4;
        }
    }
    char n[32], m[32];
    if (!fresh || is_told(first, 0) || !rt_report_begin(RT_ERROR)) return;
    rt_report("Host API uninitialized memory access: copy of %s bytes to the host", rt_commas(width * height, n));
    rt_report("    Address 0x%llx is the first of %s bytes that nobody has written", (unsigned long long)first,
              rt_commas(fresh, m));
    rt_report("    and is inside the allocation at 0x%llx of size %s bytes", (unsigned long long)a.base,
              rt_commas(a.size, n));
    rt_report_end();
}
