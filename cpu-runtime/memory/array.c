/* array.c: CUDA arrays, mipmapped arrays, and copies from and to them.
**
** An array is pitched memory without padding: rows, then planes (or layers, or cube faces) one after another.  So
** every copy with an array becomes an ordinary copy of rows (copy.c), and what CUDA leaves to the hardware's layout
** cannot be seen. */
#include "memory/array.h"
#include "space/alloc.h"
#include "queue/capture.h"
#include "queue/stream.h"
#include "memory/copy.h"
#include "memory/memory.h"
#include <stdlib.h>

enum {
    ARRAY_FLAGS = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather |
                  cudaArrayColorAttachment
};

static RtHandles arrays = RT_HANDLES, mipmaps = RT_HANDLES;

bool rt_is_array(cudaArray_const_t a) { return rt_has_handle(&arrays, a); }
bool rt_is_mipmapped(cudaMipmappedArray_const_t m) { return rt_has_handle(&mipmaps, m); }

enum cudaChannelFormatKind rt_base_kind(enum cudaChannelFormatKind kind, bool *normalized) {
    *normalized =
        kind >= cudaChannelFormatKindUnsignedNormalized8X1 && kind <= cudaChannelFormatKindSignedNormalized16X4;
    if (!*normalized) return kind;
    return kind < cudaChannelFormatKindSignedNormalized8X1 ? cudaChannelFormatKindUnsigned
                                                           : cudaChannelFormatKindSigned;
}

/* Normalized formats come in threes, for 1, 2 and 4 channels, first those of 8 bits. */
static bool fits_normalized(enum cudaChannelFormatKind kind, uint32_t channels, int bits) {
    unsigned i = (unsigned)(kind - cudaChannelFormatKindUnsignedNormalized8X1) % 6;
    return channels == 1u << i % 3 && bits == (i < 3 ? 8 : 16);
}

bool rt_texel(const struct cudaChannelFormatDesc *d, uint32_t *channels, uint32_t *bits, size_t *bytes) {
    const int b[4] = {d->x, d->y, d->z, d->w};
    uint32_t n = 0;
    while (n < 4 && b[n]) n++;
    for (uint32_t i = 0; i < 4; i++)
        if (b[i] != (i < n ? b[0] : 0)) return false;
    if (!n || n == 3 || (b[0] != 8 && b[0] != 16 && b[0] != 32)) return false;
    bool normalized;
    enum cudaChannelFormatKind kind = rt_base_kind(d->f, &normalized);
    if ((unsigned)kind > cudaChannelFormatKindFloat || (kind == cudaChannelFormatKindFloat && b[0] == 8) ||
        (normalized && !fits_normalized(d->f, n, b[0])))
        return false;
    *channels = n;
    *bits = (uint32_t)b[0];
    *bytes = n * (size_t)b[0] / 8;
    return true;
}

/* ---- making and freeing ---- */

static bool shape_image(cudaArray_t a) {
    struct cudaExtent e = a->extent;
    bool layered = a->flags & (cudaArrayLayered | cudaArrayCubemap);
    size_t height = e.height ? e.height : 1, depth = e.depth ? e.depth : 1;
    if (!e.width || e.width > UINT32_MAX || height > UINT32_MAX || depth > UINT32_MAX) return false;
    if (layered && !e.depth) return false;
    if (!layered && e.depth && !e.height) return false;
    if (a->flags & cudaArrayCubemap && (e.width != e.height || depth % 6)) return false;
    if (a->flags & cudaArrayCubemap && !(a->flags & cudaArrayLayered) && depth != 6) return false;
    CucpuImage *im = &a->image;
    im->pitch = e.width * a->texel;
    if (__builtin_mul_overflow(im->pitch, height, &im->slice)) return false;
    im->layer_bytes = layered ? im->slice : 0;
    im->width = (uint32_t)e.width;
    im->height = (uint32_t)height;
    im->depth = layered ? 1 : (uint32_t)depth;
    im->layers = layered ? (uint32_t)depth : 1;
    return true;
}

