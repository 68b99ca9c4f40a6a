/* curand_lognormal.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_LOGNORMAL_H
#define CUCPU_CURAND_LOGNORMAL_H
#include "curand_kernel.h"
#endif
