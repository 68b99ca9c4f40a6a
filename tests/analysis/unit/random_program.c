/* random_program.c: see random_program.h.  Statements over local variables (turned into SSA values by mem2reg
** afterwards) of narrow integer types, so that wrap-around happens all the time; nested ifs, bounded loops with break
** and continue, early returns; flags are set at random. */
#include "tests/analysis/unit/random_program.h"
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
void rnd_seed(uint64_t seed) { state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1; }
uint64_t rnd(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}
int rnd_below(int n) { return (int)((rnd() >> 33) % (uint64_t)n); }
static bool chance(int percent) { return rnd_below(100) < percent; }

enum { NTYPES = 4, NVARS = 8, DEPTH = 4 };
static const int width_of[NTYPES] = {6, 8, 13, 32};

typedef struct Gen {
    LLVMContextRef c;
    LLVMModuleRef m;
    LLVMBuilderRef b;
    LLVMValueRef fn, var[NVARS], array, ids[16];
    int nids, type_of_var[NVARS];
    LLVMTypeRef type[NTYPES];
    LLVMBasicBlockRef next[DEPTH + 1], leave[DEPTH + 1]; /* continue and break targets */
    int loops, budget;
} Gen;

static LLVMValueRef call_of(Gen *g, const char *name, LLVMTypeRef result) {
    LLVMValueRef f = LLVMGetNamedFunction(g->m, name);
    if (!f) f = LLVMAddFunction(g->m, name, LLVMFunctionType(result, NULL, 0, 0));
    return LLVMBuildCall2(g->b, LLVMGlobalGetValueType(f), f, NULL, 0, "");
}

static LLVMValueRef cast_to(Gen *g, LLVMValueRef v, int t) {
    int from = (int)LLVMGetIntTypeWidth(LLVMTypeOf(v)), to = width_of[t];
    if (from == to) return v;
    if (from > to) return LLVMBuildTrunc(g->b, v, g->type[t], "");
    if (chance(50)) return LLVMBuildSExt(g->b, v, g->type[t], "");
    LLVMValueRef z = LLVMBuildZExt(g->b, v, g->type[t], "");
    if (from > 1 && LLVMIsAInstruction(z) && chance(40)) LLVMSetNNeg(z, 1);
    return z;
}

static LLVMValueRef constant(Gen *g, int t) {
    static const int64_t nice[] = {0,  1,  2,  3,  4,  5,  7,  8,  12,  15,
                                   16, 24, 31, 32, -1, -2, -4, -8, -16, 63};
    int64_t v = chance(85) ? nice[rnd_below(20)] : (int64_t)rnd();
    return LLVMConstInt(g->type[t], (uint64_t)v, 1);
}

static LLVMValueRef value(Gen *g, int t, int depth);

static LLVMValueRef boolean(Gen *g, int depth) {
    static const LLVMIntPredicate p[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntUGT, LLVMIntUGE,
                                         LLVMIntULT, LLVMIntULE, LLVMIntSGT, LLVMIntSGE,
                                         LLVMIntSLT, LLVMIntSLE};
    int t = rnd_below(NTYPES), k = rnd_below(14);
    if (k == 0 && depth > 0)
        return LLVMBuildAnd(g->b, boolean(g, depth - 1), boolean(g, depth - 1), "");
    if (k == 1 && depth > 0)
        return LLVMBuildXor(g->b, boolean(g, depth - 1), boolean(g, depth - 1), "");
    LLVMValueRef a = value(g, t, depth - 1);
    LLVMValueRef c = chance(40) ? constant(g, t) : value(g, t, depth - 1);
    return LLVMBuildICmp(g->b, p[rnd_below(10)], a, c, "");
}

static void set_flags(LLVMValueRef v, LLVMOpcode op) {
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != op) return;
    if (op == LLVMOr) {
        if (chance(30)) LLVMSetIsDisjoint(v, 1);
        return;
    }
    if (op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl) return;
    if (chance(40)) LLVMSetNSW(v, 1);
    if (chance(25)) LLVMSetNUW(v, 1);
}

static LLVMValueRef element(Gen *g, int depth) {
    LLVMTypeRef i8 = LLVMInt8TypeInContext(g->c);
    LLVMValueRef index = LLVMBuildAnd(g->b, value(g, 3, depth), LLVMConstInt(g->type[3], 3, 0), "");
    return LLVMBuildGEP2(g->b, i8, g->array, &index, 1, "");
}

