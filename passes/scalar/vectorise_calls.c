/* vectorise_calls: large functions that kernels call often, and recursive ones, are compiled once per width, as vector
** functions.
**
** inline_device chooses them (ATTR_OUTLINED) where the kernels would become too large: hundreds of texture fetches or
** products of matrices, each of a thousand instructions. And recursive ones (outline_recursion), which call themselves
** for all lanes as long as one is active. Of such a function f there are then:
**   f.called(scalars)     kernels call it, with all members of parameters and results as operands of their own; so does
**                         scalar code.  With warp-level functions in it: cucpu.called.f, which passes treat as a
**                         warp-level function; it is inlined into scalar code.
**   f.lanes(in, out, ..)  a kernel that makes the call for each thread of a block: in[parameter][lane] -> out[result]
**                         [lane], with a mask; its variants for W lanes are the vector functions.
** A parameter that is the same for all threads in each call has stride 0 in `in`: it is uniform in the vector function.
** These strides, and the bytes from one parameter to the next, are the rest of the parameters of f.lanes until
** make_variants knows. Not: functions that meet other threads of the block, take structures or variables of a caller by
** address, or have warp-level functions that not all of their callers execute; that write to memory or read ids of the
** thread, unless they are recursive. Recursive functions get the ids as parameters. */
#include "passes/passes.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/ir/shim.h"
#include "passes/ir/vector_call.h"
#include "passes/ir/variant.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* ---- which functions ---- */

static bool is_scalar_type(LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind: return true;
    case LLVMPointerTypeKind: return LLVMGetPointerAddressSpace(t) == 0;
    case LLVMIntegerTypeKind: {
        unsigned bits = LLVMGetIntTypeWidth(t);
        return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
    }
    default: return false;
    }
}

static unsigned members_of(LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMStructTypeKind: return LLVMCountStructElementTypes(t);
    case LLVMArrayTypeKind: return (unsigned)LLVMGetArrayLength2(t);
    case LLVMVectorTypeKind: return LLVMGetVectorSize(t);
    default: return 0;
    }
}

static LLVMTypeRef member_type(LLVMTypeRef t, unsigned i) {
    return LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(t, i) : LLVMGetElementType(t);
}

/* The scalars that a value consists of; false: too many, or others. */
static bool add_scalars(LLVMTypeRef t, LLVMTypeRef *to, unsigned *n, unsigned most) {
    if (is_scalar_type(t)) {
        if (*n == most) return false;
        to[(*n)++] = t;
        return true;
    }
    unsigned members = members_of(t);
    bool ok = members && members <= most;
    for (unsigned i = 0; i < members && ok; i++) ok = add_scalars(member_type(t, i), to, n, most);
    return ok;
}

typedef struct Scalars {
    LLVMTypeRef param[VECTOR_PARAMS], result[VECTOR_RESULTS];
    unsigned params, results;
    unsigned ids; /* bit k: a parameter after the others is the id NAME_TID_X + k */
} Scalars;

static bool scalars_of(LLVMValueRef fn, Scalars *s) {
    LLVMTypeRef t = LLVMGlobalGetValueType(fn);
    LLVMTypeRef result = LLVMGetReturnType(t);
    bool ok = !LLVMIsFunctionVarArg(t) && (LLVMGetTypeKind(result) == LLVMVoidTypeKind ||
                                           add_scalars(result, s->result, &s->results, VECTOR_RESULTS));
    for (unsigned i = 0; i < LLVMCountParams(fn) && ok; i++) {
        static const char *const by_address[] = {"byval", "sret"};
        for (size_t k = 0; k < 2; k++) {
            unsigned kind = LLVMGetEnumAttributeKindForName(by_address[k], strlen(by_address[k]));
            if (LLVMGetEnumAttributeAtIndex(fn, i + 1, kind)) ok = false;
        }
        ok = ok && add_scalars(LLVMTypeOf(LLVMGetParam(fn, i)), s->param, &s->params, VECTOR_PARAMS);
    }
    return ok;
}

