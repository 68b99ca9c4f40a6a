/* test_rules.c: every arithmetic rule of shapes_arith.c by enumeration.
**
** Over 4 bit integers and groups of 4 lanes: pairs of facts (constants, uniform values, affine values
** with any stride, alignment, range and exactness) are drawn; for every operation, every combination
** of flags, every pair of values that lane 0 can have, and every lane on its own (the others may be
** switched off), the result must be what the rule claims.  The scalar part is computed as the code
** generator does it: flags dropped, `or disjoint` as add, `zext nneg` as sext. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "tests/analysis/unit/random_program.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BITS = 4, ALL = 1 << BITS, W = 4, EXTENDED = 7, TRUNCATED = 3 };
static Group group = {.width = W, .rows = true, .full = true, .in_warp = true, .warp_size = 32};
static int failures;
static long checks, claims, patterns, decided;

static int64_t zext(int64_t v, int bits) {
    return (int64_t)((uint64_t)v & ((UINT64_C(1) << bits) - 1));
}

static Fact random_pattern(void) {
    Lanes l = {.bits = BITS, .run = 2 << rnd_below(2), .k = rnd_below(BITS + 1)};
    l.low = rnd_below(1 << l.k);
    for (int i = 0; i < W; i++)
        l.off[i] = i % l.run == 0 ? 0 : rnd_below(2) ? rnd_below(3) : rnd_below(ALL) - ALL / 2;
    return lanes_fact(&group, &l);
}

static Fact random_fact(void) {
    Fact f;
    int kind = rnd_below(8);
    if (kind > 4)
        f = random_pattern();
    else if (kind == 0)
        f = fact_const(BITS, rnd_below(ALL));
    else if (kind == 1)
        f = fact_lanes(&group, BITS, 0, 1u << rnd_below(5));
    else
        f = fact_lanes(&group, BITS, rnd_below(2) ? rnd_below(4) - 1 : rnd_below(ALL),
                       1u << rnd_below(6));
    if (kind && rnd_below(3)) {
        f.lo = rnd_below(ALL) - ALL / 2;
        f.hi = f.lo + rnd_below(ALL / 2 - (int)f.lo);
    }
    if (kind && rnd_below(2) && f.sx == EXACT_NO) f.sx = EXACT_GROUP;
    if (kind && rnd_below(2) && f.ux == EXACT_NO) f.ux = EXACT_GROUP;
    if (f.lo >= 0 && f.sx > f.ux) f.ux = f.sx;
    fact_align_exact(&group, &f);
    return f;
}

/* Lane i, and the first lane of a run of `run` with it, have values that the fact allows if the first
** lane of its own run computes v0. */
static bool allows(const Fact *f, int64_t v0, int i, int run, int64_t *v, int64_t *first) {
    Lanes l;
    if (!read_lanes(&group, f, &l)) return false;
    int64_t off = l.off[i];
    int at = i & ~(run - 1);
    *v = sign_extend(v0 + off, BITS);
    *first = at / l.run == i / l.run ? sign_extend(v0 + l.off[at], BITS) : 0;
    if (f->s.base_known && fact_zero_coefs(f) && v0 != f->s.base_value) return false;
    if (zext(v0, BITS) % fact_align_lane0(&group, f) || (zext(v0, BITS) ^ l.low) % (1 << l.k))
        return false;
    if (zext(*v, BITS) % fact_align_all(f)) return false;
    if (v0 < f->lo || v0 > f->hi || *v < f->lo || *v > f->hi) return false;
    if (!f->pat) off = i ? l.off[1] * i : 0; /* affine: the stride counts */
    if (f->sx >= EXACT_GROUP && *v != v0 + off) return false;
    return f->ux < EXACT_GROUP || zext(*v, BITS) == zext(v0, BITS) + off;
}

typedef struct Case {
    const char *what;
    Fact a, b, r;
    int bits; /* of the result; 1: a predicate */
    int op, flags;
} Case;

static void print_lanes(const char *what, const Fact *f) {
    Lanes l;
    if (!read_lanes(&group, f, &l)) return;
    printf("  %s: run %d low %" PRId64 " mod 2^%d, lanes", what, l.run, l.low, l.k);
    for (int i = 0; i < W; i++) printf(" %" PRId64, l.off[i]);
    printf(" [%" PRId64 ",%" PRId64 "] sx %d ux %d\n", f->lo, f->hi, f->sx, f->ux);
}

/* What is wrong with r in lane i if the first lane of its run has r0. */
static const char *wrong_lanes(const Case *c, const Fact *f, int64_t r0, int64_t r, int i) {
    int64_t stride = 0;
    Lanes l = {.run = W};
    if (c->bits == 1) return sign_extend(r - r0, 1) ? "differs" : NULL;
    read_lanes(&group, f, &l);
    int64_t off = l.off[i];
    if (sign_extend(r - r0 - off, c->bits)) return "offset";
    if (fact_lane_stride(&group, f, &stride)) off = stride * i;
    if (r0 < f->lo || r0 > f->hi) return "range of the first lane";
    if (zext(r0, c->bits) % fact_align_lane0(&group, f)) return "alignment of the first lane";
    if ((r0 ^ l.low) & ((1 << l.k) - 1)) return "low bits of the first lane";
    if (f->sx >= EXACT_GROUP && r != r0 + off) return "sext";
    if (f->ux >= EXACT_GROUP && zext(r, c->bits) != zext(r0, c->bits) + off) return "zext";
    if (f->s.base_known && fact_zero_coefs(f) && r != f->s.base_value) return "constant";
    return NULL;
}

