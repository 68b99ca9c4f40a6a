/* nvvm.c: `cucpu nvvm [OPTIONS] -o OUT FILE...`: NVVM IR to PTX, what libnvvm (cpu-runtime/module/nvvm.c) starts.
**
** The files are LLVM IR for NVIDIA's triple, as text or bitcode; they become one module, LLVM's code generator for
** NVPTX writes it.  Compilers write the IR of the LLVM that libnvvm is built from:
** - Pointers with types: this LLVM reads them in bitcode only, so text goes through an LLVM of 11 to 16 on this
**   machine.
** - Intrinsics that LLVM does not have, or has in several parts (`llvm.nvvm.shfl.sync.i32` with the kind as an
**   operand): functions of nvvm.ll in their place.
** - Functions of libdevice stay external: the PTX front end knows them, and computes many threads at once.
** The exit status is 0, 1 for input that is wrong, 2 for an unknown option. */
#define _GNU_SOURCE
#include "launcher/nvvm.h"
#include "launcher/options.h"
#include "launcher/text.h"
#include "launcher/toolchain.h"
#include <dlfcn.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_IR = 1, INVALID_OPTION = 2, INTERNAL = 3 };

typedef struct Request {
    StrVec files;
    const char *out, *arch; /* "sm_80" */
    bool optimise, fuse, flush_denormals, verify_only;
} Request;

/* ---- options: those of nvvmCompileProgram ---- */

/* LLVM's option for a value of libnvvm's; NULL: a default, which needs none. */
static const struct {
    const char *option, *llvm;
} numeric[] = {{"-prec-sqrt=0", "-nvptx-prec-sqrtf32=0"},
               {"-prec-sqrt=1", NULL},
               {"-prec-div=0", "-nvptx-prec-divf32=0"},
               {"-prec-div=1", NULL},
               {"-ftz=0", NULL},
               {"-opt=1", NULL},
               {"-opt=2", NULL},
               {"-opt=3", NULL},
               {"-g", NULL},
               {"-generate-line-info", NULL}};

static bool take_numeric(StrVec *llvm, const char *option) {
    for (size_t i = 0; i < sizeof numeric / sizeof *numeric; i++) {
        if (strcmp(option, numeric[i].option)) continue;
        if (numeric[i].llvm) vec_add(llvm, numeric[i].llvm);
        return true;
    }
    return false;
}

static bool take_options(Request *r, char **argv) {
    StrVec llvm = {0};
    vec_add(&llvm, "cucpu");
    *r = (Request){.arch = "sm_52", .optimise = true, .fuse = true};
    for (; *argv; argv++) {
        if (!strncmp(*argv, "-arch=compute_", 14)) r->arch = text_format("sm_%s", *argv + 14);
        else if (!strncmp(*argv, "-arch=sm_", 9)) r->arch = *argv + 6;
        else if (!strncmp(*argv, "-fma=", 5)) r->fuse = strcmp(*argv + 5, "0") != 0;
        else if (!strcmp(*argv, "-ftz=1")) r->flush_denormals = true;
        else if (!strcmp(*argv, "-opt=0")) r->optimise = false;
        else if (!strcmp(*argv, "-verify")) r->verify_only = true;
        else if (!strcmp(*argv, "-o") && argv[1]) r->out = *++argv;
        else if (**argv != '-') vec_add(&r->files, *argv);
        else if (!take_numeric(&llvm, *argv)) return launcher_error("libnvvm: invalid option '%s'", *argv), false;
    }
    if (!r->files.n || (!r->out && !r->verify_only))
        return launcher_error("cucpu nvvm: usage: cucpu nvvm [-arch=compute_NN] [-opt=0|3] -o OUT FILE..."), false;
    vec_add(&llvm, "-nvptx-approx-log2f32"); /* only nvvm.ll has llvm.log2 */
    vec_add(&llvm, r->fuse ? "-nvptx-fma-level=1" : "-nvptx-fma-level=0");
    LLVMParseCommandLineOptions((int)llvm.n, vec_argv(&llvm), NULL);
    return true;
}

/* ---- the target ---- */

static const char triple[] = "nvptx64-nvidia-cuda";

