/* curand_normal_static.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_NORMAL_STATIC_H
#define CUCPU_CURAND_NORMAL_STATIC_H
#include "curand_kernel.h"
#endif
