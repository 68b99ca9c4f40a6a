// Textures and surfaces: what a GPU answers, bit by bit.
// REQUIRES: run
// RUN: %cucpu -w -std=c++17 --simd=1 %s -o %t && %run %t > %t.out && %python %S/Inputs/compare.py %S/Inputs/textures.txt %S/Inputs/textures.known %t.out
#include "Inputs/values.h"
#include <cmath>

enum Call { T1D, T2D, T3D, L1D, L2D, CUBE, CUBES, LOD1, LOD2, LOD3, GRAD1, GRAD2, GRAD3, LODCUBE, LODL1, LODL2, GATHER0, GATHER1, GATHER2, GATHER3, FETCH };

template <class T, int call> __global__ void fetch(cudaTextureObject_t t, const float4 *at, T *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    float4 a = at[i];
    if constexpr (call == T1D) out[i] = tex1D<T>(t, a.x);
    if constexpr (call == T2D) out[i] = tex2D<T>(t, a.x, a.y);
    if constexpr (call == T3D) out[i] = tex3D<T>(t, a.x, a.y, a.z);
    if constexpr (call == L1D) out[i] = tex1DLayered<T>(t, a.x, (int)a.w);
    if constexpr (call == L2D) out[i] = tex2DLayered<T>(t, a.x, a.y, (int)a.w);
    if constexpr (call == CUBE) out[i] = texCubemap<T>(t, a.x, a.y, a.z);
    if constexpr (call == CUBES) out[i] = texCubemapLayered<T>(t, a.x, a.y, a.z, (int)a.w);
    if constexpr (call == LOD1) out[i] = tex1DLod<T>(t, a.x, a.w);
    if constexpr (call == LOD2) out[i] = tex2DLod<T>(t, a.x, a.y, a.w);
    if constexpr (call == LOD3) out[i] = tex3DLod<T>(t, a.x, a.y, a.z, a.w);
    if constexpr (call == GRAD1) out[i] = tex1DGrad<T>(t, a.x, a.z, a.w);
    if constexpr (call == GRAD2) out[i] = tex2DGrad<T>(t, a.x, a.y, make_float2(a.z, 0), make_float2(0, a.w));
    if constexpr (call == GRAD3) out[i] = tex2DGrad<T>(t, a.x, a.y, make_float2(a.z, a.w), make_float2(a.w, a.z));
    if constexpr (call == LODCUBE) out[i] = texCubemapLod<T>(t, a.x, a.y, a.z, a.w);
    if constexpr (call == LODL1) out[i] = tex1DLayeredLod<T>(t, a.x, (int)a.y, a.w);
    if constexpr (call == LODL2) out[i] = tex2DLayeredLod<T>(t, a.x, a.y, (int)a.z, a.w);
    if constexpr (call >= GATHER0 && call <= GATHER3) out[i] = tex2Dgather<T>(t, a.x, a.y, call - GATHER0);
    if constexpr (call == FETCH) out[i] = tex1Dfetch<T>(t, (int)a.x);
}

/* The numbers of a vector. */
template <class T> struct Parts {
    typedef T type;
    enum { n = 1 };
};
#define PARTS(V, T, count)                                                                                                                                     \
    template <> struct Parts<V> {                                                                                                                              \
        typedef T type;                                                                                                                                        \
        enum { n = count };                                                                                                                                    \
    };
PARTS(float2, float, 2)
PARTS(float4, float, 4)
PARTS(uchar4, unsigned char, 4) PARTS(char4, signed char, 4) PARTS(ushort2, unsigned short, 2) PARTS(uchar2, unsigned char, 2) PARTS(short2, short, 2)
    PARTS(int4, int, 4) PARTS(uint4, u32, 4) PARTS(ushort4, unsigned short, 4)

        typedef std::vector<float4> Points;

template <class T, int call> static void sample(const char *name, cudaTextureObject_t t, const Points &at) {
    typedef typename Parts<T>::type E;
    const size_t per_line = 40 / Parts<T>::n;
    if (!t) {
        printf("%s: no texture\n", name);
        return;
    }
    Dev<float4> in(at);
    Dev<T> out(at.size());
    fetch<T, call><<<1, (int)at.size()>>>(t, in.d, out.d, (int)at.size());
    CUDA(cudaGetLastError());
    std::vector<T> v = out.get();
    for (size_t first = 0; first < v.size(); first += per_line) {
        printf("%s%s:", name, first ? " ..." : "");
        for (size_t i = first; i < first + per_line && i < v.size(); i++) {
            if (Parts<T>::n > 1 && i > first) printf(" |");
            for (int c = 0; c < Parts<T>::n; c++) {
                E e;
                memcpy(&e, (const char *)&v[i] + c * sizeof(E), sizeof e);
                print(rec(e));
            }
        }
        printf("\n");
    }
}