static LLVMTargetMachineRef make_target(const Request *r) {
    LLVMTargetRef target;
    char *message = NULL;
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    if (LLVMGetTargetFromTriple(triple, &target, &message)) return launcher_error("libnvvm: %s", message), NULL;
    return LLVMCreateTargetMachine(target, triple, r->arch, "+ptx78",
                                   r->optimise ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone, LLVMRelocDefault,
                                   LLVMCodeModelDefault);
}

/* Whatever layout the compiler gave: it describes the same. */
static void set_target(LLVMModuleRef mod, LLVMTargetMachineRef tm) {
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(tm);
    LLVMSetTarget(mod, triple);
    LLVMSetModuleDataLayout(mod, layout);
    LLVMDisposeTargetData(layout);
}

/* ---- pointers with types ---- */

typedef struct Old { /* the functions that are used of an older LLVM; opaque types are its own */
    LLVMContextRef (*context)(void);
    LLVMMemoryBufferRef (*buffer)(const char *, size_t, const char *);
    LLVMBool (*parse)(LLVMContextRef, LLVMMemoryBufferRef, LLVMModuleRef *, char **);
    LLVMMemoryBufferRef (*write)(LLVMModuleRef);
    const char *(*start)(LLVMMemoryBufferRef);
    size_t (*size)(LLVMMemoryBufferRef);
} Old;

static bool load_old(Old *old) {
    static const int versions[] = {15, 14, 16, 13, 11};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        void *library = dlopen(text_format("libLLVM-%d.so.1", versions[i]), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (!library) continue;
        void *found[] = {
            dlsym(library, "LLVMContextCreate"),    dlsym(library, "LLVMCreateMemoryBufferWithMemoryRangeCopy"),
            dlsym(library, "LLVMParseIRInContext"), dlsym(library, "LLVMWriteBitcodeToMemoryBuffer"),
            dlsym(library, "LLVMGetBufferStart"),   dlsym(library, "LLVMGetBufferSize")};
        bool all = true;
        for (size_t k = 0; k < sizeof found / sizeof *found; k++) all &= found[k] != NULL;
        memcpy(old, found, sizeof found);
        if (all) return true;
    }
    return false;
}

/* The text as bitcode of an older LLVM.  NULL: there is none, or it does not read the text either; *why then. */
static LLVMMemoryBufferRef through_old(const char *text, size_t n, const char *name, const char **why) {
    Old old;
    LLVMModuleRef mod;
    char *message = NULL;
    if (!load_old(&old)) return *why = NULL, NULL;
    if (old.parse(old.context(), old.buffer(text, n, name), &mod, &message)) return *why = message, NULL;
    LLVMMemoryBufferRef bitcode = old.write(mod);
    return LLVMCreateMemoryBufferWithMemoryRangeCopy(old.start(bitcode), old.size(bitcode), name);
}

/* ---- reading ---- */

static bool is_bitcode(const char *bytes, size_t n) {
    return n >= 4 && (!memcmp(bytes, "BC\xc0\xde", 4) || !memcmp(bytes, "\xde\xc0\x17\x0b", 4));
}

static LLVMModuleRef read_module(LLVMContextRef ctx, const char *file) {
    size_t n;
    const char *bytes = file_read(file, &n), *old_says = NULL;
    LLVMModuleRef mod = NULL;
    char *message = NULL;
    if (!bytes) return launcher_error("libnvvm: '%s' cannot be read", file), NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, n, path_base(file));
    if (is_bitcode(bytes, n)) {
        if (LLVMParseBitcodeInContext2(ctx, buffer, &mod)) mod = NULL;
        LLVMDisposeMemoryBuffer(buffer);
        return mod;
    }
    if (!LLVMParseIRInContext(ctx, buffer, &mod, &message)) return mod;
    LLVMMemoryBufferRef bitcode = through_old(bytes, n, path_base(file), &old_says);
    if (bitcode && !LLVMParseBitcodeInContext2(ctx, bitcode, &mod)) return mod;
    fprintf(stderr, "%s\n", old_says ? old_says : message);
    if (!bitcode && !old_says && memmem(bytes, n, "* ", 2))
        fprintf(stderr, "pointers with types are read where one of libLLVM-14, -15 or -16 is installed\n");
    return NULL;
}

/* ---- intrinsics of NVVM that LLVM does not have ---- */

