/* instrument_accesses: --check: before each access to global, shared or local memory, and after each barrier, the
** kernel calls a function of the runtime (cucpu_check_* of abi.h) with the site, the address and the thread.
**
** in:  kernels with all that synchronises inlined; __shared__ variables are still variables of address space 3
** out: calls, of which widen makes tests (widen_check.c); a table of sites and of the module's variables, which
**      kernel_table puts into CucpuModule.check
** With --check=sync alone, accesses are not instrumented.
** Not instrumented: accesses to local variables and constants that are within them as far as the compiler sees, to
** parameters and to memory that the runtime gives its own code.  Locals are first promoted to registers.  That would
** delete accesses beyond a local array at a constant offset: inline_device has their pointers hidden before
** (hide_beyond_locals). */
#include "passes/ir/abi_fields.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

#define BLOCK_SCOPE "cucpu.block_scope" /* metadata of an atomic */
#define HIDE "cucpu_check_hide"         /* ptr(ptr): the pointer itself */
enum { MAX_FRAMES = 8, OFFSET_STEP = 0x10 };
/* memory(read, inaccessiblemem: readwrite), as LLVM encodes it: two bits for each kind of memory */
enum { READS_MEMORY = 0x55 | 3 << 2 };

typedef struct Instrument {
    Module *m;
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64, ptr;
    LLVMValueRef sites;          /* the table, by its final name */
    Vec(LLVMValueRef) confirmed; /* loads of the function: find_confirmed */
    Vec(LLVMValueRef) rows;      /* of it */
    LLVMValueRef fn, thread;     /* the function, and its thread's ids; NULL: not computed yet */
    uint32_t offset;
} Instrument;

/* An access of an instruction; it may have two. */
typedef struct Access {
    LLVMValueRef pointer, bytes; /* bytes: NULL = a constant number of them, `size` */
    uint64_t size;
    unsigned align, flags;
} Access;

static LLVMValueRef c32(Instrument *x, uint64_t v) { return LLVMConstInt(x->i32, v, 0); }
static LLVMValueRef c64(Instrument *x, uint64_t v) { return LLVMConstInt(x->i64, v, 0); }

/* ---- the table ---- */

static LLVMValueRef text(Instrument *x, const char *s) {
    if (!s) return LLVMConstNull(x->ptr);
    return internal_global(x->m->mod, LLVMConstStringInContext2(x->m->ctx, s, strlen(s), 0), "cucpu.text", true);
}

/* "f(int*)" as "f(int *)", as NVIDIA's tools print names. */
static const char *readable(Instrument *x, const char *symbol) {
    if (!symbol) return NULL;
    char *name = shim_demangle(symbol), *out = arena_alloc(&x->m->arena, 2 * strlen(name) + 1), *to = out;
    for (const char *s = name; *s; s++) {
        if ((*s == '*' || *s == '&') && s > name && !strchr(" *&(", s[-1])) *to++ = ' ';
        *to++ = *s;
    }
    free(name);
    return out;
}

static LLVMValueRef frames_of(Instrument *x, LLVMValueRef inst, unsigned *n) {
    LLVMValueRef rows[MAX_FRAMES];
    const char *symbol, *file;
    unsigned line;
    for (*n = 0; *n < MAX_FRAMES && shim_source_frame(inst, *n, &symbol, &file, &line); ++*n) {
        LLVMValueRef v[CucpuFrame_FIELDS] = {
            [CucpuFrame_function] = text(x, readable(x, symbol)),
            [CucpuFrame_file] = text(x, file),
            [CucpuFrame_line] = c32(x, line),
            [CucpuFrame_reserved] = c32(x, 0),
        };
        rows[*n] = abi_constant(x->m->dl, ABI_CucpuFrame, v);
    }
    return *n ? internal_global(x->m->mod, LLVMConstArray2(LLVMTypeOf(rows[0]), rows, *n), "cucpu.frames", true)
              : LLVMConstNull(x->ptr);
}

