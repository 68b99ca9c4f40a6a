/* inline_device: device functions are inlined into the kernels that call them.
**
** Everything that can reach a barrier or a warp-level function must be inlined: splitting and widening work on one
** function. Everything else is inlined too, up to a size at which the code would explode. A pointer to a function that
** is a constant once its callers are inlined (a constexpr variable, an argument) makes a direct call then, which is
** inlined in another iteration; other calls through addresses test which function it is (resolve_calls). Tail calls of
** a function to itself become loops, and so do recursive functions that can reach a barrier, a warp-level function or a
** __shared__ variable (flatten_recursion). Not inlined: recursive functions, functions whose address is taken and
** called indirectly, functions that vectorise_calls makes vector functions, large functions with many callers that are
** not convergent, and those marked minsize, unless they are convergent.
** Where the kernels would become large, functions are cleaned up and their copies of structures split into fields
** (split_copies) before they are inlined. Where they would become very large, because each inlines functions that are
** not optimised yet, leaf functions are inlined first and their callers cleaned up, and so on up to the kernels.
** Functions that are not inlined and read thread ids get them from cucpu_thread(), which the kernel fills before the
** call. Refuses: a barrier or warp-level function in a recursive function that flatten_recursion leaves alone. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/cost.h"
#include "passes/passes.h"
#include "passes/ir/shim.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    SIZE_LIMIT = 4000,
    CALLER_LIMIT = 8,
    LARGE_CODE = 20000 /* instructions of all kernels */,
    HUGE_CODE = 500000,
    MAX_ITERATIONS = 64,
    MAX_FLATTENED = 16,
    MAX_RESOLVED = 8 /* functions that call each other through addresses */
};

typedef struct Node {
    LLVMValueRef fn;
    Vec(int) callees;
    int index, low;
    bool on_stack, recursive, convergent, indirect;
    int size, callers;
    double whole;  /* the size with all callees inlined */
    double copies; /* in kernels that are too large, if all are inlined */
    bool chosen;   /* vectorise_calls makes vector functions of it */
} Node;

typedef struct Graph {
    Module *m;
    Node *v;
    int n, clock, sp, *stack;
    int *order, nordered; /* callees before their callers */
    PtrMap number;
} Graph;

static void scan_calls(Graph *g, Node *x) {
    for_each_instruction(i, x->fn) {
        x->size++;
        x->convergent |= is_of_block(i);
        if (!LLVMIsACallInst(i)) continue;
        LLVMValueRef callee = LLVMGetCalledValue(i);
        if (!LLVMIsAFunction(callee)) {
            x->indirect = true;
            continue;
        }
        int c = (int)map_get(&g->number, callee, 0) - 1;
        if (c < 0) continue;
        vec_push(&g->m->arena, &x->callees, c);
        g->v[c].callers++;
    }
}

/* Tarjan: members of a cycle are recursive; convergence travels from callee to caller. */
static void visit(Graph *g, int v) {
    Node *x = &g->v[v];
    x->index = x->low = ++g->clock;
    g->stack[g->sp++] = v;
    x->on_stack = true;
    for (int i = 0; i < x->callees.n; i++) {
        Node *c = &g->v[x->callees.v[i]];
        if (!c->index) {
            visit(g, x->callees.v[i]);
            if (c->low < x->low) x->low = c->low;
        } else if (c->on_stack && c->index < x->low) {
            x->low = c->index;
        }
        if (x->callees.v[i] == v) x->recursive = true;
        x->convergent |= c->convergent;
        x->whole += c->whole;
    }
    x->whole += x->size;
    if (x->low != x->index) return;
    bool cycle = g->stack[g->sp - 1] != v;
    for (int w = -1; w != v;) {
        w = g->stack[--g->sp];
        g->v[w].on_stack = false;
        if (cycle) g->v[w].recursive = true;
        g->order[g->nordered++] = w;
    }
}

static void set_always_inline(Module *m, LLVMValueRef fn, bool on) {
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    if (on)
        LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(m->ctx, kind, 0));
    else LLVMRemoveEnumAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

