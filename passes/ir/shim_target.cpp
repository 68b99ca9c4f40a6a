// shim_target.cpp: what the C API lacks for targets (shim.h): their registers, features, and the tables of costs.
#include "passes/ir/shim.h"
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCSchedule.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

// Missing: TargetOptions::AllowFPOpFusion and the fast-math options of a target machine.
LLVMTargetMachineRef shim_target_machine(const char *triple, const char *cpu, const char *features, int opt_level,
                                         bool fast, bool contract) {
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
    TargetMachine *tm = target->createTargetMachine(t, cpu, features, o, Reloc::PIC_, std::nullopt, level);
    return reinterpret_cast<LLVMTargetMachineRef>(tm);
}

// Missing: MCSubtargetInfo::isCPUStringValid.
bool shim_is_x86_64(const char *cpu) {
    std::string error;
    Triple t{"x86_64-pc-linux-gnu"};
    const Target *target = TargetRegistry::lookupTarget(t, error);
    std::unique_ptr<MCSubtargetInfo> any(target->createMCSubtargetInfo(t, "", ""));
    if (!any->isCPUStringValid(cpu)) return false;
    std::unique_ptr<MCSubtargetInfo> it(target->createMCSubtargetInfo(t, cpu, ""));
    return it->checkFeatures("+64bit");
}

// Missing: TargetTransformInfo.
void shim_vector_registers(LLVMTargetMachineRef tm, LLVMValueRef fn, unsigned *bits, unsigned *count) {
    TargetTransformInfo tti = reinterpret_cast<TargetMachine *>(tm)->getTargetTransformInfo(*unwrap<Function>(fn));
    *bits = tti.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    *count = tti.getNumberOfRegisters(tti.getRegisterClassForType(true));
}

// Missing: TargetTransformInfo.
bool shim_masked_is_native(LLVMTargetMachineRef tm, LLVMValueRef fn, LLVMTypeRef vector, ShimMasked kind,
                           unsigned align) {
    TargetTransformInfo tti = reinterpret_cast<TargetMachine *>(tm)->getTargetTransformInfo(*unwrap<Function>(fn));
    auto *t = cast<VectorType>(unwrap(vector));
    switch (kind) {
    case SHIM_LOAD: return tti.isLegalMaskedLoad(t, Align(align), 0);
    case SHIM_STORE: return tti.isLegalMaskedStore(t, Align(align), 0);
    case SHIM_GATHER:
        return tti.isLegalMaskedGather(t, Align(align)) && !tti.forceScalarizeMaskedGather(t, Align(align));
    case SHIM_SCATTER:
        return tti.isLegalMaskedScatter(t, Align(align)) && !tti.forceScalarizeMaskedScatter(t, Align(align));
    }
    return false;
}

static const MCSchedModel &sched_model(LLVMTargetMachineRef tm, const Function &f) {
    return reinterpret_cast<TargetMachine *>(tm)->getSubtargetImpl(f)->getSchedModel();
}

static InstructionCost cost_of(const TargetTransformInfo &tti, const Instruction *i, unsigned lanes,
                               TargetTransformInfo::TargetCostKind kind) {
    auto vector = [lanes](Type *t) -> Type * {
        return lanes > 1 && VectorType::isValidElementType(t) ? FixedVectorType::get(t, lanes) : t;
    };
    Type *t = vector(i->getType()), *mask = vector(Type::getInt1Ty(i->getContext()));
    if (i->isBinaryOp())
        return tti.getArithmeticInstrCost(i->getOpcode(), t, kind,
                                          TargetTransformInfo::getOperandInfo(i->getOperand(0)),
                                          TargetTransformInfo::getOperandInfo(i->getOperand(1)));
    if (i->isUnaryOp()) return tti.getArithmeticInstrCost(i->getOpcode(), t, kind);
    if (auto *c = dyn_cast<CmpInst>(i))
        return tti.getCmpSelInstrCost(i->getOpcode(), vector(i->getOperand(0)->getType()), mask, c->getPredicate(),
                                      kind);
    if (isa<SelectInst>(i)) return tti.getCmpSelInstrCost(i->getOpcode(), t, mask, CmpInst::BAD_ICMP_PREDICATE, kind);
    if (auto *cast = dyn_cast<CastInst>(i))
        return tti.getCastInstrCost(i->getOpcode(), t, vector(cast->getSrcTy()),
                                    TargetTransformInfo::CastContextHint::None, kind);
    auto *call = dyn_cast<IntrinsicInst>(i);
    if (!call) return 0;
    if (call->getIntrinsicID() == Intrinsic::fma || call->getIntrinsicID() == Intrinsic::fmuladd)
        return tti.getArithmeticInstrCost(Instruction::FMul, t, kind); // not in the tables
    SmallVector<Type *, 4> types;
    for (Value *v : call->args()) types.push_back(vector(v->getType()));
    return tti.getIntrinsicInstrCost(IntrinsicCostAttributes(call->getIntrinsicID(), t, types), kind);
}

