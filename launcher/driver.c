/* driver.c: plans the stages for the inputs, runs them, and moves the outputs into place.
**
**   a.cu ─┬─ device half ─ a.bc ──────┬─ kernel compiler ─── a.kernel.o ─┬─ link, or merge for -c
**         └─ host half ─── a.host.bc ─┴─ host code generator a.host.o ───┘
**
** The kernel compiler looks into the host half for the blockDims that kernels are launched with; where
** options of the host compiler do not go with two steps, host code is compiled in one, without that.
** The halves are joined at run time by a number, the module id, which is in both objects.  It
** is a hash of what makes the compilation, known before either half runs, so they run side by
** side.  With relocatable device code the bitcode travels in the object instead (device_link.c).
** Outputs are renamed into place only when every stage has succeeded. */
#define _GNU_SOURCE
#include "launcher/driver.h"
#include "cpu-runtime/abi.h"
#include "cpu-runtime/module/image.h"
#include "cpu-runtime/include/cucpu/device_only.h"
#include "launcher/device_link.h"
#include "launcher/embed.h"
#include "launcher/plan.h"
#include "launcher/side_files.h"
#include "launcher/precompiled.h"
#include "launcher/report/report.h"
#include "launcher/nvcc/refused.h"
#include "launcher/nvcc/register_first.h"
#include "launcher/nvcc/source_text.h"
#include "launcher/tempfiles.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct CompileContext {
    CucpuOptions options;
    const char *input, *output;
    StrVec host_check; /* command: the host half read again for uses of what device code alone has */
} CompileContext;

/* ---- one source file ---- */

static uint64_t module_id(const Options *o, const char *input, const char *object) {
    size_t size = 0;
    const char *text = file_read(input, &size);
    uint64_t h = text_hash(o->words_hash, path_absolute(input), strlen(path_absolute(input)));
    h = text_hash(h, path_absolute(object), strlen(path_absolute(object)));
    return text_hash(h, text ? text : "", size);
}

static bool write_fatbin(const char *file, uint64_t id) {
    CucpuFatbin blob = {CUCPU_FATBIN_MAGIC, CUCPU_ABI_VERSION, id};
    if (file_write(file, &blob, sizeof blob)) return true;
    launcher_error("cannot write '%s': %s", file, strerror(errno));
    return false;
}

/* threadIdx and its like in host code: the linker would not say in which line. */
static bool reads_builtins(const char *host) {
    static const char mark[] = CUCPU_DEVICE_ONLY;
    size_t size = 0;
    const char *bitcode = host ? file_read(host, &size) : NULL;
    return bitcode && memmem(bitcode, size, mark, sizeof mark - 1);
}

static int run_compiler(void *context) {
    CompileContext *c = context;
    if (reads_builtins(c->options.host)) {
        vec_add(&c->host_check, "-fsyntax-only");
        vec_add(&c->host_check, "-D__CUCPU_HOST_CHECK__");
        int status = job_command(&c->host_check);
        if (status) return status;
    }
    return cucpu_compile(&c->options, c->input, c->output);
}

/* The name of a report without its suffix: that of the output, or of the source where there are several. */
static const char *report_stem(const Options *o, const char *source) {
    static const char *const suffixes[] = {".o", ".obj", ".s", ".ll", ".so", ".a", ".ptx", ".cubin", ".fatbin"};
    if (!o->output || text_starts(o->output, "/dev/") || !strcmp(o->output, "-") || (source && count_sources(o) > 1))
        return source ? default_output(o, source, "") : "a";
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (text_ends(o->output, suffixes[i])) return text_copy(o->output, strlen(o->output) - strlen(suffixes[i]));
    return o->output;
}

/* source: NULL for a device link. */
static void plan_report(Plan *p, const char *source, CucpuOptions *c) {
    const Options *o = p->o;
    if (!o->report_html && !o->report_json) return;
    ReportFiles *r = text_alloc(sizeof *r);
    const char *stem = report_stem(o, source);
    const char *html = o->report_file ? o->report_file : text_format("%s.html", stem);
    const char *json = o->report_file ? o->report_file : text_format("%s.json", stem);
    if (o->report_html && !(r->html = add_output(p, html, false))) p->no_reports = true;
    if (o->report_json && !(r->json = add_output(p, json, false))) p->no_reports = true;
    c->write_report = report_write;
    c->report_context = r;
}

