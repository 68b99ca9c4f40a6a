/* topo.h: the machine as this process may use it: cores, caches, memory, clock. */
#ifndef CUCPU_TOPO_H
#define CUCPU_TOPO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RtTopo {
    char model[128];
    int cores, pus, numa_nodes;
    int threads; /* size of the team */
    bool bind;
    uint64_t memory; /* bytes, after the limits of the process */
    uint64_t l2, l3; /* bytes of one cache */
    int mhz;
} RtTopo;
const RtTopo *rt_topo(void); /* found at the first call */
void rt_bind_worker(int index);
void rt_spread_memory(void *p, size_t bytes); /* big buffers over the NUMA nodes */
uint64_t rt_memory_available(void);
uint64_t rt_now_ns(void);
#endif
