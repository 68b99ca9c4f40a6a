/* names.h: the vocabulary of the IR between import and loop_groups: functions cucpu.*, attributes
** and metadata, each spelled once here and in names.def.  After import_nvvm nothing in the
** compiler knows LLVM's NVVM names. */
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

#define ATTR_KERNEL "cucpu.kernel"   /* function: is a kernel */
#define ATTR_MAXNTID "cucpu.maxntid" /* function: __launch_bounds__ threads, decimal */
#define ATTR_REQNTID "cucpu.reqntid" /* function: "x,y,z" */
#define ATTR_WARP "cucpu.warp"       /* kernel: looks at warps */
#define ATTR_WIDTH "cucpu.width"     /* kernel: lanes W */
#define ATTR_LAYOUT "cucpu.layout"   /* kernel: a number of enum Layout */
#define ATTR_BLOCK "cucpu.block"     /* kernel: "x,y,z", 0 = any */
#define ATTR_LAUNCH                                                                                                    \
    "cucpu.launch" /* variant: blockDim "x,y,z" that it is launched with, where cucpu.block is another one of as many threads */
#define ATTR_ALONG                                                                                                     \
    "cucpu.along" /* variant: lanes go along this dimension, 1 or 2, for blocks whose size there is a multiple of the width */
#define ATTR_ALONG_TIME                                                                                                \
    "cucpu.along_time" /* variant: what they take, percent of the time of lanes along x, as estimated */
#define ATTR_SWAPPED_GRID                                                                                              \
    "cucpu.swapped_grid"               /* variant: the grid has changed places as well as the block (cucpu.along) */
#define ATTR_ORDER "cucpu.order"       /* kernel: blocks are numbered along this dimension first (block_order.c) */
#define ATTR_LAUNCHES "cucpu.launches" /* kernel: blockDims it is launched with, "x,y,z;x,y,z" */
#define ATTR_BASE "cucpu.base"         /* variant: name of the kernel it is made of */
#define ATTR_FRAME "cucpu.frame"       /* entry: "fixed,per_group" bytes */
#define ATTR_ENTRY "cucpu.entry"       /* function: an entry made by loop_groups */
#define WITH_IDS "cucpu_with_ids" /* functions: the wrappers of calls that stay (inline_device), one for each call */
#define ATTR_OUTLINED                                                                                                  \
    "cucpu.outlined" /* function: inline_device leaves it to vectorise_calls; kernel: too large without such calls */
#define ATTR_VECTOR                                                                                                    \
    "cucpu.vector" /* function: has vector functions, made of the kernel of this name; that kernel and its variants: "" */
#define ATTR_UNIFORM                                                                                                   \
    "cucpu.uniform" /* such a function: "1" for each parameter that is the same in all lanes, else "0" */
#define CALLED_PREFIX "cucpu.called."     /* functions: such ones with functions of the warp in them */
#define ATTR_RETRY "cucpu.retry"          /* function: a loop that outline_retries took out of a kernel */
#define ATTR_SHARED "cucpu.static_shared" /* kernel: bytes */
#define ATTR_ARRAYS "cucpu.arrays"        /* kernel: __shared__ variables, "offset,bytes;offset,bytes" */
#define ATTR_COUNTERS                                                                                                  \
    "cucpu.counters" /* kernel that counts privately: "parameters,those of 8 bytes,1 if threads may seldom count", bits */
#define ATTR_FLAGS "cucpu.flags"             /* kernel: CUCPU_KERNEL_* */
#define ATTR_JOINED "cucpu.joined"           /* kernel: asks for no id along x but cucpu.global.x */
#define ATTR_ANY_ROW "cucpu.any_row"         /* kernel: no gridDim.x is too large for lanes (shapes_has_row) */
#define ATTR_CLUSTER "cucpu.cluster"         /* kernel: blocks of a cluster, "x,y,z" */
#define ATTR_MAX_CLUSTER "cucpu.max_cluster" /* kernel: .maxclusterrank */
#define ATTR_EXPLICIT_CLUSTER "cucpu.explicit_cluster" /* kernel: must be launched with clusters */
#define ATTR_FLUSH "cucpu.flush"                       /* kernel: denormal floats are flushed to zero */
#define ATTR_WIDE "cucpu.wide"                         /* variant: has more lanes than the others */
#define ATTR_MARCH                                                                                                     \
    "cucpu.march" /* variant: a row of blocks marches together, where the function of this name says so (march_rows) */
