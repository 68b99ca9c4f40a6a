/* tile_accesses: gathers and scatters of rows in lockstep as contiguous accesses; part of loop_groups.
**
**   out[x * n + y] = in[y * n + x]
**
** The lanes of a group access a column: a gather or scatter. Its neighbours along y access the elements beside it
** (MD_COLUMNS, by widen). Where T rows of W lanes run in lockstep their accesses are a tile: W vectors of T elements,
** transposed in registers into T vectors of W lanes (Moll's layout transformation, 2021).
**
** Legal: nothing runs between the accesses of groups in lockstep, and any order among them is. All T groups have one
** mask, so what it leaves out is whole vectors of memory. */
#include "passes/groups/loop_groups.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/ir/value.h"
#include <string.h>

enum { MAX_LANES = 64, CHUNK = 16 /* bytes, within which unpacking takes one instruction */ };

bool is_tile_access(const Region *r, LLVMValueRef i) { return map_get(&r->tiles, i, 0) != 0; }

/* ---- transposition ---- */

typedef struct Transpose {
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    unsigned chunk; /* elements */
} Transpose;

static LLVMValueRef shuffle(const Transpose *t, LLVMValueRef x, LLVMValueRef y, const unsigned *from, unsigned n) {
    LLVMValueRef mask[MAX_LANES];
    for (unsigned k = 0; k < n; k++) mask[k] = LLVMConstInt(t->i32, from[k], 0);
    return LLVMBuildShuffleVector(t->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(mask, n), "");
}

/* n elements of v from `first` on. */
static LLVMValueRef part_of(const Transpose *t, LLVMValueRef v, unsigned first, unsigned n) {
    unsigned from[MAX_LANES];
    if (LLVMGetVectorSize(LLVMTypeOf(v)) == n) return v;
    for (unsigned k = 0; k < n; k++) from[k] = first + k;
    return shuffle(t, v, NULL, from, n);
}

static LLVMValueRef concatenated(const Transpose *t, const LLVMValueRef *v, unsigned n) {
    unsigned from[MAX_LANES];
    if (n == 1) return v[0];
    LLVMValueRef low = concatenated(t, v, n / 2), high = concatenated(t, v + n / 2, n / 2);
    unsigned all = 2 * LLVMGetVectorSize(LLVMTypeOf(low));
    for (unsigned k = 0; k < all; k++) from[k] = k;
    return shuffle(t, low, high, from, all);
}

/* Interleaves the lower or upper halves of all chunks. */
static LLVMValueRef unpack(const Transpose *t, LLVMValueRef x, LLVMValueRef y, bool upper) {
    unsigned from[MAX_LANES], n = LLVMGetVectorSize(LLVMTypeOf(x)), half = t->chunk / 2;
    for (unsigned k = 0; k < n; k++) {
        unsigned in_chunk = k % t->chunk;
        from[k] = k - in_chunk + (upper ? half : 0) + in_chunk / 2 + (in_chunk % 2 ? n : 0);
    }
    return shuffle(t, x, y, from, n);
}

/* As many rows as a chunk has elements: column j of each chunk becomes that chunk of row j. */
static void transpose_chunks(const Transpose *t, LLVMValueRef *row) {
    LLVMValueRef next[CHUNK];
    for (unsigned step = 1; step < t->chunk; step *= 2) {
        for (unsigned k = 0; k < t->chunk / 2; k++) {
            next[2 * k] = unpack(t, row[k], row[k + t->chunk / 2], false);
            next[2 * k + 1] = unpack(t, row[k], row[k + t->chunk / 2], true);
        }
        memcpy(row, next, t->chunk * sizeof *row);
    }
}

/* Chunks of two vectors; pick[k]: those of y after those of x. */
static LLVMValueRef pick_chunks(const Transpose *t, LLVMValueRef x, LLVMValueRef y, const unsigned *pick, unsigned n) {
    unsigned from[MAX_LANES];
    for (unsigned k = 0; k < n * t->chunk; k++) from[k] = pick[k / t->chunk] * t->chunk + k % t->chunk;
    return shuffle(t, x, y, from, n * t->chunk);
}

/* Chunk q of each of n vectors with `of` chunks each; four of four: by pairs of chunks, which neighbouring q share. */
static LLVMValueRef join_chunks(const Transpose *t, LLVMValueRef *v, unsigned n, unsigned of, unsigned q) {
    if (n == 1) return part_of(t, v[0], q * t->chunk, t->chunk);
    if (n == 2) return pick_chunks(t, v[0], v[1], (unsigned[]){q, of + q}, 2);
    if (n == 4 && of == 4) {
        unsigned e = q & ~1u, odd = q & 1;
        LLVMValueRef low = pick_chunks(t, v[0], v[1], (unsigned[]){e, e + 1, of + e, of + e + 1}, 4),
                     high = pick_chunks(t, v[2], v[3], (unsigned[]){e, e + 1, of + e, of + e + 1}, 4);
        return pick_chunks(t, low, high, (unsigned[]){odd, 2 + odd, 4 + odd, 6 + odd}, 4);
    }
    LLVMValueRef half[2] = {join_chunks(t, v, n / 2, of, q), join_chunks(t, v + n / 2, n / 2, of, q)};
    return concatenated(t, half, 2);
}