/* What compiles the bitcode of an object again in the same way; NULL: it is to have none.  PTX is at hand where it is
** loaded; kernels that count, or check, are not checked once more. */
static const char *bitcode_options(const Options *o) {
    const CucpuOptions *c = &o->compiler;
    if (!embeds_bitcode(o)) return NULL;
    const char *text = text_format("-arch=sm_%d --warp-size=%d", o->arch ? o->arch : DEFAULT_ARCH, c->warp_size);
    if (o->device_debug) text = text_format("%s -G", text);
    if (c->simd) text = text_format("%s --simd=%d", text, c->simd);
    if (c->fast_math) text = text_format("%s -use_fast_math", text);
    if (o->fmad == CHOICE_FALSE) text = text_format("%s -fmad=false", text);
    if (c->disable) text = text_format("%s --disable=%s", text, c->disable);
    return text;
}

/* host: bitcode of the host half, or NULL; front: the job that writes it. */
static Job *plan_kernels(Plan *p, const char *source, uint64_t id, const char *in, const char *host, const Job *front,
                         const char *out) {
    Job *j = job_add(&p->jobs, "kernel compiler", source);
    CompileContext *c = text_alloc(sizeof *c);
    c->options = p->o->compiler;
    c->options.source = source;
    c->options.arch = p->o->arch ? p->o->arch : DEFAULT_ARCH;
    c->options.module_id = id;
    c->options.host = host;
    c->options.code_options = bitcode_options(p->o);
    if (host) vec_add_all(&c->host_check, &front->argv);
    c->options.device_library = text_format("%s/device.bc", p->tools.resources);
    plan_report(p, source, &c->options);
    c->input = in;
    c->output = strcmp(out, "/dev/stdout") ? out : "-";
    j->function = run_compiler;
    j->context = c;
    j->to_stdout = strcmp(out, "/dev/stdout") == 0;
    vec_add(&j->argv, "[kernel-compiler]");
    vec_add(&j->argv, text_format("--module-id=0x%016llx", (unsigned long long)id));
    if (host) vec_add(&j->argv, text_format("--host=%s", host));
    vec_add(&j->argv, in);
    vec_add(&j->argv, "-o");
    vec_add(&j->argv, out);
    return j;
}

static void add_overlay(Job *j, const char *overlay) {
    if (!overlay) return;
    vec_add(&j->argv, "-ivfsoverlay");
    vec_add(&j->argv, overlay);
}

/* Templates of the host are read as for both sides: decltype(f(0)) in one, f being for the device.  Names in templates
** are looked up where they are instantiated: members of what is only declared in front of them. */
static const struct Attempt {
    const char *option;
    bool (*helps)(const Spots *spots);
} attempts[] = {{"-foffload-implicit-host-device-templates", refused_for_side},
                {"-fdelayed-template-parsing", refused_as_incomplete}};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

typedef struct ReadAgain {
    OverlayRequest request;
    Spots spots;
    bool helps[ATTEMPTS], trying;
    int next; /* attempt; -1: none so far */
} ReadAgain;

/* One attempt after the other; if none helps, once more without, for the messages. */
static bool try_options(ReadAgain *r, Job *j) {
    bool tried = r->trying;
    for (int k = 0; r->next < 0 && k < ATTEMPTS; k++) r->helps[k] = attempts[k].helps(&r->spots);
    if (r->next < 0) r->next = 0;
    if (r->trying) j->argv.n--;
    while (r->next < ATTEMPTS && !r->helps[r->next]) r->next++;
    r->trying = r->next < ATTEMPTS;
    if (r->trying) vec_add(&j->argv, attempts[r->next++].option);
    return r->trying || tried;
}

/* What nvcc takes was refused: the source is changed.  With -Werror the error stays where what is done about it is a
** warning. */
static bool read_again(Job *j) {
    ReadAgain *r = j->again_context;
    const char *overlay;
    r->spots.changed = false;
    if (r->next >= 0 || !spots_read(&r->spots) || !source_overlay(&r->request, &overlay) || !r->spots.changed)
        return try_options(r, j);
    size_t i = 0;
    while (i < j->argv.n && strcmp(j->argv.v[i], "-ivfsoverlay")) i++;
    if (i < j->argv.n) j->argv.v[i + 1] = overlay;
    else add_overlay(j, overlay);
    return true;
}

