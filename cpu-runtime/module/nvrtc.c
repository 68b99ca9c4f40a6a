/* nvrtc.c: CUDA C++ compiled while the program runs, by the cucpu command (command.c), to an image for
** cuModuleLoadData (image.c).
**
** Source and headers are written below a directory of their own: DIRECTORY/N.d/up/up/up, so that there is room for
** headers named ../x.h, too. A name expression becomes a variable after the source that holds its address; the
** module is opened once to look up what lies there, a row of the kernel table or a variable, and what that is
** called. */
#define _GNU_SOURCE
#include "base/handles.h"
#include "check/check.h"
#include "module/command.h"
#include "module/image.h"
#include "module/module.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#pragma GCC visibility push(default)
#include "nvrtc.h"
#pragma GCC visibility pop

enum { DEFAULT_ARCH = 75, LEVELS = 3 };
#define NAME_VARIABLE "cucpu_nvrtc_name_%d"

typedef struct File {
    char *name, *text;
} File;

typedef struct Expression {
    char *text;
    char *lowered; /* NULL: it names nothing that has one */
} Expression;

struct _nvrtcProgram {
    RtLink link;
    File *files; /* the source, then the headers */
    int nfiles;
    char *directory; /* of the source's name: its includes are looked for there, after the headers given */
    Expression *names;
    int nnames;
    bool compiled, ok, binary, lto; /* compile was called; with success; for sm_*, which has a CUBIN; for LTO */
    char *log, *image;
    int (*cancelled)(void *, void *);
    void *payload;
};

const char *nvrtcGetErrorString(nvrtcResult r) {
    static const char *const texts[] = {"NVRTC_SUCCESS",
                                        "NVRTC_ERROR_OUT_OF_MEMORY",
                                        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVRTC_ERROR_INVALID_INPUT",
                                        "NVRTC_ERROR_INVALID_PROGRAM",
                                        "NVRTC_ERROR_INVALID_OPTION",
                                        "NVRTC_ERROR_COMPILATION",
                                        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                        "NVRTC_ERROR_INTERNAL_ERROR",
                                        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
                                        "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
                                        "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
                                        "NVRTC_ERROR_PCH_CREATE",
                                        "NVRTC_ERROR_CANCELLED",
                                        "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED"};
    return (unsigned)r < RT_COUNT(texts) ? texts[r] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    *major = CUDART_VERSION / 1000;
    *minor = CUDART_VERSION % 1000 / 10;
    return NVRTC_SUCCESS;
}

static const int archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121};

nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
    if (!count) return NVRTC_ERROR_INVALID_INPUT;
    *count = (int)RT_COUNT(archs);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *out) {
    if (!out) return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, archs, sizeof archs);
    return NVRTC_SUCCESS;
}

/* ---- programs ---- */

static RtHandles programs = RT_HANDLES;

static bool is_program(nvrtcProgram p) { return rt_has_handle(&programs, p); }

/* It stays below the directory: no more steps up than there are levels, and these before them. */
static bool is_usable_name(const char *name) {
    int up = 0;
    if (!name || !*name || *name == '/') return false;
    for (; !strncmp(name, "../", 3); name += 3) up++;
    return up <= LEVELS && !strstr(name, "/../") && *name && name[strlen(name) - 1] != '/';
}

static void free_program(nvrtcProgram p) {
    for (int i = 0; i < p->nfiles; i++) free(p->files[i].name), free(p->files[i].text);
    for (int i = 0; i < p->nnames; i++) free(p->names[i].text), free(p->names[i].lowered);
    free(p->files);
    free(p->directory);
    free(p->names);
    free(p->log);
    free(p->image);
    free(p);
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int n, const char *const *texts,
                               const char *const *names) {
    if (!out || !source || n < 0 || (n && (!texts || !names))) return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < n; i++)
        if (!texts[i] || !is_usable_name(names[i])) return NVRTC_ERROR_INVALID_INPUT;
    const char *slash = name ? strrchr(name, '/') : NULL;
    nvrtcProgram p = calloc(1, sizeof *p);
    if (p) p->files = calloc((size_t)n + 1, sizeof *p->files);
    if (p) p->directory = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
    if (!p || !p->files || !p->directory) {
        if (p) free_program(p);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    if (slash) name = slash + 1;
    p->files[0] = (File){strdup(name && *name ? name : "default_program"), strdup(source)};
    for (int i = 0; i < n; i++) p->files[i + 1] = (File){strdup(names[i]), strdup(texts[i])};
    p->nfiles = n + 1;
    rt_add_handle(&programs, &p->link);
    *out = p;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p) {
    if (!p || !rt_remove_handle(&programs, (const RtLink *)*p)) return NVRTC_ERROR_INVALID_PROGRAM;
    free_program(*p);
    *p = NULL;
    return NVRTC_SUCCESS;
}

