/* cuda_runtime.h: what every .cu file sees (the driver includes it by itself, as nvcc does).
**
** In CUDA mode: keywords, built-in variables, the device functions and the C library headers that
** nvcc's own cuda_runtime.h brings along; for any C++ compiler: the runtime API with its templates.
** Order matters: device overloads of the C math functions come before <cmath>, whose
** using-declarations then carry them into namespace std. */
#ifndef CUCPU_CUDA_RUNTIME_H
#define CUCPU_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs ask for it */
#include "host_defines.h"
#include "cucpu/std_constexpr.h"
#include "cucpu/std_traits.h"
#include "vector_types.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#include "library_types.h"

#if defined(__CUDA__)
#include "cucpu/builtin_vars.h"
#include "cucpu/system.h"
#include "cucpu/math_c.h"
#include "cucpu/sync.h"
#include "cucpu/atomics.h"
#include "cucpu/integer.h"
#include "cucpu/memory.h"
#endif
#include "cucpu/host_headers.h"
#if defined(__CUDA__)
#include "cucpu/aligned_new.h"
#include "cucpu/std_throw.h"
#include "cucpu/math_cuda.h"
#include "cucpu/arith.h"
#include "cucpu/video.h"
#endif
#if defined(__cplusplus)
#include "cucpu/api.h"
#endif
#if defined(__CUDA__)
#include "cucpu/texture.h"
#endif
#endif
