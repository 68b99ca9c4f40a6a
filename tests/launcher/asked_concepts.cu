// What a concept asks about a function has one answer for both sides, whoever asks first; calls are checked as ever.
// REQUIRES: run
// RUN: %cucpu -std=c++20 %s -o %t && %run %t
// RUN: %cucpu -std=c++20 -DHOST_FIRST -rdc=true %s -o %t && %run %t
// RUN: not %cucpu -std=c++20 -DCALL -c %s -o %t.o 2>&1 | FileCheck %s
#include <concepts>
#include <type_traits>
#include <utility>
struct E {
    int v;
    int on_host() const { return v; }
    __device__ int on_device() const { return v; }
};
bool operator<(const E &a, const E &b) { return a.v < b.v; }
__device__ E operator+(const E &a, const E &b) { return {a.v + b.v}; }
void twice_on_host(E &r, const E &e) { r.v = 2 * e.v; }
__device__ void twice_on_device(E &r, const E &e) { r.v = 2 * e.v; }
struct OnDevice { __device__ int operator()(int x) const { return x; } };
template <class T> concept Less = requires(const T &a) { { a < a } -> std::same_as<bool>; };
template <class T> concept Sum = requires(const T &a) { { a + a } -> std::same_as<T>; };
template <class T> concept HostMember = requires(const T &a) { a.on_host(); };
template <class T> concept DeviceMember = requires(const T &a) { { a.on_device() } -> std::convertible_to<int>; };
template <class F> concept Call = requires(F f) { requires sizeof(f(1)) == 4; };
template <class T> concept HostTwice = requires(T &a, const T &b) { twice_on_host(a, b); };
template <class T> concept DeviceTwice = requires(T &a, const T &b) { twice_on_device(a, b); };
template <class T> concept Nothing = requires(const T &a) { a.nothing(); };
template <HostTwice T> __device__ T on_device(T x) { return T{x.v * 2}; }
template <DeviceTwice T> T on_host(T x) { return T{x.v * 2}; }
template <class T> requires Less<T> && Sum<T> struct Held { T v; };
template <class T> __host__ __device__ int bits() {
    int n = Less<T> + 2 * Sum<T> + 4 * HostMember<T> + 8 * DeviceMember<T> + 16 * Call<OnDevice> + 32 * !Nothing<T>;
    if constexpr (requires(T a) { a < a; }) n += 64;
    return n;
}
static_assert(Call<OnDevice> && std::is_class_v<Held<E>>);
#ifdef HOST_FIRST
int host_bits() { return bits<E>() + on_host(E{5}).v; }
#endif
__global__ void k(int *o) { o[0] = bits<E>(), o[1] = on_device(E{21}).v, o[2] = Less<E> + Call<OnDevice>; }
#ifndef HOST_FIRST
int host_bits() { return bits<E>() + on_host(E{5}).v; }
#endif
#ifdef CALL
__global__ void calls(E *e) { twice_on_host(e[0], e[1]); }
// CHECK: asked_concepts.cu:[[#@LINE-1]]:31: error: no matching function for call to 'twice_on_host'
#endif
int main() {
    int *o;
    cudaMallocManaged(&o, 12);
    k<<<1, 1>>>(o);
    return cudaDeviceSynchronize() || o[0] != 127 || o[1] != 42 || o[2] != 2 || host_bits() != 137;
}
