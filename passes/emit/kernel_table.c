/* kernel_table: the module table of abi.h, and the constructor that hands it to the runtime.
**
** Everything is read from attributes: kernels (cucpu.kernel without cucpu.base) give name, parameters and bounds;
** entries give the variants: first those for one blockDim, then by layout, the general one last. Afterwards the
** per-thread kernels are deleted and only the table keeps code alive. */
#include "passes/ir/abi_fields.h"
#include "passes/ir/report.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include "passes/ir/edit.h"
#include "passes/ir/variant.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Code of a kernel. */
typedef struct Entry {
    Variant v;
    int rank, order; /* in the list of variants, -1: in none; in the module */
    LLVMValueRef f;
} Entry;

typedef struct Table {
    Module *m;
    LLVMTypeRef i32, i64, ptr;
    Vec(Entry) entries; /* by kernel, then in the order in which the runtime tries them */
    PtrMap vars;        /* variables that have a row in the table */
    PtrMap managed;     /* pointer of a managed variable -> its start value */
} Table;

static int by_kernel_and_rank(const void *p, const void *q) {
    const Entry *a = p, *b = q;
    int d = strcmp(a->v.base, b->v.base);
    return d ? d : a->rank != b->rank ? a->rank - b->rank : a->order - b->order;
}

static void find_entries(Table *t) {
    int order = 0;
    for_each_function(f, t->m->mod) {
        if (!is_entry(f)) continue;
        const Variant v = variant_of(f);
        if (v.base) vec_push(&t->m->arena, &t->entries, ((Entry){v, variant_rank(&v), order++, f}));
    }
    if (t->entries.n) qsort(t->entries.v, (size_t)t->entries.n, sizeof *t->entries.v, by_kernel_and_rank);
}

/* Entries of the kernel are entries.v[first] and following. */
static int first_entry(const Table *t, const char *name) {
    int low = 0, high = t->entries.n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (strcmp(t->entries.v[mid].v.base, name) < 0) low = mid + 1;
        else high = mid;
    }
    return low;
}

static bool is_of(const Table *t, int i, const char *name) {
    return i < t->entries.n && !strcmp(t->entries.v[i].v.base, name);
}

static LLVMValueRef c32(const Table *t, uint64_t v) { return LLVMConstInt(t->i32, v, 0); }

static LLVMValueRef add_constant(Table *t, LLVMValueRef init, const char *name) {
    return internal_global(t->m->mod, init, name, true);
}

static LLVMValueRef text(Table *t, const char *s) {
    return add_constant(t, LLVMConstStringInContext2(t->m->ctx, s, strlen(s), 0), "cucpu.text");
}

static LLVMValueRef three_ints(Table *t, const unsigned v[3]) {
    LLVMValueRef x[3] = {c32(t, v[0]), c32(t, v[1]), c32(t, v[2])};
    return LLVMConstArray2(t->i32, x, 3);
}

/* Bytes. The size of a structure may be larger than its fields require. */
static uint64_t alignment(Table *t, LLVMValueRef fn, unsigned i, LLVMTypeRef type) {
    LLVMAttributeRef at = LLVMGetEnumAttributeAtIndex(fn, i + 1, LLVMGetEnumAttributeKindForName("align", 5));
    uint64_t fields = LLVMABIAlignmentOfType(t->m->dl, type), said = at ? LLVMGetEnumAttributeValue(at) : 0;
    return type == LLVMTypeOf(LLVMGetParam(fn, i)) || said < fields ? fields : said;
}

