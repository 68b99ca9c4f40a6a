/* import_nvvm: clang's NVVM IR becomes target-neutral per-thread IR of ours.
**
** in:  a module for nvptx64 as clang 22 writes it (docs/ir.md, stage 0)
** out: a module for the host target; kernels carry cucpu.kernel; every llvm.nvvm.* is a cucpu.* function (names.def),
**      an LLVM instruction or a call of the runtime; every function ends in `ret` (no `unreachable` after a trap: other
**      lanes go on); all definitions are internal.
** Attributes that described a thread on a GPU (memory effects, nosync, mustprogress, target features) are dropped:
** later passes add memory traffic that they would deny.
** Refuses: intrinsics that are not in import.def and inline PTX that ptx-frontend does not know, each by name and
** source line. */
#include "cpu-runtime/abi.h"
#include "passes/ir/guess_block.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "ptx-frontend/inline_asm.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { PTX_KERNEL_CC = 71 };

typedef struct Import {
    Module *m;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i32, i64, f32, ptr;
} Import;

typedef LLVMValueRef (*Handler)(Import *, LLVMValueRef call, const char *what);

static LLVMValueRef const32(const Import *im, uint64_t v) { return LLVMConstInt(im->i32, v, 0); }

static LLVMValueRef call_named(Import *im, Name n, LLVMValueRef *args, unsigned count) {
    return name_call(im->b, im->m->mod, n, args, count, "");
}

/* ---- handlers: build the replacement at the builder's position ---- */

static LLVMValueRef import_match_all(Import *im, LLVMValueRef call, const char *what) {
    LLVMValueRef args[2] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1)};
    LLVMValueRef r = call_named(im, strstr(what, "i64") ? NAME_MATCH_ALL64 : NAME_MATCH_ALL32, args, 2);
    LLVMValueRef pair = LLVMGetPoison(LLVMTypeOf(call));
    pair = LLVMBuildInsertValue(im->b, pair, r, 0, "");
    LLVMValueRef all = LLVMBuildICmp(im->b, LLVMIntNE, r, const32(im, 0), "");
    return LLVMBuildInsertValue(im->b, pair, all, 1, "");
}

/* A barrier for the compiler; the runtime lets the group go on at once. */
static LLVMValueRef import_arrive(Import *im, LLVMValueRef call, const char *what) {
    (void)what;
    LLVMValueRef flag = LLVMConstInt(im->i32, CUCPU_WAIT_ARRIVE, false);
    LLVMValueRef args[2] = {LLVMGetOperand(call, 0), LLVMBuildOr(im->b, LLVMGetOperand(call, 1), flag, "")};
    return call_named(im, NAME_BARRIER_N, args, 2);
}

static LLVMValueRef fence_block(Import *im, LLVMValueRef call, const char *what) {
    (void)call, (void)what; /* the threads of a block share one worker: only the compiler must not reorder */
    return LLVMBuildFence(im->b, LLVMAtomicOrderingSequentiallyConsistent, 1, "");
}

