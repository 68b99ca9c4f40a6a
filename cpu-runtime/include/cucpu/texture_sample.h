/* texture_sample.h: how a texture is sampled and a surface's element found, on cucpu/image.h.
**
** Addressing, filtering (weights in 1.8 fixed point) and read modes follow the CUDA guide's
** "Texture Fetching", and in what it leaves open what an H200 answers, bit by bit (docs/headers.md).
** A fetch branches on properties of the texture only, never on data of the
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
/* Numbers of a normalized format stay whole here: CucpuFinish divides. */
template <int N_, class U_, class S_> CUCPU_TX_ void CucpuWholes(const CucpuTexture *t_, const char *p_, float *out) {
    bool natural = t_->kind == cudaChannelFormatKindUnsigned;
#pragma unroll
    for (int i_ = 0; i_ < N_; i_++) {
        U_ u_ = ((const U_ *)p_)[CucpuHas(t_, i_) ? i_ : 0];
        out[i_] = (float)(natural ? (int)u_ : (int)(S_)u_);
    }
}
template <int N_> CUCPU_TX_ void CucpuChannels(const CucpuTexture *t_, const char *p_, float *out) {
    if (t_->bits == 32) CucpuFloats<N_, float>(t_, p_, out);
    else if (t_->bits == 8) {
        CucpuWholes<N_, unsigned char, signed char>(t_, p_, out);
        if (t_->srgb)
#pragma unroll
            for (int i_ = 0; i_ < N_ && i_ < 3; i_++) out[i_] = t_->srgb[(int)out[i_] & 255];
    } else if (t_->kind == cudaChannelFormatKindFloat) CucpuFloats<N_, _Float16>(t_, p_, out);
    else CucpuWholes<N_, unsigned short, short>(t_, p_, out);
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
    /* Products of 32 bits by 32 are far cheaper than those of 64; a row is shorter than 4 GiB. */
    long offset = (long)layer * (long)im.layer_bytes + z * (long)im.slice + (long)((unsigned long)(unsigned)y * (unsigned)im.pitch) +
                  (long)((unsigned long)(unsigned)x * (t_->channels * (t_->bits / 8)));
    CucpuChannels<CucpuTexel<T_>::N_>(t_, (const char *)im.data + offset, out);
}
template <class B_> struct CucpuIsFloat { enum { value = false }; };
template <> struct CucpuIsFloat<float> { enum { value = true }; };