static LLVMValueRef parameters(Table *t, LLVMValueRef fn) {
    unsigned n = launch_parameters(fn), byval = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMTypeRef row_type = LLVMStructTypeInContext(t->m->ctx, (LLVMTypeRef[]){t->i32, t->i32}, 2, 0);
    LLVMValueRef *rows = arena_array(&t->m->arena, LLVMValueRef, n + 1);
    for (unsigned i = 0; i < n; i++) {
        LLVMAttributeRef at = LLVMGetEnumAttributeAtIndex(fn, i + 1, byval);
        LLVMTypeRef type = at ? LLVMGetTypeAttributeValue(at) : LLVMTypeOf(LLVMGetParam(fn, i));
        LLVMValueRef v[CucpuParam_FIELDS] = {
            [CucpuParam_size] = c32(t, LLVMABISizeOfType(t->m->dl, type)),
            [CucpuParam_align] = c32(t, alignment(t, fn, i, type)),
        };
        rows[i] = abi_constant(t->m->dl, ABI_CucpuParam, v);
    }
    return add_constant(t, LLVMConstArray2(row_type, rows, n), "cucpu.params");
}

/* Parameters after those of the launch. */
static LLVMValueRef fields(Table *t, LLVMValueRef fn) {
    unsigned first = launch_parameters(fn), n = LLVMCountParams(fn) - first;
    LLVMValueRef *rows = arena_array(&t->m->arena, LLVMValueRef, n + 1);
    for (unsigned i = 0; i < n; i++) {
        unsigned parameter = 0, offset = 0;
        is_field_parameter(fn, first + i, &parameter, &offset);
        LLVMValueRef v[CucpuField_FIELDS] = {
            [CucpuField_parameter] = c32(t, parameter),
            [CucpuField_offset] = c32(t, offset),
        };
        rows[i] = abi_constant(t->m->dl, ABI_CucpuField, v);
    }
    LLVMTypeRef row = LLVMStructTypeInContext(t->m->ctx, (LLVMTypeRef[]){t->i32, t->i32}, 2, 0);
    return n ? add_constant(t, LLVMConstArray2(row, rows, n), "cucpu.fields") : LLVMConstNull(t->ptr);
}

static LLVMValueRef variant(Table *t, const Entry *e) {
    unsigned len, per_group = 0, fixed = 0;
    const CucpuVariant row = variant_row(&e->v);
    const char *frame = fn_attr(e->f, ATTR_FRAME, &len);
    if (frame) sscanf(frame, "%u,%u", &fixed, &per_group);
    report_entry(t->m, e->f, per_group);
    LLVMValueRef v[CucpuVariant_FIELDS] = {
        [CucpuVariant_entry] = e->f,
        [CucpuVariant_width] = c32(t, row.width),
        [CucpuVariant_layout] = c32(t, row.layout),
        [CucpuVariant_block] = three_ints(t, row.block),
        [CucpuVariant_frame_fixed] = c32(t, fixed),
        [CucpuVariant_frame_per_group] = c32(t, per_group),
        [CucpuVariant_below] = c32(t, row.below),
        [CucpuVariant_along] = c32(t, row.along),
        [CucpuVariant_along_time] = c32(t, row.along_time),
        [CucpuVariant_overlapping] = c32(t, row.overlapping),
        [CucpuVariant_reserved] = c32(t, 0),
    };
    return abi_constant(t->m->dl, ABI_CucpuVariant, v);
}

/* The runtime takes the first variant that fits. */
static LLVMValueRef variants(Table *t, const char *name, unsigned *count) {
    Vec(LLVMValueRef) rows = {0};
    for (int i = first_entry(t, name); is_of(t, i, name); i++)
        if (t->entries.v[i].rank >= 0) vec_push(&t->m->arena, &rows, variant(t, &t->entries.v[i]));
    *count = (unsigned)rows.n;
    if (!rows.n) return LLVMConstNull(t->ptr);
    return add_constant(t, LLVMConstArray2(LLVMTypeOf(rows.v[0]), rows.v, (uint64_t)rows.n), "cucpu.variants");
}

/* The row of the kernel's entry of this kind, or null; *of: its attributes. */
static LLVMValueRef variant_beside(Table *t, const char *name, VariantKind kind, const char *table, Variant *of) {
    for (int i = first_entry(t, name); is_of(t, i, name); i++) {
        const Entry *e = &t->entries.v[i];
        if (variant_kind(&e->v) != kind) continue;
        *of = e->v;
        return add_constant(t, variant(t, e), table);
    }
    return LLVMConstNull(t->ptr);
}

