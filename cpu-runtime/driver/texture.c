/* texture.c: the driver API: arrays, textures, surfaces.
**
** Descriptions of the driver API are turned into those of the runtime API, which checks and does the work, and back. */
#include "memory/array.h"
#include "driver/driver.h"
#include <string.h>

_Static_assert(sizeof(CUDA_RESOURCE_VIEW_DESC) >= sizeof(struct cudaResourceViewDesc),
               "one layout, but for what is reserved");

static void *ptr(CUdeviceptr p) { return (void *)(uintptr_t)p; }
static cudaArray_t array(CUarray a) { return (cudaArray_t)a; }

/* ---- arrays ---- */

static bool channel_of(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *d) {
    static const struct {
        CUarray_format format;
        int bits;
        enum cudaChannelFormatKind kind;
    } known[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
                 {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
                 {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
                 {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
                 {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
                 {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
                 {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
                 {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};
    if (channels != 1 && channels != 2 && channels != 4) return false;
    if (format >= CU_AD_FORMAT_UNORM_INT8X1 &&
        format <= CU_AD_FORMAT_SNORM_INT16X4) { /* in the order of the runtime's kinds */
        unsigned i = (unsigned)format - CU_AD_FORMAT_UNORM_INT8X1;
        int b = i % 6 < 3 ? 8 : 16;
        *d = (struct cudaChannelFormatDesc){
            b, channels > 1 ? b : 0, channels > 2 ? b : 0, channels > 2 ? b : 0,
            (enum cudaChannelFormatKind)(cudaChannelFormatKindUnsignedNormalized8X1 + i)};
        return channels == 1u << i % 3;
    }
    for (size_t i = 0; i < RT_COUNT(known); i++)
        if (known[i].format == format) {
            int b = known[i].bits;
            *d = (struct cudaChannelFormatDesc){b, channels > 1 ? b : 0, channels > 2 ? b : 0, channels > 2 ? b : 0,
                                                known[i].kind};
            return true;
        }
    return false;
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *d) {
    int log = d->x == 8 ? 0 : d->x == 16 ? 1 : 2;
    if (d->f >= cudaChannelFormatKindUnsignedNormalized8X1)
        return (CUarray_format)((int)d->f - cudaChannelFormatKindUnsignedNormalized8X1 + CU_AD_FORMAT_UNORM_INT8X1);
    if (d->f == cudaChannelFormatKindFloat) return d->x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    return (
        CUarray_format)((d->f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8) +
                        log);
}

CUresult cuArray3DCreate(CUarray *a, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    struct cudaChannelFormatDesc c;
    DRV_ENTER(true);
    if (!a || !d || !channel_of(d->Format, d->NumChannels, &c)) return CUDA_ERROR_INVALID_VALUE;
    DRV_RETURN(cudaMalloc3DArray((cudaArray_t *)a, &c, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags));
}

CUresult cuArrayCreate(CUarray *a, const CUDA_ARRAY_DESCRIPTOR *d) {
    RT_CALL();
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR whole = {d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
    return cuArray3DCreate(a, &whole);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray handle) {
    cudaArray_t a = array(handle);
    DRV_ENTER(true);
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    if (!rt_is_array(a)) return CUDA_ERROR_INVALID_HANDLE;
    unsigned channels = a->desc.w ? 4 : a->desc.y ? 2 : 1;
    *d = (CUDA_ARRAY3D_DESCRIPTOR){a->extent.width,     a->extent.height, a->extent.depth,
                                   format_of(&a->desc), channels,         a->flags};
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *d, CUarray a) {
    RT_CALL();
    CUDA_ARRAY3D_DESCRIPTOR whole;
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = cuArray3DGetDescriptor(&whole, a);
    if (!error) *d = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
    return error;
}

CUresult cuArrayDestroy(CUarray a) {
    DRV_ENTER_FREE();
    if (!rt_is_array(array(a))) return CUDA_ERROR_INVALID_HANDLE;
    DRV_RETURN(cudaFreeArray(array(a)));
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *m, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels) {
    struct cudaChannelFormatDesc c;
    DRV_ENTER(true);
    if (!m || !d || !channel_of(d->Format, d->NumChannels, &c)) return CUDA_ERROR_INVALID_VALUE;
    DRV_RETURN(cudaMallocMipmappedArray((cudaMipmappedArray_t *)m, &c,
                                        (struct cudaExtent){d->Width, d->Height, d->Depth}, levels, d->Flags));
}
CUresult cuMipmappedArrayGetLevel(CUarray *a, CUmipmappedArray m, unsigned level) {
    DRV_FORWARD(cudaGetMipmappedArrayLevel((cudaArray_t *)a, (cudaMipmappedArray_t)m, level));
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray m) {
    DRV_ENTER_FREE();
    if (!m) return CUDA_ERROR_INVALID_HANDLE;
    DRV_RETURN(cudaFreeMipmappedArray((cudaMipmappedArray_t)m));
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned channels, CUdevice device) {
    struct cudaChannelFormatDesc c;
    DRV_ENTER(false);
    if (!channel_of(format, channels, &c)) return CUDA_ERROR_INVALID_VALUE;
    DRV_RETURN(cudaDeviceGetTexture1DLinearMaxWidth(width, &c, device));
}

/* ---- textures and surfaces ---- */

static bool resource_of(const CUDA_RESOURCE_DESC *d, struct cudaResourceDesc *r) {
    memset(r, 0, sizeof *r);
    switch ((int)d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        r->resType = cudaResourceTypeArray;
        r->res.array.array = array(d->res.array.hArray);
        return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        r->resType = cudaResourceTypeMipmappedArray;
        r->res.mipmap.mipmap = (cudaMipmappedArray_t)d->res.mipmap.hMipmappedArray;
        return true;
    case CU_RESOURCE_TYPE_LINEAR:
        r->resType = cudaResourceTypeLinear;
        r->res.linear.devPtr = ptr(d->res.linear.devPtr);
        r->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        return channel_of(d->res.linear.format, d->res.linear.numChannels, &r->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        r->resType = cudaResourceTypePitch2D;
        r->res.pitch2D.devPtr = ptr(d->res.pitch2D.devPtr);
        r->res.pitch2D.width = d->res.pitch2D.width;
        r->res.pitch2D.height = d->res.pitch2D.height;
        r->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        return channel_of(d->res.pitch2D.format, d->res.pitch2D.numChannels, &r->res.pitch2D.desc);
    }
    return false;
}

static void tell_resource(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *d) {
    memset(d, 0, sizeof *d);
    d->resType = (CUresourcetype)r->resType;
    const struct cudaChannelFormatDesc *c =
        r->resType == cudaResourceTypePitch2D ? &r->res.pitch2D.desc : &r->res.linear.desc;
    unsigned channels = c->w ? 4 : c->y ? 2 : 1;
    if (r->resType == cudaResourceTypeArray) d->res.array.hArray = (CUarray)r->res.array.array;
    else if (r->resType == cudaResourceTypeMipmappedArray)
        d->res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
    else if (r->resType == cudaResourceTypeLinear) {
        d->res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
        d->res.linear.format = format_of(c);
        d->res.linear.numChannels = channels;
        d->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
    } else {
        d->res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
        d->res.pitch2D.format = format_of(c);
        d->res.pitch2D.numChannels = channels;
        d->res.pitch2D.width = r->res.pitch2D.width;
        d->res.pitch2D.height = r->res.pitch2D.height;
        d->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
    }
}

static const struct cudaChannelFormatDesc *descriptor_of(const struct cudaResourceDesc *r) {
    enum cudaResourceType t = r->resType;
    cudaMipmappedArray_t m = t == cudaResourceTypeMipmappedArray ? r->res.mipmap.mipmap : NULL;
    cudaArray_t a = t == cudaResourceTypeArray ? r->res.array.array : rt_is_mipmapped(m) ? m->level[0] : NULL;
    return t == cudaResourceTypeLinear    ? &r->res.linear.desc
           : t == cudaResourceTypePitch2D ? &r->res.pitch2D.desc
           : rt_is_array(a)               ? &a->desc
                                          : NULL;
}

/* Integers of 8 and 16 bits read as normalised floats unless a flag requests the integers.  *integers: they are read as
** such. */
static enum cudaTextureReadMode read_mode(const struct cudaResourceDesc *r, unsigned flags, bool *integers) {
    const struct cudaChannelFormatDesc *d = descriptor_of(r);
    bool normalized, dummy;
    if (!integers) integers = &dummy;
    *integers = false;
    if (!d) return cudaReadModeElementType;
    uint32_t kind = rt_base_kind(d->f, &normalized);
    bool whole = kind == cudaChannelFormatKindSigned || kind == cudaChannelFormatKindUnsigned;
    bool small = whole && d->x <= 16;
    if (normalized || (small && !(flags & CU_TRSF_READ_AS_INTEGER))) return cudaReadModeNormalizedFloat;
    *integers = whole;
    return cudaReadModeElementType;
}

/* Integers are not filtered: the driver API takes such a filter (FFmpeg sets it), the runtime API does not. */
static cudaError_t make_texture(CUtexObject *object, const CUDA_RESOURCE_DESC *res, const CUDA_TEXTURE_DESC *tex,
                                const CUDA_RESOURCE_VIEW_DESC *view) {
    struct cudaResourceDesc r;
    if (!object || !res || !tex || !resource_of(res, &r)) return cudaErrorInvalidValue;
    bool integers;
    enum cudaTextureReadMode mode = read_mode(&r, tex->flags, &integers);
    struct cudaTextureDesc t = {.filterMode =
                                    integers ? cudaFilterModePoint : (enum cudaTextureFilterMode)tex->filterMode,
                                .readMode = mode,
                                .sRGB = !!(tex->flags & CU_TRSF_SRGB),
                                .normalizedCoords = !!(tex->flags & CU_TRSF_NORMALIZED_COORDINATES),
                                .maxAnisotropy = tex->maxAnisotropy,
                                .mipmapFilterMode = (enum cudaTextureFilterMode)tex->mipmapFilterMode,
                                .mipmapLevelBias = tex->mipmapLevelBias,
                                .minMipmapLevelClamp = tex->minMipmapLevelClamp,
                                .maxMipmapLevelClamp = tex->maxMipmapLevelClamp,
                                .seamlessCubemap = !!(tex->flags & CU_TRSF_SEAMLESS_CUBEMAP)};
    for (int i = 0; i < 3; i++) t.addressMode[i] = (enum cudaTextureAddressMode)tex->addressMode[i];
    memcpy(t.borderColor, tex->borderColor, sizeof t.borderColor);
    return cudaCreateTextureObject((cudaTextureObject_t *)object, &r, &t, (const struct cudaResourceViewDesc *)view);
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *res, const CUDA_TEXTURE_DESC *tex,
                           const CUDA_RESOURCE_VIEW_DESC *view) {
    DRV_FORWARD(make_texture(object, res, tex, view));
}
CUresult cuTexObjectDestroy(CUtexObject object) {
    DRV_ENTER_FREE();
    DRV_RETURN(cudaDestroyTextureObject(object));
}

static cudaError_t tell_texture(CUDA_TEXTURE_DESC *out, CUtexObject object) {
    struct cudaTextureDesc t;
    struct cudaResourceDesc r;
    if (!out) return cudaErrorInvalidValue;
    RT_TRY(cudaGetTextureObjectTextureDesc(&t, object));
    RT_TRY(cudaGetTextureObjectResourceDesc(&r, object));
    bool whole = t.readMode == cudaReadModeElementType && read_mode(&r, 0, NULL) == cudaReadModeNormalizedFloat;
    *out = (CUDA_TEXTURE_DESC){
        .filterMode = (CUfilter_mode)t.filterMode,
        .flags = (whole ? CU_TRSF_READ_AS_INTEGER : 0u) | (t.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                 (t.sRGB ? CU_TRSF_SRGB : 0u) | (t.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u),
        .maxAnisotropy = t.maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)t.mipmapFilterMode,
        .mipmapLevelBias = t.mipmapLevelBias,
        .minMipmapLevelClamp = t.minMipmapLevelClamp,
        .maxMipmapLevelClamp = t.maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++) out->addressMode[i] = (CUaddress_mode)t.addressMode[i];
    memcpy(out->borderColor, t.borderColor, sizeof t.borderColor);
    return cudaSuccess;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject object) {
    DRV_FORWARD(tell_texture(out, object));
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject object) {
    DRV_FORWARD(cudaGetTextureObjectResourceViewDesc((struct cudaResourceViewDesc *)out, object));
}
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject object) {
    struct cudaResourceDesc r;
    DRV_ENTER(true);
    DrvKept kept = drv_keep();
    cudaError_t error = out ? cudaGetTextureObjectResourceDesc(&r, object) : cudaErrorInvalidValue;
    drv_restore(kept);
    if (!error) tell_resource(&r, out);
    return drv_result(error);
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject object) {
    struct cudaResourceDesc r;
    DRV_ENTER(true);
    DrvKept kept = drv_keep();
    cudaError_t error = out ? cudaGetSurfaceObjectResourceDesc(&r, object) : cudaErrorInvalidValue;
    drv_restore(kept);
    if (!error) tell_resource(&r, out);
    return drv_result(error);
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *res) {
    struct cudaResourceDesc r;
    DRV_ENTER(true);
    if (!object || !res || !resource_of(res, &r)) return CUDA_ERROR_INVALID_VALUE;
    DRV_RETURN(cudaCreateSurfaceObject((cudaSurfaceObject_t *)object, &r));
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
    DRV_ENTER_FREE();
    DRV_RETURN(cudaDestroySurfaceObject(object));
}
