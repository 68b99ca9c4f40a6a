// Functions of cuda::std that libstdc++ has constexpr in C++20 only: device code calls them from C++14 on, and gets what the host gets.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t && %run %t
// RUN: %cucpu -std=c++14 --simd=1 %s -o %t && %run %t
// RUN: %also { %cucpu -std=c++20 %s -o %t && %run %t; }
#include "check.h"
#include <iostream>
#include <map>
#include <string>
#include <vector>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda/std/iterator>
#include <cuda/std/memory>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/string_view>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>

namespace s = cuda::std;
struct Greater {
    __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};

// p holds 16 numbers in order; `seed` differs between threads. What each line gives is stored, in order, at o.
__host__ __device__ int objects(const int *p, int seed, int *o) {
    int n = 0;
    s::tuple<int, float> t(seed, 2.f), u;
    u = t;
    s::get<1>(u) += 1;
    o[n++] = s::get<0>(u) + int(s::get<1>(u));
    s::pair<int, int> a(seed, 4), b;
    b = a;
    a.first++;
    s::swap(a, b);
    o[n++] = a.first + 10 * b.first + 100 * (a < b) + 200 * (a == b);
    b = s::make_pair(short(seed), 'c');
    o[n++] = b.second;
    s::tie(o[n], s::ignore) = s::make_tuple(seed + 9, 8);
    n++;
    o[n++] = s::get<1>(s::tuple_cat(s::make_tuple(1), s::make_tuple(seed, 6))) + (t < u);
    s::array<int, 5> r, q;
    r.fill(seed);
    q = r;
    q[3]++;
    r.swap(q);
    o[n++] = r[3] + 100 * (r == q) + 200 * (q < r);
    s::reference_wrapper<int> w(r[1]);
    w.get() = 17;
    o[n++] = r[1];
    o[n++] = *s::make_reverse_iterator(p + 3) + s::exchange(r[0], 3);
#if __cplusplus >= 201703L
    s::optional<int> e, none;
    e = seed;
    none.swap(e);
    o[n++] = e.has_value() + 2 * *none;
    e.emplace(6);
    none = e;
    e = s::nullopt;
    o[n++] = none.value() + e.value_or(20);
    s::variant<int, float> v;
    v = seed + 0.5f;
    if (seed % 2) v = seed;
    o[n++] = v.index() + s::visit([](auto x) { return int(2 * x); }, v);
    v.emplace<1>(2.f);
    o[n++] = s::holds_alternative<float>(v);
    o[n++] = s::invoke(Greater(), seed, 2) + s::apply([](int x, int y) { return x + y; }, s::make_pair(3, seed));
    o[n++] = s::not_fn(Greater())(seed, 2) + s::make_from_tuple<s::pair<int, int>>(s::make_tuple(1, seed)).second;
    s::string_view text = "abcabcd";
    o[n++] = int(text.find("ca") + text.rfind('b')) + (text.substr(seed % 4) < "bz") + int(text.find_first_not_of("ab"));
#endif
    return n;
}

