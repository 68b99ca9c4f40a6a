// What a GPU moves by one access is never torn: a flag and the value beside it come together, between workers, in SIMD code and in scalar code.
// Writers store two equal halves, readers count pairs that differ; a row of lanes, lanes at scattered places, some lanes inactive.
// REQUIRES: run
// RUN: for w in auto 1; do %cucpu -O3 -arch=sm_90 --simd=$w %s -o %t && env CUCPU_NUM_THREADS=4 %run %t || exit 1; done
// RUN: %also { %cucpu -O3 -arch=sm_90 --simd=32 %s -o %t.32 && env CUCPU_NUM_THREADS=4 %run %t.32; }
// RUN: %also { %cucpu -G -arch=sm_90 %s -o %t.g && env CUCPU_NUM_THREADS=4 %run %t.g; }
// RUN: %also { %cucpu -O3 -arch=sm_90 --cpu=x86-64-v3 %s -o %t.3 && env CUCPU_NUM_THREADS=4 %run %t.3; }
// RUN: %cucpu -O3 -arch=sm_90 --cpu=x86-64 -DFEW %s -o %t.1 && env CUCPU_NUM_THREADS=4 %run %t.1
// RUN: %also { %cucpu -O3 -arch=sm_90 --cpu=x86-64-v2 %s -o %t.2 && env CUCPU_NUM_THREADS=4 %run %t.2; }
#include <cstdio>
#include <cuda/atomic>

typedef unsigned long long u64;
struct alignas(8) Word {
    float value;
    int status;
};
struct alignas(16) Pair {
    u64 a, b;
};

template <int Form> struct Access;
#define ASM_64(form, ld, st)                                                                                       \
    template <> struct Access<form> {                                                                              \
        typedef ulonglong2 T;                                                                                      \
        static __device__ void store(T *p, u64 i) { asm volatile(st " [%0], {%1, %1};" ::"l"(p), "l"(i) : "memory"); }      \
        static __device__ bool torn(T *p) {                                                                        \
            u64 a, b;                                                                                              \
            asm volatile(ld " {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");                            \
            return a != b;                                                                                         \
        }                                                                                                          \
    };
ASM_64(0, "ld.relaxed.gpu.v2.u64", "st.relaxed.gpu.v2.u64")
ASM_64(1, "ld.volatile.global.v2.u64", "st.volatile.global.v2.u64")
ASM_64(2, "ld.global.cg.v2.u64", "st.global.cg.v2.u64")
ASM_64(3, "ld.acquire.sys.v2.u64", "st.release.sys.v2.u64")
#define ASM_32(form, ld, st)                                                                                       \
    template <> struct Access<form> {                                                                              \
        typedef uint2 T;                                                                                           \
        static __device__ void store(T *p, u64 i) { asm volatile(st " [%0], {%1, %1};" ::"l"(p), "r"((unsigned)i) : "memory"); } \
        static __device__ bool torn(T *p) {                                                                        \
            unsigned a, b;                                                                                         \
            asm volatile(ld " {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");                            \
            return a != b;                                                                                         \
        }                                                                                                          \
    };
