/* local_arrays: where the local arrays of a group are; part of loop_groups.
**
** Static allocas of the group code are one object each, used by one group after the other; groups in lockstep have
** separate ones. A thread may have 512 KiB of local memory (Programming Guide, "Compute Capabilities"), a group as much
** for each lane, and a stack may have 8 MiB, or less: larger arrays are in the fixed part of the frame, which is
** allocated. */
#include "passes/groups/loop_groups.h"
#include "passes/ir/edit.h"

enum { MAX_STACK = 1 << 20, MIN_LARGE = 4096 /* bytes of what is moved */, LOCAL_ALIGN = 128 };

static uint64_t bytes_of_alloca(const Loops *l, LLVMValueRef i) {
    return LLVMABISizeOfType(l->k->m->dl, LLVMGetAllocatedType(i)) * LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
}

static bool is_static_alloca(LLVMValueRef i) {
    return LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0));
}

/* Groups in lockstep have separate local arrays. */
static int copies_of_locals(const Loops *l) {
    int copies = 1;
    for (int i = 0; i < l->n; i++)
        if (l->r[i].jam_factor > copies) copies = l->r[i].jam_factor;
    return copies;
}

void plan_locals(Loops *l) {
    uint64_t all = 0, large = 0;
    for_each_cfg_instruction(i, b, l->cfg) {
        uint64_t bytes = is_static_alloca(i) ? bytes_of_alloca(l, i) : 0;
        all += bytes;
        if (bytes >= MIN_LARGE) large += (bytes + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
    }
    if (all * (uint64_t)copies_of_locals(l) <= MAX_STACK || l->variant.interchanged) return;
    if (!l->fixed_bytes) l->fixed_bytes = LOCAL_ALIGN; /* 0 means: none is moved */
    l->large_offset = l->fixed_bytes;
    l->fixed_bytes += large * (uint64_t)copies_of_locals(l);
}

void move_allocas(Loops *l) {
    int copies = copies_of_locals(l);
    uint64_t at = l->large_offset;
    for_each_cfg_instruction(i, b, l->cfg) {
        if (!is_static_alloca(i)) continue;
        uint64_t bytes = bytes_of_alloca(l, i);
        bool moves = l->large_offset && bytes >= MIN_LARGE;
        vec_push(l->a, &l->allocas, i);
        for (int c = 0; c < copies; c++) {
            LLVMValueRef offset = c64(l, at),
                         v = moves ? LLVMBuildInBoundsGEP2(l->b, l->i8, l->fixed, &offset, 1, "local")
                                   : clone_at(l->b, i);
            vec_push(l->a, &l->own[c], v);
            if (moves) at += (bytes + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
        }
    }
}
