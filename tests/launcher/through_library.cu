// A __host__ __device__ function may call the host, also through functions of the C++ library that are for both sides: only a kernel that
// gets there ends, with a message that names the function.
// REQUIRES: run
// RUN: %cucpu %s -o %t 2>&1 | FileCheck %s
// RUN: %run %t
// RUN: %cucpu -std=c++20 -DWITHOUT_VECTOR %s -o %t 2> %t.log && %run %t
// RUN: %cucpu -DUSED %s -o %t.used 2> %t.log && (%run %t.used; true) 2>&1 | FileCheck --check-prefix=USED %s
#include <algorithm>
#include <string>
#include <utility>
#include <vector>
typedef std::pair<std::string, int> Named;
__host__ __device__ void assign(Named &to, const Named &from) { to = from; }
__host__ __device__ void assign_both(Named &to, const Named &from) { assign(to, from); }
#ifdef WITHOUT_VECTOR /* its constexpr members have try blocks in C++20: docs/limits.md */
int sorted(int) { return 1; }
#else
__host__ __device__ int sorted(int x) {
    // CHECK: through_library.cu:[[#@LINE+1]]:{{.*}}warning: reference to __host__ function 'vector' in __host__ __device__ function
    std::vector<int> v{3, 1, x};
    std::vector<bool> b(v.size(), true);
    std::fill(b.begin(), b.end(), false);
    std::sort(v.begin(), v.end());
    return v[0] + b[1];
}
#endif
__global__ void kernel(Named *p) {
#ifdef USED
    assign_both(p[0], p[1]);
#endif
}
// USED: call of a __host__ function, 'std::{{.*}}basic_string{{.*}}operator=
int main() {
    Named a, b("b", 2);
    assign_both(a, b);
    kernel<<<1, 1>>>(nullptr);
    return !(a.first == "b" && sorted(2) == 1);
}
