/* widen_fields.c: loads and stores of consecutive fields of a structure, or elements of a float4.
**
** Lane i's structure follows lane i - 1's, so the fields of all lanes are K consecutive vectors: these are loaded or
** stored, and shuffles extract or insert the fields (log K for each vector, K - 1 where K is no power of two). Field by
** field it would be K gathers or scatters.
**
** A group is up to K accesses of one size in one block, at neighbouring elements of a lane, with lanes K elements
** apart. Loads: at least half of them; the gap between two accessed elements may be read, elements after the last one
** of the last lane only if the alignment implies that they are on the same page, else a mask excludes them. Stores:
** all, or some of them on CPUs with mask registers.
** Loads are done at the first of them, with no write in between; stores at the last, with no other access in between.
** Shared memory is left to widen_pattern.c where a lane's elements are within its windows, and where all of it may be
** promoted to registers (promote_shared), which extracts lanes one by one. Of four elements that are all accessed it is
** not: here they take 8 shuffles, of windows 12. Local arrays are left to widen_memory.c. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/widen/widen.h"

enum { MAX_AHEAD = 64, MAX_LANES = 128 };

/* ---- groups ---- */

static bool is_field_type(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMIntegerTypeKind) {
        unsigned n = LLVMGetIntTypeWidth(t);
        return n == 8 || n == 16 || n == 32 || n == 64;
    }
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind || k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind;
}

bool is_local(LLVMValueRef p) {
    while (LLVMIsAGetElementPtrInst(p)) p = LLVMGetOperand(p, 0);
    return LLVMIsAAllocaInst(p) != NULL;
}

/* Lanes the same distance apart, also where a pattern makes them so (`threadIdx.x % 16` of 16 lanes). */
static bool equal_steps(const Widen *x, LLVMValueRef p, int64_t *stride) {
    int64_t offset[64];
    if (lane_stride(x, p, stride)) return true;
    if (lane_runs(x, p, offset) != (int)x->w) return false;
    *stride = offset[1];
    for (unsigned i = 2; i < x->w; i++)
        if (offset[i] != (int64_t)i * *stride) return false;
    return true;
}

static bool fits_registers(const Widen *x) {
    int bytes = fn_attr_int(x->k->fn, ATTR_SHARED, 0);
    return x->k->block[0] && bytes && (unsigned)bytes <= x->k->m->vector_regs * (x->k->m->vector_bits / 8);
}

unsigned fields_of(Widen *x, LLVMValueRef i) {
    int64_t stride;
    if ((!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)) || LLVMGetVolatile(i) ||
        LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return 0;
    if ((LLVMIsALoadInst(i) && !is_wide(x, i)) || !is_field_type(accessed_type(i)) || is_local(accessed_at(i)) ||
        is_uniform(x, accessed_at(i)))
        return 0;
    if (!equal_steps(x, accessed_at(i), &stride)) return 0;
    int64_t size = (int64_t)bytes_of(x, accessed_type(i));
    if (stride < 2 * size || stride > MAX_FIELDS * size || stride % size || stride / size > x->w) return 0;
    if (!x->memory) x->memory = memory_spaces(x->a, x->k->fn);
    bool shared = spaces_of(x->memory, accessed_at(i)) == SPACE_SHARED;
    return shared && (stride / size < MAX_PARTS || fits_registers(x)) ? 0 : (unsigned)(stride / size);
}

/* Later accesses of its block that belong to `first`, by their distance after it in memory. */
static void collect(Widen *x, LLVMValueRef first, unsigned n, LLVMValueRef *before, LLVMValueRef *after,
                    LLVMValueRef *last) {
    int64_t from, at, size = (int64_t)bytes_of(x, accessed_type(first));
    LLVMValueRef base = access_base(x->k->m->dl, accessed_at(first), &from), i = first;
    bool stores = LLVMIsAStoreInst(first);
    after[0] = *last = first;
    for (int ahead = 0; ahead < MAX_AHEAD && (i = LLVMGetNextInstruction(i)); ahead++) {
        bool alike = stores ? LLVMIsAStoreInst(i) != NULL : LLVMIsALoadInst(i) != NULL;
        if (alike && fields_of(x, i) == n && bytes_of(x, accessed_type(i)) == (uint64_t)size &&
            same_address(access_base(x->k->m->dl, accessed_at(i), &at), base) && (at - from) % size == 0 &&
            (at - from) / size > -(int64_t)n && (at - from) / size < (int64_t)n) {
            int64_t d = (at - from) / size;
            LLVMValueRef *slot = d < 0 ? &before[-d] : &after[d];
            if (!*slot && !map_get(&x->fields, i, 0)) {
                *slot = *last = i;
                continue;
            }
            if (!stores) continue;
            return;
        }
        if (stands_between(i, stores)) return;
    }
}

