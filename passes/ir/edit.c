/* edit.c: see edit.h. */
#include "passes/ir/edit.h"
#include "passes/ir/names.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

void set_insert_point(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMPositionBuilderBefore(b, i);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
}

LLVMValueRef build_intrinsic2(LLVMBuilderRef b, const char *name, LLVMValueRef x, LLVMValueRef y) {
    LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(m, LLVMLookupIntrinsicID(name, strlen(name)), &t, 1), args[] = {x, y};
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, 2, "");
}

LLVMValueRef build_shuffle(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, const int *lane, unsigned n) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(x)));
    LLVMValueRef mask[128];
    for (unsigned l = 0; l < n; l++)
        mask[l] = lane[l] < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)lane[l], 0);
    return LLVMBuildShuffleVector(b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(mask, n), "");
}

LLVMValueRef build_lanes(LLVMBuilderRef b, LLVMValueRef v, unsigned from, unsigned n) {
    LLVMTypeRef t = LLVMTypeOf(v);
    unsigned have = lanes_of(t);
    int lane[128];
    if (have == n) return v;
    if (!is_vector(v))
        return LLVMBuildInsertElement(b, LLVMGetPoison(LLVMVectorType(t, n)), v,
                                      LLVMConstNull(LLVMInt32TypeInContext(LLVMGetTypeContext(t))), "");
    for (unsigned l = 0; l < n; l++) lane[l] = from + l < have ? (int)(from + l) : -1;
    return build_shuffle(b, v, NULL, lane, n);
}

LLVMValueRef build_named_call(LLVMBuilderRef b, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n) {
    LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    LLVMTypeRef types[8];
    for (unsigned i = 0; i < n; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef t = LLVMFunctionType(result, types, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(m, name);
    if (!f) f = LLVMAddFunction(m, name, t);
    return LLVMBuildCall2(b, t, f, args, n, "");
}

void replace_instruction(LLVMValueRef i, LLVMValueRef v) {
    LLVMReplaceAllUsesWith(i, v);
    LLVMInstructionEraseFromParent(i);
}

void erase_instruction(LLVMValueRef i) {
    if (!is_void(i)) LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
    LLVMInstructionEraseFromParent(i);
}

LLVMValueRef first_after_phis(LLVMBasicBlockRef bb) {
    LLVMValueRef i = LLVMGetFirstInstruction(bb);
    while (i && LLVMIsAPHINode(i)) i = LLVMGetNextInstruction(i);
    return i;
}

LLVMValueRef operand_insertion_point(LLVMValueRef user, unsigned k) {
    if (!LLVMIsAPHINode(user)) return user;
    return LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, k));
}

LLVMValueRef entry_alloca(LLVMValueRef fn, LLVMTypeRef type, const char *name) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
    LLVMValueRef a = LLVMBuildAlloca(b, type, name);
    LLVMDisposeBuilder(b);
    return a;
}

LLVMValueRef internal_global(LLVMModuleRef mod, LLVMValueRef init, const char *name, bool constant) {
    LLVMValueRef g = LLVMAddGlobal(mod, LLVMTypeOf(init), name);
    LLVMSetInitializer(g, init);
    LLVMSetGlobalConstant(g, constant);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    return g;
}

static unsigned scratch_kind(LLVMTypeRef t) {
    return LLVMGetMDKindIDInContext(LLVMGetTypeContext(t), MD_SCRATCH, sizeof MD_SCRATCH - 1);
}

LLVMValueRef entry_scratch(LLVMValueRef fn, LLVMTypeRef type, const char *name) {
    LLVMValueRef a = entry_alloca(fn, type, name);
    LLVMContextRef c = LLVMGetTypeContext(type);
    LLVMSetMetadata(a, scratch_kind(type), LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
    return a;
}

bool is_scratch(LLVMValueRef alloca) { return LLVMGetMetadata(alloca, scratch_kind(LLVMTypeOf(alloca))) != NULL; }

LLVMValueRef clone_at(LLVMBuilderRef b, LLVMValueRef inst) {
    LLVMValueRef c = LLVMInstructionClone(inst);
    LLVMInsertIntoBuilderWithName(b, c, is_void(inst) ? "" : value_name(inst));
    return c;
}

static void set_mark(LLVMValueRef i, const char *kind) {
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(i));
    LLVMSetMetadata(i, LLVMGetMDKindIDInContext(c, kind, (unsigned)strlen(kind)),
                    LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
}

static bool is_marked(LLVMValueRef i, const char *kind) {
    return LLVMGetMetadata(
               i, LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(i)), kind, (unsigned)strlen(kind))) != NULL;
}

