/* host_headers.h: the C and C++ library headers that every .cu file gets without asking.
**
** libstdc++'s <cmath> spends half of its parse time on the special functions of C++17 (beta,
** legendre ...).  They are left out here, and come with an explicit #include <cmath> (see the
** wrapper of that name in this folder's parent). */
#ifndef CUCPU_HOST_HEADERS_H
#define CUCPU_HOST_HEADERS_H
#if defined(__cplusplus)
#include <cstddef>
#if defined(__GLIBCXX__) && defined(__CUDA__)
#define CUCPU_PLAIN_CMATH
#pragma push_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
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
#endif
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef CUCPU_PLAIN_CMATH
#endif
