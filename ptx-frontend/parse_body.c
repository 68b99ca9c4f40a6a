/* parse_body.c: the inside of functions: statements, instructions and operands. */
#include "ptx-frontend/ptx.h"

enum { MAX_MODS = 24, MAX_OPERANDS = 40, MAX_BLOCKS = 256 };

/* ---- operands ---- */

static void operand_list(Ptx *p, Operand *o, const char *end) {
    Vec(Operand) all = {0};
    while (!at_punct(p, end)) {
        vec_push(&p->arena, &all, parse_operand(p));
        if (!take_punct(p, ",")) break;
        if (at_punct(p, end)) ptx_error(p, p->lex.loc, "an operand is expected, not '%s'", end);
    }
    expect_punct(p, end);
    if (!all.n && *end == '}') ptx_error(p, o->loc, "an empty vector");
    o->v = all.v;
    o->n = all.n;
}

static void add_offset(Ptx *p, Operand *o) {
    if (at_punct(p, "+")) {
        ptx_next(p);
        o->value += parse_constant(p);
    }
}

/* [base + offset], [offset], or the tuple [a, {x, y}] of textures. */
static void address(Ptx *p, Operand *o) {
    o->kind = OPERAND_ADDRESS;
    Operand base = parse_operand(p);
    if (base.kind == OPERAND_INT) {
        o->value = base.value;
    } else {
        add_offset(p, o);
        if (base.kind == OPERAND_NAME && !base.indexed) { /* name+4, read as one operand */
            o->value += base.value;
            base.value = 0;
        }
        o->v = arena_alloc(&p->arena, sizeof base);
        *o->v = base;
        o->n = 1;
    }
    if (take_punct(p, ",")) {
        Operand first = *o;
        o->kind = OPERAND_TUPLE;
        operand_list(p, o, "]");
        Operand *all = arena_array(&p->arena, Operand, o->n + 1);
        all[0] = first;
        memcpy(all + 1, o->v, sizeof *all * (size_t)o->n);
        o->v = all;
        o->n++;
        return;
    }
    expect_punct(p, "]");
}

static void named(Ptx *p, Operand *o) {
    if (p->lex.kind == TOKEN_ARG) {
        o->kind = OPERAND_ARG;
        o->value = (int64_t)p->lex.value;
        o->name = "an operand";
        ptx_next(p);
    } else {
        o->kind = OPERAND_NAME;
        o->name = expect_name(p, "an operand");
        if (!strcmp(o->name, "_")) o->kind = OPERAND_SINK;
    }
    if (p->lex.kind == TOKEN_DOT) {
        o->member = p->lex.name;
        ptx_next(p);
    }
    if (o->kind == OPERAND_NAME && take_punct(p, "[")) {
        o->indexed = true;
        o->value = parse_constant(p);
        expect_punct(p, "]");
    } else if (o->kind == OPERAND_NAME && at_punct(p, "+")) {
        add_offset(p, o);
    }
    if (take_punct(p, "|")) {
        o->pair = arena_alloc(&p->arena, sizeof *o->pair);
        *o->pair = parse_operand(p);
    }
}

static void real_number(Ptx *p, Operand *o, bool minus) {
    o->kind = OPERAND_FLOAT;
    o->float_kind = p->lex.float_kind;
    o->value = (int64_t)p->lex.value;
    memcpy(&o->real, &p->lex.value, sizeof o->real);
    if (minus && o->float_kind) ptx_error(p, o->loc, "a sign before a constant that is given by its bits");
    if (minus) o->real = -o->real;
    ptx_next(p);
}

/* A minus before a decimal float or a register (of vmad): where a sign is not part of an integer expression. */
bool minus_of(Ptx *p, Token kind) {
    if (!at_punct(p, "-")) return false;
    Lexer before = p->lex;
    ptx_next(p);
    if (p->lex.kind == kind && !(kind == TOKEN_NAME && !strcmp(p->lex.name, "WARP_SZ"))) return true;
    p->lex = before;
    return false;
}

