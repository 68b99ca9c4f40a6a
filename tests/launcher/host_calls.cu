// Functions for both sides that name functions of the host, in all forms: a warning, and only a kernel that gets there ends with an error.
// REQUIRES: run
// RUN: %cucpu %s -o %t 2>&1 | FileCheck --implicit-check-not='host_generic<short>' --check-prefix=WARN %s
// RUN: %run %t
// RUN: %cucpu -w --simd=1 -G %s -o %t 2>&1 | count 0
// RUN: %run %t
// RUN: %cucpu -w --simd=32 -rdc=true %s -o %t 2>&1 | count 0
// RUN: %run %t
// RUN: not %run %t 1 2>&1 | FileCheck --check-prefix=CALL %s
// RUN: not %run %t 2 2>&1 | FileCheck --check-prefix=POINTER %s
// RUN: not %run %t 3 2>&1 | FileCheck --check-prefix=MEMBER %s
// RUN: not %cucpu -Werror cross-execution-space-call -c %s -o %t.o 2>&1 | FileCheck --check-prefix=WERROR %s
// RUN: not %cucpu -DVARIABLE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=VARIABLE %s
// RUN: not %cucpu -DDEVICE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=DEVICE %s
// RUN: not %cucpu -DHOST -c %s -o %t.o 2>&1 | FileCheck --check-prefix=HOST %s
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#define BOTH __host__ __device__
struct Pair { int a, b; };
struct Res {
    int id;
    Res(int i) : id(i) { names.push_back("made"); }
    ~Res() { names.pop_back(); }
    int get() const { return id; }
    static int two() { return 2; }
    operator int() const { return id; }
    Res operator+(int x) const { return Res(id + x); }
    virtual int late() const { return id; }
    static std::vector<std::string> names;
};
std::vector<std::string> Res::names;
int host_only(int x) { return x + 1; }
Pair host_pair(int x) { return {x, x}; }
template <class T> T host_generic(T x) { return x + 1; }
extern "C" int host_c(int x) { return x; }
[[noreturn]] void fail(const char *what, int line) { fprintf(stderr, "%s %d\n", what, line); abort(); }
#define REQUIRE(c) ((c) ? (void)0 : fail(#c, __LINE__))
#define NEED(c) { if (!(c)) { fprintf(stderr, "bad\n"); exit(2); } }
#define FAIL_IF(c) if (c) { abort(); } else ((void)0)
int host_variable = 3;

BOTH int as_expression(int i) { REQUIRE(i >= 0); return 2 * ((i) < 0 ? (fail("low", 1), 0) : (i)); }
BOTH int as_statement(int i) { NEED(i >= 0) FAIL_IF(i < 0); return i; }
struct Span {
    int n, d[4];
    BOTH int operator[](int i) const { NEED(i < n) return d[i]; }
};
struct Init { int v; BOTH Init(int x) : v(x < 0 ? host_only(x) : x) {} };
struct Member { bool low; int v = low ? host_only(1) : 3; BOTH Member(bool l) : low(l) {} };
BOTH int with_default(int i, int d = host_only(7)) { return i < 0 ? d : i; }
BOTH int defaulted(int i) { return i < 0 ? with_default(i) : i; }
BOTH Pair braced(int i) { if (i < 0) return {host_only(i), host_pair(i).b}; return {i, 2}; }
BOTH int classes(int i) {
    if (i < 0) {
        Res r(i), *p = new Res(i + 1);
        int sum = r.get() + Res::two() + int(r + 2) + p->late() + Res(3).get();
        delete p;
        return sum;
    }
    return i;
}
BOTH int pointer(int i) { int (*f)(int) = host_only; return i < 0 ? f(i) : i; }
BOTH int lambda(int i) { auto f = [=](int x) { return i < 0 ? host_generic(x) + host_c(x) : x; }; return f(i); }
BOTH int once(int i) { if (i < 0) { static const int first = 3; return host_c(first); } return i; }
template <class T> struct Box {
    T v;
    BOTH T get() const { return v < 0 ? host_generic(v) : v; }
    BOTH T put(T x);
};
template <class T> BOTH T Box<T>::put(T x) { return x < 0 ? host_only(x) : x; }
template struct Box<int>;
template <class T> BOTH T plus(T x) { return x < 0 ? host_generic<T>(x) : x; }
template BOTH long plus<long>(long);
template <> BOTH int plus<int>(int x) { return x < 0 ? host_only(x) : x; }
namespace inner { extern "C" { BOTH int in_c(int x) { return x < 0 ? host_c(x) : x; } } }
#pragma nv_exec_check_disable
/* the next one */
template <class T>
BOTH T unchecked(T x) { return x < 0 ? host_generic<T>(x) : x; }
#pragma hd_warning_disable
BOTH inline short unchecked_too(short x) { return x < 0 ? host_generic(x) : x; }
static BOTH int internal(int x) { return x < 0 ? Res(x).get() : x; }

