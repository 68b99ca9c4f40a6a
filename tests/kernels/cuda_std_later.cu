// Parts of cuda::std that the program's C++ does not have yet: span, expected, concepts, bit, numbers and more; chrono's clock and complex.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t && %run %t
// RUN: %also { for s in c++14 c++20 c++23; do %cucpu -std=$s %s -o %t.$s && %run %t.$s || exit 1; done; }
#include "check.h"
#include <climits>
#include <stdexcept>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/concepts>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/numbers>
#include <cuda/std/numeric>
#include <cuda/std/span>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

namespace s = cuda::std;
enum class Color : short { red = 3 };
struct NoDefault {
    int v;
    __host__ __device__ constexpr explicit NoDefault(int x) : v(x) {}
};
struct Result { // the line of the first check that failed
    int line = 0, done = 0;
    __host__ __device__ void check(bool ok, int at) {
        done++;
        if (!ok && !line) line = at;
    }
};
#define EXPECT(...) r.check(__VA_ARGS__, __LINE__)
__host__ __device__ bool near(double a, double b) { return fabs(a - b) < 1e-5; }

__host__ __device__ void spans(Result &r) {
    int a[6] = {5, 1, 4, 2, 3, 0};
    const int c[3] = {7, 8, 9};
    s::array<int, 4> four{{1, 2, 3, 4}};
    s::span<int> d(a), d2(a, 3), d3 = four;
    s::span<const int> k = c, k2 = d;
    s::span<int, 6> f(a);
    s::span<const int, 4> f2 = four;
    EXPECT(d.size() == 6 && d2.size() == 3 && d3.size() == 4 && k.size() == 3 && k2[2] == 4 && f2[3] == 4);
    EXPECT(sizeof f == sizeof(void *) && sizeof d == 2 * sizeof(void *));
    EXPECT(d.subspan(2).size() == 4 && d.subspan(2, 2)[1] == 2 && d.first(2).back() == 1 && d.last(2).front() == 3);
    EXPECT(f.subspan<1, 2>().size() == 2 && decltype(f.subspan<2>())::extent == 4 && f.first<3>()[2] == 4 && f.last<1>()[0] == 0);
    int sum = 0;
    for (int x : k) sum += x;
    EXPECT(sum == 24 && *k.rbegin() == 9 && s::span<int>().empty() && d.size_bytes() == 24);
    EXPECT(!s::is_convertible<s::span<const int>, s::span<int>>::value && !s::is_convertible<s::span<int, 3>, s::span<int, 4>>::value);
    EXPECT(s::is_trivially_copyable<s::span<int>>::value);
#if __cplusplus >= 201703L
    s::span g(a);
    s::span h(four);
    s::span pointed(a, 3);
    EXPECT(decltype(g)::extent == 6 && decltype(h)::extent == 4 && decltype(pointed)::extent == s::dynamic_extent && pointed.size() == 3);
    EXPECT(s::as_bytes(f).size() == 24 && decltype(s::as_bytes(f))::extent == 24 && s::as_writable_bytes(d).size() == 24);
#endif
}

#if __cplusplus >= 201703L
__host__ __device__ void concepts(Result &r) {
    EXPECT(s::integral<int> && !s::integral<float> && s::floating_point<float> && s::signed_integral<long> && s::unsigned_integral<unsigned>);
    EXPECT(s::same_as<int, int> && s::convertible_to<int, double> && s::derived_from<NoDefault, NoDefault> && s::common_with<int, float>);
    EXPECT(s::regular<int> && s::totally_ordered<float> && !s::equality_comparable<NoDefault> && s::totally_ordered_with<int, float>);
    EXPECT(!s::default_initializable<NoDefault> && s::copyable<NoDefault> && s::constructible_from<NoDefault, int> && s::movable<NoDefault>);
    EXPECT(s::swappable<int> && s::assignable_from<int &, int> && !s::assignable_from<const int &, int>);
    EXPECT(s::invocable<s::plus<int>, int, int> && !s::invocable<s::plus<int>, int> && s::strict_weak_order<s::less<int>, int, int>);
}

using Number = s::expected<int, Color>;
__host__ __device__ void results(Result &r) {
    Number e = 4, u = s::unexpected<Color>(Color::red);
    EXPECT(e && *e == 4 && e.value() == 4 && !u && u.error() == Color::red && u.value_or(9) == 9 && e.value_or(9) == 4);
    u = 6;
    EXPECT(u.has_value() && *u == 6);
    u = s::unexpected<Color>(Color::red);
    EXPECT(u == s::unexpected<Color>(Color::red) && e == 4 && e != u);
    e = u;
    EXPECT(e == u && !e);
    e.emplace(8);
    s::swap(e, u);
    EXPECT(!e && *u == 8);
    s::expected<long, Color> wide(u);
    EXPECT(*wide == 8 && *u.transform([](int x) { return x + 0.5; }) == 8.5);
    EXPECT(u.and_then([](int x) { return Number(x + 1); }).value() == 9 && *e.or_else([](Color x) { return Number(int(x)); }) == 3);
    EXPECT(e.transform_error([](Color x) { return int(x) + 1; }).error() == 4 && *u.transform_error([](Color) { return 1; }) == 8);
    s::expected<void, NoDefault> v, other(s::unexpect, 5);
    EXPECT(v && !other && other.error().v == 5);
    v = s::unexpected<NoDefault>(NoDefault(2));
    EXPECT(v.error().v == 2);
    v.emplace();
    EXPECT(v.has_value() && s::is_trivially_copyable_v<Number>);
    s::expected<NoDefault, int> made(s::in_place, 3);
    EXPECT(made->v == 3);
}

