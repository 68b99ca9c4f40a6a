/* bits/basic_string.tcc: libstdc++'s, for the host (cucpu/std_constexpr.h). */
#include "../cucpu/std_host_begin.h"
#include_next <bits/basic_string.tcc>
#include "../cucpu/std_host_end.h"
