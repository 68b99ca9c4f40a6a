// REQUIRES: run
// RUN: %cucpu -w -std=c++17 %s -o %t && %run %t > %t.out && %python %S/Inputs/compare.py %S/Inputs/api_runtime.txt %S/Inputs/api_runtime.known %t.out
// What the runtime API answers in unusual situations. A line is `call: error`, and `[last x]` where cudaGetLastError tells something else.
#include <cuda_runtime.h>
#include <thread>
#define PROBE_RUNTIME
#include "Inputs/api.h"

__device__ int var[4] = {1, 2, 3, 4};
__constant__ int con[4] = {5, 6, 7, 8};
static int host_var[4];
__global__ void empty() {}
__global__ void add1(int *p) { atomicAdd(p, 1); }
__global__ void __launch_bounds__(64) bounded(int *p) { if (p) p[threadIdx.x] = 1; }
__global__ void shared1k(int *p) {
    __shared__ int s[256];
    s[threadIdx.x] = p ? p[0] : 1;
    __syncthreads();
    if (p) p[0] = s[threadIdx.x ^ 1];
}
__global__ void dynamic(int *p) {
    extern __shared__ int s[];
    s[threadIdx.x] = p ? p[0] : 1;
    __syncthreads();
    if (p) p[0] = s[threadIdx.x ^ 1];
}
__global__ void use_con(int *p) { p[0] = con[p[1] & 3]; }
static void host_function() {}

/* Device and host memory. */
static void allocation() {
    static char plain[8192];
    void *p = (void *)8, *q;
    size_t pitch = 77;
    CALL(cudaMalloc(&p, 0)); VAL(p == nullptr); VAL(p == (void *)8);
    p = (void *)8;
    CALL(cudaMalloc(&p, (size_t)1 << 50)); VAL(p == nullptr); VAL(p == (void *)8);
    CALL(cudaMalloc(&p, (size_t)-1));
    CALL(cudaMalloc((void **)nullptr, 16));
    CALL(cudaMalloc((void **)nullptr, 0));
    CALL(cudaFree(nullptr));
    CALL(cudaMalloc(&p, 1000)); VAL((size_t)p % 256);
    CALL(cudaFree((char *)p + 16));
    CALL(cudaFree((char *)p + 512));
    CALL(cudaFree(p));
    CALL(cudaFree(p));
    CALL(cudaFree(plain));
    CALL(cudaFree((void *)0x10));
    CALL(cudaMallocPitch(&p, &pitch, 0, 0)); VAL(p == nullptr); VAL(pitch);
    CALL(cudaMallocPitch(&p, &pitch, 0, 4)); VAL(p == nullptr);
    CALL(cudaMallocPitch(&p, &pitch, 100, 0)); VAL(p == nullptr);
    CALL(cudaMallocPitch((void **)nullptr, &pitch, 100, 4));
    CALL(cudaMallocPitch(&p, (size_t *)nullptr, 100, 4));
    CALL(cudaMallocPitch(&p, &pitch, 100, 4)); VAL(pitch % 128);
    CALL(cudaFree(p));
    CALL(cudaMallocPitch(&p, &pitch, (size_t)1 << 50, 4));
    cudaPitchedPtr pp;
    CALL(cudaMalloc3D(&pp, make_cudaExtent(0, 0, 0))); VAL(pp.ptr == nullptr);
    CALL(cudaMalloc3D(&pp, make_cudaExtent(16, 0, 2))); VAL(pp.ptr == nullptr);
    CALL(cudaMalloc3D(&pp, make_cudaExtent(100, 3, 2))); VAL(pp.xsize); VAL(pp.ysize);
    CALL(cudaFree(pp.ptr));
    // managed memory
    CALL(cudaMallocManaged(&p, 0)); VAL(p == nullptr);
    CALL(cudaMallocManaged(&p, 16, 0));
    CALL(cudaMallocManaged(&p, 16, 7));
    CALL(cudaMallocManaged(&p, 16, cudaMemAttachSingle));
    CALL(cudaMallocManaged((void **)nullptr, 16));
    CALL(cudaMallocManaged(&p, 16, cudaMemAttachHost));
    CALL(cudaFree((char *)p + 4));
    CALL(cudaFreeHost(p));
    CALL(cudaFree(p));
    // pinned memory
    p = (void *)8;
    CALL(cudaMallocHost(&p, 0)); VAL(p == nullptr); VAL(p == (void *)8);
    CALL(cudaMallocHost((void **)nullptr, 16));
    CALL(cudaMallocHost(&p, (size_t)1 << 50));
    CALL(cudaHostAlloc(&p, 16, 0x80));
    CALL(cudaHostAlloc(&p, 0, cudaHostAllocDefault));
    CALL(cudaHostAlloc(&p, 4096, cudaHostAllocMapped | cudaHostAllocPortable | cudaHostAllocWriteCombined));
    unsigned flags = 99;
    CALL(cudaHostGetFlags(&flags, p)); VAL(flags);
    CALL(cudaFreeHost(p));
    CALL(cudaMallocHost(&p, 4096));
    CALL(cudaHostGetFlags(&flags, p)); VAL(flags);
    CALL(cudaHostGetFlags(&flags, (char *)p + 4)); VAL(flags);
    CALL(cudaHostGetFlags(nullptr, p));
    CALL(cudaHostGetFlags(&flags, plain));
    CALL(cudaHostGetDevicePointer(&q, p, 0)); VAL(q == p);
    CALL(cudaHostGetDevicePointer(&q, (char *)p + 8, 0)); VAL((char *)q - (char *)p);
    CALL(cudaHostGetDevicePointer(&q, p, 1));
    CALL(cudaHostGetDevicePointer((void **)nullptr, p, 0));
    CALL(cudaHostGetDevicePointer(&q, nullptr, 0));
    CALL(cudaHostUnregister(p));
    CALL(cudaHostRegister(p, 4096, 0));
    CALL(cudaFree(p));
    CALL(cudaFreeHost((char *)p + 8));
    CALL(cudaFreeHost(p));
    CALL(cudaFreeHost(p));
    CALL(cudaFreeHost(nullptr));
    CALL(cudaFreeHost(plain));
    CALL(cudaMalloc(&p, 16));
    CALL(cudaFreeHost(p));
    CALL(cudaHostGetDevicePointer(&q, p, 0));
    CALL(cudaHostRegister(p, 16, 0));
    CALL(cudaFree(p));
    // registered memory
    char *h = (char *)aligned_alloc(4096, 16384);
    memset(h, 0, 16384);
    CALL(cudaHostRegister(h, 0, 0));
    CALL(cudaHostRegister(nullptr, 4096, 0));
    CALL(cudaHostRegister(h, 8192, 0x100));
    CALL(cudaHostUnregister(h));
    CALL(cudaHostUnregister(nullptr));
    CALL(cudaHostRegister(h, 8192, cudaHostRegisterDefault));
    CALL(cudaHostGetFlags(&flags, h)); VAL(flags);
    CALL(cudaHostRegister(h, 8192, 0));
    CALL(cudaHostRegister(h + 4096, 4096, 0));
    CALL(cudaHostRegister(h + 4096, 8192, 0));
    CALL(cudaHostGetDevicePointer(&q, h + 100, 0));
    CALL(cudaFreeHost(h));
    CALL(cudaHostUnregister(h + 4096));
    CALL(cudaHostUnregister(h));
    CALL(cudaHostUnregister(h));
    CALL(cudaHostRegister(h + 10, 100, cudaHostRegisterMapped | cudaHostRegisterPortable)); // any address
    CALL(cudaHostGetFlags(&flags, h + 10)); VAL(flags);
    CALL(cudaHostRegister(h + 200, 100, 0)); // the same page
    CALL(cudaHostRegister(h + 50, 10, 0));
    CALL(cudaHostUnregister(h + 20));
    CALL(cudaHostUnregister(h + 200));
    CALL(cudaHostUnregister(h + 10));
    CALL(cudaHostUnregister(h + 10));
    CALL(cudaMalloc(&p, 16));
    CALL(cudaHostUnregister(p));
    CALL(cudaFree(p));
    CALL(cudaMallocManaged(&p, 4096));
    CALL(cudaHostRegister(p, 4096, 0));
    CALL(cudaHostUnregister(p));
    CALL(cudaHostGetFlags(&flags, p));
    CALL(cudaHostGetDevicePointer(&q, p, 0));
    CALL(cudaFree(p));
}

