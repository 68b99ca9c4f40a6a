/* alias_scopes: tells LLVM which memory of an entry does not alias (part of loop_groups).
**
** in:  the entry, its ids and parameters still in the form of loop_groups
** out: !alias.scope and !noalias on loads, stores and masked accesses:
**        frame    slots of the frame that are only loaded and stored; no address of the program points there
**        shared   addresses computed from the block's shared memory, and from nothing else
**        global   addresses computed from pointer parameters: the host has no pointers to shared memory
**
** The roots are the values that stand for these in an entry (analysis/memory_spaces.h). Without the scopes a store to a
** tile keeps LLVM from hoisting loads from global memory or from the frame out of a group loop, and vice versa. A local
** array in the frame can be reached through any pointer: where there is one, only the addresses of known origin are
** marked. Slots of the frame may share memory among themselves: one scope for all. */
#include "passes/ir/edit.h"
#include "passes/groups/loop_groups.h"
#include "passes/ir/value.h"

typedef enum Origin { UNKNOWN, FRAME, SHARED, GLOBAL, ORIGINS } Origin;

typedef struct Scopes {
    const Loops *l;
    LLVMContextRef c;
    MemorySpaces *memory;
    bool arrays; /* some of the frame is accessed by computed addresses */
    LLVMMetadataRef scope[ORIGINS];
    unsigned is, is_not;
} Scopes;

/* Uses of a slot are only loads and stores. */
static bool is_plain_slot(LLVMValueRef p) {
    for_each_user(i, p) {
        bool store = LLVMIsAStoreInst(i) && LLVMGetOperand(i, 0) != p;
        if (!LLVMIsALoadInst(i) && !store) return false;
    }
    return true;
}

static Origin origin(const Scopes *s, LLVMValueRef p) {
    switch (spaces_of(s->memory, p)) {
    case SPACE_FRAME: {
        bool slot = LLVMIsAGetElementPtrInst(p) && LLVMGetOperand(p, 0) == s->l->frame;
        return slot && is_plain_slot(p) ? FRAME : UNKNOWN;
    }
    case SPACE_SHARED: return SHARED;
    case SPACE_GLOBAL: return GLOBAL;
    default: return UNKNOWN;
    }
}

/* The pointer operand of a memory access, or NULL. */
static LLVMValueRef address_of(LLVMValueRef i) {
    MaskedOperands m;
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) return LLVMGetOperand(i, (unsigned)accessed_operand(i));
    return masked_operands(i, &m) && !m.scattered ? LLVMGetOperand(i, m.pointer) : NULL;
}

static LLVMMetadataRef list(const Scopes *s, LLVMMetadataRef *v, size_t n) { return LLVMMDNodeInContext2(s->c, v, n); }

static void declare_scopes(Scopes *s) {
    static const char *const names[ORIGINS] = {"", "frame", "shared", "global"};
    LLVMMetadataRef name = LLVMMDStringInContext2(s->c, "cucpu.memory", 12), domain = list(s, &name, 1);
    for (int o = FRAME; o < ORIGINS; o++) {
        LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(s->c, names[o], strlen(names[o])), domain};
        s->scope[o] = list(s, parts, 2);
    }
    s->is = LLVMGetMDKindIDInContext(s->c, "alias.scope", 11);
    s->is_not = LLVMGetMDKindIDInContext(s->c, "noalias", 7);
}

static void mark_scopes(const Scopes *s, LLVMValueRef i, Origin o) {
    LLVMMetadataRef apart[ORIGINS], own = s->scope[o];
    size_t n = 0;
    for (int other = FRAME; other < ORIGINS; other++) {
        if (other == (int)o || (o == UNKNOWN && other != FRAME)) continue;
        apart[n++] = s->scope[other];
    }
    if (o != UNKNOWN) LLVMSetMetadata(i, s->is, LLVMMetadataAsValue(s->c, list(s, &own, 1)));
    LLVMSetMetadata(i, s->is_not, LLVMMetadataAsValue(s->c, list(s, apart, n)));
}

/* Arrays in the frame, to which any address may point. */
static bool has_arrays(const Loops *l) {
    if (l->large_offset) return true;
    for_each_user(user, l->frame)
        if (!is_plain_slot(user)) return true;
    return false;
}

static void find_roots(const Loops *l, PtrMap *roots) {
    map_init(roots, l->a);
    for (unsigned i = 0; i < LLVMCountParams(l->k->fn); i++)
        if (LLVMTypeOf(l->args[i]) == l->ptr) map_put(roots, l->args[i], SPACE_GLOBAL);
    map_put(roots, l->id[NAME_SHARED], SPACE_SHARED);
    map_put(roots, l->fixed, SPACE_FRAME);
}

void mark_alias_scopes(const Loops *l) {
    Scopes s = {.l = l, .c = l->k->m->ctx};
    PtrMap roots;
    find_roots(l, &roots);
    s.memory = memory_spaces_from(l->a, l->entry, &roots);
    s.arrays = has_arrays(l);
    declare_scopes(&s);
    for_each_instruction(i, l->entry) {
        LLVMValueRef p = address_of(i);
        if (!p || spaces_of(s.memory, p) == SPACE_LOCAL) continue;
        Origin o = origin(&s, p);
        if (o == UNKNOWN && s.arrays) continue;
        mark_scopes(&s, i, o);
    }
}
