/* plugin.cpp: a plugin of clang, for what nvcc takes and clang's front end refuses or reads otherwise, where that is no
** matter of text.
**
** Loaded in both halves of every compilation (launcher/toolchain.c).  It changes what clang checks and says, and no
** text: so macros, templates and headers are like any other code.  It uses clang's interfaces of one version, the one
** that it was built for.  -fplugin-arg-cucpu-cross-calls=error: of --Werror cross-execution-space-call;
** -fplugin-arg-cucpu-refused=FILE: see refusals.cpp. */
#include "launcher/plugin/plugin.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/SemaConsumer.h"
using namespace clang;

namespace cucpu {
namespace {
struct Parts {
    Parts(bool cross_calls_are_errors, StringRef refused)
        : calls(cross_calls_are_errors), refusals(refused), specifiers(refusals) {}
    HostCalls calls;
    Refusals refusals;
    Specifiers specifiers;
    CheckCaptures captures;
    Sema *sema = nullptr;
    void start(Sema *s) {
        sema = s;
        calls.start(s);
        specifiers.start(s);
        captures.start(s);
    }
    /* The body of a function is read, or instantiated, from here on. */
    void begin_body(FunctionDecl *f) {
        specifiers.begin_body(f);
        calls.begin_body(f);
        check_kernel(*sema, f);
    }
};

class Instantiations : public TemplateInstantiationCallback {
  public:
    explicit Instantiations(std::shared_ptr<Parts> p) : parts(std::move(p)) {}
    void initialize(const Sema &) override {}
    void finalize(const Sema &) override {}
    void atTemplateBegin(const Sema &, const Sema::CodeSynthesisContext &c) override {
        if (c.Kind != Sema::CodeSynthesisContext::TemplateInstantiation) return;
        if (auto *f = dyn_cast_or_null<FunctionDecl>(c.Entity)) parts->begin_body(f);
    }
    void atTemplateEnd(const Sema &, const Sema::CodeSynthesisContext &) override {}

  private:
    std::shared_ptr<Parts> parts;
};

/* What clang reports passes here on its way to who prints it. */
class Messages : public DiagnosticConsumer {
  public:
    Messages(std::unique_ptr<DiagnosticConsumer> next, std::shared_ptr<Parts> p)
        : printer(std::move(next)), parts(std::move(p)) {}
    void BeginSourceFile(const LangOptions &o, const Preprocessor *p) override { printer->BeginSourceFile(o, p); }
    void EndSourceFile() override {
        printer->EndSourceFile();
        parts->refusals.write();
    }
    void finish() override { printer->finish(); }
    bool IncludeInDiagnosticCounts() const override { return printer->IncludeInDiagnosticCounts(); }
    void clear() override {
        DiagnosticConsumer::clear();
        printer->clear();
    }
    void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &d) override {
        if (level == DiagnosticsEngine::Note && silent_notes) return;
        bool silent = false, taken = parts->calls.take(d, &silent);
        silent_notes = silent;
        if (taken) return;
        DiagnosticConsumer::HandleDiagnostic(level, d);
        printer->HandleDiagnostic(level, d);
        parts->refusals.look(level, d);
        parts->specifiers.look(d);
    }

  private:
    std::unique_ptr<DiagnosticConsumer> printer;
    std::shared_ptr<Parts> parts;
    bool silent_notes = false;
};

class Consumer : public SemaConsumer {
  public:
    Consumer(bool cross_calls_are_errors, StringRef refused, bool rtc)
        : parts(std::make_shared<Parts>(cross_calls_are_errors, refused)), at_run_time(rtc) {}
    void InitializeSema(Sema &s) override {
        DiagnosticsEngine &engine = s.getDiagnostics();
        parts->start(&s);
        s.TemplateInstCallbacks.push_back(ask_for_any_side());
        s.TemplateInstCallbacks.push_back(std::make_unique<Instantiations>(parts));
        engine.setClient(new Messages(engine.takeClient(), parts), /*ShouldOwnClient=*/true);
    }
    void ForgetSema() override { parts->start(nullptr); }
    /* The one place where clang tells that a body begins: none is left out. */
    bool shouldSkipFunctionBody(Decl *d) override {
        if (FunctionDecl *f = d->getAsFunction()) parts->begin_body(f);
        return false;
    }
    bool HandleTopLevelDecl(DeclGroupRef group) override {
        parts->calls.end_bodies();
        parts->captures.look(group);
        if (at_run_time) keep_statics(group);
        return true;
    }

  private:
    std::shared_ptr<Parts> parts;
    bool at_run_time;
    /* Without host code, cuModuleGetGlobal may name any variable of a program that NVRTC compiles, static ones too. */
    void keep_statics(DeclGroupRef group) {
        for (Decl *d : group) {
            auto *v = dyn_cast<VarDecl>(d);
            if (!v || v->getStorageClass() != SC_Static) continue;
            if (!v->hasAttr<CUDADeviceAttr>() && !v->hasAttr<CUDAConstantAttr>()) continue;
            ASTContext &all = v->getASTContext();
            if (!all.getSourceManager().isInSystemHeader(v->getLocation())) all.CUDADeviceVarODRUsedByHost.insert(v);
        }
    }
};

class Action : public PluginASTAction {
  protected:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
        compiler.getFrontendOpts().SkipFunctionBodies = true; /* shouldSkipFunctionBody is called */
        bool rtc = false;
        for (const auto &[macro, undefined] : compiler.getPreprocessorOpts().Macros)
            rtc |= !undefined && StringRef(macro).starts_with("__CUDACC_RTC__");
        return std::make_unique<Consumer>(cross_calls_are_errors, refused, rtc);
    }
    bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &args) override {
        for (StringRef a : args) {
            cross_calls_are_errors |= a == "cross-calls=error";
            if (a.consume_front("refused=")) refused = a.str();
        }
        return true;
    }
    ActionType getActionType() override { return AddBeforeMainAction; }

  private:
    bool cross_calls_are_errors = false;
    std::string refused;
};
} // namespace
} // namespace cucpu

static FrontendPluginRegistry::Add<cucpu::Action> action("cucpu", "CUDA as nvcc reads it");
