// shim.cpp: thin C wrappers for what the LLVM 22 C API lacks.  Every function names the gap.
#include "passes/ir/shim.h"
#include "passes/emit/llvm22/workarounds.h"
#include <cstring>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCSchedule.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/JSON.h>
#include <llvm/Target/RegisterTargetPassConfigCallback.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/ExpandVariadics.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Instrumentation/GCOVProfiler.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

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
void shim_move_blocks(LLVMValueRef from, LLVMValueRef to) {
    Function *f = unwrap<Function>(to);
    f->splice(f->begin(), unwrap<Function>(from));
}

LLVMBasicBlockRef shim_split_block(LLVMValueRef at, const char *name) {
    Instruction *i = unwrap<Instruction>(at);
    return wrap(i->getParent()->splitBasicBlock(i->getIterator(), name));
}

// Missing: convertUsersOfConstantsToInstructions, whose time grows with the square of a block in LLVM 22.
namespace {
using Constants = SmallPtrSet<Constant *, 16>;

void constant_users(Constant *c, Constants &all, SmallSetVector<Instruction *, 16> &instructions) {
    for (User *u : c->users()) {
        if (auto *i = dyn_cast<Instruction>(u)) instructions.insert(i);
        else if (!isa<GlobalValue>(u) && all.insert(cast<Constant>(u)).second)
            constant_users(cast<Constant>(u), all, instructions);
    }
}

// The constant as instructions before `at`.
Value *expand(Constant *c, const Constants &all, BasicBlock::iterator at) {
    if (!all.contains(c)) return c;
    IRBuilder<> b(at->getParent(), at);
    if (auto *e = dyn_cast<ConstantExpr>(c)) {
        Instruction *i = e->getAsInstruction();
        for (Use &u : i->operands()) u.set(expand(cast<Constant>(u.get()), all, at));
        return b.Insert(i);
    }
    Value *v = PoisonValue::get(c->getType());
    for (unsigned k = 0; k < c->getNumOperands(); k++) {
        Value *part = expand(cast<Constant>(c->getOperand(k)), all, at);
        v = c->getType()->isVectorTy() ? b.CreateInsertElement(v, part, uint64_t(k)) : b.CreateInsertValue(v, part, k);
    }
    return v;
}

void expand_incoming(PHINode *phi, const Constants &all) {
    for (unsigned k = 0; k < phi->getNumIncomingValues(); k++) {
        auto *c = dyn_cast<Constant>(phi->getIncomingValue(k));
        if (c && all.contains(c)) // all edges from one block have one value
            phi->setIncomingValueForBlock(phi->getIncomingBlock(k),
                                          expand(c, all, phi->getIncomingBlock(k)->getTerminator()->getIterator()));
    }
}
} // namespace

void shim_expand_constant_uses(LLVMValueRef global) {
    Constants all;
    SmallSetVector<Instruction *, 16> instructions;
    Constant *g = unwrap<Constant>(global);
    constant_users(g, all, instructions);
    for (Instruction *i : instructions) {
        if (auto *phi = dyn_cast<PHINode>(i)) {
            expand_incoming(phi, all);
            continue;
        }
        for (Use &u : i->operands())
            if (auto *c = dyn_cast<Constant>(u.get())) u.set(expand(c, all, i->getIterator()));
    }
    g->removeDeadConstantUsers();
}

// Missing: InlineFunction.
bool shim_inline_call(LLVMValueRef call) {
    InlineFunctionInfo info;
    return InlineFunction(*unwrap<CallBase>(call), info).isSuccess();
}

namespace {
// Missing: LoopInfo and ScalarEvolution.
struct Loops {
    DominatorTree dt;
    LoopInfo li;
    AssumptionCache ac;
    TargetLibraryInfoImpl names;
    TargetLibraryInfo tli;
    ScalarEvolution se;
    explicit Loops(Function &f)
        : dt(f), li(dt), ac(f), names(f.getParent()->getTargetTriple()), tli(names), se(f, tli, ac, dt, li) {}
    Loop *with_header(BasicBlock *bb) {
        Loop *l = li.getLoopFor(bb);
        return l && l->getHeader() == bb ? l : nullptr;
    }
};
} // namespace

// Missing: CodeExtractor.
LLVMValueRef shim_outline_loop(LLVMBasicBlockRef header, const char *name) {
    Function &f = *unwrap(header)->getParent();
    Loops all(f);
    Loop *l = all.with_header(unwrap(header));
    if (!l) return nullptr;
    CodeExtractorAnalysisCache cache(f);
    CodeExtractor extractor(l->getBlocks(), &all.dt, false, nullptr, nullptr, &all.ac, false, false, nullptr, name);
    return extractor.isEligible() ? wrap(extractor.extractCodeRegion(cache)) : nullptr;
}

