/* texture.h: texture fetches and surface accesses in device code, on the images of cucpu/image.h.
**
** Addressing, filtering (weights in 1.8 fixed point) and read modes follow the CUDA guide's
** "Texture Fetching".  A fetch branches on properties of the texture only, never on data of the
** thread; the coordinates' index arithmetic is branch-free.  A texture reference is a 64-bit
** handle in device code, an ordinary object on the host (clang's device_builtin_texture_type). */
#ifndef CUCPU_TEXTURE_H
#define CUCPU_TEXTURE_H
#include "../texture_types.h"
#include "../vector_functions.h"
#include "defs.h"
#include "image.h"

template <class T> struct CucpuTexel; /* Base, N, get(v, i), make(a[4]) */
template <class T> struct CucpuNormalized; /* the float type with as many components */
#define CUCPU_TEXEL_(T, B, n, F, ...)                                                              \
    template <> struct CucpuTexel<T> {                                                             \
        typedef B Base;                                                                            \
        enum { N = n };                                                                            \
        CUCPU_D T make(const B *a) { return __VA_ARGS__; }                                         \
    };                                                                                             \
    template <> struct CucpuNormalized<T> { typedef F type; };
#define CUCPU_TEXELS_(S, name, B)                                                                  \
    CUCPU_TEXEL_(S, B, 1, float, (S)a[0])                                                            \
    CUCPU_TEXEL_(name##1, B, 1, float1, name##1{a[0]})                                             \
    CUCPU_TEXEL_(name##2, B, 2, float2, name##2{a[0], a[1]})                                       \
    CUCPU_TEXEL_(name##3, B, 3, float3, name##3{a[0], a[1], a[2]})                                 \
    CUCPU_TEXEL_(name##4, B, 4, float4, name##4{a[0], a[1], a[2], a[3]})
CUCPU_TEXEL_(char, signed char, 1, float, char(a[0]))
CUCPU_TEXELS_(signed char, char, signed char)
CUCPU_TEXELS_(unsigned char, uchar, unsigned char)
CUCPU_TEXELS_(short, short, short)
CUCPU_TEXELS_(unsigned short, ushort, unsigned short)
CUCPU_TEXELS_(int, int, int)
CUCPU_TEXELS_(unsigned int, uint, unsigned int)
CUCPU_TEXELS_(float, float, float)
#undef CUCPU_TEXELS_
#undef CUCPU_TEXEL_

#define CUCPU_TX_ static __device__ inline __attribute__((nodebug))

/* ---- one channel of one texel ---- */
template <class B> CUCPU_TX_ B CucpuChannel(const CucpuTexture *, const char *p, int i) {
    return ((const B *)p)[i];
}
template <> __device__ inline float CucpuChannel<float>(const CucpuTexture *t, const char *p, int i) {
    if (t->bits == 32) return ((const float *)p)[i];
    if (t->bits == 16) {
        if (t->kind == cudaChannelFormatKindFloat) return (float)((const _Float16 *)p)[i];
        if (t->kind == cudaChannelFormatKindUnsigned)
            return ((const unsigned short *)p)[i] / 65535.0f;
        return __builtin_fmaxf(((const short *)p)[i] / 32767.0f, -1.0f);
    }
    if (t->kind != cudaChannelFormatKindUnsigned)
        return __builtin_fmaxf(((const signed char *)p)[i] / 127.0f, -1.0f);
    float v = ((const unsigned char *)p)[i] / 255.0f;
    if (t->srgb && i < 3)
        v = v <= 0.04045f ? v / 12.92f : __builtin_powf((v + 0.055f) / 1.055f, 2.4f);
    return v;
}
/* All N channels of texel (x,y,z) of a layer; in range or the border. */
template <class T>
CUCPU_TX_ void CucpuTexelAt(const CucpuTexture *t, const CucpuImage &im, int x, int y, int z,
                            int layer, typename CucpuTexel<T>::Base *out) {
    typedef typename CucpuTexel<T>::Base B;
    bool inside = (unsigned)x < im.width & (unsigned)y < im.height & (unsigned)z < im.depth;
    long offset = (long)layer * (long)im.layer_bytes + z * (long)im.slice + y * (long)im.pitch +
                  x * (long)(t->channels * (t->bits / 8));
    const char *p = (const char *)im.data + (inside ? offset : 0);
#pragma unroll
    for (int i = 0; i < CucpuTexel<T>::N; i++)
        out[i] = !inside ? (B)t->border[i] : (unsigned)i < t->channels ? CucpuChannel<B>(t, p, i) : B(0);
}

/* ---- coordinates ---- */
/* Brings index i into 0..n-1 or, for the border mode, leaves it outside. */
CUCPU_TX_ int CucpuWrapIndex(unsigned mode, bool normalized, int i, int n) {
    if (normalized && mode == cudaAddressModeWrap) {
        int r = i % n;
        return r < 0 ? r + n : r;
    }
    if (normalized && mode == cudaAddressModeMirror) {
        int r = i % (2 * n);
        r = r < 0 ? r + 2 * n : r;
        return r < n ? r : 2 * n - 1 - r;
    }
    if (mode == cudaAddressModeBorder) return i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}
/* A float coordinate as an index; far outside and NaN saturate, so that int never overflows. */
CUCPU_TX_ int CucpuFloor(float x) {
    float f = __builtin_floorf(x);
    return (int)__builtin_fminf(__builtin_fmaxf(f, -1.0e9f), 1.0e9f);
}
CUCPU_TX_ float CucpuScale(const CucpuTexture *t, int dim, float x, int n) {
    if (!t->normalized) return x;
    if (t->address[dim] == cudaAddressModeWrap) x -= __builtin_floorf(x);
    if (t->address[dim] == cudaAddressModeMirror) x -= 2 * __builtin_floorf(x * 0.5f);
    return x * (float)n;
}
CUCPU_TX_ float CucpuWeight(float frac) { return __builtin_rintf(frac * 256.0f) * (1.0f / 256.0f); }

template <class T, int dims, bool point_only>
CUCPU_TX_ void CucpuSampleImage(const CucpuTexture *t, const CucpuImage &im, float x, float y,
                                float z, int layer, typename CucpuTexel<T>::Base *out) {
    typedef typename CucpuTexel<T>::Base B;
    int w = (int)im.width, h = (int)im.height, d = (int)im.depth;
    bool norm = t->normalized;
    x = CucpuScale(t, 0, x, w);
    if (dims > 1) y = CucpuScale(t, 1, y, h);
    if (dims > 2) z = CucpuScale(t, 2, z, d);
    if (point_only || t->filter == cudaFilterModePoint) {
        int i = CucpuWrapIndex(t->address[0], norm, CucpuFloor(x), w);
        int j = dims > 1 ? CucpuWrapIndex(t->address[1], norm, CucpuFloor(y), h) : 0;
        int k = dims > 2 ? CucpuWrapIndex(t->address[2], norm, CucpuFloor(z), d) : 0;
        CucpuTexelAt<T>(t, im, i, j, k, layer, out);
        return;
    }
    float fx = x - 0.5f, fy = y - 0.5f, fz = z - 0.5f;
    int i = CucpuFloor(fx), j = dims > 1 ? CucpuFloor(fy) : 0, k = dims > 2 ? CucpuFloor(fz) : 0;
    float a = CucpuWeight(fx - (float)i), b = dims > 1 ? CucpuWeight(fy - (float)j) : 0;
    float c = dims > 2 ? CucpuWeight(fz - (float)k) : 0, sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int corner = 0; corner < 1 << dims; corner++) {
        int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2 & 1;
        B v[4];
        CucpuTexelAt<T>(t, im, CucpuWrapIndex(t->address[0], norm, i + dx, w),
                        dims > 1 ? CucpuWrapIndex(t->address[1], norm, j + dy, h) : 0,
                        dims > 2 ? CucpuWrapIndex(t->address[2], norm, k + dz, d) : 0, layer, v);
        float weight = (dx ? a : 1 - a) * (dims < 2 ? 1 : dy ? b : 1 - b) *
                       (dims < 3 ? 1 : dz ? c : 1 - c);
#pragma unroll
        for (int n = 0; n < CucpuTexel<T>::N; n++) sum[n] += weight * (float)v[n];
    }
#pragma unroll
    for (int n = 0; n < CucpuTexel<T>::N; n++) out[n] = (B)sum[n];
}
template <class T> struct CucpuIsFloat { enum { value = false }; };
template <> struct CucpuIsFloat<float> { enum { value = true }; };

template <class T, int dims>
CUCPU_TX_ T CucpuSample(unsigned long long object, float x, float y, float z, int layer,
                        float lod = 0) {
    typedef typename CucpuTexel<T>::Base B;
    const CucpuTexture *t = (const CucpuTexture *)object;
    constexpr bool point = !CucpuIsFloat<B>::value;
    B v[4];
    layer = layer < 0 ? 0 : layer >= (int)t->image.layers ? (int)t->image.layers - 1 : layer;
    if (t->nlevels <= 1) {
        CucpuSampleImage<T, dims, point>(t, t->image, x, y, z, layer, v);
        return CucpuTexel<T>::make(v);
    }
    lod = __builtin_fminf(__builtin_fmaxf(lod + t->level_bias, t->level_min), t->level_max);
    lod = __builtin_fminf(__builtin_fmaxf(lod, 0), (float)(t->nlevels - 1));
    if (point || t->mip_filter == cudaFilterModePoint) {
        CucpuSampleImage<T, dims, point>(t, t->levels[(int)(lod + 0.5f)], x, y, z, layer, v);
        return CucpuTexel<T>::make(v);
    }
    int level = (int)lod;
    float f = CucpuWeight(lod - (float)level);
    B u[4];
    CucpuSampleImage<T, dims, point>(t, t->levels[level], x, y, z, layer, v);
    level = level + 1 < (int)t->nlevels ? level + 1 : level;
    CucpuSampleImage<T, dims, point>(t, t->levels[level], x, y, z, layer, u);
#pragma unroll
    for (int n = 0; n < CucpuTexel<T>::N; n++) v[n] = (B)((1 - f) * (float)v[n] + f * (float)u[n]);
    return CucpuTexel<T>::make(v);
}
template <class T> CUCPU_TX_ T CucpuFetch1D(unsigned long long object, int x) {
    const CucpuTexture *t = (const CucpuTexture *)object;
    typename CucpuTexel<T>::Base v[4];
    CucpuTexelAt<T>(t, t->image, x, 0, 0, 0, v);
    if ((unsigned)x >= t->image.width)
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = 0;
    return CucpuTexel<T>::make(v);
}
/* Level of detail from derivatives: log2 of the longer footprint in texels. */
CUCPU_TX_ float CucpuLod(unsigned long long object, float3 dx, float3 dy, int dims) {
    const CucpuImage &im = ((const CucpuTexture *)object)->image;
    bool norm = ((const CucpuTexture *)object)->normalized;
    float w = norm ? (float)im.width : 1, h = norm ? (float)im.height : 1, d = norm ? (float)im.depth : 1;
    float a = dx.x * w * dx.x * w, b = dy.x * w * dy.x * w;
    if (dims > 1) a += dx.y * h * dx.y * h, b += dy.y * h * dy.y * h;
    if (dims > 2) a += dx.z * d * dx.z * d, b += dy.z * d * dy.z * d;
    return 0.5f * __builtin_log2f(__builtin_fmaxf(a, b));
}
/* The face of a direction and the coordinates on it. */
CUCPU_TX_ int CucpuCubeFace(float x, float y, float z, float *s, float *t) {
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z), m, u, v;
    int face;
    if (ax >= ay && ax >= az)
        face = x < 0, m = ax, u = x < 0 ? z : -z, v = -y;
    else if (ay >= az)
        face = y < 0 ? 3 : 2, m = ay, u = x, v = y < 0 ? -z : z;
    else
        face = z < 0 ? 5 : 4, m = az, u = z < 0 ? -x : x, v = -y;
    *s = (u / m + 1) * 0.5f;
    *t = (v / m + 1) * 0.5f;
    return face;
}
template <class T>
CUCPU_TX_ T CucpuCube(unsigned long long object, float x, float y, float z, int layer,
                      float lod = 0) {
    float s, t;
    int face = CucpuCubeFace(x, y, z, &s, &t);
    return CucpuSample<T, 2>(object, s, t, 0, layer * 6 + face, lod);
}
template <class T> CUCPU_TX_ T CucpuGather(unsigned long long object, float x, float y, int comp) {
    typedef typename CucpuTexel<T>::Base B;
    const CucpuTexture *t = (const CucpuTexture *)object;
    const CucpuImage &im = t->image;
    int w = (int)im.width, h = (int)im.height;
    int i = CucpuFloor(CucpuScale(t, 0, x, w) - 0.5f), j = CucpuFloor(CucpuScale(t, 1, y, h) - 0.5f);
    B out[4], v[4];
    const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
#pragma unroll
    for (int n = 0; n < 4; n++) {
        CucpuTexelAt<T>(t, im, CucpuWrapIndex(t->address[0], t->normalized, i + dx[n], w),
                        CucpuWrapIndex(t->address[1], t->normalized, j + dy[n], h), 0, 0, v);
        out[n] = comp == 0 ? v[0] : comp == 1 ? v[1] : comp == 2 ? v[2] : v[3];
    }
    return CucpuTexel<T>::make(out);
}

/* ---- the functions: on objects returning T, on objects through a pointer, on references ---- */
#define CUCPU_REF_(T, d, m) const texture<T, d, m> &
template <class T, cudaTextureReadMode mode> struct CucpuResult { typedef T type; };
template <class T> struct CucpuResult<T, cudaReadModeNormalizedFloat> {
    typedef typename CucpuNormalized<T>::type type;
};
template <class T, int d, cudaTextureReadMode m>
CUCPU_D unsigned long long CucpuHandle(const texture<T, d, m> &t) {
    return *(const unsigned long long *)&t;
}
#define CUCPU_FETCH_(name, d, params, ...)                                                         \
    template <class T> CUCPU_D T name(cudaTextureObject_t object, CUCPU_ARGS_ params) {            \
        typedef T R;                                                                               \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    template <class T> CUCPU_D void name(T *out, cudaTextureObject_t object, CUCPU_ARGS_ params) { \
        typedef T R;                                                                               \
        *out = __VA_ARGS__;                                                                        \
    }                                                                                              \
    template <class T, cudaTextureReadMode mode>                                                   \
    CUCPU_D typename CucpuResult<T, mode>::type name(const texture<T, d, mode> &ref,               \
                                                     CUCPU_ARGS_ params) {                         \
        typedef typename CucpuResult<T, mode>::type R;                                             \
        unsigned long long object = CucpuHandle(ref);                                              \
        return __VA_ARGS__;                                                                        \
    }
#define CUCPU_ARGS_(...) __VA_ARGS__
CUCPU_FETCH_(tex1Dfetch, 1, (int x), CucpuFetch1D<R>(object, x))
CUCPU_FETCH_(tex1D, 1, (float x), CucpuSample<R, 1>(object, x, 0, 0, 0))
CUCPU_FETCH_(tex2D, 2, (float x, float y), CucpuSample<R, 2>(object, x, y, 0, 0))
CUCPU_FETCH_(tex3D, 3, (float x, float y, float z), CucpuSample<R, 3>(object, x, y, z, 0))
CUCPU_FETCH_(tex1DLod, 1, (float x, float level), CucpuSample<R, 1>(object, x, 0, 0, 0, level))
CUCPU_FETCH_(tex2DLod, 2, (float x, float y, float level),
             CucpuSample<R, 2>(object, x, y, 0, 0, level))
CUCPU_FETCH_(tex3DLod, 3, (float x, float y, float z, float level),
             CucpuSample<R, 3>(object, x, y, z, 0, level))
CUCPU_FETCH_(tex1DGrad, 1, (float x, float dx, float dy),
             CucpuSample<R, 1>(object, x, 0, 0, 0, CucpuLod(object, float3{dx, 0, 0}, float3{dy, 0, 0}, 1)))
CUCPU_FETCH_(tex2DGrad, 2, (float x, float y, float2 dx, float2 dy),
             CucpuSample<R, 2>(object, x, y, 0, 0,
                               CucpuLod(object, float3{dx.x, dx.y, 0}, float3{dy.x, dy.y, 0}, 2)))
CUCPU_FETCH_(tex3DGrad, 3, (float x, float y, float z, float4 dx, float4 dy),
             CucpuSample<R, 3>(object, x, y, z, 0,
                               CucpuLod(object, float3{dx.x, dx.y, dx.z}, float3{dy.x, dy.y, dy.z}, 3)))
CUCPU_FETCH_(tex1DLayered, cudaTextureType1DLayered, (float x, int layer),
             CucpuSample<R, 1>(object, x, 0, 0, layer))
CUCPU_FETCH_(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer),
             CucpuSample<R, 2>(object, x, y, 0, layer))
CUCPU_FETCH_(tex1DLayeredLod, cudaTextureType1DLayered, (float x, int layer, float level),
             CucpuSample<R, 1>(object, x, 0, 0, layer, level))
CUCPU_FETCH_(tex2DLayeredLod, cudaTextureType2DLayered, (float x, float y, int layer, float level),
             CucpuSample<R, 2>(object, x, y, 0, layer, level))
CUCPU_FETCH_(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z),
             CucpuCube<R>(object, x, y, z, 0))
CUCPU_FETCH_(texCubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level),
             CucpuCube<R>(object, x, y, z, 0, level))