struct Desc : cudaTextureDesc {
    Desc(int mode = 1, bool linear = false, bool normalized = false, bool as_float = false) : cudaTextureDesc() {
        for (auto &m : addressMode) m = (cudaTextureAddressMode)mode;
        filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        normalizedCoords = normalized;
        readMode = as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
        for (int c = 0; c < 4; c++) borderColor[c] = 0.25f * (c + 1);
    }
};

static cudaTextureObject_t texture_of(cudaArray_t a, const cudaTextureDesc &t) {
    cudaResourceDesc r = {};
    cudaTextureObject_t object = 0;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    CUDA(cudaCreateTextureObject(&object, &r, &t, NULL));
    return object;
}
static cudaSurfaceObject_t surface_of(cudaArray_t a) {
    cudaResourceDesc r = {};
    cudaSurfaceObject_t object = 0;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    CUDA(cudaCreateSurfaceObject(&object, &r));
    return object;
}
static void fill(cudaArray_t a, const void *data, size_t texel, int w, int h, int d) {
    cudaMemcpy3DParms p = {};
    p.dstArray = a;
    p.srcPtr = make_cudaPitchedPtr((void *)data, w * texel, w, h ? h : 1);
    p.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
}
template <class T>
static cudaArray_t array_of(const std::vector<T> &data, int w, int h, int d, unsigned flags, cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>()) {
    cudaArray_t a = 0;
    CUDA(cudaMalloc3DArray(&a, &desc, make_cudaExtent(w, h, d), flags));
    fill(a, data.data(), sizeof(T), w, h, d);
    return a;
}
static std::vector<float> texels(int n) { /* differences are multiples of 256: weights become visible */
    std::vector<float> v(n);
    for (int i = 0; i < n; i++) v[i] = 256.0f * ((i * 7 + i / 8 * 5 + i / 40) % 23 - 4);
    return v;
}
static const char *const mode_names[] = {"wrap", "clamp", "mirror", "border"};

/* Coordinates in texels of a row of 8. */
static std::vector<float> places() {
    const float e = 1.0f / 256, h = 1.0f / 512;
    return {-1e30f, -1e6f,      -17.3f,     -9.5f, -8.5f,       -8,       -7.75f,        -1.5f,    -1,    -0.75f,   -0.5f,      -0.25f,       -e,
            -h,     -1e-8f,     -0.0f,      0,     1e-8f,       h,        0.25f,         0.5f - e, 0.5f,  0.5f + e, 0.5f + h,   0.5f + 3 * h, 0.75f,
            1,      1.25f,      3.4999998f, 3.5f,  3.9999998f,  4,        4.0000005f,    6.5f,     7,     7.25f,    7.4980469f, 7.5f,         7.5019531f,
            7.75f,  7.9980469f, 7.9999995f, 8,     8.0000010f,  8.25f,    8.5f,          8.75f,    9,     9.5f,     11.3f,      15.5f,        15.75f,
            16,     16.5f,      23.7f,      24,    1e6f + 0.5f, 16777216, 2147483648.0f, 1e10f,    1e30f, 3e38f,    INFINITY,   -INFINITY,    NAN,
            1e-40f, -1e-40f};
}