static LLVMValueRef fence_device(Import *im, LLVMValueRef call, const char *what) {
    (void)call, (void)what;
    return LLVMBuildFence(im->b, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
}

static LLVMValueRef warp_size(Import *im, LLVMValueRef call, const char *what) {
    (void)call, (void)what;
    return const32(im, (uint64_t)im->m->opt->warp_size);
}

static LLVMValueRef warp_id(Import *im, LLVMValueRef call, const char *what) {
    (void)call, (void)what;
    LLVMValueRef t = call_named(im, NAME_LINEAR, NULL, 0);
    return LLVMBuildUDiv(im->b, t, const32(im, (uint64_t)im->m->opt->warp_size), "");
}

static LLVMValueRef warp_count(Import *im, LLVMValueRef call, const char *what) {
    (void)call, (void)what;
    uint64_t w = (uint64_t)im->m->opt->warp_size;
    LLVMValueRef n =
        LLVMBuildMul(im->b, call_named(im, NAME_NTID_X, NULL, 0), call_named(im, NAME_NTID_Y, NULL, 0), "");
    n = LLVMBuildMul(im->b, n, call_named(im, NAME_NTID_Z, NULL, 0), "");
    return LLVMBuildUDiv(im->b, LLVMBuildAdd(im->b, n, const32(im, w - 1), ""), const32(im, w), "");
}

static LLVMValueRef lanemask(Import *im, LLVMValueRef call, const char *what) {
    (void)call;
    LLVMValueRef one = LLVMConstInt(im->i64, 1, 0);
    LLVMValueRef lane = LLVMBuildZExt(im->b, call_named(im, NAME_LANE, NULL, 0), im->i64, "");
    LLVMValueRef eq = LLVMBuildShl(im->b, one, lane, "");
    LLVMValueRef lt = LLVMBuildSub(im->b, eq, one, ""), r = eq;
    const char *kind = what + strlen(what) - 2;
    if (!strcmp(kind, "lt")) r = lt;
    if (!strcmp(kind, "le")) r = LLVMBuildOr(im->b, lt, eq, "");
    if (!strcmp(kind, "ge")) r = LLVMBuildNot(im->b, lt, "");
    if (!strcmp(kind, "gt")) r = LLVMBuildNot(im->b, LLVMBuildOr(im->b, lt, eq, ""), "");
    return LLVMBuildTrunc(im->b, r, im->i32, "");
}

static LLVMValueRef runtime_id(Import *im, LLVMValueRef call, const char *what) {
    LLVMTypeRef want = LLVMTypeOf(call);
    LLVMValueRef r;
    if (strstr(what, "clock")) r = build_named_call(im->b, "cucpu_clock64", im->i64, NULL, 0);
    else if (strstr(what, "globaltimer")) r = build_named_call(im->b, "cucpu_globaltimer", im->i64, NULL, 0);
    else r = build_named_call(im->b, "cucpu_smid", im->i32, NULL, 0);
    if (strstr(what, "nsmid")) r = const32(im, 1024);
    if (LLVMTypeOf(r) == want) return r;
    return LLVMGetIntTypeWidth(want) < 64 ? LLVMBuildTrunc(im->b, r, want, "") : LLVMBuildZExt(im->b, r, want, "");
}

static LLVMValueRef nanosleep_call(Import *im, LLVMValueRef call, const char *what) {
    (void)what;
    LLVMValueRef ns = LLVMGetOperand(call, 0);
    return build_named_call(im->b, "cucpu_nanosleep", LLVMVoidTypeInContext(im->m->ctx), &ns, 1);
}

/* Ends the thread. Only a call in the kernel itself can become `ret`: import marks it and finish_exits edits the CFG
** once everything is inlined. */
static LLVMValueRef exit_thread(Import *im, LLVMValueRef call, const char *what) {
    (void)call, (void)what;
    return build_named_call(im->b, "cucpu.exit", LLVMVoidTypeInContext(im->m->ctx), NULL, 0);
}

static LLVMValueRef reflect(Import *im, LLVMValueRef call, const char *what) {
    (void)call, (void)what;
    return const32(im, 0);
}

static LLVMValueRef import_is_local(Import *im, LLVMValueRef call) {
    LLVMValueRef p = LLVMGetOperand(call, 0), r = build_named_call(im->b, "cucpu_is_local", im->i32, &p, 1);
    return LLVMBuildICmp(im->b, LLVMIntNE, r, const32(im, 0), "");
}

/* Shared memory is one arena, local memory is the worker's; everything else counts as global. Constants are part of
** global memory on a CPU, so a query for the constant space is refused. */
static LLVMValueRef is_space(Import *im, LLVMValueRef call, const char *what) {
    bool global = strstr(what, "global");
    if (strstr(what, "local")) return import_is_local(im, call);
    if (!global && !strstr(what, "shared")) {
        diag_nyi(&im->m->diag, call, NYI_INTRINSIC, what);
        return LLVMConstInt(im->i1, 0, 0);
    }
    LLVMValueRef p = LLVMBuildPtrToInt(im->b, LLVMGetOperand(call, 0), im->i64, "");
    LLVMValueRef base = LLVMBuildPtrToInt(im->b, call_named(im, NAME_SHARED, NULL, 0), im->i64, "");
    LLVMValueRef d = LLVMBuildSub(im->b, p, base, "");
    LLVMValueRef size =
        LLVMBuildAdd(im->b, call_named(im, NAME_STATIC_SIZE, NULL, 0), call_named(im, NAME_DYN_SIZE, NULL, 0), "");
    LLVMValueRef in = LLVMBuildICmp(im->b, LLVMIntULT, d, LLVMBuildZExt(im->b, size, im->i64, ""), "");
    if (!global) return in;
    return LLVMBuildNot(im->b, LLVMBuildOr(im->b, in, import_is_local(im, call), ""), "");
}

/* ---- the table ---- */

typedef enum Kind { K_SREG, K_REDUX, K_SHFL, K_VOTE, K_MATH, K_OTHER } Kind;
typedef struct Row {
    const char *nvvm;
    Kind kind;
    Name name;
    bool sync;
    const char *math;
    Handler handler;
} Row;

static const Row rows[] = {
#define SREG(nvvm, n) {nvvm, K_SREG, NAME_##n, false, NULL, NULL},
#define REDUX(nvvm, n) {nvvm, K_REDUX, NAME_##n, false, NULL, NULL},
#define SHFL(nvvm, n, sync) {nvvm, K_SHFL, NAME_##n, sync, NULL, NULL},
#define VOTE(nvvm, n, sync) {nvvm, K_VOTE, NAME_##n, sync, NULL, NULL},
#define MATH(nvvm, intrinsic) {nvvm, K_MATH, NAME_NONE, false, intrinsic, NULL},
#define OTHER(nvvm, h) {nvvm, K_OTHER, NAME_NONE, false, NULL, h},
#include "passes/import/import.def"
#undef SREG
#undef REDUX
#undef SHFL
#undef VOTE
#undef MATH
#undef OTHER
};

static const Row *find_row(const char *nvvm) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].nvvm, nvvm)) return &rows[i];
    return NULL;
}

