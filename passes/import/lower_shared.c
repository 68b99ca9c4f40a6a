/* lower_shared: __shared__ variables become offsets into the block's shared-memory arena.
**
** Every addrspace(3) global that a kernel reaches (after inlining: that the kernel itself uses) gets an offset from
** cucpu.shared(); `extern __shared__` arrays all start at the end of the static part (CUDA: they alias), at a multiple
** of the largest alignment that one of them is declared with (at most 1024). A kernel has no memory for variables that
** it does not use. Functions that were not inlined (indirect calls, recursion) have one offset for a variable,
** whichever kernel they run in: their variables come first in every kernel's arena, and if they use dynamic shared
** memory or its start all arenas have one size. Writes cucpu.static_shared (bytes, a multiple of 16), also in place of
** cucpu.staticsize; more than CUDA's 48 KiB is an error, as no launch could succeed. Why not leave the globals: LLVM
** would conclude that a call with a known body, such as a barrier, cannot change an internal global. */
#include "passes/passes.h"
#include "passes/ir/shim.h"
#include "passes/ir/edit.h"
#include <stdlib.h>
#include <string.h>

typedef struct Placed {
    LLVMValueRef global;
    uint64_t offset;
} Placed;

typedef struct Arena3 {
    Vec(Placed) placed;
    uint64_t size;
} Arena3;

typedef struct Functions { /* what functions that were not inlined use */
    Arena3 arena;
    bool need_end;
} Functions;

enum { MAX_STATIC = 48 * 1024, MAX_NOTED = 64, MIN_ALIGN = 16, MAX_ALIGN = 1024 };

static bool is_shared_variable(LLVMValueRef v) {
    return LLVMIsAGlobalVariable(v) && LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3;
}

static bool is_dynamic_shared(LLVMValueRef g) {
    LLVMTypeRef t = LLVMGlobalGetValueType(g);
    return LLVMIsDeclaration(g) && LLVMGetTypeKind(t) == LLVMArrayTypeKind && LLVMGetArrayLength2(t) == 0;
}

/* All dynamic arrays of the module start at a multiple of it. */
static uint64_t align_of_dynamic(const Module *m) {
    uint64_t align = MIN_ALIGN;
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->mod); g; g = LLVMGetNextGlobal(g))
        if (is_shared_variable(g) && is_dynamic_shared(g) && LLVMGetAlignment(g) > align) align = LLVMGetAlignment(g);
    return align < MAX_ALIGN ? align : MAX_ALIGN;
}

static uint64_t end_of(const Module *m, const Arena3 *s, bool dynamic) {
    uint64_t align = dynamic ? align_of_dynamic(m) : MIN_ALIGN;
    return (s->size + align - 1) / align * align;
}

static uint64_t assign_offset(Module *m, Arena3 *s, LLVMValueRef g) {
    for (int i = 0; i < s->placed.n; i++)
        if (s->placed.v[i].global == g) return s->placed.v[i].offset;
    LLVMTypeRef t = LLVMGlobalGetValueType(g);
    uint64_t align = LLVMGetAlignment(g), natural = LLVMABIAlignmentOfType(m->dl, t);
    if (align < natural) align = natural;
    if (align < 16 && LLVMABISizeOfType(m->dl, t) >= 16) align = 16;
    if (align < 64 && LLVMABISizeOfType(m->dl, t) >= 64) align = 64; /* whole vectors of it */
    Placed p = {g, (s->size + align - 1) / align * align};
    s->size = p.offset + LLVMABISizeOfType(m->dl, t);
    vec_push(&m->arena, &s->placed, p);
    return p.offset;
}

/* True: it uses dynamic shared memory, or calls `size_query`. */
static bool collect_variables(Module *m, LLVMValueRef fn, LLVMValueRef size_query, Arena3 *s) {
    bool need_end = false;
    for_each_instruction(i, fn)
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
            need_end |= o == size_query && o;
            if (!is_shared_variable(o)) continue;
            if (is_dynamic_shared(o)) need_end = true;
            else assign_offset(m, s, o);
        }
    return need_end;
}

static bool uses_dynamic(LLVMValueRef fn) {
    for_each_instruction(i, fn)
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
            if (is_shared_variable(o) && is_dynamic_shared(o)) return true;
        }
    return false;
}

static LLVMValueRef size_query(const Module *m) { return LLVMGetNamedFunction(m->mod, "cucpu.staticsize"); }

static Functions collect_functions(Module *m) {
    Functions all = {0};
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f) && !is_kernel(f)) all.need_end |= collect_variables(m, f, size_query(m), &all.arena);
    return all;
}

/* The offsets of the functions' variables, then those that the kernel uses itself. */
static Arena3 arena_of(Module *m, LLVMValueRef kernel, const Functions *all) {
    Arena3 s = {.size = all->arena.size};
    for (int k = 0; k < all->arena.placed.n; k++) vec_push(&m->arena, &s.placed, all->arena.placed.v[k]);
    collect_variables(m, kernel, NULL, &s);
    return s;
}

static uint64_t max_size(Module *m, const Functions *all) {
    uint64_t max = 0;
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f) || !is_kernel(f)) continue;
        Arena3 s = arena_of(m, f, all);
        if (s.size > max) max = s.size;
    }
    return max;
}

