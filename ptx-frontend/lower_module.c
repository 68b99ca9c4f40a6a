/* lower_module.c: functions as declared, variables of the module and their start values.
**
** .u64 parameters of kernels that are used as addresses become pointers: the old dialect does not mark them. */
#include "passes/ir/names.h"
#include "ptx-frontend/lower.h"
#include <stdio.h>

LLVMTypeRef known_function(Lower *l, const char *name);
const char *known_name(const char *name);

/* ---- sizes ---- */

bool is_scalar(const Var *v) { return !v->ndims && v->lanes == 1; }

static bool is_vector_register(const Var *v) { return v->lanes > 1 && !strcmp(v->space, "reg"); }

/* Of a vector register: its bits as one integer. */
PtxType value_type(const Var *v) {
    if (!is_vector_register(v)) return v->type;
    return (PtxType){'b', (uint8_t)(v->type.bits * v->lanes), 1, v->type.name};
}

uint64_t var_bytes(const Var *v) {
    uint64_t n = (v->type.bits + 7u) / 8u * (uint64_t)v->lanes;
    for (int i = 0; i < v->ndims; i++)
        if (__builtin_mul_overflow(n, (uint64_t)v->dims[i], &n)) return UINT64_MAX;
    return n;
}

unsigned var_align(const Var *v) {
    unsigned natural = (v->type.bits + 7u) / 8u * (unsigned)v->lanes;
    return v->align ? v->align : natural;
}

/* Scalars as iN, arrays as integers of their alignment, so that they have it without saying. */
LLVMTypeRef memory_type(Lower *l, const Var *v) {
    if (is_scalar(v)) return int_type(l, v->type.bits < 8 ? 8 : v->type.bits);
    uint64_t bytes = var_bytes(v), align = var_align(v);
    if (align > 16) align = 16;
    while (bytes % align) align /= 2;
    return LLVMArrayType2(int_type(l, (unsigned)align * 8), bytes / align);
}

/* ---- which parameters are pointers ---- */

/* A parameter to which something is added: text without cvta. */
static void follow_sum(const Inst *in, PtrMap *from) {
    if (strcmp(in->op, "add") || in->nops != 3 || !in->ops[0].name) return;
    uintptr_t a = in->ops[1].name ? map_get(from, in->ops[1].name, 0) : 0,
              b = in->ops[2].name ? map_get(from, in->ops[2].name, 0) : 0;
    if (!a != !b) map_put(from, in->ops[0].name, a ? a : b);
}

/* Only a guess that makes better code: a pointer and an integer of 64 bits are passed alike. */
static void find_pointers(Ptx *p, const Stmts *body, const Func *f, PtrMap *from, bool *is_pointer) {
    for (int i = 0; i < body->n; i++) {
        const Stmt *s = &body->v[i];
        if (s->kind == STMT_BLOCK) find_pointers(p, &s->block, f, from, is_pointer);
        if (s->kind != STMT_INST || s->inst.nops < 1) continue;
        const Inst *in = &s->inst;
        const Operand *a = &in->ops[in->nops > 1], *d = &in->ops[0];
        bool load = !strcmp(in->op, "ld") && in->nmods && !strcmp(in->mods[0], "param");
        if (load && a->kind == OPERAND_ADDRESS && a->n && !a->value && a->v[0].name && d->name)
            for (int k = 0; k < f->params.n; k++)
                if (f->params.v[k].name == a->v[0].name) map_put(from, d->name, (uintptr_t)k + 1);
        follow_sum(in, from);
        for (int k = 0; k < in->nops; k++) {
            const Operand *o = &in->ops[k];
            if (o->kind == OPERAND_ADDRESS && o->n) o = &o->v[0];
            else if (strcmp(in->op, "cvta") || k == 0) continue;
            uintptr_t n = o->name ? map_get(from, o->name, 0) : 0;
            if (n && !load) is_pointer[n - 1] = true;
        }
    }
}

/* ---- parts: texts put together; with one there is nothing but the module's scope ---- */

void enter_part(Lower *l, int part) {
    if (l->parts) l->scope = l->parts[part];
}

/* Where a name is declared: what has no linkage is known in its part only. */
static Scope *scope_of(const Lower *l, bool linkage) { return l->parts && linkage ? l->scope->up : l->scope; }

static Sym *add_to(Lower *l, Scope *scope, const char *name, Sym s) {
    Scope *here = l->scope;
    l->scope = scope;
    Sym *x = add_sym(l, name, s);
    l->scope = here;
    return x;
}

