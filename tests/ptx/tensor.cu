// Bulk copies of tensors against a host model: tiles of 1 to 5 dimensions, swizzles, steps, borders, images (im2col), rows, reductions, clusters, maps that kernels change.
// REQUIRES: run
// RUN: %cucpu -arch=sm_90a %s -o %t && %run %t
// RUN: %also { %cucpu -arch=sm_90a --simd=1 %s -o %t.1 && %run %t.1; }
// RUN: %also { %cucpu -arch=sm_90a --simd=32 %s -o %t.32 && %run %t.32; }
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef uint32_t u32;
typedef uint64_t u64;
enum { BOX_BYTES = 32768 };
static int bad;
#define CHECK(c) ((c) ? (void)0 : (void)(bad++, printf("line %d: %s\n", __LINE__, #c)))

static u32 random_state = 1;
static u32 next_random() { return random_state = random_state * 1664525 + 1013904223, random_state >> 8; }

/* ---- device ---- */

struct Place {
    int at[5];
    unsigned short offset[3];
};

__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void begin(u64 *bar) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(bar)) : "memory"); }
__device__ void expect(u64 *bar, u32 n) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"(shared_address(bar)), "r"(n) : "memory");
}
__device__ void wait(u64 *bar) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" ::"r"(shared_address(bar)) : "memory");
}

#define C1 "{%2}"
#define C2 "{%2, %3}"
#define C3 "{%2, %3, %4}"
#define C4 "{%2, %3, %4, %5}"
#define C5 "{%2, %3, %4, %5, %6}"
#define PLACE(p) "r"((p).at[0]), "r"((p).at[1]), "r"((p).at[2]), "r"((p).at[3]), "r"((p).at[4])
#define LOAD(form, coords, tail)                                                                                       \
    asm volatile("cp.async.bulk.tensor." form ".mbarrier::complete_tx::bytes [%0], [%1, " coords "], [%7]" tail ";" ::"r"(to), \
                 "l"(map), PLACE(p), "r"(bar), "h"(p.offset[0]), "h"(p.offset[1]), "h"(p.offset[2])                     \
                 : "memory")
#define STORE(form, coords)                                                                                            \
    asm volatile("cp." form ".bulk_group [%1, " coords "], [%0];" ::"r"(to), "l"(map), PLACE(p) : "memory")

/* mode: 1 ... 5: tiles of this rank; 13 ... 15: images; 20: rows */
__device__ void load(const CUtensorMap *map, u32 to, u32 bar, Place p, int mode) {
    switch (mode) {
    case 1: LOAD("1d.shared::cluster.global.tile", C1, ""); break;
    case 2: LOAD("2d.shared::cluster.global.tile", C2, ""); break;
    case 3: LOAD("3d.shared::cta.global", C3, ""); break;
    case 4: LOAD("4d.shared::cluster.global", C4, ""); break;
    case 5: LOAD("5d.shared::cluster.global", C5, ""); break;
    case 13: LOAD("3d.shared::cluster.global.im2col", C3, ", {%8}"); break;
    case 14: LOAD("4d.shared::cluster.global.im2col", C4, ", {%8, %9}"); break;
    case 15: LOAD("5d.shared::cta.global.im2col", C5, ", {%8, %9, %10}"); break;
    case 20: LOAD("2d.shared::cta.global.tile::gather4", C5, ""); break;
    }
}