bool has_vector_signature(LLVMValueRef fn) {
    Scalars s = {0};
    return scalars_of(fn, &s) && s.params + THREAD_IDS <= VECTOR_PARAMS;
}

static void add_ids(Module *m, Scalars *s, unsigned ids) {
    s->ids = ids;
    for (unsigned k = 0; k < THREAD_IDS; k++)
        if (ids >> k & 1) s->param[s->params++] = LLVMInt32TypeInContext(m->ctx);
}

static bool is_only_called(LLVMValueRef fn) {
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != fn) return false;
    }
    return true;
}

static bool is_nonatomic_access(LLVMValueRef i) {
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    return !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) && !LLVMIsAVAArgInst(i);
}

static bool is_closed(LLVMValueRef fn, PtrMap *seen);

static bool calls_closed(LLVMValueRef call, PtrMap *seen) {
    LLVMValueRef f = LLVMGetCalledValue(call);
    size_t len;
    if (LLVMIsAInlineAsm(f) || !LLVMIsAFunction(f)) return false;
    Name n = name_of_function(f);
    if (n != NAME_NONE) return n == NAME_LANE || (name_is_warp_op(n) && n != NAME_CALLED);
    if (!LLVMIsDeclaration(f)) return is_closed(f, seen);
    const char *name = LLVMGetValueName2(f, &len);
    return !strncmp(name, "llvm.", 5) || math_row(name);
}

/* With all that it calls: nothing but arithmetic, accesses to memory that is not shared, and functions of the warp. */
static bool is_closed(LLVMValueRef fn, PtrMap *seen) {
    if (map_get(seen, fn, 0)) return true;
    map_put(seen, fn, 1);
    if (fn_has_attr(fn, ATTR_OUTLINED)) return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!is_nonatomic_access(i) || (LLVMIsACallInst(i) && !calls_closed(i, seen))) return false;
            for (int k = 0; k < LLVMGetNumOperands(i); k++)
                if (refers_to_shared(LLVMGetOperand(i, (unsigned)k))) return false;
        }
    return true;
}

bool is_closed_function(Module *m, LLVMValueRef fn) {
    PtrMap seen;
    map_init(&seen, &m->arena);
    return is_closed(fn, &seen);
}

bool may_be_vectorised(Module *m, LLVMValueRef fn) {
    Scalars s = {0};
    if (m->opt->check) return false;                               /* accesses are checked where a thread makes them */
    if (!m->opt->opt_level && LLVMGetSubprogram(fn)) return false; /* a debugger stops in it */
    /* one without results writes to memory */
    return scalars_of(fn, &s) && s.results && is_only_called(fn) && is_closed_function(m, fn);
}

/* ---- what it does ---- */

typedef struct Effects {
    bool reads, writes, warp;
} Effects;

static void add_call(Effects *e, LLVMValueRef call) {
    size_t len;
    Name n = name_of_call(call);
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &len);
    if (n != NAME_NONE) e->warp |= !name_is_thread_id(n);
    else if (!strncmp(name, "llvm.mem", 8)) {
        e->writes |= !shim_is_local(LLVMGetOperand(call, 0));
        e->reads = true;
    } else if (!LLVMIsDeclaration(LLVMGetCalledValue(call))) {
        e->reads = true, e->writes |= !shim_only_reads(call);
    }
}

static Effects effects_of(LLVMValueRef fn) {
    Effects e = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsALoadInst(i)) e.reads |= !shim_is_local(LLVMGetOperand(i, 0));
            if (LLVMIsAStoreInst(i)) e.writes |= !shim_is_local(LLVMGetOperand(i, 1));
            if (LLVMIsACallInst(i)) add_call(&e, i);
        }
    return e;
}

/* The same in all threads: computed from constants, such as the counter of a loop with a constant trip count. */
static bool is_fixed(LLVMValueRef v, PtrMap *seen) {
    if (LLVMIsAConstant(v) || map_get(seen, v, 0)) return true;
    if (!LLVMIsAInstruction(v) || LLVMIsACallInst(v) || LLVMIsALoadInst(v) || LLVMIsAAtomicRMWInst(v)) return false;
    map_put(seen, v, 1);
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_fixed(LLVMGetOperand(v, (unsigned)k), seen)) return false;
    return true;
}

