// shim_debug.cpp: what the C API lacks for debug information (shim.h), and passes over machine code, which see what the
// code generator has made of it.
#include "passes/emit/llvm22/workarounds.h"
#include "passes/ir/shim.h"
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/RegisterTargetPassConfigCallback.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

// Missing: the subprogram of a scope, and its linkage name (LLVMGetSubprogram is of functions).
bool shim_source_frame(LLVMValueRef inst, unsigned depth, const char **symbol, const char **file, unsigned *line) {
    const DILocation *at = unwrap<Instruction>(inst)->getDebugLoc();
    while (at && depth--) at = at->getInlinedAt();
    if (!at) return false;
    const DISubprogram *in = at->getScope()->getSubprogram();
    StringRef name = !in ? "" : in->getLinkageName().empty() ? in->getName() : in->getLinkageName();
    *symbol = name.empty() ? nullptr : name.data(); // of metadata: ends with a 0
    *file = at->getFilename().empty() ? nullptr : at->getFilename().data();
    *line = at->getLine();
    return true;
}

// Missing: DISubprogram::replaceRawLinkageName.
void shim_name_subprograms(LLVMModuleRef m) {
    for (Function &f : *unwrap(m)) {
        DISubprogram *s = f.getSubprogram();
        if (s && s->isDistinct() && s->getLinkageName().empty())
            s->replaceRawLinkageName(MDString::get(f.getContext(), f.getName()));
    }
}

// Missing: passes over machine code. LLVM 22 replaces a mask in a mask register (VPMOV*2M) that is copied to a general
// register by VMOVMSK, although the next instruction that writes the mask register may read the mask as well (VPCMP
// under a mask, KSHIFT); it does see a read by an earlier instruction that only reads it (none is written).
namespace {
struct KeepMasks : MachineFunctionPass {
    static char ID;
    KeepMasks() : MachineFunctionPass(ID) {}
    bool runOnMachineFunction(MachineFunction &f) override {
        const TargetInstrInfo *instrs = f.getSubtarget().getInstrInfo();
        const TargetRegisterInfo *regs = f.getSubtarget().getRegisterInfo();
        bool changed = false;
        for (MachineBasicBlock &b : f)
            for (auto i = b.begin(); i != b.end(); ++i) {
                StringRef name = instrs->getName(i->getOpcode());
                if (!name.starts_with("VPMOV") || !name.contains("2MZ")) continue;
                Register mask = i->getOperand(0).getReg();
                auto next = std::next(i);
                while (next != b.end() && !next->modifiesRegister(mask, regs)) ++next;
                if (next == b.end() || !next->readsRegister(mask, regs)) continue;
                BuildMI(b, next, next->getDebugLoc(), instrs->get(TargetOpcode::FAKE_USE)).addReg(mask);
                changed = true;
            }
        return changed;
    }
};
char KeepMasks::ID;

// What fill_debug_locations does, for instructions that the code generator has made or merged.
struct KeepLines : MachineFunctionPass {
    static char ID;
    KeepLines() : MachineFunctionPass(ID) {}
    static bool known(const MachineInstr &i) { return i.getDebugLoc() && i.getDebugLoc().getLine(); }
    bool runOnMachineFunction(MachineFunction &f) override {
        if (f.getTarget().getOptLevel() == CodeGenOptLevel::None) return false;
        DebugLoc at;
        for (MachineBasicBlock &b : f) {
            auto first = find_if(b, known);
            if (first != b.end()) at = first->getDebugLoc();
            for (MachineInstr &i : b) {
                if (known(i)) at = i.getDebugLoc();
                else if (at && !i.isMetaInstruction() && !i.getFlag(MachineInstr::FrameSetup)) i.setDebugLoc(at);
            }
        }
        return true;
    }
};
char KeepLines::ID;
} // namespace

// Missing: DICompileUnit::getEmissionKind.
bool shim_has_variables(LLVMModuleRef m) {
    for (const DICompileUnit *unit : unwrap(m)->debug_compile_units())
        if (unit->getEmissionKind() == DICompileUnit::FullDebug) return true;
    return false;
}

// Missing: elements of a DIExpression.
bool shim_debug_part(LLVMDbgRecordRef record, uint64_t *first_bit) {
    const DIExpression *e = cast<DbgVariableRecord>(unwrap(record))->getExpression();
    auto part = e->getFragmentInfo();
    *first_bit = part ? part->OffsetInBits : 0;
    return e->getNumElements() == (part ? 3 : 0);
}

