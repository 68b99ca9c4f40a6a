/* bits/basic_string.h: libstdc++'s, without what cucpu/std_constexpr.h adds; what it includes is read before, with that. */
#if defined(CUCPU_STD_MARKED)
#include <bits/charconv.h>
#include <bits/functional_hash.h>
#include <ext/alloc_traits.h>
#include <ext/string_conversions.h>
#if __cplusplus >= 201703L
#include <string_view>
#endif
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#endif
#include_next <bits/basic_string.h>
#if defined(CUCPU_STD_MARKED)
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
#endif
