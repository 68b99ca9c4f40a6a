/* flush_denormals: which kernels run with denormal floats flushed to zero (-ftz=true, -use_fast_math).
**
** in:  clang's IR, whose functions carry "denormal-fp-math-f32"="preserve-sign,..." where that is requested
** out: ATTR_FLUSH on kernels that the runtime may run in the CPU's flushing mode (CUCPU_KERNEL_FLUSH)
**
** The mode of the CPU holds for floats and doubles alike, but CUDA never flushes doubles: a kernel that computes in
** double, itself or in a function that it may call, keeps its denormals, with a remark. Conversions, loads and stores
** of doubles change nothing. */
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <string.h>

static bool is_double(LLVMTypeRef t) {
    while (LLVMGetTypeKind(t) == LLVMVectorTypeKind || LLVMGetTypeKind(t) == LLVMArrayTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMDoubleTypeKind;
}

static bool computes_in_double(LLVMValueRef i) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMAtomicRMW: return is_double(LLVMTypeOf(i));
    case LLVMFCmp: return is_double(LLVMTypeOf(LLVMGetOperand(i, 0)));
    default: return false;
    }
}

typedef struct Reached {
    Arena *a;
    LLVMValueRef *v;
    int n, cap;
} Reached;

static void reach(Reached *r, LLVMValueRef f) {
    for (int i = 0; i < r->n; i++)
        if (r->v[i] == f) return;
    vec_push(r->a, r, f);
}

/* A call of a function without a body counts as computing what it returns; an indirect call is unknown. */
static bool call_is_double(Reached *r, LLVMValueRef call) {
    LLVMValueRef f = LLVMGetCalledValue(call);
    if (LLVMIsAInlineAsm(f)) return is_double(LLVMTypeOf(call));
    if (!LLVMIsAFunction(f)) return true;
    if (LLVMIsDeclaration(f)) return is_double(LLVMTypeOf(call));
    reach(r, f);
    return false;
}

static LLVMValueRef first_double(Reached *r, LLVMValueRef f) {
    for_each_instruction(i, f)
        if (LLVMIsACallInst(i) ? call_is_double(r, i) : computes_in_double(i)) return i;
    return NULL;
}

void flush_denormals(Module *m, LLVMValueRef kernel) {
    static const char wanted[] = "preserve-sign";
    unsigned len;
    const char *mode = fn_attr(kernel, "denormal-fp-math-f32", &len);
    if (!mode || len < strlen(wanted) || memcmp(mode, wanted, strlen(wanted))) return;
    Reached r = {.a = &m->arena};
    reach(&r, kernel);
    for (int i = 0; i < r.n; i++) {
        LLVMValueRef at = first_double(&r, r.v[i]);
        if (!at) continue;
        diag_remark(&m->diag, at, DENORMALS);
        return;
    }
    fn_set_attr(kernel, ATTR_FLUSH, "");
}
