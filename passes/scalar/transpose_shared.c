/* transpose_shared: a tile of shared memory that the lanes of a group access by columns is kept with its columns as
** rows.
**
** `s[threadIdx.x][threadIdx.y + k]` of a tile [16][81]: neighbours are 81 elements apart, and each access is a gather
** or scatter. Where every access of the array is proven to be at row * pitch + column, with 0 <= column < pitch,
** element (row, column) moves to column * rows + row: neighbours are adjacent. The pitch is a factor in the address of
** some access, so the declaration of the array does not matter, nor whether its rows are padded.
**
** in, out: per-thread code in normal form, width > 1
**
** The arrays are given by lower_shared (ATTR_ARRAYS); an access belongs to the one that holds all addresses that it can
** have. That takes ranges of ids, so mostly a known blockDim. All accesses of an array have one size. Nothing is done
** where an address is not known, as it might be in any array; where an address is passed on; in kernels that access
** shared memory of other blocks; and where a group is not estimated clearly faster: a tile that is written by rows and
** read by columns gains as much as it loses. */
#include "passes/analysis/cost.h"
#include "passes/analysis/shared_indices.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <stdio.h>

enum { MAX_PITCHES = 3 };

typedef struct Array {
    int64_t at, bytes;
} Array;

/* The array's elements, one of `size` bytes, as rows of `pitch` bytes; `rows`: as many as are used. */
typedef struct Tile {
    Array array;
    int64_t size, pitch, rows;
} Tile;

typedef struct Arrays {
    Vec(Array) all;
} Arrays;

static void read_arrays(Arena *a, LLVMValueRef fn, Arrays *arrays) {
    unsigned len;
    const char *text = fn_attr(fn, ATTR_ARRAYS, &len);
    if (!text) return;
    for (const char *p = arena_printf(a, "%.*s", (int)len, text); p; p = strchr(p, ';'), p += p != NULL) {
        long long at, bytes;
        if (sscanf(p, "%lld,%lld", &at, &bytes) == 2) vec_push(a, &arrays->all, ((Array){at, bytes}));
    }
}

static bool is_in(const SharedIndex *p, Array x) { return p->lo >= x.at && p->hi + p->size <= x.at + x.bytes; }

/* Each access is in one array, or after all of them. */
static bool all_are_in_arrays(const SharedIndices *s, const Arrays *arrays, int64_t end) {
    for (int k = 0; k < s->all.n; k++) {
        const SharedIndex *p = &s->all.v[k];
        bool placed = p->lo >= end;
        for (int x = 0; x < arrays->all.n; x++) placed |= is_in(p, arrays->all.v[x]);
        if (p->lo > p->hi || !placed) return false;
    }
    return true;
}

/* ---- rows and columns ---- */

typedef struct Split {
    int64_t row, column; /* constants; bytes */
    int64_t rows;        /* the last row that it can be in, + 1 */
} Split;

static int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Of the access: false if a column can be outside of 0 ... pitch. */
static bool split_address(const SharedIndex *p, const Tile *t, Split *s) {
    int64_t lo = 0, hi = 0, first = 0, last = 0;
    for (int k = 0; k < p->terms.n; k++) {
        const IndexTerm *x = &p->terms.v[k];
        int64_t q = x->factor / t->pitch, r = x->factor % t->pitch;
        if (r % t->size) return false;
        lo += r * (r < 0 ? x->hi : x->lo), hi += r * (r < 0 ? x->lo : x->hi);
        first += q * (q < 0 ? x->hi : x->lo), last += q * (q < 0 ? x->lo : x->hi);
    }
    int64_t at = p->bytes - t->array.at, row = floor_quotient(at + lo, t->pitch), column = at - row * t->pitch;
    *s = (Split){row, column, last + row + 1};
    return column % t->size == 0 && column + hi + t->size <= t->pitch && first + row >= 0;
}

static bool fits_tile(const SharedIndices *s, Tile *t) {
    t->rows = 0;
    if (t->pitch % t->size || t->pitch <= t->size || t->array.at % t->size) return false;
    for (int k = 0; k < s->all.n; k++) {
        const SharedIndex *p = &s->all.v[k];
        Split split;
        if (!is_in(p, t->array)) continue;
        if (p->size != t->size || !split_address(p, t, &split)) return false;
        if (split.rows > t->rows) t->rows = split.rows;
    }
    return t->rows > 1 && t->rows * t->pitch <= t->array.bytes;
}

/* ---- addresses ---- */

static LLVMValueRef scaled(LLVMBuilderRef b, LLVMTypeRef i64, const IndexTerm *t, int64_t factor) {
    LLVMValueRef v = LLVMGetIntTypeWidth(LLVMTypeOf(t->v)) < 64 ? LLVMBuildSExt(b, t->v, i64, "") : t->v;
    return factor == 1 ? v : LLVMBuildNSWMul(b, v, LLVMConstInt(i64, (unsigned long long)factor, 1), "");
}

