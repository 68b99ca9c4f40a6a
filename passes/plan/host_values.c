/* host_values: see host_values.h.
**
** A location is a root (variable, parameter, result of a call) and an offset in bytes. What is stored there is found by
** following the uses of the root, into callees that get a pointer to it; for roots that are not variables also by the
** field, the outermost structure type of the address and the offset in it, in any function; and for variables of which
** nothing else is found. */
#include "passes/plan/host_values.h"
#include "passes/ir/value.h"
#include "passes/ir/shim.h"
#include <string.h>

enum { MAX_DEPTH = 24, FUEL = 4000, MAX_ITERATIONS = 8, ANYWHERE = INT32_MIN, DIM3 = 12, MAX_THREADS = 1024 };

typedef struct Location {
    LLVMValueRef root;
    int64_t at;       /* offset, or ANYWHERE */
    LLVMTypeRef type; /* outermost structure; NULL = none */
    int64_t in;       /* offset in that */
    const HostCall *call;
} Location;

/* What defines memory: a store, a copy, or the constructor of a dim3; `at`: as `at` or `in` of a location. */
typedef struct Def {
    LLVMValueRef by;
    int64_t at;
    const HostCall *call;
} Def;
typedef Vec(Def) Defs;
typedef Vec(Location) Places;

typedef struct Active { /* whose contents are being computed */
    LLVMValueRef root;
    int64_t at;
    HostInts *found;
    bool queried; /* queried while active */
    struct Active *up;
} Active;

struct HostValues {
    Arena *a;
    LLVMModuleRef m;
    LLVMTargetDataRef dl;
    PtrMap fields; /* of structure types: Defs * */
    Active *active;
    int fuel, depth;
};

static bool enter_query(HostValues *h) {
    if (h->fuel <= 0 || h->depth >= MAX_DEPTH) return false;
    h->fuel--;
    h->depth++;
    return true;
}

static void leave(HostValues *h) { h->depth--; }

/* ---- calls ---- */

static bool is_any_call(LLVMValueRef v) { return LLVMIsACallInst(v) || LLVMIsAInvokeInst(v); }

static LLVMValueRef callee_of(LLVMValueRef v) {
    LLVMValueRef f = is_any_call(v) ? LLVMGetCalledValue(v) : NULL;
    return f && LLVMIsAFunction(f) ? f : NULL;
}

static const char *host_callee_name(LLVMValueRef v) {
    LLVMValueRef f = callee_of(v);
    return f ? value_name(f) : "";
}

static bool is_memory_copy(LLVMValueRef v) {
    const char *name = host_callee_name(v);
    return !strncmp(name, "llvm.memcpy.", 12) || !strncmp(name, "llvm.memmove.", 13);
}

/* Operand 1 points to where the runtime stores a block size, which is the maximum unless the kernel or the caller has a
** limit. */
static bool chooses_block(LLVMValueRef v) {
    return strstr(host_callee_name(v), "cudaOccupancyMaxPotentialBlockSize") && LLVMGetNumArgOperands(v) >= 3;
}

static bool makes_dim3(LLVMValueRef v) {
    return !strncmp(host_callee_name(v), "_ZN4dim3C", 9) && LLVMGetNumArgOperands(v) == 4;
}

static const HostCall *entered(HostValues *h, LLVMValueRef call, const HostCall *in) {
    HostCall *c = arena_alloc(h->a, sizeof *c);
    *c = (HostCall){call, callee_of(call), in};
    return c;
}

static unsigned number_of(LLVMValueRef argument) {
    LLVMValueRef fn = LLVMGetParamParent(argument);
    for (unsigned i = 0, n = LLVMCountParams(fn); i < n; i++)
        if (LLVMGetParam(fn, i) == argument) return i;
    return 0;
}

typedef struct Passed {
    LLVMValueRef v;
    const HostCall *in;
} Passed;
typedef Vec(Passed) Passeds;

/* What callers pass for a parameter. */
static Passeds passed_for(HostValues *h, LLVMValueRef argument, const HostCall *in) {
    Passeds all = {0};
    LLVMValueRef fn = LLVMGetParamParent(argument);
    unsigned k = number_of(argument);
    for (; in && in->fn != fn; in = in->up) {}
    if (in && k < LLVMGetNumArgOperands(in->call)) {
        vec_push(h->a, &all, ((Passed){LLVMGetOperand(in->call, k), in->up}));
        return all;
    }
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u && !in; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        if (callee_of(call) == fn && k < LLVMGetNumArgOperands(call))
            vec_push(h->a, &all, ((Passed){LLVMGetOperand(call, k), NULL}));
    }
    return all;
}