Operand parse_operand(Ptx *p) {
    Operand o = {.loc = p->lex.loc};
    bool is_name = p->lex.kind == TOKEN_NAME && strcmp(p->lex.name, "WARP_SZ"), minus = false;
    if (at_punct(p, "!")) {
        Lexer before = p->lex;
        ptx_next(p);
        if (p->lex.kind == TOKEN_NAME || p->lex.kind == TOKEN_ARG) {
            named(p, &o);
            o.negated = true;
            return o;
        }
        p->lex = before;
    }
    if (is_name || p->lex.kind == TOKEN_ARG) {
        named(p, &o);
    } else if (take_punct(p, "{")) {
        o.kind = OPERAND_VECTOR;
        operand_list(p, &o, "}");
        if (take_punct(p, "|")) { /* whether a texture is resident */
            o.pair = arena_alloc(&p->arena, sizeof *o.pair);
            *o.pair = parse_operand(p);
        }
    } else if (take_punct(p, "[")) {
        address(p, &o);
    } else if ((minus = minus_of(p, TOKEN_FLOAT)) || p->lex.kind == TOKEN_FLOAT) {
        real_number(p, &o, minus);
    } else if (minus_of(p, TOKEN_NAME)) {
        named(p, &o);
        o.minus = true;
    } else {
        o.kind = OPERAND_INT;
        o.is_unsigned = p->lex.is_unsigned;
        o.value = parse_constant(p);
    }
    return o;
}

/* ---- instructions ---- */

/* call (ret), f, (args), prototype; */
static void call_operands(Ptx *p, Inst *i) {
    Vec(Operand) all = {0};
    do {
        Operand o = {.kind = OPERAND_LIST, .loc = p->lex.loc};
        if (take_punct(p, "(")) operand_list(p, &o, ")");
        else o = parse_operand(p);
        vec_push(&p->arena, &all, o);
    } while (take_punct(p, ","));
    i->ops = all.v;
    i->nops = all.n;
}

static void operands(Ptx *p, Inst *i) {
    Vec(Operand) all = {0};
    if (at_punct(p, ";") || p->lex.kind == TOKEN_END) return;
    if (!strcmp(i->op, "call")) return call_operands(p, i);
    do vec_push(&p->arena, &all, parse_operand(p));
    while (all.n < MAX_OPERANDS && take_punct(p, ","));
    i->ops = all.v;
    i->nops = all.n;
}

static void guard(Ptx *p, Inst *i) {
    if (!take_punct(p, "@")) return;
    i->guard_not = take_punct(p, "!");
    if (p->lex.kind == TOKEN_ARG) {
        i->guard_arg = (int)p->lex.value + 1;
        ptx_next(p);
    } else {
        i->guard = expect_name(p, "a predicate");
    }
}

static void parse_instruction(Ptx *p, Stmts *body, PtxLoc loc) {
    Stmt s = {.kind = STMT_INST, .loc = loc};
    const char *mods[MAX_MODS];
    guard(p, &s.inst);
    s.loc = p->lex.loc;
    s.inst.op = expect_name(p, "an instruction");
    while (p->lex.kind == TOKEN_DOT) {
        if (s.inst.nmods == MAX_MODS) ptx_error(p, p->lex.loc, "too many modifiers");
        mods[s.inst.nmods++] = p->lex.name;
        ptx_next(p);
    }
    s.inst.mods = arena_array(&p->arena, const char *, s.inst.nmods + 1);
    memcpy(s.inst.mods, mods, sizeof *mods * (size_t)s.inst.nmods);
    operands(p, &s.inst);
    if (!p->fragment || p->lex.kind != TOKEN_END) {
        if (!(p->fragment && at_punct(p, "}"))) expect_punct(p, ";");
    }
    vec_push(&p->arena, body, s);
}

/* ---- directives inside functions ---- */

static void location(Ptx *p, Stmts *body, PtxLoc loc) {
    Stmt s = {.kind = STMT_LOC, .loc = loc};
    s.file = (unsigned)parse_constant(p);
    s.line = (unsigned)parse_constant(p);
    s.col = (unsigned)parse_constant(p);
    while (take_punct(p, ",")) {
        expect_name(p, "function_name or inlined_at");
        if (p->lex.kind == TOKEN_NAME) {
            ptx_next(p);
            if (at_punct(p, "+")) ptx_next(p), parse_constant(p);
        } else {
            for (int i = 0; i < 3; i++) parse_constant(p);
        }
    }
    vec_push(&p->arena, body, s);
}

/* .branchtargets, .calltargets */
static void targets(Ptx *p, Stmts *body, int kind, const char *name, PtxLoc loc) {
    Vec(Operand) all = {0};
    do vec_push(&p->arena, &all, parse_operand(p));
    while (take_punct(p, ","));
    expect_punct(p, ";");
    Stmt s = {.kind = kind, .loc = loc, .name = name, .labels = all.v, .nlabels = all.n};
    vec_push(&p->arena, body, s);
}

