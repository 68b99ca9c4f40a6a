/* print_ir.c: a program's code as textual NVVM IR, in the form in which clang writes device code:
** variables are allocas, shared memory is in address space 3, ids and barriers are llvm.nvvm.*.
** No fast-math flags; nsw nuw only on address arithmetic, where it holds. */
#include "tests/fuzz/program.h"
#include <stdarg.h>
#include <stdlib.h>

typedef struct Text {
    Arena *a;
    const Program *p;
    Vec(char) s;
    int unique;
} Text;

static void add(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *t, const char *format, ...) {
    char line[512];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    for (int i = 0; i < n; i++) vec_push(t->a, &t->s, line[i]);
}

static void add_text(Text *t, const char *s) {
    for (; *s; s++) vec_push(t->a, &t->s, *s);
}

static const char *space_pointer(Text *t, int array) {
    const Array *x = &t->p->arrays[array];
    int home = array_home(t->p, array);
    if (x->dynamic)
        return arena_printf(t->a, "getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 %u)", x->at);
    if (x->space == SPACE_TABLE) return arena_printf(t->a, "addrspacecast (ptr addrspace(4) @c%d to ptr)", array);
    if (x->space == SPACE_SHARED) return arena_printf(t->a, "addrspacecast (ptr addrspace(3) @s%d to ptr)", home);
    return arena_printf(t->a, "%%a%d", home);
}

/* Computes the address of an element; returns the name of the pointer. */
static char *address_of(Text *t, const char *base, int array, int index, bool is_wide) {
    const Array *x = &t->p->arrays[array];
    int n = t->unique++, home = array_home(t->p, array);
    if (is_wide) add(t, "  %%w%d = bitcast i64 %%t%d to i64\n", n, index);
    else add(t, "  %%w%d = %s i32 %%t%d to i64\n", n, n % 3 || x->whole ? "sext" : "zext", index);
    if (x->stride == type_bytes(x->type))
        add(t, "  %%p%d = getelementptr inbounds %s, ptr %s, i64 %%w%d\n", n, type_name(x->type), base, n);
    else
        add(t, "  %%p%d = getelementptr inbounds %%S%d, ptr %s, i64 %%w%d, i32 %d\n", n, home, base, n, x->field);
    return arena_printf(t->a, "%%p%d", n);
}

static char *address(Text *t, const char *base, int array, int index) { return address_of(t, base, array, index, false); }

static void print_constant(Text *t, const Op *o) {
    if (type_is_float(o->type)) {
        add(t, "  %%t%d = bitcast i%u %lld to %s\n", o->dst, type_bits(o->type), (long long)o->bits, type_name(o->type));
        return;
    }
    add(t, "  %%t%d = or %s %lld, 0\n", o->dst, type_name(o->type), (long long)o->bits);
}

static void print_special(Text *t, const Op *o) {
    static const char *const sreg[] = {"tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z",
                                       "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z"};
    if (o->op <= S_NCTAID_Z) {
        add(t, "  %%t%d = call i32 @llvm.nvvm.read.ptx.sreg.%s()\n", o->dst, sreg[o->op]);
        return;
    }
    if (o->op == S_LANE) {
        add(t, "  %%t%d = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n", o->dst);
        return;
    }
    add(t, "  %%t%d = bitcast %s %%q%d to %s\n", o->dst, type_name(o->type), o->op - S_PARAM0, type_name(o->type));
}

static void print_call2(Text *t, const Op *o, const char *name, const char *suffix) {
    const char *ty = type_name(o->type);
    add(t, "  %%t%d = call %s @llvm.%s.%s(%s %%t%d, %s %%t%d)\n", o->dst, ty, name, suffix, ty, o->a, ty, o->b);
}

static const char *float_suffix(Type t) { return t == T_F16 ? "f16" : t == T_F32 ? "f32" : "f64"; }

static const char *const binary_names[] = {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr",
                                           "smin", "smax", "umin", "umax", "fshl", "nvvm.mulhi", "nvvm.mulhi",
                                           "udiv", "sdiv", "urem", "srem",
                                           "fadd", "fsub", "fmul", "fdiv", "nvvm.fmin", "nvvm.fmax", "copysign"};