/* What clang is to read otherwise than it stands there; false after an error. */
static bool add_changes(Plan *p, Job *j, const char *source, bool device) {
    ReadAgain *r = text_alloc(sizeof *r);
    const char *overlay;
    r->request = (OverlayRequest){source, &p->o->defines, p->o->dryrun, p->o->rdc, device && !p->o->no_warnings, NULL};
    if (!source_overlay(&r->request, &overlay)) return false;
    add_overlay(j, overlay);
    r->next = -1;
    r->request.spots = &r->spots;
    r->spots.device = device, r->spots.werror = p->o->werror;
    r->spots.records = temp_file(path_stem(source), ".refused");
    vec_add(&j->argv, text_format("-fplugin-arg-cucpu-refused=%s", r->spots.records));
    j->again_context = r;
    j->again = read_again;
    return true;
}

/* Instrumentation and the like may depend on how headers are read. */
static void read_headers_once(Plan *p, Job *j) {
    if (!options_are_plain(p->o)) return;
    j->quick = precompiled_run;
    j->quick_context = text_format("%s/include", p->tools.resources);
}

/* NULL after an error. */
static Job *plan_device(Plan *p, const char *source, const char *bitcode, uint64_t id) {
    Job *j = job_add(&p->jobs, "device half", source);
    command_device(&j->argv, &p->tools, p->o, source, bitcode, id);
    read_headers_once(p, j);
    return add_changes(p, j, source, true) ? j : NULL;
}

/* The host half: an object, or, where it is split, bitcode.  NULL after an error. */
static Job *plan_host(Plan *p, const char *source, const char *out, const char *fatbin, uint64_t id) {
    Job *j = job_add(&p->jobs, "host half", source);
    command_host(&j->argv, &p->tools, p->o, source, out, fatbin, id);
    if (!add_changes(p, j, source, false)) return NULL;
    if (host_is_split(p->o)) command_host_front(&j->argv);
    read_headers_once(p, j);
    return j;
}

/* --emit=asm, --emit=llvm, --stop-after: the kernels only. */
static bool plan_text(Plan *p, const char *source, const char *suffix) {
    const char *written = add_output(p, output_of(p->o, source, suffix), false);
    if (!written) return false;
    const char *bitcode = temp_file(path_stem(source), ".device.bc");
    uint64_t id = module_id(p->o, source, "text");
    Job *device = plan_device(p, source, bitcode, id), *front = NULL;
    if (!device) return false;
    const char *host = host_is_split(p->o) ? temp_file(path_stem(source), ".host.bc") : NULL;
    if (host && !(front = plan_host(p, source, host, NULL, id))) return false;
    Job *kernels = plan_kernels(p, source, id, bitcode, host, front, written);
    kernels->needs[0] = device;
    kernels->needs[1] = front;
    if (front) device->twin = front, front->twin = device;
    return plan_rule(p, source, output_of(p->o, source, suffix), front, device);
}

/* Puts kernels, or the bitcode of -rdc, and host code of one file into one object. */
static void plan_merge(Plan *p, const char *source, const char *host, const char *kernels, const char *out,
                       Job *host_job, Job *kernel_job) {
    Job *j = job_add(&p->jobs, "object merge", source);
    command_merge(&j->argv, &p->tools, out);
    vec_add(&j->argv, host);
    vec_add(&j->argv, kernels);
    j->needs[0] = host_job;
    j->needs[1] = kernel_job;
}

