/* lower_matrix.c: matrices that a warp holds and multiplies: mma, wmma, ldmatrix, stmatrix, movmatrix.
**
** Places (PTX ISA, matrix fragments of mma): lane l is group l / 4, place l % 4.  Words of 32 bits hold `per` elements
** that are neighbours along k (of c and d: along n, two of them).  A fragment consists of blocks of 8 lines (a, c:
** rows, b: columns) by 4 * per elements; word r of lane l is line l / 4, elements per * (l % 4) and on, of block r.
** Blocks of a, c and d are numbered line by line, those of b element by element.  Fragments of wmma, whose places are
** ours to choose, are the same with more blocks; where PTX has more registers than elements they are copies.
**
** Products: for each k a shuffle brings lane l the element k of its line of a, another one that of its column of b,
** already converted; a group of lanes is whole warps, so a shuffle is a permutation of registers.  No memory is used.
** Not functions of the device library: each shape, type and layout would be one, of up to a thousand instructions.
** Those that the module uses are functions of it, whose parameters are the registers; kernels with many of them call
** them (vectorise_calls).
**
** Arithmetic as in mma.h: k ascending, each product added to the float, double or integer sum at once; sums of halves
** are floats until the end; integers wrap, .satfinite clamps the total.  Of tf32 the last 13 bits are not looked at:
** programs count on it to truncate. Sparse matrices a: as if each row had only what is stored; where it belongs is
** said by four bits for a chunk of four columns (tf32: two; elements of 4 bits: eight, in pairs).  Of 16 bits and more:
** lane 4 * row + selector has those of 4 chunks of row and row + 8, with 8 chunks the lanes 4 * row + 2 * selector and
** the next one.  Of 8 and 4 bits: lane 4 * row + 2 * selector has those of 8 chunks of row, the next one those of
** row + 8, with 16 chunks two more lanes the others.  Scaled matrices: lower_scaled.c; ldmatrix and stmatrix of bytes:
** lower_bytes.c. */
#include "ptx-frontend/matrix.h"
#include "passes/ir/names.h"
#include <stdio.h>

enum { MAX_ELEMENTS = 32 }; /* that a lane holds of one matrix */

Shape shape_of(const Lower *l) {
    Shape s = {0};
    for (int i = 0; i < l->inst->nmods; i++)
        if (sscanf(l->inst->mods[i], "m%un%uk%u", &s.m, &s.n, &s.k) == 3) break;
    return s;
}

unsigned per_word(const PtxType *t) { return t->bits < 32 ? 32u / t->bits : 1; }
unsigned factors_per_word(const PtxType *t) {
    return t->bits == 1 ? 1 : per_word(t);
} /* single bits: the word is one */

LLVMValueRef lane_id(Lower *l) {
    if (l->warp_size != LANES) ptx_unsupported(l->p, l->at, "'%s' in warps of %d threads", l->inst->op, l->warp_size);
    return call_nvvm(l, "read.ptx.sreg.laneid", NULL, 0);
}

static LLVMValueRef keep(Lower *l, LLVMValueRef v, uint64_t x) { return LLVMBuildAnd(l->b, v, const32(l, x), ""); }
static LLVMValueRef plus(Lower *l, LLVMValueRef v, uint64_t x) { return LLVMBuildAdd(l->b, v, const32(l, x), ""); }
static LLVMValueRef left(Lower *l, LLVMValueRef v, uint64_t n) { return LLVMBuildShl(l->b, v, const32(l, n), ""); }
static LLVMValueRef right(Lower *l, LLVMValueRef v, uint64_t n) { return LLVMBuildLShr(l->b, v, const32(l, n), ""); }
static LLVMValueRef group_of(Lower *l, LLVMValueRef lane) { return right(l, lane, 2); }
static LLVMValueRef place_of(Lower *l, LLVMValueRef lane) { return keep(l, lane, 3); }

/* The value that another lane has, of 32 or 64 bits. */
LLVMValueRef from_lane(Lower *l, LLVMValueRef v, LLVMValueRef lane) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef x = as_int(l, v), high = NULL, args[4] = {const32(l, ~0u), x, lane, const32(l, LANES - 1)};
    bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(x)) == 64;
    if (wide) {
        args[1] = resize(l, LLVMBuildLShr(l->b, x, const_int(l, 64, 32), ""), 32, false);
        high = resize(l, call_nvvm(l, "shfl.sync.idx.i32", args, 4), 64, false);
        args[1] = resize(l, x, 32, false);
    }
    x = call_nvvm(l, "shfl.sync.idx.i32", args, 4);
    if (wide) x = LLVMBuildOr(l->b, LLVMBuildShl(l->b, high, const_int(l, 64, 32), ""), resize(l, x, 64, false), "");
    return LLVMTypeOf(x) == t ? x : LLVMBuildBitCast(l->b, x, t, "");
}

