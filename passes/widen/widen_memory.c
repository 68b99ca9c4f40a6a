/* widen_memory.c: loads, stores and local arrays of widen.
**
** By the shape of the address: uniform -> one scalar access (a store takes the last active lane's value, as the last of
** the lanes in order would leave it); consecutive lanes in consecutive elements -> vector load or store, reversed for a
** negative stride; a pattern known at compile time -> widen_pattern.c; an index of 32 bits that may wrap among the
** lanes -> widen_extended.c; anything else -> gather or scatter. Vector accesses have the block's mask; a scalar access
** under a mask that may be empty goes to scratch memory then, so that it neither faults nor writes. Without AVX-512 a
** row of shared memory that all lanes have used before, or of a local array, is stored whole under a mask, inactive
** lanes unchanged.
**
** Local arrays that are only accessed element by element are lane-interleaved: element i of lane l at (i*W + l), so
** that a uniform index is a contiguous access. Others are W consecutive objects. */
#include "cpu-runtime/abi.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/widen/widen.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH = 256, TILE_LANES = 4 /* at least */, NEAR = 4 /* elements */ };

typedef struct Array {
    LLVMValueRef memory; /* the new alloca */
    LLVMTypeRef element;
    uint64_t size; /* bytes of an element */
    bool interleaved;
} Array;

uint64_t bytes_of(const Widen *x, LLVMTypeRef t) { return LLVMABISizeOfType(x->k->m->dl, t); }

LLVMValueRef scratch(Widen *x) {
    if (!x->scratch) {
        x->scratch = entry_scratch(x->k->fn, LLVMArrayType2(x->i8, SCRATCH), "scratch");
        LLVMSetAlignment(x->scratch, 64);
    }
    return x->scratch;
}

LLVMValueRef safe_pointer(Widen *x, LLVMValueRef p) {
    if (!x->mask) return p;
    LLVMValueRef other = scratch(x);
    if (LLVMTypeOf(p) != LLVMTypeOf(other)) other = LLVMBuildAddrSpaceCast(x->b, other, LLVMTypeOf(p), "");
    return LLVMBuildSelect(x->b, any_lane(x), p, other, "safe");
}

/* ---- vector accesses ---- */

static void set_align(const Widen *x, LLVMValueRef call, unsigned arg, unsigned align) {
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, arg + 1, LLVMCreateEnumAttribute(x->ctx, kind, align));
}

LLVMValueRef load_vector(Widen *x, LLVMTypeRef vt, LLVMValueRef p, unsigned align, LLVMValueRef mask) {
    if (!mask) {
        LLVMValueRef v = LLVMBuildLoad2(x->b, vt, p, "");
        LLVMSetAlignment(v, align);
        return v;
    }
    LLVMValueRef args[3] = {p, mask, LLVMGetPoison(vt)};
    LLVMTypeRef over[2] = {vt, LLVMTypeOf(p)};
    LLVMValueRef v = call_intrinsic(x, "llvm.masked.load", over, 2, args, 3);
    set_align(x, v, 0, align);
    return v;
}

LLVMValueRef store_vector(Widen *x, LLVMValueRef v, LLVMValueRef p, unsigned align, LLVMValueRef mask) {
    if (!mask) {
        LLVMValueRef store = LLVMBuildStore(x->b, v, p);
        LLVMSetAlignment(store, align);
        return store;
    }
    LLVMValueRef args[3] = {v, p, mask};
    LLVMTypeRef over[2] = {LLVMTypeOf(v), LLVMTypeOf(p)};
    LLVMValueRef store = call_intrinsic(x, "llvm.masked.store", over, 2, args, 3);
    set_align(x, store, 1, align);
    return store;
}

/* Only AVX-512 masks stores at no cost; AVX2 does it for 32 and 64 bits, in 15 cycles (Zen 3) or more (Zen 4), and no
** load is forwarded from such a store. */
static bool masks_stores(const Widen *x, LLVMTypeRef t) {
    return shim_has_features(x->k->m->tm, bytes_of(x, t) < 4 ? "+avx512bw,+avx512vl" : "+avx512f,+avx512vl");
}

