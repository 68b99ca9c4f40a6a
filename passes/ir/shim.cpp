// shim.cpp: thin C wrappers for what the LLVM 22 C API lacks.  Every function names the gap.  Loops, targets and debug
// information are in files of their own.
#include "passes/ir/shim.h"
#include <cstring>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Compression.h>
#include <llvm/Support/JSON.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/ExpandVariadics.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Instrumentation/GCOVProfiler.h>
#include <llvm/Transforms/Instrumentation/InstrProfiling.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

static_assert(LLVM_VERSION_MAJOR >= 22, "cucpu is pinned to LLVM 22");

// Missing: CloneFunction.
LLVMValueRef shim_clone_function(LLVMValueRef fn, const char *name) {
    ValueToValueMapTy map;
    Function *copy = CloneFunction(unwrap<Function>(fn), map);
    copy->setName(name);
    return wrap(copy);
}

// Missing: Function::splice.
void shim_move_blocks(LLVMValueRef from, LLVMValueRef to) {
    Function *f = unwrap<Function>(to);
    f->splice(f->begin(), unwrap<Function>(from));
}

// Missing: SplitBlock.
LLVMBasicBlockRef shim_split_block(LLVMValueRef at, const char *name) {
    Instruction *i = unwrap<Instruction>(at);
    return wrap(i->getParent()->splitBasicBlock(i->getIterator(), name));
}

// Missing: SplitBlockPredecessors.
void shim_split_predecessors(LLVMBasicBlockRef bb, LLVMBasicBlockRef *from, unsigned n, const char *suffix) {
    SmallVector<BasicBlock *, 8> blocks;
    for (unsigned k = 0; k < n; k++) blocks.push_back(unwrap(from[k]));
    SplitBlockPredecessors(unwrap(bb), blocks, suffix);
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

// Missing: computeKnownBits.
unsigned shim_active_bits(LLVMValueRef v) {
    Instruction *i = dyn_cast<Instruction>(unwrap(v));
    if (!i) return unwrap(v)->getType()->getIntegerBitWidth();
    return computeKnownBits(i, i->getDataLayout()).countMaxActiveBits();
}

// Missing: canCreateUndefOrPoison.
bool shim_makes_poison(LLVMValueRef v) { return canCreateUndefOrPoison(cast<Operator>(unwrap(v))); }

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

// Missing: InstrProfilingLoweringPass. For GPUs it makes what a GPU's runtime would fetch.
void shim_instrument_profile(LLVMModuleRef module) {
    Module &m = *unwrap(module);
    Triple device = m.getTargetTriple();
    InstrProfOptions options;
    options.Atomic = true;
    for (GlobalVariable &g : m.globals())
        if (g.getName().starts_with("__profn_")) g.setLinkage(GlobalValue::PrivateLinkage);
    m.setTargetTriple(Triple("x86_64-unknown-linux-gnu"));
    run_pipeline(&m, nullptr, nullptr,
                 [=](PassBuilder &, ModulePassManager &p) { p.addPass(InstrProfilingLoweringPass(options)); });
    m.setTargetTriple(device);
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

// Missing: llvm/Support/JSON.h.
char *shim_json_string(const char *s, size_t n) {
    std::string text;
    raw_string_ostream(text) << json::Value(json::fixUTF8(StringRef(s, n)));
    return strdup(text.c_str());
}

// Missing: llvm/Support/Compression.h.
char *shim_compress(const char *bytes, size_t n, size_t *size) {
    if (!compression::zstd::isAvailable()) return nullptr;
    SmallVector<uint8_t, 0> out;
    compression::zstd::compress(arrayRefFromStringRef(StringRef(bytes, n)), out);
    auto *copy = static_cast<char *>(malloc(out.size()));
    if (copy) memcpy(copy, out.data(), *size = out.size());
    return copy;
}

LLVMMemoryBufferRef shim_decompress(LLVMMemoryBufferRef packed) {
    // What it expands to is not in the interface; the limit is for damaged input.
    StringRef in = unwrap(packed)->getBuffer();
    if (!in.starts_with("\x28\xb5\x2f\xfd") || !compression::zstd::isAvailable()) return nullptr;
    for (size_t limit = 16 * in.size() + 4096; limit < size_t(1) << 32; limit *= 4) {
        SmallVector<uint8_t, 0> out;
        Error error = compression::zstd::decompress(arrayRefFromStringRef(in), out, limit);
        if (!error) return wrap(MemoryBuffer::getMemBufferCopy(toStringRef(out), "device code").release());
        consumeError(std::move(error));
    }
    return nullptr;
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

// Missing: ComputeNumSignBits, which does not look through splats.
unsigned shim_sign_bits(LLVMValueRef v) {
    Value *value = unwrap(v), *one = getSplatValue(value);
    if (one) value = one;
    auto *i = dyn_cast<Instruction>(value);
    if (!i && !isa<Constant>(value)) return 1;
    return ComputeNumSignBits(value, i ? i->getDataLayout() : DataLayout(""));
}
