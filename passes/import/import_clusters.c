/* import_clusters: clusters of blocks, and their distributed shared memory.
**
** in:  NVVM's intrinsics for clusters, and the functions __cucpu_cluster_* that the headers and ptx-frontend call
** out: cucpu.cluster.* of names.def, and arithmetic on blockIdx, gridDim and the size of a cluster
** The index of a block in its cluster is blockIdx % clusterDim, as the grid is a multiple of it; its rank counts x
** fastest. The blocks of a cluster have their shared memory in a row, cucpu.cluster.stride bytes apart. So the byte of
** another block that corresponds to p lies at base + rank * stride + (p - base) % stride. There is none after the last
** block: such an address is inaccessible, so that a wrong rank ends the kernel instead of accessing other memory. In
** the window shared::cluster of PTX an address has rank + 1 in the bits from WINDOW on; 0 there is the block's own
** memory. */
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { WINDOW = 24 };

typedef struct Clusters {
    Module *m;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i32, i64, ptr;
} Clusters;

typedef LLVMValueRef (*Make)(Clusters *c, LLVMValueRef call, int d);

static LLVMValueRef cluster_value(Clusters *c, Name n) { return name_call(c->b, c->m->mod, n, NULL, 0, ""); }
static LLVMValueRef named_d(Clusters *c, Name x, int d) { return cluster_value(c, (Name)((int)x + d)); }

static LLVMValueRef as_int64(Clusters *c, LLVMValueRef v) { return LLVMBuildPtrToInt(c->b, v, c->i64, ""); }
static LLVMValueRef wide(Clusters *c, LLVMValueRef v) { return LLVMBuildZExt(c->b, v, c->i64, ""); }

static LLVMValueRef generic(Clusters *c, LLVMValueRef p) {
    return LLVMTypeOf(p) == c->ptr ? p : LLVMBuildAddrSpaceCast(c->b, p, c->ptr, "");
}

/* ---- ids and ranks ---- */

static LLVMValueRef blocks_along(Clusters *c, LLVMValueRef call, int d) {
    return (void)call, named_d(c, NAME_CLUSTER_X, d);
}

/* Of an id, or a number of blocks, and the blocks of a cluster along d. */
static LLVMValueRef cluster_part(Clusters *c, Name what, int d, bool rest) {
    LLVMValueRef v = named_d(c, what, d), by = named_d(c, NAME_CLUSTER_X, d);
    return rest ? LLVMBuildURem(c->b, v, by, "") : LLVMBuildUDiv(c->b, v, by, "");
}

static LLVMValueRef index_in_cluster(Clusters *c, LLVMValueRef call, int d) {
    return (void)call, cluster_part(c, NAME_CTAID_X, d, true);
}
static LLVMValueRef cluster_id(Clusters *c, LLVMValueRef call, int d) {
    return (void)call, cluster_part(c, NAME_CTAID_X, d, false);
}
static LLVMValueRef clusters_along(Clusters *c, LLVMValueRef call, int d) {
    return (void)call, cluster_part(c, NAME_NCTAID_X, d, false);
}

static LLVMValueRef own_rank(Clusters *c, LLVMValueRef call, int d) {
    LLVMValueRef r = index_in_cluster(c, call, 2);
    for (d = 1; d >= 0; d--)
        r = LLVMBuildAdd(c->b, LLVMBuildMul(c->b, r, named_d(c, NAME_CLUSTER_X, d), ""), index_in_cluster(c, call, d),
                         "");
    return r;
}

static LLVMValueRef blocks_of_cluster(Clusters *c, LLVMValueRef call, int d) {
    (void)call, (void)d;
    LLVMValueRef n = LLVMBuildMul(c->b, cluster_value(c, NAME_CLUSTER_X), cluster_value(c, NAME_CLUSTER_Y), "");
    return LLVMBuildMul(c->b, n, cluster_value(c, NAME_CLUSTER_Z), "");
}

static LLVMValueRef is_set(Clusters *c, LLVMValueRef call, int d) {
    (void)d;
    LLVMValueRef set = cluster_value(c, NAME_CLUSTER_SET);
    return LLVMTypeOf(call) == c->i32 ? set : LLVMBuildTrunc(c->b, set, LLVMTypeOf(call), "");
}

