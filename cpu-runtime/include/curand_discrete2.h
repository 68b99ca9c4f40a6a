/* curand_discrete2.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_DISCRETE2_H
#define CUCPU_CURAND_DISCRETE2_H
#include "curand_kernel.h"
#endif
