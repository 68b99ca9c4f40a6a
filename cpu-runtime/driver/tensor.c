/* tensor.c: the driver API: tensor maps.
**
** Checks what NVIDIA's documentation demands.  Not supported: interleaved layouts, elements of 4 and 6 bits. */
#include "exec/tensor.h"
#include "driver/driver.h"
#include <string.h>

enum { MAX_BOX = 256, MAX_PIXELS = 1024, MAX_STEP = 8, ALIGN = 16 };

/* Of a CUtensorMapDataType. */
static const uint8_t types[] = {RT_TENSOR_U8,      RT_TENSOR_U16,  RT_TENSOR_U32,     RT_TENSOR_S32, RT_TENSOR_U64,
                                RT_TENSOR_S64,     RT_TENSOR_F16,  RT_TENSOR_F32,     RT_TENSOR_F64, RT_TENSOR_BF16,
                                RT_TENSOR_F32_FTZ, RT_TENSOR_TF32, RT_TENSOR_TF32_FTZ};

static CUresult refuse(const char *what) {
    rt_message("tensor maps: %s", what);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* What tiles and images have in common. */
typedef struct Common {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void *address;
    const cuuint64_t *dim, *strides;
    const cuuint32_t *steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
} Common;

static bool is_aligned(uint64_t v) { return v % ALIGN == 0; }

static CUresult check(const CUtensorMap *map, const Common *c, unsigned least) {
    if (!map || (uintptr_t)map % 64 || !c->dim || !c->steps || c->rank < least || c->rank > RT_TENSOR_RANK ||
        (c->rank > 1 && !c->strides) || !c->address || !is_aligned((uintptr_t)c->address) ||
        (unsigned)c->type > CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B ||
        (unsigned)c->swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ||
        (unsigned)c->interleave > CU_TENSOR_MAP_INTERLEAVE_32B || (unsigned)c->fill > 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (c->type >= RT_COUNT(types)) return refuse("elements of 4 and 6 bits are not supported");
    if (c->interleave) return refuse("interleaved layouts are not supported");
    if (c->fill && types[c->type] < RT_TENSOR_F16) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned d = 0; d < c->rank; d++) {
        if (!c->dim[d] || c->dim[d] > 1ull << 32 || c->steps[d] < 1 || c->steps[d] > MAX_STEP)
            return CUDA_ERROR_INVALID_VALUE;
        if (d && (!is_aligned(c->strides[d - 1]) || c->strides[d - 1] >= 1ull << 40)) return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static bool row_fits(const Common *c, unsigned elements) {
    unsigned bytes = elements * rt_tensor_bytes(types[c->type]),
             most = !c->swizzle ? ~0u : 16u << (c->swizzle < 3 ? c->swizzle : 3);
    return elements && elements <= MAX_BOX && is_aligned(bytes) && bytes <= most;
}

static void write(CUtensorMap *map, const Common *c, RtTensorMap m) {
    m.mark = RT_TENSOR_MARK;
    m.type = types[c->type];
    m.rank = (uint8_t)(c->rank - 1);
    m.swizzle = (uint8_t)(c->swizzle < 3 ? c->swizzle : 3);
    m.atomicity = (uint8_t)(c->swizzle < 3 ? 0 : c->swizzle - 3);
    m.address = (uintptr_t)c->address;
    m.fill_nan = c->fill != 0;
    for (unsigned d = 0; d < c->rank; d++) {
        m.last[d] = (uint32_t)(c->dim[d] - 1);
        m.step[d] = (uint8_t)(d ? c->steps[d] : 1);
        if (d) m.stride[d - 1] = c->strides[d - 1];
    }
    memset(map, 0, sizeof *map);
    memcpy(map, &m, sizeof m);
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *dim, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
    Common c = {type, rank, address, dim, strides, element_strides, interleave, swizzle, fill};
    RtTensorMap m = {0};
    DRV_ENTER(false);
    (void)promotion;
    CUresult error = check(map, &c, 1);
    if (error) return error;
    if (!box || !row_fits(&c, box[0])) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned d = 0; d < rank; d++) {
        if (!box[d] || box[d] > MAX_BOX) return CUDA_ERROR_INVALID_VALUE;
        m.box[d] = (uint16_t)box[d];
    }
    write(map, &c, m);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *dim, const cuuint64_t *strides, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *element_strides,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    static const int limit[] = {1 << 15, 1 << 7, 1 << 4}; /* of the corners, by rank */
    Common c = {type, rank, address, dim, strides, element_strides, interleave, swizzle, fill};
    RtTensorMap m = {.im2col = 1};
    DRV_ENTER(false);
    (void)promotion;
    CUresult error = check(map, &c, 3);
    if (error) return error;
    if (!lower || !upper || !row_fits(&c, channels) || !pixels || pixels > MAX_PIXELS) return CUDA_ERROR_INVALID_VALUE;
    m.box[0] = (uint16_t)channels;
    m.box[1] = (uint16_t)pixels;
    for (unsigned d = 0; d < rank - 2; d++) {
        int most = limit[rank - 3];
        if (lower[d] < -most || lower[d] >= most || upper[d] < -most || upper[d] >= most)
            return CUDA_ERROR_INVALID_VALUE;
        m.lower[d] = (int16_t)lower[d];
        m.upper[d] = (int16_t)upper[d];
    }
    write(map, &c, m);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
    RtTensorMap m;
    DRV_ENTER(false);
    if (!map || !address || !is_aligned((uintptr_t)address)) return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, map, sizeof m);
    if (m.mark != RT_TENSOR_MARK) return CUDA_ERROR_INVALID_VALUE;
    m.address = (uintptr_t)address;
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}
