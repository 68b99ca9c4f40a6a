/* toolchain.c: finds clang and our own files, and writes the command lines of all stages.
**
** Our files are found from the place of the executable, so that the build tree and an installed
** tree work alike and may be moved.  clang is the one that the build found; CUCPU_CLANG in the
** environment goes first, clang-22 on PATH last.
**
** Both halves get a fake toolkit (--cuda-path), which makes clang independent of a real one on
** the machine.  The device half is always compiled for an architecture that has every builtin,
** and __CUDA_ARCH__ is what the user asked for: on a CPU nothing else depends on it. */
#define _GNU_SOURCE
#include "launcher/toolchain.h"
#include "launcher/jobs.h"
#include "launcher/side_files.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CUCPU_CLANG
#define CUCPU_CLANG "/usr/lib/llvm-22/bin/clang"
#endif
enum { FRONT_ARCH = 90, LAST_FRONT_ARCH = 121 };

/* ---- finding ---- */

static const char *on_path(const char *name) {
    const char *path = getenv("PATH");
    StrVec dirs = {0};
    if (path) vec_split(&dirs, path, ":");
    for (size_t i = 0; i < dirs.n; i++) {
        const char *file = text_format("%s/%s", dirs.v[i], name);
        if (access(file, X_OK) == 0) return file;
    }
    return NULL;
}

const char *toolchain_tool(const Toolchain *t, const char *name) {
    const char *file = text_format("%s/%s", t->tools, name);
    if (access(file, X_OK) == 0) return file;
    file = on_path(text_format("%s-22", name));
    return file ? file : NULL;
}

static bool find_clang(Toolchain *t) {
    const char *wanted = getenv("CUCPU_CLANG");
    if (wanted && *wanted) {
        t->clang = strchr(wanted, '/') ? wanted : on_path(wanted);
        if (!t->clang || access(t->clang, X_OK) != 0) {
            launcher_error("CUCPU_CLANG names no program: '%s'", wanted);
            return false;
        }
    } else {
        t->clang = access(CUCPU_CLANG, X_OK) == 0 ? CUCPU_CLANG : on_path("clang-22");
    }
    if (!t->clang) {
        launcher_error("clang 22 not found: install it or set CUCPU_CLANG");
        return false;
    }
    char *real = realpath(t->clang, NULL);
    t->tools = text_copy(path_directory(real ? real : t->clang), strlen(path_directory(real ? real : t->clang)));
    free(real);
    return true;
}

bool toolchain_find(Toolchain *t) {
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    const char *prefix = path_directory(path_directory(n > 0 ? text_copy(exe, (size_t)n) : "./x"));
    *t = (Toolchain){.resources = text_format("%s/lib/cucpu", prefix),
                     .colours = isatty(STDERR_FILENO) && !getenv("NO_COLOR")};
    static const char *const needed[] = {"include/cuda_runtime.h", "cuda",      "libcudart.so.12", "libcudart.so",
                                         "libcudart_static.a",     "device.bc", "clang-plugin.so"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const char *file = text_format("%s/%s", t->resources, needed[i]);
        if (file_exists(file)) continue;
        launcher_error("incomplete installation: '%s' is missing", file);
        return false;
    }
    if (!find_clang(t)) return false;
    const char *lld = toolchain_tool(t, "ld.lld");
    t->lld = lld != NULL;
    t->linker = lld ? lld : on_path("ld");
    const char *ar = toolchain_tool(t, "llvm-ar");
    t->archiver = ar ? ar : on_path("ar");
    if (t->linker && t->archiver) return true;
    launcher_error("no linker or archiver found: install lld-22 or binutils");
    return false;
}

/* ---- parts of command lines ---- */

static void add(StrVec *argv, const char *first, ...) __attribute__((sentinel));
#include <stdarg.h>
static void add(StrVec *argv, const char *first, ...) {
    va_list ap;
    va_start(ap, first);
    for (const char *s = first; s; s = va_arg(ap, const char *)) vec_add(argv, s);
    va_end(ap);
}