/* Inactive lanes keep their values: groups of a block run one after the other, so no other thread sees the intermediate
** state. */
static void store_blend(Widen *x, LLVMValueRef v, LLVMValueRef p, unsigned align, LLVMValueRef mask, bool of_group) {
    LLVMValueRef old = load_vector(x, LLVMTypeOf(v), p, align, NULL),
                 store = LLVMBuildStore(x->b, LLVMBuildSelect(x->b, mask, v, old, ""), p);
    LLVMSetAlignment(store, align);
    if (of_group) return;
    mark_undivided(old);
    mark_undivided(store);
}

/* A row from address `low` on; p: the address in the program. Shared memory that no lane may have used before is left
** to lower_masked: where no lane is active the address is undefined. */
/* Returns the store, NULL: there are several instructions. */
static LLVMValueRef store_row(Widen *x, LLVMValueRef v, LLVMValueRef p, LLVMValueRef low, unsigned align,
                              LLVMValueRef mask) {
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(v));
    bool shared = mask && is_shared(x, p), slow = mask && !masks_stores(x, t) && !pass_disabled(x->k->m, "blend_rows");
    if (shared && slow && address_is_valid(x, p)) {
        store_blend(x, v, low, align, mask, false);
        return NULL;
    }
    LLVMValueRef store = store_vector(x, v, low, align, mask);
    if (shared) mark_blendable(store);
    return store;
}

/* A row of a local array, of which each lane has separate elements. */
static void store_local(Widen *x, LLVMValueRef v, LLVMValueRef p, unsigned align) {
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(v));
    if (x->mask && !masks_stores(x, t) && !pass_disabled(x->k->m, "blend_rows"))
        store_blend(x, v, p, align, x->mask, true);
    else store_vector(x, v, p, align, x->mask);
}

bool is_shared(Widen *x, LLVMValueRef p) {
    if (!x->memory) x->memory = memory_spaces(x->a, x->k->fn);
    return spaces_of(x->memory, p) == SPACE_SHARED;
}

LLVMValueRef gather(Widen *x, LLVMTypeRef vt, LLVMValueRef p, unsigned align) {
    LLVMValueRef args[3] = {p, mask_or_all(x), LLVMGetPoison(vt)};
    LLVMTypeRef over[2] = {vt, LLVMTypeOf(p)};
    LLVMValueRef v = call_intrinsic(x, "llvm.masked.gather", over, 2, args, 3);
    set_align(x, v, 0, align);
    return v;
}

LLVMValueRef scatter(Widen *x, LLVMValueRef v, LLVMValueRef p, unsigned align) {
    LLVMValueRef args[3] = {v, p, mask_or_all(x)};
    LLVMTypeRef over[2] = {LLVMTypeOf(v), LLVMTypeOf(p)};
    LLVMValueRef call = call_intrinsic(x, "llvm.masked.scatter", over, 2, args, 3);
    set_align(x, call, 1, align);
    return call;
}

static LLVMValueRef reversed(Widen *x, LLVMValueRef v) {
    LLVMValueRef idx[64];
    for (unsigned i = 0; i < x->w; i++) idx[i] = c32(x, x->w - 1 - i);
    return LLVMBuildShuffleVector(x->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(idx, x->w), "");
}

LLVMValueRef byte_offset(Widen *x, LLVMValueRef p, int64_t bytes) {
    LLVMValueRef at = LLVMConstInt(x->i64, (uint64_t)bytes, 1);
    return LLVMBuildGEP2(x->b, x->i8, p, &at, 1, "");
}

/* ---- local arrays ---- */

/* Every offset that a GEP adds is a multiple of size. */
static bool gep_steps_by(const Widen *x, LLVMValueRef gep, uint64_t size) {
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
        LLVMValueRef idx = LLVMGetOperand(gep, (unsigned)k);
        if (k > 1) {
            if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
                unsigned f = (unsigned)LLVMConstIntGetZExtValue(idx);
                if (LLVMOffsetOfElement(x->k->m->dl, t, f) % size) return false;
                t = LLVMStructGetTypeAtIndex(t, f);
                continue;
            }
            t = LLVMGetElementType(t);
        }
        uint64_t step = bytes_of(x, t);
        if (LLVMIsAConstantInt(idx)) step *= (uint64_t)LLVMConstIntGetSExtValue(idx);
        if (step % size) return false;
    }
    return true;
}