/* ---- barriers ---- */

static LLVMValueRef cluster_arrive(Clusters *c, LLVMValueRef call, int d) {
    return (void)call, (void)d, cluster_value(c, NAME_CLUSTER_ARRIVE);
}
static LLVMValueRef wait(Clusters *c, LLVMValueRef call, int d) {
    return (void)call, (void)d, cluster_value(c, NAME_CLUSTER_WAIT);
}
static LLVMValueRef sync(Clusters *c, LLVMValueRef call, int d) {
    return (void)call, (void)d, cluster_value(c, NAME_CLUSTER_SYNC);
}

/* ---- distributed shared memory ---- */

static LLVMValueRef stride(Clusters *c) { return wide(c, cluster_value(c, NAME_CLUSTER_STRIDE)); }

/* Of a generic address of shared memory of the cluster. */
static LLVMValueRef from_base(Clusters *c, LLVMValueRef p) {
    return LLVMBuildSub(c->b, as_int64(c, generic(c, p)), as_int64(c, cluster_value(c, NAME_CLUSTER_BASE)), "");
}

static LLVMValueRef offset_in_block(Clusters *c, LLVMValueRef from) {
    return LLVMBuildAnd(c->b, from, LLVMBuildSub(c->b, stride(c), const_i64(c->m->ctx, 1), ""), "");
}

static LLVMValueRef address_at(Clusters *c, LLVMValueRef rank, LLVMValueRef offset) {
    LLVMValueRef at = LLVMBuildAdd(c->b, LLVMBuildMul(c->b, wide(c, rank), stride(c), ""), offset, "");
    LLVMValueRef p =
        LLVMBuildGEP2(c->b, LLVMInt8TypeInContext(c->m->ctx), cluster_value(c, NAME_CLUSTER_BASE), &at, 1, "");
    LLVMValueRef exists = LLVMBuildICmp(c->b, LLVMIntULT, rank, blocks_of_cluster(c, NULL, 0), "");
    return LLVMBuildSelect(c->b, exists, p, LLVMBuildIntToPtr(c->b, offset, c->ptr, ""), "");
}

/* The type of the result where LLVM's intrinsics have address spaces for the windows. */
static LLVMValueRef cast_pointer_to(Clusters *c, LLVMValueRef p, LLVMTypeRef t) {
    return LLVMTypeOf(p) == t ? p : LLVMBuildAddrSpaceCast(c->b, p, t, "");
}

static LLVMValueRef map_pointer(Clusters *c, LLVMValueRef call, int d) {
    (void)d;
    LLVMValueRef offset = offset_in_block(c, from_base(c, LLVMGetOperand(call, 0)));
    return cast_pointer_to(c, address_at(c, LLVMGetOperand(call, 1), offset), LLVMTypeOf(call));
}

static LLVMValueRef rank_at(Clusters *c, LLVMValueRef from) {
    return LLVMBuildTrunc(c->b, LLVMBuildUDiv(c->b, from, stride(c), ""), c->i32, "");
}

static LLVMValueRef rank_of_pointer(Clusters *c, LLVMValueRef call, int d) {
    return (void)d, rank_at(c, from_base(c, LLVMGetOperand(call, 0)));
}

static LLVMValueRef is_shared_pointer(Clusters *c, LLVMValueRef call, int d) {
    (void)d;
    LLVMValueRef from = from_base(c, LLVMGetOperand(call, 0));
    LLVMValueRef size =
        wide(c, LLVMBuildAdd(c->b, cluster_value(c, NAME_STATIC_SIZE), cluster_value(c, NAME_DYN_SIZE), ""));
    LLVMValueRef all = LLVMBuildMul(c->b, wide(c, blocks_of_cluster(c, call, 0)), stride(c), "");
    LLVMValueRef in = LLVMBuildAnd(c->b, LLVMBuildICmp(c->b, LLVMIntULT, from, all, ""),
                                   LLVMBuildICmp(c->b, LLVMIntULT, offset_in_block(c, from), size, ""), "");
    return LLVMTypeOf(call) == c->i1 ? in : LLVMBuildZExt(c->b, in, LLVMTypeOf(call), "");
}

