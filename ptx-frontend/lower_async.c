/* lower_async.c: mbarriers, asynchronous copies, clusters.
**
** An mbarrier is a word of 64 bits that functions of the device library change (ptx_memory.cu); waiting is a loop of
** the program, which polls.  A copy is complete when its instruction is, which the ISA allows: what it reports to an
** mbarrier comes at once, and groups of copies are always complete.  An address in shared::cluster names a block;
** import_clusters resolves it. */
#include "passes/ir/names.h"
#include "ptx-frontend/lower.h"
#include <stdio.h>

static LLVMValueRef generic(Lower *l, LLVMValueRef p) {
    return LLVMTypeOf(p) == l->ptr ? p : LLVMBuildAddrSpaceCast(l->b, p, l->ptr, "");
}

static LLVMValueRef address(Lower *l, int at) { return generic(l, address_of(l, &l->inst->ops[at], space_of_inst(l))); }

static LLVMValueRef word(Lower *l, int at, uint64_t without) {
    return at < l->inst->nops ? read_operand(l, &l->inst->ops[at], &type_u32) : const32(l, without);
}

static LLVMValueRef call(Lower *l, const char *name, LLVMTypeRef t, LLVMValueRef *args, unsigned n) {
    char full[60];
    snprintf(full, sizeof full, "__cucpu_ptx_mbarrier_%s", name);
    return call_named(l, full, t, args, n);
}

/* how: the function; "init" and "expect" take a count, "inval" nothing */
LLVMValueRef op_mbarrier_set(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    LLVMValueRef args[2] = {address(l, 0), NULL};
    if (l->inst->nops > 1) args[1] = word(l, 1, 0);
    call(l, how, l->nothing, args, (unsigned)l->inst->nops);
    return NULL;
}

/* state, [a] {, count}; with .expect_tx: state, [a], bytes */
LLVMValueRef op_mbarrier_arrive(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    bool bytes = has_mod(l, "expect_tx");
    LLVMValueRef args[3] = {address(l, 1), bytes ? const32(l, 1) : word(l, 2, 1),
                            bytes ? word(l, 2, 0) : const32(l, 0)};
    write_operand(l, &l->inst->ops[0], &type_b64, call(l, how, l->i64, args, 3));
    return NULL;
}

/* passed, [a], state or parity {, time} */
LLVMValueRef op_mbarrier_test(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    LLVMValueRef args[2] = {address(l, 1), NULL};
    if (has_mod(l, "parity")) {
        args[1] = word(l, 2, 0);
    } else {
        LLVMValueRef state = read_operand(l, &l->inst->ops[2], &type_b64);
        args[1] = resize(l, LLVMBuildLShr(l->b, state, const_int(l, 64, 63), ""), 32, false);
    }
    LLVMValueRef passed = call(l, "passed", l->i32, args, 2);
    write_operand(l, &l->inst->ops[0], &type_pred, LLVMBuildICmp(l->b, LLVMIntNE, passed, const32(l, 0), ""));
    return NULL;
}

LLVMValueRef op_mbarrier_pending(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    return call(l, "pending", l->i32, v + 1, 1);
}

/* cp.async.mbarrier.arrive: without .noinc it takes back what it adds, when the copies are complete: at once */
LLVMValueRef op_copies_arrive(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    LLVMValueRef args[3] = {address(l, 0), const32(l, 1), const32(l, 0)};
    if (has_mod(l, "noinc")) call(l, "arrive", l->i64, args, 3);
    return NULL;
}

/* ---- copies ---- */

/* All words are read before the first is written: widen combines neighbours that have nothing between them. */
static void copy_words(Lower *l, LLVMValueRef to, LLVMValueRef from, unsigned n) {
    LLVMValueRef x[4];
    for (unsigned i = 0; i < n; i++) {
        x[i] = LLVMBuildLoad2(l->b, l->i32, offset_by(l, from, 4 * i), "");
        LLVMSetAlignment(x[i], 4);
    }
    for (unsigned i = 0; i < n; i++) LLVMSetAlignment(LLVMBuildStore(l->b, x[i], offset_by(l, to, 4 * i)), 4);
}

/* Copies if `holds`; else the word is zero.  kept: the mask of what is copied, or NULL.  The rest of the word may be
** past the source's end, but an aligned word can be read if its first byte can. */
static void copy_word_if(Lower *l, LLVMValueRef holds, LLVMValueRef to, LLVMValueRef from, LLVMValueRef kept) {
    LLVMBasicBlockRef in = new_block(l, ""), out = new_block(l, "");
    LLVMSetAlignment(LLVMBuildStore(l->b, const32(l, 0), to), 4);
    LLVMBuildCondBr(l->b, holds, in, out);
    start_block(l, in);
    LLVMValueRef x = LLVMBuildLoad2(l->b, l->i32, from, "");
    LLVMSetAlignment(x, 4);
    LLVMSetAlignment(LLVMBuildStore(l->b, kept ? LLVMBuildAnd(l->b, x, kept, "") : x, to), 4);
    LLVMBuildBr(l->b, out);
    start_block(l, out);
}

