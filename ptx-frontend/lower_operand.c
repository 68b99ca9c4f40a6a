/* lower_operand.c: registers, constants, special registers and the addresses of symbols as values.
 */
#include "ptx-frontend/lower.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const PtxType type_pred = {'p', 1, 1, "pred"}, type_u32 = {'u', 32, 1, "u32"}, type_u64 = {'u', 64, 1, "u64"},
              type_b32 = {'b', 32, 1, "b32"}, type_b64 = {'b', 64, 1, "b64"}, type_s32 = {'s', 32, 1, "s32"},
              type_f32 = {'f', 32, 1, "f32"}, type_f64 = {'f', 64, 1, "f64"}, type_u16 = {'u', 16, 1, "u16"},
              type_b16 = {'b', 16, 1, "b16"};

void fail(Lower *l, const char *format, ...) {
    char text[400];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    ptx_error(l->p, l->at, "%s", text);
}

/* ---- symbols ---- */

static Sym *new_register(Lower *l, Scope *s, const char *name, const Sym *family) {
    Sym *r = arena_alloc(&l->p->arena, sizeof *r);
    *r = *family;
    r->kind = SYM_REG;
    LLVMTypeRef t = int_type(l, family->type.bits);
    r->value = add_alloca(l, family->lanes > 1 ? LLVMArrayType2(t, (uint64_t)family->lanes) : t, 0, "");
    map_put(&s->syms, name, (uintptr_t)r);
    return r;
}

/* %r<100> declares %r0 ... %r99, and no %r: its own name is one that the text cannot write. */
const char *family_name(Lower *l, const char *prefix, size_t n) {
    char *key = arena_printf(&l->p->arena, "%.*s<", (int)n, prefix);
    return ptx_intern(l->p, key, n + 1);
}

/* %r17 of .reg .b32 %r<100>. */
static Sym *of_family(Lower *l, const char *name) {
    size_t n = strlen(name), k = n;
    while (k && isdigit((unsigned char)name[k - 1])) k--;
    for (; k < n; k++) { /* %r1<10> has %r15 */
        if (!k || (name[k] == '0' && k + 1 < n)) continue;
        const char *prefix = family_name(l, name, k);
        unsigned long number = strtoul(name + k, NULL, 10);
        for (Scope *s = l->scope; s; s = s->up) {
            Sym *f = map_ptr(&s->syms, prefix);
            if (f && f->kind == SYM_FAMILY && number < (unsigned long)f->count) return new_register(l, s, name, f);
        }
    }
    return NULL;
}

Sym *try_sym(Lower *l, const char *name) {
    for (Scope *s = l->scope; s; s = s->up) {
        Sym *x = map_ptr(&s->syms, name);
        if (x) return x;
    }
    return of_family(l, name);
}

Sym *find_sym(Lower *l, const char *name, PtxLoc at) {
    Sym *s = try_sym(l, name);
    if (!s) ptx_error(l->p, at, "'%s' is not declared", name);
    return s;
}

Sym *add_sym(Lower *l, const char *name, Sym s) {
    Sym *old = map_ptr(&l->scope->syms, name), *x = arena_alloc(&l->p->arena, sizeof *x);
    if (old) ptx_error(l->p, s.loc, "'%s' is declared twice; the first time in line %u", name, old->loc.line);
    *x = s;
    map_put(&l->scope->syms, name, (uintptr_t)x);
    return x;
}

/* In the entry block, which holds nothing else until the function is complete. */
LLVMValueRef add_alloca(Lower *l, LLVMTypeRef t, unsigned align, const char *name) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), entry = LLVMGetEntryBasicBlock(l->fn);
    LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(l->b);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    if (first) LLVMPositionBuilderBefore(l->b, first);
    else LLVMPositionBuilderAtEnd(l->b, entry);
    LLVMValueRef a = LLVMBuildAlloca(l->b, t, name);
    if (align) LLVMSetAlignment(a, align);
    LLVMPositionBuilderAtEnd(l->b, here);
    LLVMSetCurrentDebugLocation2(l->b, line);
    return a;
}

