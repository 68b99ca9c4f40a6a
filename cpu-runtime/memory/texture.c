/* texture.c: texture and surface objects, and the texture references of old programs.
**
** An object is the address of a CucpuTexture or CucpuSurface (cucpu/image.h), which the fetch
** functions in kernels read.  A texture reference is a host variable whose twin in the device code
** is one handle; binding makes an object and writes its address there. */
#include "base/limits.h"
#include "space/alloc.h"
#include "program/program.h"
#include "queue/stream.h"
#include "check/check.h"
#include "memory/array.h"
#include "memory/srgb.h"
#include "memory/memory.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct Object { /* the first member is what the handle points to */
    union {
        CucpuTexture texture;
        CucpuSurface surface;
    };
    struct Object *next;
    bool is_surface;
    const void *reference; /* bound to it, or NULL */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc description;
    struct cudaResourceViewDesc view;
    bool has_view;
    CucpuImage levels[32];
} Object;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Object *objects;

static unsigned long long add_object(Object *o) {
    rt_check_allow(o, sizeof *o);
    pthread_mutex_lock(&lock);
    o->next = objects;
    objects = o;
    pthread_mutex_unlock(&lock);
    return (uintptr_t)o;
}

static Object *find_object(unsigned long long handle, bool surface) {
    pthread_mutex_lock(&lock);
    Object *o = objects;
    while (o && ((uintptr_t)o != handle || o->is_surface != surface)) o = o->next;
    pthread_mutex_unlock(&lock);
    return o;
}

/* Removes the object with this handle, or the one bound to this reference. */
static bool drop_object(unsigned long long handle, const void *reference) {
    pthread_mutex_lock(&lock);
    Object **p = &objects;
    while (*p && (reference ? (*p)->reference != reference : (uintptr_t)*p != handle)) p = &(*p)->next;
    Object *o = *p;
    if (o) *p = o->next;
    pthread_mutex_unlock(&lock);
    if (o) rt_check_allow(o, 0);
    free(o);
    return o != NULL;
}

void rt_reset_textures(void) {
    while (objects) drop_object((uintptr_t)objects, NULL);
}

/* ---- resources ---- */

static cudaError_t linear_image(const struct cudaResourceDesc *r, CucpuImage *im, size_t texel) {
    bool plain = r->resType == cudaResourceTypeLinear;
    size_t bytes = plain ? r->res.linear.sizeInBytes : r->res.pitch2D.pitchInBytes * r->res.pitch2D.height;
    void *data = plain ? r->res.linear.devPtr : r->res.pitch2D.devPtr;
    size_t width = plain ? bytes / texel : r->res.pitch2D.width;
    size_t height = plain ? 1 : r->res.pitch2D.height;
    size_t pitch = plain ? bytes : r->res.pitch2D.pitchInBytes;
    if (!data || width > (plain ? RT_TEXTURE_LINEAR : RT_TEXTURE_WIDTH) || height > RT_TEXTURE_HEIGHT)
        return cudaErrorInvalidValue;
    if (!plain && pitch % RT_TEXTURE_PITCH) return cudaErrorInvalidValue;
    *im = (CucpuImage){data, pitch, bytes, 0, (uint32_t)width, (uint32_t)height, 1, 1};
    return cudaSuccess;
}

/* Images of all levels and the format. */
static cudaError_t read_resource(const struct cudaResourceDesc *r, Object *o, uint32_t *levels,
                                 struct cudaChannelFormatDesc *desc) {
    uint32_t channels, bits;
    size_t texel;
    *levels = 1;
    switch (r->resType) {
    case cudaResourceTypeArray:
        if (!rt_is_array(r->res.array.array)) return cudaErrorInvalidResourceHandle;
        *desc = r->res.array.array->desc;
        o->levels[0] = r->res.array.array->image;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray: {
        cudaMipmappedArray_t m = r->res.mipmap.mipmap;
        if (!rt_is_mipmapped(m)) return cudaErrorInvalidResourceHandle;
        if (m->levels > RT_COUNT(o->levels)) return cudaErrorInvalidValue;
        *desc = m->level[0]->desc;
        *levels = m->levels;
        for (uint32_t i = 0; i < m->levels; i++) o->levels[i] = m->level[i]->image;
        return cudaSuccess;
    }
    case cudaResourceTypeLinear:
    case cudaResourceTypePitch2D:
        *desc = r->resType == cudaResourceTypeLinear ? r->res.linear.desc : r->res.pitch2D.desc;
        if (!rt_texel(desc, &channels, &bits, &texel)) return cudaErrorInvalidChannelDescriptor;
        return linear_image(r, &o->levels[0], texel);
    }
    return cudaErrorInvalidValue;
}

