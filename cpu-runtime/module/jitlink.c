/* jitlink.c: libnvJitLink: PTX texts become one, as by cuLink* (link.c), but without a context.
**
** Inputs are PTX, what NVRTC gives as PTX, cubin or LTO-IR, our cubins, fatbins, host objects with fatbins, and
** libraries of these; what has machine code of a GPU only is refused.  A text that needs no other one is compiled when
** it is added, the whole when it is complete.  Results and logs are those of NVIDIA's library where it has been asked;
** what that one crashes for (data NULL) is NVJITLINK_ERROR_NULL_INPUT.  Options that concern GPU code do nothing. */
#define _GNU_SOURCE
#include "base/env.h"
#include "base/handles.h"
#include "module/command.h"
#include "module/fatbin.h"
#include "module/image.h"
#include "module/module.h"
#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#pragma GCC visibility push(default)
#include "nvJitLink.h"
#include "nvrtc.h"
#pragma GCC visibility pop

struct nvJitLink {
    RtLink link;
    unsigned sm;
    bool virtual_arch, lto, ptx, verbose, time, complete;
    bool image; /* the only text is one that NVRTC has compiled */
    LinkedText linked;
    char *cubin, *errors, *infos;
    size_t cubin_size;
};
typedef nvJitLinkResult Result;

static RtHandles links = RT_HANDLES;

static bool is_link(nvJitLinkHandle h) { return rt_has_handle(&links, h); }

static void add_log(char **log, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_log(char **log, const char *format, ...) {
    char *more, *both;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&more, format, args);
    va_end(args);
    if (n < 0) return;
    if (asprintf(&both, "%s%s", *log ? *log : "", more) >= 0) {
        free(*log);
        *log = both;
    }
    free(more);
}

/* ---- options ---- */

typedef enum Use { NONE, ARCH, LTO, PTX, VERBOSE, TIME, LEVEL } Use;

static Result take_arch(nvJitLinkHandle h, const char *value) {
    bool real = !strncmp(value, "sm_", 3), known = false;
    const char *number = real ? value + 3 : value + 8;
    char *end;
    int n, archs[64];
    long sm = real || !strncmp(value, "compute_", 8) ? strtol(number, &end, 10) : 0;
    if (sm <= 0 || (*end && strcmp(end, "a") && strcmp(end, "f"))) {
        add_log(&h->errors, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-arch=%s)\n", value);
        return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    }
    nvrtcGetNumSupportedArchs(&n);
    if ((size_t)n <= RT_COUNT(archs)) nvrtcGetSupportedArchs(archs);
    for (int i = 0; i < n; i++) known |= archs[i] == sm;
    h->sm = (unsigned)sm;
    h->virtual_arch = !real;
    if (known) return NVJITLINK_SUCCESS;
    bool old = sm < archs[0];
    add_log(&h->errors, "ERROR NVJITLINK_ERROR_%s_ARCH: %s architecture (compute_%ld)\n",
            old ? "UNSUPPORTED" : "UNRECOGNIZED", old ? "unsupported" : "unrecognized", sm);
    return old ? NVJITLINK_ERROR_UNSUPPORTED_ARCH : NVJITLINK_ERROR_UNRECOGNIZED_ARCH;
}

static Result take_option(nvJitLinkHandle h, const char *o) {
    static const struct {
        const char *name;
        Use use;
    } known[] = {
#define OPTION(name, use) {name, use},
#include "module/jitlink.def"
    };
    for (size_t i = 0; i < RT_COUNT(known); i++) {
        size_t n = strlen(known[i].name);
        bool has_value = known[i].name[n - 1] == '=' || known[i].use == LEVEL;
        if (strncmp(o, known[i].name, n) || (!has_value && o[n])) continue;
        if (known[i].use == ARCH) return take_arch(h, o + n);
        if (known[i].use == LEVEL && strcmp(o + n, "0") && strcmp(o + n, "3")) {
            add_log(&h->errors, "unsupported value of -O: %s. Only 0 and 3 are supported.\n", o + n);
            return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
        }
        h->lto |= known[i].use == LTO;
        h->ptx |= known[i].use == PTX;
        h->verbose |= known[i].use == VERBOSE;
        h->time |= known[i].use == TIME;
        return NVJITLINK_SUCCESS;
    }
    add_log(&h->errors, "unrecognized option: %s\n", o);
    return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
}

