/* edit_cfg.h: small edits of control flow that several passes need. */
#ifndef CUCPU_EDIT_CFG_H
#define CUCPU_EDIT_CFG_H
#include "passes/ir/edit.h"

/* Deletes what follows the instruction in its block, and the edges to successors. */
void erase_after(LLVMValueRef inst);
/* A new block before another one. */
LLVMBasicBlockRef insert_block(LLVMBasicBlockRef before, const char *name);
LLVMBasicBlockRef single_successor(LLVMBasicBlockRef bb); /* NULL: there are more, or none */
/* Phis of the block have the operand from `to` that they had from `from`. */
void redirect_phis(LLVMBasicBlockRef bb, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* Replaces the branch or return `t` by a conditional branch. */
LLVMValueRef replace_by_branch(LLVMBuilderRef b, LLVMValueRef t, LLVMValueRef condition, LLVMBasicBlockRef yes,
                               LLVMBasicBlockRef no);
/* A phi of two values, at the builder. */
LLVMValueRef build_phi2(LLVMBuilderRef b, LLVMValueRef v, LLVMBasicBlockRef from, LLVMValueRef w,
                        LLVMBasicBlockRef other, const char *name);
/* The block contains only an unconditional branch. */
bool is_empty_block(LLVMBasicBlockRef bb);

/* The loop whose only latch ends in this branch, so far without metadata, is not to be unrolled, and has a property
** (NULL: none). */
void forbid_unrolling(LLVMValueRef branch, const char *property);
#endif
