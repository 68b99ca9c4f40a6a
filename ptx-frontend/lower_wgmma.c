/* lower_wgmma.c: wgmma: products of 64 rows by four warps, b and perhaps a in shared memory.
**
** Warp i of the four has rows 16 * i and on; its registers of a and d are those of mma with 16 rows (lower_matrix.c).
** Products are complete when their instruction is, so that waits do nothing. The four warps share b: GPUs multiply
** for all of them at once, which begins when the last has come to the fence, and programs count on that (CUTLASS). So
** the warps meet at the fence and, before one of them overwrites what others read, at the end of the group. Elements
** are added in the order and precision of mma; sums lie in an array of the thread meanwhile. Each form is a function
** of the module. What reads shared memory is in the device library (ptx_wgmma.cu). Refused: sparse a. */
#include "cpu-runtime/abi.h"
#include "ptx-frontend/matrix.h"

enum { MAX_SUMS = 128, MAX_WORDS = 4 };

typedef struct Group {
    Shape s;
    const PtxType *td, *ta, *tb;
    LLVMTypeRef sum;                            /* what is added */
    unsigned n, depth;                          /* sums of a lane; factors of a row */
    bool memory, columns_a, columns_b, negated; /* where a is; which matrices are transposed; the product's sign */
} Group;

/* A constant operand; without: it is missing. */
static int64_t constant_at(Lower *l, int i, int64_t without) {
    if (i >= l->inst->nops) return without;
    const Operand *o = &l->inst->ops[i];
    if (o->kind != OPERAND_INT) ptx_error(l->p, o->loc, "a constant is expected");
    return o->value;
}

static Group group_of(Lower *l) {
    Group g = {.s = shape_of(l), .td = l->t[0], .ta = l->t[1], .tb = l->t[2]};
    g.sum = g.td->kind == 's' ? l->i32 : l->f32;
    g.n = g.s.n / 2;
    g.depth = g.ta->bits == 1 ? g.s.k / 32 : g.s.k;
    g.memory = l->inst->ops[1].kind != OPERAND_VECTOR;
    g.negated = constant_at(l, 4, 1) * constant_at(l, 5, 1) < 0;
    bool given = l->row->how[0] == 't';
    g.columns_a = given && g.memory && constant_at(l, 6, 0);
    g.columns_b = given && constant_at(l, g.memory ? 7 : 6, 0);
    return g;
}

static LLVMValueRef array(Lower *l, const Group *g, unsigned n) {
    return add_alloca(l, LLVMArrayType2(g->sum, n), 16, "");
}

static LLVMValueRef at(Lower *l, LLVMValueRef array, unsigned i) { return offset_by(l, array, 4 * (int64_t)i); }

static char *function_name(Lower *l, const char *what, const PtxType *t) {
    return arena_printf(&l->p->arena, "__cucpu_ptx_wgmma_%s_%s", what, t->name);
}

/* ---- a ---- */

/* From registers: row l / 4 and the one 8 below it, of which four lanes hold parts. */
static void rows_of_registers(Lower *l, const Group *g, const LLVMValueRef *words, LLVMValueRef rows) {
    unsigned per = factors_per_word(g->ta);
    LLVMValueRef x[MAX_WORDS * 4], line = LLVMBuildAnd(l->b, lane_id(l), const32(l, LANES - 4), "");
    elements(l, g->ta, MAX_WORDS, words, x);
    for (unsigned k = 0; k < g->depth; k++) {
        unsigned step = k / (4 * per), place = k / per % 4, i = k % per;
        LLVMValueRef from = LLVMBuildAdd(l->b, line, const32(l, place), "");
        for (unsigned r = 0; r < 2; r++)
            LLVMBuildStore(l->b, from_lane(l, x[(step * 2 + r) * per + i], from), at(l, rows, r * g->depth + k));
    }
}

static void negate_rows(Lower *l, const Group *g, LLVMValueRef rows) {
    for (unsigned i = 0; i < 2 * g->depth; i++) {
        LLVMValueRef x = LLVMBuildLoad2(l->b, g->sum, at(l, rows, i), "");
        LLVMBuildStore(l->b, LLVMBuildFNeg(l->b, x, ""), at(l, rows, i));
    }
}

/* ---- d ---- */

static unsigned sums_per_word(const Group *g) { return g->td->bits == 16 ? 2 : 1; }

static LLVMValueRef sum_in(Lower *l, const Group *g, const LLVMValueRef *words, unsigned i) {
    if (sums_per_word(g) == 1) return words[i];
    return real_of_half(l, resize(l, LLVMBuildLShr(l->b, words[i / 2], const32(l, i % 2 * 16), ""), 16, false));
}

/* in: the base of shared memory, the first row of the warp, whether d is added, b, a, d */
enum { SHARED, ROW, ADDED, B, A };

