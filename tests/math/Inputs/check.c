/* check.c: loads the functions of make_ir.c, compiled for one CPU, and checks every row of math.def.
**     check library.so [row...]
** 1. Accuracy: width 1 against long double references of the C library, in units of the last place
**    of the correctly rounded result, bound by the row (rows with bound 0: by the C function).
**    Fast forms: 4 ulp, but beyond 2^17 sin and cos are any number in [-1, 1].  Special values, signed zeros, overflow and underflow count like others.
** 2. Determinism: all widths against width 1, bit for bit.
** Arguments: all pairs of special values, random bit patterns, and random values of moderate size.
** Prints a line per row and type: the largest error and its arguments. */
#include "passes/ir/math.h"
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double Ref;
typedef void Vector(void *r, void *r2, void *x, void *y, void *z, int *e, long n);
enum { N = 1 << 15 };
static union Array { float f[N]; double d[N]; unsigned char bytes[8 * N]; } X, Y, Z, R, R2, S, S2;
static int E[N];
static void *library;
static int failures;

/* ---- errors ---- */

/* Distance in units of the last place between `got` and the reference rounded to the type. */
static double ulps(bool is_double, Ref got, Ref ref) {
    int digits = is_double ? 53 : 24, least = is_double ? -1074 : -149, e;
    Ref rounded = is_double ? (Ref)(double)ref : (Ref)(float)ref;
    if (isnan(rounded) || isnan(got)) return isnan(rounded) && isnan(got) ? 0 : INFINITY;
    if (rounded == got) return rounded == 0 && !signbit(rounded) != !signbit(got) && ref == 0 ? INFINITY : 0;
    if (isinf(rounded) && isinf(ref)) return INFINITY;
    Ref top = ldexpl(1, is_double ? 1024 : 128); /* an overflow counts as this */
    if (isinf(rounded)) rounded = copysignl(top, rounded);
    if (isinf(got)) got = copysignl(top, got);
    (void)frexpl(fabsl(rounded) < fabsl(got) ? rounded : got, &e);
    return (double)(fabsl(got - rounded) / ldexpl(1, e - digits > least ? e - digits : least));
}

/* ---- references ---- */

static Ref sinpi_ref(Ref x) {
    Ref r = remainderl(x, 2); /* exact */
    if (r == 0 || fabsl(r) == 1) return copysignl(0, x);
    if (fabsl(r) > 0.5L) r = copysignl(1, r) - r; /* sin(pi - a); exact */
    return sinl(r * M_PIl);
}
static Ref cospi_ref(Ref x) {
    Ref r = fabsl(fmodl(x, 2));
    if (r > 1) r = 2 - r;
    return r == 0.5L ? 0 : sinl((0.5L - r) * M_PIl);
}
static Ref lgamma_ref(Ref x) { int s; return lgammal_r(x, &s); }

typedef union Function { Ref (*one)(Ref); Ref (*two)(Ref, Ref); } Function;
static const struct { MathId id; Ref (*one)(Ref); Ref (*two)(Ref, Ref); } refs[] = {
#define R1(name) {MATH_ID_##name, name##l, NULL},
#define R2(name) {MATH_ID_##name, NULL, name##l},
    R1(sin) R1(cos) R1(tan) R1(asin) R1(acos) R1(atan) R2(atan2) R1(sinh) R1(cosh) R1(tanh)
    R1(asinh) R1(acosh) R1(atanh) R1(exp) R1(exp2) R1(exp10) R1(expm1) R1(log) R1(log2) R1(log10)
    R1(log1p) R2(pow) R1(cbrt) R2(hypot) R1(erf) R1(erfc) R1(tgamma) {MATH_ID_lgamma, lgamma_ref, NULL},
    {MATH_ID_sinpi, sinpi_ref, NULL}, {MATH_ID_cospi, cospi_ref, NULL}, R2(fmod) R2(remainder)
    R1(fabs) R1(floor) R1(ceil) R1(trunc) R1(rint) R1(nearbyint) R1(roundeven) R1(round)
    R2(copysign) {MATH_ID_minnum, NULL, fminl}, {MATH_ID_maxnum, NULL, fmaxl},
    {MATH_ID_minimumnum, NULL, fminl}, {MATH_ID_maximumnum, NULL, fmaxl},
};

