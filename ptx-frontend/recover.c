/* recover.c: registers become values, and integers that are addresses become pointers again.
**
** PTX computes addresses as integers: inttoptr (ptrtoint p + i*4 + 8).  Of each address the sum is taken apart; where
** exactly one term is a pointer, the address is a getelementptr off it: analyses see the object, and a local array
** whose address never becomes anything else does not escape. Addresses that loops carry as integers become phis of
** pointers first. Addresses in shared memory are relative to the block's memory: the marker PTX_SHARED_OFFSET(p) of a
** variable p and the call of cucpu.shared represent the pointers there; markers that are left become a difference. Only
** `sroa` runs before: no pass may see a shift or division whose GPU
** result import_nvvm has not yet fixed. */
#include "passes/ir/names.h"
#include "ptx-frontend/lower.h"
#include <llvm-c/Transforms/PassBuilder.h>

enum { MAX_TERMS = 24, MAX_WALK = 16, FAR = 1 << 24 };

typedef struct Sum {
    LLVMValueRef term[MAX_TERMS];
    bool minus[MAX_TERMS];
    int n, shared;        /* how often the base of shared memory is in it */
    LLVMValueRef pointer; /* the only pointer in it, or NULL */
    bool pointer_is_offset, several, narrow;
} Sum;

typedef struct Recover {
    LLVMModuleRef m;
    LLVMContextRef ctx;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i32, i64;
    Arena arena;
    PtrMap phis; /* of i64 that are addresses -> the phi of pointers */
    Vec(LLVMValueRef) all;
} Recover;

static bool is_call_of(LLVMValueRef v, const char *name) {
    size_t len;
    if (!LLVMIsACallInst(v)) return false;
    LLVMValueRef f = LLVMGetCalledValue(v);
    return LLVMIsAFunction(f) && !strcmp(LLVMGetValueName2(f, &len), name);
}

static bool is_shared_base(LLVMValueRef p) { return name_of_call(p) == NAME_SHARED; }

static LLVMValueRef pointer_of(LLVMValueRef v) {
    if (LLVMIsAPtrToIntInst(v)) return LLVMGetOperand(v, 0);
    return LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt ? LLVMGetOperand(v, 0) : NULL;
}

static void add_pointer(Sum *s, LLVMValueRef p, bool is_offset) {
    s->several |= s->pointer != NULL;
    s->pointer = p;
    s->pointer_is_offset = is_offset;
}

static void add_term(Sum *s, LLVMValueRef v, bool minus, int depth) {
    if (depth < MAX_WALK && LLVMIsABinaryOperator(v)) {
        LLVMOpcode op = LLVMGetInstructionOpcode(v);
        if (op == LLVMAdd || op == LLVMSub) {
            add_term(s, LLVMGetOperand(v, 0), minus, depth + 1);
            add_term(s, LLVMGetOperand(v, 1), minus ^ (op == LLVMSub), depth + 1);
            return;
        }
    }
    LLVMValueRef p = pointer_of(v), marker = s->narrow && LLVMIsATruncInst(v) ? LLVMGetOperand(v, 0) : v;
    if (p && is_shared_base(p)) {
        s->shared += minus ? -1 : 1;
    } else if (p && !minus && !s->narrow) {
        add_pointer(s, p, false);
    } else if (!minus && is_call_of(marker, PTX_SHARED_OFFSET)) {
        add_pointer(s, LLVMGetOperand(marker, 0), true);
    } else if (s->n < MAX_TERMS) {
        s->term[s->n] = v;
        s->minus[s->n++] = minus;
    } else {
        s->several = true;
    }
}

static LLVMValueRef sum_of_terms(Recover *r, const Sum *s) {
    LLVMValueRef sum = NULL;
    for (int i = 0; i < s->n; i++) {
        LLVMValueRef t = s->term[i];
        if (!sum) sum = s->minus[i] ? LLVMBuildNeg(r->b, t, "") : t;
        else sum = s->minus[i] ? LLVMBuildSub(r->b, sum, t, "") : LLVMBuildAdd(r->b, sum, t, "");
    }
    return sum;
}

/* The pointer that the terms are added to, in any address space; NULL: not known. */
static LLVMValueRef root_of(Recover *r, const Sum *s, bool shared) {
    if (s->several) return NULL;
    if (shared) return s->pointer_is_offset && !s->shared ? s->pointer : NULL;
    if (s->pointer && s->pointer_is_offset) return s->shared == 1 ? s->pointer : NULL;
    if (s->pointer) return s->shared ? NULL : s->pointer;
    return s->shared == 1 ? name_call(r->b, r->m, NAME_SHARED, NULL, 0, "") : NULL;
}

