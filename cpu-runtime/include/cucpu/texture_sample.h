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

/* ---- one texel ---- */
template <class B_> CUCPU_TX_ B_ CucpuChannel(const CucpuTexture *, const char *p_, int i_) {
    return ((const B_ *)p_)[i_];
}
/* Channels that the texture lacks are read at the place of the first, and are 0. */
CUCPU_TX_ bool CucpuHas(const CucpuTexture *t_, int i_) { return (unsigned)i_ < t_->channels; }
template <int N_, class B_> CUCPU_TX_ void CucpuChannels(const CucpuTexture *t_, const char *p_, B_ *out) {
#pragma unroll
    for (int i_ = 0; i_ < N_; i_++) {
        B_ v_ = CucpuChannel<B_>(t_, p_, CucpuHas(t_, i_) ? i_ : 0);
        out[i_] = CucpuHas(t_, i_) ? v_ : B_(0);
    }
}
template <int N_, class B_> CUCPU_TX_ void CucpuFloats(const CucpuTexture *t_, const char *p_, float *out) {
#pragma unroll
    for (int i_ = 0; i_ < N_; i_++) out[i_] = (float)((const B_ *)p_)[CucpuHas(t_, i_) ? i_ : 0];
}
template <int N_, class U_, class S_> CUCPU_TX_ void CucpuFractions(const CucpuTexture *t_, const char *p_, float *out) {
    bool natural = t_->kind == cudaChannelFormatKindUnsigned;
    float top = natural ? (float)(U_)~0 : (float)((U_)~0 >> 1);
#pragma unroll
    for (int i_ = 0; i_ < N_; i_++) {
        U_ u_ = ((const U_ *)p_)[CucpuHas(t_, i_) ? i_ : 0];
        out[i_] = __builtin_fmaxf((float)(natural ? (int)u_ : (int)(S_)u_) / top, -1.0f);
    }
}
CUCPU_TX_ float CucpuLinear(float v_) {
    float line = v_ / 12.92f, power = __builtin_powf((v_ + 0.055f) / 1.055f, 2.4f);
    return v_ <= 0.04045f ? line : power;
}
template <int N_> CUCPU_TX_ void CucpuChannels(const CucpuTexture *t_, const char *p_, float *out) {
    if (t_->bits == 32) CucpuFloats<N_, float>(t_, p_, out);
    else if (t_->bits == 8) CucpuFractions<N_, unsigned char, signed char>(t_, p_, out);
    else if (t_->kind == cudaChannelFormatKindFloat) CucpuFloats<N_, _Float16>(t_, p_, out);
    else CucpuFractions<N_, unsigned short, short>(t_, p_, out);
    if (t_->srgb && t_->bits == 8 && t_->kind == cudaChannelFormatKindUnsigned)
#pragma unroll
        for (int i_ = 0; i_ < N_ && i_ < 3; i_++) out[i_] = CucpuLinear(out[i_]);
#pragma unroll
    for (int i_ = 0; i_ < N_; i_++) {
        float v_ = out[i_];
        out[i_] = CucpuHas(t_, i_) ? v_ : 0;
    }
}
/* All N channels of texel (x,y,z) of a layer, which is in range. */
template <class T_>
CUCPU_TX_ void CucpuTexelAt(const CucpuTexture *t_, const CucpuImage &im, int x, int y, int z,
                            int layer, typename CucpuTexel<T_>::Base *out) {
    long offset = (long)layer * (long)im.layer_bytes + z * (long)im.slice + y * (long)im.pitch +
                  x * (long)(t_->channels * (t_->bits / 8));
    CucpuChannels<CucpuTexel<T_>::N_>(t_, (const char *)im.data + offset, out);
}

