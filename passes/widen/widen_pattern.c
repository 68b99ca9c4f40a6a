/* widen_pattern.c: loads and stores whose lanes have a pattern known at compile time.
**
** Lane i's address is lane 0's plus a constant (butterflies, bit tricks, small strides):
**   window   all lanes within a few vectors: the vectors are loaded and shuffled; in shared memory a
**            store loads the window, inserts the lanes and stores it: groups of a block run one
**            after the other, so no other thread sees the intermediate state
**   runs     consecutive lanes in consecutive elements, up to eight runs of four or more: a shorter vector for each
**   apart    a gather or scatter whose index is a constant vector
** Lanes whose runs are at any address (addresses of a tile's rows): one short vector per run.
**
** Windows of shared memory start, if that does not add any, at multiples of the vector from the address without its
** constant part: s[i] and s[i + 8] share them, and LLVM sees one load and one store for both. They may extend beyond
** the shared memory: the runtime keeps CUCPU_SHARED_SLACK bytes around it, which also makes inactive lanes harmless as
** long as one is active. Elsewhere a window is exact and needs all lanes. */
#include "cpu-runtime/abi.h"
#include "passes/ir/edit.h"
#include "passes/widen/widen.h"
#include "passes/ir/shim.h"
#include <string.h>

enum { MIN_RUN = 4, MAX_RUNS = 8 };

typedef struct Window {
    LLVMValueRef base;         /* scalar address */
    int64_t start[MAX_PARTS];  /* of each vector, elements from base */
    unsigned n, lanes;         /* vectors, and elements in each */
    unsigned part[64], at[64]; /* where each lane is */
} Window;

/* ---- addresses ---- */

/* The address without constant parts that are multiples of size. */
static LLVMValueRef strip(const Widen *x, LLVMValueRef p, int64_t size, int64_t *bytes) {
    int64_t more, seen[64];
    *bytes = 0;
    while (LLVMIsAGetElementPtrInst(p) && shim_gep_offset(x->k->m->dl, p, &more) && more % size == 0 &&
           lane_runs(x, LLVMGetOperand(p, 0), seen) == (int)x->w) {
        *bytes += more;
        p = LLVMGetOperand(p, 0);
    }
    return p;
}

static int64_t floor_to(int64_t v, int64_t step) { return (v >= 0 ? v : v - step + 1) / step * step; }

static void extent(const Widen *x, const int64_t *at, int64_t *low, int64_t *high) {
    *low = *high = at[0];
    for (unsigned i = 1; i < x->w; i++) {
        if (at[i] < *low) *low = at[i];
        if (at[i] > *high) *high = at[i];
    }
}

static void assign_lanes(const Widen *x, Window *w, const int64_t *at) {
    for (unsigned i = 0; i < x->w; i++)
        for (unsigned k = 0; k < w->n; k++)
            if (at[i] >= w->start[k] && at[i] < w->start[k] + w->lanes) {
                w->part[i] = k;
                w->at[i] = (unsigned)(at[i] - w->start[k]);
                break;
            }
}

/* Vectors that start at multiples of W elements from the bare address if possible. */
static bool shared_window(Widen *x, LLVMValueRef p, LLVMTypeRef t, const int64_t *bytes, Window *w) {
    int64_t size = (int64_t)bytes_of(x, t), add, at[64] = {0}, low, high;
    LLVMValueRef bare = strip(x, p, size, &add);
    for (unsigned i = 0; i < x->w; i++) at[i] = (bytes[i] + add) / size;
    extent(x, at, &low, &high);
    int64_t n = (high - low) / x->w + 1, shared = floor_to(low, x->w);
    if ((high - shared) / x->w + 1 == n) low = shared; /* costs no further vector */
    if (n > MAX_PARTS || n * x->w * size > CUCPU_SHARED_SLACK) return false;
    w->n = (unsigned)n;
    w->lanes = x->w;
    for (unsigned k = 0; k < w->n; k++) w->start[k] = low + k * x->w;
    assign_lanes(x, w, at);
    w->base = scalar_of(x, bare);
    return true;
}

/* Vectors that cover exactly the elements from the lowest lane's to the highest's. */
static bool exact_window(Widen *x, LLVMValueRef p, LLVMTypeRef t, const int64_t *bytes, Window *w) {
    int64_t size = (int64_t)bytes_of(x, t), at[64] = {0}, low, high;
    for (unsigned i = 0; i < x->w; i++) at[i] = bytes[i] / size;
    extent(x, at, &low, &high);
    int64_t span = high - low + 1;
    w->lanes = x->w;
    while (w->lanes > span) w->lanes /= 2;
    int64_t n = (span + w->lanes - 1) / w->lanes;
    if (n > MAX_PARTS) return false;
    w->n = (unsigned)n;
    for (unsigned k = 0; k < w->n; k++) w->start[k] = k + 1 < w->n ? low + k * w->lanes : high + 1 - w->lanes;
    assign_lanes(x, w, at);
    w->base = scalar_of(x, p);
    return true;
}

