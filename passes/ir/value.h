/* value.h: iteration over a function, and queries of values and types: what LLVM's C++ API has and its C API lacks. */
#ifndef CUCPU_VALUE_H
#define CUCPU_VALUE_H
#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- iteration: heads of loops. Where blocks are visited as well, `break` only leaves the block. ---- */
#define for_each_function(f, mod) for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
#define for_each_block(bb, fn)                                                                                         \
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
#define for_each_in_block(i, bb) for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
#define for_each_phi(p, bb)                                                                                            \
    for (LLVMValueRef p = LLVMGetFirstInstruction(bb); p && LLVMIsAPHINode(p); p = LLVMGetNextInstruction(p))
#define for_each_instruction(i, fn)                                                                                    \
    for (LLVMBasicBlockRef i##_block = LLVMGetFirstBasicBlock(fn); i##_block;                                          \
         i##_block = LLVMGetNextBasicBlock(i##_block))                                                                 \
        for (LLVMValueRef i = LLVMGetFirstInstruction(i##_block); i; i = LLVMGetNextInstruction(i))
/* The same by block number: of a Cfg (cfg.h), or of one of its loops. */
#define for_each_cfg_instruction(i, number, cfg)                                                                       \
    for (int number = 0; number < (cfg)->n; number++)                                                                  \
        for (LLVMValueRef i = LLVMGetFirstInstruction((cfg)->b[number].bb); i; i = LLVMGetNextInstruction(i))
#define for_each_loop_instruction(i, number, cfg, loop)                                                                \
    for (int number = (loop)->first; number <= (loop)->last; number++)                                                 \
        for (LLVMValueRef i = LLVMGetFirstInstruction((cfg)->b[number].bb); i; i = LLVMGetNextInstruction(i))
/* The user of each use of v. The current use may be changed, others not. */
#define for_each_user(i, v) for (LLVMValueRef i, i##_use = first_use_of(v); (i = next_user(&i##_use));)
static inline LLVMValueRef first_use_of(LLVMValueRef v) { return (LLVMValueRef)(void *)LLVMGetFirstUse(v); }
static inline LLVMValueRef next_user(LLVMValueRef *use) {
    LLVMUseRef u = (LLVMUseRef)(void *)*use;
    if (!u) return NULL;
    *use = (LLVMValueRef)(void *)LLVMGetNextUse(u);
    return LLVMGetUser(u);
}

/* ---- operations ---- */
/* Classes of operations; a set of them is their sum. */
enum {
    OP_ADD = 1 << 0, /* add, sub */
    OP_MUL = 1 << 1,
    OP_SHL = 1 << 2,
    OP_SHR = 1 << 3,     /* lshr, ashr */
    OP_BITWISE = 1 << 4, /* and, or, xor */
    OP_DIV = 1 << 5,     /* udiv, sdiv, urem, srem */
    OP_EXT = 1 << 6,     /* zext, sext */
    OP_TRUNC = 1 << 7,
    OP_PTR_CAST = 1 << 8, /* ptrtoint, inttoptr, bitcast, addrspacecast */
    OP_ICMP = 1 << 9,
    OP_SELECT = 1 << 10,
    OP_GEP = 1 << 11,
    OP_FREEZE = 1 << 12,
    OP_PHI = 1 << 13,
    OP_FLOAT = 1 << 14, /* fneg, fadd, fsub, fmul, fdiv, frem */
    OP_FCAST = 1 << 15, /* to, from and between floats */
    OP_FCMP = 1 << 16,
    OP_VECTOR = 1 << 17, /* extractelement, insertelement, shufflevector */
    OP_CALL = 1 << 18,
    OP_LOAD = 1 << 19,
    OP_STORE = 1 << 20,
    OP_ATOMIC = 1 << 21,    /* atomicrmw, cmpxchg */
    OP_AGGREGATE = 1 << 22, /* extractvalue, insertvalue */
    OP_OTHER = 1 << 23,
    OP_INT_CAST = OP_EXT | OP_TRUNC,
    OP_SHIFT = OP_SHL | OP_SHR,
    OP_INT_BINARY = OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_DIV
};
unsigned op_class(LLVMValueRef v); /* 0: not an instruction */
static inline bool is_op(LLVMValueRef v, unsigned classes) { return (op_class(v) & classes) != 0; }
LLVMOpcode opcode(LLVMValueRef v); /* 0: not an instruction */

/* ---- constants ---- */
bool is_constant(LLVMValueRef v, uint64_t c);         /* an integer, zero-extended */
LLVMValueRef const_int_of(LLVMValueRef v, int64_t c); /* of the type of v, a scalar */
LLVMValueRef const_bool(LLVMContextRef c, bool v);

/* ---- types ---- */
LLVMTypeRef element_type(LLVMTypeRef t); /* of a vector; other types are their own */
bool is_vector(LLVMValueRef v);
bool is_integer(LLVMValueRef v); /* a scalar */
bool is_integer_type(LLVMTypeRef t, unsigned bits);
unsigned int_bits(LLVMValueRef v);      /* the width of an integer, or of the elements of a vector of integers */
bool is_float_type(LLVMTypeRef t);      /* half, bfloat, float or double */
bool is_float_or_double(LLVMTypeRef t); /* the element type, of a vector */

/* The scalar that all lanes of v hold, broadcast by a shuffle; NULL: it is no such broadcast. */
LLVMValueRef splat_value(LLVMValueRef v);

/* ---- names and calls ---- */
/* A __shared__ variable, or a constant that is made of the address of one. */
bool refers_to_shared(LLVMValueRef v);
const char *value_name(LLVMValueRef v);
LLVMValueRef called_function(LLVMValueRef v);              /* NULL: no call, or of an address */
const char *called_name(LLVMValueRef v);                   /* "" likewise */
bool is_intrinsic(LLVMValueRef v, const char *name);       /* "llvm.fma", over any type */
bool is_int_min_max(LLVMValueRef v);                       /* llvm.smin, smax, umin, umax */
unsigned call_align(LLVMValueRef call, unsigned argument); /* of a pointer, by its attribute; else 1 */
/* The operand that is the address of a load, store, atomicrmw or cmpxchg; -1: i is none. */
int accessed_operand(LLVMValueRef i);
/* Which operands of llvm.masked.load, store, gather or scatter are what; value: what is stored, or has inactive
** lanes. */
typedef struct MaskedOperands {
    unsigned pointer, mask, value;
    bool store, scattered; /* a store or scatter; a gather or scatter */
} MaskedOperands;
bool masked_operands(LLVMValueRef v, MaskedOperands *m);
bool is_plain_add(LLVMValueRef v); /* an add, or an or of integers without common bits (disjoint) */
/* Two instructions of one opcode, of integers or addresses: their flags (nuw, nneg, inbounds, ...) are the same. */
bool have_same_flags(LLVMValueRef v, LLVMValueRef w);
/* Without the basic block and function operands of calls and branches. */
unsigned value_operands(LLVMValueRef i);
/* The memory at p is only loaded and copied from, as far as p is concerned. */
bool memory_only_read(LLVMValueRef p);
#endif
