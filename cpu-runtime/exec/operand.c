/* operand.c: the address that a faulting instruction meant.
**
** The processor reports a general protection fault without an address: of an address that is none (not canonical),
** and of a vector move that wants its operand aligned.  To distinguish these, and to find the address, the
** instruction's memory operand is decoded: prefixes, REX, VEX or EVEX, opcode, ModRM, SIB and displacement, as in
** Intel's manual, volume 2, chapter 2. */
#define _GNU_SOURCE
#include "exec/fault.h"
#include <string.h>
#include <ucontext.h>

enum { TRAP_GENERAL_PROTECTION = 13 };

typedef struct Operand {
    const uint8_t *at; /* ModRM */
    unsigned x8, b8;   /* the fourth bit of a register's number */
    unsigned unit;     /* of an 8-bit displacement */
} Operand;

static const int gregs[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static bool is_prefix(uint8_t c) { return c && strchr("\x66\xf2\xf3\x2e\x36\x3e\x26\x67\xf0", c); }

static const uint8_t *skip_opcode(const uint8_t *p) {
    if (*p != 0x0f) return p + 1;
    return p[1] == 0x38 || p[1] == 0x3a ? p + 3 : p + 2;
}

/* false: a string instruction, or one with a segment, which has no operand of this form. */
static bool find_operand(const uint8_t *p, Operand *o) {
    while (is_prefix(*p)) p++;
    *o = (Operand){.unit = 1};
    if (*p == 0xc5) {
        o->at = p + 3;
    } else if (*p == 0xc4) {
        o->x8 = ~p[1] >> 6 & 1, o->b8 = ~p[1] >> 5 & 1;
        o->at = p + 4;
    } else if (*p == 0x62) {
        o->x8 = ~p[1] >> 6 & 1, o->b8 = ~p[1] >> 5 & 1;
        o->unit = 16u << (p[3] >> 5 & 3);
        o->at = p + 5;
    } else {
        if ((*p & 0xf0) == 0x40) {
            o->x8 = *p >> 1 & 1, o->b8 = *p & 1;
            p++;
        }
        if ((*p >= 0xa4 && *p <= 0xaf) || *p == 0x64 || *p == 0x65) return false;
        o->at = skip_opcode(p);
    }
    return *o->at >> 6 != 3;
}

static uint64_t displacement(const uint8_t *p, unsigned mod, unsigned base, unsigned unit) {
    int32_t wide;
    memcpy(&wide, p, sizeof wide);
    if (mod == 1) return (uint64_t)((int64_t)(int8_t)*p * (int64_t)unit);
    return mod == 2 || base == 5 ? (uint64_t)(int64_t)wide : 0;
}

/* What the instruction of the context addresses; false: no memory, or none that is decoded here. */
static bool operand_address(const ucontext_t *c, uint64_t *address) {
    const greg_t *r = c->uc_mcontext.gregs;
    Operand o;
    if (!find_operand((const uint8_t *)r[REG_RIP], &o)) return false;
    unsigned mod = *o.at >> 6, base = *o.at & 7;
    const uint8_t *rest = o.at + 1;
    uint64_t sum = 0;
    if (base == 4) {
        unsigned index = (*rest >> 3 & 7) | o.x8 << 3;
        base = *rest & 7;
        if (index != 4) sum += (uint64_t)r[gregs[index]] << (*rest >> 6);
        rest++;
    } else if (mod == 0 && base == 5) {
        return false; /* relative to the instruction */
    }
    if (mod || base != 5) sum += (uint64_t)r[gregs[base | o.b8 << 3]];
    *address = sum + displacement(rest, mod, base, o.unit);
    return true;
}

cudaError_t rt_explain_fault(const void *context, void **address) {
    const ucontext_t *c = context;
    uint64_t a;
    if (c->uc_mcontext.gregs[REG_TRAPNO] != TRAP_GENERAL_PROTECTION || !operand_address(c, &a))
        return cudaErrorIllegalAddress;
    *address = (void *)(uintptr_t)a;
    bool canonical = (int64_t)(a << 16) >> 16 == (int64_t)a;
    return canonical ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress;
}

uintptr_t rt_program_counter(const void *context) {
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

uintptr_t rt_stack_pointer(const void *context) {
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
}