/* ---- types ---- */

LLVMTypeRef int_type(const Lower *l, unsigned bits) { return LLVMIntTypeInContext(l->ctx, bits); }
LLVMValueRef const_int(const Lower *l, unsigned bits, uint64_t v) { return LLVMConstInt(int_type(l, bits), v, 0); }
LLVMValueRef const32(const Lower *l, uint64_t v) { return LLVMConstInt(l->i32, v & 0xffffffffu, 0); }

LLVMTypeRef llvm_type(const Lower *l, const PtxType *t) {
    if (t->kind == 'f' && t->lanes == 1) return t->bits == 16 ? l->f16 : t->bits == 32 ? l->f32 : l->f64;
    return int_type(l, t->bits);
}

static unsigned bits_of(LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMHalfTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(t);
    default: return 64;
    }
}

LLVMValueRef as_int(Lower *l, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind) return v;
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) return LLVMBuildPtrToInt(l->b, v, l->i64, "");
    return LLVMBuildBitCast(l->b, v, int_type(l, bits_of(t)), "");
}

LLVMValueRef as_type(Lower *l, LLVMValueRef v, const PtxType *t) {
    LLVMTypeRef to = llvm_type(l, t);
    return LLVMTypeOf(v) == to ? v : LLVMBuildBitCast(l->b, as_int(l, v), to, "");
}

LLVMValueRef resize(Lower *l, LLVMValueRef v, unsigned bits, bool is_signed) {
    unsigned have = bits_of(LLVMTypeOf(v));
    if (have == bits) return v;
    if (have > bits) return LLVMBuildTrunc(l->b, v, int_type(l, bits), "");
    return is_signed ? LLVMBuildSExt(l->b, v, int_type(l, bits), "") : LLVMBuildZExt(l->b, v, int_type(l, bits), "");
}

/* ---- registers ---- */

Sym *register_of(Lower *l, const Operand *o) {
    if (o->kind == OPERAND_ARG) {
        if (o->value >= l->nargs) ptx_error(l->p, o->loc, "there is no operand %%%d", (int)o->value);
        return &l->args[o->value];
    }
    if (o->kind == OPERAND_VECTOR && o->n == 1) return register_of(l, &o->v[0]);
    if (o->kind != OPERAND_NAME) ptx_error(l->p, o->loc, "a register is expected");
    Sym *s = find_sym(l, o->name, o->loc);
    if (s->kind != SYM_REG) ptx_error(l->p, o->loc, "'%s' is not a register", o->name);
    return s;
}

unsigned operand_bits(Lower *l, const Operand *o) {
    if (o->kind == OPERAND_ARG) return register_of(l, o)->type.bits;
    if (o->kind != OPERAND_NAME) return 0;
    Sym *s = try_sym(l, o->name);
    return s && s->kind == SYM_REG ? s->type.bits : 0;
}

/* The address of one element of .v4 registers: v.x. */
static LLVMValueRef register_address(Lower *l, const Operand *o, const Sym *r) {
    if (!o->member && r->lanes <= 1) return r->value;
    if (r->lanes <= 1) ptx_error(l->p, o->loc, "'%s' has no component '%s'", o->name, o->member);
    const char *at = o->member && strlen(o->member) == 1 ? strchr("xyzwrgba", o->member[0]) : NULL;
    int lane = at ? (int)(at - strchr("xyzwrgba", 'x')) : -1;
    if (lane > 3) lane -= 4;
    if (lane < 0 || lane >= r->lanes)
        ptx_error(l->p, o->loc, "'%s' has no component '%s'", o->name, o->member ? o->member : "");
    LLVMValueRef index[2] = {const32(l, 0), const32(l, (uint64_t)lane)};
    return LLVMBuildInBoundsGEP2(l->b, LLVMArrayType2(int_type(l, r->type.bits), (uint64_t)r->lanes), r->value, index,
                                 2, "");
}