static void move_access(Module *m, LLVMBuilderRef b, const SharedIndex *p, const Tile *t) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(m->ctx), i8 = LLVMInt8TypeInContext(m->ctx);
    Split s;
    split_address(p, t, &s);
    int64_t element = t->rows; /* bytes of a new row / bytes of an element */
    LLVMValueRef sum = NULL, old = LLVMGetOperand(p->inst, p->operand);
    LLVMPositionBuilderBefore(b, p->inst);
    for (int k = 0; k < p->terms.n; k++) {
        const IndexTerm *x = &p->terms.v[k];
        int64_t factor = x->factor / t->pitch * t->size + x->factor % t->pitch * element;
        LLVMValueRef v = factor ? scaled(b, i64, x, factor) : NULL;
        if (v) sum = sum ? LLVMBuildNSWAdd(b, sum, v, "") : v;
    }
    int64_t constant = t->array.at + s.row * t->size + s.column * element;
    LLVMValueRef at = sum ? LLVMBuildGEP2(b, i8, p->base, &sum, 1, "") : p->base,
                 c = LLVMConstInt(i64, (unsigned long long)constant, 1);
    if (constant) at = LLVMBuildGEP2(b, i8, at, &c, 1, "transposed");
    LLVMSetOperand(p->inst, p->operand, LLVMBuildAddrSpaceCast(b, at, LLVMTypeOf(old), ""));
    if (!LLVMIsAAtomicRMWInst(p->inst) && !LLVMIsAAtomicCmpXchgInst(p->inst) && LLVMGetAlignment(p->inst) > t->size)
        LLVMSetAlignment(p->inst, (unsigned)t->size);
}

static void move_accesses(Module *m, LLVMValueRef fn, const SharedIndices *s, const Tile *t) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (int k = 0; k < s->all.n; k++)
        if (is_in(&s->all.v[k], t->array)) move_access(m, b, &s->all.v[k], t);
    LLVMDisposeBuilder(b);
    delete_dead(fn);
}

/* ---- the choice of a pitch ---- */

/* Some access of the array has lanes further apart than shuffles reach. */
static bool lanes_are_apart(const SharedIndices *s, const Shapes *shapes, Array x, int64_t *size) {
    bool apart = false;
    for (int k = 0; k < s->all.n; k++) {
        const SharedIndex *p = &s->all.v[k];
        LLVMValueRef at = LLVMGetOperand(p->inst, p->operand);
        int64_t stride;
        if (!is_in(p, x)) continue;
        *size = p->size;
        if (shapes_is_uniform(shapes, at)) continue;
        apart |= !shapes_lane_stride(shapes, at, &stride) || stride > 4 * *size || stride < -4 * *size;
    }
    return apart;
}

static int find_pitches(const SharedIndices *s, Array x, int64_t size, int64_t pitch[MAX_PITCHES]) {
    int n = 0;
    for (int k = 0; k < s->all.n; k++)
        for (int j = 0; is_in(&s->all.v[k], x) && j < s->all.v[k].terms.n; j++) {
            int64_t f = s->all.v[k].terms.v[j].factor;
            bool known = false;
            if (f < 0) f = -f;
            for (int o = 0; o < n; o++) known |= pitch[o] == f;
            Tile t = {x, size, f, 0};
            if (!known && f > 0 && n < MAX_PITCHES && fits_tile(s, &t)) pitch[n++] = f;
        }
    return n;
}

static double cycles(Kernel *k, LLVMValueRef fn) { return cycles_of_lane(k->m, fn, k->width, k->layout, k->block); }

/* The cycles of a lane with the tile transposed; in a copy. */
static double try_tile(Kernel *k, Array x, int64_t size, int64_t pitch) {
    LLVMValueRef copy = shim_clone_function(k->fn, "cucpu.tried");
    SharedIndices *s = shared_indices(k->arena, k->m, copy);
    Tile t = {x, size, pitch, 0};
    fits_tile(s, &t);
    move_accesses(k->m, copy, s, &t);
    double r = cycles(k, copy);
    LLVMDeleteFunction(copy);
    return r;
}

static bool transpose_array(Kernel *k, const SharedIndices *s, Array x) {
    int64_t size = 0, pitch[MAX_PITCHES], best = 0;
    if (!lanes_are_apart(s, kernel_shapes(k), x, &size)) return false;
    int n = find_pitches(s, x, size, pitch);
    double minimum = n ? cycles(k, k->fn) / (1 + COST_ERROR) : 0;
    for (int p = 0; p < n; p++) {
        double c = try_tile(k, x, size, pitch[p]);
        if (c < minimum) minimum = c, best = pitch[p];
    }
    Tile t = {x, size, best, 0};
    if (!best || !fits_tile(s, &t)) return false;
    move_accesses(k->m, k->fn, s, &t);
    diag_remark(&k->m->diag, k->fn, TRANSPOSED, (long long)t.rows, (long long)(best / size));
    return true;
}

bool transpose_tiles(Kernel *k) {
    Arrays arrays = {0};
    bool changed = false;
    if (k->width < 2 || !k->m->opt->opt_level || pass_disabled(k->m, "transpose_shared")) return false;
    read_arrays(k->arena, k->fn, &arrays);
    if (!arrays.all.n || calls_name(k->fn, NAME_CLUSTER_BASE, NAME_CLUSTER_BASE)) return false;
    int64_t end = fn_attr_int(k->fn, ATTR_SHARED, 0);
    for (int x = 0; x < arrays.all.n; x++) {
        SharedIndices *s = shared_indices(k->arena, k->m, k->fn);
        if (!s || !all_are_in_arrays(s, &arrays, end)) break;
        if (!transpose_array(k, s, arrays.all.v[x])) continue;
        changed = true;
        drop_facts(k);
    }
    if (changed) run_llvm_passes_on(k->m, k->fn, "lcssa"); /* uses were moved past exit phis */
    return changed;
}

Nyi transpose_shared(Kernel *k) {
    if (!transpose_tiles(k)) keep_facts(k);
    return NYI_NONE;
}
