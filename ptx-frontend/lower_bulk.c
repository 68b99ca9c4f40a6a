/* lower_bulk.c: cp.async.bulk, cp.reduce.async.bulk, st.async, red.async, st.bulk.
**
** As with cp.async, the copy is complete when the instruction is: its mbarrier gets the bytes at once, and bulk groups
** are always complete.  With .multicast::cluster each block of the mask gets a copy at the same offset.  Sizes are
** known at run time: a loop moves words of 32 bits; the ISA demands multiples of 16 bytes. */
#include "ptx-frontend/lower.h"

Build op_store; /* lower_memory.c */

/* The loop i = 0, step, 2 * step ... while i < n. */
typedef struct Loop {
    LLVMValueRef counter, at, n; /* at: i as 64 bits */
    LLVMBasicBlockRef test, exit;
    unsigned step;
} Loop;

static Loop open_loop(Lower *l, LLVMValueRef n, unsigned step) {
    Loop x = {.n = resize(l, n, 64, false), .step = step, .test = new_block(l, ""), .exit = new_block(l, "")};
    LLVMBasicBlockRef body = new_block(l, "");
    x.counter = add_alloca(l, l->i64, 0, "");
    LLVMBuildStore(l->b, const_int(l, 64, 0), x.counter);
    LLVMBuildBr(l->b, x.test);
    start_block(l, x.test);
    x.at = LLVMBuildLoad2(l->b, l->i64, x.counter, "");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, x.at, x.n, ""), body, x.exit);
    start_block(l, body);
    return x;
}

static void close_loop(Lower *l, Loop *x) {
    LLVMBuildStore(l->b, LLVMBuildAdd(l->b, x->at, const_int(l, 64, x->step), ""), x->counter);
    LLVMBuildBr(l->b, x->test);
    start_block(l, x->exit);
}

static LLVMValueRef byte_at(Lower *l, LLVMValueRef p, LLVMValueRef at) {
    return LLVMBuildGEP2(l->b, l->i8, p, &at, 1, "");
}

static LLVMValueRef load(Lower *l, LLVMTypeRef t, LLVMValueRef p, unsigned align) {
    LLVMValueRef v = LLVMBuildLoad2(l->b, t, p, "");
    LLVMSetAlignment(v, align);
    return v;
}

static void store(Lower *l, LLVMValueRef v, LLVMValueRef p, unsigned align) {
    LLVMSetAlignment(LLVMBuildStore(l->b, v, p), align);
}

/* What an mbarrier in operand `at` waits for has come. */
void complete_at(Lower *l, LLVMValueRef p, LLVMValueRef bytes) {
    LLVMValueRef args[2] = {LLVMTypeOf(p) == l->ptr ? p : LLVMBuildAddrSpaceCast(l->b, p, l->ptr, ""), bytes};
    call_named(l, "__cucpu_ptx_mbarrier_complete", l->nothing, args, 2);
}

LLVMValueRef mbarrier(Lower *l, int at) {
    bool shared = which_mod(l, "shared::cta shared::cluster");
    return address_of(l, &l->inst->ops[at], shared ? SPACE_SHARED_AS : SPACE_GENERIC);
}

static void complete(Lower *l, int at, LLVMValueRef bytes) { complete_at(l, mbarrier(l, at), bytes); }

static void copy_words(Lower *l, LLVMValueRef to, LLVMValueRef from, LLVMValueRef n) {
    Loop x = open_loop(l, n, 4);
    store(l, load(l, l->i32, byte_at(l, from, x.at), 4), byte_at(l, to, x.at), 4);
    close_loop(l, &x);
}

