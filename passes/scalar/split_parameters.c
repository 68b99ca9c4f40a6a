/* split_parameters: fields of structures that kernels are passed by value become parameters of their own.
**
**   kernel(byval Grid g):  ... load g.n ...        kernel(byval Grid g, i32 g.n):  ... g.n ...
**
** in, out: scalar code of kernels, inlined
** Why: analyses and passes know that a parameter is the same for the whole launch and never changes: a bound, a step of
** a grid-stride loop, the base of an array. A load could be of memory that a store has changed, and is repeated.
** How: the new parameters follow those of the launch, each with the attribute ATTR_FIELD, "parameter,offset";
** loop_groups loads them with the others, kernel_table leaves them out.
** Left alone: structures that the kernel writes or whose address it passes on (normalise_cfg copies those), accesses at
** offsets that are not constant, vectors, kernels that would have more than MAX_PARAMETERS. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PARAMETERS = 48, MAX_ATTRIBUTES = 64 };

typedef struct Field {
    unsigned parameter;
    int64_t offset;
    LLVMTypeRef type;
} Field;

typedef struct Access {
    LLVMValueRef load;
    int field;
} Access;

typedef struct Split {
    Module *m;
    Arena a;
    LLVMValueRef fn;
    Vec(Field) fields;
    Vec(Access) accesses;
} Split;

static bool is_scalar_type(LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind:
        return is_integer_type(t, 8) || is_integer_type(t, 16) || is_integer_type(t, 32) || is_integer_type(t, 64);
    case LLVMPointerTypeKind: return LLVMGetPointerAddressSpace(t) == 0;
    default: return is_float_type(t);
    }
}

static int field_of(Split *s, unsigned parameter, int64_t offset, LLVMTypeRef type) {
    for (int k = 0; k < s->fields.n; k++) {
        const Field *f = &s->fields.v[k];
        if (f->parameter == parameter && f->offset == offset && f->type == type) return k;
    }
    vec_push(&s->a, &s->fields, ((Field){parameter, offset, type}));
    return s->fields.n - 1;
}

/* Loads at constant offsets from p, which is `offset` bytes after the start of the parameter. */
static void find_fields(Split *s, unsigned parameter, uint64_t size, LLVMValueRef p, int64_t offset) {
    for_each_user(i, p) {
        int64_t bytes;
        if (LLVMIsAGetElementPtrInst(i)) {
            if (shim_gep_offset(s->m->dl, i, &bytes)) find_fields(s, parameter, size, i, offset + bytes);
            continue;
        }
        if (!LLVMIsALoadInst(i) || LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) continue;
        LLVMTypeRef t = LLVMTypeOf(i);
        if (!is_scalar_type(t) || offset < 0 || (uint64_t)offset + LLVMABISizeOfType(s->m->dl, t) > size) continue;
        vec_push(&s->a, &s->accesses, ((Access){i, field_of(s, parameter, offset, t)}));
    }
}

static void find_all_fields(Split *s) {
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5), n = LLVMCountParams(s->fn);
    for (unsigned p = 0; p < n; p++) {
        LLVMAttributeRef at = LLVMGetEnumAttributeAtIndex(s->fn, p + 1, byval);
        int fields = s->fields.n, accesses = s->accesses.n;
        if (!at || !memory_only_read(LLVMGetParam(s->fn, p))) continue;
        uint64_t size = LLVMABISizeOfType(s->m->dl, LLVMGetTypeAttributeValue(at));
        find_fields(s, p, size, LLVMGetParam(s->fn, p), 0);
        if (n + (unsigned)s->fields.n > MAX_PARAMETERS) s->fields.n = fields, s->accesses.n = accesses;
    }
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to) {
    for (unsigned i = 0; i <= LLVMCountParams(from); i++) {
        unsigned at = i ? i : (unsigned)LLVMAttributeFunctionIndex;
        LLVMAttributeRef list[MAX_ATTRIBUTES];
        unsigned n = LLVMGetAttributeCountAtIndex(from, at);
        LLVMGetAttributesAtIndex(from, at, list);
        for (unsigned k = 0; k < n; k++) LLVMAddAttributeAtIndex(to, at, list[k]);
    }
}

