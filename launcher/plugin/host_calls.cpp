/* host_calls.cpp: __host__ __device__ functions may name functions of the host, as with nvcc: a warning, and a kernel
** that gets to the call ends with an error.
**
** For clang it is an error of the device half.  What the function calls then is declared there under a name that says
** so, "cucpu.host." and the mangled name, or has an attribute with that text; passes/import/trap_host_calls.c makes the
** fault of it.  No body of such a function becomes device code.  Variables of the host get such a name, too: as
** arguments of those calls they do no harm, anything else is an error of that pass.
**
** clang leaves the call in its tree only where it does not yet know that the function is emitted: so while its body is
** read, a function of external linkage counts as inline, and an explicit instantiation as an implicit one. */
#include "launcher/plugin/plugin.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
using namespace clang;

namespace cucpu {
namespace {
enum { TARGET_OF_NAMED, IS_VARIABLE, NAMED, TARGET_OF_CALLER }; /* arguments of err_ref_bad_target */

bool for_both_sides(const FunctionDecl *f) {
    return f->hasAttr<CUDAHostAttr>() && f->hasAttr<CUDADeviceAttr>() && !f->hasAttr<CUDAGlobalAttr>();
}

bool refers_to_host(const PartialDiagnosticAt &d) { return d.second.getDiagID() == diag::err_ref_bad_target; }

template <class A> void add_implicit(FunctionDecl *f) {
    if (!f->hasAttr<A>()) f->addAttr(A::CreateImplicit(f->getASTContext()));
}

/* It would be emitted if it stands in its class: not if it is only there to be inlined, and must not be. */
void leave_out_body(FunctionDecl *f) {
    add_implicit<NoInlineAttr>(f);
    add_implicit<GNUInlineAttr>(f);
    f->setImplicitlyInline();
}

/* #pragma nv_exec_check_disable */
class NoCheck : public PragmaHandler {
  public:
    NoCheck(StringRef name, llvm::SmallVectorImpl<SourceLocation> *all) : PragmaHandler(name), places(all) {}
    void HandlePragma(Preprocessor &, PragmaIntroducer, Token &t) override { places->push_back(t.getLocation()); }

