/* ipc.c: device memory and events of one process in others of the machine.
**
** A handle names a file in memory that the process which made it keeps open: others open it through /proc.  Memory
** moves into such a file when its handle is requested (space/space.c); what is opened is a shared mapping.  An event
** made for several processes counts its records, and those that were reached, in a file. */
#define _GNU_SOURCE
#include "host/shared_file.h"
#include "space/alloc.h"
#include "queue/stream.h"
#include "memory/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Import { /* memory of another process */
    struct Import *next;
    RtSharedFile of;
    char *map;           /* NULL: closed */
    size_t bytes, extra; /* of the mapping; before the memory */
    unsigned opened;
} Import;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Import *imports;

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *p) {
    RT_ENTER();
    uint64_t offset;
    RtAlloc a;
    if (!out || !p) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_sync_all(); /* nothing writes while it moves */
    int fd = -1;
    if (!error) error = rt_share_alloc(p, &a, &fd, &offset);
    if (!error && !rt_share_file(out, fd, offset, a.size)) error = cudaErrorMapBufferObjectFailed;
    return rt_end(error);
}

static cudaError_t map_import(const RtSharedFile *h, Import **out) { /* lock held */
    int fd = rt_open_shared(h);
    if (fd < 0) return cudaErrorMapBufferObjectFailed;
    Import *m = calloc(1, sizeof *m);
    size_t extra = h->offset % (uint64_t)sysconf(_SC_PAGESIZE);
    char *p = m ? mmap(NULL, h->size + extra, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(h->offset - extra))
                : MAP_FAILED;
    close(fd);
    RtAlloc a = {.base = (uintptr_t)p + extra, .size = h->size, .kind = cudaMemoryTypeDevice, .how = RT_BY_IPC};
    cudaError_t error = p == MAP_FAILED ? cudaErrorMapBufferObjectFailed : rt_note_alloc(&a);
    if (error) {
        if (p != MAP_FAILED) munmap(p, h->size + extra);
        free(m);
        return error;
    }
    *m = (Import){imports, *h, p, h->size + extra, extra, 0};
    *out = imports = m;
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags) {
    RT_ENTER();
    RtSharedFile h;
    memcpy(&h, &handle, sizeof h);
    if (!out || flags & ~(unsigned)cudaIpcMemLazyEnablePeerAccess) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_check_shared(&h);
    if (error) return rt_end(error);
    pthread_mutex_lock(&lock);
    Import *m = imports;
    while (m && memcmp(&m->of, &h, sizeof h)) m = m->next;
    if (!m) error = map_import(&h, &m);
    if (!error) {
        m->opened++;
        *out = m->map + m->extra;
    }
    pthread_mutex_unlock(&lock);
    return rt_end(error);
}

static void drop_import(Import **at) { /* lock held */
    Import *m = *at;
    *at = m->next;
    rt_forget_alloc(m->map + m->extra);
    munmap(m->map, m->bytes);
    free(m);
}

cudaError_t cudaIpcCloseMemHandle(void *p) {
    RT_ENTER();
    cudaError_t error = rt_sync_all();
    if (error) return rt_end(error);
    pthread_mutex_lock(&lock);
    Import **at = &imports;
    while (*at && (*at)->map + (*at)->extra != p) at = &(*at)->next;
    bool known = *at != NULL;
    if (known && --(*at)->opened == 0) drop_import(at);
    pthread_mutex_unlock(&lock);
    return rt_end(known ? cudaSuccess : cudaErrorInvalidValue);
}

void rt_reset_ipc(void) {
    pthread_mutex_lock(&lock);
    while (imports) drop_import(&imports);
    pthread_mutex_unlock(&lock);
}
