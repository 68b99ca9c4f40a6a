/* lower_warp.c: barriers, fences and the functions of a warp. */
#include "cpu-runtime/abi.h"
#include "ptx-frontend/lower.h"
#include <stdio.h>

static bool is_cta(const Lower *l) { return has_mod(l, "cta"); }

/* What is known of the id of a barrier and of the number of its threads. */
static void check_barrier(Lower *l, LLVMValueRef *v) {
    if (LLVMIsAConstantInt(v[0]) && LLVMConstIntGetZExtValue(v[0]) > 15)
        fail(l, "the number of a barrier is 15 or less");
    if (v[1] && LLVMIsAConstantInt(v[1]) && LLVMConstIntGetZExtValue(v[1]) % (unsigned)l->warp_size)
        fail(l, "the number of threads at a barrier is a multiple of %d", l->warp_size);
}

/* bar.sync a {, b}; barrier{.cta}.sync{.aligned} */
LLVMValueRef op_barrier(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    bool aligned = l->inst->op[3] == 0 || has_mod(l, "aligned");
    check_barrier(l, v);
    char name[64];
    snprintf(name, sizeof name, "barrier.cta.sync%s.%s", aligned ? ".aligned" : "", v[1] ? "count" : "all");
    call_nvvm(l, name, v, v[1] ? 2 : 1);
    return NULL;
}

/* bar.arrive a, b: counted, without waiting (cpu-runtime/abi.h, CUCPU_WAIT_ARRIVE) */
LLVMValueRef op_arrive(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    check_barrier(l, v);
    v[1] = LLVMBuildOr(l->b, v[1], const32(l, CUCPU_WAIT_ARRIVE), "");
    call_nvvm(l, "barrier.cta.sync.count", v, 2);
    return NULL;
}

/* A word for each barrier, in which the threads of bar.red with a thread count add up. */
static LLVMValueRef count_at(Lower *l, LLVMValueRef barrier) {
    LLVMTypeRef t = LLVMArrayType2(l->i32, 16);
    LLVMValueRef g = LLVMGetNamedGlobal(l->mod, "cucpu.ptx.counts"), at[2] = {const32(l, 0), barrier};
    if (!g) {
        g = LLVMAddGlobalInAddressSpace(l->mod, t, "cucpu.ptx.counts", SPACE_SHARED_AS);
        LLVMSetInitializer(g, LLVMGetUndef(t));
        LLVMSetLinkage(g, LLVMInternalLinkage);
    }
    return LLVMBuildGEP2(l->b, t, g, at, 2, "");
}

/* bar.red a, n, p: how many of the threads have p.  Nobody counts before all have seen 0, nor reads before all have
** counted, nor sets 0 again before all have read. */
static LLVMValueRef count_threads(Lower *l, LLVMValueRef *barrier, LLVMValueRef p) {
    check_barrier(l, barrier);
    LLVMValueRef at = count_at(l, barrier[0]);
    LLVMBuildStore(l->b, const32(l, 0), at);
    call_nvvm(l, "barrier.cta.sync.aligned.count", barrier, 2);
    LLVMBuildAtomicRMW(l->b, LLVMAtomicRMWBinOpAdd, at, resize(l, p, 32, false), LLVMAtomicOrderingMonotonic, false);
    call_nvvm(l, "barrier.cta.sync.aligned.count", barrier, 2);
    LLVMValueRef n = LLVMBuildLoad2(l->b, l->i32, at, "");
    call_nvvm(l, "barrier.cta.sync.aligned.count", barrier, 2);
    return n;
}

