// Textures against the guide's "Texture Fetching": address modes, filters, layers, cubes, levels of detail, formats; gathers; surfaces.
// REQUIRES: run
// RUN: %cucpu -O2 --simd=8 %s -o %t && %run %t
// RUN: %also { %cucpu -O2 --simd=1 %s -o %t && %run %t; }
#include "check.h"

enum { W = 16, H = 8, D = 3, N = 2000 };
static float texels[D][H][W];

struct At { float x, y, z; int layer; };

template <int kind> __global__ void sample(cudaTextureObject_t t, const At *at, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    At a = at[i];
    out[i] = kind == 0 ? tex1D<float>(t, a.x) : kind == 1 ? tex2D<float>(t, a.x, a.y)
             : kind == 2 ? tex3D<float>(t, a.x, a.y, a.z) : tex2DLayered<float>(t, a.x, a.y, a.layer);
}

/* Index of a texel by the address mode, or -1: border. */
static int wrap(int mode, bool normalized, int i, int n) {
    if (mode == cudaAddressModeBorder) return i < 0 || i >= n ? -1 : i;
    if (mode == cudaAddressModeClamp || !normalized) return i < 0 ? 0 : i >= n ? n - 1 : i;
    int period = mode == cudaAddressModeWrap ? n : 2 * n, r = (i % period + period) % period;
    return r < n ? r : 2 * n - 1 - r;
}

static double expect(int dims, int mode, bool normalized, bool linear, At a, double border) {
    const int n[3] = {W, H, D};
    double c[3] = {a.x, a.y, a.z}, weight[3], sum = 0;
    int first[3];
    for (int d = 0; d < 3; d++) {
        double v = c[d] * (normalized ? n[d] : 1) - (linear ? 0.5 : 0);
        first[d] = (int)floor(v);
        weight[d] = floor((v - first[d]) * 256 + 0.5) / 256;
    }
    for (int corner = 0; corner < (linear ? 1 << dims : 1); corner++) { /* a layer below 0 is the last */
        int at[3] = {0, 0, (unsigned)a.layer < D ? a.layer : D - 1};
        double w = 1;
        for (int d = 0; d < dims; d++) {
            int up = corner >> d & 1;
            if (linear) w *= up ? weight[d] : 1 - weight[d];
            at[d] = wrap(mode, normalized, first[d] + up, n[d]);
        }
        sum += w * (at[0] < 0 || at[1] < 0 || at[2] < 0 ? border : texels[at[2]][at[1]][at[0]]);
    }
    /* to a filter a row is an image that it reads at the upper edge */
    return dims == 1 && linear && mode == cudaAddressModeBorder ? (sum + border) / 2 : sum;
}

static cudaTextureObject_t texture_of(cudaArray_t a, cudaTextureDesc t) {
    cudaResourceDesc r = {};
    cudaTextureObject_t object;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    CUDA(cudaCreateTextureObject(&object, &r, &t, NULL));
    return object;
}

template <class T> static cudaArray_t array_of(const T *data, int w, int h, int d, unsigned flags,
                                               cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>()) {
    cudaMemcpy3DParms p = {};
    CUDA(cudaMalloc3DArray(&p.dstArray, &desc, make_cudaExtent(w, h, d), flags));
    p.srcPtr = make_cudaPitchedPtr((void *)data, w * sizeof(T), w, h ? h : 1);
    p.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    return p.dstArray;
}

static void modes_and_filters() {
    for (int i = 0; i < W * H * D; i++) (&texels[0][0][0])[i] = (i * 7 + i / 16 * 13) % 31 + i % 16 * 0.25f;
    const float *data = &texels[0][0][0];
    const cudaArray_t arrays[] = {array_of(data, W, 0, 0, 0), array_of(data, W, H, 0, 0), array_of(data, W, H, D, 0),
                                  array_of(data, W, H, D, cudaArrayLayered)};
    const int dims[] = {1, 2, 3, 2};
    Random random(5);
    for (int run = 0; run < 64; run++) {
        int kind = run & 3, mode = run >> 2 & 3, before = failures;
        bool normalized = run >> 4 & 1, linear = run >> 5;
        std::vector<At> at(N);
        for (At &a : at) {
            a = {random.uniform(-1.5f, 2.5f), random.uniform(-1.5f, 2.5f), random.uniform(-1.5f, 2.5f),
                 kind == 3 ? (int)random.below(5) - 1 : 0};
            if (!normalized) a.x *= W, a.y *= H, a.z *= D;
        }
        Buffer<At> in(at);
        Buffer<float> out(N);
        cudaTextureDesc t = {};
        for (auto &m : t.addressMode) m = (cudaTextureAddressMode)mode;
        t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        t.normalizedCoords = normalized;
        t.borderColor[0] = 40;
        auto kernel = kind == 0 ? sample<0> : kind == 1 ? sample<1> : kind == 2 ? sample<2> : sample<3>;
        cudaTextureObject_t object = texture_of(arrays[kind], t);
        kernel<<<N / 100, 100>>>(object, in, out);
        std::vector<float> got = out.get();
        for (int i = 0; i < N; i++) /* a weight may be rounded the other way: 1/256 of the range */
            CHECK(fabs(got[i] - expect(dims[kind], mode, normalized, linear, at[i], 40)) <= (linear ? 0.5 : 0));
        CUDA(cudaDestroyTextureObject(object));
        if (failures > before) printf("... kind %d, mode %d, normalized %d, linear %d\n", kind, mode, normalized, linear);
    }
    for (cudaArray_t a : arrays) CUDA(cudaFreeArray(a));
}

