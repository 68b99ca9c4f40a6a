// <cuda/atomic>, latch, semaphore: operations with conflicts, types of 1 to 8 bytes, waiting, the host's side.
// REQUIRES: run
// RUN: for w in 1 8 auto; do %cucpu --simd=$w -std=c++17 %s -o %t && %run %t || exit 1; done
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
namespace cg = cooperative_groups;

__device__ cuda::atomic<int, cuda::thread_scope_device> largest{5};
__managed__ cuda::atomic<unsigned long long> total;

/* Programs look at an object through a pointer to volatile. */
__global__ void through_volatile(volatile cuda::atomic<int, cuda::thread_scope_device> *a, int *value) {
    int old = a->load(), zero = 0;
    a->store(old + 1);
    *a += 2;
    ++*a;
    bool swapped = a->compare_exchange_strong(zero, 7);
    old = a->fetch_max(100);
    *a = old + zero;
    *value = swapped ? -1 : a->load();
}

__global__ void members(int *seen, int *after) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
    int t = threadIdx.x;
    if (t == 0) count.store(0);
    __syncthreads();
    seen[t] = count.fetch_add(1, cuda::memory_order_relaxed);
    count++;
    largest.fetch_max(t);
    total += 2;
    __syncthreads();
    after[t] = count.load(cuda::std::memory_order_acquire);
}

/* Sum, least and greatest, a sum by compare-exchange; each thread sees another sum. */
template <class T> __global__ void references(T *p, T *seen) {
    int t = threadIdx.x;
    seen[t] = cuda::atomic_ref<T, cuda::thread_scope_device>(p[0]).fetch_add((T)1);
    cuda::atomic_ref<T>(p[1]).fetch_min((T)(100 - t % 50));
    cuda::atomic_ref<T>(p[2]).fetch_max((T)(t % 77));
    cuda::atomic_ref<T> last(p[3]);
    T old = last.load();
    while (!last.compare_exchange_weak(old, old + 1, cuda::memory_order_relaxed)) {}
}

struct Pair {
    short a, b;
};
__global__ void structures(cuda::atomic<Pair> *p) {
    Pair old = p->load(), next;
    do next = Pair{short(old.a + 1), short(old.b - 1)};
    while (!p->compare_exchange_weak(old, next));
}

__global__ void message(cuda::atomic<int> *ready, int *data, int *out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) *data = 42, ready->store(1, cuda::memory_order_release);
    } else {
        while (ready->load(cuda::memory_order_acquire) == 0) {}
        out[blockIdx.x * blockDim.x + threadIdx.x] = *data;
    }
}

__global__ void locks(cuda::std::atomic<int> *lock, cuda::atomic_flag *flag, int *counts) {
    for (int expected = 0; !lock->compare_exchange_strong(expected, 1); expected = 0) {}
    counts[0]++;
    lock->store(0, cuda::std::memory_order_release);
    while (flag->test_and_set(cuda::memory_order_acquire)) {}
    counts[1]++;
    flag->clear(cuda::memory_order_release);
}

__global__ void latches(int *out) {
    __shared__ cuda::latch<cuda::thread_scope_block> latch;
    __shared__ int s[256];
    int t = threadIdx.x;
    if (t == 0) new (&latch) cuda::latch<cuda::thread_scope_block>(blockDim.x);
    __syncthreads();
    s[t] = t;
    latch.arrive_and_wait();
    out[t] = s[blockDim.x - 1 - t];
}

typedef cuda::counting_semaphore<cuda::thread_scope_device, 4> Four;
__global__ void semaphores(Four *s, int *inside) {
    if (threadIdx.x) return;
    s->acquire();
    atomicMax(inside + 1, atomicAdd(inside, 1) + 1);
    __nanosleep(100);
    atomicSub(inside, 1);
    s->release();
}

__global__ void updates(cuda::atomic<int> *sums, int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::reduce_update_async(warp, sums[0], (int)threadIdx.x, cg::plus<int>());
    out[threadIdx.x] = cg::exclusive_scan_update(cg::tiled_partition<8>(warp), sums[1], 1, cg::plus<int>());
}