static LLVMValueRef operation(Gen *g, int t, int depth) {
    static const LLVMOpcode ops[] = {LLVMAdd,  LLVMAdd,  LLVMAdd, LLVMSub,  LLVMSub,
                                     LLVMMul,  LLVMMul,  LLVMShl, LLVMLShr, LLVMAShr,
                                     LLVMAnd,  LLVMOr,   LLVMXor, LLVMUDiv, LLVMURem,
                                     LLVMSDiv, LLVMSRem, LLVMAnd, LLVMOr,   LLVMLShr};
    LLVMOpcode op = ops[rnd_below(20)];
    LLVMValueRef a = value(g, t, depth - 1), b;
    bool shift = op == LLVMShl || op == LLVMLShr || op == LLVMAShr;
    bool divide = op == LLVMUDiv || op == LLVMURem || op == LLVMSDiv || op == LLVMSRem;
    if (divide && chance(90))
        b = LLVMConstInt(g->type[t], (uint64_t)(1 + rnd_below(16)), 0);
    else if (shift && chance(80))
        b = LLVMConstInt(g->type[t], (uint64_t)rnd_below(6), 0);
    else if (chance(40))
        b = constant(g, t);
    else
        b = value(g, t, depth - 1);
    LLVMValueRef r = LLVMBuildBinOp(g->b, op, a, b, "");
    set_flags(r, op);
    return r;
}

static LLVMValueRef value(Gen *g, int t, int depth) {
    int k = rnd_below(depth > 0 ? 20 : 7);
    if (k == 0) return constant(g, t);
    if (k < 4) {
        int v = rnd_below(NVARS);
        return cast_to(g, LLVMBuildLoad2(g->b, g->type[g->type_of_var[v]], g->var[v], ""), t);
    }
    if (k < 7) return cast_to(g, g->ids[rnd_below(g->nids)], t);
    if (k == 7)
        return LLVMBuildSelect(g->b, boolean(g, depth - 1), value(g, t, depth - 1),
                               value(g, t, depth - 1), "");
    if (k == 8)
        return LLVMBuildSelect(g->b, boolean(g, depth - 1), value(g, t, depth - 1),
                               LLVMGetPoison(g->type[t]), "");
    if (k == 9) return cast_to(g, boolean(g, depth - 1), t);
    if (k == 10 && g->array) {
        LLVMTypeRef i8 = LLVMInt8TypeInContext(g->c);
        return cast_to(g, LLVMBuildLoad2(g->b, i8, element(g, depth - 1), ""), t);
    }
    if (k == 11) return cast_to(g, value(g, rnd_below(NTYPES), depth - 1), t);
    return operation(g, t, depth);
}

static void statements(Gen *g, int depth);

static LLVMBasicBlockRef block(Gen *g) { return LLVMAppendBasicBlockInContext(g->c, g->fn, ""); }

static void branch_to(Gen *g, LLVMBasicBlockRef to) {
    if (!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(g->b))) LLVMBuildBr(g->b, to);
}

static void if_statement(Gen *g, int depth) {
    LLVMBasicBlockRef yes = block(g), no = block(g), join = block(g);
    LLVMBuildCondBr(g->b, boolean(g, 1), yes, no);
    LLVMPositionBuilderAtEnd(g->b, yes);
    statements(g, depth - 1);
    branch_to(g, join);
    LLVMPositionBuilderAtEnd(g->b, no);
    if (chance(60)) statements(g, depth - 1);
    branch_to(g, join);
    LLVMPositionBuilderAtEnd(g->b, join);
}

static void loop_statement(Gen *g, int depth) {
    LLVMBasicBlockRef head = block(g), body = block(g), latch = block(g), out = block(g);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(g->c);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    LLVMPositionBuilderBefore(g->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(g->fn)));
    LLVMValueRef counter = LLVMBuildAlloca(g->b, i8, "");
    LLVMPositionBuilderAtEnd(g->b, here);
    LLVMBuildStore(g->b, LLVMConstInt(i8, 0, 0), counter);
    LLVMBuildBr(g->b, head);
    LLVMPositionBuilderAtEnd(g->b, head);
    LLVMValueRef n = LLVMBuildLoad2(g->b, i8, counter, "");
    LLVMValueRef more =
        LLVMBuildICmp(g->b, LLVMIntULT, n, LLVMConstInt(i8, (uint64_t)(1 + rnd_below(4)), 0), "");
    if (chance(50)) more = LLVMBuildAnd(g->b, more, boolean(g, 1), "");
    LLVMBuildCondBr(g->b, more, body, out);
    LLVMPositionBuilderAtEnd(g->b, body);
    g->loops++;
    g->next[g->loops] = latch;
    g->leave[g->loops] = out;
    if (chance(50)) { /* something that counts iterations and is read after the loop */
        int v = rnd_below(NVARS);
        LLVMBuildStore(g->b, cast_to(g, LLVMBuildLoad2(g->b, i8, counter, ""), g->type_of_var[v]),
                       g->var[v]);
    }
    statements(g, depth - 1);
    g->loops--;
    branch_to(g, latch);
    LLVMPositionBuilderAtEnd(g->b, latch);
    LLVMBuildStore(
        g->b, LLVMBuildAdd(g->b, LLVMBuildLoad2(g->b, i8, counter, ""), LLVMConstInt(i8, 1, 0), ""),
        counter);
    LLVMBuildBr(g->b, head);
    LLVMPositionBuilderAtEnd(g->b, out);
}