// Missing: ScalarEvolution::getSmallConstantTripCount.
void shim_trip_counts(const LLVMBasicBlockRef *headers, int n, unsigned *trips) {
    if (!n) return;
    Loops loops(*unwrap(headers[0])->getParent());
    for (int i = 0; i < n; i++) {
        Loop *l = loops.with_header(unwrap(headers[i]));
        trips[i] = l ? loops.se.getSmallConstantTripCount(l) : 0;
    }
}

// Missing: getSmallConstantMaxTripCount.
unsigned shim_max_trips(LLVMBasicBlockRef header) {
    Loops loops(*unwrap(header)->getParent());
    Loop *l = loops.with_header(unwrap(header));
    return l ? loops.se.getSmallConstantMaxTripCount(l) : 0;
}

// Missing: ScalarEvolution, SCEVExpander.
bool shim_expose_counter(LLVMBasicBlockRef header) {
    BasicBlock *bb = unwrap(header);
    Loops loops(*bb->getParent());
    Loop *l = loops.with_header(bb);
    auto *branch = dyn_cast<BranchInst>(bb->getTerminator());
    auto *test = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!l || !test || !l->getLoopPreheader() || !l->getLoopLatch()) return false;
    for (Value *v : test->operands()) {
        if (!v->getType()->isIntegerTy() || !isa<Instruction>(v) || isa<PHINode>(v) || l->isLoopInvariant(v)) continue;
        auto *r = dyn_cast<SCEVAddRecExpr>(loops.se.getSCEV(v));
        if (!r || r->getLoop() != l || !r->isAffine()) continue;
        Instruction *before = l->getLoopPreheader()->getTerminator();
        const SCEV *step = r->getStepRecurrence(loops.se);
        SCEVExpander e(loops.se, "counter");
        if (isa<SCEVConstant>(step) || !e.isSafeToExpandAt(r->getStart(), before) || !e.isSafeToExpandAt(step, before))
            continue;
        Value *first = e.expandCodeFor(r->getStart(), v->getType(), before->getIterator()),
              *by = e.expandCodeFor(step, v->getType(), before->getIterator());
        PHINode *phi = PHINode::Create(v->getType(), 2, "counter", bb->begin());
        Instruction *end = l->getLoopLatch()->getTerminator();
        Instruction *next = BinaryOperator::CreateAdd(phi, by, "counter.next", end->getIterator());
        next->setDebugLoc(end->getDebugLoc());
        phi->addIncoming(first, l->getLoopPreheader());
        phi->addIncoming(next, l->getLoopLatch());
        v->replaceAllUsesWith(phi);
        RecursivelyDeleteTriviallyDeadInstructions(v);
        DeleteDeadPHIs(bb);
        return true;
    }
    return false;
}

// Missing: ScalarEvolution.
uint64_t shim_loop_step(LLVMBasicBlockRef header, LLVMValueRef index) {
    BasicBlock *bb = unwrap(header);
    Loops loops(*bb->getParent());
    Loop *l = loops.with_header(bb);
    auto *r = l ? dyn_cast<SCEVAddRecExpr>(loops.se.getSCEV(unwrap(index))) : nullptr;
    if (!r || r->getLoop() != l || !r->isAffine()) return 0;
    auto *step = dyn_cast<SCEVConstant>(r->getStepRecurrence(loops.se));
    return step ? step->getAPInt().abs().getLimitedValue() : UINT64_MAX;
}

// Missing: computeKnownBits.
unsigned shim_active_bits(LLVMValueRef v) {
    Instruction *i = dyn_cast<Instruction>(unwrap(v));
    if (!i) return unwrap(v)->getType()->getIntegerBitWidth();
    return computeKnownBits(i, i->getDataLayout()).countMaxActiveBits();
}

// Missing: canCreateUndefOrPoison.
bool shim_makes_poison(LLVMValueRef v) { return canCreateUndefOrPoison(cast<Operator>(unwrap(v))); }

// Missing: ScalarEvolution::getUnsignedRange and getSignedRange.
struct ShimLoops : Loops {
    using Loops::Loops;
};

ShimLoops *shim_open_loops(LLVMValueRef fn) { return new ShimLoops(*unwrap<Function>(fn)); }