__global__ void faces(cudaTextureObject_t cube, cudaTextureObject_t cubes, float *out) {
    const float3 to[6] = {{2, .1f, 0}, {-1, 0, .2f}, {0, 3, .1f}, {.1f, -1, 0}, {0, .2f, 1}, {.3f, 0, -1}};
    int i = threadIdx.x;
    float3 d = to[i % 6];
    float4 none = {0, 0, 0, 0};
    out[i] = i < 6    ? texCubemap<float>(cube, d.x, d.y, d.z)
             : i < 12 ? texCubemapLayeredLod<float>(cubes, d.x, d.y, d.z, 1, 0)
                      : texCubemapLayeredGrad<float>(cubes, d.x, d.y, d.z, 1, none, none);
}

static void cubes() {
    std::vector<float> data(16 * 12), want(18);
    for (int i = 0; i < 16 * 12; i++) data[i] = i / 16;
    for (int i = 0; i < 18; i++) want[i] = i % 6 + (i < 6 ? 0 : 6);
    cudaTextureDesc t = {};
    t.normalizedCoords = 1;
    t.filterMode = cudaFilterModeLinear;
    Buffer<float> out(18);
    faces<<<1, 18>>>(texture_of(array_of(data.data(), 4, 4, 6, cudaArrayCubemap), t),
                     texture_of(array_of(data.data(), 4, 4, 12, cudaArrayCubemap | cudaArrayLayered), t), out);
    SAME(out.get(), want);
}

/* Footprints of two texels, level 1: 2 of 16 in x, or, at the cube, 4 of the 16 texels from -1 to 1. */
__global__ void footprints(cudaTextureObject_t one, cudaTextureObject_t two, cudaTextureObject_t cube, float *out) {
    float d = 2 / 16.0f;
    out[0] = tex1DLayeredGrad<float>(one, 0.5f, 1, d, 0);
    out[1] = tex2DLayeredGrad<float>(two, 0.5f, 0.5f, 1, make_float2(0, d), make_float2(d / 2, 0));
    out[2] = tex1DLayeredLod<float>(one, 0.5f, 1, 2);
    out[3] = texCubemapGrad<float>(cube, 0, 0, -1, make_float4(0, 2 * d, 0, 0), make_float4(0, 0, 0, 0));
    out[4] = texCubemapGrad<float>(cube, 2, 0, 0, make_float4(0, 0, 4 * d, 0), make_float4(0, 0, 0, 0));
}

static cudaTextureObject_t levels_of(int h, int layers, unsigned flags) {
    cudaMipmappedArray_t m;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(16, h, layers), 3, flags));
    for (int level = 0; level < 3; level++) {
        cudaMemcpy3DParms p = {};
        int w = 16 >> level, rows = h ? h >> level : 1;
        std::vector<float> data(w * rows * layers, 10.0f * level);
        CUDA(cudaGetMipmappedArrayLevel(&p.dstArray, m, level));
        p.srcPtr = make_cudaPitchedPtr(data.data(), w * sizeof(float), w, rows);
        p.extent = make_cudaExtent(w, rows, layers);
        p.kind = cudaMemcpyHostToDevice;
        CUDA(cudaMemcpy3D(&p));
    }
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    cudaTextureObject_t object;
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    t.normalizedCoords = 1;
    t.filterMode = t.mipmapFilterMode = cudaFilterModeLinear;
    t.maxMipmapLevelClamp = 2;
    CUDA(cudaCreateTextureObject(&object, &r, &t, NULL));
    return object;
}

static void details() {
    Buffer<float> out(5);
    footprints<<<1, 1>>>(levels_of(0, 2, cudaArrayLayered), levels_of(16, 2, cudaArrayLayered), levels_of(16, 6, cudaArrayCubemap), out);
    SAME(out.get(), (std::vector<float>{10, 10, 20, 10, 10}));
}

/* Each level is made of the one above it, through a surface. */
__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to, int n) {
    int i = threadIdx.x;
    if (i < n) surf2Dwrite(tex2D<float>(from, (i + 0.5f) / n, 0.5f), to, i * 4, 0);
}

