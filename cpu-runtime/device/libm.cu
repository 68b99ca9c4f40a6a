/* libm.cu: functions of the C library that libstdc++ calls as builtins (std::ilogb of whole numbers, __builtin_fdimf) and that have
** no intrinsic.  Under their C names CUDA programs see those of cucpu/math_c.h, which flush subnormal numbers where asked to. */
#include "lib.h"

template <typename T> LOCAL int exponent(T x) {
    int e = 0;
    (void)__builtin_frexp((double)x, &e); /* exact: a float is a double */
    if (x == 0 || x != x) return -__INT_MAX__ - 1;
    return __builtin_isinf((double)x) ? __INT_MAX__ : e - 1;
}
LIB int ilogbf(float x) { return exponent(x); }
LIB int ilogb(double x) { return exponent(x); }

template <typename T> LOCAL T exponent_of(T x) {
    if (x == 0) return (T)-__builtin_inf();
    return x == x && !__builtin_isinf((double)x) ? (T)exponent(x) : x * x;
}
LIB float logbf(float x) { return exponent_of(x); }
LIB double logb(double x) { return exponent_of(x); }

template <typename T> LOCAL T above(T x, T y) { return x != x || y != y ? x + y : x > y ? x - y : (T)0; }
LIB float fdimf(float x, float y) { return above(x, y); }
LIB double fdim(double x, double y) { return above(x, y); }

/* One step of the bit pattern; from +-0 to the smallest number with y's sign. */
template <typename T> LOCAL T next(T x, T y) {
    auto i = BITS(x);
    decltype(i) least = 1, step = (x < y) == (i >= 0) ? i + 1 : i - 1;
    T small = __builtin_bit_cast(T, least);
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    return x == 0 ? (y < 0 ? -small : small) : __builtin_bit_cast(T, step);
}
LIB float nextafterf(float x, float y) { return next(x, y); }
LIB double nextafter(double x, double y) { return next(x, y); }

LOCAL int clamped(long n) { return n < -100000 ? -100000 : n > 100000 ? 100000 : (int)n; }
LIB float scalbnf(float x, int n) { return __builtin_ldexpf(x, n); }
LIB double scalbn(double x, int n) { return __builtin_ldexp(x, n); }
LIB float scalblnf(float x, long n) { return __builtin_ldexpf(x, clamped(n)); }
LIB double scalbln(double x, long n) { return __builtin_ldexp(x, clamped(n)); }