static void address_modes() {
    const std::vector<float> c = places();
    row("places", std::vector<float>(c.begin(), c.begin() + 40));
    row("places ...", std::vector<float>(c.begin() + 40, c.end()));
    cudaArray_t one = array_of(texels(8), 8, 0, 0, 0), two = array_of(texels(64), 8, 8, 0, 0), three = array_of(texels(256), 8, 8, 4, 0);
    cudaArray_t layers1 = array_of(texels(24), 8, 0, 3, cudaArrayLayered), layers2 = array_of(texels(192), 8, 8, 3, cudaArrayLayered);
    for (int run = 0; run < 16; run++) {
        bool normalized = run >> 2 & 1, linear = run >> 3;
        char name[80];
        Desc t(run & 3, linear, normalized);
        Points p1, p2, p3, pl;
        float s = normalized ? 0.125f : 1;
        for (size_t i = 0; i < c.size(); i++) {
            p1.push_back({c[i] * s, 0, 0, 0});
            if (i % 2 == 0 || i > 58) p2.push_back({c[i] * s, c[(i * 29 + 11) % c.size()] * s, 0, 0});
            if (i % 3 == 0) p3.push_back({c[i] * s, c[(i * 7 + 20) % c.size()] * s, c[(i * 31 + 18) % c.size()] * (normalized ? 0.25f : 1), 0});
            if (i % 4 == 1) pl.push_back({c[i] * s, c[(i * 11 + 21) % c.size()] * s, 0, (float)(i / 4 % 7) - 2});
        }
        const char *what = linear ? "linear" : "point", *unit = normalized ? "normalized" : "texels";
#define MODE(dims) (snprintf(name, sizeof name, dims " %s %s %s", mode_names[run & 3], unit, what), name)
        sample<float, T1D>(MODE("1D"), texture_of(one, t), p1);
        sample<float, T2D>(MODE("2D"), texture_of(two, t), p2);
        sample<float, T3D>(MODE("3D"), texture_of(three, t), p3);
        sample<float, L1D>(MODE("1D layers"), texture_of(layers1, t), pl);
        sample<float, L2D>(MODE("2D layers"), texture_of(layers2, t), pl);
    }
    /* Mixed modes of x and y. */
    Desc t(0, true, true);
    t.addressMode[1] = cudaAddressModeMirror;
    Points p;
    for (float f : c) p.push_back({f * 0.125f, f * 0.125f, 0, 0});
    sample<float, T2D>("2D wrap x, mirror y", texture_of(two, t), p);
    /* A row of 7 and of 10 texels: normalized coordinates are no powers of two. */
    for (int w : {7, 10, 1})
        for (int mode = 0; mode < 4; mode++)
            for (int linear = 0; linear < 2; linear++) {
                Points q;
                char name[80];
                for (int i = -12; i <= 24; i++) q.push_back({i / (2.0f * w) + (i % 3 == 2 ? 1e-7f : 0), 0, 0, 0});
                snprintf(name, sizeof name, "1D of %d, %s, %s", w, mode_names[mode], linear ? "linear" : "point");
                sample<float, T1D>(name, texture_of(array_of(texels(w), w, 0, 0, 0), Desc(mode, linear, true)), q);
            }
}

static void fractions() {
    std::vector<float> step = {0, 256, 0, -256, 1, 3, 1e-3f, 1e20f, INFINITY, 5, NAN, 7, 1e-40f, 0, -0.0f, -0.0f};
    cudaArray_t a = array_of(step, 16, 0, 0, 0);
    Desc linear(1, true);
    for (int denominator : {512, 1024, 4096}) {
        Points p, q;
        for (int i = 0; i < 40; i++) {
            p.push_back({0.5f + (float)i / denominator, 0, 0, 0});
            q.push_back({1.5f - (float)i / denominator, 0, 0, 0});
        }
        char name[80];
        sample<float, T1D>((snprintf(name, sizeof name, "0.5 + i / %d", denominator), name), texture_of(a, linear), p);
        sample<float, T1D>((snprintf(name, sizeof name, "1.5 - i / %d", denominator), name), texture_of(a, linear), q);
    }
    Points wide, near;
    for (int i = 0; i < 40; i++) wide.push_back({3.5f + i / 3.0f, 0, 0, 0});
    for (int i = 0; i < 32; i++) { /* just below and above each (i + 1/2) / 256 */
        float f = 0.5f + (i / 2 * 17 + 0.5f) / 256;
        near.push_back({nextafterf(f, i & 1 ? 2 : 0), 0, 0, 0});
    }
    sample<float, T1D>("3.5 + i / 3, odd texels", texture_of(a, linear), wide);
    sample<float, T1D>("near halves of weights", texture_of(a, linear), near);
    Points norm;
    for (int i = 0; i < 40; i++) norm.push_back({(0.5f + i / 512.0f) / 16, 0, 0, 0});
    sample<float, T1D>("0.5 + i / 512, normalized", texture_of(a, Desc(1, true, true)), norm);
    std::vector<float> square(16, 0), cube(64, 0);
    square[5] = 65536, square[10] = 1, cube[21] = 16777216, cube[42] = 1;
    Points p2, p3;
    for (int i = 0; i < 40; i++) p2.push_back({1.5f + i / 512.0f, 1.5f + i * 5 % 256 / 256.0f, 0, 0});
    for (int i = 0; i < 40; i++) p3.push_back({1.5f + i / 512.0f, 1.5f + i * 5 % 256 / 256.0f, 1.5f + i * 3 / 512.0f, 0});
    sample<float, T2D>("2D weights", texture_of(array_of(square, 4, 4, 0, 0), linear), p2);
    sample<float, T3D>("3D weights", texture_of(array_of(cube, 4, 4, 4, 0), linear), p3);
}