/* What a call of a function with a body returns. */
static Passeds returned_by(HostValues *h, LLVMValueRef call, const HostCall *in) {
    Passeds all = {0};
    LLVMValueRef fn = callee_of(call);
    if (!fn || LLVMIsDeclaration(fn)) return all;
    const HostCall *inside = entered(h, call, in);
    for_each_block(b, fn) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
        if (t && LLVMIsAReturnInst(t) && LLVMGetNumOperands(t))
            vec_push(h->a, &all, ((Passed){LLVMGetOperand(t, 0), inside}));
    }
    return all;
}

/* ---- locations ---- */

static bool is_gep(LLVMValueRef v) {
    return LLVMIsAGetElementPtrInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

/* Bytes that a GEP adds, or ANYWHERE. */
static int64_t bytes_of(const HostValues *h, LLVMValueRef gep) {
    int64_t bytes;
    return shim_gep_offset(h->dl, gep, &bytes) ? bytes : ANYWHERE;
}

/* Other than dim3, whose fields are no hint; a second type of one name has a number as suffix. */
static bool is_named_structure(LLVMTypeRef t) {
    static const char dim3[] = "struct.dim3";
    const char *name = LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMGetStructName(t) : NULL;
    if (!name) return false;
    return strncmp(name, dim3, sizeof dim3 - 1) || (name[sizeof dim3 - 1] && name[sizeof dim3 - 1] != '.');
}

static int64_t plus(int64_t a, int64_t b) { return a == ANYWHERE || b == ANYWHERE ? ANYWHERE : a + b; }

static Location location_of(const HostValues *h, LLVMValueRef p, const HostCall *in) {
    Location location = {.root = p, .call = in};
    while (is_gep(location.root)) {
        LLVMValueRef gep = location.root, first = LLVMGetOperand(gep, 1);
        location.at = plus(location.at, bytes_of(h, gep));
        if (LLVMIsAConstantInt(first) && !LLVMConstIntGetSExtValue(first) &&
            is_named_structure(LLVMGetGEPSourceElementType(gep)))
            location.type = LLVMGetGEPSourceElementType(gep), location.in = location.at;
        location.root = LLVMGetOperand(gep, 0);
    }
    if (LLVMIsAAllocaInst(location.root) && !location.type && is_named_structure(LLVMGetAllocatedType(location.root)))
        location.type = LLVMGetAllocatedType(location.root), location.in = location.at;
    return location;
}

static bool is_variable(LLVMValueRef v) { return LLVMIsAAllocaInst(v) || LLVMIsAGlobalVariable(v); }

/* ---- definitions ---- */

/* The only value that is stored to a local variable, usually a parameter. */
static LLVMValueRef only_store(LLVMValueRef variable) {
    LLVMValueRef only = NULL;
    for_each_user(i, variable) {
        if (!LLVMIsAStoreInst(i) || LLVMGetOperand(i, 1) != variable) continue;
        if (only) return NULL;
        only = i;
    }
    return only;
}

static void visit_uses(HostValues *h, LLVMValueRef p, int64_t at, const HostCall *in, Defs *out);

static void visit_use(HostValues *h, LLVMValueRef i, LLVMValueRef p, int64_t at, const HostCall *in, Defs *out) {
    if (is_gep(i) && LLVMGetOperand(i, 0) == p) {
        visit_uses(h, i, plus(at, bytes_of(h, i)), in, out);
    } else if (LLVMIsAStoreInst(i) && LLVMGetOperand(i, 1) == p) {
        vec_push(h->a, out, ((Def){i, at, in}));
    } else if (LLVMIsAStoreInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 1)) &&
               only_store(LLVMGetOperand(i, 1)) == i) {
        for_each_user(user, LLVMGetOperand(i, 1))
            if (LLVMIsALoadInst(user)) visit_uses(h, user, at, in, out);
    } else if (chooses_block(i)) {
        if (LLVMGetOperand(i, 1) == p) vec_push(h->a, out, ((Def){i, at, in}));
    } else if ((is_memory_copy(i) || makes_dim3(i)) && LLVMGetOperand(i, 0) == p) {
        vec_push(h->a, out, ((Def){i, at, in}));
    } else if (callee_of(i) && !LLVMIsDeclaration(callee_of(i)) && !makes_dim3(i)) {
        for (unsigned k = 0, n = LLVMCountParams(callee_of(i)); k < n && k < LLVMGetNumArgOperands(i); k++)
            if (LLVMGetOperand(i, k) == p) visit_uses(h, LLVMGetParam(callee_of(i), k), at, entered(h, i, in), out);
    }
}

