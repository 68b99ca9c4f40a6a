/* builtin_types.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_BUILTIN_TYPES_H
#define CUCPU_BUILTIN_TYPES_H
#include "cuda_runtime.h"
#endif
