/* line.c: the source line of an instruction, from the DWARF 5 line table of the file that has it.
**
** The compiler gives kernels such tables always.  What is not there, compressed, of another version or malformed is
** no line: every read is within the section.  For messages, after a signal, not in its handler. */
#define _GNU_SOURCE
#include "exec/fault.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Bytes {
    const uint8_t *p, *end;
} Bytes;
typedef struct Tables {
    Bytes lines, strings;
} Tables;
typedef struct Names { /* of directories or files: where they begin, and how an entry looks */
    Bytes at;
    uint64_t formats[8][2];
    unsigned nformats;
    uint64_t count;
} Names;
typedef struct Program { /* of one unit */
    Bytes code;
    Names directories, files;
    uint8_t step, line_range, opcode_base, lengths[256];
    int8_t line_base;
} Program;
typedef struct Row {
    uint64_t address, file, line;
} Row;

/* ---- reading ---- */

static uint64_t number(Bytes *b, unsigned n) {
    uint64_t v = 0;
    if ((size_t)(b->end - b->p) < n) {
        b->p = b->end;
        return 0;
    }
    memcpy(&v, b->p, n);
    b->p += n;
    return v;
}

static uint64_t leb(Bytes *b, bool is_signed) {
    uint64_t v = 0, byte = 0x80;
    unsigned shift = 0;
    for (; b->p < b->end && byte & 0x80; shift += 7) {
        byte = *b->p++;
        if (shift < 64) v |= (byte & 0x7f) << shift;
    }
    return is_signed && shift < 64 && byte & 0x40 ? v | UINT64_MAX << shift : v;
}

static const char *text_at(Bytes b, uint64_t offset) {
    size_t n = (size_t)(b.end - b.p);
    return offset < n && memchr(b.p + offset, 0, n - offset) ? (const char *)b.p + offset : NULL;
}

enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };
enum {
    FORM_DATA2 = 5,
    FORM_DATA4 = 6,
    FORM_STRING = 8,
    FORM_DATA1 = 11,
    FORM_UDATA = 15,
    FORM_DATA16 = 30,
    FORM_LINE_STRP = 31
};

/* One field of an entry; false: of a form that line tables do not have. */
static bool read_field(const Tables *t, Bytes *b, uint64_t form, uint64_t *value, const char **text) {
    *text = NULL;
    *value = 0;
    switch (form) {
    case FORM_LINE_STRP: *text = text_at(t->strings, number(b, 4)); return true;
    case FORM_STRING:
        *text = text_at(*b, 0);
        b->p = *text ? b->p + strlen(*text) + 1 : b->end;
        return true;
    case FORM_UDATA: *value = leb(b, false); return true;
    case FORM_DATA1: *value = number(b, 1); return true;
    case FORM_DATA2: *value = number(b, 2); return true;
    case FORM_DATA4: *value = number(b, 4); return true;
    case FORM_DATA16: number(b, 8), number(b, 8); return true;
    }
    return false;
}

/* Entry number i; false: there is none. */
static bool read_entry(const Tables *t, Names *n, Bytes *b, const char **path, uint64_t *directory) {
    for (unsigned f = 0; f < n->nformats; f++) {
        uint64_t value;
        const char *text;
        if (!read_field(t, b, n->formats[f][1], &value, &text)) return false;
        if (n->formats[f][0] == CONTENT_PATH) *path = text;
        if (n->formats[f][0] == CONTENT_DIRECTORY) *directory = value;
    }
    return b->p < b->end || n->nformats;
}

static const char *name_of(const Tables *t, Names *n, uint64_t which, uint64_t *directory) {
    Bytes b = n->at;
    const char *path = NULL;
    if (which >= n->count) return NULL;
    for (uint64_t i = 0; i <= which; i++)
        if (b.p >= b.end || !read_entry(t, n, &b, &path, directory)) return NULL;
    return path;
}

static bool read_names(const Tables *t, Bytes *b, Names *n) {
    n->nformats = (unsigned)number(b, 1);
    if (n->nformats > RT_COUNT(n->formats)) return false;
    for (unsigned f = 0; f < n->nformats; f++) n->formats[f][0] = leb(b, false), n->formats[f][1] = leb(b, false);
    n->count = leb(b, false);
    n->at = *b;
    const char *path;
    uint64_t directory;
    for (uint64_t i = 0; i < n->count; i++)
        if (b->p >= b->end || !read_entry(t, n, b, &path, &directory)) return false;
    return true;
}

/* The next unit of the section; false: its header is of no use. */
static bool read_program(const Tables *t, Bytes *section, Program *p) {
    uint64_t length = number(section, 4);
    if (length >= 0xfffffff0 || length > (uint64_t)(section->end - section->p)) {
        section->p = section->end;
        return false;
    }
    Bytes b = {section->p, section->p + length};
    section->p = b.end;
    if (number(&b, 2) != 5 || number(&b, 1) != 8 || number(&b, 1)) return false;
    uint64_t header = number(&b, 4);
    if (header > (uint64_t)(b.end - b.p)) return false;
    p->code = (Bytes){b.p + header, b.end};
    b.end = p->code.p;
    p->step = (uint8_t)number(&b, 1);
    number(&b, 2); /* operations of a long word; whether rows are statements */
    p->line_base = (int8_t)number(&b, 1);
    p->line_range = (uint8_t)number(&b, 1);
    p->opcode_base = (uint8_t)number(&b, 1);
    for (unsigned i = 1; i < p->opcode_base; i++) p->lengths[i] = (uint8_t)number(&b, 1);
    return p->line_range && p->opcode_base && read_names(t, &b, &p->directories) && read_names(t, &b, &p->files);
}

