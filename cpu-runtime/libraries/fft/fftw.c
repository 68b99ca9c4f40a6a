/* fftw.c: FFTW in both precisions.
**
** Plans are made by FFTW_ESTIMATE, which looks at the shape only and not at any data, so that a plan serves all
** addresses of its alignment by FFTW's new-array functions.  FFTW's planner is not thread-safe by itself; its own
** lock, which also holds for the program's other calls of FFTW, makes it so. */
#include "fft.h"
#include <fftw3.h>
#include <pthread.h>
#include <stdlib.h>

struct FftwPlan {
    FftKind kind;
    bool wide;
    void *plan; /* fftw_plan or fftwf_plan */
};

/* Addresses for the planner, which compares them: the same in place, else two that are aligned. */
static _Alignas(64) char places[2][64];

#define PRECISION_(P, Real)                                                                                            \
    static void *P##_make_(const FftShape *s, void *in, void *out, unsigned flags) {                                   \
        fftw_iodim64 dims[FFT_RANK], loops[FFT_RANK];                                                                  \
        for (int i = 0; i < s->rank; i++) dims[i] = (fftw_iodim64){s->dims[i].n, s->dims[i].is, s->dims[i].os};        \
        for (int i = 0; i < s->nloops; i++) loops[i] = (fftw_iodim64){s->loops[i].n, s->loops[i].is, s->loops[i].os};  \
        switch (s->kind) {                                                                                             \
        case FFT_C2C: return P##_plan_guru64_dft(s->rank, dims, s->nloops, loops, in, out, s->sign, flags);            \
        case FFT_R2C: return P##_plan_guru64_dft_r2c(s->rank, dims, s->nloops, loops, in, out, flags);                 \
        case FFT_C2R: return P##_plan_guru64_dft_c2r(s->rank, dims, s->nloops, loops, in, out, flags);                 \
        }                                                                                                              \
        return NULL;                                                                                                   \
    }                                                                                                                  \
    static void P##_run_(const FftwPlan *p, void *in, void *out) {                                                     \
        switch (p->kind) {                                                                                             \
        case FFT_C2C: P##_execute_dft(p->plan, in, out); break;                                                        \
        case FFT_R2C: P##_execute_dft_r2c(p->plan, in, out); break;                                                    \
        case FFT_C2R: P##_execute_dft_c2r(p->plan, in, out); break;                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    static bool P##_aligned_(const void *p) { return !P##_alignment_of((Real *)(uintptr_t)p); }
PRECISION_(fftw, double)
PRECISION_(fftwf, float)
#undef PRECISION_

static void share_planner(void) {
    fftw_make_planner_thread_safe();
    fftwf_make_planner_thread_safe();
}

/* Out of place the input stays: FFTW can promise that for all but complex to real of more than one dimension. */
FftwPlan *fft_make_plan(const FftShape *shape, bool in_place, bool aligned) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, share_planner);
    unsigned flags = FFTW_ESTIMATE | (aligned ? 0 : FFTW_UNALIGNED);
    if (!in_place) flags |= shape->kind == FFT_C2R && shape->rank > 1 ? FFTW_DESTROY_INPUT : FFTW_PRESERVE_INPUT;
    FftwPlan *p = malloc(sizeof *p);
    if (!p) return NULL;
    *p = (FftwPlan){shape->kind, shape->wide, NULL};
    p->plan = (shape->wide ? fftw_make_ : fftwf_make_)(shape, places[0], places[!in_place], flags);
    if (p->plan) return p;
    free(p);
    return NULL;
}

void fft_free_plan(FftwPlan *p) {
    if (!p) return;
    if (p->wide) fftw_destroy_plan(p->plan);
    else fftwf_destroy_plan(p->plan);
    free(p);
}

void fft_run_plan(const FftwPlan *p, const void *in, void *out) {
    (p->wide ? fftw_run_ : fftwf_run_)(p, (void *)(uintptr_t)in, out);
}

bool fft_is_aligned(const void *p, bool wide) { return (wide ? fftw_aligned_ : fftwf_aligned_)(p); }
