// Functions of the warp and atomics: what a GPU answers.
// REQUIRES: run
// RUN: %cucpu -w -std=c++17 %s -o %t && %run %t > %t.out && %python %S/Inputs/compare.py %S/Inputs/device_rules.txt %S/Inputs/device_rules.known %t.out
#include "Inputs/values.h"

/* The value that a lane gives, and the lane that a value came from. */
template <class T> __device__ T give(const int *in, int lane) { return (T)(in[lane] * 3 + 1); }

enum { IDX, UP, DOWN, XOR };
template <class T> __device__ T shuffle(int kind, T v, int by, int width) {
    return kind == IDX    ? __shfl_sync(~0u, v, by, width)
           : kind == UP   ? __shfl_up_sync(~0u, v, by, width)
           : kind == DOWN ? __shfl_down_sync(~0u, v, by, width)
                          : __shfl_xor_sync(~0u, v, by, width);
}
template <class T> __global__ void shuffles(const int *in, Rec *out, int kind, int by, int width) {
    int i = threadIdx.x;
    out[i] = rec(shuffle(kind, give<T>(in, i), by, width));
}
template <class T> static void shuffle_type(const char *type, const Dev<int> &in, const Dev<Rec> &out, int kind, int by, int width) {
    static const char *const names[] = {"shfl", "shfl_up", "shfl_down", "shfl_xor"};
    char name[80];
    shuffles<T><<<1, 32>>>(in.d, out.d, kind, by, width);
    snprintf(name, sizeof name, "%s %s %d width %d", names[kind], type, by, width);
    if (sizeof(T) == 8) { /* 16 digits each: the lanes */
        std::vector<Rec> v = out.get();
        printf("%s:", name);
        for (int i = 0; i < 32; i++) printf(" %llx", v[i].bits);
        printf("\n");
        return;
    }
    const char *const n[] = {name};
    rows(n, 1, out, 32);
}
static void shuffles_all() {
    std::vector<int> lanes(32);
    for (int i = 0; i < 32; i++) lanes[i] = i;
    Dev<int> in(lanes);
    Dev<Rec> out(32);
    const int by[] = {0, 1, 3, 7, 8, 15, 31, 32, 33, 40, 63, -1, -5, -32, 1 << 20};
    for (int kind = 0; kind < 4; kind++)
        for (int width : {32, 16, 8, 4, 2, 1})
            for (int b : by)
                if (width == 32 || width == 8 || (b > 0 && b < 9) || b == 33 || b == -1) shuffle_type<unsigned char>("lane * 3 + 1,", in, out, kind, b, width);
    for (int kind = 0; kind < 4; kind++) {
        shuffle_type<int>("int", in, out, kind, 5, 16), shuffle_type<u32>("unsigned", in, out, kind, 5, 16);
        shuffle_type<long>("long", in, out, kind, 5, 16), shuffle_type<unsigned long>("unsigned long", in, out, kind, 5, 16);
        shuffle_type<long long>("long long", in, out, kind, 5, 16), shuffle_type<u64>("unsigned long long", in, out, kind, 5, 16);
        shuffle_type<float>("float", in, out, kind, 5, 16), shuffle_type<double>("double", in, out, kind, 5, 16);
        shuffle_type<__half>("half", in, out, kind, 5, 16), shuffle_type<__nv_bfloat16>("bfloat16", in, out, kind, 5, 16);
    }
}

/* Each result is written by the lanes that take part; others leave ~0. */
#define VOTES(X) X(__any_sync(m, v)) X(__all_sync(m, v)) X(__ballot_sync(m, v)) X(vote_uni(m, v)) X(__match_any_sync(m, v)) X(__match_any_sync(m, (float)v)) \
    X(__match_any_sync(m, (u64)v << 32)) X(__match_any_sync(m, -(double)v)) X(__match_all_sync(m, v, &p)) X(__match_all_sync(m, v, &p) * 0 + p) \
    X(__match_all_sync(m, 7, &p)) X(__match_all_sync(m, i & 0, &p) * 0 + p) X(__reduce_add_sync(m, v)) X(__reduce_add_sync(m, (u32)v)) \
    X(__reduce_min_sync(m, v)) X(__reduce_min_sync(m, (u32)v)) X(__reduce_max_sync(m, v)) X(__reduce_max_sync(m, (u32)v)) X(__reduce_and_sync(m, (u32)v)) \
    X(__reduce_or_sync(m, (u32)v)) X(__reduce_xor_sync(m, (u32)v)) X(__shfl_sync(m, v, __ffs(m) - 1)) X(__activemask())
