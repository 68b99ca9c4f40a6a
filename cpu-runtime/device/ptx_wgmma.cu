/* ptx_wgmma.cu: products of a warp group with matrices in shared memory (wgmma).  Called by ptx-frontend.
**
** Each warp computes 16 rows by itself, each lane its elements of them: two rows of a, which it has as an array, times
** columns of b.  A matrix in shared memory is described by 64 bits (PTX ISA, matrix descriptor): where it starts, two
** distances, and how units of 16 bytes are permuted. */
#include "lib.h"

#define LIBMAT extern "C" __device__ __attribute__((nothrow))
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t u16;

/* ---- elements ---- */

LOCAL float half_value(u32 h) { return float(__builtin_bit_cast(_Float16, u16(h))); }
LIB u16 __cucpu_ptx_e4m3_f16(u32 x);
LIB u16 __cucpu_ptx_e5m2_f16(u32 x);

struct F16 {
    typedef float Sum;
    enum { BYTES = 2 };
    static __device__ float value(u32 x) { return half_value(x); }
};
struct Bf16 {
    typedef float Sum;
    enum { BYTES = 2 };
    static __device__ float value(u32 x) { return __builtin_bit_cast(float, x << 16); }
};
struct Tf32 {
    typedef float Sum;
    enum { BYTES = 4 };
    static __device__ float value(u32 x) { return __builtin_bit_cast(float, x & 0xffffe000); }
};
struct E4m3 {
    typedef float Sum;
    enum { BYTES = 1 };
    static __device__ float value(u32 x) { return half_value(__cucpu_ptx_e4m3_f16(x)); }
};
struct E5m2 {
    typedef float Sum;
    enum { BYTES = 1 };
    static __device__ float value(u32 x) { return half_value(x << 8); }
};
struct S8 {
    typedef int Sum;
    enum { BYTES = 1 };
    static __device__ int value(u32 x) { return int(x << 24) >> 24; }
};
struct U8 {
    typedef int Sum;
    enum { BYTES = 1 };
    static __device__ int value(u32 x) { return int(x & 255); }
};
struct B1 { /* 32 of them */
    typedef int Sum;
    enum { BYTES = 4 };
    static __device__ int value(u32 x) { return int(x); }
};

/* ---- matrices ---- */

struct Matrix {
    u32 start, leading, stride, phase, log; /* log: of the units of 16 bytes in a row of the permuted pattern */
    bool lines;                             /* memory holds lines of k elements, else columns */
};

LOCAL Matrix matrix_of(u64 d, int transposed) {
    u32 mode = u32(d >> 62);
    Matrix m = {u32(d & 0x3fff) << 4,
                u32(d >> 16 & 0x3fff) << 4,
                u32(d >> 32 & 0x3fff) << 4,
                u32(d >> 49 & 7),
                mode ? 4 - mode : 0,
                !transposed};
    return m;
}

/* Where element (line, k) of a matrix with `per` elements in a unit is in shared memory. */
template <int BYTES> LOCAL u32 place(const Matrix &m, u32 line, u32 k) {
    enum { PER = 16 / BYTES };
    u32 at, unit = (m.lines ? k : line) / PER, width = 1u << m.log;
    if (m.lines) at = line % 8 * (16 * width) + line / 8 * m.stride + unit * (m.log ? 16 : m.leading);
    else if (m.log) at = unit % width * 16 + unit / width * m.leading + k % 8 * (16 * width) + k / 8 * m.stride;
    else at = k % 8 * 16 + k / 8 * m.leading + unit * m.stride;
    at += m.start;
    at ^= ((at >> 7) - m.phase & (width - 1)) << 4;
    return at + (m.lines ? k : line) % PER * BYTES;
}

template <class T> LOCAL typename T::Sum element(const char *shared, const Matrix &m, u32 line, u32 k) {
    const char *p = shared + place<T::BYTES>(m, line, k);
    return T::value(T::BYTES == 1 ? *(const unsigned char *)p : T::BYTES == 2 ? *(const u16 *)p : *(const u32 *)p);
}

/* rows[0 ... depth - 1] is row `row` of a, the next ones row + 8. */
template <class T> LOCAL void load_rows(typename T::Sum *rows, const char *shared, u64 d, int transposed, int row, int depth) {
    Matrix m = matrix_of(d, transposed);
    for (int k = 0; k < depth; k++) {
        rows[k] = element<T>(shared, m, u32(row), u32(k));
        rows[depth + k] = element<T>(shared, m, u32(row + 8), u32(k));
    }
}

LOCAL float add(float a, float b, float sum) { return __builtin_fmaf(a, b, sum); }
LOCAL int add(int a, int b, int sum) { return int(u32(a) * u32(b) + u32(sum)); }
LOCAL int add_bits(int a, int b, int sum) { return __builtin_popcount(u32(a) & u32(b)) + sum; }

/* sum[4 * j ...] += rows times columns 8 * j + column, 8 * j + column + 1 */
template <class T, bool BITS>
LOCAL void multiply(typename T::Sum *sum, const typename T::Sum *rows, const char *shared, u64 d, int transposed, int column,
                    int blocks, int depth) {
    Matrix m = matrix_of(d, transposed);
    for (int j = 0; j < blocks; j++) {
        typename T::Sum s0 = sum[4 * j], s1 = sum[4 * j + 1], s2 = sum[4 * j + 2], s3 = sum[4 * j + 3];
        for (int k = 0; k < depth; k++) {
            typename T::Sum b0 = element<T>(shared, m, u32(8 * j + column), u32(k)),
                            b1 = element<T>(shared, m, u32(8 * j + column + 1), u32(k)), a0 = rows[k], a1 = rows[depth + k];
            if constexpr (BITS) {
                s0 = add_bits(a0, b0, s0), s1 = add_bits(a0, b1, s1), s2 = add_bits(a1, b0, s2), s3 = add_bits(a1, b1, s3);
            } else {
                s0 = add(a0, b0, s0), s1 = add(a0, b1, s1), s2 = add(a1, b0, s2), s3 = add(a1, b1, s3);
            }
        }
        sum[4 * j] = s0, sum[4 * j + 1] = s1, sum[4 * j + 2] = s2, sum[4 * j + 3] = s3;
    }
}

#define MATRIX(name, T, bits)                                                                                          \
    LIBMAT void __cucpu_ptx_wgmma_rows_##name(T::Sum *rows, const char *shared, u64 d, int transposed, int row, int depth) { \
        load_rows<T>(rows, shared, d, transposed, row, depth);                                                         \
    }                                                                                                                  \
    LIBMAT void __cucpu_ptx_wgmma_add_##name(T::Sum *sum, const T::Sum *rows, const char *shared, u64 d, int transposed, \
                                             int column, int blocks, int depth) {                                      \
        multiply<T, bits>(sum, rows, shared, d, transposed, column, blocks, depth);                                    \
    }
MATRIX(f16, F16, false)
MATRIX(bf16, Bf16, false)
MATRIX(tf32, Tf32, false)
MATRIX(e4m3, E4m3, false)
MATRIX(e5m2, E5m2, false)
MATRIX(s8, S8, false)
MATRIX(u8, U8, false)
MATRIX(b1, B1, true)
