// All headers of the C++ library, after what cucpu/std_constexpr.h has done to them; kernels may not take strings for it.
// RUN: %device %s | FileCheck %s
// RUN: %also { %device -std=c++14 %s | FileCheck %s; %device -D_GLIBCXX_DEBUG %s | FileCheck %s; %host %s > /dev/null; }
// RUN: not %device -DSTRING %s 2>&1 | FileCheck --check-prefix=STRING %s
// CHECK: define {{.*}}ptx_kernel
// STRING: error: {{.*}}__host__
#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <charconv>
#include <chrono>
#include <codecvt>
#include <complex>
#include <condition_variable>
#include <deque>
#include <exception>
#include <execution>
#include <filesystem>
#include <forward_list>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <ios>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <ratio>
#include <regex>
#include <scoped_allocator>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>
#include <bits/stdc++.h>
#include <ext/algorithm>
#include <ext/numeric>
#include <ext/pb_ds/assoc_container.hpp>
#include <parallel/algorithm>
__global__ void k(int *p) {
    std::array<int, 3> a;
    a.fill(p[0]);
    p[1] = std::accumulate(a.begin(), a.end(), 0);
#ifdef STRING
    std::string s("text");
    p[2] = s.find('x');
#endif
}
int main() {
    std::vector<bool> b(9);
    b.push_back(1);
    std::deque<int> d{3, 1};
    std::sort(d.begin(), d.end());
    std::copy(d.begin(), d.end(), std::ostream_iterator<int>(std::cout, " "));
    std::string s = "b";
    s += "a";
    std::sort(s.begin(), s.end());
    std::cout << std::regex_match(s, std::regex("a.*")) << b.size();
}