/* The name as the source has it.  clang adds a suffix to static kernels of -rdc. */
static LLVMValueRef title(Table *t, const char *name) {
    const char *suffix = strstr(name, "__intern__");
    int len = (int)(suffix ? (size_t)(suffix - name) : strlen(name));
    char *plain = shim_demangle(arena_printf(&t->m->arena, "%.*s", len, name));
    LLVMValueRef v = strcmp(plain, name) ? text(t, plain) : LLVMConstNull(t->ptr);
    free(plain);
    return v;
}

static int count_barriers(LLVMValueRef kernel) {
    int n = 0;
    for_each_instruction(i, kernel) n += name_is_cut(name_of_call(i));
    return n;
}

/* -Rcucpu: the last remark about a kernel. */
static void summarise(Table *t, LLVMValueRef kernel, const char *name) {
    long lanes = 1, n = 0, bytes = 0;
    for (int i = first_entry(t, name); is_of(t, i, name); i++, n++) {
        const Entry *e = &t->entries.v[i];
        unsigned len;
        long width = e->v.width, fixed = 0, per_group = 0;
        const char *frame = fn_attr(e->f, ATTR_FRAME, &len);
        if (frame) sscanf(frame, "%ld,%ld", &fixed, &per_group);
        if (width > lanes) lanes = width;
        if ((per_group + width - 1) / width > bytes) bytes = (per_group + width - 1) / width;
    }
    diag_remark(&t->m->diag, kernel, KERNEL, lanes, n, count_barriers(kernel), bytes);
}

/* column: the row of the kernel that runs its columns, 0: there is none. */
static LLVMValueRef kernel_row(Table *t, LLVMValueRef f, int column) {
    unsigned length;
    const char *name = value_name(f), *rows = fn_attr(f, ATTR_COLUMN, &length), *shown = rows ? rows : name;
    unsigned nvariants, req[3], file_len;
    LLVMValueRef list = variants(t, name, &nvariants);
    unsigned max[3];
    fn_attr_three(f, ATTR_REQNTID, req);
    fn_attr_three(f, ATTR_MAXNTID, max);
    const char *file = diag_file(f, &file_len);
    Variant scalar = {0}, counting = {0};
    LLVMValueRef scalar_row = variant_beside(t, name, VARIANT_SCALAR, "cucpu.scalar", &scalar);
    unsigned any;
    uint64_t flags =
        (uint64_t)fn_attr_int(f, ATTR_FLAGS, 0) | (fn_attr(f, ATTR_ANY_ROW, &any) ? CUCPU_KERNEL_ANY_ROW : 0);
    unsigned cluster[3], apart[3];
    fn_attr_three(f, ATTR_APART, apart);
    fn_attr_three(f, ATTR_CLUSTER, cluster);
    LLVMValueRef counting_row = variant_beside(t, name, VARIANT_COUNTING, "cucpu.counting", &counting);
    LLVMValueRef v[CucpuKernel_FIELDS] = {
        [CucpuKernel_name] = text(t, shown),
        [CucpuKernel_params] = parameters(t, f),
        [CucpuKernel_variants] = list,
        [CucpuKernel_nparams] = c32(t, launch_parameters(f)),
        [CucpuKernel_nvariants] = c32(t, nvariants),
        [CucpuKernel_static_shared] = c32(t, (uint64_t)fn_attr_int(f, ATTR_SHARED, 0)),
        [CucpuKernel_local_bytes] = c32(t, 0),
        [CucpuKernel_max_threads] = c32(t, (uint64_t)max[0] * max[1] * max[2]),
        [CucpuKernel_req_block] = three_ints(t, req),
        [CucpuKernel_flags] = c32(t, flags | (uint64_t)t->m->opt->arch << CUCPU_KERNEL_ARCH),
        [CucpuKernel_line] = c32(t, diag_line(f)),
        [CucpuKernel_file] =
            file ? text(t, arena_printf(&t->m->arena, "%.*s", (int)file_len, file)) : LLVMConstNull(t->ptr),
        [CucpuKernel_step] = const_i64(t->m->ctx, (uint64_t)fn_attr_int(f, ATTR_STEP, 0)),
        [CucpuKernel_scalar] = scalar_row,
        [CucpuKernel_scalar_time] = c32(t, (uint64_t)scalar.scalar),
        [CucpuKernel_max_cluster] = c32(t, (uint64_t)fn_attr_int(f, ATTR_MAX_CLUSTER, 0)),
        [CucpuKernel_req_cluster] = three_ints(t, cluster),
        [CucpuKernel_counters] = c32(t, counting.counters[0]),
        [CucpuKernel_counting] = counting_row,
        [CucpuKernel_wide_counters] = c32(t, counting.counters[1]),
        [CucpuKernel_rare_counters] = c32(t, counting.counters[2]),
        [CucpuKernel_apart] = c32(t, apart[0]),
        [CucpuKernel_accessed] = c32(t, apart[1]),
        [CucpuKernel_fields] = apart[0] ? fields(t, f) : LLVMConstNull(t->ptr),
        [CucpuKernel_title] = title(t, shown),
        [CucpuKernel_column] = c32(t, (uint64_t)column),
        [CucpuKernel_reserved] = c32(t, 0),
    };
    summarise(t, f, name);
    return abi_constant(t->m->dl, ABI_CucpuKernel, v);
}