/* View formats come in threes, for 1, 2 and 4 channels, in the order of the enumeration. */
static bool view_format(enum cudaResourceViewFormat f, struct cudaChannelFormatDesc *d) {
    static const struct {
        int bits;
        enum cudaChannelFormatKind kind;
    } kinds[] = {{8, cudaChannelFormatKindUnsigned},  {8, cudaChannelFormatKindSigned},
                 {16, cudaChannelFormatKindUnsigned}, {16, cudaChannelFormatKindSigned},
                 {32, cudaChannelFormatKindUnsigned}, {32, cudaChannelFormatKindSigned},
                 {16, cudaChannelFormatKindFloat},    {32, cudaChannelFormatKindFloat}};
    unsigned i = (unsigned)f - 1;
    if (i / 3 >= RT_COUNT(kinds)) return false;
    int b = kinds[i / 3].bits, n = 1 << i % 3;
    *d = (struct cudaChannelFormatDesc){b, n > 1 ? b : 0, n > 2 ? b : 0, n > 2 ? b : 0, kinds[i / 3].kind};
    return true;
}

static cudaError_t apply_view(const struct cudaResourceViewDesc *v, Object *o, uint32_t *levels,
                              struct cudaChannelFormatDesc *desc) {
    size_t before = 0, after = 0;
    uint32_t channels, bits, last = v->lastMipmapLevel, first = v->firstMipmapLevel;
    struct cudaChannelFormatDesc d = *desc;
    if (v->format != cudaResViewFormatNone && !view_format(v->format, &d)) return cudaErrorInvalidValue;
    rt_texel(desc, &channels, &bits, &before);
    rt_texel(&d, &channels, &bits, &after);
    if (before != after || first > last || last >= *levels) return cudaErrorInvalidValue;
    *desc = d;
    memmove(o->levels, o->levels + first, (last - first + 1) * sizeof *o->levels);
    *levels = last - first + 1;
    for (uint32_t i = 0; i < *levels; i++) {
        CucpuImage *im = &o->levels[i];
        if (v->lastLayer < v->firstLayer || v->lastLayer >= im->layers) return cudaErrorInvalidValue;
        im->data = (char *)im->data + v->firstLayer * im->layer_bytes;
        im->layers = v->lastLayer - v->firstLayer + 1;
    }
    return cudaSuccess;
}

/* ---- texture objects ---- */

static cudaError_t check_description(const struct cudaTextureDesc *t, uint32_t bits, uint32_t kind, bool normalized) {
    bool fraction = normalized || t->readMode == cudaReadModeNormalizedFloat,
         floats = kind == cudaChannelFormatKindFloat;
    if ((fraction && (bits == 32 || floats)) || (normalized && t->readMode != cudaReadModeNormalizedFloat))
        return cudaErrorInvalidNormSetting;
    if (t->filterMode == cudaFilterModeLinear && !floats && !fraction) return cudaErrorInvalidFilterSetting;
    for (int i = 0; i < 3; i++)
        if ((unsigned)t->addressMode[i] > cudaAddressModeBorder) return cudaErrorInvalidValue;
    return (unsigned)t->filterMode > 1 ? cudaErrorInvalidValue : cudaSuccess;
}