static LLVMValueRef import_shuffle(Import *im, const Row *r, LLVMValueRef call) {
    unsigned o = r->sync ? 1 : 0;
    LLVMValueRef v = LLVMGetOperand(call, o), args[4];
    bool is_float = LLVMTypeOf(v) == im->f32;
    args[0] = r->sync ? LLVMGetOperand(call, 0) : const32(im, 0xffffffffu);
    args[1] = is_float ? LLVMBuildBitCast(im->b, v, im->i32, "") : v;
    args[2] = LLVMGetOperand(call, o + 1);
    args[3] = LLVMGetOperand(call, o + 2);
    LLVMValueRef s = call_named(im, r->name, args, 4);
    return is_float ? LLVMBuildBitCast(im->b, s, im->f32, "") : s;
}

static LLVMValueRef import_vote(Import *im, const Row *r, LLVMValueRef call) {
    LLVMValueRef args[2] = {r->sync ? LLVMGetOperand(call, 0) : const32(im, 0xffffffffu),
                            LLVMGetOperand(call, r->sync ? 1 : 0)};
    return call_named(im, r->name, args, 2);
}

static LLVMValueRef high_product(Import *im, LLVMValueRef call, bool is_signed) {
    LLVMTypeRef t = LLVMTypeOf(call);
    unsigned bits = LLVMGetIntTypeWidth(t);
    LLVMTypeRef wide = LLVMIntTypeInContext(im->m->ctx, 2 * bits);
    LLVMValueRef x[2];
    for (unsigned i = 0; i < 2; i++)
        x[i] = is_signed ? LLVMBuildSExt(im->b, LLVMGetOperand(call, i), wide, "")
                         : LLVMBuildZExt(im->b, LLVMGetOperand(call, i), wide, "");
    LLVMValueRef p = LLVMBuildMul(im->b, x[0], x[1], "");
    return LLVMBuildTrunc(im->b, LLVMBuildLShr(im->b, p, LLVMConstInt(wide, bits, 0), ""), t, "");
}

static LLVMValueRef math(Import *im, const Row *r, LLVMValueRef call) {
    LLVMTypeRef t = LLVMTypeOf(call);
    unsigned n = LLVMGetNumArgOperands(call);
    LLVMValueRef args[3];
    for (unsigned i = 0; i < n && i < 3; i++) args[i] = LLVMGetOperand(call, i);
    const char *op = r->math;
    if (!strcmp(op, "+f")) return LLVMBuildFAdd(im->b, args[0], args[1], "");
    if (!strcmp(op, "*f")) return LLVMBuildFMul(im->b, args[0], args[1], "");
    if (!strcmp(op, "/f")) return LLVMBuildFDiv(im->b, args[0], args[1], "");
    if (!strcmp(op, "hs") || !strcmp(op, "hu")) return high_product(im, call, op[1] == 's');
    if (!strcmp(op, "1/s")) args[0] = math_intrinsic(im->b, "llvm.sqrt", &(LLVMTypeRef){t}, 1, args, 1);
    if (op[0] == '1') return LLVMBuildFDiv(im->b, LLVMConstReal(t, 1.0), args[0], "");
    return math_intrinsic(im->b, op, &(LLVMTypeRef){t}, 1, args, n);
}