/* Copies and fills. */
static void copies() {
    static char h[65536];
    char *d, *e;
    CALL(cudaMalloc(&d, 1024));
    CALL(cudaMalloc(&e, 1024));
    CALL(cudaMemcpy(d, h, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(nullptr, h, 0, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(d, h, 16, (cudaMemcpyKind)9));
    CALL(cudaMemcpy(d, h, 0, (cudaMemcpyKind)9));
    CALL(cudaMemcpy(d, h, 16, cudaMemcpyDefault));
    CALL(cudaMemcpy(h, d, 16, cudaMemcpyDefault));
    CALL(cudaMemcpy(h + 64, h, 16, cudaMemcpyDefault));
    CALL(cudaMemcpy(h + 64, h, 16, cudaMemcpyHostToHost));
    CALL(cudaMemcpy(d, d, 16, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(d, h, 65536, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(h, d, 65536, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(h, d + 1000, 100, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(e, d, 65536, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpyAsync(h, d, 65536, cudaMemcpyDefault, 0));
    CALL(cudaMemset(d, 0, 0));
    CALL(cudaMemset(nullptr, 0, 0));
    CALL(cudaMemset(nullptr, 0, 4));
    CALL(cudaMemset(d, 0, 65536));
    CALL(cudaMemset(d + 1024, 0, 0));
    CALL(cudaMemset(d, 0x1ff, 4));
    CALL(cudaMemcpy(h, d, 1, cudaMemcpyDeviceToHost)); VAL(h[0]);
    CALL(cudaMemcpy2D(d, 8, h, 16, 16, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 16, h, 8, 16, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 8, h, 8, 16, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 8, h, 8, 16, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 8, h, 8, 0, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 16, h, 16, 16, 2, (cudaMemcpyKind)9));
    CALL(cudaMemcpy2D(d, 512, h, 16, 16, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 512, h, 16, 16, 128, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, (size_t)1 << 40, h, 16, 16, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, (size_t)1 << 40, h, 16, 16, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 16, h, 16, 0, 2, (cudaMemcpyKind)9));
    CALL(cudaMemcpy2D(d, 8, h, 16, 16, 2, (cudaMemcpyKind)9));
    CALL(cudaMemcpy2D(nullptr, 8, h, 16, 16, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemset2D(d, 8, 0, 16, 2));
    CALL(cudaMemset2D(d, 8, 0, 16, 1));
    CALL(cudaMemset2D(d, 16, 0, 16, 0));
    CALL(cudaMemset2D(d, 16, 0, 0, 4));
    CALL(cudaMemset2D(nullptr, 16, 0, 8, 4));
    CALL(cudaMemset2D(nullptr, 16, 0, 0, 0));
    CALL(cudaMemset2D(d, 16, 0, 16, 4096));
    CALL(cudaMemset3D(make_cudaPitchedPtr(d, 8, 8, 2), 0, make_cudaExtent(16, 1, 1)));
    CALL(cudaMemset3D(make_cudaPitchedPtr(d, 16, 16, 2), 0, make_cudaExtent(16, 4, 2))); // more rows than ysize, two slices
    CALL(cudaMemset3D(make_cudaPitchedPtr(d, 16, 16, 2), 0, make_cudaExtent(16, 4, 1))); // one slice
    CALL(cudaMemset3D(make_cudaPitchedPtr(d, 16, 0, 0), 0, make_cudaExtent(16, 1, 1)));
    CALL(cudaMemset3D(make_cudaPitchedPtr(d, 8, 8, 2), 0, make_cudaExtent(16, 2, 1)));
    CALL(cudaMemset3D(make_cudaPitchedPtr(d, 16, 16, 4), 0, make_cudaExtent(0, 4, 2)));
    // three dimensions
    cudaMemcpy3DParms m = {};
    CALL(cudaMemcpy3D(&m)); // all is zero
    m.extent = make_cudaExtent(16, 2, 1);
    CALL(cudaMemcpy3D(&m)); // no pointers
    m.srcPtr = make_cudaPitchedPtr(h, 16, 16, 2);
    m.dstPtr = make_cudaPitchedPtr(d, 16, 16, 2);
    m.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&m)); // good
    m.kind = (cudaMemcpyKind)9;
    CALL(cudaMemcpy3D(&m)); // bad kind
    m.kind = cudaMemcpyHostToDevice, m.dstPtr.pitch = 8;
    CALL(cudaMemcpy3D(&m)); // pitch below width
    m.dstPtr = make_cudaPitchedPtr(d, 16, 16, 1);
    CALL(cudaMemcpy3D(&m)); // ysize below height
    m.extent.depth = 2;
    CALL(cudaMemcpy3D(&m)); // and depth
    m.dstPtr = make_cudaPitchedPtr(d, 16, 16, 2), m.extent = make_cudaExtent(16, 2, 40000);
    CALL(cudaMemcpy3D(&m)); // beyond the end
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    CALL(cudaMallocArray(&a, &f, 8, 4));
    m.extent = make_cudaExtent(8, 2, 1), m.dstArray = a;
    CALL(cudaMemcpy3D(&m)); // array and pointer
    m.dstPtr = {};
    CALL(cudaMemcpy3D(&m)); // good: 8 elements
    m.extent.width = 9;
    CALL(cudaMemcpy3D(&m)); // beyond the array
    m.extent.width = 8, m.dstPos = make_cudaPos(1, 0, 0);
    CALL(cudaMemcpy3D(&m));
    m.dstPos = make_cudaPos(0, 3, 0);
    CALL(cudaMemcpy3D(&m));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 32, 33, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 36, 36, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 5, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(a, 4, 0, h, 32, 32, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(a, 2, 0, h, 32, 8, 1, cudaMemcpyHostToDevice)); // half an element
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 32, 6, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(a, 0, 4, h, 32, 32, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 16, 32, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 32, 0, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(nullptr, 0, 0, h, 32, 32, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 5, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 4, cudaMemcpyHostToDevice)); // the wrong way
    CALL(cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 4, cudaMemcpyHostToHost));
    CALL(cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 4, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy2DFromArray(d, 32, a, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, (cudaMemcpyKind)9));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 16, 32, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(a, 0, 0, h, 16, 33, 2, cudaMemcpyHostToDevice)); // which comes first
    CALL(cudaMemcpy2DToArray(nullptr, 0, 0, h, 32, 0, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 0, 32, 4, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 0, 32, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToArray(a, 0, 0, h, 128, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToArray(a, 0, 0, h, 132, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToArray(a, 0, 0, h, 128, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyFromArray(h, a, 4, 1, 50, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyFromArray(h, a, 4, 1, 50, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms w = {};
    w.srcPtr = make_cudaPitchedPtr(h, 32, 8, 4), w.dstArray = a, w.extent = make_cudaExtent(8, 4, 1), w.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&w));
    w.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3D(&w)); // the wrong way
    w.kind = cudaMemcpyHostToDevice, w.srcPtr = make_cudaPitchedPtr(h, 4, 8, 4);
    CALL(cudaMemcpy3D(&w)); // pitch below the extent in elements
    w.srcPtr = make_cudaPitchedPtr(h, 32, 8, 2);
    CALL(cudaMemcpy3D(&w)); // too few rows
    w.srcPtr = make_cudaPitchedPtr(h, 32, 0, 4), w.extent.depth = 0;
    CALL(cudaMemcpy3D(&w)); // nothing
    w = {}, w.srcPtr = make_cudaPitchedPtr(h, 8, 8, 1), w.dstPtr = make_cudaPitchedPtr(d, 8, 8, 1);
    w.extent = make_cudaExtent(16, 1, 1), w.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&w)); // one row that is longer than the pitch
    w.extent = make_cudaExtent(8, 1, 1), w.srcPtr.ysize = w.dstPtr.ysize = 0;
    CALL(cudaMemcpy3D(&w)); // one row, and ysize 0
    w.srcPtr = make_cudaPitchedPtr(h, 8, 8, 4), w.dstPtr = make_cudaPitchedPtr(d, 8, 8, 4), w.extent = make_cudaExtent(8, 2, 2);
    w.dstPos = make_cudaPos(0, 3, 0);
    CALL(cudaMemcpy3D(&w)); // rows beyond ysize
    w.dstPos = make_cudaPos(4, 0, 0);
    CALL(cudaMemcpy3D(&w)); // bytes beyond the pitch
    w.dstPos = make_cudaPos(0, 0, 0), w.extent.width = 9;
    CALL(cudaMemcpy3D(&w));
    // symbols
    void *p = nullptr;
    size_t n = 0;
    CALL(cudaMemcpyToSymbol(var, h, 16));
    CALL(cudaMemcpyToSymbol(var, h, 17));
    CALL(cudaMemcpyToSymbol(var, h, 4, 16));
    CALL(cudaMemcpyToSymbol(var, h, 0, 16));
    CALL(cudaMemcpyToSymbol(var, h, 0, 1000));
    CALL(cudaMemcpyToSymbol(var, h, 16, (size_t)-4));
    CALL(cudaMemcpyToSymbol(con, h, 16, 4));
    CALL(cudaMemcpyToSymbol(var, h, 4, 0, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyToSymbol(var, d, 4, 0, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpyToSymbol(var, d, 4, 0, cudaMemcpyDefault));
    CALL(cudaMemcpyToSymbol(host_var, h, 4));
    CALL(cudaMemcpyToSymbol((const void *)nullptr, h, 4));
    CALL(cudaMemcpyToSymbol("var", h, 4));
    CALL(cudaMemcpyToSymbol(host_var, h, 0));
    CALL(cudaMemcpyToSymbol(var, h, 0, 0, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyToSymbol(var, h, 20, 0, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyToSymbol(var, h, 4, 0, (cudaMemcpyKind)9));
    CALL(cudaMemcpyFromSymbol(h, var, 0, 1000));
    CALL(cudaMemcpyFromSymbol(h, var, 20));
    CALL(cudaMemcpyFromSymbol(h, con, 16));
    CALL(cudaMemcpyFromSymbol(h, var, 4, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyFromSymbol(h, host_var, 4));
    CALL(cudaGetSymbolAddress(&p, var)); VAL(p != nullptr);
    CALL(cudaGetSymbolAddress(&p, host_var));
    CALL(cudaGetSymbolAddress(&p, (const void *)nullptr));
    CALL(cudaGetSymbolSize(&n, var)); VAL(n);
    CALL(cudaGetSymbolSize(&n, host_var));
    CALL(cudaGetSymbolSize(&n, (const void *)empty));
    CALL(cudaFree(p));
    // managed memory functions on what is not managed
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, nowhere = {cudaMemLocationTypeDevice, 99};
    CALL(cudaMemPrefetchAsync(d, 64, here, 0, 0));
    CALL(cudaMemAdvise(d, 64, cudaMemAdviseSetReadMostly, here));
    CALL(cudaMallocManaged(&p, 4096));
    CALL(cudaMemPrefetchAsync(p, 4096, nowhere, 0, 0));
    CALL(cudaMemPrefetchAsync(p, 4096, here, 1, 0));
    CALL(cudaMemPrefetchAsync(p, 0, here, 0, 0));
    CALL(cudaMemAdvise(p, 4096, (cudaMemoryAdvise)99, here));
    CALL(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, nowhere));
    CALL(cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, nowhere)); // the location does not matter
    int value = 77;
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 4096)); VAL(value);
    CALL(cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, p, 4096));
    CALL(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, p, 4096)); VAL(value);
}

/* Kinds that do not fit the pointers, and null. */
static void kinds() {
    static char h[1024], g[1024];
    char *d, *e, *pin;
    CALL(cudaMalloc(&d, 1024));
    CALL(cudaMalloc(&e, 1024));
    CALL(cudaMallocHost(&pin, 1024));
    RISKY(cudaMemcpy(nullptr, nullptr, 4, cudaMemcpyDefault));
    RISKY(cudaMemcpy(nullptr, d, 4, cudaMemcpyDeviceToDevice));
    RISKY(cudaMemcpy(d, nullptr, 4, cudaMemcpyDeviceToDevice));
    RISKY(cudaMemcpy(nullptr, h, 4, cudaMemcpyHostToDevice));
    RISKY(cudaMemcpy(h, nullptr, 4, cudaMemcpyDeviceToHost));
    RISKY(cudaMemcpy(d, pin, 16, cudaMemcpyDeviceToDevice));
    RISKY(cudaMemcpy(pin, d, 16, cudaMemcpyHostToDevice));
    RISKY(cudaMemcpy(d, pin, 16, cudaMemcpyDeviceToHost));
    RISKY(cudaMemcpy(pin, d, 16, cudaMemcpyHostToHost));
    RISKY(cudaMemcpy(d, e, 16, cudaMemcpyHostToDevice));
    RISKY(cudaMemcpy(d, e, 16, cudaMemcpyDeviceToHost));
    RISKY(cudaMemcpy(d, e, 16, cudaMemcpyHostToHost));
    RISKY(cudaMemcpy(d, h, 16, cudaMemcpyDeviceToHost));
    RISKY(cudaMemcpy(h, d, 16, cudaMemcpyHostToDevice));
    RISKY(cudaMemcpy(h, d, 16, cudaMemcpyHostToHost));
    RISKY(cudaMemcpy(h, g, 16, cudaMemcpyHostToDevice));
    RISKY(cudaMemcpy(h, g, 16, cudaMemcpyDeviceToHost));
    RISKY(cudaMemcpyAsync(d, e, 16, cudaMemcpyHostToDevice, 0));
    RISKY(cudaMemcpy2D(d, 8, e, 8, 8, 2, cudaMemcpyHostToDevice));
    RISKY(cudaMemcpy2D(h, 8, d, 8, 8, 2, cudaMemcpyHostToDevice));
    RISKY(cudaMemset(pin, 0, 16));
    CALL(cudaDeviceSynchronize());
    RISKY(cudaMemcpy(h, nullptr, 4, cudaMemcpyDefault));
    RISKY(cudaMemcpy(d, nullptr, 4, cudaMemcpyHostToDevice));
    RISKY(cudaMemcpy(nullptr, d, 4, cudaMemcpyDeviceToHost));
}
/* Null where a structure or a list is to be. */
static void nulls() {
    int n = 0, *p = nullptr;
    size_t size = 0;
    void *args[] = {&p};
    cudaDeviceProp prop = {};
    cudaLaunchConfig_t c = {};
    c.gridDim = c.blockDim = dim3(1);
    RISKY(cudaMalloc3D(nullptr, make_cudaExtent(16, 2, 2)));
    RISKY(cudaMemcpy3D(nullptr));
    RISKY(cudaChooseDevice(&n, nullptr));
    RISKY(cudaChooseDevice(nullptr, &prop));
    RISKY(cudaMemGetInfo(nullptr, nullptr));
    RISKY(cudaMemGetInfo(&size, nullptr));
    RISKY(cudaIpcGetMemHandle(nullptr, nullptr));
    RISKY(cudaDeviceGetByPCIBusId(&n, nullptr));
    RISKY(cudaGetDeviceProperties(nullptr, 0));
    c.numAttrs = 1;
    RISKY(cudaLaunchKernelEx(&c, add1, p)); // attrs is null
    RISKY(cudaLaunchKernel((const void *)empty, dim3(1), dim3(1), nullptr, 0, 0));
    RISKY(cudaLaunchKernel((const void *)add1, dim3(1), dim3(1), nullptr, 0, 0)); // has a parameter
    RISKY(cudaDeviceSynchronize());
}

static void attributes(const char *name, const void *p) {
    cudaPointerAttributes a;
    memset(&a, 0x55, sizeof a);
    cudaError_t e = cudaPointerGetAttributes(&a, p);
    tell(name, e);
    if (!e) printf("  type %d device %d devicePointer %s hostPointer %s\n", (int)a.type, a.device,
                   a.devicePointer == p ? "same" : !a.devicePointer ? "null" : "other", a.hostPointer == p ? "same" : !a.hostPointer ? "null" : "other");
}
#define ATTRIBUTES(p) attributes("cudaPointerGetAttributes " #p, (const void *)(p))
static void pointers() {
    static char plain[8192];
    char *d, *pinned, *managed, *h = (char *)aligned_alloc(4096, 8192), *symbol, *pooled, *combined;
    CALL(cudaMalloc(&d, 512));
    CALL(cudaMallocHost(&pinned, 4096));
    CALL(cudaHostAlloc(&combined, 4096, cudaHostAllocWriteCombined));
    CALL(cudaMallocManaged(&managed, 4096));
    CALL(cudaHostRegister(h, 4096, 0));
    CALL(cudaGetSymbolAddress((void **)&symbol, var));
    CALL(cudaMallocAsync((void **)&pooled, 512, 0));
    ATTRIBUTES(nullptr);
    ATTRIBUTES(plain);
    ATTRIBUTES(&d);
    ATTRIBUTES(0x10);
    ATTRIBUTES(empty);
    ATTRIBUTES(d);
    ATTRIBUTES(d + 100);
    ATTRIBUTES(d + 511);
    ATTRIBUTES(d + 512);
    ATTRIBUTES(pinned);
    ATTRIBUTES(pinned + 100);
    ATTRIBUTES(combined);
    ATTRIBUTES(managed);
    ATTRIBUTES(managed + 8);
    ATTRIBUTES(h);
    ATTRIBUTES(h + 8);
    ATTRIBUTES(h + 4096);
    CALL(cudaHostUnregister(h));
    ATTRIBUTES(h);
    ATTRIBUTES(symbol);
    CALL(cudaGetSymbolAddress((void **)&symbol, con));
    ATTRIBUTES(symbol);
    ATTRIBUTES(pooled);
    CALL(cudaPointerGetAttributes(nullptr, d));
}

/* Which errors stay, and until when. */
static void last_error() {
    void *p;
    RAW(cudaGetLastError());
    RAW(cudaMalloc(&p, (size_t)1 << 50));
    RAW(cudaPeekAtLastError());
    RAW(cudaPeekAtLastError());
    RAW(cudaDeviceSynchronize()); // a good call tells nothing of it
    RAW(cudaFree(nullptr));
    RAW(cudaGetLastError());
    RAW(cudaGetLastError());
    RAW(cudaMalloc(&p, (size_t)1 << 50));
    RAW(cudaFree((void *)0x10)); // the second error replaces the first
    RAW(cudaSetDevice(99));
    RAW(cudaPeekAtLastError());
    std::thread([] {
        RAW(cudaPeekAtLastError()); // each thread has its own
        RAW(cudaFree((void *)0x10));
    }).join();
    RAW(cudaGetLastError());
    RAW(cudaGetLastError());
    RAW(cudaFree((void *)0x10));
    empty<<<1, 1>>>(); // a good launch leaves the error of another call
    RAW(cudaGetLastError());
    empty<<<1, 2000>>>();
    empty<<<1, 1>>>();
    RAW(cudaPeekAtLastError());
    RAW(cudaDeviceSynchronize());
    RAW(cudaGetLastError());
    RAW(cudaGetLastError());
    cudaStream_t s;
    cudaEvent_t e;
    RAW(cudaStreamCreate(&s));
    RAW(cudaEventCreate(&e));
    RAW(cudaLaunchHostFunc(s, [](void *) { usleep(300000); }, nullptr));
    RAW(cudaEventRecord(e, s));
    RAW(cudaStreamQuery(s)); // not ready
    RAW(cudaGetLastError());
    RAW(cudaEventQuery(e));
    RAW(cudaGetLastError());
    float ms;
    RAW(cudaEventElapsedTime(&ms, e, e));
    RAW(cudaGetLastError());
    RAW(cudaStreamSynchronize(s));
    RAW(cudaMalloc(&p, (size_t)1 << 50));
    RAW(cudaDeviceReset()); // and a reset
    RAW(cudaPeekAtLastError());
    RAW(cudaGetLastError());
    RAW(cudaDeviceSynchronize());
}

static void launches() {
    int *p, value = 0, n = 7;
    CALL(cudaMalloc(&p, 4096));
    CALL(cudaMemset(p, 0, 4096));
    LAUNCH(empty<<<1, 1024>>>());
    LAUNCH(empty<<<1, 1025>>>());
    LAUNCH(empty<<<0, 1>>>());
    LAUNCH(empty<<<1, 0>>>());
    LAUNCH(empty<<<dim3(1, 0, 1), 1>>>());
    LAUNCH(empty<<<1, dim3(1, 1, 0)>>>());
    LAUNCH(empty<<<1, dim3(1, 1, 64)>>>());
    LAUNCH(empty<<<1, dim3(1, 1, 65)>>>());
    LAUNCH(empty<<<1, dim3(1, 1024, 1)>>>());
    LAUNCH(empty<<<1, dim3(32, 32, 2)>>>());
    LAUNCH(empty<<<1, dim3(65536, 65536, 1)>>>());
    LAUNCH(empty<<<dim3(1, 65535, 1), 1>>>());
    LAUNCH(empty<<<dim3(1, 65536, 1), 1>>>());
    LAUNCH(empty<<<dim3(1, 1, 65536), 1>>>());
    LAUNCH(empty<<<dim3(0x80000000u), 1>>>());
    LAUNCH(empty<<<(unsigned)-1, 1>>>());
    LAUNCH(empty<<<1, 1, 49152>>>());
    LAUNCH(empty<<<1, 1, 49153>>>());
    LAUNCH(dynamic<<<1, 32, 49152>>>(nullptr));
    LAUNCH(dynamic<<<1, 32, 49153>>>(nullptr));
    LAUNCH(shared1k<<<1, 32, 48128>>>(nullptr));
    LAUNCH(shared1k<<<1, 32, 48129>>>(nullptr));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    LAUNCH(dynamic<<<1, 32, 65536>>>(nullptr));
    LAUNCH(dynamic<<<1, 32, 65537>>>(nullptr));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100));
    LAUNCH(dynamic<<<1, 32, 128>>>(nullptr));
    LAUNCH(dynamic<<<1, 32, 49152>>>(nullptr));
    LAUNCH(dynamic<<<1, 32, 49153>>>(nullptr));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CALL(cudaFuncSetAttribute(dynamic, (cudaFuncAttribute)99, 1));
    CALL(cudaFuncSetAttribute((const void *)host_function, cudaFuncAttributeMaxDynamicSharedMemorySize, 100));
    CALL(cudaFuncSetAttribute((const void *)nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 100));
    CALL(cudaFuncSetAttribute(shared1k, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448 - 1024));
    CALL(cudaFuncSetAttribute(shared1k, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448 - 1023));
    CALL(cudaFuncSetAttribute(shared1k, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
    LAUNCH(shared1k<<<1, 32, 16>>>(nullptr));
    CALL(cudaFuncSetAttribute(shared1k, cudaFuncAttributeMaxDynamicSharedMemorySize, 48128));
    LAUNCH(bounded<<<1, 64>>>(nullptr));
    LAUNCH(bounded<<<1, 65>>>(nullptr));
    LAUNCH(bounded<<<1, 1025>>>(nullptr));
    LAUNCH(empty<<<1, 1, 0, cudaStreamPerThread>>>());
    LAUNCH(empty<<<1, 1, 0, cudaStreamLegacy>>>());
    void *args[] = {&p}, *none[] = {nullptr};
    CALL(cudaLaunchKernel((const void *)add1, dim3(1), dim3(1), args, 0, 0));
    CALL(cudaLaunchKernel((const void *)nullptr, dim3(1), dim3(1), args, 0, 0));
    CALL(cudaLaunchKernel((const void *)host_function, dim3(1), dim3(1), args, 0, 0));
    CALL(cudaLaunchKernel((const void *)add1, dim3(0), dim3(1), args, 0, 0));
    CALL(cudaLaunchKernel((const void *)nullptr, dim3(0), dim3(0), none, 0, 0)); // which comes first
    CALL(cudaLaunchKernel((const void *)bounded, dim3(0), dim3(100), args, 0, 0));
    CALL(cudaLaunchKernel((const void *)dynamic, dim3(1), dim3(2000), args, (size_t)1 << 20, 0));
    CALL(cudaLaunchCooperativeKernel((const void *)add1, dim3(2), dim3(32), args, 0, 0));
    CALL(cudaLaunchCooperativeKernel((const void *)add1, dim3(1 << 20), dim3(32), args, 0, 0));
    CALL(cudaLaunchCooperativeKernel((const void *)add1, dim3(0), dim3(32), args, 0, 0));
    CALL(cudaLaunchCooperativeKernel((const void *)add1, dim3(1), dim3(1025), args, 0, 0));
    CALL(cudaLaunchCooperativeKernel((const void *)host_function, dim3(1), dim3(1), args, 0, 0));
    // launch attributes
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a[1] = {};
    c.gridDim = c.blockDim = dim3(1);
    CALL(cudaLaunchKernelEx(&c, add1, p));
    CALL(cudaLaunchKernelExC(&c, (const void *)nullptr, args));
    c.numAttrs = 1;
    c.attrs = a, a[0].id = (cudaLaunchAttributeID)999;
    CALL(cudaLaunchKernelEx(&c, add1, p)); // unknown attribute
    a[0].id = cudaLaunchAttributeIgnore;
    CALL(cudaLaunchKernelEx(&c, add1, p)); // ignored
    a[0].id = cudaLaunchAttributeClusterDimension, a[0].val.clusterDim = {2, 1, 1}, c.gridDim = dim3(3);
    CALL(cudaLaunchKernelEx(&c, add1, p)); // 2 does not divide 3
    c.gridDim = dim3(32);
    CALL(cudaLaunchKernelEx(&c, add1, p)); // fine
    a[0].val.clusterDim = {16, 1, 1};
    CALL(cudaLaunchKernelEx(&c, add1, p)); // not portable
    a[0].val.clusterDim = {32, 1, 1};
    CALL(cudaLaunchKernelEx(&c, add1, p)); // too large
    a[0].val.clusterDim = {0, 1, 1};
    CALL(cudaLaunchKernelEx(&c, add1, p)); // nothing
    CALL(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost)); VAL(value);
    // functions
    cudaFuncAttributes f;
    CALL(cudaFuncGetAttributes(&f, bounded)); VAL(f.maxThreadsPerBlock); VAL(f.sharedSizeBytes); VAL(f.localSizeBytes); VAL(f.constSizeBytes);
    CALL(cudaFuncGetAttributes(&f, shared1k));
    VAL(f.maxThreadsPerBlock); VAL(f.sharedSizeBytes); VAL(f.maxDynamicSharedSizeBytes); VAL(f.preferredShmemCarveout);
    CALL(cudaFuncGetAttributes(&f, dynamic)); VAL(f.maxDynamicSharedSizeBytes); VAL(f.preferredShmemCarveout); VAL(f.sharedSizeBytes);
    CALL(cudaFuncGetAttributes(&f, use_con)); VAL(f.constSizeBytes);
    CALL(cudaFuncGetAttributes(&f, (const void *)host_function));
    CALL(cudaFuncGetAttributes(&f, (const void *)nullptr));
    CALL(cudaFuncGetAttributes(nullptr, (const void *)empty));
    CALL(cudaFuncSetCacheConfig(empty, cudaFuncCachePreferL1));
    CALL(cudaFuncSetCacheConfig(empty, (cudaFuncCache)99));
    CALL(cudaFuncSetCacheConfig((const void *)host_function, cudaFuncCachePreferL1));
    cudaFunction_t fn;
    CALL(cudaGetFuncBySymbol(&fn, (const void *)host_function));
    CALL(cudaGetFuncBySymbol(nullptr, (const void *)empty));
    // occupancy
    size_t bytes;
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, empty, 0, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, empty, -1, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, empty, 1025, 0)); VAL(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bounded, 65, 0)); VAL(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, empty, 1024, 0)); VAL(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, shared1k, 32, 49152)); VAL(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, empty, 32, (size_t)1 << 20)); VAL(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, empty, 32, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)host_function, 32, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, empty, 32, 0, 99));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)empty, 0, 32));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)empty, 1, 1025));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, empty, 32, 0)); VAL(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, dynamic, 32, 100)); VAL(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, dynamic, 32, 200)); VAL(n); // more than it may have
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)nullptr, 32, 0));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)empty, 1, 32)); VAL(bytes);
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)empty, 2, 1024)); VAL(bytes);
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)empty, 3, 1024)); VAL(bytes);
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)shared1k, 16, 64)); VAL(bytes);
    RISKY(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)host_function, 1, 32));
    const char *name = nullptr;
    size_t offset = 77;
    RISKY(cudaFuncGetName(&name, (const void *)host_function));
    RISKY(cudaFuncGetName(nullptr, (const void *)empty));
    CALL(cudaFuncGetParamInfo((const void *)add1, 0, &offset, &bytes)); VAL(offset); VAL(bytes);
    CALL(cudaFuncGetParamInfo((const void *)add1, 1, &offset, &bytes));
    RISKY(cudaFuncGetParamInfo((const void *)host_function, 0, &offset, &bytes));
    CALL(cudaDeviceSynchronize());
}

