// REQUIRES: run
// RUN: %cucpu -w -std=c++17 %s -o %t && %run %t > %t.out && %python %S/Inputs/compare.py %S/Inputs/api_objects.txt %S/Inputs/api_objects.known %t.out
// Streams, events, images, pools, graphs: what the runtime API answers in unusual situations.
#include <cuda_runtime.h>
#define PROBE_RUNTIME
#include "Inputs/api.h"

__global__ void empty() {}
__global__ void other() {}
__global__ void add1(int *p) { atomicAdd(p, 1); }
__global__ void __launch_bounds__(64) bounded(int *p) { atomicAdd(p, 1); }
static void host_function() {}
static void streams() {
    cudaStream_t s, t;
    unsigned flags = 99;
    int prio = 99, least = 99, greatest = 99;
    CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest)); VAL(least);
    CALL(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
    CALL(cudaStreamCreate(nullptr));
    CALL(cudaStreamCreateWithFlags(&s, 99));
    CALL(cudaStreamCreateWithPriority(&s, 99, 0));
    CALL(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 100));
    CALL(cudaStreamGetPriority(s, &prio)); VAL(prio == least);
    CALL(cudaStreamGetFlags(s, &flags)); VAL(flags);
    CALL(cudaStreamCreateWithPriority(&t, 0, -100));
    CALL(cudaStreamGetPriority(t, &prio)); VAL(prio == greatest);
    CALL(cudaStreamGetFlags(t, &flags)); VAL(flags);
    CALL(cudaStreamGetFlags(0, &flags)); VAL(flags);
    CALL(cudaStreamGetFlags(cudaStreamLegacy, &flags)); VAL(flags);
    CALL(cudaStreamGetFlags(cudaStreamPerThread, &flags)); VAL(flags);
    CALL(cudaStreamGetFlags(s, nullptr));
    CALL(cudaStreamGetPriority(0, &prio)); VAL(prio);
    CALL(cudaStreamGetPriority(s, nullptr));
    CALL(cudaStreamDestroy(nullptr));
    CALL(cudaStreamDestroy(cudaStreamLegacy));
    CALL(cudaStreamDestroy(cudaStreamPerThread));
    CALL(cudaStreamQuery(0));
    CALL(cudaStreamQuery(s));
    CALL(cudaStreamSynchronize(0));
    CALL(cudaStreamSynchronize(cudaStreamPerThread));
    // events
    cudaEvent_t a, b, quiet;
    float ms = -1;
    CALL(cudaEventCreate(nullptr));
    CALL(cudaEventCreateWithFlags(&a, 0x10));
    CALL(cudaEventCreateWithFlags(&a, cudaEventInterprocess));
    CALL(cudaEventCreateWithFlags(&a, cudaEventBlockingSync));
    CALL(cudaEventCreate(&b));
    CALL(cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming));
    CALL(cudaEventQuery(a));
    CALL(cudaEventSynchronize(a));
    CALL(cudaStreamWaitEvent(s, a, 0));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventRecord(a, s));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventRecord(b, s));
    CALL(cudaEventRecord(quiet, s));
    CALL(cudaStreamSynchronize(s));
    CALL(cudaEventElapsedTime(&ms, a, b)); VAL(ms >= 0);
    CALL(cudaEventElapsedTime(&ms, a, a)); VAL(ms == 0);
    CALL(cudaEventElapsedTime(&ms, b, a)); VAL(ms <= 0);
    CALL(cudaEventElapsedTime(&ms, a, quiet));
    CALL(cudaEventElapsedTime(&ms, quiet, quiet));
    CALL(cudaEventElapsedTime(nullptr, a, b));
    CALL(cudaEventElapsedTime(&ms, nullptr, b));
    CALL(cudaEventElapsedTime(&ms, a, nullptr));
    CALL(cudaEventRecord(nullptr, s));
    CALL(cudaEventQuery(nullptr));
    CALL(cudaEventSynchronize(nullptr));
    CALL(cudaEventDestroy(nullptr));
    CALL(cudaEventRecordWithFlags(a, s, 8));
    CALL(cudaEventRecordWithFlags(a, s, cudaEventRecordExternal)); // s is not captured
    CALL(cudaStreamWaitEvent(s, a, 8));
    CALL(cudaStreamWaitEvent(s, nullptr, 0));
    CALL(cudaStreamWaitEvent(s, a, cudaEventWaitExternal));
    CALL(cudaEventRecord(a)); // in stream 0
    CALL(cudaEventSynchronize(a));
    CALL(cudaEventDestroy(a));
    // while something runs
    CALL(cudaLaunchHostFunc(s, [](void *) { usleep(300000); }, nullptr));
    CALL(cudaEventRecord(b, s));
    CALL(cudaStreamQuery(s));
    CALL(cudaEventQuery(b));
    CALL(cudaEventElapsedTime(&ms, b, b));
    CALL(cudaEventQuery(quiet));
    CALL(cudaStreamQuery(t));
    CALL(cudaStreamQuery(0)); // s does not block
    CALL(cudaEventDestroy(b)); // pending
    CALL(cudaStreamSynchronize(s));
    CALL(cudaLaunchHostFunc(t, [](void *) { usleep(300000); }, nullptr));
    CALL(cudaStreamQuery(0)); // t blocks
    CALL(cudaLaunchHostFunc(0, [](void *) {}, nullptr));
    CALL(cudaStreamQuery(0));
    CALL(cudaDeviceSynchronize());
    // functions of the host
    static cudaError_t codes[10];
    CALL(cudaLaunchHostFunc(s, nullptr, nullptr));
    CALL(cudaStreamAddCallback(s, nullptr, nullptr, 0));
    CALL(cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 1));
    CALL(cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t e, void *) { codes[0] = e; }, nullptr, 0));
    auto inside = [](void *) {
        void *p;
        int n;
        codes[1] = cudaMalloc(&p, 16);
        codes[2] = cudaGetLastError();
        codes[3] = cudaStreamQuery(0);
        codes[4] = cudaGetDevice(&n);
        codes[5] = cudaDeviceSynchronize();
        codes[6] = cudaFree(nullptr);
        codes[7] = cudaGetDeviceCount(&n);
        empty<<<1, 1>>>();
        codes[8] = cudaGetLastError();
    };
    CALL(cudaLaunchHostFunc(s, inside, nullptr));
    CALL(cudaStreamSynchronize(s));
    for (int i = 0; i < 9; i++) printf("  in a function of the host %d: %s\n", i, cudaGetErrorName(codes[i]));
    CALL(cudaGetLastError());
    // the rest
    cudaStreamAttrValue v = {};
    void *p, *m;
    unsigned long long id;
    CALL(cudaMalloc(&p, 64));
    CALL(cudaMallocManaged(&m, 64));
    CALL(cudaStreamAttachMemAsync(s, p));
    CALL(cudaStreamAttachMemAsync(s, m, 0, 99));
    CALL(cudaStreamAttachMemAsync(s, m, 16));
    CALL(cudaStreamAttachMemAsync(s, m, 0, cudaMemAttachGlobal));
    CALL(cudaStreamGetAttribute(s, (cudaStreamAttrID)99, &v));
    CALL(cudaStreamSetAttribute(s, (cudaStreamAttrID)99, &v));
    CALL(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &v)); VAL(v.priority == least);
    CALL(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v)); VAL(v.syncPolicy);
    CALL(cudaStreamCopyAttributes(s, t));
    CALL(cudaStreamGetId(s, nullptr));
    CALL(cudaStreamGetId(0, &id));
    CALL(cudaStreamDestroy(s));
    CALL(cudaStreamDestroy(t));
}

