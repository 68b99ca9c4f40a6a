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
    uint32_t launch; /* of the first, by its first record */
    bool writes[2];
    uint64_t hazards, same; /* bytes; those of writes of the same value */
    bool mild;              /* all of them are: is_mild */
    Hazard example;
    bool reported;
} Pair;
enum { MAX_PAIRS = 4096 };
static Pair pairs[MAX_PAIRS];
static unsigned npairs;

typedef struct Pending { /* a write over a write, before it takes place */
    Pair *pair;
    const void *memory;
    unsigned bytes;
    char old[4];
    bool mild;
    bool together, same; /* in one step of a group: then nothing but `same` tells whether the values are */
    Hazard hazard;
} Pending;
static Pending *pending;
static unsigned pending_capacity;
unsigned race_npending;
uint64_t race_found;

static bool within_warp(const Hazard *z) {
    return z->blocks[0] == z->blocks[1] && z->before.thread / 32 == z->after.thread / 32;
}

/* A warning: within a warp, or volatile data that is read without a fence, which CUDA's memory model allows. */
static bool is_mild(const Hazard *z) {
    bool flag = z->before.is_volatile && z->after.is_volatile && !(z->before_writes && z->after_writes);
    return within_warp(z) || flag;
}

/* The two sides of a race in a launch in an order that is the same whichever comes first: writes before reads. */
static Hazard in_order(const Hazard *z) {
    Hazard out = *z;
    bool swap = z->before_writes == z->after_writes ? z->before.site > z->after.site : z->after_writes;
    if (!swap || race_launch_of(z->before.record) != race_launch_of(z->after.record)) return out;
    out.before = z->after, out.after = z->before;
    out.before_writes = z->after_writes, out.after_writes = z->before_writes;
    out.blocks[0] = z->blocks[1], out.blocks[1] = z->blocks[0];
    return out;
}

static Pair *pair_of(const Hazard *of_run) {
    const Hazard ordered = in_order(of_run), *z = &ordered;
    uint32_t launch = race_launch_of(z->before.record)->first;
    for (unsigned i = 0; i < npairs; i++) {
        Pair *p = &pairs[i];
        if (p->sites[0] == z->before.site && p->sites[1] == z->after.site && p->writes[0] == z->before_writes &&
            p->writes[1] == z->after_writes && p->launch == launch)
            return p;
    }
    if (npairs == MAX_PAIRS) return NULL;
    Pair *p = &pairs[npairs++];
    *p = (Pair){.sites = {z->before.site, z->after.site}, .writes = {z->before_writes, z->after_writes}};
    p->launch = launch;
    p->mild = true;
    p->example = *z;
    return p;
}

/* The thread and block of one side, in its launch. */
static void place_of(const Access *a, uint64_t number, uint32_t t[3], uint32_t b[3]) {
    const RaceLaunch *l = race_launch_of(a->record);
    if (!l) return;
    uint64_t block = number - l->first_block;
    t[0] = a->thread % l->block[0], t[1] = a->thread / l->block[0] % l->block[1];
    t[2] = a->thread / l->block[0] / l->block[1];
    b[0] = (uint32_t)(block % l->grid[0]), b[1] = (uint32_t)(block / l->grid[0] % l->grid[1]);
    b[2] = (uint32_t)(block / l->grid[0] / l->grid[1]);
}

/* What is not of a kernel has a name instead of a site. */
static const char *operation_of(const Access *a) {
    const RaceLaunch *l = race_launch_of(a->record);
    return l ? l->name : NULL;
}

static const char *name_of(const Access *a, char *text, size_t bytes) {
    const char *name = operation_of(a);
    return name ? name : rt_name_site(rt_site(a->site), text, bytes);
}

static bool is_of_lifetime(const Hazard *z) {
    return race_launch_of(z->before.record)->lifetime || race_launch_of(z->after.record)->lifetime;
}

static bool of_two_launches(const Hazard *z) {
    return race_launch_of(z->before.record) != race_launch_of(z->after.record);
}

static const char *kind(bool writes) { return writes ? "Write" : "Read"; }

static void report_side(const Access *a, uint64_t block, bool writes) {
    uint32_t t[3] = {0}, b[3] = {0};
    char text[1024];
    if (operation_of(a)) {
        rt_report("    %s by %s", kind(writes), operation_of(a));
        return;
    }
    place_of(a, block, t, b);
    rt_report("    %s Thread (%u,%u,%u) in block (%u,%u,%u) at %s", kind(writes), t[0], t[1], t[2], b[0], b[1], b[2],
              name_of(a, text, sizeof text));
    if (rt_site(a->site)) rt_report_callers(rt_site(a->site));
}