/* A load of the block is from the same structures: it may have to wait for a masked store. */
static bool is_loaded_nearby(const Widen *x, LLVMValueRef store) {
    int64_t bytes;
    LLVMValueRef base = access_base(x->k->m->dl, accessed_at(store), &bytes);
    for_each_in_block(i, LLVMGetInstructionParent(store))
        if (LLVMIsALoadInst(i) && same_address(access_base(x->k->m->dl, accessed_at(i), &bytes), base)) return true;
    return false;
}

/* Some fields are not stored: their lanes of the vectors are masked, which is slow without mask registers. */
static bool may_have_gaps(const Widen *x, const Fields *f, unsigned count) {
    if (4 * count < f->n || !shim_has_features(x->k->m->tm, f->size < 4 ? "+avx512bw" : "+avx512f")) return false;
    return count > 1 || !is_loaded_nearby(x, f->here);
}

static bool is_better(const Widen *x, const Fields *f) {
    unsigned count = 0;
    for (unsigned k = 0; k < f->n; k++) count += f->member[k] != NULL;
    if (f->n <= MAX_PARTS && count < f->n && spaces_of(x->memory, accessed_at(f->here)) == SPACE_SHARED) return false;
    return f->stores ? count == f->n || may_have_gaps(x, f, count) : count >= 2 && 2 * count >= f->n;
}

static void group_from(Widen *x, LLVMValueRef first) {
    unsigned n = fields_of(x, first), low = 0;
    LLVMValueRef before[MAX_FIELDS] = {0}, after[MAX_FIELDS] = {0}, last;
    if (!n || map_get(&x->fields, first, 0)) return;
    collect(x, first, n, before, after, &last);
    for (unsigned k = 1; k < n; k++)
        if (before[k]) low = k;
    Fields *f = arena_alloc(x->a, sizeof *f);
    *f = (Fields){.n = n,
                  .size = (unsigned)bytes_of(x, accessed_type(first)),
                  .stores = LLVMIsAStoreInst(first) != NULL,
                  .here = first};
    for (unsigned k = 0; k < n; k++)
        if ((f->member[k] = k < low ? before[low - k] : after[k - low])) f->high = k;
    if (!is_better(x, f)) return;
    if (f->stores) /* the last of these in program order */
        for (LLVMValueRef i = first; i; i = i == last ? NULL : LLVMGetNextInstruction(i))
            for (unsigned k = 0; k < n; k++)
                if (f->member[k] == i) f->here = i;
    for (unsigned k = 0; k < n; k++)
        if (f->member[k]) map_put(&x->fields, f->member[k], (uintptr_t)f);
}

void find_fields(Widen *x) {
    if (x->w < 4 || pass_disabled(x->k->m, "fields")) return;
    for_each_cfg_instruction(i, b, x->c) group_from(x, i);
}

/* ---- vectors ---- */

/* Lane i of the result is lane at[i] of v[part[i]]. */
static LLVMValueRef pick(Widen *x, LLVMValueRef *v, unsigned n, const unsigned *part, const unsigned *at) {
    LLVMValueRef all = NULL, idx[64];
    for (unsigned k = 0; k < n; k++) {
        bool any = false;
        for (unsigned i = 0; i < x->w; i++) {
            any |= part[i] == k;
            idx[i] = part[i] == k         ? c32(x, (all ? x->w : 0) + at[i])
                     : all && part[i] < k ? c32(x, i)
                                          : LLVMGetPoison(x->i32);
        }
        if (!any) continue;
        if (!all && k + 1 < n) { /* the first two at once */
            for (unsigned i = 0; i < x->w; i++)
                if (part[i] == k + 1) idx[i] = c32(x, x->w + at[i]);
            all = LLVMBuildShuffleVector(x->b, v[k], v[k + 1], LLVMConstVector(idx, x->w), "");
            k++;
            continue;
        }
        all = LLVMBuildShuffleVector(x->b, all ? all : v[k], all ? v[k] : LLVMGetPoison(LLVMTypeOf(v[k])),
                                     LLVMConstVector(idx, x->w), "");
    }
    return all;
}

