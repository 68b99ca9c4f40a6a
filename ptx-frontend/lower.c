/* lower.c: functions and their statements; how an instruction is lowered by its row.
**
** Labels, lists of labels and prototypes are declared when their block { } opens, everything else at its statement. A
** guard @p makes a branch around its instruction; LLVM turns most of them into selects later. An instruction with an
** error is skipped, so that all errors are reported. */
#include "ptx-frontend/lower.h"
#include "passes/ir/guess_block.h"
#include <stdio.h>

Scope *open_scope(Lower *l) {
    Scope *s = arena_alloc(&l->p->arena, sizeof *s);
    map_init(&s->syms, &l->p->arena);
    s->up = l->scope;
    return l->scope = s;
}

LLVMBasicBlockRef new_block(Lower *l, const char *name) { return LLVMAppendBasicBlockInContext(l->ctx, l->fn, name); }

void start_block(Lower *l, LLVMBasicBlockRef b) {
    LLVMBasicBlockRef last = LLVMGetLastBasicBlock(l->fn);
    if (b != last) LLVMMoveBasicBlockAfter(b, last);
    LLVMPositionBuilderAtEnd(l->b, b);
    l->dead = false;
}

static bool is_open(Lower *l) { return !LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->b)); }

/* ---- lines ---- */

static void set_line(Lower *l, PtxLoc at) {
    if (!l->di_scope) return;
    LLVMMetadataRef loc = LLVMDIBuilderCreateDebugLocation(l->ctx, at.line, at.col, l->di_scope, NULL);
    LLVMSetCurrentDebugLocation2(l->b, loc);
}

/* ---- instructions ---- */

static const PtxType *twice(Lower *l, const PtxType *t) {
    if (t->bits == 16) return t->kind == 's' ? ptx_type("s32") : ptx_type("u32");
    if (t->bits != 32) fail(l, "'%s' has no result of twice the size of .%s", l->inst->op, t->name);
    return t->kind == 's' ? ptx_type("s64") : ptx_type("u64");
}

static const PtxType *type_of_letter(Lower *l, char c) {
    switch (c) {
    case 'd':
    case 'a': return l->t[0];
    case 'D':
    case 'A': return twice(l, l->t[0]);
    case 'b': return l->t[1];
    case 'i':
    case 'u': return &type_b32;
    case 'l': return &type_b64;
    case 'p':
    case 'q': return &type_pred;
    default: return NULL;
    }
}

static void lower_operation(Lower *l) {
    LLVMValueRef v[8] = {0};
    const PtxType *result = NULL;
    l->results.n = 0; /* of an instruction with an error */
    match_row(l);
    check_marks(l);
    int i = 0;
    for (const char *s = l->row->operands; *s && i < l->inst->nops && i < 8; s++) {
        if (*s == '?') continue;
        const PtxType *t = type_of_letter(l, *s);
        if (i == 0 && strchr("dDiq", *s)) {
            if (l->inst->ops[0].kind == OPERAND_SINK) fail(l, "'%s' needs its result", l->inst->op);
            result = t;
        }
        if (t && (i || !result)) v[i] = read_operand(l, &l->inst->ops[i], t);
        i++;
    }
    LLVMValueRef r = l->row->build(l, v, l->row->how);
    if (r && result) write_operand(l, &l->inst->ops[0], result, r);
    store_results(l);
}

static LLVMValueRef guard_of(Lower *l, const Inst *i) {
    Operand o = {.kind = i->guard_arg ? OPERAND_ARG : OPERAND_NAME,
                 .loc = l->at,
                 .name = i->guard,
                 .value = i->guard_arg ? i->guard_arg - 1 : 0};
    if (i->guard_arg) {
        LLVMValueRef v = read_operand(l, &o, &type_b32);
        v = LLVMBuildICmp(l->b, LLVMIntNE, v, const32(l, 0), "");
        return i->guard_not ? LLVMBuildNot(l->b, v, "") : v;
    }
    o.negated = i->guard_not;
    return read_operand(l, &o, &type_pred);
}