static const char *intrinsic_name(LLVMValueRef call) {
    LLVMValueRef f = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(f) ? value_name(f) : "";
    return strncmp(name, "llvm.", 5) ? "" : name;
}

/* memset(array, ...) or memcpy(array, uniform memory) of constant length. */
static bool is_fill(const Widen *x, LLVMValueRef call, LLVMValueRef p) {
    const char *name = intrinsic_name(call);
    bool set = !strncmp(name, "llvm.memset", 11), copy = !strncmp(name, "llvm.memcpy", 11);
    if ((!set && !copy) || LLVMGetOperand(call, 0) != p || !LLVMIsAConstantInt(LLVMGetOperand(call, 2))) return false;
    if (copy && (LLVMGetOperand(call, 1) == p || !is_uniform(x, LLVMGetOperand(call, 1)))) return false;
    return LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2)) <= 4096;
}

/* The single type by which p and what is derived from it is accessed; false = not element-wise. */
static bool element_uses(const Widen *x, LLVMValueRef p, LLVMTypeRef *element, int depth) {
    if (depth > 16) return false;
    for_each_user(i, p) {
        LLVMTypeRef t = NULL;
        if (!LLVMIsAInstruction(i)) return false;
        if (LLVMIsAGetElementPtrInst(i)) {
            if (!element_uses(x, i, element, depth + 1)) return false;
        } else if (LLVMIsALoadInst(i)) {
            t = LLVMTypeOf(i);
        } else if (LLVMIsAStoreInst(i)) {
            if (LLVMGetOperand(i, 0) == p) return false;
            t = LLVMTypeOf(LLVMGetOperand(i, 0));
        } else if (!LLVMIsACallInst(i) || !(is_lifetime(i) || is_fill(x, i, p))) {
            return false;
        }
        if (!t) continue;
        if (*element && bytes_of(x, *element) != bytes_of(x, t)) return false;
        *element = t;
    }
    return true;
}

static bool steps_fit(const Widen *x, LLVMValueRef p, uint64_t size) {
    for_each_user(i, p) {
        if (LLVMIsAGetElementPtrInst(i) && (!gep_steps_by(x, i, size) || !steps_fit(x, i, size))) return false;
        if (LLVMIsACallInst(i) && is_fill(x, i, p) && LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2)) % size)
            return false;
    }
    return true;
}

static void plan_array(Widen *x, LLVMValueRef alloca) {
    Array *a = arena_alloc(x->a, sizeof *a);
    LLVMTypeRef t = LLVMGetAllocatedType(alloca);
    LLVMValueRef count = LLVMGetOperand(alloca, 0);
    if (!LLVMIsAConstantInt(count)) {
        refuse_at(x, alloca, NYI_INSTRUCTION);
        return;
    }
    uint64_t total = bytes_of(x, t) * LLVMConstIntGetZExtValue(count);
    a->interleaved = element_uses(x, alloca, &a->element, 0) && a->element;
    if (a->interleaved) {
        a->size = bytes_of(x, a->element);
        uint64_t s = a->size;
        a->interleaved = s && (s & (s - 1)) == 0 && s <= 8 && total % s == 0 && steps_fit(x, alloca, s);
    }
    LLVMTypeRef all = LLVMArrayType2(x->i8, total * x->w);
    a->memory = entry_alloca(x->k->fn, all, "local");
    LLVMSetAlignment(a->memory, 64);
    if (!a->interleaved) a->size = total;
    map_put(&x->arrays, alloca, (uintptr_t)a);
}

void find_arrays(Widen *x) {
    Vec(LLVMValueRef) all = {0};
    for_each_cfg_instruction(i, b, x->c)
        if (LLVMIsAAllocaInst(i) && !shapes_alloca_uniform(x->s, i)) vec_push(x->a, &all, i);
    for (int n = 0; n < all.n; n++) plan_array(x, all.v[n]);
}

