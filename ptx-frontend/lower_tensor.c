/* lower_tensor.c: bulk copies of tensors, and tensor maps: calls of the runtime (cpu-runtime/exec/tensor.c), whose map
** this is.
**
** As with all copies, the mbarrier gets the bytes at once.  Refused: the modes .im2col::w, and copies that complete an
** mbarrier of another block (.cta_group::2). */
#include "cpu-runtime/abi.h"
#include "ptx-frontend/lower.h"

enum { RANK = 5 };

typedef struct Tensor {
    LLVMValueRef map, shared, at[RANK], offsets, bar;
    unsigned op;
} Tensor;

static unsigned rank_of(const Lower *l) { return (unsigned)(which_mod(l, "1d 2d 3d 4d 5d")[0] - '0'); }

/* [map, {coordinates}] */
static void read_place(Lower *l, const Operand *o, Tensor *t) {
    bool rows = which_mod(l, "tile::gather4 tile::scatter4");
    unsigned rank = rank_of(l), n = rows ? RANK : rank;
    if (o->kind != OPERAND_TUPLE || o->n != 2) ptx_error(l->p, o->loc, "a tensor map and coordinates are expected");
    if (rows && rank != 2) fail(l, "rows are gathered from tensors of two dimensions");
    const Operand *c = &o->v[1], *all = c->kind == OPERAND_VECTOR ? c->v : c;
    if ((c->kind == OPERAND_VECTOR ? (unsigned)c->n : 1) != n)
        ptx_error(l->p, c->loc, "%u coordinates are expected", n);
    t->map = address_of(l, &o->v[0], SPACE_GENERIC);
    if (LLVMTypeOf(t->map) != l->ptr) t->map = LLVMBuildAddrSpaceCast(l->b, t->map, l->ptr, "");
    for (unsigned i = 0; i < RANK; i++) t->at[i] = i < n ? read_operand(l, &all[i], &type_b32) : const32(l, 0);
}

static LLVMValueRef read_offsets(Lower *l, const Operand *o) {
    const Operand *all = o->kind == OPERAND_VECTOR ? o->v : o;
    unsigned n = o->kind == OPERAND_VECTOR ? (unsigned)o->n : 1;
    LLVMValueRef v = const_int(l, 64, 0);
    if (n != rank_of(l) - 2) ptx_error(l->p, o->loc, "%u offsets are expected", rank_of(l) - 2);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef x = resize(l, read_operand(l, &all[i], &type_b16), 64, false);
        v = LLVMBuildOr(l->b, v, LLVMBuildShl(l->b, x, const_int(l, 64, 16 * i), ""), "");
    }
    return v;
}

static LLVMValueRef copy(Lower *l, const Tensor *t, LLVMValueRef shared) {
    LLVMValueRef args[10] = {t->map, LLVMBuildAddrSpaceCast(l->b, shared, l->ptr, ""), offset_in_shared(l, shared),
                             const32(l, t->op)};
    for (unsigned i = 0; i < RANK; i++) args[4 + i] = t->at[i];
    args[9] = t->offsets;
    return call_named(l, "cucpu_tensor_copy", l->i32, args, 10);
}

static void copy_to_block(Lower *l, LLVMValueRef rank, const void *with) {
    const Tensor *t = with;
    complete_at(l, in_block(l, t->bar, rank), copy(l, t, in_block(l, t->shared, rank)));
}

static unsigned operation(const Lower *l, bool store) {
    static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    unsigned op = rank_of(l) | (store ? CUCPU_TENSOR_STORE : 0);
    if (which_mod(l, "im2col im2col_no_offs")) op |= CUCPU_TENSOR_IM2COL;
    if (which_mod(l, "tile::gather4 tile::scatter4")) op |= CUCPU_TENSOR_ROWS;
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        if (has_mod(l, ops[i])) op |= (i + 1) << CUCPU_TENSOR_REDUCE_SHIFT;
    return op;
}