CUCPU_TX_ unsigned CucpuBits(float v_) { return __builtin_bit_cast(unsigned, v_); }
CUCPU_TX_ float CucpuOfBits(unsigned u_) { return __builtin_bit_cast(float, u_); }
/* What a filter makes of 16-bit floats, and of sRGB: rounded to such, halves away from zero. */
CUCPU_TX_ float CucpuToHalf(float v_) {
    float size = __builtin_fabsf(v_), tiny = __builtin_floorf(size * 0x1p24f + 0.5f) * 0x1p-24f;
    float r_ = size < 0x1p-14f ? tiny : CucpuOfBits((CucpuBits(size) + 0x1000) & ~0x1fffu);
    return v_ == v_ ? __builtin_copysignf(r_, v_) : CucpuOfBits(0x7fffffff);
}
/* The sum of both parts, which is rounded once.  An infinity has no lower part, and no part must make -0 a 0. */
CUCPU_TX_ float CucpuBoth(float high, float low) {
    float v_ = high + low;
    return ((v_ == v_) & (low != 0)) ? v_ : high;
}
CUCPU_TX_ float CucpuToFloat(float v_) {
    v_ = __builtin_fabsf(v_) < 0x1p-126f ? __builtin_copysignf(0, v_) : v_;
    return v_ == v_ ? v_ : CucpuOfBits(0x7fffffff);
}
/* Filters make numbers of 16 bits also of those of 8. */
CUCPU_TX_ float CucpuToFraction(const CucpuTexture *t_, bool blended, float v_) {
    bool natural = t_->kind == cudaChannelFormatKindUnsigned, bytes = t_->bits == 8;
    float scale = !bytes ? 1 : natural ? 257 : 32767 / 127.0f, sum = __builtin_floorf(v_ * scale + 0.5f);
    bool exact = bytes & !blended;
    float top = natural ? (exact ? 255 : 65535) : (exact ? 127 : 32767);
    return __builtin_fmaxf((blended ? sum : v_) / top, -1.0f);
}
/* What the fetch gives of its texel, or of the weighted sum of several; the first `decoded` channels come from sRGB. */
template <int N_>
CUCPU_TX_ void CucpuFinish(const CucpuTexture *t_, bool blended, int decoded, const float *high, const float *low, float *out) {
    if (t_->bits != 32 && t_->kind != cudaChannelFormatKindFloat) {
#pragma unroll
        for (int i_ = 0; i_ < N_; i_++) {
            float v_ = blended ? high[i_] : out[i_];
            out[i_] = i_ < decoded ? (blended ? CucpuToHalf(v_) : v_) : CucpuToFraction(t_, blended, v_);
        }
    } else if (blended) {
#pragma unroll
        for (int i_ = 0; i_ < N_; i_++) {
            float v_ = CucpuBoth(high[i_], low[i_]);
            out[i_] = t_->bits == 32 ? CucpuToFloat(v_) : CucpuToHalf(v_);
        }
    }
}
CUCPU_TX_ int CucpuDecoded(const CucpuTexture *t_) { return t_->srgb ? 3 : 0; }
template <int N_, class B_> CUCPU_TX_ void CucpuFinish(const CucpuTexture *, bool, int, const float *, const float *, B_ *) {}

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
CUCPU_TX_ float CucpuReal(float x) { return __builtin_fabsf(x) >= 0x1p-126f ? x : 0; } /* NaN is 0, and so are denormal numbers */
/* Between -limit and limit, so that int never overflows; NaN is -limit. */
CUCPU_TX_ float CucpuWithin(float x, float limit) {
    x = x > -limit ? x : -limit;
    return x < limit ? x : limit;
}
/* Of a normalized coordinate the hardware keeps 21 bits of the fraction, cut off; of those it takes whole periods off. */
CUCPU_TX_ float CucpuTicks(const CucpuTexture *t_, int dim, float x) {
    if (t_->address[dim] & 1) return CucpuWithin(__builtin_floorf(x * 0x1p21f), 0x1p24f);
    bool wrap = t_->address[dim] == cudaAddressModeWrap;
    x = __builtin_floorf(CucpuReal(x) * 0x1p21f);
    return CucpuReal(x - (wrap ? 0x1p21f : 0x1p22f) * __builtin_floorf(x * (wrap ? 0x1p-21f : 0x1p-22f)));
}
/* A whole number below 2^22 as an int: conversions of device code saturate, which costs more. */
CUCPU_TX_ int CucpuInt(float whole) { return (int)(CucpuBits(whole + 0x1.8p23f) - 0x4b400000u); }
/* Coordinates as the texel they lie in, and how far in it.  Where a product was rounded up, that is below 0, but exact. */
struct CucpuPlaces {
    float i_[3], rest[3];
};
template <int dims, bool point> CUCPU_TX_ CucpuPlaces CucpuLocateTexel(const CucpuTexture *t_, const CucpuImage &im, float x, float y, float z) {
    const unsigned sizes[3] = {im.width, im.height, im.depth};
    float to[3] = {x, y, z};
    CucpuPlaces at = {{0, 0, 0}, {0, 0, 0}};
    if (CucpuHasBorder(t_, dims))
#pragma unroll
        for (int d_ = 0; d_ < dims; d_++) to[d_] = CucpuReal(to[d_]);
    if (t_->normalized) {
#pragma unroll
        for (int d_ = 0; d_ < dims; d_++) {
            float step = (float)sizes[d_] * 0x1p-21f, ticks = CucpuTicks(t_, d_, to[d_]);
            at.i_[d_] = __builtin_floorf(ticks * step);
            at.rest[d_] = __builtin_fmaf(ticks, step, -at.i_[d_]);
            if (point) at.i_[d_] -= at.rest[d_] < 0 ? 1.0f : 0.0f;
        }
    } else {
#pragma unroll
        for (int d_ = 0; d_ < dims; d_++) {
            float within = CucpuWithin(to[d_], 0x1p21f);
            at.i_[d_] = __builtin_floorf(within);
            at.rest[d_] = within - at.i_[d_];
        }
    }
    return at;
}
/* The first of the two texels that a filter takes, and the weight of the second: to nearest, halves up. */
CUCPU_TX_ int CucpuPair(const CucpuPlaces &at, int dim, float *weight) {
    float w_ = __builtin_floorf(at.rest[dim] * 256.0f - 127.5f);
    bool before = w_ < 0;
    *weight = w_ * 0x1p-8f + (before ? 1.0f : 0.0f);
    return CucpuInt(at.i_[dim] - (before ? 1.0f : 0.0f));
}