/* ---- blocks of 8 x 8 elements of 16 bits, two in a word ---- */

static LLVMValueRef transposed(Lower *l, LLVMValueRef word) {
    LLVMValueRef lane = lane_id(l), half[2], shift = left(l, keep(l, lane, 4), 2);
    LLVMValueRef from = LLVMBuildOr(l->b, left(l, place_of(l, lane), 3), right(l, lane, 3), "");
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef pair = from_lane(l, word, plus(l, from, 4 * i));
        half[i] = keep(l, LLVMBuildLShr(l->b, pair, shift, ""), 0xffff);
    }
    return LLVMBuildOr(l->b, half[0], left(l, half[1], 16), "");
}

LLVMValueRef op_transpose(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    return transposed(l, v[1]);
}

const Operand *vector_operand(Lower *l, int at, unsigned n) {
    const Operand *o = &l->inst->ops[at];
    if (o->kind != OPERAND_VECTOR || o->n != (int)n) ptx_error(l->p, o->loc, "a vector of %u is expected", n);
    return o;
}

/* Where lane l finds its word of block i: lane 8 * i + l / 4 has the address of the row. */
static LLVMValueRef row_place(Lower *l, LLVMValueRef address, unsigned i) {
    LLVMValueRef lane = lane_id(l), row = in_shared(l, from_lane(l, address, plus(l, group_of(l, lane), 8 * i)));
    LLVMValueRef at = resize(l, left(l, place_of(l, lane), 2), 64, false);
    return LLVMBuildGEP2(l->b, l->i8, row, &at, 1, "");
}

static unsigned count_of(const Lower *l) { return (unsigned)(which_mod(l, "x1 x2 x4")[1] - '0'); }

LLVMValueRef op_load_matrices(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    unsigned n = count_of(l);
    const Operand *d = vector_operand(l, 0, n);
    LLVMValueRef address = shared_offset(l, &l->inst->ops[1]), word[4];
    for (unsigned i = 0; i < n; i++) {
        word[i] = LLVMBuildLoad2(l->b, l->i32, row_place(l, address, i), "");
        LLVMSetAlignment(word[i], 4);
    }
    for (unsigned i = 0; i < n; i++)
        write_operand(l, &d->v[i], &type_b32, has_mod(l, "trans") ? transposed(l, word[i]) : word[i]);
    return NULL;
}

LLVMValueRef op_store_matrices(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    unsigned n = count_of(l);
    const Operand *a = vector_operand(l, 1, n);
    LLVMValueRef address = shared_offset(l, &l->inst->ops[0]);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef word = read_operand(l, &a->v[i], &type_b32);
        if (has_mod(l, "trans")) word = transposed(l, word);
        LLVMSetAlignment(LLVMBuildStore(l->b, word, row_place(l, address, i)), 4);
    }
    return NULL;
}

/* ---- elements in words ---- */

LLVMValueRef real_of_half(Lower *l, LLVMValueRef bits) {
    return LLVMBuildFPExt(l->b, LLVMBuildBitCast(l->b, bits, l->f16, ""), l->f32, "");
}

/* Element i of a word as what is computed with: float, double, a word of integers. */
static LLVMValueRef element(Lower *l, LLVMValueRef word, const PtxType *t, unsigned i) {
    unsigned at = i * t->bits;
    if (t->bits == 64 || t->bits == 1) return word;
    if (t->bits == 32) return LLVMBuildBitCast(l->b, keep(l, word, 0xffffe000), l->f32, ""); /* tf32 */
    if (t->kind == 'y') return LLVMBuildBitCast(l->b, i ? keep(l, word, 0xffff0000) : left(l, word, 16), l->f32, "");
    if (t->kind == 'f') return real_of_half(l, resize(l, right(l, word, at), 16, false));
    if (t->name[0] ==
        'e') { /* e4m3, e5m2; e2m3, e3m2 in the lower bits of a byte; e2m1 in bits 2 ... 5, or in 4 bits */
        char name[40];
        bool four = !strcmp(t->name, "e2m1");
        LLVMValueRef byte = keep(l, right(l, word, at + (four && t->bits == 8 ? 2 : 0)),
                                 four                                   ? 15
                                 : t->name[1] + t->name[3] == '2' + '3' ? 63
                                                                        : 255);
        snprintf(name, sizeof name, "__cucpu_ptx_%s_f16", t->name);
        return real_of_half(l, call_named(l, name, l->i16, &byte, 1));
    }
    word = left(l, word, 32 - at - t->bits);
    return t->name[0] == 's' ? LLVMBuildAShr(l->b, word, const32(l, 32 - t->bits), "") : right(l, word, 32 - t->bits);
}