static void multiply_in_function(Lower *l, const Words *in, Words *out) {
    Group g = group_of(l);
    bool integers = g.sum == l->i32;
    LLVMValueRef sums = array(l, &g, g.n), rows = array(l, &g, 2 * g.depth), sum[MAX_SUMS], old[MAX_SUMS];
    LLVMValueRef zero = LLVMConstNull(g.sum), added = LLVMBuildTrunc(l->b, in->v[ADDED], l->i1, "");
    LLVMValueRef lane = lane_id(l), column = LLVMBuildAnd(l->b, lane, const32(l, 3), "");
    const LLVMValueRef *words = in->v + A + (g.memory ? 1 : MAX_WORDS);
    for (unsigned i = 0; i < g.n; i++) {
        old[i] = LLVMBuildSelect(l->b, added, sum_in(l, &g, words, i), zero, "");
        LLVMBuildStore(l->b, integers ? zero : old[i], at(l, sums, i));
    }
    if (g.memory) {
        LLVMValueRef row = LLVMBuildAdd(l->b, LLVMBuildLShr(l->b, lane, const32(l, 2), ""), in->v[ROW], "");
        LLVMValueRef args[6] = {rows, in->v[SHARED], in->v[A], const32(l, g.columns_a), row, const32(l, g.depth)};
        call_named(l, function_name(l, "rows", g.ta), l->nothing, args, 6);
    } else {
        rows_of_registers(l, &g, in->v + A, rows);
    }
    if (g.negated) negate_rows(l, &g, rows);
    LLVMValueRef args[8] = {sums,
                            rows,
                            in->v[SHARED],
                            in->v[B],
                            const32(l, g.columns_b),
                            LLVMBuildShl(l->b, column, const32(l, 1), ""),
                            const32(l, g.n / 4),
                            const32(l, g.depth)};
    call_named(l, function_name(l, "add", g.tb), l->nothing, args, 8);
    for (unsigned i = 0; i < g.n; i++) sum[i] = LLVMBuildLoad2(l->b, g.sum, at(l, sums, i), "");
    if (integers) add_integers(l, g.n, sum, old);
    for (unsigned i = 0; i < g.n; i += sums_per_word(&g))
        out->v[out->n++] = sums_per_word(&g) == 2 ? pair_of(l, sum + i) : sum[i];
}

static LLVMValueRef warp_id(Lower *l) { return call_nvvm(l, "read.ptx.sreg.warpid", NULL, 0); }

/* wgmma.fence, wgmma.commit_group: a barrier of the tile of 128 threads */
LLVMValueRef op_meet_group(Lower *l, LLVMValueRef *v, const char *how) {
    enum { THREADS = 4 * LANES, FIRST = CUCPU_TILES + CUCPU_TILE_COUNT / THREADS - 1 };
    (void)v, (void)how;
    LLVMValueRef group = LLVMBuildLShr(l->b, warp_id(l), const32(l, 2), "");
    LLVMValueRef args[2] = {LLVMBuildAdd(l->b, group, const32(l, FIRST), ""), const32(l, THREADS)};
    call_nvvm(l, "barrier.cta.sync.aligned.count", args, 2);
    return NULL;
}

/* d, a, b, whether d is added {, sign of a, of b {, whether a, b are transposed}}; how: "t": the latter; a in registers
** is not transposed */
LLVMValueRef op_multiply_group(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    Group g = group_of(l);
    unsigned per = sums_per_word(&g);
    if (*how && l->inst->nops != 7 + g.memory) fail(l, "'wgmma' takes %d operands with this a", 7 + g.memory);
    const Operand *d = vector_operand(l, 0, g.n / per), *a = g.memory ? NULL : vector_operand(l, 1, MAX_WORDS);
    LLVMValueRef warp = LLVMBuildAnd(l->b, warp_id(l), const32(l, 3), "");
    Words in = {.n = A};
    in.v[SHARED] = LLVMBuildAddrSpaceCast(l->b, in_shared(l, const32(l, 0)), l->ptr, "");
    in.v[ROW] = LLVMBuildShl(l->b, warp, const32(l, 4), "");
    in.v[ADDED] = resize(l, read_operand(l, &l->inst->ops[3], &type_pred), 32, false);
    in.v[B] = read_operand(l, &l->inst->ops[2], &type_b64);
    if (g.memory) in.v[in.n++] = read_operand(l, &l->inst->ops[1], &type_b64);
    for (unsigned i = 0; a && i < MAX_WORDS; i++) in.v[in.n++] = read_operand(l, &a->v[i], &type_u32);
    for (unsigned i = 0; i < g.n / per; i++) in.v[in.n++] = read_operand(l, &d->v[i], per == 2 ? &type_b32 : g.td);
    unsigned selector = 1u + g.memory + 2u * g.columns_a + 4u * g.columns_b + 8u * g.negated;
    Words out = call_function(l, selector, g.td, g.n, &in, multiply_in_function);
    for (unsigned i = 0; i < g.n / per; i++) write_operand(l, &d->v[i], per == 2 ? &type_b32 : g.td, out.v[i]);
    return NULL;
}
