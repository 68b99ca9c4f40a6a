/* tensor.c: bulk copies of tensors (cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, tensormap.replace).
**
** A box is copied row by row: a row is what lies along dimension 0.  In shared memory rows follow each other; units of
** 16 bytes are permuted by the address in shared memory where the map says so.  What is outside of the tensor is read
** as zero or NaN, and not written.  Copies are complete when these functions return. */
#include "exec/tensor.h"
#include "exec/worker.h"
#include <string.h>

typedef struct Copy {
    const RtTensorMap *map;
    char *shared;
    uint32_t at;   /* of `shared` within the block's shared memory: decides how units are permuted */
    uint32_t done; /* bytes */
    unsigned op;   /* CUCPU_TENSOR_* */
    int32_t first[RT_TENSOR_RANK];
    uint16_t offset[RT_TENSOR_RANK - 2];
} Copy;

unsigned rt_tensor_bytes(unsigned type) {
    static const uint8_t bytes[RT_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
    return type < RT_TENSOR_TYPES ? bytes[type] : 0;
}

static _Noreturn void refuse(const char *what) {
    char where[512];
    rt_describe_kernel(where, sizeof where);
    rt_message("%s: %s", where, what);
    rt_worker_fault(cudaErrorIllegalInstruction);
}

/* ---- rows ---- */

/* Where byte `at` of the block's shared memory is after the permutation. */
static uint32_t permuted(const RtTensorMap *m, uint32_t at) {
    uint32_t row = at >> 7;
    if (!m->swizzle) return at;
    if (m->swizzle < 3) return at ^ (row & ((1u << m->swizzle) - 1)) << 4;
    switch (m->atomicity) {
    case 0: return at ^ (row & 7) << 4;
    case 3: return at ^ (row & 1) << 6;
    default: at ^= (row & 3) << 5; return m->atomicity == 2 ? at ^ (row & 1) << 3 : at;
    }
}

/* How many bytes from `at` on stay beside each other. */
static uint32_t unit_of(const RtTensorMap *m) { return m->swizzle == 3 && m->atomicity == 2 ? 8 : 16; }

static uint64_t nan_of(unsigned type) {
    switch (type) {
    case RT_TENSOR_F16:
    case RT_TENSOR_BF16: return 0x7fff;
    case RT_TENSOR_F64: return 0x7fffffffffffffff;
    default: return 0x7fffffff;
    }
}

static bool is_float(unsigned type) { return type >= RT_TENSOR_F16; }

static void fill(const RtTensorMap *m, char *to, uint32_t n) {
    uint64_t nan = nan_of(m->type);
    unsigned bytes = rt_tensor_bytes(m->type);
    if (!m->fill_nan || !is_float(m->type)) memset(to, 0, n);
    else
        for (uint32_t i = 0; i < n; i += bytes) memcpy(to + i, &nan, bytes);
}

static void move(Copy *c, char *global, char *shared, uint32_t n) {
    unsigned bytes = rt_tensor_bytes(c->map->type), reduce = c->op >> CUCPU_TENSOR_REDUCE_SHIFT & 15;
    if (!(c->op & CUCPU_TENSOR_STORE)) memcpy(shared, global, n);
    else if (reduce) rt_tensor_reduce(c->map->type, reduce, global, shared, n / bytes);
    else memcpy(global, shared, n);
}

/* n bytes of a row from c->done on, that are in the tensor; global = NULL: that are not. */
static void move_part(Copy *c, char *global, uint32_t n) {
    uint32_t unit = unit_of(c->map);
    for (uint32_t moved = 0, piece; moved < n; moved += piece) {
        uint32_t at = c->at + c->done;
        piece = c->map->swizzle ? unit - at % unit : n;
        if (piece > n - moved) piece = n - moved;
        char *shared = c->shared + (int32_t)(permuted(c->map, at) - c->at);
        if (global) move(c, global + moved, shared, piece);
        else if (!(c->op & CUCPU_TENSOR_STORE)) fill(c->map, shared, piece);
        c->done += piece;
    }
}

/* The row of n elements at these indices. */
static void move_row(Copy *c, const int64_t *index, uint32_t n) {
    const RtTensorMap *m = c->map;
    unsigned bytes = rt_tensor_bytes(m->type);
    int64_t begin = index[0] < 0 ? -index[0] : 0, end = (int64_t)m->last[0] + 1 - index[0];
    if (begin > n) begin = n;
    if (end > n) end = n;
    if (end < begin) end = begin;
    for (unsigned d = 1; d <= m->rank; d++)
        if (index[d] < 0 || index[d] > m->last[d]) begin = end = n;
    uint64_t address = m->address + (uint64_t)(index[0] + begin) * bytes;
    for (unsigned d = 1; d <= m->rank; d++) address += (uint64_t)index[d] * m->stride[d - 1];
    move_part(c, NULL, (uint32_t)begin * bytes);
    move_part(c, (char *)(uintptr_t)address, (uint32_t)(end - begin) * bytes);
    move_part(c, NULL, (n - (uint32_t)end) * bytes);
}

/* ---- boxes ---- */

static unsigned steps(const RtTensorMap *m, unsigned d) { return (m->box[d] + m->step[d] - 1u) / m->step[d]; }

static void copy_tile(Copy *c) {
    const RtTensorMap *m = c->map;
    int64_t index[RT_TENSOR_RANK];
    unsigned i[RT_TENSOR_RANK] = {0}, d;
    for (d = 0; d < RT_TENSOR_RANK; d++) index[d] = c->first[d];
    do {
        move_row(c, index, m->box[0]);
        for (d = 1; d <= m->rank; d++) {
            index[d] += m->step[d];
            if (++i[d] < steps(m, d)) break;
            i[d] = 0;
            index[d] = c->first[d];
        }
    } while (d <= m->rank);
}

/* Rows of a matrix that are anywhere: column, four rows. */
static void copy_rows(Copy *c) {
    for (unsigned r = 1; r < RT_TENSOR_RANK; r++) {
        int64_t index[RT_TENSOR_RANK] = {c->first[0], c->first[r]};
        move_row(c, index, c->map->box[0]);
    }
}

/* Pixels in the order of memory from the first one on, within the bounding box of each image; each is read at the
** offsets from where it lies. */
static void copy_pixels(Copy *c) {
    const RtTensorMap *m = c->map;
    bool moved = !(c->op & CUCPU_TENSOR_STORE);
    unsigned images = m->rank < RT_TENSOR_RANK - 1 ? m->rank : RT_TENSOR_RANK - 1; /* the last dimension */
    int64_t at[RT_TENSOR_RANK] = {0}, index[RT_TENSOR_RANK] = {0};
    for (unsigned d = 0; d <= images; d++) at[d] = c->first[d];
    for (unsigned k = 0; k < m->box[1]; k++) {
        for (unsigned d = 0; d <= images; d++) index[d] = at[d];
        for (unsigned d = 1; d < images && moved; d++) index[d] += c->offset[d - 1];
        move_row(c, index, m->box[0]);
        unsigned d = 1;
        for (; d < images; d++) {
            at[d] += m->step[d];
            if (at[d] <= (int64_t)m->last[d] + m->upper[d - 1]) break;
            at[d] = m->lower[d - 1];
        }
        if (d == images) at[d] += m->step[d];
    }
}

uint32_t cucpu_tensor_copy(const void *map, void *shared, uint32_t at, uint32_t op, int32_t x, int32_t y, int32_t z,
                           int32_t w, int32_t v, uint64_t offsets) {
    const RtTensorMap *m = map;
    Copy c = {m,
              shared,
              at,
              0,
              op,
              {x, y, z, w, v},
              {(uint16_t)offsets, (uint16_t)(offsets >> 16), (uint16_t)(offsets >> 32)}};
    bool pixels = op & CUCPU_TENSOR_IM2COL, rows = op & CUCPU_TENSOR_ROWS;
    if (m->mark != RT_TENSOR_MARK) refuse("a copy of a tensor whose map is none");
    if (m->rank + 1u != (rows ? 2 : op & CUCPU_TENSOR_RANK)) refuse("a copy of a tensor of another rank than its map");
    if (pixels != m->im2col) refuse("a copy of a tensor in another mode than its map");
    if (rows) copy_rows(&c);
    else if (pixels) copy_pixels(&c);
    else copy_tile(&c);
    return c.done;
}

/* ---- maps that kernels change ---- */

void cucpu_tensor_replace(void *map, uint32_t field, uint32_t ordinal, uint64_t value) {
    RtTensorMap *m = map;
    if (m->mark != RT_TENSOR_MARK && field != CUCPU_MAP_ADDRESS) refuse("tensormap.replace in what is no map");
    switch (field) {
    case CUCPU_MAP_ADDRESS: m->address = value; break;
    case CUCPU_MAP_RANK: m->rank = (uint8_t)(value < RT_TENSOR_RANK ? value : RT_TENSOR_RANK - 1); break;
    case CUCPU_MAP_BOX: m->box[ordinal] = (uint16_t)value; break;
    case CUCPU_MAP_DIM: m->last[ordinal] = (uint32_t)value - 1; break;
    case CUCPU_MAP_STRIDE: m->stride[ordinal] = value; break;
    case CUCPU_MAP_STEP: m->step[ordinal] = (uint8_t)(ordinal && value ? value : 1); break;
    case CUCPU_MAP_TYPE: m->type = (uint8_t)value; break;
    case CUCPU_MAP_SWIZZLE: m->swizzle = (uint8_t)value; break;
    case CUCPU_MAP_ATOMICITY: m->atomicity = (uint8_t)value; break;
    case CUCPU_MAP_FILL: m->fill_nan = value != 0; break;
    default: refuse("tensormap.replace of an unknown field");
    }
}
