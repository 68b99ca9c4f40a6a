/* vector_call.h: how operands of vector functions (vectorise_calls) lie in memory: in[0] is the mask, a byte for each
** lane, in[1 + i] parameter i, out[i] result i; each has a slot, lane after lane. */
#ifndef CUCPU_VECTOR_CALL_H
#define CUCPU_VECTOR_CALL_H
enum {
    VECTOR_PARAMS = 40,
    VECTOR_RESULTS = 16,
    VECTOR_ALIGN = 64,
    VECTOR_SLOT = 64 * 8 + VECTOR_ALIGN /* bytes: 64 lanes of 8; slots are in different sets of the cache */
};
#endif