/* All that is stored through a pointer, `at` bytes after a root. */
static void visit_uses(HostValues *h, LLVMValueRef p, int64_t at, const HostCall *in, Defs *out) {
    if (!enter_query(h)) return;
    for (LLVMUseRef u = LLVMGetFirstUse(p); u && h->fuel > 0; u = LLVMGetNextUse(u))
        visit_use(h, LLVMGetUser(u), p, at, in, out);
    leave(h);
}

static void note_host_field(HostValues *h, LLVMValueRef by, LLVMValueRef pointer) {
    Location p = location_of(h, pointer, NULL);
    if (!p.type) return;
    Defs *defs = map_ptr(&h->fields, p.type);
    if (!defs) {
        defs = arena_alloc(h->a, sizeof *defs);
        map_put(&h->fields, p.type, (uintptr_t)defs);
    }
    vec_push(h->a, defs, ((Def){by, p.in, NULL}));
}

static void note_fields(HostValues *h, LLVMValueRef i) {
    if (LLVMIsAStoreInst(i)) note_host_field(h, i, LLVMGetOperand(i, 1));
    else if (is_memory_copy(i) || makes_dim3(i)) note_host_field(h, i, LLVMGetOperand(i, 0));
}

HostValues *host_values(Arena *a, LLVMModuleRef host) {
    HostValues *h = arena_alloc(a, sizeof *h);
    *h = (HostValues){.a = a, .m = host, .dl = LLVMGetModuleDataLayout(host)};
    map_init(&h->fields, a);
    for_each_function(f, host)
        for_each_instruction(i, f) note_fields(h, i);
    return h;
}

static Defs defs_of(HostValues *h, const Location *p) {
    Defs defs = {0};
    visit_uses(h, p->root, 0, p->call, &defs);
    return defs;
}

static const Defs *defs_of_field(const HostValues *h, const Location *p) {
    static const Defs none;
    const Defs *defs = p->type ? map_ptr(&h->fields, p->type) : NULL;
    return defs ? defs : &none;
}

static int64_t length_of(const HostValues *h, LLVMValueRef by) {
    if (LLVMIsAStoreInst(by)) return (int64_t)LLVMABISizeOfType(h->dl, LLVMTypeOf(LLVMGetOperand(by, 0)));
    if (makes_dim3(by)) return DIM3;
    if (chooses_block(by)) return 4;
    return LLVMIsAConstantInt(LLVMGetOperand(by, 2)) ? LLVMConstIntGetSExtValue(LLVMGetOperand(by, 2)) : 0;
}

static bool covers(const HostValues *h, const Def *d, int64_t at, int64_t size) {
    if (at == ANYWHERE || d->at == ANYWHERE) return true;
    return d->at <= at && at + size <= d->at + length_of(h, d->by);
}

static Location copied_from(const HostValues *h, const Def *d, int64_t at) {
    Location p = location_of(h, LLVMGetOperand(d->by, 1), d->call);
    int64_t bytes = at == ANYWHERE || d->at == ANYWHERE ? ANYWHERE : at - d->at;
    p.at = plus(p.at, bytes);
    p.in = plus(p.in, bytes);
    return p;
}

/* ---- pointers ---- */

static void find_targets(HostValues *h, Location p, Places *out);

static void add_target(HostValues *h, LLVMValueRef pointer, const HostCall *in, const Location *from, Places *out) {
    Location to = location_of(h, pointer, in);
    to.at = plus(to.at, from->at);
    to.in = plus(to.in, from->at);
    find_targets(h, to, out);
}

