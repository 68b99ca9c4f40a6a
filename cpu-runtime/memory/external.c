/* external.c: memory that others have made, as a file descriptor: of cuMemExportToShareableHandle, memfd_create, or
** a Vulkan implementation for CPUs.  Buffers in it are shared mappings, which cudaFree unmaps; the descriptor
** belongs to the handle. Semaphores, and images in such memory, are not there (api/unsupported.def). */
#include "space/alloc.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct CUexternalMemory_st {
    int fd; /* -1: destroyed */
    uint64_t size;
    cudaExternalMemory_t next;
};
static cudaExternalMemory_t all; /* there ever were */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_memory(cudaExternalMemory_t m) {
    pthread_mutex_lock(&lock);
    cudaExternalMemory_t o = all;
    while (o && (o != m || o->fd < 0)) o = o->next;
    pthread_mutex_unlock(&lock);
    return o;
}

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *out, const struct cudaExternalMemoryHandleDesc *d) {
    RT_ENTER();
    struct stat st;
    if (!out || !d || !d->size || d->flags & ~(unsigned)cudaExternalMemoryDedicated)
        return rt_end(cudaErrorInvalidValue);
    if (d->type != cudaExternalMemoryHandleTypeOpaqueFd) return rt_end(cudaErrorNotSupported);
    if (fstat(d->handle.fd, &st) || (S_ISREG(st.st_mode) && (uint64_t)st.st_size < d->size))
        return rt_end(cudaErrorInvalidValue);
    cudaExternalMemory_t m = calloc(1, sizeof *m);
    if (!m) return rt_end(cudaErrorMemoryAllocation);
    pthread_mutex_lock(&lock);
    *m = (struct CUexternalMemory_st){d->handle.fd, d->size, all};
    *out = all = m;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaExternalMemoryGetMappedBuffer(void **out, cudaExternalMemory_t m,
                                              const struct cudaExternalMemoryBufferDesc *d) {
    RT_ENTER();
    if (!is_memory(m)) return rt_end(cudaErrorInvalidResourceHandle);
    if (!out || !d || !d->size || d->flags || d->offset > m->size || d->size > m->size - d->offset)
        return rt_end(cudaErrorInvalidValue);
    uint64_t extra = d->offset % (uint64_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, d->size + extra, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, (off_t)(d->offset - extra));
    if (p == MAP_FAILED) return rt_end(cudaErrorMapBufferObjectFailed);
    RtAlloc a = {.base = (uintptr_t)(p + extra), .size = d->size, .kind = cudaMemoryTypeDevice, .how = RT_BY_EXTERNAL};
    cudaError_t error = rt_note_alloc(&a);
    if (error) munmap(p, d->size + extra);
    else *out = p + extra;
    return rt_end(error);
}

/* Buffers stay. */
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t m) {
    RT_ENTER();
    if (!is_memory(m)) return rt_end(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    close(m->fd);
    m->fd = -1;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}
