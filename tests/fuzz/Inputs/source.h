/* source.h: what the programs of source.py share: intrinsics with a host version each, arithmetic without undefined results, and the comparison. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>

#define HD __host__ __device__
#ifdef __CUDA_ARCH__
#define EITHER(device, host) device
#else
#define EITHER(device, host) host
#endif

typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_;
typedef long long ll;
typedef unsigned long long ull;

/* ---- on the host, by the definition ---- */

static inline int host_popc(unsigned x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
static inline int host_clz(unsigned x) {
    int n = 32;
    for (; x; x >>= 1) n--;
    return n;
}
static inline unsigned host_brev(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1u) << (31 - i);
    return r;
}
static inline unsigned host_perm(unsigned x, unsigned y, unsigned s) {
    ull v = (ull)y << 32 | x;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) r |= ((unsigned)(v >> 8 * (s >> 4 * i & 7)) & 255) << 8 * i;
    return r;
}
static inline unsigned host_shift_left(unsigned low, unsigned high, unsigned s) {
    s &= 31;
    return s ? high << s | low >> (32 - s) : high;
}
static inline int host_dp4a(int a, int b, int c) {
    for (int i = 0; i < 4; i++) c = (int)((unsigned)c + (unsigned)((schar)(a >> 8 * i) * (schar)(b >> 8 * i)));
    return c;
}
static inline unsigned host_add4(unsigned a, unsigned b) {
    unsigned r = 0;
    for (int i = 0; i < 4; i++) r |= (((a >> 8 * i) + (b >> 8 * i)) & 255u) << 8 * i;
    return r;
}
static inline unsigned host_max2(unsigned a, unsigned b) {
    unsigned r = 0;
    for (int i = 0; i < 2; i++) {
        short x = (short)(a >> 16 * i), y = (short)(b >> 16 * i);
        r |= (unsigned)(ushort_)(x > y ? x : y) << 16 * i;
    }
    return r;
}
static inline unsigned host_difference4(unsigned a, unsigned b) {
    unsigned r = 0;
    for (int i = 0; i < 4; i++) {
        int x = a >> 8 * i & 255, y = b >> 8 * i & 255;
        r |= (unsigned)(x > y ? x - y : y - x) << 8 * i;
    }
    return r;
}

/* ---- intrinsics, for both sides ---- */

namespace both {

HD static inline unsigned popc(unsigned x) { return EITHER(__popc(x), host_popc(x)); }
HD static inline unsigned clz(unsigned x) { return EITHER(__clz(x), host_clz(x)); }
HD static inline unsigned brev(unsigned x) { return EITHER(__brev(x), host_brev(x)); }
HD static inline unsigned perm(unsigned x, unsigned y, unsigned s) { return EITHER(__byte_perm(x, y, s & 0x7777), host_perm(x, y, s & 0x7777)); }
HD static inline unsigned shift_left(unsigned x, unsigned y, unsigned s) { return EITHER(__funnelshift_l(x, y, s), host_shift_left(x, y, s)); }
HD static inline unsigned umulhi(unsigned x, unsigned y) { return EITHER(__umulhi(x, y), (unsigned)((ull)x * y >> 32)); }
HD static inline ull umul64hi(ull x, ull y) { return EITHER(__umul64hi(x, y), (ull)((unsigned __int128)x * y >> 64)); }
HD static inline unsigned add4(unsigned a, unsigned b) { return EITHER(__vadd4(a, b), host_add4(a, b)); }
HD static inline unsigned max2(unsigned a, unsigned b) { return EITHER(__vmaxs2(a, b), host_max2(a, b)); }
HD static inline unsigned difference4(unsigned a, unsigned b) { return EITHER(__vabsdiffu4(a, b), host_difference4(a, b)); }
HD static inline int mulhi(int x, int y) { return EITHER(__mulhi(x, y), (int)((ll)x * y >> 32)); }
HD static inline int half_sum(int x, int y) { return EITHER(__hadd(x, y), (int)(((ll)x + y) >> 1)); }
HD static inline int dp4a(int a, int b, int c) { return EITHER(__dp4a(a, b, c), host_dp4a(a, b, c)); }
HD static inline unsigned sad(int x, int y, unsigned z) {
    return EITHER(__sad(x, y, z), z + (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x));
}

} /* namespace both */

/* ---- defined for all operands; no NaN, whose bits may differ ---- */

template <class T> HD static inline T quotient(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a / b); }
template <class T> HD static inline T rest(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a % b); }
HD static inline ll whole(double x) { return x > -1e15 && x < 1e15 ? (ll)x : 7; }
HD static inline int whole(float x) { return x > -2e9f && x < 2e9f ? (int)x : -3; }
HD static inline float number(float x) { return x == x ? x : 0; }
HD static inline double number(double x) { return x == x ? x : 0; }

/* ---- virtual functions ---- */

struct Base {
    int k;
    HD Base(int k_) : k(k_) {}
    HD virtual int f(int x, int y) { return (int)((unsigned)x + (unsigned)y + (unsigned)k); }
};
struct Exclusive : Base {
    HD Exclusive(int k_) : Base(k_) {}
    HD int f(int x, int y) override { return x ^ y ^ k; }
};
struct Triple : Base {
    HD Triple(int k_) : Base(k_) {}
    HD int f(int x, int y) override { return (int)((unsigned)x * 3u - (unsigned)y); }
};

/* ---- inputs and results ---- */

enum { INPUTS = 256, THREADS = 700 };
static int words_[INPUTS];
static uchar bytes_[INPUTS];
static short shorts_[INPUTS];
static int wrong;

static void make_inputs() {
    srand(3);
    for (int i = 0; i < INPUTS; i++) {
        words_[i] = rand() % 3 ? rand() % 50 - 9 : rand() * 7;
        bytes_[i] = (uchar)rand();
        shorts_[i] = (short)rand();
    }
}

/* All of them, with their names; both are compared as values, as padding has none. */
#define SAME(m)                                                                                                              \
    if (a.m != b.m) {                                                                                                        \
        printf("kernel %d, %d threads in blocks of %d, thread %d: " #m " is %.17g, not %.17g\n", k, n, block, i, (double)a.m, (double)b.m); \
        wrong++;                                                                                                             \
        return;                                                                                                              \
    }
