#!/usr/bin/env python3
"""fit_sincos.py: computes the constants of expand_sincos.c; prints sincos_coefficients.h.

usage: fit_sincos.py > sincos_coefficients.h       (needs mpmath; not part of the build)

sin r = r + r z p(z) and cos r = 1 - z/2 + z^2 q(z) with z = r^2.  p and q are best approximations in the sense of
Chebyshev (Remez's exchange algorithm) of the relative error of sin and of the absolute error of cos.  The coefficients
are rounded one by one, the lowest first, and the others are fitted again to the rest.  pi/2 is the sum of three numbers
of the type, each the nearest to the rest.
"""
import sys

from mpmath import mp, mpf, cos, sin, pi, sqrt, matrix, lu_solve

mp.dps = 60


def sine(z):
    """(sin r - r) / (r z)"""
    if z < mpf(10) ** -12:
        return -mpf(1) / 6 + z / 120
    r = sqrt(z)
    return (sin(r) - r) / (r * z)


def cosine(z):
    """(cos r - 1 + z/2) / z^2"""
    if z < mpf(10) ** -12:
        return mpf(1) / 24 - z / 720
    return (cos(sqrt(z)) - 1 + z / 2) / z**2


def nearest(x, digits):
    """x rounded to this many binary digits."""
    with mp.workprec(digits):
        return +x


def remez(f, weight, low, terms, top):
    """Coefficients of z^low, z^(low + 1), ... whose sum is nearest to f on (0, top], and the largest weighted error."""
    n = terms + 1
    at = [top * (1 - cos(pi * (2 * k + 1) / (2 * n))) / 2 for k in range(n)]
    grid = [top * mpf(k) / 1500 for k in range(1, 1501)]
    for _ in range(12):
        a, b = matrix(n, n), matrix(n, 1)
        for i, z in enumerate(at):
            for j in range(terms):
                a[i, j] = z ** (low + j)
            a[i, terms] = (-1) ** i / weight(z)
            b[i] = f(z)
        x = lu_solve(a, b)
        error = lambda z: weight(z) * (f(z) - sum(x[j] * z ** (low + j) for j in range(terms)))
        values = [error(z) for z in grid]
        runs = []  # the extremum of each run of one sign
        for z, v in zip(grid, values):
            if runs and (runs[-1][1] > 0) == (v > 0):
                if abs(v) > abs(runs[-1][1]):
                    runs[-1] = (z, v)
            else:
                runs.append((z, v))
        if len(runs) < n:
            break
        while len(runs) > n:
            runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
        at = [z for z, _ in runs]
    return [x[j] for j in range(terms)], max(abs(v) for v in values)


def fit(name, f, weight, terms, digits, top):
    done, rest = [], f
    for low in range(terms):
        coefficients, _ = remez(rest, weight, low, terms - low, top)
        done.append(nearest(coefficients[0], digits))
        rest = lambda z, known=list(done): f(z) - sum(c * z**k for k, c in enumerate(known))
    worst = max(abs(weight(z) * rest(z)) for z in (top * mpf(k) / 1000 for k in range(1, 1001)))
    print(f"{name}: error {mp.nstr(worst, 3)}", file=sys.stderr)
    return done


def table(name, values):
    print(f"static const double {name}[] = {{" + ", ".join(float(v).hex() for v in values) + "};")


def halves_of_pi(digits):
    rest, parts = pi / 2, []
    for _ in range(3):
        parts.append(nearest(rest, digits))
        rest -= parts[-1]
    return parts


print("/* sincos_coefficients.h: made by fit_sincos.py; the highest power first. */")
print("#ifndef CUCPU_SINCOS_COEFFICIENTS_H\n#define CUCPU_SINCOS_COEFFICIENTS_H")
for suffix, digits, terms, beyond in (("f32", 24, 3, "1.006"), ("f64", 53, 6, "1.000001")):
    top = (pi / 4 * mpf(beyond)) ** 2
    table(f"half_pi_{suffix}", halves_of_pi(digits))
    table(f"sine_{suffix}", fit(f"sine_{suffix}", sine, lambda z: z, terms, digits, top)[::-1])
    table(f"cosine_{suffix}", fit(f"cosine_{suffix}", cosine, lambda z: z**2, terms, digits, top)[::-1])
print("#endif")