static LLVMValueRef into(Recover *r, LLVMValueRef p, LLVMTypeRef to) {
    if (LLVMTypeOf(p) == to) return p;
    unsigned a = LLVMGetPointerAddressSpace(LLVMTypeOf(p)), b = LLVMGetPointerAddressSpace(to);
    if (a && b) p = LLVMBuildAddrSpaceCast(r->b, p, LLVMPointerTypeInContext(r->ctx, 0), "");
    return LLVMBuildAddrSpaceCast(r->b, p, to, "");
}

/* ---- subscripts ----
**
** x * size, where size is 2 to 16, is a subscript of elements of that size, as C++ writes it. Constants come last, as
** for the fields of a structure: neighbouring accesses have an address in common.  PTX does not imply that a sum does
** not wrap or is inside of an object: what follows from the accesses of neighbouring threads is derived from ATTR_SUMS
** (shapes_transfer.c). */

static LLVMValueRef subscript(LLVMValueRef term, uint64_t *size) {
    if (!LLVMIsABinaryOperator(term)) return NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(term);
    LLVMValueRef by = LLVMGetOperand(term, 1);
    if ((op != LLVMMul && op != LLVMShl) || !LLVMIsAConstantInt(by)) return NULL;
    uint64_t n = LLVMConstIntGetZExtValue(by);
    *size = op == LLVMMul ? n : n < 5 ? 1ull << n : 0;
    return *size >= 2 && *size <= 16 ? LLVMGetOperand(term, 0) : NULL;
}

static LLVMValueRef add_one(Recover *r, LLVMValueRef p, LLVMValueRef term, bool minus) {
    uint64_t size;
    LLVMValueRef x = subscript(term, &size);
    LLVMTypeRef element = x ? LLVMArrayType2(r->i8, size) : r->i8;
    if (!x) x = term;
    if (minus) x = LLVMBuildNeg(r->b, x, "");
    return LLVMBuildGEP2(r->b, element, p, &x, 1, "");
}

/* In 32 bits sums may wrap. Where the whole sum is an address in shared memory, though, it does not without a few small
** constants either. */
static LLVMValueRef add_narrow(Recover *r, const Sum *all, LLVMValueRef p) {
    Sum s = *all;
    int64_t constant = 0;
    s.n = 0;
    for (int i = 0; i < all->n; i++) {
        int64_t c = LLVMIsAConstantInt(all->term[i]) ? LLVMConstIntGetSExtValue(all->term[i]) : 0;
        if (LLVMIsAConstantInt(all->term[i]) && c > -FAR && c < FAR) {
            constant += all->minus[i] ? -c : c;
            continue;
        }
        s.term[s.n] = all->term[i];
        s.minus[s.n++] = all->minus[i];
    }
    LLVMValueRef rest = sum_of_terms(r, &s), c = LLVMConstInt(r->i64, (uint64_t)constant, 1);
    if (rest) rest = LLVMBuildSExt(r->b, rest, r->i64, "");
    if (rest) p = LLVMBuildGEP2(r->b, r->i8, p, &rest, 1, "");
    return constant ? LLVMBuildGEP2(r->b, r->i8, p, &c, 1, "") : p;
}

/* p plus the terms. */
static LLVMValueRef add_terms(Recover *r, const Sum *s, LLVMValueRef p) {
    LLVMValueRef rest;
    int64_t constant = 0;
    if (s->narrow) return add_narrow(r, s, p);
    for (int i = 0; i < s->n; i++) {
        if (!LLVMIsAConstantInt(s->term[i])) p = add_one(r, p, s->term[i], s->minus[i]);
        else constant += s->minus[i] ? -LLVMConstIntGetSExtValue(s->term[i]) : LLVMConstIntGetSExtValue(s->term[i]);
    }
    rest = LLVMConstInt(r->i64, (uint64_t)constant, 1);
    return constant ? LLVMBuildGEP2(r->b, r->i8, p, &rest, 1, "") : p;
}

/* Shared memory has less than 2^31 bytes: where an address is not known to be one of a variable, its integer may be
** extended with a sign. */
static void sign_extend(Recover *r, LLVMValueRef gep, LLVMValueRef number) {
    LLVMSetOperand(gep, 1, LLVMBuildSExt(r->b, number, r->i64, ""));
}