static LLVMValueRef part_address(Widen *x, const Window *w, unsigned k, LLVMTypeRef t) {
    return byte_offset(x, w->base, w->start[k] * (int64_t)bytes_of(x, t));
}

/* ---- windows ---- */

/* Of any element: lane 0's address may be known to be better aligned than its neighbours. */
static unsigned element_align(const Widen *x, LLVMTypeRef t, unsigned align) {
    return align < bytes_of(x, t) ? align : (unsigned)bytes_of(x, t);
}

/* The lanes whose elements are in vectors k and k + 1, in lane order. */
static LLVMValueRef pick_two(Widen *x, const Window *w, LLVMValueRef *v, unsigned k) {
    int idx[64];
    for (unsigned i = 0; i < x->w; i++)
        idx[i] = w->part[i] == k ? (int)w->at[i] : w->part[i] == k + 1 ? (int)(w->lanes + w->at[i]) : -1;
    return build_shuffle(x->b, v[k], k + 1 < w->n ? v[k + 1] : NULL, idx, x->w);
}

static LLVMValueRef pick_lanes(Widen *x, const Window *w, LLVMValueRef *v) {
    LLVMValueRef low = pick_two(x, w, v, 0);
    if (w->n <= 2) return low;
    int idx[64];
    for (unsigned i = 0; i < x->w; i++) idx[i] = w->part[i] < 2 ? (int)i : (int)(x->w + i);
    return build_shuffle(x->b, low, pick_two(x, w, v, 2), idx, x->w);
}

static void load_parts(Widen *x, const Window *w, LLVMTypeRef t, unsigned align, LLVMValueRef *v) {
    LLVMTypeRef vt = LLVMVectorType(t, w->lanes);
    for (unsigned k = 0; k < w->n; k++) v[k] = load_vector(x, vt, part_address(x, w, k, t), align, NULL);
}

/* Some lane is active, or all lanes may use the address: else the arena's start is used. */
static void secure(Widen *x, Window *w, LLVMValueRef p) {
    if (!x->mask || address_is_valid(x, p)) return;
    LLVMValueRef arena = name_call(x->b, x->mod, NAME_SHARED, NULL, 0, "");
    if (LLVMTypeOf(arena) != LLVMTypeOf(w->base)) arena = LLVMBuildAddrSpaceCast(x->b, arena, LLVMTypeOf(w->base), "");
    w->base = LLVMBuildSelect(x->b, any_lane(x), w->base, arena, "safe");
}

/* Inserts the lanes into the vectors of their window; the last lane wins. */
static void store_parts(Widen *x, const Window *w, LLVMTypeRef t, LLVMValueRef v, LLVMValueRef *old, unsigned align) {
    for (unsigned k = 0; k < w->n; k++) {
        int idx[64];
        bool any = false, all = true;
        for (unsigned j = 0; j < x->w; j++) idx[j] = -1;
        for (unsigned i = 0; i < x->w; i++)
            if (w->part[i] == k) idx[w->at[i]] = (int)i;
        for (unsigned j = 0; j < x->w; j++) {
            any |= idx[j] >= 0;
            all &= idx[j] >= 0;
            if (idx[j] < 0) idx[j] = (int)(x->w + j);
        }
        if (!any) continue;
        LLVMValueRef p = part_address(x, w, k, t);
        if (!all && !old[k]) old[k] = load_vector(x, LLVMVectorType(t, x->w), p, align, NULL);
        LLVMValueRef now = build_shuffle(x->b, v, old[k] ? old[k] : LLVMGetPoison(LLVMTypeOf(v)), idx, x->w);
        LLVMValueRef store = LLVMBuildStore(x->b, now, p);
        LLVMSetAlignment(store, align);
        if (old[k]) mark_undivided(store);
    }
}

static bool distinct(const Widen *x, const int64_t *at) {
    for (unsigned i = 0; i < x->w; i++)
        for (unsigned j = 0; j < i; j++)
            if (at[i] == at[j]) return false;
    return true;
}

static bool store_window(Widen *x, LLVMValueRef v, LLVMValueRef p, LLVMTypeRef t, const int64_t *at, unsigned align) {
    Window w;
    LLVMValueRef old[MAX_PARTS] = {0};
    align = element_align(x, t, align);
    if (!is_shared(x, p) || (x->mask && !distinct(x, at)) || !shared_window(x, p, t, at, &w)) return false;
    if (x->mask) {
        secure(x, &w, p);
        load_parts(x, &w, t, align, old);
        v = LLVMBuildSelect(x->b, x->mask, v, pick_lanes(x, &w, old), "");
    }
    store_parts(x, &w, t, v, old, align);
    return true;
}

static LLVMValueRef load_window(Widen *x, LLVMValueRef p, LLVMTypeRef t, const int64_t *at, unsigned align) {
    Window w;
    LLVMValueRef v[MAX_PARTS];
    if (is_shared(x, p) && shared_window(x, p, t, at, &w)) secure(x, &w, p);
    else if (x->mask || !exact_window(x, p, t, at, &w)) return NULL;
    load_parts(x, &w, t, element_align(x, t, align), v);
    return pick_lanes(x, &w, v);
}