/* ---- functions ---- */

static LLVMValueRef make_function(Lower *l, const char *name, LLVMTypeRef result, const Words *in, Body *body) {
    LLVMTypeRef types[WORDS];
    LLVMBasicBlockRef back = LLVMGetInsertBlock(l->b);
    LLVMValueRef caller = l->fn;
    LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(l->b);
    Words params = {.n = in->n}, out = {0};
    for (unsigned i = 0; i < in->n; i++) types[i] = LLVMTypeOf(in->v[i]);
    LLVMValueRef f = LLVMAddFunction(l->mod, name, LLVMFunctionType(result, types, in->n, 0));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMGetParams(f, params.v);
    LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->ctx, f, ""));
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    l->fn = f;
    body(l, &params, &out);
    l->fn = caller;
    LLVMBuildAggregateRet(l->b, out.v, out.n);
    LLVMPositionBuilderAtEnd(l->b, back);
    LLVMSetCurrentDebugLocation2(l->b, line);
    return f;
}

Words call_function(Lower *l, unsigned selector, const PtxType *sum, unsigned n, const Words *in, Body *body) {
    const Inst *i = l->inst;
    lane_id(l); /* refuses other warps before there is a function */
    char *name = arena_printf(&l->p->arena, "cucpu_ptx_%s", i->op);
    for (int k = 0; k < i->nmods; k++) name = arena_printf(&l->p->arena, "%s.%s", name, i->mods[k]);
    if (selector) name = arena_printf(&l->p->arena, "%s.%u", name, selector);
    Words out = {.n = sum->bits == 16 ? n / 2 : n};
    LLVMTypeRef types[WORDS];
    for (unsigned k = 0; k < out.n; k++) types[k] = sum->bits == 16 ? l->i32 : llvm_type(l, sum);
    LLVMValueRef f = LLVMGetNamedFunction(l->mod, name), args[WORDS];
    if (!f) f = make_function(l, name, LLVMStructTypeInContext(l->ctx, types, out.n, 0), in, body);
    memcpy(args, in->v, in->n * sizeof *args);
    LLVMValueRef r = LLVMBuildCall2(l->b, LLVMGlobalGetValueType(f), f, args, in->n, "");
    for (unsigned k = 0; k < out.n; k++) out.v[k] = LLVMBuildExtractValue(l->b, r, k, "");
    return out;
}

/* A factor: `given` registers, of which those after the first `n` are copies. */
static void read_factor(Lower *l, int at, const PtxType *t, unsigned n, unsigned given, Words *to) {
    const Operand *o = vector_operand(l, at, given);
    for (unsigned r = 0; r < n; r++) to->v[to->n++] = read_operand(l, &o->v[r], t->bits == 64 ? t : &type_u32);
}

void elements(Lower *l, const PtxType *t, unsigned n, const LLVMValueRef *words, LLVMValueRef *out) {
    unsigned per = factors_per_word(t);
    for (unsigned r = 0; r < n; r++)
        for (unsigned i = 0; i < per; i++) out[r * per + i] = element(l, words[r], t, i);
}

/* A sum of n elements: halves two in a register. */
static void read_sum(Lower *l, int at, const PtxType *t, unsigned n, Words *to) {
    unsigned per = t->bits == 16 ? 2 : 1;
    const Operand *o = vector_operand(l, at, n / per);
    for (unsigned i = 0; i < n / per; i++) to->v[to->n++] = read_operand(l, &o->v[i], per == 1 ? t : &type_u32);
}

static void sums(Lower *l, const PtxType *t, unsigned n, const LLVMValueRef *words, LLVMValueRef *out) {
    for (unsigned i = 0; i < n; i++)
        out[i] = t->bits == 16 ? real_of_half(l, resize(l, right(l, words[i / 2], i % 2 * 16), 16, false)) : words[i];
}

LLVMValueRef pair_of(Lower *l, LLVMValueRef *v) {
    LLVMValueRef half[2];
    for (int i = 0; i < 2; i++) half[i] = resize(l, as_int(l, LLVMBuildFPTrunc(l->b, v[i], l->f16, "")), 32, false);
    return LLVMBuildOr(l->b, half[0], left(l, half[1], 16), "");
}

