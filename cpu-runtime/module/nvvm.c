/* nvvm.c: libnvvm, for compilers that make NVVM IR (Numba): modules become PTX text by `cucpu nvvm` (launcher/nvvm.c),
** which cuModuleLoadData or cuLinkAddData take.
**
** libdevice.10.bc of this installation is an empty module: its functions stay calls in the PTX, and
** passes/import/link_device_library.c knows them. */
#define _GNU_SOURCE
#include "base/base.h"
#include "base/handles.h"
#include "module/command.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma GCC visibility push(default)
#include "nvvm.h"
#pragma GCC visibility pop

enum { EXIT_INVALID_IR = 1, EXIT_INVALID_OPTION = 2 };

typedef struct IrModule {
    char *bytes;
    size_t n;
} IrModule;

struct _nvvmProgram {
    RtLink link;
    IrModule *modules;
    size_t nmodules;
    char *ptx, *log;
};

const char *nvvmGetErrorString(nvvmResult r) {
    static const char *const texts[] = {"NVVM_SUCCESS",
                                        "NVVM_ERROR_OUT_OF_MEMORY",
                                        "NVVM_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVVM_ERROR_IR_VERSION_MISMATCH",
                                        "NVVM_ERROR_INVALID_INPUT",
                                        "NVVM_ERROR_INVALID_PROGRAM",
                                        "NVVM_ERROR_INVALID_IR",
                                        "NVVM_ERROR_INVALID_OPTION",
                                        "NVVM_ERROR_NO_MODULE_IN_PROGRAM",
                                        "NVVM_ERROR_COMPILATION",
                                        "NVVM_ERROR_CANCELLED"};
    return (unsigned)r < RT_COUNT(texts) ? texts[r] : "NVVM_ERROR unknown";
}

nvvmResult nvvmVersion(int *major, int *minor) {
    if (!major || !minor) return NVVM_ERROR_INVALID_INPUT;
    *major = 2, *minor = 0;
    return NVVM_SUCCESS;
}

nvvmResult nvvmIRVersion(int *major, int *minor, int *major_debug, int *minor_debug) {
    if (!major || !minor || !major_debug || !minor_debug) return NVVM_ERROR_INVALID_INPUT;
    *major = 2, *minor = 0, *major_debug = 3, *minor_debug = 1;
    return NVVM_SUCCESS;
}

/* The version of the dialect: before compute_100 that of LLVM 7, of pointers with types. */
nvvmResult nvvmLLVMVersion(const char *arch, int *major) {
    if (!arch || !major || strncmp(arch, "compute_", 8)) return NVVM_ERROR_INVALID_INPUT;
    *major = atoi(arch + 8) >= 100 ? 20 : 7;
    return NVVM_SUCCESS;
}

/* ---- programs ---- */

static RtHandles programs = RT_HANDLES;

static bool is_program(nvvmProgram p) { return rt_has_handle(&programs, p); }

nvvmResult nvvmCreateProgram(nvvmProgram *out) {
    if (!out) return NVVM_ERROR_INVALID_PROGRAM;
    nvvmProgram p = calloc(1, sizeof *p);
    if (!p) return NVVM_ERROR_OUT_OF_MEMORY;
    rt_add_handle(&programs, &p->link);
    *out = p;
    return NVVM_SUCCESS;
}

nvvmResult nvvmDestroyProgram(nvvmProgram *p) {
    if (!p || !rt_remove_handle(&programs, (const RtLink *)*p)) return NVVM_ERROR_INVALID_PROGRAM;
    for (size_t i = 0; i < (*p)->nmodules; i++) free((*p)->modules[i].bytes);
    free((*p)->modules);
    free((*p)->ptx);
    free((*p)->log);
    free(*p);
    *p = NULL;
    return NVVM_SUCCESS;
}

nvvmResult nvvmAddModuleToProgram(nvvmProgram p, const char *buffer, size_t size, const char *name) {
    (void)name;
    if (!is_program(p)) return NVVM_ERROR_INVALID_PROGRAM;
    if (!buffer || !size) return NVVM_ERROR_INVALID_INPUT;
    IrModule *more = realloc(p->modules, (p->nmodules + 1) * sizeof *more);
    if (more) p->modules = more;
    char *copy = more ? malloc(size) : NULL;
    if (!copy) return NVVM_ERROR_OUT_OF_MEMORY;
    memcpy(copy, buffer, size);
    p->modules[p->nmodules++] = (IrModule){copy, size};
    return NVVM_SUCCESS;
}

nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram p, const char *buffer, size_t size, const char *name) {
    return nvvmAddModuleToProgram(p, buffer, size, name);
}

