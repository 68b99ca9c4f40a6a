/* parse.c: the module: directives, functions, variables with their initializers.
**
** Directives that only tune code for a GPU are read and dropped; those that are not known are an error. An error
** skips to the next ; or to the end of the function, then reading goes on.
**
** cuLink* concatenates texts: .another, where the .version of a further text was, begins a part with names of its
** own. */
#include "ptx-frontend/ptx.h"
#include "cpu-runtime/abi.h"
#include <stdlib.h>

enum { MAX_NESTING = 64, MAX_REGISTERS = 1 << 26, MAX_NAMES = 1 << 14 };

bool at_punct(const Ptx *p, const char *punct) { return p->lex.kind == TOKEN_PUNCT && !strcmp(p->lex.punct, punct); }
bool at_dot(const Ptx *p, const char *name) { return p->lex.kind == TOKEN_DOT && !strcmp(p->lex.name, name); }

bool take_punct(Ptx *p, const char *punct) {
    if (!at_punct(p, punct)) return false;
    ptx_next(p);
    return true;
}

bool take_dot(Ptx *p, const char *name) {
    if (!at_dot(p, name)) return false;
    ptx_next(p);
    return true;
}

void expect_punct(Ptx *p, const char *punct) {
    if (!take_punct(p, punct)) ptx_error(p, p->lex.loc, "'%s' is expected, not %s", punct, ptx_token_text(p));
}

const char *expect_name(Ptx *p, const char *what) {
    if (p->lex.kind != TOKEN_NAME) ptx_error(p, p->lex.loc, "%s is expected, not %s", what, ptx_token_text(p));
    const char *s = p->lex.name;
    ptx_next(p);
    return s;
}

/* At the } of a vector, not of a block: something of the instruction follows. */
static bool ends_vector(const Ptx *p) {
    const char *s = p->lex.at, *end = p->lex.end;
    while (s < end && (*s == ' ' || *s == '\t')) s++;
    return at_punct(p, "}") && s < end && strchr(",;])", *s) && *s;
}

/* For resuming: tokens that are errors themselves are skipped as well. */
void skip_to_semicolon(Ptx *p) {
    jmp_buf *outer = p->resume, here;
    p->resume = &here;
    int errors = p->errors;
    (void)setjmp(here);
    p->errors = errors;
    while (p->lex.kind != TOKEN_END && !at_punct(p, ";") && (!at_punct(p, "}") || ends_vector(p))) ptx_next(p);
    if (at_punct(p, ";")) ptx_next(p);
    p->resume = outer;
}

/* ---- start values ---- */

static Init parse_init(Ptx *p, int depth);

static void init_list(Ptx *p, Init *i, int depth) {
    Vec(Init) all = {0};
    if (depth > MAX_NESTING) ptx_error(p, i->loc, "initial values are nested too deeply");
    i->kind = INIT_LIST;
    while (!at_punct(p, "}")) {
        vec_push(&p->arena, &all, parse_init(p, depth + 1));
        if (!take_punct(p, ",")) break;
    }
    expect_punct(p, "}");
    i->v = all.v;
    i->n = all.n;
}

static void init_symbol(Ptx *p, Init *i) {
    i->kind = INIT_SYMBOL;
    i->name = expect_name(p, "a name");
    if (!strcmp(i->name, "generic") && take_punct(p, "(")) {
        i->generic = true;
        i->name = expect_name(p, "a name");
        if (at_punct(p, "+") || at_punct(p, "-")) i->value = parse_constant(p);
        expect_punct(p, ")");
    }
    if (at_punct(p, "+") || at_punct(p, "-")) i->value += parse_constant(p);
}

static Init parse_init(Ptx *p, int depth) {
    Init i = {.loc = p->lex.loc};
    bool minus = false;
    if (take_punct(p, "{")) {
        init_list(p, &i, depth);
    } else if (p->lex.kind == TOKEN_NAME && strcmp(p->lex.name, "WARP_SZ")) {
        init_symbol(p, &i);
    } else if ((minus = minus_of(p, TOKEN_FLOAT)) || p->lex.kind == TOKEN_FLOAT) {
        i.kind = INIT_FLOAT;
        i.float_kind = p->lex.float_kind;
        memcpy(&i.real, &p->lex.value, sizeof i.real);
        i.value = (int64_t)p->lex.value;
        if (minus && i.float_kind) ptx_error(p, i.loc, "a sign before a constant that is given by its bits");
        if (minus) i.real = -i.real;
        ptx_next(p);
    } else {
        i.kind = INIT_INT;
        i.value = parse_constant(p);
        if (take_punct(p, "(")) { /* 0xFF00(symbol) */
            i.mask = (uint64_t)i.value;
            i.value = 0;
            init_symbol(p, &i);
            expect_punct(p, ")");
        } else if (p->lex.kind == TOKEN_FLOAT && i.value == 0) {
            ptx_error(p, p->lex.loc, "bad initial value");
        }
    }
    return i;
}

