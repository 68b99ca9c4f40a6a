/* inline_asm.c: one PTX statement of an asm() becomes IR, by a table of opcodes.
**
** in:  a call of inline assembly as clang writes it: operands $0 ..., at most one result
** out: plain IR, or calls of llvm.nvvm.* functions, which import_nvvm translates next
** Understood: an empty text; special registers; fences and barriers of the block or a part of it;
*loads and stores of
** one scalar; integer and float arithmetic on whole operands; trap and exit.  An operand whose type
*is not
** that of the opcode's suffix, a predicate, a block of several statements or any other opcode is
** refused: the caller names the text in its error.  It does not: registers of the text's own. */
#include "ptx-frontend/inline_asm.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 5, MAX_TEXT = 200 };

typedef struct Statement {
    LLVMBuilderRef b;
    LLVMModuleRef m;
    LLVMContextRef ctx;
    LLVMValueRef call, v[MAX_OPERANDS]; /* values of the operands; NULL for the result and [...] */
    char text[MAX_TEXT], *opcode, *operand[MAX_OPERANDS];
    int n;
    bool has_result, sideeffect;
} Statement;

/* What an opcode does with operands 1 ... */
typedef LLVMValueRef (*Build)(Statement *s, const char *how);

/* ---- text ---- */

static char *trim(char *p) {
    while (isspace((unsigned char)*p)) p++;
    for (size_t n = strlen(p); n && isspace((unsigned char)p[n - 1]);) p[--n] = 0;
    return p;
}

/* "op a, b;" in its parts. */
static bool split(Statement *s) {
    char *p = trim(s->text);
    size_t n = strlen(p);
    if (n && p[n - 1] == ';') p[--n] = 0;
    if (strpbrk(p, ";{}@/")) return false;
    s->opcode = p = trim(p);
    while (*p && !isspace((unsigned char)*p)) p++;
    if (*p) *p++ = 0;
    for (p = trim(p); *p;) {
        if (s->n == MAX_OPERANDS) return false;
        char *comma = strchr(p, ',');
        if (comma) *comma = 0;
        s->operand[s->n++] = trim(p);
        p = comma ? comma + 1 : p + strlen(p);
    }
    return true;
}

/* The value of "$k" or of a decimal number; $0 is the result where there is one. */
static bool value_of(Statement *s, const char *t, LLVMValueRef *v) {
    char *end;
    *v = NULL;
    if (*t == '[') return t[1] == '$' && strchr(t, ']') && !strchr(t, '+') && value_of(s, t + 1, v);
    if (*t == '%') return true;
    bool operand = *t == '$';
    long k = strtol(t + operand, &end, 10);
    if (end == t + operand || (*end && *end != ']')) return false;
    if (!operand) {
        *v = LLVMConstInt(LLVMInt32TypeInContext(s->ctx), (unsigned long long)k, 1);
        return true;
    }
    if (s->has_result && !k) return true;
    k -= s->has_result;
    if (k < 0 || k >= (long)LLVMGetNumArgOperands(s->call)) return false;
    *v = LLVMGetOperand(s->call, (unsigned)k);
    return true;
}

/* The IR type of ".f32" and its like at the end of the opcode; NULL for others. */
static LLVMTypeRef suffix_type(Statement *s) {
    const char *dot = strrchr(s->opcode, '.');
    if (!dot) return NULL;
    if (!strcmp(dot, ".f32")) return LLVMFloatTypeInContext(s->ctx);
    if (!strcmp(dot, ".f64")) return LLVMDoubleTypeInContext(s->ctx);
    if (!strchr("usb", dot[1]) || !dot[1]) return NULL;
    int bits = atoi(dot + 2);
    return bits == 16 || bits == 32 || bits == 64 ? LLVMIntTypeInContext(s->ctx, (unsigned)bits)
                                                  : NULL;
}

static bool is_signed(const Statement *s) { return strrchr(s->opcode, '.')[1] == 's'; }

/* Operands first ... n-1 and the result have type t. */
static bool typed(Statement *s, int first, LLVMTypeRef t) {
    for (int i = first; i < s->n; i++)
        if (!s->v[i] || s->operand[i][0] == '[' || LLVMTypeOf(s->v[i]) != t) return false;
    return t && s->has_result && LLVMTypeOf(s->call) == t;
}

