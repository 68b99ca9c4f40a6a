/* image.c: by hand: vectors of bytes of full width; sums in 16 bits. */
#include "hand.h"

enum { BW = 4 * VW };
typedef uint8_t VB __attribute__((vector_size(BW)));
typedef uint16_t VS __attribute__((vector_size(2 * BW)));

#ifndef OPERATION
#define OPERATION 2
#endif

INLINE VB loadb(const uint8_t *p) {
    VB v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE void storeb(uint8_t *p, VB v) { memcpy(p, &v, sizeof v); }
INLINE VS shorts(const uint8_t *p) { return __builtin_convertvector(loadb(p), VS); }

/* Bytes may alias anything: without firstprivate the loops load their pointers again for each pixel. */
#if OPERATION == 2
void image_omp(const uint8_t *restrict in, uint8_t *restrict out, int width, int height) {
#pragma omp parallel for firstprivate(in, out, width)
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) sum += in[(y + dy) * width + x + dx];
            out[y * width + x] = (uint8_t)(sum / 9);
        }
}

void image_simd(const uint8_t *in, uint8_t *out, int width, int height) {
#pragma omp parallel for firstprivate(in, out, width)
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x += BW) {
            if (x > width - 1 - BW) x = width - 1 - BW;
            const uint8_t *p = in + y * width + x;
            VS sum = {0};
            for (int dy = -1; dy <= 1; dy++) sum += shorts(p + dy * width - 1) + shorts(p + dy * width) + shorts(p + dy * width + 1);
            storeb(out + y * width + x, __builtin_convertvector(sum / 9, VB));
        }
}
#else
#if OPERATION == 0
INLINE uint8_t one(const uint8_t *in, int i, int n) {
    (void)n;
    return in[i] > 100 ? in[i] : 0;
}
INLINE VB many(const uint8_t *in, int i, int n) {
    (void)n;
    VB v = loadb(in + i);
    return v & (VB)(v > 100);
}
#else
INLINE uint8_t one(const uint8_t *in, int i, int n) { return (uint8_t)((77 * in[i] + 150 * in[n + i] + 29 * in[2 * n + i]) >> 8); }
INLINE VB many(const uint8_t *in, int i, int n) {
    return __builtin_convertvector((77 * shorts(in + i) + 150 * shorts(in + n + i) + 29 * shorts(in + 2 * n + i)) >> 8, VB);
}
#endif

void image_omp(const uint8_t *restrict in, uint8_t *restrict out, int width, int height) {
    int n = width * height;
#pragma omp parallel for firstprivate(in, out, n)
    for (int i = 0; i < n; i++) out[i] = one(in, i, n);
}

void image_simd(const uint8_t *in, uint8_t *out, int width, int height) {
    int n = width * height, full = n / BW * BW;
#pragma omp parallel for firstprivate(in, out, n)
    for (int i = 0; i < full; i += BW) storeb(out + i, many(in, i, n));
    for (int i = full; i < n; i++) out[i] = one(in, i, n);
}
#endif