/* What a register of this type may be used for: floats and integers do not mix, bits go with both.
 */
static void check_type(Lower *l, const Operand *o, const Sym *r, const PtxType *t, bool relaxed) {
    char k = r->type.kind;
    const char *name = o->name ? o->name : "the operand";
    if ((k == 'p') != (t->kind == 'p'))
        ptx_error(l->p, o->loc, "'%s' is of type .%s, the instruction of .%s", name, r->type.name, t->name);
    bool sizes = relaxed ? r->type.bits >= t->bits : r->type.bits == t->bits;
    if (!sizes) ptx_error(l->p, o->loc, "'%s' is of type .%s, the instruction of .%s", name, r->type.name, t->name);
    if (l->p->fragment || k == 'b' || t->kind == 'b' || r->type.lanes == 2) return;
    bool real = k == 'f' || k == 'y', wants_real = t->kind == 'f' || t->kind == 'y';
    if (real != wants_real)
        ptx_error(l->p, o->loc, "'%s' is of type .%s, the instruction of .%s", name, r->type.name, t->name);
}

static LLVMValueRef read_register(Lower *l, const Operand *o, const PtxType *t, bool relaxed) {
    Sym *r = register_of(l, o);
    check_type(l, o, r, t, relaxed);
    LLVMValueRef v =
        r->constant ? r->constant : LLVMBuildLoad2(l->b, int_type(l, r->type.bits), register_address(l, o, r), "");
    if (r->type.bits > t->bits) v = LLVMBuildTrunc(l->b, v, int_type(l, t->bits), "");
    if (o->value && o->kind == OPERAND_NAME) v = LLVMBuildAdd(l->b, v, const_int(l, t->bits, (uint64_t)o->value), "");
    if (o->minus) ptx_error(l->p, o->loc, "a sign before '%s'", o->name);
    if (o->negated && t->kind != 'p') ptx_error(l->p, o->loc, "'!' before '%s', which is no predicate", o->name);
    if (o->negated) v = LLVMBuildNot(l->b, v, "");
    return as_type(l, v, t);
}

/* ---- constants ---- */

static LLVMValueRef real_constant(Lower *l, const Operand *o, const PtxType *t) {
    uint64_t bits = (uint64_t)o->value;
    if (o->float_kind && t->kind != 'u' && t->kind != 's') {
        unsigned have = o->float_kind == 'f' ? 32 : 64;
        if (t->bits == have && t->lanes == 1) return as_type(l, const_int(l, have, bits), t);
        LLVMValueRef v = LLVMBuildBitCast(l->b, const_int(l, have, bits), have == 32 ? l->f32 : l->f64, "");
        if (t->kind == 'f' && t->bits == 64 && t->lanes == 1) return LLVMBuildFPExt(l->b, v, l->f64, "");
        if (t->kind == 'f' && t->lanes == 1) return LLVMBuildFPTrunc(l->b, v, llvm_type(l, t), "");
        ptx_error(l->p, o->loc, "the constant is of another size than .%s", t->name);
    }
    if (t->kind == 'b' && t->bits == 64 && !o->float_kind) return as_int(l, LLVMConstReal(l->f64, o->real));
    if (t->kind != 'f' || t->lanes != 1)
        ptx_error(l->p, o->loc, "a floating-point constant where .%s is expected", t->name);
    return LLVMConstReal(llvm_type(l, t), o->real);
}

static LLVMValueRef constant(Lower *l, const Operand *o, const PtxType *t) {
    if (t->kind == 'p') return LLVMConstInt(l->i1, o->value != 0, 0);
    if (t->kind == 'f' && t->bits >= 32 && t->lanes == 1)
        ptx_error(l->p, o->loc, "an integer constant where .%s is expected", t->name);
    LLVMTypeRef wide = int_type(l, t->bits);
    LLVMValueRef v = LLVMConstIntOfArbitraryPrecision(
        wide, 1, (uint64_t[]){t->bits < 64 ? (uint64_t)o->value & ((1ull << t->bits) - 1) : (uint64_t)o->value});
    return as_type(l, v, t);
}

