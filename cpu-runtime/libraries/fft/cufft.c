/* cufft.c: the API of libcufft: handles, plans, errors.
**
** A plan holds its layout and up to eight engines, one for each direction, in place or not, with aligned addresses
** or any, made when they are first needed.  No plan needs a work area: all sizes are 0. A kernel in a graph may use
** an engine whenever the graph is launched: engines of a plan that was captured are never freed. */
#include "fft.h"
#include "cuda_runtime_api.h"
#include <pthread.h>
#include <stdlib.h>

typedef struct Plan {
    bool made, ran, captured;
    cufftType type; /* as Exec functions require it */
    cudaStream_t stream;
    FftLayout layout;
    FftEngine *engines[2][2][2]; /* [forward][in place][aligned] */
} Plan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of this table and of all plans' engines */
static Plan **plans;
static int nplans, room;

static Plan *plan_of(cufftHandle handle) {
    pthread_mutex_lock(&lock);
    Plan *p = handle > 0 && handle <= nplans ? plans[handle - 1] : NULL;
    pthread_mutex_unlock(&lock);
    return p;
}

/* Handles are not used again: one that was destroyed stays invalid. */
static cufftHandle add(Plan *p) {
    if (nplans == room) {
        int more = room ? 2 * room : 64;
        Plan **larger = realloc(plans, (size_t)more * sizeof *plans);
        if (!larger) return 0;
        plans = larger;
        room = more;
    }
    plans[nplans++] = p;
    return nplans;
}

cufftResult cufftCreate(cufftHandle *handle) {
    if (!handle) return CUFFT_INVALID_VALUE;
    Plan *p = calloc(1, sizeof *p);
    if (!p) return CUFFT_ALLOC_FAILED;
    pthread_mutex_lock(&lock);
    cufftHandle h = add(p);
    pthread_mutex_unlock(&lock);
    if (!h) {
        free(p);
        return CUFFT_ALLOC_FAILED;
    }
    *handle = h;
    return CUFFT_SUCCESS;
}

