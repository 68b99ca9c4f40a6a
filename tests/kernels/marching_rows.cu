// marching_rows.cu: threads that walk through planes, a row of blocks together (interchange_plane_loop): every kernel beside the same loop of the host.
// REQUIRES: run, x86-64-v3
// RUN: %cucpu -O3 --cpu=x86-64-v3 %s -o %t.v3 -Rcucpu 2> %t.remarks && %run %t.v3 && grep "goes through this loop together" %t.remarks | wc -l | grep -x 13
// RUN: %rarely { for way in "" --disable=interchange_plane_loop --simd=1 --simd=32 --cpu=x86-64-v2 "--simd=16 --cpu=x86-64-v4 -c"; do %cucpu -O3 $way %s -o %t.way && { case "$way" in *-c) ;; *) %run %t.way;; esac; } || exit 1; done; }
// RUN: env CUCPU_NUM_THREADS=4 %run %t.v3 && env CUCPU_NUM_THREADS=1 %run %t.v3
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// Planes lie `plane` elements apart, most of which nobody looks at: few passes are enough for caches to be too small.
struct Grid {
    int nx, ny, nz, pitch, plane;
};

#define PLACE                                                                                      \
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

// ---- the walks ----

__host__ __device__ inline void seven(const float *in, float *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1) return;
    int at = y * pitch + x + plane;
    float below = in[at - plane], here = in[at];
    for (int z = 1; z < nz - 1; z++, at += plane) {
        float above = in[at + plane];
        out[at] = below + above + in[at - 1] + in[at + 1] + in[at - pitch] + in[at + pitch] - 6 * here;
        below = here;
        here = above;
    }
}

__host__ __device__ inline void column_sum(const float *in, float *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    float sum = 0;
    for (int z = 0; z < nz; z++) sum += in[z * plane + y * pitch + x];
    out[y * pitch + x] = sum; // nobody is off
}

__host__ __device__ inline void nothing_carried(const float *in, float *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    for (int z = 0; z < nz; z++) out[z * plane + y * pitch + x] = in[z * plane + y * pitch + x] * 2 + in[z * plane + y * pitch + x + 1];
}

__host__ __device__ inline void behind(const float *in, float *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    float first = -1;
    int at = y * pitch + x, steps = 0;
    if (x < nx && y < ny) {
        float sum = 0, scale = 1 + in[at] * 0.25f; // computed in front, asked for in and behind the loop
        for (int z = 0; z < nz; z++) {
            sum += in[at + z * plane] * scale;
            steps += z;
        }
        first = sum + scale;
    }
    if (x < pitch && y < ny) out[at] = first + (float)steps;
}

__host__ __device__ inline void sides(const float *in, float *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    if (x >= nx || y >= ny) {
        if (x < pitch && y < ny) out[y * pitch + x] = 7;
        return;
    }
    float most = -1e30f;
    for (int z = nz - 1; z >= 0; z--) { // downwards, with branches
        float v = in[z * plane + y * pitch + x];
        if (v > most) most = v;
        if (v > 2) out[z * plane + y * pitch + x] = v * 2;
        else out[z * plane + y * pitch + x] = most;
    }
}

__host__ __device__ inline void moving(const float *in, float *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    if (x >= nx - 1 || y >= ny - 1) return;
    const float *p = in + y * pitch + x; // addresses as counters
    float *q = out + y * pitch + x;
    for (int z = 0; z < nz; z += 3) {
        *q = p[0] + p[1] * 2 + p[pitch];
        p += 3 * plane;
        q += 3 * plane;
    }
}

__host__ __device__ inline void none(const float *in, float *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    if (x >= nx || y >= ny) return;
    int at = y * pitch + x;
    float sum = 3;
    for (int z = nz; z < nz - 4 + (nx & 1) * 8; z++) sum += in[(z - nz) * plane + at]; // no pass, or four
    out[at] = sum;
}

__host__ __device__ inline void odd(const float *in, float *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    if (x < 3 || x >= nx - 5 || y >= ny) return;
    int at = y * pitch + x, z = 0;
    float a = 1, b = 2, c = 3;
    do {
        float v = in[z * plane + at];
        a = b;
        b = c;
        c = v + a * 0.5f;
        z += 1;
    } while (z != nz);
    out[at] = a + b + c + (float)z;
}