/* The texel that the modes find at (x,y,z), or the border.  What depends on the mode is for all lanes alike. */
CUCPU_TX_ float CucpuBorder(const CucpuTexture *t_, int i_, float) { return t_->border[i_]; }
template <class B_> CUCPU_TX_ B_ CucpuBorder(const CucpuTexture *t_, int i_, B_) { return (B_)t_->border_bits[i_]; }
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
        B_ v_ = out[n_], border = CucpuBorder(t_, n_, v_);
        out[n_] = outside ? border : v_;
    }
}

/* ---- weights: multiples of 1/256, to which each part of one is rounded ---- */
CUCPU_TX_ float CucpuShare(float whole, float part) {
    return whole == 1.0f ? part : __builtin_floorf(whole * part * 256.0f + 0.5f) * 0x1p-8f;
}
/* Of the four texels of a plane: in the order of x, then of y. */
struct CucpuWeights {
    float w_[4];
};
CUCPU_TX_ CucpuWeights CucpuPlane(float whole, float x, float y) {
    float right = CucpuShare(whole, x), left = whole - right, down = CucpuShare(right, y);
    float across = whole == 1.0f ? y - down : left - CucpuShare(left, 1 - y); /* the same, with less to compute */
    return CucpuWeights{{left - across, right - down, across, down}};
}
CUCPU_TX_ float CucpuCorner(const CucpuWeights &w_, int dx, int dy) { return dy ? (dx ? w_.w_[3] : w_.w_[2]) : (dx ? w_.w_[1] : w_.w_[0]); }

/* Adds a texel to the sum.  A float is cut in two parts of 12 bits, whose products with weights are exact, as are sums of such of
** similar size: so the result is rounded once, as it is in hardware.  A texel without weight may be infinite. */
template <int N_, class B_> CUCPU_TX_ void CucpuAdd(const CucpuTexture *, const B_ *, float, float *, float *) {}
template <int N_> CUCPU_TX_ void CucpuAdd(const CucpuTexture *t_, const float *v_, float weight, float *high, float *low) {
    if (t_->kind == cudaChannelFormatKindFloat) {
#pragma unroll
        for (int n_ = 0; n_ < N_; n_++) {
            float all = weight != 0 ? v_[n_] : -0.0f, top = CucpuOfBits(CucpuBits(all) & 0xfffff000);
            high[n_] += weight * top;
            low[n_] += weight * (all - top);
        }
    } else {
#pragma unroll
        for (int n_ = 0; n_ < N_; n_++) high[n_] += weight * v_[n_];
    }
}

