/* test_shapes.c: every claim of the shapes analysis against execution.
**
** Random kernels (random_program.c) are interpreted for all threads of two blocks, with poison, each
** thread by itself.  An instruction's value in different threads is compared at equal iteration numbers
** of all loops around it (that is what "at the same time" means for the analysis): affine form, base
** and its scope, alignment, range, exactness under extension, activity of blocks.  Along with a
** thread's values the value that lane 0 would compute as the scalar part is carried, by the rules that
** docs/shapes.md gives to the code generator, active or not: lane i must be that plus i strides.
** In every third case the code is first prepared for widening (shapes_for_widening) and run with
** scalar values taken from lane 0: blocks visited and values stored must be those of the original.
** test_shapes [first seed] [number of programs] */
#include "passes/analysis/shapes/shapes_internal.h"
#include "tests/analysis/unit/random_program.h"
#include <inttypes.h>
#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 4 }; /* up to 8 lanes */

typedef struct Value {
    int64_t v;           /* sign-extended */
    int64_t part[PARTS]; /* scalar part, if the fact is scalar: [0] lane 0's; [j] that of the first
                         ** lane of a run of 2^j */
    bool poison;
} Value;

typedef struct Thread {
    int tid[3], first[PARTS][3]; /* own ids, and those of the first lanes */
    int linear, lane, group, block, first_linear[PARTS];
} Thread;

enum { SLOTS = 1 << 20, STEPS = 3000 };
typedef struct Slot {
    uint64_t key;
    int64_t v;
    int lane, count, want, round; /* of another round: free */
} Slot;

typedef struct Run {
    Shapes *s;
    const Cfg *cfg;
    Value *env;
    Thread t;
    int64_t ctaid[2], param[3], memory;
    unsigned dim[3];
    int8_t array[4];
    int iteration[64];
    uint64_t salt;
    bool check, failed, undefined;
    bool generated; /* behave like generated code: scalar values come from lane 0 */
    uint64_t trace; /* of blocks and stored values: what generated code must reproduce */
    long checks;
} Run;

static Slot table[SLOTS];
static long patterns;
static int used, round_now, filled[SLOTS / 2 + 1];

