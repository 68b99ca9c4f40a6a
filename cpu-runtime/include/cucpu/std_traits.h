/* std_traits.h: what libstdc++ asks about types is the same for both sides.
**
** What stands in decltype, sizeof or a concept is never called, so CUDA does not mind for which side it is.  clang looks for a
** function that the one around it could call: std::declval is for the host, so that decltype(std::declval<T>() + 1) was an error
** in a kernel and the concepts of C++20 false there; and is_invocable, whose tests are functions of the host, did not see an
** operator() that is for the device, not even in a kernel.  Comes before everything else of the library. */
#ifndef CUCPU_STD_TRAITS_H
#define CUCPU_STD_TRAITS_H
#if defined(__CUDA__) && defined(__cplusplus)
#include <cstddef>
#if defined(__GLIBCXX__)
#pragma clang force_cuda_host_device begin
#include <type_traits>
#include <bits/move.h> /* defines the swap that <type_traits> declares */
#if __cplusplus >= 201402L
#include <bits/stl_pair.h> /* its assignments are constexpr in C++20 as other functions, so they have no macro of std_constexpr.h */
#endif
#pragma clang force_cuda_host_device end
#endif
#endif
#endif