static bool plan_cuda(Plan *p, const char *source) {
    const Options *o = p->o;
    const char *stem = path_stem(source);
    const char *object = o->compile_only ? output_of(o, source, ".o") : default_output(o, source, ".o");
    uint64_t id = module_id(o, source, o->output ? o->output : object);
    const char *fatbin = o->rdc ? NULL : temp_file(stem, ".fatbin"), *bitcode = temp_file(stem, ".device.bc");
    const char *host = temp_file(stem, ".host.o"), *kernels = temp_file(stem, ".kernel.o");
    if (fatbin && !o->dryrun && !write_fatbin(fatbin, id)) return false;

    bool split = host_is_split(o);
    const char *front = split ? temp_file(stem, ".host.bc") : NULL;
    Job *device_job = plan_device(p, source, bitcode, id);
    Job *host_job = device_job ? plan_host(p, source, split ? front : host, fatbin, id) : NULL;
    if (!host_job || !plan_side_files(p, host_job, source, object, false) ||
        !plan_side_files(p, device_job, source, object, true))
        return false;
    device_job->twin = host_job;
    host_job->twin = device_job;

    Job *kernel_job = o->rdc ? plan_embed(&p->jobs, &p->tools, source,
                                          side_files_have_coverage(&o->host) ? &o->compiler : NULL, bitcode, kernels)
                             : plan_kernels(p, source, id, bitcode, front, host_job, kernels);
    kernel_job->needs[0] = device_job;
    kernel_job->needs[1] = split ? host_job : NULL;
    if (!plan_rule(p, source, object, host_job, device_job)) return false;
    if (split) {
        Job *back = job_add(&p->jobs, "host code generator", source);
        command_host_back(&back->argv, &p->tools, o, front, host);
        back->needs[0] = host_job;
        host_job = back;
    }
    host_job->after = register_first;
    host_job->made = host;
    if (!o->compile_only && !o->make_library) {
        vec_add(&p->objects, host);
        vec_add(&p->objects, kernels);
        return true;
    }
    const char *merged = o->compile_only ? add_output(p, object, false) : temp_file(stem, ".o");
    if (!merged) return false;
    plan_merge(p, source, host, kernels, merged, host_job, kernel_job);
    vec_add(&p->objects, merged);
    return true;
}

/* --device-only: for modules that are loaded while a program runs. */
static bool plan_device_only(Plan *p, const char *source) {
    const Options *o = p->o;
    const char *bitcode = temp_file(path_stem(source), ".device.bc");
    const char *written =
        o->compile_only ? add_output(p, output_of(o, source, ".o"), false) : temp_file(path_stem(source), ".o");
    uint64_t id = module_id(o, source, o->output ? o->output : "device");
    Job *device = written ? plan_device(p, source, bitcode, id) : NULL;
    if (!device) return false;
    plan_kernels(p, source, id, bitcode, NULL, NULL, written)->needs[0] = device;
    vec_add(&p->objects, written);
    return plan_rule(p, source, default_output(o, source, ".o"), NULL, device);
}

static bool plan_plain(Plan *p, const Item *item) {
    const Options *o = p->o;
    const char *object = o->compile_only ? output_of(o, item->text, ".o") : default_output(o, item->text, ".o");
    const char *written = o->compile_only ? add_output(p, object, false) : temp_file(path_stem(item->text), ".o");
    if (!written) return false;
    Job *j = job_add(&p->jobs, "compiler", item->text);
    command_plain(&j->argv, &p->tools, o, item->kind, item->text, written);
    vec_add(&p->objects, written);
    return plan_side_files(p, j, item->text, object, false) && plan_rule(p, item->text, object, j, NULL);
}

/* The static library that "-lname" or "-l:file" means, as far as -L and LIBRARY_PATH tell: it may have device code. */
static const char *archive_in(const char *directory, const char *name) {
    const char *file =
        *name == ':' ? text_format("%s/%s", directory, name + 1) : text_format("%s/lib%s.a", directory, name);
    return file_exists(file) ? file : NULL;
}

static const char *find_archive(const Options *o, const char *name) {
    const char *file, *path = getenv("LIBRARY_PATH");
    StrVec directories = {0};
    for (size_t i = 0; i < o->linker.n; i++)
        if (text_starts(o->linker.v[i], "-L") && (file = archive_in(o->linker.v[i] + 2, name)) != NULL) return file;
    if (path) vec_split(&directories, path, ":");
    for (size_t i = 0; i < directories.n; i++)
        if ((file = archive_in(directories.v[i], name)) != NULL) return file;
    return NULL;
}

/* ---- files for cuModuleLoad ---- */

typedef struct ImageContext {
    const char *library, *output;
    int arch;
} ImageContext;

