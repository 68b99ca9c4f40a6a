// All modes and formats of textures against a reference that takes indices modulo the period; and that a fetch is little code.
// RUN: %cucpu -O3 -DONE -c --emit=llvm --stop-after=normalise_cfg %s -o %t.ll
// RUN: sed -n "/define.*3one/,/^}/p" %t.ll | grep -c "^  %%" | FileCheck --check-prefix=SIZE %s
// SIZE: {{^4..$}}
// RUN: %cucpu -O3 %s -o %t && %run %t | FileCheck %s
// RUN: %also { %cucpu -O3 --cpu=x86-64-v2 %s -o %t && %run %t | FileCheck %s; }
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

struct Image { int n[3]; std::vector<float> texel; float border; };

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
    return inside ? im.texel[(q[2] * im.n[1] + q[1]) * im.n[0] + q[0]] : im.border;
}
// Weights are multiples of 1/256: the parts of one are rounded to that, of the upper ones up, of the lower ones down.
static float part(float whole, float share) { return std::floor(whole * share * 256 + 0.5f) / 256; }
static float expected(const Image &im, const cudaTextureDesc &d, int dims, Place p, float whole = 1) {
    float c[3] = {p.x, p.y, p.z}, share[3] = {0, 1, 0}, sum = 0;
    bool point = d.filterMode == cudaFilterModePoint;
    int at[3] = {0, -1, 0}, q[3];
    for (int a = 0; a < dims; a++) {
        float x = (d.normalizedCoords ? c[a] * (float)im.n[a] : c[a]) - (point ? 0 : 0.5f);
        at[a] = (int)std::floor(x), share[a] = std::floor((x - (float)at[a]) * 256 + 0.5f) / 256;
    }
    if (point) return whole * texel(im, d, dims, at);
    if (dims == 1 && d.addressMode[1] == cudaAddressModeBorder) share[1] = 0.5f; // a row is an image, read at its upper edge
    for (int z = 0; z < 2; z++) {
        float near = part(whole, 1 - share[2]), plane = z ? whole - near : near, right = part(plane, share[0]), left = plane - right;
        float down = part(right, share[1]), up = part(left, 1 - share[1]), weight[4] = {up, right - down, left - up, down};
        for (int i = 0; i < 4; i++) {
            q[0] = at[0] + (i & 1), q[1] = at[1] + (i >> 1), q[2] = at[2] + z;
            sum += weight[i] * (dims == 1 && i < 2 ? im.border : texel(im, d, dims, q));
        }
    }
    return sum;
}
static float expected_level(const std::vector<Image> &im, const cudaTextureDesc &d, Place p, float lod, bool biased) {
    lod = std::fmax(std::fmin(lod + (biased ? d.mipmapLevelBias : 0), d.maxMipmapLevelClamp), d.minMipmapLevelClamp);
    lod = std::fmin(std::fmax(lod, 0), LEVELS - 1);
    if (d.mipmapFilterMode == cudaFilterModePoint) return expected(im[(int)(lod + 0.5f)], d, 2, p);
    int level = (int)lod;
    float share = std::floor((lod - level) * 256) / 256;
    return expected(im[level], d, 2, p, 1 - share) + expected(im[level + 1 < LEVELS ? level + 1 : level], d, 2, p, share);
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
    Image im{{w, dims > 1 ? h : 1, dims > 2 ? D : 1}, {}, value(T(1), false)};
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
            d.readMode = normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType, d.borderColor[0] = 1;
            im.border = !normalized && sizeof(R) != sizeof(float) ? 0 : 1;
            if (!normalized && !linear) im.border = sizeof(T) == 1 ? 0 : 0x3f800000; // whole numbers have its bits
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
        for (int i = 0; i < N; i++) wrong += !same(expected_level(im, d, at[i], how == 4 ? at[i].lod : 0, how == 4), i);
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
