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

static const char *space_pointer(Text *t, int array) {
    const Array *x = &t->p->arrays[array];
    if (x->space == SPACE_SHARED) return arena_printf(t->a, "addrspacecast (ptr addrspace(3) @s%d to ptr)", array);
    return arena_printf(t->a, "%%a%d", array);
}

/* Computes the address of an element; returns the name of the pointer. */
static char *address(Text *t, const char *base, Type type, int index) {
    int n = t->unique++;
    add(t, "  %%w%d = %s i32 %%t%d to i64\n", n, n % 3 ? "sext" : "zext", index);
    add(t, "  %%p%d = getelementptr inbounds %s, ptr %s, i64 %%w%d\n", n, type_name(type), base, n);
    return arena_printf(t->a, "%%p%d", n);
}

static void print_constant(Text *t, const Op *o) {
    if (o->type == T_F32 || o->type == T_F64) {
        const char *from = o->type == T_F32 ? "i32" : "i64";
        add(t, "  %%t%d = bitcast %s %lld to %s\n", o->dst, from, (long long)o->bits, type_name(o->type));
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

static void print_binary(Text *t, const Op *o) {
    static const char *const names[] = {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr",
                                        "smin", "smax", "umin", "umax", "udiv", "sdiv", "urem", "srem",
                                        "fadd", "fsub", "fmul", "fdiv"};
    const char *ty = type_name(o->type);
    if (o->op >= B_SMIN && o->op <= B_UMAX) {
        add(t, "  %%t%d = call %s @llvm.%s.%s(%s %%t%d, %s %%t%d)\n", o->dst, ty, names[o->op], ty, ty, o->a, ty, o->b);
        return;
    }
    add(t, "  %%t%d = %s%s %s %%t%d, %%t%d\n", o->dst, names[o->op], o->flag ? " nuw nsw" : "", ty, o->a, o->b);
}

static void print_unary(Text *t, const Op *o) {
    const char *ty = type_name(o->type), *suffix = o->type == T_F32 ? "f32" : o->type == T_F64 ? "f64" : ty;
    switch ((UnOp)o->op) {
    case U_POPC: add(t, "  %%t%d = call %s @llvm.ctpop.%s(%s %%t%d)\n", o->dst, ty, ty, ty, o->a); break;
    case U_CLZ: add(t, "  %%t%d = call %s @llvm.ctlz.%s(%s %%t%d, i1 false)\n", o->dst, ty, ty, ty, o->a); break;
    case U_FNEG: add(t, "  %%t%d = fneg %s %%t%d\n", o->dst, ty, o->a); break;
    case U_FABS: add(t, "  %%t%d = call %s @llvm.fabs.%s(%s %%t%d)\n", o->dst, ty, suffix, ty, o->a); break;
    case U_SQRT: add(t, "  %%t%d = call %s @llvm.nvvm.sqrt.rn.%s(%s %%t%d)\n", o->dst, ty, o->type == T_F32 ? "f" : "d", ty, o->a); break;
    }
}

static void print_compare(Text *t, const Op *o) {
    static const char *const ints[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
    static const char *const reals[] = {"oeq", "une", "olt", "ole", "ogt", "oge"};
    bool real = type_is_float(o->from);
    add(t, "  %%t%d = %s %s %s %%t%d, %%t%d\n", o->dst, real ? "fcmp" : "icmp", real ? reals[o->op] : ints[o->op],
        type_name(o->from), o->a, o->b);
}

static void print_cast(Text *t, const Op *o) {
    static const char *const names[] = {"trunc", "zext", "sext", "sitofp", "uitofp", "fptosi", "fptrunc", "fpext"};
    add(t, "  %%t%d = %s %s %%t%d to %s\n", o->dst, names[o->op], type_name(o->from), o->a, type_name(o->type));
}

static void print_memory(Text *t, const Op *o) {
    const char *ty = type_name(o->type), *base = space_pointer(t, o->array), *p;
    if (o->code == O_LOAD_EITHER) {
        int n = t->unique++;
        add(t, "  %%e%d = select i1 %%t%d, ptr %s, ptr %s\n", n, o->b, base, space_pointer(t, o->op));
        base = arena_printf(t->a, "%%e%d", n);
    }
    p = address(t, base, o->type, o->a);
    if (o->code == O_STORE) add(t, "  store %s %%t%d, ptr %s, align %u\n", ty, o->b, p, type_bytes(o->type));
    else add(t, "  %%t%d = load %s, ptr %s, align %u\n", o->dst, ty, p, type_bytes(o->type));
}

static void print_atomic(Text *t, const Op *o) {
    static const char *const names[] = {"add", "and", "or", "xor", "max", "min", "umax", "umin", "xchg"};
    char *p = address(t, space_pointer(t, o->array), o->type, o->a);
    add(t, "  %%t%d = atomicrmw %s ptr %s, %s %%t%d monotonic, align %u\n", o->dst, names[o->op], p, type_name(o->type), o->b,
        type_bytes(o->type));
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

static void print_warp(Text *t, const Op *o) {
    static const char *const shuffles[] = {"idx", "up", "down", "bfly"}, *const votes[] = {"any", "all", "uni"};
    if (o->code == O_SHUFFLE)
        add(t, "  %%t%d = call i32 @llvm.nvvm.shfl.sync.%s.i32(i32 -1, i32 %%t%d, i32 %%t%d, i32 %d)\n", o->dst,
            shuffles[o->op], o->a, o->b, o->op == 1 ? 0 : 31);
    else if (o->code == O_BALLOT)
        add(t, "  %%t%d = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %%t%d)\n", o->dst, o->a);
    else if (o->code == O_VOTE)
        add(t, "  %%t%d = call i1 @llvm.nvvm.vote.%s.sync(i32 -1, i1 %%t%d)\n", o->dst, votes[o->op], o->a);
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
    case O_LOAD: case O_LOAD_EITHER: case O_STORE: print_memory(t, o); break;
    case O_ATOMIC: print_atomic(t, o); break;
    case O_LABEL: add(t, "l%d:\n", o->label[0]); break;
    case O_BR: add(t, "  br label %%l%d\n", o->label[0]); break;
    case O_CBR: add(t, "  br i1 %%t%d, label %%l%d, label %%l%d\n", o->a, o->label[0], o->label[1]); break;
    case O_SWITCH:
        add(t, "  switch i32 %%t%d, label %%l%d [i32 0, label %%l%d i32 1, label %%l%d i32 2, label %%l%d]\n", o->a,
            o->label[3], o->label[0], o->label[1], o->label[2]);
        break;
    case O_BARRIER: print_barrier(t, o); break;
    case O_RETURN: add(t, "  ret void\n"); break;
    default: print_warp(t, o); break;
    }
}

static void print_head(Text *t, const Code *c) {
    add(t, "target triple = \"nvptx64-nvidia-cuda\"\n");
    for (int i = 0; i < t->p->narrays; i++) {
        const Array *x = &t->p->arrays[i];
        if (x->space == SPACE_SHARED)
            add(t, "@s%d = internal addrspace(3) global [%d x %s] undef, align %u\n", i, x->n, type_name(x->type), type_bytes(x->type));
    }
    add(t, "define ptx_kernel void @kernel(");
    for (int i = 0; i < t->p->narrays; i++)
        if (t->p->arrays[i].space != SPACE_SHARED && t->p->arrays[i].space != SPACE_LOCAL) add(t, "ptr noundef %%a%d, ", i);
    add(t, "i32 noundef %%q0, i32 noundef %%q1, i64 noundef %%q2, float noundef %%q3) {\nentry:\n");
    for (int i = 0; i < t->p->narrays; i++)
        if (t->p->arrays[i].space == SPACE_LOCAL)
            add(t, "  %%a%d = alloca [%d x %s], align 8\n", i, LOCAL_ELEMS, type_name(t->p->arrays[i].type));
    for (int i = 0; i < c->nvars; i++) add(t, "  %%v%d = alloca %s\n", i, type_name(c->var_types[i]));
}

char *print_ir(Arena *a, const Program *p, const Code *c) {
    Text t = {.a = a, .p = p};
    print_head(&t, c);
    for (int i = 0; i < c->ops.n; i++) print_op(&t, c, &c->ops.v[i]);
    add(&t, "}\n");
    vec_push(a, &t.s, '\0');
    return t.s.v;
}
