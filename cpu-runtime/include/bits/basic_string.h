/* bits/basic_string.h: libstdc++'s, for the host (cucpu/std_constexpr.h); what it includes is read before, for both sides. */
#if defined(CUCPU_STD_MARKED)
#include <bits/charconv.h>
#include <bits/functional_hash.h>
#include <ext/alloc_traits.h>
#include <ext/string_conversions.h>
#if __cplusplus >= 201703L
#include <string_view>
#endif
#endif
#include "../cucpu/std_host_begin.h"
#include_next <bits/basic_string.h>
#include "../cucpu/std_host_end.h"