static uint64_t mix(uint64_t a, uint64_t b) {
    a = (a + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    a = (a ^ (a >> 29) ^ b) * UINT64_C(0x94d049bb133111eb);
    return a ^ (a >> 31);
}

static Slot *slot(uint64_t key) {
    size_t i = key & (SLOTS - 1);
    while (table[i].round == round_now && table[i].key != key) i = (i + 1) & (SLOTS - 1);
    if (table[i].round != round_now) {
        if (used == SLOTS / 2) abort();
        filled[used++] = (int)i;
        table[i] = (Slot){.key = key, .lane = -1, .round = round_now};
    }
    return &table[i];
}

static void fail(Run *r, int k, const char *what, int64_t got, int64_t want) {
    if (r->failed) return;
    r->failed = true;
    printf("thread (%d,%d,%d) lane %d of block %d: %s: got %" PRId64 ", want %" PRId64 "\n",
           r->t.tid[0], r->t.tid[1], r->t.tid[2], r->t.lane, r->t.block, what, got, want);
    char *text = k >= 0 ? LLVMPrintValueToString(r->s->value[k]) : NULL;
    if (text) printf("at: %s\n", text);
}

/* ---- execution ---- */

static Value all_parts(int64_t v) {
    Value r = {.v = v};
    for (int j = 0; j < PARTS; j++) r.part[j] = v;
    return r;
}

/* Computed for an active lane. */
static Value all_parts_of(Value v) {
    bool poison = v.poison;
    v = all_parts(v.v);
    v.poison = poison;
    return v;
}

static Value get(Run *r, LLVMValueRef v) {
    uintptr_t k = map_get(&r->s->index, v, 0);
    if (k) return r->env[k - 1];
    if (LLVMIsUndef(v)) return (Value){.poison = true};
    return all_parts(LLVMIsAConstantInt(v) ? LLVMConstIntGetSExtValue(v) : 0);
}

static int bits_of(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? (int)LLVMGetIntTypeWidth(t) : 64;
}

static uint64_t unsigned_of(int64_t v, int bits) {
    return bits == 64 ? (uint64_t)v : (uint64_t)v & ((UINT64_C(1) << bits) - 1);
}

static bool fits_signed(__int128 v, int bits) { return v >= min_of(bits) && v <= max_of(bits); }
static bool fits_unsigned(__int128 v, int bits) {
    return v >= 0 && v <= (__int128)unsigned_of(-1, bits);
}

/* a op b; *poison is set where flags or the operation say so */
static int64_t arithmetic(LLVMOpcode op, int64_t a, int64_t b, int bits, Flags fl, bool *poison) {
    uint64_t ua = unsigned_of(a, bits), ub = unsigned_of(b, bits);
    __int128 s = 0, u = 0;
    switch (op) {
    case LLVMAdd:
        s = (__int128)a + b;
        u = (__int128)ua + ub;
        break;
    case LLVMSub:
        s = (__int128)a - b;
        u = (__int128)ua - ub;
        break;
    case LLVMMul:
        s = (__int128)a * b;
        u = (__int128)ua * ub;
        break;
    case LLVMShl:
        if (ub >= (uint64_t)bits) {
            *poison = true;
            return 0;
        }
        s = (__int128)a * ((__int128)1 << ub);
        u = (__int128)ua << ub;
        break;
    case LLVMLShr:
        if (ub >= (uint64_t)bits)
            *poison = true;
        else
            return sign_extend((int64_t)(ua >> ub), bits);
        return 0;
    case LLVMAShr:
        if (ub >= (uint64_t)bits)
            *poison = true;
        else
            return a >> ub;
        return 0;
    case LLVMAnd:
        return a & b;
    case LLVMOr:
        if (fl.disjoint && (a & b)) *poison = true;
        return a | b;
    case LLVMXor:
        return a ^ b;
    case LLVMUDiv:
    case LLVMURem:
        if (!ub) {
            *poison = true;
            return 0;
        }
        return sign_extend((int64_t)(op == LLVMUDiv ? ua / ub : ua % ub), bits);
    default:
        if (!b || (b == -1 && a == min_of(bits))) {
            *poison = true;
            return 0;
        }
        return op == LLVMSDiv ? a / b : a % b;
    }
    if (fl.nsw && !fits_signed(s, bits)) *poison = true;
    if (fl.nuw && !fits_unsigned(u, bits)) *poison = true;
    return sign_extend((int64_t)u, bits);
}

static bool compare(LLVMIntPredicate p, int64_t a, int64_t b, int bits) {
    uint64_t ua = unsigned_of(a, bits), ub = unsigned_of(b, bits);
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

static uint64_t time_of(const Run *r, int block) {
    uint64_t h = 1;
    for (int l = r->cfg->b[block].loop; l >= 0; l = r->cfg->l[l].parent)
        h = mix(h, (uint64_t)(r->iteration[l] * 64 + l + 1));
    return h;
}

static uint64_t members(const Run *r, Scope scope) {
    if (scope == SCOPE_GRID) return 1;
    if (scope == SCOPE_BLOCK) return 2 + (uint64_t)r->t.block;
    return 16 + (uint64_t)r->t.block * 4096 + (uint64_t)r->t.group;
}

static Value source(Run *r, LLVMValueRef call) {
    size_t len;
    const char *n = LLVMGetValueName2(LLVMGetCalledValue(call), &len);
    if (!strncmp(n, "cucpu.ntid.", 11)) return all_parts(r->dim[n[11] - 'x']);
    if (!strncmp(n, "cucpu.ctaid.", 12)) return all_parts(r->ctaid[r->t.block]);
    if (strncmp(n, "cucpu.", 6))
        return all_parts((int32_t)mix(r->salt, (uint64_t)(r->t.linear + 100 * r->t.block)) % 16);
    bool lane = !strncmp(n, "cucpu.lane", len), linear = !strncmp(n, "cucpu.tid.linear", len);
    int d = lane || linear ? 0 : n[10] - 'x', warp = lane ? 32 : 1 << 20;
    Value v = {.v = lane || linear ? r->t.linear % warp : r->t.tid[d]};
    for (int p = 0; p < PARTS; p++)
        v.part[p] = lane || linear ? r->t.first_linear[p] % warp : r->t.first[p][d];
    return v;
}

/* What the code generator computes for lane 0: flags dropped, `or disjoint` as add, affine
** `zext nneg` as sext. */
static int64_t scalar_part(Run *r, LLVMValueRef i, LLVMOpcode op, int bits, int64_t a, int64_t b) {
    bool ignore = false;
    Fact fa = shapes_operand(r->s, LLVMGetOperand(i, 0));
    int from = bits_of(LLVMGetOperand(i, 0));
    if (op == LLVMOr && LLVMGetIsDisjoint(i)) op = LLVMAdd;
    if (op == LLVMTrunc) return sign_extend(a, bits);
    if (op == LLVMSExt) return a;
    if (op == LLVMZExt)
        return LLVMGetNNeg(i) && !fact_group_uniform(&r->s->g, &fa)
                   ? a
                   : (int64_t)unsigned_of(a, from);
    if (op == LLVMICmp) return -(int64_t)compare(LLVMGetICmpPredicate(i), a, b, from);
    return arithmetic(op, a, b, bits, (Flags){0}, &ignore);
}

static Flags instruction_flags(LLVMValueRef i, LLVMOpcode op) {
    Flags f = {0};
    if (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl)
        f.nsw = LLVMGetNSW(i), f.nuw = LLVMGetNUW(i);
    if (op == LLVMOr) f.disjoint = LLVMGetIsDisjoint(i);
    return f;
}

/* Poison, literal or computed: the scalar part is that of the other operand. */
static bool nothing(Run *r, LLVMValueRef v) {
    return LLVMIsUndef(v) || shapes_operand(r->s, v).s.bottom;
}

static Value select_value(Run *r, LLVMValueRef i) {
    Value c = get(r, LLVMGetOperand(i, 0)), a = get(r, LLVMGetOperand(i, 1)),
          b = get(r, LLVMGetOperand(i, 2));
    Value v = c.v ? a : b;
    bool ua = nothing(r, LLVMGetOperand(i, 1)), ub = nothing(r, LLVMGetOperand(i, 2));
    for (int j = 0; j < PARTS; j++)
        v.part[j] = (ua ? b : ub ? a : c.part[j] ? a : b).part[j];
    v.poison |= c.poison;
    return v;
}

static int array_index(Run *r, LLVMValueRef p) { return (int)(get(r, p).v & 3); }

static Value execute(Run *r, int k) {
    LLVMValueRef i = r->s->value[k];
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    int bits = bits_of(i);
    Value v = {0};
    if (op == LLVMCall) return source(r, i);
    if (op == LLVMSelect) return select_value(r, i);
    if (op == LLVMAlloca) return v;
    Value a = get(r, LLVMGetOperand(i, 0));
    if (op == LLVMLoad) {
        v.v = LLVMIsAArgument(LLVMGetOperand(i, 0))
                  ? r->memory
                  : r->array[array_index(r, LLVMGetOperand(i, 0))];
        bool poison = a.poison;
        v = all_parts(v.v);
        v.poison = poison;
        return v;
    }
    Value b = get(r, LLVMGetOperand(i, LLVMGetNumOperands(i) > 1 ? 1 : 0));
    v.poison = a.poison || b.poison;
    if (op == LLVMStore) {
        if (v.poison)
            r->undefined = true; /* poison in memory is not modelled */
        else
            r->array[array_index(r, LLVMGetOperand(i, 1))] = (int8_t)a.v;
        r->trace = mix(r->trace, (uint64_t)a.v);
        return v;
    }
    for (int j = 0; j < PARTS; j++)
        v.part[j] = op == LLVMGetElementPtr ? a.part[j] + b.part[j]
                                            : scalar_part(r, i, op, bits, a.part[j], b.part[j]);
    int from = bits_of(LLVMGetOperand(i, 0));
    if (op == LLVMGetElementPtr)
        v.v = a.v + b.v;
    else if (op == LLVMTrunc)
        v.v = sign_extend(a.v, bits);
    else if (op == LLVMSExt)
        v.v = a.v;
    else if (op == LLVMZExt) {
        v.v = (int64_t)unsigned_of(a.v, from);
        if (LLVMGetNNeg(i) && a.v < 0) v.poison = true;
    } else if (op == LLVMICmp)
        v.v = -(int64_t)compare(LLVMGetICmpPredicate(i), a.v, b.v, from);
    else
        v.v = arithmetic(op, a.v, b.v, bits, instruction_flags(i, op), &v.poison);
    int64_t off[LANES_MAX];
    bool extends = op == LLVMSExt || op == LLVMZExt;
    if (extends && shapes_rebased(r->s, i) && shapes_runs(r->s, i, off) == r->s->g.width)
        v.part[0] = v.v - off[r->t.lane]; /* extrapolated from an active lane */
    if (op == LLVMICmp && shapes_compares_first(r->s, i)) v = all_parts_of(v);
    return v;
}

/* ---- claims ---- */

static void same(Run *r, int k, int kind, uint64_t who, int64_t v, const char *what) {
    Slot *s =
        slot(mix(mix(mix((uint64_t)k * 16 + (uint64_t)kind, who), time_of(r, r->s->block[k])), 77));
    if (s->lane < 0)
        s->lane = 0, s->v = v;
    else if (s->v != v)
        fail(r, k, what, v, s->v);
    r->checks++;
}

static void check_scalar(Run *r, int k, const Fact *f, Value v) {
    int64_t stride;
    int bits = f->bits ? f->bits : bits_of(r->s->value[k]);
    same(r, k, 0, members(r, SCOPE_GROUP), v.part[0], "lane 0 differs between lanes");
    if (fact_lane_stride(&r->s->g, f, &stride)) {
        if (sign_extend(v.v - v.part[0] - stride * r->t.lane, bits))
            fail(r, k, "lane stride", v.v, v.part[0]);
        uint32_t align = fact_align_lane0(&r->s->g, f);
        if (f->bits && unsigned_of(v.part[0], bits) % align)
            fail(r, k, "alignment of lane 0", v.part[0], align);
        if (f->sx >= EXACT_GROUP && v.v != v.part[0] + stride * r->t.lane)
            fail(r, k, "exact sext", v.v, v.part[0]);
        if (f->ux >= EXACT_GROUP && bits < 64 &&
            (int64_t)unsigned_of(v.v, bits) !=
                (int64_t)unsigned_of(v.part[0], bits) + stride * r->t.lane)
            fail(r, k, "exact zext", v.v, v.part[0]);
    } else if (r->t.lane && !pattern_run(&r->s->g, f)) {
        Slot *s = slot(
            mix(mix(mix((uint64_t)k, members(r, SCOPE_GROUP)), time_of(r, r->s->block[k])), 99));
        int64_t d = v.v - v.part[0];
        if (s->lane < 0)
            s->lane = r->t.lane, s->v = d;
        else if (sign_extend(d * s->lane - s->v * r->t.lane, bits))
            fail(r, k, "unknown stride", d, s->v);
    }
    if (f->bits && (v.part[0] < f->lo || v.part[0] > f->hi))
        fail(r, k, "range of lane 0", v.part[0], f->lo);
}

static void check_base(Run *r, int k, const Fact *f, Value v) {
    const Coef c[4] = {f->s.x, f->s.y, f->s.z, f->s.lane};
    int64_t id[4] = {r->t.tid[0], r->t.tid[1], r->t.tid[2], r->t.linear}, base = v.v;
    uint64_t who = members(r, f->s.base);
    bool known = true;
    int bits = f->bits ? f->bits : bits_of(r->s->value[k]);
    for (int i = 0; i < 4; i++) {
        if (c[i].kind == COEF_KNOWN)
            base -= c[i].v * id[i];
        else
            who = mix(who, (uint64_t)(id[i] * 4 + i)), known = false;
    }
    same(r, k, 1, who, sign_extend(base, bits), "base differs within its scope");
    if (known && f->s.base_known && sign_extend(base - f->s.base_value, bits))
        fail(r, k, "known base", base, f->s.base_value);
    if (known && f->bits && unsigned_of(base, bits) % f->s.align)
        fail(r, k, "alignment of base", base, f->s.align);
    if (!f->bits || bits == 64) return;
    /* the same over the extended values */
    int64_t ext = v.v, zext = (int64_t)unsigned_of(v.v, bits);
    for (int i = 0; i < 4; i++)
        if (c[i].kind == COEF_KNOWN) ext -= c[i].v * id[i], zext -= c[i].v * id[i];
    if (f->sx == EXACT_BLOCK) same(r, k, 2, who, ext, "base of sext");
    if (f->ux == EXACT_BLOCK) same(r, k, 3, who, zext, "base of zext");
}

/* A scalar result has scalar operands, except where the rule is another. */
static void check_operands(Run *r, int k, bool scalar) {
    LLVMValueRef i = r->s->value[k];
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMCall || op == LLVMPHI || op == LLVMSelect || op == LLVMAlloca) return;
    for (int o = 0; o < LLVMGetNumOperands(i); o++) {
        Fact f = shapes_operand(r->s, LLVMGetOperand(i, (unsigned)o));
        if (!fact_scalar(&r->s->g, &f) && (scalar || !pattern_run(&r->s->g, &f)))
            fail(r, k, "scalar result of varying operand", o, 0);
    }
}

/* Lanes against the first lane of their run. */
static void check_pattern(Run *r, int k, const Fact *f, Value v) {
    Lanes l;
    if (!read_lanes(&r->s->g, f, &l)) return;
    int j = l.run == r->s->g.width ? 0 : __builtin_ctz((unsigned)l.run);
    int64_t first = v.part[j], off = l.off[r->t.lane];
    uint64_t who = mix(members(r, SCOPE_GROUP), (uint64_t)(r->t.lane / l.run));
    if (f->pat && f->pat->loose) first = sign_extend(v.v - off, f->bits);
    if (f->pat) same(r, k, 4, who, first, "the first lane differs within a run");
    if (sign_extend(v.v - first - off, f->bits)) fail(r, k, "pattern", v.v, first + off);
    if (((uint64_t)first ^ (uint64_t)l.low) & ((UINT64_C(1) << l.k) - 1))
        fail(r, k, "low bits of first lane", first, l.low);
    if (!f->pat) return;
    check_operands(r, k, l.run == r->s->g.width);
    patterns++;
    if (first < f->lo || first > f->hi) fail(r, k, "range of first lane", first, f->lo);
    if (f->sx >= EXACT_GROUP && v.v != first + off) fail(r, k, "exact sext", v.v, first + off);
    if (f->ux >= EXACT_GROUP && f->bits < 64 &&
        unsigned_of(v.v, f->bits) != unsigned_of(first, f->bits) + (uint64_t)off)
        fail(r, k, "exact zext", v.v, first + off);
}

static void check_value(Run *r, int k, Value v) {
    const Fact *f = &r->s->fact[k];
    if (v.poison) return;
    int bits = f->bits ? f->bits : bits_of(r->s->value[k]);
    if (f->s.bottom) {
        fail(r, k, "nothing can arrive here", v.v, 0);
        return;
    }
    if (f->bits && (v.v < f->lo || v.v > f->hi)) fail(r, k, "range", v.v, f->lo);
    if (f->bits && unsigned_of(v.v, bits) % fact_align_all(f))
        fail(r, k, "alignment", v.v, fact_align_all(f));
    check_pattern(r, k, f, v);
    if (fact_varies(f)) return;
    if (fact_scalar(&r->s->g, f)) {
        check_operands(r, k, true);
        check_scalar(r, k, f, v);
    }
    check_base(r, k, f, v);
}

static void check_arrival(Run *r, int block) {
    Scope scope = r->s->activity[block];
    if (scope == SCOPE_NONE) return;
    Slot *s = slot(mix(mix(mix((uint64_t)block, members(r, scope)), time_of(r, block)), 1234567));
    int all = (int)(r->dim[0] * r->dim[1] * r->dim[2]), W = r->s->g.width;
    int left = r->s->g.rows ? (int)r->dim[0] - r->t.first[0][0] : all - r->t.group;
    int group = left < W ? left : W;
    s->count++;
    s->want = scope == SCOPE_GRID ? 2 * all : scope == SCOPE_BLOCK ? all : group;
    s->lane = block;
}

/* ---- one thread ---- */

static void enter_block(Run *r, int from, int to) {
    const Cfg *c = r->cfg;
    int l = c->b[to].loop;
    if (l < 0 || c->l[l].header != to) return;
    r->iteration[l] = from >= 0 && cfg_loop_contains(c, l, from) ? r->iteration[l] + 1 : 0;
}

/* What generated code has for this lane: scalar part and stride. */
static void adopt(Run *r, int k) {
    const Fact *f = &r->s->fact[k];
    int64_t stride;
    Lanes l;
    if (!r->generated || f->s.bottom) return;
    if (fact_lane_stride(&r->s->g, f, &stride))
        stride *= r->t.lane;
    else if (read_lanes(&r->s->g, f, &l) && l.run == r->s->g.width)
        stride = l.off[r->t.lane];
    else
        return;
    r->env[k].v = sign_extend(r->env[k].part[0] + stride, bits_of(r->s->value[k]));
}

static void phis(Run *r, int block, LLVMBasicBlockRef from, bool check) {
    Shapes *s = r->s;
    Value *now = calloc((size_t)s->n + 1, sizeof *now);
    int k;
    for (k = s->first[block]; k < s->end[block] && LLVMIsAPHINode(s->value[k]); k++)
        for (unsigned i = 0; i < LLVMCountIncoming(s->value[k]); i++)
            if (LLVMGetIncomingBlock(s->value[k], i) == from)
                now[k] = get(r, LLVMGetIncomingValue(s->value[k], i));
    for (int j = s->first[block]; j < k; j++) {
        r->env[j] = now[j];
        adopt(r, j);
        if (check && r->check) check_value(r, j, now[j]);
    }
    free(now);
}

static void run_thread(Run *r) {
    Shapes *s = r->s;
    const Cfg *c = r->cfg;
    int block = 0, from = -1, steps = 0;
    memset(r->array, 0, sizeof r->array);
    for (int p = 0; p < 3; p++) r->env[p] = all_parts(r->param[p]);
    for (;;) {
        enter_block(r, from, block);
        r->trace = mix(r->trace, (uint64_t)block);
        if (r->check) check_arrival(r, block);
        if (from >= 0) phis(r, block, c->b[from].bb, true);
        int next = -1;
        for (int k = s->first[block]; k < s->end[block]; k++) {
            LLVMValueRef i = s->value[k];
            if (!i || LLVMIsAPHINode(i)) continue;
            if (LLVMIsATerminatorInst(i)) {
                if (c->b[block].nsucc == 0) return;
                Value cond =
                    c->b[block].nsucc > 1 ? get(r, LLVMGetCondition(i)) : all_parts(1);
                if (cond.poison || ++steps > STEPS) {
                    r->undefined = true;
                    return;
                }
                next = c->b[block].succ[cond.v ? 0 : 1];
                break;
            }
            r->env[k] = execute(r, k);
            adopt(r, k);
            if (r->check && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                check_value(r, k, r->env[k]);
            if (r->undefined) return;
        }
        from = block;
        block = next;
    }
}

static void place(Run *r, int b, int linear) {
    Thread *t = &r->t;
    const Group *g = &r->s->g;
    int W = g->width, nx = (int)r->dim[0], ny = (int)r->dim[1];
    t->block = b;
    t->linear = linear;
    t->tid[0] = linear % nx;
    t->tid[1] = linear / nx % ny;
    t->tid[2] = linear / nx / ny;
    t->lane = g->rows ? t->tid[0] % W : linear % W;
    t->group = linear - t->lane;
    for (int p = 0; p < PARTS; p++) {
        int run = p && (1 << p) < W ? 1 << p : W, at = linear - t->lane % run;
        t->first_linear[p] = at;
        t->first[p][0] = at % nx;
        t->first[p][1] = at / nx % ny;
        t->first[p][2] = at / nx / ny;
    }
}

static void run_grid(Run *r) {
    int n = (int)(r->dim[0] * r->dim[1] * r->dim[2]);
    round_now++;
    used = 0;
    r->trace = 0;
    for (int b = 0; b < 2 && !r->failed && !r->undefined; b++)
        for (int t = 0; t < n && !r->failed && !r->undefined; t++) {
            place(r, b, t);
            run_thread(r);
        }
    for (int i = 0; i < used && r->check && !r->failed; i++) {
        const Slot *f = &table[filled[i]];
        if (f->want && f->want != f->count)
            fail(r, r->s->first[f->lane], "threads are absent from this block", f->count, f->want);
    }
}

static int64_t interesting(int bits) {
    int64_t edge[] = {
        0, 1, 2, 8, 16, 31, -1, -8, min_of(bits), min_of(bits) + 3, max_of(bits), max_of(bits) - 5};
    return rnd_below(3) ? edge[rnd_below(12)] : sign_extend((int64_t)rnd(), bits);
}

static void set_inputs(Run *r, uint64_t seed) {
    rnd_seed(seed);
    r->salt = rnd();
    r->ctaid[0] = rnd_below(3) ? rnd_below(40) : rnd_below(65535);
    r->ctaid[1] = r->ctaid[0] + 1;
    r->param[1] = interesting(8);
    r->param[2] = interesting(32);
    r->memory = interesting(8);
    r->check = r->undefined = false;
}

static bool test_layout(LLVMValueRef fn, uint64_t seed, long *checks, long *runs) {
    static const int dims[] = {1, 2, 3, 4, 5, 7, 8, 12, 16};
    Arena a = {0};
    Run r = {.cfg = cfg_build(&a, fn)};
    if (r.cfg->nloops > 64 || !r.cfg->reducible) {
        arena_free(&a);
        return true;
    }
    int W = 1 << rnd_below(4), layout = rnd_below(3);
    r.dim[0] = layout == LAYOUT_ROWS_FULL ? (unsigned)(W * (1 + rnd_below(2)))
                                          : (unsigned)dims[rnd_below(9)];
    r.dim[1] = (unsigned)(rnd_below(2) ? 1 : 1 + rnd_below(3));
    r.dim[2] = (unsigned)(rnd_below(2) ? 1 : 1 + rnd_below(2));
    unsigned known[3];
    for (int i = 0; i < 3; i++) known[i] = rnd_below(2) ? r.dim[i] : 0;
    r.s = shapes_compute(&a, r.cfg, W, (Layout)layout, known);
    r.env = arena_array(&a, Value, r.s->n + 1);
    enum { TRIALS = 6 };
    uint64_t input[TRIALS], trace[TRIALS] = {0};
    bool rewrite = rnd_below(3) == 0, defined[TRIALS] = {0};
    for (int t = 0; t < TRIALS; t++) {
        set_inputs(&r, input[t] = rnd());
        run_grid(&r);
        defined[t] = !r.undefined;
        trace[t] = r.trace;
    }
    if (rewrite) {
        r.s = shapes_for_widening(&a, r.cfg, W, (Layout)layout, known);
        r.env = arena_array(&a, Value, r.s->n + 1);
    }
    uint64_t next = rnd();
    for (int t = 0; t < TRIALS && !r.failed; t++) {
        if (!defined[t]) continue;
        set_inputs(&r, input[t]);
        r.check = !rewrite;
        r.generated = rewrite;
        run_grid(&r);
        if (r.undefined || r.trace != trace[t])
            fail(&r, -1, "generated code does something else", t, 0);
        ++*runs;
    }
    rnd_seed(next);
    *checks += r.checks;
    if (r.failed) {
        printf("seed %" PRIu64 ", width %d, layout %d, block %ux%ux%u (known %u,%u,%u)\n", seed, W,
               layout, r.dim[0], r.dim[1], r.dim[2], known[0], known[1], known[2]);
        shapes_print(r.s, stdout);
        LLVMDumpValue(fn);
    }
    arena_free(&a);
    return !r.failed;
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1,
             n = argc > 2 ? strtoull(argv[2], NULL, 0) : 1500;
    long checks = 0, runs = 0;
    for (uint64_t seed = first; seed < first + n; seed++) {
        LLVMContextRef c = LLVMContextCreate();
        LLVMModuleRef m;
        LLVMValueRef fn = random_program(c, &m, seed);
        bool ok = true;
        for (int i = 0; i < 4 && ok; i++) ok = test_layout(fn, seed, &checks, &runs);
        LLVMDisposeModule(m);
        LLVMContextDispose(c);
        if (!ok) return 1;
    }
    printf("%" PRIu64 " programs, %ld runs, %ld claims checked, %ld of patterns\n", n, runs, checks,
           patterns);
    return runs > 0 && checks > 0 && patterns > 0 ? 0 : 1;
}
