// Sums in memory stay in registers over a loop where no other argument points into the allocation; where one does, each
// store is seen by the loads of its thread that follow.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 -Rcucpu -c %s -o %t.o 2>&1 | FileCheck --check-prefix=SAYS %s
// SAYS-DAG: products{{.*}}: an element of memory {{.*}} kept in a register {{.*}}, where arguments point to allocations of their own
// SAYS-DAG: promised{{.*}}: an element of memory {{.*}} kept in a register until the loop ends [promoted]
// SAYS-NOT: {{loaded|waiting}}{{.*}}: an element of memory
#include "check.h"

constexpr int N = 40, ROWS = 64;

__global__ void products(const int *a, const int *x, int *y, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) y[i * step] += a[i * n + k] * x[k];
}

__global__ void promised(const int *a, const int *x, int *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0;
    for (int k = 0; k < n; k++) y[i] += a[i * n + k] * x[k];
}

__global__ void two_sums(const int *a, int *s, int *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + blockIdx.y * 1024;
    for (int k = 0; k < n; k++) s[i] += a[i * n + k], t[i] += s[i];
}

__global__ void loaded(int **rows, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) y[i] += rows[i][k];
}

__global__ void waiting(const int *a, int *y, int n) {
    int i = threadIdx.x;
    for (int k = 0; k < n; k++) {
        y[i] += a[i * n + k];
        __syncthreads();
        y[i] += y[(i + 1) % 64] * 0;
    }
}

static int a[ROWS * N], x[ROWS * N], y[ROWS * N];
__device__ int symbol[ROWS * N];

static void start(int *da, int *dx, int *dy) {
    for (int i = 0; i < ROWS * N; i++) a[i] = i * 7 % 11 - 5, x[i] = i % 5 - 2, y[i] = i;
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyDefault));
    if (dx != da) CUDA(cudaMemcpy(dx, x, sizeof(int) * N, cudaMemcpyDefault));
    if (dy) CUDA(cudaMemcpy(dy, y, sizeof y, cudaMemcpyDefault));
}

/* What the kernel does with these pointers, thread by thread: at[] is the host's picture of each. */
static void expect(const int *ha, const int *hx, int *hy, int step) {
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < N; k++) hy[i * step] += ha[i * N + k] * hx[k];
}

static void compare(const int *device, const int *host, int n, const char *what) {
    static int got[ROWS * N + N];
    CUDA(cudaMemcpy(got, device, sizeof(int) * n, cudaMemcpyDefault));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += got[i] != host[i];
    if (wrong) printf("%s: %d wrong\n", what, wrong);
    CHECK(!wrong);
}

/* Rows of y at a distance of `step`, in an allocation of its own. */
static void apart(int *da, int *dx, int *dy, const char *what) {
    for (dim3 block : {dim3(32), dim3(16), dim3(1), dim3(64)}) {
        start(da, dx, dy);
        products<<<ROWS / block.x, block>>>(da, dx, dy, N, N);
        expect(a, x, y, N);
        compare(dy, y, ROWS * N, what);
    }
}

/* y is element 3 of each row of a: later products of the row take what was stored there. */
static void within(int *da, int *dx) {
    start(da, dx, NULL);
    products<<<ROWS / 32, 32>>>(da, dx, da + 3, N, N);
    expect(a, x, a + 3, N);
    compare(da, a, ROWS * N, "y within a");
    start(da, da, NULL);
    products<<<1, 1>>>(da, da, da + 3, N, N);
    for (int k = 0; k < N; k++) a[3] += a[k] * a[k];
    compare(da, a, ROWS * N, "x, y and a are one array");
}

static void graph(int *da, int *dx, int *dy) {
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    CUDA(cudaStreamCreate(&s));
    for (int *to : {dy, da + 3}) {
        start(da, dx, to == dy ? dy : NULL);
        CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        products<<<ROWS / 32, 32, 0, s>>>(da, dx, to, N, N);
        CUDA(cudaStreamEndCapture(s, &g));
        CUDA(cudaGraphInstantiate(&e, g, 0));
        CUDA(cudaGraphLaunch(e, s));
        CUDA(cudaStreamSynchronize(s));
        expect(a, x, to == dy ? y : a + 3, N);
        compare(to == dy ? dy : da, to == dy ? y : a, ROWS * N, "graph");
        CUDA(cudaGraphExecDestroy(e));
        CUDA(cudaGraphDestroy(g));
    }
    CUDA(cudaStreamDestroy(s));
}

static void sums(int *da, int *dy) {
    static int s[ROWS], t[ROWS];
    start(da, da, dy);
    two_sums<<<2, 32>>>(da, dy, dy + ROWS, N);
    for (int i = 0; i < ROWS; i++) {
        s[i] = i, t[i] = i + ROWS;
        for (int k = 0; k < N; k++) s[i] += a[i * N + k], t[i] += s[i];
    }
    compare(dy, s, ROWS, "two sums in one allocation");
    compare(dy + ROWS, t, ROWS, "two sums in one allocation, the second");
    start(da, da, dy);
    two_sums<<<1, 1>>>(da, dy, dy, N);
    for (int k = 0; k < N; k++) y[0] += a[k], y[0] += y[0];
    compare(dy, y, ROWS * N, "two sums in one element");
    int **rows, *list[ROWS];
    CUDA(cudaMalloc(&rows, sizeof list));
    for (int i = 0; i < ROWS; i++) list[i] = dy + i; /* rows begin with the sum itself */
    CUDA(cudaMemcpy(rows, list, sizeof list, cudaMemcpyHostToDevice));
    start(da, da, dy);
    loaded<<<1, 1>>>(rows, dy, N);
    for (int k = 0; k < N; k++) y[0] += y[k];
    compare(dy, y, ROWS * N, "loaded pointers");
    start(da, da, dy);
    waiting<<<1, ROWS>>>(da, dy, N);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < N; k++) y[i] += a[i * N + k];
    compare(dy, y, ROWS * N, "barriers");
    start(da, da, dy);
    CUDA(cudaMemcpy(rows, x, sizeof(int) * N, cudaMemcpyHostToDevice));
    promised<<<2, 32>>>(da, (int *)rows, dy, N);
    for (int i = 0; i < ROWS; i++) {
        y[i] = 0;
        for (int k = 0; k < N; k++) y[i] += a[i * N + k] * x[k];
    }
    compare(dy, y, ROWS * N, "__restrict__");
}

int main() {
    int *da, *dx, *dy, *managed, *pool, *registered = (int *)malloc(sizeof y), *variable;
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&dx, sizeof x));
    CUDA(cudaMalloc(&dy, sizeof y));
    CUDA(cudaMallocManaged(&managed, sizeof y));
    CUDA(cudaMallocAsync(&pool, sizeof y, 0));
    CUDA(cudaHostRegister(registered, sizeof y, 0));
    CUDA(cudaGetSymbolAddress((void **)&variable, symbol));
    apart(da, dx, dy, "cudaMalloc");
    apart(da, dx, managed, "managed");
    apart(da, dx, pool, "pool");
    apart(da, dx, registered, "registered");
    apart(da, dx, variable, "variable");
    within(da, dx);
    graph(da, dx, dy);
    sums(da, dy);
    CUDA(cudaHostUnregister(registered));
    return finish();
}
