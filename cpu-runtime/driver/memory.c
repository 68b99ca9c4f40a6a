/* memory.c: the driver API: memory and copies.
**
** Descriptions of the driver API are turned into those of the runtime API, which checks and does the work. */
#include "space/alloc.h"
#include "memory/array.h"
#include "memory/copy.h"
#include "driver/driver.h"
#include <string.h>

static void *ptr(CUdeviceptr p) { return (void *)(uintptr_t)p; }
static void **out(CUdeviceptr *p) { return (void **)p; }

/* ---- allocation ---- */

CUresult cuMemGetInfo(size_t *bytes_free, size_t *total) { DRV_FORWARD(cudaMemGetInfo(bytes_free, total)); }

CUresult cuMemAlloc(CUdeviceptr *p, size_t size) {
    DRV_ENTER(true);
    if (p && !size) *p = 0;
    if (!p || !size) return CUDA_ERROR_INVALID_VALUE;
    DRV_RETURN(cudaMalloc(out(p), size));
}

CUresult cuMemAllocPitch(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned element) {
    DRV_ENTER(true);
    if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
    if (!p || !pitch || !width || !height) return CUDA_ERROR_INVALID_VALUE;
    DRV_RETURN(cudaMallocPitch(out(p), pitch, width, height));
}

/* Memory has a context: none need be current. */
CUresult cuMemFree(CUdeviceptr p) {
    DRV_ENTER_FREE();
    DRV_RETURN(cudaFree(ptr(p)));
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr p) {
    DRV_ENTER(true);
    RtAlloc a;
    if (!rt_find_alloc(ptr(p), &a)) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = a.base;
    if (size) *size = a.size;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **p, size_t size) { DRV_FORWARD(cudaMallocHost(p, size)); }
CUresult cuMemFreeHost(void *p) {
    DRV_ENTER_FREE();
    DRV_RETURN(cudaFreeHost(p));
}
CUresult cuMemHostAlloc(void **p, size_t size, unsigned flags) { DRV_FORWARD(cudaHostAlloc(p, size, flags)); }
CUresult cuMemHostGetDevicePointer(CUdeviceptr *p, void *host, unsigned flags) {
    DRV_FORWARD(cudaHostGetDevicePointer(out(p), host, flags));
}
CUresult cuMemHostGetFlags(unsigned *flags, void *host) { DRV_FORWARD(cudaHostGetFlags(flags, host)); }
CUresult cuMemHostRegister(void *p, size_t size, unsigned flags) { DRV_FORWARD(cudaHostRegister(p, size, flags)); }
CUresult cuMemHostUnregister(void *p) {
    DRV_ENTER_FREE();
    DRV_RETURN(cudaHostUnregister(p));
}
CUresult cuMemAllocManaged(CUdeviceptr *p, size_t size, unsigned flags) {
    DRV_ENTER(true);
    if (!size) return CUDA_ERROR_INVALID_VALUE; /* the runtime API gives NULL */
    DRV_RETURN(cudaMallocManaged(out(p), size, flags));
}
CUresult cuMemAllocAsync(CUdeviceptr *p, size_t size, CUstream s) {
    DRV_FORWARD_OF(s, cudaMallocAsync(out(p), size, (cudaStream_t)s));
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t size, CUmemoryPool pool, CUstream s) {
    DRV_FORWARD_OF(s, cudaMallocFromPoolAsync(out(p), size, (cudaMemPool_t)pool, (cudaStream_t)s));
}
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s) { DRV_FORWARD_OF(s, cudaFreeAsync(ptr(p), (cudaStream_t)s)); }
CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t size, CUdevice device, CUstream s) {
    DRV_FORWARD_OF(s, cudaMemPrefetchAsync(ptr(p), size, device, (cudaStream_t)s));
}
CUresult cuMemAdvise(CUdeviceptr p, size_t size, int advice, CUdevice device) {
    DRV_FORWARD_ANY(cudaMemAdvise(ptr(p), size, (enum cudaMemoryAdvise)advice, device));
}
CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr p, size_t size, unsigned flags) {
    DRV_FORWARD(cudaStreamAttachMemAsync((cudaStream_t)s, ptr(p), size, flags));
}

/* ---- pointers ---- */