/* Takes the functions of nvvm.ll that the program calls into it.  One is named cucpu.X for the program's llvm.X. */
static bool link_missing(LLVMContextRef ctx, LLVMModuleRef mod, LLVMTargetMachineRef tm, const char *file) {
    static const char ours_begin[] = "cucpu.";
    LLVMModuleRef ours = read_module(ctx, file);
    size_t n;
    if (!ours) return false;
    set_target(ours, tm);
    for (LLVMValueRef f = LLVMGetFirstFunction(ours), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f)) continue;
        const char *name = text_format("%s", LLVMGetValueName2(f, &n));
        bool renamed = text_starts(name, ours_begin);
        const char *called = renamed ? text_format("llvm.%s", name + sizeof ours_begin - 1) : name;
        LLVMValueRef use = LLVMGetNamedFunction(mod, called);
        if (!use) {
            LLVMDeleteFunction(f);
            continue;
        }
        if (renamed) LLVMSetValueName2(use, name, strlen(name));
        LLVMSetLinkage(f, LLVMLinkOnceODRLinkage); /* gone where it is inlined */
    }
    return !LLVMLinkModules2(mod, ours);
}

/* What libdevice's functions do to memory; those with pointers write there. */
static void mark_libdevice(LLVMContextRef ctx, LLVMModuleRef mod) {
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6),
             returns = LLVMGetEnumAttributeKindForName("willreturn", 10),
             nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        if (!LLVMIsDeclaration(f) || strncmp(LLVMGetValueName2(f, &n), "__nv_", 5)) continue;
        bool pointers = false;
        for (LLVMValueRef p = LLVMGetFirstParam(f); p; p = LLVMGetNextParam(p))
            pointers |= LLVMGetTypeKind(LLVMTypeOf(p)) == LLVMPointerTypeKind;
        LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(ctx, nounwind, 0));
        LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(ctx, returns, 0));
        if (!pointers) LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(ctx, memory, 0));
    }
}

static void flush_denormals(LLVMContextRef ctx, LLVMModuleRef mod) {
    static const char key[] = "denormal-fp-math-f32", value[] = "preserve-sign,preserve-sign";
    LLVMAttributeRef a = LLVMCreateStringAttribute(ctx, key, sizeof key - 1, value, sizeof value - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, a);
}

/* ---- the whole ---- */

/* NULL: not readable, said on stderr. */
static LLVMModuleRef read_all(LLVMContextRef ctx, LLVMTargetMachineRef tm, const StrVec *files) {
    LLVMModuleRef all = NULL;
    for (size_t i = 0; i < files->n; i++) {
        LLVMModuleRef mod = read_module(ctx, files->v[i]);
        if (!mod) return NULL;
        set_target(mod, tm);
        if (!all) all = mod;
        else if (LLVMLinkModules2(all, mod)) return NULL;
    }
    return all;
}

static bool verify(LLVMModuleRef mod) {
    char *message = NULL;
    bool wrong = LLVMVerifyModule(mod, LLVMReturnStatusAction, &message);
    if (wrong) fprintf(stderr, "%s\n", message);
    LLVMDisposeMessage(message);
    return !wrong;
}

static bool write_ptx(const Request *r, LLVMModuleRef mod, LLVMTargetMachineRef tm) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    char *message = NULL;
    LLVMErrorRef error = LLVMRunPasses(mod, r->optimise ? "default<O3>" : "always-inline", tm, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) return launcher_error("libnvvm: %s", LLVMGetErrorMessage(error)), false;
    bool failed = LLVMTargetMachineEmitToFile(tm, mod, r->out, LLVMAssemblyFile, &message);
    if (failed) launcher_error("libnvvm: %s", message);
    return !failed;
}

int compile_nvvm(char **argv) {
    Request r;
    Toolchain t;
    if (!take_options(&r, argv)) return INVALID_OPTION;
    if (!toolchain_find(&t)) return INTERNAL;
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMTargetMachineRef tm = make_target(&r);
    LLVMModuleRef mod = tm ? read_all(ctx, tm, &r.files) : NULL;
    if (!mod || !link_missing(ctx, mod, tm, text_format("%s/nvvm/nvvm.ll", t.resources)) || !verify(mod))
        return INVALID_IR;
    if (r.verify_only) return 0;
    mark_libdevice(ctx, mod);
    if (r.flush_denormals) flush_denormals(ctx, mod);
    return write_ptx(&r, mod, tm) ? 0 : INVALID_IR;
}
