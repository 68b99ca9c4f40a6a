/* lower_texture.c: textures and surfaces, by the sampling code of the device library (ptx_texture.cu).
**
** Handles are registers of 64 bits, as CUDA has had them since version 5: [handle, {coordinates}].  A function of the
** library writes four words of a local variable; for a surface it finds the address of an element, which is a local
** variable outside the surface.  A variable of type .texref or .surfref holds a handle.  Refused: samplers of their
** own, offsets in levels, comparisons of depth. */
#include "ptx-frontend/lower.h"
#include <stdio.h>

typedef struct Place {
    LLVMValueRef handle, at[3], layer; /* at: as the coordinates' type; layer: an integer */
    int n;                             /* coordinates */
    bool cube;
} Place;

static LLVMValueRef handle_of(Lower *l, const Operand *o) {
    if (o->kind == OPERAND_ADDRESS && o->n == 1 && !o->value) o = &o->v[0];
    Sym *s = o->kind == OPERAND_NAME ? find_sym(l, o->name, o->loc) : NULL;
    if (s && s->kind == SYM_MEMORY && s->type.kind != 'o')
        ptx_error(l->p, o->loc, "'%s' is no texture or surface", o->name);
    return read_operand(l, o, &type_b64);
}

/* [handle, {layer, x, y, z}]; elements beyond the geometry's are padding: 1, 2 or 4 are given, by old nvcc always 4. */
static Place place_of(Lower *l, const Operand *o, const PtxType *t) {
    const char *geometry = which_mod(l, "1d 2d 3d a1d a2d cube acube");
    bool array = geometry[0] == 'a';
    if (o->kind != OPERAND_TUPLE) ptx_error(l->p, o->loc, "a handle and coordinates are expected");
    if (o->n > 2) ptx_unsupported(l->p, o->loc, "a sampler");
    if (o->n < 2) ptx_error(l->p, o->loc, "coordinates are missing");
    Place p = {.handle = handle_of(l, &o->v[0]), .layer = const32(l, 0)};
    p.cube = strstr(geometry, "cube") != NULL;
    p.n = p.cube ? 3 : geometry[array] - '0';
    const Operand *c = &o->v[1], *all = c->kind == OPERAND_VECTOR ? c->v : c;
    int given = c->kind == OPERAND_VECTOR ? c->n : 1, needed = p.n + array;
    if ((given != 1 && given != 2 && given != 4) || given < needed)
        ptx_error(l->p, c->loc, "'.%s' takes %d coordinates", geometry, needed == 3 ? 4 : needed);
    if (array) p.layer = read_operand(l, &all[0], &type_b32);
    for (int i = 0; i < p.n; i++) p.at[i] = read_operand(l, &all[i + array], t);
    return p;
}

static LLVMValueRef scratch(Lower *l, unsigned words) {
    LLVMTypeRef t = LLVMArrayType2(l->i32, words);
    LLVMValueRef a = add_alloca(l, t, 16, "");
    LLVMBuildStore(l->b, LLVMConstNull(t), a);
    return a;
}

static void write_four(Lower *l, LLVMValueRef from) {
    static const char *const parts[] = {"x", "y", "z", "w"};
    const Operand *d = &l->inst->ops[0];
    if (d->pair) write_operand(l, d->pair, &type_pred, LLVMConstInt(l->i1, 1, 0)); /* all textures are resident */
    for (int i = 0; i < 4; i++) {
        Operand one = d->kind == OPERAND_VECTOR && d->n == 4 ? d->v[i] : *d;
        one.pair = NULL;
        if (d->kind != OPERAND_VECTOR) one.member = parts[i];
        if (d->kind == OPERAND_VECTOR && d->n != 4) ptx_error(l->p, d->loc, "a vector of 4 is expected");
        if (one.kind != OPERAND_SINK)
            write_operand(l, &one, l->t[0],
                          as_type(l, LLVMBuildExtractElement(l->b, from, const32(l, (uint64_t)i), ""), l->t[0]));
    }
}

/* v2 of f16x2 */
static void write_halves(Lower *l, LLVMValueRef from) {
    const Operand *d = &l->inst->ops[0];
    if (d->kind != OPERAND_VECTOR || d->n != 2) ptx_error(l->p, d->loc, "a vector of 2 is expected");
    if (d->pair) write_operand(l, d->pair, &type_pred, LLVMConstInt(l->i1, 1, 0));
    LLVMTypeRef t = LLVMVectorType(l->f16, 4);
    from = LLVMBuildFPTrunc(l->b, LLVMBuildBitCast(l->b, from, LLVMVectorType(l->f32, 4), ""), t, "");
    from = LLVMBuildBitCast(l->b, from, LLVMVectorType(l->i32, 2), "");
    for (unsigned i = 0; i < 2; i++)
        write_operand(l, &d->v[i], &type_b32, LLVMBuildExtractElement(l->b, from, const32(l, i), ""));
}

