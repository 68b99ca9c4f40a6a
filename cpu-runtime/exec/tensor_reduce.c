/* tensor_reduce.c: the operations of cp.reduce.async.bulk.tensor: each element of global memory is changed atomically.
**
** Elements of 16 bits: halves and bfloat16, rounded to nearest after each addition. */
#include "exec/tensor.h"
#include <string.h>

static float from_bf16(uint16_t h) {
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static uint16_t to_bf16(float f) {
    uint32_t i;
    memcpy(&i, &f, 4);
    return f != f ? 0x7fff : (uint16_t)((i + 0x7fff + (i >> 16 & 1)) >> 16);
}

static float from_f16(uint16_t h) {
    _Float16 f;
    memcpy(&f, &h, 2);
    return (float)f;
}

static uint16_t to_f16(float f) {
    _Float16 half = (_Float16)f;
    uint16_t h;
    memcpy(&h, &half, 2);
    return h;
}

static float combine_floats(unsigned op, float a, float b) {
    if (op == RT_REDUCE_ADD) return a + b;
    if (a != a) return b;
    if (b != b) return a;
    return op == RT_REDUCE_MIN ? (a < b ? a : b) : a > b ? a : b;
}

static uint16_t combine16(unsigned type, unsigned op, uint16_t a, uint16_t b) {
    switch (type) {
    case RT_TENSOR_F16: return to_f16(combine_floats(op, from_f16(a), from_f16(b)));
    case RT_TENSOR_BF16: return to_bf16(combine_floats(op, from_bf16(a), from_bf16(b)));
    default: return op == RT_REDUCE_AND ? a & b : op == RT_REDUCE_OR ? a | b : a ^ b;
    }
}

static uint64_t combine_bits(unsigned op, uint64_t a, uint64_t b) {
    switch (op) {
    case RT_REDUCE_AND: return a & b;
    case RT_REDUCE_OR: return a | b;
    case RT_REDUCE_XOR: return a ^ b;
    default: return a + b;
    }
}

static uint32_t combine32(unsigned type, unsigned op, uint32_t a, uint32_t b) {
    bool less = type == RT_TENSOR_S32 ? (int32_t)a < (int32_t)b : a < b;
    if (type >= RT_TENSOR_F16 && op <= RT_REDUCE_MAX) {
        float x, y;
        memcpy(&x, &a, 4), memcpy(&y, &b, 4);
        x = combine_floats(op, x, y);
        memcpy(&a, &x, 4);
        return a;
    }
    switch (op) {
    case RT_REDUCE_MIN: return less ? a : b;
    case RT_REDUCE_MAX: return less ? b : a;
    case RT_REDUCE_INC: return a >= b ? 0 : a + 1;
    case RT_REDUCE_DEC: return a == 0 || a > b ? b : a - 1;
    default: return (uint32_t)combine_bits(op, a, b);
    }
}

static uint64_t combine64(unsigned type, unsigned op, uint64_t a, uint64_t b) {
    bool less = type == RT_TENSOR_S64 ? (int64_t)a < (int64_t)b : a < b;
    if (type == RT_TENSOR_F64 && op == RT_REDUCE_ADD) {
        double x, y;
        memcpy(&x, &a, 8), memcpy(&y, &b, 8);
        x += y;
        memcpy(&a, &x, 8);
        return a;
    }
    if (op == RT_REDUCE_MIN) return less ? a : b;
    if (op == RT_REDUCE_MAX) return less ? b : a;
    return combine_bits(op, a, b);
}

#define REDUCE(bits)                                                                                                   \
    static void reduce##bits(unsigned type, unsigned op, uint##bits##_t *to, const uint##bits##_t *from, unsigned n) { \
        for (unsigned i = 0; i < n; i++) {                                                                             \
            uint##bits##_t old = __atomic_load_n(&to[i], __ATOMIC_RELAXED), now;                                       \
            do now = combine##bits(type, op, old, from[i]);                                                            \
            while (!__atomic_compare_exchange_n(&to[i], &old, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));         \
        }                                                                                                              \
    }
REDUCE(16)
REDUCE(32)
REDUCE(64)

/* There are no operations on single bytes. */
void rt_tensor_reduce(unsigned type, unsigned op, void *to, const void *from, unsigned elements) {
    switch (rt_tensor_bytes(type)) {
    case 2: reduce16(type, op, to, from, elements); break;
    case 4: reduce32(type, op, to, from, elements); break;
    case 8: reduce64(type, op, to, from, elements); break;
    default: break;
    }
}
