/* values_test.cpp: results of integer, video, conversion and texture functions.
**
** The headers' device functions compiled as host C++ by clang (outside CUDA mode the space keywords
** vanish), against obvious loops and hand-computed values.  Deterministic. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime.h"
#include "cucpu/integer.h"
#include "cucpu/casts.h"
#include "cucpu/video.h"
#include "cucpu/texture.h"

static int failures;
template <typename A, typename B> static void equal(A got, B want, const char *text, int line) {
    if (got == (A)want || failures++ > 50) return;
    printf("FAIL line %d: %s = %.9g, not %.9g\n", line, text, (double)got, (double)want);
}
#define EQUAL(a, b) equal(a, b, #a, __LINE__)

static uint32_t state = 2463534242u;
static uint32_t bits() { return state ^= state << 13, state ^= state >> 17, state ^= state << 5; }

static void test_integers() {
    EQUAL(__clz(0), 32), EQUAL(__clz(1), 31), EQUAL(__clz(-1), 0), EQUAL(__clzll(1), 63);
    EQUAL(__ffs(0), 0), EQUAL(__ffs(8), 4), EQUAL(__ffsll(1ll << 40), 41);
    EQUAL(__popc(0xf0f0u), 8), EQUAL(__brev(1u), 0x80000000u), EQUAL(__brevll(1ull), 1ull << 63);
    EQUAL(__nv_bswap16(0x0102), 0x0201), EQUAL(__nv_bswap32(0x01020304u), 0x04030201u), EQUAL(__nv_bswap64(1ull), 1ull << 56);
    EQUAL(__mul24(-3, 5), -15), EQUAL(__mul24(0x1000003, 2), 6), EQUAL(__umul24(0xff000002u, 3u), 6);
    EQUAL(__mulhi(-1, 1), -1), EQUAL(__umulhi(~0u, ~0u), 0xfffffffeu);
    EQUAL(__mul64hi(-1, 1), -1), EQUAL(__umul64hi(~0ull, 2), 1);
    EQUAL(__byte_perm(0x33221100u, 0x77665544u, 0x7531u), 0x77553311u);
    EQUAL(__byte_perm(0x80u, 0, 0x8888u), 0x80808080u), EQUAL(__byte_perm(0xfbde15b0u, 0x79690975u, 0xb34cu), 0xfbfb7575u);
    EQUAL(__funnelshift_l(0x80000000u, 1u, 1), 3u), EQUAL(__funnelshift_l(5u, 6u, 32), 6u);
    EQUAL(__funnelshift_lc(5u, 6u, 40), 5u), EQUAL(__funnelshift_r(0x2u, 0x1u, 1), 0x80000001u);
    EQUAL(__funnelshift_rc(5u, 6u, 32), 6u);
    EQUAL(__sad(-5, 3, 1u), 9u), EQUAL(__usad(3u, 5u, 1u), 3u);
    EQUAL(__hadd(-3, 2), -1), EQUAL(__rhadd(-3, 2), 0), EQUAL(__uhadd(~0u, 1u), 0x80000000u);
    EQUAL(__dp4a((int)0xff02fe01, 0x01020304, 10), 10 + 1 * 4 - 2 * 3 + 2 * 2 - 1);
    EQUAL(__dp4a(0xff000001u, 0x02000003u, 1u), 255u * 2 + 3 + 1);
    EQUAL(__dp2a_lo(0x00020003, 0x7f7f0504, 1), 1 + 3 * 4 + 2 * 5);
    EQUAL(__dp2a_hi(0x00020003, 0x05047f7f, 1), 1 + 3 * 4 + 2 * 5);
    EQUAL(__fns(0xf0u, 0, 2), 5u), EQUAL(__fns(0xf0u, 7, -1), 7u), EQUAL(__fns(1u, 1, 1), ~0u);
    EQUAL(min(3, 4u), 3u), EQUAL(max(-1, 4u), 0xffffffffu), EQUAL(max(1.0f, NAN), 1.0f);
    EQUAL(min(2.0f, 3.0), 2.0), EQUAL(__hiloint2double(0x3ff00000, 0), 1.0);
    EQUAL(__double2hiint(-2.0), (int)0xc0000000);
}

static void test_casts() {
    EQUAL(__float2int_rn(2.5f), 2), EQUAL(__float2int_rn(3.5f), 4), EQUAL(__float2int_rz(-2.9f), -2);
    EQUAL(__float2int_ru(2.1f), 3), EQUAL(__float2int_rd(-2.1f), -3);
    EQUAL(__float2int_rz(1e20f), INT32_MAX), EQUAL(__float2int_rz(-1e20f), INT32_MIN);
    EQUAL(__float2int_rz(NAN), 0), EQUAL(__float2uint_rz(-5.0f), 0u);
    EQUAL(__float2uint_rz(1e20f), ~0u), EQUAL(__double2ll_rz(1e300), INT64_MAX);
    EQUAL(__double2ull_rz(-1.0), 0ull), EQUAL(__double2uint_rn(4294967295.4), ~0u);
    EQUAL(__double2int_rn(NAN), INT32_MIN), EQUAL(__double2uint_rz(NAN), 1u << 31);
    EQUAL(__float2ll_rd(NAN), INT64_MIN), EQUAL(__float2ull_ru(NAN), 1ull << 63), EQUAL(__double2ull_rn(NAN), 1ull << 63);
}

/* Each video intrinsic against the same formula on unpacked lanes. */
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
template <int n> static int lane(uint32_t v, int i, bool s) {
    const int b = 32 / n;
    uint32_t u = v >> (i * b) & (uint32_t)((1ull << b) - 1);
    return s && u >> (b - 1) ? (int)u - (1 << b) : (int)u;
}
#define LANES(n, call, s, expression)                                                              \
    for (int i = 0; i < n; i++) {                                                                  \
        const int b_ = 32 / n, x = lane<n>(a, i, s), y = lane<n>(b, i, s), top = 1 << (b_ - 1);    \
        (void)top, (void)y;                                                                        \
        EQUAL((uint32_t)lane<n>(call, i, false), (uint32_t)(expression) & (uint32_t)((1ull << b_) - 1)); \
    }