static void jump(Gen *g) {
    int k = rnd_below(5), l = g->loops ? 1 + rnd_below(g->loops) : 0;
    if (k < 2 && l)
        LLVMBuildBr(g->b, g->next[g->loops]);
    else if (k < 4 && l)
        LLVMBuildBr(g->b, g->leave[l]);
    else
        LLVMBuildRetVoid(g->b);
}

static void statements(Gen *g, int depth) {
    int n = 1 + rnd_below(4);
    for (int i = 0; i < n; i++) {
        if (g->budget-- <= 0) return;
        int k = rnd_below(12), v = rnd_below(NVARS);
        if (depth > 0 && k < 3) {
            if_statement(g, depth);
        } else if (depth > 0 && (k == 3 || k == 6) && g->loops < DEPTH) {
            loop_statement(g, depth);
        } else if (k == 4 && depth < 3 && chance(60)) {
            jump(g);
            return;
        } else if (k == 5 && g->array) {
            LLVMValueRef x = cast_to(g, value(g, 1, 2), 1);
            LLVMBuildStore(g->b, x, element(g, 1));
        } else {
            LLVMBuildStore(g->b, value(g, g->type_of_var[v], 3), g->var[v]);
        }
    }
}

static void sources(Gen *g) {
    static const char *const names[] = {
        "cucpu.tid.x",  "cucpu.tid.x",   "cucpu.tid.y",      "cucpu.tid.z", "cucpu.ntid.x",
        "cucpu.ntid.y", "cucpu.ctaid.x", "cucpu.tid.linear", "cucpu.lane",  "vary"};
    LLVMTypeRef i32 = g->type[3];
    for (int i = 0; i < 10; i++) g->ids[g->nids++] = call_of(g, names[i], i32);
    g->ids[g->nids++] = LLVMGetParam(g->fn, 1);
    g->ids[g->nids++] = LLVMGetParam(g->fn, 2);
    g->ids[g->nids++] = LLVMBuildLoad2(g->b, g->type[1], LLVMGetParam(g->fn, 0), "");
    g->ids[g->nids++] =
        LLVMBuildAdd(g->b, LLVMBuildMul(g->b, g->ids[6], g->ids[4], ""), g->ids[0], "");
}

LLVMValueRef random_program(LLVMContextRef c, LLVMModuleRef *module, uint64_t seed) {
    Gen g = {.c = c, .budget = 4 + (int)(seed % 25)};
    rnd_seed(seed);
    g.m = *module = LLVMModuleCreateWithNameInContext("random", c);
    LLVMSetDataLayout(g.m, "e-p3:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64");
    for (int t = 0; t < NTYPES; t++) g.type[t] = LLVMIntTypeInContext(c, (unsigned)width_of[t]);
    LLVMTypeRef params[3] = {LLVMPointerTypeInContext(c, 0), g.type[1], g.type[3]};
    g.fn = LLVMAddFunction(g.m, "k", LLVMFunctionType(LLVMVoidTypeInContext(c), params, 3, 0));
    LLVMAddAttributeAtIndex(g.fn, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(c, "cucpu.kernel", 12, "", 0));
    g.b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(g.b, block(&g));
    for (int v = 0; v < NVARS; v++) {
        g.type_of_var[v] = rnd_below(NTYPES);
        g.var[v] = LLVMBuildAlloca(g.b, g.type[g.type_of_var[v]], "");
    }
    if (chance(50))
        g.array = LLVMBuildAlloca(g.b, LLVMArrayType2(LLVMInt8TypeInContext(c), 4), "array");
    sources(&g);
    for (int v = 0; v < NVARS; v++) LLVMBuildStore(g.b, value(&g, g.type_of_var[v], 1), g.var[v]);
    for (uint64_t i = 0; g.array && i < 4; i++) {
        LLVMValueRef index = LLVMConstInt(g.type[3], i, 0);
        LLVMBuildStore(g.b, constant(&g, 1),
                       LLVMBuildGEP2(g.b, LLVMInt8TypeInContext(c), g.array, &index, 1, ""));
    }
    statements(&g, DEPTH);
    if (!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(g.b))) LLVMBuildRetVoid(g.b);
    LLVMDisposeBuilder(g.b);
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    const char *passes =
        seed % 3 ? "function(mem2reg,mergereturn,loop-simplify,break-crit-edges,lcssa)"
                 : "function(mem2reg,simplifycfg,mergereturn,loop-simplify,break-crit-edges,lcssa)";
    LLVMErrorRef e = LLVMRunPasses(g.m, passes, NULL, o);
    if (e) {
        fprintf(stderr, "%s\n", LLVMGetErrorMessage(e));
        exit(2);
    }
    LLVMDisposePassBuilderOptions(o);
    return g.fn;
}
