/* texture.h: the texture and surface functions of device code; texture_sample.h does the work.
**
** A texture reference is a 64-bit handle in device code, an ordinary object on the host (clang's
** device_builtin_texture_type). */
#ifndef CUCPU_TEXTURE_H
#define CUCPU_TEXTURE_H
#include "../texture_types.h"
#include "../vector_functions.h"
#include "defs.h"
#if !CUCPU_HOST_HALF
#include "texture_sample.h"
#endif

/* ---- normalized reads: the float type with as many components ---- */
template <class T_> struct CucpuNormalized;
#define CUCPU_NORMALIZED_(S, name)                                                                 \
    template <> struct CucpuNormalized<S> { typedef float type; };                                 \
    template <> struct CucpuNormalized<name##1> { typedef float1 type; };                          \
    template <> struct CucpuNormalized<name##2> { typedef float2 type; };                          \
    template <> struct CucpuNormalized<name##3> { typedef float3 type; };                          \
    template <> struct CucpuNormalized<name##4> { typedef float4 type; };
CUCPU_NORMALIZED_(signed char, char)
CUCPU_NORMALIZED_(unsigned char, uchar)
CUCPU_NORMALIZED_(short, short)
CUCPU_NORMALIZED_(unsigned short, ushort)
template <> struct CucpuNormalized<char> { typedef float type; };
#undef CUCPU_NORMALIZED_

/* ---- the functions: on objects returning T, on objects through a pointer, on references ---- */
#define CUCPU_REF_(T, d, m) const texture<T, d, m> &
template <class T_, cudaTextureReadMode mode> struct CucpuResult { typedef T_ type; };
template <class T_> struct CucpuResult<T_, cudaReadModeNormalizedFloat> {
    typedef typename CucpuNormalized<T_>::type type;
};
#define CUCPU_FETCH_(name, d, params, ...)                                                         \
    template <class T_>                                                                            \
    CUCPU_D T_ name(cudaTextureObject_t object, CUCPU_ARGS_ params)                                \
        CUCPU_BODY_(typedef T_ R_; return __VA_ARGS__;)                                            \
    template <class T_>                                                                            \
    CUCPU_D void name(T_ *out, cudaTextureObject_t object, CUCPU_ARGS_ params)                     \
        CUCPU_BODY_(typedef T_ R_; *out = __VA_ARGS__;)                                            \
    template <class T_, cudaTextureReadMode mode>                                                  \
    CUCPU_D typename CucpuResult<T_, mode>::type name(const texture<T_, d, mode> &ref,             \
                                                      CUCPU_ARGS_ params)                          \
        CUCPU_BODY_(typedef typename CucpuResult<T_, mode>::type R_;                               \
                    unsigned long long object = CucpuHandle(ref); return __VA_ARGS__;)
#define CUCPU_ARGS_(...) __VA_ARGS__
CUCPU_FETCH_(tex1Dfetch, 1, (int x), CucpuFetch1D<R_>(object, x))
CUCPU_FETCH_(tex1D, 1, (float x), CucpuSample<R_, 1>(object, x, 0, 0, 0))
CUCPU_FETCH_(tex2D, 2, (float x, float y), CucpuSample<R_, 2>(object, x, y, 0, 0))
CUCPU_FETCH_(tex3D, 3, (float x, float y, float z), CucpuSample<R_, 3>(object, x, y, z, 0))
CUCPU_FETCH_(tex1DLod, 1, (float x, float level), CucpuSample<R_, 1>(object, x, 0, 0, 0, level))
CUCPU_FETCH_(tex2DLod, 2, (float x, float y, float level),
             CucpuSample<R_, 2>(object, x, y, 0, 0, level))
CUCPU_FETCH_(tex3DLod, 3, (float x, float y, float z, float level),
             CucpuSample<R_, 3>(object, x, y, z, 0, level))
CUCPU_FETCH_(tex1DGrad, 1, (float x, float dx, float dy),
             CucpuSample<R_, 1>(object, x, 0, 0, 0, CucpuLod(object, float3{dx, 0, 0}, float3{dy, 0, 0}, 1)))
CUCPU_FETCH_(tex2DGrad, 2, (float x, float y, float2 dx, float2 dy),
             CucpuSample<R_, 2>(object, x, y, 0, 0,
                               CucpuLod(object, float3{dx.x, dx.y, 0}, float3{dy.x, dy.y, 0}, 2)))
CUCPU_FETCH_(tex3DGrad, 3, (float x, float y, float z, float4 dx, float4 dy),
             CucpuSample<R_, 3>(object, x, y, z, 0,
                               CucpuLod(object, float3{dx.x, dx.y, dx.z}, float3{dy.x, dy.y, dy.z}, 3)))
CUCPU_FETCH_(tex1DLayered, cudaTextureType1DLayered, (float x, int layer),
             CucpuSample<R_, 1>(object, x, 0, 0, layer))