static Result check_options(nvJitLinkHandle h) {
    if (!h->sm) {
        add_log(&h->errors, "ERROR NVJITLINK_ERROR_MISSING_ARCH: -arch=sm_<N> is missing\n");
        return NVJITLINK_ERROR_MISSING_ARCH;
    }
    if (h->ptx && !h->lto) add_log(&h->errors, "ERROR: -ptx requires -lto\n");
    else if (h->virtual_arch && !h->ptx) add_log(&h->errors, "ERROR: virtual arch requires -ptx\n");
    else return NVJITLINK_SUCCESS;
    return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
}

/* After an error there is a handle, too: its log says what was wrong. */
Result nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count, const char **options) {
    if (!handle || !count || !options) return NVJITLINK_ERROR_NULL_INPUT;
    nvJitLinkHandle h = calloc(1, sizeof *h);
    if (!h) return NVJITLINK_ERROR_INTERNAL;
    rt_add_handle(&links, &h->link);
    *handle = h;
    for (uint32_t i = 0; i < count; i++) {
        Result r = options[i] ? take_option(h, options[i]) : NVJITLINK_ERROR_NULL_INPUT;
        if (r) return r;
    }
    return check_options(h);
}

Result nvJitLinkDestroy(nvJitLinkHandle *handle) {
    nvJitLinkHandle h = handle ? *handle : NULL;
    if (!rt_remove_handle(&links, (const RtLink *)h)) return NVJITLINK_ERROR_NULL_INPUT;
    free(h->linked.text);
    free(h->cubin);
    free(h->errors);
    free(h->infos);
    free(h);
    *handle = NULL;
    return NVJITLINK_SUCCESS;
}

/* ---- inputs ---- */

static Result refuse(nvJitLinkHandle h, Result r, const char *what, const char *name) {
    add_log(&h->errors, "error   : '%s': %s\n", name, what);
    return r;
}

static bool compiles(nvJitLinkHandle h, const char *text) {
    RtModule *m;
    char *log = NULL;
    CUresult r = drv_compile_text(text, strlen(text), &log, &m);
    if (log && *log) add_log(&h->errors, "%s%s", log, log[strlen(log) - 1] == '\n' ? "" : "\n");
    free(log);
    return r == CUDA_SUCCESS;
}

static Result add_text(nvJitLinkHandle h, const char *text, const char *name) {
    bool image = rt_is_image(text);
    if (h->linked.texts && (image || h->image))
        return refuse(h, NVJITLINK_ERROR_INTERNAL, "what NVRTC has compiled cannot be linked with other code", name);
    bool alone = !strstr(text, ".extern .func") && !strstr(text, ".extern .global") && !strstr(text, ".extern .const");
    if (alone && !image && !compiles(h, text)) {
        add_log(&h->errors, "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (%s)\n", name);
        return NVJITLINK_ERROR_PTX_COMPILE;
    }
    h->image = image;
    return drv_append_text(&h->linked, text, strlen(text)) ? NVJITLINK_ERROR_INTERNAL : NVJITLINK_SUCCESS;
}

/* A fatbin, or one of our cubins. */
static Result add_gpu_image(nvJitLinkHandle h, const char *data, size_t size, const char *name) {
    char *text = NULL, *log = NULL;
    CUresult error = rt_fatbin_text(data, size, (int)h->sm, &text, &log);
    Result r = error ? NVJITLINK_ERROR_INVALID_INPUT : add_text(h, text, name);
    if (error) add_log(&h->errors, "'%s': %s", name, log ? log : "error: it cannot be read\n");
    free(text);
    free(log);
    return r;
}

static bool starts_container(const char *data, size_t size) {
    return size >= 16 && rt_is_gpu_image(data) && memcmp(data, ELFMAG, SELFMAG) != 0;
}

/* The containers in one section: one for each file that was compiled into the object. */
static Result add_section(nvJitLinkHandle h, const char *data, size_t size, const char *name, int *found) {
    for (size_t at = 0; at + 16 <= size;) {
        uint64_t bytes = 0;
        uint16_t head = 0;
        if (!starts_container(data + at, size - at)) {
            at += 8; /* they are aligned */
            continue;
        }
        memcpy(&head, data + at + 6, sizeof head);
        memcpy(&bytes, data + at + 8, sizeof bytes);
        Result r = add_gpu_image(h, data + at, size - at, name);
        if (r) return r;
        ++*found;
        if (bytes > size - at || !(head + bytes)) break;
        at += (head + bytes + 7) & ~UINT64_C(7);
    }
    return NVJITLINK_SUCCESS;
}

