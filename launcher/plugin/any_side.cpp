/* any_side.cpp: a concept asks whether a function can be called, and the answer is the same for kernels and for the
** host, as with nvcc.
**
** For clang it depends on the side of the function that happens to ask first, and is then remembered for the other one,
** too.  So while constraints are checked, the function that asks is one for both sides. */
#include "launcher/plugin/plugin.h"
using namespace clang;

namespace cucpu {
namespace {
class AnySide : public TemplateInstantiationCallback {
  public:
    void initialize(const Sema &) override {}
    void finalize(const Sema &) override {}
    void atTemplateBegin(const Sema &s, const Sema::CodeSynthesisContext &c) override;
    void atTemplateEnd(const Sema &s, const Sema::CodeSynthesisContext &c) override;

  private:
    struct Question {
        FunctionDecl *asker; /* NULL: code outside of functions */
        AttrVec attributes;  /* its own */
        CUDAFunctionTarget outside;
    };
    llvm::SmallVector<Question, 8> questions;
};

bool is_question(const Sema::CodeSynthesisContext &c) {
    using Context = Sema::CodeSynthesisContext;
    switch (c.Kind) {
    case Context::ConstraintsCheck:
    case Context::ConstraintSubstitution:
    case Context::RequirementInstantiation:
    case Context::RequirementParameterInstantiation:
    case Context::NestedRequirementConstraintsCheck: return true;
    default: return false;
    }
}

void AnySide::atTemplateBegin(const Sema &const_sema, const Sema::CodeSynthesisContext &c) {
    auto &s = const_cast<Sema &>(const_sema);
    if (!is_question(c)) return;
    FunctionDecl *asker = s.getCurFunctionDecl(/*AllowLambda=*/true);
    Question q = {asker, {}, s.CUDA().CurCUDATargetCtx.Target};
    if (asker) {
        if (asker->hasAttrs()) q.attributes = asker->getAttrs();
        asker->dropAttrs();
        asker->addAttr(CUDAHostAttr::CreateImplicit(s.Context));
        asker->addAttr(CUDADeviceAttr::CreateImplicit(s.Context));
    }
    questions.push_back(q);
    s.CUDA().CurCUDATargetCtx.Target = CUDAFunctionTarget::HostDevice;
}

void AnySide::atTemplateEnd(const Sema &s, const Sema::CodeSynthesisContext &c) {
    if (!is_question(c) || questions.empty()) return;
    Question q = questions.pop_back_val();
    if (q.asker) {
        q.asker->dropAttrs();
        if (!q.attributes.empty()) q.asker->setAttrs(q.attributes);
    }
    const_cast<Sema &>(s).CUDA().CurCUDATargetCtx.Target = q.outside;
}
} // namespace

std::unique_ptr<TemplateInstantiationCallback> ask_for_any_side() { return std::make_unique<AnySide>(); }

} // namespace cucpu
