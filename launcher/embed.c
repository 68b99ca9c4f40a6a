/* embed.c: device bitcode inside objects (-rdc=true, -dc).
**
** An object of -dc has a section .cucpu.bc: for each source file a header and its bitcode,
** padded to 16 bytes, so that sections joined by ld -r can be read one after another.  The
** section is excluded from linked files.  An empty bitcode marks the output of -dlink.  Only 64-bit
** little-endian ELF is read; anything else has no device code.
**
** The object needs a symbol, named after its bitcode, which the object of the device link defines: that one is
** taken out of an archive with it, and a link without it is an error of the linker, not of the first launch. */
#define _GNU_SOURCE
#include "launcher/embed.h"
#include "launcher/tempfiles.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_NAME ".cucpu.bc"
#define BLOB_MAGIC 0x6362757063756331u

typedef struct BlobHeader {
    uint64_t magic, size; /* of the bitcode behind it */
} BlobHeader;

/* ---- writing ---- */

const char *embed_symbol(const char *bitcode, size_t size) {
    return text_format("__cucpu_device_link_of_%016llx", (unsigned long long)text_hash(0, bitcode, size));
}

typedef struct Embed {
    const char *bitcode, *assembler, *out;
    const char *clang;
} Embed;

static int embed(void *context) {
    Embed *e = context;
    size_t size;
    const char *bitcode = file_read(e->bitcode, &size);
    if (!bitcode) return CUCPU_ERROR;
    const char *symbol = embed_symbol(bitcode, size);
    const char *text = text_format(".hidden %s\n.section .rodata.cucpu,\"a\",@progbits\n.long %s - .\n"
                                   ".section " SECTION_NAME ",\"e\",@progbits\n.p2align 4\n"
                                   ".quad 0x%llx, %zu\n.incbin \"%s\"\n.p2align 4\n"
                                   ".section .note.GNU-stack,\"\",@progbits\n",
                                   symbol, symbol, (unsigned long long)BLOB_MAGIC, size, e->bitcode);
    if (!file_write(e->assembler, text, strlen(text))) return CUCPU_ERROR;
    StrVec argv = {0};
    vec_add(&argv, e->clang);
    vec_add(&argv, "-c");
    vec_add(&argv, e->assembler);
    vec_add(&argv, "-o");
    vec_add(&argv, e->out);
    return job_command(&argv);
}

Job *plan_embed(JobList *jobs, const Toolchain *t, const char *source, const char *bitcode, const char *out) {
    Job *j = job_add(jobs, "embedding of device code", source);
    Embed *e = text_alloc(sizeof *e);
    *e = (Embed){bitcode, temp_file(path_stem(source), ".embed.s"), out, t->clang};
    j->function = embed;
    j->context = e;
    vec_add(&j->argv, "[embed]");
    vec_add(&j->argv, bitcode);
    vec_add(&j->argv, "-o");
    vec_add(&j->argv, out);
    return j;
}

/* ---- reading ---- */

static bool visit_section(const char *p, size_t n, BlobVisitor *visit, void *context) {
    while (n) {
        BlobHeader h;
        if (n < sizeof h) return false;
        memcpy(&h, p, sizeof h);
        if (h.magic != BLOB_MAGIC || h.size > n - sizeof h) return false;
        if (!visit(context, p + sizeof h, h.size)) return false;
        size_t step = (sizeof h + h.size + 15) & ~(size_t)15;
        if (step >= n) break;
        p += step;
        n -= step;
    }
    return true;
}