/* bar.red.popc.u32 d, a {, n}, p; bar.red.and.pred p, a {, n}, q */
LLVMValueRef op_barrier_reduce(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    char name[64];
    bool popc = has_mod(l, "popc"), all = has_mod(l, "and"), counted = l->inst->nops > 3;
    LLVMValueRef p = read_operand(l, &l->inst->ops[counted ? 3 : 2], &type_pred), args[2] = {v[1], p}, r;
    if (counted) {
        args[1] = read_operand(l, &l->inst->ops[2], &type_u32);
        r = count_threads(l, args, all ? LLVMBuildNot(l->b, p, "") : p);
        if (!popc) r = LLVMBuildICmp(l->b, all ? LLVMIntEQ : LLVMIntNE, r, const32(l, 0), "");
    } else {
        snprintf(name, sizeof name, "barrier.cta.red.%s.aligned.all", popc ? "popc" : all ? "and" : "or");
        r = call_nvvm(l, name, args, 2);
    }
    write_operand(l, &l->inst->ops[0], popc ? &type_u32 : &type_pred, popc || counted ? r : resize(l, r, 1, false));
    return NULL;
}

LLVMValueRef op_warp_barrier(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    call_nvvm(l, "bar.warp.sync", v, 1);
    return NULL;
}

LLVMValueRef op_memory_fence(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    call_nvvm(l, is_cta(l) ? "membar.cta" : has_mod(l, "sys") ? "membar.sys" : "membar.gl", NULL, 0);
    return NULL;
}

/* ---- shuffles ---- */

/* shfl.sync.mode.b32 d|p, a, b, c, mask; without .sync no mask */
LLVMValueRef op_shuffle(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    const char *mode = which_mod(l, "up down bfly idx");
    bool sync = has_mod(l, "sync");
    if (sync != (l->inst->nops == 5)) fail(l, "'shfl' has a wrong number of operands");
    char name[60];
    snprintf(name, sizeof name, "shfl.%s%s.i32", sync ? "sync." : "", mode);
    LLVMValueRef args[4] = {v[4], v[1], v[2], v[3]};
    LLVMValueRef r = call_nvvm(l, name, sync ? args : args + 1, sync ? 4 : 3), in = NULL;
    const Operand *d = &l->inst->ops[0];
    if (d->pair) {
        LLVMValueRef where[3] = {call_nvvm(l, "read.ptx.sreg.laneid", NULL, 0), v[2], v[3]};
        snprintf(name, sizeof name, "__cucpu_ptx_shfl_%s", mode);
        in = LLVMBuildICmp(l->b, LLVMIntNE, call_named(l, name, l->i32, where, 3), const32(l, 0), "");
    }
    write_operand(l, d, l->t[0], r);
    if (in) write_operand(l, d->pair, &type_pred, in);
    return NULL;
}

/* vote{.sync}.mode.pred p, q {, mask}; vote.ballot.b32 d, q {, mask} */
LLVMValueRef op_vote(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    const char *mode = which_mod(l, "all any uni ballot");
    bool sync = has_mod(l, "sync"), ballot = !strcmp(mode, "ballot");
    if (sync != (l->inst->nops == 3)) fail(l, "'vote' has a wrong number of operands");
    if (ballot != (l->t[0]->kind == 'b')) fail(l, "'vote.%s' of .%s", mode, l->t[0]->name);
    char name[60];
    snprintf(name, sizeof name, "vote.%s%s", mode, sync ? ".sync" : "");
    LLVMValueRef args[2] = {v[2], v[1]};
    write_operand(l, &l->inst->ops[0], l->t[0], call_nvvm(l, name, sync ? args : args + 1, sync ? 2 : 1));
    return NULL;
}

/* match.any.sync.b32 d, a, mask; match.all.sync.b32 d|p, a, mask */
LLVMValueRef op_match(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    bool all = has_mod(l, "all");
    char name[60];
    snprintf(name, sizeof name, "match.%s.sync.i%d%s", all ? "all" : "any", l->t[0]->bits, all ? "p" : "");
    LLVMValueRef args[2] = {v[2], v[1]}, r = call_nvvm(l, name, args, 2);
    const Operand *d = &l->inst->ops[0];
    if (d->pair) write_operand(l, d->pair, &type_pred, LLVMBuildExtractValue(l->b, r, 1, ""));
    write_operand(l, d, &type_b32, all ? LLVMBuildExtractValue(l->b, r, 0, "") : r);
    return NULL;
}

