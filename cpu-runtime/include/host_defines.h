/* host_defines.h: the execution space, memory space and attribute keywords of CUDA C++.
**
** Under clang's CUDA mode they are clang attributes; for every other compiler (gcc or clang on a
** .c or .cpp file that includes the runtime API) the space keywords vanish.  __noinline__ is a
** keyword of clang's CUDA mode and must not become a macro there: glibc and libstdc++ write
** __attribute__((__noinline__)). */
#ifndef CUCPU_HOST_DEFINES_H
#define CUCPU_HOST_DEFINES_H
#define __HOST_DEFINES_H__ /* programs ask for it */
#define __CUDA_ARCH_HAS_FEATURE__(feature_) __CUDA_ARCH_FEAT_##feature_ /* SM90_ALL: 1 with -arch=sm_90a */

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __maxnreg__(...) /* registers are the compiler's affair */
#define __local_maxnreg__(...)
#if defined(__CUDA_ARCH__) /* clang's host half has no GPU to check the third number for */
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...) __attribute__((annotate("cucpu_cluster", __VA_ARGS__)))
#else
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#endif
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device)) __attribute__((annotate("cucpu_managed")))
#define __cluster_dims__(...) __attribute__((annotate("cucpu_cluster", __VA_ARGS__)))
#else
#define __cluster_dims__(...)
#define __managed__ __attribute__((device))
#endif
#define __grid_constant__ __attribute__((grid_constant))
#define __nv_pure__ __attribute__((pure))
/* Programs ask them whether the result type of a lambda can be told in host code: clang can always. */
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
/* With a second tuple the grid counts clusters, which is refused on the device. */
#define CUCPU_THIRD_(a_, b_, c_, ...) c_
#if defined(__CUDA_ARCH__)
#define __block_size__(...) CUCPU_THIRD_(__VA_ARGS__, __attribute__((annotate("cucpu_grid_of_clusters"))), , )
#else
#define __block_size__(...)
#endif
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __no_return__ __attribute__((noreturn))
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#define __location__(a)
#define CUDARTAPI
#define CUDART_CB
#define CUDARTAPI_CDECL

#if defined(__cplusplus)
#define __dv(v) = v
#else
#define __dv(v)
#endif
#endif