/* Adds an image with the weight `whole` to the sum, or finds the texel in v. */
template <class T_, int dims, bool point_only>
CUCPU_TX_ void CucpuSampleImage(const CucpuTexture *t_, const CucpuImage &im, float x, float y, float z, int layer, float whole, bool blended,
                                float *high, float *low, typename CucpuTexel<T_>::Base *v_) {
    constexpr int N_ = CucpuTexel<T_>::N_;
    if (point_only || t_->filter == cudaFilterModePoint) {
        CucpuPlaces at = CucpuLocateTexel<dims, true>(t_, im, x, y, z);
        CucpuTexelNear<T_, dims>(t_, im, CucpuInt(at.i_[0]), CucpuInt(at.i_[1]), CucpuInt(at.i_[2]), layer, v_);
        if (blended) CucpuAdd<N_>(t_, v_, whole, high, low);
        return;
    }
    float a_ = 0, b_ = 0, c_ = 0;
    CucpuPlaces at = CucpuLocateTexel<dims, false>(t_, im, x, y, z);
    int i_ = CucpuPair(at, 0, &a_), j_ = dims > 1 ? CucpuPair(at, 1, &b_) : 0, k_ = dims > 2 ? CucpuPair(at, 2, &c_) : 0;
    float near = dims > 2 ? CucpuShare(whole, 1 - c_) : whole;
    /* One copy of the texel's code: it has a case for each format. */
#pragma nounroll
    for (int dz = 0; dz < (dims > 2 ? 2 : 1); dz++) {
        CucpuWeights weights;
        if (dims == 1 && !t_->row_border) weights.w_[3] = CucpuShare(whole, a_), weights.w_[2] = whole - weights.w_[3];
        else weights = CucpuPlane(dz ? whole - near : near, a_, dims > 1 ? b_ : 0.5f);
#pragma nounroll
        for (int corner = 0; corner < (dims > 1 ? 4 : 2); corner++) {
            int dx = corner & 1, dy = dims > 1 ? corner >> 1 : 1;
            CucpuTexelNear<T_, dims>(t_, im, i_ + dx, j_ + dy, k_ + dz, layer, v_);
            CucpuAdd<N_>(t_, v_, CucpuCorner(weights, dx, dy), high, low);
        }
        if (dims == 1 && t_->row_border) {
#pragma unroll
            for (int n_ = 0; n_ < N_; n_++) v_[n_] = CucpuBorder(t_, n_, v_[n_]);
            CucpuAdd<N_>(t_, v_, weights.w_[0] + weights.w_[1], high, low);
        }
    }
}

/* A direction, or its derivative, as a face of the cube sees it: across, down, towards the face. */
CUCPU_TX_ float3 CucpuOnFace(int face, float x, float y, float z) {
    if (face < 2) return face ? float3{z, -y, -x} : float3{-z, -y, x};
    if (face < 4) return face == 3 ? float3{x, -z, -y} : float3{x, z, y};
    return face == 5 ? float3{-x, -y, -z} : float3{x, -y, z};
}
/* Of equal ones z counts before y, and y before x. */
CUCPU_TX_ int CucpuCubeFace(float x, float y, float z) {
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
    if (az >= ax && az >= ay) return z < 0 ? 5 : 4;
    return ay >= ax ? (y < 0 ? 3 : 2) : x < 0;
}
CUCPU_TX_ float3 CucpuOffFace(int face, float across, float down, float towards) {
    if (face < 2) return face ? float3{-towards, -down, across} : float3{towards, -down, -across};
    if (face < 4) return face == 3 ? float3{across, -towards, -down} : float3{across, towards, down};
    return face == 5 ? float3{-across, -down, -towards} : float3{across, -down, towards};
}
/* Texel (i,j) of a face, at most one outside of it: there it is one of the next face. */
CUCPU_TX_ int CucpuNextFace(int face, int n_, int *i_, int *j_) {
    float3 to = CucpuOffFace(face, (float)(2 * *i_ + 1 - n_), (float)(2 * *j_ + 1 - n_), (float)n_);
    face = CucpuCubeFace(to.x, to.y, to.z);
    float3 at = CucpuOnFace(face, to.x, to.y, to.z);
    *i_ = CucpuClamp(((int)at.x + n_ - 1) >> 1, n_), *j_ = CucpuClamp(((int)at.y + n_ - 1) >> 1, n_);
    return face;
}
/* A filter over the edges of a cube.  Its corners have three texels, which share the weight of the fourth. */
template <class T_>
CUCPU_TX_ void CucpuSampleSeamless(const CucpuTexture *t_, const CucpuImage &im, float x, float y, int face, int layer, float whole, float *high,
                                   float *low, typename CucpuTexel<T_>::Base *v_) {
    float a_, b_;
    CucpuPlaces at = CucpuLocateTexel<2, false>(t_, im, x, y, 0);
    int n_ = (int)im.width, i_ = CucpuPair(at, 0, &a_), j_ = CucpuPair(at, 1, &b_);
    CucpuWeights weights = CucpuPlane(whole, a_, b_);
    bool right = i_ + 1 >= n_, below = j_ + 1 >= n_, corner = (right | (i_ < 0)) & (below | (j_ < 0));
    float lost = right ? CucpuCorner(weights, 1, 0) : CucpuCorner(weights, 0, 0), under = right ? CucpuCorner(weights, 1, 1) : CucpuCorner(weights, 0, 1);
    lost = corner ? (below ? under : lost) : 0;
    float third = CucpuShare(lost, 85 / 256.0f);
#pragma nounroll
    for (int k_ = 0; k_ < 4; k_++) {
        int dx = k_ & 1, dy = k_ >> 1, u_ = i_ + dx, w_ = j_ + dy, other = CucpuNextFace(face, n_, &u_, &w_);
        bool beside = dx == (int)right, along = dy == (int)below;
        float weight = CucpuCorner(weights, dx, dy) + ((beside & along) ? -lost : (beside | along) ? third : lost - 2 * third);
        CucpuTexelAt<T_>(t_, im, u_, w_, 0, layer + other, v_);
        CucpuAdd<CucpuTexel<T_>::N_>(t_, v_, weight, high, low);
    }
}