  private:
    llvm::SmallVectorImpl<SourceLocation> *places;
};
} // namespace

void HostCalls::start(Sema *s) {
    sema = s;
    if (!s) return;
    DiagnosticIDs &numbers = *s->getDiagnostics().getDiagnosticIDs();
    warning = numbers.getCustomDiagID({diag::Severity::Warning, "%0: a kernel that gets there ends with an error",
                                       DiagnosticIDs::CLASS_WARNING, false, false,
                                       *DiagnosticIDs::getGroupForWarningOption("gpu-maybe-wrong-side")});
    for (StringRef name : {"nv_exec_check_disable", "hd_warning_disable"})
        s->getPreprocessor().AddPragmaHandler(new NoCheck(name, &no_check));
    changed.clear();
    if (s->getLangOpts().CUDAIsDevice) /* clang maps no error to a warning, but to a remark */
        s->getDiagnostics().setSeverity(diag::err_ref_bad_target, diag::Severity::Remark, SourceLocation());
}

void HostCalls::begin_body(FunctionDecl *f) {
    if (!sema->getLangOpts().CUDAIsDevice || !for_both_sides(f)) return;
    if (f->getTemplateSpecializationKind() == TSK_ExplicitInstantiationDefinition) {
        f->setTemplateSpecializationKind(TSK_ImplicitInstantiation);
        changed.push_back({f, true});
    } else if (!f->isInlined() && !f->isDependentContext()) {
        f->setImplicitlyInline();
        changed.push_back({f, false});
    }
}

void HostCalls::end_bodies() {
    llvm::erase_if(changed, [this](const Changed &c) {
        if (c.function->willHaveBody() || !c.function->doesThisDeclarationHaveABody()) return false;
        if (c.instantiated) c.function->setTemplateSpecializationKind(TSK_ExplicitInstantiationDefinition);
        else c.function->setImplicitlyInline(false);
        auto put_off = sema->DeviceDeferredDiags.find(c.function); /* its code is generated before clang reports them */
        if (put_off != sema->DeviceDeferredDiags.end() && llvm::any_of(put_off->second, refers_to_host))
            rename_in(c.function);
        return true;
    });
}

/* All that the function names of the host: clang does not report what default arguments call. */
void HostCalls::rename_in(const FunctionDecl *f) {
    if (!f || !walked.insert(f).second) return;
    if (auto *maker = dyn_cast<CXXConstructorDecl>(f))
        for (const CXXCtorInitializer *i : maker->inits()) rename_in(i->getInit());
    rename_in(f->getBody());
}

void HostCalls::rename_in(const Stmt *s) {
    if (!s) return;
    for (const Stmt *child : s->children()) rename_in(child);
    if (auto *e = dyn_cast<DeclRefExpr>(s)) rename_host(e->getDecl());
    else if (auto *member = dyn_cast<MemberExpr>(s)) rename_host(member->getMemberDecl());
    else if (auto *made = dyn_cast<CXXConstructExpr>(s)) rename_host(made->getConstructor());
    else if (auto *argument = dyn_cast<CXXDefaultArgExpr>(s)) rename_in(argument->getExpr());
    else if (auto *of_member = dyn_cast<CXXDefaultInitExpr>(s)) rename_in(of_member->getExpr());
}

void HostCalls::rename_host(const ValueDecl *named) {
    auto *f = dyn_cast_or_null<FunctionDecl>(named);
    auto *v = dyn_cast_or_null<VarDecl>(named);
    bool function = f && sema->CUDA().IdentifyTarget(f) == CUDAFunctionTarget::Host;
    bool variable = v && v->hasGlobalStorage() && sema->CUDA().IdentifyTarget(v) == SemaCUDA::CVT_Host;
    if (function || variable) rename(const_cast<ValueDecl *>(named));
}

void HostCalls::rename(NamedDecl *named) {
    static constexpr StringRef prefix = "cucpu.host.";
    auto *known = named->getAttr<AsmLabelAttr>();
    if (known && known->getLabel().starts_with(prefix)) return;
    ASTContext &context = named->getASTContext();
    std::string name = (prefix + ASTNameGenerator(context).getName(named)).str();
    for (Decl *d : named->redecls()) {
        d->dropAttr<AsmLabelAttr>();
        d->addAttr(AsmLabelAttr::CreateImplicit(context, name));
        auto *f = dyn_cast<FunctionDecl>(d);
        if (!f) continue;
        /* debug information may have asked for the name before: a string attribute of the function in LLVM's IR
        ** ("dontcall-warn") */
        f->addAttr(ErrorAttr::CreateImplicit(context, name, SourceRange(), ErrorAttr::GNU_warning));
        leave_out_body(f);
    }
    /* an object that only the host can make: clang does not ask whether its destructor may be called, either */
    auto *maker = dyn_cast<CXXConstructorDecl>(named);
    if (maker && maker->getParent()->hasDefinition()) rename_host(maker->getParent()->getDestructor());
}

/* Such a pragma stands in front of it. */
bool HostCalls::is_unchecked(const FunctionDecl *f) {
    const SourceManager &sources = sema->getSourceManager();
    if (const FunctionDecl *pattern = f->getTemplateInstantiationPattern()) f = pattern;
    const FunctionTemplateDecl *t = f->getDescribedFunctionTemplate();
    auto [file, begin] = sources.getDecomposedExpansionLoc(t ? t->getBeginLoc() : f->getBeginLoc());
    for (SourceLocation at : no_check) {
        auto [of, place] = sources.getDecomposedExpansionLoc(at);
        if (of == file && place < begin &&
            sources.getBufferData(file).slice(place, begin).find_first_of(";{}") == StringRef::npos)
            return true;
    }
    return false;
}

bool HostCalls::take(const Diagnostic &d, bool *silent_notes) {
    if (d.getID() != diag::err_ref_bad_target || !sema || !sema->getLangOpts().CUDAIsDevice) return false;
    DiagnosticsEngine &engine = sema->getDiagnostics();
    bool both = d.getRawArg(TARGET_OF_CALLER) == static_cast<int>(CUDAFunctionTarget::HostDevice),
         variable = d.getRawArg(IS_VARIABLE);
    SmallString<200> text;
    d.FormatDiagnostic(text);
    *silent_notes = both && (variable || !are_errors);
    if (!*silent_notes) {
        engine.Report(d.getLocation(), engine.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << text;
        return true;
    }
    SourceLocation at = d.getLocation();
    rename(reinterpret_cast<NamedDecl *>(d.getRawArg(NAMED)));
    bool silent = variable;
    for (auto &put_off : sema->DeviceDeferredDiags)
        if (llvm::any_of(put_off.second,
                         [at](const PartialDiagnosticAt &o) { return o.first == at && refers_to_host(o); })) {
            rename_in(put_off.first->getDefinition());
            silent |= is_unchecked(put_off.first);
        }
    if (!silent && reported.insert(at.getRawEncoding()).second) engine.Report(at, warning) << text;
    return true;
}

} // namespace cucpu
