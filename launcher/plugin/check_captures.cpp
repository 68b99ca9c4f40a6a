/* check_captures.cpp: what an extended lambda captures must not depend on __CUDA_ARCH__, as the two halves lay out its
** object on their own.
**
** clang reads one half at a time.  So in a lambda with a capture default, text that this half skips by a condition on
** __CUDA_ARCH__ is read token by token: a local variable of the function around it that is named there, and not
** captured here, is captured by the other half alone.  An explicit list of captures is the same in both. */
#include "launcher/plugin/plugin.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
using namespace clang;

namespace cucpu {
namespace {
constexpr StringRef ARCH = "__CUDA_ARCH__";

/* Collects what is skipped by such conditions. */
class Conditions : public PPCallbacks {
  public:
    Conditions(Preprocessor &preprocessor, llvm::SmallVectorImpl<SourceRange> *ranges)
        : pp(preprocessor), skipped(ranges) {}
    void Ifdef(SourceLocation at, const Token &name, const MacroDefinition &) override {
        begin(at, pp.getSpelling(name) == ARCH);
    }
    void Ifndef(SourceLocation at, const Token &name, const MacroDefinition &) override {
        begin(at, pp.getSpelling(name) == ARCH);
    }
    void If(SourceLocation at, SourceRange condition, ConditionValueKind) override { begin(at, names_arch(condition)); }
    void Elif(SourceLocation, SourceRange condition, ConditionValueKind, SourceLocation first) override {
        if (names_arch(condition)) of_arch.insert(first);
        by_arch = of_arch.contains(first);
    }
    void Else(SourceLocation, SourceLocation first) override { by_arch = of_arch.contains(first); }
    void SourceRangeSkipped(SourceRange range, SourceLocation) override {
        if (by_arch) skipped->push_back(range);
    }

  private:
    Preprocessor &pp;
    llvm::SmallVectorImpl<SourceRange> *skipped;
    llvm::DenseSet<SourceLocation> of_arch; /* the #if of each such group */
    bool by_arch = false;
    void begin(SourceLocation at, bool arch) {
        by_arch = arch;
        if (arch) of_arch.insert(at);
    }
    bool names_arch(SourceRange condition) {
        return Lexer::getSourceText(CharSourceRange::getTokenRange(condition), pp.getSourceManager(), pp.getLangOpts())
            .contains(ARCH);
    }
};

class Lambdas : public RecursiveASTVisitor<Lambdas> {
  public:
    Lambdas(Sema &s, ArrayRef<SourceRange> ranges) : sema(s), skipped(ranges) {}
    bool VisitLambdaExpr(LambdaExpr *l) {
        if (l->getCaptureDefault() == LCD_None || !l->getCallOperator()->hasAttr<CUDADeviceAttr>()) return true;
        for (SourceRange r : skipped)
            if (contains(l->getBody()->getSourceRange(), r)) look(l, r);
        return true;
    }

  private:
    Sema &sema;
    ArrayRef<SourceRange> skipped;
    bool contains(SourceRange outer, SourceRange inner) {
        const SourceManager &m = sema.getSourceManager();
        return m.isBeforeInTranslationUnit(outer.getBegin(), inner.getBegin()) &&
               m.isBeforeInTranslationUnit(inner.getEnd(), outer.getEnd());
    }
    const VarDecl *local(const LambdaExpr *l, StringRef name) {
        for (const Decl *d : l->getLambdaClass()->getDeclContext()->decls()) {
            auto *v = dyn_cast<VarDecl>(d);
            if (v && v->hasLocalStorage() && v->getName() == name &&
                sema.getSourceManager().isBeforeInTranslationUnit(v->getLocation(), l->getBeginLoc()))
                return v;
        }
        return nullptr;
    }
    void look(const LambdaExpr *l, SourceRange r) {
        const SourceManager &m = sema.getSourceManager();
        auto [file, from] = m.getDecomposedLoc(r.getBegin());
        StringRef text = m.getBufferData(file);
        const char *end = text.data() + m.getFileOffset(r.getEnd());
        Lexer lexer(m.getLocForStartOfFile(file), sema.getLangOpts(), text.begin(), text.data() + from, text.end());
        Token t;
        bool member = false;
        while (!lexer.LexFromRawLexer(t) &&
               m.getFileOffset(t.getLocation()) < static_cast<unsigned>(end - text.data())) {
            if (t.is(tok::raw_identifier) && !member) check(l, t);
            member = t.isOneOf(tok::period, tok::arrow, tok::coloncolon);
        }
    }
    void check(const LambdaExpr *l, const Token &t) {
        const VarDecl *v = local(l, t.getRawIdentifier());
        for (const LambdaCapture &c : l->captures())
            if (c.capturesVariable() && v && c.getCapturedVar()->getName() == v->getName()) return;
        if (!v) return;
        DiagnosticsEngine &e = sema.getDiagnostics();
        e.Report(t.getLocation(),
                 e.getCustomDiagID(DiagnosticsEngine::Error,
                                   "host and device code would capture different variables: '%0' is captured under a "
                                   "condition on __CUDA_ARCH__ only; name it in the list of captures"))
            << v->getName();
    }
};
} // namespace

void CheckCaptures::start(Sema *s) {
    sema = s;
    if (s) s->getPreprocessor().addPPCallbacks(std::make_unique<Conditions>(s->getPreprocessor(), &skipped));
}

void CheckCaptures::look(DeclGroupRef group) {
    if (skipped.empty() || !sema) return;
    for (Decl *d : group)
        if (!sema->getSourceManager().isInSystemHeader(d->getLocation())) Lambdas(*sema, skipped).TraverseDecl(d);
}

} // namespace cucpu
