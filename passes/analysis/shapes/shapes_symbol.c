/* shapes_symbol.c: value numbers for pure expressions of ids, arguments and constants.
**
** Such a value is the same for a thread whenever it is computed: blockDim.x read in every iteration of a divergent loop
** does not differ outside of it, and blockDim.x read in both arms of a branch is one value after it. Two values with
** the same number are equal (unless one is poison). Values that depend on loads or on what a loop or branch chose have
** no number. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/value.h"

typedef struct Symbol {
    uint64_t key[6];
    uint32_t id;
} Symbol;

static uint64_t hash(const uint64_t key[6]) {
    uint64_t h = 0;
    for (int i = 0; i < 6; i++) {
        h = (h ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

/* The slot of a key in a table of that size: its own, or a free one. */
static Symbol *find_symbol(Symbol *table, uint32_t size, const uint64_t key[6]) {
    uint32_t i = (uint32_t)hash(key) & (size - 1);
    while (table[i].id && memcmp(table[i].key, key, sizeof table[i].key) != 0) i = (i + 1) & (size - 1);
    return &table[i];
}

static void grow_symbols(Shapes *s) {
    uint32_t size = s->capsymbols ? 2 * s->capsymbols : 64;
    Symbol *table = arena_array(s->a, Symbol, size);
    for (uint32_t i = 0; i < s->capsymbols; i++)
        if (s->symbols[i].id) *find_symbol(table, size, s->symbols[i].key) = s->symbols[i];
    s->symbols = table;
    s->capsymbols = size;
}

static uint32_t intern_key(Shapes *s, const uint64_t key[6]) {
    if (2 * s->nsymbols >= s->capsymbols) grow_symbols(s);
    Symbol *x = find_symbol(s->symbols, s->capsymbols, key);
    if (x->id) return x->id;
    memcpy(x->key, key, sizeof x->key);
    return x->id = ++s->nsymbols;
}

static uint32_t leaf(Shapes *s, LLVMValueRef v) {
    return intern_key(s, (uint64_t[6]){UINT64_MAX, (uint64_t)(uintptr_t)v});
}

static uint32_t of_operand(Shapes *s, LLVMValueRef v) {
    uintptr_t k = map_get(&s->index, v, 0);
    if (k) return s->fact[k - 1].symbol;
    return LLVMIsConstant(v) && !LLVMIsUndef(v) ? leaf(s, v) : 0;
}

uint32_t shapes_symbol(Shapes *s, LLVMValueRef v) {
    if (LLVMIsAArgument(v)) return leaf(s, v);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    uint64_t key[6] = {(uint64_t)op, (uint64_t)(uintptr_t)LLVMTypeOf(v)};
    switch (op) {
    case LLVMCall: {
        Name n = shapes_name(s, v);
        if (n < NAME_TID_X || n > NAME_DYN_SIZE) return 0;
        key[2] = (uint64_t)n;
        if (n == NAME_GLOBAL_X) key[3] = (uint64_t)(uintptr_t)LLVMGetOperand(v, 0);
        return intern_key(s, key);
    }
    case LLVMGetElementPtr: key[5] = (uint64_t)(uintptr_t)LLVMGetGEPSourceElementType(v); break;
    case LLVMICmp: key[5] = (uint64_t)LLVMGetICmpPredicate(v); break;
    default:
        if (!is_op(v, OP_INT_BINARY | OP_INT_CAST | OP_PTR_CAST)) return 0;
    }
    int n = LLVMGetNumOperands(v);
    if (n > 3) return 0;
    for (int i = 0; i < n; i++) {
        key[2 + i] = of_operand(s, LLVMGetOperand(v, (unsigned)i));
        if (!key[2 + i]) return 0;
    }
    return intern_key(s, key);
}
