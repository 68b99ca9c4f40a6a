/* plugin.cpp: a plugin of clang, for what nvcc takes and clang's front end refuses or reads otherwise, where that is no matter of text.
**
** Loaded in both halves of every compilation (launcher/toolchain.c).  It changes what clang checks and says, and no text: so macros,
** templates and headers are like any other code.  It uses clang's interfaces of one version, the one that it was built for.
** -fplugin-arg-cucpu-cross-calls=error: of --Werror cross-execution-space-call. */
#include "launcher/plugin/plugin.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/SemaConsumer.h"
using namespace clang;

namespace cucpu {
namespace {
/* What clang reports passes here on its way to who prints it. */
class Messages : public DiagnosticConsumer {
  public:
    Messages(std::unique_ptr<DiagnosticConsumer> next, std::shared_ptr<HostCalls> host) : printer(std::move(next)), calls(std::move(host)) {}
    void BeginSourceFile(const LangOptions &o, const Preprocessor *p) override { printer->BeginSourceFile(o, p); }
    void EndSourceFile() override { printer->EndSourceFile(); }
    void finish() override { printer->finish(); }
    bool IncludeInDiagnosticCounts() const override { return printer->IncludeInDiagnosticCounts(); }
    void clear() override {
        DiagnosticConsumer::clear();
        printer->clear();
    }
    void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &d) override {
        if (level == DiagnosticsEngine::Note && silent_notes) return;
        bool silent = false, taken = calls->take(d, &silent);
        silent_notes = silent;
        if (taken) return;
        DiagnosticConsumer::HandleDiagnostic(level, d);
        printer->HandleDiagnostic(level, d);
    }

  private:
    std::unique_ptr<DiagnosticConsumer> printer;
    std::shared_ptr<HostCalls> calls;
    bool silent_notes = false;
};

class Consumer : public SemaConsumer {
  public:
    explicit Consumer(bool cross_calls_are_errors) : calls(std::make_shared<HostCalls>(cross_calls_are_errors)) {}
    void InitializeSema(Sema &s) override {
        DiagnosticsEngine &engine = s.getDiagnostics();
        calls->start(s);
        s.TemplateInstCallbacks.push_back(ask_for_any_side(calls.get()));
        engine.setClient(new Messages(engine.takeClient(), calls), /*ShouldOwnClient=*/true);
    }
    void ForgetSema() override { calls->stop(); }
    /* The one place where clang tells that a body begins: none is left out. */
    bool shouldSkipFunctionBody(Decl *d) override {
        if (FunctionDecl *f = d->getAsFunction()) calls->begin_body(f);
        return false;
    }
    bool HandleTopLevelDecl(DeclGroupRef) override {
        calls->end_bodies();
        return true;
    }

  private:
    std::shared_ptr<HostCalls> calls;
};

class Action : public PluginASTAction {
  protected:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
        compiler.getFrontendOpts().SkipFunctionBodies = true; /* shouldSkipFunctionBody is called */
        return std::make_unique<Consumer>(cross_calls_are_errors);
    }
    bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &args) override {
        for (const std::string &a : args) cross_calls_are_errors |= a == "cross-calls=error";
        return true;
    }
    ActionType getActionType() override { return AddBeforeMainAction; }

  private:
    bool cross_calls_are_errors = false;
};
} // namespace
} // namespace cucpu

static FrontendPluginRegistry::Add<cucpu::Action> action("cucpu", "CUDA as nvcc reads it");
