/* cubin.c: PTX as an ELF file for the machine CUDA, as compilers expect of a cubin: our ptxas and libnvJitLink give it,
** cuModuleLoadData takes it.  The section .nv_fatbin is a container with one entry of PTX (fatbin.c reads it). */
#include "image.h"
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 16, ENTRY = 64, KIND_PTX = 1, ABI = 51, ABI_VERSION = 7 };
static const char names[] = "\0.shstrtab\0.nv_fatbin";

static void write_container(char *head, const char *ptx, size_t n, uint64_t payload, uint32_t sm) {
    const uint32_t magic = 0xba55ed50, entry_bytes = ENTRY;
    const uint16_t one = 1, head_bytes = HEAD, kind = KIND_PTX;
    const uint64_t entries = ENTRY + payload;
    char *entry = head + HEAD;
    memcpy(head, &magic, 4), memcpy(head + 4, &one, 2), memcpy(head + 6, &head_bytes, 2), memcpy(head + 8, &entries, 8);
    memcpy(entry, &kind, 2), memcpy(entry + 2, &one, 2), memcpy(entry + 4, &entry_bytes, 4);
    memcpy(entry + 8, &payload, 8), memcpy(entry + 28, &sm, 4);
    memcpy(entry + ENTRY, ptx, n);
}

/* The header, the names of the sections, the container, and the sections. */
char *rt_make_cubin(const char *ptx, size_t n, unsigned sm, size_t *size) {
    const uint64_t at_names = sizeof(Elf64_Ehdr), at_container = at_names + 32, payload = (n + 1 + 7) & ~UINT64_C(7),
                   bytes = HEAD + ENTRY + payload, at_sections = at_container + bytes;
    Elf64_Ehdr e = {.e_ident = {ELFMAG0, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ABI, ABI_VERSION},
                    .e_type = ET_EXEC,
                    .e_machine = EM_CUDA,
                    .e_version = EV_CURRENT,
                    .e_shoff = at_sections,
                    .e_flags = sm | sm << 16,
                    .e_ehsize = sizeof e,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 3,
                    .e_shstrndx = 1};
    Elf64_Shdr sections[3] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = at_names, .sh_size = sizeof names},
        {.sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = at_container, .sh_size = bytes, .sh_addralign = 8}};
    *size = at_sections + sizeof sections;
    char *file = calloc(1, *size);
    if (!file) return NULL;
    memcpy(file, &e, sizeof e);
    memcpy(file + at_names, names, sizeof names);
    write_container(file + at_container, ptx, n, payload, sm);
    memcpy(file + at_sections, sections, sizeof sections);
    return file;
}
