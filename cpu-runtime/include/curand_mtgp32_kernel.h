/* curand_mtgp32_kernel.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_MTGP32_KERNEL_H
#define CUCPU_CURAND_MTGP32_KERNEL_H
#include "curand_kernel.h"
#endif