static Array *array_of(const Widen *x, LLVMValueRef p, LLVMValueRef *root) {
    while (LLVMIsAGetElementPtrInst(p)) p = LLVMGetOperand(p, 0);
    *root = p;
    return LLVMIsAAllocaInst(p) ? map_ptr(&x->arrays, p) : NULL;
}

/* Byte offset of p from its alloca: scalar if the same in all lanes, else <W x i64>. */
static LLVMValueRef array_offset(Widen *x, LLVMValueRef p) {
    if (!LLVMIsAGetElementPtrInst(p)) return c64(x, 0);
    LLVMValueRef sum = array_offset(x, LLVMGetOperand(p, 0));
    LLVMTypeRef t = LLVMGetGEPSourceElementType(p), vt = LLVMVectorType(x->i64, x->w);
    for (int k = 1; k < LLVMGetNumOperands(p); k++) {
        LLVMValueRef idx = LLVMGetOperand(p, (unsigned)k), add;
        if (k > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned f = (unsigned)LLVMConstIntGetZExtValue(idx);
            add = c64(x, LLVMOffsetOfElement(x->k->m->dl, t, f));
            t = LLVMStructGetTypeAtIndex(t, f);
        } else {
            if (k > 1) t = LLVMGetElementType(t);
            bool same = is_uniform(x, idx);
            LLVMValueRef n = same ? scalar_of(x, idx) : vector_of(x, idx);
            n = LLVMBuildIntCast2(x->b, n, same ? x->i64 : vt, 1, "");
            LLVMValueRef size = c64(x, bytes_of(x, t));
            add = LLVMBuildMul(x->b, n, same ? size : splat(x, size), "");
        }
        bool vs = LLVMTypeOf(sum) == vt, va = LLVMTypeOf(add) == vt;
        if (vs && !va) add = splat(x, add);
        if (va && !vs) sum = splat(x, sum);
        sum = LLVMBuildAdd(x->b, sum, add, "");
    }
    return sum;
}

/* Address of lane-interleaved element(s): scalar = contiguous over the lanes, vector = one each. */
static LLVMValueRef array_address(Widen *x, const Array *a, LLVMValueRef p) {
    LLVMValueRef off = array_offset(x, p);
    LLVMTypeRef vt = LLVMVectorType(x->i64, x->w);
    LLVMValueRef w = c64(x, x->w);
    if (LLVMTypeOf(off) != vt) {
        /* inactive lanes may read their own element, but where all are inactive the index is undefined */
        if (x->mask && !LLVMIsConstant(off)) off = LLVMBuildSelect(x->b, any_lane(x), off, LLVMConstNull(x->i64), "");
        off = LLVMBuildMul(x->b, off, w, "");
        return LLVMBuildGEP2(x->b, x->i8, a->memory, &off, 1, "element");
    }
    LLVMValueRef lane = LLVMBuildMul(x->b, iota(x, x->i64), splat(x, c64(x, a->size)), "");
    off = LLVMBuildAdd(x->b, LLVMBuildMul(x->b, off, splat(x, w), ""), lane, "");
    return LLVMBuildGEP2(x->b, x->i8, a->memory, &off, 1, "element");
}

void widen_alloca(Widen *x, LLVMValueRef i) {
    Array *a = map_ptr(&x->arrays, i);
    if (!a) return;
    if (!a->interleaved) {
        LLVMValueRef lane = LLVMBuildMul(x->b, iota(x, x->i64), splat(x, c64(x, a->size)), "");
        map_put(&x->marked, i, 1);
        set_wide(x, i, LLVMBuildGEP2(x->b, x->i8, a->memory, &lane, 1, "local.lanes"));
        return;
    }
    vec_push(x->a, &x->dead, i);
}

