/* curand_precalc.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_PRECALC_H
#define CUCPU_CURAND_PRECALC_H
#include "curand_kernel.h"
#endif