/* mode: as of load(); 100 + op: a reduction of tiles of two dimensions */
__device__ void store(const CUtensorMap *map, u32 to, Place p, int mode) {
    switch (mode) {
    case 1: STORE("async.bulk.tensor.1d.global.shared::cta", C1); break;
    case 2: STORE("async.bulk.tensor.2d.global.shared::cta", C2); break;
    case 3: STORE("async.bulk.tensor.3d.global.shared::cta", C3); break;
    case 4: STORE("async.bulk.tensor.4d.global.shared::cta.tile", C4); break;
    case 5: STORE("async.bulk.tensor.5d.global.shared::cta", C5); break;
    case 13: STORE("async.bulk.tensor.3d.global.shared::cta.im2col_no_offs", C3); break;
    case 14: STORE("async.bulk.tensor.4d.global.shared::cta.im2col_no_offs", C4); break;
    case 15: STORE("async.bulk.tensor.5d.global.shared::cta.im2col_no_offs", C5); break;
    case 20: STORE("async.bulk.tensor.2d.global.shared::cta.tile::scatter4", C5); break;
    case 100: STORE("reduce.async.bulk.tensor.2d.global.shared::cta.add", C2); break;
    case 101: STORE("reduce.async.bulk.tensor.2d.global.shared::cta.min.tile", C2); break;
    case 102: STORE("reduce.async.bulk.tensor.2d.global.shared::cta.max", C2); break;
    case 103: STORE("reduce.async.bulk.tensor.2d.global.shared::cta.inc", C2); break;
    case 104: STORE("reduce.async.bulk.tensor.2d.global.shared::cta.dec", C2); break;
    case 105: STORE("reduce.async.bulk.tensor.2d.global.shared::cta.and", C2); break;
    case 106: STORE("reduce.async.bulk.tensor.2d.global.shared::cta.or", C2); break;
    case 107: STORE("reduce.async.bulk.tensor.2d.global.shared::cta.xor", C2); break;
    }
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

/* out = the box as it lies in shared memory */
__global__ void get(const __grid_constant__ CUtensorMap map, Place p, int mode, u32 bytes, unsigned char *out) {
    __shared__ __align__(1024) unsigned char box[BOX_BYTES];
    __shared__ u64 bar;
    for (u32 i = threadIdx.x; i < BOX_BYTES; i += blockDim.x) box[i] = 0xcd;
    if (threadIdx.x == 0) begin(&bar);
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        load(&map, shared_address(box), shared_address(&bar), p, mode);
        expect(&bar, bytes);
    }
    wait(&bar);
    for (u32 i = threadIdx.x; i < BOX_BYTES; i += blockDim.x) out[i] = box[i];
}

__global__ void put(const __grid_constant__ CUtensorMap map, Place p, int mode, const unsigned char *in) {
    __shared__ __align__(1024) unsigned char box[BOX_BYTES];
    for (u32 i = threadIdx.x; i < BOX_BYTES; i += blockDim.x) box[i] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) store(&map, shared_address(box), p, mode);
}

/* ---- the model ---- */

struct Tensor {
    CUtensorMapDataType type;
    u32 bytes, rank, box[5], step[5], channels, pixels;
    u64 dim[5], stride[5]; /* stride[0]: of an element */
    int lower[3], upper[3];
    CUtensorMapSwizzle swizzle;
    bool nan;
    std::vector<unsigned char> data;
};

static u32 swizzled(const Tensor &t, u32 a) {
    u32 line = a / 128;
    switch (t.swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_32B: return a ^ (line % 2) * 16;
    case CU_TENSOR_MAP_SWIZZLE_64B: return a ^ (line % 4) * 16;
    case CU_TENSOR_MAP_SWIZZLE_128B: return a ^ (line % 8) * 16;
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B: return a ^ (line % 4) * 32;
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B: return a ^ (line % 4) * 32 ^ (line % 2) * 8;
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B: return a ^ (line % 2) * 64;
    default: return a;
    }
}