/* Half `first` of the lanes of a and b interleaved; or every second lane of a and b, from lane `first` on. */
static LLVMValueRef two(Widen *x, LLVMValueRef a, LLVMValueRef b, bool interleaved, unsigned first) {
    LLVMValueRef idx[64];
    for (unsigned i = 0; i < x->w; i++)
        idx[i] = c32(x, interleaved ? first * x->w / 2 + i / 2 + (i % 2) * x->w : 2 * i + first);
    return LLVMBuildShuffleVector(x->b, a, b, LLVMConstVector(idx, x->w), "");
}

/* ---- four fields of AVX2: shuffles are within halves of a register, or move whole halves ---- */

static bool works_by_halves(const Widen *x, LLVMValueRef v, unsigned n) {
    unsigned bytes = x->w * (unsigned)bytes_of(x, LLVMGetElementType(LLVMTypeOf(v)));
    return n == 4 && bytes == 32 && x->w <= 8 && x->k->m->vector_bits == 256;
}

/* In each half, elements of a and b interleaved, `run` at a time, from their lower (0) or upper (1) part. */
static LLVMValueRef within_halves(Widen *x, LLVMValueRef a, LLVMValueRef b, unsigned run, unsigned upper) {
    LLVMValueRef idx[8];
    unsigned half = x->w / 2;
    for (unsigned i = 0; i < x->w; i++) {
        unsigned k = i % half, piece = k / run;
        idx[i] = c32(x, i / half * half + upper * half / 2 + piece / 2 * run + k % run + piece % 2 * x->w);
    }
    return LLVMBuildShuffleVector(x->b, a, b, LLVMConstVector(idx, x->w), "");
}

/* The same half of a and of b. */
static LLVMValueRef two_halves(Widen *x, LLVMValueRef a, LLVMValueRef b, unsigned upper) {
    LLVMValueRef idx[8];
    unsigned half = x->w / 2;
    for (unsigned i = 0; i < x->w; i++) idx[i] = c32(x, upper * half + i % half + i / half * x->w);
    return LLVMBuildShuffleVector(x->b, a, b, LLVMConstVector(idx, x->w), "");
}

static void interleave_halves(Widen *x, LLVMValueRef *v) {
    LLVMValueRef s[4], t[4]; /* t: structures i and i + W/2 */
    for (unsigned k = 0; k < 4; k++) s[k] = within_halves(x, v[k / 2 * 2], v[k / 2 * 2 + 1], 1, k % 2);
    for (unsigned k = 0; k < 4 && x->w == 8; k++) t[k] = within_halves(x, s[k / 2], s[2 + k / 2], 2, k % 2);
    for (unsigned k = 0; k < 4; k++)
        v[k] = x->w == 8 ? two_halves(x, t[k % 2 * 2], t[k % 2 * 2 + 1], k / 2)
                         : two_halves(x, s[k % 2], s[2 + k % 2], k / 2);
}

static void deinterleave_halves(Widen *x, LLVMValueRef *v) {
    LLVMValueRef t[4], s[4];
    if (x->w == 4) {
        for (unsigned k = 0; k < 4; k++) t[k] = two_halves(x, v[k % 2], v[k % 2 + 2], k / 2);
        for (unsigned k = 0; k < 4; k++) v[k] = within_halves(x, t[k / 2 * 2], t[k / 2 * 2 + 1], 1, k % 2);
        return;
    }
    for (unsigned k = 0; k < 4; k++) t[k] = two_halves(x, v[k / 2], v[k / 2 + 2], k % 2);
    for (unsigned k = 0; k < 4; k++) s[k] = within_halves(x, t[k / 2 * 2], t[k / 2 * 2 + 1], 1, k % 2);
    for (unsigned k = 0; k < 4; k++) v[k] = within_halves(x, s[k / 2], s[2 + k / 2], 2, k % 2);
}

