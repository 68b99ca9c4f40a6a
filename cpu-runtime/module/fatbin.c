/* fatbin.c: PTX out of the containers in which nvcc and fatbinary pack GPU code.
**
** A container is a header, then entries, each of a header and its payload:
**   container  u32 magic, u16 version, u16 header bytes, u64 bytes of all entries
**   entry      u16 kind, u16 version, u32 header bytes, u64 payload bytes, u32 compressed bytes (16), u32 sm (28),
**              u64 flags (40), u64 bytes when decompressed (56)
** Where the container lies in memory nothing but its header limits it, so every size is checked against that one, and
** that one against what is mapped.
** Payloads are plain, LZ4 blocks (nvcc up to 12) or zstd frames (nvcc from 13 on); the libraries that decompress them
** are opened when the first one is met, as hardly any program needs them. */
#define _GNU_SOURCE
#include "module/fatbin.h"
#include "base/env.h"
#include "space/alloc.h"
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0xba55ed50, KIND_PTX = 1, KIND_ELF = 2, ENTRY_HEAD = 64, MAX_TEXT = 1 << 30 };
enum { MAX_HEAD = 256 };
#define MAX_BYTES (UINT64_C(1) << 32)
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

typedef struct Head {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t bytes;
} Head;

typedef struct Entry {
    uint16_t kind;
    uint32_t head_bytes, compressed_bytes, sm;
    uint64_t payload_bytes, flags, plain_bytes;
    const char *payload;
} Entry;

/* What an image has: the PTX that suits best, and the names of all entries for the message. */
typedef struct Found {
    int capability;
    Entry best;
    bool damaged;
    char names[256];
} Found;

static bool is_wrapper(const void *image) {
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    return magic == RT_FATBIN_WRAPPER;
}

static bool is_container(const void *image) {
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    return magic == MAGIC;
}

/* An ELF file for the machine CUDA. */
static bool is_cubin(const char *image) {
    enum { MACHINE = 18 };
    return !strncmp(image, "\177ELF", 4) && (unsigned char)image[MACHINE] == EM_CUDA && !image[MACHINE + 1];
}

bool rt_is_gpu_image(const void *image) {
    return !strncmp(image, "\177ELF", 4) ? is_cubin(image)
                                         : *(const char *)image && (is_wrapper(image) || is_container(image));
}

/* ---- decompression ---- */

static void *function_of(const char *library, const char *name, char **log) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *f = handle ? dlsym(handle, name) : NULL;
    if (!f && asprintf(log, "error: this GPU binary is compressed, and there is no %s to decompress it\n", library) < 0)
        *log = NULL;
    return f;
}

static bool unpack_lz4(const Entry *e, char *to, char **log) {
    int (*decompress)(const char *, char *, int, int);
    *(void **)&decompress = function_of("liblz4.so.1", "LZ4_decompress_safe", log);
    return decompress &&
           decompress(e->payload, to, (int)e->compressed_bytes, (int)e->plain_bytes) == (int)e->plain_bytes;
}

static bool unpack_zstd(const Entry *e, char *to, char **log) {
    size_t (*decompress)(void *, size_t, const void *, size_t);
    *(void **)&decompress = function_of("libzstd.so.1", "ZSTD_decompress", log);
    return decompress && decompress(to, e->plain_bytes, e->payload, e->compressed_bytes) == e->plain_bytes;
}

static CUresult text_of(const Entry *e, char **text, char **log) {
    bool packed = e->flags & (FLAG_LZ4 | FLAG_ZSTD);
    uint64_t bytes = packed ? e->plain_bytes : e->payload_bytes;
    *text = bytes < MAX_TEXT ? calloc(1, bytes + 1) : NULL;
    if (!*text) return bytes < MAX_TEXT ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
    bool ok = true;
    if (!packed) memcpy(*text, e->payload, bytes);
    else ok = e->flags & FLAG_ZSTD ? unpack_zstd(e, *text, log) : unpack_lz4(e, *text, log);
    if (ok) return CUDA_SUCCESS;
    if (!*log) *log = strdup("error: a compressed part of this GPU binary is damaged\n");
    free(*text);
    *text = NULL;
    return CUDA_ERROR_INVALID_IMAGE;
}

/* ---- entries ---- */

static Entry read_entry(const char *at) {
    Entry e = {0};
    memcpy(&e.kind, at, sizeof e.kind);
    memcpy(&e.head_bytes, at + 4, sizeof e.head_bytes);
    memcpy(&e.payload_bytes, at + 8, sizeof e.payload_bytes);
    memcpy(&e.compressed_bytes, at + 16, sizeof e.compressed_bytes);
    memcpy(&e.sm, at + 28, sizeof e.sm);
    memcpy(&e.flags, at + 40, sizeof e.flags);
    memcpy(&e.plain_bytes, at + 56, sizeof e.plain_bytes);
    e.payload = at + e.head_bytes;
    return e;
}

