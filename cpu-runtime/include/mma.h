/* mma.h: matrices that a warp holds and multiplies (nvcuda::wmma of the CUDA C++ Programming Guide).
**
** Shapes m x n x k: 16x16x16, 32x8x16, 8x32x16 for half, __nv_bfloat16, signed and unsigned char;
** 16x16x8 for precision::tf32; 8x8x4 for double; of the experimental types 8x8x32 for u4 and s4 and
** 8x8x128 for b1, which lie packed in words: a in rows, b in columns.  Another fragment is an error that
** says so.
**
** Place of the elements: the accumulator, a matrix_a of row_major and a matrix_b of col_major consist of
** blocks of 8 rows (matrix_b: columns) x 4, x[e] of lane l is element (l / 4, l % 4) of block e; the
** others are dealt to the lanes line by line (rows of b, columns of a), x[e] of lane l being number 32 * e + l.  For a block of the sum and a step of k
** a multiplication needs a vector with 8 elements of a, four times each, and one with 4 of b, eight
** times; blocks beside each other share them.  Each is one shuffle, in a group of 32 lanes a permutation
** of registers; no memory is used.
**
** Arithmetic: products of half, bfloat16 and tf32 are exact in float (of bfloat16 below 2^-126 or beyond its range only where the
** target has fma); they are added to c one after the other, k ascending, each sum rounded to float (double: one fma each).  Where the accumulator is
** half, too: it is rounded to half once, at the end of mma_sync.  Integers wrap; with satf the sum of
** c and all products is clamped.  satf of floats: infinities become the largest finite values, NaN 0.
** Of elements of tf32 fragments the last 13 bits are not looked at, as the hardware does; to round them is the
** program's task. */
#ifndef CUCPU_MMA_H
#define CUCPU_MMA_H
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#if defined(__CUDA__)

