/* narrow_masked: a masked load or store whose mask has become constant, with its active lanes in one interval, becomes
** an access of just these lanes.
**
** in:  optimised entries
** out: llvm.masked.load and .store with constant masks <0..0 1..1 0..0> are plain, narrower loads and stores of exactly
**      the same bytes; those with no active lane are gone
** Why: a CPU does not forward a masked store to a later load. In `for (w = 128; w; w /= 2) { if (tid < w) s[tid] +=
** s[tid + w]; barrier }` the last steps are a chain of such pairs, some 15 cycles each. Intervals of up to two powers
** of two (12 = 8 + 4 lanes) are profitable. Gathers are left alone. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

typedef struct Access {
    LLVMValueRef call, pointer, mask, value; /* value: what is stored, or the value for inactive lanes */
    bool store;
    unsigned lanes, first, count; /* the interval */
} Access;

static bool find_access(LLVMValueRef i, Access *a) {
    MaskedOperands m;
    if (!masked_operands(i, &m) || m.scattered) return false;
    a->call = i;
    a->store = m.store;
    a->pointer = LLVMGetOperand(i, m.pointer);
    a->mask = LLVMGetOperand(i, m.mask);
    a->value = LLVMGetOperand(i, m.value);
    a->lanes = lanes_of(LLVMTypeOf(a->mask));
    return LLVMIsConstant(a->mask);
}

/* The active lanes are one interval, which is filled in. A lane that is poison counts as inactive: any behaviour is
** allowed there. */
static bool find_interval(Access *a) {
    a->first = a->lanes;
    a->count = 0;
    for (unsigned l = 0; l < a->lanes; l++) {
        LLVMValueRef bit = LLVMGetAggregateElement(a->mask, l);
        if (!bit || (!LLVMIsAConstantInt(bit) && !LLVMIsUndef(bit))) return false;
        if (!LLVMIsAConstantInt(bit) || !LLVMConstIntGetZExtValue(bit)) continue;
        if (a->first == a->lanes) a->first = l;
        if (l != a->first + a->count) return false;
        a->count++;
    }
    unsigned rest = a->count & (a->count - 1);
    return !(rest & (rest - 1));
}

static LLVMValueRef lane_list(LLVMTypeRef i32, int from, unsigned n, int low, int high) {
    LLVMValueRef v[64];
    for (unsigned i = 0; i < n; i++) {
        int l = from + (int)i;
        v[i] = l >= low && l < high ? LLVMConstInt(i32, (unsigned)l, 0) : LLVMGetPoison(i32);
    }
    return LLVMConstVector(v, n);
}

static unsigned access_alignment(const Access *a, unsigned element_bytes) {
    unsigned align = call_align(a->call, a->store ? 1 : 0), offset = a->first * element_bytes;
    while (offset % align) align /= 2;
    return align;
}

static void copy_facts(LLVMValueRef from, LLVMValueRef to) {
    size_t n;
    LLVMValueMetadataEntry *e = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &n);
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(from));
    for (unsigned i = 0; i < n; i++)
        LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(e, i),
                        LLVMMetadataAsValue(c, LLVMValueMetadataEntriesGetMetadata(e, i)));
    LLVMDisposeValueMetadataEntries(e);
}

/* The loaded interval at its position among all lanes. */
static LLVMValueRef spread_part(LLVMBuilderRef b, const Access *a, LLVMValueRef part) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(part)));
    LLVMTypeRef one = LLVMGetElementType(LLVMTypeOf(a->value));
    if (a->count == 1) return LLVMBuildInsertElement(b, a->value, part, LLVMConstInt(i32, a->first, 0), "");
    if (a->count == a->lanes) return part;
    LLVMValueRef all = LLVMBuildShuffleVector(b, part, LLVMGetPoison(LLVMVectorType(one, a->count)),
                                              lane_list(i32, -(int)a->first, a->lanes, 0, (int)a->count), "");
    if (LLVMIsPoison(a->value)) return all;
    return LLVMBuildSelect(b, a->mask, all, a->value, "");
}

static void narrow_access(Module *m, LLVMBuilderRef b, const Access *a) {
    LLVMTypeRef t = LLVMTypeOf(a->value), one = LLVMGetElementType(t), i32 = LLVMInt32TypeInContext(m->ctx);
    LLVMTypeRef part_type = a->count == 1 ? one : LLVMVectorType(one, a->count);
    set_insert_point(b, a->call);
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(m->ctx), a->first, 0), access = NULL;
    LLVMValueRef at = a->count && a->first ? LLVMBuildGEP2(b, one, a->pointer, &index, 1, "") : a->pointer;
    if (!a->count) {
        if (!a->store) LLVMReplaceAllUsesWith(a->call, a->value);
    } else if (a->store) {
        LLVMValueRef part = a->value;
        if (a->count == 1) part = LLVMBuildExtractElement(b, part, LLVMConstInt(i32, a->first, 0), "");
        else if (a->count < a->lanes)
            part = LLVMBuildShuffleVector(b, part, LLVMGetPoison(t),
                                          lane_list(i32, (int)a->first, a->count, 0, (int)a->lanes), "");
        access = LLVMBuildStore(b, part, at);
    } else {
        access = LLVMBuildLoad2(b, part_type, at, "");
        LLVMReplaceAllUsesWith(a->call, spread_part(b, a, access));
    }
    if (access) {
        LLVMSetAlignment(access, access_alignment(a, (unsigned)LLVMABISizeOfType(m->dl, one)));
        copy_facts(a->call, access);
    }
    LLVMInstructionEraseFromParent(a->call);
}

bool narrow_masked(Module *m) {
    if (m->opt->opt_level == 0 || pass_disabled(m, "narrow_masked")) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod)
        for_each_block(bb, f)
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                Access a;
                next = LLVMGetNextInstruction(i);
                LLVMTypeRef one =
                    LLVMIsACallInst(i) && find_access(i, &a) ? LLVMGetElementType(LLVMTypeOf(a.value)) : NULL;
                if (one && LLVMABISizeOfType(m->dl, one) * 8 == LLVMSizeOfTypeInBits(m->dl, one) && find_interval(&a))
                    narrow_access(m, b, &a);
            }
    LLVMDisposeBuilder(b);
    return true;
}
