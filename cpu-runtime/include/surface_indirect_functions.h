/* surface_indirect_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_SURFACE_INDIRECT_FUNCTIONS_H
#define CUCPU_SURFACE_INDIRECT_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
