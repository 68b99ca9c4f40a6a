/* lower_memory.c: addresses, loads, stores, atomics.
**
** A weak access is plain; volatile and relaxed ones are volatile, so that a loop that polls is seen as such; acquire
** and release add a fence; an atomic has the order that it names.
**
** A weak vector is accessed element by element, as aligned as the whole.  A strong one, and one with a cache operator
** by which programs exchange data (.cg, .cv, .wt), is one access per 16 bytes, as is every .b128: a flag and the value
** beside it are never torn.  Up to 8 bytes are one integer, 16 bytes an atomic i128 (docs/ir.md).  Shared and local
** memory belong to one worker, so their vectors need none of that. */
#include "passes/ir/names.h"
#include "ptx-frontend/lower.h"
#include <stdio.h>
#include <string.h>

static const char spaces[] = "global shared shared::cta shared::cluster local const param param::entry param::func";

unsigned space_of_inst(const Lower *l) {
    const char *s = which_mod(l, spaces);
    if (!s) return SPACE_GENERIC;
    switch (*s) {
    case 'g': return SPACE_GLOBAL_AS;
    case 's': return SPACE_SHARED_AS;
    case 'l': return SPACE_LOCAL_AS;
    case 'c': return SPACE_CONST_AS;
    default: return SPACE_PARAM_AS;
    }
}

static LLVMTypeRef pointer(const Lower *l, unsigned space) {
    /* locals and parameters are allocas here, not of address space 5 */
    return LLVMPointerTypeInContext(l->ctx, space == SPACE_LOCAL_AS || space == SPACE_PARAM_AS ? 0 : space);
}

LLVMValueRef offset_by(Lower *l, LLVMValueRef p, int64_t offset) {
    LLVMValueRef o = const_int(l, 64, (uint64_t)offset);
    return offset ? LLVMBuildGEP2(l->b, l->i8, p, &o, 1, "") : p;
}

static LLVMValueRef into_space(Lower *l, LLVMValueRef p, unsigned space) {
    LLVMTypeRef to = pointer(l, space);
    return LLVMTypeOf(p) == to ? p : LLVMBuildAddrSpaceCast(l->b, p, to, "");
}

/* The integer in a register as a pointer.  With .shared::cluster it may be in another block's memory, which is shared
** memory as well: all of a cluster is one worker's. */
static LLVMValueRef from_integer(Lower *l, LLVMValueRef v, unsigned space) {
    if (space == SPACE_SHARED_AS && has_mod(l, "shared::cluster")) {
        LLVMValueRef p = call_named(l, "__cucpu_cluster_window_to_pointer", l->ptr, &v, 1);
        return LLVMBuildAddrSpaceCast(l->b, p, pointer(l, space), "");
    }
    if (space != SPACE_SHARED_AS) return LLVMBuildIntToPtr(l->b, v, pointer(l, space), "");
    LLVMValueRef base = name_call(l->b, l->mod, NAME_SHARED, NULL, 0, "");
    base = LLVMBuildAddrSpaceCast(l->b, base, pointer(l, space), "");
    return LLVMBuildGEP2(l->b, l->i8, base, &v, 1, "shared.at");
}

static LLVMValueRef from_symbol(Lower *l, const Operand *base, const Sym *s, unsigned space) {
    if (s->kind != SYM_MEMORY) ptx_error(l->p, base->loc, "'%s' is not an address", base->name);
    bool param = s->space == SPACE_PARAM_AS, const_or_generic = space == SPACE_GENERIC || param;
    if (s->space != space && !const_or_generic && !(space == SPACE_PARAM_AS && s->space == SPACE_LOCAL_AS))
        ptx_error(l->p, base->loc, "'%s' is in another state space than the instruction", base->name);
    LLVMValueRef p = s->value;
    if (space == SPACE_GENERIC && s->space != SPACE_GENERIC) p = into_space(l, p, SPACE_GENERIC);
    return base->indexed ? offset_by(l, p, base->value * (s->type.bits / 8)) : p;
}