static Ref nan_wins(Ref x, Ref y, Ref r) { return isnan(x) || isnan(y) ? x + y : r; }

/* The reference, and in *second that of the other result; *has_second says whether there is one. */
static bool reference(MathId id, bool is_double, int i, Ref *r, Ref *second) {
    Ref x = is_double ? X.d[i] : X.f[i], y = is_double ? Y.d[i] : Y.f[i], z = is_double ? Z.d[i] : Z.f[i];
    int e = 0;
    for (size_t k = 0; k < sizeof refs / sizeof *refs; k++)
        if (refs[k].id == id) return *r = refs[k].one ? refs[k].one(x) : refs[k].two(x, y), true;
    switch (id) {
    case MATH_ID_sqrt: *r = is_double ? sqrt(X.d[i]) : sqrtf(X.f[i]); return true;
    case MATH_ID_rsqrt: *r = 1 / sqrtl(x); return true;
    case MATH_ID_powi: *r = powl(x, E[i]); return true;
    case MATH_ID_ldexp: *r = ldexpl(x, E[i]); return true;
    case MATH_ID_frexp: *r = frexpl(x, &e), *second = isfinite(x) ? e : 0; return true;
    case MATH_ID_modf: *r = modfl(x, second); return true;
    case MATH_ID_sincos: *r = sinl(x), *second = cosl(x); return true;
    case MATH_ID_fmuladd: /* fused or not */
        *second = is_double ? X.d[i] * Y.d[i] + Z.d[i] : X.f[i] * Y.f[i] + Z.f[i];
        *r = is_double ? fma(X.d[i], Y.d[i], Z.d[i]) : fmaf(X.f[i], Y.f[i], Z.f[i]);
        if (ulps(is_double, is_double ? R.d[i] : R.f[i], *second) == 0) *r = *second;
        return true;
    case MATH_ID_fma: *r = is_double ? fma(x, y, z) : fmaf(x, y, z); return true;
    case MATH_ID_minimum: *r = nan_wins(x, y, fminl(x, y)); return true;
    case MATH_ID_maximum: *r = nan_wins(x, y, fmaxl(x, y)); return true;
    default: return false;
    }
}

/* The sign of a zero minimum is not specified; near its zeros lgamma has no bound. */
static bool excused(MathId id, bool is_double, Ref x, Ref got, Ref ref) {
    if (id >= MATH_ID_minnum && id <= MATH_ID_maximum && got == 0 && ref == 0) return true;
    if (id == MATH_ID_minnum || id == MATH_ID_maxnum) return false;
    if (id != MATH_ID_lgamma || !isfinite(x)) return false;
    return is_double ? x > -23.0001L && x < -2.2637L : x > -10.001L && x < -2.264L;
}

/* ---- arguments ---- */

static uint64_t seed = 88172645463325252u;
static uint64_t bits64(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed * 2685821657736338717u;
}
static double uniform(void) { return (double)(bits64() >> 11) * 0x1p-53; }

static const double special[] = {
    0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1.5, -1.5, 2.5, -2.5, 4, 10, -10, 1e-10, 1e10, -1e10, 1e-30,
    1e30, -1e30, 1e-40, -1e-40, 0x1p-149, -0x1p-149, 0x1p-126, 0x1.fffffep-127, 0x1.fffffep127, -0x1.fffffep127,
    0x1p-1074, -0x1p-1074, 0x1p-1022, 1e-310, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 1e300, -1e300,
    INFINITY, -INFINITY, NAN, 3.14159265358979311600, 1.57079632679489655800, 0.785398163397448309616, 6.2831853,
    88.72283, 88.72284, 89.4159, 89.42, -87.33655, -103.97, -104, 709.78271289338397, 709.79, 710.4758, 710.5, 709.99311438470386,
    -708.4, -745.13, -746, 127.99999, 128, -126, -149.5, -150, 1023.9999999, 1024, -1022, -1074.5, -1075, 38.53,
    -44.9, 308.25, -323.4, 35.04, 36, 171.62, 172, -33.5, -34.5, -170.5, -180.5, -182.5, 1e38, 2e38, 1e308,
    1.7e308, 1.9e19, 1.4e154, 8388607.5, 8388608.5, 16777217, 33554433, 4503599627370495.5, 4503599627370497.5,
    9007199254740993, 9.1, 10.06, 26.5, 27.3, 0.99999994, 1.0000001, -0.99999994, 0.99999999999999989,
    1.0000000000000002, 1e5, 1e15, 1e22, 0x1.6ac5b262ca1ffp+849, 4.03e36, 2.5e305, 2.6e305,
    -35.99984, -36.0001};