static bool read_sections(const char *data, size_t size, Elf64_Ehdr *e, Elf64_Shdr *names) {
    if (size < sizeof *e) return false;
    memcpy(e, data, sizeof *e);
    if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_shoff > size) return false;
    if (e->e_shentsize != sizeof *names || (size - e->e_shoff) / sizeof *names < e->e_shnum) return false;
    if (e->e_shstrndx >= e->e_shnum) return false;
    memcpy(names, data + e->e_shoff + e->e_shstrndx * sizeof *names, sizeof *names);
    return names->sh_offset <= size && names->sh_size <= size - names->sh_offset;
}

static Result add_object(nvJitLinkHandle h, const char *data, size_t size, const char *name, int *found) {
    static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};
    Elf64_Ehdr e;
    Elf64_Shdr names, s;
    if (!read_sections(data, size, &e, &names)) return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    for (unsigned i = 0; i < e.e_shnum; i++) {
        memcpy(&s, data + e.e_shoff + i * sizeof s, sizeof s);
        if (s.sh_type == SHT_NOBITS || s.sh_offset > size || s.sh_size > size - s.sh_offset) continue;
        for (size_t k = 0; k < RT_COUNT(sections); k++) {
            size_t n = strlen(sections[k]) + 1;
            if (s.sh_name > names.sh_size || n > names.sh_size - s.sh_name) continue;
            if (memcmp(data + names.sh_offset + s.sh_name, sections[k], n)) continue;
            Result r = add_section(h, data + s.sh_offset, s.sh_size, name, found);
            if (r) return r;
        }
    }
    return NVJITLINK_SUCCESS;
}

static Result add_one_object(nvJitLinkHandle h, const char *data, size_t size, const char *name) {
    int found = 0;
    Result r = add_object(h, data, size, name, &found);
    if (r || found) return r;
    return refuse(h, NVJITLINK_ERROR_MISSING_FATBIN, "there is no PTX in it", name);
}

static bool is_archive(const char *data, size_t size) { return size >= 8 && !memcmp(data, "!<arch>\n", 8); }

/* This installation's libcudadevrt.a and its like: their functions are those of the device library. */
static bool is_own_library(const char *data, size_t size) {
    static const char begin[] = "/* GNU ld script */\nINPUT(libcudart.so";
    return size > sizeof begin && !memcmp(data, begin, sizeof begin - 1);
}

/* Members that are no objects with GPU code are left out, as by linkers. */
static Result add_library(nvJitLinkHandle h, const char *data, size_t size, const char *name) {
    enum { HEAD = 60, SIZE_AT = 48, SIZE_DIGITS = 10 };
    if (is_own_library(data, size)) return NVJITLINK_SUCCESS;
    for (size_t at = 8; at + HEAD <= size;) {
        char digits[SIZE_DIGITS + 1] = {0};
        memcpy(digits, data + at + SIZE_AT, SIZE_DIGITS);
        size_t bytes = strtoul(digits, NULL, 10);
        int found = 0;
        at += HEAD;
        if (bytes > size - at) return refuse(h, NVJITLINK_ERROR_INVALID_INPUT, "the library is damaged", name);
        Result r = add_object(h, data + at, bytes, name, &found);
        if (r && r != NVJITLINK_ERROR_UNRECOGNIZED_INPUT) return r;
        at += bytes + (bytes & 1);
    }
    return NVJITLINK_SUCCESS;
}

static bool is_text(const char *data, size_t size) { return memmem(data, size, ".version", 8) != NULL; }

static nvJitLinkInputType type_of(const char *data, size_t size) {
    bool elf = size > 20 && !memcmp(data, ELFMAG, SELFMAG);
    if (elf) return rt_is_gpu_image(data) ? NVJITLINK_INPUT_CUBIN : NVJITLINK_INPUT_OBJECT;
    if (is_archive(data, size) || is_own_library(data, size)) return NVJITLINK_INPUT_LIBRARY;
    if (starts_container(data, size)) return NVJITLINK_INPUT_FATBIN;
    return is_text(data, size) ? NVJITLINK_INPUT_PTX : NVJITLINK_INPUT_NONE;
}

