// Words that hold several numbers, taken apart and put together in a local array: loops over it, alone and with others around them.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <cstring>

template <class T> struct alignas(16) Packed {
    static constexpr int size = 16 / int(sizeof(T));
    T v[size];
    Packed() = default;
    __host__ __device__ explicit Packed(int4 bits) { memcpy(v, &bits, 16); }
    __host__ __device__ int4 bits() const {
        int4 b;
        memcpy(&b, v, 16);
        return b;
    }
};

template <class T> __host__ __device__ int4 change(int4 bits, int by, bool reverse) {
    Packed<T> in(bits), out;
    for (int round = 0; round < by; round++) {
        for (int k = 0; k < in.size; ++k) {
            T x = in.v[reverse ? in.size - 1 - k : k];
            out.v[k] = T(x * 3 + T(by + k) - T(x / 2));
        }
        in = out;
    }
    return out.bits();
}

template <class T> __global__ void words(const int4 *in, int4 *out, int n) {
    int i = int(global_rank());
    if (i < n) out[i] = change<T>(in[i], 1 + i % 3, i % 5 == 0);
}

template <class T> static void check_type(dim3 block, unsigned threads) {
    const unsigned n = 3 * threads - 1;
    Random random(threads);
    std::vector<int> in(4 * n), want(4 * n);
    for (int &x : in) x = int(random.below(1u << 30));
    for (unsigned i = 0; i < n; i++) {
        int4 w = change<T>(make_int4(in[4 * i], in[4 * i + 1], in[4 * i + 2], in[4 * i + 3]), 1 + int(i % 3), i % 5 == 0);
        memcpy(&want[4 * i], &w, 16);
    }
    Buffer<int> din(in), dout(in.size());
    words<T><<<3, block>>>(reinterpret_cast<const int4 *>((int *)din), reinterpret_cast<int4 *>((int *)dout), int(n));
    SAME(dout.get(), want);
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        check_type<unsigned char>(block, n);
        check_type<short>(block, n);
        check_type<unsigned long long>(block, n);
    });
    return finish();
}