static void add_pointers(HostValues *h, const Defs *defs, int64_t at, const Location *from, Places *out) {
    if (!enter_query(h)) return; /* two variables may be copies of each other */
    for (int i = 0; i < defs->n; i++) {
        const Def *d = &defs->v[i];
        if (!covers(h, d, at, 8)) continue;
        if (LLVMIsAStoreInst(d->by) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(d->by, 0))) == LLVMPointerTypeKind) {
            add_target(h, LLVMGetOperand(d->by, 0), d->call, from, out);
        } else if (is_memory_copy(d->by)) {
            Places sources = {0};
            find_targets(h, copied_from(h, d, at), &sources);
            for (int k = 0; k < sources.n; k++) {
                Defs more = defs_of(h, &sources.v[k]);
                add_pointers(h, &more, sources.v[k].at, from, out);
            }
        }
    }
    leave(h);
}

/* The root pointer is loaded from here. */
static void add_loaded(HostValues *h, const Location *p, Places *out) {
    Places homes = {0};
    find_targets(h, location_of(h, LLVMGetOperand(p->root, 0), p->call), &homes);
    int before = out->n;
    for (int k = 0; k < homes.n; k++) {
        Defs defs = defs_of(h, &homes.v[k]);
        add_pointers(h, &defs, homes.v[k].at, p, out);
        if (!is_variable(homes.v[k].root)) add_pointers(h, defs_of_field(h, &homes.v[k]), homes.v[k].in, p, out);
    }
    Location home = location_of(h, LLVMGetOperand(p->root, 0), p->call);
    if (out->n == before) add_pointers(h, defs_of_field(h, &home), home.in, p, out);
}

static void add_passed(HostValues *h, const Passeds *all, const Location *p, Places *out) {
    for (int k = 0; k < all->n; k++) add_target(h, all->v[k].v, all->v[k].in, p, out);
}

/* The variables, or else roots, that a location may be in. */
static void find_targets(HostValues *h, Location p, Places *out) {
    int before = out->n;
    if (!is_variable(p.root) && enter_query(h)) {
        Passeds all = {0};
        if (LLVMIsAArgument(p.root)) all = passed_for(h, p.root, p.call);
        else if (is_any_call(p.root)) all = returned_by(h, p.root, p.call);
        add_passed(h, &all, &p, out);
        if (LLVMIsALoadInst(p.root)) add_loaded(h, &p, out);
        for (unsigned k = 0; LLVMIsAPHINode(p.root) && k < LLVMCountIncoming(p.root); k++)
            add_target(h, LLVMGetIncomingValue(p.root, k), p.call, &p, out);
        for (unsigned k = 1; LLVMIsASelectInst(p.root) && k < 3; k++)
            add_target(h, LLVMGetOperand(p.root, k), p.call, &p, out);
        leave(h);
    }
    if (out->n == before) vec_push(h->a, out, p);
}

HostFunctions host_functions(HostValues *h, LLVMValueRef pointer, const HostCall *in) {
    HostFunctions f = {0};
    Places all = {0};
    h->fuel = FUEL;
    h->depth = 0;
    find_targets(h, location_of(h, pointer, in), &all);
    for (int k = 0; k < all.n; k++) {
        bool seen = !LLVMIsAFunction(all.v[k].root);
        for (int j = 0; j < f.n; j++) seen |= f.v[j] == all.v[k].root;
        if (!seen && f.n < HOST_MAX) f.v[f.n++] = all.v[k].root;
    }
    return f;
}

/* ---- integers ---- */

static void add_int(HostInts *s, int64_t v) {
    for (int k = 0; k < s->n; k++)
        if (s->v[k] == v) return;
    if (s->n < HOST_MAX) s->v[s->n++] = v;
    else s->others = true;
}

static void add_ints(HostInts *s, const HostInts *more) {
    for (int k = 0; k < more->n; k++) add_int(s, more->v[k]);
    s->others |= more->others;
}

static HostInts ints_of(HostValues *h, LLVMValueRef v, const HostCall *in);

static bool fold_constants(LLVMOpcode op, int64_t a, int64_t b, int64_t *r) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case LLVMAdd: *r = (int64_t)(x + y); return true;
    case LLVMSub: *r = (int64_t)(x - y); return true;
    case LLVMMul: *r = (int64_t)(x * y); return true;
    case LLVMAnd: *r = (int64_t)(x & y); return true;
    case LLVMOr: *r = (int64_t)(x | y); return true;
    case LLVMShl: *r = y < 64 ? (int64_t)(x << y) : 0; return y < 64;
    case LLVMLShr:
    case LLVMAShr: *r = y < 64 && a >= 0 ? a >> y : 0; return y < 64 && a >= 0;
    case LLVMUDiv:
    case LLVMSDiv: *r = b > 0 && a >= 0 ? a / b : 0; return b > 0 && a >= 0;
    default: return false;
    }
}