static void levels_by_surfaces() {
    cudaMipmappedArray_t m;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(8, 1, 0), 4));
    cudaArray_t level[4];
    for (int i = 0; i < 4; i++) CUDA(cudaGetMipmappedArrayLevel(&level[i], m, i));
    const float row[8] = {1, 3, 5, 7, 2, 4, 6, 100};
    float got = 0;
    CUDA(cudaMemcpy2DToArray(level[0], 0, 0, row, 32, 32, 1, cudaMemcpyHostToDevice));
    cudaTextureDesc t = {};
    t.normalizedCoords = 1;
    t.filterMode = cudaFilterModeLinear;
    for (auto &mode : t.addressMode) mode = cudaAddressModeClamp;
    for (int i = 1; i < 4; i++) {
        cudaResourceDesc r = {};
        cudaSurfaceObject_t s;
        r.resType = cudaResourceTypeArray;
        r.res.array.array = level[i];
        CUDA(cudaCreateSurfaceObject(&s, &r));
        halve<<<1, 8>>>(texture_of(level[i - 1], t), s, 8 >> i);
    }
    CUDA(cudaMemcpy2DFromArray(&got, 4, level[3], 0, 0, 4, 1, cudaMemcpyDeviceToHost));
    CHECK(got == 16);
}

__global__ void formats(cudaTextureObject_t bytes, cudaTextureObject_t gather, float4 *out, uchar4 *quads) {
    int i = threadIdx.x;
    if (i < 2) out[i] = tex2D<float4>(bytes, i + 0.5f, 0.5f);
    if (gather && i < 4) quads[i] = tex2Dgather<uchar4>(gather, 1, 1, i);
}

static void formats_and_gathers() {
    const char4 bytes[2] = {{-128, -127, 0, 127}, {1, -1, 64, 5}};
    const uchar4 square[4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}};
    cudaTextureDesc t = {}, element = {};
    t.readMode = cudaReadModeNormalizedFloat;
    Buffer<float4> out(2);
    Buffer<uchar4> quads(4);
    formats<<<1, 32>>>(texture_of(array_of(bytes, 2, 1, 0, 0), t), texture_of(array_of(square, 2, 2, 0, cudaArrayTextureGather), element), out, quads);
    std::vector<float4> f = out.get();
    cudaTextureObject_t snorm = texture_of(
        array_of(bytes, 2, 1, 0, 0, cudaCreateChannelDesc<cudaChannelFormatKindSignedNormalized8X4>()), t);
    CUDA(cudaMemset(out, 0, 2 * sizeof(float4)));
    formats<<<1, 2>>>(snorm, 0, out, quads);
    std::vector<float4> again = out.get();
    CHECK(!memcmp(f.data(), again.data(), sizeof(float4) * 2));
    cudaArray_t none;
    cudaChannelFormatDesc odd = cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindSignedNormalized8X4);
    CHECK(cudaMallocArray(&none, &odd, 4) == cudaErrorInvalidChannelDescriptor);
    odd = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed1);
    CHECK(cudaMallocArray(&none, &odd, 4) == cudaErrorInvalidChannelDescriptor);
    CHECK(cudaGetLastError() == cudaErrorInvalidChannelDescriptor);
    CHECK(f[0].x == -1 && f[0].y == -1 && f[0].z == 0 && f[0].w == 1 && f[1].x == 1 / 127.0f && f[1].y == -1 / 127.0f);
    std::vector<uchar4> q = quads.get();
    for (int c = 0; c < 4; c++) CHECK(q[c].x == 8 + c && q[c].y == 12 + c && q[c].z == 4 + c && q[c].w == c);
}

__global__ void borders(cudaSurfaceObject_t s, float *out, cudaSurfaceBoundaryMode mode) {
    int x = (int)threadIdx.x - 2, y = (int)threadIdx.y - 1;
    out[threadIdx.y * 8 + threadIdx.x] = surf2Dread<float>(s, x * 4, y, mode);
}
__global__ void fill(cudaSurfaceObject_t s, float value) {
    surf2Dwrite(value, s, ((int)threadIdx.x - 2) * 4, (int)threadIdx.y - 1, cudaBoundaryModeZero);
}

static void surfaces() {
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array_of(&texels[0][0][0], 4, 4, 0, cudaArraySurfaceLoadStore);
    CUDA(cudaCreateSurfaceObject(&s, &r));
    for (cudaSurfaceBoundaryMode mode : {cudaBoundaryModeZero, cudaBoundaryModeClamp}) {
        Buffer<float> out(48);
        borders<<<1, dim3(8, 6)>>>(s, out, mode);
        std::vector<float> want(48), got = out.get();
        for (int i = 0; i < 48; i++) {
            int x = i % 8 - 2, y = i / 8 - 1, cx = wrap(1, false, x, 4), cy = wrap(1, false, y, 4);
            bool inside = x == cx && y == cy;
            want[i] = inside || mode == cudaBoundaryModeClamp ? (&texels[0][0][0])[cy * 4 + cx] : 0;
        }
        SAME(got, want);
    }
    std::vector<float> back(16);
    fill<<<1, dim3(8, 6)>>>(s, 3);
    CUDA(cudaMemcpy2DFromArray(back.data(), 16, r.res.array.array, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    SAME(back, std::vector<float>(16, 3.0f));
}

int main() {
    modes_and_filters();
    cubes();
    details();
    levels_by_surfaces();
    formats_and_gathers();
    surfaces();
    return finish();
}
