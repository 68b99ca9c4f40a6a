/* names.h: the vocabulary of the IR between import and loop_groups: functions cucpu.*, attributes and metadata, each
** spelled only here, in names.def and, attributes of variants, in variant.def. After import_nvvm no code in the
** compiler uses LLVM's NVVM names. */
#ifndef CUCPU_NAMES_H
#define CUCPU_NAMES_H
#include <llvm-c/Core.h>
#include <stdbool.h>

typedef enum Name {
    NAME_NONE,
#define NAME(id, name, result, args, effects, what) NAME_##id,
#include "passes/ir/names.def"
#undef NAME
    NAME_COUNT
} Name;

#define ATTR_KERNEL "cucpu.kernel"     /* function: is a kernel */
#define ATTR_MAXNTID "cucpu.maxntid"   /* function: __launch_bounds__ threads, decimal */
#define ATTR_REQNTID "cucpu.reqntid"   /* function: "x,y,z" */
#define ATTR_ORDER "cucpu.order"       /* kernel: blocks are numbered along this dimension first (block_order.c) */
#define ATTR_LAUNCHES "cucpu.launches" /* kernel: blockDims it is launched with, "x,y,z;x,y,z" */
#define ATTR_FIELD "cucpu.field"       /* parameter of a kernel: "parameter,offset" in the launch (split_parameters) */
#define ATTR_FRAME "cucpu.frame"       /* entry: "fixed,per_group" bytes */
/* id of a cucpu.barrier at which no thread waits for another one: it orders the iterations of a loop, all threads of a
** block before the next iteration of any */
#define BARRIER_OF_LOOP 16
/* The same after a grid-stride loop: blocks that made its iterations together run one after another from here on. */
#define BARRIER_OF_BLOCKS 17
#define ATTR_ENTRY "cucpu.entry" /* function: an entry made by loop_groups */
/* functions: the wrappers of calls that are not inlined (inline_device), one for each call */
#define WITH_IDS "cucpu_with_ids"
/* function: inline_device leaves it to vectorise_calls; kernel: too large without such calls */
#define ATTR_OUTLINED "cucpu.outlined"
/* function: such a function that calls itself, perhaps through others; the function that is called instead */
#define ATTR_RECURSIVE "cucpu.recursive"
/* function: has vector functions, made of the kernel of this name; that kernel and its variants: "" */
#define ATTR_VECTOR "cucpu.vector"
#define CALL_RESOLVED "cucpu.resolved"    /* of an indirect call: functions that are tested for before it, "f;g;" */
#define ATTR_UNIFORM "cucpu.uniform"      /* such a function: "1" for each parameter that is uniform, else "0" */
#define CALLED_PREFIX "cucpu.called."     /* functions: such functions with warp-level functions in them */
#define ATTR_CAS_LOOP "cucpu.cas_loop"    /* function: a loop that outline_cas_loops has outlined */
#define ATTR_SHARED "cucpu.static_shared" /* kernel: bytes */
#define ATTR_ARRAYS "cucpu.arrays"        /* kernel: __shared__ variables, "offset,bytes;offset,bytes" */
#define ATTR_FLAGS "cucpu.flags"          /* kernel: CUCPU_KERNEL_* */
#define ATTR_JOINED "cucpu.joined"        /* kernel: reads no id along x but cucpu.global.x */
#define ATTR_FLAT "cucpu.flat"            /* kernel: 2 or 3 dimensions of its blocks become one (flatten_blocks) */
#define ATTR_COLUMN "cucpu.column"        /* kernel: it runs the columns of the kernel of this name (version_columns) */
#define COLUMN ".column"                  /* KERNEL.column: such a kernel */
#define ATTR_JOINED_PREFIX "cucpu.joined_prefix" /* kernel: the same, before its barrier BARRIER_OF_BLOCKS */
#define ATTR_SHARED_ROWS "cucpu.shared_rows"     /* of an entry: rows in lockstep share loads */
#define OVERLAPPING ".overlapping"           /* KERNEL.overlapping: a kernel as it was before promote_accumulators */
#define ATTR_APART "cucpu.apart"             /* kernel: bits of parameters "apart,accessed,0" (promote_accumulators) */
#define ATTR_STREAMED "cucpu.streamed"       /* variant: bytes that a thread stores to memory that is only written */
#define MD_STREAM "cucpu.stream"             /* store: of such memory (mark_streams) */
#define ATTR_ANY_ROW "cucpu.any_row"         /* kernel: no gridDim.x is too large for lanes (shapes_has_row) */
#define ATTR_CLUSTER "cucpu.cluster"         /* kernel: blocks of a cluster, "x,y,z" */
#define ATTR_MAX_CLUSTER "cucpu.max_cluster" /* kernel: .maxclusterrank */
#define ATTR_EXPLICIT_CLUSTER "cucpu.explicit_cluster" /* kernel: must be launched with clusters */
#define ATTR_FLUSH "cucpu.flush"                       /* kernel: denormal floats are flushed to zero */
#define ATTR_STEP "cucpu.step"           /* kernel: gridDim.x * this is assumed to be below SHAPES_MAX_ROW as well */
#define ATTR_REGISTERS "cucpu.registers" /* kernel: vector registers that are live at once, as estimated */
#define ATTR_GROWTH "cucpu.growth"       /* variant: instructions that versions have added (version_region.c) */
#define ATTR_DIVERGENT "cucpu.divergent" /* variant: branches that linearise removed */
#define ATTR_VECTOR_VALUES "cucpu.vector_values" /* kernel: --disable=uniform_values */
#define ATTR_LINEAR_FLOW "cucpu.linear_flow"     /* kernel: --disable=uniform_control_flow */
#define ATTR_DEGREE                                                                                                    \
    "cucpu.degree" /* kernel: affine forms of at most this degree: --disable=affine_values, 0, or unknown_strides, 1 */