/* The address of a new row for the instruction. */
static LLVMValueRef new_site(Instrument *x, LLVMValueRef inst, uint64_t size, unsigned align, unsigned flags) {
    unsigned n;
    LLVMValueRef frames = frames_of(x, inst, &n);
    LLVMValueRef v[CucpuSite_FIELDS] = {
        [CucpuSite_frames] = frames,
        [CucpuSite_nframes] = c32(x, n),
        [CucpuSite_size] = c32(x, size),
        [CucpuSite_align] = c32(x, align),
        [CucpuSite_flags] = c32(x, flags),
        [CucpuSite_number] = c32(x, 0),
        [CucpuSite_offset] = c32(x, x->offset += OFFSET_STEP),
    };
    LLVMValueRef row = abi_constant(x->m->dl, ABI_CucpuSite, v), at = c64(x, (uint64_t)x->rows.n);
    vec_push(&x->m->arena, &x->rows, row);
    return LLVMConstGEP2(LLVMTypeOf(row), x->sites, &at, 1);
}

/* Variables whose addresses kernels may have: what a pointer leads to is looked up among them. */
static LLVMValueRef objects_of(Instrument *x, unsigned *n) {
    Vec(LLVMValueRef) rows = {0};
    for (LLVMValueRef g = LLVMGetFirstGlobal(x->m->mod); g; g = LLVMGetNextGlobal(g)) {
        if (LLVMIsDeclaration(g) || LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3 || LLVMIsThreadLocal(g) ||
            !strncmp(value_name(g), "llvm.", 5) || !strncmp(value_name(g), "cucpu.", 6))
            continue;
        LLVMValueRef v[CucpuObject_FIELDS] = {
            [CucpuObject_address] = LLVMConstPointerCast(g, x->ptr),
            [CucpuObject_size] = c64(x, LLVMABISizeOfType(x->m->dl, LLVMGlobalGetValueType(g))),
        };
        vec_push(&x->m->arena, &rows, abi_constant(x->m->dl, ABI_CucpuObject, v));
    }
    *n = (unsigned)rows.n;
    if (!rows.n) return LLVMConstNull(x->ptr);
    return internal_global(x->m->mod, LLVMConstArray2(LLVMTypeOf(rows.v[0]), rows.v, *n), "cucpu.objects", true);
}

static unsigned kinds(const char *list) {
    return (in_list(list, "memory") ? CUCPU_CHECK_MEMORY : 0) | (in_list(list, "race") ? CUCPU_CHECK_RACE : 0) |
           (in_list(list, "init") ? CUCPU_CHECK_INIT : 0) | (in_list(list, "sync") ? CUCPU_CHECK_SYNC : 0);
}

static void add_table(Instrument *x) {
    unsigned nobjects;
    LLVMValueRef objects = objects_of(x, &nobjects), sites = LLVMConstNull(x->ptr);
    if (x->rows.n) {
        sites = internal_global(x->m->mod, LLVMConstArray2(LLVMTypeOf(x->rows.v[0]), x->rows.v, (uint64_t)x->rows.n),
                                "cucpu.sites", false);
        LLVMReplaceAllUsesWith(x->sites, sites);
    }
    LLVMDeleteGlobal(x->sites);
    LLVMValueRef v[CucpuCheck_FIELDS] = {
        [CucpuCheck_sites] = sites,
        [CucpuCheck_objects] = objects,
        [CucpuCheck_nsites] = c32(x, (uint64_t)x->rows.n),
        [CucpuCheck_nobjects] = c32(x, nobjects),
        [CucpuCheck_kinds] = c32(x, kinds(x->m->opt->check)),
        [CucpuCheck_reserved] = c32(x, 0),
    };
    LLVMValueRef table = internal_global(x->m->mod, abi_constant(x->m->dl, ABI_CucpuCheck, v), CHECK_TABLE, true);
    shim_keep(table);
}

/* ---- calls ---- */

