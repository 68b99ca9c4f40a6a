/* record_variables: with -G, variables of the source are stored where a debugger finds them.
**
** in:  kernels with everything inlined, and debug information that says where their variables are: allocas mostly
** out: each thread has a record, cucpu.debug.record, in which the kernel stores its ids and the values of its variables
**      as they change, by volatile stores that nothing removes or reorders; for arrays, structures, and what has its
**      address taken, the address of the alloca. loop_groups tells the debugger where the record of the running thread
**      is (groups/debug_locations.c).
** Why not rely on the records of LLVM: no location of a value survives the way from one thread to a loop over threads
** that is cut at barriers.  The records of all threads of a block exist while it runs, so that the debugger can show
** threads that wait, too.
** With -dopt=on what is stored is optimised, and widened: a lane stores where it is active.
** Functions that are not inlined are left as the front end made them: their variables are in memory. */
#include "passes/ir/cfg.h"
#include "passes/ir/debug_functions.h"
#include "passes/ir/debug_record.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <stddef.h>
#include <string.h>

typedef struct Variable {
    LLVMMetadataRef variable, location;
    LLVMValueRef address; /* of the alloca or parameter that it is; NULL: it has values alone */
    LLVMValueRef at;      /* the address is known before this; NULL: from the start of the function */
    bool indirect;
    uint64_t offset, size;
    int next; /* of the same source variable, inlined elsewhere */
} Variable;

/* A value that a variable gets: before an instruction. */
typedef struct Assignment {
    int of;
    LLVMValueRef value, before;
    LLVMMetadataRef location;
    uint64_t byte;
} Assignment;

typedef struct Record {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    LLVMDIBuilderRef d;
    const Cfg *c;
    LLVMValueRef fn, start, base; /* start: the first instruction after the allocas */
    LLVMTypeRef i8, i32;
    Vec(Variable) all;
    Vec(Assignment) assigned;
    Vec(LLVMValueRef) shared;
    PtrMap first; /* source variable -> number of the first one + 1 */
    uint64_t size;
} Record;

static uint64_t size_of(const Record *x, LLVMTypeRef t) { return LLVMABISizeOfType(x->m->dl, t); }

/* ---- which variables there are ---- */

static int variable_number(Record *x, LLVMDbgRecordRef r) {
    LLVMMetadataRef variable = LLVMDbgVariableRecordGetVariable(r), location = LLVMDbgRecordGetDebugLoc(r),
                    inlined = LLVMDILocationGetInlinedAt(location);
    int first = (int)map_get(&x->first, variable, 0) - 1;
    for (int i = first; i >= 0; i = x->all.v[i].next)
        if (LLVMDILocationGetInlinedAt(x->all.v[i].location) == inlined) return i;
    vec_push(
        x->a, &x->all,
        ((Variable){.variable = variable, .location = location, .size = shim_variable_size(variable), .next = first}));
    map_put(&x->first, variable, (uintptr_t)x->all.n);
    return x->all.n - 1;
}

static bool is_static(const Record *x, LLVMValueRef address) {
    if (LLVMIsAArgument(address)) return true;
    return LLVMIsAAllocaInst(address) && LLVMGetInstructionParent(address) == LLVMGetEntryBasicBlock(x->fn) &&
           LLVMIsAConstantInt(LLVMGetOperand(address, 0));
}

/* A number or pointer that is only loaded and stored. */
static bool is_plain(const Record *x, LLVMValueRef address) {
    if (!is_static(x, address) || LLVMIsAArgument(address)) return false;
    LLVMTypeRef t = LLVMGetAllocatedType(address);
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    if (kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind) return false;
    for_each_user(i, address) {
        if (!LLVMIsAInstruction(i)) return false;
        if (is_lifetime(i)) continue;
        bool store = LLVMIsAStoreInst(i);
        if (store ? LLVMGetOperand(i, 0) == address : !LLVMIsALoadInst(i)) return false;
        if (LLVMGetVolatile(i) || (store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i)) != t) return false;
    }
    return true;
}

static void note_declare(Record *x, LLVMDbgRecordRef r, LLVMValueRef before) {
    LLVMValueRef address = LLVMDbgVariableRecordGetValue(r, 0);
    uint64_t bit;
    if (!address || !shim_debug_part(r, &bit) || bit || LLVMIsConstant(address)) return;
    int n = variable_number(x, r);
    Variable *v = &x->all.v[n];
    v->address = address;
    v->at = is_static(x, address) ? NULL : before;
    v->indirect = !is_plain(x, address);
}

/* Debug information may name a value where it is not computed yet. */
static bool is_computed(const Record *x, LLVMValueRef v, LLVMValueRef before) {
    if (!LLVMIsAInstruction(v)) return true;
    int of = cfg_block_of(x->c, v), at = cfg_number(x->c, LLVMGetInstructionParent(before));
    if (of < 0 || at < 0 || of != at) return of >= 0 && at >= 0 && cfg_dominates(x->c, of, at);
    for (LLVMValueRef i = before; i; i = LLVMGetPreviousInstruction(i))
        if (i == v) return i != before;
    return false;
}

