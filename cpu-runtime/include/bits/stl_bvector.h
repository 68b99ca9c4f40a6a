/* bits/stl_bvector.h: libstdc++'s, for the host (cucpu/std_constexpr.h).  bits/stl_algobase.h, which is for both sides, declares the fill
** of its iterators: this is another name for the library's, and that one calls it. */
#if defined(CUCPU_STD_MARKED)
#include <bits/functional_hash.h>
#include <bits/stl_algobase.h>
#include <initializer_list>
#define __fill_a1 cucpu_fill_bits
#endif
#include "../cucpu/std_host_begin.h"
#include_next <bits/stl_bvector.h>
#include "../cucpu/std_host_end.h"
#if defined(CUCPU_STD_MARKED) && !defined(CUCPU_FILL_BITS)
#define CUCPU_FILL_BITS
#undef __fill_a1
namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
CUCPU_BOTH_ inline void __fill_a1(_GLIBCXX_STD_C::_Bit_iterator first_, _GLIBCXX_STD_C::_Bit_iterator last_, const bool &x_) {
    cucpu_fill_bits(first_, last_, x_);
}
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