static int64_t truncate_to(LLVMTypeRef t, int64_t v) {
    unsigned bits = LLVMGetIntTypeWidth(t);
    return bits < 64 ? (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits) : v;
}

static HostInts folded(HostValues *h, LLVMValueRef v, const HostCall *in) {
    HostInts a = ints_of(h, LLVMGetOperand(v, 0), in), b = ints_of(h, LLVMGetOperand(v, 1), in),
             out = {.others = a.others || b.others};
    int64_t r;
    for (int i = 0; i < a.n; i++)
        for (int j = 0; j < b.n; j++) {
            if (fold_constants(LLVMGetInstructionOpcode(v), a.v[i], b.v[j], &r))
                add_int(&out, truncate_to(LLVMTypeOf(v), r));
            else out.others = true;
        }
    return out;
}

static void add_initial(HostInts *out, LLVMValueRef initial, int64_t at, int64_t size, const HostValues *h) {
    LLVMTypeRef t = LLVMTypeOf(initial);
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    if (LLVMIsAConstantInt(initial) && (at == 0 || at == ANYWHERE) && (int64_t)LLVMABISizeOfType(h->dl, t) == size) {
        add_int(out, LLVMConstIntGetSExtValue(initial));
    } else if (LLVMIsAConstantAggregateZero(initial)) {
        add_int(out, 0);
    } else if (kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind) {
        unsigned n = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(t) : (unsigned)LLVMGetArrayLength2(t);
        for (unsigned k = 0; k < n && k < 64; k++) {
            int64_t from = kind == LLVMStructTypeKind ? (int64_t)LLVMOffsetOfElement(h->dl, t, k)
                                                      : (int64_t)(k * LLVMABISizeOfType(h->dl, LLVMGetElementType(t)));
            LLVMValueRef e = LLVMGetAggregateElement(initial, k);
            if (e && (at == ANYWHERE || (at >= from && at < from + (int64_t)LLVMABISizeOfType(h->dl, LLVMTypeOf(e)))))
                add_initial(out, e, at == ANYWHERE ? at : at - from, size, h);
        }
    }
}

static HostInts ints_at(HostValues *h, const Location *p, int64_t size);

static void add_defs(HostValues *h, const Defs *defs, int64_t at, int64_t size, HostInts *out) {
    for (int i = 0; i < defs->n; i++) {
        const Def *d = &defs->v[i];
        if (!covers(h, d, at, size)) continue;
        HostInts more = {0};
        if (is_memory_copy(d->by)) {
            Location from = copied_from(h, d, at);
            more = ints_at(h, &from, size);
        } else if (chooses_block(d->by)) {
            add_int(&more, MAX_THREADS);
        } else if (makes_dim3(d->by) && at != ANYWHERE && d->at != ANYWHERE) {
            more = ints_of(h, LLVMGetOperand(d->by, (unsigned)(1 + (at - d->at) / 4)), d->call);
        } else if (LLVMIsAStoreInst(d->by) && (d->at == at || at == ANYWHERE || d->at == ANYWHERE) &&
                   length_of(h, d->by) == size) {
            more = ints_of(h, LLVMGetOperand(d->by, 0), d->call);
        }
        add_ints(out, &more);
    }
}

/* Of one variable: repeated while its contents depend on themselves and grow (a loop that doubles it). */
static HostInts ints_in(HostValues *h, const Location *p, int64_t size) {
    for (Active *a = h->active; a; a = a->up)
        if (a->root == p->root && a->at == p->at) return a->queried = true, *a->found;
    HostInts found = {0};
    Active self = {p->root, p->at, &found, false, h->active};
    h->active = &self;
    if (LLVMIsAGlobalVariable(p->root) && LLVMGetInitializer(p->root))
        add_initial(&found, LLVMGetInitializer(p->root), p->at, size, h);
    Defs defs = defs_of(h, p);
    for (int iteration = 0, before = -1;
         iteration < MAX_ITERATIONS && before != found.n && (!iteration || self.queried); iteration++) {
        before = found.n;
        add_defs(h, &defs, p->at, size, &found);
        if (!is_variable(p->root)) add_defs(h, defs_of_field(h, p), p->in, size, &found);
    }
    h->active = self.up;
    return found;
}

