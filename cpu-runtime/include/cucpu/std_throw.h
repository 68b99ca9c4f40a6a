/* std_throw.h: what libstdc++ calls instead of `throw` ends the kernel in device code, so that its constexpr functions
** which check their arguments (array::at, optional::value, get and visit of a variant) can be called there. */
#ifndef CUCPU_STD_THROW_H
#define CUCPU_STD_THROW_H
#if defined(__CUDA__) && defined(__GLIBCXX__)
#if defined(__CUDA_ARCH__)
#undef _GLIBCXX_THROW_OR_ABORT /* of the headers that come later */
#define _GLIBCXX_THROW_OR_ABORT(exception) (__builtin_trap())
#endif
namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
#define CUCPU_THROW_(name, ...) [[noreturn]] static __device__ inline __attribute__((unused)) void __throw_##name(__VA_ARGS__) { __builtin_trap(); }
CUCPU_THROW_(bad_alloc)
CUCPU_THROW_(bad_array_new_length)
CUCPU_THROW_(bad_cast)
CUCPU_THROW_(bad_function_call)
CUCPU_THROW_(bad_optional_access)
CUCPU_THROW_(bad_variant_access, bool)
CUCPU_THROW_(bad_variant_access, const char *)
CUCPU_THROW_(domain_error, const char *)
CUCPU_THROW_(invalid_argument, const char *)
CUCPU_THROW_(length_error, const char *)
CUCPU_THROW_(logic_error, const char *)
CUCPU_THROW_(out_of_range, const char *)
CUCPU_THROW_(overflow_error, const char *)
CUCPU_THROW_(range_error, const char *)
CUCPU_THROW_(runtime_error, const char *)
CUCPU_THROW_(underflow_error, const char *)
#undef CUCPU_THROW_
template <typename... Values> [[noreturn]] static __device__ inline void __throw_out_of_range_fmt(const char *, Values...) { __builtin_trap(); }
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
#endif
