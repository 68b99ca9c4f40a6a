/* constant.c: constant expressions: C's operators over 64-bit integers, evaluated while reading. */
#include "ptx-frontend/ptx.h"

enum { MAX_DEPTH = 200, WARP_SIZE = 32 };

typedef struct Value {
    uint64_t v;
    bool is_unsigned;
} Value;

static const struct Binary {
    char punct[3];
    int level; /* binds the tighter the higher */
} binary[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
              {"<", 7},  {">", 7},  {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static Value conditional(Ptx *p, int depth);

static Value number(Ptx *p) {
    Value v = {p->lex.value, p->lex.is_unsigned || p->lex.value > INT64_MAX};
    ptx_next(p);
    return v;
}

static Value parenthesis(Ptx *p, int depth) {
    ptx_next(p);
    bool cast = p->lex.kind == TOKEN_DOT, to_unsigned = at_dot(p, "u64");
    if (cast) {
        if (!to_unsigned && !at_dot(p, "s64")) ptx_error(p, p->lex.loc, "a cast is to .s64 or .u64");
        ptx_next(p);
        expect_punct(p, ")");
        Value v = conditional(p, depth + 1);
        return (Value){v.v, to_unsigned};
    }
    Value v = conditional(p, depth + 1);
    expect_punct(p, ")");
    return v;
}

static Value unary(Ptx *p, int depth) {
    if (depth > MAX_DEPTH) ptx_error(p, p->lex.loc, "a constant expression is nested too deeply");
    if (p->lex.kind == TOKEN_INT) return number(p);
    if (p->lex.kind == TOKEN_NAME && !strcmp(p->lex.name, "WARP_SZ")) {
        ptx_next(p);
        return (Value){WARP_SIZE, true};
    }
    if (at_punct(p, "(")) return parenthesis(p, depth);
    char c = p->lex.kind == TOKEN_PUNCT && !p->lex.punct[1] ? p->lex.punct[0] : 0;
    if (!c || !strchr("+-!~", c)) ptx_error(p, p->lex.loc, "a constant is expected, not %s", ptx_token_text(p));
    ptx_next(p);
    Value v = unary(p, depth + 1);
    if (c == '-') v.v = 0 - v.v;
    if (c == '!') v = (Value){!v.v, false};
    if (c == '~') v.v = ~v.v;
    return v;
}

static uint64_t divide(Ptx *p, Value a, Value b, char op, bool is_unsigned) {
    if (!b.v) ptx_error(p, p->lex.loc, "a constant is divided by zero");
    if (is_unsigned) return op == '/' ? a.v / b.v : a.v % b.v;
    if (b.v == UINT64_MAX) return op == '/' ? 0 - a.v : 0;
    return (uint64_t)(op == '/' ? (int64_t)a.v / (int64_t)b.v : (int64_t)a.v % (int64_t)b.v);
}

static Value compare(const char *op, Value a, Value b, bool u) {
    bool less = u ? a.v < b.v : (int64_t)a.v < (int64_t)b.v, equal = a.v == b.v;
    bool r = !strcmp(op, "==")   ? equal
             : !strcmp(op, "!=") ? !equal
             : op[0] == '<'      ? less || (op[1] && equal)
                                 : !less && (op[1] || !equal);
    return (Value){r, false};
}

static Value apply(Ptx *p, const char *op, Value a, Value b) {
    bool u = a.is_unsigned || b.is_unsigned;
    if (!strcmp(op, "||")) return (Value){a.v || b.v, false};
    if (!strcmp(op, "&&")) return (Value){a.v && b.v, false};
    if (!strcmp(op, "<<")) return (Value){b.v > 63 ? 0 : a.v << b.v, a.is_unsigned};
    if (!strcmp(op, ">>")) {
        unsigned n = b.v > 63 ? 63 : (unsigned)b.v;
        return (Value){a.is_unsigned ? (b.v > 63 ? 0 : a.v >> n) : (uint64_t)((int64_t)a.v >> n), a.is_unsigned};
    }
    if (strchr("=!<>", op[0])) return compare(op, a, b, u);
    switch (op[0]) {
    case '|': return (Value){a.v | b.v, u};
    case '^': return (Value){a.v ^ b.v, u};
    case '&': return (Value){a.v & b.v, u};
    case '+': return (Value){a.v + b.v, u};
    case '-': return (Value){a.v - b.v, u};
    case '*': return (Value){a.v * b.v, u};
    default: return (Value){divide(p, a, b, op[0], u), u};
    }
}

static const struct Binary *operator_here(const Ptx *p) {
    if (p->lex.kind != TOKEN_PUNCT) return NULL;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (!strcmp(binary[i].punct, p->lex.punct)) return &binary[i];
    return NULL;
}

static Value expression(Ptx *p, int level, int depth) {
    Value a = unary(p, depth);
    for (const struct Binary *b; (b = operator_here(p)) && b->level >= level;) {
        ptx_next(p);
        a = apply(p, b->punct, a, expression(p, b->level + 1, depth + 1));
    }
    return a;
}

static Value conditional(Ptx *p, int depth) {
    Value c = expression(p, 1, depth);
    if (!at_punct(p, "?")) return c;
    ptx_next(p);
    Value a = conditional(p, depth + 1);
    expect_punct(p, ":");
    Value b = conditional(p, depth + 1);
    return c.v ? a : b;
}

int64_t parse_constant(Ptx *p) { return (int64_t)conditional(p, 0).v; }

/* Without comparisons: the text in <>. */
int64_t parse_count(Ptx *p) { return (int64_t)expression(p, 8, 0).v; }
