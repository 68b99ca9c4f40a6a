/* curand_mrg32k3a.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_MRG32K3A_H
#define CUCPU_CURAND_MRG32K3A_H
#include "curand_kernel.h"
#endif
