/* value.c: see value.h. */
#include "passes/ir/value.h"
#include <string.h>

static unsigned class_of(LLVMOpcode op) {
    switch (op) {
    case LLVMAdd:
    case LLVMSub: return OP_ADD;
    case LLVMMul: return OP_MUL;
    case LLVMShl: return OP_SHL;
    case LLVMLShr:
    case LLVMAShr: return OP_SHR;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: return OP_BITWISE;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: return OP_DIV;
    case LLVMZExt:
    case LLVMSExt: return OP_EXT;
    case LLVMTrunc: return OP_TRUNC;
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast: return OP_PTR_CAST;
    case LLVMICmp: return OP_ICMP;
    case LLVMSelect: return OP_SELECT;
    case LLVMGetElementPtr: return OP_GEP;
    case LLVMFreeze: return OP_FREEZE;
    case LLVMPHI: return OP_PHI;
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem: return OP_FLOAT;
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt: return OP_FCAST;
    case LLVMFCmp: return OP_FCMP;
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector: return OP_VECTOR;
    case LLVMExtractValue:
    case LLVMInsertValue: return OP_AGGREGATE;
    case LLVMCall: return OP_CALL;
    case LLVMLoad: return OP_LOAD;
    case LLVMStore: return OP_STORE;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return OP_ATOMIC;
    default: return OP_OTHER;
    }
}

LLVMOpcode opcode(LLVMValueRef v) { return LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : (LLVMOpcode)0; }
unsigned op_class(LLVMValueRef v) { return LLVMIsAInstruction(v) ? class_of(LLVMGetInstructionOpcode(v)) : 0; }

bool is_constant(LLVMValueRef v, uint64_t c) { return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == c; }

LLVMValueRef const_int_of(LLVMValueRef v, int64_t c) { return LLVMConstInt(LLVMTypeOf(v), (uint64_t)c, 1); }
LLVMValueRef const_bool(LLVMContextRef c, bool v) { return LLVMConstInt(LLVMInt1TypeInContext(c), v, 0); }

LLVMTypeRef element_type(LLVMTypeRef t) { return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t; }
bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }
bool is_integer(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind; }
unsigned int_bits(LLVMValueRef v) { return LLVMGetIntTypeWidth(element_type(LLVMTypeOf(v))); }

bool is_integer_type(LLVMTypeRef t, unsigned bits) {
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == bits;
}

bool is_float_or_double(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(element_type(t));
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

bool is_float_type(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind || k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind;
}

const char *value_name(LLVMValueRef v) {
    size_t len;
    return LLVMGetValueName2(v, &len);
}

LLVMValueRef called_function(LLVMValueRef v) {
    LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
    return f && LLVMIsAFunction(f) ? f : NULL;
}

const char *called_name(LLVMValueRef v) {
    LLVMValueRef f = called_function(v);
    return f ? value_name(f) : "";
}

static unsigned intrinsic_id(LLVMValueRef v) {
    LLVMValueRef f = called_function(v);
    return f ? LLVMGetIntrinsicID(f) : 0;
}

bool is_intrinsic(LLVMValueRef v, const char *name) {
    unsigned id = intrinsic_id(v);
    return id && id == LLVMLookupIntrinsicID(name, strlen(name));
}

bool is_int_min_max(LLVMValueRef v) {
    return is_intrinsic(v, "llvm.smin") || is_intrinsic(v, "llvm.smax") || is_intrinsic(v, "llvm.umin") ||
           is_intrinsic(v, "llvm.umax");
}

unsigned call_align(LLVMValueRef call, unsigned argument) {
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, argument + 1, LLVMGetEnumAttributeKindForName("align", 5));
    return a ? (unsigned)LLVMGetEnumAttributeValue(a) : 1;
}

unsigned value_operands(LLVMValueRef i) {
    return LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : (unsigned)LLVMGetNumOperands(i);
}

int accessed_operand(LLVMValueRef i) {
    if (is_op(i, OP_LOAD | OP_ATOMIC)) return 0;
    return is_op(i, OP_STORE) ? 1 : -1;
}

bool is_plain_add(LLVMValueRef v) { return opcode(v) == LLVMAdd || (opcode(v) == LLVMOr && LLVMGetIsDisjoint(v)); }

bool have_same_flags(LLVMValueRef v, LLVMValueRef w) {
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl: return LLVMGetNSW(v) == LLVMGetNSW(w) && LLVMGetNUW(v) == LLVMGetNUW(w);
    case LLVMZExt: return LLVMGetNNeg(v) == LLVMGetNNeg(w);
    case LLVMSExt: return true;
    case LLVMGetElementPtr:
        return LLVMGetGEPSourceElementType(v) == LLVMGetGEPSourceElementType(w) &&
               LLVMGEPGetNoWrapFlags(v) == LLVMGEPGetNoWrapFlags(w);
    default: return false;
    }
}

LLVMValueRef splat_value(LLVMValueRef v) {
    LLVMValueRef one = LLVMIsAShuffleVectorInst(v) ? LLVMGetOperand(v, 0) : NULL;
    if (!one || !LLVMIsAInsertElementInst(one) || !is_constant(LLVMGetOperand(one, 2), 0)) return NULL;
    for (unsigned l = 0; l < LLVMGetNumMaskElements(v); l++)
        if (LLVMGetMaskValue(v, l) > 0) return NULL; /* below: poison */
    return LLVMGetOperand(one, 1);
}

bool masked_operands(LLVMValueRef v, MaskedOperands *m) {
    static const struct {
        const char *name;
        MaskedOperands operands;
    } rows[] = {{"llvm.masked.load", {0, 1, 2, false, false}},
                {"llvm.masked.store", {1, 2, 0, true, false}},
                {"llvm.masked.gather", {0, 1, 2, false, true}},
                {"llvm.masked.scatter", {1, 2, 0, true, true}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (is_intrinsic(v, rows[k].name)) return *m = rows[k].operands, true;
    return false;
}

static bool only_read(LLVMValueRef p, int depth) {
    if (depth > 16) return false;
    for_each_user(i, p) {
        if (LLVMIsALoadInst(i)) continue;
        if (LLVMIsAGetElementPtrInst(i) || LLVMIsAAddrSpaceCastInst(i)) {
            if (only_read(i, depth + 1)) continue;
            return false;
        }
        LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (!f || !LLVMIsAFunction(f) || strncmp(value_name(f), "llvm.memcpy", 11)) return false;
        if (LLVMGetOperand(i, 0) == p) return false;
    }
    return true;
}

bool memory_only_read(LLVMValueRef p) { return only_read(p, 0); }

bool refers_to_shared(LLVMValueRef v) {
    if (!LLVMIsAConstant(v) || LLVMIsAFunction(v)) return false;
    if (LLVMIsAGlobalVariable(v)) return LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3;
    bool shared = false;
    for (int k = 0; k < LLVMGetNumOperands(v) && !shared; k++)
        shared = refers_to_shared(LLVMGetOperand(v, (unsigned)k));
    return shared;
}