static void build_graph(Graph *g) {
    int count = 0;
    for_each_function(f, g->m->mod) count++;
    g->v = arena_array(&g->m->arena, Node, count + 1);
    g->stack = arena_array(&g->m->arena, int, count + 1);
    g->order = arena_array(&g->m->arena, int, count + 1);
    map_init(&g->number, &g->m->arena);
    for_each_function(f, g->m->mod) {
        if (LLVMIsDeclaration(f)) continue;
        g->v[g->n].fn = f;
        map_put(&g->number, f, (uintptr_t)++g->n);
    }
    for (int i = 0; i < g->n; i++) scan_calls(g, &g->v[i]);
    for (int i = 0; i < g->n; i++)
        if (!g->v[i].index) visit(g, i);
}

/* ---- functions that are not inlined ---- */

/* Ids are 32-bit words of CucpuThread; ids_to_thread lists all of them in this order. */
#define ID_WORD(field) ((int)(offsetof(CucpuThread, field) / sizeof(uint32_t)))
_Static_assert(sizeof(CucpuThread) == 12 * sizeof(uint32_t), "ids_to_thread and wrapper_of have as many");

static int id_field(Name n) {
    switch (n) {
    case NAME_TID_X:
    case NAME_TID_Y:
    case NAME_TID_Z: return ID_WORD(tid) + (int)(n - NAME_TID_X);
    case NAME_NTID_X:
    case NAME_NTID_Y:
    case NAME_NTID_Z: return ID_WORD(ntid) + (int)(n - NAME_NTID_X);
    case NAME_CTAID_X:
    case NAME_CTAID_Y:
    case NAME_CTAID_Z: return ID_WORD(ctaid) + (int)(n - NAME_CTAID_X);
    case NAME_NCTAID_X:
    case NAME_NCTAID_Y:
    case NAME_NCTAID_Z: return ID_WORD(nctaid) + (int)(n - NAME_NCTAID_X);
    default: return -1;
    }
}

static LLVMValueRef thread_field(Module *m, LLVMBuilderRef b, int field) {
    LLVMTypeRef ptr = LLVMPointerTypeInContext(m->ctx, 0), i32 = LLVMInt32TypeInContext(m->ctx);
    LLVMTypeRef t = LLVMFunctionType(ptr, NULL, 0, 0);
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, "cucpu_thread");
    if (!f) f = LLVMAddFunction(m->mod, "cucpu_thread", t);
    LLVMValueRef p = LLVMBuildCall2(b, t, f, NULL, 0, "thread");
    LLVMValueRef at = LLVMConstInt(i32, (unsigned long long)field, 0);
    return LLVMBuildGEP2(b, i32, p, &at, 1, "");
}

bool ids_from_thread(Module *m, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    bool reads = false;
    for_each_block(bb, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Name n = name_of_call(i);
            if (n == NAME_NONE) continue;
            int field = id_field(n);
            if (field < 0) {
                diag_nyi(&m->diag, i, NYI_RECURSIVE_BARRIER, name_text(n));
                continue;
            }
            set_insert_point(b, i);
            replace_instruction(i, LLVMBuildLoad2(b, LLVMInt32TypeInContext(m->ctx), thread_field(m, b, field), ""));
            reads = true;
        }
    LLVMDisposeBuilder(b);
    return reads;
}

static bool is_kept(LLVMValueRef inst) {
    if (!LLVMIsACallInst(inst)) return false;
    LLVMValueRef f = LLVMGetCalledValue(inst);
    if (LLVMIsAFunction(f) && fn_has_attr(f, ATTR_OUTLINED)) return false;
    return !LLVMIsAInlineAsm(f) && (!LLVMIsAFunction(f) || !LLVMIsDeclaration(f));
}

/* NAME.with_ids(ids x 12, callee, arguments): stores the ids and makes the call. One call, so that widen runs both for
** the same lane. */
static LLVMValueRef wrapper_of(Module *m, LLVMValueRef call, unsigned nargs) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->ctx), result = LLVMTypeOf(call);
    LLVMTypeRef *types = arena_array(&m->arena, LLVMTypeRef, nargs + 13);
    for (int f = 0; f < 12; f++) types[f] = i32;
    types[12] = LLVMPointerTypeInContext(m->ctx, 0);
    for (unsigned k = 0; k < nargs; k++) types[13 + k] = LLVMTypeOf(LLVMGetOperand(call, k));
    LLVMTypeRef t = LLVMFunctionType(result, types, nargs + 13, 0);
    LLVMValueRef w = LLVMAddFunction(m->mod, WITH_IDS, t);
    LLVMSetLinkage(w, LLVMInternalLinkage);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(m->ctx, w, ""));
    for (int f = 0; f < 12; f++) LLVMBuildStore(b, LLVMGetParam(w, (unsigned)f), thread_field(m, b, f));
    LLVMValueRef c = LLVMInstructionClone(call);
    LLVMInsertIntoBuilder(b, c);
    LLVMInstructionSetDebugLoc(c, NULL);
    for (unsigned k = 0; k < nargs; k++) LLVMSetOperand(c, k, LLVMGetParam(w, 13 + k));
    LLVMSetOperand(c, nargs, LLVMGetParam(w, 12));
    if (LLVMGetTypeKind(result) == LLVMVoidTypeKind) LLVMBuildRetVoid(b);
    else LLVMBuildRet(b, c);
    LLVMDisposeBuilder(b);
    return w;
}