/* Where element e of the box is in the tensor's data; -1: outside. */
static long element(const Tensor &t, const Place &p, int mode, u32 e, bool is_store) {
    long at[5] = {0};
    bool pixels = mode >= 13 && mode <= 15;
    u32 row = pixels ? t.channels : t.box[0], k = e / row;
    at[0] = p.at[0] + (long)(e % row);
    if (mode == 20) at[1] = p.at[1 + k];
    for (u32 d = 1; d < t.rank && mode < 13; d++) {
        u32 n = (t.box[d] + t.step[d] - 1) / t.step[d];
        at[d] = p.at[d] + (long)(k % n * t.step[d]), k /= n;
    }
    if (mode >= 100)
        at[1] = p.at[1] + (long)k;
    for (u32 d = 1; d < t.rank && pixels; d++) at[d] = p.at[d];
    for (u32 i = 0; i < k && pixels; i++)
        for (u32 d = 1; d < t.rank; d++) {
            at[d] += t.step[d];
            if (d == t.rank - 1 || at[d] < (long)t.dim[d] + t.upper[d - 1]) break;
            at[d] = t.lower[d - 1];
        }
    for (u32 d = 1; d + 1 < t.rank && pixels && !is_store; d++) at[d] += p.offset[d - 1];
    long place = 0;
    for (u32 d = 0; d < t.rank; d++) {
        if (at[d] < 0 || at[d] >= (long)t.dim[d]) return -1;
        place += at[d] * (long)t.stride[d];
    }
    return place;
}

static u32 elements(const Tensor &t, int mode) {
    u32 n = t.box[0];
    if (mode >= 13 && mode <= 15) return t.channels * t.pixels;
    if (mode == 20) return 4 * t.box[0];
    for (u32 d = 1; d < t.rank; d++) n *= (t.box[d] + t.step[d] - 1) / t.step[d];
    return n;
}

static void fill(const Tensor &t, unsigned char *to) {
    static const unsigned char f16[] = {0xff, 0x7f}, f32[] = {0xff, 0xff, 0xff, 0x7f};
    memset(to, 0, t.bytes);
    if (t.nan) memcpy(to, t.bytes == 2 ? f16 : f32, t.bytes);
}

/* ---- tests ---- */

static CUtensorMap encode(const Tensor &t, void *data, bool pixels) {
    CUtensorMap m;
    cuuint64_t dim[5], stride[4];
    for (int d = 0; d < 5; d++) dim[d] = t.dim[d];
    for (int d = 0; d < 4; d++) stride[d] = t.stride[d + 1];
    CUtensorMapFloatOOBfill nan = t.nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    CUresult r = pixels ? cuTensorMapEncodeIm2col(&m, t.type, t.rank, data, dim, stride, t.lower, t.upper, t.channels, t.pixels, t.step,
                                                  CU_TENSOR_MAP_INTERLEAVE_NONE, t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, nan)
                        : cuTensorMapEncodeTiled(&m, t.type, t.rank, data, dim, stride, t.box, t.step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                 t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, nan);
    if (r) bad++, printf("encode: error %d\n", r);
    if (m.opaque[1] >> 21 & 1) bad++, printf("a bit that CUTLASS clears is set\n");
    return m;
}

static unsigned char *device_data, *device_box;

static void compare(const Tensor &t, Place p, int mode) {
    bool pixels = mode >= 13 && mode <= 15;
    u32 n = elements(t, mode);
    std::vector<unsigned char> want(BOX_BYTES, 0xcd), got(BOX_BYTES), after = t.data;
    CUtensorMap m = encode(t, device_data, pixels);
    cudaMemcpy(device_data, t.data.data(), t.data.size(), cudaMemcpyDefault);
    get<<<1, 64>>>(m, p, mode, n * t.bytes, device_box);
    cudaMemcpy(got.data(), device_box, BOX_BYTES, cudaMemcpyDefault);
    for (u32 e = 0; e < n; e++) {
        long from = element(t, p, mode, e, false);
        unsigned char v[8];
        if (from < 0) fill(t, v);
        else memcpy(v, &t.data[from], t.bytes);
        for (u32 b = 0; b < t.bytes; b++) want[swizzled(t, e * t.bytes + b)] = v[b];
    }
    if (want != got) bad++, printf("mode %d, rank %u, swizzle %d: wrong box\n", mode, t.rank, t.swizzle);
    for (auto &b : got) b = (unsigned char)next_random();
    cudaMemcpy(device_box, got.data(), BOX_BYTES, cudaMemcpyDefault);
    put<<<1, 64>>>(m, p, mode, device_box);
    for (u32 e = 0; e < n; e++) {
        long to = element(t, p, mode, e, true);
        for (u32 b = 0; to >= 0 && b < t.bytes; b++) after[to + b] = got[swizzled(t, e * t.bytes + b)];
    }
    std::vector<unsigned char> stored(t.data.size());
    cudaMemcpy(stored.data(), device_data, stored.size(), cudaMemcpyDefault);
    if (after != stored) bad++, printf("mode %d, rank %u, swizzle %d: wrong tensor\n", mode, t.rank, t.swizzle);
    cudaError_t error = cudaDeviceSynchronize();
    if (error) bad++, printf("mode %d: %s\n", mode, cudaGetErrorString(error));
}

