/* lower_counters: --profile=lanes: calls of cucpu_count become additions to counters of the worker.
**
** in:  entries, with calls of cucpu_count(place, counter, n) from widen_count.c
** out: each function with such calls fetches the counters of its worker once, by cucpu_profile_counters(profile), and
**      adds to them by loads and stores; the module has the table of its places, a CucpuProfile (abi.h).
** Place i has counters 2i and 2i + 1.  They have an alias scope, so that stores to them do not keep LLVM from hoisting
** loads of the program, nor these from keeping counters in registers in loops. */
#include "passes/ir/abi_fields.h"
#include "passes/ir/edit.h"
#include "passes/ir/value.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

typedef struct Counters {
    Module *m;
    LLVMBuilderRef b;
    LLVMTypeRef i64, ptr;
    LLVMValueRef profile;
    LLVMMetadataRef scope;
    unsigned is, is_not; /* kinds of metadata */
    PtrMap number;       /* place -> its index + 1 */
    PtrMap base;         /* function -> counters of its worker */
} Counters;

/* The places that the code still has calls for. */
static LLVMValueRef place_table(Counters *c, LLVMValueRef count, uint32_t *n) {
    Vec(LLVMValueRef) places = {0};
    for_each_user(call, count) {
        LLVMValueRef place = LLVMGetOperand(call, 0);
        if (map_get(&c->number, place, 0)) continue;
        vec_push(&c->m->arena, &places, place);
        map_put(&c->number, place, (uintptr_t)places.n);
    }
    *n = (uint32_t)places.n;
    return internal_global(c->m->mod, LLVMConstArray2(c->ptr, places.v, (unsigned)places.n), "cucpu.counted.all", true);
}

static void declare_scope(Counters *c) {
    LLVMContextRef x = c->m->ctx;
    LLVMMetadataRef name = LLVMMDStringInContext2(x, "cucpu.counters", 14), domain = LLVMMDNodeInContext2(x, &name, 1);
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(x, "counters", 8), domain};
    c->scope = LLVMMDNodeInContext2(x, parts, 2);
    c->is = LLVMGetMDKindIDInContext(x, "alias.scope", 11);
    c->is_not = LLVMGetMDKindIDInContext(x, "noalias", 7);
}

/* Adds the scope to the access's list of this kind. */
static void add_scope(const Counters *c, LLVMValueRef access, unsigned kind) {
    LLVMValueRef old = LLVMGetMetadata(access, kind), list[8];
    LLVMMetadataRef scopes[8];
    unsigned n = old ? LLVMGetMDNodeNumOperands(old) : 0;
    if (n >= 8) return;
    if (old) LLVMGetMDNodeOperands(old, list);
    for (unsigned i = 0; i < n; i++) scopes[i] = LLVMValueAsMetadata(list[i]);
    scopes[n] = c->scope;
    LLVMMetadataRef all = LLVMMDNodeInContext2(c->m->ctx, scopes, n + 1);
    LLVMSetMetadata(access, kind, LLVMMetadataAsValue(c->m->ctx, all));
}

/* No access of the program is to counters. */
static void mark_others(const Counters *c, LLVMValueRef fn) {
    MaskedOperands masked;
    for_each_instruction(i, fn)
        if (accessed_operand(i) >= 0 || masked_operands(i, &masked)) add_scope(c, i, c->is_not);
}

static LLVMValueRef counters_of(Counters *c, LLVMValueRef fn) {
    LLVMValueRef known = map_ptr(&c->base, fn);
    if (known) return known;
    LLVMTypeRef t = LLVMFunctionType(c->ptr, &c->ptr, 1, 0);
    LLVMValueRef f = LLVMGetNamedFunction(c->m->mod, "cucpu_profile_counters");
    if (!f) f = LLVMAddFunction(c->m->mod, "cucpu_profile_counters", t);
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
    while (LLVMIsAAllocaInst(at)) at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(c->b, at);
    LLVMSetCurrentDebugLocation2(c->b, NULL);
    LLVMValueRef base = LLVMBuildCall2(c->b, t, f, &c->profile, 1, "counters");
    map_put(&c->base, fn, (uintptr_t)base);
    mark_others(c, fn);
    return base;
}

static void lower_count(Counters *c, LLVMValueRef call) {
    LLVMValueRef base = counters_of(c, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
    uint64_t place = map_get(&c->number, LLVMGetOperand(call, 0), 0) - 1;
    uint64_t counter = 2 * place + LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
    set_insert_point(c->b, call);
    LLVMValueRef index = const_i64(c->m->ctx, counter), p = LLVMBuildGEP2(c->b, c->i64, base, &index, 1, "");
    LLVMValueRef old = LLVMBuildLoad2(c->b, c->i64, p, "");
    LLVMValueRef store = LLVMBuildStore(c->b, LLVMBuildAdd(c->b, old, LLVMGetOperand(call, 2), ""), p);
    add_scope(c, old, c->is);
    add_scope(c, store, c->is);
    LLVMInstructionEraseFromParent(call);
}

bool lower_counters(Module *m) {
    LLVMValueRef count = LLVMGetNamedFunction(m->mod, COUNT);
    if (!count) return true;
    Counters c = {.m = m, .b = LLVMCreateBuilderInContext(m->ctx)};
    c.i64 = LLVMInt64TypeInContext(m->ctx);
    c.ptr = LLVMPointerTypeInContext(m->ctx, 0);
    map_init(&c.number, &m->arena);
    map_init(&c.base, &m->arena);
    declare_scope(&c);
    uint32_t n;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->ctx);
    LLVMValueRef places = place_table(&c, count, &n);
    LLVMValueRef v[CucpuProfile_FIELDS] = {
        [CucpuProfile_places] = places,
        [CucpuProfile_nplaces] = LLVMConstInt(i32, n, 0),
        [CucpuProfile_number] = LLVMConstInt(i32, 0, 0),
    };
    c.profile = internal_global(m->mod, abi_constant(m->dl, ABI_CucpuProfile, v), "cucpu.profile", false);
    for (LLVMUseRef u = LLVMGetFirstUse(count); u; u = LLVMGetFirstUse(count)) lower_count(&c, LLVMGetUser(u));
    LLVMDeleteFunction(count);
    LLVMDisposeBuilder(c.b);
    return true;
}