static LLVMValueRef import_call(Import *im, const Row *r, LLVMValueRef call) {
    LLVMValueRef args[4];
    switch (r->kind) {
    case K_SREG:
        for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && i < 4; i++) args[i] = LLVMGetOperand(call, i);
        return call_named(im, r->name, args, LLVMGetNumArgOperands(call));
    case K_REDUX:
        args[0] = LLVMGetOperand(call, 1);
        args[1] = LLVMGetOperand(call, 0);
        return call_named(im, r->name, args, 2);
    case K_SHFL: return import_shuffle(im, r, call);
    case K_VOTE: return import_vote(im, r, call);
    case K_MATH: return math(im, r, call);
    default: return r->handler(im, call, r->nvvm);
    }
}

static void import_calls(Import *im, LLVMValueRef fn, const char *name) {
    const Row *r = find_row(name + strlen("llvm.nvvm."));
    for (LLVMUseRef u = LLVMGetFirstUse(fn), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef call = LLVMGetUser(u);
        if (!r) {
            bool tensor = strstr(name, ".wmma.") || strstr(name, ".mma.");
            bool texture = strstr(name, ".tex.") || strstr(name, ".suld.") || strstr(name, ".sust.");
            diag_nyi(&im->m->diag, call, tensor ? NYI_TENSOR_CORE : texture ? NYI_SURFACE : NYI_INTRINSIC, name);
            continue;
        }
        set_insert_point(im->b, call);
        LLVMValueRef v = import_call(im, r, call);
        if (!is_void(call)) LLVMReplaceAllUsesWith(call, v);
        LLVMInstructionEraseFromParent(call);
    }
    if (!LLVMGetFirstUse(fn)) LLVMDeleteFunction(fn);
}

/* ---- functions ---- */

static void drop_attributes(LLVMValueRef fn) {
    static const char *const enums[] = {"memory",   "nosync",  "nofree",   "norecurse",  "mustprogress",
                                        "noinline", "optnone", "noreturn", "willreturn", "cold"};
    static const char *const strings[] = {
        "target-cpu", "target-features", "no-trapping-math", "stack-protector-buffer-size", "uniform-work-group-size",
        "no-builtins"};
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (size_t i = 0; i < sizeof enums / sizeof *enums; i++)
        LLVMRemoveEnumAttributeAtIndex(fn, at, LLVMGetEnumAttributeKindForName(enums[i], strlen(enums[i])));
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) fn_remove_attr(fn, strings[i]);
}

static void copy_attr(LLVMValueRef fn, const char *from, const char *to) {
    unsigned len;
    const char *v = fn_attr(fn, from, &len);
    if (!v) return;
    char text[64];
    if (len >= sizeof text) len = sizeof text - 1;
    memcpy(text, v, len);
    text[len] = 0;
    fn_set_attr(fn, to, text);
}

/* Device code has no distinct type for it; the name of a C++ kernel tells what it takes. */
static void check_long_double(Import *im, LLVMValueRef kernel) {
    char *text = shim_demangle(value_name(kernel));
    if (strstr(text, "long double")) diag_nyi(&im->m->diag, kernel, NYI_LONG_DOUBLE, text);
    free(text);
}

/* A call by another convention than that of the function is undefined; optimised IR has fastcc. */
static void set_convention(LLVMValueRef fn, unsigned convention) {
    LLVMSetFunctionCallConv(fn, convention);
    for_each_user(call, fn)
        if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == fn) LLVMSetInstructionCallConv(call, convention);
}

