// An index that is out of range wherever no thread uses it: lanes, and whole groups, that are off never fault.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --disable=uniform_control_flow %s -o %t.linear && %t.linear; }
#include "check.h"

__global__ void local(const int *d, int *o, int index, int n) {
    int a[8], t = thread_rank();
    for (int i = 0; i < 8; i++) a[i] = d[t] * i + t;
    for (int i = 0; i < n; i++) a[(i * 5) & 7] ^= i; /* stays an array */
    int v = -1;
    if (index < 8 && d[t] > 1000) v = a[index];
    if (d[t] > 500 && index < 8) a[index] = v;
    if (index < 8) v += a[index];
    o[t] = v + a[n & 7];
}

__global__ void global(const int *d, int *o, int index, const float4 *points) {
    __shared__ int s[64];
    int t = thread_rank(), v = 0;
    for (int i = t; i < 64; i += blockDim.x * blockDim.y * blockDim.z) s[i] = i;
    __syncthreads();
    if (index < 64 && d[t] > 3) v = s[index] + d[index];
    if (d[t] > 700 && index < 64) v += (int)points[index].y;
    __syncthreads();
    if (d[t] > 700 && index < 64) s[index] = v;
    __syncthreads();
    if (index < 64) v += s[index] != index;
    o[t] = v;
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        std::vector<int> in(1024);
        for (unsigned t = 0; t < 1024; t++) in[t] = int(t);
        std::vector<float4> points(64, make_float4(1, 2, 3, 4));
        Buffer<int> din(in), dout(n);
        Buffer<float4> dpoints(points);
        for (int index : {0, 5, 1 << 28, 0x7fffffff}) {
            local<<<1, block>>>(din, dout, index, 3);
            std::vector<int> want(n);
            for (unsigned t = 0; t < n; t++) {
                int a[8], v = -1;
                for (int i = 0; i < 8; i++) a[i] = int(t) * i + int(t);
                for (int i = 0; i < 3; i++) a[(i * 5) & 7] ^= i;
                if (index < 8 && t > 1000) v = a[index];
                if (t > 500 && index < 8) a[index] = v;
                if (index < 8) v += a[index];
                want[t] = v + a[3];
            }
            SAME(dout.get(), want);
            global<<<1, block>>>(din, dout, index, dpoints);
            for (unsigned t = 0; t < n; t++) {
                want[t] = 0;
                if (index < 64 && t > 3) want[t] = 2 * index;
                if (t > 700 && index < 64) want[t] += 2;
                if (index < 64) want[t] += n > 701 && 2 * index + 2 != index;
            }
            SAME(dout.get(), want);
        }
    });
    return finish();
}
