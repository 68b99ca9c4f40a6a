// Variables that no device code names: the host copies to them and from them by their symbol, or passes the address of a managed
// one to a kernel.  They keep their start values and their own memory, whatever their kind, scope and size.
// REQUIRES: run
// RUN: %cucpu -w %s -o %t && %run %t
// RUN: %cucpu -w -rdc=true %s -o %t.rdc && %run %t.rdc
// RUN: %cucpu -w -G %s -o %t.debug && %run %t.debug
// RUN: %also { %cucpu -w --simd=1 %s -o %t.one && %run %t.one && %cucpu -w --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3; }
#include <cstdio>

static int bad;
#define CHECK(x) ((x) ? (void)0 : (void)(bad++, printf("%d: %s %s\n", __LINE__, #x, cudaGetErrorName(cudaGetLastError()))))

__device__ int plain = 1;
__constant__ int fixed = 2;
static __device__ int own = 3;
static __constant__ short own_fixed = 4;
namespace {
__device__ int anonymous = 5;
__constant__ char anonymous_fixed = 6;
__managed__ short anonymous_managed = 7;
}
namespace space {
__device__ double inside = 8;
}
struct Members {
    static __device__ int one;
    static __constant__ float two;
    static __managed__ long three;
    static inline __device__ int four = 12;
    static inline __managed__ char five = 13;
};
__device__ int Members::one = 9;
__constant__ float Members::two = 10;
__managed__ long Members::three = 11;
inline __device__ int inlined = 14;
inline __managed__ int inlined_managed = 15;
inline __constant__ int inlined_fixed = 16;
template <class T> __device__ T variable = T(17);
template <class T> __constant__ T variable_fixed = T(18);
template <class T> __managed__ T variable_managed = T(19);
template <class T> struct Template {
    static __device__ T one;
    static __managed__ T two;
};
template <class T> __device__ T Template<T>::one = T(20);
template <class T> __managed__ T Template<T>::two = T(21);
__device__ int array[3][2] = {{1, 2}, {3, 4}, {5, 22}};
struct Mixed {
    char c;
    int a[3];
};
__constant__ Mixed mixed = {1, {2, 3, 23}};
__device__ int zeros[1000];
// neighbours of managed variables that are smaller than a pointer
__managed__ char tiny = 24;
__device__ char beside[8] = "abcdefg";
__managed__ char tinier[3] = {25, 26, 27};
static __constant__ const int constant = 28;
__device__ __managed__ int two_words = 29;
static __device__ __managed__ int own_managed = 30;
extern __device__ int declared;
__device__ int declared = 31;
extern __managed__ int declared_managed;
__managed__ int declared_managed = 32;
__device__ int *address = &plain;
__managed__ alignas(64) int aligned = 33;
__managed__ int list[3] = {34, 35, 36};
texture<float, 1> table;
surface<void, 2> plane;
static texture<float, 1> own_table;
static surface<void, 2> own_plane;

template <class T> static bool is(const T &symbol, double want) {
    T v{};
    size_t n = 0;
    void *p = nullptr;
    cudaPointerAttributes a;
    if (cudaMemcpyFromSymbol((void *)&v, symbol, sizeof v) || v != want) return false;
    if (cudaGetSymbolSize(&n, symbol) || n != sizeof v || cudaGetSymbolAddress(&p, symbol)) return false;
    return !cudaPointerGetAttributes(&a, p) && (a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged);
}

__global__ void add(int *p, int n) { p[threadIdx.x] += n; }

static void check_scalars() {
    CHECK(is(plain, 1) && is(fixed, 2) && is(own, 3) && is(own_fixed, 4));
    CHECK(is(anonymous, 5) && is(anonymous_fixed, 6) && is(anonymous_managed, 7) && is(space::inside, 8));
    CHECK(is(Members::one, 9) && is(Members::two, 10) && is(Members::three, 11) && is(Members::four, 12) && is(Members::five, 13));
    CHECK(is(inlined, 14) && is(inlined_managed, 15) && is(inlined_fixed, 16));
    CHECK(is(variable<int>, 17) && is(variable_fixed<double>, 18) && is(variable_managed<char>, 19));
    CHECK(is(Template<int>::one, 20) && is(Template<short>::two, 21));
    CHECK(is(tiny, 24) && is(constant, 28) && is(two_words, 29) && is(own_managed, 30));
    CHECK(is(declared, 31) && is(declared_managed, 32) && is(aligned, 33));
}

static void check_managed() { // as the host's own variables
    CHECK(anonymous_managed == 7 && Members::three == 11 && Members::five == 13 && inlined_managed == 15);
    CHECK(variable_managed<char> == 19 && Template<short>::two == 21 && tiny == 24 && tinier[0] == 25 && tinier[2] == 27);
    CHECK(two_words == 29 && own_managed == 30 && declared_managed == 32 && aligned == 33 && list[0] == 34 && list[2] == 36);
}

static void check_arrays() {
    int a[3][2] = {}, *p = nullptr;
    Mixed m = {};
    char text[8] = "";
    void *q = nullptr;
    CHECK(!cudaMemcpyFromSymbol(a, array, sizeof a) && a[2][1] == 22);
    CHECK(!cudaMemcpyFromSymbol(&m, mixed, sizeof m) && m.a[2] == 23);
    CHECK(!cudaMemcpyFromSymbol(text, beside, sizeof text) && text[0] == 'a' && text[6] == 'g');
    int last = -1, one = 1;
    CHECK(!cudaMemcpyFromSymbol(&last, zeros, 4, 3996) && last == 0);
    CHECK(!cudaMemcpyToSymbol(zeros, &one, 4, 3996) && !cudaMemcpyFromSymbol(&last, zeros, 4, 3996) && last == 1);
    CHECK(!cudaMemcpyFromSymbol(&p, address, sizeof p) && !cudaGetSymbolAddress(&q, plain) && p == q);
}

static void check_references() {
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    float *f;
    size_t offset;
    cudaArray_t a;
    CHECK(!cudaMalloc(&f, 400) && !cudaBindTexture(&offset, table, f, d, 400));
    CHECK(!cudaMallocArray(&a, &d, 8, 8, cudaArraySurfaceLoadStore) && !cudaBindSurfaceToArray(plane, a));
    CHECK(!cudaBindTexture(&offset, own_table, f, d, 400) && !cudaBindSurfaceToArray(own_plane, a));
}

static void check_kernel() { // by address
    add<<<1, 1>>>(&own_managed, 5);
    add<<<1, 3>>>(list, 10);
    CHECK(!cudaDeviceSynchronize() && own_managed == 35 && list[0] == 44 && list[2] == 46);
}

int main() {
    for (int pass = 0; pass < 2; pass++) {
        check_scalars(), check_managed(), check_arrays(), check_references(), check_kernel();
        CHECK(!cudaDeviceReset());
    }
    check_managed();
    return bad != 0;
}