static void import_function(Import *im, LLVMValueRef fn) {
    /* LLVM states the attributes of its own functions, and names.def those of ours */
    if (LLVMGetIntrinsicID(fn) || name_of_function(fn) != NAME_NONE) return;
    /* the second run, after the device library, finds kernels by cucpu.kernel */
    bool kernel = LLVMGetFunctionCallConv(fn) == PTX_KERNEL_CC || is_kernel(fn);
    set_convention(fn, LLVMCCallConv);
    if (kernel && !is_kernel(fn)) flush_denormals(im->m, fn), check_long_double(im, fn);
    if (kernel) {
        unsigned len;
        if (!LLVMIsDeclaration(fn) && !fn_attr(fn, ATTR_USUAL, &len)) guess_block(im->m->mod, fn);
        fn_set_attr(fn, ATTR_KERNEL, "");
        copy_attr(fn, "nvvm.maxntid", ATTR_MAXNTID);
        copy_attr(fn, "nvvm.reqntid", ATTR_REQNTID);
        copy_attr(fn, "nvvm.cluster_dim", ATTR_CLUSTER);
        copy_attr(fn, "nvvm.maxclusterrank", ATTR_MAX_CLUSTER);
    }
    drop_attributes(fn);
    if (LLVMIsDeclaration(fn)) return;
    /* kernels stay external, and so live, until kernel_table drops them */
    LLVMSetLinkage(fn, kernel ? LLVMExternalLinkage : LLVMInternalLinkage);
    LLVMSetVisibility(fn, LLVMDefaultVisibility);
    LLVMSetComdat(fn, NULL);
    (void)im;
}

/* `unreachable` after a trap becomes `ret`: a lane that traps must not end the other lanes. */
static void end_in_ret(Import *im, LLVMValueRef fn) {
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(fn));
    for_each_block(b, fn) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
        if (!t || !LLVMIsAUnreachableInst(t)) continue;
        set_insert_point(im->b, t);
        if (LLVMGetTypeKind(result) == LLVMVoidTypeKind) LLVMBuildRetVoid(im->b);
        else LLVMBuildRet(im->b, LLVMGetPoison(result));
        LLVMInstructionEraseFromParent(t);
    }
}

static void call_runtime_instead(Import *im, LLVMValueRef call, const char *runtime, unsigned nargs) {
    LLVMValueRef args[4];
    for (unsigned i = 0; i < nargs; i++) args[i] = LLVMGetOperand(call, i);
    set_insert_point(im->b, call);
    LLVMValueRef v = build_named_call(im->b, runtime, LLVMTypeOf(call), args, nargs);
    if (!is_void(call)) LLVMReplaceAllUsesWith(call, v);
    LLVMInstructionEraseFromParent(call);
}

/* assert: the runtime prints block and thread, so the ids travel with the call. */
static void import_assert(Import *im, LLVMValueRef call) {
    static const Name ids[6] = {NAME_CTAID_X, NAME_CTAID_Y, NAME_CTAID_Z, NAME_TID_X, NAME_TID_Y, NAME_TID_Z};
    set_insert_point(im->b, call);
    LLVMValueRef args[10];
    for (unsigned i = 0; i < 4; i++) args[i] = LLVMGetOperand(call, i);
    for (unsigned i = 0; i < 6; i++) args[4 + i] = call_named(im, ids[i], NULL, 0);
    LLVMTypeRef types[10];
    for (unsigned i = 0; i < 10; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(im->m->ctx), types, 10, 0);
    LLVMValueRef f = LLVMGetNamedFunction(im->m->mod, "cucpu.assert");
    if (!f) f = LLVMAddFunction(im->m->mod, "cucpu.assert", t);
    LLVMBuildCall2(im->b, t, f, args, 10, "");
    LLVMInstructionEraseFromParent(call);
}

static void import_grid(Import *im, LLVMValueRef call, Name name) {
    set_insert_point(im->b, call);
    LLVMValueRef r = call_named(im, name, NULL, 0);
    if (name == NAME_COOPERATIVE) LLVMReplaceAllUsesWith(call, r);
    LLVMInstructionEraseFromParent(call);
}