static void lower_instruction(Lower *l, const Stmt *s) {
    LLVMBasicBlockRef join = NULL;
    l->inst = &s->inst;
    if (s->inst.guard || s->inst.guard_arg) {
        LLVMValueRef p = guard_of(l, &s->inst);
        LLVMBasicBlockRef then = new_block(l, "");
        join = new_block(l, "");
        LLVMBuildCondBr(l->b, p, then, join);
        start_block(l, then);
    }
    lower_operation(l);
    if (!join) return;
    if (is_open(l)) LLVMBuildBr(l->b, join);
    start_block(l, join);
}

/* ---- statements ---- */

static void declare_register(Lower *l, const Var *v) {
    Sym s = {.kind = v->count >= 0 ? SYM_FAMILY : SYM_REG,
             .loc = v->loc,
             .type = v->type,
             .lanes = v->lanes,
             .count = v->count};
    if ((v->type.bits < 8 && v->type.kind != 'p') || v->type.kind == 'y' || v->type.bits * v->lanes > 128 ||
        v->type.kind == 'o')
        fail(l, "a register cannot be of type .%s", v->type.name);
    if (!strcmp(v->name, "_")) fail(l, "a register needs a name");
    if (v->ndims || v->init) fail(l, "a register is no array and has no initial value");
    LLVMTypeRef t = int_type(l, v->type.bits);
    if (s.kind == SYM_REG)
        s.value = add_alloca(l, v->lanes > 1 ? LLVMArrayType2(t, (uint64_t)v->lanes) : t, 0, v->name);
    add_sym(l, s.kind == SYM_FAMILY ? family_name(l, v->name, strlen(v->name)) : v->name, s);
}

static void declare_memory(Lower *l, const Var *v) {
    Sym s = {.kind = SYM_MEMORY,
             .loc = v->loc,
             .type = v->type,
             .bytes = var_bytes(v),
             .space = v->space[0] == 'p' ? SPACE_PARAM_AS : SPACE_LOCAL_AS};
    if (v->init) fail(l, "'%s' cannot have an initial value", v->name);
    if (v->ndims && !v->dims[0]) fail(l, "'%s' has no size", v->name);
    if (var_bytes(v) > 1 << 28) fail(l, "'%s' is too large", v->name);
    s.value = add_alloca(l, memory_type(l, v), var_align(v), v->name);
    add_sym(l, v->name, s);
}

static void lower_variable_statement(Lower *l, const Var *v) {
    if (!strcmp(v->space, "reg")) declare_register(l, v);
    else if (!strcmp(v->space, "param") || !strcmp(v->space, "local")) declare_memory(l, v);
    else lower_variable(l, v, true);
}

static void lower_label(Lower *l, const Stmt *s) {
    Sym *x = map_ptr(&l->scope->syms, s->name);
    if (!x || x->kind != SYM_LABEL || x->loc.line != s->loc.line || x->loc.col != s->loc.col)
        return; /* declared twice: reported */
    if (is_open(l)) LLVMBuildBr(l->b, x->block);
    start_block(l, x->block);
}

static void lower_statement(Lower *l, const Stmt *s) {
    l->at = s->loc;
    set_line(l, s->loc);
    switch (s->kind) {
    case STMT_INST: lower_instruction(l, s); break;
    case STMT_LABEL: lower_label(l, s); break;
    case STMT_TARGETS:
        for (int i = 0; i < s->nlabels; i++) label_of(l, &s->labels[i]);
        break;
    case STMT_VAR: lower_variable_statement(l, &s->var); break;
    case STMT_BLOCK: {
        Scope *outer = l->scope;
        open_scope(l);
        lower_statements(l, &s->block);
        l->scope = outer;
        break;
    }
    default: break;
    }
}

/* A list of functions that a call by pointer may reach serves as their prototype. */
static Sym callees(Lower *l, const Stmt *s) {
    Sym x = {.kind = SYM_PROTO, .loc = s->loc};
    for (int i = 0; i < s->nlabels; i++) {
        const Operand *o = &s->labels[i];
        check_unmarked(l, o);
        const Sym *f = o->kind == OPERAND_NAME ? find_sym(l, o->name, o->loc) : NULL;
        if (!f || f->kind != SYM_FUNC || f->func->kernel) ptx_error(l->p, o->loc, "a function is expected");
        if (i && f->fn_type != x.fn_type)
            ptx_error(l->p, o->loc, "'%s' is declared differently from '%s'", o->name, x.func->name);
        x.func = f->func;
        x.fn_type = f->fn_type;
    }
    return x;
}