static void note_value(Record *x, LLVMDbgRecordRef r, LLVMValueRef before) {
    LLVMValueRef value = LLVMDbgVariableRecordGetValue(r, 0);
    uint64_t bit;
    if (!value || !shim_debug_part(r, &bit) || bit % 8 || LLVMIsUndef(value) || LLVMIsPoison(value)) return;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMMetadataTypeKind) return;
    Assignment s = {.of = variable_number(x, r), .value = value, .before = before, .byte = bit / 8};
    s.location = LLVMInstructionGetDebugLoc(before);
    if (LLVMIsAPHINode(before)) s.before = first_after_phis(LLVMGetInstructionParent(before));
    if (is_computed(x, value, s.before)) vec_push(x->a, &x->assigned, s);
}

static void note_stores(Record *x, int of) {
    for_each_user(i, x->all.v[of].address) {
        if (!LLVMIsAStoreInst(i)) continue;
        Assignment s = {.of = of, .value = LLVMGetOperand(i, 0), .before = LLVMGetNextInstruction(i)};
        s.location = LLVMInstructionGetDebugLoc(i);
        vec_push(x->a, &x->assigned, s);
    }
}

static void note_shared(Record *x, LLVMValueRef global) {
    if (!LLVMIsAGlobalVariable(global) || LLVMGetPointerAddressSpace(LLVMTypeOf(global)) != 3) return;
    for (int i = 0; i < x->shared.n; i++)
        if (x->shared.v[i] == global) return;
    vec_push(x->a, &x->shared, global);
}

static void find_variables(Record *x) {
    for_each_instruction(i, x->fn) {
        for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
            LLVMDbgRecordKind kind = LLVMDbgRecordGetKind(r);
            if (kind == LLVMDbgRecordDeclare) note_declare(x, r, i);
            if (kind == LLVMDbgRecordValue || kind == LLVMDbgRecordAssign) note_value(x, r, i);
        }
        for (int k = 0; k < LLVMGetNumOperands(i); k++) note_shared(x, LLVMGetOperand(i, (unsigned)k));
    }
    for (int i = 0; i < x->all.n; i++)
        if (x->all.v[i].address && !x->all.v[i].indirect) note_stores(x, i);
}

/* ---- the record ---- */

static uint64_t reserve(Record *x, uint64_t size) {
    uint64_t align = size >= 16 ? 16 : size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
    uint64_t at = (x->size + align - 1) / align * align;
    x->size = at + size;
    return at;
}

static void lay_out(Record *x) {
    x->size = sizeof(DebugRecord);
    for (int i = 0; i < x->all.n; i++) {
        Variable *v = &x->all.v[i];
        if (!v->indirect && !v->size && v->address) v->size = size_of(x, LLVMGetAllocatedType(v->address));
        v->offset = reserve(x, v->indirect ? sizeof(void *) : v->size);
    }
}

static LLVMValueRef field(Record *x, uint64_t offset) {
    LLVMValueRef at = const_i64(x->m->ctx, offset);
    return LLVMBuildInBoundsGEP2(x->b, x->i8, x->base, &at, 1, "");
}

static void store_at(Record *x, uint64_t offset, LLVMValueRef v) {
    if (int_bits(v) == 1) v = LLVMBuildZExt(x->b, v, x->i8, "");
    LLVMValueRef s = LLVMBuildStore(x->b, v, field(x, offset));
    LLVMSetVolatile(s, true);
    LLVMSetAlignment(s, 1);
}

static void store_word(Record *x, uint64_t offset, Name n) {
    store_at(x, offset, name_call(x->b, x->m->mod, n, NULL, 0, ""));
}

static void store_header(Record *x) {
    for (int d = 0; d < 3; d++) {
        uint64_t word = 4 * (uint64_t)d;
        store_word(x, offsetof(DebugRecord, thread) + word, NAME_TID_X + d);
        store_word(x, offsetof(DebugRecord, block) + word, NAME_CTAID_X + d);
        store_word(x, offsetof(DebugRecord, block_dim) + word, NAME_NTID_X + d);
        store_word(x, offsetof(DebugRecord, grid_dim) + word, NAME_NCTAID_X + d);
    }
    store_word(x, offsetof(DebugRecord, linear), NAME_LINEAR);
    store_at(x, offsetof(DebugRecord, line), LLVMConstNull(x->i32));
}

/* Where threads meet others, and where they end. */
static void store_stops(Record *x) {
    for_each_instruction(i, x->fn) {
        Name n = name_of_call(i);
        bool end = LLVMIsAReturnInst(i) != NULL;
        if (!end && (n == NAME_NONE || !name_is_convergent(n))) continue;
        LLVMPositionBuilderBefore(x->b, i);
        LLVMSetCurrentDebugLocation2(x->b, NULL); /* its constant may be loaded far before */
        store_at(x, offsetof(DebugRecord, line), LLVMConstInt(x->i32, end ? DEBUG_RETURNED : diag_line(i), 0));
    }
}

