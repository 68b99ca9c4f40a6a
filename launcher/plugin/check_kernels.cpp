/* check_kernels.cpp: what nvcc refuses of kernels, and clang takes without a word.
**
** - Parameters that are references: the kernel would get an address of the host's stack. */
#include "launcher/plugin/plugin.h"
using namespace clang;

namespace cucpu {

void check_kernel(Sema &s, const FunctionDecl *f) {
    if (!f->hasAttr<CUDAGlobalAttr>() || f->isDependentContext()) return;
    DiagnosticsEngine &engine = s.getDiagnostics();
    for (const ParmVarDecl *p : f->parameters())
        if (p->getType()->isReferenceType())
            engine.Report(p->getLocation(), engine.getCustomDiagID(
                                                DiagnosticsEngine::Error,
                                                "a __global__ function cannot have a parameter of reference type (%0)"))
                << p->getType();
}

} // namespace cucpu
