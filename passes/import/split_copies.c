/* split_copies: copies between local structures become loads and stores of their fields.
**
** Device code that is not optimised yet passes structures by value: each call copies its arguments, once or twice. SROA
** splits such copies as well, but for each it analyses the other variable again: where that is an array with thousands
** of uses that cannot be promoted yet (its loops are not unrolled), time grows with the square of the code. Taken only
** if source and destination are local, the type of one of them is known by its variable or its address, and fields
** leave no gaps, which might hold parts of another member of a union. */
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>

enum { MAX_FIELDS = 16 };

typedef struct Fields {
    LLVMTypeRef type[MAX_FIELDS];
    unsigned n;
    bool fits;
} Fields;

/* All scalars of the type, in order. */
static void add_fields(Fields *f, LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMStructTypeKind:
        for (unsigned k = 0; k < LLVMCountStructElementTypes(t) && f->fits; k++)
            add_fields(f, LLVMStructGetTypeAtIndex(t, k));
        return;
    case LLVMArrayTypeKind:
        for (uint64_t k = 0; k < LLVMGetArrayLength2(t) && f->fits; k++) add_fields(f, LLVMGetElementType(t));
        return;
    case LLVMIntegerTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        if (f->n < MAX_FIELDS) f->type[f->n++] = t;
        else f->fits = false;
        return;
    default: f->fits = false;
    }
}

/* The type at an address, by the instruction that computes it; NULL: unknown. */
static LLVMTypeRef type_at(LLVMValueRef address) {
    if (LLVMIsAAllocaInst(address)) return LLVMGetAllocatedType(address);
    if (!LLVMIsAGetElementPtrInst(address)) return NULL;
    LLVMTypeRef t = LLVMGetGEPSourceElementType(address);
    for (int k = 2; k < LLVMGetNumOperands(address); k++) {
        LLVMValueRef index = LLVMGetOperand(address, (unsigned)k);
        switch (LLVMGetTypeKind(t)) {
        case LLVMStructTypeKind: t = LLVMStructGetTypeAtIndex(t, (unsigned)LLVMConstIntGetZExtValue(index)); break;
        case LLVMArrayTypeKind: t = LLVMGetElementType(t); break;
        default: return NULL;
        }
    }
    return t;
}

static bool is_local_object(LLVMValueRef address) {
    while (LLVMIsAGetElementPtrInst(address)) address = LLVMGetOperand(address, 0);
    return LLVMIsAAllocaInst(address);
}

/* The fields that fill `bytes` at the address, all of them without a gap. */
static bool fields_at(Module *m, LLVMValueRef address, uint64_t bytes, Fields *f) {
    LLVMTypeRef t = type_at(address);
    uint64_t sum = 0;
    *f = (Fields){.fits = t && LLVMTypeIsSized(t) && LLVMABISizeOfType(m->dl, t) == bytes};
    if (f->fits) add_fields(f, t);
    for (unsigned k = 0; k < f->n; k++) {
        uint64_t size = LLVMStoreSizeOfType(m->dl, f->type[k]);
        f->fits &=
            LLVMSizeOfTypeInBits(m->dl, f->type[k]) == 8 * size && sum % LLVMABIAlignmentOfType(m->dl, f->type[k]) == 0;
        sum += size;
    }
    return f->fits && f->n && sum == bytes;
}

static LLVMValueRef field_address(Module *m, LLVMBuilderRef b, LLVMValueRef base, uint64_t at) {
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(m->ctx), at, 0);
    return at ? LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(m->ctx), base, &index, 1, "") : base;
}

/* The largest power of two that divides both: the first and, where it is not 0, the second. */
static unsigned common_align(uint64_t align, uint64_t at) {
    uint64_t bits = align | at;
    return (unsigned)(bits & -bits);
}

/* All loads before any store: source and destination may be the same. */
static void copy_fields(Module *m, LLVMBuilderRef b, LLVMValueRef copy, const Fields *f) {
    LLVMValueRef to = LLVMGetOperand(copy, 0), from = LLVMGetOperand(copy, 1), v[MAX_FIELDS];
    set_insert_point(b, copy);
    uint64_t at = 0;
    for (unsigned k = 0; k < f->n; at += LLVMStoreSizeOfType(m->dl, f->type[k++])) {
        v[k] = LLVMBuildLoad2(b, f->type[k], field_address(m, b, from, at), "");
        LLVMSetAlignment(v[k], common_align(call_align(copy, 1), at));
    }
    at = 0;
    for (unsigned k = 0; k < f->n; at += LLVMStoreSizeOfType(m->dl, f->type[k++]))
        LLVMSetAlignment(LLVMBuildStore(b, v[k], field_address(m, b, to, at)), common_align(call_align(copy, 0), at));
    LLVMInstructionEraseFromParent(copy);
}

static bool is_local_copy(LLVMValueRef i, unsigned memcpy_id) {
    if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)) ||
        LLVMGetIntrinsicID(LLVMGetCalledValue(i)) != memcpy_id)
        return false;
    LLVMValueRef size = LLVMGetOperand(i, 2), is_volatile = LLVMGetOperand(i, 3);
    return LLVMIsAConstantInt(size) && is_constant(is_volatile, 0) && is_local_object(LLVMGetOperand(i, 0)) &&
           is_local_object(LLVMGetOperand(i, 1));
}

void split_copies(Module *m, LLVMValueRef fn) {
    unsigned id = LLVMLookupIntrinsicID("llvm.memcpy", 11);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_block(bb, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Fields f;
            if (!is_local_copy(i, id)) continue;
            uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
            if (fields_at(m, LLVMGetOperand(i, 0), bytes, &f) || fields_at(m, LLVMGetOperand(i, 1), bytes, &f))
                copy_fields(m, b, i, &f);
        }
    LLVMDisposeBuilder(b);
}