static bool has_few_attributes(LLVMValueRef fn) {
    for (unsigned i = 0; i <= LLVMCountParams(fn); i++)
        if (LLVMGetAttributeCountAtIndex(fn, i ? i : (unsigned)LLVMAttributeFunctionIndex) > MAX_ATTRIBUTES)
            return false;
    return true;
}

static void set_name(LLVMValueRef v, const char *name) { LLVMSetValueName2(v, name, strlen(name)); }

static void move_name_and_uses(LLVMValueRef from, LLVMValueRef to) {
    set_name(to, value_name(from));
    LLVMReplaceAllUsesWith(from, to);
}

static void describe_field(const Split *s, LLVMValueRef to, unsigned at, const Field *f) {
    char where[48];
    snprintf(where, sizeof where, "%u,%lld", f->parameter, (long long)f->offset);
    LLVMAddAttributeAtIndex(
        to, at + 1,
        LLVMCreateStringAttribute(s->m->ctx, ATTR_FIELD, sizeof ATTR_FIELD - 1, where, (unsigned)strlen(where)));
    snprintf(where, sizeof where, "field%lld", (long long)f->offset);
    set_name(LLVMGetParam(to, at), where);
}

/* The kernel with the new parameters, and its body. */
static LLVMValueRef add_parameters(Split *s) {
    unsigned n = LLVMCountParams(s->fn);
    LLVMTypeRef types[MAX_PARAMETERS];
    LLVMGetParamTypes(LLVMGlobalGetValueType(s->fn), types);
    for (int k = 0; k < s->fields.n; k++) types[n + (unsigned)k] = s->fields.v[k].type;
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(s->fn));
    const char *name = arena_printf(&s->m->arena, "%s", value_name(s->fn));
    LLVMSetValueName2(s->fn, "", 0);
    LLVMValueRef to = LLVMAddFunction(s->m->mod, name, LLVMFunctionType(result, types, n + (unsigned)s->fields.n, 0));
    LLVMSetLinkage(to, LLVMGetLinkage(s->fn));
    LLVMSetVisibility(to, LLVMGetVisibility(s->fn));
    LLVMSetFunctionCallConv(to, LLVMGetFunctionCallConv(s->fn));
    copy_attributes(s->fn, to);
    for (int k = 0; k < s->fields.n; k++) describe_field(s, to, n + (unsigned)k, &s->fields.v[k]);
    shim_move_blocks(s->fn, to);
    for (unsigned i = 0; i < n; i++) move_name_and_uses(LLVMGetParam(s->fn, i), LLVMGetParam(to, i));
    LLVMSetSubprogram(to, LLVMGetSubprogram(s->fn));
    LLVMSetSubprogram(s->fn, NULL);
    LLVMReplaceAllUsesWith(s->fn, to);
    LLVMDeleteFunction(s->fn);
    return to;
}

static void split(Module *m, LLVMValueRef fn) {
    Split s = {.m = m, .fn = fn};
    unsigned n = LLVMCountParams(fn);
    if (n <= MAX_PARAMETERS) find_all_fields(&s);
    if (s.fields.n && has_few_attributes(fn)) {
        fn = add_parameters(&s);
        for (int k = 0; k < s.accesses.n; k++)
            replace_instruction(s.accesses.v[k].load, LLVMGetParam(fn, n + (unsigned)s.accesses.v[k].field));
        delete_dead(fn);
    }
    arena_free(&s.a);
}

static bool has_structure(LLVMValueRef fn) {
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    for (unsigned p = 1; p <= LLVMCountParams(fn); p++)
        if (LLVMGetEnumAttributeAtIndex(fn, p, byval)) return true;
    return false;
}

bool split_parameters(Module *m) {
    if (pass_disabled(m, "split_parameters") || m->opt->opt_level == 0) return true;
    Vec(LLVMValueRef) kernels = {0};
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f) && is_kernel(f) && has_structure(f)) vec_push(&m->arena, &kernels, f);
    if (kernels.n) run_llvm_passes(m, "function(sroa,early-cse<memssa>)");
    for (int k = 0; k < kernels.n; k++) split(m, kernels.v[k]);
    return true;
}