/* The attributes of a sampler or texture reference, { name = value, ... }: such variables are refused as a whole
** (lower_module.c). */
static void skip_attributes(Ptx *p) {
    while (!at_punct(p, "}")) {
        if (p->lex.kind == TOKEN_END) expect_punct(p, "}");
        ptx_next(p);
    }
    ptx_next(p);
}

/* ---- variables ---- */

static void pointer_attributes(Ptx *p, Var *v) {
    v->is_pointer = true;
    while (take_dot(p, "global") || take_dot(p, "shared") || take_dot(p, "const") || take_dot(p, "local")) {}
    if (take_dot(p, "align")) parse_constant(p);
}

static void skip_attribute(Ptx *p, Var *v) {
    expect_punct(p, "(");
    int depth = 1;
    for (; depth && p->lex.kind != TOKEN_END; ptx_next(p)) {
        if (at_dot(p, "managed")) v->managed = true;
        depth += at_punct(p, "(") - at_punct(p, ")");
    }
}

/* .align, .v2, .ptr and the type, in any order. */
static void declaration_head(Ptx *p, Var *v) {
    while (p->lex.kind == TOKEN_DOT) {
        const PtxType *t = ptx_type(p->lex.name);
        if (t && t->kind != 'm') {
            if (v->type.kind) ptx_error(p, p->lex.loc, "a second type");
            v->type = *t;
            ptx_next(p);
        } else if (take_dot(p, "align")) {
            int64_t a = parse_constant(p);
            if (a <= 0 || a > 4096 || (a & (a - 1))) ptx_error(p, v->loc, "an alignment is a power of two");
            v->align = (unsigned)a;
        } else if (take_dot(p, "ptr")) {
            pointer_attributes(p, v);
        } else if (take_dot(p, "attribute")) {
            skip_attribute(p, v);
        } else if (take_dot(p, "v2")) {
            v->lanes = 2;
        } else if (take_dot(p, "v4")) {
            v->lanes = 4;
        } else {
            ptx_error(p, p->lex.loc, "%s is not a type", ptx_token_text(p));
        }
    }
    if (!v->type.kind) ptx_error(p, p->lex.loc, "a type is expected, not %s", ptx_token_text(p));
}

static void dimensions(Ptx *p, Var *v) {
    while (take_punct(p, "[")) {
        if (v->ndims == 4) ptx_error(p, v->loc, "an array of more than 4 dimensions");
        int64_t n = at_punct(p, "]") ? 0 : parse_constant(p);
        if (n < 0 || n > (1LL << 40)) ptx_error(p, v->loc, "bad size of an array");
        v->dims[v->ndims++] = n;
        expect_punct(p, "]");
    }
}

static void one_variable(Ptx *p, Var *v) {
    v->loc = p->lex.loc;
    v->name = expect_name(p, "the name of a variable");
    if (take_punct(p, "<")) {
        int64_t n = parse_count(p);
        if (n < 0 || n > MAX_REGISTERS) ptx_error(p, v->loc, "bad number of registers");
        v->count = (int)n;
        expect_punct(p, ">");
    }
    dimensions(p, v);
    bool starts = take_punct(p, "=");
    if (starts && v->type.kind == 'o' && take_punct(p, "{")) {
        skip_attributes(p);
    } else if (starts) {
        v->init = arena_alloc(&p->arena, sizeof *v->init);
        *v->init = parse_init(p, 0);
    }
    if (v->ndims && !v->dims[0] && v->init && v->init->kind == INIT_LIST) v->dims[0] = v->init->n;
}

/* .local .b32 x<4> are four variables. */
static void several(Ptx *p, const Var *v, Vars *out) {
    if (v->count > MAX_NAMES) ptx_error(p, v->loc, "bad number of variables");
    for (int i = 0; i < v->count; i++) {
        Var one = *v;
        char *name = arena_printf(&p->arena, "%s%d", v->name, i);
        one.count = -1;
        one.name = ptx_intern(p, name, strlen(name));
        vec_push(&p->arena, out, one);
    }
}

