// Memory and events of one process in another: handles go through a pipe, both launch kernels on the memory, events order them.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && %run %t | FileCheck %s
// CHECK-DAG: {{^}}maker: 0 bad
// CHECK-DAG: {{^}}opener: 0 bad
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

static int bad;
static void expect(int got, int want, const char *what, int line) {
    (void)cudaGetLastError();
    if (got != want) bad++, printf("line %d: %s is %d, not %d\n", line, what, got, want);
}
#define IS(call, want) expect((int)(call), (int)(want), #call, __LINE__)
#define OK(call) IS(call, 0)

__global__ void add(int *p, size_t n, int v) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += v;
}
__global__ void turns(int *p, int me, int n) { // slow, so that the other process would see an unfinished state
    int v = *p;
    for (int i = 0; i < 20000; i++) v = (v * 3 + me) % 1000003, __nanosleep(n);
    *p = v;
}

enum { SMALL = 300, LARGE = (3 << 20) + 5, ROUNDS = 6 };
struct Handles {
    cudaIpcMemHandle_t small, neighbour, large;
    cudaIpcEventHandle_t event[2];
};

static int to_child[2], to_parent[2];
static void say(int fd, const void *p, size_t n) { IS(write(fd, p, n), n); }
static void hear(int fd, void *p, size_t n) {
    size_t done = 0;
    while (done < n) {
        ssize_t k = read(fd, (char *)p + done, n - done);
        if (k <= 0) exit(3);
        done += k;
    }
}
static void meet(int out, int in) {
    char c = 0;
    say(out, &c, 1);
    hear(in, &c, 1);
}

static int expected(int rounds) {
    int v = 7;
    for (int r = 0; r < rounds; r++)
        for (int me = 1; me <= 2; me++)
            for (int i = 0; i < 20000; i++) v = (v * 3 + me) % 1000003;
    return v;
}

/* In turns: each waits in its stream for the event of the other. */
static void play(int me, int *p, cudaEvent_t *event, int out, int in) {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    for (int r = 0; r < ROUNDS; r++) {
        if (me == 1) {
            if (r) OK(cudaStreamWaitEvent(s, event[1], 0));
            turns<<<1, 1, 0, s>>>(p, 1, 0);
            OK(cudaEventRecord(event[0], s));
            meet(out, in); // recorded, before the other waits for it
            meet(out, in);
        } else {
            meet(out, in);
            OK(cudaStreamWaitEvent(s, event[0], 0));
            turns<<<1, 1, 0, s>>>(p, 2, 0);
            OK(cudaEventRecord(event[1], s));
            meet(out, in);
        }
    }
    OK(cudaEventSynchronize(event[1]));
    int v = 0;
    OK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    IS(v, expected(ROUNDS));
    IS(cudaEventQuery(event[0]), cudaSuccess);
    OK(cudaStreamDestroy(s));
}

static void check(int *p, size_t n, int want) {
    int *h = (int *)malloc(n * 4);
    OK(cudaMemcpy(h, p, n * 4, cudaMemcpyDeviceToHost));
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += h[i] != want;
    IS(wrong, 0);
    free(h);
}