static void pack_sum(Lower *l, const PtxType *t, unsigned n, LLVMValueRef *v, Words *out) {
    unsigned per = t->bits == 16 ? 2 : 1;
    for (unsigned i = 0; i < n / per; i++) out->v[out->n++] = per == 2 ? pair_of(l, v + 2 * i) : v[i];
}

static void write_sum(Lower *l, const PtxType *t, const Words *from) {
    const Operand *o = vector_operand(l, 0, from->n);
    for (unsigned i = 0; i < from->n; i++) write_operand(l, &o->v[i], t->bits == 16 ? &type_b32 : t, from->v[i]);
}

/* ---- products ---- */

/* exact: the product is a float within its range, so that a target without fma may multiply and add. */
static LLVMValueRef add_product(Lower *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum, bool exact) {
    LLVMTypeRef t = LLVMTypeOf(a);
    LLVMValueRef args[3] = {a, b, sum}, bits;
    const char *rounding = t == l->f64 ? which_mod(l, "rz rm rp") : NULL;
    if (rounding)
        return call_named(l,
                          rounding[1] == 'z'   ? "__nv_fma_rz"
                          : rounding[1] == 'm' ? "__nv_fma_rd"
                                               : "__nv_fma_ru",
                          t, args, 3);
    if (t != l->i32) return call_llvm(l, exact ? "llvm.fmuladd" : "llvm.fma", t, args, 3);
    if (!has_mod(l, "popc")) return LLVMBuildAdd(l->b, LLVMBuildMul(l->b, a, b, ""), sum, "");
    bits = has_mod(l, "xor") ? LLVMBuildXor(l->b, a, b, "") : LLVMBuildAnd(l->b, a, b, "");
    return LLVMBuildAdd(l->b, call_llvm(l, "llvm.ctpop", t, &bits, 1), sum, "");
}

void multiply(Lower *l, Shape s, const PtxType *t, LLVMValueRef *a, LLVMValueRef *b, LLVMValueRef *sum,
              const Scales *scales) {
    bool exact = (t->bits == 8 || t->bits == 16) && !scales;
    unsigned per = factors_per_word(t), depth = s.k * per / per_word(t);
    unsigned rows = s.m / 8, columns = s.n / 4, steps = depth / (4 * per);
    LLVMValueRef lane = lane_id(l), line = keep(l, lane, LANES - 4), column = left(l, place_of(l, lane), 3), x[4];
    for (unsigned k = 0; k < depth; k++) {
        unsigned step = k / (4 * per), place = k / per % 4, i = k % per, block = scales ? k * scales->n / depth : 0;
        for (unsigned r = 0; r < rows; r++) x[r] = from_lane(l, a[(step * rows + r) * per + i], plus(l, line, place));
        for (unsigned r = 0; r < rows && scales; r++) x[r] = LLVMBuildFMul(l->b, x[r], scales->a[r][block], "");
        for (unsigned c = 0; c < columns; c++) {
            LLVMValueRef y = from_lane(l, b[(c / 2 * steps + step) * per + i], plus(l, column, 4 * (c % 2) + place));
            if (scales) y = LLVMBuildFMul(l->b, y, scales->b[c][block], "");
            for (unsigned r = 0; r < rows; r++) {
                LLVMValueRef *at = &sum[(c / 2 * rows + r) * 2 + c % 2];
                *at = add_product(l, x[r], y, *at, exact);
            }
        }
    }
}

void add_integers(Lower *l, unsigned n, LLVMValueRef *sum, LLVMValueRef *c) {
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef args[2] = {sum[i], c[i]};
        sum[i] = has_mod(l, "satfinite") ? call_llvm(l, "llvm.sadd.sat", l->i32, args, 2)
                                         : LLVMBuildAdd(l->b, sum[i], c[i], "");
    }
}

/* Registers of a dense product. */
typedef struct Dense {
    const PtxType *ta, *tb, *tc, *td;
    Shape s;
    unsigned na, nb, n; /* n: elements of the sum */
} Dense;

static Dense dense_of(const Lower *l) {
    const PtxType *half = ptx_type("f16");
    Dense d = {
        l->nt == 4 ? l->t[1] : half, l->nt == 4 ? l->t[2] : half, l->t[l->nt - 1], l->t[0], shape_of(l), 0, 0, 0};
    unsigned held = LANES * per_word(d.ta);
    d.na = d.s.m * d.s.k / held, d.nb = d.s.n * d.s.k / held, d.n = d.s.m * d.s.n / LANES;
    return d;
}

