/* std_host_begin.h: from here to std_host_end.h libstdc++'s headers are as they are, without what std_constexpr.h adds. */
#if defined(CUCPU_STD_MARKED)
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#endif