static bool has_divergent_branch(Arena *a, LLVMValueRef fn) {
    for_each_block(b, fn) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
        if (LLVMGetNumSuccessors(t) < 2) continue;
        PtrMap seen = map_new(a);
        if (!is_fixed(LLVMGetOperand(t, 0), &seen)) return true;
    }
    return false;
}

static bool has_warp_op(LLVMBasicBlockRef b) {
    for_each_in_block(i, b)
        if (name_is_warp_op(name_of_call(i))) return true;
    return false;
}

/* All threads that call the function execute each of its warp-level functions, and equally often.  If they do not, the
** vector function could be refused when it is widened, where its kernels can no longer have a copy. */
static bool converges(LLVMValueRef fn) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, fn);
    bool divergent = has_divergent_branch(&a, fn), ok = !divergent || c->nloops == 0;
    for (int b = 0; b < c->n && ok && divergent; b++)
        if (has_warp_op(c->b[b].bb)) ok = cfg_postdominates(c, b, 0);
    arena_free(&a);
    return ok;
}

/* ---- f.called ---- */

static void copy_attributes(LLVMValueRef from, LLVMValueRef to) {
    unsigned n = LLVMGetAttributeCountAtIndex(from, FUNCTION), len;
    LLVMAttributeRef *all = malloc((n + 1) * sizeof *all);
    if (!all) abort();
    LLVMGetAttributesAtIndex(from, FUNCTION, all);
    for (unsigned k = 0; k < n; k++)
        if (LLVMIsStringAttribute(all[k]) && strncmp(LLVMGetStringAttributeKind(all[k], &len), "cucpu.", 6))
            LLVMAddAttributeAtIndex(to, FUNCTION, all[k]);
    free(all);
}

static void add_attribute(LLVMValueRef fn, LLVMAttributeIndex at, const char *name) {
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
    LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(c, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0));
}

static LLVMValueRef take_member(LLVMBuilderRef b, LLVMValueRef v, unsigned i) {
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind) return LLVMBuildExtractValue(b, v, i, "");
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
    return LLVMBuildExtractElement(b, v, LLVMConstInt(i32, i, 0), "");
}

static void take_apart(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef *to, unsigned *n) {
    if (is_scalar_type(LLVMTypeOf(v))) {
        to[(*n)++] = v;
        return;
    }
    for (unsigned i = 0; i < members_of(LLVMTypeOf(v)); i++) take_apart(b, take_member(b, v, i), to, n);
}

static LLVMValueRef put_together(LLVMBuilderRef b, LLVMTypeRef t, LLVMValueRef *from, unsigned *n) {
    if (is_scalar_type(t)) return from[(*n)++];
    LLVMValueRef v = LLVMGetPoison(t);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(t));
    for (unsigned i = 0; i < members_of(t); i++) {
        LLVMValueRef x = put_together(b, member_type(t, i), from, n);
        v = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMBuildInsertElement(b, v, x, LLVMConstInt(i32, i, 0), "")
                                                     : LLVMBuildInsertValue(b, v, x, i, "");
    }
    return v;
}

static LLVMTypeRef result_type(LLVMContextRef c, Scalars *s) {
    if (!s->results) return LLVMVoidTypeInContext(c);
    return s->results == 1 ? s->result[0] : LLVMStructTypeInContext(c, s->result, s->results, 0);
}

/* The scalars of what f.called returns. */
static void take_results(LLVMBuilderRef b, const Scalars *s, LLVMValueRef r, LLVMValueRef *to) {
    for (unsigned i = 0; i < s->results; i++) to[i] = s->results == 1 ? r : LLVMBuildExtractValue(b, r, i, "");
}

