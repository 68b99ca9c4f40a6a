/* fill_debug_locations: every instruction has a line, for profilers.
**
** in:  optimised entries. Passes make instructions that belong to no line, and LLVM takes the line from instructions
**      that it merges or moves: in a hot loop these may be most
** out: an instruction without line has that of the one before it in its block, or, at the begin of the block, of the
**      one after it; a block without lines has that of the blocks it is reached from; else the line is the kernel's
**
** Not without optimisation: a debugger that steps would stop where nothing of that line happens. */
#include "passes/ir/edit.h"
#include "passes/ir/value.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

static LLVMMetadataRef location(LLVMValueRef i) {
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i);
    return at && LLVMDILocationGetLine(at) ? at : NULL;
}

static LLVMMetadataRef first_location(LLVMBasicBlockRef bb) {
    for_each_in_block(i, bb)
        if (location(i)) return location(i);
    return NULL;
}

/* In the block, whose first instructions get `at`; returns the location at its end. */
static LLVMMetadataRef fill_block(LLVMBasicBlockRef bb, LLVMMetadataRef at) {
    for_each_in_block(i, bb) {
        if (location(i)) at = location(i);
        else LLVMInstructionSetDebugLoc(i, at);
    }
    return at;
}

/* Blocks without lines get those of the blocks that lead to them, until none is left that has such a one. */
static bool pass_on(LLVMBasicBlockRef bb) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    LLVMMetadataRef at = t ? location(t) : NULL;
    bool any = false;
    for (unsigned s = 0; at && s < LLVMGetNumSuccessors(t); s++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(t, s);
        if (first_location(to)) continue;
        fill_block(to, at);
        any = true;
    }
    return any;
}

static void fill_function(Module *m, LLVMValueRef f, LLVMMetadataRef scope) {
    LLVMMetadataRef own = LLVMDIBuilderCreateDebugLocation(m->ctx, LLVMDISubprogramGetLine(scope), 0, scope, NULL);
    for_each_block(bb, f)
        if (first_location(bb)) fill_block(bb, first_location(bb));
    for (bool again = true; again;) {
        again = false;
        for_each_block(bb, f) again |= pass_on(bb);
    }
    for_each_block(bb, f) fill_block(bb, own);
}

bool fill_debug_locations(Module *m) {
    if (pass_disabled(m, "fill_debug_locations") || !m->opt->opt_level) return true;
    for_each_function(f, m->mod) {
        LLVMMetadataRef scope = LLVMGetSubprogram(f);
        if (scope && LLVMGetFirstBasicBlock(f)) fill_function(m, f, scope);
    }
    return true;
}