static cudaArray_t array; // 64 x 16 floats
static cudaTextureObject_t tex;
static cudaResourceDesc resource_linear(void *p, size_t bytes, cudaChannelFormatDesc f) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = p, r.res.linear.sizeInBytes = bytes, r.res.linear.desc = f;
    return r;
}
static cudaResourceDesc resource_pitch(void *p, size_t w, size_t h, size_t pitch, cudaChannelFormatDesc f) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D, r.res.pitch2D.devPtr = p, r.res.pitch2D.width = w, r.res.pitch2D.height = h;
    r.res.pitch2D.pitchInBytes = pitch, r.res.pitch2D.desc = f;
    return r;
}
static cudaResourceDesc resource_array(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    return r;
}
static cudaError_t make_texture(cudaResourceDesc r, cudaTextureFilterMode filter, cudaTextureReadMode mode, int normalized = 0,
                                cudaTextureAddressMode address = cudaAddressModeClamp) {
    cudaTextureDesc d = {};
    d.filterMode = filter, d.readMode = mode, d.normalizedCoords = normalized;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = address;
    cudaError_t e = cudaCreateTextureObject(&tex, &r, &d, nullptr);
    if (!e) cudaDestroyTextureObject(tex);
    return e;
}
static void images() {
    cudaChannelFormatDesc f32 = cudaCreateChannelDesc<float>(), i32 = cudaCreateChannelDesc<int>(), u8 = cudaCreateChannelDesc<unsigned char>();
    cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat}, odd = {3, 0, 0, 0, cudaChannelFormatKindSigned};
    cudaChannelFormatDesc mixed = {8, 16, 0, 0, cudaChannelFormatKindSigned}, f8 = {8, 0, 0, 0, cudaChannelFormatKindFloat}, none = {}, got;
    cudaChannelFormatDesc gap = {8, 0, 8, 0, cudaChannelFormatKindSigned}, f64 = {64, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaArray_t a = nullptr, bytes = nullptr, ints = nullptr, surfable = nullptr, layered = nullptr, volume = nullptr;
    cudaMipmappedArray_t mip = nullptr;
    cudaExtent e;
    unsigned flags = 99;
    CALL(cudaMallocArray(&array, &f32, 64, 16));
    CALL(cudaMallocArray(&bytes, &u8, 64, 16));
    CALL(cudaMallocArray(&ints, &i32, 64));
    CALL(cudaMallocArray(&surfable, &f32, 64, 16, cudaArraySurfaceLoadStore));
    CALL(cudaMallocArray(&a, &three, 8, 8));
    CALL(cudaMallocArray(&a, &odd, 8, 8));
    CALL(cudaMallocArray(&a, &mixed, 8, 8));
    CALL(cudaMallocArray(&a, &f8, 8, 8));
    CALL(cudaMallocArray(&a, &none, 8, 8));
    CALL(cudaMallocArray(&a, &gap, 8, 8));
    CALL(cudaMallocArray(&a, &f64, 8, 8));
    CALL(cudaMallocArray(&a, &f32, 0, 0));
    CALL(cudaMallocArray(&a, &f32, 0, 8));
    CALL(cudaMallocArray(&a, &f32, (size_t)1 << 30, 0));
    CALL(cudaMallocArray(&a, &f32, 8, (size_t)1 << 30));
    CALL(cudaMallocArray(&a, &f32, 8, 8, 0x1000));
    CALL(cudaMallocArray(&a, &f32, 8, 8, cudaArrayTextureGather));
    CALL(cudaMallocArray(&a, &f32, 8, 0, cudaArrayTextureGather));
    CALL(cudaMallocArray(&a, &f32, 8, 8, cudaArrayLayered));
    CALL(cudaMalloc3DArray(&volume, &f32, make_cudaExtent(4, 5, 6)));
    CALL(cudaMalloc3DArray(&layered, &f32, make_cudaExtent(4, 5, 6), cudaArrayLayered));
    CALL(cudaMalloc3DArray(&a, &f32, make_cudaExtent(4, 0, 6), cudaArrayLayered));
    CALL(cudaMalloc3DArray(&a, &f32, make_cudaExtent(4, 0, 6)));
    CALL(cudaMalloc3DArray(&a, &f32, make_cudaExtent(4, 4, 0), cudaArrayLayered));
    CALL(cudaMalloc3DArray(&a, &f32, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
    CALL(cudaMalloc3DArray(&a, &f32, make_cudaExtent(4, 5, 6), cudaArrayCubemap));
    CALL(cudaMalloc3DArray(&a, &f32, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
    CALL(cudaMalloc3DArray(&a, &f32, make_cudaExtent(4, 4, 7), cudaArrayCubemap | cudaArrayLayered));
    CALL(cudaArrayGetInfo(&got, &e, &flags, layered)); VAL(e.width); VAL(e.height); VAL(e.depth); VAL(flags); VAL(got.x);
    CALL(cudaArrayGetInfo(nullptr, &e, nullptr, ints)); VAL(e.width); VAL(e.height); VAL(e.depth);
    CALL(cudaArrayGetInfo(&got, &e, &flags, nullptr));
    CALL(cudaGetChannelDesc(&got, nullptr));
    CALL(cudaMallocMipmappedArray(&mip, &f32, make_cudaExtent(8, 8, 0), 0));
    CALL(cudaMallocMipmappedArray(&mip, &f32, make_cudaExtent(8, 8, 0), 99)); // 4 are possible
    CALL(cudaGetMipmappedArrayLevel(&a, mip, 3));
    CALL(cudaArrayGetInfo(&got, &e, &flags, a)); VAL(e.width); VAL(e.height);
    CALL(cudaGetMipmappedArrayLevel(&a, mip, 4));
    CALL(cudaGetMipmappedArrayLevel(&a, nullptr, 0));
    CALL(cudaFreeMipmappedArray(nullptr));
    CALL(cudaFreeArray(nullptr));
    // textures
    char *d;
    CALL(cudaMalloc(&d, 65536));
    const cudaTextureReadMode element = cudaReadModeElementType, norm = cudaReadModeNormalizedFloat;
    const cudaTextureFilterMode point = cudaFilterModePoint, linear = cudaFilterModeLinear;
    CALL(make_texture(resource_array(array), point, element));
    CALL(make_texture(resource_array(array), linear, element));
    CALL(make_texture(resource_array(array), point, norm)); // floats need no conversion
    CALL(make_texture(resource_array(bytes), point, element));
    CALL(make_texture(resource_array(bytes), linear, element)); // integers cannot be filtered
    CALL(make_texture(resource_array(bytes), linear, norm));
    CALL(make_texture(resource_array(ints), point, norm)); // nor 32 bits normalized
    CALL(make_texture(resource_array(ints), linear, element));
    CALL(make_texture(resource_array(array), point, element, 0, cudaAddressModeWrap)); // wrap without normalized coordinates
    CALL(make_texture(resource_array(array), point, element, 0, cudaAddressModeMirror));
    CALL(make_texture(resource_array(array), point, element, 1, cudaAddressModeMirror));
    CALL(make_texture(resource_array(array), point, element, 1, (cudaTextureAddressMode)9));
    CALL(make_texture(resource_array(array), (cudaTextureFilterMode)9, element));
    CALL(make_texture(resource_array(array), point, (cudaTextureReadMode)9));
    CALL(make_texture(resource_array(nullptr), point, element));
    CALL(make_texture(resource_linear(d, 1024, f32), point, element));
    CALL(make_texture(resource_linear(d, 1024, f32), point, element, 1)); // normalized
    CALL(make_texture(resource_linear(d, 1024, f32), linear, element));
    CALL(make_texture(resource_linear(d, 1024, f32), point, element, 0, cudaAddressModeWrap));
    CALL(make_texture(resource_linear(d, 1024, u8), point, norm));
    CALL(make_texture(resource_linear(d, 1024, i32), point, norm));
    CALL(make_texture(resource_linear(d + 4, 1024, f32), point, element)); // misaligned
    CALL(make_texture(resource_linear(d + 1, 1024, u8), point, element));
    CALL(make_texture(resource_linear(d, 0, f32), point, element));
    CALL(make_texture(resource_linear(d, 3, f32), point, element));
    CALL(make_texture(resource_linear(nullptr, 1024, f32), point, element));
    CALL(make_texture(resource_linear(d, (size_t)1 << 40, f32), point, element));
    CALL(make_texture(resource_linear(d, 1024, three), point, element));
    CALL(make_texture(resource_linear(d, 1024, none), point, element));
    CALL(make_texture(resource_pitch(d, 16, 16, 512, f32), linear, element));
    CALL(make_texture(resource_pitch(d, 16, 16, 68, f32), point, element)); // misaligned pitch
    CALL(make_texture(resource_pitch(d, 32, 16, 64, f32), point, element)); // pitch below the width
    CALL(make_texture(resource_pitch(d + 4, 16, 16, 512, f32), point, element));
    CALL(make_texture(resource_pitch(d, 0, 16, 512, f32), point, element));
    CALL(make_texture(resource_pitch(d, 16, 0, 512, f32), point, element));
    CALL(make_texture(resource_pitch(nullptr, 16, 16, 512, f32), point, element));
    CALL(make_texture(resource_pitch(d, 16, 16, 512, f32), point, element, 1, cudaAddressModeWrap));
    cudaChannelFormatDesc f16 = cudaCreateChannelDescHalf(), u16 = cudaCreateChannelDesc<unsigned short>();
    CALL(make_texture(resource_linear(d, 1024, f16), point, norm));
    CALL(make_texture(resource_linear(d, 1024, u16), point, norm));
    CALL(make_texture(resource_linear(d, 1024, f32), point, norm));
    CALL(make_texture(resource_linear(d, 1024, u16), linear, element));
    CALL(make_texture(resource_linear(d, 1024, f32), linear, element, 1, cudaAddressModeWrap));
    CALL(make_texture(resource_linear(d + 32, 1024, f32), point, element));
    CALL(make_texture(resource_linear(d + 256, 1024, f32), point, element));
    CALL(make_texture(resource_linear(d + 512, 1024, f32), point, element));
    CALL(make_texture(resource_linear(d, 65540, f32), point, element)); // beyond the end
    CALL(make_texture(resource_linear((void *)0x100000, 1024, f32), point, element)); // nobody's
    CALL(make_texture(resource_linear(nullptr, 0, f32), point, element));
    CALL(make_texture(resource_linear(d, (size_t)1 << 32, u8), point, element));
    CALL(make_texture(resource_pitch(d, 16, 1000, 512, f32), point, element));
    CALL(make_texture(resource_pitch(d, 16, 16, 0, f32), point, element));
    CALL(make_texture(resource_pitch(d, 1 << 20, 1, 1 << 22, f32), point, element));
    CALL(make_texture(resource_pitch(d, 16, 1, 68, f32), point, element)); // one row
    CALL(make_texture(resource_pitch(d, 16, 16, 512, u8), linear, element));
    CALL(make_texture(resource_pitch(d, 16, 16, 512, three), point, element));
    cudaResourceDesc mipped = {};
    mipped.resType = cudaResourceTypeMipmappedArray, mipped.res.mipmap.mipmap = mip;
    CALL(make_texture(mipped, point, element));
    CALL(make_texture(mipped, point, element, 1));
    mipped.res.mipmap.mipmap = nullptr;
    CALL(make_texture(mipped, point, element, 1));
    cudaResourceDesc r = resource_array(array);
    cudaTextureDesc t = {};
    cudaResourceViewDesc v = {};
    CALL(cudaCreateTextureObject(nullptr, &r, &t, nullptr));
    v.format = cudaResViewFormatFloat1, v.width = 64, v.height = 16;
    CALL(cudaCreateTextureObject(&tex, &r, &t, &v));
    v.format = cudaResViewFormatFloat4;
    CALL(cudaCreateTextureObject(&tex, &r, &t, &v)); // wider elements
    r.resType = (cudaResourceType)9;
    CALL(cudaCreateTextureObject(&tex, &r, &t, nullptr));
    CALL(cudaDestroyTextureObject(0));
    CALL(cudaGetTextureObjectResourceDesc(nullptr, tex));
    // surfaces
    cudaSurfaceObject_t s = 0;
    r = resource_array(surfable);
    CALL(cudaCreateSurfaceObject(&s, &r)); VAL(s != 0);
    CALL(cudaDestroySurfaceObject(s));
    r = resource_array(array); // not made for surfaces
    CALL(cudaCreateSurfaceObject(&s, &r));
    r = resource_linear(d, 1024, f32);
    CALL(cudaCreateSurfaceObject(&s, &r));
    CALL(cudaDestroySurfaceObject(0));
    CALL(cudaFree(d));
    CALL(cudaFreeArray(array));
    CALL(cudaDeviceSynchronize());
}

static void pools() {
    void *p = (void *)8, *q;
    char plain[16];
    cudaMemPool_t pool, mine;
    CALL(cudaMallocAsync(&p, 0, 0)); VAL(p == nullptr); VAL(p == (void *)8);
    CALL(cudaMallocAsync((void **)nullptr, 16, 0));
    CALL(cudaMallocAsync(&p, (size_t)1 << 50, 0));
    CALL(cudaFreeAsync(nullptr, 0));
    CALL(cudaFreeAsync(plain, 0));
    CALL(cudaMallocAsync(&p, 1000, 0));
    CALL(cudaFreeAsync((char *)p + 256, 0));
    CALL(cudaFreeAsync(p, 0));
    CALL(cudaFreeAsync(p, 0));
    CALL(cudaStreamSynchronize(0));
    CALL(cudaFree(p));
    CALL(cudaMallocAsync(&p, 1000, 0));
    CALL(cudaFree(p)); // of a pool, by the other function
    CALL(cudaMalloc(&q, 1000));
    CALL(cudaFreeAsync(q, 0)); // and the reverse
    CALL(cudaMallocManaged(&q, 64));
    CALL(cudaFreeAsync(q, 0));
    CALL(cudaDeviceSynchronize());
    CALL(cudaDeviceGetDefaultMemPool(&pool, 0));
    CALL(cudaDeviceGetDefaultMemPool(&mine, 999));
    CALL(cudaDeviceGetDefaultMemPool(nullptr, 0));
    CALL(cudaDeviceGetMemPool(&mine, 0)); VAL(mine == pool);
    CALL(cudaDeviceSetMemPool(0, nullptr));
    CALL(cudaDeviceSetMemPool(999, pool));
    int flag = 99;
    unsigned long long n = 99;
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &flag)); VAL(flag);
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag)); VAL(flag);
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &flag)); VAL(flag);
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &n)); VAL(n);
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &n)); VAL(n);
    CALL(cudaMallocAsync(&p, 1000, 0));
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &n)); VAL(n);
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &n)); VAL(n);
    CALL(cudaFreeAsync(p, 0));
    CALL(cudaStreamSynchronize(0));
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &n)); VAL(n);
    n = 5;
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &n)); // only 0
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &n));
    CALL(cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)99, &n));
    CALL(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &n));
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, nullptr));
    CALL(cudaMemPoolDestroy(pool)); // the default one
    CALL(cudaMemPoolDestroy(nullptr));
    CALL(cudaMemPoolTrimTo(nullptr, 0));
    CALL(cudaMemPoolTrimTo(pool, 0));
    cudaMemPoolProps props = {};
    CALL(cudaMemPoolCreate(&mine, &props)); // no type
    props.allocType = cudaMemAllocationTypePinned, props.location = {cudaMemLocationTypeDevice, 999};
    CALL(cudaMemPoolCreate(&mine, &props));
    props.location.id = 0;
    CALL(cudaMemPoolCreate(&mine, &props));
    CALL(cudaMallocFromPoolAsync(&p, 64, nullptr, 0));
    CALL(cudaMallocFromPoolAsync(&p, 64, mine, 0));
    cudaMemAccessFlags access = (cudaMemAccessFlags)99;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    CALL(cudaMemPoolGetAccess(&access, mine, &here)); VAL(access);
    cudaMemAccessDesc desc = {here, cudaMemAccessFlagsProtNone};
    CALL(cudaMemPoolSetAccess(mine, &desc, 1)); // its own device
    desc.location.id = 999, desc.flags = cudaMemAccessFlagsProtReadWrite;
    CALL(cudaMemPoolSetAccess(mine, &desc, 1));
    desc.location.id = 0;
    CALL(cudaMemPoolSetAccess(mine, &desc, 1));
    CALL(cudaFreeAsync(p, 0));
    CALL(cudaMemPoolDestroy(mine));
    CALL(cudaDeviceSynchronize());
}