/* e: NULL of a recursive function, which may do anything. */
static LLVMValueRef make_called(Module *m, LLVMValueRef fn, Scalars *s, const Effects *e) {
    size_t len;
    const char *name = LLVMGetValueName2(fn, &len);
    LLVMTypeRef type = LLVMFunctionType(result_type(m->ctx, s), s->param, s->params, 0), t = LLVMGlobalGetValueType(fn);
    LLVMValueRef f =
        LLVMAddFunction(m->mod, arena_printf(&m->arena, e && e->warp ? CALLED_PREFIX "%s" : "%s.called", name), type);
    LLVMValueRef args[VECTOR_PARAMS], parts[VECTOR_PARAMS], results[VECTOR_RESULTS];
    unsigned n = 0;
    LLVMSetLinkage(f, LLVMInternalLinkage);
    copy_attributes(fn, f);
    static const char *const attributes[] = {"nounwind", "noinline", "willreturn"};
    for (size_t k = 0; k < (e ? 3 : 2); k++) add_attribute(f, FUNCTION, attributes[k]);
    if (!e) fn_set_attr(f, ATTR_RECURSIVE, "");
    else if (e->warp) add_attribute(f, FUNCTION, "convergent");
    else shim_set_memory(f, e->reads);
    fn_set_attr(f, ATTR_VECTOR, arena_printf(&m->arena, "%s.lanes", name));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(m->ctx, f, "entry"));
    LLVMGetParams(f, parts);
    for (unsigned i = 0; i < LLVMCountParams(fn); i++)
        args[i] = put_together(b, LLVMTypeOf(LLVMGetParam(fn, i)), parts, &n);
    LLVMValueRef call = LLVMBuildCall2(b, t, fn, args, LLVMCountParams(fn), "");
    n = 0;
    if (s->results) take_apart(b, call, results, &n);
    if (!n) LLVMBuildRetVoid(b);
    else if (n == 1) LLVMBuildRet(b, results[0]);
    else LLVMBuildAggregateRet(b, results, n);
    LLVMDisposeBuilder(b);
    if (!shim_inline_call(call)) bug("'%s' cannot be inlined", name);
    return f;
}

static void call_instead(Module *m, LLVMValueRef call, const Scalars *s, LLVMValueRef called) {
    LLVMValueRef args[VECTOR_PARAMS], results[VECTOR_RESULTS];
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    unsigned n = 0;
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) take_apart(b, LLVMGetOperand(call, i), args, &n);
    for (unsigned k = 0; k < THREAD_IDS; k++)
        if (s->ids >> k & 1) args[n++] = name_call(b, m->mod, (Name)(NAME_TID_X + k), NULL, 0, "");
    LLVMValueRef r = LLVMBuildCall2(b, LLVMGlobalGetValueType(called), called, args, n, "");
    take_results(b, s, r, results);
    n = 0;
    if (s->results) LLVMReplaceAllUsesWith(call, put_together(b, LLVMTypeOf(call), results, &n));
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(b);
}

/* ---- f.lanes ---- */

typedef struct Lanes {
    Module *m;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i64;
    LLVMValueRef fn, called, slot; /* bytes from one parameter or result to the next */
} Lanes;

static LLVMValueRef element(const Lanes *l, LLVMValueRef base, unsigned slot, LLVMValueRef lane, LLVMValueRef stride) {
    LLVMValueRef at = LLVMBuildNSWMul(l->b, l->slot, LLVMConstInt(l->i64, slot, 0), "");
    LLVMValueRef p = LLVMBuildInBoundsGEP2(l->b, l->i8, base, &at, 1, "");
    at = LLVMBuildNSWMul(l->b, lane, stride, "");
    return LLVMBuildInBoundsGEP2(l->b, l->i8, p, &at, 1, "");
}

static uint64_t size_of(const Lanes *l, LLVMTypeRef t) { return LLVMABISizeOfType(l->m->dl, t); }

/* Bits lie in bytes. */
static LLVMTypeRef stored_type(const Lanes *l, LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1 ? l->i8 : t;
}