/* ---- coordinates ---- */
CUCPU_TX_ bool CucpuHasBorder(const CucpuTexture *t_, int dims) {
    bool border = false;
#pragma unroll
    for (int i_ = 0; i_ < dims; i_++) border |= t_->address[i_] == cudaAddressModeBorder;
    return border;
}
/* Wrap and mirror, the even modes, are for normalized coordinates only. */
CUCPU_TX_ bool CucpuIsPeriodic(const CucpuTexture *t_, int dims) {
    bool periodic = false;
#pragma unroll
    for (int i_ = 0; i_ < dims; i_++) periodic |= !(t_->address[i_] & 1);
    return periodic & (bool)t_->normalized;
}
/* A normalized coordinate in texels, without whole periods. */
CUCPU_TX_ float CucpuScale(const CucpuTexture *t_, int dim, float x, int n_) {
    bool wrap = t_->address[dim] == cudaAddressModeWrap;
    float inside = x - (wrap ? 1.0f : 2.0f) * __builtin_floorf(x * (wrap ? 1.0f : 0.5f));
    return (t_->address[dim] & 1 ? x : inside) * (float)n_;
}
/* Index i, at most one step outside of its period, as one of 0..n-1 (or, of a NaN, anything). */
CUCPU_TX_ int CucpuAround(const CucpuTexture *t_, int dim, int i_, int n_) {
    int round_ = t_->address[dim] == cudaAddressModeWrap ? n_ : 0, turn = 2 * n_ - 1;
    bool mirror = t_->address[dim] == cudaAddressModeMirror;
    i_ += i_ < 0 ? round_ : 0;
    i_ -= i_ >= n_ ? round_ : 0;
    return (mirror & (i_ >= n_)) ? turn - i_ : i_;
}
CUCPU_TX_ int CucpuClamp(int i_, int n_) {
    i_ = i_ < n_ - 1 ? i_ : n_ - 1;
    return i_ > 0 ? i_ : 0;
}
CUCPU_TX_ bool CucpuIsOutside(const CucpuTexture *t_, int dim, int i_, int n_) {
    return (t_->address[dim] == cudaAddressModeBorder) & ((unsigned)i_ >= (unsigned)n_);
}
/* A float coordinate as an index; far outside and NaN saturate, so that int never overflows. */
CUCPU_TX_ int CucpuFloor(float x) {
    float f_ = __builtin_floorf(x);
    return (int)__builtin_fminf(__builtin_fmaxf(f_, -1.0e9f), 1.0e9f);
}
CUCPU_TX_ float CucpuWeight(float frac) { return __builtin_rintf(frac * 256.0f) * (1.0f / 256.0f); }

/* The texel that the modes find at (x,y,z), or the border.  What depends on the mode is for all lanes alike. */
template <class T_, int dims>
CUCPU_TX_ void CucpuTexelNear(const CucpuTexture *t_, const CucpuImage &im, int x, int y, int z, int layer,
                              typename CucpuTexel<T_>::Base *out) {
    typedef typename CucpuTexel<T_>::Base B_;
    int w = (int)im.width, h_ = (int)im.height, d_ = (int)im.depth;
    if (CucpuIsPeriodic(t_, dims)) {
        x = CucpuAround(t_, 0, x, w);
        if (dims > 1) y = CucpuAround(t_, 1, y, h_);
        if (dims > 2) z = CucpuAround(t_, 2, z, d_);
    }
    CucpuTexelAt<T_>(t_, im, CucpuClamp(x, w), dims > 1 ? CucpuClamp(y, h_) : 0, dims > 2 ? CucpuClamp(z, d_) : 0, layer, out);
    if (!CucpuHasBorder(t_, dims)) return;
    bool outside = CucpuIsOutside(t_, 0, x, w);
    if (dims > 1) outside |= CucpuIsOutside(t_, 1, y, h_);
    if (dims > 2) outside |= CucpuIsOutside(t_, 2, z, d_);
#pragma unroll
    for (int n_ = 0; n_ < CucpuTexel<T_>::N_; n_++) {
        B_ border = (B_)t_->border[n_], v_ = out[n_];
        out[n_] = outside ? border : v_;
    }
}