static void find_managed(Table *t) {
    unsigned n = LLVMGetNamedMetadataNumOperands(t->m->mod, MD_MANAGED);
    LLVMValueRef *ops = arena_array(&t->m->arena, LLVMValueRef, n + 1);
    LLVMGetNamedMetadataOperands(t->m->mod, MD_MANAGED, ops);
    map_init(&t->managed, &t->m->arena);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v[2];
        LLVMGetMDNodeOperands(ops[i], v);
        if (v[1] && v[0]) map_put(&t->managed, v[1], (uintptr_t)v[0]);
    }
}

static LLVMValueRef start_value(const Table *t, LLVMValueRef pointer) { return map_ptr(&t->managed, pointer); }

static LLVMValueRef var_row(Table *t, LLVMValueRef row) {
    LLVMValueRef v[2];
    LLVMGetMDNodeOperands(row, v);
    if (!v[0] || !LLVMIsAGlobalVariable(v[0])) return NULL;
    map_put(&t->vars, v[0], 1);
    const char *name = value_name(v[0]);
    LLVMValueRef slot = start_value(t, v[0]);
    bool managed = LLVMConstIntGetZExtValue(v[1]) & CUCPU_VAR_MANAGED;
    if (managed != (slot != NULL)) bug("the pointer of the managed variable '%s' is gone", name);
    LLVMValueRef out[CucpuVar_FIELDS] = {
        [CucpuVar_name] = text(t, name),
        [CucpuVar_address] = LLVMConstPointerCast(slot ? slot : v[0], t->ptr),
        [CucpuVar_initial] = slot ? LLVMConstPointerCast(v[0], t->ptr) : LLVMConstNull(t->ptr),
        [CucpuVar_size] = const_i64(t->m->ctx, LLVMABISizeOfType(t->m->dl, LLVMGlobalGetValueType(v[0]))),
        [CucpuVar_flags] = v[1],
        [CucpuVar_reserved] = c32(t, 0),
    };
    return abi_constant(t->m->dl, ABI_CucpuVar, out);
}

/* ---- start values ---- */

static bool is_only_read(LLVMValueRef v) {
    for_each_user(user, v) {
        bool address = LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user) || LLVMIsAConstantExpr(user);
        if (!LLVMIsALoadInst(user) && !(address && is_only_read(user))) return false;
    }
    return true;
}