static LLVMValueRef call_nvvm(Statement *s, const char *name, LLVMTypeRef result,
                              LLVMValueRef *args, unsigned n) {
    LLVMTypeRef types[3];
    for (unsigned i = 0; i < n; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef t = LLVMFunctionType(result, types, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(s->m, name);
    if (!f) f = LLVMAddFunction(s->m, name, t);
    return LLVMBuildCall2(s->b, t, f, args, n, "");
}

static LLVMValueRef intrinsic(Statement *s, const char *name, LLVMTypeRef t, LLVMValueRef *args,
                              unsigned n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->m, id, &t, 1);
    return LLVMBuildCall2(s->b, LLVMIntrinsicGetType(s->ctx, id, &t, 1), f, args, n, "");
}

/* ---- opcodes ---- */

/* mov, mostly of a special register: %lanemask_lt is llvm.nvvm.read.ptx.sreg.lanemask.lt. */
static LLVMValueRef special_register(Statement *s, const char *how) {
    static const char *const known[] = {
        "tid.x",       "tid.y",       "tid.z",       "ntid.x",      "ntid.y",
        "ntid.z",      "ctaid.x",     "ctaid.y",     "ctaid.z",     "nctaid.x",
        "nctaid.y",    "nctaid.z",    "laneid",      "warpid",      "nwarpid",
        "smid",        "nsmid",       "clock",       "clock64",     "globaltimer",
        "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge"};
    (void)how;
    LLVMTypeRef t = suffix_type(s);
    if (s->n == 2 && typed(s, 1, t)) return s->v[1]; /* a plain move */
    if (s->n != 2 || s->operand[1][0] != '%' || !s->has_result || LLVMTypeOf(s->call) != t)
        return NULL;
    const char *reg = s->operand[1] + 1;
    bool wide = !strcmp(reg, "clock64") || !strcmp(reg, "globaltimer");
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) != (wide ? 64 : 32))
        return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(reg, known[i])) continue;
        char name[80];
        snprintf(name, sizeof name, "llvm.nvvm.read.ptx.sreg.%s", reg);
        char *underscore = strchr(name, '_');
        if (underscore) *underscore = '.';
        return call_nvvm(s, name, t, NULL, 0);
    }
    return NULL;
}

static LLVMValueRef plain(Statement *s, const char *how) {
    if (s->n || s->has_result) return NULL;
    return call_nvvm(s, how, LLVMVoidTypeInContext(s->ctx), NULL, 0);
}

/* Of the whole block, or with a number of threads of a part of it. */
static LLVMValueRef barrier(Statement *s, const char *how) {
    char name[64];
    if (s->n < 1 || s->n > 2 || s->has_result) return NULL;
    for (int i = 0; i < s->n; i++)
        if (!s->v[i] || LLVMTypeOf(s->v[i]) != LLVMInt32TypeInContext(s->ctx)) return NULL;
    snprintf(name, sizeof name, "%s.%s", how, s->n == 1 ? "all" : "count");
    return call_nvvm(s, name, LLVMVoidTypeInContext(s->ctx), s->v, (unsigned)s->n);
}

/* "l" takes pointers and 64-bit integers; NULL for anything else. */
static LLVMValueRef address(Statement *s, int i) {
    LLVMTypeRef ptr = LLVMPointerTypeInContext(s->ctx, 0);
    if (!s->v[i] || s->operand[i][0] != '[') return NULL;
    if (LLVMTypeOf(s->v[i]) == ptr) return s->v[i];
    if (LLVMTypeOf(s->v[i]) != LLVMInt64TypeInContext(s->ctx)) return NULL;
    return LLVMBuildIntToPtr(s->b, s->v[i], ptr, "");
}

/* Threads may wait for the memory of others with these: never moved out of a loop. */
static LLVMValueRef load(Statement *s, const char *how) {
    LLVMTypeRef t = suffix_type(s);
    if (s->n != 2 || !t || !s->has_result || LLVMTypeOf(s->call) != t) return NULL;
    LLVMValueRef p = address(s, 1);
    if (!p) return NULL;
    LLVMValueRef v = LLVMBuildLoad2(s->b, t, p, "");
    LLVMSetVolatile(v, *how == 'v' && s->sideeffect);
    return v;
}

static LLVMValueRef store(Statement *s, const char *how) {
    LLVMTypeRef t = suffix_type(s);
    if (s->n != 2 || !t || s->has_result || !s->v[1] || LLVMTypeOf(s->v[1]) != t) return NULL;
    LLVMValueRef p = address(s, 0);
    if (!p) return NULL;
    LLVMValueRef v = LLVMBuildStore(s->b, s->v[1], p);
    LLVMSetVolatile(v, *how == 'v' && s->sideeffect);
    return v;
}

/* An LLVM intrinsic on operands of the suffix's type. */
static LLVMValueRef same_type(Statement *s, const char *how) {
    LLVMTypeRef t = suffix_type(s);
    if (!typed(s, 1, t) || s->n > 4) return NULL;
    bool ternary = !strcmp(how, "llvm.fma");
    if (s->n != (ternary ? 4 : 2)) return NULL;
    return intrinsic(s, how, t, s->v + 1, (unsigned)s->n - 1);
}

