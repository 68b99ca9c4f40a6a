/* vector_types.h: char1 ... double4, dim3.  Plain structures with the sizes and alignments of the
** CUDA guide (three-component types are packed, two- and four-component types are aligned to their
** size up to 16 bytes), usable from C and C++, host and device.
**
** The 4 x 8 byte types are aligned to 16; their CUDA 13 variants _16a/_32a exist too. */
#ifndef CUCPU_VECTOR_TYPES_H
#define CUCPU_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ /* programs ask for it */
#include "host_defines.h"

#define CUCPU_VECTORS_(T, name, a2, a4)                                                            \
    typedef struct name##1 { T x; } name##1;                                                       \
    typedef struct __align__(a2) name##2 { T x, y; } name##2;                                      \
    typedef struct name##3 { T x, y, z; } name##3;                                                 \
    typedef struct __align__(a4) name##4 { T x, y, z, w; } name##4;
CUCPU_VECTORS_(signed char, char, 2, 4)
CUCPU_VECTORS_(unsigned char, uchar, 2, 4)
CUCPU_VECTORS_(short, short, 4, 8)
CUCPU_VECTORS_(unsigned short, ushort, 4, 8)
CUCPU_VECTORS_(int, int, 8, 16)
CUCPU_VECTORS_(unsigned int, uint, 8, 16)
CUCPU_VECTORS_(long int, long, 16, 16)
CUCPU_VECTORS_(unsigned long int, ulong, 16, 16)
CUCPU_VECTORS_(long long int, longlong, 16, 16)
CUCPU_VECTORS_(unsigned long long int, ulonglong, 16, 16)
CUCPU_VECTORS_(float, float, 8, 16)
CUCPU_VECTORS_(double, double, 16, 16)
#undef CUCPU_VECTORS_

#define CUCPU_VECTORS_4_(T, name)                                                                  \
    typedef struct __align__(16) name##4_16a { T x, y, z, w; } name##4_16a;                        \
    typedef struct __align__(32) name##4_32a { T x, y, z, w; } name##4_32a;
CUCPU_VECTORS_4_(long int, long)
CUCPU_VECTORS_4_(unsigned long int, ulong)
CUCPU_VECTORS_4_(long long int, longlong)
CUCPU_VECTORS_4_(unsigned long long int, ulonglong)
CUCPU_VECTORS_4_(double, double)
#undef CUCPU_VECTORS_4_

#if defined(__cplusplus)
struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                                       unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v_) : x(v_.x), y(v_.y), z(v_.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
typedef struct dim3 dim3;
#else
typedef struct dim3 { unsigned int x, y, z; } dim3;
#endif
#endif
