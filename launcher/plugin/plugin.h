/* plugin.h: the parts of clang's plugin that makes its front end take what nvcc takes. */
#ifndef CUCPU_LAUNCHER_PLUGIN_H
#define CUCPU_LAUNCHER_PLUGIN_H
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"
#include "clang/Sema/TemplateInstCallback.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace cucpu {

/* host_calls.cpp: functions for both sides may name functions and variables of the host. */
class HostCalls {
  public:
    explicit HostCalls(bool errors) : are_errors(errors) {}
    void start(clang::Sema *s); /* NULL: it is over */
    /* The body of a function is read, or instantiated, from here on. */
    void begin_body(clang::FunctionDecl *f);
    /* Code may be generated for all functions whose bodies are complete. */
    void end_bodies();
    /* Takes over a message of clang; *silent_notes: those that follow belong to nothing. */
    bool take(const clang::Diagnostic &d, bool *silent_notes);

  private:
    struct Changed {
        clang::FunctionDecl *function;
        bool instantiated; /* explicitly */
    };
    clang::Sema *sema = nullptr;
    bool are_errors;
    unsigned warning = 0; /* its number */
    llvm::SmallVector<Changed, 8> changed;
    llvm::DenseSet<unsigned> reported; /* places */
    llvm::SmallVector<clang::SourceLocation, 4> no_check;
    bool is_unchecked(const clang::FunctionDecl *f);
    llvm::DenseSet<const clang::FunctionDecl *> walked;
    void rename_in(const clang::FunctionDecl *f);
    void rename_in(const clang::Stmt *s);
    void rename_host(const clang::ValueDecl *named);
    void rename(clang::NamedDecl *named);
};

/* refusals.cpp: what is refused where, for the launcher. */
class Refusals {
  public:
    explicit Refusals(llvm::StringRef f); /* "": nobody reads it */
    void write();                         /* at the end */
    /* At a message that clang has reported. */
    void look(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &d);
    void add(llvm::StringRef kind, clang::SourceLocation at, llvm::StringRef word = "");

  private:
    std::string file, records;
    bool refused = false;
    const clang::SourceManager *sources = nullptr;
    void add_in_macros(llvm::StringRef kind, clang::SourceLocation at);
};

/* specifiers.cpp: functions that have their specifiers in one declaration only. */
class Specifiers {
  public:
    explicit Specifiers(Refusals &r) : refusals(r) {}
    void start(clang::Sema *s) { sema = s; }
    void begin_body(clang::FunctionDecl *f);
    /* At a message that clang has reported. */
    void look(const clang::Diagnostic &d);

  private:
    Refusals &refusals;
    clang::Sema *sema = nullptr;
    clang::SourceLocation definition; /* or instantiation, that matches no declaration */
    clang::DeclarationName name;
    clang::DeclContext *record = nullptr; /* or where else to look */
    void tell_of_macro(clang::SourceLocation variable);
    void tell_of_templates();
    void tell(clang::SourceLocation at, const clang::FunctionDecl *declared);
};

/* check_kernels.cpp: errors for what nvcc refuses. */
void check_kernel(clang::Sema &s, const clang::FunctionDecl *f);

/* check_captures.cpp: errors for lambdas of which the two halves capture different variables. */
class CheckCaptures {
  public:
    void start(clang::Sema *s);
    void look(clang::DeclGroupRef group);

  private:
    clang::Sema *sema = nullptr;
    llvm::SmallVector<clang::SourceRange, 16> skipped; /* by conditions on __CUDA_ARCH__ */
};

/* any_side.cpp: what constraints ask about a function does not depend on the side that asks. */
std::unique_ptr<clang::TemplateInstantiationCallback> ask_for_any_side();

} // namespace cucpu
#endif