static void multiply_dense(Lower *l, const Words *in, Words *out) {
    LLVMValueRef a[MAX_ELEMENTS], b[MAX_ELEMENTS], c[MAX_ELEMENTS], sum[MAX_ELEMENTS];
    Dense d = dense_of(l);
    bool integers = d.tc->kind == 's';
    elements(l, d.ta, d.na, in->v, a);
    elements(l, d.tb, d.nb, in->v + d.na, b);
    sums(l, d.tc, d.n, in->v + d.na + d.nb, c);
    for (unsigned i = 0; i < d.n; i++) sum[i] = integers ? const32(l, 0) : c[i];
    multiply(l, d.s, d.ta, a, b, sum, NULL);
    if (integers) add_integers(l, d.n, sum, c);
    pack_sum(l, d.td, d.n, sum, out);
}

/* mma, wmma.mma: d, a, b, c; how: a and b have 8 registers, some of them copies */
LLVMValueRef op_multiply_matrices(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    Dense d = dense_of(l);
    Words in = {0};
    bool fixed = strstr(l->row->mods, " row col") != NULL;
    if (fixed && which_mod(l, "row col")[0] != 'r') fail(l, "'%s' takes .row.col with these types", l->inst->op);
    read_factor(l, 1, d.ta, d.na, *how ? 8 : d.na, &in);
    read_factor(l, 2, d.tb, d.nb, *how ? 8 : d.nb, &in);
    read_sum(l, 3, d.tc, d.n, &in);
    Words out = call_function(l, 0, d.td, d.n, &in, multiply_dense);
    write_sum(l, d.td, &out);
    return NULL;
}

/* ---- sparse a ---- */

/* How many neighbours along k are one: of 4 bits two. */
static unsigned unit_of(const PtxType *t) { return t->bits == 4 ? 2 : 1; }

/* Where the metadata of the lane's rows says that stored element j of a row belongs, within its chunk of columns. */
typedef struct Places {
    LLVMValueRef word[4]; /* the metadata of 4 chunks of row and row + 8 each; narrow: of 8 chunks of one of them */
    bool pairs, narrow;   /* pairs: one of two columns, else two of four */
    unsigned unit;
} Places;

static unsigned selector_of(Lower *l, unsigned chunks) {
    LLVMValueRef which = read_operand(l, &l->inst->ops[5], &type_u32);
    if (!LLVMIsAConstantInt(which)) fail(l, "the sparsity selector is a constant");
    unsigned selector = (unsigned)LLVMConstIntGetZExtValue(which), most = 16 / chunks - 1;
    if (selector > most) fail(l, "the sparsity selector is at most %u with this shape", most);
    return selector;
}

static Places places_of(Lower *l, const PtxType *t, LLVMValueRef given, unsigned selector, unsigned chunks) {
    Places p = {.pairs = t->bits == 32, .narrow = t->bits <= 8, .unit = unit_of(t)};
    unsigned words = chunks / 4;
    LLVMValueRef line = keep(l, lane_id(l), LANES - 4);
    for (unsigned i = 0; i < words; i++) p.word[i] = from_lane(l, given, plus(l, line, selector * words + i));
    return p;
}

static unsigned chunk_of(const Places *p, unsigned j) { return p->pairs ? j : j / p->unit / 2; }

static LLVMValueRef column_in_chunk(Lower *l, const Places *p, unsigned row, unsigned j) {
    unsigned chunk = chunk_of(p, j), at = p->pairs ? 1 : 2 * (j / p->unit % 2);
    LLVMValueRef word = p->narrow ? p->word[chunk / 8 * 2 + row] : p->word[chunk / 4];
    at += p->narrow ? 4 * (chunk % 8) : 16 * row + 4 * (chunk % 4);
    return keep(l, right(l, word, at), p->pairs ? 1 : 3);
}

/* v[at], at < n: 2 or 4 */
static LLVMValueRef one_of(Lower *l, LLVMValueRef *v, unsigned n, LLVMValueRef at) {
    LLVMValueRef half[2] = {v[0], v[1]};
    LLVMValueRef odd = LLVMBuildICmp(l->b, LLVMIntNE, keep(l, at, 1), const32(l, 0), "");
    LLVMValueRef upper = LLVMBuildICmp(l->b, LLVMIntNE, keep(l, at, 2), const32(l, 0), "");
    for (unsigned i = 0; i < n / 2; i++) half[i] = LLVMBuildSelect(l->b, odd, v[2 * i + 1], v[2 * i], "");
    return n == 2 ? half[0] : LLVMBuildSelect(l->b, upper, half[1], half[0], "");
}

