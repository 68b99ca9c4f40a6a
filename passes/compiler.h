/* compiler.h: the public C API of libcucpu-compiler: device IR in, kernel object out.
** Plain C, no LLVM types, so that the launcher, and later the driver API and NVRTC, can call it. */
#ifndef CUCPU_COMPILER_H
#define CUCPU_COMPILER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CucpuOptions {
    const char *source;         /* name of the source file, for the module table; may be NULL */
    uint64_t module_id;         /* joins host and kernel object (abi.h) */
    const char *device_library; /* bitcode file that replaces libdevice; NULL = link none */
    const char *host;           /* bitcode of the host half, to read blockDims of launches from; may be NULL */
    const char *blocks;         /* blockDims that kernels are launched with, "x,y,z;x,y,z"; may be NULL */
    const char *cpu;            /* "native", "x86-64-v3", ... an LLVM CPU name; NULL = native */
    int simd;                   /* lanes W: 0 = choose by cost, else 1, 2, 4 ... 64 */
    int warp_size;              /* 32 by default; 4 ... 64, a power of two */
    int arch;                   /* what __CUDA_ARCH__ / 10 was, for cudaFuncGetAttributes; 0 = that of the device */
    int opt_level;              /* 0 ... 3 of the LLVM pipeline */
    bool fast_math;             /* --use_fast_math */
    bool no_contract;           /* -fmad=false */
    bool remarks;               /* -Rcucpu: per kernel, how it was compiled and what costs speed */
    bool no_warnings;           /* -w */
    bool shuffle;               /* --shuffle: the runtime gives the order of a block's groups */
    const char *check;          /* --check: comma list of memory, race, init, sync; NULL = kernels are not checked */
    const char *code_options;   /* the object keeps a copy of its bitcode, and these options; NULL: it does not */
    const char *profile;        /* --profile: "lanes"; NULL = kernels are not instrumented */
    bool verify_each;           /* verify the IR after every pass */
    bool time_passes;
    bool werror;
    const char *report; /* comma list: frames, vector, variants; to stderr */
    /* --report=html,json: gets what passes have recorded, as JSON; false after a message.  NULL: no pass records. */
    bool (*write_report)(void *context, const char *json, size_t size);
    void *report_context;
    const char *dump_after; /* comma list of passes, or "all"; IR goes to stderr */
    const char *stop_after; /* stop after this pass; the output is then textual IR */
    const char *disable;    /* comma list of optional passes */
    const char *emit;       /* "obj" (default), "asm", "llvm" */
    /* Joins objects to one, for large modules, which are compiled in parts; false after a message. NULL: never in
    ** parts. */
    bool (*join)(void *context, const char *const *objects, int n, const char *output);
    void *join_context;
    int jobs;              /* processes for parts at a time; 0 = 1 */
    unsigned assumed_llvm; /* tests: workarounds as for this major version of LLVM; 0 = that which is linked */
    unsigned layouts;      /* set of 1 << CUCPU_LAYOUT_*: make no others (tests); 0 = all */
} CucpuOptions;

/* Results, also the exit statuses of the tools. */
enum {
    CUCPU_OK = 0,
    CUCPU_ERROR = 1,       /* wrong input: diagnosed on stderr as file:line:col: error: ... */
    CUCPU_UNSUPPORTED = 2, /* right input that cucpu cannot compile yet: diagnosed likewise */
    CUCPU_BUG = 3
};

void cucpu_options_init(CucpuOptions *o); /* defaults */

/* Compiles the device IR (bitcode or text) or PTX in the file `input` ("-" is stdin) to `output`.
** `output` is written whole or not at all. */
int cucpu_compile(const CucpuOptions *o, const char *input, const char *output);

/* The same in memory: `text` is textual IR or bitcode of `length` bytes (textual IR must be followed by a 0), the
** result goes to malloc'ed memory. */
int cucpu_compile_memory(const CucpuOptions *o, const char *text, size_t length, void **output, size_t *size);

/* The first pass alone, on the bitcode in a file, which is replaced: before it is linked with other modules. */
int cucpu_instrument_coverage(const CucpuOptions *o, const char *bitcode);

/* Runs the named passes (comma list, names of passes.def) on textual IR and prints the result to
** `output` ("-" is stdout): the tool cucpu-opt. */
int cucpu_opt(const CucpuOptions *o, const char *passes, const char *input, const char *output);

/* Prints the IR that the front end makes of the PTX file `input` to `output` ("-" is stdout): the tool cucpu-ptx. */
int cucpu_ptx(const char *input, const char *output);

/* Prints the list of passes with their one-line descriptions to stdout. */
void cucpu_list_passes(void);

/* True for native and the names of CPUs with 64-bit code. */
bool cucpu_knows_cpu(const char *name);
#endif
