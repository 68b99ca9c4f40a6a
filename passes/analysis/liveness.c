/* liveness.c: see liveness.h.  Backward iteration over the compact order until nothing changes. */
#include "passes/analysis/liveness.h"

int live_number(const Liveness *l, LLVMValueRef v) { return (int)map_get(&l->number, v, 0) - 1; }

static void number_values(Arena *a, Liveness *l, const Cfg *c) {
    map_init(&l->number, a);
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < c->n; b++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb); i; i = LLVMGetNextInstruction(i)) {
                if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind) continue;
                if (pass) {
                    l->value[l->n] = i;
                    map_put(&l->number, i, (uintptr_t)++l->n);
                } else {
                    count++;
                }
            }
        if (!pass) l->value = arena_array(a, LLVMValueRef, count + 1);
    }
}

static void block_sets(const Liveness *l, const Cfg *c, int b, Bits use, Bits def, Bits *phi_out) {
    for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb); i; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsAPHINode(i)) {
            for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
                int v = live_number(l, LLVMGetIncomingValue(i, k));
                int p = cfg_number(c, LLVMGetIncomingBlock(i, k));
                if (v >= 0 && p >= 0) bits_add(phi_out[p], v);
            }
        } else {
            for (int k = 0; k < LLVMGetNumOperands(i); k++) {
                int v = live_number(l, LLVMGetOperand(i, (unsigned)k));
                if (v >= 0 && !bits_has(def, v)) bits_add(use, v);
            }
        }
        int d = live_number(l, i);
        if (d >= 0) bits_add(def, d);
    }
}

Liveness *liveness(Arena *a, const Cfg *c) {
    Liveness *l = arena_alloc(a, sizeof *l);
    number_values(a, l, c);
    int words = (l->n + 63) / 64 + 1;
    Bits *use = arena_array(a, Bits, c->n), *def = arena_array(a, Bits, c->n);
    Bits *phi_out = arena_array(a, Bits, c->n);
    l->in = arena_array(a, Bits, c->n);
    l->out = arena_array(a, Bits, c->n);
    for (int b = 0; b < c->n; b++) {
        use[b] = bits_new(a, l->n);
        def[b] = bits_new(a, l->n);
        phi_out[b] = bits_new(a, l->n);
        l->in[b] = bits_new(a, l->n);
        l->out[b] = bits_new(a, l->n);
    }
    for (int b = 0; b < c->n; b++) block_sets(l, c, b, use[b], def[b], phi_out);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = c->n - 1; b >= 0; b--)
            for (int w = 0; w < words; w++) {
                uint64_t out = phi_out[b][w];
                for (int s = 0; s < c->b[b].nsucc; s++) out |= l->in[c->b[b].succ[s]][w];
                uint64_t in = use[b][w] | (out & ~def[b][w]);
                if (in != l->in[b][w] || out != l->out[b][w]) changed = true;
                l->in[b][w] = in;
                l->out[b][w] = out;
            }
    }
    return l;
}
