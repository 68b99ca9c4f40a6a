/* clone_blocks.h: a second copy of a part of a function. */
#ifndef CUCPU_CLONE_BLOCKS_H
#define CUCPU_CLONE_BLOCKS_H
#include "passes/ir/cfg.h"

/* Clones the blocks of `has`, all of which `first` dominates, before it; edges and values among them lead to clones.
** Phis of their successors outside get an entry for each edge that leaves the copy. The copy has no predecessor yet.
** map: gets the clone of every instruction. Returns block -> its clone (in the arena). */
LLVMBasicBlockRef *clone_blocks(Arena *a, const Cfg *c, const bool *has, int first, const char *name, PtrMap *map);
/* Values of the blocks that are used after them get a phi in block `end`, the only successor of them and their
** copies. */
void join_clones(const Cfg *c, const bool *has, int end, LLVMBasicBlockRef const *copy, const PtrMap *map);
/* The copy of a value or block, if the map has one, else itself. */
LLVMValueRef copied_value(PtrMap *map, LLVMValueRef v);
LLVMBasicBlockRef copied_block(PtrMap *map, LLVMBasicBlockRef b);
/* Replaces the operands of the instructions of a block, which are copies, by the copies. */
void use_copies(PtrMap *map, LLVMBasicBlockRef b);
#endif