LLVMValueRef op_active_mask(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    return call_nvvm(l, "activemask", NULL, 0);
}

/* Floats in the order of signed integers: -0 before +0.  Its own inverse. */
static LLVMValueRef ordered(Lower *l, LLVMValueRef bits) {
    LLVMValueRef sign = LLVMBuildAShr(l->b, bits, const32(l, 31), "");
    return LLVMBuildXor(l->b, bits, LLVMBuildAnd(l->b, sign, const32(l, INT32_MAX), ""), "");
}

/* redux.sync.min.f32: NaN is above all numbers, with .NaN below them. */
static LLVMValueRef reduce_floats(Lower *l, LLVMValueRef *v) {
    bool min = has_mod(l, "min"), last = min != has_mod(l, "NaN");
    LLVMValueRef x = v[1], is_nan = LLVMBuildFCmp(l->b, LLVMRealUNO, x, x, "");
    if (has_mod(l, "abs")) x = call_llvm(l, "llvm.fabs", l->f32, &x, 1);
    x = LLVMBuildSelect(l->b, is_nan, const32(l, last ? INT32_MAX : 1u << 31), ordered(l, as_int(l, x)), "");
    LLVMValueRef args[2] = {x, v[2]}, r = call_nvvm(l, min ? "redux.sync.min" : "redux.sync.max", args, 2);
    r = as_type(l, ordered(l, r), &type_f32);
    is_nan = LLVMBuildFCmp(l->b, LLVMRealUNO, r, r, "");
    return LLVMBuildSelect(l->b, is_nan, as_type(l, const32(l, INT32_MAX), &type_f32), r, "");
}

LLVMValueRef op_reduce(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    if (l->t[0]->kind == 'f') return reduce_floats(l, v);
    const char *op = which_mod(l, "add min max and or xor");
    char name[40];
    bool is_signed = l->t[0]->kind == 's', ordered = op[0] == 'm';
    snprintf(name, sizeof name, "redux.sync.%s%s", ordered && !is_signed ? "u" : "", op);
    return call_nvvm(l, name, v + 1, 2);
}

/* elect.sync d|p, mask: the lowest lane of the mask. */
LLVMValueRef op_elect(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    const Operand *d = &l->inst->ops[0];
    LLVMValueRef args[2] = {v[1], LLVMConstInt(l->i1, 0, 0)}, lane = call_nvvm(l, "read.ptx.sreg.laneid", NULL, 0);
    LLVMValueRef first = call_llvm(l, "llvm.cttz", l->i32, args, 2);
    call_nvvm(l, "bar.warp.sync", v + 1, 1);
    if (!d->pair) fail(l, "'elect' gives a predicate: d|p");
    write_operand(l, d->pair, &type_pred, LLVMBuildICmp(l->b, LLVMIntEQ, first, lane, ""));
    if (d->kind != OPERAND_SINK) write_operand(l, d, &type_b32, first);
    return NULL;
}

/* ---- what has no meaning on a CPU ---- */

LLVMValueRef op_nothing(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    if (l->inst->nops && l->row->operands[0] == 'd') return const_int(l, 64, 0);
    if (l->inst->nops && l->row->operands[0] == 'i') return const32(l, 0);
    return NULL;
}

LLVMValueRef op_sleep_for(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    call_nvvm(l, "nanosleep", v, 1);
    return NULL;
}

LLVMValueRef op_not_implemented(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    Vec(char) text = {0};
    for (int i = 0; i < l->inst->nmods; i++) {
        vec_push(&l->p->arena, &text, '.');
        for (const char *s = l->inst->mods[i]; *s; s++) vec_push(&l->p->arena, &text, *s);
    }
    vec_push(&l->p->arena, &text, 0);
    ptx_unsupported(l->p, l->at, "the instruction '%s%s'", l->inst->op, text.v);
}
