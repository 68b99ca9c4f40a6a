// What may not happen while a stream is captured: CUDA's error, and the capture is invalid; modes, threads and destroyed streams.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t && %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <thread>
static int bad;
static void expect(cudaError_t got, cudaError_t want, const char *what, int line) {
    (void)cudaGetLastError();
    if (got == want) return;
    bad++;
    printf("line %d: %s is %s, not %s\n", line, what, cudaGetErrorName(got), cudaGetErrorName(want));
}
#define IS(call, error) expect(call, cudaError##error, #call, __LINE__)
#define OK(call) expect(call, cudaSuccess, #call, __LINE__)

__global__ void add(int *p, int v) { atomicAdd(p, v); }

static cudaStream_t s, other;
static cudaEvent_t event, joined;
static cudaGraph_t graph;
static int *d, host;

template <typename Call> static void forbidden(Call call, cudaError_t want, const char *what, int line) {
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, s));
    expect(call(), want, what, line);
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(s, &status));
    if (status != cudaStreamCaptureStatusInvalidated) bad++, printf("line %d: %s: the capture is valid\n", line, what);
    add<<<1, 1, 0, s>>>(d, 1);
    IS(cudaGetLastError(), StreamCaptureInvalidated);
    IS(cudaStreamEndCapture(s, &graph), StreamCaptureInvalidated);
    if (graph) bad++;
}
#define FORBIDDEN(call, error) forbidden([] { return call; }, cudaError##error, #call, __LINE__)

static void calls() {
    FORBIDDEN(cudaMalloc(&d, 4), StreamCaptureUnsupported);
    FORBIDDEN(cudaMallocHost(&d, 4), StreamCaptureUnsupported);
    FORBIDDEN(cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 0), StreamCaptureUnsupported);
    FORBIDDEN(cudaStreamSynchronize(s), StreamCaptureUnsupported);
    FORBIDDEN(cudaStreamQuery(s), StreamCaptureUnsupported);
    FORBIDDEN(cudaDeviceSynchronize(), StreamCaptureUnsupported);
    FORBIDDEN(cudaMemcpy(d, &host, 4, cudaMemcpyHostToDevice), StreamCaptureImplicit);
    FORBIDDEN(cudaMemset(d, 0, 4), StreamCaptureImplicit);
    FORBIDDEN(cudaEventQuery(event), CapturedEvent);
    FORBIDDEN(cudaEventSynchronize(event), CapturedEvent);
    FORBIDDEN(cudaStreamWaitEvent(s, joined, 0), StreamCaptureIsolation);
}

static void threads() {
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    std::thread([] {
        int *p;
        IS(cudaStreamEndCapture(s, &graph), StreamCaptureWrongThread);
        IS(cudaMalloc(&p, 4), StreamCaptureUnsupported);
    }).join();
    IS(cudaStreamEndCapture(s, &graph), StreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    std::thread([] {
        int *p;
        OK(cudaMalloc(&p, 4));
        OK(cudaFree(p));
    }).join();
    IS(cudaMalloc(&d, 4), StreamCaptureUnsupported);
    IS(cudaStreamEndCapture(s, &graph), StreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&d, 4));
    std::thread([] { OK(cudaStreamEndCapture(s, &graph)); }).join();
    OK(cudaGraphDestroy(graph));
}

static void ended() { // the stream can be used
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(s, &status));
    if (status != cudaStreamCaptureStatusNone) bad++, printf("the capture goes on\n");
    OK(cudaStreamSynchronize(s));
}

/* Without a place for the graph: only a capture into a graph that the program has can succeed; an error of the end is an end. */
static void without_graph() {
    cudaGraphNode_t root, stranger;
    cudaGraph_t g, h;
    int *p, out[2];
    OK(cudaMalloc(&p, 8));
    OK(cudaMemset(p, 0, 8));
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphCreate(&h, 0));
    OK(cudaGraphAddEmptyNode(&root, g, nullptr, 0));
    OK(cudaGraphAddEmptyNode(&stranger, h, nullptr, 0));
    IS(cudaStreamBeginCaptureToGraph(s, g, &stranger, nullptr, 1, cudaStreamCaptureModeGlobal), InvalidValue);
    for (int i = 0; i < 2; i++) {
        OK(cudaStreamBeginCaptureToGraph(s, g, &root, nullptr, 1, cudaStreamCaptureModeGlobal));
        add<<<1, 1, 0, s>>>(p + i, 3 + i);
        graph = nullptr;
        OK(cudaStreamEndCapture(s, i ? &graph : nullptr));
        if (i && graph != g) bad++, printf("another graph\n");
        ended();
    }
    OK(cudaStreamBeginCaptureToGraph(s, h, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    IS(cudaMalloc(&d, 4), StreamCaptureUnsupported);
    IS(cudaStreamEndCapture(s, nullptr), StreamCaptureInvalidated);
    ended();
    OK(cudaStreamBeginCaptureToGraph(s, h, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, s));
    OK(cudaStreamWaitEvent(other, event, 0));
    add<<<1, 1, 0, other>>>(p, 1);
    IS(cudaStreamEndCapture(other, nullptr), StreamCaptureUnmatched);
    IS(cudaStreamEndCapture(s, nullptr), StreamCaptureInvalidated);
    ended();
    IS(cudaStreamEndCapture(s, nullptr), InvalidValue);
    IS(cudaStreamEndCapture(s, &graph), IllegalState);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(p, 100);
    IS(cudaStreamEndCapture(s, nullptr), InvalidValue);
    ended();
    OK(cudaGraphDestroy(h)); // is the program's, also after an error
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(out, p, 8, cudaMemcpyDeviceToHost));
    if (out[0] != 3 || out[1] != 4) bad++, printf("the graph gives %d %d\n", out[0], out[1]);
    OK(cudaFree(p));
}

static void merged() {
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(event, s));
    IS(cudaStreamWaitEvent(other, event, 0), StreamCaptureMerge);
    IS(cudaStreamEndCapture(other, &graph), StreamCaptureInvalidated);
    IS(cudaStreamEndCapture(s, &graph), StreamCaptureInvalidated);
}

/* One that has been joined back may go; where the capture began there is none any more. */
static void destroyed() {
    cudaStream_t side;
    OK(cudaStreamCreate(&side));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, s));
    OK(cudaStreamWaitEvent(side, event, 0));
    add<<<1, 1, 0, side>>>(d, 7);
    OK(cudaEventRecord(joined, side));
    OK(cudaStreamWaitEvent(s, joined, 0));
    OK(cudaStreamDestroy(side));
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaStreamCreate(&side));
    OK(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, side>>>(d, 7);
    OK(cudaStreamDestroy(side));
    OK(cudaMemset(d, 0, 4));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost));
    if (host != 7) bad++, printf("the graph gives %d\n", host);
}

static void edges() {
    cudaGraphNode_t a, b;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
    OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
    IS(cudaGraphAddDependencies(graph, &a, &b, 1), InvalidValue); // it is there
    cudaGraphNode_t c, twice[] = {a, a};
    IS(cudaGraphAddEmptyNode(&c, graph, twice, 2), InvalidValue);
}

int main() {
    OK(cudaMalloc(&d, 64));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&joined));
    OK(cudaEventRecord(joined, other));
    calls();
    threads();
    without_graph();
    merged();
    destroyed();
    edges();
    printf("%d bad\n", bad);
}
