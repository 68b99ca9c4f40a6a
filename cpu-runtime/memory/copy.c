/* copy.c: cudaMemcpy*, cudaMemset* and symbols.
**
** Every copy becomes one description of rows and slices, every fill another one; both are checked
** against the registry of allocations, then done at once or queued.  A copy that touches pageable
** host memory is finished when the call returns, also the Async kind: CUDA promises the same.
** Ranges of one copy may overlap: CUDA leaves that open, memmove makes it harmless. */
#include "memory/copy.h"
#include "base/limits.h"
#include "check/check.h"
#include "space/alloc.h"
#include "program/program.h"
#include "exec/team.h"
#include "queue/stream.h"
#include <string.h>

typedef struct CopyOp {
    RtOp op;
    RtCopy copy;
    enum cudaMemcpyKind kind;
} CopyOp;

typedef struct Fill {
    char *dst;
    size_t pitch, slice, width, height, depth;
    unsigned value, element;
} Fill;

typedef struct FillOp {
    RtOp op;
    Fill fill;
} FillOp;

/* ---- copies ---- */

static void copy_piece(const void *data, size_t from, size_t to) {
    const RtCopy *c = data;
    memcpy(c->dst + from, c->src + from, to - from);
}

/* One run of bytes; pieces may be copied in any order unless the ranges overlap. */
static void copy_run(char *d, const char *s, size_t n) {
    if ((uintptr_t)d < (uintptr_t)s + n && (uintptr_t)s < (uintptr_t)d + n) {
        memmove(d, s, n);
        return;
    }
    RtCopy run = {.dst = d, .src = s};
    rt_split(n, copy_piece, &run);
}

static void do_copy(const RtCopy *c) {
    for (size_t z = 0; z < c->depth; z++) {
        char *d = c->dst + z * c->dst_slice;
        const char *s = c->src + z * c->src_slice;
        if (c->dst_pitch == c->width && c->src_pitch == c->width) {
            copy_run(d, s, c->width * c->height);
            continue;
        }
        for (size_t y = 0; y < c->height; y++) memmove(d + y * c->dst_pitch, s + y * c->src_pitch, c->width);
    }
}

/* ---- recording ---- */

static uint8_t memory_type(const void *p) {
    RtAlloc a;
    return rt_find_alloc(p, &a) ? (uint8_t)a.kind : cudaMemoryTypeUnregistered;
}

static bool on_device(uint8_t type) { return type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged; }

static CucpuRecord begin_record(CucpuRecordKind kind, const void *dst, uint64_t bytes) {
    CucpuRecord r = {.start = rt_profile_now(), .kind = (uint16_t)kind};
    r.copy.bytes = bytes;
    r.copy.to = memory_type(dst);
    return r;
}

static void end_record(CucpuRecord *r, const char *name) {
    r->end = rt_profile_now();
    r->name = rt_record_constant(name);
    r->correlation = rt_doing().correlation;
    r->stream = rt_doing().stream;
    rt_record(r);
}

static void record_copy(const RtCopy *c, enum cudaMemcpyKind kind) {
    static const char *const names[] = {"[CUDA memcpy HtoH]", "[CUDA memcpy HtoD]", "[CUDA memcpy DtoH]",
                                        "[CUDA memcpy DtoD]"};
    CucpuRecord r = begin_record(CUCPU_REC_COPY, c->dst, (uint64_t)c->width * c->height * c->depth);
    r.copy.from = memory_type(c->src);
    if (kind == cudaMemcpyDefault)
        kind = on_device(r.copy.from) ? on_device(r.copy.to) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost
                                      : (on_device(r.copy.to) ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost);
    r.sort = (uint8_t)kind;
    do_copy(c);
    end_record(&r, names[kind]);
}

static bool pageable(const void *p) {
    RtAlloc a;
    return !rt_find_alloc(p, &a);
}

/* Pageable memory is the host's again when the call returns. */
static void check_copy_races(const RtCopy *c, bool ended) {
    RtTransfer t[2] = {{c->src, c->width, c->src_pitch, c->height, c->src_slice, c->depth, false, false, "a copy"},
                       {c->dst, c->width, c->dst_pitch, c->height, c->dst_slice, c->depth, true, false, "a copy"}};
    size_t first = pageable(c->src), end = pageable(c->dst) ? 1 : 2;
    rt_race_transfers(t + first, end > first ? end - first : 0, ended);
}

