/* link_device_library: links what the kernels use from our replacement of libdevice.
**
** The library is bitcode for nvptx64 built with the project; its module gets the host's triple and layout before
** linking, and its llvm.nvvm.* calls are imported by a second run of import_nvvm. Only needed definitions are linked;
** everything is internal afterwards.
** PTX that other compilers have made calls the functions of libdevice without a definition, and its parameters have
** sizes without types: such calls get the types of the definition.
** What is still undefined afterwards would be resolved against host code by the linker. So undefined functions,
** variables, or the names of a launch in device code, are errors here, as is a store to a __constant__ variable, and a
** static variable that would be initialised by the first thread that reaches it. */
#include "passes/passes.h"
#include "passes/ir/math.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Definitions of `lib` that the module does not reference: mark them internal, so that globaldce removes them. */
static bool wanted(Module *m, LLVMModuleRef lib) {
    for_each_function(f, m->mod) {
        if (!LLVMIsDeclaration(f)) continue;
        LLVMValueRef d = LLVMGetNamedFunction(lib, value_name(f));
        if (d && !LLVMIsDeclaration(d)) return true;
    }
    return false;
}

/* The same bits as type `to`; NULL: it has others. */
static LLVMValueRef same_bits(const Module *m, LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef to) {
    LLVMTypeRef from = LLVMTypeOf(v);
    bool from_int = LLVMGetTypeKind(from) == LLVMIntegerTypeKind, to_int = LLVMGetTypeKind(to) == LLVMIntegerTypeKind;
    if (from == to) return v;
    if (from_int && to_int) return LLVMBuildIntCast2(b, v, to, false, ""); /* .b32 for 16 bits */
    if (from_int && LLVMGetTypeKind(to) == LLVMPointerTypeKind) return LLVMBuildIntToPtr(b, v, to, "");
    if (LLVMGetTypeKind(from) == LLVMPointerTypeKind || LLVMGetTypeKind(to) == LLVMPointerTypeKind) return NULL;
    if (!LLVMTypeIsSized(from) || !LLVMTypeIsSized(to)) return NULL;
    if (LLVMSizeOfTypeInBits(m->dl, from) != LLVMSizeOfTypeInBits(m->dl, to)) return NULL;
    return from_int || to_int ? LLVMBuildBitCast(b, v, to, "") : NULL;
}

static bool retype_call(const Module *m, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef f, LLVMTypeRef type) {
    LLVMTypeRef params[8], result = LLVMGetReturnType(type);
    LLVMValueRef args[8];
    unsigned n = LLVMCountParamTypes(type);
    if (n > 8 || !LLVMIsACallInst(call) || LLVMGetNumArgOperands(call) != n) return false;
    LLVMGetParamTypes(type, params);
    set_insert_point(b, call);
    for (unsigned i = 0; i < n; i++)
        if (!(args[i] = same_bits(m, b, LLVMGetOperand(call, i), params[i]))) return false;
    LLVMValueRef r = LLVMBuildCall2(b, type, f, args, n, "");
    bool nothing = LLVMGetTypeKind(result) == LLVMVoidTypeKind; /* Numba declares a result all the same */
    if (nothing && !is_void(call)) LLVMReplaceAllUsesWith(call, LLVMGetPoison(LLVMTypeOf(call)));
    else if (LLVMTypeOf(call) != result) r = same_bits(m, b, r, LLVMTypeOf(call));
    if (!r) return false;
    if (nothing) LLVMInstructionEraseFromParent(call);
    else replace_instruction(call, r);
    return true;
}

/* Calls of f, declared with another type than the definition d has. */
static bool retype_calls(Module *m, LLVMValueRef f, LLVMValueRef d) {
    LLVMTypeRef type = LLVMGlobalGetValueType(d);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    const char *name = arena_printf(&m->arena, "%s", value_name(f));
    bool ok = true;
    LLVMSetValueName2(f, "", 0);
    LLVMValueRef typed = LLVMAddFunction(m->mod, name, type);
    for_each_user(call, f)
        if (ok && !retype_call(m, b, call, typed, type)) {
            diag_error(&m->diag, call, "the parameters of '%s' are not those of libdevice's function", name);
            ok = false;
        }
    LLVMDisposeBuilder(b);
    if (ok) LLVMDeleteFunction(f);
    return ok;
}

static bool retype_declarations(Module *m, LLVMModuleRef lib) {
    bool ok = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        LLVMValueRef d = LLVMIsDeclaration(f) && !strncmp(value_name(f), "__nv_", 5)
                             ? LLVMGetNamedFunction(lib, value_name(f))
                             : NULL;
        if (d && LLVMGlobalGetValueType(d) != LLVMGlobalGetValueType(f)) ok &= retype_calls(m, f, d);
    }
    return ok;
}