/* v[0][0], v[1][0], ... v[n - 1][0], v[0][1], ...; n is a power of two. The even and the odd ones first: n log n
** shuffles. */
static void interleave_fields(Widen *x, LLVMValueRef *v, unsigned n) {
    LLVMValueRef half[2][MAX_FIELDS];
    if (n == 1) return;
    if (works_by_halves(x, v[0], n)) {
        interleave_halves(x, v);
        return;
    }
    for (unsigned k = 0; k < n; k++) half[k % 2][k / 2] = v[k];
    for (unsigned odd = 0; odd < 2; odd++) interleave_fields(x, half[odd], n / 2);
    for (unsigned k = 0; k < n; k++) v[k] = two(x, half[0][k / 2], half[1][k / 2], true, k % 2);
}

static void deinterleave(Widen *x, LLVMValueRef *v, unsigned n) {
    LLVMValueRef half[2][MAX_FIELDS];
    if (n == 1) return;
    if (works_by_halves(x, v[0], n)) {
        deinterleave_halves(x, v);
        return;
    }
    for (unsigned k = 0; k < n; k++) half[k % 2][k / 2] = two(x, v[k / 2 * 2], v[k / 2 * 2 + 1], false, k % 2);
    for (unsigned odd = 0; odd < 2; odd++) deinterleave(x, half[odd], n / 2);
    for (unsigned k = 0; k < n; k++) v[k] = half[k % 2][k / 2];
}

LLVMValueRef mask_of_elements(Widen *x, unsigned n, unsigned from, unsigned count) {
    LLVMValueRef idx[MAX_LANES];
    if (!x->mask) return NULL;
    for (unsigned i = 0; i < count; i++) idx[i] = c32(x, (from + i) / n);
    return LLVMBuildShuffleVector(x->b, x->mask, LLVMGetPoison(LLVMTypeOf(x->mask)), LLVMConstVector(idx, count), "");
}

/* The mask of so many elements of a group from element `from` on. */
static LLVMValueRef mask_of(Widen *x, const Fields *f, unsigned from, unsigned count) {
    LLVMValueRef lane[MAX_LANES], on = LLVMConstInt(x->i1, 1, 0), all = mask_of_elements(x, f->n, from, count);
    bool aligned = LLVMGetAlignment(f->member[0]) >= f->n * f->size, whole = true;
    for (unsigned i = 0; i < count; i++) {
        unsigned index = (from + i) % f->n;
        bool after = index > f->high && !aligned &&
                     (x->mask || from + i >= (x->w - 1) * f->n); /* each may be the last active one */
        bool off = f->stores ? !f->member[index] : after;
        lane[i] = off ? LLVMConstNull(x->i1) : on;
        whole &= !off;
    }
    if (whole) return all;
    LLVMValueRef some = LLVMConstVector(lane, count);
    return all ? LLVMBuildAnd(x->b, all, some, "") : some;
}

/* Address of an element of a group, from that of the member that is here. */
static LLVMValueRef element_address(Widen *x, const Fields *f, unsigned element) {
    unsigned mine = 0;
    while (f->member[mine] != f->here) mine++;
    return byte_offset(x, scalar_of(x, accessed_at(f->here)), ((int64_t)element - (int64_t)mine) * (int64_t)f->size);
}

static unsigned field_align(const Fields *f) {
    unsigned align = LLVMGetAlignment(f->here);
    return align > f->size ? f->size : align;
}

static LLVMTypeRef elements(const Widen *x, const Fields *f, unsigned n) {
    return LLVMVectorType(LLVMIntTypeInContext(x->ctx, 8 * f->size), n);
}

static LLVMValueRef load_part(Widen *x, const Fields *f, unsigned from, unsigned n) {
    return load_vector(x, elements(x, f, n), element_address(x, f, from), field_align(f), mask_of(x, f, from, n));
}

static void store_part(Widen *x, const Fields *f, LLVMValueRef v, unsigned from, unsigned n) {
    store_vector(x, v, element_address(x, f, from), field_align(f), mask_of(x, f, from, n));
}

/* Elements of one register where a field fills less than that, and all together at most two: one shuffle of these takes
** a field out. 0 = a field at least fills a register. */
static unsigned elements_at_once(const Widen *x, const Fields *f) {
    unsigned all = x->w * f->n, reg = x->k->m->vector_bits / 8 / f->size;
    if ((f->n & (f->n - 1)) || x->w >= reg || all > 2 * reg || all > MAX_LANES) return 0;
    return all <= reg ? all : all / 2;
}