void mark_undivided(LLVMValueRef access) { set_mark(access, MD_UNDIVIDED); }

bool is_undivided(LLVMValueRef inst) { return is_marked(inst, MD_UNDIVIDED); }

void mark_blendable(LLVMValueRef store) { set_mark(store, MD_BLENDABLE); }

bool is_blendable(LLVMValueRef inst) { return is_marked(inst, MD_BLENDABLE); }

void mark_columns(LLVMValueRef access, bool wraps) {
    set_mark(access, MD_COLUMNS);
    if (wraps) set_mark(access, MD_WRAPS);
}

bool columns_may_wrap(LLVMValueRef inst) { return is_marked(inst, MD_WRAPS); }

bool is_coverage(LLVMValueRef v) {
    const char *section = LLVMIsAGlobalVariable(v) ? LLVMGetSection(v) : NULL;
    return (section && !strncmp(section, "__llvm_", 7)) || !strncmp(value_name(v), "__llvm_gcov", 11);
}

bool is_of_columns(LLVMValueRef inst) { return is_marked(inst, MD_COLUMNS); }

bool is_vector_of_bits(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v), e = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : NULL;
    return e && LLVMGetTypeKind(e) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) == 1;
}

unsigned lanes_of(LLVMTypeRef t) { return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1; }

LLVMValueRef const_i32(LLVMValueRef fn, uint64_t v) {
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
    return LLVMConstInt(LLVMInt32TypeInContext(c), v, 0);
}

LLVMValueRef const_i64(LLVMContextRef c, uint64_t v) { return LLVMConstInt(LLVMInt64TypeInContext(c), v, 0); }

bool is_void(LLVMValueRef inst) { return LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVoidTypeKind; }

static bool has_attribute(LLVMValueRef f, const char *name, size_t len, uint64_t value) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, len);
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
    return a && LLVMGetEnumAttributeValue(a) == value;
}

static LLVMValueRef called_intrinsic(LLVMValueRef i) {
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return f && LLVMIsAFunction(f) && LLVMGetIntrinsicID(f) ? f : NULL;
}

long function_size(LLVMValueRef fn) {
    long n = 0;
    for_each_instruction(i, fn) n++;
    return n;
}

bool is_pure_intrinsic(LLVMValueRef i) {
    LLVMValueRef f = called_intrinsic(i);
    return f && !is_void(i) && has_attribute(f, "memory", 6, 0) && has_attribute(f, "speculatable", 12, 0);
}

bool is_fma(LLVMValueRef i) {
    LLVMValueRef f = called_intrinsic(i);
    if (!f) return false;
    unsigned id = LLVMGetIntrinsicID(f);
    return id == LLVMLookupIntrinsicID("llvm.fma", 8) || id == LLVMLookupIntrinsicID("llvm.fmuladd", 12);
}

bool is_lifetime(LLVMValueRef i) {
    LLVMValueRef f = called_intrinsic(i);
    return f && !strncmp(value_name(f), "llvm.lifetime.", 14);
}

bool is_assume(LLVMValueRef i) { return !strcmp(called_name(i), "llvm.assume"); }

static bool removable(LLVMValueRef i) {
    if (LLVMGetFirstUse(i) || is_void(i)) return false;
    if (LLVMIsATerminatorInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) return false;
    if (LLVMIsALoadInst(i)) return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsACallInst(i)) {
        Name n = name_of_call(i);
        return n != NAME_NONE ? !name_is_convergent(n) && n != NAME_MASK : is_pure_intrinsic(i);
    }
    return true;
}

