/* bits/basic_string.tcc: see bits/basic_string.h beside it. */
#if defined(CUCPU_STD_MARKED)
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#endif
#include_next <bits/basic_string.tcc>
#if defined(CUCPU_STD_MARKED)
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
#endif