ASM_32(4, "ld.relaxed.gpu.v2.u32", "st.relaxed.gpu.v2.u32")
ASM_32(5, "ld.global.cv.v2.u32", "st.global.wt.v2.u32")
template <> struct Access<6> { /* four words */
    typedef uint4 T;
    static __device__ void store(T *p, u64 i) { asm volatile("st.relaxed.gpu.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"((unsigned)i) : "memory"); }
    static __device__ bool torn(T *p) {
        uint4 v;
        asm volatile("ld.relaxed.gpu.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
        return v.x != v.y || v.y != v.z || v.z != v.w;
    }
};
template <> struct Access<7> { /* one register */
    typedef ulonglong2 T;
    static __device__ void store(T *p, u64 i) { asm volatile("{ .reg .b128 x; mov.b128 x, {%1, %1}; st.relaxed.gpu.b128 [%0], x; }" ::"l"(p), "l"(i) : "memory"); }
    static __device__ bool torn(T *p) {
        u64 a, b;
        asm volatile("{ .reg .b128 x; ld.relaxed.gpu.b128 x, [%2]; mov.b128 {%0, %1}, x; }" : "=l"(a), "=l"(b) : "l"(p) : "memory");
        return a != b;
    }
};
template <> struct Access<8> {
    typedef double2 T;
    static __device__ void store(T *p, u64 i) { __stcg(p, make_double2((double)i, (double)i)); }
    static __device__ bool torn(T *p) {
        double2 v = __ldcg(p);
        return v.x != v.y;
    }
};
template <> struct Access<9> { /* a float and bits that an int has: a store of two parts */
    typedef float2 T;
    static __device__ void store(T *p, u64 i) { __stwt(p, make_float2((float)(i & 0xffff), __int_as_float((int)(i & 0xffff)))); }
    static __device__ bool torn(T *p) {
        float2 v = __ldcv(p);
        return (int)v.x != __float_as_int(v.y);
    }
};
template <> struct Access<10> {
    typedef __int128 T;
    static __device__ void store(T *p, u64 i) { *(volatile __int128 *)p = (__int128)i << 64 | i; }
    static __device__ bool torn(T *p) {
        unsigned __int128 v = *(volatile unsigned __int128 *)p;
        return (u64)v != (u64)(v >> 64);
    }
};
template <> struct Access<11> {
    typedef Pair T;
    static __device__ void store(T *p, u64 i) { cuda::atomic_ref<Pair>(*p).store(Pair{i, i}, cuda::memory_order_relaxed); }
    static __device__ bool torn(T *p) {
        Pair v = cuda::atomic_ref<Pair>(*p).load();
        return v.a != v.b;
    }
};
template <> struct Access<12> {
    typedef Word T;
    static __device__ void store(T *p, u64 i) { cuda::atomic_ref<Word>(*p).store(Word{(float)(i & 0xffff), (int)(i & 0xffff)}); }
    static __device__ bool torn(T *p) {
        Word v = cuda::atomic_ref<Word>(*p).load(cuda::memory_order_relaxed);
        return (int)v.value != v.status;
    }
};

#ifdef FEW
enum { LANES = 40, ROUNDS = 500 };
#else
enum { LANES = 40, ROUNDS = 200000 };
#endif

/* Blocks of even numbers write until all readers are done. */
template <int Form> __global__ void exchange(typename Access<Form>::T *slots, int stride, int *done, int *torn, int *seen) {
    typedef Access<Form> A;
    int i = threadIdx.x, bad = 0;
    typename A::T *p = slots + (stride ? i * stride % 41 : i);
    if (blockIdx.x % 2 == 0) {
        for (u64 k = 0; *(volatile int *)done < (int)gridDim.x / 2 * (int)blockDim.x; k++)
            if ((i + k) % 3) A::store(p, k * 0x100000001ull);
    } else {
        for (int k = 0; k < ROUNDS; k++)
            if ((i + k) % 5) bad += A::torn(p);
        atomicAdd(done, 1);
    }
    if (bad) atomicAdd(torn, bad);
    if (i == 0) atomicAdd(seen, 1);
}

static __managed__ int done_, torn_, seen_;

template <int Form> int run() {
    typename Access<Form>::T *slots;
    int bad = 0;
    cudaMallocManaged(&slots, 64 * sizeof *slots);
    for (int stride : {0, 7}) {
        cudaMemset(slots, 0, 64 * sizeof *slots);
        done_ = torn_ = seen_ = 0;
        exchange<Form><<<4, LANES>>>(slots, stride, &done_, &torn_, &seen_);
        cudaError_t e = cudaDeviceSynchronize();
        bad += e != cudaSuccess || torn_ != 0 || seen_ != 4;
        if (bad) printf("form %d, stride %d: %s, %d torn\n", Form, stride, cudaGetErrorName(e), torn_);
    }
    cudaFree(slots);
    return bad;
}

int main() {
    int bad = run<0>() + run<1>() + run<2>() + run<3>() + run<4>() + run<5>() + run<6>() + run<7>() + run<8>() + run<9>() + run<10>() + run<11>() + run<12>();
    Pair host = {1, 2};
    cuda::atomic_ref<Pair> on_host(host);
    Pair was = on_host.exchange(Pair{3, 4}), now = on_host.load();
    bool swapped = on_host.compare_exchange_strong(now, Pair{5, 6});
    bad += was.a != 1 || now.b != 4 || !swapped || host.b != 6;
    if (bad) printf("%d wrong\n", bad);
    return bad != 0;
}