/* "space" is read; one or more names follow, with out only one without it (parameters). */
Var parse_declaration(Ptx *p, const char *space, Vars *out) {
    Var v = {.loc = p->lex.loc, .space = space, .lanes = 1, .count = -1};
    declaration_head(p, &v);
    if (!out) {
        one_variable(p, &v);
        return v;
    }
    do {
        Var each = v;
        one_variable(p, &each);
        if (each.count < 0 || !strcmp(space, "reg")) vec_push(&p->arena, out, each);
        else several(p, &each, out);
    } while (take_punct(p, ","));
    expect_punct(p, ";");
    return v;
}

/* ---- functions ---- */

void parse_parameters(Ptx *p, Vars *out) {
    if (!take_punct(p, "(")) return;
    while (!at_punct(p, ")")) {
        take_dot(p, "hidden"); /* from a debugger */
        if (!take_dot(p, "param") && !at_dot(p, "reg"))
            ptx_error(p, p->lex.loc, "'.param' is expected, not %s", ptx_token_text(p));
        const char *space = take_dot(p, "reg") ? "reg" : "param";
        if (p->lex.kind == TOKEN_NAME && !strcmp(p->lex.name, "_"))
            ptx_error(p, p->lex.loc, "a type is expected, not '_'");
        vec_push(&p->arena, out, parse_declaration(p, space, NULL));
        if (!take_punct(p, ",")) break;
        if (at_punct(p, ")")) ptx_error(p, p->lex.loc, "a parameter is expected, not ')'");
    }
    expect_punct(p, ")");
}

static void three(Ptx *p, unsigned v[3]) {
    v[0] = v[1] = v[2] = 1;
    for (int i = 0; i < 3; i++) {
        PtxLoc at = p->lex.loc;
        int64_t n = parse_constant(p);
        if (n < 1 || n > INT32_MAX) ptx_error(p, at, "a number of threads is expected");
        v[i] = (unsigned)n;
        if (!take_punct(p, ",")) break;
    }
}

static void skip_line_of_directive(Ptx *p) {
    while (p->lex.kind != TOKEN_END && p->lex.kind != TOKEN_DOT && !at_punct(p, ";") && !at_punct(p, "{")) ptx_next(p);
    take_punct(p, ";");
}

static void max_cluster(Ptx *p, Func *f) {
    PtxLoc at = p->lex.loc;
    int64_t n = parse_constant(p);
    if (n < 1 || n > INT32_MAX) ptx_error(p, at, "a number of blocks is expected");
    f->max_cluster = (unsigned)n;
}

/* What begins a directive that is allowed outside functions only. */
static bool at_item(const Ptx *p) {
    static const char *const items[] = {"visible", "extern", "weak",         "common",  "entry", "func",
                                        "global",  "const",  "address_size", "section", "alias", "another"};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (at_dot(p, items[i])) return true;
    return false;
}

/* Between ) and {: tuning directives. */
static void function_directives(Ptx *p, Func *f) {
    static const char *const tuning[] = {"minnctapersm", "maxnctapersm",         "maxnreg",  "pragma",
                                         "abi_preserve", "abi_preserve_control", "attribute"};
    PtxLoc counts_clusters = f->loc;
    bool blocks_are_clusters = false;
    while (p->lex.kind == TOKEN_DOT) {
        bool known = false;
        PtxLoc at = p->lex.loc;
        if (take_dot(p, "maxntid")) three(p, f->maxntid), known = true;
        else if (take_dot(p, "reqntid")) three(p, f->reqntid), known = true;
        else if (take_dot(p, "reqnctapercluster")) three(p, f->cluster), known = true;
        else if (take_dot(p, "maxclusterrank")) max_cluster(p, f), known = true;
        else if (take_dot(p, "explicitcluster")) f->explicit_cluster = known = true;
        else if (take_dot(p, "blocksareclusters")) blocks_are_clusters = known = true, counts_clusters = at;
        else if (take_dot(p, "noreturn")) f->noreturn = known = true;
        for (size_t i = 0; !known && i < sizeof tuning / sizeof *tuning; i++)
            if (take_dot(p, tuning[i])) skip_line_of_directive(p), known = true;
        if (!known && at_item(p)) break; /* a declaration without a semicolon */
        if (!known) ptx_error(p, p->lex.loc, "unknown directive %s", ptx_token_text(p));
    }
    if (blocks_are_clusters && f->cluster[0] * f->cluster[1] * f->cluster[2] > 1)
        ptx_unsupported(p, counts_clusters, "a grid that counts clusters (.blocksareclusters)");
    if (f->maxntid[0] && f->reqntid[0]) ptx_error(p, f->loc, "'%s' has both .maxntid and .reqntid", f->name);
}