namespace nvcuda {
namespace wmma {
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

#define CUCPU_M_ __device__ CUCPU_INLINE_
namespace details {
enum { LANES = 32 };

/* What x[] holds, and how many elements in one; what matrices in memory are pointed to with; what is computed
** with; in which shapes the type is a factor and a sum. */
enum Shapes { NONE, SHAPES_16, SHAPES_8, SHAPES_4, SHAPES_32, SHAPES_128 };
template <class T_> struct element {
    typedef int stored, memory;
    static constexpr int packed = 1;
    static constexpr Shapes factor = NONE, sum = NONE;
};
#define CUCPU_ELEMENT_(T, Stored, Computed, factor_, sum_)                                         \
    template <> struct element<T> {                                                                \
        typedef Stored stored, memory;                                                             \
        typedef Computed computed;                                                                 \
        static constexpr int packed = 1;                                                           \
        static constexpr Shapes factor = factor_, sum = sum_;                                      \
    };
CUCPU_ELEMENT_(__half, __half, float, SHAPES_16, SHAPES_16)
CUCPU_ELEMENT_(__nv_bfloat16, __nv_bfloat16, float, SHAPES_16, NONE)
CUCPU_ELEMENT_(signed char, signed char, int, SHAPES_16, NONE)
CUCPU_ELEMENT_(unsigned char, unsigned char, int, SHAPES_16, NONE)
CUCPU_ELEMENT_(wmma::precision::tf32, float, float, SHAPES_8, NONE)
CUCPU_ELEMENT_(float, float, float, NONE, SHAPES_16)
CUCPU_ELEMENT_(int, int, int, NONE, SHAPES_16)
CUCPU_ELEMENT_(double, double, double, SHAPES_4, SHAPES_4)
#undef CUCPU_ELEMENT_
#define CUCPU_PACKED_(T, Stored, packed_, factor_)                                                 \
    template <> struct element<wmma::experimental::precision::T> {                                 \
        typedef Stored stored;                                                                     \
        typedef void memory;                                                                       \
        typedef int computed;                                                                      \
        static constexpr int packed = packed_;                                                     \
        static constexpr Shapes factor = factor_, sum = NONE;                                      \
    };
CUCPU_PACKED_(u4, unsigned, 8, SHAPES_32)
CUCPU_PACKED_(s4, int, 8, SHAPES_32)
CUCPU_PACKED_(b1, unsigned, 32, SHAPES_128)
#undef CUCPU_PACKED_

constexpr Shapes shapes(int m, int n, int k) {
    return k == 16 && m * n == 256 && (m == 8 || m == 16 || m == 32) ? SHAPES_16
           : m == 16 && n == 16 && k == 8                            ? SHAPES_8
           : m == 8 && n == 8 && k == 4                              ? SHAPES_4
           : m == 8 && n == 8 && k == 32                             ? SHAPES_32
           : m == 8 && n == 8 && k == 128                            ? SHAPES_128
                                                                     : NONE;
}
template <class T_> constexpr bool is_factor(int m, int n, int k) {
    return element<T_>::factor != NONE && element<T_>::factor == shapes(m, n, k);
}
template <class T_> constexpr bool is_sum(int m, int n, int k) {
    return element<T_>::sum != NONE &&
           (element<T_>::sum == shapes(m, n, k) || (__is_same(T_, float) && shapes(m, n, k) == SHAPES_8) ||
            (__is_same(T_, int) && shapes(m, n, k) > SHAPES_4));
}
/* Packed elements lie side by side only along k. */
template <class T_, class Layout, class Along> constexpr bool is_layout() {
    return __is_same(Layout, Along) ||
           (element<T_>::packed == 1 && (__is_same(Layout, row_major) || __is_same(Layout, col_major)));
}

/* The elements of one lane. */
template <class T_, int count> struct elements {
    static_assert(LANES == __CUCPU_WARP_SIZE__, "a fragment belongs to a warp of 32 threads");
    typedef T_ element_type;
    typedef typename element<T_>::stored storage_element_type;
    enum { num_elements = count, num_storage_elements = count / element<T_>::packed };
    storage_element_type x[num_storage_elements];
};
} // namespace details

template <class Use, int m, int n, int k, class T_, class Layout = void> class fragment {
    static_assert(sizeof(Use *) == 0, "no such fragment: its use is matrix_a, matrix_b or accumulator (without a layout)");
};
template <int m, int n, int k, class T_, class Layout>
class fragment<matrix_a, m, n, k, T_, Layout> : public details::elements<T_, m * k / details::LANES> {
    static_assert(details::is_factor<T_>(m, n, k), "no matrix_a of this shape and element type");
    static_assert(details::is_layout<T_, Layout, row_major>(), "a matrix_a is row_major or col_major, a packed one row_major");
};
template <int m, int n, int k, class T_, class Layout>
class fragment<matrix_b, m, n, k, T_, Layout> : public details::elements<T_, k * n / details::LANES> {
    static_assert(details::is_factor<T_>(m, n, k), "no matrix_b of this shape and element type");
    static_assert(details::is_layout<T_, Layout, col_major>(), "a matrix_b is row_major or col_major, a packed one col_major");
};
template <int m, int n, int k, class T_>
class fragment<accumulator, m, n, k, T_, void> : public details::elements<T_, m * n / details::LANES> {
    static_assert(details::is_sum<T_>(m, n, k), "no accumulator of this shape and element type");
};

/* To the nearest value of 10 mantissa bits, of two the one away from zero. */
CUCPU_M_ float __float_to_tf32(float v_) {
    unsigned u_ = (__builtin_bit_cast(unsigned, v_) + 0x1000) & ~0x1fffu;
    return __builtin_bit_cast(float, v_ != v_ ? 0x7fffffffu : u_);
}

namespace details {
CUCPU_M_ int lane() { return __nvvm_read_ptx_sreg_laneid(); }

/* Blocks of 8 x 4 of a matrix with rows of n_ elements, each row in one piece in memory. */
template <int n_, class T_, int count> CUCPU_M_ void load_blocks(T_ (&x_)[count], const T_ *p_, long long ldm) {
#pragma unroll
    for (int e_ = 0; e_ < count; e_++)
        x_[e_] = p_[(e_ / (n_ / 4) * 8 + lane() / 4) * ldm + e_ % (n_ / 4) * 4 + lane() % 4];
}
template <int n_, class T_, int count> CUCPU_M_ void store_blocks(T_ *p_, const T_ (&x_)[count], long long ldm) {
#pragma unroll
    for (int e_ = 0; e_ < count; e_++)
        p_[(e_ / (n_ / 4) * 8 + lane() / 4) * ldm + e_ % (n_ / 4) * 4 + lane() % 4] = x_[e_];
}
/* The same where memory holds column by column: the lanes change places for it. */
template <int n_, class T_, int count> CUCPU_M_ void load_turned(T_ (&x_)[count], const T_ *p_, long long ldm) {
#pragma unroll
    for (int e_ = 0; e_ < count; e_++) {
        T_ v_ = p_[(e_ % (n_ / 4) * 4 + lane() / 8) * ldm + e_ / (n_ / 4) * 8 + lane() % 8];
        x_[e_] = __shfl_sync(~0u, v_, lane() % 4 * 8 + lane() / 4);
    }
}
template <int n_, class T_, int count> CUCPU_M_ void store_turned(T_ *p_, const T_ (&x_)[count], long long ldm) {
#pragma unroll
    for (int e_ = 0; e_ < count; e_++) {
        T_ v_ = __shfl_sync(~0u, x_[e_], lane() % 8 * 4 + lane() / 8);
        p_[(e_ % (n_ / 4) * 4 + lane() / 8) * ldm + e_ / (n_ / 4) * 8 + lane() % 8] = v_;
    }
}
/* Lines of n_ elements, dealt one after the other. */
template <int n_, class T_, int count> CUCPU_M_ void load_lines(T_ (&x_)[count], const T_ *p_, long long ldm) {
#pragma unroll
    for (int e_ = 0; e_ < count; e_++) {
        int t_ = LANES * e_ + lane();
        x_[e_] = p_[t_ / n_ * ldm + t_ % n_];
    }
}

/* Packed lines of four words: word l % 4 of line l / 4. */
CUCPU_M_ unsigned load_packed(const void *p_, long long words) {
    return ((const unsigned *)p_)[lane() / 4 * words + lane() % 4];
}

/* An element as what it is multiplied as. */
template <class T_> CUCPU_M_ typename element<T_>::computed factor(typename element<T_>::stored v_) {
    if constexpr (__is_same(T_, wmma::precision::tf32))
        return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, v_) & ~0x1fffu);
    else return (typename element<T_>::computed)v_;
}

/* Element k_ of the row (matrix_a) or column (matrix_b) line + add; all of the lanes' are in one register. */
template <int n_, int k, bool blocks, class T_, int count>
CUCPU_M_ T_ take(const T_ (&x_)[count], int k_, int line, int add) {
    if constexpr (blocks)
        return __shfl_sync(~0u, x_[line / 8 * (k / 4) + k_ / 4], (line % 8 + add) * 4 + k_ % 4);
    else return __shfl_sync(~0u, x_[(k_ * n_ + line) / LANES], (k_ * n_ + line) % LANES + add);
}

/* The sum of the products of what two words hold. */
CUCPU_M_ int multiply_packed(int a_, int b_) {
    int s_ = 0;
#pragma unroll
    for (int e_ = 0; e_ < 32; e_ += 4) s_ += ((int)((unsigned)a_ << e_) >> 28) * ((int)((unsigned)b_ << e_) >> 28);
    return s_;
}
CUCPU_M_ int multiply_packed(unsigned a_, unsigned b_) {
    unsigned s_ = 0;
#pragma unroll
    for (int e_ = 0; e_ < 32; e_ += 4) s_ += (a_ >> e_ & 15) * (b_ >> e_ & 15);
    return (int)s_;
}
/* Adds to s_ what product(word of a, word of b) gives for the four words of a line. */
template <class T_, class Product>
CUCPU_M_ void multiply_lines(int (&s_)[2], const T_ (&a_)[1], const T_ (&b_)[1], Product product) {
#pragma unroll
    for (int w_ = 0; w_ < 4; w_++) {
        T_ ra_ = __shfl_sync(~0u, a_[0], lane() / 4 * 4 + w_);
#pragma unroll
        for (int j_ = 0; j_ < 2; j_++)
            s_[j_] += product(ra_, __shfl_sync(~0u, b_[0], (j_ * 4 + lane() % 4) * 4 + w_));
    }
}

/* What an x[] full of one value holds. */
template <class T_> CUCPU_M_ typename element<T_>::stored filled(typename element<T_>::stored v_) {
    if constexpr (element<T_>::packed == 32) return 0u - (v_ & 1);
    else if constexpr (element<T_>::packed == 8) return (typename element<T_>::stored)((v_ & 15) * 0x11111111u);
    else return v_;
}

/* What the sum of products begins with, and what it becomes at the end. */
CUCPU_M_ float begin(float c_) { return c_; }
CUCPU_M_ double begin(double c_) { return c_; }
CUCPU_M_ int begin(int) { return 0; }
CUCPU_M_ float clamp(float s_, float limit) {
    return s_ != s_ ? 0 : s_ > limit ? limit : s_ < -limit ? -limit : s_;
}
CUCPU_M_ void end(float &d_, float s_, float, bool satf) { d_ = satf ? clamp(s_, 0x1.fffffep127f) : s_; }
CUCPU_M_ void end(__half &d_, float s_, float, bool satf) { d_ = __half(satf ? clamp(s_, 65504) : s_); }
CUCPU_M_ void end(double &d_, double s_, double, bool) { d_ = s_; }
CUCPU_M_ void end(int &d_, int s_, int c_, bool satf) {
    int r_ = (int)((unsigned)s_ + (unsigned)c_), limit = (c_ >> 31) ^ __INT_MAX__;
    d_ = satf && ((s_ ^ r_) & (c_ ^ r_)) < 0 ? limit : r_;
}
} // namespace details