static void replace(Recover *r, LLVMValueRef i, LLVMValueRef address, bool shared) {
    Sum s = {0};
    if (shared && LLVMIsAZExtInst(address) && LLVMTypeOf(LLVMGetOperand(address, 0)) == r->i32) {
        s.narrow = true;
        address = LLVMGetOperand(address, 0);
    }
    add_term(&s, address, false, 0);
    LLVMPositionBuilderBefore(r->b, i);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef p = root_of(r, &s, shared);
    if (!p && s.narrow) sign_extend(r, i, address);
    if (!p) return;
    LLVMReplaceAllUsesWith(i, add_terms(r, &s, into(r, p, LLVMTypeOf(i))));
    LLVMInstructionEraseFromParent(i);
}

/* gep i8, (addrspacecast cucpu.shared()), x of lower_memory.c */
static bool is_shared_access(LLVMValueRef i) {
    if (!LLVMIsAGetElementPtrInst(i) || LLVMGetNumIndices(i) != 1) return false;
    LLVMValueRef base = LLVMGetOperand(i, 0);
    return LLVMIsAAddrSpaceCastInst(base) && is_shared_base(LLVMGetOperand(base, 0));
}

static void replace_marker(Recover *r, LLVMValueRef call) {
    LLVMPositionBuilderBefore(r->b, call);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef p = into(r, LLVMGetOperand(call, 0), LLVMPointerTypeInContext(r->ctx, 0));
    LLVMValueRef base = name_call(r->b, r->m, NAME_SHARED, NULL, 0, "");
    LLVMValueRef d =
        LLVMBuildSub(r->b, LLVMBuildPtrToInt(r->b, p, r->i64, ""), LLVMBuildPtrToInt(r->b, base, r->i64, ""), "");
    LLVMReplaceAllUsesWith(call, d);
    LLVMInstructionEraseFromParent(call);
}

static void each_instruction(Recover *r, LLVMValueRef fn, void (*f)(Recover *, LLVMValueRef)) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            f(r, i);
        }
}

static void recover_one(Recover *r, LLVMValueRef i) {
    if (LLVMIsAIntToPtrInst(i)) replace(r, i, LLVMGetOperand(i, 0), false);
    else if (is_shared_access(i)) replace(r, i, LLVMGetOperand(i, 1), true);
}

/* ---- generic pointers ----
**
** clang knows spaces of variables only: pointers are generic, and analyses derive from their origin what they may point
** to.  So here for what comes from a parameter or a variable; of other addresses the space of the instruction is
** kept. */

static LLVMValueRef as_generic(Recover *r, LLVMValueRef p, int depth) {
    LLVMTypeRef generic = LLVMPointerTypeInContext(r->ctx, 0);
    if (LLVMTypeOf(p) == generic) return p;
    if (LLVMIsAGlobalVariable(p)) return LLVMConstAddrSpaceCast(p, generic);
    if (LLVMIsAAddrSpaceCastInst(p)) return LLVMTypeOf(LLVMGetOperand(p, 0)) == generic ? LLVMGetOperand(p, 0) : NULL;
    if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2 || depth == MAX_WALK) return NULL;
    LLVMValueRef base = as_generic(r, LLVMGetOperand(p, 0), depth + 1), index = LLVMGetOperand(p, 1), q;
    if (!base) return NULL;
    LLVMPositionBuilderBefore(r->b, p);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(p));
    q = LLVMBuildGEP2(r->b, LLVMGetGEPSourceElementType(p), base, &index, 1, "");
    if (LLVMIsAInstruction(q)) LLVMGEPSetNoWrapFlags(q, LLVMGEPGetNoWrapFlags(p));
    return q;
}

static void access_one(Recover *r, LLVMValueRef i) {
    int k = LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ? 0
            : LLVMIsAStoreInst(i)                                                        ? 1
                                                                                         : -1;
    LLVMValueRef p = k < 0 ? NULL : as_generic(r, LLVMGetOperand(i, (unsigned)k), 0);
    if (p) LLVMSetOperand(i, (unsigned)k, p);
}

static void expand_one(Recover *r, LLVMValueRef i) {
    if (is_call_of(i, PTX_SHARED_OFFSET)) replace_marker(r, i);
}

/* ---- addresses that loops carry ----
**
** A phi of integers whose values are each a pointer, or such a phi itself, plus something becomes a phi of pointers;
** what used the integer uses the ptrtoint of the pointer.  Phis are taken as addresses until one of their values is
** none: its sum has not exactly one address, or has one with a minus. */

static bool is_candidate(const Recover *r, LLVMValueRef v) { return map_get(&r->phis, v, 0) != 0; }

/* The candidate among the terms becomes s->pointer; NULL: none, or the sum is no address. */
static LLVMValueRef carried(const Recover *r, Sum *s) {
    LLVMValueRef phi = NULL;
    int left = 0;
    for (int i = 0; i < s->n; i++) {
        if (!is_candidate(r, s->term[i])) {
            s->term[left] = s->term[i];
            s->minus[left++] = s->minus[i];
            continue;
        }
        if (phi || s->minus[i] || s->pointer) s->several = true;
        phi = s->term[i];
    }
    s->n = left;
    return s->several || s->shared ? NULL : phi;
}