#define ATTR_STACKED                                                                                                   \
    "cucpu.stacked" /* such a variant: rows of the grid march together, as it asks for no id along y but blockIdx.y * blockDim.y + threadIdx.y */
#define ATTR_ALONE "cucpu.alone" /* entry: called by that of such a variant */
#define ATTR_STEP "cucpu.step"   /* kernel: gridDim.x * this is taken to be below SHAPES_MAX_ROW as well */
#define ATTR_SCALAR                                                                                                    \
    "cucpu.scalar" /* variant: code of one lane, beside variants of more: its estimated time, percent of theirs */
#define ATTR_BELOW "cucpu.below"                 /* variant: has fewer lanes, for rows of fewer threads than this */
#define ATTR_INNER "cucpu.inner"                 /* variant: copy_inner made a copy for blocks inside the grid */
#define ATTR_BEHIND "cucpu.behind"               /* variant for one block: rows of any block are taken before it */
#define ATTR_REGISTERS "cucpu.registers"         /* kernel: vector registers that are live at once, as estimated */
#define ATTR_DIVERGENT "cucpu.divergent"         /* variant: branches that linearise dissolved */
#define ATTR_VECTOR_VALUES "cucpu.vector_values" /* kernel: --disable=uniform_values */
#define ATTR_LINEAR_FLOW "cucpu.linear_flow"     /* kernel: --disable=uniform_control_flow */
#define ATTR_USUAL "cucpu.usual"                 /* blockDim that a kernel is probably launched with: "x,y,z" */
#define ATTR_SUMS                                                                                                      \
    "cucpu.sums" /* kernel made of PTX: addresses are sums of integers, no addend says that it     \
                    does not wrap */
#define HANDLE_PREFIX                                                                                                  \
    "cucpu.handle."                /* global: stands for the kernel of that name where device code takes its address */
#define MD_VARS "cucpu.vars"       /* module: {ptr, flags} of each device variable */
#define MD_MANAGED "cucpu.managed" /* module: {pointer, start value} of managed variables */
#define MD_SCRATCH "cucpu.scratch" /* alloca: filled before each use */
#define MD_BLOCK_ONLY "cucpu.block_only" /* atomic: on memory that only its block sees */
#define MD_UNDIVIDED                                                                                                   \
    "cucpu.undivided" /* store, or load as well: the one is made of what the other loaded; no other group may run in between */
#define MD_BLENDABLE "cucpu.blendable" /* masked store: to memory of the block, or of the group, alone */
#define MD_SHAPE "cucpu.shape"

/* Which cucpu.* function a call calls, with any ".v<W>" suffix ignored; NAME_NONE for others. */
Name name_of_call(LLVMValueRef inst);
Name name_of_function(LLVMValueRef fn);
/* Declares it (scalar form) with its attributes in the module of fn, or finds it. */
LLVMValueRef name_function(LLVMModuleRef m, Name n);
const char *name_text(Name n);
/* What other threads or lanes do matters to it: not to be duplicated, hoisted or sunk. */
bool name_is_convergent(Name n);
/* A block-wide barrier of any kind. */
bool name_is_barrier(Name n);
/* The barrier of the cluster. */
bool name_is_cluster(Name n);
/* That of the grid or the cluster: the block may be left there, and entered again. */
bool name_leaves_block(Name n);
/* Where a group stops until others have arrived: a barrier of the block or grid, a meeting of the warp. */
bool name_is_cut(Name n);
/* Asks the lanes of the mask that is its first operand: any, all, few, front, first. */
bool name_asks_mask(Name n);
/* Exchanges values between the lanes of a warp. */
bool name_is_warp_op(Name n);
/* Its result has a bit for each lane of the warp. */
bool name_gives_lanes(Name n);
/* Emits a call of the scalar form. */
LLVMValueRef name_call(LLVMBuilderRef b, LLVMModuleRef m, Name n, LLVMValueRef *args, unsigned nargs,
                       const char *result);
#endif
