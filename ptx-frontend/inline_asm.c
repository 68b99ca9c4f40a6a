/* inline_asm.c: the text of an asm() statement becomes IR, by the parser and the tables of PTX files.
**
** in:   a call of inline assembly: text with $0 ..., constraints =r +r h r l f d n C q, clobbers
** out:  a call of a function of its own, which holds the statements and will be inlined: results and operands are its
**       registers, { } and labels have its scope.  Statements of the same text, types and constants share one function.
**       The carry flag lives in the caller, so that add.cc and addc may be in two asm() statements.  An operand that is
**       an array of characters, or a literal, is part of the text.
** Refused, with the reason: what the tables do not have; memory operands; other constraints. */
#include "ptx-frontend/inline_asm.h"
#include "ptx-frontend/lower.h"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ARGS = 60 };

typedef struct Asm {
    LLVMValueRef call;
    LLVMTypeRef types[MAX_ARGS]; /* of results, then of operands */
    char letter[MAX_ARGS];
    int tied[MAX_ARGS]; /* the result that an operand begins with; -1 */
    int outputs, inputs;
    bool uses_carry;
    char text[8192];
} Asm;

/* "=r,=&l,0,n,~{memory}" */
static bool read_constraints(Asm *a, const char *s, size_t n) {
    for (const char *end = s + n; s < end;) {
        const char *comma = memchr(s, ',', (size_t)(end - s)), *stop = comma ? comma : end;
        int k = a->outputs + a->inputs;
        if (*s == '~') {
            s = stop + 1;
            continue;
        }
        bool output = *s == '=';
        while (s < stop && strchr("=&+", *s)) s++;
        if (k == MAX_ARGS || s == stop || (output && a->inputs)) return false;
        a->tied[k] = *s >= '0' && *s <= '9' ? atoi(s) : -1;
        if (a->tied[k] >= a->outputs || (stop - s > 1 && a->tied[k] < 0)) return false;
        a->letter[k] = a->tied[k] >= 0 ? a->letter[a->tied[k]] : *s;
        if (!strchr("hrlfdncqNiC", a->letter[k])) return false;
        *(output ? &a->outputs : &a->inputs) += 1;
        s = stop + 1;
    }
    return true;
}

static bool read_types(Asm *a) {
    LLVMTypeRef t = LLVMTypeOf(a->call);
    if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
        if ((int)LLVMCountStructElementTypes(t) != a->outputs) return false;
        LLVMGetStructElementTypes(t, a->types);
    } else {
        a->types[0] = t;
        if (a->outputs != (LLVMGetTypeKind(t) != LLVMVoidTypeKind)) return false;
    }
    if ((int)LLVMGetNumArgOperands(a->call) != a->inputs) return false;
    for (int i = 0; i < a->inputs; i++) a->types[a->outputs + i] = LLVMTypeOf(LLVMGetOperand(a->call, (unsigned)i));
    return true;
}

/* As nvcc demands: the size and kind of the constraint. */
static bool fits(char letter, LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    unsigned bits = k == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : k == LLVMPointerTypeKind ? 64 : 0;
    switch (letter) {
    case 'h': return bits == 16 || k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind;
    case 'r': return bits == 32;
    case 'l': return bits == 64;
    case 'q': return bits == 128;
    case 'f': return k == LLVMFloatTypeKind;
    case 'd': return k == LLVMDoubleTypeKind;
    default: /* a constant */ return bits != 0;
    }
}

/* The first operand of another type than its constraint; -1 if there is none. */
static int misfit(const Asm *a) {
    for (int k = 0; k < a->outputs + a->inputs; k++)
        if (!fits(a->letter[k], a->types[k])) return k;
    return -1;
}

static PtxType register_type(const Lower *l, char letter, LLVMTypeRef t) {
    unsigned bits = letter == 'h' ? 16 : letter == 'l' || letter == 'd' ? 64 : letter == 'q' ? 128 : 32;
    if (letter == 'n' || letter == 'i' || letter == 'N' || letter == 'C')
        bits = LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 32 ? 32 : 64;
    (void)l;
    return *ptx_type(bits == 16 ? "b16" : bits == 32 ? "b32" : bits == 64 ? "b64" : "b128");
}

/* ---- operands that are text ---- */

