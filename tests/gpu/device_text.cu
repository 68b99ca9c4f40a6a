// What device code writes: printf, assert, traps; and its heap, clocks, kinds of pointers, layout
// of structures.
//
// REQUIRES: run
// RUN: %cucpu -w -std=c++17 %s -o %t -lcuda && %run %t > %t.out && %python %S/Inputs/compare.py %S/Inputs/device_text.txt %S/Inputs/device_text.known %t.out
#include <cassert>
#include <cstddef>
#include <cmath>
#include <sys/wait.h>
#include <unistd.h>
#include "Inputs/values.h"

struct Args {
    int i, zero, width;
    u32 u;
    long l;
    long long ll;
    u64 ull;
    float f, nan, inf, tiny;
    double d, dnan, dinf, dtiny, big;
    char c;
    signed char sc;
    unsigned char uc;
    short s;
    unsigned short us;
    bool b;
    size_t z;
    const char *null;
    __half h;
};

static __device__ const char text[] = "text";
static __device__ char buffer[16] = "in memory";

#define INTS(X) X("%d|", a.i) X("%i|", a.i) X("%u|", a.i) X("%o|", a.i) X("%x|", a.i) X("%X|", a.i) X("%5d|", a.zero) X("%-8d|", a.i) X("%+d|", 42) \
    X("% d|", 42) X("%08d|", a.i) X("%#x|", a.u) X("%#X|", a.u) X("%#o|", a.u) X("%#x|", a.zero) X("%.0d|", a.zero) X("%.5d|", a.i) X("%8.3d|", a.i) \
    X("%-8.3d|", a.i) X("%08.3d|", a.i) X("%+ d|", 42) X("%-08d|", 42) X("%#010x|", a.u) X("%'d|", 1234567) X("%hd|", 0x12345) X("%hhd|", 0x1ff) \
    X("%hhu|", a.i) X("%hu|", a.i) X("%hx|", a.i) X("%ld|", a.l) X("%lu|", a.l) X("%lx|", a.l) X("%lld|", a.ll) X("%llu|", a.ull) X("%llx|", a.ull) \
    X("%llX|", a.ull) X("%llo|", a.ull) X("%#llx|", a.ull) X("%20lld|", a.ll) X("%-20llu|", a.ull) X("%zu|", a.z) X("%zd|", a.z) X("%zx|", a.z) \
    X("%jd|", a.ll) X("%td|", a.l) X("%d|", a.i, 77, 78) X("%D|", a.i) X("%*d|", a.width, a.u) X("%-*d|", a.width, a.u) X("%*d|", -a.width, a.u) \
    X("%.*d|", a.width, a.i) X("%0*d|", a.width, a.i) X("%*.*d|", a.width, 3, a.i) X("%.*d|", -1, a.i) X("%1$d|", a.i) X("%2$d %1$d|", 1, 2) \
    X("%I64d|", a.ll) X("%b|", a.u) X("%#b|", a.u)
#define NARROWS(X) X("%d|", a.c) X("%d|", a.sc) X("%d|", a.uc) X("%d|", a.s) X("%d|", a.us) X("%d|", a.b) X("%u|", a.sc) X("%x|", a.s) X("%hhx|", a.sc) \
    X("%c|", a.c) X("%c|", 65 + 256) X("%5c|", a.c) X("%-5c|", a.c) X("%05c|", a.c) X("%lc|", 66) X("%C|", 67) X("%d|", true) X("%d %d %d|", a.b, a.s, a.c) \
    X("%lld %d|", a.ll, a.i) X("%d %lld %d|", a.i, a.ll, a.c) X("%c%c%c|", 'x', a.c, 'y')
#define FLOATS(X) X("%f|", a.f) X("%f|", a.d) X("%e|", a.d) X("%E|", a.d) X("%g|", a.d) X("%G|", a.big) X("%a|", a.d) X("%A|", a.d) X("%a|", a.f) \
    X("%F|", a.dinf) X("%f|", a.nan) X("%f|", -a.nan) X("%F|", a.dnan) X("%g|", a.inf) X("%e|", -a.inf) X("%G|", -a.dinf) X("%E|", a.dnan) X("%a|", a.dinf) \
    X("%a|", a.nan) X("%f|", -0.0f * a.f) X("%g|", -0.0 * a.d) X("%g|", a.tiny) X("%g|", a.dtiny) X("%a|", a.tiny) X("%a|", a.dtiny) X("%a|", 0.0) \
    X("%.17g|", a.d) X("%.9g|", a.f) X("%.0f|", 2.5) X("%.0f|", 3.5) X("%#.0f|", 3.0) X("%#g|", 1.0) X("%10.3f|", a.d) X("%-10.3f|", a.d) X("%010.3f|", a.d) \
    X("%010f|", a.inf) X("%+f|", a.f) X("% f|", a.f) X("%+10.2e|", a.d) X("%.3a|", a.d) X("%.0a|", a.d) X("%20a|", a.d) X("%*.*f|", a.width, 2, a.d) \
    X("%.*g|", 3, a.d) X("%.40f|", a.d) X("%.400g|", 0.1) X("%f|", a.big) X("%lf|", a.d) X("%lg|", a.d) X("%le|", a.d) X("%.30f|", a.dtiny) \
    X("%5.1f|%5.1f|", a.f, a.d) X("%f %d %f|", a.f, a.i, a.d) X("%g|", (float)a.h)