/* C and C++ standards do not mix: a build that sets one for all its files means the other. */
static void add_standard(StrVec *argv, const Options *o, ItemKind kind) {
    if (!o->standard) return;
    bool plus = strstr(o->standard, "++") != NULL;
    const char *standard = o->standard; /* our headers are C++11 */
    if (kind == ITEM_CUDA && (!strcmp(standard, "c++03") || !strcmp(standard, "c++98"))) standard = "c++11";
    if (plus == (kind != ITEM_C)) vec_add(argv, text_format("-std=%s", standard));
}

static void add_common(StrVec *argv, const Toolchain *t, const Options *o, ItemKind kind) {
    vec_add(argv, t->colours ? "-fcolor-diagnostics" : "-fno-color-diagnostics");
    add(argv, "-Qunused-arguments", "-Wno-unknown-warning-option", NULL);
    /* for nvcc and its host compiler these are warnings */
    add(argv, "-Wno-error=reserved-user-defined-literal", "-Wno-error=c++11-narrowing",
        "-Wno-error=c++11-narrowing-const-reference", "-Wno-error=register",
        "-Wno-error=missing-template-arg-list-after-template-kw", NULL);
    add_standard(argv, o, kind);
    vec_add_all(argv, &o->defines);
    vec_add_all(argv, &o->both);
    add(argv, "-isystem", text_format("%s/include", t->resources), NULL);
    if (o->no_warnings) vec_add(argv, "-w");
    if (o->werror) vec_add(argv, "-Werror");
}

static void add_cuda(StrVec *argv, const Toolchain *t, const Options *o, uint64_t id) {
    int arch = o->arch ? o->arch : DEFAULT_ARCH;
    int front = arch < FRONT_ARCH ? FRONT_ARCH : arch;
    if (front != 90 && front != 100 && front != 101 && front != 103 && front != 110 && front != 120 &&
        front != LAST_FRONT_ARCH)
        front = FRONT_ARCH;
    add(argv, "-x", "cuda", text_format("--cuda-path=%s/cuda", t->resources), "-nogpuinc", "-Xclang",
        "-target-sdk-version=12.8", text_format("--cuda-gpu-arch=sm_%d", front), "-Wno-unknown-cuda-version",
        "-Wno-cuda-compat", "-Wno-non-c-typedef-for-linkage", "-Wno-deprecated-attributes", "-include",
        "cuda_runtime.h", NULL); /* the last: __host__ __device__ on deduction guides */
    add(argv, "-D__CUDACC__=1", "-D__NVCC__=1", "-D__CUCPU__=1", "-D__CUDACC_VER_MAJOR__=12",
        "-D__CUDACC_VER_MINOR__=8", "-D__CUDACC_VER_BUILD__=0", "-D__CUDA_API_VER_MAJOR__=12",
        "-D__CUDA_API_VER_MINOR__=8", "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1", NULL);
    vec_add(argv, "-U__CUDA_ARCH_LIST__");
    vec_add(argv, text_format("-D__CUDA_ARCH_LIST__=%d", arch * 10));
    vec_add(argv, text_format("-D__CUCPU_WARP_SIZE__=%d", o->compiler.warp_size));
    if (o->extended_lambda) vec_add(argv, "-D__CUDACC_EXTENDED_LAMBDA__=1");
    if (o->relaxed_constexpr) vec_add(argv, "-D__CUDACC_RELAXED_CONSTEXPR__=1");
    if (o->rdc) /* the id makes the names of static kernels and variables unique */
        add(argv, "-fgpu-rdc", text_format("-cuid=%016llx", (unsigned long long)id), "-D__CUDACC_RDC__=1", NULL);
    if (o->device_debug) vec_add(argv, "-D__CUDACC_DEBUG__=1");
    if (o->fast_math) vec_add(argv, "-D__USE_FAST_MATH__=1");
    if (o->per_thread_stream) /* clang's driver would hand it on for HIP only */
        add(argv, "-Xclang", "-fgpu-default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", NULL);
    vec_add(argv, text_format("-fplugin=%s/clang-plugin.so", t->resources));
    if (o->werror_cross_calls) vec_add(argv, "-fplugin-arg-cucpu-cross-calls=error");
}