/* rows x columns, each at most a register of chunks. */
static void transpose_block(const Transpose *t, const LLVMValueRef *row, unsigned rows, unsigned columns,
                            LLVMValueRef *column) {
    LLVMValueRef v[MAX_LANES], of[MAX_LANES];
    unsigned c = t->chunk, n = rows / c;
    memcpy(v, row, rows * sizeof *v);
    for (unsigned k = 0; k < n; k++) transpose_chunks(t, v + k * c);
    for (unsigned j = 0; j < columns; j++) {
        for (unsigned k = 0; k < n; k++) of[k] = v[k * c + j % c];
        column[j] = join_chunks(t, of, n, columns / c, j / c);
    }
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* column[j]: element j of each row. By blocks of registers. */
static void transpose(const Loops *l, const LLVMValueRef *row, unsigned rows, unsigned columns, LLVMValueRef *column) {
    unsigned size = (unsigned)LLVMABISizeOfType(l->k->m->dl, element_type(LLVMTypeOf(row[0])));
    Transpose t = {l->b, l->i32, least(CHUNK / size, least(rows, columns))};
    unsigned most = t.chunk * (l->k->m->vector_bits / 8 / CHUNK), high = least(rows, most), wide = least(columns, most);
    LLVMValueRef part[MAX_LANES], block[MAX_LANES], all[MAX_LANES][MAX_LANES / 2];
    for (unsigned j = 0; j < columns; j += wide)
        for (unsigned i = 0; i < rows; i += high) {
            for (unsigned k = 0; k < high; k++) part[k] = part_of(&t, row[i + k], j, wide);
            transpose_block(&t, part, high, wide, block);
            for (unsigned k = 0; k < wide; k++) all[j + k][i / high] = block[k];
        }
    for (unsigned j = 0; j < columns; j++) column[j] = concatenated(&t, all[j], rows / high);
}

/* ---- accesses ---- */

typedef struct Tile {
    Loops *l;
    LLVMValueRef access, addresses, mask; /* of the first group; mask: NULL, all lanes */
    MaskedOperands at;
    unsigned lanes, rows, align;
    LLVMTypeRef type; /* of a lane's elements in all rows */
} Tile;

static LLVMValueRef of_copy(Loops *l, int c, LLVMValueRef v) {
    PtrMap *map = l->map;
    l->map = &l->maps[c];
    LLVMValueRef r = mapped(l, v);
    l->map = map;
    return r;
}

static Tile tile_of(Loops *l, LLVMValueRef access) {
    Tile t = {.l = l, .access = access, .rows = (unsigned)l->copies};
    masked_operands(access, &t.at);
    LLVMValueRef mask = LLVMGetOperand(access, t.at.mask), value = LLVMGetOperand(access, t.at.value);
    t.addresses = of_copy(l, 0, LLVMGetOperand(access, t.at.pointer));
    t.mask = mask == LLVMConstAllOnes(LLVMTypeOf(mask)) ? NULL : of_copy(l, 0, mask);
    t.lanes = LLVMGetVectorSize(LLVMTypeOf(value));
    t.type = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(value)), t.rows);
    t.align = call_align(access, t.at.pointer);
    return t;
}

/* Of all elements of a lane: NULL, or its bit of the mask. */
static LLVMValueRef mask_of_lane(const Tile *t, LLVMValueRef lane) {
    Loops *l = t->l;
    if (!t->mask) return NULL;
    LLVMValueRef bit = LLVMBuildExtractElement(l->b, t->mask, lane, "");
    LLVMTypeRef type = LLVMVectorType(l->i1, t->rows);
    return LLVMBuildSelect(l->b, bit, LLVMConstAllOnes(type), LLVMConstNull(type), "");
}