CUCPU_TX_ const CucpuImage &CucpuLargest(const CucpuTexture *t_) { return t_->nlevels > 1 ? t_->levels[0] : t_->image; }
CUCPU_TX_ int CucpuLayer(const CucpuTexture *t_, int layer) { /* one below 0 is the last */
    unsigned last = t_->image.layers - 1;
    return (int)((unsigned)layer < last ? (unsigned)layer : last);
}
/* The level of detail within what the texture has, in 256ths. */
CUCPU_TX_ int CucpuClampLod(const CucpuTexture *t_, float lod) {
    lod = __builtin_truncf(CucpuReal(lod) * 256.0f) + t_->level_bias;
    lod = __builtin_fmaxf(__builtin_fminf(lod, t_->level_max), t_->level_min);
    return (int)__builtin_fminf(__builtin_fmaxf(lod, 0), (float)(t_->nlevels - 1) * 256.0f);
}
CUCPU_TX_ int CucpuClampLod(const CucpuTexture *t_) { return (int)t_->level; }
/* Of a texture of several levels, of which `fixed` is clamped.  dims 4: a cube without seams, z is the face. */
template <class T_, int dims>
CUCPU_TX_ T_ CucpuSampleLevels(const CucpuTexture *t_, float x, float y, float z, int layer, int fixed) {
    typedef typename CucpuTexel<T_>::Base B_;
    constexpr bool point = !CucpuIsFloat<B_>::value;
    bool both = !point && t_->mip_filter != cudaFilterModePoint, blended = both | (!point & (t_->filter != cudaFilterModePoint));
    int level = (both ? fixed : fixed + 128) >> 8;
    float far = both ? (float)(fixed & 255) * 0x1p-8f : 0, high[4] = {-0.0f, -0.0f, -0.0f, -0.0f}, low[4] = {-0.0f, -0.0f, -0.0f, -0.0f};
    const CucpuImage *nearer = &CucpuLargest(t_) + level, *im = both && level + 1 < (int)t_->nlevels ? nearer + 1 : nearer;
    B_ v_[4];
    /* One copy of the image's code for both. */
#pragma nounroll
    for (int k_ = 0; k_ <= (int)both; k_++) {
        float whole = (both & !k_) ? far : 1 - far;
        if (dims == 4) CucpuSampleSeamless<T_>(t_, *im, x, y, (int)z, layer, whole, high, low, v_);
        else CucpuSampleImage<T_, dims, point>(t_, *im, x, y, z, layer, whole, blended, high, low, v_);
        im = nearer;
    }
    CucpuFinish<CucpuTexel<T_>::N_>(t_, blended, CucpuDecoded(t_), high, low, v_);
    return CucpuTexel<T_>::make(v_);
}
template <class T_, int dims>
CUCPU_TX_ T_ CucpuSampleStill(const CucpuTexture *t_, float x, float y, float z, int layer) {
    typedef typename CucpuTexel<T_>::Base B_;
    constexpr bool point = !CucpuIsFloat<B_>::value;
    float high[4] = {-0.0f, -0.0f, -0.0f, -0.0f}, low[4] = {-0.0f, -0.0f, -0.0f, -0.0f};
    B_ v_[4];
    CucpuSampleImage<T_, dims, point>(t_, t_->image, x, y, z, layer, 1.0f, false, high, low, v_);
    CucpuFinish<CucpuTexel<T_>::N_>(t_, !point && t_->filter != cudaFilterModePoint, CucpuDecoded(t_), high, low, v_);
    return CucpuTexel<T_>::make(v_);
}
/* Each thread has a level of its own; where the texture has one only, the image is the same for all. */
template <class T_, int dims>
CUCPU_TX_ T_ CucpuSample(unsigned long long object, float x, float y, float z, int layer, float lod) {
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    layer = CucpuLayer(t_, layer);
    return t_->nlevels > 1 ? CucpuSampleLevels<T_, dims>(t_, x, y, z, layer, CucpuClampLod(t_, lod)) : CucpuSampleStill<T_, dims>(t_, x, y, z, layer);
}
/* minsize: stays a call.  pure: other fetches read what they did before it. */
template <class T_, int dims>
static __device__ __attribute__((nodebug, noinline, minsize, pure)) T_ CucpuSampleBetween(const CucpuTexture *t_, float x, float y, float z, int layer) {
    return CucpuSampleLevels<T_, dims>(t_, x, y, z, layer, CucpuClampLod(t_));
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
    CucpuFinish<CucpuTexel<T_>::N_>(t_, false, CucpuDecoded(t_), (const float *)0, (const float *)0, v_);
#pragma unroll
    for (int i_ = 0; i_ < CucpuTexel<T_>::N_; i_++) {
        B_ u_ = v_[i_];
        v_[i_] = inside ? u_ : B_(0);
    }
    return CucpuTexel<T_>::make(v_);
}
/* The hardware's logarithms of 1, 1 + 1/128, ... 2, in 256ths. */
static __device__ const short CucpuLog2[129] = {
    0, 4, 6, 9, 12, 15, 18, 20, 23, 26, 28, 31, 34, 36, 39, 42, 44, 47, 49, 52, 54, 57, 59, 62, 64, 66, 69, 71, 74, 76, 78, 81, 83, 85, 88, 90, 92, 94, 97,
    99, 101, 103, 105, 107, 110, 112, 114, 116, 118, 120, 122, 124, 126, 128, 130, 132, 135, 137, 138, 140, 142, 144, 146, 148, 150, 152, 154, 156, 158, 160,
    162, 163, 165, 167, 169, 171, 173, 174, 176, 178, 180, 181, 183, 185, 187, 188, 190, 192, 194, 195, 197, 199, 200, 202, 204, 205, 207, 209, 210, 212, 214,
    215, 217, 218, 220, 222, 223, 225, 226, 228, 229, 231, 233, 234, 236, 237, 239, 240, 242, 243, 245, 246, 248, 249, 251, 252, 253, 255, 256,
};
/* About the length of a vector, as the hardware finds it. */
CUCPU_TX_ float CucpuLength(float x, float y, float z) {
    x = __builtin_fabsf(CucpuReal(x)), y = __builtin_fabsf(CucpuReal(y)), z = __builtin_fabsf(CucpuReal(z));
    float most = __builtin_fmaxf(x, y), less = __builtin_fminf(x, y), mid = __builtin_fmaxf(less, __builtin_fminf(most, z));
    return __builtin_fmaxf(most, z) + mid * (11 / 32.0f) + __builtin_fminf(less, z) * 0.25f;
}
/* Level of detail from derivatives: the logarithm of the longer footprint in texels. */
CUCPU_TX_ float CucpuLod(unsigned long long object, float3 dx, float3 dy, int dims) {
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    const CucpuImage &im = CucpuLargest(t_);
    bool norm = t_->normalized;
    float w = norm ? (float)im.width : 1, h_ = norm && dims > 1 ? (float)im.height : dims > 1, d_ = norm && dims > 2 ? (float)im.depth : dims > 2;
    float length = __builtin_fmaxf(CucpuLength(dx.x * w, dx.y * h_, dx.z * d_), CucpuLength(dy.x * w, dy.y * h_, dy.z * d_));
    int bits_ = (int)(CucpuBits(length) >> 15), i_ = bits_ >> 1 & 127, low = CucpuLog2[i_], half = (bits_ & 1) ? (CucpuLog2[i_ + 1] - low) >> 1 : 0;
    return (float)(((bits_ >> 8) - 127) * 256 + low + half) * 0x1p-8f;
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
static __device__ __attribute__((nodebug, noinline, minsize, pure)) T_ CucpuSeamless(const CucpuTexture *t_, float x, float y, int face, int layer, int fixed) {
    return CucpuSampleLevels<T_, 4>(t_, x, y, (float)face, layer, fixed);
}
/* The direction is divided by its longest coordinate.  What is NaN then, 0 / 0 too, is 0. */
template <class T_, class... Lod_>
CUCPU_TX_ T_ CucpuCube(unsigned long long object, float x, float y, float z, int layer, Lod_... lod) {
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    float r_ = 1.0f / __builtin_fmaxf(__builtin_fmaxf(__builtin_fabsf(x), __builtin_fabsf(y)), __builtin_fabsf(z));
    x *= r_, y *= r_, z *= r_;
    x = x == x ? x : 0, y = y == y ? y : 0, z = z == z ? z : 0;
    int face = CucpuCubeFace(x, y, z);
    unsigned first = (layer & ~0xffff ? 0xffff : (unsigned)layer) * 6, last = t_->image.layers - 6;
    float3 at = CucpuOnFace(face, x, y, z);
    layer = (int)(first < last ? first : last);
    x = (at.x + 1) * 0.5f, y = (at.y + 1) * 0.5f;
    if (CucpuIsFloat<typename CucpuTexel<T_>::Base>::value && t_->seamless) return CucpuSeamless<T_>(t_, x, y, face, layer, CucpuClampLod(t_, lod...));
    return CucpuSample<T_, 2>(object, x, y, 0, layer + face, lod...);
}
template <class T_> CUCPU_TX_ T_ CucpuGather(unsigned long long object, float x, float y, int comp) {
    typedef typename CucpuTexel<T_>::Base B_;
    const CucpuTexture *t_ = (const CucpuTexture *)object;
    const CucpuImage &im = CucpuLargest(t_);
    float a_, b_;
    CucpuPlaces at = CucpuLocateTexel<2, false>(t_, im, x, y, 0);
    int i_ = CucpuPair(at, 0, &a_), j_ = CucpuPair(at, 1, &b_);
    B_ out[4], v_[4];
    const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
#pragma unroll
    for (int n_ = 0; n_ < 4; n_++) {
        CucpuTexelNear<T_, 2>(t_, im, i_ + dx[n_], j_ + dy[n_], 0, 0, v_);
        out[n_] = comp == 0 ? v_[0] : comp == 1 ? v_[1] : comp == 2 ? v_[2] : v_[3];
    }
    CucpuFinish<4>(t_, false, t_->srgb && comp < 3 ? 4 : 0, (const float *)0, (const float *)0, out);
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
        layer = (unsigned)layer < im.layers ? layer : (int)im.layers - 1; /* one below 0 is the last */
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
