/* host.c: accesses of the host to managed and pinned memory that operations of streams use.
**
** Code of the host is not compiled with checks.  So pages that an operation has accessed which the host has not waited
** for are protected while the host runs: an access is a fault, which is compared as an operation of its own, then the
** instruction is executed alone.  An access through the kernel of the operating system fails instead (EFAULT). */
#define _GNU_SOURCE
#include "check/cells.h"
#include "exec/fault.h"
#include "space/alloc.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>

enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS, MAX_PAGES = 1 << 18, CHECKED = 256 };
typedef struct Page {
    uintptr_t number;
    uint32_t op;
    uint32_t faults; /* that were compared; from CHECKED on it stays open */
} Page;
static Page *pages; /* sorted when they are protected */
static size_t npages, page_capacity;
static bool closed;
static uintptr_t recent[256]; /* page and operation, mixed */

static bool is_of_host(uintptr_t p) {
    RtAlloc a;
    return rt_find_alloc((void *)p, &a) && (a.how == RT_BY_MANAGED || a.how == RT_BY_HOST_ALLOC);
}

void race_note_page(uintptr_t p, uint32_t op) {
    uintptr_t number = p >> PAGE_BITS, *known = &recent[number % RT_COUNT(recent)],
              mixed = number ^ (uintptr_t)op << 40;
    if (*known == mixed) return;
    *known = mixed;
    if (!op || rt_check.no_host || npages == MAX_PAGES || !is_of_host(p)) return;
    if (npages == page_capacity) {
        size_t more = page_capacity ? 2 * page_capacity : 256;
        Page *grown = realloc(pages, more * sizeof *grown);
        if (!grown) return;
        pages = grown, page_capacity = more;
    }
    pages[npages++] = (Page){number, op, 0};
}

/* ---- protection ---- */

static int by_number(const void *a, const void *b) {
    const Page *p = a, *q = b;
    if (p->number != q->number) return p->number < q->number ? -1 : 1;
    return p->op < q->op ? -1 : p->op > q->op;
}

static void protect_all(int protection) {
    for (size_t i = 0, j; i < npages; i = j) {
        uintptr_t end = pages[i].number + 1;
        for (j = i + 1; j < npages && pages[j].number <= end && pages[j].faults < CHECKED; j++)
            end = pages[j].number + 1;
        bool open = pages[i].faults >= CHECKED && protection == PROT_NONE;
        if (!open) mprotect((void *)(pages[i].number << PAGE_BITS), (end - pages[i].number) << PAGE_BITS, protection);
    }
}

void race_open_pages(void) {
    if (closed) protect_all(PROT_READ | PROT_WRITE);
    closed = false;
}

/* Without those of operations that the host has waited for. */
static void drop_pages(void) {
    uint32_t *ops = malloc(npages * sizeof *ops), host = rt_order_new();
    bool *before = malloc(npages);
    size_t keep = 0;
    for (size_t i = 0; ops && i < npages; i++) ops[i] = pages[i].op;
    if (ops && before) rt_order_find(host, ops, before, npages);
    for (size_t i = 0; ops && before && i < npages; i++)
        if (!before[i]) pages[keep++] = pages[i];
    npages = keep;
    free(ops), free(before);
}

static void on_host_fault(int sig, siginfo_t *info, void *context);

static struct sigaction before_fault, before_trap;

static void install(void) {
    static bool done;
    if (done) return;
    struct sigaction a = {.sa_sigaction = on_host_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&a.sa_mask);
    sigaction(SIGSEGV, &a, &before_fault);
    sigaction(SIGTRAP, &a, &before_trap);
    done = true;
}

void race_close_pages(void) {
    race_open_pages();
    if (!npages) return;
    drop_pages();
    if (!npages) return;
    memset(recent, 0, sizeof recent);
    qsort(pages, npages, sizeof *pages, by_number);
    size_t keep = 1;
    for (size_t i = 1; i < npages; i++)
        if (by_number(&pages[i], &pages[keep - 1])) pages[keep++] = pages[i];
    npages = keep;
    install();
    protect_all(PROT_NONE);
    closed = true;
}

/* ---- faults of the host ---- */

static RT_TLS bool stepping;

static Page *find_page(uintptr_t p) {
    for (size_t i = 0; i < npages && closed; i++)
        if (pages[i].number == p >> PAGE_BITS && pages[i].faults < CHECKED) return &pages[i];
    return NULL;
}

/* Where the host is, for a while. */
static const char *name_of(uintptr_t pc) {
    static char names[64][256];
    static unsigned next;
    char line[200], *name = names[next++ % RT_COUNT(names)];
    bool known = rt_source_line(pc, line, sizeof line);
    snprintf(name, sizeof *names, known ? "the host in %s" : "the host", line);
    return name;
}

/* A page with a race is not looked at again. */
static void note_fault(uintptr_t number, bool found) {
    for (size_t i = 0; i < npages; i++)
        if (pages[i].number == number) pages[i].faults = found ? CHECKED : pages[i].faults + 1;
}

static void chain(int sig, siginfo_t *info, void *context) {
    struct sigaction *a = sig == SIGSEGV ? &before_fault : &before_trap;
    if (a->sa_flags & SA_SIGINFO) a->sa_sigaction(sig, info, context);
    else if (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN) a->sa_handler(sig);
    else signal(sig, SIG_DFL); /* the instruction runs again */
}

static void on_host_fault(int sig, siginfo_t *info, void *context) {
#ifdef __x86_64__
    enum { WRITES = 2, TRAP_FLAG = 0x100 };
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t p = (uintptr_t)info->si_addr;
    Page *page = sig == SIGSEGV ? find_page(p) : NULL;
    if (page) {
        uintptr_t number = page->number;
        bool found = race_host_access(p, (registers[REG_ERR] & WRITES) != 0, name_of((uintptr_t)registers[REG_RIP]));
        note_fault(number, found);
        race_open_pages();
        registers[REG_EFL] |= TRAP_FLAG;
        stepping = true;
        return;
    }
    if (sig == SIGTRAP && stepping) {
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        stepping = false;
        race_close_pages();
        return;
    }
#endif
    chain(sig, info, context);
}