/* In kernels: calls that are not inlined pass the ids along. */
static void ids_to_thread(Module *m, LLVMValueRef fn, LLVMBuilderRef b) {
    static const Name ids[12] = {NAME_TID_X,   NAME_TID_Y,   NAME_TID_Z,   NAME_NTID_X,   NAME_NTID_Y,   NAME_NTID_Z,
                                 NAME_CTAID_X, NAME_CTAID_Y, NAME_CTAID_Z, NAME_NCTAID_X, NAME_NCTAID_Y, NAME_NCTAID_Z};
    for_each_block(bb, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!is_kept(i)) continue;
            unsigned n = LLVMGetNumArgOperands(i);
            LLVMValueRef *args = arena_array(&m->arena, LLVMValueRef, n + 13), w = wrapper_of(m, i, n);
            set_insert_point(b, i);
            for (int f = 0; f < 12; f++) args[id_field(ids[f])] = name_call(b, m->mod, ids[f], NULL, 0, "");
            args[12] = LLVMGetCalledValue(i);
            for (unsigned k = 0; k < n; k++) args[13 + k] = LLVMGetOperand(i, k);
            LLVMValueRef r = LLVMBuildCall2(b, LLVMGlobalGetValueType(w), w, args, n + 13, "");
            unsigned len;
            const char *targets = resolved_targets(i, &len);
            if (targets) set_resolved_targets(r, targets, len);
            if (!is_void(i)) LLVMReplaceAllUsesWith(i, r);
            LLVMInstructionEraseFromParent(i);
        }
}

/* ---- iterations ---- */

#define CLEAN_UP "sroa,instsimplify,simplifycfg"

static bool is_minimal(LLVMValueRef fn) {
    return LLVMGetEnumAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName("minsize", 7));
}

static bool is_inlined(const Node *x) {
    if (fn_has_attr(x->fn, ATTR_OUTLINED)) return false;
    if (is_minimal(x->fn) && !x->convergent) return false;
    return !x->recursive && !is_kernel(x->fn) && (x->convergent || x->size <= SIZE_LIMIT || x->callers <= CALLER_LIMIT);
}

static void inline_once(Module *m) {
    Graph g = {.m = m};
    build_graph(&g);
    for (int i = 0; i < g.n; i++) {
        Node *x = &g.v[i];
        if (x->recursive) set_always_inline(m, x->fn, false);
        else if (is_inlined(x)) set_always_inline(m, x->fn, true);
    }
    run_llvm_passes(m, "always-inline,globaldce");
}

static double size_when_inlined(Module *m) {
    Graph g = {.m = m};
    double n = 0;
    build_graph(&g);
    for (int i = 0; i < g.n; i++)
        if (is_kernel(g.v[i].fn)) n += g.v[i].whole;
    return n;
}

static bool calls_leaf(const Node *x, const bool *leaf) {
    for (int i = 0; i < x->callees.n; i++)
        if (leaf[x->callees.v[i]]) return true;
    return false;
}

/* Inlines the leaf functions; false: there are none left. */
static bool inline_leaves(Module *m) {
    Graph g = {.m = m};
    build_graph(&g);
    bool *leaf = arena_array(&m->arena, bool, g.n + 1), any = false;
    PtrMap callers = map_new(&m->arena);
    for (int i = 0; i < g.n; i++) {
        leaf[i] = !g.v[i].callees.n && g.v[i].callers && is_inlined(&g.v[i]);
        if (leaf[i]) set_always_inline(m, g.v[i].fn, true);
        any |= leaf[i];
    }
    if (!any) return false;
    for (int i = 0; i < g.n; i++)
        if (calls_leaf(&g.v[i], leaf)) map_put(&callers, g.v[i].fn, 1);
    run_llvm_passes(m, "always-inline,globaldce");
    for_each_function(f, m->mod)
        if (map_get(&callers, f, 0) && !LLVMIsDeclaration(f)) run_llvm_passes_on(m, f, CLEAN_UP);
    return true;
}