static void cubes() {
    cudaArray_t cube = array_of(texels(96), 4, 4, 6, cudaArrayCubemap);
    cudaArray_t more = array_of(texels(192), 4, 4, 12, cudaArrayCubemap | cudaArrayLayered);
    Points axes, edges;
    const float big[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (auto &b : big)
        for (int k = 0; k < 4; k++) {
            float s = k & 1 ? 0.7f : -0.2f, r = k & 2 ? 0.55f : -0.95f;
            axes.push_back({b[0] ? b[0] * 2 : s * 2, b[1] ? b[1] * 2 : (b[0] ? s : r) * 2, b[2] ? b[2] * 2 : r * 2, (float)(k % 3)});
        }
    for (float f : {1.0f, -1.0f})
        for (float g : {1.0f, -1.0f, 0.9999999f, -0.9f}) edges.push_back({f, g, 0.1f, 1}), edges.push_back({0.3f, f, g, 0}), edges.push_back({g, 0.2f, f, 1});
    for (int i = 0; i < 8; i++) edges.push_back({i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f, 0});
    for (float4 f :
         {float4{0, 0, 0, 0}, {NAN, 0, 0, 0}, {INFINITY, 1, 1, 0}, {1e-40f, 0, 0, 0}, {1e30f, 1e30f, 0, 0}, {-0.0f, -0.0f, -0.0f, 0}, {1, NAN, 0, 0}})
        edges.push_back(f);
    for (int run = 0; run < 6; run++) {
        Desc t(run < 4 ? 1 : run == 4 ? 0 : 3, run & 1 || run > 3, true);
        t.seamlessCubemap = run >> 1 & 1;
        char name[80];
        snprintf(name, sizeof name, "cube %s%s%s", t.filterMode == cudaFilterModeLinear ? "linear" : "point", t.seamlessCubemap ? " seamless" : "",
                 run > 3 ? mode_names[t.addressMode[0]] : "");
        sample<float, CUBE>(name, texture_of(cube, t), axes);
        sample<float, CUBE>(name, texture_of(cube, t), edges);
        if (run < 2) sample<float, CUBES>(name, texture_of(more, t), axes);
        if (run < 2) sample<float, CUBES>(name, texture_of(more, t), edges);
    }
}

static cudaMipmappedArray_t levels(int w, int h, int d, int count, unsigned flags) {
    cudaMipmappedArray_t m = 0;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(w, h, d), count, flags));
    bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
    for (int level = 0; level < count; level++) {
        cudaArray_t a;
        auto half = [&](int n) { return n >> level ? n >> level : n ? 1 : 0; };
        int lw = half(w), lh = half(h), ld = layers ? d : half(d), n = lw * (lh ? lh : 1) * (ld ? ld : 1);
        std::vector<float> v(n);
        for (int i = 0; i < n; i++) v[i] = level * 4096.0f + i % 8 * 256;
        CUDA(cudaGetMipmappedArrayLevel(&a, m, level));
        fill(a, v.data(), 4, lw, lh, ld);
    }
    return m;
}
static cudaTextureObject_t mip(cudaMipmappedArray_t m, bool linear, bool between, float bias = 0, float low = 0, float high = 16) {
    cudaResourceDesc r = {};
    Desc t(1, linear, true);
    cudaTextureObject_t object = 0;
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    t.mipmapFilterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
    t.mipmapLevelBias = bias, t.minMipmapLevelClamp = low, t.maxMipmapLevelClamp = high;
    CUDA(cudaCreateTextureObject(&object, &r, &t, NULL));
    return object;
}

