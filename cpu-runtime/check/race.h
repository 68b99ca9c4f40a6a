/* race.h: parts of racecheck: race.c (accesses), order.c (what happens before what), hazards.c (reports). */
#ifndef CUCPU_CHECK_RACE_H
#define CUCPU_CHECK_RACE_H
#include "check/check.h"

/* Who has accessed a word last, in 64 bits; 0 = nobody. */
typedef uint64_t Stamp;
enum { RECORD_BITS = 28, THREAD_BITS = 10, CLOCK_BITS = 8, SITE_BITS = 14 };
enum { MAX_CLOCK = (1 << CLOCK_BITS) - 1, MAX_SITE = (1 << SITE_BITS) - 1, MAX_RECORD = (1 << RECORD_BITS) - 1 };
typedef struct Access {
    uint32_t record, thread, clock, site;
    bool atomic, block_scope; /* block_scope: of the block's scope alone */
    bool is_volatile, fenced; /* fenced: the thread has executed a fence before */
} Access;
enum { RACE_ATOMIC = 1 << 17, RACE_BLOCK_SCOPE = 1 << 16 };
static inline Stamp race_pack(const Access *a) {
    return (Stamp)a->record << 36 | (Stamp)a->thread << 26 | (Stamp)a->clock << 18 | (Stamp)a->atomic << 17 |
           (Stamp)a->block_scope << 16 | (Stamp)a->is_volatile << 15 | (Stamp)a->fenced << 14 | a->site;
}

static inline Access race_unpack(Stamp s) {
    return (Access){.record = (uint32_t)(s >> 36),
                    .thread = s >> 26 & 1023,
                    .clock = s >> 18 & MAX_CLOCK,
                    .atomic = s >> 17 & 1,
                    .block_scope = s >> 16 & 1,
                    .is_volatile = s >> 15 & 1,
                    .fenced = s >> 14 & 1,
                    .site = s & MAX_SITE};
}

/* ---- order.c ---- */
typedef struct Order { /* of a block that runs, and of its threads */
    uint64_t block;
    uint32_t first_record; /* records of the block are this or more */
    uint32_t record, record_epoch, record_grid;
    uint32_t earlier, last_epoch; /* records of the block below `earlier` are of epochs before the last; unless ... */
    bool mixed;                   /* ... a thread was behind another one */
    int acquired;                 /* the last acquire of its threads, in a table; -1 = none */
    bool warps;                   /* a function of a warp has been called: `known` is in use */
    bool has_clocks;              /* what follows `epoch` is in use */
    bool plain;                   /* CUCPU_KERNEL_PLAIN: no fences, so that a compare-and-swap takes no lock */
    uint32_t epoch[1024];         /* barriers of the block that a thread has left */
    uint32_t grid[1024];          /* of the grid */
    uint8_t clock[1024];          /* what a thread has done since that others may wait for */
    uint32_t
        partial[1024]; /* records that are older were before the last barrier of a part of the block that it left */
    uint8_t fence_clock[1024];  /* at the last fence, + 1; 0 = none since the barrier */
    uint32_t fence_epoch[1024]; /* at the last fence, + 1; 0 = none */
    bool fence_block[1024];     /* which is of the block's scope */
    bool compared[1024];        /* has tried a compare-and-swap since: the next fence may be that of a lock */
    struct {
        uintptr_t address;
        uint32_t epoch;
        uint8_t taken, fenced; /* clocks; fenced 0 = not yet */
        bool block_scope;
    } lock[1024];          /* the last compare-and-swap of a thread */
    bool flag_fence[1024]; /* the last fence was not */
    bool leaving[1024];    /* is released from a function of its warp that was accounted for */
    struct {
        int log;
        uint32_t length;
    } pending[1024];  /* a read that becomes an acquire by a fence; log -1 = none */
    int fences[1024]; /* those of the epoch of its last fence, in a table, once it has left that; -1 = none */
    int epoch_fences; /* those of the last epoch whose are there: last_fences; -1 = none */
    uint32_t last_fences;
    bool ready;          /* has been in use before */
    struct Cell *shadow; /* of the shared memory: of its first word */
    size_t shadow_words;
    /* ---- in use where `warps` ---- */
    uint8_t known[1024][32];  /* clocks of the lanes of its warp up to which their accesses are before it ... */
    uint8_t fenced[1024][32]; /* ... before its last fence */
} Order;
/* A grid, or the copies and fills of an operation, in time.  Blocks have numbers of their own. */
typedef struct RaceLaunch {
    uint32_t first, first_block, op; /* records from `first` on; its operation: check.h */
    bool before;                     /* the one that runs now */
    uint32_t grid[3], block[3];
    const char *name; /* of what is no grid, or NULL */
    bool lifetime;    /* it stores no values: RtTransfer */
} RaceLaunch;
void race_new_launch(const RtLaunch *l, const RtTransfer *t); /* one of them is NULL */
const RaceLaunch *race_launch_of(uint32_t record);
void race_new_block(Order *o, uint64_t block);
void race_forget_acquires(Order *o); /* another launch has ended meanwhile */
uint32_t race_start(void);           /* the first of the launch that runs */
uint32_t race_low(void);             /* what earlier records are of is before the launch that runs */
uint32_t race_new_record(Order *o, uint32_t thread);
/* Of the thread's position; 0 = there are no more. */
static inline uint32_t race_record(Order *o, uint32_t t) {
    if (o->record && o->record_epoch == o->epoch[t] && o->record_grid == o->grid[t]) return o->record;
    return race_new_record(o, t);
}
uint64_t race_block_of(uint32_t record);
bool race_is_live(uint32_t record); /* of this launch, or of one that is not before it */
bool race_before(Order *o, uint32_t thread, const Access *a, uintptr_t address); /* of a */
bool race_before_in_block(Order *o, uint32_t thread, const Access *a);           /* of the same block; in little time */
void race_barrier(Order *o, uint32_t thread, uint32_t flags);
void race_warp(Order *o, uint32_t thread, uint32_t mask);
void race_fence(Order *o, uint32_t thread, bool block_scope);
bool race_has_releases(void); /* of any address */
/* A strong access: what is released there, and acquired. */
void race_synchronise(Order *o, uint32_t thread, uintptr_t address, const CucpuSite *s);

/* ---- host.c: of managed and pinned memory ---- */
void race_note_page(uintptr_t p, uint32_t op); /* the operation accesses it */
void race_open_pages(void);                    /* an operation begins ... */
void race_close_pages(void);                   /* ... the host goes on */
/* race.c: by the host, or what runs for it, at `name`; true: it races. */
bool race_host_access(uintptr_t p, bool writes, const char *name);

/* ---- hazards.c ---- */
typedef struct Hazard {
    Access before, after; /* in the order of this run */
    bool before_writes, after_writes;
    uint64_t blocks[2];
    RtSpace space;
    uintptr_t address;  /* of shared memory: the offset */
    const void *memory; /* its bytes */
    unsigned bytes;
} Hazard;
void race_hazard(const Hazard *z);
void race_settle_pending(void);
extern unsigned race_npending;
extern uint64_t race_found; /* hazards */
/* race.c: the thread has written these bytes in the same step of a group as the access that is compared does; same: the
** same value. */
bool race_in_group(uint32_t thread, uint64_t bytes, bool *same);
static inline void race_settle(void) { /* the last access has taken place */
    if (race_npending) race_settle_pending();
}
void race_report(void); /* at the end of a launch */
#endif
