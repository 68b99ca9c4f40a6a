/* tensor.h: tensor maps: what the 128 bytes of a CUtensorMap hold.  The driver API writes them (driver/tensor.c), and
** so does tensormap.replace; bulk copies of tensors read them (tensor.c, tensor_reduce.c). */
#ifndef CUCPU_TENSOR_H
#define CUCPU_TENSOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_TENSOR_RANK = 5, RT_TENSOR_MARK = 0x7e50da9a };

/* As PTX numbers them (tensormap.replace). */
typedef enum RtTensorType {
    RT_TENSOR_U8,
    RT_TENSOR_U16,
    RT_TENSOR_U32,
    RT_TENSOR_S32,
    RT_TENSOR_U64,
    RT_TENSOR_S64,
    RT_TENSOR_F16,
    RT_TENSOR_F32,
    RT_TENSOR_F32_FTZ,
    RT_TENSOR_F64,
    RT_TENSOR_BF16,
    RT_TENSOR_TF32,
    RT_TENSOR_TF32_FTZ,
    RT_TENSOR_TYPES
} RtTensorType;

/* Bit 21 of the second word is never set, as programs clear it, for what it means on a GPU (CUTLASS). */
typedef struct RtTensorMap {
    uint64_t address;
    uint8_t rank;      /* dimensions - 1 */
    uint8_t swizzle;   /* rows of 32 << (swizzle - 1) bytes; 0: none */
    uint8_t type;      /* < 32: its bit 5 is the one that is cleared */
    uint8_t atomicity; /* of 128-byte rows: units of 16 bytes, 32, 32 whose halves change places, 64 */
    uint32_t mark;
    uint64_t stride[RT_TENSOR_RANK - 1]; /* in bytes, of dimensions 1 to 4 */
    uint32_t last[RT_TENSOR_RANK];       /* index of a dimension */
    uint16_t box[RT_TENSOR_RANK];        /* in elements; im2col: channels, pixels */
    uint8_t step[RT_TENSOR_RANK];        /* element strides */
    uint8_t fill_nan, im2col;
    int16_t lower[RT_TENSOR_RANK - 2], upper[RT_TENSOR_RANK - 2]; /* im2col: corners of the bounding box */
} RtTensorMap;
_Static_assert(sizeof(RtTensorMap) <= 128, "the size of a CUtensorMap");
_Static_assert(offsetof(RtTensorMap, type) == 8 + 21 / 8 && RT_TENSOR_TYPES <= 1 << 21 % 8, "bit 21 is never set");

unsigned rt_tensor_bytes(unsigned type); /* of an element; 0: no such type */

/* tensor_reduce.c: to[i] = to[i] op from[i], each atomically; op: as in tensor.c */
void rt_tensor_reduce(unsigned type, unsigned op, void *to, const void *from, unsigned elements);
enum {
    RT_REDUCE_NONE,
    RT_REDUCE_ADD,
    RT_REDUCE_MIN,
    RT_REDUCE_MAX,
    RT_REDUCE_INC,
    RT_REDUCE_DEC,
    RT_REDUCE_AND,
    RT_REDUCE_OR,
    RT_REDUCE_XOR
};
#endif
