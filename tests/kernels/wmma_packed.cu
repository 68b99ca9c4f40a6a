// mma.h: fragments of u4, s4 and b1, which are packed in words, against loops on the host.
// REQUIRES: run
// RUN: for w in 1 8 auto; do %cucpu -O1 --simd=$w %s -o %t && %run %t || exit 1; done
// RUN: not %cucpu -O1 -DERROR %s -o %t 2>&1 | FileCheck %s
#include "check.h"
#include <mma.h>
using namespace nvcuda;
namespace experimental = wmma::experimental;
using experimental::precision::b1;
using experimental::precision::s4;
using experimental::precision::u4;

enum { TILES = 6, WORDS = 12 }; /* words from line to line in memory: more than a tile has */

/* d = a * b + c of 8 x 8 elements for each warp; kind: satf, or the operation on bits. */
template <class T, int K> __global__ void multiply(const unsigned *a, const unsigned *b, const int *c, int *d, int kind) {
    constexpr int packed = K / 4;
    int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> fc;
    static_assert(fa.num_elements == packed && fa.num_storage_elements == 1 && fc.num_elements == 2, "");
    wmma::load_matrix_sync(fa, a + tile * 8 * WORDS, WORDS * packed);
    wmma::load_matrix_sync(fb, b + tile * 8 * WORDS, WORDS * packed);
    wmma::load_matrix_sync(fc, c + tile * 64, 8, wmma::mem_col_major);
    if (tile == 1) wmma::fill_fragment(fb, 13);
    if constexpr (K == 128) {
        if (kind) wmma::bmma_sync(fc, fa, fb, fc, experimental::bmmaBitOpAND);
        else wmma::bmma_sync(fc, fa, fb, fc);
    } else wmma::mma_sync(fc, fa, fb, fc, kind != 0);
    wmma::store_matrix_sync(d + tile * 64, fc, 8, wmma::mem_row_major);
}

#ifdef ERROR
// CHECK: a packed one row_major
__device__ wmma::fragment<wmma::matrix_a, 8, 8, 32, u4, wmma::col_major> *wrong(void *);
__global__ void asks(void *p) { wrong(p)->x[0] = 1; }
#endif

/* Bits of element k of a line. */
static unsigned field(const std::vector<unsigned> &v, int line, int k, int bits) {
    return v[size_t(line * WORDS + k * bits / 32)] >> (k * bits % 32) & ((1u << bits) - 1);
}

template <class T, int K> static int product(unsigned a, unsigned b, int kind) {
    if (K == 128) return int(kind ? a & b : a ^ b);
    if (__is_same(T, u4)) return int(a * b);
    return (int(a ^ 8) - 8) * (int(b ^ 8) - 8);
}

template <class T, int K> static void check(int kind) {
    const int bits = 128 / K, large[] = {INT32_MAX - 100, INT32_MIN + 100, 5};
    Random r(K);
    std::vector<unsigned> a(TILES * 8 * WORDS), b(a.size());
    std::vector<int> c(TILES * 64), want(c.size());
    for (unsigned &v : a) v = unsigned(r.next());
    for (unsigned &v : b) v = unsigned(r.next());
    for (size_t i = 0; i < c.size(); i++) c[i] = K == 32 ? large[i % 3] : int(i);
    for (int t = 0; t < TILES; t++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                int64_t s = c[size_t(t * 64 + j * 8 + i)];
                for (int k = 0; k < K; k++) {
                    unsigned vb = t == 1 ? 13 & ((1u << bits) - 1) : field(b, t * 8 + j, k, bits);
                    s += product<T, K>(field(a, t * 8 + i, k, bits), vb, kind);
                }
                if (kind && K == 32) s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
                want[size_t(t * 64 + i * 8 + j)] = int(s);
            }
    Buffer<unsigned> da(a), db(b);
    Buffer<int> dc(c), dd(std::vector<int>(c.size(), 77));
    multiply<T, K><<<TILES / 2, 64>>>(da, db, dc, dd, kind);
    SAME(dd.get(), want);
}

int main() {
    for (int kind = 0; kind < 2; kind++) check<u4, 32>(kind), check<s4, 32>(kind), check<b1, 128>(kind);
    return finish();
}
