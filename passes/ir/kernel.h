/* kernel.h: the module being compiled and a kernel in it, as all passes and analyses see them. */
#ifndef CUCPU_KERNEL_H
#define CUCPU_KERNEL_H
#include "passes/compiler.h"
#include "passes/ir/attributes.h"
#include "passes/support/arena.h"
#include "passes/support/diag.h"
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

typedef struct Module {
    Arena arena;
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMTargetMachineRef tm;
    LLVMTargetDataRef dl;
    const CucpuOptions *opt;
    Diag diag;
    struct Report *report;             /* report.h; NULL: none is wanted */
    unsigned vector_bits, vector_regs; /* of the target */
    const struct TargetCosts *costs;   /* analysis/op_cost.h */
    char *packed; /* the input, compressed (malloc'ed), if the object is to have it; NULL: it is not */
    size_t packed_size;
    bool ptx;        /* was compiled from PTX text */
    bool many_loops; /* a function has so many that LLVM must not query all loops for each loop */
} Module;

/* Analyses that consecutive passes share (analysis/facts.c). */
typedef struct Facts {
    Arena a;
    struct Cfg *cfg;
    struct Shapes *shapes;
    bool kept;               /* the current pass has left the kernel unchanged */
    LLVMValueRef refused_at; /* by the last pass, if a refusal is about one instruction */
} Facts;

/* A kernel is a function with the attribute cucpu.kernel. All facts that later passes need are attributes of the
** function, so that every stage can be printed and read back. */
typedef struct Kernel {
    Module *m;
    LLVMValueRef fn;
    int width;               /* cucpu.width, 0 while it is not yet chosen */
    Layout layout;           /* cucpu.layout */
    unsigned block[3];       /* cucpu.block: blockDim where known, else 0 */
    Arena *arena;            /* of the pass that runs */
    Facts *facts;            /* NULL: each pass computes its own */
    LLVMValueRef refused_at; /* set with a refusal that is about one instruction */
} Kernel;

Kernel kernel_of(Module *m, LLVMValueRef fn, Arena *a);
/* Name of the kernel that a function or instruction belongs to, as the source has it, without parameters (malloc'd). */
char *kernel_name(LLVMValueRef at);
/* Runs an LLVM pass pipeline on the module or on one function. */
void run_llvm_passes(Module *m, const char *passes);
void run_llvm_passes_on(Module *m, LLVMValueRef fn, const char *passes);
bool pass_disabled(const Module *m, const char *name);
bool in_list(const char *list, const char *name); /* a comma list; NULL: an empty one */
/* Vector registers that a vector takes; none for masks and for other types. */
int vector_registers(const Module *m, LLVMTypeRef t);
#endif