/* threadIdx as one word, computed once at the start of a kernel. */
static LLVMValueRef thread_of(Instrument *x) {
    if (x->thread) return x->thread;
    if (!is_kernel(x->fn)) return x->thread = c32(x, CUCPU_NO_THREAD);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(x->m->ctx);
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(x->fn));
    while (LLVMIsAAllocaInst(first)) first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(b, first);
    LLVMValueRef id[3];
    for (unsigned d = 0; d < 3; d++) {
        LLVMValueRef v = name_call(b, x->m->mod, (Name)(NAME_TID_X + d), NULL, 0, "");
        id[d] = d ? LLVMBuildShl(b, v, c32(x, 10 * d), "") : v;
    }
    x->thread = LLVMBuildAdd(b, LLVMBuildAdd(b, id[0], id[1], ""), id[2], "check.thread");
    LLVMDisposeBuilder(b);
    return x->thread;
}

/* Where the builder is. */
static void call_check(Instrument *x, const char *name, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef types[8];
    for (unsigned i = 0; i < n; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(x->m->ctx), types, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(x->m->mod, name);
    if (!f) {
        f = LLVMAddFunction(x->m->mod, name, t);
        unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
        LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
        LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(x->m->ctx, kind, 0));
        /* It may not return, so accesses stay after it, but it changes no memory of the kernel. */
        kind = LLVMGetEnumAttributeKindForName("memory", 6);
        LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(x->m->ctx, kind, READS_MEMORY));
    }
    LLVMBuildCall2(x->b, t, f, args, n, "");
}

static LLVMValueRef generic(Instrument *x, LLVMValueRef p) {
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(p)) == 0) return p;
    return LLVMIsConstant(p) ? LLVMConstAddrSpaceCast(p, x->ptr) : LLVMBuildAddrSpaceCast(x->b, p, x->ptr, "");
}

/* ---- what a pointer points into ---- */

static bool is_local(LLVMValueRef v) { return LLVMIsAAllocaInst(v) != NULL; }
static bool is_shared(LLVMValueRef v) {
    return LLVMIsAGlobalVariable(v) && LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3;
}

static bool is_byval(LLVMValueRef v) {
    if (!LLVMIsAArgument(v)) return false;
    LLVMValueRef fn = LLVMGetParamParent(v);
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5), n = LLVMCountParams(fn);
    for (unsigned i = 0; i < n; i++)
        if (LLVMGetParam(fn, i) == v) return LLVMGetEnumAttributeAtIndex(fn, i + 1, kind) != NULL;
    return false;
}

/* Memory that the runtime has given this code for a purpose of its own. */
static bool is_of_runtime(LLVMValueRef v) {
    static const char *const heap[] = {"cucpu_malloc", "cucpu_malloc_aligned", "cucpu_local_malloc"};
    const char *name = called_name(v);
    for (size_t i = 0; i < sizeof heap / sizeof *heap; i++)
        if (!strcmp(name, heap[i])) return false;
    return !strncmp(name, "cucpu", 5);
}

/* A constant number of bytes or elements. */
static bool constant_count(LLVMValueRef v, int64_t *n) {
    if (!LLVMIsAConstantInt(v)) return false;
    *n = LLVMConstIntGetSExtValue(v);
    return true;
}

/* Bytes of the variable; 0 = not known when compiled. */
static uint64_t size_of(Instrument *x, LLVMValueRef object) {
    if (is_local(object)) {
        int64_t n = 0;
        if (!constant_count(LLVMGetOperand(object, 0), &n)) return 0;
        return LLVMABISizeOfType(x->m->dl, LLVMGetAllocatedType(object)) * (uint64_t)n;
    }
    if (!LLVMIsAGlobalVariable(object) || LLVMIsDeclaration(object)) return 0;
    return LLVMABISizeOfType(x->m->dl, LLVMGlobalGetValueType(object));
}

/* `extern __shared__`: an array without a size. */
static bool is_dynamic(LLVMValueRef object) { return is_shared(object) && LLVMIsDeclaration(object); }