/* ---- symbols as values ---- */

LLVMValueRef symbol_address(Lower *l, const Sym *s) {
    LLVMValueRef p = s->value;
    if (s->kind == SYM_FUNC) return LLVMBuildPtrToInt(l->b, p, l->i64, "");
    if (s->space == SPACE_SHARED_AS) return call_named(l, PTX_SHARED_OFFSET, l->i64, &p, 1);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(p))) p = LLVMConstAddrSpaceCast(p, l->ptr);
    return LLVMIsAConstant(p) ? LLVMConstPtrToInt(p, l->i64) : LLVMBuildPtrToInt(l->b, p, l->i64, "");
}

static LLVMValueRef symbol_value(Lower *l, const Operand *o, const Sym *s, const PtxType *t) {
    if (s->kind != SYM_MEMORY && s->kind != SYM_FUNC) ptx_error(l->p, o->loc, "'%s' is not a value", o->name);
    if (t->kind == 'f' || t->kind == 'p' || t->bits < 16)
        ptx_error(l->p, o->loc, "an address does not go into .%s", t->name);
    if (t->bits <= 32 && s->space != SPACE_SHARED_AS)
        ptx_error(l->p, o->loc, "the address of '%s' does not fit into %u bits", o->name, t->bits);
    int64_t offset = o->indexed ? o->value * (s->type.bits / 8) : o->value;
    if (s->kind == SYM_MEMORY && s->type.kind == 'o') { /* what a reference is bound to */
        LLVMValueRef at = const_int(l, 64, (uint64_t)offset),
                     x = LLVMBuildLoad2(l->b, l->i64, LLVMBuildGEP2(l->b, l->i8, s->value, &at, 1, ""), "");
        LLVMSetAlignment(x, 8);
        return x;
    }
    LLVMValueRef v = symbol_address(l, s);
    if (offset) v = LLVMBuildAdd(l->b, v, const_int(l, 64, (uint64_t)offset), "");
    return resize(l, v, t->bits, false);
}

/* ---- special registers ---- */

static const struct Special {
    const char *name, *nvvm; /* ".x" and the like follow if `vector`; nvvm: "=n" is the constant n */
    unsigned bits;
    bool vector;
} specials[] = {{"%tid", "tid", 32, true},
                {"%ntid", "ntid", 32, true},
                {"%ctaid", "ctaid", 32, true},
                {"%nctaid", "nctaid", 32, true},
                {"%laneid", "laneid", 32, false},
                {"%warpid", "warpid", 32, false},
                {"%nwarpid", "nwarpid", 32, false},
                {"%smid", "smid", 32, false},
                {"%nsmid", "nsmid", 32, false},
                {"%gridid", "=0", 64, false},
                {"%clock", "clock", 32, false},
                {"%clock64", "clock64", 64, false},
                {"%clock_hi", "^clock64", 32, false},
                {"%globaltimer", "globaltimer", 64, false},
                {"%globaltimer_hi", "^globaltimer", 32, false},
                {"%current_graph_exec", "=0", 64, false},
                {"%globaltimer_lo", "globaltimer.lo", 32, false},
                {"%lanemask_eq", "lanemask.eq", 32, false},
                {"%lanemask_lt", "lanemask.lt", 32, false},
                {"%lanemask_le", "lanemask.le", 32, false},
                {"%lanemask_gt", "lanemask.gt", 32, false},
                {"%lanemask_ge", "lanemask.ge", 32, false},
                {"%dynamic_smem_size", "dynamic_smem_size", 32, false},
                {"%is_explicit_cluster", "", 1, false},
                {"%cluster_ctaid", "cluster.ctaid", 32, true},
                {"%cluster_nctaid", "cluster.nctaid", 32, true},
                {"%cluster_ctarank", "cluster.ctarank", 32, false},
                {"%cluster_nctarank", "cluster.nctarank", 32, false},
                {"%clusterid", "clusterid", 32, true},
                {"%nclusterid", "nclusterid", 32, true}};