/* ---- the functions of the guide ---- */

template <class Use, int m, int n, int k, class T_, class Layout>
CUCPU_M_ void fill_fragment(fragment<Use, m, n, k, T_, Layout> &f_,
                            const typename fragment<Use, m, n, k, T_, Layout>::storage_element_type &v_) {
#pragma unroll
    for (int e_ = 0; e_ < f_.num_storage_elements; e_++) f_.x[e_] = details::filled<T_>(v_);
}
template <int m, int n, int k, class T_, class Layout>
CUCPU_M_ void load_matrix_sync(fragment<matrix_a, m, n, k, T_, Layout> &f_,
                               const typename details::element<T_>::memory *p_, unsigned ldm) {
    if constexpr (details::element<T_>::packed > 1) f_.x[0] = details::load_packed(p_, ldm / details::element<T_>::packed);
    else if constexpr (__is_same(Layout, row_major)) details::load_blocks<k>(f_.x, p_, ldm);
    else details::load_lines<m>(f_.x, p_, ldm);
}
template <int m, int n, int k, class T_, class Layout>
CUCPU_M_ void load_matrix_sync(fragment<matrix_b, m, n, k, T_, Layout> &f_,
                               const typename details::element<T_>::memory *p_, unsigned ldm) {
    if constexpr (details::element<T_>::packed > 1) f_.x[0] = details::load_packed(p_, ldm / details::element<T_>::packed);
    else if constexpr (__is_same(Layout, col_major)) details::load_blocks<k>(f_.x, p_, ldm);
    else details::load_lines<n>(f_.x, p_, ldm);
}
template <int m, int n, int k, class T_>
CUCPU_M_ void load_matrix_sync(fragment<accumulator, m, n, k, T_> &f_,
                               const typename details::element<T_>::stored *p_, unsigned ldm, layout_t layout) {
    if (layout == mem_row_major) details::load_blocks<n>(f_.x, p_, ldm);
    else details::load_turned<n>(f_.x, p_, ldm);
}
template <int m, int n, int k, class T_>
CUCPU_M_ void store_matrix_sync(typename details::element<T_>::stored *p_,
                                const fragment<accumulator, m, n, k, T_> &f_, unsigned ldm, layout_t layout) {
    if (layout == mem_row_major) details::store_blocks<n>(p_, f_.x, ldm);
    else details::store_turned<n>(p_, f_.x, ldm);
}