static bool link_library(Module *m) {
    if (!m->opt->device_library) return true;
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(m->opt->device_library, &buffer, &message)) {
        diag_error(&m->diag, NULL, "cannot read the device library '%s': %s", m->opt->device_library, message);
        LLVMDisposeMessage(message);
        return false;
    }
    LLVMModuleRef lib = NULL;
    if (LLVMParseBitcodeInContext2(m->ctx, buffer, &lib)) {
        LLVMDisposeMemoryBuffer(buffer);
        diag_error(&m->diag, NULL, "'%s' is not a device library", m->opt->device_library);
        return false;
    }
    LLVMDisposeMemoryBuffer(buffer);
    if (!wanted(m, lib)) {
        LLVMDisposeModule(lib);
        return true;
    }
    if (!retype_declarations(m, lib)) {
        LLVMDisposeModule(lib);
        return false;
    }
    char *triple = LLVMGetTargetMachineTriple(m->tm);
    LLVMSetTarget(lib, triple);
    LLVMDisposeMessage(triple);
    LLVMSetModuleDataLayout(lib, m->dl);
    shim_drop_module_flag(lib, "nvvm-reflect-ftz"); /* it sets -ftz=false: the module may have another value */
    if (LLVMLinkModules2(m->mod, lib)) {
        diag_error(&m->diag, NULL, "cannot link the device library '%s'", m->opt->device_library);
        return false;
    }
    return import_nvvm(m);
}

/* Provided are: what the runtime (also its API, which device code may call), code generation or the table of math
** functions has, and what clang's builtins in constexpr functions of the C++ library become. Nothing else may be left:
** the C library has functions of many names, for the host. */
static bool is_provided(const char *name) {
    static const char *const prefixes[] = {"llvm.", "cucpu.", "cucpu_",     "cuda",
                                           "_Zn",   "_Zd",    "llvm_gcov_", "llvm_gcda_"};
    static const char *const names[] = {"memcpy",  "memmove", "memset", "memcmp", "bcmp", "memchr", "strlen", "strcmp",
                                        "strncmp", "strchr",  "j0",     "j0f",    "j1",   "j1f",    "jn",     "jnf",
                                        "y0",      "y0f",     "y1",     "y1f",    "yn",   "ynf"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return true;
    return math_row(name) != NULL;
}

static const char *elsewhere(const Module *m) {
    return m->ptx ? "PTX files are compiled one by one, cuLinkAddData joins texts"
                  : "with -rdc=true it may be in another file";
}

static bool check_device_function(Module *m, LLVMValueRef f) {
    const char *name = value_name(f);
    LLVMValueRef at = first_use(f);
    if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f)) return true;
    if (is_provided(name)) return true;
    char *text = shim_demangle(name);
    diag_error(&m->diag, at, "undefined device function '%s'; %s", text, elsewhere(m));
    free(text);
    return false;
}

/* Not only by constants that are unused. */
static bool is_referenced(LLVMValueRef v) {
    for_each_user(user, v)
        if (!LLVMIsAConstantExpr(user) || is_referenced(user)) return true;
    return false;
}

/* In a __host__ __device__ function; clang's plugin has named it so. */
static bool check_host_variable(Module *m, LLVMValueRef g, const char *name) {
    char *text = shim_demangle(name);
    diag_error(&m->diag, first_use(g), "reference to __host__ variable '%s' in device code", text);
    free(text);
    return false;
}

/* A host variable of that name is a different one. */
static bool check_device_variable(Module *m, LLVMValueRef g) {
    static const char *const provided[] = {"llvm.", "cucpu.", "_ZTVN10__cxxabiv1"};
    const char *name = value_name(g);
    bool shared = LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3; /* what the launch gives */
    if (!LLVMIsDeclaration(g) || !is_referenced(g) || shared) return true;
    if (!strncmp(name, HOST_PREFIX, sizeof HOST_PREFIX - 1))
        return check_host_variable(m, g, name + sizeof HOST_PREFIX - 1);
    for (size_t i = 0; i < sizeof provided / sizeof *provided; i++)
        if (!strncmp(name, provided[i], strlen(provided[i]))) return true;
    char *text = shim_demangle(name);
    diag_error(&m->diag, first_use(g), "undefined device variable '%s'; %s", text, elsewhere(m));
    free(text);
    return false;
}

/* clang tests a guard before it, one thread at a time: nvcc refuses it. */
static bool check_guard(Module *m, LLVMValueRef g) {
    const char *name = value_name(g);
    if (strncmp(name, "_ZGV", 4) || !LLVMGetFirstUse(g)) return true;
    char *text = shim_demangle(arena_printf(&m->arena, "_Z%s", name + 4));
    diag_error(&m->diag, first_use(g), "static variable '%s' of device code is not initialised by a constant", text);
    free(text);
    return false;
}

static bool check_stores(Module *m, LLVMValueRef f) {
    bool ok = true;
    for_each_instruction(i, f) {
        if (!LLVMIsAStoreInst(i)) continue;
        LLVMValueRef to = LLVMGetOperand(i, 1);
        while (LLVMIsAConstantExpr(to) || LLVMIsAGetElementPtrInst(to) || LLVMIsAAddrSpaceCastInst(to))
            to = LLVMGetOperand(to, 0);
        if (!LLVMIsAGlobalVariable(to) || LLVMGetPointerAddressSpace(LLVMTypeOf(to)) != 4) continue;
        diag_error(&m->diag, i, "device code stores to the __constant__ variable '%s'", value_name(to));
        ok = false;
    }
    return ok;
}

bool link_device_library(Module *m) {
    bool ok = true;
    if (!link_library(m)) return false;
    for_each_function(f, m->mod) {
        ok &= check_device_function(m, f);
        ok &= check_stores(m, f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->mod); g; g = LLVMGetNextGlobal(g))
        ok &= check_device_variable(m, g) && check_guard(m, g);
    return ok;
}