__global__ void no_value(int *out) {
    Number e = s::unexpected<Color>(Color::red);
    if (threadIdx.x == 3) out[1] = e.value();
    out[0] = 1;
}
#endif

__host__ __device__ void small(Result &r) {
    EXPECT(s::cmp_less(-1, 1u) && !s::cmp_less(1u, -1) && s::cmp_equal(3, 3u) && !s::cmp_equal(-1, ~0u) && s::cmp_greater(1u, -1));
    EXPECT(s::in_range<unsigned char>(255) && !s::in_range<unsigned char>(-1) && !s::in_range<signed char>(128));
    EXPECT(s::to_underlying(Color::red) == 3 && s::is_scoped_enum<Color>::value && !s::is_scoped_enum<int>::value);
    EXPECT(s::is_same<s::remove_cvref_t<const int &>, int>::value && s::is_bounded_array<int[3]>::value && s::identity()(5) == 5);
    EXPECT(s::byteswap(0x01020304u) == 0x04030201u && s::byteswap((short)0x0102) == 0x0201 && s::byteswap((signed char)-3) == -3);
    EXPECT(s::byteswap(0x0102030405060708ull) == 0x0807060504030201ull && s::endian::native == s::endian::little);
    EXPECT(near(s::numbers::pi, 3.14159265) && near(s::numbers::sqrt2_v<float>, 1.4142136f) && near(s::numbers::egamma, 0.5772157));
#if __cplusplus >= 201703L
    int a[6] = {};
    EXPECT(s::midpoint(3, 6) == 4 && s::midpoint(6, 3) == 5 && s::midpoint(INT_MAX, INT_MAX - 2) == INT_MAX - 1 && s::midpoint(-7, 4) == -2);
    EXPECT(s::midpoint(1.f, 4.f) == 2.5f && s::midpoint(3e38f, 3e38f) == 3e38f && s::midpoint(a, a + 4) == a + 2);
#endif
    s::atomic_uint16_t count(3);
    EXPECT(sizeof(s::atomic_int64_t) == 8 && count.fetch_add(2) == 3 && count.load() == 5);
    EXPECT(s::numeric_limits<float>::max() > 1e38f && s::numeric_limits<int>::lowest() < 0);
}

__host__ __device__ void complex(Result &r) {
    s::complex<float> z(1, 2), y(3, -1);
    z = z * y + z / y;
    EXPECT(near(z.real(), 5 + .1) && near(z.imag(), 5 + .7));
    z += y, z *= 2.f, z -= y, z /= y; // (13.2, 10.4) / (3, -1)
    EXPECT(near(z.real(), 2.92) && near(z.imag(), 4.44));
    EXPECT(near(s::abs(s::complex<double>(3, 4)), 5) && near(s::exp(s::complex<double>(0, 1)).real(), 0.5403023));
    EXPECT(near(s::conj(y).imag(), 1) && near(s::norm(y), 10) && near(s::polar(2.f, 0.f).real(), 2));
    EXPECT(near(s::sqrt(s::complex<float>(-4, 0)).imag(), 2) && near(s::pow(s::complex<double>(0, 1), 2).real(), -1));
}

__host__ __device__ void clocks(Result &r) {
    using namespace cuda::std::chrono; // no second system_clock
    using namespace cuda::std::literals;
    auto begin = system_clock::now(), end = high_resolution_clock::now();
    EXPECT(end >= begin && duration_cast<seconds>(end - begin) < 10s && begin.time_since_epoch() > hours(24 * 365 * 50));
    EXPECT(milliseconds(1500) == microseconds(1500000) && system_clock::from_time_t(5) - system_clock::time_point() == 5s);
}

__host__ __device__ void all(Result &r) {
    spans(r), small(r), complex(r), clocks(r);
#if __cplusplus >= 201703L
    concepts(r), results(r);
#endif
}
__global__ void run(Result *out) { all(out[threadIdx.x]); }

int main() {
    Buffer<Result> b(40);
    run<<<1, 40>>>(b);
    Result host;
    all(host);
    auto got = b.get();
    CHECK(host.line == 0 && got[39].line == 0);
    if (host.line || got[39].line) printf("line %d on the host, %d on the device\n", host.line, got[39].line);
    CHECK(got[39].done == host.done);
    auto now = s::chrono::system_clock::now().time_since_epoch().count();
    CHECK(now / 1000000000 - time(nullptr) < 5);
#if __cplusplus >= 201703L
    try {
        Number(s::unexpect, Color::red).value();
        CHECK(!"no exception");
    } catch (const s::bad_expected_access<Color> &e) { CHECK(e.error() == Color::red); }
    no_value<<<1, 3>>>((int *)(Result *)b);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    no_value<<<1, 4>>>((int *)(Result *)b);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
#endif
    std::fflush(stdout);
    std::_Exit(failures != 0); // the buffer cannot be freed any more
}