// Missing: DIExpression::prepend.
LLVMMetadataRef shim_dereferenced(LLVMMetadataRef expression) {
    return wrap(DIExpression::prepend(cast<DIExpression>(unwrap(expression)), DIExpression::DerefBefore));
}

// Missing: types of variables.
uint64_t shim_variable_size(LLVMMetadataRef variable) {
    return cast<DIVariable>(unwrap(variable))->getSizeInBits().value_or(0) / 8;
}

// Missing: DICompileUnit::replaceGlobalVariables.
LLVMMetadataRef shim_take_variable(LLVMValueRef global) {
    auto *g = unwrap<GlobalVariable>(global);
    SmallVector<DIGlobalVariableExpression *, 1> found;
    g->getDebugInfo(found);
    if (found.empty()) return nullptr;
    for (DICompileUnit *unit : g->getParent()->debug_compile_units()) {
        SmallVector<Metadata *> kept;
        for (auto *other : unit->getGlobalVariables())
            if (other != found[0]) kept.push_back(other);
        unit->replaceGlobalVariables(MDTuple::get(g->getContext(), kept));
    }
    g->eraseMetadata(LLVMContext::MD_dbg);
    return wrap(found[0]->getVariable());
}

LLVMMetadataRef shim_local_variable(LLVMMetadataRef global, LLVMMetadataRef scope) {
    auto *v = cast<DIGlobalVariable>(unwrap(global));
    return wrap(DILocalVariable::get(v->getContext(), cast<DILocalScope>(unwrap(scope)), v->getName(), v->getFile(),
                                     v->getLine(), v->getType(), 0, DINode::FlagZero, 0, nullptr));
}

// Missing: DebugLoc::appendInlinedAt.
void shim_inline_subprogram(LLVMValueRef fn, const char *name) {
    Function &f = *unwrap<Function>(fn);
    LLVMContext &c = f.getContext();
    DISubprogram *sp = f.getSubprogram();
    DISubprogram *outer = DISubprogram::getDistinct(
        c, sp->getFile(), name, "", sp->getFile(), sp->getLine(),
        DISubroutineType::get(c, DINode::FlagZero, 0, MDTuple::get(c, {})), sp->getScopeLine(), nullptr, 0, 0,
        DINode::FlagArtificial, DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit, sp->getUnit());
    DILocation *call = DILocation::getDistinct(c, sp->getLine(), 0, outer);
    DenseMap<const MDNode *, MDNode *> known;
    auto inlined = [&](DebugLoc at) {
        if (!at) return at;
        DebugLoc into = DebugLoc::appendInlinedAt(at, call, c, known);
        return DebugLoc(DILocation::get(c, at.getLine(), at.getCol(), at.getScope(), into));
    };
    for (BasicBlock &b : f)
        for (Instruction &i : b) {
            i.setDebugLoc(inlined(i.getDebugLoc()));
            updateLoopMetadataDebugLocations(i, [&](Metadata *m) -> Metadata * {
                auto *at = dyn_cast_or_null<DILocation>(m);
                return at ? inlined(DebugLoc(at)).get() : m;
            });
            for (DbgRecord &r : i.getDbgRecordRange()) r.setDebugLoc(inlined(r.getDebugLoc()));
        }
    f.setSubprogram(outer);
}

// Missing: DILocalScope::getSubprogram.
LLVMMetadataRef shim_subprogram_of(LLVMMetadataRef location_or_variable) {
    Metadata *m = unwrap(location_or_variable);
    Metadata *scope = isa<DILocation>(m) ? cast<DILocation>(m)->getScope() : cast<DIVariable>(m)->getScope();
    auto *local = dyn_cast_or_null<DILocalScope>(scope);
    return wrap(local ? local->getSubprogram() : nullptr);
}

void shim_prepare_codegen(LLVMModuleRef m) {
    static bool variables;
    variables = shim_has_variables(m);
    static RegisterTargetPassConfigCallback all([](TargetMachine &, PassManagerBase &, TargetPassConfig *passes) {
        if (workaround_is_on(WORKAROUND_keep_masks)) passes->insertPass(&PatchableFunctionID, new KeepMasks());
        passes->insertPass(&PatchableFunctionID, new KeepLines());
        if (!variables) passes->disablePass(&LiveDebugValuesID);
    });
}