/* how: "l": [shared], [map, {coordinates}], [mbarrier] {, offsets} {, mask of blocks} {, hint}
**      "s": [map, {coordinates}], [shared] {, hint} */
LLVMValueRef op_copy_tensor(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    const Operand *o = l->inst->ops;
    bool load = *how == 'l', blocks = has_mod(l, "multicast::cluster"), pixels = has_mod(l, "im2col");
    int n = 2 + load + pixels + blocks + has_mod(l, "L2::cache_hint");
    if (l->inst->nops != n) fail(l, "'cp' does not take %d operands with these modifiers", l->inst->nops);
    if (which_mod(l, "im2col im2col_no_offs") && rank_of(l) < 3) fail(l, "images have three dimensions or more");
    Tensor t = {.op = operation(l, !load), .offsets = const_int(l, 64, 0)};
    t.shared = address_of(l, &o[!load], SPACE_SHARED_AS);
    read_place(l, &o[load], &t);
    if (pixels) t.offsets = read_offsets(l, &o[3]);
    if (blocks) {
        t.bar = mbarrier(l, 2);
        for_each_block(l, read_operand(l, &o[3 + pixels], &type_b16), copy_to_block, &t)
            ;
        return NULL;
    }
    LLVMValueRef bytes = copy(l, &t, t.shared);
    if (load) complete_at(l, mbarrier(l, 2), bytes);
    return NULL;
}

/* ---- maps ---- */

static const struct Field {
    const char *name;
    unsigned field, most; /* of what is added, or of the new value where it is a constant */
} fields[] = {{"global_address", CUCPU_MAP_ADDRESS, 0},
              {"rank", CUCPU_MAP_RANK, 0},
              {"box_dim", CUCPU_MAP_BOX, 4},
              {"global_dim", CUCPU_MAP_DIM, 4},
              {"global_stride", CUCPU_MAP_STRIDE, 3},
              {"element_stride", CUCPU_MAP_STEP, 4},
              {"elemtype", CUCPU_MAP_TYPE, 12},
              {"interleave_layout", CUCPU_MAP_FILL + 1, 0},
              {"swizzle_mode", CUCPU_MAP_SWIZZLE, 3},
              {"swizzle_atomicity", CUCPU_MAP_ATOMICITY, 3},
              {"fill_mode", CUCPU_MAP_FILL, 1}};

static uint64_t constant_in(Lower *l, const Operand *o, unsigned most) {
    if (o->kind != OPERAND_INT) ptx_error(l->p, o->loc, "a constant is expected");
    if ((uint64_t)o->value > most) ptx_unsupported(l->p, o->loc, "this value in a tensor map");
    return (uint64_t)o->value;
}

/* tensormap.replace [map] {, dimension}, value */
LLVMValueRef op_replace_in_map(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const Operand *o = l->inst->ops;
    const struct Field *f = fields;
    while (!has_mod(l, f->name)) f++;
    bool shared = has_mod(l, "shared::cta"), ordinal = l->inst->nops == 3;
    LLVMValueRef p = address_of(l, &o[0], shared ? SPACE_SHARED_AS : SPACE_GENERIC), args[4] = {p};
    if (LLVMTypeOf(p) != l->ptr) args[0] = LLVMBuildAddrSpaceCast(l->b, p, l->ptr, "");
    args[1] = const32(l, f->field);
    args[2] = const32(l, ordinal ? constant_in(l, &o[1], f->most) : 0);
    if (f->field >= CUCPU_MAP_TYPE) args[3] = const_int(l, 64, constant_in(l, &o[1], f->most));
    else args[3] = resize(l, read_operand(l, &o[1 + ordinal], l->t[0]), 64, false);
    if (f->field <= CUCPU_MAP_FILL) call_named(l, "cucpu_tensor_replace", l->nothing, args, 4);
    return NULL;
}

/* tensormap.cp_fenceproxy [to], [from], 128: all lanes do it, together */
LLVMValueRef op_copy_map(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const Operand *o = l->inst->ops;
    LLVMValueRef to = address_of(l, &o[0], SPACE_GLOBAL_AS), from = address_of(l, &o[1], SPACE_SHARED_AS);
    if (o[2].kind != OPERAND_INT || o[2].value != 128) fail(l, "a tensor map has 128 bytes");
    LLVMValueRef all = const32(l, ~0u);
    call_nvvm(l, "bar.warp.sync", &all, 1);
    for (int i = 0; i < 128; i += 8) {
        LLVMValueRef x = LLVMBuildLoad2(l->b, l->i64, offset_by(l, from, i), "");
        LLVMSetAlignment(LLVMBuildStore(l->b, x, offset_by(l, to, i)), 8);
    }
    call_nvvm(l, "bar.warp.sync", &all, 1);
    return NULL;
}