/* The characters of a constant array, or NULL. */
static const char *array_of(LLVMValueRef v, size_t *n) {
    while (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMAddrSpaceCast) v = LLVMGetOperand(v, 0);
    if (!LLVMIsAGlobalVariable(v)) return NULL;
    LLVMValueRef all = LLVMGetInitializer(v);
    if (all && LLVMIsAConstantAggregateZero(all)) return *n = 0, "";
    if (!all || !LLVMIsAConstantDataArray(all) || !LLVMIsConstantString(all)) return NULL;
    const char *s = LLVMGetAsString(all, n), *zero = memchr(s, 0, *n);
    if (zero) *n = (size_t)(zero - s);
    return s;
}

static bool append(Asm *a, size_t *size, const char *s, size_t n) {
    if (*size + n >= sizeof a->text) return false;
    memcpy(a->text + *size, s, n);
    a->text[ *size += n] = 0;
    return true;
}

enum { DIGITS = 24 };

/* An integer of n, i or N is a literal, of any type: `"n"(sizeof(int4))` in an instruction of 32 bits. */
static const char *literal_of(const Asm *a, int k, char digits[DIGITS], size_t *n) {
    LLVMValueRef v = LLVMGetOperand(a->call, (unsigned)(k - a->outputs));
    if (!strchr("niN", a->letter[k]) || !LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) return NULL;
    bool truth = LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 1;
    long long value = truth ? (long long)LLVMConstIntGetZExtValue(v) : LLVMConstIntGetSExtValue(v);
    *n = (size_t)snprintf(digits, DIGITS, "%lld", value);
    return digits;
}

/* What the operand $1 or ${1} at s, an array or a literal, is as text, and the text after it. */
static const char *text_at(const Asm *a, const char *s, char digits[DIGITS], size_t *n, const char **rest) {
    bool braces = s[1] == '{';
    char *end;
    if (s[1 + braces] < '0' || s[1 + braces] > '9') return NULL;
    long k = strtol(s + 1 + braces, &end, 10);
    if (k < a->outputs || k >= a->outputs + a->inputs) return NULL;
    *rest = end + (braces && *end == '}');
    const char *literal = literal_of(a, (int)k, digits, n);
    if (literal || !strchr("iC", a->letter[k])) return literal;
    return array_of(LLVMGetOperand(a->call, (unsigned)(k - a->outputs)), n);
}

/* The functions of the texts of this module: each text with an id of its own becomes one more. */
static int count_functions(LLVMModuleRef mod) {
    int n = 0;
    size_t len;
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
        n += !strncmp(LLVMGetValueName2(f, &len), "cucpu.asm.", 10);
    return n;
}

/* a->text = text with the characters of arrays and literals for their operands, and for `%=` an id that no other
** statement has. */
static bool insert_texts(Asm *a, const char *text, size_t n) {
    static const char uid[] = "${:uid}";
    size_t size = 0, length;
    char number[12] = "", digits[DIGITS];
    for (const char *s = text, *end = text + n, *rest; s < end; s = rest) {
        const char *operand = NULL;
        if ((size_t)(end - s) >= sizeof uid - 1 && !memcmp(s, uid, sizeof uid - 1)) {
            LLVMModuleRef mod = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(a->call)));
            if (!*number) snprintf(number, sizeof number, "%d", count_functions(mod));
            if (!append(a, &size, number, strlen(number))) return false;
            rest = s + sizeof uid - 1;
            continue;
        }
        bool escaped = s[0] == '$' && s + 1 < end && s[1] == '$';
        rest = s + 1 + escaped;
        if (*s == '$' && !escaped) operand = text_at(a, s, digits, &length, &rest);
        if (!operand) rest = s + 1 + escaped;
        if (!append(a, &size, operand ? operand : s, operand ? length : (size_t)(rest - s))) return false;
    }
    return true;
}

/* ---- the function ---- */

#define KEY "cucpu.asm" /* attribute: what the function was made of */

static LLVMTypeRef type_of_function(Lower *l, Asm *a) {
    LLVMTypeRef params[MAX_ARGS + 1];
    unsigned n = 0;
    for (int i = 0; i < a->inputs; i++) params[n++] = a->types[a->outputs + i];
    if (a->uses_carry) params[n++] = l->ptr;
    return LLVMFunctionType(LLVMTypeOf(a->call), params, n, 0);
}