static LLVMValueRef read_special(Lower *l, const struct Special *s, char part) {
    char name[80];
    if (!*s->nvvm) return call_nvvm(l, "is_explicit_cluster", NULL, 0);
    if (*s->nvvm == '=') return const_int(l, s->bits, (uint64_t)(s->nvvm[1] - '0'));
    if (*s->nvvm == '^') { /* the upper half */
        snprintf(name, sizeof name, "read.ptx.sreg.%s", s->nvvm + 1);
        LLVMValueRef high = LLVMBuildLShr(l->b, call_nvvm(l, name, NULL, 0), const_int(l, 64, 32), "");
        return resize(l, high, 32, false);
    }
    if (part == 'w') return const32(l, 0);
    snprintf(name, sizeof name, s->vector ? "read.ptx.sreg.%s.%c" : "read.ptx.sreg.%s", s->nvvm, part);
    return call_nvvm(l, name, NULL, 0);
}

enum { RESERVED = 1024 };

/* What cooperative groups keep in shared memory for tiles of several warps. */
static LLVMValueRef reserved_memory(Lower *l) {
    LLVMValueRef g = LLVMGetNamedGlobal(l->mod, "cucpu.ptx.reserved");
    if (!g) {
        LLVMTypeRef t = LLVMArrayType2(l->i8, RESERVED);
        g = LLVMAddGlobalInAddressSpace(l->mod, t, "cucpu.ptx.reserved", SPACE_SHARED_AS);
        LLVMSetInitializer(g, LLVMGetUndef(t));
        LLVMSetAlignment(g, 16);
        LLVMSetLinkage(g, LLVMInternalLinkage);
    }
    return resize(l, call_named(l, PTX_SHARED_OFFSET, l->i64, &g, 1), 32, false);
}

/* What the kernel has declared, and what the launch gives besides. */
static LLVMValueRef shared_size(Lower *l) {
    LLVMValueRef fixed = call_named(l, "cucpu.staticsize", l->i32, NULL, 0),
                 given = call_nvvm(l, "read.ptx.sreg.dynamic_smem_size", NULL, 0);
    return LLVMBuildAdd(l->b, fixed, given, "");
}

/* Counters of a GPU, which never change; memory that is reserved in shared memory; NULL: none of these. */
static LLVMValueRef other_special(Lower *l, const char *name) {
    size_t n = strlen(name);
    bool wide = n > 3 && !strcmp(name + n - 3, "_64");
    if (!strncmp(name, "%pm", 3) && name[3] >= '0' && name[3] <= '7' && (!name[4] || (wide && n == 7)))
        return const_int(l, wide ? 64 : 32, 0);
    if (!strncmp(name, "%envreg", 7) && n > 7 && n < 10 && strspn(name + 7, "0123456789") == n - 7 &&
        strtoul(name + 7, NULL, 10) < 32) {
        bool grid = !strcmp(name, "%envreg1") || !strcmp(name, "%envreg2");
        if (!grid) return const32(l, 0);
        return l->p->fragment ? NULL : call_named(l, PTX_ENVREG, l->i32, NULL, 0);
    }
    if (!strcmp(name, "%total_smem_size") || !strcmp(name, "%aggr_smem_size")) return shared_size(l);
    static const char reserved[] = "%reserved_smem_offset_";
    if (strncmp(name, reserved, sizeof reserved - 1)) return NULL;
    name += sizeof reserved - 1;
    if (!strcmp(name, "begin") || !strcmp(name, "0") || !strcmp(name, "1")) return reserved_memory(l);
    if (!strcmp(name, "end") || !strcmp(name, "cap"))
        return LLVMBuildAdd(l->b, reserved_memory(l), const32(l, RESERVED), "");
    return NULL;
}