#define STRINGS(X) X("%s|", "literal") X("%s|", text) X("%s|", buffer) X("%10s|", text) X("%-10s|", text) X("%.2s|", text) X("%10.2s|", text) \
    X("%.*s|", 3, text) X("%*s|", a.width, text) X("%s%s%s|", text, "", buffer) X("%s|", "") X("%s %d %s|", text, a.i, "end") X("%.0s|", text) \
    X("%010s|", text) X("%p|", (void *)0) X("%20p|", (void *)0) X("%-20p|", (void *)0) X("%p|", (void *)0x1234) X("%p|", (void *)0xffffffffffffffff) X("%%|") \
    X("100%%|%d|", a.i) X("%5%|") X("%-5%|%d|", a.i) X("plain|") X("tab\tbell|") X("%%d|", a.i) X("%%%d%%|", a.i) X("") X("x") X("%s", "no newline|")
/* Each alone in a process: they may end it. */
#define RISKY(X) X("%s|", a.null) X("%n|", a.null) X("%d%n|", a.i, a.null) X("%k|", a.i) X("%y %d|", a.i) X("%|", a.i) X("ends %") X("ends %l") X("ends %5") \
    X("%ls|", L"wide") X("%S|", L"wide") X("%Lf|", a.d) X("%hf|", a.d) X("%llf|", a.d) X("%hs|", text) X("%qd|", a.ll) X("%v|", a.i) X("%m|", a.i) \
    X("%lp|", a.null) X("%hn|", a.null) X("%d|", a.d) X("%x %x|", a.ll, a.i) X("%d|", a.ll) X("% |", a.i) X("%!|%d|", a.i) X("%c|", 0) X("a%cb%cc|", 0, 0) \
    X("%100000d|", a.i) X("%.100000d|", a.i) X("%99999999999d|", a.i) X("%.1000f|", a.d) X("%1000s|", text) X("%5000d|", a.i) X("zero\0after %d|", a.i) \
    X(a.null)
/* What these print is left over in memory: not shown. */
#define GARBAGE(X) X("%d|") X("%s|") X("%f|") X("%f|", a.i) X("%lld|", a.i) X("%s|", a.i) X("%d %d|", a.i)

#define CALL(...)                                                                                                                                              \
    {                                                                                                                                                          \
        printf("%2d ", __COUNTER__ - base);                                                                                                                    \
        r = printf(__VA_ARGS__);                                                                                                                               \
        printf(" -> %d\n", r);                                                                                                                                 \
    }
#define PRINTS(name, OPS)                                                                                                                                      \
    __global__ void name(Args a) {                                                                                                                             \
        constexpr int base = __COUNTER__ + 1;                                                                                                                  \
        int r;                                                                                                                                                 \
        OPS(CALL)                                                                                                                                              \
    }
PRINTS(ints, INTS)
PRINTS(narrows, NARROWS)
PRINTS(floats, FLOATS) PRINTS(strings, STRINGS)

#define RISK(...)                                                                                                                                              \
    if (which == __COUNTER__ - base) {                                                                                                                         \
        printf("<");                                                                                                                                           \
        int r = printf(__VA_ARGS__);                                                                                                                           \
        printf("> -> %d\n", r);                                                                                                                                \
    }
#define COUNT(...) +1
    enum {
        RISKS = 0 RISKY(COUNT),
        ALL_RISKS = RISKS GARBAGE(COUNT)
    };
__global__ void risks(Args a, int which) {
    constexpr int base = __COUNTER__ + 1;
    RISKY(RISK)
    GARBAGE(RISK)
}

extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
template <class T> __global__ void asserts_in_template(T a) { assert(a < T(3) && "a message"); }
__device__ __noinline__ void helper(int a) { assert(a == 3); }
__global__ void asserts_in_function(int a) { helper(a); }
namespace space {
struct Thing {
    int v;
    __device__ bool method(const int &a) const {
        assert(v == a);
        return true;
    }
    template <class U> __device__ U generic(U a) {
        assert(((void)"100% \"quoted\" \\ text", a > U(1e6)));
        return a;
    }
};
namespace {
__device__ void hidden(float) { assert(false); }
} // namespace
} // namespace space
__global__ void asserts_in_method(int a) { space::Thing{a}.method(a + 1); }
__global__ void asserts_in_generic(float a) { space::Thing{1}.generic(a); }
__global__ void asserts_in_lambda(int a) {
    auto f = [=](int b) { assert(a > b); };
    f(a);
}
__global__ void asserts_hidden(int a) {
    if (a) space::hidden(1);
}
__global__ void assert_by_hand(int a) {
    if (threadIdx.x == 5) __assertfail("message here", "some/file.cu", 77 + a, "a_function", 1);
}
__global__ void assert_in_thread(int a) { assert(blockIdx.z != 1 || blockIdx.y != 2 || threadIdx.x != 3 || threadIdx.y != 1); }
__global__ void traps(int a) {
    if (a) __trap();
}
__global__ void prints_then_traps(int a) {
    printf("before the trap\n");
    if (a) __trap();
    printf("after\n");
}