static void mipmaps() {
    cudaMipmappedArray_t m1 = levels(16, 0, 0, 5, 0), m2 = levels(16, 8, 0, 5, 0), m3 = levels(8, 8, 8, 4, 0);
    cudaMipmappedArray_t l1 = levels(16, 0, 3, 3, cudaArrayLayered), l2 = levels(16, 16, 3, 3, cudaArrayLayered), cube = levels(8, 8, 6, 4, cudaArrayCubemap);
    const std::vector<float> lods = {-1e30f, -3,         -1,    -0.5f, -1e-3f, -0.0f,  0, 1e-3f, 1 / 512.0f, 1 / 256.0f, 3 / 512.0f, 0.25f, 0.49f, 0.4980469f,
                                     0.5f,   0.5019531f, 0.51f, 0.75f, 0.998f, 0.999f, 1, 1.25f, 1.4980469f, 1.5f,       1.5019531f, 1.75f, 2,     2.4f,
                                     2.5f,   2.6f,       3,     3.3f,  3.5f,   3.9f,   4, 4.5f,  7,          1e30f,      INFINITY,   NAN};
    row("levels", lods);
    for (int f = 0; f < 4; f++) {
        char name[80];
        Points p, g, q;
        for (float lod : lods) p.push_back({0.28125f, 0.40625f, 0.53125f, lod});
        for (int i = 0; i < 40; i++) g.push_back({0.28125f, 0.40625f, exp2f(i / 4 - 6) * (1 + i % 4 * 0.25f), i % 3 ? 0 : exp2f(i / 5 - 7)});
        for (float lod : {0.0f, 0.5f, 0.75f, 1.0f, 1.5f, 2.0f, 3.0f}) q.push_back({0.3f, -0.2f, 1, lod}), q.push_back({1, 0.95f, 0.9f, lod});
#define MIP(what) (snprintf(name, sizeof name, what " %s, %s between levels", f & 1 ? "linear" : "point", f & 2 ? "linear" : "point"), name)
        sample<float, LOD1>(MIP("1D lod"), mip(m1, f & 1, f & 2), p);
        sample<float, LOD2>(MIP("2D lod"), mip(m2, f & 1, f & 2), p);
        sample<float, LOD3>(MIP("3D lod"), mip(m3, f & 1, f & 2), p);
        sample<float, GRAD1>(MIP("1D grad"), mip(m1, f & 1, f & 2), g);
        sample<float, GRAD2>(MIP("2D grad"), mip(m2, f & 1, f & 2), g);
        sample<float, GRAD3>(MIP("2D grad, both"), mip(m2, f & 1, f & 2), g);
        sample<float, LODCUBE>(MIP("cube lod"), mip(cube, f & 1, f & 2), q);
        for (float4 &a : p) a.y = 1, a.z = 2;
        sample<float, LODL1>(MIP("1D layer lod"), mip(l1, f & 1, f & 2), p);
        sample<float, LODL2>(MIP("2D layer lod"), mip(l2, f & 1, f & 2), p);
        sample<float, T2D>(MIP("2D without lod"), mip(m2, f & 1, f & 2), {p[0], p[1]});
        const float limits[][3] = {{0.25f, 0, 16}, {-0.5f, 0, 16},  {1.3f, 0, 16},           {-20, 0, 16},
                                   {0, 1, 2},      {0, 0.5f, 1.5f}, {1, 1.25f, 2.75f},       {0, 3, 1},
                                   {0, 0, 0},      {0, 2, 2},       {1 / 512.0f, 0.3f, 3.7f}};
        for (auto &l : limits) {
            Points few;
            for (float lod : {-2.0f, 0.0f, 0.25f, 0.5f, 0.75f, 1.0f, 1.5f, 2.0f, 2.5f, 3.0f, 5.0f}) few.push_back({0.28125f, 0.40625f, 0, lod});
            snprintf(name, sizeof name, "2D lod %s, %s between levels, bias %g, levels %g to %g", f & 1 ? "linear" : "point", f & 2 ? "linear" : "point", l[0],
                     l[1], l[2]);
            sample<float, LOD2>(name, mip(m2, f & 1, f & 2, l[0], l[1], l[2]), few);
            if (l == limits[0] || l == limits[4]) sample<float, GRAD2>(name, mip(m2, f & 1, f & 2, l[0], l[1], l[2]), g);
            if (l == limits[0] || l == limits[4]) sample<float, T2D>("... without lod", mip(m2, f & 1, f & 2, l[0], l[1], l[2]), {few[0]});
        }
    }
}