void delete_dead(LLVMValueRef fn) {
    for (bool changed = true; changed;) {
        changed = false;
        for (LLVMBasicBlockRef b = LLVMGetLastBasicBlock(fn); b; b = LLVMGetPreviousBasicBlock(b))
            for (LLVMValueRef i = LLVMGetLastInstruction(b), prev; i; i = prev) {
                prev = LLVMGetPreviousInstruction(i);
                if (!removable(i)) continue;
                LLVMInstructionEraseFromParent(i);
                changed = true;
            }
    }
}

LLVMIntPredicate swapped_predicate(LLVMIntPredicate p) {
    static const LLVMIntPredicate swapped[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT, LLVMIntULE, LLVMIntUGT,
                                               LLVMIntUGE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    return swapped[p - LLVMIntEQ]; /* of EQ, NE, UGT, UGE, ULT, ... */
}

bool min_max_predicate(LLVMValueRef i, LLVMIntPredicate *p) {
    static const struct {
        const char *name;
        LLVMIntPredicate p;
    } rows[] = {
        {"llvm.smax", LLVMIntSGE}, {"llvm.smin", LLVMIntSLE}, {"llvm.umax", LLVMIntUGE}, {"llvm.umin", LLVMIntULE}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (is_intrinsic(i, rows[k].name)) return *p = rows[k].p, true;
    return false;
}

bool is_less_predicate(LLVMIntPredicate p) {
    return p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
}

LLVMIntPredicate inverse_predicate(LLVMIntPredicate p) {
    static const LLVMIntPredicate inverse[] = {LLVMIntNE,  LLVMIntEQ,  LLVMIntULE, LLVMIntULT, LLVMIntUGE,
                                               LLVMIntUGT, LLVMIntSLE, LLVMIntSLT, LLVMIntSGE, LLVMIntSGT};
    return inverse[p - LLVMIntEQ];
}

LLVMValueRef first_use(LLVMValueRef v) {
    for_each_user(user, v) {
        LLVMValueRef found = LLVMIsAConstantExpr(user) ? first_use(user) : user;
        if (found && LLVMIsAInstruction(found)) return found;
    }
    return NULL;
}

enum { TYPE_DEPTH = 8 };

/* The TBAA type of the access: a scalar type, as metadata; NULL: none. */
static LLVMValueRef accessed_type(LLVMValueRef i) {
    LLVMValueRef tag = LLVMGetMetadata(i, LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(i)), "tbaa", 4)),
                 of[4];
    unsigned n = tag ? LLVMGetMDNodeNumOperands(tag) : 0;
    if (n < 3 || n > 4) return NULL;
    LLVMGetMDNodeOperands(tag, of);
    return of[1];
}

/* The parent of a TBAA type: that of `int` is `omnipotent char`. */
static LLVMValueRef parent_type(LLVMValueRef type) {
    LLVMValueRef of[3];
    if (!type || LLVMGetMDNodeNumOperands(type) != 3) return NULL; /* the root, or a structure */
    LLVMGetMDNodeOperands(type, of);
    return of[1];
}

static bool is_type_in(LLVMValueRef inner, LLVMValueRef outer) {
    for (int d = 0; inner && d < TYPE_DEPTH; d++, inner = parent_type(inner))
        if (inner == outer) return true;
    return inner != NULL;
}

bool types_apart(LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef x = accessed_type(a), y = accessed_type(b);
    return parent_type(x) && parent_type(y) && !is_type_in(x, y) && !is_type_in(y, x);
}

void change_instructions(LLVMModuleRef mod, bool (*takes)(LLVMValueRef i),
                         void (*change)(LLVMBuilderRef b, LLVMValueRef i)) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(mod));
    for_each_function(f, mod)
        for_each_block(bb, f)
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (takes(i)) change(b, i);
            }
    LLVMDisposeBuilder(b);
}

LLVMValueRef value_from(LLVMValueRef phi, LLVMBasicBlockRef from) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == from) return LLVMGetIncomingValue(phi, k);
    return NULL;
}
