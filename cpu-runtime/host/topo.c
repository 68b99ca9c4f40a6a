/* topo.c: what the machine offers to this process: cores, caches, memory, and where threads go.
**
** One hwloc topology, loaded at the first need (some milliseconds), restricted to the cores of the
** process's affinity mask; a CPU quota of the control group bounds the team, its memory limit
** bounds the device memory.  Workers are pinned only when the team has one for each core of the
** mask: two processes that share a machine with half the cores each must not meet on the same ones.
** The calling thread is never pinned: threads that the program creates would inherit the mask. */
#define _GNU_SOURCE
#include "host/topo.h"
#include "base/base.h"
#include "base/env.h"
#include <hwloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

static RtTopo topo;
static hwloc_topology_t tree;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool read_line(const char *path, char *line, size_t bytes) {
    FILE *f = fopen(path, "r");
    if (!f) return false;
    bool ok = fgets(line, (int)bytes, f) != NULL;
    fclose(f);
    return ok;
}

/* The value of "key : value" in a /proc file. */
static bool read_key(const char *path, const char *key, char *value, size_t bytes) {
    FILE *f = fopen(path, "r");
    if (!f) return false;
    char line[512];
    bool found = false;
    while (!found && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
        char *v = colon + 1 + strspn(colon + 1, " \t");
        v[strcspn(v, "\n")] = 0;
        snprintf(value, bytes, "%s", v);
        found = true;
    }
    fclose(f);
    return found;
}

static int quota_cores(void) {
    char line[64];
    long long quota, period;
    if (!read_line("/sys/fs/cgroup/cpu.max", line, sizeof line)) return 0;
    if (sscanf(line, "%lld %lld", &quota, &period) != 2 || period <= 0) return 0;
    return (int)((quota + period - 1) / period);
}

static uint64_t total_memory(void) {
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    char line[64];
    if (read_line("/sys/fs/cgroup/memory.max", line, sizeof line)) {
        uint64_t limit = strtoull(line, NULL, 10);
        if (limit && limit < bytes) bytes = limit;
    }
    uint64_t wish = (uint64_t)rt_env()->memory_mb << 20;
    return wish && wish < bytes ? wish : bytes;
}

static uint64_t cache_bytes(hwloc_obj_type_t type) {
    hwloc_obj_t c = hwloc_get_obj_by_type(tree, type, 0);
    return c ? c->attr->cache.size : 0;
}

static void load_tree(void) {
    if (hwloc_topology_init(&tree)) {
        tree = NULL;
        return;
    }
    /* It would run the caller on every core in turn, waiting for each that is busy, to read what Linux says, too. */
    hwloc_topology_set_components(tree, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(tree)) {
        hwloc_topology_destroy(tree);
        tree = NULL;
        return;
    }
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    if (mask && !hwloc_get_cpubind(tree, mask, HWLOC_CPUBIND_PROCESS) && !hwloc_bitmap_iszero(mask))
        hwloc_topology_restrict(tree, mask, 0);
    hwloc_bitmap_free(mask);
}

static void read_cores(void) {
    topo.cores = tree ? hwloc_get_nbobjs_by_type(tree, HWLOC_OBJ_CORE) : 0;
    topo.pus = tree ? hwloc_get_nbobjs_by_type(tree, HWLOC_OBJ_PU) : 0;
    topo.numa_nodes = tree ? hwloc_get_nbobjs_by_type(tree, HWLOC_OBJ_NUMANODE) : 1;
    if (topo.pus <= 0) topo.pus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (topo.cores <= 0) topo.cores = topo.pus;
    topo.l2 = tree ? cache_bytes(HWLOC_OBJ_L2CACHE) : 0;
    topo.l3 = tree ? cache_bytes(HWLOC_OBJ_L3CACHE) : 0;
}

static void *pass_gate(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* How many of n threads can be there at the same time: libomp ends the process where it cannot start one. */
static int startable(int n) {
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *t = n > 0 ? calloc((size_t)n, sizeof *t) : NULL;
    int i = 0;
    pthread_mutex_lock(&gate);
    while (t && i < n && !pthread_create(&t[i], NULL, pass_gate, &gate)) i++;
    pthread_mutex_unlock(&gate);
    for (int k = 0; k < i; k++) pthread_join(t[k], NULL);
    free(t);
    return i;
}

/* Wishes within reason, threads that the system gives: some are left for streams. */
static int limit_threads(int threads) {
    int max = topo.pus * 16 > 256 ? topo.pus * 16 : 256;
    if (threads > max) {
        rt_message("CUCPU_NUM_THREADS=%d is too much for this machine; using %d", threads, max);
        threads = max;
    }
    int others = startable(threads - 1);
    if (others >= threads - 1) return threads;
    rt_message("only %d of %d threads can be started; using %d", others + 1, threads, others / 2 + 1);
    return others / 2 + 1;
}

static void find_topo(void) {
    load_tree();
    read_cores();
    int quota = quota_cores(), wish = rt_env()->num_threads;
    int threads = quota && quota < topo.cores ? quota : topo.cores;
    topo.bind = tree && rt_env()->bind && topo.numa_nodes > 1 && threads == topo.cores &&
                (!wish || wish == topo.cores) && !getenv("OMP_PROC_BIND") && !getenv("KMP_AFFINITY");
    topo.threads = limit_threads(wish ? wish : threads);
    topo.memory = total_memory();
    if (!read_key("/proc/cpuinfo", "model name", topo.model, sizeof topo.model))
        snprintf(topo.model, sizeof topo.model, "CPU");
    char mhz[64];
    topo.mhz = read_key("/proc/cpuinfo", "cpu MHz", mhz, sizeof mhz) ? (int)strtod(mhz, NULL) : 0;
    if (topo.mhz <= 0) topo.mhz = 1000;
}

const RtTopo *rt_topo(void) {
    pthread_once(&once, find_topo);
    return &topo;
}

/* To the memory node, not to one core: the thread that launches is not pinned, and where the system
** puts it on the core of a pinned worker the two alternate for milliseconds. */
void rt_bind_worker(int index) {
    if (!rt_topo()->bind || index <= 0) return;
    hwloc_obj_t core = hwloc_get_obj_by_type(tree, HWLOC_OBJ_CORE, (unsigned)(index % topo.cores));
    hwloc_cpuset_t near = core ? hwloc_bitmap_alloc() : NULL;
    if (!near) return;
    hwloc_cpuset_from_nodeset(tree, near, core->nodeset);
    if (!hwloc_bitmap_iszero(near)) hwloc_set_cpubind(tree, near, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(near);
}

void rt_spread_memory(void *p, size_t bytes) {
    if (bytes < (1u << 21) || rt_topo()->numa_nodes < 2) return;
    hwloc_set_area_membind(tree, p, bytes, hwloc_topology_get_topology_nodeset(tree), HWLOC_MEMBIND_INTERLEAVE,
                           HWLOC_MEMBIND_BYNODESET);
}

uint64_t rt_memory_available(void) {
    char text[64];
    uint64_t kib = 0;
    if (read_key("/proc/meminfo", "MemAvailable", text, sizeof text)) kib = strtoull(text, NULL, 10);
    return kib ? kib << 10 : rt_topo()->memory;
}

uint64_t rt_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
