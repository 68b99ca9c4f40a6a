/* hazards.c: reports of races: hazards, one for each pair of accesses, and what they come to for each pair of sites.
**
** A write over another thread's value is benign if it stores the same value again: that is known when it has taken
** place (race_settle). */
#include "check/race.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Pair {
    uint32_t sites[2];
    bool writes[2];
    uint64_t hazards, same; /* bytes; those of writes of the same value */
    bool mild;              /* all of them are: is_mild */
    Hazard example;
    bool reported;
} Pair;
enum { MAX_PAIRS = 4096 };
static Pair pairs[MAX_PAIRS];
static unsigned npairs;

static struct { /* a write over a write, before it takes place */
    Pair *pair;
    const void *memory;
    unsigned bytes;
    char old[4];
    bool mild;
    Hazard hazard;
} pending[64];
unsigned race_npending;

static bool within_warp(const Hazard *z) {
    return z->blocks[0] == z->blocks[1] && z->before.thread / 32 == z->after.thread / 32;
}

/* A warning: within a warp, or volatile data that is read without a fence, which CUDA's memory model allows. */
static bool is_mild(const Hazard *z) {
    bool flag = z->before.is_volatile && z->after.is_volatile && !(z->before_writes && z->after_writes);
    return within_warp(z) || flag;
}

static Pair *pair_of(const Hazard *z) {
    for (unsigned i = 0; i < npairs; i++) {
        Pair *p = &pairs[i];
        if (p->sites[0] == z->before.site && p->sites[1] == z->after.site && p->writes[0] == z->before_writes &&
            p->writes[1] == z->after_writes)
            return p;
    }
    if (npairs == MAX_PAIRS) return NULL;
    Pair *p = &pairs[npairs++];
    *p = (Pair){.sites = {z->before.site, z->after.site}, .writes = {z->before_writes, z->after_writes}};
    p->mild = true;
    p->example = *z;
    return p;
}

static void block_at(const RtLaunch *l, uint64_t b, uint32_t at[3]) {
    at[0] = (uint32_t)(b % l->abi.grid[0]);
    at[1] = (uint32_t)(b / l->abi.grid[0] % l->abi.grid[1]);
    at[2] = (uint32_t)(b / l->abi.grid[0] / l->abi.grid[1]);
}

static void thread_at(const RtLaunch *l, uint32_t linear, uint32_t at[3]) {
    at[0] = linear % l->abi.block[0];
    at[1] = linear / l->abi.block[0] % l->abi.block[1];
    at[2] = linear / l->abi.block[0] / l->abi.block[1];
}

static const char *kind(bool writes) { return writes ? "Write" : "Read"; }

static void report_side(const RtLaunch *l, const Access *a, uint64_t block, bool writes, const char *more) {
    uint32_t t[3], b[3];
    char text[1024];
    thread_at(l, a->thread, t);
    block_at(l, block, b);
    rt_report("    %s Thread (%u,%u,%u) in block (%u,%u,%u) at %s%s", kind(writes), t[0], t[1], t[2], b[0], b[1], b[2],
              rt_name_site(rt_site(a->site), text, sizeof text), more);
}

static void report_hazard(const RtLaunch *l, const Hazard *z, int severity) {
    static const char *const levels[] = {"Info", "Warning", "Error"};
    uint32_t b[3], value = 0;
    char current[64];
    if (severity < (int)rt_check.level || !rt_check.hazards || !rt_report_begin(severity)) return;
    const char *what = !z->after_writes ? "RAW" : z->before_writes ? "WAW" : "WAR";
    block_at(l, z->blocks[1], b);
    rt_report("%s: %sPotential %s hazard detected at __%s__ 0x%llx in block (%u,%u,%u) :", levels[severity],
              within_warp(z) ? "(Warp Level Programming) " : "", what, z->space == RT_SHARED ? "shared" : "global",
              (unsigned long long)z->address, b[0], b[1], b[2]);
    report_side(l, &z->before, z->blocks[0], z->before_writes, "");
    report_side(l, &z->after, z->blocks[1], z->after_writes, "");
    memcpy(&value, z->memory, z->bytes);
    snprintf(current, sizeof current, "%u", value);
    rt_report("    Current Value : %s", current);
    rt_report_end();
}

static void count(Pair *p, const RtLaunch *l, const Hazard *z, bool mild, bool same) {
    p->hazards += z->bytes;
    p->same += same ? z->bytes : 0;
    if (!mild) p->mild = false;
    if (rt_check.hazards) report_hazard(l, z, same ? RT_INFO : mild ? RT_WARNING : RT_ERROR);
}

static const RtLaunch *launch; /* that runs */

void race_settle_pending(void) {
    for (unsigned i = 0; i < race_npending; i++) {
        bool same = !memcmp(pending[i].memory, pending[i].old, pending[i].bytes);
        count(pending[i].pair, launch, &pending[i].hazard, pending[i].mild, same);
    }
    race_npending = 0;
}

void race_hazard(const RtHere *h, const Hazard *z) {
    Pair *p = pair_of(z);
    if (!p) return;
    launch = h->launch;
    bool mild = is_mild(z);
    if (z->before_writes && z->after_writes && race_npending < RT_COUNT(pending)) {
        pending[race_npending].pair = p, pending[race_npending].memory = z->memory,
        pending[race_npending].bytes = z->bytes;
        pending[race_npending].mild = mild, pending[race_npending].hazard = *z;
        memcpy(pending[race_npending++].old, z->memory, z->bytes);
        return;
    }
    count(p, h->launch, z, mild, false);
}

/* ---- the end of a grid ---- */

static void report_pair(const RtLaunch *l, const Pair *p) {
    static const char *const levels[] = {"Info", "Warning", "Error"};
    char first[1024], second[1024], n[32];
    int severity = p->same == p->hazards ? RT_INFO : p->mild ? RT_WARNING : RT_ERROR;
    const Hazard *z = &p->example;
    if (severity < (int)rt_check.level) return;
    if (!rt_report_begin(severity)) return;
    rt_report("%s: Race reported between %s access at %s", levels[severity], kind(p->writes[0]),
              rt_name_site(rt_site(p->sites[0]), first, sizeof first));
    rt_report("    and %s access at %s [%s hazards]%s", kind(p->writes[1]),
              rt_name_site(rt_site(p->sites[1]), second, sizeof second), rt_commas(p->hazards, n),
              severity == RT_INFO ? ", of the same value" : "");
    rt_report("    for example at __%s__ 0x%llx :", z->space == RT_SHARED ? "shared" : "global",
              (unsigned long long)z->address);
    report_side(l, &z->before, z->blocks[0], z->before_writes, "");
    report_side(l, &z->after, z->blocks[1], z->after_writes, "");
    rt_report_end();
}

void race_report(const RtHere *h) {
    for (unsigned i = 0; i < npairs && rt_check.analysis; i++)
        if (pairs[i].hazards) report_pair(h->launch, &pairs[i]);
    npairs = 0;
}