static void declare_ahead(Lower *l, const Stmt *s) {
    Sym x = {.loc = s->loc};
    l->at = s->loc;
    if (s->kind == STMT_LABEL) {
        x.kind = SYM_LABEL;
        x.block = new_block(l, s->name);
    } else if (s->kind == STMT_TARGETS) {
        x.kind = SYM_TARGETS;
        x.targets = s;
    } else if (s->kind == STMT_CALLEES) {
        x = callees(l, s);
    } else if (s->kind == STMT_PROTO) {
        x.kind = SYM_PROTO;
        x.func = s->proto;
        x.fn_type = function_type(l, s->proto);
    } else {
        return;
    }
    add_sym(l, s->name, x);
}

/* f on each statement; an error in one does not end the others. */
static void each(Lower *l, const Stmts *body, void (*f)(Lower *, const Stmt *)) {
    jmp_buf *outer = l->p->resume, here;
    Scope *scope = l->scope;
    volatile int i = 0;
    l->p->resume = &here;
    if (setjmp(here)) {
        i++;
        l->scope = scope;
    }
    for (; i < body->n && l->p->errors < PTX_MAX_ERRORS; i++) f(l, &body->v[i]);
    l->p->resume = outer;
}

void lower_statements(Lower *l, const Stmts *body) {
    each(l, body, declare_ahead);
    each(l, body, lower_statement);
}

/* ---- functions ---- */

/* A parameter as memory of its own, but for arrays, which are by pointer. */
static void define_parameter(Lower *l, const Var *v, LLVMValueRef arg) {
    l->at = v->loc;
    Sym s = {.kind = SYM_MEMORY,
             .loc = v->loc,
             .type = v->type,
             .bytes = var_bytes(v),
             .space = SPACE_PARAM_AS,
             .value = arg,
             .input_only = true};
    if (!strcmp(v->space, "reg")) {
        s.kind = SYM_REG;
        s.lanes = v->lanes;
        s.value = add_alloca(l, LLVMTypeOf(arg), 0, v->name);
        LLVMBuildStore(l->b, as_int(l, arg), s.value);
    } else if (is_scalar(v)) {
        s.value = add_alloca(l, memory_type(l, v), 0, v->name);
        LLVMBuildStore(l->b, as_int(l, arg), s.value);
    }
    LLVMSetValueName2(arg, v->name, strlen(v->name));
    add_sym(l, v->name, s);
}

static void define_result(Lower *l, const Var *v, LLVMValueRef address) {
    Sym s = {.kind = !strcmp(v->space, "reg") ? SYM_REG : SYM_MEMORY,
             .loc = v->loc,
             .type = v->type,
             .bytes = var_bytes(v),
             .space = SPACE_PARAM_AS,
             .lanes = v->lanes,
             .value = address};
    add_sym(l, v->name, s);
}

/* One variable for the result, or a struct for several. */
static void define_results(Lower *l, const Vars *rets) {
    if (!rets->n) return;
    l->ret_type = LLVMGetReturnType(LLVMGlobalGetValueType(l->fn));
    l->ret = add_alloca(l, l->ret_type, var_align(&rets->v[0]), rets->v[0].name);
    for (int i = 0; i < rets->n; i++)
        define_result(l, &rets->v[i],
                      rets->n == 1 ? l->ret : LLVMBuildStructGEP2(l->b, l->ret_type, l->ret, (unsigned)i, ""));
}

static void add_subprogram(Lower *l, const Func *f) {
    if (!l->di) return;
    size_t n = strlen(f->name);
    l->di_scope = LLVMDIBuilderCreateFunction(l->di, l->di_file, f->name, n, f->name, n, l->di_file, f->loc.line,
                                              l->di_type, 0, 1, f->loc.line, 0, 1);
    LLVMSetSubprogram(l->fn, l->di_scope);
}