static bool is_within(const Access *a, int64_t offset, uint64_t size) {
    return !a->bytes && offset >= 0 && a->size <= size && (uint64_t)offset <= size - a->size;
}

/* ---- accesses ---- */

static unsigned order_flags(LLVMAtomicOrdering o) {
    bool acquires = o == LLVMAtomicOrderingAcquire || o == LLVMAtomicOrderingAcquireRelease ||
                    o == LLVMAtomicOrderingSequentiallyConsistent;
    bool releases = o == LLVMAtomicOrderingRelease || o == LLVMAtomicOrderingAcquireRelease ||
                    o == LLVMAtomicOrderingSequentiallyConsistent;
    return (acquires ? CUCPU_SITE_ACQUIRE : 0u) | (releases ? CUCPU_SITE_RELEASE : 0u);
}

/* Fences of the block are for the compiler alone; atomics have their scope from mark_scopes. */
static unsigned scope_flags(LLVMValueRef i) {
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetValueContext(i), BLOCK_SCOPE, sizeof BLOCK_SCOPE - 1);
    return LLVMIsAtomicSingleThread(i) || LLVMGetMetadata(i, kind) ? CUCPU_SITE_BLOCK : 0;
}

static void plain_or_atomic(LLVMValueRef i, Access *a) {
    a->align = LLVMGetAlignment(i);
    if (LLVMGetVolatile(i)) a->flags |= CUCPU_SITE_VOLATILE;
    LLVMAtomicOrdering o = LLVMGetOrdering(i);
    if (o == LLVMAtomicOrderingNotAtomic || o == LLVMAtomicOrderingUnordered) return;
    a->flags |= CUCPU_SITE_ATOMIC | order_flags(o) | scope_flags(i);
}

/* Of atomicrmw and cmpxchg. */
static Access update_of(Instrument *x, LLVMValueRef i, LLVMValueRef value, LLVMAtomicOrdering o) {
    uint64_t size = LLVMABISizeOfType(x->m->dl, LLVMTypeOf(value));
    unsigned flags = CUCPU_SITE_READ | CUCPU_SITE_WRITE | CUCPU_SITE_ATOMIC | order_flags(o) | scope_flags(i);
    return (Access){LLVMGetOperand(i, 0), NULL, size, (unsigned)size, flags};
}

static int copies_of(LLVMValueRef i, Access a[2]) {
    bool set = is_intrinsic(i, "llvm.memset"), copy = is_intrinsic(i, "llvm.memcpy") || is_intrinsic(i, "llvm.memmove");
    if (!set && !copy) return 0;
    LLVMValueRef bytes = LLVMGetOperand(i, 2);
    int64_t n = 0;
    bool constant = constant_count(bytes, &n);
    a[0] = (Access){LLVMGetOperand(i, 0), constant ? NULL : bytes, (uint64_t)n, 1, CUCPU_SITE_WRITE};
    if (copy) a[1] = (Access){LLVMGetOperand(i, 1), constant ? NULL : bytes, (uint64_t)n, 1, CUCPU_SITE_READ};
    return copy ? 2 : 1;
}