static bool asks_for_sanitizer(const StrVec *host) {
    for (size_t i = 0; i < host->n; i++)
        if (text_starts(host->v[i], "-fsanitize")) return true;
    return false;
}

/* Random number generators of many programs count on signed numbers that wrap, as they do with
** nvcc's host compiler; -fwrapv would switch the check for it off. */
static void add_host_code(StrVec *argv, const Options *o) {
    const char *level = o->host_level;
    if (!level) level = o->debug || o->device_debug ? "0" : "2";
    vec_add(argv, text_format("-O%s", level));
    if (o->debug || o->device_debug) vec_add(argv, "-g");
    if (!o->host_level) vec_add(argv, "-fno-strict-aliasing"); /* without a level nvcc does not optimise */
    if (!asks_for_sanitizer(&o->host)) vec_add(argv, "-fwrapv");
    if (o->shared) vec_add(argv, "-fPIC");
    vec_add_all(argv, &o->host);
}

static bool chosen(int choice, bool otherwise) { return choice == CHOICE_NONE ? otherwise : choice == CHOICE_TRUE; }

/* What -use_fast_math stands for, and each part alone.  Not -ffast-math: NaN and infinity keep
** their meaning in CUDA. */
static void add_device_math(StrVec *argv, const Options *o) {
    if (chosen(o->ftz, o->fast_math)) add(argv, "-fgpu-flush-denormals-to-zero", "-D__CUCPU_FTZ__=1", NULL);
    if (!chosen(o->precise_div, !o->fast_math)) vec_add(argv, "-freciprocal-math");
    if (o->fast_math) add(argv, "-fapprox-func", "-fgpu-approx-transcendentals", NULL);
    vec_add(argv, chosen(o->fmad, true) ? "-ffp-contract=fast" : "-ffp-contract=off");
}

/* Options for the host compiler that change what the source text means.  OpenMP is for the host
** alone: the device half sees only its macro, of the last version whose omp.h needs no pragmas. */
static void add_meaning_of_host_options(StrVec *argv, const StrVec *host) {
    for (size_t i = 0; i < host->n; i++) {
        const char *s = host->v[i];
        if (text_starts(s, "-D") || text_starts(s, "-U") || text_starts(s, "-std=") ||
            text_starts(s, "-fno-exceptions") || text_starts(s, "-fms-") || text_starts(s, "-funsigned-char"))
            vec_add(argv, s);
        if (text_starts(s, "-fopenmp")) vec_add(argv, "-D_OPENMP=201511");
    }
}

/* Source-based coverage: clang's driver knows these for the host alone. */
static void add_coverage(StrVec *argv, const StrVec *host) {
    bool counts = false, maps = false;
    for (size_t i = 0; i < host->n; i++) {
        if (text_starts(host->v[i], "-fprofile-instr-generate")) counts = true;
        if (!strcmp(host->v[i], "-fcoverage-mapping")) maps = true;
    }
    if (counts) add(argv, "-Xclang", "-fprofile-instrument=clang", NULL);
    if (counts && maps)
        add(argv, "-Xclang", "-fcoverage-mapping", "-Xclang",
            text_format("-fcoverage-compilation-dir=%s", path_directory(path_absolute("a"))), NULL);
}

static const char *dwarf_version(const StrVec *host) {
    const char *version = "5";
    for (size_t i = 0; i < host->n; i++)
        if (text_starts(host->v[i], "-gdwarf-")) version = host->v[i] + strlen("-gdwarf-");
    return version;
}

/* ---- stages ---- */

/* Not with coverage: the file of its counts would be written twice. */
bool embeds_bitcode(const Options *o) {
    const CucpuOptions *c = &o->compiler;
    bool text = c->stop_after || (c->emit && strcmp(c->emit, "obj"));
    return o->embed_bitcode != CHOICE_FALSE && !text && !c->check && !c->profile && !side_files_have_coverage(&o->host);
}