/* The sign of a NaN depends on who divides: it is taken for that of 0. */
static void print_copysign(Text *t, const Op *o) {
    const char *ty = type_name(o->type);
    add(t, "  %%n%d = fcmp uno %s %%t%d, %%t%d\n", o->dst, ty, o->b, o->b);
    add(t, "  %%s%d = select i1 %%n%d, %s 0.0, %s %%t%d\n", o->dst, o->dst, ty, ty, o->b);
    add(t, "  %%t%d = call %s @llvm.copysign.%s(%s %%t%d, %s %%s%d)\n", o->dst, ty, float_suffix(o->type), ty, o->a, ty, o->dst);
}

static void print_binary(Text *t, const Op *o) {
    const char *ty = type_name(o->type), *name = binary_names[o->op];
    if (o->op >= B_SMIN && o->op <= B_UMAX) print_call2(t, o, name, ty);
    else if (o->op == B_MULHI) print_call2(t, o, name, o->type == T_I32 ? "i" : "ll");
    else if (o->op == B_UMULHI) print_call2(t, o, name, o->type == T_I32 ? "ui" : "ull");
    else if (o->op == B_FMIN || o->op == B_FMAX) print_call2(t, o, name, o->type == T_F32 ? "f" : "d");
    else if (o->op == B_COPYSIGN) print_copysign(t, o);
    else if (o->op == B_ROTL)
        add(t, "  %%t%d = call %s @llvm.fshl.%s(%s %%t%d, %s %%t%d, %s %%t%d)\n", o->dst, ty, ty, ty, o->a, ty, o->a, ty, o->b);
    else add(t, "  %%t%d = %s%s %s %%t%d, %%t%d\n", o->dst, name, o->flag ? " nuw nsw" : "", ty, o->a, o->b);
}

static void print_unary(Text *t, const Op *o) {
    static const char *const names[] = {"ctpop", "ctlz", "cttz", "bitreverse", "abs", "bswap", "", "fabs", "nvvm.sqrt.rn", "nvvm.floor",
                                        "nvvm.ceil", "nvvm.trunc", "nvvm.round"};
    const char *ty = type_name(o->type), *suffix = o->type == T_F32 ? "f" : "d";
    if (o->op == U_FNEG) {
        add(t, "  %%t%d = fneg %s %%t%d\n", o->dst, ty, o->a);
        return;
    }
    if (o->op < U_FNEG) suffix = ty;
    if (o->op == U_FABS) suffix = float_suffix(o->type);
    bool flag = o->op == U_CLZ || o->op == U_CTZ || o->op == U_ABS;
    add(t, "  %%t%d = call %s @llvm.%s.%s(%s %%t%d%s)\n", o->dst, ty, names[o->op], suffix, ty, o->a, flag ? ", i1 false" : "");
}

