/* debug_locations: with -G, what a debugger is told of a kernel's variables; part of loop_groups.
**
** in:  a frame slot with metadata !cucpu.debug, the records of a group's threads, and what is in them
**      (import/record_variables.c)
** out: the entry has two local variables in memory, `cucpu_focus`, which points to the record of the thread whose
**      code runs, and `cucpu_records`, that of the block's first thread; variables of the source, threadIdx, blockIdx,
**      blockDim and gridDim are described as being in the record that cucpu_focus points to. A debugger that stores
**      another address there shows another thread.
** The kernel is described as inlined into the entry, as it is: a breakpoint at its name stops in each thread.
** The variables of CUDA are described in every function that is inlined, too: debuggers look for names in the innermost
** function alone. */
#include "passes/groups/loop_groups.h"
#include "passes/ir/debug_functions.h"
#include "passes/ir/debug_record.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include <llvm-c/DebugInfo.h>
#include <stddef.h>
#include <string.h>

enum { DWARF_UNSIGNED = 7 /* DW_ATE_unsigned */, OP_PLUS = 0x23 /* DW_OP_plus_uconst */ };

typedef struct Describe {
    Loops *l;
    LLVMDIBuilderRef d;
    LLVMContextRef c;
    LLVMMetadataRef file, word, record_pointer;
    LLVMValueRef before; /* records of debug information go before this instruction */
} Describe;

static bool is_records(const Loops *l, LLVMValueRef v) {
    unsigned kind = LLVMGetMDKindIDInContext(l->k->m->ctx, DEBUG_RECORDS, strlen(DEBUG_RECORDS));
    return v && name_of_call(v) == NAME_FRAME_SLOT && LLVMGetMetadata(v, kind);
}

void find_records(Loops *l) {
    for_each_cfg_instruction(i, b, l->cfg) {
        if (!is_records(l, i)) continue;
        l->has_records = true;
        l->records_offset = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
        l->records_size = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1));
        return;
    }
}

void focus_variables(Loops *l) {
    if (!l->has_records) return;
    l->focus = local(l, l->ptr, "cucpu_focus");
    l->records = local(l, l->ptr, "cucpu_records");
    LLVMValueRef at = LLVMBuildMul(l->b, l->groups, c64(l, l->records_offset), "");
    LLVMValueRef first = LLVMBuildInBoundsGEP2(l->b, l->i8, l->frame, &at, 1, "");
    LLVMSetVolatile(LLVMBuildStore(l->b, first, l->records), true);
    LLVMSetVolatile(LLVMBuildStore(l->b, first, l->focus), true);
}

void focus_group(Loops *l) {
    if (!l->focus) return;
    LLVMSetVolatile(LLVMBuildStore(l->b, frame_slot(l, l->records_offset, l->records_size), l->focus), true);
}

/* ---- types ---- */

static LLVMMetadataRef three_words(Describe *x, const char *name) {
    static const char *const members[3] = {"x", "y", "z"};
    LLVMMetadataRef m[3];
    for (unsigned i = 0; i < 3; i++)
        m[i] = LLVMDIBuilderCreateMemberType(x->d, x->file, members[i], 1, x->file, 0, 32, 32, 32 * i, LLVMDIFlagZero,
                                             x->word);
    return LLVMDIBuilderCreateStructType(x->d, x->file, name, strlen(name), x->file, 0, 96, 32, LLVMDIFlagZero, NULL, m,
                                         3, 0, NULL, "", 0);
}

/* struct cucpu_thread: the header of a record, as large as a record. */
static LLVMMetadataRef record_type(Describe *x, uint64_t bytes, LLVMMetadataRef triple) {
    static const struct {
        const char *name;
        unsigned offset;
        bool triple;
    } members[] = {
        {"threadIdx", offsetof(DebugRecord, thread), true},   {"blockIdx", offsetof(DebugRecord, block), true},
        {"blockDim", offsetof(DebugRecord, block_dim), true}, {"gridDim", offsetof(DebugRecord, grid_dim), true},
        {"linear", offsetof(DebugRecord, linear), false},     {"line", offsetof(DebugRecord, line), false}};
    enum { N = sizeof members / sizeof *members };
    LLVMMetadataRef m[N];
    for (unsigned i = 0; i < N; i++)
        m[i] = LLVMDIBuilderCreateMemberType(x->d, x->file, members[i].name, strlen(members[i].name), x->file, 0,
                                             members[i].triple ? 96 : 32, 32, 8ull * members[i].offset, LLVMDIFlagZero,
                                             members[i].triple ? triple : x->word);
    return LLVMDIBuilderCreateStructType(x->d, x->file, "cucpu_thread", 12, x->file, 0, 8 * bytes, 32, LLVMDIFlagZero,
                                         NULL, m, N, 0, NULL, "", 0);
}