/* May its value change, by the host or by a kernel? Variables that are never written have no row, and LLVM folds
** them. */
static bool can_change(const Table *t, LLVMValueRef g) {
    size_t len;
    const char *name = LLVMGetValueName2(g, &len);
    bool slot = len > 8 && !strcmp(name + len - 8, ".managed");
    if (LLVMIsDeclaration(g) || LLVMIsGlobalConstant(g) || LLVMIsThreadLocal(g) || slot || start_value(t, g) ||
        !strncmp(name, "llvm.", 5) || !strncmp(name, "cucpu.sites", 11) || !strcmp(name, "cucpu.profile"))
        return false;
    return map_get(&t->vars, g, 0) || !is_only_read(g);
}

static LLVMValueRef start_row(Table *t, LLVMValueRef g) {
    LLVMValueRef value = LLVMGetInitializer(g);
    bool zeros = LLVMIsNull(value) || LLVMIsUndef(value);
    LLVMValueRef out[CucpuStart_FIELDS] = {
        [CucpuStart_address] = LLVMConstPointerCast(g, t->ptr),
        [CucpuStart_initial] = zeros ? LLVMConstNull(t->ptr) : add_constant(t, value, "cucpu.start"),
        [CucpuStart_size] = const_i64(t->m->ctx, LLVMABISizeOfType(t->m->dl, LLVMGlobalGetValueType(g))),
    };
    return abi_constant(t->m->dl, ABI_CucpuStart, out);
}

static LLVMValueRef add_array(Table *t, LLVMValueRef *rows, int n, const char *name) {
    if (!n) return LLVMConstNull(t->ptr);
    return add_constant(t, LLVMConstArray2(LLVMTypeOf(rows[0]), rows, (uint64_t)n), name);
}

/* The lowest priority number that programs may use: constructors of their objects may launch kernels. */
enum { CTOR_PRIORITY = 101 };

static void constructor(Table *t, LLVMValueRef table) {
    LLVMTypeRef none = LLVMVoidTypeInContext(t->m->ctx);
    LLVMTypeRef reg_type = LLVMFunctionType(none, &t->ptr, 1, 0), ctor_type = LLVMFunctionType(none, NULL, 0, 0);
    LLVMValueRef reg = LLVMAddFunction(t->m->mod, "cucpu_register_module", reg_type);
    LLVMValueRef ctor = LLVMAddFunction(t->m->mod, "cucpu.module.ctor", ctor_type);
    LLVMSetLinkage(ctor, LLVMInternalLinkage);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(t->m->ctx);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(t->m->ctx, ctor, ""));
    LLVMBuildCall2(b, reg_type, reg, &table, 1, "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    shim_add_constructor(ctor, CTOR_PRIORITY);
}

static void drop_kernels(Module *m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!is_kernel(f)) continue;
        LLVMReplaceAllUsesWith(f, LLVMConstNull(LLVMPointerTypeInContext(m->ctx, 0)));
        LLVMDeleteFunction(f);
    }
}

/* Variables were kept for the table; functions still are for lower_math, and coverage data for the linker. */
static void drop_used_variables(Module *m) {
    LLVMValueRef used = LLVMGetNamedGlobal(m->mod, "llvm.compiler.used");
    if (!used) return;
    LLVMValueRef list = LLVMGetInitializer(used);
    Vec(LLVMValueRef) kept = {0};
    for (int i = 0; i < LLVMGetNumOperands(list); i++) {
        LLVMValueRef v = LLVMGetOperand(list, (unsigned)i);
        if (LLVMIsAFunction(v) || is_coverage(v)) vec_push(&m->arena, &kept, v);
    }
    LLVMDeleteGlobal(used);
    for (int i = 0; i < kept.n; i++) shim_keep(kept.v[i]);
}