/* The call of one lane, which this gives; parameter i of it has stride[i]. */
static LLVMValueRef call_of_lane(const Lanes *l, LLVMValueRef in, LLVMValueRef out, LLVMValueRef lane,
                                 const LLVMValueRef *stride) {
    LLVMTypeRef t = LLVMGlobalGetValueType(l->called), result = LLVMGetReturnType(t);
    LLVMValueRef args[VECTOR_PARAMS];
    unsigned n = LLVMCountParams(l->called);
    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef p = LLVMTypeOf(LLVMGetParam(l->called, i)), s = stored_type(l, p);
        args[i] = LLVMBuildLoad2(l->b, s, element(l, in, i + 1, lane, stride[i]), "");
        if (s != p) args[i] = LLVMBuildTrunc(l->b, args[i], p, "");
    }
    LLVMValueRef r = LLVMBuildCall2(l->b, t, l->called, args, n, "");
    bool whole = LLVMGetTypeKind(result) != LLVMStructTypeKind, nothing = LLVMGetTypeKind(result) == LLVMVoidTypeKind;
    for (unsigned i = 0; i < (nothing ? 0 : whole ? 1 : LLVMCountStructElementTypes(result)); i++) {
        LLVMValueRef v = whole ? r : LLVMBuildExtractValue(l->b, r, i, "");
        LLVMTypeRef s = stored_type(l, LLVMTypeOf(v));
        LLVMValueRef size = LLVMConstInt(l->i64, size_of(l, s), 0);
        if (s != LLVMTypeOf(v)) v = LLVMBuildZExt(l->b, v, s, "");
        LLVMBuildStore(l->b, v, element(l, out, i, lane, size));
    }
    return r;
}

static LLVMBasicBlockRef new_block(const Lanes *l, const char *name) {
    return LLVMAppendBasicBlockInContext(l->m->ctx, l->fn, name);
}

/* Where the mask has the lane, at the builder; on to `after`. */
static LLVMValueRef call_if_active(const Lanes *l, LLVMValueRef in, LLVMValueRef out, LLVMValueRef lane,
                                   const LLVMValueRef *stride, LLVMBasicBlockRef after) {
    LLVMValueRef one = LLVMConstInt(l->i64, 1, 0);
    LLVMValueRef active = LLVMBuildLoad2(l->b, l->i8, element(l, in, 0, lane, one), "active");
    LLVMBasicBlockRef body = new_block(l, "lane");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntNE, active, LLVMConstNull(l->i8), ""), body, after);
    LLVMPositionBuilderAtEnd(l->b, body);
    LLVMValueRef call = call_of_lane(l, in, out, lane, stride);
    LLVMBuildBr(l->b, after);
    return call;
}

static Lanes lanes_of_function(Module *m, LLVMValueRef fn, LLVMValueRef called, LLVMValueRef slot) {
    return (Lanes){.m = m,
                   .b = LLVMCreateBuilderInContext(m->ctx),
                   .i8 = LLVMInt8TypeInContext(m->ctx),
                   .i64 = LLVMInt64TypeInContext(m->ctx),
                   .fn = fn,
                   .called = called,
                   .slot = slot};
}

static void make_lanes(Module *m, LLVMValueRef called, const char *name, bool guarded) {
    Lanes l = lanes_of_function(m, NULL, called, NULL);
    LLVMTypeRef types[VECTOR_FIRST + VECTOR_PARAMS], ptr = LLVMPointerTypeInContext(m->ctx, 0);
    LLVMValueRef params[VECTOR_FIRST + VECTOR_PARAMS];
    unsigned n = VECTOR_FIRST + LLVMCountParams(called);
    for (unsigned i = 0; i < n; i++) types[i] = i < 2 ? ptr : l.i64;
    l.fn = LLVMAddFunction(m->mod, arena_printf(&m->arena, "%s.lanes", name),
                           LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), types, n, 0));
    copy_attributes(called, l.fn);
    add_attribute(l.fn, FUNCTION, "nounwind");
    add_attribute(l.fn, 1, "noalias"), add_attribute(l.fn, 1, "readonly"), add_attribute(l.fn, 2, "noalias");
    fn_set_attr(l.fn, ATTR_KERNEL, "");
    fn_set_attr(l.fn, ATTR_VECTOR, "");
    LLVMGetParams(l.fn, params);
    l.slot = params[2];
    LLVMBasicBlockRef entry = new_block(&l, "entry"), end = new_block(&l, "end");
    LLVMPositionBuilderAtEnd(l.b, entry);
    LLVMValueRef lane = LLVMBuildZExt(l.b, name_call(l.b, m->mod, NAME_TID_X, NULL, 0, "lane"), l.i64, ""), call;
    if (guarded) {
        call = call_if_active(&l, params[0], params[1], lane, params + VECTOR_FIRST, end);
    } else { /* may run for any lane, and exchanges need all */
        call = call_of_lane(&l, params[0], params[1], lane, params + VECTOR_FIRST);
        LLVMBuildBr(l.b, end);
    }
    LLVMPositionBuilderAtEnd(l.b, end);
    LLVMBuildRetVoid(l.b);
    LLVMDisposeBuilder(l.b);
    shim_inline_call(call);
}