static void print_compare(Text *t, const Op *o) {
    static const char *const ints[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
    static const char *const reals[] = {"oeq", "une", "olt", "ole", "ogt", "oge"};
    bool real = type_is_float(o->from);
    add(t, "  %%t%d = %s %s %s %%t%d, %%t%d\n", o->dst, real ? "fcmp" : "icmp", real ? reals[o->op] : ints[o->op],
        type_name(o->from), o->a, o->b);
}

static void print_cast(Text *t, const Op *o) {
    static const char *const names[] = {"trunc", "zext", "sext", "sitofp", "uitofp", "fptosi", "fptrunc", "fpext", "bitcast", "fptosi", "fptoui"};
    const char *to = type_name(o->type);
    if (o->op >= CAST_SAT_SI)
        add(t, "  %%t%d = call %s @llvm.fpto%si.sat.%s.%s(%s %%t%d)\n", o->dst, to, o->op == CAST_SAT_SI ? "s" : "u", to, float_suffix(o->from),
            type_name(o->from), o->a);
    else add(t, "  %%t%d = %s %s %%t%d to %s\n", o->dst, names[o->op], type_name(o->from), o->a, to);
}

static void print_funnel(Text *t, const Op *o) {
    const char *ty = type_name(o->type);
    add(t, "  %%t%d = call %s @llvm.fsh%s.%s(%s %%t%d, %s %%t%d, %s %%t%d)\n", o->dst, ty, o->op ? "r" : "l", ty, ty, o->a, ty, o->b, ty, o->c);
}

static void print_wide(Text *t, const Op *o) {
    int n = o->dst;
    add(t, "  %%t%d.a = %s i64 %%t%d to i128\n", n, o->op & WIDE_SIGNED_A ? "sext" : "zext", o->a);
    add(t, "  %%t%d.b = %s i64 %%t%d to i128\n", n, o->op & WIDE_SIGNED_B ? "sext" : "zext", o->b);
    add(t, "  %%t%d.p = mul i128 %%t%d.a, %%t%d.b\n", n, n, n);
    if (o->c >= 0) {
        add(t, "  %%t%d.c = sext i64 %%t%d to i128\n", n, o->c);
        add(t, "  %%t%d.s = add i128 %%t%d.p, %%t%d.c\n", n, n, n);
    }
    add(t, "  %%t%d.h = %s i128 %%t%d.%s, %d\n", n, o->op & WIDE_LOGICAL ? "lshr" : "ashr", n, o->c >= 0 ? "s" : "p", (int)o->bits);
    add(t, "  %%t%d = trunc i128 %%t%d.h to i64\n", n, n);
}

static void print_memory(Text *t, const Op *o) {
    const char *ty = type_name(o->type), *base = space_pointer(t, o->array), *p;
    if (o->code == O_LOAD_EITHER) {
        int n = t->unique++;
        add(t, "  %%e%d = select i1 %%t%d, ptr %s, ptr %s\n", n, o->b, base, space_pointer(t, o->op));
        base = arena_printf(t->a, "%%e%d", n);
    }
    p = o->at >= 0 ? arena_printf(t->a, "%%t%d", o->at) : address_of(t, base, o->array, o->a, o->code == O_LOAD && o->from == T_I64);
    if (o->code == O_STORE) add(t, "  store %s %%t%d, ptr %s, align %u\n", ty, o->b, p, type_bytes(o->type));
    else add(t, "  %%t%d = load %s, ptr %s, align %u\n", o->dst, ty, p, type_bytes(o->type));
}

static void print_copy(Text *t, const Op *o) {
    char *to = address(t, space_pointer(t, o->array), o->array, o->a), *from = address(t, space_pointer(t, o->op), o->op, o->b);
    unsigned align = 1;
    for (int k = 0; k < o->count; k++)
        if (type_bytes(t->p->arrays[o->array + k].type) > align) align = type_bytes(t->p->arrays[o->array + k].type);
    add(t, "  call void @llvm.memcpy.p0.p0.i64(ptr align %u %s, ptr align %u %s, i64 %u, i1 false)\n", align, to, align, from,
        t->p->arrays[o->array].stride);
}

/* A short vector and the n elements from index a on: aligned as float4 is. */
static void print_vector(Text *t, const Op *o) {
    int n = t->unique++;
    const char *ty = type_name(o->type), *v = arena_printf(t->a, "<%d x %s>", o->count, ty);
    const char *p = address(t, space_pointer(t, o->array), o->array, o->a);
    unsigned bytes = (unsigned)o->count * type_bytes(o->type), align = bytes < 16 ? bytes : 16;
    if (o->code == O_LOAD_VECTOR) {
        add(t, "  %%x%d = load %s, ptr %s, align %u\n", n, v, p, align);
        if (o->b >= 0) add(t, "  %%t%d = extractelement %s %%x%d, i32 %%t%d\n", o->dst, v, n, o->b);
        else add(t, "  %%t%d = extractelement %s %%x%d, i32 %d\n", o->dst, v, n, o->op);
        return;
    }
    for (int i = 0; i < o->count; i++) {
        const char *before = i ? arena_printf(t->a, "%%x%d.%d", n, i - 1) : "poison";
        add(t, "  %%x%d.%d = insertelement %s %s, %s %%t%d, i32 %d\n", n, i, v, before, ty, o->parts[i], i);
    }
    const char *value = arena_printf(t->a, "%%x%d.%d", n, o->count - 1);
    if (o->op >= 0) {
        add(t, "  %%x%d.b = insertelement %s poison, %s %%t%d, i32 0\n", n, v, ty, o->c);
        add(t, "  %%x%d.c = shufflevector %s %%x%d.b, %s poison, <%d x i32> zeroinitializer\n", n, v, n, v, o->count);
        add(t, "  %%x%d = %s %s %s, %%x%d.c\n", n, binary_names[o->op], v, value, n);
        value = arena_printf(t->a, "%%x%d", n);
    }
    add(t, "  store %s %s, ptr %s, align %u\n", v, value, p, align);
}

static void print_atomic(Text *t, const Op *o) {
    static const char *const names[] = {"add", "and", "or", "xor", "max", "min", "umax", "umin", "xchg", "uinc_wrap", "udec_wrap", "", "fadd"};
    const char *p = o->at >= 0 ? arena_printf(t->a, "%%t%d", o->at) : address(t, space_pointer(t, o->array), o->array, o->a);
    const char *ty = type_name(o->type);
    if (o->op == AT_CAS) {
        int n = t->unique++;
        add(t, "  %%c%d = cmpxchg ptr %s, %s %%t%d, %s %%t%d monotonic monotonic\n", n, p, ty, o->c, ty, o->b);
        add(t, "  %%t%d = extractvalue { %s, i1 } %%c%d, 0\n", o->dst, ty, n);
        return;
    }
    add(t, "  %%t%d = atomicrmw %s ptr %s, %s %%t%d monotonic, align %u\n", o->dst, names[o->op], p, ty, o->b, type_bytes(o->type));
}

static void print_barrier(Text *t, const Op *o) {
    static const char *const kinds[] = {"", "popc", "and", "or"};
    if (!o->op) {
        add(t, "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n");
        return;
    }
    int n = t->unique++;
    const char *ty = o->op == 1 ? "i32" : "i1";
    add(t, "  %%b%d = call %s @llvm.nvvm.barrier.cta.red.%s.aligned.all(i32 0, i1 %%t%d)\n", n, ty, kinds[o->op], o->a);
    add(t, "  %%t%d = %s %s %%b%d to i32\n", o->dst, o->op == 1 ? "bitcast" : "zext", ty, n);
}

static bool has_alias(const Program *p, int array) {
    bool any = p->arrays[array].alias >= 0;
    for (int i = 0; i < p->narrays; i++) any |= p->arrays[i].alias == array;
    return any;
}

/* Of a kernel they may be __restrict__. */
static const char *parameters(Text *t, bool kernel) {
    const char *s = "";
    for (int i = 0; i < t->p->narrays; i++) {
        const Array *x = &t->p->arrays[i];
        if (x->space != SPACE_SHARED && x->space != SPACE_LOCAL && x->space != SPACE_TABLE && x->owner < 0)
            s = arena_printf(t->a, "%sptr noundef %s%%a%d, ", s,
                             kernel && (t->p->features & FEATURE_RESTRICT) && !has_alias(t->p, i) ? "noalias " : "", i);
    }
    return arena_printf(t->a, "%s%s", s, "i32 noundef %q0, i32 noundef %q1, i64 noundef %q2, float noundef %q3");
}

static void print_call(Text *t, const Op *o) {
    const Function *f = &t->p->functions[o->op];
    const char *callee = arena_printf(t->a, "@f%d", o->op);
    if (o->array >= 0) {
        int n = t->unique++;
        if (o->dst % 2) {
            add(t, "  %%f%d = select i1 %%t%d, ptr %s, ptr @f%d\n", n, o->c, callee, o->array);
        } else { /* as a virtual call: by a table in memory */
            add(t, "  %%i%d = zext i1 %%t%d to i64\n", n, o->c);
            add(t, "  %%p%d = getelementptr [2 x ptr], ptr addrspace(1) @table%d.%d, i64 0, i64 %%i%d\n", n, o->op, o->array, n);
            add(t, "  %%f%d = load ptr, ptr addrspace(1) %%p%d\n", n, n);
        }
        callee = arena_printf(t->a, "%%f%d", n);
    }
    add(t, "  %%t%d = call %s %s(", o->dst, type_name(o->type), callee);
    add_text(t, parameters(t, false));
    add(t, ", %s %%t%d, %s %%t%d)\n", type_name(f->arg_type[0]), o->a, type_name(f->arg_type[1]), o->b);
}

static void print_warp(Text *t, const Op *o) {
    static const char *const reductions[] = {"add", "umin", "umax", "min", "max", "and", "or", "xor"};
    const char *mask = o->c >= 0 ? arena_printf(t->a, "%%t%d", o->c) : "-1";
    static const char *const shuffles[] = {"idx", "up", "down", "bfly"}, *const votes[] = {"any", "all", "uni"};
    if (o->code == O_SHUFFLE)
        add(t, "  %%t%d = call i32 @llvm.nvvm.shfl.sync.%s.i32(i32 %s, i32 %%t%d, i32 %%t%d, i32 %d)\n", o->dst,
            shuffles[o->op], mask, o->a, o->b, o->op == 1 ? 0 : 31);
    else if (o->code == O_BALLOT)
        add(t, "  %%t%d = call i32 @llvm.nvvm.vote.ballot.sync(i32 %s, i1 %%t%d)\n", o->dst, mask, o->a);
    else if (o->code == O_VOTE)
        add(t, "  %%t%d = call i1 @llvm.nvvm.vote.%s.sync(i32 %s, i1 %%t%d)\n", o->dst, votes[o->op], mask, o->a);
    else if (o->code == O_MATCH)
        add(t, "  %%t%d = call i32 @llvm.nvvm.match.any.sync.i32(i32 %s, i32 %%t%d)\n", o->dst, mask, o->a);
    else if (o->code == O_REDUX)
        add(t, "  %%t%d = call i32 @llvm.nvvm.redux.sync.%s(i32 %%t%d, i32 %s)\n", o->dst, reductions[o->op], o->a, mask);
    else
        add(t, "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n");
}

static void print_op(Text *t, const Code *c, const Op *o) {
    switch (o->code) {
    case O_CONST: print_constant(t, o); break;
    case O_GET: add(t, "  %%t%d = load %s, ptr %%v%d\n", o->dst, type_name(o->type), o->b); break;
    case O_SET: add(t, "  store %s %%t%d, ptr %%v%d\n", type_name(c->var_types[o->b]), o->a, o->b); break;
    case O_SPECIAL: print_special(t, o); break;
    case O_BIN: print_binary(t, o); break;
    case O_UN: print_unary(t, o); break;
    case O_CMP: print_compare(t, o); break;
    case O_CAST: print_cast(t, o); break;
    case O_SELECT:
        add(t, "  %%t%d = select i1 %%t%d, %s %%t%d, %s %%t%d\n", o->dst, o->a, type_name(o->type), o->b, type_name(o->type), o->c);
        break;
    case O_FMA:
        add(t, "  %%t%d = call %s @llvm.nvvm.fma.rn.%s(%s %%t%d, %s %%t%d, %s %%t%d)\n", o->dst, type_name(o->type), o->type == T_F32 ? "f" : "d",
            type_name(o->type), o->a, type_name(o->type), o->b, type_name(o->type), o->c);
        break;
    case O_FUNNEL: print_funnel(t, o); break;
    case O_WIDE: print_wide(t, o); break;
    case O_LOAD_VECTOR: case O_STORE_VECTOR: print_vector(t, o); break;
    case O_LOAD: case O_LOAD_EITHER: case O_STORE: print_memory(t, o); break;
    case O_ATOMIC: print_atomic(t, o); break;
    case O_COPY: print_copy(t, o); break;
    case O_ADDRESS:
        add(t, "  %%t%d = getelementptr i8, ptr %s, i64 0\n", o->dst, address(t, space_pointer(t, o->array), o->array, o->a));
        break;
    case O_LABEL: add(t, "l%d:\n", o->label[0]); break;
    case O_BR: add(t, "  br label %%l%d\n", o->label[0]); break;
    case O_CBR: add(t, "  br i1 %%t%d, label %%l%d, label %%l%d\n", o->a, o->label[0], o->label[1]); break;
    case O_SWITCH:
        add(t, "  switch i32 %%t%d, label %%l%d [i32 0, label %%l%d i32 1, label %%l%d i32 2, label %%l%d]\n", o->a,
            o->label[3], o->label[0], o->label[1], o->label[2]);
        break;
    case O_BARRIER: print_barrier(t, o); break;
    case O_ARG: add(t, "  %%t%d = bitcast %s %%y%d to %s\n", o->dst, type_name(o->type), o->op, type_name(o->type)); break;
    case O_CALL: print_call(t, o); break;
    case O_RETURN:
        if (o->a < 0) add(t, "  ret void\n");
        else add(t, "  ret %s %%t%d\n", type_name(o->type), o->a);
        break;
    default: print_warp(t, o); break;
    }
}

static const char *element_type(Text *t, int i) {
    const Array *x = &t->p->arrays[i];
    return x->stride == type_bytes(x->type) ? type_name(x->type) : arena_printf(t->a, "%%S%d", i);
}

static void print_structures(Text *t) {
    for (int i = 0; i < t->p->narrays; i++) {
        const Array *x = &t->p->arrays[i];
        if (x->owner >= 0 || x->stride == type_bytes(x->type)) continue;
        add(t, "%%S%d = type { %s", i, type_name(x->type));
        for (int k = i + 1; k < t->p->narrays && t->p->arrays[k].owner == i; k++) add(t, ", %s", type_name(t->p->arrays[k].type));
        add(t, " }\n");
    }
}

static void print_head(Text *t) {
    add(t, "target triple = \"nvptx64-nvidia-cuda\"\n");
    print_structures(t);
    if (t->p->dynamic_bytes) add(t, "@dynamic = external addrspace(3) global [0 x i8], align 16\n");
    for (int i = 0; i < t->p->narrays; i++) {
        const Array *x = &t->p->arrays[i];
        if (x->space == SPACE_SHARED && !x->dynamic && x->owner < 0)
            add(t, "@s%d = internal addrspace(3) global [%d x %s] undef, align 16\n", i, x->n, element_type(t, i));
    }
}

static void print_tables(Text *t) {
    for (int i = 0; i < t->p->narrays; i++) {
        const Array *x = &t->p->arrays[i];
        if (x->space != SPACE_TABLE) continue;
        add(t, "@c%d = internal unnamed_addr addrspace(4) constant [%d x %s] [", i, x->n, type_name(x->type));
        for (int k = 0; k < x->n; k++) {
            uint64_t bits = table_bits(x->type, k);
            float f;
            memcpy(&f, &bits, 4);
            if (x->type == T_F32) add(t, "%sfloat %f", k ? ", " : "", (double)f);
            else add(t, "%s%s %lld", k ? ", " : "", type_name(x->type), (long long)bits);
        }
        add(t, "], align 8\n");
    }
}

static void print_body(Text *t, const Code *c) {
    for (int i = 0; i < c->nvars; i++) add(t, "  %%v%d = alloca %s\n", i, type_name(c->var_types[i]));
    for (int i = 0; i < c->ops.n; i++) print_op(t, c, &c->ops.v[i]);
    add(t, "}\n");
}

static void print_function(Text *t, int k, const Code *c) {
    const Function *f = &t->p->functions[k];
    add(t, "define internal %s @f%d(", type_name(f->type), k);
    add_text(t, parameters(t, false));
    add(t, ", %s noundef %%y0, %s noundef %%y1)%s", type_name(f->arg_type[0]), type_name(f->arg_type[1]), f->keep ? " noinline" : "");
    add(t, " {\nentry:\n");
    print_body(t, c);
}

/* Those of calls by a table: of two functions of one type each. */
static void print_call_tables(Text *t) {
    for (int i = 0; i < t->p->nfunctions; i++)
        for (int k = 0; k < t->p->nfunctions; k++)
            if (t->p->functions[i].type == t->p->functions[k].type)
                add(t, "@table%d.%d = internal addrspace(1) constant [2 x ptr] [ptr @f%d, ptr @f%d]\n", i, k, k, i);
}

/* Local arrays come in front of all that is random. */
static void print_kernel(Text *t, const Code *c) {
    add(t, "define ptx_kernel void @kernel(");
    add_text(t, parameters(t, true));
    add(t, ") {\nentry:\n");
    for (int i = 0; i < t->p->narrays; i++)
        if (t->p->arrays[i].space == SPACE_LOCAL)
            add(t, "  %%a%d = alloca [%d x %s], align 8\n", i, LOCAL_ELEMS, type_name(t->p->arrays[i].type));
    print_body(t, c);
}

char *print_ir(Arena *a, const Program *p, const Code *c) {
    Text t = {.a = a, .p = p};
    print_head(&t);
    print_tables(&t);
    for (int i = 0; i < p->nfunctions; i++) print_function(&t, i, &c->functions[i]);
    print_call_tables(&t);
    print_kernel(&t, c);
    vec_push(a, &t.s, '\0');
    return t.s.v;
}
