/* lower_wgmma.c: wgmma: products of 64 rows by four warps, b and perhaps a in shared memory.
**
** Warp i of the four has rows 16 * i and on; its registers of a and d are those of mma with 16 rows (lower_matrix.c).
** Products are complete when their instruction is, so that fences, groups and waits do nothing.  Elements are added in
** the order and precision of mma; sums lie in an array of the thread meanwhile.  What reads shared memory is in the
** device library (ptx_wgmma.cu).  Refused: sparse a. */
#include "ptx-frontend/matrix.h"

enum { MAX_SUMS = 128, MAX_DEPTH = 32, MAX_WORDS = 4 };

typedef struct Group {
    Shape s;
    const PtxType *td, *ta, *tb;
    LLVMTypeRef sum;     /* what is added */
    unsigned n, depth;   /* sums of a lane; factors of a row */
    LLVMValueRef shared; /* the start of the block's shared memory */
} Group;

static Group group_of(Lower *l) {
    Group g = {shape_of(l), l->t[0], l->t[1], l->t[2], NULL, 0, 0, NULL};
    g.sum = g.td->kind == 's' ? l->i32 : l->f32;
    g.n = g.s.n / 2;
    g.depth = g.ta->bits == 1 ? g.s.k / 32 : g.s.k;
    g.shared = LLVMBuildAddrSpaceCast(l->b, in_shared(l, const32(l, 0)), l->ptr, "");
    return g;
}

static LLVMValueRef array(Lower *l, const Group *g, unsigned n) {
    return add_alloca(l, LLVMArrayType2(g->sum, n), 16, "");
}

static LLVMValueRef at(Lower *l, LLVMValueRef array, unsigned i) { return offset_by(l, array, 4 * (int64_t)i); }

static char *function_name(Lower *l, const char *what, const PtxType *t) {
    return arena_printf(&l->p->arena, "__cucpu_ptx_wgmma_%s_%s", what, t->name);
}

/* A constant operand; without: it is missing. */
static int64_t constant_at(Lower *l, int i, int64_t without) {
    if (i >= l->inst->nops) return without;
    const Operand *o = &l->inst->ops[i];
    if (o->kind != OPERAND_INT) ptx_error(l->p, o->loc, "a constant is expected");
    return o->value;
}

/* ---- a ---- */

/* From registers: row l / 4 and the one 8 below it, of which four lanes hold parts. */
static void rows_of_registers(Lower *l, const Group *g, LLVMValueRef rows) {
    unsigned per = factors_per_word(g->ta), lane_words = MAX_WORDS;
    const Operand *o = vector_operand(l, 1, lane_words);
    LLVMValueRef words[MAX_WORDS], x[MAX_WORDS * 4], lane = lane_id(l);
    LLVMValueRef line = LLVMBuildAnd(l->b, lane, const32(l, LANES - 4), "");
    for (unsigned i = 0; i < lane_words; i++) words[i] = read_operand(l, &o->v[i], &type_u32);
    elements(l, g->ta, lane_words, words, x);
    for (unsigned k = 0; k < g->depth; k++) {
        unsigned step = k / (4 * per), place = k / per % 4, i = k % per;
        LLVMValueRef from = LLVMBuildAdd(l->b, line, const32(l, place), "");
        for (unsigned r = 0; r < 2; r++)
            LLVMBuildStore(l->b, from_lane(l, x[(step * 2 + r) * per + i], from), at(l, rows, r * g->depth + k));
    }
}

static void rows_of_memory(Lower *l, const Group *g, LLVMValueRef rows, bool transposed) {
    LLVMValueRef warp = LLVMBuildAnd(l->b, call_nvvm(l, "read.ptx.sreg.warpid", NULL, 0), const32(l, 3), "");
    LLVMValueRef row = LLVMBuildLShr(l->b, lane_id(l), const32(l, 2), "");
    row = LLVMBuildAdd(l->b, row, LLVMBuildShl(l->b, warp, const32(l, 4), ""), "");
    LLVMValueRef args[6] = {
        rows, g->shared,           read_operand(l, &l->inst->ops[1], &type_b64), const32(l, transposed),
        row,  const32(l, g->depth)};
    call_named(l, function_name(l, "rows", g->ta), l->nothing, args, 6);
}

