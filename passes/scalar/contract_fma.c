/* contract_fma: which multiplications are fused with an addition is decided here, for all widths alike.
**
** in:  scalar code, before loops are rotated (a product that a phi carries is not fused); fmul, fadd and fsub that may
**      be contracted (-fmad=true) carry the flag `contract`
** out: fadd(fmul(a, b), c) is fmuladd(a, b, c), also with -c and with -a for subtractions and negated products; the
**      flag is gone, so code generation fuses nothing else: results are rounded alike at every width, independently of
**      its block structure
**
** A product is fused if all its uses are sums that it can be fused into; it is then not computed itself. x*x + y*y
** fuses the first of its two. LLVM's code generator would do the same, but sees one block at a time and fuses only
** products with one use. A target without the instruction multiplies and adds (llvm.fmuladd). Not taken: what may be
** reassociated (-ffast-math), which LLVM combines in ways that fmuladd prevents. */
#include "passes/passes.h"
#include "passes/ir/shim.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>

static bool has_flags(LLVMValueRef v, LLVMFastMathFlags wanted, LLVMFastMathFlags not_wanted) {
    if (!LLVMIsAInstruction(v) || !LLVMCanValueUseFastMathFlags(v)) return false;
    LLVMFastMathFlags f = LLVMGetFastMathFlags(v);
    return (f & wanted) == wanted && !(f & not_wanted);
}

static bool may_fuse(LLVMValueRef v) { return has_flags(v, LLVMFastMathAllowContract, LLVMFastMathAllowReassoc); }

static bool is_fusable_sum(LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return (op == LLVMFAdd || op == LLVMFSub) && may_fuse(v) && LLVMGetOperand(v, 0) != LLVMGetOperand(v, 1);
}

static bool is_fneg(LLVMValueRef v) { return opcode(v) == LLVMFNeg; }

static bool only_in_fusable_sums(LLVMValueRef v) {
    for_each_user(user, v)
        if (!is_fusable_sum(user)) return false;
    return true;
}

/* Neither the product itself nor its negation is needed. */
static bool is_product(LLVMValueRef v) {
    if (is_fneg(v)) v = LLVMGetOperand(v, 0);
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMFMul || !may_fuse(v)) return false;
    for_each_user(user, v) {
        if (!is_fusable_sum(user) && !(is_fneg(user) && only_in_fusable_sums(user))) return false;
    }
    return true;
}

static LLVMValueRef negate_if(LLVMBuilderRef b, LLVMValueRef v, bool negate) {
    return negate ? LLVMBuildFNeg(b, v, "") : v;
}

/* sum = product +- other, or other - product. */
static void fuse_sum(LLVMModuleRef mod, LLVMBuilderRef b, LLVMValueRef sum, unsigned k) {
    LLVMValueRef factor = LLVMGetOperand(sum, k), other = LLVMGetOperand(sum, !k);
    bool minus = LLVMGetInstructionOpcode(sum) == LLVMFSub, of_negation = is_fneg(factor);
    LLVMValueRef product = of_negation ? LLVMGetOperand(factor, 0) : factor;
    LLVMTypeRef t = LLVMTypeOf(sum);
    set_insert_point(b, sum);
    LLVMValueRef args[3] = {negate_if(b, LLVMGetOperand(product, 0), (minus && k) != of_negation),
                            LLVMGetOperand(product, 1), negate_if(b, other, minus && !k)};
    unsigned id = LLVMLookupIntrinsicID("llvm.fmuladd", 12);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(mod, id, &t, 1);
    LLVMValueRef v = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, 3, "");
    LLVMSetFastMathFlags(v, LLVMGetFastMathFlags(sum) & LLVMGetFastMathFlags(product));
    replace_instruction(sum, v);
    if (of_negation && !LLVMGetFirstUse(factor)) LLVMInstructionEraseFromParent(factor);
    if (!LLVMGetFirstUse(product)) LLVMInstructionEraseFromParent(product);
}

static void fuse_all(LLVMModuleRef mod, LLVMBuilderRef b, LLVMValueRef fn) {
    for_each_block(bb, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!is_fusable_sum(i)) continue;
            if (is_product(LLVMGetOperand(i, 0))) fuse_sum(mod, b, i, 0);
            else if (is_product(LLVMGetOperand(i, 1))) fuse_sum(mod, b, i, 1);
        }
}

static void drop_flag(LLVMValueRef fn) {
    for_each_instruction(i, fn)
        if (may_fuse(i)) shim_set_fast_math(i, LLVMGetFastMathFlags(i) & ~(unsigned)LLVMFastMathAllowContract);
}

bool contract_fma(Module *m) {
    if (pass_disabled(m, "contract_fma") || m->opt->opt_level == 0) return true;
    run_llvm_passes(m, "function(sroa,early-cse<memssa>,simplifycfg)"); /* products as values, each of them once */
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f)) continue;
        fuse_all(m->mod, b, f);
        drop_flag(f);
    }
    LLVMDisposeBuilder(b);
    return true;
}
