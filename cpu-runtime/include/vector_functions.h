/* vector_functions.h: make_char1 ... make_double4_32a. */
#ifndef CUCPU_VECTOR_FUNCTIONS_H
#define CUCPU_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__ /* programs ask for it */
#include "vector_types.h"

#if defined(__cplusplus)
#define CUCPU_MAKE_SPEC_ static __host__ __device__ constexpr __inline__
#define CUCPU_OF_(type) type
#else
#define CUCPU_MAKE_SPEC_ static __inline__
#define CUCPU_OF_(type) (type)
#endif
#if defined(__CUDA__)
#define CUCPU_MAKE_ __attribute__((always_inline, nodebug)) CUCPU_MAKE_SPEC_
#else
#define CUCPU_MAKE_ CUCPU_MAKE_SPEC_
#endif

#define CUCPU_MAKE_ALL_(T, name)                                                                   \
    CUCPU_MAKE_ name##1 make_##name##1(T x) { return CUCPU_OF_(name##1){x}; }                         \
    CUCPU_MAKE_ name##2 make_##name##2(T x, T y) { return CUCPU_OF_(name##2){x, y}; }                 \
    CUCPU_MAKE_ name##3 make_##name##3(T x, T y, T z) { return CUCPU_OF_(name##3){x, y, z}; }         \
    CUCPU_MAKE_ name##4 make_##name##4(T x, T y, T z, T w) { return CUCPU_OF_(name##4){x, y, z, w}; }
CUCPU_MAKE_ALL_(signed char, char)
CUCPU_MAKE_ALL_(unsigned char, uchar)
CUCPU_MAKE_ALL_(short, short)
CUCPU_MAKE_ALL_(unsigned short, ushort)
CUCPU_MAKE_ALL_(int, int)
CUCPU_MAKE_ALL_(unsigned int, uint)
CUCPU_MAKE_ALL_(long int, long)
CUCPU_MAKE_ALL_(unsigned long int, ulong)
CUCPU_MAKE_ALL_(long long int, longlong)
CUCPU_MAKE_ALL_(unsigned long long int, ulonglong)
CUCPU_MAKE_ALL_(float, float)
CUCPU_MAKE_ALL_(double, double)
#undef CUCPU_MAKE_ALL_

#define CUCPU_MAKE_4_(T, name)                                                                             \
    CUCPU_MAKE_ name##4_16a make_##name##4_16a(T x, T y, T z, T w) { return CUCPU_OF_(name##4_16a){x, y, z, w}; } \
    CUCPU_MAKE_ name##4_32a make_##name##4_32a(T x, T y, T z, T w) { return CUCPU_OF_(name##4_32a){x, y, z, w}; }
CUCPU_MAKE_4_(long int, long)
CUCPU_MAKE_4_(unsigned long int, ulong)
CUCPU_MAKE_4_(long long int, longlong)
CUCPU_MAKE_4_(unsigned long long int, ulonglong)
CUCPU_MAKE_4_(double, double)
#undef CUCPU_MAKE_4_
#undef CUCPU_MAKE_
#undef CUCPU_MAKE_SPEC_
#undef CUCPU_OF_
#endif
