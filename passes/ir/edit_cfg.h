/* edit_cfg.h: small edits of control flow that several passes need. */
#ifndef CUCPU_EDIT_CFG_H
#define CUCPU_EDIT_CFG_H
#include "passes/ir/edit.h"

/* Deletes what comes after the instruction in its block, and the edges to successors. */
void erase_after(LLVMValueRef inst);
/* Phis of the block take from `to` what they took from `from`. */
void redirect_phis(LLVMBasicBlockRef bb, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* The branch or return `t` is replaced by a branch on the condition. */
LLVMValueRef replace_by_branch(LLVMBuilderRef b, LLVMValueRef t, LLVMValueRef condition, LLVMBasicBlockRef yes,
                               LLVMBasicBlockRef no);
/* A phi of two values, where the builder is. */
LLVMValueRef build_phi2(LLVMBuilderRef b, LLVMValueRef v, LLVMBasicBlockRef from, LLVMValueRef w,
                        LLVMBasicBlockRef other, const char *name);
/* The block is nothing but an unconditional branch. */
bool is_empty_block(LLVMBasicBlockRef bb);
#endif