static void import_instructions(Import *im, LLVMValueRef fn) {
    for_each_block(b, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsAInvokeInst(i) || LLVMIsAResumeInst(i)) diag_nyi(&im->m->diag, i, NYI_UNWIND, NULL);
            if (!LLVMIsACallInst(i)) continue;
            LLVMValueRef callee = LLVMGetCalledValue(i);
            if (LLVMIsAInlineAsm(callee)) {
                set_insert_point(im->b, i);
                const char *reason = inline_asm_translate(im->b, im->m->mod, i, im->m->opt->warp_size, &im->m->arena);
                if (!reason) {
                    LLVMInstructionEraseFromParent(i);
                    continue;
                }
                size_t len;
                const char *text = LLVMGetInlineAsmAsmString(callee, &len);
                diag_nyi_why(&im->m->diag, i, NYI_INLINE_ASM, arena_printf(&im->m->arena, "%.*s", (int)len, text),
                             reason);
                continue;
            }
            size_t len;
            const char *name = LLVMGetValueName2(callee, &len);
            if (!strcmp(name, "llvm.trap") || !strcmp(name, "llvm.debugtrap"))
                call_runtime_instead(im, i, "cucpu_trap", 0);
            else if (!strcmp(name, "vprintf")) call_runtime_instead(im, i, "cucpu_vprintf", 2);
            else if (!strcmp(name, "__cucpu_grid_sync")) import_grid(im, i, NAME_GRID_SYNC);
            else if (!strcmp(name, "__cucpu_cooperative")) import_grid(im, i, NAME_COOPERATIVE);
            else if (!strcmp(name, "__assertfail") || !strcmp(name, "__assert_fail")) import_assert(im, i);
        }
}

/* ---- globals ---- */

/* Every __device__ and __constant__ variable goes into !cucpu.vars = {ptr, flags}. */
static void note_variable(Import *im, LLVMValueRef g, unsigned flags) {
    LLVMMetadataRef pair[2] = {LLVMValueAsMetadata(g), LLVMValueAsMetadata(const32(im, flags))};
    LLVMAddNamedMetadataOperand(im->m->mod, MD_VARS,
                                LLVMMetadataAsValue(im->m->ctx, LLVMMDNodeInContext2(im->m->ctx, pair, 2)));
}

typedef Vec(LLVMValueRef) Variables;

/* The variables that the rows of a list begin with. */
static void add_rows(Import *im, const char *list, Variables *out) {
    unsigned n = LLVMGetNamedMetadataNumOperands(im->m->mod, list);
    LLVMValueRef *row = arena_array(&im->m->arena, LLVMValueRef, n + 1), v[2];
    LLVMGetNamedMetadataOperands(im->m->mod, list, row);
    for (unsigned i = 0; i < n; i++) {
        LLVMGetMDNodeOperands(row[i], v);
        if (v[0] && LLVMIsAGlobalVariable(v[0])) vec_push(&im->m->arena, out, LLVMConstPointerCast(v[0], im->ptr));
    }
}

/* What llvm-cov reads, and counters, which it finds from there. */
static void add_coverage(Import *im, Variables *out) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(im->m->mod); g; g = LLVMGetNextGlobal(g))
        if (is_coverage(g)) vec_push(&im->m->arena, out, g);
}

/* llvm.compiler.used has what only the host may reference: variables, as it copies by their symbols, the pointers of
** managed ones, which the runtime sets, and coverage data. From the rows, not from what this run saw: the second run
** meets the variables of the first. */
static void keep_alive(Import *im) {
    Variables used = {0};
    add_rows(im, MD_VARS, &used);
    add_rows(im, MD_MANAGED, &used);
    add_coverage(im, &used);
    if (!used.n) return;
    LLVMTypeRef t = LLVMArrayType2(im->ptr, (uint64_t)used.n);
    LLVMValueRef g = LLVMAddGlobal(im->m->mod, t, "llvm.compiler.used");
    LLVMSetInitializer(g, LLVMConstArray2(im->ptr, used.v, (uint64_t)used.n));
    LLVMSetLinkage(g, LLVMAppendingLinkage);
    LLVMSetSection(g, "llvm.metadata");
}

