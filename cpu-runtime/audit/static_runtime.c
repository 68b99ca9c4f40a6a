/* static_runtime.c: libcucpu-audit.so, an auditor of the dynamic linker (rtld-audit(7)) that `cucpu run` names in
** LD_AUDIT: functions of NVIDIA's runtime library that nvcc has linked into a program (`-cudart static`, its default)
** are replaced by those of cucpu's shared one.
**
** Before the constructors of an object run, so before it registers its kernels, its symbol table is read for functions
** named cuda* and __cuda*.  The first bytes of each become a jump to the function of the same name in libcudart.so.
** NVIDIA's library then never starts, and never looks for a driver.  An object without symbol table (strip) is left as
** it is.
**
** An auditor lies in a linker namespace of its own, and cannot call dlsym for the program's: the symbols of
** libcudart.so are looked up here.  The code is that of x86-64. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PENDING = 1024, JUMP_BYTES = 14 };

static struct link_map *runtime, *pending[MAX_PENDING]; /* libcudart.so; objects whose constructors have not run */
static unsigned npending;

/* ---- a file ---- */

typedef struct {
    const char *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    unsigned nsections;
} File;

static const void *part(const File *f, uint64_t at, uint64_t size) {
    return at <= f->size && size <= f->size - at ? f->bytes + at : NULL;
}

static bool open_file(File *f, const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    memset(f, 0, sizeof *f);
    if (fd < 0) return false;
    if (!fstat(fd, &st) && (size_t)st.st_size >= sizeof(Elf64_Ehdr)) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) f->bytes = bytes, f->size = (size_t)st.st_size;
    }
    close(fd);
    if (!f->bytes) return false;
    const Elf64_Ehdr *e = (const void *)f->bytes;
    if (!memcmp(e->e_ident, ELFMAG, SELFMAG) && e->e_shentsize == sizeof(Elf64_Shdr))
        f->sections = part(f, e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr)), f->nsections = e->e_shnum;
    if (!f->sections) f->nsections = 0;
    return true;
}

static void close_file(const File *f) { munmap((void *)(uintptr_t)f->bytes, f->size); }

/* ---- a table of symbols ---- */

typedef struct {
    const Elf64_Sym *symbols;
    const Elf64_Versym *versions; /* NULL: the table has none */
    const char *names;
    size_t n, names_size;
} Symbols;

/* The table of the type SHT_SYMTAB or SHT_DYNSYM; n is 0 where the file has none. */
static Symbols symbols_of(const File *f, unsigned type) {
    Symbols s = {0};
    for (unsigned i = 0; i < f->nsections; i++) {
        const Elf64_Shdr *h = &f->sections[i];
        if (h->sh_type == SHT_GNU_versym && type == SHT_DYNSYM) s.versions = part(f, h->sh_offset, h->sh_size);
        if (h->sh_type != type || h->sh_link >= f->nsections) continue;
        const Elf64_Shdr *names = &f->sections[h->sh_link];
        s.symbols = part(f, h->sh_offset, h->sh_size);
        s.names = part(f, names->sh_offset, names->sh_size);
        s.names_size = names->sh_size;
        s.n = s.symbols && s.names ? h->sh_size / sizeof(Elf64_Sym) : 0;
    }
    return s;
}

static const char *name_of(const Symbols *s, size_t i) {
    const Elf64_Sym *symbol = &s->symbols[i];
    bool ends = symbol->st_name < s->names_size &&
                memchr(s->names + symbol->st_name, 0, s->names_size - symbol->st_name) != NULL;
    return ends ? s->names + symbol->st_name : "";
}

static bool defines_function(const Symbols *s, size_t i) {
    return s->symbols[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->symbols[i].st_info) == STT_FUNC;
}

static const Elf64_Sym *find(const Symbols *s, const char *name) {
    for (size_t i = 0; i < s->n; i++)
        if (defines_function(s, i) && !strcmp(name_of(s, i), name)) return &s->symbols[i];
    return NULL;
}