LLVMValueRef address_of(Lower *l, const Operand *o, unsigned space) {
    if (o->kind == OPERAND_NAME && o->indexed) return from_symbol(l, o, find_sym(l, o->name, o->loc), space); /* a[4] */
    if (o->kind != OPERAND_ADDRESS) ptx_error(l->p, o->loc, "an address in brackets is expected");
    if (!o->n) {
        if (space != SPACE_SHARED_AS && space != SPACE_LOCAL_AS) ptx_error(l->p, o->loc, "an absolute address");
        return from_integer(l, const_int(l, 64, (uint64_t)o->value), space);
    }
    const Operand *base = &o->v[0];
    if (base->kind == OPERAND_NAME) {
        const Sym *s = find_sym(l, base->name, base->loc);
        if (s->kind != SYM_REG) return offset_by(l, from_symbol(l, base, s, space), o->value);
    }
    unsigned bits = operand_bits(l, base);
    if (bits != 64 && !(bits == 32 && space == SPACE_SHARED_AS)) {
        if (bits == 32 && space != SPACE_SHARED_AS) ptx_unsupported(l->p, o->loc, "addresses of 32 bits");
        ptx_error(l->p, o->loc, "an address is a register of 64 bits");
    }
    LLVMValueRef v = read_operand(l, base, bits == 64 ? &type_b64 : &type_b32);
    if (bits == 64) return offset_by(l, from_integer(l, v, space), o->value);
    if (o->value) v = LLVMBuildAdd(l->b, v, const32(l, (uint64_t)o->value), ""); /* in 32 bits: it may wrap */
    return from_integer(l, resize(l, v, 64, false), space);
}

LLVMValueRef in_shared(Lower *l, LLVMValueRef offset) {
    return from_integer(l, resize(l, offset, 64, false), SPACE_SHARED_AS);
}

LLVMValueRef offset_in_shared(Lower *l, LLVMValueRef p) {
    LLVMValueRef base = name_call(l->b, l->mod, NAME_SHARED, NULL, 0, "");
    p = LLVMBuildPtrToInt(l->b, into_space(l, p, SPACE_GENERIC), l->i64, "");
    return resize(l, LLVMBuildSub(l->b, p, LLVMBuildPtrToInt(l->b, base, l->i64, ""), ""), 32, false);
}

/* Without .shared the address is generic. */
LLVMValueRef shared_offset(Lower *l, const Operand *o) {
    return offset_in_shared(l, address_of(l, o, space_of_inst(l)));
}

/* ---- loads and stores ---- */

unsigned vector_lanes(const Lower *l) { return has_mod(l, "v2") ? 2 : has_mod(l, "v4") ? 4 : has_mod(l, "v8") ? 8 : 1; }
/* Ordered with other threads, or asm volatile without an operator that implies that no other thread reads. */
static bool is_strong(const Lower *l, const char *unshared) {
    if (!strcmp(l->inst->op, "multimem")) return !has_mod(l, "weak");
    return which_mod(l, "volatile relaxed acquire release mmio") || (l->sideeffect && !which_mod(l, unshared));
}

/* A cache operator by which threads of different blocks exchange data. */
static bool is_exchanged(const Lower *l) { return which_mod(l, "cg cv wt") != NULL; }

static bool is_undivided_access(const Lower *l, unsigned space, bool strong) {
    bool one_worker = space != SPACE_GENERIC && space != SPACE_GLOBAL_AS;
    return (strong || is_exchanged(l) || l->t[0]->bits == 128) && !one_worker;
}

static void fence(Lower *l, const char *when) {
    bool block = has_mod(l, "cta");
    if (which_mod(l, when)) LLVMBuildFence(l->b, LLVMAtomicOrderingSequentiallyConsistent, block, "");
}

static unsigned alignment(unsigned bytes, unsigned i, unsigned n) {
    unsigned whole = bytes * n, at = bytes * i, a = whole & (0u - whole);
    while (at & (a - 1)) a >>= 1;
    return a > 16 ? 16 : a;
}

static const Operand *element(Lower *l, const Operand *o, unsigned i, unsigned n) {
    if (n == 1) return o->kind == OPERAND_VECTOR && o->n == 1 ? &o->v[0] : o;
    if (o->kind == OPERAND_VECTOR && o->n == (int)n) return &o->v[i];
    if (o->kind != OPERAND_NAME && o->kind != OPERAND_ARG) ptx_error(l->p, o->loc, "a vector of %u is expected", n);
    static const char *const parts[] = {"x", "y", "z", "w"};
    Operand *part = arena_alloc(&l->p->arena, sizeof *part);
    *part = *o;
    part->member = parts[i & 3];
    return part;
}