/* d = popcount(a ^ b) + c, or of a & b, for matrices of bits. */
template <int m, int n, int k, class T_>
CUCPU_M_ void bmma_sync(fragment<accumulator, m, n, k, int> &d_, const fragment<matrix_a, m, n, k, T_, row_major> &a_,
                        const fragment<matrix_b, m, n, k, T_, col_major> &b_, const fragment<accumulator, m, n, k, int> &c_,
                        experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                        experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    static_assert(details::element<T_>::packed == 32, "bmma_sync: the factors are matrices of b1");
    int s_[2] = {c_.x[0], c_.x[1]};
    details::multiply_lines(s_, a_.x, b_.x, [op](unsigned u_, unsigned v_) {
        return __popc(op == experimental::bmmaBitOpAND ? u_ & v_ : u_ ^ v_);
    });
    d_.x[0] = s_[0], d_.x[1] = s_[1];
}

namespace details {
/* The elements of a lane as one value: functions of values can become vector functions where there are many calls. */
template <class T_, int count> using values = T_ __attribute__((ext_vector_type(count)));
template <class V_, class W_, int count> CUCPU_M_ V_ values_of(const W_ (&x_)[count]) {
    V_ v_;
#pragma unroll
    for (int e_ = 0; e_ < count; e_++) v_[e_] = x_[e_];
    return v_;
}
/* Factors travel as they are stored: float for tf32, halves as their bits. */
template <class T_> struct bits_of { typedef T_ type; };
template <> struct bits_of<__half> { typedef unsigned short type; };
template <> struct bits_of<__nv_bfloat16> { typedef unsigned short type; };
template <class T_, int count> struct packed {
    typedef typename element<T_>::stored S_;
    typedef typename bits_of<S_>::type B_;
    typedef values<B_, count> type;
    static CUCPU_M_ type of(const S_ (&x_)[count]) {
        type v_;
#pragma unroll
        for (int e_ = 0; e_ < count; e_++) v_[e_] = __builtin_bit_cast(B_, x_[e_]);
        return v_;
    }
    static CUCPU_M_ void factors(typename element<T_>::computed (&w_)[count], type v_) {
#pragma unroll
        for (int e_ = 0; e_ < count; e_++) w_[e_] = factor<T_>(__builtin_bit_cast(S_, (B_)v_[e_]));
    }
};

/* s_ and the products of single elements. */
template <int m, int n, int k, class W_, class T_, bool blocks_a, bool blocks_b>
__device__ __attribute__((nodebug)) static values<W_, m * n / LANES> multiply_elements(values<W_, m * n / LANES> s_,
                                               typename packed<T_, m * k / LANES>::type a_,
                                               typename packed<T_, k * n / LANES>::type b_) {
    W_ wa_[m * k / LANES], wb_[k * n / LANES];
    packed<T_, m * k / LANES>::factors(wa_, a_);
    packed<T_, k * n / LANES>::factors(wb_, b_);
#pragma unroll
    for (int k_ = 0; k_ < k; k_++) {
        W_ ra_[m / 8];
#pragma unroll
        for (int i_ = 0; i_ < m / 8; i_++) ra_[i_] = take<m, k, blocks_a>(wa_, k_, i_ * 8, lane() / 4);
#pragma unroll
        for (int j_ = 0; j_ < n / 4; j_++) {
            W_ cb_ = take<n, k, blocks_b>(wb_, k_, j_ * 4, lane() % 4);
#pragma unroll
            for (int i_ = 0; i_ < m / 8; i_++) {
                int t_ = i_ * (n / 4) + j_;
                if constexpr (__is_same(W_, double)) s_[t_] = __builtin_fma(ra_[i_], cb_, s_[t_]);
                else if constexpr (sizeof(typename element<T_>::stored) == 4) s_[t_] = __builtin_fmaf(ra_[i_], cb_, s_[t_]);
                else s_[t_] = ra_[i_] * cb_ + s_[t_]; /* no product is rounded: a target without fma may multiply and add */
            }
        }
    }
    return s_;
}
} // namespace details