static bool visit_elf(const char *p, size_t n, BlobVisitor *visit, void *context) {
    Elf64_Ehdr eh;
    if (n < SELFMAG + 1 || memcmp(p, ELFMAG, SELFMAG) || p[EI_CLASS] != ELFCLASS64) return true;
    if (n < sizeof eh) return false;
    memcpy(&eh, p, sizeof eh);
    if (!eh.e_shoff) return true; /* no sections */
    Elf64_Shdr first;
    if (eh.e_shentsize != sizeof first || eh.e_shoff > n || n - eh.e_shoff < sizeof first) return false;
    memcpy(&first, p + eh.e_shoff, sizeof first);
    size_t count = eh.e_shnum ? eh.e_shnum : first.sh_size; /* there may be more than 16 bits count */
    size_t names_at = eh.e_shstrndx == SHN_XINDEX ? first.sh_link : eh.e_shstrndx;
    if (count > (n - eh.e_shoff) / sizeof first || names_at >= count) return false;
    Elf64_Shdr *sections = text_alloc(count * sizeof *sections);
    memcpy(sections, p + eh.e_shoff, count * sizeof *sections);
    Elf64_Shdr names = sections[names_at];
    for (size_t i = 0; i < count; i++) {
        Elf64_Shdr *s = &sections[i];
        size_t name = names.sh_offset + s->sh_name;
        if (s->sh_type == SHT_NOBITS || name > n || n - name < sizeof SECTION_NAME ||
            strcmp(p + name, SECTION_NAME) != 0)
            continue;
        if (s->sh_offset > n || s->sh_size > n - s->sh_offset) return false;
        if (!visit_section(p + s->sh_offset, s->sh_size, visit, context)) return false;
    }
    return true;
}

enum { HEADER = 60, SIZE_AT = 48 };

/* Members of a System V archive; the symbol table and long names are members like others. */
static bool visit_archive(const char *p, size_t n, BlobVisitor *visit, void *context) {
    for (size_t at = 8; at + HEADER <= n;) {
        size_t size = strtoul(text_copy(p + at + SIZE_AT, 10), NULL, 10);
        at += HEADER;
        if (size > n - at || !visit_elf(p + at, size, visit, context)) return false;
        at += (size + 1) & ~(size_t)1;
    }
    return true;
}

/* The file that is a member of a thin archive: "name/", or "/offset" into the long names; NULL: it is a table, inside
** the archive. */
static const char *thin_member(const char *archive, const char *header, const char *names, size_t length) {
    const char *name = text_copy(header, 16);
    size_t offset = strtoul(name + 1, NULL, 10);
    if (name[0] == '/' && !(name[1] >= '0' && name[1] <= '9')) return NULL;
    if (name[0] == '/') name = offset < length ? text_copy(names + offset, length - offset) : "";
    name = text_copy(name, strcspn(name, "\n"));
    size_t end = strlen(name);
    while (end && (name[end - 1] == ' ' || name[end - 1] == '/')) end--;
    name = text_copy(name, end);
    return *name == '/' ? name : text_format("%s/%s", path_directory(archive), name);
}

static bool visit_thin(const char *file, const char *p, size_t n, BlobVisitor *visit, void *context) {
    const char *names = "";
    size_t length = 0;
    for (size_t at = 8; at + HEADER <= n;) {
        const char *header = p + at, *member = thin_member(file, header, names, length);
        size_t size = strtoul(text_copy(header + SIZE_AT, 10), NULL, 10);
        at += HEADER;
        if (member) {
            if (!embed_visit(member, visit, context)) return false;
            continue;
        }
        if (size > n - at) return false;
        if (!memcmp(header, "// ", 3)) names = p + at, length = size;
        at += (size + 1) & ~(size_t)1;
    }
    return true;
}

bool embed_visit(const char *file, BlobVisitor *visit, void *context) {
    size_t n;
    const char *p = file_read(file, &n);
    if (!p) return false;
    if (n >= 8 && memcmp(p, "!<arch>\n", 8) == 0) return visit_archive(p, n, visit, context);
    if (n >= 8 && memcmp(p, "!<thin>\n", 8) == 0) return visit_thin(file, p, n, visit, context);
    return visit_elf(p, n, visit, context);
}

/* ---- asking ---- */

bool embed_is_archive(const char *file) {
    char head[8] = {0};
    FILE *f = fopen(file, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f) fclose(f);
    return n == sizeof head && (!memcmp(head, "!<arch>\n", 8) || !memcmp(head, "!<thin>\n", 8));
}

static bool classify(void *context, const char *bytes, size_t size) {
    (void)bytes;
    *(int *)context |= size ? EMBED_CODE : EMBED_LINKED;
    return true;
}

int embed_contents(const char *file) {
    int contents = 0;
    return embed_visit(file, classify, &contents) ? contents : -1;
}
