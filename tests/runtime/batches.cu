// Copies and prefetches in batches, pools by location, libraries of the runtime API, and another child graph for an executable graph.
// REQUIRES: run
// RUN: %cucpu -std=c++17 -w %s -o %t && %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cstring>
static int bad;
#define IS(call, want)                                                                             \
    do {                                                                                           \
        long long got_ = (long long)(call);                                                        \
        if (got_ != (long long)(want)) bad++, printf("line %d: %s is %lld, not %lld\n", __LINE__, #call, got_, (long long)(want)); \
    } while (0)
#define OK(call) IS(call, cudaSuccess)
#define WRONG(call) IS(call, cudaErrorInvalidValue)

static cudaStream_t s;
static int *d, host[64];

static void copies() {
    int a[4] = {1, 2, 3, 4}, b[2] = {5, 6};
    void *dst[] = {d, d + 8}, *src[] = {a, b};
    size_t sizes[] = {16, 8}, at[] = {0}, failed;
    cudaMemcpyAttributes attributes = {cudaMemcpySrcAccessOrderStream};
    OK(cudaMemcpyBatchAsync(dst, src, sizes, 2, &attributes, at, 1, &failed, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(host, d, 64, cudaMemcpyDeviceToHost));
    IS(host[3], 4);
    IS(host[9], 6);
    OK(cudaMemcpyBatchAsync((void *const *)dst, (const void *const *)src, (const size_t *)sizes, 2, &attributes, at, 1, s)); // CUDA 13
    sizes[1] = 1 << 20;
    WRONG(cudaMemcpyBatchAsync(dst, src, sizes, 2, &attributes, at, 1, &failed, s));
    IS(failed, 1);
    WRONG(cudaMemcpyBatchAsync(dst, src, sizes, 1, &attributes, at, 1, &failed, (cudaStream_t)0));
    WRONG(cudaMemcpyBatchAsync(dst, src, sizes, 1, nullptr, at, 1, &failed, s));
    at[0] = 1;
    WRONG(cudaMemcpyBatchAsync(dst, src, sizes, 1, &attributes, at, 1, &failed, s));
}

static void boxes() {
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    OK(cudaMallocArray(&array, &desc, 8, 4));
    for (int i = 0; i < 32; i++) host[i] = i;
    cudaMemcpy3DBatchOp ops[2] = {};
    ops[0].src.type = ops[1].dst.type = cudaMemcpyOperandTypePointer;
    ops[0].dst.type = ops[1].src.type = cudaMemcpyOperandTypeArray;
    ops[0].src.op.ptr.ptr = host;
    ops[0].dst.op.array.array = ops[1].src.op.array.array = array;
    ops[0].extent = make_cudaExtent(8, 4, 1);
    ops[1].src.op.array.offset = {2, 1, 0};
    ops[1].dst.op.ptr.ptr = d;
    ops[1].dst.op.ptr.rowLength = 5;
    ops[1].extent = make_cudaExtent(3, 2, 1);
    size_t failed;
    OK(cudaMemset(d, 0, 256));
    OK(cudaMemcpy3DBatchAsync(2, ops, &failed, 0, s));
    OK(cudaStreamSynchronize(s));
    int got[8];
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    IS(got[0], 10);
    IS(got[2], 12);
    IS(got[3], 0);
    IS(got[7], 20);
    ops[1].extent.width = 0;
    WRONG(cudaMemcpy3DBatchAsync(2, ops, 0, s));
}

static void prefetches() {
    void *m[2];
    size_t sizes[] = {4096, 4096}, at[] = {0, 1};
    OK(cudaMallocManaged(&m[0], 4096));
    OK(cudaMallocManaged(&m[1], 4096));
    cudaMemLocation places[] = {{cudaMemLocationTypeHost, 0}, {cudaMemLocationTypeDevice, 0}};
    OK(cudaMemPrefetchBatchAsync(m, sizes, 2, places, at, 2, 0, s));
    int last;
    OK(cudaMemRangeGetAttribute(&last, sizeof last, cudaMemRangeAttributeLastPrefetchLocation, m[1], 4096));
    IS(last, 0);
    OK(cudaMemDiscardAndPrefetchBatchAsync(m, sizes, 2, places, at, 1, 0, s));
    WRONG(cudaMemDiscardBatchAsync((void **)&d, sizes, 1, 0, s));
    cudaMemPool_t pool, other;
    OK(cudaMemGetDefaultMemPool(&pool, &places[1], cudaMemAllocationTypePinned));
    OK(cudaDeviceGetDefaultMemPool(&other, 0));
    IS(pool == other, 1);
    OK(cudaMemSetMemPool(&places[1], cudaMemAllocationTypePinned, pool));
    WRONG(cudaMemGetMemPool(nullptr, &places[1], cudaMemAllocationTypePinned));
}

static void libraries() {
    const char *ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .u32 v = 5;\n"
                      ".visible .entry k(.param .u64 p) {\n.reg .u64 %rd<3>;\n.reg .u32 %r<2>;\n"
                      "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [v];\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
    cudaLibrary_t library;
    cudaKernel_t kernel, listed;
    unsigned count;
    void *v, *args[] = {&d};
    size_t bytes;
    OK(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "k"));
    IS(cudaLibraryGetKernel(&kernel, library, "none"), cudaErrorSymbolNotFound);
    OK(cudaLibraryGetKernelCount(&count, library));
    IS(count, 1);
    OK(cudaLibraryEnumerateKernels(&listed, 1, library));
    IS(listed == kernel, 1);
    OK(cudaLibraryGetGlobal(&v, &bytes, library, "v"));
    IS(bytes, 4);
    OK(cudaLaunchKernel((const void *)kernel, 1, 1, args, 0, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost));
    IS(host[0], 5);
    OK(cudaLibraryUnload(library));
    IS(cudaLibraryGetKernel(&kernel, library, "k"), cudaErrorInvalidResourceHandle);
    IS(cudaLibraryLoadData(&library, "nonsense", nullptr, nullptr, 0, nullptr, nullptr, 0), cudaErrorInvalidKernelImage);
}

static cudaGraph_t filled(int value, bool twice) {
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaMemsetParams p = {d, 4, (unsigned)value, 4, 1, 1};
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemsetNode(&n, g, nullptr, 0, &p));
    if (twice) OK(cudaGraphAddMemsetNode(&n, g, &n, 1, &p));
    return g;
}

static void children() {
    cudaGraph_t g;
    cudaGraphNode_t child;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddChildGraphNode(&child, g, nullptr, 0, filled(1, false)));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphExecChildGraphNodeSetParams(exec, child, filled(9, false)));
    WRONG(cudaGraphExecChildGraphNodeSetParams(exec, child, filled(8, true)));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost));
    IS(host[0], 9);
}

int main() {
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&d, 256));
    copies();
    boxes();
    prefetches();
    libraries();
    children();
    printf("%d bad\n", bad);
}
