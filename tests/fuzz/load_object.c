/* load_object.c: loads a kernel object without linker and file.
**
** Sections go into one mapping, read-write while relocations are applied.  Functions of other
** libraries are reached through a table of addresses and jump stubs at the end of the mapping, as
** they may be farther away than 2 GiB.  Not done: thread-local data, common symbols, RELR. */
#define _GNU_SOURCE
#include "tests/fuzz/load_object.h"
#include <dlfcn.h>
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_SECTIONS = 512, MAX_IMPORTS = 512, STUB_BYTES = 16 };

typedef struct Import {
    const char *name;
    uint64_t address;
} Import;

typedef struct Loader {
    const unsigned char *file;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *sections;
    uint64_t at[MAX_SECTIONS]; /* offset in memory, 0 = not loaded */
    const Elf64_Sym *symbols;
    const char *names;
    Import imports[MAX_IMPORTS];
    int nimports;
    LoadedObject *out;
    size_t stubs;
    char error[128];
} Loader;

static const CucpuModule *registered;
void cucpu_register_module(const CucpuModule *module) { registered = module; }

static size_t place_sections(Loader *l) {
    size_t size = 64;
    for (int i = 0; i < l->head->e_shnum && i < MAX_SECTIONS; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type == SHT_SYMTAB) {
            l->symbols = (const Elf64_Sym *)(l->file + s->sh_offset);
            l->names = (const char *)l->file + l->sections[s->sh_link].sh_offset;
        }
        if (!(s->sh_flags & SHF_ALLOC)) continue;
        size_t align = s->sh_addralign ? s->sh_addralign : 1;
        l->at[i] = size = (size + align - 1) / align * align;
        size += s->sh_size;
    }
    l->stubs = (size + 63) / 64 * 64;
    return l->stubs + (size_t)MAX_IMPORTS * STUB_BYTES;
}

/* Of this program, else of the libraries that it has loaded. */
static void *find_symbol(const char *name) {
    static const struct {
        const char *name;
        void (*address)(void);
    } own[] = {
#define OWN(name) {#name, (void (*)(void))name}
        OWN(cucpu_register_module), OWN(cucpu_group_order), OWN(cucpu_thread), OWN(cucpu_stack_floor), OWN(cucpu_barrier_release), OWN(cucpu_warp_release),
        OWN(cucpu_atomic_fadd32), OWN(cucpu_atomic_fadd64), OWN(cucpu_private_cache),
#undef OWN
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i].name)) return (void *)(uintptr_t)own[i].address;
    return dlsym(RTLD_DEFAULT, name);
}

/* A stub: jmp *[rip + 2]; two bytes of padding; the address, which is also its GOT entry. */
static uint64_t import(Loader *l, const char *name, bool got) {
    int i = 0;
    while (i < l->nimports && strcmp(l->imports[i].name, name)) i++;
    unsigned char *stub = l->out->memory + l->stubs + (size_t)i * STUB_BYTES;
    if (i == l->nimports) {
        void *address = find_symbol(name);
        if (!address || i == MAX_IMPORTS) {
            snprintf(l->error, sizeof l->error, "undefined symbol '%s'", name);
            return 0;
        }
        l->imports[l->nimports++] = (Import){name, (uint64_t)(uintptr_t)address};
        static const unsigned char jump[8] = {0xff, 0x25, 0x02, 0, 0, 0, 0x90, 0x90};
        memcpy(stub, jump, sizeof jump);
        memcpy(stub + 8, &l->imports[i].address, 8);
    }
    return (uint64_t)(uintptr_t)stub + (got ? 8 : 0);
}

/* A GOT entry for a symbol of the object itself. */
static uint64_t got_entry(Loader *l, uint64_t address) {
    if (l->nimports == MAX_IMPORTS) return 0;
    l->imports[l->nimports] = (Import){"", address};
    unsigned char *slot = l->out->memory + l->stubs + (size_t)l->nimports++ * STUB_BYTES;
    memcpy(slot, &address, 8);
    return (uint64_t)(uintptr_t)slot;
}

static void relocate(Loader *l, const Elf64_Shdr *table, const Elf64_Rela *r) {
    const Elf64_Sym *s = &l->symbols[ELF64_R_SYM(r->r_info)];
    unsigned char *where = l->out->memory + l->at[table->sh_info] + r->r_offset;
    uint32_t type = ELF64_R_TYPE(r->r_info);
    bool got = type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
    uint64_t value;
    if (s->st_shndx == SHN_UNDEF) value = import(l, l->names + s->st_name, got);
    else if (s->st_shndx == SHN_ABS) value = s->st_value;
    else {
        value = (uint64_t)(uintptr_t)l->out->memory + l->at[s->st_shndx] + s->st_value;
        if (got) value = got_entry(l, value);
    }
    value += (uint64_t)r->r_addend;
    uint64_t relative = value - (uint64_t)(uintptr_t)where;
    switch (type) {
    case R_X86_64_64: memcpy(where, &value, 8); break;
    case R_X86_64_PC64: memcpy(where, &relative, 8); break;
    case R_X86_64_PC32: case R_X86_64_PLT32: case R_X86_64_GOTPCREL: case R_X86_64_GOTPCRELX: case R_X86_64_REX_GOTPCRELX:
        memcpy(where, &relative, 4);
        break;
    default: snprintf(l->error, sizeof l->error, "relocation of type %u", type);
    }
}

static void load_sections(Loader *l) {
    for (int i = 0; i < l->head->e_shnum; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (l->at[i] && s->sh_type != SHT_NOBITS) memcpy(l->out->memory + l->at[i], l->file + s->sh_offset, s->sh_size);
    }
    for (int i = 0; i < l->head->e_shnum; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type != SHT_RELA || !l->at[s->sh_info]) continue;
        for (uint64_t k = 0; k < s->sh_size / sizeof(Elf64_Rela) && !l->error[0]; k++)
            relocate(l, s, (const Elf64_Rela *)(l->file + s->sh_offset) + k);
    }
}

static void run_constructors(Loader *l) {
    for (int i = 0; i < l->head->e_shnum; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type != SHT_INIT_ARRAY) continue;
        for (uint64_t k = 0; k < s->sh_size / 8; k++) {
            void (*run)(void);
            memcpy(&run, l->out->memory + l->at[i] + 8 * k, 8);
            run();
        }
    }
}

const char *load_object(const void *bytes, size_t size, LoadedObject *out) {
    static Loader l;
    memset(&l, 0, sizeof l);
    memset(out, 0, sizeof *out);
    l.file = bytes;
    l.head = bytes;
    l.out = out;
    if (size < sizeof *l.head || memcmp(l.head->e_ident, ELFMAG, SELFMAG) || l.head->e_shnum > MAX_SECTIONS) return "not a small ELF object";
    l.sections = (const Elf64_Shdr *)(l.file + l.head->e_shoff);
    out->size = place_sections(&l);
    out->memory = mmap(NULL, out->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (out->memory == MAP_FAILED) return "no memory";
    load_sections(&l);
    if (l.error[0]) return l.error;
    if (mprotect(out->memory, out->size, PROT_READ | PROT_WRITE | PROT_EXEC)) return "cannot make memory executable";
    registered = NULL;
    run_constructors(&l);
    out->module = registered;
    return registered ? NULL : "the object registers no module";
}

void unload_object(LoadedObject *o) {
    if (o->memory) munmap(o->memory, o->size);
    o->memory = NULL;
}