/* Distances in texels, after the level or the derivatives. */
static void add_offsets(Lower *l, Place *p) {
    int given = 2 + has_mod(l, "level") + 2 * has_mod(l, "grad");
    const Operand *o = &l->inst->ops[given];
    if (l->inst->nops <= given) return;
    if (l->inst->nops > given + 1 || o->kind != OPERAND_VECTOR) ptx_unsupported(l->p, l->at, "depths of 'tex'");
    if (which_mod(l, "level grad")) ptx_unsupported(l->p, o->loc, "offsets in a level of a texture");
    if (o->n < p->n || p->cube) ptx_error(l->p, o->loc, "a vector of %d is expected", p->n);
    for (int i = 0; i < p->n; i++) {
        LLVMValueRef by = read_operand(l, &o->v[i], &type_s32),
                     args[4] = {p->handle, p->at[i], by, const32(l, (uint64_t)i)};
        p->at[i] = l->t[1]->kind == 's' ? LLVMBuildAdd(l->b, p->at[i], by, "")
                                        : call_named(l, "__cucpu_ptx_tex_offset", l->f32, args, 4);
    }
}

/* An index of a texel as the coordinate of its middle. */
static LLVMValueRef real(Lower *l, LLVMValueRef v) {
    if (LLVMTypeOf(v) == l->f32) return v;
    return LLVMBuildFAdd(l->b, LLVMBuildSIToFP(l->b, v, l->f32, ""), LLVMConstReal(l->f32, 0.5), "");
}

/* .grad: two vectors of derivatives after the address */
static LLVMValueRef level_of_derivatives(Lower *l, const Place *p) {
    LLVMValueRef d = scratch(l, 6), args[3] = {p->handle, d, const32(l, (uint64_t)p->n)};
    if (l->inst->nops < 4) fail(l, "'tex.grad' needs two vectors of derivatives");
    for (int k = 0; k < 2; k++) {
        const Operand *o = &l->inst->ops[2 + k], *all = o->kind == OPERAND_VECTOR ? o->v : o;
        int n = o->kind == OPERAND_VECTOR ? o->n : 1;
        if (n < p->n) ptx_error(l->p, o->loc, "a vector of %d is expected", p->n);
        for (int i = 0; i < p->n; i++)
            LLVMBuildStore(l->b, read_operand(l, &all[i], &type_f32), offset_by(l, d, 4 * (3 * k + i)));
    }
    LLVMValueRef at_cube[5] = {p->handle, d, p->at[0], p->at[1], p->at[2]};
    return p->cube ? call_named(l, "__cucpu_ptx_tex_lod_cube", l->f32, at_cube, 5)
                   : call_named(l, "__cucpu_ptx_tex_lod", l->f32, args, 3);
}

static LLVMValueRef level_of(Lower *l, const Place *p) {
    if (has_mod(l, "grad")) return level_of_derivatives(l, p);
    if (!has_mod(l, "level")) return LLVMConstReal(l->f32, 0);
    if (l->inst->nops < 3) fail(l, "'tex.level' needs a level");
    LLVMValueRef v = read_operand(l, &l->inst->ops[2], l->t[1]);
    return l->t[1]->kind == 's' ? LLVMBuildSIToFP(l->b, v, l->f32, "") : v;
}

LLVMValueRef op_texture(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    char name[48];
    bool halves = l->t[0]->lanes == 2;
    const char *kind = l->t[0]->kind == 'f' ? "float" : "int";
    Place p = place_of(l, &l->inst->ops[1], l->t[1]);
    add_offsets(l, &p);
    LLVMValueRef lod = level_of(l, &p), four;
    LLVMTypeRef words = LLVMVectorType(l->i32, 4);
    if (has_mod(l, "1d") && l->t[1]->kind == 's' && !has_mod(l, "level")) {
        LLVMValueRef args[2] = {p.handle, p.at[0]};
        snprintf(name, sizeof name, "__cucpu_ptx_texel_%s", kind);
        four = call_named(l, name, words, args, 2);
    } else {
        LLVMValueRef zero = LLVMConstReal(l->f32, 0);
        LLVMValueRef args[6] = {
            p.handle, real(l, p.at[0]), p.n > 1 ? real(l, p.at[1]) : zero, p.n > 2 ? real(l, p.at[2]) : zero, p.layer,
            lod};
        snprintf(name, sizeof name, p.cube ? "__cucpu_ptx_tex_%s_cube" : "__cucpu_ptx_tex_%s_%d", kind, p.n);
        four = call_named(l, name, words, args, 6);
    }
    if (halves) write_halves(l, four);
    else write_four(l, four);
    return NULL;
}

