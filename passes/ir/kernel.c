/* kernel: see kernel.h. */
#include "passes/ir/kernel.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include "passes/ir/variant.h"
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

Kernel kernel_of(Module *m, LLVMValueRef fn, Arena *a) {
    Kernel k = {.m = m, .fn = fn, .arena = a};
    const Variant v = variant_of(fn);
    k.width = v.width ? v.width : m->opt->simd ? m->opt->simd : 1;
    k.layout = (Layout)v.layout;
    memcpy(k.block, v.block, sizeof k.block);
    return k;
}

/* Cuts "void sums<float>(float*, int)" to "sums<float>". */
static void cut_signature(char *name) {
    size_t n = strlen(name);
    if (!n || name[n - 1] != ')') return;
    int open = 0;
    for (char *c = name + n - 1; c > name; c--) {
        open += (*c == ')') - (*c == '(');
        if (open) continue;
        *c = 0;
        break;
    }
    if (!strncmp(name, "void ", 5)) memmove(name, name + 5, strlen(name + 5) + 1);
}

char *kernel_name(LLVMValueRef at) {
    LLVMValueRef fn = LLVMIsAInstruction(at) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(at)) : at;
    const char *base = variant_of(fn).base;
    char *symbol = strdup(base ? base : value_name(fn));
    symbol[strcspn(symbol, ".")] = 0;            /* the suffix of a clone */
    char *intern = strstr(symbol, "__intern__"); /* that of a static kernel with -rdc */
    if (intern) *intern = 0;
    char *plain = shim_demangle(symbol);
    free(symbol);
    cut_signature(plain);
    return plain;
}

bool in_list(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, name, n) && (p[n] == ',' || !p[n])) return true;
    return false;
}

bool pass_disabled(const Module *m, const char *name) { return in_list(m->opt->disable, name); }

static LLVMPassBuilderOptionsRef builder_options(const Module *m) {
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetVerifyEach(o, m->opt->verify_each);
    return o;
}

static void check(LLVMErrorRef e, const char *what) {
    if (!e) return;
    char *message = LLVMGetErrorMessage(e);
    bug("LLVM passes '%s': %s", what, message);
}

void run_llvm_passes(Module *m, const char *list) {
    LLVMPassBuilderOptionsRef o = builder_options(m);
    check(LLVMRunPasses(m->mod, list, m->tm, o), list);
    LLVMDisposePassBuilderOptions(o);
}

void run_llvm_passes_on(Module *m, LLVMValueRef fn, const char *list) {
    LLVMPassBuilderOptionsRef o = builder_options(m);
    check(LLVMRunPassesOnFunction(fn, list, m->tm, o), list);
    LLVMDisposePassBuilderOptions(o);
}

int vector_registers(const Module *m, LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || is_integer_type(LLVMGetElementType(t), 1)) return 0;
    return (int)((LLVMSizeOfTypeInBits(m->dl, t) + m->vector_bits - 1) / m->vector_bits);
}