static CUmemorytype memory_type(uint32_t kind) {
    return kind == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

static CUresult pointer_attribute(void *data, CUpointer_attribute attribute, const RtAlloc *a, CUdeviceptr p) {
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(void **)data = a->context ? a->context : drv_primary(); return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)data = memory_type(a->kind); return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)data = a->kind == cudaMemoryTypeDevice ? NULL : ptr(p);
        return a->kind == cudaMemoryTypeDevice ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = p; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)data = a->kind == cudaMemoryTypeManaged; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = 0; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: *(CUdeviceptr *)data = a->base; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: *(size_t *)data = a->size; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)data = 1; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: *(uint64_t *)data = a->id; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(unsigned *)data = CU_MEM_ACCESS_FLAGS_PROT_READWRITE; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(void **)data = a->how == RT_BY_POOL ? a->owner : NULL;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *(uint64_t *)data = CU_MEM_HANDLE_TYPE_NONE; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: /* what these query does not exist here */
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: *(unsigned *)data = 0; return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static bool is_attribute(CUpointer_attribute a) {
    return a >= CU_POINTER_ATTRIBUTE_CONTEXT && a <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;
}

static bool is_wide(CUpointer_attribute attribute) {
    static const CUpointer_attribute wide[] = {CU_POINTER_ATTRIBUTE_CONTEXT,
                                               CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                               CU_POINTER_ATTRIBUTE_HOST_POINTER,
                                               CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                               CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                               CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR,
                                               CU_POINTER_ATTRIBUTE_MAPPING_SIZE,
                                               CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                               CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID,
                                               CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                               CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (wide[i] == attribute) return true;
    return false;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr p) {
    DRV_ENTER(true);
    RtAlloc a;
    if (!data || !rt_find_alloc(ptr(p), &a)) return CUDA_ERROR_INVALID_VALUE;
    return pointer_attribute(data, attribute, &a, p);
}

/* What is no memory of CUDA has no attributes: zeros, and no error. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr p) {
    DRV_ENTER(true);
    RtAlloc a;
    if (!count || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++)
        if (!data[i] || !is_attribute(attributes[i])) return CUDA_ERROR_INVALID_VALUE;
    bool known = rt_find_alloc(ptr(p), &a);
    for (unsigned i = 0; i < count; i++) {
        memset(data[i], 0, is_wide(attributes[i]) ? 8 : 4);
        if (known) pointer_attribute(data[i], attributes[i], &a, p);
    }
    return CUDA_SUCCESS;
}

/* Copies of such memory are synchronous: all that touch host memory are. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr p) {
    DRV_ENTER(true);
    RtAlloc a;
    bool ok = value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && rt_find_alloc(ptr(p), &a);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- copies of bytes ---- */

#define COPY(dst, src, size, kind) DRV_FORWARD(cudaMemcpy(dst, src, size, kind))
#define COPY_ASYNC(dst, src, size, kind, s) DRV_FORWARD_OF(s, cudaMemcpyAsync(dst, src, size, kind, (cudaStream_t)(s)))

CUresult cuMemcpy(CUdeviceptr d, CUdeviceptr s, size_t n) { COPY(ptr(d), ptr(s), n, cudaMemcpyDefault); }
CUresult cuMemcpyHtoD(CUdeviceptr d, const void *s, size_t n) { COPY(ptr(d), s, n, cudaMemcpyHostToDevice); }
CUresult cuMemcpyDtoH(void *d, CUdeviceptr s, size_t n) { COPY(d, ptr(s), n, cudaMemcpyDeviceToHost); }
CUresult cuMemcpyDtoD(CUdeviceptr d, CUdeviceptr s, size_t n) { COPY(ptr(d), ptr(s), n, cudaMemcpyDeviceToDevice); }
CUresult cuMemcpyAsync(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream stream) {
    COPY_ASYNC(ptr(d), ptr(s), n, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr d, const void *s, size_t n, CUstream stream) {
    COPY_ASYNC(ptr(d), s, n, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync(void *d, CUdeviceptr s, size_t n, CUstream stream) {
    COPY_ASYNC(d, ptr(s), n, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream stream) {
    COPY_ASYNC(ptr(d), ptr(s), n, cudaMemcpyDeviceToDevice, stream);
}
static bool are_contexts(CUcontext a, CUcontext b) {
    unsigned long long id;
    return !drv_context_id(a, &id) && !drv_context_id(b, &id);
}
CUresult cuMemcpyPeer(CUdeviceptr d, CUcontext dc, CUdeviceptr s, CUcontext sc, size_t n) {
    RT_CALL();
    return are_contexts(dc, sc) ? cuMemcpyDtoD(d, s, n) : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuMemcpyPeerAsync(CUdeviceptr d, CUcontext dc, CUdeviceptr s, CUcontext sc, size_t n, CUstream stream) {
    RT_CALL();
    return are_contexts(dc, sc) ? cuMemcpyDtoDAsync(d, s, n, stream) : CUDA_ERROR_INVALID_CONTEXT;
}

/* ---- copies of boxes, also from and to arrays ---- */

static cudaArray_t array(CUarray a) { return (cudaArray_t)a; }

/* One side of a copy: bytes, in pitched memory or an array. */
typedef struct Side {
    CUmemorytype type;
    const void *memory;
    cudaArray_t array;
    size_t x, y, z, pitch, height;
} Side;

static Side side(CUmemorytype type, const void *host, CUdeviceptr device, CUarray a) {
    return (Side){.type = type,
                  .memory = type == CU_MEMORYTYPE_HOST ? host : ptr(device),
                  .array = type == CU_MEMORYTYPE_ARRAY ? array(a) : NULL};
}

static cudaError_t find_side(const Side *s, size_t width, size_t texel, cudaArray_t *a, struct cudaPitchedPtr *p,
                             struct cudaPos *pos) {
    *pos = (struct cudaPos){s->array ? s->x / texel : s->x, s->y, s->z};
    *a = s->array;
    if (s->array) return s->x % texel ? cudaErrorInvalidValue : cudaSuccess;
    size_t pitch = s->pitch ? s->pitch : s->x + width;
    if (!s->memory || pitch < s->x + width) return cudaErrorInvalidValue;
    *p = (struct cudaPitchedPtr){(void *)(uintptr_t)s->memory, pitch, pitch, s->height};
    return cudaSuccess;
}

static enum cudaMemcpyKind kind_of(const Side *dst, const Side *src) {
    if (dst->type == CU_MEMORYTYPE_UNIFIED || src->type == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
    bool to_host = dst->type == CU_MEMORYTYPE_HOST, from_host = src->type == CU_MEMORYTYPE_HOST;
    return to_host     ? from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost
           : from_host ? cudaMemcpyHostToDevice
                       : cudaMemcpyDeviceToDevice;
}

static bool is_kind(CUmemorytype type) { return type >= CU_MEMORYTYPE_HOST && type <= CU_MEMORYTYPE_UNIFIED; }

static cudaError_t box_params(const Side *dst, const Side *src, size_t width, size_t height, size_t depth,
                              struct cudaMemcpy3DParms *p) {
    cudaArray_t a = dst->array ? dst->array : src->array;
    if (!is_kind(dst->type) || !is_kind(src->type)) return cudaErrorInvalidValue;
    if ((dst->type == CU_MEMORYTYPE_ARRAY && !rt_is_array(dst->array)) ||
        (src->type == CU_MEMORYTYPE_ARRAY && !rt_is_array(src->array)))
        return cudaErrorInvalidResourceHandle;
    size_t texel = a ? a->texel : 1;
    *p = (struct cudaMemcpy3DParms){.extent = {width / texel, height, depth}, .kind = kind_of(dst, src)};
    if (width % texel) return cudaErrorInvalidValue;
    RT_TRY(find_side(src, width, texel, &p->srcArray, &p->srcPtr, &p->srcPos));
    return find_side(dst, width, texel, &p->dstArray, &p->dstPtr, &p->dstPos);
}

static cudaError_t copy_box(const Side *dst, const Side *src, size_t width, size_t height, size_t depth, cudaStream_t s,
                            bool wait) {
    struct cudaMemcpy3DParms p;
    if (!width || !height || !depth) return cudaSuccess;
    RT_TRY(rt_enter());
    RT_TRY(box_params(dst, src, width, height, depth, &p));
    return rt_copy_3d(&p, s, wait);
}

static cudaError_t copy_2d(const CUDA_MEMCPY2D *c, CUstream s, bool wait) {
    if (!c) return cudaErrorInvalidValue;
    Side src = side(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray);
    Side dst = side(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray);
    src.x = c->srcXInBytes, src.y = c->srcY, src.pitch = c->srcPitch, src.height = c->srcY + c->Height;
    dst.x = c->dstXInBytes, dst.y = c->dstY, dst.pitch = c->dstPitch, dst.height = c->dstY + c->Height;
    return copy_box(&dst, &src, c->WidthInBytes, c->Height, 1, (cudaStream_t)s, wait);
}

cudaError_t drv_copy_params(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p) {
    if (!c) return cudaErrorInvalidValue;
    Side src = side(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray);
    Side dst = side(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray);
    src.x = c->srcXInBytes, src.y = c->srcY, src.z = c->srcZ, src.pitch = c->srcPitch;
    dst.x = c->dstXInBytes, dst.y = c->dstY, dst.z = c->dstZ, dst.pitch = c->dstPitch;
    src.height = c->srcHeight ? c->srcHeight : c->srcY + c->Height;
    dst.height = c->dstHeight ? c->dstHeight : c->dstY + c->Height;
    return box_params(&dst, &src, c->WidthInBytes, c->Height, c->Depth, p);
}

static cudaError_t copy_3d(const CUDA_MEMCPY3D *c, CUstream s, bool wait) {
    struct cudaMemcpy3DParms p;
    if (c && (!c->WidthInBytes || !c->Height || !c->Depth)) return cudaSuccess;
    RT_TRY(rt_enter());
    RT_TRY(drv_copy_params(c, &p));
    return rt_copy_3d(&p, (cudaStream_t)s, wait);
}

static CUmemorytype type_of(cudaArray_t a, const void *p) {
    RtAlloc found;
    if (a) return CU_MEMORYTYPE_ARRAY;
    return rt_find_alloc(p, &found) ? memory_type(found.kind) : CU_MEMORYTYPE_HOST;
}

void drv_tell_copy(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out) {
    cudaArray_t a = p->srcArray ? p->srcArray : p->dstArray;
    size_t texel = a ? a->texel : 1;
    *out = (CUDA_MEMCPY3D){.srcMemoryType = type_of(p->srcArray, p->srcPtr.ptr),
                           .srcHost = p->srcPtr.ptr,
                           .srcDevice = (uintptr_t)p->srcPtr.ptr,
                           .srcArray = (CUarray)p->srcArray,
                           .srcXInBytes = p->srcPos.x * (p->srcArray ? texel : 1),
                           .srcY = p->srcPos.y,
                           .srcZ = p->srcPos.z,
                           .srcPitch = p->srcPtr.pitch,
                           .srcHeight = p->srcPtr.ysize,
                           .dstMemoryType = type_of(p->dstArray, p->dstPtr.ptr),
                           .dstHost = p->dstPtr.ptr,
                           .dstDevice = (uintptr_t)p->dstPtr.ptr,
                           .dstArray = (CUarray)p->dstArray,
                           .dstXInBytes = p->dstPos.x * (p->dstArray ? texel : 1),
                           .dstY = p->dstPos.y,
                           .dstZ = p->dstPos.z,
                           .dstPitch = p->dstPtr.pitch,
                           .dstHeight = p->dstPtr.ysize,
                           .WidthInBytes = p->extent.width * texel,
                           .Height = p->extent.height,
                           .Depth = p->extent.depth};
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) { DRV_FORWARD(copy_2d(c, NULL, true)); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c) { DRV_FORWARD(copy_2d(c, NULL, true)); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream s) { DRV_FORWARD_OF(s, copy_2d(c, s, false)); }
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c) { DRV_FORWARD(copy_3d(c, NULL, true)); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream s) { DRV_FORWARD_OF(s, copy_3d(c, s, false)); }

static cudaError_t copy_row(Side dst, Side src, size_t n, CUstream s, bool wait) {
    return copy_box(&dst, &src, n, 1, 1, (cudaStream_t)s, wait);
}
#define IN_ARRAY(a, offset) ((Side){.type = CU_MEMORYTYPE_ARRAY, .array = array(a), .x = (offset)})
#define IN_MEMORY(t, p) ((Side){.type = (t), .memory = (p), .height = 1})
#define ROW(dst, src) DRV_FORWARD(copy_row(dst, src, n, NULL, true))
#define ROW_ASYNC(dst, src) DRV_FORWARD_OF(stream, copy_row(dst, src, n, stream, false))

CUresult cuMemcpyDtoA(CUarray d, size_t offset, CUdeviceptr s, size_t n) {
    ROW(IN_ARRAY(d, offset), IN_MEMORY(CU_MEMORYTYPE_DEVICE, ptr(s)));
}
CUresult cuMemcpyAtoD(CUdeviceptr d, CUarray s, size_t offset, size_t n) {
    ROW(IN_MEMORY(CU_MEMORYTYPE_DEVICE, ptr(d)), IN_ARRAY(s, offset));
}
CUresult cuMemcpyHtoA(CUarray d, size_t offset, const void *s, size_t n) {
    ROW(IN_ARRAY(d, offset), IN_MEMORY(CU_MEMORYTYPE_HOST, s));
}
CUresult cuMemcpyAtoH(void *d, CUarray s, size_t offset, size_t n) {
    ROW(IN_MEMORY(CU_MEMORYTYPE_HOST, d), IN_ARRAY(s, offset));
}
CUresult cuMemcpyAtoA(CUarray d, size_t d_offset, CUarray s, size_t s_offset, size_t n) {
    ROW(IN_ARRAY(d, d_offset), IN_ARRAY(s, s_offset));
}
CUresult cuMemcpyHtoAAsync(CUarray d, size_t offset, const void *s, size_t n, CUstream stream) {
    ROW_ASYNC(IN_ARRAY(d, offset), IN_MEMORY(CU_MEMORYTYPE_HOST, s));
}
CUresult cuMemcpyAtoHAsync(void *d, CUarray s, size_t offset, size_t n, CUstream stream) {
    ROW_ASYNC(IN_MEMORY(CU_MEMORYTYPE_HOST, d), IN_ARRAY(s, offset));
}

/* ---- fills ---- */

static cudaError_t fill(CUdeviceptr d, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                        CUstream s) {
    RT_TRY(rt_enter());
    if (d % element || pitch % element) return cudaErrorInvalidValue;
    if (!width || !height) return cudaSuccess;
    return rt_fill(ptr(d), pitch, value, element, width, height, (cudaStream_t)s);
}

CUresult cuMemsetD8(CUdeviceptr d, unsigned char v, size_t n) { DRV_FORWARD(fill(d, n, v, 1, n, 1, NULL)); }
CUresult cuMemsetD16(CUdeviceptr d, unsigned short v, size_t n) { DRV_FORWARD(fill(d, 2 * n, v, 2, n, 1, NULL)); }
CUresult cuMemsetD32(CUdeviceptr d, unsigned v, size_t n) { DRV_FORWARD(fill(d, 4 * n, v, 4, n, 1, NULL)); }
CUresult cuMemsetD8Async(CUdeviceptr d, unsigned char v, size_t n, CUstream s) {
    DRV_FORWARD_OF(s, fill(d, n, v, 1, n, 1, s));
}
CUresult cuMemsetD16Async(CUdeviceptr d, unsigned short v, size_t n, CUstream s) {
    DRV_FORWARD_OF(s, fill(d, 2 * n, v, 2, n, 1, s));
}
CUresult cuMemsetD32Async(CUdeviceptr d, unsigned v, size_t n, CUstream s) {
    DRV_FORWARD_OF(s, fill(d, 4 * n, v, 4, n, 1, s));
}
CUresult cuMemsetD2D8(CUdeviceptr d, size_t pitch, unsigned char v, size_t w, size_t h) {
    DRV_FORWARD(fill(d, pitch, v, 1, w, h, NULL));
}
CUresult cuMemsetD2D16(CUdeviceptr d, size_t pitch, unsigned short v, size_t w, size_t h) {
    DRV_FORWARD(fill(d, pitch, v, 2, w, h, NULL));
}
CUresult cuMemsetD2D32(CUdeviceptr d, size_t pitch, unsigned v, size_t w, size_t h) {
    DRV_FORWARD(fill(d, pitch, v, 4, w, h, NULL));
}
CUresult cuMemsetD2D8Async(CUdeviceptr d, size_t pitch, unsigned char v, size_t w, size_t h, CUstream s) {
    DRV_FORWARD_OF(s, fill(d, pitch, v, 1, w, h, s));
}
CUresult cuMemsetD2D16Async(CUdeviceptr d, size_t pitch, unsigned short v, size_t w, size_t h, CUstream s) {
    DRV_FORWARD_OF(s, fill(d, pitch, v, 2, w, h, s));
}
CUresult cuMemsetD2D32Async(CUdeviceptr d, size_t pitch, unsigned v, size_t w, size_t h, CUstream s) {
    DRV_FORWARD_OF(s, fill(d, pitch, v, 4, w, h, s));
}