static LLVMValueRef binary(Statement *s, const char *how) {
    LLVMTypeRef t = suffix_type(s);
    if (s->n != 3 || !typed(s, 1, t)) return NULL;
    bool real = LLVMGetTypeKind(t) != LLVMIntegerTypeKind;
    LLVMValueRef x = s->v[1], y = s->v[2];
    switch (*how) {
    case '+':
        return real ? LLVMBuildFAdd(s->b, x, y, "") : LLVMBuildAdd(s->b, x, y, "");
    case '-':
        return real ? LLVMBuildFSub(s->b, x, y, "") : LLVMBuildSub(s->b, x, y, "");
    case '*':
        return real ? LLVMBuildFMul(s->b, x, y, "") : LLVMBuildMul(s->b, x, y, "");
    case '&':
        return LLVMBuildAnd(s->b, x, y, "");
    case '|':
        return LLVMBuildOr(s->b, x, y, "");
    default:
        return LLVMBuildXor(s->b, x, y, "");
    }
}

static LLVMValueRef high_product(Statement *s, const char *how) {
    (void)how;
    LLVMTypeRef t = suffix_type(s);
    if (s->n != 3 || !typed(s, 1, t)) return NULL;
    unsigned bits = LLVMGetIntTypeWidth(t);
    LLVMTypeRef wide = LLVMIntTypeInContext(s->ctx, 2 * bits);
    LLVMValueRef x[2];
    for (int i = 0; i < 2; i++)
        x[i] = is_signed(s) ? LLVMBuildSExt(s->b, s->v[1 + i], wide, "")
                            : LLVMBuildZExt(s->b, s->v[1 + i], wide, "");
    LLVMValueRef p = LLVMBuildMul(s->b, x[0], x[1], "");
    return LLVMBuildTrunc(s->b, LLVMBuildLShr(s->b, p, LLVMConstInt(wide, bits, 0), ""), t, "");
}

static LLVMValueRef multiply_add(Statement *s, const char *how) {
    (void)how;
    if (s->n != 4 || !typed(s, 1, suffix_type(s))) return NULL;
    return LLVMBuildAdd(s->b, LLVMBuildMul(s->b, s->v[1], s->v[2], ""), s->v[3], "");
}

/* The amount of a funnel shift in .wrap mode is taken modulo 32, as LLVM's is. */
static LLVMValueRef funnel(Statement *s, const char *how) {
    if (s->n != 4 || !typed(s, 1, suffix_type(s))) return NULL;
    LLVMValueRef args[3] = {s->v[2], s->v[1], s->v[3]};
    return intrinsic(s, how, LLVMTypeOf(s->call), args, 3);
}

/* ---- the table ---- */

static const struct Opcode {
    const char *name; /* a name that ends in "." takes any of the suffixes in types */
    const char *types;
    Build build;
    const char *how;
} opcodes[] = {
#define PTX(name, types, build, how) {name, types, build, how},
#include "ptx-frontend/inline_asm.def"
#undef PTX
};

static bool matches(const struct Opcode *o, const char *opcode) {
    size_t n = strlen(o->name);
    if (!*o->types) return !strcmp(o->name, opcode);
    if (strncmp(o->name, opcode, n)) return false;
    const char *p = strstr(o->types, opcode + n);
    size_t len = strlen(opcode + n);
    return len == 3 && p && (p == o->types || p[-1] == ' ') && (!p[3] || p[3] == ' ');
}

static bool translate(Statement *s) {
    if (!split(s)) return false;
    if (!*s->opcode) return !s->has_result && !s->n;
    for (int i = 0; i < s->n; i++)
        if (!value_of(s, s->operand[i], &s->v[i])) return false;
    if (s->has_result && (!s->n || strcmp(s->operand[0], "$0"))) return false;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
        if (!matches(&opcodes[i], s->opcode)) continue;
        LLVMValueRef v = opcodes[i].build(s, opcodes[i].how);
        if (v && s->has_result) LLVMReplaceAllUsesWith(s->call, v);
        return v != NULL;
    }
    return false;
}

bool inline_asm_translate(LLVMBuilderRef b, LLVMModuleRef m, LLVMValueRef call) {
    Statement s = {.b = b, .m = m, .ctx = LLVMGetModuleContext(m), .call = call};
    size_t n;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &n);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(call));
    if (n >= MAX_TEXT || kind == LLVMStructTypeKind) return false;
    memcpy(s.text, text, n);
    s.sideeffect = LLVMGetInlineAsmHasSideEffects(LLVMGetCalledValue(call));
    s.has_result = kind != LLVMVoidTypeKind;
    return translate(&s);
}