/* The host binds texture and surface references by name, also static ones, whose linkage clang does not change. With
** -rdc they have one name in all files: two definitions are then an error. */
void expose_references(LLVMModuleRef m) {
    unsigned n = LLVMGetNamedMetadataNumOperands(m, "nvvm.annotations"), len;
    LLVMValueRef *notes = calloc(n + 1, sizeof *notes), v[8];
    LLVMGetNamedMetadataOperands(m, "nvvm.annotations", notes);
    for (unsigned i = 0; i < n; i++) {
        if (LLVMGetMDNodeNumOperands(notes[i]) != 3) continue;
        LLVMGetMDNodeOperands(notes[i], v);
        const char *kind = v[1] && LLVMIsAMDString(v[1]) ? LLVMGetMDString(v[1], &len) : NULL;
        if (!kind || !v[0] || !LLVMIsAGlobalVariable(v[0]) || LLVMIsDeclaration(v[0])) continue;
        if (len != strlen("texture") || (memcmp(kind, "texture", len) && memcmp(kind, "surface", len))) continue;
        LLVMSetLinkage(v[0], LLVMExternalLinkage);
        LLVMSetExternallyInitialized(v[0], 1);
    }
    free(notes);
}

static void import_globals(Import *im) {
    expose_references(im->m->mod);
    for (LLVMValueRef g = LLVMGetFirstGlobal(im->m->mod); g; g = LLVMGetNextGlobal(g)) {
        const char *name = value_name(g);
        if (!strncmp(name, "llvm.", 5) || LLVMIsDeclaration(g)) continue;
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(g));
        if (space != 3 && LLVMIsExternallyInitialized(g)) {
            LLVMSetGlobalConstant(g, 0);
            note_variable(im, g, space == 4 ? 1 : 0);
        }
        LLVMSetExternallyInitialized(g, 0);
        LLVMSetLinkage(g, LLVMInternalLinkage);
        LLVMSetVisibility(g, LLVMDefaultVisibility);
        LLVMSetComdat(g, NULL);
    }
}

static void drop_global(Module *m, const char *name) {
    LLVMValueRef g = LLVMGetNamedGlobal(m->mod, name);
    if (g) LLVMDeleteGlobal(g);
}

/* malloc and free of the device heap: by names that LLVM does not know, as it would assume that there is always memory.
** Functions in virtual tables that are not defined end the kernel, not the program. */
static void import_heap(Import *im) {
    static const char *const names[][2] = {{"malloc", "cucpu_malloc"},
                                           {"free", "cucpu_free"},
                                           {"__cxa_pure_virtual", "cucpu_trap"},
                                           {"__cxa_deleted_virtual", "cucpu_trap"}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(im->m->mod, names[i][0]),
                     known = LLVMGetNamedFunction(im->m->mod, names[i][1]);
        if (!f || !LLVMIsDeclaration(f)) continue;
        if (known) {
            LLVMReplaceAllUsesWith(f, known);
            LLVMDeleteFunction(f);
        } else {
            LLVMSetValueName2(f, names[i][1], strlen(names[i][1]));
        }
    }
}

bool import_nvvm(Module *m) {
    if (m->opt->check) shim_name_subprograms(m->mod);
    trap_host_calls(m);
    return_unions(m);
    if (!check_source(m) || !import_variadics(m)) return false;
    Import im = {.m = m, .b = LLVMCreateBuilderInContext(m->ctx)};
    im.i1 = LLVMInt1TypeInContext(m->ctx);
    im.i32 = LLVMInt32TypeInContext(m->ctx);
    im.i64 = LLVMInt64TypeInContext(m->ctx);
    im.f32 = LLVMFloatTypeInContext(m->ctx);
    im.ptr = LLVMPointerTypeInContext(m->ctx, 0);
    char *triple = LLVMGetTargetMachineTriple(m->tm);
    LLVMSetTarget(m->mod, triple);
    LLVMDisposeMessage(triple);
    LLVMSetModuleDataLayout(m->mod, m->dl);
    drop_global(m, "llvm.used");
    drop_global(m, "llvm.compiler.used");
    import_globals(&im);
    import_managed(m);
    keep_alive(&im);
    import_heap(&im);
    for_each_function(f, m->mod) {
        import_function(&im, f);
        if (LLVMIsDeclaration(f)) continue;
        limit_fast_math(f);
        gpu_results(m, f);
        import_allocas(m, f);
        import_instructions(&im, f);
        end_in_ret(&im, f);
        single_accesses(m, f);
    }
    import_clusters(m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        const char *name = value_name(f);
        if (!strncmp(name, "llvm.nvvm.", 10)) import_calls(&im, f, name);
    }
    import_builtins(m); /* after import_function, which removes memory effects */
    LLVMDisposeBuilder(im.b);
    return !m->diag.errors && !m->diag.unsupported;
}
