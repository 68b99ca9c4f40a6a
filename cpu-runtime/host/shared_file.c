/* shared_file.c: memory that several processes share: a file in memory which the process that made it keeps open;
** others open it through /proc. */
#define _GNU_SOURCE
#include "host/shared_file.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t MAGIC = 0x637069757063ull; /* of this version of the layout */

bool rt_share_file(void *out, int fd, uint64_t offset, uint64_t size) {
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) return false;
    const RtSharedFile h = {
        .magic = MAGIC, .inode = st.st_ino, .offset = offset, .size = size, .pid = getpid(), .fd = fd};
    memcpy(out, &h, sizeof h);
    return true;
}

int rt_open_shared(const RtSharedFile *h) {
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", h->pid, h->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return -1;
    if (!fstat(fd, &st) && st.st_ino == h->inode && h->offset <= (uint64_t)st.st_size &&
        h->size <= (uint64_t)st.st_size - h->offset)
        return fd;
    close(fd);
    return -1;
}

cudaError_t rt_check_shared(const RtSharedFile *h) {
    if (h->magic != MAGIC || !h->size || h->pid <= 0 || h->fd < 0) return cudaErrorInvalidValue;
    return h->pid == getpid() ? cudaErrorDeviceUninitialized : cudaSuccess; /* as CUDA: other processes open it */
}