LLVMValueRef special_register(Lower *l, const Operand *o) {
    if (o->kind != OPERAND_NAME || o->name[0] != '%' || try_sym(l, o->name)) return NULL;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        const struct Special *s = &specials[i];
        if (strcmp(s->name, o->name)) continue;
        if (!s->vector && o->member) ptx_error(l->p, o->loc, "'%s' has no component '%s'", o->name, o->member);
        if (!s->vector) return read_special(l, s, 0);
        if (o->member && strlen(o->member) == 1 && strchr("xyzw", o->member[0]))
            return read_special(l, s, o->member[0]);
        ptx_error(l->p, o->loc, "'%s' needs .x, .y or .z", o->name);
    }
    LLVMValueRef other = other_special(l, o->name);
    if (other) return other;
    if (!strcmp(o->name, "%envreg1") || !strcmp(o->name, "%envreg2"))
        ptx_unsupported(l->p, o->loc, "the special register '%s' in asm()", o->name);
    return NULL;
}

/* ---- reading and writing ---- */

static LLVMValueRef pack(Lower *l, const Operand *o, const PtxType *t, bool relaxed) {
    unsigned each = t->bits / (unsigned)(o->n ? o->n : 1);
    if (o->n < 1 || t->bits % (unsigned)o->n || t->kind == 'p')
        ptx_error(l->p, o->loc, "a vector of %d does not make .%s", o->n, t->name);
    PtxType part = {'b', (uint8_t)each, 1, t->name};
    LLVMValueRef v = const_int(l, t->bits, 0);
    if (o->n == 1) return read_operand(l, &o->v[0], t);
    for (int i = 0; i < o->n; i++) {
        LLVMValueRef x = LLVMBuildZExt(l->b, as_int(l, read_operand(l, &o->v[i], &part)), int_type(l, t->bits), "");
        v = LLVMBuildOr(l->b, v, LLVMBuildShl(l->b, x, const_int(l, t->bits, each * (unsigned)i), ""), "");
    }
    (void)relaxed;
    return as_type(l, v, t);
}

/* A register of .v2 or .v4 without .x and the like, where its bits together are wanted: as {v.x, v.y}.  Else NULL. */
static const Operand *whole_vector(Lower *l, const Operand *o, const PtxType *t) {
    static const char *const parts[] = {"x", "y", "z", "w"};
    const Sym *s = o->kind == OPERAND_NAME && !o->member && !o->indexed && !o->value ? try_sym(l, o->name) : NULL;
    if (!s || s->kind != SYM_REG || s->lanes < 2 || t->kind == 'p' || t->bits != s->type.bits * s->lanes) return NULL;
    Operand *v = arena_alloc(&l->p->arena, sizeof *v);
    *v = (Operand){
        .kind = OPERAND_VECTOR, .loc = o->loc, .n = s->lanes, .v = arena_array(&l->p->arena, Operand, s->lanes)};
    for (int i = 0; i < s->lanes; i++) {
        v->v[i] = *o;
        v->v[i].member = parts[i];
    }
    return v;
}

static LLVMValueRef read_any(Lower *l, const Operand *o, const PtxType *t, bool relaxed) {
    LLVMValueRef v;
    const Operand *vector = whole_vector(l, o, t);
    if (vector) return pack(l, vector, t, relaxed);
    switch (o->kind) {
    case OPERAND_INT: return constant(l, o, t);
    case OPERAND_FLOAT: return real_constant(l, o, t);
    case OPERAND_VECTOR: return pack(l, o, t, relaxed);
    case OPERAND_ARG: return read_register(l, o, t, relaxed);
    case OPERAND_NAME: break;
    default: ptx_error(l->p, o->loc, "this operand is not a value");
    }
    if ((v = special_register(l, o))) {
        unsigned have = LLVMGetIntTypeWidth(LLVMTypeOf(v));
        if (!l->p->fragment && strcmp(l->inst->op, "mov") && strcmp(l->inst->op, "cvt"))
            ptx_error(l->p, o->loc, "'%s' is read by mov and cvt only", o->name);
        bool old = t->bits == 16 || (t->bits == 32 && !strcmp(o->name, "%gridid"));
        if (t->bits != have && !(have >= 32 && old))
            ptx_error(l->p, o->loc, "'%s' is a register of %u bits", o->name, have);
        if (t->kind == 'f') ptx_error(l->p, o->loc, "'%s' does not go into .%s", o->name, t->name);
        return resize(l, v, t->bits, false);
    }
    const Sym *s = find_sym(l, o->name, o->loc);
    return s->kind == SYM_REG ? read_register(l, o, t, relaxed) : symbol_value(l, o, s, t);
}