__host__ __device__ inline void doubles(const double *in, double *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    if (x < 1 || x >= nx || y >= ny) return;
    double sum = 0;
    for (int z = 0; z < nz; z++) {
        sum += in[z * (long long)plane + y * pitch + x] - in[z * (long long)plane + y * pitch + x - 1];
        out[z * (long long)plane + y * pitch + x] = sum;
    }
}

__host__ __device__ inline void bytes(const unsigned char *in, unsigned char *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    if (x < 2 || x >= nx || y >= ny) return;
    int sum = 0;
    for (int z = 0; z < nz; z++) {
        sum += in[z * plane + y * pitch + x] + in[z * plane + y * pitch + x - 2];
        out[z * plane + y * pitch + x] = (unsigned char)(sum >> 1);
    }
}

__host__ __device__ inline void clamped(const float *in, float *out, int x, int y, int nx, int ny, int nz, int pitch, int plane) {
    if (x >= nx || y >= ny) return;
    int c = y * pitch + x;
    int w = x == 0 ? c : c - 1, e = x == nx - 1 ? c : c + 1, n = y == 0 ? c : c - pitch, s = y == ny - 1 ? c : c + pitch;
    float below = in[c], here = in[c], above = in[c + plane];
    out[c] = in[w] + in[e] * 2 + in[n] * 3 + in[s] * 4 + above - below;
    c += plane, w += plane, e += plane, n += plane, s += plane;
    for (int z = 1; z < nz - 1; z++) {
        below = here;
        here = above;
        above = in[c + plane];
        out[c] = in[w] + in[e] * 2 + in[n] * 3 + in[s] * 4 + above - below + here;
        c += plane, w += plane, e += plane, n += plane, s += plane;
    }
    if (nz > 2) out[c] = in[w] + in[e] * 2 + in[n] * 3 + in[s] * 4 + above; // places of the last pass
}

// ---- kernels ----

#define KERNEL(name, T)                                                                            \
    __global__ void name##_kernel(const T *in, T *out, int nx, int ny, int nz, int pitch, int plane) { \
        PLACE;                                                                                     \
        name(in, out, x, y, nx, ny, nz, pitch, plane);                                             \
    }
KERNEL(seven, float)
KERNEL(column_sum, float)
KERNEL(nothing_carried, float)
KERNEL(behind, float)
KERNEL(sides, float)
KERNEL(moving, float)
KERNEL(none, float)
KERNEL(odd, float)
KERNEL(doubles, double)
KERNEL(bytes, unsigned char)
KERNEL(clamped, float)

__global__ void sevens_along_z(const float *in, float *out, int nx, int ny, int nz, int pitch, int plane) { // blocks with several planes: y and z are one
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = (blockIdx.z * blockDim.z + threadIdx.z) * 8 + blockIdx.y * blockDim.y + threadIdx.y;
    seven(in, out, x, y, nx, ny, nz, pitch, plane);
}

__global__ void seven_of_row(const float *in, float *out, int nx, int ny, int nz, int pitch, int plane) { // y is that of the block
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    seven(in, out, x, y, nx, ny, nz, pitch, plane);
}

__global__ void total(const float *in, float *out, int nx, int ny, int nz, int pitch, int plane) { // rounded in the order of the threads
    PLACE;
    if (x >= nx || y >= ny) return;
    float sum = 0;
    for (int z = 0; z < nz; z++) sum += in[z * plane + y * pitch + x];
    atomicAdd(out, sum * 0.1f);
}

// One worker: block after block, thread after thread.
static float total_of(const float *in, Grid g, dim3 grid, dim3 block) {
    float all = 0;
    for (unsigned by = 0; by < grid.y; by++)
        for (unsigned bx = 0; bx < grid.x; bx++)
            for (unsigned t = 0; t < block.x * block.y; t++) {
                int x = bx * block.x + t % block.x, y = by * block.y + t / block.x;
                if (x >= g.nx || y >= g.ny) continue;
                float sum = 0;
                for (int z = 0; z < g.nz; z++) sum += in[z * g.plane + y * g.pitch + x];
                volatile float part = sum * 0.1f; // not fused
                all += part;
            }
    return all;
}

static int failed;