/* Where device code takes the address of a kernel. */
static void resolve_handles(Table *t, LLVMValueRef table, const LLVMValueRef *kernels, int n) {
    for (int i = 0; i < n; i++) {
        const char *name = arena_printf(&t->m->arena, HANDLE_PREFIX "%s", value_name(kernels[i]));
        LLVMValueRef handle = LLVMGetNamedGlobal(t->m->mod, name);
        if (!handle) continue;
        LLVMValueRef at[2] = {const_i64(t->m->ctx, 0), const_i64(t->m->ctx, (uint64_t)i)};
        LLVMReplaceAllUsesWith(handle, LLVMConstInBoundsGEP2(LLVMGlobalGetValueType(table), table, at, 2));
        LLVMDeleteGlobal(handle);
    }
}

/* ---- interchanged rows ---- */

/* Full rows of any block, of the same width. */
static bool is_beside(const Variant *v, const Variant *of) {
    VariantKind kind = variant_kind(v);
    return (kind == VARIANT_PLAIN || kind == VARIANT_WIDE) && !v->block[0] && v->base && !strcmp(v->base, of->base) &&
           v->width == of->width && v->layout == of->layout;
}

/* The entry beside f that needs no frame. */
static LLVMValueRef entry_beside(Module *m, LLVMValueRef f) {
    const Variant of = variant_of(f);
    for_each_function(g, m->mod) {
        unsigned len, fixed = 0, per_group = 0;
        const Variant v = variant_of(g);
        const char *frame = is_entry(g) && is_beside(&v, &of) ? fn_attr(g, ATTR_FRAME, &len) : NULL;
        if (frame && sscanf(frame, "%u,%u", &fixed, &per_group) == 2 && !fixed && !per_group) return g;
    }
    return NULL;
}

/* The entry replaces the one beside it, which it calls where rows are faster one by one. */
static void pair_interchanged(Module *m) {
    size_t size;
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!is_entry(f) || !variant_of(f).interchanged) continue;
        LLVMValueRef call =
            LLVMGetNamedFunction(m->mod, arena_printf(&m->arena, "%s.alone", LLVMGetValueName2(f, &size)));
        LLVMValueRef beside = entry_beside(m, f);
        if (beside) {
            LLVMReplaceAllUsesWith(call, beside);
            Variant v = variant_of(beside);
            v.single_row = true;
            set_variant(beside, &v);
            LLVMAddAttributeAtIndex(beside, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(m->ctx, LLVMGetEnumAttributeKindForName("noinline", 8), 0));
        } else {
            LLVMDeleteFunction(f);
        }
        if (next == call) next = LLVMGetNextFunction(call);
        LLVMDeleteFunction(call);
    }
}

/* Code for another CPU would end in an illegal instruction: the runtime checks this first. */
static uint64_t cpu_features(LLVMTargetMachineRef tm) {
    static const char *const names[] = {
#define CPU_FEATURE(name, leaf, subleaf, word, bit, state) "+" name,
#include "cpu-runtime/host/cpu_features.def"
    };
    uint64_t set = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (shim_has_features(tm, names[i])) set |= (uint64_t)1 << i;
    return set;
}

/* Pages of it are read only where checked kernels are wanted. */
static LLVMValueRef bitcode(Table *t) {
    const Module *m = t->m;
    if (!m->packed) return LLVMConstNull(t->ptr);
    LLVMValueRef bytes = LLVMConstStringInContext2(m->ctx, m->packed, m->packed_size, 1);
    LLVMValueRef v[CucpuBitcode_FIELDS] = {
        [CucpuBitcode_options] = text(t, m->opt->code_options),
        [CucpuBitcode_bytes] = add_constant(t, bytes, "cucpu.packed"),
        [CucpuBitcode_size] = const_i64(m->ctx, m->packed_size),
    };
    LLVMSetSection(v[CucpuBitcode_bytes], ".cucpu.bitcode");
    return add_constant(t, abi_constant(m->dl, ABI_CucpuBitcode, v), "cucpu.bitcode");
}

static bool has_row(LLVMValueRef f) {
    return is_kernel(f) && !LLVMIsDeclaration(f) && !is_variant(f) && !fn_has_attr(f, ATTR_VECTOR);
}