static void check(const Case *c, int64_t r0, int64_t r, int i) {
    const Fact *f = &c->r;
    Lanes l;
    checks++;
    const char *wrong = NULL;
    if (f->s.bottom)
        wrong = "nothing";
    else if (c->bits > 1 && (r < f->lo || r > f->hi))
        wrong = "range";
    else if (c->bits > 1 && zext(r, c->bits) % fact_align_all(f))
        wrong = "alignment";
    else if (read_lanes(&group, f, &l) || (c->bits == 1 && !fact_varies(f))) {
        claims++;
        patterns += f->pat != NULL;
        wrong = wrong_lanes(c, f, r0, r, i);
    }
    if (!wrong || failures++ > 10) return;
    printf("FAIL: %s, op %d flags %d: %s: lane %d has %" PRId64 ", lane 0 %" PRId64 "\n", c->what,
           c->op, c->flags, wrong, i, r, r0);
    print_lanes("a", &c->a);
    print_lanes("b", &c->b);
    print_lanes("result", &c->r);
}

static int64_t compute(int op, int64_t a, int64_t b, int flags, bool *poison) {
    int64_t ua = zext(a, BITS), ub = zext(b, BITS), s = 0, u = 0;
    bool nsw = flags & 1, nuw = flags & 2;
    switch (op) {
    case LLVMAdd:
        s = a + b, u = ua + ub;
        break;
    case LLVMSub:
        s = a - b, u = ua - ub;
        break;
    case LLVMMul:
        s = a * b, u = ua * ub;
        break;
    case LLVMAnd:
        return a & b;
    case LLVMOr:
        *poison |= (flags & 1) && (ua & ub);
        return a | b;
    case LLVMXor:
        return a ^ b;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        if (ub >= BITS) {
            *poison = true;
            return 0;
        }
        if (op == LLVMLShr) return sign_extend(ua >> ub, BITS);
        if (op == LLVMAShr) return a >> ub;
        s = a * (1 << ub), u = ua << ub;
        break;
    case LLVMUDiv:
    case LLVMURem:
        if (!ub) {
            *poison = true;
            return 0;
        }
        return sign_extend(op == LLVMUDiv ? ua / ub : ua % ub, BITS);
    default:
        if (!b || (a == -ALL / 2 && b == -1)) {
            *poison = true;
            return 0;
        }
        return op == LLVMSDiv ? a / b : a % b;
    }
    if (nsw && s != sign_extend(s, BITS)) *poison = true;
    if (nuw && u != zext(u, BITS)) *poison = true;
    return sign_extend(u, BITS);
}

static bool compare(int p, int64_t a, int64_t b) {
    int64_t ua = zext(a, BITS), ub = zext(b, BITS);
    switch (p) {
    case LLVMIntEQ:
        return a == b;
    case LLVMIntNE:
        return a != b;
    case LLVMIntUGT:
        return ua > ub;
    case LLVMIntUGE:
        return ua >= ub;
    case LLVMIntULT:
        return ua < ub;
    case LLVMIntULE:
        return ua <= ub;
    case LLVMIntSGT:
        return a > b;
    case LLVMIntSGE:
        return a >= b;
    case LLVMIntSLT:
        return a < b;
    default:
        return a <= b;
    }
}

/* All values of lane 0 of a and b, all lanes. */
static void enumerate(Case *c, bool predicate) {
    int run = c->r.pat ? c->r.pat->run : W;
    for (int64_t a0 = -ALL / 2; a0 < ALL / 2; a0++)
        for (int64_t b0 = -ALL / 2; b0 < ALL / 2; b0++)
            for (int i = 0; i < W; i++) {
                int64_t a, b, af, bf, r, r0;
                bool poison = false, ignore = false;
                if (!allows(&c->a, a0, i, run, &a, &af) || !allows(&c->b, b0, i, run, &b, &bf))
                    continue;
                if (predicate) {
                    r = -(int64_t)compare(c->op, a, b);
                    r0 = -(int64_t)compare(c->op, af, bf);
                } else {
                    int op0 = c->op == LLVMOr && c->flags ? LLVMAdd : c->op;
                    r = compute(c->op, a, b, c->flags, &poison);
                    r0 = compute(op0, af, bf, 0, &ignore);
                    if (ignore && !poison && (c->r.pat || !fact_varies(&c->r)))
                        r0 = r + 1; /* lane 0 has no value */
                }
                if (!poison) check(c, r0, r, i);
            }
}