static void store_addresses(Record *x) {
    for (int i = 0; i < x->all.n; i++) {
        const Variable *v = &x->all.v[i];
        if (!v->indirect) continue;
        LLVMPositionBuilderBefore(x->b, v->at ? v->at : x->start);
        LLVMSetCurrentDebugLocation2(x->b, NULL);
        store_at(x, v->offset, v->address);
    }
}

static void store_values(Record *x) {
    for (int i = 0; i < x->assigned.n; i++) {
        const Assignment *s = &x->assigned.v[i];
        const Variable *v = &x->all.v[s->of];
        if (v->indirect || s->byte + size_of(x, LLVMTypeOf(s->value)) > v->size) continue;
        LLVMPositionBuilderBefore(x->b, s->before);
        LLVMSetCurrentDebugLocation2(x->b, s->location);
        store_at(x, v->offset + s->byte, s->value);
    }
}

/* ---- debug information ---- */

enum { OP_DEREF = 0x06, OP_PLUS = 0x23 /* DW_OP_* */ };

static void declare(Record *x, LLVMMetadataRef variable, LLVMMetadataRef location, uint64_t offset, bool indirect) {
    uint64_t ops[3] = {OP_PLUS, offset, OP_DEREF};
    LLVMDIBuilderInsertDeclareRecordBefore(
        x->d, x->base, variable, LLVMDIBuilderCreateExpression(x->d, ops, indirect ? 3 : 2), location, x->start);
}

/* A __shared__ variable: in the function that defines it, or in all if it is global. */
static void declare_shared(Record *x, const SourceFunctions *functions, LLVMMetadataRef variable, uint64_t offset) {
    LLVMMetadataRef owner = shim_subprogram_of(variable);
    for (int i = 0; i < functions->n; i++) {
        const SourceFunction *f = &functions->v[i];
        if (owner && owner != f->subprogram) continue;
        LLVMMetadataRef scope = owner ? LLVMDIVariableGetScope(variable) : f->subprogram;
        LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(x->m->ctx, 0, 0, scope, f->inlined_at);
        declare(x, shim_local_variable(variable, scope), at, offset, true);
    }
}

static void describe(Record *x, const PtrMap *shared, const uint64_t *at) {
    for (int i = 0; i < x->all.n; i++) {
        const Variable *v = &x->all.v[i];
        if (v->size || v->indirect) declare(x, v->variable, v->location, v->offset, v->indirect);
    }
    SourceFunctions functions = find_source_functions(x->a, x->fn);
    for (int i = 0; i < x->shared.n; i++) {
        LLVMMetadataRef variable = (LLVMMetadataRef)map_get(shared, x->shared.v[i], 0);
        if (variable) declare_shared(x, &functions, variable, at[i]);
    }
}

static void record_kernel(Record *x, const PtrMap *shared) {
    x->start = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(x->fn));
    while (LLVMIsAAllocaInst(x->start)) x->start = LLVMGetNextInstruction(x->start);
    map_init(&x->first, x->a);
    x->c = cfg_build(x->a, x->fn);
    find_variables(x);
    lay_out(x);
    uint64_t *at = arena_array(x->a, uint64_t, x->shared.n + 1);
    for (int i = 0; i < x->shared.n; i++) at[i] = reserve(x, sizeof(void *));
    x->size = (x->size + DEBUG_RECORD_ALIGN - 1) / DEBUG_RECORD_ALIGN * DEBUG_RECORD_ALIGN;
    LLVMPositionBuilderBefore(x->b, x->start);
    LLVMSetCurrentDebugLocation2(x->b, NULL);
    LLVMValueRef size = LLVMConstInt(x->i32, x->size, 0);
    x->base = name_call(x->b, x->m->mod, NAME_DEBUG_RECORD, &size, 1, "record");
    store_header(x);
    for (int i = 0; i < x->shared.n; i++) {
        LLVMTypeRef generic = LLVMPointerTypeInContext(x->m->ctx, 0);
        store_at(x, at[i], LLVMBuildAddrSpaceCast(x->b, x->shared.v[i], generic, ""));
    }
    store_addresses(x);
    store_values(x);
    store_stops(x);
    describe(x, shared, at);
}

bool record_variables(Module *m) {
    if (!shim_has_variables(m->mod) || pass_disabled(m, "record_variables")) return true;
    PtrMap shared = map_new(&m->arena);
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->mod); g; g = LLVMGetNextGlobal(g)) {
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 3) continue;
        shim_expand_constant_uses(g);
        map_put(&shared, g, (uintptr_t)shim_take_variable(g));
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMDIBuilderRef d = LLVMCreateDIBuilderDisallowUnresolved(m->mod);
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f) || !is_kernel(f) || !LLVMGetSubprogram(f)) continue;
        Record x = {.m = m, .a = &m->arena, .b = b, .d = d, .fn = f};
        x.i8 = LLVMInt8TypeInContext(m->ctx);
        x.i32 = LLVMInt32TypeInContext(m->ctx);
        record_kernel(&x, &shared);
    }
    LLVMDIBuilderFinalize(d);
    LLVMDisposeDIBuilder(d);
    LLVMDisposeBuilder(b);
    return true;
}