static int child(int which, const Args &a) {
    switch (which) {
    case 0:
        asserts_in_template<int><<<1, 1>>>(a.i);
        break;
    case 1:
        asserts_in_template<float><<<1, 1>>>(1e3f);
        break;
    case 2:
        asserts_in_function<<<1, 1>>>(a.i);
        break;
    case 3:
        asserts_in_method<<<1, 1>>>(a.i);
        break;
    case 4:
        asserts_in_generic<<<1, 1>>>(a.f);
        break;
    case 5:
        asserts_in_lambda<<<1, 1>>>(a.i);
        break;
    case 6:
        asserts_hidden<<<1, 1>>>(a.i);
        break;
    case 7:
        assert_by_hand<<<1, 8>>>(a.width);
        break;
    case 8:
        assert_in_thread<<<dim3(1, 3, 2), dim3(4, 2)>>>(a.i);
        break;
    case 9:
        traps<<<1, 1>>>(a.i);
        break;
    case 10:
        prints_then_traps<<<1, 1>>>(a.i);
        break;
    case 11:
        ints<<<1, 1>>>(a);
        break;
    case 12:
        narrows<<<1, 1>>>(a);
        break;
    case 13:
        floats<<<1, 1>>>(a);
        break;
    case 14:
        strings<<<1, 1>>>(a);
        break;
    default:
        risks<<<1, 1>>>(a, which - 20);
    }
    cudaError_t launched = cudaGetLastError(), e = cudaDeviceSynchronize();
    fflush(stdout);
    fprintf(stderr, "%s, %s", cudaGetErrorName(launched), cudaGetErrorName(e));
    fprintf(stderr, ", later %s, %s\n", cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
static void run_child(int which) {
    char line[256];
    snprintf(line, sizeof line, "timeout 60 /proc/%d/exe %d 2>&1", (int)getpid(), which);
    fflush(stdout);
    FILE *f = popen(line, "r");
    std::string all;
    for (size_t n; (n = fread(line, 1, sizeof line, f)) > 0;) all.append(line, n);
    int status = pclose(f);
    printf("child %d, status %x:%c", which, status, which > 10 && which < 15 ? '\n' : ' ');
    if (which >= 20 + RISKS) {
        size_t to = all.find("> -> ");
        all = to == std::string::npos ? "no result" : all.substr(to, all.find('\n', to) - to);
    }
    if (which > 16 && all.size() > 3000) printf("%zu bytes, ", all.size()), all = all.substr(0, 60) + " ... " + all.substr(all.size() - 120);
    for (size_t p; (p = all.find("cucpu: kernel ")) != std::string::npos;) all.erase(p, all.find('\n', p) + 1 - p); /* not said by a GPU */
    size_t at = 0; /* the folder of the source file */
    for (size_t p; (p = all.find("device_text.cu", at)) != std::string::npos;) {
        size_t start = p;
        while (start > 0 && (all[start - 1] == '/' || (all[start - 1] > ' ' && all[start - 1] != ':' && all[start - 1] != '<'))) start--;
        all.erase(start, p - start);
        at = start + 5;
    }
    for (char c : all)
        if (c == 0)
            printf("\\0");
        else
            putchar(c);
    if (all.empty() || all.back() != '\n') printf("\n");
}

/* The heap. */
#define HEAP(X) X(malloc(0) == NULL) X((size_t)(p[0] = malloc(1)) % 16) X((size_t)(p[1] = malloc(3)) % 16) X((size_t)(p[2] = malloc(17)) % 16) \
    X((size_t)(p[3] = malloc(1000)) % 16) X((size_t)(p[4] = malloc(100000)) % 16) X(p[0] && p[1] && p[2] && p[3] && p[4]) X(p[0] != p[1]) \
    X((free(p[0]), free(p[1]), free(p[2]), free(p[3]), free(p[4]), free(NULL), 1)) X(malloc((size_t)1 << 40) == NULL) X(malloc(~(size_t)0) == NULL) \
    X(malloc((size_t)16 << 20) == NULL) X((p[5] = malloc(4 << 20)) == NULL) X((free(p[5]), 0)) X((p[6] = malloc(9 << 20)) == NULL) X((q = new int(5), *q)) \
    X((delete q, 0)) X((q = new int[10](), q[9])) X((delete[] q, 0)) X((size_t)(v = new double4[2]) % 16) X((delete[] v, 0)) \
    X((r = (char *)malloc(64), memset(r, 0x5a, 64) == r)) X(r[0]) X(r[63]) X((memcpy(r + 1, text, 5) == r + 1)) X(r[1] + r[4]) X(r[5]) X(r[6]) \
    X((free(r), 0)) X((delete (int *)NULL, 0)) X((size_t)(w = new Wide) % 64) X((delete w, 0))
struct alignas(64) Wide {
    char c[64];
};
static const char *const heap_names[] = {HEAP(NAME)};
__global__ void heap(Rec *o) {
    void *p[8];
    int *q, k = 0, n = 1, i = 0;
    double4 *v;
    char *r;
    Wide *w;
    HEAP(EVAL)
}

static __device__ int global_variable;
static __constant__ int constant_variable = 3;
struct Kinds {
    int g, s, l, c;
};
#ifdef __clang__ /* cucpu refuses isspacep.const */
#define __isConstant(p) 0
#define __isGridConstant(p) 0
#endif
template <class T> __device__ u32 kinds(T *p) { return __isGlobal(p) * 1000 + __isShared(p) * 100 + __isLocal(p) * 10 + __isConstant(p); }
#define POINTERS(X) X(kinds(&global_variable)) X(kinds(&in_shared)) X(kinds(&local)) X(kinds(&constant_variable)) X(kinds(o)) X(kinds(m)) X(kinds(dynamic)) \
    X(kinds((int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&in_shared)))) \
    X(__cvta_global_to_generic(__cvta_generic_to_global(&global_variable)) == &global_variable) \
    X(__cvta_shared_to_generic(__cvta_generic_to_shared(&in_shared)) == &in_shared) X(__cvta_local_to_generic(__cvta_generic_to_local(&local)) == &local) \
    X(__cvta_constant_to_generic(__cvta_generic_to_constant(&constant_variable)) == &constant_variable) \
    X((size_t)__cvta_generic_to_global(&global_variable) == (size_t)&global_variable) X(__cvta_generic_to_shared(dynamic) < 65536) X((size_t)dynamic % 16) \
    X(c2 >= c1) X(c2 - c1 < 1000000000) X(g2 >= g1) X((u32)(k2 - k1) < 0x80000000u) X(__isGridConstant(&a)) X(kinds((const int *)"literal"))
static const char *const pointer_names[] = {POINTERS(NAME)};
__global__ void pointers(Rec *o, const __grid_constant__ Kinds a) {
    __shared__ int in_shared;
    extern __shared__ int dynamic[];
    int volatile locals[3] = {1, 2, 3};
    int &local = (int &)locals[threadIdx.x], *m = (int *)malloc(8);
    int k = 0, n = 1, i = 0;
    u64 g1, g2;
    long long c1 = clock64();
    clock_t k1 = clock();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1));
    __nanosleep(100);
    clock_t k2 = clock();
    long long c2 = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g2));
    POINTERS(EVAL)
    free(m);
}

