/* batch.c: several copies or prefetches in one call: each is done in the stream's order; and the pools that CUDA 13
** queries by location.  Hints (who reads a source when, which side may be where) are checked and change nothing. */
#include "space/alloc.h"
#include "memory/copy.h"

static bool known_location(const struct cudaMemLocation *l) {
    return l && (l->type == cudaMemLocationTypeHost || l->type == cudaMemLocationTypeHostNuma ||
                 l->type == cudaMemLocationTypeHostNumaCurrent || (l->type == cudaMemLocationTypeDevice && !l->id));
}

/* Each attribute holds from its index to the next one's: the first is 0 and they grow. */
static bool known_indices(const size_t *at, size_t n, size_t count) {
    for (size_t i = 0; i < n; i++)
        if (i ? at[i] <= at[i - 1] : at[0] != 0) return false;
    return n && at[n - 1] < count;
}

static cudaError_t copy_batch(void *const *dst, const void *const *src, const size_t *sizes, size_t n,
                              const struct cudaMemcpyAttributes *attributes, const size_t *at, size_t nattributes,
                              size_t *failed, cudaStream_t s) {
    if (failed) *failed = SIZE_MAX;
    if (!dst || !src || !sizes || !n || !s || s == cudaStreamLegacy) return cudaErrorInvalidValue;
    if (!attributes || !at || !known_indices(at, nattributes, n)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < nattributes; i++)
        if (attributes[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
            attributes[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny)
            return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        cudaError_t error =
            sizes[i] ? cudaMemcpyAsync(dst[i], src[i], sizes[i], cudaMemcpyDefault, s) : cudaErrorInvalidValue;
        if (error && failed) *failed = i;
        RT_TRY(error);
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyBatchAsync(void **dst, void **src, size_t *sizes, size_t n,
                                 struct cudaMemcpyAttributes *attributes, size_t *at, size_t nattributes,
                                 size_t *failed, cudaStream_t s) {
    RT_ENTER();
    return rt_end(copy_batch(dst, (const void *const *)src, sizes, n, attributes, at, nattributes, failed, s));
}

/* ---- copies of three dimensions ---- */

/* Bytes of an array's element: its extents and lengths count elements, without an array bytes. */
static cudaError_t element_of(const struct cudaMemcpy3DOperand *o, size_t *bytes) {
    struct cudaChannelFormatDesc d;
    if (o->type != cudaMemcpyOperandTypeArray)
        return o->type == cudaMemcpyOperandTypePointer ? cudaSuccess : cudaErrorInvalidValue;
    RT_TRY(cudaArrayGetInfo(&d, NULL, NULL, o->op.array.array));
    *bytes = (size_t)(d.x + d.y + d.z + d.w) / 8;
    return cudaSuccess;
}

static struct cudaPitchedPtr pitched(const struct cudaMemcpy3DOperand *o, const struct cudaExtent *e, size_t bytes) {
    size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : e->width;
    return (struct cudaPitchedPtr){o->op.ptr.ptr, row * bytes, row,
                                   o->op.ptr.layerHeight ? o->op.ptr.layerHeight : e->height};
}

static cudaError_t copy_3d(const struct cudaMemcpy3DBatchOp *o, cudaStream_t s) {
    size_t bytes = 1;
    RT_TRY(element_of(&o->src, &bytes));
    RT_TRY(element_of(&o->dst, &bytes));
    struct cudaMemcpy3DParms p = {.extent = o->extent, .kind = cudaMemcpyDefault};
    if (!p.extent.width || !p.extent.height || !p.extent.depth) return cudaErrorInvalidValue;
    if (o->src.type == cudaMemcpyOperandTypeArray) {
        p.srcArray = o->src.op.array.array;
        p.srcPos = (struct cudaPos){o->src.op.array.offset.x, o->src.op.array.offset.y, o->src.op.array.offset.z};
    } else {
        p.srcPtr = pitched(&o->src, &p.extent, bytes);
    }
    if (o->dst.type == cudaMemcpyOperandTypeArray) {
        p.dstArray = o->dst.op.array.array;
        p.dstPos = (struct cudaPos){o->dst.op.array.offset.x, o->dst.op.array.offset.y, o->dst.op.array.offset.z};
    } else {
        p.dstPtr = pitched(&o->dst, &p.extent, bytes);
    }
    return rt_copy_3d(&p, s, false);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t n, struct cudaMemcpy3DBatchOp *ops, size_t *failed, unsigned long long flags,
                                   cudaStream_t s) {
    RT_ENTER();
    if (failed) *failed = SIZE_MAX;
    if (!n || !ops || flags || !s || s == cudaStreamLegacy) return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; i < n; i++) {
        cudaError_t error = copy_3d(&ops[i], s);
        if (error && failed) *failed = i;
        if (error) return rt_end(error);
    }
    return cudaSuccess;
}

/* ---- prefetches ---- */

cudaError_t cudaMemPrefetchBatchAsync(void **p, size_t *sizes, size_t n, struct cudaMemLocation *locations, size_t *at,
                                      size_t nlocations, unsigned long long flags, cudaStream_t s) {
    RT_ENTER();
    if (!p || !sizes || !n || flags || !locations || !at || !known_indices(at, nlocations, n))
        return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0, l = 0; i < n; i++) {
        while (l + 1 < nlocations && at[l + 1] <= i) l++;
        cudaError_t error = cudaMemPrefetchAsync_v2(p[i], sizes[i], locations[l], 0, s);
        if (error) return rt_end(error);
    }
    return cudaSuccess;
}

/* What is discarded may keep its value. */
cudaError_t cudaMemDiscardBatchAsync(void **p, size_t *sizes, size_t n, unsigned long long flags, cudaStream_t s) {
    RT_ENTER();
    RtAlloc a;
    if (!p || !sizes || !n || flags) return rt_end(cudaErrorInvalidValue);
    if (s && cudaStreamGetFlags(s, &(unsigned){0})) return rt_end(cudaErrorInvalidResourceHandle);
    for (size_t i = 0; i < n; i++)
        if (!rt_find_alloc(p[i], &a) || a.kind != cudaMemoryTypeManaged || rt_check_range(p[i], sizes[i], true))
            return rt_end(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **p, size_t *sizes, size_t n, struct cudaMemLocation *locations,
                                                size_t *at, size_t nlocations, unsigned long long flags,
                                                cudaStream_t s) {
    RT_CALL();
    cudaError_t error = cudaMemDiscardBatchAsync(p, sizes, n, flags, s);
    return error ? error : cudaMemPrefetchBatchAsync(p, sizes, n, locations, at, nlocations, flags, s);
}

/* ---- pools by location: the device's ---- */

static cudaError_t check_pool_of(const void *pool, const struct cudaMemLocation *l, enum cudaMemAllocationType type) {
    enum { MANAGED = 2 }; /* of CUDA 13 */
    bool managed = (int)type == MANAGED;
    if (!pool || !l || (!managed && type != cudaMemAllocationTypePinned)) return cudaErrorInvalidValue;
    if (!known_location(l) && !(managed && l->type == cudaMemLocationTypeInvalid)) return cudaErrorInvalidValue;
    return l->type == cudaMemLocationTypeDevice && !managed ? cudaSuccess : cudaErrorNotSupported;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *l, enum cudaMemAllocationType type) {
    RT_ENTER();
    cudaError_t error = check_pool_of(pool, l, type);
    return error ? rt_end(error) : cudaDeviceGetDefaultMemPool(pool, 0);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *l, enum cudaMemAllocationType type) {
    RT_ENTER();
    cudaError_t error = check_pool_of(pool, l, type);
    return error ? rt_end(error) : cudaDeviceGetMemPool(pool, 0);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *l, enum cudaMemAllocationType type, cudaMemPool_t pool) {
    RT_ENTER();
    cudaError_t error = check_pool_of(pool, l, type);
    return error ? rt_end(error) : cudaDeviceSetMemPool(0, pool);
}
