/* complex.cu: what the compiler calls for products and quotients of complex numbers (std::complex,
** _Complex): C99 Annex G, NaN results recovered to infinities. */
#include "lib.h"

template <typename T> LOCAL T boxed(T x) { /* +-1 for an infinity, +-0 for the rest */
    return (T)__builtin_copysign(__builtin_isinf(x) ? 1.0 : 0.0, (double)x);
}
template <typename T> LOCAL T unnan(T x) { return x != x ? (T)__builtin_copysign(0.0, (double)x) : x; }

template <typename C, typename T> LOCAL C multiply(T a, T b, T c, T d) {
    T ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;
    if (x != x && y != y) {
        bool left = __builtin_isinf(a) || __builtin_isinf(b);
        bool right = __builtin_isinf(c) || __builtin_isinf(d);
        bool over = __builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) ||
                    __builtin_isinf(bc);
        if (left) a = boxed(a), b = boxed(b), c = unnan(c), d = unnan(d);
        if (right) c = boxed(c), d = boxed(d), a = unnan(a), b = unnan(b);
        if (!left && !right && over) a = unnan(a), b = unnan(b), c = unnan(c), d = unnan(d);
        if (left || right || over) {
            T inf = (T)__builtin_inf();
            x = inf * (a * c - b * d);
            y = inf * (a * d + b * c);
        }
    }
    C r;
    __real__ r = x;
    __imag__ r = y;
    return r;
}
template <typename C, typename T> LOCAL C divide(T a, T b, T c, T d) {
    T big = (T)__builtin_fmax(__builtin_fabs((double)c), __builtin_fabs((double)d));
    int scale = 0;
    if (__builtin_isfinite(big) && big != 0) {
        (void)__builtin_frexp((double)big, &scale);
        c = (T)__builtin_ldexp((double)c, -scale);
        d = (T)__builtin_ldexp((double)d, -scale);
    }
    T denominator = c * c + d * d;
    T x = (T)__builtin_ldexp((double)((a * c + b * d) / denominator), -scale);
    T y = (T)__builtin_ldexp((double)((b * c - a * d) / denominator), -scale);
    if (x != x && y != y) {
        T inf = (T)__builtin_inf();
        if (denominator == 0 && (a == a || b == b)) {
            T s = (T)__builtin_copysign((double)inf, (double)c);
            x = s * a, y = s * b;
        } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) &&
                   __builtin_isfinite(d)) {
            a = boxed(a), b = boxed(b);
            x = inf * (a * c + b * d), y = inf * (b * c - a * d);
        } else if (__builtin_isinf(big) && __builtin_isfinite(a) && __builtin_isfinite(b)) {
            c = boxed(c), d = boxed(d);
            x = 0 * (a * c + b * d), y = 0 * (b * c - a * d);
        }
    }
    C r;
    __real__ r = x;
    __imag__ r = y;
    return r;
}
LIB _Complex float __mulsc3(float a, float b, float c, float d) { return multiply<_Complex float>(a, b, c, d); }
LIB _Complex double __muldc3(double a, double b, double c, double d) { return multiply<_Complex double>(a, b, c, d); }
LIB _Complex float __divsc3(float a, float b, float c, float d) { return divide<_Complex float>(a, b, c, d); }
LIB _Complex double __divdc3(double a, double b, double c, double d) { return divide<_Complex double>(a, b, c, d); }