/* ---- the window shared::cluster, addresses of 64 bits ---- */

static LLVMValueRef window_offset(Clusters *c, LLVMValueRef v) {
    return LLVMBuildAnd(c->b, v, const_i64(c->m->ctx, (1 << WINDOW) - 1), "");
}
static LLVMValueRef window_block(Clusters *c, LLVMValueRef v) {
    return LLVMBuildTrunc(c->b, LLVMBuildLShr(c->b, v, const_i64(c->m->ctx, WINDOW), ""), c->i32, "");
}
static LLVMValueRef is_zero(Clusters *c, LLVMValueRef v) {
    return LLVMBuildICmp(c->b, LLVMIntEQ, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

static LLVMValueRef in_window(Clusters *c, LLVMValueRef rank, LLVMValueRef offset) {
    LLVMValueRef block = wide(c, LLVMBuildAdd(c->b, rank, LLVMConstInt(c->i32, 1, 0), ""));
    return LLVMBuildOr(c->b, LLVMBuildShl(c->b, block, const_i64(c->m->ctx, WINDOW), ""), offset, "");
}

static LLVMValueRef window_map(Clusters *c, LLVMValueRef call, int d) {
    return (void)d, in_window(c, LLVMGetOperand(call, 1), window_offset(c, LLVMGetOperand(call, 0)));
}

static LLVMValueRef window_rank(Clusters *c, LLVMValueRef call, int d) {
    LLVMValueRef block = window_block(c, LLVMGetOperand(call, 0)),
                 less = LLVMBuildSub(c->b, block, LLVMConstInt(c->i32, 1, 0), "");
    return LLVMBuildSelect(c->b, is_zero(c, block), own_rank(c, call, d), less, "");
}

static LLVMValueRef window_to_pointer(Clusters *c, LLVMValueRef call, int d) {
    (void)d;
    LLVMValueRef v = LLVMGetOperand(call, 0), block = window_block(c, v), offset = window_offset(c, v);
    LLVMValueRef own =
        LLVMBuildGEP2(c->b, LLVMInt8TypeInContext(c->m->ctx), cluster_value(c, NAME_SHARED), &offset, 1, "");
    LLVMValueRef other = address_at(c, LLVMBuildSub(c->b, block, LLVMConstInt(c->i32, 1, 0), ""), offset);
    return LLVMBuildSelect(c->b, is_zero(c, block), own, other, "");
}

static LLVMValueRef pointer_to_window(Clusters *c, LLVMValueRef call, int d) {
    (void)d;
    LLVMValueRef p = LLVMGetOperand(call, 0), from = from_base(c, p);
    LLVMValueRef own = LLVMBuildSub(c->b, as_int64(c, p), as_int64(c, cluster_value(c, NAME_SHARED)), "");
    LLVMValueRef other = in_window(c, rank_at(c, from), offset_in_block(c, from));
    return LLVMBuildSelect(c->b, LLVMBuildICmp(c->b, LLVMIntULT, own, stride(c), ""), own, other, "");
}

/* ---- the table ---- */

static const struct Function {
    const char *name; /* "%" is replaced by x, y and z */
    Make make;
} functions[] = {{"llvm.nvvm.read.ptx.sreg.cluster.ctaid.%", index_in_cluster},
                 {"llvm.nvvm.read.ptx.sreg.cluster.nctaid.%", blocks_along},
                 {"llvm.nvvm.read.ptx.sreg.clusterid.%", cluster_id},
                 {"llvm.nvvm.read.ptx.sreg.nclusterid.%", clusters_along},
                 {"llvm.nvvm.read.ptx.sreg.cluster.ctarank", own_rank},
                 {"llvm.nvvm.read.ptx.sreg.cluster.nctarank", blocks_of_cluster},
                 {"llvm.nvvm.is_explicit_cluster", is_set},
                 {"llvm.nvvm.barrier.cluster.arrive", cluster_arrive},
                 {"llvm.nvvm.barrier.cluster.arrive.aligned", cluster_arrive},
                 {"llvm.nvvm.barrier.cluster.arrive.relaxed", cluster_arrive},
                 {"llvm.nvvm.barrier.cluster.arrive.relaxed.aligned", cluster_arrive},
                 {"llvm.nvvm.barrier.cluster.wait", wait},
                 {"llvm.nvvm.barrier.cluster.wait.aligned", wait},
                 {"llvm.nvvm.mapa", map_pointer},
                 {"llvm.nvvm.mapa.shared.cluster", map_pointer},
                 {"llvm.nvvm.getctarank", rank_of_pointer},
                 {"llvm.nvvm.getctarank.shared.cluster", rank_of_pointer},
                 {"llvm.nvvm.isspacep.shared.cluster", is_shared_pointer},
                 {"__cucpu_cluster_arrive", cluster_arrive},
                 {"__cucpu_cluster_wait", wait},
                 {"__cucpu_cluster_sync", sync},
                 {"__cucpu_cluster_place_%", index_in_cluster},
                 {"__cucpu_cluster_blocks_%", blocks_along},
                 {"__cucpu_cluster_id_%", cluster_id},
                 {"__cucpu_cluster_count_%", clusters_along},
                 {"__cucpu_cluster_rank", own_rank},
                 {"__cucpu_cluster_size", blocks_of_cluster},
                 {"__cucpu_cluster_is_set", is_set},
                 {"__cucpu_cluster_map", map_pointer},
                 {"__cucpu_cluster_rank_of", rank_of_pointer},
                 {"__cucpu_cluster_is_shared", is_shared_pointer},
                 {"__cucpu_cluster_window_map", window_map},
                 {"__cucpu_cluster_window_rank", window_rank},
                 {"__cucpu_cluster_window_to_pointer", window_to_pointer},
                 {"__cucpu_cluster_pointer_to_window", pointer_to_window}};

static void rewrite_calls(Clusters *c, LLVMValueRef fn, Make make, int d) {
    for (LLVMUseRef u = LLVMGetFirstUse(fn), next; u; u = next) {
        LLVMValueRef call = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        set_insert_point(c->b, call);
        LLVMValueRef v = make(c, call, d);
        if (!is_void(call)) LLVMReplaceAllUsesWith(call, v);
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(fn);
}

/* cluster_arrive, and wait at once. */
static void join_pieces(Clusters *c, LLVMValueRef fn) {
    for (LLVMUseRef u = LLVMGetFirstUse(fn), next; u; u = next) {
        LLVMValueRef first = LLVMGetUser(u), second = LLVMGetNextInstruction(first);
        next = LLVMGetNextUse(u);
        if (name_of_call(second) != NAME_CLUSTER_WAIT) continue;
        set_insert_point(c->b, first);
        cluster_value(c, NAME_CLUSTER_SYNC);
        LLVMInstructionEraseFromParent(second);
        LLVMInstructionEraseFromParent(first);
    }
}

void import_clusters(Module *m) {
    Clusters c = {m,
                  LLVMCreateBuilderInContext(m->ctx),
                  LLVMInt1TypeInContext(m->ctx),
                  LLVMInt32TypeInContext(m->ctx),
                  LLVMInt64TypeInContext(m->ctx),
                  LLVMPointerTypeInContext(m->ctx, 0)};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *part = strchr(functions[i].name, '%');
        for (int d = 0; d < (part ? 3 : 1); d++) {
            size_t len = part ? (size_t)(part - functions[i].name) : strlen(functions[i].name);
            const char *name = arena_printf(&m->arena, part ? "%.*s%c" : "%.*s", (int)len, functions[i].name, "xyz"[d]);
            LLVMValueRef fn = LLVMGetNamedFunction(m->mod, name);
            if (fn) rewrite_calls(&c, fn, functions[i].make, d);
        }
    }
    LLVMValueRef arrivals = LLVMGetNamedFunction(m->mod, name_text(NAME_CLUSTER_ARRIVE));
    if (arrivals) join_pieces(&c, arrivals);
    LLVMDisposeBuilder(c.b);
}
