/* std_constexpr.h: what a later C++ makes constexpr in libstdc++ is for both sides in C++14 and C++17, too.
**
** clang lets device code call constexpr functions.  In C++20 that is most of <algorithm>, <array>, <numeric>, <optional>,
** <tuple>, <utility> and <variant>, in C++17 less: assignment to a tuple or std::lower_bound were for the host alone there.
** libstdc++ writes macros where a later C++ has constexpr and lets them be defined by others.  Here they say for which side
** the function is, not constexpr, which destructors cannot be before C++20.  In C++14 _GLIBCXX17_CONSTEXPR stands behind `if`, so
** it is constexpr itself, and in C++11 all is as libstdc++ has it.  Comes before everything else of the library; the wrappers in
** bits/ leave std::string (whose definitions lack the macro) and std::vector to the host, as what they call is. */
#ifndef CUCPU_STD_CONSTEXPR_H
#define CUCPU_STD_CONSTEXPR_H
#if defined(__CUDA__) && __cplusplus >= 201402L && !defined(_GLIBCXX20_CONSTEXPR)
#define CUCPU_BOTH_ __attribute__((host)) __attribute__((device))
#if __cplusplus < 201703L
#define _GLIBCXX17_CONSTEXPR constexpr
#endif
#if __cplusplus < 202002L
#define CUCPU_STD_MARKED
#define _GLIBCXX20_CONSTEXPR CUCPU_BOTH_
#endif
#if __cplusplus <= 202002L
#define _GLIBCXX23_CONSTEXPR CUCPU_BOTH_
#endif
#endif
#endif
