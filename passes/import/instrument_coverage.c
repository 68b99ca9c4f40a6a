/* instrument_coverage: with --coverage, code is added that counts how often each line runs.
**
** in:  NVVM IR of one source file, for which clang has named the files of notes and counts (!llvm.gcov); relocatable
**      device code has passed this before it is linked (cucpu_instrument_coverage)
** out: LLVM's own instrumentation, of the code of one thread: a counter goes up by one for each thread that passes, by
**      an atomic operation, which later passes make one for all active lanes of a group. Functions of the host in the
**      same module save the counts when the program ends, by llvm_gcov_* and llvm_gcda_* of clang's runtime library.
**      The intrinsics of -fprofile-instr-generate become such counters, too; what describes them stays in the module.
** Before anything is inlined or copied: all copies of a function have its counters. */
#include "passes/ir/shim.h"
#include "passes/passes.h"

bool instrument_coverage(Module *m) {
    if (LLVMGetNamedMetadataNumOperands(m->mod, "llvm.gcov")) shim_instrument_coverage(m->mod);
    if (LLVMGetNamedFunction(m->mod, "llvm.instrprof.increment")) shim_instrument_profile(m->mod);
    return true;
}
