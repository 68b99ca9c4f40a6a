/* lex.c: PTX text in tokens, one at a time, in time linear in the text.
**
** An opcode's suffixes are tokens of their own (TOKEN_DOT), so blanks inside an opcode do not matter. Skipped:
** comments, lines of @@DWARF.  A byte that is not ASCII is an error outside comments and strings. */
#include "ptx-frontend/ptx.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool starts_name(int c) { return isalpha(c) || c == '_' || c == '$' || c == '%'; }
static bool in_name(int c) { return isalnum(c) || c == '_' || c == '$'; }
static int at(const Lexer *l, size_t i) { return l->at + i < l->end ? (unsigned char)l->at[i] : 0; }

static void newline(Lexer *l) {
    l->line++;
    l->line_start = l->at;
}

static void skip_line(Lexer *l) {
    while (l->at < l->end && *l->at != '\n') l->at++;
}

static void skip_comment(Ptx *p) {
    Lexer *l = &p->lex;
    PtxLoc start = {l->line, (unsigned)(l->at - l->line_start) + 1};
    for (l->at += 2; !(at(l, 0) == '*' && at(l, 1) == '/');) {
        if (l->at >= l->end) ptx_error(p, start, "a comment does not end");
        if (*l->at++ == '\n') newline(l);
    }
    l->at += 2;
}

static void skip_blanks(Ptx *p) {
    Lexer *l = &p->lex;
    while (l->at < l->end) {
        int c = at(l, 0);
        if (c == '\n') {
            l->at++;
            newline(l);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' ||
                   c == 0x1a) { /* 0x1a: ptxas skips it, old editors end files with it */
            l->at++;
        } else if (c == '/' && at(l, 1) == '/') {
            skip_line(l);
        } else if (c == '/' && at(l, 1) == '*') {
            skip_comment(p);
        } else if (l->end - l->at > 7 && !memcmp(l->at, "@@DWARF", 7)) {
            skip_line(l);
        } else {
            break;
        }
    }
}

/* ---- numbers ---- */

static uint64_t digits(Ptx *p, int base, size_t least, size_t most) {
    Lexer *l = &p->lex;
    uint64_t v = 0;
    size_t n = 0;
    for (;; n++, l->at++) {
        int c = at(l, 0), d = isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : 99;
        if (d >= base) break;
        if (v > (UINT64_MAX - (unsigned)d) / (unsigned)base)
            ptx_error(p, l->loc, "the number does not fit into 64 bits");
        v = v * (unsigned)base + (unsigned)d;
    }
    if (n < least || n > most) ptx_error(p, l->loc, "bad number of digits in a constant");
    return v;
}

static void float_bits(Ptx *p, char kind) {
    Lexer *l = &p->lex;
    l->at += 2;
    l->kind = TOKEN_FLOAT;
    l->float_kind = kind;
    size_t n = kind == 'f' ? 8 : 16;
    l->value = digits(p, 16, n, n);
}

static void decimal_float(Ptx *p) {
    Lexer *l = &p->lex;
    char text[64];
    size_t n = 0;
    while (n < sizeof text - 1 && (isalnum(at(l, 0)) || at(l, 0) == '.' ||
                                   ((at(l, 0) == '+' || at(l, 0) == '-') && n && tolower(text[n - 1]) == 'e')))
        text[n++] = *l->at++;
    text[n] = 0;
    char *end;
    double d = strtod(text, &end);
    if (*end) ptx_error(p, l->loc, "'%s' is not a number", text);
    if (isinf(d)) ptx_error(p, l->loc, "the number %s is too large", text);
    l->kind = TOKEN_FLOAT;
    l->float_kind = 0;
    memcpy(&l->value, &d, sizeof d);
}

static bool is_decimal_float(const Lexer *l) {
    size_t i = 0;
    while (isdigit(at(l, i))) i++;
    if (at(l, i) == '.') {
        int next = at(l, i + 1), second = at(l, i + 2);
        bool exponent = tolower(next) == 'e' && (isdigit(second) || second == '-' || second == '+');
        return isdigit(next) || exponent || !starts_name(next);
    }
    return tolower(at(l, i)) == 'e' &&
           (isdigit(at(l, i + 1)) || ((at(l, i + 1) == '-' || at(l, i + 1) == '+') && isdigit(at(l, i + 2))));
}