/* A border's number in a normalized format: to nearest, halves down. */
static float whole_number(float v, float low, float top) {
    v = v == v ? v : 0;
    return ceilf(fminf(fmaxf(v, low), 1) * top - 0.5f);
}
static float srgb_byte(float v) {
    v = v == v ? fminf(fmaxf(v, 0), 1) : 0;
    return whole_number(v <= 0.0031308f ? v * 12.92f : 1.055f * powf(v, 1 / 2.4f) - 0.055f, 0, 255);
}
static float border_number(const CucpuTexture *t, int channel, float v) {
    if (t->kind == cudaChannelFormatKindFloat) return t->bits == 16 ? (float)(_Float16)v : v;
    if (t->bits == 32) return v;
    if (t->srgb && channel < 3) return t->srgb[(int)srgb_byte(v)];
    bool natural = t->kind == cudaChannelFormatKindUnsigned;
    return whole_number(v, natural ? 0 : -1, (float)((1u << (t->bits - !natural)) - 1));
}
/* Whole numbers find the low bits of the float. */
static int32_t border_bits(const CucpuTexture *t, float v) {
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    bool natural = t->kind == cudaChannelFormatKindUnsigned;
    if (t->bits == 16) return natural ? (uint16_t)u : (int16_t)u;
    if (t->bits == 8) return natural ? (uint8_t)u : (int8_t)u;
    return (int32_t)u;
}
static void describe_border(CucpuTexture *t, const float *colour) {
    for (int i = 0; i < 4; i++) {
        bool there = (unsigned)i < t->channels;
        t->border[i] = there ? border_number(t, i, colour[i]) : 0;
        t->border_bits[i] = there ? border_bits(t, colour[i]) : 0;
    }
}

static void describe(CucpuTexture *t, const struct cudaTextureDesc *d) {
    t->seamless = d->seamlessCubemap && d->filterMode == cudaFilterModeLinear;
    for (int i = 0; i < 3; i++) {
        enum cudaTextureAddressMode m = d->addressMode[i];
        /* wrap and mirror exist for normalised coordinates only: CUDA clamps instead */
        bool repeats = m == cudaAddressModeWrap || m == cudaAddressModeMirror;
        t->address[i] = (repeats && !d->normalizedCoords) || t->seamless ? cudaAddressModeClamp : m;
    }
    t->filter = d->filterMode;
    t->mip_filter = d->mipmapFilterMode;
    t->read_mode = d->readMode;
    t->normalized = d->normalizedCoords != 0;
    t->srgb = d->sRGB && t->bits == 8 && t->kind == cudaChannelFormatKindUnsigned ? srgb_to_linear : NULL;
    describe_border(t, d->borderColor);
    t->level_bias = truncf(d->mipmapLevelBias * 256);
    t->level_min = truncf(d->minMipmapLevelClamp * 256);
    t->level_max = truncf(d->maxMipmapLevelClamp * 256);
}

/* The level of fetches that name none: 0, without the bias. */
static void choose_level(CucpuTexture *t, const CucpuImage *levels) {
    float lod = fmaxf(fminf(0, t->level_max), t->level_min);
    t->level = fminf(fmaxf(lod, 0), (float)(t->nlevels - 1) * 256);
    t->image = levels[((int)t->level + 128) >> 8];
    t->between = t->mip_filter != cudaFilterModePoint && (int)t->level % 256;
}
/* To the hardware a row is an image, of which it is read at the upper edge: a filter's other row is outside. */
static bool has_row_border(const CucpuTexture *t, const struct cudaResourceDesc *r) {
    if (t->address[1] != cudaAddressModeBorder || t->image.height != 1 || t->image.depth != 1) return false;
    cudaArray_const_t a = r->resType == cudaResourceTypeArray            ? r->res.array.array
                          : r->resType == cudaResourceTypeMipmappedArray ? r->res.mipmap.mipmap->level[0]
                                                                         : NULL;
    return a && !a->extent.height && !(a->flags & cudaArrayLayered);
}

static cudaError_t fill_texture(Object *o, const struct cudaResourceDesc *r, const struct cudaTextureDesc *d,
                                const struct cudaResourceViewDesc *view) {
    struct cudaChannelFormatDesc desc;
    CucpuTexture *t = &o->texture;
    size_t texel;
    RT_TRY(read_resource(r, o, &t->nlevels, &desc));
    if (view) RT_TRY(apply_view(view, o, &t->nlevels, &desc));
    if (!rt_texel(&desc, &t->channels, &t->bits, &texel)) return cudaErrorInvalidChannelDescriptor;
    bool normalized;
    t->kind = rt_base_kind(desc.f, &normalized);
    RT_TRY(check_description(d, t->bits, t->kind, normalized));
    describe(t, d);
    t->levels = t->nlevels > 1 ? o->levels : NULL;
    choose_level(t, o->levels);
    t->row_border = has_row_border(t, r);
    o->resource = *r;
    o->description = *d;
    o->has_view = view != NULL;
    if (view) o->view = *view;
    return cudaSuccess;
}