static const char *symbol_name(Lower *l, const char *name, bool linkage, int part) {
    return l->parts && !linkage ? arena_printf(&l->p->arena, "%s.part%d", name, part) : name;
}

/* ---- functions ---- */

static void check_vector(Lower *l, const Var *v) {
    if (!is_vector_register(v)) return;
    if (v->type.kind == 'p' || v->type.kind == 'o' || v->type.bits * v->lanes > 128)
        ptx_error(l->p, v->loc, "a register cannot be a vector of %d of type .%s", v->lanes, v->type.name);
}

static LLVMTypeRef parameter_type(Lower *l, const Func *f, int i, const bool *is_pointer) {
    const Var *v = &f->params.v[i];
    check_vector(l, v);
    if (!is_scalar(v) && strcmp(v->space, "reg")) return l->ptr;
    if (f->kernel && v->type.bits == 64 && v->type.kind != 'f' && (v->is_pointer || is_pointer[i])) return l->ptr;
    if (v->type.kind == 'p') return l->i1;
    if (v->type.kind == 'o') ptx_unsupported(l->p, v->loc, "parameters of type .%s", v->type.name);
    return int_type(l, value_type(v).bits);
}

/* Debug builds of nvcc define __assert_fail themselves. */
static bool has_body(const Lower *l, const char *name) {
    for (int i = 0; l->tree && i < l->tree->funcs.n; i++)
        if (l->tree->funcs.v[i].name == name && l->tree->funcs.v[i].has_body) return true;
    return false;
}

/* Is it one that the runtime has under another name? */
static bool is_of_runtime(const Lower *l, const Func *f) {
    return !f->has_body && known_name(f->name) != f->name && !has_body(l, f->name);
}

static LLVMTypeRef result_type(Lower *l, const Var *v) {
    check_vector(l, v);
    if (is_vector_register(v)) return int_type(l, value_type(v).bits);
    return v->type.kind == 'p' ? l->i1 : memory_type(l, v);
}

LLVMTypeRef function_type(Lower *l, const Func *f) {
    LLVMTypeRef types[64], result = l->nothing, known = known_function(l, f->name);
    if (known && !has_body(l, f->name)) return known;
    if (f->params.n > 4096) ptx_error(l->p, f->loc, "too many parameters");
    LLVMTypeRef *t = f->params.n > 64 ? arena_array(&l->p->arena, LLVMTypeRef, f->params.n) : types;
    bool *is_pointer = arena_array(&l->p->arena, bool, f->params.n + 1);
    if (f->kernel && f->has_body) {
        PtrMap from;
        map_init(&from, &l->p->arena);
        find_pointers(l->p, &f->body, f, &from, is_pointer);
    }
    for (int i = 0; i < f->params.n; i++) t[i] = parameter_type(l, f, i, is_pointer);
    if (f->rets.n > 1) {
        LLVMTypeRef *each = arena_array(&l->p->arena, LLVMTypeRef, f->rets.n);
        for (int i = 0; i < f->rets.n; i++) each[i] = result_type(l, &f->rets.v[i]);
        result = LLVMStructTypeInContext(l->ctx, each, (unsigned)f->rets.n, 0);
    } else if (f->rets.n) {
        result = result_type(l, &f->rets.v[0]);
    }
    return LLVMFunctionType(result, t, (unsigned)f->params.n, 0);
}

static void add_enum_attribute(Lower *l, LLVMValueRef to, unsigned index, const char *name, LLVMTypeRef t,
                               uint64_t value) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef a = t ? LLVMCreateTypeAttribute(l->ctx, kind, t) : LLVMCreateEnumAttribute(l->ctx, kind, value);
    if (LLVMIsAFunction(to)) LLVMAddAttributeAtIndex(to, index, a);
    else LLVMAddCallSiteAttribute(to, index, a);
}

/* Arrays are copied for the function, which the function and each call of it declare; but what an ellipsis passes, of a
** size that only the caller knows, is read where it is, and so is what the runtime's functions get. */
void mark_arrays(Lower *l, const Func *f, LLVMValueRef to) {
    if (is_of_runtime(l, f)) return;
    for (int i = 0; i < f->params.n; i++) {
        const Var *v = &f->params.v[i];
        if (is_scalar(v) || !strcmp(v->space, "reg") || !var_bytes(v)) continue;
        add_enum_attribute(l, to, (unsigned)i + 1, "byval", memory_type(l, v), 0);
        add_enum_attribute(l, to, (unsigned)i + 1, "align", NULL, var_align(v));
    }
}