/* The extents that the device properties allow; other than 3-D ones come before, as depth counts
 * layers there. */
static bool within_limits(struct cudaExtent e, unsigned flags) {
    struct cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    bool cube = flags & cudaArrayCubemap, layers = flags & cudaArrayLayered;
    bool flat = !e.height, plane = flat || !e.depth;
    const int one[] = {p.maxTexture1D, 0, 0}, one_surface[] = {p.maxSurface1D, 0, 0};
    const int cubes[] = {p.maxTextureCubemap, p.maxTextureCubemap, 6};
    const int many[] = {p.maxTextureCubemapLayered[0], p.maxTextureCubemapLayered[0], p.maxTextureCubemapLayered[1]};
    const int rows[] = {p.maxTexture1DLayered[0], 0, p.maxTexture1DLayered[1]};
    const int sheet[] = {p.maxTexture2D[0], p.maxTexture2D[1], 0};
    const int gather[] = {p.maxTexture2DGather[0], p.maxTexture2DGather[1], 0};
    const int *m = cube && layers                   ? many
                   : cube                           ? cubes
                   : layers                         ? (flat ? rows : p.maxTexture2DLayered)
                   : flat                           ? (flags & cudaArraySurfaceLoadStore ? one_surface : one)
                   : !plane                         ? p.maxTexture3D
                   : flags & cudaArrayTextureGather ? gather
                                                    : sheet;
    const int *alt = !cube && !layers && !plane ? p.maxTexture3DAlt : m;
    bool fits = e.width <= (size_t)m[0] && e.height <= (size_t)m[1] && e.depth <= (size_t)m[2];
    return fits || (e.width <= (size_t)alt[0] && e.height <= (size_t)alt[1] && e.depth <= (size_t)alt[2]);
}

static cudaError_t make_array(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned flags) {
    uint32_t channels, bits;
    if (!out || !desc || flags & ~(unsigned)ARRAY_FLAGS) return cudaErrorInvalidValue;
    if (rt_capture_forbids()) return cudaErrorStreamCaptureUnsupported;
    cudaArray_t a = calloc(1, sizeof *a);
    if (!a) return cudaErrorMemoryAllocation;
    a->owned = true;
    a->desc = *desc;
    a->extent = extent;
    a->flags = flags;
    cudaError_t error = cudaErrorInvalidChannelDescriptor;
    if (rt_texel(desc, &channels, &bits, &a->texel)) {
        size_t bytes;
        RtAlloc how = {.kind = cudaMemoryTypeDevice, .how = RT_BY_ARRAY};
        bool gathers = flags & cudaArrayTextureGather, plane = extent.height && !extent.depth;
        bool shaped = shape_image(a) && within_limits(extent, flags) && (!gathers || plane);
        uint64_t planes = (uint64_t)a->image.depth * a->image.layers;
        error = !shaped                                                  ? cudaErrorInvalidValue
                : __builtin_mul_overflow(a->image.slice, planes, &bytes) ? cudaErrorMemoryAllocation
                                                                         : rt_alloc(&a->image.data, bytes, &how);
    }
    if (error) {
        free(a);
        return error;
    }
    rt_add_handle(&arrays, &a->link);
    *out = a;
    return cudaSuccess;
}

static cudaError_t drop_array(cudaArray_t a) {
    if (!rt_remove_handle(&arrays, &a->link)) return cudaErrorInvalidResourceHandle;
    rt_free(a->image.data, 1u << RT_BY_ARRAY, cudaSuccess);
    free(a);
    return cudaSuccess;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned flags) {
    RT_ENTER();
    return rt_end(make_array(out, desc, extent, flags));
}

cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned flags) {
    RT_ENTER();
    if (flags & (cudaArrayLayered | cudaArrayCubemap)) return rt_end(cudaErrorInvalidValue);
    return rt_end(make_array(out, desc, (struct cudaExtent){width, height, 0}, flags));
}

cudaError_t cudaFreeArray(cudaArray_t a) {
    RT_ENTER();
    if (!a) return cudaSuccess;
    if (!rt_is_array(a) || !a->owned) return rt_end(cudaErrorInvalidResourceHandle);
    cudaError_t error = rt_sync_all();
    return rt_end(error ? error : drop_array(a));
}