LLVMValueRef read_operand(Lower *l, const Operand *o, const PtxType *t) { return read_any(l, o, t, false); }
LLVMValueRef read_relaxed(Lower *l, const Operand *o, const PtxType *t) { return read_any(l, o, t, true); }

static void unpack(Lower *l, const Operand *o, const PtxType *t, LLVMValueRef v) {
    if (o->n < 1 || t->bits % (unsigned)o->n)
        ptx_error(l->p, o->loc, "a vector of %d does not take .%s", o->n, t->name);
    PtxType part = {'b', (uint8_t)(t->bits / (unsigned)o->n), 1, t->name};
    LLVMValueRef bits = as_int(l, v);
    for (int i = 0; i < o->n; i++) {
        LLVMValueRef x = LLVMBuildLShr(l->b, bits, const_int(l, t->bits, (uint64_t)part.bits * (uint64_t)i), "");
        write_operand(l, &o->v[i], &part, resize(l, x, part.bits, false));
    }
}

static void write_any(Lower *l, const Operand *o, const PtxType *t, LLVMValueRef v, bool relaxed) {
    if (o->kind == OPERAND_SINK) return;
    const Operand *vector = whole_vector(l, o, t);
    if (vector || (o->kind == OPERAND_VECTOR && o->n > 1)) return unpack(l, vector ? vector : o, t, v);
    Sym *r = register_of(l, o);
    check_type(l, o, r, t, relaxed);
    v = resize(l, as_int(l, v), r->type.bits, t->kind == 's');
    Result x = {v, register_address(l, o, r)};
    vec_push(&l->p->arena, &l->results, x);
}

void store_results(Lower *l) {
    for (int i = 0; i < l->results.n; i++) LLVMBuildStore(l->b, l->results.v[i].value, l->results.v[i].address);
    l->results.n = 0;
}

void write_operand(Lower *l, const Operand *o, const PtxType *t, LLVMValueRef v) { write_any(l, o, t, v, false); }
void write_relaxed(Lower *l, const Operand *o, const PtxType *t, LLVMValueRef v) { write_any(l, o, t, v, true); }

/* ---- functions by name ---- */

LLVMValueRef call_named(Lower *l, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef types[12];
    for (unsigned i = 0; i < n; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef t = LLVMFunctionType(result, types, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(l->mod, name);
    if (!f) f = LLVMAddFunction(l->mod, name, t);
    return LLVMBuildCall2(l->b, t, f, args, n, "");
}

LLVMValueRef call_nvvm(Lower *l, const char *name, LLVMValueRef *args, unsigned n) {
    char full[100];
    snprintf(full, sizeof full, "llvm.nvvm.%s", name);
    return call_llvm(l, full, NULL, args, n);
}

LLVMValueRef call_llvm(Lower *l, const char *name, LLVMTypeRef over, LLVMValueRef *args, unsigned n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id) ptx_unsupported(l->p, l->at, "'%s' has no intrinsic '%s'", l->inst ? l->inst->op : "", name);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->mod, id, &over, over ? 1 : 0);
    return LLVMBuildCall2(l->b, LLVMIntrinsicGetType(l->ctx, id, &over, over ? 1 : 0), f, args, n, "");
}