/* The accesses of an instruction: how many. */
static int accesses_of(Instrument *x, LLVMValueRef i, Access a[2]) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        a[0] = (Access){LLVMGetOperand(i, 0), NULL, LLVMStoreSizeOfType(x->m->dl, LLVMTypeOf(i)), 1, CUCPU_SITE_READ};
        plain_or_atomic(i, a);
        return 1;
    case LLVMStore:
        a[0] = (Access){LLVMGetOperand(i, 1), NULL, LLVMStoreSizeOfType(x->m->dl, LLVMTypeOf(LLVMGetOperand(i, 0))), 1,
                        CUCPU_SITE_WRITE};
        plain_or_atomic(i, a);
        return 1;
    case LLVMAtomicRMW: a[0] = update_of(x, i, LLVMGetOperand(i, 1), LLVMGetOrdering(i)); return 1;
    case LLVMAtomicCmpXchg:
        a[0] = update_of(x, i, LLVMGetOperand(i, 1), LLVMGetCmpXchgSuccessOrdering(i));
        a[0].flags |= CUCPU_SITE_COMPARE;
        return 1;
    case LLVMCall:
        if (!strcmp(called_name(i), "cucpu_atomic_exchange128") || !strcmp(called_name(i), "cucpu_atomic_cas128")) {
            bool cas = !strcmp(called_name(i), "cucpu_atomic_cas128");
            unsigned flags = CUCPU_SITE_READ | CUCPU_SITE_WRITE | CUCPU_SITE_ATOMIC | (cas ? CUCPU_SITE_COMPARE : 0);
            a[0] = (Access){LLVMGetOperand(i, 0), NULL, 16, 16, flags};
            return 1;
        }
        return copies_of(i, a);
    default: return 0;
    }
}

/* Whether the call that is told of the access is needed. */
static bool is_told(Instrument *x, const Access *a, LLVMValueRef object, int64_t offset, bool exact) {
    uint64_t size = size_of(x, object);
    if (!a->bytes && !a->size) return false;
    if (is_byval(object) || is_of_runtime(object)) return false;
    if (!strncmp(value_name(object), "cucpu.", 6) && LLVMIsAGlobalVariable(object)) return false;
    bool only_bounds = is_local(object) || (LLVMIsAGlobalVariable(object) && LLVMIsGlobalConstant(object));
    return !only_bounds || !size || !exact || !is_within(a, offset, size);
}

/* The offset of p from the local variable, without the address of that, which would keep it in one piece; NULL: p is
** not computed by GEPs alone. */
static LLVMValueRef offset_within(Instrument *x, LLVMValueRef p, LLVMValueRef object) {
    if (p == object) return c64(x, 0);
    if (!LLVMIsAGetElementPtrInst(p)) return NULL;
    LLVMValueRef sum = offset_within(x, LLVMGetOperand(p, 0), object);
    LLVMTypeRef t = LLVMGetGEPSourceElementType(p);
    for (unsigned k = 1; sum && k < (unsigned)LLVMGetNumOperands(p); k++) {
        LLVMValueRef index = LLVMGetOperand(p, k);
        if (k > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned f = (unsigned)LLVMConstIntGetZExtValue(index);
            sum = LLVMBuildAdd(x->b, sum, c64(x, LLVMOffsetOfElement(x->m->dl, t, f)), "");
            t = LLVMStructGetTypeAtIndex(t, f);
            continue;
        }
        if (k > 1) t = LLVMGetElementType(t);
        index = LLVMBuildIntCast2(x->b, index, x->i64, 1, "");
        sum = LLVMBuildAdd(x->b, sum, LLVMBuildMul(x->b, index, c64(x, LLVMABISizeOfType(x->m->dl, t)), ""), "");
    }
    return sum;
}