// Missing: TargetTransformInfo, MCSchedModel.
double shim_cost(LLVMTargetMachineRef tm, LLVMValueRef inst, unsigned lanes, ShimCost kind) {
    auto *i = unwrap<Instruction>(inst);
    const Function &f = *i->getFunction();
    if (isa<LoadInst>(i) && kind == SHIM_LATENCY) return sched_model(tm, f).LoadLatency;
    TargetTransformInfo tti = reinterpret_cast<TargetMachine *>(tm)->getTargetTransformInfo(f);
    InstructionCost cost =
        cost_of(tti, i, lanes,
                kind == SHIM_LATENCY ? TargetTransformInfo::TCK_Latency : TargetTransformInfo::TCK_RecipThroughput);
    return cost.isValid() ? static_cast<double>(cost.getValue()) : -1;
}

// Missing: TargetTransformInfo.
double shim_gather_cost(LLVMTargetMachineRef tm, LLVMValueRef access, unsigned lanes) {
    auto *i = unwrap<Instruction>(access);
    TargetTransformInfo tti = reinterpret_cast<TargetMachine *>(tm)->getTargetTransformInfo(*i->getFunction());
    auto *call = dyn_cast<IntrinsicInst>(i);
    bool load = call ? call->getIntrinsicID() == Intrinsic::masked_gather : isa<LoadInst>(i);
    Type *t = !call ? getLoadStoreType(i) : (load ? i : i->getOperand(0))->getType()->getScalarType();
    if (!VectorType::isValidElementType(t)) return -1;
    auto *v = FixedVectorType::get(t, lanes);
    const Value *p = call ? call->getOperand(load ? 0 : 1) : getLoadStorePointerOperand(i);
    MemIntrinsicCostAttributes attributes(load ? Intrinsic::masked_gather : Intrinsic::masked_scatter, v, p, false,
                                          call ? Align(1) : getLoadStoreAlignment(i));
    InstructionCost cost = tti.getMemIntrinsicInstrCost(attributes, TargetTransformInfo::TCK_RecipThroughput);
    return cost.isValid() ? static_cast<double>(cost.getValue()) : -1;
}

static void schedule_of(const TargetSubtargetInfo &sti, unsigned sched_class, ShimSchedule *out) {
    const MCSchedModel &model = sti.getSchedModel();
    const MCSchedClassDesc *c = model.getSchedClassDesc(sched_class);
    if (!c->isValid() || c->isVariant()) return;
    out->known = true;
    out->uops = c->NumMicroOps;
    out->latency = MCSchedModel::computeInstrLatency(sti, *c);
    out->throughput = MCSchedModel::getReciprocalThroughput(sti, *c);
    for (auto *e = sti.getWriteProcResBegin(c); e != sti.getWriteProcResEnd(c); ++e)
        if (e->ProcResourceIdx < SHIM_RESOURCES && e->ReleaseAtCycle > e->AcquireAtCycle)
            out->busy[e->ProcResourceIdx] = static_cast<double>(e->ReleaseAtCycle - e->AcquireAtCycle) /
                                            model.getProcResource(e->ProcResourceIdx)->NumUnits;
}

// Missing: MCInstrInfo, MCSchedModel.
void shim_schedules(LLVMTargetMachineRef tm, LLVMValueRef fn, const char *const *names, unsigned n, ShimSchedule *out) {
    auto *t = reinterpret_cast<TargetMachine *>(tm);
    const TargetSubtargetInfo &sti = *t->getSubtargetImpl(*unwrap<Function>(fn));
    const MCInstrInfo &instructions = *t->getMCInstrInfo();
    StringMap<SmallVector<unsigned, 1>> rows;
    for (unsigned k = 0; k < n; k++) {
        out[k] = ShimSchedule();
        if (names[k]) rows[names[k]].push_back(k);
    }
    if (!sti.getSchedModel().hasInstrSchedModel()) return;
    for (unsigned op = 0; op < instructions.getNumOpcodes(); op++) {
        auto row = rows.find(instructions.getName(op));
        if (row == rows.end()) continue;
        for (unsigned k : row->second) schedule_of(sti, instructions.get(op).getSchedClass(), &out[k]);
    }
}

// Missing: MCSchedModel.
ShimProcessor shim_processor(LLVMTargetMachineRef tm, LLVMValueRef fn) {
    const MCSchedModel &model = sched_model(tm, *unwrap<Function>(fn));
    return {model.IssueWidth, model.LoadLatency, model.MispredictPenalty};
}

unsigned shim_scheduler_size(LLVMTargetMachineRef tm, LLVMValueRef fn) {
    const MCSchedModel &model = sched_model(tm, *unwrap<Function>(fn));
    unsigned size = model.MicroOpBufferSize;
    for (unsigned k = 1; model.hasInstrSchedModel() && k < model.getNumProcResourceKinds(); k++) {
        int buffer = model.getProcResource(k)->BufferSize; // of a unit: < 0 that of all, 0 and 1 none
        if (buffer > 1 && static_cast<unsigned>(buffer) < size) size = static_cast<unsigned>(buffer);
    }
    return size;
}

// Missing: MCSubtargetInfo::checkFeatures.
bool shim_has_features(LLVMTargetMachineRef tm, const char *features) {
    return reinterpret_cast<TargetMachine *>(tm)->getMCSubtargetInfo()->checkFeatures(features);
}