/* Every 1st, 2nd, ... texel at its centre, between two, and outside. */
template <class T, class F>
static void format(const char *type, const std::vector<T> &v, bool filtered = true, cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>(),
                   bool srgb = false) {
    int w = (int)v.size();
    cudaArray_t a = array_of(v, w, 1, 0, 0, desc);
    Points at, between;
    for (int i = 0; i < w && i < 40 / Parts<T>::n; i++) at.push_back({i + 0.5f, 0.5f, 0, 0});
    for (int i = 0; i < 40 / Parts<T>::n; i++) between.push_back({1 + i * 13 % 64 * (w - 2) / 64.0f, 0.5f, 0, 0});
    between.back() = {-1, 0.5f, 0, 0};
    char name[80];
    for (int mode : {1, 3})
        for (int linear = 0; linear <= (filtered ? 1 : 0); linear++) {
            Desc t(mode, linear, false, sizeof(F) != sizeof(T) || !std::is_same<F, T>::value);
            t.sRGB = srgb;
            snprintf(name, sizeof name, "%s %s %s%s", type, mode_names[mode], linear ? "linear" : "point", srgb ? " sRGB" : "");
            if (mode == 1) sample<F, T2D>(name, texture_of(a, t), at);
            if (linear || mode == 3) sample<F, T2D>(name, texture_of(a, t), between);
        }
}

static void formats() {
    std::vector<unsigned char> bytes;
    std::vector<signed char> chars;
    std::vector<unsigned short> words;
    std::vector<short> shorts;
    std::vector<uchar4> quads;
    std::vector<char4> signs;
    std::vector<uchar2> twos;
    std::vector<ushort2> pairs;
    for (int i = 0; i < 40; i++) {
        bytes.push_back(i * 13 / 2 & 255), chars.push_back((signed char)(i * 13 / 2 - 128)), words.push_back(i * 3361 / 2 & 65535),
            shorts.push_back((short)(i * 1680 - 32768));
        quads.push_back(make_uchar4(i * 26, i * 26 + 1, 255 - i, i * 26 + 13)), signs.push_back(make_char4(i - 128, 127 - i, i, -i));
        twos.push_back(make_uchar2(i, 255 - i)), pairs.push_back(make_ushort2(i * 1700, 65535 - i));
    }
    format<unsigned char, unsigned char>("uchar", bytes, false);
    format<unsigned char, float>("uchar as float", bytes);
    format<signed char, float>("schar as float", chars);
    format<unsigned short, float>("ushort as float", words);
    format<short, float>("short as float", shorts);
    format<short, short>("short", shorts, false);
    format<uchar4, uchar4>("uchar4", quads, false);
    format<uchar4, float4>("uchar4 as float", quads);
    format<uchar4, float4>("uchar4 as float", quads, true, cudaCreateChannelDesc<uchar4>(), true);
    format<char4, float4>("char4 as float", signs);
    format<uchar2, float2>("uchar2 as float", twos);
    format<ushort2, float2>("ushort2 as float", pairs);
    format<ushort2, ushort2>("ushort2", pairs, false);
    format<int, int>("int", {0, 1, -1, INT32_MIN, INT32_MAX, 0x3f800000}, false);
    format<int4, int4>("int4", {{1, 2, 3, 4}, {-1, -2, -3, -4}, {5, 6, 7, 8}}, false);
    format<float2, float2>("float2", {{1, 2}, {3, -4}, {1e10f, 5}, {1e-40f, 6}});
    format<float4, float4>("float4", {{1, 2, 3, 4}, {257, -258, 259, -260}, {5, 6, 7, 8}, {NAN, 1, INFINITY, 0}});
    std::vector<unsigned short> half = {0,      0x3c00, 0xbc00, 0x4000, 0x7bff, 0x0001, 0x03ff, 0x8001,
                                        0x5640, 0x0400, 0x3555, 0x7c00, 0x7e00, 0xfc00, 0x8000, 0x3c00};
    cudaArray_t a = array_of(half, 16, 1, 0, 0, cudaCreateChannelDescHalf());
    Points at, between;
    for (int i = 0; i < 16; i++) at.push_back({i + 0.5f, 0.5f, 0, 0});
    for (int i = 0; i < 40; i++) between.push_back({0.5f + i * 0.26f, 0.5f, 0, 0});
    sample<float, T2D>("half", texture_of(a, Desc()), at);
    sample<float, T2D>("half linear", texture_of(a, Desc(1, true)), between);
    cudaChannelFormatDesc snorm = cudaCreateChannelDesc<cudaChannelFormatKindSignedNormalized8X4>(),
                          unorm = cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized8X4>();
    a = array_of(signs, 40, 1, 0, 0, snorm);
    sample<float4, T2D>("snorm8x4", texture_of(a, Desc()), {at[0], at[1], at[2], at[9]});
    a = array_of(quads, 40, 1, 0, 0, unorm);
    sample<float4, T2D>("unorm8x4 linear", texture_of(a, Desc(1, true)), {between[0], between[1], between[2], between[9]});
}

