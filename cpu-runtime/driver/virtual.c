/* virtual.c: the driver API: address ranges and the memory that is mapped into them.
**
** A physical allocation is a file in memory; mapping it is mmap at a fixed address of a reserved range, access is
** mprotect, a shareable handle is a descriptor of the file.  Ranges that are mapped and may be accessed are known to
** the runtime as device memory. */
#define _GNU_SOURCE
#include "host/topo.h"
#include "space/alloc.h"
#include "driver/driver.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GRANULARITY = 2 << 20 };

typedef struct Physical {
    struct Physical *next;
    int fd;
    size_t size;
    unsigned handles, mappings; /* how often it is to be released, and to be unmapped */
    CUmemAllocationProp prop;
} Physical;

typedef struct Range { /* reserved, or mapped */
    struct Range *next;
    uintptr_t base;
    size_t size;
    Physical *memory; /* NULL: reserved */
    unsigned access;  /* CUmemAccess_flags */
} Range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Physical *physical;
static Range *ranges;

/* ---- lists (lock held) ---- */

static Physical *find_physical(CUmemGenericAllocationHandle h) {
    Physical *p = physical;
    while (p && (uintptr_t)p != h) p = p->next;
    return p && p->handles ? p : NULL;
}

static Range **find_range(uintptr_t base, size_t size, bool mapped) {
    Range **r = &ranges;
    while (*r && ((*r)->base != base || (size && (*r)->size != size) || mapped != ((*r)->memory != NULL)))
        r = &(*r)->next;
    return r;
}

static bool reserved_around(uintptr_t base, size_t size) {
    for (Range *r = ranges; r; r = r->next)
        if (!r->memory && base >= r->base && base - r->base + size <= r->size) return true;
    return false;
}

static bool mapped_inside(uintptr_t base, size_t size) {
    for (Range *r = ranges; r; r = r->next)
        if (r->memory && r->base < base + size && base < r->base + r->size) return true;
    return false;
}

static Range *mapping_at(uintptr_t p) {
    Range *r = ranges;
    while (r && !(r->memory && p >= r->base && p - r->base < r->size)) r = r->next;
    return r;
}

/* Does the range consist of whole mappings? */
static bool all_mapped(uintptr_t base, size_t size) {
    size_t done = 0;
    for (Range *r; done < size && (r = *find_range(base + done, 0, true));) done += r->size;
    return size && done == size;
}

static CUresult add_range(uintptr_t base, size_t size, Physical *memory) {
    Range *r = calloc(1, sizeof *r);
    if (!r) return CUDA_ERROR_OUT_OF_MEMORY;
    *r = (Range){ranges, base, size, memory, CU_MEM_ACCESS_FLAGS_PROT_NONE};
    ranges = r;
    return CUDA_SUCCESS;
}

static void remove_range(Range **at) {
    Range *r = *at;
    *at = r->next;
    free(r);
}

static void drop_physical(Physical *p) {
    if (p->handles || p->mappings) return;
    Physical **at = &physical;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    close(p->fd);
    free(p);
}

static bool good_kind(const CUmemAllocationProp *p) {
    return p && p->type == CU_MEM_ALLOCATION_TYPE_PINNED && p->location.type != CU_MEM_LOCATION_TYPE_INVALID &&
           !p->location.id;
}
static bool good_size(size_t size) { return size && size % GRANULARITY == 0; }

