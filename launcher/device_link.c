/* device_link.c: makes one kernel object of the relocatable device code of a program.
**
** Input: objects and archives with bitcode inside (embed.c).  All of it, whether the host link
** will need the member or not, is linked to one module and compiled.  The host objects of -rdc
** do not register their kernels and variables themselves but list them in a section;
** device_register.c, compiled here with the id of the module, registers the whole list.
** Symbols that no file defines stay undefined in the object: the linker names them. */
#define _GNU_SOURCE
#include "launcher/device_link.h"
#include "cpu-runtime/abi.h"
#include "launcher/embed.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/support/diag.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>

typedef struct Definition {
    const char *name, *place;
} Definition;

typedef struct Linking {
    LLVMContextRef context;
    LLVMModuleRef whole;
    StrVec symbols;          /* of embed.c, one for each bitcode */
    bool archive;            /* what is read is one */
    Definition *definitions; /* what one file alone may define, in `whole` */
    size_t n, cap;
    bool failed;
} Linking;

static void report(LLVMDiagnosticInfoRef info, void *linking) {
    char *text = LLVMGetDiagInfoDescription(info);
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError) {
        launcher_error("device link: %s", text);
        ((Linking *)linking)->failed = true;
    }
    LLVMDisposeMessage(text);
}

/* clang gives a static variable that host code uses a unique name, but uses of it before that
** host code still have the plain name: joins the two. */
static void join_static(LLVMModuleRef m) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(m), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        size_t n;
        const char *name = LLVMGetValueName2(g, &n);
        const char *mark = strstr(name, "__static__");
        if (!mark) continue;
        LLVMValueRef plain = LLVMGetNamedGlobal(m, text_copy(name, (size_t)(mark - name)));
        if (!plain || !LLVMIsDeclaration(plain)) continue;
        LLVMReplaceAllUsesWith(plain, g);
        if (next == plain) next = LLVMGetNextGlobal(next);
        LLVMDeleteGlobal(plain);
    }
}

static const char *place_of(LLVMModuleRef m, LLVMValueRef v) {
    unsigned line = LLVMIsAFunction(v) ? diag_line(v) : 0, len;
    const char *file = line ? diag_file(v, &len) : NULL;
    if (file) return text_format("%s:%u", text_copy(file, len), line);
    size_t n;
    const char *source = LLVMGetSourceFileName(m, &n);
    return text_copy(source, n);
}

static void add_definition(Linking *l, LLVMModuleRef m, LLVMValueRef v) {
    size_t n;
    const char *name = LLVMGetValueName2(v, &n);
    if (LLVMIsDeclaration(v) || LLVMGetLinkage(v) != LLVMExternalLinkage) return;
    LLVMValueRef other = !l->whole            ? NULL
                         : LLVMIsAFunction(v) ? LLVMGetNamedFunction(l->whole, name)
                                              : LLVMGetNamedGlobal(l->whole, name);
    if (other && !LLVMIsDeclaration(other) && LLVMGetLinkage(other) == LLVMExternalLinkage) {
        const char *first = "another file";
        for (size_t i = 0; i < l->n; i++)
            if (!strcmp(l->definitions[i].name, name)) first = l->definitions[i].place;
        char *text = shim_demangle(name);
        fprintf(stderr, "%s: error: '%s' is defined twice; the first time in %s\n", place_of(m, v), text, first);
        free(text);
        l->failed = true;
    }
    if (l->n == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 64;
        Definition *more = text_alloc(l->cap * sizeof *more);
        if (l->n) memcpy(more, l->definitions, l->n * sizeof *more);
        l->definitions = more;
    }
    l->definitions[l->n++] = (Definition){text_copy(name, n), place_of(m, v)};
}

/* False: something is defined that another file has defined. */
static bool add_definitions(Linking *l, LLVMModuleRef m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) add_definition(l, m, f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) add_definition(l, m, g);
    return !l->failed;
}