static bool carries_address(const Recover *r, LLVMValueRef phi) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        Sum s = {0};
        add_term(&s, LLVMGetIncomingValue(phi, i), false, 0);
        LLVMValueRef from = carried(r, &s);
        bool pointer = !s.several && !s.shared && s.pointer && !s.pointer_is_offset;
        for (int k = 0; k < s.n; k++) pointer &= !pointer_of(s.term[k]); /* a difference of addresses */
        if (!from && !pointer) return false;
    }
    return true;
}

static void find_candidates(Recover *r, LLVMValueRef fn) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            if (LLVMTypeOf(i) == r->i64) {
                vec_push(&r->arena, &r->all, i);
                map_put(&r->phis, i, (uintptr_t)i);
            }
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < r->all.n; i++) {
            LLVMValueRef phi = r->all.v[i];
            if (!is_candidate(r, phi) || carries_address(r, phi)) continue;
            map_put(&r->phis, phi, 0);
            again = true;
        }
    }
}

static LLVMValueRef incoming_pointer(Recover *r, LLVMValueRef phi, unsigned i) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    for (unsigned k = 0; k < i; k++) /* a block that comes twice brings the same value */
        if (LLVMGetIncomingBlock(phi, k) == from)
            return LLVMGetIncomingValue((LLVMValueRef)map_get(&r->phis, phi, 0), k);
    Sum s = {0};
    add_term(&s, LLVMGetIncomingValue(phi, i), false, 0);
    LLVMValueRef old = carried(r, &s);
    LLVMPositionBuilderBefore(r->b, LLVMGetBasicBlockTerminator(from));
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(phi));
    LLVMValueRef p = old ? (LLVMValueRef)map_get(&r->phis, old, 0) : s.pointer;
    return add_terms(r, &s, into(r, p, LLVMPointerTypeInContext(r->ctx, 0)));
}

static void carry_pointers(Recover *r, LLVMValueRef fn) {
    LLVMTypeRef ptr = LLVMPointerTypeInContext(r->ctx, 0);
    find_candidates(r, fn);
    for (int i = 0; i < r->all.n; i++) {
        if (!is_candidate(r, r->all.v[i])) continue;
        LLVMPositionBuilderBefore(r->b, r->all.v[i]);
        LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(r->all.v[i]));
        map_put(&r->phis, r->all.v[i], (uintptr_t)LLVMBuildPhi(r->b, ptr, ""));
    }
    for (int i = 0; i < r->all.n; i++) {
        LLVMValueRef phi = r->all.v[i], new = (LLVMValueRef)map_get(&r->phis, phi, 0);
        for (unsigned k = 0; new &&k < LLVMCountIncoming(phi); k++) {
            LLVMValueRef p = incoming_pointer(r, phi, k);
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
            LLVMAddIncoming(new, &p, &from, 1);
        }
    }
    for (int i = 0; i < r->all.n; i++) {
        LLVMValueRef phi = r->all.v[i], new = (LLVMValueRef)map_get(&r->phis, phi, 0), at = phi;
        if (!new) continue;
        while (LLVMIsAPHINode(at)) at = LLVMGetNextInstruction(at);
        LLVMPositionBuilderBefore(r->b, at);
        LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(phi));
        LLVMReplaceAllUsesWith(phi, LLVMBuildPtrToInt(r->b, new, r->i64, ""));
    }
}

static void run(LLVMValueRef fn, const char *passes) {
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPassesOnFunction(fn, passes, NULL, o);
    LLVMDisposePassBuilderOptions(o);
    if (e) LLVMConsumeError(e);
}

void recover_values(LLVMValueRef fn) { run(fn, "sroa"); }

void recover_pointers(LLVMModuleRef m, LLVMValueRef fn) {
    Recover r = {.m = m, .ctx = LLVMGetModuleContext(m)};
    r.i8 = LLVMInt8TypeInContext(r.ctx);
    r.i32 = LLVMInt32TypeInContext(r.ctx);
    r.i64 = LLVMInt64TypeInContext(r.ctx);
    r.b = LLVMCreateBuilderInContext(r.ctx);
    map_init(&r.phis, &r.arena);
    carry_pointers(&r, fn);
    each_instruction(&r, fn, recover_one);
    each_instruction(&r, fn, expand_one);
    each_instruction(&r, fn, access_one);
    LLVMDisposeBuilder(r.b);
    arena_free(&r.arena);
    run(fn, "dce");
}
