/* lower_control.c: branches, calls, the end of a thread. */
#include "ptx-frontend/lower.h"
#include <stdio.h>

LLVMBasicBlockRef label_of(Lower *l, const Operand *o) {
    if (o->kind != OPERAND_NAME) ptx_error(l->p, o->loc, "a label is expected");
    check_unmarked(l, o);
    Sym *s = find_sym(l, o->name, o->loc);
    if (s->kind != SYM_LABEL) ptx_error(l->p, o->loc, "'%s' is not a label", o->name);
    return s->block;
}

static void end_block(Lower *l) {
    start_block(l, new_block(l, "after"));
    l->dead = true;
}

LLVMValueRef op_branch(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    LLVMBuildBr(l->b, label_of(l, &l->inst->ops[0]));
    end_block(l);
    return NULL;
}

LLVMValueRef op_branch_indexed(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    const Operand *list = &l->inst->ops[1];
    Sym *s = list->kind == OPERAND_NAME ? find_sym(l, list->name, list->loc) : NULL;
    if (!s || s->kind != SYM_TARGETS) fail(l, "brx.idx needs the name of a list of labels");
    int n = s->targets->nlabels;
    LLVMBasicBlockRef other = label_of(l, &s->targets->labels[0]);
    LLVMValueRef sw = LLVMBuildSwitch(l->b, v[0], other, (unsigned)n);
    for (int i = 1; i < n; i++) LLVMAddCase(sw, const32(l, (uint64_t)i), label_of(l, &s->targets->labels[i]));
    end_block(l);
    return NULL;
}

static void build_return(Lower *l) {
    if (!l->ret) LLVMBuildRetVoid(l->b);
    else LLVMBuildRet(l->b, LLVMBuildLoad2(l->b, l->ret_type, l->ret, ""));
}

LLVMValueRef op_return_from(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    build_return(l);
    end_block(l);
    return NULL;
}

LLVMValueRef op_exit_thread(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    if (!l->func || !l->func->kernel) call_named(l, "llvm.nvvm.exit", l->nothing, NULL, 0);
    build_return(l);
    end_block(l);
    return NULL;
}

LLVMValueRef op_trap(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    call_llvm(l, how, NULL, NULL, 0);
    return NULL;
}

/* ---- calls ---- */

/* Functions of CUDA's device runtime, with their types in C: i, l, p; the first is the result.  `function`: what this
** runtime has for it, if that has another name.  Launches: of CUDA's device runtime as PTX declares it before 12 and
** since, and what NVIDIA's library of it calls. */
static const struct Known {
    const char *name, *types, *function;
} known[] = {{"vprintf", "ipp", NULL},
             {"__assertfail", "vppipl", NULL},
             {"malloc", "pl", NULL},
             {"free", "vp", NULL},
             {"__assert_fail", "vppip", NULL},
             {"cudaGetParameterBufferV2", "ppppi", "cucpu_launch_buffer_for"},
             {"__cudaCDP2GetParameterBufferV2", "ppppi", "cucpu_launch_buffer_for"},
             {"__cuda_syscall_cnpv2GetParameterBufferV2", "ppppi", "cucpu_launch_buffer_for"},
             {"cudaLaunchDeviceV2", "ipp", "cucpu_launch_buffered"},
             {"__cudaCDP2LaunchDeviceV2", "ipp", "cucpu_launch_buffered"},
             {"__cuda_syscall_cnpv2LaunchDeviceV2", "ipp", "cucpu_launch_buffered"},
             {"__cuda_syscall_cnpv2SetLastError", "ii", "cucpu_set_last_error"},
             {"cudaGetParameterBuffer", "pll", "cucpu_launch_buffer"},
             {"__cudaCDP2GetParameterBuffer", "pll", "cucpu_launch_buffer"},
             {"cudaLaunchDevice", "ippppip", "cucpu_launch_with"},
             {"__cudaCDP2LaunchDevice", "ippppip", "cucpu_launch_with"}};

static LLVMTypeRef known_type(Lower *l, char c) {
    return c == 'i' ? l->i32 : c == 'l' ? l->i64 : c == 'p' ? l->ptr : l->nothing;
}

static const struct Known *find_known(const char *name) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) return &known[i];
    return NULL;
}

/* The name of a function that is only declared. */
const char *known_name(const char *name) {
    const struct Known *k = find_known(name);
    return k && k->function ? k->function : name;
}

LLVMTypeRef known_function(Lower *l, const char *name) {
    const struct Known *k = find_known(name);
    if (!k) return NULL;
    LLVMTypeRef types[8];
    unsigned n = (unsigned)strlen(k->types) - 1;
    for (unsigned i = 0; i < n; i++) types[i] = known_type(l, k->types[i + 1]);
    return LLVMFunctionType(known_type(l, k->types[0]), types, n, 0);
}