/* What the limits of the device become. */
static void limits() {
    struct { cudaLimit limit; size_t value; } tries[] = {
        {cudaLimitStackSize, 1}, {cudaLimitStackSize, 1017}, {cudaLimitStackSize, (size_t)1 << 40}, {cudaLimitStackSize, 10000},
        {cudaLimitMallocHeapSize, 1}, {cudaLimitMallocHeapSize, 5000000}, {cudaLimitMallocHeapSize, 8388609}, {cudaLimitMallocHeapSize, (size_t)1 << 50},
        {cudaLimitPrintfFifoSize, 0}, {cudaLimitPrintfFifoSize, 1000}, {cudaLimitPrintfFifoSize, 2000000},
        {cudaLimitDevRuntimeSyncDepth, 100}, {cudaLimitDevRuntimePendingLaunchCount, 0}, {cudaLimitDevRuntimePendingLaunchCount, 5000},
        {cudaLimitMaxL2FetchGranularity, 129}, {cudaLimitPersistingL2CacheSize, (size_t)1 << 40}};
    size_t value;
    CALL(cudaFree(nullptr));
    CALL(cudaCtxResetPersistingL2Cache());
    CALL(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize)); VAL(value);
    CALL(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth));
    CALL(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount)); VAL(value);
    for (auto t : tries) {
        printf("limit %d, %zu: ", (int)t.limit, t.value);
        printf("%s, ", cudaGetErrorName(cudaDeviceSetLimit(t.limit, t.value)));
        printf("%s\n", cudaGetErrorName(cudaDeviceGetLimit(&value, t.limit)));
    }
    empty<<<1, 1>>>();
    CALL(cudaDeviceSynchronize());
}