/* For transpose_shared. */
static void note_arrays(Module *m, LLVMValueRef fn, const Arena3 *s) {
    const char *text = "";
    for (int k = 0; k < s->placed.n && k < MAX_NOTED; k++) {
        unsigned long long bytes = LLVMABISizeOfType(m->dl, LLVMGlobalGetValueType(s->placed.v[k].global));
        text = arena_printf(&m->arena, "%s%s%llu,%llu", text, k ? ";" : "", (unsigned long long)s->placed.v[k].offset,
                            bytes);
    }
    if (*text && s->placed.n <= MAX_NOTED) fn_set_attr(fn, ATTR_ARRAYS, text);
}

/* The runtime knows which block this worker runs. */
static LLVMValueRef base_of_functions(Module *m, LLVMBuilderRef b) {
    static const char *const attributes[] = {"memory", "nounwind", "willreturn"};
    LLVMValueRef call = build_named_call(b, "cucpu_shared", LLVMPointerTypeInContext(m->ctx, 0), NULL, 0);
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[k], strlen(attributes[k]));
        LLVMAddAttributeAtIndex(LLVMGetCalledValue(call), LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(m->ctx, kind, 0));
    }
    return call;
}

/* Of a variable that functions use, too: in kernels it is no cucpu.shared(), of which passes know every access. */
static bool is_of_functions(const Functions *all, LLVMValueRef g) {
    if (is_dynamic_shared(g)) return all->need_end;
    for (int k = 0; k < all->arena.placed.n; k++)
        if (all->arena.placed.v[k].global == g) return true;
    return false;
}

static void use_offsets(Module *m, LLVMValueRef fn, const Functions *all, Arena3 *s, LLVMBuilderRef b) {
    uint64_t end = end_of(m, s, all->need_end || uses_dynamic(fn));
    PtrMap address; /* global -> pointer, all built once at the start of the function */
    map_init(&address, &m->arena);
    LLVMValueRef bases[2] = {NULL, NULL}, first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
    while (LLVMIsAAllocaInst(first)) first = LLVMGetNextInstruction(first);
    for_each_instruction(i, fn)
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
            if (!is_shared_variable(o)) continue;
            LLVMValueRef p = map_ptr(&address, o);
            if (!p) {
                LLVMPositionBuilderBefore(b, first);
                LLVMSetCurrentDebugLocation2(b, NULL);
                LLVMValueRef *base = &bases[is_of_functions(all, o)];
                if (!*base)
                    *base =
                        base == bases ? name_call(b, m->mod, NAME_SHARED, NULL, 0, "shared") : base_of_functions(m, b);
                uint64_t offset = is_dynamic_shared(o) ? end : assign_offset(m, s, o);
                LLVMValueRef off = LLVMConstInt(LLVMInt64TypeInContext(m->ctx), offset, 0);
                p = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(m->ctx), *base, &off, 1, value_name(o));
                p = LLVMBuildAddrSpaceCast(b, p, LLVMTypeOf(o), "");
                map_put(&address, o, (uintptr_t)p);
            }
            LLVMSetOperand(i, (unsigned)k, p);
        }
    note_arrays(m, fn, s);
    fn_set_attr(fn, ATTR_SHARED, arena_printf(&m->arena, "%llu", (unsigned long long)end));
}

static void replace_size(Module *m, uint64_t of_functions) {
    LLVMValueRef f = size_query(m);
    for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL, next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef call = LLVMGetUser(u), fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        uint64_t bytes = is_kernel(fn) ? (uint64_t)fn_attr_int(fn, ATTR_SHARED, 0) : of_functions;
        replace_instruction(call, LLVMConstInt(LLVMTypeOf(call), bytes, 0));
    }
}

/* What import_nvvm has made of shared addresses that are integers. */
static void replace_bases(Module *m, LLVMBuilderRef b) {
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, "cucpu.shared");
    for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL, next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef call = LLVMGetUser(u);
        if (is_kernel(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)))) continue;
        set_insert_point(b, call);
        replace_instruction(call, base_of_functions(m, b));
    }
}

static void check_size(Module *m, LLVMValueRef kernel, uint64_t bytes) {
    if (bytes <= MAX_STATIC) return;
    char *name = shim_demangle(value_name(kernel));
    diag_error(&m->diag, kernel, "'%s' uses too much __shared__ memory: %llu bytes, at most %d", name,
               (unsigned long long)bytes, MAX_STATIC);
    free(name);
}

bool lower_shared(Module *m) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    Vec(LLVMValueRef) gone = {0};
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->mod); g; g = LLVMGetNextGlobal(g))
        if (is_shared_variable(g)) {
            shim_expand_constant_uses(g);
            vec_push(&m->arena, &gone, g);
        }
    Functions all = collect_functions(m);
    Arena3 largest = {.size = all.need_end ? max_size(m, &all) : 0};
    uint64_t end = all.need_end ? end_of(m, &largest, true) : 0;
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f)) continue;
        Arena3 s = is_kernel(f) ? arena_of(m, f, &all) : all.arena;
        if (s.size < end) s.size = end;
        use_offsets(m, f, &all, &s, b);
        if (is_kernel(f)) check_size(m, f, s.size);
    }
    replace_size(m, end);
    replace_bases(m, b);
    for (int i = 0; i < gone.n; i++)
        if (!LLVMGetFirstUse(gone.v[i])) LLVMDeleteGlobal(gone.v[i]);
    LLVMDisposeBuilder(b);
    return !m->diag.errors;
}