/* Memory that is one integer: of floats and bits alike. */
static LLVMTypeRef in_memory(Lower *l, const PtxType *t) { return llvm_type(l, t); }

static void check_hint(Lower *l, int operands) {
    operands += has_mod(l, "mbarrier::complete_tx::bytes"); /* an mbarrier */
    if (l->inst->nops != operands + has_mod(l, "L2::cache_hint"))
        fail(l, "the operand of '%s' for the cache goes with .L2::cache_hint", l->inst->op);
}

/* How many elements of a vector are one integer in memory. */
static unsigned piece_elements(const Lower *l, unsigned bytes, unsigned n, unsigned at, unsigned space, bool strong) {
    if (!is_undivided_access(l, space, strong) || bytes >= 16) return 1;
    return n - at < 16 / bytes ? n - at : 16 / bytes;
}

/* Loads that a loop may poll are marked (passes/scalar/hold_polled_loads.c). */
static void mark_polled(Lower *l, LLVMValueRef load) {
    LLVMValueRef one = const32(l, 1);
    LLVMSetMetadata(
        load, LLVMGetMDKindIDInContext(l->ctx, "nontemporal", 11),
        LLVMMetadataAsValue(l->ctx, LLVMMDNodeInContext2(l->ctx, (LLVMMetadataRef[]){LLVMValueAsMetadata(one)}, 1)));
}

/* Sets what keeps the access whole and in order. */
static void mark_access(Lower *l, LLVMValueRef access, LLVMTypeRef t, unsigned align, unsigned space, bool strong) {
    LLVMSetAlignment(access, align);
    LLVMSetVolatile(access, strong);
    if (!strong && is_exchanged(l) && LLVMIsALoadInst(access)) mark_polled(l, access);
    if (is_undivided_access(l, space, strong) && LLVMGetTypeKind(t) == LLVMIntegerTypeKind &&
        LLVMGetIntTypeWidth(t) == 128)
        LLVMSetOrdering(access, strong ? LLVMAtomicOrderingMonotonic : LLVMAtomicOrderingUnordered);
}

static LLVMValueRef load_piece(Lower *l, LLVMTypeRef t, LLVMValueRef p, unsigned align, unsigned space, bool strong) {
    LLVMValueRef v = LLVMBuildLoad2(l->b, t, p, "");
    mark_access(l, v, t, align, space, strong);
    return v;
}

/* Element `at` of a piece that was loaded as an integer. */
static LLVMValueRef element_of(Lower *l, LLVMValueRef piece, unsigned at, unsigned bits) {
    unsigned all = LLVMGetIntTypeWidth(LLVMTypeOf(piece));
    LLVMValueRef v = at ? LLVMBuildLShr(l->b, piece, const_int(l, all, at * bits), "") : piece;
    return as_type(l, LLVMBuildTrunc(l->b, v, int_type(l, bits), ""), l->t[0]);
}

static LLVMValueRef join_elements(Lower *l, LLVMValueRef *v, unsigned n, unsigned bits) {
    LLVMTypeRef t = int_type(l, n * bits);
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef one = LLVMBuildZExt(l->b, as_int(l, v[i]), t, "");
        if (i) one = LLVMBuildShl(l->b, one, const_int(l, n * bits, i * bits), "");
        all = all ? LLVMBuildOr(l->b, all, one, "") : one;
    }
    return all;
}

/* ld.param of a parameter in a register, and the like: no memory is involved. */
LLVMValueRef op_load(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    check_hint(l, 2);
    unsigned n = vector_lanes(l), space = space_of_inst(l), bits = l->t[0]->bits, bytes = bits / 8u;
    bool strong = is_strong(l, "ca cs nc");
    const Operand *d = &l->inst->ops[0];
    LLVMValueRef p = address_of(l, &l->inst->ops[1], space), got[8];
    if (l->inst->ops[1].n == 1 && l->inst->ops[1].v[0].kind == OPERAND_NAME && space == SPACE_GENERIC)
        p = into_space(l, p, SPACE_GENERIC);
    for (unsigned i = 0, piece; i < n; i += piece) {
        piece = piece_elements(l, bytes, n, i, space, strong);
        LLVMTypeRef t = piece > 1 ? int_type(l, piece * bits) : in_memory(l, l->t[0]);
        LLVMValueRef at = offset_by(l, p, (int64_t)bytes * i),
                     x = load_piece(l, t, at, alignment(bytes, i, n), space, strong);
        for (unsigned k = 0; k < piece; k++) got[i + k] = piece > 1 ? element_of(l, x, k, bits) : x;
    }
    fence(l, "acquire");
    for (unsigned i = 0; i < n; i++) {
        const Operand *to = element(l, d, i, n);
        if (to->kind != OPERAND_SINK) write_relaxed(l, to, l->t[0], got[i]);
    }
    return NULL;
}

