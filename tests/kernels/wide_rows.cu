// Kernels of bytes and shorts, and walks through the rows of a matrix: more lanes where rows of threads fill them, the usual
// ones elsewhere.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --simd=64 %s -o %t.64 && %t.64; }
// RUN: %also { %cucpu --disable=wide_rows %s -o %t.narrow && %t.narrow; }
// RUN: %also { %cucpu --disable=split_iteration_space %s -o %t.unsplit && %t.unsplit; }
#include "check.h"

typedef unsigned char Byte;
enum { W = 200, H = 37, MOST = 1 << 15 };

__global__ void threshold(const Byte *in, Byte *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] > 100 ? in[i] : 0;
}

__global__ void window(const Byte *in, Byte *out, int low, int high, int but) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= low && i <= high && i != but) out[i] = in[i] + in[i + 1];
}

__global__ void below(const short *in, short *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += in[i] * 3;
}

__global__ void grey(const Byte *rgb, Byte *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

__global__ void blur(const Byte *in, Byte *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) s += in[(y + dy) * w + x + dx];
    out[y * w + x] = s / 9;
}

// looks at its block as well: blocks are not joined
__global__ void by_block(const Byte *in, Byte *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + threadIdx.x + 3 * blockIdx.x;
}

// walks through the rows: exits early, and in the middle
__global__ void columns(const int *in, int *out, int n, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
    if (x >= n) return;
    int s = 0;
    for (int k = 0; k < h; k++) {
        int v = in[k * n + x];
        if (v == y + 200) break;
        s = s * 3 + v;
        if (y == 0) out[k * n + x] = s;
    }
    if (y > 0) atomicAdd(&out[h * n + x], s);
}

static Byte *in, *out;

static void clear() {
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < MOST; i++) out[i] = Byte(i * 7);
}

static void check_lines(int block) {
    for (int n : {0, 1, 15, 63, 64, 65, 1000, 4097}) {
        int grid = n / block + 1, threads = grid * block;
        clear();
        threshold<<<grid, block>>>(in, out, n);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < threads; i++) CHECK(out[i] == (i < n ? in[i] > 100 ? in[i] : 0 : Byte(i * 7)));
        clear();
        by_block<<<grid, block>>>(in, out, n);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < threads; i++) CHECK(out[i] == (i < n ? Byte(in[i] + i % block + 3 * (i / block)) : Byte(i * 7)));
        clear();
        grey<<<grid, block>>>(in, out, n);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < threads; i++)
            CHECK(out[i] == (i < n ? Byte((77 * in[3 * i] + 150 * in[3 * i + 1] + 29 * in[3 * i + 2]) >> 8) : Byte(i * 7)));
        for (int low : {-5, 0, 1, 16, 70, 900, 2147483647})
            for (int high : {-1, 0, 63, 900, n, 2147483647})
                for (int but : {-1, 0, 7, 64, 500}) {
                    clear();
                    window<<<grid, block>>>(in, out, low, high, but);
                    CUDA(cudaDeviceSynchronize());
                    for (int i = 0; i < threads; i++)
                        CHECK(out[i] == (i >= low && i <= high && i != but ? Byte(in[i] + in[i + 1]) : Byte(i * 7)));
                }
    }
    for (unsigned n : {0u, 5u, 130u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
        clear();
        below<<<7, block>>>((short *)in, (short *)out, n);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 7 * block; i++) {
            Byte start[2] = {Byte(2 * i * 7), Byte((2 * i + 1) * 7)};
            short was, add;
            memcpy(&was, start, 2);
            memcpy(&add, in + 2 * i, 2);
            CHECK(((short *)out)[i] == (unsigned(i) < n ? short(was + add * 3) : was));
        }
    }
}

static void check_plane(dim3 block) {
    clear();
    blur<<<dim3((W + block.x - 1) / block.x, (H + block.y - 1) / block.y), block>>>(in, out, W, H);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int s = 0;
            for (int k = 0; k < 9 && x > 0 && y > 0; k++) s += in[(y + k / 3 - 1) * W + x + k % 3 - 1];
            bool inside = x > 0 && y > 0 && x < W - 1 && y < H - 1;
            CHECK(out[y * W + x] == (inside ? s / 9 : Byte((y * W + x) * 7)));
        }
}

static void check_columns(dim3 block) {
    const int *from = (const int *)in;
    int *to = (int *)out;
    for (int n : {1, 31, 64, 100}) {
        int h = 20;
        clear();
        for (int x = 0; x < n; x++) to[h * n + x] = 0;
        columns<<<dim3((n + block.x - 1) / block.x), block>>>(from, to, n, h);
        CUDA(cudaDeviceSynchronize());
        for (int x = 0; x < n; x++) {
            unsigned total = 0;
            for (unsigned y = 0; y < block.y; y++) {
                unsigned s = 0;
                for (int k = 0; k < h && from[k * n + x] != int(y) + 200; k++) {
                    s = s * 3 + unsigned(from[k * n + x]);
                    if (y == 0) CHECK(unsigned(to[k * n + x]) == s);
                }
                if (y > 0) total += s;
            }
            CHECK(unsigned(to[h * n + x]) == total);
        }
    }
}

int main() {
    CUDA(cudaMallocManaged(&in, MOST));
    CUDA(cudaMallocManaged(&out, MOST));
    for (int i = 0; i < MOST; i++) in[i] = Byte(i * i / 3 + i);
    for (int block : {1, 32, 33, 64, 100, 256, 1024}) check_lines(block);
    for (dim3 block : {dim3(16, 16), dim3(32, 8), dim3(64, 4), dim3(48, 2), dim3(128), dim3(8, 8), dim3(20, 3)}) check_plane(block);
    for (int i = 0; i < MOST / 4; i++) ((int *)in)[i] = i * 37 % 1001;
    for (dim3 block : {dim3(32, 8), dim3(64, 2), dim3(128), dim3(16, 4), dim3(40), dim3(32, 1)}) check_columns(block);
    return finish();
}
