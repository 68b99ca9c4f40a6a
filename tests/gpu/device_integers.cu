// Integer functions of the device, words of two and four numbers, divisions: what a GPU answers.
// REQUIRES: run
// RUN: %cucpu -w -std=c++17 %s -o %t && %run %t > %t.out && %python %S/Inputs/compare.py %S/Inputs/device_integers.txt %S/Inputs/device_integers.known %t.out
#include "Inputs/values.h"

#define BITS(X) X(__brev(x)) X(__clz(x)) X(__ffs(x)) X(__popc(x)) X(__brevll(v)) X(__clzll(v)) X(__ffsll(v)) X(__popcll(v)) X(__fns(x, 0, 1)) \
    X(__fns(x, 31, -1)) X(__fns(x, 7, 2)) X(__fns(x, 7, 0)) X(abs((int)x)) X(llabs((long long)v)) X(min((int)x, (int)y)) X(max(x, y)) \
    X(min((long long)v, (long long)w)) X(max(v, w))
#define PRODUCTS(X) X(__mulhi((int)x, (int)y)) X(__umulhi(x, y)) X(__mul64hi((long long)v, (long long)w)) X(__umul64hi(v, w)) X(__mul24((int)x, (int)y)) \
    X(__umul24(x, y)) X(__sad((int)x, (int)y, z)) X(__usad(x, y, z)) X(__hadd((int)x, (int)y)) X(__rhadd((int)x, (int)y)) X(__uhadd(x, y)) X(__urhadd(x, y)) \
    X(__dp4a((int)x, (int)y, (int)z)) X(__dp4a(x, y, z)) X(__dp2a_lo((int)x, (int)y, (int)z)) X(__dp2a_lo(x, y, z)) X(__dp2a_hi((int)x, (int)y, (int)z)) \
    X(__dp2a_hi(x, y, z)) X(__dp4a(as<char4>(x), as<char4>(y), (int)z)) X(__dp4a(as<uchar4>(x), as<uchar4>(y), z)) \
    X(__dp2a_lo(as<short2>(x), as<char4>(y), (int)z)) X(__dp2a_hi(as<short2>(x), as<char4>(y), (int)z)) X(__dp2a_lo(as<ushort2>(x), as<uchar4>(y), z)) \
    X(__dp2a_hi(as<ushort2>(x), as<uchar4>(y), z))
#define DIVISIONS(X) X((int)x / (int)y) X((int)x % (int)y) X(x / y) X(x % y) X((long long)v / (long long)w) X((long long)v % (long long)w) X(v / w) X(v % w) \
    X((short)x / (short)y) X((short)x % (short)y) X((unsigned char)x / (unsigned char)y) X((signed char)x % (signed char)y) X((int)x / (short)y) \
    X((long long)v / (int)y) X(v % y)
#define SHIFTS(X) X(__funnelshift_l(x, z, y)) X(__funnelshift_lc(x, z, y)) X(__funnelshift_r(x, z, y)) X(__funnelshift_rc(x, z, y)) X(x << y) X(x >> y) \
    X((int)x >> y) X(v << y) X(v >> y) X((long long)v >> y) X((u32)((u64)x << y)) X((unsigned char)x << y) X(asm_shift(x, y))
#define PERMUTATIONS(X) X(__byte_perm(x, z, y)) X(prmt_f4e(x, z, y)) X(prmt_b4e(x, z, y)) X(prmt_rc8(x, z, y)) X(prmt_ecl(x, z, y)) X(prmt_ecr(x, z, y)) \
    X(prmt_rc16(x, z, y)) X(bfe_s(x, y, z & 255)) X(bfe_u(x, y, z & 255)) X(bfi(x, z, y & 255, y >> 8 & 255))
#define W1(X) X(__vabs2(x)) X(__vabs4(x)) X(__vabsss2(x)) X(__vabsss4(x)) X(__vneg2(x)) X(__vneg4(x)) X(__vnegss2(x)) X(__vnegss4(x))
#define BOTH(X, f) X(__v##f##2(x, y)) X(__v##f##4(x, y))
#define SU(X, f) BOTH(X, f##s) BOTH(X, f##u)
#define W2(X) BOTH(X, absdiffs) BOTH(X, absdiffu) BOTH(X, add) BOTH(X, addss) BOTH(X, addus) BOTH(X, avgs) BOTH(X, avgu) BOTH(X, haddu) SU(X, max) SU(X, min) \
    BOTH(X, sads) BOTH(X, sadu) BOTH(X, sub) BOTH(X, subss) BOTH(X, subus)