static Tensor random_tensor(u32 rank, u32 bytes, CUtensorMapDataType type) {
    Tensor t = {};
    t.type = type, t.bytes = bytes, t.rank = rank;
    u64 size = 1;
    for (u32 d = 0; d < rank; d++) {
        t.dim[d] = d ? 2 + next_random() % 7 : 9 + next_random() % 56;
        t.step[d] = 1 + (next_random() % 3 == 0 && d);
        t.box[d] = d ? 1 + next_random() % 4 : 16 / bytes * (1 + next_random() % 4);
        t.stride[d] = d ? size : bytes;
        size = d ? size * (t.dim[d] + next_random() % 2) : (t.dim[0] * bytes + 15) / 16 * 16;
        if (!d) t.stride[0] = bytes;
    }
    t.data.resize(size);
    for (auto &b : t.data) b = (unsigned char)next_random();
    return t;
}

static Place random_place(const Tensor &t) {
    Place p = {};
    for (u32 d = 0; d < t.rank; d++) p.at[d] = (int)(next_random() % (t.dim[d] + 4)) - 3;
    return p;
}

static void tiles() {
    for (u32 k = 0; k < 30; k++) {
        u32 rank = 1 + k % 5, log = next_random() % 4;
        static const CUtensorMapDataType types[] = {CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                                                    CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_INT64};
        Tensor t = random_tensor(rank, 1 << log, types[log]);
        t.nan = (log == 1 || log == 2) && k % 2;
        if (k % 3 == 0) { /* swizzled: rows as long as the pattern, or shorter */
            t.swizzle = (CUtensorMapSwizzle)(1 + k / 3 % 6);
            u32 most = t.swizzle < 3 ? 16u << t.swizzle : 128;
            t.box[0] = most / t.bytes >> next_random() % 2;
        }
        compare(t, random_place(t), (int)rank);
    }
}

