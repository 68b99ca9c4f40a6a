// launch_strides.cu: bits of an index by a mask, a divisor or a number that only the launch knows: powers of two below
// and above any width, others, 0, negative ones; indices that do not begin at a multiple of the width.
// REQUIRES: run
// RUN: sh %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3; }
// RUN: %also { %cucpu -O3 --disable=version_uniform_bits %s -o %t.off && %run %t.off; }
#include "check.h"

enum { AND, OR, XOR, DIVIDE, REST, SHIFT, FORMS };

// Where the thread with index x reads.
template <class T, int FORM> __host__ __device__ T place(T x, T s) {
    switch (FORM) {
    case AND: return ((x - (x & (s - 1))) << 1) + (x & (s - 1));
    case OR: return x | s;
    case XOR: return x ^ s;
    case DIVIDE: return s ? x / s * 2 * s + x % s : x;
    case REST: return s ? x % s : x;
    default: return (x >> (s & 31)) + (x & (((T)1 << (s & 15)) - 1));
    }
}

enum { SIZE = 1 << 14 };

template <class T, int FORM> __global__ void pick(const int *in, int *out, T s, T from) {
    T x = (T)(blockIdx.x * blockDim.x + threadIdx.x) + from, i = place<T, FORM>(x, s);
    out[((blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x) + threadIdx.x] =
        in[(unsigned)i % SIZE] + in[(unsigned)(i + s) % SIZE];
}

// In a block, with a stride that is halved: barriers, and accesses of shared memory by it.
__global__ void halve(int *data, int log2n) {
    __shared__ int s[2048];
    for (int p = threadIdx.x; p < 1 << log2n; p += blockDim.x) s[p] = data[(blockIdx.x << log2n) + p];
    for (int stride = 1 << (log2n - 1); stride > 0; stride >>= 1) {
        __syncthreads();
        for (int t = threadIdx.x; t < 1 << (log2n - 1); t += blockDim.x) {
            int lo = t & (stride - 1), i = ((t - lo) << 1) + lo, a = s[i], b = s[i + stride];
            s[i] = a + b, s[i + stride] = a * 3 - b;
        }
    }
    __syncthreads();
    for (int p = threadIdx.x; p < 1 << log2n; p += blockDim.x) data[(blockIdx.x << log2n) + p] = s[p];
}

// A bitonic sort in global memory: one launch per step.
__global__ void exchange(int *v, int j, int k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (i < n && other > i && (v[i] > v[other]) == !(i & k)) {
        int t = v[i];
        v[i] = v[other], v[other] = t;
    }
}

static int *in, *out;

template <class T, int FORM> static void check_form() {
    static const long long strides[] = {0, 1, 2, 3, 4, 8, 12, 16, 17, 32, 48, 64, 128, 4096, -1, -16};
    for (long long stride : strides)
        for (dim3 block : {dim3(64), dim3(33), dim3(16, 3)})
            for (int from : {0, 16, 5}) {
                T s = (T)stride;
                pick<T, FORM><<<3, block>>>(in, out, s, (T)from);
                CUDA(cudaDeviceSynchronize());
                for (unsigned b = 0; b < 3; b++)
                    for (unsigned t = 0; t < volume(block); t++) {
                        T x = (T)(b * block.x + t % block.x) + (T)from, i = place<T, FORM>(x, s);
                        CHECK(out[b * volume(block) + t] == in[(unsigned)i % SIZE] + in[(unsigned)(i + s) % SIZE]);
                    }
            }
    if constexpr (FORM + 1 < FORMS) check_form<T, FORM + 1>();
}

static void check_halve(int log2n, int block) {
    int n = 1 << log2n;
    std::vector<int> want(4 * n);
    for (int k = 0; k < 4 * n; k++) want[k] = out[k] = k * 7 % 101;
    halve<<<4, block>>>(out, log2n);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < 4; b++)
        for (int stride = n / 2; stride; stride /= 2)
            for (int i = 0; i < n; i++)
                if (!(i & stride)) {
                    int *v = &want[b * n + i], x = v[0], y = v[stride];
                    v[0] = (int)((unsigned)x + (unsigned)y), v[stride] = (int)((unsigned)x * 3 - (unsigned)y);
                }
    CHECK(!memcmp(want.data(), out, 4 * n * sizeof(int)));
}

int main() {
    CUDA(cudaMallocManaged(&in, SIZE * sizeof(int)));
    CUDA(cudaMallocManaged(&out, SIZE * sizeof(int)));
    for (int k = 0; k < SIZE; k++) in[k] = k * 1237 % 8191;
    check_form<int, 0>();
    check_form<unsigned, 0>();
    check_form<long long, 0>();
    for (int log2n : {1, 4, 6, 9})
        for (int block : {16, 20, 256}) check_halve(log2n, block);
    int n = 1 << 10;
    for (int k = 0; k < n; k++) out[k] = k * 7919 % 1009;
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j; j /= 2) exchange<<<n / 128, 128>>>(out, j, k, n);
    CUDA(cudaDeviceSynchronize());
    for (int k = 1; k < n; k++) CHECK(out[k - 1] <= out[k]);
    return finish();
}