/* Registers and .local memory outside functions are of each thread: kernels that call no function of the text have them
** as their own. */
static bool is_of_thread(const Var *v) { return !strcmp(v->space, "reg") || !strcmp(v->space, "local"); }

static void check_common(Lower *l, const Var *v) {
    int bodies = 0, kernels = 0;
    for (int i = 0; i < l->tree->funcs.n; i++) {
        bodies += l->tree->funcs.v[i].has_body;
        kernels += l->tree->funcs.v[i].has_body && l->tree->funcs.v[i].kernel;
    }
    if (bodies > 1 && bodies > kernels) ptx_unsupported(l->p, v->loc, ".%s that several functions share", v->space);
}

static void declare_common(Lower *l, const Func *f) {
    for (int i = 0; i < l->tree->vars.n; i++) {
        const Var *v = &l->tree->vars.v[i];
        l->at = v->loc;
        if (is_of_thread(v) && v->part == f->part) lower_variable_statement(l, v);
    }
}

static void define_function(Lower *l, const Func *f) {
    Scope *outer = l->scope;
    enter_part(l, f->part);
    Sym *s = try_sym(l, f->name);
    if (!s || s->kind != SYM_FUNC || s->func != f) return; /* declared otherwise: reported */
    l->func = f;
    l->fn = s->value;
    l->cc = l->ret = NULL;
    LLVMBasicBlockRef entry = new_block(l, "entry"), body = new_block(l, "start");
    add_subprogram(l, f);
    set_line(l, f->loc);
    LLVMPositionBuilderAtEnd(l->b, body);
    open_scope(l);
    declare_common(l, f);
    open_scope(l);
    define_results(l, &f->rets);
    for (int i = 0; i < f->params.n; i++) define_parameter(l, &f->params.v[i], LLVMGetParam(l->fn, (unsigned)i));
    open_scope(l);
    lower_statements(l, &f->body);
    if (is_open(l)) {
        if (l->ret) LLVMBuildRet(l->b, LLVMBuildLoad2(l->b, l->ret_type, l->ret, ""));
        else LLVMBuildRetVoid(l->b);
    }
    LLVMPositionBuilderAtEnd(l->b, entry);
    LLVMBuildBr(l->b, body);
    l->scope = outer;
}

static void define_functions(Lower *l, const Tree *t) {
    jmp_buf *outer = l->p->resume, here;
    Scope *scope = l->scope;
    volatile int i = 0;
    l->p->resume = &here;
    if (setjmp(here)) i++;
    l->scope = scope;
    for (; i < t->funcs.n && l->p->errors < PTX_MAX_ERRORS; i++)
        if (t->funcs.v[i].has_body) define_function(l, &t->funcs.v[i]);
    l->p->resume = outer;
}

/* ---- the module ---- */

void lower_init(Lower *l, LLVMContextRef ctx, LLVMModuleRef mod, LLVMBuilderRef b) {
    l->ctx = ctx;
    l->mod = mod;
    l->b = b;
    l->i1 = LLVMInt1TypeInContext(ctx);
    l->i8 = LLVMInt8TypeInContext(ctx);
    l->i16 = LLVMInt16TypeInContext(ctx);
    l->i32 = LLVMInt32TypeInContext(ctx);
    l->i64 = LLVMInt64TypeInContext(ctx);
    l->f16 = LLVMHalfTypeInContext(ctx);
    l->f32 = LLVMFloatTypeInContext(ctx);
    l->f64 = LLVMDoubleTypeInContext(ctx);
    l->ptr = LLVMPointerTypeInContext(ctx, 0);
    l->nothing = LLVMVoidTypeInContext(ctx);
}

static void open_lines(Lower *l, const char *file) {
    const char *slash = strrchr(file, '/');
    LLVMValueRef version = LLVMConstInt(l->i32, 3, 0);
    LLVMAddModuleFlag(l->mod, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18, LLVMValueAsMetadata(version));
    l->di = LLVMCreateDIBuilder(l->mod);
    l->di_file = LLVMDIBuilderCreateFile(l->di, file, strlen(file), file, slash ? (size_t)(slash - file) : 0);
    l->di_unit = LLVMDIBuilderCreateCompileUnit(l->di, LLVMDWARFSourceLanguageC99, l->di_file, "cucpu", 5, 1, "", 0, 0,
                                                "", 0, LLVMDWARFEmissionLineTablesOnly, 0, 0, 0, "", 0, "", 0);
    l->di_type = LLVMDIBuilderCreateSubroutineType(l->di, l->di_file, NULL, 0, LLVMDIFlagZero);
}

