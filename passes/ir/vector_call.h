/* vector_call.h: how operands of vector functions (vectorise_calls) lie in memory: in[0] is the mask, a byte for each
** lane (at the end of its slot, the address down to which a recursion may use the stack), in[1 + i] parameter i, out[i]
** result i; each has a slot, lane after lane. The vector function itself has the parameters in, out, and others that it
** does not read: the bytes of a slot, and a stride for each parameter. */
#ifndef CUCPU_VECTOR_CALL_H
#define CUCPU_VECTOR_CALL_H
enum {
    VECTOR_PARAMS = 40,
    VECTOR_RESULTS = 16,
    VECTOR_ALIGN = 64,
    VECTOR_FIRST = 3 /* the parameter with the first stride */
};
/* Bytes: lanes of 8, in whole vectors; slots are in different sets of the cache. */
#define VECTOR_SLOT(lanes) (((lanes)*8u + VECTOR_ALIGN - 1) / VECTOR_ALIGN * VECTOR_ALIGN + VECTOR_ALIGN)
#endif
