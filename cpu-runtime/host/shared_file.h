/* shared_file.h: a part of a file in memory of some process, as cudaIpc* handles name it. */
#ifndef CUCPU_SHARED_FILE_H
#define CUCPU_SHARED_FILE_H
#include "base/base.h"

typedef struct RtSharedFile {
    uint64_t magic, inode, offset, size;
    int32_t pid, fd;
    char rest[24];
} RtSharedFile;
_Static_assert(sizeof(RtSharedFile) == sizeof(cudaIpcMemHandle_t) &&
                   sizeof(RtSharedFile) == sizeof(cudaIpcEventHandle_t),
               "64 bytes");

bool rt_share_file(void *out, int fd, uint64_t offset, uint64_t size); /* *out: a handle */
/* The file, or -1: the process is gone, or has freed what the handle is of. */
int rt_open_shared(const RtSharedFile *h);
cudaError_t rt_check_shared(const RtSharedFile *h);
#endif