CUCPU_FETCH_(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer),
             CucpuSample<R_, 2>(object, x, y, 0, layer))
CUCPU_FETCH_(tex1DLayeredLod, cudaTextureType1DLayered, (float x, int layer, float level),
             CucpuSample<R_, 1>(object, x, 0, 0, layer, level))
CUCPU_FETCH_(tex2DLayeredLod, cudaTextureType2DLayered, (float x, float y, int layer, float level),
             CucpuSample<R_, 2>(object, x, y, 0, layer, level))
CUCPU_FETCH_(tex1DLayeredGrad, cudaTextureType1DLayered, (float x, int layer, float dx, float dy),
             CucpuSample<R_, 1>(object, x, 0, 0, layer, CucpuLod(object, float3{dx, 0, 0}, float3{dy, 0, 0}, 1)))
CUCPU_FETCH_(tex2DLayeredGrad, cudaTextureType2DLayered, (float x, float y, int layer, float2 dx, float2 dy),
             CucpuSample<R_, 2>(object, x, y, 0, layer,
                               CucpuLod(object, float3{dx.x, dx.y, 0}, float3{dy.x, dy.y, 0}, 2)))
CUCPU_FETCH_(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z),
             CucpuCube<R_>(object, x, y, z, 0))
CUCPU_FETCH_(texCubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level),
             CucpuCube<R_>(object, x, y, z, 0, level))
CUCPU_FETCH_(texCubemapLayered, cudaTextureTypeCubemapLayered,
             (float x, float y, float z, int layer), CucpuCube<R_>(object, x, y, z, layer))
CUCPU_FETCH_(texCubemapLayeredLod, cudaTextureTypeCubemapLayered,
             (float x, float y, float z, int layer, float level), CucpuCube<R_>(object, x, y, z, layer, level))
CUCPU_FETCH_(texCubemapGrad, cudaTextureTypeCubemap, (float x, float y, float z, float4 dx, float4 dy),
             CucpuCube<R_>(object, x, y, z, 0, CucpuCubeLod(object, x, y, z, dx, dy)))
CUCPU_FETCH_(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered,
             (float x, float y, float z, int layer, float4 dx, float4 dy),
             CucpuCube<R_>(object, x, y, z, layer, CucpuCubeLod(object, x, y, z, dx, dy)))
CUCPU_FETCH_(tex2Dgather, 2, (float x, float y, int comp = 0), CucpuGather<R_>(object, x, y, comp))
#undef CUCPU_FETCH_
#undef CUCPU_REF_

/* ---- surfaces: x is in bytes ---- */
#define CUCPU_SURF_(suffix, d, params, ...)                                                        \
    template <class T_>                                                                            \
    CUCPU_D T_ surf##suffix##read(cudaSurfaceObject_t object, CUCPU_ARGS_ params,                  \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
        CUCPU_BODY_(return CucpuSurfaceRead<T_>(object, __VA_ARGS__, mode);)                       \
    template <class T_>                                                                            \
    CUCPU_D void surf##suffix##read(T_ *out, cudaSurfaceObject_t object, CUCPU_ARGS_ params,       \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)           \
        CUCPU_BODY_(*out = CucpuSurfaceRead<T_>(object, __VA_ARGS__, mode);)                       \
    template <class T_>                                                                            \
    CUCPU_D void surf##suffix##write(T_ value, cudaSurfaceObject_t object, CUCPU_ARGS_ params,     \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)          \
        CUCPU_BODY_(CucpuSurfaceWrite(value, object, __VA_ARGS__, mode);)                          \
    template <class T_>                                                                            \
    CUCPU_D T_ surf##suffix##read(const surface<void, d> &ref, CUCPU_ARGS_ params,                 \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
        CUCPU_BODY_(return CucpuSurfaceRead<T_>(CucpuHandle(ref), __VA_ARGS__, mode);)             \
    template <class T_>                                                                            \
    CUCPU_D void surf##suffix##write(T_ value, const surface<void, d> &ref, CUCPU_ARGS_ params,    \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)          \
        CUCPU_BODY_(CucpuSurfaceWrite(value, CucpuHandle(ref), __VA_ARGS__, mode);)
CUCPU_SURF_(1D, cudaSurfaceType1D, (int x), x, 0, 0, 0)
CUCPU_SURF_(2D, cudaSurfaceType2D, (int x, int y), x, y, 0, 0)
CUCPU_SURF_(3D, cudaSurfaceType3D, (int x, int y, int z), x, y, z, 0)
CUCPU_SURF_(1DLayered, cudaSurfaceType1DLayered, (int x, int layer), x, 0, 0, layer)
CUCPU_SURF_(2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), x, y, 0, layer)
CUCPU_SURF_(Cubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), x, y, 0, face)
CUCPU_SURF_(CubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int face), x, y, 0, face)
#undef CUCPU_SURF_
#undef CUCPU_ARGS_
#endif