/* A load or, of v, a store of a lane's elements. */
static LLVMValueRef access_lane(const Tile *t, unsigned number, LLVMValueRef v) {
    Loops *l = t->l;
    LLVMValueRef lane = c32(l, number), p = LLVMBuildExtractElement(l->b, t->addresses, lane, "column"),
                 mask = mask_of_lane(t, lane);
    LLVMTypeRef over[2] = {t->type, LLVMTypeOf(p)};
    if (!mask) {
        LLVMValueRef plain = v ? LLVMBuildStore(l->b, v, p) : LLVMBuildLoad2(l->b, t->type, p, "");
        LLVMSetAlignment(plain, t->align);
        return plain;
    }
    LLVMValueRef store[3] = {v, p, mask}, load[3] = {p, mask, LLVMGetPoison(t->type)};
    LLVMValueRef call =
        math_intrinsic(l->b, v ? "llvm.masked.store" : "llvm.masked.load", over, 2, v ? store : load, 3);
    LLVMAddCallSiteAttribute(
        call, v ? 2 : 1, LLVMCreateEnumAttribute(l->k->m->ctx, LLVMGetEnumAttributeKindForName("align", 5), t->align));
    return call;
}

static void access_together(const Tile *t, LLVMValueRef of_row[MAX_JAM_FACTOR]) {
    Loops *l = t->l;
    LLVMValueRef of_lane[MAX_LANES];
    if (t->at.store) {
        for (unsigned c = 0; c < t->rows; c++) of_row[c] = of_copy(l, (int)c, LLVMGetOperand(t->access, t->at.value));
        transpose(l, of_row, t->rows, t->lanes, of_lane);
        for (unsigned k = 0; k < t->lanes; k++) access_lane(t, k, of_lane[k]);
        return;
    }
    for (unsigned k = 0; k < t->lanes; k++) of_lane[k] = access_lane(t, k, NULL);
    transpose(l, of_lane, t->lanes, t->rows, of_row);
}

/* ---- indices that wrap ---- */

static void access_apart(const Tile *t, LLVMValueRef of_row[MAX_JAM_FACTOR]) {
    for (unsigned c = 0; c < t->rows; c++) {
        of_row[c] = clone_at(t->l->b, t->access);
        for (int k = 0; k < LLVMGetNumOperands(t->access); k++)
            LLVMSetOperand(of_row[c], (unsigned)k, of_copy(t->l, (int)c, LLVMGetOperand(t->access, (unsigned)k)));
    }
}

/* No active lane's index wraps between the first and the last row: it would wrap once, and its addresses would be
** further apart. */
static LLVMValueRef is_one_tile(const Tile *t) {
    Loops *l = t->l;
    LLVMTypeRef type = LLVMVectorType(l->i64, t->lanes), bits = LLVMVectorType(l->i1, t->lanes);
    LLVMValueRef last = of_copy(l, (int)t->rows - 1, LLVMGetOperand(t->access, t->at.pointer));
    LLVMValueRef apart = LLVMBuildSub(l->b, LLVMBuildPtrToInt(l->b, last, type, ""),
                                      LLVMBuildPtrToInt(l->b, t->addresses, type, ""), "");
    uint64_t size = LLVMABISizeOfType(l->k->m->dl, LLVMGetElementType(t->type)) * (t->rows - 1);
    LLVMValueRef expected = math_int(type, (long long)size),
                 same = LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildFreeze(l->b, apart, ""), expected, "");
    if (t->mask) same = LLVMBuildOr(l->b, same, LLVMBuildNot(l->b, t->mask, ""), "");
    return math_intrinsic(l->b, "llvm.vector.reduce.and", &bits, 1, &same, 1);
}

static void access_tested(const Tile *t, LLVMValueRef of_row[MAX_JAM_FACTOR]) {
    Loops *l = t->l;
    LLVMValueRef of[2][MAX_JAM_FACTOR];
    LLVMBasicBlockRef from[2] = {new_block(l, "tile"), new_block(l, "apart")}, join = new_block(l, "joined");
    LLVMBuildCondBr(l->b, is_one_tile(t), from[0], from[1]);
    LLVMPositionBuilderAtEnd(l->b, from[0]);
    access_together(t, of[0]);
    LLVMBuildBr(l->b, join);
    LLVMPositionBuilderAtEnd(l->b, from[1]);
    access_apart(t, of[1]);
    LLVMBuildBr(l->b, join);
    LLVMPositionBuilderAtEnd(l->b, join);
    for (unsigned c = 0; c < t->rows && !t->at.store; c++) {
        of_row[c] = LLVMBuildPhi(l->b, LLVMTypeOf(t->access), "");
        LLVMAddIncoming(of_row[c], (LLVMValueRef[]){of[0][c], of[1][c]}, from, 2);
    }
}

void access_tile(Loops *l, LLVMValueRef access) {
    Tile t = tile_of(l, access);
    LLVMValueRef of_row[MAX_JAM_FACTOR];
    if (columns_may_wrap(access)) access_tested(&t, of_row);
    else access_together(&t, of_row);
    for (unsigned c = 0; c < t.rows && !t.at.store; c++) map_put(&l->maps[c], access, (uintptr_t)of_row[c]);
}