static void images() {
    for (u32 k = 0; k < 9; k++) {
        u32 rank = 3 + k % 3;
        Tensor t = random_tensor(rank, 2, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
        Place p = {};
        t.channels = 8 << next_random() % 3, t.pixels = 5 + next_random() % 60;
        t.swizzle = k < 3 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE;
        for (u32 d = 0; d + 2 < rank; d++) {
            t.lower[d] = -(int)(next_random() % 2), t.upper[d] = -(int)(next_random() % 2);
            p.at[d + 1] = t.lower[d], p.offset[d] = (unsigned short)(next_random() % 3);
        }
        compare(t, p, 10 + (int)rank);
    }
}

static void rows() {
    Tensor t = random_tensor(2, 4, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
    t.box[1] = t.step[1] = 1;
    Place p = {{3, 1, -1, 0, (int)t.dim[1] - 1}, {0}};
    compare(t, p, 20);
}

template <class T> static T reduced(int op, T a, T b) {
    switch (op) {
    case 0: return T(a + b);
    case 1: return a < b ? a : b;
    case 2: return a < b ? b : a;
    case 3: return a >= b ? T(0) : T(a + 1);
    case 4: return a == 0 || a > b ? b : T(a - 1);
    case 5: return T((u64)a & (u64)b);
    case 6: return T((u64)a | (u64)b);
    default: return T((u64)a ^ (u64)b);
    }
}

template <class T> static void reduce(CUtensorMapDataType type, int first, int last) {
    for (int op = first; op <= last; op++) {
        Tensor t = random_tensor(2, sizeof(T), type);
        t.box[0] = 16 / sizeof(T), t.step[1] = 1;
        for (auto &b : t.data) b = b % 8; /* also of floats: small denormals */
        std::vector<unsigned char> box(BOX_BYTES), want = t.data, got(t.data.size());
        for (auto &b : box) b = (unsigned char)(next_random() % 8);
        CUtensorMap m = encode(t, device_data, false);
        Place p = random_place(t);
        cudaMemcpy(device_data, t.data.data(), t.data.size(), cudaMemcpyDefault);
        cudaMemcpy(device_box, box.data(), BOX_BYTES, cudaMemcpyDefault);
        put<<<1, 32>>>(m, p, 100 + op, device_box);
        for (u32 e = 0; e < t.box[0] * t.box[1]; e++) {
            long to = element(t, p, 100, e, true);
            T a, b;
            if (to < 0) continue;
            memcpy(&a, &want[to], sizeof a), memcpy(&b, &box[e * sizeof b], sizeof b);
            a = reduced(op, a, b);
            memcpy(&want[to], &a, sizeof a);
        }
        cudaMemcpy(got.data(), device_data, got.size(), cudaMemcpyDefault);
        if (got != want) bad++, printf("reduction %d of type %d: wrong\n", op, type);
    }
}

/* ---- clusters, and maps that kernels make ---- */

__global__ void __cluster_dims__(4, 1, 1) multicast(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ __align__(128) int box[32];
    __shared__ u64 bar;
    if (threadIdx.x == 0) begin(&bar), expect(&bar, sizeof box);
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && blockIdx.x % 2 == 0) { /* 0 to 0 and 3, 2 to 1 and 2 */
        unsigned short blocks = blockIdx.x ? 6 : 9;
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1, {%2}], [%3], %4;" ::"r"(shared_address(box)), "l"(&map), "r"(16 * (int)blockIdx.x),
                     "r"(shared_address(&bar)), "h"(blocks) : "memory");
    }
    wait(&bar);
    out[32 * blockIdx.x + threadIdx.x] = box[threadIdx.x];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

static void clusters() {
    Tensor t = {};
    t.type = CU_TENSOR_MAP_DATA_TYPE_INT32, t.bytes = 4, t.rank = 1, t.dim[0] = 100, t.box[0] = 32, t.step[0] = 1;
    int in[100], out[128], *p = (int *)device_box;
    for (int i = 0; i < 100; i++) in[i] = i * i;
    cudaMemcpy(device_data, in, sizeof in, cudaMemcpyDefault);
    multicast<<<4, 32>>>(encode(t, device_data, false), p);
    cudaMemcpy(out, p, sizeof out, cudaMemcpyDefault);
    for (int i = 0; i < 128; i++) {
        int from = (i / 32 == 0 || i / 32 == 3 ? 0 : 32) + i % 32;
        CHECK(out[i] == in[from]);
    }
}

/* A map of a tensor of 2 x 2 becomes one of 40 x 6 floats. */
__global__ void change(const __grid_constant__ CUtensorMap given, float *data, CUtensorMap *map) {
    __shared__ __align__(128) char copy[128];
    int lane = threadIdx.x;
    ((int *)copy)[lane] = ((const int *)&given)[lane];
    __syncwarp();
    if (lane == 0) {
        u32 s = shared_address(copy);
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(s), "l"(data) : "memory");
        asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(s), "r"(40) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(s), "r"(6) : "memory");
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(s), "l"(160ull) : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, 32;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, 4;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 2;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 7;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 1;" ::"r"(s) : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(map),
                 "r"(shared_address(copy)) : "memory");
    if (lane == 0) {
        asm volatile("tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%0], 1;" ::"l"(map) : "memory");
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    }
}