/* sum += a * b, as multiply() does it */
static void multiply_sparse(Lower *l, Shape s, const PtxType *t, const Places *p, LLVMValueRef *a, LLVMValueRef *b,
                            LLVMValueRef *sum) {
    unsigned per = factors_per_word(t), rows = s.m / 8, of = p->pairs ? 2 : 4;
    LLVMValueRef lane = lane_id(l), line = keep(l, lane, LANES - 4), column = left(l, place_of(l, lane), 3), x[2], y[4];
    for (unsigned j = 0; j < s.k / 2; j++) {
        for (unsigned r = 0; r < rows; r++)
            x[r] = from_lane(l, a[(j / (4 * per) * rows + r) * per + j % per], plus(l, line, j / per % 4));
        for (unsigned c = 0; c < s.n / 4; c++) {
            for (unsigned i = 0; i < of; i++) {
                unsigned k = (chunk_of(p, j) * of + i) * p->unit + j % p->unit;
                y[i] = from_lane(l, b[k / (4 * per) * per + k % per], plus(l, column, 4 * c + k / per % 4));
            }
            for (unsigned r = 0; r < rows; r++) {
                LLVMValueRef *at = &sum[r * 2 + c];
                *at = add_product(l, x[r], one_of(l, y, of, column_in_chunk(l, p, r, j)), *at, t->bits <= 16);
            }
        }
    }
}

static Dense sparse_of(const Lower *l) {
    Dense d = {l->t[1], l->t[2], l->t[3], l->t[0], shape_of(l), 0, 0, 0};
    unsigned held = LANES * per_word(d.ta);
    d.na = d.s.m * d.s.k / 2 / held, d.nb = d.s.n * d.s.k / held, d.n = d.s.m * d.s.n / LANES;
    return d;
}

static unsigned chunks_of(const Dense *d) { return d->s.k * d->ta->bits / (d->ta->bits <= 8 ? 32 : 64); }

static void multiply_with_places(Lower *l, const Words *in, Words *out) {
    LLVMValueRef a[MAX_ELEMENTS], b[MAX_ELEMENTS], c[MAX_ELEMENTS], sum[MAX_ELEMENTS];
    Dense d = sparse_of(l);
    bool integers = d.tc->kind == 's';
    elements(l, d.ta, d.na, in->v, a);
    elements(l, d.tb, d.nb, in->v + d.na, b);
    sums(l, d.tc, d.n, in->v + d.na + d.nb, c);
    for (unsigned i = 0; i < d.n; i++) sum[i] = integers ? const32(l, 0) : c[i];
    Places p = places_of(l, d.ta, in->v[in->n - 1], selector_of(l, chunks_of(&d)), chunks_of(&d));
    multiply_sparse(l, d.s, d.ta, &p, a, b, sum);
    if (integers) add_integers(l, d.n, sum, c);
    pack_sum(l, d.td, d.n, sum, out);
}

/* mma.sp: d, a, b, c, metadata, selector */
LLVMValueRef op_multiply_sparse(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    Dense d = sparse_of(l);
    Words in = {0};
    if (which_mod(l, "row col")[0] != 'r') fail(l, "'mma.sp' takes .row.col");
    read_factor(l, 1, d.ta, d.na, d.na, &in);
    read_factor(l, 2, d.tb, d.nb, d.nb, &in);
    read_sum(l, 3, d.tc, d.n, &in);
    in.v[in.n++] = read_operand(l, &l->inst->ops[4], &type_b32);
    Words out = call_function(l, 1 + selector_of(l, chunks_of(&d)), d.td, d.n, &in, multiply_with_places);
    write_sum(l, d.td, &out);
    return NULL;
}

/* ---- mma.m8n8k4 of half: four products, each by the four lanes from 4 * i on and those from 16 + 4 * i on ----
**
** A lane of the upper half has rows (a, c, d) or columns (b) from 4 on.  It holds a line of four elements, across k
** or, where a is .col or b .row, along m or n with one k.  Sums of half are a row; those of float two by two places,
** see row_in_half. */

enum { DEPTH = 4, SUMS = 8 };

typedef struct Eighths {
    LLVMValueRef lane, first, upper; /* the first lane of the four; 16 in the upper half, else 0 */
    bool wide;                       /* sums lie as those of float do */
} Eighths;

static unsigned column_of(const Eighths *e, unsigned i) {
    return e->wide ? (i & 4) | (i & 1) : i;
} /* but for what follows */
static LLVMValueRef row_in_half(Lower *l, const Eighths *e, unsigned i) {
    return e->wide ? plus(l, keep(l, e->lane, 1), i & 2) : keep(l, e->lane, 3);
}
static LLVMValueRef column_in_half(Lower *l, const Eighths *e, unsigned i) {
    return e->wide ? plus(l, keep(l, e->lane, 2), column_of(e, i) % 4) : const32(l, i % 4);
}
static LLVMValueRef lane_at(Lower *l, const Eighths *e, LLVMValueRef place, LLVMValueRef upper) {
    return LLVMBuildAdd(l->b, LLVMBuildAdd(l->b, e->first, upper, ""), place, "");
}