ShimRange shim_range(ShimLoops *l, LLVMValueRef v) {
    const SCEV *s = l->se.getSCEV(unwrap(v));
    return {l->se.getUnsignedRangeMin(s).getZExtValue(), l->se.getUnsignedRangeMax(s).getZExtValue(),
            l->se.getSignedRangeMin(s).getSExtValue(), l->se.getSignedRangeMax(s).getSExtValue()};
}

void shim_close_loops(ShimLoops *l) { delete l; }

// Missing: UnrollLoop.
bool shim_unroll_loop(LLVMBasicBlockRef header) {
    BasicBlock *bb = unwrap(header);
    Loops loops(*bb->getParent());
    Loop *l = loops.with_header(bb);
    unsigned trips = l ? loops.se.getSmallConstantMaxTripCount(l) : 0;
    if (!trips) return false;
    TargetTransformInfo tti(bb->getDataLayout());
    UnrollLoopOptions o{};
    o.Count = trips;
    o.Force = true;
    o.ForgetAllSCEV = true;
    return UnrollLoop(l, o, &loops.li, &loops.se, &loops.dt, &loops.ac, &tti, nullptr, true) ==
           LoopUnrollResult::FullyUnrolled;
}

// Missing: UnrollLoop.
bool shim_unroll_by(LLVMBasicBlockRef header, unsigned count) {
    BasicBlock *bb = unwrap(header);
    for (BasicBlock *latch : to_vector(predecessors(bb))) {
        if (latch == bb || latch->getUniquePredecessor() != bb || !isa<BranchInst>(latch->front())) continue;
        bb->getTerminator()->replaceSuccessorWith(latch, bb);
        bb->replacePhiUsesWith(latch, bb);
        latch->eraseFromParent();
    }
    Loops loops(*bb->getParent());
    Loop *l = loops.with_header(bb);
    if (!l || l->getLoopLatch() != bb) return false;
    TargetTransformInfo tti(bb->getDataLayout());
    UnrollLoopOptions o{};
    o.Count = count;
    o.Force = true;
    o.Runtime = true;
    o.AllowExpensiveTripCount = true;
    o.ForgetAllSCEV = true;
    return UnrollLoop(l, o, &loops.li, &loops.se, &loops.dt, &loops.ac, &tti, nullptr, true) !=
           LoopUnrollResult::Unmodified;
}

// Missing: LoopRotation. The pass lets ScalarEvolution forget the outermost loop, all of its instructions, for each
// loop in it.
void shim_rotate_loops(LLVMTargetMachineRef tm, LLVMValueRef fn) {
    Function &f = *unwrap<Function>(fn);
    DominatorTree dt(f);
    LoopInfo li(dt);
    AssumptionCache ac(f);
    TargetTransformInfo tti = reinterpret_cast<TargetMachine *>(tm)->getTargetTransformInfo(f);
    const SimplifyQuery query(f.getDataLayout(), nullptr, &dt, &ac);
    SmallPriorityWorklist<Loop *, 4> loops;
    for (appendLoopsToWorklist(li, loops); !loops.empty();) {
        Loop *l = loops.pop_back_val();
        LoopRotation(l, &li, &tti, &ac, &dt, nullptr, nullptr, query, false, 16, false);
    }
}

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