static void instrument_access(Instrument *x, LLVMValueRef i, const Access *a) {
    int64_t offset;
    bool exact;
    bool hidden = !strcmp(called_name(a->pointer), HIDE);
    LLVMValueRef pointer = hidden ? LLVMGetOperand(a->pointer, 0) : a->pointer;
    LLVMValueRef object = shim_object_of(x->m->dl, pointer, &offset, &exact);
    if (!is_told(x, a, object, offset, exact)) return;
    set_insert_point(x->b, i);
    unsigned flags = a->flags | (is_local(object) ? CUCPU_SITE_LOCAL : 0) | (is_shared(object) ? CUCPU_SITE_SHARED : 0);
    uint64_t size = size_of(x, object);
    LLVMValueRef site = new_site(x, i, a->size, a->align, flags), p = generic(x, a->pointer), thread = thread_of(x);
    LLVMValueRef bytes = a->bytes ? LLVMBuildZExtOrBitCast(x->b, a->bytes, x->i64, "") : c64(x, a->size);
    LLVMValueRef all = c64(x, size), base = LLVMConstNull(x->ptr), within = NULL;
    if (size && is_local(object) && pointer == a->pointer) within = offset_within(x, a->pointer, object);
    if (within) {
        base = LLVMConstIntToPtr(c64(x, CUCPU_LOCAL_BASE), x->ptr);
        within = LLVMBuildAdd(x->b, within, c64(x, CUCPU_LOCAL_BASE), "");
        p = LLVMBuildIntToPtr(x->b, within, x->ptr, "");
    } else if (size || is_dynamic(object)) {
        base = generic(x, object);
    }
    if (is_dynamic(object))
        all = LLVMBuildZExt(x->b, name_call(x->b, x->m->mod, NAME_DYN_SIZE, NULL, 0, ""), x->i64, "");
    LLVMValueRef args[8] = {site, p, thread, bytes, base, all, c32(x, a->align), c32(x, flags)};
    call_check(x, CHECK_ACCESS, args, 8);
}

/* ---- other operations ---- */

static void after(Instrument *x, LLVMValueRef i) { set_insert_point(x->b, LLVMGetNextInstruction(i)); }

static void call_with_site(Instrument *x, LLVMValueRef i, const char *name, unsigned flags, LLVMValueRef more) {
    LLVMValueRef args[3] = {new_site(x, i, 0, 1, flags), thread_of(x), more};
    call_check(x, name, args, more ? 3 : 2);
}

static void instrument_heap(Instrument *x, LLVMValueRef i, const char *name) {
    bool aligned = !strcmp(name, "cucpu_malloc_aligned");
    if (aligned || !strcmp(name, "cucpu_malloc") || !strcmp(name, "cucpu_local_malloc")) {
        after(x, i);
        LLVMValueRef bytes = LLVMGetOperand(i, 0);
        bool local = !strcmp(name, "cucpu_local_malloc");
        LLVMValueRef args[4] = {new_site(x, i, 0, 1, local ? CUCPU_SITE_LOCAL : 0), i, thread_of(x), bytes};
        call_check(x, "cucpu_check_malloc", args, 4);
    }
    if (!strcmp(name, "cucpu_free") || !strcmp(name, "cucpu_local_free")) {
        set_insert_point(x->b, i);
        LLVMValueRef args[3] = {new_site(x, i, 0, 1, 0), LLVMGetOperand(i, 0), thread_of(x)};
        call_check(x, "cucpu_check_free", args, 3);
    }
}

static bool is_kept(LLVMValueRef i) {
    LLVMValueRef f = LLVMGetCalledValue(i);
    return !LLVMIsAInlineAsm(f) && (!LLVMIsAFunction(f) || !LLVMIsDeclaration(f));
}

static unsigned barrier_flags(Name n) {
    return (n == NAME_BARRIER_N ? CUCPU_SITE_PART : 0u) | (name_leaves_block(n) ? CUCPU_SITE_GRID : 0u);
}

static void instrument_call(Instrument *x, LLVMValueRef i) {
    Name n = name_of_call(i);
    if (n != NAME_NONE && (name_is_barrier(n) || name_leaves_block(n))) {
        after(x, i);
        call_with_site(x, i, "cucpu_check_barrier", barrier_flags(n), NULL);
    } else if (n == NAME_SYNCWARP || (n != NAME_NONE && name_is_warp_op(n) && n != NAME_ACTIVEMASK)) {
        after(x, i);
        call_with_site(x, i, "cucpu_check_warp", 0, LLVMGetOperand(i, 0));
    } else if (n == NAME_NONE && is_kept(i) && is_kernel(x->fn)) {
        set_insert_point(x->b, i);
        LLVMValueRef thread = thread_of(x);
        call_check(x, CHECK_THREAD, &thread, 1);
    } else if (n == NAME_NONE) {
        instrument_heap(x, i, called_name(i));
    }
}