static __device__ int vote_uni(u32 m, int v) {
    int r;
    asm volatile("{.reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.uni.pred q, p, %2; selp.s32 "
                 "%0, 1, 0, q;}"
                 : "=r"(r)
                 : "r"(v), "r"(m));
    return r;
}
static const char *const vote_names[] = {VOTES(NAME)};
__global__ void votes(const int *in, u32 m, Rec *o) {
    int i = threadIdx.x, v = in[i], p = 0, k = 0, n = 32;
    if (!(m >> i & 1)) return;
    VOTES(EVAL)
}
static void votes_all() {
    const size_t count = sizeof vote_names / sizeof(char *);
    for (u32 mask : {~0u, 0x0000ffffu, 0xf00f00f0u, 0x80000001u, 0x00000100u})
        for (int set = 0; set < 3; set++) {
            std::vector<int> in(32);
            for (int i = 0; i < 32; i++) in[i] = set == 0 ? (i % 5 - 2) * 0x40000001 : set == 1 ? (i & 12 ? 256 << (i & 3) : 0) : -1 - (i & 16);
            Dev<int> d(in);
            Dev<Rec> out(count * 32);
            votes<<<1, 32>>>(d.d, mask, out.d);
            std::vector<Rec> v = out.get();
            printf("-- votes, mask %08x, set %d\n", mask, set);
            for (size_t k = 0; k < count; k++) { /* only what differs from the lane before */
                printf("%s:", vote_names[k]);
                u64 last = ~0ull;
                for (int i = 0; i < 32; i++)
                    if (mask >> i & 1 && v[k * 32 + i].bits != last) printf(" %d:%llx", i, last = v[k * 32 + i].bits);
                printf("\n");
            }
        }
}

/* Atomics: thread i has its own place; out: the old value (1 if as expected), the new one; global
 * memory, then shared. */
template <class T> __device__ bool equal(T a, T b) { return rec(a).bits == rec(b).bits; }
#define ATOMIC(call)                                                                                                                                           \
    {                                                                                                                                                          \
        cells[i] = x;                                                                                                                                          \
        in_shared[i] = x;                                                                                                                                      \
        T *p = cells + i;                                                                                                                                      \
        T old = call;                                                                                                                                          \
        same &= equal(old, x);                                                                                                                                 \
        o[k * n + i] = rec(*p);                                                                                                                                \
        p = in_shared + i;                                                                                                                                     \
        old = call;                                                                                                                                            \
        same &= equal(old, x);                                                                                                                                 \
        o[(k + 1) * n + i] = rec(*p);                                                                                                                          \
        cells[i] = x;                                                                                                                                          \
        p = cells + i;                                                                                                                                         \
        call;                                                                                                                                                  \
        o[(k + 2) * n + i] = rec(*p);                                                                                                                          \
        k += 3;                                                                                                                                                \
    }