/* d = a * b + c; d and c may be the same, and one half, the other float. */
template <int m, int n, int k, class D_, class T_, class La, class Lb, class C_>
CUCPU_M_ void mma_sync(fragment<accumulator, m, n, k, D_> &d_, const fragment<matrix_a, m, n, k, T_, La> &a_,
                       const fragment<matrix_b, m, n, k, T_, Lb> &b_,
                       const fragment<accumulator, m, n, k, C_> &c_, bool satf = false) {
    typedef typename details::element<T_>::computed W_;
    static_assert(__is_same(W_, typename details::element<C_>::computed) &&
                      __is_same(W_, typename details::element<D_>::computed),
                  "mma_sync: accumulators of these types do not go with these factors");
    static_assert(details::element<T_>::packed < 32, "mma_sync: matrices of b1 are multiplied by bmma_sync");
    W_ s_[m * n / details::LANES];
#pragma unroll
    for (int e_ = 0; e_ < c_.num_elements; e_++) s_[e_] = details::begin((W_)c_.x[e_]);
    if constexpr (details::element<T_>::packed > 1)
        details::multiply_lines(s_, a_.x, b_.x, [](auto u_, auto v_) { return details::multiply_packed(u_, v_); });
    else {
        auto v_ = details::multiply_elements<m, n, k, W_, T_, __is_same(La, row_major), __is_same(Lb, col_major)>(
            details::values_of<details::values<W_, m * n / details::LANES>>(s_),
            details::packed<T_, m * k / details::LANES>::of(a_.x), details::packed<T_, k * n / details::LANES>::of(b_.x));
#pragma unroll
        for (int e_ = 0; e_ < c_.num_elements; e_++) s_[e_] = v_[e_];
    }
#pragma unroll
    for (int e_ = 0; e_ < c_.num_elements; e_++) details::end(d_.x[e_], s_[e_], (W_)c_.x[e_], satf);
}
#undef CUCPU_M_
} // namespace wmma
} // namespace nvcuda
#endif
#endif