static bool is_confirmed(const Instrument *x, LLVMValueRef load);

static void instrument(Instrument *x, LLVMValueRef i) {
    Access a[2];
    int n = kinds(x->m->opt->check) & ~CUCPU_CHECK_SYNC ? accesses_of(x, i, a) : 0;
    if (n && LLVMIsALoadInst(i) && is_confirmed(x, i)) a[0].flags |= CUCPU_SITE_VOLATILE;
    for (int k = 0; k < n; k++) instrument_access(x, i, &a[k]);
    if (n) return;
    if (LLVMIsAFenceInst(i)) {
        after(x, i);
        call_with_site(x, i, "cucpu_check_fence", scope_flags(i), NULL);
    } else if (LLVMIsACallInst(i)) {
        instrument_call(x, i);
    }
}

/* ---- functions ---- */

/* ---- loads that a compare-and-swap confirms ---- */

/* The usual loop reads the old value plainly: if another thread changes it meanwhile the swap fails.  Such loads count
** as volatile. */
static void confirm_loads(Instrument *x, LLVMValueRef v, LLVMValueRef object, int depth) {
    if (!LLVMIsAInstruction(v) || depth > MAX_FRAMES) return;
    int64_t offset;
    bool exact;
    if (LLVMIsALoadInst(v)) {
        if (shim_object_of(x->m->dl, LLVMGetOperand(v, 0), &offset, &exact) == object)
            vec_push(&x->m->arena, &x->confirmed, v);
    } else if (LLVMIsAPHINode(v)) {
        for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
            confirm_loads(x, LLVMGetIncomingValue(v, k), object, depth + 1);
    } else if (is_op(v, OP_INT_CAST | OP_PTR_CAST | OP_VECTOR | OP_FREEZE)) {
        for (unsigned k = 0; k < value_operands(v); k++) confirm_loads(x, LLVMGetOperand(v, k), object, depth + 1);
    }
}

/* A compare-and-swap of 16 bytes has what it compares with in memory, in parts. */
static void confirm_stored(Instrument *x, LLVMValueRef call) {
    int64_t offset;
    bool exact;
    LLVMValueRef object = shim_object_of(x->m->dl, LLVMGetOperand(call, 0), &offset, &exact),
                 compare = shim_object_of(x->m->dl, LLVMGetOperand(call, 1), &offset, &exact);
    for_each_instruction(i, x->fn)
        if (LLVMIsAStoreInst(i) && shim_object_of(x->m->dl, LLVMGetOperand(i, 1), &offset, &exact) == compare)
            confirm_loads(x, LLVMGetOperand(i, 0), object, 0);
}

static void find_confirmed(Instrument *x, LLVMValueRef fn) {
    int64_t offset;
    bool exact;
    x->confirmed.n = 0;
    for_each_instruction(i, fn)
        if (!strcmp(called_name(i), "cucpu_atomic_cas128")) confirm_stored(x, i);
    for_each_instruction(i, fn)
        if (LLVMIsAAtomicCmpXchgInst(i))
            confirm_loads(x, LLVMGetOperand(i, 1), shim_object_of(x->m->dl, LLVMGetOperand(i, 0), &offset, &exact), 0);
}

static bool is_confirmed(const Instrument *x, LLVMValueRef load) {
    for (int k = 0; k < x->confirmed.n; k++)
        if (x->confirmed.v[k] == load) return true;
    return false;
}

static bool has_shared(const Module *m) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->mod); g; g = LLVMGetNextGlobal(g))
        if (is_shared(g)) return true;
    return false;
}

/* Before all else: shared memory is filled then, where reads of what nobody has written are looked for. */
static void instrument_entry(Instrument *x, LLVMValueRef fn) {
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
    while (LLVMIsAAllocaInst(first)) first = LLVMGetNextInstruction(first);
    set_insert_point(x->b, first);
    call_check(x, CHECK_BLOCK, NULL, 0);
}