/* ---- options ---- */

typedef enum Use { PASS, DROP, ARCH, HOST_DEVICE, LTO, NO_DIRECTORY } Use;

/* By prefix; the first row that fits.  `two`: the value may be the next string. */
static const struct {
    const char *name;
    Use use;
    bool two;
} known[] = {
    {"--gpu-architecture", ARCH, true},
    {"-arch", ARCH, true},
    {"--device-as-default-execution-space", HOST_DEVICE, false},
    {"-default-device", HOST_DEVICE, false},
    {"-D", PASS, true},
    {"-U", PASS, true},
    {"-I", PASS, true},
    {"--define-macro", PASS, true},
    {"--undefine-macro", PASS, true},
    {"--include-path", PASS, true},
    {"--pre-include", PASS, true},
    {"-include", PASS, true},
    {"--std", PASS, true},
    {"-std", PASS, true},
    {"--use_fast_math", PASS, false},
    {"-use_fast_math", PASS, false},
    {"--fmad", PASS, true},
    {"-fmad", PASS, true},
    {"--ftz", PASS, true},
    {"-ftz", PASS, true},
    {"--prec-sqrt", PASS, true},
    {"-prec-sqrt", PASS, true},
    {"--prec-div", PASS, true},
    {"-prec-div", PASS, true},
    {"--maxrregcount", PASS, true},
    {"-maxrregcount", PASS, true},
    {"--disable-warnings", PASS, false},
    {"-w", PASS, false},
    {"--restrict", PASS, false},
    {"-restrict", PASS, false},
    {"--simd", PASS, false},
    {"--device-debug", DROP, false},
    {"-G", DROP, false},
    {"--generate-line-info", DROP, false},
    {"-lineinfo", DROP, false},
    {"--relocatable-device-code", DROP, true},
    {"-rdc", DROP, true},
    {"--device-c", DROP, false},
    {"-dc", DROP, false},
    {"--device-w", DROP, false},
    {"-dw", DROP, false},
    {"--extensible-whole-program", DROP, false},
    {"-ewp", DROP, false},
    {"--dlink-time-opt", LTO, false},
    {"-dlto", LTO, false},
    {"--gen-opt-lto", LTO, false},
    {"--dopt", DROP, false},
    {"-dopt", DROP, false},
    {"-Ofc", DROP, true},
    {"--Ofast-compile", DROP, true},
    {"--ptxas-options", DROP, true},
    {"-Xptxas", DROP, true},
    {"--builtin-", DROP, false},
    {"-builtin-", DROP, false},
    {"--extra-device-vectorization", DROP, false},
    {"-extra-device-vectorization", DROP, false},
    {"--modify-stack-limit", DROP, true},
    {"-modify-stack-limit", DROP, true},
    {"--diag-", DROP, true},
    {"-diag-", DROP, true},
    {"--display-error-number", DROP, false},
    {"--no-display-error-number", DROP, false},
    {"-no-err-no", DROP, false},
    {"-err-no", DROP, false},
    {"--optimization-info", DROP, true},
    {"-opt-info", DROP, true},
    {"--version-ident", DROP, true},
    {"-dQ", DROP, true},
    {"--no-source-include", NO_DIRECTORY, false},
    {"-no-source-include", NO_DIRECTORY, false},
    {"--minimal", DROP, false},
    {"-minimal", DROP, false},
    {"--device-int128", DROP, false},
    {"-device-int128", DROP, false},
    {"--brief-diagnostics", DROP, true},
    {"-brief-diag", DROP, true},
    {"--time", DROP, true},
    {"-time", DROP, true},
    {"--split-compile", DROP, true},
    {"-split-compile", DROP, true},
    {"--no-cache", DROP, false},
    {"-no-cache", DROP, false},
    {"--pch-dir", DROP, true},
    {"-pch-dir", DROP, true},
    {"--pch", DROP, false},
    {"-pch", DROP, false},
    {"--create-pch", DROP, true},
    {"-create-pch", DROP, true},
    {"--use-pch", DROP, true},
    {"-use-pch", DROP, true},
    {"--instantiate-templates-in-pch", DROP, true},
    {"-instantiate-templates-in-pch", DROP, true},
    {"--fdevice-", DROP, true},
    {"-fdevice-", DROP, true},
    {"--frandom-seed", DROP, true},
    {"--jump-table-density", DROP, true},
    {"-jtd", DROP, true},
    {"--device-stack-protector", DROP, true},
    {"-f", DROP, false},
    {"--cpu", PASS, false},
    {"--enable", PASS, false},
    {"--disable", PASS, false},
};