static void add_attribute(Lower *l, LLVMValueRef fn, const char *key, const char *text) {
    LLVMAttributeRef a = LLVMCreateStringAttribute(l->ctx, key, (unsigned)strlen(key), text, (unsigned)strlen(text));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

static void add_three(Lower *l, LLVMValueRef fn, const char *key, const unsigned v[3]) {
    char text[48];
    if (!v[0]) return;
    snprintf(text, sizeof text, "%u,%u,%u", v[0], v[1], v[2]);
    add_attribute(l, fn, key, text);
}

static void add_number(Lower *l, LLVMValueRef fn, const char *key, unsigned n) {
    char text[16];
    snprintf(text, sizeof text, "%u", n);
    add_attribute(l, fn, key, text);
}

static void mark_function(Lower *l, const Func *f, LLVMValueRef fn) {
    if (f->kernel) {
        LLVMSetFunctionCallConv(fn, KERNEL_CC);
        LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateStringAttribute(l->ctx, ATTR_SUMS, sizeof ATTR_SUMS - 1, "", 0));
        add_three(l, fn, "nvvm.maxntid", f->maxntid);
        add_three(l, fn, "nvvm.reqntid", f->reqntid);
        add_three(l, fn, "nvvm.cluster_dim", f->cluster);
        if (f->max_cluster) add_number(l, fn, "nvvm.maxclusterrank", f->max_cluster);
        if (f->explicit_cluster) add_attribute(l, fn, ATTR_EXPLICIT_CLUSTER, "");
    } else if (f->has_body && !f->is_visible) {
        LLVMSetLinkage(fn, LLVMInternalLinkage);
    }
    mark_arrays(l, f, fn);
}

static void check_parameters(Lower *l, const Func *f) {
    enum { MAX = 32764 };
    uint64_t bytes = 0;
    for (int i = 0; i < f->params.n; i++) {
        const Var *v = &f->params.v[i];
        bool is_reg = !strcmp(v->space, "reg");
        if (f->has_body && !strcmp(v->name, "_")) ptx_error(l->p, v->loc, "a parameter needs a name");
        if (f->kernel && is_reg) ptx_error(l->p, v->loc, "a parameter of a kernel is in .param");
        if (v->type.kind == 'p' && !is_reg) ptx_error(l->p, v->loc, "a parameter in .param is not of type .pred");
        if (f->kernel && v->ndims && !v->dims[0]) ptx_error(l->p, v->loc, "'%s' has no size", v->name);
        bytes += bytes > MAX ? 0 : var_bytes(v);
        if (f->kernel && bytes > MAX)
            ptx_error(l->p, v->loc, "the parameters of '%s' take more than %d bytes", f->name, MAX);
    }
}

/* Several functions that are only declared may be one of the runtime. */
static LLVMValueRef new_function(Lower *l, const Func *f, bool linkage, LLVMTypeRef t) {
    bool runtime = is_of_runtime(l, f);
    const char *name = runtime ? known_name(f->name) : symbol_name(l, f->name, linkage, f->part);
    LLVMValueRef there = runtime ? LLVMGetNamedFunction(l->mod, name) : NULL;
    return there ? there : LLVMAddFunction(l->mod, name, t);
}

static void declare_function(Lower *l, const Func *f) {
    l->at = f->loc;
    check_parameters(l, f);
    if (f->is_extern && f->has_body) ptx_error(l->p, f->loc, "'%s' is .extern and has a body", f->name);
    bool linkage = f->kernel || f->is_visible || f->is_weak || f->is_extern;
    enter_part(l, f->part);
    Scope *scope = scope_of(l, linkage);
    Sym *old = map_ptr(&scope->syms, f->name);
    LLVMTypeRef t = function_type(l, f);
    if (old && (old->kind != SYM_FUNC || old->fn_type != t))
        ptx_error(l->p, f->loc, "'%s' is declared differently in line %u", f->name, old->loc.line);
    bool both = old && f->has_body && old->func->has_body, weak = f->is_weak || (both && old->func->is_weak);
    if (both && f->part != old->func->part && weak) {
        if (!f->is_weak) old->func = f;
        return;
    }
    if (both) ptx_error(l->p, f->loc, "'%s' is defined twice; the first time in line %u", f->name, old->loc.line);
    if (old && !f->has_body) return;
    LLVMValueRef fn = old ? old->value : new_function(l, f, linkage, t);
    mark_function(l, f, fn);
    if (old) old->func = f, old->loc = f->loc;
    else add_to(l, scope, f->name, (Sym){.kind = SYM_FUNC, .loc = f->loc, .value = fn, .func = f, .fn_type = t});
}

