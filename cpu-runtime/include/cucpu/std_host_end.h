/* std_host_end.h: see std_host_begin.h. */
#if defined(CUCPU_STD_MARKED)
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
#endif