bool array_memory_call(Widen *x, LLVMValueRef i) {
    LLVMValueRef p = LLVMGetOperand(i, 0), root;
    Array *a = array_of(x, p, &root);
    if (!a || !a->interleaved) return false;
    if (is_lifetime(i)) {
        vec_push(x->a, &x->dead, i);
        return true;
    }
    uint64_t n = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2)) / a->size;
    bool set = !strncmp(intrinsic_name(i), "llvm.memset", 11);
    LLVMTypeRef e = LLVMIntTypeInContext(x->ctx, (unsigned)a->size * 8), vt = LLVMVectorType(e, x->w);
    LLVMValueRef at = array_address(x, a, p);
    bool one = is_vector(at);
    for (uint64_t k = 0; k < n; k++) {
        LLVMValueRef v;
        if (set) {
            LLVMValueRef byte = LLVMBuildZExt(x->b, scalar_of(x, LLVMGetOperand(i, 1)), e, "");
            uint64_t ones = a->size == 8   ? 0x0101010101010101ULL
                            : a->size == 4 ? 0x01010101
                            : a->size == 2 ? 0x0101
                                           : 1;
            v = LLVMBuildMul(x->b, byte, LLVMConstInt(e, ones, 0), "");
        } else {
            LLVMValueRef from =
                safe_pointer(x, byte_offset(x, scalar_of(x, LLVMGetOperand(i, 1)), (int64_t)(k * a->size)));
            v = LLVMBuildLoad2(x->b, e, from, "");
            LLVMSetAlignment(v, 1);
        }
        v = LLVMBuildBitCast(x->b, splat(x, v), vt, "");
        LLVMValueRef to = byte_offset(x, at, (int64_t)(k * a->size * x->w));
        if (one) scatter(x, v, to, (unsigned)a->size);
        else store_vector(x, v, to, (unsigned)a->size, x->mask);
    }
    vec_push(x->a, &x->dead, i);
    return true;
}

/* ---- addresses that may be consecutive at run time ---- */