#define ATTR_USUAL "cucpu.usual" /* blockDim that a kernel is probably launched with: "x,y,z" */
#define ATTR_SUMS "cucpu.sums"   /* kernel made of PTX: addresses are sums of integers without nsw or nuw */
/* global: the handle of the kernel of that name where device code takes its address */
#define HANDLE_PREFIX "cucpu.handle."
#define DEBUG_RECORDS "cucpu.debug"       /* metadata of a frame slot: it has the records of the group's threads */
#define CHECK_TABLE "cucpu.check"         /* global: the CucpuCheck of a checked module (instrument_accesses) */
#define CHECK_ACCESS "cucpu_check_access" /* of the runtime: an access of a thread is right ... */
#define CHECK_THREAD "cucpu_check_thread" /* ... the thread that calls a function */
#define CHECK_BLOCK "cucpu_check_block"   /* ... a group begins its block */
#define CHECK_LANES "cucpu_check_lanes"   /* ... those of the lanes are */
/* --profile=lanes: functions that count, the first one until widen, the other until lower_counters; and their places */
#define COUNT_BRANCH "cucpu_count_branch"
#define COUNT "cucpu_count"
#define COUNTED_PREFIX "cucpu.counted"
#define MD_VARS "cucpu.vars"             /* module: {ptr, flags} of each device variable */
#define MD_MANAGED "cucpu.managed"       /* module: {pointer, start value} of managed variables */
#define MD_SCRATCH "cucpu.scratch"       /* alloca: filled before each use */
#define MD_BLOCK_ONLY "cucpu.block_only" /* atomic: on memory that only its block sees */
#define MD_WIDE_ID "cucpu.wide_id"       /* extension of cucpu.global.x: the source has a sum of 64 bits */
/* store, or load as well: a read-modify-write; no other group may run in between */
#define MD_UNDIVIDED "cucpu.undivided"
#define MD_BLENDABLE "cucpu.blendable" /* masked store: to memory that is private to the block or the group */
/* gather or scatter: each lane's address is an element further on for the thread one further along y */
#define MD_COLUMNS "cucpu.columns"
#define MD_WRAPS "cucpu.wraps" /* with MD_COLUMNS: unless a narrow index wraps */
#define MD_SHAPE "cucpu.shape"

/* Which cucpu.* function a call calls, with any ".v<W>" suffix ignored; NAME_NONE for others. */
Name name_of_call(LLVMValueRef inst);
Name name_of_function(LLVMValueRef fn);
/* Declares it (scalar form) with its attributes in the module of fn, or finds the declaration. */
LLVMValueRef name_function(LLVMModuleRef m, Name n);
const char *name_text(Name n);
/* Convergent: not to be duplicated, hoisted or sunk. */
bool name_is_convergent(Name n);
/* A block-wide barrier of any kind. */
bool name_is_barrier(Name n);
/* The barrier of the cluster. */
bool name_is_cluster(Name n);
/* The barrier of the grid or the cluster: the block may be suspended there and resumed. */
bool name_leaves_block(Name n);
/* A group stops until others have arrived: a barrier of the block or grid, a rendezvous of the warp. */
bool name_is_cut(Name n);
/* Queries the lanes of the mask that is its first operand: any, all, few, front, first. */
bool name_queries_mask(Name n);
/* Exchanges values between the lanes of a warp. */
bool name_is_warp_op(Name n);
bool name_is_thread_id(Name n); /* threadIdx, blockDim, blockIdx, gridDim: THREAD_IDS names from NAME_TID_X on */
enum { THREAD_IDS = 12 };
/* Its result has a bit for each lane of the warp. */
bool name_gives_lanes(Name n);
/* Emits a call of the scalar form. */
LLVMValueRef name_call(LLVMBuilderRef b, LLVMModuleRef m, Name n, LLVMValueRef *args, unsigned nargs,
                       const char *result);
#endif