/* .cp_mask: bit i of the mask is for byte i of each 16. */
static void copy_masked(Lower *l, LLVMValueRef to, LLVMValueRef from, LLVMValueRef n, LLVMValueRef mask) {
    Loop x = open_loop(l, n, 1);
    LLVMBasicBlockRef in = new_block(l, ""), out = new_block(l, "");
    LLVMValueRef i = LLVMBuildAnd(l->b, resize(l, x.at, 32, false), const32(l, 15), "");
    LLVMValueRef bit = LLVMBuildLShr(l->b, resize(l, mask, 32, false), i, "");
    LLVMBuildCondBr(l->b, resize(l, bit, 1, false), in, out);
    start_block(l, in);
    store(l, load(l, l->i8, byte_at(l, from, x.at), 1), byte_at(l, to, x.at), 1);
    LLVMBuildBr(l->b, out);
    start_block(l, out);
    close_loop(l, &x);
}

static void reduce(Lower *l, LLVMValueRef to, LLVMValueRef from, LLVMValueRef n) {
    unsigned bytes = l->t[0]->bits / 8u;
    Loop x = open_loop(l, n, bytes);
    LLVMValueRef v = load(l, llvm_type(l, l->t[0]), byte_at(l, from, x.at), bytes);
    modify_element(l, byte_at(l, to, x.at), v);
    close_loop(l, &x);
}

LLVMValueRef in_block(Lower *l, LLVMValueRef p, LLVMValueRef rank) {
    LLVMValueRef args[2] = {LLVMBuildAddrSpaceCast(l->b, p, l->ptr, ""), rank};
    return LLVMBuildAddrSpaceCast(l->b, call_named(l, "__cucpu_cluster_map", l->ptr, args, 2), LLVMTypeOf(p), "");
}

void for_each_block(Lower *l, LLVMValueRef mask, void (*f)(Lower *, LLVMValueRef rank, const void *),
                    const void *with) {
    Loop x = open_loop(l, call_named(l, "__cucpu_cluster_size", l->i32, NULL, 0), 1);
    LLVMBasicBlockRef in = new_block(l, ""), out = new_block(l, "");
    LLVMValueRef rank = resize(l, x.at, 32, false), bit = LLVMBuildLShr(l->b, resize(l, mask, 32, false), rank, "");
    LLVMBuildCondBr(l->b, resize(l, bit, 1, false), in, out);
    start_block(l, in);
    f(l, rank, with);
    LLVMBuildBr(l->b, out);
    start_block(l, out);
    close_loop(l, &x);
}

typedef struct Multicast {
    LLVMValueRef to, from, n, bar;
} Multicast;

static void copy_to_block(Lower *l, LLVMValueRef rank, const void *with) {
    const Multicast *c = with;
    copy_words(l, in_block(l, c->to, rank), c->from, c->n);
    complete_at(l, in_block(l, c->bar, rank), c->n);
}

static void check_operands(Lower *l, int n) {
    if (l->inst->nops != n) fail(l, "'%s' does not take %d operands with these modifiers", l->inst->op, l->inst->nops);
}

/* cp{.reduce}.async.bulk [d], [a], size {, [mbarrier]} {, mask of blocks or of bytes} {, hint}
** how: "sg": to shared memory from global memory, "ss", "gs" */
LLVMValueRef op_copy_bulk(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    const Operand *o = l->inst->ops;
    bool tells = how[0] == 's', masked = has_mod(l, "cp_mask");
    check_operands(l, 3 + tells + masked + has_mod(l, "multicast::cluster") + has_mod(l, "L2::cache_hint"));
    LLVMValueRef to = address_of(l, &o[0], tells ? SPACE_SHARED_AS : SPACE_GLOBAL_AS);
    LLVMValueRef from = address_of(l, &o[1], how[1] == 's' ? SPACE_SHARED_AS : SPACE_GLOBAL_AS);
    LLVMValueRef n = read_operand(l, &o[2], &type_u32);
    if (has_mod(l, "multicast::cluster")) {
        Multicast c = {to, from, n, mbarrier(l, 3)};
        for_each_block(l, read_operand(l, &o[4], &type_b16), copy_to_block, &c)
            ;
        return NULL;
    }
    if (masked) copy_masked(l, to, from, n, read_operand(l, &o[l->inst->nops - 1], &type_b16));
    else if (has_mod(l, "reduce")) reduce(l, to, from, n);
    else copy_words(l, to, from, n);
    if (tells) complete(l, 3, n);
    return NULL;
}