BOTH int all(int i) {
    Span s = {4, {0, 1, 2, 3}};
    return as_expression(i) + as_statement(i) + s[i] + Init(i).v + Member(i < 0).v + defaulted(i) + braced(i).a + classes(i) + pointer(i) +
           lambda(i) + once(i) + Box<int>{i}.get() + Box<int>{i}.put(i) + plus((long)i) + plus(i) + inner::in_c(i) + internal(i) + unchecked((short)i) + unchecked_too(i);
}
#ifdef VARIABLE
BOTH int reads(int i) { return i + host_variable; }
__global__ void reading(int *out) { *out = reads(3); }
// VARIABLE: host_calls.cu:[[@LINE-2]]:36: error: reference to __host__ variable 'host_variable' in device code
#elif defined DEVICE
__device__ int wrong(int i) { return i + host_only(i); }
// DEVICE: [[@LINE-1]]:42: error: no matching function for call to 'host_only'
// DEVICE-NEXT: return i + host_only(i)
// DEVICE: note: candidate function not viable: call to __host__ function from __device__ function
#elif defined HOST
__device__ int device_only(int x) { return x; }
BOTH int wrong(int x) { return device_only(x); }
// HOST: [[@LINE-1]]:32: error: reference to __device__ function 'device_only' in __host__ __device__ function
#endif
__global__ void kernel(int *out, int which) {
    int i = threadIdx.x & 3;
    if (which == 1 && i == 3) out[0] = as_expression(-i);
    if (which == 2 && i == 3) out[0] = pointer(-i);
    if (which == 3 && i == 3) out[0] = internal(-i);
    out[threadIdx.x] = all(i);
}

int main(int argc, char **argv) {
    int *out, bad = 0, which = argc > 1 ? atoi(argv[1]) : 0;
    cudaMallocManaged(&out, 64 * sizeof *out);
    kernel<<<1, 64>>>(out, which);
    cudaError_t e = cudaDeviceSynchronize();
    if (e) return printf("%s\n", cudaGetErrorName(e)), 1;
    for (int t = 0; t < 64; t++) bad += out[t] != all(t & 3) || out[t] != 19 * (t & 3) + 3;
    return bad != 0 || defaulted(-1) != 8 || Box<int>{-4}.get() != -3;
}
// WARN-DAG: host_calls.cu:[[#]]:{{[0-9]+}}: warning: reference to __host__ function 'fail' in __host__ __device__ function: a kernel that gets there ends with an error
// WARN-DAG: warning: reference to __host__ function 'exit'
// WARN-DAG: warning: reference to __host__ function 'abort'
// WARN-DAG: warning: reference to __host__ function 'host_pair'
// WARN-DAG: warning: reference to __host__ function 'Res'
// WARN-DAG: warning: reference to __host__ function 'late'
// WARN-DAG: warning: reference to __host__ function 'host_c'
// WARN-DAG: warning: reference to __host__ function 'host_generic<long>'
// CALL: kernel {{.*}}host_calls.cu:44: call of a __host__ function, 'fail(char const*, int)'
// POINTER: call of a __host__ function, 'host_only(int)', through its address
// MEMBER: call of a __host__ function, 'Res::Res(int)'
// WERROR: error: reference to __host__ function 'fail' in __host__ __device__ function
