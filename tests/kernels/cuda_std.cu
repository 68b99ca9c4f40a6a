// cuda::std and nv/target in kernels, for each language standard.
// REQUIRES: run
// RUN: for s in c++14 c++17 c++20 c++23; do %cucpu -std=$s -arch=sm_80 %s -o %t.$s && %run %t.$s || exit 1; done
#include "check.h"
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cassert>
#include <cuda/std/ccomplex>
#include <cuda/std/concepts>
#include <cuda/std/cstring>
#include <cuda/std/ctime>
#include <cuda/std/expected>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/ratio>
#include <cuda/std/span>
#include <cuda/std/string_view>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <cuda/std/version>
#include <nv/target>

__host__ __device__ int where_else(int a, int b) { return a + b; }
__host__ __device__ int where() {
    int r = 0;
    NV_IF_TARGET(NV_IS_DEVICE, (r += 1;))
    NV_IF_TARGET(NV_IS_HOST, (r += 2;), (r += 4;))
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (int a = 8, b = 0; r += a + b;), (r += 16;))
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (r += 32;), NV_IS_EXACTLY_SM_80, (r += 64;), NV_IS_HOST, (r += 128;),
                       NV_ANY_TARGET, (r += 256;))
    NV_IF_ELSE_TARGET(NV_IS_HOST, r += 512;, r += where_else(512, 512);) /* no parentheses around the code */
    return r;
}

__global__ void bits(unsigned *out) {
    unsigned v = threadIdx.x * 0x01234567u;
    out[threadIdx.x] = cuda::std::popcount(v) + 40 * cuda::std::countl_zero(v) + 1600 * cuda::std::countr_zero(v) +
                       64000 * cuda::std::bit_width(v) + cuda::std::has_single_bit(v) + cuda::std::rotl(v, 5) +
                       cuda::std::rotr(v, 37) + cuda::std::bit_floor(v >> 1) + cuda::std::bit_ceil(v >> 2) +
                       cuda::std::bit_cast<unsigned>(float(v));
}

static unsigned bits_of(unsigned v) {
    unsigned zl = v ? __builtin_clz(v) : 32, zr = v ? __builtin_ctz(v) : 32, ones = __builtin_popcount(v), f;
    unsigned half = v >> 1, quarter = v >> 2, floor = 0, ceil = 1;
    for (unsigned b = 1; b && b <= half; b <<= 1) floor = b;
    while (ceil < quarter) ceil <<= 1;
    float x = float(v);
    memcpy(&f, &x, 4);
    unsigned left = v << 5 | v >> 27, right = v >> 5 | v << 27;
    return ones + 40 * zl + 1600 * zr + 64000 * (32 - zl) + (ones == 1) + left + right + floor + ceil + f;
}

__global__ void places(int *out) {
    cuda::std::array<int, 3> a{{1, 2, 3}};
#if __cplusplus >= 201703L
    cuda::std::optional<int> none, some = a[2];
    cuda::std::string_view text = "abc";
    out[1] = none.value_or(a[1]) * 100 + *some * 10 + int(text.size());
#else
    out[1] = 233;
#endif
    out[0] = where();
}

// Functions that throw on the host where their arguments are wrong.
__global__ void checked(int *out, int first) {
    unsigned i = threadIdx.x;
    cuda::std::array<int, 4> a{{1, 2, 3, 4}};
    out[i] = first + 10;
#if __cplusplus >= 201703L
    using Either = cuda::std::variant<int, float>;
    cuda::std::optional<int> some = first;
    Either e = i % 2 ? Either(int(i)) : Either(float(i) + 0.5f);
#if __cplusplus >= 202002L
    if (i % 3 == 0) e = 7;
#endif
    out[i] = a.at(first) + some.value() + cuda::std::visit([](auto x) { return int(2 * x); }, e) * 10;
    if (e.index() == 0) out[i] += cuda::std::get<int>(e) - *cuda::std::get_if<int>(&e);
#endif
}