/* ---- compiling ---- */

typedef struct Command { /* the arguments, and the numbers of the files that some of them name */
    const char **argv;
    char (*names)[RT_NAME_BYTES];
    unsigned *files;
    size_t nfiles, n;
} Command;

static bool add_file(Command *c, const char *suffix) {
    unsigned number;
    if (!rt_new_file(&number)) return false;
    c->files[c->nfiles] = number;
    rt_file_name(c->names[c->nfiles], number, suffix);
    c->argv[c->n++] = c->names[c->nfiles++];
    return true;
}

static bool write_modules(nvvmProgram p, Command *c) {
    for (size_t i = 0; i < p->nmodules; i++) {
        if (!add_file(c, ".ll")) return false;
        if (!rt_write_file(c->argv[c->n - 1], p->modules[i].bytes, p->modules[i].n)) return false;
    }
    return true;
}

static nvvmResult run(nvvmProgram p, Command *c, bool verify) {
    size_t n;
    const char *out = NULL;
    if (!write_modules(p, c)) return NVVM_ERROR_OUT_OF_MEMORY;
    if (verify) c->argv[c->n++] = "-verify";
    else {
        c->argv[c->n++] = "-o";
        if (!add_file(c, ".ptx")) return NVVM_ERROR_OUT_OF_MEMORY;
        out = c->argv[c->n - 1];
    }
    int status = rt_run_cucpu(c->argv, "cucpu: error: ", &p->log);
    if (status == EXIT_INVALID_OPTION) return NVVM_ERROR_INVALID_OPTION;
    if (status == EXIT_INVALID_IR) return NVVM_ERROR_INVALID_IR;
    if (status == 0 && out) p->ptx = rt_read_file(out, &n);
    return status || (out && !p->ptx) ? NVVM_ERROR_COMPILATION : NVVM_SUCCESS;
}

static nvvmResult compile(nvvmProgram p, int count, const char **options, bool verify) {
    if (!is_program(p)) return NVVM_ERROR_INVALID_PROGRAM;
    if (count < 0 || (count && !options)) return NVVM_ERROR_INVALID_OPTION;
    if (!p->nmodules) return NVVM_ERROR_NO_MODULE_IN_PROGRAM;
    size_t files = p->nmodules + 1;
    Command c = {calloc((size_t)count + files + 6, sizeof *c.argv), calloc(files, sizeof *c.names),
                 calloc(files, sizeof *c.files), 0, 1};
    nvvmResult r = NVVM_ERROR_OUT_OF_MEMORY;
    free(p->log);
    free(p->ptx);
    p->log = p->ptx = NULL;
    if (c.argv && c.names && c.files) {
        c.argv[c.n++] = "nvvm";
        for (int i = 0; i < count; i++) c.argv[c.n++] = options[i] ? options[i] : "";
        r = run(p, &c, verify);
        for (size_t i = 0; i < c.nfiles; i++) rt_end_file(c.files[i]);
    }
    free(c.argv);
    free(c.names);
    free(c.files);
    return r;
}

nvvmResult nvvmCompileProgram(nvvmProgram p, int count, const char **options) {
    return compile(p, count, options, false);
}

nvvmResult nvvmVerifyProgram(nvvmProgram p, int count, const char **options) {
    return compile(p, count, options, true);
}

/* ---- results ---- */

nvvmResult nvvmGetCompiledResultSize(nvvmProgram p, size_t *size) {
    if (!is_program(p)) return NVVM_ERROR_INVALID_PROGRAM;
    if (!size) return NVVM_ERROR_INVALID_INPUT;
    if (!p->ptx) return NVVM_ERROR_INVALID_PROGRAM;
    *size = strlen(p->ptx) + 1;
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetCompiledResult(nvvmProgram p, char *buffer) {
    if (!is_program(p) || !p->ptx) return NVVM_ERROR_INVALID_PROGRAM;
    if (!buffer) return NVVM_ERROR_INVALID_INPUT;
    strcpy(buffer, p->ptx);
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetProgramLogSize(nvvmProgram p, size_t *size) {
    if (!is_program(p)) return NVVM_ERROR_INVALID_PROGRAM;
    if (!size) return NVVM_ERROR_INVALID_INPUT;
    *size = (p->log ? strlen(p->log) : 0) + 1;
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetProgramLog(nvvmProgram p, char *buffer) {
    if (!is_program(p)) return NVVM_ERROR_INVALID_PROGRAM;
    if (!buffer) return NVVM_ERROR_INVALID_INPUT;
    strcpy(buffer, p->log ? p->log : "");
    return NVVM_SUCCESS;
}