typedef struct Request { /* what cucpu is called with */
    const char **argv;
    int n;
    int arch;
    char features; /* 'a' of compute_90a, 'f' of compute_100f, 0 */
    bool host_device, binary, lto, no_directory;
} Request;

static bool read_arch(Request *r, const char *value) {
    static const char *const kinds[] = {"compute_", "sm_", "lto_"};
    for (size_t i = 0; i < RT_COUNT(kinds); i++) {
        size_t n = strlen(kinds[i]);
        if (strncmp(value, kinds[i], n)) continue;
        char *end;
        long v = strtol(value + n, &end, 10);
        if ((*end && strcmp(end, "a") && strcmp(end, "f")) || v < archs[0] || v > 999) return false;
        r->arch = (int)v;
        r->features = *end;
        r->binary = i == 1;
        r->lto |= i == 2;
        return true;
    }
    return false;
}

/* The option at argv[*i] and, where it has one there, its value; false: unknown, or without value.
 */
static bool take_option(Request *r, int count, const char *const *argv, int *i) {
    const char *o = argv[*i];
    for (size_t k = 0; k < RT_COUNT(known); k++) {
        size_t n = strlen(known[k].name);
        if (strncmp(o, known[k].name, n)) continue;
        bool apart = known[k].two && !o[n];
        if (apart && *i + 1 >= count) return false;
        const char *value = apart ? argv[++*i] : o + n + (o[n] == '=');
        if (known[k].use == ARCH) return read_arch(r, value);
        if (known[k].use == HOST_DEVICE) r->host_device = true;
        if (known[k].use == LTO) r->lto = true;
        if (known[k].use == NO_DIRECTORY) r->no_directory = true;
        if (known[k].use == PASS) r->argv[r->n++] = o;
        if (known[k].use == PASS && apart) r->argv[r->n++] = value;
        return true;
    }
    return false;
}

static bool take_options(Request *r, int count, const char *const *options, char **log) {
    for (int i = 0; i < count; i++) {
        const char *o = options[i];
        if (o && take_option(r, count, options, &i)) continue;
        if (asprintf(log, "nvrtc: error: invalid option: %s\n", o ? o : "(null)") < 0) *log = NULL;
        return false;
    }
    return true;
}

/* ---- compiling ---- */

static bool make_parents(char *name) {
    for (char *s = strchr(name + 1, '/'); s; s = strchr(s + 1, '/')) {
        *s = 0;
        mkdir(name, 0700);
        *s = '/';
    }
    return true;
}

static bool write_source(nvrtcProgram p, const char *file, bool host_device) {
    FILE *f = fopen(file, "w");
    if (!f) return false;
    if (host_device) fputs("#pragma clang force_cuda_host_device begin\n#line 1\n", f);
    fputs(p->files[0].text, f);
    if (host_device) fputs("\n#pragma clang force_cuda_host_device end\n", f);
    for (int i = 0; i < p->nnames; i++)
        fprintf(f,
                "\n#line 1 \"name expression\"\nextern \"C\" __device__ __attribute__((used)) "
                "const void *volatile " NAME_VARIABLE " = (const void *)(%s);\n",
                i, p->names[i].text);
    return !fclose(f);
}

