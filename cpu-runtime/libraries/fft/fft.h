/* fft.h: what the files of libcufft share.
**
** cufft.c has the API and the plans; engine.c makes passes of a plan's layout and runs them as kernels; fftw.c is
** the only file that calls FFTW.  Strides count elements of their side: reals or complex numbers. */
#ifndef CUCPU_FFT_H
#define CUCPU_FFT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "driver_types.h"
#pragma GCC visibility push(default)
#include "cufft.h"
#include "cufftXt.h"
#pragma GCC visibility pop

enum { FFT_RANK = 3 };

typedef enum FftKind { FFT_C2C, FFT_R2C, FFT_C2R } FftKind;

typedef struct FftDim {
    int64_t n, is, os;
} FftDim;

/* What FFTW plans: a transform of `rank` dims, for each item of the loops. */
typedef struct FftShape {
    FftKind kind;
    bool wide; /* double */
    int sign, rank, nloops;
    FftDim dims[FFT_RANK], loops[FFT_RANK];
} FftShape;

/* ---- fftw.c ---- */
typedef struct FftwPlan FftwPlan;
FftwPlan *fft_make_plan(const FftShape *shape, bool in_place,
                        bool aligned); /* NULL: FFTW has no algorithm, or no memory */
void fft_free_plan(FftwPlan *plan);
void fft_run_plan(const FftwPlan *plan, const void *in, void *out);
bool fft_is_aligned(const void *p, bool wide);

/* ---- engine.c ---- */
typedef struct FftLayout {
    FftKind kind;
    bool wide, basic; /* basic: a real side in place has padded rows */
    int rank;
    int64_t batch, n[FFT_RANK];
    int64_t is[FFT_RANK], idist, os[FFT_RANK], odist; /* out of place, if basic */
} FftLayout;

typedef struct FftEngine FftEngine;
FftEngine *fft_make_engine(const FftLayout *layout, int sign, bool in_place, bool aligned);
void fft_free_engine(FftEngine *engine);
cudaError_t fft_launch(const FftEngine *engine, const void *in, void *out, cudaStream_t stream);

static inline size_t fft_bytes(const FftLayout *l, bool output) {
    bool real = l->kind == (output ? FFT_C2R : FFT_R2C);
    return (l->wide ? sizeof(double) : sizeof(float)) * (real ? 1 : 2);
}
#endif
