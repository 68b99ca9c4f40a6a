/* memory_spaces.h: which memories each pointer of a kernel may point into, and which local arrays only their own thread
** can access.
**
** A pointer gets a set of spaces: all memories into which some execution may have it point. The set is that of the
** pointer's type where the type determines it, else it follows from the pointer's origin. A pointer that was loaded,
** returned or converted from an integer can point anywhere, except into local arrays whose address does not escape.
** Pointer parameters of a kernel, also in structures, point to global memory: no address of another space outlives the
** launch that made it. Not done: distinguishing objects of one space; calls are not entered. */
#ifndef CUCPU_MEMORY_SPACES_H
#define CUCPU_MEMORY_SPACES_H
#include "passes/support/arena.h"
#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    SPACE_GLOBAL = 1,
    SPACE_SHARED = 2,
    SPACE_CONSTANT = 4, /* written before the kernel starts, or never: also byval parameters */
    SPACE_LOCAL = 8,
    SPACE_FRAME = 16, /* slots of split_barriers: each group has its own */
    SPACE_ANY = SPACE_GLOBAL | SPACE_SHARED | SPACE_CONSTANT | SPACE_LOCAL | SPACE_FRAME
};

typedef struct MemorySpaces {
    LLVMValueRef fn;
    const PtrMap *roots; /* instruction -> its fixed set, independent of its operands; NULL = none */
    PtrMap spaces;       /* instruction -> set */
    PtrMap escaped;      /* allocas */
    unsigned unknown;    /* the set of a pointer of unknown origin */
} MemorySpaces;

/* Allocated in `a`; describes the current function. */
MemorySpaces *memory_spaces(Arena *a, LLVMValueRef fn);
/* The same for a function that has the bases of the memories as plain values, as entries do. */
MemorySpaces *memory_spaces_from(Arena *a, LLVMValueRef fn, const PtrMap *roots);
/* The set of a pointer, or of a vector of pointers; 0 = the pointer is never valid. */
unsigned spaces_of(const MemorySpaces *m, LLVMValueRef p);
/* It may point to a local array. */
bool may_be_local(const MemorySpaces *m, LLVMValueRef p);
/* The address of this alloca is stored, passed on or converted to an integer somewhere. */
bool alloca_escapes(const MemorySpaces *m, LLVMValueRef alloca);
/* One line for each alloca and for each pointer through which memory is read or written. */
void memory_spaces_print(const MemorySpaces *m, FILE *f);
#endif