static bool write_files(nvrtcProgram p, const char *root, bool host_device) {
    char name[2 * RT_NAME_BYTES];
    for (int i = 0; i < p->nfiles; i++) {
        snprintf(name, sizeof name, "%s/%s", root, p->files[i].name);
        make_parents(name);
        if (i ? !rt_write_file(name, p->files[i].text, strlen(p->files[i].text)) : !write_source(p, name, host_device))
            return false;
    }
    return true;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *w) {
    (void)st, (void)kind, (void)w;
    return remove(path);
}

/* &V, where V is a variable of the module, holds its address; &k the row of a kernel. */
static const char *name_at(const CucpuModule *m, const void *at) {
    for (uint32_t i = 0; i < m->nkernels; i++)
        if (&m->kernels[i] == at) return m->kernels[i].name;
    for (uint32_t i = 0; i < m->nvars; i++)
        if (m->vars[i].address == at) return m->vars[i].name;
    return NULL;
}

static void lower_names(nvrtcProgram p, const CucpuModule *m) {
    for (int i = 0; i < p->nnames; i++) {
        char variable[64];
        snprintf(variable, sizeof variable, NAME_VARIABLE, i);
        for (uint32_t v = 0; v < m->nvars; v++) {
            if (strcmp(m->vars[v].name, variable)) continue;
            const char *name = name_at(m, *(const void **)m->vars[v].address);
            p->names[i].lowered = name ? strdup(name) : NULL;
        }
    }
}

static nvrtcResult keep_object(nvrtcProgram p, unsigned number, const char *object, int arch) {
    size_t n = 0;
    char *bytes = rt_read_file(object, &n);
    p->image = bytes ? rt_make_image(bytes, n, arch) : NULL;
    free(bytes);
    if (!p->image) return NVRTC_ERROR_OUT_OF_MEMORY;
    RtModule *m = p->nnames ? rt_open_module(number, NULL) : NULL;
    if (p->nnames && !m) return NVRTC_ERROR_INTERNAL_ERROR;
    if (m) lower_names(p, m->abi);
    p->ok = true;
    return NVRTC_SUCCESS;
}

static nvrtcResult compile(nvrtcProgram p, Request *r) {
    char top[RT_NAME_BYTES], root[RT_NAME_BYTES + 16], prefix[RT_NAME_BYTES + 32], source[2 * RT_NAME_BYTES],
        object[RT_NAME_BYTES], arch[32];
    unsigned number;
    if (!rt_new_file(&number)) return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    rt_file_name(top, number, ".d");
    rt_file_name(object, number, ".so");
    snprintf(root, sizeof root, "%s/up/up/up", top);
    snprintf(prefix, sizeof prefix, "%s/", root);
    snprintf(source, sizeof source, "%s/%s", root, p->files[0].name);
    snprintf(arch, sizeof arch, "-arch=sm_%d%.1s", r->arch, &r->features);
    const char *more[] = {
        "-O3",  "--device-only",   "-shared", "-D__CUDACC_RTC__=1", arch, "-I", root, "-x", "cu", source, "-o",
        object, rt_check_option(), NULL};
    if (!r->no_directory) r->argv[r->n++] = "-iquote", r->argv[r->n++] = p->directory;
    memcpy(&r->argv[r->n], more, sizeof more);
    bool written = write_files(p, root, r->host_device);
    int status = written ? rt_run_cucpu(r->argv, prefix, &p->log) : -1;
    nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    nvrtcResult result = status == 0                ? keep_object(p, number, object, r->arch)
                         : status == RT_NO_COMPILER ? NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
                         : status < 0               ? NVRTC_ERROR_INTERNAL_ERROR
                                                    : NVRTC_ERROR_COMPILATION;
    rt_end_file(number);
    return result;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options) {
    enum { MORE = 24 };
    if (!is_program(p)) return NVRTC_ERROR_INVALID_PROGRAM;
    if (count < 0 || (count && !options)) return NVRTC_ERROR_INVALID_INPUT;
    Request r = {.n = 1, .arch = DEFAULT_ARCH};
    r.argv = calloc((size_t)count + MORE, sizeof *r.argv);
    if (!r.argv) return NVRTC_ERROR_OUT_OF_MEMORY;
    free(p->log);
    free(p->image);
    p->log = p->image = NULL;
    p->ok = false;
    nvrtcResult result = NVRTC_ERROR_INVALID_OPTION;
    if (take_options(&r, count, options, &p->log)) {
        p->compiled = true;
        p->binary = r.binary;
        p->lto = r.lto;
        result = p->cancelled && p->cancelled(p->payload, NULL) ? NVRTC_ERROR_CANCELLED : compile(p, &r);
    }
    free(r.argv);
    return result;
}