__host__ __device__ int algorithms(const int *p, int seed, int *o) {
    int n = 0, w[16];
    const int *end = p + 16;
    o[n++] = int(s::lower_bound(p, end, seed) - p) + 100 * int(s::upper_bound(p, end, seed) - p);
    o[n++] = s::binary_search(p, end, seed) + 2 * s::is_sorted(p, end) + 4 * s::equal(p, end, p);
    s::copy(p, end, w);
    s::reverse(w, w + 16);
    s::rotate(w, w + seed % 16, w + 16);
    o[n++] = w[0] + 100 * w[15];
    s::sort(w, w + 16);
    o[n++] = w[seed % 16] + 100 * s::equal(p, end, w);
    s::sort(w, w + 16, Greater());
    o[n++] = w[seed % 16] + 1000 * int(s::unique(w, w + 16) - w);
    s::iota(w, w + 16, seed);
    s::nth_element(w, w + 3, w + 16);
    o[n++] = w[3] + s::inner_product(p, end, w, 0) + s::accumulate(p, end, 0);
    o[n++] = *s::max_element(w, w + 16) + 100 * *s::min_element(w, w + 16) + int(s::minmax_element(w, w + 16).second - w);
    o[n++] = int(s::find(p, end, 5) - p) + 100 * int(s::count(p, end, 2)) + int(s::find_if(p, end, [=](int x) { return x > seed; }) - p);
    o[n++] = s::all_of(p, end, [](int x) { return x < 30; }) + 2 * s::any_of(p, end, [=](int x) { return x == seed; }) +
             4 * s::none_of(p, end, [](int x) { return x < 0; });
    s::transform(p, end, w, [=](int x) { return x * seed; });
    o[n++] = w[7] + int(s::distance(p, s::next(p, 3)));
    int sum = 0;
    s::for_each(w, w + 16, [&](int x) { sum += x; });
    o[n++] = sum + int(s::remove(w, w + 16, 2 * seed) - w);
    s::partial_sum(p, end, w);
    o[n++] = w[seed % 16];
    s::adjacent_difference(w, w + 16, w);
    o[n++] = w[seed % 16];
    s::make_heap(w, w + 16);
    s::pop_heap(w, w + 16);
    o[n++] = w[0] + 100 * s::is_heap(w, w + 15);
    o[n++] = int(s::partition(w, w + 16, [=](int x) { return x < seed; }) - w);
    s::fill(w, w + 16, seed);
    s::fill_n(w, 3, 1);
    s::generate(w + 8, w + 10, [=] { return seed * 2; });
    s::replace(w, w + 16, seed, 5);
    o[n++] = w[2] + 10 * w[8] + 100 * w[12];
    s::swap_ranges(w, w + 4, w + 4);
    o[n++] = w[0] + s::lexicographical_compare(w, w + 4, p, p + 4) + int(s::mismatch(w, w + 16, p).first - w);
    int both[32];
    s::merge(p, end, p, end, both);
    o[n++] = both[seed % 32] + int(s::set_intersection(p, p + 9, p + 4, end, w) - w) + s::includes(p, end, p, p + 2);
    s::next_permutation(w, w + 3);
    o[n++] = w[0] + s::max(seed, 3) + s::min({seed, 4, 9});
#if __cplusplus >= 201703L
    o[n++] = s::clamp(seed, 3, 9) + s::gcd(seed, 18) + s::lcm(seed, 4) + s::reduce(p, end) + s::transform_reduce(p, end, p, 0);
    s::exclusive_scan(p, end, w, seed);
    o[n++] = w[15];
    s::inclusive_scan(p, end, w);
    o[n++] = w[15];
#endif
    return n;
}

constexpr int ROW = 64, THREADS = 48;
__global__ void all(const int *p, int *o, int *counts) {
    int i = threadIdx.x, n = objects(p, i + 1, o + i * ROW);
    counts[i] = n + algorithms(p, i + 1, o + i * ROW + n);
}

int main() {
    std::vector<int> in;
    for (int i = 0; i < 16; i++) in.push_back(i * 2 - i / 5);
    Buffer<int> p(in), o(THREADS * ROW), counts(THREADS);
    all<<<1, THREADS>>>(p, o, counts);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    auto got = o.get(), done = counts.get();
    for (int i = 0; i < THREADS; i++) {
        int row[ROW], n = objects(in.data(), i + 1, row);
        n += algorithms(in.data(), i + 1, row + n);
        CHECK(done[i] == n);
        for (int j = 0; j < n; j++)
            if (got[i * ROW + j] != row[j]) {
                printf("thread %d, result %d: %d, not %d\n", i, j, got[i * ROW + j], row[j]);
                failures++;
            }
    }
    std::map<std::string, int> words{{"b", 1}, {"a", 2}}; // what the library marks is the host's as before
    std::string text = words.begin()->first;
    std::sort(in.begin(), in.end(), Greater());
    CHECK(text + "c" == "ac" && in[0] == 27);
    return failures != 0;
}