enum { SPECIALS = sizeof special / sizeof *special };

static double argument(bool is_double, int i) {
    uint64_t b = bits64();
    uint32_t low = (uint32_t)b;
    float f;
    double d;
    switch (i % 8) {
    case 0: memcpy(&d, &b, 8), memcpy(&f, &low, 4); return is_double ? d : f;
    case 1: return (uniform() - 0.5) * 4;
    case 2: return (uniform() - 0.5) * 40;
    case 3: return (uniform() - 0.5) * 400;
    case 4: return ldexp(uniform() + 1, (int)(b % 60) - 40) * (b & 64 ? 1 : -1);
    case 5: return 1 + ldexp(uniform() - 0.5, -(int)(b % 20));
    case 6: return rint((uniform() - 0.5) * 200) / (b & 64 ? 1 : 2);
    default: return (uniform() - 0.5) * 2000;
    }
}

static void put(union Array *a, bool is_double, int i, double v) {
    if (is_double) a->d[i] = v;
    else a->f[i] = (float)v;
}

static void fill(bool is_double) {
    for (int i = 0; i < N; i++) {
        bool pairs = i < SPECIALS * SPECIALS;
        put(&X, is_double, i, pairs ? special[i / SPECIALS] : argument(is_double, i));
        put(&Y, is_double, i, pairs ? special[i % SPECIALS] : argument(is_double, (int)(bits64() % 8)));
        put(&Z, is_double, i, i % 3 ? argument(is_double, (int)(bits64() % 8)) : special[bits64() % SPECIALS]);
        uint64_t b = bits64();
        E[i] = i % 4 == 0 ? (int)b : i % 4 == 1 ? (int)(b % 9) - 4 : (int)(b % (is_double ? 4400 : 640)) - (is_double ? 2200 : 320);
    }
}

static bool is_sincos(MathId id) { return id == MATH_ID_sin || id == MATH_ID_cos || id == MATH_ID_sincos; }

/* Multiples of pi/2 of all sizes, where most bits of the argument cancel. */
static void near_zeros_of_sincos(bool is_double) {
    for (int i = SPECIALS * SPECIALS; i < N; i += 2) {
        uint64_t b = bits64();
        put(&X, is_double, i, rint(ldexp(uniform() - 0.5, (int)(b % 34))) * 1.57079632679489655800);
    }
}

/* ---- one row ---- */

static Vector *find(const MathRow *r, char kind, int width) {
    char name[64];
    snprintf(name, sizeof name, "t_%s_%c_%d", r->name, kind, width);
    Vector *f;
    *(void **)&f = dlsym(library, name);
    if (!f) printf("%s: missing\n", name), failures++;
    return f;
}

typedef struct Worst { double ulps; int at; Ref got, ref; } Worst;

static bool is_unreduced(MathId id, Ref x, Ref got) {
    return is_sincos(id) && isfinite(x) && fabsl(x) > 0x1p17 && fabsl(got) <= 1;
}

static void compare(Worst *w, MathId id, char kind, int i, Ref got, Ref ref) {
    bool is_double = kind == 'd';
    Ref x = is_double ? X.d[i] : X.f[i];
    bool any = excused(id, is_double, x, got, ref) || (kind == 's' && is_unreduced(id, x, got));
    double u = any ? 0 : ulps(is_double, got, ref);
    if (u > w->ulps) *w = (Worst){u, i, got, ref};
}