static LLVMValueRef choose(Widen *x, LLVMValueRef *v, unsigned parts, const unsigned *at, unsigned n) {
    LLVMValueRef idx[MAX_LANES];
    for (unsigned i = 0; i < n; i++) idx[i] = c32(x, at[i]);
    return LLVMBuildShuffleVector(x->b, v[0], parts > 1 ? v[1] : LLVMGetPoison(LLVMTypeOf(v[0])),
                                  LLVMConstVector(idx, n), "");
}

static void load_at_once(Widen *x, const Fields *f, unsigned n, LLVMValueRef *field) {
    LLVMValueRef v[2];
    unsigned at[64], parts = x->w * f->n / n;
    for (unsigned k = 0; k < parts; k++) v[k] = load_part(x, f, k * n, n);
    for (unsigned m = 0; m < f->n; m++) {
        for (unsigned i = 0; i < x->w; i++) at[i] = i * f->n + m;
        field[m] = choose(x, v, parts, at, x->w);
    }
}

static void load_fields(Widen *x, Fields *f) {
    LLVMValueRef v[MAX_FIELDS], field[MAX_FIELDS];
    unsigned part[64], at[64], n = elements_at_once(x, f);
    bool power = !(f->n & (f->n - 1));
    for (unsigned k = 0; k < f->n; k++) v[k] = f->vector[k] = load_part(x, f, k * x->w, x->w);
    if (n) load_at_once(x, f, n, v);
    else if (power) deinterleave(x, v, f->n);
    for (unsigned m = 0; m < f->n; m++) {
        for (unsigned i = 0; i < x->w; i++) part[i] = (i * f->n + m) / x->w, at[i] = (i * f->n + m) % x->w;
        field[m] = power ? v[m] : pick(x, v, f->n, part, at);
        if (f->member[m])
            set_wide(x, f->member[m],
                     LLVMBuildBitCast(x->b, field[m], LLVMVectorType(accessed_type(f->member[m]), x->w), ""));
    }
}

/* The fields as vectors of integers. */
static void to_be_stored(Widen *x, const Fields *f, LLVMValueRef *v) {
    LLVMTypeRef vt = elements(x, f, x->w);
    for (unsigned m = 0; m < f->n; m++)
        v[m] = f->member[m] ? LLVMBuildBitCast(x->b, vector_of(x, LLVMGetOperand(f->member[m], 0)), vt, "")
                            : LLVMGetPoison(vt);
}

/* The only field, at its indices: interleaved with poison, its lanes would get there in log n steps instead of one. */
static bool spread_single(Widen *x, const Fields *f, LLVMValueRef *v) {
    unsigned single = f->n, count = 0;
    for (unsigned m = 0; m < f->n; m++)
        if (f->member[m]) single = m, count++;
    if (count != 1) return false;
    LLVMValueRef field = v[single], idx[64];
    for (unsigned k = 0; k < f->n; k++) {
        for (unsigned i = 0; i < x->w; i++)
            idx[i] = (k * x->w + i) % f->n == single ? c32(x, (k * x->w + i) / f->n) : LLVMGetPoison(x->i32);
        v[k] = LLVMBuildShuffleVector(x->b, field, LLVMGetPoison(LLVMTypeOf(field)), LLVMConstVector(idx, x->w), "");
    }
    return true;
}

static void store_fields(Widen *x, const Fields *f) {
    LLVMValueRef v[MAX_FIELDS];
    unsigned part[64], at[64];
    bool packed = pack_fields(x, f, v), power = !(f->n & (f->n - 1));
    if (!packed) to_be_stored(x, f, v), packed = spread_single(x, f, v);
    if (!packed && power) interleave_fields(x, v, f->n);
    for (unsigned k = 0; k < f->n; k++) {
        for (unsigned i = 0; i < x->w; i++) part[i] = (k * x->w + i) % f->n, at[i] = (k * x->w + i) / f->n;
        store_part(x, f, packed || power ? v[k] : pick(x, v, f->n, part, at), k * x->w, x->w);
    }
}

bool widen_fields(Widen *x, LLVMValueRef i) {
    Fields *f = map_ptr(&x->fields, i);
    if (!f) return false;
    note(x, i, DID_STRIDED, REMARK_NONE);
    if (LLVMIsAStoreInst(i)) vec_push(x->a, &x->dead, i);
    if (f->here != i) return true;
    if (LLVMIsAStoreInst(i)) store_fields(x, f);
    else load_fields(x, f);
    return true;
}