/* As cudaFree would: not before the device is done. */
cufftResult cufftDestroy(cufftHandle handle) {
    Plan *p = plan_of(handle);
    if (!p) return CUFFT_INVALID_PLAN;
    bool keep = p->captured || (p->ran && cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
    pthread_mutex_lock(&lock);
    plans[handle - 1] = NULL;
    FftEngine **e = &p->engines[0][0][0];
    for (int i = 0; i < 8 && !keep; i++) fft_free_engine(e[i]);
    pthread_mutex_unlock(&lock);
    free(p);
    return CUFFT_SUCCESS;
}

/* ---- layouts ---- */

typedef struct Many {
    int rank;
    const long long *n, *inembed, *onembed;
    long long istride, idist, ostride, odist, batch;
} Many;

static const struct {
    cufftType type;
    FftKind kind;
    bool wide;
    cudaDataType in, out, execution;
} types[] = {
    {CUFFT_C2C, FFT_C2C, false, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
    {CUFFT_R2C, FFT_R2C, false, CUDA_R_32F, CUDA_C_32F, CUDA_C_32F},
    {CUFFT_C2R, FFT_C2R, false, CUDA_C_32F, CUDA_R_32F, CUDA_C_32F},
    {CUFFT_Z2Z, FFT_C2C, true, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    {CUFFT_D2Z, FFT_R2C, true, CUDA_R_64F, CUDA_C_64F, CUDA_C_64F},
    {CUFFT_Z2D, FFT_C2R, true, CUDA_C_64F, CUDA_R_64F, CUDA_C_64F},
};
enum { TYPES = sizeof types / sizeof *types };

static bool addressable(int64_t stride, int64_t n) {
    int64_t all;
    return !__builtin_mul_overflow(stride, n, &all) && all < INT64_MAX / 64;
}

/* Strides of a side whose dimensions are stored as `embed` describes, all but the slowest, which has n; false: too
** large. */
static bool side(int rank, const long long *embed, long long n, long long stride, int64_t *strides) {
    for (int d = rank - 1; d > 0; d--) {
        strides[d] = stride;
        if (__builtin_mul_overflow(stride, embed[d], &stride)) return false;
    }
    strides[0] = stride;
    return addressable(stride, n);
}

static cufftResult basic_layout(FftLayout *l, const Many *m) {
    long long half[FFT_RANK], full[FFT_RANK];
    for (int d = 0; d < l->rank; d++) half[d] = full[d] = m->n[d];
    half[l->rank - 1] = m->n[l->rank - 1] / 2 + 1;
    const long long *in = l->kind == FFT_C2R ? half : full, *out = l->kind == FFT_R2C ? half : full;
    if (!side(l->rank, in, in[0], 1, l->is) || !side(l->rank, out, out[0], 1, l->os)) return CUFFT_INVALID_SIZE;
    l->basic = true;
    l->idist = l->is[0] * in[0];
    l->odist = l->os[0] * out[0];
    return CUFFT_SUCCESS;
}

static cufftResult advanced_layout(FftLayout *l, const Many *m) {
    if (m->istride < 1 || m->ostride < 1 || m->idist < 0 || m->odist < 0) return CUFFT_INVALID_VALUE;
    for (int d = 1; d < l->rank; d++)
        if (m->inembed[d] < 1 || m->onembed[d] < 1) return CUFFT_INVALID_VALUE;
    if (!side(l->rank, m->inembed, m->n[0], m->istride, l->is) ||
        !side(l->rank, m->onembed, m->n[0], m->ostride, l->os))
        return CUFFT_INVALID_SIZE;
    l->idist = m->idist;
    l->odist = m->odist;
    return CUFFT_SUCCESS;
}

/* Either embed NULL: the other arguments of the advanced layout are not looked at. */
static cufftResult make_layout(FftLayout *l, const Many *m, cufftType type) {
    int t = 0;
    while (t < TYPES && types[t].type != type) t++;
    if (t == TYPES) return CUFFT_INVALID_TYPE;
    if (m->rank < 1 || m->rank > FFT_RANK || !m->n) return CUFFT_INVALID_VALUE;
    *l = (FftLayout){.kind = types[t].kind, .wide = types[t].wide, .rank = m->rank, .batch = m->batch};
    if (m->batch < 1) return CUFFT_INVALID_SIZE;
    for (int d = 0; d < m->rank; d++) {
        if (m->n[d] < 1) return CUFFT_INVALID_SIZE;
        l->n[d] = m->n[d];
    }
    cufftResult r = m->inembed && m->onembed ? advanced_layout(l, m) : basic_layout(l, m);
    if (r) return r;
    bool fits = addressable(l->idist, l->batch) && addressable(l->odist, l->batch);
    return fits && l->batch <= INT32_MAX ? CUFFT_SUCCESS : CUFFT_INVALID_SIZE;
}

static cufftResult size(cufftHandle handle, const Many *m, cufftType type, size_t *bytes) {
    FftLayout l;
    if (!bytes) return CUFFT_INVALID_VALUE;
    if (handle != CUFFT_PLAN_NULL && !plan_of(handle)) return CUFFT_INVALID_PLAN;
    *bytes = 0;
    return make_layout(&l, m, type);
}

static cufftResult make(cufftHandle handle, const Many *m, cufftType type, size_t *bytes) {
    if (!bytes) return CUFFT_INVALID_VALUE;
    Plan *p = plan_of(handle);
    if (!p || p->made) return CUFFT_INVALID_PLAN;
    FftLayout l;
    cufftResult r = make_layout(&l, m, type);
    if (r) return r;
    p->layout = l;
    p->type = type;
    p->made = true;
    *bytes = 0;
    return CUFFT_SUCCESS;
}

static cufftResult create(cufftHandle *handle, const Many *m, cufftType type) {
    cufftHandle h;
    size_t bytes;
    if (!handle) return CUFFT_INVALID_VALUE;
    cufftResult r = cufftCreate(&h);
    if (r) return r;
    r = make(h, m, type, &bytes);
    if (r) cufftDestroy(h);
    else *handle = h;
    return r;
}

/* ---- one set of functions for each description of a plan ---- */

#define N_(...)                                                                                                        \
    (const long long[]) { __VA_ARGS__ }
#define BASIC_(rank, batch, ...)                                                                                       \
    (const Many) { rank, N_(__VA_ARGS__), NULL, NULL, 1, 0, 1, 0, batch }
#define BASIC_FUNCTIONS_(suffix, many, ...)                                                                            \
    cufftResult cufftPlan##suffix(cufftHandle *h, __VA_ARGS__) { return create(h, &many, type); }                      \
    cufftResult cufftMakePlan##suffix(cufftHandle h, __VA_ARGS__, size_t *bytes) {                                     \
        return make(h, &many, type, bytes);                                                                            \
    }                                                                                                                  \
    cufftResult cufftGetSize##suffix(cufftHandle h, __VA_ARGS__, size_t *bytes) {                                      \
        return size(h, &many, type, bytes);                                                                            \
    }                                                                                                                  \
    cufftResult cufftEstimate##suffix(__VA_ARGS__, size_t *bytes) { return size(CUFFT_PLAN_NULL, &many, type, bytes); }
#define BATCH_ BASIC_(1, batch, nx)
#define PLANE_ BASIC_(2, 1, nx, ny)
#define SPACE_ BASIC_(3, 1, nx, ny, nz)
BASIC_FUNCTIONS_(1d, BATCH_, int nx, cufftType type, int batch)
BASIC_FUNCTIONS_(2d, PLANE_, int nx, int ny, cufftType type)
BASIC_FUNCTIONS_(3d, SPACE_, int nx, int ny, int nz, cufftType type)

#define MANY_(Int) int rank, Int *n, Int *inembed, Int istride, Int idist, Int *onembed, Int ostride, Int odist
#define WIDE_                                                                                                          \
    (const Many) { rank, n, inembed, onembed, istride, idist, ostride, odist, batch }

static const long long *widened(long long *to, int rank, const int *from) {
    if (!from) return NULL;
    for (int d = 0; d < rank && d < FFT_RANK; d++) to[d] = from[d];
    return to;
}
#define NARROW_                                                                                                        \
    long long wide[3][FFT_RANK];                                                                                       \
    Many many = {rank,                                                                                                 \
                 widened(wide[0], rank, n),                                                                            \
                 widened(wide[1], rank, inembed),                                                                      \
                 widened(wide[2], rank, onembed),                                                                      \
                 istride,                                                                                              \
                 idist,                                                                                                \
                 ostride,                                                                                              \
                 odist,                                                                                                \
                 batch}

cufftResult cufftPlanMany(cufftHandle *h, MANY_(int), cufftType type, int batch) {
    NARROW_;
    return create(h, &many, type);
}
cufftResult cufftMakePlanMany(cufftHandle h, MANY_(int), cufftType type, int batch, size_t *bytes) {
    NARROW_;
    return make(h, &many, type, bytes);
}
cufftResult cufftGetSizeMany(cufftHandle h, MANY_(int), cufftType type, int batch, size_t *bytes) {
    NARROW_;
    return size(h, &many, type, bytes);
}
cufftResult cufftEstimateMany(MANY_(int), cufftType type, int batch, size_t *bytes) {
    NARROW_;
    return size(CUFFT_PLAN_NULL, &many, type, bytes);
}
cufftResult cufftMakePlanMany64(cufftHandle h, MANY_(long long), cufftType type, long long batch, size_t *bytes) {
    return make(h, &WIDE_, type, bytes);
}
cufftResult cufftGetSizeMany64(cufftHandle h, MANY_(long long), cufftType type, long long batch, size_t *bytes) {
    return size(h, &WIDE_, type, bytes);
}

/* Half precision and mixed types, which cuFFT has, are not here. */
static cufftType xt_type(cudaDataType in, cudaDataType out, cudaDataType execution) {
    for (int t = 0; t < TYPES; t++)
        if (types[t].in == in && types[t].out == out && types[t].execution == execution) return types[t].type;
    return (cufftType)0;
}
#define XT_MANY_                                                                                                       \
    int rank, long long *n, long long *inembed, long long istride, long long idist, cudaDataType in,                   \
        long long *onembed, long long ostride, long long odist, cudaDataType out, long long batch, size_t *bytes,      \
        cudaDataType execution

cufftResult cufftXtMakePlanMany(cufftHandle h, XT_MANY_) {
    cufftType type = xt_type(in, out, execution);
    if (!plan_of(h)) return CUFFT_INVALID_PLAN;
    return type ? make(h, &WIDE_, type, bytes) : CUFFT_NOT_SUPPORTED;
}
cufftResult cufftXtGetSizeMany(cufftHandle h, XT_MANY_) {
    cufftType type = xt_type(in, out, execution);
    return type ? size(h, &WIDE_, type, bytes) : CUFFT_NOT_SUPPORTED;
}

/* ---- options ---- */

cufftResult cufftGetSize(cufftHandle handle, size_t *bytes) {
    if (!bytes) return CUFFT_INVALID_VALUE;
    if (!plan_of(handle)) return CUFFT_INVALID_PLAN;
    *bytes = 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *area) {
    (void)area;
    return plan_of(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int on) {
    (void)on;
    Plan *p = plan_of(handle);
    return p && !p->made ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    Plan *p = plan_of(handle);
    if (!p) return CUFFT_INVALID_PLAN;
    p->stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetVersion(int *version) {
    if (!version) return CUFFT_INVALID_VALUE;
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
    static const int numbers[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
    if (!value) return CUFFT_INVALID_VALUE;
    if ((unsigned)type >= sizeof numbers / sizeof *numbers) return CUFFT_INVALID_TYPE;
    *value = numbers[type];
    return CUFFT_SUCCESS;
}

/* ---- execution ---- */

static FftEngine *engine_of(Plan *p, int sign, bool in_place, bool aligned) {
    FftEngine **e = &p->engines[sign < 0][in_place][aligned];
    pthread_mutex_lock(&lock);
    if (!*e) *e = fft_make_engine(&p->layout, sign, in_place, aligned);
    pthread_mutex_unlock(&lock);
    return *e;
}

static bool capturing(cudaStream_t stream) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive;
}

static cufftResult run(Plan *p, const void *in, void *out, int sign) {
    if (!in || !out || (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE)) return CUFFT_INVALID_VALUE;
    bool wide = p->layout.wide, aligned = fft_is_aligned(in, wide) && fft_is_aligned(out, wide);
    FftEngine *e = engine_of(p, sign, in == out, aligned);
    if (!e) return CUFFT_ALLOC_FAILED;
    p->ran = true;
    if (capturing(p->stream)) p->captured = true;
    return fft_launch(e, in, out, p->stream) ? CUFFT_EXEC_FAILED : CUFFT_SUCCESS;
}

static cufftResult execute(cufftHandle handle, cufftType type, const void *in, void *out, int sign) {
    Plan *p = plan_of(handle);
    if (!p || !p->made) return CUFFT_INVALID_PLAN;
    return p->type == type ? run(p, in, out, sign) : CUFFT_INVALID_VALUE;
}

#define EXECUTE_(name, type, In, Out, sign, ...)                                                                       \
    cufftResult cufftExec##name(cufftHandle plan, In *in, Out *out __VA_ARGS__) {                                      \
        return execute(plan, type, in, out, sign);                                                                     \
    }
EXECUTE_(C2C, CUFFT_C2C, cufftComplex, cufftComplex, sign, , int sign)
EXECUTE_(R2C, CUFFT_R2C, cufftReal, cufftComplex, CUFFT_FORWARD)
EXECUTE_(C2R, CUFFT_C2R, cufftComplex, cufftReal, CUFFT_INVERSE)
EXECUTE_(Z2Z, CUFFT_Z2Z, cufftDoubleComplex, cufftDoubleComplex, sign, , int sign)
EXECUTE_(D2Z, CUFFT_D2Z, cufftDoubleReal, cufftDoubleComplex, CUFFT_FORWARD)
EXECUTE_(Z2D, CUFFT_Z2D, cufftDoubleComplex, cufftDoubleReal, CUFFT_INVERSE)

/* The direction counts for complex to complex only. */
cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction) {
    Plan *p = plan_of(handle);
    if (!p || !p->made) return CUFFT_INVALID_PLAN;
    FftKind k = p->layout.kind;
    return run(p, in, out, k == FFT_C2C ? direction : k == FFT_R2C ? CUFFT_FORWARD : CUFFT_INVERSE);
}