static HostInts ints_at(HostValues *h, const Location *p, int64_t size) {
    HostInts out = {0};
    Places all = {0};
    if (!enter_query(h))
        return (HostInts){.others = true}; /* a field may be copied from the same field of another structure */
    find_targets(h, *p, &all);
    for (int k = 0; k < all.n; k++) {
        HostInts more = ints_in(h, &all.v[k], size);
        add_ints(&out, &more);
    }
    if (!out.n) add_defs(h, defs_of_field(h, p), p->in, size, &out);
    leave(h);
    out.others |= !out.n;
    return out;
}

static void add_all(HostValues *h, const Passeds *all, HostInts *out) {
    for (int k = 0; k < all->n; k++) {
        HostInts more = ints_of(h, all->v[k].v, all->v[k].in);
        add_ints(out, &more);
    }
}

static HostInts ints_of(HostValues *h, LLVMValueRef v, const HostCall *in) {
    HostInts out = {0};
    Passeds all = {0};
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || int_bits(v) > 64 || !enter_query(h))
        return (HostInts){.others = true};
    if (LLVMIsAConstantInt(v)) add_int(&out, LLVMConstIntGetSExtValue(v));
    else if (LLVMIsAArgument(v)) all = passed_for(h, v, in);
    else if (is_any_call(v)) all = returned_by(h, v, in);
    else if (LLVMIsAPHINode(v))
        for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
            vec_push(h->a, &all, ((Passed){LLVMGetIncomingValue(v, k), in}));
    else if (LLVMIsASelectInst(v))
        for (unsigned k = 1; k < 3; k++) vec_push(h->a, &all, ((Passed){LLVMGetOperand(v, k), in}));
    else if (LLVMIsATruncInst(v) || LLVMIsAZExtInst(v) || LLVMIsASExtInst(v))
        vec_push(h->a, &all, ((Passed){LLVMGetOperand(v, 0), in}));
    else if (LLVMIsABinaryOperator(v)) out = folded(h, v, in);
    else if (LLVMIsALoadInst(v)) {
        Location p = location_of(h, LLVMGetOperand(v, 0), in);
        out = ints_at(h, &p, (int64_t)LLVMABISizeOfType(h->dl, LLVMTypeOf(v)));
    }
    add_all(h, &all, &out);
    out.others |= !out.n;
    leave(h);
    return out;
}

/* ---- dim3 ---- */

static bool is_count(int64_t v) { return v > 0 && v <= MAX_THREADS; }

static void add_block(HostBlocks *b, int64_t x, int64_t y, int64_t z) {
    if (!is_count(x) || !is_count(y) || !is_count(z) || x * y * z > MAX_THREADS) return;
    for (int k = 0; k < b->n; k++)
        if (b->v[k][0] == x && b->v[k][1] == y && b->v[k][2] == z) return;
    if (b->n == HOST_MAX) {
        b->others = true;
        return;
    }
    int64_t *to = b->v[b->n++];
    to[0] = x, to[1] = y, to[2] = z;
}

static void add_product(HostBlocks *out, const HostInts *x, const HostInts *y, const HostInts *z) {
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++)
            for (int k = 0; k < z->n; k++) add_block(out, x->v[i], y->v[j], z->v[k]);
    out->others |= x->others || y->others || z->others;
}

static void add_blocks(HostBlocks *out, const HostBlocks *more) {
    for (int k = 0; k < more->n; k++) add_block(out, more->v[k][0], more->v[k][1], more->v[k][2]);
    out->others |= more->others;
}

static HostBlocks blocks_of(HostValues *h, LLVMValueRef xy, const HostCall *in);
static HostBlocks blocks_at(HostValues *h, const Location *p);

/* x, y, z that are stored one by one, over the previous contents. */
static void add_single(HostValues *h, const Defs *defs, int64_t at, HostBlocks *out) {
    HostInts part[3] = {0};
    Defs stores = {0};
    for (int i = 0; i < defs->n; i++)
        if (LLVMIsAStoreInst(defs->v[i].by)) vec_push(h->a, &stores, defs->v[i]);
    for (int d = 0; d < 3; d++) add_defs(h, &stores, at + 4 * d, 4, &part[d]);
    if (!part[0].n && !part[1].n && !part[2].n) return;
    HostBlocks base = *out;
    if (!base.n) base = (HostBlocks){1, {{1, 1, 1}}, base.others};
    for (int k = 0; k < base.n; k++) {
        HostInts all[3];
        for (int d = 0; d < 3; d++) all[d] = part[d].n ? part[d] : (HostInts){1, {base.v[k][d]}, false};
        add_product(out, &all[0], &all[1], &all[2]);
    }
}