static void inline_bottom_up(Module *m) {
    for (int iteration = 0; iteration < MAX_ITERATIONS && inline_leaves(m); iteration++) {}
}

static bool is_convergent_call(LLVMValueRef i) {
    return name_of_call(i) != NAME_NONE && name_is_convergent(name_of_call(i));
}

static bool is_indirect_call(LLVMValueRef i) {
    return LLVMIsACallInst(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) && !LLVMIsAFunction(LLVMGetCalledValue(i));
}

/* Uses of functions, and indirect calls; without optimisation only what could not be compiled: functions with
** barriers. */
static int calls_left(Module *m) {
    int left = 0;
    for_each_function(f, m->mod) {
        int uses = 0, indirect = 0, barriers = 0;
        for (LLVMBasicBlockRef b = LLVMIsDeclaration(f) ? NULL : LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for_each_in_block(i, b) indirect += is_indirect_call(i), barriers += is_convergent_call(i);
        for (LLVMUseRef u = LLVMIsDeclaration(f) || is_kernel(f) ? NULL : LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
            uses++;
        left += m->opt->opt_level ? uses + indirect : barriers ? uses : 0;
    }
    return left;
}

static void inline_all(Module *m) {
    inline_once(m);
    for (int left = calls_left(m), before = left + 1; left && left < before;) {
        run_llvm_passes(m, "function(sroa,early-cse,instsimplify)");
        inline_once(m);
        before = left;
        left = calls_left(m);
    }
}

/* Before any function is copied into others. */
static void clean_up_all(Module *m) {
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f)) split_copies(m, f);
    run_llvm_passes(m, "function(" CLEAN_UP ")");
}

/* ---- recursion ---- */

static bool calls_itself(const Node *x, int self) {
    for (int i = 0; i < x->callees.n; i++)
        if (x->callees.v[i] == self) return true;
    return false;
}

/* Tail calls are loops: the other functions that call themselves are not inlined. */
static void loop_tail_calls(Module *m) {
    Graph g = {.m = m};
    build_graph(&g);
    for (int i = 0; i < g.n; i++)
        if (g.v[i].recursive && (m->opt->opt_level || g.v[i].convergent))
            run_llvm_passes_on(m, g.v[i].fn, "sroa,simplifycfg,tailcallelim,simplifycfg");
}

/* One of the functions that call each other and synchronise: if it calls itself it becomes a loop, else it is inlined.
** False: there is none. */
static bool flatten_one(Module *m) {
    Graph g = {.m = m};
    build_graph(&g);
    for (int i = 0; i < g.n; i++)
        if (g.v[i].recursive && g.v[i].convergent && calls_itself(&g.v[i], i)) return flatten_recursion(m, g.v[i].fn);
    for (int i = 0; i < g.n; i++) {
        if (!g.v[i].recursive || !g.v[i].convergent || is_kernel(g.v[i].fn)) continue;
        set_always_inline(m, g.v[i].fn, true);
        run_llvm_passes(m, "always-inline,globaldce");
        return true;
    }
    return false;
}

/* Functions that synchronise have to be inlined, and so must not be recursive. */
static void flatten_all(Module *m) {
    bool any = false;
    for (int iteration = 0; iteration < MAX_FLATTENED && flatten_one(m); iteration++) any = true;
    if (any) inline_all(m);
}

/* ---- vector functions ---- */

/* Sizes of kernels with all that they call, and copies in kernels that are too large; what is chosen is a call.
** False: no kernel is. */
static bool count_copies(Graph *g) {
    bool large = false;
    for (int k = 0; k < g->nordered; k++) {
        Node *x = &g->v[g->order[k]];
        x->whole = x->size;
        for (int i = 0; i < x->callees.n; i++) {
            const Node *c = &g->v[x->callees.v[i]];
            x->whole += c->chosen || is_minimal(c->fn) ? GROWTH_CALL : c->whole;
        }
        x->copies = is_kernel(x->fn) && x->whole > GROWTH_INLINED;
        large |= x->copies > 0;
    }
    for (int k = g->nordered - 1; k >= 0; k--) {
        const Node *x = &g->v[g->order[k]];
        for (int i = 0; i < x->callees.n && !x->chosen; i++) g->v[x->callees.v[i]].copies += x->copies;
    }
    return large;
}

