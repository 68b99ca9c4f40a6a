/* register_first.c: two corrections of a host object.
**
** The function that registers kernels and variables goes before the constructors of the file's objects, which may use
** them; clang's comes behind them.  Both are addresses in .init_array: relocations change places, nothing else does.
** The order between files is the linker's, as with nvcc.
**
** Without -rdc each file has its own device variables, inline ones and instances of templates too.  clang makes their
** host symbols local, but leaves them in groups of which the linker keeps one in a program: they become groups of the
** file. */
#include "launcher/nvcc/register_first.h"
#include "launcher/options.h"
#include "launcher/text.h"
#include <elf.h>
#include <errno.h>
#include <string.h>

static const char REGISTRATION[] = "__cuda_module_ctor";

typedef struct Object {
    char *p;
    size_t n;
    const Elf64_Shdr *sections;
    size_t nsections;
    const Elf64_Sym *symbols;
    size_t nsymbols;
} Object;

static bool in_file(const Object *o, const Elf64_Shdr *s) {
    return s->sh_offset <= o->n && s->sh_size <= o->n - s->sh_offset;
}

static bool read_object(Object *o) {
    const Elf64_Ehdr *eh = (const Elf64_Ehdr *)o->p;
    if (o->n < sizeof *eh || memcmp(o->p, ELFMAG, SELFMAG) || o->p[EI_CLASS] != ELFCLASS64) return false;
    if (eh->e_shentsize != sizeof *o->sections || eh->e_shoff > o->n ||
        eh->e_shnum > (o->n - eh->e_shoff) / sizeof *o->sections)
        return false;
    o->sections = (const Elf64_Shdr *)(o->p + eh->e_shoff), o->nsections = eh->e_shnum;
    for (size_t i = 0; i < o->nsections; i++) {
        if (o->sections[i].sh_type != SHT_SYMTAB || !in_file(o, &o->sections[i])) continue;
        o->symbols = (const Elf64_Sym *)(o->p + o->sections[i].sh_offset);
        o->nsymbols = o->sections[i].sh_size / sizeof *o->symbols;
        return o->sections[i].sh_link < o->nsections && in_file(o, &o->sections[o->sections[i].sh_link]);
    }
    return false;
}

static const Elf64_Sym *find_registration(const Object *o) {
    const Elf64_Shdr *names = NULL;
    for (size_t i = 0; i < o->nsections; i++)
        if (o->sections[i].sh_type == SHT_SYMTAB) names = &o->sections[o->sections[i].sh_link];
    for (size_t i = 0; names && i < o->nsymbols; i++) {
        const Elf64_Sym *s = &o->symbols[i];
        if (s->st_name + sizeof REGISTRATION <= names->sh_size &&
            !strcmp(o->p + names->sh_offset + s->st_name, REGISTRATION))
            return s;
    }
    return NULL;
}

static bool is_address(const Object *o, const Elf64_Rela *r, const Elf64_Sym *f) {
    size_t i = ELF64_R_SYM(r->r_info);
    if (i >= o->nsymbols) return false;
    const Elf64_Sym *s = &o->symbols[i];
    return s->st_shndx == f->st_shndx && s->st_value + (uint64_t)r->r_addend == f->st_value;
}

/* True if the order was another. */
static bool move_first(const Object *o, Elf64_Rela *r, size_t n, const Elf64_Sym *f) {
    size_t k = 0;
    while (k < n && r[k].r_offset == k * sizeof(Elf64_Addr) && !is_address(o, &r[k], f)) k++;
    if (k == 0 || k == n || r[k].r_offset != k * sizeof(Elf64_Addr)) return false;
    Elf64_Rela first = r[k];
    for (; k > 0; k--) r[k].r_info = r[k - 1].r_info, r[k].r_addend = r[k - 1].r_addend;
    r[0].r_info = first.r_info, r[0].r_addend = first.r_addend;
    return true;
}

/* Is the symbol that names this group a local one, defined in it? */
static bool is_own_group(const Object *o, const Elf64_Shdr *s, const Elf32_Word *words) {
    if (s->sh_info >= o->nsymbols) return false;
    const Elf64_Sym *name = &o->symbols[s->sh_info];
    for (size_t i = 1; ELF64_ST_BIND(name->st_info) == STB_LOCAL && i < s->sh_size / sizeof *words; i++)
        if (words[i] == name->st_shndx) return true;
    return false;
}

/* True if there were any. */
static bool keep_own_groups(const Object *o) {
    bool changed = false;
    for (size_t i = 0; i < o->nsections; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        if (s->sh_type != SHT_GROUP || s->sh_size < sizeof(Elf32_Word) || !in_file(o, s)) continue;
        Elf32_Word *words = (Elf32_Word *)(o->p + s->sh_offset);
        if (!(words[0] & GRP_COMDAT) || !is_own_group(o, s, words)) continue;
        words[0] &= ~(Elf32_Word)GRP_COMDAT;
        changed = true;
    }
    return changed;
}

bool register_first(const char *file) {
    Object o = {0};
    o.p = file_read(file, &o.n);
    bool known = o.p && read_object(&o), changed = known && keep_own_groups(&o);
    const Elf64_Sym *f = known ? find_registration(&o) : NULL;
    for (size_t i = 0; f && i < o.nsections; i++) {
        const Elf64_Shdr *s = &o.sections[i];
        if (s->sh_type != SHT_RELA || s->sh_info >= o.nsections || !in_file(&o, s)) continue;
        if (o.sections[s->sh_info].sh_type != SHT_INIT_ARRAY) continue;
        changed |= move_first(&o, (Elf64_Rela *)(o.p + s->sh_offset), s->sh_size / sizeof(Elf64_Rela), f);
    }
    if (!changed || file_write(file, o.p, o.n)) return true;
    launcher_error("cannot write '%s': %s", file, strerror(errno));
    return false;
}
