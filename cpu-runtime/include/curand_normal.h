/* curand_normal.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_NORMAL_H
#define CUCPU_CURAND_NORMAL_H
#include "curand_kernel.h"
#endif