/* ---- results ---- */

static nvrtcResult give_size(nvrtcProgram p, size_t *size, const char *text, bool there) {
    if (!is_program(p)) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!size) return NVRTC_ERROR_INVALID_INPUT;
    if (!there) return NVRTC_ERROR_INVALID_PROGRAM;
    *size = text ? strlen(text) + 1 : 0;
    return NVRTC_SUCCESS;
}

static nvrtcResult give(nvrtcProgram p, char *out, const char *text, bool there) {
    if (!is_program(p)) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!out) return NVRTC_ERROR_INVALID_INPUT;
    if (!there) return NVRTC_ERROR_INVALID_PROGRAM;
    if (text) strcpy(out, text);
    return NVRTC_SUCCESS;
}

#define PROGRAM(p) (is_program(p) ? (p) : &nothing)
static struct _nvrtcProgram nothing;

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size) {
    return give_size(p, size, PROGRAM(p)->image, PROGRAM(p)->ok);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *out) { return give(p, out, PROGRAM(p)->image, PROGRAM(p)->ok); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size) {
    return give_size(p, size, PROGRAM(p)->binary ? PROGRAM(p)->image : NULL, PROGRAM(p)->ok);
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out) {
    return give(p, out, PROGRAM(p)->image, PROGRAM(p)->ok && PROGRAM(p)->binary);
}
/* There is no other code than the image: nvJitLink takes it as LTO-IR. */
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram p, size_t *size) {
    return give_size(p, size, PROGRAM(p)->lto ? PROGRAM(p)->image : NULL, PROGRAM(p)->ok);
}
nvrtcResult nvrtcGetLTOIR(nvrtcProgram p, char *out) {
    return give(p, out, PROGRAM(p)->image, PROGRAM(p)->ok && PROGRAM(p)->lto);
}
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram p, size_t *size) { return give_size(p, size, NULL, PROGRAM(p)->ok); }
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram p, char *out) { return give(p, out, NULL, false); }

static const char *log_of(nvrtcProgram p) { return PROGRAM(p)->log ? PROGRAM(p)->log : ""; }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size) { return give_size(p, size, log_of(p), true); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *out) { return give(p, out, log_of(p), true); }

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression) {
    if (!is_program(p)) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression) return NVRTC_ERROR_INVALID_INPUT;
    if (p->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    for (int i = 0; i < p->nnames; i++)
        if (!strcmp(p->names[i].text, expression)) return NVRTC_SUCCESS;
    Expression *more = realloc(p->names, ((size_t)p->nnames + 1) * sizeof *more);
    if (!more) return NVRTC_ERROR_OUT_OF_MEMORY;
    p->names = more;
    p->names[p->nnames++] = (Expression){strdup(expression), NULL};
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **lowered) {
    if (!is_program(p)) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !lowered) return NVRTC_ERROR_INVALID_INPUT;
    if (!p->ok) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (int i = 0; i < p->nnames; i++)
        if (!strcmp(p->names[i].text, expression) && p->names[i].lowered) {
            *lowered = p->names[i].lowered;
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* ---- queried before the compiler begins ---- */

nvrtcResult nvrtcSetFlowCallback(nvrtcProgram p, int (*cancelled)(void *payload, void *reserved), void *payload) {
    if (!is_program(p)) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!cancelled) return NVRTC_ERROR_INVALID_INPUT;
    p->cancelled = cancelled, p->payload = payload;
    return NVRTC_SUCCESS;
}

/* ---- headers are not kept compiled: the options for that do nothing ---- */

static _Atomic size_t heap = 256u << 20;
nvrtcResult nvrtcGetPCHHeapSize(size_t *bytes) {
    if (!bytes) return NVRTC_ERROR_INVALID_INPUT;
    *bytes = heap;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcSetPCHHeapSize(size_t bytes) {
    heap = bytes;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram p) {
    return is_program(p) ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram p, size_t *bytes) {
    (void)bytes;
    return is_program(p) ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
}
