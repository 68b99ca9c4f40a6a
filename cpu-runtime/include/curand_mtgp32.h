/* curand_mtgp32.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_MTGP32_H
#define CUCPU_CURAND_MTGP32_H
#include "curand_kernel.h"
#endif
