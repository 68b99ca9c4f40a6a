/* texture_indirect_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_TEXTURE_INDIRECT_FUNCTIONS_H
#define CUCPU_TEXTURE_INDIRECT_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
