/* interpret.h: memory and launches that the reference interpreter and compiled kernels share. */
#ifndef FUZZ_INTERPRET_H
#define FUZZ_INTERPRET_H
#include "tests/fuzz/program.h"

typedef struct Launch {
    unsigned grid[3], block[3];
    uint32_t param0, param1;
    uint64_t param2;
    float param3;
} Launch;

static inline unsigned launch_threads(const Launch *l) { return l->block[0] * l->block[1] * l->block[2]; }
static inline unsigned launch_blocks(const Launch *l) { return l->grid[0] * l->grid[1] * l->grid[2]; }

/* Bytes of an array: of all blocks for the global ones. */
size_t array_bytes(const Array *x, unsigned blocks);
static inline bool array_is_global(const Array *x) {
    return x->space == SPACE_IN || x->space == SPACE_GLOBAL || x->space == SPACE_ATOMIC || x->space == SPACE_GRID;
}

static inline bool array_is_parameter(const Array *x) { return array_is_global(x) && x->owner < 0; }
static inline bool array_has_memory(const Array *x) { return array_is_parameter(x) && x->alias < 0; }

enum { SHARED_PATTERN = 0x5a }; /* what shared memory holds when a block begins */

/* Shared memory that a block read without having written it.  It finds what was there before; entries for one blockDim
** (promote_shared) do for the static part only. */
typedef enum Unwritten { UNWRITTEN_NONE, UNWRITTEN_STATIC, UNWRITTEN_DYNAMIC } Unwritten;

uint64_t half_bits(double x); /* of the nearest number of 16 bits, of two the even one */

/* Runs the program; memory[i] is that of global array i.  NULL, or why the program is no test: a
** race, a barrier that not all threads reach, too many steps.  *unwritten: what it read so. */
const char *interpret(const Program *p, const Code *c, const Launch *l, void *const *memory, Unwritten *unwritten);
#endif