static void test_pair(Fact a, Fact b) {
    static const int ops[] = {LLVMAdd,  LLVMSub,  LLVMMul,  LLVMAnd,  LLVMOr,   LLVMXor, LLVMShl,
                              LLVMLShr, LLVMAShr, LLVMUDiv, LLVMURem, LLVMSDiv, LLVMSRem};
    for (unsigned o = 0; o < sizeof ops / sizeof *ops; o++) {
        int op = ops[o], most = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl ? 4
                                : op == LLVMOr                                                   ? 2
                                               : 1;
        for (int f = 0; f < most; f++) {
            Flags fl = {
                .nsw = op != LLVMOr && (f & 1), .nuw = f & 2, .disjoint = op == LLVMOr && f};
            Case c = {.what = "arithmetic", .a = a, .b = b, .bits = BITS, .op = op, .flags = f};
            if (op == LLVMAdd)
                c.r = arith_add(&group, a, b, fl);
            else if (op == LLVMSub)
                c.r = arith_sub(&group, a, b, fl);
            else if (op == LLVMMul)
                c.r = arith_mul(&group, a, b, fl);
            else if (op == LLVMShl)
                c.r = arith_shl(&group, a, b, fl);
            else if (op >= LLVMUDiv && op <= LLVMFRem)
                c.r = arith_divide(&group, (LLVMOpcode)op, a, b);
            else
                c.r = arith_bits(&group, (LLVMOpcode)op, a, b, fl);
            enumerate(&c, false);
        }
    }
    for (int p = LLVMIntEQ; p <= LLVMIntSLE; p++) {
        Case c = {.what = "icmp", .a = a, .b = b, .bits = 1, .op = p};
        c.r = arith_icmp(&group, (LLVMIntPredicate)p, a, b);
        enumerate(&c, true);
    }
}

/* Lane i of an affine value that starts at v0 and has not wrapped by then. */
static bool reaches(const Fact *f, int64_t v0, int i) {
    int64_t stride, v, first;
    return fact_lane_stride(&group, f, &stride) && allows(f, v0, i, W, &v, &first) && v == v0 + stride * i;
}

/* A signed comparison that a branch of all lanes counts on: neither side has wrapped in any of them. */
static void test_decides(Fact a, Fact b) {
    a.active = b.active = EXACT_GROUP;
    for (int p = LLVMIntSGT; p <= LLVMIntSLE; p++) {
        Case c = {.what = "icmp that decides", .a = a, .b = b, .bits = 1, .op = p};
        c.r = arith_icmp_decides(&group, (LLVMIntPredicate)p, a, b, SCOPE_GROUP);
        if (fact_varies(&c.r)) continue;
        decided++;
        for (int64_t a0 = -ALL / 2; a0 < ALL / 2; a0++)
            for (int64_t b0 = -ALL / 2; b0 < ALL / 2; b0++)
                for (int i = 0; i < W && reaches(&a, a0, i) && reaches(&b, b0, i); i++) {
                    int64_t x, y, first;
                    allows(&a, a0, i, W, &x, &first), allows(&b, b0, i, W, &y, &first);
                    check(&c, -(int64_t)compare(p, a0, b0), -(int64_t)compare(p, x, y), i);
                }
    }
}

static void test_width(Fact a) {
    for (int kind = 0; kind < 4; kind++) {
        Case c = {.what = "trunc, sext, zext, zext nneg", .a = a, .b = a, .op = kind};
        c.bits = kind ? EXTENDED : TRUNCATED;
        c.r = kind == 0   ? arith_trunc(&group, a, TRUNCATED)
              : kind == 1 ? arith_sext(&group, a, EXTENDED)
                          : arith_zext(&group, a, EXTENDED, kind == 3);
        int run = c.r.pat ? c.r.pat->run : W;
        for (int64_t a0 = -ALL / 2; a0 < ALL / 2; a0++)
            for (int i = 0; i < W; i++) {
                int64_t v, f;
                if (!allows(&a, a0, i, run, &v, &f) || (kind == 3 && v < 0)) continue;
                bool sext = kind == 1 || (kind == 3 && !fact_group_uniform(&group, &a));
                int64_t r = kind == 0 ? sign_extend(v, TRUNCATED) : kind == 1 ? v : zext(v, BITS);
                int64_t r0 = kind == 0 ? sign_extend(f, TRUNCATED) : sext ? f : zext(f, BITS);
                check(&c, r0, r, i);
            }
    }
}

int main(int argc, char **argv) {
    Arena arena = {0};
    group.patterns = patterns_new(&arena);
    int pairs = argc > 1 ? atoi(argv[1]) : 20000;
    rnd_seed(argc > 2 ? (uint64_t)atoi(argv[2]) : 1);
    for (int i = 0; i < pairs && !failures; i++) {
        Fact a = random_fact(), b = random_fact();
        test_pair(a, b);
        test_decides(a, b);
        test_width(a);
    }
    printf("%d pairs of facts, %ld results, %ld scalar claims, %ld of patterns, %d failures\n", pairs,
           checks, claims, patterns, failures);
    arena_free(&arena);
    return failures || !claims || !patterns || !decided;
}
