/* bits/vector.tcc: libstdc++'s, for the host (cucpu/std_constexpr.h). */
#include "../cucpu/std_host_begin.h"
#include_next <bits/vector.tcc>
#include "../cucpu/std_host_end.h"