/* .pragma "a", "b"; */
void skip_pragma(Ptx *p) {
    do {
        if (p->lex.kind != TOKEN_STRING) ptx_error(p, p->lex.loc, "a string is expected, not %s", ptx_token_text(p));
        ptx_next(p);
    } while (take_punct(p, ","));
    expect_punct(p, ";");
}

static void parse_function(Ptx *p, Tree *t, Func f) {
    if (!f.kernel) parse_parameters(p, &f.rets);
    f.loc = p->lex.loc;
    f.name = expect_name(p, "the name of a function");
    parse_parameters(p, &f.params);
    function_directives(p, &f);
    if (take_punct(p, "{")) {
        f.has_body = p->in_body = true;
        parse_body(p, &f.body);
        f.end = p->lex.loc;
        expect_punct(p, "}");
        p->in_body = false;
    } else if (!at_item(p)) {
        expect_punct(p, ";");
    }
    vec_push(&p->arena, &t->funcs, f);
}

/* ---- directives of the module ---- */

static void parse_version(Ptx *p, Tree *t) {
    /* "8.10" is not a number with a fraction: both parts are integers */
    Lexer *l = &p->lex;
    const char *s = l->at;
    unsigned v[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        while (s < l->end && (*s == ' ' || *s == '\t')) s++;
        if (s >= l->end || *s < '0' || *s > '9') ptx_error(p, l->loc, "a version as 8.0 is expected");
        while (s < l->end && *s >= '0' && *s <= '9' && v[i] < 1000) v[i] = v[i] * 10 + (unsigned)(*s++ - '0');
        if (i == 0 && (s >= l->end || *s++ != '.')) ptx_error(p, l->loc, "a version as 8.0 is expected");
    }
    l->at = s;
    if (v[0] > CUCPU_PTX_NEWEST || v[0] < 1) ptx_error(p, l->loc, "version %u.%u of PTX is not known", v[0], v[1]);
    t->version_major = (int)v[0];
    t->version_minor = (int)v[1];
    ptx_next(p);
}

/* 80, 90a, 100f */
static bool is_target(const char *s) {
    int n = atoi(s);
    while (*s >= '0' && *s <= '9') s++;
    return n >= 10 && n < 1000 && (!*s || (!s[1] && (*s == 'a' || *s == 'f')));
}

static void parse_target(Ptx *p, Tree *t) {
    do {
        PtxLoc at = p->lex.loc;
        const char *s = expect_name(p, "a target"), *number = strchr(s, '_');
        bool sm = !strncmp(s, "sm_", 3) || !strncmp(s, "compute_", 8);
        if (sm) t->sm = atoi(number + 1);
        if (sm && !is_target(number + 1)) ptx_error(p, at, "unknown target '%s'", s);
        if (strncmp(s, "sm_", 3) && strncmp(s, "compute_", 8) && strncmp(s, "texmode_", 8) && strcmp(s, "debug") &&
            strcmp(s, "map_f64_to_f32"))
            ptx_error(p, at, "unknown target '%s'", s);
    } while (take_punct(p, ","));
}

static void parse_file(Ptx *p, Tree *t) {
    int64_t n = parse_constant(p);
    if (p->lex.kind != TOKEN_STRING || n < 0 || n > 1 << 20) ptx_error(p, p->lex.loc, "bad .file");
    while (t->files.n <= n) vec_push(&p->arena, &t->files, NULL);
    t->files.v[n] = p->lex.name;
    ptx_next(p);
    while (take_punct(p, ",")) parse_constant(p);
}

static void skip_section(Ptx *p) {
    while (p->lex.kind != TOKEN_END && !at_punct(p, "{")) ptx_next(p);
    expect_punct(p, "{");
    int depth = 1;
    for (; depth && p->lex.kind != TOKEN_END; ptx_next(p)) depth += at_punct(p, "{") - at_punct(p, "}");
}

static void parse_alias(Ptx *p, Tree *t) {
    Alias a = {.loc = p->lex.loc};
    a.name = expect_name(p, "the name of a function");
    expect_punct(p, ",");
    a.of = expect_name(p, "the name of a function");
    a.part = t->parts;
    expect_punct(p, ";");
    vec_push(&p->arena, &t->aliases, a);
}