/* The rows of the kernels, then those of the kernels that run their columns. */
static LLVMValueRef kernels(Table *t, LLVMValueRef *functions, int n, int *ncolumns) {
    Vec(LLVMValueRef) rows = {0}, columns = {0};
    for (int k = 0; k < n; k++) {
        LLVMValueRef column = column_of(t->m, functions[k]);
        if (column) vec_push(&t->m->arena, &columns, column);
        vec_push(&t->m->arena, &rows, kernel_row(t, functions[k], column ? n + columns.n - 1 : 0));
    }
    for (int k = 0; k < columns.n; k++) vec_push(&t->m->arena, &rows, kernel_row(t, columns.v[k], 0));
    *ncolumns = columns.n;
    return add_array(t, rows.v, rows.n, "cucpu.kernels");
}

bool kernel_table(Module *m) {
    pair_interchanged(m);
    Table t = {.m = m,
               .i32 = LLVMInt32TypeInContext(m->ctx),
               .i64 = LLVMInt64TypeInContext(m->ctx),
               .ptr = LLVMPointerTypeInContext(m->ctx, 0)};
    find_entries(&t);
    find_managed(&t);
    map_init(&t.vars, &m->arena);
    Vec(LLVMValueRef) functions = {0}, vars = {0}, changing = {0}, starts = {0};
    for_each_function(f, m->mod)
        if (has_row(f) && !fn_has_attr(f, ATTR_COLUMN)) vec_push(&m->arena, &functions, f);
    int nkernels = functions.n, ncolumns = 0;
    LLVMValueRef table = kernels(&t, functions.v, nkernels, &ncolumns);
    resolve_handles(&t, table, functions.v, nkernels);
    unsigned nvars = LLVMGetNamedMetadataNumOperands(m->mod, MD_VARS);
    LLVMValueRef *ops = arena_array(&m->arena, LLVMValueRef, nvars + 1);
    LLVMGetNamedMetadataOperands(m->mod, MD_VARS, ops);
    for (unsigned i = 0; i < nvars; i++) {
        LLVMValueRef row = var_row(&t, ops[i]);
        if (row) vec_push(&m->arena, &vars, row);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->mod); g; g = LLVMGetNextGlobal(g))
        if (can_change(&t, g) && !is_coverage(g)) vec_push(&m->arena, &changing, g);
    for (int i = 0; i < changing.n; i++) vec_push(&m->arena, &starts, start_row(&t, changing.v[i]));
    const char *source = m->opt->source ? m->opt->source : "";
    LLVMValueRef check = LLVMGetNamedGlobal(m->mod, CHECK_TABLE);
    LLVMValueRef v[CucpuModule_FIELDS] = {
        [CucpuModule_version] = c32(&t, CUCPU_ABI_VERSION),
        [CucpuModule_warp_size] = c32(&t, (uint64_t)m->opt->warp_size),
        [CucpuModule_id] = const_i64(m->ctx, m->opt->module_id),
        [CucpuModule_source] = text(&t, source),
        [CucpuModule_kernels] = table,
        [CucpuModule_vars] = add_array(&t, vars.v, vars.n, "cucpu.vartable"),
        [CucpuModule_nkernels] = c32(&t, (uint64_t)nkernels),
        [CucpuModule_nvars] = c32(&t, (uint64_t)vars.n),
        [CucpuModule_starts] = add_array(&t, starts.v, starts.n, "cucpu.starts"),
        [CucpuModule_nstarts] = c32(&t, (uint64_t)starts.n),
        [CucpuModule_ncolumns] = c32(&t, (uint64_t)ncolumns),
        [CucpuModule_cpu_features] = const_i64(m->ctx, cpu_features(m->tm)),
        [CucpuModule_check] = check ? check : LLVMConstNull(t.ptr),
        [CucpuModule_bitcode] = bitcode(&t),
    };
    constructor(&t, add_constant(&t, abi_constant(m->dl, ABI_CucpuModule, v), "cucpu.module"));
    drop_kernels(m);
    drop_used_variables(m);
    return true;
}
