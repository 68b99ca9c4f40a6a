// All modes and formats of textures against a reference that takes indices modulo the period; and that a fetch is little code.
// RUN: %cucpu -O3 -DONE -c --emit=llvm --stop-after=normalise_cfg %s -o %t.ll
// RUN: sed -n "/define.*3one/,/^}/p" %t.ll | grep -c "^  %%" | FileCheck --check-prefix=SIZE %s
// SIZE: {{^2..$}}
// RUN: %cucpu -O3 %s -o %t && %run %t | FileCheck %s
// RUN: %cucpu -O3 --cpu=x86-64-v2 %s -o %t && %run %t | FileCheck %s
// CHECK: {{^}}0 bad of 23
#ifdef ONE
__global__ void one(float *out, cudaTextureObject_t t) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x * 0.7f, 0.5f); }
#else
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N = 200, W = 13, H = 7, D = 5, LEVELS = 3 };
struct Place { float x, y, z, lod; };
static int bad, all;

template <class T> __device__ float first(T v) { return v.x; }
template <> __device__ float first(float v) { return v; }
template <> __device__ float first(int v) { return (float)v; }
template <class T> __global__ void sample(float *out, cudaTextureObject_t t, const Place *at, int how) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    Place p = at[i];
    out[i] = how == 1   ? first(tex1D<T>(t, p.x))
             : how == 2 ? first(tex2D<T>(t, p.x, p.y))
             : how == 3 ? first(tex3D<T>(t, p.x, p.y, p.z))
                        : first(tex2DLod<T>(t, p.x, p.y, p.lod));
}

// ---- the reference, on texels as floats ----

struct Image { int n[3]; std::vector<float> texel; };

static bool around(cudaTextureAddressMode mode, int n, int *i) {
    int twice = ((*i % (2 * n)) + 2 * n) % (2 * n);
    if (mode == cudaAddressModeWrap) *i = twice % n;
    if (mode == cudaAddressModeMirror) *i = twice < n ? twice : 2 * n - 1 - twice;
    if (mode == cudaAddressModeClamp) *i = *i < 0 ? 0 : *i >= n ? n - 1 : *i;
    return *i >= 0 && *i < n;
}
static float texel(const Image &im, const cudaTextureDesc &d, int dims, const int *at) {
    int q[3] = {0, 0, 0};
    bool inside = true;
    for (int a = 0; a < dims; a++) q[a] = at[a], inside &= around(d.addressMode[a], im.n[a], &q[a]);
    return inside ? im.texel[(q[2] * im.n[1] + q[1]) * im.n[0] + q[0]] : d.borderColor[0];
}
static float expected(const Image &im, const cudaTextureDesc &d, int dims, Place p) {
    float c[3] = {p.x, p.y, p.z}, share[3], sum = 0;
    bool point = d.filterMode == cudaFilterModePoint;
    int at[3], q[3];
    for (int a = 0; a < dims; a++) {
        float x = (d.normalizedCoords ? c[a] * (float)im.n[a] : c[a]) - (point ? 0 : 0.5f);
        at[a] = (int)std::floor(x), share[a] = std::rint((x - (float)at[a]) * 256) / 256;
    }
    if (point) return texel(im, d, dims, at);
    for (int corner = 0; corner < 1 << dims; corner++) {
        float weight = 1;
        for (int a = 0; a < dims; a++) q[a] = at[a] + (corner >> a & 1), weight *= corner >> a & 1 ? share[a] : 1 - share[a];
        sum += weight * texel(im, d, dims, q);
    }
    return sum;
}
static float expected_level(const std::vector<Image> &im, const cudaTextureDesc &d, Place p, float lod) {
    lod = std::fmin(std::fmax(lod + d.mipmapLevelBias, d.minMipmapLevelClamp), d.maxMipmapLevelClamp);
    lod = std::fmin(std::fmax(lod, 0), LEVELS - 1);
    if (d.mipmapFilterMode == cudaFilterModePoint) return expected(im[(int)(lod + 0.5f)], d, 2, p);
    int level = (int)lod;
    float share = std::rint((lod - level) * 256) / 256;
    return (1 - share) * expected(im[level], d, 2, p) + share * expected(im[level + 1 < LEVELS ? level + 1 : level], d, 2, p);
}

// ---- comparisons ----

static float *out;
static Place *at;

static void places(bool normalized) {
    for (int i = 0; i < N; i++) { // multiples of 1/64: products with sizes are exact, and lie between texels
        float s = normalized ? 1 : 8;
        at[i] = Place{(rand() % 257 - 96) * s / 64 + 1 / 2048.f, (rand() % 257 - 96) * s / 64 + 1 / 2048.f,
                      (rand() % 257 - 96) * s / 64 + 1 / 2048.f, (rand() % 80) / 16.f - 1};
    }
}
static bool same(float want, int i) { return std::fabs(out[i] - want) <= 1e-4f * (1 + std::fabs(want)); }

