/* ptx_texture.cu: PTX's texture and surface instructions on the sampling code of cucpu/texture_sample.h.  Called by
** ptx-frontend.  What the type of the fetch says in CUDA C++, the texture says here. */
#include "../include/host_defines.h"
#include "../include/cucpu/texture_sample.h"

#define LIBTEX extern "C" __device__ __attribute__((nothrow))
#define LOCAL static __device__ inline __attribute__((always_inline))
typedef unsigned long long u64;

/* A channel that is read as an integer of 32 bits. */
struct Word {
    int v;
    Word() = default;
    __device__ Word(int i) : v(i) {}
    __device__ explicit Word(float f) : v(int(f)) {}
    __device__ explicit operator float() const { return float(v); }
};
struct Words {
    Word v[4];
};
struct Reals {
    float v[4];
};
template <> struct CucpuTexel<Words> {
    typedef Word Base;
    enum { N_ = 4 };
    static __device__ Words make(const Word *a) { return Words{{a[0], a[1], a[2], a[3]}}; }
};
template <> struct CucpuTexel<Reals> {
    typedef float Base;
    enum { N_ = 4 };
    static __device__ Reals make(const float *a) { return Reals{{a[0], a[1], a[2], a[3]}}; }
};
template <> __device__ inline Word CucpuChannel<Word>(const CucpuTexture *t, const char *p, int i) {
    bool is_signed = t->kind == cudaChannelFormatKindSigned;
    if (t->bits == 32) return Word(((const int *)p)[i]);
    if (t->bits == 16) return is_signed ? Word(int(((const short *)p)[i])) : Word(int(((const unsigned short *)p)[i]));
    return is_signed ? Word(int(((const signed char *)p)[i])) : Word(int(((const unsigned char *)p)[i]));
}

typedef int Four __attribute__((ext_vector_type(4)));
LOCAL Four four(Words w) { return Four{w.v[0].v, w.v[1].v, w.v[2].v, w.v[3].v}; }
LOCAL Four four(Reals r) { return __builtin_bit_cast(Four, r); }

/* dims: 1 to 3, 4: a cube; lod: 0 if there is none */
#define TEXTURE(name, T)                                                                                               \
    LIBTEX Four __cucpu_ptx_tex_##name##_1(u64 t, float x, float y, float z, int layer, float lod) {                   \
        return four(CucpuSample<T, 1>(t, x, y, z, layer, lod));                                                        \
    }                                                                                                                  \
    LIBTEX Four __cucpu_ptx_tex_##name##_2(u64 t, float x, float y, float z, int layer, float lod) {                   \
        return four(CucpuSample<T, 2>(t, x, y, z, layer, lod));                                                        \
    }                                                                                                                  \
    LIBTEX Four __cucpu_ptx_tex_##name##_3(u64 t, float x, float y, float z, int layer, float lod) {                   \
        return four(CucpuSample<T, 3>(t, x, y, z, layer, lod));                                                        \
    }                                                                                                                  \
    LIBTEX Four __cucpu_ptx_tex_##name##_cube(u64 t, float x, float y, float z, int layer, float lod) {                \
        return four(CucpuCube<T>(t, x, y, z, layer, lod));                                                             \
    }                                                                                                                  \
    LIBTEX Four __cucpu_ptx_texel_##name(u64 t, int x) { return four(CucpuFetch1D<T>(t, x)); }                         \
    LIBTEX Four __cucpu_ptx_gather_##name(u64 t, float x, float y, int component) {                                    \
        return four(CucpuGather<T>(t, x, y, component));                                                               \
    }
TEXTURE(int, Words)
TEXTURE(float, Reals)

/* The level of detail of the derivatives in d[0 ... 2] and d[3 ... 5]. */
LIBTEX float __cucpu_ptx_tex_lod(u64 t, const float *d, int dims) {
    return CucpuLod(t, float3{d[0], d[1], d[2]}, float3{d[3], d[4], d[5]}, dims);
}

/* The same at the direction x, y, z of a cube: the derivatives on its face. */
LIBTEX float __cucpu_ptx_tex_lod_cube(u64 t, const float *d, float x, float y, float z) {
    return CucpuCubeLod(t, x, y, z, float4{d[0], d[1], d[2], 0}, float4{d[3], d[4], d[5], 0});
}

/* A coordinate so many texels further on. */
LIBTEX float __cucpu_ptx_tex_offset(u64 t, float x, int by, int dim) {
    const CucpuTexture *texture = (const CucpuTexture *)t;
    const CucpuImage &im = CucpuLargest(texture);
    if (!texture->normalized) return x + float(by);
    return x + float(by) / float(dim == 0 ? im.width : dim == 1 ? im.height : im.depth);
}

/* what: 0 width, 1 height, 2 depth, 3 levels, 4 layers, 5 normalized, 6 filter; lod: the level */
LOCAL int size_of(const CucpuImage &im, int levels, int what) {
    return int(what == 0 ? im.width : what == 1 ? im.height : what == 2 ? im.depth : what == 3 ? unsigned(levels) : im.layers);
}
LIBTEX int __cucpu_ptx_txq(u64 t, int what, int lod) {
    const CucpuTexture *texture = (const CucpuTexture *)t;
    if (what == 5) return texture->normalized != 0;
    if (what == 6) return int(texture->filter);
    int last = int(texture->nlevels) - 1, level = lod < 0 ? 0 : lod > last ? last : lod;
    return size_of((&CucpuLargest(texture))[level < 0 ? 0 : level], last + 1, what);
}
LIBTEX int __cucpu_ptx_suq(u64 s, int what, int) { return size_of(((const CucpuSurface *)s)->image, 1, what); }

/* ---- surfaces: the place of an element; one outside is read as zero and not written ---- */

LIBTEX void *__cucpu_ptx_surface(u64 s, int bytes, int x, int y, int z, int layer, int mode, char *outside) {
    CucpuSurfaceAt at = CucpuLocate(s, bytes, x, y, z, layer, mode);
    return at.inside ? at.p_ : outside;
}
