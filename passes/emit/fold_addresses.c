/* fold_addresses: gathers and scatters get a scalar base and a narrow index again.
**
** in, out: widen gives each gather and scatter an address of the form scalar + index vector. LICM, in `optimise`,
**          hoists the loop-invariant part of it as a vector of pointers, and broadcasts what is added to that: two
**          registers of 64-bit addresses, and an access in two halves.
** The code generator looks for the scalar base only in the block of the access. So the address is decomposed, through
** all GEPs, additions and shifts, into scalar terms, constants, and at most one other vector, and reassembled before
** the access. Scalar terms cost one addition each; the vectors become dead. */
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MAX_TERMS = 8, MAX_DEPTH = 12 };

typedef struct Term {
    LLVMValueRef v; /* integer or vector of integers, sign-extended to 64 bits */
    int64_t scale;  /* bytes */
} Term;

typedef struct Address {
    Module *m;
    LLVMValueRef base;
    Term scalar[MAX_TERMS], vector;
    unsigned n, lanes, depth;
    int64_t bytes[64]; /* constant part of each lane */
} Address;

static bool constant_lanes(const Address *a, LLVMValueRef v, int64_t *lane) {
    if (!LLVMIsAConstant(v)) return false;
    for (unsigned i = 0; i < a->lanes; i++) {
        LLVMValueRef e = is_vector(v) ? LLVMGetAggregateElement(v, i) : v;
        if (!e || !LLVMIsAConstantInt(e) || int_bits(e) > 64) return false;
        lane[i] = LLVMConstIntGetSExtValue(e);
    }
    return true;
}

static bool add_scalar(Address *a, LLVMValueRef v, int64_t scale) {
    if (a->n == MAX_TERMS) return false;
    a->scalar[a->n++] = (Term){v, scale};
    return true;
}

/* Adds v * scale; v is as wide as an address, so all arithmetic below is modular like that of addresses. */
static bool add_vector_index(Address *a, LLVMValueRef v, int64_t scale) {
    int64_t lane[64];
    LLVMValueRef s;
    bool whole = LLVMGetIntTypeWidth(is_vector(v) ? LLVMGetElementType(LLVMTypeOf(v)) : LLVMTypeOf(v)) == 64;
    if (++a->depth > 4 * MAX_DEPTH) return false;
    if (constant_lanes(a, v, lane)) {
        for (unsigned i = 0; i < a->lanes; i++) a->bytes[i] += lane[i] * scale;
        return true;
    }
    if (!is_vector(v)) return add_scalar(a, v, scale);
    if ((s = splat_value(v))) return add_scalar(a, s, scale);
    if (whole && LLVMIsAInstruction(v)) switch (LLVMGetInstructionOpcode(v)) {
        case LLVMAdd:
            return add_vector_index(a, LLVMGetOperand(v, 0), scale) && add_vector_index(a, LLVMGetOperand(v, 1), scale);
        case LLVMOr:
            if (!LLVMGetIsDisjoint(v)) break;
            return add_vector_index(a, LLVMGetOperand(v, 0), scale) && add_vector_index(a, LLVMGetOperand(v, 1), scale);
        case LLVMShl:
        case LLVMMul: {
            if (!constant_lanes(a, LLVMGetOperand(v, 1), lane)) break;
            for (unsigned i = 1; i < a->lanes; i++)
                if (lane[i] != lane[0]) return false;
            bool shift = LLVMGetInstructionOpcode(v) == LLVMShl;
            if (shift ? lane[0] < 0 || lane[0] > 20 : lane[0] < 0 || lane[0] > 1 << 20) return false;
            return add_vector_index(a, LLVMGetOperand(v, 0), shift ? scale << lane[0] : scale * lane[0]);
        }
        case LLVMSExt: return add_vector_index(a, LLVMGetOperand(v, 0), scale);
        case LLVMZExt:
            if (!LLVMGetNNeg(v)) break;
            return add_vector_index(a, LLVMGetOperand(v, 0), scale);
        default: break;
        }
    if (a->vector.v) return false;
    a->vector = (Term){v, scale};
    return true;
}

static bool add_gep(Address *a, LLVMValueRef gep) {
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
        LLVMValueRef i = LLVMGetOperand(gep, (unsigned)k);
        if (k > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            if (!LLVMIsAConstantInt(i)) return false;
            unsigned f = (unsigned)LLVMConstIntGetZExtValue(i);
            for (unsigned l = 0; l < a->lanes; l++) a->bytes[l] += (int64_t)LLVMOffsetOfElement(a->m->dl, t, f);
            t = LLVMStructGetTypeAtIndex(t, f);
            continue;
        }
        if (k > 1) t = LLVMGetElementType(t);
        uint64_t size = LLVMABISizeOfType(a->m->dl, t);
        if (size > 1 << 20 || !add_vector_index(a, i, (int64_t)size)) return false;
    }
    return true;
}

