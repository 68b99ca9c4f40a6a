/* toolchain.h: where things are, and the command lines of the stages. */
#ifndef CUCPU_LAUNCHER_TOOLCHAIN_H
#define CUCPU_LAUNCHER_TOOLCHAIN_H
#include "launcher/options.h"

enum { DEFAULT_ARCH = 80 }; /* of __CUDA_ARCH__ */

typedef struct Toolchain {
    const char *resources; /* .../lib/cucpu: include, libcudart.so, device.bc, cuda */
    const char *clang;     /* absolute, or found on PATH */
    const char *tools;     /* directory of clang: its linker, llvm-ar, if there */
    const char *linker;    /* for ld -r */
    const char *archiver;
    bool lld;
    bool colours; /* messages go to a terminal */
} Toolchain;

bool toolchain_find(Toolchain *t);                                /* false after an error, which it has printed */
const char *toolchain_tool(const Toolchain *t, const char *name); /* NULL: not there */

/* Each fills an argv; `in` and `out` are file names, `id` is the same for both halves of a file,
** fatbin may be NULL. */
void command_device(StrVec *argv, const Toolchain *t, const Options *o, const char *in, const char *out, uint64_t id);
void command_host(StrVec *argv, const Toolchain *t, const Options *o, const char *in, const char *out,
                  const char *fatbin, uint64_t id);
/* Kernel objects have their bitcode. */
bool embeds_bitcode(const Options *o);
/* No option for the host compiler that might ask for more than an object. */
bool options_are_plain(const Options *o);
/* Front end and code generator of the host half are two steps. */
bool host_is_split(const Options *o);
void command_host_front(StrVec *argv); /* to add to command_host */
void command_host_back(StrVec *argv, const Toolchain *t, const Options *o, const char *in, const char *out);
void command_plain(StrVec *argv, const Toolchain *t, const Options *o, ItemKind kind, const char *in, const char *out);
/* Turns one of the above into a preprocessor run; a make rule comes without its target. */
void command_preprocess(StrVec *argv, const Options *o, const char *out, bool device);
/* Adds that a make rule is written, without its target, to file. */
void command_dependencies(StrVec *argv, const Options *o, const char *file);
void command_merge(StrVec *argv, const Toolchain *t, const char *out);
/* CucpuOptions.join: runs the command to merge objects.  toolchain: a Toolchain. */
bool join_objects(void *toolchain, const char *const *objects, int n, const char *out);
void command_link(StrVec *argv, const Toolchain *t, const Options *o, const StrVec *objects, const char *out);
void command_archive(StrVec *argv, const Toolchain *t, const char *out);
#endif