static int write_image(void *context) {
    const ImageContext *c = context;
    size_t size = 0;
    const char *bytes = file_read(c->library, &size);
    char *text = bytes ? rt_make_image(bytes, size, c->arch) : NULL;
    bool good = text && file_write(c->output, text, strlen(text));
    free(text);
    if (good) return CUCPU_OK;
    launcher_error("cannot write '%s': %s", c->output, strerror(errno));
    return CUCPU_ERROR;
}

/* -ptx and its like: the kernels as a shared object in the form that NVRTC has, too (cpu-runtime/module/image.c). */
static bool plan_image(Plan *p, const Item *item) {
    Options *o = p->o;
    bool ptx = item->kind == ITEM_PTX;
    const char *source = item->text, *stem = path_stem(source),
               *written = add_output(p, output_of(o, source, o->image), false);
    const char *bitcode = ptx ? source : temp_file(stem, ".device.bc"), *object = temp_file(stem, ".o");
    uint64_t id = module_id(o, source, o->output ? o->output : "image");
    Job *device = written && !ptx ? plan_device(p, source, bitcode, id) : NULL;
    if (!written || (!ptx && !device)) return false;
    Job *kernels = plan_kernels(p, source, id, bitcode, NULL, NULL, object);
    kernels->needs[0] = device;
    ImageContext *c = text_alloc(sizeof *c);
    *c = (ImageContext){temp_file(stem, ".so"), written, o->arch ? o->arch : DEFAULT_ARCH};
    StrVec objects = {0};
    vec_add(&objects, object);
    Job *link = job_add(&p->jobs, "link", source);
    o->shared = true;
    command_link(&link->argv, &p->tools, o, &objects, c->library);
    link->needs[0] = kernels;
    Job *j = job_add(&p->jobs, "image", source);
    j->function = write_image;
    j->context = c;
    j->needs[0] = link;
    vec_add(&j->argv, "[image]");
    vec_add(&j->argv, c->library);
    vec_add(&j->argv, "-o");
    vec_add(&j->argv, written);
    return plan_rule(p, source, output_of(o, source, o->image), NULL, device);
}

/* PTX, or bitcode, goes to the kernel compiler as it is. */
static bool plan_kernels_only(Plan *p, const char *source, uint64_t id) {
    const Options *o = p->o;
    const char *emit = o->compiler.emit, *suffix = ".ll";
    bool text = o->compiler.stop_after || (emit && strcmp(emit, "obj"));
    if (emit && !strcmp(emit, "asm")) suffix = ".s";
    if (!text) suffix = ".o";
    const char *written = text || o->compile_only ? add_output(p, output_of(o, source, suffix), false)
                                                  : temp_file(path_stem(source), ".o");
    if (!written) return false;
    plan_kernels(p, source, id, source, NULL, NULL, written);
    if (!text) vec_add(&p->objects, written);
    return plan_rule(p, source, default_output(o, source, ".o"), NULL, NULL);
}

/* A damaged file is no text whose first line LLVM should print. */
static bool plan_bitcode(Plan *p, const char *source) {
    size_t size = 0;
    const char *bytes = file_read(source, &size);
    if (bytes && size > 4 && (!memcmp(bytes, "BC\xc0\xde", 4) || !memcmp(bytes, "\x28\xb5\x2f\xfd", 4)))
        return plan_kernels_only(p, source, module_id(p->o, source, "bitcode"));
    launcher_error("'%s' is no bitcode", source);
    return false;
}

/* The module's id is a hash of the text: cuModuleLoad of the same text finds the module in the program
** (cpu-runtime/module/module.c). */
static bool plan_ptx(Plan *p, const char *source) {
    size_t size = 0;
    const char *text = file_read(source, &size);
    if (!text) {
        launcher_error("cannot read '%s'", source);
        return false;
    }
    if (rt_is_image(text)) {
        launcher_error("'%s' was made by -ptx or its like: it is for cuModuleLoad; compile its source", source);
        return false;
    }
    return plan_kernels_only(p, source, text_hash(CUCPU_PTX_SEED, text, strnlen(text, size)));
}

static bool plan_syntax(Plan *p, const char *source) {
    Job *j = plan_device(p, source, "/dev/null", 0);
    if (j) vec_add(&j->argv, "-fsyntax-only");
    return j != NULL;
}

static bool text_only(const Options *o) {
    return o->preprocess || o->device_syntax || o->dependencies || o->dependencies_user || o->compiler.stop_after ||
           (o->compiler.emit && strcmp(o->compiler.emit, "obj") != 0);
}

