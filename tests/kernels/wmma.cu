// mma.h: every shape and type of fragment, layouts in memory, satf, against loops on the host.
// REQUIRES: run
// RUN: %cucpu -O1 -DFEW %s -o %t && %run %t
// RUN: %cucpu -O1 --simd=1 %s -o %t && %run %t
// RUN: %rarely { for way in "" "-DFEW --simd=8"; do %cucpu -O1 $way %s -o %t && %run %t || exit 1; done; }
#include "check.h"
#include <mma.h>
using namespace nvcuda;
using wmma::col_major;
using wmma::row_major;
using wmma::precision::tf32;

enum { WARPS = 4, PAD = 8 };

/* One product of tiles: factors of T, c of C, d of D; S and W: what T is stored and computed as. */
template <int M, int N, int K, class T, class S, class W, class C, class D, class La, class Lb, wmma::layout_t Lc, wmma::layout_t Ld> struct Case {
    enum { m = M, n = N, k = K };
    static const wmma::layout_t c_layout = Lc, d_layout = Ld;
    typedef T type;
    typedef S stored;
    typedef W wide;
    typedef C addend;
    typedef D result;
    typedef wmma::fragment<wmma::matrix_a, M, N, K, T, La> A;
    typedef wmma::fragment<wmma::matrix_b, M, N, K, T, Lb> B;
    static const bool a_columns = __is_same(La, col_major), b_columns = __is_same(Lb, col_major);
    static const bool c_columns = Lc == wmma::mem_col_major, d_columns = Ld == wmma::mem_col_major;
};

/* ---- device ---- */
template <class A> __device__ void prepare(A &) {}
template <class Use, class Layout> __device__ void prepare(wmma::fragment<Use, 16, 16, 8, tf32, Layout> &f) {
    for (int i = 0; i < f.num_elements; i++) f.x[i] = wmma::__float_to_tf32(f.x[i]);
}

/* A warp for a tile; a goes through shared memory, c is doubled element by element. */
template <class P>
__global__ void multiply(const typename P::stored *a, int lda, const typename P::stored *b, int ldb, const typename P::addend *c, int ldc,
                         typename P::result *d, int ldd, bool satf) {
    enum { SIZE = 32 * (32 + PAD) };
    __shared__ alignas(32) typename P::stored tile[WARPS][SIZE];
    unsigned warp = thread_rank() / 32, global = global_rank() / 32;
    for (int i = threadIdx.x % 32; i < SIZE; i += 32)
        if (blockDim.x % 32 == 0) tile[warp][i] = a[global * SIZE + i];
    if (blockDim.x % 32)
        for (int i = 0; i < SIZE; i++) tile[warp][i] = a[global * SIZE + i];
    __syncthreads();
    if (global % 4 == 3) return;
    typename P::A fa;
    typename P::B fb;
    wmma::fragment<wmma::accumulator, P::m, P::n, P::k, typename P::addend> fc;
    wmma::fragment<wmma::accumulator, P::m, P::n, P::k, typename P::result> fd;
    wmma::load_matrix_sync(fa, tile[warp], lda);
    wmma::load_matrix_sync(fb, b + global * SIZE, ldb);
    wmma::load_matrix_sync(fc, c + global * SIZE, ldc, P::c_layout);
    prepare(fa);
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = typename P::addend(typename P::wide(fc.x[i]) * 2);
    wmma::mma_sync(fd, fa, fb, fc, satf);
    wmma::store_matrix_sync(d + global * SIZE, fd, ldd, P::d_layout);
}

/* ---- host ---- */
static float to_tf32(float v) {
    uint32_t u;
    std::memcpy(&u, &v, 4);
    u = (u + (1u << 12)) >> 13 << 13;
    std::memcpy(&v, &u, 4);
    return v;
}
template <class T, class W, class S> W factor(S v) { return W(v); }
template <> float factor<tf32, float, float>(float v) { return to_tf32(v); }
/* An element of b: nobody rounds it, so its last bits do not count. */
template <class T, class W, class S> W second(S v) { return W(v); }
template <> float second<tf32, float, float>(float v) {
    uint32_t u;
    std::memcpy(&u, &v, 4);
    u &= ~0x1fffu;
    std::memcpy(&v, &u, 4);
    return v;
}

static float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
static double multiply_add(double a, double b, double c) { return std::fma(a, b, c); }
static int64_t multiply_add(int a, int b, int64_t c) { return int64_t(a) * b + c; }

static void finish_sum(float *d, float s, bool satf) { *d = !satf ? s : s != s ? 0 : std::fmax(-3.40282347e38f, std::fmin(3.40282347e38f, s)); }
static void finish_sum(half *d, float s, bool satf) { *d = half(!satf ? s : s != s ? 0 : std::fmax(-65504.0f, std::fmin(65504.0f, s))); }
static void finish_sum(double *d, double s, bool) { *d = s; }
static void finish_sum(int *d, int64_t s, bool satf) { *d = int(satf ? s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s : int64_t(uint32_t(s))); }
template <class W> struct Sum { typedef W type; };
template <> struct Sum<int> { typedef int64_t type; };

