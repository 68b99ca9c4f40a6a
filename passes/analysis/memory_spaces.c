/* memory_spaces.c: see memory_spaces.h. Sets start empty and only grow, over all pointers of the function in block
** order, until nothing changes: pointers carried around a loop converge to what enters it. Whether an alloca escapes is
** decided first, by its uses alone. */
#include "passes/analysis/memory_spaces.h"
#include "passes/ir/edit.h"
#include "passes/ir/attributes.h"
#include "passes/ir/value.h"
#include <string.h>

/* ---- which allocas escape ---- */

/* Results that are the pointer, or derived from it. */
static bool forwards(LLVMValueRef i) {
    return is_op(i, OP_GEP | OP_PHI | OP_SELECT | OP_FREEZE | OP_VECTOR) || LLVMIsABitCastInst(i) ||
           LLVMIsAAddrSpaceCastInst(i);
}

/* Does the address escape by this use? */
static bool call_captures(LLVMValueRef call, LLVMValueRef p) {
    LLVMValueRef f = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(f) ? value_name(f) : "";
    if (!strncmp(name, "llvm.lifetime.", 14) || !strncmp(name, "llvm.mem", 8)) return false;
    if (strncmp(name, "llvm.masked.", 12)) return true;
    /* (value, pointer, mask), or (pointer, mask, value for inactive lanes) */
    return LLVMGetOperand(call, is_void(call) ? 0 : 2) == p;
}

static bool captures(LLVMValueRef user, LLVMValueRef p) {
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMICmp: return false;
    case LLVMStore: return LLVMGetOperand(user, 0) == p;
    case LLVMAtomicRMW: return LLVMGetOperand(user, 1) == p;
    case LLVMAtomicCmpXchg: return LLVMGetOperand(user, 1) == p || LLVMGetOperand(user, 2) == p;
    case LLVMCall: return call_captures(user, p);
    default: return true;
    }
}

static bool escapes(LLVMValueRef p, PtrMap *seen) {
    if (map_get(seen, p, 0)) return false;
    map_put(seen, p, 1);
    for_each_user(i, p) {
        if (!LLVMIsAInstruction(i)) return true;
        if (forwards(i) ? escapes(i, seen) : captures(i, p)) return true;
    }
    return false;
}

bool alloca_escapes(const MemorySpaces *m, LLVMValueRef alloca) { return map_get(&m->escaped, alloca, 0); }

/* ---- where pointers come from ---- */

static unsigned space_of_type(LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) t = LLVMGetElementType(t);
    switch (LLVMGetPointerAddressSpace(t)) {
    case 1: return SPACE_GLOBAL;
    case 3: return SPACE_SHARED;
    case 4: return SPACE_CONSTANT;
    case 5: return SPACE_LOCAL;
    default: return SPACE_ANY;
    }
}

/* Kernels get their byval parameters from the launch, which holds one for all threads: those that
** a thread writes are copied first (normalise_cfg). */
static bool is_byval(const MemorySpaces *m, LLVMValueRef p) {
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5), n = LLVMCountParams(m->fn);
    for (unsigned i = 0; i < n; i++)
        if (LLVMGetParam(m->fn, i) == p) return LLVMGetEnumAttributeAtIndex(m->fn, i + 1, byval) != NULL;
    return false;
}

static unsigned of_argument(const MemorySpaces *m, LLVMValueRef p) {
    if (!is_kernel(m->fn)) return m->unknown;
    return is_byval(m, p) ? SPACE_CONSTANT : SPACE_GLOBAL;
}

/* A pointer in a structure that is passed by value is a parameter like one alone. */
static unsigned of_load(const MemorySpaces *m, LLVMValueRef load) {
    LLVMValueRef from = LLVMGetOperand(load, 0);
    while (LLVMIsAGetElementPtrInst(from)) from = LLVMGetOperand(from, 0);
    return LLVMIsAArgument(from) && is_kernel(m->fn) && is_byval(m, from) ? SPACE_GLOBAL : m->unknown;
}

static unsigned spaces_of_constant(const MemorySpaces *m, LLVMValueRef p) {
    if (LLVMIsAGlobalVariable(p)) return LLVMIsGlobalConstant(p) ? SPACE_CONSTANT : SPACE_GLOBAL;
    if (LLVMIsAConstantPointerNull(p) || LLVMIsUndef(p)) return 0;
    if (!LLVMIsAConstantExpr(p)) return m->unknown;
    switch (LLVMGetConstOpcode(p)) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast: return spaces_of(m, LLVMGetOperand(p, 0));
    default: return m->unknown;
    }
}