CUCPU_FETCH_(texCubemapLayered, cudaTextureTypeCubemapLayered,
             (float x, float y, float z, int layer), CucpuCube<R>(object, x, y, z, layer))
CUCPU_FETCH_(tex2Dgather, 2, (float x, float y, int comp = 0), CucpuGather<R>(object, x, y, comp))
#undef CUCPU_FETCH_
#undef CUCPU_REF_

/* ---- surfaces: x is in bytes; outside: trap, clamp or zero ---- */
struct CucpuSurfaceAt {
    char *p;
    bool inside;
};
CUCPU_TX_ CucpuSurfaceAt CucpuLocate(unsigned long long object, int bytes, int x, int y, int z,
                                     int layer, int mode) {
    const CucpuSurface *s = (const CucpuSurface *)object;
    const CucpuImage &im = s->image;
    int row = (int)(im.width * (s->channels * (s->bits / 8)));
    bool inside = x >= 0 & x + bytes <= row & (unsigned)y < im.height & (unsigned)z < im.depth &
                  (unsigned)layer < im.layers;
    if (!inside && mode == cudaBoundaryModeTrap) __builtin_trap();
    if (mode == cudaBoundaryModeClamp) {
        x = x < 0 ? 0 : x + bytes > row ? row - bytes : x;
        y = y < 0 ? 0 : y >= (int)im.height ? (int)im.height - 1 : y;
        z = z < 0 ? 0 : z >= (int)im.depth ? (int)im.depth - 1 : z;
        layer = layer < 0 ? 0 : layer >= (int)im.layers ? (int)im.layers - 1 : layer;
        inside = true;
    }
    long offset = (long)layer * (long)im.layer_bytes + z * (long)im.slice + y * (long)im.pitch + x;
    return CucpuSurfaceAt{(char *)im.data + (inside ? offset : 0), inside};
}
#define CUCPU_SURF_(suffix, d, params, ...)                                                        \
    template <class T>                                                                             \
    CUCPU_D T surf##suffix##read(cudaSurfaceObject_t object, CUCPU_ARGS_ params,                   \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {            \
        CucpuSurfaceAt at = CucpuLocate(object, sizeof(T), __VA_ARGS__, mode);                     \
        return at.inside ? *(const T *)at.p : T{};                                                 \
    }                                                                                              \
    template <class T>                                                                             \
    CUCPU_D void surf##suffix##read(T *out, cudaSurfaceObject_t object, CUCPU_ARGS_ params,        \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {         \
        CucpuSurfaceAt at = CucpuLocate(object, sizeof(T), __VA_ARGS__, mode);                     \
        *out = at.inside ? *(const T *)at.p : T{};                                                 \
    }                                                                                              \
    template <class T>                                                                             \
    CUCPU_D void surf##suffix##write(T value, cudaSurfaceObject_t object, CUCPU_ARGS_ params,      \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {        \
        CucpuSurfaceAt at = CucpuLocate(object, sizeof(T), __VA_ARGS__, mode);                     \
        if (at.inside) *(T *)at.p = value;                                                         \
    }                                                                                              \
    template <class T>                                                                             \
    CUCPU_D T surf##suffix##read(const surface<void, d> &ref, CUCPU_ARGS_ params,                  \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {            \
        CucpuSurfaceAt at = CucpuLocate(*(const unsigned long long *)&ref, sizeof(T), __VA_ARGS__, \
                                        mode);                                                     \
        return at.inside ? *(const T *)at.p : T{};                                                 \
    }                                                                                              \
    template <class T>                                                                             \
    CUCPU_D void surf##suffix##write(T value, const surface<void, d> &ref, CUCPU_ARGS_ params,     \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {        \
        CucpuSurfaceAt at = CucpuLocate(*(const unsigned long long *)&ref, sizeof(T), __VA_ARGS__, \
                                        mode);                                                     \
        if (at.inside) *(T *)at.p = value;                                                         \
    }
CUCPU_SURF_(1D, cudaSurfaceType1D, (int x), x, 0, 0, 0)
CUCPU_SURF_(2D, cudaSurfaceType2D, (int x, int y), x, y, 0, 0)
CUCPU_SURF_(3D, cudaSurfaceType3D, (int x, int y, int z), x, y, z, 0)
CUCPU_SURF_(1DLayered, cudaSurfaceType1DLayered, (int x, int layer), x, 0, 0, layer)
CUCPU_SURF_(2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), x, y, 0, layer)
CUCPU_SURF_(Cubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), x, y, 0, face)
CUCPU_SURF_(CubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int face), x, y, 0, face)
#undef CUCPU_SURF_
#undef CUCPU_ARGS_
#undef CUCPU_TX_
#endif