/* Computed from ids and uniform values alone: butterflies, bit tricks. Whether such lanes are consecutive often depends
** on a value known only at run time (a stride that is a power of two), and then it holds for many groups alike. For
** indices from memory the test is not profitable. */
static bool is_computed(const Widen *x, LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || is_uniform(x, v)) return true;
    if (depth > 12) return false;
    if (LLVMIsACallInst(v)) return name_of_call(v) >= NAME_TID_X && name_of_call(v) <= NAME_GLOBAL_X;
    if (!is_op(v, OP_INT_BINARY | OP_INT_CAST | OP_GEP | OP_FREEZE)) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_computed(x, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

static void branch_on_row(Widen *x, LLVMValueRef inst, LLVMValueRef row, Fork *f) {
    LLVMBasicBlockRef before = LLVMGetInstructionParent(inst);
    f->join = shim_split_block(inst, "joined");
    f->row = LLVMInsertBasicBlockInContext(x->ctx, f->join, "row");
    f->apart = LLVMInsertBasicBlockInContext(x->ctx, f->join, "apart");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(before);
    LLVMPositionBuilderBefore(x->b, jump);
    LLVMBuildCondBr(x->b, row, f->row, f->apart);
    LLVMInstructionEraseFromParent(jump);
    LLVMPositionBuilderAtEnd(x->b, f->row);
}

Fork fork_at(Widen *x, LLVMValueRef inst, LLVMValueRef row) {
    Fork f = {0};
    branch_on_row(x, inst, row, &f);
    return f;
}

/* Branches on "every active lane is at its address of a row that starts at lane 0"; the builder is in `row`. */
static Fork fork_on_row(Widen *x, LLVMValueRef inst, LLVMValueRef p, LLVMTypeRef t) {
    Fork f;
    LLVMTypeRef vi = LLVMVectorType(x->i64, x->w), vb = LLVMVectorType(x->i1, x->w);
    LLVMValueRef at = LLVMBuildFreeze(x->b, LLVMBuildPtrToInt(x->b, p, vi, ""), "");
    LLVMValueRef zero = LLVMBuildExtractElement(x->b, at, c32(x, 0), "");
    LLVMValueRef steps_of = LLVMBuildMul(x->b, iota(x, x->i64), splat(x, c64(x, bytes_of(x, t))), "");
    LLVMValueRef same = LLVMBuildICmp(x->b, LLVMIntEQ, at, LLVMBuildAdd(x->b, splat(x, zero), steps_of, ""), "");
    if (x->mask) same = LLVMBuildOr(x->b, same, LLVMBuildNot(x->b, x->mask, ""), "");
    LLVMValueRef row = call_intrinsic(x, "llvm.vector.reduce.and", &vb, 1, &same, 1);
    f.first = LLVMBuildIntToPtr(x->b, zero, LLVMGetElementType(LLVMTypeOf(p)), "row");
    branch_on_row(x, inst, row, &f);
    return f;
}

LLVMValueRef join_loads(Widen *x, LLVMValueRef inst, Fork *f, LLVMTypeRef vt, LLVMValueRef v[2]) {
    LLVMBuildBr(x->b, f->join);
    LLVMPositionBuilderBefore(x->b, inst);
    LLVMValueRef phi = LLVMBuildPhi(x->b, vt, "");
    LLVMAddIncoming(phi, v, (LLVMBasicBlockRef[]){f->row, f->apart}, 2);
    return phi;
}

static LLVMValueRef load_row_or_gather(Widen *x, LLVMValueRef inst, LLVMTypeRef vt, LLVMValueRef p, unsigned align) {
    Fork f = fork_on_row(x, inst, p, LLVMGetElementType(vt));
    LLVMValueRef v[2];
    v[0] = load_vector(x, vt, f.first, align, x->mask);
    LLVMBuildBr(x->b, f.join);
    LLVMPositionBuilderAtEnd(x->b, f.apart);
    v[1] = gather(x, vt, p, align);
    return join_loads(x, inst, &f, vt, v);
}

/* one: the address in the program; p: its vector. */
static void store_row_or_scatter(Widen *x, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef one, LLVMValueRef p,
                                 unsigned align) {
    Fork f = fork_on_row(x, inst, p, LLVMGetElementType(LLVMTypeOf(v)));
    store_row(x, v, one, f.first, align, x->mask);
    LLVMBuildBr(x->b, f.join);
    LLVMPositionBuilderAtEnd(x->b, f.apart);
    scatter(x, v, p, align);
    LLVMBuildBr(x->b, f.join);
    LLVMPositionBuilderBefore(x->b, inst);
}

bool may_be_row(const Widen *x, LLVMValueRef p) {
    if (x->k->layout == LAYOUT_GENERAL || pass_disabled(x->k->m, "row_test")) return false;
    return LLVMIsAGetElementPtrInst(p) && is_computed(x, p, 0);
}

/* ---- columns of a matrix ---- */

/* Rows of threads that run in lockstep can access them together (tile_accesses.c); *wraps: unless an index wraps. As
** access_shape. */
static bool is_column(Widen *x, LLVMValueRef p, LLVMTypeRef t, bool *wraps) {
    int64_t step, offset[64], size = (int64_t)bytes_of(x, t);
    Module *m = x->k->m;
    if (!m->opt->opt_level || m->opt->shuffle || pass_disabled(m, "unroll_and_jam") ||
        pass_disabled(m, "tile_accesses"))
        return false;
    if (x->k->layout == LAYOUT_GENERAL || x->w < TILE_LANES || is_shared(x, p)) return false;
    if ((int64_t)LLVMStoreSizeOfType(m->dl, t) != size) return false;
    bool apart = lane_stride(x, p, &step) ? llabs(step) > NEAR * size : lane_runs(x, p, offset) < NEAR;
    return apart && shapes_step_along_y(x->s, p, &step, wraps) && step == size;
}

static LLVMValueRef gather_column(Widen *x, LLVMTypeRef vt, LLVMValueRef p, unsigned align, bool wraps) {
    LLVMValueRef v = gather(x, vt, vector_of(x, p), align);
    mark_columns(v, wraps);
    return v;
}

/* ---- loads and stores ---- */

/* The step between the lanes' addresses, in elements of t: 0 uniform, 1 or -1, 99 any other. */
static int steps(Widen *x, LLVMValueRef p, LLVMTypeRef t) {
    int64_t stride, size = (int64_t)bytes_of(x, t);
    if (is_uniform(x, p)) return 0;
    if (!lane_stride(x, p, &stride)) return 99;
    if (stride == 0) return 0;
    if (LLVMStoreSizeOfType(x->k->m->dl, t) != (uint64_t)size || stride % size) return 99;
    int64_t n = stride / size;
    return n == 1 || n == -1 ? (int)n : 99;
}

static bool widenable_memory(Widen *x, LLVMValueRef i, LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: {
        unsigned n = LLVMGetIntTypeWidth(t);
        if (n >= 8 && n <= 64 && (n & (n - 1)) == 0) return true;
        break;
    }
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMPointerTypeKind: return true;
    default: break;
    }
    refuse_at(x, i, NYI_INSTRUCTION);
    return false;
}