static void maker() {
    int out = to_child[1], in = to_parent[0];
    int *small, *neighbour, *large, *managed, seven = 7, one = 1;
    void *p;
    Handles h;
    cudaEvent_t event[2], plain;
    OK(cudaMalloc(&small, SMALL * 4));
    OK(cudaMalloc(&neighbour, 4));
    OK(cudaMalloc(&large, LARGE * 4ul));
    OK(cudaMallocManaged(&managed, 4));
    OK(cudaMemset(large, 0, LARGE * 4ul));
    OK(cudaMemset(small, 0, SMALL * 4));
    OK(cudaMemcpy(neighbour, &seven, 4, cudaMemcpyHostToDevice));
    for (auto &e : event) OK(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming));
    OK(cudaEventCreate(&plain));
    add<<<2, 64>>>(large, LARGE, 5); // still under way when the handle is asked for
    OK(cudaIpcGetMemHandle(&h.large, large));
    OK(cudaIpcGetMemHandle(&h.small, small));
    OK(cudaIpcGetMemHandle(&h.neighbour, neighbour));
    for (int i = 0; i < 2; i++) OK(cudaIpcGetEventHandle(&h.event[i], event[i]));
    cudaIpcMemHandle_t none;
    cudaIpcEventHandle_t no_event;
    IS(cudaIpcGetMemHandle(&none, managed), cudaErrorInvalidValue);
    IS(cudaIpcGetMemHandle(&none, &one), cudaErrorInvalidValue);
    IS(cudaIpcGetMemHandle(nullptr, large), cudaErrorInvalidValue);
    IS(cudaIpcGetEventHandle(&no_event, plain), cudaErrorInvalidResourceHandle);
    IS(cudaIpcOpenMemHandle(&p, h.small, cudaIpcMemLazyEnablePeerAccess), cudaErrorDeviceUninitialized); // its own
    int can = 0;
    OK(cudaDeviceGetAttribute(&can, cudaDevAttrIpcEventSupport, 0));
    IS(can, 1);
    say(out, &h, sizeof h);
    meet(out, in); // the other has added
    check(large, LARGE, 5 + 10);
    check(small, SMALL, 20);
    play(1, neighbour, event, out, in);
    meet(out, in);
    OK(cudaFree(large));
    OK(cudaFree(small));
    IS(cudaFree(large), cudaErrorInvalidValue);
    meet(out, in);
    for (auto &e : event) OK(cudaEventDestroy(e));
    printf("maker: %d bad\n", bad);
}

static void opener() {
    int out = to_parent[1], in = to_child[0];
    Handles h;
    cudaEvent_t event[2];
    int *small, *neighbour, *large, *again;
    CUdeviceptr p;
    CUipcMemHandle driver;
    hear(in, &h, sizeof h);
    OK(cudaIpcOpenMemHandle((void **)&large, h.large, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&small, h.small, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&neighbour, h.neighbour, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&again, h.large, cudaIpcMemLazyEnablePeerAccess));
    IS(again == large, 1);
    memcpy(&driver, &h.small, sizeof driver);
    OK(cuInit(0));
    OK(cuIpcOpenMemHandle(&p, driver, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    IS(p == (CUdeviceptr)small, 1);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, large));
    IS(a.type, cudaMemoryTypeDevice);
    for (int i = 0; i < 2; i++) OK(cudaIpcOpenEventHandle(&event[i], h.event[i]));
    check(large, LARGE, 5);
    add<<<4, 64>>>(large, LARGE, 10);
    add<<<1, 64>>>(small, SMALL, 20);
    OK(cudaDeviceSynchronize());
    IS(cudaFree(large), cudaErrorInvalidValue); // is closed, not freed
    IS(cudaMemset(large, 0, LARGE * 4ul + 1), cudaErrorInvalidValue);
    meet(out, in);
    play(2, neighbour, event, out, in);
    OK(cuIpcCloseMemHandle(p));
    OK(cudaIpcCloseMemHandle(small));
    OK(cudaIpcCloseMemHandle(large));
    OK(cudaIpcCloseMemHandle(again));
    IS(cudaIpcCloseMemHandle(large), cudaErrorInvalidValue);
    meet(out, in);
    meet(out, in); // the other has freed it
    IS(cudaIpcOpenMemHandle((void **)&large, h.large, cudaIpcMemLazyEnablePeerAccess), cudaErrorMapBufferObjectFailed);
    memset(&h, 0, sizeof h);
    IS(cudaIpcOpenMemHandle((void **)&large, h.large, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidValue);
    IS(cudaIpcOpenEventHandle(&event[0], h.event[0]), cudaErrorInvalidValue);
    OK(cudaDeviceReset());
    printf("opener: %d bad\n", bad);
}

int main() {
    if (pipe(to_child) || pipe(to_parent)) return 2;
    pid_t child = fork();
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