static bool plan_item(Plan *p, const Item *item) {
    const Options *o = p->o;
    bool source = item->kind != ITEM_LINK && item->kind != ITEM_BITCODE;
    if ((item->kind == ITEM_PTX || item->kind == ITEM_BITCODE) && o->preprocess) return true;
    if (o->image && !text_only(o) && (item->kind == ITEM_PTX || item->kind == ITEM_CUDA)) return plan_image(p, item);
    if (o->image && !text_only(o)) {
        launcher_error("'%s' has no kernels for '-%s'", item->text, o->image + 1);
        return false;
    }
    if (source && (o->preprocess || o->dependencies || o->dependencies_user)) return plan_preprocess(p, item);
    if (item->kind == ITEM_PTX) return plan_ptx(p, item->text);
    if (item->kind == ITEM_BITCODE) return plan_bitcode(p, item->text);
    if (item->kind == ITEM_CUDA && o->compiler.stop_after) return plan_text(p, item->text, ".ll");
    if (item->kind == ITEM_CUDA && o->compiler.emit && strcmp(o->compiler.emit, "obj"))
        return plan_text(p, item->text, strcmp(o->compiler.emit, "asm") ? ".ll" : ".s");
    if (item->kind == ITEM_CUDA && o->device_syntax) return plan_syntax(p, item->text);
    if (item->kind == ITEM_CUDA && o->device_only) return plan_device_only(p, item->text);
    if (item->kind == ITEM_CUDA) return plan_cuda(p, item->text);
    if (source) return plan_plain(p, item);
    vec_add(&p->objects, item->text);
    const char *file = item->is_file ? item->text : find_archive(o, item->text + 2);
    int embedded = file && !o->make_library ? embed_contents(file) : 0;
    if (embedded < 0) {
        struct stat st;
        bool directory = stat(file, &st) == 0 && S_ISDIR(st.st_mode);
        launcher_error("cannot read '%s': %s", file, directory ? "it is a directory" : "the file is damaged");
        return false;
    }
    p->embedded |= embedded;
    return true;
}

/* ---- the end of the line ---- */

static bool plan_archive(Plan *p) {
    const char *written = add_output(p, p->o->output ? p->o->output : "a.a", false);
    if (!written) return false;
    Job *j = job_add(&p->jobs, "archiver", "library");
    command_archive(&j->argv, &p->tools, written);
    for (size_t i = 0; i < p->objects.n; i++)
        if (p->objects.v[i][0] != '-') vec_add(&j->argv, p->objects.v[i]);
    j->needs_all = true;
    return true;
}

static void plan_device_linking(Plan *p, const char *out) {
    DeviceLink *d = text_alloc(sizeof *d);
    *d = (DeviceLink){.options = p->o->compiler,
                      .tools = &p->tools,
                      .bitcode = temp_file("device-link", ".bc"),
                      .kernels = temp_file("device-link", ".kernel.o"),
                      .registration = temp_file("device-link", ".register.o"),
                      .symbols = temp_file("device-link", ".symbols.s"),
                      .output = out};
    d->options.arch = p->o->arch ? p->o->arch : DEFAULT_ARCH;
    d->options.source = "device link";
    d->options.code_options = bitcode_options(p->o);
    const char *path = path_absolute(p->o->output ? p->o->output : out);
    d->options.module_id = text_hash(p->o->words_hash, path, strlen(path));
    d->options.device_library = text_format("%s/device.bc", p->tools.resources);
    plan_report(p, NULL, &d->options);
    for (size_t i = 0; i < p->objects.n; i++) {
        const char *s = p->objects.v[i];
        if (text_starts(s, "-l")) s = find_archive(p->o, s + 2);
        if (s) vec_add(&d->objects, s);
    }
    Job *j = job_add(&p->jobs, "device link", "relocatable device code");
    j->function = device_link_run;
    j->context = d;
    j->needs_all = true;
    vec_add(&j->argv, "[device-link]");
    vec_add_all(&j->argv, &d->objects);
    vec_add(&j->argv, "-o");
    vec_add(&j->argv, out);
}