/* tld4: one component of the four texels that a linear filter would take */
LLVMValueRef op_gather(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    Place p = place_of(l, &l->inst->ops[1], l->t[1]);
    const char *c = which_mod(l, "r g b a");
    uint64_t component = (uint64_t)(strchr("rgba", *c) - "rgba");
    LLVMValueRef args[4] = {p.handle, p.at[0], p.at[1], const32(l, component)};
    const char *name = l->t[0]->kind == 'f' ? "__cucpu_ptx_gather_float" : "__cucpu_ptx_gather_int";
    write_four(l, call_named(l, name, LLVMVectorType(l->i32, 4), args, 4));
    return NULL;
}

/* txq, suq: d, [a] {, level}; how: the function */
LLVMValueRef op_texture_query(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    static const char *const whats[] = {
        "width", "height", "depth", "num_mipmap_levels", "array_size", "normalized_coords", "filter_mode"};
    LLVMValueRef args[3] = {handle_of(l, &l->inst->ops[1]), NULL, const32(l, 0)};
    for (uint64_t i = 0; i < sizeof whats / sizeof *whats; i++)
        if (has_mod(l, whats[i])) args[1] = const32(l, i);
    if (l->inst->nops > 2) args[2] = read_operand(l, &l->inst->ops[2], &type_b32);
    write_operand(l, &l->inst->ops[0], &type_b32, call_named(l, how, l->i32, args, 3));
    return NULL;
}

/* ---- surfaces: x counts bytes ---- */

static LLVMValueRef element_place(Lower *l, const Operand *o, unsigned bytes) {
    Place p = place_of(l, o, &type_s32);
    LLVMValueRef zero = const32(l, 0), mode = const32(l, has_mod(l, "trap") ? 2 : has_mod(l, "clamp") ? 1 : 0);
    LLVMValueRef args[8] = {p.handle,
                            const32(l, bytes),
                            p.at[0],
                            p.n > 1 ? p.at[1] : zero,
                            p.n > 2 ? p.at[2] : zero,
                            p.layer,
                            mode,
                            scratch(l, bytes > 4 ? bytes / 4 : 1)};
    return call_named(l, "__cucpu_ptx_surface", l->ptr, args, 8);
}

static unsigned lanes(const Lower *l) { return has_mod(l, "v2") ? 2 : has_mod(l, "v4") ? 4 : 1; }

static const Operand *part(Lower *l, const Operand *o, unsigned i, unsigned n) {
    if (o->kind != OPERAND_VECTOR && n == 1) return o;
    if (o->kind != OPERAND_VECTOR || o->n != (int)n) ptx_error(l->p, o->loc, "a vector of %u is expected", n);
    return &o->v[i];
}

LLVMValueRef op_surface(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    bool load = *how == 'l';
    unsigned n = lanes(l), bytes = l->t[0]->bits / 8u;
    if (n * bytes > 16) fail(l, "an element of a surface has 16 bytes at most");
    LLVMValueRef p = element_place(l, &l->inst->ops[load], n * bytes);
    for (unsigned i = 0; i < n; i++) {
        const Operand *o = part(l, &l->inst->ops[!load], i, n);
        LLVMValueRef at = offset_by(l, p, (int64_t)(i * bytes)), x;
        if (load) {
            x = LLVMBuildLoad2(l->b, int_type(l, l->t[0]->bits), at, "");
            LLVMSetAlignment(x, bytes);
            if (o->kind != OPERAND_SINK) write_relaxed(l, o, l->t[0], x);
        } else {
            x = LLVMBuildStore(l->b, read_relaxed(l, o, l->t[0]), at);
            LLVMSetAlignment(x, bytes);
        }
    }
    return NULL;
}

LLVMValueRef op_surface_reduce(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    LLVMValueRef x = read_operand(l, &l->inst->ops[1], l->t[0]);
    modify_memory(l, element_place(l, &l->inst->ops[0], l->t[0]->bits / 8u), x);
    return NULL;
}
