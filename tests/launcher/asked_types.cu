// Host code asks what a function of the device returns; calling it, or a template of the host in a kernel, stays an error.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: not %cucpu -DHOST -c %s -o %t.o 2>&1 | FileCheck --check-prefix=HOST %s
// RUN: not %cucpu -DDEVICE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=DEVICE %s
#include <type_traits>
#include <utility>

struct Half {
    __device__ float operator()(int x) const { return x * 0.5f; }
};
struct Twice {
    __host__ __device__ int operator()(int x) const { return x * 2; }
};
template <class T, class F> __global__ void fill(T *p, F f) { p[threadIdx.x] = f(threadIdx.x) + T(0.25); }

template <class F> auto zero(F f) -> decltype(f(0)) { return decltype(f(0)){}; }
template <class F> double third(F f) {
    using T = decltype(f(0));
    static_assert(sizeof(f(1)) == sizeof(T), "");
    T *p, got = zero(f);
    cudaMallocManaged(&p, 32 * sizeof *p);
    fill<<<1, 32>>>(p, f);
    if (!cudaDeviceSynchronize()) got += p[3];
    cudaFree(p);
    return got;
}
template double third<Twice>(Twice);

#ifdef HOST
template <class F> float call(F f) { return decltype(f(0))(f(1)); }
float call_it() { return call(Half()); }
// HOST: asked_types.cu:[[#@LINE-2]]:{{[0-9]+}}: error: {{(reference to __device__ function 'operator\(\)'|no matching function for call to object of type 'Half')}}
#endif
#ifdef DEVICE
template <class T> T host_only(T x) { return x; }
__global__ void calls(int *p) { *p = host_only(1); }
// DEVICE: asked_types.cu:[[#@LINE-1]]:{{[0-9]+}}: error: no matching function for call to 'host_only'
#endif

int main() { return third(Half()) != 1.75 || third(Twice()) != 6; }