/* Text, constraints and constants, and a name of it: "cucpu.asm." and a hash. */
static const char *key_of(Lower *l, Asm *a, const char *constraints, size_t nc, char name[40]) {
    char *key = arena_printf(&l->p->arena, "%d|%.*s|%s", l->sideeffect, (int)nc, constraints, a->text);
    for (int i = 0; i < a->inputs; i++) {
        LLVMValueRef v = LLVMGetOperand(a->call, (unsigned)i);
        if (strchr("niNC", a->letter[a->outputs + i]) && LLVMIsAConstantInt(v))
            key = arena_printf(&l->p->arena, "%s|%lld", key, (long long)LLVMConstIntGetSExtValue(v));
    }
    uint64_t h = 0xcbf29ce484222325u;
    for (const char *c = key; *c; c++) h = (h ^ (unsigned char)*c) * 0x100000001b3u;
    snprintf(name, 40, "cucpu.asm.%016llx", (unsigned long long)h);
    return key;
}

static LLVMValueRef same_function(Lower *l, LLVMTypeRef t, const char *name, const char *key) {
    LLVMValueRef f = LLVMGetNamedFunction(l->mod, name);
    unsigned n;
    if (!f || LLVMGlobalGetValueType(f) != t) return NULL;
    LLVMAttributeRef have =
        LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, KEY, sizeof KEY - 1);
    const char *made_of = have ? LLVMGetStringAttributeValue(have, &n) : NULL;
    return made_of && n == strlen(key) && !memcmp(made_of, key, n) ? f : NULL;
}

static void open_function(Lower *l, Asm *a, LLVMTypeRef t, const char *name, const char *key) {
    l->fn = LLVMAddFunction(l->mod, name, t);
    unsigned n = LLVMCountParamTypes(t);
    LLVMAttributeRef text = LLVMCreateStringAttribute(l->ctx, KEY, sizeof KEY - 1, key, (unsigned)strlen(key));
    LLVMAddAttributeAtIndex(l->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, text);
    LLVMSetLinkage(l->fn, LLVMInternalLinkage);
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMAddAttributeAtIndex(l->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(l->ctx, kind, 0));
    new_block(l, "entry");
    LLVMPositionBuilderAtEnd(l->b, new_block(l, "start"));
    open_scope(l);
    l->args = arena_array(&l->p->arena, Sym, a->outputs + a->inputs + 1);
    l->nargs = a->outputs + a->inputs;
    if (a->uses_carry) l->cc = LLVMGetParam(l->fn, n - 1);
}

static void define_operands(Lower *l, Asm *a) {
    for (int k = 0; k < l->nargs; k++) {
        Sym *s = &l->args[k];
        PtxType t = register_type(l, a->letter[k], a->types[k]);
        *s = (Sym){.kind = SYM_REG, .type = t, .lanes = 1};
        int i = k - a->outputs;
        LLVMValueRef given = i >= 0 ? LLVMGetOperand(a->call, (unsigned)i) : NULL;
        if (a->tied[k] >= 0) *s = l->args[a->tied[k]];
        else s->value = add_alloca(l, int_type(l, t.bits), 0, "");
        if (i < 0) continue;
        if (LLVMIsAConstantInt(given) && strchr("niNC", a->letter[k]))
            s->constant = LLVMConstInt(int_type(l, t.bits), (uint64_t)LLVMConstIntGetSExtValue(given), 0);
        LLVMBuildStore(l->b, resize(l, as_int(l, LLVMGetParam(l->fn, (unsigned)i)), t.bits, false), s->value);
    }
}

/* A register as the type that the call gives. */
static LLVMValueRef result_of(Lower *l, const Sym *s, LLVMTypeRef t) {
    LLVMValueRef v = LLVMBuildLoad2(l->b, int_type(l, s->type.bits), s->value, "");
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: return resize(l, v, LLVMGetIntTypeWidth(t), false);
    case LLVMPointerTypeKind: return LLVMBuildIntToPtr(l->b, v, t, "");
    case LLVMFloatTypeKind: return LLVMBuildBitCast(l->b, resize(l, v, 32, false), t, "");
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: return LLVMBuildBitCast(l->b, resize(l, v, 16, false), t, "");
    default: return LLVMBuildBitCast(l->b, v, t, "");
    }
}

static void close_function(Lower *l, Asm *a) {
    LLVMTypeRef t = LLVMTypeOf(a->call);
    if (!a->outputs) {
        LLVMBuildRetVoid(l->b);
    } else if (LLVMGetTypeKind(t) != LLVMStructTypeKind) {
        LLVMBuildRet(l->b, result_of(l, &l->args[0], t));
    } else {
        LLVMValueRef all = LLVMGetPoison(t);
        for (int i = 0; i < a->outputs; i++)
            all = LLVMBuildInsertValue(l->b, all, result_of(l, &l->args[i], a->types[i]), (unsigned)i, "");
        LLVMBuildRet(l->b, all);
    }
    LLVMPositionBuilderAtEnd(l->b, LLVMGetEntryBasicBlock(l->fn));
    LLVMBuildBr(l->b, LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(l->fn)));
    recover_values(l->fn);
    recover_pointers(l->mod, l->fn);
}

