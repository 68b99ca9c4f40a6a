/* texture_sample.h: how a texture is sampled and a surface's element found, on cucpu/image.h.
**
** Addressing, filtering (weights in 1.8 fixed point) and read modes follow the CUDA guide's
** "Texture Fetching".  A fetch branches on properties of the texture only, never on data of the
** thread; the coordinates' index arithmetic is branch-free.  Only the device half reads this file:
** the host half needs the declarations of texture.h alone. */
#ifndef CUCPU_TEXTURE_SAMPLE_H
#define CUCPU_TEXTURE_SAMPLE_H
#include "../texture_types.h"
#include "../vector_functions.h"
#include "defs.h"
#include "image.h"

template <class T_> struct CucpuTexel; /* Base, N, get(v, i), make(a[4]) */
#define CUCPU_TEXEL_(T, B, n, ...)                                                                 \
    template <> struct CucpuTexel<T> {                                                             \
        typedef B Base;                                                                            \
        enum { N_ = n };                                                                           \
        CUCPU_D T make(const B *a_) { return __VA_ARGS__; }                                        \
    };
#define CUCPU_TEXELS_(S, name, B)                                                                  \
    CUCPU_TEXEL_(S, B, 1, (S)a_[0])                                                         \
    CUCPU_TEXEL_(name##1, B, 1, name##1{a_[0]})                                            \
    CUCPU_TEXEL_(name##2, B, 2, name##2{a_[0], a_[1]})                                     \
    CUCPU_TEXEL_(name##3, B, 3, name##3{a_[0], a_[1], a_[2]})                              \
    CUCPU_TEXEL_(name##4, B, 4, name##4{a_[0], a_[1], a_[2], a_[3]})
CUCPU_TEXEL_(char, signed char, 1, char(a_[0]))
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
template <class B_> CUCPU_TX_ B_ CucpuChannel(const CucpuTexture *, const char *p_, int i_) {
    return ((const B_ *)p_)[i_];
}
template <> __device__ inline float CucpuChannel<float>(const CucpuTexture *t_, const char *p_, int i_) {
    if (t_->bits == 32) return ((const float *)p_)[i_];
    if (t_->bits == 16) {
        if (t_->kind == cudaChannelFormatKindFloat) return (float)((const _Float16 *)p_)[i_];
        if (t_->kind == cudaChannelFormatKindUnsigned)
            return ((const unsigned short *)p_)[i_] / 65535.0f;
        return __builtin_fmaxf(((const short *)p_)[i_] / 32767.0f, -1.0f);
    }
    if (t_->kind != cudaChannelFormatKindUnsigned)
        return __builtin_fmaxf(((const signed char *)p_)[i_] / 127.0f, -1.0f);
    float v_ = ((const unsigned char *)p_)[i_] / 255.0f;
    if (t_->srgb && i_ < 3)
        v_ = v_ <= 0.04045f ? v_ / 12.92f : __builtin_powf((v_ + 0.055f) / 1.055f, 2.4f);
    return v_;
}
/* All N channels of texel (x,y,z) of a layer; in range or the border. */
template <class T_>
CUCPU_TX_ void CucpuTexelAt(const CucpuTexture *t_, const CucpuImage &im, int x, int y, int z,
                            int layer, typename CucpuTexel<T_>::Base *out) {
    typedef typename CucpuTexel<T_>::Base B_;
    bool inside = (unsigned)x < im.width & (unsigned)y < im.height & (unsigned)z < im.depth;
    long offset = (long)layer * (long)im.layer_bytes + z * (long)im.slice + y * (long)im.pitch +
                  x * (long)(t_->channels * (t_->bits / 8));
    const char *p_ = (const char *)im.data + (inside ? offset : 0);
#pragma unroll
    for (int i_ = 0; i_ < CucpuTexel<T_>::N_; i_++)
        out[i_] = !inside ? (B_)t_->border[i_] : (unsigned)i_ < t_->channels ? CucpuChannel<B_>(t_, p_, i_) : B_(0);
}

/* ---- coordinates ---- */
/* Brings index i into 0..n-1 or, for the border mode, leaves it outside. */
CUCPU_TX_ int CucpuWrapIndex(unsigned mode, bool normalized, int i_, int n_) {
    if (normalized && mode == cudaAddressModeWrap) {
        int r_ = i_ % n_;
        return r_ < 0 ? r_ + n_ : r_;
    }
    if (normalized && mode == cudaAddressModeMirror) {
        int r_ = i_ % (2 * n_);
        r_ = r_ < 0 ? r_ + 2 * n_ : r_;
        return r_ < n_ ? r_ : 2 * n_ - 1 - r_;
    }
    if (mode == cudaAddressModeBorder) return i_;
    return i_ < 0 ? 0 : i_ >= n_ ? n_ - 1 : i_;
}
/* A float coordinate as an index; far outside and NaN saturate, so that int never overflows. */
CUCPU_TX_ int CucpuFloor(float x) {
    float f_ = __builtin_floorf(x);
    return (int)__builtin_fminf(__builtin_fmaxf(f_, -1.0e9f), 1.0e9f);
}
CUCPU_TX_ float CucpuScale(const CucpuTexture *t_, int dim, float x, int n_) {
    if (!t_->normalized) return x;
    if (t_->address[dim] == cudaAddressModeWrap) x -= __builtin_floorf(x);
    if (t_->address[dim] == cudaAddressModeMirror) x -= 2 * __builtin_floorf(x * 0.5f);
    return x * (float)n_;
}
CUCPU_TX_ float CucpuWeight(float frac) { return __builtin_rintf(frac * 256.0f) * (1.0f / 256.0f); }

template <class T_, int dims, bool point_only>
CUCPU_TX_ void CucpuSampleImage(const CucpuTexture *t_, const CucpuImage &im, float x, float y,
                                float z, int layer, typename CucpuTexel<T_>::Base *out) {
    typedef typename CucpuTexel<T_>::Base B_;
    int w = (int)im.width, h_ = (int)im.height, d_ = (int)im.depth;
    bool norm = t_->normalized;
    x = CucpuScale(t_, 0, x, w);
    if (dims > 1) y = CucpuScale(t_, 1, y, h_);
    if (dims > 2) z = CucpuScale(t_, 2, z, d_);
    bool point = point_only || t_->filter == cudaFilterModePoint;
    float fx = point ? x : x - 0.5f, fy = point ? y : y - 0.5f, fz = point ? z : z - 0.5f;
    int i_ = CucpuFloor(fx), j_ = dims > 1 ? CucpuFloor(fy) : 0, k_ = dims > 2 ? CucpuFloor(fz) : 0;
    float a_ = CucpuWeight(fx - (float)i_), b_ = dims > 1 ? CucpuWeight(fy - (float)j_) : 0;
    float c_ = dims > 2 ? CucpuWeight(fz - (float)k_) : 0, sum[4] = {0, 0, 0, 0};
    int corners = point ? 1 : 1 << dims;
    B_ v_[4];
    /* One copy of the texel's code: it has a case for each format. */
#pragma nounroll
    for (int corner = 0; corner < corners; corner++) {
        int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2 & 1;
        CucpuTexelAt<T_>(t_, im, CucpuWrapIndex(t_->address[0], norm, i_ + dx, w),
                        dims > 1 ? CucpuWrapIndex(t_->address[1], norm, j_ + dy, h_) : 0,
                        dims > 2 ? CucpuWrapIndex(t_->address[2], norm, k_ + dz, d_) : 0, layer, v_);
        float weight = (dx ? a_ : 1 - a_) * (dims < 2 ? 1 : dy ? b_ : 1 - b_) *
                       (dims < 3 ? 1 : dz ? c_ : 1 - c_);
#pragma unroll
        for (int n_ = 0; n_ < CucpuTexel<T_>::N_; n_++) sum[n_] += weight * (float)v_[n_];
    }
#pragma unroll
    for (int n_ = 0; n_ < CucpuTexel<T_>::N_; n_++) out[n_] = point ? v_[n_] : (B_)sum[n_];
}
template <class T_> struct CucpuIsFloat { enum { value = false }; };
template <> struct CucpuIsFloat<float> { enum { value = true }; };

template <class T_, int dims>
CUCPU_TX_ T_ CucpuSample(unsigned long long object, float x, float y, float z, int layer,
                        float lod = 0) {
    typedef typename CucpuTexel<T_>::Base B_;
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    constexpr bool point = !CucpuIsFloat<B_>::value;
    B_ v_[4];
    layer = layer < 0 ? 0 : layer >= (int)t_->image.layers ? (int)t_->image.layers - 1 : layer;
    if (t_->nlevels <= 1) {
        CucpuSampleImage<T_, dims, point>(t_, t_->image, x, y, z, layer, v_);
        return CucpuTexel<T_>::make(v_);
    }
    lod = __builtin_fminf(__builtin_fmaxf(lod + t_->level_bias, t_->level_min), t_->level_max);
    lod = __builtin_fminf(__builtin_fmaxf(lod, 0), (float)(t_->nlevels - 1));
    if (point || t_->mip_filter == cudaFilterModePoint) {
        CucpuSampleImage<T_, dims, point>(t_, t_->levels[(int)(lod + 0.5f)], x, y, z, layer, v_);
        return CucpuTexel<T_>::make(v_);
    }
    int level = (int)lod;
    float f_ = CucpuWeight(lod - (float)level);
    B_ u_[4];
    CucpuSampleImage<T_, dims, point>(t_, t_->levels[level], x, y, z, layer, v_);
    level = level + 1 < (int)t_->nlevels ? level + 1 : level;
    CucpuSampleImage<T_, dims, point>(t_, t_->levels[level], x, y, z, layer, u_);
#pragma unroll
    for (int n_ = 0; n_ < CucpuTexel<T_>::N_; n_++) v_[n_] = (B_)((1 - f_) * (float)v_[n_] + f_ * (float)u_[n_]);
    return CucpuTexel<T_>::make(v_);
}
template <class T_> CUCPU_TX_ T_ CucpuFetch1D(unsigned long long object, int x) {
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    typename CucpuTexel<T_>::Base v_[4];
    CucpuTexelAt<T_>(t_, t_->image, x, 0, 0, 0, v_);
    if ((unsigned)x >= t_->image.width)
#pragma unroll
        for (int i_ = 0; i_ < 4; i_++) v_[i_] = 0;
    return CucpuTexel<T_>::make(v_);
}
/* Level of detail from derivatives: log2 of the longer footprint in texels. */
CUCPU_TX_ float CucpuLod(unsigned long long object, float3 dx, float3 dy, int dims) {
    const CucpuImage &im = ((const CucpuTexture *)object)->image;
    bool norm = ((const CucpuTexture *)object)->normalized;
    float w = norm ? (float)im.width : 1, h_ = norm ? (float)im.height : 1, d_ = norm ? (float)im.depth : 1;
    float a_ = dx.x * w * dx.x * w, b_ = dy.x * w * dy.x * w;
    if (dims > 1) a_ += dx.y * h_ * dx.y * h_, b_ += dy.y * h_ * dy.y * h_;
    if (dims > 2) a_ += dx.z * d_ * dx.z * d_, b_ += dy.z * d_ * dy.z * d_;
    return 0.5f * __builtin_log2f(__builtin_fmaxf(a_, b_));
}
/* A direction, or its derivative, as a face of the cube sees it: across, down, towards the face. */
CUCPU_TX_ float3 CucpuOnFace(int face, float x, float y, float z) {
    if (face < 2) return face ? float3{z, -y, -x} : float3{-z, -y, x};
    if (face < 4) return face == 3 ? float3{x, -z, -y} : float3{x, z, y};
    return face == 5 ? float3{-x, -y, -z} : float3{x, -y, z};
}
CUCPU_TX_ int CucpuCubeFace(float x, float y, float z) {
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
    if (ax >= ay && ax >= az) return x < 0;
    return ay >= az ? (y < 0 ? 3 : 2) : (z < 0 ? 5 : 4);
}
/* The derivatives of the coordinates on the face, from those of the direction. */
CUCPU_TX_ float CucpuCubeLod(unsigned long long object, float x, float y, float z, float4 dx, float4 dy) {
    int face = CucpuCubeFace(x, y, z);
    float3 at = CucpuOnFace(face, x, y, z), a_ = CucpuOnFace(face, dx.x, dx.y, dx.z), b_ = CucpuOnFace(face, dy.x, dy.y, dy.z);
    float r_ = 0.5f / (at.z * at.z);
    return CucpuLod(object, float3{(a_.x * at.z - at.x * a_.z) * r_, (a_.y * at.z - at.y * a_.z) * r_, 0},
                    float3{(b_.x * at.z - at.x * b_.z) * r_, (b_.y * at.z - at.y * b_.z) * r_, 0}, 2);
}
template <class T_>
CUCPU_TX_ T_ CucpuCube(unsigned long long object, float x, float y, float z, int layer,
                      float lod = 0) {
    int face = CucpuCubeFace(x, y, z);
    float3 at = CucpuOnFace(face, x, y, z);
    return CucpuSample<T_, 2>(object, (at.x / at.z + 1) * 0.5f, (at.y / at.z + 1) * 0.5f, 0, layer * 6 + face, lod);
}
template <class T_> CUCPU_TX_ T_ CucpuGather(unsigned long long object, float x, float y, int comp) {
    typedef typename CucpuTexel<T_>::Base B_;
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    const CucpuImage &im = t_->image;
    int w = (int)im.width, h_ = (int)im.height;
    int i_ = CucpuFloor(CucpuScale(t_, 0, x, w) - 0.5f), j_ = CucpuFloor(CucpuScale(t_, 1, y, h_) - 0.5f);
    B_ out[4], v_[4];
    const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
#pragma unroll
    for (int n_ = 0; n_ < 4; n_++) {
        CucpuTexelAt<T_>(t_, im, CucpuWrapIndex(t_->address[0], t_->normalized, i_ + dx[n_], w),
                        CucpuWrapIndex(t_->address[1], t_->normalized, j_ + dy[n_], h_), 0, 0, v_);
        out[n_] = comp == 0 ? v_[0] : comp == 1 ? v_[1] : comp == 2 ? v_[2] : v_[3];
    }
    return CucpuTexel<T_>::make(out);
}

/* ---- surfaces: x is in bytes; outside: trap, clamp or zero ---- */
struct CucpuSurfaceAt {
    char *p_;
    bool inside;
};
CUCPU_TX_ CucpuSurfaceAt CucpuLocate(unsigned long long object, int bytes, int x, int y, int z,
                                     int layer, int mode) {
    const CucpuSurface *s_ = (const CucpuSurface *)object;
    const CucpuImage &im = s_->image;
    int row = (int)(im.width * (s_->channels * (s_->bits / 8)));
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
template <class T_>
CUCPU_TX_ T_ CucpuSurfaceRead(unsigned long long object, int x, int y, int z, int layer, int mode) {
    CucpuSurfaceAt at = CucpuLocate(object, sizeof(T_), x, y, z, layer, mode);
    return at.inside ? *(const T_ *)at.p_ : T_{};
}
template <class T_>
CUCPU_TX_ void CucpuSurfaceWrite(T_ value, unsigned long long object, int x, int y, int z, int layer,
                                 int mode) {
    CucpuSurfaceAt at = CucpuLocate(object, sizeof(T_), x, y, z, layer, mode);
    if (at.inside) *(T_ *)at.p_ = value;
}

/* The handle that a texture or surface reference is in device code. */
template <class R_> CUCPU_TX_ unsigned long long CucpuHandle(const R_ &ref) {
    return *(const unsigned long long *)&ref;
}
#undef CUCPU_TX_
#endif