/* .alias f, g; f is declared and has no body: its name is one for g. */
static void define_alias(Lower *l, const Alias *a) {
    enter_part(l, a->part);
    Sym *f = find_sym(l, a->name, a->loc), *g = find_sym(l, a->of, a->loc);
    if (f->kind != SYM_FUNC || g->kind != SYM_FUNC || f->func->kernel || g->func->kernel)
        ptx_error(l->p, a->loc, "an alias names functions");
    if (f->func->has_body) ptx_error(l->p, a->loc, "'%s' has a body and cannot be an alias", a->name);
    if (!g->func->has_body) ptx_error(l->p, a->loc, "'%s' has no body", a->of);
    if (f->fn_type != g->fn_type) ptx_error(l->p, a->loc, "'%s' is declared differently from '%s'", a->name, a->of);
    LLVMDeleteFunction(f->value);
    f->value = g->value;
}

static void each_of_tree(Lower *l, const Tree *t, int n, void (*f)(Lower *, const Tree *, int)) {
    jmp_buf *outer = l->p->resume, here;
    volatile int i = 0;
    l->p->resume = &here;
    if (setjmp(here)) i++;
    for (; i < n && l->p->errors < PTX_MAX_ERRORS; i++) f(l, t, i);
    l->p->resume = outer;
}

static void declare_nth(Lower *l, const Tree *t, int i) { declare_function(l, &t->funcs.v[i]); }
static void alias_nth(Lower *l, const Tree *t, int i) { define_alias(l, &t->aliases.v[i]); }

void declare_functions(Lower *l, const Tree *t) {
    each_of_tree(l, t, t->funcs.n, declare_nth);
    each_of_tree(l, t, t->aliases.n, alias_nth);
}

/* ---- start values ---- */

typedef struct Image {
    Lower *l;
    const Var *v;
    uint8_t *bytes;
    uint64_t size, at;
    Vec(struct {
        uint64_t at;
        LLVMValueRef address;
    }) addresses;
    const char *masked; /* 0xFF00(symbol): the next byte of which symbol */
    unsigned next_byte;
} Image;

static void put(Image *m, PtxLoc loc, const void *bytes, unsigned n) {
    if (m->at + n > m->size) ptx_error(m->l->p, loc, "'%s' has more initial values than elements", m->v->name);
    memcpy(m->bytes + m->at, bytes, n);
    m->at += n;
}

static LLVMValueRef address_constant(Image *m, const Init *i) {
    Lower *l = m->l;
    const Sym *s = find_sym(l, i->name, i->loc);
    if ((s->kind != SYM_FUNC && s->kind != SYM_MEMORY) || (s->kind == SYM_FUNC && s->func->kernel))
        ptx_error(l->p, i->loc, "'%s' has no address", i->name);
    if (s->space == SPACE_SHARED_AS || !LLVMIsAConstant(s->value))
        ptx_error(l->p, i->loc, "the address of '%s' is not constant", i->name);
    LLVMValueRef p =
        LLVMGetPointerAddressSpace(LLVMTypeOf(s->value)) ? LLVMConstAddrSpaceCast(s->value, l->ptr) : s->value;
    LLVMValueRef offset = const_int(l, 64, (uint64_t)i->value);
    return LLVMConstPtrToInt(i->value ? LLVMConstGEP2(l->i8, p, &offset, 1) : p, l->i64);
}

static void put_symbol(Image *m, const Init *i, unsigned bytes) {
    Lower *l = m->l;
    unsigned byte = i->mask ? (unsigned)__builtin_ctzll(i->mask) / 8 : 0;
    if (i->mask && byte) { /* the rest of an address that its lowest byte began */
        if (bytes != 1 || m->masked != i->name || m->next_byte != byte || i->mask != 0xffull << 8 * byte)
            ptx_unsupported(l->p, i->loc, "parts of an address in this order");
        m->next_byte++;
        m->at++;
        return;
    }
    if (i->mask ? bytes != 1 || i->mask != 0xff || m->at + 8 > m->size : bytes != 8)
        ptx_unsupported(l->p, i->loc, "an address in less than 64 bits");
    m->masked = i->mask ? i->name : NULL;
    m->next_byte = 1;
    vec_push(&l->p->arena, &m->addresses, ((__typeof__(*m->addresses.v)){m->at, address_constant(m, i)}));
    m->at += bytes;
}