static void add_made(HostValues *h, const Defs *defs, int64_t at, HostBlocks *out) {
    for (int i = 0; i < defs->n; i++) {
        const Def *d = &defs->v[i];
        HostBlocks more = {0};
        if (makes_dim3(d->by) && d->at == at) {
            HostInts part[3];
            for (unsigned k = 0; k < 3; k++) part[k] = ints_of(h, LLVMGetOperand(d->by, k + 1), d->call);
            add_product(&more, &part[0], &part[1], &part[2]);
        } else if (is_memory_copy(d->by) && covers(h, d, at, DIM3)) {
            Location from = copied_from(h, d, at);
            more = blocks_at(h, &from);
        } else if (LLVMIsAStoreInst(d->by) && d->at == at && length_of(h, d->by) >= 8) {
            more = blocks_of(h, LLVMGetOperand(d->by, 0), d->call);
        }
        add_blocks(out, &more);
    }
    if (at != ANYWHERE) add_single(h, defs, at, out);
}

static HostBlocks blocks_at(HostValues *h, const Location *p) {
    HostBlocks out = {0};
    Places all = {0};
    if (!enter_query(h)) return out;
    find_targets(h, *p, &all);
    for (int k = 0; k < all.n; k++) {
        LLVMValueRef initial = LLVMIsAGlobalVariable(all.v[k].root) ? LLVMGetInitializer(all.v[k].root) : NULL;
        HostInts part[3] = {0};
        for (int d = 0; initial && d < 3; d++) add_initial(&part[d], initial, plus(all.v[k].at, 4 * d), 4, h);
        add_product(&out, &part[0], &part[1], &part[2]);
        Defs defs = defs_of(h, &all.v[k]);
        add_made(h, &defs, all.v[k].at, &out);
        if (!is_variable(all.v[k].root)) add_made(h, defs_of_field(h, &all.v[k]), all.v[k].in, &out);
    }
    if (!out.n) add_made(h, defs_of_field(h, p), p->in, &out);
    leave(h);
    return out;
}

/* The dim3 whose first eight bytes the value is, or the one that it is as { i64, i32 }. */
static HostBlocks blocks_of(HostValues *h, LLVMValueRef xy, const HostCall *in) {
    HostBlocks out = {0};
    Passeds all = {0};
    if (!enter_query(h)) return out;
    if (LLVMIsAExtractValueInst(xy)) xy = LLVMGetOperand(xy, 0);
    if (LLVMIsALoadInst(xy)) {
        Location p = location_of(h, LLVMGetOperand(xy, 0), in);
        out = blocks_at(h, &p);
    } else if (LLVMIsAConstantInt(xy)) {
        uint64_t v = LLVMConstIntGetZExtValue(xy);
        add_block(&out, (int64_t)(v & 0xffffffff), (int64_t)(v >> 32), 1);
    } else if (LLVMIsAArgument(xy)) {
        all = passed_for(h, xy, in);
    } else if (is_any_call(xy)) {
        all = returned_by(h, xy, in);
    }
    for (int k = 0; k < all.n; k++) {
        HostBlocks more = blocks_of(h, all.v[k].v, all.v[k].in);
        add_blocks(&out, &more);
    }
    leave(h);
    return out;
}

HostBlocks host_blocks(HostValues *h, LLVMValueRef xy, LLVMValueRef z, const HostCall *in) {
    h->fuel = FUEL;
    h->depth = 0;
    if (LLVMIsAConstantInt(xy) && LLVMIsAConstantInt(z)) {
        HostBlocks out = {0};
        uint64_t v = LLVMConstIntGetZExtValue(xy);
        add_block(&out, (int64_t)(v & 0xffffffff), (int64_t)(v >> 32), (int64_t)LLVMConstIntGetZExtValue(z));
        return out;
    }
    return blocks_of(h, xy, in);
}

HostBlocks host_blocks_at(HostValues *h, LLVMValueRef pointer, int64_t bytes, const HostCall *in) {
    Location p = location_of(h, pointer, in);
    h->fuel = FUEL;
    h->depth = 0;
    p.at = plus(p.at, bytes);
    p.in = plus(p.in, bytes);
    return blocks_at(h, &p);
}