/* ---- address ranges ---- */

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option) {
    DRV_ENTER(false);
    if (!granularity || !good_kind(prop) || (unsigned)option > 1) return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t size, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags) {
    DRV_ENTER(false);
    if (!out || !good_size(size) || flags || (alignment & (alignment - 1))) return CUDA_ERROR_INVALID_VALUE;
    if (alignment < GRANULARITY) alignment = GRANULARITY;
    char *p = mmap((void *)(uintptr_t)wanted, size + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    uintptr_t base = RT_ROUND((uintptr_t)p, alignment), end = (uintptr_t)p + size + alignment;
    if (base > (uintptr_t)p) munmap(p, base - (uintptr_t)p);
    if (end > base + size) munmap((void *)(base + size), end - base - size);
    pthread_mutex_lock(&lock);
    CUresult error = add_range(base, size, NULL);
    pthread_mutex_unlock(&lock);
    if (error) munmap((void *)base, size);
    else *out = base;
    return error;
}

CUresult cuMemAddressFree(CUdeviceptr p, size_t size) {
    DRV_ENTER(false);
    pthread_mutex_lock(&lock);
    Range **r = find_range(p, size, false);
    bool ok = size && *r && !mapped_inside(p, size);
    if (ok) {
        munmap((void *)(uintptr_t)p, size);
        remove_range(r);
    }
    pthread_mutex_unlock(&lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- physical memory ---- */

static CUresult new_physical(CUmemGenericAllocationHandle *out, int fd, size_t size, const CUmemAllocationProp *prop) {
    Physical *p = calloc(1, sizeof *p);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    *p = (Physical){physical, fd, size, 1, 0, *prop};
    physical = p;
    pthread_mutex_unlock(&lock);
    *out = (uintptr_t)p;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *prop,
                     unsigned long long flags) {
    DRV_ENTER(false);
    if (!out || !good_kind(prop) || !good_size(size) || flags) return CUDA_ERROR_INVALID_VALUE;
    if (prop->requestedHandleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (size > rt_memory_available()) return CUDA_ERROR_OUT_OF_MEMORY;
    CUmemAllocationProp granted = *prop;
    granted.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE; /* a hint; programs query what was granted */
    int fd = memfd_create("cucpu", MFD_CLOEXEC);
    if (fd < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    CUresult error = ftruncate(fd, (off_t)size) ? CUDA_ERROR_OUT_OF_MEMORY : new_physical(out, fd, size, &granted);
    if (error) close(fd);
    return error;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    DRV_ENTER(false);
    pthread_mutex_lock(&lock);
    Physical *p = find_physical(handle);
    if (p) {
        p->handles--;
        drop_physical(p);
    }
    pthread_mutex_unlock(&lock);
    return p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *at) {
    DRV_ENTER(false);
    pthread_mutex_lock(&lock);
    Range *r = out ? mapping_at((uintptr_t)at) : NULL;
    if (r) {
        r->memory->handles++;
        *out = (uintptr_t)r->memory;
    }
    pthread_mutex_unlock(&lock);
    return r ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle) {
    DRV_ENTER(false);
    pthread_mutex_lock(&lock);
    Physical *p = find_physical(handle);
    if (p && prop) *prop = p->prop;
    pthread_mutex_unlock(&lock);
    return p && prop ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
    DRV_ENTER(false);
    if (!shareable || flags) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&lock);
    Physical *p = find_physical(handle);
    int fd = p && p->prop.requestedHandleTypes ? fcntl(p->fd, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&lock);
    if (fd < 0) return CUDA_ERROR_INVALID_VALUE;
    *(int *)shareable = fd;
    return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out, void *shareable,
                                        CUmemAllocationHandleType type) {
    DRV_ENTER(false);
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    struct stat st;
    int fd = fcntl((int)(intptr_t)shareable, F_DUPFD_CLOEXEC, 0);
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = type,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUresult error = fd < 0 || fstat(fd, &st) || fcntl(fd, F_GET_SEALS) < 0
                         ? CUDA_ERROR_INVALID_VALUE
                         : new_physical(out, fd, (size_t)st.st_size, &prop);
    if (error && fd >= 0) close(fd);
    return error;
}

/* ---- mapping ---- */

static CUresult map(uintptr_t at, size_t size, size_t offset, Physical *p) {
    if (!p || offset > p->size || size > p->size - offset || !reserved_around(at, size) || mapped_inside(at, size))
        return CUDA_ERROR_INVALID_VALUE;
    if (mmap((void *)at, size, PROT_NONE, MAP_SHARED | MAP_FIXED, p->fd, (off_t)offset) == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    p->mappings++;
    return add_range(at, size, p);
}

CUresult cuMemMap(CUdeviceptr at, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    DRV_ENTER(false);
    if (!good_size(size) || at % GRANULARITY || offset % GRANULARITY || flags) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    CUresult error = map(at, size, offset, find_physical(handle));
    pthread_mutex_unlock(&lock);
    return error;
}

static void unmap(Range **at) {
    Range *r = *at;
    rt_forget_alloc((void *)r->base);
    mmap((void *)r->base, r->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    r->memory->mappings--;
    drop_physical(r->memory);
    remove_range(at);
}

CUresult cuMemUnmap(CUdeviceptr at, size_t size) {
    DRV_ENTER(false);
    pthread_mutex_lock(&lock);
    bool ok = all_mapped(at, size);
    for (size_t done = 0, n; ok && done < size; done += n) {
        Range **r = find_range(at + done, 0, true);
        n = (*r)->size;
        unmap(r);
    }
    pthread_mutex_unlock(&lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Each mapping is an allocation to the runtime; copies may go across those that adjoin. */
static void set_access(Range *r, unsigned access) {
    int protection = access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
                     : access == CU_MEM_ACCESS_FLAGS_PROT_READ    ? PROT_READ
                                                                  : PROT_NONE;
    RtAlloc a = {.base = r->base,
                 .size = r->size,
                 .kind = cudaMemoryTypeDevice,
                 .how = RT_BY_MAPPING,
                 .flags = (protection & PROT_WRITE) != 0};
    mprotect((void *)r->base, r->size, protection);
    rt_forget_alloc((void *)r->base);
    if (protection != PROT_NONE) rt_note_alloc(&a);
    r->access = access;
}

CUresult cuMemSetAccess(CUdeviceptr at, size_t size, const CUmemAccessDesc *desc, size_t count) {
    DRV_ENTER(false);
    if (!good_size(size) || !desc || !count) return CUDA_ERROR_INVALID_VALUE;
    unsigned access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    for (size_t i = 0; i < count; i++) {
        if (desc[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE && desc[i].location.id)
            return CUDA_ERROR_INVALID_DEVICE;
        if (desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
            desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
        access |= desc[i].flags;
    }
    pthread_mutex_lock(&lock);
    bool ok = all_mapped(at, size);
    for (size_t done = 0; ok && done < size;) {
        Range *r = *find_range(at + done, 0, true);
        set_access(r, access);
        done += r->size;
    }
    pthread_mutex_unlock(&lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr p) {
    DRV_ENTER(false);
    if (!flags || !location) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    Range *r = mapping_at(p);
    if (r) *flags = r->access;
    pthread_mutex_unlock(&lock);
    return r ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- memory that others have made: the descriptions are those of the runtime API ---- */

CUresult cuImportExternalMemory(CUexternalMemory *out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *d) {
    DRV_FORWARD(cudaImportExternalMemory((cudaExternalMemory_t *)out, (const struct cudaExternalMemoryHandleDesc *)d));
}
CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *out, CUexternalMemory m,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *d) {
    DRV_FORWARD(cudaExternalMemoryGetMappedBuffer((void **)out, (cudaExternalMemory_t)m,
                                                  (const struct cudaExternalMemoryBufferDesc *)d));
}
CUresult cuDestroyExternalMemory(CUexternalMemory m) {
    DRV_FORWARD(cudaDestroyExternalMemory((cudaExternalMemory_t)m));
}

/* ---- memory and events of other processes ---- */

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr p) {
    DRV_FORWARD(cudaIpcGetMemHandle((cudaIpcMemHandle_t *)handle, (void *)(uintptr_t)p));
}
CUresult cuIpcOpenMemHandle(CUdeviceptr *p, CUipcMemHandle handle, unsigned flags) {
    cudaIpcMemHandle_t h;
    memcpy(&h, &handle, sizeof h);
    DRV_FORWARD(cudaIpcOpenMemHandle((void **)p, h, flags));
}
CUresult cuIpcCloseMemHandle(CUdeviceptr p) { DRV_FORWARD(cudaIpcCloseMemHandle((void *)(uintptr_t)p)); }
CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent e) {
    DRV_FORWARD(cudaIpcGetEventHandle((cudaIpcEventHandle_t *)handle, (cudaEvent_t)e));
}
CUresult cuIpcOpenEventHandle(CUevent *e, CUipcEventHandle handle) {
    cudaIpcEventHandle_t h;
    memcpy(&h, &handle, sizeof h);
    DRV_FORWARD(cudaIpcOpenEventHandle((cudaEvent_t *)e, h));
}
CUresult cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags) {
    DRV_FORWARD_ANY(flags > UINT32_MAX
                        ? cudaErrorInvalidValue
                        : cudaMemPoolExportToShareableHandle(handle, (cudaMemPool_t)pool,
                                                             (enum cudaMemAllocationHandleType)type, (unsigned)flags));
}
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, CUmemAllocationHandleType type,
                                            unsigned long long flags) {
    DRV_FORWARD_ANY(flags > UINT32_MAX ? cudaErrorInvalidValue
                                       : cudaMemPoolImportFromShareableHandle((cudaMemPool_t *)pool, handle,
                                                                              (enum cudaMemAllocationHandleType)type,
                                                                              (unsigned)flags));
}
CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr p) {
    DRV_FORWARD_ANY(cudaMemPoolExportPointer((struct cudaMemPoolPtrExportData *)data, (void *)(uintptr_t)p));
}
CUresult cuMemPoolImportPointer(CUdeviceptr *p, CUmemoryPool pool, CUmemPoolPtrExportData *data) {
    DRV_FORWARD_ANY(cudaMemPoolImportPointer((void **)p, (cudaMemPool_t)pool, (struct cudaMemPoolPtrExportData *)data));
}