template <class T_, int dims, bool point_only>
CUCPU_TX_ void CucpuSampleImage(const CucpuTexture *t_, const CucpuImage &im, float x, float y,
                                float z, int layer, typename CucpuTexel<T_>::Base *out) {
    typedef typename CucpuTexel<T_>::Base B_;
    if (t_->normalized) {
        x = CucpuScale(t_, 0, x, (int)im.width);
        if (dims > 1) y = CucpuScale(t_, 1, y, (int)im.height);
        if (dims > 2) z = CucpuScale(t_, 2, z, (int)im.depth);
    }
    bool point = point_only || t_->filter == cudaFilterModePoint;
    float shift = point ? 0 : 0.5f, fx = x - shift, fy = y - shift, fz = z - shift;
    int i_ = CucpuFloor(fx), j_ = dims > 1 ? CucpuFloor(fy) : 0, k_ = dims > 2 ? CucpuFloor(fz) : 0;
    float a_ = 0, b_ = 0, c_ = 0, sum[4] = {0, 0, 0, 0};
    if (!point) {
        a_ = CucpuWeight(fx - (float)i_);
        if (dims > 1) b_ = CucpuWeight(fy - (float)j_);
        if (dims > 2) c_ = CucpuWeight(fz - (float)k_);
    }
    int corners = point ? 1 : 1 << dims;
    B_ v_[4];
    /* One copy of the texel's code: it has a case for each format. */
#pragma nounroll
    for (int corner = 0; corner < corners; corner++) {
        int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2 & 1;
        CucpuTexelNear<T_, dims>(t_, im, i_ + dx, j_ + dy, k_ + dz, layer, v_);
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

CUCPU_TX_ int CucpuLayer(const CucpuTexture *t_, int layer) {
    int last = (int)t_->image.layers - 1;
    return layer < 0 ? 0 : layer > last ? last : layer;
}
/* The level of detail within what the texture has. */
CUCPU_TX_ float CucpuClampLod(const CucpuTexture *t_, float lod) {
    lod = __builtin_fminf(__builtin_fmaxf(lod + t_->level_bias, t_->level_min), t_->level_max);
    return __builtin_fminf(__builtin_fmaxf(lod, 0), (float)(t_->nlevels - 1));
}
/* Of a texture of several levels. */
template <class T_, int dims>
CUCPU_TX_ T_ CucpuSampleLevels(const CucpuTexture *t_, float x, float y, float z, int layer, float lod) {
    typedef typename CucpuTexel<T_>::Base B_;
    constexpr bool point = !CucpuIsFloat<B_>::value;
    bool both = !point && t_->mip_filter != cudaFilterModePoint;
    lod = CucpuClampLod(t_, lod);
    int level = (int)(both ? lod : lod + 0.5f);
    float f_ = CucpuWeight(lod - (float)level);
    const CucpuImage *nearer = t_->levels + level, *im = both && level + 1 < (int)t_->nlevels ? nearer + 1 : nearer;
    B_ u_[4], v_[4] = {B_(0), B_(0), B_(0), B_(0)};
    /* One copy of the image's code for both. */
#pragma nounroll
    for (int k_ = 0; k_ <= (int)both; k_++) {
        CucpuSampleImage<T_, dims, point>(t_, *im, x, y, z, layer, u_);
        float share = k_ ? 1 - f_ : f_;
#pragma unroll
        for (int n_ = 0; n_ < CucpuTexel<T_>::N_; n_++)
            v_[n_] = both ? (B_)((float)v_[n_] + share * (float)u_[n_]) : u_[n_];
        im = nearer;
    }
    return CucpuTexel<T_>::make(v_);
}
template <class T_, int dims>
CUCPU_TX_ T_ CucpuSampleStill(const CucpuTexture *t_, float x, float y, float z, int layer) {
    typename CucpuTexel<T_>::Base v_[4];
    CucpuSampleImage<T_, dims, !CucpuIsFloat<typename CucpuTexel<T_>::Base>::value>(t_, t_->image, x, y, z, layer, v_);
    return CucpuTexel<T_>::make(v_);
}
/* Each thread has a level of its own; where the texture has one only, the image is the same for all. */
template <class T_, int dims>
CUCPU_TX_ T_ CucpuSample(unsigned long long object, float x, float y, float z, int layer, float lod) {
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    layer = CucpuLayer(t_, layer);
    return t_->nlevels > 1 ? CucpuSampleLevels<T_, dims>(t_, x, y, z, layer, lod) : CucpuSampleStill<T_, dims>(t_, x, y, z, layer);
}
/* minsize: stays a call.  pure: other fetches read what they did before it. */
template <class T_, int dims>
static __device__ __attribute__((nodebug, noinline, minsize, pure)) T_ CucpuSampleBetween(const CucpuTexture *t_, float x, float y, float z, int layer) {
    return CucpuSampleLevels<T_, dims>(t_, x, y, z, layer, 0);
}
/* Without a level in the fetch all threads have the same; hardly a texture has it between two. */
template <class T_, int dims> CUCPU_TX_ T_ CucpuSample(unsigned long long object, float x, float y, float z, int layer) {
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    layer = CucpuLayer(t_, layer);
    if (CucpuIsFloat<typename CucpuTexel<T_>::Base>::value && t_->between) return CucpuSampleBetween<T_, dims>(t_, x, y, z, layer);
    return CucpuSampleStill<T_, dims>(t_, x, y, z, layer);
}
template <class T_> CUCPU_TX_ T_ CucpuFetch1D(unsigned long long object, int x) {
    typedef typename CucpuTexel<T_>::Base B_;
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    B_ v_[4];
    bool inside = (unsigned)x < t_->image.width;
    CucpuTexelAt<T_>(t_, t_->image, inside ? x : 0, 0, 0, 0, v_);
#pragma unroll
    for (int i_ = 0; i_ < CucpuTexel<T_>::N_; i_++) {
        B_ u_ = v_[i_];
        v_[i_] = inside ? u_ : B_(0);
    }
    return CucpuTexel<T_>::make(v_);
}
CUCPU_TX_ const CucpuImage &CucpuLargest(const CucpuTexture *t_) { return t_->nlevels > 1 ? t_->levels[0] : t_->image; }
/* Level of detail from derivatives: log2 of the longer footprint in texels. */
CUCPU_TX_ float CucpuLod(unsigned long long object, float3 dx, float3 dy, int dims) {
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    const CucpuImage &im = CucpuLargest(t_);
    bool norm = t_->normalized;
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
template <class T_, class... Lod_>
CUCPU_TX_ T_ CucpuCube(unsigned long long object, float x, float y, float z, int layer, Lod_... lod) {
    int face = CucpuCubeFace(x, y, z);
    float3 at = CucpuOnFace(face, x, y, z);
    return CucpuSample<T_, 2>(object, (at.x / at.z + 1) * 0.5f, (at.y / at.z + 1) * 0.5f, 0, layer * 6 + face, lod...);
}
template <class T_> CUCPU_TX_ T_ CucpuGather(unsigned long long object, float x, float y, int comp) {
    typedef typename CucpuTexel<T_>::Base B_;
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    const CucpuImage &im = CucpuLargest(t_);
    if (t_->normalized) x = CucpuScale(t_, 0, x, (int)im.width), y = CucpuScale(t_, 1, y, (int)im.height);
    int i_ = CucpuFloor(x - 0.5f), j_ = CucpuFloor(y - 0.5f);
    B_ out[4], v_[4];
    const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
#pragma unroll
    for (int n_ = 0; n_ < 4; n_++) {
        CucpuTexelNear<T_, 2>(t_, im, i_ + dx[n_], j_ + dy[n_], 0, 0, v_);
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