static void linear_memory() {
    Dev<float> f(texels(64));
    Dev<uchar4> q(std::vector<uchar4>{{1, 2, 3, 4}, {127, 128, 254, 255}, {5, 6, 7, 8}, {9, 10, 11, 12}});
    cudaResourceDesc r = {};
    cudaTextureObject_t t = 0;
    Desc d;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = f.d, r.res.linear.desc = cudaCreateChannelDesc<float>(), r.res.linear.sizeInBytes = 40;
    CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
    sample<float, FETCH>("linear float, 10 of them", t, {{0}, {1}, {9}, {10}, {11}, {63}, {-1}, {-100}, {1e9f}, {-2e9f}});
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
    sample<int, FETCH>("linear int", t, {{0}, {9}, {10}, {-1}});
    r.res.linear.devPtr = q.d, r.res.linear.desc = cudaCreateChannelDesc<uchar4>(), r.res.linear.sizeInBytes = 16;
    CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
    sample<uchar4, FETCH>("linear uchar4", t, {{0}, {1}, {3}, {4}, {-1}});
    d.readMode = cudaReadModeNormalizedFloat;
    CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
    sample<float4, FETCH>("linear uchar4 as float", t, {{0}, {1}, {3}, {4}, {-1}});
    float *pitched;
    size_t pitch;
    CUDA(cudaMallocPitch(&pitched, &pitch, 8 * 4, 8));
    CUDA(cudaMemset2D(pitched, pitch, 0x42, 16 * 4, 8));
    std::vector<float> v = texels(64), c = places();
    CUDA(cudaMemcpy2D(pitched, pitch, v.data(), 32, 32, 8, cudaMemcpyHostToDevice));
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = pitched, r.res.pitch2D.desc = cudaCreateChannelDesc<float>(), r.res.pitch2D.width = r.res.pitch2D.height = 8,
    r.res.pitch2D.pitchInBytes = pitch;
    for (int run = 0; run < 16; run++) {
        char name[80];
        Points p;
        for (size_t i = run & 1; i < c.size(); i += 3) p.push_back({c[i] * (run & 4 ? 0.125f : 1), c[(i * 29 + 11) % c.size()] * (run & 4 ? 0.125f : 1), 0, 0});
        Desc e(run & 3, run >> 3, run >> 2 & 1);
        CUDA(cudaCreateTextureObject(&t, &r, &e, NULL));
        snprintf(name, sizeof name, "pitch %s %s %s", mode_names[run & 3], run & 4 ? "normalized" : "texels", run & 8 ? "linear" : "point");
        sample<float, T2D>(name, t, p);
    }
}

static void gathers() {
    std::vector<uchar4> quads;
    std::vector<float4> floats;
    for (int i = 0; i < 16; i++) quads.push_back(make_uchar4(i, i + 32, i + 64, i + 128)), floats.push_back(make_float4(i, i + 32, i + 64, i + 128));
    cudaArray_t a = array_of(quads, 4, 4, 0, cudaArrayTextureGather), b = array_of(floats, 4, 4, 0, cudaArrayTextureGather),
                one = array_of(texels(16), 4, 4, 0, cudaArrayTextureGather);
    const Points p = {{1, 1}, {0, 0}, {0.5f, 0.5f}, {1.4999f, 2.5001f}, {1.5f, 1.5f}, {4, 4}, {-3, 2}, {1.998f, 1.9985f}, {9, 9}, {NAN, 1}};
    for (int mode : {1, 3}) {
        printf("gather %s\n", mode_names[mode]);
        sample<uchar4, GATHER0>("uchar4 .0", texture_of(a, Desc(mode)), p);
        sample<uchar4, GATHER1>("uchar4 .1", texture_of(a, Desc(mode)), p);
        sample<float4, GATHER2>("uchar4 as float .2", texture_of(a, Desc(mode, true, false, true)), p);
        sample<float4, GATHER3>("float4 .3", texture_of(b, Desc(mode)), p);
        sample<float4, GATHER0>("float .0", texture_of(one, Desc(mode)), p);
        sample<float4, GATHER2>("float .2", texture_of(one, Desc(mode)), p);
    }
    for (int mode : {0, 2}) {
        const Points n = {{0.25f, 0.25f}, {0, 0}, {1, 0.5f}, {-0.3f, 1.6f}};
        sample<float4, GATHER0>(mode ? "float mirror normalized" : "float wrap normalized", texture_of(one, Desc(mode, false, true)), n);
    }
}