static bool misaligned(const struct cudaResourceDesc *r) {
    void *p = r->resType == cudaResourceTypeLinear    ? r->res.linear.devPtr
              : r->resType == cudaResourceTypePitch2D ? r->res.pitch2D.devPtr
                                                      : NULL;
    return (uintptr_t)p % RT_ALIGN != 0;
}

static cudaError_t make_texture(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *view,
                                const void *reference) {
    if (!out || !r) return cudaErrorInvalidValue;
    if (!d) return cudaErrorInvalidResourceHandle;
    if (!reference && misaligned(r)) return cudaErrorInvalidValue; /* what a reference is bound to may begin anywhere */
    Object *o = calloc(1, sizeof *o);
    if (!o) return cudaErrorMemoryAllocation;
    cudaError_t error = fill_texture(o, r, d, view);
    if (error) {
        free(o);
        return error;
    }
    o->reference = reference;
    *out = add_object(o);
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *view) {
    RT_ENTER();
    return rt_end(make_texture(out, r, d, view, NULL));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
    RT_ENTER();
    if (!handle) return cudaSuccess;
    if (!find_object(handle, false)) return rt_end(cudaErrorInvalidValue);
    drop_object(handle, NULL);
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r, cudaTextureObject_t handle) {
    RT_ENTER();
    Object *o = find_object(handle, false);
    if (!o || !r) return rt_end(cudaErrorInvalidValue);
    *r = o->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *d, cudaTextureObject_t handle) {
    RT_ENTER();
    Object *o = find_object(handle, false);
    if (!o || !d) return rt_end(cudaErrorInvalidValue);
    *d = o->description;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *v, cudaTextureObject_t handle) {
    RT_ENTER();
    Object *o = find_object(handle, false);
    if (!o || !v || !o->has_view) return rt_end(cudaErrorInvalidValue);
    *v = o->view;
    return cudaSuccess;
}

/* ---- surface objects ---- */

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *r) {
    RT_ENTER();
    if (!out || !r || r->resType != cudaResourceTypeArray || !rt_is_array(r->res.array.array))
        return rt_end(cudaErrorInvalidValue);
    cudaArray_t a = r->res.array.array; /* cudaArraySurfaceLoadStore is not required */
    Object *o = calloc(1, sizeof *o);
    size_t texel;
    if (!o) return rt_end(cudaErrorMemoryAllocation);
    o->is_surface = true;
    o->surface.image = a->image;
    rt_texel(&a->desc, &o->surface.channels, &o->surface.bits, &texel);
    o->surface.kind = a->desc.f;
    o->resource = *r;
    *out = add_object(o);
    return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
    RT_ENTER();
    if (!handle) return cudaSuccess;
    if (!find_object(handle, true)) return rt_end(cudaErrorInvalidValue);
    drop_object(handle, NULL);
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *r, cudaSurfaceObject_t handle) {
    RT_ENTER();
    Object *o = find_object(handle, true);
    if (!o || !r) return rt_end(cudaErrorInvalidValue);
    *r = o->resource;
    return cudaSuccess;
}

/* ---- references ---- */