/* What NVRTC gives is a text whatever the program has asked it for. */
static bool fits(nvJitLinkInputType said, nvJitLinkInputType found, const char *text) {
    if (said == found || said == NVJITLINK_INPUT_ANY) return true;
    bool image = found == NVJITLINK_INPUT_PTX && rt_is_image(text);
    return image && (said == NVJITLINK_INPUT_CUBIN || said == NVJITLINK_INPUT_LTOIR);
}

static Result add_typed(nvJitLinkHandle h, nvJitLinkInputType type, const char *data, size_t size, const char *name) {
    nvJitLinkInputType found = type_of(data, size);
    if (!fits(type, found, data))
        return refuse(h, NVJITLINK_ERROR_INCORRECT_INPUT_TYPE, "the input is not of the type that is said", name);
    if (type == NVJITLINK_INPUT_LTOIR && !h->lto)
        return refuse(h, NVJITLINK_ERROR_LTO_NOT_ENABLED, "LTO-IR requires -lto", name);
    switch ((int)found) {
    case NVJITLINK_INPUT_CUBIN:
    case NVJITLINK_INPUT_FATBIN: return add_gpu_image(h, data, size, name);
    case NVJITLINK_INPUT_OBJECT: return add_one_object(h, data, size, name);
    case NVJITLINK_INPUT_LIBRARY: return add_library(h, data, size, name);
    case NVJITLINK_INPUT_PTX: return add_text(h, data, name);
    }
    return refuse(h, NVJITLINK_ERROR_UNRECOGNIZED_INPUT, "this is no input that is known", name);
}

Result nvJitLinkAddData(nvJitLinkHandle h, nvJitLinkInputType type, const void *data, size_t size, const char *name) {
    if (!is_link(h) || !data) return NVJITLINK_ERROR_NULL_INPUT;
    if (!name) name = "<unnamed>";
    if (!size || type == NVJITLINK_INPUT_NONE) return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
    if (h->complete) return refuse(h, NVJITLINK_ERROR_INTERNAL, "it comes after nvJitLinkComplete", name);
    char *copy = malloc(size + 1); /* texts need no NUL */
    if (!copy) return NVJITLINK_ERROR_INTERNAL;
    memcpy(copy, data, size);
    copy[size] = 0;
    Result r = add_typed(h, type, copy, size, name);
    free(copy);
    return r;
}

Result nvJitLinkAddFile(nvJitLinkHandle h, nvJitLinkInputType type, const char *file) {
    size_t size;
    if (!is_link(h) || !file) return NVJITLINK_ERROR_NULL_INPUT;
    char *data = rt_read_file(file, &size);
    if (!data) return refuse(h, NVJITLINK_ERROR_INVALID_INPUT, "the file cannot be read", file);
    Result r = nvJitLinkAddData(h, type, data, size, file);
    free(data);
    return r;
}

/* ---- the result ---- */

static double milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

Result nvJitLinkComplete(nvJitLinkHandle h) {
    static const char nothing[] = ".version 7.0\n.target sm_70\n.address_size 64\n";
    if (!is_link(h)) return NVJITLINK_ERROR_NULL_INPUT;
    if (h->complete) return NVJITLINK_ERROR_INTERNAL;
    double start = milliseconds();
    LinkedText *l = &h->linked;
    int texts = l->texts;
    if (!texts && drv_append_text(l, nothing, sizeof nothing - 1)) return NVJITLINK_ERROR_INTERNAL;
    if (!compiles(h, l->text)) {
        add_log(&h->errors, "ERROR 1: finish\n");
        return NVJITLINK_ERROR_INTERNAL;
    }
    h->cubin = h->image ? strdup(l->text) : rt_make_cubin(l->text, l->size, h->sm, &h->cubin_size);
    if (!h->cubin) return NVJITLINK_ERROR_INTERNAL;
    if (h->image) h->cubin_size = l->size + 1;
    h->complete = true;
    if (h->verbose) add_log(&h->infos, "info    : %d inputs, %zu bytes of PTX\n", texts, l->size);
    if (h->time) add_log(&h->infos, "info    : linked in %.3f ms\n", milliseconds() - start);
    return NVJITLINK_SUCCESS;
}

static Result give_size(nvJitLinkHandle h, size_t *size, bool wanted, size_t bytes) {
    if (!is_link(h) || !size) return NVJITLINK_ERROR_NULL_INPUT;
    if (!h->complete) return NVJITLINK_ERROR_INTERNAL;
    if (!wanted) return NVJITLINK_ERROR_INVALID_INPUT;
    *size = bytes;
    return NVJITLINK_SUCCESS;
}

