/* curand_poisson.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_POISSON_H
#define CUCPU_CURAND_POISSON_H
#include "curand_kernel.h"
#endif
