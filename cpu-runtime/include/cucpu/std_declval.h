/* std_declval.h: std::declval for device code.  It is never called, so CUDA does not mind that libstdc++'s is for the host;
** clang looks for one that the function around it could call: decltype(std::declval<T>() + 1) in a kernel, and, where a
** kernel asks for them, the concepts of C++20, which were false for every type.  Comes before what uses it, <type_traits>. */
#ifndef CUCPU_STD_DECLVAL_H
#define CUCPU_STD_DECLVAL_H
#if defined(__CUDA__)
#include <cstddef>
#if defined(__GLIBCXX__)
namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
template <typename T_> struct add_rvalue_reference;
template <typename T_> __device__ typename add_rvalue_reference<T_>::type declval() noexcept;
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
#endif
#endif