static void prototype(Ptx *p, Stmts *body, const char *name, PtxLoc loc) {
    Func *f = arena_alloc(&p->arena, sizeof *f);
    f->loc = loc;
    f->name = name;
    parse_parameters(p, &f->rets);
    PtxLoc at = p->lex.loc;
    if (strcmp(expect_name(p, "'_'"), "_")) ptx_error(p, at, "'_' stands for the name in a prototype");
    parse_parameters(p, &f->params);
    while (p->lex.kind == TOKEN_DOT) {
        if (take_dot(p, "noreturn")) f->noreturn = true;
        else if (take_dot(p, "abi_preserve") || take_dot(p, "abi_preserve_control")) parse_constant(p);
        else ptx_error(p, p->lex.loc, "unknown directive %s", ptx_token_text(p));
    }
    expect_punct(p, ";");
    vec_push(&p->arena, body, ((Stmt){.kind = STMT_PROTO, .loc = loc, .name = name, .proto = f}));
}

static void variables(Ptx *p, Stmts *body, PtxLoc loc) {
    Vars vars = {0};
    const char *space = p->lex.name;
    ptx_next(p);
    parse_declaration(p, space, &vars);
    for (int i = 0; i < vars.n; i++)
        vec_push(&p->arena, body, ((Stmt){.kind = STMT_VAR, .loc = loc, .var = vars.v[i]}));
}

static void directive(Ptx *p, Stmts *body, PtxLoc loc) {
    static const char *const spaces[] = {"reg", "param", "shared", "local", "global", "const"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (at_dot(p, spaces[i])) return variables(p, body, loc);
    if (take_dot(p, "loc")) return location(p, body, loc);
    if (take_dot(p, "pragma")) return skip_pragma(p);
    if (take_dot(p, "extern") || take_dot(p, "visible")) {
        bool external = at_dot(p, "shared");
        variables(p, body, loc);
        body->v[body->n - 1].var.is_extern = external;
        return;
    }
    ptx_error(p, p->lex.loc, "unknown directive %s", ptx_token_text(p));
}

/* A name followed by : ? */
static bool label(Ptx *p, Stmts *body, PtxLoc loc) {
    if (p->lex.kind != TOKEN_NAME) return false;
    const char *s = p->lex.at;
    while (s < p->lex.end && (*s == ' ' || *s == '\t')) s++;
    if (s >= p->lex.end || *s != ':' || (s + 1 < p->lex.end && s[1] == ':')) return false;
    const char *name = p->lex.name;
    ptx_next(p);
    ptx_next(p);
    if (take_dot(p, "branchtargets")) targets(p, body, STMT_TARGETS, name, loc);
    else if (take_dot(p, "callprototype")) prototype(p, body, name, loc);
    else if (take_dot(p, "calltargets")) targets(p, body, STMT_CALLEES, name, loc);
    else vec_push(&p->arena, body, ((Stmt){.kind = STMT_LABEL, .loc = loc, .name = name}));
    return true;
}

static void statement(Ptx *p, Stmts *body, int depth) {
    PtxLoc loc = p->lex.loc;
    if (p->fragment && take_punct(p, ";")) return;
    if (take_punct(p, "{")) {
        Stmt s = {.kind = STMT_BLOCK, .loc = loc};
        if (depth > MAX_BLOCKS) ptx_error(p, loc, "blocks are nested too deeply");
        parse_body(p, &s.block);
        expect_punct(p, "}");
        vec_push(&p->arena, body, s);
        return;
    }
    if (label(p, body, loc)) return;
    if (p->lex.kind == TOKEN_DOT) return directive(p, body, loc);
    parse_instruction(p, body, loc);
}

void parse_body(Ptx *p, Stmts *body) {
    static _Thread_local int depth;
    jmp_buf *outer = p->resume, here;
    p->resume = &here;
    int before = depth++;
    if (setjmp(here)) {
        depth = before + 1;
        skip_to_semicolon(p);
    }
    while (!at_punct(p, "}") && p->lex.kind != TOKEN_END && p->errors < PTX_MAX_ERRORS) statement(p, body, depth);
    depth = before;
    p->resume = outer;
    if (p->errors >= PTX_MAX_ERRORS) longjmp(*outer, 1);
}

bool ptx_parse_fragment(Ptx *p, Stmts *body) {
    jmp_buf here;
    p->resume = &here;
    if (setjmp(here)) return false;
    ptx_next(p);
    parse_body(p, body);
    if (p->lex.kind != TOKEN_END) ptx_error(p, p->lex.loc, "an instruction is expected, not %s", ptx_token_text(p));
    return !p->errors;
}