static bool plan_device_link_only(Plan *p) {
    const char *written = add_output(p, p->o->output ? p->o->output : "a_dlink.o", false);
    if (!written) return false;
    plan_device_linking(p, written);
    return true;
}

static bool plan_link(Plan *p) {
    const Options *o = p->o;
    const char *written = o->run ? temp_file("program", ".run") : add_output(p, o->output ? o->output : "a.out", true);
    if (!written) return false;
    if (p->embedded == EMBED_CODE && !o->no_device_link) {
        const char *kernels = temp_file("device-link", ".o");
        plan_device_linking(p, kernels);
        vec_add(&p->objects, kernels);
    }
    Job *j = job_add(&p->jobs, "link", o->output ? o->output : "a.out");
    command_link(&j->argv, &p->tools, o, &p->objects, written);
    j->needs_all = true;
    p->program = written;
    return true;
}

/* ---- the whole ---- */

/* Text goes to the linker too: it may be one of its scripts. */
static bool is_linkable(const char *path) {
    unsigned char head[64];
    struct stat st;
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!f) return true; /* the linker's message is better */
    size_t n = fread(head, 1, sizeof head, f), text = 0;
    fclose(f);
    for (size_t i = 0; i < n; i++) text += isprint(head[i]) || isspace(head[i]);
    bool library = text_ends(path, ".so") || strstr(path_base(path), ".so.");
    return n > 7 && (!memcmp(head, "\177ELF", 4) || !memcmp(head, "!<arch>\n", 8) || !memcmp(head, "!<thin>\n", 8) ||
                     !memcmp(head, "BC\300\336", 4) || (text == n && (library || text_ends(path, ".a"))));
}

static bool check(const Options *o) {
    size_t sources = count_sources(o), files = 0;
    for (size_t i = 0; i < o->nitems; i++) {
        const Item *item = &o->items[i];
        files += item->is_file;
        if (item->is_file && strcmp(item->text, "-") && access(item->text, R_OK) != 0) {
            if (errno == ENOENT || errno == ENOTDIR) launcher_error("no such file: '%s'", item->text);
            else launcher_error("cannot read '%s': %s", item->text, strerror(errno));
            return false;
        }
        if (item->is_file && item->kind == ITEM_LINK && !is_linkable(item->text)) {
            launcher_error("'%s' is no object file, archive or shared library", item->text);
            return false;
        }
    }
    if (!files) {
        launcher_error("no input files");
        return false;
    }
    if (o->report_file && o->report_html == o->report_json) {
        launcher_error("'--report-file' needs --report=html or --report=json, one of them");
        return false;
    }
    if (o->report_file && sources > 1 && !o->rdc) {
        launcher_error("'--report-file' names one file, but there are %zu inputs to compile", sources);
        return false;
    }
    if (o->compiler.profile && o->compiler.check) {
        launcher_error("'--profile=%s' and '--check=%s' exclude each other", o->compiler.profile, o->compiler.check);
        return false;
    }
    if ((o->compile_only || text_only(o)) && o->output && sources > 1 && !o->dependencies && !o->dependencies_user) {
        launcher_error("'-o %s' names one output, but there are %zu inputs to compile", o->output, sources);
        return false;
    }
    if (o->output && !strcmp(o->output, "-") && !text_only(o)) {
        launcher_error("'-o -': only text goes to standard output");
        return false;
    }
    if (o->compile_only && !sources) {
        launcher_error("nothing to compile: '-c' needs a source file");
        return false;
    }
    return true;
}

static void settle(Options *o, Toolchain *tools) {
    o->compiler.fast_math = o->fast_math;
    o->compiler.no_contract = o->fmad == CHOICE_FALSE;
    o->compiler.werror = o->werror;
    o->compiler.no_warnings = o->no_warnings;
    bool by_thread = o->device_debug && !o->optimized_debug;
    if (by_thread) o->compiler.opt_level = 0;
    if (by_thread && !o->simd_given) o->compiler.simd = 1; /* a debugger stops in one thread */
    if (o->threads == 0) o->threads = cpus();
    if (o->threads < 2) o->threads = 2; /* the two halves of one file */
    o->compiler.join = join_objects, o->compiler.join_context = tools;
    if (!o->compiler.jobs) o->compiler.jobs = o->threads;
}