static double real_of(const Init *i) {
    uint32_t low = (uint32_t)i->value;
    float f;
    memcpy(&f, &low, sizeof f);
    return i->float_kind == 'f' ? (double)f : i->real;
}

static void put_real(Image *m, const Init *i, const PtxType *t) {
    uint64_t bits = (uint64_t)i->value;
    bool same = i->float_kind && t->bits == (i->float_kind == 'f' ? 32 : 64);
    if ((!same || t->kind != 'b') && (t->kind != 'f' || t->bits < 32))
        ptx_error(m->l->p, i->loc, "the initial value is not of type .%s", t->name);
    if (!same) {
        double d = real_of(i);
        float f = (float)d;
        uint32_t low;
        memcpy(&low, &f, sizeof low);
        memcpy(&bits, &d, sizeof bits);
        if (t->bits == 32) bits = low;
    }
    put(m, i->loc, &bits, t->bits / 8u);
}

/* size: of the object that a list is for. */
static void put_init(Image *m, const Init *i, uint64_t size, int dim) {
    const PtxType *t = &m->v->type;
    uint64_t zero[2] = {(uint64_t)i->value, i->value < 0 && t->bits == 128 ? UINT64_MAX : 0};
    bool is_list = i->kind == INIT_LIST, is_part = dim < m->v->ndims + (m->v->lanes > 1);
    if (is_list != is_part)
        ptx_error(m->l->p, i->loc, is_list ? "a list initialises one element" : "a list is expected");
    if (is_list) {
        uint64_t start = m->at,
                 part = dim < m->v->ndims && m->v->dims[dim] ? size / (uint64_t)m->v->dims[dim] : t->bits / 8u;
        for (int k = 0; k < i->n; k++) put_init(m, &i->v[k], part, dim + 1);
        if (m->at > start + size) ptx_error(m->l->p, i->loc, "'%s' has more initial values than elements", m->v->name);
        m->at = start + size;
    } else if (i->kind == INIT_FLOAT) {
        put_real(m, i, t);
    } else if (i->kind == INIT_SYMBOL) {
        put_symbol(m, i, t->bits / 8u);
    } else {
        if (t->kind == 'f') ptx_error(m->l->p, i->loc, "an integer constant where .%s is expected", t->name);
        put(m, i->loc, zero, (t->bits + 7u) / 8u);
    }
}

static LLVMValueRef bytes_constant(Lower *l, const uint8_t *bytes, uint64_t n) {
    return LLVMConstStringInContext2(l->ctx, (const char *)bytes, n, 1);
}

/* Bytes, with addresses in between. */
static LLVMValueRef image_constant(Image *m) {
    Lower *l = m->l;
    if (!m->addresses.n) return bytes_constant(l, m->bytes, m->size);
    Vec(LLVMValueRef) parts = {0};
    uint64_t at = 0;
    for (int i = 0; i < m->addresses.n; i++) {
        uint64_t next = m->addresses.v[i].at;
        if (next > at) vec_push(&l->p->arena, &parts, bytes_constant(l, m->bytes + at, next - at));
        vec_push(&l->p->arena, &parts, m->addresses.v[i].address);
        at = next + 8;
    }
    if (m->size > at) vec_push(&l->p->arena, &parts, bytes_constant(l, m->bytes + at, m->size - at));
    return LLVMConstStructInContext(l->ctx, parts.v, (unsigned)parts.n, 1);
}

static LLVMValueRef start_value(Lower *l, const Var *v) {
    uint64_t size = var_bytes(v);
    if (!v->init) return LLVMConstNull(memory_type(l, v));
    Image m = {.l = l, .v = v, .size = size, .bytes = arena_alloc(&l->p->arena, size + 16)};
    put_init(&m, v->init, size, 0);
    return image_constant(&m);
}

/* ---- variables ---- */

/* A variable that holds the object that the driver API binds to it (cpu-runtime/driver/reference.c). */
static bool is_reference(const Var *v) {
    bool type = !strcmp(v->type.name, "texref") || !strcmp(v->type.name, "surfref");
    return type && !strcmp(v->space, "global") && !v->init;
}