#define VIDEO(n)                                                                                   \
    LANES(n, __vabs##n(a), true, abs(x)) LANES(n, __vabsss##n(a), true, clamp(abs(x), 0, top - 1)) \
    LANES(n, __vneg##n(a), true, -x) LANES(n, __vnegss##n(a), true, clamp(-x, -top, top - 1))      \
    LANES(n, __vadd##n(a, b), false, x + y) LANES(n, __vsub##n(a, b), false, x - y)                \
    LANES(n, __vaddss##n(a, b), true, clamp(x + y, -top, top - 1))                                 \
    LANES(n, __vaddus##n(a, b), false, clamp(x + y, 0, 2 * top - 1))                               \
    LANES(n, __vsubss##n(a, b), true, clamp(x - y, -top, top - 1))                                 \
    LANES(n, __vsubus##n(a, b), false, clamp(x - y, 0, 2 * top - 1))                               \
    LANES(n, __vabsdiffs##n(a, b), true, abs(x - y)) LANES(n, __vabsdiffu##n(a, b), false, abs(x - y)) \
    LANES(n, __vavgu##n(a, b), false, (x + y + 1) / 2) LANES(n, __vhaddu##n(a, b), false, (x + y) / 2) \
    LANES(n, __vmaxs##n(a, b), true, max(x, y)) LANES(n, __vmaxu##n(a, b), false, max(x, y))       \
    LANES(n, __vmins##n(a, b), true, min(x, y)) LANES(n, __vminu##n(a, b), false, min(x, y))       \
    LANES(n, __vcmpeq##n(a, b), false, x == y ? ~0u : 0) LANES(n, __vsetne##n(a, b), false, x != y) \
    LANES(n, __vcmpgts##n(a, b), true, x > y ? ~0u : 0) LANES(n, __vcmpltu##n(a, b), false, x < y ? ~0u : 0) \
    LANES(n, __vsetges##n(a, b), true, x >= y) LANES(n, __vsetleu##n(a, b), false, x <= y)
static void test_video() {
    for (int k = 0; k < 2000; k++) {
        uint32_t a = bits(), b = k & 1 ? bits() : a ^ (bits() & bits() & bits());
        if (k % 5 == 0) a |= 0x80008080u;
        VIDEO(2)
        VIDEO(4)
        uint32_t sum = 0;
        for (int i = 0; i < 4; i++) sum += (uint32_t)abs(lane<4>(a, i, false) - lane<4>(b, i, false));
        EQUAL(__vsadu4(a, b), sum);
        EQUAL(__viaddmax_s32((int)a, (int)b, 7), max((int)(a + b), 7));
        EQUAL(__vimax3_s16x2(a, b, 5u), __vmaxs2(__vmaxs2(a, b), 5u));
    }
}

static CucpuTexture make_texture(void *data, unsigned w, unsigned h, unsigned bits_, unsigned kind) {
    CucpuTexture t = {};
    t.image = CucpuImage{data, w * bits_ / 8, w * h * bits_ / 8, w * h * bits_ / 8, w, h, 1, 1};
    t.nlevels = 1, t.channels = 1, t.bits = bits_, t.kind = kind;
    for (unsigned &m : t.address) m = cudaAddressModeClamp;
    return t;
}
static void test_textures() {
    float f[] = {0, 10, 20, 30, 40, 50, 60, 70};
    CucpuTexture t = make_texture(f, 4, 2, 32, cudaChannelFormatKindFloat);
    cudaTextureObject_t o = (cudaTextureObject_t)&t;
    EQUAL(tex2D<float>(o, 1.5f, 1.5f), 50), EQUAL(tex2D<float>(o, -3.0f, 0.0f), 0);
    EQUAL(tex2D<float>(o, 9.0f, 9.0f), 70), EQUAL(tex1Dfetch<float>(o, 2), 20);
    EQUAL(tex1Dfetch<float>(o, 9), 0), EQUAL(tex1Dfetch<float>(o, -1), 0);
    t.address[0] = t.address[1] = cudaAddressModeBorder;
    EQUAL(tex2D<float>(o, -1.0f, 0.0f), 0);
    t.border[0] = 7;
    EQUAL(tex2D<float>(o, 4.0f, 0.0f), 7);
    t.address[0] = t.address[1] = cudaAddressModeClamp;
    t.filter = cudaFilterModeLinear;
    EQUAL(tex2D<float>(o, 1.0f, 0.5f), 5), EQUAL(tex2D<float>(o, 1.0f, 1.0f), 25);
    EQUAL(tex2D<float>(o, 0.0f, 0.5f), 0), EQUAL(tex2D<float>(o, 0.5f + 1.0f / 1024, 0.5f), 0);
    EQUAL(tex2D<float>(o, 0.5f + 3.0f / 1024, 0.5f), 10.0f / 256); /* weights of 8 bits */
    t.normalized = 1;
    t.address[0] = t.address[1] = cudaAddressModeWrap;
    EQUAL(tex2D<float>(o, 1.0f, 0.25f), 15); /* between texel 3 and, around the edge, texel 0 */
    t.filter = cudaFilterModePoint;
    EQUAL(tex2D<float>(o, 1.125f, 0.25f), 0), EQUAL(tex2D<float>(o, -0.125f, -0.25f), 70);
    t.address[0] = cudaAddressModeMirror;
    EQUAL(tex2D<float>(o, 1.125f, 0.25f), 30), EQUAL(tex2D<float>(o, -0.125f, 0.25f), 0);

    unsigned char c[] = {0, 51, 102, 255};
    CucpuTexture n = make_texture(c, 4, 1, 8, cudaChannelFormatKindUnsigned);
    EQUAL(tex1Dfetch<unsigned char>((cudaTextureObject_t)&n, 2), 102);
    n.read_mode = cudaReadModeNormalizedFloat;
    EQUAL(tex1D<float>((cudaTextureObject_t)&n, 1.2f), 0.2f);
    float4 g = tex2Dgather<float4>(o, 0.5f, 0.5f);
    EQUAL(g.x, 50), EQUAL(g.y, 60), EQUAL(g.z, 20), EQUAL(g.w, 10);

    CucpuSurface s = {t.image, 1, 32, cudaChannelFormatKindFloat, 0};
    surf2Dwrite(99.0f, (cudaSurfaceObject_t)&s, 4, 1);
    EQUAL(f[5], 99), EQUAL(surf2Dread<float>((cudaSurfaceObject_t)&s, 8, 0), 20);
    EQUAL(surf2Dread<float>((cudaSurfaceObject_t)&s, 64, 0, cudaBoundaryModeZero), 0);
    EQUAL(surf2Dread<float>((cudaSurfaceObject_t)&s, 64, 0, cudaBoundaryModeClamp), 30);
}

/* The tables and the API's own helpers. */
static void test_types() {
    EQUAL(sizeof(float3), 12), EQUAL(alignof(float4), 16), EQUAL(alignof(double4), 16);
    EQUAL(alignof(char2), 2), EQUAL(sizeof(long3), 24), EQUAL(dim3(5).y, 1);
    EQUAL(cudaErrorLaunchFailure, 719), EQUAL(cudaDevAttrComputeCapabilityMajor, 75);
    cudaExtent e = make_cudaExtent(1, 2, 3);
    EQUAL(e.depth, 3u);
}

int main() {
    test_integers();
    test_casts();
    test_video();
    test_textures();
    test_types();
    printf("%d failures\n", failures);
    return failures != 0;
}