/* `exit` in the text returns from the function as well. */
static void set_return(Lower *l, Asm *a) {
    if (!a->outputs) return;
    l->ret_type = LLVMTypeOf(a->call);
    l->ret = add_alloca(l, l->ret_type, 0, "");
    LLVMBuildStore(l->b, LLVMConstNull(l->ret_type), l->ret);
}

/* ---- the caller ---- */

static bool uses_carry(const char *text) {
    return strstr(text, ".cc") || strstr(text, "addc") || strstr(text, "subc") || strstr(text, "madc");
}

/* The carry flag of the function that contains the call. */
static LLVMValueRef carry_of(Lower *l, LLVMBuilderRef b, LLVMValueRef call) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
    size_t len;
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && !strcmp(LLVMGetValueName2(i, &len), "cucpu.cc")) return i;
    LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(b);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
    LLVMValueRef a = LLVMBuildAlloca(b, l->i1, "cucpu.cc");
    LLVMBuildStore(b, LLVMConstInt(l->i1, 0, 0), a);
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, line);
    return a;
}

static void call_function(Lower *l, Asm *a, LLVMBuilderRef b) {
    LLVMValueRef args[MAX_ARGS + 1];
    unsigned n = 0;
    for (int i = 0; i < a->inputs; i++) args[n++] = LLVMGetOperand(a->call, (unsigned)i);
    if (a->uses_carry) args[n++] = carry_of(l, b, a->call);
    LLVMValueRef v = LLVMBuildCall2(b, LLVMGlobalGetValueType(l->fn), l->fn, args, n, "");
    if (a->outputs) LLVMReplaceAllUsesWith(a->call, v);
}

static bool lower_fragment(Lower *l, Asm *a, const Stmts *body, LLVMTypeRef t, const char *name, const char *key) {
    open_function(l, a, t, name, key);
    define_operands(l, a);
    set_return(l, a);
    lower_statements(l, body);
    if (l->p->errors || l->p->unsupported) {
        LLVMDeleteFunction(l->fn);
        return false;
    }
    close_function(l, a);
    return true;
}

/* An error outside a statement ends all. */
static bool lower_or_fail(Lower *l, Asm *a, const Stmts *body, LLVMTypeRef t, const char *name, const char *key) {
    jmp_buf here;
    l->p->resume = &here;
    if (setjmp(here)) return false;
    return lower_fragment(l, a, body, t, name, key);
}

static bool translate(Lower *l, Asm *a, const char *constraints, size_t nc) {
    char name[40];
    Stmts body = {0};
    const char *key = key_of(l, a, constraints, nc, name);
    LLVMTypeRef t = type_of_function(l, a);
    if ((l->fn = same_function(l, t, name, key))) return true;
    return ptx_parse_fragment(l->p, &body) && lower_or_fail(l, a, &body, t, name, key);
}

const char *inline_asm_translate(LLVMBuilderRef b, LLVMModuleRef m, LLVMValueRef call, int warp_size, Arena *arena) {
    Asm a = {.call = call};
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t n, nc;
    const char *text = LLVMGetInlineAsmAsmString(callee, &n),
               *constraints = LLVMGetInlineAsmConstraintString(callee, &nc);
    if (!read_constraints(&a, constraints, nc) || !read_types(&a)) return "a constraint is not known";
    int wrong = misfit(&a);
    if (wrong >= 0)
        return arena_printf(arena, "operand %%%d is of another type than its constraint '%c' says", wrong,
                            a.letter[wrong]);
    if (!insert_texts(&a, text, n)) return "the text is too long";
    a.uses_carry = uses_carry(a.text);
    Ptx p;
    ptx_open(&p, "asm", a.text, strlen(a.text));
    p.fragment = true;
    index_rows(&p);
    Lower l = {.p = &p, .warp_size = warp_size, .sideeffect = LLVMGetInlineAsmHasSideEffects(callee)};
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMBuilderRef inside = LLVMCreateBuilderInContext(ctx);
    lower_init(&l, ctx, m, inside);
    bool ok = translate(&l, &a, constraints, nc);
    if (ok) call_function(&l, &a, b);
    const char *reason = ok ? NULL : arena_printf(arena, "%s", p.report ? p.report : "it cannot be read");
    LLVMDisposeBuilder(inside);
    ptx_close(&p);
    return reason;
}
