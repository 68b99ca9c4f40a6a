/* split_warps: at width 1 a thread stops where it synchronises with others of its warp.
**
** in:  code of one thread with warp-level functions
** out: each of them is a cucpu.meet: a cut like a barrier, after which the thread has its result. Its operands are in
**      the frame while it waits; the runtime (cpu-runtime/exec/warp.c) matches the threads and computes the results.
**      Votes become integers here, and i1 again.
** Why a cut, and not one loop over the lanes: threads of a warp may arrive from different call sites, with different
** masks, after different numbers of iterations, and some may hold the lock that others spin for. Warp-synchronous code
** (volatile memory, no __syncwarp; analysis/warp_synchronous) relies on lanes running in lockstep: there every thread
** stops before each such access until all that can reach it have arrived.
** Wider groups are whole warps: widen makes vector code of these functions.
** Refuses: masks as results at a warp size of 64, which 32 bits cannot hold. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/warp_synchronous.h"
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

typedef struct Function {
    Name name;
    uint32_t op;
    const char *operands; /* operand order, after the mask: v value, w both words, l lane, c clamp word */
} Function;

static const Function functions[] = {
    {NAME_SYNCWARP, CUCPU_WARP_SYNC, ""},          {NAME_SHFL_IDX, CUCPU_WARP_SHFL_IDX, "vlc"},
    {NAME_SHFL_UP, CUCPU_WARP_SHFL_UP, "vlc"},     {NAME_SHFL_DOWN, CUCPU_WARP_SHFL_DOWN, "vlc"},
    {NAME_SHFL_XOR, CUCPU_WARP_SHFL_XOR, "vlc"},   {NAME_BALLOT, CUCPU_WARP_BALLOT, "v"},
    {NAME_VOTE_ANY, CUCPU_WARP_ANY, "v"},          {NAME_VOTE_ALL, CUCPU_WARP_ALL, "v"},
    {NAME_VOTE_UNI, CUCPU_WARP_UNI, "v"},          {NAME_ACTIVEMASK, CUCPU_WARP_ACTIVE, ""},
    {NAME_MATCH_ANY32, CUCPU_WARP_MATCH_ANY, "w"}, {NAME_MATCH_ANY64, CUCPU_WARP_MATCH_ANY, "w"},
    {NAME_MATCH_ALL32, CUCPU_WARP_MATCH_ALL, "w"}, {NAME_MATCH_ALL64, CUCPU_WARP_MATCH_ALL, "w"},
    {NAME_REDUX_ADD, CUCPU_WARP_ADD, "v"},         {NAME_REDUX_UMIN, CUCPU_WARP_UMIN, "v"},
    {NAME_REDUX_UMAX, CUCPU_WARP_UMAX, "v"},       {NAME_REDUX_MIN, CUCPU_WARP_MIN, "v"},
    {NAME_REDUX_MAX, CUCPU_WARP_MAX, "v"},         {NAME_REDUX_AND, CUCPU_WARP_AND, "v"},
    {NAME_REDUX_OR, CUCPU_WARP_OR, "v"},           {NAME_REDUX_XOR, CUCPU_WARP_XOR, "v"},
};

typedef struct SplitWarps {
    Kernel *k;
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64;
} SplitWarps;

static const Function *find_function(Name n) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].name == n) return &functions[i];
    return NULL;
}

static LLVMValueRef as_word(SplitWarps *s, LLVMValueRef v) { return LLVMBuildZExtOrBitCast(s->b, v, s->i32, ""); }

static void pack_operand(SplitWarps *s, char where, LLVMValueRef v, LLVMValueRef *args) {
    bool wide = LLVMTypeOf(v) == s->i64;
    switch (where) {
    case 'l': args[4] = v; break;
    case 'c': args[5] = v; break;
    case 'w':
        args[3] = LLVMConstNull(s->i32);
        if (wide) {
            LLVMValueRef high = LLVMBuildLShr(s->b, v, LLVMConstInt(s->i64, 32, 0), "");
            args[3] = LLVMBuildTrunc(s->b, high, s->i32, "high");
        }
        args[2] = wide ? LLVMBuildTrunc(s->b, v, s->i32, "low") : v;
        break;
    default: args[2] = as_word(s, v); break;
    }
}

static LLVMValueRef meet(SplitWarps *s, uint32_t op, LLVMValueRef *args) {
    args[0] = LLVMConstInt(s->i32, CUCPU_WAIT_WARP | op, 0);
    return name_call(s->b, s->k->m->mod, NAME_MEET, args, 6, "met");
}

static void no_operands(const SplitWarps *s, LLVMValueRef *args) {
    args[1] = LLVMConstNull(s->i32);
    for (int i = 2; i < 6; i++) args[i] = LLVMGetPoison(s->i32);
}

static void split_call(SplitWarps *s, LLVMValueRef call, const Function *f) {
    LLVMValueRef args[6];
    set_insert_point(s->b, call);
    no_operands(s, args);
    if (LLVMGetNumArgOperands(call)) args[1] = LLVMGetOperand(call, 0);
    for (unsigned i = 0; f->operands[i]; i++) pack_operand(s, f->operands[i], LLVMGetOperand(call, 1 + i), args);
    LLVMValueRef r = meet(s, f->op, args);
    if (!is_void(call)) {
        if (LLVMTypeOf(call) != s->i32) r = LLVMBuildTrunc(s->b, r, LLVMTypeOf(call), "");
        LLVMReplaceAllUsesWith(call, r);
    }
    LLVMInstructionEraseFromParent(call);
}

static void step(SplitWarps *s, LLVMValueRef access) {
    LLVMValueRef args[6];
    set_insert_point(s->b, access);
    no_operands(s, args);
    meet(s, CUCPU_WARP_STEP, args);
}

static Nyi split_all(SplitWarps *s) {
    Vec(LLVMValueRef) todo = {0};
    const MemorySpaces *memory = memory_spaces(s->k->arena, s->k->fn);
    bool polls = fn_attr_int(s->k->fn, ATTR_FLAGS, 0) & CUCPU_KERNEL_POLLS;
    for_each_instruction(i, s->k->fn) {
        Name n = name_of_call(i);
        if (s->k->m->opt->warp_size > 32 && name_gives_lanes(n)) return NYI_WARP_MASK;
        if (find_function(n) || is_warp_synchronous(memory, i, polls)) vec_push(s->k->arena, &todo, i);
    }
    for (int i = 0; i < todo.n; i++) {
        const Function *f = find_function(name_of_call(todo.v[i]));
        if (f) split_call(s, todo.v[i], f);
        else step(s, todo.v[i]);
    }
    return NYI_NONE;
}

Nyi split_warps(Kernel *k) {
    if (k->width > 1) return NYI_NONE;
    SplitWarps s = {.k = k, .b = LLVMCreateBuilderInContext(k->m->ctx)};
    s.i32 = LLVMInt32TypeInContext(k->m->ctx);
    s.i64 = LLVMInt64TypeInContext(k->m->ctx);
    Nyi refused = split_all(&s);
    LLVMDisposeBuilder(s.b);
    return refused;
}
