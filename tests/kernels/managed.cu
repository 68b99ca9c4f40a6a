// Managed variables: start values, arrays, structures, host access without copies; also where the
// device library is linked, and from several files.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %cucpu -rdc=true %s -DMANY %S/Inputs/managed_other.cu -o %t.rdc && %run %t.rdc
#include <cstdio>

struct Pair {
    double a;
    int b[3];
};
__managed__ int count = 5;
__managed__ float table[64];
__managed__ int primes[5] = {2, 3, 5, 7, 11};
__managed__ Pair pair = {2.5, {1, 2, 3}};
__managed__ int *link;
__device__ int plain = 7; // no kernel uses it
#ifdef MANY
extern __managed__ int shared_count;
extern __managed__ float shared_list[8];
void other_file(int n);
#endif

__global__ void work(int *r) {
    int i = threadIdx.x;
    r[i] = (int)(100 * erfinvf(i * .001f));
    table[i] = i * 2.0f;
    atomicAdd(&count, 1);
    if (i < 5) primes[i] += 1;
    if (i == 0) pair.b[1] = count > 0 ? 20 : 10, pair.a *= 2;
    if (i == 1) *link = 99;
}

__global__ void choose(int which, int *out) { // an address that depends on control flow
    int *p = which ? &count : &primes[1];
    *out = *p;
}

#define CHECK(x) \
    if (!(x)) return std::printf("%d: %s\n", __LINE__, #x), 1

int main() {
    CHECK(count == 5 && primes[4] == 11 && pair.a == 2.5 && pair.b[2] == 3 && table[63] == 0);
    int *d, got[64];
    cudaMallocManaged(&d, sizeof got);
    cudaMallocManaged(&link, 4);
    work<<<1, 64>>>(d);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(count == 69 && table[63] == 126 && primes[0] == 3 && primes[4] == 12);
    CHECK(pair.a == 5 && pair.b[1] == 20 && pair.b[0] == 1 && *link == 99);
    count = 1;
    choose<<<1, 1>>>(1, d);
    cudaDeviceSynchronize();
    CHECK(*d == 1);
    choose<<<1, 1>>>(0, d);
    cudaDeviceSynchronize();
    CHECK(*d == 4);
    int v = 0;
    CHECK(cudaMemcpyFromSymbol(&v, plain, 4) == cudaSuccess && v == 7);
    CHECK(cudaMemcpyFromSymbol(&v, count, 4) == cudaSuccess && v == 1);
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, &count) == cudaSuccess && a.type == cudaMemoryTypeManaged);
#ifdef MANY
    CHECK(shared_count == 3 && shared_list[1] == 1.5f);
    shared_count = 10;
    other_file(16);
    CHECK(shared_count == 26 && shared_list[7] == 7);
#endif
}