static void instrument_function(Instrument *x, LLVMValueRef fn) {
    Vec(LLVMValueRef) all = {0};
    x->fn = fn;
    x->thread = NULL;
    run_llvm_passes_on(x->m, fn, "sroa,early-cse");
    find_confirmed(x, fn);
    for_each_instruction(i, fn) vec_push(&x->m->arena, &all, i);
    for (int k = 0; k < all.n; k++) instrument(x, all.v[k]);
    if (is_kernel(fn) && has_shared(x->m)) instrument_entry(x, fn);
}

/* ---- accesses beyond local arrays ---- */

static bool is_beyond_local(Instrument *x, const Access *a) {
    int64_t offset;
    bool exact;
    LLVMValueRef object = shim_object_of(x->m->dl, a->pointer, &offset, &exact);
    if (!is_local(object) || !exact || a->bytes || !a->size) return false;
    uint64_t size = size_of(x, object);
    return size && !is_within(a, offset, size);
}

static void hide(Instrument *x, LLVMValueRef i, LLVMValueRef p) {
    LLVMTypeRef type = LLVMTypeOf(p), t = LLVMFunctionType(type, &type, 1, 0);
    LLVMValueRef f = LLVMGetNamedFunction(x->m->mod, HIDE);
    if (!f) f = LLVMAddFunction(x->m->mod, HIDE, t);
    set_insert_point(x->b, i);
    LLVMValueRef hidden = LLVMBuildCall2(x->b, t, f, &p, 1, "");
    for (unsigned k = 0; k < value_operands(i); k++)
        if (LLVMGetOperand(i, k) == p) LLVMSetOperand(i, k, hidden);
}

static void show_hidden(Module *m) {
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, HIDE);
    for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetFirstUse(f)) {
        LLVMValueRef call = LLVMGetUser(u);
        replace_instruction(call, LLVMGetOperand(call, 0));
    }
    if (f) LLVMDeleteFunction(f);
}

static void start(Instrument *x, Module *m) {
    *x = (Instrument){.m = m,
                      .b = LLVMCreateBuilderInContext(m->ctx),
                      .i32 = LLVMInt32TypeInContext(m->ctx),
                      .i64 = LLVMInt64TypeInContext(m->ctx),
                      .ptr = LLVMPointerTypeInContext(m->ctx, 0)};
}

/* What the headers' atomic*_block functions consist of. */
static void mark_scopes(Module *m, LLVMValueRef fn) {
    const char *symbol = value_name(fn);
    if (!strstr(symbol, "atomic") || !strstr(symbol, "_block")) return;
    unsigned kind = LLVMGetMDKindIDInContext(m->ctx, BLOCK_SCOPE, sizeof BLOCK_SCOPE - 1);
    for_each_instruction(i, fn)
        if (is_op(i, OP_ATOMIC))
            LLVMSetMetadata(i, kind, LLVMMetadataAsValue(m->ctx, LLVMMDNodeInContext2(m->ctx, NULL, 0)));
}

void hide_beyond_locals(Module *m) {
    Instrument x;
    if (!m->opt->check) return;
    start(&x, m);
    for_each_function(f, m->mod) mark_scopes(m, f);
    for_each_function(f, m->mod)
        for_each_instruction(i, f) {
            Access a[2];
            int n = accesses_of(&x, i, a);
            for (int k = 0; k < n; k++)
                if (is_beyond_local(&x, &a[k])) hide(&x, i, a[k].pointer);
        }
    LLVMDisposeBuilder(x.b);
}

bool instrument_accesses(Module *m) {
    Instrument x;
    if (!m->opt->check) return true;
    start(&x, m);
    x.sites = LLVMAddGlobal(m->mod, LLVMInt8TypeInContext(m->ctx), "cucpu.sites.to.come");
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f) && strncmp(value_name(f), WITH_IDS, sizeof WITH_IDS - 1)) instrument_function(&x, f);
    show_hidden(m);
    add_table(&x);
    LLVMDisposeBuilder(x.b);
    return true;
}