static void negate_rows(Lower *l, const Group *g, LLVMValueRef rows) {
    for (unsigned i = 0; i < 2 * g->depth; i++) {
        LLVMValueRef x = LLVMBuildLoad2(l->b, g->sum, at(l, rows, i), "");
        LLVMBuildStore(l->b, LLVMBuildFNeg(l->b, x, ""), at(l, rows, i));
    }
}

/* ---- d ---- */

static void read_sums(Lower *l, const Group *g, LLVMValueRef *sum) {
    unsigned per = g->td->bits == 16 ? 2 : 1;
    const Operand *o = vector_operand(l, 0, g->n / per);
    for (unsigned i = 0; i < g->n; i++) {
        LLVMValueRef x = read_operand(l, &o->v[i / per], per == 2 ? &type_b32 : g->td);
        if (per == 2) x = real_of_half(l, resize(l, LLVMBuildLShr(l->b, x, const32(l, i % 2 * 16), ""), 16, false));
        sum[i] = x;
    }
}

static void write_sums(Lower *l, const Group *g, LLVMValueRef *sum) {
    unsigned per = g->td->bits == 16 ? 2 : 1;
    const Operand *o = &l->inst->ops[0];
    for (unsigned i = 0; i < g->n / per; i++)
        write_operand(l, &o->v[i], per == 2 ? &type_b32 : g->td, per == 2 ? pair_of(l, sum + 2 * i) : sum[i]);
}

/* d, a, b, whether d is added {, sign of a, of b {, whether a, b are transposed}}; how: "t": the latter */
LLVMValueRef op_multiply_group(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    Group g = group_of(l);
    bool memory = l->inst->ops[1].kind != OPERAND_VECTOR, integers = g.sum == l->i32;
    int given = l->inst->nops, trans = memory ? 6 : 5; /* of a; of b the next one */
    if (*how && given != trans + 2) fail(l, "'wgmma' takes %d operands with this a", trans + 2);
    LLVMValueRef sums = array(l, &g, g.n), rows = array(l, &g, 2 * g.depth), sum[MAX_SUMS], old[MAX_SUMS];
    read_sums(l, &g, old);
    LLVMValueRef added = read_operand(l, &l->inst->ops[3], &type_pred), zero = LLVMConstNull(g.sum);
    for (unsigned i = 0; i < g.n; i++) {
        old[i] = LLVMBuildSelect(l->b, added, old[i], zero, "");
        LLVMBuildStore(l->b, integers ? zero : old[i], at(l, sums, i));
    }
    if (memory) rows_of_memory(l, &g, rows, *how && constant_at(l, trans, 0));
    else rows_of_registers(l, &g, rows);
    if (constant_at(l, 4, 1) * constant_at(l, 5, 1) < 0) negate_rows(l, &g, rows);
    LLVMValueRef column = LLVMBuildAnd(l->b, lane_id(l), const32(l, 3), "");
    LLVMValueRef args[8] = {sums,
                            rows,
                            g.shared,
                            read_operand(l, &l->inst->ops[2], &type_b64),
                            const32(l, *how ? (uint64_t)constant_at(l, trans + 1, 0) : 0),
                            LLVMBuildShl(l->b, column, const32(l, 1), ""),
                            const32(l, g.n / 4),
                            const32(l, g.depth)};
    call_named(l, function_name(l, "add", g.tb), l->nothing, args, 8);
    for (unsigned i = 0; i < g.n; i++) sum[i] = LLVMBuildLoad2(l->b, g.sum, at(l, sums, i), "");
    if (integers) add_integers(l, g.n, sum, old);
    write_sums(l, &g, sum);
    return NULL;
}