/* ---- running ---- */

enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
enum { END_SEQUENCE = 1, SET_ADDRESS };

enum { CHANGES, EMITS, ENDS };

static int run_extended(Bytes *b, Row *row) {
    uint64_t n = leb(b, false);
    Bytes at = {b->p, n <= (uint64_t)(b->end - b->p) ? b->p + n : b->end};
    b->p = at.end;
    uint8_t kind = (uint8_t)number(&at, 1);
    if (kind == SET_ADDRESS) row->address = number(&at, 8);
    return kind == END_SEQUENCE ? ENDS : CHANGES;
}

static int run_special(const Program *p, uint8_t special, Row *row) {
    row->address += (uint64_t)(special / p->line_range) * p->step;
    row->line += (uint64_t)(int64_t)(p->line_base + special % p->line_range);
    return EMITS;
}

static int run_one(const Program *p, Bytes *b, Row *row) {
    uint8_t op = (uint8_t)number(b, 1);
    if (op >= p->opcode_base) return run_special(p, (uint8_t)(op - p->opcode_base), row);
    switch (op) {
    case 0: return run_extended(b, row);
    case COPY: return EMITS;
    case ADVANCE_PC: row->address += leb(b, false) * p->step; break;
    case ADVANCE_LINE: row->line += leb(b, true); break;
    case SET_FILE: row->file = leb(b, false); break;
    case CONST_ADD_PC: row->address += (uint64_t)((255 - p->opcode_base) / p->line_range) * p->step; break;
    case FIXED_ADVANCE_PC: row->address += number(b, 2); break;
    default:
        for (unsigned i = 0; i < p->lengths[op]; i++) leb(b, false);
    }
    return CHANGES;
}

/* The row in whose instructions pc lies. */
static bool find_row(const Program *p, uint64_t pc, Row *found) {
    Bytes b = p->code;
    Row row = {0, 1, 1}, last = row;
    bool inside = false; /* `last` is a row of this sequence */
    while (b.p < b.end) {
        int what = run_one(p, &b, &row);
        if (what == CHANGES) continue;
        if (inside && last.address <= pc && pc < row.address) {
            *found = last;
            return last.line != 0;
        }
        last = row;
        inside = what == EMITS;
        if (what == ENDS) row = (Row){0, 1, 1};
    }
    return false;
}

/* ---- files ---- */

static Bytes section_of(const uint8_t *image, size_t n, const char *name) {
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)image;
    if (e->e_shentsize != sizeof(Elf64_Shdr) || e->e_shoff > n || e->e_shnum > (n - e->e_shoff) / sizeof(Elf64_Shdr) ||
        e->e_shstrndx >= e->e_shnum)
        return (Bytes){NULL, NULL};
    const Elf64_Shdr *s = (const Elf64_Shdr *)(image + e->e_shoff), *names = &s[e->e_shstrndx];
    if (names->sh_offset > n || names->sh_size > n - names->sh_offset) return (Bytes){NULL, NULL};
    const Bytes texts = {image + names->sh_offset, image + names->sh_offset + names->sh_size};
    for (unsigned i = 0; i < e->e_shnum; i++) {
        const char *text = text_at(texts, s[i].sh_name);
        bool usable = text && !strcmp(text, name) && s[i].sh_type == SHT_PROGBITS && !(s[i].sh_flags & SHF_COMPRESSED);
        if (usable && s[i].sh_offset <= n && s[i].sh_size <= n - s[i].sh_offset)
            return (Bytes){image + s[i].sh_offset, image + s[i].sh_offset + s[i].sh_size};
    }
    return (Bytes){NULL, NULL};
}

static bool find_line(const uint8_t *image, size_t n, uint64_t pc, char *text, size_t bytes) {
    Tables t = {section_of(image, n, ".debug_line"), section_of(image, n, ".debug_line_str")};
    while (t.lines.p && t.lines.p < t.lines.end) {
        Program p = {0};
        Row row;
        uint64_t directory = 0, none;
        if (!read_program(&t, &t.lines, &p) || !find_row(&p, pc, &row)) continue;
        const char *file = name_of(&t, &p.files, row.file, &directory);
        const char *folder = file && *file != '/' && directory ? name_of(&t, &p.directories, directory, &none) : NULL;
        if (!file) return false;
        snprintf(text, bytes, "%s%s%s:%llu", folder ? folder : "", folder ? "/" : "", file,
                 (unsigned long long)row.line);
        return true;
    }
    return false;
}

bool rt_source_line(uintptr_t pc, char *text, size_t bytes) {
    Dl_info where;
    struct stat st;
    if (!dladdr((void *)pc, &where) || !where.dli_fname || !where.dli_fbase) return false;
    bool program =
        getauxval(AT_PHDR) - (uintptr_t)where.dli_fbase < 4096; /* its name may be relative to another directory */
    int fd = open(program ? "/proc/self/exe" : where.dli_fname, O_RDONLY | O_CLOEXEC);
    void *image = fd >= 0 && !fstat(fd, &st) && st.st_size > (off_t)sizeof(Elf64_Ehdr)
                      ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (image == MAP_FAILED) return false;
    const Elf64_Ehdr *e = image;
    bool elf = !memcmp(e->e_ident, ELFMAG, SELFMAG) && e->e_ident[EI_CLASS] == ELFCLASS64;
    uint64_t base = elf && e->e_type == ET_DYN ? (uintptr_t)where.dli_fbase : 0;
    bool found = elf && find_line(image, (size_t)st.st_size, pc - base, text, bytes);
    munmap(image, (size_t)st.st_size);
    return found;
}