struct Bits {
    u32 a : 3, b : 7;
    int c : 5;
    u64 d : 40;
    unsigned char e : 2, : 0, f : 3;
    bool g : 1;
    short h : 9;
};
struct Mixed {
    char a;
    double b;
    char c;
    short d;
    char e[3];
    long long f;
    bool g;
};
struct Empty {};
struct Derived : Empty {
    char a;
    int b;
};
struct Virtual {
    virtual __host__ __device__ ~Virtual() {}
    char a;
};
union Union {
    char a[5];
    short b;
};
struct __align__(16) Aligned {
    int a;
    char b;
};
#pragma pack(push, 1)
struct Packed {
    char a;
    int b;
    short c;
};
#pragma pack(pop)
enum class Tiny : unsigned char { A };
#define TYPES(X) X(char1) X(char2) X(char3) X(char4) X(uchar3) X(short1) X(short2) X(short3) X(short4) X(int1) X(int2) X(int3) X(int4) X(uint4) X(long1) \
    X(long2) X(long3) X(longlong1) X(longlong2) X(longlong3) X(float1) X(float2) X(float3) X(float4) X(double1) X(double2) X(double3) X(dim3) X(__half) \
    X(__half2) X(__nv_bfloat162) X(bool) X(wchar_t) X(long) X(size_t) X(long double) X(void *) X(Bits) X(Mixed) X(Empty) X(Derived) X(Virtual) X(Union) \
    X(Aligned) X(Packed) X(Tiny) X(int Mixed::*) X(void (*)()) X(max_align_t) X(cudaTextureObject_t)
#define SIZE(T) o[k++] = sizeof(T) * 1000 + alignof(T);
#define TYPE_NAME(T) #T,
static const char *const type_names[] = {TYPES(TYPE_NAME)};
__host__ __device__ int layouts(u32 *o) {
    int k = 0;
    TYPES(SIZE)
    Mixed m;
    for (void *p : {(void *)&m.b, (void *)&m.c, (void *)&m.d, (void *)&m.e, (void *)&m.f, (void *)&m.g}) o[k++] = (u32)((char *)p - (char *)&m);
    return k;
}
__host__ __device__ void bit_fields(unsigned char *o, int v) {
    Bits b;
    memset(&b, 0, sizeof b);
    b.a = v, b.b = v * 3, b.c = -v, b.d = v * 0x123456789ull, b.e = v, b.f = v, b.g = v, b.h = -v;
    memcpy(o, &b, sizeof b);
    o[sizeof b] = b.c + b.h;
}
__global__ void layout(u32 *o, unsigned char *b, int v) { layouts(o), bit_fields(b, v); }

int main(int argc, char **argv) {
    volatile float zero = 0;
    Args a = {-123456,
              0,
              12,
              0xbeef,
              -1234567890123l,
              -1234567890123456789ll,
              12345678901234567890ull,
              1.5f,
              NAN,
              1 / zero,
              1e-40f,
              -3.14159265358979,
              NAN,
              1 / zero,
              4.9e-324,
              1.7976931348623157e308,
              'Q',
              -5,
              250,
              -300,
              65000,
              true,
              ~(size_t)0,
              NULL,
              __float2half(0.1f)};
    if (argc > 1) return child(atoi(argv[1]), a);
    for (int i = 11; i < 15; i++) run_child(i);
    size_t size = 0;
    for (cudaLimit l : {cudaLimitMallocHeapSize, cudaLimitPrintfFifoSize, cudaLimitStackSize})
        CUDA(cudaDeviceGetLimit(&size, l)), printf("limit %d: %zu\n", (int)l, size);
    const size_t heaps = sizeof heap_names / sizeof(char *), kinds = sizeof pointer_names / sizeof(char *), types = sizeof type_names / sizeof(char *);
    Dev<Rec> h(heaps), p(kinds);
    Dev<u32> l(types + 6);
    Dev<unsigned char> b(64);
    heap<<<1, 1>>>(h.d);
    rows(heap_names, heaps, h, 1);
    pointers<<<1, 1, 64>>>(p.d, Kinds{1, 2, 3, 4});
    rows(pointer_names, kinds, p, 1);
    layout<<<1, 1>>>(l.d, b.d, 5);
    std::vector<u32> device = l.get(), host(types + 6);
    std::vector<unsigned char> bits = b.get(), host_bits(64);
    layouts(host.data()), bit_fields(host_bits.data(), 5);
    for (size_t i = 0; i < types + 6; i++)
        printf("%s: size %u, alignment %u%s\n", i < types ? type_names[i] : "offset in Mixed", device[i] / 1000, device[i] % 1000,
               device[i] == host[i] ? "" : ", not so on the host");
    row("bits, device", bits), row("bits, host", host_bits);
    fflush(stdout);
    for (int i = 0; i < 11; i++) run_child(i);
    for (int i = 0; i < ALL_RISKS; i++) run_child(20 + i);
    printf("done\n");
}