static bool plan(Plan *p) {
    Options *o = p->o;
    for (size_t i = 0; i < o->nitems; i++)
        if (!plan_item(p, &o->items[i])) return false;
    for (size_t i = 0; o->rdc && i < o->nitems; i++)
        if (o->items[i].kind == ITEM_CUDA) p->embedded |= EMBED_CODE;
    if (text_only(o) || o->compile_only) return true;
    if (o->make_library) return plan_archive(p);
    return o->device_link ? plan_device_link_only(p) : plan_link(p);
}

/* CMake reads these lines of -v: what nvcc prints about itself, with the default of -arch, and, as the
** last command that mentions the libraries, the one to link with.  The toolkit is our lib/cucpu. */
static void print_for_build_systems(const Plan *p, bool before) {
    const char *prefix = path_directory(path_directory(p->tools.resources));
    if (before)
        fprintf(stderr,
                "#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/cuda/nvvm/libdevice\n#$ LIBRARIES=-L%s\n"
                "#$ INCLUDES=\"-I%s/include\"\n#$ ARCHITECTURE=-arch compute_%d\n",
                p->tools.resources, p->tools.resources, p->tools.resources, p->tools.resources,
                p->o->arch ? p->o->arch : DEFAULT_ARCH);
    else if (p->program)
        fprintf(stderr,
                "%s/bin/ld -L%s -l-Wl,-rpath,%s\n" /* what C++ linkers must add for CUDA objects */
                "#$ %s/bin/cucpu -o %s -L%s -lcudart\n",
                prefix, p->tools.resources, p->tools.resources, prefix, p->o->output ? p->o->output : "a.out",
                p->tools.resources);
}

static int run_program(const Options *o, const char *program) {
    JobList one = {0};
    Job *j = job_add(&one, "program", program);
    vec_add(&j->argv, path_absolute(program));
    vec_add_all(&j->argv, &o->run_arguments);
    j->is_program = true;
    return jobs_run(&one, 1, o->verbose);
}

/* Both halves read the source: that of "-" becomes a file, which calls itself <stdin>. */
static bool read_standard_input(Options *o) {
    for (size_t i = 0; i < o->nitems; i++) {
        Item *item = &o->items[i];
        if (!item->is_file || strcmp(item->text, "-")) continue;
        size_t size;
        const char *text = file_read("/dev/stdin", &size), *name = temp_file("stdin", ".cu");
        FILE *f = text ? fopen(name, "wb") : NULL;
        if (f) fprintf(f, "# 1 \"<stdin>\"\n");
        bool good = f && fwrite(text, 1, size, f) == size;
        if (f) good &= fclose(f) == 0;
        if (!good) {
            launcher_error("cannot read standard input: %s", strerror(errno));
            return false;
        }
        item->text = name;
        vec_add(&o->defines, "-iquote"); /* its headers are here */
        vec_add(&o->defines, ".");
    }
    return true;
}

int driver_run(Options *o) {
    static Plan p;
    p.o = o;
    if (!toolchain_find(&p.tools)) return CUCPU_ERROR;
    if (o->dryrun || o->verbose) print_for_build_systems(&p, true);
    if (o->output && !strcmp(o->output, "/dev/stdout")) o->output = "-"; /* linkers would replace it by a file */
    if (!check(o)) return CUCPU_ERROR;
    settle(o, &p.tools);
    const char *keep = o->keep_directory ? o->keep_directory : o->keep ? "." : NULL;
    if (!temp_open(keep)) return CUCPU_ERROR;
    if (!o->dryrun && !read_standard_input(o)) return CUCPU_ERROR;
    if (!plan(&p) || p.no_reports) return CUCPU_ERROR;
    if (o->dryrun) jobs_print(&p.jobs);
    if (o->clean && !o->dryrun) return remove_outputs(&p);
    int status = o->dryrun ? 0 : jobs_run(&p.jobs, o->threads, o->verbose);
    if (o->dryrun || o->verbose) print_for_build_systems(&p, false);
    if (o->dryrun) return CUCPU_OK;
    if (o->time_file && !jobs_write_times(&p.jobs, o->time_file)) status = CUCPU_ERROR;
    if (status == 0 && !commit_outputs(&p)) status = CUCPU_ERROR;
    if (status == 0 && o->run && p.program) status = run_program(o, p.program);
    return status;
}