static void lower_tree(Lower *l, const Tree *t) {
    jmp_buf *outer = l->p->resume, here;
    volatile int i = 0;
    l->tree = t;
    Scope *module = open_scope(l);
    if (t->parts) l->parts = arena_array(&l->p->arena, Scope *, t->parts + 1);
    for (int k = 0; l->parts && k <= t->parts; k++) {
        l->scope = module;
        l->parts[k] = open_scope(l);
    }
    l->p->resume = &here;
    if (!setjmp(here)) declare_functions(l, t);
    if (setjmp(here)) i++;
    for (; i < t->vars.n && l->p->errors < PTX_MAX_ERRORS; i++) {
        if (is_of_thread(&t->vars.v[i])) {
            check_common(l, &t->vars.v[i]);
            continue;
        }
        l->at = t->vars.v[i].loc;
        enter_part(l, t->vars.v[i].part);
        lower_variable(l, &t->vars.v[i], false);
    }
    l->p->resume = outer;
    l->scope = module;
    define_functions(l, t);
}

static void finish_function(Lower *l, LLVMValueRef f) {
    recover_values(f);
    if (!recover_grid_barriers(l, f))
        ptx_unsupported(l->p, l->at, "%%envreg outside the barrier of the grid that nvcc writes");
    recover_floats(l->mod, f);
    recover_divisions(l->mod, f);
    recover_pointers(l->mod, f);
    if (LLVMGetFunctionCallConv(f) == KERNEL_CC) guess_block(l->mod, f);
}

static void finish(Lower *l) {
    jmp_buf here;
    LLVMDIBuilderFinalize(l->di);
    if (l->p->errors || l->p->unsupported) return;
    l->p->resume = &here;
    if (setjmp(here)) return;
    for (LLVMValueRef f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) finish_function(l, f);
}

int ptx_to_module(const PtxOptions *o, const char *text, size_t length, LLVMContextRef ctx, LLVMModuleRef *out) {
    Ptx p;
    Tree t = {0};
    *out = NULL;
    ptx_open(&p, o->file, text, length);
    index_rows(&p);
    if (ptx_parse(&p, &t)) {
        Lower l = {.p = &p, .warp_size = o->warp_size};
        LLVMModuleRef mod = LLVMModuleCreateWithNameInContext(o->file, ctx);
        LLVMBuilderRef b = LLVMCreateBuilderInContext(ctx);
        LLVMSetTarget(mod, "nvptx64-nvidia-cuda");
        lower_init(&l, ctx, mod, b);
        open_lines(&l, o->file);
        lower_tree(&l, &t);
        finish(&l);
        LLVMDisposeDIBuilder(l.di);
        LLVMDisposeBuilder(b);
        if (p.errors || p.unsupported) LLVMDisposeModule(mod);
        else *out = mod;
    }
    int status = p.lacks ? PTX_UNSUPPORTED : p.errors ? PTX_ERROR : p.unsupported ? PTX_UNSUPPORTED : PTX_OK;
    ptx_close(&p);
    return status;
}

bool ptx_is_ptx(const char *text, size_t length) {
    const char *s = text, *end = text + length;
    while (s < end) {
        if (strchr(" \t\r\n\f\v", *s) && *s) s++;
        else if (end - s > 1 && s[0] == '/' && s[1] == '/')
            while (s < end && *s != '\n') s++;
        else if (end - s > 1 && s[0] == '/' && s[1] == '*') {
            for (s += 2; end - s > 1 && !(s[0] == '*' && s[1] == '/');) s++;
            s = end - s > 1 ? s + 2 : end;
        } else break;
    }
    return end - s > 8 && !memcmp(s, ".version", 8);
}