#define COMPARE(X, c) BOTH(X, c##eq) BOTH(X, c##ne) SU(X, c##ge) SU(X, c##gt) SU(X, c##le) SU(X, c##lt)
#define CMP(X) COMPARE(X, cmp) COMPARE(X, set)
#define THREE(X, f) X(__vi##f##_s32(x, y, z)) X(__vi##f##_u32(x, y, z)) X(__vi##f##_s16x2(x, y, z)) X(__vi##f##_u16x2(x, y, z)) \
    X(__vi##f##_s32_relu(x, y, z)) X(__vi##f##_s16x2_relu(x, y, z))
#define BOOL(X, f) X(__vib##f##_s32(x, y, &p) + 0 * p) X((__vib##f##_s32(x, y, &p), p)) X(__vib##f##_u32(x, y, &p)) X((__vib##f##_u32(x, y, &p), p)) \
    X(__vib##f##_s16x2(x, y, &p, &q)) X((__vib##f##_s16x2(x, y, &p, &q), p * 2 + q)) X(__vib##f##_u16x2(x, y, &p, &q)) \
    X((__vib##f##_u16x2(x, y, &p, &q), p * 2 + q))
#define DPX(X) THREE(X, addmax) THREE(X, addmin) THREE(X, max3) THREE(X, min3) BOOL(X, max) BOOL(X, min) X(__vimax_s32_relu(x, y)) X(__vimin_s32_relu(x, y)) \
    X(__vimax_s16x2_relu(x, y)) X(__vimin_s16x2_relu(x, y))

template <class T> __device__ T as(u32 x) {
    T t;
    memcpy(&t, &x, 4);
    return t;
}
#define ASM3(name, code)                                                                                                                                       \
    __device__ u32 name(u32 x, u32 z, u32 y) {                                                                                                                 \
        u32 r;                                                                                                                                                 \
        asm(code " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(z), "r"(y));                                                                                       \
        return r;                                                                                                                                              \
    }
ASM3(prmt_f4e, "prmt.b32.f4e")
ASM3(prmt_b4e, "prmt.b32.b4e")
ASM3(prmt_rc8, "prmt.b32.rc8") ASM3(prmt_ecl, "prmt.b32.ecl") ASM3(prmt_ecr, "prmt.b32.ecr") ASM3(prmt_rc16, "prmt.b32.rc16") ASM3(bfe_s, "bfe.s32")
    ASM3(bfe_u, "bfe.u32") __device__ u32 bfi(u32 x, u32 z, u32 at, u32 count) {
    u32 r;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(z), "r"(at), "r"(count));
    return r;
}
__device__ u32 asm_shift(u32 x, u32 y) {
    u32 r;
    asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    return r;
}

/* Rows as of TABLE, with v and w: the operands x, z and y, z as 64 bits. */
#define WORDS(name, OPS)                                                                                                                                       \
    static const char *const name##_names[] = {OPS(NAME)};                                                                                                     \
    __global__ void name(const u32 *a, const u32 *b, const u32 *c, Rec *o, int n) {                                                                            \
        int i = threadIdx.x, k = 0;                                                                                                                            \
        bool p = false, q = false;                                                                                                                             \
        if (i >= n) return;                                                                                                                                    \
        u32 x = a[i], y = b[i], z = c[i];                                                                                                                      \
        u64 v = x | (u64)z << 32, w = y | (u64)c[n - 1 - i] << 32;                                                                                             \
        OPS(EVAL)                                                                                                                                              \
    }                                                                                                                                                          \
    static void name##_run(const std::vector<u32> &a, const std::vector<u32> &b, const std::vector<u32> &c) {                                                  \
        int n = (int)a.size();                                                                                                                                 \
        const size_t count = sizeof(name##_names) / sizeof(char *);                                                                                            \
        Dev<u32> da(a), db(b), dc(c);                                                                                                                          \
        Dev<Rec> o(count *n);                                                                                                                                  \
        printf("-- " #name "\n");                                                                                                                              \
        row("x", a), row("y", b), row("z", c);                                                                                                                 \
        name<<<1, n>>>(da.d, db.d, dc.d, o.d, n);                                                                                                              \
        rows(name##_names, count, o, n);                                                                                                                       \
    }
WORDS(bits, BITS)
WORDS(products, PRODUCTS)
WORDS(divisions, DIVISIONS) WORDS(shifts, SHIFTS) WORDS(permutations, PERMUTATIONS) WORDS(words_one, W1) WORDS(words, W2) WORDS(words_compared, CMP)
    WORDS(dpx, DPX)

        int main() {
    const std::vector<u32> a = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff, 0x80808080, 0x7fff8000,
                                0x80017ffe, 0x12345678, 0x00ff00ff, 0x7f7f7f7f, 0x01fe80ff, 0xffff0001, 0x00010002};
    const std::vector<u32> b = {0,          0xffffffff, 0xffffffff, 0xffffffff, 1,          0x7f7f7f7f, 0x80007fff,
                                0x80017ffe, 0x87654321, 0xff00ff00, 0x01010101, 0x80ff0180, 0x0001ffff, 0x00020001};
    const std::vector<u32> c = {0, 0, 0xffffffff, 0x80000000, 0x7fffffff, 5, 0x00010001, 0xfffe0002, 0x0000ffff, 0xf0f0f0f0, 0x80000001, 0xffffffff, 0, 1};
    bits_run(a, b, c);
    products_run(a, b, c);
    words_one_run(a, b, c);
    words_run(a, b, c);
    words_compared_run(a, b, c);
    dpx_run(a, b, c);
    dpx_run(b, c, a);
    divisions_run({0x80000000, 7, 0, 0xffffffff, 0x80000000, 100, 0xfffffff9, 7, 0xffffffff, 0x7fffffff, 0x80000001, 0x00008000},
                  {0xffffffff, 0, 0, 0, 0, 7, 2, 0xfffffffe, 0xffffffff, 0x80000000, 3, 0xffff},
                  {0x80000000, 0, 0, 0xffffffff, 0x80000000, 0, 0xffffffff, 5, 0, 0xffffffff, 0, 0xffffffff});
    divisions_run({0, 0, 5, 0xffffffff, 0, 0, 1, 1}, {0xffffffff, 0, 0, 0, 0xffffffff, 0, 0, 0}, {0x80000000, 0x80000000, 0, 0xffffffff, 0, 0, 0, 0xffffffff});
    divisions_run({5, 0xffffffff, 0, 7}, {0, 0, 0, 0}, {0, 0xffffffff, 0, 0}); /* also 64 bits of 0 as the divisor: z backwards */
    std::vector<u32> counts, value, other;
    for (u32 i : {0, 1, 7, 8, 15, 16, 24, 31, 32, 33, 40, 47, 63, 64, 65, 127, 128, 255, 256, 511, -1, -2, 1 << 31, 1 << 30})
        counts.push_back(i), value.push_back(0x89abcdef), other.push_back(0xf1234567);
    shifts_run(value, counts, other);
    std::vector<u32> selectors = {0x3210, 0x7654, 0x0123,  0x4567,     0x5140,  0x7362,     0x0000, 0x7777, 0x8888, 0xffff, 0xba98, 0xfedc,
                                  0x89ab, 0xc3d2, 0x123f8, 0xffffffff, 0x10000, 0x80000001, 0x2,    0x3,    0x1f04, 0x2020, 0x0820, 0x2108};
    std::vector<u32> x(24, 0x81327f04), z(24, 0x95f66007);
    permutations_run(x, selectors, z);
    for (size_t i = 0; i < 24; i++)
        x[i] = 0x80f07f91, z[i] = "\0\1\7\x8\x10\x1f\x20\x21\x40\xff\x4\x18\x9\x2\x1e\x3\0\1\7\x8\x10\x1f\x20\x21"[i],
        selectors[i] = i < 16   ? i * 3
                       : i < 20 ? 31 + i
                                : 1 << (i - 12);
    permutations_run(x, selectors, z);
    printf("done\n");
}