static void drop_mipmap(cudaMipmappedArray_t m) {
    for (unsigned i = 0; i < m->levels; i++)
        if (m->level[i]) drop_array(m->level[i]);
    free(m->level);
    free(m);
}

static size_t halve(size_t n, unsigned level) { return n >> level ? n >> level : n != 0; }

static unsigned max_levels(struct cudaExtent e, bool layered) {
    size_t largest = e.width > e.height ? e.width : e.height;
    if (!layered && e.depth > largest) largest = e.depth;
    unsigned n = 1;
    while (largest >>= 1) n++;
    return n;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent e, unsigned levels, unsigned flags) {
    RT_ENTER();
    bool layered = flags & (cudaArrayLayered | cudaArrayCubemap);
    if (!out) return rt_end(cudaErrorInvalidValue);
    if (!levels) levels = 1;
    if (levels > max_levels(e, layered)) levels = max_levels(e, layered);
    cudaMipmappedArray_t m = calloc(1, sizeof *m);
    if (m) m->level = calloc(levels, sizeof *m->level);
    cudaError_t error = m && m->level ? cudaSuccess : cudaErrorMemoryAllocation;
    if (!error) m->levels = levels;
    for (unsigned i = 0; i < levels && !error; i++) {
        struct cudaExtent le = {halve(e.width, i), halve(e.height, i), layered ? e.depth : halve(e.depth, i)};
        error = make_array(&m->level[i], desc, le, flags);
        if (!error) m->level[i]->owned = false;
    }
    if (error) {
        if (m) drop_mipmap(m);
        return rt_end(error);
    }
    rt_add_handle(&mipmaps, &m->link);
    *out = m;
    return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_const_t m, unsigned level) {
    RT_ENTER();
    if (!rt_is_mipmapped(m)) return rt_end(cudaErrorInvalidResourceHandle);
    if (!out || level >= m->levels) return rt_end(cudaErrorInvalidValue);
    *out = m->level[level];
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t m) {
    RT_ENTER();
    if (!m) return cudaSuccess;
    cudaError_t error = rt_sync_all();
    if (error) return rt_end(error);
    bool found = rt_remove_handle(&mipmaps, &m->link);
    if (found) drop_mipmap(m);
    return rt_end(found ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

void rt_reset_arrays(void) {
    for (cudaMipmappedArray_t m; (m = (cudaMipmappedArray_t)rt_any_handle(&mipmaps)) != NULL; drop_mipmap(m))
        rt_remove_handle(&mipmaps, &m->link);
    for (RtLink *a; (a = rt_any_handle(&arrays));) drop_array((cudaArray_t)a);
}

/* ---- questions ---- */

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t a) {
    RT_ENTER();
    if (!rt_is_array(a)) return rt_end(cudaErrorInvalidResourceHandle);
    if (desc) *desc = a->desc;
    if (extent) *extent = a->extent;
    if (flags) *flags = a->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t a) {
    RT_ENTER();
    if (!rt_is_array(a)) return rt_end(cudaErrorInvalidResourceHandle);
    if (!desc) return rt_end(cudaErrorInvalidValue);
    *desc = a->desc;
    return cudaSuccess;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* ---- copies ---- */

typedef struct Side { /* one end of a copy */
    char *at;
    size_t pitch, slice;
} Side;

/* A box of bytes in x, rows in y, planes in z that must lie inside the array. */
static cudaError_t array_side(cudaArray_const_t a, size_t x, size_t y, size_t z, size_t width, size_t height,
                              size_t depth, Side *out) {
    if (!rt_is_array(a)) return cudaErrorInvalidResourceHandle;
    const CucpuImage *im = &a->image;
    size_t planes = (size_t)im->depth * im->layers;
    if (x > im->pitch || width > im->pitch - x || y > im->height || height > im->height - y || z > planes ||
        depth > planes - z)
        return cudaErrorInvalidValue;
    *out = (Side){(char *)im->data + z * im->slice + y * im->pitch + x, im->pitch, im->slice};
    return cudaSuccess;
}

static cudaError_t copy_sides(Side dst, Side src, size_t width, size_t height, size_t depth, enum cudaMemcpyKind kind,
                              cudaStream_t s, bool wait) {
    RtCopy c = {dst.at, src.at, dst.pitch, src.pitch, dst.slice, src.slice, width, height, depth};
    return rt_copy(&c, kind, s, wait);
}

/* Arrays are of the device. */
static cudaError_t check_direction(enum cudaMemcpyKind kind, enum cudaMemcpyKind with_host) {
    bool fits = kind == with_host || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
    return fits ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

static cudaError_t rows_to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                 size_t height, enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
    Side d, f = {(char *)(uintptr_t)src, pitch, 0};
    if (!width || !height) return cudaSuccess;
    RT_TRY(check_direction(kind, cudaMemcpyHostToDevice));
    RT_TRY(rt_check_pitches(pitch, pitch, width, height));
    RT_TRY(array_side(dst, x, y, 0, width, height, 1, &d));
    return copy_sides(d, f, width, height, 1, kind, s, wait);
}

static cudaError_t rows_from_array(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                                   size_t height, enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
    Side d = {dst, pitch, 0}, f;
    if (!width || !height) return cudaSuccess;
    RT_TRY(check_direction(kind, cudaMemcpyDeviceToHost));
    RT_TRY(rt_check_pitches(pitch, pitch, width, height));
    RT_TRY(array_side(src, x, y, 0, width, height, 1, &f));
    return copy_sides(d, f, width, height, 1, kind, s, wait);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind) {
    RT_ENTER();
    return rt_end(rows_to_array(dst, x, y, src, pitch, width, height, kind, NULL, true));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t s) {
    RT_ENTER();
    return rt_end(rows_to_array(dst, x, y, src, pitch, width, height, kind, s, false));
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind) {
    RT_ENTER();
    return rt_end(rows_from_array(dst, pitch, src, x, y, width, height, kind, NULL, true));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t s) {
    RT_ENTER();
    return rt_end(rows_from_array(dst, pitch, src, x, y, width, height, kind, s, false));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src, size_t sx, size_t sy,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
    RT_ENTER();
    Side d, f;
    if (!width || !height) return cudaSuccess;
    cudaError_t error = check_direction(kind, cudaMemcpyDeviceToDevice);
    if (!error) error = array_side(dst, dx, dy, 0, width, height, 1, &d);
    if (!error) error = array_side(src, sx, sy, 0, width, height, 1, &f);
    return rt_end(error ? error : copy_sides(d, f, width, height, 1, kind, NULL, true));
}

/* The copies without rows run on from the end of one row to the start of the next. */
static cudaError_t run_side(cudaArray_const_t a, size_t x, size_t y, size_t n, Side *out) {
    if (!rt_is_array(a)) return cudaErrorInvalidResourceHandle;
    size_t at = y * a->image.pitch + x;
    if (x >= a->image.pitch || y >= a->image.height || n > a->image.slice - at) return cudaErrorInvalidValue;
    *out = (Side){(char *)a->image.data + at, n, 0};
    return cudaSuccess;
}

static cudaError_t run_to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t n,
                                enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
    Side d, f = {(char *)(uintptr_t)src, n, 0};
    if (!n) return cudaSuccess;
    RT_TRY(check_direction(kind, cudaMemcpyHostToDevice));
    RT_TRY(run_side(dst, x, y, n, &d));
    return copy_sides(d, f, n, 1, 1, kind, s, wait);
}

static cudaError_t run_from_array(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t n,
                                  enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
    Side d = {dst, n, 0}, f;
    if (!n) return cudaSuccess;
    RT_TRY(check_direction(kind, cudaMemcpyDeviceToHost));
    RT_TRY(run_side(src, x, y, n, &f));
    return copy_sides(d, f, n, 1, 1, kind, s, wait);
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t n,
                              enum cudaMemcpyKind kind) {
    RT_ENTER();
    return rt_end(run_to_array(dst, x, y, src, n, kind, NULL, true));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t n,
                                   enum cudaMemcpyKind kind, cudaStream_t s) {
    RT_ENTER();
    return rt_end(run_to_array(dst, x, y, src, n, kind, s, false));
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t n,
                                enum cudaMemcpyKind kind) {
    RT_ENTER();
    return rt_end(run_from_array(dst, src, x, y, n, kind, NULL, true));
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t n,
                                     enum cudaMemcpyKind kind, cudaStream_t s) {
    RT_ENTER();
    return rt_end(run_from_array(dst, src, x, y, n, kind, s, false));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src, size_t sx, size_t sy,
                                   size_t n, enum cudaMemcpyKind kind) {
    RT_ENTER();
    Side d, f;
    if (!n) return cudaSuccess;
    cudaError_t error = check_direction(kind, cudaMemcpyDeviceToDevice);
    if (!error) error = run_side(dst, dx, dy, n, &d);
    if (!error) error = run_side(src, sx, sy, n, &f);
    return rt_end(error ? error : copy_sides(d, f, n, 1, 1, kind, NULL, true));
}

/* ---- three dimensions ---- */

/* The extent is compared with the pitch as it is, in elements if there is an array, then bytes and rows are. A
** single row may leave the pitch open, a single slice its rows. */
static cudaError_t check_pitched(struct cudaPitchedPtr p, struct cudaPos pos, size_t width, struct cudaExtent e) {
    bool rows = e.height > 1 || e.depth > 1;
    if ((rows && e.width > p.pitch) || (e.depth > 1 && e.height > p.ysize)) return cudaErrorInvalidPitchValue;
    if ((rows || p.pitch) && pos.x + width > p.pitch) return cudaErrorInvalidValue;
    return p.ysize && pos.y + e.height > p.ysize ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t side_3d(cudaArray_t a, struct cudaPitchedPtr p, struct cudaPos pos, size_t width,
                           struct cudaExtent e, Side *out) {
    if (!a == !p.ptr) return cudaErrorInvalidValue; /* exactly one of the two */
    if (a) return array_side(a, pos.x * a->texel, pos.y, pos.z, width, e.height, e.depth, out);
    RT_TRY(check_pitched(p, pos, width, e));
    size_t slice = p.pitch * p.ysize;
    *out = (Side){(char *)p.ptr + pos.z * slice + pos.y * p.pitch + pos.x, p.pitch, slice};
    return cudaSuccess;
}

cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t s, bool wait) {
    Side dst, src;
    if (!p) return cudaErrorInvalidValue;
    if ((p->srcArray && !rt_is_array(p->srcArray)) || (p->dstArray && !rt_is_array(p->dstArray)))
        return cudaErrorInvalidResourceHandle;
    cudaArray_t a = p->srcArray ? p->srcArray : p->dstArray; /* gives the unit of the extent */
    if (p->srcArray && p->dstArray && p->srcArray->texel != p->dstArray->texel) return cudaErrorInvalidValue;
    size_t width = p->extent.width * (a ? a->texel : 1);
    if (!width || !p->extent.height || !p->extent.depth) return cudaSuccess;
    RT_TRY(side_3d(p->dstArray, p->dstPtr, p->dstPos, width, p->extent, &dst));
    RT_TRY(side_3d(p->srcArray, p->srcPtr, p->srcPos, width, p->extent, &src));
    return copy_sides(dst, src, width, p->extent.height, p->extent.depth, p->kind, s, wait);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    RT_ENTER();
    return rt_end(rt_copy_3d(p, NULL, true));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t s) {
    RT_ENTER();
    return rt_end(rt_copy_3d(p, s, false));
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s, bool wait) {
    if (!p) return cudaErrorInvalidValue;
    if (p->srcDevice || p->dstDevice) return cudaErrorInvalidDevice;
    struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                  p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return rt_copy_3d(&q, s, wait);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    RT_ENTER();
    return rt_end(copy_3d_peer(p, NULL, true));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s) {
    RT_ENTER();
    return rt_end(copy_3d_peer(p, s, false));
}
