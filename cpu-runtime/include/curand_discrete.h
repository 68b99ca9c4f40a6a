/* curand_discrete.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_DISCRETE_H
#define CUCPU_CURAND_DISCRETE_H
#include "curand_kernel.h"
#endif