// Not called, only asked for the type; the concepts are made of it.
struct Meters {
    float v;
    __device__ Meters(float x) : v(x) {}
    __device__ bool operator==(const Meters &o) const { return v == o.v; }
};

struct OnDevice {
    __device__ float operator()(int x) const { return x; }
};
struct OnHost {
    float operator()(int x) const { return x; }
};
#if __cplusplus >= 201703L
template <class F> __host__ __device__ int callable() { return std::is_invocable_r_v<float, F, int> && !std::is_invocable_v<F>; }
static std::invoke_result_t<OnDevice, int> answer = 0.5f;
#else
template <class F> __host__ __device__ int callable() { return std::is_same<typename std::result_of<F(int)>::type, float>::value; }
static std::result_of<OnDevice(int)>::type answer = 0.5f;
#endif

#if __cplusplus >= 202002L
template <class T> concept Ordered = requires(T a) { { a < a } -> std::convertible_to<bool>; };
template <Ordered T> __device__ int named(T) { return 1; }
template <class T> __device__ int named(T) { return 2; }
template <class F> __device__ int apply(F f) { return std::invocable<F, int> && !std::invocable<F, Meters> ? int(f(3)) : 0; }
#endif

template <class T> __device__ int asked(T t) {
    using Sum = decltype(std::declval<T>() + 1);
    Sum sum = t + 1;
    return int(sizeof(sum)) + int(sum);
}

__global__ void types(int *out) {
    decltype(std::declval<short>() + std::declval<long long>()) wide = 1ll << 40;
    out[0] = asked(2) + 100 * asked(1.5) + int(wide >> 40);
    out[1] = 210 + 6;
    out[2] = callable<OnDevice>() + 2 * callable<OnHost>();
#if __cplusplus >= 202002L
    out[1] = named(1.5) + 10 * named(Meters(2)) + 100 * (std::regular<int> && std::totally_ordered<long> && !std::totally_ordered<Meters>) +
             100 * (std::equality_comparable<Meters> && std::common_reference_with<int, const int &>) + apply([](int x) { return x + 2; });
#endif
}

static void check_types() {
    Buffer<int> b(3);
    types<<<1, 1>>>(b);
    CHECK(b.get()[2] == 3 && callable<OnDevice>() && callable<OnHost>() && answer == 0.5f);
    CHECK(b.get()[0] == 7 + 1000 + 1);
    CHECK(b.get()[1] == (__cplusplus >= 202002L ? 226 : 216));
}

static void check_checked() {
    Buffer<int> &out = *new Buffer<int>(64); // not freed: the last launch fails
    checked<<<1, 64>>>(out, 2);
    auto got = out.get();
    for (int i = 0; i < 64; i++) {
        int twice = __cplusplus >= 202002L && i % 3 == 0 ? 14 : i % 2 ? 2 * i : 2 * i + 1;
        CHECK(got[i] == (__cplusplus >= 201703L ? 3 + 2 + 10 * twice : 12));
    }
    checked<<<1, 64>>>(out, 4); // a.at(4): the device does not work afterwards
    CHECK(cudaDeviceSynchronize() == (__cplusplus >= 201703L ? cudaErrorLaunchFailure : cudaSuccess));
}

int main() {
    Buffer<unsigned> b(100);
    bits<<<1, 100>>>(b);
    auto got = b.get();
    for (unsigned i = 0; i < 100; i++) CHECK(got[i] == bits_of(i * 0x01234567u));
    Buffer<int> p(2);
    places<<<1, 1>>>(p);
    CHECK(p.get()[0] == 1 + 4 + 8 + 64 + 1024);
    CHECK(p.get()[1] == 233);
    CHECK(where() == 2 + 16 + 128 + 512);
    check_types();
    check_checked();
    std::fflush(stdout);
    std::_Exit(failures != 0); // the buffers cannot be freed any more
}
