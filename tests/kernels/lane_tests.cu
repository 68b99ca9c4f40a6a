// Tests of lanes against counters of loops around barriers, in blocks of known size: all predicates, counters that go up and
// down, are negative or wrap.
// REQUIRES: run
// RUN: %cucpu -O3 %s -o %t && %t
// RUN: %also { %cucpu -O3 --simd=4 %s -o %t.4 && %t.4; }
#include "check.h"

#define N 64

template <int KIND> __host__ __device__ bool test(int x, int step) {
    switch (KIND) {
    case 0: return x > step;
    case 1: return x >= 16 * step;
    case 2: return x < N - step;
    case 3: return unsigned(x) <= unsigned(step - 3);
    case 4: return x - 40 < step - 10;
    case 5: return x != step * 9;
    case 6: return x == step * 100 + 1;
    case 7: return unsigned(x - 1) > unsigned(-step);
    case 8: return x > step && x < N - 1 - step;
    case 9: return x < 16 || x > 60 - step;
    case 10: return (x > step) != (x > 2 * step);
    default: return !(x & step);
    }
}

/* Each step moves the values of some lanes to the left. */
template <int KIND, int STEPS> __global__ void steps(const int *in, int *out) {
    __shared__ int s[N + 1], t[N];
    int x = threadIdx.x;
    s[x] = in[x];
    if (x == 0) s[N] = 7;
    __syncthreads();
    for (int k = 0; k < STEPS; k++) {
        if (test<KIND>(x, k)) t[x] = int(unsigned(s[x]) * 3u + unsigned(s[x + 1]));
        __syncthreads();
        if (test<KIND>(x, k)) s[x] = t[x];
        __syncthreads();
    }
    out[x] = s[x];
}

template <int KIND, int STEPS> static void check(const std::vector<int> &in) {
    Buffer<int> din(in), dout(N);
    steps<KIND, STEPS><<<1, N>>>(din, dout);
    std::vector<int> s(in), t(N);
    s.push_back(7);
    for (int k = 0; k < STEPS; k++) {
        for (int x = 0; x < N; x++)
            if (test<KIND>(x, k)) t[x] = int(unsigned(s[x]) * 3u + unsigned(s[x + 1]));
        for (int x = 0; x < N; x++)
            if (test<KIND>(x, k)) s[x] = t[x];
    }
    s.pop_back();
    SAME(dout.get(), s);
}

template <int KIND> static void check_kind(const std::vector<int> &in) { check<KIND, 2 + KIND % 3 * 4>(in); }

int main() {
    Random random(11);
    std::vector<int> in(N);
    for (int &x : in) x = int(random.below(1000));
    check_kind<0>(in), check_kind<1>(in), check_kind<2>(in), check_kind<3>(in), check_kind<4>(in), check_kind<5>(in);
    check_kind<6>(in), check_kind<7>(in), check_kind<8>(in), check_kind<9>(in), check_kind<10>(in), check_kind<11>(in);
    return finish();
}