static float value(unsigned char v, bool normalized) { return normalized ? v / 255.f : v; }
static float value(short v, bool normalized) { return normalized ? std::fmax(v / 32767.f, -1) : v; }
static float value(int v, bool) { return (float)v; }
static float value(float v, bool) { return v; }

template <class T, class R> static Image fill(cudaArray_t array, int dims, int w, int h, int channels, bool normalized) {
    Image im{{w, dims > 1 ? h : 1, dims > 2 ? D : 1}, {}};
    int n = im.n[0] * im.n[1] * im.n[2];
    std::vector<T> raw(n * channels);
    for (T &v : raw) v = (T)(rand() % 256);
    for (int i = 0; i < n; i++) im.texel.push_back(value(raw[i * channels], normalized));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(raw.data(), w * channels * sizeof(T), w, im.n[1]);
    p.dstArray = array, p.extent = make_cudaExtent(w, im.n[1], im.n[2]), p.kind = cudaMemcpyHostToDevice;
    if (cudaMemcpy3D(&p)) bad++;
    return im;
}
template <class T, class R> static void formats(const cudaChannelFormatDesc &f, int channels, bool normalized, bool linear) {
    for (int dims = 1; dims <= 3; dims++) {
        cudaArray_t array;
        cudaMalloc3DArray(&array, &f, make_cudaExtent(W, dims > 1 ? H : 0, dims > 2 ? D : 0));
        Image im = fill<T, R>(array, dims, W, H, channels, normalized);
        int wrong = 0;
        for (int mode = 0; mode < 16 * (linear ? 2 : 1); mode++) {
            cudaResourceDesc r = {};
            r.resType = cudaResourceTypeArray, r.res.array.array = array;
            cudaTextureDesc d = {};
            d.normalizedCoords = mode >> 3 & 1, d.filterMode = (cudaTextureFilterMode)(mode >> 4);
            for (int a = 0; a < 3; a++) d.addressMode[a] = (cudaTextureAddressMode)((mode + (mode & 4 ? a : 0)) & 3);
            d.readMode = normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType, d.borderColor[0] = 3;
            cudaTextureObject_t t;
            if (cudaCreateTextureObject(&t, &r, &d, nullptr)) bad++;
            for (auto &m : d.addressMode)
                if (!d.normalizedCoords && m != cudaAddressModeBorder) m = cudaAddressModeClamp;
            places(d.normalizedCoords);
            sample<R><<<2, 128>>>(out, t, at, dims);
            if (cudaDeviceSynchronize()) bad++;
            for (int i = 0; i < N; i++) wrong += !same(expected(im, d, dims, at[i]), i);
            cudaDestroyTextureObject(t);
        }
        if (wrong) printf("%d bits, %d channels, %d dimensions: %d wrong\n", f.x, channels, dims, wrong);
        bad += wrong != 0, all++;
        cudaFreeArray(array);
    }
}
static void levels(float bias, bool linear) {
    auto f = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t array;
    cudaMallocMipmappedArray(&array, &f, make_cudaExtent(16, 8, 0), LEVELS);
    std::vector<Image> im;
    for (int l = 0; l < LEVELS; l++) {
        cudaArray_t level;
        cudaGetMipmappedArrayLevel(&level, array, l);
        im.push_back(fill<float, float>(level, 2, 16 >> l, 8 >> l, 1, false));
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = array;
    cudaTextureDesc d = {};
    d.normalizedCoords = 1, d.filterMode = cudaFilterModeLinear, d.maxMipmapLevelClamp = 1.75f, d.mipmapLevelBias = bias;
    d.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureObject_t t;
    if (cudaCreateTextureObject(&t, &r, &d, nullptr)) bad++;
    places(true);
    for (int how = 2; how <= 4; how += 2) {
        int wrong = 0;
        sample<float><<<2, 128>>>(out, t, at, how);
        if (cudaDeviceSynchronize()) bad++;
        for (int i = 0; i < N; i++) wrong += !same(expected_level(im, d, at[i], how == 4 ? at[i].lod : 0), i);
        if (wrong) printf("levels, bias %g, %s: %d wrong\n", bias, how == 4 ? "tex2DLod" : "tex2D", wrong);
        bad += wrong != 0, all++;
    }
    cudaDestroyTextureObject(t), cudaFreeMipmappedArray(array);
}
int main() {
    cudaMallocManaged(&out, N * sizeof *out), cudaMallocManaged(&at, N * sizeof *at);
    formats<float, float>(cudaCreateChannelDesc<float>(), 1, false, true);
    formats<unsigned char, float4>(cudaCreateChannelDesc<uchar4>(), 4, true, true);
    formats<short, float2>(cudaCreateChannelDesc<short2>(), 2, true, true);
    formats<int, int>(cudaCreateChannelDesc<int>(), 1, false, false);
    formats<unsigned char, uchar4>(cudaCreateChannelDesc<uchar4>(), 4, false, false);
    levels(0, true), levels(0.5f, true), levels(1, true), levels(0.75f, false);
    printf("%d bad of %d\n", bad, all);
}
#endif