static void note(Found *f, const char *kind, unsigned sm) {
    char name[32];
    snprintf(name, sizeof name, "%s_%u", kind, sm);
    size_t n = strlen(f->names);
    if (!strstr(f->names, name)) snprintf(f->names + n, sizeof f->names - n, "%s%s", n ? ", " : "", name);
}

/* The newest that the device can run, else the oldest: a CPU runs all. */
static bool suits_better(const Entry *a, const Entry *b, unsigned capability) {
    if (!b->kind) return true;
    bool fits = a->sm <= capability;
    if (fits != (b->sm <= capability)) return fits;
    return fits ? a->sm > b->sm : a->sm < b->sm;
}

static void take(Found *f, const Entry *e) {
    note(f, e->kind == KIND_PTX ? "compute" : "sm", e->sm);
    if (e->kind == KIND_PTX && suits_better(e, &f->best, (unsigned)f->capability)) f->best = *e;
}

static bool is_whole(const Entry *e, uint64_t left) {
    bool packed = e->flags & (FLAG_LZ4 | FLAG_ZSTD);
    return e->head_bytes >= ENTRY_HEAD && e->head_bytes <= left && e->payload_bytes <= left - e->head_bytes &&
           (!packed || e->compressed_bytes <= e->payload_bytes);
}

static void read_container(Found *f, const char *image, size_t limit) {
    Head h;
    if (limit < sizeof h || !is_container(image)) return;
    memcpy(&h, image, sizeof h);
    f->damaged = h.version != 1 || h.head_bytes < sizeof h || h.head_bytes > MAX_HEAD || h.bytes > MAX_BYTES ||
                 h.head_bytes > limit || h.bytes > limit - h.head_bytes || !rt_is_mapped(image, h.head_bytes + h.bytes);
    if (f->damaged) return;
    const char *at = image + h.head_bytes;
    for (uint64_t left = h.bytes; left >= ENTRY_HEAD;) {
        Entry e = read_entry(at);
        if (!is_whole(&e, left)) {
            f->damaged = true;
            return;
        }
        take(f, &e);
        at += e.head_bytes + e.payload_bytes;
        left -= e.head_bytes + e.payload_bytes;
    }
}

/* What our ptxas has written (launcher/ptxas.c) has a container as its third section. */
static bool read_own_cubin(Found *f, const char *image, size_t limit) {
    enum { OUR_ABI = 51, SECTION = 2 };
    Elf64_Ehdr e;
    Elf64_Shdr s;
    if (limit < sizeof e) return false;
    memcpy(&e, image, sizeof e);
    uint64_t end = e.e_shoff + (SECTION + 1) * sizeof s;
    if (e.e_ident[EI_OSABI] != OUR_ABI || e.e_shnum != SECTION + 1 || e.e_shoff > MAX_BYTES || end > limit)
        return false;
    memcpy(&s, image + e.e_shoff + SECTION * sizeof s, sizeof s);
    if (s.sh_offset > e.e_shoff || s.sh_size > e.e_shoff - s.sh_offset || !is_container(image + s.sh_offset))
        return false;
    read_container(f, image + s.sh_offset, s.sh_size);
    return true;
}

/* The sm of a cubin is in its flags: since ABI 8 in the second byte. */
static void read_cubin(Found *f, const char *image, size_t limit) {
    enum { ABI_VERSION = 8, FLAGS = 48 };
    if (limit < FLAGS + 4 || read_own_cubin(f, image, limit)) return;
    note(f, "sm", (unsigned char)image[(unsigned char)image[ABI_VERSION] >= 8 ? FLAGS + 1 : FLAGS]);
}

static CUresult refuse(const Found *f, char **log) {
    int n = f->damaged ? asprintf(log, "error: this GPU binary is damaged\n")
            : !*f->names
                ? asprintf(log, "error: this GPU binary has no code in a form that is known\n")
                : asprintf(log,
                           "error: this GPU binary has no PTX: it has code for %s; what runs here is PTX (nvcc "
                           "-gencode arch=compute_%d,code=compute_%d)\n",
                           f->names, f->capability, f->capability);
    if (n < 0) *log = NULL;
    return f->damaged ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult rt_fatbin_text(const void *image, size_t bytes, int capability, char **text, char **log) {
    Found f = {.capability = capability};
    const RtFatbinWrapper *w = image;
    *text = NULL;
    if (is_wrapper(image)) image = w->data, bytes = SIZE_MAX;
    f.damaged = !image || !rt_is_mapped(image, sizeof(Head));
    if (f.damaged) return refuse(&f, log);
    if (is_cubin(image)) read_cubin(&f, image, bytes);
    else read_container(&f, image, bytes);
    if (f.damaged || !f.best.kind) return refuse(&f, log);
    return text_of(&f.best, text, log);
}