template <class T, class Kernel, class Host>
void try_one(const char *name, Kernel kernel, Host host, Grid g, dim3 grid, dim3 block, int rows, T *in, T *out, size_t n) {
    std::vector<T> want(n);
    for (size_t i = 0; i < n; i++) out[i] = want[i] = (T)(i % 5);
    int across = grid.x * block.x;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < across; x++) host(in, want.data(), x, y, g.nx, g.ny, g.nz, g.pitch, g.plane);
    for (int again = 0; again < 2; again++) {
        kernel<<<grid, block>>>(in, out, g.nx, g.ny, g.nz, g.pitch, g.plane);
        if (cudaDeviceSynchronize() != cudaSuccess) printf("%s: %s\n", name, cudaGetErrorString(cudaGetLastError())), exit(1);
        if (!memcmp(out, want.data(), n * sizeof(T))) continue;
        size_t i = 0;
        while (!memcmp(out + i, &want[i], sizeof(T))) i++;
        printf("%s, %d x %d x %d, pitch %d, plane %d, blocks of %u x %u x %u: element %zu is %g, not %g\n", name, g.nx, g.ny, g.nz,
               g.pitch, g.plane, block.x, block.y, block.z, i, (double)out[i], (double)want[i]);
        failed = 1;
        return;
    }
}

template <class T> void try_walk(const char *name, void (*kernel)(const T *, T *, int, int, int, int, int), void (*host)(const T *, T *, int, int, int, int, int, int, int)) {
    static const dim3 blocks[] = {dim3(32, 4), dim3(16, 16), dim3(64, 1), dim3(128, 8), dim3(8, 8), dim3(24, 3)};
    static const Grid grids[] = {{64, 12, 9, 192, 1 << 16}, {100, 33, 6, 128, 1 << 15}, {31, 7, 12, 64, 1 << 15}, {190, 40, 3, 192, 1 << 16}, {64, 16, 8, 80, 1600}};
    T *in, *out;
    size_t n = size_t(13) << 16;
    cudaMallocManaged(&in, n * sizeof(T));
    cudaMallocManaged(&out, n * sizeof(T));
    for (size_t i = 0; i < n; i++) in[i] = (T)(i * 7 % 11) - (T)(sizeof(T) > 1 ? 4 : 0);
    for (const Grid &g : grids)
        for (const dim3 &b : blocks) {
            dim3 grid((g.nx + b.x - 1) / b.x, (g.ny + b.y - 1) / b.y);
            bool all = host == (decltype(host))column_sum || host == (decltype(host))nothing_carried; // nobody is off
            if (all && (grid.x * b.x > (unsigned)g.pitch || grid.y * b.y * g.pitch > (unsigned)g.plane)) continue;
            try_one(name, kernel, host, g, grid, b, grid.y * b.y, in, out, n);
        }
    cudaFree(in);
    cudaFree(out);
}

int main() {
    try_walk<float>("seven", seven_kernel, seven);
    try_walk<float>("column_sum", column_sum_kernel, column_sum);
    try_walk<float>("nothing_carried", nothing_carried_kernel, nothing_carried);
    try_walk<float>("behind", behind_kernel, behind);
    try_walk<float>("sides", sides_kernel, sides);
    try_walk<float>("moving", moving_kernel, moving);
    try_walk<float>("none", none_kernel, none);
    try_walk<float>("odd", odd_kernel, odd);
    try_walk<double>("doubles", doubles_kernel, doubles);
    try_walk<unsigned char>("bytes", bytes_kernel, bytes);
    try_walk<float>("clamped", clamped_kernel, clamped);
    size_t n = size_t(13) << 16;
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, n * sizeof *in);
    for (size_t i = 0; i < n; i++) in[i] = (float)(i * 7 % 11) - 4;
    Grid g{100, 32, 9, 128, 1 << 16};
    try_one("sevens_along_z", sevens_along_z, seven, g, dim3(4, 2, 2), dim3(32, 4, 2), 32, in, out, n);
    try_one("seven_of_row", seven_of_row, seven, g, dim3(4, 32), dim3(32), 32, in, out, n);
    if (getenv("CUCPU_NUM_THREADS") && !strcmp(getenv("CUCPU_NUM_THREADS"), "1")) {
        dim3 grid(4, 8), block(32, 4);
        *out = 0;
        total<<<grid, block>>>(in, out, g.nx, g.ny, g.nz, g.pitch, g.plane);
        cudaDeviceSynchronize();
        float want = total_of(in, g, grid, block);
        if (*out != want) printf("total: %.9g, not %.9g\n", *out, want), failed = 1;
    }
    puts(failed ? "failed" : "ok");
    return failed;
}