/* The .param variable `s`, given as `v`, whose size may be left open. */
static void check_size(Lower *l, const Operand *o, const Sym *s, const Var *v) {
    if (s->space != SPACE_PARAM_AS) ptx_error(l->p, o->loc, "'%s' is not in .param", o->name);
    uint64_t bytes = v ? var_bytes(v) : 0;
    if (bytes && bytes != s->bytes)
        ptx_error(l->p, o->loc, "'%s' has %llu bytes, where the function has %llu", o->name,
                  (unsigned long long)s->bytes, (unsigned long long)bytes);
}

/* The .param variable, register or constant `o` as an argument of type t. */
static LLVMValueRef argument(Lower *l, const Operand *o, const Var *v, LLVMTypeRef t) {
    Sym *s = o->kind == OPERAND_NAME ? try_sym(l, o->name) : NULL;
    if (s && s->kind == SYM_MEMORY) {
        check_size(l, o, s, v);
        if (LLVMGetTypeKind(t) == LLVMPointerTypeKind && v && !is_scalar(v)) return s->value;
        LLVMValueRef x = LLVMBuildLoad2(l->b, t, s->value, "");
        return x;
    }
    PtxType given = v ? value_type(v) : type_b64;
    LLVMValueRef x = as_int(l, read_operand(l, o, &given));
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind ? LLVMBuildIntToPtr(l->b, x, t, "") : x;
}

static void result(Lower *l, const Operand *o, const Var *v, LLVMValueRef r) {
    Sym *s = o->kind == OPERAND_NAME ? try_sym(l, o->name) : NULL;
    if (o->kind == OPERAND_SINK) return;
    if (s && s->kind == SYM_MEMORY) {
        check_size(l, o, s, v);
        LLVMBuildStore(l->b, r, s->value);
    } else {
        PtxType given = v ? value_type(v) : type_b32;
        write_operand(l, o, &given, as_int(l, r));
    }
}

/* Where a prototype is, the callee is a register. */
static Sym *callee_of(Lower *l, const Operand *o, const Operand *proto, LLVMValueRef *f) {
    Sym *s = o->kind == OPERAND_NAME ? find_sym(l, o->name, o->loc) : register_of(l, o);
    if (s->kind == SYM_FUNC) {
        if (s->func->kernel) ptx_error(l->p, o->loc, "'%s' is a kernel and cannot be called", o->name);
        *f = s->value;
        return s;
    }
    if (s->kind != SYM_REG || !proto)
        ptx_error(l->p, o->loc, "'%s' is not a function", o->name ? o->name : "the operand");
    Sym *p = proto->kind == OPERAND_NAME ? find_sym(l, proto->name, proto->loc) : NULL;
    if (!p || (p->kind != SYM_PROTO && p->kind != SYM_FUNC)) ptx_error(l->p, proto->loc, "a prototype is expected");
    *f = LLVMBuildIntToPtr(l->b, read_operand(l, o, &type_b64), l->ptr, "");
    return p;
}

LLVMValueRef op_call(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const Operand *o = l->inst->ops, *end = o + l->inst->nops, *rets = NULL, *args = NULL;
    if (o < end && o->kind == OPERAND_LIST) rets = o++;
    if (o == end) fail(l, "the function is missing in 'call'");
    const Operand *name = o++;
    if (o < end && o->kind == OPERAND_LIST) args = o++;
    LLVMValueRef f, a[64];
    Sym *s = callee_of(l, name, o < end ? o : NULL, &f);
    LLVMTypeRef t = s->fn_type, types[64];
    unsigned n = LLVMCountParamTypes(t), given = args ? (unsigned)args->n : 0;
    if (n != given || n > 64) fail(l, "'%s' takes %u arguments, not %u", s->func->name, n, given);
    if ((rets ? rets->n : 0) != s->func->rets.n) fail(l, "'%s' has %d results", s->func->name, s->func->rets.n);
    LLVMGetParamTypes(t, types);
    for (unsigned i = 0; i < n; i++)
        a[i] = argument(l, &args->v[i], (int)i < s->func->params.n ? &s->func->params.v[i] : NULL, types[i]);
    LLVMValueRef r = LLVMBuildCall2(l->b, t, f, a, n, "");
    mark_arrays(l, s->func, r);
    for (int i = 0; rets && i < rets->n; i++)
        result(l, &rets->v[i], &s->func->rets.v[i], rets->n == 1 ? r : LLVMBuildExtractValue(l->b, r, (unsigned)i, ""));
    return NULL;
}