static void check_copied(const RtCopy *c) {
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            rt_init_moved((const char *)c->dst + z * c->dst_slice + y * c->dst_pitch,
                          (const char *)c->src + z * c->src_slice + y * c->src_pitch, c->width);
}

static void make_copy(const RtCopy *c, enum cudaMemcpyKind kind) {
    bool races = RT_UNLIKELY(rt_checks(CUCPU_CHECK_RACE)), init = RT_UNLIKELY(rt_checks(CUCPU_CHECK_INIT));
    for (size_t z = 0; init && !on_device(memory_type(c->dst)) && z < c->depth; z++)
        rt_init_copy((const char *)c->src + z * c->src_slice, c->width, c->src_pitch, c->height);
    if (races) check_copy_races(c, false);
    if (RT_UNLIKELY(rt_profiled)) record_copy(c, kind);
    else do_copy(c);
    if (init) check_copied(c);
    if (races) check_copy_races(c, true);
}

static void run_copy(RtOp *op) { make_copy(&((CopyOp *)op)->copy, ((CopyOp *)op)->kind); }

/* The bytes from the first to the last of a box; SIZE_MAX: more than there are addresses. */
static size_t span(size_t width, size_t height, size_t pitch, size_t depth, size_t slice) {
    size_t planes, rows, sum;
    bool over = __builtin_mul_overflow(depth - 1, slice, &planes) || __builtin_mul_overflow(height - 1, pitch, &rows) ||
                __builtin_add_overflow(planes, rows, &sum) || __builtin_add_overflow(sum, width, &sum);
    return over ? SIZE_MAX : sum;
}

