/* device_register.c: registers the kernels and variables of relocatable device code.
**
** Compiled by the driver at the final link (device_link.c) with CUCPU_MODULE_ID, CUCPU_ABI and CUCPU_SYMBOLS; part of
** the program.  clang lists each kernel and variable of a -fgpu-rdc host object in the section
** llvm_offload_entries; the linker joins the lists and marks their ends. */
#include <stddef.h>
#include <stdint.h>

typedef struct Entry {
    uint64_t reserved;
    uint16_t version, kind;
    uint32_t flags;
    void *address;
    char *name;
    uint64_t size; /* 0: a kernel */
    uint64_t data; /* of a texture or surface: its kind */
    void *auxiliary;
} Entry;

enum { KIND_CUDA = 2, FLAG_TYPE = 7, FLAG_EXTERN = 8, FLAG_CONSTANT = 16, FLAG_NORMALIZED = 32 };
enum { TYPE_VARIABLE = 0, TYPE_SURFACE = 2, TYPE_TEXTURE = 3 };

extern const Entry __start_llvm_offload_entries[] __attribute__((weak, visibility("hidden")));
extern const Entry __stop_llvm_offload_entries[] __attribute__((weak, visibility("hidden")));

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, void *host, char *device, const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int type,
                           int normalized, int external);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int type,
                           int external);

static const struct {
    uint32_t magic, version;
    uint64_t module_id;
} blob = {0x55504355u, CUCPU_ABI, CUCPU_MODULE_ID};

static const struct {
    int magic, version;
    const void *blob;
    void *unused;
} wrapper = {0x466243b1, 1, &blob, NULL};

/* The mark of a finished device link: a later link by cucpu does not do it again. */
__asm__(".pushsection .cucpu.bc,\"e\",@progbits\n.p2align 4\n"
        ".quad 0x6362757063756331, 0\n.popsection");

/* What the objects of this device link ask for (embed.c). */
__asm__(".pushsection .rodata\n.include \"" CUCPU_SYMBOLS "\"\n.popsection");

static void **handle;

static void register_entry(const Entry *e) {
    int external = (e->flags & FLAG_EXTERN) != 0, constant = (e->flags & FLAG_CONSTANT) != 0, type = (int)e->data;
    switch (e->flags & FLAG_TYPE) {
    case TYPE_VARIABLE:
        if (e->size) __cudaRegisterVar(handle, e->address, e->name, e->name, external, e->size, constant, 0);
        else __cudaRegisterFunction(handle, e->address, e->name, e->name, -1, NULL, NULL, NULL, NULL, NULL);
        break;
    case TYPE_SURFACE: __cudaRegisterSurface(handle, e->address, NULL, e->name, type, external); break;
    case TYPE_TEXTURE:
        __cudaRegisterTexture(handle, e->address, NULL, e->name, type, (e->flags & FLAG_NORMALIZED) != 0, external);
        break;
    }
}

/* Before the constructors of all objects. */
__attribute__((constructor(101))) static void register_all(void) {
    handle = __cudaRegisterFatBinary((void *)&wrapper);
    for (const Entry *e = __start_llvm_offload_entries; e < __stop_llvm_offload_entries; e++)
        if (e->kind == KIND_CUDA && e->address) register_entry(e);
    __cudaRegisterFatBinaryEnd(handle);
}

__attribute__((destructor)) static void unregister_all(void) { __cudaUnregisterFatBinary(handle); }