// Missing: removal of module flags.
void shim_drop_module_flag(LLVMModuleRef m, const char *name) {
    NamedMDNode *flags = unwrap(m)->getModuleFlagsMetadata();
    if (!flags) return;
    SmallVector<MDNode *, 8> others;
    for (MDNode *flag : flags->operands())
        if (cast<MDString>(flag->getOperand(1))->getString() != name) others.push_back(flag);
    flags->clearOperands();
    for (MDNode *flag : others) flags->addOperand(flag);
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
    Type *t = getLoadStoreType(i);
    if (!VectorType::isValidElementType(t)) return -1;
    bool load = isa<LoadInst>(i);
    auto *v = FixedVectorType::get(t, lanes);
    MemIntrinsicCostAttributes attributes(load ? Intrinsic::masked_gather : Intrinsic::masked_scatter, v,
                                          getLoadStorePointerOperand(i), false, getLoadStoreAlignment(i));
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

// Missing: GEPOperator::accumulateConstantOffset.
bool shim_gep_offset(LLVMTargetDataRef dl, LLVMValueRef gep, int64_t *bytes) {
    APInt offset(64, 0);
    if (!cast<GEPOperator>(unwrap(gep))->accumulateConstantOffset(*unwrap(dl), offset)) return false;
    *bytes = offset.getSExtValue();
    return true;
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
void shim_clear_initializer(LLVMValueRef global) { unwrap<GlobalVariable>(global)->setInitializer(nullptr); }

// Missing: Function::deleteBody.
void shim_delete_body(LLVMValueRef fn) { unwrap<Function>(fn)->deleteBody(); }

// Missing: MemoryEffects.
// Missing: getUnderlyingObjects.
bool shim_is_local(LLVMValueRef p) {
    SmallVector<const Value *, 8> objects;
    getUnderlyingObjects(unwrap(p), objects);
    return all_of(objects, [](const Value *o) { return isa<AllocaInst>(o); });
}

bool shim_only_reads(LLVMValueRef call) { return unwrap<CallBase>(call)->onlyReadsMemory(); }

void shim_set_memory(LLVMValueRef fn, bool reads) {
    unwrap<Function>(fn)->setMemoryEffects(reads ? MemoryEffects::readOnly() : MemoryEffects::none());
}

// Missing: Module::materializeAll.
void shim_read_bodies(LLVMModuleRef m) { cantFail(unwrap(m)->materializeAll()); }

// Missing: LoadAndStorePromoter. (mem2reg visits all blocks below a store, for each slot.)
void shim_promote_slot(LLVMValueRef alloca) {
    auto *slot = unwrap<AllocaInst>(alloca);
    SmallVector<Instruction *> users;
    for (User *u : slot->users()) users.push_back(cast<Instruction>(u));
    SSAUpdater ssa;
    LoadAndStorePromoter(users, ssa, slot->getName()).run(users);
    slot->eraseFromParent();
}

// Missing: simplifyInstruction. (instsimplify also uses facts from before an instruction.)
void shim_simplify_values(LLVMValueRef fn) {
    Function &f = *unwrap<Function>(fn);
    const SimplifyQuery query(f.getDataLayout());
    for (bool again = true; again;) {
        again = false;
        for (BasicBlock &b : f)
            for (Instruction &i : make_early_inc_range(b)) {
                Value *v = i.use_empty() ? nullptr : simplifyInstruction(&i, query);
                if (v) i.replaceAllUsesWith(v);
                again |= v != nullptr;
                if (isInstructionTriviallyDead(&i)) i.eraseFromParent();
            }
    }
}

// Missing: cl::opt; LLVMParseCommandLineOptions may set an option only once in a process.
template <typename T> static void set_option(const char *name, T value) {
    auto &options = cl::getRegisteredOptions();
    auto option = options.find(name);
    if (option != options.end()) static_cast<cl::opt<T> *>(option->second)->setValue(value);
}
void shim_set_option(const char *name, unsigned value) { set_option(name, value); }
void shim_set_flag(const char *name, bool value) { set_option(name, value); }
void shim_give_flag(const char *name, bool value) {
    auto &options = cl::getRegisteredOptions();
    auto option = options.find(name);
    if (option == options.end()) return;
    option->second->reset();
    option->second->addOccurrence(1, name, value ? "true" : "false");
}

static void run_pipeline(Module *m, TargetMachine *tm, PassInstrumentationCallbacks *callbacks,
                         function_ref<void(PassBuilder &, ModulePassManager &)> fill) {
    PassBuilder builder(tm, PipelineTuningOptions(), std::nullopt, callbacks);
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    builder.registerLoopAnalyses(loops);
    builder.registerFunctionAnalyses(functions);
    builder.registerCGSCCAnalyses(components);
    builder.registerModuleAnalyses(modules);
    builder.crossRegisterProxies(loops, functions, components, modules);
    ModulePassManager pipeline;
    fill(builder, pipeline);
    pipeline.run(*m, modules);
}

// Missing: PassInstrumentationCallbacks, with which a pipeline skips a pass for some functions.
void shim_run_passes(LLVMModuleRef m, LLVMTargetMachineRef tm, const char *list, ShimSkip *skip, void *context) {
    PassInstrumentationCallbacks callbacks;
    callbacks.registerShouldRunOptionalPassCallback([=](StringRef pass, Any ir) {
        const Function *fn = nullptr;
        if (const auto *f = any_cast<const Function *>(&ir)) fn = *f;
        if (const auto *l = any_cast<const Loop *>(&ir)) fn = (*l)->getHeader()->getParent();
        return !skip(pass.str().c_str(), wrap(fn), context);
    });
    run_pipeline(unwrap(m), reinterpret_cast<TargetMachine *>(tm), &callbacks,
                 [=](PassBuilder &b, ModulePassManager &p) { cantFail(b.parsePassPipeline(p, list)); });
}

// Missing: options of GCOVProfilerPass.
static bool names_file(const Module &m, unsigned which) {
    const NamedMDNode *files = m.getNamedMetadata("llvm.gcov");
    return files && files->getNumOperands() &&
           !cast<MDString>(files->getOperand(0)->getOperand(which))->getString().empty();
}

void shim_instrument_coverage(LLVMModuleRef m) {
    GCOVOptions options = GCOVOptions::getDefault();
    options.EmitNotes = names_file(*unwrap(m), 0);
    options.EmitData = names_file(*unwrap(m), 1);
    options.Atomic = true; // a counter is one for all threads
    if (options.EmitNotes || options.EmitData)
        run_pipeline(unwrap(m), nullptr, nullptr,
                     [=](PassBuilder &, ModulePassManager &p) { p.addPass(GCOVProfilerPass(options)); });
    if (NamedMDNode *done = unwrap(m)->getNamedMetadata("llvm.gcov")) done->eraseFromParent();
}

// Missing: appendToGlobalCtors.
void shim_add_constructor(LLVMValueRef fn, int priority) {
    appendToGlobalCtors(*unwrap<Function>(fn)->getParent(), unwrap<Function>(fn), priority);
}

// Missing: ExpandVariadics with its mode; by its name in a pipeline it keeps indirect calls.
void shim_expand_variadics(LLVMModuleRef m) {
    ModuleAnalysisManager modules;
    ExpandVariadicsPass(ExpandVariadicsMode::Lowering).run(*unwrap(m), modules);
}

// Missing: distinct metadata nodes.
LLVMValueRef shim_access_group(LLVMContextRef context) {
    LLVMContext &c = *unwrap(context);
    return wrap(MetadataAsValue::get(c, MDNode::getDistinct(c, {})));
}

// Missing: appendToCompilerUsed.
void shim_keep(LLVMValueRef global) {
    GlobalValue *g = unwrap<GlobalValue>(global);
    appendToCompilerUsed(*g->getParent(), {g});
}

// Missing: Value::stripAndAccumulateConstantOffsets.
LLVMValueRef shim_object_of(LLVMTargetDataRef layout, LLVMValueRef pointer, int64_t *offset, bool *exact) {
    const DataLayout &dl = *unwrap(layout);
    Value *p = unwrap(pointer);
    *offset = 0, *exact = true;
    for (;;) {
        APInt more(dl.getIndexTypeSizeInBits(p->getType()), 0);
        p = p->stripAndAccumulateConstantOffsets(dl, more, true);
        *offset += more.getSExtValue();
        GEPOperator *gep = dyn_cast<GEPOperator>(p);
        if (!gep) return wrap(p);
        *exact = false;
        p = gep->getPointerOperand();
    }
}

// Missing: Instruction::dropPoisonGeneratingFlags.
char *shim_demangle(const char *symbol) { return strdup(demangle(symbol).c_str()); }

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

// Missing: llvm/Support/JSON.h.
char *shim_json_string(const char *s, size_t n) {
    std::string text;
    raw_string_ostream(text) << json::Value(json::fixUTF8(StringRef(s, n)));
    return strdup(text.c_str());
}

void shim_drop_flags(LLVMValueRef inst) { unwrap<Instruction>(inst)->dropPoisonGeneratingFlags(); }

// Missing: clearing a fast-math flag (LLVMSetFastMathFlags only adds).
void shim_set_fast_math(LLVMValueRef inst, unsigned flags) {
    FastMathFlags f;
    f.setAllowReassoc(flags & LLVMFastMathAllowReassoc);
    f.setNoNaNs(flags & LLVMFastMathNoNaNs);
    f.setNoInfs(flags & LLVMFastMathNoInfs);
    f.setNoSignedZeros(flags & LLVMFastMathNoSignedZeros);
    f.setAllowReciprocal(flags & LLVMFastMathAllowReciprocal);
    f.setAllowContract(flags & LLVMFastMathAllowContract);
    f.setApproxFunc(flags & LLVMFastMathApproxFunc);
    unwrap<Instruction>(inst)->copyFastMathFlags(f);
}
// Missing: Instruction::copyIRFlags.
void shim_copy_flags(LLVMValueRef to, LLVMValueRef from) { unwrap<Instruction>(to)->copyIRFlags(unwrap(from)); }

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

// Missing: ComputeNumSignBits, which does not look through splats.
unsigned shim_sign_bits(LLVMValueRef v) {
    Value *value = unwrap(v), *one = getSplatValue(value);
    if (one) value = one;
    auto *i = dyn_cast<Instruction>(value);
    if (!i && !isa<Constant>(value)) return 1;
    return ComputeNumSignBits(value, i ? i->getDataLayout() : DataLayout(""));
}