/* ---- runs of consecutive lanes ---- */

/* Lanes per run where all runs are equally long and each is consecutive; 0 = no such runs. */
unsigned run_length(const Widen *x, const int64_t *at, unsigned maximum, int64_t size) {
    for (unsigned r = maximum; r >= MIN_RUN && x->w / r <= MAX_RUNS; r /= 2) {
        bool good = true;
        for (unsigned i = 0; i < x->w; i++) good &= i % r == 0 || at[i] == at[i - 1] + size;
        if (good) return r;
    }
    return 0;
}

LLVMValueRef load_runs(Widen *x, LLVMTypeRef t, const LLVMValueRef *first, unsigned r, unsigned align) {
    LLVMValueRef v[64];
    unsigned n = x->w / r, lanes = r;
    for (unsigned k = 0; k < n; k++)
        v[k] = load_vector(x, LLVMVectorType(t, r), first[k * r], align, lanes_from(x, x->mask, k * r, r));
    for (; n > 1; n /= 2, lanes *= 2) {
        int idx[64];
        for (unsigned i = 0; i < 2 * lanes; i++) idx[i] = (int)i;
        for (unsigned k = 0; k < n / 2; k++) v[k] = build_shuffle(x->b, v[2 * k], v[2 * k + 1], idx, 2 * lanes);
    }
    return v[0];
}

void store_runs(Widen *x, LLVMValueRef v, const LLVMValueRef *first, unsigned r, unsigned align) {
    for (unsigned k = 0; k < x->w; k += r)
        store_vector(x, lanes_from(x, v, k, r), first[k], align, lanes_from(x, x->mask, k, r));
}

/* For a run of each r lanes: from the scalar address, or extracted from the vector of all. */
static void first_addresses(Widen *x, LLVMValueRef p, const int64_t *at, bool scalar, unsigned r, LLVMValueRef *first) {
    LLVMValueRef one = scalar ? scalar_of(x, p) : NULL,
                 all = scalar ? NULL : firsts_of_runs(x, p, vector_of(x, p), at, r);
    for (unsigned k = 0; k < x->w; k += r)
        first[k] = scalar ? byte_offset(x, one, at[k]) : LLVMBuildExtractElement(x->b, all, c32(x, k), "run");
}

/* ---- the choice ---- */

static bool fits(const Widen *x, LLVMTypeRef t, const int64_t *at) {
    int64_t size = (int64_t)bytes_of(x, t);
    if (LLVMStoreSizeOfType(x->k->m->dl, t) != (uint64_t)size) return false;
    for (unsigned i = 0; i < x->w; i++)
        if (at[i] % size) return false;
    return true;
}

/* Addresses with a scalar base and a constant index, which gathers and scatters accept. */
static LLVMValueRef apart(Widen *x, LLVMValueRef p, LLVMTypeRef t, const int64_t *at) {
    LLVMValueRef idx[64];
    for (unsigned i = 0; i < x->w; i++) idx[i] = LLVMConstInt(x->i64, (uint64_t)(at[i] / (int64_t)bytes_of(x, t)), 1);
    LLVMValueRef v = LLVMConstVector(idx, x->w);
    return LLVMBuildGEP2(x->b, t, scalar_of(x, p), &v, 1, "");
}

LLVMValueRef load_pattern(Widen *x, LLVMValueRef p, LLVMTypeRef t, unsigned align, Did *how) {
    int64_t at[64];
    unsigned run = (unsigned)lane_runs(x, p, at), r;
    if (!run || !fits(x, t, at)) return NULL;
    *how = DID_STRIDED;
    bool scalar = run == x->w;
    LLVMValueRef v = scalar ? load_window(x, p, t, at, align) : NULL, first[64];
    if (v) return v;
    if ((r = run_length(x, at, run, (int64_t)bytes_of(x, t)))) {
        first_addresses(x, p, at, scalar, r, first);
        return load_runs(x, t, first, r, align);
    }
    *how = DID_GATHER;
    return scalar ? gather(x, LLVMVectorType(t, x->w), apart(x, p, t, at), align) : NULL;
}

bool store_pattern(Widen *x, LLVMValueRef v, LLVMValueRef p, LLVMTypeRef t, unsigned align, Did *how) {
    int64_t at[64];
    unsigned run = (unsigned)lane_runs(x, p, at), r;
    if (!run || !fits(x, t, at)) return false;
    *how = DID_STRIDED;
    bool scalar = run == x->w;
    if (scalar && store_window(x, v, p, t, at, align)) return true;
    if ((r = run_length(x, at, run, (int64_t)bytes_of(x, t)))) {
        LLVMValueRef first[64];
        first_addresses(x, p, at, scalar, r, first);
        store_runs(x, v, first, r, align);
        return true;
    }
    *how = DID_GATHER;
    if (!scalar) return false;
    scatter(x, v, apart(x, p, t, at), align);
    return true;
}