/* Element k of line `line` (of four) that lanes of this half hold; across: a lane has one k of all lines. */
static LLVMValueRef factor_at(Lower *l, const Eighths *e, LLVMValueRef *v, bool across, LLVMValueRef line, unsigned k,
                              LLVMValueRef upper) {
    LLVMValueRef x[DEPTH];
    if (!across) return from_lane(l, v[k], lane_at(l, e, line, upper));
    for (unsigned i = 0; i < DEPTH; i++) x[i] = from_lane(l, v[i], lane_at(l, e, const32(l, k), upper));
    return one_of(l, x, DEPTH, line);
}

static void multiply_eighths(Lower *l, const Words *in, Words *out) {
    const PtxType *half = l->t[1], *tc = l->t[3];
    LLVMValueRef a[DEPTH], b[DEPTH], c[SUMS], sum[SUMS], lane = lane_id(l);
    Eighths e = {lane, keep(l, lane, 12), keep(l, lane, 16), l->t[0]->bits == 32};
    bool columns[2] = {false, false}; /* of a, of b */
    for (int i = 0, n = 0; i < l->inst->nmods && n < 2; i++)
        if (!strcmp(l->inst->mods[i], "row") || !strcmp(l->inst->mods[i], "col"))
            columns[n++] = l->inst->mods[i][0] == 'c';
    elements(l, half, 2, in->v, a);
    elements(l, half, 2, in->v + 2, b);
    sums(l, tc, SUMS, in->v + 4, c);
    LLVMValueRef rows[2][DEPTH] = {{NULL}}, lines[SUMS][DEPTH] = {{NULL}}; /* of a and b, those that are different */
    for (unsigned i = 0; i < SUMS; i++) {
        LLVMValueRef row = row_in_half(l, &e, i), column = column_in_half(l, &e, i),
                     beyond = const32(l, i & 4 ? 16 : 0), x[4];
        LLVMValueRef *ra = rows[e.wide && i & 2], *rb = lines[column_of(&e, i)];
        for (unsigned k = 0; k < DEPTH && !ra[DEPTH - 1]; k++) ra[k] = factor_at(l, &e, a, columns[0], row, k, e.upper);
        for (unsigned k = 0; k < DEPTH && !rb[DEPTH - 1]; k++)
            rb[k] = factor_at(l, &e, b, !columns[1], column, k, beyond);
        for (unsigned k = 0; k < 4 && tc->bits == 16 && e.wide; k++)
            x[k] = from_lane(l, c[(i & 4) + k], lane_at(l, &e, row, e.upper));
        sum[i] = tc->bits == 16 && e.wide ? one_of(l, x, 4, column) : c[i];
        for (unsigned k = 0; k < DEPTH; k++) sum[i] = add_product(l, ra[k], rb[k], sum[i], true);
    }
    pack_sum(l, l->t[0], SUMS, sum, out);
}

/* d, a, b, c */
LLVMValueRef op_multiply_eighths(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    Words in = {0};
    read_factor(l, 1, l->t[1], 2, 2, &in);
    read_factor(l, 2, l->t[1], 2, 2, &in);
    read_sum(l, 3, l->t[3], SUMS, &in);
    Words out = call_function(l, 0, l->t[0], SUMS, &in, multiply_eighths);
    write_sum(l, l->t[0], &out);
    return NULL;
}

/* ---- fragments of wmma in memory ---- */

typedef struct Fragment {
    const PtxType *t;
    unsigned lines, length, per; /* in elements; per: those of a lane that are neighbours */
    bool in_line;                /* memory holds lines in one piece */
    bool by_line;                /* of b: blocks are numbered along their lines */
    LLVMValueRef base, stride, lane;
} Fragment;

static Fragment fragment_of(Lower *l, int at) {
    Shape s = shape_of(l);
    bool a = has_mod(l, "a"), b = has_mod(l, "b"), row = has_mod(l, "row");
    Fragment f = {
        .t = l->t[0], .lines = b ? s.n : s.m, .length = a || b ? s.k : s.n, .in_line = b != row, .by_line = b};
    f.per = a || b ? per_word(f.t) : 2;
    f.lane = lane_id(l);
    f.base = address_of(l, &l->inst->ops[at], space_of_inst(l));
    unsigned whole = f.in_line ? f.length : f.lines;
    f.stride = l->inst->nops == 3 ? read_operand(l, &l->inst->ops[2], &type_u32) : const32(l, whole);
    f.stride = resize(l, f.stride, 64, false);
    return f;
}

