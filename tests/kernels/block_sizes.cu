// Kernels with a blockDim that is a constant at the launch: rows shorter than a group, tiles, tails, and the same kernels
// with a blockDim that nobody knows.  The file has launches of both kinds for each, so that both kinds of variants run.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --disable=launch_sites %s -o %t.off && %t.off; }
#include "check.h"

enum { PITCH = 40, MOST = 1024 };

/* Rows of a tile, a pitch that nobody knows, a transposed read, a butterfly, a condition on both ids. */
template <int X, int Y, int Z> __global__ void tile(const int *in, int *out, int pitch, int turn) {
    __shared__ int s[MOST];
    unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, row = z * blockDim.y + y, t = row * blockDim.x + x;
    unsigned at = (blockIdx.x * blockDim.y * blockDim.z + row) * pitch + x;
    int v = in[at] + in[x * pitch + y] * 3;
    s[t] = v;
    __syncthreads();
    v += s[(t ^ 1) < X * Y * Z ? t ^ 1 : t] - s[x] + s[row * blockDim.x] * 5;
    if (x > y && (turn & 1)) v += s[(t + 3) % (X * Y * Z)];
    if (x < blockDim.x - 1) v ^= in[at + 1];
    out[blockIdx.x * (X * Y * Z) + t] = v + int(blockDim.x * 100 + blockDim.y * 10 + blockDim.z);
}

static void reference(dim3 b, int blocks, const std::vector<int> &in, std::vector<int> &out, int turn) {
    unsigned n = volume(b);
    std::vector<int> s(n);
    for (int k = 0; k < blocks; k++) {
        auto at = [&](unsigned t) { return (k * b.y * b.z + t / b.x) * PITCH + t % b.x; };
        auto y_of = [&](unsigned t) { return t / b.x % b.y; };
        for (unsigned t = 0; t < n; t++) s[t] = in[at(t)] + in[t % b.x * PITCH + y_of(t)] * 3;
        for (unsigned t = 0; t < n; t++) {
            unsigned x = t % b.x;
            int v = s[t] + s[(t ^ 1) < n ? t ^ 1 : t] - s[x] + s[t / b.x * b.x] * 5;
            if (x > y_of(t) && (turn & 1)) v += s[(t + 3) % n];
            if (x < b.x - 1) v ^= in[at(t) + 1];
            out[k * n + t] = v + int(b.x * 100 + b.y * 10 + b.z);
        }
    }
}

static int *in_device, *out_device;
static std::vector<int> in(PITCH *MOST);

static void compare(dim3 b, int turn) {
    std::vector<int> want(3 * volume(b)), got(want.size());
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(got.data(), out_device, got.size() * 4, cudaMemcpyDeviceToHost));
    reference(b, 3, in, want, turn);
    CHECK(got == want);
    CUDA(cudaMemset(out_device, 0xff, got.size() * 4));
}

template <int X, int Y, int Z> void test(volatile unsigned *sizes) {
    for (int turn = 0; turn < 4; turn++) {
        tile<X, Y, Z><<<3, dim3(X, Y, Z)>>>(in_device, out_device, PITCH, turn);
        compare(dim3(X, Y, Z), turn);
        sizes[0] = X, sizes[1] = Y, sizes[2] = Z;
        dim3 unknown(sizes[0], sizes[1], sizes[2]);
        tile<X, Y, Z><<<3, unknown>>>(in_device, out_device, PITCH, turn);
        compare(unknown, turn);
    }
}

/* More than two blockDims, one of them known only on the way; a launch by hand. */
__global__ void which(int *out) {
    unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2 == 0 || threadIdx.y == 1) out[t] = int(t * 1000 + blockDim.x);
}

static void check_which(dim3 b) {
    std::vector<int> got(volume(b));
    CUDA(cudaMemcpy(got.data(), out_device, got.size() * 4, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < volume(b); t++)
        CHECK(got[t] == (t % b.x % 2 == 0 || t / b.x % b.y == 1 ? int(t * 1000 + b.x) : -1));
    CUDA(cudaMemset(out_device, 0xff, got.size() * 4));
}

int main() {
    unsigned sizes[3];
    Random random{7};
    for (int &v : in) v = int(random.next() % 1000);
    CUDA(cudaMalloc(&in_device, in.size() * 4));
    CUDA(cudaMalloc(&out_device, 3 * MOST * 4));
    CUDA(cudaMemcpy(in_device, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
    test<8, 8, 1>(sizes);
    test<4, 4, 4>(sizes);
    test<2, 2, 8>(sizes);
    test<8, 3, 1>(sizes);
    test<12, 4, 1>(sizes);
    test<5, 7, 2>(sizes);
    test<16, 16, 1>(sizes);
    test<32, 4, 1>(sizes);
    test<24, 1, 1>(sizes);
    CUDA(cudaMemset(out_device, 0xff, 3 * MOST * 4));
    which<<<1, dim3(4, 2)>>>(out_device);
    check_which(dim3(4, 2));
    dim3 later;
    later.x = 2;
    later.z = 8;
    which<<<1, later>>>(out_device);
    check_which(later);
    which<<<1, dim3(8, 2, 2)>>>(out_device);
    check_which(dim3(8, 2, 2));
    void *arguments[] = {&out_device};
    CUDA(cudaLaunchKernel(which, dim3(1), dim3(4, 4), arguments, 0, nullptr));
    check_which(dim3(4, 4));
    return finish();
}