/* ---- variables ---- */

static void declare(Describe *x, LLVMMetadataRef variable, LLVMMetadataRef at, LLVMMetadataRef where) {
    LLVMDIBuilderInsertDeclareRecordBefore(x->d, x->l->focus, variable, where, at, x->before);
}

static LLVMMetadataRef artificial(Describe *x, LLVMMetadataRef scope, const char *name, LLVMMetadataRef type) {
    return LLVMDIBuilderCreateAutoVariable(x->d, scope, name, strlen(name), x->file, 0, type, 0, LLVMDIFlagArtificial,
                                           0);
}

static void declare_ids(Describe *x, const SourceFunction *f, LLVMMetadataRef uint3, LLVMMetadataRef dim3) {
    static const struct {
        const char *name;
        unsigned offset;
        bool dim;
    } ids[] = {{"threadIdx", offsetof(DebugRecord, thread), false},
               {"blockIdx", offsetof(DebugRecord, block), false},
               {"blockDim", offsetof(DebugRecord, block_dim), true},
               {"gridDim", offsetof(DebugRecord, grid_dim), true}};
    LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(x->c, 0, 0, f->subprogram, f->inlined_at);
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) {
        uint64_t ops[2] = {OP_PLUS, ids[i].offset};
        declare(x, artificial(x, f->subprogram, ids[i].name, ids[i].dim ? dim3 : uint3), at,
                shim_dereferenced(LLVMDIBuilderCreateExpression(x->d, ops, 2)));
    }
    LLVMMetadataRef plain = LLVMDIBuilderCreateExpression(x->d, NULL, 0);
    declare(x, artificial(x, f->subprogram, "cucpu_focus", x->record_pointer), at, plain);
    LLVMDIBuilderInsertDeclareRecordBefore(
        x->d, x->l->records, artificial(x, f->subprogram, "cucpu_records", x->record_pointer), plain, at, x->before);
}

/* Variables of the source: their expressions are for a record, to which cucpu_focus points. */
static void declare_source(Describe *x) {
    for_each_instruction(i, x->l->k->fn)
        for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
            if (LLVMDbgRecordGetKind(r) != LLVMDbgRecordDeclare ||
                !is_records(x->l, LLVMDbgVariableRecordGetValue(r, 0)))
                continue;
            declare(x, LLVMDbgVariableRecordGetVariable(r), LLVMDbgRecordGetDebugLoc(r),
                    shim_dereferenced(LLVMDbgVariableRecordGetExpression(r)));
        }
}

void describe_variables(Loops *l) {
    LLVMMetadataRef subprogram = LLVMGetSubprogram(l->entry);
    if (!l->focus || !subprogram) return;
    Describe x = {.l = l, .c = l->k->m->ctx, .d = LLVMCreateDIBuilderDisallowUnresolved(l->mod)};
    x.file = LLVMDIScopeGetFile(subprogram);
    x.word = LLVMDIBuilderCreateBasicType(x.d, "unsigned int", 12, 32, DWARF_UNSIGNED, LLVMDIFlagZero);
    LLVMMetadataRef uint3 = three_words(&x, "uint3"), dim3 = three_words(&x, "dim3");
    uint64_t bytes = l->records_size / (uint64_t)l->k->width;
    x.record_pointer = LLVMDIBuilderCreatePointerType(x.d, record_type(&x, bytes, uint3), 64, 64, 0, "", 0);
    x.before = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(l->entry));
    SourceFunctions functions = find_source_functions(l->a, l->entry);
    for (int i = 0; i < functions.n; i++) declare_ids(&x, &functions.v[i], uint3, dim3);
    declare_source(&x);
    LLVMDIBuilderFinalize(x.d);
    LLVMDisposeDIBuilder(x.d);
    shim_inline_subprogram(l->entry, "cucpu_blocks");
}