static bool add_module(void *context, const char *bytes, size_t size) {
    Linking *l = context;
    if (!size || (l->archive && vec_has(&l->symbols, embed_symbol(bytes, size))))
        return true; /* named twice, as linkers allow */
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "device code");
    LLVMModuleRef m = NULL;
    if (LLVMParseBitcodeInContext2(l->context, buffer, &m)) {
        launcher_error("device link: damaged device code in an object");
        l->failed = true;
    } else {
        vec_add(&l->symbols, embed_symbol(bytes, size));
        join_static(m);
        expose_references(m);
        shim_drop_module_flag(m, "nvvm-reflect-ftz"); /* files with and without -ftz=true may be linked */
        if (!add_definitions(l, m)) LLVMDisposeModule(m);
        else if (!l->whole) l->whole = m;
        else if (LLVMLinkModules2(l->whole, m)) l->failed = true;
    }
    LLVMDisposeMemoryBuffer(buffer);
    return !l->failed;
}

/* Weak: another device link of the program may have had the same code. */
static bool write_symbols(const StrVec *symbols, const char *file) {
    const char *text = ".section .rodata.cucpu,\"a\",@progbits\n";
    for (size_t i = 0; i < symbols->n; i++)
        if (!vec_has(&(StrVec){.v = symbols->v, .n = i}, symbols->v[i]))
            text = text_format("%s.weak %s\n.hidden %s\n%s:\n", text, symbols->v[i], symbols->v[i], symbols->v[i]);
    text = text_format("%s.long 0\n", text);
    return file_write(file, text, strlen(text));
}

static bool link_modules(const DeviceLink *d) {
    Linking l = {.context = LLVMContextCreate()};
    LLVMContextSetDiagnosticHandler(l.context, report, &l);
    for (size_t i = 0; i < d->objects.n && !l.failed; i++) {
        l.archive = embed_is_archive(d->objects.v[i]);
        if (embed_visit(d->objects.v[i], add_module, &l) || l.failed) continue;
        launcher_error("device link: '%s' is damaged", d->objects.v[i]);
        l.failed = true;
    }
    if (!l.whole) { /* nothing to link is no error for -dlink */
        l.whole = LLVMModuleCreateWithNameInContext("empty", l.context);
        LLVMSetTarget(l.whole, "nvptx64-nvidia-cuda");
    }
    if (!l.failed && (LLVMWriteBitcodeToFile(l.whole, d->bitcode) || !write_symbols(&l.symbols, d->symbols))) {
        launcher_error("cannot write '%s'", d->bitcode);
        l.failed = true;
    }
    if (l.whole) LLVMDisposeModule(l.whole);
    LLVMContextDispose(l.context);
    return !l.failed;
}

static int compile_registration(const DeviceLink *d) {
    StrVec argv = {0};
    const char *const words[] = {d->tools->clang,
                                 "-O1",
                                 "-fPIC",
                                 "-c",
                                 text_format("-DCUCPU_MODULE_ID=0x%llxu", (unsigned long long)d->options.module_id),
                                 text_format("-DCUCPU_ABI=%u", CUCPU_ABI_VERSION),
                                 text_format("-DCUCPU_SYMBOLS=\"%s\"", d->symbols),
                                 text_format("%s/device_register.c", d->tools->resources),
                                 "-o",
                                 d->registration};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) vec_add(&argv, words[i]);
    return job_command(&argv);
}

int device_link_run(void *device_link) {
    DeviceLink *d = device_link;
    if (!link_modules(d)) return CUCPU_ERROR;
    int status = cucpu_compile(&d->options, d->bitcode, d->kernels);
    if (status == 0) status = compile_registration(d);
    if (status) return status;
    StrVec argv = {0};
    command_merge(&argv, d->tools, d->output);
    vec_add(&argv, d->kernels);
    vec_add(&argv, d->registration);
    return job_command(&argv);
}