static cudaError_t bind_reference(const struct textureReference *t, const struct cudaResourceDesc *r) {
    void *twin;
    size_t size;
    cudaTextureObject_t object;
    if (!t || rt_find_symbol(t, &twin, &size) || size < sizeof object) return cudaErrorInvalidTexture;
    struct cudaTextureDesc d = {.filterMode = t->filterMode,
                                .readMode = t->readMode,
                                .sRGB = t->sRGB,
                                .normalizedCoords = t->normalized,
                                .maxAnisotropy = t->maxAnisotropy,
                                .mipmapFilterMode = t->mipmapFilterMode,
                                .mipmapLevelBias = t->mipmapLevelBias,
                                .minMipmapLevelClamp = t->minMipmapLevelClamp,
                                .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
    memcpy(d.addressMode, t->addressMode, sizeof d.addressMode);
    RT_TRY(rt_sync_all()); /* kernels before the call use the old binding */
    drop_object(0, t);
    RT_TRY(make_texture(&object, r, &d, NULL, t));
    ((struct textureReference *)(uintptr_t)t)->object = object;
    memcpy(twin, &object, sizeof object);
    return cudaSuccess;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *t, const void *p,
                            const struct cudaChannelFormatDesc *desc, size_t size) {
    RT_ENTER();
    RtAlloc a;
    if (!p || !desc || !rt_find_alloc(p, &a)) return rt_end(cudaErrorInvalidValue);
    size_t left = a.base + a.size - (uintptr_t)p; /* a size beyond the end means "all" (UINT_MAX) */
    struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
    r.res.linear.devPtr = (void *)(uintptr_t)p;
    r.res.linear.desc = *desc;
    r.res.linear.sizeInBytes = size < left ? size : left;
    if (offset) *offset = 0;
    return rt_end(bind_reference(t, &r));
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *t, const void *p,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch) {
    RT_ENTER();
    if (!p || !desc) return rt_end(cudaErrorInvalidValue);
    struct cudaResourceDesc r = {.resType = cudaResourceTypePitch2D};
    r.res.pitch2D.devPtr = (void *)(uintptr_t)p;
    r.res.pitch2D.desc = *desc;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    if (offset) *offset = 0;
    return rt_end(bind_reference(t, &r));
}

cudaError_t cudaBindTextureToArray(const struct textureReference *t, cudaArray_const_t a,
                                   const struct cudaChannelFormatDesc *desc) {
    RT_ENTER();
    (void)desc; /* an array has its own */
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    r.res.array.array = (cudaArray_t)(uintptr_t)a;
    return rt_end(bind_reference(t, &r));
}

cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *t, cudaMipmappedArray_const_t m,
                                            const struct cudaChannelFormatDesc *desc) {
    RT_ENTER();
    (void)desc;
    struct cudaResourceDesc r = {.resType = cudaResourceTypeMipmappedArray};
    r.res.mipmap.mipmap = (cudaMipmappedArray_t)(uintptr_t)m;
    return rt_end(bind_reference(t, &r));
}

cudaError_t cudaUnbindTexture(const struct textureReference *t) {
    RT_ENTER();
    if (!t) return rt_end(cudaErrorInvalidTexture);
    cudaError_t error = rt_sync_all();
    if (!error) drop_object(0, t);
    return rt_end(error);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *t) {
    RT_ENTER();
    if (!offset) return rt_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    Object *o = objects;
    while (o && o->reference != t) o = o->next;
    pthread_mutex_unlock(&lock);
    *offset = 0;
    return rt_end(o ? cudaSuccess : cudaErrorInvalidTextureBinding);
}

cudaError_t cudaGetTextureReference(const struct textureReference **out, const void *symbol) {
    RT_ENTER();
    void *twin;
    size_t size;
    if (!out || rt_find_symbol(symbol, &twin, &size)) return rt_end(cudaErrorInvalidTexture);
    *out = symbol;
    return cudaSuccess;
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *s, cudaArray_const_t a,
                                   const struct cudaChannelFormatDesc *desc) {
    RT_ENTER();
    (void)desc;
    void *twin;
    size_t size;
    cudaSurfaceObject_t object;
    if (!s || rt_find_symbol(s, &twin, &size) || size < sizeof object) return rt_end(cudaErrorInvalidSurface);
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    r.res.array.array = (cudaArray_t)(uintptr_t)a;
    cudaError_t error = cudaCreateSurfaceObject(&object, &r);
    if (error) return error;
    drop_object(0, s);
    find_object(object, true)->reference = s;
    ((struct surfaceReference *)(uintptr_t)s)->object = object;
    memcpy(twin, &object, sizeof object);
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **out, const void *symbol) {
    RT_ENTER();
    void *twin;
    size_t size;
    if (!out || rt_find_symbol(symbol, &twin, &size)) return rt_end(cudaErrorInvalidSurface);
    *out = symbol;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *d, int device) {
    RT_ENTER();
    uint32_t channels, bits;
    size_t texel;
    if (!width || !d || !rt_texel(d, &channels, &bits, &texel)) return rt_end(cudaErrorInvalidValue);
    if (device) return rt_end(cudaErrorInvalidDevice);
    *width = 268435456 / texel;
    return cudaSuccess;
}