static Result give(nvJitLinkHandle h, void *out, bool wanted, const void *bytes, size_t n) {
    size_t size;
    Result r = give_size(h, out ? &size : NULL, wanted, n);
    if (r == NVJITLINK_SUCCESS) memcpy(out, bytes, n);
    return r;
}

#define FIELD(h, field) (is_link(h) ? (h)->field : 0)

Result nvJitLinkGetLinkedCubinSize(nvJitLinkHandle h, size_t *size) {
    return give_size(h, size, !FIELD(h, ptx), FIELD(h, cubin_size));
}
Result nvJitLinkGetLinkedCubin(nvJitLinkHandle h, void *cubin) {
    return give(h, cubin, !FIELD(h, ptx), FIELD(h, cubin), FIELD(h, cubin_size));
}
Result nvJitLinkGetLinkedPtxSize(nvJitLinkHandle h, size_t *size) {
    return give_size(h, size, FIELD(h, ptx), FIELD(h, linked.size) + 1);
}
Result nvJitLinkGetLinkedPtx(nvJitLinkHandle h, char *ptx) {
    return give(h, ptx, FIELD(h, ptx), FIELD(h, linked.text), FIELD(h, linked.size) + 1);
}

/* An empty log has no size, and nothing is written. */
static Result log_size(nvJitLinkHandle h, size_t *size, const char *log) {
    if (!is_link(h) || !size) return NVJITLINK_ERROR_NULL_INPUT;
    *size = log ? strlen(log) + 1 : 0;
    return NVJITLINK_SUCCESS;
}
static Result give_log(nvJitLinkHandle h, char *out, const char *log) {
    if (!is_link(h) || !out) return NVJITLINK_ERROR_NULL_INPUT;
    if (log) strcpy(out, log);
    return NVJITLINK_SUCCESS;
}
Result nvJitLinkGetErrorLogSize(nvJitLinkHandle h, size_t *size) { return log_size(h, size, FIELD(h, errors)); }
Result nvJitLinkGetErrorLog(nvJitLinkHandle h, char *log) { return give_log(h, log, FIELD(h, errors)); }
Result nvJitLinkGetInfoLogSize(nvJitLinkHandle h, size_t *size) { return log_size(h, size, FIELD(h, infos)); }
Result nvJitLinkGetInfoLog(nvJitLinkHandle h, char *log) { return give_log(h, log, FIELD(h, infos)); }

Result nvJitLinkVersion(unsigned *major, unsigned *minor) {
    if (!major || !minor) return NVJITLINK_ERROR_NULL_INPUT;
    *major = CUDART_VERSION / 1000;
    *minor = CUDART_VERSION % 1000 / 10;
    return NVJITLINK_SUCCESS;
}

/* ---- NVIDIA's header calls each function by a name with the version of the toolkit ---- */

#define VERSIONED(name, version)                                                                                       \
    extern __attribute__((visibility("default"),                                                                       \
                          alias("nvJitLink" #name))) __typeof__(nvJitLink##name) __nvJitLink##name##_##version;
#define VERSIONS(name)                                                                                                 \
    VERSIONED(name, 12_0)                                                                                              \
    VERSIONED(name, 12_1)                                                                                              \
    VERSIONED(name, 12_2)                                                                                              \
    VERSIONED(name, 12_3)                                                                                              \
    VERSIONED(name, 12_4)                                                                                              \
    VERSIONED(name, 12_5)                                                                                              \
    VERSIONED(name, 12_6)                                                                                              \
    VERSIONED(name, 12_7)                                                                                              \
    VERSIONED(name, 12_8)                                                                                              \
    VERSIONED(name, 12_9)                                                                                              \
    VERSIONED(name, 13_0)                                                                                              \
    VERSIONED(name, 13_1)                                                                                              \
    VERSIONED(name, 13_2)
VERSIONS(Create)
VERSIONS(Destroy)
VERSIONS(AddData)
VERSIONS(AddFile)
VERSIONS(Complete)
VERSIONS(GetLinkedCubinSize)
VERSIONS(GetLinkedCubin)
VERSIONS(GetLinkedPtxSize)
VERSIONS(GetLinkedPtx)
VERSIONS(GetErrorLogSize)
VERSIONS(GetErrorLog)
VERSIONS(GetInfoLogSize)
VERSIONS(GetInfoLog)