#define ATOMIC_NAMES(call) #call " global", #call " shared", #call " global, result unused",
#define ATOMICS(name, TYPE, OPS)                                                                                                                               \
    static const char *const name##_names[] = {OPS(ATOMIC_NAMES)};                                                                                             \
    __global__ void name(const TYPE *a, const TYPE *b, const TYPE *c, TYPE *cells, Rec *o, int *old_ok, int n) {                                               \
        typedef TYPE T;                                                                                                                                        \
        __shared__ TYPE in_shared[32];                                                                                                                         \
        int i = threadIdx.x, k = 0;                                                                                                                            \
        bool same = true;                                                                                                                                      \
        T x = a[i], y = b[i], z = c[i];                                                                                                                        \
        OPS(ATOMIC)                                                                                                                                            \
        old_ok[i] = same;                                                                                                                                      \
    }                                                                                                                                                          \
    static void name##_run(const std::vector<TYPE> &a, const std::vector<TYPE> &b, const std::vector<TYPE> &c) {                                               \
        int n = (int)a.size();                                                                                                                                 \
        const size_t count = sizeof(name##_names) / sizeof(char *);                                                                                            \
        Dev<TYPE> da(a), db(b), dc(c), cells(n);                                                                                                               \
        Dev<Rec> o(count *n);                                                                                                                                  \
        Dev<int> ok(n);                                                                                                                                        \
        printf("-- " #name " of " #TYPE "\n");                                                                                                                 \
        row("x", a), row("y", b);                                                                                                                              \
        name<<<1, n>>>(da.d, db.d, dc.d, cells.d, o.d, ok.d, n);                                                                                               \
        rows(name##_names, count, o, n);                                                                                                                       \
        row("old values as before", ok.get());                                                                                                                 \
    }
#define ON_INTS(X) X(atomicAdd(p, y)) X(atomicMin(p, y)) X(atomicMax(p, y)) X(atomicAnd(p, y)) X(atomicOr(p, y)) X(atomicXor(p, y)) X(atomicExch(p, y)) \
    X(atomicCAS(p, z, y)) X(atomicCAS(p, x, y))
#define ON_SIGNED(X) ON_INTS(X) X(atomicSub(p, y))
#define ON_UNSIGNED(X) ON_SIGNED(X) X(atomicInc(p, y)) X(atomicDec(p, y))
#define ON_LONG(X) X(atomicMin(p, y)) X(atomicMax(p, y))
#define ON_FLOAT(X) X(atomicAdd(p, y)) X(atomicExch(p, y))
#define ADD(X) X(atomicAdd(p, y))
#define CAS(X) X(atomicCAS(p, x, y)) X(atomicCAS(p, z, y))
ATOMICS(atomics_int, int, ON_SIGNED)
ATOMICS(atomics_unsigned, u32, ON_UNSIGNED)
ATOMICS(atomics_u64, u64, ON_INTS)
ATOMICS(atomics_s64, long long, ON_LONG)
ATOMICS(atomics_float, float, ON_FLOAT)
ATOMICS(atomics_double, double, ADD)
ATOMICS(atomics_half, __half, ADD)
ATOMICS(atomics_half2, __half2, ADD)
ATOMICS(atomics_bf16, __nv_bfloat16, ADD)
ATOMICS(atomics_bf162, __nv_bfloat162, ADD)
ATOMICS(atomics_u16, unsigned short, CAS)

struct alignas(16) Pair {
    u64 a, b;
};
__global__ void wide_cas(Pair *cells, const Pair *compare, const Pair *value, Pair *out) {
    int i = threadIdx.x;
    __shared__ Pair in_shared[4];
    in_shared[i] = cells[i];
    out[i * 5] = atomicCAS(&cells[i], compare[i], value[i]);
    out[i * 5 + 1] = cells[i];
    out[i * 5 + 2] = atomicCAS(&in_shared[i], compare[i], value[i]);
    out[i * 5 + 3] = in_shared[i];
    out[i * 5 + 4] = atomicExch(&cells[i], compare[i]);
}
__global__ void vectors(float4 *cells, float4 *out) { /* sm_90: atomics of vectors of floats */
    float4 add = {1, -0.0f, cells[1].x, cells[1].y};
    out[0] = atomicAdd(&cells[0], add);
    out[1] = cells[0];
    float2 old = atomicAdd((float2 *)&cells[2], make_float2(2, 3));
    out[2] = {old.x, old.y, cells[2].x, cells[2].y};
}

template <class T> static std::vector<T> of_bits(const std::vector<u64> &bits) {
    std::vector<T> v(bits.size());
    for (size_t i = 0; i < v.size(); i++) memcpy((void *)&v[i], &bits[i], sizeof(T));
    return v;
}
template <class T> static std::vector<T> pairs_of(const std::vector<u64> &bits, bool other) { /* operands i and 3 i + 1, i and 5 i + 2 */
    std::vector<u64> v;
    size_t n = bits.size();
    for (size_t i = 0; i < 32; i++) {
        u64 low = bits[other ? (i * 5 + i / n + 1) % n : i % n], high = bits[other ? (i * 3 + 2) % n : (i + 1) % n];
        v.push_back(sizeof(T) == 4 && Kind<T>::value == INTEGER ? low | high << 16 : low);
    }
    return of_bits<T>(v);
}

int main() {
    shuffles_all();
    votes_all();
    const std::vector<int> a = {0, 1, -1, 5, 5, 5, INT32_MIN, INT32_MAX, 0, 7, -3, 100, 0x0f0f, -100, 2, INT32_MIN},
                           b = {0, 0, 1, 5, 4, 6, -1, 1, -1, 0, -3, INT32_MIN, -0xf0f1, 100, 0, INT32_MAX};
    const std::vector<int> c = {0, 1, 2, 5, 6, 7, INT32_MIN, 0, 0, 7, -4, 100, 0, 0, 2, 1};
    atomics_int_run(a, b, c);
    atomics_unsigned_run(std::vector<u32>(a.begin(), a.end()), std::vector<u32>(b.begin(), b.end()), std::vector<u32>(c.begin(), c.end()));
    std::vector<u64> la, lb, lc;
    for (size_t i = 0; i < a.size(); i++)
        la.push_back((u64)(long long)a[i] << (i & 1) * 32), lb.push_back((u64)(long long)b[i] << (i & 3) * 8),
            lc.push_back((u64)(long long)c[i] << (i & 1) * 32);
    atomics_u64_run(la, lb, lc);
    atomics_s64_run(of_bits<long long>(la), of_bits<long long>(lb), of_bits<long long>(lc));
    const std::vector<u64> f = {0x80000000, 0x00000001, 0x007fffff, 0x00800000, 0x80800001, 0x3f800000, 0x7f800000, 0xff800000,
                                0x7fc00000, 0xffc12345, 0x7f800001, 0x7f7fffff, 0,          0x33800000, 0x80000001, 0x00800001};
    atomics_float_run(pairs_of<float>(f, false), pairs_of<float>(f, true), pairs_of<float>(f, true));
    const std::vector<float> x1 = of_bits<float>({0x80000000, 0x80000000, 0, 1, 0x80000001, 0x00800001, 0x3f800000, 0x007fffff});
    atomics_float_run(x1, of_bits<float>({0x80000000, 0, 0x80000000, 1, 0x80000001, 0x80800000, 0xbf800000, 0}), x1);
    const std::vector<u64> d = {1ull << 63,         1,
                                0x000fffffffffffff, 0x0010000000000000,
                                0x3ff0000000000000, 0x7ff0000000000000,
                                0xfff0000000000000, 0x7ff8000000000000,
                                0xfff8000000012345, 0x7ff0000000000001,
                                0x7fefffffffffffff, 0,
                                0x3ca0000000000000, 0x8000000000000001};
    atomics_double_run(pairs_of<double>(d, false), pairs_of<double>(d, true), pairs_of<double>(d, true));
    const std::vector<u64> h = {0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0x7c00, 0xfc00, 0x7e00, 0xfe45, 0x7c01, 0x7bff, 0, 0x1000, 0x8001};
    const std::vector<u64> g = {0x8000, 0x0001, 0x007f, 0x0080, 0x3f80, 0x7f80, 0xff80, 0x7fc0, 0xffc5, 0x7f81, 0x7f7f, 0, 0x3b80, 0x8001};
    atomics_half_run(pairs_of<__half>(h, false), pairs_of<__half>(h, true), pairs_of<__half>(h, true));
    atomics_half2_run(pairs_of<__half2>(h, false), pairs_of<__half2>(h, true), pairs_of<__half2>(h, true));
    atomics_bf16_run(pairs_of<__nv_bfloat16>(g, false), pairs_of<__nv_bfloat16>(g, true), pairs_of<__nv_bfloat16>(g, true));
    atomics_bf162_run(pairs_of<__nv_bfloat162>(g, false), pairs_of<__nv_bfloat162>(g, true), pairs_of<__nv_bfloat162>(g, true));
    const std::vector<unsigned short> s = {0, 1, 0xffff, 0x8000, 7, 9};
    atomics_u16_run(s, {5, 6, 7, 8, 9, 10}, {0, 2, 0xffff, 0, 7, 10});
    Dev<Pair> cells(std::vector<Pair>{{1, 2}, {3, 4}, {~0ull, 0}, {5, 6}}), compare(std::vector<Pair>{{1, 2}, {3, 5}, {~0ull, 0}, {6, 6}}),
        value(std::vector<Pair>{{7, 8}, {9, 10}, {11, 12}, {13, 14}});
    Dev<Pair> out(20);
    wide_cas<<<1, 4>>>(cells.d, compare.d, value.d, out.d);
    printf("-- 128 bits:");
    for (Pair p : out.get()) printf(" %llx,%llx", p.a, p.b);
    printf("\n");
    Dev<float4> fcells(std::vector<float4>{{1, -0.0f, 3, 1e-40f}, {4, 1e-40f, 0, 0}, {5, 6, 7, 8}}), fout(3);
    vectors<<<1, 1>>>(fcells.d, fout.d);
    printf("-- atomicAdd of float4 and float2:");
    for (float4 v : fout.get())
        for (float e : {v.x, v.y, v.z, v.w}) print(rec(e));
    printf("\ndone\n");
}