/* Graphs made by hand. */
static void graphs() {
    cudaGraph_t g, g2, bad, empty_graph;
    cudaGraphExec_t x = nullptr, y = nullptr;
    cudaGraphNode_t n, m = nullptr, k = nullptr, nodes[4], from[1], to[1];
    size_t count = 99;
    int *p;
    CALL(cudaMalloc(&p, 64));
    CALL(cudaMemset(p, 0, 64));
    CALL(cudaGraphCreate(nullptr, 0));
    CALL(cudaGraphCreate(&g, 1)); // flags
    CALL(cudaGraphCreate(&empty_graph, 0));
    CALL(cudaGraphInstantiate(&x, empty_graph, 0));
    CALL(cudaGraphLaunch(x, 0));
    CALL(cudaGraphLaunch(nullptr, 0));
    CALL(cudaGraphGetNodes(empty_graph, nullptr, &count)); VAL(count);
    CALL(cudaGraphGetNodes(empty_graph, nullptr, nullptr));
    CALL(cudaGraphInstantiate(nullptr, empty_graph, 0));
    CALL(cudaGraphInstantiate(&y, nullptr, 0));
    CALL(cudaGraphInstantiate(&y, empty_graph, 0x1000));
    CALL(cudaGraphCreate(&g, 0));
    CALL(cudaGraphCreate(&bad, 0));
    void *args[] = {&p};
    cudaKernelNodeParams kp = {};
    kp.func = (void *)add1, kp.gridDim = kp.blockDim = dim3(1), kp.kernelParams = args;
    CALL(cudaGraphAddKernelNode(&k, g, nullptr, 0, &kp));
    kp.blockDim = dim3(2000);
    CALL(cudaGraphAddKernelNode(&n, bad, nullptr, 0, &kp));
    kp.blockDim = dim3(0);
    CALL(cudaGraphAddKernelNode(&n, bad, nullptr, 0, &kp));
    kp.blockDim = dim3(1), kp.func = nullptr;
    CALL(cudaGraphAddKernelNode(&n, bad, nullptr, 0, &kp));
    kp.func = (void *)add1, kp.sharedMemBytes = 50000;
    CALL(cudaGraphAddKernelNode(&n, bad, nullptr, 0, &kp));
    kp.sharedMemBytes = 0;
    CALL(cudaGraphAddKernelNode(&n, bad, nullptr, 1, &kp)); // dependencies are null
    CALL(cudaGraphAddKernelNode(nullptr, bad, nullptr, 0, &kp));
    CALL(cudaGraphGetNodes(bad, nullptr, &count)); VAL(count);
    nodes[0] = nodes[1] = k;
    CALL(cudaGraphAddKernelNode(&n, g, nodes, 2, &kp)); // one dependency twice
    CALL(cudaGraphGetNodes(g, nullptr, &count)); VAL(count);
    CALL(cudaGraphAddKernelNode(&m, g, nodes, 1, &kp));
    cudaMemsetParams ms = {};
    ms.dst = p + 4, ms.elementSize = 4, ms.width = 4, ms.height = 1, ms.value = 3;
    CALL(cudaGraphAddMemsetNode(&n, g, &m, 1, &ms));
    ms.elementSize = 3;
    CALL(cudaGraphAddMemsetNode(&n, bad, nullptr, 0, &ms));
    ms.elementSize = 4, ms.dst = nullptr;
    CALL(cudaGraphAddMemsetNode(&n, bad, nullptr, 0, &ms));
    ms.dst = p, ms.width = 0;
    CALL(cudaGraphAddMemsetNode(&n, bad, nullptr, 0, &ms));
    CALL(cudaGraphAddMemcpyNode1D(&n, bad, nullptr, 0, p, p + 4, 4, (cudaMemcpyKind)9));
    CALL(cudaGraphAddMemcpyNode1D(&n, bad, nullptr, 0, nullptr, p + 4, 4, cudaMemcpyDeviceToDevice));
    CALL(cudaGraphAddMemcpyNode1D(&n, bad, nullptr, 0, p, p + 4, 0, cudaMemcpyDeviceToDevice));
    ms = {};
    ms.dst = p, ms.elementSize = 4, ms.width = 4, ms.height = 0;
    CALL(cudaGraphAddMemsetNode(&n, bad, nullptr, 0, &ms)); // no rows
    ms.height = 2, ms.pitch = 8;
    CALL(cudaGraphAddMemsetNode(&n, bad, nullptr, 0, &ms)); // pitch below the width
    ms.width = 1000, ms.height = 1;
    CALL(cudaGraphAddMemsetNode(&n, bad, nullptr, 0, &ms)); // beyond the end
    cudaMemcpy3DParms mp = {};
    mp.srcPtr = mp.dstPtr = make_cudaPitchedPtr(p, 16, 16, 1), mp.kind = cudaMemcpyDeviceToDevice;
    CALL(cudaGraphAddMemcpyNode(&n, bad, nullptr, 0, &mp)); // nothing
    mp.extent = make_cudaExtent(16, 1, 1);
    CALL(cudaGraphAddMemcpyNode(&n, empty_graph, nullptr, 0, &mp));
    mp.kind = (cudaMemcpyKind)9;
    CALL(cudaGraphAddMemcpyNode(&n, bad, nullptr, 0, &mp));
    mp.kind = cudaMemcpyDeviceToDevice, mp.extent.width = 1000;
    CALL(cudaGraphAddMemcpyNode(&n, bad, nullptr, 0, &mp)); // beyond the pitch
    CALL(cudaGraphAddMemcpyNode1D(&n, bad, nullptr, 0, p, p + 4, 1000, cudaMemcpyDeviceToDevice));
    CALL(cudaGraphAddMemcpyNodeToSymbol(&n, bad, nullptr, 0, (const void *)host_function, p, 4, 0, cudaMemcpyDeviceToDevice));
    kp.func = (void *)host_function;
    CALL(cudaGraphAddKernelNode(&n, bad, nullptr, 0, &kp));
    kp.func = (void *)bounded, kp.blockDim = dim3(65);
    CALL(cudaGraphAddKernelNode(&n, bad, nullptr, 0, &kp));
    kp.blockDim = dim3(1), kp.kernelParams = nullptr;
    RISKY(cudaGraphAddKernelNode(&n, bad, nullptr, 0, &kp)); // has a parameter
    kp.func = (void *)add1, kp.kernelParams = args;
    CALL(cudaGraphGetNodes(bad, nullptr, &count)); VAL(count);
    CALL(cudaGraphAddEmptyNode(&n, g, nullptr, 0));
    // a node's type and parameters
    cudaGraphNodeType type;
    CALL(cudaGraphNodeGetType(n, &type)); VAL(type);
    CALL(cudaGraphNodeGetType(nullptr, &type));
    CALL(cudaGraphKernelNodeGetParams(n, &kp));
    CALL(cudaGraphMemsetNodeGetParams(k, &ms));
    CALL(cudaGraphKernelNodeSetParams(n, &kp));
    CALL(cudaGraphKernelNodeGetParams(k, nullptr));
    CALL(cudaGraphKernelNodeGetParams(k, &kp)); VAL(kp.blockDim.x);
    // edges
    from[0] = m, to[0] = k;
    CALL(cudaGraphAddDependencies(g, from, to, nullptr, 1)); // a cycle
    CALL(cudaGraphInstantiate(&y, g, 0));
    CALL(cudaGraphRemoveDependencies(g, from, to, nullptr, 1));
    CALL(cudaGraphRemoveDependencies(g, from, to, nullptr, 1));
    to[0] = m;
    CALL(cudaGraphAddDependencies(g, from, to, nullptr, 1)); // on itself
    from[0] = k;
    CALL(cudaGraphAddDependencies(g, from, to, nullptr, 1)); // is there
    CALL(cudaGraphAddDependencies(g, from, nullptr, nullptr, 1));
    CALL(cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 0));
    CALL(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &count)); VAL(count);
    CALL(cudaGraphCreate(&g2, 0));
    CALL(cudaGraphAddEmptyNode(nodes, g2, &k, 1)); // a node of another graph
    CALL(cudaGraphAddEmptyNode(nodes, g2, nullptr, 0));
    from[0] = nodes[0];
    CALL(cudaGraphAddDependencies(g, from, to, nullptr, 1));
    // executable graphs
    CALL(cudaGraphInstantiate(&y, g, 0));
    CALL(cudaGraphLaunch(y, 0));
    CALL(cudaGraphLaunch(y, 0));
    int value = 0;
    CALL(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost)); VAL(value);
    CALL(cudaGraphExecKernelNodeSetParams(y, n, &kp));
    CALL(cudaGraphExecKernelNodeSetParams(y, nodes[0], &kp)); // of another graph
    kp.func = (void *)other;
    CALL(cudaGraphExecKernelNodeSetParams(y, k, &kp));
    kp.func = (void *)add1, kp.blockDim = dim3(2000);
    CALL(cudaGraphExecKernelNodeSetParams(y, k, &kp));
    kp.blockDim = dim3(1);
    cudaGraphExecUpdateResultInfo info = {};
    CALL(cudaGraphExecUpdate(y, g2, &info)); VAL(info.result); // another shape
    CALL(cudaGraphExecUpdate(y, g, &info)); VAL(info.result);
    CALL(cudaGraphExecUpdate(y, nullptr, &info));
    cudaGraph_t clone;
    CALL(cudaGraphClone(&clone, g));
    CALL(cudaGraphNodeFindInClone(&n, k, clone));
    CALL(cudaGraphNodeFindInClone(&m, nodes[0], clone));
    kp.gridDim = dim3(5);
    CALL(cudaGraphKernelNodeSetParams(n, &kp));
    CALL(cudaGraphExecUpdate(y, clone, &info)); VAL(info.result);
    kp.func = (void *)other;
    CALL(cudaGraphKernelNodeSetParams(n, &kp));
    CALL(cudaGraphExecUpdate(y, clone, &info)); VAL(info.result); // another kernel
    CALL(cudaGraphDestroyNode(n));
    CALL(cudaGraphExecUpdate(y, clone, &info)); VAL(info.result); // a node less
    CALL(cudaGraphNodeFindInClone(&n, k, g2)); // no clone
    unsigned on = 99;
    CALL(cudaGraphNodeGetEnabled(y, k, &on)); VAL(on);
    CALL(cudaGraphNodeSetEnabled(y, k, 0));
    CALL(cudaGraphNodeGetEnabled(y, k, &on)); VAL(on);
    CALL(cudaGraphDestroyNode(nullptr));
    CALL(cudaGraphDestroy(nullptr));
    CALL(cudaGraphExecDestroy(nullptr));
    CALL(cudaGraphDestroy(g));
    CALL(cudaGraphLaunch(y, 0)); // needs no graph
    CALL(cudaGraphExecDestroy(y));
    CALL(cudaGraphUpload(x, 0));
    CALL(cudaDeviceSynchronize());
    // user objects
    cudaUserObject_t u;
    CALL(cudaUserObjectCreate(&u, p, [](void *) {}, 1, 0)); // the flag is missing
    CALL(cudaUserObjectCreate(&u, p, [](void *) {}, 0, cudaUserObjectNoDestructorSync));
    CALL(cudaUserObjectCreate(&u, p, nullptr, 1, cudaUserObjectNoDestructorSync));
    CALL(cudaUserObjectCreate(&u, p, [](void *) {}, 1, cudaUserObjectNoDestructorSync));
    CALL(cudaGraphRetainUserObject(g2, u, 0, 0));
    CALL(cudaGraphRetainUserObject(g2, u, 1, 99));
    CALL(cudaGraphReleaseUserObject(g2, u, 1)); // holds none
    CALL(cudaGraphReleaseUserObject(g2, u, 0));
    CALL(cudaGraphRetainUserObject(g2, u, 1, 0));
    CALL(cudaGraphReleaseUserObject(g2, u, 5)); // holds one
    CALL(cudaUserObjectRetain(u, 0));
    CALL(cudaUserObjectRelease(u, 0));
    CALL(cudaUserObjectRetain(nullptr, 1));
}