static double saved_by(const Node *x) { return (x->copies - 1) * (x->whole - GROWTH_CALL); }

static Node *most_copied(Graph *g) {
    Node *best = NULL;
    for (int i = 0; i < g->n; i++) {
        Node *x = &g->v[i];
        bool may_be = !x->chosen && !x->recursive && !is_kernel(x->fn) && !is_minimal(x->fn);
        if (!may_be || x->whole < GROWTH_VECTOR_FUNCTION || saved_by(x) < GROWTH_SAVED) continue;
        if ((!best || saved_by(x) > saved_by(best)) && may_be_vectorised(g->m, x->fn)) best = x;
    }
    return best;
}

/* Sizes are those without loops that will be unrolled. */
static void unroll_closed(Module *m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !is_kernel(f) && is_closed_function(m, f))
            run_llvm_passes_on(m, f, "loop-simplify,lcssa,loop(loop-rotate,loop-unroll-full),instsimplify,sroa");
}

/* In kernels that are too large the functions whose copies are most of it become ones that are called. */
static void choose_vector_functions(Module *m) {
    Graph g = {.m = m};
    if (pass_disabled(m, "vectorise_calls")) return;
    if (m->opt->opt_level) unroll_closed(m);
    build_graph(&g);
    while (count_copies(&g)) {
        for (int i = 0; i < g.n; i++)
            if (is_kernel(g.v[i].fn) && g.v[i].copies > 0) fn_set_attr(g.v[i].fn, ATTR_OUTLINED, "");
        Node *x = most_copied(&g);
        if (!x) return;
        x->chosen = true;
        set_always_inline(m, x->fn, false);
        fn_set_attr(x->fn, ATTR_OUTLINED, "");
    }
}

/* Recursive functions that do not synchronise. */
static void outline_all(Module *m) {
    Graph g = {.m = m};
    Vec(LLVMValueRef) recursive = {0};
    build_graph(&g);
    for (int i = 0; i < g.n; i++)
        if (g.v[i].recursive && !g.v[i].convergent && !is_kernel(g.v[i].fn)) vec_push(&m->arena, &recursive, g.v[i].fn);
    outline_recursion(m, recursive.v, recursive.n);
}

static bool calls_outlined_recursion(LLVMValueRef fn) {
    for_each_instruction(i, fn)
        if (called_function(i) && fn_has_attr(called_function(i), ATTR_RECURSIVE)) return true;
    return false;
}

/* Functions that are not inlined get the ids from cucpu_thread(), others pass them on; a recursive one gets them as
** parameters, from vectorise_calls, which needs them where it is called as well. */
static void pass_ids(Module *m) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    bool reads = false, outlined_reads = false, calls = false;
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f) || is_kernel(f)) continue;
        if (fn_has_attr(f, ATTR_RECURSIVE)) outlined_reads |= calls_name(f, NAME_TID_X, NAME_NCTAID_Z);
        if (fn_has_attr(f, ATTR_OUTLINED)) continue;
        calls |= calls_outlined_recursion(f);
        reads |= ids_from_thread(m, f);
    }
    reads |= outlined_reads && calls;
    for_each_function(f, m->mod)
        if (reads && !LLVMIsDeclaration(f) && (is_kernel(f) || fn_has_attr(f, ATTR_RECURSIVE))) ids_to_thread(m, f, b);
    LLVMDisposeBuilder(b);
}

/* A function that is called directly now may have indirect calls, too. */
static bool resolve_all(Module *m) {
    long growth = 0;
    bool any = false;
    for (int iteration = 0; iteration < MAX_RESOLVED && resolve_calls(m, &growth); iteration++) {
        any = true;
        loop_tail_calls(m);
        inline_all(m);
    }
    return any;
}

bool inline_device(Module *m) {
    hide_beyond_locals(m);
    loop_tail_calls(m);
    double all = size_when_inlined(m), size = m->opt->opt_level ? all : 0;
    if (size > LARGE_CODE) clean_up_all(m);
    if (all > LARGE_CODE) choose_vector_functions(m);
    if (size > HUGE_CODE) inline_bottom_up(m);
    inline_all(m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); size > LARGE_CODE && f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) split_copies(m, f);
    bool resolved = resolve_all(m);
    flatten_all(m);
    if (resolved) drop_resolved(m);
    outline_all(m);
    pass_ids(m);
    return !m->diag.unsupported;
}
