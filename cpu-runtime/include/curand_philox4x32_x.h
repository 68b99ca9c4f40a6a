/* curand_philox4x32_x.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_PHILOX4X32_X_H
#define CUCPU_CURAND_PHILOX4X32_X_H
#include "curand_kernel.h"
#endif