/* Null where a structure or a list is to be. */
static void nulls() {
    cudaChannelFormatDesc f32 = cudaCreateChannelDesc<float>();
    cudaArray_t a = nullptr;
    cudaTextureDesc t = {};
    cudaTextureObject_t x;
    cudaSurfaceObject_t s;
    cudaMemPool_t pool;
    cudaGraph_t g;
    cudaGraphNode_t n;
    CALL(cudaMallocArray(&a, &f32, 8, 8, cudaArraySurfaceLoadStore));
    cudaResourceDesc r = resource_array(a);
    RISKY(cudaMallocArray(&a, nullptr, 8, 8));
    RISKY(cudaMallocArray(nullptr, &f32, 8, 8));
    RISKY(cudaCreateTextureObject(&x, nullptr, &t, nullptr));
    RISKY(cudaCreateTextureObject(&x, &r, nullptr, nullptr));
    RISKY(cudaCreateSurfaceObject(nullptr, &r));
    RISKY(cudaCreateSurfaceObject(&s, nullptr));
    RISKY(cudaMemPoolCreate(&pool, nullptr));
    RISKY(cudaGetChannelDesc(nullptr, a));
    CALL(cudaGraphCreate(&g, 0));
    RISKY(cudaGraphAddKernelNode(&n, g, nullptr, 0, nullptr));
    RISKY(cudaGraphAddMemsetNode(&n, g, nullptr, 0, nullptr));
    RISKY(cudaGraphAddMemcpyNode(&n, g, nullptr, 0, nullptr));
    RISKY(cudaGraphAddHostNode(&n, g, nullptr, 0, nullptr));
    RISKY(cudaGraphAddChildGraphNode(&n, g, nullptr, 0, nullptr));
    RISKY(cudaGraphAddEventRecordNode(&n, g, nullptr, 0, nullptr));
    RISKY(cudaGraphAddMemAllocNode(&n, g, nullptr, 0, nullptr));
    RISKY(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, nullptr));
    RISKY(cudaGraphExecUpdate(nullptr, g, nullptr));
    RISKY(cudaStreamBeginCaptureToGraph(0, nullptr, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
}

/* Captures, and what ends them. */
static cudaStream_t s, t;
static void end(const char *what) {
    cudaGraph_t g = (cudaGraph_t)8;
    cudaStreamCaptureStatus status = (cudaStreamCaptureStatus)99;
    if (cudaStreamIsCapturing(s, &status)) printf("  cudaStreamIsCapturing fails\n");
    printf("  status %d\n", (int)status);
    cudaError_t e = cudaStreamEndCapture(s, &g);
    tell(what, e);
    size_t count = 99;
    if (!e) cudaGraphGetNodes(g, nullptr, &count), printf("  %d nodes\n", (int)count);
    else VAL(g == nullptr);
}
#define CAPTURED(...) do { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); tell(#__VA_ARGS__, (__VA_ARGS__)); end("  end"); } while (0)
static void captures() {
    cudaEvent_t e, f;
    cudaGraph_t g;
    cudaStreamCaptureStatus status;
    cudaStreamCaptureMode mode = (cudaStreamCaptureMode)9;
    void *p, *q, *pinned;
    char h[16];
    CALL(cudaStreamCreate(&s));
    CALL(cudaStreamCreate(&t));
    CALL(cudaEventCreate(&e));
    CALL(cudaEventCreate(&f));
    CALL(cudaMalloc(&p, 64));
    CALL(cudaMallocHost(&pinned, 64));
    CALL(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)9));
    CALL(cudaStreamEndCapture(s, &g));
    CALL(cudaStreamIsCapturing(0, &status)); VAL(status);
    CALL(cudaStreamIsCapturing(s, nullptr));
    CALL(cudaThreadExchangeStreamCaptureMode(&mode)); VAL(mode);
    mode = cudaStreamCaptureModeGlobal;
    CALL(cudaThreadExchangeStreamCaptureMode(&mode)); VAL(mode);
    CAPTURED(cudaSuccess);
    CAPTURED(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); // twice
    CAPTURED(cudaMalloc(&q, 64));
    CAPTURED(cudaFree(nullptr));
    CAPTURED(cudaMallocHost(&q, 64));
    CAPTURED(cudaMallocManaged(&q, 64));
    CAPTURED(cudaMallocAsync(&q, 64, s));
    CAPTURED(cudaMallocAsync(&q, 64, 0));
    CAPTURED(cudaFreeAsync(p, s)); // not of the graph
    CALL(cudaMalloc(&p, 64));
    CAPTURED(cudaStreamSynchronize(s));
    CAPTURED(cudaStreamSynchronize(t));
    CAPTURED(cudaStreamSynchronize(0));
    CAPTURED(cudaDeviceSynchronize());
    CAPTURED(cudaStreamQuery(s));
    CAPTURED(cudaStreamQuery(t));
    CAPTURED(cudaStreamQuery(0));
    CAPTURED(cudaMemcpy(p, h, 16, cudaMemcpyHostToDevice));
    CAPTURED(cudaMemcpyAsync(p, h, 16, cudaMemcpyHostToDevice, s)); // pageable
    CAPTURED(cudaMemcpyAsync(p, pinned, 16, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaMemcpyAsync(p, pinned, 4096, cudaMemcpyHostToDevice, s)); // beyond the end
    CAPTURED(cudaMemcpyAsync(p, pinned, 0, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaMemset(p, 0, 16));
    CAPTURED(cudaMemsetAsync(p, 0, 16, s));
    CAPTURED(cudaMemsetAsync(p, 0, 0, s));
    CAPTURED(cudaMemsetAsync(p, 0, 16, 0));
    CAPTURED((empty<<<1, 1>>>(), cudaGetLastError())); // stream 0
    CAPTURED((empty<<<1, 1, 0, t>>>(), cudaGetLastError())); // a stream that is not captured
    CAPTURED((empty<<<1, 1, 0, s>>>(), cudaGetLastError()));
    CAPTURED((empty<<<1, 2000, 0, s>>>(), cudaGetLastError()));
    CAPTURED(cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 0));
    CAPTURED(cudaLaunchHostFunc(s, [](void *) {}, nullptr));
    CAPTURED(cudaEventQuery(e)); // not captured
    CAPTURED(cudaEventRecord(e, s));
    CALL(cudaEventQuery(e)); // was captured
    CALL(cudaEventSynchronize(e));
    CALL(cudaStreamWaitEvent(t, e, 0));
    CALL(cudaEventRecord(f, t));
    CAPTURED(cudaStreamWaitEvent(s, f, 0)); // recorded outside
    CAPTURED(cudaStreamWaitEvent(s, f, cudaEventWaitExternal));
    CAPTURED(cudaEventRecordWithFlags(f, s, cudaEventRecordExternal));
    CAPTURED(cudaEventRecord(f, 0)); // in stream 0
    CAPTURED(cudaEventCreate(&f));
    CAPTURED(cudaStreamCreate(&t));
    CAPTURED(cudaStreamEndCapture(t, &g)); // not captured
    CAPTURED((cudaEventRecord(e, s), cudaEventQuery(e)));
    CAPTURED((cudaEventRecord(e, s), cudaEventSynchronize(e)));
    CAPTURED((cudaEventRecord(e, s), cudaStreamWaitEvent(0, e, 0))); // stream 0 cannot join
    CAPTURED((cudaEventRecord(e, s), cudaStreamWaitEvent(t, e, 0))); // t joins and is left
    CALL(cudaStreamIsCapturing(t, &status)); VAL(status);
    CAPTURED((cudaEventRecord(e, s), cudaStreamWaitEvent(t, e, 0), empty<<<1, 1, 0, t>>>(), cudaGetLastError()));
    CALL(cudaStreamIsCapturing(t, &status)); VAL(status);
    CAPTURED((cudaEventRecord(e, s), cudaStreamWaitEvent(t, e, 0), cudaStreamEndCapture(t, &g))); // not where it began
    CAPTURED((cudaEventRecord(e, s), cudaStreamWaitEvent(t, e, 0), cudaEventRecord(f, t), cudaStreamWaitEvent(s, f, 0)));
    CAPTURED((cudaGraphCreate(&g, 0), cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal))); // two at once
    CALL(cudaStreamEndCapture(t, &g));
    // a mode that allows more
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CALL(cudaMalloc(&q, 64));
    CALL(cudaFree(q));
    CALL(cudaStreamSynchronize(t));
    CALL(cudaDeviceSynchronize());
    end("end, relaxed");
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    CALL(cudaMalloc(&q, 64));
    end("end, thread local");
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamDestroy(s)); // captured
    CALL(cudaDeviceSynchronize());
    CALL(cudaMalloc(&q, 64));
}

static const Topic topics[] = {{"streams", streams}, {"images", images}, {"pools", pools}, {"graphs", graphs}, {"nulls", nulls}, {"captures", captures}};
int main(int argc, char **argv) { return run_topics(topics, sizeof topics / sizeof *topics, argc, argv); }
