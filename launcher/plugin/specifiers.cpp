/* specifiers.cpp: members that are defined outside of their class without the specifiers that they have in it, or with
** some that they do not have in it, and templates that are instantiated without those that they have.  For nvcc both
** are one function, for clang two that overload each other.
**
** clang cannot be kept from that, so notes behind its message tell what is missing where; the launcher puts the words
** there (launcher/nvcc/refused.c) and has the file read again. */
#include "launcher/plugin/plugin.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
using namespace clang;

namespace cucpu {
namespace {
bool has_specifiers(const FunctionDecl *f) {
    return f->hasAttr<CUDAHostAttr>() || f->hasAttr<CUDADeviceAttr>() || f->hasAttr<CUDAGlobalAttr>();
}
} // namespace

/* Destructors do not overload: the definition is the same function, but its specifiers are its own for clang. */
void Specifiers::begin_body(FunctionDecl *f) {
    const FunctionDecl *declared = f->getPreviousDecl();
    if (!isa<CXXDestructorDecl>(f) || !declared || has_specifiers(f)) return;
    if (declared->hasAttr<CUDAHostAttr>()) f->addAttr(CUDAHostAttr::CreateImplicit(f->getASTContext()));
    if (declared->hasAttr<CUDADeviceAttr>()) f->addAttr(CUDADeviceAttr::CreateImplicit(f->getASTContext()));
}

/* A __shared__ variable that the launcher declares in another way has the word out of a macro: which? */
void Specifiers::tell_of_macro(SourceLocation variable) {
    DiagnosticsEngine &engine = sema->getDiagnostics();
    const SourceManager &sources = sema->getSourceManager();
    for (const Decl *d : sema->CurContext->noload_decls()) {
        auto *shared = d->getLocation() == variable && isa<VarDecl>(d) ? d->getAttr<CUDASharedAttr>() : nullptr;
        if (!shared) continue;
        SourceLocation at = sources.getExpansionLoc(shared->getLocation());
        StringRef word(sources.getCharacterData(at), Lexer::MeasureTokenLength(at, sources, sema->getLangOpts()));
        if (word == "__shared__") return;
        engine.Report(variable, engine.getCustomDiagID(DiagnosticsEngine::Note, "'%0' makes it __shared__")) << word;
        refusals.add("shared-by-macro", variable, word);
        return;
    }
}

void Specifiers::look(const Diagnostic &d) {
    if (!sema) return;
    if (d.getID() == diag::err_shared_var_init) tell_of_macro(d.getLocation());
    if (d.getID() == diag::err_cuda_ovl_target) {
        tell(d.getLocation(), cast<FunctionDecl>(reinterpret_cast<NamedDecl *>(d.getRawArg(3))));
    } else if (d.getID() == diag::err_member_decl_does_not_match) {
        definition = d.getLocation();
        name = DeclarationName::getFromOpaqueInteger(d.getRawArg(0));
        record = d.getArgKind(1) == DiagnosticsEngine::ak_declcontext ? reinterpret_cast<DeclContext *>(d.getRawArg(1))
                                                                      : nullptr;
        tell_of_templates();
    } else if (d.getID() == diag::err_explicit_instantiation_not_known) {
        definition = d.getLocation();
        name = DeclarationName::getFromOpaqueInteger(d.getRawArg(0));
        record = sema->CurContext;
    } else if (d.getID() == diag::note_member_def_close_match ||
               d.getID() == diag::note_cuda_ovl_candidate_target_mismatch) {
        for (DeclContext *in = record; in; in = in->getParent())
            for (NamedDecl *n : in->lookup(name))
                if (n->getLocation() == d.getLocation()) return tell(definition, n->getAsFunction());
    }
}

/* clang points to no member template that matches but for that: one is taken if it is the only one. */
void Specifiers::tell_of_templates() {
    const FunctionTemplateDecl *only = nullptr;
    for (NamedDecl *n : record ? record->lookup(name) : DeclContext::lookup_result()) {
        auto *t = dyn_cast<FunctionTemplateDecl>(n);
        if (!t || only) return;
        only = t;
    }
    if (only) tell(definition, only->getTemplatedDecl());
}

void Specifiers::tell(SourceLocation at, const FunctionDecl *declared) {
    if (!declared) return;
    DiagnosticsEngine &engine = sema->getDiagnostics();
    unsigned missing = engine.getCustomDiagID(DiagnosticsEngine::Note, "it is declared with '%0'");
    unsigned added = engine.getCustomDiagID(DiagnosticsEngine::Note,
                                            "declared without and defined with specifiers: '__host__ __device__'");
    auto lacks = [&](const char *words, const char *kind) {
        engine.Report(at, missing) << words;
        refusals.add(kind, at);
    };
    switch (sema->CUDA().IdentifyTarget(declared)) {
    case CUDAFunctionTarget::Device: lacks("__device__", "lacks-device"); break;
    case CUDAFunctionTarget::Global: lacks("__global__", "lacks-global"); break;
    case CUDAFunctionTarget::HostDevice: lacks("__host__ __device__", "lacks-both"); break;
    case CUDAFunctionTarget::Host:
        for (SourceLocation place : {at, declared->getLocation()}) {
            engine.Report(place, added);
            refusals.add("has-both", place);
        }
        break;
    default: break;
    }
}

} // namespace cucpu
