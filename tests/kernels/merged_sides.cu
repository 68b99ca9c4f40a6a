// Divisions, square roots and math functions on both sides of divergent branches, nested, in loops, in one lane only.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define BOTH __host__ __device__

BOTH float plain(float x, float y) {
    if (x < y) return (x - 1.0f) / (y + 2.0f);
    return y / x;
}

BOTH float nested(float x, float y) {
    float r;
    if (x < 0.5f) {
        if (y < 0.5f) r = sqrtf(x) / y;
        else if (y < 0.75f) r = 1.0f / (x - y);
        else r = x - y;
    } else if (y > x) {
        r = (x + y) / (x - 0.5f);
    } else {
        r = sqrtf(y - 0.1f);
    }
    return r;
}

BOTH double wide(double x, double y) {
    if (x > 0.3) {
        double q = x / y;
        if (q > 1) q = 1 / q;
        return q;
    }
    return sqrt(y) / (x - y);
}

BOTH float looped(float x, float y, int n) {
    float sum = 0;
    for (int k = 0; k < n; k++) {
        if (x > y) {
            sum += x / (y + (float)k);
            x = x - 0.25f;
        } else {
            sum += (float)(k + 1) / x;
            if (sum > 1e6f) break;
            y = y - 0.5f;
        }
    }
    return sum;
}

BOTH int whole(int x, int y) { // no integer division may move to lanes with a divisor of 0
    if (y != 0) return x / y;
    return x ? 1000 / x : -1;
}

struct Out {
    float plain, nested, looped;
    double wide;
    int whole;
};

BOTH Out all(float x, float y, int i) {
    return {plain(x, y), nested(x, y), looped(x, y, i % 7), wide(x, y), whole(i % 5 - 2, i % 3 - 1)};
}

__global__ void kernel(const float *x, const float *y, Out *out, int n) {
    int block = blockIdx.x + gridDim.x * blockIdx.y;
    int i = block * (int)(blockDim.x * blockDim.y * blockDim.z) +
            (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    if (i < n) out[i] = all(x[i], y[i], i);
}

template <class T> bool same(T a, T b) { return a == b || (a != a && b != b); }

int main() {
    enum { SIZE = 4096 };
    float *x, *y;
    Out *out;
    CUDA(cudaMallocManaged(&x, SIZE * sizeof(float)));
    CUDA(cudaMallocManaged(&y, SIZE * sizeof(float)));
    CUDA(cudaMallocManaged(&out, SIZE * sizeof(Out)));
    for (int i = 0; i < SIZE; i++) {
        x[i] = (float)((unsigned)i * 2654435761u >> 8) / 16777216.0f;
        y[i] = i % 11 == 0 ? 0.0f : i % 7 == 0 ? x[i] : (float)((unsigned)i * 40503u % 1009) / 1009.0f;
    }
    for (dim3 block : block_shapes) {
        int threads = 2 * (int)volume(block);
        for (int n : {1, threads - 3, threads}) {
            memset(out, 0, SIZE * sizeof(Out));
            kernel<<<2, block>>>(x, y, out, n);
            CUDA(cudaDeviceSynchronize());
            for (int i = 0; i < n; i++) {
                Out w = all(x[i], y[i], i), g = out[i];
                CHECK(same(g.plain, w.plain) && same(g.nested, w.nested) && same(g.looped, w.looped));
                CHECK(same(g.wide, w.wide) && g.whole == w.whole);
            }
        }
    }
    return finish();
}
