/* checked.c: under compute-sanitizer kernels that were compiled without --check are compiled again, from the bitcode in
** their module.
**
** The new module takes the place of the old one as a whole, kernels and variables, before either was used
** (program/registry.c): nothing of the old one runs.  It is compiled once for all tools but synccheck, which needs no
** accesses, and kept in the cache on disk.  What cannot be compiled runs unchecked, and a message says why. */
#include "check/check.h"
#include "module/cache.h"
#include "module/command.h"
#include "module/module.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 32 };

/* CUCPU_CHECK decides what is checked. */
static const char *check(void) { return rt_check.kinds == CUCPU_CHECK_SYNC ? "--check=sync" : "--check=memory"; }

typedef struct Request {
    const char *argv[WORDS + 8];
    char *words; /* malloc'ed: the options of the module */
    int n;
} Request;

static bool split_options(Request *r, const char *options) {
    char *state;
    r->n = 1; /* the command */
    if (!(r->words = strdup(options))) return false;
    for (char *w = strtok_r(r->words, " ", &state); w && r->n < WORDS; w = strtok_r(NULL, " ", &state))
        r->argv[r->n++] = w;
    return true;
}

/* The shared object (malloc'ed) in *bytes, or the reason in *log. */
static bool compile(const CucpuBitcode *b, char **bytes, size_t *n, char **log) {
    char in[RT_NAME_BYTES], out[RT_NAME_BYTES], prefix[RT_NAME_BYTES];
    unsigned number;
    Request r = {.n = 0};
    if (!split_options(&r, b->options) || !rt_new_file(&number)) return free(r.words), false;
    rt_file_name(in, number, ".bc");
    rt_file_name(out, number, ".so");
    snprintf(prefix, sizeof prefix, "%.*s", (int)(strrchr(in, '/') + 1 - in), in);
    const char *more[] = {check(), "-w", "-shared", in, "-o", out, NULL};
    memcpy(&r.argv[r.n], more, sizeof more);
    *bytes = NULL;
    if (rt_write_file(in, b->bytes, b->size) && rt_run_cucpu(r.argv, prefix, log) == 0) *bytes = rt_read_file(out, n);
    rt_end_file(number);
    free(r.words);
    return *bytes != NULL;
}

static void complain(const RtModule *m, const char *why) {
    rt_message("the kernels of %s are not checked: %.*s", m->abi->source, (int)strcspn(why, "\n"), why);
}

RtModule *rt_checked_module(RtModule *m) {
    const CucpuBitcode *b = m->abi->bitcode;
    if (!rt_is_to_check(m->abi)) return NULL;
    if (!b) return complain(m, "they have no bitcode, but were compiled for --embed-bitcode=false or the like"), NULL;
    char compiler[RT_NAME_BYTES], key_text[512], *bytes, *log = NULL;
    size_t n = 0;
    RtModule *out = NULL;
    rt_find_compiler(compiler);
    snprintf(key_text, sizeof key_text, "%s %s", check(), b->options);
    RtCacheKey key = rt_cache_key(b->bytes, b->size, compiler, key_text);
    bool cached = (bytes = rt_cache_read(key, &n)) != NULL;
    if (!cached && compile(b, &bytes, &n, &log)) rt_cache_write(key, bytes, n);
    if (bytes && rt_open_object(bytes, n, &log, &out) == CUDA_SUCCESS) out->target = m->target;
    if (!out) complain(m, log && *log ? log : "the compiler has failed");
    free(bytes);
    free(log);
    return out;
}

__attribute__((constructor)) static void begin(void) { rt_on_first_use(rt_checked_module); }