/* The function of libcudart.so.  Of two versions that of CUDA 12 is the default, and that of 13 a hidden one. */
static void *function_of_runtime(const Symbols *s, const char *name, bool of_13) {
    const Elf64_Sym *found = NULL;
    for (size_t i = 0; i < s->n; i++) {
        if (!defines_function(s, i) || strcmp(name_of(s, i), name)) continue;
        bool hidden = s->versions && (s->versions[i] & 0x8000);
        if (!found || hidden == of_13) found = &s->symbols[i];
    }
    return found ? (void *)(runtime->l_addr + found->st_value) : NULL;
}

/* ---- code ---- */

/* jmp *0(%rip), and the address behind it: no register changes. */
static void write_jump(unsigned char *at, const void *target) {
    static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &target, sizeof target);
}

static bool replace(unsigned char *function, const void *target) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)function & ~(page - 1);
    size_t size = (uintptr_t)function + JUMP_BYTES - first;
    if (mprotect((void *)first, size, PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
    write_jump(function, target);
    return !mprotect((void *)first, size, PROT_READ | PROT_EXEC);
}

/* ---- objects ---- */

/* The bytes of a function, and those up to the next one: short ones are padded. */
static size_t room(const Symbols *s, size_t i) {
    uint64_t start = s->symbols[i].st_value, end = start + JUMP_BYTES;
    if (s->symbols[i].st_size >= JUMP_BYTES) return JUMP_BYTES;
    if (start % 16) return 0; /* no function begins in the 16 bytes, unless a symbol says so */
    for (size_t k = 0; k < s->n; k++)
        if (defines_function(s, k) && s->symbols[k].st_value > start && s->symbols[k].st_value < end)
            end = s->symbols[k].st_value;
    return end - start;
}

static void replace_functions(const struct link_map *map, const Symbols *s, const Symbols *of_runtime) {
    bool of_13 = !find(s, "cudaThreadSynchronize"); /* removed in 13 */
    for (size_t i = 0; i < s->n; i++) {
        const char *name = name_of(s, i);
        if (!defines_function(s, i) || (strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6))) continue;
        const void *target = function_of_runtime(of_runtime, name, of_13); /* NULL: one of the program's own */
        if (target &&
            (room(s, i) < JUMP_BYTES || !replace((unsigned char *)(map->l_addr + s->symbols[i].st_value), target)))
            dprintf(STDERR_FILENO, "cucpu: %s of NVIDIA's runtime library in %s could not be replaced\n", name,
                    *map->l_name ? map->l_name : "the program");
    }
}

/* An object has the runtime library in it if it defines the function that registers kernels. */
static void audit_object(const struct link_map *map) {
    File f, r;
    if (map == runtime || !runtime || !open_file(&f, *map->l_name ? map->l_name : "/proc/self/exe")) return;
    Symbols s = symbols_of(&f, SHT_SYMTAB);
    if (find(&s, "__cudaRegisterFatBinary") && open_file(&r, runtime->l_name)) {
        Symbols of_runtime = symbols_of(&r, SHT_DYNSYM);
        replace_functions(map, &s, &of_runtime);
        close_file(&r);
    }
    close_file(&f);
}

/* ---- what the dynamic linker calls ---- */

__attribute__((visibility("default"))) unsigned la_version(unsigned version);
unsigned la_version(unsigned version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

/* libcudart.so is known by its directory, that of this library. */
static bool is_runtime(const char *path) {
    static char directory[PATH_MAX];
    if (!*directory) {
        const char *audit = getenv("LD_AUDIT"), *slash = audit ? strrchr(audit, '/') : NULL;
        if (slash) snprintf(directory, sizeof directory, "%.*s/libcudart.so.", (int)(slash - audit), audit);
    }
    return *directory && !strncmp(path, directory, strlen(directory));
}

__attribute__((visibility("default"))) unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
    (void)cookie;
    if (space != LM_ID_BASE) return 0;
    if (is_runtime(map->l_name)) runtime = map;
    else if (npending < MAX_PENDING) pending[npending++] = map;
    return 0;
}

__attribute__((visibility("default"))) void la_activity(uintptr_t *cookie, unsigned state);
void la_activity(uintptr_t *cookie, unsigned state) {
    (void)cookie;
    if (state != LA_ACT_CONSISTENT) return;
    for (unsigned i = 0; i < npending; i++) audit_object(pending[i]);
    npending = 0;
}