/* Surfaces: x is in bytes; 4 by 4 texels, 2 layers. */
template <class T> __global__ void surfaces(cudaSurfaceObject_t s, T *out, int kind, cudaSurfaceBoundaryMode mode, bool write, T value) {
    int i = threadIdx.x, x = (i % 8 - 2) * (int)sizeof(T), y = i / 8 - 1, z = 1;
    if (write) {
        if (kind == 1) surf1Dwrite(value, s, x, mode);
        if (kind == 2) surf2Dwrite(value, s, x, y, mode);
        if (kind == 3) surf3Dwrite(value, s, x, 1, y, mode);
        if (kind == 4) surf2DLayeredwrite(value, s, x, y, z, mode);
        if (kind == 5) surf1DLayeredwrite(value, s, x, y, mode);
        if (kind == 6) surfCubemapwrite(value, s, x, 1, y, mode);
    } else {
        if (kind == 1) out[i] = surf1Dread<T>(s, x, mode);
        if (kind == 2) out[i] = surf2Dread<T>(s, x, y, mode);
        if (kind == 3) out[i] = surf3Dread<T>(s, x, 1, y, mode);
        if (kind == 4) out[i] = surf2DLayeredread<T>(s, x, y, z, mode);
        if (kind == 5) out[i] = surf1DLayeredread<T>(s, x, y, mode);
        if (kind == 6) out[i] = surfCubemapread<T>(s, x, 1, y, mode);
    }
}

template <class T> static void surfaces_of(const char *type, std::vector<T> (*make)(int), T value) {
    const struct {
        const char *name;
        int h, d;
        unsigned flags;
    } shapes[] = {{"1D", 0, 0, 0},
                  {"2D", 4, 0, 0},
                  {"3D", 4, 4, 0},
                  {"2D layers", 4, 2, cudaArrayLayered},
                  {"1D layers", 0, 2, cudaArrayLayered},
                  {"cube", 4, 6, cudaArrayCubemap}};
    for (int kind = 1; kind <= 6; kind++)
        for (int mode = 0; mode < 2; mode++) { /* zero, clamp */
            auto &s = shapes[kind - 1];
            int n = 4 * (s.h ? s.h : 1) * (s.d ? s.d : 1);
            cudaArray_t a = array_of(make(n), 4, s.h, s.d, s.flags | cudaArraySurfaceLoadStore);
            cudaSurfaceObject_t o = surface_of(a);
            Dev<T> out(40);
            if (!o) {
                printf("surface %s %s: none\n", type, s.name);
                continue;
            }
            const cudaSurfaceBoundaryMode m = mode ? cudaBoundaryModeClamp : cudaBoundaryModeZero;
            surfaces<T><<<1, 40>>>(o, out.d, kind, m, false, value);
            char name[80];
            snprintf(name, sizeof name, "surface %s %s %s", type, s.name, mode ? "clamp" : "zero");
            std::vector<T> v = out.get();
            if (kind == 1) v.resize(8);
            printf("%s:", name);
            for (T &e : v) print(rec(e));
            if (m == cudaBoundaryModeZero) {
                surfaces<T><<<1, 40>>>(o, out.d, kind, m, true, value);
                Dev<T> back(40);
                surfaces<T><<<1, 40>>>(o, back.d, kind, m, false, value);
                v = back.get();
                printf("\n... after writes:");
                for (int i = 0; i < (kind == 1 ? 8 : 40); i++) print(rec(v[i]));
            }
            printf("\n");
        }
}

int main() {
    address_modes();
    fractions();
    cubes();
    mipmaps();
    formats();
    linear_memory();
    gathers();
    surfaces_of<float>("float", texels, 3.0f);
    surfaces_of<unsigned char>(
        "uchar",
        [](int n) {
            std::vector<unsigned char> v(n);
            for (int i = 0; i < n; i++) v[i] = i + 1;
            return v;
        },
        0xee);
    surfaces_of<short2>(
        "short2",
        [](int n) {
            std::vector<short2> v(n);
            for (int i = 0; i < n; i++) v[i] = make_short2(i + 1, -i);
            return v;
        },
        make_short2(0x7777, 0x6666));
    CUDA(cudaDeviceSynchronize());
    printf("done\n");
}
