// A memory pool of one process in another: the pool as a file descriptor, pointers as data; both free in their streams.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && %run %t | FileCheck %s
// CHECK-DAG: {{^}}maker: 0 bad
// CHECK-DAG: {{^}}opener: 0 bad
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int bad, peer;
static void expect(long got, long want, const char *what, int line) {
    (void)cudaGetLastError();
    if (got != want) bad++, printf("line %d: %s is %ld, not %ld\n", line, what, got, want);
}
#define IS(call, want) expect((long)(call), (long)(want), #call, __LINE__)
#define OK(call) IS(call, 0)

__global__ void add(int *p, size_t n, int v) {
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) p[i] += v;
}

static void send(const void *data, size_t n, int fd) {
    char room[CMSG_SPACE(sizeof fd)] = {};
    iovec io = {(void *)data, n};
    msghdr m = {};
    m.msg_iov = &io, m.msg_iovlen = 1;
    if (fd >= 0) {
        m.msg_control = room, m.msg_controllen = sizeof room;
        cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    IS(sendmsg(peer, &m, 0), n);
}

static int receive(void *data, size_t n) {
    char room[CMSG_SPACE(sizeof(int))] = {};
    iovec io = {data, n};
    msghdr m = {};
    int fd = -1;
    m.msg_iov = &io, m.msg_iovlen = 1, m.msg_control = room, m.msg_controllen = sizeof room;
    if (recvmsg(peer, &m, MSG_WAITALL) != (ssize_t)n) exit(3);
    if (cmsghdr *c = CMSG_FIRSTHDR(&m)) memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

static void meet() {
    char c = 0;
    send(&c, 1, -1);
    receive(&c, 1);
}

enum { SMALL = 100, LARGE = (1 << 20) + 3 };

static void check(int *p, size_t n, int want) {
    int *h = (int *)malloc(n * 4);
    size_t wrong = 0;
    OK(cudaMemcpy(h, p, n * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) wrong += h[i] != want;
    IS(wrong, 0);
    free(h);
}

static void maker() {
    cudaMemPoolProps props = {};
    cudaMemPool_t pool, plain;
    cudaMemPoolPtrExportData data[2], none;
    cudaStream_t s;
    int fd = -1, types = 0, *small, *large, *other, *again;
    OK(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
    IS(types & cudaMemHandleTypePosixFileDescriptor, cudaMemHandleTypePosixFileDescriptor);
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemPoolCreate(&plain, &props));
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaStreamCreate(&s));
    OK(cudaMallocFromPoolAsync((void **)&other, 64, plain, s));
    OK(cudaMallocFromPoolAsync((void **)&small, SMALL * 4, pool, s));
    OK(cudaMallocFromPoolAsync((void **)&large, LARGE * 4, pool, s));
    OK(cudaMemsetAsync(small, 0, SMALL * 4, s));
    OK(cudaMemsetAsync(large, 0, LARGE * 4, s));
    add<<<1, 32, 0, s>>>(small, SMALL, 3);
    add<<<1, 32, 0, s>>>(large, LARGE, 4);
    OK(cudaStreamSynchronize(s));
    IS(cudaMemPoolExportToShareableHandle(&fd, plain, cudaMemHandleTypePosixFileDescriptor, 0), cudaErrorInvalidValue);
    IS(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypeWin32, 0), cudaErrorInvalidValue);
    OK(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    IS(cudaMemPoolExportPointer(&none, other), cudaErrorInvalidValue);
    IS(cudaMemPoolExportPointer(&none, small + 1), cudaErrorInvalidValue);
    OK(cudaMemPoolExportPointer(&data[0], small));
    OK(cudaMemPoolExportPointer(&data[1], large));
    send(data, sizeof data, fd);
    close(fd);
    meet(); // the other has added
    check(small, SMALL, 13);
    check(large, LARGE, 24);
    meet();
    OK(cudaFreeAsync(small, s));
    OK(cudaFreeAsync(large, s));
    OK(cudaMallocFromPoolAsync((void **)&again, LARGE * 4, pool, s)); // what has been freed
    OK(cudaMemsetAsync(again, 0, LARGE * 4, s));
    add<<<1, 32, 0, s>>>(again, LARGE, 9);
    OK(cudaStreamSynchronize(s));
    check(again, LARGE, 9);
    OK(cudaFreeAsync(again, s));
    OK(cudaFreeAsync(other, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaMemPoolDestroy(plain));
    printf("maker: %d bad\n", bad);
}

static void opener() {
    cudaMemPoolPtrExportData data[2], wrong = {};
    cudaMemPool_t pool, none;
    cudaStream_t s;
    int *small, *large, *p;
    CUdeviceptr driver;
    int fd = receive(data, sizeof data);
    OK(cuInit(0));
    OK(cudaStreamCreate(&s));
    IS(cudaMemPoolImportFromShareableHandle(&none, (void *)(intptr_t)-1, cudaMemHandleTypePosixFileDescriptor, 0), cudaErrorInvalidValue);
    OK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0));
    close(fd);
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    OK(cudaMemPoolImportPointer((void **)&small, pool, &data[0]));
    OK(cuMemPoolImportPointer(&driver, (CUmemoryPool)pool, (CUmemPoolPtrExportData *)&data[1]));
    large = (int *)driver;
    IS(cudaMemPoolImportPointer((void **)&p, pool, &wrong), cudaErrorInvalidValue);
    IS(cudaMallocFromPoolAsync((void **)&p, 64, pool, s), cudaErrorInvalidValue); // the other allocates
    check(small, SMALL, 3);
    check(large, LARGE, 4);
    add<<<1, 32, 0, s>>>(small, SMALL, 10);
    add<<<1, 32, 0, s>>>(large, LARGE, 20);
    OK(cudaStreamSynchronize(s));
    meet();
    OK(cudaFreeAsync(small, s));
    OK(cudaFree(large));
    OK(cudaStreamSynchronize(s));
    IS(cudaFree(large), cudaErrorInvalidValue);
    meet();
    OK(cudaMemPoolDestroy(pool));
    printf("opener: %d bad\n", bad);
}

int main() {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) return 2;
    pid_t child = fork();
    peer = sockets[child == 0];
    if (child == 0) {
        opener();
        return bad != 0;
    }
    maker();
    fflush(stdout);
    int status;
    waitpid(child, &status, 0);
    return bad != 0 || status != 0;
}