static unsigned of_call(const MemorySpaces *m, LLVMValueRef call) {
    switch (name_of_call(call)) {
    case NAME_SHARED: return SPACE_SHARED;
    case NAME_DEBUG_RECORD:
    case NAME_FRAME_SLOT:
    case NAME_BLOCK_CUR:
    case NAME_BLOCK_NEXT: return SPACE_FRAME;
    default: return m->unknown;
    }
}

static unsigned of_instruction(const MemorySpaces *m, LLVMValueRef i) {
    unsigned set = 0;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAlloca: return SPACE_LOCAL;
    case LLVMCall: return of_call(m, i);
    case LLVMLoad: return of_load(m, i);
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
    case LLVMExtractElement: return spaces_of(m, LLVMGetOperand(i, 0));
    case LLVMInsertElement:
    case LLVMShuffleVector: return spaces_of(m, LLVMGetOperand(i, 0)) | spaces_of(m, LLVMGetOperand(i, 1));
    case LLVMSelect: return spaces_of(m, LLVMGetOperand(i, 1)) | spaces_of(m, LLVMGetOperand(i, 2));
    case LLVMPHI:
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++) set |= spaces_of(m, LLVMGetIncomingValue(i, k));
        return set;
    default: return m->unknown;
    }
}

unsigned spaces_of(const MemorySpaces *m, LLVMValueRef p) {
    unsigned typed = space_of_type(LLVMTypeOf(p));
    if (typed != SPACE_ANY) return typed;
    if (LLVMIsAInstruction(p)) return (unsigned)map_get(&m->spaces, p, 0);
    return LLVMIsAArgument(p) ? of_argument(m, p) : spaces_of_constant(m, p);
}

static bool is_pointer_type(LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind;
}

static bool propagate_spaces(MemorySpaces *m) {
    bool changed = false;
    for_each_instruction(i, m->fn) {
        if (!is_pointer_type(LLVMTypeOf(i))) continue;
        unsigned old = (unsigned)map_get(&m->spaces, i, 0), now = m->roots ? (unsigned)map_get(m->roots, i, 0) : 0;
        if (!now) now = of_instruction(m, i);
        if (now == old) continue;
        map_put(&m->spaces, i, now);
        changed = true;
    }
    return changed;
}

MemorySpaces *memory_spaces(Arena *a, LLVMValueRef fn) { return memory_spaces_from(a, fn, NULL); }

MemorySpaces *memory_spaces_from(Arena *a, LLVMValueRef fn, const PtrMap *roots) {
    MemorySpaces *m = arena_alloc(a, sizeof *m);
    m->fn = fn;
    m->roots = roots;
    m->unknown = SPACE_ANY & ~(unsigned)(SPACE_LOCAL | SPACE_FRAME);
    map_init(&m->spaces, a);
    map_init(&m->escaped, a);
    for_each_instruction(i, fn) {
        PtrMap seen = map_new(a);
        if (!LLVMIsAAllocaInst(i) || !escapes(i, &seen)) continue;
        map_put(&m->escaped, i, 1);
        m->unknown |= SPACE_LOCAL;
    }
    while (propagate_spaces(m)) {}
    return m;
}

/* ---- text ---- */

static void print_set(unsigned set, FILE *f) {
    static const char *const names[] = {"global", "shared", "constant", "local", "frame"};
    for (unsigned i = 0; i < 5; i++)
        if (set & (1U << i)) fprintf(f, " %s", names[i]);
    fputs(set ? "\n" : " nothing\n", f);
}

void memory_spaces_print(const MemorySpaces *m, FILE *f) {
    fprintf(f, "memory spaces of %s\n", value_name(m->fn));
    for_each_instruction(i, m->fn) {
        int k = accessed_operand(i);
        if (k < 0 && !LLVMIsAAllocaInst(i)) continue;
        char *text = LLVMPrintValueToString(i), *from = text + strspn(text, " ");
        fprintf(f, "  %s:", from);
        if (k >= 0) print_set(spaces_of(m, LLVMGetOperand(i, (unsigned)k)), f);
        else fputs(alloca_escapes(m, i) ? " escapes\n" : " private\n", f);
        LLVMDisposeMessage(text);
    }
}

bool may_be_local(const MemorySpaces *m, LLVMValueRef p) { return (spaces_of(m, p) & SPACE_LOCAL) != 0; }