/* What nvcc defines, for the device half only, where -arch names the features of one GPU or of a family. */
static void add_arch_features(StrVec *argv, int arch, char features) {
    if (!features) return;
    if (features == 'a') {
        vec_add(argv, text_format("-D__CUDA_ARCH_FEAT_SM%d_ALL", arch));
        vec_add(argv, text_format("-D__CUDA_ARCH_SPECIFIC__=%d", arch * 10));
    }
    vec_add(argv, text_format("-D__CUDA_ARCH_FAMILY_SPECIFIC__=%d", arch * 10));
}

/* Code as the front end makes it: the kernel compiler has its own pass chain.  Line tables are
** always wanted: messages and remarks name source lines. */
void command_device(StrVec *argv, const Toolchain *t, const Options *o, const char *in, const char *out, uint64_t id) {
    int arch = o->arch ? o->arch : DEFAULT_ARCH;
    vec_add(argv, t->clang);
    add_cuda(argv, t, o, id);
    /* -fcheck-new: operator new gives NULL where the heap is too small */
    add(argv, "--cuda-device-only", "-nogpulib", "-U__CUDA_ARCH__", text_format("-D__CUDA_ARCH__=%d", arch * 10), "-O2",
        "-fcheck-new", "-Xclang", "-disable-llvm-passes", NULL);
    add_arch_features(argv, arch, o->arch_features);
    add_common(argv, t, o, ITEM_CUDA);
    add_device_math(argv, o);
    add_meaning_of_host_options(argv, &o->host);
    add_coverage(argv, &o->host);
    add(argv, "-Wno-unknown-pragmas", "-Wno-source-uses-openmp", NULL); /* the host half's affair */
    add(argv, "-Xclang", o->device_debug ? "-debug-info-kind=limited" : "-debug-info-kind=line-tables-only", "-Xclang",
        text_format("-dwarf-version=%s", dwarf_version(&o->host)), "-emit-llvm", "-c", in, "-o", out, NULL);
}

void command_host(StrVec *argv, const Toolchain *t, const Options *o, const char *in, const char *out,
                  const char *fatbin, uint64_t id) {
    vec_add(argv, t->clang);
    add_cuda(argv, t, o, id);
    vec_add(argv, "--cuda-host-only");
    add_common(argv, t, o, ITEM_CUDA);
    add_host_code(argv, o);
    vec_add(argv, "-Wno-unknown-pragmas"); /* -Wall of the host compiler: it would not see nvcc's own */
    if (fatbin) add(argv, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin, NULL);
    add(argv, "-c", in, "-o", out, NULL);
}

bool options_are_plain(const Options *o) {
    static const char *const known[] = {"-I",
                                        "-D",
                                        "-U",
                                        "-W",
                                        "-w",
                                        "-isystem",
                                        "-iquote",
                                        "-include",
                                        "-std=",
                                        "-g",
                                        "-O",
                                        "-m",
                                        "-pthread",
                                        "-pedantic",
                                        "-ansi",
                                        "-fopenmp",
                                        "-fPIC",
                                        "-fpic",
                                        "-fPIE",
                                        "-fpie",
                                        "-fvisibility",
                                        "-fno-",
                                        "-fexceptions",
                                        "-frtti",
                                        "-fsigned-char",
                                        "-funsigned-char",
                                        "-ffast-math",
                                        "-fstrict",
                                        "-fwrapv",
                                        "-funroll",
                                        "-fomit",
                                        "-ffp-",
                                        "-fpermissive"};
    StrVec all = {0};
    vec_add_all(&all, &o->both);
    vec_add_all(&all, &o->host);
    for (size_t i = 0; i < all.n; i++) {
        bool ok = all.v[i][0] != '-'; /* of the option before it */
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) ok |= text_starts(all.v[i], known[k]);
        if (!ok || text_starts(all.v[i], "-fno-sanitize") || text_starts(all.v[i], "-gsplit")) return false;
    }
    return true;
}

/* Instrumentation and the like may act in both steps, or not at all: then there is one. */
bool host_is_split(const Options *o) { return options_are_plain(o) && !o->rdc; }

