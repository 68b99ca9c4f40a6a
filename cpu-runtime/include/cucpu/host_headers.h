/* host_headers.h: the C and C++ library headers that every .cu file gets without asking.
**
** For parse time two things are left out that half of <cmath> consists of: the special functions of
** C++17 (beta, legendre ...; they come with an explicit #include <cmath>, see the wrapper of that name
** in this folder's parent), and glibc's functions of _FloatN types (sinf32, cosf64x ...). */
#ifndef CUCPU_HOST_HEADERS_H
#define CUCPU_HOST_HEADERS_H
#if defined(__cplusplus)
#include <cstddef>
#if defined(__GLIBCXX__) && defined(__CUDA__)
#define CUCPU_PLAIN_CMATH
#pragma push_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#if __has_include(<bits/floatn.h>)
#include <bits/floatn.h>
#pragma push_macro("__HAVE_FLOAT32")
#pragma push_macro("__HAVE_FLOAT64")
#pragma push_macro("__HAVE_FLOAT32X")
#pragma push_macro("__HAVE_FLOAT64X")
#undef __HAVE_FLOAT32
#undef __HAVE_FLOAT64
#undef __HAVE_FLOAT32X
#undef __HAVE_FLOAT64X
#include <math.h>
#pragma pop_macro("__HAVE_FLOAT32")
#pragma pop_macro("__HAVE_FLOAT64")
#pragma pop_macro("__HAVE_FLOAT32X")
#pragma pop_macro("__HAVE_FLOAT64X")
#endif
#include <cmath>
#pragma pop_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#include <bits/stl_algobase.h>
#else
#include <cmath>
#endif
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <new>
#include <utility>
#endif
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef CUCPU_PLAIN_CMATH
#endif