static void changes() {
    Tensor small = {}, t = {};
    small.type = CU_TENSOR_MAP_DATA_TYPE_UINT8, small.bytes = 1, small.rank = 1, small.dim[0] = 2, small.box[0] = 16, small.step[0] = 1;
    t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, t.bytes = 4, t.rank = 2, t.dim[0] = 40, t.dim[1] = 6, t.stride[0] = 4, t.stride[1] = 160;
    t.box[0] = 32, t.box[1] = 4, t.step[0] = 1, t.step[1] = 2, t.nan = true, t.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B;
    CUtensorMap *map, made, want = encode(t, device_data, false);
    cudaMalloc(&map, sizeof *map);
    change<<<1, 32>>>(encode(small, device_box, false), (float *)device_data, map);
    cudaMemcpy(&made, map, sizeof made, cudaMemcpyDefault);
    CHECK(!memcmp(&made, &want, sizeof made));
    CHECK(!cuTensorMapReplaceAddress(&made, device_box));
    CHECK(memcmp(&made, &want, sizeof made));
    cudaFree(map);
}

/* ---- what is refused ---- */

static void errors() {
    alignas(64) CUtensorMap m;
    cuuint64_t dim[2] = {64, 8}, stride[1] = {64};
    cuuint32_t box[2] = {64, 8}, step[2] = {1, 1};
    void *data = device_data;
#define ENCODE(type, rank, data, swizzle, fill)                                                                        \
    cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_##type, rank, data, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,  \
                           CU_TENSOR_MAP_SWIZZLE_##swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)fill)
    CHECK(ENCODE(UINT8, 2, data, NONE, 0) == CUDA_SUCCESS);
    CHECK(ENCODE(UINT8, 2, data, 64B, 0) == CUDA_SUCCESS);
    CHECK(ENCODE(UINT8, 2, data, 32B, 0) == CUDA_ERROR_INVALID_VALUE); /* rows are longer */
    CHECK(ENCODE(UINT8, 0, data, NONE, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(ENCODE(UINT8, 6, data, NONE, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(ENCODE(UINT8, 2, (char *)data + 8, NONE, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(ENCODE(UINT8, 2, data, NONE, 1) == CUDA_ERROR_INVALID_VALUE); /* NaN is for floats */
    stride[0] = 72;
    CHECK(ENCODE(UINT8, 2, data, NONE, 0) == CUDA_ERROR_INVALID_VALUE);
    stride[0] = 64, box[0] = 20;
    CHECK(ENCODE(UINT8, 2, data, NONE, 0) == CUDA_ERROR_INVALID_VALUE);
    box[0] = 64, box[1] = 257;
    CHECK(ENCODE(UINT8, 2, data, NONE, 0) == CUDA_ERROR_INVALID_VALUE);
    box[1] = 8, step[1] = 9;
    CHECK(ENCODE(UINT8, 2, data, NONE, 0) == CUDA_ERROR_INVALID_VALUE);
    step[1] = 1, dim[1] = 0;
    CHECK(ENCODE(UINT8, 2, data, NONE, 0) == CUDA_ERROR_INVALID_VALUE);
}

/* Garbage in place of a map ends the kernel. */
static void garbage() {
    CUtensorMap m = {};
    get<<<1, 32>>>(m, Place{}, 2, 0, device_box);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalInstruction);
}

int main() {
    cudaMalloc(&device_data, 4 << 20);
    cudaMalloc(&device_box, BOX_BYTES);
    tiles();
    images();
    rows();
    reduce<u32>(CU_TENSOR_MAP_DATA_TYPE_UINT32, 0, 7);
    reduce<int>(CU_TENSOR_MAP_DATA_TYPE_INT32, 0, 2);
    reduce<u64>(CU_TENSOR_MAP_DATA_TYPE_UINT64, 0, 2);
    reduce<u64>(CU_TENSOR_MAP_DATA_TYPE_UINT64, 5, 7);
    reduce<int64_t>(CU_TENSOR_MAP_DATA_TYPE_INT64, 1, 2);
    reduce<float>(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 0, 0);
    reduce<_Float16>(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 0, 2);
    clusters();
    changes();
    errors();
    CHECK(!cudaDeviceSynchronize());
    garbage();
    if (bad) printf("%d wrong\n", bad);
    return bad != 0;
}