LLVMValueRef op_store(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    check_hint(l, 2);
    unsigned n = vector_lanes(l), space = space_of_inst(l), bits = l->t[0]->bits, bytes = bits / 8u;
    bool strong = is_strong(l, "cs");
    const Operand *to = &l->inst->ops[0];
    Sym *s0 = to->kind == OPERAND_ADDRESS && to->n && to->v[0].kind == OPERAND_NAME ? try_sym(l, to->v[0].name) : NULL;
    if (s0 && s0->kind == SYM_MEMORY && s0->input_only)
        ptx_error(l->p, to->loc, "the parameter '%s' cannot be written", to->v[0].name);
    LLVMValueRef p = address_of(l, to, space);
    fence(l, "release");
    for (unsigned i = 0, piece; i < n; i += piece) {
        LLVMValueRef x[8];
        piece = piece_elements(l, bytes, n, i, space, strong);
        for (unsigned k = 0; k < piece; k++) x[k] = read_relaxed(l, element(l, &l->inst->ops[1], i + k, n), l->t[0]);
        if (piece > 1) x[0] = join_elements(l, x, piece, bits);
        LLVMValueRef s = LLVMBuildStore(l->b, x[0], offset_by(l, p, (int64_t)bytes * i));
        /* a plain integer of two parts may be stored as two: code generation does so for a float and an int */
        mark_access(l, s, LLVMTypeOf(x[0]), alignment(bytes, i, n), space, strong || (piece > 1 && piece * bits < 128));
    }
    return NULL;
}

/* alloca d, size {, alignment}: as alloca() of C, until the function returns */
LLVMValueRef op_allocate(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    int64_t align = l->inst->nops > 2 ? l->inst->ops[2].value : 16;
    if (l->inst->nops > 2 && l->inst->ops[2].kind != OPERAND_INT) fail(l, "the alignment of alloca is a constant");
    if (align < 1 || align > 4096 || (align & (align - 1))) fail(l, "an alignment is a power of two");
    LLVMValueRef p = LLVMBuildArrayAlloca(l->b, l->i8, v[1], "");
    LLVMSetAlignment(p, align < 16 ? 16 : (unsigned)align);
    return LLVMBuildPtrToInt(l->b, p, l->i64, "");
}

/* ---- atomics ---- */

static const struct Atomic {
    const char *name;
    int op, op_signed, op_float; /* -1: not for this type */
} atomics[] = {{"add", LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpFAdd},
               {"min", LLVMAtomicRMWBinOpUMin, LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpFMin},
               {"max", LLVMAtomicRMWBinOpUMax, LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpFMax},
               {"inc", LLVMAtomicRMWBinOpUIncWrap, -1, -1},
               {"dec", LLVMAtomicRMWBinOpUDecWrap, -1, -1},
               {"and", LLVMAtomicRMWBinOpAnd, -1, -1},
               {"or", LLVMAtomicRMWBinOpOr, -1, -1},
               {"xor", LLVMAtomicRMWBinOpXor, -1, -1},
               {"exch", LLVMAtomicRMWBinOpXchg, -1, -1}};

/* Without a modifier an atomic is relaxed. */
static LLVMAtomicOrdering ordering(const Lower *l) {
    return which_mod(l, "acquire release acq_rel") ? LLVMAtomicOrderingSequentiallyConsistent
                                                   : LLVMAtomicOrderingMonotonic;
}

