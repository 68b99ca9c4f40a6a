/* curand_uniform.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_UNIFORM_H
#define CUCPU_CURAND_UNIFORM_H
#include "curand_kernel.h"
#endif
