/* alloca.cu: memory that a function asks for while it runs, and gives back when it returns.  Called by what import_allocas makes of alloca().
**
** A function has a list of its blocks: each begins with the address of the one before it. */
#include "lib.h"
#include <stddef.h>

#define LIBCALL extern "C" __device__ __attribute__((nothrow))

struct Block {
    Block *before;
};
extern "C" __device__ void *cucpu_local_malloc(size_t bytes);
extern "C" __device__ void cucpu_local_free(void *memory);

/* `bytes` at a multiple of `align` (a power of two); traps where there is no memory. */
LIBCALL void *__cucpu_alloca(Block **blocks, uint64_t bytes, uint64_t align) {
    Block *b = bytes > UINT64_MAX / 2 ? nullptr : (Block *)cucpu_local_malloc(sizeof(Block) + bytes + align);
    if (!b) __builtin_trap();
    b->before = *blocks;
    *blocks = b;
    return (void *)(((uint64_t)(b + 1) + align - 1) & -align);
}

LIBCALL void __cucpu_free_allocas(Block **blocks) {
    for (Block *b = *blocks, *before; b; b = before) {
        before = b->before;
        cucpu_local_free(b);
    }
}