static LLVMValueRef load_lanes(Widen *x, LLVMValueRef i, LLVMTypeRef t) {
    LLVMValueRef p = LLVMGetOperand(i, 0), root;
    LLVMTypeRef vt = LLVMVectorType(t, x->w);
    unsigned align = LLVMGetAlignment(i);
    Array *a = array_of(x, p, &root);
    if (a && a->interleaved) {
        LLVMValueRef at = array_address(x, a, p);
        bool each = is_vector(at);
        note(x, i, each ? DID_GATHER : DID_LOCAL, each ? REMARK_GATHER_LOCAL : REMARK_NONE);
        if (each) return gather(x, vt, at, (unsigned)a->size);
        return load_vector(x, vt, at, (unsigned)a->size, NULL); /* private memory: inactive lanes may read */
    }
    int step = steps(x, p, t);
    if (step == 1 || step == -1) note(x, i, DID_CONTIGUOUS, REMARK_NONE);
    if (step == 1) return load_vector(x, vt, scalar_of(x, p), align, x->mask);
    if (step == -1) {
        LLVMValueRef low = byte_offset(x, scalar_of(x, p), -(int64_t)(bytes_of(x, t) * (x->w - 1)));
        return reversed(x, load_vector(x, vt, low, align, x->mask ? reversed(x, x->mask) : NULL));
    }
    bool wraps;
    if (step == 99 && is_column(x, p, t, &wraps)) {
        note(x, i, DID_GATHER, REMARK_NONE);
        return gather_column(x, vt, p, align, wraps);
    }
    LLVMValueRef v = step == 99 ? load_extended(x, i, p, align) : NULL;
    if (v) return v;
    Did how = DID_GATHER;
    v = load_pattern(x, p, t, align, &how);
    LLVMValueRef runs = v ? NULL : load_extended_runs(x, i, p, align, &how);
    note(x, i, how, how == DID_GATHER ? REMARK_GATHER : REMARK_NONE);
    if (v || runs) return v ? v : runs;
    if (may_be_row(x, p)) return load_row_or_gather(x, i, vt, vector_of(x, p), align);
    return gather(x, vt, vector_of(x, p), align);
}

void widen_load(Widen *x, LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i);
    LLVMValueRef p = LLVMGetOperand(i, 0), root;
    Array *a = array_of(x, p, &root);
    if (widen_atomic128(x, i)) return;
    if (LLVMGetOrdering(i) > LLVMAtomicOrderingUnordered && is_wide(x, i) &&
        !is_uniform(x, p)) { /* elements of a vector are not torn */
        for_each_lane(x, i);
        return;
    }
    if (is_uniform(x, p) && !(a && a->interleaved)) {
        note(x, i, DID_UNIFORM, REMARK_NONE);
        LLVMSetOperand(i, 0, safe_pointer(x, scalar_of(x, p)));
        if (!is_wide(x, i)) return;
        LLVMPositionBuilderBefore(x->b, LLVMGetNextInstruction(i));
        map_put(&x->wide, i, (uintptr_t)splat(x, i)); /* the scalar load itself is kept */
        return;
    }
    if (is_wide(x, i) && (widen_fields(x, i) || widen_run(x, i))) return;
    if (!widenable_memory(x, i, t)) return;
    LLVMValueRef v = load_lanes(x, i, t);
    if (!is_wide(x, i)) { /* a uniform value at different addresses: take one */
        LLVMValueRef s = LLVMBuildExtractElement(x->b, v, x->mask ? first_lane(x) : c32(x, 0), "");
        LLVMReplaceAllUsesWith(i, s);
        vec_push(x->a, &x->dead, i);
        return;
    }
    set_wide(x, i, v);
}

