// image.cu: four kernels on bytes: brightness, threshold, grey of three planes, blur along a row.
#include "bench.h"

typedef unsigned char Byte;
extern "C" void image_omp(const Byte *r, const Byte *g, const Byte *b, Byte *bright, Byte *dark, Byte *grey, Byte *soft, int n);
extern "C" void image_simd(const Byte *r, const Byte *g, const Byte *b, Byte *bright, Byte *dark, Byte *grey, Byte *soft, int n);