/* What f.lanes is made of, by the name in an attribute of a variant. */
static LLVMValueRef called_by_variant(Module *m, LLVMValueRef variant) {
    unsigned n;
    const char *base = variant_of(variant).base;
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f && base; f = LLVMGetNextFunction(f)) {
        const char *of = fn_attr(f, ATTR_VECTOR, &n);
        if (of && !strcmp(of, base)) return f;
    }
    return NULL;
}

/* The body of a vector function of `called`: each active lane makes the call. */
static void call_each_lane(Module *m, LLVMValueRef fn, LLVMValueRef called, unsigned width) {
    unsigned len;
    Lanes l = lanes_of_function(m, fn, called, const_i64(m->ctx, VECTOR_SLOT(width)));
    const char *uniform = fn_attr(called, ATTR_UNIFORM, &len);
    LLVMValueRef stride[VECTOR_PARAMS];
    for (unsigned i = 0; i < LLVMCountParams(called); i++) {
        uint64_t size = size_of(&l, LLVMTypeOf(LLVMGetParam(called, i)));
        stride[i] = LLVMConstInt(l.i64, uniform[i] == '1' ? 0 : size, 0);
    }
    LLVMPositionBuilderAtEnd(l.b, new_block(&l, "entry"));
    for (unsigned lane = 0; lane < width; lane++) {
        LLVMBasicBlockRef next = new_block(&l, "next");
        call_if_active(&l, LLVMGetParam(fn, 0), LLVMGetParam(fn, 1), LLVMConstInt(l.i64, lane, 0), stride, next);
        LLVMPositionBuilderAtEnd(l.b, next);
    }
    LLVMBuildRetVoid(l.b);
    LLVMDisposeBuilder(l.b);
    become_vector_function(m, fn);
}

bool call_lane_by_lane(Module *m, LLVMValueRef fn) {
    LLVMValueRef called = called_by_variant(m, fn);
    if (!called || name_of_function(called) == NAME_CALLED) return false;
    shim_delete_body(fn);
    call_each_lane(m, fn, called, (unsigned)variant_width(fn));
    return true;
}

LLVMValueRef scalar_vector_function(Module *m, LLVMValueRef called, LLVMValueRef vector, unsigned width) {
    const char *name = arena_printf(&m->arena, "%s.scalar", value_name(vector));
    LLVMValueRef fn = LLVMGetNamedFunction(m->mod, name);
    if (fn) return fn;
    fn = LLVMAddFunction(m->mod, name, LLVMGlobalGetValueType(vector));
    copy_attributes(called, fn);
    add_attribute(fn, FUNCTION, "nounwind");
    fn_set_attr(fn, ATTR_VECTOR, "");
    call_each_lane(m, fn, called, width);
    return fn;
}

/* ---- all ---- */

static bool is_small_kernel(LLVMValueRef fn) { return is_kernel(fn) && !fn_has_attr(fn, ATTR_OUTLINED); }

/* small: in kernels that would not be too large. */
static void inline_calls(LLVMValueRef fn, bool small) {
    Vec(LLVMValueRef) calls = {0};
    Arena a = {0};
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u), in = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        if (!small || is_small_kernel(in)) vec_push(&a, &calls, call);
    }
    for (int i = 0; i < calls.n; i++) shim_inline_call(calls.v[i]);
    arena_free(&a);
}