/* ... -c in -o out  becomes the front end's part of it. */
void command_host_front(StrVec *argv) { add(argv, "-emit-llvm", "-Xclang", "-disable-llvm-passes", NULL); }

void command_host_back(StrVec *argv, const Toolchain *t, const Options *o, const char *in, const char *out) {
    add(argv, t->clang, "-Qunused-arguments", "-Wno-unknown-warning-option", "-x", "ir", NULL);
    vec_add(argv, t->colours ? "-fcolor-diagnostics" : "-fno-color-diagnostics");
    if (o->no_warnings) vec_add(argv, "-w");
    vec_add_all(argv, &o->both);
    add_host_code(argv, o);
    add(argv, "-c", in, "-o", out, NULL);
}

void command_plain(StrVec *argv, const Toolchain *t, const Options *o, ItemKind kind, const char *in, const char *out) {
    add(argv, t->clang, "-x", kind == ITEM_C ? "c" : "c++", NULL);
    add_common(argv, t, o, kind);
    add_host_code(argv, o);
    add(argv, "-c", in, "-o", out, NULL);
}

/* What -Xcompiler says about the text of -E. */
static void add_text_options(StrVec *argv, const StrVec *host) {
    static const char *const options[] = {"-P", "-C", "-CC", "-dM", "-dD", "-dN", "-dI", "-traditional-cpp"};
    for (size_t i = 0; i < host->n; i++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (!strcmp(host->v[i], options[k])) vec_add(argv, options[k]);
}

void command_preprocess(StrVec *argv, const Options *o, const char *out, bool device) {
    argv->n -= 4; /* -c in -o out */
    const char *in = argv->v[argv->n + 1];
    if (device && o->preprocess) add_text_options(argv, &o->host);
    if (o->preprocess) vec_add(argv, "-E");
    else add(argv, o->dependencies_user ? "-MM" : "-M", "-MT", "x", NULL);
    add(argv, in, "-o", out, NULL);
}

void command_dependencies(StrVec *argv, const Options *o, const char *file) {
    add(argv, o->write_dependencies ? "-MD" : "-MMD", "-MF", file, "-MT", "x", NULL);
}

void command_merge(StrVec *argv, const Toolchain *t, const char *out) { add(argv, t->linker, "-r", "-o", out, NULL); }

bool join_objects(void *toolchain, const char *const *objects, int n, const char *out) {
    StrVec argv = {0};
    command_merge(&argv, toolchain, out);
    for (int i = 0; i < n; i++) vec_add(&argv, objects[i]);
    return job_command(&argv) == 0;
}

/* libcudart_static.a is a script of the linker: the runtime, and SLEEF where kernels call it; libcudart.so would load
** it always.  The run path goes into DT_RPATH, not DT_RUNPATH: a toolkit directory in LD_LIBRARY_PATH must not bring
** its own libcudart.so into the program. */
void command_link(StrVec *argv, const Toolchain *t, const Options *o, const StrVec *objects, const char *out) {
    add(argv, t->clang, "--driver-mode=g++", "-Qunused-arguments", NULL);
    vec_add(argv, t->colours ? "-fcolor-diagnostics" : "-fno-color-diagnostics");
    if (t->lld) vec_add(argv, "-fuse-ld=lld");
    if (o->shared) vec_add(argv, "-shared");
    add(argv, "-o", out, NULL);
    vec_add_all(argv, &o->host);
    if (o->debug || o->device_debug) vec_add(argv, "-g");
    vec_add(argv, text_format("-L%s", t->resources));
    vec_add_all(argv, &o->linker);
    vec_add(argv, "-Wl,--start-group"); /* as with nvcc: archives in any order */
    vec_add_all(argv, objects);
    add(argv, "-lcudart_static", "-Wl,--end-group", "-Wl,--disable-new-dtags", "-Xlinker", "-rpath", "-Xlinker",
        t->resources, "-Wl,--as-needed", "-lm", "-lpthread", "-ldl", NULL);
}

void command_archive(StrVec *argv, const Toolchain *t, const char *out) { add(argv, t->archiver, "rcs", out, NULL); }