/* The first `given` - `at` bytes of a word, 4 at most; given > at. */
static LLVMValueRef first_bytes(Lower *l, LLVMValueRef given, unsigned at) {
    LLVMValueRef args[2] = {LLVMBuildSub(l->b, given, const32(l, at), ""), const32(l, 4)};
    LLVMValueRef bits = LLVMBuildShl(l->b, call_llvm(l, "llvm.umin", l->i32, args, 2), const32(l, 3), "");
    return LLVMBuildLShr(l->b, const32(l, UINT32_MAX),
                         LLVMBuildAnd(l->b, LLVMBuildNeg(l->b, bits, ""), const32(l, 31), ""), "");
}

/* cp.async.ca.shared.global [d], [a], n {, source bytes | predicate}: what the source does not have is zero, and all
** of it if the predicate holds. */
LLVMValueRef op_copy_async(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const Inst *i = l->inst;
    LLVMValueRef size = read_operand(l, &i->ops[2], &type_u32), given = NULL, skip = NULL;
    if (!LLVMIsAConstantInt(size)) fail(l, "the size of cp.async is a constant");
    unsigned n = (unsigned)LLVMConstIntGetZExtValue(size),
             extra = (unsigned)(i->nops - 3) - has_mod(l, "L2::cache_hint");
    if (n != 4 && n != 8 && n != 16) fail(l, "cp.async copies 4, 8 or 16 bytes");
    if (has_mod(l, "cg") && n != 16) fail(l, "cp.async.cg copies 16 bytes");
    if (extra > 1) fail(l, "'cp' has a wrong number of operands");
    LLVMValueRef to = address_of(l, &i->ops[0], SPACE_SHARED_AS), from = address_of(l, &i->ops[1], SPACE_GLOBAL_AS);
    if (extra && operand_bits(l, &i->ops[3]) == 1) skip = read_operand(l, &i->ops[3], &type_pred);
    else if (extra) given = read_operand(l, &i->ops[3], &type_u32);
    if (!given && !skip) copy_words(l, to, from, n / 4);
    for (unsigned at = 0; at < n && (given || skip); at += 4) {
        LLVMValueRef d = offset_by(l, to, at), s = offset_by(l, from, at);
        if (given)
            copy_word_if(l, LLVMBuildICmp(l->b, LLVMIntUGT, given, const32(l, at), ""), d, s,
                         first_bytes(l, given, at));
        else copy_word_if(l, LLVMBuildNot(l->b, skip, ""), d, s, NULL);
    }
    return NULL;
}

/* ---- clusters ---- */

/* how: "arrive", "wait" */
LLVMValueRef op_cluster_barrier(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    char name[40];
    snprintf(name, sizeof name, "barrier.cluster.%s", how);
    call_nvvm(l, name, NULL, 0);
    return NULL;
}

/* An address in the window of the cluster, as 64 bits; without .shared::cluster a generic one, as a pointer. */
static LLVMValueRef address_in_cluster(Lower *l, const Operand *o) {
    bool window = has_mod(l, "shared::cluster");
    Sym *x = o->kind == OPERAND_NAME ? try_sym(l, o->name) : NULL;
    if (!window && x && x->kind == SYM_MEMORY)
        ptx_error(l->p, o->loc, "'%s' has no generic address here: .shared::cluster is missing", o->name);
    if (!window && l->t[0]->bits != 64) ptx_unsupported(l->p, l->at, "addresses of 32 bits");
    LLVMValueRef a = resize(l, read_operand(l, o, l->t[0]), 64, false);
    return window ? a : LLVMBuildIntToPtr(l->b, a, l->ptr, "");
}

/* mapa d, a, rank */
LLVMValueRef op_map_address(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    bool window = has_mod(l, "shared::cluster");
    LLVMValueRef args[2] = {address_in_cluster(l, &l->inst->ops[1]), read_operand(l, &l->inst->ops[2], &type_u32)};
    LLVMValueRef r =
        call_named(l, window ? "__cucpu_cluster_window_map" : "__cucpu_cluster_map", window ? l->i64 : l->ptr, args, 2);
    if (!window) r = LLVMBuildPtrToInt(l->b, r, l->i64, "");
    write_operand(l, &l->inst->ops[0], l->t[0], resize(l, r, l->t[0]->bits, false));
    return NULL;
}

/* getctarank d, a */
LLVMValueRef op_rank_of_address(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    bool window = has_mod(l, "shared::cluster");
    LLVMValueRef a = address_in_cluster(l, &l->inst->ops[1]);
    write_operand(l, &l->inst->ops[0], &type_u32,
                  call_named(l, window ? "__cucpu_cluster_window_rank" : "__cucpu_cluster_rank_of", l->i32, &a, 1));
    return NULL;
}