static void replace_calls(Module *m, LLVMValueRef fn, const Scalars *s, LLVMValueRef called) {
    Vec(LLVMValueRef) calls = {0};
    for_each_user(u, fn) vec_push(&m->arena, &calls, u);
    for (int i = 0; i < calls.n; i++) call_instead(m, calls.v[i], s, called);
}

/* The address of a variable of a caller, which is memory only as long as it is passed: inlined, its fields are values,
** and are uniform if they were computed from such. */
static bool takes_variable(LLVMValueRef fn) {
    for_each_user(call, fn)
        for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
            LLVMValueRef v = LLVMGetOperand(call, i);
            if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && shim_is_local(v)) return true;
        }
    return false;
}

static void vectorise(Module *m, LLVMValueRef fn) {
    Scalars s = {0};
    size_t len;
    PtrMap seen;
    map_init(&seen, &m->arena);
    run_llvm_passes_on(m, fn, "sroa,early-cse,instsimplify,simplifycfg,sroa");
    Effects e = effects_of(fn);
    if (!is_only_called(fn) || !scalars_of(fn, &s) || e.writes || (e.warp && (e.reads || !converges(fn))) ||
        takes_variable(fn)) {
        inline_calls(fn, false);
        return;
    }
    inline_calls(fn, true);
    LLVMValueRef called = make_called(m, fn, &s, &e);
    replace_calls(m, fn, &s, called);
    make_lanes(m, called, LLVMGetValueName2(fn, &len), e.reads);
}

/* ---- recursive functions ---- */

/* Ids that any of them reads: each passes them on to the others. */
static unsigned ids_read(const LLVMValueRef *fns, int n) {
    unsigned ids = 0;
    for (int k = 0; k < n; k++)
        for_each_instruction(i, fns[k])
            if (name_is_thread_id(name_of_call(i))) ids |= 1u << (name_of_call(i) - NAME_TID_X);
    return ids;
}

/* Ids are the last parameters. */
static void take_ids_from_parameters(LLVMValueRef called, unsigned ids) {
    unsigned first = LLVMCountParams(called) - (unsigned)__builtin_popcount(ids);
    for_each_block(b, called)
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Name n = name_of_call(i);
            if (!name_is_thread_id(n)) continue;
            unsigned before = ids & ((1u << (n - NAME_TID_X)) - 1);
            replace_instruction(i, LLVMGetParam(called, first + (unsigned)__builtin_popcount(before)));
        }
}

/* All have their calls replaced before the body of any is copied to a kernel over lanes. */
static void vectorise_recursive(Module *m, const LLVMValueRef *fns, int n) {
    unsigned ids = ids_read(fns, n);
    Scalars *s = arena_array(&m->arena, Scalars, n + 1);
    LLVMValueRef *called = arena_array(&m->arena, LLVMValueRef, n + 1);
    for (int k = 0; k < n; k++) {
        scalars_of(fns[k], &s[k]);
        add_ids(m, &s[k], ids);
        called[k] = make_called(m, fns[k], &s[k], NULL);
    }
    for (int k = 0; k < n; k++) replace_calls(m, fns[k], &s[k], called[k]);
    for (int k = 0; k < n; k++) take_ids_from_parameters(called[k], ids);
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f) && !is_kernel(f) && !fn_has_attr(f, ATTR_OUTLINED) && ids) ids_from_thread(m, f);
    for (int k = 0; k < n; k++) make_lanes(m, called[k], value_name(fns[k]), true);
}

bool vectorise_calls(Module *m) {
    Vec(LLVMValueRef) chosen = {0}, recursive = {0};
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f) || is_kernel(f) || !fn_has_attr(f, ATTR_OUTLINED)) continue;
        if (fn_has_attr(f, ATTR_RECURSIVE)) vec_push(&m->arena, &recursive, f);
        else vec_push(&m->arena, &chosen, f);
    }
    for (int i = 0; i < chosen.n; i++) vectorise(m, chosen.v[i]);
    vectorise_recursive(m, recursive.v, recursive.n);
    if (chosen.n || recursive.n) run_llvm_passes(m, "globaldce");
    return true;
}