/* st.async{.v2} [a], b, [mbarrier] */
LLVMValueRef op_store_async(Lower *l, LLVMValueRef *v, const char *how) {
    op_store(l, v, how);
    complete(l, 2, const32(l, l->t[0]->bits / 8u * vector_lanes(l)));
    return NULL;
}

/* red.async.op [a], b, [mbarrier] */
LLVMValueRef op_reduce_async(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    LLVMValueRef p = address_of(l, &l->inst->ops[0], space_of_inst(l));
    modify_element(l, p, read_operand(l, &l->inst->ops[1], l->t[0]));
    complete(l, 2, const32(l, l->t[0]->bits / 8u));
    return NULL;
}

/* st.bulk [a], size, 0 */
LLVMValueRef op_store_bulk(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const Operand *o = l->inst->ops;
    LLVMValueRef to = address_of(l, &o[0], space_of_inst(l)), n = read_operand(l, &o[1], &type_b64);
    if (o[2].kind != OPERAND_INT || o[2].value) fail(l, "st.bulk stores zeros only");
    Loop x = open_loop(l, n, 8);
    store(l, const_int(l, 64, 0), byte_at(l, to, x.at), 8);
    close_loop(l, &x);
    return NULL;
}

static void answer(Lower *l, LLVMValueRef to, LLVMValueRef bar) {
    LLVMSetAlignment(LLVMBuildStore(l->b, const_int(l, 128, 0), to), 16);
    complete_at(l, bar, const32(l, 16));
}

static void answer_block(Lower *l, LLVMValueRef rank, const void *with) {
    const Multicast *c = with;
    answer(l, in_block(l, c->to, rank), in_block(l, c->bar, rank));
}

/* clusterlaunchcontrol.try_cancel [answer], [mbarrier]: no block is left to be taken over, as when all of them run.
** The answer is zero then; else its first word would be 1, and the others the block. */
LLVMValueRef op_cancel_launch(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    bool blocks = has_mod(l, "multicast::cluster::all");
    Multicast c = {.to = address_of(l, &l->inst->ops[0], blocks ? SPACE_SHARED_AS : space_of_inst(l))};
    c.bar = blocks ? address_of(l, &l->inst->ops[1], SPACE_SHARED_AS) : mbarrier(l, 1);
    if (blocks)
        for_each_block(l, const32(l, ~0u), answer_block, &c)
            ;
    else answer(l, c.to, c.bar);
    return NULL;
}

/* clusterlaunchcontrol.query_cancel d, answer */
LLVMValueRef op_query_cancel(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const Operand *d = &l->inst->ops[0];
    LLVMValueRef answer = read_operand(l, &l->inst->ops[1], ptx_type("b128")), word[4];
    for (unsigned i = 0; i < 4; i++)
        word[i] = resize(l, LLVMBuildLShr(l->b, answer, const_int(l, 128, 32 * ((i + 1) % 4)), ""), 32, false);
    const char *part = which_mod(l, "get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z");
    if (has_mod(l, "is_canceled")) write_operand(l, d, &type_pred, resize(l, word[3], 1, false));
    else if (part) write_operand(l, d, &type_b32, word[part[strlen(part) - 1] - 'x']);
    else if (d->kind != OPERAND_VECTOR || d->n != 4) ptx_error(l->p, d->loc, "a vector of 4 is expected");
    for (int i = 0; i < 3 && has_mod(l, "v4"); i++) write_operand(l, &d->v[i], &type_b32, word[i]);
    return NULL;
}