static unsigned words_of(const Fragment *f) { return f->lines * f->length / (LANES * f->per); }

/* The place in memory of lines / 8 * 8 + x and elements y after the block's first one. */
static LLVMValueRef element_place(Lower *l, const Fragment *f, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef major = f->in_line ? x : y, minor = f->in_line ? y : x;
    LLVMValueRef at = LLVMBuildMul(l->b, resize(l, major, 64, false), f->stride, "");
    at = LLVMBuildAdd(l->b, at, resize(l, minor, 64, false), "");
    bool whole = f->t->bits >= 8;
    at = whole ? LLVMBuildMul(l->b, at, const_int(l, 64, f->t->bits / 8), "")
               : LLVMBuildUDiv(l->b, at, const_int(l, 64, 8 / f->t->bits), "");
    return LLVMBuildGEP2(l->b, l->i8, f->base, &at, 1, "");
}

/* Element i of the lane in word r; turned: of the block as memory holds it, if its lines are apart. */
static LLVMValueRef place_in(Lower *l, const Fragment *f, unsigned r, unsigned i, bool turned) {
    unsigned blocks = f->by_line ? f->length / (4 * f->per) : f->lines / 8;
    unsigned line = 8 * (f->by_line ? r / blocks : r % blocks),
             at = 4 * f->per * (f->by_line ? r % blocks : r / blocks);
    LLVMValueRef group = group_of(l, f->lane), place = LLVMBuildMul(l->b, place_of(l, f->lane), const32(l, f->per), "");
    return element_place(l, f, plus(l, turned ? place : group, line), plus(l, turned ? group : place, at + i));
}

/* 16 bits: two at once, and a block whose lines are apart in memory is transposed.  Less: elements one by one. */
static LLVMValueRef load_word(Lower *l, const Fragment *f, unsigned r) {
    bool turned = f->t->bits == 16 && !f->in_line;
    LLVMValueRef word = const32(l, 0);
    if (f->in_line || turned) {
        word = LLVMBuildLoad2(l->b, l->i32, place_in(l, f, r, 0, turned), "");
        LLVMSetAlignment(word, f->t->bits == 16 ? 4 : 1);
        return turned ? transposed(l, word) : word;
    }
    for (unsigned i = 0; i < f->per; i++) {
        LLVMValueRef x = LLVMBuildLoad2(l->b, int_type(l, f->t->bits), place_in(l, f, r, i, false), "");
        LLVMSetAlignment(x, f->t->bits / 8);
        word = LLVMBuildOr(l->b, word, left(l, resize(l, x, 32, false), i * f->t->bits), "");
    }
    return word;
}

static LLVMValueRef load_element(Lower *l, const Fragment *f, unsigned i) {
    LLVMValueRef x = LLVMBuildLoad2(l->b, int_type(l, f->t->bits), place_in(l, f, i / f->per, i % f->per, false), "");
    LLVMSetAlignment(x, f->t->bits / 8);
    return x;
}

/* wmma.load.a, .b, .c: registers, [a] {, stride}; how: there are 8, some of them copies */
LLVMValueRef op_load_fragment(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    Fragment f = fragment_of(l, 1);
    bool packed = f.t->bits < 32;
    unsigned n = words_of(&f) * (packed ? 1 : f.per), given = *how ? 8 : n;
    const Operand *d = vector_operand(l, 0, given);
    LLVMValueRef got[MAX_ELEMENTS];
    for (unsigned i = 0; i < n; i++) got[i] = packed ? load_word(l, &f, i) : load_element(l, &f, i);
    for (unsigned i = 0; i < given; i++)
        write_operand(l, &d->v[i], f.t->bits == 64 ? &type_b64 : &type_b32, got[i % n]);
    return NULL;
}

/* wmma.store.d: [a], registers {, stride} */
LLVMValueRef op_store_fragment(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    Fragment f = fragment_of(l, 0);
    bool packed = f.t->bits < 32, turned = packed && !f.in_line;
    unsigned per = packed ? 1 : f.per, n = words_of(&f) * per;
    const Operand *d = vector_operand(l, 1, n);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef x = as_int(l, read_operand(l, &d->v[i], packed ? &type_u32 : f.t));
        if (turned) x = transposed(l, x);
        x = LLVMBuildStore(l->b, x, place_in(l, &f, i / per, i % per, turned));
        LLVMSetAlignment(x, f.t->bits == 64 ? 8 : 4);
    }
    return NULL;
}
