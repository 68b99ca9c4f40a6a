/* bits/stl_vector.h: libstdc++'s, for the host (cucpu/std_constexpr.h). */
#if defined(CUCPU_STD_MARKED)
#include <debug/assertions.h>
#include <initializer_list>
#endif
#include "../cucpu/std_host_begin.h"
#include_next <bits/stl_vector.h>
#include "../cucpu/std_host_end.h"