static bool is_space(const char *s) {
    return !strcmp(s, "reg") || !strcmp(s, "global") || !strcmp(s, "shared") || !strcmp(s, "const") ||
           !strcmp(s, "local") || !strcmp(s, "tex") || !strcmp(s, "shared::cta");
}

static void parse_variables(Ptx *p, Tree *t, const Func *linkage) {
    const char *space = !strcmp(p->lex.name, "shared::cta") ? "shared" : p->lex.name;
    ptx_next(p);
    int first = t->vars.n;
    parse_declaration(p, space, &t->vars);
    for (int i = first; i < t->vars.n; i++) {
        t->vars.v[i].is_extern = linkage->is_extern;
        t->vars.v[i].is_visible = linkage->is_visible;
        t->vars.v[i].is_weak = linkage->is_weak;
        t->vars.v[i].part = t->parts;
    }
}

static void parse_item(Ptx *p, Tree *t) {
    Func f = {.loc = p->lex.loc, .part = t->parts};
    for (;;) {
        if (take_dot(p, "extern")) f.is_extern = true;
        else if (take_dot(p, "visible")) f.is_visible = true;
        else if (take_dot(p, "weak")) f.is_weak = true;
        else if (take_dot(p, "common")) f.is_weak = true;
        else break;
    }
    if (take_dot(p, "version")) ptx_error(p, f.loc, ".version comes first and only once");
    if (at_dot(p, "target")) ptx_error(p, f.loc, ".target comes second and only once");
    if (take_dot(p, "another")) {
        t->parts++;
        return;
    }
    if (take_dot(p, "file")) return parse_file(p, t);
    if (take_dot(p, "section")) return skip_section(p);
    if (take_dot(p, "alias")) return parse_alias(p, t);
    if (take_dot(p, "pragma")) return skip_pragma(p);
    if (take_dot(p, "address_size")) {
        if (t->address_size) ptx_error(p, f.loc, ".address_size may be given only once");
        t->address_size = (int)parse_constant(p);
        if (t->address_size == 32) ptx_unsupported(p, f.loc, "addresses of 32 bits");
        if (t->address_size != 64) ptx_error(p, f.loc, "the size of addresses is 32 or 64");
        return;
    }
    f.kernel = at_dot(p, "entry");
    if (take_dot(p, "entry")) return parse_function(p, t, f);
    if (take_dot(p, "func")) {
        if (at_dot(p, "noreturn")) f.noreturn = true, ptx_next(p);
        if (at_dot(p, "attribute")) ptx_next(p), skip_attribute(p, &(Var){0});
        return parse_function(p, t, f);
    }
    if (p->lex.kind == TOKEN_DOT && is_space(p->lex.name)) return parse_variables(p, t, &f);
    ptx_error(p, p->lex.loc, "a directive is expected, not %s", ptx_token_text(p));
}

/* Skips the rest of a directive with an error: to its ; or, if a body follows, past it.  `inside`: the error was in a
** body. */
static void skip_tokens(Ptx *p, bool inside) {
    int depth = inside;
    while (p->lex.kind != TOKEN_END) {
        bool opens = at_punct(p, "{"), closes = at_punct(p, "}"), ends = at_punct(p, ";") && !depth;
        if (at_item(p) && depth <= inside) return;
        depth += opens - closes;
        ptx_next(p);
        if (ends || (closes && depth <= 0)) return;
    }
}

/* To the next directive outside functions; tokens that are errors themselves are skipped as well. */
static void skip_item(Ptx *p, bool inside) {
    jmp_buf *outer = p->resume, here;
    int errors = p->errors;
    p->resume = &here;
    (void)setjmp(here);
    p->errors = errors;
    skip_tokens(p, inside);
    p->resume = outer;
}

bool ptx_parse(Ptx *p, Tree *t) {
    jmp_buf here;
    p->resume = &here;
    if (!setjmp(here)) {
        ptx_next(p);
        if (!at_dot(p, "version")) ptx_error(p, p->lex.loc, "'.version' is expected first, not %s", ptx_token_text(p));
        parse_version(p, t);
        if (!take_dot(p, "target")) ptx_error(p, p->lex.loc, "'.target' is expected, not %s", ptx_token_text(p));
        parse_target(p, t);
    } else {
        return false;
    }
    if (setjmp(here)) skip_item(p, p->in_body);
    p->in_body = false;
    while (p->lex.kind != TOKEN_END && p->errors < PTX_MAX_ERRORS) parse_item(p, t);
    return !p->errors && !p->unsupported;
}