/* The lane whose value remains where all store to one address: the last one, as if they ran one after the other. Of a
** whole warp it is the first one, as on a GPU (measured on an H200): with `y[row] = sum` by all lanes after shuffles
** only that one has the sum. */
static LLVMValueRef last_writer(Widen *x) {
    bool warp = fn_attr_int(x->k->fn, ATTR_FLAGS, 0) & CUCPU_KERNEL_WARP && (int)x->w == x->k->m->opt->warp_size;
    if (warp) return x->mask ? first_lane(x) : c32(x, 0);
    return x->mask ? last_lane(x) : c32(x, x->w - 1);
}

/* Keeps the mark of mark_streams. */
static void keep_stream(Widen *x, LLVMValueRef i, LLVMValueRef wide) {
    unsigned kind = LLVMGetMDKindIDInContext(x->ctx, MD_STREAM, sizeof MD_STREAM - 1);
    LLVMValueRef mark = LLVMGetMetadata(i, kind);
    if (mark && wide && LLVMIsAStoreInst(wide)) LLVMSetMetadata(wide, kind, mark);
}

void widen_store(Widen *x, LLVMValueRef i) {
    LLVMValueRef v = LLVMGetOperand(i, 0), p = LLVMGetOperand(i, 1), root;
    LLVMTypeRef t = LLVMTypeOf(v);
    unsigned align = LLVMGetAlignment(i);
    Array *a = array_of(x, p, &root);
    if (widen_atomic128(x, i)) return;
    if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic && !is_uniform(x, p)) {
        for_each_lane(x, i);
        return;
    }
    if (is_uniform(x, p) && !(a && a->interleaved)) {
        note(x, i, DID_UNIFORM, REMARK_NONE);
        if (!is_uniform(x, v)) {
            LLVMValueRef all = vector_of(x, v);
            v = LLVMBuildExtractElement(x->b, all, last_writer(x), "last");
        } else {
            v = scalar_of(x, v);
        }
        LLVMSetOperand(i, 0, v);
        LLVMSetOperand(i, 1, safe_pointer(x, scalar_of(x, p)));
        return;
    }
    if (widen_fields(x, i) || widen_run(x, i)) return;
    if (!widenable_memory(x, i, t)) return;
    LLVMValueRef all = vector_of(x, v);
    vec_push(x->a, &x->dead, i);
    if (a && a->interleaved) {
        LLVMValueRef at = array_address(x, a, p);
        bool each = is_vector(at);
        note(x, i, each ? DID_GATHER : DID_LOCAL, each ? REMARK_SCATTER_LOCAL : REMARK_NONE);
        if (each) scatter(x, all, at, (unsigned)a->size);
        else store_local(x, all, at, (unsigned)a->size);
        return;
    }
    int step = steps(x, p, t);
    bool wraps;
    if (step == 99 && is_column(x, p, t, &wraps)) {
        note(x, i, DID_GATHER, REMARK_NONE);
        mark_columns(scatter(x, all, vector_of(x, p), align), wraps);
        return;
    }
    if (step == 99 && store_extended(x, i, all, p, align)) return;
    Did how = step == 1 || step == -1 ? DID_CONTIGUOUS : DID_GATHER;
    bool done = how == DID_GATHER &&
                (store_pattern(x, all, p, t, align, &how) || store_extended_runs(x, i, all, p, align, &how));
    note(x, i, how, how == DID_GATHER ? REMARK_SCATTER : REMARK_NONE);
    if (done) return;
    if (step == 1) keep_stream(x, i, store_row(x, all, p, scalar_of(x, p), align, x->mask));
    else if (step == -1)
        store_row(x, reversed(x, all), p, byte_offset(x, scalar_of(x, p), -(int64_t)(bytes_of(x, t) * (x->w - 1))),
                  align, x->mask ? reversed(x, x->mask) : NULL);
    else if (may_be_row(x, p)) store_row_or_scatter(x, i, all, p, vector_of(x, p), align);
    else if (!store_at_ranks(x, i, all, p, align)) scatter(x, all, vector_of(x, p), align);
}
