// shim_loops.cpp: what the C API lacks for loops (shim.h): LoopInfo, ScalarEvolution and what changes loops.
#include "passes/ir/shim.h"
#include <llvm/ADT/PriorityWorklist.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

using namespace llvm;

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