static void check_variable(Lower *l, const Var *v) {
    if (var_bytes(v) > 1ull << 32) ptx_error(l->p, v->loc, "'%s' is too large", v->name);
    if (v->type.kind == 'o' && !is_reference(v))
        ptx_unsupported(l->p, v->loc, "variables of type .%s here", v->type.name);
    if (v->type.kind == 'p') ptx_error(l->p, v->loc, "a variable cannot be of type .pred");
    if (v->ndims && !v->dims[0] && !v->is_extern) ptx_error(l->p, v->loc, "'%s' has no size", v->name);
    if (v->is_extern && v->init)
        ptx_error(l->p, v->loc, "'%s' is defined elsewhere and has no initial value here", v->name);
    if (!strcmp(v->space, "shared") && v->init)
        ptx_error(l->p, v->loc, "a variable in shared memory has no initial value");
    if (!strcmp(v->space, "param")) ptx_unsupported(l->p, v->loc, ".param outside a function");
}

/* The definition of what was declared .extern before. */
static void replace_declaration(LLVMValueRef declared, LLVMValueRef defined, const char *name) {
    LLVMReplaceAllUsesWith(declared, defined);
    LLVMDeleteGlobal(declared);
    LLVMSetValueName2(defined, name, strlen(name));
}

/* Here, too, for its line: check_source (import) knows variables by their uses. */
static void count_constant(Lower *l, const Var *v) {
    enum { MAX = 65536 };
    bool before = l->constants > MAX;
    l->constants += var_bytes(v);
    if (l->constants > MAX && !before)
        ptx_error(l->p, v->loc, "variables in .const up to '%s' take %llu bytes, at most %d", v->name,
                  (unsigned long long)l->constants, MAX);
}

void lower_variable(Lower *l, const Var *given, bool in_function) {
    const Var *v = given;
    if (!strcmp(v->space, "tex")) { /* .tex .u32 t: of version 1 */
        Var *reference = arena_alloc(&l->p->arena, sizeof *reference);
        *reference = *given;
        reference->space = "global", reference->type = *ptx_type("texref");
        v = reference;
    }
    unsigned space = v->space[0] == 's' ? SPACE_SHARED_AS : v->space[0] == 'c' ? SPACE_CONST_AS : SPACE_GLOBAL_AS;
    check_variable(l, v);
    bool linkage = v->is_visible || v->is_weak || v->is_extern;
    Scope *scope = in_function ? l->scope : scope_of(l, linkage);
    Sym *old = map_ptr(&scope->syms, v->name);
    bool again = old && old->kind == SYM_MEMORY && old->part != v->part && (v->is_weak || old->is_weak);
    if (again && v->is_weak && !old->is_extern) return;
    if (again) old->is_extern = true; /* a weak one is replaced */
    if (old && old->kind == SYM_MEMORY && (v->is_extern || old->is_extern)) {
        if (old->space != space || old->type.bits != v->type.bits)
            ptx_error(l->p, v->loc, "'%s' is declared differently in line %u", v->name, old->loc.line);
        if (v->is_extern) return;
    }
    bool dynamic = space == SPACE_SHARED_AS && v->is_extern;
    LLVMValueRef init = dynamic || v->is_extern || space == SPACE_SHARED_AS ? NULL : start_value(l, v);
    LLVMTypeRef t = dynamic ? LLVMArrayType2(l->i8, 0) : init ? LLVMTypeOf(init) : memory_type(l, v);
    const char *name = in_function ? v->name : symbol_name(l, v->name, linkage, v->part);
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(l->mod, t, name, space);
    if (old && old->kind == SYM_MEMORY && old->is_extern) replace_declaration(old->value, g, v->name);
    LLVMSetAlignment(g, var_align(v));
    if (space == SPACE_SHARED_AS && !dynamic) LLVMSetInitializer(g, LLVMGetUndef(t));
    if (init) LLVMSetInitializer(g, init);
    if (!v->is_extern && (!v->is_visible || space == SPACE_SHARED_AS)) LLVMSetLinkage(g, LLVMInternalLinkage);
    /* names with $ are the compiler's: strings and the like */
    bool own = in_function || v->name[0] == '$' || space == SPACE_SHARED_AS;
    if (!own && init) LLVMSetExternallyInitialized(g, 1);
    if (!own && init && space == SPACE_CONST_AS) count_constant(l, v);
    Sym s = {.kind = SYM_MEMORY,
             .loc = v->loc,
             .type = v->type,
             .space = space,
             .value = g,
             .is_extern = v->is_extern,
             .is_weak = v->is_weak,
             .part = v->part};
    if (old && old->kind == SYM_MEMORY && old->is_extern) *old = s;
    else add_to(l, scope, v->name, s);
}