/* Decomposes the address; false if it has no scalar base. */
static bool decompose(Address *a, LLVMValueRef p) {
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        if (!is_vector(p)) {
            a->base = p;
            return true;
        }
        LLVMValueRef s = splat_value(p);
        if (s) {
            a->base = s;
            return true;
        }
        if (!LLVMIsAGetElementPtrInst(p) || !add_gep(a, p)) return false;
        p = LLVMGetOperand(p, 0);
    }
    return false;
}

/* The index vector and the size of its steps; NULL if none is better than before. */
static LLVMValueRef make_index(LLVMBuilderRef b, const Address *a, int64_t *step) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(a->m->ctx);
    LLVMValueRef e[64];
    bool zero = true;
    for (unsigned i = 0; i < a->lanes; i++) zero &= a->bytes[i] == 0;
    *step = 1;
    if (!a->vector.v) {
        for (unsigned i = 0; i < a->lanes; i++) e[i] = LLVMConstInt(i64, (uint64_t)a->bytes[i], 1);
        return LLVMConstVector(e, a->lanes);
    }
    *step = a->vector.scale;
    if (zero) return a->vector.v;
    for (unsigned i = 0; i < a->lanes; i++) {
        if (a->bytes[i] % *step) return NULL;
        e[i] = LLVMConstInt(i64, (uint64_t)(a->bytes[i] / *step), 1);
    }
    for (unsigned i = 1; i < a->lanes; i++)
        if (a->bytes[i] != a->bytes[0]) {
            LLVMValueRef v = LLVMBuildIntCast2(b, a->vector.v, LLVMVectorType(i64, a->lanes), 1, "");
            return LLVMBuildAdd(b, v, LLVMConstVector(e, a->lanes), "");
        }
    return a->vector.v; /* the same in all lanes: added to the base */
}

static LLVMValueRef add_bytes(LLVMBuilderRef b, const Address *a, LLVMValueRef p, LLVMValueRef v, int64_t scale) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(a->m->ctx), i8 = LLVMInt8TypeInContext(a->m->ctx);
    v = LLVMBuildIntCast2(b, v, i64, 1, "");
    if (scale != 1) v = LLVMBuildMul(b, v, LLVMConstInt(i64, (uint64_t)scale, 1), "");
    return LLVMBuildGEP2(b, i8, p, &v, 1, "");
}

static bool same_in_all_lanes(const Address *a) {
    for (unsigned i = 1; i < a->lanes; i++)
        if (a->bytes[i] != a->bytes[0]) return false;
    return true;
}

/* False if the address is left as it is. */
static bool fold_address(Module *m, LLVMBuilderRef b, LLVMValueRef call, unsigned operand) {
    LLVMValueRef p = LLVMGetOperand(call, operand);
    Address a = {.m = m, .lanes = lanes_of(LLVMTypeOf(p))};
    if (a.lanes > 64 || !decompose(&a, p)) return false;
    int64_t step = a.vector.scale;
    if (a.vector.v && step != 1 && step != 2 && step != 4 && step != 8) return false; /* no such addressing mode */
    set_insert_point(b, call);
    LLVMValueRef index = make_index(b, &a, &step), base = a.base;
    if (!index) return false;
    for (unsigned i = 0; i < a.n; i++) base = add_bytes(b, &a, base, a.scalar[i].v, a.scalar[i].scale);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(m->ctx), i8 = LLVMInt8TypeInContext(m->ctx);
    if (a.vector.v && same_in_all_lanes(&a) && a.bytes[0])
        base = add_bytes(b, &a, base, LLVMConstInt(i64, (uint64_t)a.bytes[0], 1), 1);
    LLVMTypeRef t = step == 1 ? i8 : LLVMIntTypeInContext(m->ctx, (unsigned)(8 * step));
    LLVMSetOperand(call, operand, LLVMBuildGEP2(b, t, base, &index, 1, ""));
    return true;
}

bool fold_addresses(Module *m) {
    if (pass_disabled(m, "fold_addresses") || m->opt->opt_level == 0) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod) {
        bool any = false;
        for_each_instruction(i, f) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
            if (!callee || !LLVMIsAFunction(callee)) continue;
            const char *name = value_name(callee);
            bool gather = !strncmp(name, "llvm.masked.gather", 18);
            if (!gather && strncmp(name, "llvm.masked.scatter", 19) != 0) continue;
            any |= fold_address(m, b, i, gather ? 0 : 1);
        }
        if (any) run_llvm_passes_on(m, f, "early-cse,dce");
    }
    LLVMDisposeBuilder(b);
    return true;
}