/* What is the same in both kinds of reports. */
static void report_sides(const Hazard *z) {
    report_side(&z->before, z->blocks[0], z->before_writes);
    report_side(&z->after, z->blocks[1], z->after_writes);
    if (of_two_launches(z)) rt_report("    which no stream, event or edge of a graph orders");
}

static void report_hazard(const Hazard *z, int severity) {
    static const char *const levels[] = {"Info", "Warning", "Error"};
    uint32_t t[3] = {0}, b[3] = {0}, value = 0;
    char current[64];
    if (severity < (int)rt_check.level || !rt_check.hazards || !rt_report_begin(severity)) return;
    const char *what = !z->after_writes ? "RAW" : z->before_writes ? "WAW" : "WAR";
    place_of(&z->after, z->blocks[1], t, b);
    rt_report("%s: %sPotential %s hazard detected at __%s__ 0x%llx in block (%u,%u,%u) :", levels[severity],
              within_warp(z) ? "(Warp Level Programming) " : "", what, z->space == RT_SHARED ? "shared" : "global",
              (unsigned long long)z->address, b[0], b[1], b[2]);
    report_sides(z);
    memcpy(&value, z->memory, z->bytes);
    snprintf(current, sizeof current, "%u", value);
    rt_report("    Current Value : %s", current);
    rt_report_end();
}

static void count(Pair *p, const Hazard *z, bool mild, bool same) {
    p->hazards += z->bytes;
    p->same += same ? z->bytes : 0;
    if (!mild) p->mild = false;
    if (rt_check.hazards) report_hazard(z, same ? RT_INFO : mild ? RT_WARNING : RT_ERROR);
}

void race_settle_pending(void) {
    for (unsigned i = 0; i < race_npending; i++) {
        bool same =
            pending[i].together ? pending[i].same : !memcmp(pending[i].memory, pending[i].old, pending[i].bytes);
        count(pending[i].pair, &pending[i].hazard, pending[i].mild, same);
    }
    race_npending = 0;
}

/* False: no memory. */
static bool put_off(const Pending *p) {
    if (race_npending == pending_capacity) {
        unsigned more = pending_capacity ? 2 * pending_capacity : 256;
        Pending *grown = realloc(pending, more * sizeof *grown);
        if (!grown) return false;
        pending = grown, pending_capacity = more;
    }
    pending[race_npending++] = *p;
    return true;
}

void race_hazard(const Hazard *z) {
    race_found++;
    Pair *p = pair_of(z);
    if (!p) return;
    bool mild = is_mild(z);
    if (z->before_writes && z->after_writes && !is_of_lifetime(z)) {
        Pending now = {.pair = p, .memory = z->memory, .bytes = z->bytes, .mild = mild, .hazard = *z};
        now.together = race_in_group(z->before.thread, z->bytes, &now.same) && z->before.record == z->after.record &&
                       z->before.site == z->after.site;
        memcpy(now.old, z->memory, z->bytes);
        if (put_off(&now)) return;
    }
    count(p, z, mild, false);
}

/* ---- the end of a grid ---- */

static void report_pair(const Pair *p) {
    static const char *const levels[] = {"Info", "Warning", "Error"};
    char first[1024], second[1024], n[32];
    int severity = p->same == p->hazards ? RT_INFO : p->mild ? RT_WARNING : RT_ERROR;
    const Hazard *z = &p->example;
    if (severity < (int)rt_check.level) return;
    if (!rt_report_begin(severity)) return;
    rt_report("%s: Race reported between %s access at %s", levels[severity], kind(p->writes[0]),
              name_of(&z->before, first, sizeof first));
    rt_report("    and %s access at %s [%s hazards]%s", kind(p->writes[1]), name_of(&z->after, second, sizeof second),
              rt_commas(p->hazards, n), severity == RT_INFO ? ", of the same value" : "");
    rt_report("    for example at __%s__ 0x%llx :", z->space == RT_SHARED ? "shared" : "global",
              (unsigned long long)z->address);
    report_sides(z);
    rt_report_end();
}

void race_report(void) {
    for (unsigned i = 0; i < npairs && rt_check.analysis; i++)
        if (pairs[i].hazards) report_pair(&pairs[i]);
    npairs = 0;
}
