#!/usr/bin/env python3
"""fit.py: computes the polynomials of math.cu; prints coefficients.h.

usage: fit.py > coefficients.h       (needs mpmath; not part of the build)

Each function is interpolated at Chebyshev nodes of its interval in 60 digits, which is within a
small factor of the best polynomial, and written in powers of the mapped variable t in [-1, 1]
(or of the variable itself for short intervals at 0), for evaluation by Horner's rule with fma.
"""
import sys

from mpmath import mp, mpf, erfc, exp, pi, sqrt, log, besseli, besselj, bessely, cos, matrix, lu_solve, findroot, erfinv, factorial

mp.dps = 60


def chebyshev_fit(f, degree):
    """Coefficients, lowest first, of the polynomial in t that interpolates f on [-1, 1]."""
    n = degree + 1
    nodes = [cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    values = [f(t) for t in nodes]
    cheb = [2 * sum(values[k] * cos(pi * j * (2 * k + 1) / (2 * n)) for k in range(n)) / n for j in range(n)]
    cheb[0] /= 2
    # Chebyshev series to powers.
    t_prev, t_cur = [mpf(1)], [mpf(0), mpf(1)]
    out = [mpf(0)] * n
    for j in range(n):
        poly = t_prev
        for i, c in enumerate(poly):
            out[i] += cheb[j] * c
        nxt = [mpf(0)] + [2 * c for c in t_cur]
        for i, c in enumerate(t_prev):
            nxt[i] -= c
        t_prev, t_cur = t_cur, nxt
    return out


def emit(name, ctype, coefficients, note, check=None):
    for function in [check] if check else []:  # the fit's own error, to stderr
        worst = max(abs(sum(c * t ** i for i, c in enumerate(coefficients)) / function(t) - 1)
                    for t in (mpf(k) / 101 for k in range(-100, 101)))
        print(f"{name}: relative error {mp.nstr(worst, 3)}", file=sys.stderr)
    print(f"/* {note} */")
    print(f"TABLE {ctype} {name}[] = {{")
    for c in coefficients:
        text = mp.nstr(c, 20 if ctype == "double" else 12, strip_zeros=False)
        print(f"    {text}{'f' if ctype == 'float' else ''},")
    print("};")


def taylor_sinpi(terms):
    return [(-1) ** n * pi ** (2 * n + 1) / factorial(2 * n + 1) for n in range(terms)]


def taylor_cospi(terms):
    return [(-1) ** n * pi ** (2 * n) / factorial(2 * n) for n in range(terms)]


def erfcx(x):
    return exp(x * x) * erfc(x)


def erfcx_of(t):
    """(1 + 2x) erfcx(x) with t = (x - 4)/(x + 4); t = 1 is x = infinity."""
    if 1 - t < mpf(10) ** -25:
        return 2 / sqrt(pi)
    x = 4 * (1 + t) / (1 - t)
    if x > 1000:
        s = sum((-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(8))
        return (1 + 2 * x) * s / (x * sqrt(pi))
    return (1 + 2 * x) * erfcx(x)


def inverse(w):
    """erfinv(y)/y with w = -log(1 - y*y)."""
    if w == 0:
        return sqrt(pi) / 2
    y2 = -mp.expm1(-w)
    y = sqrt(y2)
    if w < 1:
        return erfinv(y) / y
    # erfc(x) = 1 - y; 1 - y = exp(-w)/(1 + y)
    target = log(exp(-w) / (1 + y))
    x = sqrt(w)
    for _ in range(60):
        e = log(erfc(x)) - target
        d = -2 / sqrt(pi) * exp(-x * x) / erfc(x)
        step = e / d
        x -= step
        if abs(step) < mpf(10) ** -50:
            break
    return x / y


def mapped(f, a, b):
    a, b = mpf(a), mpf(b)
    return lambda t: f((b - a) / 2 * t + (a + b) / 2)


print("/* coefficients.h: made by fit.py; lowest power first. */")
print("#ifndef CUCPU_COEFFICIENTS_H\n#define CUCPU_COEFFICIENTS_H\n#include \"lib.h\"")
emit("sinpi_d", "double", taylor_sinpi(10), "sin(pi r)/r in powers of r*r, |r| <= 1/4")
emit("cospi_d", "double", taylor_cospi(10), "cos(pi r) in powers of r*r, |r| <= 1/4")
emit("erfcx_d", "double", chebyshev_fit(erfcx_of, 25), "(1 + 2x) erfcx(x) in t = (x - 4)/(x + 4), x >= 0")
for name, a, b, degree in (("0", 0, 1, 12), ("1", 1, 4, 18), ("2", 4, 9, 19), ("3", 9, 18, 20)):
    f = mapped(inverse, a, b)
    emit(f"erfinv_{name}_d", "double", chebyshev_fit(f, degree),
         f"erfinv(y)/y in t, w = -log(1 - y*y) mapped from [{a}, {b}]", f)
for name, a, b, degree in (("4", "4.2426406871192851", 9, 25), ("5", 9, 28, 24)):
    f = mapped(lambda s: inverse(s * s), a, b)
    emit(f"erfinv_{name}_d", "double", chebyshev_fit(f, degree),
         f"erfinv(y)/y in t, sqrt(w) mapped from [{a}, {b}]", f)
emit("i0_small_d", "double", chebyshev_fit(lambda t: besseli(0, 4 * t + 4) * exp(-(4 * t + 4)), 27),
     "exp(-x) I0(x), x mapped from [0, 8]")
emit("i1_small_d", "double", chebyshev_fit(
    lambda t: (besseli(1, 4 * t + 4) / (4 * t + 4) if t != -1 else mpf(1) / 2) * exp(-(4 * t + 4)), 27),
    "exp(-x) I1(x)/x, x mapped from [0, 8]")


def large(order):
    def f(t):
        u = t + 1  # u = 16/x in [0, 2]
        if u < mpf(10) ** -20:
            return 1 / sqrt(2 * pi)
        x = 16 / u
        if x > 2000:
            mu, s, term = 4 * order * order, mpf(1), mpf(1)
            for k in range(1, 16):
                term *= -(mu - (2 * k - 1) ** 2) / (k * 8 * x)
                s += term
            return s / sqrt(2 * pi)
        return besseli(order, x) * exp(-x) * sqrt(x)
    return f


emit("i0_large_d", "double", chebyshev_fit(large(0), 24), "exp(-x) sqrt(x) I0(x) in t = 16/x - 1, x >= 8")
emit("i1_large_d", "double", chebyshev_fit(large(1), 24), "exp(-x) sqrt(x) I1(x) in t = 16/x - 1, x >= 8")


def near_zeros(name, f, zeros, degree=19):
    """f(x)/(x - z) within 1/4 of each zero z; z itself in two parts."""
    z = [findroot(f, mpf(start)) for start in zeros]
    emit(f"{name}_zeros_d", "double", [part for x in z for part in (mpf(float(x)), x - float(x))], f"zeros of {name}, each in two parts")
    coefficients = []
    for x in z:
        coefficients += chebyshev_fit(lambda t: f(x + t / 4) / (t / 4), degree)
    emit(f"{name}_near_d", "double", coefficients, f"{name}(z + t/4)/(t/4), {degree + 1} coefficients for each zero")


near_zeros("j0", lambda x: besselj(0, x), ("2.4048", "5.5201"))
near_zeros("j1", lambda x: besselj(1, x), ("3.8317", "7.0156"))
near_zeros("y0", lambda x: bessely(0, x), ("0.89358", "3.9577", "7.0861"))
near_zeros("y1", lambda x: bessely(1, x), ("2.1971", "5.4297"))
print("#endif")