/* The builtins of nvcc that give no result, or take it by address. */
__global__ void builtins(int *n, float *f) {
    int t = (int)threadIdx.x, old, first = 0;
    float none = 0, five = 5;
    __nv_atomic_add(&n[0], 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_sub(&n[1], 1, __NV_ATOMIC_ACQ_REL);
    __nv_atomic_max(&n[2], t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_min(&n[3], -t, __NV_ATOMIC_RELAXED);
    __nv_atomic_or(&n[4], 1 << t % 8, __NV_ATOMIC_RELAXED);
    __nv_atomic_and(&n[5], ~(1 << t % 8), __NV_ATOMIC_RELAXED);
    __nv_atomic_xor(&n[6], 3, __NV_ATOMIC_RELAXED);
    __nv_atomic_exchange(&n[7], &t, &old, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_compare_exchange(f, &none, &five, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    if (__nv_atomic_compare_exchange_n(&n[8], &first, 1, true, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_SEQ_CST)) atomicAdd(&n[9], 1);
    atomicAdd(&n[10], old);
}

template <class T> static T *managed(size_t n) {
    T *p;
    CUDA(cudaMallocManaged(&p, n * sizeof(T)));
    memset((void *)p, 0, n * sizeof(T));
    return p;
}

template <class T> static void test_references() {
    const int n = 100;
    T *p = managed<T>(4), *seen = managed<T>(n);
    p[1] = 120;
    references<<<1, n>>>(p, seen);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[0] == n && p[1] == 51 && p[2] == 76 && p[3] == n);
    bool found[n] = {};
    for (int t = 0; t < n; t++) found[(int)seen[t]] = true;
    for (bool f : found) CHECK(f);
}

int main() {
    int *out = managed<int>(4096);
    for (int n : {1, 33, 1000}) {
        total = 0;
        members<<<1, n>>>(out, out + 1024);
        CUDA(cudaDeviceSynchronize());
        for (int t = 0; t < n; t++) CHECK(out[1024 + t] == 2 * n && out[t] < 2 * n);
        CHECK(total.load() == 2ull * n);
    }
    test_references<int>(), test_references<unsigned>(), test_references<long long>();
    test_references<unsigned long long>(), test_references<float>(), test_references<double>();
    test_references<unsigned char>(), test_references<short>();
    int *n = managed<int>(11);
    float *f = managed<float>(1);
    n[5] = 0xfff, n[7] = 1000;
    builtins<<<1, 99>>>(n, f);
    CUDA(cudaDeviceSynchronize());
    CHECK(n[0] == 198 && n[1] == -99 && n[2] == 98 && n[3] == -98 && n[4] == 0xff && n[5] == 0xf00 && n[6] == 3);
    CHECK(n[10] + n[7] == 1000 + 99 * 98 / 2 && n[8] == 1 && n[9] == 1 && *f == 5);
    auto *pair = managed<cuda::atomic<Pair>>(1);
    structures<<<3, 333>>>(pair);
    CUDA(cudaDeviceSynchronize());
    CHECK(pair->load().a == 999 && pair->load().b == -999);
    auto *single = managed<cuda::atomic<int, cuda::thread_scope_device>>(1);
    *single = 5;
    through_volatile<<<1, 1>>>(single, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 18);
    auto *words = managed<cuda::atomic<int>>(3);
    message<<<20, 32>>>(words, out + 4000, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 32; i < 640; i++) CHECK(out[i] == 42);
    int *counts = managed<int>(4);
    locks<<<10, 100>>>(managed<cuda::std::atomic<int>>(1), managed<cuda::atomic_flag>(1), counts);
    latches<<<1, 100>>>(out);
    Four *four = managed<Four>(1);
    four->release(4);
    semaphores<<<100, 32>>>(four, counts + 2);
    CUDA(cudaDeviceSynchronize());
    CHECK(counts[0] == 1000 && counts[1] == 1000 && counts[2] == 0 && counts[3] >= 1 && counts[3] <= 4);
    for (int i = 0; i < 100; i++) CHECK(out[i] == 99 - i);
    words[1] = 0, words[2] = 100;
    updates<<<1, 64>>>(words + 1, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(words[1] == 2016 && words[2] == 164);
    for (int i = 0; i < 64; i++) CHECK(i % 8 ? out[i] == out[i - 1] + 1 : out[i] % 8 == 4);
    int variable = 1;
    cuda::atomic_ref<int> on_host(variable);
    on_host |= 6, on_host++;
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    CHECK(variable == 8);
    return finish();
}