static void devices() {
    int n = 99;
    cudaDeviceProp prop;
    size_t size;
    char name[64];
    CALL(cudaSetDevice(-1));
    CALL(cudaSetDevice(999));
    CALL(cudaGetDeviceCount(nullptr));
    CALL(cudaGetDevice(nullptr));
    CALL(cudaGetDevice(&n)); VAL(n);
    CALL(cudaGetDeviceProperties(&prop, -1));
    CALL(cudaGetDeviceProperties(&prop, 999));
    CALL(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
    CALL(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
    CALL(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)-1, 0));
    CALL(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 999));
    CALL(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    CALL(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0)); VAL(n);
    CALL(cudaDeviceSetLimit((cudaLimit)99, 1));
    CALL(cudaDeviceGetLimit(&size, (cudaLimit)99));
    CALL(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    CALL(cudaDeviceGetLimit(&size, cudaLimitStackSize)); VAL(size);
    CALL(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize)); VAL(size);
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 1000));
    CALL(cudaDeviceGetLimit(&size, cudaLimitStackSize)); VAL(size);
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 0));
    CALL(cudaDeviceGetLimit(&size, cudaLimitStackSize)); VAL(size);
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 0));
    CALL(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize)); VAL(size);
    CALL(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 7));
    CALL(cudaDeviceGetLimit(&size, cudaLimitMaxL2FetchGranularity)); VAL(size);
    CALL(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 0));
    CALL(cudaDeviceSetCacheConfig((cudaFuncCache)99));
    CALL(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    cudaFuncCache config;
    CALL(cudaDeviceGetCacheConfig(&config)); VAL(config);
    CALL(cudaDeviceCanAccessPeer(&n, 0, 0)); VAL(n);
    CALL(cudaDeviceCanAccessPeer(&n, 0, 999));
    CALL(cudaDeviceCanAccessPeer(&n, -1, 0));
    CALL(cudaDeviceCanAccessPeer(nullptr, 0, 0));
    CALL(cudaDeviceEnablePeerAccess(0, 0));
    CALL(cudaDeviceEnablePeerAccess(0, 1));
    CALL(cudaDeviceEnablePeerAccess(999, 0));
    CALL(cudaDeviceDisablePeerAccess(0));
    CALL(cudaDeviceDisablePeerAccess(999));
    CALL(cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 0));
    CALL(cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 999));
    unsigned flags = 99;
    CALL(cudaGetDeviceFlags(&flags)); VAL(flags);
    CALL(cudaSetDeviceFlags(0x1000));
    CALL(cudaSetDeviceFlags(3)); // two bits of which one is to be set
    CALL(cudaSetDeviceFlags(cudaDeviceScheduleYield)); // after the context was made
    CALL(cudaGetDeviceFlags(&flags)); VAL(flags);
    CALL(cudaGetDeviceFlags(nullptr));
    CALL(cudaDeviceGetByPCIBusId(&n, "nonsense"));
    CALL(cudaDeviceGetByPCIBusId(&n, "ffff:ff:1f.0"));
    CALL(cudaDeviceGetPCIBusId(name, 1, 0));
    CALL(cudaDeviceGetPCIBusId(name, 64, 999));
    CALL(cudaDeviceGetPCIBusId(nullptr, 64, 0));
    CALL(cudaDeviceGetPCIBusId(name, 64, 0)); VAL(strlen(name));
    CALL(cudaDeviceGetByPCIBusId(&n, name)); VAL(n);
    memset(&prop, 0, sizeof prop);
    CALL(cudaChooseDevice(&n, &prop)); VAL(n);
    int list[2] = {999, 0};
    CALL(cudaSetValidDevices(list, 1));
    CALL(cudaSetValidDevices(list + 1, 1));
    CALL(cudaSetValidDevices(nullptr, 0));
    CALL(cudaSetValidDevices(nullptr, 1));
    CALL(cudaInitDevice(999, 0, 0));
    CALL(cudaInitDevice(0, 0, 99));
    CALL(cudaInitDevice(0, 0, 0));
    CALL(cudaRuntimeGetVersion(nullptr));
    CALL(cudaDriverGetVersion(nullptr));
    CALL(cudaCtxResetPersistingL2Cache());
    // other processes
    cudaIpcMemHandle_t mem = {};
    cudaIpcEventHandle_t event = {};
    cudaEvent_t e;
    void *p;
    CALL(cudaIpcGetMemHandle(&mem, nullptr));
    CALL(cudaIpcGetMemHandle(&mem, (void *)name));
    CALL(cudaIpcOpenMemHandle(&p, mem, cudaIpcMemLazyEnablePeerAccess)); // nothing's handle
    CALL(cudaIpcOpenMemHandle(&p, mem, 99));
    CALL(cudaIpcCloseMemHandle(nullptr));
    CALL(cudaIpcGetEventHandle(&event, nullptr));
    CALL(cudaEventCreate(&e));
    CALL(cudaIpcGetEventHandle(&event, e)); // not made for it
    CALL(cudaIpcOpenEventHandle(&e, event));
    // resets
    CALL(cudaMalloc(&p, 64));
    CALL(cudaDeviceReset());
    CALL(cudaDeviceReset());
    CALL(cudaFree(p)); // of the context that is gone
    CALL(cudaMalloc(&p, 64));
    CALL(cudaFree(p));
    CALL(cudaGetDeviceFlags(&flags)); VAL(flags);
    CALL(cudaDeviceGetLimit(&size, cudaLimitStackSize)); VAL(size);
}

static const Topic topics[] = {{"allocation", allocation}, {"copies", copies}, {"kinds", kinds}, {"pointers", pointers},
                               {"last_error", last_error}, {"launches", launches}, {"limits", limits}, {"devices", devices}, {"nulls", nulls}};
int main(int argc, char **argv) { return run_topics(topics, sizeof topics / sizeof *topics, argc, argv); }