/* Of float: all bits are used; of the others few enough that a sum of products shows each of them. */
template <class T> void fill(T &v, Random &r) { v = T(float(int(r.below(255)) - 127) / 16); }
template <> void fill(float &v, Random &r) { v = float(int(r.next())) / 1e9f; }
template <> void fill(double &v, Random &r) { v = double(int(r.next())) / 1e9; }
template <> void fill(int &v, Random &r) { v = int(r.next()) % 1000; }
template <> void fill(signed char &v, Random &r) { v = (signed char)r.next(); }
template <> void fill(unsigned char &v, Random &r) { v = (unsigned char)r.next(); }
template <class T> std::vector<T> random_tiles(size_t n, int seed) {
    Random r(seed);
    std::vector<T> v(n);
    for (T &e : v) fill(e, r);
    return v;
}

/* Elements that make sums overflow. */
static void make_large(std::vector<int> &c) { for (size_t i = 0; i < c.size(); i++) c[i] = i % 3 ? INT32_MAX / 2 : INT32_MIN / 2; }
static void make_large(std::vector<half> &c) { for (size_t i = 0; i < c.size(); i++) c[i] = half(i % 3 ? 32740.0f : -32740.0f); }
static void make_large(std::vector<float> &c) {
    const float large[] = {INFINITY, -INFINITY, NAN, 1, 2};
    for (size_t i = 0; i < c.size(); i++) c[i] = large[i % 5];
}
static void make_large(std::vector<double> &) {}

template <class P> void check(dim3 block, bool large) {
    typedef typename P::stored S;
    typedef typename P::wide W;
    const bool c_columns = P::c_columns, d_columns = P::d_columns;
    enum { SIZE = 32 * (32 + PAD), TILES = 2 * WARPS };
    unsigned warps = volume(block) / 32, grid = TILES / warps;
    std::vector<S> a = random_tiles<S>(SIZE * TILES, 1), b = random_tiles<S>(SIZE * TILES, 2);
    std::vector<typename P::addend> c = random_tiles<typename P::addend>(SIZE * TILES, 3);
    if (large) make_large(c);
    typename P::result nothing = typename P::result(77);
    std::vector<typename P::result> want(c.size(), nothing);
    int lda = (P::a_columns ? P::m : P::k) + PAD, ldb = P::b_columns ? P::k : P::n + PAD, ldc = c_columns ? P::m : P::n, ldd = (d_columns ? P::m : P::n) + PAD;
    for (unsigned t = 0; t < grid * warps; t++)
        for (int i = 0; i < P::m && t % 4 != 3; i++)
            for (int j = 0; j < P::n; j++) {
                size_t at = t * SIZE;
                typename P::addend twice = typename P::addend(W(c[at + (c_columns ? j * ldc + i : i * ldc + j)]) * 2);
                typename Sum<W>::type s = W(twice);
                for (int k = 0; k < P::k; k++)
                    s = multiply_add(factor<typename P::type, W>(a[at + (P::a_columns ? k * lda + i : i * lda + k)]),
                                     second<typename P::type, W>(b[at + (P::b_columns ? j * ldb + k : k * ldb + j)]), s);
                finish_sum(&want[at + (d_columns ? j * ldd + i : i * ldd + j)], s, large);
            }
    Buffer<S> da(a), db(b);
    Buffer<typename P::addend> dc(c);
    Buffer<typename P::result> dd(std::vector<typename P::result>(c.size(), nothing));
    multiply<P><<<grid, block>>>(da, lda, db, ldb, dc, ldc, dd, ldd, large);
    int before = failures;
    SAME(dd.get(), want);
    if (failures > before) std::printf("... %s, large %d\n", __PRETTY_FUNCTION__, large);
}

template <int M, int N, int K, class T, class S, class W, class C, class D, class La, class Lb, wmma::layout_t Lc, wmma::layout_t Ld> void check() {
    typedef Case<M, N, K, T, S, W, C, D, La, Lb, Lc, Ld> P;
    check<P>(dim3(64, 2), false);
    check<P>(dim3(32), false);
    check<P>(dim3(16, 4), false);
    check<P>(dim3(128), true);
}

int main() {
    const wmma::layout_t rows = wmma::mem_row_major, columns = wmma::mem_col_major;
    check<16, 16, 16, half, half, float, float, float, row_major, col_major, columns, rows>();
    check<32, 8, 16, signed char, signed char, int, int, int, row_major, row_major, rows, columns>();
    check<8, 8, 4, double, double, double, double, double, row_major, col_major, rows, rows>();
#ifndef FEW
    check<16, 16, 16, half, half, float, half, float, col_major, row_major, rows, columns>();
    check<32, 8, 16, half, half, float, half, half, row_major, col_major, columns, rows>();
    check<8, 32, 16, half, half, float, float, half, col_major, col_major, rows, columns>();
    check<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, float, float, row_major, row_major, columns, columns>();
    check<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float, float, float, col_major, col_major, rows, rows>();
    check<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, float, float, row_major, row_major, columns, rows>();
    check<16, 16, 16, unsigned char, unsigned char, int, int, int, col_major, col_major, columns, rows>();
    check<32, 8, 16, unsigned char, unsigned char, int, int, int, col_major, col_major, rows, rows>();
    check<8, 32, 16, signed char, signed char, int, int, int, row_major, col_major, columns, columns>();
    check<16, 16, 8, tf32, float, float, float, float, row_major, col_major, columns, rows>();
    check<16, 16, 8, tf32, float, float, float, float, col_major, row_major, rows, columns>();
    check<8, 8, 4, double, double, double, double, double, col_major, row_major, columns, columns>();
#endif
    return finish();
}
