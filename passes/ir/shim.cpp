// shim.cpp: thin C wrappers for what the LLVM 22 C API lacks.  Every function names the gap.
#include "passes/ir/shim.h"
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

static_assert(LLVM_VERSION_MAJOR >= 22, "cucpu is pinned to LLVM 22");

// Missing: CloneFunction.
LLVMValueRef shim_clone_function(LLVMValueRef fn, const char *name) {
    ValueToValueMapTy map;
    Function *copy = CloneFunction(unwrap<Function>(fn), map);
    copy->setName(name);
    return wrap(copy);
}

// Missing: SplitBlock.
LLVMBasicBlockRef shim_split_block(LLVMValueRef at, const char *name) {
    Instruction *i = unwrap<Instruction>(at);
    return wrap(i->getParent()->splitBasicBlock(i->getIterator(), name));
}

// Missing: convertUsersOfConstantsToInstructions.
void shim_expand_constant_uses(LLVMValueRef global) {
    Constant *c = unwrap<Constant>(global);
    convertUsersOfConstantsToInstructions({c}, nullptr, false);
}

// Missing: InlineFunction.
bool shim_inline_call(LLVMValueRef call) {
    InlineFunctionInfo info;
    return InlineFunction(*unwrap<CallBase>(call), info).isSuccess();
}

// Missing: TargetOptions::AllowFPOpFusion and the fast-math options of a target machine.
LLVMTargetMachineRef shim_target_machine(const char *triple, const char *cpu, const char *features,
                                         int opt_level, bool fast, bool contract) {
    std::string error;
    Triple t{Triple::normalize(triple)};
    const Target *target = TargetRegistry::lookupTarget(t, error);
    if (!target) return nullptr;
    TargetOptions o;
    // only operations that carry `contract` are fused: what the source allows, nothing more
    o.AllowFPOpFusion = FPOpFusion::Standard;
    o.UseInitArray = true;
    (void)fast;
    (void)contract;
    CodeGenOptLevel level = opt_level >= 3   ? CodeGenOptLevel::Aggressive
                            : opt_level == 2 ? CodeGenOptLevel::Default
                            : opt_level == 1 ? CodeGenOptLevel::Less
                                             : CodeGenOptLevel::None;
    TargetMachine *tm =
        target->createTargetMachine(t, cpu, features, o, Reloc::PIC_, std::nullopt, level);
    return reinterpret_cast<LLVMTargetMachineRef>(tm);
}

// Missing: TargetTransformInfo.
void shim_vector_registers(LLVMTargetMachineRef tm, LLVMValueRef fn, unsigned *bits,
                           unsigned *count) {
    TargetTransformInfo tti =
        reinterpret_cast<TargetMachine *>(tm)->getTargetTransformInfo(*unwrap<Function>(fn));
    *bits = tti.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    *count = tti.getNumberOfRegisters(tti.getRegisterClassForType(true));
}

// Missing: MCSubtargetInfo::checkFeatures.
bool shim_has_features(LLVMTargetMachineRef tm, const char *features) {
    return reinterpret_cast<TargetMachine *>(tm)->getMCSubtargetInfo()->checkFeatures(features);
}

// Missing: Value::getPointerAlignment.
unsigned shim_pointer_align(LLVMValueRef ptr) {
    Value *v = unwrap(ptr);
    const DataLayout *dl = nullptr;
    if (auto *i = dyn_cast<Instruction>(v)) dl = &i->getModule()->getDataLayout();
    if (auto *g = dyn_cast<GlobalValue>(v)) dl = &g->getParent()->getDataLayout();
    return dl ? (unsigned)v->getPointerAlignment(*dl).value() : 1u;
}

// Missing: PHINode::removeIncomingValue.
void shim_remove_phi_incoming(LLVMValueRef phi, LLVMBasicBlockRef from) {
    PHINode *p = unwrap<PHINode>(phi);
    int i = p->getBasicBlockIndex(unwrap(from));
    if (i >= 0) p->removeIncomingValue((unsigned)i, false);
}

// Missing: PHINode::setIncomingBlock.
void shim_set_phi_block(LLVMValueRef phi, unsigned i, LLVMBasicBlockRef bb) {
    unwrap<PHINode>(phi)->setIncomingBlock(i, unwrap(bb));
}

// Missing: GlobalVariable::setInitializer(nullptr).
void shim_clear_initializer(LLVMValueRef global) {
    unwrap<GlobalVariable>(global)->setInitializer(nullptr);
}