static void number(Ptx *p) {
    Lexer *l = &p->lex;
    int c = tolower(at(l, 1));
    bool zero = at(l, 0) == '0';
    if (zero && (c == 'f' || c == 'd') && isxdigit(at(l, 2))) return float_bits(p, (char)c);
    l->kind = TOKEN_INT;
    if (zero && (c == 'x' || c == 'b')) {
        l->at += 2;
        l->value = digits(p, c == 'x' ? 16 : 2, 1, 64);
    } else if (is_decimal_float(l)) {
        return decimal_float(p);
    } else {
        l->value = digits(p, zero ? 8 : 10, 1, 64);
    }
    l->is_unsigned = at(l, 0) == 'U';
    l->at += l->is_unsigned;
    if (in_name(at(l, 0))) ptx_error(p, l->loc, "bad character '%c' in a number", *l->at);
}

/* ---- the others ---- */

static void name(Ptx *p) {
    Lexer *l = &p->lex;
    const char *start = l->at++;
    while (in_name(at(l, 0))) l->at++;
    l->kind = TOKEN_NAME;
    l->name = ptx_intern(p, start, (size_t)(l->at - start));
}

static void suffix(Ptx *p) {
    Lexer *l = &p->lex;
    const char *start = ++l->at;
    while (in_name(at(l, 0)) || (at(l, 0) == ':' && at(l, 1) == ':' && in_name(at(l, 2))))
        l->at += at(l, 0) == ':' ? 2 : 1;
    if (l->at == start) ptx_error(p, l->loc, "a name is missing after '.'");
    l->kind = TOKEN_DOT;
    l->name = ptx_intern(p, start, (size_t)(l->at - start));
}

static void string(Ptx *p) {
    Lexer *l = &p->lex;
    const char *start = ++l->at;
    while (at(l, 0) != '"') {
        if (l->at >= l->end || *l->at == '\n') ptx_error(p, l->loc, "a string does not end");
        l->at += at(l, 0) == '\\' && l->at + 1 < l->end ? 2 : 1;
    }
    l->kind = TOKEN_STRING;
    l->name = ptx_intern(p, start, (size_t)(l->at - start));
    l->at++;
}

/* $0 and ${0:x}; $$ is a dollar sign. */
static bool argument(Ptx *p) {
    Lexer *l = &p->lex;
    bool brace = at(l, 1) == '{';
    if (!isdigit(at(l, brace ? 2 : 1))) return false;
    l->at += brace ? 2 : 1;
    l->kind = TOKEN_ARG;
    l->value = digits(p, 10, 1, 3);
    while (brace && l->at < l->end && *l->at++ != '}') {}
    return true;
}

static void punctuation(Ptx *p) {
    static const char two[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    Lexer *l = &p->lex;
    l->kind = TOKEN_PUNCT;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (at(l, 0) == two[i][0] && at(l, 1) == two[i][1]) {
            memcpy(l->punct, two[i], 3);
            l->at += 2;
            return;
        }
    int c = at(l, 0);
    if (c > 126 || (c < 32)) ptx_error(p, l->loc, "the byte 0x%02x is not allowed here", (unsigned)c);
    l->punct[0] = (char)c;
    l->punct[1] = 0;
    l->at++;
}

void ptx_next(Ptx *p) {
    Lexer *l = &p->lex;
    skip_blanks(p);
    l->loc = (PtxLoc){l->line, (unsigned)(l->at - l->line_start) + 1};
    l->kind = TOKEN_END;
    if (l->at >= l->end) return;
    int c = at(l, 0);
    if (p->fragment && c == '$' && at(l, 1) == '$') l->at++;
    else if (p->fragment && c == '$' && argument(p)) return;
    bool fraction = c == '.' && isdigit(at(l, 1)) && (l->at == l->line_start || strchr(" \t,={([-", l->at[-1]));
    for (size_t i = 1; fraction && isalnum(at(l, i)); i++) fraction = isdigit(at(l, i)) || tolower(at(l, i)) == 'e';
    if (isdigit(c)) number(p);
    else if (fraction) decimal_float(p);
    else if (starts_name(at(l, 0)) && (at(l, 0) != '%' || in_name(at(l, 1)))) name(p);
    else if (c == '.') suffix(p);
    else if (c == '"') string(p);
    else {
        const char *before = l->at;
        if (c > 126 || c < 32) l->at++; /* an error must not be met twice */
        if (l->at != before) ptx_error(p, l->loc, "the byte 0x%02x is not allowed here", (unsigned)c);
        punctuation(p);
    }
}

const char *ptx_token_text(Ptx *p) {
    const Lexer *l = &p->lex;
    switch (l->kind) {
    case TOKEN_END: return "the end of the file";
    case TOKEN_NAME: return arena_printf(&p->arena, "'%s'", l->name);
    case TOKEN_DOT: return arena_printf(&p->arena, "'.%s'", l->name);
    case TOKEN_STRING: return "a string";
    case TOKEN_INT: return "a number";
    case TOKEN_FLOAT: return "a floating-point number";
    case TOKEN_ARG: return "an operand";
    default: return arena_printf(&p->arena, "'%s'", l->punct);
    }
}