static cudaError_t check_copy(const RtCopy *c, enum cudaMemcpyKind kind) {
    if (kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    bool to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (c->height > 1 && (c->width > c->dst_pitch || c->width > c->src_pitch)) return cudaErrorInvalidPitchValue;
    RT_TRY(rt_check_write(c->dst, span(c->width, c->height, c->dst_pitch, c->depth, c->dst_slice), to));
    return rt_check_range(c->src, span(c->width, c->height, c->src_pitch, c->depth, c->src_slice), from);
}

cudaError_t rt_copy(const RtCopy *c, enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
    if (!c->width || !c->height || !c->depth) return cudaSuccess;
    RT_TRY(check_copy(c, kind));
    bool now;
    RT_TRY(rt_begin_inline(s, &now));
    wait = wait || pageable(c->dst) || pageable(c->src);
    if (now) {
        uint32_t op = rt_order_running();
        make_copy(c, kind);
        rt_end_inline(s);
        if (rt_orders() && wait) rt_order_host(op);
        return cudaSuccess;
    }
    CopyOp *op = rt_new_op(sizeof *op, run_copy, NULL);
    if (!op) return cudaErrorMemoryAllocation;
    op->op.kind = cudaGraphNodeTypeMemcpy;
    op->copy = *c;
    op->kind = kind;
    RT_TRY(rt_enqueue(s, &op->op));
    return wait && !rt_is_capturing(s) ? rt_sync_stream(s) : cudaSuccess;
}

/* Rows of a run are as long as it. */
static struct cudaPitchedPtr pitched(const void *p, size_t pitch, size_t slice, const RtCopy *c) {
    size_t rows = c->depth > 1 && pitch ? slice / pitch : c->height;
    return (struct cudaPitchedPtr){(void *)(uintptr_t)p, pitch, c->width, rows};
}

bool rt_copy_params(const RtOp *op, struct cudaMemcpy3DParms *out) {
    const RtCopy *c = &((const CopyOp *)op)->copy;
    *out = (struct cudaMemcpy3DParms){.srcPtr = pitched(c->src, c->src_pitch, c->src_slice, c),
                                      .dstPtr = pitched(c->dst, c->dst_pitch, c->dst_slice, c),
                                      .extent = {c->width, c->height, c->depth},
                                      .kind = ((const CopyOp *)op)->kind};
    return true;
}

static cudaError_t copy_bytes(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t s,
                              bool wait) {
    RtCopy c = {dst, src, n, n, n, n, n, 1, 1};
    return rt_copy(&c, kind, s, wait);
}

/* What needs no device is answered after a fault, too. */
#define ENTER_COPY(n, kind) RT_ENTER_BY((!(n) || (kind) > cudaMemcpyDefault ? rt_enter_without_context : rt_enter))

cudaError_t cudaMemcpy(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind) {
    ENTER_COPY(n, kind);
    return rt_end(copy_bytes(dst, src, n, kind, NULL, true));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t s) {
    ENTER_COPY(n, kind);
    return rt_end(copy_bytes(dst, src, n, kind, s, false));
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t n) {
    RT_ENTER();
    if (dst_device || src_device) return rt_end(cudaErrorInvalidDevice);
    return rt_end(copy_bytes(dst, src, n, cudaMemcpyDeviceToDevice, NULL, true));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t n, cudaStream_t s) {
    RT_ENTER();
    if (dst_device || src_device) return rt_end(cudaErrorInvalidDevice);
    return rt_end(copy_bytes(dst, src, n, cudaMemcpyDeviceToDevice, s, false));
}

cudaError_t rt_check_pitches(size_t dpitch, size_t spitch, size_t width, size_t height) {
    if (height > 1 && (dpitch > RT_MAX_PITCH || spitch > RT_MAX_PITCH)) return cudaErrorInvalidValue;
    if (width <= dpitch && width <= spitch) return cudaSuccess;
    return height > 1 ? cudaErrorInvalidPitchValue
                      : cudaErrorInvalidValue; /* one row needs no pitch, but is refused as well */
}

static cudaError_t copy_rows(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                             enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
    if (!width || !height) return cudaSuccess;
    RT_TRY(rt_check_pitches(dpitch, spitch, width, height));
    RtCopy c = {dst, src, dpitch, spitch, 0, 0, width, height, 1};
    return rt_copy(&c, kind, s, wait);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
    RT_ENTER();
    return rt_end(copy_rows(dst, dpitch, src, spitch, width, height, kind, NULL, true));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t s) {
    RT_ENTER();
    return rt_end(copy_rows(dst, dpitch, src, spitch, width, height, kind, s, false));
}

/* ---- fills ---- */

static void fill_piece(const void *data, size_t from, size_t to) {
    const Fill *f = data;
    memset(f->dst + from, (int)f->value, to - from);
}

static void fill_row(char *row, const Fill *f) {
    if (f->element == 1) {
        memset(row, (int)f->value, f->width);
        return;
    }
    for (size_t i = 0; i + f->element <= f->width; i += f->element) memcpy(row + i, &f->value, f->element);
}

static void do_fill(const Fill *f) {
    if (f->element == 1 && f->height == 1 && f->depth == 1) {
        rt_split(f->width, fill_piece, f);
        return;
    }
    for (size_t z = 0; z < f->depth; z++)
        for (size_t y = 0; y < f->height; y++) fill_row(f->dst + z * f->slice + y * f->pitch, f);
}

static void record_fill(const Fill *f) {
    CucpuRecord r = begin_record(CUCPU_REC_FILL, f->dst, (uint64_t)f->width * f->height * f->depth);
    r.copy.value = f->value;
    do_fill(f);
    end_record(&r, "[CUDA memset]");
}

static void make_fill(const Fill *f) {
    RtTransfer t = {f->dst, f->width, f->pitch, f->height, f->slice, f->depth, true, false, "a fill"};
    bool races = RT_UNLIKELY(rt_checks(CUCPU_CHECK_RACE));
    if (races) rt_race_transfers(&t, 1, false);
    if (RT_UNLIKELY(rt_profiled)) record_fill(f);
    else do_fill(f);
    if (races) rt_race_transfers(&t, 1, true);
}

static void run_fill(RtOp *op) { make_fill(&((FillOp *)op)->fill); }

static cudaError_t submit_fill(const Fill *f, cudaStream_t s) {
    if (!f->width || !f->height || !f->depth) return cudaSuccess;
    if (f->height > 1 && f->width > f->pitch) return cudaErrorInvalidValue;
    RT_TRY(rt_check_write(f->dst, span(f->width, f->height, f->pitch, f->depth, f->slice), true));
    bool now;
    RT_TRY(rt_begin_inline(s, &now));
    if (now) {
        uint32_t op = rt_order_running();
        make_fill(f);
        rt_end_inline(s);
        /* cudaMemset waits for what the host may access at once. */
        if (rt_orders() && !s && memory_type(f->dst) != cudaMemoryTypeDevice) rt_order_host(op);
        return cudaSuccess;
    }
    FillOp *op = rt_new_op(sizeof *op, run_fill, NULL);
    if (!op) return cudaErrorMemoryAllocation;
    op->op.kind = cudaGraphNodeTypeMemset;
    op->fill = *f;
    return rt_enqueue(s, &op->op);
}

cudaError_t rt_fill(void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                    cudaStream_t s) {
    Fill f = {dst, pitch, 0, 0, height, 1, value, element};
    return __builtin_mul_overflow(width, element, &f.width) ? cudaErrorInvalidValue : submit_fill(&f, s);
}

bool rt_fill_params(const RtOp *op, struct cudaMemsetParams *out) {
    const Fill *f = &((const FillOp *)op)->fill;
    *out = (struct cudaMemsetParams){.dst = f->dst,
                                     .pitch = f->pitch,
                                     .value = f->value,
                                     .elementSize = f->element,
                                     .width = f->width / f->element,
                                     .height = f->height};
    return f->depth == 1;
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s) {
    RT_ENTER();
    return rt_end(rt_fill(p, n, (unsigned)value & 255, 1, n, 1, s));
}

cudaError_t cudaMemset(void *p, int value, size_t n) {
    RT_CALL();
    return cudaMemsetAsync(p, value, n, NULL);
}

cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t s) {
    RT_ENTER();
    return rt_end(rt_fill(p, pitch, (unsigned)value & 255, 1, width, height, s));
}

cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
    RT_CALL();
    return cudaMemset2DAsync(p, pitch, value, width, height, NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t s) {
    RT_ENTER();
    Fill f = {p.ptr, p.pitch, 0, e.width, e.height, e.depth, (unsigned)value & 255, 1};
    bool over = __builtin_mul_overflow(p.pitch, p.ysize, &f.slice);
    if (over || (e.width && e.depth && e.height > p.ysize)) return rt_end(cudaErrorInvalidValue);
    return rt_end(submit_fill(&f, s));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e) {
    RT_CALL();
    return cudaMemset3DAsync(p, value, e, NULL);
}

/* ---- symbols ---- */

static cudaError_t symbol_range(const void *symbol, size_t n, size_t offset, char **out) {
    void *address;
    size_t size;
    RT_TRY(rt_find_symbol(symbol, &address, &size));
    if (offset > size || n > size - offset) return cudaErrorInvalidValue;
    *out = (char *)address + offset;
    return cudaSuccess;
}

static cudaError_t to_symbol(const void *symbol, const void *src, size_t n, size_t offset, enum cudaMemcpyKind kind,
                             cudaStream_t s, bool wait) {
    char *dst;
    if (!n) return cudaSuccess;
    RT_TRY(symbol_range(symbol, n, offset, &dst));
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) return cudaErrorInvalidMemcpyDirection;
    return copy_bytes(dst, src, n, kind, s, wait);
}

static cudaError_t from_symbol(void *dst, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind,
                               cudaStream_t s, bool wait) {
    char *src;
    if (!n) return cudaSuccess;
    RT_TRY(symbol_range(symbol, n, offset, &src));
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) return cudaErrorInvalidMemcpyDirection;
    return copy_bytes(dst, src, n, kind, s, wait);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t n, size_t offset, enum cudaMemcpyKind kind) {
    RT_ENTER();
    return rt_end(to_symbol(symbol, src, n, offset, kind, NULL, true));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t n, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t s) {
    RT_ENTER();
    return rt_end(to_symbol(symbol, src, n, offset, kind, s, false));
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind) {
    RT_ENTER();
    return rt_end(from_symbol(dst, symbol, n, offset, kind, NULL, true));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind,
                                      cudaStream_t s) {
    RT_ENTER();
    return rt_end(from_symbol(dst, symbol, n, offset, kind, s, false));
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
    RT_ENTER();
    size_t size;
    if (!address) return rt_end(cudaErrorInvalidValue);
    return rt_end(rt_find_symbol(symbol, address, &size));
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    RT_ENTER();
    void *address;
    if (!size) return rt_end(cudaErrorInvalidValue);
    return rt_end(rt_find_symbol(symbol, &address, size));
}