static void accuracy(const MathRow *r, char kind) {
    bool is_double = kind == 'd';
    Worst w = {0};
    int bound = kind == 's' ? 4 : is_double ? r->ulp64 : r->ulp32;
    for (int i = 0; i < N; i++) {
        Ref ref = 0, second = NAN;
        if (!reference(r->id, is_double, i, &ref, &second)) {
            printf("%s: no reference\n", r->name), failures++;
            return;
        }
        compare(&w, r->id, kind, i, is_double ? R.d[i] : R.f[i], ref);
        if (r->sig != SIG_P_F) continue;
        int e;
        memcpy(&e, R2.bytes + 4 * (size_t)i, 4);
        Ref other = r->id == MATH_ID_frexp ? e : is_double ? R2.d[i] : R2.f[i];
        compare(&w, r->id, kind, i, other, second);
    }
    bool bad = w.ulps > bound;
    failures += bad;
    int i = w.at;
    printf("%s %s %c: %.3g of %d ulp", bad ? "FAIL" : "ok", r->name, kind, w.ulps, bound);
    if (is_double) printf("  at %a %a %d: %La, not %La\n", X.d[i], Y.d[i], E[i], w.got, w.ref);
    else printf("  at %a %a %d: %La, not %La\n", X.f[i], Y.f[i], E[i], w.got, w.ref);
}

static bool same_bits(const union Array *a, const union Array *b, bool is_double, int i) {
    if (is_double) return !memcmp(&a->d[i], &b->d[i], 8) || (isnan(a->d[i]) && isnan(b->d[i]));
    return !memcmp(&a->f[i], &b->f[i], 4) || (isnan(a->f[i]) && isnan(b->f[i]));
}

static void determinism(const MathRow *r, char kind) {
    for (int width = 2; width <= 64; width *= 2) {
        Vector *f = find(r, kind, width);
        memset(&S, 0, sizeof S), memset(&S2, 0, sizeof S2);
        if (f) f(S.bytes, S2.bytes, X.bytes, Y.bytes, Z.bytes, E, N);
        for (int i = 0; i < N; i++) {
            bool second = r->id == MATH_ID_frexp ? !memcmp(R2.bytes + 4 * (size_t)i, S2.bytes + 4 * (size_t)i, 4)
                                                 : same_bits(&R2, &S2, kind == 'd', i);
            if (same_bits(&R, &S, kind == 'd', i) && second) continue;
            if (kind == 'd') printf("FAIL %s d: width %d: %a %a %d: %a, width 1: %a\n", r->name, width, X.d[i], Y.d[i], E[i], S.d[i], R.d[i]);
            else printf("FAIL %s %c: width %d: %a %a %d: %a, width 1: %a\n", r->name, kind, width, X.f[i], Y.f[i], E[i], S.f[i], R.f[i]);
            failures++;
            break;
        }
    }
}

static void check(const MathRow *r, char kind) {
    fill(kind == 'd');
    if (is_sincos(r->id)) near_zeros_of_sincos(kind == 'd');
    Vector *f = find(r, kind, 1);
    if (!f) return;
    memset(&R, 0, sizeof R), memset(&R2, 0, sizeof R2);
    f(R.bytes, R2.bytes, X.bytes, Y.bytes, Z.bytes, E, N);
    accuracy(r, kind);
    determinism(r, kind);
}

static const MathRow rows[] = {
#define MATH(name, kind, sig, llvm, f32, f64, sleef, acc32, acc64, fast, ulp32, ulp64)             \
    {#name, MATH_ID_##name, MATH_##kind, SIG_##sig, llvm, f32, f64, sleef, acc32, acc64, fast,     \
     ulp32, ulp64},
#include "passes/ir/math.def"
#undef MATH
};

int main(int argc, char **argv) {
    library = dlopen(argv[1], RTLD_NOW);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool wanted = argc == 2;
        for (int k = 2; k < argc; k++) wanted = wanted || !strcmp(argv[k], rows[i].name);
        for (const char *kind = "fds"; wanted && *kind; kind++)
            if ((*kind != 's' || rows[i].fast) && (rows[i].intrinsic || (*kind == 'd' ? rows[i].f64 : rows[i].f32)))
                check(&rows[i], *kind);
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
