// As host_named.cu, in two files: internal names that both have are two variables; inline ones, members and instances of templates
// are one with -rdc=true, and without it one in each file.
// REQUIRES: run
// RUN: %cucpu -rdc=true -DPART=1 -c %s -o %t.1.o && %cucpu -rdc=true -DPART=2 -c %s -o %t.2.o
// RUN: %cucpu -rdc=true %t.1.o %t.2.o -o %t && %run %t
// RUN: %cucpu -DWHOLE -DPART=1 -c %s -o %t.3.o && %cucpu -DWHOLE -DPART=2 -c %s -o %t.4.o && %cucpu %t.3.o %t.4.o -o %t.whole && %run %t.whole
// Static texture references of one name in two files of a device link are refused.
// RUN: %cucpu -rdc=true -DPART=2 -DTWICE -c %s -o %t.5.o && not %cucpu -rdc=true %t.1.o %t.5.o -o %t.twice 2>&1 | FileCheck %s
// CHECK: host_named_files.cu: error: 'table' is defined twice; the first time in {{.*}}host_named_files.cu
#include <cstdio>

static __device__ int own = 10 + PART;
namespace {
__constant__ int fixed = 20 + PART;
__managed__ int managed = 30 + PART;
}
static __managed__ int own_managed = 40 + PART;
inline __managed__ int one_managed = 50;
inline __device__ int one = 60;
template <class T> __managed__ T variable_managed = 70;
template <class T> __device__ T variable = 80;
struct Members {
    static inline __managed__ int managed = 90;
    static inline __constant__ int fixed = 100;
};
#if defined WHOLE || PART == 1 || defined TWICE
#define TABLE 1
static texture<float, 1> table;
#endif

#ifdef WHOLE
enum { COPIES = 2 };
#else
enum { COPIES = 1 };
extern __managed__ int other_managed;
extern __device__ int other[];
#if PART == 1
__managed__ int other_managed = 110;
__device__ int other[3] = {1, 2, 120};
#endif
#endif

static __global__ void add(int *p) { ++*p; }
#ifdef TABLE
static __global__ void read(float *p) { *p = tex1Dfetch(table, 1); }
#endif

template <class T> int get(const T &symbol) {
    int v = -1;
    return cudaMemcpyFromSymbol(&v, symbol, sizeof v) ? -1 : v;
}

static int bad;
#define CHECK(x, want) \
    do { \
        int got = (x); \
        if (got != (want)) bad++, printf("part %d: %s = %d, want %d\n", PART, #x, got, want); \
    } while (0)

static int check_file(int added) {
    bad = 0;
    CHECK(get(own), 10 + PART);
    CHECK(get(fixed), 20 + PART);
    CHECK(managed, 30 + PART + added);
    CHECK(own_managed, 40 + PART + added);
    int shared = PART == 1 || COPIES == 1 ? added : 0; // file 1 adds
    CHECK(one_managed, 50 + shared);
    CHECK(get(one), 60);
    CHECK(variable_managed<int>, 70 + shared);
    CHECK(get(variable<int>), 80);
    CHECK(Members::managed, 90 + shared);
    CHECK(get(Members::fixed), 100);
#ifndef WHOLE
    int v = 0;
    CHECK(other_managed, 110 + added);
    CHECK(cudaMemcpyFromSymbol(&v, other, sizeof v, 2 * sizeof v), cudaSuccess);
    CHECK(v, 120);
#endif
#ifdef TABLE
    float *f;
    cudaMallocManaged(&f, 8);
    f[1] = PART + 5;
    size_t offset;
    CHECK(cudaBindTexture(&offset, table, f, cudaCreateChannelDesc<float>(), 8), cudaSuccess);
    read<<<1, 1>>>(f);
    CHECK(cudaDeviceSynchronize(), cudaSuccess);
    CHECK((int)*f, PART + 5);
#endif
    return bad;
}

static void add_to_own() {
    add<<<1, 1>>>(&managed);
    add<<<1, 1>>>(&own_managed);
}

#if PART == 2
int check_second(int added) { return check_file(added); }
void add_to_second() { add_to_own(); }
#else
int check_second(int added);
void add_to_second();
int main() {
    int all = check_file(0) + check_second(0);
    add_to_own(), add_to_second();
    add<<<1, 1>>>(&one_managed);
    add<<<1, 1>>>(&variable_managed<int>);
    add<<<1, 1>>>(&Members::managed);
#ifndef WHOLE
    add<<<1, 1>>>(&other_managed);
#endif
    cudaDeviceSynchronize();
    all += check_file(1) + check_second(1);
    cudaDeviceReset();
    return all + check_file(0) + check_second(0);
}
#endif
