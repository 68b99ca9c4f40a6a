/* curand_globals.h: everything is in curand_kernel.h. */
#ifndef CUCPU_CURAND_GLOBALS_H
#define CUCPU_CURAND_GLOBALS_H
#include "curand_kernel.h"
#endif