static LLVMValueRef compare_and_swap(Lower *l, LLVMValueRef p, int at) {
    LLVMValueRef old = as_int(l, read_operand(l, &l->inst->ops[at], l->t[0])),
                 new = as_int(l, read_operand(l, &l->inst->ops[at + 1], l->t[0]));
    LLVMAtomicOrdering order = ordering(l);
    return LLVMBuildExtractValue(l->b, LLVMBuildAtomicCmpXchg(l->b, p, old, new, order, order, 0), 0, "");
}

/* atom.op of the value x, with the modifiers and the type of the instruction. */
LLVMValueRef modify_memory(Lower *l, LLVMValueRef p, LLVMValueRef x) {
    const struct Atomic *a = atomics;
    while (!has_mod(l, a->name)) a++;
    const PtxType *t = l->t[0];
    int op = t->kind == 'f' ? a->op_float : t->kind == 's' ? a->op_signed : a->op;
    if (op < 0 || (t->kind == 'f' && op != LLVMAtomicRMWBinOpFAdd))
        fail(l, "'%s.%s' of .%s", l->inst->op, a->name, t->name);
    return LLVMBuildAtomicRMW(l->b, (LLVMAtomicRMWBinOp)op, p, x, ordering(l), 0);
}

/* An atomic of 16 bits that is a function of the device library. */
static LLVMValueRef modify_small(Lower *l, LLVMValueRef p, LLVMValueRef x) {
    char name[60];
    snprintf(name, sizeof name, "__cucpu_ptx_atom_%s_%s", which_mod(l, "add min max"),
             l->t[0]->kind == 'y' ? "bf16" : "f16");
    if (LLVMTypeOf(p) != l->ptr) p = LLVMBuildAddrSpaceCast(l->b, p, l->ptr, "");
    LLVMValueRef args[2] = {p, as_int(l, x)};
    return call_named(l, name, l->i16, args, 2);
}

static bool is_small_float(const Lower *l) {
    const PtxType *t = l->t[0];
    return (t->kind == 'y' || (t->kind == 'f' && t->bits / t->lanes == 16 && which_mod(l, "min max"))) &&
           which_mod(l, "add min max");
}

/* f16x2 are two atomics of f16, as in the ISA. */
static LLVMValueRef modify_halves(Lower *l, LLVMValueRef p, LLVMValueRef x) {
    LLVMValueRef old[2];
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef part = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, x, const32(l, 16 * h), ""), l->i16, "");
        LLVMValueRef q = offset_by(l, p, 2 * h);
        old[h] = is_small_float(l) ? modify_small(l, q, part)
                                   : modify_memory(l, q, LLVMBuildBitCast(l->b, part, l->f16, ""));
        old[h] = LLVMBuildZExt(l->b, as_int(l, old[h]), l->i32, "");
    }
    return LLVMBuildOr(l->b, old[0], LLVMBuildShl(l->b, old[1], const32(l, 16), ""), "");
}

/* atom.op of one element, whose bits travel as the type has it in registers. */
LLVMValueRef modify_element(Lower *l, LLVMValueRef p, LLVMValueRef x) {
    if (l->t[0]->lanes == 2) return modify_halves(l, p, x);
    return is_small_float(l) ? modify_small(l, p, x) : modify_memory(l, p, x);
}

/* atom d, [a], b {, c}; red [a], b; vectors element by element */
LLVMValueRef op_atomic(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    int at = *how == 'd'; /* with a result */
    unsigned n = vector_lanes(l), bytes = l->t[0]->bits / 8u;
    bool cas = has_mod(l, "cas"), hint = has_mod(l, "L2::cache_hint");
    if (l->inst->nops != at + (cas ? 3 : 2) + hint || (cas && n > 1))
        fail(l, "'%s' has a wrong number of operands", l->inst->op);
    LLVMValueRef p = address_of(l, &l->inst->ops[at], space_of_inst(l)), old[8];
    if (cas) old[0] = compare_and_swap(l, p, at + 1);
    for (unsigned i = 0; i < n && !cas; i++) {
        LLVMValueRef x = read_operand(l, element(l, &l->inst->ops[at + 1], i, n), l->t[0]),
                     q = offset_by(l, p, (int64_t)bytes * i);
        old[i] = modify_element(l, q, x);
    }
    for (unsigned i = 0; i < n && at; i++) {
        const Operand *d = element(l, &l->inst->ops[0], i, n);
        if (d->kind != OPERAND_SINK) write_operand(l, d, l->t[0], old[i]);
    }
    return NULL;
}
